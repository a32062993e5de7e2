"""Damage verify/kernel.py in many small ways and count how often its tests notice: make mutants

`python -m tests.kernel_mutants 10` runs every tenth of them, and 10 3 every tenth from the fourth on.

A mutant is the kernel with one node of its syntax tree changed: a comparison, an operator, a constant, a condition, a
word, a name, a statement left out. What is spent and held of the budget, and what is computed for that alone, is left
as it is: it changes no verdict but "too much work", and tests/hostile.py is what tests it.

The tests are tests/kernel_checks.py, the parts of tests/kernel_parts.py, and certificates one by one. What
lines each test reaches is recorded on the sound kernel; a mutant is run, in a process of its own, on those that reach
its statement, the cheap ones first. To crash, or to take far more processor time or memory, is to be noticed too.

What nobody notices is written to KERNEL_SURVIVORS.md: those that change nothing, with the reason that
tests/kernel_harmless.py states, and the others.
"""

import ast
import copy
import gc
import json
import os
import resource
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from types import FrameType, ModuleType
from typing import Any, NamedTuple

from tests import kernel_battery, kernel_checks, scale_mutants, scale_seeds
from tests.kernel_harmless import reason_of
from tests.kernel_parts import PARTS
from verify import kernel

HERE = Path(__file__).parent
SOURCE = HERE.parent / "verify" / "kernel.py"
SECONDS, TIMES, MEMORY = 2, 20, 3 * 2**30  # a test may take two seconds and 20 times what the sound kernel takes
COMPARISONS: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE, ast.GtE), ast.LtE: (ast.Lt, ast.Gt), ast.Gt: (ast.GtE, ast.LtE), ast.GtE: (ast.Gt, ast.Lt),
    ast.Eq: (ast.NotEq,), ast.NotEq: (ast.Eq,), ast.Is: (ast.IsNot,), ast.IsNot: (ast.Is,), ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}  # fmt: skip
OPERATORS: dict[type[ast.operator], tuple[type[ast.operator], ...]] = {
    ast.Add: (ast.Sub,), ast.Sub: (ast.Add,), ast.Mult: (ast.FloorDiv, ast.Add), ast.FloorDiv: (ast.Mult,),
    ast.Pow: (ast.Mult,), ast.LShift: (ast.RShift,), ast.BitOr: (ast.BitAnd,), ast.BitXor: (ast.BitOr, ast.BitAnd),
}  # fmt: skip
NAMES = {
    "min": "max", "max": "min", "all": "any", "any": "all", "sorted": "list", "and_": "or_", "or_": "and_",
    "combinations": "permutations", "permutations": "combinations", "reduce": "max", "RATIONAL": "DECIMAL",
    "DECIMAL": "RATIONAL", "floordiv": "truediv", "fullmatch": "match",
}  # fmt: skip
PROSE = {
    "need": 2,
    "Stop": 1,
    "within": 1,
    "ArgumentParser": 0,
}  # calls, and the argument from which on they are text for people


QUICK = 10**7  # work of a version 2 certificate that mutants are tried on


@cache
def scale() -> list[tuple[bytes, str]]:
    """Certificates of versions 2 and 4, changed ones among these, and what the sound kernel says of each."""
    from tests.presence_cases import crowds

    trees = (json.dumps(tree).encode() for tree in [*scale_seeds.seeds(), *crowds(range(20_000, 20_008))])
    tried = [*trees, *(data for _, data in scale_mutants.mutants(7, 150))]
    verdicts = ((data, kernel.check(data, max_work=QUICK).status) for data in tried)
    return [(data, status) for data, status in verdicts if status != "undecided"]


class Test(NamedTuple):
    """A test by name: it raises or says False where it notices. `lines` of the kernel it reaches, `cost` in seconds."""

    name: str
    passes: Callable[[Any], bool]
    lines: frozenset[int] = frozenset()
    cost: float = 0


def told(data: bytes, status: str, work: int, k: Any) -> bool:
    """Whether the kernel says this of the certificate."""
    found: str = k.check(data, max_work=work).status
    return found == status


def tests() -> list[Test]:
    """tests/kernel_checks.py, the parts at few bits, certificates of later versions that must be told as before.

    That what is said of those is right is what tests/test_scale_mutants.py shows, against the second checker.
    """
    found = []
    for name, data, status in kernel_battery.BATTERY:
        work = kernel_battery.QUICK if status == "undecided" else kernel.MAX_WORK
        found.append(Test(name, partial(told, data, status, work)))
    for check in [*kernel_checks.CHECKS, *PARTS]:
        found.append(Test(check.__name__, lambda k, check=check: check(k) is None))
    return found + [Test("scale", partial(told, data, status, QUICK)) for data, status in scale()]


