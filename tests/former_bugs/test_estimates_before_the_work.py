"""An enumeration said 19 MiB and took 258, another 400 and took 3.4 GB; an audit of 498 inputs said nothing for 75 s.

Measured, for two or three inputs that send one of m messages (the resident memory that `delta` adds, in MB):
m = 16, n = 6: 185 to 258; m = 40, n = 4: 993; m = 100, n = 3: 3364.
"""

import json
import re

import pytest

from shufflecert.verify.audit.foreseen import foreseen
from shufflecert.verify.audit.patience import PATIENCE
from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.neighbours import neighbourhood
from shufflecert.verify.exact.randomizer import Randomizer
from tests.helpers import call

MEASURED = [(16, 6, 185, 258), (40, 4, 993, 993), (100, 3, 3364, 3364)]


def wide(messages, inputs=2):
    """Rows with no two ratios alike."""
    total = sum(range(1, messages + 1))
    return Randomizer.of(
        {x: {f"m{i}": f"{(i + 7 * x) % messages + 1}/{total}" for i in range(messages)} for x in range(inputs)}
    )


@pytest.mark.parametrize(("messages", "n", "least", "most"), MEASURED)
def test_memory_is_what_was_measured(messages, n, least, most):
    said = neighbourhood(wide(messages), n, max_work=10**12).work()[1]
    held = float(re.search(r"(\S+) MiB at a time", said).group(1))
    assert least / 1.5 < held < 1.5 * most


def test_gigabytes_are_refused_before_they_are_taken():
    with pytest.raises(TooMuchWork, match="MiB at a time"):
        neighbourhood(wide(100), 3, max_work=30_000_000)


def test_an_audit_says_first_what_takes_long(capsys, tmp_path, monkeypatch):
    """2 k (k - 1) k units for the local and the preshuffle view, and 8 times as many for n = 1."""
    k = 240
    law = {x: {y: f"{1 + (x == y)}/{k + 1}" for y in range(k)} for x in range(k)}
    found = foreseen(Randomizer.of(law), [1, 2, 3], 5)
    assert found.seconds > 2 * PATIENCE and "57360 pairs of inputs x 240 outputs" in str(found)
    assert foreseen(wide(3), [1, 2, 3], 5).enumeration < 1
    monkeypatch.setattr("shufflecert.verify.audit.patience.PATIENCE", 0)
    small = {"rows": [{"input": x, "outputs": [{"send": [x], "p": "1"}]} for x in (0, 1)]}
    (tmp_path / "small.json").write_text(json.dumps(small))
    status, _, err = call(capsys, "audit", tmp_path / "small.json", "--large", 2)
    assert status == 0 and err.startswith("audit: about ") and err.count("\n") == 1
