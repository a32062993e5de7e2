"""On a terminal, the interval so far of an answer that is being found; nothing in a pipe."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from threading import Lock, Timer
from typing import Any

from shufflecert.verify import progress
from shufflecert.verify.bound.question import Tick
from shufflecert.verify.exact.rational import decimal_above, decimal_below


def between(what: str, low: Fraction, high: Fraction | None) -> str:
    """The interval of an answer so far, in words."""
    return f"{what} in [{decimal_below(low, 6)}, {'?' if high is None else decimal_above(high, 6)}]"


class Line:
    """On a terminal, a line that moves and shows the interval so far: from 0 to `most` while nothing else is known.

    It starts by itself after progress.WAIT seconds, and ends where a bar of known length takes its place (`track`).
    """

    def __init__(self, what: str, most: Fraction | None) -> None:
        self._what, self._bar, self._lock, self._ended = what, progress.moving(), Lock(), False
        self._timer = Timer(progress.WAIT, self._show, [between(what, Fraction(0), most)])
        self._timer.daemon = True
        self._timer.start()

    def __call__(self, low: Fraction, high: Fraction | None) -> None:
        """The interval so far."""
        self._show(between(self._what, low, high))

    def _show(self, said: str) -> None:
        with self._lock:
            if self._ended:
                return
            if not self._bar.live.is_started:
                self._timer.cancel()
                self._bar.start()
                self._bar.add_task(said, total=None)
            self._bar.update(self._bar.tasks[0].id, description=said)

    def track(self, items: Iterable[Any], total: int) -> Iterable[Any]:
        """Go through some items with a bar of their own, after which no other line is shown."""
        self.end()
        return progress.track(items, total)

    def end(self) -> None:
        """Take the line away."""
        with self._lock:
            self._ended = True
            self._timer.cancel()
            if self._bar.live.is_started:
                self._bar.stop()


@contextmanager
def closing(what: str, most: Callable[[], Fraction | None] = lambda: Fraction(1)) -> Iterator[Tick | None]:
    """On a terminal, a line with the interval so far, `most()` its upper end at first; nothing is shown in a pipe."""
    if not progress.on_terminal():
        yield None
        return
    line = Line(what, most())
    try:
        yield line
    finally:
        line.end()


def tracked(tick: Tick | None) -> progress.Progress:
    """The bar of what is gone through one by one, in the place of the line that `closing` shows."""
    return tick.track if isinstance(tick, Line) else progress.track
