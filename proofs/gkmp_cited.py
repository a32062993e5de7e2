"""Ghazi, Kumar, Manurangsi & Pagh 2021: what it cites, or states without constants or data, and what is finite."""

from fractions import Fraction
from itertools import pairwise

from shufflecert.proofs.bbgn_response import theorem
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.discrete_laplace import DiscreteLaplaceSum
from shufflecert.protocols.krr import KRR
from shufflecert.protocols.poisson_hist import PoissonHist
from shufflecert.protocols.rr import RR
from shufflecert.verify.enclose.noise_laws import DiscreteLaplace
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, precision
from shufflecert.verify.reduce.reduction import worst_delta

LAM, GAMMA, TINY = Fraction(60), Fraction(4, 100), Fraction(1, 10**9)
FRACTIONS = (Fraction(1, 3), Fraction(1, 9))


@statement("GKMP Thm 3", "1.1", "delta=1/n^Omega(1): single-message squared error Omega(log n)")
def theorem_3() -> Finding:
    """An asymptotic bound for all single-message protocols, proved in a supplement that is not here.

    Finite shadow, for all n, eps, delta < 1/2: randomized response with flip p. Nobody sends 1 with probability (1-p)^n
    if all are on 0, and p (1-p)^(n-1) if one is on 1: delta >= (1-p)^(n-1) (1 - p - e^eps p). For p <= 1/(2 (1+e^eps))
    that is at least (1-p)^(n-1)/2, so (n-1) p/(1-p) >= -(n-1) log(1-p) >= log(1/(2 delta)) and the squared error
    n p (1-p)/(1-2p)^2 >= (1-p)^2 log(1/(2 delta)) >= (9/16) log(1/(2 delta)), as p <= 1/4; for a larger p it is at
    least n (1+2e^eps)/(4 (1+e^eps)^2). With delta = n^-c both are of order log n or more.
    """
    from sympy import Symbol, diff, log, simplify

    p, e = Symbol("p", positive=True), Symbol("e", positive=True)
    f = p / (1 - p) + log(1 - p)
    step(simplify(diff(f, p) - p / (1 - p) ** 2) == 0 and f.subs(p, 0) == 0, "p/(1-p) >= -log(1-p)")
    edge = 1 / (2 * (1 + e))
    step(simplify((1 - p - e * p).subs(p, edge) - Fraction(1, 2)) == 0, "1 - p - e^eps p >= 1/2 up to there")
    step(simplify((p * (1 - p)).subs(p, edge) - (1 + 2 * e) / (4 * (1 + e) ** 2)) == 0, "the other case")
    shown = []
    for n, flip in ((5, Fraction(1, 10)), (40, Fraction(1, 50))):
        found = worst_delta(RR(flip).reach(n), Eps.of(1)).value
        with precision(96):
            bound = ball(1 - flip) ** (n - 1) * (ball(1 - flip) - ball(Fraction(1)).exp() * ball(flip))
            step(bool(ball(found.high) * (1 + ball(TINY)) >= bound), f"delta, n = {n}")
        shown.append(f"n = {n}, flip = {flip}: delta(1) = {found.enclosure(4)[0]}")
    evidence = (
        "reason: asymptotic, for all protocols; its proof is in the supplement",
        "finite shadow, proved: randomized response errs min((9/16) log(1/(2 delta)), n (1+2e^eps)/(4 (1+e^eps)^2))",
        *shown,
    )
    return finding("not machine-checkable", "asymptotic; randomized response: all n, eps, delta < 1/2", *evidence)


