"""Balcer & Cheu 2020, Sections 1.1, 3.2 and 3.3: the informal theorems and the tables, with constants.

L stands for ln(4/delta), l for ln(1/delta).
"""

from fractions import Fraction
from itertools import product

from flint import arb

from shufflecert.proofs.bc_applications import claim_14, coupons
from shufflecert.proofs.bc_histogram import theorem_12_i, theorem_12_iii, union
from shufflecert.proofs.lemmas import certainly, compose, never_negative
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.pointer_chasing import PointerChasing

ERROR = 800  # error <= ERROR l / (eps^2 n) with probability 99/100, for delta <= 1/4 and delta <= 1/n
CENTRAL = 14  # of the stability-based algorithm, times l / (eps n), for the same delta
CENTRAL_SAMPLES = 300  # n <= CENTRAL_SAMPLES h l / eps
HALF = Fraction(1, 2)


@statement(
    "BC Thm 1 (informal)",
    "1.1",
    "eps<1, delta=o(1/n): shuffle protocol with simultaneous error O(log(1/delta)/(eps^2 n)) const. prob.",
)
def theorem_1() -> Finding:
    """Error at most 800 l / (eps^2 n) with probability 99/100, for all n, eps <= 1 and delta <= min(1/4, 1/n).

    n >= 400 L / eps^2: the histogram for (eps/2, delta/2), beta = 1/100 >= n (delta/2)^25. Then l >= ln n >=
    ln(400 ln 16), L = ln 4 + l and ln(2n / beta) = ln(200 n) <= ln 200 + l, so that eps^2 n times the error is at most
    200 L + 2 sqrt(200 L ln(200 n)) <= 281 l. Smaller n: answer 0 everywhere, with error at most 1 < 400 L / (eps^2 n)
    <= 800 l / (eps^2 n).
    """
    theorem_12_i()
    theorem_12_iii()

    def histogram() -> arb:
        least = (400 * arb(16).log()).log()  # of l
        a, b = 1 + arb(4).log() / least, 1 + arb(200).log() / least
        return 200 * a + 2 * (200 * a * b).sqrt()

    step(certainly(lambda: histogram() <= 281) and ERROR >= 281, "the histogram's error")
    step(ERROR >= 2 * 400, "L <= 2 l for delta <= 1/4: zeros")
    step(2**25 >= 100, "n (delta/2)^25 <= delta n / 2^25 <= 1/100")
    return finding(
        "proved",
        "all n, d, eps in (0, 1], delta <= min(1/4, 1/n): error <= 800 ln(1/delta) / (eps^2 n) with probability 99/100",
        "Theorem 12 for eps/2, delta/2 and beta = 1/100 where n >= 400 ln(4/delta)/eps^2 (constant 281 there)",
        "for smaller n the bound is above 1, and zeros are 0-DP",
    )


@statement("BC Thm 2 (informal)", "1.1", "arbitrarily large shuffle/local sample-complexity gap")
def theorem_2() -> Finding:
    """The shuffled half is proved with constants (Claim 14, h = 2); the local lower bound Omega(l / e^eps) is cited.

    The engine's failure probability of pointer chasing is the same for every length of the permutations.
    """
    claim_14()
    found = [
        PointerChasing(2, size, Fraction(99, 100)).accuracy(5000, HALF).failure_probability for size in (2, 10, 1000)
    ]
    step(found[0] is not None and found[0] == found[1] == found[2], "one failure probability for all lengths")
    step(found[0] is not None and found[0].high <= Fraction(1, 100), "solved")
    return finding(
        "not machine-checkable",
        "the local lower bound is a theorem of [16], cited; shadow: the shuffled side, all eps in (0, 1], k and l",
        "n <= 15400 ln(1/delta) / eps^2 users solve PC(k, l) for every k and l (Claim 14 with h = 2)",
        "n = 5000, p = 99/100: one and the same failure probability, below 1/100, for l = 2, 10, 1000",
    )


@statement(
    "BC §1.1 comparison", "1.1", "error O(log(1/d)/(eps^2 n)) < O(sqrt(log D log 1/d)/(eps n)) iff log(1/d)=o(log D)"
)
def comparison() -> Finding:
    """The quotient of the two errors is sqrt(l / log d) / eps: it goes to 0 just where l = o(eps^2 log d).

    For eps fixed that is l = o(log d), as printed. With eps -> 0 it is not: l = sqrt(log d), eps = 1/sqrt(log d).
    """
    from sympy import limit, oo, simplify, sqrt, symbols

    e, less, D, n, x = symbols("e l D n x", positive=True)  # D = log d
    quotient = (less / (e**2 * n)) / (sqrt(D * less) / (e * n))
    step(simplify(quotient - sqrt(less / (e**2 * D))) == 0, "the quotient")
    step(limit(quotient.subs({less: sqrt(x), D: x, e: 1}), x, oo) == 0, "eps fixed, l = o(log d)")
    step(limit(quotient.subs({less: sqrt(x), D: x, e: 1 / sqrt(x)}), x, oo) == oo, "eps = 1/sqrt(log d)")
    return finding(
        "proved",
        "eps fixed (bounded away from 0), both directions; in general: l = o(eps^2 log d), l = ln(1/delta)",
        "the quotient of the bounds is sqrt(ln(1/delta) / log d) / eps",
        "ln(1/delta) = sqrt(log d), eps = 1/sqrt(log d): o(log d), but the quotient grows without bound",
    )


