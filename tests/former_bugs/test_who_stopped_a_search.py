"""An eps that boxes did not close in on was said to be stopped by Ctrl-C wherever there is no privacy blanket."""

from fractions import Fraction

import pytest

from shufflecert.verify.bound.cover import NO_CLOSER, SPENT, STOPPED, Cover
from shufflecert.verify.bound.search import Spent
from tests import oracle
from tests.helpers import engine

SENDS = {"0": {("a",): Fraction(3, 4), ("b",): Fraction(1, 4)}, "1": {("a",): Fraction(1, 4), ("b",): Fraction(3, 4)}}


def found(monkeypatch, search):
    """Of randomized response, three users, delta 1/100, without a blanket: `search` in the place of a cover's."""
    cover = Cover(engine(SENDS), 3)
    cover.__dict__["blanket"] = None
    monkeypatch.setattr(Cover, "_cover", search)
    return cover.epsilon(Fraction(1, 100))


def interrupted(*_):
    raise KeyboardInterrupt


def spent(*_):
    raise Spent


@pytest.mark.parametrize(
    "search, note", [(lambda *_: None, NO_CLOSER), (spent, SPENT), (interrupted, STOPPED)], ids=["none", "work", "stop"]
)
def test_it_is_said_why_boxes_ended(monkeypatch, search, note):
    low, high, end = found(monkeypatch, search)
    assert end.note == note and end.stopped == (note == STOPPED) and high is None
    assert oracle.delta(SENDS, 3, 1) > Fraction(1, 100) and low is not None and low > 0
