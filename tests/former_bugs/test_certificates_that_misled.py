"""Certificates built by an attacker: one printed 10^-91 as 0.000..., three would pass with a slip of one line."""

import json
from fractions import Fraction
from pathlib import Path

import pytest

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel

TESTS = Path(__file__).parents[1]
SLIPS = {
    "rejected/boxes-dropped.json": "delta(eps) is above delta",
    "rejected/shortcut-high.json": "delta(eps) is above delta",
    "undecided/blanket-missed-mass.json": "is above delta",
}


def test_leading_zeros_are_malformed():
    assert kernel.check_file(TESTS / "malformed/delta-leading-zeros.json").status == "malformed"


def test_a_long_delta_is_shown_by_both_its_ends():
    """A claim of delta = 1, written so that its first digits are zeros after a point, was shown as a small number."""
    rows = {
        x: [{"send": ["a"], "p": p}, {"send": ["b"], "p": q}] for x, p, q in (("0", "3/4", "1/4"), ("1", "1/4", "3/4"))
    }
    seen = writing.rows({"rows": [{"input": x, "outputs": row} for x, row in rows.items()]}, 1)
    why = writing.cover([writing.entry(a, b, ["each"]) for a, b in (("0", "1"), ("1", "0"))])
    claim = writing.claim([(seen, 1)], "replace", "0", Fraction(1, 2)) | {"delta": f"{10**100}/{10**100}"}
    said = kernel.check(json.dumps(writing.certificate(claim, "PROVED", why)).encode())
    assert said.status == "accepted" and "of 203 characters with SHA-256" in said.reason


def test_a_mechanism_is_named_with_all_its_numbers():
    seen = {"users": 1, "each": {"up to": 3}, "added": {"law": "poisson", "lam": "7"}}
    claim = writing.claim([(seen, 1)], "replace", "1", Fraction(1))
    said = kernel.check(json.dumps(writing.certificate(claim, "PROVED", {})).encode())
    assert said.status == "accepted" and all(word in said.reason for word in ("poisson", '"7"', '"up to": 3'))


@pytest.mark.parametrize("name", SLIPS)
def test_what_a_slip_of_one_line_would_accept(name):
    status, reason = kernel.check_file(TESTS / name)
    assert status == Path(name).parent.name and SLIPS[name] in reason
