"""One draw under a monotone map: what it is less than, what its whole part is, and where it lies among other draws.

A draw carries an increasing or decreasing map of the place where it is: what was added to it, and by what multiplied.
Ideal draws have a x + b, with exact a and b: a float among them stands for the decimal that it is written as. Deployed
draws have the map of the floats themselves, numpy's in their own precision: sums, products and quotients with one
number are monotone once rounded, so that {k : map(k 2^-53) < c} is an interval, found by bisection on the numbers.

Of which type a sum or an answer is (a bool, or numpy's, whose ~ is another) is what the libraries say of `like`, a
number of the type that the draw would have.
"""

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from verify.audit.rng.exact_input import NotFollowed, Waiting, exact, is_number, shown, sign
from verify.audit.rng.order_statistics import Path, Place, below, order, place_of

HINT = "expected comparisons, +, -, *, / with one number, or int(); else audit it with --black-box"
SYMBOLS = {"add": "sum", "sub": "sum", "mul": "product", "truediv": "quotient"}
Map = tuple[str, Any, type, type]  # the operation, its other number, that one's type and the result's


class Mapped(Waiting):
    """One draw under a monotone map; `maps` are the operations that made it, the first one first.

    Of a draw from `points` points, thresholds are found by bisection, once for all paths, and kept in `thresholds`.
    """

    __slots__ = ("base", "like", "maps", "path", "place", "points", "slope", "thresholds")

    def __init__(
        self, path: Path, place: Place, points: int | None, thresholds: dict[Any, tuple[Any, bool]], like: Any = 0.5
    ) -> None:
        self.path, self.place, self.points, self.thresholds = path, place, points, thresholds
        self.like, self.base = like, type(like)
        self.maps: tuple[Map, ...] = ()
        self.slope = 1

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # what isinstance() is told
        return type(self.like)

    def __copy__(self) -> "Mapped":
        return self

    def __deepcopy__(self, memo: object) -> "Mapped":
        return self  # one number, wherever it stands

    def __reduce_ex__(self, protocol: object) -> str:
        raise NotFollowed(f"a draw of random() is written down: {HINT}")

    def retyped(self, like: Any) -> "Mapped":
        """The same number as another type of the same precision."""
        return self._made(self.maps, self.slope, like)

    def _made(self, maps: tuple[Map, ...], slope: int, like: Any) -> "Mapped":
        made = type(self)(self.path, self.place, self.points, self.thresholds, like)
        made.maps, made.slope, made.base = maps, slope, self.base if maps else type(like)
        return made

    # -- arithmetic with one number ------------------------------------------------------------------------------------

    def combined(self, name: str, other: Any, mirrored: bool, real: Callable[[Any, Any], Any]) -> Any:
        """self + other, or other + self where `mirrored`; likewise for the other operations of SYMBOLS.

        `real` is the operation itself, which says what type the result has.
        """
        if isinstance(other, Mapped):
            raise NotFollowed(f"two draws of random() in one {SYMBOLS.get(name, name)}: {HINT}")
        if not is_number(other):
            return NotImplemented
        if name == "truediv" and (mirrored or not other):
            if not mirrored:
                real(self.like, other)  # Python's numbers raise, and numpy's give infinities
            self._refuse("a quotient by 0 or by a draw")
        like = real(other, self.like) if mirrored else real(self.like, other)
        direction = {"add": 1, "sub": -1 if mirrored else 1, "rshift": 1}.get(name, sign(other))
        if direction == 0:
            return like
        if self.points is None:
            by: Any = exact(other)
        elif not math.isfinite(other):
            raise NotFollowed(f"a draw of random() meets {other!r}: expected a finite number")
        else:
            by = other
        step = ("rsub" if name == "sub" and mirrored else name, by, type(other), type(like))
        made = self._made((*self.maps, step), self.slope * direction, like)
        made.base = self.base
        made.verify()
        return made

    def verify(self) -> None:
        """Deployed, nothing overflows: a map that does is not monotone."""
        if self.points is not None and not all(math.isfinite(self._value(k)) for k in (0, self.points - 1)):
            self._refuse("numbers that overflow")

    # -- comparisons ---------------------------------------------------------------------------------------------------

    def compared(self, other: Any, how: Callable[[Any, Any], Any], real: Callable[[Any, Any], Any]) -> Any:
        """how(self, other), of the type that `real` gives."""
        if isinstance(other, Mapped):
            return type(real(self.like, other.like))(self._against(other, how))
        if not is_number(other):
            if how in (operator.eq, operator.ne):
                return NotImplemented
            raise NotFollowed(f"a draw of random() is compared with {shown(other)}: expected a number")
        if other != other:
            raise NotFollowed("a draw of random() is compared with nan: expected a number")
        found = self._answer(other, how)
        return type(real(self.like, other))(found)

    def _answer(self, c: Any, how: Callable[[Any, Any], Any]) -> bool:
        if how is operator.lt:
            return self._less(c, False)
        if how is operator.le:
            return self._less(c, True)
        if how is operator.gt:
            return not self._less(c, True)
        if how is operator.ge:
            return not self._less(c, False)
        equal = self._less(c, True) and not self._less(c, False)
        return equal is (how is operator.eq)

    def _less(self, c: Any, equal: bool) -> bool:
        """Whether the value is less than c, or at most c where `equal`."""
        if type(c) is not int and isinstance(c, float) and not math.isfinite(c):
            if math.isnan(c):
                raise NotFollowed("a draw of random() is compared with nan: expected a number")
            return c > 0
        return self._below(
            (type(c), c, equal),
            lambda: self._undone(c),
            (lambda value: value <= c) if equal else (lambda value: value < c),
        )

    def _below(self, what: Any, ideal: Callable[[], Any], holds: Callable[[Any], Any]) -> bool:
        """Whether the value is where `holds`, which is true up to some value and then false; ideal(): that value.

        The place t is found so that this is {place < t} where the map increases, else {place >= t}. Of ideal draws all
        but a set of probability 0: equality never happens.
        """
        key = (type(self), self.points, self.base, self.maps, what)
        known = self.thresholds.get(key)
        if known is None:
            t = ideal() if self.points is None else self._bisect(holds)
            known = self.thresholds[key] = (t, 0 < t < (self.points or 1))
        return below(self.path, self.place, *known) is (self.slope > 0)

    def _undone(self, c: Any) -> Fraction:
        t = exact(c)
        for name, by, *_ in reversed(self.maps):
            t = _undo(name, by, t)
        return t

    def _bisect(self, holds: Callable[[Any], Any]) -> int:
        assert self.points is not None
        low, high = 0, self.points
        while low < high:
            middle = (low + high) // 2
            if bool(holds(self._value(middle))) is (self.slope > 0):
                low = middle + 1
            else:
                high = middle
        return low

    def _value(self, k: int) -> Any:
        """What a deployed function has in its hands when the generator gives k of `points`."""
        assert self.points is not None
        return self._mapped(self.base(k / self.points))

    def _mapped(self, value: Any) -> Any:
        for name, by, _, kind in self.maps:
            value = kind(by - value if name == "rsub" else getattr(operator, name)(value, by))
        return value

    def _against(self, other: "Mapped", how: Callable[[Any, Any], Any]) -> bool:
        mine, yours = self.maps, other.maps
        mirrored = len(mine) == 1 and mine[0][:2] == ("rsub", 1) and mine[0][3] is self.base
        rounded = self.points is not None and mine and not mirrored
        if mine != yours or self.points != other.points or rounded:
            raise NotFollowed(f"two draws of random() are compared after different arithmetic: {HINT}")
        return bool(how(self.slope * order(self.path, self.place, other.place), 0))

    def _whole(self, rounded: Callable[[Any], int], edge: Callable[[int], Any]) -> int:
        """The rounded value, by halving; of ideal draws rounded(value) < m where value < edge(m)."""
        cell = place_of(self.place).cell
        ends = sorted(rounded(self._at(end)) for end in (cell.low, cell.high - 1 if cell.points else cell.high))
        low, high = ends[0] - 1, ends[1] + 1
        while low < high:
            middle = -(-(low + high) // 2)
            if self._under(middle, rounded, edge):
                high = middle - 1
            else:
                low = middle
        return low

    def _under(self, m: int, rounded: Callable[[Any], int], edge: Callable[[int], Any]) -> bool:
        what = (rounded.__name__, m)
        return self._below(what, lambda: self._undone(edge(m)), lambda value: rounded(value) < m)

    def _at(self, place: Any) -> Any:
        if self.points is not None:
            return self._value(place)
        value = Fraction(place)
        for name, by, *_ in self.maps:
            value = by - value if name == "rsub" else getattr(operator, name)(value, by)
        return value

    def _refuse(self, what: str, *_: Any) -> Any:
        raise NotFollowed(f"{what} of a draw of random(): {HINT}")


def _undo(name: str, by: Fraction, t: Fraction) -> Fraction:
    """The argument at which one operation's value is t."""
    if name == "add":
        return t - by
    if name == "sub":
        return t + by
    if name == "rsub":
        return by - t
    return t / by if name == "mul" else t * by
