"""Real numbers with noise of a log-concave density: bounds for a continuum of inputs, by cells of inputs and outputs.

A user with x in [0, 1] sends y of density v_x(y), a symmetric density moved by x. log v_x(y) is concave in x, of slope
at most s_o for y in a cell o of outputs. The user who changes holds x (density p) or x' (q), t = e^eps.

*Other users on a grid.* Let z = E Z for Z one of its two neighbours on a grid of inputs, h apart. Then on o
E v_Z <= v_z e^(s_o^2 h^2 / 8): by concavity v_Z <= v_z e^(s (Z - z)) with |s| <= s_o, and by Hoeffding's lemma. So
with w_k = v_k e^(-s_o^2 h_k^2 / 8) on o, h_k the larger step beside the k-th point, of mass 1 - c_k, and c the largest
c_k, v_z is a mixture of the laws w_k / (1 - c_k), with weight 1 - c in all, and of something else. Let it be seen which
users drew from the latter, and what they sent. Fewer others hide less, so for any r

    D_t <= Pr[Bin(n - 1, c) > r] + D_t with n - 1 - r others who draw from the laws w_k / (1 - c_k).

*The exchange.* By lemmas 1 and 2 of likelihood_orbits.py, with 1 / A <= 1 / (N (1 - eta_-)), for N such others

    D_t <= rho + E max(sum_j X_j, 0) / (N (1 - eta_-)),   X_j = l_j (1 + (g_j - gamma_j) / N) + kappa |l_j|.

Let Z_j = l_j (1 + g_j / N) + kappa' |l_j| with kappa' = (kappa + g_+^2 / N^2) / (1 - g_+ / N): then X_j is at most
(1 - gamma_j / N) Z_j. The right side is convex in p - t q, and rises in each X_j.

*The user who changes, on the grid.* Let x = E Z as above, m = E v_Z, and v_x = m (1 + rho(y)). On a cell rho is between
-fall, fall = 1 - e^(-s_o^2 h^2 / 8), and rise. Then v_x is the mean of u_Z, u_i = v_i (1 + rho) - e_i v_x, e_i the
integral of v_i (1 + rho) minus 1: the e_i have mean 0. By convexity x may be taken to send a u_i, of total 1, between
v_i (1 - fall - |e| b) and v_i (1 + rise + |e| b) with b >= v_x / v_i on the cell. So may x'.

*The law of largest calls.* E max(sum X_j, 0) grows when the law of an X_j is replaced by one with a larger call
function E max(X - k, 0) for all k: for fixed others it is an integral of such functions. For each group of grid points
z let U(k) be an upper bound on the call functions of Z_j over z in the group and a class of pairs of grid points beside
some x <= x' (x > x' is the mirror image: the inputs 1 - z). At some points k_0 < .. < k_m, the lower convex hull of
the points (k_i, U(k_i)) is no smaller than the call functions of all those max(min(Z, k_m), k_0), and is that of a law
on the k_i. The rest costs U(k_m): max(sum, 0) grows by at most the sum of max(Z_j - k_m, 0). A factor 1 - gamma / N
makes call functions at k >= 0 smaller, and puts below; the mean, below 0, becomes (1 - g_+ / N) of it at most.

On a cell the ratio l = (u_i - t u_i') / w_k has a mean D / W + k and is within B / W of it: the integral of
max(l - k, 0) w_k over the cell is at most max(0, D, (D + B) / 2).

*The sum* is bounded by lemma 3 there, M_k those of the groups' laws; the bound is the largest of all classes.
Masses are integers over 2^42, rounded outwards; all else is rational or in balls.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from math import asinh, ceil, exp, floor, inf, sinh, sqrt
from typing import Any

import numpy
from flint import arb, fmpq

from shufflecert.protocols.shared.likelihood_orbits import line
from shufflecert.protocols.shared.saddle_point import NEARBY, ROUGHER, guess_line, near_to, padded, saddle
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, ceiling_of, dyadic, floor_of, precision

UNIT = 42  # bits of masses
WIDEST = 2.0**62  # of products of integers
CALL = 64  # of call functions
FACTORS = 18  # bits of the factors 1 + g / N
BEND = 24  # bits of the logarithms of ratios
BITS = 160  # of balls
FEWEST = 100  # users
POINTS = 120  # of a call function
LITTLE = 100  # of the bound, one part
CUTS = 1  # bits between the ends of laws that are tried
CUT = 1e-10  # of a call, where a law ends
FAR = 1 << 18  # of points, in steps
CAP = Fraction(2)  # of g
LEVELS = (20, 30, 50, 100, 200)  # minus the logarithm of rho, about: the first that is little beside the rest
Cell = tuple[Fraction | None, Fraction | None]
Array = numpy.ndarray[Any, numpy.dtype[Any]]


class Moved(ABC):
    """A symmetric log-concave density, moved by inputs in [0, 1], on cells of outputs, as balls."""

    @property
    @abstractmethod
    def grid(self) -> Sequence[Fraction]:
        """The grid of inputs, from 0 to 1, symmetric about 1/2, which is on it: finer at the ends, where it counts."""

    @property
    @abstractmethod
    def cells(self) -> Sequence[Cell]:
        """The cells of outputs: intervals, None for no end. Together the line, or all of it but for `beyond`."""

    @property
    @abstractmethod
    def shown(self) -> Sequence[Cell]:
        """The cells that a dataset is shown by: the whole line."""

    @abstractmethod
    def mass(self, x: Fraction, cell: Cell) -> arb:
        """The probability of a cell on input x."""

    @abstractmethod
    def slope(self, cell: Cell) -> arb:
        """s_o, of log v_x in x."""

    @abstractmethod
    def rise(self, i: int, cell: Cell) -> arb:
        """An upper bound on v_z / m - 1 on the cell for z that have the i-th point of the grid for a neighbour."""

    def step(self, i: int) -> Fraction:
        """How far the i-th point of the grid is from a neighbour, at most."""
        near = self.grid[max(0, i - 1) : i + 2]
        return max(after - before for before, after in pairwise(near))

    @abstractmethod
    def bends(self) -> Array:
        """For x, z of the grid and all cells, how far log(v_x / v_z) is from the logarithm of the ratio of the two
        masses on the cell, at most: integers over 2^BEND, rounded up."""

    @abstractmethod
    def beyond(self) -> arb:
        """The probability of no cell, for the worst input."""

    @cached_property
    def tables(self) -> "Tables":
        """The masses on the grids."""
        return Tables.of(self)


@dataclass(frozen=True)
class Tables:
    """Masses as integers over 2^UNIT, arrays over (input, cell): what does not depend on n or eps."""

    low: Array  # of the user who changes, every u_i
    high: Array
    others: Array  # of the laws of others, from below
    seen: Fraction  # c
    spread: Array  # (input, other, cell): e^bend - 1
    reference: Array  # (other, cell): the mean of g, its least and its largest value, in three arrays, as floats up
    beyond: Fraction

    @classmethod
    def of(cls, density: Moved) -> "Tables":
        """All of it, of a density."""
        with precision(BITS):
            return cls._of(density)

    @classmethod
    def _of(cls, density: Moved) -> "Tables":
        cells, grid = density.cells, density.grid
        slopes, outside = [density.slope(cell) for cell in cells], density.beyond()
        own = [[density.mass(x, cell) for cell in cells] for x in grid]
        kept, low, high = list[list[arb]](), list[list[arb]](), list[list[arb]]()
        for i, row in enumerate(own):
            step = ball(density.step(i))
            damp = [(-((s * step) ** 2) / 8).exp() for s in slopes]
            rise = [density.rise(i, cell) for cell in cells]
            error = sum((v * (1 - d).max(r) for v, d, r in zip(row, damp, rise, strict=True)), outside)
            more = [error * (s * step).exp() / (1 - outside) for s in slopes]
            kept.append([v * d for v, d in zip(row, damp, strict=True)])
            low.append([v * (d - m) for v, d, m in zip(row, damp, more, strict=True)])
            high.append([v * (1 + r + m) for v, r, m in zip(row, rise, more, strict=True)])
        masses = [sum(row, arb(0)) for row in kept]
        seen = max(Fraction(0), 1 - min(floor_of(mass) for mass in masses))
        laws = [[v / mass for v in row] for row, mass in zip(kept, masses, strict=True)]
        centre = own[len(grid) // 2]
        caps = [min(Fraction(1), CAP * min(near(law[o]) for law in laws) / near(centre[o])) for o in range(len(cells))]
        whole = sum((v * ball(cap) for v, cap in zip(centre, caps, strict=True)), arb(0))
        bends = density.bends()
        bent = [[arb(int(bend)) / (1 << BEND) for bend in row] for row in bends[len(grid) // 2]]
        mean = [[v * ball(cap) / (whole * w) for v, cap, w in zip(centre, caps, law, strict=True)] for law in laws]
        least, most = (
            [
                [g * (sign * bend).exp() for g, bend in zip(row, half, strict=True)]
                for row, half in zip(mean, bent, strict=True)
            ]
            for sign in (-1, 1)
        )
        factor = 1 << FACTORS
        values, places = numpy.unique(bends, return_inverse=True)
        spread = whole_numbers([[(arb(int(bend)) / (1 << BEND)).expm1() for bend in values]], True, factor)[0]
        return cls(
            whole_numbers(low, False),
            whole_numbers(high, True),
            whole_numbers(laws, False),
            seen,
            spread[places].reshape(bends.shape),
            numpy.array(
                [whole_numbers(row, up, factor) for row, up in ((mean, True), (least, False), (most, True))],
            ),
            ceiling_of(outside),
        )


def grid_of(first: Fraction, most: Fraction) -> tuple[Fraction, ...]:
    """A grid of [0, 1] that is symmetric about 1/2: steps from `first` on, each up to 3/2 of the last, to `most`."""
    half, step, at = [Fraction(0)], first, first
    while at + step / 4 < Fraction(1, 2):
        half.append(at)
        step = min(step * 3 / 2, most)
        at += step
    return (*half, Fraction(1, 2), *(1 - x for x in reversed(half)))


def up(number: Fraction) -> int:
    """The number over 2^-BEND, rounded up."""
    return ceil(number * (1 << BEND))


def near(number: arb) -> Fraction:
    """A rational near a number."""
    return dyadic(number.mid())


def whole_numbers(rows: Sequence[Sequence[arb]], up: bool, unit: int = 1 << UNIT) -> Array:
    """The numbers over 1 / unit, rounded up or down."""
    sign = 1 if up else -1
    found = [[sign * int(str((sign * number * unit).upper().ceil().unique_fmpz())) for number in row] for row in rows]
    return numpy.array(found, dtype=numpy.int64)


# The bound -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Crowd:
    """N others who are on the grid, and what their messages exchange: eta_-, rho, kappa' and g_+."""

    size: int
    lost: Fraction  # the probability that fewer are left, or that the sum of the g is elsewhere
    short: Fraction  # eta_-
    bend: Fraction  # kappa'
    most: Fraction  # g_+

    @classmethod
    def of(cls, tables: Tables, others: int, level: int) -> "Crowd | None":
        """Of so many others, `lost` being about e^-level; None where they are too few."""
        mean = others * float(tables.seen)
        gone = ceil(mean + sqrt(2 * level * mean) + level / 3) if mean else 0
        size = others - gone
        if size < 2:
            return None
        unit = 1 << FACTORS
        most = Fraction(int(tables.reference[2].max()), unit)
        apart = Fraction(int((tables.reference[2].max(axis=1) - tables.reference[1].min(axis=1)).max()), unit)
        ends, lost = [], chance_gone(others, tables.seen, gone)
        for sign in (-1, 1):
            tilt, eta = guess_apart(tables, size, sign, level)
            lost += chance_apart(tables, size, sign, eta, tilt)
            ends.append(eta + apart / size)
        room = size * (1 - ends[0]) - apart
        if room <= size * Fraction(1, 4) or most >= size:
            return None
        kappa = apart * (size * max(ends) + apart) / (size * room)
        return cls(size, lost, ends[0], (kappa + most**2 / size**2) / (1 - most / size), most)


