"""`duchi`: a number as one random sign, unbiased (Duchi, Jordan and Wainwright 2018).

A user with x in [-1, 1] sends +1 with probability 1/2 + x (E - 1) / (2 (E + 1)), else -1; E = e^eps0. Local eps = eps0.
The analyzer takes the mean of the signs times (E + 1) / (E - 1).

Every x is a mixture of -1 and 1, and so is its row, so that no dataset is worse than the worst of those in which all
hold an end: delta is convex in the law of each user. The table has these two inputs: `rr` with flip = 1 / (E + 1).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from shufflecert.protocols.any_ldp import local_eps, ratio_between
from shufflecert.protocols.shared.likelihood_orbits import Likelihoods, Orbit, orbit_reach
from shufflecert.protocols.shared.local_system import SMALLER
from shufflecert.protocols.shared.one_column import AllColumns
from shufflecert.verify.enclose.interval import exactly, root_of
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.declare import Accuracy, System, parameter

MANY = 20_000  # users from which on not every number of the others on 1 is evaluated


@dataclass(frozen=True)
class Duchi(System):
    """One random sign for a number of [-1, 1], without bias."""

    REACH = """over all real inputs, mixtures of the two ends, which are `rr`: exact; for more than 20000 users
    two-sided, all others on an end (attained) and the exchange of a message (dominating)"""
    SERVES = ("mean",)

    eps0: Eps = parameter("local eps, in nats", local_eps, order=SMALLER)

    @property
    def ratio(self) -> Fraction:
        """E = e^eps0, rounded down to 64 bits where it is irrational: more noise."""
        return ratio_between(self.eps0)[0]

    @property
    def flip(self) -> Fraction:
        """The probability of the other sign at an end."""
        return 1 / (self.ratio + 1)

    def randomizer(self) -> Randomizer:
        """The table of the two ends."""
        ends = ("-1", "1")
        return Randomizer.of({x: {y: 1 - self.flip if x == y else self.flip for y in ends} for x in ends})

    def likelihoods(self) -> Likelihoods:
        """Of the two ends."""
        level, half = {True: 2 * (1 - self.flip), False: 2 * self.flip}, Fraction(1, 2)
        first, last = "-1", "1"
        kinds = {
            z: [Orbit.at(half, level[y == first], level[y == last], level[y == z]) for y in (first, last)]
            for z in (first, last)
        }
        return Likelihoods.of(first, last, kinds, [Orbit(o.p, o.q, level[False] / 2, o.mu) for o in kinds[first]])

    def reach(self, n: int) -> Reduction:
        """That of `rr` with flip = 1 / (E + 1), for all numbers of the others on 1; by `likelihoods` for n > 20000."""
        if n > MANY:
            return orbit_reach(self.likelihoods(), n, 2, self.eps0, self.randomizer)
        return Reduction(AllColumns(self.flip, n - 1, ("-1", "1")), "rr (protocols/shared/one_column.py)", 2)

    def analyze(self, messages: Mapping[str, int], n: int) -> Fraction:
        """An unbiased estimate of the mean. Raises BadInput for eps0 = 0."""
        return Fraction(messages.get("1", 0) - messages.get("-1", 0), n) * self._scale()

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """Of the mean, for the worst data, all users on 0; as a share of the range: its RMSE in users is that of a sum
        of numbers in [0, 1]. Raises BadInput for eps0 = 0, and for alpha: no tail is computed."""
        if alpha is not None:
            raise BadInput("alpha: nothing is known of tails for all real inputs here: expected none")
        rmse = root_of(self._scale() ** 2 / (4 * n))
        where = "the largest over all datasets: all users on 0"
        return Accuracy("the mean, as a share of its range", rmse, None, exactly(1), 1, where, Fraction(n))

    def _scale(self) -> Fraction:
        if self.ratio == 1:
            raise BadInput("eps0: 0: no estimate: expected eps0 > 0")
        return (self.ratio + 1) / (self.ratio - 1)
