"""The shift of -X for a negative binomial X with r < 1 was a traceback: it is a shift of X, the other way."""

from fractions import Fraction

from verify.noise import NegativeBinomial, Reflected
from verify.number import Eps
from verify.shift import Shift


def test_both_directions():
    law = NegativeBinomial(Fraction(1, 2), Fraction(1, 3))
    for by in (1, -1, 3, -3):
        for eps in (Eps.of(0), Eps.of("1/2"), Eps.of(3)):
            assert Shift(Reflected(law), by).divergence(eps, 128) == Shift(law, -by).divergence(eps, 128)
