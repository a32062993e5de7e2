"""The oracle against hand computations, closed forms, mpmath and itself by slower ways."""

from fractions import Fraction
from itertools import chain, combinations, permutations, product

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import oracle
from tests.helpers import random_cases
from tests.reference import real

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
MIXED = {
    "a": {(): HALF, ("x", "y"): THIRD, ("y", "x"): Fraction(1, 6)},
    "b": {("x",): QUARTER, ("y", "y"): 3 * QUARTER},
}


@st.composite
def randomizers(draw):
    """Two inputs, up to three outputs of up to two messages each."""
    sends = st.lists(st.sampled_from("xy"), max_size=2).map(tuple)
    rows = {}
    for x in "01":
        weights = draw(st.dictionaries(sends, st.integers(1, 9), min_size=1, max_size=3))
        rows[x] = {send: Fraction(w, sum(weights.values())) for send, w in weights.items()}
    return rows


# Laws --------------------------------------------------------------------------------------------------------------


def test_two_users_by_hand():
    # flip 1/4: user 0 sends 0 w.p. 3/4; user 1 sends 1 w.p. 3/4
    law = oracle.multiset_law(oracle.rr(QUARTER), ("0", "1"))
    # both 0: 3/4 1/4; one of each: 3/4 3/4 + 1/4 1/4; both 1: 1/4 3/4
    assert law == {("0", "0"): Fraction(3, 16), ("0", "1"): Fraction(10, 16), ("1", "1"): Fraction(3, 16)}
    # Pr[01] in order: half of 10/16; and 00 has one order only
    ordered = oracle.permutation_law(oracle.rr(QUARTER), ("0", "1"))
    assert ordered == {
        ("0", "0"): Fraction(3, 16),
        ("0", "1"): Fraction(5, 16),
        ("1", "0"): Fraction(5, 16),
        ("1", "1"): Fraction(3, 16),
    }


@given(randomizers(), st.lists(st.sampled_from("01"), min_size=0, max_size=2).map(tuple))
@random_cases(60)
def test_the_three_shuffled_laws_agree(randomizer, dataset):
    law = oracle.multiset_law(randomizer, dataset)
    assert sum(law.values()) == 1
    assert oracle.convolved_law(randomizer, dataset) == law
    ordered = oracle.permutation_law(randomizer, dataset)
    for outcome, p in law.items():  # the orders of a multiset are equally likely and share its probability
        orders = set(permutations(outcome))
        assert {ordered[order] for order in orders} == {p / len(orders)}
    assert sum(ordered.values()) == 1


def test_neighbours_are_all_ordered_pairs_at_distance_one():
    found = list(oracle.neighbours("abc", 3))
    datasets = list(product("abc", repeat=3))
    close = {(u, v) for u in datasets for v in datasets if sum(a != b for a, b in zip(u, v, strict=True)) == 1}
    assert len(found) == len(set(found)) == 3**3 * 3 * 2
    assert set(found) == close


# Divergence --------------------------------------------------------------------------------------------------------


def test_delta_of_two_users_by_hand():
    # rr(1/4), (0,1) against (1,1): 3,10,3 against 1,6,9 sixteenths; t = 1: 2 + 4 = 6 above, and 6 the other way
    # (0,0) against (0,1) is the mirror image. t = 2: 3 - 2 = 1 above; back: 9 - 6 = 3
    assert oracle.delta(oracle.rr(QUARTER), 2, Fraction(1)) == Fraction(6, 16)
    assert oracle.delta(oracle.rr(QUARTER), 2, Fraction(2)) == Fraction(3, 16)


@given(randomizers(), st.fractions(1, 4, max_denominator=9))
@random_cases(60)
def test_hockey_stick_is_the_largest_excess_over_events(randomizer, t):
    P, Q = (oracle.preshuffle_law(randomizer, x) for x in "01")
    outcomes = sorted({*P, *Q})
    events = chain.from_iterable(combinations(outcomes, k) for k in range(len(outcomes) + 1))
    assert oracle.hockey_stick(P, Q, t) == max(sum(P.get(y, 0) - t * Q.get(y, 0) for y in event) for event in events)


@pytest.mark.parametrize("eps", [Fraction(0), Fraction(1, 7), Fraction(1), Fraction(7, 2), Fraction(12)])
def test_exp_bounds_enclose_mpmath(eps):
    with mpmath.workdps(60):
        value = mpmath.exp(real(eps))
        for terms in (14, 40, 90):
            low, high = (real(end) for end in oracle.exp_bounds(eps, terms))
            assert low <= value * (1 + mpmath.mpf(10) ** -55) and value * (1 - mpmath.mpf(10) ** -55) <= high
    low, high = oracle.exp_bounds(eps, 200)
    assert low <= high < low + Fraction(1, 10**100)


def test_signs_are_decided_next_to_e():
    # 2718281828459045235360287471352662497757/10^39 < e < the same + 1/10^39 (e = 2.71828...7757|247...)
    digits = 2718281828459045235360287471352662497757
    assert oracle.sign_with_exp(Fraction(digits, 10**39), Fraction(1), Fraction(1)) == -1
    assert oracle.sign_with_exp(Fraction(digits + 1, 10**39), Fraction(1), Fraction(1)) == 1
    assert oracle.sign_with_exp(Fraction(0), Fraction(0), Fraction(1)) == 0
    assert oracle.sign_with_exp(Fraction(2), Fraction(2), Fraction(0)) == 0


@given(randomizers(), st.fractions(Fraction(1, 9), 3, max_denominator=9))
@random_cases(60)
def test_parts_add_up_to_the_divergence(randomizer, eps):
    P, Q = (oracle.preshuffle_law(randomizer, x) for x in "01")
    a, b = oracle.hockey_stick_parts(P, Q, eps)
    with mpmath.workdps(50):
        t = mpmath.exp(real(eps))
        direct = sum(max(real(p) - t * real(Q.get(y, Fraction(0))), 0) for y, p in P.items())
        assert abs(real(a) - t * real(b) - direct) < mpmath.mpf(10) ** -45


def test_preshuffle_forgets_order_and_local_does_not():
    assert oracle.preshuffle_law(MIXED, "a") == {(): HALF, ("x", "y"): HALF}
    assert oracle.local_law(MIXED, "a") == {(): HALF, ("x", "y"): THIRD, ("y", "x"): Fraction(1, 6)}
    assert oracle.delta(oracle.r_infinity(), 1, Fraction(1), "local") == 1
    assert oracle.delta(oracle.r_infinity(), 1, Fraction(1), "preshuffle") == 0


@given(randomizers(), st.fractions(0, 1, max_denominator=12))
@random_cases(100)
def test_epsilon_ratio_is_the_smallest(randomizer, delta):
    t = oracle.epsilon_ratio(randomizer, 1, delta)
    if t is None:  # even an immense t is not enough
        assert oracle.delta(randomizer, 1, Fraction(10**30)) > delta
    else:
        assert oracle.delta(randomizer, 1, t) <= delta
        assert t == 1 or oracle.delta(randomizer, 1, t - Fraction(1, 10**9)) > delta
