"""Balle, Bell, Gascon & Nissim 2019, Section 1: amplification bounds and comparisons, whose formulas are stripped."""

from fractions import Fraction

from flint import arb

from proofs.statement import Finding, Statement, step
from protocols.krr import KRR
from protocols.rr import RR
from verify.exact.ball import ball, dyadic, precision
from verify.exact.epsilon import Eps
from verify.reduce.reduction import worst_delta

FACTOR, PREVIOUS = 4, 12  # in the places of the O's
LOCAL = (Fraction(11, 10), Fraction(2), Fraction(6))  # e^eps0
SIZES, BOUNDS = (1000, 100_000), (Fraction(1, 10**3), Fraction(1, 10**8))


def rate(power: Fraction, n: int, bound: Fraction) -> arb:
    """min(1, eps0) e^eps0 sqrt(log(1/delta) / n), eps0 = log(power)."""
    return ball(power).log().min(arb(1)) * ball(power) * (-ball(bound).log() / n).sqrt()


def keeps(system: RR | KRR, n: int, eps: arb, bound: Fraction) -> bool:
    """Whether it keeps a little less than eps, for all datasets."""
    at = Fraction(int(dyadic(eps.lower()) * 10**6), 10**6)
    return worst_delta(system.reach(n), Eps.of(at), enough=bound).value.high <= bound


def amplification() -> Finding:
    """Binary and k-ary randomized response with local eps0 keep (4 times the rate, delta), at points of the regime.

    A proof for every randomizer needs the constants of Section 5, which the document lacks; a blanket bound for all
    eps0-LDP randomizers at once would be one. Points with eps0 <= log(n / log(1/delta)) / 2 only.
    """
    count = 0
    for power in LOCAL:
        for n in SIZES:
            for bound in BOUNDS:
                with precision(96):
                    if not ball(power) ** 2 <= ball(Fraction(n)) / -ball(bound).log():
                        continue
                    eps = FACTOR * rate(power, n, bound)
                    step(keeps(RR(1 / (1 + power)), n, eps, bound), f"rr, e^eps0 = {power}, n = {n}, delta = {bound}")
                    gamma = Fraction(3) / (power + 2)  # 1 + 3 (1 - gamma)/gamma = power
                    if n == SIZES[0]:
                        step(keeps(KRR(3, gamma), n, eps, bound), f"krr, e^eps0 = {power}, delta = {bound}")
                    count += 1 + (n == SIZES[0])
    evidence = (
        f"{count} points: eps <= 4 min(1, eps0) e^eps0 sqrt(log(1/delta)/n), over all datasets",
        "in the way of a proof: it is about all randomizers, and the constants are in the stripped Section 5",
    )
    grid = "rr, krr (k = 3): e^eps0 = 11/10, 2, 6; n = 10^3, 10^5 (krr: 10^3); delta = 10^-3, 10^-8"
    return Finding("holds on a grid", grid, evidence)


def previous() -> Finding:
    """Cited (Erlingsson et al.): 12 eps0 sqrt(log(1/delta)/n) for eps0 < 1/2, n >= 1000, delta < 1/100, any randomizer.

    Finite shadow: binary randomized response at points of that regime.
    """
    shown = []
    for power in (Fraction(11, 10), Fraction(3, 2)):
        for n, bound in ((1000, Fraction(1, 1000)), (10**5, Fraction(1, 10**8))):
            with precision(96):
                eps = PREVIOUS * ball(power).log() * (-ball(bound).log() / n).sqrt()
            step(keeps(RR(1 / (1 + power)), n, eps, bound), f"rr, e^eps0 = {power}, n = {n}")
            shown.append(f"e^eps0 = {power}, n = {n}, delta = {bound}")
    evidence = (
        "reason: a cited theorem on all randomizers, formula stripped",
        f"finite shadow, rr: {'; '.join(shown)}",
    )
    return Finding("not machine-checkable", "cited; rr at four points", evidence)


def deviations() -> Finding:
    """Curator O(1), local Omega(sqrt n), this protocol n^(1/6): orders of growth, the first two cited.

    Finite shadow: the third is between BBGN-thm-4.1 and BBGN-sec-4.2, both settled with constants; randomized response
    on one's own, for a fixed eps, errs c sqrt(n) exactly.
    """
    flip = Fraction(1, 4)
    squares = {}
    for n in (100, 400):
        rmse = RR(flip).accuracy(n, None).rmse_in_users
        assert rmse is not None
        squares[n] = (rmse.low**2 / n, rmse.high**2 / n)
    step(all(low <= Fraction(3, 4) <= high for low, high in squares.values()), "variance n p (1-p)/(1-2p)^2")
    evidence = (
        "reason: cited lower bounds, asymptotic",
        "finite shadow: n^(1/6) from above by BBGN-thm-4.1-stripped, from below by BBGN-sec-4.2-mse-omega-n-1-3",
        "and randomized response with a fixed flip of 1/4 has variance 3 n / 4, for n = 100 and 400",
    )
    return Finding("not machine-checkable", "cited asymptotics", evidence)


STATEMENTS = (
    Statement("BBGN-sec-1-stds", "BBGN §1 stds", "1", "curator O(1), local Omega(sqrt n), this n^{1/6}", deviations),
    Statement(
        "BBGN-sec-1.1.3-amplification",
        "BBGN §1.1.3 amplification",
        "1.1.3",
        "restored: eps0<=log(n/log(1/d))/2 => eps=O((1^eps0)e^{eps0}sqrt(log(1/d)/n))",
        amplification,
    ),
    Statement(
        "BBGN-sec-1.1.3-previous",
        "BBGN §1.1.3 previous",
        "1.1.3",
        "EFMRTT: eps0<=1/2, eps=O(eps0 sqrt(log(1/d)/n)) (restored)",
        previous,
    ),
)
