"""Balcer & Cheu 2020, Theorem 11(i) and Corollary 24: the binary sum of Figure 1 is private, for all parameters.

L stands for ln(2/delta) throughout, and q = 1 - p = 50 L / (eps^2 n). Nothing here uses Lemma 23: the two events on
which likelihood ratios exceed e^eps are tails, and Chernoff's bounds hold them to (delta/2)^3.8.
"""

from bisect import bisect_left
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

from flint import arb

from shufflecert.proofs.bc_smooth import binomial as binomial_law
from shufflecert.proofs.lemmas import certainly, chernoff, never_negative, tanh_above
from shufflecert.proofs.small import exact_delta
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.zsum import ZSum, least_noise
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise as Shift

CONSTANT = 50
RATE = Fraction(38, 10)  # delta(eps) <= (delta/2)^RATE
LEAST = 17  # the least whole constant that the same proof carries
POINTS = [(n, eps, bound) for n in (800, 10**4, 10**6) for eps in ("1/2", "1") for bound in ("1", "1/10", "1e-3")]
POINTS = [(n, eps, bound) for n, eps, bound in POINTS if (n, eps) != (800, "1/2")] + [(10**6, "1/10", "1e-9")]
TABLE = [(eps, bound) for eps in ("1", "1/4") for bound in ("1e-2", "1e-6", "1e-12")]


def noise(n: int, eps: str, bound: str) -> Fraction:
    """q = 50 L / (eps^2 n), rounded up to 64 bits."""
    return least_noise(n, Eps.of(eps), Fraction(bound), 1, "BC Theorem 11")


def both_ways(n: int, q: Fraction, eps: str) -> tuple[Fraction, Fraction]:
    """The ends of delta(eps) of s + Bin(n, 1 - q), the larger of its two directions."""
    ends = [Shift(Binomial(n, q), j).divergence(Eps.of(eps), 128) for j in (1, -1)]
    return max(low for low, _ in ends), max(high for _, high in ends)


@cache
def events() -> None:
    """Where the ratio of Y ~ Bin(n, q) to its shift by one exceeds t = e^eps: below one point, above another.

    Against Y + 1: P(k) > t P(k - 1) just where (n - k + 1) q > t k p, that is k < (mu + q) / (q + t p), mu = n q.
    Against Y - 1: P(k) > t P(k + 1) just where (k + 1) p > t (n - k) q, that is k > (t mu - p) / (p + t q). For
    q <= 1/2 the first is at most (1 - a) (mu + 1/2), the second at least (1 + a) mu - 1, for a = (t - 1) / (t + 1). In
    unknowns s, w, mu >= 0: t = 1 + s, q = 1 / (2 (1 + w)).
    """
    from sympy import Rational, binomial, combsimp, expand, simplify, symbols

    n, k = symbols("n k", integer=True, positive=True)
    step(simplify(combsimp(binomial(n, k) / binomial(n, k - 1)) - (n - k + 1) / k) == 0, "ratio of binomials")
    q, t, s, w, mu = symbols("q t s w mu", nonnegative=True)
    step(expand((n - k + 1) * q - t * k * (1 - q) - (n * q + q - k * (q + t * (1 - q)))) == 0, "the event below")
    step(expand((k + 1) * (1 - q) - t * (n - k) * q - (k * (1 - q + t * q) - (t * n * q - (1 - q)))) == 0, "above")
    half, power = 1 / (2 * (1 + w)), 1 + s
    a = (power - 1) / (power + 1)
    below = (1 - a) * (mu + Rational(1, 2)) - (mu + half) / (half + power * (1 - half))
    step(never_negative(below, s, w, mu), "the event below starts at most at (1 - a) (mu + 1/2)")
    above = (power * mu - (1 - half)) / (1 - half + power * half) - ((1 + a) * mu - 1)
    step(never_negative(above, s, w, mu), "the event above starts at least at (1 + a) mu - 1")
    b, m = symbols("b m", positive=True)  # a = b / (1 + b) < 1
    share = b / (1 + b)
    step(simplify((1 - share) * (m + Rational(1, 2)) - (1 - (share - (1 - share) / (2 * m))) * m) == 0, "x below")
    step(never_negative(1 / m - (1 - share) / (2 * m), b, m), "x >= a - 1/mu below")
    step(simplify((1 + share) * m - 1 - (1 + (share - 1 / m)) * m) == 0, "x = a - 1/mu above")


