"""Probabilities such as 2^-(10^12) were written out as fractions, and took all memory; certificates have an end too."""

from fractions import Fraction

import pytest

from shufflecert.protocols.zsum import ZSum
from shufflecert.verify import kernel
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.enclose.interval import NEGLIGIBLE, refine
from shufflecert.verify.enclose.noise_laws import Binomial, Poisson
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise

HALF = Fraction(1, 2)


@pytest.mark.parametrize(
    ("noise", "eps"),
    [
        (Binomial(10**12, HALF), 1),  # about e^-(10^11)
        (Binomial(10**15, HALF), 10_000),  # 2^-(10^15)
        (Poisson(3), 10_000),  # the threshold alone has 4343 digits
    ],
)
def test_a_divergence_that_no_memory_holds(noise, eps):
    found = refine(lambda bits: ShiftedNoise(noise).divergence(Eps.of(eps), bits))
    assert found.low == 0 and found.high == Fraction(1, 2**NEGLIGIBLE)


def test_what_never_returns():
    assert ShiftedNoise(Binomial(10**12, HALF)).never_returns() == 0  # 2^-(10^12), of which 0 is a lower bound
    assert (
        ShiftedNoise(Binomial(100, HALF)).never_returns()
        <= HALF**100
        < ShiftedNoise(Binomial(99, HALF)).never_returns()
    )


def test_a_certificate_of_a_negligible_delta_is_well_formed():
    result = certify(ZSum(HALF), 10**8, 1, "1e-6")
    assert result.verdict == "PROVED"
    assert kernel.check(result.certificate_text().encode()).status == "accepted"
