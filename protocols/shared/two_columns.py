"""Two columns of bits, of which a user's string moves the first or the second: as sharp at 10^-10000 as at 1/2.

Of m strings, B = Bin(m, flip) is the sum of a column that the user leaves alone, and A = Ber(held) + Bin(m - 1, flip)
of the one that is the user's, flip <= held. Seen are the two sums, (A, B) against (B, A).

Ratio. A(s) = B(s) L(s) with L(s) = (held (1 - flip) s + (1 - held) flip (m - s)) / (flip (1 - flip) m), as Bin(m - 1,
flip)(s - 1) / B(s) = s / (m flip) and Bin(m - 1, flip)(s) / B(s) = (m - s) / (m (1 - flip)). L rises by a constant, so

    delta(eps) = sum over t of B(t) sum over s > tau(t) of B(s) (L(s) - e^eps L(t)),

where tau(t) rises with t, and the inner sum is (L(c) - e^eps L(t)) G(c) + L' sum over j > c of G(j) for the first of
its s, c, and G(c) = B(c) + B(c + 1) + ..., all of them positive. Balls have exponents without end, so nothing is lost
where delta is faint, if s and t run over the places that count there.

Chernoff. For every r = e^lam >= 1, with z = e^(-lam x), x = e^eps: where L(s) > x L(t), s - x t > kappa m with
kappa = (x - 1) (1 - held) flip / (held - flip), so that r^s z^t > e^(lam kappa m). Hence the mass of P on that event
and on any set of (s, t) besides is at most

    C = (1 - held + held r) (1 - flip + flip r)^(m - 1) (1 - flip + flip z)^m e^(-lam kappa m)

times the mass that the tilted laws have on the set: t ~ Bin(m, z'), s ~ a bit + Bin(m - 1, r'). For fixed lam it is
C = (1 - held + held r) / (1 - flip + flip r) psi^m, geometric in m.

Rational x. For x' <= x, delta at x' is no less, and delta at x at least that less (x - x') Q(E) for the event E at x';
Q(E) <= P(E) <= C.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import exp, log, log1p
from typing import TypeVar

from flint import arb, ctx, fmpz

from shufflecert.verify.enclose.interval import FIRST_BITS, NEGLIGIBLE, Ends
from shufflecert.verify.enclose.noise_laws import Binomial, Chance, above, below
from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, dyadic, precision
from shufflecert.verify.pairs.windowed import Product, Reversed, SumPair, coin

MOST_PLACES = 2_000_000  # of one column's sum
SPARE = 24  # bits by which what is left out is below what is asked for, relative to Chernoff's bound
KEPT_PLACES = 40_000  # up to which weights are kept for the next eps
STEPS = 100  # of a bisection in floats
STEEPEST = 50.0  # logarithm of the odds of a tilted bit
LEAST, LARGEST = 1e-300, Fraction(10**300)  # chance in floats; e^eps
Kept = TypeVar("Kept")


@dataclass(frozen=True)
class Among(Product):
    """(A, B) against (B, A) of the module's text, 0 < flip < 1/2: its own reverse, up to the order of the columns."""

    flip: Fraction
    strings: int
    held: Fraction

    @classmethod
    def of(cls, flip: Fraction, strings: int, held: Fraction) -> "Among":
        """The pair for m = strings."""
        column = SumPair((coin(held), Binomial(strings - 1, flip)), (coin(flip), Binomial(strings - 1, flip)))
        return cls(column, Reversed(column), flip, strings, held)

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around delta(eps): a share of 2^-(bits / 6) apart, or below 2^-FIRST_BITS if that is asked."""
        low, high = eps.bounds(bits + 64)
        tail, digits = Tail.least(self.flip, self.held, low), digits_of(bits)
        if tail is None:
            return Fraction(0), Fraction(0)
        with precision(digits + 64 + 2 * self.strings.bit_length()):
            most = tail.bound(self.strings)
            if most < arb(2) ** -faintest(bits):
                return Fraction(0), Fraction(1, 1 << faintest(bits))
            first, second = (_places(self.strings, float(p.mid()), digits) for p, _ in tail.chances)
            value = self._sum(first, second, low)
            beyond = most * tail.outside(self.strings, first, second)
            least = value - most * ball(high - low)
            return max(dyadic(least.lower()), Fraction(0)), min(dyadic((value + beyond).upper()), Fraction(1))

    def _sum(self, first: range, second: range, power: Fraction) -> arb:
        """The sum of P - power Q over s in `first` and t in `second` where it is positive."""
        m, (top, bottom) = self.strings, power.as_integer_ratio()
        (f, of), (h, out) = self.flip.as_integer_ratio(), self.held.as_integer_ratio()
        rise, start = h * of - f * out, (out - h) * f * m  # L(s) is (rise s + start) over flip (1 - flip) m of out
        sums, further = _sums(m, self.flip, first, ctx.prec)
        weights = _weights(m, self.flip, second, ctx.prec)
        slope, step, begin = fmpz(bottom * rise), fmpz(top * rise), first[0]
        least = step * second[0] + (top - bottom) * start  # s counts where slope s is more
        here, beyond, last = arb(0), arb(0), first[-1]
        for weight in weights:
            c = max(int(least // slope) + 1, begin)
            if c > last:
                break
            here += weight * sums[c - begin] * (slope * c - least)
            beyond += weight * further[c - begin]
            least += step
        return (here + beyond * slope) / (ball(self.flip * (1 - self.flip)) * m * of * out * bottom)


@dataclass(frozen=True)
class Tail:
    """Chernoff's bound of the module's text, for one lam; at the precision in force."""

    flip: Fraction
    held: Fraction
    power: Fraction
    lam: Fraction

    @classmethod
    def least(cls, flip: Fraction, held: Fraction, power: Fraction) -> "Tail | None":
        """The bound for about the best lam at x = power; None where L(s) > x L(t) nowhere for any m, or held = flip."""
        if held == flip or power * (1 - held) * flip >= held * (1 - flip):
            return None
        return cls(flip, held, power, _saddle(flip, held, power))

    @property
    def tilts(self) -> tuple[arb, arb]:
        """r and z."""
        return ball(self.lam).exp(), ball(-self.lam * self.power).exp()

    @property
    def chances(self) -> tuple[Chance, Chance]:
        """Of a bit in the two columns, tilted: flip r / (1 - flip + flip r), and likewise for z."""
        first, second = (tilted(ball(self.flip), 1 - ball(self.flip), tilt) for tilt in self.tilts)
        return first, second

    @property
    def growth(self) -> arb:
        """psi, by which the bound grows with every string."""
        first, second = map(self._head, self.tilts)
        kappa = (self.power - 1) * (1 - self.held) * self.flip / (self.held - self.flip)
        return first * second * ball(-self.lam * kappa).exp()

    def bound(self, strings: int) -> arb:
        """C."""
        r = self.tilts[0]
        return (1 - ball(self.held) + ball(self.held) * r) / self._head(r) * self.growth**strings

    def outside(self, strings: int, first: range, second: range) -> arb:
        """A bound on the tilted laws' mass where s is not in `first` or t is not in `second`."""
        one, two = self.chances
        of_first = below(strings - 1, one, first[0] - 1) + above(strings - 1, one, first[-1])
        return of_first + below(strings, two, second[0] - 1) + above(strings, two, second[-1] + 1)

    def _head(self, tilt: arb) -> arb:
        return 1 - ball(self.flip) + ball(self.flip) * tilt


