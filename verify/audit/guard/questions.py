"""What a function asks about an object: answered as it would be of the real source, or refused; and the source itself.

isinstance, hasattr, type, getattr, hash and the like have their own forms here, which a function gets while it is
followed. `guarded` is the source that remembers what it refused and raised, should the function catch it.
"""

import builtins
import functools
import operator
import random
import sys
from collections.abc import Callable
from types import UnionType
from typing import Any

from verify.audit.guard.allowed import ATTRIBUTES
from verify.audit.guard.guarded import HERE, Frozen, Kept, Seeded, Set, Stream, in_order, line, ordered, real, refuse
from verify.audit.rng.exact_input import NotFollowed
from verify.audit.rng.recording import Source
from verify.audit.rng.symbolic_draw import Draw

# What is asked about an object ----------------------------------------------------------------------------------------


def _real_class(cls: Any) -> Any:
    if isinstance(cls, tuple):
        return tuple(map(_real_class, cls))
    if isinstance(cls, UnionType):
        return tuple(map(_real_class, cls.__args__))
    if isinstance(cls, Kept):
        return cls._real
    stand_ins: dict[Any, Any] = {Set: set, Frozen: frozenset, type_: type}
    return stand_ins.get(cls, cls)


def isinstance_(value: Any, cls: Any) -> bool:
    cls = _real_class(cls)
    if isinstance(value, Draw):
        return issubclass(type(value.like), cls)
    return isinstance(real(value), cls)


def issubclass_(one: Any, cls: Any) -> bool:
    return issubclass(_real_class(one), _real_class(cls))


def type_(value: Any, *more: Any, **named: Any) -> Any:
    if more:
        return type(value, *more, **named)
    if issubclass(type(value), Source):
        raise refuse("asks for the type of rng", "expected isinstance()")
    stand_ins: dict[Any, Any] = {set: Set, frozenset: Frozen}
    kind = type(value.like if isinstance(value, Draw) else real(value))
    return stand_ins.get(kind, kind)


def _named(name: Any) -> str:
    if name in ATTRIBUTES:
        raise refuse(f"uses the attribute {name}")
    return str(name)


def hasattr_(value: Any, name: str) -> bool:
    if isinstance(value, Draw) and hasattr(value.like, name) != hasattr(type(value), name):
        raise refuse(f"asks for .{name} of a draw", "expected comparisons, sums or products with a number, or int()")
    return hasattr(real(value), _named(name))


def getattr_(value: Any, name: str, *default: Any) -> Any:
    if default and isinstance(value, Draw | Kept) and not hasattr_(value, name):
        return default[0]
    return getattr(value, _named(name), *default)


def hash_(value: Any) -> int:
    if not ordered(value) and not isinstance(value, Draw):
        raise refuse("takes the hash() of what is no number", "expected hashlib, or a hash of numbers")
    return hash(value)


def _attributes(real: Callable[..., Any]) -> Callable[..., Any]:
    def call(*names: Any, **named: Any) -> Any:
        for name in names:
            for part in name.split(".") if isinstance(name, str) else ():
                _named(part)
        return real(*names, **named)

    return call


SUBSTITUTES: dict[int, Any] = {
    id(real): mine
    for real, mine in [
        (isinstance, isinstance_),
        (issubclass, issubclass_),
        (type, type_),
        (hasattr, hasattr_),
        (getattr, getattr_),
        (hash, hash_),
        (set, Set),
        (frozenset, Frozen),
        *((real, in_order(real)) for real in (sorted, min, max)),
        *((real, _attributes(real)) for real in (operator.attrgetter, operator.methodcaller)),
        (random.Random, Seeded("random.Random", random.Random, Stream)),
    ]
}
REFUSED_BUILTINS = (
    "id open input eval exec compile globals locals vars dir memoryview breakpoint help __import__ object"
)
BUILTINS = vars(builtins)
CHANGED: dict[str, Any] = {
    **{name: SUBSTITUTES[id(value)] for name, value in BUILTINS.items() if id(value) in SUBSTITUTES},
    **{name: Kept(f"{name}()", BUILTINS[name]) for name in REFUSED_BUILTINS.split()},
}


# The source ---------------------------------------------------------------------------------------------------------


def _heard(method: Any, name: str) -> Any:
    """A method of the source whose exceptions are remembered: they need not be those of the real one."""

    @functools.wraps(method)
    def call(self: Any, *given: Any, **named: Any) -> Any:
        try:
            made = method(self, *given, **named)
            if type(made) is not int:
                DRAWN[0] = True
            return made
        except NotFollowed:
            raise
        except Exception as error:
            CAUGHT.append((error, f"{line()}: catches {type(error).__name__} ({error}) of rng.{name}"))
            raise

    return call


CAUGHT: list[tuple[Exception, str]] = []  # what rng raised in the run that is under way
DRAWN = [False]  # whether rng gave anything but an integer in that run


def _written(self: Any, *given: Any) -> Any:
    raise refuse("writes rng down, or hashes it", "expected one rng for all that is drawn")


def _class_of(self: Any) -> Any:
    """What isinstance() is told; the classes that a function could compare it with are kept from it."""
    if "__class__" in sys._getframe(1).f_code.co_names:
        raise refuse("asks for rng.__class__", "expected isinstance()")
    return self._real()


def _kept(self: Any, name: str, value: Any = None) -> None:
    """Attributes of rng outlive the call; only the source itself sets its own."""
    if not sys._getframe(1).f_code.co_filename.startswith(HERE):
        raise refuse(f"sets or deletes rng.{name}", "expected nothing that outlives the call")
    object.__setattr__(self, name, value)


@functools.cache
def guarded(made: type[Source]) -> type[Source]:
    """The source, that remembers what it refused and raised."""
    names = {name for base in made.__mro__[:-1] for name in vars(base) if not name.startswith("_")}
    held = {name: _heard(getattr(made, name), name) for name in names if callable(getattr(made, name))}
    own = {"__repr__": _written, "__hash__": _written, "__dir__": _written, "__class__": property(_class_of)}
    own |= {"__setattr__": _kept, "__delattr__": _kept}
    return type(made.__name__, (made,), {**held, **own})
