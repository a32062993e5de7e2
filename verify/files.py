"""Files that are written: whole or not at all, and never over one that is there unless that is asked for."""

import os
import tempfile
from pathlib import Path

from verify.errors import BadInput


def check_new(path: Path, force: bool) -> None:
    """`check_writable`, and BadInput where the file exists and `force` is not given."""
    check_writable(path)
    if path.is_file() and not force:
        raise BadInput(f"{path}: exists: expected a new file, or --force to write over it")


def check_writable(path: Path) -> None:
    """Raises BadInput where `write_whole` could not write, before any work; devices and pipes are left alone."""
    folder = path.resolve().parent
    if not folder.is_dir():
        raise BadInput(f"{path}: {folder} is not a directory: expected a place to write to")
    if not os.access(folder, os.W_OK):
        raise BadInput(f"{path}: {folder} is not writable: expected a place to write to")
    if path.exists() and not path.is_file():
        raise BadInput(f"{path}: not a regular file: expected a place to write to")


def write_whole(path: Path, content: str) -> None:
    """Write a file so that it is there whole or not at all. Raises BadInput where it cannot be written."""
    check_writable(path)
    path = path.resolve()  # a link stays a link
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(content)
            Path(temporary).chmod(0o666 & ~_umask())
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise BadInput(f"{path}: cannot be written: {error.strerror}") from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
