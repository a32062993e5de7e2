"""What a function sends, as messages with labels: what it returns is one message, what it yields are several.

Messages are integers, booleans, text, bytes, Fractions, and tuples and frozensets of these, of exactly these types;
lists and arrays are read as tuples, numpy's numbers as Python's, and None as nothing sent. Two are the same if and only
if they are equal in type and value.
"""

from collections.abc import Hashable
from fractions import Fraction
from typing import Any

import numpy

from shufflecert.verify.audit.rng.draws import Draw, Draws, Whole
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import MAX_LABEL, Messages, label

EXPECTED = "expected text, integers, booleans, bytes, Fractions, or tuples of these"
AS_THEY_ARE = (str, int, bool, bytes, Fraction, type(None))


def sent(value: Any, each: bool) -> tuple[Hashable, ...]:
    """What a function returned, as plain messages: one, or with `each` the elements. Raises BadInput for others."""
    if value is None:
        return ()
    if not each:
        return (plain(value),)
    kind = type(value)
    if kind is Draws or (kind is not tuple and kind is not list and kind is not numpy.ndarray):
        raise BadInput(f"returns {_shown(value)}, which has no elements (--each): expected a tuple or a list")
    return tuple(map(plain, value))


def plain(message: Any) -> Hashable:
    """A message without numpy's types and without lists. Raises BadInput for what cannot be a message."""
    kind = type(message)
    if kind in AS_THEY_ARE:
        return message  # type: ignore[no-any-return]
    if kind is tuple or kind is list:
        return tuple(map(plain, message))
    if kind is Whole and isinstance(message.like, int | numpy.integer):
        return int(message._one())
    if kind is numpy.ndarray and message.dtype.kind in "biuSU":
        return plain(message.tolist())
    if kind is frozenset:
        return frozenset(map(plain, frozenset.__iter__(message)))
    if kind is numpy.bool_:
        return bool(message)
    if kind.__module__ == "numpy" and issubclass(kind, numpy.integer | numpy.str_ | numpy.bytes_):
        return message.item()  # type: ignore[no-any-return]
    if kind in (Draw, Whole, Draws, float) or (kind.__module__ == "numpy" and issubclass(kind, numpy.floating)):
        raise BadInput(f"sends a float: {EXPECTED}")
    raise BadInput(f"sends {_shown(message)}: {EXPECTED}")


def _shown(value: Any) -> str:
    kind = getattr(value, "kind", None)  # of an object of a followed class
    return one_of(getattr(kind, "name", None) or type(value).__name__)


def one_of(name: str) -> str:
    """A name of a kind with its article."""
    return f"{'an' if name[:1] in 'aeioAEIO' else 'a'} {name}"


class Names:
    """The text that every message stands for, once."""

    def __init__(self) -> None:
        self.known: dict[str, Hashable] = {}

    def messages(self, listed: tuple[Hashable, ...]) -> Messages:
        """Plain messages as labels. Raises BadInput where two that differ are written alike."""
        return tuple(map(self.label, listed))

    def label(self, message: Hashable) -> str:
        """The text of one."""
        name = label(message if type(message) in (str, int) else written(message), "message")
        typed = _typed(message)
        if self.known.setdefault(name, typed) != typed:
            raise BadInput(
                f"sends two messages that differ in their types and are both written {name}: expected one of them"
                " converted, by int(...) or str(...)"
            )
        return name


def _typed(message: Any) -> Hashable:
    if type(message) is tuple:
        return tuple(map(_typed, message))
    if type(message) is frozenset:
        return frozenset, frozenset(map(_typed, message))
    return type(message), message


def written(message: Any) -> str:
    """A plain message as text."""
    if type(message) is frozenset:
        return "{" + ", ".join(sorted(map(written, message))) + "}"
    if type(message) is tuple:
        return "(" + ", ".join(map(written, message)) + ("," if len(message) == 1 else "") + ")"
    return str(int(message)) if type(message) is bool else repr(message)


def label_of(value: Any, what: str) -> str:
    """The label of an input."""
    try:
        shown = plain(value)
    except BadInput:
        return label(repr(value)[:MAX_LABEL], what)
    return label(shown if isinstance(shown, str) else written(shown)[:MAX_LABEL], what)
