"""Balcer & Cheu 2020, Section 4: pure privacy with a single message. Claim 18, Theorem 17, and what they rule out.

A user with input x sends message y with probability f_x[y]; the generating polynomial is f_x(z) = sum_y f_x[y] z_y.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import chain, permutations, product
from math import factorial, prod
from typing import Any

from shufflecert.proofs.small import (
    Column,
    families,
    ordered_law,
    power,
    pure_power,
    randomizer,
    spread_law,
    users_permuted,
)
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer

FAMILIES = ((2, 2, 30), (2, 3, 16), (2, 4, 9), (3, 3, 6))  # inputs, at most so many messages, denominators up to
USERS = (1, 2, 3, 4)
EVERY = 50  # of the listed randomizers, one in so many is decided by the engine as well
PERMUTED = ((2, 2, 6), (2, 3, 5), (3, 3, 3))  # likewise, for Theorem 17
PERMUTED_USERS = (1, 2, 3)
AMPLIFIED_USERS = (1, 2, 5, 10, 20, 40)

Disagreement = tuple[Randomizer, int, Fraction | None, Fraction | None]  # n, e^eps local and shuffled; None: infinite
Space = tuple[int, int, int]  # the arguments of `families`


def unanimous_ratio(f_a: Any, f_b: Any, letters: Sequence[Any], z: Any, n: int) -> Any:
    """[z^n] f_a^n / [z^n] f_b f_a^(n-1): the likelihood ratio of "all n messages are z", for a...a against b, a...a."""
    from sympy import Poly, cancel

    everyone, changed = (Poly(f, *letters).coeff_monomial(z**n) for f in (f_a**n, f_b * f_a ** (n - 1)))
    return cancel(everyone / changed)


def keeps_below(messages: int, others: int, assumed: bool = True) -> bool:
    """Whether f_a <= t f_b coefficientwise gives f_a G <= t f_b G, for generic f_b and `others` generic rows in G.

    Assumed is f_a[y] = t f_b[y] - s_y with s_y >= 0 (else f_a is generic too); the expanded t f_b G - f_a G must have
    no negative term, all its symbols being nonnegative. Multi-message rows are the same with a letter for every
    multiset: putting monomials for letters only adds up coefficients.
    """
    from sympy import Poly, symbols

    z, b, s = (symbols(f"{name}:{messages}") for name in "zbs")
    t, rows = symbols("t"), [symbols(f"g{i}_:{messages}") for i in range(others)]
    a = [t * b[y] - s[y] for y in range(messages)] if assumed else s
    G = prod(sum(g[y] * z[y] for y in range(messages)) for g in rows)
    gap = sum((t * b[y] - a[y]) * z[y] for y in range(messages)) * G
    return all(coefficient > 0 for coefficient in Poly(gap, *z, *b, *s, t, *chain(*rows)).coeffs())


def lower_bound() -> str:
    """Claim 18's own step, for generic rows: the unanimous outcome has the local likelihood ratio, for every n."""
    from sympy import Symbol, expand_power_exp, simplify, symbols

    sizes = [(k, n) for k in (2, 3, 4) for n in (1, 2, 3, 4)]
    for k, n in sizes:
        z, a, b = (symbols(f"{name}:{k}", positive=True) for name in "zab")
        f_a, f_b = (sum(row[y] * z[y] for y in range(k)) for row in (a, b))
        for y in range(k):
            step(unanimous_ratio(f_a, f_b, z, z[y], n) - a[y] / b[y] == 0, f"ratio of {k} messages, {n} users")
    more, q = Symbol("m", integer=True, nonnegative=True), Symbol("q", nonnegative=True)  # n = m + 1
    t, s = symbols("t s", positive=True)
    p = t * q + s  # the negation of p <= t q
    gap = expand_power_exp(p ** (more + 1) - t * q * p**more)
    step(simplify(gap - s * p**more) == 0, "p^n - t q p^(n-1) = (p - t q) p^(n-1)")
    step((s * p**more).is_positive, "(p - t q) p^(n-1) > 0")
    return (
        "all n messages equal y: f_a[y]^n / (f_b[y] f_a[y]^(n-1)) = f_a[y] / f_b[y], "
        f"for generic rows in {len(sizes)} sizes and for symbolic n"
    )


def upper_bound() -> str:
    """The upper bound on the shuffled eps, as a sentence that was checked: if row f_a <= t f_b, then f_a G <= t f_b G.

    G is the product of the other users' rows.
    """
    sizes = [(k, others) for k in (2, 3) for others in (0, 1, 2, 3)]
    for k, others in sizes:
        step(keeps_below(k, others), f"f_a <= t f_b gives f_a G <= t f_b G: {k} messages, {others} others")
    return f"f_a <= t f_b gives f_a G <= t f_b G, expanded for generic rows in {len(sizes)} sizes"