def guess_apart(tables: Tables, size: int, sign: int, level: int) -> tuple[Fraction, Fraction]:
    """A guess at the tilt and the least eta with which `chance_apart` is e^-level."""
    means, weights = tables.reference[0] / (1 << FACTORS), tables.others / (1 << UNIT)
    variance = max(float(((means - 1) ** 2 * weights).sum(1).max()), 1e-12)
    found = []
    for i in range(-20, 21):
        tilt = sqrt(2 * level / (variance * size)) * 1.08**i
        top = numpy.log((weights * numpy.exp(sign * tilt * (means - 1))).sum(1)).max()
        found.append(((float(top) + level / size) / tilt, tilt))
    eta, tilt = min(found)
    return Fraction(tilt), Fraction(eta * 1.0001)


def chance_gone(others: int, seen: Fraction, gone: int) -> Fraction:
    """An upper bound on Pr[Bin(others, seen) > gone], by Chernoff's inequality."""
    if not seen or gone >= others:
        return Fraction(0)
    at = Fraction(gone + 1, others)
    if at <= seen:
        return Fraction(1)
    with precision(BITS):
        exponent = ball(at) * ball(at / seen).log()
        if at < 1:
            exponent += ball(1 - at) * ball((1 - at) / (1 - seen)).log()
        return min(Fraction(1), ceiling_of((-others * exponent).exp()))


