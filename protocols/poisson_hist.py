"""`poisson_hist`: histograms with Poisson noise in every bucket (GKMP Section 5.2, Theorem 11).

A user with value x in 1..buckets draws Z_b ~ Poi(lam/n) for every bucket b and sends 1[x = b] + Z_b copies of the
message b. Only the number of messages of each bucket is seen; the buckets are independent:

    c_b + Poi(lam),   c_b = |{i: x_i = b}|,   b = 1..buckets.

The analyzer takes every bucket's number of messages and subtracts lam.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from shufflecert.protocols.poisson import theorem_11
from shufflecert.protocols.shared.counts import buckets_of, check_target, endless, histogram_accuracy, histogram_reach
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS, Poisson, positive
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import natural
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.declare import ADDED, FEWER, Accuracy, System, bits_for, counted, parameter
from shufflecert.verify.systems.largest_error import Errors, expected_maximum


@dataclass(frozen=True)
class PoissonHist(System):
    """The Poisson Mechanism in every bucket of a histogram: c_b + Poi(lam) messages of bucket b."""

    SERVES = ("histogram buckets",)
    UNWRITTEN = endless("Poi(lam/n)")
    ALIKE = 1, "buckets"
    REACH = "exact over all datasets, whatever n: the two buckets that move, jointly"

    buckets: int = parameter("number of buckets, the inputs are 1..buckets", buckets_of, order=counted(2, 10**6, FEWER))
    lam: Fraction = parameter("mean of the noise in each bucket, of all users together", positive, order=ADDED)

    def reach(self, n: int) -> Reduction:
        """The reduction to (X + 1, Y) against (X, Y + 1), X and Y iid Poi(lam), proved in protocols/hist.py."""
        by = "the other buckets and users drop out (proof in protocols/hist.py, reduction)"
        return histogram_reach(Poisson(self.lam), self.buckets, by)

    def share_of(self, part: Fraction) -> "PoissonHist":
        """What a part of the users adds together: c_b + Poi(part lam)."""
        return PoissonHist(self.buckets, self.lam * part)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """The estimated number of users in each bucket: (number of its messages) - lam."""
        return tuple(messages.get(str(b), 0) - self.lam for b in range(1, self.buckets + 1))

    def accuracy(self, n: int, alpha: Fraction | None = None) -> Accuracy:
        """The errors Poi(lam) - lam; a user sends 1 + buckets lam/n messages, expected, of ceil(log2 buckets) bits."""
        messages = 1 + self.buckets * self.lam / natural(n, "n", most=MAX_TRIALS)
        return histogram_accuracy(Poisson(self.lam), self.buckets, alpha, messages, bits_for(self.buckets))

    def simultaneous(self, n: int) -> Interval:
        """The expected largest error, E max over buckets of |error|, in users, whatever the data and n are."""
        return expected_maximum([Errors.of(Poisson(self.lam), self.buckets)])

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """lam of GKMP Theorem 11 for (eps/2, delta/2): the two buckets that move compose to (eps, delta).

        The paper prints no theorem for this histogram; that of its Corollary 2 splits eps likewise.
        """
        check_target(eps, delta, "GKMP Theorem 11")
        return {} if "lam" in given else {"lam": theorem_11(eps, delta, 1, parts=2)}
