"""Cheu & Zhilyaev 2022, Section II: definitions, composition, and the table of others' protocols."""

from fractions import Fraction
from itertools import combinations, permutations
from math import comb

from flint import arb

from shufflecert.proofs.lemmas import never_negative
from shufflecert.proofs.small import families, hockey_stick, ordered_law, randomizer
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.verify.exact.rational import ball, precision

GRID = [
    (d, Fraction(eps), Fraction(delta))
    for d in (1, 2, 5, 40)
    for eps in ("1/100", "1/5", "1", "2")
    for delta in ("1/1000000", "1/400", "1/50")
    if d * Fraction(delta) < 1
]


@statement("CZ Def II.1", "2.1", "neighbours differ in AT MOST one row")
def at_most_one() -> Finding:
    """Equal datasets are neighbours too: sum max(P - e^eps P, 0) = 0 for every eps >= 0, so nothing is added."""
    from sympy import Symbol, expand

    p, u = Symbol("p", nonnegative=True), Symbol("u", nonnegative=True)
    step(never_negative(-(p - (1 + u) * p), p, u), "p - e^eps p <= 0")
    step(expand(p - (1 + u) * p + u * p) == 0, "the gap is -(e^eps - 1) p")
    count = 0
    for columns in families(2, 2, 3):
        for data in (("0",), ("0", "1")):
            law = ordered_law(randomizer(columns), data)
            step(
                all(hockey_stick(law, law, t) == 0 for t in (Fraction(1), Fraction(3, 2))), "no divergence from itself"
            )
            count += 1
    return finding("proved", "all laws, eps >= 0, delta in [0, 1]", f"and {count} laws, exactly")


@statement(
    "CZ Def II.5-II.9",
    "2.2",
    "local/shuffle definitions (public randomness), hist, top-t, alpha-approx; precision=recall=F1 if |C|=t",
)
def definitions() -> Finding:
    """|C| = t = |top_t|: precision |C & T| / |C| and recall |C & T| / |T| are equal, F1 = 2 p^2 / (2 p) = p for p > 0.

    |T| = t needs a rank without ties, the index after sorting. For p = r = 0 the printed quotient is 0/0, and 0 by
    continuity. Public randomness, in both models, is a mixture over its values, known to all: privacy is asked for
    each value. For |C| other than t the two differ.
    """
    from sympy import Symbol, simplify

    p = Symbol("p", positive=True)
    step(simplify(2 * p * p / (p + p) - p) == 0, "F1 = p")
    count, differ = 0, 0
    for d, t in ((3, 1), (4, 2), (5, 2)):
        for ranks in permutations(range(1, d + 1)):
            top = {j for j in range(d) if ranks[j] <= t}
            step(len(top) == t, "a rank without ties has t items at the top")
            for size in range(1, d + 1):
                for chosen in combinations(range(d), size):
                    hits = len(top & set(chosen))
                    precise, recall = Fraction(hits, size), Fraction(hits, t)
                    step(size != t or precise == recall, "precision = recall")
                    differ += size != t and precise != recall
                    count += 1
    step(differ > 0, "for |C| != t they may differ")
    evidence = (
        f"{count} candidate sets, d <= 5",
        "p = r = 0: the quotient is 0/0, read as 0",
        "ties need a rule for rank",
    )
    return finding("proved", "|C| = |top_t| = t, p > 0; definitions otherwise", *evidence)


def composed(d: int, eps: arb, delta: arb, at: arb) -> arb:
    """The delta of d-fold composition at eps = `at`, exactly: d copies of the pair that dominates (eps, delta)-DP."""
    total = arb(0)
    for k in range(d + 1):
        gap = (k * eps).exp() - (at + (d - k) * eps).exp()
        total += comb(d, k) * gap.max(arb(0))
    kept = (1 - delta) ** d
    return 1 - kept + kept * total / (1 + eps.exp()) ** d