def chance_apart(tables: Tables, size: int, sign: int, eta: Fraction, tilt: Fraction) -> Fraction:
    """An upper bound on Pr[sum of g - size beyond sign eta size], by Chernoff's inequality at `tilt`.

    On a cell g has a mean and is within r of it: E e^(s (g - mean)) <= cosh(s r) <= e^(s^2 r^2 / 2). The masses are
    rounded down: what is missing of the law's is put on the largest value.
    """
    unit, worst = 1 << FACTORS, arb(0)
    with precision(96):
        for k in range(len(tables.others)):
            total, left = arb(0), 1 << UNIT
            top = arb(0)
            for weight, mean, low, high in zip(tables.others[k], *tables.reference[:, k], strict=True):
                apart = Fraction(int(max(high - mean + 1, mean - low)), unit)
                at = Fraction(int(mean) - (sign < 0), unit)
                value = (sign * ball(tilt * at) + ball(tilt * apart) ** 2 / 2).exp()
                total += int(weight) * value
                left -= int(weight)
                top = top.max(value)
            worst = worst.max((total + left * top) / (1 << UNIT))
        found = (size * (worst.log() - ball(tilt * (sign + eta)))).exp()
        return min(Fraction(1), ceiling_of(found)) if found.is_finite() else Fraction(1)


