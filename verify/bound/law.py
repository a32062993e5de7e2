"""Laws of sums of many users' points, from below: boxes of weights, multiplied as one large integer.

256^size Pr[first + index] is at least the weight of the cell `index`, and what the cells miss of 256^size may be
anywhere. Cells are bytes, the lowest first. Spread so that sums of products do not reach the next cell, two boxes are
two integers, whose product holds all sums (Kronecker's substitution); without the lowest `size` bytes of each cell its
weights are rounded down. Edges of little weight are cut off: what is outside is missing.

Machine words. A law in words has its first 60 bits in int64 (`words`), flattened with room for one user more. Let A and
B be at most f_a L and f_b L and miss less than u at each point, t <= e^eps <= T, m what L misses. Then

    delta <= sum over points of max(A + u - t B, 0) + m,
    delta >= sum over E of A - T (sum over E of (B + u) + m),   E any event: here the points where A > t B.

Any smaller number may stand for t B: floor(s B' / 2^k) does with s / 2^k <= t, s below 2^31 and B' = min(B, 2^60 / t +
1), which is enough to make A + u - t B negative where it is cut. No product leaves a word.

A row over a unit below 2^30 is multiplied exactly, and rounded down: u = 2^-60. Else its weights w are rounded down to
w' = w1 2^30 + w0, over 2^60. With L = U 2^30 + V in words, w' L / 2^60 = w1 U + (w1 V + w0 U) / 2^30 + w0 V / 2^60,
where w0 V is known to 2^20: sums of w1 and of U over the points that one sum can come from are at most 2^30, so that no
sum leaves a word. Weights lose less than 2^-60 times such a sum of L, the last term 2^-19 units a point, and rounding
the sum less than a unit: u = 3 * 2^-60, of up to 2^19 points, more than a box has for which a guess is made.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import accumulate
from math import prod
from typing import Any, NamedTuple

from flint import fmpz

from shufflecert.verify.bound.table import Point, Row, Table
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.windowed import Atoms, Reversed, WindowPair
from shufflecert.verify.runs.later import Later

np: Any = Later("numpy")
BITS, HALF, FAINT = 60, 30, 10  # of a law in words; of half a word; of it what hardly counts in a product
LOW = (1 << HALF) - 1  # the lower half of a word
SHORTEST = 8  # bytes of a cell: words are made of its first eight
LONGEST = 1 << 30  # the unit of rows that are multiplied exactly in words
MOST_POINTS = 1 << 19  # of rows that are rounded, in words
KEPT = 1 << 24  # bytes of laws that are kept for later
AT_ONCE = 1 << 14  # cells that are worked on at once: a processor's cache holds them
THIN, CUTS = 20, 8  # bits of what edges weigh if they are to weigh nothing; what is missing is this many cuts, or so
POWER_BITS, SPARE_BITS = 64, 48  # of e^eps; of laws, beyond those of a delta
FINEST, FINE, MOST_CELLS = 512, 128, 1 << 18  # bits of windows of a pair that is composed; of a window
MANY = 1 << 16  # cells of a window, of which FINE bits will do
LEADING = 4  # bits of a number of users whose power is kept for many sums
Words = Any  # an array of int64


@dataclass(frozen=True, eq=False)
class LowerLaw:
    """The law of a sum from below: the weights of first + index, an array of bytes of shape (..., size)."""

    first: Point
    cells: Any

    @property
    def size(self) -> int:
        """Bytes of a weight."""
        return int(self.cells.shape[-1])

    @property
    def shape(self) -> Point:
        """The numbers of cells."""
        return tuple(self.cells.shape[:-1])

    @cached_property
    def missing(self) -> int:
        """How much of 256^size may be anywhere."""
        columns = self.cells.reshape(-1, self.size).sum(axis=0, dtype=np.int64)
        return (1 << 8 * self.size) - _number(columns)

    @cached_property
    def _highest(self) -> int:
        """Bytes of the largest weight, at least 1."""
        some = self.cells.reshape(-1, self.size).any(axis=0)
        return max(1, self.size - int(some[::-1].argmax()))

    @property
    def lost(self) -> Fraction:
        """The probability that is missing."""
        return Fraction(self.missing, 1 << 8 * self.size)

    def plus(self, other: "LowerLaw", spare: int) -> "LowerLaw":
        """The law of X + Y for independent X and Y, without edges that weigh at most `spare` in all."""
        size, shape = self.size, tuple(a + b - 1 for a, b in zip(self.shape, other.shape, strict=True))
        wide = size + min(self._highest, other._highest)  # sums of products are at most 256^size times the highest
        product = int(_packed(self.cells, shape, wide) * _packed(other.cells, shape, wide))
        whole = np.frombuffer(product.to_bytes(prod(shape) * wide, "little"), np.uint8)
        del product
        cells = np.zeros((*shape, size), np.uint8)
        cells[..., : wide - size] = whole.reshape((*shape, wide))[..., size:]
        first = tuple(a + b for a, b in zip(self.first, other.first, strict=True))
        return LowerLaw(first, cells).trimmed(spare)

    def trimmed(self, spare: int) -> "LowerLaw":
        """The same without edges that weigh at most `spare` in all, but for one cell."""
        cells, first, part = self.cells, list(self.first), spare // (2 * len(self.first))
        for axis in range(len(first)):
            rest = tuple(i for i in range(len(first)) if i != axis)
            weights = np.cumsum(cells.sum(axis=rest, dtype=np.int64), axis=0)
            start = min(_reaching(weights, part + 1), len(weights) - 1)
            last = max(_reaching(weights, _number(weights[-1]) - part), start)
            cells = cells[(slice(None),) * axis + (slice(start, last + 1),)]
            first[axis] += start
        return LowerLaw(tuple(first), np.ascontiguousarray(cells))

    def words(self, room: Point) -> Words:
        """The weights in units of 2^-60, as an array with so many more cells in each direction."""
        found = np.zeros(tuple(a + b for a, b in zip(self.shape, room, strict=True)), np.int64)
        top = np.ascontiguousarray(self.cells[..., -8:]).view("<u8")[..., 0]
        found[tuple(slice(0, count) for count in self.shape)] = (top >> np.uint64(64 - BITS)).astype(np.int64)
        return found

    def integers(self, room: Point) -> Any:
        """All bits of the weights, as an array of Python's integers with so many more cells in each direction."""
        found = np.zeros(tuple(a + b for a, b in zip(self.shape, room, strict=True)), object)
        rows = self.cells.reshape(-1, self.size)
        some = np.empty(len(rows), object)
        some[:] = [int.from_bytes(row.tobytes(), "little") for row in rows]
        found[tuple(slice(0, count) for count in self.shape)] = some.reshape(self.shape)
        return found


