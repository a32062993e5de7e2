"""A sum of two noises was bounded, at points of its window, without what falls there from outside the terms' own."""

from fractions import Fraction

import pytest

from shufflecert.verify.enclose.interval import refine
from shufflecert.verify.enclose.noise_laws import NegativeBinomial
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from shufflecert.verify.pairs.windowed import SumPair


@pytest.mark.parametrize("eps", ["1/10", "1/2", "log(2)", "7/10"])
def test_two_noises_are_their_sum(eps):
    """NB(1/2, p) + NB(1/3, p) is NB(5/6, p): one unit more against that was put above the true value."""
    half, third, both = (NegativeBinomial(Fraction(r), Fraction(1, 2)) for r in ("1/2", "1/3", "5/6"))
    low, high = SumPair((half, third), (half, third), 1).divergence(Eps.of(eps), 128)
    true = refine(lambda bits: ShiftedNoise(both, 1).divergence(Eps.of(eps), bits), digits=50)
    assert low <= true.low <= true.high <= high and high - low < Fraction(1, 10**28)
