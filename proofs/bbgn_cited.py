"""Balle, Bell, Gascon & Nissim 2019, Section 1: amplification bounds and comparisons, whose formulas are stripped."""

from fractions import Fraction

from shufflecert.proofs.bbgn_amplification import keeps
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.rr import RR
from shufflecert.verify.exact.rational import ball, precision

PREVIOUS = 12  # in the place of the O


@statement("BBGN §1.1.3 previous", "1.1.3", "EFMRTT: eps0<=1/2, eps=O(eps0 sqrt(log(1/d)/n)) (restored)")
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
    return finding("not machine-checkable", "cited; rr at four points", *evidence)


@statement("BBGN §1 stds", "1", "curator O(1), local Omega(sqrt n), this n^{1/6}")
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
    return finding("not machine-checkable", "cited asymptotics", *evidence)
