"""Addresses, which are others in every process: in the text of functions and bare objects, in the order of sets."""

import dis
import re
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any

from verify.audit.guard.allowed import of_python
from verify.audit.guard.guarded import HERE, refuse
from verify.errors import BadInput

WRITES = {"str", "repr", "ascii", "format", "format_map", "Template", "dumps"}
ONLY_ASKED = ("KW_NAMES", "LOAD_ATTR", "LOAD_METHOD", "STORE_ATTR", "COPY", "IS_OP")  # of a function
FIELD = re.compile(r"\{\w*[^{}:]*\.[A-Za-z_]")
METHODS = {name for kind in (list, dict, set, str, bytes) for name in dir(kind)} - {"__class__", "__doc__", "copy"}
CALLED_AT_ONCE = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")


def no_text(self: Any) -> str:
    """The __repr__ of objects that have none of their own."""
    raise refuse(f"makes text of a {type(self).__name__}, which holds its address", "expected a __repr__ of its own")


def no_hash(self: Any) -> int:
    """The __hash__ of objects that have none of their own."""
    raise refuse(f"hashes a {type(self).__name__} by its address", "expected a __hash__ of its own, or lists")


class Addresses:
    """What is read of all code that a function reaches: where text is made, where functions are more than called."""

    def __init__(self) -> None:
        self.writes = self.hands_on = ""

    def read(self, code: CodeType, steps: list[dis.Instruction], held: Any, where: str, unordered: str) -> None:
        self.writes = self.writes or unordered or (where if makes_text(code, steps, held) else "")
        self.hands_on = self.hands_on or (where if hands_on(steps, held) or asks_by_text(code, steps, held) else "")
        if self.writes and self.hands_on:
            raise BadInput(
                f"{self.hands_on}: passes a function on, where text or a set is made ({self.writes}), which may hang on"
                " its address: expected functions that are only called, or named in a call (key=...); else audit it"
                " with --black-box"
            )

    @staticmethod
    def keep(cls: Any, undo: list[Callable[[], object]]) -> bool:
        """Whether text and hashes of a class's objects are its own, or are refused from now on."""
        for name, mine in (("__repr__", no_text), ("__hash__", no_hash)):
            if getattr(cls, name) is not getattr(object, name):
                continue
            try:
                setattr(cls, name, mine)
            except (TypeError, AttributeError):
                return False
            undo.append(lambda name=name: delattr(cls, name))  # type: ignore[misc]
        return True


def building(real: Callable[..., Any]) -> Callable[..., Any]:
    """builtins.__build_class__, for classes that are made while a function runs."""

    def built(body: Any, name: str, *bases: Any, **named: Any) -> Any:
        cls = real(body, name, *bases, **named)
        file = body.__code__.co_filename
        if not of_python(file) and not file.startswith(HERE) and not Addresses.keep(cls, []):
            raise refuse(f"makes the class {name}, whose objects' text or hash may hold an address")
        return cls

    return built


def makes_text(code: CodeType, steps: list[dis.Instruction], held: dict[str, Any]) -> bool:
    """Whether code formats values."""
    called = {step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_METHOD", "LOAD_ATTR")}
    if called & WRITES or any(step.opname == "FORMAT_VALUE" for step in steps):
        return True
    texts = [*code.co_consts, *(held.get(name) for name in code.co_names)]
    percent = any(step.opname == "BINARY_OP" and step.argrepr in ("%", "%=") for step in steps)
    return percent and any(isinstance(text, str | bytes) and "%" in str(text) for text in texts)


def asks_by_text(code: CodeType, steps: list[dis.Instruction], held: dict[str, Any]) -> bool:
    """Whether attributes are named in a format ("{0.append}"), or methods of data are values."""
    texts = [*code.co_consts, *(held.get(name) for name in code.co_names)]
    if any(isinstance(text, str) and FIELD.search(text) for text in texts):
        return True
    return any(step.opname == "LOAD_ATTR" and step.argval in METHODS for step in steps)


def hands_on(steps: list[dis.Instruction], held: dict[str, Any]) -> bool:
    """Whether code does more with functions than call them, or give them to a call by name, as key=: stores them,
    passes them on, or makes text of them, which would hold their address."""
    stored = set[str]()
    for before, step, after in zip(steps, steps[1:], steps[2:], strict=False):
        if step.opname == "MAKE_FUNCTION":
            function = before.argval.co_name not in CALLED_AT_ONCE and before.argval.co_name != after.argval
        elif step.opname == "LOAD_GLOBAL":
            function = not (step.arg or 0) & 1 and type(held.get(step.argval)) is FunctionType
        else:
            loaded = step.opname in ("LOAD_FAST", "LOAD_DEREF") and step.argval in stored
            function = loaded and before.opname != "PUSH_NULL"
        if function and after.opname in ("STORE_FAST", "STORE_DEREF", "STORE_NAME"):
            stored.add(after.argval)
        elif function and after.opname not in ONLY_ASKED:
            return True
    return False
