"""What compositions guess in floats: which boxes of the others' compositions keep a delta of many runs, which datasets
seem worst, and where the curve of an event is looked at.

Nothing is proved. `verify.compose.boxes` finds on lattices what boxes allow; of an event's curve any places will do.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction
from math import exp, inf, sqrt
from typing import Any

from shufflecert.verify.bound.block import draws_of
from shufflecert.verify.bound.guess import as_float
from shufflecert.verify.bound.real import Dataset, Real, moved
from shufflecert.verify.bound.search import Search, Spent
from shufflecert.verify.bound.table import Box, Composition, Pair, Table
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair as ExactPair
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.runs.later import Later

np: Any = Later("numpy")
Leaf = tuple[Box, Pair, float]  # its delta, about
Node = Box | tuple[int, int]  # a leaf, or a cut: the class, and the most users of it in the first part
MOST_CELLS = 1 << 18  # of a dataset's law
MOST_LEAVES = 1 << 14  # of a cover, each of which takes a few thousandths of a second
CHEAP = 16  # cells of a guess that are one unit of work
KEPT = 1 << 10  # laws of runs that are kept
HAIR = Fraction(1, 1000)  # of a delta: what a lattice may find beyond a guess
PLACES, DEVIATIONS = 1 << 13, 9.0  # of losses in floats, and how far they are told
NOTHING, LEAST_SPREAD = 1e-16, 1e-30  # a probability, and a variance, that floats do not tell from 0
FAINT = 1e-13  # a probability that is left beyond the last dot
FARTHEST, FINE = 64.0, 1e-6  # an eps that is guessed, at most; how closely, relatively
DOTS = 2000  # of a curve
FAR = 11  # deviations of normal noise within which dots are set
STEEP = 300  # the largest logarithm of a ratio at a dot


@dataclass
class Losses:
    """All runs of a pair in floats: masses at losses from `first` on, in steps, and how likely one is infinite."""

    first: float
    step: float
    masses: Any
    infinite: float

    @classmethod
    def of(cls, p: Any, q: Any, times: int) -> "Losses":
        """The runs of the pair with these weights. The losses of one are split so that P and Q keep their totals."""
        known = p > NOTHING
        both = known & (q > NOTHING)
        never = float(p[known & ~both].sum())
        weights, losses = p[both], np.log(p[both] / q[both])
        mean = float((weights * losses).sum())
        spread = sqrt(max(float((weights * (losses - mean) ** 2).sum()) * times, LEAST_SPREAD))
        step = 2 * DEVIATIONS * spread / PLACES
        places = np.floor(losses / step)
        up = np.expm1((places - losses / step) * step) / np.expm1(-step)
        some = places.astype(np.int64)
        one = np.zeros(PLACES)
        np.add.at(one, some % PLACES, weights * (1 - up))
        np.add.at(one, (some + 1) % PLACES, weights * up)
        first = round(times * mean / step) - PLACES // 2
        masses = np.roll(np.fft.irfft(np.fft.rfft(one) ** times, PLACES), -(first % PLACES))
        return cls(first * step, step, masses, 1 - (1 - min(never, 1.0)) ** times)

    def delta(self, eps: float) -> float:
        """About delta(eps) of the runs."""
        beyond = eps - (self.first + self.step * np.arange(PLACES))
        return self.infinite - float((self.masses * np.expm1(np.minimum(beyond, 0.0))).sum())


@dataclass
class Guess:
    """So many runs of a table on the same data, in floats. Raises Spent where its work is done."""

    real: Real
    times: int
    losses: dict[tuple[Composition, Pair], Losses] = field(default_factory=dict)

    @classmethod
    def of(cls, rows: Randomizer, n: int, times: int, work: int) -> "Guess | None":
        """Guesses for n users of a table; None where a dataset's law has too many cells, or all inputs are alike."""
        search = Search(Table.of(rows, reduced=False), n, work)
        if search.guess is None or search.guess.cells > MOST_CELLS or not search.table.pairs:
            return None
        return cls(Real(rows, search), times)

    @property
    def search(self) -> Search:
        """Boxes, how they are cut, and what is seen with others of any composition."""
        return self.real.search

    def delta(self, counts: Composition, pair: Pair, eps: float) -> float:
        """About delta(eps) of all runs with these others."""
        key = counts, pair
        if key not in self.losses:
            if len(self.losses) > KEPT:
                self.losses.clear()
            guess = self.search.guess
            assert guess is not None and guess.plain is not None
            self.search.count((guess.plain.cells + 4 * PLACES) / CHEAP)
            views = guess.plain.views(counts)
            self.losses[key] = Losses.of(views[pair[0]], views[pair[1]], self.times)
        return self.losses[key].delta(eps)

    def joined(self, pair: ExactPair, eps: float) -> float:
        """About delta(eps) of all runs of an exact pair."""
        unit = float(pair.denominator)
        p, q = (np.array([float(weight) / unit for weight in law]) for law in (pair.p, pair.q))
        return Losses.of(p, q, self.times).delta(eps)

    def epsilon(self, counts: Composition, pair: Pair, bound: float) -> float:
        """About the smallest eps for this delta with these others; infinite where it is far."""
        low, high = 0.0, FARTHEST
        if self.delta(counts, pair, high) > bound:
            return inf
        while high - low > FINE * high and high > FINE:
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(counts, pair, middle) > bound else (low, middle)
        return high

    def worst(self, at: Eps | Fraction) -> Dataset:
        """The real datasets that seem to have the largest delta at an eps, or to need the largest eps for a delta."""
        eps, bound = (as_float(at), 0.0) if isinstance(at, Eps) else (None, float(at))

        def height(one: Dataset) -> float:
            if eps is None:
                return self.epsilon(one.counts, one.pair, bound)
            return self.delta(one.counts, one.pair, eps)

        table = self.search.table
        best = max((Dataset(counts, pair) for counts in self.real.starts for pair in table.pairs), key=height)
        step = self.search.total // 4 if len(table.bases) > 1 else 0
        while step:
            near = max((Dataset(counts, best.pair) for counts in moved(best.counts, step)), key=height)
            best, step = (near, step) if height(near) > height(best) * float(1 + HAIR) else (best, step // 2)
        return best

    def covers(
        self, asked: Iterable[tuple[Eps, Fraction]], missed: Fraction, hair: Fraction = HAIR
    ) -> list[tuple[Eps, Fraction, list[tuple[Composition, Pair]]]]:
        """For questions (eps, limit) that ask for ever more: corners that seem to keep the limit, those nearest last.

        As many of the questions as there are such; corners are `counts` of boxes that hold all compositions. `hair` is
        the part of a limit that is left to what a lattice may find beyond a guess.
        """
        begun, found = [(self.search.root, pair) for pair in self.search.table.pairs], []
        leaves: list[Leaf] | None
        for eps, limit in asked:
            at, leaves = as_float(eps), None
            with suppress(Spent):
                leaves = self._cover(at, float(limit * (1 - min(hair, HAIR))), missed, begun)
            if leaves is None:
                break
            leaves.sort(key=lambda leaf: (leaf[1], leaf[0].lower))  # near ones of a pair have curves that are alike
            found.append((eps, limit, [(self.counts(box, missed), pair) for box, pair, _ in leaves]))
            begun = [(box, pair) for box, pair, _ in leaves]
        return found

    def trees(self, eps: Eps, limit: Fraction, most: int) -> dict[Pair, list[Node]] | None:
        """For each pair of inputs cuts and leaves in preorder, whose corners alone seem to keep the limit.

        None where they are more than `most`, or where it takes too long.
        """
        begun = [(self.search.root, pair) for pair in self.search.table.pairs]
        self.search.work = 0  # a new question: what its answer took does not count
        try:
            leaves = self._cover(as_float(eps), float(limit * (1 - HAIR)), None, begun, most)
        except Spent:
            return None
        if leaves is None:
            return None
        search, boxes = self.search, {pair: {box: box for box, of, _ in leaves if of == pair} for _, pair in begun}
        return {pair: list(search.tree(search.root, some)) for pair, some in boxes.items()}

    def _cover(
        self,
        eps: float,
        limit: float,
        missed: Fraction | None,
        begun: Sequence[tuple[Box, Pair]],
        most: int = MOST_LEAVES,
    ) -> list[Leaf] | None:
        """Leaves that seem to keep the limit, with their delta.

        None where a single composition does not, or where they are too many.
        """
        found, stack = list[Leaf](), [*begun]
        while stack:
            box, pair = stack.pop()
            if (height := self.delta(self.counts(box, missed), pair, eps)) <= limit:
                found.append((box, pair, height))
                continue
            cut = None if box.one else self.search.cut(box)
            if cut is None or len(found) + len(stack) > most:
                return None
            stack += [(part, pair) for part in box.parts(*cut, self.search.total)]
        return found

    def counts(self, box: Box, missed: Fraction | None) -> Composition:
        """The corner's users; and how many more send what is common, but for a probability `missed`, where given."""
        table, left = self.search.table, self.search.total - sum(box.lower)
        return (*box.lower, draws_of(left, table.alike, missed)) if table.common and missed else box.lower

    def last(self, near: Dataset, room: Fraction) -> Fraction:
        """The eps of a last dot: what one run of these datasets has beyond is little."""
        guess, (a, b), last = self.search.guess, near.pair, Fraction(1, 1 << 20)
        assert guess is not None and guess.plain is not None
        views = guess.plain.views(near.counts)
        ways = Losses.of(views[a], views[b], 1), Losses.of(views[b], views[a], 1)

        def reached(eps: Fraction) -> bool:
            return all(way.delta(float(eps)) - way.infinite <= max(float(room), FAINT) for way in ways)

        while last < FARTHEST and not reached(last):
            last *= 2
        return next((step for k in range(9, 16) if reached(step := last * k / 16)), last)


def places(square: Fraction | None, rate: Fraction, q: Fraction, added: bool, dots: int = DOTS) -> list[Fraction]:
    """The x at which dots are set: ratios of the two densities at outcomes a fixed step apart.

    Of normal noise of variance 1 / `square`, else of Laplace noise of scale 1 / `rate`, on a sample of q.
    """
    found, share_of = set[Fraction](), float(q)
    mu = 0.0 if square is None else sqrt(square)
    for i in range(dots + 1):
        share = i / dots
        loss = float(rate) * (2 * share - 1) if square is None else mu * (share * (2 * FAR + mu) - FAR) - mu * mu / 2
        x = 1 - share_of + share_of * exp(min(max(loss, -STEEP), STEEP))
        if x > 0:
            found.add(Fraction(1 / x if added else x))
    return sorted(found)
