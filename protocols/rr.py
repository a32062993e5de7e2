"""`rr`: binary randomized response (Warner 1965; shuffled in BBGN Section 3, k = 2).

A user with bit x sends the one message x with probability 1 - flip, else 1 - x. Only the number of ones is seen; with
s the number of ones in the data it is

    Bin(s, 1 - flip) + Bin(n - s, flip).

Local eps = log((1 - flip) / flip). The law's shape depends on s, so the worst dataset can be an interior one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from shufflecert.protocols.shared.column_accuracy import Column, column_accuracy
from shufflecert.protocols.shared.column_maximum import columns_maximum
from shufflecert.protocols.shared.one_column import AllColumns, exact_laws
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import probability, shorten
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.declare import FLIPS, Accuracy, System, least_share, parameter

MOST_SCREENED = 30_000  # users up to which every number of others on 1 is looked at
MOST_ONCE = 5_000_000  # users up to which they are, for delta at a single eps
MOST_COVERED = 100_000_000  # users up to which the table's cover takes two minutes at most
FAIR = "flip: 1/2 sends fair coins: expected flip < 1/2"


def flip_probability(value: object, where: str) -> Fraction:
    """A probability that is at most 1/2. Raises BadInput for another value."""
    flip = probability(value, where)
    if flip > Fraction(1, 2):
        raise BadInput(f"{where}: {shorten(flip)}: expected a rational in [0, 1/2]")
    return flip


@dataclass(frozen=True)
class RR(System):
    """Binary randomized response: the truth with probability 1 - flip, else its opposite."""

    SERVES = ("sum",)
    LOCAL = "flip"
    REACH = "exact over all datasets up to n = 30000, interior ones included; to the tolerance beyond"

    flip: Fraction = parameter("probability that the bit is flipped, at most 1/2", flip_probability, order=FLIPS)

    def randomizer(self) -> Randomizer:
        """The table: the truth with probability 1 - flip, else its opposite."""
        return Randomizer.of({x: {(x,): 1 - self.flip, (1 - x,): self.flip} for x in (0, 1)})

    def reduction(self, n: int) -> Iterator[Pair]:
        """G_m + Ber(1 - flip) against G_m + Ber(flip), G_m = Bin(m, 1 - flip) + Bin(n - 1 - m, flip), for m = 0..n-1.

        Proof. One message a user, so the multiset is a function of its number of ones, a sum of independent bits that
        depends on the other users through the number m of ones among them. The first law is that of a user on 1, the
        second of the same user on 0. The map c -> n - c exchanges bits 0 and 1: it takes G_m + Ber(q) to G_(n-1-m) +
        Ber(1 - q), so the reverse of pair m is pair n - 1 - m and both directions are here.
        """
        yield from map(Pair.of, *exact_laws(self.flip, n - 1))

    def reach(self, n: int) -> Reduction:
        """All m are screened, and what may be the worst is certified (protocols/shared/one_column.py).

        Of more than MOST_SCREENED users, and no more than MOST_COVERED, the table is bounded to the tolerance, as any
        table is, but for delta at a single eps of no more than MOST_ONCE.
        """
        by = "every number of others on 1 looked at (proof in protocols/rr.py, reduction, "
        by += "and protocols/shared/one_column.py)"
        table = self.randomizer() if MOST_SCREENED < n <= MOST_COVERED else None
        return Reduction(AllColumns(self.flip, n - 1), by, 2, table=table, once=n <= MOST_ONCE)

    def analyze(self, messages: Mapping[str, int], n: int) -> Fraction:
        """An unbiased estimate of the fraction of ones. Raises BadInput for flip = 1/2."""
        return Column(n, 1 - self.flip, self.flip).fractions([messages.get("1", 0)], FAIR)[0]

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """The accuracy of the estimated fraction of ones, as one column (protocols/shared/column_accuracy.py)."""
        return column_accuracy(Column(n, 1 - self.flip, self.flip), alpha, "the fraction of ones", 1, 1)

    @classmethod
    def from_local(cls, eps0: Eps, given: Mapping[str, str]) -> Fraction:
        """The flip of a local eps0, 1 / (1 + e^eps0)."""
        return least_share(eps0, 2) / 2

    def simultaneous(self, n: int) -> Interval:
        """The expected error E |error| of the number of ones, in users, over all datasets: `columns_maximum`."""
        return columns_maximum(Column(n, 1 - self.flip, self.flip), 1, independent=True)
