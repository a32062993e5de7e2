"""A user's file, loaded by the machine: no line of it is run by Python. Then all that it holds is frozen.

Modules beside it are loaded in the same way. A library that is not on the list may be imported, and named: that an
import changes nothing but the name that it binds is taken as given. A statement of a file that is not in the subset is
a refusal of the file.
"""

import ast
import builtins
import sys
from collections.abc import Iterator, Sequence
from copy import deepcopy
from dataclasses import FrozenInstanceError
from enum import Enum
from functools import lru_cache
from functools import partial as native_partial
from importlib import import_module
from importlib.machinery import BYTECODE_SUFFIXES, EXTENSION_SUFFIXES
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy

from shufflecert.verify.audit.follow import library
from shufflecert.verify.audit.follow.classes import ENUM
from shufflecert.verify.audit.follow.code import Code, compiled
from shufflecert.verify.audit.follow.machine import OURS, Asked, Machine, Thrown
from shufflecert.verify.audit.follow.natives import EXCEPTIONS, text_of
from shufflecert.verify.audit.follow.values import (
    ATOMS,
    CONTAINERS,
    SCALARS,
    UNBOUND,
    Bound,
    Cell,
    Class,
    Frame,
    Function,
    Generated,
    Instance,
    Library,
    Module,
    Native,
    Partial,
    Refused,
    Unknown,
    Wrapped,
    owner,
    parts,
    refuse,
)
from shufflecert.verify.errors import BadInput

MOST_BYTES = 10**6


class Loader:
    """Finds and loads modules of the user's, each once."""

    def __init__(self, machine: Machine, live: bool = False) -> None:
        self.machine = machine
        self.live = live  # whether what a function reads is compared with what it is in this process
        self.modules: dict[str, Module] = {}
        self.natives: dict[int, Any] = {}  # by the identity of a function object of this process
        self.folder = Path()  # of the file that is audited

    def file(self, path: Path, name: str, package: str = "") -> Module:
        """Loads a file. Raises Refused at the first statement that is not in the subset."""
        key = str(path.resolve())
        if key in self.modules:
            return self.modules[key]  # as far as it is loaded, where two import each other
        try:
            data = path.read_bytes()
            if len(data) > MOST_BYTES:
                refuse(f"{path.name}: a file of more than {MOST_BYTES} bytes")
            code = _code(data, str(path))
        except (OSError, SyntaxError, ValueError, RecursionError) as error:
            raise BadInput(f"{path}: {error}") from None
        self.modules[key] = module = Module(name, str(path), package)
        if code is None:
            refuse(f"{path.name}: an expression, or a statement, that is nested so deeply")
        module.code = code
        self.execute(code, module)
        return module

    def execute(self, code: Code, module: Module) -> None:
        m = self.machine
        held, m.frames, m.loading = m.frames, [Frame(code, module)], True
        try:
            m.run()
        except Thrown as thrown:
            said = text_of(thrown.value)
            raise Refused(f"{m.raised}: raises {said} while the file is loaded") from None
        except Asked:
            raise AssertionError("nothing is drawn while a file is loaded") from None
        finally:
            m.frames = held

    def is_local(self, top: str) -> bool:
        """Whether an import of this name is one of the user's files."""
        if top in OURS:
            return False
        found = self.find(top, self.roots()) is not None
        if found and (top in sys.stdlib_module_names or top in library.LIBRARIES):
            refuse(f"an import of {top}, which stands beside the file and in a library")
        return found

    def roots(self) -> list[Path]:
        """Where Python looks for the user's files."""
        places = [place for place in sys.path if "-packages" not in place and "lib/python" not in place]
        return [self.folder, *(Path(place or ".") for place in places)]

    def find(self, name: str, roots: Sequence[Path]) -> Path | None:
        """The file of a module or package, or a folder without one; of several the one that Python takes."""
        for root in roots:
            if any(root.joinpath(name + suffix).is_file() for suffix in (*EXTENSION_SUFFIXES, *BYTECODE_SUFFIXES)):
                refuse(f"an import of {name}, which is compiled")
            for path in (root.joinpath(name, "__init__.py"), root.joinpath(name + ".py")):
                if path.is_file():
                    return path
        folders = [root.joinpath(name) for root in roots if any(root.joinpath(name).glob("*.py"))]
        return folders[0] if folders else None

    def module(self, name: str) -> Module | None:
        """A module of the user's, once what it stands in is loaded; None where there is none. A `live` one is compared
        in the end, so that packages around it need not be loaded."""
        parts, roots = name.split("."), self.roots()
        above: Module | None = None
        for i, part in enumerate(parts):
            path, full, last = self.find(part, roots), ".".join(parts[: i + 1]), i == len(parts) - 1
            if path is None:
                return None
            key, of_package = str(path.resolve()), path.is_dir() or path.name == "__init__.py"
            new, module = key not in self.modules, None
            if path.is_dir():
                module = self.modules.setdefault(key, Module(full, key, full))
            elif last or not new or not self.live:
                module = self.file(path, full, full if of_package else ".".join(parts[:i]))
            if new and module is not None:
                self.known_to(module)
                if above is not None:
                    above.names[part] = module
            above, roots = module, ([path if path.is_dir() else path.parent] if of_package else [])
        return above

    def known_to(self, package: Module) -> None:
        """A package that is loaded after modules in it has them as attributes."""
        for one in list(self.modules.values()):
            around, _, name = one.name.rpartition(".")
            if around == package.name and package.names.setdefault(name, one) is not one:
                refuse(f"{name} of {around}, which is two things")


