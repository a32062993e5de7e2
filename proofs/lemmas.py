"""Lemmas that several statements use, each carried out step by step: Chernoff's tails, composition, tanh.

Every function raises `StepFailed` where a step does not hold. An inequality between polynomials is proved by writing
the difference in unknowns that are >= 0 and finding no negative coefficient; one with a logarithm by derivatives, down
to one that is rational; one between numbers by balls. What has been carried out once is not repeated (`cache`).
"""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from flint import arb

from shufflecert.proofs.statement import step
from shufflecert.verify.exact.rational import ball, precision

BITS = 128
MAX_PIECES = 20_000


def certainly(comparison: Callable[[], object]) -> bool:
    """Whether a comparison of balls holds for all numbers in them; a comparison that cannot be decided does not."""
    with precision(BITS):
        return comparison() is True


def never_negative(expression: Any, *unknowns: Any) -> bool:
    """Whether a rational function has no negative coefficient above and below: it is >= 0 for all unknowns >= 0.

    Sufficient, and not necessary; where the denominator is 0 nothing is said.
    """
    from sympy import Poly, cancel, fraction, together

    above, below = fraction(cancel(together(expression)))
    for sign in (1, -1):
        rows = [Poly(sign * part, *unknowns).coeffs() for part in (above, below)]
        if below != 0 and all(c.is_number and c.is_nonnegative is True for row in rows for c in row):
            return True
    return False


def always_positive(expression: Any, *unknowns: Any) -> bool:
    """`never_negative`, and the constant coefficient above is positive: then it is > 0 for all unknowns >= 0."""
    from sympy import cancel, fraction, together

    above, _ = fraction(cancel(together(expression)))
    return never_negative(expression, *unknowns) and above.subs(dict.fromkeys(unknowns, 0)) != 0


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


def convex_from_zero(f: Any, x: Any, what: str, below: int | None = None) -> None:
    """f >= 0 for x >= 0, or on [0, below): f and its slope are 0 at 0, its second derivative is rational and >= 0."""
    from sympy import diff, simplify

    for order in (0, 1):
        step(simplify(diff(f, x, order).subs(x, 0)) == 0, f"{what}: derivative {order} is 0 at 0")
    step(nonnegative(simplify(diff(f, x, 2)), x, below), f"{what}: derivative 2 is not negative")


@cache
def one_plus() -> None:
    """1 + z <= e^z for all real z: the difference is convex, and it and its slope are 0 at 0."""
    from sympy import Symbol, diff, exp

    z = Symbol("z", real=True)
    f = exp(z) - 1 - z
    step(diff(f, z, 2).is_positive, "1 + z <= e^z: convex")
    step(f.subs(z, 0) == 0 and diff(f, z).subs(z, 0) == 0, "1 + z <= e^z: touches at 0")


def rate_above(x: Any) -> Any:
    """x^2 / (2 + x)."""
    return x**2 / (2 + x)


def rate_below(x: Any) -> Any:
    """x^2 / 2."""
    return x**2 / 2


@cache
def chernoff(above: Callable[[Any], Any] = rate_above, below: Callable[[Any], Any] = rate_below) -> str:
    """Tails of a sum S of independent terms with log E e^(x (S - ES)) <= v (e^x - 1 - x), x >= 0 or x <= 0.

    Pr[S >= ES + u v] <= exp(-v ((1 + u) log(1 + u) - u)) by Markov at x = log(1 + u), for u >= 0; the exponent is at
    least v u^2 / (2 (1 + u/3)), and v u^2 / (2 + u), where the difference has the second derivative (4u + 6u^2 + u^3) /
    ((1 + u) (2 + u)^3). Pr[S <= ES - u v] <= exp(-v ((1 - u) log(1 - u) + u)) <= exp(-v u^2 / 2) for 0 <= u < 1, at
    x = log(1 - u).

    The moments are those of Poi(v), with equality, and of sums of Bernoulli variables with mean v: 1 + p (e^x - 1) <=
    exp(p (e^x - 1)) (`one_plus`). At u = 1 the lower bound holds as a limit; beyond it the event is empty for S >= 0,
    v = ES.
    """
    from sympy import Symbol, exp, expand, log

    one_plus()
    u, x = Symbol("u", nonnegative=True), Symbol("x", real=True)
    for sign in (1, -1):
        at = log(1 + sign * u)
        exponent = (exp(x) - 1 - x - sign * u * x).subs(x, at) + (1 + sign * u) * at - sign * u
        step(expand(exponent) == 0, "the exponent at its best x")
    for rate in (above(u), u**2 / (2 * (1 + u / 3))):
        convex_from_zero((1 + u) * log(1 + u) - u - rate, u, "upper tail")
    convex_from_zero((1 - u) * log(1 - u) + u - below(u), u, "lower tail", below=1)
    return "Chernoff: tails exp(-v u^2 / (2 (1 + u/3))) above, exp(-v u^2 / 2) below (second derivatives by sign)"


