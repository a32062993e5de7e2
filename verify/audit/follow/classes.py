"""Classes that followed code may define, plain ones, dataclasses and enumerations; and those of Python's that the
prelude has."""

import collections
import enum
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial
from typing import Any

from shufflecert.verify.audit.follow.natives import METHODS, Args, Named, native, words
from shufflecert.verify.audit.follow.values import (
    UNBOUND,
    Class,
    Frame,
    Function,
    Generated,
    Instance,
    Native,
    Unknown,
    Wrapped,
    kind_name,
    refuse,
)

# Classes of Python's that the prelude has, and enumerations -----------------------------------------------------------

ENUM = Class("Enum", None, {}, [], python=enum.Enum)
LIKE_DICTS = {"Counter": collections.Counter, "defaultdict": collections.defaultdict}
OF_DICTS = frozenset({"keys", "values", "items", "get", "pop", "popitem", "setdefault", "clear"})


def bare(value: Any) -> Any:
    """The dict that a Counter or a defaultdict holds; anything else as it is."""
    if type(value) is Instance and value.kind.name in LIKE_DICTS and value.kind.python is not None:
        return value.attributes["_held"]
    return value


def of_member(value: Any, name: str) -> None:
    """Refuses a member that is asked of another one, as versions of Python give it or do not."""
    if type(value) is Instance and value.kind.is_a(ENUM) and name in members(value.kind):
        refuse(f"the member {name} of another member")


def enumeration(kind: Class) -> Any:
    """A class on Enum: each name that stands for a number, text or a tuple of these is a member, or for auto()."""
    held: dict[str, Instance] = {}
    given = {name: value for name, value in kind.attributes.items() if not _of_class(value)}
    numbered = {value for value in given.values() if type(value) is Wrapped and value.kind == "auto()"}
    if len(numbered) == len(given):
        given = dict(zip(given, range(1, len(given) + 1), strict=True))
    for name in kind.attributes:
        if name.startswith("_") or name in ("name", "value", "mro"):
            return Unknown(f"{kind.name} (an Enum with {name})", True)
    for name, value in given.items():
        if not _named(value):
            return Unknown(f"{kind.name} (an Enum with {name}, {kind_name(value)})", True)
        same = [one for one in held.values() if one.attributes["value"] == value]
        held[name] = kind.attributes[name] = same[0] if same else Instance(kind, {"name": name, "value": value})
    kind.python, kind.attributes[".members"] = enum.Enum, held
    return kind


def _of_class(value: Any) -> bool:
    return type(value) is Function or (type(value) is Wrapped and value.kind.endswith(("method", "property")))


def _named(value: Any) -> bool:
    if type(value) is tuple:
        return all(map(_named, value))
    return type(value) in (int, bool, str, bytes, Fraction, type(None)) or (type(value) is float and value == value)


def members(kind: Class) -> dict[str, Instance]:
    """The members of an enumeration, by name."""
    return kind.attributes.get(".members", {})  # type: ignore[no-any-return]


def member_of(kind: Class, args: Sequence[Any], named: dict[str, Any]) -> Instance:
    """The member with this value; ValueError where there is none."""
    if named or len(args) != 1 or not members(kind):
        refuse(f"{kind.name}() of these arguments", "one value")
    value = args[0]
    if type(value) is Instance and value.kind is kind:
        return value
    if not _named(value):
        refuse(f"{kind.name}() of {kind_name(value)}")
    for one in members(kind).values():
        if one.attributes["value"] == value:
            return one
    raise ValueError(f"{value} is no {kind.name}")


# Classes --------------------------------------------------------------------------------------------------------------

SPECIALS = {
    *words(
        "init post_init str repr eq ne lt le gt ge hash bool len call getitem setitem delitem iter contains neg pos "
        "invert doc module "
        "qualname match_args"
    ),
    *(prefix + name for name in METHODS.values() for prefix in ("", "r", "i")),
}


def class_of(frame: Frame) -> Any:
    """The class whose body has run; Unknown where it is none of the plain ones."""
    names = dict(frame.names)
    base, fields = names.pop(".base"), frame.made or []
    name = frame.code.name
    if base is object:
        base = None
    if type(base) is Class and base.python is not None and base is not ENUM:
        return Unknown(f"{name} (a class on {base.name})", True)
    if isinstance(base, Unknown) and base.own:
        refuse(f"the class {name} on {base.name}")
    if base is not None and type(base) is not Class:
        return Unknown(f"{name} (a class on {kind_name(base) if not isinstance(base, type) else base.__name__})", True)
    for key in names:
        if key.startswith("__") and key.strip("_") not in SPECIALS:
            return Unknown(f"{name} (a class with {key})", True)
    for value in names.values():
        if isinstance(value, Unknown):
            return Unknown(f"{name} (a class with {value.name})", True)
    if "__eq__" in names:
        names.setdefault("__hash__", None)
    made = Class(name, base, names, fields, python=None if frame.code.file else LIKE_DICTS.get(name))
    for cell in frame.cells.values():
        cell.value = made  # which `super()` asks for
    return enumeration(made) if base is ENUM else made


