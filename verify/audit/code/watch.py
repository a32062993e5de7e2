"""A watch over a function that is run: it is stopped where it neither answers nor puts a question for some seconds.

The stop is an exception, raised where the function is. It can get lost there: Python drops what is raised in `__del__`
and in callbacks of the garbage collector or of weak references, and a loop may catch all and go on. So who goes on is
stopped again each second, and also where no handler of its own code is around, in its frames in turn.
"""

import dis
import functools
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

HERE = str(Path(__file__).parent.parent)  # verify/audit
CALLED = "_called"  # by a function of this name all that is watched is called
HOLD = 6  # times the seconds that a function may take, where others have the processor


class Stopped(BaseException):
    """Raised inside a function that takes too long between two questions."""


@dataclass
class Watch:
    """Stops a function that puts no question for `seconds`; only where signals can be had, in a main thread.

    Seconds in which it has a processor, which others may be at as well; or HOLD times as many where it has none.
    """

    seconds: int
    runs: int = 0  # to be counted up by every run
    seen: int = -1
    idle: int = 0  # seconds, by the clock
    since: int = 0  # nanoseconds of this process, when it was first seen
    stopped: bool = False
    again: int = 0  # how often it went on nevertheless
    interrupted: BaseException | None = None  # by Ctrl-C that got lost

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Watch what is done in the context."""
        if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
            yield
            return
        old, trace, hook = signal.signal(signal.SIGALRM, self._look), sys.gettrace(), sys.unraisablehook

        def lost(dropped: Any) -> None:
            if issubclass(dropped.exc_type, KeyboardInterrupt):
                self.interrupted = dropped.exc_value
            elif not issubclass(dropped.exc_type, Stopped):
                hook(dropped)

        sys.unraisablehook = lost
        signal.setitimer(signal.ITIMER_REAL, 1, 1)
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, old)
            sys.unraisablehook = hook
            if self.again:
                sys.settrace(trace)

    def _look(self, number: int, frame: FrameType | None) -> None:
        if self.interrupted is not None:
            raise self.interrupted
        now = time.process_time_ns()
        if self.seen != self.runs:
            self.idle, self.since = 0, now
            self.seen = self.runs
            return
        self.idle += 1
        busy = (now - self.since) // 10**9 + 1 >= self.seconds  # the first tick may have come a second late
        if self.idle >= self.seconds and (busy or self.idle >= HOLD * self.seconds):
            if self.stopped and (frames := _watched(frame)):
                chosen = frames[self.again % len(frames)]
                chosen.f_trace, chosen.f_trace_lines, chosen.f_trace_opcodes = self._between, False, True
                sys.settrace(lambda *_: None)  # without one no frame is traced
                self.again += 1
            self.stopped = True
            raise Stopped

    def _between(self, frame: FrameType, event: str, _: Any) -> Any:
        """A trace function: stops at the next instruction around which the frame has no handler."""
        if event == "opcode" and not any(frame.f_lasti in handled for handled in handlers(frame.f_code)):
            raise Stopped
        return self._between


def _watched(frame: FrameType | None) -> list[FrameType]:
    """The frames of the function that is watched, the outermost first."""
    found: list[FrameType] = []
    while frame is not None:
        if frame.f_code.co_filename.startswith(HERE):
            if frame.f_code.co_name == CALLED:
                return found[::-1]
        else:
            found.append(frame)
        frame = frame.f_back
    return []


@functools.lru_cache(None)
def handlers(code: CodeType) -> tuple[range, ...]:
    """The instructions for which a function's code has handlers."""
    return tuple(range(one.start, one.end) for one in dis._parse_exception_table(code))  # type: ignore[attr-defined]
