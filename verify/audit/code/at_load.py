"""A file is loaded again in fresh processes: what it holds when it is loaded must be the same in every process.

A function is followed with the constants that its file made when it was loaded. So the file is loaded twice more, each
time in a process of its own with another seed of hashes, and with traps in the place of clocks and sources of chance. A
trap tells of the file and line that used it, unless it was used while another library was imported; and what the
function can reach is compared. Files and the environment are taken as they are.
"""

import ast
import builtins
import hashlib
import json
import os
import subprocess
import sys
import types
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from importlib.machinery import SourceFileLoader
from itertools import chain, count
from typing import Any

from verify.audit.code.load_traps import OURS, Traps
from verify.audit.guard.allowed import of_package, of_python
from verify.audit.guard.guarded import Frozen, Set, in_order
from verify.errors import BadInput
from verify.systems.python_file import from_python

CHILD = (
    "import json, sys; given = json.load(sys.stdin); sys.path[:] = given['path'];"
    "from verify.audit.code.at_load import answer; answer(given)"
)
HASH_SEEDS = (1, 2)
PATIENCE = 600  # seconds, for a file that has been loaded once already
WATCHED: dict[str, Any] = {"set": Set, "frozenset": Frozen, **{f.__name__: in_order(f) for f in (sorted, min, max)}}
MOST_PARTS = 300_000  # objects that are compared, besides numbers and text
NAMED = "shufflecert_"
ADVICE = "expected constants that are the same in every process; else audit it with --black-box"


def check(name: str, values: Mapping[str, str], trust: Sequence[str]) -> None:
    """Raises BadInput if `my.py:name` is not the same in every process, as far as it is made while it is loaded."""
    given = json.dumps({"path": sys.path, "name": name, "values": dict(values), "trust": list(trust)})
    children = [_started(seed) for seed in HASH_SEEDS]
    told = list[str]()
    try:
        for child in children:
            assert child.stdin is not None
            child.stdin.write(given)
            child.stdin.close()
        for child in children:
            assert child.stdout is not None
            told.append(child.stdout.read())
            child.wait(PATIENCE)
    except (OSError, subprocess.TimeoutExpired):
        told = []
    finally:
        for child in children:
            child.kill()
            child.wait()
    answers = [json.loads(text) for text in told if text]
    if len(answers) < len(HASH_SEEDS):
        ended = next((f", which signal {-child.returncode} ended" for child in children if child.returncode < 0), "")
        raise BadInput(f"{name}: gives no answer when it is loaded in a process of its own{ended}: {ADVICE}")
    for found in answers:
        if found["failed"] or found["used"]:
            said = found["failed"] or f"uses {found['used']} while it is loaded"
            raise BadInput(f"{name}: {said}: {ADVICE}, or name a package that may do so by --trust")
    one, two = (found["held"] for found in answers)
    for label in [*one, *two]:
        if one.get(label) != two.get(label):
            raise BadInput(f"{name}: {label} is another in every process: {ADVICE}")


def _started(seed: int) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, "-c", CHILD], env=environment, text=True, **pipes)


# In a process of its own ----------------------------------------------------------------------------------------------


def answer(given: dict[str, Any]) -> None:
    """Loads the file, and writes what it used and what the function can reach then, as JSON."""
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what the file prints goes nowhere
    traps, failed, held = Traps(given["trust"]), "", dict[str, str]()
    try:
        SourceFileLoader.get_code = _with_watched_sets  # type: ignore[method-assign, assignment]
        with traps:
            found = from_python(given["name"], given["values"])
        held = reached(found)
    except BadInput as error:
        failed = str(error)
    except Exception as error:  # of what another package's objects do when they are asked for what they hold
        native = f", of compiled code of {', '.join(sorted({*traps.native} - {''}))}" if {*traps.native} - {""} else ""
        failed = f"holds what cannot be compared ({type(error).__name__}: {error}){native}"
    os.write(out, json.dumps({"failed": failed, "used": traps.used, "held": held}).encode())
    os.close(out)
    os._exit(0)  # whatever it has started


class _Watched(ast.NodeTransformer):
    """Sets as guard.guarded has them, which are not read in an order that is another in every process."""

    def visit_Set(self, node: ast.Set) -> Any:
        self.generic_visit(node)
        return _call(node, "set", ast.List(node.elts, ast.Load()))

    def visit_SetComp(self, node: ast.SetComp) -> Any:
        self.generic_visit(node)
        return _call(node, "set", ast.ListComp(node.elt, node.generators))

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in WATCHED:
            node.func.id = NAMED + node.func.id
        return node


def _call(node: ast.expr, name: str, given: ast.expr) -> ast.Call:
    return ast.Call(ast.Name(NAMED + name, ast.Load()), [given], [])


def _with_watched_sets(loader: SourceFileLoader, name: str) -> types.CodeType:
    path = loader.get_filename(name)
    data: Any = loader.get_data(path)
    if _of_a_user(path) and "-packages" not in path:
        data = ast.fix_missing_locations(_Watched().visit(ast.parse(data)))
        vars(builtins).update({NAMED + name: stand_in for name, stand_in in WATCHED.items()})
    return compile(data, path, "exec", dont_inherit=True)


