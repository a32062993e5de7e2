"""Everything that a function can reach besides its frames: functions, globals, constants; and loops made plain.

Two runs of a function that stand at the same place with equal locals go on equally only if all else that they can read
is equal too. So the code of every function that can be reached is read: where one stores into a global, an attribute or
another's variable, asks for names that begin with an underscore, or uses a builtin, module or class that is not in the
lists below, the function is not understood, and its paths are not merged. What is mutable and can be reached by a
global, a default or a closure is part of every state.

For the time of a walk the code of these functions is exchanged for code that does the same and hides less: what
iterates a `for` gets a name, and `sum` of a generator becomes a loop in Python. The exchange is made only where the
file still compiles to the code that the function has.
"""

import ast
import builtins
import contextlib
import inspect
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from operator import getitem
from types import BuiltinFunctionType, CodeType, FunctionType, GeneratorType, ModuleType
from typing import Any

from verify.audit.merge.bytecode import NotUnderstood, points

VERSION = (3, 11)  # whose bytecode is described in states_code
BUILTINS = (
    "abs all any bool bytes complex dict divmod enumerate float frozenset int len list max min pow range reversed"
    " round set sorted str sum tuple zip map filter iter next isinstance ord chr bin hex oct slice print"
    " ValueError TypeError RuntimeError AssertionError IndexError KeyError ZeroDivisionError ArithmeticError"
    " StopIteration Exception NotImplementedError OverflowError"
)
HARMLESS = tuple(getattr(builtins, name) for name in BUILTINS.split())
MODULES = {"math", "cmath", "numpy", "itertools", "operator", "fractions", "bisect", "string"}
CLASSES = (Fraction,)
ATTRIBUTES = (  # that show, or change, what no state holds
    "gi_frame gi_code gi_yieldfrom cr_frame f_locals f_back tb_frame send throw close format format_map seterr"
    " seterrcall set_printoptions set_string_function setflags setbufsize ctypes data base vectorize frompyfunc"
    " from_float memmap save savez load fromfile tofile dump"
)
ITERATED: tuple[Any, ...] = ((), [], "", b"", range(1), range(2**70), enumerate(()), zip(), reversed([]))
ITERATORS: tuple[type, ...] = tuple(type(iter(made)) for made in ITERATED)
ATOMS = (type(None), bool, int, float, complex, str, bytes, range, Fraction, type(Ellipsis))
ITERATE, PICK = "shufflecert: the iterator of a loop", "shufflecert: a function by its loop"


class Given:
    """Hands on an iterator that is not among the known ones."""

    __slots__ = ("it",)

    def __init__(self, it: Iterator[Any]) -> None:
        self.it = it

    def __iter__(self) -> Iterator[Any]:
        return self.it


def iterate(items: Any) -> Any:
    """The iterator that `for` would make, in a form that is its own iterator."""
    it = iter(items)
    return it if type(it) in ITERATORS or type(it) is GeneratorType else Given(it)


def add_up(items: Any) -> Any:
    """builtins.sum, whose total so far is seen."""
    total: Any = 0
    it = iterate(items)
    for item in it:
        total = total + item
    return total


def pick(function: Any) -> Any:
    return add_up if function is builtins.sum else function


INJECTED: dict[str, Callable[..., Any]] = {ITERATE: iterate, PICK: pick}


@dataclass(frozen=True)
class World:
    """What can be reached: code that may stand on the stack (and its identities), and how mutable values are found."""

    function: FunctionType
    codes: tuple[CodeType, ...]
    ids: frozenset[int]
    roots: tuple[Callable[[], Any], ...]


@contextlib.contextmanager
def world_of(function: Any) -> Iterator[World | None]:
    """The world of a function, with its loops made plain until the end; None where it is not understood."""
    try:
        functions = _reached(function)
    except NotUnderstood:
        yield None
        return
    old = [(f, f.__code__) for f in functions]
    try:
        try:
            for f in functions:
                f.__code__ = _plainer(f)
            found = _understood(function, functions)
        except NotUnderstood:
            found = None
        yield found
    finally:
        for f, code in old:
            f.__code__ = code


