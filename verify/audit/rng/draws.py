"""What a function gets from `random()`: numbers that are not yet there, and ask their path when they are compared.

A draw carries an increasing or decreasing map of the place where it is: what was added to it, and by what multiplied.
Ideal draws have a x + b, with exact a and b: a float among them stands for the decimal that it is written as. Deployed
draws have the map of the floats themselves, numpy's in their own precision: sums, products and quotients with one
number are monotone once rounded, so that {k : map(k 2^-53) < c} is an interval, found by bisection on the numbers.

Of which type a sum or an answer is (a bool, or numpy's, whose ~ is another) is what the libraries say of `like`, a
number of the type that the draw would have. `Draw` has the operators of a float, as far as they can be followed,
`Whole` those of an integer, and `Draws` is an array of either, as numpy's `random(size)` gives it: what numpy makes of
draws, of one and of arrays of them, comes to `ufunc` and `function`. Everything else is refused.
"""

import bisect
import math
import operator
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from functools import partial, partialmethod
from itertools import product
from numbers import Complex, Rational, Real
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy
from numpy.lib.mixins import NDArrayOperatorsMixin

from shufflecert.verify.audit.rng.order_statistics import Path, Place, below, order, place_of
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


HINT = "expected comparisons, +, -, *, / with one number, or int(); else audit it with --black-box"
SYMBOLS = {"add": "sum", "sub": "sum", "mul": "product", "truediv": "quotient"}
PLAIN = (float, int, Fraction)
MOST_VALUES = 2**16  # of a whole number that one branch each is opened for
ORDERED: dict[Any, tuple[bool, bool]] = {  # whether it is "at most", not "less"; whether that has to hold
    operator.lt: (False, True), operator.le: (True, True), operator.gt: (True, False), operator.ge: (False, False),
}  # fmt: skip
COMPARED = {
    "less": operator.lt, "less_equal": operator.le, "greater": operator.gt, "greater_equal": operator.ge,
    "equal": operator.eq, "not_equal": operator.ne,
}  # fmt: skip
MIRRORED = {
    operator.lt: operator.gt, operator.gt: operator.lt, operator.le: operator.ge, operator.ge: operator.le,
    operator.eq: operator.eq, operator.ne: operator.ne,
}  # fmt: skip
NAMES = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "true_divide": "truediv"}
ROUNDED = {"floor": "__floor__", "ceil": "__ceil__", "trunc": "__trunc__", "rint": "__round__"}
OF_ARRAYS = (  # functions of numpy's that are methods, and attributes, of its arrays
    *("argmax", "argmin", "max", "min", "amax", "amin", "argsort", "ravel", "reshape", "transpose", "copy"),
    *("shape", "ndim", "size"),
)
OPERATIONS: dict[str, tuple[Any, Any]] = {  # what each does with a number, and what undoes it of ideal draws
    "add": (operator.add, operator.sub), "sub": (operator.sub, operator.add),
    "rsub": (lambda value, by: by - value, lambda value, by: by - value),
    "mul": (operator.mul, operator.truediv), "truediv": (operator.truediv, operator.mul),
    "floordiv": (operator.floordiv, None), "rshift": (operator.rshift, None),
}  # fmt: skip
Map = tuple[str, Any, type, type]  # the operation, its other number, that one's type and the result's


