"""Arrays of draws, as numpy's `random(size)` gives them, and what numpy's functions make of draws.

`Draws` has what an array of floats has as far as it can be followed: comparisons give arrays of numpy's bools, sums and
products with numbers other draws, argmax and sorting the orders of draws. Everything else is refused.
"""

import operator
from collections.abc import Callable, Iterator
from functools import partialmethod
from itertools import product
from typing import Any

import numpy

from shufflecert.verify.audit.rng.draws import HINT, Draw, Whole
from shufflecert.verify.audit.rng.exact_input import NotFollowed, Waiting

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
NAMES = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "true_divide": "truediv"}
ROUNDED = {"floor": "__floor__", "ceil": "__ceil__", "trunc": "__trunc__", "rint": "__round__"}


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
        return ufunc(called, method, inputs, named)

    def __array_function__(self, called: Any, types: Any, args: Any, named: Any) -> Any:
        return function(called, args, named)

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
            return _elementwise_ufunc(called, how, kind, left, right)
        if name == "negative":
            return ufunc(numpy.subtract, method, (0, inputs[0]), named)
        if name in ROUNDED:
            return _rounded(called, inputs[0])
    if any(isinstance(part, Whole) for part in inputs) and not any(isinstance(part, Draws) for part in inputs):
        return getattr(called, method)(*(p._one() if isinstance(p, Whole) else p for p in inputs), **named)
    raise NotFollowed(f"numpy.{name} of a draw of random(): {HINT}")


def _elementwise_ufunc(called: Any, how: Any, kind: str | None, left: Any, right: Any) -> Any:
    if kind is not None:
        return elementwise(called, kind, left, right)
    one, two = numpy.broadcast_arrays(objects(left), objects(right))
    found = [scalars(None, how, a, b, called) for a, b in zip(one.flat, two.flat, strict=True)]
    return numpy.array(found, dtype=bool).reshape(one.shape)


def _rows(value: Any) -> bool:
    return isinstance(value, list | tuple) or bool(getattr(value, "shape", ()) and not isinstance(value, Draw))


def _rounded(called: Any, value: Any) -> Any:
    if isinstance(value, Draws):
        found = [getattr(part, ROUNDED[called.__name__])() for part in value.values.flat]
        return numpy.array(found, dtype=called(value.like).dtype).reshape(value.shape)
    return type(called(value.like))(getattr(value, ROUNDED[called.__name__])())


def function(called: Any, args: Any, named: Any) -> Any:
    """numpy.argmax(draws) and the like."""
    name = called.__name__
    one = args[0] if args else None
    if isinstance(one, Draws) and name in ("argmax", "argmin", "max", "min", "amax", "amin", "argsort"):
        return getattr(one, name.removeprefix("a") if name in ("amax", "amin") else name)(*args[1:], **named)
    if isinstance(one, Draws) and name in ("ravel", "reshape", "transpose", "copy"):
        return getattr(one, name)(*args[1:], **named)
    if isinstance(one, Draws) and name in ("shape", "ndim", "size") and len(args) == 1 and not named:
        return getattr(one, name)
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

    def place(draw: Any) -> int:
        low, high = 0, len(doubles)
        while low < high:
            middle = (low + high) // 2
            if (draw < doubles[middle]) if side == "right" else (draw <= doubles[middle]):
                high = middle
            else:
                low = middle + 1
        return low

    if isinstance(v, Draws):
        return numpy.array([place(draw) for draw in v.values.flat], dtype=numpy.intp).reshape(v.shape)
    return numpy.intp(place(v))
