"""Numbers in answers: as JSON, between decimals that are rounded outwards, and from there in words."""

from fractions import Fraction
from typing import Protocol, overload

from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.rational import DIGITS, between, decimal_above, decimal_below, decimals, text
from shufflecert.verify.shapes.common import Tree

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


def counted(number: int, what: str) -> str:
    """So many of something, in words: 1 bit, 2 bits."""
    return f"{number} {what}{'s' * (number != 1)}"


def rationals(value: Tree) -> tuple[Fraction, Fraction]:
    """The two ends, both finite, of a number in an answer."""
    return Fraction(value["lower"]), Fraction(value["upper"])


def bounded(value: Tree, digits: int = 5) -> str:
    """A number in words by its upper end, rounded up: "= 0.5" where both ends are equal, else "<= 0.51"."""
    low, high = decimals(*rationals(value), digits)
    return f"{'=' if low == high else '<='} {high}"


def known(value: Tree, most: str | None = None) -> str:
    """A number in words as what is known of it: "= 0.5", "<= 0.51" where the lower bound is 0, else "= [0.49, 0.51]".

    `most` is the largest that it can be at all, 1 of a probability: where the upper bound is that, ">= 0.49".
    """
    low, high = rationals(value)
    shown = interval(value)
    if low == 0 < high:
        return f"<= {decimals(high, high, 12)[1]}"
    if most is not None and high == Fraction(most) > low:
        return f">= {decimals(low, low, 12)[0]}"
    return f"= {shown}"


def interval(value: Tree, digits: int = 12) -> str:
    """Two finite ends in words, rounded outwards again to fewer digits; one number where they are equal."""
    return between(*decimals(*rationals(value), digits))
