"""Guesses in floats of what others of any composition make of delta(eps). Nothing is proved.

Which composition is the worst, which boxes keep a bound: what is guessed here is tried again in integers, and a wrong
guess leaves a wider interval. The others' sum is taken modulo a box, so that its Fourier transform is the product of
powers of their laws' transforms.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import erfc, exp, prod
from typing import Any

from verify.bound.table import Point, Row, Table
from verify.runs.later import Later

np: Any = Later("numpy")
fft: Any = Later("scipy.fft")
REACH = 7.5  # standard deviations from the middle
MOST_CELLS = 1 << 19  # of a transform
MOST_HELD = 1 << 24  # floats of views that are kept
SMALLEST = 1e-11  # delta that floats tell from 0, to a thousandth
Composition = tuple[int, ...]


@dataclass
class Guess:
    """Transforms of a table's laws, for sums of so many users."""

    table: Table
    shape: Point
    kept: dict[Composition, dict[int, Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table, users: int, most: int = MOST_CELLS) -> "Guess | None":
        """Guesses for so many users; None where a transform would have too many cells."""
        shape, laws = [], (*table.bases, table.common) if table.common else table.bases
        for i in range(table.rank):
            spread = max(variance(law, i) for law in laws)
            reach = table.reach[i]
            cells = min(users * reach + 1, int(2 * REACH * (users * spread) ** 0.5) + 6 * reach + 8)
            shape.append(int(fft.next_fast_len(cells + reach, real=True)))
        return cls(table, tuple(shape)) if prod(shape) <= most else None

    @property
    def cells(self) -> int:
        """Of one transform."""
        return prod(self.shape)

    def transform(self, law: Mapping[Point, float]) -> Any:
        """The transform of a law, its weights made to sum to 1."""
        cells, unit = np.zeros(self.shape), sum(law.values())
        for point, weight in law.items():
            cells[tuple(c % size for c, size in zip(point, self.shape, strict=True))] += weight / unit
        return fft.rfftn(cells)

    @cached_property
    def logs(self) -> list[Any]:
        """Logarithms of the transforms of the classes' laws, and last of what is common, where there is any."""
        laws = (*self.table.bases, self.table.common) if self.table.common else self.table.bases
        return [np.log(self.transform(law) + 1e-300) for law in laws]

    @cached_property
    def rows(self) -> dict[int, Any]:
        """The transforms of the rows of the users who change."""
        return {x: self.transform(self.table.rows[x]) for pair in self.table.pairs for x in pair}

    @cached_property
    def common(self) -> Any:
        """The transform of what is common."""
        return self.transform(self.table.common)

    def total(self, counts: Sequence[int]) -> Any:
        """The transform of the sum of these others."""
        return np.exp(sum(c * log for c, log in zip(counts, self.logs, strict=False) if c) + 0 * self.logs[0])

    def views(self, counts: Composition) -> dict[int, Any]:
        """What is seen with these others and a user on each input."""
        if counts not in self.kept:
            if len(self.kept) * len(self.rows) * self.cells > MOST_HELD:
                self.kept.clear()
            total = self.total(counts)
            self.kept[counts] = {x: fft.irfftn(row * total, self.shape).ravel() for x, row in self.rows.items()}
        return self.kept[counts]

    def delta(self, counts: Composition, pair: tuple[int, int], eps: float) -> float:
        """About delta(eps) of a pair with these others."""
        views = self.views(counts)
        return float(np.maximum(views[pair[0]] - exp(min(eps, 700.0)) * views[pair[1]], 0).sum())

    def largest(self, counts: Composition, eps: float) -> tuple[float, tuple[int, int]]:
        """About the largest delta(eps) of all pairs with these others, and the pair."""
        return max((self.delta(counts, pair, eps), pair) for pair in self.table.pairs)

    def epsilon(self, counts: Composition, bound: float, low: float, most: float) -> float:
        """About the smallest eps that keeps the bound with these others, not below `low`; `most` if none below does."""
        if self.largest(counts, low)[0] <= bound:
            return low
        high = max(2 * low, 1e-6)
        while self.largest(counts, high)[0] > bound:
            if high >= most:
                return most
            low, high = high, min(4 * high, most)
        while high - low > 1e-6 * high:
            middle = (low * high) ** 0.5 if low and high > 2 * low else (low + high) / 2
            low, high = (middle, high) if self.largest(counts, middle)[0] > bound else (low, middle)
        return high


def variance(law: Row, i: int) -> float:
    """The variance of a coordinate."""
    unit = sum(law.values())
    mean = sum(point[i] * w for point, w in law.items()) / unit
    return sum((point[i] - mean) ** 2 * w for point, w in law.items()) / unit


def covariance(law: Row) -> Any:
    """The covariances of the coordinates."""
    points, weights = np.array(list(law), float), np.array([float(w) for w in law.values()])
    weights = weights / weights.sum()
    points = points - weights @ points
    return (points * weights[:, None]).T @ points


def mean(law: Row) -> Any:
    """The means of the coordinates."""
    weights = np.array([float(w) for w in law.values()])
    return (weights / weights.sum()) @ np.array(list(law), float)


def normal(square: float, eps: float) -> float:
    """delta(eps) of a normal distribution against its shift by sqrt(square) standard deviations."""
    if not square or square == float("inf"):
        return 0.0
    shift = square**0.5
    return _above(eps / shift - shift / 2) - exp(min(eps, 700.0)) * _above(eps / shift + shift / 2)


def _above(x: float) -> float:
    return erfc(x / 2**0.5) / 2
