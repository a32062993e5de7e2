"""Certificates as the commands write them: whole or not at all, and re-checked at once by the kernel."""

import sys
from collections.abc import Iterable
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from verify.decide.certify import Certified
from verify.runs import atomic_files


def write(result: Certified, path: Path | None) -> str | None:
    """Where the certificate was written; None where there is none, or no place for it.

    What the kernel says of it is told in one line where its default limits do not accept it. Raises BadInput, and
    MachineRefused, where the file cannot be written: then nothing is.
    """
    return None if path is None else write_all([(result, path)])[0]


def write_all(results: Iterable[tuple[Certified, Path]]) -> list[str | None]:
    """As `write`, for several: where one cannot be written no new file is left, but what was written over stays."""
    texts = [(made, path, None if made.certificate is None else made.certificate_text()) for made, path in results]
    new = [path for _, path, text in texts if text is not None and not atomic_files.exists(path)]
    try:
        for _, path, text in texts:
            if text is not None:
                atomic_files.write_whole(path, text)
    except BaseException:
        for path in new:
            path.unlink(missing_ok=True)
        raise
    with suppress(KeyboardInterrupt):  # the certificates are there
        for _, path, text in texts:
            if text is not None:
                tell(path, *import_module("verify.kernel").check(text.encode()))
    return [None if text is None else str(path) for _, path, text in texts]


def tell(path: Path, status: str, reason: str) -> None:
    """Say on standard error, in one line, what the kernel finds of a certificate that it does not accept."""
    if status != "accepted":
        print(f"shufflecert: {path}: written; check finds it {status}: {reason}", file=sys.stderr)
