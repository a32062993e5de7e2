"""Progress on a terminal: the interval so far, what is done and how much is left; nothing in a pipe."""

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from verify.exact.rational import decimals


@contextmanager
def closing(what: str) -> Iterator[Callable[[Fraction, Fraction | None], None] | None]:
    """On a terminal, a line with the interval so far, as soon as there is one; nothing is shown in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    shown = Progress(*columns, console=Console(stderr=True), transient=True)

    def tick(low: Fraction, high: Fraction | None) -> None:
        if not shown.live.is_started:
            shown.start()
            shown.add_task(what, total=None)
        shown.update(shown.tasks[0].id, description=f"{what} in [{_short(low)}, {_short(high)}]")

    try:
        yield tick
    finally:
        if shown.live.is_started:
            shown.stop()


def _short(end: Fraction | None) -> str:
    return "?" if end is None else decimals(end, end, 6)[0]


@contextmanager
def busy(what: str) -> Iterator[None]:
    """Show, for work of unknown length, a line that moves, with the time passed: on a terminal; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        shown.add_task(what, total=None)
        yield


@contextmanager
def counting(what: str) -> Iterator[Callable[[int], None] | None]:
    """Show how much work was done, where it has no known end: on a terminal; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.completed:.0f} {task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        task = shown.add_task(what, total=None)
        yield lambda done: shown.update(task, completed=done) if done % 256 == 0 else None


def track(items: Iterable[Any], total: int) -> Iterable[Any]:
    """Go through some items with a bar, how many are done, and the time left, on a terminal; nothing in a pipe."""
    if not sys.stderr.isatty() or total < 2:
        return items
    return _tracked(items, total)


def _tracked(items: Iterable[Any], total: int) -> Iterator[Any]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    done = TextColumn("{task.completed:.0f} of {task.total:.0f} done, {task.percentage:.0f}%")
    columns = (BarColumn(), done, TimeRemainingColumn(), TextColumn("left"))
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        yield from shown.track(items, total=total)
