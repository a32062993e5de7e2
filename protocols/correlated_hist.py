"""`correlated_hist`: histograms with `correlated` noise in every bucket (GKMP Corollary 2).

A user with value x in 1..buckets runs `correlated` in every bucket b, with the bit 1[x = b], and sends its messages as
+b and -b. Only how many there are of each is seen; the buckets are independent:

    (c_b + Z1 + Z3, Z2 + Z3),   c_b = |{i: x_i = b}|,   Z1, Z2 ~ NB(1, q), Z3 ~ NB(r, p),   b = 1..buckets.

The analyzer answers the difference in every bucket: its errors are independent discrete Laplace noises with ratio q.

Lemma. All pairs of neighbours have the divergence of (P, Q) x (Q, P), for (P, Q) the pair of protocols/correlated.py:
the buckets that do not move and the other users drop out as in protocols/hist.py (reduction), whatever the noise. For
e^eps >= 1/q it lies between D / (1 + q) and D, where D is the divergence of Q against P at eps - log(1/q).

Proof of the last. The first factor has the atom (1, q) / (1 + q), and no atom (x, y) of it has y < q x. So, with
(x', y') the other factor's atoms and t = q e^eps, sum max(x x' - e^eps y y', 0) is at least
1/(1 + q) sum max(x' - t y', 0), and at most sum x max(x' - t y', 0), where the x sum to 1.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from shufflecert.protocols.correlated import CorrelatedPair, messages_expected, theorem_1
from shufflecert.protocols.shared.counts import buckets_of, endless, histogram_accuracy, window_size
from shufflecert.verify import certificate
from shufflecert.verify.enclose.interval import Interval, refine
from shufflecert.verify.enclose.noise_laws import DiscreteLaplace, NegativeBinomial, open_unit, positive
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import DIGITS
from shufflecert.verify.pairs.windowed import Product
from shufflecert.verify.reduce.reduction import Family, NamedPair, Pairs, Reduction
from shufflecert.verify.systems.declare import ADDED, FEWER, RATIO, Accuracy, System, bits_for, counted, parameter
from shufflecert.verify.systems.largest_error import Errors, expected_maximum

LONG = 400_000  # points of a window at 256 bits from which the product is enclosed by the lemma's two bounds


@dataclass(frozen=True)
class Between(Family):
    """A family of one pair, (P, Q) x (Q, P), whose divergence is enclosed by the bounds of the lemma."""

    q: Fraction
    back: CorrelatedPair
    named: NamedPair

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """The lemma's bounds; below log(1/q) either direction alone, and the two composed as (eps, .) and (0, .)."""
        if eps >= Eps.log(1 / self.q):
            low, high = (max(Fraction(1), end * self.q) for end in eps.bounds(8 * digits))
            least = refine(lambda bits: self.back.divergence(Eps.log(high), bits), digits).low / (1 + self.q)
            most = refine(lambda bits: self.back.divergence(Eps.log(low), bits), digits).high
            return Interval(least, most), self.named, 1
        forth = CorrelatedPair(self.q, self.back.noise)
        ones = [refine(partial(one.divergence, eps), digits) for one in (forth, self.back)]
        zero = refine(lambda bits: self.back.divergence(Eps.of(0), bits), digits)
        return Interval(max(one.low for one in ones), min(Fraction(1), ones[0].high + zero.high)), self.named, 1

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0): that of the factor (Q, P)."""
        return self.back.infinity_mass()


@dataclass(frozen=True)
class CorrelatedHist(System):
    """The Correlated Distributed Mechanism in every bucket of a histogram."""

    SERVES = ("histogram buckets",)
    UNWRITTEN = endless("NB(1/n, q), NB(r/n, p)")
    ALIKE = 1, "buckets"
    REACH = "exact over all datasets, whatever n: the two buckets that move, jointly; within 1 + q for much noise"
    WITHIN = "discrete_laplace"

    buckets: int = parameter("number of buckets, the inputs are 1..buckets", buckets_of, order=counted(2, 10**6, FEWER))
    q: Fraction = parameter(
        "ratio of the noise that is left in the answer: e^-s for discrete Laplace noise", open_unit, order=RATIO
    )
    r: Fraction = parameter(
        "shape of the noise that both messages of a bucket share, of all users together", positive, order=ADDED
    )
    p: Fraction = parameter("ratio of the noise that both messages of a bucket share", open_unit, order=RATIO)

    @property
    def shared(self) -> NegativeBinomial:
        """The law of Z3 of one bucket, summed over all users."""
        return NegativeBinomial(self.r, self.p)

    def reach(self, n: int) -> Reduction:
        """The reduction to the product of the lemma, or where its windows are long to the lemma's bounds."""
        forth, back = CorrelatedPair(self.q, self.shared), CorrelatedPair(self.q, self.shared, back=True)
        named = NamedPair(Product(forth, back), "1", "2")
        family: Family = Pairs([named])
        by = "the other buckets and users drop out (proof in protocols/hist.py, reduction)"
        if self.shared.log_concave and window_size(self.shared, 256) > LONG:
            family, by = Between(self.q, back, named), f"{by}; bounds by the lemma in protocols/correlated_hist.py"
        seen = certificate.correlated_histogram(self.q, self.shared.to_json(), self.buckets)
        return Reduction(family, by, self.buckets, mechanism=seen)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[int, ...]:
        """The estimated number of users in each bucket b: (number of messages +b) - (number of messages -b)."""
        return tuple(messages.get(f"+{b}", 0) - messages.get(f"-{b}", 0) for b in range(1, self.buckets + 1))

    def accuracy(self, n: int, alpha: Fraction | None = None) -> Accuracy:
        """The errors Z1 - Z2; `messages_expected` messages of ceil(log2 buckets) + 1 bits (GKMP Corollary 2)."""
        messages = messages_expected(self.q, self.shared, n, self.buckets)
        bits = bits_for(self.buckets) + 1
        return histogram_accuracy(DiscreteLaplace(self.q), self.buckets, alpha, messages, bits)

    def simultaneous(self, n: int) -> Interval:
        """The expected largest error, E max over buckets of |error|, in users, whatever the data and n are."""
        return expected_maximum([Errors.of(DiscreteLaplace(self.q), self.buckets)])

    @classmethod
    def floor(cls, values: Mapping[str, Fraction], eps: Eps) -> Fraction:
        """A lower bound on delta(eps) that depends on q alone, whatever the law of the shared noise.

        Proof. The differences u - v of the two buckets that move are their counts and independent discrete Laplace
        noises, without Z3: that is data processing. Of two neighbours, one is shifted by 1 and the other by -1. All
        that move both along have P = 1/(1 + q)^2 and Q = q^2 P.
        """
        if "q" not in values:
            return Fraction(0)
        q, power = values["q"], eps.bounds(64)[1]
        return max(Fraction(0), 1 - power * q**2) / (1 + q) ** 2

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """q, r and p of GKMP Corollary 2 with gamma = 1/100: Theorem 1 for (eps/2, delta/2), twice (`theorem_1`)."""
        return theorem_1(eps, delta, given, parts=2)
