"""`negative_binomial`: sums with negative binomial noise, in the number of equal messages (GKMP Alg. 1, 2, Theorem 13).

A user with input x in 0..sensitivity draws Z ~ NB(r/n, p) and sends x + Z copies of the message 1. Only the number of
messages is seen; the sum of n draws of NB(r/n, p) is one of NB(r, p), whatever n is:

    s + NB(r, p),   s = x_1 + ... + x_n,   Pr[NB(r, p) = k] = C(k + r - 1, k) (1 - p)^r p^k.

The analyzer takes the number of messages and subtracts the mean r p / (1 - p).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from protocols.shared.arrival import arrival_reach
from protocols.shared.counts import ball_of, check_target, count_accuracy, count_reach, decay, sensitivities, unwritten
from verify.enclose.interval import Interval
from verify.enclose.noise_laws import MAX_TRIALS, NegativeBinomial, open_unit, positive
from verify.exact.ball import ball
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.exact.rational import natural
from verify.pairs.shifted_noise import MAX_SHIFT
from verify.reduce.reduction import Reduction
from verify.systems.accuracy import Accuracy
from verify.systems.declare import ADDED, INPUTS, RATIO, System, counted, is_input, parameter, prescribed
from verify.systems.largest_error import mean_deviation


@dataclass(frozen=True)
class NegativeBinomialSum(System):
    """The Negative Binomial Mechanism, distributed: s + NB(r, p) messages, for inputs 0 to `sensitivity`."""

    VIEWS = ("shuffled",)
    REACH = "exact over all datasets, whatever n: the noise and its shift by the sensitivity, both directions"
    WITHIN = "poisson"

    r: Fraction = parameter("shape of the noise, of all users together", positive, order=ADDED)
    p: Fraction = parameter("ratio of the noise: its mean is r p / (1 - p)", open_unit, order=RATIO)
    sensitivity: int = parameter(
        "largest input, the inputs are 0..sensitivity", sensitivities, 1, order=counted(1, MAX_SHIFT, INPUTS)
    )

    @property
    def noise(self) -> NegativeBinomial:
        """The noise of all users together, NB(r, p)."""
        return NegativeBinomial(self.r, self.p)

    def randomizer(self) -> Randomizer:
        """Not known as a table: raises BadInput, since a user may send any number of messages."""
        raise unwritten("negative_binomial", "NB(r/n, p)")

    def reach(self, n: int) -> Reduction:
        """The reduction to NB(r, p) against its shifts: the others' inputs only shift both laws (GKMP Obs. 8)."""
        by = "the others only shift both sides (GKMP Observation 8), and the largest shift is the worst"
        return count_reach(self.noise, f"{by} (proof in protocols/shared/counts.py, count_reach)", self.sensitivity)

    def stands_for_all(self, reference: str) -> bool:
        """The smallest and the largest input do: the worst pair is theirs (protocols/shared/counts.py, count_reach)."""
        return is_input(reference, 0, self.sensitivity) and reference in ("0", str(self.sensitivity))

    def share_of(self, part: Fraction) -> "NegativeBinomialSum":
        """What a part of the users adds together: s + NB(part r, p)."""
        return NegativeBinomialSum(self.r * part, self.p, self.sensitivity)

    def arrival(self, n: int, users: int) -> Reduction:
        """A user who comes or goes, n of `users` honest with that one: noise of shape n r/users or (n - 1) r/users."""
        coming, without = (self.r * k / users for k in (n, n - 1))
        return arrival_reach(
            NegativeBinomial(coming, self.p), NegativeBinomial(without, self.p) if without else None, self.sensitivity
        )

    def analyze(self, messages: Mapping[str, int], n: int) -> Fraction:
        """The estimated sum of the inputs: (number of messages) - r p / (1 - p)."""
        return messages.get("1", 0) - self.noise.mean

    def accuracy(self, n: int, alpha: Fraction | None = None) -> Accuracy:
        """The error is noise - mean; a user sends at most sensitivity + mean/n messages expected (GKMP Obs. 9, 10)."""
        users = natural(n, "n", most=MAX_TRIALS)
        return count_accuracy(self.noise, alpha, self.sensitivity + self.noise.mean / users, 1)

    @classmethod
    def serves(cls, task: str, buckets: int | None) -> dict[str, str] | None:
        """The task that it solves: sums."""
        return {} if task == "sum" else None

    def simultaneous(self, n: int) -> Interval:
        """The expected error E |error|, in users, whatever the data and n are."""
        return mean_deviation(self.noise)

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """r and p of GKMP Theorem 13 (which allows delta = 0, where r is infinite), `theorem_13`; n does not matter."""
        check_target(eps, delta, "GKMP Theorem 13")
        sensitivity = sensitivities(given.get("sensitivity", 1), "sensitivity")
        return {name: value for name, value in theorem_13(eps, delta, sensitivity).items() if name not in given}


def theorem_13(
    eps: Eps, delta: Fraction, sensitivity: int, share: Fraction = Fraction(1), factor: Fraction = Fraction(1)
) -> dict[str, Fraction]:
    """p = e^(-0.1 eps / sensitivity) and r = 50 e^(eps / sensitivity) ln(1/delta), both 64 bits, rounded up.

    For share (eps + ln(factor)) in the place of eps. Up is the private side: p' >= p belongs to a smaller eps', which
    asks for a smaller r', so (r', p') keeps (eps', delta); and for r >= r' a draw of NB(r, p') is one of NB(r', p') and
    one of NB(r - r', p'), and adding independent noise is post-processing. Raises BadInput where p is 1 in 64 bits.
    """
    each = share / sensitivity
    p = decay(eps, each / 10, factor)

    def r() -> arb:
        return 50 * ((ball_of(eps) + ball(factor).log()) * ball(each)).exp() * -ball(delta).log()

    return {"r": prescribed(r, up=True), "p": p}
