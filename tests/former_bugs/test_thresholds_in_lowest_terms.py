"""Weights of 2^52 for a single message made a window of the kernel too long: the certificate was not re-checked."""

from fractions import Fraction

from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.kernel import check
from tests.asked import decided

MORE = {"0": {("a",) * 6: Fraction(1)}, "1": {("a",) * 3: Fraction(1, 7), ("a",) * 6: Fraction(6, 7)}}


def test_weights_have_no_common_factor():
    found = decided(Randomizer.of(MORE), 5, "1/5", "1/8", 10**7)
    assert found.verdict == "REFUTED"
    assert found.certificate["because"]["event"]["weights"] == {"a": "-1"}
    assert check(found.certificate_text().encode()).status == "accepted"
