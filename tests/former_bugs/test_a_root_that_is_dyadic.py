"""A local eps whose half is the logarithm of a rational: shares that are multiples of 2^-64 were never decided."""

from fractions import Fraction

import pytest

from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.declare import least_share


@pytest.mark.parametrize(
    ("power", "parts", "root"), [("9", 2, 3), ("4", 2, 2), ("81/16", 4, Fraction(3, 2)), ("9", 1, 9)]
)
def test_a_rational_root_is_exact(power, parts, root):
    assert least_share(Eps.log(Fraction(power)), 2, parts) == Fraction(2) / (1 + root)


def test_what_has_no_rational_root_is_rounded_up():
    share = least_share(Eps.log(Fraction(8)), 2, 2)
    assert 0 < share - Fraction(2 / (1 + 8**0.5)) < Fraction(1, 10**15) and (2 / share - 1) ** 2 < 8


def test_systems_are_made_of_it():
    assert catalogue.load("unary_encoding", {"d": "3", "eps0": "log(9)", "optimized": "no"}).chances[1] == Fraction(
        1, 4
    )