@lru_cache(maxsize=64)
def moved_bound(density: Moved, n: int, eps: Eps, enough: Fraction = Fraction(0)) -> Fraction | None:
    """An upper bound on delta(eps) over all datasets of n users with inputs in [0, 1], rounded up; None: too few.

    What is at most `enough` is not brought closer.
    """
    t, best = eps.bounds(128)[0], Fraction(1)
    if n < FEWEST or t >= 1 << 8:
        return None
    for level in LEVELS:
        crowd = crowd_of(density, n - 1, level)
        if crowd is None:
            break
        best = min(best, crowd_bound(density.tables, crowd, t, enough))
        if crowd.lost * LITTLE < best:
            break
    return best if best < 1 else None


def crowd_bound(tables: Tables, crowd: Crowd, t: Fraction, enough: Fraction = Fraction(0)) -> Fraction:
    """The bound with this crowd, over all classes of pairs: the largest, others being shown to be smaller, or `enough`.

    1 where masses times ratios do not fit into 64 bits.
    """
    found, looked = arb(0), list[tuple[float, int, list[Hull], float, float]]()
    try:
        calls = Calls.of(tables, crowd, t)
    except OverflowError:
        return Fraction(1)
    cut, size = calls.guess_cut(crowd.size), crowd.size
    for kind in range(calls.classes):
        hulls = calls.hulls(kind, cut)
        guess = saddle([hull.rough for hull in hulls], size)
        if guess is None:
            return Fraction(1)
        theta, spread, value = guess
        looked.append((value, kind, hulls, theta, spread))
    with precision(96 + 2 * size.bit_length()):
        least = ball(enough - tables.beyond - crowd.lost) * ball(1 - crowd.short)
        for i, (_, _, hulls, theta, spread) in enumerate(sorted(looked, key=lambda one: (-one[0], one[1]))):
            rest = ball(max(hull.rest for hull in hulls))
            bound = rest + chernoff(hulls, size, arb(theta)) / size
            if not (bound < found or bound < least):
                laws = [hull.law for hull in hulls]
                theta = near_to(theta, laws, size, spread)
                for rough in ROUGHER if i else (1,):
                    bound = rest + line(laws, size, theta, spread, rough) / size
                    if bound < found or bound < least:
                        break
            found = found.max(bound)
        total = ball(tables.beyond + crowd.lost) + found / ball(1 - crowd.short)
        return min(ceiling_of(total), Fraction(1)) if total.is_finite() else Fraction(1)


