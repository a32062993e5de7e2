"""`--delta 1` was PROVED without a word: everything keeps (eps, 1), the identity as well."""

import pytest

from tests.helpers import call

BARE = ["rr", "-p", "flip=0", "--n", "3"]  # sends the input itself


@pytest.mark.parametrize("asked", [["certify", "--eps", "0"], ["certify"], ["epsilon"], ["compose", "--times", "2"]])
def test_it_is_said_that_it_promises_nothing(asked, capsys):
    command, *more = asked
    code, out, _ = call(capsys, command, *BARE, *more, "--delta", "1")
    assert code == 0 and "delta = 1 guarantees nothing" in out
    _, out, _ = call(capsys, command, *BARE, *more, "--delta", "999/1000")
    assert "guarantees nothing" not in out


@pytest.mark.parametrize("delta, said", [("1", True), ("9/10", False)])
def test_calibrate_says_so(delta, said, capsys):
    code, out, _ = call(capsys, "calibrate", "rr", "--n", "3", "--eps", "1", "--delta", delta)
    assert code == 0 and ("delta = 1 guarantees nothing" in out) == said


@pytest.mark.parametrize("delta, said", [("1", True), ("9/10", False)])
def test_an_audit_says_so(delta, said, tmp_path, capsys):
    file = tmp_path / "bare.toml"
    rows = "".join(f'[[rows]]\ninput = "{x}"\noutputs = [{{send = ["{x}"], p = "1"}}]\n' for x in "01")
    file.write_text(rows)
    code, out, _ = call(capsys, "audit", file, "--delta", delta)
    assert code == 0 and ("delta = 1 guarantees nothing" in out) == said


@pytest.mark.parametrize("asked", [["compare", "sum", "--n", "100"], ["table", "t.csv", "--n", "100"]])
def test_a_comparison_of_what_keeps_it_is_refused(asked, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = call(capsys, *asked, "--eps", "1", "--delta", "1")
    assert code == 2 and out == "" and "delta" in err and err.count("\n") == 1