@cache
def keeps_private(constant: int = CONSTANT, rate: Fraction = RATE) -> None:
    """Bin(n, q) against its shifts has delta(eps) <= e^(-rate L) for constant L / (eps^2 n) <= q <= 1/2, 0 < eps <= 1.

    `events`: both are tails at relative distance x >= a - 1/mu from mu >= constant L / eps^2, a = tanh(eps/2). As a >=
    eps tanh(1/2) and 1/mu <= eps^2 / (constant L) <= eps / (constant ln 2), x >= eps K with K = tanh(1/2) -
    1 / (constant ln 2). Chernoff's exponents mu x^2 / 2 and mu x^2 / (2 + x) grow with x and mu, so they are at least
    constant K^2 L / (2 + K). Raises StepFailed unless K > 0, that rate is at least `rate`, and `rate` >= 1.
    """
    from sympy import Symbol, diff, simplify

    events()
    tanh_above()
    chernoff()
    x = Symbol("x", nonnegative=True)
    step(never_negative(simplify(diff(x**2 / (2 + x), x)), x), "x^2 / (2 + x) grows")

    def distance() -> arb:
        return (arb(1) / 2).tanh() - 1 / (constant * arb(2).log())

    step(certainly(lambda: distance() > 0), "K > 0")
    step(certainly(lambda: constant * distance() ** 2 / (2 + distance()) >= ball(rate)), f"rate {rate} for {constant}")
    step(rate >= 1, "(delta/2)^rate <= delta")


def within_bound(n: int, eps: str, bound: str) -> bool:
    """Whether the engine's delta(eps) at the prescribed q is at most (bound/2)^RATE."""
    high = both_ways(n, noise(n, eps, bound), eps)[1]
    return certainly(lambda: ball(high) <= (ball(Fraction(bound) / 2).log() * ball(RATE)).exp())


def least_constant(n: int, eps: str, bound: str) -> Fraction:
    """The least multiple of 1/4, by bisection, that keeps (eps, bound) in place of 50: it does, the one below does not.

    Nothing is said of smaller ones, delta(eps) not being monotone in q at small n.
    """

    def q(quarters: int) -> Fraction:
        return noise(n, eps, bound) * quarters / (4 * CONSTANT)

    def keeps(quarters: int) -> bool:
        low, high = both_ways(n, q(quarters), eps)
        step(high <= Fraction(bound) or low > Fraction(bound), "decided")
        return high <= Fraction(bound)

    step(both_ways(n, q(1), eps)[0] > Fraction(bound), "1/4 is not enough")
    return Fraction(bisect_left(range(4 * CONSTANT), True, 2, key=keeps), 4)


@statement("BC Cor 24", "A", "n>=(100/eps^2)ln(2/d): -s+Bin(n,50 ln(2/d)/(n eps^2)) is (eps,delta)-DP")
def corollary_24() -> Finding:
    """Both directions of -s + Bin(n, q) have delta(eps) <= (delta/2)^3.8 <= delta: `keeps_private`.

    The others' sum shifts both sides, so the pair is always Bin(n, q) and its shift by one. At eps = 0 or delta = 0 no
    n meets the condition. The proof carries every q in [50 L / (eps^2 n), 1/2], and 17 in place of 50 (then it gives
    (eps, delta), for n >= 34 L / eps^2).
    """
    keeps_private()
    keeps_private(LEAST, Fraction(1))
    for point in POINTS:
        step(within_bound(*point), f"the engine's delta at {point}")
    table = [f"eps = {eps}, delta = {bound}: {float(least_constant(10**6, eps, bound))}" for eps, bound in TABLE]
    return finding(
        "proved",
        "all eps, delta in (0, 1], n >= (100 / eps^2) ln(2/delta), both directions; with (delta/2)^3.8 for delta",
        "P(k) > e^eps P(k -+ 1) only in tails at relative distance >= eps (tanh(1/2) - 1/(50 ln 2)) from the mean; "
        "Chernoff gives (delta/2)^3.8 there",
        "the same proof holds for every q in [50 ln(2/delta)/(eps^2 n), 1/2], and with 17 in place of 50",
        f"the engine's delta is below (delta/2)^3.8 at {len(POINTS)} points, n up to 10^6",
        f"least multiple of 1/4 in place of 50, n = 10^6 (a quarter less fails): {'; '.join(table)}",
    )


