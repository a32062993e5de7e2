"""Certificates about any randomizer in the verified kernel, beside the kernel and the judge."""

import json
from fractions import Fraction

import pytest

from tests import any_certificates, verified
from tests.judge import TooBigError, judge
from tests.test_coq import SAME
from verify import kernel

SHARED = "a local delta above 0 is not covered"


@pytest.fixture(scope="module")
def trees():
    verified.build()
    return list(any_certificates.small())


def test_certificates_of_this_project(trees, tmp_path):
    """A local delta is covered where REFUTED."""
    found = verified.verdicts(tmp_path, [json.dumps(tree).encode() for tree in trees])
    for tree, (status, reason) in zip(trees, found, strict=True):
        if tree["claim"]["mechanism"]["local delta"] != "0" and tree["verdict"] == "PROVED":
            assert (status, reason) == ("undecided", f"any randomizer: {SHARED}")
        else:
            theorem = "check_any_sound" if tree["verdict"] == "PROVED" else "check_one_sound"
            assert status == "accepted" and theorem in reason


def test_three_checkers_on_mutants(trees, tmp_path):
    """The kernel's verdict where it is covered, but that some cells more or less decide; the judge agrees."""
    mutants = [change for tree in trees for change in any_certificates.changes(tree)][::3]
    files = [json.dumps(tree).encode() for _, tree in mutants]
    found = verified.verdicts(tmp_path, files)
    accepted = judged = 0
    for (done, tree), data, (status, reason) in zip(mutants, files, found, strict=True):
        theirs = kernel.check(data).status
        covered = SHARED not in reason and "not covered by the verified kernel" not in reason
        decided = {status, theirs} == {"accepted", "undecided"} and tree["verdict"] == "PROVED"
        assert status == theirs or decided or (status == "undecided" and not covered), (done, tree, reason, theirs)
        if status in SAME and status != "malformed" and judged < 100:
            try:
                assert judge(data) == SAME[status], (done, tree, reason)
                judged += 1
            except TooBigError:
                pass
        accepted += status == "accepted"
    assert accepted > 40 and judged > 40


def near(tree, share):
    """The certificate with so many millionths of delta."""
    delta = Fraction(tree["claim"]["delta"]) * Fraction(share, 10**6)
    return json.dumps(tree | {"claim": tree["claim"] | {"delta": str(delta)}}).encode()


def test_the_bound_is_as_close_as_the_kernels(trees, tmp_path):
    """With the same grid the verified kernel decides as kernel.py does, but in a millionth of delta's width."""
    tree = next(tree for tree in trees if tree["verdict"] == "PROVED" and tree["claim"]["mechanism"]["users"] == 12)
    low, high = 1, 10**6
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if kernel.check(near(tree, middle)).status == "accepted" else (middle, high)
    found = verified.verdicts(tmp_path, [near(tree, low - 2), near(tree, high + 2)])
    assert [status for status, _ in found] == ["undecided", "accepted"]
