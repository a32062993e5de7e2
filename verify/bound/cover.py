"""A table's bound: real datasets from below, a cover of all compositions of the others from above.

delta(eps) is convex in e^eps and falls, so a cover that keeps a limit at one eps bounds it at all later ones. "delta at
this eps", "delta at these eps" and "the least eps" are one question to the search: leaves that keep limit_i at eps_i.
Limits come closer to the lower end, one after the other, until the two are within the tolerance or the work is spent.
The privacy blanket is asked as well, by a way of its own that needs no grid: before a cover where it is often near,
else after it. The closer ends are taken.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Any, NamedTuple

from shufflecert.verify import certificate as writing
from shufflecert.verify.bound.box_blocks import Leaf
from shufflecert.verify.bound.evidence import Shown, ends_of
from shufflecert.verify.bound.guess import as_float, foreseen
from shufflecert.verify.bound.in_turn import near
from shufflecert.verify.bound.law import MOST_CELLS, DatasetPair, bytes_for
from shufflecert.verify.bound.question import COVER_WORK, FAINT, TINY, TOLERANCE, Tick
from shufflecert.verify.bound.real import Dataset, Real, spread_evenly
from shufflecert.verify.bound.search import TOLD, Search, Spent
from shufflecert.verify.bound.table import Box, Composition, Pair, Table
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import MAX_EPS, Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.progress import Progress
from shufflecert.verify.reduce.privacy_blanket import reach_of
from shufflecert.verify.reduce.reduction import Found, NamedPair, Reduction, worst_delta, worst_epsilon

EPS_WIDTHS = tuple(Fraction(1, one) for one in (1, 10, 20, 50, 100, 250))  # before the tolerance
DELTA_WIDTHS = (
    10**6,
    30,
    Fraction(3),
    Fraction(1),
    Fraction(3, 10),
    Fraction(1, 10),
    Fraction(3, 100),
    Fraction(1, 100),
)
SOON = 1 << 22  # units of a proof: a few seconds
SPARE = 4  # times the work that is foreseen for a width: so much is left where it is tried at once
VAIN = 2  # times the work that is left: if so much is foreseen for the next, it is not begun
MUCH = 16  # parts of all work, or of the last: what took less tells little of the next
MORE, MOST = 2, 4  # times the work that is foreseen, or a part of what is left: so much may a closer cover take
NEAR, NEARER = Fraction(4, 3), Fraction(5, 4)  # widths: none between is tried, if one takes too long; was missed
WHOLE, SOONER = Fraction(7, 4), 20  # of the work, with proofs; parts of it, up to which a proof is made at once
SLOWER = Fraction(3, 4)  # of the power of the width by which work grew last: so does it go on, or nearly
DOUBTED = 2  # times the work that is foreseen for a proof: so much may it take
EPS_BITS = 48  # of an eps that is looked for
PART = 3  # of the work, for a first cover beside a system's own pairs
TRIES, HAIR = 4, Fraction(1, 10**4)  # of a cover that integers find to allow more than floats did; by this less
CLOSER = 1 << 10  # times closer guesses are trusted, where they were not close enough
SHOWN = Fraction(1, 10**20)  # of delta, from which on wide covers are proved as well, to be shown soon
KNOTS = 5  # eps of a curve at which one cover is to be close
LONG_LAWS = 1 << 22  # bytes of a dataset's law, beyond which what a system's own pairs tell is left as it is
FEW, CLOSELY = 16, Fraction(1, 400)  # points of a curve that are all to be close; of more by one cover, how close
BY = "real datasets (below); blocks of users for boxes of all compositions of the others (above), verify/bound/block.py"
BESIDE = ", and {}: the closer bounds are shown"
SPENT, STOPPED = "; the work allowed was spent before the tolerance", "; stopped by Ctrl-C before the tolerance"
NO_CLOSER = "; no closer boxes were found"
BlanketSays = tuple[Fraction | None, Fraction | None, Found]  # of the smallest eps: its two ends, and what was found


class Cost(NamedTuple):
    """The work of a cover of this width, and about what its proof takes."""

    width: Fraction
    guess: int
    proof: int


class Guessed(NamedTuple):
    """Leaves that seem to keep (eps, bound), and about what their proof takes."""

    eps: Fraction
    bound: Fraction
    leaves: list[Leaf]
    proof: int


@dataclass
class Cover:
    """The worst over all neighbouring datasets of n users of a finite randomizer, from both sides.

    The relative `tolerance` is aimed at, as far as `max_work` allows; `tick` is told of the interval so far.
    """

    randomizer: Randomizer
    n: int
    tolerance: Fraction = TOLERANCE
    max_work: int = COVER_WORK
    tick: Tick | None = None
    reach: Reduction | None = None  # the privacy blanket, where it is there, or a system's own pairs
    roughly: Fraction | None = None  # the relative width of these at which nothing is covered; None: the tolerance
    low: Fraction = Fraction(0)
    high: Fraction | None = None
    stopped: bool = False
    spent: bool = False
    boxes: dict[Pair, list[Box]] = field(default_factory=dict)
    leaves: list[Leaf] = field(default_factory=list)  # of the last cover that kept its limits
    pending: list[Guessed] = field(default_factory=list)  # covers that wait for a proof, ever closer
    costs: list[Cost] = field(default_factory=list)  # of covers that were found
    proved: dict[Eps, Fraction] = field(default_factory=dict)  # eps: what a cover was found to allow there

    @cached_property
    def table(self) -> Table:
        """The table, reduced."""
        return Table.of(self.randomizer)

    @cached_property
    def search(self) -> Search:
        """The search, whose laws serve all questions."""
        return Search(self.table, self.n, self.max_work, self._tell, closely=self._closely)

    def _of_size(self, delta: Fraction) -> None:
        """Go on with a search whose blocks tell a delta of this size."""
        if delta and (search := self.search.for_size(delta)) is not self.search:
            self.search, self.real = search, replace(self.real, search=search)

    @property
    def _closely(self) -> Fraction:
        return min(Fraction(1), self.tolerance / TOLERANCE)

    def _look_closer(self) -> bool:
        """Trust guesses to more digits from now on, if there are: where n is small, delta hardly falls with eps."""
        self.search.closely /= CLOSER
        return bool(self.search.closely > self._closely / CLOSER**TRIES)

    @cached_property
    def real(self) -> Real:
        """Real datasets."""
        return Real(self.randomizer, self.search)

    @cached_property
    def blanket(self) -> Reduction | None:
        """The privacy blanket, where the table is not too large for it."""
        try:
            return self.reach or reach_of(self.randomizer, self.n)
        except BadInput:
            return None

    @property
    def asked_first(self) -> Reduction | None:
        """The blanket, where it is asked before anything is covered: a cover of several numbers takes long, and where
        every user sends one message at most, what all others on one input show is the blanket's equality. A system's
        own pairs always are.
        """
        if self.roughly is not None:
            return self.reach
        often_near = self.randomizer.at_most_one_message and self.table.rank > 1
        return self.blanket if often_near or not self.search.wide else None

    @property
    def beside(self) -> str:
        """What else is looked at, in words."""
        return BESIDE.format("the privacy blanket" if self.roughly is None or self.reach is None else self.reach.by)

    def _tell(self) -> None:
        if self.tick is not None:
            self.tick(self.low, self.high)

    @contextmanager
    def _ending(self) -> Iterator[None]:
        """Ends where the work is spent, or with Ctrl-C; what is known stays."""
        try:
            yield
        except Spent:
            self.spent = True
        except KeyboardInterrupt as stop:
            if type(stop) is not KeyboardInterrupt:
                raise
            self.stopped = True

    def _begin(self) -> None:
        self.low, self.high, self.stopped, self.spent = Fraction(0), None, False, False
        self.boxes, self.leaves, self.pending, self.costs = {}, [], [], []
        self.search.work, self.search.closely = 0, self._closely

    # Questions -------------------------------------------------------------------------------------------------------

    def delta(self, eps: Eps, enough: Fraction = Fraction(0)) -> Found:
        """The largest delta(eps); where it is at most `enough`, its lower end may be 0."""
        about = None
        if self.roughly is not None and self.reach is not None:
            about = worst_delta(self.reach, eps, enough=enough)
            if near(about.value, self.roughly, enough) or self._long(about.value.high):
                return replace(about, by=about.by or self.reach.by)
        self._begin()
        if not self.table.pairs or self.table.keeps(eps):
            return self._found(Interval(Fraction(0), Fraction(0)), None)
        dataset, covers, at = None, list[tuple[Fraction, list[Leaf]]](), eps
        with self._ending():
            self.low, dataset = self.real.delta(eps, enough)
            if failed := self.low > enough > 0:
                self.high = Fraction(1)
            else:
                self.high = self._known(eps, enough)
                if (first := self.asked_first) is not None:
                    about = about or worst_delta(first, eps, enough=enough)
                    self.high = about.value.high if self.high is None else min(about.value.high, self.high)
            at = self.real.level(eps, self.low, self.tolerance)
            self._of_size(enough or self.low)
            widths = [w for w in DELTA_WIDTHS if w > self.tolerance and not enough] + [self.tolerance]
            for width in () if failed or self._close(enough) else widths:
                if (limit := self._limit(width, enough)) is None:
                    continue
                self.search.max_work = self.max_work if covers or enough else self._first_work
                kept = self._cover([at], [limit])
                while isinstance(kept, tuple):  # a real composition that seems to allow more
                    better, pair = self.search.views(kept, limit).below(self.table.pairs, eps, limit * self._closely)
                    if better > self.low:
                        self.low, dataset = better, Dataset(kept, pair)
                    if better <= limit and not self._look_closer():
                        break
                    if (limit := self._limit(width, enough)) is None:
                        break
                    kept = self._cover([at], [limit])
                if not isinstance(kept, list) or limit is None:
                    break
                covers.append((limit, kept))
                if limit > SHOWN and limit >= 2 * self.low:
                    self._proved(at, *covers.pop())
        self.search.max_work = self.max_work
        while covers and not self.stopped and not self._close(enough):  # the closest that is not too much work
            spent, self.search.work = self.search.work, min(self.search.work, self.max_work // 2)
            limit, leaves = covers.pop()
            if self.search.work + self.search.faint_work(leaves, limit) > self.max_work:
                self.spent = True
                continue
            with self._ending():
                if self._proved(at, limit, leaves):
                    break
            self.search.work = max(spent, self.search.work)
        low, high = self.low, Fraction(1) if self.high is None else self.high
        if self.stopped or low > enough > 0 or (about is None and self._close(enough)):
            return self._found(Interval(low, high), dataset)
        if about is None and self.blanket is not None:
            about = worst_delta(self.blanket, eps, enough=enough)
        return self._with_blanket(Interval(low, high), dataset, about)

    def _with_blanket(self, mine: Interval, dataset: Dataset | None, other: Found | None) -> Found:
        found = self._found(mine, dataset)
        if other is None:
            return replace(found, note=SPENT if self.spent else "")
        named = found.worst if mine.low >= other.value.low or other.worst is None else other.worst
        both = mine.meet(other.value)
        return Found(both, named, found.pairs + other.pairs, (SPENT if self.spent else "") + self.beside, other.stopped)

    def epsilon(self, bound: Fraction) -> tuple[Fraction | None, Fraction | None, Found]:
        """The smallest eps with delta(eps) <= bound: (low, high, what was found), as `worst_epsilon` answers."""
        if not bound:
            assert self.blanket is not None
            return worst_epsilon(self.blanket, bound)
        self._begin()
        if not self.table.pairs:
            return Fraction(0), Fraction(0), self._found(Interval(bound, bound), None)
        dataset, about = None, None
        self._of_size(bound)
        with self._ending():
            if (first := self.asked_first) is not None:
                about = worst_epsilon(first, bound)
                known, self.high, other = about
                if known is None:
                    return about
                self.low = known
                if self.high is not None and near(Interval(known, self.high), self.roughly or self.tolerance):
                    return known, self.high, replace(other, by=first.by)
            low, dataset = self.real.epsilon(bound, self.low)
            if low is None:
                return None, None, self._found(Interval(bound, Fraction(1)), dataset)
            if low >= self.low:
                self.low = low
            else:
                dataset = None  # the blanket's is worse
            widths = [*(w for w in EPS_WIDTHS if w > self.tolerance), self.tolerance]
            if not self.low and bound < TOLD:  # no cover keeps so little at an eps of about 0
                widths = []
            reached, missed, most = None, None, self._first_work
            while widths:
                kept, better = self._eps_within(width := widths.pop(0), bound, most)
                dataset = better or dataset
                reached, missed = (width, missed) if kept else (reached, width)
                if reached is None:
                    break
                if missed:
                    widths = [_amid(reached, missed)] if reached > NEARER * missed else []
                widths, most = self._closer(widths, reached)
        with self._ending():
            self._prove()
        if ((self.stopped and self.high is not None) or self._close(Fraction(0))) and not about:
            return self.low, self.high, self._found(Interval(bound, bound), dataset)
        return self._epsilon_with_blanket(bound, dataset, about)

    def _closer(self, widths: list[Fraction], reached: Fraction) -> tuple[list[Fraction], int]:
        """Which of some widths are tried next, and up to how much work: none that is hardly closer than what is
        reached, nor one whose cover and proof are foreseen to take more than is left, but one between the two."""
        room, most = self._whole_work - self.search.work, self.max_work
        if self.pending:  # there is to be room for its proof
            most = min(most, self._whole_work - self.pending[-1].proof)
        if widths and len(self.costs) > 1:
            likely = [i for i, width in enumerate(widths) if sum(self._foreseen(width)) * SPARE < room]
            if likely and self.costs[-2].guess * MUCH > self.costs[-1].guess:
                most = min(most, self.search.work + room // 2)  # if it is more, others can be tried
                return widths[likely[-1] :], most
            while sum(self._foreseen(widths[0])) > room:
                widths = [_amid(reached, widths[0]), *widths]
                if reached <= NEAR * widths[0]:
                    return [], most
            most = min(most, self.search.work + max(MORE * int(self._foreseen(widths[0])[0]), room // MOST))
        return widths, most

    def _foreseen(self, width: Fraction) -> tuple[float, float]:
        """The work of a cover of this width and of its proof, by those of the last two."""
        one, other = self.costs[-2:]
        guess = foreseen((one.width, one.guess), (other.width, other.guess), width, SLOWER)
        return guess, foreseen((one.width, one.proof), (other.width, other.proof), width, SLOWER)

    def _eps_within(self, width: Fraction, bound: Fraction, most: int) -> tuple[bool, Dataset | None]:
        """Look for a cover at an eps that is so much above the lower end: whether there is one, and worse datasets.

        With less than all work there is none where that is spent. A cover whose proof takes long is only guessed: it is
        proved where no closer one is found, or can be afforded.
        """
        dataset = None
        for _ in range(TRIES):
            target = _above(self.low, width)
            if self.high is not None and target >= self.high:
                return True, dataset
            before = self.search.work
            try:
                self.search.max_work = most
                leaves = self._cover([Eps.of(target)], [bound])
            except Spent:
                if most == self.max_work:
                    raise
                return False, dataset
            finally:
                self.search.max_work = self.max_work
            if leaves is None:
                return False, dataset
            if isinstance(leaves, list):
                guess, proof = self.search.work - before, self.search.proof_work(leaves)
                self.pending.append(Guessed(target, bound, leaves, proof))
                if kept := proof * SOONER > self.max_work or self._prove():
                    self.costs.append(Cost(width, max(1, guess), max(1, proof)))
                return kept, dataset
            low, found = self.real.exceeded(leaves, bound)
            if low is None:
                return False, dataset
            if low > self.low:
                self.low, dataset = low, found
            elif not self._look_closer():
                return False, dataset
        return False, dataset

    def _prove(self) -> bool:
        """Find in integers whether the cover that was guessed last keeps its bound, if need be by a closer one.

        One that would take longer than is allowed, or than who has pressed Ctrl-C waits, is left for the one before it.
        """
        waiting, self.pending, last = self.pending, [], True
        while waiting:
            target, bound, leaves, proof = waiting.pop()
            eps, left = Eps.of(target), self._whole_work - self.search.work
            if proof <= (SOON if self.stopped else left) or (self.high is None and not waiting):
                self.boxes, self.search.max_work = _boxes(leaves), self.search.work + max(left, DOUBTED * proof)
                try:
                    if any(worst <= bound for worst, _ in self._ever_closer(leaves, eps, bound)):
                        self.high, self.proved[eps] = target, bound
                        return last
                finally:
                    self.search.max_work = self.max_work
            last = False
        return False

    def _epsilon_with_blanket(
        self, bound: Fraction, dataset: Dataset | None, about: BlanketSays | None
    ) -> tuple[Fraction | None, Fraction | None, Found]:
        found = replace(self._found(Interval(bound, bound), dataset), note=SPENT if self.spent else "")
        if about and dataset is None:
            found = replace(found, worst=about[2].worst)
        if self.stopped or self.blanket is None:
            note = (self.beside if about else "") + STOPPED if self.stopped else found.note or NO_CLOSER
            return self.low, self.high, replace(found, note=note)
        low, high, other = about or worst_epsilon(self.blanket, bound)
        if low is None:
            return None, None, other
        highs = [end for end in (self.high, high) if end is not None]
        named = found.worst if other.worst is None or self.low >= low else other.worst
        both = Found(found.value, named, found.pairs + other.pairs, found.note + self.beside, other.stopped)
        return max(low, self.low), min(highs, default=None), both

    def curve(self, eps: Sequence[Eps], progress: Progress | None = None) -> Iterator[list[Found]]:
        """The largest delta at each eps, rising: ever closer answers, one after the other, of one cover for all."""
        self._begin()
        self._of_size(FAINT)
        walk = progress(eps, len(eps)) if progress else eps
        lows, datasets = [Fraction(0)] * len(eps), list[Dataset | None]([None] * len(eps))
        for i, at in enumerate(walk):
            if self.table.pairs and (not i or lows[i - 1] > TINY):
                lows[i], datasets[i] = self.real.delta(at, Fraction(0))
        highs = [Fraction(0) if self.table.keeps(at) else Fraction(1) for at in eps]
        asked = self._levels(eps, lows)

        def answers() -> list[Found]:
            return [
                self._found(Interval(low, max(low, high)), one)
                for low, high, one in zip(lows, highs, datasets, strict=True)
            ]

        yield answers()
        open_ = [i for i, high in enumerate(highs) if high]
        some = [i for i in open_ if lows[i] > FAINT] or open_[:1]  # where all are faint the first bounds the others
        knots = spread_evenly(some, FEW if len(eps) <= FEW else KNOTS)
        covers, costs = list[list[Leaf]](), list[tuple[Fraction, int]]()
        last = self.close_to(len(eps))
        wide = [w for w in DELTA_WIDTHS if w > last] if any(lows[i] > FAINT for i in knots) else []
        for width in map(Fraction, (*wide, last) if knots else ()):
            if width == last and self._in_vain(costs, width):
                break
            before = self.search.work
            kept: list[Leaf] | Composition | None = None
            with self._ending():
                limits = [min(max(lows[i] * (1 + width), FAINT), Fraction(1)) for i in knots]
                kept = self._cover([asked[i] for i in knots], limits)
                if isinstance(kept, tuple):
                    for i in knots:
                        least = max(lows[i], FAINT)
                        better, pair = self.search.views(kept, least).below(self.table.pairs, eps[i], least)
                        if better > lows[i]:
                            lows[i], datasets[i] = better, Dataset(kept, pair)
            if isinstance(kept, list):
                covers.append(kept)
                costs.append((width, max(1, self.search.work - before)))
            elif kept is None:
                break
        while covers and not self.stopped:  # they are guessed, and the closest one that is not too much work is proved
            self.search.work = 0
            with self._ending():
                told = 1 + sum(low > FAINT for low in lows)  # up to the first faint one
                about = [max(low, FAINT) for low in lows[:told]]
                for i, high in enumerate(self.search.most(covers.pop(), asked[:told], about)):
                    highs[i] = min(highs[i], high)
                    self.proved[eps[i]] = highs[i]
                break
        for i in range(1, len(eps)):
            highs[i] = min(highs[i], highs[i - 1])
        yield answers()

    def _levels(self, eps: Sequence[Eps], lows: Sequence[Fraction]) -> list[Eps]:
        """The eps that stand for these, rising, whose lower ends are known: no larger."""
        asked: list[Eps] = []
        for at, low in zip(eps, lows, strict=True):
            one = self.real.level(at, low, self.close_to(len(eps)))
            asked.append(max([one, *asked[-1:]], key=as_float))
        return asked

    def close_to(self, points: int) -> Fraction:
        """How close a curve of so many points is to be."""
        return self.tolerance if points <= FEW else max(self.tolerance, CLOSELY)

    def near(self, eps: Eps) -> NamedPair | None:
        """Real datasets that seem worst at this eps, as windows of their two laws; None where these are too large."""
        guess = self.search.guess
        if guess is None or guess.cells > MOST_CELLS or (one := self.real.delta(eps, Fraction(0))[1]) is None:
            return None
        a, b = one.pair
        lost = self.real.loses(one), self.real.loses(Dataset(one.counts, (b, a)))
        return replace(self.real.named(one), pair=DatasetPair(self.table, one.counts, a, b, lost))

    def near_in_line(self, eps: Eps) -> NamedPair | None:
        """The same as sums of weights of messages, however large the windows are; None where all datasets are alike."""
        one = self.real.delta(eps, Fraction(0))[1]
        if one is None:
            return None
        return replace(self.real.named(one), pair=self.real.event(one).shown_in_line(eps))

    def shown(self, eps: Eps, bound: Fraction) -> Mapping[str, Any]:
        """What shows that delta(eps) is at most the bound: a blanket, where it does, else trees of boxes.

        Raises Undecided where neither does.
        """
        above = None if self.blanket is None else self.blanket.dominating
        if above is not None and above.worst(eps, enough=bound)[0].high <= bound:
            return writing.of_blanket(ends_of(self.randomizer), above.hints(eps, bound))
        level = self.real.level(eps, self.real.lost[0], self.tolerance)
        return Shown(self.randomizer, self.n).trees(eps, bound, level)

    # Covers ----------------------------------------------------------------------------------------------------------

    def _known(self, eps: Eps, enough: Fraction) -> Fraction | None:
        """What a cover was found to allow at an eps that is no larger, where that is enough."""
        return min((most for at, most in self.proved.items() if most <= enough and at <= eps), default=None)

    def _limit(self, width: Fraction | int, enough: Fraction) -> Fraction | None:
        """An upper end of delta to try, so much above the lower end; None where that says nothing, or is known."""
        if enough:
            return enough if self.low <= enough else None
        limit = self.low * (1 + Fraction(width) * Fraction(999, 1000))
        return limit if self.low < limit < 1 and (self.high is None or limit < self.high) else None

    @property
    def _first_work(self) -> int:
        """The work for a first cover: where a system's own pairs have an answer, little."""
        return self.max_work if self.roughly is None else self.max_work // PART

    @property
    def _whole_work(self) -> int:
        """The work for covers and their proofs."""
        return int(WHOLE * self.max_work)

    def _in_vain(self, costs: Sequence[tuple[Fraction, int]], width: Fraction) -> bool:
        """Whether a cover of this width would surely spend all work that is left, by what those before it cost."""
        if len(costs) < 2 or costs[-1][1] * MUCH < self.max_work:
            return False
        return foreseen(costs[-2], costs[-1], width) > VAIN * (self.max_work - self.search.work)

    def _long(self, delta: Fraction) -> bool:
        """Whether laws of real datasets take long that tell a delta of this size."""
        guess = self.search.guess
        return guess is not None and delta > 0 and guess.cells * bytes_for(delta) > LONG_LAWS

    def _close(self, enough: Fraction) -> bool:
        return self.high is not None and near(Interval(self.low, self.high), self.tolerance, enough)

    def _proved(self, eps: Eps, limit: Fraction, leaves: list[Leaf]) -> bool:
        """Find in integers what leaves allow that seem to keep the limit, if need be of a closer cover."""
        for most, kept in self._ever_closer(leaves, eps, limit):
            if self.high is None or most < self.high:
                self.high, self.leaves = max(self.low, most), kept
                self.proved[eps] = self.high
            if most <= limit:
                return True
        return False

    def _ever_closer(self, leaves: list[Leaf], eps: Eps, limit: Fraction) -> Iterator[tuple[Fraction, list[Leaf]]]:
        """(what they allow, found in integers; the leaves), of leaves that seem to keep the limit, then of closer ones
        where these do not."""
        asked = limit
        for _ in range(TRIES):
            most = self.search.most(leaves, [eps], [limit])[0]
            yield most, leaves
            asked *= limit / most * (1 - HAIR * self._closely)
            closer = self._cover([eps], [asked])
            if not isinstance(closer, list):
                return
            leaves = closer

    def _cover(self, eps: Sequence[Eps], limits: Sequence[Fraction]) -> list[Leaf] | Composition | None:
        if min(limits) <= 0:
            return None
        found = self.search.cover(self.table.pairs, eps, limits, self.boxes)
        if not isinstance(found, dict):
            return found
        leaves = [leaf for some in found.values() for leaf in some]
        self.boxes = _boxes(leaves)
        return leaves

    def _found(self, value: Interval, dataset: Dataset | None) -> Found:
        named = None if dataset is None else self.real.named(dataset)
        note = STOPPED if self.stopped else ""
        return Found(value, named, max(1, self.search.evaluations), note, self.stopped, by=BY)


def _boxes(leaves: Sequence[Leaf]) -> dict[Pair, list[Box]]:
    """Those of each pair."""
    found: dict[Pair, list[Box]] = {}
    for leaf in leaves:
        found.setdefault(leaf.pair, []).append(leaf.box)
    return found


def _amid(reached: Fraction, missed: Fraction) -> Fraction:
    """A width between the two, about as much below the one as above the other."""
    return Fraction(isqrt(int(reached * missed * 4**EPS_BITS)), 2**EPS_BITS)


def _above(low: Fraction, width: Fraction) -> Fraction:
    """low (1 + width) at most, or a little above 0, in few bits."""
    target = low * (1 + width * Fraction(15, 16)) or Fraction(1, 1 << EPS_BITS)
    bits = max(EPS_BITS, 8 + Fraction(width).denominator.bit_length())
    unit = Fraction(2) ** (target.numerator.bit_length() - target.denominator.bit_length() - bits)
    return min(-(-target // unit) * unit, Fraction(MAX_EPS))
