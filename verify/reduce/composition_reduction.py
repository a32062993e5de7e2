"""A reduction for randomizers whose views lie on a line: what `composition_cover` finds, with its datasets and event.

Where the work that is allowed is spent before the two ends are within the tolerance, a blanket bounds the worst as
well: the answer is what both intervals have in common.
"""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, TypeVar

from verify.enclose.interval import Interval
from verify.errors import BadInput
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.exact.rational import DIGITS
from verify.reduce.composition_cover.curve import Chords, Cover
from verify.reduce.composition_cover.delta import largest_delta
from verify.reduce.composition_cover.epsilon import smallest_epsilon
from verify.reduce.composition_cover.line_pair import LinePair
from verify.reduce.composition_cover.search import FIRST_BITS, MAX_WORK, TOLERANCE, Covered, Memory, Search, Tick
from verify.reduce.compositions import Composition, Line, Views
from verify.reduce.plane_cover.plane import Plane
from verify.reduce.privacy_blanket import event_of, reach_of
from verify.reduce.reduction import Family, Found, NamedPair, Reduction, worst_delta, worst_epsilon

BY = (
    "real datasets (below); boxes that cover all compositions of the others (above),"
    " proof in verify/reduce/compositions.py"
)


BLANKET = ", and a blanket was asked as well: the closer ends are shown"
ROUGH, FAINT, ROUGH_WORK = Fraction(1, 100), Fraction(1, 10**40), 1_000_000  # of a point of a curve; the work for it
CLOSELY = Fraction(1, 400)  # of all points of a curve by one cover
SMALL, WORD = Fraction(1, 10**12), 64  # a delta that words hardly tell from others; bits of e^eps
Answer = TypeVar("Answer")
Space = TypeVar("Space", Line, Plane)
SPENT, STOPPED = "; the work allowed was spent before the tolerance", "; stopped by Ctrl-C before the tolerance"


def line_reach(
    randomizer: Randomizer,
    n: int,
    tolerance: Fraction = TOLERANCE,
    max_work: int = MAX_WORK,
    tick: Tick | None = None,
) -> Reduction | None:
    """The reduction of a randomizer on a line, or None where its views do not lie on a line.

    The worst over all datasets of n users is enclosed to the relative `tolerance`, as far as `max_work` allows; None
    also where that is too little for a first look at each class.
    """
    line = Line.of(randomizer)
    if line is None or line.first_look(n) > max_work:
        return None
    family = Compositions(randomizer, line, n, tolerance, max_work, tick)
    return Reduction(family, BY, len(line.inputs), epsilon=family.epsilon, delta=family.delta, cover=family.cover)


