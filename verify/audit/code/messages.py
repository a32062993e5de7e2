"""What a function sends, as messages with labels; what cannot be one is refused."""

import re
from collections.abc import Hashable
from operator import index
from typing import Any

from verify.audit.rng.exact_input import Waiting
from verify.audit.rng.symbolic_draw import Draw, Whole
from verify.errors import BadInput
from verify.exact.randomizer import MAX_LABEL, Messages, label

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]{6,}")


class Names:
    """The text that every message stands for, once."""

    def __init__(self) -> None:
        self.known: dict[str, Hashable] = {}
        self.short: dict[tuple[type, Any], str] = {}  # 1, 1.0 and True are equal, but not all of them are messages

    def messages(self, sent: Any) -> Messages:
        """A function's output as labels: a tuple of messages, or one bare message."""
        if sent is None:
            raise BadInput("returns None: expected a tuple of messages, () for none")
        return tuple(self.label(m) for m in (sent if isinstance(sent, tuple) else (sent,)))

    def label(self, message: Any) -> str:
        kind = type(message)
        if kind is not int and kind is not str:
            return self._label(message)
        if (kind, message) not in self.short:
            self.short[kind, message] = self._label(message)
        return self.short[kind, message]

    def _label(self, message: Any) -> str:
        plain = _plain(message)
        if isinstance(plain, str) and ADDRESS.search(plain):
            raise BadInput(f"sends the address of an object, {plain[:60]}: expected what is the same in every process")
        name = label(plain if isinstance(plain, str | int) else _written(plain), "message")
        if self.known.setdefault(name, plain) != plain:
            raise BadInput(f"sends {self.known[name]!r} and {plain!r}, which are both written {name}")
        return name


def _plain(message: Any) -> Hashable:
    """A message without numpy's types; raises BadInput for floats and what cannot be a message."""
    if isinstance(message, str | bytes):
        return bytes(message) if isinstance(message, bytes) else str(message)  # numpy's are written otherwise
    if isinstance(message, Waiting) or (hasattr(message, "shape") and message.shape):
        message = _arrived(message)
    if isinstance(message, tuple):
        return tuple(_plain(part) for part in message)
    if isinstance(message, frozenset):
        return frozenset(_plain(part) for part in frozenset.__iter__(message))
    try:
        return index(message)
    except TypeError:
        pass
    if type(message).__name__ in ("bool", "bool_"):
        return int(message)
    if message is float or isinstance(message, float | complex) or hasattr(message, "__float__"):
        raise BadInput("sends a float: expected a tuple of hashable messages: text, integers, tuples of these")
    try:
        hash(message)
    except TypeError:
        kind = type(message).__name__
        raise BadInput(f"sends a {kind}, which cannot be hashed: expected a tuple of hashable messages") from None
    return message  # type: ignore[no-any-return]


def _arrived(message: Any) -> Any:
    """A number that could wait so far."""
    if isinstance(message, Whole) and isinstance(message.like, int):
        return message.__index__()
    if isinstance(message, Draw):
        return message.__index__() if hasattr(message.like, "__index__") else float
    raise BadInput("sends an array: expected a tuple of messages, such as tuple(array.tolist())")


def _written(plain: Any) -> str:
    if isinstance(plain, frozenset):
        return "{" + ", ".join(sorted(map(_written, plain))) + "}"
    if isinstance(plain, tuple):
        return "(" + ", ".join(map(_written, plain)) + ("," if len(plain) == 1 else "") + ")"
    return repr(plain)


def label_of(value: Any, what: str) -> str:
    plain = _plain(value) if isinstance(value, Hashable) else value
    return label(plain if isinstance(plain, str | int) else _written(plain)[:MAX_LABEL], what)
