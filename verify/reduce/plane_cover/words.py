"""What a rectangle shows of delta at many eps, in machine words: integers of 60 bits, rounded outwards.

As in verify/reduce/composition_cover/words.py, with the same lemma for any e^eps. Bands of rows are taken one after the
other, so that arrays are short.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from verify.exact.epsilon import Eps
from verify.reduce.composition_cover.words import BITS, HALF, Power, law_of
from verify.reduce.plane_cover.plane import Plane
from verify.reduce.plane_cover.windows import Rectangle
from verify.runs.later import Later

np: Any = Later("numpy")
LONGEST = 1 << HALF  # which the rows' unit is to be below
BAND = 1 << 15  # cells that are dealt with at a time
Ends = tuple[Fraction, Fraction, tuple[int, int]]


def ends(plane: Plane, law: Rectangle, pairs: Sequence[tuple[int, int]], eps: Sequence[Eps]) -> list[Ends]:
    """(low, high, pair) of each eps: ends around the largest delta over the pairs, and the pair of the lower end.

    `law` is that of the others' total; the rows' unit is below LONGEST.
    """
    powers = [Power.of(at) for at in eps]
    found = {pair: np.zeros((len(eps), 4), object) for pair in pairs}
    for laws in _views(plane, law):
        for i, power in enumerate(powers):
            for b in {b for _, b in pairs}:
                times = power.times(laws[b])
                for pair in ((a, other) for a, other in pairs if other == b):
                    excess = laws[pair[0]] - times
                    inside = excess > 0
                    if inside.any():
                        sums = (excess[inside].sum(), laws[pair[0]][inside].sum(), laws[b][inside].sum())
                        found[pair][i] += [*map(int, sums), int(np.count_nonzero(inside))]
    lost = missing(law)
    return [_shown(at, {pair: sums[i] for pair, sums in found.items()}, lost) for i, at in enumerate(eps)]


def missing(law: Rectangle) -> Fraction:
    """How much of 1 may be anywhere."""
    places = np.frombuffer(law.cells, np.uint8).reshape(-1, law.size).sum(axis=0, dtype=np.int64)
    return 1 - Fraction(sum(int(total) << 8 * i for i, total in enumerate(places)), 1 << 8 * law.size)


def _shown(eps: Eps, found: Mapping[tuple[int, int], Sequence[int]], lost: Fraction) -> Ends:
    T, unit = eps.bounds(2 * BITS)[1], Fraction(1, 1 << BITS)
    high = max(most for most, *_ in found.values()) * unit + lost
    low, pair = max((p * unit - T * ((q + 2 * n) * unit + lost), pair) for pair, (_, p, q, n) in found.items())
    return max(low, Fraction(0)), min(high, Fraction(1)), pair


def _views(plane: Plane, law: Rectangle) -> Any:
    """The views with a user on each input, in bands of rows, as words."""
    wide, tall = (max(point[i] for row in plane.rows for point in row) for i in (0, 1))
    stride, band = law.width + wide, max(tall, BAND // (law.width + wide)) + 1
    known = np.zeros((law.height + 2 * tall, stride), np.int64)
    known[tall : tall + law.height, : law.width] = words_of(law)
    rows = [{v * stride + u: weight for (u, v), weight in row.items()} for row in plane.rows]
    for top in range(0, law.height + tall, band):
        part = known[top : top + band + tall].ravel()
        size = len(part) + tall * stride + wide
        yield [law_of(row, plane.unit, part, size)[tall * stride : len(part)] for row in rows]


def words_of(law: Rectangle) -> Any:
    """The weights in units of 2^-60, rounded down, as an array of rows."""
    cells = np.frombuffer(law.cells, np.uint8).reshape(-1, law.size)[:, -8:]
    whole = np.zeros((len(cells), 8), np.uint8)
    whole[:, 8 - cells.shape[1] :] = cells
    return (whole.view("<u8").ravel() >> 64 - BITS).astype(np.int64).reshape(law.height, law.width)