@dataclass(frozen=True)
class Enclosed(Family, Generic[Space]):
    """All pairs of neighbours, up to the order of users, of a randomizer whose views lie on a line or in a plane."""

    randomizer: Randomizer
    line: Space
    n: int
    tolerance: Fraction
    max_work: int
    tick: Tick | None = None

    @abstractmethod
    def largest(self, eps: Eps, enough: Fraction) -> Covered:
        """The largest delta(eps) by boxes, as far as the work goes."""

    @abstractmethod
    def smallest(self, bound: Fraction) -> Covered:
        """The smallest eps with delta(eps) <= bound by boxes, as far as the work goes; bound > 0."""

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """The largest delta(eps), to the tolerance whatever `digits` are asked for.

        One of many questions: who stops this one stops all.
        """
        found = self.asked(eps, enough, one_of_many=True)
        return found.value, found.worst, found.pairs

    def delta(self, eps: Eps, enough: Fraction = Fraction(0)) -> Found:
        """The largest delta(eps); of a blanket's ends, where it is asked, those that are closer are taken."""
        return self.asked(eps, enough)

    def asked(self, eps: Eps, enough: Fraction, one_of_many: bool = False, blanket: Found | None = None) -> Found:
        """As `delta`; `blanket` is what the blanket answered, if it was asked before.

        Raises KeyboardInterrupt where one of many questions is stopped.
        """
        found = self.largest(eps, enough)
        if one_of_many and found.stopped:
            raise KeyboardInterrupt
        mine = self._found(found, found.value)
        if found.finished or (found.stopped and found.high is not None):
            return mine
        few = found.stopped or one_of_many
        other = blanket or self.of_a_blanket(
            lambda reach: worst_delta(reach, eps, enough=enough), found.stopped, None if few else self.beside
        )
        if other is None:
            return replace(mine, note=mine.note or SPENT)
        low, high = max(mine.value.low, other.value.low), min(mine.value.high, other.value.high)
        named = mine.worst if other.worst is None or mine.value.low >= other.value.low else other.worst
        pairs, note = mine.pairs + other.pairs, (mine.note or SPENT) + BLANKET
        return Found(Interval(low, high), named, pairs, note, found.stopped or other.stopped)

    def beside(self) -> Reduction:
        """What is asked where boxes do not come to an end: the blanket."""
        return reach_of(self.randomizer, self.n)

    def of_a_blanket(
        self,
        question: Callable[[Reduction], Answer],
        stopped: bool = False,
        of: Callable[[], Reduction] | None = None,
    ) -> Answer | None:
        """What the blanket answers, or `of` what else stands beside the boxes, a blanket in it.

        None where it refuses, which is known only when its values are made. Once `stopped`, also with another Ctrl-C.
        """
        try:
            return question(of() if of is not None else reach_of(self.randomizer, self.n))
        except BadInput:
            return None
        except KeyboardInterrupt as stop:
            if not stopped or type(stop) is not KeyboardInterrupt:
                raise
            return None

    def epsilon(self, bound: Fraction) -> tuple[Fraction | None, Fraction | None, Found]:
        """The smallest eps with delta(eps) <= bound, enclosed as by `verify.reduce.reduction.worst_epsilon`.

        No window shows that delta is 0: then the blanket answers.
        """
        if not bound:
            return worst_epsilon(reach_of(self.randomizer, self.n), bound)
        found = self.smallest(bound)
        mine = self._found(found, Interval(bound, bound))
        if found.finished or (found.stopped and found.high is not None):
            return None if found.high is None and found.finished else found.low, found.high, mine
        beside = self.of_a_blanket(
            lambda reach: worst_epsilon(reach, bound), found.stopped, None if found.stopped else self.beside
        )
        if beside is None:
            return found.low, found.high, replace(mine, note=mine.note or SPENT)
        low, high, other = beside
        pairs, note = mine.pairs + other.pairs, (mine.note or SPENT) + BLANKET
        if low is None:
            return None, None, replace(other, pairs=pairs, note=note)
        highs = [end for end in (found.high, high) if end is not None]
        named = mine.worst if other.worst is None or found.low >= low else other.worst
        both = Found(mine.value, named, pairs, note, found.stopped or other.stopped)
        return max(low, found.low), min(highs, default=None), both

    def never_returns(self) -> Fraction:
        """A lower bound on the largest P(Q = 0): 0, since no window tells more."""
        return Fraction(0)

    def _found(self, found: Covered, value: Interval) -> Found:
        pairs = found.evaluations * len(self.line.pairs())
        return Found(value, self.named(found.worst, found.pair), pairs, STOPPED if found.stopped else "", found.stopped)

    def named(self, counts: Composition | None, pair: tuple[int, int] | None) -> NamedPair | None:
        """The datasets of a composition and two inputs; any where all are alike, None where all rows are equal."""
        pair = pair or next(iter(self.line.pairs()), None)
        if pair is None:
            return None
        counts = counts or (self.n - 1, *(0 for _ in self.line.bases[1:]))
        firsts = [self.line.inputs[self.line.classes.index(x)] for x in range(len(self.line.bases))]
        others = {x: count for x, count in zip(firsts, counts, strict=True) if count}
        source, target = (self.line.inputs[x] for x in pair)
        event = event_of(self.randomizer, source, target, others)
        return NamedPair(event, source, target, others, event.threshold)

    def case(self, named: NamedPair) -> tuple[Composition, int, int]:
        """The composition of the others and the two rows of these datasets, the inverse of `named`."""
        counts = [0] * len(self.line.bases)
        for x, count in (named.others or {}).items():
            counts[self.line.classes[self.line.inputs.index(x)]] += count
        source, target = (self.line.inputs.index(x) for x in (named.source, named.target))
        return tuple(counts), source, target


