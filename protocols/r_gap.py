"""`r_gap`: finite eps once shuffled, infinite for a single user's shuffled messages (BC Claim 20).

A user sends four bits: on input 0 any four, on input 1 any four but those with exactly two ones,

    supp(0) = {0,1}^4,   supp(1) = {y in {0,1}^4: y_1 + y_2 + y_3 + y_4 != 2}.

Any laws with these supports prove the claim. By default both are uniform on their supports; `weights0` and `weights1`
give the probabilities of the five sums 0..4, each spread uniformly over the tuples with that sum, as text:
"1/16,1/4,3/8,1/4,1/16". Only the number of ones among the 4n messages is seen.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from math import comb

from shufflecert.verify.enclose.interval import Interval, exactly, largest, root_of
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import Law, Randomizer, check_total, copies, plus
from shufflecert.verify.exact.rational import probability, shorten
from shufflecert.verify.systems.declare import Accuracy, System, bits_for, parameter

Weights = tuple[Fraction, ...]
Moments = tuple[Fraction, Fraction, Fraction]
SUMS = range(5)
SWEPT, ENCLOSED = 40, 10**5  # users up to which every dataset's error gets its law, the end ones' get theirs enclosed
BITS = 192  # of the latter


def sums(value: object, where: str) -> Weights:
    """Probabilities of the sums 0..4, from text or a sequence. Raises BadInput unless five that sum to exactly 1."""
    given = value.split(",") if isinstance(value, str) else value
    if not isinstance(given, Sequence) or len(given) != len(SUMS):
        size = f"{len(given)} weights" if isinstance(given, Sequence) else f"{value!r} is not text"
        raise BadInput(f"{where}: {size}: expected five, for the sums 0 to 4, such as 1/16,1/4,3/8,1/4,1/16")
    weights = tuple(probability(w, f"{where}, sum {s}") for s, w in enumerate(given))
    check_total(weights, where)
    return weights


def full(value: object, where: str) -> Weights:
    """`sums`, all positive: the support of input 0."""
    weights = sums(value, where)
    if 0 in weights:
        raise BadInput(f"{where}: the sum {weights.index(Fraction(0))} has probability 0: expected five positive ones")
    return weights


def gapped(value: object, where: str) -> Weights:
    """`sums`, 0 for the sum 2 and only there: the support of input 1."""
    weights = sums(value, where)
    for s, w in enumerate(weights):
        if (w == 0) != (s == 2):
            raise BadInput(f"{where}: the sum {s} has probability {shorten(w)}: expected 0 for the sum 2 only")
    return weights


@dataclass(frozen=True)
class RGap(System):
    """The randomizer R^gap of BC Claim 20, uniform on its supports unless given weights; the analyzer is ours."""

    weights0: Weights = parameter("probabilities of the sums 0..4 on input 0", full, "1/16,1/4,3/8,1/4,1/16")
    weights1: Weights = parameter("probabilities of the sums 0..4 on input 1", gapped, "1/10,2/5,0,2/5,1/10")

    def randomizer(self) -> Randomizer:
        """The table: on each input any four bits of a sum of positive weight, those of one sum equally likely."""
        bits = list(product((0, 1), repeat=4))
        rows = enumerate((self.weights0, self.weights1))
        return Randomizer.of({x: {y: weights[sum(y)] / comb(4, sum(y)) for y in bits} for x, weights in rows})

    def reduction(self, n: int) -> Iterator[Pair]:
        """The number of ones with m of the n - 1 others on input 1, for m = 0..n-1, in both directions.

        Proof. Every user sends four bits, so the multiset of 4n messages is a function of its number of ones. That is
        a sum of independent terms, one per user, and depends on the others through m alone.
        """
        zero, one = (Law.of(dict(enumerate(weights))) for weights in (self.weights0, self.weights1))
        for m in range(n):
            others = plus(copies(zero, n - 1 - m), copies(one, m))
            pair = Pair.of(plus(others, zero), plus(others, one))
            yield pair
            yield pair.reversed()

    def analyze(self, messages: Mapping[str, int], n: int) -> Fraction:
        """An unbiased estimate of the fraction of users with input 1, from t = (number of ones among the messages).

        With mu_x and v_x the mean and variance of the sum on input x: (t/n - mu_0) / (mu_1 - mu_0) where the means
        differ. Where both are mu, as by default, E[(t - n mu)^2] is the sum of the users' variances, and the estimate
        is ((t - n mu)^2/n - v_0) / (v_1 - v_0). Raises BadInput where the variances are equal too.
        """
        t = messages.get("1", 0)
        (mean0, variance0, _), (mean1, variance1, _) = self._told_apart()
        if mean0 != mean1:
            return (Fraction(t, n) - mean0) / (mean1 - mean0)
        return ((t - n * mean0) ** 2 / n - variance0) / (variance1 - variance0)

    def _told_apart(self) -> "tuple[Moments, Moments]":
        zero, one = _moments(self.weights0), _moments(self.weights1)
        if zero[:2] == one[:2]:
            raise BadInput("weights0, weights1: equal means and variances: expected a difference to estimate from")
        return zero, one

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """The rmse, exactly; Pr[|error| > alpha] exactly up to 40 users, else between a dataset and Chebyshev's bound.

        With m users on input 1, and k_x the fourth cumulant of the sum on input x, the mean square error is

            ((n - m) v_0 + m v_1) / (n mu_1 - n mu_0)^2                             where the means differ,
            ((n - m) k_0 + m k_1 + 2 ((n - m) v_0 + m v_1)^2) / (n v_1 - n v_0)^2   where they are equal,

        as a sum S of independent centred terms has E[S^4] = sum k + 3 Var[S]^2. Both are convex in m, so the largest is
        at m = 0 or m = n. Raises BadInput as `analyze`.
        """
        (mean0, *_), (mean1, *_) = moments = self._told_apart()
        if mean0 != mean1:
            squares = [variance / (n * (mean1 - mean0) ** 2) for _, variance, _ in moments]
        else:
            gap = moments[1][1] - moments[0][1]
            squares = [(fourth / n + 2 * variance**2) / gap**2 for _, variance, fourth in moments]
        return Accuracy(
            "the fraction of users with input 1",
            root_of(max(squares)),
            None if alpha is None else self._failure(n, alpha, max(squares)),
            exactly(len(SUMS) - 1),
            bits_for(2),
            f"the largest over all datasets: rmse where all users hold {squares.index(max(squares))}",
            Fraction(n),
        )

    def _failure(self, n: int, alpha: Fraction, square: Fraction) -> Interval:
        zero, one = (Law.of(dict(enumerate(weights))) for weights in (self.weights0, self.weights1))
        if n <= SWEPT:
            laws = (plus(copies(zero, n - m), copies(one, m)) for m in range(n + 1))
            return largest([exactly(self._missed(dict(law.items()), n, m, alpha)) for m, law in enumerate(laws)])
        least = Fraction(0)
        for weights, m in ((self.weights0, 0), (self.weights1, n)) if n <= ENCLOSED else ():
            total = Window.of_finite(dict(enumerate(weights)), BITS).copies(n)
            law = {t: Fraction(int(w), 1 << BITS) for t, w in enumerate(total.low, total.first)}
            least = max(least, self._missed(law, n, m, alpha))
        return Interval(least, min(Fraction(1), square / alpha**2) if alpha > 0 else Fraction(1))

    def _missed(self, law: Mapping[int, Fraction], n: int, m: int, alpha: Fraction) -> Fraction:
        """Pr[|error| > alpha] with m users on input 1, from the law of the number of ones, or its lower bounds."""
        far = (w for t, w in law.items() if abs(self.analyze({"1": t}, n) - Fraction(m, n)) > alpha)
        return sum(far, Fraction(0))


@lru_cache(maxsize=64)
def _moments(weights: Weights) -> "Moments":
    """(mean, variance, fourth cumulant) of the sum."""
    mean = sum((s * w for s, w in enumerate(weights)), Fraction(0))
    second, fourth = (sum(((s - mean) ** j * w for s, w in enumerate(weights)), Fraction(0)) for j in (2, 4))
    return mean, second, fourth - 3 * second**2