@cache
def bennett(most: int = 2) -> None:
    """Pr[|X - np| > 2 sqrt(v l)] <= 2 e^-l for X ~ Bin(n, p), v = np (1 - p) and 0 < l <= v.

    A centred coin is at most 1, so e^(s x) <= 1 + s x + x^2 f(s), f(s) = e^s - 1 - s, s >= 0: (e^w - 1 - w) / w^2 is
    the integral over 0..1 of (1 - r) e^(r w), which grows with w. In the mean E e^(s (X - np)) <= (1 + p (1 - p)
    f(s))^n <= e^(v f(s)), and so Pr[X - np >= u v] <= e^(-v h(u)), h(u) = (1 + u) ln(1 + u) - u (`chernoff`). The lower
    tail is the same with p and 1 - p exchanged. For u = 2 sqrt(l / v) <= 2 the exponent is at least
    l = v u^2 / 4: h - u^2 / 4 is 0 at 0 and has the slope ln(1 + u) - u / 2, concave, 0 at 0 and positive at 2.
    """
    from sympy import Symbol, diff, exp, integrate, log, simplify

    chernoff()
    w, u, r, p = (Symbol(name, positive=True) for name in ("w", "u", "r", "p"))
    step(simplify(integrate((1 - r) * exp(r * w), (r, 0, 1)) - (exp(w) - 1 - w) / w**2) == 0, "the integral")
    step(((1 - r) * diff(exp(r * w), w) / (1 - r)).is_positive, "the integrand grows")
    step(simplify(p * (1 - p) ** 2 + (1 - p) * p**2 - p * (1 - p)) == 0, "variance of a coin")
    f = (1 + u) * log(1 + u) - u - u**2 / 4
    step(f.subs(u, 0) == 0 and diff(f, u).subs(u, 0) == 0, "h(0) = h'(0) = 0")
    step(simplify(diff(f, u) - (log(1 + u) - u / 2)) == 0, "the slope")
    step(never_negative(-simplify(diff(f, u, 3)), u), "the slope is concave")
    step(certainly(lambda: (arb(1 + most)).log() > arb(most) / 2), f"the slope at {most}")


@cache
def compose() -> None:
    """Two independent (eps, delta)-close pairs are together (2 eps, 2 delta)-close.

    With t = e^eps, m = min(p, t q), d = p - m = [p - t q]_+:
    p r - t^2 q s = m (r - t s) + d r - t s (t q - m), where t q >= m; so [p r - t^2 q s]_+ <= m [r - t s]_+ + d r, and
    the sum over both outcomes is at most 1 * delta + delta * 1, as sum m <= sum p = 1.
    """
    from sympy import expand, symbols

    p, q, r, s, t, m = symbols("p q r s t m", nonnegative=True)
    d = p - m
    step(expand(p * r - t**2 * q * s - (m * (r - t * s) + d * r - t * s * (t * q - m))) == 0, "decomposition")
    over = symbols("over", nonnegative=True)
    for case, (least, excess, spare) in {
        "p >= t q": (t * q, (t * q + over) - t * q, t * q - t * q),
        "p <= t q": (p, p - p, (p + over) - p),
    }.items():
        step(all(never_negative(part, p, q, t, over) for part in (least, excess, spare)), f"m, d, t q - m: {case}")


@cache
def tanh_above(square: int = 5) -> None:
    """tanh(eps / 2) >= eps tanh(1/2) >= eps / sqrt(5) on [0, 1], and below 1.

    tanh is concave on [0, infinity): its second derivative is -2 tanh sech^2. So on [0, 1] it lies above its chord.
    """
    from sympy import Symbol, diff, simplify, tanh

    e = Symbol("e", positive=True)
    bend = diff(tanh(e / 2), e, 2)
    step(simplify(bend + tanh(e / 2) * (1 - tanh(e / 2) ** 2) / 2) == 0, "second derivative of tanh(e/2)")
    step(certainly(lambda: (arb(1) / 2).tanh() >= 1 / arb(square).sqrt()), f"tanh(1/2) >= 1/sqrt({square})")
