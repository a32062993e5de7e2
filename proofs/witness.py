"""What stands behind a refutation: claims that the kernel re-checks, and inequalities of rationals to redo by hand.

A `Certificate` is a claim on a system, decided by `shufflecert certify` with the verdict that is named; what it writes
the kernel accepts. An `Evaluation` is an inequality between rational numbers, written as Python writes it, and
evaluated here with nothing but fractions.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import comb, factorial
from shlex import quote, split

from shufflecert.verify.decide.certify import Certified, certify
from shufflecert.verify.systems.catalogue import load

MOST_TERMS = 1000  # of a binomial sum


@dataclass(frozen=True)
class Certificate:
    """A claim on a system, and the verdict: the command that makes its certificate."""

    system: str
    parameters: Mapping[str, str]
    n: int
    eps: str
    delta: str
    verdict: str
    view: str = "shuffled"

    @property
    def command(self) -> str:
        """The command that decides it; `-o FILE` more writes the certificate."""
        given = [f"-p {name}={value}" for name, value in self.parameters.items()]
        view = [] if self.view == "shuffled" else [f"--view {self.view}"]
        parts = ["certify", self.system, *given, f"--n {self.n}", f"--eps {quote(self.eps)}", f"--delta {self.delta}"]
        return " ".join(["shufflecert", *parts, *view])

    def made(self) -> Certified:
        """The claim, decided anew. Raises ArithmeticError where the verdict is not the one that is named."""
        given = [f"{name}={value}" for name, value in self.parameters.items()]
        found = certify(load(self.system, given), self.n, self.eps, self.delta, self.view)
        if found.verdict != self.verdict:
            raise ArithmeticError(f"{self.command}: {found.verdict}: expected {self.verdict}")
        return found

    def to_json(self) -> dict[str, str]:
        """{"command", "verdict"}."""
        return {"command": self.command, "verdict": self.verdict}


@dataclass(frozen=True)
class Evaluation:
    """An inequality between rational numbers, as text, and what it says of the statement."""

    inequality: str
    meaning: str

    def check(self) -> None:
        """Raises ArithmeticError where the inequality does not hold."""
        if evaluate(self.inequality) is not True:
            raise ArithmeticError(f"{self.inequality}: does not hold")

    def to_json(self) -> dict[str, str]:
        """{"inequality", "meaning"}."""
        return {"inequality": self.inequality, "meaning": self.meaning}


def binomial(n: Fraction, p: Fraction, low: Fraction, high: Fraction) -> Fraction:
    """Pr[low <= Bin(n, p) <= high], by its terms."""
    trials, first, last = (_whole(value) for value in (n, low, high))
    if not 0 <= first <= last <= trials or last - first > MOST_TERMS:
        raise ValueError(f"binomial: {low} to {high} of {n}: expected at most {MOST_TERMS} terms")
    above, below = p.numerator, p.denominator
    term = comb(trials, first) * above**first * (below - above) ** (trials - first)
    total = term
    for k in range(first, last):
        term = term * (trials - k) * above // ((k + 1) * (below - above))
        total += term
    return Fraction(total, below**trials)


def _whole(value: Fraction) -> int:
    if value.denominator != 1:
        raise ValueError(f"{value}: expected a whole number")
    return value.numerator


def _power(base: Fraction, exponent: Fraction) -> Fraction:
    return base ** _whole(exponent)


BINARY: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: _power,
}
COMPARED: Mapping[type[ast.cmpop], Callable[[Fraction, Fraction], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}
FUNCTIONS: Mapping[str, Callable[..., Fraction]] = {
    "comb": lambda n, k: Fraction(comb(_whole(n), _whole(k))),
    "factorial": lambda n: Fraction(factorial(_whole(n))),
    "binomial": binomial,
}


def evaluate(text: str) -> bool | Fraction:
    """A formula of whole numbers, + - * / **, comb, factorial, binomial, comparisons and `and`, in fractions.

    Raises ValueError for anything else: no name, no decimal point, no other function.
    """
    return _value(ast.parse(text, mode="eval").body)


def _value(node: ast.expr) -> bool | Fraction:
    match node:
        case ast.Constant(value=int() as number) if not isinstance(number, bool):
            return Fraction(number)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY:
            return BINARY[type(op)](_number(left), _number(right))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_number(operand)
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            return FUNCTIONS[name](*map(_number, args))
        case ast.Compare(left=left, ops=ops, comparators=others) if all(type(op) in COMPARED for op in ops):
            sides = [_number(side) for side in (left, *others)]
            return all(COMPARED[type(op)](a, b) for op, a, b in zip(ops, sides, sides[1:], strict=False))
        case ast.BoolOp(op=ast.And(), values=values):
            return all([_value(value) is True for value in values])
    raise ValueError(f"{ast.unparse(node)}: expected whole numbers, + - * / **, comb, factorial, binomial, comparisons")


def _number(node: ast.expr) -> Fraction:
    value = _value(node)
    if isinstance(value, bool):
        raise ValueError(f"{ast.unparse(node)}: expected a number")
    return value


def words(command: str) -> list[str]:
    """The arguments of a certificate's command, without the name of the program."""
    return split(command)[1:]
