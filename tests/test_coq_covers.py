"""Covers of version 3 in the verified kernel, beside the kernel and the judge."""

import json
import re
from collections import Counter
from fractions import Fraction

from tests import cover_mutants, verified
from tests.certificate_seeds import dump
from tests.judge import judge
from tests.test_coq import SAME
from tests.test_cover_certificates import ALL, NEEDED, of
from verify import kernel


def test_three_checkers_on_covers(verified_kernel, tmp_path):
    """Seeds, which are true, and mutants of them; ties at delta = 1 among them, which exact products decide."""
    files = [dump(said).encode() for said in cover_mutants.seeds()]
    files += [data for _, data in cover_mutants.mutants(16, 200)]
    files = [data for data in files if b'"cover"' in data]
    seen = Counter()
    for data, (status, reason) in zip(files, verified.verdicts(tmp_path, files), strict=True):
        if re.match(r"versions? [23].* not covered", reason):
            assert kernel.check(data).status != "accepted"
            continue
        assert kernel.check(data).status == status and judge(data) == SAME[status], (data, reason)
        seen[status] += 1
    assert min(seen[status] for status in SAME) >= 15, seen


def test_trees_by_hand(verified_kernel, tmp_path):
    """Each composition its own box; one box for all; a tree that is not whole; the last digit of delta too low."""
    trees = [of(ALL, NEEDED), of([None], NEEDED), of(ALL[:-1], NEEDED), of(ALL, Fraction(NEEDED) - Fraction(1, 10**11))]
    found = verified.verdicts(tmp_path, [json.dumps(tree).encode() for tree in trees])
    assert [status for status, _ in found] == ["accepted", "rejected", "malformed", "rejected"]
    assert "check_tree_sound" in found[0][1]


def test_ten_thousand_users(verified_kernel, tmp_path):
    """Randomized response and one cut at the middle: delta is 1 above, and far below what the corners reach."""
    rows = {"0": {("a",): "3/4", ("b",): "1/4"}, "1": {("a",): "1/4", ("b",): "3/4"}}
    nodes = [["0", 5000], None, None]
    files = []
    for delta in ("1/100", "1/10000000000000000000000"):
        claim = cover_mutants.claim_of(rows, "shuffled", 10_000, "1/10", delta)
        files.append(json.dumps(cover_mutants.certificate(claim, "PROVED", {"cover": nodes}, version=3)).encode())
    assert [kernel.check(file).status for file in files] == ["accepted", "rejected"]
    assert [status for status, _ in verified.verdicts(tmp_path, files)] == ["accepted", "rejected"]
