"""Integer laws enclosed point by point on a window, in fixed point, and their sums.

A law is enclosed by integers low[i] <= 2^bits Pr[i] <= high[i] and a bound on what lies outside.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from flint import fmpz, fmpz_poly

from verify.enclose.noise_laws import Noise


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
