"""`calibrate` began with a value of 60 digits, and where no certificate shows what it found it named no way on."""

import re
import shlex
from fractions import Fraction

import pytest

from tests.helpers import asked, call

PROMISE = ("--n", "1000", "--eps", "1", "--delta", "1e-6")


def test_the_first_line_has_a_short_value_with_more_noise_and_the_next_has_all_digits(capsys):
    _, told, _ = call(capsys, "calibrate", "duchi", *PROMISE)
    short = re.match(r"eps0 = ([0-9.]+); ", told)[1]
    exact = Fraction(asked(capsys, "calibrate", "duchi", *PROMISE)["value"])
    assert len(short) <= 10 and exact - Fraction(1, 10**7) < Fraction(short) <= exact
    assert Fraction(re.search(r"more noise from ([0-9.]+),", told)[1]) == exact
    assert asked(capsys, "certify", "duchi", "-p", f"eps0={short}", *PROMISE)["verdict"] == "PROVED"


def test_without_an_order_of_noise_the_first_line_has_digits_that_go_on(capsys):
    _, told, _ = call(capsys, "calibrate", "zsum", *PROMISE)
    short, whole = re.match(r"p = ([0-9.]+)\.\.\.\n  all its digits: ([0-9.]+)\n", told).groups()
    assert whole.startswith(short) and len(whole) > 24


@pytest.mark.long
def test_a_command_that_writes_a_certificate_is_named_where_there_is_none(capsys, tmp_path):
    answer = ("calibrate", "hadamard_response", "-p", "K=1024", *PROMISE, "-o", tmp_path / "a.json")
    status, told, _ = call(capsys, *answer)
    assert status == 3 and told.startswith("UNDECIDED")
    command = re.search(r"randomizer: shufflecert (.*)$", told, re.M)[1].replace("FILE", str(tmp_path / "b"))
    assert call(capsys, *shlex.split(command))[0] == 0
    assert call(capsys, "check", tmp_path / "b")[0] == 0
