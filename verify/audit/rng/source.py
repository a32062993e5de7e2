"""Sources of randomness that walk every path: `random.Random`, and numpy's Generator and RandomState.

Everything that has finitely many outcomes opens one branch for each, with its exact probability; `random()` gives a
draw that asks when it is compared. Deployed, `random()` is a multiple of 2^-53 and the methods that are built on it do
what CPython and numpy do with its floats; the methods that are built on random bits are exact in both. What is given
back has the type that the library gives it: numpy's integers wrap round, and ~ of its bools is a bool.
"""

import random
from bisect import bisect_right
from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from operator import index
from typing import Any

from shufflecert.verify.audit.rng.draws import NotFollowed
from shufflecert.verify.audit.rng.numpy_source import GeneratorSource, LegacySource
from shufflecert.verify.audit.rng.recording import Source, cumulated

CHECKED = random.Random(0)  # by which arguments are checked, and from which nothing is ever drawn


class RandomSource(Source):
    """As `random.Random`: what it builds on its own `random()` and `_randbelow()` is its own code."""

    KEPT = (
        "random, randrange, randint, choice, choices, shuffle, sample, getrandbits, uniform, binomialvariate, randbytes"
    )

    @classmethod
    def _real(cls) -> type:
        return random.Random

    randrange: Any = random.Random.randrange
    randint: Any = random.Random.randint
    choice: Any = random.Random.choice
    shuffle: Any = random.Random.shuffle

    def random(self) -> Any:
        return self._draw(0.5)

    def uniform(self, a: Any, b: Any) -> Any:
        return self._between(a, b, self.random())

    def _randbelow(self, n: int) -> Any:
        return self._many(n, 1)

    def getrandbits(self, k: int) -> Any:
        if (bits := index(k)) < 0:
            raise ValueError("number of bits must be non-negative")
        return self._many(1 << bits, 1)

    def randbytes(self, n: int) -> bytes:
        CHECKED.randbytes(min(n, 0))
        return bytes(self._below(256) for _ in range(n))

    def choices(self, population: Any, weights: Any = None, *, cum_weights: Any = None, k: int = 1) -> list[Any]:
        CHECKED.choices(population, weights, cum_weights=cum_weights, k=min(k, 1))
        n = len(population)
        if weights is None and cum_weights is None:
            if not self._deployed:
                return [population[self._below(n)] for _ in range(k)]
            return [population[int(self.random() * float(n))] for _ in range(k)]
        if weights is not None and isinstance(weights, int):
            raise TypeError(f"The number of choices must be a keyword argument: {k=}")
        if not self._deployed and cum_weights is None:
            pick = self._weighted(weights)
            return [population[pick()] for _ in range(k)]
        sums = cumulated(weights) if cum_weights is None else list(cum_weights)
        if any(b < a for a, b in pairwise(sums)):
            raise NotFollowed("weights that are negative: expected others")
        total = sums[-1] + 0.0
        return [population[bisect_right(sums, self.random() * total, 0, n - 1)] for _ in range(k)]

    def sample(self, population: Sequence[Any], k: int, *, counts: Any = None) -> list[Any]:
        CHECKED.sample(population, k, counts=counts)
        pool = list(range(len(population)))
        if counts is not None:
            pool = [i for i, count in zip(pool, counts, strict=True) for _ in range(count)]
        return [population[pool.pop(self._below(len(pool)))] for _ in range(k)]

    def binomialvariate(self, n: int = 1, p: Any = Fraction(1, 2)) -> int:
        return self._trials(index(n), self._probability("binomialvariate", p))


SOURCES = {"random.Random": RandomSource, "numpy's Generator": GeneratorSource, "numpy's RandomState": LegacySource}
LIBRARIES = ("random.Random", "numpy's Generator")  # which one a function was written for is found out
