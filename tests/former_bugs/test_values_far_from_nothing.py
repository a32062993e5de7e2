"""A threshold's weights that are large and near one another made a lattice as wide as the largest of them.

Where users send different numbers of messages, 0 is a weight as well: that of who sends nothing. A question about users
who rarely take part was refused, with advice that nobody could follow.
"""

from fractions import Fraction

import pytest

from shufflecert.verify.bound.question import Effort
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Presence, Randomizer
from shufflecert.verify.systems.population import populated
from tests import oracle

THIRD, PART = Fraction(1, 3), Fraction(1, 10**9)
ROWS = {
    "x": {("a", "b"): THIRD, ("b", "a"): 1 - THIRD},
    "y": {("a", "b", "b", "a"): THIRD, ("b", "a", "b", "a"): 1 - THIRD},
    "z": {("a", "b"): Fraction(1)},
}


@pytest.mark.parametrize("n", [2, 3])
@pytest.mark.parametrize("t", [1, 20])
def test_users_who_rarely_take_part(n, t):
    some = populated(Randomizer.of(ROWS), Presence.of(take_part=PART))
    found = delta(some, n, Eps.log(Fraction(t)), effort=Effort(work=1))
    true = oracle.attended_delta(ROWS, n, Fraction(t), take_part=PART)
    assert 0 < found.delta.low <= true <= found.delta.high
    assert found.delta.low >= true * Fraction(99, 100)
