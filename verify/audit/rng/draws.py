"""What a function gets from `random()`: a number that is not yet there, and asks its path when it is compared.

A draw carries an increasing or decreasing map of the place where it is: what was added to it, and by what multiplied.
Ideal draws have a x + b, with exact a and b: a float among them stands for the decimal that it is written as. Deployed
draws have the map of the floats themselves, numpy's in their own precision: sums, products and quotients with one
number are monotone once rounded, so that {k : map(k 2^-53) < c} is an interval, found by bisection on the numbers.

Of which type a sum or an answer is (a bool, or numpy's, whose ~ is another) is what the libraries say of `like`, a
number of the type that the draw would have. `Draw` has the operators of a float, as far as they can be followed,
`Whole` those of an integer; everything else is refused.
"""

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import partialmethod
from importlib import import_module
from typing import Any
from warnings import catch_warnings, simplefilter

from shufflecert.verify.audit.rng.exact_input import NotFollowed, Waiting, exact, is_number, shown, sign
from shufflecert.verify.audit.rng.order_statistics import Path, Place, below, order, place_of

HINT = "expected comparisons, +, -, *, / with one number, or int(); else audit it with --black-box"
SYMBOLS = {"add": "sum", "sub": "sum", "mul": "product", "truediv": "quotient"}
PLAIN = (float, int, Fraction)
MOST_VALUES = 2**16  # of a whole number that one branch each is opened for
Map = tuple[str, Any, type, type]  # the operation, its other number, that one's type and the result's


