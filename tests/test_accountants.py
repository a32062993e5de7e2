"""The page on accountants: its table is the record, the record is what peers print, and our ends are decided anew."""

import json
import re
from fractions import Fraction

import pytest

from tests.accountants import LOSSES, PAGE, PEERS, QUESTIONS, RECORD, dp_accounting, installed, page, tree

KEPT = json.loads(RECORD.read_text())


def test_the_table_is_the_record():
    text = PAGE.read_text()
    assert page(text, KEPT) == text and LOSSES == 1e-4
    assert {*KEPT} == {*PEERS, "ours"} and all(len(KEPT[name]["rows"]) == len(QUESTIONS) for name in PEERS)


@pytest.mark.parametrize("row", range(len(QUESTIONS)))
@pytest.mark.sampled(3)
def test_dp_accounting_prints_what_is_recorded(row):
    if installed("dp-accounting") != KEPT["dp-accounting"]["version"]:
        pytest.skip("another version is installed: the page names the one that was run")
    found = dp_accounting(*QUESTIONS[row])
    assert [f"{end:.4f}" for end in found] == [f"{end:.4f}" for end in KEPT["dp-accounting"]["rows"][row]]


@pytest.mark.parametrize("row", [pytest.param(row, marks=pytest.mark.long) for row in range(3)])
def test_our_ends_are_decided(row):
    """delta is above the bound at the lower end, and at most the bound at the upper one."""
    q, z, steps, delta = QUESTIONS[row]
    low, high = KEPT["ours"][row]
    one, bound = tree(q, z, steps), Fraction(str(delta))
    assert one.delta(low).low > bound >= one.delta(high).high


def test_an_estimate_is_said_to_be_below_only_where_it_is():
    rows = re.findall(r"^\| \d.*$", PAGE.read_text(), re.M)
    assert len(rows) == len(QUESTIONS)
    for row, printed, (low, _) in zip(rows, KEPT["opacus"]["rows"], KEPT["ours"], strict=True):
        assert ("below the truth" in row) == (printed[0] < float(low))
