"""What a function gets from `random()`: a number that is not yet there, and asks its path when it is compared.

`Draw` has the operators of a float, as far as they can be followed, `Whole` those of an integer. Of which type their
answers are is told in `verify.audit.rng.mapped_draw`; everything else is refused.
"""

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import partialmethod
from importlib import import_module
from typing import Any
from warnings import catch_warnings, simplefilter

from verify.audit.rng.exact_input import exact, is_number
from verify.audit.rng.mapped_draw import Mapped
from verify.audit.rng.order_statistics import Path, Place, place_of

PLAIN = (float, int, Fraction)
MOST_VALUES = 2**16  # of a whole number that one branch each is opened for


class Draw(Mapped):
    """One draw, as the float that it will be."""

    __slots__ = ()

    # -- arithmetic with one number ------------------------------------------------------------------------------------

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
        return _functions().ufunc(ufunc, method, inputs, named)

    def __array_function__(self, function: Any, types: Any, args: Any, named: Any) -> Any:
        return _functions().function(function, args, named)

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
    __float__ = __complex__ = partialmethod(Mapped._refuse, "a number, or a function,")
    __str__ = __repr__ = __format__ = partialmethod(Mapped._refuse, "text")
    __pow__ = __rpow__ = partialmethod(Mapped._refuse, "a power")
    __rmod__ = __rfloordiv__ = __divmod__ = __rdivmod__ = partialmethod(
        Mapped._refuse, "a remainder, or a quotient by one,"
    )
    __hash__ = partialmethod(Mapped._refuse, "the hash")
    __reduce_ex__ = partialmethod(Mapped._refuse, "a copy")


class Whole(Draw):
    """A draw from 0 .. points - 1 as it is, too many to open one branch for each; it becomes a number when it must."""

    __slots__ = ()

    def __init__(
        self, path: Path, place: Place, points: int | None, thresholds: dict[Any, tuple[Any, bool]], like: Any = 1
    ) -> None:
        super().__init__(path, place, points, thresholds, like)

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


def _arrays() -> Any:
    return import_module("verify.audit.rng.arrays")  # which hold draws, and need numpy


def _functions() -> Any:
    return import_module("verify.audit.rng.array_functions")
