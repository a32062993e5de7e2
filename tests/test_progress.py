"""A line on a terminal: shown of what takes long, by every command that has no bar of its own."""

from contextlib import nullcontext
from fractions import Fraction
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest

from shufflecert.verify import progress
from shufflecert.verify.calibrate import comparison
from shufflecert.verify.commands import decide, given
from shufflecert.verify.errors import BadInput
from tests.helpers import call

KRR = ("krr", "-p", "k=3", "-p", "gamma=3/10")


@pytest.mark.parametrize("long", [True, False])
def test_a_line_is_shown_of_what_takes_long_alone_and_taken_away(monkeypatch, long):
    told, shown = [], Event()
    line = SimpleNamespace(live=SimpleNamespace(is_started=False), tasks=[SimpleNamespace(id=0)])
    line.start = lambda: setattr(line.live, "is_started", True)
    line.add_task, line.stop = lambda what, total: told.append(what), lambda: told.append(0)
    line.update = lambda *_, **__: shown.set()
    monkeypatch.setattr(progress, "on_terminal", lambda: True)
    monkeypatch.setattr(progress, "bar", lambda *_: line)
    with progress.busy("a long one", 0.001 if long else 1000):
        assert not long or shown.wait(60)
    assert told == (["a long one", 0] if long else [])


@pytest.mark.parametrize("command", ["check", "report", "accuracy", "audit"])
def test_commands_without_a_bar_of_their_own_show_a_line(capsys, monkeypatch, tmp_path, command):
    told, file = [], str(next(iter(sorted((Path(__file__).parent / "accepted").iterdir()))))
    asked = {
        "check": [file],
        "report": [file, "-o", str(tmp_path / "page.html")],
        "accuracy": [*KRR, "--n", "9"],
        "audit": ["--gallery", "one_bit_mean", "--large", "9"],
    }
    monkeypatch.setattr(progress, "busy", lambda what: told.append(what) or nullcontext())
    assert call(capsys, command, *asked[command])[0] == 0 and len(told) == 1


# Seconds of the rows of `compare histogram --buckets 64 --n 20000`, as measured one after the other.
ROWS = {"discrete_laplace": 0.01, "hist": 0.16, "poisson_hist": 0.05, "count_mean_sketch": 1.88}
ROWS |= {"fragmented_rappor": 1.82, "hadamard_response": 2.66, "krr": 1.63, "olh": 0.7, "rappor": 0.8}
ROWS |= {"subset_selection": 1.73, "unary_encoding": 0.98, "correlated_hist": 3.47, "fake_users": 2.61}


@pytest.mark.parametrize("at_once", [1, 2])
@pytest.mark.parametrize("times", [1, 8])
def test_the_time_left_learns_from_what_is_done(at_once, times):
    """On a machine eight times slower than foreseen as well: once a quarter is done, never wrong by 2.5 times."""
    foreseen = comparison.foreseen(sorted(ROWS), comparison.ComparedTask.of("histogram", 20_000, "1", "1e-6", "64"))
    assert sorted(foreseen) == sorted(ROWS)
    now, ends, free = 0.0, [], [0.0] * at_once
    for name in foreseen:
        free.sort()
        free[0] += times * ROWS[name]
        ends.append((free[0], name))
    left = progress.Left(foreseen, at_once, lambda: now)
    for end, name in sorted(ends):
        now = end
        left.done(name)
        truth = max(free) - now
        if now > max(free) / 4 and truth > times:
            assert truth / 2.5 < left.seconds() < truth * 2.5, (name, truth, left.seconds())
    assert str(left) == "about 1 s left" and left.seconds() == 0


# On a terminal nothing was shown until there was an interval, which of some tables took minutes.


class Remembering:
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
    made = Remembering()
    monkeypatch.setattr(progress, "bar", lambda *_: made)
    monkeypatch.setattr(progress, "on_terminal", lambda: True)
    monkeypatch.setattr(progress, "WAIT", 0)
    return made


@pytest.mark.parametrize(("most", "first"), [(None, "eps in [0, ?]"), (Fraction(9, 4), "eps in [0, 2.25]")])
def test_a_line_is_there_before_anything_is_found(bar, most, first):
    with given.closing("eps", lambda: most) as tick:
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
    with given.closing("delta") as tick:
        assert bar.started.wait(60)
        assert given.tracked(tick)([1, 2], 2) == [1, 2, False]
        tick(Fraction(1, 2), None)
    assert not bar.live.is_started


def test_nothing_is_shown_in_a_pipe(bar, monkeypatch):
    monkeypatch.setattr(progress, "on_terminal", lambda: False)
    with given.closing("delta") as tick:
        assert tick is None and given.tracked(tick) is progress.track
    assert bar.shown == []
