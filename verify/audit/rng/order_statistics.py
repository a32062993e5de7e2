"""Uniform draws that are never numbers: what is known of one is the interval it lies in and its order among others.

Ideal draws are uniform on [0, 1). Deployed ones are what a computer has: k 2^-53, k uniform on 0 .. 2^53 - 1. Draws
that were compared with each other share a `Cell`: m places in increasing order in an interval. Given all answers so far
the cells are independent, and the places of one are m independent draws from its interval, all different, in order:

    asked where t divides them          j below with weight C(m, j) (t - low)^j (high - t)^(m - j),
                                        deployed C(t - low, j) C(high - t, m - j)
    one cell merged with another        every interleaving of the m1 + m2 places with equal weight, and deployed, where
                                        places may coincide, C(N, d) for one with d different places among N points

which are the conditional laws of order statistics (for deployed draws: of subsets of N points).
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import comb, lcm
from typing import Protocol

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import text

LATTICE = 2**53
MOST_ORDERS = 10_000  # interleavings of two cells
Position = Fraction | int


class Path(Protocol):
    """What answers the questions of a source: one of `count`, with the integer weights of `weigh`, or equal ones."""

    def choose(self, question: Hashable, count: int, weigh: Callable[[], Sequence[int]] | None = None) -> int: ...


@dataclass(eq=False, slots=True)
class Place:
    """Where one draw is, or several that coincide."""

    cell: "Cell"
    joined: "Place | None" = None  # the place that it turned out to be


@dataclass(eq=False, slots=True)
class Cell:
    """Places in increasing order in [low, high): of the unit interval, or of the integers where `points`."""

    low: Position
    high: Position
    places: list[Place]
    points: bool
    whole: bool = False  # one place that nothing is known of


def fresh(points: int | None) -> Place:
    """A new draw: from the unit interval, or from 0 .. points - 1."""
    cell = Cell(0, 1 if points is None else points, [], points is not None, True)
    place = Place(cell)
    cell.places.append(place)
    return place


def place_of(place: Place) -> Place:
    while place.joined is not None:
        place = place.joined
    return place


def below(path: Path, place: Place, t: Position, inside: bool = False) -> bool:
    """Whether a draw is less than t: known, or asked; `inside` where t is known to divide all that a draw can be."""
    if place.joined is not None:
        place = place_of(place)
    cell = place.cell
    if not (inside and cell.whole):
        if t <= cell.low:
            return False
        if t >= cell.high:
            return True
    many = len(cell.places)
    if many == 1:
        cell.whole = False
        if path.choose(("below", t), 2, lambda: _shares(cell, t)):
            cell.high = t
            return True
        cell.low = t
        return False
    j = path.choose(("divided", many, t), many + 1, lambda: _divisions(cell, t))
    upper = Cell(t, cell.high, cell.places[j:], cell.points)
    for other in upper.places:
        other.cell = upper
    cell.high, cell.places = t, cell.places[:j]
    return place.cell is cell


def _shares(cell: Cell, t: Position) -> tuple[int, int]:
    """Weights of "not below", "below"."""
    under, over = t - cell.low, cell.high - t
    if isinstance(under, int) and isinstance(over, int):
        return over, under
    unit = lcm(Fraction(under).denominator, Fraction(over).denominator)
    return int(over * unit), int(under * unit)


def _divisions(cell: Cell, t: Position) -> list[int]:
    (over, under), m = _shares(cell, t), len(cell.places)
    if cell.points:
        return [comb(under, j) * comb(over, m - j) for j in range(m + 1)]
    return [comb(m, j) * under**j * over ** (m - j) for j in range(m + 1)]


def order(path: Path, one: Place, two: Place) -> int:
    """-1, 0 or 1: whether one draw is less than, equal to or greater than another (equal: deployed draws only)."""
    one, two = place_of(one), place_of(two)
    if one.cell is not two.cell:
        for place, other in ((one, two), (two, one)):  # after this they are in one interval, or apart
            for t in (other.cell.low, other.cell.high):
                below(path, place, t)
        if one.cell.high <= two.cell.low:
            return -1
        if two.cell.high <= one.cell.low:
            return 1
        _merge(path, one.cell, two.cell)
        one, two = place_of(one), place_of(two)
    i, j = one.cell.places.index(one), one.cell.places.index(two)
    return (i > j) - (i < j)


def _merge(path: Path, one: Cell, two: Cell) -> None:
    """Both are on one interval, and independent: their places in one order from now on."""
    assert (one.low, one.high) == (two.low, two.high)
    one.whole = False
    patterns = list(_interleavings(len(one.places), len(two.places), one.points))
    size = int(one.high) - int(one.low) if one.points else None
    chosen = path.choose(
        ("order", len(one.places), len(two.places)),
        len(patterns),
        None if size is None else lambda: [comb(size, len(pattern)) for pattern in patterns],
    )
    first, second, places = iter(one.places), iter(two.places), list[Place]()
    for step in patterns[chosen]:
        place = next(first if step != "2" else second)
        if step == "=":
            next(second).joined = place
        place.cell = one
        places.append(place)
    one.places = places


def _interleavings(a: int, b: int, ties: bool) -> Iterator[str]:
    """Every order of a places and b others, "1" and "2" at a time; "=" where two coincide."""
    if comb(a + b, a) > MOST_ORDERS:
        raise BadInput(f"{a + b} draws of random() compared with each other: expected fewer, {MOST_ORDERS} orders")
    if not a or not b:
        yield "1" * a + "2" * b
        return
    for step, less_a, less_b in (("1", 1, 0), ("2", 0, 1), *((("=", 1, 1),) if ties else ())):
        for rest in _interleavings(a - less_a, b - less_b, ties):
            yield step + rest


def on_path(asked: Sequence[tuple[Sequence[object], int]], mass: Fraction) -> str:
    """Where something went wrong: the questions of a path with their answers, in words, and its probability."""
    steps = [described(question, answer) for question, answer in asked]
    shown = ", ".join(steps[:6]) + (f", ... ({len(steps)} answers)" if len(steps) > 6 else "")
    return f"on the path [{shown}] of probability {short(mass)}" if steps else "before it asks rng anything"


def short(p: Fraction) -> str:
    """A probability, exactly where it is short."""
    return text(p) if p.denominator < 10**12 else f"about 2^-{p.denominator.bit_length() - p.numerator.bit_length()}"


def described(question: Sequence[object], answer: int) -> str:
    """An answer in words, for the report of what went wrong on a path."""
    kind, *told = question
    if kind == "below":
        return f"random() {'<' if answer else '>='} {told[0]}"
    if kind == "divided":
        return f"{answer} of {told[0]} draws < {told[1]}"
    if kind == "order":
        return f"draws in order {answer}"
    if kind == "geometric":
        return "geometric: success" if answer else "geometric: failure"
    return f"{kind} {told[0]}: {answer}" if kind in ("one of", "binomial") else f"{kind}: {answer}"
