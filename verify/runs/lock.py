"""A lock on a path, for one writer at a time; the operating system takes it back with the process, however it ends."""

import fcntl
import os
import time
import weakref
from contextlib import suppress
from functools import partial
from pathlib import Path

from verify.errors import BadInput
from verify.runs.atomic_files import refusal

TRIES = 20  # `owner` holds the lock for an instant too; an owner proper holds it for good


class Lock:
    """The lock on `path`, held until `release`; its file stands beside `path` while it is held.

    Raises BadInput, naming the process, where another one holds it, or this one already; MachineRefused where its file
    cannot be written. A file that a killed process left behind is no lock.
    """

    def __init__(self, path: Path) -> None:
        self._file = _beside(path)
        try:
            handle = self._held()
        except OSError as error:
            raise refusal(path, "cannot be locked", error) from None
        if handle is None:
            who = owner(path)
            raise BadInput(
                f"{path}: in use by {f'process {who}' if who else 'another process'}: expected it to be free"
            )
        try:
            os.ftruncate(handle, 0)
            os.pwrite(handle, str(os.getpid()).encode(), 0)
        except OSError as error:
            self._file.unlink(missing_ok=True)
            os.close(handle)
            raise refusal(path, "cannot be locked", error) from None
        self._handle: int | None = handle
        # A forked child would hold the lock on after its parent was killed
        os.register_at_fork(after_in_child=partial(_close, weakref.ref(self)))

    def release(self) -> None:
        """Release the lock; a second time does nothing."""
        if self._handle is not None:
            self._file.unlink(missing_ok=True)
            self._close()

    def _close(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    def _held(self) -> int | None:
        for _ in range(TRIES):
            handle = os.open(self._file, os.O_RDWR | os.O_CREAT, 0o666)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if os.path.samestat(os.fstat(handle), self._file.stat()):
                    return handle
            except (BlockingIOError, FileNotFoundError):
                pass
            except BaseException:
                os.close(handle)
                raise
            os.close(handle)  # another's, or removed by its last owner between our open and our flock
            time.sleep(1 / 100)
        return None


def owner(path: Path) -> int | None:
    """The process that holds the lock on `path`; 0 where it has not said which, None where nobody holds it."""
    with suppress(OSError):
        handle = os.open(_beside(path), os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            written = os.pread(handle, 20, 0)
            return int(written) if written.isdigit() else 0
        finally:
            os.close(handle)
    return None


def _close(reference: "weakref.ref[Lock]") -> None:
    lock = reference()
    if lock is not None:
        lock._close()


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}-lock")
