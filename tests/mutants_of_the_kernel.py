"""Damage the kernel in one place at a time and count how often its verdicts change.

`python -m tests.mutants_of_the_kernel 40 3` tries one mutant in forty, of forty drawings the fourth. A mutant is the
kernel with one node of its syntax tree changed by a rule of `variants`; it is tried, in a process of its own, on a list
of certificates (`battery`), and noticed where it says anything else than the sound kernel does, or takes far longer.

Left out are what is spent of the budget and what is said of a file that is wrong, and the constants of precision; and
HARMLESS lists what a mutant may do without changing what is accepted.
"""

import ast
import copy
import json
import os
import random
import resource
import sys
from collections.abc import Iterator
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple
from zlib import crc32

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from tests import kernel_attack, limits_of_the_form, test_kernel

SOURCE, TESTS = Path(kernel.__file__), Path(__file__).parent
FOLDERS = "accepted", "rejected", "undecided", "malformed"  # of the tests
WORK = 3 * 10**6
F = Fraction
SECONDS = 40  # of the processor, for all certificates; the sound kernel takes a tenth
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.FloorDiv: ast.Mult, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift, ast.Mod: ast.Mult, ast.Pow: ast.Mult, ast.BitOr: ast.BitAnd,
}  # fmt: skip
NAMES = {"min": "max", "max": "min", "all": "any", "any": "all", "up": "divmod", "sorted": "list"}
COMMAND = {"main", "tell", "forget", "read_file", "check_file", "show", "Budget", "natural"}  # of which others tell
HARMLESS = {  # by function: what else may be done there, and why all is as it was
    "parse": "what a file may weigh is the budget's",
    "common": "any common multiple is one",
    "small": "how many bits are tried first",
    "failing": "with how many bits it begins, and goes on",
    "bits_of": "more bits, or fewer, only move a bound by less than is shown",
    "survey": "in which order sums are computed",
    "way_of": "which of two ways is taken",
    "layout": "places may be any that tell outcomes apart",
    "trimmed": "how much is left out of a curve is counted whatever it is",
    "within": "so is when a step is doubled",
    "window": "how far a window goes is counted",
    "named": "a name",
}


class Mutant(NamedTuple):
    """A node by its number, the variant of it, its line, the function around it, and what is changed."""

    node: int
    variant: int
    line: int
    function: str
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
                to = COMPARISONS[type(op)]
                yield changed(f"{type(op).__name__} to {to.__name__}", ops=[*node.ops[:i], to(), *node.ops[i + 1 :]])
        case ast.BinOp() | ast.AugAssign() if type(node.op) in OPERATORS:
            by = OPERATORS[type(node.op)]
            yield changed(f"{type(node.op).__name__} to {by.__name__}", op=by())
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
        case ast.IfExp() | ast.If():
            for forced in (True, False):
                yield changed(f"condition forced {forced}", test=ast.Constant(forced))
        case ast.comprehension() if node.ifs:
            yield changed("filter dropped", ifs=[])
        case ast.Name() if node.id in NAMES:
            yield changed(f"{node.id} to {NAMES[node.id]}", id=NAMES[node.id])
    if isinstance(node, ast.Expr | ast.Raise | ast.AugAssign):
        yield "statement left out", ast.Pass()


def is_left_out(node: ast.AST) -> bool:
    """Budgets, texts, types, definitions of precision, and the command."""
    if isinstance(node, ast.Expr):
        called = getattr(node.value, "func", None)
        return isinstance(node.value, ast.Constant) or getattr(called, "attr", "") in ("spend", "hold")
    if isinstance(node, ast.Assign | ast.AnnAssign):
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        written = ast.unparse(targets[0])
        return "memory" in written or (written[:5].replace("_", "").isupper() and len(written) > 1)
    if isinstance(node, ast.keyword) and node.arg == "strict":
        return True
    return isinstance(node, ast.JoinedStr | ast.Import | ast.ImportFrom) or getattr(node, "name", "") in COMMAND


def places(tree: ast.Module) -> list[tuple[ast.AST, str, int | None, int, str]]:
    """Every node that may be changed: what it hangs on, the field, its index, its line and the function."""
    found, stack = [], [(tree, "", 0)]
    while stack:
        parent, function, line = stack.pop()
        for field, value in ast.iter_fields(parent):
            for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
                called = getattr(getattr(parent, "func", None), "id", "")
                spoken = field == "args" and index and called in ("need", "Stop")
                if not isinstance(child, ast.AST) or field in ("annotation", "returns") or is_left_out(child) or spoken:
                    continue
                name = child.name if isinstance(child, ast.FunctionDef | ast.ClassDef) else function
                here = getattr(child, "lineno", line)
                found.append((parent, field, index, here, name))
                stack.append((child, name, here))
    return sorted(found, key=lambda place: place[3])


