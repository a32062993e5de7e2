"""The estimate left out that an outcome holds a count of every message: `rappor` d = 10, n = 2 took all memory."""

from fractions import Fraction

import pytest

from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.neighbours import neighbourhood
from tests.helpers import engine


def test_a_thousand_messages_make_outcomes_of_a_thousand_counts():
    # two users, 1024 single messages: C(1025, 2) = 524800 outcomes at least, of 8 kB each
    row = {(f"m{i}",): Fraction(1, 1024) for i in range(1024)}
    other = row | {("m0",): Fraction(3, 2048), ("m1",): Fraction(1, 2048)}
    with pytest.raises(TooMuchWork):
        neighbourhood(engine({"0": row, "1": other}), 2, max_work=100 * 524_800)
