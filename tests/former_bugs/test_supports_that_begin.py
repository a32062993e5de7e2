"""A window cut at one end only was taken to be cut at both: that some outcomes never return was not seen."""

from fractions import Fraction

from shufflecert.protocols.shared.counts import histogram_reach
from shufflecert.verify.enclose.noise_laws import NegativeBinomial, Poisson
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.reduce.reduction import worst_epsilon

HALF = Fraction(1, 2)


def test_histograms_with_noise_that_starts_at_zero():
    # (X + 1, Y) against (X, Y + 1): the second coordinate is 0 with Pr[Y = 0] = (1 - p)^3, and never on the right
    reach = histogram_reach(NegativeBinomial(3, HALF), 5, "")
    assert HALF**3 * (1 - Fraction(1, 10**30)) < reach.attained.never_returns() <= HALF**3
    assert worst_epsilon(reach, Fraction(1, 10**6))[:2] == (None, None)


def test_a_large_eps_needs_few_bits():
    reach = histogram_reach(Poisson(3), 5, "")
    value = reach.attained.worst(Eps.of(1000))[0]
    assert value.relative_width < Fraction(1, 10**30)
    assert Fraction(497, 10_000) < value.low and value.high < Fraction(498, 10_000)  # e^-3 = 0.04978...
