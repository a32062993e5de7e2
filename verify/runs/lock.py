"""A lock on a path, for one writer at a time; the operating system takes it back with the process, however it ends."""

import os
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from shufflecert.verify.errors import BadInput
from shufflecert.verify.runs.atomic_files import refusal

WAIT, STEP = 1 / 5, 1 / 100  # seconds: `owner` holds the lock for an instant too; an owner proper holds it for good


class Lock:
    """The lock on `path`, held until `release`; its file stands beside `path` while it is held.

    Raises BadInput, naming the process, where another one holds it, or this one already; MachineRefused where its file
    cannot be written. A file that a killed process left behind is no lock, nor does a forked child hold it.
    """

    def __init__(self, path: Path) -> None:
        self._file = _beside(path)
        self._lock = FileLock(self._file, mode=0o666, thread_local=False)
        try:
            self._lock.acquire(timeout=WAIT, poll_interval=STEP)
        except Timeout:
            who = owner(path)
            raise BadInput(
                f"{path}: in use by {f'process {who}' if who else 'another process'}: expected it to be free"
            ) from None
        except OSError as error:
            raise refusal(path, "cannot be locked", error) from None
        with suppress(PermissionError):  # Windows lets nobody write to a file that is locked
            self._file.write_text(str(os.getpid()))

    def release(self) -> None:
        """Release the lock; a second time does nothing."""
        if self._lock.is_locked:
            with suppress(OSError):  # Windows removes it after the release
                self._file.unlink()
            self._lock.release()


def owner(path: Path) -> int | None:
    """The process that holds the lock on `path`; 0 where it has not said which, None where nobody holds it."""
    file = _beside(path)
    with suppress(OSError):
        if not file.exists():
            return None
        try:
            with FileLock(file, mode=0o666, thread_local=False).acquire(timeout=0):
                return None
        except Timeout:
            written = file.read_text(errors="replace")[:20]
            return int(written) if written.isdigit() else 0
    return 0 if file.exists() else None


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}-lock")
