"""Subset selection as a table of 1,820 outputs took 5 GB without a word, and had no eps after two minutes.

The blanket alone has the same ends in two seconds; boxes held a dozen copies of points of 1,819 coordinates.
"""

from fractions import Fraction
from itertools import combinations
from math import comb

import pytest

from shufflecert.verify import progress
from shufflecert.verify.bound import choose
from shufflecert.verify.bound.cover import Cover
from shufflecert.verify.decide.worst_case import delta, epsilon
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import neighbourhood
from tests import oracle
from tests.helpers import engine

RATIO = Fraction(27, 10)  # e^eps of a subset that holds the input over one that does not


def selection(values, held):
    """Rows of subset selection: a subset that holds the input is RATIO times as likely as another."""
    whole = RATIO * comb(values - 1, held - 1) + comb(values - 1, held)
    return {
        str(x): {
            (".".join(map(str, some)),): (RATIO if x in some else 1) / whole
            for some in combinations(range(values), held)
        }
        for x in range(values)
    }


@pytest.fixture
def no_boxes(monkeypatch):
    def asked(_):
        raise AssertionError("the points of the table were made")

    monkeypatch.setattr(Cover, "table", property(asked))


def test_sixteen_choose_four_is_answered_by_its_blanket(no_boxes):
    found = epsilon(engine(selection(16, 4)), 10_000, "1e-6")
    low, high = found.interval
    assert Fraction(1, 50) < low <= high < Fraction(1, 25) and "boxes" not in found.scope.by


def test_such_an_answer_holds_the_truth(no_boxes, monkeypatch):
    monkeypatch.setattr(choose, "MOST_COORDINATES", 10)
    monkeypatch.setattr(choose, "PATIENT", 1)
    monkeypatch.setattr(choose, "QUICK", 1)
    rows, power = selection(4, 2), Fraction(9, 8)
    found = delta(engine(rows), 3, Eps.log(power))
    low, high = map(Fraction, found.delta.enclosure())
    assert "blanket" in found.scope.by and low <= oracle.delta(rows, 3, power) <= high < 1


def test_memory_is_announced_on_a_terminal(monkeypatch, capsys):
    rows = selection(4, 2)
    monkeypatch.setattr(progress, "on_terminal", lambda: True)
    around = neighbourhood(engine(rows), 3)
    next(iter(around))
    assert capsys.readouterr().err == ""
    monkeypatch.setattr(progress, "GIGABYTE", around.held // 2)
    next(iter(around))
    assert capsys.readouterr().err == "about 2 GiB of memory at a time\n"
    monkeypatch.setattr(progress, "on_terminal", lambda: False)
    next(iter(around))
    assert capsys.readouterr().err == ""
