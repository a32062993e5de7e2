"""exact/views.py against the oracle: reductions lose nothing, and products are the direct ones."""

from fractions import Fraction
from itertools import product
from math import prod

import pytest
from flint import Ordering, fmpz_mpoly_ctx
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.neighbours import neighbourhood
from shufflecert.verify.exact.views import view_of
from tests import oracle
from tests.helpers import VIEWS, engine, few, randomizers, some


def compositions(total, parts):
    return {c for c in product(range(total + 1), repeat=parts) if sum(c) == total}


def listed(bag):
    """A multiset {(message,): count} as the oracle's sorted tuple."""
    return tuple(sorted(m for (m,), count in bag.items() for _ in range(count)))


def law_on(outcomes, weights, pair):
    return {y: Fraction(int(w), int(pair.denominator)) for y, w in zip(outcomes, weights, strict=True) if w}


@some
@given(randomizers(), st.integers(1, 4))
def test_others_are_all_the_direct_products(tree, total):
    view = view_of(engine(tree))
    walked = list(view.others(total))
    assert {counts for counts, _ in walked} == compositions(total, len(view.classes))
    assert len(walked) == len({counts for counts, _ in walked})
    for counts, G in walked:
        direct = view.ring.constant(1)
        for base, count in zip(view.bases, counts, strict=True):
            for _ in range(count):
                direct = direct * base
        assert direct == G


@some
@given(randomizers(), st.integers(1, 3))
def test_the_full_multisets_come_back(tree, n):
    """f_x G with its monomials written out as multisets is the law of the dataset that the case names."""
    around = neighbourhood(engine(tree), n)
    for case in around:
        outcomes = around.outcomes(case, range(len(case.monomials)))
        bags = [listed(bag) for bag in outcomes]
        assert len(set(bags)) == len(bags)
        others = [x for x, count in case.neighbours.others.items() for _ in range(count)]
        sides = (case.neighbours.source, case.pair.p), (case.neighbours.target, case.pair.q)
        for user, weights in sides:
            assert law_on(bags, weights, case.pair) == oracle.multiset_law(tree, (user, *others))


@some
@given(randomizers(), st.data())
def test_the_law_of_any_dataset(tree, data):
    dataset = data.draw(st.lists(st.sampled_from(list(tree)), max_size=4))
    view = view_of(engine(tree))
    law = prod((view.polynomials[view.inputs.index(x)] for x in dataset), start=view.ring.constant(1))
    bags = [
        tuple(sorted(m for i, count in bag for m in view.messages[i] * count))
        for bag in view.multisets(len(dataset), law.monoms(), {})
    ]
    scale = view.denominator ** len(dataset)
    found = {bag: Fraction(int(w), scale) for bag, w in zip(bags, law.coeffs(), strict=True)}
    assert found == oracle.multiset_law(tree, dataset)


@some
@given(randomizers())
def test_one_user_views(tree):
    for name, law_of in [("local", oracle.local_law), ("preshuffle", oracle.preshuffle_law)]:
        around = neighbourhood(engine(tree), 5, name)
        pairs = [(case.neighbours.source, case.neighbours.target) for case in around]
        assert sorted(pairs) == sorted((x, y) for x in tree for y in tree if x != y)
        for case in around:
            bags = around.outcomes(case, range(len(case.monomials)))
            shown = [next(iter(bag)) if name == "local" else listed(bag) for bag in bags]
            assert law_on(shown, case.pair.p, case.pair) == law_of(tree, case.neighbours.source)
            assert case.neighbours.others == {}


@pytest.mark.parametrize(
    ("tree", "kept", "classes"),
    [
        # one message a user: the last label's number is n minus the others'; all rows differ by more than a monomial
        (oracle.krr(3, "3/10"), ["0", "1"], [["0"], ["1"], ["2"]]),
        (oracle.rr("1/4"), ["0"], [["0"], ["1"]]),
        # always "0" and "1" once: nothing is left to count, and the rows are equal
        (oracle.r_infinity(), [], [["0", "1"]]),
        # f_1 = z f_0
        (oracle.zsum("1/3"), ["1"], [["0", "1"]]),
        (oracle.hist(3, "1/3"), None, [["1", "2", "3"]]),
        # "j:1" is 1 - "j:0" for each j
        (oracle.fragmented_rappor(2, "1/4"), ["1:1", "2:0"], [["1"], ["2"]]),
        (oracle.r_gap(), ["0"], [["0"], ["1"]]),
    ],
)
def test_what_is_implied_and_what_is_one_class(tree, kept, classes):
    view = view_of(engine(tree))
    if kept is not None:
        assert len(view.kept) == len(kept)
        assert len(view.messages) - len(view.implied) == len(kept)
    assert [[view.inputs[x] for x in group] for group in view.classes] == classes


@few
@given(randomizers(), st.integers(1, 3))
def test_terms_bounds_the_number_of_outcomes(tree, n):
    bound = view_of(engine(tree)).terms(n)
    assert all(len(oracle.convolved_law(tree, dataset)) <= bound for dataset in product(tree, repeat=n))


def test_a_message_that_follows_from_two_others():
    # c is sent as often as a and b together, half as often as d: two numbers tell four
    tree = {"0": {("a", "c", "d", "d"): Fraction(1, 2), ("b", "c", "d", "d"): Fraction(1, 2)}, "1": {(): Fraction(1)}}
    view = view_of(engine(tree))
    assert len(view.kept) == 2
    # two users on 0 and one on 1; the law is binomial: aa, ab, bb with 1/4, 1/2, 1/4 and always cc dddd
    G = dict(view.others(2))[2, 0]
    product_ = view.polynomials[1] * G
    bags = view.multisets(3, product_.monoms(), view.cleared((2, 0)))
    named = [{view.messages[i][0]: count for i, count in bag} for bag in bags]
    assert {(bag.get("a", 0), bag.get("b", 0)): int(w) for bag, w in zip(named, product_.coeffs(), strict=True)} == {
        (2, 0): 2,  # over the common denominator 2^3
        (1, 1): 4,
        (0, 2): 2,
    }
    assert all(bag["c"] == 2 and bag["d"] == 4 for bag in named)


def test_no_messages_at_all():
    view = view_of(engine({"0": {(): Fraction(1)}, "1": {(): Fraction(1)}}))
    assert view.messages == () and view.classes == ((0, 1),)
    one = fmpz_mpoly_ctx.get(["z"], Ordering.lex).constant(1)
    assert list(view.others(3)) == [((3,), one)]


def test_an_unknown_view_is_refused():
    with pytest.raises(BadInput, match=r"view: 'central' is unknown: expected one of shuffled, preshuffle, local"):
        view_of(engine(oracle.rr("1/4")), "central")
    assert {view_of(engine(oracle.rr("1/4")), name).name for name in VIEWS} == set(VIEWS)
