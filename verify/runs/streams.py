"""Standard input, output and errors: answers are printed whole, or the command says that they were not.

A reader who has seen enough and closed the pipe ends nothing and changes no status: what is printed after that is
dropped. A full disk, or an output that was closed from the start, is `MachineRefused`. What cannot be said on standard
error is dropped: the exit status says it.
"""

import os
import sys
from io import BufferedWriter, FileIO, TextIOWrapper
from typing import Any

from shufflecert.verify.errors import MachineRefused

NAMES = ("stdin", "stdout", "stderr")


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
