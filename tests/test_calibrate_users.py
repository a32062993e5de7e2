"""How many users a table needs: enumerated where that is cheap, by blocks of users where a blanket is not close."""

import json
from fractions import Fraction

import pytest

from shufflecert.verify import kernel
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.reduce.privacy_blanket import reach_of
from shufflecert.verify.reduce.reduction import worst_delta
from tests import oracle
from tests.helpers import asked, engine, written_json
from tests.random_tables import rank_three

RR = {x: {("a",): Fraction(p, 4), ("b",): Fraction(4 - p, 4)} for x, p in (("0", 3), ("1", 1))}


def calibrated(capsys, folder, tree, *more):
    """The answer of calibrate --over n, after the kernel accepted both certificates."""
    file, out = folder / "table.json", folder / "least.json"
    file.write_text(written_json(tree))
    found = asked(capsys, "calibrate", file, "--over", "n", *more, "-o", out)
    for one in found["certificates"]:
        assert kernel.check_file(one["certificate"], max_work=10**9).status == "accepted"
    return found


def test_the_users_that_a_table_needs(capsys, tmp_path):
    """The next smaller number fails, and so it is by enumeration of all datasets."""
    found = calibrated(capsys, tmp_path, RR, "--eps", "log(3/2)", "--delta", "1/10")
    n = int(found["value"])
    assert n > 2 and [oracle.delta(RR, users, Fraction(3, 2)) <= Fraction(1, 10) for users in (n - 1, n)] == [
        False,
        True,
    ]


@pytest.mark.long
def test_blocks_show_that_fewer_users_are_enough(capsys, tmp_path):
    """Of three numbers: the blanket alone allows more than delta there, by its own value."""
    tree = rank_three(1, 2)
    found = calibrated(capsys, tmp_path, tree, "--eps", "1/15", "--delta", "1e-3", "--max-work", "3000000")
    n, at = int(found["value"]), Eps.of("1/15")
    blanket = worst_delta(reach_of(engine(tree), n), at)
    assert blanket.value.high > Fraction(1, 1000) > worst_delta(reach_of(engine(tree), 2 * n), at).value.high
    pairs = json.loads((tmp_path / "least.json").read_text())["because"]["pairs"]
    assert any(isinstance(node, dict) and node["users"] for one in pairs for node in one["tree"])
