"""Ghazi, Kumar, Manurangsi & Pagh 2021: facts about negative binomial and discrete Laplace laws, in Sections 1 to 4."""

from fractions import Fraction

from flint import arb

from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.discrete_laplace import DiscreteLaplaceSum
from shufflecert.protocols.negative_binomial import NegativeBinomialSum
from shufflecert.protocols.poisson import PoissonSum
from shufflecert.verify.enclose.interval import Interval as Enclosure
from shufflecert.verify.enclose.noise_laws import DiscreteLaplace, NegativeBinomial, Poisson, geometric
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, decimal_above, dyadic, precision
from shufflecert.verify.reduce.reduction import worst_delta
from shufflecert.verify.systems.largest_error import mean_deviation

RATIOS = (Fraction(1, 5), Fraction(1, 2), Fraction(99, 100))


@statement("GKMP §3.2 MSE LB", "3.2", "(eps,o(1)) central MSE Omega((Delta/eps)^2) => 'lambda>=(Delta/eps)^2'")
def squared_error_bound() -> Finding:
    """The literal "lam >= (Delta/eps)^2" is false; with a constant it is true, for delta <= eps/13, eps <= 1.

    Let M answer sums of inputs 0..Delta with squared error at most V, n >= m = ceil(1/eps) users. Data of sum 0 and of
    sum m Delta are m changes apart: (m eps, delta (e^(m eps) - 1)/(e^eps - 1))-close. By Chebyshev the answer is on
    the wrong side of m Delta / 2 with probability x = 4 V / (m Delta)^2 at most, for both. So 1 - x <= e^(m eps) x +
    delta (e^(m eps) - 1)/(e^eps - 1), and m eps <= 1 + eps <= 2, e^eps - 1 >= eps, delta <= eps/13 give
    x >= 1/(2 (1 + e^2)), that is V >= (m Delta)^2 / (8 (1 + e^2)) >= (Delta/eps)^2 / 68. Poi(lam) has V = lam.
    """
    with precision(64):
        e2 = ball(Fraction(2)).exp()
        step(bool((e2 - 1) / 13 < ball(Fraction(1, 2))), "what delta adds is at most 1/2")
        step(bool(8 * (1 + e2) < 68), "the constant")
    found = worst_delta(PoissonSum(Fraction(9500)).reach(1), Eps.of("1/100")).value
    step(found.high <= Fraction(1, 1000), "lam = 9500 keeps (1/100, 1/1000)")
    system_two = worst_delta(PoissonSum(Fraction(38000), 2).reach(1), Eps.of("1/100")).value
    step(system_two.high <= Fraction(1, 1000), "and twice that for Delta = 2")
    evidence = (
        f"Poi(9500) keeps (1/100, {found.enclosure(4)[1]}), lam < (1/eps)^2 = 10000; and Poi(38000) for Delta = 2",
        "corrected: any mechanism's squared error is at least (Delta/eps)^2 / 68 for eps <= 1, delta <= eps/13, "
        "n >= 1/eps + 1; so lam >= (Delta/eps)^2 / 68",
        "by Chebyshev and m-fold neighbours, m = ceil(1/eps)",
    )
    return finding("refuted", "the constant 1; with 1/68 in its place: eps <= 1, delta <= eps/13, n > 1/eps", *evidence)


@statement("GKMP '(negative integers)'", "3.2", "inf-div distribution 'on the negative integers'")
def negative_integers() -> Finding:
    """NB is on 0, 1, 2, ...: NB is the law that the sentence goes on to, and a user cannot send -1 messages."""
    law = NegativeBinomial(Fraction(5, 2), Fraction(1, 3))
    with precision(64):
        step(law.low == 0 and bool(law.pmf(0) > 0), "starts at 0")
        step(bool(law.pmf(7) > 0) and law.high is None, "and goes up")
    step(law.variance / law.mean == 1 / (1 - law.p), "variance / mean = 1 / (1 - p), as large as one likes")
    evidence = ("corrected: on the non-negative integers", "variance / mean = 1/(1-p) is what the paragraph asks for")
    return finding("misprint", "'on the negative integers': on the non-negative ones", *evidence)


