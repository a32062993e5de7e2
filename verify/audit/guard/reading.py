"""What is read off code and classes before they are run: names that are refused, sets without an order, kinds."""

import dis
import sys
import types
from typing import Any

from verify.audit.guard.allowed import ATTRIBUTES, of_package, of_python
from verify.audit.guard.guarded import ordered
from verify.errors import BadInput

TEXT = {"str", "chr", "repr", "bytes", "format", "ascii", "hex", "bin", "oct", "join", "decode", "encode"}
VIEWS = ("|", "&", "^", "|=", "&=", "^=")
GROWS = {"add", "update", "union", "__ior__", "__or__"}
SET_OPERATIONS = {"BUILD_SET", "SET_ADD", "SET_UPDATE"}


def refuse_names(code: types.CodeType, name: str) -> None:
    texts = {part for part in code.co_consts if isinstance(part, str)}
    for key in {*code.co_names, *texts} & ATTRIBUTES:
        raise BadInput(f"{name}: line {code.co_firstlineno}: uses {key}: expected a function of x and rng alone")
    if any(step.opname == "MATCH_CLASS" for step in dis.get_instructions(code)):
        raise BadInput(f"{name}: line {code.co_firstlineno}: matches a class: expected isinstance() instead")


def read(
    code: types.CodeType, steps: list[dis.Instruction], name: str, texts: bool, unordered: str
) -> tuple[bool, str]:
    """(whether there is text, where a set may hold it), of this code and of what was read before."""
    refuse_names(code, name)
    unordered, texts = unordered or unordered_sets(code, steps, name), texts or has_text(code)
    if unordered and texts:
        raise BadInput(
            f"{unordered}: a set {{...}} where there is text, whose order is another in every process: expected"
            " sorted(set(...)), a list, or a tuple; else audit it with --black-box"
        )
    return texts, unordered


def unordered_sets(code: types.CodeType, steps: list[dis.Instruction], name: str) -> str:
    """Where set displays stand whose order may be another in every process, if what they hold is text; else nothing."""
    named = {*code.co_names}
    if {"keys", "items"} & named and any(s.opname == "BINARY_OP" and s.argrepr in VIEWS for s in steps):
        return f"{name}: line {code.co_firstlineno}"
    for at, step in enumerate(steps[:-1]):
        if _unordered(code, steps, at, step):
            return f"{name}: line {code.co_firstlineno}"
    return ""


def _unordered(code: types.CodeType, steps: list[dis.Instruction], at: int, step: dis.Instruction) -> bool:
    after = steps[at + 1]
    if step.opname == "LOAD_CONST" and isinstance(step.argval, frozenset):
        return after.opname != "CONTAINS_OP" and not all(map(ordered, step.argval))
    if step.opname not in SET_OPERATIONS or after.opname == "CONTAINS_OP":
        return False
    if step.opname == "BUILD_SET":
        parts = steps[at - step.argval : at] if step.argval else []
        if all(part.opname == "LOAD_CONST" and ordered(part.argval) for part in parts) and not GROWS & {*code.co_names}:
            return False
    return True


def has_text(code: types.CodeType) -> bool:
    doc = code.co_consts[:1]
    texts = [part for part in code.co_consts[len(doc) :] if isinstance(part, str | bytes)]
    texts += [part for part in doc if isinstance(part, bytes)]
    return (
        bool(texts)
        or bool(TEXT & {*code.co_names})
        or any(step.opname in ("FORMAT_VALUE", "BUILD_STRING") for step in dis.get_instructions(code))
    )


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
