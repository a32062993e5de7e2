"""Balcer & Cheu 2020, Sections 1.2 and 3.2: other papers' lemmas and bounds, and what of them can be proved."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

from shufflecert.proofs.bc_model import POWERS, single_message
from shufflecert.proofs.lemmas import never_negative
from shufflecert.proofs.small import exact_delta, power
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.hist import worst_simultaneous
from shufflecert.verify.exact.randomizer import Messages, Randomizer


@statement("BC §1.2 [8]-lemma", "1.2", "(eps,delta)-DP single-message shuffle protocol => R is (eps+ln n, delta)-DP")
def lemma_8() -> Finding:
    """Let a = R(x)(Y), b = R(x')(Y), and look for a message in Y when all others hold x'.

    a <= 1 - (1 - a)(1 - b)^(n-1) <= e^eps (1 - (1 - b)^n) + delta <= n e^eps b + delta, the last by Bernoulli: (1 -
    b)^(n+1) >= (1 - nb)(1 - b) >= 1 - (n+1) b. For every event Y: R is (eps + ln n, delta)-DP.
    """
    from sympy import expand, symbols

    a, b, n, rest = symbols("a b n rest", nonnegative=True)  # rest = (1 - b)^(n-1), in [0, 1]
    step(expand(1 - (1 - a) * rest - a - (1 - a) * (1 - rest)) == 0, "a message of the one user is a message")
    step(never_negative((1 - n * b) * (1 - b) - (1 - (n + 1) * b), n, b), "Bernoulli, from n to n + 1")
    step(expand((1 - b) - (1 - 1 * b)) == 0, "Bernoulli, n = 1")
    compared = 0
    for given in single_message():
        for users, t in product((2, 3), POWERS[:3]):
            shuffled, local = exact_delta(given, users, t), exact_delta(given, 1, users * t, "local")
            step(local <= shuffled, f"{given.rows}, n = {users}")
            compared += 1
    return finding(
        "proved",
        "all single-message randomizers, n >= 1, eps >= 0, delta",
        "the event \"some message is in Y\" on (x, x', ..., x') and (x', ..., x')",
        f"{compared} cases of small randomizers, n = 2, 3: local delta(eps + ln n) <= shuffled delta(eps)",
    )


@statement("BC §1.2 Bernoulli mean", "1.2", "shuffle O(1/a^2+log(1/d)/(a eps)), local Omega(1/(a^2 eps^2))")
def bernoulli_mean() -> Finding:
    """Both bounds are cited. Of the printed rates: local / shuffled -> 1 / eps^2 as the error alpha -> 0."""
    from sympy import limit, simplify, symbols

    a, e, less = symbols("a e l", positive=True)
    quotient = (1 / (a**2 * e**2)) / (1 / a**2 + less / (a * e))
    step(simplify(limit(quotient, a, 0) - 1 / e**2) == 0, "the quotient")
    step(simplify(1 / quotient - (e**2 + a * e * less)) == 0, "exactly")
    return finding(
        "not machine-checkable",
        "an upper bound of [8] and a lower bound of [5], both cited; shadow: what the printed rates say of each other",
        "shuffled / local = eps^2 + alpha eps ln(1/delta): a separation only for small eps, at most by 1/eps^2",
    )


def two_messages(most: int) -> list[dict[Messages, Fraction]]:
    """All laws of two bits (as a multiset) with denominator `most`."""
    bags: tuple[Messages, ...] = (("0", "0"), ("0", "1"), ("1", "1"))
    weights = [w for w in product(range(most + 1), repeat=3) if sum(w) == most]
    return [{bag: Fraction(v, most) for bag, v in zip(bags, w, strict=True) if v} for w in weights]


@statement(
    "BC §1.2 [12]-lemma",
    "1.2",
    "pure eps shuffle, m messages of length l: TV of one user's output set <= 1-2^{-O_eps(m^2 l)}",
)
def lemma_12() -> Finding:
    """The constant in O_eps(m^2 l) is not stated, and the lemma is another paper's. Shown: distance < 1, always.

    A finite eps needs equal supports: S + (n-1) S' = n S' as sets of multisets. Convex hulls cancel, so S and S' have
    the same hull and share its vertices: the distance is below 1. At a vertex v the outcome n v has one origin, so
    R(x)(v) <= e^eps R(x')(v). For m = 1 Claim 18 gives distance at most 1 - 2 / (e^eps + 1).
    """
    rows, checked = two_messages(4), 0
    for one, other in combinations_with_replacement(rows, 2):
        given = Randomizer.of({"0": one, "1": other})
        t = power(given, 2)
        if t is None:
            continue
        distance = sum((max(w - other.get(m, Fraction(0)), Fraction(0)) for m, w in one.items()), Fraction(0))
        step(distance < 1, f"{one}, {other}")
        for end in (min, max):
            v = end(one, key=lambda m: m.count("1"))
            step(v == end(other, key=lambda m: m.count("1")), "the same vertices")
            step(one[v] <= t * other[v] and other[v] <= t * one[v], "e^eps at a vertex")
        checked += 1
    for given in single_message():
        t = power(given, 2)
        if t is not None:
            laws = [dict(row.items()) for row in given.rows.values()]
            for p, q in product(laws, repeat=2):
                distance = sum((max(w - q.get(m, Fraction(0)), Fraction(0)) for m, w in p.items()), Fraction(0))
                step(distance <= 1 - 2 / (t + 1), "one message")
            checked += 1
    return finding(
        "not machine-checkable",
        "cited from [12], its constant not stated; shadow: distance < 1 for every pure eps; m = 1: 1 - 2/(e^eps + 1)",
        "equal supports of sums give equal convex hulls, whose vertices both inputs reach",
        f"{checked} randomizers of finite eps enumerated (two bits with denominator 4, and single messages), n = 2",
    )


@statement("BC §3.2 single-message LB", "3.2", "Omega(poly log d/(eps n))")
def single_message_bound() -> Finding:
    """The lower bound is [8]'s. Ours does not have it: the worst dataset's exact failure does not change with d."""
    n, p, alpha = 10**4, Fraction(9, 10), Fraction(12, 100)
    sizes = (100, 10**4, 10**9)
    found = [worst_simultaneous(n, d, p, alpha) for d in sizes]
    step(found[0] == found[1] == found[2] and found[0].high < 1, "independent of d")
    step(worst_simultaneous(n, 2, p, alpha).high < found[0].low, "d = 2 fails less often")
    return finding(
        "not machine-checkable",
        "a lower bound of [8], cited; shadow: the multi-message side, n = 10^4, p = 9/10, alpha = 12/100",
        f"Pr[some error > alpha] = {found[0]} for d = 100, 10^4 and 10^9 alike",
    )


@statement("BC fn 2", "3.2", "single-message real sum error Omega(n^{1/6}); multi O(1/eps)")
def footnote_2() -> Finding:
    """Both halves are cited. Shadow: O(1/eps) is what discrete Laplace noise has, which [1] simulates.

    Its variance 2a / (1 - a)^2, a = e^-eps, is 1 / (2 sinh(eps/2)^2) <= 2 / eps^2, as sinh x >= x.
    """
    from sympy import Symbol, diff, exp, simplify, sinh

    e = Symbol("e", positive=True)
    step(simplify(2 * exp(-e) / (1 - exp(-e)) ** 2 - 1 / (2 * sinh(e / 2).rewrite(exp) ** 2)) == 0, "the variance")
    f = sinh(e) - e
    step(f.subs(e, 0) == 0 and diff(f, e).subs(e, 0) == 0 and diff(f, e, 2).is_positive, "sinh x >= x")
    return finding(
        "not machine-checkable",
        "two cited bounds; shadow: the root mean square of discrete Laplace noise is at most sqrt(2) / eps for all eps",
        "variance 1 / (2 sinh(eps/2)^2) <= 2 / eps^2",
    )
