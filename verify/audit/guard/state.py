"""What a call has changed of all that outlives it: nothing, or the law of one call is not that of the next.

Whatever can be changed and is reached is watched, each thing by what it holds: lists, dictionaries, attributes and
globals by the identity of their parts (numbers and text by value), arrays by their bytes.
"""

from collections.abc import Callable
from operator import is_
from types import CellType, FunctionType
from typing import Any

from verify.audit.guard.allowed import IMMUTABLE
from verify.audit.guard.guarded import elements
from verify.audit.guard.reading import slots_of

MISSING = object()
HEAP = 1 << 9  # of a type's flags: it can be changed


class State:
    """Things that are watched, and what they held."""

    def __init__(self) -> None:
        self.names: list[tuple[dict[str, Any], str, Any]] = []
        self.named: set[tuple[int, str]] = set()
        self.classes: dict[type, tuple[Any, ...]] = {}
        self.held: list[tuple[Any, Callable[[Any], Any], Any]] = []
        self.watched: dict[int, Any] = {}

    def watch(self, value: Any) -> None:
        if id(value) in self.watched:
            return
        self.watched[id(value)] = value
        for look in _looks(value):
            self.held.append((value, look, look(value)))

    def watch_name(self, names: dict[str, Any], name: str) -> None:
        if (id(names), name) not in self.named:
            self.named.add((id(names), name))
            self.names.append((names, name, names.get(name, MISSING)))

    def watch_class(self, cls: type) -> None:
        self.classes[cls] = _of_class(cls)

    def watch_known(self, value: Any) -> None:
        """What is Python's or numpy's own, on which a function could still hang something."""
        if isinstance(value, type):
            if value.__flags__ & HEAP and value not in self.classes:
                self.watch_class(value)
        elif isinstance(getattr(value, "__dict__", None), dict):
            self.watch(value)

    def changed(self) -> str:
        """What is not as it was, in words; nothing where all is."""
        for names, name, old in self.names:
            new = names.get(name, MISSING)
            if new is not old and not same(new, old):
                return f"the global {name}"
        for value, look, before in self.held:
            after = look(value)
            if not alike(after, before):
                return _told(value)
        for cls, before in self.classes.items():
            if not alike(_of_class(cls), before):
                return f"the class {cls.__name__}"
        return ""

    def restore(self) -> None:
        """Puts back what has changed, so that another walk begins from the same state."""
        for names, name, old in self.names:
            if old is MISSING:
                names.pop(name, None)
            else:
                names[name] = old
        for value, look, before in self.held:
            if not alike(look(value), before):
                PUT[look](value, before)
        for cls, before in self.classes.items():
            _put_class(cls, before)


def _put_class(cls: type, before: tuple[Any, ...]) -> None:
    half = len(before) // 2
    old = dict(zip(before[:half], before[half:], strict=True))
    for key in {*vars(cls)} - {*old} - {"__abstractmethods__", "__annotations__"}:
        delattr(cls, key)
    for key, value in old.items():
        if vars(cls).get(key, MISSING) is not value:
            setattr(cls, key, value)


def _of_class(cls: type) -> tuple[Any, ...]:
    held = {key: value for key, value in vars(cls).items() if key not in ("__abstractmethods__", "__annotations__")}
    return (*held, *held.values())


def _looks(value: Any) -> list[Callable[[Any], Any]]:
    """How to read all that a thing holds."""
    if isinstance(value, CellType):
        return [_of_cell]
    if isinstance(value, FunctionType):
        return [_of_function]
    looks: list[Callable[[Any], Any]] = []
    if isinstance(value, dict):
        looks.append(_of_dict)
    elif isinstance(value, bytearray):
        looks.append(bytes)
    elif hasattr(type(value), "tobytes"):
        looks.append(_of_array)
    elif isinstance(value, set | frozenset):
        looks.append(_of_set)
    elif isinstance(value, list) or type(value).__name__ == "deque":
        looks.append(tuple)
    if getattr(value, "__dict__", None) is not None:
        looks.append(_of_attributes)
    return [*looks, _of_slots] if slots_of(type(value)) else looks


