"""Incomplete beta and gamma functions: binomial tails as exact sums, integrals by mpmath at 60 digits."""

from fractions import Fraction
from math import comb, isqrt

import mpmath
import pytest
from flint import ctx
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify.enclose.incomplete_functions import beta_share, gamma_share
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.rational import precision
from tests.balls import agrees, contains, sharp
from tests.helpers import random_cases

HALF, TINY = Fraction(1, 2), Fraction(1, 10**12)


BETAS = [
    (1, 1, "1/50"),
    (1, 9, "1/3"),
    (9, 1, "1/3"),
    (3, 40, "1/50"),
    (17, 5, "4/5"),
    (40, 60, "1/3"),
    (300, 300, "1/2"),
]


@pytest.mark.parametrize(("a", "b", "x"), BETAS)
def test_the_incomplete_beta_function_is_a_binomial_tail(a, b, x):
    n, p = a + b - 1, Fraction(x)
    exact = sum(comb(n, j) * p**j * (1 - p) ** (n - j) for j in range(a, n + 1))
    with precision(100):
        share = beta_share(a, b, p)
    assert contains(share, exact) and sharp(share, 90)


@random_cases(25)
@given(
    st.fractions(20, 10**6, max_denominator=10**3),
    st.fractions(20, 10**6, max_denominator=10**3),
    st.fractions(-3, 3, max_denominator=8),
)
def test_the_two_sides_of_the_incomplete_beta_function_sum_to_1(a, b, sigmas):
    mean = a / (a + b)
    x = mean + sigmas * Fraction(isqrt(int(10**18 * mean * (1 - mean) / (a + b + 1))), 10**9)
    if Fraction(1, 10**9) < x < 1 - Fraction(1, 10**9):
        with precision(60):
            assert contains(beta_share(a, b, x) + beta_share(b, a, 1 - x), 1)


@pytest.mark.parametrize(("a", "x"), [(1, "1/10"), (1, "30"), (2, "400"), (30, "1/10"), (30, "31"), (400, "381.5")])
def test_the_incomplete_gamma_function_against_mpmath(a, x):
    with precision(160):
        below, above = gamma_share(a, Fraction(x), above=False), gamma_share(a, Fraction(x), above=True)
        assert contains(below + above, 1) and sharp(below, 130) and sharp(above, 130)
    with mpmath.workdps(80):
        point = mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator
        terms = [mpmath.exp(-point + j * mpmath.log(point) - mpmath.loggamma(j + 1)) for j in range(a)]
        assert agrees(above, mpmath.fsum(terms), 50)


def test_many_bits_are_refused_before_the_work():
    with precision(10_000), pytest.raises(TooMuchWork, match="a tail at 10000 bits"):
        beta_share(10**9, 10**9, HALF)


def test_the_precision_in_force_is_kept():
    before = ctx.prec
    with precision(100):
        Binomial(10**12, HALF).survival(10**12 // 2 + 5)
        assert ctx.prec == 100
    assert ctx.prec == before
