"""How many paths a function has, about, before they are all followed."""

import random
import time
from collections.abc import Callable, Sequence
from fractions import Fraction

from verify.errors import TooMuchWork

PROBES = 64
SOON = 250  # paths that are followed before their number is estimated
PATIENCE = 30  # seconds after which it is said how far this is


def estimate(probe: Callable[[random.Random], Fraction | None], residual: Fraction, max_paths: int, name: str) -> None:
    """Raises TooMuchWork where more than 2 `max_paths` paths seem needed to leave no more than `residual`.

    A path that is drawn by chance, of probability p, stands for 1/p paths; the least probable ones may stay behind.
    `probe` draws one and gives 1/p, or None where it does not end.
    """
    guess, counts = random.Random(0), list[Fraction]()  # chooses where to look, and is no part of any answer
    began = time.monotonic()
    while len(counts) < PROBES:
        found = probe(guess)
        if found is None or found == 1:
            return
        counts.append(found)
    kept = sorted(counts)[: PROBES - int(residual * PROBES)]
    if (about := sum(kept) / PROBES) > 2 * max_paths:
        minutes = about * Fraction((time.monotonic() - began) / PROBES) / 60
        raise TooMuchWork(
            f"input {name}: about {float(about):.1e} paths, {float(minutes):.1g} minutes: expected at most {max_paths} "
            "(--max-paths), or a larger --residual"
        )


def drawn(guess: random.Random, weights: Sequence[int] | int) -> tuple[int, Fraction]:
    """(a random index, drawn with these weights or uniformly below an integer; 1 / its probability)."""
    if isinstance(weights, int):
        return guess.randrange(weights), Fraction(weights)
    total = sum(weights)
    at = guess.randrange(total)
    for i, weight in enumerate(weights):
        at -= weight
        if at < 0:
            return i, Fraction(total, weight)
    raise AssertionError(total)
