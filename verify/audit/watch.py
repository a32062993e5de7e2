"""A watch over a function that is run: it is stopped where it neither answers nor asks for some seconds.

The stop is an exception, raised where the function is, each second anew: a function may catch it, and Python drops it
in `__del__`. One that goes on nevertheless is given up.
"""

import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

HOLD = 6  # times the seconds that a function may take, where others have the processor
PATIENCE = 4  # stops that are lost before a function is given up


class Stopped(BaseException):
    """Raised inside a function that takes too long."""


@dataclass
class Watch:
    """Stops a function that puts no question for `seconds`, in which it has a processor, or HOLD times as many where it
    has none; only where signals can be had, in a main thread. `give_up` ends a process that cannot be stopped."""

    seconds: int
    give_up: Callable[[], object] | None = None
    runs: int = 0  # to be counted up by every run
    stopped: int = 0

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch what is done in the context."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            yield
            return
        seen, busy, since = self.runs, time.process_time(), time.monotonic()
        hook = sys.unraisablehook

        def look(number: int, frame: Any) -> None:
            nonlocal seen, busy, since
            if seen != self.runs:
                seen, busy, since = self.runs, time.process_time(), time.monotonic()
                return
            waited = time.monotonic() - since
            if (
                time.process_time() - busy >= self.seconds - 1 and waited >= self.seconds
            ) or waited > HOLD * self.seconds:
                self.stopped += 1
                if self.stopped > PATIENCE and self.give_up is not None:
                    self.give_up()
                raise Stopped

        def lost(dropped: Any) -> None:
            if not issubclass(dropped.exc_type, Stopped):
                hook(dropped)

        old = signal.signal(signal.SIGALRM, look)
        sys.unraisablehook = lost
        signal.setitimer(signal.ITIMER_REAL, 1, 1)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)
            sys.unraisablehook = hook
