"""The direction in which a parameter adds noise, and the grid of its values that calibration searches."""

from collections.abc import Collection
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import decimals, shorten

FINEST, LEAST = Fraction(1, 1 << 64), Fraction(1, 1 << 256)  # steps: where none is asked for; that can be asked for
LONGEST = 80  # digits of a decimal that is written in full


@dataclass(frozen=True)
class Order:
    """How a parameter sets the noise: between `low` and `high` larger values are more noise; with `falling` they are
    less.

    `high` is None where there is no end. `open_ends`: `low` and `high` themselves are no values. `whole`: values are
    integers. `lemma` says why more noise never has a larger delta(eps), for every eps; None where that is not proved,
    and may be false. `unless` names parameters that, where they are given, leave it unproved.
    """

    low: Fraction
    high: Fraction | None
    falling: bool = False
    open_ends: bool = False
    whole: bool = False
    lemma: str | None = None
    unless: tuple[str, ...] = ()

    def among(self, given: Collection[str]) -> "Order":
        """The order where these parameters are given: without its lemma, if they take it away."""
        return self if set(given).isdisjoint(self.unless) else replace(self, lemma=None)

    @property
    def finest(self) -> Fraction:
        """The step of the grid where none is asked for: 1 for integers, else 2^-64."""
        return Fraction(1) if self.whole else FINEST


@dataclass(frozen=True)
class Grid:
    """The values of a parameter that are tried: multiples of `step`, by level; a higher level is more noise.

    `highest` is None where there is no end.
    """

    order: Order
    step: Fraction
    lowest: int
    highest: int | None

    @classmethod
    def of(
        cls, order: Order, name: str, step: Fraction | None = None, within: tuple[Fraction, Fraction] | None = None
    ) -> "Grid":
        """The multiples of `step` between the order's ends, and in `within`. Raises BadInput where there are none."""
        unit = order.finest if step is None else step
        if unit <= 0 or (order.whole and unit.denominator > 1):
            raise BadInput(f"step: {shorten(unit)}: expected a positive {'integer' if order.whole else 'rational'}")
        if unit < LEAST:  # a search by balls of so many bits would go on bit by bit
            raise BadInput(f"step: {shorten(unit)}: expected at least 2^-256")
        low, high = order.low, order.high
        least, most = ceil(low / unit), None if high is None else floor(high / unit)
        if order.open_ends:
            least += least * unit == low
            most = None if most is None or high is None else most - (most * unit == high)
        if within is not None:
            start, end = within
            if start > end:
                raise BadInput(f"range: {shorten(start)}:{shorten(end)} is reversed: expected LOW:HIGH")
            if start < low or (high is not None and end > high):
                raise BadInput(f"range: {shorten(start)}:{shorten(end)}: {_domain(order, name)}")
            least = max(least, ceil(start / unit))
            most = floor(end / unit) if most is None else min(most, floor(end / unit))
        if most is not None and least > most:
            raise BadInput(f"{name}: no multiple of {shorten(unit)} in the range: expected a smaller step or more room")
        if order.falling:
            if most is None:
                raise BadInput(f"{name}: without an end: expected a range LOW:HIGH")
            return cls(order, unit, -most, -least)
        return cls(order, unit, least, most)

    def value(self, level: int) -> Fraction:
        """The parameter's value at a level."""
        return abs(level) * self.step if self.order.falling else level * self.step

    def decimal(self, value: Fraction) -> str:
        """A value in decimals: exactly where that takes few digits, else to 30 digits, rounded to more noise."""
        lower, upper = decimals(value, value, LONGEST)
        if lower == upper:
            return lower
        return decimals(value, value)[0 if self.order.falling else 1]

    @property
    def quiet(self) -> int:
        """The level of no noise, from which distances are measured: at or below the lowest."""
        end = self.order.high if self.order.falling else self.order.low
        assert end is not None
        level = -ceil(end / self.step) if self.order.falling else floor(end / self.step)
        return min(level, self.lowest)

    @property
    def size(self) -> int | None:
        """The number of values; None where there is no end."""
        return None if self.highest is None else self.highest - self.lowest + 1


def _domain(order: Order, name: str) -> str:
    end = "" if order.high is None else f" and at most {shorten(order.high)}"
    return (
        f"expected {name} of at least {shorten(order.low)}{end}, where {'less' if order.falling else 'more'} is noise"
    )