@statement(
    "BC Table 1 (6 rows)",
    "1.2",
    "local Th(sqrt(log d)/(eps sqrt n)); [8] ; [13] x2; Thm 12 row O(log(1/delta)/(eps^2 n)), O(d) msgs; "
    "central Th(min(log d,log 1/delta)/(eps n)); our row assumes e^{-O(n eps^2)}<=delta<1/n",
)
def table_1() -> Finding:
    """Our row is Theorem 12 with constants (`theorem_1`); the other five are theorems of other papers.

    Its condition e^(-O(n eps^2)) <= delta is n >= 400 L / eps^2, that is delta >= 4 e^(-n eps^2 / 400).
    """
    from sympy import exp, log, simplify, symbols

    n, e = symbols("n e", positive=True)
    bound = 4 * exp(-n * e**2 / 400)
    step(simplify(400 * log(4 / bound) / e**2 - n) == 0, "the condition on delta")
    evidence = (*theorem_1().evidence[:1], "its condition is delta >= 4 exp(-n eps^2 / 400)", stability().evidence[0])
    return finding(
        "not machine-checkable",
        "five rows are cited; shadow: our row, and the upper half of the central one for log(1/delta) <= log d",
        *evidence,
    )


@statement("BC §3.2 stability alg", "3.2", "central simultaneous error O(ln(1/delta)/(eps n))")
def stability() -> Finding:
    """Nonzero counts get DLap noise with a = e^(-eps/2), and are answered where above 1 + tau, else 0: (eps, delta)-DP.

    A neighbour moves two counts by one; each is (eps/2, delta/2)-close, and `compose` adds up. For c, c + 1 >= 1 the
    noise's ratios are at most 1/a, and the rest is post-processing. 0 against 1: only eta = Pr[N > tau] = a^(tau+1) /
    (1 + a) is new, eta <= delta/2 for tau + 1 = ceil((2/eps) ln(2/delta)). Errors: |N|, or c <= 1 + tau + |N| where 0
    is answered. |N| <= t = ceil((2/eps) ln(200 n)) - 1 at all of at most n nonzero counts but for n 2 a^(t+1) <= 1/100.
    """
    from sympy import symbols

    compose()
    union(10**6, 50)
    rest, more = symbols("rest more", nonnegative=True)  # rest = 1 - eta, e^(eps/2) = 1 + more
    step(never_negative((1 - rest) - (1 - (1 + more) * rest), rest, more), "1 - e^(eps/2) (1 - eta) <= eta")
    for a, tau in product((HALF, Fraction(3, 4)), range(4)):
        total = sum((1 - a) / (1 + a) * a**k for k in range(tau + 1, tau + 200))
        gap = a ** (tau + 1) / (1 + a) - total
        step(0 <= gap <= a**200, "eta")

    def constant() -> arb:
        least = arb(4).log()  # of l
        return 2 * (1 + arb(2).log() / least + 1 + arb(200).log() / least) + 1 / least

    step(certainly(lambda: constant() <= CENTRAL), f"constant {CENTRAL}")
    return finding(
        "proved",
        "all n, d, eps in (0, 1], delta <= min(1/4, 1/n): error <= 14 ln(1/delta) / (eps n) with probability 99/100",
        "central: discrete Laplace noise of e^(-eps/2) on nonzero counts, answered above 1 + (2/eps) ln(2/delta): "
        "error at most 14 ln(1/delta) / (eps n) with probability 99/100",
        "two counts move, each (eps/2, delta/2)-close",
    )


@statement(
    "BC PC/MPJ bounds, Table 2 (6 cells)",
    "3.3",
    "PC shuffle O(log(1/d)/eps^2), MPJ O(h log h log(1/d)/eps^2), central with 1/eps; local Omega(l/e^eps), "
    "Omega(h^3/(eps^2 log h)), s=h^4",
)
def table_2() -> Finding:
    """The local cells are cited. The shuffled ones are Claim 14, h = 2 and h; the central ones `stability`, alike.

    Central, for h values: an error t <= (2/eps) (ln(2/delta) + ln(400 h)) + 1 is kept with 199/200, and n = ceil(h
    max(4t + 2, 8 ln(200 h))) <= 300 h l / eps, where 25 l > ln(200 h).
    """
    claim_14()
    coupons()
    stability()

    def central() -> arb:
        least = arb(200).log() / 25  # of l
        t = 2 * (1 + arb(2).log() / least + 25 + arb(2).log() / least) + 1 / least
        return 4 * t + 3 / least

    step(certainly(lambda: central() <= CENTRAL_SAMPLES) and certainly(lambda: central() >= 200), "central constant")
    return finding(
        "not machine-checkable",
        "the two local cells are cited; four cells proved with constants, for delta < (1/(200 h))^(1/25), also in PC",
        "shuffled: PC 15400 ln(1/delta)/eps^2, MPJ 7700 h ln(1/delta)/eps^2: the printed factor log h is needless",
        "central: 600 ln(1/delta)/eps and 300 h ln(1/delta)/eps, again without log h",
        "without a condition on delta, as the PC cells are printed, ln(1/delta) -> 0 as delta -> 1",
    )
