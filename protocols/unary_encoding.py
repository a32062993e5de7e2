"""`unary_encoding`: a noisy one-hot string of d bits as one message, symmetric or optimized (Wang et al. 2017).

A user with value x in 1..d sends a string of independent bits, of which bit x is 1 with probability a, any other with
probability b, with E = e^eps0

    optimized (OUE):  a = 1/2, b = 1 / (E + 1);   symmetric (SUE):  a = e^(eps0/2) / (e^(eps0/2) + 1), b = 1 - a.

Local eps = eps0. The analyzer counts the ones at each position. The symmetric one is `rappor` with flip = b.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from shufflecert.protocols.any_ldp import local_eps
from shufflecert.protocols.hist import too_many
from shufflecert.protocols.shared.bits import as_strings
from shufflecert.protocols.shared.column_accuracy import Column, column_accuracy
from shufflecert.protocols.shared.column_maximum import columns_maximum
from shufflecert.protocols.shared.likelihood_orbits import Likelihoods
from shufflecert.protocols.shared.local_system import SMALLER, LocalSystem
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.systems.declare import FEWER, Accuracy, Synonyms, counted, parameter, whole

EXACTLY = 64  # bits up to which the string of ones is told from others: of more it is as if there were none


def yes_or_no(value: object, where: str) -> str:
    """Either "yes" or "no"."""
    said = str(value).strip().lower()
    if said not in ("yes", "no"):
        raise BadInput(f"{where}: {said[:40]!r}: expected yes or no")
    return said


@dataclass(frozen=True)
class UnaryEncoding(LocalSystem):
    """Unary encoding: the noisy one-hot string of x as one message, by optimized or by symmetric noise."""

    SYNONYMS: ClassVar[Synonyms] = {"OUE": {"optimized": "yes"}, "SUE": {"optimized": "no"}}
    SERVES = ("histogram d",)
    ALIKE = 1, "d"

    eps0: Eps = parameter("local eps, in nats", local_eps, order=SMALLER)
    d: int = parameter("number of bits, the inputs are 1..d", whole(2, 10**6), order=counted(2, 10**6, FEWER))
    optimized: str = parameter("yes: half of the user's ones are sent; no: both bits flip alike", yes_or_no, "yes")

    @property
    def chances(self) -> tuple[Fraction, Fraction]:
        """The probabilities (a, b) of a one at the user's position, and at any other."""
        if self.optimized == "yes":
            return Fraction(1, 2), 1 / (self.ratio + 1)
        return 1 - self.flip, self.flip

    def unwritten(self) -> str | None:
        """Why there is no table for d > 12; else None."""
        return too_many(self.d)

    def randomizer(self) -> Randomizer:
        """2^d outputs for each of d inputs. Raises BadInput for d > 12."""
        self.check_written()
        (a, b), places = self.chances, range(1, self.d + 1)
        return as_strings({x: [a if j == x else b for j in places] for x in places})

    def likelihoods(self) -> Likelihoods:
        """Of a user on 1 or on 2, the others on 1, 2 or 3 (protocols/shared/likelihood_orbits.py)."""
        return Likelihoods.one_hot(self.d, *self.chances, EXACTLY)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """Unbiased estimates of the fraction of users on each of 1..d. Raises BadInput for eps0 = 0."""
        ones = (sum(count for bits, count in messages.items() if bits[j] == "1") for j in range(self.d))
        return Column(n, *self.chances).fractions(ones, "eps0: 0 sends the same of all values: expected eps0 > 0")

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """Of one estimated fraction, for the worst data: s users on the value make its ones Bin(s, a) + Bin(n - s, b).
        Raises BadInput for eps0 = 0."""
        return column_accuracy(Column(n, *self.chances), alpha, "the fraction of users on one value", 1, self.d)

    def simultaneous(self, n: int) -> Interval | None:
        """The expected largest error, E max over values of |error|, in users, over all datasets: `columns_maximum`."""
        return columns_maximum(Column(n, *self.chances), self.d, independent=True)