def mutants(tree: ast.Module) -> list[Mutant]:
    """All of them."""
    found = []
    for number, (parent, field, index, line, function) in enumerate(places(tree)):
        value = getattr(parent, field)
        node = value if index is None else value[index]
        found += [Mutant(number, i, line, function, name) for i, (name, _) in enumerate(variants(node))]
    return found


ANSWER = {
    "no": {("no",): F(11, 18), ("skip",): F(5, 18), ("yes",): F(1, 9)},
    "yes": {("no",): F(1, 9), ("skip",): F(4, 9), ("yes",): F(4, 9)},
}
GRID = {"step": "1/8", "cells": 400, "tilt": "10/9"}


def large() -> Iterator[tuple[Any, Any, Any]]:
    """(runs, neighbours, proof) of laws so large that they are rounded, of windows, grids, lattices, dots."""
    poisson, coin = {"law": "poisson", "lam": "30"}, writing.coin
    laws = [
        poisson,
        {"law": "negative binomial", "r": "5/2", "p": "1/2"},
        {"law": "negative binomial", "r": "1/2", "p": "3/4"},
        {"law": "negative binomial", "r": "1", "p": "9/10"},
        {"law": "discrete Laplace", "q": "4/5"},
        {"law": "discrete Laplace", "q": "4/5", "bound": 9},
        {"law": "discrete Gaussian", "variance": "20"},
        {"law": "binomial", "n": 900, "p": "1/3"},
        {"law": "sum", "of": [{"law": "binomial", "n": 500, "p": "1/5"}, poisson]},
        {"law": "mixture", "of": [["1/3", poisson], ["2/3", {"law": "discrete Laplace", "q": "1/2"}]]},
        {"law": "mod", "by": 9, "of": {"law": "discrete Gaussian", "variance": "7/2"}},
    ]
    for i, law in enumerate(laws):
        shown = {"shown": {"mod": 50}} if i == 1 else {}
        yield [({"users": 1, "each": {"up to": 2}, "added": law, **shown}, 1)], "replace", {}
    yield [({"users": 3, "each": {"up to": 1, "plus": poisson}}, 1)], "add-remove", {}
    for users, tree, shown in [(400, [["a", 9], "corner", "corner"], {}), (7, ["each"], {"shown": {"from": 2}})]:
        seen = {"users": users, "each": {"one of": 3, "held": coin("3/4"), "other": coin("1/7")}, **shown}
        yield [(seen, 1)], "replace", writing.cover([writing.entry("a", "b", tree)])
    below = {"law": "discrete Laplace", "q": "2/3", "bound": 7}
    seen = {"users": 2, "each": {"columns": {"no": [coin("1/4")], "yes": [coin("3/4")]}}, "added": below}
    ends, block = [("no", "yes"), ("yes", "no")], writing.block
    yield [(seen, 1)], "replace", writing.cover([writing.entry(a, b, ["each"]) for a, b in ends])
    trees = [
        [["no", 30], "corner", "corner"],
        [["no", 30], block({"yes": 2}, 1, "yes", GRID), "corner"],
        [["yes", 40], "corner", block({"yes": 3}, 2, None, GRID)],
        [block({}, 1, None, GRID)],
    ]
    for tree in trees:
        seen = writing.rows(kernel_attack.written(ANSWER), 90)
        yield [(seen, 1)], "replace", writing.cover([writing.entry(a, b, tree) for a, b in ends])
    away = [("no", None), ("yes", None), (None, "no"), (None, "yes")]
    seen = writing.rows(kernel_attack.written(ANSWER), 60, "shuffled", 50, "1/2")
    for around in ("add-remove", {"deletion": {"no": "1/3", "yes": "2/3"}}):
        yield [(seen, 1)], around, writing.cover([writing.entry(a, b, ["corner"]) for a, b in away])
    for local in (["log(2)", "0"], ["1", "1/1000000"]):
        yield [({"users": 200, "each": {"private": local}}, 1)], "replace", {"grid": GRID | {"step": "1/32"}}
    count = {"users": 1, "each": {"up to": 1}, "added": poisson}
    lattice = [(F(257, 256), 300)]
    yield [(count, 5)], "replace", writing.composed([{}], lattice)
    yield [(count, 5)], "replace", writing.composed([{"points": [["1", "1/10", {}], ["2", "1/1000", {}]]}], lattice)


