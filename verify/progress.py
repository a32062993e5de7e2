"""Progress on a terminal: what is done and how much is left, on standard error; nothing in a pipe."""

import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from threading import Lock, Timer
from typing import Any

GIGABYTE = 1 << 30
WAIT = 2 / 5  # seconds before a line is shown: most answers are there by then
TRUSTED = 5  # seconds for which what was foreseen stands, before what is seen corrects it
UNITS = (("s", 1), ("min", 60), ("h", 3600))
Progress = Callable[[Iterable[Any], int], Iterable[Any]]  # goes through some items, so many, and shows it


def on_terminal() -> bool:
    """Whether there is somebody to show progress to."""
    return sys.stderr.isatty()


def memory(held: int) -> None:
    """Say, before it is held, how much memory is wanted, where that is more than a gigabyte."""
    if held > GIGABYTE and on_terminal():
        print(f"about {held / GIGABYTE:.2g} GiB of memory at a time", file=sys.stderr)


def bar(*columns: str, **options: Any) -> Any:
    """A bar that leaves nothing behind; its columns are names of rich's, or texts with {task.completed} and so on."""
    rich = import_module("rich.progress")  # takes a tenth of a second
    made = [getattr(rich, column)() if column.endswith("Column") else column for column in columns]
    console = import_module("rich.console").Console(stderr=True)
    return rich.Progress(*made, console=console, transient=True, **options)


class Line:
    """On a terminal, a line that moves, with what is said and the time passed, for work of unknown length.

    It starts by itself after `wait` seconds, or when something else is said. At once where that is 0: a timer has no
    turn while a library works for long in one call.
    """

    def __init__(self, said: str, wait: float = WAIT) -> None:
        self._bar = bar("SpinnerColumn", "{task.description}", "TimeElapsedColumn")
        self._lock, self._ended = Lock(), False
        self._timer = Timer(wait, self.say, [said])
        self._timer.daemon = True
        if wait:
            self._timer.start()
        else:
            self.say(said)

    def say(self, said: str) -> None:
        """Say something else in the line, which is shown from then on."""
        with self._lock:
            if self._ended:
                return
            if not self._bar.live.is_started:
                self._timer.cancel()
                self._bar.start()
                self._bar.add_task(said, total=None)
            self._bar.update(self._bar.tasks[0].id, description=said)

    def end(self) -> None:
        """Take the line away."""
        with self._lock:
            self._ended = True
            self._timer.cancel()
            if self._bar.live.is_started:
                self._bar.stop()


@contextmanager
def busy(what: str, wait: float = WAIT) -> Iterator[None]:
    """Show a line for work of unknown length, once it took `wait` seconds."""
    line = Line(what, wait) if on_terminal() else None
    try:
        yield
    finally:
        if line is not None:
            line.end()


@contextmanager
def counting(what: str) -> Iterator[Callable[[int], None] | None]:
    """Show how much work was done, where it has no known end."""
    if not on_terminal():
        yield None
        return
    with bar("SpinnerColumn", "{task.completed:.0f} {task.description}", "TimeElapsedColumn") as shown:
        task = shown.add_task(what, total=None)
        yield lambda done: shown.update(task, completed=done) if done % 256 == 0 else None


def track(items: Iterable[Any], total: int) -> Iterable[Any]:
    """Go through some items with a bar, how many are done, and the time left."""
    return _tracked(items, total) if on_terminal() and total > 1 else items


def _tracked(items: Iterable[Any], total: int) -> Iterator[Any]:
    done = "{task.completed:.0f} of {task.total:.0f} done, {task.percentage:.0f}%"
    with bar("BarColumn", done, "TimeRemainingColumn", "left") as shown:
        yield from shown.track(items, total=total)


