"""The checker that is made from a proof in Coq, as plain Python and as a binary, alone and beside the kernel.

Each function here takes the bytes of a certificate file to (status, reason), as `kernel.check` does.
"""

import shutil
import subprocess
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from shufflecert.verify.errors import BadInput

NAME = "shufflecert-kernel"
BUILT = Path(__file__).parent.parent.parent / "proofs" / "coq" / "_build" / NAME
STATUSES = {"accepted", "rejected", "malformed", "undecided"}
BESIDE = 10**8  # steps of the verified checker beside the kernel, of a whole file: some twenty seconds


class DisagreementError(RuntimeError):
    """Two checkers do not agree on a certificate: one of them is wrong."""


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


def by_binary(command: str, data: bytes) -> tuple[str, str]:
    """What the binary says; "accepted" is what the theorems are about."""
    done = subprocess.run([command, "-"], input=data, capture_output=True, check=False)
    status, _, reason = done.stdout.decode("ascii", "backslashreplace").strip().partition(": ")
    if status not in STATUSES:
        return "undecided", f"the verified kernel ended with status {done.returncode} and said nothing"
    return status, reason


def by_python(data: bytes, **limits: int) -> tuple[str, str]:
    """What the checker that is made from the proof says, as plain Python."""
    status, reason = import_module("shufflecert.verify.checked.decide").verdict(data, **limits)
    return status, reason


def by_both(kernel: Callable[[bytes], tuple[str, str]], data: bytes) -> tuple[str, str]:
    """The verified checker's verdict, and the kernel's beside it; what one of them leaves undecided the other decides.

    What is refused has the kernel's reason. Raises DisagreementError where one accepts what the other rejects or calls
    malformed.
    """
    other, verified = kernel(data), by_python(data, most=BESIDE)
    said = {verified[0], other[0]}
    if "accepted" in said and said & {"rejected", "malformed"}:
        raise DisagreementError(
            f"the verified checker says {verified[0]} ({verified[1]}), verify/kernel.py says {other[0]} ({other[1]}):"
            " one of them is wrong; please report this certificate"
        )
    if "accepted" not in said:
        return verified if other[0] == "undecided" and verified[0] != "undecided" else other
    if verified[0] == "undecided":
        return other[0], f"{other[1]} [verify/kernel.py alone; the verified checker: {verified[1]}]"
    return verified[0], f"{verified[1]} [verify/kernel.py: {other[0]}]"