def on_the_grid() -> tuple[Any, Any, Any]:
    """Blocks of one user, of whom L has two values for e^eps = 2, 1/3 and -5, which are steps of the grid."""
    seen = writing.rows(kernel_attack.written(test_kernel.response(2, F(3, 4))), 60)
    trees = [[[x, 40], "corner", writing.block({x: 1}, 0, x, GRID | {"step": "1/3"})] for x in "01"]
    return [(seen, 1)], "replace", writing.cover([writing.entry(*"01", trees[0]), writing.entry(*"10", trees[1])])


def refuted() -> Iterator[tuple[Any, Any, Any]]:
    """(runs, neighbours, refutation): events of all views and of users who come and go, compositions from below."""
    told = {
        "no": {("a", "b"): F(1, 2), ("b", "a"): F(1, 4), ("a", "a"): F(1, 4)},
        "yes": {("a", "b"): F(1, 8), ("b", "a"): F(1, 2), ("a", "a"): F(3, 8)},
    }
    words, pair = writing.rows(kernel_attack.written(told), 1), {"from": "yes", "to": "no"}
    yield [(words | {"view": "local"}, 1)], "replace", {"pair": pair, "event": {"outcomes": [["b", "a"], ["a", "a"]]}}
    yield [(words | {"view": "preshuffle"}, 1)], "replace", {"pair": pair, "event": {"outcomes": [{"a": 2}]}}
    yield [(words | {"view": "preshuffle"}, 1)], "replace", {"pair": pair}
    answers, rest = writing.rows(kernel_attack.written(ANSWER), 14, "shuffled", 12, "1/2"), {"others": {"no": 11}}
    absent, some = {"from": "yes", "to": None} | rest, {"deletion": {"no": "1/3", "yes": "2/3"}}
    for around, ends in (("replace", pair | rest), ("add-remove", absent), (some, {"from": None, "to": "no"} | rest)):
        yield [(answers, 1)], around, {"pair": ends, "event": {"weights": {"yes": "1"}, "above": "1"}}
        yield [(answers, 1)], around, {"pair": ends}
    listed = [{"yes": 3}, {"yes": 3, "no": 1}, {"yes": 3, "skip": 1}, {"yes": 4}]
    ends = pair | {"others": {"no": 3, "yes": 1}}
    yield [(answers | {"users": 6, "honest": 5}, 1)], "replace", {"pair": ends, "event": {"outcomes": listed}}
    private = {"users": 4, "each": {"private": ["log(6)", "1/50"]}}
    rows = kernel_attack.written(ANSWER)["rows"]
    ends = pair | {"others": {"no": 3}}
    yield [(private, 1)], "replace", {"rows": rows, "pair": ends, "event": {"weights": {"yes": "1"}, "above": "0"}}
    count = {"users": 1, "each": {"up to": 2}, "added": {"law": "poisson", "lam": "30"}}
    lattice = [(F(257, 256), 300)]
    yield [(count, 5)], "replace", writing.composed([{"pair": {"from": "2", "to": "0"}}], lattice)
    alone = writing.rows(kernel_attack.written(ANSWER), 1)
    parts = [{"pair": pair | {"others": {}}}, {"pair": {"from": "1", "to": "0"}}]
    yield [(alone, 3), (count, 2)], "replace", writing.composed(parts, lattice)


def edges(runs: Any, neighbours: Any, why: Any, verdict: str, eps: str = "1/5") -> list[Any]:
    """Two certificates whose deltas are next to each other in sixty bits, of which the sound kernel accepts one.

    The bound is overheard where the kernel compares it; what that leaves open is halved.
    """
    proved, heard, compared = verdict == "PROVED", list[Fraction](), kernel.at_most

    def made(delta: Fraction) -> Any:
        return writing.certificate(writing.claim(runs, neighbours, eps, delta), verdict, why)

    def kept(delta: Fraction) -> bool:
        heard.clear()
        good = kernel.check(json.dumps(made(delta)).encode(), max_work=10 * WORK).status == "accepted"
        return good == proved

    def noted(value: Any, bound: Any) -> bool:
        heard.append(F(*value))
        return compared(value, bound)

    kernel.at_most = noted
    try:
        kept(F(proved))
        bound = max(heard) if proved else heard[-1]
        kept(bound)  # of which what is rounded depends a little
        bound = max(heard) if proved else heard[-1]
    finally:
        kernel.at_most = compared
    low = high = bound
    for bits in (200, 60, 40, 28, 20, 8, 2):
        low, high = (F(round(bound * (1 + F(way, 2**bits)) * 2**400), 2**400) for way in (-1, 1))
        if not kept(low) and kept(high):
            break
    while (high - low) * 2**59 > high:
        middle = (low + high) / 2
        low, high = (low, middle) if kept(middle) else (middle, high)
    return [made(low), made(high)]


