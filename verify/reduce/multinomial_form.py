"""The positive part E max(c . h, 0) / n for multinomial counts h of n draws: a divergence by the privacy blanket.

A form is a list of categories (a, b, w): a draw falls there with probability w, and counts c = a - e^eps b, a, b >= 0.

The finite sum, for up to four categories A, B, C, D, any number of digits: T = h_A + h_B is binomial; given T so are
h_A and h_C, independently, and c . h = c_B T + c_D (n - T) + (c_A - c_B) h_A + (c_C - c_D) h_C. For every T the values
of h_C that share a least h_A are summed at once, with prefix sums.

The sum over all counts, for more categories and few draws, any number of digits.

The integral, for any number of categories, 9 digits: c . h is a sum of n independent draws
(verify/fourier/draws.py); the cost does not grow with n. It is computed at a rational t just above e^eps: the
value falls in t at a rate of at most E[b . h; c . h > 0] / n <= E[a . h] / (n t). Where that is not little, the upper
end is computed at a t just below.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import comb, isqrt, lcm
from typing import NamedTuple

from flint import arb, fmpz

from shufflecert.verify.enclose.interval import LAST_BITS, Ends, Interval, refine
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import gathered
from shufflecert.verify.exact.rational import DIGITS, ball, ceiling_of, floor_of, least_of, precision
from shufflecert.verify.fourier.draws import EFFORT, Draws, Measure, Points, bits_for_draws, faintness, positive_part

FINITE_WORK = 1_500_000  # window terms that the finite sum may have for one number; a tenth in a search
MAX_TERMS = 1 << 62
FEW, COUNTS = 64, 4  # draws of which all counts are listed; terms that one takes
LINE_DIGITS, SEARCHED, ROUGH = 9, 7, 4  # of the integral; in a search; up to which it is the quicker one
FIRST_LOOK = 10  # of the effort of an integral, one part
POWER_BITS, LINE_BITS = 256, 1 << 12  # of e^eps for an event; for a form, so that one t does even for tiny values
FAR = 15  # standard deviations
FAINT, LONGER = 64, 4  # bits of a value below 1, from which on the finite sum is longer; how many times it may be
LONG = 1024  # bits of a term that takes twice as long as a short one
MAX_CELLS = 1 << 19  # of a lattice
SPARSE = 512  # multisets of values up to which each has a sum of its own


class Category(NamedTuple):
    """One category of a form: a draw falls there with probability w and then counts a - e^eps b."""

    a: Fraction
    b: Fraction
    w: Fraction


@dataclass(frozen=True)
class Form:
    """A linear form of multinomial counts: categories of different (a, b), with probabilities w of sum 1; n draws."""

    categories: tuple[Category, ...]
    n: int

    @classmethod
    def of(cls, categories: Iterable[Category], n: int) -> "Form":
        """A form from categories: those of equal (a, b) are merged, w = 0 is left out, the most likely comes last."""
        merged = gathered(((a, b), w) for a, b, w in categories)
        kept = [Category(a, b, w) for (a, b), w in merged.items() if w]
        return cls(tuple(sorted(kept, key=lambda c: (c.w, c.a, c.b))), n)

    def value(self, eps: Eps, digits: int, effort: int = EFFORT, enough: Fraction = Fraction(0)) -> Interval:
        """Enclose E max(c . h, 0) / n: by the finite sum where it is short, else to 9 digits by an integral.

        The finite sum has as many bits as a faint value is below 1, and more: then the integral is asked first.

        What is at most `enough` may have any upper bound up to that; where that is 1, a first look will do.
        """
        if not self.categories:
            return Interval(Fraction(0), Fraction(0))
        once = LINE_DIGITS < digits <= DIGITS  # a search for an eps asks for more, and many times
        (above, below), limit = rounded(eps, LINE_BITS), FINITE_WORK // (1 if once else 10 if digits > ROUGH else 100)
        short = self.work(4 * digits + FAINT) <= limit
        faint = max(faintness(self.points(above), self.n), FAINT) if short else FAINT
        bits = 4 * digits + faint
        if short and (faint == FAINT or self.work(bits) * (1 + bits // LONG) <= LONGER * limit):
            return refine(partial(self.finite, eps), digits, enough=enough)
        least, digits = digits, max(digits, LINE_DIGITS) if short else min(digits, LINE_DIGITS if once else SEARCHED)
        effort = (LONGER if short else 1) * effort if enough < 1 else effort // FIRST_LOOK
        low, high = spread_positive_part(self.points(above), self.n, digits, effort)
        most = high + self.n * (above - below) / below * sum((c.w * c.a for c in self.categories), Fraction(0))
        if (most - high) * 10 ** (digits + 1) > high:
            most = spread_positive_part(self.points(below), self.n, digits, effort)[1]
        found = Interval(low / self.n, most / self.n)
        wide = found.high > enough and found.relative_width * 10 ** min(least, LINE_DIGITS) > 1
        if short and wide and faint < LAST_BITS:
            return found.meet(refine(partial(self.finite, eps), least, enough=enough))
        return found

    def points(self, power: Fraction) -> list[tuple[Fraction, Fraction]]:
        """The probabilities and coefficients (w, c) at e^eps = power, the c different."""
        law = gathered(zip(self.coefficients(power), (one.w for one in self.categories), strict=True))
        return [(w, c) for c, w in law.items()]

    def coefficients(self, power: Fraction) -> list[Fraction]:
        """The coefficient c = a - power b of every category, for e^eps = power."""
        return [c.a - power * c.b for c in self.categories]

    def split(self, power: Fraction, step: Fraction) -> list[tuple[Fraction, Fraction]]:
        """The points (w, c) moved to multiples of `step`, their means kept: E max(c . h, 0) can only grow."""
        law: dict[int, Fraction] = {}
        for w, c in self.points(power):
            at = (c / step).__floor__()
            share = c / step - at
            for place, part in ((at, 1 - share), (at + 1, share)):
                law[place] = law.get(place, Fraction(0)) + w * part
        return [(w, place * step) for place, w in law.items() if w]

    def finite(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around the value by a finite sum, about 2^-bits n max |c| apart."""
        low, high = eps.bounds(bits)
        c = self.coefficients(high), self.coefficients(low)
        if max(c[1]) <= 0:
            return Fraction(0), Fraction(0)
        if len(self.categories) == 1:
            return max(c[0][0], Fraction(0)), c[1][0]
        weights = [category.w for category in self.categories]
        return (_four if len(weights) <= 4 else _all_counts)(weights, c, self.n, bits)

    def work(self, bits: int) -> int:
        """The number of terms that `finite` looks at, about."""
        weights, n, width = [c.w for c in self.categories], self.n, 3 * (isqrt(bits) + 1)
        if len(weights) > 4:
            return COUNTS * comb(n + len(weights) - 1, n) if n <= FEW else MAX_TERMS

        def terms(count: Fraction, share: Fraction) -> int:
            return min(int(count), width * (isqrt(int(count * share * (1 - share))) + 1)) + 1

        if len(weights) == 1:
            return 1
        pair = weights[0] + weights[1]
        inner = terms(n * pair, weights[0] / pair)
        if len(weights) == 2:
            return inner
        other = terms(n * (1 - pair), weights[2] / (1 - pair)) if len(weights) == 4 else 1
        return terms(Fraction(n), pair) * (inner + other)


