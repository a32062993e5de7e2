"""Balcer & Cheu 2020, Sections 2 and 3.2: accuracy of histograms, the protocol of Figure 2, and Theorem 12.

L stands for ln(2/delta), q = 1 - p = 50 L / (eps^2 n).
"""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb, prod

from flint import arb

from shufflecert.proofs.bc_binary_sum import BIG_O, HALF, alpha_below, big_o, theorem_11_ii, theorem_11_iii
from shufflecert.proofs.bc_privacy import both_ways, keeps_private, noise
from shufflecert.proofs.lemmas import certainly, compose, never_negative
from shufflecert.proofs.small import shuffler
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.hist import Hist, worst_simultaneous
from shufflecert.protocols.zsum import ZSum, worst_miss
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Messages
from shufflecert.verify.exact.rational import ball
from shufflecert.verify.systems.declare import bits_for

JOINT = (("1", Fraction(1, 100)), ("1/2", Fraction(1, 20)))  # eps, q: with n = 2000
SIMULTANEOUS = [(n, eps, d, b) for n, eps, d in ((400, "1", "1/10"), (10**4, "1/2", "1e-3")) for b in ("1", "1/10")]


@statement("BC §2 '6! permutations'", "2", "3 users x 2 messages -> 6! = 720 equiprobable permutations")
def permutations_720() -> Finding:
    """Definition 7's example: six messages have 6! = 720 orders, each the output with probability 1/720."""
    sent = [(f"{i}a", f"{i}b") for i in range(3)]
    orders = Counter(shuffler(sent))
    step(len(orders) == 720 == prod(range(1, 7)) and set(orders.values()) == {1}, "720 orders, each once")
    same = Counter(shuffler([("1", "1"), ("1", "0"), ("0", "0")]))
    step(len(same) == comb(6, 3) and set(same.values()) == {36}, "equal messages: 20 outputs, 36 permutations each")
    return finding(
        "proved", "three users, two messages each", "all 720 permutations are enumerated, distinct and equally likely"
    )


def bin_law(n: int, p: Fraction, users: int, alpha: Fraction) -> Fraction:
    """Pr[a bin's error > alpha] by Definition 9: the engine's analyzer on every number of messages."""
    total = Fraction(0)
    for z in range(n + 1):
        error = abs(ZSum(p).analyze({"1": users + z}, n) - Fraction(users, n))
        total += comb(n, z) * p**z * (1 - p) ** (n - z) if error > alpha else 0
    return total


def counts_of(n: int, d: int) -> list[tuple[int, ...]]:
    """All histograms of n users over d bins."""
    return [c for c in product(range(n + 1), repeat=d) if sum(c) == n]


@statement("BC Def 9/10", "2", "(alpha,beta) per-query / simultaneous accuracy of normalised counts")
def definitions_9_10() -> Finding:
    """Simultaneous accuracy is of the union over bins of the events of per-query accuracy.

    So (alpha, beta)-simultaneous implies (alpha, beta)-per-query, which implies (alpha, d beta)-simultaneous. The
    engine's failure probabilities for `zsum` and `hist` are these, over all datasets, by enumeration.
    """
    compared, apart, half = 0, False, Fraction(1, 2)
    for n, d, p, alpha in product((1, 2, 4), (2, 3), (half, 3 * half / 2), (half / 2, half, 4 * half / 3)):
        fails = {c: bin_law(n, p, c, alpha) for c in range(n + 1)}
        single = max(fails.values())
        worst = max(1 - prod((1 - fails[c] for c in counts), start=Fraction(1)) for counts in counts_of(n, d))
        step(single <= worst <= d * single, "per query <= simultaneous <= d per query")
        query, every = worst_miss(n, p, alpha), worst_simultaneous(n, d, p, alpha)
        step(query.low <= single <= query.high, f"per query, n = {n}, p = {p}")
        step(every.low <= worst <= every.high, f"simultaneous, n = {n}, d = {d}, p = {p}")
        compared, apart = compared + 1, apart or worst > single
    step(apart, "the converse fails with the same beta")
    return finding(
        "proved",
        "definitions; the engine's reading of them, all datasets",
        "simultaneous (alpha, beta) => per-query (alpha, beta) => simultaneous (alpha, d beta): unions of events",
        f"{compared} cases, n = 1, 2, 4, d = 2, 3: the engine's failure probabilities are these, by enumeration",
    )


