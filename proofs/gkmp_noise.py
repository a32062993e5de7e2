"""Ghazi, Kumar, Manurangsi & Pagh 2021, Section 3: Poisson and negative binomial noise, and a bound for all."""

from fractions import Fraction

from flint import arb

from shufflecert.proofs.gkmp_sensitivity import broken, kept
from shufflecert.proofs.lemmas import chernoff, nonnegative, positive_on
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.poisson import PoissonSum
from shufflecert.verify.enclose.noise_laws import NegativeBinomial, Poisson
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, precision, text
from shufflecert.verify.reduce.reduction import worst_delta

SMALL = Fraction(1, 100)
FIRST, SHAPE = 16, 50  # the constants of Theorems 11 and 13


@statement(
    "GKMP Thm 11",
    "3.1",
    "lambda=16 log(10/d)/(1-e^{-eps/Delta})^2+2Delta/(1-e^{-eps/Delta}): Poi(lambda) (eps,d)-DP for Delta-sum",
)
def theorem_11() -> Finding:
    """Proof for all eps > 0, delta in (0, 1) and Delta, with a = 1 - e^(-eps/Delta), L = log(10/delta).

    Let 1 <= j <= Delta be the shift. Poi(k - j) / Poi(k) = k (k-1) ... (k-j+1) / lam^j. It exceeds e^eps only where
    k > lam e^(eps/j) >= lam / (1 - a), and Pr[j + Poi > lam / (1 - a)] <= Pr[Poi >= lam + lam a - Delta], as
    1 / (1 - a) >= 1 + a. The inverse exceeds e^eps only where k < j or k - j + 1 < lam (1 - a), which has
    Pr[Poi <= lam - lam a + Delta - 1] at most. And lam >= 2 Delta / a gives Delta <= lam a / 2: both are deviations of
    u lam, u = a / 2 <= 1/2. By Chernoff the tails are exp(-lam a^2 / (8 (1 + 1/6))) = exp(-(3/28) lam a^2) and
    exp(-lam a^2 / 8), and lam a^2 >= 16 L: at most (delta/10)^(12/7). The same steps with L' = log(1/delta) and
    28/3 in the place of 16 end at delta: a third of the paper's first term is enough.
    """
    from sympy import Rational, Symbol, simplify

    a, v = Symbol("a", positive=True), Symbol("v", nonnegative=True)
    step(nonnegative(1 / (1 - v) - 1 - v, v, below=1), "1 / (1 - a) >= 1 + a")
    tail = (a / 2) ** 2 / (2 * (1 + Rational(1, 2) / 3))
    step(simplify(tail - Rational(3, 28) * a**2) == 0, "the upper exponent, u <= 1/2")
    exponents = Fraction(3, 28), Fraction(1, 8)  # above, below; both tails together are never needed
    step(min(exponents) == exponents[0] and FIRST * exponents[0] > 1, "both exponents are at least log(10/delta)")
    step(Fraction(28, 3) * exponents[0] == 1, "28/3 with log(1/delta) suffices")
    evidence = [chernoff(), "events {k > lam e^(eps/Delta)} and {k - Delta < lam e^(-eps/Delta)} hold all that exceeds"]
    for eps, delta, sensitivity in (("1", "1e-6", 1), ("1/10", "1/2", 3), ("3", "99/100", 2)):
        given = PoissonSum.paper(1, Eps.of(eps), Fraction(delta), {"sensitivity": str(sensitivity)})
        found = worst_delta(PoissonSum(given["lam"], sensitivity).reach(1), Eps.of(eps)).value
        step(found.high <= Fraction(delta), f"the engine's delta, {eps}, {delta}")
        evidence.append(f"eps {eps}, delta {delta}, Delta {sensitivity}: exact delta {found.enclosure(3)[1]}")
    evidence.append("sharper: lam = (28/3) log(1/delta) / a^2 + 2 Delta / a suffices for all parameters as well")
    return finding("proved", "all eps > 0, delta in (0, 1), Delta >= 1", *evidence)


def chord_below() -> bool:
    """Whether 1 - e^-x is concave, with the chord (1 - 1/e) x from 0 to 1: it is then above that chord there."""
    from sympy import E, Symbol, exp, simplify

    x = Symbol("x", real=True)
    gap = 1 - exp(-x) - (1 - 1 / E) * x
    ends = simplify(gap.subs(x, 0)) == 0 and simplify(gap.subs(x, 1)) == 0
    return ends and gap.diff(x, 2).is_negative is True