def digits_of(bits: int) -> int:
    """The bits of what is left out, relative to Chernoff's bound, where so many are asked for."""
    return bits // 6 + SPARE


def faintest(bits: int) -> int:
    """The bits of what needs not be told from 0 where so many are asked for: at the first, no more than these."""
    return bits if bits <= FIRST_BITS else NEGLIGIBLE


def _saddle(flip: Fraction, held: Fraction, power: Fraction) -> Fraction:
    """About the lam >= 0 for which Chernoff's bound is least; any other is one as well."""
    x, odds = float(min(power, LARGEST)), log1p(-float(flip)) - log(max(float(flip), LEAST))
    kappa = float((power - 1) * (1 - held) * flip / (held - flip))

    def rising(lam: float) -> bool:
        return _share(lam - odds) - x * _share(-x * lam - odds) > kappa

    low, high = 0.0, odds + STEEPEST
    for _ in range(STEPS):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) else (middle, high)
    return Fraction(high).limit_denominator(1 << 64) if power > 1 else Fraction(0)


def _share(log_odds: float) -> float:
    """The chance that has these odds."""
    return 1 / (1 + exp(-log_odds)) if log_odds > -700 else 0.0


# Laws of many bits ------------------------------------------------------------------------------------------------


def tilted(p: arb, q: arb, tilt: arb) -> Chance:
    """The chance of a bit of chances p and q, tilted."""
    return p * tilt / (q + p * tilt), q / (q + p * tilt)


