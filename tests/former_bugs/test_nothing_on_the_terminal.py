"""On a terminal nothing was shown until there was an interval, which of some tables took minutes."""

from threading import Event
from types import SimpleNamespace

import pytest

from verify import progress
from verify.commands import options


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
    monkeypatch.setattr(progress, "moving", lambda: made)
    monkeypatch.setattr(progress, "on_terminal", lambda: True)
    monkeypatch.setattr(options, "WAIT", 0)
    return made


def test_a_line_is_there_before_any_interval(bar):
    with options.closing("eps") as tick:
        assert bar.started.wait(60) and bar.live.is_started
        tick(options.Fraction(1, 2), None)
    assert bar.shown == ["eps: no interval yet", "eps in [0.5, ?]"] and not bar.live.is_started


def test_a_bar_of_known_length_takes_its_place(bar, monkeypatch):
    monkeypatch.setattr(progress, "track", lambda items, total: [*items, bar.live.is_started])
    with options.closing("delta") as tick:
        assert bar.started.wait(60)
        assert options.tracked(tick)([1, 2], 2) == [1, 2, False]
        tick(options.Fraction(1, 2), None)
    assert not bar.live.is_started


def test_nothing_is_shown_in_a_pipe(bar, monkeypatch):
    monkeypatch.setattr(progress, "on_terminal", lambda: False)
    with options.closing("delta") as tick:
        assert tick is None and options.tracked(tick) is progress.track
    assert bar.shown == []
