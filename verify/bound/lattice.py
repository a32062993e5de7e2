"""Powers and products of pairs of laws on a lattice of ratios: delta(eps) of many runs, between two certain ends.

The ratio P/Q of an outcome at place j of the lattice is step^j. Both ends are post-processings:

    above   An atom (p, q), step^j <= p/q <= step^(j+1), is split between the places j and j+1 so that the totals p and
            q stay: merging the two gives it back. At a place only P's weight is kept; it may be rounded up, and moved
            to larger ratios, also to infinity (q = 0).
    below   An atom goes to j or to j+1 by a random choice, the same for P and Q. P's weights are kept from below, Q's
            from above; what is left out is no part of the event.

A product of pairs is a convolution of such arrays, of integers, rounded outwards. Where they get longer than `cells`,
step becomes step^2: above, odd places are split again, 1/(step + 1) of their P weight down and the rest up; below, they
go either way with probability 1/2. Weights are tilted, by tilt^j, so that those that decide are the large ones. The
width falls as cells^-2. `verify/CERTIFICATE.md` (Compositions) proves it, and the kernel walks the same steps.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

from flint import fmpz, fmpz_poly

from shufflecert.verify.bound.lattice_guess import GRAIN, Grid, Part, guessed, more_cells
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.windowed import Atoms

Power = tuple[int, int]  # m, e: the number m 2^e

CUT, SHARP = 52, 128  # bits of what is cut off at the ends, of powers
ROOM = 40  # bits below the answer, of what all runs may move to infinity at each step
FEWEST, MOST = 1 << 9, 1 << 18  # cells that are tried
SHARE = 1 << 16  # parts of a random choice


@dataclass(frozen=True)
class Array:
    """A pair on the lattice after `level` doublings of its step, from place `first` on.

    P = p[i] tilt^-(2^level j) 2^-e from above and `beyond` 2^-width of it at infinity; or with q from below, and Q =
    q[i] (tilt step)^-(2^level j) 2^-f from above, j = first + i.
    """

    level: int
    first: int
    p: list[fmpz]
    e: int
    beyond: int
    q: list[fmpz] | None = None
    f: int = 0
    runs: int = 1

    @cached_property
    def polynomials(self) -> tuple[fmpz_poly, fmpz_poly | None]:
        """The arrays as polynomials."""
        return fmpz_poly(self.p), None if self.q is None else fmpz_poly(self.q)


def delta(parts: Sequence[Part], eps: Eps, grid: Grid, upper: bool, size: Fraction) -> Fraction:
    """delta(eps) of the product of all pairs, each so many times, from above or from below, by this lattice.

    `size` is about as large as the answer, for its bits. Raises Undecided where the lattice is too small for one pair.
    """
    runs = sum(times for _, times in parts)
    small = max(size.denominator.bit_length() - max(size.numerator, 1).bit_length(), 0)
    width = GRAIN + 32 + 2 * small + 2 * runs.bit_length()
    work = _Lattice(grid, upper, width, int(size * 2 ** (width - ROOM)) // runs)
    found: Array | None = None
    for pair, times in parts:
        one = work.repeated(work.start(pair.atoms(width)), times)
        found = one if found is None else work.joined(found, one)
    assert found is not None
    return Fraction(max(work.delta(found, eps), 0), 1 << width)


def enclosed(parts: Sequence[Part], eps: Eps, digits: int, cells: int = MOST) -> tuple[Interval, Grid]:
    """delta(eps) of the product, to so many significant digits where that many cells are enough, and the lattice."""
    known, count = Interval(Fraction(0), Fraction(1)), FEWEST
    while True:
        grid, size = guessed(parts, eps, count)
        try:
            low = max(known.low, delta(parts, eps, grid, False, known.low or size))
            known = Interval(low, max(min(known.high, delta(parts, eps, grid, True, low or size)), low))
        except Undecided:
            if count >= cells:
                raise
        if count >= cells or (known.high - known.low) * 10**digits <= known.low:
            return known, grid
        count = min(more_cells(known, digits, count), cells)


def _power(base: Fraction, n: int, rise: bool) -> Power:
    """base^n for an integer n, rounded up or down."""
    a, b = base.as_integer_ratio()
    a, b = (a, b) if n >= 0 else (b, a)
    shift = SHARP + max(b.bit_length() - a.bit_length(), 0)
    one, total = (-(-(a << shift) // b) if rise else (a << shift) // b, -shift), (1, 0)
    for bit in f"{abs(n):b}":
        total = _times(total, total, rise)
        total = _times(total, one, rise) if bit == "1" else total
    return total


def _times(x: Power, y: Power, rise: bool) -> Power:
    m = x[0] * y[0]
    shift = max(m.bit_length() - SHARP, 0)
    return (-(-m >> shift) if rise else m >> shift), x[1] + y[1] + shift


def _fixed(x: Power, width: int, rise: bool) -> int:
    """x 2^width, rounded up or down to an integer."""
    shift = x[1] + width
    return x[0] << shift if shift >= 0 else -(-x[0] >> -shift) if rise else x[0] >> -shift


class _Lattice:
    """The steps of one evaluation, from above or from below."""

    def __init__(self, grid: Grid, upper: bool, width: int, room: int):
        self.grid, self.upper, self.width, self.both = grid, upper, width, grid.tilt * grid.step
        self.room = room  # for each run, over 2^width
        self.lows, self.highs = [1 << SHARP], [1 << SHARP]  # powers of the step, over 2^SHARP

    def place(self, p: int, q: int) -> int:
        """The least j with p/q <= step^(j + 1) for certain, or about so beyond the cells."""
        a, b = self.grid.step.as_integer_ratio()
        most, least = max(p, q) << SHARP, min(p, q)
        while len(self.lows) <= self.grid.cells and self.lows[-1] * least <= most:
            self.lows.append(self.lows[-1] * a // b)
            self.highs.append(-(-self.highs[-1] * a // b))
        if p > q:
            return bisect_left(self.lows, -(-(p << SHARP) // q)) - 1
        return -bisect_left(self.highs, (q << SHARP) // p + 1)

    def start(self, atoms: Atoms) -> Array:
        """A pair's atoms at places."""
        (a, b), cells, one = self.grid.step.as_integer_ratio(), self.grid.cells, 1 << SHARP
        shift = self.width - atoms.bits
        beyond = _fixed((atoms.outside[0], 0), shift, True) if self.upper else 0
        found, others = dict[int, int](), dict[int, int]()
        ends = zip(atoms.p[self.upper], atoms.q[not self.upper], strict=True)
        for p, q in ((int(p), int(q)) for p, q in ends if p):
            j = self.place(p, q) if q else cells
            if j >= cells and (self.upper or not q):
                beyond += _fixed((p, 0), shift, self.upper)
                continue
            j = min(j, cells)
            k = min(abs(j), len(self.lows) - 1)
            low, high = self.lows[k], self.highs[k]
            if j < 0:
                low, high = one * one // high, -(-one * one // low)
            if self.upper:
                above = max(-(-a * ((p << SHARP) - low * q) // (a - b)), 0)
                below = min(max(-(-(a * high * q - (b * p << SHARP)) // (a - b)), 0), p << SHARP)
                for at, weight in ((j, below), (j + 1, above)):
                    found[at] = found.get(at, 0) + weight
            else:
                share = min(max((((p << SHARP) - low * q) * b * SHARE) // max(low * q * (a - b), 1), 0), SHARE)
                for at, part in ((j, SHARE - share), (j + 1, share)):
                    found[at], others[at] = found.get(at, 0) + p * part, others.get(at, 0) + q * part
        places = range(min(found, default=0), max(found, default=0) + 1)
        if len(places) > 2 * cells + 4:
            raise Undecided("too few cells for one run")
        scale = atoms.bits + (SHARP if self.upper else SHARE.bit_length() - 1)
        p_side, e = self._tilted(found, places, self.grid.tilt, self.upper, scale)
        if self.upper:
            return self.within(Array(0, places[0], p_side, e, beyond))
        q_side, f = self._tilted(others, places, self.both, True, scale)
        return self.within(Array(0, places[0], p_side, e, beyond, q_side, f))

    def _tilted(
        self, weights: dict[int, int], places: range, tilt: Fraction, rise: bool, scale: int
    ) -> tuple[list[fmpz], int]:
        """Weights over 2^scale at places, tilted and rounded, and the exponent of what they are over."""
        factor, at, terms = _power(tilt, 1, rise), _power(tilt, places[0], rise), []
        for j in places:
            terms.append(_times((weights.get(j, 0), 0), at, rise))
            at = _times(at, factor, rise)
        shift = GRAIN + scale - max((m.bit_length() + e for m, e in terms if m), default=0)
        return [fmpz(_fixed(x, shift - scale, rise)) for x in terms], shift

    def within(self, x: Array) -> Array:
        """Without small ends, and with at most so many cells."""
        x = self.trimmed(x)
        while len(x.p) > self.grid.cells:
            x = self.coarser(x)
        return x

    def trimmed(self, x: Array) -> Array:
        """What is small at the ends: raised to the first place that stays, or to infinity; from below left out."""
        sides, n = [side for side in (x.p, x.q) if side is not None], 1 << x.level
        firsts, lasts = [], []
        for side in sides:
            least = max(int(max(side)) >> CUT, 1)
            firsts.append(next((i for i, w in enumerate(side) if w >= least), 0))
            lasts.append(next((i for i in range(len(side), 0, -1) if side[i - 1] >= least), 1))
        first, last = min(firsts), max(max(lasts), min(firsts) + 1)
        beyond = x.beyond
        if self.upper:
            last, more = len(x.p), 0
            rise, weight = _power(self.grid.tilt, n, True), _power(self.grid.tilt, -n * (x.first + last - 1), True)
            while last > first + 1:
                more += _fixed(_times((int(x.p[last - 1]), 0), weight, True), self.width - x.e, True)
                if more > self.room * x.runs:
                    break
                beyond, last, weight = x.beyond + more, last - 1, _times(weight, rise, True)
        kept = x.p[first:last]
        if self.upper:
            rise, weight, raised = _power(self.grid.tilt, n, True), (1, 0), 0
            for i in range(first - 1, -1, -1):
                weight = _times(weight, rise, True)
                raised += _fixed(_times((int(x.p[i]), 0), weight, True), 0, True)
            kept[0] += raised
        return replace(x, first=x.first + first, p=kept, beyond=beyond, q=x.q[first:last] if x.q else None)

    def coarser(self, x: Array) -> Array:
        """Step and tilt squared."""
        n, first, step, one = 1 << x.level, x.first, self.grid.step, 1 << SHARP
        if self.upper:  # 1/(g + 1) below, g/(g + 1) = 1/(1 + 1/g) above
            parts = [(-(-(one << SHARP) // (one + _fixed(_power(step, m, False), SHARP, False))), -SHARP)
                     for m in (n, -n)]
        else:
            parts = [(1, -1), (1, -1)]

        def halved(side: list[fmpz], tilt: Fraction, rise: bool) -> list[fmpz]:
            below, above = (fmpz(_fixed(_times(part, _power(tilt, at, rise), rise), SHARP, rise))
                            for part, at in zip(parts, (-n, n), strict=True))
            more = fmpz(one - 1 if rise else 0)
            side = [fmpz(0)] * (first % 2) + side
            side += [fmpz(0)] * (len(side) % 2)
            down = [(w * below + more) >> SHARP for w in side[1::2]]
            up = [(w * above + more) >> SHARP for w in side[1::2]]
            even = side[::2]
            inner = [a + b + c for a, b, c in zip(even[1:], down[1:], up, strict=False)]
            return [even[0] + down[0], *inner, up[-1]]

        q = None if x.q is None else halved(x.q, self.both, True)
        p = halved(x.p, self.grid.tilt, self.upper)
        return replace(x, level=x.level + 1, first=(first - first % 2) // 2, p=p, q=q)

    def joined(self, x: Array, y: Array) -> Array:
        """The product of two pairs."""
        while x.level < y.level:
            x = self.coarser(x)
        while y.level < x.level:
            y = self.coarser(y)
        sides: list[tuple[list[fmpz], int]] = []
        for a, b, rise in zip(x.polynomials, y.polynomials, (self.upper, True), strict=True):
            if a is None or b is None:
                continue
            whole = (a * b).coeffs() or [fmpz(0)]
            whole += [fmpz(0)] * (len(x.p) + len(y.p) - 1 - len(whole))
            shift = max(int(max(whole)).bit_length() - GRAIN, 0)
            more = fmpz((1 << shift) - 1 if rise else 0)
            sides.append(([(w + more) >> shift for w in whole], shift))
        one, two = (min(side.beyond, 1 << self.width) for side in (x, y))
        beyond = one + two - (one * two >> self.width if self.upper else -(-one * two >> self.width))
        e, runs = x.e + y.e - sides[0][1], x.runs + y.runs
        found = Array(x.level, x.first + y.first, sides[0][0], e, beyond, runs=runs)
        return self.within(found if self.upper else replace(found, q=sides[1][0], f=x.f + y.f - sides[1][1]))

    def repeated(self, x: Array, n: int) -> Array:
        """The product of n pairs, by doubling."""
        found = x
        for bit in f"{n:b}"[1:]:
            found = self.joined(found, found)
            if bit == "1":
                while x.level < found.level:
                    x = self.coarser(x)
                found = self.joined(found, x)
        return found

    def delta(self, x: Array, eps: Eps) -> int:
        """delta(eps) over 2^width."""
        ends, n, total, width, tilt = eps.bounds(SHARP), 1 << x.level, 0, self.width, self.grid.tilt
        low, high = ((end.numerator << SHARP) // end.denominator for end in ends)
        high += 1
        p_at, p_fall = _power(tilt, -n * x.first, self.upper), _power(tilt, -n, self.upper)
        g_at, g_fall = _power(self.grid.step, -n * x.first, False), _power(self.grid.step, -n, False)
        q_at, q_fall = _power(self.both, -n * x.first, True), _power(self.both, -n, True)
        for i, w in enumerate(x.p):
            if self.upper:
                near = g_at[0].bit_length() + g_at[1] < SHARP
                rest = (1 << SHARP) - (low * _fixed(g_at, SHARP, False) >> SHARP) if near else 0
                if rest > 0 and w:
                    total += _fixed(_times(_times((int(w), 0), p_at, True), (rest, -SHARP), True), width - x.e, True)
                g_at = _times(g_at, g_fall, False)
            else:
                assert x.q is not None
                if w:
                    mine = _fixed(_times((int(w), 0), p_at, False), width - x.e, False)
                    theirs = _fixed(_times((int(x.q[i]), 0), q_at, True), width - x.f, True)
                    total += max(mine - (-(-high * theirs >> SHARP)), 0)
                q_at = _times(q_at, q_fall, True)
            p_at = _times(p_at, p_fall, self.upper)
        return total + x.beyond
