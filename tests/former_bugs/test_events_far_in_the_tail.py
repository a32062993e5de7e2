"""A refutation of a delta below 10^-150 named a tail that its window did not reach: the kernel rejected it."""

import pytest

from shufflecert.protocols.zsum import ZSum
from shufflecert.verify import kernel
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.exact.rational import rational


@pytest.mark.parametrize("delta", ["9e-488", "1e-900", "0"])
def test_a_refutation_of_a_tiny_delta(delta):
    """delta(1) is 9.06e-488 there (its proof by windows of the kernel accepts 9.07e-488)."""
    found = certify(ZSum(rational("1/2")), 10**4, 1, delta)
    assert found.verdict == "REFUTED"
    assert kernel.check(found.certificate_text().encode()).status == "accepted"
    kept = certify(ZSum(rational("1/2")), 10**4, 1, "9.07e-488")
    assert kept.verdict == "PROVED" and kernel.check(kept.certificate_text().encode()).status == "accepted"
