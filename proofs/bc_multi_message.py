"""Balcer & Cheu 2020, Section 4.1: Claim 18 fails with several messages. R^inf (Claim 19) and R^gap (Claim 20)."""

from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from itertools import product

from shufflecert.proofs.bc_single_message import upper_bound
from shufflecert.proofs.small import power, spread_law, unordered
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.r_gap import RGap
from shufflecert.protocols.r_infinity import RInfinity
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Messages, Randomizer

CUBE: tuple[Messages, ...] = tuple(product("01", repeat=4))
NOT_TWO = tuple(bits for bits in CUBE if bits.count("1") != 2)
COUNTS = frozenset({0, 1, 3, 4})
R_INFINITY_USERS = range(1, 13)
R_GAP_USERS = range(1, 31)


@statement("BC Claim 19", "4.1", "R^inf(x)=(x,1-x): shuffled 0-DP, R not eps-DP for finite eps")
def claim_19() -> Finding:
    """R^inf(x) = (x, 1 - x): the shuffled protocol is eps-DP for every eps >= 0, R^inf itself for no finite eps.

    Both rows have the polynomial z_0 z_1, so on every dataset of n users the product is (z_0 z_1)^n: the view is n
    zeros and n ones in uniform order, the same law on all datasets, and delta(0) = 0. In the local view the supports
    {(0,1)} and {(1,0)} are disjoint: the event "the first message is 1" has probability 1 against 0, and no finite
    e^eps bounds that.
    """
    from sympy import expand_power_exp, prod, simplify, symbols

    given, z = RInfinity().randomizer(), dict(zip("01", symbols("z0 z1", positive=True), strict=True))
    f = [prod(z[m] for m in send) for law in given.rows.values() for send in law]
    step(len(f) == 2 and f[0] == f[1] == z["0"] * z["1"], "f_0 = f_1 = z_0 z_1")
    zeros, ones = symbols("k m", integer=True, nonnegative=True)
    dataset = expand_power_exp(f[0] ** zeros * f[1] ** ones)
    step(simplify(dataset / (z["0"] * z["1"]) ** (zeros + ones)) == 1, "f_0^k f_1^m = (z_0 z_1)^(k+m)")
    step(set(given.rows["0"]).isdisjoint(given.rows["1"]), "disjoint local supports")
    step(power(given, 1, "local") is None, "local eps = inf")
    for n in R_INFINITY_USERS:
        step(delta(given, n, 0).delta == 0 and power(given, n) == 1, f"0-DP, {n} users")
        for dataset in product("01", repeat=n):
            seen = Counter(m for x in dataset for send in given.rows[x] for m in send)
            step(seen == {"0": n, "1": n}, f"n zeros and n ones, {dataset}")
    return finding(
        "proved",
        "all n >= 1, all eps >= 0",
        "f_0 = f_1 = z_0 z_1, so f_0^k f_1^m = (z_0 z_1)^(k+m): one law for all datasets, delta(0) = 0",
        f"n = 1..{R_INFINITY_USERS[-1]}: delta(0) = 0 over all neighbours; on all 2^n datasets n zeros and n ones",
        "local: supports {(0,1)} and {(1,0)} are disjoint, eps = inf",
    )


@statement("BC §4.1 pre-shuffle R^inf", "4.1", "pre-shuffle version is 0-DP")
def pre_shuffle() -> Finding:
    """One user of R^inf behind a shuffler of their own: (0,1) or (1,0) with probability 1/2 each, whatever x: 0-DP.

    And, as the paper supposes, a user may shuffle first: the pre-shuffled randomizer has the polynomials of R^inf, so
    the shuffler's output does not change for any n.
    """
    given = RInfinity().randomizer()
    shuffled = {x: spread_law(given, (x,)) for x in given.inputs}
    step(shuffled["0"] == shuffled["1"] == dict.fromkeys([("0", "1"), ("1", "0")], Fraction(1, 2)), "uniform orders")
    step(power(given, 1, "preshuffle") == 1, "pre-shuffle eps = 0")
    user = Randomizer.of(shuffled)
    step(power(user, 1, "local") == 1, "eps = 0 of the pre-shuffled randomizer's ordered output")
    for one in (given, user):
        step(one_user(one) == {x: {("0", "1"): Fraction(1)} for x in given.inputs}, "polynomials z_0 z_1")
    return finding(
        "proved",
        "n = 1, which is all that is claimed",
        "S o R^inf for one user is (0,1) or (1,0) with probability 1/2 each on both inputs: eps = 0",
        "shuffling first loses nothing: the pre-shuffled randomizer has the same polynomials z_0 z_1",
    )