@statement("GKMP Cor 12", "3.1", "Poisson-Dist: 1+O(log(1/d)/(eps^2 n)) messages, MSE O(log(1/d)/eps^2)")
def corollary_12() -> Finding:
    """For delta near 1 the printed lam is no O(log(1/delta) / eps^2): lam >= 16 log 10, and log(1/delta) goes to 0.

    For delta <= 1/2 and eps <= 1 it is: log(10/delta) <= (1 + log 10 / log 2) log(1/delta), 1 - e^-eps >= (1 - 1/e) eps
    by concavity, and 1 <= log(1/delta) / log 2, so lam <= 179 log(1/delta) / eps^2. Privacy is Theorem 11 with
    Delta = 1, the expected number of messages at most 1 + lam / n, and the squared error is lam.
    """
    with precision(128):
        part, two = 1 - (-ball(Fraction(1))).exp(), ball(Fraction(2)).log()
        most = 16 * (1 + ball(Fraction(10)).log() / two) / part**2 + 2 / (part * two)
        step(bool(most < 179), "the constant")
        near_one = Fraction(999_999, 1_000_000)
        least, log = 16 * ball(10 / near_one).log(), -ball(near_one).log()
        step(bool(least > 10**7 * log), "no constant up to 10^7 at delta = 0.999999")
    step(chord_below(), "1 - e^-eps >= (1 - 1/e) eps on [0, 1]")
    system = PoissonSum(Fraction(40))
    step(system.accuracy(10).expected_messages.high == 5, "1 + lam / n")
    rmse = system.accuracy(10).rmse
    step(rmse.low**2 <= 40 <= rmse.high**2, "the squared error is lam")
    evidence = (
        "delta -> 1: lam >= 16 log 10 while log(1/delta) -> 0; at delta = 0.999999, eps = 1 over 10^7 log(1/delta)",
        "corrected: delta <= 1/2, eps <= 1: lam <= 179 log(1/delta) / eps^2",
        "then at most 1 + 179 log(1/delta) / (eps^2 n) messages, squared error at most 179 log(1/delta) / eps^2",
    )
    return finding("refuted", "delta in (0, 1) as printed; delta <= 1/2, eps <= 1: true, constant 179", *evidence)


def exponent(p: arb) -> arb:
    """log(1 + p + ... + p^9) - 9 log(1/p) p^11 / (1 - p^11) - p^10 / 50, from below, for 0 < p <= 1.

    log(1/p) <= 1/p - 1, so the middle term is at most 9 p^10 (1 - p) / (1 - p^11) = 9 p^10 / (1 + p + ... + p^10).
    """
    ten = sum((p**i for i in range(10)), arb(0))
    return ten.log() - 9 * p**10 / (ten + p**10) - p**10 / SHAPE


def chernoff_13() -> int:
    """exponent(p) > 0 on (0, 1], and >= 9/10 on [9/10, 1]; the number of pieces.

    Below 1/100: log(1 + p) >= p log 2 by concavity, and 9 p^10 + p^10 / 50 < p / 2.
    """
    step(20 * SMALL**9 < 1, "near 0: 10 p^10 < p / 2 < p log 2")
    whole = positive_on(exponent, SMALL, Fraction(1))
    return whole + positive_on(lambda p: exponent(p) - ball(Fraction(9, 10)), Fraction(9, 10), Fraction(1))