@lru_cache(maxsize=32)
def _code(data: bytes, file: str) -> Code | None:
    """The instructions of a file, which nothing changes: audits of one file share them. None: nested too deeply."""
    tree = ast.parse(data)
    with catch_warnings():
        simplefilter("ignore")
        compile(data, file, "exec", dont_inherit=True)  # what is no Python is no law
    try:
        return compiled(tree, file)
    except RecursionError:
        return None


def loaded(path: Path, name: str, machine: Machine) -> Any:
    """The object that a file has under a name."""
    loader = Loader(machine)
    machine.loader, loader.folder = loader, path.parent
    module = loader.file(path, "")
    found: Any = module
    for part in name.split("."):
        found = found.names.get(part, UNBOUND) if type(found) is Module else _part(found, part)
        if found is UNBOUND:
            refuse(f"{path}: there is no {name!r} in it")
    return found


def _part(found: Any, name: str) -> Any:
    return found.find(name) if type(found) is Class else UNBOUND


def freeze(machine: Machine, values: Sequence[Any]) -> None:
    """From now on nothing that can be reached from the loaded files, or from these values, may change."""
    machine.loading = False
    waiting: list[Any] = [*values, *machine.loader.modules.values()]
    while waiting:
        value = waiting.pop()
        kind = type(value)
        if kind is tuple:
            waiting.extend(value)
            continue
        if kind is numpy.ndarray:
            value.flags.writeable = False
            value = owner(value)
            value.flags.writeable = False
        if id(value) in machine.kept.numbers:
            continue
        if (held := parts(value)) is not None:
            machine.kept.number(id(value), value)
            waiting.extend(held)


# From objects of this process -----------------------------------------------------------------------------------------


def of_native(value: Any, machine: Machine) -> Any:
    """A function object of this process, or a partial of one, as the machine has it: from the text of its file.

    Only the names that a module has when it is loaded by the machine are used, not those it has here; of a function
    that was made in another, the numbers, text and functions that it holds of that now.
    """
    if machine.loader is None:
        machine.loader = Loader(machine, live=True)
    if id(value) in machine.loader.natives:
        return machine.loader.natives[id(value)]
    if type(value) is native_partial:
        held = _held([value.args, value.keywords], machine)
        return Partial(of_native(value.func, machine), *held)
    if type(value) is not FunctionType:
        refuse(f"an object of {type(value).__name__}", "a function of a file")
    path = Path(value.__code__.co_filename)
    if not path.is_file() or path.suffix != ".py":
        refuse(f"{value.__name__}, which stands in no file,", "a function in a .py file")
    if value.__dict__.get("__wrapped__") is not None:
        refuse(f"{value.__name__}, which a decorator made,")
    machine.loader.folder, package = path.parent, value.__globals__.get("__package__") or ""
    module: Module = machine.loader.file(path, value.__module__, package)
    found: Any = module
    for part in value.__qualname__.split("."):
        found = found.names.get(part, UNBOUND) if type(found) is Module else _part(found, part)
    if type(found) is not Function or found.code.line != value.__code__.co_firstlineno:
        found = _inner(value, module, machine)
    _unchanged(value, found)
    return found


