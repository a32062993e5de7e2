"""On a terminal nothing was shown until there was an interval, which of some tables took minutes."""

from fractions import Fraction
from threading import Event
from types import SimpleNamespace

import pytest

from shufflecert.verify import progress
from shufflecert.verify.commands import decide, line
from shufflecert.verify.errors import BadInput
from tests.helpers import call


class Bar:
    """A bar that remembers what it shows."""

    def __init__(self):
        self.live, self.tasks, self.started, self.shown = SimpleNamespace(is_started=False), [], Event(), []

    def start(self):
        self.live.is_started = True

    def stop(self):
        self.live.is_started = False

    def add_task(self, said, total):
        self.tasks.append(SimpleNamespace(id=0))

    def update(self, at, description):
        self.shown.append(description)
        self.started.set()


@pytest.fixture
def bar(monkeypatch):
    made = Bar()
    monkeypatch.setattr(progress, "bar", lambda *_: made)
    monkeypatch.setattr(progress, "on_terminal", lambda: True)
    monkeypatch.setattr(progress, "WAIT", 0)
    return made


@pytest.mark.parametrize(("most", "first"), [(None, "eps in [0, ?]"), (Fraction(9, 4), "eps in [0, 2.25]")])
def test_a_line_is_there_before_anything_is_found(bar, most, first):
    with line.closing("eps", lambda: most) as tick:
        assert bar.started.wait(60) and bar.live.is_started
        tick(Fraction(1, 2), None)
    assert bar.shown == [first, "eps in [0.5, ?]"] and not bar.live.is_started


def test_the_first_interval_ends_at_the_local_eps(bar, monkeypatch, capsys):
    """Three values, gamma = 1/2: the ratio of two inputs' weights is (1/2 + 1/6) / (1/6) = 4; log(4) = 1.386294..."""

    def asked(question, effort):
        assert effort.tick and bar.started.wait(60)
        raise BadInput("enough")

    monkeypatch.setattr(decide, "bound_of", asked)
    call(capsys, "epsilon", "krr", "-p", "k=3", "-p", "gamma=1/2", "--n", "100", "--delta", "1e-6")
    assert bar.shown == ["eps in [0, 1.3863]"]


def test_a_bar_of_known_length_takes_its_place(bar, monkeypatch):
    monkeypatch.setattr(progress, "track", lambda items, total: [*items, bar.live.is_started])
    with line.closing("delta") as tick:
        assert bar.started.wait(60)
        assert line.tracked(tick)([1, 2], 2) == [1, 2, False]
        tick(Fraction(1, 2), None)
    assert not bar.live.is_started


def test_nothing_is_shown_in_a_pipe(bar, monkeypatch):
    monkeypatch.setattr(progress, "on_terminal", lambda: False)
    with line.closing("delta") as tick:
        assert tick is None and line.tracked(tick) is progress.track
    assert bar.shown == []
