"""What a box allows, in machine words: integers of 60 bits, rounded outwards, the same lemma as `Views.ends`.

Let G be the others' law from below, as integers in units of u = 2^-60, and f_x = w_x / unit. Then (w_x G) // unit is at
most the law with a user on x and misses less than 2u at every point. With T / 2^30 <= e^eps, every term of

    sum over points of max(P' + 2u - T Q' / 2^30, 0)

is at least that of `Views.ends`, and so is the sum, to which what G misses is added. No step leaves a word: with `unit`
below 2^30 and T below 2^31 no product or sum of halves is more than 2^61, and laws add up to 2^60 at most.

Any e^eps (`Power`). Let A and B be the laws in whole units with a user on a and on b, and t <= e^eps <= T. Then

    delta <= sum over points of max(A + 2 - t B, 0) + m,
    delta >= sum over E of A - T (sum over E of (B + 2) + m),  E any event: here that of the terms above 0,

m what G misses. Any smaller number may stand for t B: floor(s B' / 2^k) does with s / 2^k <= t, s below 2^31 and B' =
min(B, 2^60 / t + 1), which is enough to make A + 2 - t B negative where it is cut. No product leaves a word: s (B' /
2^30) 2^(30-k) is at most t B', hence 2^60 + t, and s is below 2^31.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from flint import fmpz

from verify.exact.epsilon import Eps
from verify.reduce.compositions import Line, Total
from verify.runs.later import Later

np: Any = Later("numpy")
BITS, HALF = 60, 30  # of a law; of half a word, and of e^eps
SPARE = 12  # bits that a bound has beyond what rounding may cost
Law = Any  # an array of words
Pairs = Sequence[tuple[int, int]]


class Power(NamedTuple):
    """s / 2^k <= e^eps, s below 2^31, and where weights are cut."""

    s: int
    k: int
    most: int

    @classmethod
    def of(cls, eps: Eps) -> "Power":
        """The largest such number; of an e^eps of more than 2^30 it is 2^30."""
        t = min(eps.bounds(2 * BITS)[0], Fraction(1 << HALF))
        k = HALF + 1 - int(t).bit_length()
        return cls(int(t * (1 << k)), k, int((1 << BITS) / t) + 1)

    @property
    def value(self) -> Fraction:
        """The number."""
        return Fraction(self.s, 1 << self.k)

    def times(self, law: Law) -> Law:
        """At most this number times the law, less 2 units."""
        cut = np.minimum(law, self.most)
        return (self.s * (cut >> HALF) << HALF - self.k) + (self.s * (cut & (1 << HALF) - 1) >> self.k) - 2


def allowed(line: Line, total: Total, pairs: Pairs, eps: Eps, bound: Fraction) -> Fraction | None:
    """An upper bound on delta(eps) with these others, for all of the pairs; None where words are too short for it.

    That is where `bound` is not far above what rounding may cost, or e^eps is 2 or more, or the rows' unit is long.
    """
    power = int(eps.bounds(64)[0] * (1 << HALF))
    size = len(total.low) + max(map(max, line.rows))
    if power >= 2 << HALF or line.unit >= 1 << HALF or bound * (1 << BITS - SPARE) < 3 * size or total.bits < BITS:
        return None
    laws, found = views_of(line, total), 0
    for b in {b for _, b in pairs}:
        high, low = laws[b] >> HALF, laws[b] & (1 << HALF) - 1
        times = power * high + (power * low >> HALF) - 2
        found = max(found, *(int(np.maximum(laws[a] - times, 0).sum()) for a, other in pairs if other == b))
    return Fraction(found, 1 << BITS) + Fraction(total.missing, 1 << total.bits)


def views_of(line: Line, total: Total) -> list[Law]:
    """The laws in whole units with a user on each input, the others' total given with at least as many bits."""
    short = total.low // (fmpz(1) << total.bits - BITS)
    known = np.trim_zeros(np.fromiter(map(int, short.coeffs()), np.int64))
    size = len(known) + max(map(max, line.rows))
    return [law_of(row, line.unit, known, size) for row in line.rows]


def lost_of(total: Total) -> int:
    """What the others' total misses of 1, in units, rounded up."""
    return -(-total.missing >> total.bits - BITS)


def excess(p: Law, q: Law, power: Power) -> int:
    """An upper bound, in units, on delta of the laws p and q, but for what is missing."""
    return int(np.maximum(p - power.times(q), 0).sum())


def least(laws: Sequence[Law], pairs: Pairs, eps: Eps, power: Power, lost: int) -> tuple[Fraction, tuple[int, int]]:
    """A lower bound on the largest delta over the pairs, and its pair."""
    T, unit, found = eps.bounds(2 * BITS)[1], Fraction(1, 1 << BITS), []
    for b in {b for _, b in pairs}:
        times = power.times(laws[b])
        for a, other in pairs:
            if other == b:
                inside = laws[a] > times
                p, q, n = int(laws[a][inside].sum()), int(laws[b][inside].sum()), int(np.count_nonzero(inside))
                found.append((p * unit - T * (q + 2 * n + lost) * unit, (a, b)))
    low, pair = max(found)
    return max(low, Fraction(0)), pair


def law_of(row: Mapping[int, int], unit: int, known: Law, size: int) -> Law:
    """(row * known) // unit, exactly, for a unit below 2^30: in two halves, none of which is longer than a word."""
    high, low = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for place, weight in row.items():
        high[place : place + len(known)] += weight * (known >> HALF)
        low[place : place + len(known)] += weight * (known & (1 << HALF) - 1)
    whole, rest = np.divmod(high, unit)
    return (whole << HALF) + ((rest << HALF) + low) // unit