def fill(made_: Instance, kind: Class, args: Sequence[Any], named: dict[str, Any]) -> None:
    """The __init__ of a dataclass: Python's own, of a class with the same fields."""
    for key in kind.all_fields():
        if type(found := made_.kind.find(key)) is Wrapped:
            refuse(f"the field {key} of {made_.kind.name} under a {found.kind}")
    made_.attributes.update(vars(kind.stub(*args, **named)))


@native("dataclass")
def dataclass_(m: Any, kind: Any = None, /, **named: Any) -> Any:
    if set(named) - {"frozen", "eq", "repr", "init"} or any(type(v) is not bool for v in named.values()):
        return native("dataclass")(lambda m, kind: Unknown(f"a dataclass with {', '.join(named)}"))
    if kind is None:
        return native("dataclass")(lambda m, kind: _decorated(kind, named))
    return _decorated(kind, named)


def _decorated(kind: Any, named: Named) -> Any:
    if type(kind) is Class:
        if named.get("init") is False or kind.python is not None:
            refuse("dataclass(init=False)" if kind.python is None else f"dataclass of {kind_name(kind)}")
        kind.given, kind.stub = dict(named), dataclass(**named)(_stub(kind))
        _generate(kind)
    elif type(kind) is not Unknown:
        refuse(f"dataclass of {kind_name(kind)}")
    return kind


def _stub(kind: Class | None) -> Any:
    """A class of Python's with what a class has that bears on fields, and on those of classes below."""
    if kind is None or kind.stub is not None:
        return object if kind is None else kind.stub
    held = {name: value for name, value in kind.attributes.items() if not name.startswith("__")}
    made_of = {name: value.what for name, value in held.items() if type(value) is Wrapped and value.kind == "field"}
    held |= {name: field(**what) for name, what in made_of.items()}
    kind.stub = type(
        kind.name, (_stub(kind.base),), {**held, "__annotations__": dict.fromkeys(kind.fields, object), "__doc__": "-"}
    )
    return kind.stub


def _generate(kind: Class) -> None:
    """Puts the methods and defaults that a dataclass has into its class, but for methods that stand in it."""
    held, given = kind.attributes, kind.given or {}
    for name, value in list(held.items()):
        if type(value) is Wrapped and value.kind == "field":
            held.pop(name)
            held |= {name: value.what["default"]} if "default" in value.what else {}
    if given.get("eq", True):
        if "__hash__" not in held or (held["__hash__"] is None and "__eq__" in held):
            held["__hash__"] = Generated(kind) if given.get("frozen") else None
        held.setdefault("__eq__", Generated(kind))
    held.setdefault("__init__", Generated(kind))


@native("field")
def field_(m: Any, **named: Any) -> Any:
    if set(named) - {"default", "default_factory"}:
        return Unknown(f"field({', '.join(named)})")
    if named.get("default_factory", list) not in (list, dict, set):
        named["default_factory"] = partial(refuse, "a default_factory that is not list, dict or set")
    return Wrapped("field", named)


@native("replace")
def replace_(m: Any, value: Any, /, **named: Any) -> Any:
    if type(value) is not Instance or value.kind.given is None:
        refuse("replace of what is no dataclass")
    m.construct(m.frames[-1], value.kind, (), {key: value.part(key) for key in value.kind.all_fields()} | named)
    return UNBOUND


@lru_cache(None)
def filling(made: Generated) -> Native:
    """The __init__ that @dataclass has written, called by `super()`."""

    def call(m: Any, f: Frame, args: Args, named: Named) -> None:
        if made.of.find("__post_init__") is not UNBOUND or type(args[0]) is not Instance:
            refuse(f"the __init__ of {made.of.name} by super()")
        m.may_change(args[0])
        fill(args[0], made.of, args[1:], named)
        f.stack.append(None)

    return Native("__init__", call)


@native("__init__")
def NOTHING(m: Any, value: Any) -> None:
    """The __init__ of what is derived from nothing."""