def _number(columns: Any) -> int:
    """The sum of weights whose bytes add up to these."""
    return sum(int(column) << 8 * i for i, column in enumerate(columns))


def _reaching(weights: Any, least: int) -> int:
    """The first of rising weights, each in columns of bytes, that is at least so large."""
    return bisect_left(range(len(weights)), least, key=lambda i: _number(weights[i]))


def _packed(cells: Any, shape: Point, wide: int) -> fmpz:
    spread = np.zeros((cells.shape[0], *shape[1:], wide), np.uint8)
    spread[(*(slice(0, count) for count in cells.shape[:-1]), slice(0, cells.shape[-1]))] = cells
    data = spread.tobytes()
    del spread  # these are large
    return fmpz(int.from_bytes(data, "little"))


def law_of(row: Row, unit: int, size: int) -> LowerLaw:
    """The law of one draw, rounded down; `unit` is the sum of the weights."""
    shape = tuple(max(point[i] for point in row) + 1 for i in range(len(next(iter(row)))))
    cells = np.zeros((*shape, size), np.uint8)
    for point, weight in row.items():
        number = weight * ((1 << 8 * size) - 1) // unit
        cells[point] = np.frombuffer(number.to_bytes(size, "little"), np.uint8)
    return LowerLaw((0,) * len(shape), cells)


