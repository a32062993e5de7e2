"""The catalogue of systems: every module of the package `protocols` that defines one, found by looking."""

import pkgutil
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import MISSING, Field, fields
from fractions import Fraction
from functools import cache
from importlib import import_module
from inspect import cleandoc, isabstract
from types import ModuleType
from typing import Any

from shufflecert.verify.errors import BadInput, meant
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import shorten, text
from shufflecert.verify.systems.declare import Order, System
from shufflecert.verify.systems.population import without_presence
from shufflecert.verify.systems.python_file import from_python

PACKAGE = "shufflecert.protocols"  # where the systems are, each a module; imported when one is asked for
_SOURCE = re.compile(r"\(([^()]+)\)\.$")


def names() -> list[str]:
    """The names of all systems, sorted."""
    return [module for module in _modules() if _defined(module)]


def system_class(name: str | type[System]) -> type[System]:
    """The class of the system of this name, or that `my.py:Name` names; a class itself. Raises BadInput for an unknown
    name, with the closest known one.
    """
    if isinstance(name, type):
        return name
    if ".py:" in name:
        return _of_file(name)
    found = _defined(resolved(name)[0])
    if found is None:
        known = names()
        if name.lower().endswith(".csv"):
            table = f"{name[:-4]}.toml"
            raise BadInput(
                f"{name[:60]}: no system and no randomizer file: shufflecert import {name} -o {table} makes one"
            )
        refused: Mapping[str, str] = getattr(import_module(PACKAGE), "REFUSED", {})
        if why := refused.get(_plain(name)):
            raise BadInput(f"{name[:60]}: {' '.join(why.split())}")
        hint = meant(name, known) or ", and no file.toml, file.json or file.py:NAME" * ("." in name)
        raise BadInput(f"system: {name[:60]!r} is unknown{hint}: expected one of {', '.join(known)}")
    return found


def resolved(name: str) -> tuple[str, Mapping[str, str]]:
    """The name in the catalogue of a system that is called so, in capitals, with blanks or by a synonym, and what that
    fixes: ("olh", {"g": "2"}) for BLH. The name itself where there is no such system.
    """
    plain = _plain(name)
    return (plain, {}) if plain in _modules() else _synonyms().get(plain, (name, {}))


def _plain(name: str) -> str:
    return name.strip().lower().replace("-", "_").replace(" ", "_")


@cache
def _synonyms() -> dict[str, tuple[str, Mapping[str, str]]]:
    found = {name: _defined(name) for name in _modules()}
    return {
        _plain(synonym): (name, fixed)
        for name, system in found.items()
        if system is not None
        for synonym, fixed in system.SYNONYMS.items()
    }


@cache
def _of_file(name: str) -> type[System]:
    found = from_python(name, made=False)
    if not (isinstance(found, type) and issubclass(found, System)):
        raise BadInput(f"{name}: expected a class of systems, a verify.systems.declare.System")
    return found


def load(name: str | type[System], parameters: Mapping[str, str]) -> System:
    """The system of this name or class with these parameters, each read exactly from its text.

    Raises BadInput for an unknown system, an unknown or a missing parameter, and a value that its reader refuses.
    """
    system, fixed = system_class(name), {} if isinstance(name, type) else resolved(name)[1]
    name = called(name)
    declared, known = {field.name: field for field in _fields(system)}, _names(system)
    for given in fixed.keys() & parameters.keys():
        raise BadInput(f"{name}: {given}: expected none, it is {resolved(name)[0]} with {given}={fixed[given]}")
    parameters = {**fixed, **parameters}
    for given in parameters:
        if given not in known:
            raise BadInput(
                f"{name}: {given[:60]!r} is not a parameter{meant(given, known)}: expected {', '.join(known)}"
            )
    local = parameters.get("eps0") if "eps0" not in declared else None
    if local is not None:
        parameters = _of_local(system, parameters)
    for field in declared.values():
        if field.default is MISSING and field.name not in parameters:
            instead = ", or eps0, the local eps, in its place" if field.name == system.LOCAL else ""
            form = f"{field.metadata['meaning']}, as in -p {field.name}={_example(field)}"
            raise BadInput(f"{name}: no value for {field.name}: expected {form}{instead}")
    made = system(**parameters)
    if local is not None:
        object.__setattr__(made, "local_as_given", local.strip())  # for people: it changes no answer
    return made


def _example(field: Field[Any]) -> str:
    """A value that is read."""
    for value in ("4", "1/4", "1"):
        with suppress(BadInput):
            field.metadata["read"](value, field.name)
            return value
    return "..."


def _of_local(system: type[System], parameters: Mapping[str, str]) -> dict[str, str]:
    """The parameters with what `eps0`, the local eps, makes of one of them in its place."""
    given = {key: value for key, value in parameters.items() if key != "eps0"}
    if system.LOCAL in given:
        raise BadInput(f"eps0: {system.LOCAL} is given as well: expected one of the two")
    return {**given, system.LOCAL: text(system.from_local(Eps.of(parameters["eps0"], "eps0"), given))}


def system(name: str, **parameters: object) -> System:
    """A system by name, system("krr", k=3, gamma="3/10"): values are integers, Fractions, or exact text.

    Raises BadInput as `load` does, and for a float.

        >>> system("krr", k=3, gamma="0.3").gamma
        Fraction(3, 10)
    """
    for key, value in parameters.items():
        if isinstance(value, float):
            raise BadInput(f'{name}: {key} = {value!r} is a float, and floats are not exact: write "{value!r}"')
    return load(name, {key: str(value) for key, value in parameters.items()})


