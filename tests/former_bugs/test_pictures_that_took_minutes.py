"""The report on a blanket's certificate prepared blocks of users for a curve that the blanket had closed in already."""

from fractions import Fraction

import pytest

from protocols.krr import KRR
from verify.decide.privacy_profile import profile_curve
from verify.exact.epsilon import Eps
from verify.reduce.block_cover.reach import Blocked


def test_blocks_are_not_prepared_where_the_blanket_is_close_enough(monkeypatch):
    """4-ary RR as a table, n = 1000: the blanket is within 5% at both eps; for 1e-9 blocks are asked for."""
    asked = []
    monkeypatch.setattr(Blocked, "_search", lambda *_: asked.append(1) or (_ for _ in ()).throw(KeyError))
    table, grid = KRR(k=4, gamma=Fraction(2, 5)).randomizer(), [Eps.of(0), Eps.of("1/10")]
    found = profile_curve(table, 1000, grid, tolerance=Fraction(1, 20))
    for _, value in found.points:
        assert 0 < value.high <= value.low * Fraction(21, 20)
    assert not asked
    with pytest.raises(KeyError):
        profile_curve(table, 1000, grid, tolerance=Fraction(1, 10**9))
    assert asked
