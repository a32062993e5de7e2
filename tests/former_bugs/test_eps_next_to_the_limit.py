"""eps a little below log(1/q), the limit of log P/Q, was a search without end: no precision told the two apart."""

from fractions import Fraction

import mpmath
import pytest

from shufflecert.verify.enclose.interval import refine
from shufflecert.verify.enclose.noise_laws import DiscreteLaplace, NegativeBinomial
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from tests.reference import real


def log_two(digits):
    """log 2, rounded down to so many digits."""
    with mpmath.workdps(digits + 20):
        return Fraction(int(mpmath.floor(mpmath.log(2) * mpmath.mpf(10) ** digits)), 10**digits)


@pytest.mark.parametrize("digits", [30, 60, 200])
def test_discrete_laplace(digits):
    # delta = Pr[X >= 0] (1 - e^eps / 2) = 2/3 (1 - e^(eps - log 2))
    eps = log_two(digits)
    with mpmath.workdps(2 * digits + 60):
        exact = -mpmath.expm1(real(eps) - mpmath.log(2)) * 2 / 3
    found = refine(lambda bits: ShiftedNoise(DiscreteLaplace(Fraction(1, 2))).divergence(Eps.of(eps), bits))
    assert found.low > 0 and found.relative_width < Fraction(1, 10**30)
    with mpmath.workdps(2 * digits + 60):
        low, high = (real(end) for end in (found.low, found.high))
        assert low <= exact * (1 + mpmath.mpf(10) ** -(digits + 20)) and high >= exact * (1 - mpmath.mpf(10) ** -40)


@pytest.mark.parametrize("digits", [6, 30, 60, 200])
def test_negative_binomial(digits):
    # P/Q = 2 k / (k + 2) > e^eps from k = 10^digits on or so, where nearly nothing is left
    low, high = ShiftedNoise(NegativeBinomial(3, Fraction(1, 2))).divergence(Eps.of(log_two(digits)), 128)
    assert low == 0 and 0 < high < Fraction(1, 2 ** min(10**digits, 300_000))


@pytest.mark.parametrize("bits", [8, 128])
@pytest.mark.parametrize("digits", [30, 200])
def test_negative_binomial_that_is_not_log_concave(digits, bits):
    # r = 1/2: next to the limit on either side, delta is 1 - e^eps Pr[X >= 1] = 1 - 2 (1 - 2^(-1/2)) up to the distance
    law = NegativeBinomial(Fraction(1, 2), Fraction(1, 2))
    for eps in (log_two(digits), log_two(digits) + Fraction(1, 10**digits)):
        low, high = ShiftedNoise(law).divergence(Eps.of(eps), bits)
        assert (low + 1) ** 2 - 2 <= Fraction(4, 10**29) and (high + 1) ** 2 - 2 >= -Fraction(4, 10**29)
        assert high - low < Fraction(1, 2**bits)
