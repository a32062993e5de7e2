"""`search own.py:x -o FOLDER` wrote nothing and said nothing: now the answer says why nothing is there."""

import json

from tests.helpers import asked, call

OWN = """
from shufflecert.verify.search import Conjecture, single_messages

def bits(denominator):
    return single_messages(2, 2, denominator)

def even(case, *, denominator):
    return case.rows[0][0] % 2 == 0

broken = Conjecture("broken", "Weights are even.", bits, even, {"denominator": 3})
whole = Conjecture("whole", "Weights are there.", bits, lambda case, *, denominator: True, {"denominator": 3})
"""


def test_a_counterexample_without_certificates_says_so(capsys, tmp_path):
    (tmp_path / "own.py").write_text(OWN)
    folder = tmp_path / "hits"
    for name, status, why in (("broken", 1, "has no `explain`"), ("whole", 0, "no counterexample")):
        code, out, _ = call(capsys, "search", f"{tmp_path}/own.py:{name}", "-o", folder, "--workers", 1)
        assert code == status and f"nothing written to {folder}: " in out and why in out
        answer = asked(capsys, "search", f"{tmp_path}/own.py:{name}", "-o", folder, "--workers", 1, status=status)
        assert why in answer["unwritten"] and not folder.exists()


def test_certificates_that_are_written_need_no_word(capsys, tmp_path):
    line = ("search", "preshuffle-gap", "--max-messages", 2, "--denominator", 5, "--workers", 1)
    answer = asked(capsys, *line, "-o", tmp_path / "hits", status=1)
    assert answer["unwritten"] is None and len(list((tmp_path / "hits").iterdir())) == 2
    assert asked(capsys, *line, status=1)["unwritten"] is None
    status, out, _ = call(capsys, *line)
    assert status == 1 and "no certificates written; add -o FOLDER" in out and json.dumps("nothing") not in out
