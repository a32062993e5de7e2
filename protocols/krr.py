"""`krr`: k-ary randomized response (BBGN Section 3).

A user with value x in 0..k-1 sends the one message x with probability 1 - gamma, else one of the k values uniformly
(x among them):

    Pr[R(x) = y] = gamma/k + (1 - gamma) 1[x = y].

The view is the histogram of n messages, a sum of independent multinomials.
Local eps = log(1 + k (1 - gamma) / gamma). For k = 2 it is `rr` with flip = gamma/2.
The analyzer builds the histogram of the received messages, here with its bias taken out.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from typing import ClassVar

from shufflecert.protocols.shared.column_accuracy import Column, column_accuracy
from shufflecert.protocols.shared.column_maximum import columns_maximum
from shufflecert.protocols.shared.likelihood_orbits import Likelihoods, blanket_reach
from shufflecert.protocols.shared.one_column import AllColumns
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import Law, Randomizer, plus_vectors
from shufflecert.verify.exact.rational import ball, probability, shorten
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.declare import (
    UNIFORM,
    Accuracy,
    Synonyms,
    System,
    bits_for,
    counted,
    least_share,
    parameter,
    prescribed,
    whole,
)

MAX_WRITTEN = 200  # k up to which the k^2 probabilities are written out; the reduction has no such limit

values = whole(2, 10**6)


def check_target(n: int, eps: Eps, delta: Fraction) -> None:
    """Raise BadInput where BBGN Theorem 3.1 prescribes nothing: unless n >= 2, 0 < eps <= 1 and 0 < delta <= 1."""
    if n < 2:
        raise BadInput(f"n: {n}: expected at least 2 (BBGN Theorem 3.1)")
    if eps <= Eps.of(0) or eps > Eps.of(1):
        raise BadInput(f"eps: {shorten(str(eps))}: expected above 0 and at most 1 (BBGN Theorem 3.1)")
    if not 0 < delta <= 1:
        raise BadInput(f"delta: {shorten(delta)}: expected above 0 and at most 1 (BBGN Theorem 3.1)")


@dataclass(frozen=True)
class KRR(System):
    """k-ary randomized response: the truth with probability 1 - gamma, else uniform over all k values."""

    SYNONYMS: ClassVar[Synonyms] = {"GRR": {}, "k-RR": {}}
    SERVES = "sum k=2", "histogram k"
    ALIKE = 0, "k"
    LOCAL = "gamma"
    REACH = """two-sided: all others on one value (attained) and the privacy blanket (dominating), within about 1e-4 of
    each other for k >= 3; k = 2 is `rr`, exact"""

    k: int = parameter("number of values, the inputs are 0..k-1", values, order=counted(2, 10**6))
    gamma: Fraction = parameter("probability of a uniformly random message", probability, order=UNIFORM)

    def unwritten(self) -> str | None:
        """Why there is no table for k > 200; else None."""
        said = f"k: {self.k}: the randomizer's k^2 outputs are written out for k <= {MAX_WRITTEN} only"
        return said if self.k > MAX_WRITTEN else None

    def randomizer(self) -> Randomizer:
        """k outputs for each of k inputs. Raises BadInput for k > 200."""
        self.check_written()
        inputs, blanket = range(self.k), self.gamma / self.k
        return Randomizer.of({x: {y: blanket + (1 - self.gamma) * (x == y) for y in inputs} for x in inputs})

    def reduction(self, n: int) -> Iterator[Pair]:
        """One pair for every number of others on a, on b, and partition of the rest into at most k - 2 third values.

        The outcome counts the messages a, b, each third value that some other user holds, and all unheld values
        together.

        Proof. (i) Renaming the values is a symmetry: only the numbers of others on a, on b and, as a multiset, on the
        third values matter. (ii) An unheld value u is sent by each user, on both sides, with probability gamma/k. So
        given the number of messages that are unheld values, and all other counts, the split among the unheld values
        is uniform multinomial on both sides: a common factor, which drops out of sum max(P - e^eps Q, 0). (iii)
        Exchanging a and b reverses the pair of (i, j, rest) into that of (j, i, rest): both directions are here.
        """
        for on_a in range(n):
            for on_b in range(n - on_a):
                for thirds in _partitions(n - 1 - on_a - on_b, self.k - 2):
                    yield self._pair((on_a, on_b, *thirds))

    def _pair(self, held: tuple[int, ...]) -> Pair:
        """A user on value 0 against the same user on value 1, where held[j] others hold value j."""
        laws = [self._counts(x, len(held)) for x in range(len(held))]
        others = [law for law, users in zip(laws, held, strict=True) for _ in range(users)]
        return Pair.of(*(reduce(plus_vectors, others, law) for law in laws[:2]))

    def _counts(self, x: int, held: int) -> Law[tuple[int, ...]]:
        """The message of a user on x as a unit vector: one coordinate for each held value and one for the rest."""
        chances = [self.gamma / self.k + (1 - self.gamma) * (x == y) for y in range(held)]
        chances.append(self.gamma * (self.k - held) / self.k)
        return Law.of({tuple(int(i == j) for i in range(held + 1)): p for j, p in enumerate(chances)})

    def reach(self, n: int) -> Reduction:
        """Attained: all others on a third value (k >= 3), on the user's, or on the other. Dominating: the blanket.

        For k >= 3 all others on a third value are mostly worst, not always: for k = 3, gamma = 1/2, n = 4, eps = 1
        others on (0, 0, 2) are worse. By enumeration of k = 3, n <= 8 and k = 4, n <= 6, gamma 1/10, 3/10, 1/2, 9/10
        and eps 0, 1/10, 1/2, 1, it fails in 12 cases of 192, all with gamma >= 1/2 (some are in tests/test_blanket.py).
        At n = 100 and 1000 events of mixed others show less than third values do. Conjecture: for given k, gamma, eps
        it fails for finitely many n. For k = 2 there is no third value, and the worst number of others on a value can
        be an interior one: the answer is that of `rr` with flip = gamma / 2.
        """
        if self.k == 2:
            return Reduction(AllColumns(self.gamma / 2, n - 1, ("0", "1")), "rr (protocols/shared/one_column.py)", 2)
        return blanket_reach(self._likelihoods() if self.gamma else None, n, self.k, "012", self.randomizer)

    def _likelihoods(self) -> Likelihoods:
        """Of a user on 0 or on 1, the others on 0, 1 or 2; the reference is a uniform value.

        Proof. A permutation of the values renames the messages: one pair stands for all, one third value for all. As
        k >= 3, each message is not the value of some input: the least probability is gamma/k.
        """

        def share(*held: bool) -> Fraction:
            return Fraction(1 if any(held) else self.k - len(held), self.k) * (sum(held) < 2)

        sent = {True: self.gamma + self.k * (1 - self.gamma), False: self.gamma}  # over the reference
        found = Likelihoods.alike(share, sent, True, names="012")
        return replace(found, kinds={z: found.kinds[z] for z in "201"})  # of equal ones the first is named

    @classmethod
    def from_local(cls, eps0: Eps, given: Mapping[str, str]) -> Fraction:
        """The gamma of a local eps0, k / (k + e^eps0 - 1). Raises BadInput without k."""
        if "k" not in given:
            raise BadInput("k: missing: expected with eps0, which sets gamma for a number of values")
        return least_share(eps0, values(given["k"], "k"))

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """Unbiased estimates of the fraction of users on each value: (count/n - gamma/k) / (1 - gamma).

        Raises BadInput for gamma = 1, where the messages hold no information.
        """
        counts = (messages.get(str(y), 0) for y in range(self.k))
        return self._column(n).fractions(counts, "gamma: 1 sends uniform messages: expected gamma < 1")

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """Of one estimated fraction, for the worst data: the count of a value y is Bin(s, 1 - gamma + gamma/k) +
        Bin(n - s, gamma/k) for s users on y. Raises BadInput for gamma = 1."""
        return column_accuracy(self._column(n), alpha, "the fraction of users on one value", 1, bits_for(self.k))

    def simultaneous(self, n: int) -> Interval:
        """The expected largest error, E max over values of |error|, in users, over all datasets: `columns_maximum`.

        For k = 2 the two errors are each other's opposites.
        """
        return columns_maximum(self._column(n), 1 if self.k == 2 else self.k, independent=False)

    def _column(self, n: int) -> Column:
        return Column(n, 1 - self.gamma + self.gamma / self.k, self.gamma / self.k)

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """gamma of BBGN Theorem 3.1, restored from the published paper, for the k that is given; rounded up:

            gamma = max(14 k ln(2/delta) / ((n - 1) eps^2), 27 k / ((n - 1) eps)).

        A larger gamma is more private: it is a smaller one, with each message then replaced by a uniform one with some
        probability. Raises BadInput without k, and unless n >= 2, 0 < eps <= 1, 0 < delta <= 1 and gamma < 1.
        """
        check_target(n, eps, delta)
        if "k" not in given:
            raise BadInput("k: missing: BBGN Theorem 3.1 prescribes gamma for a given number of values k")
        if "gamma" in given:
            return {}
        k = values(given["k"], "k")
        first = prescribed(lambda: 14 * k * ball(2 / delta).log() / ((n - 1) * eps.ball() ** 2), up=True)
        second = prescribed(lambda: 27 * k / ((n - 1) * eps.ball()), up=True)
        if (gamma := max(first, second)) >= 1:
            raise BadInput(f"n: {n}: gamma = {shorten(gamma)} for k = {k}: expected more users (BBGN Theorem 3.1)")
        return {"gamma": gamma}


def _partitions(total: int, parts: int, largest: int | None = None) -> Iterator[tuple[int, ...]]:
    """The partitions of `total` into at most `parts` positive parts of at most `largest`, in decreasing order."""
    if total == 0:
        yield ()
    elif parts > 0:
        for first in range(min(total, largest or total), 0, -1):
            for rest in _partitions(total - first, parts - 1, first):
                yield (first, *rest)
