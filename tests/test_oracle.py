"""The oracle against hand computations, closed forms, mpmath and itself by slower ways."""

from fractions import Fraction
from itertools import chain, combinations, permutations, product

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import oracle
from tests.helpers import random_cases
from tests.reference import binomial, real

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
MIXED = {
    "a": {(): HALF, ("x", "y"): THIRD, ("y", "x"): Fraction(1, 6)},
    "b": {("x",): QUARTER, ("y", "y"): 3 * QUARTER},
}


def named():
    """A small instance of every named randomizer."""
    yield from (oracle.r_gap(), oracle.r_infinity(), oracle.rr(QUARTER), oracle.krr(3, HALF), oracle.zsum(THIRD))
    yield from (oracle.hist(2, THIRD), oracle.rappor(2, QUARTER), oracle.fragmented_rappor(2, QUARTER), MIXED)


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


def test_convolution_agrees_with_enumeration_for_every_dataset_of_three():
    for randomizer in named():
        if len(randomizer) == 2 and max(map(len, randomizer.values())) <= 4:
            for dataset in product(randomizer, repeat=3):
                assert oracle.convolved_law(randomizer, dataset) == oracle.multiset_law(randomizer, dataset)


def test_zsum_is_the_sum_plus_a_binomial():
    for dataset in product("01", repeat=4):
        s = dataset.count("1")
        closed = {("1",) * (s + z): p for z, p in binomial(4, THIRD).items()}
        assert oracle.convolved_law(oracle.zsum(THIRD), dataset) == closed


def test_rr_is_a_sum_of_two_binomials():
    for dataset in product("01", repeat=4):
        m, law = dataset.count("1"), {}
        for (a, p), (b, q) in product(binomial(m, 3 * QUARTER).items(), binomial(4 - m, QUARTER).items()):
            outcome = ("0",) * (4 - a - b) + ("1",) * (a + b)
            law[outcome] = law.get(outcome, 0) + p * q
        assert oracle.convolved_law(oracle.rr(QUARTER), dataset) == law


def test_hist_is_independent_shifted_binomials():
    law, noise = oracle.convolved_law(oracle.hist(2, THIRD), ("1", "2", "2")), binomial(3, THIRD)
    closed = {("1",) * (1 + y) + ("2",) * (2 + z): noise[y] * noise[z] for y in noise for z in noise}
    assert law == closed


def test_fragmented_rappor_is_rappor_in_pieces():
    whole, pieces = oracle.rappor(3, THIRD), oracle.fragmented_rappor(3, THIRD)
    for x in whole:
        assert {("".join(m[-1] for m in sent),): p for sent, p in pieces[x].items()} == whole[x]
    # input 2 of d = 3: every bit kept is 010 w.p. (2/3)^3; all flipped is 101 w.p. (1/3)^3
    assert whole["2"]["010",] == Fraction(8, 27) and whole["2"]["101",] == Fraction(1, 27)


def test_rows_are_laws_and_have_the_stated_sizes():
    for randomizer in named():
        assert all(sum(row.values()) == 1 and min(row.values()) > 0 for row in randomizer.values())
    assert [len(row) for row in oracle.r_gap().values()] == [16, 10]
    assert oracle.krr(3, HALF)["1"] == {("0",): Fraction(1, 6), ("1",): Fraction(2, 3), ("2",): Fraction(1, 6)}
    assert oracle.rr(0) == {"0": {("0",): 1}, "1": {("1",): 1}}


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


def test_delta_parts_names_the_worst_pair():
    # rr local at eps: delta = (1 - f) - f e^eps in both directions
    assert oracle.delta_parts(oracle.rr(QUARTER), 1, Fraction(1, 2), "local") == (3 * QUARTER, QUARTER)
    # with log(3) < eps nothing is left
    assert oracle.delta_parts(oracle.rr(QUARTER), 1, Fraction(2), "local") == (0, 0)
    # eps = 0: total variation 1 - 2f over all pairs
    a, b = oracle.delta_parts(oracle.rr(QUARTER), 3, Fraction(0), "local")
    assert a - b == HALF


