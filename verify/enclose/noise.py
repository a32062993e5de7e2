"""Tails, points and windows of an integer law of any size, from the ratio of neighbouring probabilities.

Each law states Pr[k] / Pr[k - 1], a ratio of integers that is monotone in k. One point's probability comes from the
logarithm of the gamma function as a ball; all sums go outwards from it by the ratio, with positive terms and a
geometric bound on what is left. A tail that would be a long sum is an incomplete beta or gamma function instead, whose
cost depends neither on n nor on the variance; a window has as many terms as its law is wide, and is estimated first.
Balls are flint's `arb` at the precision in force (`verify.exact.rational.precision`).

A `Window` encloses a law point by point, in fixed point, by integers low[i] <= 2^bits Pr[i] <= high[i] and a bound on
what lies outside; windows of independent numbers are added.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, isqrt
from typing import Any

from flint import arb, ctx, fmpz, fmpz_poly

from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.rational import ball, dyadic, precision, shorten

__all__ = ["Noise", "Reflected", "ball"]
LONG = 1 << 14  # terms after which a tail is no longer summed
MAX_BYTES = 1 << 29  # of one window


class Noise(ABC):
    """The law of an integer random variable X. `low` and `high` end its support, None where it does not end.

    Exactly one of these holds for the ratio Pr[k] / Pr[k - 1]: it never increases in k (`log_concave`), or it never
    decreases on a support that starts at 0 and has no end (negative binomial with r < 1).
    """

    low: int | None = 0
    high: int | None = None
    log_concave = True

    @property
    @abstractmethod
    def mean(self) -> Fraction:
        """The mean E X, exactly."""

    @property
    @abstractmethod
    def variance(self) -> Fraction:
        """The variance of X, exactly."""

    @property
    @abstractmethod
    def mode(self) -> int:
        """A value of the largest probability."""

    @abstractmethod
    def ratio(self, k: int) -> tuple[int, int]:
        """The ratio of neighbouring probabilities: integers (a, b), b > 0, with Pr[k] / Pr[k - 1] = a / b.

        For k - 1 in the support.
        """

    @abstractmethod
    def limit(self) -> Fraction:
        """The limit of Pr[k] / Pr[k - 1] as k grows without end."""

    def limit_below(self) -> Fraction:
        """The limit of Pr[k - 1] / Pr[k] as k falls without end."""
        return Fraction(0)

    @abstractmethod
    def logarithm(self, k: int) -> arb:
        """The logarithm of Pr[X = k], for k in the support, as a ball."""

    @abstractmethod
    def upper(self, k: int) -> arb:
        """Pr[X >= k] in closed form, for any k in the support but its first point."""

    @abstractmethod
    def lower(self, k: int) -> arb:
        """Pr[X <= k] in closed form, for any k in the support but its last point."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The law as a certificate writes it (verify/CERTIFICATE.md)."""

    def holds(self, k: int) -> bool:
        """Whether k is in the support."""
        return (self.low is None or k >= self.low) and (self.high is None or k <= self.high)

    def pmf(self, k: int) -> arb:
        """Pr[X = k], as a ball."""
        if not self.holds(k):
            return arb(0)
        if self.low is not None and self.low == self.high:
            return arb(1)
        # the logarithm is a difference of terms of size k log k: as many bits more as that has
        with precision(ctx.prec + 32 + 2 * max(abs(k), self.size).bit_length()):
            exact = self.logarithm(k).exp()
        return +exact

    @property
    def size(self) -> int:
        """A number of points about as large as X is: n + 1 for n coins, the mean + 1 for other laws."""
        return int(self.mean) + 1

    def survival(self, k: int) -> arb:
        """Pr[X >= k], as a ball: a sum of tail terms, or 1 minus such a sum on the other side."""
        if self.low is not None and k <= self.low:
            return arb(1)
        if self.high is not None and k > self.high:
            return arb(0)
        return self._tail(k) if k > self.mode else 1 - self.reflected()._tail(1 - k)

    def cdf(self, k: int) -> arb:
        """Pr[X <= k], as a ball."""
        return self.reflected().survival(-k)

    def reflected(self) -> "Noise":
        """The law of -X."""
        return Reflected(self)

    def _tail(self, k: int) -> arb:
        """Pr[X >= k], k beyond the mode. What follows term j is below (term j) s / (1 - s), s >= all later ratios."""
        far = self.log_concave and self.holds(k + LONG)
        least = Fraction(*self.ratio(k + LONG)) if far else self.limit()
        if 3 * LONG * (1 - least) < 2 * ctx.prec * least:  # so many terms fall by less than 2^-prec
            return self.upper(k)
        term = self.pmf(k)
        total, small = term, arb(2) ** -(ctx.prec + 8)
        for j in range(k + 1, k + LONG):
            if self.high is not None and j > self.high:
                return total
            a, b = self.ratio(j)
            term = term * a / b
            total += term
            if j % 8 == 0 and term < total * small:
                most = max(Fraction(*self.ratio(j + 1)), self.limit())
                if most < 1 and (rest := term * ball(most / (1 - most))) < total * small * 16:
                    return total + rest.union(arb(0))
        return self.upper(k)

    def window(self, bits: int) -> "tuple[int, list[int], list[int], int]":
        """Integer bounds on the probabilities of a stretch of points, and on the rest: (first, low, high, outside).

        low[i] <= 2^bits Pr[first + i] <= high[i], and 2^bits Pr[elsewhere] <= outside. Integers by the directed
        recurrence from the mode outwards, until the rest is below 2^guard units; the guard keeps the roundings, one
        unit each, small beside a term. Raises TooMuchWork for a window of over `MAX_BYTES`.
        """
        self._check_window(bits)
        guard = 16 + 2 * max(isqrt(int(self.variance)) + 1, int(1 / (1 - self.limit()))).bit_length()
        with precision(bits + 32):
            peak = self.pmf(self.mode) * (arb(2) ** bits)
            ends = floor(dyadic(peak.lower())), ceil(dyadic(peak.upper()))
        up_low, up_high, above = _walk(self, self.mode, *ends, guard)
        down_low, down_high, below = _walk(self.reflected(), -self.mode, *ends, guard)
        first = self.mode - len(down_low)
        low, high = [*reversed(down_low), ends[0], *up_low], [*reversed(down_high), ends[1], *up_high]
        return first, low, high, above + below

    def _check_window(self, bits: int) -> None:
        """A law of variance V falls to 2^-bits at about sqrt(2 V bits ln 2), or as the limits of its ratios say."""
        terms = 2 * isqrt(int(self.variance) * bits * 7 // 5) + 1
        terms += sum(int(bits * 7 / (10 * (1 - s))) for s in (self.limit(), self.limit_below()) if s)
        if self.low is not None and self.high is not None:
            terms = min(terms, self.high - self.low + 1)
        if (size := terms * (bits // 2 + 200)) > MAX_BYTES:
            law = f"{shorten(str(self.to_json()), 80)}: a window of about {terms} terms of {bits} bits"
            raise TooMuchWork(f"{law}, {size >> 20} MiB: expected at most {MAX_BYTES >> 20} MiB, a smaller variance")


def _walk(noise: Noise, start: int, low: int, high: int, guard: int) -> tuple[list[int], list[int], int]:
    """The bounds beyond `start`, in order, and an upper bound on all that is further out, in the same units."""
    lows: list[int] = []
    highs: list[int] = []
    k, last, ratio = start, noise.high, noise.ratio
    while True:
        k += 1
        if last is not None and k > last:
            return lows, highs, 0
        a, b = ratio(k)
        low, high = low * a // b, -(-high * a // b)
        if high >> guard == 0:
            most = max(Fraction(*ratio(k + 1)), noise.limit())
            if most < 1 and (rest := -int(-high // (1 - most))) >> guard == 0:
                return lows, highs, rest
        lows.append(low)
        highs.append(high)


@dataclass(frozen=True)
class Reflected(Noise):
    """The law of -X, for X of the law given."""

    law: Noise

    @property
    def low(self) -> int | None:  # type: ignore[override]
        """Minus the upper bound of the support of X."""
        return None if self.law.high is None else -self.law.high

    @property
    def high(self) -> int | None:  # type: ignore[override]
        """Minus the lower bound of the support of X."""
        return None if self.law.low is None else -self.law.low

    @property
    def log_concave(self) -> bool:  # type: ignore[override]
        """Whether the law of X is log-concave."""
        return self.law.log_concave

    @property
    def mean(self) -> Fraction:
        """The mean, -E X."""
        return -self.law.mean

    @property
    def variance(self) -> Fraction:
        """The variance, that of X."""
        return self.law.variance

    @property
    def mode(self) -> int:
        """A value of the largest probability: minus that of X."""
        return -self.law.mode

    @property
    def size(self) -> int:
        """The size of X."""
        return self.law.size

    def ratio(self, k: int) -> tuple[int, int]:
        """Pr[k] / Pr[k - 1] as two integers: the inverse ratio of X at 1 - k."""
        if (last := self.high) is not None and k > last:
            return 0, 1
        a, b = self.law.ratio(1 - k)
        return b, a

    def limit(self) -> Fraction:
        """The limit of Pr[k] / Pr[k - 1] as k grows without end."""
        return self.law.limit_below()

    def limit_below(self) -> Fraction:
        """The limit of Pr[k - 1] / Pr[k] as k falls without end."""
        return self.law.limit()

    def logarithm(self, k: int) -> arb:
        """The logarithm of Pr[X = -k]."""
        return self.law.logarithm(-k)

    def upper(self, k: int) -> arb:
        """Pr[-X >= k] = Pr[X <= -k]."""
        return self.law.lower(-k)

    def lower(self, k: int) -> arb:
        """Pr[-X <= k] = Pr[X >= -k]."""
        return self.law.upper(-k)

    def reflected(self) -> Noise:
        """The law of X, where this is the law of -X."""
        return self.law

    def to_json(self) -> dict[str, Any]:
        """The law as a certificate writes it: {"reflected": the law of X}."""
        return {"reflected": self.law.to_json()}


class Symmetric(Noise):
    """A noise law with Pr[X = k] = Pr[X = -k], most likely at 0. A subclass says the rest."""

    @property
    def mean(self) -> Fraction:
        """The mean 0."""
        return Fraction(0)

    @property
    def mode(self) -> int:
        """The most likely value, 0."""
        return 0

    def lower(self, k: int) -> arb:
        """Pr[X <= k] = Pr[X >= -k]."""
        return self.upper(-k)

    def reflected(self) -> Noise:
        """The law itself."""
        return self


@dataclass(frozen=True)
class Window:
    """An integer law enclosed on a stretch of points: low[i] <= 2^bits Pr[first + i] <= high[i].

    2^bits Pr[elsewhere] <= outside. `begins` and `ends`: no mass lies before the window, none lies after it.
    """

    first: int
    low: Sequence[fmpz]
    high: Sequence[fmpz]
    outside: int
    bits: int
    begins: bool = False
    ends: bool = False

    @classmethod
    def of(cls, noise: Noise, bits: int) -> "Window":
        """The window of a noise law at a precision in bits. Raises TooMuchWork where it would be too long."""
        first, low, high, outside = noise.window(bits)
        begins, ends = first == noise.low, first + len(low) - 1 == noise.high
        return cls(first, [fmpz(w) for w in low], [fmpz(w) for w in high], outside, bits, begins, ends)

    @classmethod
    def of_finite(cls, law: Mapping[int, Fraction], bits: int) -> "Window":
        """The window of a finite law, given as {point: probability}; nothing lies outside."""
        first, last = min(law), max(law)
        scaled = [law.get(k, Fraction(0)) * 2**bits for k in range(first, last + 1)]
        low, high = ([fmpz(rounded(w)) for w in scaled] for rounded in (floor, ceil))
        return cls(first, low, high, 0, bits)

    def copies(self, n: int) -> "Window":
        """The law of a sum of n >= 1 independent copies, by squaring; also where the masses sum to less than 1."""
        total = self
        for bit in bin(n)[3:]:
            total = total.plus(total)
            if bit == "1":
                total = total.plus(self)
        return total

    def beyond(self, low: int, high: int) -> tuple[Fraction, Fraction]:
        """Rational ends around Pr[X < low or X > high], for low <= high + 1."""
        start = min(max(0, low - self.first), len(self.low))
        end = max(start, min(len(self.low), high - self.first + 1))
        least, most = (sum(side[:start], fmpz(0)) + sum(side[end:], fmpz(0)) for side in (self.low, self.high))
        scale = 1 << self.bits
        return Fraction(int(least), scale), min(Fraction(1), Fraction(int(most) + self.outside, scale))

    def plus(self, other: "Window") -> "Window":
        """The law of X + Y for independent X and Y: two products of polynomials, rounded outwards.

        `high` bounds what comes from inside both windows; what comes from outside either, `outside` in all, may be at
        any point.
        """
        low = [c >> self.bits for c in (fmpz_poly(list(self.low)) * fmpz_poly(list(other.low))).coeffs()]
        high = [-(-c >> self.bits) for c in (fmpz_poly(list(self.high)) * fmpz_poly(list(other.high))).coeffs()]
        low += [fmpz(0)] * (len(high) - len(low))
        begins, ends = self.begins and other.begins, self.ends and other.ends
        outside = self.outside + other.outside
        return Window(self.first + other.first, low, high, outside, self.bits, begins, ends)._trimmed()

    def pointwise(self) -> "Window":
        """The law of a sum with bounds that hold at each point: what comes from outside may be there (see `plus`)."""
        return replace(self, high=[weight + self.outside for weight in self.high])

    def _trimmed(self) -> "Window":
        """The window without ends so thin that all of them together hardly count."""
        thin = fmpz(1) << max(8, self.bits // 8 - 8)
        start, end = 0, len(self.high)
        while start < end and self.high[start] < thin:
            start += 1
        while end > start and self.high[end - 1] < thin:
            end -= 1
        if not start and end == len(self.high):
            return self
        lost = int(sum(self.high[:start], fmpz(0)) + sum(self.high[end:], fmpz(0)))
        begins, ends = self.begins and start == 0, self.ends and end == len(self.high)
        low, high = self.low[start:end], self.high[start:end]
        return Window(self.first + start, low, high, self.outside + lost, self.bits, begins, ends)

    def on(self, first: int, last: int) -> tuple[list[fmpz], list[fmpz]]:
        """Lower and upper bounds on Pr[X = k], first <= k <= last; beyond the window 0 and all that it leaves out."""
        before, after = max(0, self.first - first), max(0, last - self.first - len(self.low) + 1)
        zero, most = fmpz(0), fmpz(self.outside)
        return (
            [zero] * before + list(self.low) + [zero] * after,
            [zero if self.begins else most] * before + list(self.high) + [zero if self.ends else most] * after,
        )
