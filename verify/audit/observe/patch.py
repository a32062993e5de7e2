"""`--patch`: rng in the place of a module's own source of randomness, for as long as a function runs.

A library that draws from `random` or `numpy.random` has no parameter for a source. `mylib.mech.random` names what the
module `mylib.mech` sees as `random`; while the function runs, that name leads to rng, and then again to what it was.
What stands there decides what takes its place: the modules `random`, `secrets` and `numpy.random`, an object with a
state of its own (random.Random, numpy's Generator and RandomState), or a function of one of these.
Functions of that module that numba compiled draw from a source of its own: they are run as the Python they were.
"""

import random
import secrets
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial, wraps
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any

from shufflecert.verify.audit.rng.draws import NotFollowed
from shufflecert.verify.audit.rng.numpy_source import GeneratorSource, LegacySource, made_ready
from shufflecert.verify.audit.rng.recording import Source
from shufflecert.verify.audit.rng.source import RandomSource
from shufflecert.verify.errors import BadInput, exception_text
from shufflecert.verify.systems.catalogue import EXECUTED_AS

Function = Callable[[Any, Any], Any]
EXPECTED = "expected MODULE.NAME, such as mylib.mech.random, mylib.mech.np.random or numpy.random"
SECRETS = {"randbelow": "randrange", "choice": "choice", "randbits": "getrandbits"}


@dataclass(frozen=True)
class Place:
    """Where rng goes: the names that lead there from a module, and where its compiled functions stand, as Python."""

    module: ModuleType
    path: tuple[str, ...]
    compiled: tuple[tuple[ModuleType, str, Any], ...]


def places(names: Sequence[str]) -> list[Place]:
    """What the names of `--patch` lead to. Raises BadInput for a name without a source of randomness at its end."""
    listed = list[Place]()
    if find_spec("numpy") is not None:
        made_ready()  # before numpy.random is anything else
    for name in names:
        place = _place(name)
        _stands_for(_followed(place)[-1], name)
        listed.append(place)
    return listed


def through(function: Function, names: Sequence[str]) -> Function:
    """f(x, rng) with rng in all of these places while it runs. Raises BadInput as `places` does."""
    found = places(names)

    @wraps(function)
    def patched(x: Any, rng: Any) -> Any:
        with put(rng, found):
            return function(x, rng)

    return patched


@contextmanager
def put(rng: Source, found: Sequence[Place]) -> Iterator[None]:
    """Puts rng into the places, and afterwards back what was there."""
    kept = list[tuple[Any, str, Any]]()
    try:
        for place in found:
            for module, name, plain in place.compiled:
                kept.append((module, name, getattr(module, name)))
                setattr(module, name, plain)
            kept.append(_put(rng, place))
        yield
    finally:
        for owner, name, old in reversed(kept):
            setattr(owner, name, old)


def _place(name: str) -> Place:
    """The longest beginning that is a module, and the rest; at least one name is left."""
    parts = name.split(".")
    if len(parts) < 2 or not all(part.isidentifier() for part in parts):
        raise BadInput(f"--patch {name}: {EXPECTED}")
    for end in range(len(parts) - 1, 0, -1):
        module = _module(".".join(parts[:end]), name)
        if module is not None:
            compiled = () if module.__name__ == "numpy" else tuple(_compiled(module))
            return Place(module, tuple(parts[end:]), compiled)
    raise BadInput(f"--patch {name}: no module {parts[0]}: {EXPECTED}")


def _module(name: str, asked: str) -> ModuleType | None:
    """The module, imported; None where there is none of that name. The file that is audited has its own name, too."""
    executed = sys.modules.get(EXECUTED_AS)
    if executed is not None and Path(executed.__file__ or "").stem == name:
        return executed
    try:
        if find_spec(name) is None:
            return None
    except (ImportError, ValueError, AttributeError):  # a parent that is no package
        return None
    try:
        return import_module(name)
    except (Exception, SystemExit) as error:
        raise BadInput(f"--patch {asked}: importing {name}: {exception_text(error)}") from None


def _compiled(module: ModuleType) -> Iterator[tuple[ModuleType, str, Any]]:
    """Functions of a module that numba compiled, in every module that has them, and what they were compiled from."""
    found = [v for v in vars(module).values() if type(v).__module__.partition(".")[0] == "numba"]
    plain = {id(value): value.py_func for value in found if hasattr(value, "py_func")}
    for other in list(sys.modules.values()) if plain else ():
        held = dict(getattr(other, "__dict__", {}))
        if not plain.keys().isdisjoint(map(id, held.values())):
            yield from ((other, name, plain[id(value)]) for name, value in held.items() if id(value) in plain)


