"""-(-X) forgot the limits of X's ratios: its tails were cut off without what is left, and below their true value."""

from fractions import Fraction

from shufflecert.verify.enclose.noise_laws import DiscreteLaplace, NegativeBinomial, Reflected
from shufflecert.verify.exact.ball import precision


def test_the_tails_are_those_of_the_law():
    # r < 1: the ratios rise to p, and no ratio seen so far bounds those to come. Pr[X >= 1] = 1 - (1 - p)^r = 1/2
    law = NegativeBinomial(Fraction(1, 2), Fraction(3, 4))
    twice = Reflected(Reflected(law))
    assert (twice.limit(), Reflected(DiscreteLaplace(Fraction(1, 3))).limit_below()) == (law.p, Fraction(1, 3))
    with precision(64):
        assert (twice.survival(1) * 2 - 1).contains(0)


def test_beyond_the_last_point_the_ratio_is_0():
    assert Reflected(NegativeBinomial(Fraction(1, 2), Fraction(3, 4))).ratio(1) == (0, 1)
    assert Reflected(NegativeBinomial(1, Fraction(3, 4))).ratio(1) == (0, 1)
