"""`sample_and_threshold`: sample the users, and show only counts of at least k (Bharadwaj & Cormode, arXiv 2112.05693).

Every user sends its value with probability p, else nothing. Of each value the number of messages is shown if it is at
least k, and otherwise nothing: no other noise. Brave's Nebula deploys it with p = 0.105 and k = 20 for (1, 1e-8)
(arXiv 2409.09676). With c users on a value, T(Bin(c, p)) is shown, T(x) = x for x >= k and else nothing.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import ceil, floor

from flint import arb

from protocols.shared.counts import ball_of, check_target, radius
from verify.enclose.interval import Ends, Interval, exactly, refine, root_of
from verify.enclose.noise_laws import MAX_TRIALS, Binomial
from verify.errors import BadInput, TooMuchWork
from verify.exact.ball import ball, precision
from verify.exact.epsilon import Eps
from verify.exact.randomizer import NOBODY
from verify.exact.rational import DIGITS, natural, probability
from verify.pairs.shifted_noise import ends_of, power_ball
from verify.reduce.reduction import Family, NamedPair, Reduction
from verify.systems.accuracy import Accuracy, bits_for, misses
from verify.systems.declare import System, parameter, prescribed, whole
from verify.systems.noise_order import Order

MOST_LOOKED_AT = 20_000  # numbers of users on a value, k / p of them
HIGHER = Order(Fraction(1), Fraction(10**6), whole=True, lemma="a higher threshold is post-processing")


@dataclass(frozen=True)
class Count:
    """The pair of one value's count that is shown: T(Bin(m, p)) with one user (P), T(Bin(m - 1, p)) without (Q).

    P/Q rises in the count: on x it is m (1 - p) / (m - x), which is at least 1 where P can be larger than Q, and at
    most 1 where nothing is shown. So for e^eps >= 1 the event is one tail x >= t, t >= k, of

        delta(eps) = Pr[Bin(m, p) >= t] - e^eps Pr[Bin(m - 1, p) >= t].

    `removed`: the other direction, Q against P, where the event is the other tail, what is not shown or x < t.
    """

    m: int
    p: Fraction
    k: int
    removed: bool = False

    whole = True  # both laws have mass 1

    def reversed(self) -> "Count":
        """The pair in the other direction."""
        return Count(self.m, self.p, self.k, not self.removed)

    def never_returns(self) -> Fraction:
        """A lower bound on P(Q = 0): all m users are sampled."""
        return self.p**self.m if not self.removed and self.m >= self.k and self.m < 2000 else Fraction(0)

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around delta(eps)."""
        with_one, without = Binomial(self.m, self.p), Binomial(self.m - 1, self.p)
        with precision(bits + 32):
            power = power_ball(eps, bits + 32)
            best = arb(0)
            for t in self._tails(eps):
                if self.removed:
                    value = without.cdf(t - 1) - power * with_one.cdf(t - 1)
                else:
                    value = with_one.survival(t) - power * without.survival(t)
                best = best.max(value)
            return ends_of(best)

    def silent(self, bits: int) -> Ends:
        """Rational ends around Pr[Bin(m - 1, p) < k]: nothing is shown without the user."""
        with precision(bits + 32):
            return ends_of(Binomial(self.m - 1, self.p).cdf(self.k - 1))

    def _tails(self, eps: Eps) -> list[int]:
        """The t of which one is best: next to where P/Q crosses e^eps, and k; each makes an event, so all are sound."""
        low, high = eps.bounds(64)
        if self.removed:  # m (1 - p) / (m - x) < e^-eps
            ends = [self.m - self.m * (1 - self.p) * end for end in (low, high)]
        else:
            ends = [self.m - self.m * (1 - self.p) / end for end in (low, high)]
        around = range(floor(min(ends)), ceil(max(ends)) + 2)
        return sorted({min(max(self.k, t), self.m + 1) for t in around})


