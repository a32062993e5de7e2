"""Of values that each outweigh all draws of the later ones only the first was taken out of the sum.

What was left had values too far apart for a line: normal noise of 3/10, others on 1, had delta(1) from 2.9e-7 to 0.84.
"""

from fractions import Fraction
from math import e, erfc, sqrt

import pytest

from shufflecert.protocols.gaussian import Gaussian
from shufflecert.verify.exact.epsilon import Eps


@pytest.mark.parametrize(("sigma", "end"), [("3/10", -0.4), ("2/5", -1.2), ("1/10", 0.2)])
def test_a_user_whose_message_nobody_hides_is_seen(sigma, end):
    """The event "some message is below `end`", the user on 0 against 1 and all others on 1, is no larger."""
    n, scale = 10_000, float(Fraction(sigma)) * sqrt(2)
    member = next(one for one in Gaussian(Fraction(sigma)).reach(n).attained.members if "1" in one.named.others)
    shown = erfc(-end / scale) / 2 - e * n * erfc((1 - end) / scale) / 2
    value = member.value.enclosure(Eps.of(1), 4)
    assert 0 < shown <= value.low <= value.high <= value.low * Fraction(101, 100)
