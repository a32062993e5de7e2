"""The expected largest error over columns of noisy bits (see column_accuracy.py), the largest over datasets.

With s_j of the n users on value j, the errors are (C_j - E C_j) / (a - b) users for C_j = Bin(s_j, a) + Bin(n - s_j +
fakes, b), and s_1 + ... + s_B = n. Which dataset is the worst is not known; below are real ones, above a bound for all.
"""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

from flint import arb, fmpz

from shufflecert.protocols.shared.column_accuracy import Column
from shufflecert.verify.enclose.interval import Ends, Interval, exactly, largest, refine, root_of, scaled
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.exact.rational import DIGITS, ball, dyadic, precision
from shufflecert.verify.systems.largest_error import Errors, expected_maximum, mean_deviation

MAX_SWEPT = 200  # users up to which every s is evaluated for one column
NARROW = 10**6  # variance up to which a sum of two binomials is enclosed on a window
LAST_BITS = 1 << 11
STEPS = 1000  # steps of the integral in which t grows by a factor e


def columns_maximum(column: Column, columns: int, independent: bool) -> Interval:
    """E max over the columns of |estimate - truth|, in users: [a real dataset's, a bound for all datasets].

    One column (the others say the same): exact up to 200 users; else from below the best of a few s, and from above the
    rmse or, where a + b = 1 and nothing is fake, `balanced_bound`.

    More: from below all users on one value. Its columns, where `independent`, are B - 1 like Bin(n + fakes, b) and one
    like Bin(n, a) + Bin(fakes, b), and the maximum is enclosed (verify/systems/largest_error.py). Where they are the
    counts of one multinomial each user, they are negatively associated (Joag-Dev and Proschan 1983), so that Pr[all
    C_j - E C_j <= x] is at most the product: the maximum of independent columns' errors upwards is a lower bound. From
    above `union_bound`, and the root of the sum of the variances, which is one for all datasets, being linear in the
    s_j.

    Raises BadInput for a = b.
    """
    scale = column.trace
    if not column.worst_square():
        return exactly(0)
    if columns == 1:
        return scaled(_one(column), 1 / scale)
    rest = Errors.of(Binomial(column.n + column.fakes, column.b), columns - 1)
    singles = [mean_deviation(noise) for s in (0, column.n) if len(parts := column.parts(s)) == 1 for noise in parts]
    if independent:
        alike = column.a + column.b == 1 and not column.fakes  # one is the mirror image of the other
        low = expected_maximum([replace(rest, count=columns)] if alike else [rest, *_full(column)])
    else:
        one = Errors.of(Binomial(column.n, column.a), 1)
        low = expected_maximum([rest.upwards(), one.upwards()])
    squares = column.variance(column.n) + (columns - 1) * column.variance(0)
    high = min(root_of(squares).high, union_bound(column, columns))
    return scaled(Interval(largest([low, *singles]).low, high), 1 / scale)


def _full(column: Column) -> list[Errors]:
    """The column that all users are on; none where its law is too wide to be enclosed, which only lowers a maximum."""
    s, noises = column.n, column.parts(column.n)
    if len(noises) == 1:
        return [Errors.of(noises[0], 1)]
    if column.variance(s) > NARROW:
        return []
    one, two = (Window.of(noise, 320) for noise in noises)
    return [Errors(one.plus(two), column.mean(s), column.variance(s), 1)]