def one_user(given: Randomizer) -> dict[str, dict[Messages, Fraction]]:
    """For every input the law of the sorted messages: the coefficients of its polynomial."""
    return {x: unordered(law.items()) for x, law in given.rows.items()}


def sumset(counts: Iterable[int], n: int) -> set[int]:
    """All sums of n numbers, each one of `counts`."""
    sums = {0}
    for _ in range(n):
        sums = {total + count for total in sums for count in counts}
    return sums


def fills_from(counts: frozenset[int], base: int) -> None:
    """The proof that the sums of n of the counts are {0..n M}, M their maximum, for all n >= base. Raises StepFailed.

    Base: computed. Step, n >= base: {0..nM} + counts lies in {0..(n+1)M}, and contains {0..nM} + {0, M} = {0..nM} +
    {M..(n+1)M}, which has no hole as M <= nM + 1.
    """
    from sympy import Symbol

    top = max(counts)
    step(sumset(counts, base) == set(range(base * top + 1)), f"base: {base}{sorted(counts)} = {{0..{base * top}}}")
    step(min(counts) == 0 and top > 0, "0 and a positive number are among the counts")
    n = base + Symbol("m", integer=True, nonnegative=True)
    step((n * top + 1 - top).is_nonnegative, f"step: {top} <= {top} n + 1")


@statement(
    "BC Claim 20", "4.1", "R^gap: supp(0)={0,1}^4, supp(1)= sum!=2; shuffled finite eps for n>=2, pre-shuffle infinite"
)
def claim_20() -> Finding:
    """R^gap's shuffled protocol is eps-DP for a finite eps for every n >= 2, its pre-shuffle randomizer for none.

    Pre-shuffle: the number of ones is in {0..4} on input 0 and in {0,1,3,4} on input 1, for any weights on BC's
    supports. So exactly two ones has positive probability against 0. Shuffled: weights are positive, so no coefficient
    cancels and the support of n users is the sumset of theirs. It lies in {0..4n} and contains n{0,1,3,4} = {0..4n};
    so all datasets have the same finite support, and the largest of finitely many ratios of positive numbers bounds
    e^eps. (Within a number of ones all orders are equally likely, so the support is all of {0,1}^(4n).)

    With uniform weights, exactly: the engine computes e^eps over all datasets for n = 1..30. For all n >= 4 it is 8/5:
    (i) at least, since "no ones at all" has the ratio f_1[0] G[0] / (f_0[0] G[0]) = (1/10) / (1/16) on all neighbours,
    G[0] > 0; (ii) at most, since f_a G <= t f_b G gives f_a G h <= t f_b G h for the row h of one more user, and the
    others in a dataset of n + 1 users are n - 1 others and one more: eps_(n+1) <= eps_n, and eps_4 = log(8/5).
    """
    supports, given = claim_20_supports(), RGap().randomizer()
    step(set(given.rows["0"]) == set(CUBE) and set(given.rows["1"]) == set(NOT_TWO), "BC's supports")
    step(power(given, 1, "preshuffle") is None, "pre-shuffle eps = inf")
    table = computed(given, gap_law, R_GAP_USERS)
    step(no_ones_ratio() == table[3] == Fraction(8, 5), "(i) and the case n = 4 meet")
    monotone = upper_bound()
    shown = ", ".join(f"n={n}: {Eps.log(t) if t else 'inf'}" for n, t in zip(R_GAP_USERS[:4], table[:4], strict=True))
    return finding(
        "proved",
        "existence: any weights on the supports, all n >= 2; exact eps: uniform weights, all n >= 1",
        *supports,
        weightings(6, (2, 3)),
        f"uniform weights, eps over all datasets: {shown}, and computed log(8/5) for each n = 5..{R_GAP_USERS[-1]}",
        "log(8/5) for all n >= 4: at least, since no ones at all has ratio (1/10)/(1/16) on every dataset; and",
        f"at most, since one more user does not raise eps: {monotone}",
    )