class Left:
    """The time that is left for some things, `at_once` of which are at work, in this order: about, in words.

    `foreseen` are the milliseconds of each. They are corrected by what is seen: by how many times longer all that was
    done, and half of what is at work, took than was foreseen. A few seconds count as if they had been foreseen rightly.
    """

    def __init__(self, foreseen: Mapping[str, int], at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._at_once, self._clock, self._start = at_once, clock, clock()
        self._left = {name: needed / 1000 for name, needed in foreseen.items()}
        self._whole = sum(self._left.values())

    def done(self, name: str) -> None:
        """One of them is done."""
        self._left.pop(name, None)

    def __len__(self) -> int:
        return len(self._left)

    def seconds(self) -> float:
        """The seconds left."""
        left = list(self._left.values())
        working = sum(left[: self._at_once]) / 2
        passed = (self._clock() - self._start) * min(self._at_once, len(left) or 1)
        slower = (passed + TRUSTED) / (self._whole - sum(left) + working + TRUSTED)
        # no sooner than the longest of them, which nobody shares
        return max([slower * (sum(left) - working) / self._at_once, *(slower * one / 2 for one in left)], default=0)

    def __str__(self) -> str:
        seconds = self.seconds()
        if seconds > 100:
            return f"about {round(seconds / 60)} min left"
        unit = 1 if seconds < 10 else 5
        return f"about {max(1, unit * round(seconds / unit))} s left"


def told(items: Iterable[Any], line: Callable[[Any], str], left: Left, name: Callable[[Any], str]) -> Iterator[Any]:
    """Go through some items with a bar and the time left, and leave a line about each that is done."""
    if not on_terminal():
        yield from items
        return
    done = "{task.completed:.0f} of {task.total:.0f} done"
    with bar("SpinnerColumn", done, "TimeElapsedColumn", "{task.fields[left]}") as shown:
        task = shown.add_task("", total=len(left), left=left)
        for item in items:
            left.done(name(item))
            shown.console.print(line(item), markup=False, highlight=False)
            shown.advance(task)
            yield item


@contextmanager
def parts(what: str) -> Iterator[tuple[Progress, Callable[[str], None]]]:
    """Show a line that moves, with a bar below it for each part of known length.

    And what puts other words into the place of `what`.
    """
    if not on_terminal():
        yield (lambda items, _: items), lambda _: None
        return
    with bar("SpinnerColumn", "{task.description}", "BarColumn", "TimeElapsedColumn") as shown:

        def walk(items: Iterable[Any], total: int) -> Iterator[Any]:
            task = shown.add_task("", total=total)
            for item in items:
                yield item
                shown.advance(task)
            shown.remove_task(task)

        first = shown.add_task(what, total=None)
        yield walk, lambda said: shown.update(first, description=said)


def named(items: Iterable[Any], total: int) -> Iterator[Any]:
    """Go through some items with a bar that names the one at work, by its `name`."""
    if not on_terminal() or total < 2:
        yield from items
        return
    with bar() as shown:
        task = shown.add_task("", total=total)
        for item in items:
            shown.update(task, description=item.name, refresh=True)
            yield item
            shown.advance(task)


def watched(
    blocks: Iterable[Any], total: int, done: int, what: str = "", size: Callable[[Any], int] | None = None
) -> Iterator[Any]:
    """Show a bar while the blocks of a run finish: number, rate, time left and failures.

    The rate is that of blocks, or of `what` they hold, so many as `size` says.
    """
    if not on_terminal() or done == total:
        yield from blocks
        return
    columns = ("BarColumn", "MofNCompleteColumn", "{task.fields[rate]}", "TimeRemainingColumn", "{task.fields[failed]}")
    failed, held, start = 0, 0, time.monotonic()
    # A block may take an hour: the rate is that of the latest thousand, however long ago
    with bar(*columns, speed_estimate_period=10**9) as shown:
        task = shown.add_task("", total=total, completed=done, rate="", failed="")
        for block in blocks:
            failed += block.failure is not None
            held += size(block) if size is not None else 0
            shown.advance(task)
            passed = time.monotonic() - start or 1
            rate = _rate(shown.tasks[0].speed) if size is None else f"{held / passed:.3g} {what}/s"
            shown.update(task, rate=rate, failed=f"{failed} failed" if failed else "")
            yield block


def _rate(speed: float | None) -> str:
    """Of blocks per second, in the unit that makes it at least 1."""
    if not speed:
        return ""
    unit, seconds = next((unit for unit in UNITS if speed * unit[1] >= 1), UNITS[-1])
    return f"{speed * seconds:.1f}/{unit}"
