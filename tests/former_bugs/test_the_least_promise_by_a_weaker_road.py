"""`certify` without --eps or --delta asked a blanket alone, where `epsilon` and `delta` close in."""

from fractions import Fraction

import pytest

from shufflecert import certify, delta, epsilon
from shufflecert.verify import kernel
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce.privacy_blanket import reach_of
from shufflecert.verify.reduce.reduction import worst_delta, worst_epsilon
from tests.random_tables import table

N, BOUND = 40, Fraction(1, 1000)


@pytest.fixture
def randomizer(reduced_tables):
    return Randomizer.of(table(1, "one of three", 2))


def digits_above(end):
    """The largest number of three digits that is no more than the end rounded up: a part in 100 above it at most."""
    return end * Fraction(101, 100)


def test_the_least_eps_is_that_of_epsilon(randomizer):
    high = epsilon(randomizer, N, BOUND).upper
    assert high * Fraction(51, 50) < worst_epsilon(reach_of(randomizer, N), BOUND)[1]  # what a blanket alone shows
    found = certify(randomizer, N, delta=BOUND)
    assert found.verdict == "PROVED" and high <= Fraction(found.tree["claim"]["eps"]) <= digits_above(high)
    assert kernel.check(found.found.certificate_text().encode()).status == "accepted"


def test_the_least_delta_is_that_of_delta(randomizer):
    eps = Eps.of("1/2")
    high = delta(randomizer, N, eps).upper
    assert high * Fraction(51, 50) < worst_delta(reach_of(randomizer, N), eps).value.high
    found = certify(randomizer, N, eps)
    assert found.verdict == "PROVED" and high <= Fraction(found.tree["claim"]["delta"]) <= digits_above(high)
    assert kernel.check(found.found.certificate_text().encode()).status == "accepted"
