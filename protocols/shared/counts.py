"""What several systems share: counts that are seen with additive noise of one law, alone or one in each bucket."""

from abc import abstractmethod
from collections.abc import Callable, Mapping
from fractions import Fraction
from math import ceil, floor, isqrt
from typing import Any

from flint import arb

from shufflecert.verify import certificate
from shufflecert.verify.enclose.interval import Interval, enclose, exactly, root_of
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS, Noise
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, decimal_below, natural, shorten
from shufflecert.verify.pairs.shifted_noise import MAX_SHIFT, ShiftedNoise
from shufflecert.verify.pairs.windowed import Product, Reversed, SumPair
from shufflecert.verify.reduce.reduction import NamedPair, Pairs, Reduction, Threshold
from shufflecert.verify.systems.declare import (
    INPUTS,
    Accuracy,
    System,
    counted,
    is_input,
    misses,
    parameter,
    prescribed,
    rational_root,
    whole,
)
from shufflecert.verify.systems.largest_error import mean_deviation

WIDTH, MOST_WIDTH = 512, 1 << 17  # bits of a window whose end is an event: at first, beside those of a bound; at most
sensitivities = whole(1, MAX_SHIFT)

buckets_of = whole(2, 10**6)


def any_input() -> Any:
    """The parameter `sensitivity`: the largest input of a sum."""
    order = counted(1, MAX_SHIFT, INPUTS)
    return parameter("largest input, the inputs are 0..sensitivity", sensitivities, 1, order=order)


def endless(law: str) -> str:
    """Why a system has no table: a user may send any number of messages. `law` is what one user draws."""
    return f"the noise {law} has no end, so no randomizer is written out"


def count_reach(noise: Noise, by: str, sensitivity: int = 1) -> Reduction:
    """The reduction where s + noise is seen, for an integer s in which neighbours differ by at most `sensitivity`.

    Lemma. delta(eps) of X + j against X does not fall as j >= 1 grows, nor does that of X against X + j; so the shift
    by `sensitivity` stands for all.

    Proof. The events {P > e^eps Q} are those of the lemma in verify/pairs/shifted_noise.py, and any other event of
    their form has no larger P - e^eps Q. X log-concave: the largest over t of Pr[X >= t - j] - e^eps Pr[X >= t], where
    only the first term depends on j and does not fall; the other direction is this one for -X. X negative binomial, r
    < 1: with t = j + m, the largest over m of Pr[X < m] - e^eps Pr[j <= X < j + m], where the last term does not rise
    with j since Pr[X = k] falls in k; the other direction is Pr[X < j].
    """
    members = [
        NamedPair(ShiftedNoise(noise, sensitivity), str(sensitivity), "0"),
        NamedPair(ShiftedNoise(noise, -sensitivity), "0", str(sensitivity)),
    ]
    seen = certificate.count(noise.to_json(), sensitivity)
    return Reduction(Pairs(members), by, sensitivity + 1, mechanism=seen)


def tail_event(pair: SumPair, message: str, back: bool = False) -> Callable[[Eps, Fraction], Threshold]:
    """(eps, bound) -> the event P > e^eps Q of a count of this message whose ratio P/Q is monotone: one tail of it.

    The pair's integers are the counts that are seen. With `back`, Q > e^eps P.
    """

    def event(eps: Eps, bound: Fraction) -> Threshold:
        bits = WIDTH + max(0, bound.denominator.bit_length() - bound.numerator.bit_length())
        chosen = list[int]()
        while not chosen and bits <= MOST_WIDTH:  # a window that is too narrow does not reach the event
            atoms, first = pair.atoms(bits), pair.first(bits)
            atoms, bits = atoms.reversed() if back else atoms, 2 * bits
            chosen = atoms.below.event(eps)
        if not chosen or chosen[-1] == len(atoms.p[0]) - 1 or chosen[0] > 0:
            return Threshold({message: 1}, first + min(chosen, default=len(atoms.p[0])) - 1)
        return Threshold({message: -1}, -first - chosen[-1] - 1)

    return event


def histogram_reach(noise: Noise, buckets: int, by: str) -> Reduction:
    """The reduction where c_b + noise is seen for every bucket b; neighbours move one unit from a bucket to another.

    The pair (X + 1, Y) against (X, Y + 1) is its own reverse up to the order of its coordinates.
    """
    up = SumPair((noise,), (noise,), 1)
    pairs = Pairs([NamedPair(Product(up, Reversed(up)), "1", "2")])
    return Reduction(pairs, by, buckets, mechanism=certificate.histogram(noise.to_json(), buckets))


