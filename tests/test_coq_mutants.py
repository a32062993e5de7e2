"""Every change of tests/coq_mutants.py, to the checker or to the claim, breaks a proof.

`make test-long` tries one in five, `python -m tests.test_coq_mutants` all of them.
"""

import resource
import shutil
import subprocess
import tempfile
from functools import partial
from pathlib import Path

import pytest

from tests import verified
from tests.coq_mutants import MUTANTS

TARGETS = (
    *("Multisets", "CheckAny", "Tail", "Presence", "Pure", "Shifts", "Zsum", "CheckRuns", "CheckRunsFalse"),
    *("Reader", "ReadSound"),
)
SECONDS = 300


def test_the_mutants_stand_in_the_files():
    for file, old, new in MUTANTS:
        text = (verified.COQ / f"{file}.v").read_text(encoding="utf-8")
        assert old in text and new != old, (file, old)


def made(folder, file, old, new):
    """What making the proofs with one change says: (status, errors). A proof that does not end is none: a file of the
    true ones takes a minute at most."""
    shutil.copytree(verified.COQ, folder)
    text = (folder / f"{file}.v").read_text(encoding="utf-8")
    (folder / f"{file}.v").write_text(text.replace(old, new, 1), encoding="utf-8")
    done = subprocess.run(
        ["make", "-C", str(folder), *(f"_build/{name}.vo" for name in TARGETS)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=partial(resource.setrlimit, resource.RLIMIT_CPU, (SECONDS, SECONDS + 9)),  # of each process
    )
    return done.returncode, done.stderr


def is_broken(status, said):
    ended = "Error" in said or "CPU time limit exceeded" in said
    return status != 0 and ended and "Syntax error" not in said


@pytest.mark.long
@pytest.mark.parametrize(("file", "old", "new"), MUTANTS[::5])
def test_a_proof_breaks(tmp_path, file, old, new):
    verified.build()
    found = made(tmp_path / "coq", file, old, new)
    assert is_broken(*found), found


if __name__ == "__main__":
    verified.build()
    for mutant in MUTANTS:
        with tempfile.TemporaryDirectory() as temporary:
            if not is_broken(*(found := made(Path(temporary) / "coq", *mutant))):
                print(*mutant, *found, sep="\n")
