"""A refutation of zsum by a lower tail of the count named a tail that was short by one message: the kernel said no."""

from fractions import Fraction

from shufflecert.protocols.zsum import ZSum
from shufflecert.verify import kernel
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.decide.worst_case import delta


def test_the_named_tail_is_the_one_that_was_found():
    """With p < 1/2 the lower tail is the worst event: next to the delta that it has the certificate is accepted."""
    system, n = ZSum("1/10"), 2000
    found = delta(system, n, "1/10", effort=Effort(work=10))
    assert found.scope.worst.source == "0"
    below = Fraction(found.delta.enclosure()[0]) * Fraction(999_999, 1_000_000)
    result = certify(system, n, "1/10", below, effort=Effort(work=10))
    assert result.certificate["because"]["event"]["weights"] == {"1": "-1"}
    assert kernel.check(result.certificate_text().encode()).status == "accepted"