def shown_13() -> tuple[str, ...]:
    """The corrected Theorem 13: delta in (0, 1), and Delta = 1, or eps <= 1 (then any Delta). A proof of it.

    s = eps/Delta, p = e^(-s/10), r = 50 e^s L with L = log(1/delta), shift j <= Delta. NB(k-j)/NB(k) is the product
    over m = k-j+1..k of m / (p (m + r - 1)).

    r >= 1: every factor is at most 1/p < e^s, so P = j + NB against Q = NB has divergence 0. Back, a factor is above
    e^s only for m < c' = p (r - 1) / (e^s - p), so the event lies in {NB <= Delta - 1 + c'}, and Chernoff with E w^NB =
    ((1-p)/(1-pw))^r at w = p^9 bounds its probability by exp(0.9 s (Delta - 1 + c') - r log((1-p^10)/(1-p))). That is
    at most delta = exp(-r p^10 / 50) where 0.9 s (Delta - 1) <= r exponent(p), as s = 10 log(1/p), e^s = p^-10. For
    Delta = 1 that is exponent > 0; for eps <= 1 the left is below 0.9, p >= e^(-1/10) > 9/10 and exponent >= 0.9.

    r < 1: no factor of Q/P is above 1, so for every eps >= 0 both directions are at most the total variation distance,
    Pr[NB < j]. NB(r, p) is compound Poisson: jumps of size k come at rate r p^k / k. With one jump of Delta or more,
    NB >= Delta; so Pr[NB < Delta] <= exp(-r sum over k >= Delta of p^k / k), and that is at most delta where the sum is
    p^10 / 50 or more. For Delta = 1 it is p already. For eps <= 1 the terms k < 2 Delta are at least
    p^(2 Delta) sum 1/k >= e^(-1/5) log 2 > 1/50.
    """
    from sympy import Symbol, cancel, diff, expand, log

    p, z, r = Symbol("p", positive=True), Symbol("z", positive=True), Symbol("r", positive=True)
    jumps = -log(1 - p * z) + log(1 - p)  # sum of p^k (z^k - 1) / k
    step(cancel(diff(jumps, z) - p / (1 - p * z)) == 0 and jumps.subs(z, 1) == 0, "the jumps' rates are p^k / k")
    of_law = r * (log(1 - p) - log(1 - p * z))  # log E z^NB(r, p)
    step(cancel(diff(of_law - r * jumps, z)) == 0 and of_law.subs(z, 1) == 0, "NB(r, p) is compound Poisson")
    step(expand((1 - p) * sum(p**i for i in range(10)) - (1 - p**10)) == 0, "w p = p^10")
    pieces = chernoff_13()
    with precision(64):
        step(bool(ball(Fraction(-1, 10)).exp() > ball(Fraction(9, 10))), "p > 9/10 for s <= 1")
        rate = ball(Fraction(-1, 5)).exp() * ball(Fraction(2)).log()
        step(bool(rate > ball(Fraction(1, 50))), "rates of jumps")
    return (
        f"r >= 1: forward 0; back by Chernoff at w = p^9, its exponent certified on {pieces} pieces of (0, 1]",
        "r < 1: both directions at most Pr[NB < Delta] <= exp(-r sum over k >= Delta of p^k / k)",
    )


@statement("GKMP Thm 13", "3.2", "p=e^{-.1 eps/Delta}, r=50 e^{eps/Delta} log(1/d): NB (eps,d)-DP ('delta in[0,1)')")
def theorem_13() -> Finding:
    """True for all Delta and delta in (0, 1) up to eps = 26.67, false for some from 26.68 on; for Delta = 1 true.

    And delta = 0, printed as well, leaves no r. The proofs and the counterexample are in `proofs.gkmp_sensitivity` for
    Delta >= 2, in `shown_13` for Delta = 1.
    """
    evidence = (*broken(), "delta = 0 is allowed as printed and leaves no r", *shown_13(), *kept())
    return finding(
        "refuted",
        "eps > 0, delta in [0, 1) as printed; delta in (0, 1) and Delta = 1 or eps <= 26.67: true; eps >= 26.68: false "
        "for some Delta, delta",
        *evidence,
    )