@statement(
    "GKMP NB facts", "3.2", "NB(k;r,p)=C(k+r-1,k)(1-p)^r p^k; mean pr/(1-p), var pr/(1-p)^2; sum of n NB(r/n,p)=NB(r,p)"
)
def nb_facts() -> Finding:
    """G(z) = ((1-p)/(1-pz))^r solves (1 - p z) G' = r p G, G(1) = 1: (k+1) a_(k+1) = p (k + r) a_k, a_0 = (1-p)^r.

    That is the recurrence of C(k+r-1, k) (1-p)^r p^k, for every real r > 0. Mean G'(1), variance G''(1) + G'(1) -
    G'(1)^2; and G for r/n to the power n is G for r.
    """
    from sympy import Symbol, diff, expand_func, gamma, gammasimp, log, simplify

    z, p, r, k, n = (Symbol(name, positive=True) for name in "zprkn")
    logs = r * (log(1 - p) - log(1 - p * z))  # log G
    step(simplify((1 - p * z) * diff(logs, z) - r * p) == 0 and logs.subs(z, 1) == 0, "the equation of G")
    term = gamma(k + r) / (gamma(k + 1) * gamma(r)) * p**k
    ratio = gammasimp(expand_func(term.subs(k, k + 1) / term))
    step(simplify(ratio - p * (k + r) / (k + 1)) == 0, "the recurrence")
    first, second = (diff(logs, z, i).subs(z, 1) for i in (1, 2))
    step(simplify(first - p * r / (1 - p)) == 0, "the mean")
    step(simplify(second + first - p * r / (1 - p) ** 2) == 0, "the variance")
    step(simplify(n * logs.subs(r, r / n) - logs) == 0, "n parts")
    law = NegativeBinomial(Fraction(7, 3), Fraction(2, 5))
    step(law.ratio(4)[0] * 4 * 5 * 3 == law.ratio(4)[1] * 2 * (9 + 7), "the engine's ratio at k = 4: p (k-1+r) / k")
    step(law.mean == Fraction(14, 9) and law.variance == Fraction(70, 27), "the engine's moments")
    evidence = ("(1 - pz) G' = r p G is the recurrence of the terms; moments from log G", "n log G_(r/n) = log G_r")
    return finding("proved", "all real r > 0, p in (0, 1), n >= 1", *evidence)


@statement("GKMP DLap=NB(1,e^-eps)-NB(1,e^eps)", "4", "DLap=NB(1,e^-eps)-NB(1,e^eps)", name="GKMP-dlap-nb-1-e-eps-nb-1")
def decomposition() -> Finding:
    """NB(1, e^eps) has a ratio above 1, which is no law. With e^-eps in both places it is true.

    For G, G' ~ NB(1, q) independent and k >= 0: Pr[G - G' = k] = sum over j of (1-q)^2 q^(k+j) q^j =
    (1-q)^2 q^k / (1 - q^2) = (1-q)/(1+q) q^k, and k -> -k exchanges G and G'.
    """
    from sympy import Symbol, simplify, summation

    q, j, k = Symbol("q", positive=True), Symbol("j", integer=True, nonnegative=True), Symbol("k", nonnegative=True)
    m = Symbol("m", integer=True, positive=True)
    partial = (1 - q ** (2 * m)) / (1 - q**2)
    step(simplify(partial.subs(m, m + 1) - partial - q ** (2 * m)) == 0, "the geometric sum, by its differences")
    step(simplify(summation(q ** (2 * j), (j, 0, 0)) - partial.subs(m, 1)) == 0, "and its start")
    step(simplify((1 - q) ** 2 * q**k / (1 - q**2) - (1 - q) / (1 + q) * q**k) == 0, "(1-q)/(1+q) q^k")
    refused = False
    try:
        NegativeBinomial(Fraction(1), Fraction(3))
    except BadInput:
        refused = True
    step(refused, "NB(1, p) with p > 1 is refused")
    for ratio in RATIOS:
        with precision(96):
            law = DiscreteLaplace(ratio)
            step(bool(law.pmf(3).overlaps(ball((1 - ratio) / (1 + ratio) * ratio**3))), "the engine's law")
        step(law.variance == 2 * geometric(ratio).variance, "the variances add up")
    evidence = ("NB(1, e^eps), e^eps > 1: sum of p^k diverges", "corrected: NB(1, e^-eps) - NB(1, e^-eps), all eps > 0")
    return finding("misprint", "eps > 0: the second law is NB(1, e^-eps)", *evidence)


