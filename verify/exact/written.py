"""Exact values as JSON: numbers between decimals that are rounded outwards, neighbours and participation."""

from fractions import Fraction
from typing import Any, Protocol, overload

from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.randomizer import Presence
from shufflecert.verify.exact.rational import DIGITS, decimal_above, decimal_below, text

Tree = dict[str, Any]
INFINITE = "inf"


class Enclosed(Protocol):
    """A number that is known between two ends: an Interval, an Eps, a Delta."""

    def enclosure(self, digits: int = DIGITS) -> tuple[str, str]:
        """Outward decimals (lower, upper) of `digits` significant digits."""


@overload
def ends(value: Enclosed) -> Tree: ...
@overload
def ends(value: None) -> None: ...
def ends(value: Enclosed | None) -> Tree | None:
    """A number as JSON, between two decimals; None for one that is not known."""
    if value is None:
        return None
    lower, upper = value.enclosure()
    return {"lower": lower, "upper": upper}


def ends_of(low: Fraction, high: Fraction | None) -> Tree:
    """A number between two exact ends as JSON; an upper end of None is infinite."""
    return {"lower": decimal_below(low), "upper": INFINITE if high is None else decimal_above(high)}


def exactly(number: Fraction) -> Tree:
    """An exact number as JSON, between two decimals."""
    return ends_of(number, number)


def delta_value(value: Enclosed) -> Tree:
    """A value of delta as JSON: its ends, and `exact` {A, B} where it is A - B e^eps."""
    exact = {"A": text(value.A), "B": text(value.B)} if isinstance(value, Delta) else None
    return {**ends(value), "exact": exact}


def eps_value(eps: Eps | None, interval: tuple[Fraction, Fraction | None] | None = None) -> Tree:
    """A value of eps as JSON: exact, as the logarithm of a rational where it is one; else between two ends.

    Without either there is no finite one.
    """
    if eps is not None:
        return {**ends(eps), "exact": str(eps) if eps.power is None else f"log({text(eps.power)})"}
    if interval is not None:
        return {**ends_of(*interval), "exact": None}
    return {"lower": INFINITE, "upper": INFINITE, "exact": INFINITE}


def presence_tree(who: Presence) -> Tree:
    """Neighbours and participation, as JSON: what differs from everybody's being there and honest."""
    reference = {z: text(weight) for z, weight in who.reference}
    named = {"reference": reference or None, "honest": who.honest}
    share = {} if who.take_part == 1 else {"take_part": text(who.take_part)}
    return {name: value for name, value in named.items() if value is not None} | share