@statement("GKMP Cor 14", "3.2", "1+O(log(1/d)/(eps n)) messages, MSE O(log(1/d)/eps^2); 'improves' on Poisson")
def corollary_14() -> Finding:
    """By the corrected Theorem 13 with Delta = 1: eps > 0 and delta in (0, 1); for delta >= 1, printed as well, r <= 0.

    The mean is 50 e^eps L / (e^(eps/10) - 1) <= 500 e^eps L / eps, as e^x - 1 >= x, and the variance is 50 e^eps L /
    (4 sinh(eps/20)^2) <= 5000 e^eps L / eps^2, as sinh x >= x. It improves on Corollary 12's printed lam for small eps
    only: 500 e^eps L / eps against 16 log(10/delta) / (1 - e^-eps)^2 + 2 / (1 - e^-eps).
    """
    from sympy import Symbol, exp, simplify, sinh

    x, p = Symbol("x", positive=True), Symbol("p", positive=True)
    step(simplify(((p / (1 - p) ** 2).subs(p, exp(-x)) - 1 / (4 * sinh(x / 2) ** 2)).rewrite(exp)) == 0, "the variance")
    step(simplify((p / (1 - p)).subs(p, exp(-x)) - 1 / (exp(x) - 1)) == 0, "the mean")
    step((exp(x) - 1 - x).diff(x, 2).is_positive is True and sinh(x).diff(x, 2).is_positive is True, "convex")

    def means(eps: Fraction, delta: Fraction) -> tuple[arb, arb]:
        e, a, log = ball(eps), 1 - (-ball(eps)).exp(), -ball(delta).log()
        return 50 * e.exp() * log / (e / 10).expm1(), 16 * (log + ball(Fraction(10)).log()) / a**2 + 2 / a

    with precision(128):
        for eps, better in ((Fraction(1, 100), True), (Fraction(1, 10), False), (Fraction(1), False)):
            one, other = means(eps, Fraction(1, 10**6))
            step(bool(one < other) is better and bool(one > other) is not better, f"compared at eps = {text(eps)}")
    evidence = (
        *shown_13(),
        "at most 1 + 500 e^eps log(1/delta) / (eps n) messages, squared error <= 5000 e^eps log(1/delta) / eps^2",
        "as printed delta >= 1 is allowed, and r <= 0 is no law",
        "delta = 10^-6: fewer messages than Theorem 11's for eps = 1/100, more for eps = 1/10 and 1",
    )
    return finding("misprint", "all eps > 0, delta in (0, 1); constants 500 e^eps and 5000 e^eps", *evidence)


@statement("GKMP Lem 15", "3.3", "inf-div D on N, (eps,d)-DP => MSE Omega_eps(log 1/d)")
def lemma_15() -> Finding:
    """Var D >= log(1/delta), for every eps: the constant is 1 and does not depend on eps.

    s = 1 never shows 0 messages, so Pr[D = 0] <= e^eps 0 + delta; write a = Pr[D = 0]. If a = 0, then Pr[X = 0] = 0
    for every part X of D (n of them, on N), so D >= n for every n: impossible. Let D have a finite variance (else there
    is nothing to show). For n parts X, Var D = n Var X = n E X^2 - (E D)^2 / n, and E X^2 >= Pr[X >= 1] = 1 - a^(1/n);
    for n -> infinity n (1 - a^(1/n)) -> log(1/a) and (E D)^2 / n -> 0. So Var D >= log(1/a) >= log(1/delta). The error
    squared is Var D, and no less for any constant subtracted in the place of E D. Poi(lam) has equality in
    Var D >= log(1/Pr[D = 0]), and its delta falls to e^-lam in eps: no larger constant holds for all eps.
    """
    from sympy import Symbol, limit, log, oo, simplify

    a, n = Symbol("a", positive=True), Symbol("n", positive=True)
    step(simplify(limit(n * (1 - a ** (1 / n)), n, oo) + log(a)) == 0, "n (1 - a^(1/n)) -> log(1/a)")
    with precision(128):
        for law in (Poisson(Fraction(3)), NegativeBinomial(Fraction(2), SMALL), NegativeBinomial(SMALL, SMALL)):
            gap = ball(law.variance) + law.pmf(0).log()
            step(bool(gap > ball(Fraction(-1, 10**20))), f"Var >= log(1/Pr[0]), {law}")
        lam = Fraction(5)
        low = worst_delta(PoissonSum(lam).reach(1), Eps.of(20)).value
        step(bool(ball(low.high) < ball(-lam).exp() * ball(Fraction(1001, 1000))), "Poisson at eps = 20")
    evidence = (
        "squared error >= log(1/delta), for all eps >= 0 and delta in (0, 1]",
        f"tight: Poi(5) keeps (20, {low.enclosure(6)[1]}), and log(1/that) is 5 but for one in a thousand: Var = 5",
    )
    return finding(
        "proved", "all infinitely divisible D on 0, 1, ..., eps >= 0, delta in (0, 1]: constant 1", *evidence
    )