@statement("GKMP fn 4", "4", "DLap(k;s)=e^{-|k|s}/C(s), C=(1+e^-s)/(1-e^-s)")
def footnote_4() -> Finding:
    """C = 1 + 2 (q + q^2 + ...) = 1 + 2 q / (1-q) = (1+q)/(1-q) for q = e^-s, which is coth(s/2)."""
    from sympy import Symbol, coth, exp, simplify

    q, s = Symbol("q", positive=True), Symbol("s", positive=True)
    step(simplify(1 + 2 * q / (1 - q) - (1 + q) / (1 - q)) == 0, "C")
    step(simplify((((1 + q) / (1 - q)).subs(q, exp(-s)) - coth(s / 2)).rewrite(exp)) == 0, "coth(s/2)")
    with precision(96):
        for ratio in RATIOS:
            law = DiscreteLaplace(ratio)
            step(bool((law.upper(0) + law.lower(-1)).overlaps(arb(1))), "mass 1")
            step(bool(law.pmf(0).overlaps(ball((1 - ratio) / (1 + ratio)))), "1/C at 0")
    return finding("proved", "all s > 0", "C(s) = (1 + e^-s)/(1 - e^-s) = coth(s/2)", "the engine's law is that")


@statement("GKMP DLap MSE O(1/eps^2)", "1.2", "the MSE of DLap(eps) is O(1/eps^2)")
def laplace_variance() -> Finding:
    """Var = 2 q / (1-q)^2 = 1 / (2 sinh(s/2)^2), q = e^-s, and sinh(x) >= x: at most 2 / s^2, nearly so for small s."""
    from sympy import Symbol, exp, limit, simplify, sinh

    s = Symbol("s", positive=True)
    variance = (2 * exp(-s) / (1 - exp(-s)) ** 2).rewrite(exp)
    step(simplify((variance - 1 / (2 * sinh(s / 2) ** 2)).rewrite(exp)) == 0, "by sinh")
    step(sinh(s).diff(s, 2).is_positive is True and sinh(s).diff(s).subs(s, 0) == 1, "sinh(x) >= x: convex, slope 1")
    step(limit(s**2 / (2 * sinh(s / 2) ** 2), s, 0) == 2, "the constant 2 is reached")
    step(DiscreteLaplace(Fraction(1, 3)).variance == Fraction(3, 2), "the engine's")
    return finding("proved", "all eps > 0: at most 2 / eps^2; no smaller constant", "Var = 1/(2 sinh(eps/2)^2)")


@statement(
    "GKMP §1.2 NB(1,e^-eps) alone not DP",
    "1.2",
    "the increments of NB(1,e^-eps) alone are not (eps',d)-DP",
    name="GKMP-sec-1.2-nb-1-e-eps-alone",
)
def geometric_alone() -> Finding:
    """0 against 1 + NB(1, q): 0 messages have probability 1 - q and 0. For k >= 1, Pr[k] / Pr[k-1] = q.

    So back, s = 0 against s = 1, delta is 1 - q for every eps >= 0; forward every k >= 1 has
    ratio 1/q, so it is 1 - e^eps q for e^eps < 1/q and 0 beyond. Below delta = 1 - e^-eps no finite eps' is kept; from
    there on every eps' >= eps is.
    """
    for q in RATIOS:
        reach = NegativeBinomialSum(Fraction(1), q).reach(1)
        for power in (Fraction(1), 1 / q, Fraction(10**6)):
            found = worst_delta(reach, Eps.log(power)).value
            step(found.low <= 1 - q <= found.high and found.relative_width < Fraction(1, 10**9), "delta = 1 - q")
    evidence = (
        "delta(eps') = 1 - e^-eps for every eps' >= 0: as many 0 messages come from s = 0, none from s = 1",
        "so it is (eps, delta)-DP just for delta >= 1 - e^-eps, which is log(1/delta) <= Var as in Lemma 15",
    )
    return finding("proved", "all eps > 0: not (eps', delta)-DP for any eps' and delta < 1 - e^-eps", *evidence)


@statement("GKMP §4.1 0.99/0.01 split", "4.1", "D1-D2=DLap(.99eps)")
def split() -> Finding:
    """For s = 0.99 eps, D1 = D2 = NB(1, e^-s) have D1 - D2 = DLap(s) (`decomposition`): neighbours' ratio is e^s, e^-s.

    So the mechanism is s-DP and, all ratios being attained, for no smaller eps; the rest of eps is 0.01 eps.
    """
    for q in RATIOS:
        reach = DiscreteLaplaceSum(q).reach(1)
        found = worst_delta(reach, Eps.log(1 / q)).value
        step(found.high == 0, "0.99 eps-DP")
        less = worst_delta(reach, Eps.log(Fraction(99, 100) / q if q < Fraction(99, 100) else Fraction(1))).value
        step(less.low > 0, "and for no smaller eps")
    step(Fraction("0.99") + Fraction("0.01") == 1, "the split")
    return finding("proved", "all eps > 0", "D1 - D2 = DLap(0.99 eps), ratios e^(+-0.99 eps)", "0.01 eps is left")


