"""The cases of a space as arrays of integers, many at a time: each class of renamed randomizers once, by construction.

A table's rows are numbered in lexicographic order, and a table of least rank among its renamings has rows that ascend,
with a first row that is the least of its own renamings and of those of all other rows. So first rows are taken from
those, and other rows from the ones whose renamings are no less; where no renaming leaves the first row as it is, and
none makes another row equal to it, every such table is the least of its class. Only the rest, with rows of repeated
weights or of the same weights, are compared with their renamings.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations
from math import gcd
from typing import Any

import numpy as np

from shufflecert.verify.search.claim import NotBatched
from shufflecert.verify.search.spaces import Joined, Space, Table, Tables

MOST_IMAGES = 20_000_000  # renamed rows that are kept
GRID = 1 << 20  # pairs of rows that are looked at together
Array = np.ndarray[Any, np.dtype[Any]]


@dataclass(frozen=True)
class Chunk:
    """Tables of one shape: weights[x, y, i] / denominators[i] is the i-th one's probability of output y on input x."""

    ranks: Array
    weights: Array
    denominators: Array
    shape: Table  # its outputs and neighbours are those of all

    @property
    def key(self) -> tuple[object, ...]:
        """What chunks have in common that can be joined."""
        return self.shape.send, self.shape.adjacency, self.shape.reference, len(self.weights)

    def table(self, i: int) -> Table:
        """The i-th table."""
        rows = tuple(tuple(row) for row in self.weights[:, :, i].tolist())
        return replace(self.shape, rows=rows, denominator=int(self.denominators[i]))

    def part(self, start: int, stop: int) -> "Chunk":
        """Some of the tables."""
        weights = np.ascontiguousarray(self.weights[:, :, start:stop])
        return Chunk(self.ranks[start:stop], weights, self.denominators[start:stop], self.shape)


def batches(space: Space, start: int, stop: int, size: int) -> Iterator[Chunk]:
    """All cases of some ranks, at most `size` together. Raises NotBatched where cases are no tables."""
    waiting: list[Chunk] = []
    for chunk in _chunks(space, start, stop):
        if waiting and waiting[0].key != chunk.key:
            yield from _cut(waiting, size)
            waiting = []
        waiting.append(chunk)
        if sum(len(one.ranks) for one in waiting) >= 8 * size:
            yield from _cut(waiting, size)
            waiting = []
    yield from _cut(waiting, size)


def _cut(chunks: Sequence[Chunk], size: int) -> Iterator[Chunk]:
    if not chunks:
        return
    whole = chunks[0]
    if len(chunks) > 1:
        ranks, denominators = (np.concatenate([getattr(c, f) for c in chunks]) for f in ("ranks", "denominators"))
        whole = Chunk(ranks, np.concatenate([c.weights for c in chunks], axis=2), denominators, whole.shape)
    for at in range(0, len(whole.ranks), size):
        yield whole.part(at, at + size)


def _chunks(space: Space, start: int, stop: int) -> Iterator[Chunk]:
    if isinstance(space, Joined):
        before = 0
        for part, end in zip(space.parts, space.ends, strict=True):
            low, high = max(start, before), min(stop, end)
            if low < high:
                for chunk in _chunks(part, low - before, high - before):
                    yield Chunk(chunk.ranks + before, chunk.weights, chunk.denominators, chunk.shape)
            before = end
    elif isinstance(space, Tables) and space.inputs > 1 and (plan := _plan(space)) is not None:
        yield from _tables(space, plan, start, stop)
    else:
        yield from _one_by_one(space, start, stop)


def _one_by_one(space: Space, start: int, stop: int) -> Iterator[Chunk]:
    """The cases of any space of tables."""
    for rank in range(start, stop):
        case = space.case(rank)
        if case is None:
            continue
        if not isinstance(case, Table):
            raise NotBatched("cases that are no tables of weights")
        if case.denominator >= 2**31:
            raise NotBatched("denominators beyond 2^31")
        weights = np.array(case.rows, dtype=np.int64)[:, :, None]
        yield Chunk(np.array([rank]), weights, np.array([case.denominator], dtype=np.int64), case)


@dataclass(frozen=True)
class _Plan:
    """The rows of a space of tables, by number."""

    rows: Array  # weights
    images: Array  # [g, i]: the number of row i renamed
    least: Array  # the least number among those
    common: Array  # the greatest common divisor of the denominator and the weights
    used: Array  # the outputs with a weight, as bits
    alone: Array  # whether no renaming but one leaves the row as it is


