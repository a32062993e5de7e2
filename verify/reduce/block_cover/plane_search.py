"""Blocks of many users in a plane: which of them suit a box is guessed from a normal approximation, nothing is proved.

A box that is to lose little must be cut where few users are, so that its blocks are few and long. Long blocks send
nearly normal sums, of which it is known at once about what they allow: only those that seem good enough are looked at.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from verify.exact.epsilon import Eps
from verify.reduce.block_cover.blocks import Block, Cuts
from verify.reduce.block_cover.guess import FINE, Law
from verify.reduce.block_cover.search import LITTLE, MOST_DROPPED, SLACK, Leaf, Pair, Search, normal
from verify.reduce.block_cover.words import LUMPS, Windows
from verify.reduce.compositions import Box
from verify.reduce.plane_cover.guess import Grid, Guess, grid
from verify.runs.later import Later

np: Any = Later("numpy")
fft: Any = Later("scipy.fft")
LONGEST, SHORTEST = 512, 4  # users of a block, about
GROWS, ABOUT, TRIED = 1.6, (0.8, 1.2), 4096  # numbers of blocks: some near one are tried, so that few are in none
MOST_TERMS, AREA = 1_600_000, 200  # that may be seen of a block; places, for deviations of 1
LONG, MOST_OPEN = 64, 16  # users of a block: of longer ones few are left open, or boxes are better cut
SEEMS = 1.04  # times the delta that is allowed, by the normal approximation and what was found of the last: looked at
LEAST = 1e-30  # of an approximation: below, it tells nothing
CLOSE, SLOW = 1.03, 20_000  # times the delta that is allowed: looked at more closely; as all that have so many terms
FINES = (FINE, 4 * FINE)  # steps in a single draw's standard deviation
FLOOR = 1e-11  # of the largest weight: below, transforms are noise
CELL_WORK, LOOK_WORK = 0.1, 2_000  # of a look for each cell, and besides


@dataclass
class PlaneSearch(Search):
    """Guesses at covers of n users whose views lie in a plane, as `windows` has them."""

    term_work = CELL_WORK
    windows: Windows = field(kw_only=True)
    levels: list[int] = field(init=False)  # how many blocks there are, rising; multiples of the first
    ratios: dict[tuple[Pair, int], float] = field(default_factory=dict)  # of what was found last to the approximation
    guesses: dict[int, Guess] = field(default_factory=dict)
    shapes: dict[int, Grid | None] = field(default_factory=dict)  # of a block's window, by its size

    def __post_init__(self) -> None:
        fewest = _near(max(1, self.n // LONGEST), self.n, 1)
        self.levels, times = [fewest], GROWS
        while fewest * times * SHORTEST <= self.n:
            self.levels.append(fewest * _near(round(times), self.n, fewest))
            times *= GROWS
        while fewest > 1:
            fewest //= 2
            self.levels.append(fewest)
        self.levels = sorted(set(self.levels))
        self.sizes = tuple(self.n // count for count in self.levels)
        plane = self.windows.plane
        moments = [_covariance(law) for law in plane.bases]
        self.spreads = [*moments, _covariance(plane.common) * float(plane.alike()) if plane.common else 0 * moments[0]]
        self.means = [_mean(row) for row in plane.rows]

    @property
    def unit(self) -> int:
        """How many users are moved at least where a box is cut: the number of the longest blocks."""
        return self.levels[0]

    def root(self) -> Box:
        """All compositions."""
        size = len(self.windows.plane.bases)
        return Box.tight([0] * size, [self.n - 1] * size, self.n - 1)

    def _leaf(self, pair: Pair, box: Box, eps: float, limit: float, thorough: bool = False) -> Leaf | None:
        """The first blocks that seem to keep (eps, limit), short ones first; of each length only the best is tried."""
        for choices in self.choices(box) if not thorough else ():
            some = [(normal(self.spread(block, draws, pair), eps), block, draws) for block, draws in choices]
            about, block, draws = min(some, key=lambda one: one[0], default=(1.0, None, 0))
            key = pair, draws
            if block is None or about * self.ratios.get(key, 1.0) > SEEMS * limit:
                continue
            law = self.law(block, pair)
            for fine in FINES if len(law.s) < SLOW else FINES[1:]:
                self.count(int(CELL_WORK * len(law.s)) + LOOK_WORK)
                delta = law.delta(eps, draws, LITTLE * limit, fine)
                if delta <= limit * (1 - SLACK):
                    return Leaf(pair, box, block, draws, _dyadic(law.cuts(eps, draws, LITTLE * limit, fine)))
                self.ratios[key] = delta / max(about, LEAST)
                if delta > CLOSE * limit:
                    break
        return None

    def again(self, leaf: Leaf, power: Eps, most: Fraction) -> Leaf:
        """The same blocks for another eps, with values rounded as suits a delta of about `most`."""
        return replace(leaf, cuts=_dyadic(super().again(leaf, power, most).cuts))

    def choices(self, box: Box) -> Iterator[list[tuple[Block, int]]]:
        """Blocks that dominate a box, and how many there are of them, by their size."""
        classes = range(len(box.lower))
        if self.windows.plane.common:
            yield [(Block((0,) * len(classes), 1, None), self.n)]
        for x in classes:
            if box.lower[x] >= self.n * (1 - MOST_DROPPED):
                yield [(Block(tuple(int(y == x) for y in classes), 0, x), box.lower[x] + 1)]
        for count in reversed(self.levels):
            found, size = [], self.n // count
            for place in (*classes, None):
                users = tuple((least + (x == place)) // count for x, least in enumerate(box.lower))
                block = Block(users, size - sum(users), place)
                there = (
                    block.open if place is None and self.windows.plane.common else place is not None and users[place]
                )
                if there and self._terms(block) <= MOST_TERMS:
                    found.append((block, count))
            yield found

    def spread(self, block: Block, draws: int, pair: Pair) -> float:
        """About the variance of the likelihood ratio: by a normal approximation, for so many such blocks."""
        a, b = pair
        (p, q), (_, r) = draws * self._spread(block)
        u, v = self.means[a] - self.means[b]
        whole = p * r - q * q
        return float((r * u * u - 2 * q * u * v + p * v * v) / whole) if whole > 0 else float("inf")

    def _terms(self, block: Block) -> float:
        """About what may be seen of a block: places, and how many were drawn."""
        part = float(self.windows.plane.alike())
        drawn = min(block.open, 16 * (block.open * part * (1 - part)) ** 0.5) + 1
        if block.size not in self.shapes:
            self.shapes[block.size] = grid(self.windows.plane, block.size)
        shape, spread = self.shapes[block.size], self._spread(block)
        if shape is None or (block.open > MOST_OPEN and block.size > LONG):
            return float("inf")
        cells = min(float(shape[0] * shape[1]), AREA * float(spread[0, 0] * spread[1, 1]) ** 0.5 + AREA)
        return float(cells * (drawn if block.place is None else min(drawn, LUMPS)))

    def _spread(self, block: Block) -> Any:
        return sum(c * s for c, s in zip((*block.users, block.open), self.spreads, strict=True))

    def _guess(self, size: int) -> Guess:
        if size not in self.guesses:
            shape = grid(self.windows.plane, size)
            assert shape is not None
            self.guesses[size] = Guess(self.windows.plane, shape)
        return self.guesses[size]

    def _cut(self, box: Box) -> list[Box] | None:
        """The two parts of a box, cut where many blocks begin; None where it is too small."""
        unit, wide = self.unit, [up - low for low, up in zip(box.lower, box.upper, strict=True)]
        x = wide.index(max(wide))
        low, up = box.lower[x], box.upper[x]
        for count in reversed(self.levels):
            at = (low + up + count) // (2 * count) * count
            if unit <= count and low < at <= up and min(at - low, up + 1 - at) * 4 > up - low:
                left, right, total = list(box.upper), list(box.lower), self.n - 1
                left[x], right[x] = at - 1, at
                return [Box.tight(box.lower, left, total), Box.tight(right, box.upper, total)]
        return None

    def _law(self, block: Block, a: int, b: int) -> Law:
        guess = self._guess(block.size)
        users = [count - (x == block.place) for x, count in enumerate(block.users)]
        parts: list[list[Any]] = [[], [], []]
        for one in self.windows.slices(block, a, b):
            total = guess.total((*users, one.drawn))
            place = guess.transform(one.place, 1)
            p, q, s = (fft.irfft2(row * total, guess.shape).ravel() for row in (guess.rows[a], guess.rows[b], place))
            s = np.where(s > FLOOR * s.max(), s, 0)
            inside = (s > 0) | (p > FLOOR * p.max())
            likely, weight = float(one.weight * one.likelier), float(one.weight)
            for part, law, times in zip(parts, (p, q, s), (likely, likely, weight), strict=True):
                part.append(np.maximum(law[inside], 0) * times)
        return Law(*(np.concatenate(part) for part in parts))


def _near(times: int, n: int, unit: int) -> int:
    """A number near this one of which, times the unit, n is nearly a multiple."""
    some = range(max(1, int(times * ABOUT[0])), int(times * ABOUT[1]) + 1)[:TRIED]
    return min(some, key=lambda count: (n % (count * unit), -count))


def _dyadic(cuts: Cuts) -> Cuts:
    """The same with a step that is a power of two, and no longer."""
    g = max(0, (cuts.step.denominator // cuts.step.numerator).bit_length())
    times = cuts.step * (1 << g)
    below, above = (max(0, int(end * times)) + 2 for end in (cuts.below, cuts.above))
    return Cuts(Fraction(1, 1 << g), below, above, cuts.rare)


def _mean(law: Any) -> Any:
    points, weights = _listed(law)
    return weights @ points


def _covariance(law: Any) -> Any:
    points, weights = _listed(law)
    points = points - weights @ points
    return (points * weights[:, None]).T @ points


def _listed(law: Any) -> tuple[Any, Any]:
    weights = np.array([float(weight) for weight in law.values()])
    return np.array(list(law), float), weights / weights.sum()