class Draw(Waiting):
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

    def retyped(self, like: Any) -> "Draw":
        """The same number as another type of the same precision."""
        return self._made(self.maps, self.slope, like)

    def _made(self, maps: tuple[Map, ...], slope: int, like: Any) -> "Draw":
        made = type(self)(self.path, self.place, self.points, self.thresholds, like)
        made.maps, made.slope, made.base = maps, slope, self.base if maps else type(like)
        return made

    # -- arithmetic with one number ------------------------------------------------------------------------------------

    def combined(self, name: str, other: Any, mirrored: bool, real: Callable[[Any, Any], Any]) -> Any:
        """self + other, or other + self where `mirrored`; likewise for the other operations of SYMBOLS.

        `real` is the operation itself, which says what type the result has.
        """
        if isinstance(other, Draw):
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
        if isinstance(other, Draw):
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

    def _against(self, other: "Draw", how: Callable[[Any, Any], Any]) -> bool:
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

    # -- what Python asks ----------------------------------------------------------------------------------------------

    def _left(self, name: str, other: Any) -> Any:
        if hasattr(other, "shape") and not isinstance(other, Draw) and other.shape:
            return _arrays().elementwise(getattr(operator, name), name, self, other)
        return self.combined(name, other, False, getattr(operator, name))

    def _right(self, name: str, other: Any) -> Any:
        return self.combined(name, other, True, getattr(operator, name))

    __add__, __radd__ = partialmethod(_left, "add"), partialmethod(_right, "add")
    __sub__, __rsub__ = partialmethod(_left, "sub"), partialmethod(_right, "sub")
    __mul__, __rmul__ = partialmethod(_left, "mul"), partialmethod(_right, "mul")
    __truediv__, __rtruediv__ = partialmethod(_left, "truediv"), partialmethod(_right, "truediv")

    def __neg__(self) -> Any:
        return self.combined("sub", 0, True, operator.sub)

    def __pos__(self) -> "Draw":
        return self

    def __abs__(self) -> Any:
        return -self if self < 0 else self

    def __mod__(self, other: Any) -> Any:
        if not is_number(other) or self.points is not None or not other > 0:
            return self._refuse("%")
        return self - math.floor(self / other) * exact(other)

    def __floordiv__(self, other: Any) -> Any:
        if not is_number(other) or not (self.points is None or other == 1) or not other:
            return self._refuse("//")
        return type(self.like // other)(math.floor(self / other))

    # -- comparisons ---------------------------------------------------------------------------------------------------

    def __lt__(self, other: Any) -> Any:
        if type(other) in PLAIN and type(self.like) in PLAIN:
            return self._less(other, False)
        return self._compare(other, operator.lt)

    def __le__(self, other: Any) -> Any:
        if type(other) in PLAIN and type(self.like) in PLAIN:
            return self._less(other, True)
        return self._compare(other, operator.le)

    def __gt__(self, other: Any) -> Any:
        if type(other) in PLAIN and type(self.like) in PLAIN:
            return not self._less(other, True)
        return self._compare(other, operator.gt)

    def __ge__(self, other: Any) -> Any:
        if type(other) in PLAIN and type(self.like) in PLAIN:
            return not self._less(other, False)
        return self._compare(other, operator.ge)

    def __eq__(self, other: Any) -> Any:
        return self._compare(other, operator.eq)

    def __ne__(self, other: Any) -> Any:
        return self._compare(other, operator.ne)

    def __bool__(self) -> bool:
        return bool(self != 0)

    def _compare(self, other: Any, how: Callable[[Any, Any], Any]) -> Any:
        if hasattr(other, "shape") and not isinstance(other, Draw) and other.shape:
            return _arrays().elementwise(how, None, self, other)
        return self.compared(other, how, how)

    # -- whole numbers -------------------------------------------------------------------------------------------------

    def __int__(self) -> int:
        return self._whole(math.trunc, lambda m: m if m > 0 else m - 1)

    __trunc__ = __int__

    def __floor__(self) -> int:
        return self._whole(math.floor, lambda m: m)

    def __ceil__(self) -> int:
        return self._whole(math.ceil, lambda m: m - 1)

    def __round__(self, digits: int | None = None) -> int:
        return self._refuse("round()") if digits is not None else self._whole(round, lambda m: m - Fraction(1, 2))

    # -- what numpy asks -----------------------------------------------------------------------------------------------

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return _arrays().ufunc(ufunc, method, inputs, named)

    def __array_function__(self, function: Any, types: Any, args: Any, named: Any) -> Any:
        return _arrays().function(function, args, named)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._refuse("an array that numpy makes")

    def __getattr__(self, name: str) -> Any:
        kind = type(self.like)
        if name in ("shape", "dtype", "ndim", "size") and hasattr(kind, name):
            return getattr(self.like, name)
        if name.startswith("__") or not hasattr(kind, name):
            raise AttributeError(f"{kind.__name__!r} object has no attribute {name!r}")
        if name == "item":
            return lambda: self.retyped(self.like.item())
        return self._refuse(f".{name}")

    # -- what is not followed ------------------------------------------------------------------------------------------

    def __index__(self) -> int:
        raise TypeError("'float' object cannot be interpreted as an integer")

    def __copy__(self, memo: Any = None) -> "Draw":
        return self

    __deepcopy__ = __copy__
    __float__ = __complex__ = partialmethod(_refuse, "a number, or a function,")
    __str__ = __repr__ = __format__ = partialmethod(_refuse, "text")
    __pow__ = __rpow__ = partialmethod(_refuse, "a power")
    __rmod__ = __rfloordiv__ = __divmod__ = __rdivmod__ = partialmethod(_refuse, "a remainder, or a quotient by one,")
    __hash__ = partialmethod(_refuse, "the hash")
    __reduce_ex__ = partialmethod(_refuse, "a copy")


class Whole(Draw):
    """A draw from 0 .. points - 1 as it is, too many to open one branch for each; it becomes a number when it must."""

    __slots__ = ()

    def verify(self) -> None:
        """numpy's integers do not wrap round: a map that does is not monotone."""
        assert self.points is not None
        with catch_warnings():
            simplefilter("ignore")
            self._exact_at((0, self.points - 1))

    def _exact_at(self, ends: tuple[int, ...]) -> None:
        for k in ends:
            value, real = self.base(k), k
            for name, by, _, kind in self.maps:
                value = kind(by - value if name == "rsub" else getattr(operator, name)(value, by))
                if isinstance(value, int) or not hasattr(value, "__index__"):
                    return  # Python's integers do not overflow, and floats as they are
                real = by - real if name == "rsub" else getattr(operator, name)(real, int(by))
                if int(value) != real:
                    self._refuse("integers of numpy that overflow, instead")

    def _value(self, k: int) -> Any:
        return self._mapped(self.base(k))

    def _one(self) -> Any:
        """The number itself: one branch for each that it can be."""
        cell = place_of(self.place).cell
        if cell.high - cell.low > MOST_VALUES:
            self._refuse(f"one of {cell.high - cell.low} values")
        if not hasattr(self.like, "__index__"):
            self._refuse("a quotient")
        return type(self.like)(int(self))

    def __index__(self) -> int:
        return operator.index(self._one())

    def __int__(self) -> int:
        return self._whole(int, lambda m: m)

    def __floordiv__(self, other: Any) -> Any:
        if hasattr(other, "__index__") and other and hasattr(self.like, "__index__"):
            return self.combined("floordiv", other, False, operator.floordiv)
        return self._refuse("//")

    def __rshift__(self, other: Any) -> Any:
        return self.combined("rshift", other, False, operator.rshift)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        from numpy import array

        return array(self._one(), dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(type(self.like), name):
            raise AttributeError(f"{type(self.like).__name__!r} object has no attribute {name!r}")
        return getattr(self._one(), name)

    def _done(self, what: Any, *others: Any) -> Any:
        return what(self._one(), *others)

    def _done_right(self, what: Any, other: Any) -> Any:
        return what(other, self._one())

    __trunc__ = __int__
    __hash__ = partialmethod(_done, hash)
    __str__, __repr__ = partialmethod(_done, str), partialmethod(_done, repr)
    __format__ = partialmethod(_done, format)
    __float__, __complex__ = partialmethod(_done, float), partialmethod(_done, complex)
    __invert__ = partialmethod(_done, operator.invert)
    __mod__, __rmod__ = partialmethod(_done, operator.mod), partialmethod(_done_right, operator.mod)
    __and__, __rand__ = partialmethod(_done, operator.and_), partialmethod(_done_right, operator.and_)
    __or__, __ror__ = partialmethod(_done, operator.or_), partialmethod(_done_right, operator.or_)
    __xor__, __rxor__ = partialmethod(_done, operator.xor), partialmethod(_done_right, operator.xor)
    __lshift__, __rlshift__ = partialmethod(_done, operator.lshift), partialmethod(_done_right, operator.lshift)
    __rrshift__ = partialmethod(_done_right, operator.rshift)
    __pow__, __rpow__ = partialmethod(_done, operator.pow), partialmethod(_done_right, operator.pow)
    __divmod__, __rdivmod__ = partialmethod(_done, divmod), partialmethod(_done_right, divmod)
    __rfloordiv__ = partialmethod(_done_right, operator.floordiv)


def _undo(name: str, by: Fraction, t: Fraction) -> Fraction:
    """The argument at which one operation's value is t."""
    if name == "add":
        return t - by
    if name == "sub":
        return t + by
    if name == "rsub":
        return by - t
    return t / by if name == "mul" else t * by


def _arrays() -> Any:
    return import_module("shufflecert.verify.audit.rng.arrays")  # which hold draws