def disagreement(given: Randomizer, users: Iterable[int]) -> Disagreement | None:
    """The first n for which pure privacy of n shuffled users is not exactly that of one user's ordered messages."""
    local = power(given, 1, "local")
    for n in users:
        if (shuffled := power(given, n)) != local:
            return given, n, local, shuffled
    return None


def ratio_by_definition(columns: Iterable[Column]) -> Fraction | None:
    """e^eps of a single-message randomizer: the largest ratio of two weights of one message; None where infinite."""
    pairs = [pair for column in columns for pair in permutations(column, 2) if pair[0]]
    return None if any(b == 0 for _, b in pairs) else max(Fraction(1), *(Fraction(a, b) for a, b in pairs))


def enumerate_families(
    spaces: Iterable[Space], users: Sequence[int], every: int = EVERY
) -> tuple[list[str], Disagreement | None]:
    """One line of evidence for every family, and the first randomizer that disagrees.

    Every one is decided by the products of its polynomials (`pure_power`), and one in `every` by the engine too.
    """
    evidence: list[str] = []
    distinct: set[tuple[Column, ...]] = set()
    for inputs, messages, most in spaces:
        count = infinite = 0
        for columns in families(inputs, messages, most):
            local = ratio_by_definition(columns)
            for n in users:
                if (shuffled := pure_power(columns, n)) != local:
                    return evidence, (randomizer(columns), n, local, shuffled)
            if count % every == 0:
                given = randomizer(columns)
                if found := disagreement(given, users):
                    return evidence, found
                step(power(given, 1, "local") == local, f"e^eps of one message, {columns}")
            count, infinite = count + 1, infinite + (local is None)
            distinct.add(columns)
        evidence.append(
            f"{inputs} inputs, up to {messages} messages, denominators up to {most}: "
            f"{count} randomizers up to renaming, {infinite} of them with eps = inf"
        )
    span = f"n = {users[0]}..{users[-1]}, all datasets"
    evidence.append(f"{len(distinct)} different randomizers, {span}: e^eps shuffled = local, every time")
    evidence.append(f"by products of integer polynomials; one randomizer in {every} by the engine as well")
    return evidence, None


@statement(
    "BC Thm 3/17",
    "4",
    "every single-message eps-DP shuffle protocol is simulated exactly by an eps-DP local protocol",
    name="BC-thm-17",
)
def theorem_17() -> Finding:
    """P = (R, A) single-message, eps-DP: (R, A after a uniform permutation) is a local eps-DP protocol with P's law.

    Privacy: a local protocol is eps-DP when R is (BC Definition 6), and R is by Claim 18. Law: for a single-message
    protocol the concatenation of the n message vectors is the tuple (R(x_1), ..., R(x_n)) itself, so the shuffler
    applies a uniform permutation to the very tuple to which A_L applies one: A is run on inputs of one and the same
    law, hence, whatever A is, deterministic or not, its outputs have one law. Both are computed here: the permuted
    tuple by enumeration of the n! permutations, the shuffler's as the product of polynomials.
    """
    sizes = [(k, n) for k in (2, 3) for n in (1, 2, 3, 4)]
    for k, n in sizes:
        step(permuting_is_shuffling(k, n), f"permuted tuple = shuffled, {k} messages, {n} users")
    evidence = [
        lower_bound(),
        "concatenating n one-message vectors gives the tuple (R(x_1), ..., R(x_n)): S and A_L permute the same vector",
        f"generic rows, one per user: the permuted tuple has the law of the product polynomial, {len(sizes)} sizes",
    ]
    for inputs, messages, most in PERMUTED:
        count = 0
        for columns in families(inputs, messages, most):
            given, count = randomizer(columns), count + 1
            step(disagreement(given, PERMUTED_USERS) is None, f"eps of {columns}")
            for n in PERMUTED_USERS:
                step(unsimulated(given, n) is None, f"law of {columns}, {n} users")
        evidence.append(
            f"{inputs} inputs, up to {messages} messages, denominators up to {most}: "
            f"{count} randomizers up to renaming, n = 1..{PERMUTED_USERS[-1]}, all ordered datasets: "
            "equal laws by n! permutations, equal eps"
        )
    return finding("proved", "all single-message protocols, all n >= 1, all eps >= 0", *evidence)


