"""Edges of the command: an empty --n, no arguments, terminal escapes in messages, a terminal without Unicode."""

import os
import subprocess

from tests.helpers import COMMAND, call, is_one_line


def test_an_empty_n_is_not_one(capsys):
    status, out, err = call(capsys, "delta", "rr", "-p", "flip=1/4", "--eps", 0, "--n", "")
    assert (status, out) == (2, "") and is_one_line(err)


def test_no_arguments_show_the_help_and_no_empty_complaint(capsys):
    status, out, err = call(capsys)
    assert status == 2 and "Usage" in out + err
    assert "shufflecert: \n" not in err


def test_escapes_in_a_file_do_not_reach_the_terminal(tmp_path, capsys):
    (tmp_path / "my.toml").write_text('"a\\u001b[31m\\u0007" = 1\n')
    status, out, err = call(capsys, "delta", tmp_path / "my.toml", "--n", 1, "--eps", 0)
    assert (status, out) == (2, "") and is_one_line(err) and "x1b" in err


def test_labels_that_the_terminal_cannot_show(tmp_path):
    rows = '[[rows]]\ninput="{}"\noutputs=[{{send=["m{}"],p="1"}}]\n'
    (tmp_path / "my.toml").write_text("".join(rows.format(x, x) for x in "\u03b1\u03b2"), encoding="utf-8")
    run = [*COMMAND, "delta", str(tmp_path / "my.toml"), "--n", "1", "--eps", "0"]
    environment = os.environ | {"PYTHONIOENCODING": "ascii"}
    done = subprocess.run(run, capture_output=True, env=environment, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "") and "\\u03b1" in done.stdout
