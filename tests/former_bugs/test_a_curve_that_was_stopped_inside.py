"""Ctrl-C in the middle of a cover for many eps: the curve had upper bounds of 1, and nothing was said."""

from fractions import Fraction

from shufflecert.verify.bound.search import Search
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from tests.asked import bound, profile_curve
from tests.random_tables import rank_three

GRID = [Eps.of(Fraction(k, 10)) for k in (1, 2)]


def test_it_says_so(monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    rows = Randomizer.of(rank_three(3, 2))
    monkeypatch.setattr(Search, "cover", stopped)
    found = profile_curve(rows, 3000, GRID)
    assert found.scope.stopped and "Ctrl-C" in found.scope.by
    truth = [bound(rows, 3000).within(0).lower(eps)[0] for eps in GRID]
    for (_, value), real in zip(found.points, truth, strict=True):
        assert value.low <= real.high and real.low <= value.high
