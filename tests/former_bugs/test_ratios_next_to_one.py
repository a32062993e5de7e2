"""q = 1 - 10^-50 and eps = 0: nowhere did 160 bits tell P from Q, and the search for a point that does had no end."""

from fractions import Fraction

import pytest

from shufflecert.verify.enclose.interval import refine
from shufflecert.verify.enclose.noise_laws import DiscreteLaplace, NegativeBinomial
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise

Q = 1 - Fraction(1, 10**50)


@pytest.mark.parametrize("by", [1, -1, 2, 100])
def test_discrete_laplace(by):
    # X + j against X at eps = 0: the most likely j points, Pr[m <= X < m + j] with m = -floor(j / 2)
    exact = sum((1 - Q) / (1 + Q) * Q ** abs(k) for k in range(-(abs(by) // 2), abs(by) - abs(by) // 2))
    pair = ShiftedNoise(DiscreteLaplace(Q), by)
    for bits in (8, 64, 128):
        low, high = pair.divergence(Eps.of(0), bits)
        assert low <= exact <= high
    found = refine(lambda bits: pair.divergence(Eps.of(0), bits))
    assert found.low <= exact <= found.high and found.relative_width < Fraction(1, 10**30)


@pytest.mark.long
def test_a_negative_binomial_the_other_way():
    # X against X + 1 with r = 2, Pr[k] = (k + 1) (1 - p)^2 p^k: P > Q up to the mode; P - Q adds up to its probability
    found = refine(lambda bits: ShiftedNoise(NegativeBinomial(2, Q), -1).divergence(Eps.of(0), bits))
    with_mode = (1 - Q) * Fraction(36787, 100_000)  # e^-1 = 0.367879...
    assert with_mode < found.low and found.high < (1 - Q) * Fraction(36789, 100_000)
    assert found.relative_width < Fraction(1, 10**30)
