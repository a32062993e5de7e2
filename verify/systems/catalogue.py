"""From what a user names to a system or a randomizer: of the catalogue, in a randomizer file, or in a Python file.

The catalogue is every module of the package `protocols` that defines a system, found by looking. A Python file is
executed, with the modules beside it at hand.
"""

import pkgutil
import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout, suppress
from dataclasses import MISSING, Field, dataclass, fields
from fractions import Fraction
from functools import cache
from importlib import import_module, invalidate_caches
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from inspect import cleandoc, isabstract, signature
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from shufflecert.verify.errors import BadInput, exception_text, meant
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.randomizer import System as Stated
from shufflecert.verify.exact.rational import shorten, text
from shufflecert.verify.systems import randomizer_file
from shufflecert.verify.systems.declare import Order, System
from shufflecert.verify.systems.population import without_presence

Kind = str | type[System] | Randomizer  # a system by name, or its class; or a table, which has no parameters
OURS = "shufflecert"
EXECUTED_AS = "a_randomizer_in_python"  # of the module that a file is executed as
PACKAGE = "shufflecert.protocols"  # where the systems are, each a module; imported when one is asked for
_SOURCE = re.compile(r"\(([^()]+)\)\.$")


@dataclass(frozen=True)
class Target:
    """What a paper's parameters are asked for: n users who are promised (eps, delta)."""

    n: int
    eps: Eps
    delta: Fraction


def load(name: str, parameters: Iterable[str] = (), paper: Target | None = None) -> Randomizer | Stated:
    """The system or randomizer that a name means: `zsum` with ("p=3/4",), `my.toml`, `my.json`, or `my.py:Mine`.

    Only a .py file named so is executed. With `paper`, parameters that are not given are those that the system's paper
    prescribes for that target.

        >>> load("krr", ["k=2", "gamma=1/2"])
        KRR(k=2, gamma=Fraction(1, 2))
    """
    values = named_values(parameters)
    if paper is not None and is_file(name):
        raise BadInput(f"--paper: {name} is no system of a paper: expected one that `shufflecert systems` lists")
    if name.partition(".py:")[2]:
        return _randomizer(name, values)
    if name.lower().endswith(".py"):
        raise BadInput(f"{name}: a Python file: expected {name}:FUNCTION to audit, or {name}:CLASS, a system")
    if name.lower().endswith((".toml", ".json")) or "/" in name:
        if values:
            raise BadInput(f"{name}: a randomizer file has no parameters: got {', '.join(values)}")
        return randomizer_file.load(name)[0]

    if paper is not None:
        values = prescribe(name, values, paper.n, paper.eps, paper.delta)
    return make(name, values)


def load_each(
    names: str, parameters: Iterable[str] = (), paper: Target | None = None
) -> list[tuple[str, Randomizer | Stated]]:
    """Several systems, named "zsum,poisson", each with its name; `p=3/4` is for all that have a p, `zsum.p=3/4` for
    one.

    A system may stand several times. Raises BadInput as `load` does, and for a parameter that no system has.
    """
    listed, given = [name.strip() for name in names.split(",")], named_values(parameters)
    if not all(listed):
        raise BadInput(f"{names[:60]!r}: expected names of systems with commas between them")
    owned = {name: parameters_of(name) for name in listed}
    mine: dict[str, dict[str, str]] = {name: {} for name in listed}
    for key, value in sorted(given.items(), key=lambda item: "." in item[0]):  # what is for one comes last, and counts
        name, dot, own = key.rpartition(".")
        takers = [name] if dot else [system for system in mine if key in owned[system]]
        if not takers or any(taker not in mine for taker in takers):
            known = ", ".join(f"{name}.{own}" for name in mine for own in owned[name]) or "none"
            hint = meant(own, [parameter for names in owned.values() for parameter in names])
            raise BadInput(f"-p {key}: no such parameter{hint}: expected one of {known}")
        for taker in takers:
            mine[taker][own] = value
    return [(name, load(name, [f"{key}={value}" for key, value in mine[name].items()], paper)) for name in listed]


def derived(name: str, parameters: Iterable[str], paper: bool) -> str:
    """Where the parameters that an answer shows are from: the paper, or an eps0 that was given; "" for neither."""
    if paper:
        return "the paper's"
    given = named_values(parameters)
    if is_file(name) or "eps0" not in given:
        return ""

    return "" if "eps0" in orders(name) else f"of eps0 = {given['eps0']}, rounded to more noise"


def is_file(name: str) -> bool:
    """Whether a name is that of a file and not of a system."""
    return ".py:" in name or name.lower().endswith((".toml", ".json")) or "/" in name


