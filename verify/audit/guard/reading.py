"""What is read off code and classes before they are run: names that are refused, and kinds."""

import dis
import sys
import types
from typing import Any

from verify.audit.guard.allowed import ATTRIBUTES, of_package, of_python
from verify.errors import BadInput


def refuse_names(code: types.CodeType, name: str) -> None:
    texts = {part for part in code.co_consts if isinstance(part, str)}
    for key in {*code.co_names, *texts} & ATTRIBUTES:
        raise BadInput(f"{name}: line {code.co_firstlineno}: uses {key}: expected a function of x and rng alone")
    if any(step.opname == "MATCH_CLASS" for step in dis.get_instructions(code)):
        raise BadInput(f"{name}: line {code.co_firstlineno}: matches a class: expected isinstance() instead")


def called(function: Any) -> str:
    return getattr(function, "__name__", None) or type(function).__name__


def kind_of(function: Any) -> str:
    kind = type(function)
    return f"a {kind.__module__}.{kind.__qualname__}" if kind is not type else f"the class {function.__qualname__}"


def slots_of(kind: type) -> list[str]:
    listed = [vars(base).get("__slots__", ()) for base in kind.__mro__]
    return [slot for slots in listed for slot in ((slots,) if isinstance(slots, str) else slots) if slot[:2] != "__"]


def of_python_s(cls: type) -> bool:
    """Python's own bases of classes that hold no state of their own: Enum, Generic, Protocol, NamedTuple."""
    return cls.__module__ in ("enum", "typing", "abc", "collections.abc", "contextlib", "numbers")


def of_a_user(cls: type) -> bool:
    """Whether a class is made of Python code, and not of Python's library, numpy or a compiled module."""
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None) or ""
    if cls.__module__ == "builtins" or (file and (of_python(file) or not file.endswith(".py"))):
        return False
    return bool(cls.__flags__ & (1 << 9)) and not (of_package(file, "numpy") or of_package(file, "scipy"))