def written_out(x: int, d: int, p: Fraction) -> dict[Messages, Fraction]:
    """Figure 2's randomizer: for j = 1..d the messages of R^zsum(1[x = j]), each written j; concatenated."""
    law: dict[Messages, Fraction] = {(): Fraction(1)}
    rows = ZSum(p).randomizer().rows
    for j in range(1, d + 1):
        one = rows["1" if x == j else "0"]
        law = {(*m, *(str(j) for _ in sent)): w * v for m, w in law.items() for sent, v in one.items()}
    return law


@statement("BC Fig 2", "3.2", "R^hist: for each j send j*R^zsum(1[x=j]); A^hist applies A^zsum per value")
def figure_2() -> Finding:
    """The engine's `hist` is Figure 2: the same law of messages for every input, and A^zsum for each value."""
    for d, p in product((2, 3, 4), (Fraction(1, 2), Fraction(2, 3))):
        given = Hist(d, p)
        for x in range(1, d + 1):
            mine = Counter({tuple(sorted(m)): w for m, w in written_out(x, d, p).items()})
            step(mine == {tuple(sorted(m)): w for m, w in given.randomizer().rows[str(x)].items()}, f"d = {d}, x = {x}")
    for n, counts in product((1, 2, 3), product(range(5), repeat=2)):
        seen = {str(j): c for j, c in enumerate(counts, 1)}
        expected = tuple(ZSum(Fraction(2, 3)).analyze({"1": c}, n) for c in counts)
        step(Hist(2, Fraction(2, 3)).analyze(seen, n) == expected, "the analyzer")
    return finding(
        "proved",
        "definition; d = 2, 3, 4 and p = 1/2, 2/3 by enumeration",
        "2^d outputs for each input: those of d copies of R^zsum, the j-th written j",
        "the analyzer is A^zsum on the number of each value",
    )


@statement("BC Thm 12(i)", "3.2", "hist is (2eps,2delta)-DP")
def theorem_12_i() -> Finding:
    """A neighbour moves two bins by one, the others' laws are equal; each of the two is (eps, delta)-close, in the
    direction that its bin moves (`keeps_private` has both), and independent pairs compose (`compose`).

    The exact joint delta, of (X + 1, Y) against (X, Y + 1), is beside what composition gives.
    """
    keeps_private()
    compose()
    shown = []
    for eps, q in JOINT:
        joint, single = delta(Hist(2, 1 - q), 2000, Eps.of(2 * Fraction(eps))).delta, both_ways(2000, q, eps)
        top = Fraction(joint.enclosure()[1])
        step(top <= 2 * single[0], f"the joint delta is below the composed one, eps = {eps}, q = {q}")
        shown.append(f"eps = {eps}, q = {q}: {float(top):.4g} against {float(2 * single[1]):.4g}")
    return finding(
        "proved",
        "all eps, delta in (0, 1], n >= (100 / eps^2) ln(2/delta), all d; even (2 eps, 2 (delta/2)^3.8)",
        "two bins move by one, each (eps, (delta/2)^3.8)-close in its direction; [pr - t^2 qs]_+ <= min(p, tq) "
        "[r - ts]_+ + [p - tq]_+ r",
        f"joint delta(2 eps) against composed 2 delta(eps), n = 2000: {'; '.join(shown)}",
    )


