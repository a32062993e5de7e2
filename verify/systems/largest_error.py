"""The expected largest of independent errors, E max_i |X_i - E X_i|, for integer laws of any width.

    E max = integral over x >= 0 of 1 - prod_i Pr[|X_i - c_i| <= x],   c_i = E X_i.

Only integers count: for x = t + o, t = 0, 1, 2, ..., and o in [0, 1) between two of the fractional parts of c_i and
-c_i, the events are {l_i - t <= X_i <= r_i + t} with l_i = ceil(c_i - o) and r_i = floor(c_i + o).

Lemma. For log-concave w, G(t) = sum of w(k) over l - t <= k <= r + t, l <= r + 1, is log-concave in t. So are powers
and products of such G, and log(1 - F(t)), F(t) the chance that some error is larger, lies above its chords and below
the lines that continue them: F is needed at few t where a law is wide.

Proof. Let A and A' be what G(t) adds to G(t - 1) > 0, and G(t + 1) to G(t); what is to be shown is A' / A <= G(t) /
G(t - 1). Where w rises at neither end, A' <= A. Else let it rise at the right one, w(r + t + 1) = s w(r + t) with s > 1
(the mirror image likewise). All ratios w(k + 1) / w(k) before are s or more; so w(l - t - 1) <= w(l - t), A' <= s A,
and G(t) holds the sum of w(k + 1) over the points k of G(t - 1): G(t) >= s G(t - 1).
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from heapq import heappop, heappush
from itertools import accumulate, pairwise
from math import ceil, floor, isqrt
from typing import Protocol

from flint import arb, ctx, fmpz

from shufflecert.verify.enclose.interval import Interval, enclose, exactly
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import DiscreteLaplace, Noise
from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.rational import ball, dyadic, precision

FIRST_BITS, LAST_BITS, FAR_BITS = 256, 1 << 12, 64
POINTS, FEW_POINTS = 3000, 64  # thresholds that are evaluated at most: on a window, and where each tail is an integral
ENOUGH = 10**25  # one part in so many is narrow enough


@dataclass(frozen=True)
class Errors:
    """Several independent errors |X - mean| of one log-concave law, which is given by a formula or by a window.

    There are `count` of them; with `above` only errors upwards count, max(X - mean, 0).
    """

    law: Noise | Window
    mean: Fraction
    variance: Fraction
    count: int
    above: bool = False

    @classmethod
    def of(cls, noise: Noise, count: int) -> "Errors":
        """So many independent errors of a noise law."""
        return cls(noise, noise.mean, noise.variance, count)

    def upwards(self) -> "Errors":
        """The same errors counted upwards only, max(X - mean, 0)."""
        return replace(self, above=True)

    def shape(self, offset: Fraction) -> tuple[int, int]:
        """Where the errors are small: those of at most t + offset are those with l - t <= X <= r + t, as (l, r)."""
        low, high = ceil(self.mean - offset), floor(self.mean + offset)
        if not self.above:
            return low, high
        start = self.law.first if isinstance(self.law, Window) else self.law.low
        assert start is not None
        return min(start, low), high


def mean_deviation(noise: Noise) -> Interval:
    """The mean absolute deviation E |X - E X| of a binomial, Poisson, negative binomial or discrete Laplace law.

    2 b(m) Pr[m] / s with m = floor(E X) + 1, where Pr[k] / Pr[k - 1] = a(k) / b(k) with linear a and b, and s is the
    slope of b(k) - a(k + 1); and 2 q / (1 - q^2) for discrete Laplace noise. Proof. With h(k) = b(k) Pr[k] = a(k) Pr[k
    - 1], h(k + 1) - h(k) = (a(k + 1) - b(k)) Pr[k], whose sum over all k is 0: it is -s (k - E X) Pr[k]. So the sum of
    (k - E X) Pr[k] over k >= m is h(m) / s, half of what is asked for (De Moivre's formula).
    """
    if isinstance(noise, DiscreteLaplace):
        return exactly(2 * noise.q / (1 - noise.q**2))
    m = floor(noise.mean) + 1
    first, second = noise.ratio(1), noise.ratio(2)
    slope = first[1] - second[0] + first[0]  # b(0) = 0
    return enclose(lambda: 2 * noise.ratio(m)[1] * noise.pmf(m) / slope)


def expected_maximum(parts: Sequence[Errors]) -> Interval:
    """The expected largest error, E max |X_i - E X_i|, over all errors of `parts`, which are independent.

    The relative width is about 1e-25; for laws of a standard deviation above some hundreds it grows, to 1e-6 at 10^4,
    and to 1e-2 where a window would not fit into memory.
    """
    parts = [part for part in parts if part.count and part.variance]
    if not parts:
        return exactly(0)
    if len(parts) == 1 and parts[0].count == 1 and isinstance(parts[0].law, Noise) and not parts[0].above:
        return mean_deviation(parts[0].law)
    bits = FIRST_BITS
    while True:
        few, laws = False, list[Tails]()
        try:
            laws += [Summed.of(part.law, bits) for part in parts]
        except TooMuchWork:
            few, laws, bits = True, [Far(_noise(part.law)) for part in parts], FAR_BITS
        with precision(bits + 64):
            found, all_looked_at = _integral(parts, laws, few)
        if found.relative_width * ENOUGH <= 1 or not all_looked_at or bits >= LAST_BITS:
            return found
        bits *= 2


def _noise(law: Noise | Window) -> Noise:
    if isinstance(law, Window):
        raise TooMuchWork("errors of a sum of noises with noise that is too wide for a window: expected less variance")
    return law


# Tails -------------------------------------------------------------------------------------------------------------


class Tails(Protocol):
    """Anything that gives the probability of lying outside an interval."""

    def outside(self, low: int, high: int) -> arb:
        """The probability Pr[X < low or X > high], for low <= high + 1, as a ball."""

    def reach(self, mean: Fraction) -> int | None:
        """The distance to the mean from which on `outside` tells nothing more; None if it always does."""


@dataclass(frozen=True)
class Summed:
    """The tails of a law on a window: least[i] and most[i] bound the sum of its first i points."""

    first: int
    least: Sequence[int]
    most: Sequence[int]
    beyond: int
    bits: int

    @classmethod
    def of(cls, law: Noise | Window, bits: int) -> "Summed":
        """The tails of a noise law, at a precision in bits, or of a window, which has its own.

        Raises TooMuchWork where the window is too long.
        """
        if isinstance(law, Window):
            return cls(law.first, _sums(law.low), _sums(law.high), law.outside, law.bits)
        first, low, high, beyond = law.window(bits)
        return cls(first, _sums(low), _sums(high), beyond, bits)

    def outside(self, low: int, high: int) -> arb:
        """The probability of lying outside [low, high], from the sums over the window."""
        size = len(self.least) - 1
        start, end = (min(max(0, place - self.first), size) for place in (low, high + 1))
        least = self.least[-1] - self.least[end] + self.least[start]
        most = self.most[-1] - self.most[end] + self.most[start] + self.beyond
        return arb(fmpz(least)).union(arb(fmpz(min(most, 1 << self.bits)))) * arb(2) ** -self.bits

    def reach(self, mean: Fraction) -> int | None:
        """The distance from the mean to the further end of the window."""
        return ceil(max(mean - self.first, self.first + len(self.least) - mean)) + 1


def _sums(weights: Iterable[int | fmpz]) -> list[int]:
    return list(accumulate(map(int, weights), initial=0))


@dataclass(frozen=True)
class Far:
    """A noise law given by its distribution function, where its values are too many to list one by one."""

    noise: Noise

    def outside(self, low: int, high: int) -> arb:
        """The probability of lying outside [low, high], by incomplete beta or gamma functions."""
        return self.noise.survival(high + 1) + self.noise.cdf(low - 1)

    def reach(self, mean: Fraction) -> int | None:
        """None: the formulas tell something at every distance."""
        return None


# The integral ------------------------------------------------------------------------------------------------------


def _integral(parts: Sequence[Errors], laws: Sequence[Tails], few: bool) -> tuple[Interval, bool]:
    """(the integral, whether every threshold was looked at); with `few` between sums over x >= 1 and over x >= 0"""
    end, rest = _end(parts, laws)
    edges = sorted({part.mean % 1 for part in parts} | {-part.mean % 1 for part in parts} | {Fraction(0), Fraction(1)})
    if few:
        edges = [Fraction(0), Fraction(1)]
    low, high, all_looked_at = Fraction(0), Fraction(0), not few
    for start, following in pairwise(edges):
        shapes = [part.shape(start) for part in parts]
        counts = [part.count for part in parts]
        found, every = Thresholds(list(laws), shapes, counts).total(end, FEW_POINTS if few else POINTS)
        low, high = low + (following - start) * found.low, high + (following - start) * found.high
        all_looked_at = all_looked_at and every
    return Interval(max(Fraction(0), low - few), high + rest), all_looked_at


def _end(parts: Sequence[Errors], laws: Sequence[Tails]) -> tuple[int, Fraction]:
    """(a threshold, a bound on the integral beyond): E (|X| - t)^+ <= sqrt(E X^2 Pr[|X| > t]) (Cauchy and Schwarz)."""
    reaches = [law.reach(part.mean) for part, law in zip(parts, laws, strict=True)]
    last = None if None in reaches else max(reach for reach in reaches if reach is not None)
    t, goal = 1 + isqrt(int(max(part.variance for part in parts))), Fraction(1, 1 << ctx.prec // 3)
    while True:
        rest = arb(0)
        for part, law in zip(parts, laws, strict=True):
            tail = law.outside(ceil(part.mean - t), floor(part.mean + t))
            rest += part.count * (ball(part.variance) * tail.abs_upper()).sqrt()
        bound = dyadic(rest.upper())
        if bound <= goal or (last is not None and t >= last):
            return t, bound
        t *= 2


@dataclass(frozen=True)
class Value:
    """1 - F(t), enclosed, and log(1 - F(t)); None where that is not known to be finite."""

    kept: arb
    log: arb | None


@dataclass(frozen=True)
class Thresholds:
    """The probability F(t) that some error exceeds t, for t = 0, 1, 2, ... and shapes (l_i, r_i).

    F(t) = 1 - prod Pr[l_i - t <= X_i <= r_i + t]^count_i
    """

    laws: Sequence[Tails]
    shapes: Sequence[tuple[int, int]]
    counts: Sequence[int]

    def total(self, end: int, points: int) -> tuple[Interval, bool]:
        """The sum of F(t) over t = 0 .. end - 1, enclosed, and whether every t was evaluated.

        Blocks of thresholds are bounded by their ends, and the block with the widest bounds is cut in two next.
        """
        scale, known = ctx.prec, dict[int, Value]()

        def block(a: int, b: int) -> tuple[int, int]:
            low, high = (dyadic(side) * 2**scale for side in self._block(a, b, known))
            return max(0, floor(low)), ceil(high)

        low, high = block(0, end)
        blocks = [(low - high, 0, end, low, high)] if end > 1 else []
        while blocks and len(known) < points and (high - low) * ENOUGH > high:
            _, a, b, least, most = heappop(blocks)
            low, high = low - least, high - most
            for first, last in ((a, (a + b) // 2), ((a + b) // 2, b)):
                least, most = block(first, last)
                low, high = low + least, high + most
                if last - first > 1:
                    heappush(blocks, (least - most, first, last, least, most))
        return Interval(Fraction(low, 1 << scale), Fraction(high, 1 << scale)), not blocks

    def _value(self, t: int, known: dict[int, Value]) -> Value:
        if t not in known:
            tails = [law.outside(low - t, high + t) for law, (low, high) in zip(self.laws, self.shapes, strict=True)]
            if all(tail < 1 for tail in tails):
                log = sum((n * (-tail).log1p() for tail, n in zip(tails, self.counts, strict=True)), arb(0))
                known[t] = Value(log.exp(), log)
            else:
                most = arb(1)
                for tail, n in zip(tails, self.counts, strict=True):
                    most *= (1 - tail.lower()).max(arb(0)) ** n
                known[t] = Value(most.union(arb(0)), None)
        return known[t]

    def _block(self, a: int, b: int, known: dict[int, Value]) -> tuple[arb, arb]:
        """Bounds on the sum of F over a .. b - 1: F falls, and 1 - F is log-concave."""
        one, h = self._value(a, known), b - a
        if h == 1:
            exact = 1 - one.kept if one.log is None else -one.log.expm1()
            return exact.lower(), exact.upper()
        two = self._value(b, known)
        least, most = h * one.kept.lower(), h * two.kept.upper()
        if one.log is not None and two.log is not None and (rise := two.log - one.log) > 0:
            chord = one.kept * rise.expm1() / (rise / h).expm1()
            least = least.max(chord.lower())
            up, down = (self._slope(t, known) for t in (a, b))
            if up is not None and down is not None:
                cut = min(h, max(0, floor(dyadic(((rise - h * down) / (up - down)).mid())))) if up > down else h
                lines = one.kept * (cut * up).expm1() / up.expm1()
                lines -= two.kept * (-(h - cut) * down).expm1() / down.expm1()
                most = most.min(lines.upper())
        return (h - most).lower(), (h - least).upper()

    def _slope(self, t: int, known: dict[int, Value]) -> arb | None:
        """The rise of the logarithm from t to t + 1; None where it is not told from 0."""
        here, following = self._value(t, known).log, self._value(t + 1, known).log
        return following - here if here is not None and following is not None and following - here > 0 else None
