"""Numbers that a function's draws meet: read exactly, or refused."""

from decimal import Decimal
from fractions import Fraction
from numbers import Complex, Rational, Real
from typing import Any

from shufflecert.verify.errors import BadInput


class Waiting:
    """A number, or an array of them, that is not yet there."""

    __slots__ = ()


class NotFollowed(BadInput, AttributeError):
    """The function does with its source what no exact law can follow. All are remembered: a function may catch them."""

    def __init__(self, said: str) -> None:
        super().__init__(said)
        REFUSED.append(said)


REFUSED: list[str] = []  # in the run of a function that is under way, cleared before it begins


def exact(value: Any) -> Fraction:
    """A number of the function's, as a rational: a float as the decimal that it is written as, in its own precision."""
    if not is_number(value):
        raise NotFollowed(f"a draw of random() meets {shown(value)}: expected a finite number")
    if isinstance(value, Rational):
        return Fraction(int(value.numerator), int(value.denominator))  # numpy's integers would overflow
    if isinstance(value, Decimal) and value.is_finite():
        return Fraction(value)
    try:
        written = str(value) if type(value).__module__ == "numpy" else repr(float(value))
        return Fraction(written if written not in ("True", "False") else int(value))
    except (TypeError, ValueError, OverflowError):
        raise NotFollowed(f"a draw of random() meets {shown(value)}: expected a finite number") from None


def is_number(value: Any) -> bool:
    """Whether it is one real number: Python's, numpy's, or anything that can be turned into a float."""
    if isinstance(value, Waiting):
        return False
    if isinstance(value, Rational | Decimal | float):
        return True
    if isinstance(value, Complex) and not isinstance(value, Real):
        return False
    return hasattr(value, "__float__") and not hasattr(value, "__len__")


def sign(number: Any) -> int:
    """The sign of a number: -1, 0 or 1. Of what is no number, of which nothing is known, 1."""
    return int(number > 0) - int(number < 0) if is_number(number) else 1


def shown(value: Any) -> str:
    """Something of the function's, in few characters."""
    return f"a {type(value).__name__}" if isinstance(value, Waiting) else ascii(value)[:40]
