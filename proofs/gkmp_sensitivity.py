"""Ghazi, Kumar, Manurangsi & Pagh 2021, Theorem 13 for every Delta: it holds up to eps = 26.67, and no further.

The theorem sets p = e^(-s/10), s = eps/Delta, r = 50 e^s log(1/delta), so that delta = exp(-r p^10 / 50), and promises
that NB(r, p) keeps (eps, delta) for sums of inputs 0..Delta. Let x0 = 2.6678... solve E1(x0) = 1/50, E1 the exponential
integral. `kept` proves the promise for all Delta, delta in (0, 1) and eps <= 26.67 < 10 x0; `broken` shows that for
every eps >= 26.68 > 10 x0 some Delta and delta break it, and has a counterexample at eps = 27.24.
"""

from fractions import Fraction

from flint import arb

from shufflecert.proofs.lemmas import positive_on
from shufflecert.proofs.statement import step
from shufflecert.proofs.witness import Certificate, Evaluation
from shufflecert.verify.enclose.noise_laws import NegativeBinomial
from shufflecert.verify.exact.rational import ball, decimals, dyadic, precision

SHAPE = 50  # Theorem 13's constant
KEPT, LOST = Fraction(2667, 1000), Fraction(2668, 1000)  # eps / 10: E1 is above 1/50 at the first, below at the second
HALF = Fraction(1, 2)
RATIO, PARTS, SENSITIVITY = Fraction(99728, 100000), Fraction(1, 100), 1000  # p, r and Delta of the counterexample
BOUND = Fraction(999806, 10**6)  # above the delta that is promised for them
CERTIFICATES = (
    Certificate(
        "negative_binomial", {"r": "1/100", "p": "0.99728", "sensitivity": "1000"}, 1, "28", "0.999806", "REFUTED"
    ),
)
EVALUATIONS = (
    Evaluation(
        "999806/10**6 > 1 - (1/5000)*(99728/10**5)**10 + (1/5000)**2 / 2",
        "delta = exp(-r p^10 / 50) is promised, e^-x < 1 - x + x^2 / 2: the certificate refutes more than that",
    ),
    Evaluation(
        "(99728/10**5)**(10**4) > 1/(27/10)**28",
        "p^(10 Delta) = e^-eps > 2.7^-28 > e^-28: the eps with this p is below 28",
    ),
)


def slope(x: arb) -> arb:
    """log((1 - x^5) / (1 - x^4)) - x^43 / (1 + x + ... + x^43) - x^40 / 50."""
    return (1 + x**4 / _sum(x, 4)).log() - x**43 / _sum(x, 44) - x**40 / SHAPE


def start(x: arb) -> arb:
    """4 log((1 - x^5) / (1 - x^4)) - 3 x^43 / (1 + ... + x^43) - 4 x^40 / 50 - KEPT / 4 + log(1/x)."""
    four = 4 * (1 + x**4 / _sum(x, 4)).log() - 3 * x**43 / _sum(x, 44) - 4 * x**40 / SHAPE
    return four - ball(KEPT / 4) - x.log()


def _sum(x: arb, terms: int) -> arb:
    return sum((x**i for i in range(terms)), arb(0))