def noticed(k: ModuleType) -> str | None:
    """The first test that notices, if any."""
    for test in tests():
        try:
            if not test.passes(k):
                return test.name
        except BaseException as error:
            return f"{test.name}: {error!r}"
    return None


def measured(source: str) -> list[Test]:
    """The tests with the lines that they reach and what they cost, the cheap ones first; all pass."""
    code, lines, found = compile(source, NAME, "exec"), set[int](), []

    def entered(frame: FrameType, _event: str, _what: Any) -> Any:
        return reached if frame.f_code.co_filename == NAME else None

    def reached(frame: FrameType, _event: str, _what: Any) -> Any:
        lines.add(frame.f_lineno)
        return reached

    sys.settrace(entered)
    exec(code, ModuleType(NAME).__dict__)
    sys.settrace(None)
    always = frozenset(lines)  # what runs before any test
    for test in tests():
        spent = list[float]()
        for tracing in (False, True):  # what it keeps of the sound kernel's answers is computed the first time
            module = ModuleType(NAME)
            exec(code, module.__dict__)
            begun = time.process_time()
            sys.settrace(entered if tracing else None)
            passed = test.passes(module)
            sys.settrace(None)
            assert passed, f"the sound kernel fails {test.name}"
            spent.append(time.process_time() - begun)
        found.append(test._replace(lines=always.union(lines), cost=spent[0]))
        lines.clear()
    return sorted(found, key=lambda test: test.cost)


class Mutant(NamedTuple):
    """Variant number `variant` of the syntax tree's node number `node`, in the lines of one statement or its head."""

    node: int
    variant: int
    line: int
    change: str
    function: str
    lines: range  # none outside functions: there every test counts


def variants(node: ast.AST) -> Iterator[tuple[str, ast.AST]]:
    """What the node can be replaced by, each with a name."""

    def changed(name: str, **fields: object) -> tuple[str, ast.AST]:
        other = copy.copy(node)
        for field, value in fields.items():
            setattr(other, field, value)
        return name, other

    match node:
        case ast.Compare():
            for i, op in enumerate(node.ops):
                for to in COMPARISONS[type(op)]:
                    ops = [*node.ops[:i], to(), *node.ops[i + 1 :]]
                    yield changed(f"{type(op).__name__} to {to.__name__}", ops=ops)
        case ast.BinOp() | ast.AugAssign():
            for to_op in OPERATORS.get(type(node.op), ()):
                yield changed(f"{type(node.op).__name__} to {to_op.__name__}", op=to_op())
        case ast.BoolOp():
            yield changed("and/or exchanged", op=ast.Or() if isinstance(node.op, ast.And) else ast.And())
            for i in range(len(node.values)):
                rest = [*node.values[:i], *node.values[i + 1 :]]
                yield f"operand {i} dropped", rest[0] if len(rest) == 1 else changed("", values=rest)[1]
        case ast.UnaryOp():
            yield f"{type(node.op).__name__} dropped", node.operand
        case ast.Constant(value=bool(value)):
            yield changed(f"{value} to {not value}", value=not value)
        case ast.Constant(value=int(value)):
            yield changed(f"{value} to {value + 1}", value=value + 1)
            yield changed(f"{value} to {value - 1}", value=value - 1)
        case ast.Constant(value=str(value)):
            yield changed(f"{value!r} to another", value=value + "x")
        case ast.IfExp() | ast.While() | ast.If():
            for forced in {True, False} - {getattr(node.test, "value", None)}:
                yield changed(f"condition forced {forced}", test=ast.Constant(forced))
        case ast.comprehension() if node.ifs:
            yield changed("filter dropped", ifs=[])
        case ast.Slice():
            for end in ("lower", "upper"):
                if getattr(node, end) is not None:
                    yield changed(f"{end} end dropped", **{end: None})
        case ast.Name() if node.id in NAMES:
            yield changed(f"{node.id} to {NAMES[node.id]}", id=NAMES[node.id])
        case ast.Attribute() if node.attr in NAMES:
            yield changed(f"{node.attr} to {NAMES[node.attr]}", attr=NAMES[node.attr])
    if isinstance(node, ast.Assign | ast.AugAssign | ast.Expr | ast.Raise | ast.Return | ast.For | ast.If | ast.While):
        yield "statement left out", ast.Pass()


