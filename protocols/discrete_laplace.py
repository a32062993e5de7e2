"""`discrete_laplace`: the central model's sum with discrete Laplace noise, to compare with (GKMP Section 1.2).

A curator is handed the inputs x in 0..sensitivity and releases one number,

    s + DLap,   s = x_1 + ... + x_n,   Pr[DLap = k] = (1 - q) / (1 + q) q^|k|.

No messages are shuffled: the release is what is seen, written as one message, the number.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from protocols.shared.central import Curated, released_number
from protocols.shared.counts import check_target, count_accuracy, count_reach, decay, sensitivities
from verify.enclose.interval import Interval
from verify.enclose.noise_laws import MAX_TRIALS, DiscreteLaplace, open_unit
from verify.exact.epsilon import Eps
from verify.exact.rational import natural
from verify.pairs.shifted_noise import MAX_SHIFT
from verify.reduce.reduction import Reduction
from verify.systems.accuracy import Accuracy, bits_for
from verify.systems.declare import INPUTS, RATIO, counted, is_input, parameter
from verify.systems.largest_error import mean_deviation


@dataclass(frozen=True)
class DiscreteLaplaceSum(Curated):
    """The Discrete Laplace Mechanism of the central model: a curator releases s + DLap."""

    VIEWS = ("shuffled",)
    REACH = "exact over all datasets, whatever n: the noise and its shift by the sensitivity, both directions"

    q: Fraction = parameter("ratio of the noise: e^-s for the scale 1/s", open_unit, order=RATIO)
    sensitivity: int = parameter(
        "largest input, the inputs are 0..sensitivity", sensitivities, 1, order=counted(1, MAX_SHIFT, INPUTS)
    )

    def reach(self, n: int) -> Reduction:
        """The reduction to DLap against its shifts: the others' inputs are known numbers, which shift both sides."""
        by = "the others only shift both sides, and the largest shift is the worst"
        noise = DiscreteLaplace(self.q)
        return count_reach(noise, f"{by} (proof in protocols/shared/counts.py, count_reach)", self.sensitivity)

    def stands_for_all(self, reference: str) -> bool:
        """The smallest and the largest input do: the worst pair is theirs (protocols/shared/counts.py, count_reach)."""
        return is_input(reference, 0, self.sensitivity) and reference in ("0", str(self.sensitivity))

    def arrival(self, n: int, users: int) -> Reduction:
        """A user who comes or goes shifts s by the input: the pairs of `reach`, and those of smaller inputs."""
        return self.reach(n)

    def analyze(self, messages: Mapping[str, int], n: int) -> int:
        """The released number. Raises BadInput unless it is the one message."""
        return released_number(messages)

    def accuracy(self, n: int, alpha: Fraction | None = None) -> Accuracy:
        """The accuracy of a release, with the error DLap. No messages are shuffled, so none are counted.

        The bits are those of an input.
        """
        natural(n, "n", most=MAX_TRIALS)
        return count_accuracy(DiscreteLaplace(self.q), alpha, Fraction(0), bits_for(self.sensitivity + 1))

    @classmethod
    def serves(cls, task: str, buckets: int | None) -> dict[str, str] | None:
        """The task that it solves: sums."""
        return {} if task == "sum" else None

    def simultaneous(self, n: int) -> Interval:
        """The expected error E |error|, in users, whatever the data and n are."""
        return mean_deviation(DiscreteLaplace(self.q))

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """q = e^(-eps / sensitivity), which keeps (eps, 0); exact where rational, else 64 bits, rounded up.

        Up is the private side: P/Q is at most q^-sensitivity.
        """
        check_target(eps, delta, "GKMP Section 2")
        sensitivity = sensitivities(given.get("sensitivity", 1), "sensitivity")
        return {} if "q" in given else {"q": decay(eps, Fraction(1, sensitivity))}
