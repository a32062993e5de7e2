"""Claims about a randomizer, as text: parsed by a small grammar, and never executed as Python.

A claim is a comparison, or several joined by `and`, `or`, `not`, `all(...)`, `any(...)`. Numbers are exact: integers,
decimals and quotients of them, and

    delta(n, eps)         the largest delta of n shuffled users at eps, over all neighbouring datasets, both directions
    epsilon(n, delta)     the least eps of n shuffled users with that delta (0 unless given), `inf` where there is none
    local_delta(eps), local_epsilon(delta)    the same of one user whose messages are seen in their order
    blanket(n, eps)       what the privacy blanket bounds delta(n, eps) by; of randomizers that send one message
    row[x][y]             the probability of output y on input x, counted from 0; 0 beyond the last output
    datasets(n)           every pair of neighbouring datasets: `for d in datasets(n)`, see `Dataset`
    n, inputs, outputs    the number of users asked about, of inputs and of outputs; and a search's own parameters
    log(q), inf           eps = log(q) for a rational q; an infinite eps
    + - * / ** abs max min sum    arithmetic; of eps: sums, and products with positive rationals

`all`, `any`, `max`, `min` and `sum` take several values or one comprehension: `max(d.delta(0) for d in datasets(n) if
d.kinds == 1)`, with `for` over datasets, `range(first, end)` or values in brackets. A claim means the same whatever
evaluates it: `One` asks the engine about one case, `Arrays` evaluates many at once in integers.
"""

import ast
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial, reduce
from math import comb
from typing import Any, NoReturn, Protocol

from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.neighbours import compositions
from shufflecert.verify.exact.rational import rational, shorten
from shufflecert.verify.search.numbers import INFINITE, Nats

