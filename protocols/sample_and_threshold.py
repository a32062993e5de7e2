"""`sample_and_threshold`: sample the users, and show only counts of at least k (Bharadwaj & Cormode, arXiv 2112.05693).

Every user sends its value with probability p, else nothing. Of each value the number of messages is shown if it is at
least k, and otherwise nothing: no other noise. Brave's Nebula deploys it with p = 0.105 and k = 20 for (1, 1e-8)
(arXiv 2409.09676). With c users on a value, T(Bin(c, p)) is shown, T(x) = x for x >= k and else nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil

from flint import arb

from shufflecert.protocols.shared.counts import check_target, radius
from shufflecert.protocols.shared.thresholded_counts import Counts, Dominating, Moved
from shufflecert.verify import certificate
from shufflecert.verify.enclose.interval import exactly, root_of
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS, Binomial
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, natural, probability, text
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.declare import Accuracy, Order, System, bits_for, misses, parameter, prescribed, whole

HIGHER = Order(Fraction(1), Fraction(10**6), whole=True, lemma="a higher threshold is post-processing")


@dataclass(frozen=True)
class SampleAndThreshold(System):
    """Sampling with probability p, and a threshold k on what is shown: no other noise."""

    UNWRITTEN = "the threshold is not a user's, so there is no randomizer"
    REACH = """a user who comes or goes: exact over all datasets; a user who is replaced: two-sided, between real
    counts of both values (attained) and the product of a pair above each (dominating)"""

    p: Fraction = parameter("probability that a user sends its value", probability)
    k: int = parameter("least number of messages of a value that is shown", whole(2, 10**6), order=HIGHER)

    def _checked(self) -> None:
        if not 0 < self.p < 1:
            raise BadInput("p: expected above 0 and below 1: 0 shows nothing, and 1 samples nobody")

    def reach(self, n: int) -> Reduction:
        """A user moves from a value a to another one, b: real pairs (attained), a pair above both values' counts.

        The counts of a and b are independent, so the pair is the product of (P, Q) of a and of the reverse pair of b;
        `Dominating` has the bound and its proof. A certificate states less from above: that the likelihood ratio of the
        second pair is at most 1/(1 - p), since the law with one user is at least (1 - p) times that without. The
        reverse of the pair is the pair with a and b exchanged.
        """
        self._checked()
        known = self.p, self.k, n, False
        ratio = Eps.log(1 / (1 - self.p))
        by = "real counts of both values (below), the product of a pair above each (above; proof in "
        return replace(
            self._reduction(Moved(*known), f"{by}protocols/shared/thresholded_counts.py)", Dominating(*known, ratio)),
            certified=Counts(*known, ratio),
        )

    def arrival(self, n: int, users: int) -> Reduction:
        """A user who comes or goes: one value's count, both directions, all numbers of others on it.

        Raises BadInput where not all users are honest (`share_of`).
        """
        self._checked()
        self.share_of(Fraction(n, users))
        by = "one value's count, every number of users on it (proof in protocols/shared/thresholded_counts.py)"
        return self._reduction(Counts(self.p, self.k, n, both=True), by, None)

    def _reduction(self, attained: Counts, by: str, above: Counts | None) -> Reduction:
        zero, one = certificate.constant(0), certificate.coin(text(self.p))
        seen = certificate.columns("any number", one, zero, attained.users) | {"shown": {"from": self.k}}
        return Reduction(attained, by, None, above, mechanism=seen, attained_mechanism=seen)

    def share_of(self, part: Fraction) -> "SampleAndThreshold":
        """What a part of the users does: of all of them only. Raises BadInput for fewer.

        Messages of the others that lift a value to the threshold show a count of 1, so that no eps satisfies delta < p.
        """
        if part < 1:
            raise BadInput(
                "honest: messages of the other users may lift any value over the threshold, which then hides nothing:"
                " expected all users to be honest"
            )
        return self

    def analyze(self, messages: Mapping[str, int], n: int) -> dict[str, Fraction]:
        """For every value that is shown, the estimated number of users on it: count / p. Raises BadInput for p = 0."""
        if not self.p:
            raise BadInput("p: 0 samples nobody: expected p > 0 to estimate anything")
        return {value: count / self.p for value, count in messages.items() if count >= self.k}

    def accuracy(self, n: int, alpha: Fraction | None = None) -> Accuracy:
        """Of a value that all users hold, as if it were shown: the error of Bin(n, p) / p.

        With alpha, Pr[|error| > alpha] for these data. Raises BadInput for p = 0, and for a negative alpha.
        """
        users = natural(n, "n", most=MAX_TRIALS)
        if not self.p:
            raise BadInput("p: 0 samples nobody: expected p > 0 to estimate anything")
        rmse = root_of(users * (1 - self.p) / self.p)
        what, worst = "the number of users on one value that is shown", "all users on it"
        failure = None if alpha is None else misses(Binomial(users, self.p), users * self.p, radius(alpha) * self.p)
        return Accuracy(what, rmse, failure, exactly(self.p), bits_for(2), worst, Fraction(1))

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """What Brave deploys: p = (1 - e^-eps) / 6 and k = ceil(ln(1/delta) / C), C = ln 6 - 6/7; n does not matter.

        That is alpha = 1/6 in Bharadwaj & Cormode's p = alpha (1 - e^-eps), C = ln(1/alpha) - 1/(1 + alpha), rounded to
        fewer messages and a higher threshold. Raises BadInput unless eps > 0 and 0 < delta < 1.
        """
        check_target(eps, delta, "arXiv 2112.05693")
        share = prescribed(lambda: (1 - (-eps.ball()).exp()) / 6, up=False)

        def least() -> arb:
            return ball(1 / delta).log() / (ball(Fraction(6)).log() - ball(Fraction(6, 7)))

        threshold = prescribed(least, up=True)
        found = {"p": share, "k": Fraction(max(2, ceil(threshold)))}
        return {key: value for key, value in found.items() if key not in given}
