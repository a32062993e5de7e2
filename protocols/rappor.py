"""`rappor`: basic one-time RAPPOR, a noisy one-hot string (Erlingsson, Pihur and Korolova 2014).

A user with value x in 1..d sends one message: the string of d bits that is 1 at position x only, every bit flipped
independently with probability flip. Two inputs differ in two bits: local eps = 2 log((1 - flip) / flip). The analyzer
counts the ones at every position and takes the bias out. `fragmented_rappor` sends the same bits one by one.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from shufflecert.protocols.rr import FAIR
from shufflecert.protocols.shared.bits import as_strings
from shufflecert.protocols.shared.column_accuracy import Column, column_accuracy
from shufflecert.protocols.shared.likelihood_orbits import Likelihoods, blanket_reach
from shufflecert.protocols.shared.one_hot import OneHot
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.declare import Accuracy


@dataclass(frozen=True)
class RAPPOR(OneHot):
    """Basic one-time RAPPOR: the one-hot string of x with every bit flipped with probability flip, as one message."""

    REACH = "two-sided: all others on one value (attained) and the privacy blanket (dominating)"

    def randomizer(self) -> Randomizer:
        """2^d outputs for each of d inputs. Raises BadInput for d > 12."""
        self.check_written()
        places = range(1, self.d + 1)
        return as_strings({x: [1 - self.flip if j == x else self.flip for j in places] for x in places})

    def reach(self, n: int) -> Reduction:
        """Attained: all others on a third value (d >= 3), on the user's, or on the other. Dominating: the blanket."""
        noisy = Likelihoods.one_hot(self.d, 1 - self.flip, self.flip, self.d) if self.flip else None
        return blanket_reach(noisy, n, self.d, "122", self.randomizer)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """Unbiased estimates of the fraction of users on each of 1..d. Raises BadInput for flip = 1/2."""
        ones = (sum(count for bits, count in messages.items() if bits[j] == "1") for j in range(self.d))
        return Column(n, 1 - self.flip, self.flip).fractions(ones, FAIR)

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """Of one estimated fraction, for the worst data: s users on the value make its ones Bin(s, 1 - flip) +
        Bin(n - s, flip). Raises BadInput for flip = 1/2."""
        column = Column(n, 1 - self.flip, self.flip)
        return column_accuracy(column, alpha, "the fraction of users on one value", 1, self.d)

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """Raises BadInput unless flip is given."""
        if "flip" not in given:
            raise BadInput("flip: the paper prescribes none for the shuffle model: expected one to be given")
        return {}
