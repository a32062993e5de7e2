"""Guesses in floats of what others of any composition make of delta(eps). Nothing is proved.

Which composition is the worst, which boxes keep a bound: what is guessed here is tried again in integers, and a wrong
guess leaves a wider interval. The others' sum is taken modulo a box, so that its Fourier transform is the product of
powers of their laws' transforms.

Floats lose what is far below the largest of what they add. So where delta is small, the laws are tilted: each weight
f(y) becomes f(y) e^(s . y) / M(s), M(s) the sum of all f(y) e^(s . y), and

    delta(eps) = prod of M's * sum over y of e^(-s . y) max(M_a P_s(y) - e^eps M_b Q_s(y), 0).

With M_a(s) = e^eps M_b(s) the outcomes where P is about e^eps Q are in the middle of the tilted laws, where floats tell
all digits; what is said is the logarithm.

Also the laws of blocks in floats: which of them seem to keep a bound, and how their values are to be rounded.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, reduce
from math import ceil, erfc, exp, inf, log, prod
from typing import Any, NamedTuple

from flint import fmpz, fmpz_poly

from shufflecert.verify.bound.block import Block, Cuts, ShortLaws
from shufflecert.verify.bound.law import reached, steps
from shufflecert.verify.bound.table import Composition, Point, Table
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.runs.later import Later

np: Any = Later("numpy")
fft: Any = Later("scipy.fft")
signal: Any = Later("scipy.signal")
REACH, REACHED = 7.5, 1 << 10  # standard deviations from the middle; parts of delta, of which one may be farther
MOST_CELLS = 1 << 19  # of a transform
MOST_HELD = 1 << 22  # floats of views that are kept
SMALLEST = 1e-9  # delta that floats tell closely without a tilt
HALF = 0.5  # of 1, by which a number's square may differ from it, to be near it
FLOOR, NOISE = 1e-11, 1e-12  # of the largest weight, below which tilted ones are noise; the same for each user
STEEPEST, ROOT_STEPS = 600.0, 80  # logarithm of a tilted law's weights; of a search for a tilt
CLOSEST, FAINT = 1e-6, 1e-250  # so much closer than usual floats tell; a delta from which on they do
MOST_POWERS = 1 << 12  # laws of so many users of a class that are kept
FEW, TERMS = 256, 1 << 12  # cells of outcomes that are listed one by one; terms of the polynomials that list them
ROUNDED = 16  # parts of all users: compositions in one of them share a tilt
LITTLE, SLACK = 1e-4, 1.5e-3  # of delta: what cutting values off may cost; what integers may find beyond a guess
THINNEST = 1e-11  # of the largest weight of a block's law: what is left out
MOST_MOVED = 64  # points of a law, up to which a sum is moved by each; more are convolved
SUM_REACH, RARE, FAR = 14.0, 1 << 70, 1e-4  # deviations of a sum; of weights that are left out
SORTED = 200  # places of values in a deviation, where it is decided which are left out
MOST_PLACES = 1 << 17  # of values that are told apart: lower ones are raised
STEPS = 1 << 15  # from 0 to the value that is farthest
LEAST_WAVE = -32.0  # logarithm of a sum's wave that floats lose beside 1
FAINTEST, TINY = -100.0, 1e-300  # logarithms of squares of a sum's waves that are nothing; so that there is one
LEVEL, SLOPE_STEPS = 0.05, 40  # of a tilted sum's deviation, within which its mean is 0; of a search for a tilt
FARTHEST = 300.0  # eps of blocks' values, whose squares are to be floats: with less they allow more
COARSE = (1.5, 2.0, 3.0, 5.0, 7.0, 10.0, 40.0)  # steps in a single draw's standard deviation, of a certificate
BEYOND = 32  # bits of a delta that are missed beyond the ends of a grid
WORTH, ROOM, SPARE = 20.0, 1.03, 64  # standard deviations that a missed sum may be worth; of cells, and besides
STEEP = 2.0  # the power of its width by which the work of a cover grows, at most: what the first one took tells little
Tilt = tuple[float, ...]


@dataclass
class Guess:
    """Transforms of a table's laws, tilted or not, for sums of so many users, and of `fewest` at least."""

    table: Table
    shape: Point
    tilt: Tilt = ()
    fewest: int = 0
    kept: dict[Composition, dict[int, Any]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        table: Table,
        users: int,
        most: int = MOST_CELLS,
        tilt: Tilt = (),
        fewest: int = 0,
        far: float = REACH,
    ) -> "Guess | None":
        """Guesses for so many users, up to so many deviations; None where a transform would have too many cells."""
        shape = []
        laws = [leaned(law, tilt)[0] for law in ((*table.bases, table.common) if table.common else table.bases)]
        for i in range(table.rank):
            spread = max(variance(law, i) for law in laws)
            reach = table.reach[i]
            cells = min(users * reach + 1, int(2 * far * (users * spread) ** 0.5) + 6 * reach + 8)
            shape.append(int(fft.next_fast_len(cells + reach, real=True)))
        return cls(table, tuple(shape), tilt, fewest) if prod(shape) <= most else None

    @property
    def cells(self) -> int:
        """Of one transform."""
        return prod(self.shape)

    def transform(self, law: Mapping[Point, float]) -> Any:
        """The transform of a law, its weights made to sum to 1."""
        cells, unit = np.zeros(self.shape), sum(law.values())
        for point, weight in law.items():
            cells[tuple(c % size for c, size in zip(point, self.shape, strict=True))] += weight / unit
        return fft.rfftn(cells)

    @cached_property
    def laws(self) -> list[tuple[Mapping[Point, float], float]]:
        """The classes' laws, tilted, and last what is common, where there is any; the logarithms of their masses."""
        laws = (*self.table.bases, self.table.common) if self.table.common else self.table.bases
        return [leaned(law, self.tilt) for law in laws]

    @cached_property
    def waves(self) -> tuple[Any, Any, Any]:
        """Which of the transforms' cells floats tell of the sum of so many users; logarithms of the laws' transforms
        there, a row for each law; angles, each law moved so that its mean is 0, and below them the frequencies, a row
        for each coordinate."""
        largest = np.ones(prod(self.shape[:-1]) * (self.shape[-1] // 2 + 1))
        if self.fewest:
            largest = reduce(np.maximum, (abs(self.transform(law).ravel()) for law, _ in self.laws))
        seen = np.flatnonzero(self.fewest * np.log(largest + 1e-300) > LEAST_WAVE)
        sides = [*(fft.fftfreq(size) for size in self.shape[:-1]), fft.rfftfreq(self.shape[-1])]
        places = np.unravel_index(seen, [len(side) for side in sides])
        frequencies = np.stack([2 * np.pi * side[at] for side, at in zip(sides, places, strict=True)])
        logs = [self._log(law, at, seen, frequencies) for (law, _), at in zip(self.laws, self.means, strict=True)]
        return seen, np.stack([log.real for log in logs]), np.vstack([*(log.imag for log in logs), frequencies])

    def _log(self, law: Mapping[Point, float], at: Any, seen: Any, frequencies: Any) -> Any:
        if self.table.rank > 1:
            return np.log(self.transform(law).ravel()[seen] + 1e-300) + 1j * _mixed(at, frequencies)
        ways = [(weight, -1j * frequencies[0] * (point[0] - at[0])) for point, weight in law.items()]
        less = sum(weight * np.expm1(way) for weight, way in ways)
        square = less.real * (2 + less.real) + less.imag**2  # |1 + less|^2 - 1, with all digits where it is small
        far, near = np.log(abs(1 + less) + 1e-300), np.log1p(np.maximum(square, -HALF)) / 2
        return np.where(square < -HALF, far, near) + 1j * np.angle(1 + less)

    @cached_property
    def means(self) -> Any:
        """The means of the laws, tilted."""
        return np.array([mean(law) for law, _ in self.laws])

    @cached_property
    def changing(self) -> dict[int, tuple[Mapping[Point, float], float]]:
        """The rows of the users who change, tilted, and the logarithms of their masses."""
        return {x: leaned(self.table.rows[x], self.tilt) for pair in self.table.pairs for x in pair}

    @cached_property
    def rows(self) -> dict[int, Any]:
        """The transforms of the rows of the users who change."""
        return {x: self.transform(row) for x, (row, _) in self.changing.items()}

    def _waves_of(self, counts: Sequence[int], to: Any = 0) -> tuple[Any, Any]:
        """The cells of the transform of the sum of these others that floats tell, and what is in them: moved by
        `middle`, and `to` some place."""
        cells, logs, angles = self.waves
        users = np.zeros(len(logs))
        users[: len(counts)] = counts[: len(logs)]  # where nothing is common, nobody sends it
        some = np.flatnonzero(users)
        size = _mixed(users[some], logs[some])
        seen = np.flatnonzero(size > LEAST_WAVE)
        turned = _mixed((*users, *(self.middle(counts) - to - users @ self.means)), angles)[seen]
        return cells[seen], np.exp(size[seen] + 1j * turned)

    def total(self, counts: Sequence[int]) -> Any:
        """The transform of the sum of these others, moved by `middle`; 0 where floats lose it."""
        cells, values = self._waves_of(counts)
        found = np.zeros((*self.shape[:-1], self.shape[-1] // 2 + 1), complex)
        found.ravel()[cells] = values
        return found

    def summed(self, counts: Sequence[int]) -> Any:
        """The law of the sum of these others, its middle in the middle of the box, or as near as there are values."""
        middle, sides, reach = self.middle(counts), np.array(self.shape), np.array(self.table.reach)
        first = np.minimum(middle - sides // 2, (sum(counts) + 1) * reach + 1 - sides)
        cells, values = self._waves_of(counts, middle - np.maximum(first, 0))
        places = np.unravel_index(cells, (*self.shape[:-1], self.shape[-1] // 2 + 1))
        lines = [np.bincount(at, minlength=size) > 0 for at, size in zip(places, self.shape[:-1], strict=False)]
        found = np.zeros((*(int(some.sum()) for some in lines), int(places[-1].max()) + 1), complex)  # most lines are 0
        found[(*(np.cumsum(some)[at] - 1 for some, at in zip(lines, places, strict=False)), places[-1])] = values
        for axis, (size, some) in enumerate(zip(self.shape[:-1], lines, strict=True)):
            whole = np.zeros((*found.shape[:axis], size, *found.shape[axis + 1 :]), complex)
            whole[(slice(None),) * axis + (some,)] = found
            found = fft.ifft(whole, axis=axis, overwrite_x=True)
        return fft.irfft(found, self.shape[-1], axis=-1)

    def middle(self, counts: Sequence[int]) -> Any:
        """About the mean of the sum of these others, in whole numbers."""
        return np.rint(sum(c * at for c, at in zip(counts, self.means, strict=False)))

    def views(self, counts: Composition) -> dict[int, Any]:
        """What is seen with these others and a user on each input."""
        if counts not in self.kept:
            if len(self.kept) * len(self.rows) * self.cells > MOST_HELD:
                self.kept.clear()
            total = self.total(counts)
            self.kept[counts] = {x: fft.irfftn(row * total, self.shape).ravel() for x, row in self.rows.items()}
        return self.kept[counts]

    def delta(self, counts: Composition, pair: tuple[int, int], eps: float) -> float:
        """About delta(eps) of a pair with these others, without a tilt."""
        views = self.views(counts)
        return float(np.maximum(views[pair[0]] - exp(min(eps, 700.0)) * views[pair[1]], 0).sum())

    def log_delta(self, counts: Composition, pair: tuple[int, int], eps: float) -> float:
        """The logarithm of about delta(eps), of what is on this tilt's side of the others' mean."""
        (_, up), (_, down) = (self.changing[x] for x in pair)
        p, q = (self.views(counts)[x].reshape(self.shape) for x in pair)
        floor = FLOOR if self.table.rank == 1 else max(FLOOR, NOISE * sum(counts))
        excess = np.where(p > floor * p.max(), p - exp(min(eps + down - up, STEEPEST)) * q, 0)
        middle, plain, constant = self.middle(counts), 0.0, up
        for count, law, (_, mass) in zip(counts, self.plain_means, self.laws, strict=False):
            plain, constant = plain + count * law, constant + count * mass
        weights = np.zeros(())  # their logarithms
        for slope, size in zip(self.tilt, self.shape, strict=True):
            places = (np.arange(size) + size // 2) % size - size // 2
            one = np.clip(-slope * places, -STEEPEST, STEEPEST)
            if self.table.rank == 1:
                one = np.where((middle[0] + places - plain) * slope >= 0, one, -inf)
            weights = np.add.outer(weights, one)
        some = excess > 0
        logarithms = np.log(excess[some]) + weights[some]
        if not len(logarithms) or (most := float(logarithms.max())) == -inf:
            return -inf
        found = most + log(float(np.exp(logarithms - most).sum()))
        return found + constant - sum(slope * float(m) for slope, m in zip(self.tilt, middle, strict=True))

    @cached_property
    def plain_means(self) -> list[float]:
        """The first coordinates of the laws' means, not tilted."""
        laws = (*self.table.bases, self.table.common) if self.table.common else self.table.bases
        return [float(mean(law)[0]) for law in laws]


def _mixed(weights: Sequence[Any], rows: Any) -> Any:
    """The sum of weights times rows: no product of matrices, which would ask all cores."""
    return np.einsum("i,ij->j", np.asarray(weights, float), rows)


def foreseen(
    one: tuple[Fraction, int], other: tuple[Fraction, int], width: Fraction, part: Fraction = Fraction(1)
) -> float:
    """The work of a cover of this width, if it grows by the same power of the width as between two others, or a part
    of that."""
    (wide, less), (near, more) = one, other
    grows = min(max(log(more / less), 0) / log(wide / near), STEEP)
    return more * exp(float(part) * grows * log(near / width)) if near > width else 0.0


@dataclass
class Guesses:
    """About the largest delta(eps) with others of any composition, as a logarithm: with tilts where it is small."""

    table: Table
    n: int
    closely: float = 1.0  # so much closer than usual
    tilted: dict[Tilt, Guess | None] = field(default_factory=dict)
    tilts: dict[tuple[tuple[int, int], float, Composition], list[Tilt]] = field(default_factory=dict)
    powers: dict[tuple[int, int], Any] = field(default_factory=dict)  # laws of so many users of a class, in a line

    @cached_property
    def plain(self) -> Guess | None:
        """Guesses without a tilt; None where there are too many cells."""
        return Guess.of(self.table, self.n) if self.table.rank <= 3 else None

    @property
    def cells(self) -> float:
        """Of a whole dataset's law."""
        return inf if self.plain is None else self.plain.cells

    @cached_property
    def listed(self) -> bool:
        """Whether outcomes are few, those that are seen and those that may be: all of them are in a polynomial."""
        return self.cells <= FEW and prod(self.n * reach + 1 for reach in self.table.reach) <= TERMS

    def log_delta(self, counts: Composition, pair: tuple[int, int], eps: float) -> float:
        """The logarithm of about delta(eps) of a pair with these others."""
        assert self.plain is not None
        found = self.plain.delta(counts, pair, eps)
        if found * self.closely > SMALLEST:
            return log(found)
        if self.listed:
            return self._listed(counts, pair, eps)
        sides = (self.leaning(tilt) for tilt in self._tilts(counts, pair, eps))
        values = [side.log_delta(counts, pair, eps) for side in sides if side is not None]
        return float(np.logaddexp.reduce(values)) if values else -inf

    def forget(self) -> None:
        """Let go what is known of single compositions."""
        for one in (self.plain, *self.tilted.values()):
            if one is not None:
                one.kept.clear()

    def _listed(self, counts: Composition, pair: tuple[int, int], eps: float) -> float:
        """The same of few outcomes, each by itself: sums of what is positive lose no digits; else by integers."""
        if self.closely > CLOSEST:
            rest = np.ones(1)
            for x, count in enumerate(counts):
                rest = np.convolve(rest, self._power(x, count)) if count else rest
            p, q = (np.convolve(rest, self._lines[x]) for x in pair)
            longer = max(len(p), len(q))
            p, q = (np.pad(one, (0, longer - len(one))) for one in (p, q))
            found = float(np.maximum(p - exp(min(eps, STEEPEST)) * q, 0).sum())
            if found > FAINT:
                return log(found)
        return self._exactly(counts, pair, eps)

    @cached_property
    def _strides(self) -> Any:
        """What a step in each coordinate is in a line."""
        return np.cumprod([1, *(self.n * reach + 1 for reach in self.table.reach)])[:-1]

    def _numbered(self, law: Mapping[Point, int]) -> dict[int, int]:
        """A law's weights, by points as numbers: of all users' sums no two have the same."""
        return {int(self._strides @ point): weight for point, weight in law.items()}

    def _in_line(self, law: Mapping[Point, int]) -> Any:
        """A law's probabilities in a line."""
        places, unit = self._numbered(law), sum(law.values())
        line = np.zeros(max(places) + 1)
        line[list(places)] = [weight / unit for weight in places.values()]
        return line

    @cached_property
    def _lines(self) -> dict[int, Any]:
        """The rows of the users who change, each in a line."""
        return {x: self._in_line(self.table.rows[x]) for x in {x for pair in self.table.pairs for x in pair}}

    def _power(self, x: int, count: int) -> Any:
        """The law of so many users of a class, or of those who send what is common, in a line."""
        if (x, count) not in self.powers:
            if count == 1:
                bases = self.table.bases
                found = self._in_line(bases[x] if x < len(bases) else self.table.common)
            else:
                half = self._power(x, count // 2)
                found = np.convolve(half, half)
                found = np.convolve(found, self._power(x, 1)) if count % 2 else found
            if len(self.powers) >= MOST_POWERS:
                self.powers.clear()
            self.powers[x, count] = found
        return self.powers[x, count]

    def _exactly(self, counts: Composition, pair: tuple[int, int], eps: float) -> float:
        """The same by integers."""
        table, top = self.table, Fraction(exp(min(eps, STEEPEST)))
        laws = [self._polynomial(law) for law in (*table.bases, table.common)]
        rest = prod((law**count for law, count in zip(laws, counts, strict=False) if count), start=fmpz_poly([1]))
        p, q = (rest * self._polynomial(table.rows[x]) for x in pair)
        values = (p * top.denominator - q * top.numerator).coeffs()
        unit = int(rest(1)) * table.unit
        return log_of(Fraction(int(sum((value for value in values if value > 0), fmpz(0))), unit * top.denominator))

    def _polynomial(self, law: Mapping[Point, int]) -> fmpz_poly:
        """A law's weights in a line."""
        places = self._numbered(law)
        return fmpz_poly([places.get(i, 0) for i in range(1 + max(places, default=0))])

    def largest(self, counts: Composition, eps: float) -> tuple[float, tuple[int, int]]:
        """The largest of all pairs with these others, and the pair."""
        assert self.plain is not None
        found, pair = max((self.plain.delta(counts, pair, eps), pair) for pair in self.table.pairs)
        if found * self.closely > SMALLEST:  # what is smaller need not be known
            return log(found), pair
        return max((self.log_delta(counts, pair, eps), pair) for pair in self.table.pairs)

    def epsilon(self, counts: Composition, bound: float, low: float, most: float) -> float:
        """About the smallest eps that keeps the bound, a logarithm, with these others, not below `low`; `most` if none
        below does.
        """
        if self.largest(counts, low)[0] <= bound:
            return low
        high = max(2 * low, 1e-6)
        while self.largest(counts, high)[0] > bound:
            if high >= most:
                return most
            low, high = high, min(4 * high, most)
        while high - low > 1e-6 * high:
            middle = (low * high) ** 0.5 if low and high > 2 * low else (low + high) / 2
            low, high = (middle, high) if self.largest(counts, middle)[0] > bound else (low, middle)
        return high

    def leaning(self, tilt: Tilt) -> Guess | None:
        """Guesses with this tilt."""
        if tilt not in self.tilted:
            if sum(one.cells for one in self.tilted.values() if one) * len(self.table.rows) > MOST_HELD:
                self.tilted.clear()
            self.tilted[tilt] = Guess.of(self.table, self.n, tilt=tilt)
        return self.tilted[tilt]

    def _tilts(self, counts: Composition, pair: tuple[int, int], eps: float) -> list[Tilt]:
        """Tilts with M_a = e^eps M_b: on both sides of a line, else in the direction that normal laws would have."""
        part = max(1, (self.n - 1) // ROUNDED)
        near = () if self.table.rank == 1 else tuple(-(-count // part) for count in counts)
        key = pair, eps, near
        if key not in self.tilts:
            if len(self.tilts) > 4096:
                self.tilts.clear()
            self.tilts[key] = [tilt for way in self._ways(near, pair) if (tilt := self._root(way, pair, eps))]
        return self.tilts[key]

    def _ways(self, near: Composition, pair: tuple[int, int]) -> list[Any]:
        if not near:
            return [np.array([1.0]), np.array([-1.0])]
        laws = (*self.table.bases, self.table.common)
        spreads = [count * covariance(law) for count, law in zip(near, laws, strict=False) if count]
        step = mean(self.table.rows[pair[0]]) - mean(self.table.rows[pair[1]])
        way = np.linalg.lstsq(sum(spreads), step, rcond=None)[0] if spreads else step  # nobody else is there
        size = float(abs(way).max())
        return [way / size] if size else []

    def _root(self, way: Any, pair: tuple[int, int], eps: float) -> Tilt | None:
        """The least multiple of a direction that is found with M_a = e^eps M_b; None where none is."""

        def above(times: float) -> bool:
            tilt = tuple(times * way)
            (_, up), (_, down) = (leaned(self.table.rows[x], tilt) for x in pair)
            return up - down > eps

        high, most = 1e-6, STEEPEST / max(1, sum(self.table.reach))
        while not above(high):
            if high >= most:
                return None
            high = min(2 * high, most)
        low = high / 2 if high > 1e-6 else 0.0
        for _ in range(ROOT_STEPS):
            middle = (low + high) / 2
            low, high = (low, middle) if above(middle) else (middle, high)
        return tuple(map(float, high * way))


@dataclass
class Sent:
    """The law of the sum of all but one user of a block, in a box with room for one more; what he may send: points."""

    known: Any
    points: Sequence[Point]
    kept: dict[Any, Any] = field(default_factory=dict)

    @cached_property
    def places(self) -> Any:
        """Of the box, flattened, where what is seen of the block has more than a little of its law."""
        return reached(self.known > THINNEST * self.known.max(), self.points)

    def row(self, key: Any, law: Mapping[Point, Any]) -> Any:
        """The law at these places with one user more, who sends by this law."""
        if key not in self.kept:
            flat = self.known.ravel()
            if len(law) > MOST_MOVED:
                found = self.plus(law).known.ravel()[self.places]
            else:
                parts = zip(steps(self.known.shape, law), shares(law).values(), strict=True)
                found = sum(share * flat[self.places - by] for by, share in parts)
            self.kept[key] = found
        return self.kept[key]

    def plus(self, law: Mapping[Point, Any]) -> "Sent":
        """The same with one user more, who sends by this law."""
        law = shares(law)
        if len(law) > MOST_MOVED:
            one = np.zeros([1 + max(point[i] for point in law) for i in range(self.known.ndim)])
            for point, share in law.items():
                one[point] = share
            return Sent(signal.fftconvolve(self.known, one)[tuple(map(slice, self.known.shape))], self.points)
        flat = self.known.ravel()
        found = np.zeros(flat.size)
        for by, share in zip(steps(self.known.shape, law), law.values(), strict=True):
            found[by:] += share * flat[: flat.size - by]
        return Sent(found.reshape(self.known.shape), self.points)


class Grid(NamedTuple):
    """Hints for the kernel (verify/CERTIFICATE.md, "How it is computed")."""

    step: Fraction
    cells: int
    tilt: Fraction
    above: int


@dataclass
class BlockLaw:
    """A block's law in floats, where the user who changes is on a (p) or b (q), and the others' law s."""

    p: Any
    q: Any
    s: Any

    @cached_property
    def square(self) -> float:
        """E L^2 at eps = 0; infinite where S is short."""
        inside = self.s * RARE >= 1
        if abs(self.p[~inside] - self.q[~inside]).sum() > 1e-12:
            return inf
        return float((((self.p - self.q)[inside] ** 2) / self.s[inside]).sum())


@dataclass
class ShortGuesses(ShortLaws):
    """Laws of blocks of few users, about."""

    def law(self, block: Block, a: int, b: int) -> BlockLaw:
        """That of a block, where the user who changes is on a, or on b."""
        return BlockLaw(*self.changed(block, a, b))

    @property
    def nothing(self) -> Any:
        """The law of the sum of nobody."""
        return np.ones(1)

    def added(self, known: Any, weights: Sequence[int], places: Any, size: int) -> Any:
        """The law of a sum with one user more, whose points, of these weights, move it to these places."""
        found = np.zeros(size)
        for weight, at in zip(weights, places, strict=True):
            if weight:
                found[at] += weight / self.table.unit * known
        return found


@dataclass
class BlockLaws:
    """Blocks of some kinds, in floats: of each the law, how many there are, and its weight; 1 / what S is to have."""

    parts: Sequence[tuple[BlockLaw, int, int]]
    rare: int = RARE

    @cached_property
    def draws(self) -> int:
        """How many blocks there are."""
        return sum(draws for _, draws, _ in self.parts)

    @cached_property
    def whole(self) -> int:
        """The weight of all."""
        return sum(draws * weight for _, draws, weight in self.parts)

    @property
    def terms(self) -> int:
        """Outcomes of all kinds."""
        return sum(len(law.s) for law, _, _ in self.parts)

    def cuts(self, eps: float, little: float, fine: float) -> Cuts:
        """How to round the values, so that it costs less than `little` of delta; the step is a power of two."""
        values, _ = self._values(eps, little)
        step = self._step(values, fine)
        g = max(0, int(-np.floor(np.log2(step))))
        ends = (-min(float(v.min()) for v, _ in values), max(float(v.max()) for v, _ in values))
        below, above = (min(max(0, int(end * 2.0**g)), MOST_PLACES) + 3 for end in ends)
        return Cuts(Fraction(1, 1 << g), below, above, self.rare)

    def _values(self, eps: float, little: float) -> tuple[list[tuple[Any, Any]], float]:
        """((values, weights) of each kind, with values cut; what is outside)."""
        found, outside = [], 0.0
        for law, draws, weight in self.parts:
            value, weights, left = _cut(law, weight, eps, draws, little * self.whole / self.draws, self.rare)
            found.append((value, weights))
            outside += left * draws / self.whole
        return found, outside

    def _step(self, values: Sequence[tuple[Any, Any]], fine: float) -> float:
        """A part of the standard deviation, and no less than lets a single draw's values lie on a short line."""
        spread, most = 0.0, 0.0
        for (value, weight), (_, draws, _) in zip(values, self.parts, strict=True):
            moment = value * weight  # no product of matrices, which would ask all cores
            spread += draws * max(float((value * moment).sum()) - float(moment.sum()) ** 2, 0.0)
            most = max(most, float(abs(value).max()))
        return float(max((spread / self.draws) ** 0.5 / fine, most / STEPS, 1e-12))

    def grid(self, eps: float, most: float) -> Grid:
        """The coarsest grid on which the kernel finds that delta is at most `most`, less SLACK, where it is.

        Beyond either end of the cells lies, by the exponential bound that is best there, a small part of it.
        """
        little = LITTLE * most
        enough = (fine for fine in COARSE if self.delta(eps, little, fine) <= most * (1 - SLACK))
        cuts = self.cuts(eps, little, next(enough, COARSE[-1]))
        step = float(cuts.step)
        places = [(value / step, weight) for value, weight in self._values(eps, little)[0]]
        beyond = np.log(max(most * self.whole, 1e-300)) - BEYOND * np.log(2)
        counts = [draws for _, draws, _ in self.parts]
        square = sum(n * float((place**2 * weight).sum()) for n, (place, weight) in zip(counts, places, strict=True))
        slopes = np.minimum(np.exp(np.linspace(-2, 4, 49)) / (square**0.5 or 1.0), STEEPEST)
        ends = []
        for side in (1, -1):
            grown = sum(
                n * np.log1p([float((np.expm1(np.minimum(k * side * place, 700)) * weight).sum()) for k in slopes])
                for n, (place, weight) in zip(counts, places, strict=True)
            )
            far = (grown - beyond + np.log(WORTH * step / slopes)) / slopes
            best = int(np.argmin(far))
            ends.append((max(float(far[best]), 1 / float(slopes[best]) + 1), float(slopes[best])))
        (above, slope), (below, _) = ends
        tilt = max(Fraction(np.exp(slope)).limit_denominator(1 << 20), 1 + Fraction(1, 1 << 20))
        furthest = max(0.0, *(float(place.max()) for place, _ in places))
        return Grid(cuts.step, int((above + below) * ROOM + furthest) + SPARE, tilt, cuts.above)

    def cells(self, fine: float) -> float:
        """About how many the transforms of `delta` have."""
        return float(2 * SUM_REACH * fine * self.draws**0.5)

    def delta(self, eps: float, little: float, fine: float) -> float:
        """The bound of the lemma, about, on a grid of so many steps in a single draw's standard deviation.

        The values' laws are tilted so that their sum is about 0: floats tell its positive part, however small it is.
        """
        values, outside = self._values(eps, little)
        step, furthest = self._step(values, fine), max(float(abs(value).max()) for value, _ in values)
        lines = [_in_line(value / step, weight) for value, weight in values]
        slope, middle, spread = self._slope(lines)
        cells = int(max(2 * SUM_REACH * spread, self.cells(fine)) + 4 * furthest / step)
        cells = fft.next_fast_len(max(64, cells), real=True)
        waves, size, mass = list[tuple[Any, int]](), np.zeros(cells // 2 + 1), 0.0
        for (place, weight), (_, draws, _) in zip(lines, self.parts, strict=True):
            tilted, unit = _tilted(place, weight, slope)
            mass += draws * unit
            wave = fft.rfft(np.bincount(place % cells, tilted, cells))
            waves.append((wave, draws))
            size += draws * np.log(wave.real**2 + wave.imag**2 + TINY)
        seen = size > FAINTEST
        powers = np.zeros(len(seen), complex)
        powers[seen] = prod(one[seen] ** draws for one, draws in waves)
        total = fft.irfft(powers, cells)
        start = round(middle) - cells // 2
        above = np.maximum(start + (np.arange(cells) - start) % cells, 0)
        positive = float((above * np.exp(-slope * above) * total).sum())
        return outside + exp(mass) * positive * step / self.whole

    def _slope(self, lines: Sequence[tuple[Any, Any]]) -> tuple[float, float, float]:
        """By which tilt the sum of all places has about the mean 0, or none if it has more without; its mean and
        deviation then."""

        def moments(slope: float) -> tuple[float, float]:
            mean, square = 0.0, 0.0
            for (place, weight), (_, draws, _) in zip(lines, self.parts, strict=True):
                tilted, _ = _tilted(place, weight, slope)
                moment = place * tilted
                once = float(moment.sum())
                mean += draws * once
                square += draws * max(float((place * moment).sum()) - once**2, 0.0)
            return mean, square**0.5

        low, high, slope = 0.0, STEEPEST / max(int(place[-1]) for place, _ in lines), 0.0
        mean, spread = moments(slope)
        for _ in range(SLOPE_STEPS):
            if abs(mean) <= LEVEL * spread or (not slope and mean >= 0):
                break
            low, high = (slope, high) if mean < 0 else (low, slope)
            slope -= mean / max(spread**2, TINY)
            if not low < slope < high:
                slope = (low * high) ** 0.5 if low else (low + high) / 2
            mean, spread = moments(slope)
        return slope, mean, spread


def _in_line(value: Any, weight: Any) -> tuple[Any, Any]:
    """(places, weights): each value split between two whole numbers, and what is missing of 1 at 0."""
    place = np.floor(value).astype(int)
    part, first, last = value - place, min(int(place.min()), 0), max(int(place.max()), 0) + 1
    law = np.bincount(place - first, weight * (1 - part), last + 1 - first)
    law += np.bincount(place + 1 - first, weight * part, last + 1 - first)
    law[-first] += max(0.0, 1 - float(weight.sum()))
    return np.arange(first, last + 1), law


def _tilted(place: Any, weight: Any, slope: float) -> tuple[Any, float]:
    """The weights times e^(slope place), made to sum to 1, and the logarithm of what they were the parts of."""
    top = int(place[weight > 0][-1])  # all places may be so far below 0 that floats have no such powers
    tilted = weight * np.exp(np.minimum(slope * (place - top), 0))
    unit = float(tilted.sum())
    return tilted / unit, log(unit) + slope * top


def _cut(law: BlockLaw, times: int, eps: float, draws: int, little: float, rare: int) -> tuple[Any, Any, float]:
    """(values, weights, what is outside), values cut, of `times` the excess."""
    excess, inside = times * (law.p - exp(min(eps, FARTHEST)) * law.q), law.s * float(rare) >= 1
    outside = float(np.maximum(excess[~inside], 0).sum())
    excess, weight = excess[inside], law.s[inside]
    if not len(weight):
        return np.array([0.0]), np.array([1.0]), outside
    value = excess / weight
    step = max(float((value * excess).sum()) ** 0.5 / SORTED, abs(value).max() / STEPS, 1e-12)
    place = np.floor(value / step).astype(int)
    first = int(place.min())
    place -= first
    above = np.cumsum(np.bincount(place, np.maximum(excess, 0))[::-1])[::-1]  # from this place on
    below = np.cumsum(np.bincount(place, weight)) * draws
    top = int(np.searchsorted(-above, -little))  # the first place from which on little is above
    low = int(np.searchsorted(below, FAR, side="right"))
    value = np.maximum(value, min(low + first, 0) * step)
    keep = place < max(top, 1)
    outside += float(np.maximum(excess[~keep], 0).sum())
    return value[keep], weight[keep], outside


def leaned(law: Mapping[Point, float], tilt: Tilt) -> tuple[Mapping[Point, float], float]:
    """A law times e^(tilt . y), its weights made to sum to 1, and the logarithm of what they were the parts of."""
    weights = {p: w * exp(sum(s * c for s, c in zip(tilt, p, strict=False))) for p, w in shares(law).items()}
    mass = sum(weights.values())
    return {p: w / mass for p, w in weights.items()}, log(mass)


def reach_for(delta: Fraction) -> float:
    """Standard deviations, in halves, within which is what tells a delta of about this size."""
    return min(float(ceil(2 * (2 * (log(REACHED) - log_of(delta))) ** 0.5)) / 2, REACH)


def as_float(eps: Eps) -> float:
    """eps, about."""
    return float(eps.enclosure(17)[0])


def log_of(number: Fraction) -> float:
    """The logarithm of a positive rational, however small."""
    if not number:
        return -inf
    up, down = number.numerator, number.denominator
    more = [max(0, x.bit_length() - 900) for x in (up, down)]
    return log(up >> more[0]) - log(down >> more[1]) + (more[0] - more[1]) * log(2)


def shares(law: Mapping[Point, Any]) -> dict[Point, float]:
    """A law in floats, however large its weights are."""
    unit = sum(law.values())
    return {point: float(weight / unit) for point, weight in law.items()}


def variance(law: Mapping[Point, float], i: int) -> float:
    """The variance of a coordinate."""
    law = shares(law)
    mean = sum(point[i] * w for point, w in law.items())
    return sum((point[i] - mean) ** 2 * w for point, w in law.items())


def covariance(law: Mapping[Point, float]) -> Any:
    """The covariances of the coordinates."""
    points, weights = np.array(list(law), float), np.array(list(shares(law).values()))
    points = points - weights @ points
    return (points * weights[:, None]).T @ points


def mean(law: Mapping[Point, float]) -> Any:
    """The means of the coordinates."""
    return np.array(list(shares(law).values())) @ np.array(list(law), float)


def normal(square: float, eps: float) -> float:
    """delta(eps) of a normal distribution against its shift by sqrt(square) standard deviations."""
    if not square or square == float("inf"):
        return 0.0
    shift = square**0.5
    return _above(eps / shift - shift / 2) - exp(min(eps, 700.0)) * _above(eps / shift + shift / 2)


def _above(x: float) -> float:
    return erfc(x / 2**0.5) / 2
