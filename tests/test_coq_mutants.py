"""Every change of tests/coq_mutants.py, to the checker or to the claim, breaks a proof."""

import shutil
import subprocess

import pytest

from tests import verified
from tests.coq_mutants import MUTANTS

TARGETS = ("Multisets", "CheckAny", "Tail", "Presence", "Pure", "Shifts", "Zsum", "CheckRuns")


def test_the_mutants_stand_in_the_files():
    for file, old, new in MUTANTS:
        text = (verified.COQ / f"{file}.v").read_text(encoding="utf-8")
        assert old in text and new != old, (file, old)


@pytest.mark.long
@pytest.mark.parametrize(("file", "old", "new"), MUTANTS)
def test_a_proof_breaks(tmp_path, file, old, new):
    verified.build()
    folder = tmp_path / "coq"
    shutil.copytree(verified.COQ, folder)
    text = (folder / f"{file}.v").read_text(encoding="utf-8")
    (folder / f"{file}.v").write_text(text.replace(old, new, 1), encoding="utf-8")
    done = subprocess.run(
        ["make", "-C", str(folder), *(f"_build/{name}.vo" for name in TARGETS)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode != 0, "the proofs still hold"
    assert "Error" in done.stderr and "Syntax error" not in done.stderr, done.stderr