def test_pure_epsilon_in_closed_form():
    for flip in (QUARTER, THIRD, Fraction(1, 100)):
        # all users truthful against all but one: the outcome "all ones" has ratio (1-f)/f, whatever n
        for n, view in [(1, "local"), (1, "shuffled"), (3, "shuffled"), (2, "preshuffle")]:
            assert oracle.pure_epsilon_ratio(oracle.rr(flip), n, view) == (1 - flip) / flip
    assert oracle.pure_epsilon_ratio(oracle.krr(3, HALF), 1, "local") == Fraction(2, 3) / Fraction(1, 6)
    assert oracle.pure_epsilon_ratio(oracle.rappor(3, QUARTER), 1, "local") == 3**2  # two bits differ
    assert oracle.pure_epsilon_ratio(oracle.zsum(HALF), 3) is None


def test_balcer_cheu_claims_19_and_20():
    infinity, gap = oracle.r_infinity(), oracle.r_gap()
    assert oracle.pure_epsilon_ratio(infinity, 3, "shuffled") == 1
    assert oracle.pure_epsilon_ratio(infinity, 1, "local") is None
    assert oracle.pure_epsilon_ratio(gap, 1, "preshuffle") is None
    assert oracle.delta(gap, 1, Fraction(10**9), "preshuffle") == Fraction(6, 16)  # Pr[sum is 2], impossible on 1
    assert oracle.pure_epsilon_ratio(gap, 1, "shuffled") is None
    # n = 2: sums 0..4 have 1, 4, 6, 4, 1 sixteenths on 0 and 1, 4, 0, 4, 1 tenths on 1; their products are, by hand,
    on_00 = [Fraction(c, 256) for c in (1, 8, 28, 56, 70, 56, 28, 8, 1)]  # the binomials of 8
    on_01 = [Fraction(c, 160) for c in (1, 8, 22, 32, 34, 32, 22, 8, 1)]
    on_11 = [Fraction(c, 100) for c in (1, 8, 16, 8, 34, 8, 16, 8, 1)]
    ratios = [p / q for one, other in [(on_00, on_01), (on_01, on_11)] for p, q in zip(one, other, strict=True)]
    assert sum(on_01) == sum(on_11) == 1
    assert oracle.pure_epsilon_ratio(gap, 2, "shuffled") == max(*ratios, *(1 / ratio for ratio in ratios))


@pytest.mark.parametrize("view", ["local", "preshuffle"])
def test_unchanged_users_do_not_matter_without_shuffling(view):
    for randomizer in (oracle.rr(THIRD), MIXED):
        for t in (Fraction(1), Fraction(3, 2), Fraction(2)):
            assert oracle.delta(randomizer, 2, t, view) == oracle.delta(randomizer, 1, t, view)


def test_preshuffle_forgets_order_and_local_does_not():
    assert oracle.preshuffle_law(MIXED, "a") == {(): HALF, ("x", "y"): HALF}
    assert oracle.local_law(MIXED, "a") == {(): HALF, ("x", "y"): THIRD, ("y", "x"): Fraction(1, 6)}
    assert oracle.delta(oracle.r_infinity(), 1, Fraction(1), "local") == 1
    assert oracle.delta(oracle.r_infinity(), 1, Fraction(1), "preshuffle") == 0


def test_epsilon_ratio_in_closed_form():
    # rr local: (1 - f) - t f = delta
    assert oracle.epsilon_ratio(oracle.rr(QUARTER), 1, Fraction(1, 10), "local") == (3 * QUARTER - Fraction(1, 10)) * 4
    assert oracle.epsilon_ratio(oracle.rr(QUARTER), 1, Fraction(0), "local") == 3
    assert oracle.epsilon_ratio(oracle.rr(QUARTER), 1, HALF, "local") == 1
    # r_gap before the shuffler: Pr[sum is 2] = 6/16 on 0 and 0 on 1, so nothing below 6/16 will do; at t = 1 that is
    # all there is in this direction, and the other has 10 (1/10 - 1/16) = 6/16 too
    assert oracle.epsilon_ratio(oracle.r_gap(), 1, Fraction(6, 16) - Fraction(1, 10**9), "preshuffle") is None
    assert oracle.epsilon_ratio(oracle.r_gap(), 1, Fraction(6, 16), "preshuffle") == 1


@given(randomizers(), st.fractions(0, 1, max_denominator=12))
@random_cases(100)
def test_epsilon_ratio_is_the_smallest(randomizer, delta):
    t = oracle.epsilon_ratio(randomizer, 1, delta)
    if t is None:  # even an immense t is not enough
        assert oracle.delta(randomizer, 1, Fraction(10**30)) > delta
    else:
        assert oracle.delta(randomizer, 1, t) <= delta
        assert t == 1 or oracle.delta(randomizer, 1, t - Fraction(1, 10**9)) > delta
