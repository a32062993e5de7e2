"""The verified kernel, built where its tools are: Coq, OCaml, ocamlfind and Zarith."""

import fcntl
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
COQ = ROOT / "proofs" / "coq"
MADE = COQ / "_build"
BINARY = MADE / "shufflecert-kernel"
WANTED = "no {} here: `apt-get install coq ocaml-nox ocaml-findlib libzarith-ocaml-dev` to test the verified kernel"


@cache
def missing():
    """Why it cannot be built here, or None."""
    for tool in ("make", "coqc", "ocamlfind"):
        if not shutil.which(tool):
            return WANTED.format(tool)
    zarith = subprocess.run(["ocamlfind", "query", "zarith"], capture_output=True, check=False)
    return WANTED.format("zarith") if zarith.returncode else None


@cache
def build(target="all"):
    """Makes what `make coq` makes, one process at a time; what is made already is not made again."""
    if missing():
        pytest.skip(missing())
    MADE.mkdir(exist_ok=True)
    with (MADE / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = subprocess.run(["make", "-j2", "-C", str(COQ), target], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def verdicts(folder, files):
    """[(status, reason)] of the verified kernel on these bytes, in order."""
    build()
    names = []
    for i, data in enumerate(files):
        (folder / f"{i}.json").write_bytes(data)
        names.append(f"{i}.json")
    done = subprocess.run([str(BINARY), *names], cwd=folder, capture_output=True, text=True, check=False)
    lines = [line.split(": ", 2) for line in done.stdout.splitlines()]
    assert [line[0] for line in lines] == names, done.stderr
    return [(status, reason) for _, status, reason in lines]
