"""A user's file, loaded by the machine: no line of it is run by Python. Then all that it holds is frozen.

Modules beside it are loaded in the same way. A library that is not on the list may be imported, and named: that an
import changes nothing but the name that it binds is taken as given. A statement of a file that is not in the subset is
a refusal of the file.
"""

import ast
import sys
from collections.abc import Sequence
from functools import partial as native_partial
from pathlib import Path
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any
from warnings import catch_warnings, simplefilter

import numpy

from shufflecert.verify.audit.follow import library
from shufflecert.verify.audit.follow.code import Code, Compiler, _Private, _scope_of, _settle, compiled
from shufflecert.verify.audit.follow.machine import OURS, Asked, Machine, Thrown
from shufflecert.verify.audit.follow.values import (
    ATOMS,
    PARTS,
    SCALARS,
    TYPES,
    UNBOUND,
    Bound,
    Cell,
    Class,
    Frame,
    Function,
    Generator,
    Instance,
    Module,
    Partial,
    Refused,
    Wrapped,
    owner,
    refuse,
)
from shufflecert.verify.audit.rng.arrays import Draws
from shufflecert.verify.errors import BadInput

MOST_BYTES = 10**6


class Loader:
    """Finds and loads modules of the user's, each once."""

    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        self.modules: dict[str, Module] = {}

    def file(self, path: Path, name: str) -> Module:
        """Loads a file. Raises Refused at the first statement that is not in the subset."""
        key = str(path.resolve())
        if key in self.modules:
            return self.modules[key]  # as far as it is loaded, where two import each other
        try:
            data = path.read_bytes()
            if len(data) > MOST_BYTES:
                refuse(f"{path.name}: a file of more than {MOST_BYTES} bytes")
            tree = ast.parse(data)
            with catch_warnings():
                simplefilter("ignore")
                compile(data, str(path), "exec", dont_inherit=True)  # what is no Python is no law
        except (OSError, SyntaxError, ValueError, RecursionError) as error:
            raise BadInput(f"{path}: {error}") from None
        self.modules[key] = module = Module(name, str(path))
        try:
            code = compiled(tree, str(path))
        except RecursionError:
            refuse(f"{path.name}: an expression, or a statement, that is nested so deeply")
        self.execute(code, module)
        return module

    def execute(self, code: Code, module: Module) -> None:
        m = self.machine
        held, m.frames, m.loading = m.frames, [Frame(code, module)], True
        try:
            m.run()
        except Thrown as thrown:
            said = library.text_of(thrown.value)
            raise Refused(f"{m.raised}: raises {said} while the file is loaded") from None
        except Asked:
            raise AssertionError("nothing is drawn while a file is loaded") from None
        finally:
            m.frames = held

    def is_local(self, top: str, of: Module) -> bool:
        if top in OURS:
            return False
        found = self.find(top, Path(of.file).parent) is not None
        if found and (top in sys.stdlib_module_names or top in library.LIBRARIES):
            refuse(f"an import of {top}, which stands beside the file and in a library")
        return found

    def find(self, name: str, folder: Path) -> Path | None:
        roots = [
            folder,
            *(Path(place or ".") for place in sys.path if "-packages" not in place and "lib/python" not in place),
        ]
        parts = name.split(".")
        for root in roots:
            for path in (root.joinpath(*parts).with_suffix(".py"), root.joinpath(*parts, "__init__.py")):
                if path.is_file():
                    return path
            if root.joinpath(*parts).is_dir() and len(parts) == 1 and any(root.joinpath(*parts).glob("*.py")):
                return root.joinpath(*parts)
        return None

    def module(self, name: str, level: int, of: Module) -> Module | None:
        """A module of the user's; None for a folder without a file of its own, or what is not there."""
        folder = Path(of.file).parent
        for _ in range(level - 1):
            folder = folder.parent
        path = self.find(name, folder) if name else None
        if path is None or path.is_dir():
            return None
        return self.file(path, name.rpartition(".")[2])


def loaded(path: Path, name: str, machine: Machine) -> Any:
    """The object that a file has under a name."""
    loader = Loader(machine)
    machine.loader = loader
    module = loader.file(path, path.stem)
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
        if id(value) in machine.known:
            continue
        parts = _parts(value)
        if parts is None:
            continue
        machine.known[id(value)] = len(machine.constants)
        machine.constants.append(value)
        waiting.extend(parts)


def _parts(value: Any) -> list[Any] | None:
    """What a value that can change holds; None of a value that cannot."""
    kind = type(value)
    if kind in (list, set, frozenset):
        return list(value)
    if kind is dict:
        return [*value.keys(), *value.values()]
    if kind is Module:
        return list(value.names.values())
    if kind is Class:
        return [*value.attributes.values(), value.base]
    if kind is Wrapped:
        return [value.what]
    if kind is Generator:
        frame = value.frame
        return [] if frame is None else [*frame.names.values(), *frame.cells.values(), *frame.stack]
    if kind is numpy.ndarray or kind is Draws:
        return []
    return [getattr(value, name) for name in PARTS[kind]] if kind in PARTS else None


# From objects of this process -----------------------------------------------------------------------------------------


def of_native(value: Any, machine: Machine) -> Any:
    """A function object of this process, and what it holds, as values of the machine: from the text of its file.

    Only the names that a module has when it is loaded by the machine are used, not those it has here.
    """
    return _Converter(machine).convert(value)


