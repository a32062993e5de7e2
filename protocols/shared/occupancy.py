"""n users fall into h cells at random; how likely does every cell hold enough? The coupon collector, with noise.

C_1, ..., C_h are multinomial, each user in a uniform cell; Z_1, ..., Z_h are independent of them and of each other, of
the law Bin(n, q). A cell is missed where C_j - Z_j < a. With F(c) = Pr[Z <= c - a], the chance that a cell of c users
is not missed, and g = Pr[C_1 - Z_1 < a]:

    1 - (1 - g)^h  <=  Pr[some cell is missed]  <=  h g.

Proof. The upper bound is the union bound. For the lower one let S_j(m) be the chance that none of j cells is missed
with m users uniform on them: more users never hurt, so S_j rises in m. Given C_1 = c the others are uniform on h - 1
cells, so S_h(n) = E[F(C_1) S_(h-1)(n - C_1)]; F rises and S_(h-1)(n - c) falls in c, hence by Chebyshev's inequality
for oppositely ordered functions S_h(n) <= E[F(C_1)] E[S_(h-1)(n - C_1)], and the second factor is the chance that none
of the cells 2, ..., h is missed. Go on with cell 2, given which the rest is again uniform, to (1 - g)^h.

Exactly: counts that are independent Poisson variables of mean n/h are multinomial once their sum is n, so

    Pr[no cell is missed] = [x^n] (sum_c Pr[Poi(n/h) = c] F(c) x^c)^h / Pr[Poi(n) = n].
"""

from fractions import Fraction
from math import isqrt

from flint import arb, ctx, fmpz

from shufflecert.verify.enclose.interval import Interval, chance, exactly
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import Binomial, Poisson
from shufflecert.verify.exact.rational import ball, dyadic, precision

EXACT_USERS = 2 * 10**9  # beyond this only the two bounds
BITS = 256  # of the fixed point: an absolute error far below 10^-30