MAX_TEXT, MAX_STEPS = 2000, 200_000  # characters of a claim; nodes that one evaluation may visit
MAX_USERS, MAX_POWER, MAX_BITS = 64, 16, 100_000
MOST_PAIRS = 100_000  # of neighbouring datasets that are looked at one by one
ARITHMETIC: dict[type, Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
COMPARISONS: dict[type, tuple[str, Callable[[Any, Any], Any]]] = {
    ast.Lt: ("<", operator.lt),
    ast.LtE: ("<=", operator.le),
    ast.Gt: (">", operator.gt),
    ast.GtE: (">=", operator.ge),
    ast.Eq: ("==", operator.eq),
    ast.NotEq: ("!=", operator.ne),
}
ALLOWED = (
    *(ast.Expression, ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.BinOp, ast.Pow, ast.Compare),
    *(ast.Call, ast.Name, ast.Load, ast.Store, ast.Constant, ast.Subscript, ast.Attribute, ast.Tuple, ast.List),
    *(ast.GeneratorExp, ast.comprehension, *ARITHMETIC, *COMPARISONS),
)
ASKED = {"delta": 2, "epsilon": 2, "local_delta": 1, "local_epsilon": 1, "blanket": 2}  # arguments
GATHER = ("all", "any", "max", "min", "sum")
KNOWN = (*ASKED, *GATHER, "datasets", "range", "log", "abs", "row", "inf", "inputs", "outputs")
OF_DATASET = ("source", "target", "others", "kinds", "delta", "epsilon")
ABSENT = -1


class NotBatched(Exception):
    """What cannot be evaluated for many cases at once; the message says what."""


@dataclass(frozen=True)
class Dataset:
    """A pair of neighbouring datasets: one user on `source` against `target`, `others[x]` others on each input x.

    In a claim: `d.source`, `d.target` (-1 for a user who is absent), `d.others[x]`, `d.kinds` (how many different
    inputs the others hold), `d.delta(eps)` of this pair in this direction, and `d.epsilon(delta)`.
    """

    source: int
    target: int
    others: tuple[int, ...]

    @property
    def kinds(self) -> int:
        """How many different inputs the others hold."""
        return sum(map(bool, self.others))

    def __str__(self) -> str:
        around = ", ".join(f"{count} on {x}" for x, count in enumerate(self.others) if count)
        user = f"one user on {_held(self.source)} against {_held(self.target)}"
        return user + (f", the others: {around}" if around else "")


def _held(x: int) -> str:
    return "nothing (absent)" if x == ABSENT else str(x)


def pairs(n: int, inputs: int, adjacency: str = "replace", reference: int = 0) -> list[Dataset]:
    """Every pair of neighbouring datasets of n users up to their order, both directions.

    Raises TooMuchWork for more than MOST_PAIRS.
    """
    if (count := inputs * inputs * comb(n + inputs - 2, inputs - 1)) > MOST_PAIRS:
        raise TooMuchWork(f"n = {n}, {inputs} inputs: {count} pairs of datasets: expected at most {MOST_PAIRS}")
    changes = [(x, y) for x in range(inputs) for y in range(inputs) if x != y]
    if adjacency == "add-remove":
        changes = [pair for x in range(inputs) for pair in ((x, ABSENT), (ABSENT, x))]
    elif adjacency == "deletion":
        changes = [pair for x in range(inputs) if x != reference for pair in ((x, reference), (reference, x))]
    return [Dataset(*change, others) for others in [*compositions(n - 1, inputs)][::-1] for change in changes]


class World(Protocol):
    """What evaluates a claim: for one case or for many. Numbers are Fractions, `Real`, `Nats`, or the world's own."""

    @property
    def inputs(self) -> int:
        """The number of inputs."""

    @property
    def outputs(self) -> int:
        """The number of outputs."""

    def delta(self, n: int, eps: Any) -> Any:
        """The largest delta over all datasets."""

    def epsilon(self, n: int, delta: Any) -> Any:
        """The least eps over all datasets."""

    def local_delta(self, eps: Any) -> Any:
        """delta of one user whose messages are seen in their order."""

    def local_epsilon(self, delta: Any) -> Any:
        """eps of one user whose messages are seen in their order."""

    def blanket(self, n: int, eps: Any) -> Any:
        """What the privacy blanket bounds delta by."""

    def row(self, x: int, y: int) -> Any:
        """The probability of an output."""

    def datasets(self, n: int) -> Sequence[Dataset]:
        """The pairs of neighbouring datasets."""

    def dataset_delta(self, dataset: Dataset, eps: Any) -> Any:
        """delta of one pair in one direction."""

    def dataset_epsilon(self, dataset: Dataset, delta: Any) -> Any:
        """eps of one pair in one direction."""

    def refuse(self, reason: str) -> NoReturn:
        """What is raised where an operation has no meaning, or none here."""


@dataclass(frozen=True)
class Failing:
    """A comparison that decides that a claim fails: its two sides, their values, and what is bound.

    `sign` says what is not so, or under a `not` what is: "is not <=", "is <".
    """

    left: ast.expr
    right: ast.expr
    sign: str
    values: tuple[Any, Any]
    bound: Mapping[str, Any]


@dataclass(frozen=True)
class Claim:
    """A claim that was parsed; `holds` evaluates it in a world."""

    text: str
    tree: ast.expr

    @classmethod
    def of(cls, text: str, names: Iterable[str] = ()) -> "Claim":
        """Parse a claim that may use these names besides the grammar's. Raises BadInput, with the place, otherwise."""
        if len(text) > MAX_TEXT:
            raise BadInput(f"claim: {len(text)} characters: expected at most {MAX_TEXT}")
        written = " ".join(text.split())
        try:
            tree = ast.parse(written, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            place = f", character {error.offset}" if isinstance(error, SyntaxError) and error.offset else ""
            raise BadInput(f"claim: {shorten(written)}{place}: not an expression: expected one {LIKE}") from None
        try:
            _Grammar(written, set(names)).check(tree)
        except RecursionError:
            raise BadInput("claim: nested too deeply: expected fewer brackets") from None
        return cls(written, tree)

    def holds(self, world: World, bound: Mapping[str, Any]) -> Any:
        """Whether the claim holds, with these values of its names: True or False, or the world's own truth."""
        return _Evaluation(self, world).truth(self.tree, bound)

    def failing(self, world: World, bound: Mapping[str, Any]) -> list[Failing]:
        """The comparisons by which the claim fails in a world of one case; none where it holds."""
        return _Evaluation(self, world).failing(self.tree, bound)

    def written(self, node: ast.expr) -> str:
        """A part of the claim as it is written."""
        return ast.get_source_segment(self.text, node) or ast.unparse(node)

    def value(self, node: ast.expr, world: World, bound: Mapping[str, Any]) -> Any:
        """The value of a part of the claim."""
        return _Evaluation(self, world).value(node, bound)


LIKE = "like delta(n, log(2)) <= delta(n - 1, log(2))"


@dataclass
class _Grammar:
    """The check of a claim before anything of it is evaluated: only what the module's docstring lists."""

    text: str
    names: set[str]

    def refuse(self, node: Any, what: str) -> NoReturn:
        raise BadInput(f"claim: character {getattr(node, 'col_offset', 0) + 1}: {what}")

    def check(self, tree: ast.expr) -> None:
        own = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
        if taken := sorted(own & {*KNOWN, *self.names}):
            raise BadInput(f"claim: for {taken[0]} in: {taken[0]} has a meaning already: expected another name")
        for node in ast.walk(tree):
            if not isinstance(node, ALLOWED):
                shown = ast.unparse(node) if isinstance(node, ast.expr) else type(node).__name__
                self.refuse(node, f"{shorten(shown)} is not in the grammar: expected a claim {LIKE}")
            self.one(node, own)
        if not isinstance(tree, ast.Compare | ast.BoolOp | ast.UnaryOp | ast.Call):
            self.refuse(tree, f"no comparison: expected a claim {LIKE}")
        self.kind(tree, {})

    def one(self, node: ast.AST, own: set[str]) -> None:
        """Check one node by itself."""
        match node:
            case ast.Constant(value=value) if isinstance(value, bool) or not isinstance(value, int | float):
                self.refuse(node, f"{value!r}: expected a number")
            case ast.Name(id=name) if name not in {*KNOWN, *self.names, *own}:
                known = ", ".join(sorted({*KNOWN, *self.names}))
                self.refuse(node, f"{shorten(name)}: no such name: expected one of {known}")
            case ast.Attribute(value=ast.Name(), attr=name) if name in OF_DATASET:
                pass
            case ast.Attribute():
                self.refuse(node, f".{shorten(node.attr)}: expected one of {', '.join(OF_DATASET)} of a dataset")
            case ast.BinOp(op=ast.Pow(), right=right):
                whole = isinstance(right, ast.Constant) and isinstance(right.value, int)
                if not whole or not 1 <= right.value <= MAX_POWER:  # type: ignore[attr-defined]
                    self.refuse(node, f"**: expected a whole power from 1 to {MAX_POWER}")
            case ast.Call(keywords=[_, *_]):
                self.refuse(node, f"{ast.unparse(node.func)}: expected arguments without names")
            case ast.Call(func=ast.Name(id=name), args=args):
                self.call(node, name, args)
            case ast.Call(func=ast.Attribute(attr=name)) if name not in ("delta", "epsilon"):
                self.refuse(node, f".{name}: not a function")
            case ast.Call(func=func) if not isinstance(func, ast.Attribute):
                self.refuse(node, "only named functions are called")
            case ast.comprehension(target=target, is_async=later) if later or not isinstance(target, ast.Name):
                self.refuse(node.iter, "for: expected one name")

    def call(self, node: ast.Call, name: str, args: Sequence[ast.expr]) -> None:
        """Check a call of a function of the grammar."""
        most = {**ASKED, "datasets": 1, "range": 2, "log": 1, "abs": 1}.get(name)
        least = 1 if name in ("epsilon", "range") else 0 if name == "local_epsilon" else most
        if name not in (*ASKED, *GATHER, "datasets", "range", "log", "abs"):
            self.refuse(node, f"{name}: not a function")
        if most is None:
            if not args or (len(args) > 1 and any(isinstance(one, ast.GeneratorExp) for one in args)):
                self.refuse(node, f"{name}: expected values, or one comprehension")
        elif not (least or 0) <= len(args) <= most:
            self.refuse(node, f"{name}: {len(args)} arguments: expected {most}")

    def kind(self, node: ast.AST, bound: Mapping[str, str]) -> str:
        """What a part is: a delta (any probability), an eps, either (a constant rational), a truth, a dataset."""
        match node:
            case ast.Name(id="inf"):
                return "eps"
            case ast.Name(id=name):
                return bound.get(name, "either")
            case ast.Constant() | ast.Attribute():
                return "either"
            case ast.Subscript():
                return "either" if isinstance(node.value, ast.Attribute) else "delta"
            case ast.Compare(left=left, comparators=others):
                self.joined(node, [left, *others], bound)
                return "truth"
            case ast.BoolOp(values=values):
                for one in values:
                    self.kind(one, bound)
                return "truth"
            case ast.UnaryOp(operand=operand):
                return self.kind(operand, bound)
            case ast.BinOp(left=left, op=ast.Mult() | ast.Div(), right=right):
                kinds = {self.kind(left, bound), self.kind(right, bound)}
                if kinds == {"eps"} or kinds == {"eps", "delta"} or (self.kind(right, bound), type(node.op)) == DIVIDED:
                    self.refuse(node, "an eps is multiplied by constants only")
                return next((one for one in ("eps", "delta") if one in kinds), "either")
            case ast.BinOp(left=left, op=ast.Pow()):
                if (kind := self.kind(left, bound)) == "eps":
                    self.refuse(node, "an eps is multiplied by constants only")
                return kind
            case ast.BinOp(left=left, right=right):
                return self.joined(node, [left, right], bound)
            case ast.Call(func=ast.Attribute(attr=name), args=args):
                self.argument(node, args, "eps" if name == "delta" else "delta", bound)
                return "delta" if name == "delta" else "eps"
            case ast.Call(func=ast.Name(id=name), args=args):
                return self.kind_of_call(node, name, args, bound)
        return "either"

    def kind_of_call(self, node: ast.Call, name: str, args: Sequence[ast.expr], bound: Mapping[str, str]) -> str:
        """What a function of the grammar gives."""
        if name in GATHER:
            if isinstance(args[0], ast.GeneratorExp):
                bound = {**bound}
                for loop in args[0].generators:
                    assert isinstance(loop.target, ast.Name)
                    within = loop.iter.elts if isinstance(loop.iter, ast.Tuple | ast.List) else []
                    bound[loop.target.id] = self.joined(node, within, bound)
                    for condition in loop.ifs:
                        self.kind(condition, bound)
                args = [args[0].elt]
            if name in ("all", "any"):
                for one in args:
                    self.kind(one, bound)
                return "truth"
            return self.joined(node, args, bound)
        if name in ("delta", "local_delta", "blanket"):
            self.argument(node, args[-1:], "eps", bound)
            return "delta"
        if name in ("epsilon", "local_epsilon"):
            self.argument(node, args[1:] if name == "epsilon" else args, "delta", bound)
            return "eps"
        return "eps" if name == "log" else "either" if name != "abs" else self.kind(args[0], bound)

    def argument(self, node: ast.AST, args: Sequence[ast.expr], expected: str, bound: Mapping[str, str]) -> None:
        """Check the kind of an argument."""
        for one in args:
            if self.kind(one, bound) not in (expected, "either"):
                self.refuse(one, f"{ast.unparse(one)}: expected {'an eps' if expected == 'eps' else 'a delta'}")

    def joined(self, node: ast.AST, parts: Sequence[ast.expr], bound: Mapping[str, str]) -> str:
        """What several parts are that are added or compared: all deltas, or all eps."""
        kinds = {self.kind(one, bound) for one in parts} - {"either"}
        if len(kinds) > 1 or "truth" in kinds:
            self.refuse(node, "an eps beside a delta, or a truth beside a number: expected two of a kind")
        return kinds.pop() if kinds else "either"


DIVIDED = ("eps", ast.Div)


@dataclass
class _Evaluation:
    """One evaluation of a claim in a world; `steps` counts what was visited."""

    claim: Claim
    world: World
    steps: int = 0

    def refuse(self, reason: str) -> NoReturn:
        raise BadInput(f"claim: {reason}")

    # Truths ----------------------------------------------------------------------------------------------------------

    def truth(self, node: ast.expr, bound: Mapping[str, Any]) -> Any:
        """The truth of a claim: bool, or the world's own."""
        match node:
            case ast.BoolOp(op=ast.And(), values=values):
                return self.joined(((self, one, bound) for one in values), True)
            case ast.BoolOp(values=values):
                return self.joined(((self, one, bound) for one in values), False)
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return opposite(self.truth(operand, bound))
            case ast.Compare():
                found: Any = True
                for left, sign, right in self.links(node, bound):
                    found = both(found, self.compared(left[1], sign, right[1]))
                    if found is False:
                        break
                return found
            case ast.Call(func=ast.Name(id="all" | "any" as name), args=args):
                return self.joined(((self, one, inner) for one, inner in self.several(args, bound)), name == "all")
        self.refuse(f"{ast.unparse(node)}: expected a comparison")

    def joined(self, parts: Iterable[tuple[Any, ast.expr, Mapping[str, Any]]], every: bool) -> Any:
        """All of some truths, or any of them; what follows a plain False (or True) is not looked at."""
        found: Any = every
        for _, node, bound in parts:
            one = self.truth(node, bound)
            found = both(found, one) if every else either(found, one)
            if found is (not every):
                break
        return found

    def links(self, node: ast.Compare, bound: Mapping[str, Any]) -> Iterator[tuple[Any, ast.cmpop, Any]]:
        """The links of a chain of comparisons: (node, value) on both sides."""
        left = (node.left, self.value(node.left, bound))
        for sign, following in zip(node.ops, node.comparators, strict=True):
            right = (following, self.value(following, bound))
            yield left, sign, right
            left = right

    def compared(self, left: Any, sign: ast.cmpop, right: Any) -> Any:
        """One comparison, exactly."""
        for value in (left, right):
            if isinstance(value, list | tuple | str | bool):
                self.refuse(f"{COMPARISONS[type(sign)][0]}: expected numbers on both sides")
        try:
            return COMPARISONS[type(sign)][1](left, right)
        except TypeError:
            self.world.refuse(f"a comparison of {kind(left)} with {kind(right)}")

    def several(self, args: Sequence[ast.expr], bound: Mapping[str, Any]) -> Iterator[tuple[ast.expr, Any]]:
        """What `all`, `max` and so on gather: (node, what is bound) for each."""
        if len(args) == 1 and isinstance(args[0], ast.GeneratorExp):
            for inner in self.walk(args[0].generators, bound):
                yield args[0].elt, inner
            return
        for one in args:
            yield one, bound

    def walk(self, loops: Sequence[ast.comprehension], bound: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """What is bound in each round of a comprehension."""
        if not loops:
            yield bound
            return
        loop = loops[0]
        assert isinstance(loop.target, ast.Name)
        for one in self.items(loop.iter, bound):
            inner = {**bound, loop.target.id: one}
            kept: Any = True
            for condition in loop.ifs:
                kept = both(kept, self.truth(condition, inner))
            if not isinstance(kept, bool):
                self.world.refuse(f"if {ast.unparse(loop.ifs[0])} differs from case to case")
            if kept:
                yield from self.walk(loops[1:], inner)

    def items(self, node: ast.expr, bound: Mapping[str, Any]) -> Sequence[Any]:
        """What a comprehension goes through."""
        match node:
            case ast.Call(func=ast.Name(id="range"), args=args):
                found = range(*(self.whole(one, bound, "range") for one in args))
                if found.stop - found.start > MAX_STEPS:
                    self.refuse(f"{ast.unparse(node)}: expected at most {MAX_STEPS} numbers")
                return [Fraction(i) for i in found]
            case ast.Call(func=ast.Name(id="datasets"), args=args):
                return self.world.datasets(self.users(args[0], bound))
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return [self.value(one, bound) for one in elements]
        self.refuse(f"for ... in {ast.unparse(node)}: expected datasets(n), range(first, end) or values in brackets")

    # Numbers ---------------------------------------------------------------------------------------------------------

    def value(self, node: ast.expr, bound: Mapping[str, Any]) -> Any:
        """The value of an expression: a number, or a dataset."""
        self.steps += 1
        if self.steps > MAX_STEPS:
            self.refuse(f"more than {MAX_STEPS} steps for a case: expected a shorter one")
        match node:
            case ast.Constant(value=value):
                return rational(ast.get_source_segment(self.claim.text, node) if isinstance(value, float) else value)
            case ast.Name(id="inf"):
                return INFINITE
            case ast.Name(id="inputs" | "outputs" as name):
                return Fraction(getattr(self.world, name))
            case ast.Name(id=name) if name in bound:
                return bound[name]
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self.applied("-", operator.neg, self.number(operand, bound))
            case ast.BinOp(op=ast.Pow(), left=left, right=ast.Constant(value=power)):
                base = self.number(left, bound)
                return reduce(lambda a, b: self.applied("**", operator.mul, a, b), [base] * int(str(power)))
            case ast.BinOp(left=left, op=sign, right=right):
                sides = (self.number(left, bound), self.number(right, bound))
                return self.applied(ast.unparse(node), ARITHMETIC[type(sign)], *sides)
            case ast.Call(func=ast.Name(id=name), args=args):
                return self.called(name, args, bound)
            case ast.Call(func=ast.Attribute(value=on, attr=name), args=args):
                return self.asked_of(on, name, args, bound)
            case ast.Attribute(value=on, attr="source" | "target" | "kinds" as name):
                return Fraction(getattr(self.dataset(on, bound), name))
            case ast.Subscript(value=ast.Attribute(value=on, attr="others"), slice=place):
                return Fraction(self.dataset(on, bound).others[self.index(place, bound, self.world.inputs)])
            case ast.Subscript(value=ast.Subscript(value=ast.Name(id="row"), slice=x), slice=y):
                places = self.index(x, bound, self.world.inputs), self.index(y, bound, MAX_STEPS)
                return self.world.row(*places) if places[1] < self.world.outputs else Fraction(0)
        self.refuse(f"{ast.unparse(node)}: expected a number")

    def number(self, node: ast.expr, bound: Mapping[str, Any]) -> Any:
        """The value of an expression that has to be a number."""
        value = self.value(node, bound)
        if isinstance(value, Dataset):
            self.refuse(f"{ast.unparse(node)}: a dataset: expected a number")
        return value

    def applied(self, what: str, function: Callable[..., Any], *values: Any) -> Any:
        try:
            found = function(*values)
        except TypeError:
            self.world.refuse(f"{what}, of {' and '.join(map(kind, values))}")
        if isinstance(found, Fraction) and max(found.numerator.bit_length(), found.denominator.bit_length()) > MAX_BITS:
            self.refuse(f"{shorten(what)}: a number of more than {MAX_BITS} bits")
        return found

    def called(self, name: str, args: Sequence[ast.expr], bound: Mapping[str, Any]) -> Any:
        """The value of a function of the grammar."""
        match name:
            case "delta" | "blanket":
                users = self.users(args[0], bound)
                return getattr(self.world, name)(users, self.amount(args[1], bound))
            case "epsilon":
                return self.world.epsilon(self.users(args[0], bound), self.chance(args[1:], bound))
            case "local_delta":
                return self.world.local_delta(self.amount(args[0], bound))
            case "local_epsilon":
                return self.world.local_epsilon(self.chance(args, bound))
            case "log":
                value = self.number(args[0], bound)
                if not isinstance(value, Fraction):
                    self.world.refuse(f"log of {kind(value)}")
                return Nats.log(value)
            case "abs":
                return self.applied("abs", abs, self.number(args[0], bound))
            case "sum":
                values = [self.number(*one) for one in self.several(args, bound)]
                return reduce(lambda a, b: self.applied("sum", operator.add, a, b), values, Fraction(0))
            case "max" | "min":
                values = [self.number(*one) for one in self.several(args, bound)]
                if not values:
                    self.refuse(f"{name} of nothing: expected at least one value")
                return reduce(lambda a, b: self.applied(name, partial(chosen, name), a, b), values)
        self.refuse(f"{name}: expected a number")

    def asked_of(self, on: ast.expr, name: str, args: Sequence[ast.expr], bound: Mapping[str, Any]) -> Any:
        """d.delta(eps) or d.epsilon(delta) of a dataset."""
        dataset = self.dataset(on, bound)
        if len(args) > 1 or (name == "delta" and not args):
            self.refuse(f"d.{name}: {len(args)} arguments: expected 1")
        if name == "delta":
            return self.world.dataset_delta(dataset, self.amount(args[0], bound))
        return self.world.dataset_epsilon(dataset, self.chance(args, bound))

    def dataset(self, node: ast.expr, bound: Mapping[str, Any]) -> Dataset:
        value = self.value(node, bound)
        if not isinstance(value, Dataset):
            self.refuse(f"{ast.unparse(node)}: expected a dataset, as in: for d in datasets(n)")
        return value

    def amount(self, node: ast.expr, bound: Mapping[str, Any]) -> Any:
        """An argument that is an eps, at least 0."""
        value = self.number(node, bound)
        amount = Nats.of(value)
        if amount is None:
            self.world.refuse(f"eps = {ast.unparse(node)}, {kind(value)}")
        amount.eps()  # BadInput for what is none
        return amount

    def chance(self, args: Sequence[ast.expr], bound: Mapping[str, Any]) -> Any:
        """An argument that is a delta, 0 where it is left out."""
        value = self.number(args[0], bound) if args else Fraction(0)
        if not isinstance(value, Fraction):
            self.world.refuse(f"delta = {ast.unparse(args[0])}, {kind(value)}")
        if not 0 <= value <= 1:
            self.refuse(f"delta = {shorten(value)}: expected a probability")
        return value

    def users(self, node: ast.expr, bound: Mapping[str, Any]) -> int:
        users = self.whole(node, bound, "n")
        if not 1 <= users <= MAX_USERS:
            self.refuse(f"{ast.unparse(node)} = {users} users: expected from 1 to {MAX_USERS}")
        return users

    def index(self, node: ast.expr, bound: Mapping[str, Any], size: int) -> int:
        place = self.whole(node, bound, "index")
        if not 0 <= place < size:
            self.refuse(f"[{place}]: expected from 0 to {size - 1}")
        return place

    def whole(self, node: ast.expr, bound: Mapping[str, Any], what: str) -> int:
        value = self.number(node, bound)
        if not isinstance(value, Fraction):
            self.world.refuse(f"{what} = {ast.unparse(node)}, {kind(value)}")
        if value.denominator != 1:
            self.refuse(f"{what} = {shorten(value)}: expected a whole number")
        return int(value)

    # Why -------------------------------------------------------------------------------------------------------------

    def failing(self, node: ast.expr, bound: Mapping[str, Any]) -> list[Failing]:
        """The comparisons by which a claim fails: the first of several that have to hold, all of which one has to."""
        parts: list[tuple[ast.expr, Mapping[str, Any]]]
        match node:
            case ast.Compare():
                for left, sign, right in self.links(node, bound):
                    if not self.compared(left[1], sign, right[1]):
                        words = f"is not {COMPARISONS[type(sign)][0]}"
                        return [Failing(left[0], right[0], words, (left[1], right[1]), bound)]
                return []
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self.holding(operand, bound)
            case ast.BoolOp(op=sign, values=values):
                every, parts = isinstance(sign, ast.And), [(one, bound) for one in values]
            case ast.Call(func=ast.Name(id=name), args=args):
                every, parts = name == "all", list(self.several(args, bound))
            case _:
                return []
        if every:
            return next((found for one in parts if (found := self.failing(*one))), [])
        several = [self.failing(*one) for one in parts]
        return [one for some in several for one in some] if all(several) else []

    def holding(self, node: ast.expr, bound: Mapping[str, Any]) -> list[Failing]:
        """The comparison that holds, where it should not."""
        if not isinstance(node, ast.Compare) or not self.truth(node, bound):
            return []
        found = self.links(node, bound)
        return [
            Failing(left[0], right[0], f"is {COMPARISONS[type(sign)][0]}", (left[1], right[1]), bound)
            for left, sign, right in found
        ]


def both(first: Any, second: Any) -> Any:
    """Both truths; plain ones stay plain."""
    if isinstance(first, bool) and isinstance(second, bool):
        return first and second
    return False if first is False or second is False else first & second


def either(first: Any, second: Any) -> Any:
    """One of two truths at least."""
    return opposite(both(opposite(first), opposite(second)))


def opposite(truth: Any) -> Any:
    """The opposite truth."""
    return not truth if isinstance(truth, bool) else ~truth


def chosen(name: str, first: Any, second: Any) -> Any:
    """The larger ("max") or the smaller ("min") of two numbers, of whatever world."""
    method, plain = {"max": ("larger", max), "min": ("smaller", min)}[name]
    for one, other in ((first, second), (second, first)):
        if hasattr(one, method):
            return getattr(one, method)(other)
    return plain(first, second)


def kind(value: Any) -> str:
    """What a value is, in words."""
    if isinstance(value, Nats):
        return "an eps"
    return str(getattr(value, "KIND", "a number" if not isinstance(value, Dataset) else "a dataset"))