def rounded(eps: Eps, bits: int) -> Ends:
    """Rationals (above, below) of few bits around e^eps, both e^eps itself where that is one."""
    low, high = eps.bounds(bits)
    if low == high and high.denominator.bit_length() <= bits:
        return high, low
    unit = Fraction(1, 1 << bits)
    return -(-high // unit) * unit, low // unit * unit


# By an integral ----------------------------------------------------------------------------------------------------


def spread_positive_part(points: Points, n: int, digits: int, effort: int = EFFORT) -> Ends:
    """Ends around E max(Y, 0), Y the sum of n draws of a law (weight, value), also where values differ by far.

    A value v so far below 0 that no sum of the other draws makes up for a single draw of it is left out. With R the
    number of such draws, E max(Y, 0) - E[max(Y, 0); R = 0] is in [0, n sum of w E max(Y' + v, 0)], Y' of n - 1 draws.
    Of those far above 0,

        E max(Y, 0) = E[max(Y, 0); R = 0] + E[Y; R > 0] + E[max(-Y, 0); R > 0],

    where the second is n E[one draw] minus its part with R = 0, and the last is bounded likewise.
    """
    ordered = sorted(points, key=lambda point: -point[1])
    with precision(bits_for_draws(n)):
        kept = ordered[: len(ordered) - _outweighing([(w, -v) for w, v in reversed(ordered)], n)]
        large, rest = kept[: (far := _outweighing(kept, n))], kept[far:]
        if len(rest) == len(points):
            return positive_part(points, n, digits, effort)
        beyond = _crossing(ordered[len(kept) :], ordered, n)
        beyond += _crossing([(w, -v) for w, v in large], [(w, -v) for w, v in kept], n)
        total, left = (ball(sum((w for w, _ in part), Fraction(0))) for part in (kept, rest))
        weighed, others = (ball(sum((w * v for w, v in part), Fraction(0))) for part in (large, rest))
        whole = ((n - 1) * total.log()).exp()
        some = -((n - 1) * (left / total).log()).expm1() if n > 1 else arb(0)  # Pr[R > 0] of n - 1 draws, over `whole`
        middle = n * whole * (weighed + others * some) if large else arb(0)
        low, high = positive_part(rest, n, digits, effort)
        ends = low + floor_of(middle), high + ceiling_of(middle + beyond)
        if beyond * arb(10) ** digits < middle + ball(low):
            return ends
    plain = positive_part(points, n, digits, effort)
    return max(ends[0], plain[0]), min(ends[1], plain[1])


def _outweighing(falling: Points, n: int) -> int:
    """The number of leading values that are each far above 0 and above what n draws of all later ones sum to."""
    mass, mean, square = arb(0), arb(0), arb(0)
    for i in range(len(falling) - 1, 0, -1):
        weight, value = (ball(part) for part in falling[i])
        mass, mean, square = mass + weight, mean + weight * value, square + weight * value * value
        spread = FAR * (n * (square - mean * mean)).abs_upper().sqrt()
        above = ball(falling[i - 1][1])
        if above > spread - n * mean and above > spread:
            return i
    return 0


def _crossing(far: Points, points: Points, n: int) -> arb:
    """A bound on n sum of w E max(Y' + v, 0) over the (w, v) in `far`, v < 0, Y' of n - 1 draws.

    max(y, 0) <= e^(theta y) / (e theta); and without theta, E max(Y', 0) is at most all draws' mean positive parts.
    """
    others, scales = Draws([(Measure(points), n - 1)]), [arb(2) ** (i - 10) for i in range(60 if far else 0)]

    def at(theta: arb) -> arb:
        own = sum((ball(w) * (theta * ball(v)).exp() for w, v in far), arb(0))
        return n * own * others.log(theta).exp() / (arb(1).exp() * theta)

    positive, mass = sum((w * v for w, v in points if v > 0), Fraction(0)), sum((w for w, _ in far), Fraction(0))
    return least_of(ball(n * (n - 1) * mass * positive), (at(scale / ball(abs(far[0][1]))) for scale in scales))


# By a finite sum ---------------------------------------------------------------------------------------------------


def _four(weights: Sequence[Fraction], c: tuple[Sequence[Fraction], Sequence[Fraction]], n: int, bits: int) -> Ends:
    """Ends around E max(c . h, 0) / n by T, h_A and h_C, for coefficients between c[0] and c[1]."""
    scale = 1 << bits
    whole = [int(v * scale // 1) for v in c[0]], [int(-(-v * scale // 1)) for v in c[1]]
    a, b = (0, 1) if whole[0][0] >= whole[0][1] else (1, 0)
    both, three, four = weights[a] + weights[b], len(weights) > 2, len(weights) == 4
    totals, worst = [0, 0], 0
    first, *laws_t, outside = Binomial(n, both if three else Fraction(1)).window(bits)
    for t, *weight_t in zip(range(first, n + 1), *laws_t, strict=False):
        start, *laws_a, out_a = Binomial(t, weights[a] / both).window(bits)
        begin, *laws_c, out_c = Binomial(n - t, weights[2] / (1 - both)).window(bits) if four else _zero(scale)
        for side in (0, 1):
            v = whole[side]
            base, slope, tilt = v[b] * t + v[-1] * (n - t) * three, v[a] - v[b], (v[2] - v[3]) if four else 0
            if slope < 0:  # rounding made two equal values cross
                slope, base = 0, base + min(slope, 0) * t * (1 - side)
            totals[side] += weight_t[side] * _given(start, laws_a[side], begin, laws_c[side], base, slope, tilt)
        worst += weight_t[1] * (out_a + out_c) * scale
    worst += outside * scale * scale
    most = max(abs(v) for v in whole[0] + whole[1])
    return Fraction(totals[0], n * scale**4), Fraction(totals[1] + worst * n * most, n * scale**4)


def _all_counts(
    weights: Sequence[Fraction], c: tuple[Sequence[Fraction], Sequence[Fraction]], n: int, bits: int
) -> Ends:
    """The same by all counts of few draws, each with its probability as it is."""
    unit, scale = lcm(*(w.denominator for w in weights)), 1 << bits
    likely = [w.numerator * (unit // w.denominator) for w in weights]
    least, most = [int(v * scale // 1) for v in c[0]], [int(-(-v * scale // 1)) for v in c[1]]
    counted = [(n, 1, 0, 0)]  # draws that are left, how likely it is over unit^(n - left), what it sums to
    for w, low, high in zip(likely[:-1], least, most, strict=False):
        powers = [w**k for k in range(n + 1)]
        counted = [
            (left - k, p * comb(left, k) * powers[k], below + k * low, above + k * high)
            for left, p, below, above in counted
            for k in range(left + 1)
        ]
    powers, totals = [likely[-1] ** k for k in range(n + 1)], [0, 0]
    for left, p, below, above in counted:
        totals[0] += p * powers[left] * max(below + left * least[-1], 0)
        totals[1] += p * powers[left] * max(above + left * most[-1], 0)
    return Fraction(totals[0], n * scale * unit**n), Fraction(totals[1], n * scale * unit**n)


def _zero(scale: int) -> tuple[int, list[int], list[int], int]:
    """The window of the constant 0."""
    return 0, [scale], [scale], 0


def _given(start: int, law_a: list[int], begin: int, law_c: list[int], base: int, slope: int, tilt: int) -> int:
    """sum over i, u of law_a[i] law_c[u] max(base + slope i + tilt u, 0), slope >= 0."""
    if slope == 0:
        whole = sum(law_a)
        return whole * sum(w * max(base + tilt * u, 0) for u, w in enumerate(law_c, begin))
    end = start + len(law_a)
    sums = list(accumulate(reversed(law_a), initial=0))[::-1]  # Pr[A >= start + i]
    falling = zip(range(end - 1, start - 1, -1), reversed(law_a), strict=True)
    moments = list(accumulate((w * i for i, w in falling), initial=0))[::-1]
    if tilt < 0:  # count u downwards
        law_c = law_c[::-1]
        base, tilt, begin = base + tilt * (2 * begin + len(law_c) - 1), -tilt, begin
    before = list(accumulate(law_c, initial=0))
    before_moment = list(accumulate((w * u for u, w in enumerate(law_c, begin)), initial=0))
    total, u, last = 0, begin, begin + len(law_c)
    while u < last:
        least = -(base + tilt * u) // slope + 1  # the least i with a positive value, at this u
        stay = last
        if tilt:  # up to which u that stays the least
            stay = min(last, (-base - slope * (least - 1)) // tilt + 1) if least > start else last
            stay = max(stay, u + 1)
        i = min(max(least, start), end) - start
        if i < len(law_a):
            weight = before[stay - begin] - before[u - begin]
            moment = before_moment[stay - begin] - before_moment[u - begin]
            total += sums[i] * (base * weight + tilt * moment) + moments[i] * slope * weight
        u = stay
    return total


def power_of(draw: dict[int, Fraction], n: int, bits: int) -> Window:
    """The law of the sum of n independent draws, by repeated squaring of windows."""
    low, high = min(draw), max(draw)
    if high - low >= MAX_CELLS:
        raise TooMuchWork(f"a lattice of {high - low + 1} cells for one user: expected values that differ less")
    if comb(n + len(draw) - 1, n) <= SPARSE:
        return _sparse_power(draw, n, bits)
    return Window.of_finite(draw, bits).copies(n)


def sum_of(draws: Iterable[tuple[dict[int, Fraction], int]], bits: int) -> Window:
    """The law of a sum of independent draws, so many of each law."""
    whole = Window(0, [fmpz(1) << bits], [fmpz(1) << bits], 0, bits)
    for draw, n in draws:
        whole = whole.plus(power_of(draw, n, bits))
    return whole


def _sparse_power(draw: dict[int, Fraction], n: int, bits: int) -> Window:
    """The same by a sum for each multiset of values, of which there are few, however far apart these are."""
    law = {0: (1 << bits, 1 << bits)}
    one = [(k, w.numerator << bits, w.denominator) for k, w in draw.items()]
    for _ in range(n):
        sums: dict[int, tuple[int, int]] = {}
        for at, (low, high) in law.items():
            for k, weight, unit in one:
                below, above = sums.get(at + k, (0, 0))
                product = (low * weight // unit) >> bits, -((-high * weight // unit) >> bits)
                sums[at + k] = below + product[0], above + product[1]
        law = sums
    first, zero = min(law), (0, 0)
    ends = [law.get(k, zero) for k in range(first, max(law) + 1)]
    return Window(first, [fmpz(low) for low, _ in ends], [fmpz(high) for _, high in ends], 0, bits)


class Tails:
    """The tails Pr[X > t] of a law that is given by a window, with bounds."""

    def __init__(self, law: Window) -> None:
        self.law = law
        self.low = list(accumulate(reversed(law.low), initial=fmpz(0)))[::-1]
        self.high = list(accumulate(reversed(law.high), initial=fmpz(0)))[::-1]

    def more_than(self, t: int) -> Ends:
        """Rational ends around Pr[X > t]."""
        i = min(max(t + 1 - self.law.first, 0), len(self.low) - 1)
        scale = 1 << self.law.bits
        return Fraction(int(self.low[i]), scale), Fraction(int(self.high[i]) + self.law.outside, scale)
