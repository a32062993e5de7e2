"""Balcer & Cheu 2020, Section 2: privacy, local and shuffled protocols, and that the engine means the same by them."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

from shufflecert.proofs.small import (
    Words,
    families,
    hockey_stick,
    largest_gap,
    neighbouring,
    ordered_law,
    randomizer,
    spread_law,
)
from shufflecert.proofs.statement import Finding, finding, statement, step
from shufflecert.protocols.r_infinity import RInfinity
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Messages, Randomizer

POWERS = tuple(Fraction(t) for t in ("1", "5/4", "3/2", "3", "100"))  # e^eps
SINGLE = ((2, 2, 4), (2, 3, 2), (3, 2, 2))  # inputs, at most so many messages, denominators up to
USERS = (1, 2, 3)

VARIABLE_LENGTH: dict[str, dict[Messages, Fraction]] = {
    "0": {(): Fraction(1, 2), ("a", "b"): Fraction(1, 3), ("b", "a"): Fraction(1, 6)},
    "1": {("a",): Fraction(1, 4), ("b", "a"): Fraction(3, 4)},
}


def single_message() -> Iterator[Randomizer]:
    """The families SINGLE."""
    return (randomizer(columns) for family in SINGLE for columns in families(*family))


def multi_message() -> tuple[Randomizer, ...]:
    """Ordered pairs, a random number of equal messages, and vectors of 0, 1 and 2 messages in an order that tells."""
    return (
        RInfinity().randomizer(),
        RInfinity(Fraction(2, 3)).randomizer(),
        ZSum(Fraction(1, 3)).randomizer(),
        Randomizer.of(VARIABLE_LENGTH),
    )


def by_definition(given: Randomizer, view: str, n: int, t: Fraction) -> Fraction:
    """The largest hockey-stick divergence over all neighbouring ordered datasets, from BC's definitions."""
    users = n if view == "shuffled" else 1
    laws: dict[tuple[str, ...], Words] = {}
    for dataset in product(given.inputs, repeat=users):
        laws[dataset] = dict(given.rows[dataset[0]].items()) if view == "local" else ordered_law(given, dataset)
    pairs = neighbouring(given.inputs, users)
    return max((hockey_stick(laws[x], laws[other], t) for x, other in pairs), default=Fraction(0))


def exceeds_no_event() -> None:
    """[p - t q]_+ - 1[y in T] (p - t q) >= 0 for any sign of p - t q, y in T or not; it is 0 for T = {p > t q}."""
    from sympy import Integer, Max, Symbol

    size = Symbol("size", positive=True)
    for gain, inside in product((size, Integer(0), -size), (True, False)):
        positive = Max(gain, 0)
        rest = positive - (gain if inside else 0)
        step(rest.is_nonnegative, f"gain {gain}, in T: {inside}")
        if inside == (gain.is_positive is True):
            step(rest == 0, f"equality on T = {{p > t q}}: gain {gain}")


@statement(
    "BC Def 4",
    "2",
    "(eps,delta)-DP: for all x~x' (differ in exactly one row) and all T: Pr[M(x) in T] <= e^eps Pr[M(x') in "
    "T]+delta; equivalently max over neighbours of H_{e^eps}(M(x)||M(x')) = sum_y [P(y)-e^eps Q(y)]_+ <= delta",
)
def definition_4() -> Finding:
    """P(T) <= t Q(T) + delta for all T, t = e^eps, exactly when sum_y [P(y) - t Q(y)]_+ <= delta; for all neighbours.

    P(T) - t Q(T) = sum over y in T of (P(y) - t Q(y)). Term by term, [P(y) - t Q(y)]_+ is at least what y contributes,
    whether or not y is in T, so the sum of positive parts is an upper bound for every T; and T = {y: P(y) > t Q(y)}
    attains it. So the supremum over T is the sum, and the definition bounds that for every ordered pair of neighbours
    (x ~ x' is symmetric, so both directions are asked for). With delta = 0 it says P(y) <= t Q(y) for every single
    outcome y.
    """
    exceeds_no_event()
    events = pairs = 0
    for given in (*single_message(), *multi_message()):
        for n in (1, 2):
            laws = {x: ordered_law(given, x) for x in product(given.inputs, repeat=n)}
            for t in POWERS:
                worst = Fraction(0)
                for x, other in neighbouring(given.inputs, n):
                    P, Q = laws[x], laws[other]
                    gap = largest_gap(P, Q, t)
                    step(gap == hockey_stick(P, Q, t), f"largest event, {x} and {other}, t = {t}")
                    pairs, events, worst = pairs + 1, events + 2 ** len({*P, *Q}), max(worst, gap)
                step(delta(given, n, Eps.log(t)).delta == worst, f"engine's delta, {n} users, t = {t}, {given.rows}")
    return finding(
        "proved",
        "all laws on countably many outcomes, all eps >= 0 and delta in [0, 1]",
        "[p - t q]_+ - 1[y in T](p - t q) >= 0, and = 0 for T = {p > t q}: sup_T P(T) - t Q(T) = sum [P - t Q]_+",
        f"all {events} events of {pairs} pairs, n = 1, 2, e^eps = {', '.join(map(str, POWERS))}: largest = the sum",
        "and the engine's delta over all datasets is the largest of these over all neighbouring ordered datasets",
    )


@statement(
    "BC Def 5-8",
    "2",
    "local / shuffled protocol, local DP = DP of R on 1 row, shuffle DP = DP of S∘R^n; single-message iff "
    "Pr[#messages=1]=1 on all inputs",
)
def definitions_5_to_8() -> Finding:
    """The engine's views are BC's: local is R on one row; shuffled is S o R^n, S permuting the concatenation uniformly.

    The engine forgets the order of the messages. That loses nothing: given the multiset, the order of S's output is
    uniform whatever the data, so the ordered law is the multiset's, spread evenly over its orders, and the sum of
    positive parts is the same. Both are computed: the ordered law by enumerating every permutation of every
    concatenation, and all of delta by enumerating ordered datasets. Single-message is: every output that any input has
    is one message.
    """
    compared = 0
    for given in (*single_message(), *multi_message()):
        lengths = {len(send) for law in given.rows.values() for send, p in law.items() if p > 0}
        step(given.single_message is (lengths == {1}), f"single-message, {dict(given.rows)}")
        for n in USERS:
            for dataset in product(given.inputs, repeat=n):
                step(ordered_law(given, dataset) == spread_law(given, dataset), f"uniform order on {dataset}")
        for view, n in (("local", 1), ("preshuffle", 1), *(("shuffled", n) for n in USERS)):
            for t in POWERS:
                expected, compared = by_definition(given, view, n, t), compared + 1
                step(delta(given, n, Eps.log(t), view).delta == expected, f"{view}, {n} users, t = {t}")
    singles, several = len(list(single_message())), len(multi_message())
    return finding(
        "proved",
        "definitions; the engine's reading of them, for finite sets of inputs and messages",
        "given the multiset, the shuffler's order is uniform whatever the data: forgetting it keeps every delta",
        f"{singles} single-message, {several} multi-message randomizers, n = 1..{USERS[-1]}, all ordered datasets, "
        "every permutation: enumeration gives the polynomials' law spread over orders",
        f"{compared} values of delta (local, preshuffle, shuffled) equal the definition's, by enumeration",
        "single-message: exactly the randomizers all of whose outputs have length 1",
    )
