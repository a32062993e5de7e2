"""Laws were taken in the order of doubles, and the rest passed over at the first that was small enough: not all were.

Two laws whose largest values differ by less than a double tells are e^10 apart for 10^18 users.
"""

from fractions import Fraction
from itertools import permutations

import pytest

from shufflecert.protocols.shared.likelihood_orbits import line
from shufflecert.verify.exact.ball import precision

USERS, SPREAD = 10**18, 1e9


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_largest_of_laws_that_no_double_tells_apart(order):
    half, little = Fraction(1, 2), Fraction(1, 10**17)
    laws = [[(half * (1 + k * little), Fraction(1)), (half * (1 + k * little), Fraction(-1))] for k in range(3)]
    with precision(256):
        largest, together = (
            line(laws[2:], USERS, 1e-9, SPREAD, 8),
            line([laws[i] for i in order], USERS, 1e-9, SPREAD, 8),
        )
        least = line(laws[:1], USERS, 1e-9, SPREAD, 8)
        assert together.overlaps(largest)
        assert largest > 10**8 * least
