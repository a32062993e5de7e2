"""`r_infinity`: shuffled it tells nothing, unshuffled everything (BC Claim 19).

A user with bit x sends the two messages (x, 1 - x). The shuffler's output is n zeros and n ones, whatever the data:
eps = 0. The ordered pair begins with the user's bit: no finite local eps.

With the optional w the pair is sent in this order with probability w, else as (1 - x, x): still eps = 0 once the
order is lost, and local eps = |log(w / (1 - w))|. BC's randomizer is w = 1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import Law, Randomizer
from shufflecert.verify.exact.rational import probability
from shufflecert.verify.systems.declare import Accuracy, System, parameter


@dataclass(frozen=True)
class RInfinity(System):
    """The randomizer R^infinity of BC Claim 19, which sends (x, 1 - x)."""

    w: Fraction = parameter("probability that the user's bit goes first", probability, Fraction(1))

    def randomizer(self) -> Randomizer:
        """The table: on input x the messages (x, 1 - x) with probability w, else the other way round."""
        return Randomizer.of({x: {(x, 1 - x): self.w, (1 - x, x): 1 - self.w} for x in (0, 1)})

    def reduction(self, n: int) -> Iterator[Pair]:
        """Two equal laws: every dataset of n users gives n zeros and n ones with certainty (BC proof of Claim 19)."""
        seen = Law.of({(n, n): 1})
        yield Pair.of(seen, seen)

    def analyze(self, messages: Mapping[str, int], n: int) -> int:
        """The number of users: all that the shuffled messages hold."""
        return n

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """There is none: raises BadInput, since nothing is estimated."""
        raise BadInput(
            "r_infinity: the shuffled messages tell nothing of the data: expected a system that estimates it"
        )
