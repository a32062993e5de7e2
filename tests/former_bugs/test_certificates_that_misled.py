"""Certificates built by an attacker: one printed 10^-91 as 0.000..., three would pass with a slip of one line.

And `tests/judge.py` called a valid certificate of `columns` malformed, so that this form had one checker.
"""

import json
from pathlib import Path

import pytest

from tests.judge import judge
from verify import kernel

TESTS = Path(__file__).parents[1]
SLIPS = ["rejected/boxes-dropped.json", "rejected/shortcut-high.json", "undecided/blanket-missed-mass.json"]


def test_leading_zeros_are_malformed():
    assert kernel.check_file(TESTS / "malformed/delta-leading-zeros.json").status == "malformed"


def test_a_mechanism_is_named_with_all_its_numbers():
    seen = {"view": "count", "noise": {"law": "poisson", "lam": "7"}, "sensitivity": 3}
    claim = {"mechanism": seen, "adjacency": "replace", "datasets": "all", "eps": "1", "delta": "1"}
    tree = {"format": "shufflecert certificate", "version": 2, "claim": claim, "verdict": "PROVED"}
    said = kernel.check(json.dumps(tree | {"evidence": {"delta": {"lower": "0", "upper": "1"}}}).encode())
    assert said.status == "accepted" and all(word in said.reason for word in ("poisson", "7", "3"))


@pytest.mark.parametrize("name", SLIPS)
def test_what_a_slip_of_one_line_would_accept(name):
    assert kernel.check_file(TESTS / name).status == Path(name).parent.name
    assert judge((TESTS / name).read_bytes()) in ("false", "undecided", "too large")


def test_columns_have_two_checkers():
    """Two users, flips of 1/4 in two columns: what one user moves is seen at eps = 0 with delta below 1, not at 0."""
    seen = {"view": "columns", "flip": "1/4", "users": 2, "columns": 2}
    claim = {"mechanism": seen, "adjacency": "replace", "datasets": "all", "eps": "0", "delta": "99/100"}
    tree = {"format": "shufflecert certificate", "version": 2, "claim": claim, "verdict": "PROVED"}
    evidence = {"delta": {"lower": "0", "upper": "0.99"}, "others": [1, 0]}
    for delta, status, verdict in (("99/100", "accepted", "true"), ("1/100", "rejected", "false")):
        bounds = {"lower": "0", "upper": "0.99" if status == "accepted" else "0.01"}
        data = json.dumps(tree | {"claim": claim | {"delta": delta}, "evidence": evidence | {"delta": bounds}}).encode()
        assert (kernel.check(data).status, judge(data)) == (status, verdict)
