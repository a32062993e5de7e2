"""`fragmented_rappor`: the bits of `rappor`, one message each (Erlingsson et al. 2020, arXiv:2001.03618).

A user with value x in 1..d sends d messages "j:b", j = 1..d: b is 1[x = j], flipped independently with probability
flip. Once shuffled the bits of one user are no longer together. Every column j holds n bits; given the data the
columns are independent, and with c_j users on j the number of ones in it is

    Bin(c_j, 1 - flip) + Bin(n - c_j, flip).

Local eps = 2 log((1 - flip) / flip), as for `rappor`.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cache, lru_cache, partial
from math import log
from typing import Any

from shufflecert.protocols.rr import FAIR
from shufflecert.protocols.shared.bits import flipped
from shufflecert.protocols.shared.column_accuracy import Column, column_accuracy
from shufflecert.protocols.shared.one_column import changed, exact_laws
from shufflecert.protocols.shared.one_hot import OneHot
from shufflecert.verify import certificate
from shufflecert.verify.bound.columns import Columns, Datasets, Held
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import Messages, Randomizer
from shufflecert.verify.exact.rational import text
from shufflecert.verify.pairs.windowed import SumPair, Sums, joint_sums
from shufflecert.verify.reduce.privacy_blanket import event_of
from shufflecert.verify.reduce.reduction import NamedPair, Pairs, Reduction, Threshold
from shufflecert.verify.runs.later import Later
from shufflecert.verify.systems.declare import Accuracy, bits_for

np: Any = Later("numpy")
MOST_LEAVES = 2000  # of a certificate
MOST_KEPT = 256  # pairs of columns, exactly
FAINT, LEAST = 1e-25, 1e-45  # the least delta of which floats are asked, and the least chance of an outcome then
Corners = tuple[int, int, int, int]  # of a box: the least and the most of the others on either value
Rough = tuple[Any, Any]  # P and Q, with falling P/Q


@dataclass(frozen=True, eq=False)
class TwoColumns(Columns):
    """The two columns of a one-hot string that change, with what a certificate says of them."""

    rough: dict[tuple[int, int], Rough] = field(default_factory=dict, repr=False)

    def tree(self, eps: Eps, bound: Fraction) -> list[Any]:
        """A certificate's tree of boxes, each bounded by the users whom all its datasets have (no coins are kept).

        Floats guess which boxes keep the bound. Raises Undecided where more than MOST_LEAVES are needed.
        """
        column, others = self.parts[0][0], self.others
        if column.up == column.down:
            return ["corner"]  # fair coins say nothing, whoever is there
        size = bound.denominator.bit_length() - bound.numerator.bit_length() if bound else 0
        bits = -(-(128 + 2 * others.bit_length() + max(size, 0)) // 64) * 64
        low = eps.bounds(bits)[0]
        power, most = float(low), float(bound)

        @lru_cache(maxsize=MOST_KEPT)
        def above(ones: int, zeros: int) -> tuple[Sums, int]:
            atoms = column.pair(ones, zeros).atoms(bits)
            return Sums.of(atoms.above), atoms.outside[0]

        def sides(box: Corners) -> tuple[tuple[int, int], tuple[int, int]]:
            i1, i2, j1, j2 = box
            return (i1, others - i2), (others - j2, j1)  # of the second column ones and zeros change places: reversal

        @cache
        def roughly(box: Corners) -> bool:
            one, two = (self._roughly(*side) for side in sides(box))
            return joint_roughly(one, two, power) <= most

        def surely(box: Corners) -> bool:
            (one, lost), (two, lost_too) = (above(*side) for side in sides(box))
            return joint_sums(one, two, low) + Fraction(lost + lost_too, 1 << bits) <= bound

        if most <= FAINT:
            return self._grown(surely)
        self._grown(roughly)  # where too many are needed, that is soon said
        return self._grown(lambda box: roughly(box) and surely(box))

    def _grown(self, kept: Callable[[Corners], bool]) -> list[Any]:
        """The tree whose leaves are boxes that keep the bound."""
        nodes, stack = list[Any](), [(0, self.others, 0, self.others)]
        while stack:
            first, last, k, end = given = stack.pop()
            box = self.clipped(*given)
            if box is None or kept(box):
                nodes.append("corner")
                continue
            i1, i2, j1, j2 = box
            if len(nodes) > 2 * MOST_LEAVES or (i1 == i2 and j1 == j2):
                raise Undecided(f"more than {MOST_LEAVES} boxes of datasets are needed")
            if i2 - i1 >= j2 - j1:
                nodes.append(["a", middle := (i1 + i2) // 2])
                stack += [(middle + 1, last, k, end), (first, middle, k, end)]
            else:
                nodes.append(["b", middle := (j1 + j2) // 2])
                stack += [(first, last, middle + 1, end), (first, last, k, middle)]
        return nodes

    def _roughly(self, ones: int, zeros: int) -> Rough:
        """A column's pair with so many others on 1 and on 0, in floats."""
        if (ones, zeros) not in self.rough:
            flip = float(self.parts[0][0].down)
            others = np.append(np.convolve(chances(ones, 1 - flip), chances(zeros, flip)), 0)
            moved = np.append(0, others[:-1])
            p, q = ((part * moved + (1 - part) * others)[::-1] for part in (1 - flip, flip))
            self.rough[ones, zeros] = p, q
        return self.rough[ones, zeros]

    def clipped(self, i1: int, i2: int, j1: int, j2: int) -> Corners | None:
        """The numbers of the others on either value that go together, of these ranges."""
        i2, j2 = min(i2, self.others - j1), min(j2, self.others - i1)
        if len(self.parts) == 1:  # there are no third columns
            i1, j1 = max(i1, self.others - j2), max(j1, self.others - i2)
        return (i1, i2, j1, j2) if i1 <= i2 and j1 <= j2 else None


