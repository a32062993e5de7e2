"""`hadamard_response`: a column of a Hadamard matrix, likely where the user's row has +1 (Acharya, Sun and Zhang 2019).

The matrix is Sylvester's, of order K, a power of 2: entry (x, y) is (-1)^(x . y), bits multiplied and summed. A user
with value x in 1..K-1 sends one column y of 0..K-1,

    Pr[R(x) = y] = 2E / (K (E + 1)) where row x has +1 in column y, else 2 / (K (E + 1)),   E = e^eps0

(the high-privacy scheme). Local eps = eps0. The analyzer counts, for each value, the messages in which its row has +1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar

from shufflecert.protocols.any_ldp import local_eps
from shufflecert.protocols.shared.column_accuracy import Column, column_accuracy
from shufflecert.protocols.shared.likelihood_orbits import Likelihoods, Orbit
from shufflecert.protocols.shared.local_system import SMALLER, LocalSystem
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import natural
from shufflecert.verify.systems.declare import Accuracy, Synonyms, is_input, parameter

MAX_WRITTEN = 64  # K up to which the table is written out


def power_of_two(value: object, where: str) -> int:
    """An order of Sylvester's matrix, 4 to 2^20."""
    order = natural(value, where, least=4, most=1 << 20)
    if order & (order - 1):
        raise BadInput(f"{where}: {order}: expected a power of 2")
    return order


@dataclass(frozen=True)
class HadamardResponse(LocalSystem):
    """Hadamard response: a column of a Hadamard matrix, likely where the row of the user's value has +1."""

    SYNONYMS: ClassVar[Synonyms] = {"HR": {}}

    eps0: Eps = parameter("local eps, in nats", local_eps, order=SMALLER)
    K: int = parameter("order of the matrix, a power of 2; the inputs are 1..K-1", power_of_two)

    def unwritten(self) -> str | None:
        """Why there is no table for K > 64; else None."""
        said = f"K: {self.K}: the randomizer's K (K - 1) outputs are written out for K <= {MAX_WRITTEN} only"
        return said if self.K > MAX_WRITTEN else None

    @property
    def inputs(self) -> int:
        """The rows 1..K-1."""
        return self.K - 1

    @property
    def densities(self) -> dict[bool, Fraction]:
        """K times the probability of a column in which the row has +1 (True), or -1."""
        low = 2 / (self.ratio + 1)
        return {True: low * self.ratio, False: low}

    def randomizer(self) -> Randomizer:
        """K outputs for each of K - 1 inputs. Raises BadInput for K > 64."""
        self.check_written()
        sent, columns = self.densities, range(self.K)
        return Randomizer.of({x: {y: sent[likely(x, y)] / self.K for y in columns} for x in columns[1:]})

    def likelihoods(self) -> Likelihoods:
        """Of a user on 1 or on 2, the others on 1, 2, 3 = 1 xor 2, or 4; the reference is a uniform column.

        Proof. A linear bijection of the vectors y of bits, and its transposed inverse on the x, leave x . y, so R, as
        it is. Two different x that are not 0 are independent, so one pair stands for all. A third z is the sum of the
        two or independent of them, and all of a kind are alike. Independent rows have each combination of signs equally
        often; of three that sum to 0, the third sign is the product of the others. All rows have +1 in column 0, and
        every other column has -1 in some row: the least probability is that of -1, but for column 0.
        """
        sent, quarter, signs = self.densities, Fraction(1, 4), (True, False)
        both = list(product(signs, repeat=2))
        thirds = {"1": [a for a, _ in both], "2": [b for _, b in both], "3": [a == b for a, b in both]}
        kinds = {
            z: [Orbit.at(quarter, sent[a], sent[b], sent[c]) for (a, b), c in zip(both, third, strict=True)]
            for z, third in thirds.items()
        }
        if self.K > 4:
            kinds["4"] = [Orbit.at(quarter / 2, sent[a], sent[b], sent[c]) for a, b, c in product(signs, repeat=3)]
        first = Fraction(1, self.K)
        least = [Orbit.at(quarter - first * (a and b), sent[a], sent[b], sent[False]) for a, b in both]
        return Likelihoods.of("1", "2", kinds, [*least, Orbit.at(first, sent[True], sent[True], sent[True])])

    def stands_for_all(self, reference: str) -> bool:
        """Whether pairs with this input stand for all: with any, by the proof of `likelihoods`."""
        return is_input(reference, 1, self.K - 1)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """Unbiased estimates of the fraction of users on each of 1..K-1. Raises BadInput for eps0 = 0.

        The share of messages with +1 is E / (E + 1) of those who hold the value, and 1/2 of all others.
        """
        counts = (sum(c for y, c in messages.items() if likely(x, int(y))) for x in range(1, self.K))
        return self._column(n).fractions(counts, "eps0: 0 sends uniform messages: expected eps0 > 0")

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """Of one estimated fraction, for the worst data: the count of messages with +1 is Bin(s, E / (E + 1)) +
        Bin(n - s, 1/2) for s users on the value. Raises BadInput for eps0 = 0."""
        bits = self.K.bit_length() - 1
        return column_accuracy(self._column(n), alpha, "the fraction of users on one value", 1, bits)

    def _column(self, n: int) -> Column:
        return Column(n, self.ratio / (self.ratio + 1), Fraction(1, 2))

    @classmethod
    def serves(cls, task: str, buckets: int | None) -> dict[str, str] | None:
        """A histogram, by the least matrix with a row for each bucket."""
        return {"K": str(max(4, 1 << (buckets or 0).bit_length()))} if task == "histogram" else None


def likely(x: int, y: int) -> bool:
    """Whether row x of Sylvester's matrix has +1 in column y."""
    return (x & y).bit_count() % 2 == 0
