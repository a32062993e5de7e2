"""Balcer & Cheu 2020, Section 3.1: the binary sum of Figure 1, its accuracy (Theorem 11(ii)) and its messages.

L stands for ln(2/delta), and q = 1 - p = 50 L / (eps^2 n); "log" is the natural logarithm, as it is in p.
"""

from fractions import Fraction
from functools import cache
from itertools import product
from math import comb

from flint import arb

from shufflecert.proofs.bc_privacy import events, noise
from shufflecert.proofs.lemmas import bennett, certainly, never_negative
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.zsum import ZSum, worst_miss
from shufflecert.verify.exact.randomizer import gathered
from shufflecert.verify.exact.rational import ball, dyadic, precision

PLACES = ((70, "1", "1"), (400, "1", "1/10"), (10**4, "1/2", "1e-3"))
GRID = [(*place, power) for place in PLACES for power in (2, 9, 25)]
BIG_O = Fraction(121)  # n eps^2 alpha <= 121 ln(2/delta), and 202 ln(1/delta) for delta <= 1/2
HALF = Fraction(202)


def alpha_below(n: int, eps: str, bound: str, beta: Fraction) -> Fraction:
    """Theorem 11(ii)'s alpha, from below: 50 L / (eps^2 n) + sqrt(200 L ln(2/beta)) / (eps n)."""
    with precision(128):
        L, e = ball(2 / Fraction(bound)).log(), ball(Fraction(eps))
        return dyadic((50 * L / (e * e * n) + (200 * L * ball(2 / beta).log()).sqrt() / (e * n)).lower())


@statement(
    "BC Fig 1",
    "3.1",
    "R^zsum: p=1-(50/(eps^2 n))ln(2/delta), z~Ber(p), send x+z ones; A: c*=|y|/n, output c*-p if c*>1 else 0",
)
def figure_1() -> Finding:
    """The engine's `zsum` is Figure 1, and what is seen is s + Bin(n, p), whose ratios to its shift are monotone.

    p is a probability just for n >= (50 / eps^2) ln(2/delta), eps, delta > 0: elsewhere the figure is not defined.
    """
    for p, n in product((Fraction(1, 2), Fraction(2, 3), Fraction(9, 10)), range(1, 7)):
        for s in range(n + 1):
            expected = {s + z: comb(n, z) * p**z * (1 - p) ** (n - z) for z in range(n + 1)}
            step(count_only(n, p, s) == expected, f"s + Bin(n, p), n = {n}, s = {s}")
        for count in range(2 * n + 1):
            c = Fraction(count, n)
            step(ZSum(p).analyze({"1": count}, n) == (c - p if c > 1 else 0), "the analyzer")
    step(noise(70, "1", "1") < Fraction(1, 2), "p at n = 70, eps = delta = 1")
    step(certainly(lambda: 50 * arb(2).log() / 34 > 1), "n = 34, eps = delta = 1: 1 - p > 1")
    events()
    return finding(
        "proved",
        "definition, for n >= (50 / eps^2) ln(2/delta); the view is s + Bin(n, p), n = 1..6, p = 1/2, 2/3, 9/10 by "
        "enumeration, and its likelihood ratios are monotone for all n",
        "the engine's randomizer and analyzer, message by message, for all s and all numbers of messages",
        "for smaller n the figure's p is negative: n = 34, eps = delta = 1 gives 1 - p = 1.019...",
    )


@statement(
    "BC Thm 11(ii)",
    "3.1",
    "beta>=delta^25: |err|<=alpha w.p.>=1-beta, alpha=(50/(eps^2 n))log(2/delta)+(1/(eps n))sqrt(200 "
    "log(2/delta)log(2/beta))",
)
def theorem_11_ii() -> Finding:
    """Chernoff's bound gives |Z/n - p| <= alpha' with probability at least 1 - beta, Z the number of noisy ones.

    Steps: `chernoff` (its condition is met by `failure_bound`), then `error_split`, by which the analyzer errs by at
    most that and what is rounded off, and `alpha_prime`. On a grid the exact failure probability of the worst dataset
    is at most beta, for an alpha rounded down.
    """
    chernoff()
    failure_bound()
    error_split()
    alpha_prime()
    worst = []
    for n, eps, bound, power in GRID:
        beta = max(Fraction(bound) ** power, Fraction(1, 10**60))
        found = worst_miss(n, 1 - noise(n, eps, bound), alpha_below(n, eps, bound, beta))
        step(found.high <= beta, f"n = {n}, eps = {eps}, delta = {bound}, beta = {float(beta):.2g}")
        worst.append(f"{float(found.high):.2g} for beta = {float(beta):.2g}")
    return finding(
        "proved",
        "all eps, delta in (0, 1], n >= (100 / eps^2) ln(2/delta), beta in [delta^25, 1], all x",
        "Pr[|Z/n - p| > alpha'] <= beta, and then the error is at most max(alpha', (1 - p) + alpha') <= alpha",
        f"the exact failure probability of the worst dataset: {'; '.join(worst)}",
    )


