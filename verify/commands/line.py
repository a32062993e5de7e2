"""On a terminal, the interval so far of an answer that is being found; nothing in a pipe."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from shufflecert.verify import progress
from shufflecert.verify.bound.question import Tick
from shufflecert.verify.exact.rational import decimal_above, decimal_below


def between(what: str, low: Fraction, high: Fraction | None) -> str:
    """The interval of an answer so far, in words."""
    return f"{what} in [{decimal_below(low, 6)}, {'?' if high is None else decimal_above(high, 6)}]"


class Line(progress.Line):
    """A line that shows the interval so far, from 0 to `most` while nothing else is known."""

    def __init__(self, what: str, most: Fraction | None) -> None:
        self._what = what
        super().__init__(between(what, Fraction(0), most))

    def __call__(self, low: Fraction, high: Fraction | None) -> None:
        """The interval so far."""
        self.say(between(self._what, low, high))

    def track(self, items: Iterable[Any], total: int) -> Iterable[Any]:
        """Go through some items with a bar of their own, after which no other line is shown."""
        self.end()
        return progress.track(items, total)


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
