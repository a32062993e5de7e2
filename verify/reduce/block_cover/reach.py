"""A reduction for any finite randomizer: blocks of equal users from above, where a blanket is not close enough."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import isqrt
from typing import Any

from verify.enclose.interval import Interval
from verify.errors import Undecided
from verify.exact.epsilon import MAX_EPS, Eps
from verify.exact.randomizer import Randomizer
from verify.exact.views import View, view_of
from verify.progress import Progress
from verify.reduce.block_cover.blocks import allowed
from verify.reduce.block_cover.curve import Curve
from verify.reduce.block_cover.evidence import evidence
from verify.reduce.block_cover.plane_search import PlaneSearch
from verify.reduce.block_cover.search import TERM_WORK, Leaf, Pair, Search, Spent
from verify.reduce.block_cover.words import Windows
from verify.reduce.composition_cover.search import TOLERANCE, Tick
from verify.reduce.composition_cover.words import BITS
from verify.reduce.composition_reduction import STOPPED
from verify.reduce.compositions import Box
from verify.reduce.multinomial_form import rounded
from verify.reduce.plane_cover.plane import Plane
from verify.reduce.plane_cover.windows import Sums
from verify.reduce.plane_cover.words import LONGEST
from verify.reduce.privacy_blanket import reach_of
from verify.reduce.reduction import Found, Reduction, worst_delta, worst_epsilon

BY = (
    "; also blocks of users for boxes that cover all compositions of the others (above),"
    " proof in verify/reduce/block_cover/blocks.py"
)
WORK = 60_000_000  # about a minute
FEW_WIDTHS = (1000, 100, 20, 4, 1)  # as EPS_WIDTHS, where a cover takes long
EPS_WIDTHS = (4000, 1000, 300, 100, 50, 30, 20, 10, 5, 2, 1)  # of the interval, in thousandths, one after another
FEW_DELTA_WIDTHS = (30_000, 1000, 100, 20, 5, 1)
DELTA_WIDTHS = (10**9, 10**6, 30_000, 4000, 1000, 300, 100, 30, 10, 3, 1)
WINDOW_WORK = 100  # of a block's windows for each user: there are as many cells
LONG_WORK = 2  # times the work that is allowed, for long blocks: they come close
CURVE_LEAST = Fraction(1, 10**9)  # delta of a curve for which windows are fine enough
SPARE_BITS = 36  # of windows, beyond those of a delta
CELLS = 10  # of a window that are as much work as a term
EPS_BITS, POWER_BITS = 48, 64  # of an eps that is looked for; of e^eps


@dataclass
class Closing:
    """One question: what is known of it, and the boxes that cover all compositions, for each pair of inputs."""

    view: View
    tolerance: Fraction
    tick: Tick | None
    low: Fraction
    high: Fraction | None
    search: Search
    windows: Windows | None = None
    stopped: bool = False
    boxes: dict[Pair, list[Box]] = field(default_factory=dict)
    leaves: list[Leaf] = field(default_factory=list)  # of the last cover that was evaluated

    def __post_init__(self) -> None:
        self.search.tick = self._tell
        rows = self.view.polynomials
        pairs = ((a, b) for a in range(len(rows)) for b in range(len(rows)) if rows[a] != rows[b])
        self.boxes = {pair: [self.search.root()] for pair in pairs}

    def _tell(self) -> None:
        if self.tick is not None:
            self.tick(self.low, self.high)

    @contextmanager
    def ending(self) -> Iterator[None]:
        """Ends where the work is spent, or with Ctrl-C; what is known stays."""
        try:
            yield
        except Spent:
            pass
        except KeyboardInterrupt as stop:
            if type(stop) is not KeyboardInterrupt:
                raise
            self.stopped = True

    @property
    def close(self) -> bool:
        """Whether the two ends are within the tolerance."""
        return self.high is not None and self.high <= self.low * (1 + self.tolerance)

    def targets(self, widths: tuple[int, ...]) -> Iterator[Fraction]:
        """Upper ends to try, each below the one that is known."""
        for width in widths:
            target = self.low * (1 + max(Fraction(width, 1000), self.tolerance))
            unit = Fraction(2) ** (target.numerator.bit_length() - target.denominator.bit_length() - EPS_BITS)
            target = min(target // unit * unit, Fraction(MAX_EPS))
            if self.low < target and (self.high is None or target < self.high):
                yield target

    def delta_targets(self) -> Iterator[Fraction]:
        """As `targets`, for a delta."""
        return self.targets(DELTA_WIDTHS)

    def kept(self, eps: Eps, limit: Fraction) -> Fraction | None:
        """What is proved that delta(eps) is at most, of boxes that seem to keep (eps, limit); None where none do."""
        leaves = self.guessed(eps, limit)
        if leaves is None:
            return None
        self.leaves = leaves
        return self.most(leaves, eps, limit)

    def guessed(self, eps: Eps, limit: Fraction) -> list[Leaf] | None:
        """Blocks for boxes that cover all, for all pairs, and seem to keep (eps, limit); None where none do."""
        leaves = []
        for pair, boxes in self.boxes.items():
            found = self.search.cover(pair, eps, limit, boxes)
            if found is None:
                return None
            leaves += found
            self.boxes[pair] = [leaf.box for leaf in found]
        return leaves

    def most(self, leaves: Sequence[Leaf], eps: Eps, about: Fraction) -> Fraction:
        """What all these leaves allow delta(eps) to be, the most; `about` is about as large."""
        _, t = rounded(eps, POWER_BITS)
        bits = 96 + max(0, about.denominator.bit_length() - about.numerator.bit_length())
        high = Fraction(0)
        for leaf in leaves:
            cells = (leaf.cuts.above + leaf.cuts.below) * isqrt(leaf.draws)
            if self.windows is not None:
                high = max(high, self.windows.allowed(leaf.block, leaf.draws, leaf.pair, t, leaf.cuts, bits))
                self.search.count(WINDOW_WORK * leaf.block.size + cells * leaf.draws.bit_length() // CELLS)
                continue
            seen = self.search.blocks.seen(leaf.block, *leaf.pair)
            high = max(high, allowed(seen, leaf.draws, t, leaf.cuts, bits))
            self.search.count(2 * TERM_WORK * len(seen.s) + cells * leaf.draws.bit_length() // CELLS)
        return high


@dataclass(frozen=True)
class Blocked:
    """All pairs of neighbours of a randomizer, of which a blanket and blocks are asked."""

    randomizer: Randomizer
    base: Reduction
    n: int
    tolerance: Fraction
    max_work: int
    tick: Tick | None = None
    shown: dict[tuple[Eps, Fraction], tuple[Found, Closing]] = field(default_factory=dict, compare=False)

    def cover(self, eps: Eps, bound: Fraction) -> Mapping[str, Any]:
        """What shows that delta(eps) is at most the bound: a blanket, where it does, else blocks for boxes.

        Raises Undecided where neither does.
        """
        if self.delta(eps, bound).value.high > bound:
            raise Undecided("blocks of users are not enough")
        if (eps, bound) in self.shown:
            closing = self.shown[eps, bound][1]
            return evidence(closing.search, closing.leaves, eps, bound)
        assert self.base.dominating is not None
        return {"blanket": self.base.dominating.hints(eps, bound)}

    def delta(self, eps: Eps, enough: Fraction = Fraction(0)) -> Found:
        """The largest delta(eps); where it is asked whether it is `enough`, the blanket first, then one cover."""
        if (eps, enough) in self.shown:
            return self.shown[eps, enough][0]
        found = worst_delta(self.base, eps, enough=enough)
        low, high = found.value.low, found.value.high
        if high <= enough or low > enough > 0 or (not low and not enough):
            return replace(found, by=self.base.by)
        windows = None if enough or low < CURVE_LEAST else self._windows(low)  # a certificate has no long blocks
        closing = self._closing(low, high, windows=windows)
        with closing.ending():
            widths = FEW_DELTA_WIDTHS if windows else DELTA_WIDTHS
            targets = [enough] if enough else () if closing.close else closing.targets(widths)
            for target in targets:
                most = closing.kept(eps, target)
                if most is None:
                    break
                closing.high = max(low, min(high, most))
        assert closing.high is not None
        found = self._found(replace(found, value=Interval(low, closing.high)), closing)
        if closing.high <= enough:
            self.shown[eps, enough] = found, closing
        return found

    def epsilon(self, bound: Fraction) -> tuple[Fraction | None, Fraction | None, Found]:
        """The smallest eps with delta(eps) <= bound, enclosed as by `verify.reduce.reduction.worst_epsilon`."""
        low, high, found = worst_epsilon(self.base, bound)
        if not low or not bound:
            return low, high, found
        windows = self._windows(bound)
        closing = self._closing(low, high, windows=windows)
        with closing.ending():
            for target in () if closing.close else closing.targets(FEW_WIDTHS if windows else EPS_WIDTHS):
                most = closing.kept(Eps.of(target), bound)
                if most is None or most > bound:
                    break
                closing.high = target
        return low, closing.high, self._found(found, closing)

    def curve(self, eps: Sequence[Eps], progress: Progress | None = None) -> Iterator[list[Found]]:
        """The largest delta at each eps, rising: by the blanket first, then with blocks, ever closer."""
        walk, digits = progress(eps, len(eps)) if progress else eps, len(str(int(1 / self.tolerance)))
        found = [replace(worst_delta(self.base, at, digits), by=self.base.by) for at in walk]
        yield found
        if all(one.value.high <= one.value.low * (1 + self.tolerance) for one in found):
            return
        windows = self._windows(CURVE_LEAST)
        searches = {True: self._search(windows, 1), False: self._search()}
        large = [windows is not None and one.value.low > CURVE_LEAST for one in found]
        questions = [
            self._closing(one.value.low, one.value.high, searches[some], windows if some else None)
            for one, some in zip(found, large, strict=True)
        ]
        for kind, search in searches.items():
            known = [i for i, some in enumerate(large) if some == kind]
            asked = Curve(search, [eps[i] for i in known], [questions[i] for i in known], self.tolerance)
            for _ in asked.close_in(progress) if known else ():
                more = sum(search.evaluations for search in searches.values())
                yield [
                    replace(
                        one,
                        value=Interval(now.low, Fraction(1) if now.high is None else now.high),
                        pairs=one.pairs + more,
                        by=one.by + BY,
                    )
                    for one, now in zip(found, questions, strict=True)
                ]

    def _windows(self, delta: Fraction) -> Windows | None:
        """Windows of long blocks, where views lie in a plane; fine enough for a delta of about this size."""
        plane = Plane.of(self.randomizer)
        bits = max(0, delta.denominator.bit_length() - delta.numerator.bit_length()) + SPARE_BITS
        if plane is None or plane.unit >= LONGEST or bits > BITS:
            return None
        return Windows(plane, Sums(plane, self.n, -(-bits // 8)))

    def _search(self, windows: Windows | None = None, times: int = LONG_WORK) -> Search:
        known = view_of(self.randomizer), self.n
        if windows is None:
            return Search(*known, self.max_work, lambda: None)
        return PlaneSearch(*known, times * self.max_work, lambda: None, windows=windows)

    def _closing(
        self, low: Fraction, high: Fraction | None, search: Search | None = None, windows: Windows | None = None
    ) -> Closing:
        given = self.tick, low, high, search or self._search(windows), windows
        return Closing(view_of(self.randomizer), self.tolerance, *given)

    def _found(self, found: Found, closing: Closing) -> Found:
        note = found.note + (STOPPED if closing.stopped else "")
        return replace(found, pairs=found.pairs + closing.search.evaluations, note=note, stopped=closing.stopped)


def block_reach(
    randomizer: Randomizer, n: int, tolerance: Fraction = TOLERANCE, max_work: int = WORK, tick: Tick | None = None
) -> Reduction:
    """The reduction of any finite randomizer whose users replace each other, by a blanket and by blocks of users.

    Raises as `verify.reduce.privacy_blanket.reach_of` does.
    """
    base = reach_of(randomizer, n)
    family = Blocked(randomizer, base, n, tolerance, max_work, tick)
    found = replace(base, by=base.by + BY, delta=family.delta, epsilon=family.epsilon)
    return replace(found, cover=family.cover, curve=family.curve)