def is_of_the_budget(node: ast.AST, idle: set[str]) -> bool:
    """Whether the statement spends, holds, gives back, or computes what is needed for that alone."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return getattr(node.value.func, "attr", "") in ("spend", "hold")
    if not isinstance(node, ast.Assign):
        return False
    targets = [part for target in node.targets for part in getattr(target, "elts", [target])]
    return all(getattr(t, "attr", "") in ("work", "memory") or getattr(t, "id", "") in idle for t in targets)


def idle_names(function: ast.AST) -> set[str]:
    """The names that only statements of the budget read."""
    assigned = {n.id for n in ast.walk(function) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    while True:
        read, stack = set[str](), [function]
        while stack:
            node = stack.pop()
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                read.add(node.id)
            stack += [inner for inner in ast.iter_child_nodes(node) if not is_of_the_budget(inner, assigned)]
        if not assigned & read:
            return assigned
        assigned -= read


class Place(NamedTuple):
    """A node that may be changed: where it hangs, its statement's lines, the function or class; the top statement."""

    parent: ast.AST
    field: str
    index: int | None
    lines: range
    function: str
    top: int

    def node(self) -> ast.AST:
        """The node itself."""
        value = getattr(self.parent, self.field)
        result: ast.AST = value if self.index is None else value[self.index]
        return result


def head(statement: ast.stmt) -> range:
    """Its lines, without those of the statements in it."""
    inner = [part[0].lineno for part in (getattr(statement, field, []) for field in ("body", "orelse")) if part]
    return range(statement.lineno, min(inner, default=(statement.end_lineno or 0) + 1))


def places(tree: ast.Module) -> list[Place]:
    """Every node that may be changed: not types, docstrings, prose, the last lines."""
    found: list[Place] = []

    def visit(parent: ast.AST, function: str, inside: bool, lines: range, top: int, idle: set[str]) -> None:
        body = isinstance(parent, ast.FunctionDef | ast.Lambda)
        for field, value in ast.iter_fields(parent):
            for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
                text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
                final = isinstance(child, ast.If) and "__name__" in ast.unparse(child.test)
                final = final or (isinstance(child, ast.AST) and is_of_the_budget(child, idle))
                if not isinstance(child, ast.AST) or field in ("annotation", "returns") or text or final:
                    continue
                called = getattr(parent, "func", None)
                name = getattr(called, "id", getattr(called, "attr", ""))
                spoken = (field == "args" and index is not None and index >= PROSE.get(name, 9)) or (
                    isinstance(child, ast.keyword) and child.arg in ("prog", "description", "metavar", "help")
                )
                if isinstance(child, ast.JoinedStr) or spoken:
                    continue
                at, within, names, whole = lines, inside or (body and field == "body"), function, idle
                if isinstance(child, ast.stmt):
                    at = head(child) if within else range(0)
                if isinstance(parent, ast.Module):
                    top, names = index or 0, getattr(child, "name", "")
                if isinstance(child, ast.FunctionDef) and not within:
                    whole = idle_names(child)
                found.append(Place(parent, field, index, at if within else range(0), names, top))
                visit(child, names, within, at, top, whole)

    visit(tree, "", False, range(0), 0, set())
    return found


def mutants(every: list[Place]) -> list[Mutant]:
    """All of them."""
    found = []
    for number, place in enumerate(every):
        node = place.node()
        line = next(n.lineno for n in (node, place.parent, getattr(node, "iter", None)) if hasattr(n, "lineno"))
        for variant, (name, _) in enumerate(variants(node)):
            change = f"{type(node).__name__}: {name}"
            found.append(Mutant(number, variant, line, change, place.function, place.lines))
    return found


NAME = "damaged_kernel"


def load(tree: ast.Module) -> ModuleType:
    """The module of a tree."""
    module = ModuleType(NAME)
    exec(compile(tree, NAME, "exec"), module.__dict__)
    return module


class LateError(BaseException):
    """A test took far longer than it does."""


