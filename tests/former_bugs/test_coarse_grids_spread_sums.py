"""A grid that a blanket's certificate hints at was as long as the sum, not as the sum on the grid, which is wider.

Where the claim lies far above the bound the step is coarse, the sum on its multiples spreads over the ends of the
cells, and the kernel, which counts what leaves at one end as if it came in at the other, did not find what is claimed.
"""

from shufflecert.protocols.krr import KRR
from shufflecert.verify import kernel
from shufflecert.verify.decide.certify import certify


def test_a_claim_far_above_the_bound_has_a_certificate():
    found = certify(KRR("3", "9/10"), 10**5, "1/20", "1/1000")
    assert found.verdict == "PROVED" and found.worst.delta.high < found.claim.delta / 10**6
    assert kernel.check(found.certificate_text().encode()).status == "accepted"
