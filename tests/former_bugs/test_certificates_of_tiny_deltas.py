"""A worst delta below 10^-100000 was written with an exponent that certificates may not have: the kernel refused it."""

from fractions import Fraction

from shufflecert.verify import kernel
from shufflecert.verify.decide.certify import certify
from tests.helpers import engine


def test_a_delta_below_1e_100000():
    # 4 users who send c with p or 3p, p = 10^-30000: only "all c" has a ratio of 3, above 2.99; its weight is about p^4
    p = Fraction(1, 10**30000)
    rows = {x: {("c",): c, ("a",): 1 - c} for x, c in (("0", 3 * p), ("1", p))}
    result = certify(engine(rows), 4, "log(2.99)", 1)
    written = result.certificate_text().encode()
    assert kernel.check(written).status == "accepted"