@dataclass
class Sums:
    """Laws of sums of users, so many of each law of a list; powers and the last sums are kept.

    A sum of `users`, the most there are, misses about `spare` of 256^size for its edges, one of fewer ever less: half
    as many users may be added up twice.
    """

    laws: Sequence[Row]
    size: int
    users: int
    spare: int
    powers: dict[tuple[int, ...], LowerLaw] = field(default_factory=dict)  # by class and number of users
    known: dict[tuple[int, ...], LowerLaw] = field(default_factory=dict)
    held: int = 0
    made: int = 0  # bytes of all laws so far

    @classmethod
    def of(cls, table: Table, size: int, users: int, spare: int | None = None) -> "Sums":
        """Sums of users of each class, and last of those who send what is common, where there is any.

        Edges weigh next to nothing where it is not said how much they may.
        """
        size = max(size, SHORTEST)
        thin = 1 << THIN + 8 * (size >= 2 * SHORTEST)
        laws = (*table.bases, table.common) if table.common else table.bases
        return cls(laws, size, max(users, 1), thin if spare is None else spare)

    def power(self, x: int, count: int) -> LowerLaw:
        """The law of the sum of `count` >= 1 draws of law x."""
        if (x, count) not in self.powers:
            if count == 1:
                made = law_of(self.laws[x], sum(self.laws[x].values()), self.size)
            else:
                low = count & -count
                one, two = (low // 2, low // 2) if low == count else (count - low, low)
                made = self._added(self.power(x, one), self.power(x, two), count)
            self._keep(self.powers, (x, count), made)
        return self.powers[x, count]

    def sum(self, counts: Sequence[int]) -> LowerLaw:
        """The law of the sum of these draws: last a power that others need too, so that one product is large."""
        some = tuple(counts)
        if some not in self.known:
            x = max(range(len(some)), key=some.__getitem__)
            low = max(0, some[x].bit_length() - LEADING)
            last = some[x] >> low << low
            rest = (*some[:x], some[x] - last, *some[x + 1 :])
            if not last:
                return law_of({(0,) * len(next(iter(self.laws[0]))): 1}, 1, self.size)
            if not any(rest):
                return self.power(x, last)
            self._keep(self.known, some, self._added(self.sum(rest), self.power(x, last), sum(some)))
        return self.known[some]

    def _added(self, one: LowerLaw, other: LowerLaw, users: int) -> LowerLaw:
        return one.plus(other, self.spare * users**2 // (CUTS * self.users**2))

    def _keep(self, some: dict[tuple[int, ...], LowerLaw], name: tuple[int, ...], made: LowerLaw) -> None:
        """Keep a law; of more than KEPT sums are let go, the oldest first, then powers."""
        self.made += made.cells.size
        self.held += made.cells.size
        some[name] = made
        for kept in (self.known, self.powers):
            while self.held > KEPT and len(kept) > (kept is some):
                self.held -= kept.pop(next(iter(kept))).cells.size


class Power(NamedTuple):
    """s / 2^k <= e^eps, s below 2^31, and where weights are cut."""

    s: int
    k: int
    most: int

    @classmethod
    def of(cls, t: Fraction) -> "Power":
        """The largest such number up to t; of more than 2^30 it is 2^30."""
        t = min(max(t, Fraction(1)), Fraction(1 << HALF))  # e^eps is at least 1
        k = HALF + 1 - int(t).bit_length()
        return cls(int(t * (1 << k)), k, int((1 << BITS) / t) + 1)

    def times(self, law: Words) -> Words:
        """At most this number times the law."""
        return _scaled(np.minimum(law, self.most), self.s, self.k)


def _scaled(words: Words, s: Any, k: Any) -> Words:
    """s words / 2^k, rounded down, for s below 2^31 and k up to 30."""
    return (s * (words >> HALF) << HALF - k) + (s * (words & LOW) >> k)


def steps(shape: Point, points: Iterable[Point]) -> list[int]:
    """By how much each point moves what is flattened from a box of this shape."""
    strides = [prod(shape[i + 1 :]) for i in range(len(shape))]
    return [sum(stride * i for stride, i in zip(strides, point, strict=True)) for point in points]


def reached(some: Any, points: Iterable[Point]) -> Any:
    """The cells of a box, flattened, to which points move those where `some` is true."""
    flat, found = some.ravel(), np.zeros(some.size, bool)
    for at in steps(some.shape, points):
        found[at:] |= flat[: flat.size - at]
    return np.flatnonzero(found)


def parts(size: int) -> Iterator[slice]:
    """Of so many cells, one part after the other: those that are worked on at once."""
    return (slice(start, min(start + AT_ONCE, size)) for start in range(0, size, AT_ONCE))


def convolved(row: Row, unit: int, known: Words) -> Words:
    """row * known / unit in words, flattened, less than `word_loss` below; `known` has room for the row's points."""
    moves = dict(zip(steps(known.shape, row), row.values(), strict=True))
    most, found = max(moves), np.empty(known.size, np.int64)
    flat = np.concatenate([np.zeros(most, np.int64), known.ravel()])
    for some in parts(known.size):
        found[some] = _convolved(moves, unit, flat[some.start : some.stop + most], most)
    return found


def _convolved(moves: Mapping[int, int], unit: int, flat: Words, most: int) -> Words:
    """The same of some cells, before which `most` others stand."""
    upper, lower = flat >> HALF, flat & LOW
    high, low = np.zeros(flat.size - most, np.int64), np.zeros(flat.size - most, np.int64)
    moved = {at: slice(most - at, flat.size - at) for at in moves}
    if unit < LONGEST:
        for at, weight in moves.items():
            high += weight * upper[moved[at]]
            low += weight * lower[moved[at]]
        whole = high // unit
        return (whole << HALF) + ((high - whole * unit << HALF) + low) // unit
    least, tenth = np.zeros(high.size, np.int64), lower >> FAINT
    for at, weight in moves.items():
        first, second = divmod((weight << BITS) // unit, 1 << HALF)
        high += first * upper[moved[at]]
        low += first * lower[moved[at]] + second * upper[moved[at]]
        least += (second >> FAINT) * tenth[moved[at]]
    return high + (low + (least >> HALF - 2 * FAINT) >> HALF)


def word_loss(unit: int) -> int:
    """How many units less than it should be a word of a row over this unit may be: fewer than so many."""
    return 1 if unit < LONGEST else 3


def _last_below(p: Words, q: Words, powers: Sequence[Power]) -> Words:
    """For each point, how many of these rising powers have t q < p."""
    s, k = (np.array([getattr(power, name) for power in powers], np.int64) for name in ("s", "k"))
    cut = np.array([(1 << BITS + 1 + power.k) // power.s for power in powers], np.int64)  # beyond any weight, times t
    found, step = np.zeros(len(p), np.int64), 1 << len(powers).bit_length() - 1
    while step:
        at = np.minimum(found + step, len(powers)) - 1
        less = _scaled(np.minimum(q, cut[at]), s[at], k[at]) < p
        found += step * (less & (found + step <= len(powers)))
        step >>= 1
    return found


@dataclass
class Views:
    """What is seen with others of this law and a user on each input, at any eps."""

    table: Table
    law: LowerLaw
    wordy: bool = True  # whether words are close enough: e^eps has 31 bits in them
    rows: dict[int, Words] = field(default_factory=dict)
    exact: dict[int, Any] = field(default_factory=dict)

    def row(self, x: int) -> Words:
        """The law with a user on x, in words."""
        if not self.rows:
            self._known = self.law.words(self.table.reach)
        if x not in self.rows:
            self.rows[x] = convolved(self.table.rows[x], self.table.unit, self._known)
        return self.rows[x]

    def above(self, pairs: Iterable[tuple[int, int]], t: Fraction, about: Fraction) -> Fraction:
        """An upper bound on the largest delta of the pairs at any t <= e^eps, about as close as a small part of
        `about`.
        """
        if not self._told(about):
            return min(max(self._excess(a, b, t) for a, b in pairs) + self.law.lost, Fraction(1))
        power, found = Power.of(t), 0
        for b, sources in _by_target(pairs).items():
            times = power.times(self.row(b)) - self._spare
            found = max(found, *(int(np.maximum(self.row(a) - times, 0).sum()) for a in sources))
        return min(Fraction(found, 1 << BITS) + self._lost, Fraction(1))

    def below(self, pairs: Iterable[tuple[int, int]], eps: Eps, about: Fraction) -> tuple[Fraction, tuple[int, int]]:
        """A lower bound on the largest delta(eps) of the pairs, and its pair."""
        best: tuple[Fraction, tuple[int, int]] | None = None
        told, (t, T) = self._told(about), eps.bounds(8 * self.law.size + 16)
        for b, sources in _by_target(pairs).items():
            times = Power.of(t).times(self.row(b)) if told else None
            for a in sources:
                if told:
                    inside = self.row(a) > times
                    p, q = int(self.row(a)[inside].sum()), int(self.row(b)[inside].sum())
                    q += self._spare * int(np.count_nonzero(inside))
                    value = Fraction(p, 1 << BITS) - T * (Fraction(q, 1 << BITS) + self._lost)
                else:
                    value = self._excess(a, b, t) - (T - t) - T * self.law.lost
                best = max(best, (value, (a, b))) if best else (value, (a, b))
        assert best is not None
        return max(best[0], Fraction(0)), best[1]

    def heights(self, a: int, b: int, powers: Sequence[Power]) -> list[int]:
        """Upper bounds, over 2^60, on the delta of a pair at these rising powers of e, by words: A + u - t B.

        All at once, from how many powers have A + u > t B at each point.
        """
        if not powers:
            return []
        p, q = self.row(a) + self._spare, self.row(b)
        last = _last_below(p, q, powers)
        sums = np.zeros((2, len(powers) + 1), np.int64)
        np.add.at(sums[0], last, p)
        np.add.at(sums[1], last, q)
        above = [[*accumulate(reversed(some.tolist()[1:]))][::-1] for some in sums]  # of all from a power on
        missing = self._missing
        return [p - (t.s * q >> t.k) + missing for t, p, q in zip(powers, *above, strict=True)]

    @property
    def _missing(self) -> int:
        """What words miss of 1, over 2^60."""
        return (1 << BITS) - int(self._known.sum())

    @property
    def _spare(self) -> int:
        return word_loss(self.table.unit)

    @property
    def _lost(self) -> Fraction:
        return Fraction(self._missing, 1 << BITS)

    def _told(self, about: Fraction) -> bool:
        """Whether words tell a divergence of about this size to a thousandth or so."""
        if not self.wordy or self.law.size < SHORTEST or max(map(len, self.table.rows)) > MOST_POINTS:
            return False
        cells = prod(a + b for a, b in zip(self.law.shape, self.table.reach, strict=True))
        return about * (1 << BITS) > (2 + self._spare) * cells << 12

    def _excess(self, a: int, b: int, t: Fraction) -> Fraction:
        """sum max(P' - t Q', 0) with a user on a and on b, exactly."""
        gains = self.whole(a) * t.denominator - self.whole(b) * t.numerator
        positive = int(gains[gains > 0].sum())
        return Fraction(positive, self.table.unit * t.denominator << 8 * self.law.size)

    def whole(self, x: int) -> Any:
        """The law with a user on x, in Python's integers, times the table's unit."""
        if x not in self.exact:
            known = self.law.integers(self.table.reach)
            flat, total, row = known.ravel(), np.zeros(known.size, object), self.table.rows[x]
            for at, weight in zip(steps(known.shape, row), row.values(), strict=True):
                total[at:] += weight * flat[: flat.size - at]
            self.exact[x] = total
        return self.exact[x]


def _by_target(pairs: Iterable[tuple[int, int]]) -> Mapping[int, list[int]]:
    found: dict[int, list[int]] = {}
    for a, b in pairs:
        found.setdefault(b, []).append(a)
    return found


def bits_of(delta: Fraction) -> int:
    """About - log2 of a number, at least 0."""
    return max(0, delta.denominator.bit_length() - delta.numerator.bit_length())


def bytes_for(about: Fraction) -> int:
    """Bytes of weights for a delta of about this size; words where they will do."""
    return max(SHORTEST + 1, -(-(bits_of(about) + SPARE_BITS) // 8))


def rounded_power(eps: Eps, bits: int = POWER_BITS) -> Fraction:
    """A number t <= e^eps, at least 1, of so many bits after the point."""
    t = eps.bounds(2 * bits)[0]
    return max(Fraction(int(t * (1 << bits)), 1 << bits), Fraction(1))


@dataclass(frozen=True, eq=False)
class DatasetPair(WindowPair):
    """Two neighbouring datasets, for compositions: these others with a user on row `source` (P) and on `target` (Q).

    `lost` is a lower bound on P(Q = 0), and on Q(P = 0).
    """

    table: Table
    counts: tuple[int, ...]
    source: int
    target: int
    lost: tuple[Fraction, Fraction]

    def atoms(self, bits: int) -> Atoms:
        """One atom for each point on which the others' sum has most of its mass.

        Of each law a window is known from below, and what it misses may be anywhere: on an atom, or outside. Beyond
        FINEST bits no closer, nor beyond FINE where there are very many.
        """
        finest = FINEST if self.cells <= MANY else FINE
        if bits <= finest:
            return _atoms(self, bits)
        known, more = _atoms(self, finest), bits - finest
        p, q = (tuple([w << more for w in ends] for ends in law) for law in (known.p, known.q))
        return Atoms((p[0], p[1]), (q[0], q[1]), (known.outside[0] << more, known.outside[1] << more), bits)

    @property
    def cells(self) -> int:
        """About how many atoms there are."""
        return prod(_views(self, SHORTEST + 1).law.shape)

    def at(self, eps: Sequence[Eps], back: bool = False) -> list[Interval]:
        """delta at many eps, or that of the pair in the other direction, as closely as words tell: to 10^-13."""
        views = _views(self, SHORTEST + 1)
        pair = (self.target, self.source) if back else (self.source, self.target)
        found = []
        for one in eps:
            low, _ = views.below([pair], one, Fraction(1))
            found.append(Interval(low, max(low, views.above([pair], rounded_power(one), Fraction(1)))))
        return found

    def infinity_mass(self) -> Fraction:
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

    def infinity_mass(self) -> Fraction:
        """A lower bound on Q(P = 0) of the pair."""
        return self.pair.lost[1]


@lru_cache(maxsize=4)  # windows may be large
def _views(pair: DatasetPair, size: int) -> Views:
    some = len(pair.table.bases) + bool(pair.table.common)
    return Views(pair.table, Sums.of(pair.table, size, sum(pair.counts)).sum((*pair.counts, 0)[:some]))


@lru_cache(maxsize=8)
def _atoms(pair: DatasetPair, bits: int) -> Atoms:
    views = _views(pair, -(-bits // 8))
    law, more = views.law, 8 * views.law.size - bits
    both = [[fmpz(int(w)) // (pair.table.unit << more) for w in views.whole(x)] for x in (pair.source, pair.target)]
    missing = (law.missing >> more) + 1
    p, q = ((low, [w + 1 + missing for w in low]) for low in both)
    outside = missing + len(both[0])  # with what the atoms lost by rounding
    return Atoms(p, q, (outside, outside), bits)
