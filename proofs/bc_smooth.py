"""Balcer & Cheu 2020, Appendix A, as printed there: smooth laws, Lemmas 22 and 23, and what Corollary 24 leaves out."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

from flint import arb

from shufflecert.proofs.lemmas import always_positive, certainly, chernoff, never_negative, tanh_above
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.verify.exact.rational import ball

POWERS = tuple(map(Fraction, ("1", "3/2", "2", "5")))  # e^eps
SMALL = [(n, Fraction(g, 10), Fraction(a, 4)) for n in range(1, 25) for g in range(1, 6) for a in range(1, 5)]
Weights = list[Fraction]


def binomial(n: int, g: Fraction) -> Weights:
    """The law of Bin(n, g)."""
    return [comb(n, y) * g**y * (1 - g) ** (n - y) for y in range(n + 1)]


def at(law: Weights, y: int) -> Fraction:
    """The probability of y, 0 outside the listed points."""
    return law[y] if 0 <= y < len(law) else Fraction(0)


def rough(law: Weights, shift: int, power: Fraction | None, at_least: bool = True) -> Fraction:
    """Pr_Y[P(Y) / P(Y + shift) >= power], or `> power`; a ratio to 0 is infinite, and so is a `power` None."""
    total = Fraction(0)
    for y, weight in enumerate(law):
        other = at(law, y + shift)
        level = None if power is None else power * other
        beyond = other == 0 if level is None else weight > level or (at_least and weight == level)
        total += weight if weight and beyond else 0
    return total


@statement("BC Def 21", "A", "(eps,delta,k)-smooth: for all k' in[-k,k], Pr_Y[P(Y)/P(Y+k')>=e^{|k'|eps}]<=delta")
def definition_21() -> Finding:
    """Read as printed, no law is (eps, delta, k)-smooth for any delta < 1: "for all k' in [-k, k]" contains k' = 0.

    P(Y) / P(Y + 0) = 1 >= e^(0 eps) = 1, whatever Y is, so the probability is 1. What is meant, and all that Lemma 22
    uses, is 0 < |k'| <= k.
    """
    laws = [binomial(n, Fraction(g, 4)) for n in (1, 5, 30) for g in (1, 2, 3)]
    for law, power in product(laws, POWERS):
        step(rough(law, 0, power**0) == 1, "k' = 0: the event is certain")
    steep = binomial(200, Fraction(1, 2))
    step(0 < rough(steep, 1, Fraction(3, 2)) < Fraction(1, 100), "k' = 1 can be met")
    return finding(
        "misprint",
        "as printed (k' = 0 is allowed): no law, delta < 1; read with 0 < |k'| <= k",
        "k' = 0: Pr[P(Y)/P(Y) >= e^0] = Pr[1 >= 1] = 1",
        f"Bin(200, 1/2), k' = 1, e^eps = 3/2: {float_of(rough(steep, 1, Fraction(3, 2)))}",
        "from here on: 0 < |k'| <= k, integers, and a ratio to probability 0 is infinite",
    )


def float_of(number: Fraction) -> str:
    """Five digits, for people."""
    return f"{float(number):.5g}"


@statement("BC Lem 22", "A", "1-sensitive f + (eps,delta,1)-smooth noise is (eps,delta)-DP")
def lemma_22() -> Finding:
    """Pr[f(x) + eta = z] = P(y) with y = z - f(x), and on x' it is P(y + k'), k' = f(x) - f(x') in {-1, 0, 1}.

    [P(y) - e^eps P(y + k')]_+ <= P(y) where P(y) >= e^eps P(y + k'), and is 0 elsewhere; so delta(eps) is at most
    Pr[P(Y) / P(Y + k') >= e^eps] <= delta. For k' = 0 it is 0. With `>` in place of `>=` it holds as well.
    """
    from sympy import symbols

    q, t, over = symbols("q t over", nonnegative=True)
    step(never_negative((t * q + over) - ((t * q + over) - t * q), q, t, over), "P - t P' <= P where P = t P' + over")
    compared = 0
    for law, power, shift in product(laws_of_four(6), POWERS, (-1, 1)):
        gap = sum((max(at(law, y) - power * at(law, y + shift), Fraction(0)) for y in range(-1, 6)), Fraction(0))
        step(gap <= rough(law, shift, power, at_least=False) <= rough(law, shift, power), f"{law}, {shift}")
        compared += 1
    return finding(
        "proved",
        "all laws on Z, all 1-sensitive f, eps >= 0 (and, vacuously, Definition 21 as printed)",
        "sum [P(y) - t P(y+k')]_+ <= Pr[P(Y) >= t P(Y+k')], term by term",
        f"{compared} cases: all laws on {{0..3}} with denominator up to 6, both shifts, e^eps = 1, 3/2, 2, 5",
    )


def laws_of_four(most: int) -> Iterator[Weights]:
    """All laws on 0..3 with a denominator of at most `most`."""
    for d in range(1, most + 1):
        for w in product(range(d + 1), repeat=3):
            if sum(w) <= d:
                yield [Fraction(v, d) for v in (*w, d - sum(w))]


@cache
def one_step() -> None:
    """P(y) / P(y + 1) = (1 - g) (y + 1) / (g (n - y)) for Bin(n, g): longer ratios are products of these."""
    from sympy import binomial as choose
    from sympy import combsimp, simplify, symbols

    n, y = symbols("n y", integer=True, positive=True)
    g = symbols("g", positive=True)
    ways, powers = combsimp(choose(n, y) / choose(n, y + 1)), g**y * (1 - g) ** (n - y)
    ratio = ways * powers / powers.subs(y, y + 1)
    step(simplify(ratio - (1 - g) * (y + 1) / (g * (n - y))) == 0, "P(y) / P(y + 1)")


@cache
def factors(most_gamma: Fraction = Fraction(1, 2)) -> None:
    """For y in G and 0 < |k'| <= k every factor of P(y) / P(y + k') is below (1 + a) / (1 - a), given gamma <= 1/2.

    G = [(1 - a) mu + k, (1 + a) mu - k], mu = gamma n. Upwards the factors are ((1 - gamma) / gamma) v / (n + 1 - v),
    v = y + i <= (1 + a) mu for i = 1..k'; downwards (gamma / (1 - gamma)) (n + 1 - v) / v, v = y - i + 1 >=
    (1 - a) mu + 1 for i = 1..|k'|. The first grows with v, the second falls; at the ends both are at most
    (1 + a) / (1 - a): multiplied out, n a (1 - 2 gamma) and what is positive is left. Here gamma is `most_gamma` / (1 +
    w) and a = b / (1 + b), for unknowns w, b, n >= 0.
    """
    from sympy import Rational, diff, simplify, symbols

    w, b, n, v = symbols("w b n v", nonnegative=True)
    gamma, a = Rational(most_gamma.numerator, most_gamma.denominator) / (1 + w), b / (1 + b)
    step(never_negative(simplify(diff(v / (n + 1 - v), v) * (n + 1 - v) ** 2), n), "v / (n + 1 - v) grows with v")
    high, low = (1 + a) * gamma * n, (1 - a) * gamma * n + 1
    bound = (1 + a) / (1 - a)
    up = (1 - gamma) / gamma * high / (n + 1 - high)
    down = gamma / (1 - gamma) * (n + 1 - low) / low
    step(always_positive(bound - up, w, b, n), "upwards")
    step(always_positive(bound - down, w, b, n), "downwards")


@cache
def tails_of_g() -> None:
    """Pr[Y outside G] <= delta: for k <= a mu / 2 the interval [(1 - a/2) mu, (1 + a/2) mu] lies inside G."""
    from sympy import simplify, symbols

    a, mu, rest = symbols("a mu rest", nonnegative=True)
    k = symbols("k", nonnegative=True)
    slack = {mu: 2 * (k + rest) / a}  # k <= a mu / 2
    for inner, outer in (((1 + a / 2) * mu, (1 + a) * mu - k), (-(1 - a / 2) * mu, -((1 - a) * mu + k))):
        step(never_negative(simplify((outer - inner).subs(slack)), k, rest, a), "G holds the shorter interval")
    chernoff()
    x = a / 2
    step(simplify(x**2 / (2 + x) - a**2 / (8 + 2 * a)) == 0 and simplify(x**2 / 2 - a**2 / 8) == 0, "exponents")


def certain_end() -> None:
    """For a = 1 and y in G = [k, 2 mu - k]: y - |k'| >= 0 and y + k' <= 2 mu <= n, so no probability below is 0."""
    from sympy import symbols

    n, w, k, up, down = symbols("n w k up down", nonnegative=True)
    mu = n / (2 * (1 + w))  # gamma = 1 / (2 (1 + w)) <= 1/2
    step(never_negative((k + down) - k, k, down), "y >= k >= |k'|")
    step(never_negative(n - ((2 * mu - k - up) + k), n, w, k, up), "y + k' <= n")


def smooth_delta(n: int, g: Fraction, a: Fraction) -> arb:
    """exp(-a^2 g n / 8) + exp(-a^2 g n / (8 + 2a))."""
    return ball(-a * a * g * n / 8).exp() + ball(-a * a * g * n / (8 + 2 * a)).exp()


def smooth_power(a: Fraction) -> Fraction | None:
    """(1 + a) / (1 - a); None, infinite, for a = 1."""
    return None if a == 1 else (1 + a) / (1 - a)


def holds_for(n: int, g: Fraction, a: Fraction, shift: int) -> bool:
    """Whether Bin(n, g) keeps Definition 21's inequality with Lemma 23's eps and delta for one k', exactly."""
    power = smooth_power(a)
    chance = rough(binomial(n, g), shift, None if power is None else power ** abs(shift))
    return certainly(lambda: ball(chance) <= smooth_delta(n, g, a))


@statement(
    "BC Lem 23",
    "A",
    "gamma<=1/2, k<=alpha gamma n/2: Bin(n,gamma) is (ln((1+a)/(1-a)), e^{-a^2 gn/8}+e^{-a^2 gn/(8+2a)}, k)-smooth",
)
def lemma_23() -> Finding:
    """With 0 < |k'| <= k the lemma holds; with k' = 0, as Definition 21 is printed, it fails wherever delta < 1.

    On G every factor of the ratio is below (1 + a) / (1 - a) (`factors`), so the ratio is below e^(|k'| eps) and the
    event needs Y outside G, which Chernoff's bounds keep to delta (`tails_of_g`). For a = 1 eps is infinite, and on G
    the ratio is finite: y >= k >= |k'| and y + k' <= 2 mu <= n. For a = 0 or gamma = 0 there is no such k'.
    """
    one_step()
    factors()
    tails_of_g()
    certain_end()
    compared = 0
    for n, g, a in SMALL:
        k = int(a * g * n / 2)
        for shift in (j for i in range(1, k + 1) for j in (i, -i)):
            step(holds_for(n, g, a, shift), f"n = {n}, gamma = {g}, alpha = {a}, k' = {shift}")
            compared += 1
    n, g, a = 100, Fraction(1, 2), Fraction(1, 2)
    step(not holds_for(n, g, a, 0), "as printed, k' = 0")
    step(certainly(lambda: ball(Fraction("0.4589")) < smooth_delta(n, g, a)), "delta")
    step(certainly(lambda: smooth_delta(n, g, a) < ball(Fraction("0.459"))), "delta below 1")
    step(rough(binomial(n, g), 0, Fraction(1)) == 1, "k' = 0 is certain")
    return finding(
        "refuted",
        "as printed (k' = 0 counts) wherever delta < 1; proved with 0 < |k'| <= k: all n, gamma in [0, 1/2], alpha in "
        "[0, 1], k <= alpha gamma n / 2",
        "k' = 0, n = 100, gamma = alpha = 1/2: the probability is 1, delta = 0.4589...",
        "corrected, 0 < |k'| <= k: every factor of the ratio is below (1+alpha)/(1-alpha) on G, which is "
        "alpha (1 - 2 gamma) >= 0; Pr[Y not in G] <= delta by Chernoff with alpha/2",
        f"{compared} cases (n <= 24, gamma = 1/10..1/2, alpha = 1/4..1, all k') enumerated exactly",
    )


@statement("BC Cor 24 'alpha in[eps/sqrt5,1)'", "A", "tanh(eps/2)>=eps/sqrt5 on [0,1]")
def alpha_range() -> Finding:
    """alpha = (e^eps - 1) / (e^eps + 1) = tanh(eps/2): concave, so above eps tanh(1/2) >= eps / sqrt(5); below 1."""
    from sympy import Symbol, exp, simplify, tanh

    e = Symbol("e", positive=True)
    step(simplify((exp(e) - 1) / (exp(e) + 1) - tanh(e / 2).rewrite(exp)) == 0, "alpha is tanh(eps/2)")
    tanh_above()
    step(certainly(lambda: (arb(1) / 2).tanh() < 1), "below 1")
    return finding(
        "proved",
        "all eps in [0, 1]",
        "tanh(eps/2) >= eps tanh(1/2) by concavity, tanh(1/2) = 0.46211... >= 1/sqrt(5) = 0.44721...",
    )


@statement("BC Cor 24 algebra", "A", "ln((1+a)/(1-a))=eps; 2exp(-g eps^2 n/50)=delta; 8+2a<=10")
def algebra() -> Finding:
    """The three identities and two inequalities of the display in Corollary 24's proof."""
    from sympy import exp, log, simplify, symbols

    e, n, d, b = symbols("e n d b", positive=True)
    a, gamma = (exp(e) - 1) / (exp(e) + 1), 50 * log(2 / d) / (n * e**2)
    step(simplify((1 + a) / (1 - a) - exp(e)) == 0, "ln((1 + a) / (1 - a)) = eps")
    step(simplify(2 * exp(-gamma * e**2 * n / 50) - d) == 0, "2 exp(-gamma eps^2 n / 50) = delta")
    alpha, x = b / (1 + b), symbols("x", positive=True)  # x = gamma n
    for divisor in (8, 8 + 2 * alpha):
        step(never_negative(alpha**2 * x / divisor - alpha**2 * x / 10, b, x), "exponents at most with 10")
    r = symbols("r", nonnegative=True)
    step(never_negative((e**2 / 5 + r) * x / 10 - x * e**2 / 50, e, r, x), "alpha^2 >= eps^2 / 5")
    return finding(
        "proved",
        "all eps, delta > 0, n; alpha in [0, 1)",
        "ln((1+alpha)/(1-alpha)) = eps and 2 exp(-gamma eps^2 n/50) = delta, as identities",
        "8 <= 8 + 2 alpha <= 10 for alpha <= 1; alpha^2 / 10 >= eps^2 / 50",
    )


@statement("BC Cor 24 omitted", "A", "k=1<=alpha gamma n/2 and gamma<=1/2 not shown")
def omitted() -> Finding:
    """Lemma 23 asks for gamma <= 1/2 and 1 <= alpha gamma n / 2; the proof of Corollary 24 is silent. They hold.

    gamma = 50 L / (n eps^2) with L = ln(2/delta) is at most 1/2 exactly for n >= 100 L / eps^2. And alpha gamma n / 2
    >= (eps / sqrt 5) 25 L / eps^2 >= 25 ln 2 / sqrt 5, as eps <= 1 and L >= ln 2.
    """
    from sympy import simplify, sqrt, symbols

    tanh_above()
    n, L, e = symbols("n L e", positive=True)
    step(simplify(50 * L / (n * e**2) - (100 * L / e**2) / (2 * n)) == 0, "gamma = (100 L / eps^2) / (2n)")
    step(simplify(e / sqrt(5) * 25 * L / e**2 - 25 * L / (sqrt(5) * e)) == 0, "alpha gamma n / 2 at least this")
    step(certainly(lambda: 25 * arb(2).log() / arb(5).sqrt() >= 1), "25 ln 2 / sqrt 5 >= 1")
    return finding(
        "proved",
        "all eps, delta in (0, 1], n >= (100 / eps^2) ln(2/delta)",
        "gamma <= 1/2 just for these n",
        "alpha gamma n / 2 >= 25 ln 2 / sqrt 5 = 7.74... >= 1",
    )