def _nested(code: CodeType) -> list[CodeType]:
    """A code object and all that stand among its constants, in order."""
    return [code, *(inner for part in code.co_consts if isinstance(part, CodeType) for inner in _nested(part))]


def _reached(function: Any) -> list[FunctionType]:
    """All functions that one can reach by globals, closures and defaults."""
    if sys.version_info[:2] != VERSION or type(function) is not FunctionType:
        raise NotUnderstood("not a plain function")
    found: dict[int, FunctionType] = {}
    waiting: list[Any] = [function]
    while waiting:
        value = waiting.pop()
        if isinstance(value, list | tuple):
            waiting += [part for part in value if isinstance(part, list | tuple | FunctionType | dict)]
        elif isinstance(value, dict):
            waiting += [part for part in value.values() if isinstance(part, list | tuple | FunctionType | dict)]
        if type(value) is not FunctionType or id(value) in found:
            continue
        if len(found) > 200:
            raise NotUnderstood("too many functions")
        found[id(value)] = value
        waiting += [value for _, value in _outside(value)]
    return list(found.values())


def _outside(function: FunctionType) -> list[tuple[Callable[[], Any] | None, Any]]:
    """What a function finds outside its frame: (how to look it up again, value); None where it cannot change."""
    listed: list[tuple[Callable[[], Any] | None, Any]] = []
    scope = function.__globals__
    found = [point for code in _nested(function.__code__) for point in points(code).values()]
    for name in sorted({point.value for point in found if point.name == "LOAD_GLOBAL"}):
        if name in scope:
            listed.append((partial(getitem, scope, name), scope[name]))
        elif hasattr(builtins, name):
            listed.append((None, getattr(builtins, name)))
    for cell in function.__closure__ or ():
        try:
            listed.append((partial(getattr, cell, "cell_contents"), cell.cell_contents))
        except ValueError:
            raise NotUnderstood("an empty cell") from None
    for i, value in enumerate(function.__defaults__ or ()):
        listed.append((lambda i=i: (function.__defaults__ or ())[i], value))  # type: ignore[misc]
    if function.__kwdefaults__ or function.__dict__:
        raise NotUnderstood(f"{function.__name__}: attributes or keyword defaults")
    return listed


def _understood(function: FunctionType, functions: list[FunctionType]) -> World:
    roots: list[Callable[[], Any]] = []
    ours = _nested(add_up.__code__)
    theirs = [code for f in functions for code in _nested(f.__code__)]
    for code in theirs:
        _closed(code)
    codes = (*ours, *theirs)
    for f in functions:
        for look_up, value in _outside(f):
            if _changes(value):
                if look_up is None:
                    raise NotUnderstood("a builtin that changes")
                roots.append(look_up)
    return World(function, codes, frozenset(map(id, codes)), tuple(roots))


def _changes(value: Any) -> bool:
    """Whether a value is to be part of every state; raises NotUnderstood for what is in no list."""
    kind = type(value)
    if kind in ATOMS or kind is FunctionType or any(value is known for known in (*HARMLESS, *CLASSES)):
        return False
    if kind is ModuleType and value.__name__.split(".")[0] in MODULES and "random" not in value.__name__:
        return False
    if kind is BuiltinFunctionType and isinstance(value.__self__, ModuleType) and value.__self__.__name__ in MODULES:
        return False
    if kind is tuple and not any(_changes(part) for part in value):
        return False
    if kind in (list, dict, tuple) or (kind.__module__ == "numpy" and kind.__name__ == "ndarray"):
        return True
    raise NotUnderstood(f"a global or default of type {kind.__name__}")


