"""A reader's notes on Balcer & Cheu, the histogram, and what shuffling and locality have to do with each other."""

from fractions import Fraction
from itertools import product

from shufflecert.proofs.bc_binary_sum import theorem_11_ii, theorem_11_iii
from shufflecert.proofs.bc_histogram import theorem_12_i, theorem_12_iii, theorem_12_iv, union
from shufflecert.proofs.bc_multi_message import claim_20, computed, gap_law
from shufflecert.proofs.bc_privacy import noise
from shufflecert.proofs.bc_single_message import disagreement, unsimulated
from shufflecert.proofs.small import power
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.hist import Hist, worst_simultaneous
from shufflecert.protocols.krr import KRR
from shufflecert.protocols.r_gap import RGap
from shufflecert.protocols.r_infinity import RInfinity
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import ball, decimals, dyadic, precision

HALF = Fraction(1, 2)


@statement("NOTES takeaways", "0", "error independent of d; local sqrt(log d)")
def takeaways() -> Finding:
    """The first half is Theorem 12(iii), whose alpha has no d; the local lower bound is cited.

    The exact failure probability of the worst dataset stops to change with d once every heavy bin has its place.
    """
    theorem_12_iii()
    p, alpha = Fraction(4, 5), Fraction(3, 10)
    found = [worst_simultaneous(1000, d, p, alpha) for d in (2, 4, 10, 1000, 10**6)]
    step(found[0].high < found[1].low and found[2] == found[3] == found[4], "it rises, and then stays")
    return finding(
        "not machine-checkable",
        "the local sqrt(log d) is cited; shadow: the shuffled half, proved for all parameters (BC-thm-12-iii)",
        f"n = 1000, p = 4/5, alpha = 3/10: {found[0]} for d = 2, {found[2]} for d = 10, 1000, 10^6",
    )


def literally(messages: dict[str, int], n: int, p: Fraction) -> Fraction:
    """Step 3 as printed, c the number of all messages over n."""
    c = Fraction(sum(messages.values()), n)
    return c - p if c > 1 else Fraction(0)


@statement("NOTES hist analyser step 3", "3", "'if c*>1 return c*-p else 0' inside A^hist")
def analyser() -> Finding:
    """Neither c nor p is defined in A^hist: the line belongs to A^zsum, once for each value.

    Read with c the number of all messages it is one number, not a histogram, and not 0 on empty bins.
    """
    p, n = HALF, 2
    for one, two in product(range(5), repeat=2):
        seen = {"1": one, "2": two}
        each = tuple(ZSum(p).analyze({"1": c}, n) for c in (one, two))
        step(Hist(2, p).analyze(seen, n) == each, "A^zsum for each value")
    step(literally({"1": 2, "2": 2}, n, p) == Fraction(3, 2), "read literally: 3/2 users in two bins' sum")
    step(Hist(2, p).analyze({"1": 2, "2": 2}, n) == (Fraction(0), Fraction(0)), "the analyzer: no bin is above n")
    return finding(
        "misprint",
        "A^hist has no c* and no p; the line is A^zsum's, applied to every value: all messages of n = 2, d = 2",
        "two messages of each value, n = 2, p = 1/2: literally 3/2, the analyzer's answer (0, 0)",
        "with A^zsum for each value it is BC Figure 2",
    )


def many_bins() -> tuple[int, Fraction, Fraction, Fraction]:
    """(n, alpha at beta = 1/2 from above, the failure probability from below, that of one bin from above)."""
    n, eps, bound, beta = 40_000, "1", "1/2", HALF
    p = 1 - noise(n, eps, bound)
    with precision(128):
        L = ball(2 / Fraction(bound)).log()
        alpha = dyadic((50 * L / n + (200 * L * ball(2 / beta).log()).sqrt() / n).upper())
    every, one = worst_simultaneous(n, 10**4, p, alpha), worst_simultaneous(n, 2, p, alpha)
    return n, alpha, every.low, one.high


