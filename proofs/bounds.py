"""Inequalities that proofs share: sums of positive terms, certified subdivision of an interval, Chernoff's tails."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

from flint import arb

from proofs.lemmas import never_negative
from proofs.statement import step
from verify.exact.ball import ball, precision

MAX_PIECES = 20_000


def nonnegative(expression: Any, symbol: Any, below: int | None = None) -> bool:
    """Whether a rational function is >= 0 for symbol >= 0, or on [0, below), by the signs of its coefficients.

    For `below` the substitution symbol = below v / (1 + v), v >= 0. False where the signs differ: then nothing is
    known.
    """
    v = symbol
    return never_negative(expression if below is None else expression.subs(symbol, below * v / (1 + v)), v)


def positive_on(function: Callable[[arb], arb], low: Fraction, high: Fraction, bits: int = 64) -> int:
    """The number of pieces of [low, high] on each of which `function`, of a ball, is certainly positive.

    Every piece is halved until it is; raises StepFailed where MAX_PIECES do not suffice, as where it is not positive.
    """
    left, count = [(low, high)], 0
    with precision(bits):
        while left:
            a, b = left.pop()
            if function(ball(a).union(ball(b))) > 0:
                count += 1
                continue
            step(count + len(left) < MAX_PIECES and b - a > (high - low) / 2**40, f"positive on [{a}, {b}]")
            left += [(a, (a + b) / 2), ((a + b) / 2, b)]
    return count


def convex_from_zero(function: Any, symbol: Any, below: int | None = None) -> bool:
    """Whether a function and its derivative are 0 at 0, and the second one is >= 0 (`nonnegative`): it is then >= 0."""
    from sympy import diff

    starts = [part.subs(symbol, 0) == 0 for part in (function, diff(function, symbol))]
    return all(starts) and nonnegative(diff(function, symbol, 2), symbol, below)


def chernoff() -> str:
    """Tails of a sum S of independent terms with log E e^(x (S - ES)) <= v (e^x - 1 - x), x >= 0 or x <= 0.

    Pr[S >= ES + u v] <= exp(-v ((1 + u) log(1 + u) - u)) <= exp(-v u^2 / (2 (1 + u/3))) for u >= 0, at x = log(1 + u);
    Pr[S <= ES - u v] <= exp(-v ((1 - u) log(1 - u) + u)) <= exp(-v u^2 / 2) for 0 <= u < 1, at x = log(1 - u).

    The moments are those of Poi(v), with equality, and of sums of Bernoulli variables with mean v: 1 + p (e^x - 1) <=
    exp(p (e^x - 1)). At u = 1 the lower bound holds as a limit; beyond it the event is empty for S >= 0, v = ES.
    """
    from sympy import Symbol, exp, expand, log

    u, x = Symbol("u", nonnegative=True), Symbol("x", real=True)
    for sign in (1, -1):
        at = log(1 + sign * u)
        exponent = (exp(x) - 1 - x - sign * u * x).subs(x, at) + (1 + sign * u) * at - sign * u
        step(expand(exponent) == 0, "the exponent at its best x")
    upper = (1 + u) * log(1 + u) - u - u**2 / (2 * (1 + u / 3))
    lower = (1 - u) * log(1 - u) + u - u**2 / 2
    step(convex_from_zero(upper, u), "upper tail: u^2 / (2 (1 + u/3))")
    step(convex_from_zero(lower, u, below=1), "lower tail: u^2 / 2")
    step((exp(x) - 1 - x).diff(x, 2).is_positive is True, "1 + y <= e^y: convex, and 0 with its derivative at 0")
    return "Chernoff: tails exp(-v u^2 / (2 (1 + u/3))) above, exp(-v u^2 / 2) below (second derivatives by sign)"
