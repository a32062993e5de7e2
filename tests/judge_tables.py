"""The judge's mechanisms: the pairs of laws that verify/CERTIFICATE.md defines, as tables on a window of outcomes.

Weights are integers over one denominator, summed from the definitions. What the window misses is 1 minus its own mass,
so no tail is estimated; only e^eps, e^-lam and (1 - p)^r are enclosed. It is for small parameters.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate
from math import comb, lcm, prod

from mpmath import iv, libmp

from tests import judge

MAX_ATOMS = 200_000  # of one table
MAX_CELLS = 700  # on one axis of a window
MAX_BITS = 500_000_000  # of a window's cells together
MAX_STRINGS = 60
MAX_SHIFT = 64
MAX_MEAN = 1000
MAX_DIGITS = 4000  # bits of a parameter
ZERO, ONE = Fraction(0), Fraction(1)


@dataclass(frozen=True)
class Table:
    """A pair of laws: atoms (a, b) of P and Q, integers to be multiplied by one number between `low` and `high`.

    `rest` is None where the atoms are everything; otherwise (least, most) possible P/Q of every outcome that is not
    among them, `most` None where no bound is known.
    """

    atoms: tuple
    low: Fraction
    high: Fraction
    rest: tuple | None = None

    @classmethod
    def of(cls, pairs, low=ONE, high=ONE, rest=None):
        """A table of pairs of Fractions."""
        pairs = list(pairs)
        unit = lcm(*(x.denominator for pair in pairs for x in pair))
        atoms = tuple(tuple(x.numerator * (unit // x.denominator) for x in pair) for pair in pairs)
        return cls(atoms, low / unit, high / unit, rest)

    def swapped(self):
        """Q against P."""
        rest = self.rest
        if rest is not None:
            rest = 1 / rest[1] if rest[1] else ZERO, 1 / rest[0] if rest[0] else None
        return Table(tuple((b, a) for a, b in self.atoms), self.low, self.high, rest)


def divergence(table, least, most):
    """An enclosure of sum max(P - t Q, 0), t between `least` and `most`."""
    sums = []
    for t in (most, least):
        top, bottom = t.numerator, t.denominator
        sums.append(Fraction(sum(max(a * bottom - b * top, 0) for a, b in table.atoms), bottom))
    low, high = sums[0] * table.low, sums[1] * table.high
    if table.rest is None or (table.rest[1] is not None and table.rest[1] <= least):
        return low, high
    a, b = (sum(column) for column in zip(*table.atoms, strict=True))
    p, q = ((max(1 - x * table.high, 0), max(1 - x * table.low, 0)) for x in (a, b))
    if table.rest[0] >= most:
        return low + max(p[0] - most * q[1], 0), high + max(p[1] - least * q[0], 0)
    return low, high + p[1]


def merged(table):
    """The table with atoms of equal ratio added up."""
    sums = {}
    for a, b in table.atoms:
        if a or b:
            key = Fraction(a, b) if b else None
            x, y = sums.get(key, (0, 0))
            sums[key] = x + a, y + b
    return Table(tuple(sums.values()), table.low, table.high, table.rest)


def with_reverse(table):
    """The product of a pair and of its own reverse: one unit moves from a bucket to another."""
    table = merged(table)
    if len(table.atoms) ** 2 > MAX_ATOMS:
        raise judge.TooBigError
    atoms = tuple((a * d, b * c) for a, b in table.atoms for c, d in table.atoms)
    return Table(atoms, table.low**2, table.high**2, table.rest and (ZERO, None))


# Mechanisms --------------------------------------------------------------------------------------------------------


def power(eps, bits):
    """(L, U) with L <= e^eps <= U."""
    return (eps[1], eps[1]) if eps[0] == "log" else judge.exp_bounds(eps[1], bits)


@lru_cache(maxsize=512)
def largest(fields, eps, bits):
    """An enclosure of the largest delta(eps) over all pairs of neighbours of a mechanism, in both directions.

    `fields` is the sorted items of what the mechanism says, its noise as (law, parameters in alphabetical order).
    """
    both = (each for table in tables(fields, bits) for each in (table, table.swapped()))
    ranges = [divergence(table, *power(eps, bits)) for table in both]
    return max(low for low, _ in ranges), max(high for _, high in ranges)


@lru_cache(maxsize=64)
def tables(fields, bits):
    """The pairs of neighbours of a mechanism, each in one direction."""
    given = dict(fields)
    noise = given.get("noise", ("",))
    for x in (*noise[1:], given.get("q", ZERO), given.get("flip", ZERO)):
        if max(x.numerator, x.denominator).bit_length() > MAX_DIGITS:
            raise judge.TooBigError
    match given["view"]:
        case "count":
            shifts = given["sensitivity"]
            if noise[0] == "binomial":
                shifts = min(shifts, noise[1] + 1)  # this and all larger ones make the views disjoint
            if shifts > MAX_SHIFT:
                raise judge.TooBigError
            return [shifted(noise, j, bits) for j in range(1, shifts + 1)]
        case "histogram":
            return [with_reverse(shifted(noise, 1, bits))]
        case "correlated":
            return [correlated(noise, given["q"], bits)]
        case "correlated histogram":
            return [with_reverse(correlated(noise, given["q"], bits))]
    return [strings(given["flip"], given["strings"])]


def shifted(noise, j, bits):
    """X + j against X."""
    if noise[0] == "discrete_laplace":  # the ratio is the same at all k <= 0, and at all k >= j
        q = noise[1]
        between = [((1 - q) * q ** (j - k), (1 - q) * q**k) for k in range(1, j)]
        return Table.of([(a / (1 + q), b / (1 + q)) for a, b in [(q**j, ONE), *between, (ONE, q**j)]])
    w, low, high = weights(noise, bits, j)
    columns = list(zip([ZERO] * j + w, w + [ZERO] * j, strict=True))
    if noise[0] == "binomial":
        return Table.of(columns)
    atoms, edge = columns[: len(w)], prod((1 / step(noise, len(w) - i) for i in range(j)), start=ONE)
    if noise[0] == "poisson":  # P/Q grows without bound from its value at the first k left out
        return Table.of(atoms, low, high, (edge, None))
    limit = 1 / noise[1] ** j  # P/Q goes to it monotonically
    if edge == limit and low == high:
        a, b = (sum(column) for column in zip(*atoms, strict=True))
        return Table.of([*atoms, (1 / low - a, 1 / low - b)], low, high)
    return Table.of(atoms, low, high, (min(edge, limit), max(edge, limit)))


def step(noise, k):
    """Pr[k] / Pr[k - 1] of a Poisson or negative binomial law."""
    return noise[1] / k if noise[0] == "poisson" else noise[1] * (k + noise[2] - 1) / k


@lru_cache(maxsize=64)
def weights(noise, bits, more):
    """(w, low, high): Pr[k] = w[k] c for one number c in [low, high].

    All of a binomial; of another law, so many that less than 2^-bits is left out, and `more` after them.
    """
    if noise[0] == "binomial":
        n, p = noise[1:]
        if n > MAX_CELLS:
            raise judge.TooBigError
        return [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)], ONE, ONE
    if (noise[1] if noise[0] == "poisson" else noise[2] * noise[1] / (1 - noise[1])) > MAX_MEAN:
        raise judge.TooBigError
    low, high = at_zero(noise, bits + 8)
    w, total = [ONE], ONE
    while 1 - low * total >= Fraction(1, 2**bits):
        if len(w) > MAX_CELLS:
            raise judge.TooBigError
        w.append(w[-1] * step(noise, len(w)))
        total += w[-1]
    for _ in range(more):
        w.append(w[-1] * step(noise, len(w)))
    return w, low, high


def at_zero(noise, bits):
    """(low, high) around Pr[0] = e^-lam or (1 - p)^r."""
    if noise[0] == "poisson":
        low, high = judge.exp_bounds(noise[1], bits)
        return 1 / high, 1 / low
    p, r = noise[1:]
    if r.denominator == 1:
        return (1 - p) ** r.numerator, (1 - p) ** r.numerator
    before, iv.prec = iv.prec, bits + 64
    found = iv.exp(iv.log(iv.mpf((1 - p).numerator) / (1 - p).denominator) * r.numerator / r.denominator)
    iv.prec = before
    low, high = (Fraction(*map(int, libmp.to_rational(end))) for end in found._mpi_)
    slack = high / 2 ** (bits + 8)  # far more than a rounding of mpmath's
    return low - slack, high + slack


def correlated(noise, q, bits):
    """(1 + Z1 + Z3, Z2 + Z3) against (Z1 + Z3, Z2 + Z3) on a square from 0, cell by cell."""
    tail, more = Fraction(1, 2 ** (bits + 2)), 0
    while tail < 1 and more <= MAX_CELLS:
        tail, more = tail / q, more + 1
    w, low, high = weights(noise, bits, more // 2)
    size = len(w) + more - more // 2
    full = size if noise[0] == "binomial" else len(w)  # a cell from (full, full) on misses a part of Z3: none is used
    unit = lcm(*(x.denominator for x in w)) * q.denominator ** (2 * size)
    if size > MAX_CELLS or size**2 * unit.bit_length() > MAX_BITS:
        raise judge.TooBigError
    rows, sums = [], [0] * size
    for u in range(size):  # Z1 is summed down the columns, Z2 along the rows; every division is exact
        sums = [x * q.numerator // q.denominator for x in sums]
        sums[u] += int(w[u] * unit) if u < len(w) else 0
        rows.append(list(accumulate(sums, lambda left, x: left * q.numerator // q.denominator + x)))
    pairs = (zip(*pair, strict=True) for pair in zip([[0] * size, *rows], rows, strict=False))
    atoms = (cell for u, row in enumerate(pairs) for v, cell in enumerate(row) if min(u, v) < full)
    return Table(tuple(atoms), low * (1 - q) ** 2 / unit, high * (1 - q) ** 2 / unit, (ZERO, None))


def strings(flip, size):
    """The sums of first and of second bits with the user's pair (1, 0), against those with (0, 1)."""
    if size > MAX_STRINGS:
        raise judge.TooBigError
    one, other = flip.numerator, flip.denominator - flip.numerator
    likely, unlikely = (one, other), (other, one)  # weights of the values 0 and 1 of a bit

    def add(law, firsts, seconds):
        sums = Counter()
        for (a, b), p in law.items():
            for i, v in enumerate(firsts):
                for j, w in enumerate(seconds):
                    sums[a + i, b + j] += p * v * w
        return sums

    law = Counter({(0, 0): 1})
    for _ in range(size - 1):
        law = add(law, unlikely, unlikely)
    P, Q = add(law, likely, unlikely), add(law, unlikely, likely)
    unit = Fraction(1, flip.denominator ** (2 * size))
    return Table(tuple((p, Q[seen]) for seen, p in P.items()), unit, unit)