class _Converter:
    def __init__(self, machine: Machine) -> None:
        self.machine = machine
        if machine.loader is None:
            machine.loader = Loader(machine)
        self.made: dict[int, Any] = {}

    def convert(self, value: Any) -> Any:
        kind = type(value)
        if kind in ATOMS or kind is float or kind in SCALARS:
            return value
        if id(value) in self.made:
            return self.made[id(value)]
        found = self._convert(kind, value)
        self.made[id(value)] = found
        return found

    def _convert(self, kind: Any, value: Any) -> Any:
        if kind in (tuple, list, set, frozenset):
            return kind(map(self.convert, value))
        if kind is dict:
            return {self.convert(k): self.convert(v) for k, v in value.items()}
        if kind is numpy.ndarray and value.dtype.kind in "biufUS":
            return value.copy()
        if kind is FunctionType:
            return self.function(value)
        if kind is native_partial:
            named = {key: self.convert(part) for key, part in value.keywords.items()}
            return Partial(self.convert(value.func), tuple(map(self.convert, value.args)), named)
        if kind is MethodType and type(value.__self__) is not type:
            return Bound(self.function(value.__func__), self.convert(value.__self__))
        if isinstance(value, type) and value in TYPES:
            return value
        if kind is BuiltinFunctionType and value.__module__ == "math":
            return library.LIBRARIES["math"].get(value.__name__) or refuse(f"math.{value.__name__}")
        if kind.__module__ not in ("builtins", "__main__") and kind.__qualname__.isidentifier():
            return self.instance(kind, value)
        refuse(f"{kind.__name__}, which the function holds,")

    def function(self, value: FunctionType) -> Any:
        code = value.__code__
        path = Path(code.co_filename)
        if not path.is_file() or path.suffix != ".py":
            refuse(f"{value.__name__}, which stands in no file,", "a function in a .py file")
        if value.__dict__.get("__wrapped__") is not None:
            refuse(f"{value.__name__}, which a decorator made,")
        module = self.module(path)
        if "<locals>" not in value.__qualname__ and "<lambda>" not in value.__qualname__:
            found: Any = module
            for part in value.__qualname__.split("."):
                found = found.names.get(part, UNBOUND) if type(found) is Module else _part(found, part)
            if type(found) is Function and found.code.line == code.co_firstlineno:
                self.unchanged(value, found, module)
                return found
        return self.inner(value, module, path)

    def unchanged(self, value: FunctionType, found: Function, module: Module) -> None:
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

    def module(self, path: Path) -> Module:
        found: Module = self.machine.loader.file(path, path.stem)
        return found

    def inner(self, value: FunctionType, module: Module, path: Path) -> Any:
        """A function that was made in another: its text, with what it holds of that now."""
        tree = ast.parse(path.read_bytes())
        _Private().visit(tree)
        lines = {value.__code__.co_firstlineno}
        wanted = ast.Lambda if value.__name__ == "<lambda>" else ast.FunctionDef
        nodes = [n for n in ast.walk(tree) if isinstance(n, wanted) and _first(n) in lines]
        nodes = [n for n in nodes if isinstance(n, ast.Lambda) or n.name == value.__code__.co_name]
        if len(nodes) != 1 or (isinstance(nodes[0], ast.FunctionDef) and nodes[0].decorator_list):
            refuse(f"{value.__name__}, whose text is not found,", "a function with a name at the top of a file")
        node = nodes[0]
        free = dict(zip(value.__code__.co_freevars, value.__closure__ or (), strict=True))
        around = ast.Module([ast.Expr(node) if isinstance(node, ast.Lambda) else node], [])
        scope = _scope_of(around, None)
        (inner,) = scope.children.values()
        _settle(inner, set(free))
        compiler = Compiler(scope, Code("<module>", str(path), 1, "module"))
        compiler.line = node.lineno
        plain, node.args = node.args, _without_defaults(node.args)
        compiler.function(node, value.__name__)
        node.args = plain
        code: Code = compiler.code.instructions[-1][1][0]
        cells: dict[str, Cell] = {}
        made = Function(code, module, (), {}, cells)
        self.made[id(value)] = made
        for key in code.free:
            cells[key] = Cell(self.convert(free[key].cell_contents))
        made.defaults = tuple(self.convert(part) for part in value.__defaults__ or ())
        made.named = {key: self.convert(part) for key, part in (value.__kwdefaults__ or {}).items()}
        return made

    def instance(self, kind: Any, value: Any) -> Any:
        """An object of a plain class of a file, with the attributes that it has."""
        source = sys.modules.get(kind.__module__)
        path = Path(getattr(source, "__file__", None) or "")
        if not path.is_file() or "-packages" in str(path) or "lib/python" in str(path):
            refuse(f"an object of {kind.__name__}, which the function holds,")
        found = self.module(path).names.get(kind.__qualname__)
        if type(found) is not Class or not isinstance(getattr(value, "__dict__", None), dict):
            refuse(f"an object of {kind.__name__}, which the function holds,")
        made = Instance(found)
        self.made[id(value)] = made
        made.attributes = {key: self.convert(part) for key, part in value.__dict__.items()}
        return made


def _same(here: Any, ours: Any) -> bool:
    """Whether a value of this process is what the machine has; True of those of which that is not seen."""
    kind = type(here)
    if kind is FunctionType:
        code = here.__code__
        there = type(ours) is Function and (ours.code.line, ours.code.name) == (code.co_firstlineno, code.co_name)
        return type(ours) is not Function or (
            there and Path(ours.code.file).resolve() == Path(code.co_filename).resolve()
        )
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


def _without_defaults(given: ast.arguments) -> ast.arguments:
    """Defaults are taken from the object."""
    return ast.arguments(
        given.posonlyargs, given.args, given.vararg, given.kwonlyargs, [None] * len(given.kwonlyargs), given.kwarg, []
    )


def _first(node: ast.FunctionDef | ast.Lambda) -> int:
    listed = getattr(node, "decorator_list", [])
    return min(node.lineno, *(int(part.lineno) for part in listed), node.lineno)
