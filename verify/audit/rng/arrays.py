"""Arrays of draws, as numpy's `random(size)` gives them, and what numpy's functions make of draws.

`Draws` has what an array of floats has as far as it can be followed: comparisons give arrays of numpy's bools, sums and
products with numbers other draws, argmax and sorting the orders of draws. Everything else is refused.
"""

import operator
from collections.abc import Callable, Iterator
from functools import partialmethod
from importlib import import_module
from itertools import product
from typing import Any

import numpy

from verify.audit.rng.exact_input import NotFollowed, Waiting
from verify.audit.rng.mapped_draw import HINT
from verify.audit.rng.symbolic_draw import Draw

COMPARED = {
    "less": operator.lt,
    "less_equal": operator.le,
    "greater": operator.gt,
    "greater_equal": operator.ge,
    "equal": operator.eq,
    "not_equal": operator.ne,
}
MIRRORED = {
    operator.lt: operator.gt,
    operator.gt: operator.lt,
    operator.le: operator.ge,
    operator.ge: operator.le,
    operator.eq: operator.eq,
    operator.ne: operator.ne,
}


class Draws(Waiting):
    """An array whose elements are draws, or numbers that came of them; `like` is a number of its dtype."""

    __slots__ = ("like", "values")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: Any, like: Any) -> None:
        self.values, self.like = values, like

    @property  # type: ignore[misc]
    def __class__(self) -> type:  # what isinstance() is told
        return numpy.ndarray

    def _made(self, values: Any) -> Any:
        return Draws(values, self.like) if isinstance(values, numpy.ndarray) else values

    # -- shapes --------------------------------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        return self.values.shape  # type: ignore[no-any-return]

    @property
    def dtype(self) -> Any:
        return self.like.dtype

    @property
    def ndim(self) -> int:
        return self.values.ndim  # type: ignore[no-any-return]

    @property
    def size(self) -> int:
        return self.values.size  # type: ignore[no-any-return]

    @property
    def T(self) -> Any:
        return self._made(self.values.T)

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

    def reshape(self, *shape: Any, **named: Any) -> Any:
        return self._made(self.values.reshape(*shape, **named))

    def transpose(self, *axes: Any) -> Any:
        return self._made(self.values.transpose(*axes))

    def ravel(self) -> Any:
        return self._made(self.values.ravel())

    def flatten(self) -> Any:
        return self._made(self.values.flatten())

    def copy(self) -> Any:
        return self._made(self.values.copy())

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

    # -- arithmetic and comparisons ------------------------------------------------------------------------------------

    def _left(self, name: str, other: Any) -> Any:
        return elementwise(getattr(operator, name), name, self, other)

    def _right(self, name: str, other: Any) -> Any:
        return elementwise(getattr(operator, name), name, other, self)

    def _compared(self, how: Callable[[Any, Any], Any], other: Any) -> Any:
        return elementwise(how, None, self, other)

    __add__, __radd__ = partialmethod(_left, "add"), partialmethod(_right, "add")
    __sub__, __rsub__ = partialmethod(_left, "sub"), partialmethod(_right, "sub")
    __mul__, __rmul__ = partialmethod(_left, "mul"), partialmethod(_right, "mul")
    __truediv__, __rtruediv__ = partialmethod(_left, "truediv"), partialmethod(_right, "truediv")
    __lt__, __le__ = partialmethod(_compared, operator.lt), partialmethod(_compared, operator.le)
    __gt__, __ge__ = partialmethod(_compared, operator.gt), partialmethod(_compared, operator.ge)
    __eq__ = partialmethod(_compared, operator.eq)
    __ne__ = partialmethod(_compared, operator.ne)

    def __neg__(self) -> Any:
        return elementwise(operator.sub, "sub", 0, self)

    # -- what numpy asks -----------------------------------------------------------------------------------------------

    def __array_ufunc__(self, called: Any, method: str, *inputs: Any, **named: Any) -> Any:
        return _functions().ufunc(called, method, inputs, named)

    def __array_function__(self, called: Any, types: Any, args: Any, named: Any) -> Any:
        return _functions().function(called, args, named)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self._refuse("an array made of")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(numpy.ndarray, name):
            raise AttributeError(f"'numpy.ndarray' object has no attribute {name!r}")
        return self._refuse(f".{name}() of")

    def _refuse(self, what: str, *_: Any) -> Any:
        raise NotFollowed(f"{what} an array of draws of random(): {HINT}")

    __iadd__, __isub__, __imul__, __itruediv__ = (partialmethod(_refuse, "arithmetic in place with"),) * 4
    __bool__ = __float__ = __int__ = __index__ = __complex__ = partialmethod(_refuse, "one value of")
    __str__ = __repr__ = __format__ = partialmethod(_refuse, "text of")
    __pow__ = __rpow__ = __matmul__ = __rmatmul__ = partialmethod(_refuse, "a power, or a product, of")
    __mod__ = __rmod__ = __floordiv__ = __rfloordiv__ = __divmod__ = partialmethod(_refuse, "a remainder of")
    __abs__ = __contains__ = partialmethod(_refuse, "abs(), or `in`, of")
    __reduce_ex__ = partialmethod(_refuse, "a copy of")


def array_of(values: list[Any], shape: Any, like: Any) -> Draws:
    """Draws in an array of this shape."""
    held = numpy.empty(len(values), object)
    for i, value in enumerate(values):
        held[i] = value
    return Draws(held.reshape(shape), like)


def elementwise(real: Callable[[Any, Any], Any], name: str | None, left: Any, right: Any) -> Any:
    """left + right for what is not one draw and one number; without a name `real` is a comparison."""
    one, two = numpy.broadcast_arrays(objects(left), objects(right))
    how = COMPARED.get(getattr(real, "__name__", ""), real)
    found = [scalars(name, how, a, b, real) for a, b in zip(one.flat, two.flat, strict=True)]
    if name is None:
        return numpy.array(found, dtype=bool).reshape(one.shape)
    with numpy.errstate(all="ignore"):
        like = numpy.asarray(real(exemplar(left), exemplar(right)))[()]
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


def _functions() -> Any:
    return import_module("verify.audit.rng.array_functions")