@dataclass(frozen=True)
class Hull:
    """A law by its call function: the lower convex hull of `heights`, over 2^CALL, at `places`, over 2^scale.

    The first height is at a place where the calls fall by 1 a unit, the last is 0; `rest` is the call there.
    """

    places: list[int]
    heights: list[int]
    scale: int
    rest: Fraction

    @property
    def rough(self) -> list[tuple[float, float]]:
        """The law (weight, value), in floats, for a guess."""
        unit = float(1 << (CALL - self.scale))
        rises = [rise / (apart * unit) for rise, apart in self.steps]
        weights = [after - before for before, after in pairwise([-1.0, *rises, 0.0])]
        return [(w, k / (1 << self.scale)) for w, k in zip(weights, self.places, strict=True) if w > 0]

    @property
    def steps(self) -> list[tuple[int, int]]:
        """From one place to the next: (the rise of the heights, how far the next place is)."""
        return [(b - a, y - x) for (a, x), (b, y) in pairwise(zip(self.heights, self.places, strict=True))]

    @cached_property
    def weights(self) -> list[fmpq]:
        """The weights of the places."""
        unit = 1 << (CALL - self.scale)
        rises = [fmpq(rise, apart * unit) for rise, apart in self.steps]
        return [after - before for before, after in pairwise([fmpq(-1), *rises, fmpq(0)])]

    @property
    def law(self) -> list[tuple[fmpq, fmpq]]:
        """The law (weight, value)."""
        return [(w, fmpq(k, 1 << self.scale)) for w, k in zip(self.weights, self.places, strict=True) if w]


def chernoff(hulls: list[Hull], size: int, theta: arb) -> arb:
    """E max(sum, 0) <= E e^(theta sum) / (e theta)."""
    worst, powers = arb(0), dict[int, arb]()
    for hull in hulls:
        for k in hull.places:
            if k not in powers:
                powers[k] = (theta * k / (1 << hull.scale)).exp()
        worst = worst.max(sum((arb(w) * powers[k] for w, k in zip(hull.weights, hull.places, strict=True)), arb(0)))
    return (size * worst.log() - 1).exp() / theta


@lru_cache(maxsize=64)
def crowd_of(density: Moved, others: int, level: int) -> Crowd | None:
    """The crowd of so many others."""
    return Crowd.of(density.tables, others, level)


