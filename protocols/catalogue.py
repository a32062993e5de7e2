"""What systems there are: the modules of this package that define one, found by looking."""

import pkgutil
import re
from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from difflib import get_close_matches
from importlib import import_module
from inspect import cleandoc, isabstract
from types import ModuleType
from typing import Any

import protocols
from protocols.parameters import System
from verify.errors import BadInput
from verify.shuffle import VIEWS

_SOURCE = re.compile(r"\(([^()]+)\)\.$")


def names() -> list[str]:
    """The systems by name, sorted."""
    return [module for module in _modules() if _defined(module)]


def system_class(name: str) -> type[System]:
    """The class of a system. Raises BadInput for an unknown name, with the closest known one."""
    found = _defined(name) if name in _modules() else None
    if found is None:
        known = names()
        close = get_close_matches(name, known, 1)
        hint = f" (did you mean {close[0]}?)" if close else ""
        raise BadInput(f"system: {name[:60]!r} is unknown{hint}: expected one of {', '.join(known)}")
    return found


def load(name: str, parameters: Mapping[str, str]) -> System:
    """The system with these parameters, each read exactly from its text.

    Raises BadInput for an unknown system, an unknown or a missing parameter, and a value that its reader refuses.
    """
    system = system_class(name)
    declared = {field.name: field for field in _fields(system)}
    for given in parameters:
        if given not in declared:
            raise BadInput(f"{name}: {given[:60]!r} is not a parameter: expected {', '.join(declared)}")
    for field in declared.values():
        if field.default is MISSING and field.name not in parameters:
            raise BadInput(f"{name}: no value for {field.name}: expected {field.metadata['meaning']}")
    return system(**parameters)


def describe() -> list[dict[str, Any]]:
    """Every system as a plain tree: name, what, parameters, views, source, reduction.

    `parameters` holds name, meaning and default (text, None where a value must be given); `source` is the citation that
    closes the first paragraph of the module's docstring; `reduction` says whether a proved one is there.
    """
    return [_described(name) for name in names()]


def _described(name: str) -> dict[str, Any]:
    system = system_class(name)
    opening = " ".join(cleandoc(_module(name).__doc__ or "").split("\n\n", 1)[0].split())
    source = _SOURCE.search(opening)
    return {
        "name": name,
        "what": cleandoc(system.__doc__ or "").split("\n", 1)[0],
        "parameters": [_parameter(field) for field in _fields(system)],
        "views": list(VIEWS),
        "source": source[1] if source else opening,
        "reduction": hasattr(system, "reduction"),
    }


def _parameter(field: "Field[Any]") -> dict[str, str | None]:
    default = None if field.default is MISSING else str(field.default)
    return {"name": field.name, "meaning": field.metadata["meaning"], "default": default}


def _fields(system: type[System]) -> tuple["Field[Any]", ...]:
    return fields(system)  # type: ignore[arg-type]


def _modules() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(protocols.__path__))


def _module(name: str) -> ModuleType:
    return import_module(f"{protocols.__name__}.{name}")


def _defined(name: str) -> type[System] | None:
    """The system that a module of the package defines, None where it defines none; an imported one is not its own."""
    module = _module(name)
    classes = [c for c in vars(module).values() if isinstance(c, type) and c.__module__ == module.__name__]
    return next((c for c in classes if issubclass(c, System) and not isabstract(c)), None)