def _of_slots(value: Any) -> tuple[Any, ...]:
    return tuple(getattr(value, slot, MISSING) for slot in slots_of(type(value)))


def _of_cell(cell: CellType) -> tuple[Any, ...]:
    try:
        return (cell.cell_contents,)
    except ValueError:
        return ()


def _of_function(function: Any) -> tuple[Any, ...]:
    own, named = function.__dict__, function.__kwdefaults__ or {}
    return (*(function.__defaults__ or ()), *named.values(), *own, *own.values())


def _of_dict(value: dict[Any, Any]) -> tuple[Any, ...]:
    return (*dict.keys(value), *dict.values(value))


def _of_set(value: Any) -> tuple[Any, ...]:
    return tuple(elements(value))


def _of_array(value: Any) -> Any:
    if str(getattr(value, "dtype", "")) == "object":
        return tuple(value.ravel().tolist())
    return (value.tobytes(), getattr(value, "shape", ()), str(getattr(value, "dtype", "")))


def _of_attributes(value: Any) -> tuple[Any, ...]:
    return _of_dict(value.__dict__)


def alike(new: Any, old: Any) -> bool:
    """Whether two readings hold the same things: the same objects, or equal numbers and texts."""
    if type(new) is bytes:
        return bool(new == old)
    if len(new) != len(old):
        return False
    return all(map(is_, new, old)) or all(map(same, new, old))


def same(new: Any, old: Any) -> bool:
    if new is old:
        return True
    if type(new) is not type(old):
        return False
    if type(new) is tuple:
        return len(new) == len(old) and all(map(same, new, old))
    if type(new) in IMMUTABLE:
        return bool(new == old) and repr(new) == repr(old)
    return False


def _told(value: Any) -> str:
    if isinstance(value, CellType):
        return "a variable of an enclosing function"
    if isinstance(value, FunctionType):
        return f"the defaults or attributes of {value.__name__}"
    kind = type(value).__name__
    return (
        f"a {kind} that outlives the call"
        if isinstance(value, dict | list | set | bytearray)
        else f"the state of a {kind}"
    )


def _put_dict(value: Any, before: tuple[Any, ...]) -> None:
    half = len(before) // 2
    dict.clear(value)
    dict.update(value, zip(before[:half], before[half:], strict=True))


def _put_list(value: Any, before: tuple[Any, ...]) -> None:
    value.clear()
    value.extend(before)


def _put_array(value: Any, before: Any) -> None:
    if isinstance(before[0], bytes) and hasattr(value, "dtype"):
        import numpy

        value[...] = numpy.frombuffer(before[0], dtype=value.dtype).reshape(value.shape)


def _put_slots(value: Any, before: tuple[Any, ...]) -> None:
    for slot, old in zip(slots_of(type(value)), before, strict=True):
        if old is MISSING:
            delattr(value, slot)
        else:
            object.__setattr__(value, slot, old)


def _put_function(function: Any, before: tuple[Any, ...]) -> None:
    rest = before[len(function.__defaults__ or ()) + len(function.__kwdefaults__ or {}) :]
    _put_dict(function.__dict__, rest)


def _put_cell(cell: CellType, before: tuple[Any, ...]) -> None:
    if before:
        cell.cell_contents = before[0]
    else:
        del cell.cell_contents


PUT: dict[Callable[[Any], Any], Callable[[Any, Any], None]] = {
    _of_cell: _put_cell,
    _of_function: _put_function,
    _of_dict: _put_dict,
    bytes: _put_list,
    _of_array: _put_array,
    _of_set: lambda value, before: (value.clear(), value.update(before))[0],
    tuple: _put_list,
    _of_attributes: lambda value, before: _put_dict(value.__dict__, before),
    _of_slots: _put_slots,
}
