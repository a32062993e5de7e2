"""Balle, Bell, Gascon & Nissim 2019, Section 4.1: sums of real numbers with one message."""

from fractions import Fraction

from shufflecert.proofs.bbgn_response import FIRST, SECOND, theorem
from shufflecert.proofs.lemmas import never_negative
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.blanket_sum import BlanketSum
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, precision, text

CONSTANT = 1500  # of Theorem 4.1


@statement("BBGN §4.1 rounding variance", "4.1", "E[err^2]<=1/(4k^2); random value <=1/2 (restored)")
def rounding() -> Finding:
    """x = (j + f)/k becomes (j+1)/k with probability f, else j/k: unbiased, of variance f (1-f)/k^2 <= 1/(4 k^2).

    A uniform message U on 0, 1/k, ..., 1 has E (U - x)^2 = (2k+1)/(6k) - x + x^2, convex in x and the same at 0 and 1:
    at most (2k+1)/(6k) <= 1/2, with equality at k = 1.
    """
    from sympy import Rational, Symbol, expand, simplify, summation

    f, k, j, x, m = (Symbol(name, nonnegative=True) for name in ("f", "k", "j", "x", "m"))
    mean = (f * (j + 1) + (1 - f) * j) / k
    square = (f * (j + 1) ** 2 + (1 - f) * j**2) / k**2
    step(simplify(mean - (j + f) / k) == 0, "unbiased")
    step(simplify(square - mean**2 - f * (1 - f) / k**2) == 0, "the variance")
    step(expand(Rational(1, 4) - f * (1 - f) - (f - Rational(1, 2)) ** 2) == 0, "at most 1/4")
    i = Symbol("i", integer=True)
    uniform = simplify(summation((i / k - x) ** 2, (i, 0, k)) / (k + 1))
    step(simplify(uniform - ((2 * k + 1) / (6 * k) - x + x**2)) == 0, "a uniform message")
    step(never_negative((Rational(1, 2) - (2 * k + 1) / (6 * k)).subs(k, 1 + m), m), "at most 1/2 for k >= 1")
    step(never_negative((x - x**2).subs(x, m / (1 + m)), m), "x^2 - x <= 0 on [0, 1]")
    evidence = ("E err^2 = f (1-f)/k^2 <= 1/(4k^2)", "E (U-x)^2 <= (2k+1)/(6k) <= 1/2, with equality for k = 1, x = 0")
    return finding("proved", "all x in [0, 1], k >= 1", *evidence)


@statement("BBGN Thm 4.1 (stripped)", "4.1", "restored: MSE=O(n^{1/3} log^{2/3}(1/d)/eps^{4/3})")
def upper_bound() -> Finding:
    """Explicitly: MSE <= 1500 n^(1/3) L^(2/3) / eps^(4/3), L = log(2/delta), for eps <= 1 and n with gamma <= 1/2.

    k = ceil(X), X = (n eps^2 / L)^(1/3) >= 1, krr over k + 1 <= 3 X values, gamma of Theorem 3.1: L >= log 2 and
    eps <= 1 give 27/eps <= (27/log 2) L/eps^2, which is above 14 L/eps^2, so gamma <= 39 (k+1) L/((n-1) eps^2), n/(n-1)
    <= 2. A user's message has variance at most (1-gamma)/(4k^2) + gamma ((2k+1)/(6k)) by `rounding`, at most 1/(4k^2) +
    gamma/2, and the estimate divides by 1-gamma >= 1/2: MSE <= 4 n (1/(4 X^2) + gamma/2) <= n/X^2 + 2 * 39 * 2 * 3 X L
    / eps^2, and n/X^2 = X L/eps^2 = n^(1/3) L^(2/3) / eps^(4/3). In all 469 <= 1500. For delta <= 1/2, L <=
    2 log(1/delta). Where delta -> 1 the stripped formula has log(1/delta) -> 0, if it is that.
    """
    from sympy import Rational, Symbol, powsimp, simplify

    n, L, eps = (Symbol(name, positive=True) for name in ("n", "L", "eps"))
    X = (n * eps**2 / L) ** Rational(1, 3)
    rate = n ** Rational(1, 3) * L ** Rational(2, 3) / eps ** Rational(4, 3)
    step(simplify(powsimp((n / X**2 / rate) ** 3, force=True)) == 1, "n / X^2")
    step(simplify(powsimp((X * L / eps**2 / rate) ** 3, force=True)) == 1, "X L / eps^2")
    with precision(64):
        step(bool(ball(SECOND) / ball(Fraction(2)).log() < 39) and FIRST < 39, "gamma")
    step(CONSTANT >= 1 + 2 * 39 * 2 * 3, "the constant")
    rounding()
    theorem()
    shown = []
    for users, at, bound in ((10**5, Fraction(1), Fraction(1, 100)), (10**7, Fraction(1, 2), Fraction(1, 10**6))):
        with precision(64):
            log = ball(2 / bound).log()
            third = ball(Fraction(1, 3))
            k = int(float((ball(users * at**2) / log) ** third)) + 1
            most = CONSTANT * ball(Fraction(users)) ** third * log ** (2 * third) / ball(at) ** (4 * third)
        gamma = BlanketSum.paper(users, Eps.of(text(at)), bound, {"k": str(k)})["gamma"]
        step(gamma <= Fraction(1, 2), "gamma <= 1/2")
        rmse = BlanketSum(k, gamma).accuracy(users, None).rmse_in_users
        assert rmse is not None
        with precision(64):
            step(bool(ball(rmse.high**2) <= most), "the engine's squared error")
        shown.append(f"n = {users}, eps = {at}, delta = {bound}: k = {k}, MSE = {float(rmse.high**2):.5g}")
    evidence = ("MSE <= 1500 n^(1/3) log(2/delta)^(2/3) / eps^(4/3)", *shown)
    return finding("proved", "eps, delta in (0, 1], n eps^2 >= log(2/delta), n such that gamma <= 1/2", *evidence)


@statement("BBGN Cor 4.1.1", "4.1.1", "statistical query q: unbiased, std O(n^{1/6}..)/n")
def statistical_query() -> Finding:
    """The reading settled: users apply q: X -> [0, 1] and run the sum protocol, divided by n.

    It is unbiased, with standard deviation sqrt(MSE)/n <= 39 n^(1/6) log(2/delta)^(1/3) / (eps^(2/3) n) by Theorem 4.1
    (39^2 > 1500), and applying q first is part of the randomizer: private as before.
    """
    step(CONSTANT < 39**2, "the root of the constant")
    evidence = (
        "reason: the formula is stripped from the document; the reading is Theorem 4.1's square root over n",
        f"finite shadow: {upper_bound().evidence[1]}",
    )
    return finding(
        "not machine-checkable", "as printed; std <= 39 n^(-5/6) log(2/delta)^(1/3) / eps^(2/3) shown", *evidence
    )
