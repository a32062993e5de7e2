"""`olh`: local hashing, a random hash function and the hashed value by randomized response (Wang et al. 2017).

A user with value x in 1..d draws a hash function H, of all functions from 1..d to g values, and sends H and y,

    Pr[y = H(x)] = E / (E + g - 1),   any other y: 1 / (E + g - 1),   E = e^eps0.

Local eps = eps0. Optimal local hashing has g = e^eps0 + 1 (USENIX Security 2017); binary local hashing g = 2 (Bassily
and Smith, STOC 2015). What is sent in the place of H is a seed. The analyzer counts, for each value, the messages that
its hash supports.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar

from shufflecert.protocols.shared.column_accuracy import Column, column_accuracy
from shufflecert.protocols.shared.likelihood_orbits import Likelihoods
from shufflecert.protocols.shared.local_system import LocalSystem
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.systems.declare import FEWER, Accuracy, Synonyms, counted, parameter, whole

MAX_WRITTEN = 3000  # outputs up to which the table is written out
EXACTLY = 64  # values up to which functions that hash all values alike are counted: of more it is as if none were
SEED = 64  # bits of a seed, in the place of a function


@dataclass(frozen=True)
class OLH(LocalSystem):
    """Local hashing: a random hash function, and the hashed value by randomized response over g values."""

    SYNONYMS: ClassVar[Synonyms] = {"BLH": {"g": "2"}}
    SERVES = ("histogram d",)
    ALIKE = 1, "d"

    d: int = parameter("number of values, the inputs are 1..d", whole(2, 10**9), order=counted(2, 10**9, FEWER))
    g: int = parameter("number of hashed values; 0: the nearest to e^eps0 + 1", whole(0, 10**9), 0)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.g == 1:
            raise BadInput("g: 1: expected at least 2 hashed values, or 0 for the nearest to e^eps0 + 1")

    @property
    def size(self) -> int:
        """The number of hashed values."""
        return self.g or max(2, round(self.ratio + 1))

    def unwritten(self) -> str | None:
        """Why there is no table of more than 3000 outputs, g for each of g^d functions; else None."""
        if self.d > 12 or self.size ** (self.d + 1) > MAX_WRITTEN:
            return f"d: {self.d}: the randomizer's g^(d + 1) outputs are written out up to {MAX_WRITTEN} only"
        return None

    def randomizer(self) -> Randomizer:
        """Messages "021:2": the values of the function on 1..d, and y. Raises BadInput for more than 3000."""
        self.check_written()
        values, low = range(self.size), 1 / ((self.ratio + self.size - 1) * self.size**self.d)
        return Randomizer.of(
            {
                x: {
                    f"{','.join(map(str, function))}:{y}": low * (self.ratio if function[x - 1] == y else 1)
                    for function in product(values, repeat=self.d)
                    for y in values
                }
                for x in range(1, self.d + 1)
            }
        )

    def likelihoods(self) -> Likelihoods:
        """Of a user on 1 or on 2, the others on 1, 2 or 3.

        Proof. A permutation of the values renames the functions: one pair stands for all, one third value for all. Of
        the reference, uniform (H, y), each value is hashed to y with probability 1/g, independently of the others. The
        least probability over all inputs is that of a value that is not hashed to y, unless all are.
        """
        hit, low = Fraction(1, self.size), self.size / (self.ratio + self.size - 1)
        sent = {True: self.ratio * low, False: low}  # over the reference

        def share(*hit_or_not: bool) -> Fraction:
            return hit ** sum(hit_or_not) * (1 - hit) ** (len(hit_or_not) - sum(hit_or_not))

        every = hit**self.d if self.d <= EXACTLY else Fraction(0)
        return Likelihoods.alike(share, sent, self.d > 2, every)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """Unbiased estimates of the fraction of users on each of 1..d. Raises BadInput for eps0 = 0.

        A message supports the values that its function hashes to its y: E / (E + g - 1) of those who hold a value, and
        1/g of all others.
        """
        support = [0] * self.d
        for message, count in messages.items():
            function, _, y = message.partition(":")
            for x, hashed in enumerate(function.split(",")):
                support[x] += count * (hashed == y)
        return self._column(n).fractions(support, "eps0: 0 sends uniform messages: expected eps0 > 0")

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """Of one estimated fraction, for the worst data: the messages that support a value are Bin(s, E / (E + g - 1))
        + Bin(n - s, 1/g) for s users on it. Raises BadInput for eps0 = 0."""
        bits = SEED + (self.size - 1).bit_length()
        return column_accuracy(self._column(n), alpha, "the fraction of users on one value", 1, bits)

    def _column(self, n: int) -> Column:
        return Column(n, self.ratio / (self.ratio + self.size - 1), Fraction(1, self.size))
