"""What takes longer than half a minute is said, foreseen or while it runs, with how to go on.

What is foreseen is in seconds of the processor, scaled by how long what was done before took against what was foreseen
of it; what has passed, in those of a clock.
"""

import random
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction

from shufflecert.verify.errors import TooMuchWork

PATIENCE = 30  # seconds
PROBES = 64
SOON = 250  # paths that are followed before their number is estimated
LEAST = Fraction(1, 10)  # of a second that was foreseen, from which an estimate is learned

Guess = random.Random
Probe = Callable[[Guess], Fraction | None]  # draws a path: one over its probability; None where it has no end


def say(what: str) -> None:
    """A line on standard error."""
    print(f"audit: {what}", file=sys.stderr, flush=True)


class Paths:
    """The paths of one input: how many there are, about, and how far this is."""

    def __init__(self, name: str, residual: Fraction, max_paths: int, patience: float = PATIENCE) -> None:
        self.name, self.residual, self.max_paths = name, residual, max_paths
        self.began, self.since, self.limit = time.process_time(), time.monotonic(), patience

    def foresee(self, probe: Probe, paths: int) -> None:
        """After so many paths. Raises TooMuchWork where more than 2 `max_paths` seem needed to leave the residual.

        A path that is drawn by chance, of probability p, stands for 1/p paths; the least probable ones may stay behind.
        """
        each = (time.process_time() - self.began) / paths
        guess, counts = random.Random(0), list[Fraction]()  # chooses where to look, and is no part of any answer
        while len(counts) < PROBES:
            found = probe(guess)
            if found is None or found == 1:
                return
            counts.append(found)
        kept = sorted(counts)[: PROBES - int(self.residual * PROBES)]
        about = float(sum(kept) / PROBES)
        said = f"input {self.name}: about {about:.1e} paths, {about * each / 60:.1g} minutes"
        if about > 2 * self.max_paths:
            raise TooMuchWork(f"{said}: expected at most {self.max_paths} (--max-paths), or a larger --residual")
        if about * each > self.limit:
            self.limit = 2 * about * each
            say(f"{said}: --residual R stops at a mass of R that is left, --max-paths N sooner")

    def look(self, paths: int, left: Callable[[], Fraction]) -> None:
        """Says how far this is where it takes long, and each time that twice as much has passed."""
        if (took := time.monotonic() - self.since) < self.limit:
            return
        self.limit = 2 * took
        say(
            f"input {self.name}: {paths} paths in {round(took)} s, a mass of {float(left()):.1e} is left: --residual R"
            " stops at a larger one, --max-paths N sooner"
        )


def drawn(guess: random.Random, weights: Sequence[int] | int) -> tuple[int, Fraction]:
    """An answer by chance, and one over its probability."""
    if isinstance(weights, int):
        return guess.randrange(weights), Fraction(weights)
    total = sum(weights)
    at = guess.randrange(total)
    for i, weight in enumerate(weights):
        at -= weight
        if at < 0:
            return i, Fraction(total, weight)
    raise AssertionError(total)


class Parts:
    """The parts of an audit, with the seconds that are foreseen of each; what they took is learned from."""

    def __init__(self, seconds: Mapping[str, Fraction], how: str, patience: float = PATIENCE) -> None:
        self.seconds, self.how, self.patience = seconds, how, patience
        self.rate, self.at, self.limit, self.began = 1.0, "one user", patience, 0.0

    def begin(self, part: str) -> None:
        """The next part; the one before has ended."""
        now = time.process_time()
        before, ahead = self.seconds.get(self.at, Fraction(0)), float(self.seconds.get(part, 0))
        if before > LEAST:
            self.rate = max(self.rate, (now - self.began) / float(before))
        likely = ahead * self.rate
        self.at, self.began, self.limit = part, now, max(self.patience, 2 * likely)
        if likely > self.patience and likely > 2 * ahead:
            say(f"{part}: about {round(likely)} s, by what others took: {self.how}")

    @contextmanager
    def watched(self) -> Iterator[None]:
        """Says what runs longer than was foreseen of it, as long as the context lasts."""
        done = threading.Event()

        def look() -> None:
            while not done.wait(1):
                took = time.process_time() - self.began
                if took > self.limit:
                    self.limit = 2 * took
                    say(f"{self.at}: {round(took)} s so far: {self.how}")

        self.begin(self.at)
        thread = threading.Thread(target=look, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()
