"""The verified kernel: a binary made from a proof in Coq, called on certificate files."""

import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from pathlib import Path

from verify.errors import BadInput

NAME = "shufflecert-kernel"
BUILT = Path(__file__).parent.parent.parent / "proofs" / "coq" / "_build" / NAME
STATUSES = {"accepted", "rejected", "malformed", "undecided"}


def binary() -> str:
    """The path of the verified kernel: built in this clone, or on the PATH.

    Raises BadInput that tells how to build it.
    """
    found = str(BUILT) if BUILT.is_file() else shutil.which(NAME)
    if not found:
        raise BadInput(
            "check --verified: expected the verified kernel, which is not built: run `make coq` in a clone of the"
            " project (it wants Debian's packages coq, ocaml-nox, ocaml-findlib and libzarith-ocaml-dev, or the like)"
        )
    return found


def checker() -> Callable[[Path], tuple[str, str]]:
    """A function from a certificate file to (status, reason); "accepted" is what `check_sound` of Kernel.v is about."""
    return partial(check_file, binary())


def check_file(command: str, path: Path) -> tuple[str, str]:
    """Run the verified kernel on one certificate file: (status, reason)."""
    try:
        with path.open("rb") as file:
            done = subprocess.run([command, "-"], stdin=file, capture_output=True, check=False)
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError) and not path.exists():
            return "malformed", "no such file"
        return "malformed", f"file: expected one that can be read ({ascii(str(error))[1:-1]})"
    status, _, reason = done.stdout.decode("ascii", "backslashreplace").strip().partition(": ")
    if status not in STATUSES:
        return "undecided", f"the verified kernel ended with status {done.returncode} and said nothing"
    return status, reason
