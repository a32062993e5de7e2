"""A line on a terminal: shown of what takes long, by every command that has no bar of its own."""

from contextlib import nullcontext
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest

from shufflecert.verify import progress
from shufflecert.verify.calibrate import comparison
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
