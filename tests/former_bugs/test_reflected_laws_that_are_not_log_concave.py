"""The shift of -X for a negative binomial X with r < 1 was a traceback: it is a shift of X, the other way."""

from fractions import Fraction

from shufflecert.verify.enclose.noise_laws import NegativeBinomial, Reflected
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise


def test_both_directions():
    law = NegativeBinomial(Fraction(1, 2), Fraction(1, 3))
    for by in (1, -1, 3, -3):
        for eps in (Eps.of(0), Eps.of("1/2"), Eps.of(3)):
            assert ShiftedNoise(Reflected(law), by).divergence(eps, 128) == ShiftedNoise(law, -by).divergence(eps, 128)