@dataclass(frozen=True)
class Compositions(Enclosed[Line]):
    """All pairs of neighbours, up to the order of users, of a randomizer on a line."""

    memory: Memory = field(default_factory=Memory, compare=False, repr=False)

    def largest(self, eps: Eps, enough: Fraction) -> Covered:
        """The largest delta(eps) by boxes, as far as the work goes."""
        return largest_delta(self.line, self.n, eps, self.tolerance, enough, self.max_work, self.tick, self.memory)

    def smallest(self, bound: Fraction) -> Covered:
        """The smallest eps with delta(eps) <= bound by boxes, as far as the work goes; bound > 0."""
        return smallest_epsilon(self.line, self.n, bound, self.tolerance, self.max_work, self.tick, self.memory)

    @cached_property
    def chords(self) -> Chords | None:
        """What one cover shows at many eps, to a relative CLOSELY; None where floats or words tell nothing."""
        closeness = max(self.tolerance, CLOSELY), self.max_work
        cover = Cover.of(self.line, self.n, *closeness, tick=self.tick)
        return None if cover is None else Chords.of(cover)

    def above(self, eps: Eps) -> Fraction:
        """An upper bound on the largest delta(eps), to a relative ROUGH where it is above FAINT.

        For one of many points of a curve: one cover for all of them, but where delta is too small for machine words.
        Raises KeyboardInterrupt with Ctrl-C.
        """
        known = Fraction(1)
        if self.chords is not None:
            t = eps.bounds(WORD)[0]
            known = self.chords.above(t)
            end, more = self.chords.ends[-1].t, known - self.chords.never
            if known > SMALL and (t <= end or more <= SMALL):
                return known
        tolerance = max(self.tolerance, ROUGH)
        work = min(self.max_work, ROUGH_WORK)
        found = largest_delta(self.line, self.n, eps, tolerance, FAINT, work, self.tick, self.memory)
        if found.stopped:
            raise KeyboardInterrupt
        return min(known, found.value.high)

    def never_returns(self) -> Fraction:
        """A lower bound on the largest P(Q = 0), where all others are in one class."""
        search = Search(self.line, self.n, FIRST_BITS, self.max_work, memory=self.memory)
        seen = [Views.of(search.powers, counts) for counts in search.first()]
        return max((views.never_returns(search.pairs)[0] for views in seen if search.pairs), default=Fraction(0))

    def near(self, eps: Eps) -> NamedPair | None:
        """Real datasets that have about the largest delta(eps)."""
        if self.chords is None:
            return self.worst(eps)[1]
        return self.named(*self.chords.worst(eps.bounds(WORD)[0]))

    def windows(self, named: NamedPair) -> LinePair:
        """The pair of these datasets by windows of its two laws."""
        return LinePair(self.line, *self.case(named))

    def cover(self, eps: Eps, bound: Fraction) -> Mapping[str, Any]:
        """What shows that delta(eps) is at most the bound: boxes where they do, else a blanket.

        Raises Undecided where neither is near.
        """
        found = self.largest(eps, bound)
        if found.high is not None and found.high <= bound and not found.stopped:
            return {"cover": found.tree(self.line, self.n)}
        dominating = reach_of(self.randomizer, self.n).dominating
        assert dominating is not None
        return {"blanket": dominating.hints(eps, bound)}