@statement("BC Thm 12(ii)", "3.2", "beta>=delta^25: per-query alpha=O(log(1/delta)/(eps^2 n))")
def theorem_12_ii() -> Finding:
    """Bin j's estimate is the binary sum protocol's on the bits 1[x_i = j]: Theorem 11(ii), with its alpha."""
    theorem_11_ii()
    big_o()
    for d, x in product((2, 3), (1, 2)):
        law = written_out(x, d, Fraction(1, 3))
        for j in range(1, d + 1):
            seen: Counter[int] = Counter()
            for m, w in law.items():
                seen[m.count(str(j))] += w  # type: ignore[assignment]
            bit = ZSum(Fraction(1, 3)).randomizer().rows["1" if x == j else "0"]
            step(seen == {len(sent): w for sent, w in bit.items()}, "a bin's messages are zsum's")
    return finding(
        "proved",
        "all eps, delta in (0, 1], n >= (100 / eps^2) ln(2/delta), beta in [delta^25, 1], with Theorem 11(ii)'s alpha "
        f"<= {BIG_O} ln(2/delta) / (eps^2 n); O(log(1/delta)) for delta bounded away from 1",
        "marginally each bin is the binary sum protocol",
        f"alpha <= {HALF} ln(1/delta) / (eps^2 n) for delta <= 1/2; see BC-thm-11-ii-big-o for delta -> 1",
    )


def union(bins: int, most: int) -> None:
    """At most min(bins, most) bins are not empty; empty ones never err; each other errs with at most beta / most."""
    from sympy import symbols

    beta, spare = symbols("beta spare", nonnegative=True)
    nonempty = min(bins, most)
    step(never_negative(beta + spare - nonempty * (beta + spare) / most, beta, spare), "|Q| beta / n <= beta")


@statement("BC Thm 12(iii)", "3.2", "beta>=n delta^25: simultaneous accuracy")
def theorem_12_iii() -> Finding:
    """Theorem 11(ii) with beta/n >= delta^25 for each of the at most n bins with a user, 11(iii) for the others."""
    theorem_11_ii()
    theorem_11_iii()
    for n, d in product((1, 2, 5, 100), (2, 3, 1000)):
        union(d, n)
        step(all(sum(c > 0 for c in counts) <= n for counts in (counts_of(n, d) if n * d < 16 else ())), "|Q| <= n")
    worst = []
    for n, eps, bound, level in SIMULTANEOUS:
        beta = max(Fraction(level), n * Fraction(bound) ** 25)
        found = worst_simultaneous(n, 10**6, 1 - noise(n, eps, bound), alpha_below(n, eps, bound, beta / n))
        step(found.high <= beta, f"n = {n}, eps = {eps}, delta = {bound}, beta = {beta}")
        worst.append(f"{float(found.high):.2g} for beta = {float(beta):.2g}")
    step(certainly(lambda: 50 + (arb(200) * 25).sqrt() <= ball(BIG_O)), "ln(2n/beta) <= 25 L: the same constants")
    return finding(
        "proved",
        "all eps, delta in (0, 1], n >= (100 / eps^2) ln(2/delta), beta in [n delta^25, 1], all d, with Theorem 11"
        f"(ii)'s alpha at beta / n, <= {BIG_O} ln(2/delta) / (eps^2 n); O(log(1/delta)) for delta bounded away from 1",
        "empty bins never err (Theorem 11(iii)), the at most n others each with probability <= beta/n: union bound",
        f"exact failure probability of the worst dataset, d = 10^6: {'; '.join(worst)}",
    )


@statement("BC Thm 12(iv)", "3.2", "<=1+d messages of O(log d) bits")
def theorem_12_iv() -> Finding:
    """One message for each coin and one for the input: at most d + 1, each one of d symbols, ceil(log2 d) bits."""
    for d in range(2, 8):
        rows = Hist(d, Fraction(1, 2)).randomizer().rows
        step({max(len(sent) for sent, _ in row.items()) for row in rows.values()} == {d + 1}, f"d = {d}: d + 1")
        symbols = {m for row in rows.values() for sent, _ in row.items() for m in sent}
        step(len(symbols) == d and 2 ** (bits_for(d) - 1) < d <= 2 ** bits_for(d), f"d = {d}: bits")
    return finding(
        "proved",
        "all d >= 2",
        "sum of d coins, and one: at most d + 1, attained; ceil(log2 d) bits name one of d values",
        "d = 2..7 enumerated",
    )