@lru_cache(maxsize=4)
def _plan(space: Tables) -> _Plan | None:
    """The rows of a space; None where they are too many, or too long for their numbers to be looked up in words."""
    d, width = space.denominator, len(space.send)
    if space.row_count * len(space.renamings) > MOST_IMAGES or (d + 1) ** width >= 2**62 or space.size >= 2**62:
        return None
    if width == 1:
        rows = np.array([[d]])
    else:
        bars = np.array(list(combinations(range(d + width - 1), width - 1)), dtype=np.int64)
        ends = np.concatenate([bars, np.full((len(bars), 1), d + width - 1)], axis=1)
        rows = np.diff(ends, axis=1, prepend=-1) - 1
    scale = np.array([(d + 1) ** (width - 1 - y) for y in range(width)], dtype=np.int64)
    keys = rows @ scale  # ascending
    images = np.stack([np.searchsorted(keys, rows @ scale[list(renaming)]) for renaming in space.renamings])
    used = (rows > 0) @ (1 << np.arange(width, dtype=np.int64))
    alone = (images == np.arange(len(rows))).sum(axis=0) == 1
    return _Plan(rows, images, images.min(axis=0), np.gcd(np.gcd.reduce(rows, axis=1), d), used, alone)


def _tables(space: Tables, plan: _Plan, start: int, stop: int) -> Iterator[Chunk]:
    """The least tables of their classes at some ranks, ascending."""
    size, everything = space.row_count, (1 << len(space.send)) - 1
    every = np.arange(size)
    for prefix in _prefixes(space, plan, start, stop):
        before = _number(prefix, size) * size * size
        low, high = max(start - before, 0) // size, min((stop - before - 1) // size, size - 1)
        firsts = np.arange(low, high + 1)
        if not prefix:
            firsts = firsts[plan.least[firsts] == firsts]
        else:
            firsts = firsts[_may_follow(space, plan, prefix)[firsts]]
        known = int(np.bitwise_or.reduce(plan.used[list(prefix)])) if prefix else 0
        divisor = gcd(*(int(plan.common[p]) for p in prefix), space.denominator)
        step = max(1, GRID // size)
        for at in range(0, len(firsts), step):
            a = firsts[at : at + step, None]
            head = a if not prefix else np.array(prefix[0])
            fits = np.gcd(np.gcd(divisor, plan.common[a]), plan.common[every]) == 1
            if space.every_output:
                fits &= (known | plan.used[a] | plan.used[every]) == everything
            if not (space.fixed and not prefix):
                fits &= every >= a
            if not space.fixed:
                fits &= plan.least[every] >= head
            i, j = np.nonzero(fits)
            ranks = before + a[i, 0] * size + j
            inside = (ranks >= start) & (ranks < stop)
            i, j, ranks = i[inside], j[inside], ranks[inside]
            numbers = np.empty((len(ranks), space.inputs), dtype=np.int64)
            numbers[:, :-2], numbers[:, -2], numbers[:, -1] = prefix, a[i, 0], j
            kept = _least(space, plan, numbers)
            if kept.any():
                numbers, ranks = numbers[kept], ranks[kept]
                weights = np.ascontiguousarray(plan.rows[numbers].transpose(1, 2, 0))
                shape = Table((), space.denominator, space.send, space.adjacency)
                yield Chunk(ranks, weights, np.full(len(ranks), space.denominator, dtype=np.int64), shape)


def _number(digits: Sequence[int], base: int) -> int:
    number = 0
    for digit in digits:
        number = number * base + digit
    return number


def _prefixes(space: Tables, plan: _Plan, start: int, stop: int) -> Iterator[tuple[int, ...]]:
    """The first rows, all but two, of tables that may be the least of their classes, and have some of these ranks."""
    size, length = space.row_count, space.inputs - 2

    def walk(prefix: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(prefix) == length:
            yield prefix
            return
        whole = size ** (space.inputs - len(prefix) - 1)
        before = _number(prefix, size) * size * whole
        low, high = max(start - before, 0) // whole, min((stop - before - 1) // whole, size - 1)
        follow = _may_follow(space, plan, prefix) if prefix else plan.least == np.arange(size)
        for row in (low + np.flatnonzero(follow[low : high + 1])).tolist():
            yield from walk((*prefix, row))

    yield from walk(())


def _may_follow(space: Tables, plan: _Plan, prefix: Sequence[int]) -> Array:
    """Whether each row may come after these."""
    every = np.arange(space.row_count)
    ordered: Array = every >= (prefix[-1] if len(prefix) > space.fixed else 0)
    return ordered if space.fixed else ordered & (plan.least >= prefix[0])


def _least(space: Tables, plan: _Plan, numbers: Array) -> Array:
    """Whether each table, whose rows have these numbers, is the least of its renamings."""
    kept = np.ones(len(numbers), dtype=bool)
    first, others = numbers[:, 0], numbers[:, 1:]
    open_ = ~plan.alone[first]
    if not space.fixed:
        open_ |= (plan.least[others] == first[:, None]).any(axis=1)
    at = np.flatnonzero(open_)
    if not len(at):
        return kept
    asked = numbers[at]
    less = np.zeros(len(at), dtype=bool)
    for image in plan.images:
        moved = image[asked]
        moved[:, space.fixed :].sort(axis=1)
        same = np.ones(len(at), dtype=bool)
        for column in range(numbers.shape[1]):
            less |= same & (moved[:, column] < asked[:, column])
            same &= moved[:, column] == asked[:, column]
    kept[at] = ~less
    return kept