def some_missed(n: int, h: int, quiet: Binomial, a: int) -> Interval:
    """The probability that some cell is missed, Pr[C_j - Z_j < a for some j], for a >= 1 and Z_j of the law `quiet`.

    Between the two bounds where they agree to 30 digits, or n is above 2 10^9; else by the exact formula, in fixed
    point of 256 bits.
    """
    single = one_missed(n, h, quiet, a)
    if h == 1 or single.low == 1:
        return single
    with precision(BITS):
        missed, kept = ball(single.low), ball(1 - single.low)
        low = dyadic((1 - kept**h if missed > kept else -((-missed).log1p() * h).expm1()).lower())
    bounds = Interval(max(low, single.low), min(Fraction(1), h * single.high))
    if bounds.relative_width * 10**30 <= 1 or bounds.high * 2 ** (BITS // 2) < 1 or n > EXACT_USERS:
        return bounds
    least, most = _none_missed(n, h, quiet, a)
    return Interval(max(bounds.low, 1 - most), min(bounds.high, 1 - least))


def one_missed(n: int, h: int, quiet: Binomial, a: int) -> Interval:
    """The probability g that one cell is missed: Pr[C - Z < a], C ~ Bin(n, 1/h), a >= 1, Z of the law `quiet`."""
    if quiet.p == 1:
        return exactly(1)
    if h == 1:
        return chance(lambda: quiet.survival(n - a + 1))
    cells = Binomial(n, Fraction(1, h))
    return chance(lambda: cells.cdf(a - 1) if quiet.p == 0 else _summed(cells, quiet, a))


def _summed(cells: Binomial, quiet: Binomial, a: int) -> arb:
    """sum over c of Pr[C = c] Pr[Z > c - a].

    Both factors are log-concave in c, so the ratio of neighbouring terms falls, and bounds geometrically what is left
    out on either side. The sum goes down from `top`, where tails of Z only grow by positive terms.
    """
    bits, reach = ctx.prec, (isqrt(int(cells.variance)) + 1) * (isqrt(2 * ctx.prec) + 2)
    with precision(bits + 2 * cells.n.bit_length()):
        while True:
            top = min(cells.n, _largest_term(cells, quiet, a) + reach)
            total, beyond = _downwards(cells, quiet, top, top - a + 1)
            if beyond < total * arb(2) ** -bits:
                break
            reach *= 2
    return +(total + beyond.union(arb(0)))


def _downwards(cells: Binomial, quiet: Binomial, c: int, k: int) -> tuple[arb, arb]:
    """(the sum of Pr[C = c] Pr[Z >= k] over c, c - 1, ..., 0 and k, k - 1, ...; a bound on what is beyond c)."""
    small = arb(2) ** -(ctx.prec + 8)
    tail, point, weight = quiet.survival(k), quiet.pmf(k), cells.pmf(c)
    total = term = weight * tail
    beyond = arb(0)
    if c < cells.n:
        a, b = cells.ratio(c + 1)
        beyond = _geometric(term, (1 - point / tail) * a / b)
    while c > 0:
        a, b = cells.ratio(c)
        weight = weight * b / a
        if k > 0:
            a, b = quiet.ratio(k)
            point = point * b / a
            tail += point
        c, k, before, term = c - 1, k - 1, term, weight * tail
        total += term
        if c % 8 == 0 and term < total * small and (rest := _geometric(term, term / before)) < total * small * 2**16:
            return total + rest.union(arb(0)), beyond
    return total, beyond


def _geometric(term: arb, ratio: arb) -> arb:
    """A bound on what follows a term where no later ratio is larger; infinite where that is not known to be below 1."""
    return term * ratio / (1 - ratio) if ratio < 1 else arb.pos_inf()


def _largest_term(cells: Binomial, quiet: Binomial, a: int) -> int:
    """A c near the largest term of `_summed`: a place to start from, from which nothing follows."""
    low, high = 0, cells.n
    while high - low > 1:
        c = (low + high) // 2
        up, down = cells.ratio(c)
        if c - a > 0:
            more, less = quiet.ratio(c - a)
            up, down = (up * more, down * less) if more < less else (up, down)
        low, high = (c, high) if up > down else (low, c)
    return low


def _none_missed(n: int, h: int, quiet: Binomial, a: int) -> tuple[Fraction, Fraction]:
    """Ends around Pr[no cell is missed], by the product of h Poisson cells in fixed point."""
    users, gone = Window.of(Poisson(Fraction(n, h)), BITS), Window.of(quiet, BITS)
    kept_low, kept_high = fmpz(0), fmpz(gone.outside)
    low, high, k = [], [], gone.first
    for c, (least, most) in enumerate(zip(users.low, users.high, strict=True), users.first):
        while k <= c - a:
            if k - gone.first < len(gone.low):
                kept_low += gone.low[k - gone.first]
                kept_high += gone.high[k - gone.first]
            k += 1
        low.append(least * kept_low >> BITS)
        high.append(-(-most * kept_high >> BITS))
    cell = Window(users.first, low, high, users.outside, BITS)
    half = cell.copies(h // 2)
    rest = half if h % 2 == 0 else half.plus(cell)
    least, most = coefficient(half, rest, n)
    with precision(BITS):
        whole = Poisson(Fraction(n)).pmf(n) * arb(2) ** BITS
        return max(Fraction(0), dyadic((arb(least) / whole).lower())), dyadic((arb(most) / whole).upper())


def coefficient(one: Window, two: Window, at: int) -> tuple[fmpz, fmpz]:
    """Bounds on 2^bits Pr[X + Y = at]."""
    first = max(one.first, at - two.first - len(two.low) + 1)
    last = min(one.first + len(one.low) - 1, at - two.first)
    least, most = fmpz(0), fmpz(0)
    for i in range(first, last + 1):
        least += one.low[i - one.first] * two.low[at - i - two.first]
        most += one.high[i - one.first] * two.high[at - i - two.first]
    return least >> one.bits, -(-most >> one.bits) + one.outside + two.outside
