"""Typed input that is meant well: it is read, or the one line that refuses it shows the form that is read."""

import os
from fractions import Fraction

import pytest

from shufflecert.protocols.krr import KRR
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import natural, probability, rational
from shufflecert.verify.systems import catalogue
from tests.helpers import asked, call, refused

RR = "rr -p flip=1/4"


def test_what_check_cannot_find_is_a_row(capsys, tmp_path, monkeypatch):
    """All else that is typed and refused is in tests/test_bad_input.py."""
    monkeypatch.chdir(tmp_path)
    status, out, err = call(capsys, "check", "none.json")
    assert (status, err) == (2, "") and "no such file" in out and "Errno" not in out
    os.mkfifo("pipe.json")  # is not waited for
    status, out, err = call(capsys, "check", "pipe.json")
    assert (status, err) == (2, "") and "malformed" in out


ALIKE = {  # what is typed, and another way to write it
    f"delta {RR} --n 2_000 --eps 1": f"delta {RR} --n 2000 --eps 1",
    f"delta {RR} --n 2,000 --eps 1": f"delta {RR} --n 2000 --eps 1",
    f"delta {RR} --n 3 --eps ln(3/2)": f"delta {RR} --n 3 --eps log(3/2)",
    f"delta {RR} --n 3 --eps 0.000_1": f"delta {RR} --n 3 --eps 1/10000",
}


@pytest.mark.parametrize("typed", ALIKE)
def test_what_is_read_is_what_was_meant(capsys, typed):
    found, expected = (asked(capsys, *line.split(" ")) for line in (typed, ALIKE[typed]))
    assert (found["n"], found["delta"], found["eps"]) == (expected["n"], expected["delta"], expected["eps"])


def test_a_comma_parts_thousands_where_only_whole_numbers_are_read():
    """1,500 is 1.5 elsewhere: where a fraction may be meant it is refused, and so is what groups no thousands."""
    assert (natural("1,234,567", "n"), natural("12_345", "n"), rational("1_000/3")) == (
        1234567,
        12345,
        Fraction(1000, 3),
    )
    for bad in ("1,23", "0,500", ",500", "1234,567", "1_", "_1", "1__0", "1,000.5", "1.000,5", "1,000e3"):
        refused(lambda bad=bad: natural(bad, "n"), "n: ", "expected an integer")
    for bad in ("1,500", "0,5", "1_/3", "_1", "1._5", "1e_3"):
        refused(lambda bad=bad: rational(bad, "x"), "x: ")
    refused(lambda: probability("50%"), "write 0.5")
    assert Eps.of("ln(2)") == Eps.of("log(2)")


SETS = [
    ("krr", {"k": "3"}),
    ("blanket_sum", {"k": "3"}),
    ("rr", {}),
    ("rappor", {"d": "3"}),
    ("symmetric_rappor", {"d": "4"}),
]


@pytest.mark.parametrize(("name", "more"), SETS)
def test_systems_lists_eps0(capsys, name, more):
    """With the parameter in whose place it stands; with both given the line says so."""
    status, out, _ = call(capsys, "systems", name)
    (row,) = asked(capsys, "systems", name)
    sets = catalogue.system_class(name).LOCAL
    assert status == 0 and f"-p eps0=...  the local eps, in the place of {sets}" in out and row["eps0_sets"] == sets
    assert sets in [parameter["name"] for parameter in row["parameters"]]
    refused(lambda: catalogue.load(name, {**more, "eps0": "1", sets: "1/3"}), f"{sets} is given as well")
    assert catalogue.load(name, {**more, "eps0": "1"})


def test_systems_lists_no_eps0_where_none_is_read(capsys):
    assert "eps0=... " not in call(capsys, "systems", "zsum")[1]
    assert call(capsys, "systems", "any_ldp")[1].count("-p eps0=") == 1  # a parameter of its own
    assert {row["name"] for row in asked(capsys, "systems") if row["eps0_sets"]} >= {name for name, _ in SETS}
    assert KRR.LOCAL == "gamma"


@pytest.mark.parametrize("command", ["profile", "compose"])
def test_the_help_shows_a_parameter_of_one_of_several_systems(capsys, command):
    assert "krr.k=4" in call(capsys, command, "--help")[1]
    assert "krr.k=4" not in call(capsys, "delta", "--help")[1]


def test_an_answer_without_a_certificate_names_the_option(capsys):
    status, out, _ = call(capsys, "certify", *RR.split(" "), "--n", 3, "--eps", 2, "--delta", "1/10")
    assert status == 0 and "no certificate written; add -o cert.json" in out