def window_size(noise: Noise, bits: int) -> int:
    """About how many points hold all but 2^-bits of a law."""
    reach = (7 * bits // 10) / (1 - noise.limit())
    return 2 * isqrt(int(2 * bits * noise.variance)) + int(reach) + 1


class NoisyCount(System):
    """A sum of inputs 0..sensitivity that is seen as s + noise, where the noise has one law whatever n is.

    A subclass has the parameter `sensitivity` and the law of the noise of all users together; REDUCED says why its
    pairs are all.
    """

    SERVES = ("sum",)
    REDUCED = "the others only shift both sides (GKMP Observation 8), and the largest shift is the worst"
    sensitivity: int

    @property
    @abstractmethod
    def noise(self) -> Noise:
        """The noise of all users together."""

    def reach(self, n: int) -> Reduction:
        """The reduction to the noise against its shifts: the others' inputs only shift both laws (GKMP Obs. 8)."""
        proof = "proof in protocols/shared/counts.py, count_reach"
        return count_reach(self.noise, f"{self.REDUCED} ({proof})", self.sensitivity)

    def stands_for_all(self, reference: str) -> bool:
        """The smallest and the largest input do: the worst pair is theirs (`count_reach`)."""
        return is_input(reference, 0, self.sensitivity) and reference in ("0", str(self.sensitivity))

    def analyze(self, messages: Mapping[str, int], n: int) -> Fraction:
        """The estimated sum of the inputs: (number of messages) - E noise."""
        return messages.get("1", 0) - self.noise.mean

    def accuracy(self, n: int, alpha: Fraction | None = None) -> Accuracy:
        """The error is noise - E noise; a user sends at most sensitivity + E noise / n messages (GKMP Obs. 9, 10)."""
        users = natural(n, "n", most=MAX_TRIALS)
        return count_accuracy(self.noise, alpha, self.sensitivity + self.noise.mean / users, 1)

    def simultaneous(self, n: int) -> Interval:
        """The expected error E |error|, in users, whatever the data and n are."""
        return mean_deviation(self.noise)


# Accuracy ----------------------------------------------------------------------------------------------------------


def count_accuracy(noise: Noise, alpha: Fraction | None, messages: Fraction, bits: int) -> Accuracy:
    """The accuracy of s + noise - E noise as an estimate of s: one error law for every s (GKMP Obs. 9, 16)."""
    failure = None if alpha is None else misses(noise, noise.mean, radius(alpha))
    datasets = "all: the error has one law"
    rmse = root_of(noise.variance)
    return Accuracy("the sum of the inputs", rmse, failure, exactly(messages), bits, datasets, Fraction(1))


def histogram_accuracy(noise: Noise, buckets: int, alpha: Fraction | None, messages: Fraction, bits: int) -> Accuracy:
    """The accuracy of c_b + noise - E noise for every b: one RMSE, and the chance that any error exceeds alpha.

    The buckets' errors are independent of each other and of the data: 1 - (1 - Pr[|noise - E noise| > alpha])^buckets.
    """
    failure = None if alpha is None else any_misses(noise, noise.mean, radius(alpha), buckets)
    error_of = "the number of users in a bucket (failure: in any bucket)"
    datasets = "all: the errors have one law"
    return Accuracy(error_of, root_of(noise.variance), failure, exactly(messages), bits, datasets, Fraction(1))


def any_misses(noise: Noise, centre: Fraction, radius: Fraction, copies: int) -> Interval:
    """Pr[|X_i - centre| > radius for some i] for independent X_1, ..., X_copies of the law; `centre` in its range."""
    lowest, highest = ceil(centre - radius), floor(centre + radius)
    if lowest > highest:
        return exactly(1)

    def value() -> arb:
        miss = noise.survival(highest + 1) + noise.cdf(lowest - 1)
        return -(copies * (-miss).log1p()).expm1() if miss < 1 else arb(0).union(arb(1))

    return enclose(value)


def radius(alpha: Fraction) -> Fraction:
    """The largest error that is no failure. Raises BadInput below 0."""
    if alpha < 0:
        raise BadInput(f"alpha: {shorten(alpha)}: expected a rational of at least 0")
    return alpha


# Prescribed parameters ---------------------------------------------------------------------------------------------


def check_target(eps: Eps, delta: Fraction, source: str) -> None:
    """Raise BadInput unless eps > 0 and 0 < delta < 1, naming the source that asks for it."""
    if eps == Eps.of(0):
        raise BadInput(f"eps: 0: expected eps > 0 ({source})")
    if not 0 < delta < 1:
        raise BadInput(f"delta: {shorten(delta)}: expected a rational strictly between 0 and 1 ({source})")


def decay(eps: Eps, share: Fraction, factor: Fraction = Fraction(1)) -> Fraction:
    """(e^eps factor)^-share, where e^eps factor > 1 and 0 < share <= 1: exact if rational, else rounded up to 64 bits.

    Raises BadInput where that is 1.
    """

    def irrational() -> arb:
        return (-(eps.ball() + ball(factor).log()) * ball(share)).exp()

    root = None if eps.power is None else rational_root(eps.power * factor, share.denominator)
    value = prescribed(irrational, up=True) if root is None else root**-share.numerator
    if value >= 1:
        of = decimal_below(share, 3)
        raise BadInput(f"eps: {shorten(str(eps))}: e^(-{of} eps) is 1 in 64 bits: expected a larger eps")
    return value
