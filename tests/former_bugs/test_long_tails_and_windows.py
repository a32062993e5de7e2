"""Sums over millions of points: minutes, then a refusal, or all memory. Now a formula, or a refusal before the work."""

from fractions import Fraction

import pytest

from shufflecert.verify.enclose.interval import Interval, refine
from shufflecert.verify.enclose.noise_laws import Binomial, NegativeBinomial, Poisson
from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from shufflecert.verify.pairs.windowed import Product, Reversed, SumPair

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("noise", "eps", "size"),
    [
        (Poisson(10**15), "1e-7", "6.73e-12"),
        (Binomial(10**12, HALF), 0, "7.97e-7"),  # delta(0) is the largest probability, (2 pi n p (1 - p))^(-1/2)
        (Binomial(10**15, HALF), "1e-30", "2.52e-8"),
        (NegativeBinomial(3, 1 - Fraction(1, 10**9)), "1e-12", "2.69e-10"),
        (NegativeBinomial(HALF, 1 - Fraction(1, 10**9)), "1e-8", "3.16e-5"),
    ],
)
def test_tails_of_wide_laws(noise, eps, size):
    found = refine(lambda bits: ShiftedNoise(noise).divergence(Eps.of(eps), bits))
    assert Fraction(size) < found.low and found.high < Fraction(size) * Fraction(102, 100)
    assert found.relative_width < Fraction(1, 10**30)


@pytest.mark.parametrize(
    "noise", [Binomial(10**12, HALF), NegativeBinomial(3, 1 - Fraction(1, 10**9)), Poisson(10**15)]
)
def test_windows_of_wide_laws_are_refused_with_the_estimate(noise):
    pair = SumPair((noise,), (noise,), 1)
    with pytest.raises(TooMuchWork, match=r"window of about \d+ terms of 128 bits, \d+ MiB: expected at most 512 MiB"):
        Product(pair, Reversed(pair)).divergence(Eps.of(1), 128)


def test_what_is_known_before_it_is_too_much_is_kept():
    def ends(bits):
        if bits > 600:
            raise TooMuchWork("over 600 bits")
        return Fraction(0), Fraction(1, 2**bits)

    assert refine(ends) == Interval(Fraction(0), Fraction(1, 2**512))
    with pytest.raises(TooMuchWork):
        refine(ends, first_bits=1024)
