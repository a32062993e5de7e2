"""The verified kernel, made from a proof in Coq: as plain Python, and as a binary; called on certificate files."""

import shutil
import subprocess
from collections.abc import Callable
from functools import partial
from importlib import import_module
from pathlib import Path

from shufflecert.verify.errors import BadInput


class DisagreementError(RuntimeError):
    """Two checkers do not agree on a certificate: one of them is wrong."""


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


def python_checker() -> Callable[[Path], tuple[str, str]]:
    """A function from a certificate file to (status, reason): the checker made from its proof, as plain Python."""
    return _in_python


def _in_python(path: Path) -> tuple[str, str]:
    decide, reader = (import_module(f"shufflecert.verify.checked.{name}") for name in ("decide", "reader"))
    try:
        with path.open("rb") as file:
            data = file.read(reader.MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        return "malformed", f"file: expected one that can be read ({ascii(str(error))[1:-1]})"
    status, reason = decide.verdict(data)
    return status, reason


def both(kernel: Callable[[Path], tuple[str, str]], path: Path) -> tuple[str, str]:
    """The verified checker's verdict, and the kernel's beside it; what one of them leaves undecided the other decides.

    Raises DisagreementError where one accepts what the other rejects or calls malformed.
    """
    verified, other = _in_python(path), kernel(path)
    said = {verified[0], other[0]}
    if "accepted" in said and said & {"rejected", "malformed"}:
        raise DisagreementError(
            f"{ascii(str(path))[1:-1]}: the verified checker says {verified[0]} ({verified[1]}), verify/kernel.py says"
            f" {other[0]} ({other[1]}): one of them is wrong; please report this certificate"
        )
    if verified[0] == "undecided":
        return other[0], f"{other[1]} [verify/kernel.py alone; the verified checker: {verified[1]}]"
    return verified[0], f"{verified[1]} [verify/kernel.py: {other[0]}]"
