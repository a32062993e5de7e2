"""What stands in the place of things that a function may not use, or may use only in part, while it is followed.

`Kept` refuses whatever is done with it. `Part` is a module of which only what is known is handed on. `Set` and `Frozen`
are read in order only where the order is the same in every process.
"""

import random
import sys
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

from verify.audit.guard.allowed import ATTRIBUTES, MUTABLE
from verify.audit.rng.exact_input import NotFollowed

HERE = str(Path(__file__).parent.parent)  # verify/audit
ADVICE = "expected all randomness from rng, and nothing that changes from call to call"
WHERE = "; else audit it with --black-box"


def line() -> str:
    """The file and the line that is being executed, outside of this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(HERE):
        frame = frame.f_back
    return f"{Path(frame.f_code.co_filename).name}:{frame.f_lineno}"


def refuse(what: str, advice: str = ADVICE) -> NotFollowed:
    return NotFollowed(f"{line()}: {what}: {advice}{WHERE}")


def real(value: Any) -> Any:
    """What a stand-in stands for; anything else as it is."""
    return value.__dict__["_real"] if isinstance(value, Kept | Part) else value


class Kept:
    """What is not known to be the same in every call: refused when it is used. `_real` serves isinstance alone."""

    def __init__(self, name: str, real: Any) -> None:
        self.__dict__.update(_name=name, _real=real)

    def __getattr__(self, name: str) -> Any:
        raise refuse(f"uses {self._name}.{name}")

    def __setattr__(self, name: str, value: Any) -> None:
        raise refuse(f"changes {self._name}.{name}")

    def __mro_entries__(self, bases: Any) -> Any:
        raise refuse(f"uses {self._name}")

    def __bool__(self) -> bool:
        return bool(self._real) if isinstance(self._real, type | FunctionType) else self._use()

    def _use(self, *given: Any, **named: Any) -> Any:
        raise refuse(f"uses {self._name}")

    __call__ = __getitem__ = __setitem__ = __delitem__ = __iter__ = __next__ = __len__ = __contains__ = _use
    __enter__ = __exit__ = __str__ = __repr__ = __hash__ = __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = _use
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = __mod__ = _use
    __int__ = __float__ = __index__ = __format__ = __bytes__ = __reversed__ = __await__ = _use
    __reduce_ex__ = _use


class Seeded(Kept):
    """random.Random, numpy's default_rng or RandomState: with a whole number as its seed it is no chance at all."""

    def __init__(self, name: str, real: Any, made: Any) -> None:
        super().__init__(name, real)
        self.__dict__["_made"] = made

    def _use(self, *given: Any, **named: Any) -> Any:
        if len(given) == 1 and not named and type(given[0]) is int:
            return self._made(given[0])
        raise refuse(f"uses {self._name} without a whole number as its seed")

    __call__ = _use


class Stream(random.Random):
    """random.Random that is never seeded by chance."""

    def seed(self, a: Any = None, version: int = 2) -> None:
        if type(a) is not int:
            raise refuse("seeds random.Random with what is no whole number")
        super().seed(a, version)


class Part(ModuleType):
    """A module of which what is known is handed on, and the rest is refused when it is used."""

    def __init__(self, real: ModuleType, admit: Callable[[Any, str], Any]) -> None:
        super().__init__(real.__name__)
        self.__dict__["_real"], self.__dict__["_admit"] = real, admit

    def __getattr__(self, name: str) -> Any:
        real = self.__dict__["_real"]
        if name in ATTRIBUTES or name == "__dict__":
            raise refuse(f"uses {real.__name__}.{name}")
        value = getattr(real, name)
        if name.startswith("_") and (isinstance(value, MUTABLE) or hasattr(value, "cache_info")):
            raise refuse(f"uses {real.__name__}.{name}")
        if type(value).__module__ == "verify.audit.code.patch":
            return value  # rng, for the time of a call
        found = self.__dict__[name] = self.__dict__["_admit"](value, f"{real.__name__}.{name}")
        return found

    def __setattr__(self, name: str, value: Any) -> None:
        raise refuse(f"sets {self.__dict__['_real'].__name__}.{name}")

    def __delattr__(self, name: str) -> None:
        raise refuse(f"deletes {self.__dict__['_real'].__name__}.{name}")


# Sets, whose order of text and other objects is another in every process ----------------------------------------------


def ordered(value: Any) -> bool:
    """Whether a hash is the same in every process: of numbers and tuples of them; that of nan is its address."""
    if isinstance(value, float):
        return bool(value == value)
    return isinstance(value, int) or (isinstance(value, tuple) and all(map(ordered, tuple.__iter__(value))))


ON = [False]  # whether a function is running, to which no order is shown that hangs on addresses
UNORDERED = (
    "reads a set of other things than numbers, whose order is another in every process",
    "expected sorted(...) of it, a list, or a tuple",
)


def elements(value: Any) -> list[Any]:
    """What a set holds, in any order: for those who do not show it."""
    base: Any = set if isinstance(value, set) else frozenset
    on, ON[0] = ON[0], False
    try:
        return list(base.__iter__(value))
    finally:
        ON[0] = on


def total(value: Any) -> bool:
    """Whether any two of the kind are in order, so that sorting forgets the order that there was."""
    return isinstance(value, str | bytes) or ordered(value) or (type(value) is tuple and all(map(total, value)))


def one_order(value: Any) -> bool:
    """Whether a set is read in the same order in every process."""
    held = elements(value)
    return len(held) < 2 or all(map(ordered, held))


def _plain(operation: str, base: type) -> Any:
    real = getattr(base, operation)

    def call(self: Any, *given: Any) -> Any:
        made = real(self, *given)
        return type(self)(elements(made)) if isinstance(made, base) else made

    return call


def _iterated(self: Any) -> Any:
    if not one_order(self):
        raise refuse(*UNORDERED)
    return iter(elements(self))


OPERATIONS = (
    "__or__ __and__ __sub__ __xor__ __ror__ __rand__ __rsub__ __rxor__ union intersection difference "
    "symmetric_difference copy"
)


class Set(set[Any]):
    """A set that is read in order only where its order is the same in every process."""

    __iter__ = _iterated
    locals().update({name: _plain(name, set) for name in OPERATIONS.split()})

    def pop(self) -> Any:
        iter(self)
        return super().pop()

    def __repr__(self) -> str:
        return f"{{{', '.join(map(repr, self))}}}" if self else "set()"


class Frozen(frozenset[Any]):
    """The same of a frozenset."""

    __iter__ = _iterated
    locals().update({name: _plain(name, frozenset) for name in OPERATIONS.split()})

    def __repr__(self) -> str:
        return f"frozenset({{{', '.join(map(repr, self))}}})" if self else "frozenset()"


def in_order(real: Callable[..., Any]) -> Callable[..., Any]:
    def call(*given: Any, **named: Any) -> Any:
        if given and isinstance(given[0], set | frozenset) and not one_order(given[0]):
            if named.get("key") is not None:
                raise refuse(
                    f"{real.__name__}(..., key) of a set, which may leave ties in its order", "expected a list"
                )
            if not all(map(total, elements(given[0]))):
                raise refuse(f"{real.__name__}() of a set whose elements may be in no order", "expected a list")
            given = (elements(given[0]), *given[1:])
        return real(*given, **named)

    return call
