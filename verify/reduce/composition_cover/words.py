"""What a box allows, in machine words: integers of 60 bits, rounded outwards, the same lemma as `Views.ends`.

Let G be the others' law from below, as integers in units of u = 2^-60, and f_x = w_x / unit. Then (w_x G) // unit is at
most the law with a user on x and misses less than 2u at every point. With T / 2^30 <= e^eps, every term of

    sum over points of max(P' + 2u - T Q' / 2^30, 0)

is at least that of `Views.ends`, and so is the sum, to which what G misses is added. No step leaves a word: with `unit`
below 2^30 and T below 2^31 no product or sum of halves is more than 2^61, and laws add up to 2^60 at most.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import fmpz

from verify.exact.epsilon import Eps
from verify.reduce.compositions import Line, Total
from verify.runs.later import Later

np: Any = Later("numpy")
BITS, HALF = 60, 30  # of a law; of half a word, and of e^eps
SPARE = 12  # bits that a bound has beyond what rounding may cost
Law = Any  # an array of words


def allowed(line: Line, total: Total, pairs: Sequence[tuple[int, int]], eps: Eps, bound: Fraction) -> Fraction | None:
    """An upper bound on delta(eps) with these others, for all of the pairs; None where words are too short for it.

    That is where `bound` is not far above what rounding may cost, or e^eps is 2 or more, or the rows' unit is long.
    """
    power = int(eps.bounds(64)[0] * (1 << HALF))
    size = len(total.low) + max(map(max, line.rows))
    if power >= 2 << HALF or line.unit >= 1 << HALF or bound * (1 << BITS - SPARE) < 3 * size or total.bits < BITS:
        return None
    short = total.low // (fmpz(1) << total.bits - BITS)
    known = np.fromiter(map(int, short.coeffs()), np.int64)
    laws = [law_of(row, line.unit, known, size) for row in line.rows]
    most = 0
    for b in {b for _, b in pairs}:
        high, low = laws[b] >> HALF, laws[b] & (1 << HALF) - 1
        times = power * high + (power * low >> HALF) - 2
        most = max(most, *(int(np.maximum(laws[a] - times, 0).sum()) for a, other in pairs if other == b))
    return Fraction(most, 1 << BITS) + Fraction(total.missing, 1 << total.bits)


def law_of(row: Mapping[int, int], unit: int, known: Law, size: int) -> Law:
    """(row * known) // unit, exactly, for a unit below 2^30: in two halves, none of which is longer than a word."""
    high, low = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for place, weight in row.items():
        high[place : place + len(known)] += weight * (known >> HALF)
        low[place : place + len(known)] += weight * (known & (1 << HALF) - 1)
    whole, rest = np.divmod(high, unit)
    return (whole << HALF) + ((rest << HALF) + low) // unit