def _inner(value: FunctionType, module: Module, machine: Machine) -> Function:
    """A function that was made in another."""
    code = value.__code__
    named = [one for one in _within(module.code) if (one.name, one.line) == (code.co_name, code.co_firstlineno)]
    if len(named) != 1 or value.__name__ != code.co_name:
        refuse(f"{value.__name__}, whose text is not found,", "a function with a name at the top of a file")
    cells: dict[str, Cell] = {}
    made = machine.loader.natives[id(value)] = Function(named[0], module, (), {}, cells)
    free = dict(zip(code.co_freevars, value.__closure__ or (), strict=True))
    for key in made.code.free:
        cells[key] = Cell(_held(free[key].cell_contents, machine))
    made.defaults, made.named = _held([value.__defaults__ or (), value.__kwdefaults__ or {}], machine)
    return made


def _within(code: Code) -> Iterator[Code]:
    for name, argument, _ in code.instructions:
        if name in ("function", "class"):
            yield argument[0]
            yield from _within(argument[0])


def _held(value: Any, machine: Machine) -> Any:
    if type(value) in (FunctionType, native_partial):
        return of_native(value, machine)
    if type(value) is BuiltinFunctionType and value.__module__ == "math":
        return library.LIBRARIES["math"].get(value.__name__) or refuse(f"math.{value.__name__}")
    plain(value)
    return deepcopy(value)


def plain(x: Any) -> None:
    """Refuses what is no number or text, and no container or array of these."""
    kind = type(x)
    if kind in CONTAINERS:
        for part in parts(x) or ():
            plain(part)
    elif kind not in ATOMS | SCALARS | {float} and (kind is not numpy.ndarray or x.dtype.kind not in "biufUS"):
        refuse(f"an input that is a {kind.__name__}", "numbers or text")


def _unchanged(value: FunctionType, found: Function) -> None:
    """Refuses where what the function reads here is no longer what its file makes of it: defaults, attributes, and
    the numbers and text, functions and tables of these, under the names that it and what it calls read."""
    met = {(id(value), id(found))}
    if not _same([value.__defaults__ or (), value.__kwdefaults__ or {}], [found.defaults, found.named], met):
        refuse(f"{value.__name__}, whose defaults were changed,")
    for name, here in value.__dict__.items():
        if name not in ("inputs", "each") and not _same(here, found.attributes.get(name, UNBOUND), met):
            refuse(f"the attribute {name} of {value.__name__}, which was changed,")
    _reads(value, found, met)


def _reads(here: FunctionType, ours: Function, met: set[tuple[int, int]]) -> None:
    """Refuses where a name that a function reads, or one that is made in it, is another here."""
    for code in (ours.code, *_within(ours.code)):
        for name, argument, _ in code.instructions:
            if name in ("loadglobal", "loadname"):
                held, made = here.__globals__.get(argument, UNBOUND), ours.module.names.get(argument, UNBOUND)
                if (held is UNBOUND) != (made is UNBOUND) or not (made is UNBOUND or _same(held, made, met)):
                    refuse(f"the name {argument}, which was changed after its file was loaded,")


