"""`my.py:Mine`: postponed annotations broke dataclasses, and errors inside randomizer() were tracebacks."""

import pytest

from tests.helpers import call, is_one_line

GOOD = """
from __future__ import annotations
from dataclasses import dataclass
from shufflecert.verify.exact.randomizer import Randomizer

@dataclass(frozen=True)
class Mine:
    p: str = "1/3"
    def randomizer(self):
        return Randomizer.of({0: {"a": self.p, "b": "2/3"}, 1: {"a": "2/3", "b": "1/3"}})
"""
BAD = """
class Divides:
    def randomizer(self):
        return 1 / 0
class Number:
    def randomizer(self):
        return 5
class Leaves:
    def randomizer(self):
        raise SystemExit(0)
"""


def test_a_dataclass_with_postponed_annotations(tmp_path, capsys):
    (tmp_path / "my.py").write_text(GOOD)
    status, out, _ = call(capsys, "delta", f"{tmp_path}/my.py:Mine", "--n", 1, "--eps", 0)
    assert status == 0 and "1/3" not in out.splitlines()[0] and "0.333333333333" in out


@pytest.mark.parametrize("name", ["Divides", "Number", "Leaves"])
def test_a_randomizer_method_that_fails_is_bad_input(tmp_path, capsys, name):
    (tmp_path / "my.py").write_text(BAD)
    status, out, err = call(capsys, "delta", f"{tmp_path}/my.py:{name}", "--n", 1, "--eps", 0)
    assert (status, out) == (2, "") and is_one_line(err) and f"my.py:{name}" in err


def test_a_file_that_leaves_the_interpreter(tmp_path, capsys):
    (tmp_path / "my.py").write_text("raise SystemExit(0)")
    status, out, err = call(capsys, "delta", f"{tmp_path}/my.py:Mine", "--n", 1, "--eps", 0)
    assert (status, out) == (2, "") and is_one_line(err)
