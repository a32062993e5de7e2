"""What is written: files are there whole or not at all; answers are printed whole, or it is said that they were not.

No file is written over one that is there unless that is asked for. On standard output a reader who has seen enough and
closed the pipe ends nothing and changes no status: what is printed after that is dropped. A full disk, or an output
that was closed from the start, is `MachineRefused`. What cannot be said on standard error is dropped: the exit status
says it.
"""

import errno
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import file_digest
from io import BufferedWriter, FileIO, TextIOWrapper
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any

from shufflecert.verify.errors import BadInput, MachineRefused

SPARE = bytes(2**16)  # there must be room for so much before any work begins
# What another name, or other rights, would mend. Whatever else the system says is the machine's own trouble.
NAMED_BADLY = {
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ELOOP, errno.EEXIST, errno.ENXIO),
    *(errno.EACCES, errno.EPERM, errno.EINVAL),
}
NAMES = ("stdin", "stdout", "stderr")


def refusal(path: object, what: str, error: OSError) -> BadInput | MachineRefused:
    """Turn an error of the operating system into one of ours: BadInput where another name or rights would help."""
    kind = BadInput if error.errno in NAMED_BADLY else MachineRefused
    return kind(f"{path}: {what}: {error.strerror or type(error).__name__}")


def check_new(path: Path, force: bool) -> None:
    """Raise, before any work, where a file cannot be written, or where it exists and `force` is not given."""
    if _mode(path) is not None and not force and S_ISREG(_mode(path) or 0):
        raise BadInput(f"{path}: exists: expected a new file, or --force to write over it")
    check_writable(path)


def check_writable(path: Path) -> None:
    """Raise, before any work, where `write_whole` could not write: BadInput, or MachineRefused (a full disk).

    Devices and pipes are left alone.
    """
    mode, folder = _mode(path), path.resolve().parent
    if not S_ISDIR(_mode(folder) or 0):
        raise BadInput(f"{path}: {folder} is not a directory: expected a place to write to")
    if not os.access(folder, os.W_OK):
        raise BadInput(f"{path}: {folder} is not writable: expected a place to write to")
    if mode is not None and not S_ISREG(mode):
        raise BadInput(f"{path}: not a regular file: expected a place to write to")
    with _told(path), tempfile.TemporaryFile(dir=folder, buffering=0) as probe:
        while left := len(SPARE) - probe.tell():
            probe.write(SPARE[:left])


def check_folder(folder: Path) -> None:
    """Raise where `write_whole` could not write into a folder, which may have to be made: see `make_folder`."""
    there = followed(folder)
    while _mode(there) is None:
        there = there.parent
    check_writable(there / "probe")


def make_folder(folder: Path) -> None:
    """Make a folder and those above it. Raises as `refusal` says."""
    with _told(folder):
        folder.mkdir(parents=True, exist_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file so that it is there whole or not at all. Raises as `check_writable` does."""
    check_writable(path)
    path = path.resolve()  # a link stays a link
    with _told(path):
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".shufflecert-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content.encode() if isinstance(content, str) else content)
            Path(temporary).chmod(0o666 & ~_umask())
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise


def read_whole(path: Path, most: int) -> bytes:
    """The bytes of a regular file. Raises BadInput for more than `most`, and for what is none."""
    mode = _mode(path)
    if mode is None or not S_ISREG(mode):
        raise BadInput(f"{path}: {'no such file' if mode is None else 'not a file'}")
    try:
        with path.open("rb") as file:
            data = file.read(most + 1)
    except OSError as error:
        raise refusal(path, "cannot be read", error) from None
    if len(data) > most:
        raise BadInput(f"{path}: more than {most} bytes: expected a smaller file")
    return data


def digest(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal."""
    try:
        with path.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise refusal(path, "cannot be read", error) from None


def exists(path: Path) -> bool:
    """Whether there is a file of this name. Raises as `refusal` says, for a name that cannot be one."""
    return _mode(path) is not None


def followed(path: Path) -> Path:
    """Where a path leads, in full and without links. Raises as `refusal` says, for links that lead in a circle."""
    _mode(path)
    return path.resolve()


def _mode(path: Path) -> int | None:
    """What is at the end of a path, None where nothing is. Raises as `refusal` says, for a name that cannot be one."""
    try:
        return path.stat().st_mode
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise refusal(path, "cannot be looked at", error) from None


@contextmanager
def _told(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise refusal(path, "cannot be written", error) from None


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


class _Guarded(FileIO):
    """A descriptor that is written to until that fails. Where it is `needed` a failure but a closed pipe is told."""

    def __init__(self, number: int, needed: bool) -> None:
        super().__init__(number, "w", closefd=False)
        self._needed, self._lost = needed, False

    def write(self, data: Any, /) -> int:
        if self._lost:
            return len(data)
        try:
            return super().write(data)
        except OSError as error:
            self._lost = True
            if self._needed and not isinstance(error, BrokenPipeError):
                raise MachineRefused(f"standard output: cannot be written: {error.strerror}") from None
            return len(data)


def guard() -> None:
    """Guard this process's own standard streams; those that somebody has put in their place are left alone.

    Raises MachineRefused where standard output is closed.
    """
    closed = {name for name in NAMES if getattr(sys, f"__{name}__") is None and getattr(sys, name) is None}
    for name in closed:
        _occupy(NAMES.index(name))
    for name in NAMES[1:]:
        if name in closed or getattr(sys, name) is getattr(sys, f"__{name}__"):
            setattr(sys, name, _guarded(name))
    if "stdin" in closed:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if "stdout" in closed:
        raise MachineRefused("standard output: closed: expected somewhere to print the answer")


def _guarded(name: str) -> TextIOWrapper:
    was = getattr(sys, name)
    if was is not None:
        was.flush()
    number, encoding = NAMES.index(name), was.encoding if was is not None else "utf-8"
    raw = _Guarded(number, name == "stdout")
    lines = name == "stderr" or raw.isatty()
    return TextIOWrapper(BufferedWriter(raw), encoding, "backslashreplace", line_buffering=lines)


def _occupy(number: int) -> None:
    """A file that is opened later must not become the standard stream that is missing."""
    handle = os.open(os.devnull, os.O_RDWR)
    if handle != number:
        os.dup2(handle, number)
        os.close(handle)