@statement("NOTES Thm hist 3", "3", "beta>delta^25 simultaneous")
def theorem_3() -> Finding:
    """BC ask for beta >= n delta^25. With beta > delta^25 alone and Theorem 11(ii)'s alpha at beta it is false.

    Nor is there a constant for the big O: for fixed delta and eps the counts of n / c bins of c users err independently
    with the same chance > 0, however large alpha's constant is (take c above it), and n grows.
    """
    n, alpha, every, one = many_bins()
    step(Fraction(1, 2) > HALF**25, "beta = 1/2 > delta^25")
    step(every > HALF >= one, "some dataset over many bins fails more often than beta")
    theorem_12_iii()
    low, _ = decimals(every, every, 4)
    return finding(
        "refuted",
        f"n = {n}, d = 10^4, eps = 1, delta = beta = 1/2; corrected (BC-thm-12-iii): beta >= n delta^25",
        f"alpha = {float(alpha):.6g}, Theorem 11(ii)'s at beta: some bin errs more: probability {low}... > 1/2",
        "part 2, about one bin, keeps beta there",
    )


@statement("NOTES hist part iii chain", "3", "Pr(exists j: c~-c<=alpha)<=...<=beta/n=beta")
def chain() -> Finding:
    """The notes' chain of inequalities is misprinted; with "error > alpha" and |Q| beta/n it is BC's, and holds.

    The notes write "error <= alpha" in every line, without the absolute value, and beta/n for |Q| beta/n in (6). So
    written the chain is false: an error of at most alpha is likely, not of probability at most beta. Corrected: empty
    bins never err, and each of the at most n others with probability at most beta / n.
    """
    n, beta = 400, Fraction(1, 10)
    p = 1 - noise(n, "1", "1/10")
    few = worst_simultaneous(n, 2, p, Fraction(3, 4))
    step(1 - few.high > beta, "Pr[exists j: error <= alpha] is above beta")
    step(beta / n != beta, "beta / n = beta for n = 1 only")
    theorem_11_ii()
    theorem_11_iii()
    union(10**6, n)
    theorem_12_iii()
    return finding(
        "misprint",
        "events with > alpha and |.|, and a sum over |Q| <= n bins of beta / n: all n, d, beta >= n delta^25",
        "n = 400, eps = 1, delta = 1/10: Pr[some error <= 3/4] is above 9/10, not at most beta = 1/10",
        '(6) is |Q| beta/n <= beta, as |Q| <= n; "with probability beta/n there exists" is "at most, for each j"',
    )


@statement("NOTES hist part i", "3", "'y~(S.R)(X)' twice; differ at two indices -> (2eps,2delta)")
def part_1() -> Finding:
    """The second "y ~ (S o R)(X)" is y' ~ (S o R)(X'). The conclusion is Theorem 12(i): two bins, (2 eps, 2 delta)."""
    settled = theorem_12_i()
    step(settled.verdict == "proved", "Theorem 12(i)")
    given = Hist(2, HALF).randomizer()
    step(given.rows["1"] != given.rows["2"], "the two views differ: one name for both is a misprint")
    return finding(
        "misprint",
        "y' ~ (S o R)(X') for the second y; conclusion: all eps, delta in (0, 1], n >= (100 / eps^2) ln(2/delta), d",
        *settled.evidence,
    )


@statement("NOTES part iv", "3", "<=d+1 messages")
def part_4() -> Finding:
    """One coin for each of d indices, and one message for the input: `theorem_12_iv`."""
    settled = theorem_12_iv()
    return finding(settled.verdict, "all d >= 2", *settled.evidence)


@statement("NOTES notLocalNotShuffle", "4", "R(x) in T subset [m,n]; T_i")
def not_local() -> Finding:
    """R(x) is in a set T of messages, which need be neither numbers nor an interval [m, n]; and every T_i is T.

    With that the argument is BC's Claim 18. For delta = 0 one outcome y of larger ratio does for T.
    """
    colours = Randomizer.of(
        {
            "0": {("red",): HALF, ("green",): Fraction(1, 4), ("blue",): Fraction(1, 4)},
            "1": {("red",): Fraction(1, 4), ("green",): HALF, ("blue",): Fraction(1, 4)},
        }
    )
    step(power(colours, 1, "local") == 2, "three colours: no interval, e^eps = 2")
    step(disagreement(colours, (1, 2, 3)) is None, "and shuffled e^eps = 2")
    for n in (1, 2, 3):
        row, other = dict(colours.rows["0"].items()), dict(colours.rows["1"].items())
        T = [("red",)]
        a, b = sum(row[y] for y in T), sum(other[y] for y in T)
        step(a**n == 2 * b * a ** (n - 1), "Pr[all in T] = e^eps times that on the neighbour")
    return finding(
        "misprint",
        "T is any set of messages, T_i = T; then all single-message randomizers, n >= 1, eps >= 0 (BC-claim-18)",
        "three colours in place of numbers: the same argument, e^eps = 2 local and shuffled for n = 1, 2, 3",
    )


