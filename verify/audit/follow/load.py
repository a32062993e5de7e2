"""A user's file, loaded by the machine: no line of it is run by Python. Then all that it holds is frozen.

Modules beside it are loaded in the same way. A library that is not on the list may be imported, and named: that an
import changes nothing but the name that it binds is taken as given. A statement of a file that is not in the subset is
a refusal of the file.
"""

import ast
import sys
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import lru_cache
from functools import partial as native_partial
from importlib.machinery import BYTECODE_SUFFIXES, EXTENSION_SUFFIXES
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy

from shufflecert.verify.audit.follow import library
from shufflecert.verify.audit.follow.code import Code, compiled
from shufflecert.verify.audit.follow.machine import OURS, Asked, Machine, Thrown
from shufflecert.verify.audit.follow.natives import text_of
from shufflecert.verify.audit.follow.values import (
    ATOMS,
    SCALARS,
    UNBOUND,
    Cell,
    Class,
    Frame,
    Function,
    Library,
    Module,
    Native,
    Opaque,
    Partial,
    Refused,
    Unbound,
    Unknown,
    owner,
    refuse,
)
from shufflecert.verify.errors import BadInput

MOST_BYTES = 10**6
REACHES = {  # names by which code comes to what it has no name for
    *("exec", "eval", "compile", "setattr", "delattr", "globals", "locals", "vars", "__import__", "importlib", "sys")
}


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
        """A module of the user's, once what it stands in is loaded; None where there is none. Of a package around it
        that only gives names to things, these are not asked for."""
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
            elif last or not new or self.matters(path, parts[i + 1], full):
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

    def passes_on(self, package: str, part: str) -> bool:
        """Whether what is imported from a package, of which nothing is loaded yet, is a module in it."""
        path, roots = Path(), self.roots()
        for name in package.split("."):
            found = self.find(name, roots)
            if found is None or found.name != "__init__.py":
                return False
            path, roots = found, [found.parent]
        return str(path.resolve()) not in self.modules and not self.matters(path, part, package)

    def matters(self, path: Path, part: str, package: str) -> bool:
        """Whether a package's own file may change what is imported from a module `part` in it."""
        for statement in _statements(path.read_bytes()):
            if isinstance(statement, ast.ImportFrom | ast.Import):
                bound = {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
                tops = [statement.module or ""] if isinstance(statement, ast.ImportFrom) else [*bound]
                level = isinstance(statement, ast.ImportFrom) and statement.level
                own = (level, *tops) in ((0, package), (1, "")) and all(a.asname is None for a in statement.names)
                if (part in bound and not own) or "*" in bound:
                    return True
            elif any(isinstance(one, ast.Name) and one.id == part for one in _bound(statement)):
                return True
        return not self.live and not self.gives_names(path, package, set())

    def gives_names(self, path: Path, package: str, seen: set[Path]) -> bool:
        """Whether a file, and the user's files that it imports, only give names to things when they are loaded.

        What runs code of the user's might change any module: a call, an operator or a decorator with a name that is
        the user's, as what they have in it, or the metaclass of a class. So might the names in `REACHES`.
        """
        if path in seen:
            return True
        seen.add(path)
        waiting, ours = [*_statements(path.read_bytes())], set[str]()
        while waiting:
            statement = waiting.pop(0)
            if isinstance(statement, ast.ImportFrom | ast.Import):
                files = self.imported(statement, package)
                if files is None or not all(self.gives_names(file, of, seen) for file, of in files):
                    return False
                bound = {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
                ours |= bound if files or "*" in bound else set()
            elif isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                if isinstance(statement, ast.ClassDef):
                    waiting = [*statement.body, *waiting]
                    ran: list[ast.AST] = [*statement.bases, *statement.keywords, *statement.decorator_list]
                    inert = not any(_names(one) & ours for one in ran) or _plain_classes(path)
                else:
                    ran, arguments = [*statement.decorator_list], statement.args
                    ran += [*arguments.defaults, *(one for one in arguments.kw_defaults if one is not None)]
                    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
                    ran += [one.annotation for one in every if one.annotation is not None]
                    inert = True
                inert = inert and not any(_names(one) & ours for one in statement.decorator_list)
                if not inert or not all(_inert(one, ours) for one in ran):
                    return False
                ours.add(statement.name)
            elif isinstance(statement, ast.Assign | ast.AnnAssign):
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                if not all(isinstance(one, ast.Name) for one in targets) or not _inert(statement, ours):
                    return False
                ours |= _names(statement) if _names(statement) & ours else set()
            elif isinstance(statement, ast.Try):
                parts = [statement.body, *(one.body for one in statement.handlers), statement.orelse]
                waiting = [*(one for part in (*parts, statement.finalbody) for one in part), *waiting]
            elif not (
                isinstance(statement, ast.Pass)
                or (isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant))
                or (isinstance(statement, ast.If) and ast.unparse(statement.test) == "__name__ == '__main__'")
            ):
                return False
        return True

    def imported(self, statement: ast.Import | ast.ImportFrom, package: str) -> list[tuple[Path, str]] | None:
        """The user's files that an import in a file of a package loads, each with its package; None where that is not
        seen."""
        if isinstance(statement, ast.Import):
            names = [alias.name for alias in statement.names]
        else:
            around = package.split(".") if statement.level else []
            if statement.level > len(around):
                return None
            base = ".".join([*around[: len(around) + 1 - statement.level], *filter(None, [statement.module])])
            names = [base, *(f"{base}.{alias.name}" for alias in statement.names if alias.name != "*")]
        found = list[tuple[Path, str]]()
        for name in names:
            roots, parts = self.roots(), name.split(".")
            if not self.is_local(parts[0]):
                continue
            for i, part in enumerate(parts):
                path = self.find(part, roots)
                if path is None:  # a name in the module before
                    break
                inside = path.is_dir() or path.name == "__init__.py"
                if path.is_file():
                    found.append((path, ".".join(parts[: i + inside])))
                roots = [path if path.is_dir() else path.parent] if inside else []
        return found


@lru_cache(maxsize=32)
def _statements(data: bytes) -> Sequence[ast.stmt]:
    """The statements at the top of a file, which is looked at for each module that is imported from its package."""
    return ast.parse(data).body


def _names(tree: ast.AST) -> set[str]:
    return {one.id for one in ast.walk(tree) if isinstance(one, ast.Name)}


def _bound(statement: ast.stmt) -> list[ast.expr]:
    """What a statement assigns to."""
    if isinstance(statement, ast.Assign):
        return statement.targets
    return [statement.target] if isinstance(statement, ast.AnnAssign | ast.AugAssign) else []


def _inert(tree: ast.AST, ours: set[str]) -> bool:
    """Whether an expression runs nothing of the user's."""
    if _names(tree) & REACHES:
        return False
    if not _names(tree) & ours:
        return True
    runs = ast.Call | ast.Await | ast.BinOp | ast.UnaryOp | ast.Compare | ast.Subscript
    return not any(isinstance(one, runs | ast.JoinedStr | ast.comprehension) for one in ast.walk(tree))


def _plain_classes(path: Path) -> bool:
    """Whether no class in the files beside this one acts where another is derived from it, or is made by another."""
    acting = (b"__init_subclass__", b"__set_name__", b"metaclass", b"__class_getitem__", b"__mro_entries__")
    files = [one for one in path.parent.glob("**/*.py") if one.stat().st_size <= MOST_BYTES]
    return not any(word in one.read_bytes() for one in files for word in acting)


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
    waiting: list[Any] = list(values)
    loader = machine.loader
    if loader is not None:
        waiting += loader.modules.values()
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
        parts = _parts(value)
        if parts is None:
            continue
        machine.kept.number(id(value), value)
        waiting.extend(parts)


def _parts(value: Any) -> list[Any] | None:
    """What a value that can change holds; None of a value that cannot."""
    kind = type(value)
    if kind in (list, set, frozenset):
        return list(value)
    if kind is dict:
        return [*value.keys(), *value.values()]
    if isinstance(value, Opaque) and kind not in (Native, Library, Unknown, Unbound):
        return [getattr(value, name) for name in kind.__slots__]
    return [] if kind is numpy.ndarray else None


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
    _unchanged(value, found, module)
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
    if kind in (tuple, list, set, frozenset):
        for part in x:
            plain(part)
    elif kind is dict:
        plain([*x.keys(), *x.values()])
    elif kind not in ATOMS | SCALARS | {float} and (kind is not numpy.ndarray or x.dtype.kind not in "biufUS"):
        refuse(f"an input that is a {kind.__name__}", "numbers or text")


def _unchanged(value: FunctionType, found: Function, module: Module) -> None:
    """Refuses where what the function reads here is no longer what its file makes of it: defaults, attributes, and
    the numbers and text, functions and tables of these, under the names that it and what it calls read."""
    same = _same(value.__defaults__ or (), found.defaults) and _same(value.__kwdefaults__ or {}, found.named)
    if not same:
        refuse(f"{value.__name__}, whose defaults were changed,")
    for name, here in value.__dict__.items():
        if name not in ("inputs", "each") and not _same(here, found.attributes.get(name, UNBOUND)):
            refuse(f"the attribute {name} of {value.__name__}, which was changed,")
    waiting, seen = [found.code], set[str]()
    while waiting:
        for name, argument, _ in waiting.pop().instructions:
            if name in ("function", "class"):
                waiting.append(argument[0])
            if name not in ("loadglobal", "loadname") or argument in seen:
                continue
            seen.add(argument)
            here, ours = value.__globals__.get(argument, UNBOUND), module.names.get(argument, UNBOUND)
            if (here is UNBOUND) != (ours is UNBOUND) or not _same(here, ours):
                refuse(f"the name {argument}, which was changed after its file was loaded,")
            if type(ours) is Function and ours.module is module:
                waiting.append(ours.code)
            elif type(ours) is Class:
                waiting += [part.code for part in ours.attributes.values() if type(part) is Function]


def _same(here: Any, ours: Any) -> bool:
    """Whether a value of this process is what the machine has; True of those of which that is not seen."""
    kind = type(here)
    if kind is FunctionType:
        code = here.__code__
        there = type(ours) is Function and (ours.code.line, ours.code.name) == (code.co_firstlineno, code.co_name)
        return type(ours) is not Function or (
            there and Path(ours.code.file).resolve() == Path(code.co_filename).resolve()
        )
    if type(ours) is Module:  # what stands in it is told apart; other modules that it names are not gone through
        inside = {
            name: part
            for name, part in ours.names.items()
            if not name.startswith("__") and (type(part) is not Module or part.name.startswith(ours.name + "."))
        }
        has = vars(here) if isinstance(here, ModuleType) else {}
        return isinstance(here, ModuleType) and all(n in has and _same(has[n], p) for n, p in inside.items())
    if type(ours) is Class and ours.python is not None and ours.base is None:
        return here is ours.python
    if isinstance(here, type) and type(ours) is Class:
        parts = {name: part for name, part in ours.attributes.items() if not name.startswith("__")}
        return all(_same(vars(here).get(name, UNBOUND), part) for name, part in parts.items())
    if kind is numpy.ndarray or type(ours) is numpy.ndarray:
        return type(ours) is kind and here.dtype == ours.dtype and numpy.array_equal(here, ours)
    if kind in (list, tuple):
        return type(ours) is kind and len(here) == len(ours) and all(map(_same, here, ours))
    if kind is dict:
        return type(ours) is dict and list(here) == list(ours) and all(map(_same, here.values(), ours.values()))
    if kind in ATOMS or kind in SCALARS or kind in (float, set, frozenset):
        return type(ours) is kind and (here == ours or (here != here and ours != ours))
    return True