def _places(n: int, p: float, bits: int) -> range:
    """About the places outside which Bin(n, p) has less than 2^-bits on either side, rounded to some multiple.

    Raises TooMuchWork for more than MOST_PLACES.
    """
    first, last = reach(n, p, bits)
    unit = (last - first) // 16 + 1  # few different places: weights are kept
    first, last = first // unit * unit, min(-(-last // unit) * unit, n)
    if last - first >= MOST_PLACES:
        raise TooMuchWork(f"n: a column's sum has {last - first} likely values: expected at most {MOST_PLACES}")
    return range(first, last + 1)


def reach(n: int, p: float, bits: int) -> tuple[int, int]:
    """About the least and the largest value of Bin(n, p), where values below 2^-bits do not count."""
    need, mean = bits * log(2), min(max(round(n * p), 0), n)
    p = min(max(p, LEAST), 1 - 1e-16)

    def far(k: int) -> bool:
        some = k * log(k / (n * p)) if k else 0.0
        return some + ((n - k) * log((n - k) / (n * (1 - p))) if k < n else 0.0) > need

    def edge(sure: int, end: int) -> int:
        """The place next to `sure` from which on all are far, up to `end`."""
        if not far(end):
            return end
        while abs(end - sure) > 1:
            middle = (sure + end) // 2
            sure, end = (sure, middle) if far(middle) else (middle, end)
        return end

    return edge(mean, 0), edge(mean, n)


def _remembered(made: Callable[[int, Fraction, range, int], Kept]) -> Callable[[int, Fraction, range, int], Kept]:
    """The same, of few places kept for the next eps."""
    kept = lru_cache(maxsize=24)(made)

    def asked(n: int, flip: Fraction, places: range, bits: int) -> Kept:
        return (kept if len(places) <= KEPT_PLACES else made)(n, flip, places, bits)

    return asked


@_remembered
def _weights(n: int, flip: Fraction, places: range, bits: int) -> Sequence[arb]:
    """Bin(n, flip) at these places, at a precision in bits."""
    law, middle = Binomial(n, flip), (places[0] + places[-1]) // 2
    with precision(bits):
        up = [law.logarithm(middle).exp()]
        for k in range(middle + 1, places[-1] + 1):
            a, b = law.ratio(k)
            up.append(up[-1] * a / b)
        down = up[:1]
        for k in range(middle, places[0], -1):
            a, b = law.ratio(k)
            down.append(down[-1] * b / a)
    return down[:0:-1] + up


@_remembered
def _sums(n: int, flip: Fraction, places: range, bits: int) -> tuple[Sequence[arb], Sequence[arb]]:
    """G(c), the mass of Bin(n, flip) at these places from c on, and the sum over j > c of G(j), for all c of them."""
    with precision(bits):
        masses = list(accumulate(reversed(_weights(n, flip, places, bits))))
        further = list(accumulate(masses[:-1], initial=arb(0)))
    return masses[::-1], further[::-1]
