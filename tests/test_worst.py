"""decide/worst_case.py: engine against oracle over all ordered datasets, and laws that every privacy profile obeys."""

from fractions import Fraction
from unittest import mock

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify.bound.question import Effort
from shufflecert.verify.decide import worst_case
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact import neighbours
from shufflecert.verify.exact.epsilon import Eps
from tests import oracle
from tests.helpers import EXPONENTS, POWERS, VIEWS, cyclic, engine, hadamard, random_cases, randomizers

views = st.sampled_from(VIEWS)
users = st.integers(1, 3)
deltas = st.builds(Fraction, st.integers(0, 12), st.just(12))


def delta_at(tree, n, t, view="shuffled"):
    """The engine's delta at rational t = e^eps, as a Fraction."""
    found = worst_case.delta(engine(tree), n, Eps.log(t), view).delta
    return found.A - found.B * t


def epsilon_power(tree, n, delta=0, view="shuffled"):
    """The engine's smallest e^eps, None where infinite."""
    eps = worst_case.epsilon(engine(tree), n, delta, view).eps
    return eps and eps.power


# Against the oracle ------------------------------------------------------------------------------------------------


def agree(tree, n, view, exponent, delta):
    """Delta, exact (A, B), epsilon and the whole profile are the oracle's, over all ordered datasets."""
    found = worst_case.delta(engine(tree), n, exponent, view)
    if exponent:
        assert oracle.delta_parts(tree, n, exponent, view) == (found.delta.A, found.delta.B)
    profile = worst_case.privacy_profile(engine(tree), n, view)
    for t in {*POWERS, *profile.starts[:4]}:
        expected = oracle.delta(tree, n, t, view)
        assert delta_at(tree, n, t, view) == expected
        assert profile.delta(Eps.log(t)) == expected
    assert epsilon_power(tree, n, 0, view) == oracle.pure_epsilon_ratio(tree, n, view)
    expected = oracle.epsilon_ratio(tree, n, delta, view)
    assert epsilon_power(tree, n, delta, view) == expected
    assert profile.epsilon(delta) == (expected and Eps.log(expected))


@random_cases(1500, 12)
@given(randomizers(), users, views, st.sampled_from(EXPONENTS), deltas)
def test_engine_is_the_oracle(tree, n, view, exponent, delta):
    agree(tree, n, view, exponent, delta)


SAMPLE = {
    "krr": (oracle.krr(3, "3/10"), 3),
    "r_gap": (oracle.r_gap(), 3),
    "cyclic": (cyclic(), 2),
    "hist": (oracle.hist(2, "1/3"), 3),
    "fragmented rappor": (oracle.fragmented_rappor(2, "1/4"), 3),
    "hadamard": (hadamard(2), 2),
}


@pytest.mark.parametrize("name", SAMPLE)
def test_the_worst_pair_attains_what_is_said_of_it(name):
    tree, n = SAMPLE[name]
    found = worst_case.delta(engine(tree), n, "1/2")
    pair = found.scope.worst
    others = [x for x, count in pair.others.items() for _ in range(count)]
    laws = [oracle.convolved_law(tree, (user, *others)) for user in (pair.source, pair.target)]
    assert oracle.hockey_stick_parts(*laws, Fraction(1, 2)) == (found.delta.A, found.delta.B)
    assert oracle.delta_parts(tree, n, Fraction(1, 2)) == (found.delta.A, found.delta.B)


@pytest.mark.parametrize("name", SAMPLE)
def test_nothing_rests_on_the_symmetries(name):
    tree, n = SAMPLE[name]
    found, power = worst_case.delta(engine(tree), n, "3/10"), epsilon_power(tree, n, "1/20")
    with mock.patch.object(neighbours, "symmetries", lambda view: []):
        plain = worst_case.delta(engine(tree), n, "3/10")
        assert epsilon_power(tree, n, "1/20") == power
    assert (plain.delta.A, plain.delta.B) == (found.delta.A, found.delta.B)
    assert plain.scope.stands_for == found.scope.stands_for
    assert plain.scope.pairs >= found.scope.pairs


def test_progress_sees_every_pair_and_may_be_anything_that_iterates():
    totals = []

    def progress(cases, total):
        totals.append(total)
        return cases

    found = worst_case.delta(engine(oracle.krr(3, "3/10")), 4, 1, effort=Effort(progress=progress))
    assert totals == [found.scope.pairs]


def test_a_single_input_has_no_neighbours():
    alone = engine({"0": {("a",): Fraction(1, 2), (): Fraction(1, 2)}})
    found = worst_case.delta(alone, 3, 0)
    assert found.delta == 0 and found.scope.worst is None and found.scope.stands_for == found.scope.pairs == 0
    assert worst_case.epsilon(alone, 3).eps == Eps.of(0)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ({"n": 0}, "n: 0: expected an integer"),
        ({"n": 2, "view": "central"}, "view: 'central' is unknown"),
        ({"n": 2, "eps": -1}, "eps: -1: expected"),
        ({"n": 2, "eps": 0.5}, "eps: 0.5 is a float"),
    ],
)
def test_bad_questions(arguments, complaint):
    with pytest.raises(BadInput, match=complaint):
        worst_case.delta(engine(oracle.rr("1/4")), **arguments)


@pytest.mark.parametrize("delta", [-1, "1.0000000001", 0.5, "abc"])
def test_bad_deltas(delta):
    with pytest.raises(BadInput, match=r"^delta: "):
        worst_case.epsilon(engine(oracle.rr("1/4")), 2, delta)