@statement(
    "CZ Thm II.4 (garbled)",
    "2.1",
    "restored: d (eps,delta)-DP algs compose to (eps(e^eps-1)d+eps sqrt(2d log(1/(d delta))), 2d delta)-DP",
)
def composition() -> Finding:
    """Proof for all eps > 0, 0 < d delta < 1. Every (eps, delta)-close pair is dominated by one of four outcomes:

    P = (delta, (1-delta) e/(1+e), (1-delta)/(1+e), 0), Q reversed, e = e^eps. For H_t is convex and falls in t, with
    H_0 = 1, H_(1/e) <= 1 - 1/e + delta/e (from H_e(Q||P) <= delta) and H_e <= delta, and this pair's is linear between
    these, with equality. By Blackwell's theorem P, Q are a channel of this pair, and so are products. d copies: with
    probability 1 - (1-delta)^d <= d delta all is told; else delta is at most Pr[S > eps'], S the sum of d losses of
    +-eps, of mean eps tanh(eps/2) <= eps (e^eps - 1). Hoeffding: Pr[S > E S + x] <= exp(-x^2 / (2 d eps^2)), and
    x = eps sqrt(2 d log(1/(d delta))) makes that d delta. Together 2 d delta.
    """
    from sympy import Symbol, diff, exp, log, simplify

    e, t, delta, p, h = (Symbol(name, positive=True) for name in ("e", "t", "delta", "p", "h"))
    first, second = (e - t) / (1 + e), (1 - t * e) / (1 + e)
    step(simplify((delta + (1 - delta) * (first + second)).subs(t, 1 / e) - (1 - 1 / e + delta / e)) == 0, "at 1/e")
    step(simplify((delta + (1 - delta) * (first + second)).subs(t, 0) - 1) == 0, "at 0")
    step(simplify(first.subs(t, e)) == 0, "at e: delta")
    f = log(1 - p + p * exp(h)) - p * h
    step(simplify(f.subs(h, 0)) == 0 and simplify(diff(f, h).subs(h, 0)) == 0, "Hoeffding's lemma: starts at 0")
    x = p * exp(h) / (1 - p + p * exp(h))
    step(simplify(diff(f, h, 2) - x * (1 - x)) == 0, "its second derivative x (1-x) is at most 1/4")
    u = Symbol("u", nonnegative=True)
    step(never_negative(u - u / (2 + u), u), "tanh(eps/2) <= e^eps - 1, u = e^eps - 1")
    largest = arb(0)
    with precision(128):
        for d, eps, bound in GRID:
            E, D = ball(eps), ball(bound)
            at = E * E.expm1() * d + E * (2 * d * -(d * D).log()).sqrt()
            found = composed(d, E, D, at)
            step(bool(found <= 2 * d * D), f"exact composition, d = {d}, eps = {eps}, delta = {bound}")
            largest = largest.max(found / (2 * d * D))
    evidence = (
        "assumes Blackwell's theorem (domination of profiles is post-processing, and holds for products)",
        f"{len(GRID)} exact compositions of the worst pair, d <= 40: at most {float(largest.mid()):.3f} of 2 d delta",
    )
    return finding("proved", "all d >= 1, eps > 0, 0 < d delta < 1, independent algorithms", *evidence)


@statement(
    "CZ Table I (garbled)", "2.4", "rows: [2],[10]; [16]; [17]; Thm III.4, V.1, V.3; Thm C.1; messages, bits, errors"
)
def table() -> Finding:
    """The table compares orders of growth of other papers' protocols, for eps = O(1), delta = O(1/n), ...

    Its entries are garbled in the document. What can be checked is that one is set right: d columns of one bit each,
    1 + k strings of d bits for the protocol of Section III (CZ-alg-1-2-3), and its error (CZ-thm-iii.3).
    """
    from shufflecert.protocols.fake_users import FakeUsers

    for d, k in ((2, 1), (5, 3)):
        found = FakeUsers(d, k, Fraction(1, 4)).accuracy(10, None)
        step(found.expected_messages.low == k + 1 and found.bits_per_message == d, "1 + k messages of d bits")
    evidence = (
        "reason: big-O entries of cited works, garbled; no finite instance refutes them",
        "finite shadow: k + 1 messages of d bits, as the engine counts; error and privacy in CZ-thm-iii.3",
    )
    return finding("not machine-checkable", "cited asymptotics", *evidence)
