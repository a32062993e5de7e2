"""The laws of exact/randomizer.py against sums written out with Fractions."""

from fractions import Fraction
from itertools import product
from math import comb

import pytest
from flint import fmpz
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import Law, bernoulli, binomial, copies, plus, plus_vectors, shift
from tests.helpers import some

weights = st.dictionaries(st.integers(-4, 4), st.integers(0, 5), min_size=1, max_size=4)
laws = weights.filter(lambda w: any(w.values())).map(lambda w: {k: Fraction(v, sum(w.values())) for k, v in w.items()})


def direct(first, second, add):
    """The law of add(X, Y) for independent X and Y, one pair of outcomes at a time."""
    result = {}
    for (x, p), (y, q) in product(first.items(), second.items()):
        if p * q:
            result[add(x, y)] = result.get(add(x, y), 0) + p * q
    return result


def test_a_law_is_what_was_given_without_its_zeros():
    law = Law.of({"a": "0.75", "b": "1/4", "c": 0})
    assert dict(law.items()) == {"a": Fraction(3, 4), "b": Fraction(1, 4)}
    assert list(law) == ["a", "b"] and len(law) == 2
    assert law["c"] == law["never seen"] == 0


@pytest.mark.parametrize(
    ("probabilities", "complaint"),
    [
        ({"a": "1/2", "b": "0.4" + "9" * 29}, r"sum to 1 - 1/10{30}: expected exactly 1"),
        ({"a": 1, "b": "1e-30"}, r"sum to 1 \+ 1/10{30}: expected exactly 1"),
        ({"a": "1/2"}, "sum to 1/2: expected exactly 1"),
        ({}, "sum to 0: expected exactly 1"),
        ({"a": "3/2", "b": "-1/2"}, "here: 'a': 3/2 is not a probability"),
        ({"a": 0.5, "b": 0.5}, "here: 'a': 0.5 is a float"),
    ],
)
def test_nothing_is_renormalised(probabilities, complaint):
    with pytest.raises(BadInput, match=complaint):
        Law.of(probabilities, "here")


@some
@given(laws, laws)
def test_sums_of_independent_variables(first, second):
    X, Y = Law.of(first), Law.of(second)
    assert dict(plus(X, Y).items()) == direct(first, second, lambda x, y: x + y)
    assert dict(X.times(Y).items()) == direct(first, second, lambda x, y: (x, y))
    moved = {k + 3: p for k, p in first.items() if p}
    assert dict(shift(X, 3).items()) == moved


@some
@given(laws, st.integers(0, 4))
def test_copies_are_repeated_sums(law, n):
    expected = {0: Fraction(1)}
    for _ in range(n):
        expected = direct(expected, law, lambda x, y: x + y)
    assert dict(copies(Law.of(law), n).items()) == expected


def test_vectors_are_added_coordinate_by_coordinate():
    # (1, 0) or (0, 1) with halves, twice: (2, 0), (1, 1), (0, 2) with 1/4, 1/2, 1/4
    law = Law.of({(1, 0): "1/2", (0, 1): "1/2"})
    twice = {(2, 0): Fraction(1, 4), (1, 1): Fraction(1, 2), (0, 2): Fraction(1, 4)}
    assert dict(plus_vectors(law, law).items()) == twice


@pytest.mark.parametrize("p", [0, 1, "1/3", "0.999"])
@pytest.mark.parametrize("n", [0, 1, 7])
def test_binomial_is_its_formula(n, p):
    q = Fraction(p)
    formula = {k: comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)}
    assert dict(binomial(n, p).items()) == {k: w for k, w in formula.items() if w}
    assert sum(binomial(n, p).weights.values(), fmpz(0)) == binomial(n, p).denominator


def test_bernoulli_and_bad_parameters():
    assert dict(bernoulli("1/3").items()) == {0: Fraction(2, 3), 1: Fraction(1, 3)}
    for make in (lambda: bernoulli("3/2"), lambda: binomial(-1, "1/2"), lambda: binomial(2, 0.5)):
        with pytest.raises(BadInput):
            make()