def prescribe(name: str | type[System], given: Mapping[str, str], n: int, eps: Eps, delta: Fraction) -> dict[str, str]:
    """Complete the `given` parameters, as text, by what the system's paper prescribes for n users and (eps, delta).

    Irrational values are rounded to 64 bits on the private side. Raises BadInput where the paper prescribes nothing,
    or nothing for this target.
    """
    system = system_class(name)
    if not system.offers("paper"):
        raise BadInput(f"--paper: {called(name)}: its paper prescribes no parameters: expected them with -p")
    if delta <= 0:
        raise BadInput(f"--paper: delta = {shorten(delta)}: expected delta > 0")
    values = system.paper(n, eps, delta, given) or {}
    return {**{key: text(value) for key, value in values.items() if key not in given}, **given}


def parameters(name: str) -> tuple[str, ...]:
    """The names of a system's parameters, with eps0 where it may stand for one. Raises BadInput for an unknown one."""
    return _names(system_class(name))


def _names(system: type[System]) -> tuple[str, ...]:
    known = tuple(field.name for field in _fields(system))
    return (*known, "eps0") if system.LOCAL else known


def orders(name: str | type[System]) -> dict[str, Order | None]:
    """Which values of each parameter have more noise; None where not known. Raises BadInput for an unknown system."""
    return {field.name: field.metadata["order"] for field in _fields(system_class(name))}


def defaults(name: str | type[System]) -> dict[str, str]:
    """The parameters of a system that need not be given, with their default values as text."""
    return {field.name: str(field.default) for field in _fields(system_class(name)) if field.default is not MISSING}


def values(system: object) -> dict[str, str]:
    """The parameters of a system as text; {} for anything that is no system."""
    system = without_presence(system)
    if not isinstance(system, System):
        return {}
    shown = {field.name: getattr(system, field.name) for field in _fields(type(system))}
    return {
        name: text(Fraction(value)) if isinstance(value, int | Fraction) else str(value)
        for name, value in shown.items()
    }


def as_given(system: object) -> dict[str, str]:
    """The parameters as text with the local eps that was given in the place of the one that it set; {} without one."""
    made = without_presence(system)
    local = made.local_as_given if isinstance(made, System) else ""
    return {**{key: value for key, value in values(made).items() if key != made.LOCAL}, "eps0": local} if local else {}


def name_of(system: object) -> str:
    """What a system is called in the catalogue; of anything else the name of its class, in lower case."""
    return called(type(without_presence(system)))


def called(system: str | type) -> str:
    """As `name_of`, of a class; a name itself."""
    if isinstance(system, str):
        return system
    known = system.__module__.rpartition(".")
    return known[2] if known[0] == PACKAGE else system.__name__.lower()


def describe() -> list[dict[str, Any]]:
    """Every system as a plain tree: name, what, parameters, views, source, reach, accuracy, paper.

    `parameters` holds name, meaning and default (text, None where a value must be given); `eps0_sets` names the one in
    the place of which a local eps may be given, None where there is none; `source` is the citation that
    closes the first paragraph of the module's docstring; `reach` says how far answers go for large n, and why;
    `accuracy` and `paper` whether the analyzer's error and the paper's parameters are known.
    """
    return [_described(name) for name in names()]


def _described(name: str) -> dict[str, Any]:
    system = system_class(name)
    opening = " ".join(cleandoc(_module(name).__doc__ or "").split("\n\n", 1)[0].split())
    source = _SOURCE.search(opening)
    return {
        "name": name,
        "synonyms": list(system.SYNONYMS),
        "what": cleandoc(system.__doc__ or "").split("\n", 1)[0],
        "parameters": [_parameter(field) for field in _fields(system)],
        "eps0_sets": system.LOCAL or None,
        "views": list(system.VIEWS),
        "source": source[1] if source else opening,
        "reduction": system.offers("reduction"),
        "reach": " ".join(system.REACH.split()),
        "accuracy": system.offers("accuracy"),
        "paper": system.offers("paper"),
        "tasks": [task for task, buckets in TASKS if system.serves(task, buckets) is not None],
    }


TASKS = (("sum", None), ("histogram", 2), ("mean", None))  # each with some buckets


def _parameter(field: "Field[Any]") -> dict[str, str | None]:
    default = None if field.default is MISSING else str(field.default)
    return {"name": field.name, "meaning": field.metadata["meaning"], "default": default}


def _fields(system: type[System]) -> tuple["Field[Any]", ...]:
    return fields(system)  # type: ignore[arg-type]


def _modules() -> list[str]:
    return _modules_of(tuple(import_module(PACKAGE).__path__))


@cache
def _modules_of(folders: tuple[str, ...]) -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(folders))


def _module(name: str) -> ModuleType:
    return import_module(f"{PACKAGE}.{name}")


def _defined(name: str) -> type[System] | None:
    """The system that a module of the package defines, None where there is none; an imported one is not its own."""
    if name not in _modules():
        return None
    module = _module(name)
    classes = [c for c in vars(module).values() if isinstance(c, type) and c.__module__ == module.__name__]
    return next((c for c in classes if issubclass(c, System) and not isabstract(c)), None)
