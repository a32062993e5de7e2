"""Grids of eps as texts name them, and the ends of values as they are printed.

A privacy profile D(t), t = e^eps >= 1, is the largest delta(eps) = sum_y max(P(y) - t Q(y), 0) over the pairs (P, Q) of
neighbours, which hold both directions. As each pair's does, D falls from D(1) <= 1, is convex, and loses at most t' - t
from t to t'. `verify.bound.bound.Bound.curve` finds it at many eps at once.
"""

from fractions import Fraction

from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.rational import natural, rational, shorten

MAX_POINTS = 10_000


def eps_grid(text: str, where: str = "eps") -> list[Eps]:
    """The values of eps that a text names: "0:4:81", the ends of even steps from 0 to 4, or a list "1/2,1,log(3)".

    Rising. Raises BadInput.
    """
    if ":" in text:
        return [Eps.of(number, where) for number in even_grid(text, where)]
    return sorted({Eps.of(item, where) for item in text.split(",")})


def number_grid(text: str, where: str) -> list[Fraction]:
    """The rationals that a text names: a grid "0:1:41" or a list "1/10,1/2"; rising. Raises BadInput."""
    return even_grid(text, where) if ":" in text else sorted({rational(item, where) for item in text.split(",")})


def even_grid(text: str, where: str) -> list[Fraction]:
    """The evenly spaced rationals that LOW:HIGH:COUNT names, both ends included.

    Raises BadInput unless LOW < HIGH, COUNT >= 2.
    """
    parts = text.split(":")
    if len(parts) != 3:
        raise BadInput(f"{where}: {shorten(text)!r}: expected LOW:HIGH:COUNT or a list with commas")
    low, high = (rational(part, f"{where}, {name}") for part, name in zip(parts, ("LOW", "HIGH"), strict=False))
    if low >= high:
        raise BadInput(f"{where}: {shorten(text)!r}: expected LOW:HIGH:COUNT with LOW below HIGH")
    count = natural(parts[2], f"{where}, COUNT", least=2, most=MAX_POINTS)
    return [low + (high - low) * i / (count - 1) for i in range(count)]


def short_ends(value: Delta | Interval) -> Interval:
    """An interval around a value whose ends are its printed digits, rounded outwards: exact values may be long."""
    lower, upper = value.enclosure()
    return Interval(max(Fraction(lower), Fraction(0)), min(Fraction(upper), Fraction(1)))