def battery() -> list[bytes]:
    """Certificates at the limits of the form, of the corpus, near truths, changed ones among them, and at edges."""
    rng, found = random.Random("battery"), [*limits_of_the_form.ACCEPTED, *limits_of_the_form.MALFORMED]
    found += test_kernel.MALFORMED.values()
    for file in (path for folder in FOLDERS for path in TESTS.glob(f"{folder}/*.json")):
        with suppress(ValueError):  # of what is no JSON `parse` is asked elsewhere
            tree = json.loads(file.read_bytes())
            found += tree if isinstance(tree, list) else [tree]
    number = len(found) + 500
    while len(found) < number:
        found += [tree for _, tree in kernel_attack.attempts(rng)]
    found += [tree for one in large() for tree in edges(*one, "PROVED")]
    found += [tree for one in refuted() for tree in edges(*one, "REFUTED")]
    found += edges(*on_the_grid(), "PROVED", "log(2)")
    return [json.dumps(tree).encode() for tree in found]


def told(module: Any, data: bytes) -> Any:
    """What a kernel says: of an accepted file the whole line, of one that is not that work was too much."""
    status, reason = module.check(data, max_work=10 * WORK)
    return status, reason if status == "accepted" else "work" * reason.startswith("too")


class Run:
    """The kernel's tree, and what it says of the battery."""

    def __init__(self) -> None:
        self.text = SOURCE.read_text()
        self.mutants = mutants(ast.parse(self.text))
        said = [(data, told(kernel, data)) for data in battery()]
        self.said = [(data, words) for data, words in said if words[1] != "work"]

    def module(self, mutant: Mutant) -> ModuleType:
        """The damaged kernel."""
        tree = ast.parse(self.text)
        parent, field, index, *_ = places(tree)[mutant.node]
        value = getattr(parent, field)
        other = list(variants(value if index is None else value[index]))[mutant.variant][1]
        if index is None:
            setattr(parent, field, other)
        else:
            value[index] = other
        module = ModuleType("damaged")
        sys.modules["damaged"] = module
        exec(compile(ast.fix_missing_locations(tree), "damaged", "exec"), module.__dict__)
        return module

    def is_noticed(self, mutant: Mutant) -> bool:
        """Whether the mutant says anything else, fails, or does not end; in a process that is forked."""
        pid = os.fork()
        if pid:
            return os.waitpid(pid, 0)[1] != 0
        try:
            resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
            resource.setrlimit(resource.RLIMIT_AS, (2 * 2**30, 2 * 2**30))
            damaged = self.module(mutant)
            os._exit(0 if all(told(damaged, data) == words for data, words in self.said) else 1)
        except BaseException:
            os._exit(1)

    def drawn(self, step: int, start: int) -> list[Mutant]:
        """One in so many of them, by what they change: the same ones wherever they stand in the file."""
        lines = self.text.splitlines()
        words = [f"{one.function} {one.change} {lines[one.line - 1].strip()}" for one in self.mutants]
        return [one for one, name in zip(self.mutants, words, strict=True) if crc32(name.encode()) % step == start]

    def fates(self, step: int, start: int) -> Iterator[tuple[Mutant, str]]:
        """One in so many of them, each with what becomes of it: noticed, harmless or alive."""
        for mutant in self.drawn(step, start):
            noticed = self.is_noticed(mutant)
            yield mutant, "noticed" if noticed else "harmless" if mutant.function in HARMLESS else "alive"


if __name__ == "__main__":
    every, begin = (*map(int, sys.argv[1:]), *(40, 0)[len(sys.argv) - 1 :])
    count = {"noticed": 0, "harmless": 0, "alive": 0}
    run = Run()
    for one, fate in run.fates(every, begin):
        count[fate] += 1
        if fate != "noticed":
            print(f"{fate}: {one.line} {one.function}: {one.change}: {run.text.splitlines()[one.line - 1].strip()}")
        print(len(run.mutants), count, file=sys.stderr, flush=True)