def permuting_is_shuffling(messages: int, n: int) -> bool:
    """For generic rows, one per user, and every word w: Pr[permuted tuple = w] is [z^w] f_1 ... f_n / (orders of w)."""
    from sympy import Poly, expand, symbols

    z, rows = symbols(f"z:{messages}"), [symbols(f"p{i}_:{messages}") for i in range(n)]
    shuffled = Poly(prod(sum(p[y] * z[y] for y in range(messages)) for p in rows), *z)
    for word in product(range(messages), repeat=n):
        permuted = sum(prod(p[y] for p, y in zip(rows, order, strict=True)) for order in permutations(word))
        counts = [word.count(y) for y in range(messages)]
        orders = factorial(n) // prod(map(factorial, counts))
        if expand(permuted * orders - factorial(n) * shuffled.coeff_monomial(tuple(counts))) != 0:
            return False
    return True


def unsimulated(given: Randomizer, n: int) -> tuple[str, ...] | None:
    """The first dataset of n users on which permuting the users' outputs differs from shuffling all messages."""
    datasets = product(given.inputs, repeat=n)
    return next((x for x in datasets if ordered_law(given, x, users_permuted) != spread_law(given, x)), None)


@statement("BC Claim 18", "4", "single-message eps-DP shuffle => R eps-DP")
def claim_18() -> Finding:
    """If the shuffled protocol is eps-DP for n users, so is its randomizer: f_a <= e^eps f_b for all inputs a, b.

    Let Y be any set of messages, p = Pr[R(a) in Y], q = Pr[R(b) in Y], and suppose p > t q. Whether all n messages are
    in Y does not depend on their order; on (a, ..., a) that has probability p^n, on the neighbour (b, a, ..., a) it
    has q p^(n-1). Since p > t q >= 0, p^(n-1) > 0, and so p^n > t q p^(n-1): the shuffled protocol is not eps-DP. (The
    printed strict inequality needs this p^(n-1) > 0 and does not say so; q = 0 is allowed.) The alphabet may be
    infinite: only "in Y" and "not in Y" matter. With Y = {y} the likelihood ratio is the local one, exactly.

    Conversely, if f_a <= t f_b coefficientwise, then f_a G <= t f_b G for every product G of the others' rows, since G
    has no negative coefficient; and an inequality for every outcome sums to one for every event. So eps of the
    shuffled protocol is exactly eps of its randomizer at delta = 0, for every n: Claim 18 holds with equality, always.
    """
    symbolic = (lower_bound(), upper_bound())
    evidence, found = enumerate_families(FAMILIES, USERS)
    if found:
        given, n, local, shuffled = found
        step(local is None or (shuffled is not None and shuffled < local), f"tightness: {found}")
        counterexample = f"counterexample, n = {n}: e^eps shuffled {shuffled}, local {local}, rows {dict(given.rows)}"
        return finding("refuted", "one randomizer", *evidence, counterexample)
    tight = "tight: eps(n users shuffled, delta = 0) = eps(R) for every single-message R and every n >= 1"
    gap = "the printed '>' needs Pr[R(x) in Y]^(n-1) > 0, unsaid; true, as Pr[R(x) in Y] > e^eps Pr[R(x') in Y] >= 0"
    evidence = [*symbolic, *evidence, tight, gap]
    return finding("proved", "all single-message randomizers, all n >= 1, all eps >= 0", *evidence)


@statement("BC §1.2 amplification 'delta=0 impossible'", "1.2", "no amplification with delta=0 for single-message")
def amplification() -> Finding:
    """Shuffling a local protocol gives no smaller eps at delta = 0: by Claim 18 the eps of n users is that of one.

    If the shuffled protocol were eps'-DP with eps' < eps(R), Claim 18 would make R eps'-DP. Randomized response shows
    both sides: at delta = 0 nothing is gained for any n, at delta = 1/100 the same randomizers do gain.
    """
    evidence = [lower_bound(), upper_bound()]
    small = Fraction(1, 100)
    for k, truth in ((2, 3), (2, 9), (3, 4)):
        given = randomizer([tuple(truth if x == y else 1 for x in range(k)) for y in range(k)])
        users = AMPLIFIED_USERS if k == 2 else AMPLIFIED_USERS[:-1]
        powers = [power(given, n) for n in users]
        step(set(powers) == {Fraction(truth)}, f"delta = 0, randomized response {k}, {truth}: {powers}")
        gained = power(given, users[-1], delta=small)
        step(gained is not None and gained < truth, f"delta = {small}, randomized response {k}, {truth}: {gained}")
        shown = Eps.log(gained or Fraction(1)).enclosure(4)[1]
        evidence.append(
            f"randomized response over {k} inputs, truth {truth} times as likely as each lie: eps = log({truth}) at "
            f"delta = 0, n = {', '.join(map(str, users))}; at delta = {small}, n = {users[-1]} at most {shown}"
        )
    evidence.append("with several messages per user shuffling can lower eps at delta = 0 (BC Claims 19 and 20)")
    return finding("proved", "all single-message randomizers, all n >= 1", *evidence)
