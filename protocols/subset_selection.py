"""`subset_selection`: a random set of k values, likely to hold the user's (Ye and Barg 2018; Wang et al. 2016).

A user with value x in 1..d sends a set S of k values,

    Pr[R(x) = S] = E / T where x is in S, else 1 / T,   T = E C(d-1, k-1) + C(d-1, k),   E = e^eps0.

Local eps = eps0; k nearest to d / (e^eps0 + 1) is best. k = 1 is k-ary randomized response. The analyzer counts, for
each value, the sets that hold it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import comb, lgamma, log
from typing import ClassVar

from shufflecert.protocols.shared.column_accuracy import Column, column_accuracy
from shufflecert.protocols.shared.likelihood_orbits import Likelihoods
from shufflecert.protocols.shared.local_system import LocalSystem
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.systems.declare import Accuracy, Synonyms, counted, parameter, whole

MAX_WRITTEN = 3000  # sets up to which the table is written out


@dataclass(frozen=True)
class SubsetSelection(LocalSystem):
    """Subset selection: a random set of k of d values, which holds the user's with odds in favour of e^eps0 to 1."""

    SYNONYMS: ClassVar[Synonyms] = {"SS": {}}
    SERVES = ("histogram d",)
    ALIKE = 1, "d"

    d: int = parameter("number of values, the inputs are 1..d", whole(2, 10**6), order=counted(2, 10**6))
    k: int = parameter("size of a set; 0: the nearest to d / (e^eps0 + 1)", whole(0, 10**6), 0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.k >= self.d:
            raise BadInput(f"k: {self.k}: expected a size below d = {self.d}, or 0 for the nearest to d / (e^eps0 + 1)")

    @property
    def size(self) -> int:
        """The size of a set."""
        return self.k or max(1, round(self.d / (self.ratio + 1)))

    def unwritten(self) -> str | None:
        """Why there is no table of more than 3000 sets; else None."""
        if self.d > MAX_WRITTEN or comb(self.d, self.size) > MAX_WRITTEN:
            return f"d: {self.d}: the randomizer's C(d, k) outputs are written out up to {MAX_WRITTEN} only"
        return None

    def randomizer(self) -> Randomizer:
        """A message is a set such as "1 4". Raises BadInput for more than 3000 sets."""
        self.check_written()
        values, k = range(1, self.d + 1), self.size
        low = 1 / (self.ratio * comb(self.d - 1, k - 1) + comb(self.d - 1, k))
        sets = {" ".join(map(str, chosen)): chosen for chosen in combinations(values, k)}
        return Randomizer.of({x: {y: low * (self.ratio if x in s else 1) for y, s in sets.items()} for x in values})

    def likelihoods(self) -> Likelihoods:
        """Of a user on 1 or on 2, the others on 1, 2 or 3; the reference is a uniform set.

        Proof. A permutation of the values renames the sets: one pair stands for all, one third value for all. Of all
        sets a share of k/d (k-1)/(d-1) .. holds certain values, and so on. As k < d, each set lacks a value: the least
        probability is that of such a one.
        """
        d, k = self.d, self.size
        low = d / (self.ratio * k + d - k)
        sent = {True: self.ratio * low, False: low}  # over the reference

        def share(*held: bool) -> Fraction:
            total, inside, outside = Fraction(1), k, d - k
            for i, one in enumerate(held):
                total *= Fraction(inside if one else outside, d - i)
                inside, outside = inside - one, outside - (not one)
            return total

        return Likelihoods.alike(share, sent, d > 2)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """Unbiased estimates of the fraction of users on each of 1..d. Raises BadInput for eps0 = 0."""
        support = [0] * self.d
        for message, count in messages.items():
            for x in message.split(" "):
                support[int(x) - 1] += count
        return self._column(n).fractions(support, "eps0: 0 sends uniform messages: expected eps0 > 0")

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """Of one estimated fraction, for the worst data: the sets that hold a value are Bin(s, a) + Bin(n - s, b) for s
        users on it, a = E k / (E k + d - k), b = a (k - 1)/(d - 1) + (1 - a) k/(d - 1). BadInput for eps0 = 0."""
        bits = 1 + int((lgamma(self.d + 1) - lgamma(self.size + 1) - lgamma(self.d - self.size + 1)) / log(2))
        return column_accuracy(self._column(n), alpha, "the fraction of users on one value", 1, bits)

    def _column(self, n: int) -> Column:
        d, k = self.d, self.size
        a = self.ratio * k / (self.ratio * k + d - k)
        return Column(n, a, (a * (k - 1) + (1 - a) * k) / (d - 1))