def union_bound(column: Column, columns: int) -> Fraction:
    """An upper bound on E max_j |S_j| for every dataset, S_j = C_j - E C_j: (1 + log(c I / (2 pi))) / c for any c > 0,

        I = integral over (0, pi) of (K_n(w) + (B - 1) K_0(w)) sinh(c) / (c (cosh(c) - cos(w))) dw,

    K_s(w) = |E e^((c + i w) S)| + |E e^(-(c + i w) S)| for a column of s users.

    Proof. E max <= x + sum over j of E (S_j - x)^+ + E (-S_j - x)^+ for every x. Along the line c + i w, E (S - x)^+ =
    1/(2 pi) times the integral over all w of E e^((c + i w)(S - x)) / (c + i w)^2: at most e^(-c x) / (2 pi) times that
    of |E e^((c + i w) S)| / (c^2 + w^2), where the first factor has period 2 pi, and the second summed over w + 2 pi j
    is sinh(c) / (2 c (cosh(c) - cos(w))). As |E e^((c + i w) S)| is exponential in s, the sum of K over s_j >= 0 with
    sum n is largest where one of them is n. So E max <= x + e^(-c x) I / (2 pi); the best x is log(c I / (2 pi)) / c.

    A bit of chance p has |E e^((c + i w) bit)|^2 = (1 + p (e^c - 1))^2 (1 - 4 v sin^2(w/2)), v = p' (1 - p') for its
    tilted chance p' = p e^c / (1 + p (e^c - 1)): both factors of I fall, and each step takes its first point.
    """
    n, total = column.n, column.n + column.fakes
    groups = [(weight, on, total - on) for weight, on in ((1, n), (columns - 1, 0)) if weight]
    with precision(128 + 2 * total.bit_length()):
        spread = ball(column.worst_square()).sqrt()
        guess = (2 * ball(2 * columns).log()).sqrt() / spread

        def bound(c: arb, steps: int) -> Fraction:
            tilted = [[_tilted(p, way) for p in (column.a, column.b)] for way in (c, -c)]
            heights = [
                (weight * (on * one[0] + off * two[0]).exp(), on, one[1], off, two[1])
                for weight, on, off in groups
                for one, two in tilted
            ]
            integral = arb(0)
            for w, width in _steps(10 / spread, steps):
                square = 4 * (w / 2).sin() ** 2
                falls = ((-square * v).log1p() * on + (-square * u).log1p() * off for _, on, v, off, u in heights)
                total = sum((h[0] * (fall / 2).exp() for h, fall in zip(heights, falls, strict=True)), arb(0))
                integral += width * total / (c.cosh() - w.cos())
            return dyadic(((1 + (integral * c.sinh() / (2 * arb.pi())).log()) / c).upper())

        coarse = [(guess * arb(2) ** (arb(i) / 4)).mid() for i in range(-8, 9)]
        near = min(coarse, key=lambda c: bound(c, 32))
        return min(bound((near * arb(2) ** (arb(i) / 16)).mid(), 200) for i in range(-3, 4))


def _tilted(p: Fraction, c: arb) -> tuple[arb, arb]:
    """(log E e^(c (bit - p)), p' (1 - p') for the tilted chance p')."""
    mean = 1 + ball(p) * c.expm1()
    return mean.log() - c * ball(p), ball(p * (1 - p)) * c.exp() / mean**2


def _steps(end: arb, count: int) -> list[tuple[arb, arb]]:
    """(first point, width) of steps from 0 to pi: so many to `end`, longer ones from there."""
    pi, width = arb.pi(), (end / count).mid()
    points = [arb(0)]
    while points[-1] + width < pi:
        points.append((points[-1] + width).mid())
        width = width if len(points) <= count else (width * 9 / 8).mid()
    return [(point, following - point) for point, following in pairwise([*points, pi])]


# One column --------------------------------------------------------------------------------------------------------