def _followed(place: Place) -> list[Any]:
    """The module, and each attribute on the path to the object that is replaced. Raises BadInput if one is missing."""
    found: list[Any] = [place.module]
    for name in place.path:
        if not hasattr(found[-1], name):
            shown = ".".join((place.module.__name__, *place.path))
            raise BadInput(f"--patch {shown}: {place.module.__name__} has no {name}: {EXPECTED}")
        found.append(getattr(found[-1], name))
    return found


def _put(rng: Source, place: Place) -> tuple[Any, str, Any]:
    """Sets the name, and returns (owner, name, what it was). A module that a module imported is not changed for all
    others: its name leads to a view of it that has rng in the place."""
    found = _followed(place)
    value = _stands_for(found[-1], ".".join((place.module.__name__, *place.path)))(rng)
    for i in range(len(place.path) - 1, 0, -1):
        owner, name = found[i], place.path[i]
        if not isinstance(owner, ModuleType):
            setattr(owner, name, value)
            return owner, name, found[i + 1]
        value = View(owner, name, value)
    setattr(place.module, place.path[0], value)
    return place.module, place.path[0], found[1]


class View:
    """A module as it is, but for one name."""

    def __init__(self, module: ModuleType, name: str, value: Any) -> None:
        self._module = module
        setattr(self, name, value)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


# What takes the place -------------------------------------------------------------------------------------------------


class Face:
    """rng under the names of a source of one kind; what its constructors make nobody seeds."""

    def __init__(self, kind: str, rng: Source) -> None:
        source, self._makers, names = KINDS[kind]
        self._kind, self._source = kind, source(rng._path, rng._deployed, rng._thresholds, rng._assumed)
        self._names = names or {name: name for name in source.KEPT.split(", ")}

    def __getattr__(self, name: str) -> Any:
        if name in self._makers:
            return partial(self._make, name)
        if name not in self._names:
            raise NotFollowed(
                f"{self._kind}.{name} is not followed: expected one of {', '.join(self._names)}; else audit it with "
                "--black-box"
            )
        return getattr(self._source, self._names[name])

    def _make(self, name: str, seed: Any = None) -> Any:
        if seed is not None:
            raise NotFollowed(f"{self._kind}.{name} with a seed: expected one without")
        return Face(self._makers[name], self._source)


NUMPY = "numpy.random"
KINDS: dict[str, tuple[type[Source], dict[str, str], dict[str, str]]] = {
    # what draws; the constructors, with the kinds of what they make; the names of its methods, where it has others
    "random": (RandomSource, {"Random": "random", "SystemRandom": "random"}, {}),
    "secrets": (RandomSource, {"SystemRandom": "random"}, SECRETS),
    NUMPY: (LegacySource, {"default_rng": "Generator", "RandomState": NUMPY}, {}),
    "Generator": (GeneratorSource, {}, {}),
}
OF_MODULES = {  # kinds of functions and classes that are no methods, by where they stand
    "secrets": "secrets", "random": "random", NUMPY: NUMPY, "numpy.random._generator": NUMPY,
    "numpy.random.mtrand": NUMPY,
}  # fmt: skip


def _stands_for(value: Any, name: str) -> Callable[[Source], Any]:
    """From rng to what takes the place of `value`."""
    if (kind := _kind(value)) is not None:
        return partial(Face, kind)
    method = getattr(value, "__name__", "")
    found = _kind(getattr(value, "__self__", None))  # random.random, rng.choice: methods of a hidden object
    if found is None and method:
        found = OF_MODULES.get(str(getattr(value, "__module__", None)))
    if found is None:
        raise BadInput(f"--patch {name}: {type(value).__name__}: expected a source of randomness, or a function of one")
    return lambda rng: getattr(Face(found, rng), method)


def _kind(value: Any) -> str | None:
    """A module that draws, or an object that does."""
    if value is random or isinstance(value, random.Random):
        return "random"
    if value is secrets:
        return "secrets"
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if value is numpy.random or isinstance(value, numpy.random.RandomState):
        return NUMPY
    return "Generator" if isinstance(value, numpy.random.Generator) else None