class OfNumpy(Waiting):
    """What numpy makes of draws, of one or of an array of them, comes to `ufunc` and `function`."""

    __slots__ = ()
    SAID = "of a draw of random()"

    def __array_ufunc__(self, called: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return ufunc(called, method, inputs, named)

    def __array_function__(self, called: Any, types: Any, args: Any, named: Any) -> Any:
        return function(called, args, named)

    def _refuse(self, what: str, *_: Any) -> Any:
        raise NotFollowed(f"{what} {self.SAID}: {HINT}")


class Draw(OfNumpy):
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
        return made if direction else like

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
        if how in ORDERED:
            equal, holds = ORDERED[how]
            return self._less(c, equal) is holds
        return (self._less(c, True) and not self._less(c, False)) is (how is operator.eq)

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
            t = OPERATIONS[name][1](t, by)
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
            value = kind(OPERATIONS[name][0](value, by))
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
            value = OPERATIONS[name][0](value, by)
        return value

    # -- what Python asks ----------------------------------------------------------------------------------------------

    def _left(self, name: str, other: Any) -> Any:
        if _is_array(other):
            return NotImplemented  # numpy asks `ufunc`
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
        found, like = self - math.floor(self / other) * exact(other), self.like % other
        return found.retyped(like) if isinstance(found, Draw) else type(like)(found)

    def __floordiv__(self, other: Any) -> Any:
        if not is_number(other) or not (self.points is None or other == 1) or not other:
            return self._refuse("//")
        return type(self.like // other)(math.floor(self / other))

    # -- comparisons ---------------------------------------------------------------------------------------------------

    def _compare(self, how: Callable[[Any, Any], Any], other: Any) -> Any:
        if how in ORDERED and type(other) in PLAIN and type(self.like) in PLAIN:
            return self._answer(other, how)
        return NotImplemented if _is_array(other) else self.compared(other, how, how)

    __lt__, __le__ = partialmethod(_compare, operator.lt), partialmethod(_compare, operator.le)
    __gt__, __ge__ = partialmethod(_compare, operator.gt), partialmethod(_compare, operator.ge)
    __eq__, __ne__ = partialmethod(_compare, operator.eq), partialmethod(_compare, operator.ne)

    def __bool__(self) -> bool:
        return bool(self != 0)

    # -- whole numbers -------------------------------------------------------------------------------------------------

    def __int__(self) -> int:
        return self._whole(int, lambda m: m if m > 0 else m - 1)

    def __trunc__(self) -> int:
        math.trunc(self.like)  # which float32 lacks
        return int(self)

    def __floor__(self) -> int:
        return self._whole(math.floor, lambda m: m)

    def __ceil__(self) -> int:
        return self._whole(math.ceil, lambda m: m - 1)

    def __round__(self, digits: int | None = None) -> int:
        return self._refuse("round()") if digits is not None else self._whole(round, lambda m: m - Fraction(1, 2))

    # -- what numpy asks ----------------------------------------------------------------------------------------------

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
    _refuse = OfNumpy._refuse
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

    def from_start(self, start: int, like: Any) -> "Whole":
        """One of start, start + 1, ..., each of the type of `like`, which has them all; this one is Python's."""
        return self._made((("add", start, int, type(like)),), 1, like)  # type: ignore[return-value]

    def _exact_at(self, ends: tuple[int, ...]) -> None:
        for k in ends:
            value, real = self.base(k), k
            for name, by, _, kind in self.maps:
                value = kind(OPERATIONS[name][0](value, by))
                if not hasattr(value, "__index__"):
                    break  # a float, as it is
                real = OPERATIONS[name][0](real, int(by))
                if int(value) != real:
                    self._refuse("integers of numpy that overflow, instead")

    def _value(self, k: int) -> Any:
        return self._mapped(self.base(k))

    def _one(self) -> Any:
        """The number itself: one branch for each that it can be."""
        if not hasattr(self.like, "__index__"):
            self._refuse("a quotient")
        cell = place_of(self.place).cell
        ends = [int(self._at(end)) for end in (cell.low, cell.high - 1)]  # between which its values lie
        if (values := min(cell.high - cell.low, abs(ends[1] - ends[0]) + 1)) > MOST_VALUES:
            self._refuse(f"one of {values} values")
        return type(self.like)(int(self))

    def __index__(self) -> int:
        return operator.index(self._one())

    def __floordiv__(self, other: Any) -> Any:
        if hasattr(other, "__index__") and other and hasattr(self.like, "__index__"):
            return self.combined("floordiv", other, False, operator.floordiv)
        return self._refuse("//")

    def __rshift__(self, other: Any) -> Any:
        if is_number(other) and other < 0 and not (isinstance(self.like, int) and isinstance(other, int)):
            return self._refuse("a shift by less than nothing, which numpy has its own way with,")
        return self.combined("rshift", other, False, operator.rshift)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return numpy.array(self._one(), dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(type(self.like), name):
            raise AttributeError(f"{type(self.like).__name__!r} object has no attribute {name!r}")
        return getattr(self._one(), name)

    def _done(self, what: Any, *others: Any) -> Any:
        return what(self._one(), *others)

    def _done_right(self, what: Any, other: Any) -> Any:
        return what(other, self._one())

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


def _is_array(value: Any) -> bool:
    return hasattr(value, "shape") and not isinstance(value, Draw) and bool(value.shape)


class Draws(OfNumpy, NDArrayOperatorsMixin):
    """An array whose elements are draws, or numbers that came of them; `like` is a number of its dtype."""

    __slots__ = ("like", "values")
    SAID = "an array of draws of random()"
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: Any, like: Any) -> None:
        self.values, self.like = values, like

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # what isinstance() is told
        return numpy.ndarray

    def _made(self, values: Any) -> Any:
        return Draws(values, self.like) if isinstance(values, numpy.ndarray) else values

    # -- shapes --------------------------------------------------------------------------------------------------------

    def _moved(self, name: str, *args: Any, **named: Any) -> Any:
        return self._made(getattr(self.values, name)(*args, **named))

    reshape, transpose = partialmethod(_moved, "reshape"), partialmethod(_moved, "transpose")
    ravel, flatten = partialmethod(_moved, "ravel"), partialmethod(_moved, "flatten")
    copy = partialmethod(_moved, "copy")
    shape, ndim, size = (property(operator.attrgetter(f"values.{name}")) for name in ("shape", "ndim", "size"))
    T = property(lambda self: self.transpose())

    @property
    def dtype(self) -> Any:
        return self.like.dtype

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[Any]:
        return map(self._made, self.values)

    def __getitem__(self, key: Any) -> Any:
        return self._made(self.values[key])

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, Waiting) or numpy.ndim(value) != 0:
            self._refuse("assignment to")
        self.values[key] = type(self.like)(value)

    def __copy__(self, memo: Any = None) -> Any:
        return self.copy()

    __deepcopy__ = __copy__

    def item(self, *args: Any) -> Any:
        return self.values.item(*args).item()

    def tolist(self) -> Any:
        return _nested(self.values)

    def astype(self, dtype: Any, **named: Any) -> Any:
        """Whole parts, or the same numbers; other conversions round."""
        kind = numpy.dtype(dtype)
        if kind == self.dtype and not named:
            return self.copy()
        if kind.kind == "b":
            return self != 0
        if kind.kind not in "iu" or named:
            self._refuse(f"astype({kind}) of")
        found = [int(value) for value in self.values.ravel()]
        limits = numpy.iinfo(kind)
        if found and not limits.min <= min(found) <= max(found) <= limits.max:
            self._refuse(f"astype({kind}), which overflows, of")
        return numpy.array(found, kind).reshape(self.shape)

    # -- orders --------------------------------------------------------------------------------------------------------

    def argmax(self, axis: Any = None) -> Any:
        return self._along(axis, lambda row: _first(row, operator.gt))

    def argmin(self, axis: Any = None) -> Any:
        return self._along(axis, lambda row: _first(row, operator.lt))

    def max(self, axis: Any = None) -> Any:
        return self._along(axis, lambda row: row[_first(row, operator.gt)])

    def min(self, axis: Any = None) -> Any:
        return self._along(axis, lambda row: row[_first(row, operator.lt)])

    def argsort(self, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Any:
        if self.ndim != 1:
            self._refuse("argsort of more than one row of")
        if not (stable or kind in ("stable", "mergesort")) and any(
            isinstance(v, Draw) and v.points is not None for v in self.values
        ):
            self._refuse("argsort, which is not stable, of deployed")
        order = sorted(range(len(self)), key=self.values.__getitem__)
        return numpy.array(order, dtype=numpy.intp)

    def sort(self, axis: Any = -1, kind: Any = None) -> None:
        if self.ndim != 1:
            self._refuse("sorting more than one row of")
        for i, value in enumerate(sorted(self.values)):
            self.values[i] = value

    def _along(self, axis: Any, one: Callable[[Any], Any]) -> Any:
        if axis is None:
            return _typed(one(self.values.ravel()))
        rows = numpy.moveaxis(self.values, axis, -1)
        if self.ndim == 1:
            return _typed(one(rows))
        found = numpy.empty(rows.shape[:-1], object)
        for at in product(*map(range, found.shape)):
            found[at] = one(rows[at])
        return found.astype(numpy.intp) if isinstance(found.flat[0], int) else self._made(found)

    # -- what numpy asks -----------------------------------------------------------------------------------------------

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._refuse("an array made of")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(numpy.ndarray, name):
            raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
        return self._refuse(f".{name}() of")

    _refuse = OfNumpy._refuse
    __bool__ = __float__ = __int__ = __index__ = __complex__ = partialmethod(_refuse, "one value of")
    __str__ = __repr__ = __format__ = partialmethod(_refuse, "text of")
    __contains__, __reduce_ex__ = partialmethod(_refuse, "`in` of"), partialmethod(_refuse, "a copy of")


def array_of(values: list[Any], shape: Any, like: Any) -> Draws:
    """Draws in an array of this shape."""
    held = numpy.empty(len(values), object)
    for i, value in enumerate(values):
        held[i] = value
    return Draws(held.reshape(shape), like)


def elementwise(called: Any, how: Any, name: str | None, left: Any, right: Any) -> Any:
    """numpy.add and the like for what is not one draw and one number; without a name it is a comparison."""
    one, two = numpy.broadcast_arrays(objects(left), objects(right))
    found = [scalars(name, how, a, b, called) for a, b in zip(one.flat, two.flat, strict=True)]
    if name is None:
        return numpy.array(found, dtype=bool).reshape(one.shape)
    with numpy.errstate(all="ignore"):
        like = numpy.asarray(called(exemplar(left), exemplar(right)))[()]
    return array_of([value if isinstance(value, Draw) else type(like)(value) for value in found], one.shape, like)


def scalars(name: str | None, how: Any, left: Any, right: Any, real: Any) -> Any:
    draw, other, mirrored = (left, right, False) if isinstance(left, Draw) else (right, left, True)
    if not isinstance(draw, Draw):
        return real(left, right)
    if name is None:
        turned = (MIRRORED[how], lambda a, b: real(b, a)) if mirrored else (how, real)
        found = draw.compared(other, *turned)
    else:
        found = draw.combined(name, other, mirrored, real)
    if found is NotImplemented:
        raise NotFollowed(f"a draw of random() meets {ascii(other)[:40]}: {HINT}")
    return found


def objects(value: Any) -> Any:
    """As an array of objects; numbers of numpy's stay what they are."""
    if isinstance(value, Draws):
        return value.values
    if not isinstance(value, Draw) and hasattr(value, "shape") and value.shape:
        held = numpy.empty(value.size, object)
        for i, part in enumerate(value.flat):
            held[i] = part
        return held.reshape(value.shape)
    if isinstance(value, list | tuple):
        return objects(numpy.asarray(value))
    held = numpy.empty((), object)
    held[()] = value[()] if isinstance(value, numpy.ndarray) and not isinstance(value, Waiting) else value
    return held


def exemplar(value: Any) -> Any:
    """A number, or an empty array, of the same type."""
    if isinstance(value, Draw | Draws):
        return value.like
    if isinstance(value, list | tuple):
        value = numpy.asarray(value)
    return value.flat[0] if hasattr(value, "shape") and value.size else value


def _first(row: Any, better: Callable[[Any, Any], Any]) -> int:
    best = 0
    for i in range(1, len(row)):
        if better(row[i], row[best]):
            best = i
    return best


def _typed(found: Any) -> Any:
    return numpy.intp(found) if type(found) is int else found


def _nested(values: Any) -> Any:
    if isinstance(values, numpy.ndarray):
        return [_nested(part) for part in values]
    return values.item()


# What numpy's functions make of draws, of one and of arrays of them ---------------------------------------------------


def ufunc(called: Any, method: str, inputs: Any, named: Any) -> Any:
    """numpy.less(draw, 0.5) and the like; what numpy's own scalars and arrays do with a draw comes here too."""
    name = called.__name__
    if method == "__call__" and not named:
        flat = not any(isinstance(part, Draws) or (numpy.ndim(exemplar(part)) or _rows(part)) for part in inputs)
        if name in COMPARED or name in NAMES:
            how, kind = COMPARED.get(name, called), NAMES.get(name)
            left, right = (objects(part)[()] if flat else part for part in inputs)
            if flat:
                found = scalars(kind, how, left, right, called)
                return found if isinstance(found, Draw) else type(called(exemplar(left), exemplar(right)))(found)
            return elementwise(called, how, kind, left, right)
        if name == "negative":
            return ufunc(numpy.subtract, method, (0, inputs[0]), named)
        if name in ROUNDED:
            return _rounded(called, inputs[0])
    if any(isinstance(part, Whole) for part in inputs) and not any(isinstance(part, Draws) for part in inputs):
        return getattr(called, method)(*(p._one() if isinstance(p, Whole) else p for p in inputs), **named)
    raise NotFollowed(f"numpy.{name} of a draw of random(): {HINT}")


def _rows(value: Any) -> bool:
    return isinstance(value, list | tuple) or bool(getattr(value, "shape", ()) and not isinstance(value, Draw))


def _rounded(called: Any, value: Any) -> Any:
    if isinstance(value, Draws):
        found = [_rounded_one(called, part) for part in value.values.flat]
        return numpy.array(found, dtype=called(value.like).dtype).reshape(value.shape)
    return type(called(value.like))(_rounded_one(called, value))


def _rounded_one(called: Any, value: Any) -> Any:
    if not isinstance(value, Draw):
        return called(value)
    if value.points is None:
        return getattr(value, ROUNDED[called.__name__])()

    def rounded(number: Any) -> int:  # as numpy does it: math.floor of its integers is that of a float
        return int(called(number))

    rounded.__name__ = f"numpy.{called.__name__}"
    return value._whole(rounded, lambda m: m)


def function(called: Any, args: Any, named: Any) -> Any:
    """numpy.argmax(draws) and the like."""
    name = called.__name__
    one = args[0] if args else None
    if isinstance(one, Draws) and name in OF_ARRAYS:
        found = getattr(one, name.removeprefix("a") if name in ("amax", "amin") else name)
        return found(*args[1:], **named) if callable(found) else found
    if isinstance(one, Draws) and name == "sort" and len(args) == 1 and not named:
        made = one.copy()
        made.sort()
        return made
    if name == "where" and len(args) == 3 and isinstance(one, numpy.ndarray) and not isinstance(one, Waiting):
        return _chosen(one, *args[1:])
    if name == "searchsorted" and len(args) >= 2 and not isinstance(one, Waiting):
        return _searched(*args, **named)
    raise NotFollowed(f"numpy.{name} of a draw of random(): {HINT}")


def _chosen(mask: Any, left: Any, right: Any) -> Any:
    """numpy.where(mask, left, right) of draws and numbers of one type."""
    if mask.dtype != bool or any(isinstance(part, Draw) for part in (left, right)):
        raise NotFollowed(f"numpy.where of a draw of random(): {HINT}")
    like = numpy.where(mask.flat[:1], exemplar(left), exemplar(right))[0]
    parts = [part for part in (left, right) if isinstance(part, Draws)]
    if any(part.dtype != like.dtype for part in parts):
        raise NotFollowed(f"numpy.where of a draw of random(), to another dtype: {HINT}")
    which, one, two = numpy.broadcast_arrays(mask, objects(left), objects(right))
    found = [a if m else b for m, a, b in zip(which.flat, one.flat, two.flat, strict=True)]
    return array_of([v if isinstance(v, Draw) else type(like)(v) for v in found], which.shape, like)


def _searched(a: Any, v: Any, side: str = "left", sorter: Any = None) -> Any:
    """How many of the rising numbers a are less than a draw, or at most it for side="right"."""
    rising = numpy.asarray(a)
    if rising.ndim != 1 or sorter is not None or rising.dtype.kind not in "iufb" or (numpy.diff(rising) < 0).any():
        raise NotFollowed("numpy.searchsorted of a draw of random(): expected one rising row of numbers")
    if side not in ("left", "right"):
        raise NotFollowed("numpy.searchsorted: expected side='left' or 'right'")
    doubles = [numpy.float64(edge) for edge in rising]  # both are compared as float64
    place = partial(getattr(bisect, f"bisect_{side}"), doubles)
    if isinstance(v, Draws):
        return numpy.array([place(draw) for draw in v.values.flat], dtype=numpy.intp).reshape(v.shape)
    return numpy.intp(place(v))