def reached(function: Any) -> dict[str, str]:
    """Digests of all data that a function can reach, by the name that leads there."""
    held, waiting, seen, many = dict[str, str](), deque([("what it is", function)]), set[int](), count()
    while waiting:
        label, value = waiting.popleft()
        if id(value) in seen:
            continue
        parts = _Parts(many)
        held[_free(label, held)] = hashlib.sha256(parts.written(value).encode()).hexdigest()
        seen |= {id(value)}
        waiting += [(name, part) for name, part in parts.named if id(part) not in seen]
    return held


def _free(label: str, held: Mapping[str, str]) -> str:
    more = (f"{label} ({i})" for i in count(2))
    return next(name for name in chain([label], more) if name not in held)


class _Parts:
    """Writes a value down, the same in every process if it is the same; names of functions' globals go to `named`."""

    def __init__(self, many: "count[int]") -> None:
        self.many = many
        self.named: list[tuple[str, Any]] = []
        self.seen: dict[int, tuple[int, Any]] = {}

    def written(self, value: Any) -> str:
        try:
            return self._of(value)
        except RecursionError:
            raise BadInput("holds what is too deep to be compared") from None

    def _of(self, value: Any) -> str:
        kind = type(value)
        if kind in (int, float, complex, bool, str, bytes, bytearray, type(None), Fraction, range):
            return f"{kind.__name__} {value:#x}" if kind is int else f"{kind.__name__} {value!r}"
        if id(value) in self.seen:
            return f"again {self.seen[id(value)][0]}"
        self.seen[id(value)] = len(self.seen), value
        if next(self.many) > MOST_PARTS:
            raise BadInput(f"reaches over {MOST_PARTS} objects, too many to be compared")
        named = f"{kind.__module__}.{kind.__qualname__}"
        return f"{named}({self._listed(self._contents(value, kind))})"

    def _listed(self, parts: Iterable[Any]) -> str:
        return ", ".join(map(self._of, parts))

    def _contents(self, value: Any, kind: type) -> Iterator[Any]:
        if isinstance(value, types.FunctionType):
            yield from self._of_function(value)
        elif isinstance(value, types.CodeType):
            yield from (value.co_code, value.co_names, value.co_varnames, *value.co_consts)
        elif isinstance(value, types.MethodType):
            yield from (value.__func__, value.__self__)
        elif isinstance(value, types.BuiltinFunctionType):
            yield from (value.__name__, None if isinstance(value.__self__, types.ModuleType) else value.__self__)
        elif isinstance(value, types.ModuleType):
            yield value.__name__
            if _of_a_user(getattr(value, "__file__", None)):
                self.named += [(f"{value.__name__}.{key}", v) for key, v in vars(value).items() if key[:2] != "__"]
        elif isinstance(value, type):
            yield value.__qualname__
            module = sys.modules.get(value.__module__)
            if _of_a_user(getattr(module, "__file__", None)):
                yield from (part for key, part in sorted(vars(value).items()) if key not in ("__dict__", "__weakref__"))
        elif isinstance(value, types.CellType):
            yield from (value.cell_contents,) if value != types.CellType() else ()
        else:
            yield from _of_data(value, kind)

    def _of_function(self, value: Any) -> Iterator[Any]:
        yield from (value.__code__, value.__defaults__, value.__kwdefaults__, value.__closure__, value.__dict__)
        if _of_a_user(value.__code__.co_filename):
            held = value.__globals__
            for key in sorted({*_names(value.__code__)}):
                if key in held:
                    self.named.append((f"the global {key}", held[key]))


def _names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield from _names(part)


def _of_data(value: Any, kind: type) -> Iterator[Any]:
    if isinstance(value, set | frozenset):
        base: Any = set if isinstance(value, set) else frozenset
        yield from sorted(_Parts(count()).written(part) for part in base.__iter__(value))
    elif isinstance(value, dict):
        for key, part in value.items():
            yield from (key, part)
    elif isinstance(value, list | tuple | deque):
        yield from value
    elif hasattr(value, "tobytes") and hasattr(value, "dtype"):
        yield from (str(value.dtype), str(getattr(value, "shape", "")))
        yield from (value.tolist(),) if value.dtype == object else (value.tobytes(),)
    elif kind.__name__ == "partial" and kind.__module__ == "functools":
        yield from (value.func, value.args, value.keywords)
    elif kind.__module__ in ("decimal", "datetime", "uuid", "pathlib", "re") or kind.__name__ == "Pattern":
        yield repr(value)
    if isinstance(getattr(value, "__dict__", None), dict):
        yield value.__dict__
    for base in kind.__mro__:
        slots: Any = vars(base).get("__slots__", ())
        for slot in (slots,) if isinstance(slots, str) else slots:
            yield getattr(value, str(slot), None) if slot[:2] != "__" else None


def _of_a_user(file: str | None) -> bool:
    """Whether code or a module is none of Python's, numpy's or ours."""
    if not file or of_python(file) or of_package(file, "numpy") or of_package(file, "scipy"):
        return False
    return not file.startswith(OURS)