def kept() -> tuple[str, ...]:
    """A proof for all Delta >= 1, delta in (0, 1), 0 < eps <= 10 X, X = 2.667. (Delta = 1: Theorem 13 of `shown_13`.)

    Write S = log(1/p) = s/10, so Delta S = eps/10 <= X. For r < 1 both directions are at most Pr[NB < Delta] <=
    exp(-r T), T = sum over k >= Delta of p^k / k (`proofs.gkmp_noise.shown_13`). As p^t / t falls, T is at least its
    integral from Delta on, E1(Delta S) >= E1(X) > 1/50 >= p^10 / 50: at most delta.

    For r >= 1 one direction is 0, and the other at most Pr[NB(r, p) <= Delta - 1 + c], c = p (r - 1) / (e^s - p) (again
    `shown_13`). S c = S p (r - 1) / (p^-10 - p) <= (r - 1) / 11, as e^z - 1 >= z at z = 11 S. Let Delta >= 2.

    (1) r <= 29/10. NB(r, p) is stochastically larger than NB(1, p), which is above Delta - 1 + c with a probability of
    at least p^(Delta + c) >= e^(-X - (r-1)/11). And e^(-X - (r-1)/11) + e^(-r/50) >= 1: it falls in r and holds at the
    end; so the event has probability at most e^(-r/50) <= exp(-r p^10 / 50).

    (2) 29/10 <= r <= 4. It is larger than NB(2, p), and Pr[NB(2, p) > u - 1] = p^u (1 + u (1 - p)) for whole u; the
    right-hand side falls in u (its derivative is p^u (log p (1 + u (1-p)) + (1-p)) and log p <= -(1-p)), so at u <=
    X/S + c it is at least e^(-X - 3/11) (1 + X (1 - e^-S) / S), and (1 - e^-S) / S falls: with S <= X/2 that is
    e^(-X - 3/11) (1 + 2 (1 - e^(-X/2))), and with e^(-4/50) it exceeds 1.

    (3) r >= 4. Chernoff with E w^NB = ((1-p)/(1-pw))^r at w = p^(1/4) = x: the exponent is (S/4) (Delta - 1 + c) -
    r log((1-x^5)/(1-x^4)), S/4 = log(1/x), and c S/4 = (r-1) log(1/x) x^44 / (1 - x^44) <= (r-1) x^43 / (1 + ... +
    x^43), as log(1/x) <= (1-x)/x. It is at most -r x^40 / 50, linear in r, if its slope in r is negative (`slope`) and
    it holds at r = 4 (`start`). Both are certified on [1/2, 1]. Below 1/2: log(1 + y) >= y/2 for y <= 1 and x^4/4 <=
    x^4/(1+x+x^2+x^3) <= 1 make the logarithm at least x^4/8 >= x^43 + x^40/50; and in `start` log(1/x) >= log 2 > X/4.
    """
    with precision(96):
        step(bool(ball(KEPT).expint(arb(1)) > ball(Fraction(1, SHAPE))), "E1(X) > 1/50")
        one, r = arb(1), Fraction(29, 10)
        small = (-ball(KEPT + (r - 1) / 11)).exp() + (-ball(r / SHAPE)).exp()
        step(bool(small > one), "(1) at r = 29/10")
        middle = (-ball(KEPT + Fraction(3, 11))).exp() * (1 + 2 * (1 - (-ball(KEPT / 2)).exp()))
        step(bool(middle + (-ball(Fraction(4, SHAPE))).exp() > one), "(2) at r = 4")
        step(bool(ball(Fraction(2)).log() > ball(KEPT / 4)), "(3) below 1/2: log 2 > X/4")
    step(HALF**4 / 8 >= HALF**43 + HALF**40 / SHAPE, "(3) below 1/2: x^4/8, which falls most slowly, is the largest")
    step(4 * (HALF**4 / 8) >= 3 * HALF**43 + 4 * HALF**40 / SHAPE, "(3) below 1/2, at r = 4")
    pieces = [positive_on(f, HALF, Fraction(1)) for f in (slope, start)]
    return (
        "all Delta, eps <= 26.67: r < 1 by E1(eps/10) > 1/50; r <= 29/10 and r <= 4 by NB(1, p) and NB(2, p); r >= 4 "
        f"by Chernoff at w = p^(1/4), certified on {pieces[0]} + {pieces[1]} pieces of [1/2, 1]",
    )


def broken() -> tuple[str, ...]:
    """For every eps >= 10 Y, Y = 2.668, the promise fails for some Delta and delta; and one counterexample.

    Data of sum Delta never show fewer than Delta messages, so delta(eps) >= Pr[NB(r, p) < Delta]. NB(r, p) is compound
    Poisson, jumps of size k at rate r p^k / k: Pr[NB >= Delta] <= r T + r^2 (log(1-p))^2 / 2 (one jump of Delta or
    more, or two jumps), while 1 - delta = 1 - exp(-r p^10 / 50) >= r p^10 / 50 - r^2 / 5000. For fixed Delta and r -> 0
    the promise fails where T < p^10 / 50. For Delta -> infinity p^10 -> 1 and T -> E1(eps/10) <= E1(Y) < 1/50.
    """
    with precision(128):
        step(bool(ball(LOST).expint(arb(1)) < ball(Fraction(1, SHAPE))), "E1(Y) < 1/50")
        promised = (-ball(PARTS * RATIO**10 / SHAPE)).exp()
        missed = NegativeBinomial(PARTS, RATIO).lower(SENSITIVITY - 1)
        at = -10 * SENSITIVITY * ball(RATIO).log()
        step(bool(promised < ball(BOUND)) and bool(missed > ball(BOUND)), "Pr[NB < Delta] is above delta")
        step(bool(at < ball(Fraction(2724, 100))) and bool(at < 28), "eps")
    for one in EVALUATIONS:
        one.check()
    shown = [decimals(dyadic(value.lower()), dyadic(value.upper()), 7)[0] for value in (at, promised, missed)]
    return (
        f"Delta = {SENSITIVITY}, p = 0.99728, r = 1/100: eps = {shown[0]}, delta = {shown[1]}, and Pr[NB < Delta] = "
        f"{shown[2]} is more",
        "every eps >= 26.68 has a Delta and a delta (near 1) that break it: E1(2.668) < 1/50",
    )
