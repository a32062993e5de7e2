"""`hist`: histograms over d bins with at most 1 + d messages (BC Figure 2, Theorem 12).

A user with value x in 1..d runs `zsum` in every bin: for j = 1..d it draws z_j ~ Ber(p) and sends 1[x = j] + z_j
copies of the message j. Only the number of messages of each value is seen; the bins are independent:

    c_j + Bin(n, p),   c_j = |{i: x_i = j}|,   j = 1..d.

The analyzer takes every bin's count y_j / n and answers y_j / n - p if that count exceeds 1, else 0.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, floor, isqrt, prod

from flint import arb

from shufflecert.protocols.shared.counts import histogram_reach
from shufflecert.protocols.zsum import below, least_noise, miss, worst_square
from shufflecert.verify.enclose.interval import Interval, chance, exactly, root_of
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import Messages, Randomizer, binomial, shift
from shufflecert.verify.exact.rational import ball, dyadic, precision, probability, shorten
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.declare import BITS, FEWER, Accuracy, System, bits_for, counted, parameter, whole

WIDE = 1000  # standard deviation of a bin's noise from which fewer places are looked at
MAX_WRITTEN = 12  # d up to which the 2^d outputs of every input are written out; the reduction has no such limit


def too_many(d: int) -> str | None:
    """Why no table over d bins is written out, in one line; None for d up to MAX_WRITTEN."""
    said = f"d: {shorten(Fraction(d))}: the randomizer's d 2^d outputs are written out for d <= {MAX_WRITTEN} only"
    return said if d > MAX_WRITTEN else None


@dataclass(frozen=True)
class Hist(System):
    """The histogram protocol of BC Figure 2: `zsum` in every bin, with its parameter p."""

    SERVES = ("histogram d",)
    ALIKE = 1, "d"
    REACH = "exact over all datasets: the two bins that move, jointly"

    d: int = parameter("number of bins, the inputs are 1..d", whole(2, 10**6), order=counted(2, 10**6, FEWER))
    p: Fraction = parameter("probability of a noise message in each bin", probability, order=BITS)

    def unwritten(self) -> str | None:
        """Why there is no table for d > 12; else None."""
        return too_many(self.d)

    def randomizer(self) -> Randomizer:
        """2^d outputs for each of d inputs. Raises BadInput for d > 12."""
        self.check_written()
        return one_bin_each([str(x) for x in range(1, self.d + 1)], self.p)

    def reduction(self, n: int) -> Iterator[Pair]:
        """The one pair that stands for all: (X + 1, Y) against (X, Y + 1), for X, Y iid Bin(n, p).

        Proof. Let a user move from bin a to bin b. Given the dataset the bins are independent, and the bins other
        than a and b have the same law on both sides: they cancel from sum max(P - e^eps Q, 0). The other users shift
        bins a and b by amounts that are the same on both sides, a bijection of the outcomes. What is left is the pair
        above, whatever a, b and the others are; exchanging its two coordinates exchanges its two sides, so it is its
        own reverse.
        """
        noise = binomial(n, self.p)
        more = shift(noise, 1)
        yield Pair.of(more.times(noise), noise.times(more))

    def reach(self, n: int) -> Reduction:
        """The reduction to the pair of `reduction` at any n."""
        by = "the other bins and users drop out (proof in protocols/hist.py, reduction)"
        return histogram_reach(Binomial(n, self.p), self.d, by)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[Fraction, ...]:
        """The estimated fraction of users in each bin: c - p if c > 1 else 0, for c = (number of its messages) / n."""
        counts = (Fraction(messages.get(str(j), 0), n) for j in range(1, self.d + 1))
        return tuple(c - self.p if c > 1 else Fraction(0) for c in counts)

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """The accuracy of the worst bin, its rmse as for `zsum`, and of all bins at once: `worst_simultaneous`."""
        square, counts = worst_square(n, self.p)
        at = f"rmse of a bin with {' or '.join(map(str, counts))} users"
        if alpha is not None and 0 <= alpha < 1:
            least = floor(alpha * n) + 1
            at += f", failure in any bin with {min(self.d, n // least)} bins of at least {least} users"
        return Accuracy(
            "the fraction of users in each bin",
            root_of(square),
            None if alpha is None else worst_simultaneous(n, self.d, self.p, alpha),
            exactly(1 + self.d * self.p),
            bits_for(self.d),
            f"the largest over all datasets: {at}",
            Fraction(n),
        )

    def simultaneous(self, n: int) -> Interval:
        """The expected largest error, E max over bins of |error|, in users, over all datasets: `worst_maximum`."""
        return worst_maximum(n, self.d, self.p)

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """{p}: 1 - p = 50 ln(2/delta') / (eps'^2 n) with eps' = eps/2, delta' = delta/2, rounded up (BC Figure 2).

        The halves, because with `zsum`'s noise for (eps', delta') the histogram keeps (2 eps', 2 delta') (BC Theorem
        12(i)). Raises BadInput unless 0 < eps <= 2, 0 < delta <= 1 and n >= (400 / eps^2) ln(4/delta).
        """
        return {} if "p" in given else {"p": 1 - least_noise(n, eps, delta, 2, "BC Theorem 12 for eps/2 and delta/2")}


def one_bin_each(bins: Sequence[str], p: Fraction) -> Randomizer:
    """The randomizer of BC Figure 2 for these values, each its own message: 2^d outputs for each of d inputs."""
    noises = {z: prod((p if bit else 1 - p) for bit in z) for z in product((0, 1), repeat=len(bins))}
    return Randomizer.of({x: {_send(x, bins, z): w for z, w in noises.items()} for x in bins})


def _send(x: str, bins: Sequence[str], noise: tuple[int, ...]) -> Messages:
    return tuple(j for j, z in zip(bins, noise, strict=True) for _ in range(z + (x == j)))


def worst_simultaneous(n: int, d: int, p: Fraction, alpha: Fraction) -> Interval:
    """Pr[some bin's error is above alpha], the largest over all datasets; exact for alpha >= 1 - p, else two-sided.

    Let g(c) be the chance that a bin of c users errs, t = floor(alpha n) + 1 and u(c) = -log(1 - g(c)); the bins are
    independent, so what counts is the largest sum of u(c_j) over counts with sum n. g(0) = 0.

    Exact, for alpha >= 1 - p: with k = min(d, floor(n / t)), k bins of t users are the worst, the other users in one
    more bin, or where there is none in one of the k. Proof. For c < t only Z < n (1 - p) - alpha n <= 0 errs
    (`worst_miss`): u(c) = 0. For c >= t, 1 - g(c) = Pr[Z < min(c, M)] with M = floor(n (1 - p) + alpha n) + 1; sums of
    a log-concave sequence are log-concave, so u is convex and falling on t..M and level beyond: convex on c >= t. At
    most k bins hold t or more. Where k < d all of them can hold t, their largest, as the rest, less than t users, fit
    in one more bin. Where k = d, fewer than d bins that hold t or more give at most (d - 1) u(t), which is no more
    than d such bins can; and for d bins a convex sum is largest at an extreme point: all but one hold t.

    Else: that dataset is the lower bound, and the upper bound is the least of d u(t) and n max(u(t) / t, u(b) / b), for
    b = min(t - 1, ceil(n (1 - p) - alpha n)). Proof. u(t) is the largest (`worst_miss`), and u(c) <= u(t) <= c u(t) / t
    for c >= t. For c < t, g(c) = Pr[Z < min(c, ceil(n (1 - p) - alpha n))], which does not change beyond b; up to b,
    which is at most one above the mode of Z, g(c) / c is a mean of rising probabilities, and so rises, as does u / g.
    """
    t = floor(alpha * n) + 1
    if t > n:
        return exactly(0)
    quiet = Binomial(n, 1 - p)
    if t <= ceil(quiet.mean - alpha * n):  # every bin of t users errs, whatever Z is
        return exactly(1)
    filled = min(d, n // t)

    def attained() -> arb:
        if filled < d:
            return _any((miss(quiet, alpha, t), filled))
        return _any((miss(quiet, alpha, t), d - 1), (miss(quiet, alpha, n - (d - 1) * t), 1))

    def bounded() -> arb:
        single = miss(quiet, alpha, t)
        if not single < 1:
            return arb(1)
        most = _surprise(single)
        below = min(t - 1, ceil(quiet.mean - alpha * n))
        rate = most / t if below < 1 else (most / t).max(_surprise(quiet.cdf(below - 1)) / below)
        return 1 - (-(most * d).min(rate * n)).exp()

    low = chance(attained)
    return low if alpha >= 1 - p else Interval(low.low, chance(bounded).high)


def worst_maximum(n: int, d: int, p: Fraction) -> Interval:
    """E max over bins of |error|, in users: [that of a dataset, a bound for all datasets].

    Below: k = min(d - 1, floor(n / c)) bins of c users, the other users in one more bin. Some error is c if Z >= c in
    any of the k bins, else it is at least |Z - m| in the first: with T = Pr[Z >= c] and g = sum_{k < c} |k - m| w(k)
    (`zsum.below`), E max >= c (1 - (1 - T)^k) + (1 - T)^(k - 1) g. The best of some c is taken, all of which hold.

    Above: Pr[max > x] <= 1 - (1 - u(x))^k(x) with u(x) = Pr[Z >= t or Z < m - x], t = floor(x) + 1, the most that one
    bin can have (`zsum.worst_miss`), and k(x) = min(d, n) bins, as empty ones never err; for x >= m only those of t
    users or more can, k(x) = min(d, floor(n / t)). It falls in x, so a step takes its first point; beyond the last one
    the sum of Pr[Z > j] over j >= x is E (Z - x)^+ <= (x + 1) p w(x + 1) for x >= m, times k(x) bins.
    """
    if p in (0, 1):
        return exactly(n * (1 - p))
    quiet = Binomial(n, 1 - p)
    m, width = quiet.mean, isqrt(int(quiet.variance)) + 1
    with precision(128):
        parts = 8 if width < WIDE else 2  # of a standard deviation: beside the mean, a wide one is short
        places = {min(n, max(1, floor(m) + width * i // parts)) for i in range(-4 * parts, 16 * parts)}
        low = max(dyadic(_attained(quiet, d, c).lower()) for c in places)
        x, step = max(0, floor(m) - 8 * width), -(-width // parts)
        high = arb(x)
        while True:
            bins = min(d, n if x < m else n // (x + 1))
            rest = bins * (x + 1) * ball(p) * quiet.pmf(x + 1)
            if x >= m and rest < high * arb(2) ** -40:
                return Interval(low, dyadic((high + rest).upper()))
            high += step * _any((miss(quiet, Fraction(x, n), x + 1), bins))
            x += step


def _attained(quiet: Binomial, d: int, c: int) -> arb:
    """The lower bound with k bins of c users."""
    bins = min(d - 1, quiet.n // c)
    full, error = quiet.survival(c), below(quiet, c)
    quietly = _power(1 - full, bins - 1)
    return c * (1 - quietly * (1 - full)) + quietly * error


def _any(*events: tuple[arb, int]) -> arb:
    """Pr[at least one of independent events], from pairs (probability, how many of them)."""
    if all(2 * single < 1 for single, _ in events):
        return -sum(((-single).log1p() * count for single, count in events), arb(0)).expm1()
    return 1 - prod((_power(1 - single, count) for single, count in events), start=arb(1))


def _power(base: arb, exponent: int) -> arb:
    """base^exponent for a number >= 0, whatever its ball holds."""
    return base**exponent if base > 0 else arb(0).union(base.upper() ** exponent)


def _surprise(single: arb) -> arb:
    """-log(1 - single)."""
    return -(-single).log1p()
