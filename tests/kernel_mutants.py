"""Damage verify/kernel.py in many small ways and count how often its tests notice: make mutants

`python -m tests.kernel_mutants 10` runs every tenth of them, and 10 3 every tenth from the fourth on. What is spent and
held of the budget is left alone here: it changes no verdict but "too much work", and tests/hostile.py is what tests it.

A mutant is the kernel with one node of its syntax tree changed: a comparison, an operator, a constant, a condition, a
word, a name, a statement left out. Each runs `noticed` of tests/test_kernel.py in a process of its own; to crash, or to
exceed the processor time or the memory, is to be noticed. The survivors are written to KERNEL_SURVIVORS.md.
"""

import ast
import copy
import json
import os
import resource
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from multiprocessing import get_context
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from tests import scale_mutants
from tests.kernel_parts import PARTS, about_any, judged
from tests.test_kernel import noticed as version_1
from verify import kernel

HERE = Path(__file__).parent
SOURCE = HERE.parent / "verify" / "kernel.py"
SECONDS, MEMORY = 15, 3 * 2**30  # of processor time; the sound kernel needs about five seconds
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
PROSE = {"need": 2, "Stop": 1, "ArgumentParser": 0}  # calls, and the argument from which on they are text for people


QUICK = 10**7  # work of a version 2 certificate that mutants are tried on


@cache
def scale() -> list[tuple[bytes, str]]:
    """Certificates of versions 2 and 4, changed ones among these, and what the sound kernel says of each."""
    from tests.test_presence import crowds

    trees = (json.dumps(tree).encode() for tree in [*scale_mutants.seeds(), *crowds(range(20_000, 20_008))])
    tried = [*trees, *(data for _, data in scale_mutants.mutants(7, 150))]
    verdicts = ((data, kernel.check(data, max_work=QUICK).status) for data in tried)
    return [(data, status) for data, status in verdicts if status != "undecided"]


def noticed(k: ModuleType) -> str | None:
    """What notices: tests/test_kernel.py, the parts at few bits, certificates of version 2 that must be told as before.

    That what it says is right is what tests/test_scale_mutants.py shows, against the second checker.
    """
    if (name := version_1(k)) is not None:
        return name
    for part in PARTS:
        try:
            part(k)
        except BaseException as error:
            return f"{part.__name__}: {error!r}"
    for data, status in scale():
        try:
            if k.check(data, max_work=QUICK).status != status:
                return status
        except Exception as error:
            return repr(error)
    return None


class Mutant(NamedTuple):
    """Variant number `variant` of the syntax tree's node number `node`."""

    node: int
    variant: int
    line: int
    change: str


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


def is_of_the_budget(node: ast.AST) -> bool:
    """Whether the statement spends, holds or gives back."""
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        return getattr(node.value.func, "attr", "") in ("spend", "hold")
    return isinstance(node, ast.Assign) and any(getattr(target, "attr", "") == "memory" for target in node.targets)


def places(tree: ast.Module) -> list[tuple[ast.AST, str, int | None]]:
    """Every node that may be changed, as (parent, field, index): not types, docstrings, prose, the last lines."""
    found: list[tuple[ast.AST, str, int | None]] = []

    def visit(parent: ast.AST) -> None:
        for field, value in ast.iter_fields(parent):
            for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
                text = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
                final = isinstance(child, ast.If) and "__name__" in ast.unparse(child.test)
                final = final or is_of_the_budget(child)
                if not isinstance(child, ast.AST) or field in ("annotation", "returns") or text or final:
                    continue
                called = getattr(parent, "func", None)
                name = getattr(called, "id", getattr(called, "attr", ""))
                spoken = (field == "args" and index is not None and index >= PROSE.get(name, 9)) or (
                    isinstance(child, ast.keyword) and child.arg in ("prog", "description", "metavar", "help")
                )
                if isinstance(child, ast.JoinedStr) or spoken:
                    continue
                found.append((parent, field, index))
                visit(child)

    visit(tree)
    return found


def child(place: tuple[ast.AST, str, int | None]) -> ast.AST:
    parent, field, index = place
    value = getattr(parent, field)
    result: ast.AST = value if index is None else value[index]
    return result


def mutants(source: str) -> list[Mutant]:
    found = []
    for number, place in enumerate(places(ast.parse(source))):
        node = child(place)
        line = next(n.lineno for n in (node, place[0], getattr(node, "iter", None)) if hasattr(n, "lineno"))
        for variant, (name, _) in enumerate(variants(node)):
            found.append(Mutant(number, variant, line, f"{type(node).__name__}: {name}"))
    return found


def damaged(source: str, mutant: Mutant) -> ast.Module:
    tree = ast.parse(source)
    parent, field, index = place = places(tree)[mutant.node]
    _, other = list(variants(child(place)))[mutant.variant]
    if index is None:
        setattr(parent, field, other)
    else:
        getattr(parent, field)[index] = other
    return ast.fix_missing_locations(tree)


def load(tree: ast.Module) -> ModuleType:
    module = ModuleType("damaged_kernel")
    exec(compile(tree, "damaged_kernel", "exec"), module.__dict__)
    return module


def survives(source: str, mutant: Mutant) -> bool:
    """Whether the tests pass with this mutant, run in a child of this process."""
    pid = os.fork()
    if pid:
        return os.waitpid(pid, 0)[1] == 0
    try:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        sys.stdout = sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115
        os._exit(0 if noticed(load(damaged(source, mutant))) is None else 1)
    except BaseException:
        os._exit(1)


def survivors(chosen: list[Mutant], source: str) -> list[Mutant]:
    """Those of the chosen that no test notices; two at a time."""
    judged(), scale(), about_any()  # made once, here, and not in the time of each mutant
    with ProcessPoolExecutor(2, mp_context=get_context("fork")) as pool:
        lives = pool.map(survives, [source] * len(chosen), chosen, chunksize=4)
        return [mutant for mutant, alive in zip(chosen, lives, strict=True) if alive]


def page(chosen: list[Mutant], every: int, alive: list[Mutant], source: str) -> str:
    """KERNEL_SURVIVORS.md: how many were noticed, and the lines of those that were not."""
    lines = source.splitlines()
    share = 100 * (len(chosen) - len(alive)) / len(chosen)
    text = [
        "# Mutants of the kernel that no test notices",
        "",
        "Written by `make mutants` (tests/kernel_mutants.py): `verify/kernel.py` is damaged in one place at a time.",
        f"Of {every} such mutants {len(chosen)} were run, spread evenly; {share:.1f} % were noticed.",
        "",
        "| function | line | change |",
        "|---|---|---|",
    ]
    for mutant in alive:
        defined = [line for line in lines[: mutant.line] if line.startswith(("def ", "class "))]
        name = defined[-1].split("(")[0].split(" ")[1].rstrip(":") if defined else "top"
        shown = lines[mutant.line - 1].strip().replace("|", "\\|")
        text.append(f"| {name} | `{shown}` | {mutant.change.replace('|', chr(92) + '|')} |")
    return "\n".join(text) + "\n"


def main() -> None:
    source = SOURCE.read_text()
    assert noticed(load(ast.parse(source))) is None, "the sound kernel fails its tests"
    every = mutants(source)
    step, start = (*map(int, sys.argv[1:]), *(1, 0)[len(sys.argv) - 1 :])
    chosen = every[start::step]
    alive = survivors(chosen, source)
    written = page(chosen, len(every), alive, source)
    (HERE / "KERNEL_SURVIVORS.md").write_text(written)
    print(written)


if __name__ == "__main__":
    main()
