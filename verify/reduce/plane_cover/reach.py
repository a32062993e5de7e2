"""A reduction for randomizers whose views lie in a plane: what `plane_cover.cover` finds, beside the blanket."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from verify.enclose.interval import Ends, Interval
from verify.errors import Undecided
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.progress import Progress
from verify.reduce.block_cover.reach import block_reach
from verify.reduce.composition_cover.search import MAX_WORK, TOLERANCE, Covered, Tick
from verify.reduce.composition_reduction import Enclosed
from verify.reduce.plane_cover import words
from verify.reduce.plane_cover.cover import Search, largest_delta, smallest_epsilon
from verify.reduce.plane_cover.curve import MOST_BYTES, Curve
from verify.reduce.plane_cover.guess import grid
from verify.reduce.plane_cover.plane import Plane
from verify.reduce.plane_cover.windows import Rectangle, Sums
from verify.reduce.reduction import Found, NamedPair, Reduction, worst_delta, worst_epsilon

BY = (
    "real datasets (below); boxes that cover all compositions of the others (above),"
    " proof in verify/reduce/plane_cover/cover.py"
)

ALSO = (
    "; also other real datasets (below) and boxes that cover all compositions of the others (above),"
    " proof in verify/reduce/plane_cover/cover.py"
)
MANY = 1000  # users: with fewer, boxes take less than a blanket
BLOCK_WORK = 20  # for blocks where boxes follow, for each cell of a box's window
MORE_BOXES, CELLS = 16, 7  # times as many boxes with each further class; cells of all boxes in a unit of work


@dataclass(frozen=True, eq=False)
class PlanePair:
    """The totals of some others with a user on row `source` (P) and on `target` (Q), by a window of machine words."""

    plane: Plane
    others: Rectangle
    source: int
    target: int
    whole = True

    def at(self, eps: Sequence[Eps]) -> list[Interval]:
        """delta at many eps, each as closely as words tell: to some 10^-10, absolutely."""
        found = words.ends(self.plane, self.others, [(self.source, self.target)], eps)
        return [Interval(low, high) for low, high, _ in found]

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """As `at`, whatever bits are asked for."""
        [found] = self.at([eps])
        return found.low, found.high

    def never_returns(self) -> Fraction:
        """A lower bound on P(Q = 0): 0, since a window may miss outcomes."""
        return Fraction(0)

    def reversed(self) -> "PlanePair":
        """The same datasets in the other direction."""
        return replace(self, source=self.target, target=self.source)


@dataclass(frozen=True)
class PlaneCompositions(Enclosed[Plane]):
    """All pairs of neighbours, up to the order of users, of a randomizer in the plane."""

    def asked(self, eps: Eps, enough: Fraction, one_of_many: bool = False, blanket: Found | None = None) -> Found:
        """The largest delta(eps); a blanket or blocks answer where they show that this is `enough`."""
        if enough:
            blanket = self.of_a_blanket(lambda reach: worst_delta(reach, eps, enough=enough), of=lambda: self.blocks)
            blanket = blanket and replace(blanket, by=blanket.by or self.blocks.by)
            if blanket is not None and (blanket.stopped or blanket.value.high <= enough):
                return blanket
        return super().asked(eps, enough, one_of_many, blanket)

    @cached_property
    def blocks(self) -> Reduction:
        """Blocks, less work than boxes of many users and nearly as close: they are asked first what is enough."""
        rows, columns = grid(self.line, self.n) or (1, 1)
        return block_reach(self.randomizer, self.n, self.tolerance, BLOCK_WORK * rows * columns, self.tick)

    @cached_property
    def _beside(self) -> Reduction:
        made = block_reach(self.randomizer, self.n, self.tolerance, 2 * self.max_work, self.tick)
        assert made.epsilon is not None
        return replace(made, epsilon=cache(made.epsilon))  # it may be asked before boxes and after them

    def beside(self) -> Reduction:
        """What is asked where boxes do not come to an end: the blanket, and blocks."""
        return self._beside

    def epsilon(self, bound: Fraction) -> tuple[Fraction | None, Fraction | None, Found]:
        """The smallest eps with delta(eps) <= bound: by long blocks, which take less than boxes; then by boxes too."""
        asked = None
        if bound and self.n >= MANY:
            asked = self.of_a_blanket(lambda reach: worst_epsilon(reach, bound), of=self.beside)
        if asked is not None:
            low, high, found = asked
            if low is None or found.stopped or (high is not None and high <= low * (1 + self.tolerance)):
                return low, high, replace(found, by=found.by or self.beside().by)
        return super().epsilon(bound)

    def largest(self, eps: Eps, enough: Fraction) -> Covered:
        """The largest delta(eps) by boxes, as far as the work goes."""
        return largest_delta(self._search(), eps, enough)

    def smallest(self, bound: Fraction) -> Covered:
        """The smallest eps with delta(eps) <= bound by boxes, as far as the work goes; bound > 0."""
        return smallest_epsilon(self._search(), bound)

    def curve(self, eps: Sequence[Eps], progress: Progress | None = None) -> Iterator[list[Found]]:
        """The largest delta at each eps, rising: by a blanket first, then with boxes, or else blocks, ever closer."""
        beside = self.beside()
        assert beside.curve is not None
        found = next(blocks := beside.curve(eps, progress))
        yield found
        lows, highs = [one.value.low for one in found], [one.value.high for one in found]
        known = Curve(self._search(), eps, lows, highs, progress)
        for _ in known.close_in():
            if known.covered:
                yield [self._closer(one, known, i) for i, one in enumerate(found)]
        if not known.covered:
            yield from blocks

    def windows(self, named: NamedPair) -> PlanePair | None:
        """The pair of these datasets by a window of its two laws; None where words do not hold the rows' weights."""
        counts, source, target = self.case(named)
        if self.line.unit >= words.LONGEST or sum(counts) != self.n - 1:
            return None
        sums, size = Sums(self.line, self.n, MOST_BYTES), len(self.line.laws)
        [(_, others)] = sums.each([(*counts, 0)[:size]])
        return PlanePair(self.line, others, source, target)

    def _closer(self, blanket: Found, known: Curve, i: int) -> Found:
        worst, pairs = known.worst[i], blanket.pairs + known.laws * len(self.line.pairs())
        named = blanket.worst if worst is None else self.named(*worst)
        return Found(Interval(known.low[i], known.high[i]), named, pairs, by=blanket.by + ALSO)

    def cover(self, eps: Eps, bound: Fraction) -> Mapping[str, Any]:
        """What shows that delta(eps) is at most the bound: a blanket or blocks, where they do, else boxes.

        Raises Undecided where neither does.
        """
        assert self.blocks.cover is not None
        if worst_delta(self.blocks, eps, enough=bound).value.high <= bound:
            return self.blocks.cover(eps, bound)
        found = largest_delta(replace(self._search(), drawn=False), eps, bound)
        if found.high is None or found.high > bound:
            raise Undecided("boxes whose lower corners alone are not enough")
        return {"cover": found.tree(self.line, self.n)}

    def _search(self) -> Search:
        return Search(self.line, self.n, self.tolerance, self.max_work, self.tick)


def plane_reach(
    randomizer: Randomizer,
    n: int,
    tolerance: Fraction = TOLERANCE,
    max_work: int = MAX_WORK,
    tick: Tick | None = None,
) -> Reduction | None:
    """The reduction of a randomizer in the plane, or None where its views do not lie in one, or n is too large.

    None also where the work that is allowed is too little for the boxes that so many classes are likely to need.
    """
    plane = Plane.of(randomizer)
    shape = None if plane is None else grid(plane, n)
    if plane is None or shape is None:
        return None
    if shape[0] * shape[1] * MORE_BOXES ** (len(plane.bases) - 1) > CELLS * max_work:
        return None
    family = PlaneCompositions(randomizer, plane, n, tolerance, max_work, tick)
    made = Reduction(family, BY, len(plane.inputs), epsilon=family.epsilon, delta=family.delta)
    return replace(made, cover=family.cover, curve=family.curve)