def _closed(code: CodeType) -> None:
    """No name with an underscore, none that shows what no state holds, and no variable of another function changes.

    A variable that inner functions see is stored at most once, and not in a loop: two cells of equal content then stay
    equal, and it does not matter which of them a function holds.
    """
    for name in code.co_names:
        if name.startswith("_") or name in ATTRIBUTES.split():
            raise NotUnderstood(f"{code.co_name}: {name}")
    found = points(code)
    loops = [(point.value, offset) for offset, point in found.items() if "BACKWARD" in point.name]
    stored: set[str] = set()
    for offset, point in found.items():
        if point.name == "STORE_DEREF":
            again = point.value in stored or any(target <= offset <= start for target, start in loops)
            if again or point.value in code.co_freevars or point.value in code.co_varnames:
                raise NotUnderstood(f"{code.co_name}: {point.value} changes where inner functions see it")
            stored.add(point.value)


# -- loops made plain --------------------------------------------------------------------------------------------------


class _Plain(ast.NodeTransformer):
    """`for v in E` becomes `it = iterate(E)` and `for v in it`; `sum(...)` becomes `pick(sum)(...)`."""

    def __init__(self) -> None:
        self.serial = 0

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        self.serial += 1
        name = f"for {self.serial}"  # no name that a program can have
        call = ast.Call(ast.Constant(ITERATE), [node.iter], [])
        made = ast.Assign([ast.Name(name, ast.Store())], call)
        node.iter = ast.copy_location(ast.Name(name, ast.Load()), call.args[0])
        for new in (call, call.func, made, made.targets[0]):
            ast.copy_location(new, node.iter)
        return [made, node]

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        plain = isinstance(node.func, ast.Name) and node.func.id == "sum" and not node.keywords
        if plain and len(node.args) == 1 and isinstance(node.args[0], ast.GeneratorExp):
            call = ast.Call(ast.Constant(PICK), [node.func], [])
            for new in (call, call.func):
                ast.copy_location(new, node.func)
            node.func = call
        return node


_MADE: dict[int, tuple[CodeType, CodeType]] = {}  # by identity: (code, the same with its loops made plain)


def _plainer(function: FunctionType) -> CodeType:
    """The function's code with its loops made plain; as it is where the file does not compile to it."""
    code = function.__code__
    if id(code) not in _MADE:
        _MADE[id(code)] = code, _changed(function)
    return _MADE[id(code)][1]


def _changed(function: FunctionType) -> CodeType:
    code = function.__code__
    try:
        text = inspect.getsource(sys.modules.get(function.__module__) or inspect.getmodule(function) or function)
        first, second = _compiled(text, code.co_filename)
    except (OSError, TypeError, SyntaxError, ValueError, RecursionError):
        return code
    for one, other in zip(first, second, strict=True):
        if _same(one, code):
            found = _injected(other)
            return found if found.co_freevars == code.co_freevars else code
    return code


@lru_cache(maxsize=8)
def _compiled(text: str, file: str) -> tuple[list[CodeType], list[CodeType]]:
    """All code of a file: as it is, and with loops made plain; raises ValueError where they do not correspond."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the file's own, told when it was read; and that text is called
        first = _nested(compile(text, file, "exec", dont_inherit=True))
        changed = ast.fix_missing_locations(_Plain().visit(ast.parse(text)))
        second = _nested(compile(changed, file, "exec", dont_inherit=True))
    if ITERATE in text or PICK in text or [c.co_qualname for c in first] != [c.co_qualname for c in second]:
        raise ValueError
    return first, second


def _same(one: CodeType, two: CodeType) -> bool:
    return one == two and (one.co_linetable, one.co_exceptiontable) == (two.co_linetable, two.co_exceptiontable)


def _injected(code: CodeType) -> CodeType:
    """With the functions themselves in the place of their names."""
    consts = tuple(
        _injected(part) if isinstance(part, CodeType) else INJECTED.get(part, part) if isinstance(part, str) else part
        for part in code.co_consts
    )
    return code.replace(co_consts=consts)
