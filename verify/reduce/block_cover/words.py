"""What blocks of many users in a plane allow: their laws are windows from below, their values machine words.

The lemma is that of verify/reduce/block_cover/blocks.py, for blocks whose laws are too long to be known exactly. Let
L_j be the total of all but one user of a block of whom j were drawn, from below; users of a class send by its row,
moved as `Plane.bases` has it. What is seen is (z, j). With f_c the row whose place the user who changes takes,

    s(z, j) = B_j (f_c L_j)(z) <= S(z, j),      P' >= B_j k_j f_a L_j,      Q' >= B_j k_j f_b L_j,

where B_j is the probability of j draws in S and k_j how much likelier they are in P': 1, or, if the place is that of
one of the u users left open, who is then drawn, with L_(j-1) in the place of L_j and f_c = g/w, k_j = j / (u w). All of
P' that is not in this is missing: m. So is what is left out on purpose, numbers of draws that are hardly ever seen.
Where many numbers are seen, and k_j = 1, some are shown as the least of them: the sends of who is drawn besides can be
added to what is seen, and B_j is the probability of all of them.

Lemma (from below). Any s <= S may stand for S, and any e with e >= P' - t Q' - r, r >= 0 of mass m, for P' - t Q'.
Then delta is at most m + sum over z with s(z) = 0 of max(e(z), 0) + E max(v(Z_1) + ... + v(Z_N), 0) / N, v = e/s, with
Z_i drawn from s, or nothing with v = 0 for what s misses of 1. Proof. The positive part of a sum is at most the sum of
positive parts, so that what P' has over t Q' after the shuffle is at most m more than what e has. Each of the others
sends by s with the probability that s has, else he shows what he sends; then e is summed over who of N changed, as in
the lemma of the blanket, which needs no more of P' - t Q' than that it is a sum over outputs.

Words. L_j has weights in units of 2^-60, H in whole units of 2^-30 and R more. With integers W >= 2^c k_j (f_a - t f_b)
e = sum of W H + (sum of W R) / 2^30 + 1 in units of 2^-(30 + c) is large enough, and s, with weights rounded down,
small enough; c is so that no sum leaves a word. To divide, both lose all but the first 26 bits of s, rounded outwards.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import comb
from typing import Any, NamedTuple

from verify.reduce.block_cover.blocks import Block, Cuts, mean_above
from verify.reduce.composition_cover.words import BITS, HALF, law_of
from verify.reduce.plane_cover.plane import Plane, Point
from verify.reduce.plane_cover.windows import Sums
from verify.reduce.plane_cover.words import words_of
from verify.runs.later import Later

np: Any = Later("numpy")
SHARES = (Fraction(1, 100), Fraction(1, 6), Fraction(11, 20))
LUMPS = 1 + len(SHARES)  # of numbers of draws, where there are more: with so much below one after the other
FEW = 1 << 50  # 1 / the probability that a number of draws is to have to be looked at
KEPT, PARTS, WORD = 26, (8, 20), 62  # bits: of s in a division; of a value below a step, least and most; of a word
THIN = 64  # units that s is to have to be divided by
MOST_STEP, MOST_POWER = 15, Fraction(1 << 10)  # a step is 2^-this or more; e^eps, or what takes its place, at most
Law = Mapping[Point, Fraction]


class Slice(NamedTuple):
    """So many draws: B_j, k_j, how many of them L_j has, and f_c."""

    weight: Fraction
    likelier: Fraction
    drawn: int
    place: Law


@dataclass
class Windows:
    """Blocks of a randomizer's users in a plane."""

    plane: Plane
    sums: Sums

    def slices(self, block: Block, a: int, b: int) -> list[Slice]:
        """The numbers of draws that are seen, but for rare ones, where the user who changes is on a (P') or b (Q')."""
        plane, u, w = self.plane, block.open, self.plane.alike()
        chances = [comb(u, j) * w**j * (1 - w) ** (u - j) for j in range(u + 1)]
        seen = [j for j, chance in enumerate(chances) if chance * FEW >= 1]
        row = place_of(plane, block, a, b)
        if block.place is None:
            return [Slice(chances[j], j / (u * w), j - 1, row) for j in seen if j]
        below = list(accumulate(chances))
        steps = {next(j for j in seen if below[j] >= share) for share in SHARES}
        starts = seen if len(seen) <= LUMPS else sorted({seen[0], *steps})
        after = [*starts[1:], seen[-1] + 1]
        lumps = [sum(chances[j:k], Fraction(0)) for j, k in zip(starts, after, strict=True)]
        return [Slice(chance, Fraction(1), j, row) for j, chance in zip(starts, lumps, strict=True)]

    def laws(self, block: Block, drawn: Sequence[int]) -> Iterator[tuple[Any, Fraction]]:
        """(L_j, how much of 1 it misses), for each number of draws: words in rows with room for one user more."""
        users = [count - (x == block.place) for x, count in enumerate(block.users)]
        law = self.sums.sum((*users, drawn[0]) if self.plane.common else tuple(users))
        common = self.plane.common or {(0, 0): 1}
        far = [max(p[i] for row in (*self.plane.rows, common) for p in row) for i in (0, 1)]
        more = drawn[-1] - drawn[0] + 2
        known = np.zeros((law.height + far[1] * more, law.width + far[0] * more), np.int64)
        known[: law.height, : law.width] = words_of(law)
        unit, stride = sum(common.values()), known.shape[1]
        once = {v * stride + u: weight for (u, v), weight in common.items()}
        for j in range(drawn[0], drawn[-1] + 1):
            if j > drawn[0]:
                known = law_of(once, unit, known.ravel(), known.size + max(once))[: known.size].reshape(known.shape)
            if j in drawn:
                yield known, 1 - Fraction(int(known.sum()), 1 << BITS)

    def allowed(self, block: Block, draws: int, pair: tuple[int, int], t: Fraction, cuts: Cuts, bits: int) -> Fraction:
        """An upper bound on the lemma's, for `draws` blocks in all and any t <= e^eps; a step is a power of 2."""
        g, (a, b) = cuts.step.denominator.bit_length() - 1, pair
        slices = self.slices(block, a, b)
        most = max((one.likelier for one in slices), default=Fraction(0)) * (1 + t)
        if cuts.step != Fraction(1, 1 << g) or g > MOST_STEP or most > MOST_POWER or not slices:
            return Fraction(1)
        c = HALF + 1 - int(most).bit_length()
        rows, law = self.plane.rows, dict.fromkeys(range(-cuts.below, cuts.above + 1), 0)
        outside, there, kept = Fraction(0), Fraction(0), Fraction(0)
        drawn = [one.drawn for one in slices]
        for one, (known, missing) in zip(slices, self.laws(block, drawn), strict=True):
            there += one.weight * one.likelier * (1 - missing)
            times = one.likelier * (1 << c) / self.plane.unit
            excess = {
                point: -((t * rows[b].get(point, 0) - rows[a].get(point, 0)) * times // 1)
                for point in rows[a].keys() | rows[b].keys()
            }
            other = {point: int(weight * (1 << HALF + 1)) for point, weight in one.place.items()}
            places, weights, far = _values(_sums(known, excess) + 1, _sums(known, other), g - c, cuts)
            outside += one.weight * Fraction(far, 1 << HALF + c)
            for at, weight in enumerate(map(int, places), -cuts.below):
                law[at] += (weight * one.weight.numerator << bits) // (one.weight.denominator << BITS + 1)
            kept += one.weight * Fraction(weights, 1 << BITS + 1)
        law[0] += int((1 - kept) * (1 << bits))
        return outside + 1 - there + mean_above(law, draws, bits) * cuts.step


def place_of(plane: Plane, block: Block, a: int, b: int) -> Law:
    """The row whose place the user who changes takes: of an input of its class, his own if it can be, or what is alike.

    It may be moved by any known number: what is common is where his own row is.
    """
    if block.place is None:
        low = [min(point[i] for point in plane.rows[a]) for i in (0, 1)]
        whole = sum(plane.common.values())
        return {(u + low[0], v + low[1]): Fraction(weight, whole) for (u, v), weight in plane.common.items()}
    group = [x for x, k in enumerate(plane.classes) if k == block.place]
    row = plane.rows[next(x for x in (a, b, *group) if x in group)]
    return {point: Fraction(weight, plane.unit) for point, weight in row.items()}


def _sums(known: Any, weights: Mapping[Point, int]) -> Any:
    """The sum of weights times moved laws, in units 2^30 as large: rounded down by less than 1."""
    stride = known.shape[1]
    flat = known.ravel()
    high, low = np.zeros(flat.size, np.int64), np.zeros(flat.size, np.int64)
    upper, lower = flat >> HALF, flat & (1 << HALF) - 1
    for (u, v), weight in weights.items():
        at = v * stride + u
        high[at:] += weight * upper[: flat.size - at]
        low[at:] += weight * lower[: flat.size - at]
    return high + (low >> HALF)


def _values(e: Any, s: Any, shift: int, cuts: Cuts) -> tuple[Any, int, int]:
    """(weights of places from -below to above, weight in all, the sum of positive e outside).

    A place is a multiple of the step 2^-g; a value is e / s times 2^(31 - c), and `shift` is g - c.
    """
    inside = s >= THIN
    outside = int(np.maximum(e[~inside], 0).sum())
    e, s = e[inside], s[inside]
    less = _bits(s >> KEPT)
    short = (e >> less) + 1
    below = np.where(short > 0, s >> less, (s >> less) + 1)
    parts = max(PARTS[0], min(PARTS[1], -shift - 1))
    times = HALF + 1 + parts + shift
    most = 1 << WORD - times
    values = -((-np.clip(short, -most, most) << times) // below)
    place, part = values >> parts, values & (1 << parts) - 1
    far = (place >= cuts.above) | (short >= most)
    outside += int(np.maximum(e[far], 0).sum())
    place, part, s = place[~far], part[~far], s[~far]
    low = place < -cuts.below
    place, part = np.where(low, -cuts.below, place) + cuts.below, np.where(low, 0, part)
    found = np.zeros(cuts.below + cuts.above + 1, np.int64)
    for at, share in ((place, (1 << parts) - part), (place + 1, part)):
        np.add.at(found, at, (s >> parts) * share + ((s & (1 << parts) - 1) * share >> parts))
    return found, int(s.sum()), outside


def _bits(words: Any) -> Any:
    """How many bits each has."""
    found = np.zeros(words.shape, np.int64)
    for step in (32, 16, 8, 4, 2, 1):
        large = words >= 1 << step
        found += np.where(large, step, 0)
        words = np.where(large, words >> step, words)
    return found + (words > 0)