@cache
def failure_bound(exponent: int = 25) -> None:
    """2 exp(-n p (1 - p)) <= delta^25 / 2^24: n p (1 - p) = 50 p L / eps^2 >= 25 L for p >= 1/2, eps <= 1."""
    from sympy import Rational, exp, log, simplify, symbols

    L, r, s, d = symbols("L r s d", positive=True)  # p = 1/2 + r, 1/eps^2 = 1 + s
    step(
        never_negative((Rational(1, 2) + r) * 50 * L * (1 + s) - exponent * L, L, r, s), f"n p (1 - p) >= {exponent} L"
    )
    step(simplify(2 * exp(-exponent * log(2 / d)) - d**exponent / 2 ** (exponent - 1)) == 0, "2 (delta/2)^25")
    step(2 ** (exponent - 1) >= 1, "at most delta^25")


@statement("BC Thm 11(ii) big-O", "3.1", "alpha=O(log(1/delta)/(eps^2 n))")
def big_o() -> Finding:
    """n eps^2 alpha <= 121 ln(2/delta) for all delta <= 1, and <= 202 ln(1/delta) for delta <= 1/2; not for delta -> 1.

    beta >= delta^25 gives ln(2/beta) <= ln 2 + 25 ln(1/delta) <= 25 L, so n eps^2 alpha <= (50 + eps sqrt(5000)) L. For
    delta <= 1/2: L <= 2 ln(1/delta), ln(2/beta) <= 26 ln(1/delta). At delta = 1 alpha >= 50 ln 2 / (eps^2 n) > 0, while
    ln(1/delta) = 0: no constant serves all of delta in (0, 1], which the theorem allows.
    """
    from sympy import symbols

    less, two, r = symbols("less two r", nonnegative=True)  # less = ln(1/delta), two = ln 2
    step(never_negative(25 * (two + less) - (two + 25 * less), less, two), "ln(2/beta) <= 25 L")
    step(certainly(lambda: 50 + (arb(200) * 25).sqrt() <= ball(BIG_O)), f"constant {BIG_O}")
    step(never_negative(2 * (two + r) - (two + two + r), two, r), "L <= 2 ln(1/delta) for ln(1/delta) = ln 2 + r")
    step(never_negative(26 * (two + r) - (two + 25 * (two + r)), two, r), "ln(2/beta) <= 26 ln(1/delta)")
    step(certainly(lambda: 100 + (arb(200) * 2 * 26).sqrt() <= ball(HALF)), f"constant {HALF}")
    step(alpha_below(70, "1", "1", Fraction(1)) > Fraction(1, 2), "alpha at delta = 1")
    return finding(
        "refuted",
        "uniformly in delta in (0, 1]: at delta = 1 alpha > 0 = ln(1/delta); corrected: alpha <= 121 ln(2/delta) / "
        "(eps^2 n) for all delta, and alpha <= 202 ln(1/delta) / (eps^2 n) for delta <= 1/2",
        "ln(2/beta) <= 25 ln(2/delta): alpha <= (50 + eps sqrt(5000)) ln(2/delta) / (eps^2 n), 120.7... at eps = 1",
        "delta <= 1/2: (100 + sqrt(10400)) ln(1/delta) / (eps^2 n) = 201.98...",
        "n = 70, eps = delta = beta = 1: alpha > 1/2",
    )


@cache
def error_split() -> None:
    """If |Z/n - p| <= a', the error is at most a' where c > 1, and at most (1 - p) + a' where c <= 1 (c = x + Z/n).

    c > 1: (c - p) - x = Z/n - p. c <= 1: the error is x = c - Z/n <= 1 - (p - a').
    """
    from sympy import expand, symbols

    x, z, p, over, slack = symbols("x z p over slack", nonnegative=True)
    a = symbols("a", nonnegative=True)
    step(expand((x + z - p) - x - (z - p)) == 0, "c > 1")
    frequency = p - a + slack  # Z/n >= p - a'
    mean = 1 - over - frequency  # c = x + Z/n <= 1
    step(never_negative((1 - p) + a - mean, over, slack), "c <= 1")


@statement("BC Thm 11(iii)", "3.1", "x=0 => output 0 with probability 1")
def theorem_11_iii() -> Finding:
    """On all zeros the messages are n coins: at most n of them, so c <= 1 and the answer is 0, with certainty."""
    for n, p in product(range(1, 8), (Fraction(0), Fraction(1, 2), Fraction(1))):
        law = count_only(n, p, 0)
        step(max(law) <= n and all(ZSum(p).analyze({"1": k}, n) == 0 for k in range(n + 1)), f"n = {n}, p = {p}")
    step(all(len(sent) <= 1 for sent, _ in ZSum(Fraction(1, 2)).randomizer().rows["0"].items()), "one user: 0 or 1")
    return finding(
        "proved",
        "all n, all p",
        "a user on 0 sends at most one message, so n users at most n, c <= 1, and the analyzer answers 0",
    )