@statement("BC §3.1 'p in (1/2,1)'", "3.1", "sqrt((100/n)ln(2/d))<=eps<=1 implies p in (1/2,1)")
def range_of_p() -> Finding:
    """1 - p = (100 L / (eps^2 n)) / 2 is at most 1/2, and 1/2 where the condition holds with equality: p = 1/2 occurs.

    p < 1 as L >= ln 2 > 0. Equality: any eps and n with n eps^2 >= 100 ln 2, and delta = 2 exp(-n eps^2 / 100).
    """
    from sympy import Integer, exp, log, simplify, symbols

    n, e, r = symbols("n e r", positive=True)
    L = n * e**2 / (100 * (1 + r))  # n eps^2 = 100 (1 + r) L, r >= 0
    q = 50 * L / (e**2 * n)
    step(never_negative(Integer(1) / 2 - q, r) and simplify(q).is_positive, "0 < 1 - p <= 1/2")
    bound = 2 * exp(-Integer(1))  # n = 100, eps = 1
    step(certainly(lambda: 2 * arb(-1).exp() < 1), "delta = 2/e is allowed")
    step(simplify(1 - 50 * log(2 / bound) / 100) == Integer(1) / 2, "n = 100, eps = 1, delta = 2/e: p = 1/2")
    return finding(
        "refuted",
        "eps = 1, n = 100, delta = 2/e: p = 1/2; corrected, for all eps, delta, n: p in [1/2, 1)",
        "1 - p = (1/2) (100 ln(2/delta) / (eps^2 n)) is in (0, 1/2], and = 1/2 just where the condition is tight",
        "nothing else changes: the proofs of Theorem 11 use p >= 1/2 only",
    )


@statement("BC Thm 11(i)", "3.1", "eps,delta in[0,1], n>=(100/eps^2)ln(2/delta): zsum is (eps,delta)-DP")
def theorem_11_i() -> Finding:
    """The shuffled messages are copies of 1, so their number is all there is: s + Bin(n, p) = n - (-s + Bin(n, q)).

    That is Corollary 24's mechanism, renamed (`identity`), for which `keeps_private` has a bound for all parameters.
    """
    identity()
    keeps_private()
    checked = 0
    for n, eps, bound in ((70, "1", "1"), (139, "1", "1/2"), (182, "7/8", "1/2")):
        value = delta(ZSum(1 - noise(n, eps, bound)), n, eps, effort=Effort(work=10**9)).delta
        high = Fraction(value.enclosure()[1])
        step(high <= Fraction(bound), f"n = {n}, eps = {eps}, delta = {bound}")
        checked += 1
    return finding(
        "proved",
        "all eps, delta in (0, 1], n >= (100 / eps^2) ln(2/delta)",
        "only the number of messages is seen; n minus it is Corollary 24's mechanism",
        "it is even (eps, (delta/2)^3.8)-DP; 17 in place of 50 would do for n >= 34 ln(2/delta) / eps^2",
        f"over all datasets, at {checked} of the smallest n, by the engine's enumeration",
    )


@statement("BC Thm 11 monotone in q (implicit)", "3.1", "is delta(q) decreasing in q on (0,1/2]?")
def monotone() -> Finding:
    """delta(eps) does not fall in q: for n = 2, e^eps = 3/2 it is 0.39775 at q = 37/100 and 0.399 at q = 38/100.

    What the theorem needs is true: the bound holds for every q from 50 L / (eps^2 n) to 1/2 (`keeps_private`).
    """
    rises = []
    for n in range(1, 6):
        found = [exact_delta(ZSum(1 - Fraction(k, 100)), n, Fraction(3, 2)) for k in range(1, 51)]
        if n == 1:
            step(all(one >= other for one, other in pairwise(found)), "n = 1 falls")
            continue
        first = next((k for k in range(49) if found[k] < found[k + 1]), None)
        step(first is not None, f"n = {n}: it rises somewhere")
        assert first is not None
        rises.append(f"n = {n}: {found[first]} at q = {first + 1}/100, {found[first + 1]} at {first + 2}/100")
    keeps_private()
    return finding(
        "refuted",
        "n = 2..5, e^eps = 3/2; corrected: (eps, (delta/2)^3.8)-DP for every q in [50 ln(2/delta)/(eps^2 n), 1/2]",
        *rises,
        "n = 1 falls at these points",
    )


@statement("BC proof 11(i) identity", "3.1", "s+Bin(n,p) = n-(-s+Bin(n,1-p)) in law")
def identity() -> Finding:
    """z^s (q + p z)^n = z^n (1/z)^(-s) (p + q/z)^n: the probability generating functions of both sides.

    Factor by factor z (p + q / z) = q + p z, so for every n.
    """
    from sympy import expand, simplify, symbols

    z, p = symbols("z p", positive=True)
    n, s = symbols("n s", integer=True, nonnegative=True)
    step(expand(z * (p + (1 - p) / z) - (1 - p + p * z)) == 0, "one coin")
    step(simplify(z**n * (1 / z) ** (-s) / z**n - z**s) == 0, "the sum")
    for trials, weight in product(range(1, 9), (Fraction(1, 3), Fraction(9, 10))):
        step(binomial_law(trials, weight) == binomial_law(trials, 1 - weight)[::-1], "weights")
    return finding(
        "proved",
        "all n, s, p in [0, 1]",
        "z (p + q/z) = q + p z, so z^s (q + p z)^n = z^n (1/z)^-s (p + q/z)^n: generating functions agree",
    )
