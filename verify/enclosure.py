"""Values that are enclosed and not exact: [low, high] with rational ends, made narrower until they serve.

What is enclosed says how: a function of a working precision in bits, which returns rational ends at it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from verify.errors import TooMuchWork, Undecided
from verify.number import DIGITS, Eps, decimals

FIRST_BITS, LAST_BITS = 128, 1 << 14
NEGLIGIBLE = 400_000  # bits: what is below 2^-NEGLIGIBLE (10^-120411) needs not be told from 0
Ends = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Enclosure:
    """A number in [low, high]; exact where they are equal. Prints as outward decimals."""

    low: Fraction
    high: Fraction

    def enclosure(self, digits: int = DIGITS) -> tuple[str, str]:
        """Outward decimals (lower, upper) of `digits` significant digits."""
        return decimals(self.low, self.high, digits)

    @property
    def relative_width(self) -> Fraction:
        """(high - low) / high, and 0 for [0, 0]."""
        return (self.high - self.low) / self.high if self.high else Fraction(0)

    def against(self, bound: Fraction) -> int:
        """-1 where the number is at most `bound`, 1 where it is above. Raises Undecided where `bound` is inside."""
        if self.high <= bound or self.low > bound:
            return -1 if self.high <= bound else 1
        lower, upper = self.enclosure(12)
        raise Undecided(f"the value lies in [{lower}, {upper}], and the bound as well")

    def __str__(self) -> str:
        lower, upper = self.enclosure(12)
        return lower if lower == upper else f"[{lower}, {upper}]"


class EnclosedPair(Protocol):
    """A pair of laws (P, Q) whose divergence can be enclosed at any precision."""

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Ends around sum max(P - e^eps Q, 0), narrower for more bits."""

    def never_returns(self) -> Fraction:
        """A lower bound on P(Q = 0), which delta(eps) exceeds for every eps."""


def refine(
    ends: Callable[[int], Ends],
    digits: int = DIGITS,
    last_bits: int = LAST_BITS,
    first_bits: int = FIRST_BITS,
    enough: Fraction = Fraction(0),
) -> Enclosure:
    """Raise the bits, from `first_bits`, until the relative width is at most 10^-digits, or the number negligible or at
    most `enough`, or `last_bits` are spent, or more of them too much work: `ends` raises TooMuchWork.
    """
    bits, found, enough = min(first_bits, last_bits), None, max(enough, Fraction(1, 1 << NEGLIGIBLE))
    while True:
        try:
            low, high = ends(bits)
        except TooMuchWork:
            if found is None:
                raise
            return found
        found = Enclosure(max(low, Fraction(0)), high)
        excess = (high - found.low) * 10**digits / high if high else Fraction(0)
        if excess <= 1 or high <= enough or bits >= last_bits:
            return found
        missing = int(excess).bit_length() + 16 if found.low else bits
        rounded = -(-(bits + max(missing, bits // 4)) // 64) * 64  # few different precisions: windows are kept
        bits = min(2 * bits, rounded, last_bits)


def largest(values: list[Enclosure]) -> Enclosure:
    """The enclosure of the largest of some numbers >= 0 (0 of none)."""
    zero = Fraction(0)
    return Enclosure(max((v.low for v in values), default=zero), max((v.high for v in values), default=zero))
