"""Columns of fair coins hide everything, so that delta = 0: their certificate had no datasets to name."""

from fractions import Fraction

import pytest

from shufflecert.verify import kernel
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.cli import main
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.systems.catalogue import load

FAIR = {
    "fragmented_rappor": {"d": "2", "flip": "1/2"},
    "symmetric_rappor": {"d": "3", "m": "1", "flip": "1/2"},
}


@pytest.mark.parametrize("name", FAIR)
@pytest.mark.parametrize(("eps", "delta"), [(1, Fraction(1, 10**6)), (0, 0)])
def test_nothing_is_certified(name, eps, delta):
    found = certify(load(name, FAIR[name]), 1000, eps, delta, effort=Effort(work=1))
    assert found.verdict == "PROVED"
    assert kernel.check(found.certificate_text().encode()).status == "accepted"


def test_a_calibration_that_ends_there_writes_what_is_accepted(tmp_path):
    """No flip but 1/2 keeps (0, 0): two laws differ wherever the coin is not fair."""
    path = tmp_path / "fair.json"
    values, asked = (
        ["-p", "d=2", "--over", "flip", "--step", "1/8"],
        ["--n", "60", "--max-work", "1", "--eps", "0", "--delta", "0"],
    )
    with pytest.raises(SystemExit) as ended:
        main(["calibrate", "fragmented_rappor", *values, *asked, "-o", str(path)])
    assert ended.value.code == 0
    assert kernel.check(path.read_bytes()).status == "accepted"
