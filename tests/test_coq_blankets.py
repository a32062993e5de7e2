"""Blankets in the verified kernel, beside the kernel and the judge, who sums the bound from its definition."""

import json
import random
from fractions import Fraction

import pytest

from tests import certificate_mutants, oracle, scale_mutants, scale_seeds, verified
from tests.bench.jobs import certificate
from tests.judge import judge
from verify import kernel

LIKE = {"accepted": {"true"}, "undecided": {"true", "false"}, "rejected": {"false"}, "malformed": {"malformed"}}


@pytest.fixture(scope="module")
def trees():
    verified.build()
    return scale_seeds.blankets()


def test_true_ones(trees, tmp_path):
    """Each delta is a hundredth or less above the bound; a hundredth below it the bound does not carry."""
    files = [json.dumps(tree).encode() for tree in trees]
    files += [data.replace(b'"version": 2', b'"version": 3') for data in files]
    for status, reason in verified.verdicts(tmp_path, files):
        assert status == "accepted" and "check_blanket_sound" in reason
    below = []
    for tree in trees:
        slack = Fraction(1, 10**6) if tree["evidence"]["blanket"]["cells"] == 1000 else Fraction(1, 100)
        delta = Fraction(tree["claim"]["delta"]) / (1 + slack) * Fraction(999_999, 10**6)
        below.append(json.dumps(tree | {"claim": tree["claim"] | {"delta": str(delta)}}).encode())
    lower = [judge(data) for data in below]
    assert lower.count("false") >= 7
    for verdict, (status, _) in zip(lower, verified.verdicts(tmp_path, below), strict=True):
        assert status in LIKE and (status == "accepted") <= (verdict == "true")


def test_three_checkers_on_mutants(trees, tmp_path):
    """None accepts what the judge finds false; forms are the same, and the kernel's hints decide in both but rarely."""
    rng, mutants = random.Random(16), []
    while len(mutants) < 90:
        done, data = certificate_mutants.mutant(rng, trees, scale_mutants.BLANKET)
        mutants += [(done, data)] if done else []
    found = verified.verdicts(tmp_path, [data for _, data in mutants])
    differ = accepted = 0
    for (done, data), (status, reason) in zip(mutants, found, strict=True):
        if "not covered by the verified kernel" in reason:
            assert status == "undecided" and kernel.check(data).status != "accepted"
            continue  # of another version, or of another form
        verdict, theirs = judge(data), kernel.check(data).status
        assert verdict in LIKE[status] or verdict == "too big", (done, data, reason)
        assert status == theirs or {status, theirs} == {"accepted", "undecided"}, (done, data, reason)
        differ += status != theirs
        accepted += status == "accepted"
    assert accepted > 20 and differ < 8


def test_thousands_of_users(trees, tmp_path):
    """As the engine writes them, and as the kernel accepts them."""
    data = certificate("krr", {"k": "4", "gamma": "1/2"}, 10_000, "1/5", "1/1000").encode()
    assert b"blanket" in data and kernel.check(data).status == "accepted"
    tree = json.loads(data)
    files = [data, json.dumps(tree | {"claim": tree["claim"] | {"n": 100}}).encode()]
    assert [status for status, _ in verified.verdicts(tmp_path, files)] == ["accepted", "undecided"]


def test_no_loss_is_above_0(trees, tmp_path):
    """Where e^eps is at least every ratio the bound is 0, whatever the grid, and delta = 0 is carried."""
    tree = scale_seeds.of_blanket(oracle.rr("1/4"), 9, "log(3)", "1/10000000", 64, "2")
    assert Fraction(tree["claim"]["delta"]) == 0
    files = [json.dumps(tree).encode(), json.dumps(tree | {"claim": tree["claim"] | {"eps": "1"}}).encode()]
    assert [status for status, _ in verified.verdicts(tmp_path, files)] == ["accepted", "undecided"]
