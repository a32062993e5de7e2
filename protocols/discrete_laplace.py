"""`discrete_laplace`: the central model's sum with discrete Laplace noise, to compare with (GKMP Section 1.2).

A curator is handed the inputs x in 0..sensitivity and releases one number,

    s + DLap,   s = x_1 + ... + x_n,   Pr[DLap = k] = (1 - q) / (1 + q) q^|k|.

No messages are shuffled: the release is the view, written as one message, the number.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from shufflecert.protocols.shared.central import Curated, released_number
from shufflecert.protocols.shared.counts import (
    NoisyCount,
    any_input,
    check_target,
    count_accuracy,
    decay,
    sensitivities,
)
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS, DiscreteLaplace, open_unit
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import natural
from shufflecert.verify.systems.declare import RATIO, Accuracy, bits_for, parameter


@dataclass(frozen=True)
class DiscreteLaplaceSum(NoisyCount, Curated):
    """The Discrete Laplace Mechanism of the central model: a curator releases s + DLap."""

    REACH = "exact over all datasets, whatever n: the noise and its shift by the sensitivity, both directions"
    REDUCED = "the others only shift both sides, and the largest shift is the worst"

    q: Fraction = parameter("ratio of the noise: e^-s for the scale 1/s", open_unit, order=RATIO)
    sensitivity: int = any_input()

    @property
    def noise(self) -> DiscreteLaplace:
        """The curator's noise, DLap with ratio q."""
        return DiscreteLaplace(self.q)

    def analyze(self, messages: Mapping[str, int], n: int) -> Fraction:
        """The released number. Raises BadInput unless it is the one message."""
        return Fraction(released_number(messages))

    def accuracy(self, n: int, alpha: Fraction | None = None) -> Accuracy:
        """The accuracy of a release, with the error DLap. No messages are shuffled, so none are counted.

        The bits are those of an input.
        """
        natural(n, "n", most=MAX_TRIALS)
        return count_accuracy(self.noise, alpha, Fraction(0), bits_for(self.sensitivity + 1))

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """q = e^(-eps / sensitivity), which keeps (eps, 0); exact where rational, else 64 bits, rounded up.

        Up is the private side: P/Q is at most q^-sensitivity.
        """
        check_target(eps, delta, "GKMP Section 2")
        sensitivity = sensitivities(given.get("sensitivity", 1), "sensitivity")
        return {} if "q" in given else {"q": decay(eps, Fraction(1, sensitivity))}
