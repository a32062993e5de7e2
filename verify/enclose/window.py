"""Integer laws enclosed point by point on a window, in fixed point, and their sums.

A law is enclosed by integers low[i] <= 2^bits Pr[i] <= high[i] and a bound on what lies outside.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from flint import fmpz, fmpz_poly

from shufflecert.verify.enclose.noise_laws import Noise


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