@statement("GKMP RR squared error (intro)", "1", "RR (eps,delta)-DP with squared error O(log(1/delta)/eps^2) w.h.p.")
def squared_error() -> Finding:
    """RR with flip gamma/2 is krr with k = 2, and BBGN Theorem 3.1 gives gamma = max(28 L/eps^2, 54/eps)/(n-1).

    L = log(2/delta). For gamma <= 1/2 the squared error n (gamma/2)(1 - gamma/2)/(1 - gamma)^2 is at most 2 n gamma,
    and n/(n-1) <= 2: at most max(112 L/eps^2, 216/eps) <= 312 L/eps^2, as L >= log 2, eps <= 1. By Chebyshev a squared
    error 10 times that has probability at most 1/10; and L <= 2 log(1/delta) for delta <= 1/2.
    """
    from sympy import Symbol, simplify

    private = theorem().evidence[1]
    for share in FRACTIONS:
        one, other = RR(share / 2).randomizer(), KRR(2, share).randomizer()
        step(
            {x: dict(row.items()) for x, row in one.rows.items()}
            == {x: dict(row.items()) for x, row in other.rows.items()},
            "krr with k = 2",
        )
    g = Symbol("g", positive=True)
    error = g / 2 * (1 - g / 2) / (1 - g) ** 2
    step(bool(error.subs(g, Fraction(1, 2)) <= 1), "at most 2 gamma at gamma = 1/2")
    quotient = simplify(error / g)
    step(simplify(quotient.diff(g) - (3 - g) / (4 * (1 - g) ** 3)) == 0, "error/gamma grows in gamma")
    with precision(64):
        step(bool(216 / ball(Fraction(2)).log() < 312) and 112 <= 312, "the constant")
    evidence = ("squared error <= 312 log(2/delta)/eps^2 expected, and 10 times that but for 1/10", private)
    return finding("proved", "eps <= 1, delta <= 1/2, n with gamma <= 1/2: constant 312 log(2/delta)", *evidence)


@statement(
    "GKMP intro bounds",
    "1",
    "central Th(min(log(1/d)/eps,log B/eps,n)); local Th(min(sqrt n log B/eps,n)); single-msg Th(min(n^{1/4},sqrt B))",
)
def introduction() -> Finding:
    """Orders of growth from other works, without constants: no finite instance refutes one.

    Finite shadow: the central upper bound's min(log B / eps) part is what DLap attains (GKMP-e-linf-o-log-b-eps), with
    a constant; n is attained by no message at all.
    """
    from shufflecert.proofs.gkmp_laws import l_infinity

    shadow = l_infinity().evidence[0]
    evidence = ("reason: big-Theta bounds of cited works, without constants", f"finite shadow: DLap has {shadow}")
    return finding("not machine-checkable", "cited asymptotics", *evidence)


@statement("GKMP Remark 4, §6", "6", "near-optimality remarks, open questions")
def remark_4() -> Finding:
    """Near-optimality of DLap is cited (Ghosh et al.); Section 6 asks open questions.

    Finite shadow: DLap(eps) spends all of its eps: every neighbouring ratio is e^eps or e^-eps.
    """
    for q in (Fraction(1, 3), Fraction(4, 5)):
        law = DiscreteLaplace(q)
        ratios = {Fraction(*law.ratio(k)) for k in range(-5, 6)}
        step(ratios == {q, 1 / q}, "every ratio is e^eps or e^-eps")
        at = Eps.log(1 / q)
        step(worst_delta(DiscreteLaplaceSum(q).reach(1), at).value.high == 0, "eps-DP")
    evidence = (
        "reason: cited optimality and open questions",
        "finite shadow: all of DLap's ratios are e^eps or e^-eps",
    )
    return finding("not machine-checkable", "remarks", *evidence)


@statement("GKMP §5.2 25-50%, >3x linf", "5.2", "experiments on IPUMS")
def experiments() -> Finding:
    """Simulations on census data that the project does not have, with parameters that only the supplement states.

    Finite shadow: for n = 10^4 users and B buckets krr's error at gamma = B/50 grows with B, where that of Poisson
    noise does not depend on B: "grows quickly with B" against "very slowly".
    """
    errors = []
    for buckets in (2, 4, 8):
        response = KRR(buckets, GAMMA * buckets / 2).accuracy(10**4, None).rmse_in_users
        poisson = PoissonHist(buckets, LAM).accuracy(10**4, None).rmse_in_users
        assert response is not None and poisson is not None
        errors.append((response, poisson))
    step(all(a.high < b.low for (a, _), (b, _) in pairwise(errors)), "krr's error grows in B")
    step(len({(p.low, p.high) for _, p in errors}) == 1, "Poisson's does not depend on B")
    evidence = (
        "reason: experiments on IPUMS data; neither the data nor the parameters are in the paper",
        "finite shadow: per bucket, krr's error at a noise in proportion to B (Theorem 3.1 of BBGN) grows with B, "
        "Poisson's is one number",
    )
    return finding("not machine-checkable", "simulation on data that are not here", *evidence)