def parameters_of(name: str) -> tuple[str, ...]:
    """The names of a system's parameters, or of a class's in a Python file, which is executed; none of other files."""
    if name.partition(".py:")[2]:
        found = from_python(name, made=False)
        return tuple(signature(found).parameters) if isinstance(found, type) else ()
    if is_file(name):
        return ()

    return parameters(name)


def named_values(parameters: Iterable[str], option: str = "-p") -> dict[str, str]:
    """The texts "name=value" as {name: value}, each name once. Raises BadInput for anything else."""
    values: dict[str, str] = {}
    for written in parameters:
        name, equals, value = written.partition("=")
        if not equals or not name:
            raise BadInput(f"{option} {written}: expected NAME=VALUE")
        if name in values:
            raise BadInput(f"{option} {written}: {name} is given twice")
        values[name] = value
    return values


def randomizer_in(found: Any, name: str) -> Randomizer | None:
    """The Randomizer that an object is, or that its randomizer() gives; None where it is something else.

    Raises BadInput, with one line, where randomizer() fails.
    """
    try:
        if callable(getattr(found, "randomizer", None)):
            with redirect_stdout(sys.stderr):
                found = found.randomizer()
    except BadInput as error:
        raise BadInput(f"{name}: {error}") from None
    except (Exception, SystemExit) as error:
        raise BadInput(f"{name}: {exception_text(error)}") from error
    return found if isinstance(found, Randomizer) else None


def _randomizer(name: str, values: Mapping[str, str]) -> Randomizer:
    found = from_python(name, values)
    randomizer = randomizer_in(found, name)
    if randomizer is None:
        hint = "; a function f(x, rng) is for `shufflecert audit`" if callable(found) else ""
        raise BadInput(f"{name}: expected a Randomizer, or a class or object whose randomizer() is one{hint}")
    return randomizer


class Anew(SourceFileLoader):
    """Compiles its file: compiled code that is kept is out of date where the file was changed within a second."""

    def get_code(self, fullname: str) -> CodeType:
        """The code as it stands in the file."""
        return self.source_to_code(self.get_data(self.path), self.path)


def from_python(name: str, values: Mapping[str, str] | None = None, *, made: bool = True) -> Any:
    """The object that `my.py:name` names; of a class, if `made`, an object with these parameters. The file is executed.

    It finds the modules beside it, as under `python my.py`. What it prints goes to standard error. Raises BadInput,
    with one line, for whatever goes wrong in it.
    """
    path, _, attribute = name.partition(".py:")
    file, given = Path(path + ".py"), dict(values or {})
    if not file.is_file():
        raise BadInput(f"{file}: no such file")
    module_spec = spec_from_file_location(EXECUTED_AS, file, loader=Anew(EXECUTED_AS, str(file)))
    assert module_spec is not None and module_spec.loader is not None
    module = module_from_spec(module_spec)
    sys.modules[module.__name__] = module  # where dataclasses look for postponed annotations
    try:
        with redirect_stdout(sys.stderr), beside(file.resolve().parent):
            module_spec.loader.exec_module(module)
            if not hasattr(module, attribute):
                raise BadInput(f"there is no {attribute!r} in it")
            found: Any = getattr(module, attribute)
            if isinstance(found, type) and made:
                return found(**given)
        if given:
            raise BadInput(f"{attribute} takes no parameters: got {', '.join(given)}")
        return found
    except BadInput as error:
        raise BadInput(f"{file}: {error}") from None
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        raise BadInput(f"{file}:{attribute}: {exception_text(error)}") from error


@contextmanager
def beside(folder: Path) -> Iterator[None]:
    """Let a file find the modules beside it while it is executed, also where others of their names were imported.

    No compiled code of theirs is written. The folder stays the last place where modules are looked for, so that
    functions can import from it later.
    """
    names = {path.stem for path in folder.glob("*.py")} | {path.parent.name for path in folder.glob("*/__init__.py")}
    names -= {*sys.stdlib_module_names, EXECUTED_AS, OURS}
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None) or ""
        if name.partition(".")[0] in names and not Path(file).is_relative_to(folder):
            del sys.modules[name]
    while str(folder) in sys.path:
        sys.path.remove(str(folder))
    sys.path.insert(0, str(folder))
    invalidate_caches()
    kept, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        yield
    finally:
        sys.dont_write_bytecode = kept
        sys.path.remove(str(folder))
        sys.path.append(str(folder))


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


def make(name: str | type[System], parameters: Mapping[str, str]) -> System:
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

    Raises BadInput as `make` does, and for a float.

        >>> system("krr", k=3, gamma="0.3").gamma
        Fraction(3, 10)
    """
    for key, value in parameters.items():
        if isinstance(value, float):
            raise BadInput(f'{name}: {key} = {value!r} is a float, and floats are not exact: write "{value!r}"')
    return make(name, {key: str(value) for key, value in parameters.items()})


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
