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

from shufflecert.protocols.shared.arrival import arrival_reach
from shufflecert.protocols.shared.counts import NoisyCount, any_input, check_target, endless, sensitivities
from shufflecert.verify.enclose.noise_laws import Poisson, positive
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.declare import ADDED, parameter, prescribed


@dataclass(frozen=True)
class PoissonSum(NoisyCount):
    """The Poisson Mechanism, distributed: s + Poi(lam) messages, for inputs 0 to `sensitivity`."""

    REACH = "exact over all datasets, whatever n: Poisson noise and its shift by the sensitivity, both directions"
    UNWRITTEN = endless("Poi(lam/n)")

    lam: Fraction = parameter("mean of the noise, of all users together", positive, order=ADDED)
    sensitivity: int = any_input()

    @property
    def noise(self) -> Poisson:
        """The noise of all users together, Poi(lam)."""
        return Poisson(self.lam)

    def share_of(self, part: Fraction) -> "PoissonSum":
        """What a part of the users adds together: s + Poi(part lam)."""
        return PoissonSum(self.lam * part, self.sensitivity)

    def arrival(self, n: int, users: int) -> Reduction:
        """A user who comes or goes, n honest with that one: noise of mean n lam/users or (n - 1) lam/users."""
        return arrival_reach(
            Poisson(self.lam * n / users), Poisson(self.lam * (n - 1) / users) if n > 1 else None, self.sensitivity
        )

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
        gap = -(-eps.ball() / (parts * sensitivity)).expm1()
        return 16 * ball(10 * parts / delta).log() / gap**2 + 2 * sensitivity / gap

    return prescribed(value, up=True)
