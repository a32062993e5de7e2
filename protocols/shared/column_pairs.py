"""Two columns of bits at once, for every dataset of the others (columns.py has one).

A user moves from column a to column b. With i of N others on a and j on b, what counts is the product of the column
pairs (P_i, Q_i) and (Q_j, P_j) (`fragmented_rappor`, reduction). All i in [i1, i2] and j in [j1, j2] are dominated by
i1 ones and N - i2 zeros in a, j1 ones and N - j2 zeros in b: users are dropped column by column, which is
post-processing of each factor, and a product is dominated by the product of what dominates its factors. So boxes of
(i, j) are bounded, the highest is split, and the corners that are single datasets are attained: branch and bound.

Of the s = i2 - i1 users who are dropped, what their coins hide is kept where they are many. A flipped bit is a fair
coin with probability 2 flip, and else the truth. Let it be seen who of the s tells the truth, and which: then the
others' part of the column is i1 ones, N - i2 zeros and K fair coins, K ~ Bin(s, 2 flip), independently in both columns.
The divergence falls in K, as coins may be added by whoever looks, so that it is at most that of k coins in a column
and l in the other, plus Pr[K < k] + Pr[L < l]; and Pr[K < k] <= e^(-(m - k)^2 / (2 m)), m = 2 flip s (Chernoff).
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from heapq import heapify, heappop, heappush
from math import isqrt
from typing import Any

from shufflecert.protocols.shared.columns import column
from shufflecert.verify.enclose.interval import Interval, refine
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import DIGITS
from shufflecert.verify.pairs.windowed import Product, Reversed, SumPair, Sums, joint_sums
from shufflecert.verify.reduce.reduction import Family, NamedPair

STEPS, FEWER, MANY = 1500, 300, 100_000  # boxes; of more than so many users
HIDDEN = 24  # bits by which fewer coins than are kept are less likely than the answer
MOST_LEAVES = 2000  # of a certificate
CLOSE = Fraction(1, 10**4)  # relative width at which it stops
Box = tuple[int, int, int, int]  # i from, to; j from, to


@dataclass(frozen=True)
class ColumnPairs(Family):
    """The pairs of all (i, j) with i + j <= others, or with i + j = others where there are no third columns."""

    flip: Fraction
    others: int
    thirds: bool

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """[the best of some real datasets, a bound on all], the dataset, and how many boxes were bounded."""
        return _worst(self, eps, digits, enough)

    def search(self, eps: Eps, digits: int, enough: Fraction) -> tuple[Interval, NamedPair | None, int]:
        """The worst pair, as `worst`, by branch and bound."""
        if self.flip == 0:
            return Interval(Fraction(1), Fraction(1)), self._named(0, self.others), 1
        if Eps.log((1 / self.flip - 1) ** 2) <= eps:
            return Interval(Fraction(0), Fraction(0)), self._named(0, self.others), 1
        whole = (0, self.others, 0, self.others)
        if enough and (high := self._bound(whole, eps, self._bits(enough))) <= enough:
            return Interval(Fraction(0), high), self._named(0, self.others), 1
        corners = [(0, self.others), (self.others, 0)] + ([(0, 0)] if self.thirds else [])
        values = {ij: self._attained(*ij, eps, 12) for ij in corners}
        at = max(corners, key=lambda ij: values[ij].low)
        bits, best, seen = self._bits(values[at].low), values[at].low, 1
        boxes = [(-self._bound(whole, eps, bits), whole)]
        steps = STEPS if self.others <= MANY else FEWER
        while -boxes[0][0] > max(best + CLOSE * best, enough) and seen < steps:
            _, box = heappop(boxes)
            parts = self._split(box)
            if not parts:
                heappush(boxes, (-self._bound(box, eps, bits), box))
                break
            for part in parts:
                heappush(boxes, (-self._bound(part, eps, bits), part))
                seen += 1
                if part[0] == part[1] and part[2] == part[3] and -boxes[0][0] > best:
                    value = self._attained(part[0], part[2], eps, 12)
                    if value.low > best:
                        best, at = value.low, (part[0], part[2])
        heapify(boxes)
        exact = self._attained(*at, eps, digits)
        return Interval(exact.low, max(exact.high, -boxes[0][0])), self._named(*at), seen

    def tree(self, eps: Eps, bound: Fraction) -> list[Any]:
        """A certificate's tree of boxes, each bounded by the users whom all its datasets have (no coins are kept).

        Raises Undecided where more than MOST_LEAVES are needed.
        """
        if 2 * self.flip == 1:
            return ["corner"]  # fair coins say nothing, whoever is there
        size = bound.denominator.bit_length() - bound.numerator.bit_length() if bound else 0
        bits = -(-(128 + 2 * self.others.bit_length() + max(size, 0)) // 64) * 64
        low, nodes, stack = eps.bounds(bits)[0], list[Any](), [(0, self.others, 0, self.others)]
        while stack:
            given = stack.pop()
            box = self._clip(given)
            if box is None or self._corner(box, low, bits) <= bound:
                nodes.append("corner")
                continue
            if len(nodes) > 2 * MOST_LEAVES or (box[0] == box[1] and box[2] == box[3]):
                raise Undecided(f"more than {MOST_LEAVES} boxes of datasets are needed")
            i1, i2, j1, j2 = box
            name, middle = ("a", (i1 + i2) // 2) if i2 - i1 >= j2 - j1 else ("b", (j1 + j2) // 2)
            nodes.append([name, middle])
            first, last, k, end = given
            halves = [(first, middle, k, end), (middle + 1, last, k, end)]
            if name == "b":
                halves = [(first, last, k, middle), (first, last, middle + 1, end)]
            stack += reversed(halves)
        return nodes

    def _corner(self, box: Box, low: Fraction, bits: int) -> Fraction:
        """An upper end of the delta of what all datasets of the box have."""
        i1, i2, j1, j2 = box
        one, lost = _above(self.flip, i1, self.others - i2, 0, False, bits)
        two, lost_too = _above(self.flip, j1, self.others - j2, 0, True, bits)
        return joint_sums(one, two, low) + Fraction(lost + lost_too, 1 << bits)

    def _bits(self, about: Fraction) -> int:
        """The bits of windows for an answer of about this size."""
        size = about.denominator.bit_length() - about.numerator.bit_length()
        room = 64 + 2 * self.others.bit_length() + max(size, 0)  # windows end where 2 bit_length + 16 bits are left
        return -(-room // 64) * 64  # few different ones, so that columns are found in the cache

    def _split(self, box: Box) -> list[Box]:
        """The halves along the longer side that hold a dataset; [] for a single point."""
        i1, i2, j1, j2 = box
        if i1 == i2 and j1 == j2:
            return []
        if i2 - i1 >= j2 - j1:
            middle = (i1 + i2) // 2
            halves = [(i1, middle, j1, j2), (middle + 1, i2, j1, j2)]
        else:
            middle = (j1 + j2) // 2
            halves = [(i1, i2, j1, middle), (i1, i2, middle + 1, j2)]
        return [clipped for half in halves if (clipped := self._clip(half)) is not None]

    def _clip(self, box: Box) -> Box | None:
        i1, i2, j1, j2 = box
        i2, j2 = min(i2, self.others - j1), min(j2, self.others - i1)
        if not self.thirds:
            i1, j1 = max(i1, self.others - j2), max(j1, self.others - i2)
        return (i1, i2, j1, j2) if i1 <= i2 and j1 <= j2 else None

    def _bound(self, box: Box, eps: Eps, bits: int) -> Fraction:
        i1, i2, j1, j2 = box
        size = bits - 64 - 2 * self.others.bit_length()  # at least that of the answer, in bits
        (few, rare), (few_too, rare_too) = (self.coins(part, size + HIDDEN) for part in (i2 - i1, j2 - j1))
        one, lost = _above(self.flip, i1, self.others - i2, few, False, bits)
        two, lost_too = _above(self.flip, j1, self.others - j2, few_too, True, bits)
        return joint_sums(one, two, eps.bounds(bits)[0]) + Fraction(lost + lost_too, 1 << bits) + rare + rare_too

    def coins(self, users: int, size: int) -> tuple[int, Fraction]:
        """(k, a bound on Pr[K < k], 0 or 2^-size) for the fair coins K among so many users' bits."""
        mean = 2 * self.flip * users
        k = int(mean) - isqrt(int(mean * size * 7 / 5)) - 2  # (m - k)^2 >= 2 m size ln 2
        return (k, Fraction(1, 1 << size)) if k > 0 else (0, Fraction(0))

    def _pair(self, i: int, j: int) -> Product:
        return Product(column(self.flip, i, self.others - i), Reversed(column(self.flip, j, self.others - j)))

    def _attained(self, i: int, j: int, eps: Eps, digits: int) -> Interval:
        return refine(lambda bits: self._pair(i, j).divergence(eps, bits), digits)

    def _named(self, i: int, j: int) -> NamedPair:
        held = {"1": i, "2": j, "3": self.others - i - j}
        return NamedPair(self._pair(i, j), "1", "2", {x: count for x, count in held.items() if count})

    def never_returns(self) -> Fraction:
        """A lower bound on the largest P(Q = 0): 1 without flips, else 0."""
        return Fraction(int(self.flip == 0))


@lru_cache(maxsize=4)
def _worst(pairs: ColumnPairs, eps: Eps, digits: int, enough: Fraction) -> tuple[Interval, NamedPair | None, int]:
    return pairs.search(eps, digits, enough)


@lru_cache(maxsize=64)
def _above(flip: Fraction, ones: int, zeros: int, coins: int, turned: bool, bits: int) -> tuple[Sums, int]:
    """A pair above a column's, or above its reverse, in order, and 2^bits times what it leaves out."""
    pair = column(flip, ones, zeros)
    if coins:
        fair = Binomial(coins, Fraction(1, 2))
        pair = SumPair((*pair.p, fair), (*pair.q, fair))
    atoms = pair.atoms(bits)
    atoms = atoms.reversed() if turned else atoms
    return Sums.of(atoms.above), atoms.outside[0]