def groups(many: int) -> list[range]:
    """Grid points whose laws are merged: towards the middle, where bounds are smaller, ever more of them."""
    found, first = list[range](), 0
    while 2 * (first + (size := 1 + first // 6)) <= many:
        found += [range(first, first + size), range(many - first - size, many - first)]
        first += size
    return [*found, range(first, many - first)] if first < many - first else found


def kinds_of(inputs: int) -> tuple[Array, Array, list[int]]:
    """The pairs of grid points beside x <= x', by how far i is from the first and j from the last; and where classes
    begin. Of x, x' between the same two points, the later may stand for x and the earlier for x'."""
    ends = [end for end in (2, inputs // 5, inputs // 3) if end > 1]

    def place(i: int) -> int:
        return sum(i >= end for end in ends)

    pairs = sorted((place(i), place(inputs - 1 - j), i, j) for i in range(inputs) for j in range(max(0, i - 1), inputs))
    starts = [k for k, pair in enumerate(pairs) if not k or pair[:2] != pairs[k - 1][:2]]
    return numpy.array([p[2] for p in pairs]), numpy.array([p[3] for p in pairs]), starts


@dataclass(frozen=True)
class Calls:
    """Bounds on the call functions of Z for one t: at `points` k over 2^scale, for each other and class of pairs."""

    points: list[int]
    scale: int
    values: list[list[list[int]]]  # [other][point][class], over 2^CALL

    @classmethod
    def of(cls, tables: Tables, crowd: Crowd, t: Fraction) -> "Calls":
        """All of them."""
        one, factor, size = 1 << UNIT, 1 << FACTORS, crowd.size
        inputs = len(tables.low)
        first, last, starts = kinds_of(inputs)
        sold = scaled(tables.low, t, up=False), scaled(tables.high, t, up=True)
        points, scale = cls._points(tables, float(t))
        own, owned = tables.high[first] - sold[0][last], sold[1][last] - tables.low[first]
        values = list[list[list[int]]]()
        for k, weights in enumerate(tables.others):
            top = tables.reference[2, k]
            plus = ratio_up(top, size) + ceil(crowd.bend * factor)
            less = ratio_up(top, size) - floor(crowd.bend * factor)
            bought = first_above(product(tables.high, tables.spread[:, k]), factor)
            lent = first_above(product((sold[1] >> 8) + 1, tables.spread[:, k]), factor >> 8)
            apart = bought[first] + lent[last] + 1
            apart += first_above(product(apart, plus), factor)
            gain = own + numpy.where(own > 0, first_above(product(own, plus), factor), 0)
            turned = first_above(product(owned, less), factor)
            pain = owned + numpy.where(owned > 0, turned, numpy.maximum(turned, 0))
            shift = cls._shift(tables, crowd, k, sold)
            mean = (1 - t + t * tables.beyond) + Fraction(shift, one)
            mean = mean * (1 - crowd.most / size) if mean < 0 else mean
            row, more, most = list[list[int]](), numpy.empty_like(gain), numpy.empty_like(gain)
            for point in points:
                side = gain if point >= 0 else pain
                numpy.subtract(side, (abs(point) * weights) >> scale, out=more)
                numpy.maximum(more, apart, out=most)
                numpy.add(more, most, out=more)
                held = numpy.maximum.reduceat(numpy.maximum(more, 0, out=more).sum(axis=1), starts)
                moved = Fraction(0) if point >= 0 else mean - Fraction(point, 1 << scale)
                first_part = ceil(moved * (1 << CALL))
                row.append([(int(value) << (CALL - UNIT - 1)) + first_part for value in held])
            values.append(row)
        return cls(points, scale, values)

    @staticmethod
    def _shift(tables: Tables, crowd: Crowd, k: int, sold: tuple[Array, Array]) -> int:
        """An upper bound on E Z - E l over 2^-UNIT, over all pairs."""
        low, high = tables.reference[1, k].astype(object), tables.reference[2, k].astype(object)
        divisor, bend = crowd.size << FACTORS, crowd.bend
        first = (tables.high.astype(object) * high).sum(axis=1)
        second = (sold[0].astype(object) * low).sum(axis=1)
        most = int(tables.high.astype(object).sum(axis=1).max() + sold[1].astype(object).sum(axis=1).max())
        pairs = int(max(first)) - int(min(second))
        return -(-pairs // divisor) + ceil(bend * most)

    @staticmethod
    def _points(tables: Tables, t: float) -> tuple[list[int], int]:
        """A guess at good points: dense near 0 and at both bounds of what the ends of the inputs attain."""
        weights = tables.others / (1 << UNIT)
        most = (tables.high[:, None] * (1 + tables.spread / (1 << FACTORS))).max(axis=0) / (1 << UNIT)
        least = tables.low.min(axis=0) / (1 << UNIT)
        ends, size = [0.0, 0.0], 0.0
        for k, law in enumerate(weights):
            used = law > 1e-11
            for i, (factor, other) in enumerate(((t, 1.0), (1.0, t))):
                value = (factor * most[k] - other * least)[used] / law[used]
                order = numpy.argsort(-value)
                above = numpy.cumsum((factor * most[k])[used][order]) < CUT
                ends[i] = max(ends[i], float(value[order][min(int(above.sum()), len(order) - 1)]))
            value = (tables.high[0] - t * tables.high[-1])[used] / (1 << UNIT) / law[used]
            size = max(size, sqrt(float((law[used] * value**2).sum())))
        scale = max(0, 18 - ceil(max(ends)).bit_length())
        wide = [asinh(4 * end / size) for end in ends]
        steps = [-wide[0] + (wide[0] + wide[1]) * i / POINTS for i in range(POINTS + 1)]
        places = [round(sinh(step) * size / 4 * 1.01 * (1 << scale)) for step in steps]
        places = [max(-FAR, min(FAR, place)) for place in places]
        return sorted({*places, 0, places[0] - 1, places[-1] + 1}), scale

    @property
    def classes(self) -> int:
        """How many classes of pairs there are."""
        return len(self.values[0][0])

    def guess_cut(self, size: int) -> Fraction:
        """A guess at the call at which laws best end: what is beyond costs as much, but makes large theta dear."""
        best, before = (inf, Fraction(0)), -1.0
        columns = [self.largest(group, 0) for group in groups(len(self.values))]
        if not max(column[-1] for column in columns):
            return Fraction(0)
        for cut in (Fraction(0), *(Fraction(1, 2**i) for i in range(44, 13, -CUTS))):
            found = [self.hull(column, cut) for column in columns]
            rest = float(max(hull.rest for hull in found))
            if rest == before or rest > best[0]:
                continue
            before, laws = rest, [hull.rough for hull in found]
            if (guess := saddle(laws, size)) is not None and guess[2] < 1:
                height = min(guess_line(*padded(laws), size, guess[0] * f, guess[1]) for f in NEARBY)
                best = min(best, (exp(height) / size + rest, cut))
        return best[1]

    def hulls(self, kind: int, cut: Fraction) -> list[Hull]:
        """The laws of largest calls of a class of pairs, one for each group of others, and the largest call at an end,
        the first that is at most `cut`, or the last."""
        return [self.hull(self.largest(group, kind), cut) for group in groups(len(self.values))]

    def largest(self, group: range, kind: int) -> list[int]:
        """The largest calls of a group of others, at each point."""
        return [max(column) for column in zip(*([row[kind] for row in self.values[k]] for k in group), strict=True)]

    def hull(self, column: list[int], cut: Fraction) -> Hull:
        """The law of the largest calls of a group of others, with an end at the first that is at most `cut`."""
        least = int(cut * (1 << CALL))
        last = next((i for i, value in enumerate(column) if value <= least), len(column) - 1)
        places = self.points[: last + 1]
        heights = convex([*column[:last], 0], places, 1 << (CALL - self.scale))
        chosen = below(heights, places)
        return Hull(
            [places[i] for i in chosen], [heights[i] for i in chosen], self.scale, Fraction(column[last], 1 << CALL)
        )


def convex(heights: list[int], places: list[int], unit: int) -> list[int]:
    """Calls that fall nowhere faster than by 1: no less than those that are given."""
    return [max(height, heights[0] + (places[0] - k) * unit) for height, k in zip(heights, places, strict=True)]


def below(heights: list[int], places: list[int]) -> list[int]:
    """The points of the lower convex hull."""
    hull = list[int]()
    for i in range(len(places)):
        while len(hull) > 1 and (heights[hull[-1]] - heights[hull[-2]]) * (places[i] - places[hull[-1]]) >= (
            heights[i] - heights[hull[-1]]
        ) * (places[hull[-1]] - places[hull[-2]]):
            hull.pop()
        hull.append(i)
    return hull


def scaled(masses: Array, t: Fraction, up: bool) -> Array:
    """Masses times t, rounded."""
    exact = masses.astype(object) * t.numerator
    return numpy.array(-(-exact // t.denominator) if up else exact // t.denominator, dtype=numpy.int64)


def ratio_up(values: Array, size: int) -> Array:
    """Values over a number, rounded up."""
    return -(-values // size)


def product(one: Array, other: Array) -> Array:
    """The product of two arrays of integers. Raises OverflowError where it may not fit into 64 bits."""
    if numpy.abs(one.astype(float) * other).max() >= WIDEST:
        raise OverflowError("masses times ratios are beyond 64 bits")
    found: Array = one * other
    return found


def first_above(products: Array, factor: int) -> Array:
    """Products over a power of two, rounded up."""
    return -(-products // factor)