def maximum_bound(q: Fraction, count: int) -> Enclosure:
    """(1 + log B) / s + 1, s = log(1/q)."""
    with precision(96):
        value = (1 + ball(Fraction(count)).log()) / -ball(q).log() + 1
        return Enclosure(dyadic(value.lower()), dyadic(value.upper()))


def expected_maximum(q: Fraction, count: int) -> arb:
    """E max |X_i| over `count` draws of DLap with ratio q, from above: sum over k >= 1 of 1 - (1 - Pr[|X| >= k])^B."""
    total, k = arb(0), 0
    while True:
        k += 1
        tail = 2 * ball(q) ** k / ball(1 + q)
        if tail * count < arb(10) ** -12:
            return total + tail * count / ball(1 - q)
        total += 1 - (1 - tail) ** count


@statement("GKMP 'E linf <= O(log B/eps)'", "1.1", "E max of B |DLap| <= O(log B/eps)")
def l_infinity() -> Finding:
    """E max of B |DLap(s)| <= (1 + log B) / s + 1, so O(log B / s) for B >= 2 and s <= O(1).

    Pr[|X| >= k] = 2 q^k / (1+q), q = e^-s. E max = sum over k >= 1 of Pr[max >= k] <= K + B sum over k > K of
    2 q^k / (1+q), K = ceil(log B / s): q^K <= 1/B, and the rest is 2 q / (1 - q^2) = 1 / sinh(s) <= 1/s. In Corollary 2
    s = (1 - gamma) eps / 2 >= eps / 4. For B = 1, log B = 0 while E |DLap| > 0: there it is false as printed.
    """
    from sympy import Symbol, exp, simplify, sinh

    s, q = Symbol("s", positive=True), Symbol("q", positive=True)
    rest = 2 * q / (1 + q) / (1 - q)
    step(simplify((rest.subs(q, exp(-s)) - 1 / sinh(s)).rewrite(exp)) == 0, "the rest is 1 / sinh(s)")
    step(sinh(s).diff(s, 2).is_positive is True, "sinh is convex on s > 0: sinh(s) >= s")
    shown = []
    for q_, count in ((Fraction(1, 2), 2), (Fraction(9, 10), 10), (Fraction(99, 100), 1000)):
        with precision(96):
            found, bound = expected_maximum(q_, count), maximum_bound(q_, count)
            step(bool(found < ball(bound.low)), "below the bound")
        most = decimal_above(dyadic(found.upper()), 4)
        shown.append(f"q = {q_}, B = {count}: at most {most}, bound {bound.enclosure(4)[0]}")
    one = mean_deviation(DiscreteLaplace(Fraction(1, 2)))
    step(one.low > 0, "B = 1: a positive error")
    with precision(64):
        two = ball(Fraction(2)).log()
        step(bool(4 * (1 + (1 + ball(Fraction(1, 2))) / two) < 13), "the constant, eps <= 1")
    evidence = ("(1 + log B)/s + 1 for all B, s; so 13 log B / eps for B >= 2, eps <= 1, gamma <= 1/2", *shown)
    return finding("proved", "all B >= 2, eps <= 1, gamma <= 1/2: at most 13 log B / eps", *evidence)


@statement("GKMP fn 3", "3.2", "r->inf, p=lambda/r: NB->Poi(lambda)")
def footnote_3() -> Finding:
    """Pr[0] = (1 - lam/r)^r -> e^-lam, and the ratio of neighbours (lam/r) (k + r) / (k + 1) -> lam / (k + 1).

    So by induction on k every Pr[k] converges to that of Poi(lam), which has these ratios and this start.
    """
    from sympy import Symbol, limit, log, oo, simplify

    r, lam, k = (Symbol(name, positive=True) for name in ("r", "lam", "k"))
    step(simplify(limit(r * log(1 - lam / r), r, oo) + lam) == 0, "the start")
    step(simplify(limit(lam / r * (k + r) / (k + 1), r, oo) - lam / (k + 1)) == 0, "the ratios")
    shown = []
    for size in (10**2, 10**4):
        with precision(64):
            law = NegativeBinomial(Fraction(size), Fraction(3, size))
            gaps = [abs(law.pmf(j) - Poisson(Fraction(3)).pmf(j)) for j in range(12)]
            step(all(bool(gap * size < 3) for gap in gaps), "a gap of at most 3/r, k < 12")
        shown.append(f"r = {size}: |NB - Poi| < {3 / size} for k < 12")
    return finding("proved", "all lam > 0 and k; r -> infinity", "start and ratios converge", *shown)