@statement("BC Thm 11(iv)", "3.1", "at most two one-bit messages")
def theorem_11_iv() -> Finding:
    """x + z with both bits: 0, 1 or 2 messages, each the one symbol 1."""
    rows = ZSum(Fraction(1, 2)).randomizer().rows
    lengths = {x: {len(sent) for sent, _ in row.items()} for x, row in rows.items()}
    step(lengths == {"0": {0, 1}, "1": {1, 2}}, "lengths")
    step({m for row in rows.values() for sent, _ in row.items() for m in sent} == {"1"}, "one symbol")
    return finding("proved", "all x, eps, delta, n", "0 sends 0 or 1, and 1 sends 1 or 2 copies of the symbol 1")


def count_only(n: int, p: Fraction, s: int) -> dict[int, Fraction]:
    """The law of the number of messages of `n` users of the engine's randomizer, s of them on 1, one user at a time."""
    law, rows = {0: Fraction(1)}, ZSum(p).randomizer().rows
    step(all(set(sent) <= {"1"} for row in rows.values() for sent, _ in row.items()), "only copies of 1")
    for x in ("1",) * s + ("0",) * (n - s):
        law = gathered((have + len(sent), w * v) for have, w in law.items() for sent, v in rows[x].items())
    return law


@statement("BC proof 11(ii) alpha'", "3.1", "alpha'=2 sqrt(p(1-p)ln(2/b)/n), 'so that alpha=(1-p)+alpha''")
def alpha_prime() -> Finding:
    """(1 - p) + alpha' = 50 L / (eps^2 n) + sqrt(p) sqrt(200 L ln(2/beta)) / (eps n): alpha without the sqrt(p).

    As p < 1 and ln(2/beta) > 0, alpha is larger, strictly. The proof of part (ii) only uses alpha >= (1 - p) + alpha'.
    """
    from sympy import simplify, sqrt, symbols

    p, L, B, e, n = symbols("p L B e n", positive=True)  # B = ln(2/beta)
    q = 50 * L / (e**2 * n)
    prime = 2 * sqrt(p * q / n * B)
    printed = q + sqrt(200 * L * B) / (e * n)
    step(simplify(printed - q - prime / sqrt(p)) == 0, "alpha = (1 - p) + alpha' / sqrt(p)")
    step(simplify(prime - sqrt(p) * sqrt(200 * L * B) / (e * n)) == 0, "alpha' has the factor sqrt(p)")
    half = Fraction(1, 2)  # n = 100, eps = 1, delta = 2/e, beta = 1: p = 1/2
    gap = certainly(lambda: 2 * (ball(half * half / 100) * arb(2).log()).sqrt() < (2 * arb(2).log()).sqrt() / 10)
    step(gap, "alpha > (1 - p) + alpha' at n = 100, eps = beta = 1, delta = 2/e")
    return finding(
        "refuted",
        "every p < 1; corrected: alpha = (1 - p) + alpha' / sqrt(p) >= (1 - p) + alpha', for all parameters",
        "alpha' = sqrt(p) sqrt(200 ln(2/delta) ln(2/beta)) / (eps n)",
        "n = 100, eps = beta = 1, delta = 2/e: alpha - (1 - p) = 0.1177..., alpha' = 0.0832...",
        "the proof needs only >=",
    )


@statement("BC proof 11(ii) Chernoff", "3.1", "b>=2e^{-np(1-p)} => Pr[|Bin(n,p)-np|>2sqrt(np(1-p)ln(2/b))]<=b")
def chernoff() -> Finding:
    """With v = np(1 - p) and l = ln(2/b) the condition is l <= v, and the deviation 2 sqrt(v l): `bennett`, each tail.

    For b > 1 there is nothing to show, for b in (0, 1] l > 0.
    """
    from sympy import exp, log, simplify, symbols

    bennett()
    v, b = symbols("v b", positive=True)
    step(simplify(2 * exp(-log(2 / b)) - b) == 0, "2 e^-l = b")
    step(simplify(log(2 / (2 * exp(-v))) - v) == 0, "b = 2 e^-v: l = v")
    step(certainly(lambda: 6 * arb(6).log() - 5 < arb(25) / 4), "the rates at u = 5")
    return finding(
        "proved",
        "all n, p in [0, 1], b in [2 e^(-np(1-p)), 1]",
        "Bennett's inequality, and (1+u) ln(1+u) - u >= u^2/4 on [0, 2], where u = 2 sqrt(l/v) <= 2",
        "the condition on b is what keeps u <= 2; at u = 5 the inequality of the rates is false",
    )


@statement(
    "BC proof 11(ii) 'b>=2e^{-np(1-p)} follows'",
    "3.1",
    "p>=1/2: np(1-p)>=25 ln(2/d)/eps^2 => 2e^{-..}<=2(d/2)^25=d^25/2^24",
    name="BC-proof-11-ii-b-2e-np-1",
)
def condition() -> Finding:
    """`failure_bound`: the Chernoff bound's condition on beta follows from beta >= delta^25, with 2^24 to spare."""
    failure_bound()
    return finding(
        "proved",
        "all eps, delta in (0, 1], p >= 1/2 (Theorem 11's condition)",
        "n p (1 - p) = 50 p L / eps^2 >= 25 L, and 2 e^(-25 L) = 2 (delta/2)^25 = delta^25 / 2^24",
    )