@dataclass(frozen=True)
class Counts(Family):
    """The pairs of one value's count for m = 1..users, in both directions or with `added` in that of one more user.

    Once the event's tail begins at k or above of itself, that is for m >= k / (1 - (1 - p) e^-eps), what is shown
    decides as well as the count does: there delta(eps) is that of Bin(m, p) against Bin(m - 1, p), which never rises
    with m, since one more user known to hold the value is post-processing. For m < k nothing is shown. So m from k to
    the first beyond that, which is at most k / p + 1, stand for all.

    The other direction has the likelihood ratio 1 / (1 - p) at most, and is 0 from there on. Below, more m are looked
    at: until Pr[Bin(m, p) < k], which falls in m and bounds delta(eps) of m + 1 as long as t = k, is below what was
    found; and the first m from which on t >= k of itself, from where delta(eps) never rises.

    `by`: for a pair of likelihood ratio at most e^by beside this one, delta(eps - by) stands for delta(eps), and where
    eps < by, delta(0) + 1 - e^(eps - by), since P - t Q = P - Q + (1 - t) Q.
    """

    p: Fraction
    k: int
    users: int
    both: bool
    by: Eps | None = None  # delta(eps - by) stands for delta(eps)

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """The largest delta(eps), the pair that has it, and how many were looked at."""
        at, more = (eps, Fraction(0)) if self.by is None else _less(eps, self.by)
        last = min(self.users, ceil(self.k / (1 - (1 - self.p) / at.bounds(64)[0])) + 1)
        if last - self.k > MOST_LOOKED_AT:
            raise TooMuchWork(f"eps: {eps}: {last - self.k} counts: expected {MOST_LOOKED_AT} at most, so a larger eps")
        pairs = [Count(m, self.p, self.k) for m in range(min(self.k, last), last + 1)]
        rough = [refine(partial(pair.divergence, at), 6) for pair in pairs]
        least = max(value.low for value in rough)
        if self.both and at < Eps.log(1 / (1 - self.p)):
            others = self._removed(at, least)
            rough += [refine(partial(pair.divergence, at), 6) for pair in others]
            pairs, least = pairs + others, max(value.low for value in rough)
        near = [pair for pair, value in zip(pairs, rough, strict=True) if value.high >= least]
        values = [refine(partial(pair.divergence, at), digits) for pair in near]
        best = max(range(len(near)), key=lambda i: values[i].low)
        found = near[best]
        names = (NOBODY, "1") if found.removed else ("1", NOBODY if self.both else "2")
        named = NamedPair(found, *names, {"1": found.m - 1} if found.m > 1 else {})
        top = Interval(values[best].low + more, max(value.high for value in values) + more)
        return top, named, len(pairs)

    def _removed(self, eps: Eps, least: Fraction) -> list[Count]:
        """The pairs that have to be looked at in the other direction, where `least` is attained in this one."""
        rooms = [1 - (1 - self.p) * end for end in eps.bounds(64)]
        first, last = (ceil(self.k / room) if room > 0 else self.users + 1 for room in rooms)  # from where t >= k
        m = ceil(self.k / self.p) + 1
        while m < min(last, self.users) and refine(Count(m + 1, self.p, self.k).silent, 4).high > least:
            m += m // 8 + 1
        if m > MOST_LOOKED_AT:
            raise TooMuchWork(f"eps: {eps}: more than {MOST_LOOKED_AT} counts: expected a larger eps, or fewer users")
        looked_at = {*range(self.k, m + 1), *range(first, last + 2)}
        return [Count(m, self.p, self.k, removed=True) for m in sorted(looked_at) if m <= self.users]

    def never_returns(self) -> Fraction:
        """A lower bound on P(Q = 0): exactly k users, all sampled."""
        return self.p**self.k if self.k <= min(self.users, 2000) else Fraction(0)


def _less(eps: Eps, by: Eps) -> tuple[Eps, Fraction]:
    """An eps of at most eps - by, near to it; 0 with 1 - e^(eps - by) where that is below 0."""
    ratio = eps.bounds(128)[0] / by.bounds(128)[1]
    below = Fraction(floor(ratio * 2**100), 2**100)
    return (Eps.log(below), Fraction(0)) if below >= 1 else (Eps.of(0), 1 - below)


@dataclass(frozen=True)
class SampleAndThreshold(System):
    """Sampling with probability p, and a threshold k on what is shown: no other noise."""

    VIEWS = ("shuffled",)
    REACH = """a user who comes or goes: exact over all datasets; a user who is replaced: two-sided, between the value
    that is left (attained) and both values (dominating)"""

    p: Fraction = parameter("probability that a user sends its value", probability)
    k: int = parameter("least number of messages of a value that is shown", whole(2, 10**6), order=HIGHER)

    def unwritten(self) -> str:
        """There is no table: what is shown depends on all users."""
        return (
            "sample_and_threshold: the threshold is not a user's, so there is no randomizer: expected the shuffled view"
        )

    def _checked(self) -> None:
        if not 0 < self.p < 1:
            raise BadInput("p: expected above 0 and below 1: 0 shows nothing, and 1 samples nobody")

    def reach(self, n: int) -> Reduction:
        """A user moves from a value a to another one, b. Attained: b has no other user. Dominating: eps + log(1 - p).

        Proof. The counts of a and b are independent, so the pair is the product of (P, Q) of a and of the reverse pair
        of b. Where nothing of b is shown, as with c_b = 0 and k >= 2, that one is trivial, and the pair is that of a.
        In general the likelihood ratio of the second pair is at most 1/(1 - p): it is the law without one user against
        that with, which is at least (1 - p) of it. Multiplying Q by it: delta(eps) <= delta of a at e^eps (1 - p). The
        reverse of the pair is the pair with a and b exchanged.
        """
        self._checked()
        attained = Counts(self.p, self.k, n, both=False)
        above = Counts(self.p, self.k, n, both=False, by=Eps.log(1 / (1 - self.p)))
        by = "a value without other users (below); its likelihood ratio bounded by 1/(1 - p) (above)"
        return self._reduction(attained, f"{by} (proof in protocols/sample_and_threshold.py, reach)", above)

    def arrival(self, n: int, users: int) -> Reduction:
        """A user who comes or goes: one value's count, both directions, all numbers of others on it.

        Raises BadInput where not all users are honest (`share_of`).
        """
        self._checked()
        self.share_of(Fraction(n, users))
        by = "one value's count, every number of users on it (proof in protocols/sample_and_threshold.py, Counts)"
        return self._reduction(Counts(self.p, self.k, n, both=True), by, None)

    def _reduction(self, attained: Counts, by: str, above: Counts | None) -> Reduction:
        seen = {"view": "thresholded counts", "p": str(self.p), "k": self.k, "users": attained.users}
        return Reduction(attained, by, None, above, mechanism=seen, attained_mechanism=seen)

    def share_of(self, part: Fraction) -> "SampleAndThreshold":
        """What a part of the users does: of all of them only. Raises BadInput for fewer.

        Messages of the others that lift a value to the threshold show a count of 1, so that no eps keeps delta < p.
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
        share = prescribed(lambda: (1 - (-ball_of(eps)).exp()) / 6, up=False)

        def least() -> arb:
            return ball(1 / delta).log() / (ball(Fraction(6)).log() - ball(Fraction(6, 7)))

        threshold = prescribed(least, up=True)
        found = {"p": share, "k": Fraction(max(2, ceil(threshold)))}
        return {key: value for key, value in found.items() if key not in given}