@statement("NOTES 'only works because single bit'", "4", "local simulation only works because messages are single bits")
def single_bit() -> Finding:
    """It is the single message, not the single bit: with k > 2 values a message, permuting users shuffles messages.

    With two messages of one bit each it fails (R^inf).
    """
    for k, n in ((2, 3), (3, 2), (3, 3), (4, 2)):
        step(unsimulated(KRR(k, Fraction(1, 3)).randomizer(), n) is None, f"k-ary response, k = {k}")
    step(unsimulated(RInfinity().randomizer(), 1) == ("0",), "two one-bit messages")
    return finding(
        "refuted",
        "k-ary response, k = 3, 4 (messages of two bits); corrected: all single-message protocols (BC-thm-17)",
        "permuting users is shuffling messages whenever each user sends one, of whatever length",
        "R^inf sends two one-bit messages, and for one user the laws differ",
    )


@statement(
    "NOTES R^gap 'perfect shuffle privacy for some eps>0'",
    "5",
    "R^gap gives perfect shuffle privacy for some eps > 0",
    name="NOTES-r-gap-perfect-shuffle-privacy-for-some",
)
def perfect() -> Finding:
    """Pure eps-DP for some finite eps, for n >= 2, is Claim 20. It is not perfect, 0-DP: for uniform weights e^eps is
    5/2, 125/64, and 8/5 for all n >= 4.
    """
    settled = claim_20()
    step(settled.verdict == "proved", "Claim 20")
    powers = computed(RGap().randomizer(), gap_law, range(2, 8))
    step(all(t is not None and t > 1 for t in powers), "above 1")
    return finding(
        "proved",
        "read as: pure eps-DP for some eps > 0 (delta = 0), n >= 2, any weights on the supports; 0-DP is false",
        "uniform weights: e^eps = 5/2 for n = 2, 125/64 for n = 3, 8/5 for n >= 4",
        *settled.evidence[:2],
    )


@statement("NOTES Q: R^gap why", "5", "why R^gap works ('on the train')")
def why_gap() -> Finding:
    """The shuffler shows only the number of ones; a user on 1 sends 0, 1, 3 or 4 of them, one on 0 anything.

    Sums of n >= 2 of {0, 1, 3, 4} are all of 0..4n (3 = 3 + 0, 2 = 1 + 1, and so on, by induction): so every outcome
    is possible on every dataset, finitely many ratios are finite, and eps is their largest logarithm. For one user two
    ones are possible on 0 only.
    """
    settled = claim_20()
    for n in (1, 2, 3):
        totals = {sum(c) for c in product((0, 1, 3, 4), repeat=n)}
        step((totals == set(range(4 * n + 1))) is (n >= 2), f"{n} users on 1")
    step(power(RGap().randomizer(), 1, "preshuffle") is None and power(RGap().randomizer(), 2) is not None, "eps")
    return finding("proved", "all n >= 2, any weights on the supports", *settled.evidence)


@statement(
    "NOTES Q: histogram vs mean; local accuracy; Sep-2021 paper",
    "6",
    "three conceptual questions",
    name="NOTES-q-histogram-vs-mean-local-accuracy-sep",
)
def conceptual() -> Finding:
    """Three questions about other papers. What is computed: a histogram of two bins is harder than one binary sum.

    A neighbour moves two of its counts, so delta is larger at the same noise; the sum's delta is that of one count.
    """
    from shufflecert.verify.decide.worst_case import delta

    p = Fraction(9, 10)
    for n in (50, 200):
        one, two = delta(ZSum(p), n, "1/2").delta, delta(Hist(2, p), n, "1/2").delta
        step(Fraction(one.enclosure()[1]) < Fraction(two.enclosure()[0]), f"n = {n}")
    return finding(
        "not machine-checkable",
        "questions, two of them about other papers; shadow: zsum and hist at p = 9/10, eps = 1/2, n = 50, 200",
        "not easier: with the same noise the histogram's delta is above the sum's, two counts move for one",
        "local accuracy: BC Table 1 cites Theta(sqrt(log d) / (eps sqrt n)) from [3]",
        "later protocols with nearly central error leave Claims 18 to 20 as they are: those are about pure DP",
    )
