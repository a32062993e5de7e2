"""The laws of two neighbouring datasets on a line, for compositions: as windows, or by their delta at many eps."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache

from flint import fmpz

from verify.enclose.interval import Interval
from verify.exact.epsilon import Eps
from verify.pairs.windowed import Atoms, Reversed, WindowPair
from verify.reduce.composition_cover import words
from verify.reduce.composition_cover.search import FIRST_BITS
from verify.reduce.compositions import Composition, Line, Powers, Views

FINEST = 512  # bits of windows of a pair that is composed


@dataclass(frozen=True, eq=False)
class LinePair(WindowPair):
    """The totals of these others with a user on `source` (P) and on `target` (Q), up to a number known to all."""

    line: Line
    counts: Composition
    source: int
    target: int

    def atoms(self, bits: int) -> Atoms:
        """One atom for each total on which the others' total has most of its mass.

        Of each law a window is known from below, and what it misses may be anywhere: on an atom, or outside. Beyond
        FINEST bits no closer.
        """
        if bits <= FINEST:
            return _atoms(self, bits)
        known, more = _atoms(self, FINEST), bits - FINEST
        p, q = (tuple([w << more for w in ends] for ends in law) for law in (known.p, known.q))
        return Atoms((p[0], p[1]), (q[0], q[1]), (known.outside[0] << more, known.outside[1] << more), bits)

    @cached_property
    def _words(self) -> tuple[words.Law, words.Law, int]:
        total = Powers(self.line, FIRST_BITS).others(self.counts)
        laws = words.views_of(self.line, total)
        return laws[self.source], laws[self.target], words.lost_of(total)

    def at(self, eps: Sequence[Eps], back: bool = False) -> list[Interval]:
        """delta at many eps, or that of the pair in the other direction, as closely as machine words tell: to 10^-13.

        The rows' unit is below 2^30.
        """
        p, q, lost = self._words
        laws = (q, p) if back else (p, q)
        found = []
        for one in eps:
            power = words.Power.of(one)
            low, _ = words.least(laws, [(0, 1)], one, power, lost)
            high = Fraction(words.excess(*laws, power) + lost, 1 << words.BITS)
            found.append(Interval(low, min(high, Fraction(1))))
        return found

    def never_returns(self) -> Fraction:
        """A lower bound on P(Q = 0), by the totals that are possible."""
        views = Views.of(Powers(self.line, FIRST_BITS), self.counts)
        return views.never_returns([(self.source, self.target)])[0]

    def reversed(self) -> Reversed:
        """The same datasets in the other direction, by the same windows."""
        return Turned(self)


@dataclass(frozen=True)
class Turned(Reversed):
    """A pair on a line in the other direction."""

    pair: LinePair

    def at(self, eps: Sequence[Eps]) -> list[Interval]:
        """As `LinePair.at`."""
        return self.pair.at(eps, back=True)

    def never_returns(self) -> Fraction:
        """A lower bound on Q(P = 0) of the pair."""
        return replace(self.pair, source=self.pair.target, target=self.pair.source).never_returns()


@lru_cache(maxsize=8)  # windows may be large
def _atoms(pair: LinePair, bits: int) -> Atoms:
    line, views = pair.line, Views.of(Powers(pair.line, bits), pair.counts)
    both = [views.sums[x].coeffs() for x in (pair.source, pair.target)]
    size = max(map(len, both))
    low = [[w // line.unit for w in law] + [fmpz(0)] * (size - len(law)) for law in both]
    p, q = ((law, [w + 1 + views.missing for w in law]) for law in low)
    outside = views.missing + size  # with what the atoms lost by rounding
    return Atoms(p, q, (outside, outside), bits)