def gap_law(n: int) -> Fraction | None:
    """e^eps of R^gap with uniform weights for n shuffled users; None, infinite, for n = 1."""
    return {1: None, 2: Fraction(5, 2), 3: Fraction(125, 64)}.get(n, Fraction(8, 5))


def computed(given: Randomizer, law: Callable[[int], Fraction | None], users: Iterable[int]) -> list[Fraction | None]:
    """e^eps over all datasets by the engine for each n in `users`. Raises StepFailed where it is not law(n)."""
    table = []
    for n in users:
        table.append(power(given, n))
        step(table[-1] == law(n), f"e^eps = {table[-1]} for {n} users, not {law(n)}")
    return table


def no_ones_ratio() -> Fraction:
    """Pr[no ones | 1] / Pr[no ones | 0] of one user of R^gap with uniform weights."""
    zeros = ("0", "0", "0", "0")
    rows = one_user(RGap().randomizer())
    return rows["1"][zeros] / rows["0"][zeros]


def claim_20_supports() -> tuple[str, ...]:
    """For any weights on BC's supports: infinite eps of the pre-shuffle, finite eps shuffled for all n >= 2."""
    ones = {x: frozenset(bits.count("1") for bits in support) for x, support in (("0", CUBE), ("1", NOT_TWO))}
    step(ones["0"] == frozenset(range(5)) and ones["1"] == COUNTS, "counts of ones")
    step(("0", "0", "1", "1") in set(CUBE) - set(NOT_TWO), "(0,0,1,1) in supp(0) only")
    fills_from(ones["1"], 2)
    step(ones["0"] > ones["1"], "supp(0) contains supp(1)")
    return (
        "any weights: the pre-shuffle of 0 shows two ones with positive probability, of 1 never: eps = inf",
        "any weights, n >= 2: n{0,1,3,4} = {0..4n} and supp(0) contains supp(1): one finite support, so eps < inf",
    )


def weightings(denominator: int, users: Iterable[int]) -> str:
    """Claim 20's randomizer with all weights k/denominator: eps is infinite pre-shuffle, finite shuffled."""
    parts = range(1, denominator)
    zero, one = ([w for w in product(parts, repeat=k) if sum(w) == denominator] for k in (5, 4))
    for w0, (a, b, c, d) in product(zero, one):
        weights = [[Fraction(w, denominator) for w in row] for row in (w0, (a, b, 0, c, d))]
        given = RGap(*weights).randomizer()  # type: ignore[arg-type]
        step(power(given, 1, "preshuffle") is None, f"pre-shuffle eps = inf, weights {w0}, {(a, b, 0, c, d)}")
        for n in users:
            step(power(given, n) is not None, f"finite eps, {n} users, weights {w0}, {(a, b, 0, c, d)}")
    return f"all {len(zero) * len(one)} weights of the sums in multiples of 1/{denominator}, by the engine: so it is"


@statement("BC Claim 20 sumset", "4.1", "n{0,1,3,4}={0..4n} for all n>=2")
def claim_20_sumset() -> Finding:
    """n{0,1,3,4} = {0..4n} for all n >= 2, by induction; for n = 1 it is false, 2 being missing.

    n = 2: the ten sums of two of 0, 1, 3, 4 are computed and are 0..8. From n to n + 1: adding 0 keeps {0..4n}, adding
    4 gives {4..4n+4}; the second begins at 4 <= 4n + 1, so their union is {0..4(n+1)}, and no sum is below 0 or above
    4(n+1).
    """
    fills_from(COUNTS, 2)
    step(sumset(COUNTS, 1) == {0, 1, 3, 4}, "n = 1 misses 2")
    for n in range(2, 41):
        step(sumset(COUNTS, n) == set(range(4 * n + 1)), f"n = {n}")
    return finding(
        "proved",
        "all n >= 2 (and no other n)",
        "base: 2{0,1,3,4} = {0..8}",
        "step: {0..4n} + {0,4} = {0..4n} + {4..4n+4} has no hole since 4 <= 4n + 1; both ends are the extreme sums",
        "computed also for n = 2..40",
    )