class Run:
    """The kernel's tree and tests, read once; every mutant is made and tried in a child that is forked from here."""

    def __init__(self, source: str) -> None:
        self.lines, self.tree = source.splitlines(), ast.parse(source)
        self.codes = [compile(ast.Module([part], []), NAME, "exec") for part in self.tree.body]
        self.places = places(self.tree)
        self.mutants = mutants(self.places)
        self.tests = measured(source)

    def passes(self, mutant: Mutant) -> bool:
        """Whether all tests that reach the mutant pass with it; the tree is damaged from now on."""

        def late(*_: Any) -> None:
            raise LateError

        parent, field, index, *_, top = place = self.places[mutant.node]
        _, other = list(variants(place.node()))[mutant.variant]
        if index is None:
            setattr(parent, field, other)
        else:
            getattr(parent, field)[index] = other
        changed = ast.fix_missing_locations(ast.Module([self.tree.body[top]], []))
        module = ModuleType(NAME)
        signal.signal(signal.SIGPROF, late)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        for code in [*self.codes[:top], compile(changed, NAME, "exec"), *self.codes[top + 1 :]]:
            exec(code, module.__dict__)
        for test in self.tests:
            if not mutant.lines or not test.lines.isdisjoint(mutant.lines):
                signal.setitimer(signal.ITIMER_PROF, SECONDS + TIMES * test.cost)
                if not test.passes(module):
                    return False
        return True

    def shown(self, mutant: Mutant) -> str:
        """Its line."""
        return self.lines[mutant.line - 1].strip()

    def reason(self, mutant: Mutant) -> str:
        """Why it does no harm, if that is known."""
        return reason_of(mutant.function, self.shown(mutant), mutant.change)

    def fate(self, number: int) -> str:
        """What becomes of a mutant, run in a child of this process: "alive", "noticed" or "late"; a reason: not run."""
        if reason := self.reason(self.mutants[number]):
            return reason
        pid = os.fork()
        if pid:
            return {0: "alive", 256: "noticed"}.get(os.waitpid(pid, 0)[1], "late")
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
            os._exit(0 if self.passes(self.mutants[number]) else 1)
        except LateError:
            os._exit(2)
        except BaseException:
            os._exit(1)

    def fates(self, numbers: Iterable[int]) -> Iterator[tuple[Mutant, str]]:
        """Those with these numbers, two at a time."""
        global running
        running = self
        gc.freeze()
        with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
            yield from zip((self.mutants[i] for i in numbers), pool.map(fate, numbers, chunksize=4), strict=True)


running: Run
BAR = "\\|"  # within a cell of a table


def fate(number: int) -> str:
    """For the pool, whose processes have the run since they were forked."""
    return running.fate(number)


def page(run: Run, fates: list[tuple[Mutant, str]]) -> str:
    """KERNEL_SURVIVORS.md: how many were noticed, and the lines of those that were not, harmless ones by reason."""
    number, left, reasons = Counter(fate for _, fate in fates), list[str](), dict[str, list[str]]()
    for mutant, fate in fates:
        if fate not in ("noticed", "late"):
            cells = (mutant.function, f"`{run.shown(mutant)}`", mutant.change)
            row = f"| {' | '.join(cell.replace('|', BAR) for cell in cells)} |"
            (left if fate == "alive" else reasons.setdefault(fate, [])).append(row)
    seen = number["noticed"] + number["late"]
    text = [
        "# Mutants of the kernel that no test notices",
        "",
        "Written by `make mutants` (tests/kernel_mutants.py): `verify/kernel.py` is damaged in one place at a time.",
        f"Of {len(run.mutants)} such mutants {len(fates)} were tried. {len(fates) - seen - len(left)} are harmless,",
        f"for a reason that is stated. Of the others {seen} were noticed ({number['late']} by time or memory alone),",
        f"which is {100 * seen / (seen + len(left)):.1f} %, and {len(left)} are left.",
    ]
    table = ["", "| function | line | change |", "|---|---|---|"]
    text += ["", "## Left", *(table if left else ["", "None."]), *left]
    for reason in sorted(reasons):
        text += ["", f"## Harmless: {reason}", *table, *reasons[reason]]
    return "\n".join(text) + "\n"


def main() -> None:
    """The command: every so many, from one on."""
    if os.environ.get("PYTHONHASHSEED") != "0":  # so that sets are walked in the same order every time
        os.execve(
            sys.executable, [sys.executable, "-m", __spec__.name, *sys.argv[1:]], os.environ | {"PYTHONHASHSEED": "0"}
        )
    run = Run(SOURCE.read_text())
    step, start = (*map(int, sys.argv[1:]), *(1, 0)[len(sys.argv) - 1 :])
    found = []
    for mutant, fate in run.fates(range(len(run.mutants))[start::step]):
        found.append((mutant, fate))
        if fate == "alive":
            print(f"{len(found)}: {mutant.line} {mutant.function}: {mutant.change}", file=sys.stderr, flush=True)
    written = page(run, found)
    (HERE / "KERNEL_SURVIVORS.md").write_text(written)
    print(written)


if __name__ == "__main__":
    main()
