"""The laws of two neighbouring datasets of a table, for compositions: as windows, or by their delta at many eps."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import prod

from flint import fmpz

from shufflecert.verify.bound.guess import Composition
from shufflecert.verify.bound.law import LONGEST, SHORTEST, Sums, Views
from shufflecert.verify.bound.search import rounded_power
from shufflecert.verify.bound.table import Table
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.windowed import Atoms, Reversed, WindowPair

FINEST = 512  # bits of windows of a pair that is composed
MOST_CELLS = 1 << 18  # of a window


@dataclass(frozen=True, eq=False)
class DatasetPair(WindowPair):
    """What is seen of these others with a user on the row `source` (P) and on `target` (Q).

    `lost` is a lower bound on P(Q = 0), and on Q(P = 0).
    """

    table: Table
    counts: Composition
    source: int
    target: int
    lost: tuple[Fraction, Fraction]

    def atoms(self, bits: int) -> Atoms:
        """One atom for each point on which the others' sum has most of its mass.

        Of each law a window is known from below, and what it misses may be anywhere: on an atom, or outside. Beyond
        FINEST bits no closer.
        """
        if bits <= FINEST:
            return _atoms(self, bits)
        known, more = _atoms(self, FINEST), bits - FINEST
        p, q = (tuple([w << more for w in ends] for ends in law) for law in (known.p, known.q))
        return Atoms((p[0], p[1]), (q[0], q[1]), (known.outside[0] << more, known.outside[1] << more), bits)

    @property
    def cells(self) -> int:
        """About how many atoms there are."""
        return prod(_views(self, SHORTEST + 1).law.shape)

    @property
    def wordy(self) -> bool:
        """Whether words hold the rows' weights."""
        return self.table.unit < LONGEST

    def at(self, eps: Sequence[Eps], back: bool = False) -> list[Interval]:
        """delta at many eps, or that of the pair in the other direction, as closely as words tell: to 10^-13."""
        views = _views(self, SHORTEST + 1)
        pair = (self.target, self.source) if back else (self.source, self.target)
        found = []
        for one in eps:
            low, _ = views.below([pair], one, Fraction(1))
            found.append(Interval(low, max(low, views.above([pair], rounded_power(one), Fraction(1)))))
        return found

    def never_returns(self) -> Fraction:
        """A lower bound on P(Q = 0)."""
        return self.lost[0]

    def reversed(self) -> Reversed:
        """The same datasets in the other direction, by the same windows."""
        return Turned(self)


@dataclass(frozen=True)
class Turned(Reversed):
    """A pair of datasets in the other direction."""

    pair: DatasetPair

    def at(self, eps: Sequence[Eps]) -> list[Interval]:
        """As `DatasetPair.at`."""
        return self.pair.at(eps, back=True)

    def never_returns(self) -> Fraction:
        """A lower bound on Q(P = 0) of the pair."""
        return self.pair.lost[1]


@lru_cache(maxsize=4)  # windows may be large
def _views(pair: DatasetPair, size: int) -> Views:
    some = len(pair.table.bases) + bool(pair.table.common)
    return Views(pair.table, Sums.of(pair.table, size).sum((*pair.counts, 0)[:some]))


@lru_cache(maxsize=8)
def _atoms(pair: DatasetPair, bits: int) -> Atoms:
    table, law = pair.table, _views(pair, -(-bits // 8)).law
    known, more = law.integers(table.reach), 8 * law.size - bits
    strides = [prod(known.shape[i + 1 :]) for i in range(known.ndim)]
    both = []
    for x in (pair.source, pair.target):
        total = 0 * known.ravel()
        for point, weight in table.rows[x].items():
            at = sum(stride * i for stride, i in zip(strides, point, strict=True))
            total[at:] += weight * known.ravel()[: total.size - at]
        both.append([fmpz(int(w)) // (table.unit << more) for w in total])
    missing = (law.missing >> more) + 1
    p, q = ((low, [w + 1 + missing for w in low]) for low in both)
    outside = missing + len(both[0])  # with what the atoms lost by rounding
    return Atoms(p, q, (outside, outside), bits)
