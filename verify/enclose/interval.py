"""Numbers known to lie in an interval [low, high] with rational ends, which more bits of precision make narrower.

What is enclosed says how: a function of a working precision in bits, which returns rational ends at it.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from flint import arb

from shufflecert.verify.errors import BadInput, TooMuchWork, Undecided
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.rational import DIGITS, ball, between, decimals, dyadic, precision

FIRST_BITS, LAST_BITS = 128, 1 << 14
NEGLIGIBLE = 400_000  # bits: what is below 2^-NEGLIGIBLE (10^-120411) needs not be told from 0
Ends = tuple[Fraction, Fraction]


@dataclass(frozen=True)
class Interval:
    """A number in [low, high]; exact where they are equal. Prints as outward decimals.

    Both bounds are rational, and printed with twelve digits:

        >>> print(Interval(Fraction(1, 3), Fraction(2, 3)))
        [0.333333333333, 0.666666666667]
    """

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, value: "Delta | Interval", digits: int = DIGITS) -> "Interval":
        """An interval as it is; around an exact value its outward decimals, which may be much shorter."""
        return value if isinstance(value, Interval) else cls(*map(Fraction, value.enclosure(digits)))

    def enclosure(self, digits: int = DIGITS) -> tuple[str, str]:
        """Outward decimals (lower, upper) of `digits` significant digits."""
        return decimals(self.low, self.high, digits)

    @property
    def relative_width(self) -> Fraction:
        """The width relative to the upper bound, (high - low) / high, and 0 for [0, 0]."""
        return (self.high - self.low) / self.high if self.high else Fraction(0)

    @property
    def capped(self) -> "Interval":
        """The interval of a probability, which is at most 1."""
        return Interval(min(self.low, Fraction(1)), min(self.high, Fraction(1)))

    def meet(self, other: "Interval") -> "Interval":
        """Where a number is that lies in both."""
        return Interval(max(self.low, other.low), min(self.high, other.high))

    def against(self, bound: Fraction) -> int:
        """Compare the number with `bound`: -1 where it is at most `bound`, 1 where it is above.

        Raises Undecided where `bound` is inside the interval.
        """
        if self.high <= bound or self.low > bound:
            return -1 if self.high <= bound else 1
        lower, upper = self.enclosure(12)
        raise Undecided(f"the value lies in [{lower}, {upper}], and the bound as well")

    def __str__(self) -> str:
        return between(*self.enclosure(12))


class EnclosedPair(Protocol):
    """A pair of laws (P, Q) whose divergence can be enclosed at any precision, and that can be turned round.

    delta of P against Q says nothing about delta of Q against P: whoever needs both asks the pair and its reverse.
    Pairs with outcomes that can be listed have `atoms` as well (`verify.pairs.windowed.WindowPair`).
    """

    @property
    def whole(self) -> bool:
        """Whether P and Q have mass 1, and `divergence` encloses their whole sum.

        False for what only bounds a pair of datasets from below (one event, a part of the outcomes): then the upper
        ends of `divergence` bound nothing of that pair.
        """

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around delta(eps) = sum max(P - e^eps Q, 0), closer together for more bits."""

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0), which delta(eps) exceeds for every eps."""

    def reversed(self) -> "EnclosedPair":
        """The same pair in the other direction, (Q, P), exactly."""


class ToDigits(EnclosedPair):
    """A pair whose divergence, or what bounds it, is enclosed anew for every number of digits, which takes long."""

    whole = True

    @abstractmethod
    def enclosure(self, eps: Eps, digits: int, enough: Fraction = Fraction(0)) -> Interval:
        """delta(eps), or the bound on it, to about so many digits; up to `enough` any upper bound will do."""

    @abstractmethod
    def reversed(self) -> "ToDigits":
        """The pair in the other direction, (Q, P)."""

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around delta(eps), about 2^-bits apart."""
        value = self.enclosure(eps, bits * 3 // 10)
        return value.low, value.high


def reverse(pair: EnclosedPair) -> EnclosedPair:
    """The pair in the other direction, (Q, P).

    Raises BadInput for a user's own pair that does not say how it is turned.
    """
    turn: Callable[[], EnclosedPair] | None = getattr(pair, "reversed", None)
    if turn is None:
        raise BadInput(f"{type(pair).__name__}: no other direction: expected a method reversed() that gives (Q, P)")
    return turn()


def is_whole(pair: object) -> bool:
    """Whether P and Q have mass 1, as `pair.whole` says; False for a user's own pair that does not say."""
    return bool(getattr(pair, "whole", False))


def refine(
    ends: Callable[[int], Ends],
    digits: int = DIGITS,
    last_bits: int = LAST_BITS,
    first_bits: int = FIRST_BITS,
    enough: Fraction = Fraction(0),
) -> Interval:
    """Enclose a number more and more narrowly, by raising the bits from `first_bits` on, until that is enough.

    Enough is a relative width of at most 10^-digits, a number that is negligible or at most `enough`, `last_bits`
    spent, or more bits being too much work: then `ends` raises TooMuchWork.
    """
    bits, found, enough = min(first_bits, last_bits), None, max(enough, Fraction(1, 1 << NEGLIGIBLE))
    while True:
        try:
            low, high = ends(bits)
        except TooMuchWork:
            if found is None:
                raise
            return found
        found = Interval(max(low, Fraction(0)), high)
        excess = (high - found.low) * 10**digits / high if high else Fraction(0)
        if excess <= 1 or high <= enough or bits >= last_bits:
            return found
        missing = int(excess).bit_length() + 16 if found.low else bits
        rounded = -(-(bits + max(missing, bits // 4)) // 64) * 64  # few different precisions: windows are kept
        bits = min(2 * bits, rounded, last_bits)


def largest(values: list[Interval]) -> Interval:
    """An interval around the largest of some numbers >= 0 (0 if there are none)."""
    zero = Fraction(0)
    return Interval(max((v.low for v in values), default=zero), max((v.high for v in values), default=zero))


def scaled(number: Interval, factor: Fraction | int) -> Interval:
    """An interval around a number >= 0 times an exact factor >= 0."""
    return Interval(number.low * factor, number.high * factor)


def quotient(one: Interval, other: Interval) -> Interval | None:
    """An interval around a number >= 0 over another; None where the other one may be 0."""
    return Interval(one.low / other.high, one.high / other.low) if other.low else None


def exactly(number: Fraction | int) -> Interval:
    """The interval of width 0 that holds an exact number."""
    return Interval(Fraction(number), Fraction(number))


def root_of(square: Fraction | Interval) -> Interval:
    """An interval around the square root of a number >= 0."""
    value = square if isinstance(square, Interval) else exactly(square)

    def ends(bits: int) -> Ends:
        with precision(bits + 32):
            low, high = ball(value.low).sqrt(), ball(value.high).sqrt()
            return dyadic(low.lower()), dyadic(high.upper())

    return refine(ends) if value.high else value


def enclose(value: Callable[[], arb]) -> Interval:
    """An interval around a number >= 0, from a function that computes it as a ball at the precision in force.

    One below 2^-NEGLIGIBLE is enclosed by 0 and that: its digits would fill the memory.
    """

    def ends(bits: int) -> Ends:
        with precision(bits + 32):
            result = value()
            if result < arb(2) ** -NEGLIGIBLE and not result.is_zero():
                return Fraction(0), Fraction(1, 1 << NEGLIGIBLE)
            return dyadic(result.lower()), dyadic(result.upper())

    return refine(ends)


def chance(value: Callable[[], arb]) -> Interval:
    """An interval around a probability, computed as for `enclose`; its upper bound is at most 1."""
    return enclose(value).capped
