"""A line on a terminal: shown of what takes long, by every command that has no bar of its own."""

from contextlib import nullcontext
from pathlib import Path
from threading import Event
from types import SimpleNamespace

import pytest

from shufflecert.verify import progress
from tests.helpers import call

KRR = ("krr", "-p", "k=3", "-p", "gamma=3/10")


@pytest.mark.parametrize("long", [True, False])
def test_a_line_is_shown_of_what_takes_long_alone_and_taken_away(monkeypatch, long):
    told, shown = [], Event()
    line = SimpleNamespace(add_task=lambda what, total: told.append(what), start=shown.set, stop=lambda: told.append(0))
    monkeypatch.setattr(progress, "on_terminal", lambda: True)
    monkeypatch.setattr(progress, "moving", lambda: line)
    monkeypatch.setattr(progress, "WAIT", 0.001 if long else 1000)
    with progress.busy("a long one"):
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
