"""`poisson`: sums with Poisson noise, in the number of equal messages (GKMP Algorithms 1, 2, Theorem 11).

A user with input x in 0..sensitivity draws Z ~ Poi(lam/n) and sends x + Z copies of the message 1. Only the number of
messages is seen; the sum of n draws of Poi(lam/n) is one of Poi(lam), whatever n is:

    s + Poi(lam),   s = x_1 + ... + x_n.

The analyzer takes the number of messages and subtracts lam.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from protocols.shared.arrival import arrival_reach
from protocols.shared.counts import ball_of, check_target, count_accuracy, count_reach, sensitivities, unwritten
from verify.enclose.interval import Interval
from verify.enclose.noise_laws import MAX_TRIALS, Poisson, positive
from verify.exact.ball import ball
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.exact.rational import natural
from verify.pairs.shifted_noise import MAX_SHIFT
from verify.reduce.reduction import Reduction
from verify.systems.accuracy import Accuracy
from verify.systems.declare import ADDED, INPUTS, System, counted, is_input, parameter, prescribed
from verify.systems.largest_error import mean_deviation


@dataclass(frozen=True)
class PoissonSum(System):
    """The Poisson Mechanism, distributed: s + Poi(lam) messages, for inputs 0 to `sensitivity`."""

    VIEWS = ("shuffled",)
    REACH = "exact over all datasets, whatever n: Poisson noise and its shift by the sensitivity, both directions"

    lam: Fraction = parameter("mean of the noise, of all users together", positive, order=ADDED)
    sensitivity: int = parameter(
        "largest input, the inputs are 0..sensitivity", sensitivities, 1, order=counted(1, MAX_SHIFT, INPUTS)
    )

    def randomizer(self) -> Randomizer:
        """Not known as a table: raises BadInput, since a user may send any number of messages."""
        raise unwritten("poisson", "Poi(lam/n)")

    def reach(self, n: int) -> Reduction:
        """The reduction to Poi(lam) against its shifts: the others' inputs only shift both laws (GKMP Obs. 8)."""
        by = "the others only shift both sides (GKMP Observation 8), and the largest shift is the worst"
        return count_reach(
            Poisson(self.lam), f"{by} (proof in protocols/shared/counts.py, count_reach)", self.sensitivity
        )

    def stands_for_all(self, reference: str) -> bool:
        """The smallest and the largest input do: the worst pair is theirs (protocols/shared/counts.py, count_reach)."""
        return is_input(reference, 0, self.sensitivity) and reference in ("0", str(self.sensitivity))

    def share_of(self, part: Fraction) -> "PoissonSum":
        """What a part of the users adds together: s + Poi(part lam)."""
        return PoissonSum(self.lam * part, self.sensitivity)

    def arrival(self, n: int, users: int) -> Reduction:
        """A user who comes or goes, n honest with that one: noise of mean n lam/users or (n - 1) lam/users."""
        return arrival_reach(
            Poisson(self.lam * n / users), Poisson(self.lam * (n - 1) / users) if n > 1 else None, self.sensitivity
        )

    def analyze(self, messages: Mapping[str, int], n: int) -> Fraction:
        """The estimated sum of the inputs: (number of messages) - lam."""
        return messages.get("1", 0) - self.lam

    def accuracy(self, n: int, alpha: Fraction | None = None) -> Accuracy:
        """The error Poi(lam) - lam; a user sends at most sensitivity + lam/n messages expected (GKMP Obs. 9, 10)."""
        users = natural(n, "n", most=MAX_TRIALS)
        return count_accuracy(Poisson(self.lam), alpha, self.sensitivity + self.lam / users, 1)

    @classmethod
    def serves(cls, task: str, buckets: int | None) -> dict[str, str] | None:
        """The task that it solves: sums."""
        return {} if task == "sum" else None

    def simultaneous(self, n: int) -> Interval:
        """The expected error E |error|, in users, whatever the data and n are."""
        return mean_deviation(Poisson(self.lam))

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """lam of GKMP Theorem 11, `theorem_11`; n does not matter."""
        check_target(eps, delta, "GKMP Theorem 11")
        sensitivity = sensitivities(given.get("sensitivity", 1), "sensitivity")
        return {} if "lam" in given else {"lam": theorem_11(eps, delta, sensitivity)}


def theorem_11(eps: Eps, delta: Fraction, sensitivity: int, parts: int = 1) -> Fraction:
    """16 ln(10/delta) / (1 - e^(-eps/sensitivity))^2 + 2 sensitivity / (1 - e^(-eps/sensitivity)), 64 bits, rounded up.

    For eps / parts and delta / parts in their place. Up is the private side: a draw of Poi(lam') is one of Poi(lam)
    and one of Poi(lam' - lam) for lam' >= lam, and adding independent noise is post-processing.
    """

    def value() -> arb:
        gap = -(-ball_of(eps) / (parts * sensitivity)).expm1()
        return 16 * ball(10 * parts / delta).log() / gap**2 + 2 * sensitivity / gap

    return prescribed(value, up=True)
