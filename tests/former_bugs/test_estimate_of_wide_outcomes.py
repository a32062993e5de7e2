"""The estimate left out that an outcome holds a count for every message: `rappor` d = 10 ran out of memory at n = 2."""

import pytest

from tests.helpers import engine
from verify.errors import TooMuchWork
from verify.neighbours import neighbourhood


def test_a_thousand_messages_are_a_thousand_times_as_wide():
    from fractions import Fraction

    row = {(f"m{i}",): Fraction(1, 1024) for i in range(1024)}
    rows = {str(x): row | {("m0",): Fraction(1 + x, 1024), ("m1",): Fraction(1 - x, 1024)} for x in (0, 1)}
    small = neighbourhood(engine({x: dict(list(r.items())[:0]) or {("m0",): Fraction(1)} for x, r in rows.items()}), 2)
    assert small.work()[0] < 100
    wide = {x: {k: p for k, p in r.items() if p} for x, r in rows.items()}
    with pytest.raises(TooMuchWork, match="GiB"):
        neighbourhood(engine(wide), 3)