def _one(column: Column) -> Interval:
    """E |C_s - E C_s|, the largest over s."""
    n = column.n
    if n <= MAX_SWEPT and column.fakes <= MAX_SWEPT:
        rough = {s: deviation(column, s, 6) for s in range(n + 1)}
        least = largest([*rough.values()]).low
        return largest([deviation(column, s) for s, value in rough.items() if value.high >= least])
    places = {0, n}
    if column.worst_square() <= NARROW:
        places |= {n // 2, min(n, n // 2 + int(1 / (4 * column.b)))} if column.b else {n // 2}
    low = largest([deviation(column, s) for s in places if len(column.parts(s)) == 1 or column.variance(s) <= NARROW])
    high = root_of(column.worst_square()).high
    if column.a + column.b == 1 and not column.fakes:
        high = min(high, balanced_bound(n, column.b))
    return Interval(low.low, max(low.low, high))


def deviation(column: Column, s: int, digits: int = DIGITS) -> Interval:
    """The mean absolute deviation E |C_s - E C_s|, of a relative width of about 10^-digits."""
    noises, mean = column.parts(s), column.mean(s)
    if len(noises) == 1:
        return mean_deviation(noises[0])

    def ends(bits: int) -> Ends:
        one, two = (Window.of(noise, bits) for noise in noises)
        law = one.plus(two)
        places = [abs(mean.denominator * k - mean.numerator) for k in range(law.first, law.first + len(law.low))]
        low, high = (
            sum((w * place for w, place in zip(side, places, strict=False)), fmpz(0)) for side in (law.low, law.high)
        )
        unit = mean.denominator << bits
        beyond = root_of(column.variance(s) * Fraction(law.outside, 1 << bits)).high  # Cauchy and Schwarz
        return Fraction(int(low), unit), Fraction(int(high), unit) + beyond

    return refine(ends, digits, LAST_BITS)


def balanced_bound(n: int, f: Fraction) -> Fraction:
    """An upper bound on E |C_s - E C_s| for all s, C_s = Bin(s, 1 - f) + Bin(n - s, f): off by some 1 / (5 variance).

    E |S| = 2/pi times the integral over t > 0 of (1 - Re phi(t)) / t^2, phi the characteristic function of S. For
    one user's bit phi = r e^(i theta) with

        r^2 = 1 - 4 v sin^2(t/2),   theta' = -v (1 - 2 f) (1 - cos t) / r^2,   v = f (1 - f),

    and -theta for a user on 1. So |phi| = r^n for all s, and on (0, pi) r falls and |theta| rises. Up to t_0, 1 - Re
    phi <= n v t^2 / 2; from there to pi, 1 - Re phi <= 1 - r^n cos(min(pi, n |theta|)), whose factors are taken at an
    end of each step; and beyond, Re phi >= -|phi|, which has period 2 pi: what is there is at most

        1/pi + integral over (0, pi) of |phi(u)| (1 / (4 sin^2(u/2)) - 1 / u^2) du,

    where the bracket, the sum of (2 pi j + u)^-2 over j != 0, rises in u.
    """
    v = f * (1 - f)
    with precision(128 + 2 * n.bit_length()):
        pi, chance = arb.pi(), ball(f)

        def modulus(t: arb) -> arb:
            return (n * (-4 * ball(v) * (t / 2).sin() ** 2).log1p() / 2).exp()

        def phase(t: arb) -> arb:
            sin, cos = t.sin_cos()
            return (n * (arb.atan2(chance * sin, 1 - chance + chance * cos) - chance * t)).abs_upper()

        start = (1 / (50 * (1 + ball(n * v).sqrt()))).mid()
        count = STEPS * (1 + int(dyadic((pi / start).log().mid())))
        growth = ((pi / start).log() / count).exp()
        total, t, before = ball(n * v) * start / 2 + 1 / pi, start, arb(1)
        total += start * _bracket(start)
        for i in range(1, count + 1):
            end = pi if i == count else (t * growth).mid()
            after, turn = modulus(end), phase(end).min(pi).cos().lower()
            above = 1 - (after if turn > 0 else before) * turn
            total += above * (1 / t - 1 / end) + before * _bracket(end) * (end - t)
            t, before = end, after
        return dyadic((2 * total / pi).upper())


def _bracket(u: arb) -> arb:
    return 1 / (4 * (u / 2).sin() ** 2) - 1 / u**2
