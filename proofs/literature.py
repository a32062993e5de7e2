"""What the literature since claims: bounds for all eps0-private randomizers, and a table of sharper ones for some.

VR is Wang et al., "Privacy Amplification via Shuffling: Unified, Simplified, and Tightened" (VLDB 2024, arXiv
2304.05007): delta(eps) of n users is at most that of a pair of laws of two counts (`two_counts` in
proofs/conjectures/amplification.py), where another user adds to either count with probability r, and the user in
question with x and y = x/E, E = e^eps0; in their letters p = q = E, x = E beta / (E - 1), r = y. Their table lists a
beta for each randomizer. CLONES is Feldman, McMillan & Talwar, "Hiding Among the Clones" (FOCS 2021) and "Stronger
Privacy Amplification by Shuffling" (SODA 2023, with errata).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import product
from math import comb

from shufflecert.proofs.conjectures.amplification import delta_of, stronger_clones, two_counts, variation_ratio
from shufflecert.proofs.lemmas import never_negative
from shufflecert.proofs.small import exact_delta, hockey_stick
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.gallery.subset import likely_sets
from shufflecert.protocols.gallery.systems import table
from shufflecert.verify.exact.randomizer import Law, Messages, Randomizer, gathered

POWERS = (Fraction(3, 2), Fraction(2), Fraction(5))  # E


def collision(length: int, size: int, E: Fraction) -> Randomizer:
    """Sets of `size` of `length` cells, disjoint for the two inputs: a cell of the own set is E times as likely."""
    cells = [str(y) for y in range(length)]
    return likely_sets(cells, {str(x): frozenset(cells[x * size : (x + 1) * size]) for x in (0, 1)}, E)


def extremal(given: Randomizer, E: Fraction) -> Fraction:
    """R(a)(S), S the messages of ratio exactly E between the first input, a, and the second."""
    first, second = list(given.rows.values())[:2]
    return sum((p for y, p in first.items() if p == E * second[y]), Fraction(0))


def largest_ratios(n: int, x: Fraction, y: Fraction, r: Fraction) -> list[Fraction]:
    """The two largest ratios P/Q of the pair of two counts."""
    pair = two_counts(n, x, y, r)
    found = {Fraction(int(p), int(q)) for p, q in zip(pair.p, pair.q, strict=True) if q}
    return sorted(found)[-2:]


def broken(given: Randomizer, E: Fraction, beta: Fraction, n: int) -> tuple[Fraction, Fraction, Fraction]:
    """(e^eps, delta from below, the bound): between the two largest ratios of the bound's pair, where it is too small.

    delta from below is (1 - e^eps/E) R(a)(S)^n: all others on a, and the event that all n messages are in S.
    """
    x = E * beta / (E - 1)
    below, top = largest_ratios(n, x, x / E, x / E)
    step(top == E, "the largest ratio of the pair is E")
    power = (below + E) / 2
    bound = delta_of(variation_ratio(n, E, beta, E), power)
    step(bound == (1 - power / E) * x * (x / E) ** (n - 1), "the bound there: (1 - t/E) x r^(n-1)")
    return power, (1 - power / E) * extremal(given, E) ** n, bound


def corner() -> None:
    """Shows that the variation-ratio bound fails near eps = eps0, E = e^eps0, wherever x = E y and x + y < 1.

    The pair of that bound, of counts (a, b), has P/Q = E at (n, 0) only, which has probability x r^(n-1).

    E Q - P = (E^2 - 1) y o(a, b-1) + (E - 1) (1-x-y) o(a, b), o the others' law: 0 only where both are 0. For b >= 1
    o(a, b-1) > 0 wherever a + b <= n; for b = 0 o(a, 0) > 0 but at a = n. So for e^eps from the next ratio up to E the
    bound is (1 - e^eps/E) x r^(n-1), while all n messages in S have probability R(a)(S)^n on (a, ..., a) and 1/E of
    that on (b, a, ..., a): the bound is wrong wherever R(a)(S)^n > x r^(n-1).
    """
    from sympy import Symbol, expand

    E, y, one, other, same = (Symbol(name, positive=True) for name in ("E", "y", "o1", "o2", "o0"))
    x = E * y
    z = 1 - x - y
    P, Q = x * one + y * other + z * same, x * other + y * one + z * same
    step(expand(E * Q - P - ((E**2 - 1) * y * other + (E - 1) * z * same)) == 0, "E Q - P")


def table_rows() -> list[tuple[str, Randomizer, Fraction, Fraction]]:
    """(name, a small instance, E, the listed beta) of every finite row with x + y < 1."""
    found: list[tuple[str, Randomizer, Fraction, Fraction]] = []
    for s in (Fraction(2), Fraction(3)):
        E = s**2
        found.append(("general RR, d = 3", table("krr", E, k=3), E, (E - 1) / (E + 2)))
        found.append(("RAPPOR, d = 2", table("SUE", E, d=2), E, (s - 1) / (s + 1)))
        top = (E - 1) * (comb(3, 1) - comb(2, 0))
        found.append(("2-subset of 4", table("subset_selection", E, d=4, k=2), E, top / (E * comb(3, 1) + comb(3, 2))))
        found.append(("local hash, l = 3, d = 2", table("olh", E, d=2, g=3), E, (E - 1) / (E + 2)))
        found.append(("Hadamard response, K = 4", table("hadamard_response", E, K=4), E, (E - 1) / (2 * E + 2)))
        found.append(("collision, s = 1, l = 3", collision(3, 1, E), E, (E - 1) / (E + 2)))
    return found


@statement(
    "LIT VR table, the finite rows with a smaller beta, and Laplace",
    "2",
    "delta(eps) of n users is at most that of two counts with x = E beta/(E-1), y = r = x/E, beta as listed",
    name="LIT-table",
)
def variation_ratio_table() -> Finding:
    """Every row of the table that is sharper than the general one is false for every n >= 2, near eps0.

    By `corner`. Rows of an extremal design: all of R(a) - R(b) that is positive is in S, so beta = R(a)(S) (1 - 1/E),
    R(a)(S) = x, and x^n > x (x/E)^(n-1). So general RR with d >= 3, RAPPOR (x = s^2/(s+1)^2, y = 1/(s+1)^2), k-subset
    for d >= 3, Hadamard response, collision with disjoint sets: for all parameters with x + y < 1 and all E > 1. Local
    hash: S has R(a)(S) = x (1 - c), c the chance that two values collide, so it is false where E^(n-1) (1-c)^n > 1.
    The Laplace mechanism on [0, 1]: R(0)(y <= 0) = 1/2, x = s/(s+1) with s = sqrt(E), and (1/2)^n > x (x/E)^(n-1) is
    s^(n-2) ((s+1)/2)^n > 1. What is meant for n -> infinity at small eps may still be near the truth: not looked at.
    """
    from sympy import Symbol, simplify, symbols

    corner()
    v = Symbol("v", nonnegative=True)  # s = 1 + v
    s = 1 + v
    x = s / (s + 1)
    step(simplify(x - s**2 * (1 - 1 / s) / (s**2 - 1)) == 0, "Laplace: x = E beta / (E - 1), beta = 1 - 1/s")
    rest = simplify((1 - x - x / s**2) - (s - 1) / (s * (s + 1)))
    step(rest == 0 and never_negative((s - 1) / (s * (s + 1)), v), "Laplace: 1 - x - y = (s - 1) / (s (s + 1)) > 0")
    step(simplify((s**2 * (1 + 1 / s) / 2) / (x * s) - (s + 1) ** 2 / (2 * s)) == 0, "Laplace: (s+1)/2 > 1")
    d, E_, size, left = symbols("d E size left", positive=True)  # what is left over: 1 - x - y > 0
    step(simplify(1 - (E_ + 1) / (E_ + d - 1) - (d - 2) / (E_ + d - 1)) == 0, "general RR: (d - 2) / (E + d - 1)")
    step(simplify(1 - (s**2 + 1) / (s + 1) ** 2 - 2 * s / (s + 1) ** 2) == 0, "RAPPOR: 2 s / (s + 1)^2")
    collided = (
        size * (E_ + 1) / (size * E_ + size + left)
    )  # l = 2 s + left; Hadamard, K = 2 s: half of that at left = 0
    step(simplify(1 - collided - left / (size * E_ + size + left)) == 0, "collision: left / (s E + l - s)")
    evidence = []
    for name, given, E, beta in table_rows():
        for n in (2, 3):
            power, low, bound = broken(given, E, beta, n)
            step(low > bound, f"{name}, E = {E}, n = {n}: above the bound")
            if n == 2:
                step(exact_delta(given, n, power) >= low, f"{name}: by the engine, over all datasets")
        evidence.append(f"{name}, E = {E}, n = {n}, e^eps = {power}: delta >= {low}, the bound is {bound}")
    return finding(
        "refuted",
        "general RR, k-subset (d >= 3), RAPPOR, Hadamard (s = K/2), collision (l > 2s), Laplace: every E > 1 and "
        "n >= 2, near eps0; local hash at E = 4, 9; corrected: beta = (E-1)/(E+1) for all of them (LIT-general)",
        "the pair has ratio E only at (n, 0), of probability x r^(n-1); all n messages in S have R(a)(S)^n = x^n",
        *evidence,
        "not looked at here: rows of which docs/reference/mechanisms.md has instances; large n at small eps",
    )


@statement(
    "LIT VR table, general mechanisms, RR on {0, 1}, Duchi et al., Harmony; CLONES 2023, p = 1/(E+1)",
    "1",
    "delta(eps) of n users is at most that of two counts with x = E/(E+1), y = r = 1/(E+1), for any R",
    name="LIT-general",
)
def general() -> Finding:
    """beta = (E-1)/(E+1): x = E/(E+1), y = r = 1/(E+1), for every eps0-private randomizer: ANY-randomizer's bound.

    A multinomial: o(a-1, b) = (a / (n r)) M(a, b), M the law of n draws with r, r, 1 - 2r. So P = M (x a + y b) / (n r)
    and P - t Q = M ((E - t) a + (1 - t E) b) / n: the divergence is the mean of the positive part of a sum of L's over
    n, L = E - t, 1 - tE with probability 1/(E+1) each, else 0. That bound is proved (ANY-randomizer). It is the row of
    general mechanisms, and with the same beta those of binary RR, Duchi et al. and Harmony; and CLONES' with
    p = 1/(E+1), whose printed proof errs for smaller p only (where it is false: the table's general RR).
    """
    from sympy import binomial, combsimp, simplify, symbols

    n, a, b, E, t = symbols("n a b E t", positive=True)
    r = 1 / (E + 1)
    step(simplify((E / (E + 1) * a + r * b) / (n * r) - (E * a + b) / n) == 0, "P")
    step(simplify((E * a + b) - t * (a + E * b) - ((E - t) * a + (1 - t * E) * b)) == 0, "P - t Q")
    others = binomial(n - 1, a - 1) * binomial(n - a, b)
    step(
        simplify(combsimp(others / (binomial(n, a) * binomial(n - a, b))) - a / n) == 0, "o(a-1, b) / M(a, b) = a/(n r)"
    )
    count = 0
    for E_ in POWERS:
        responses = (table("krr", E_, k=2), table("krr", E_, k=3))
        for given in (*responses, table("subset_selection", E_, d=3, k=2), collision(3, 1, E_)):
            for users, share in product((2, 3), (Fraction(0), Fraction(1, 2), Fraction(9, 10))):
                power = 1 + (E_ - 1) * share
                bound = delta_of(stronger_clones(users, E_, 1 / (E_ + 1)), power)
                step(exact_delta(given, users, power) <= bound, f"E = {E_}, n = {users}")
                count += 1
    return finding(
        "proved",
        "all eps0-private randomizers, all n >= 1, eps >= 0",
        "P - t Q = M ((E - t) a + (1 - tE) b) / n, M a multinomial: ANY-randomizer's bound, word by word",
        f"{count} cases by the engine over all datasets: none above it",
        "so the rows of general mechanisms, binary RR, Duchi et al. and Harmony hold; sharper ones: LIT-table",
    )


@statement(
    "LIT CLONES 2021, any randomizer",
    "3",
    "delta(eps) is at most that of two counts with x = E/(E+1), y = 1/(E+1), r = 1/(2E)",
    name="LIT-clones-2021",
)
def first_clones() -> Finding:
    """CLONES 2021: another user is a clone with probability 1/E, to either side with half of that: r = 1/(2E).

    r = 1/(2E) <= 1/(E+1): every other user who is not a clone may become one with a fixed chance, and how many are left
    is known, as a + b - 1 of n - 1 are clones. So the general pair is post-processing of this one, which is above it.
    """
    from sympy import Symbol

    v = Symbol("v", nonnegative=True)
    step(never_negative(1 / (2 + v) - 1 / (2 * (1 + v)), v), "1/(2E) <= 1/(E+1)")
    count = 0
    for E, n, share in product(POWERS, (2, 3, 5), (Fraction(0), Fraction(1, 2), Fraction(9, 10))):
        power = 1 + (E - 1) * share
        weak = delta_of(two_counts(n, E / (E + 1), 1 / (E + 1), 1 / (2 * E)), power)
        step(weak >= delta_of(stronger_clones(n, E, 1 / (E + 1)), power), f"E = {E}, n = {n}")
        count += 1
    return finding(
        "proved",
        "all eps0-private randomizers, all n >= 1, eps >= 0",
        "fewer clones, and the missing ones can be added afterwards",
        f"{count} exact comparisons with LIT-general",
    )


@statement(
    "LIT Su, Cheng & Wang 2025 (arXiv 2504.07414), the blanket's optimality",
    "4",
    "of all common parts of the randomizer's rows the privacy blanket gives the smallest bound",
    name="LIT-blanket-best",
)
def blanket_best() -> Finding:
    """Of all common parts c' <= min over z of R(z) the whole minimum, the privacy blanket, has the smallest bound.

    The bound of c is delta of: a message of the user, and of each other one y with probability c(y), else nothing. For
    c' <= c the pair of c is post-processing of that of c': as the user sends exactly one message, the number of the
    others who sent nothing is known, and each of them may send y with probability (c - c')(y) / (1 - sum c'). For one
    user's alternatives on z alone it is attained: all others on z, c = R(z).
    """
    count = 0
    for E in POWERS:
        for given in (table("krr", E, k=3), table("subset_selection", E, d=3, k=2)):
            rows = list(given.rows.values())
            least = {y: min(row[y] for row in rows) for y in rows[0]}
            for n, share in product((2, 3), (Fraction(1, 3), Fraction(3, 4))):
                values = [blanket(rows, {y: part * p for y, p in least.items()}, n, E) for part in (Fraction(1), share)]
                step(values[0] <= values[1], f"E = {E}, n = {n}: a smaller part is no better")
                count += 1
            alone = blanket(rows, dict(rows[2].items()), 2, E)
            step(alone <= exact_delta(given, 2, (1 + E) / 2), "attained by others on z: not above the worst dataset")
    return finding(
        "proved",
        "among common parts c' <= min R(z), one message a user, all n and eps; equality for others all on one input",
        "what is left out can be put back afterwards: the number of the silent is known",
        f"{count} exact comparisons",
    )


def blanket(rows: Sequence[Law[Messages]], part: Mapping[Messages, Fraction], n: int, E: Fraction) -> Fraction:
    """delta at e^eps = (1+E)/2 of a user on row 0 against 1; others send y with probability part[y], else nothing."""
    power, silent = (1 + E) / 2, 1 - sum(part.values(), Fraction(0))
    laws = []
    for row in rows[:2]:
        law = dict(row.items())
        for _ in range(n - 1):
            sent: list[tuple[Messages, Fraction]] = [*part.items(), ((), silent)]
            law = gathered((tuple(sorted(seen + y)), p * q) for seen, p in law.items() for y, q in sent)
        laws.append(law)
    return hockey_stick(laws[0], laws[1], power)
