"""In which ways tests/kernel_mutants.py damages verify/kernel.py, and which of its rules match none of them.

A mutant is the kernel with one node of its syntax tree changed: a comparison, an operator, a constant, a condition, a
word, a name, a statement left out. What is spent and held of the budget, and what is computed for that alone, is left
as it is: it changes no verdict but "too much work", and tests/hostile.py is what tests it.
"""

import ast
import copy
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.kernel_harmless import RULES, rule_of

SOURCE = Path(__file__).parent.parent / "verify" / "kernel.py"
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


def stale_rules() -> list[tuple[str, str, str, str]]:
    """The rules of tests/kernel_harmless.py that are the first to match no mutant of today's kernel."""
    source = SOURCE.read_text()
    lines = source.splitlines()
    every = mutants(places(ast.parse(source)))
    used = {rule_of(mutant.function, lines[mutant.line - 1].strip(), mutant.change) for mutant in every}
    return [rule for rule in RULES if rule not in used]
