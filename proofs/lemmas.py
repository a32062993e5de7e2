"""Lemmas that several statements use, each carried out step by step: tails of the binomial, composition, tanh.

Every function raises `StepFailed` where a step does not hold. An inequality between polynomials is proved by writing
the difference in unknowns that are >= 0 and finding no negative coefficient; one with a logarithm by derivatives, down
to one that is rational; one between numbers by balls. What has been carried out once is not repeated (`cache`).
"""

from collections.abc import Callable
from functools import cache
from typing import Any

from flint import arb

from proofs.statement import step
from verify.exact.ball import precision

BITS = 128


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


def grows_from_zero(f: Any, x: Any, times: int, what: str) -> None:
    """f >= 0 for x >= 0: f and its derivatives below the `times`-th vanish at 0, that one is rational and >= 0."""
    from sympy import diff, simplify

    for order in range(times):
        step(simplify(diff(f, x, order).subs(x, 0)) == 0, f"{what}: derivative {order} is 0 at 0")
    step(never_negative(simplify(diff(f, x, times)), x), f"{what}: derivative {times} is not negative")


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
def chernoff_above(rate: Callable[[Any], Any] = rate_above) -> None:
    """Pr[Y >= (1 + x) mu] <= exp(-mu x^2 / (2 + x)) for Y ~ Bin(n, g), mu = n g, all x >= 0.

    Markov for e^(tY), t = ln(1 + x): E e^(tY) = (1 + g (e^t - 1))^n <= e^(mu (e^t - 1)) (`one_plus`), which leaves
    the exponent -mu ((1 + x) ln(1 + x) - x). And (1 + x) ln(1 + x) - x - x^2 / (2 + x) vanishes at 0 with its slope,
    and has the second derivative (4x + 6x^2 + x^3) / ((1 + x) (2 + x)^3).
    """
    from sympy import Symbol, exp, log, simplify

    one_plus()
    x, mu = Symbol("x", nonnegative=True), Symbol("mu", positive=True)
    t = log(1 + x)
    step(simplify(mu * (exp(t) - 1) - t * (1 + x) * mu + mu * ((1 + x) * log(1 + x) - x)) == 0, "exponent, above")
    grows_from_zero((1 + x) * log(1 + x) - x - rate(x), x, 2, "rate above")


@cache
def chernoff_below(rate: Callable[[Any], Any] = rate_below) -> None:
    """Pr[Y <= (1 - x) mu] <= exp(-mu x^2 / 2) for Y ~ Bin(n, g), mu = n g, 0 <= x < 1 (and x = 1, by continuity).

    As above with t = ln(1 - x) < 0. With y = x / (1 - x) >= 0 in place of x, the difference (1 - x) ln(1 - x) + x -
    x^2 / 2 is 0 at y = 0, and its derivative in x is -ln(1 - x) - x, itself 0 at 0 with derivative x / (1 - x).
    """
    from sympy import Symbol, diff, exp, log, simplify

    one_plus()
    x, y, mu = Symbol("x", nonnegative=True), Symbol("y", nonnegative=True), Symbol("mu", positive=True)
    t = log(1 - x)
    step(simplify(mu * (exp(t) - 1) - t * (1 - x) * mu + mu * ((1 - x) * log(1 - x) + x)) == 0, "exponent, below")
    f = (1 - x) * log(1 - x) + x - rate(x)
    for order in (0, 1):
        step(simplify(diff(f, x, order).subs(x, 0)) == 0, f"rate below: derivative {order} is 0 at 0")
    step(never_negative(simplify(diff(f, x, 2)).subs(x, y / (1 + y)), y), "rate below: derivative 2 is not negative")


@cache
def bennett(most: int = 2) -> None:
    """Pr[|X - np| > 2 sqrt(v l)] <= 2 e^-l for X ~ Bin(n, p), v = np (1 - p) and 0 < l <= v.

    A centred coin is at most 1, so e^(s x) <= 1 + s x + x^2 f(s), f(s) = e^s - 1 - s, s >= 0: (e^w - 1 - w) / w^2 is
    the integral over 0..1 of (1 - r) e^(r w), which grows with w. In the mean E e^(s (X - np)) <= (1 + p (1 - p)
    f(s))^n <= e^(v f(s)); with s = ln(1 + u) Markov gives Pr[X - np >= u v] <= e^(-v h(u)), h(u) = (1 + u) ln(1 + u) -
    u. The lower tail is the same with p and 1 - p exchanged. For u = 2 sqrt(l / v) <= 2 the exponent is at least
    l = v u^2 / 4: h - u^2 / 4 is 0 at 0 and has the slope ln(1 + u) - u / 2, concave, 0 at 0 and positive at 2.
    """
    from sympy import Symbol, diff, exp, integrate, log, simplify

    one_plus()
    w, u, v, r = (Symbol(name, positive=True) for name in ("w", "u", "v", "r"))
    step(simplify(integrate((1 - r) * exp(r * w), (r, 0, 1)) - (exp(w) - 1 - w) / w**2) == 0, "the integral")
    step(((1 - r) * diff(exp(r * w), w) / (1 - r)).is_positive, "the integrand grows")
    p = Symbol("p", positive=True)
    step(simplify(p * (1 - p) ** 2 + (1 - p) * p**2 - p * (1 - p)) == 0, "variance of a coin")
    s = log(1 + u)
    step(simplify(v * (exp(s) - 1 - s) - s * u * v + v * ((1 + u) * log(1 + u) - u)) == 0, "exponent, Bennett")
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