def chances(n: int, p: float) -> Any:
    """Bin(n, p) in floats, 0 < p < 1, where it is more than LEAST."""
    ratios = np.log((n - np.arange(n)) / np.arange(1, n + 1)) + log(p / (1 - p))
    logs = np.append(0, np.cumsum(ratios))
    law = np.exp(logs - logs.max())
    law = law / law.sum()
    return law[law > LEAST]


def joint_roughly(one: Rough, two: Rough, power: float) -> float:
    """The divergence of a product of two pairs, in floats."""
    first, second = (q / p for p, q in (one, two))  # rising
    places = np.searchsorted(second, 1 / (power * first))  # those of the second that count for one of the first
    sums_p, sums_q = (np.append(0, np.cumsum(law)) for law in two)
    return float((one[0] * sums_p[places] - power * one[1] * sums_q[places]).sum())


@dataclass(frozen=True)
class FragmentedRAPPOR(OneHot):
    """Fragmented one-time RAPPOR: every bit of the noisy one-hot string is a message of its own."""

    REACH = "between the worst real dataset found and a bound on all, by the curves of two columns"

    def randomizer(self) -> Randomizer:
        """2^d outputs of d messages for each of d inputs. Raises BadInput for d > 12."""
        self.check_written()
        return Randomizer.of({x: self._row(x) for x in range(1, self.d + 1)})

    def _row(self, *ones: int) -> dict[Messages, Fraction]:
        """The law of the messages of a user whose string has these ones."""
        law = flipped(self.d, ones, self.flip)
        return {tuple(f"{j}:{bit}" for j, bit in enumerate(bits, 1)): p for bits, p in law}

    def reduction(self, n: int) -> Iterator[Pair]:
        """(A_i + Ber(1 - flip), A_j + Ber(flip)) against (A_i + Ber(flip), A_j + Ber(1 - flip)), for i + j <= n - 1.

        A_m = Bin(m, 1 - flip) + Bin(n - 1 - m, flip) is what the others put into a column that m of them hold.
        For d = 2 there is no third column: i + j = n - 1.

        Proof. Let a user move from column a to b, with i of the others on a, j on b and the rest elsewhere. Each
        column holds n tagged bits, so the multiset is a function of the columns' numbers of ones. Given the data
        these are independent, and the columns other than a and b have the same law on both sides: they cancel from
        sum max(P - e^eps Q, 0). Exchanging the two columns turns the reverse of pair (i, j) into pair (j, i).
        """
        held, left = exact_laws(self.flip, n - 1)
        for i in range(n):
            for j in range(n - i) if self.d > 2 else (n - 1 - i,):
                yield Pair.of(held[i].times(left[j]), left[i].times(held[j]))

    def reach(self, n: int) -> Reduction:
        """Two columns at any n, each with any number of the others (verify/bound/columns.py).

        Proof. The pairs are those of `reduction`, (P_i, Q_i) and (Q_j, P_j). Reversal, k -> n - k, takes the latter to
        (P_c, Q_c), c = n - 1 - j. For d = 2, c = i. For d > 2, i <= c; and since the product of the pairs of i and c is
        that of c and i, with their columns exchanged, all i and c stand for all datasets. No single one is always the
        worst: all others on the value that the user's P holds (i = n - 1) nearly is where it was looked at, but for n
        = 10000, flip = 1/50, eps = 1/2 it is i = 9998, j = 0.
        """
        by = "two independent columns (proof in protocols/fragmented_rappor.py, reach; verify/bound/columns.py)"
        if self.flip == 0:  # what is held is shown
            shown = SumPair((Binomial(1, Fraction(1)),), (Binomial(1, Fraction(0)),))
            named = NamedPair(shown, "1", "2", {"2": n - 1}, partial(self._event, n))
            return Reduction(Pairs([named]), by, self.d)
        held, other = (certificate.coin(text(p)) for p in (1 - self.flip, self.flip))
        seen = certificate.columns(self.d, held, other, n)
        column = changed(self.flip)
        pairs = TwoColumns(((column, 1),) * 2 if self.d > 2 else ((column, 2),), n - 1, partial(self._datasets, n - 1))
        return Reduction(pairs, by, self.d, pairs, seen, seen)

    def _datasets(self, others: int, held: Held) -> Datasets:
        """Datasets of `reach` where so many others are on 1, and all others but so many on 2."""
        i, j = min(held), others - max(held)
        return "1", "2", {x: count for x, count in (("1", i), ("2", j), ("3", others - i - j)) if count}

    def _event(self, n: int, eps: Eps, bound: Fraction) -> Threshold:
        return event_of(self.randomizer(), "1", "2", {"2": n - 1}).threshold(eps, bound)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """Unbiased estimates of the fraction of users on each of 1..d. Raises BadInput for flip = 1/2."""
        ones = (messages.get(f"{j}:1", 0) for j in range(1, self.d + 1))
        return Column(n, 1 - self.flip, self.flip).fractions(ones, FAIR)

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """The accuracy of one value's estimate, from the ones in its column (protocols/shared/column_accuracy.py)."""
        column = Column(n, 1 - self.flip, self.flip)
        return column_accuracy(column, alpha, "the fraction of users on a value", self.d, bits_for(2 * self.d))
