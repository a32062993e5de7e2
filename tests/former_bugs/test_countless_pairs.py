"""The number of pairs of datasets, of thousands of digits, was counted for a minute and then not printable."""

import json

import pytest

from tests.helpers import call


@pytest.mark.parametrize(
    "system", [("poisson", "-p", "lam=100", "-p", "sensitivity=1000"), ("hist", "-p", "d=1000000", "-p", "p=1/1000000")]
)
def test_too_many_pairs_to_count_are_not_counted(system, capsys):
    arguments = ("delta", *system, "--n", "1000000000", "--eps", "1/5")
    status, out, _ = call(capsys, *arguments, "--json")
    assert status == 0 and json.loads(out)["scope"]["stands_for"] is None
    status, out, _ = call(capsys, *arguments)
    assert status == 0 and " of infinitely many pairs evaluated" in out
