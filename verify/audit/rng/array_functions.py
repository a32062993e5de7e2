"""What numpy's functions make of draws: of one, and of arrays of them."""

from typing import Any

import numpy

from verify.audit.rng.arrays import COMPARED, Draws, array_of, elementwise, exemplar, objects, scalars
from verify.audit.rng.exact_input import NotFollowed, Waiting
from verify.audit.rng.mapped_draw import HINT
from verify.audit.rng.symbolic_draw import Draw, Whole

NAMES = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "true_divide": "truediv"}
ROUNDED = {"floor": "__floor__", "ceil": "__ceil__", "trunc": "__trunc__", "rint": "__round__"}


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