def _same(here: Any, ours: Any, met: set[tuple[int, int]]) -> bool:
    """Whether a value of this process is what the machine has; True of what may be named there, and not used."""
    kind = type(here)
    if type(ours) is Unknown or type(ours) is Generated:
        return True
    if type(ours) is Function:
        if kind is not FunctionType or (id(here), id(ours)) in met:
            return kind is FunctionType
        met.add((id(here), id(ours)))
        code, cells = here.__code__, dict(zip(here.__code__.co_freevars, here.__closure__ or (), strict=True))
        placed = (ours.code.line, ours.code.name) == (code.co_firstlineno, code.co_name)
        if not placed or Path(ours.code.file).resolve() != Path(code.co_filename).resolve():
            return False
        _reads(here, ours, met)
        held = [here.__defaults__ or (), here.__kwdefaults__ or {}]
        try:
            held += [cells[name].cell_contents for name in ours.cells]
        except (KeyError, ValueError):  # there is none, or nothing in it
            return False
        return _same(held, [ours.defaults, ours.named, *(cell.value for cell in ours.cells.values())], met)
    if type(ours) is Module:  # what stands in it is told apart; other modules that it names are not gone through
        parts = {
            name: part
            for name, part in ours.names.items()
            if not name.startswith("__") and (type(part) is not Module or part.name.startswith(ours.name + "."))
        }
        has = vars(here) if isinstance(here, ModuleType) else {}
        return isinstance(here, ModuleType) and all(n in has and _same(has[n], p, met) for n, p in parts.items())
    if type(ours) is Library or type(ours) is Native:
        return here is _real(ours)
    if type(ours) is Class and ours.python is not None and ours.base is None:
        return here is ours.python
    if type(ours) is Class:
        real = getattr(builtins, ours.name, FrozenInstanceError)
        if EXCEPTIONS.get(ours.name) is ours:
            return here is real
        parts = {name: part for name, part in ours.attributes.items() if name[:1] != "." and not _given(name, part)}
        return isinstance(here, type) and all(_same(vars(here).get(n, UNBOUND), part, met) for n, part in parts.items())
    if type(ours) is Wrapped:
        inside = getattr(here, "fget" if ours.kind == "property" else "__func__", None)
        return kind.__name__ == ours.kind and _same(inside, ours.what, met)
    if type(ours) is Instance and ours.kind.python is None:
        return kind.__name__ == ours.kind.name and _same(getattr(here, "__dict__", UNBOUND), ours.attributes, met)
    if type(ours) is Instance and ours.kind.is_a(ENUM):
        return isinstance(here, Enum) and (here.name, kind.__name__) == (ours.attributes["name"], ours.kind.name)
    if type(ours) is Instance:
        return kind is ours.kind.python and _same(dict(here), ours.attributes["_held"], met)
    if type(ours) is Partial:
        given = (ours.function, ours.args, ours.named)
        return kind is native_partial and _same((here.func, here.args, here.keywords), given, met)
    if type(ours) is Bound:
        return kind is MethodType and _same(here.__func__, ours.what, met) and _same(here.__self__, ours.of, met)
    if isinstance(ours, type):
        return here is ours
    if kind is numpy.ndarray or type(ours) is numpy.ndarray:
        return type(ours) is kind and here.dtype == ours.dtype and numpy.array_equal(here, ours)
    if kind in (list, tuple):
        same = type(ours) is kind and len(here) == len(ours)
        return same and all(_same(one, two, met) for one, two in zip(here, ours, strict=True))
    if kind is dict:
        return type(ours) is dict and list(here) == list(ours) and _same([*here.values()], [*ours.values()], met)
    return type(ours) is kind and (here == ours or (here != here and ours != ours))


def _given(name: str, part: Any) -> bool:
    """Whether Python gives this attribute to a class."""
    return name.startswith("__") and type(part) is not Function


def _real(ours: Any) -> Any:
    """What stands for a library, or a function of one, in this process."""
    if type(ours) is Library:
        return sys.modules.get(ours.name)
    tables = {**library.LIBRARIES, "builtins": library.BUILTINS}
    for module, names in tables.items():
        for name, value in names.items():
            if value is ours:
                return getattr(import_module(module), name)
    return UNBOUND
