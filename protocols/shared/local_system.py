"""Systems of one message a user whose local eps is their parameter, `eps0`, and whose inputs are all alike."""

from abc import abstractmethod
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Self

from shufflecert.protocols.any_ldp import MOST, local_eps, ratio_between
from shufflecert.protocols.shared.likelihood_orbits import Likelihoods, orbit_reach
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import decimal_above
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.declare import Order, System, least_share, parameter, whole

STATED = 6  # digits of a local eps
MAX_KEYS = 3  # up to which tables of 3^d inputs are written out
UNPROVED = Order(Fraction(0), Fraction(MOST), falling=True)  # what is best for a smaller eps0 may be another size
SMALLER = replace(UNPROVED, lemma="a smaller eps0 is a larger one, and then, with some probability, noise of its own")


@dataclass(frozen=True)
class LocalSystem(System):
    """A system of one message a user with a local eps. Its inputs are alike: one pair of inputs stands for all."""

    REACH = "two-sided at any size: all others on one value (attained) and the exchange of a message (dominating)"

    STATES_MORE = True

    eps0: Eps = parameter("local eps, in nats", local_eps, order=UNPROVED)

    @property
    def ratio(self) -> Fraction:
        """E = e^eps0, rounded down to 64 bits where it is irrational: more noise."""
        return ratio_between(self.eps0)[0]

    @property
    def flip(self) -> Fraction:
        """1 / (e^(eps0/2) + 1), rounded up: with this chance bits flip where two of them tell inputs apart."""
        return least_share(self.eps0, 2, 2) / 2

    def check_flip(self) -> None:
        """Raise BadInput where bits that are flipped so tell nothing."""
        if 2 * self.flip == 1:
            raise BadInput("eps0: 0 sends the same of all values: expected eps0 > 0 to estimate anything")

    @property
    def local_epsilon(self) -> Eps:
        """The local eps; where e^eps0 is irrational what is sent keeps a little less."""
        return self.eps0

    def share_of(self, part: Fraction) -> Self:
        """What a part of the users runs: the same, since the randomizer does not depend on how many they are."""
        return self

    @property
    def inputs(self) -> int | None:
        """How many inputs there are, as ALIKE has it; None where there is no end of them."""
        return None if self.ALIKE is None else getattr(self, self.ALIKE[1])

    @abstractmethod
    def likelihoods(self) -> Likelihoods:
        """The likelihoods of one pair of inputs, which stands for all pairs."""

    def reach(self, n: int) -> Reduction:
        """By the likelihoods of one pair (`likelihoods`, protocols/shared/likelihood_orbits.py)."""
        written = None if self.unwritten() else self.randomizer
        return orbit_reach(self.likelihoods(), n, self.inputs, self.stated_epsilon, written)

    @property
    def stated_epsilon(self) -> Eps:
        """A local eps as certificates state it: the least, rounded up, where that is less than eps0."""
        return min(self.eps0, Eps.of(decimal_above(Fraction(self.local_epsilon.enclosure()[1]), STATED)))


@dataclass(frozen=True)
class KeyValues(LocalSystem):
    """A system whose users have some of d keys, each with a value in [-1, 1] that is rounded to +1 or -1."""

    d: int = parameter("number of keys", whole(1, 10**9))

    @property
    def inputs(self) -> int | None:
        """Each key with +1, with -1, or not there; values between have mixtures of their laws."""
        return 3**self.d if self.d <= MAX_KEYS else None

    def unwritten(self) -> str | None:
        """Why there is no table of more than three keys; else None."""
        if self.d > MAX_KEYS:
            return f"d: {self.d}: the randomizer's 3^d inputs are written out up to d = {MAX_KEYS} only"
        return None
