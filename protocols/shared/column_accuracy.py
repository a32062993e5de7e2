"""The error of one column: the share of users on a value, estimated from a count of noisy bits.

With s of n users on the value and M fake bits the count is

    C_s = Bin(s, a) + Bin(n - s + M, b),   a > b,

and the estimate (C_s / n - b (n + M) / n) / (a - b) has mean s / n: its error is (C_s - E C_s) / (n (a - b)).
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from flint import arb

from shufflecert.verify.enclose.interval import Ends, Interval, chance, exactly, largest, refine, root_of
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import DIGITS, ball, dyadic, precision, shorten
from shufflecert.verify.systems.declare import Accuracy

MAX_SWEPT = 2000  # users up to which every s is evaluated
FIRST_BITS, LAST_BITS = 128, 1 << 12
STEPS, MAX_TILT = 40, 10**4  # of the search for the exponent of a tail bound


@dataclass(frozen=True)
class Column:
    """The law of a column's count with s of n users on the value: C_s = Bin(s, a) + Bin(n - s + fakes, b).

    s = 0..n, 0 <= b < a <= 1.
    """

    n: int
    a: Fraction
    b: Fraction
    fakes: int = 0

    @property
    def trace(self) -> Fraction:
        """a - b. Raises BadInput where it is 0, and the count holds no information."""
        if self.a == self.b:
            raise BadInput(f"every bit is 1 with probability {shorten(self.a)}: expected noise that leaves a trace")
        return self.a - self.b

    def fractions(self, counts: Iterable[int], silent: str) -> tuple[Fraction, ...]:
        """The unbiased estimate of s / n for each count of such a column. Raises BadInput, `silent`, for a = b."""
        if self.a == self.b:
            raise BadInput(f"{silent} to estimate anything")
        mean = (1 + Fraction(self.fakes, self.n)) * self.b
        return tuple((Fraction(count, self.n) - mean) / self.trace for count in counts)

    def mean(self, s: int) -> Fraction:
        """The mean of the count C_s."""
        return s * self.a + (self.n - s + self.fakes) * self.b

    def variance(self, s: int) -> Fraction:
        """The variance of the count C_s."""
        return s * self.a * (1 - self.a) + (self.n - s + self.fakes) * self.b * (1 - self.b)

    def worst_square(self) -> Fraction:
        """The largest variance of C_s over s, which is linear in s: at an end."""
        return max(self.variance(0), self.variance(self.n))

    def miss(self, s: int, radius: Fraction) -> Interval:
        """The probability Pr[|C_s - E C_s| > radius]."""
        parts = self.parts(s)
        if len(parts) == 1:
            first, last = self.hits(s, radius)
            return exactly(1) if first > last else chance(lambda: parts[0].survival(last + 1) + parts[0].cdf(first - 1))
        return refine(lambda bits: self.miss_ends(s, radius, bits), DIGITS, LAST_BITS)

    def miss_ends(self, s: int, radius: Fraction, bits: int) -> Ends:
        """Rational ends around `miss`, from a window on which the law is enclosed."""
        (first, last), total = self.hits(s, radius), self.n + self.fakes
        if first > last or (first <= 0 and last >= total):
            return (Fraction(first > last),) * 2
        window, *more = [Window.of(law, bits) for law in self.parts(s)]
        return (window.plus(more[0]) if more else window).beyond(first, last)

    def parts(self, s: int) -> list[Binomial]:
        """The binomials that sum to C_s, without one of no trials."""
        laws = Binomial(s, self.a), Binomial(self.n - s + self.fakes, self.b)
        return [law for law in laws if law.n]

    def hits(self, s: int, radius: Fraction) -> tuple[int, int]:
        """The first and the last count that is no further than `radius` from the mean."""
        return ceil(self.mean(s) - radius), floor(self.mean(s) + radius)

    def chernoff(self, radius: Fraction) -> Fraction:
        """An upper bound on Pr[|C_s - E C_s| > radius] for every s.

        Proof. Pr[C_s > E C_s + r] <= exp(log E e^(t C_s) - t (E C_s + r)) for every t > 0 (Chernoff), and the exponent

            s log(1 + a (e^t - 1)) + (n - s + fakes) log(1 + b (e^t - 1)) - t (E C_s + r)

        is linear in s, as E C_s is: at most the larger of those at s = 0 and s = n. The other tail is this one for the
        zeros, with 1 - a and 1 - b in the place of a and b. Any t serves: it is guessed, and the bound is computed
        with balls at that t.
        """
        mirrored = Column(self.n, 1 - self.a, 1 - self.b, self.fakes)
        with precision(128):
            bound = self.exponent(self.tilt(radius), radius).exp()
            bound += mirrored.exponent(mirrored.tilt(radius), radius).exp()
            return min(Fraction(1), dyadic(bound.upper()))

    def tilt(self, radius: Fraction) -> Fraction:
        """A t > 0 that makes `exponent`, which is convex in t, about as small as it gets: a guess."""
        t = high = max(radius, Fraction(1)) / (self.worst_square() + radius + 1)
        low = Fraction(0)

        def height(t: Fraction) -> arb:
            return self.exponent(t, radius).mid()

        while high < MAX_TILT and height(2 * high) < height(high):
            low, high = high, 2 * high
        high *= 2
        for _ in range(STEPS):
            one, two = ((2 * low + high) / 3, (low + 2 * high) / 3)
            low, high = (low, two) if height(one) < height(two) else (one, high)
            low, high = (Fraction(floor(end * 2**80), 2**80) for end in (low, high))
            t = (low + high) / 2
        return t

    def exponent(self, t: Fraction, radius: Fraction) -> arb:
        """The largest over s of log E e^(t C_s) - t (E C_s + radius)."""
        grown = ball(t).expm1()
        on, off = (grown * ball(self.a)).log1p(), (grown * ball(self.b)).log1p()
        ends = [s * on + (self.n - s + self.fakes) * off - ball(t * (self.mean(s) + radius)) for s in (0, self.n)]
        return ends[0].max(ends[1])

    def worst_miss(self, radius: Fraction) -> tuple[Interval, bool]:
        """(Pr[|C_s - E C_s| > radius], the largest over s = 0..n; whether every s was evaluated).

        For n <= 2000 all s are. Beyond, the lower bound is that of s = 0, n // 2 and n, the upper bound `chernoff`.
        """
        if self.n <= MAX_SWEPT:
            return self._sweep(radius), True
        tried = largest([self.miss(s, radius) for s in (0, self.n // 2, self.n)])
        return Interval(tried.low, max(tried.high, self.chernoff(radius))), False

    def _sweep(self, radius: Fraction) -> Interval:
        """The largest `miss` over all s: at more bits only those that may still be the largest."""
        left, bits = list(range(self.n + 1)), FIRST_BITS
        while True:
            found = {s: Interval(*self.miss_ends(s, radius, bits)) for s in left}
            worst = largest(list(found.values()))
            if worst.relative_width * 10**DIGITS <= 1 or bits >= LAST_BITS:
                return worst
            left, bits = [s for s in found if found[s].high >= worst.low], 2 * bits


def column_accuracy(
    column: Column, alpha: Fraction | None, error_of: str, messages: Fraction | int, bits: int
) -> Accuracy:
    """Of `Column.fractions` as an estimate of s / n, the largest over s = 0..n.

    The RMSE is exact. The failure probability Pr[|error| > alpha] is that of one column, `Column.worst_miss`. Units: a
    fraction of the users. `error_of` names what is estimated, `messages` are sent by each user, `bits` long each.
    Raises BadInput for a = b, where the count holds no information, and for alpha < 0.
    """
    n, scale = column.n, column.n * column.trace
    if alpha is not None and alpha < 0:
        raise BadInput(f"alpha: {shorten(alpha)}: expected a rational of at least 0")
    at = [str(s) for s in sorted({0, n}) if column.variance(s) == column.worst_square()]
    datasets, failure = f"the largest over all datasets: rmse with {' or '.join(at)} users on the value", None
    if alpha is not None:
        failure, swept = column.worst_miss(alpha * scale)
        datasets += ", failure over every number of users on it"
        datasets += "" if swept else f" (lower end: 0, {n // 2} and {n} of them; upper end: a Chernoff bound for all)"
    rmse = root_of(column.worst_square() / scale**2)
    return Accuracy(error_of, rmse, failure, exactly(messages), bits, datasets, Fraction(n))
