"""`blanket_sum`: sums of real numbers with one message, by rounding and a privacy blanket (BBGN Section 4).

A user with a real x in [0, 1] rounds k x at random to one of its two neighbouring integers, so that the mean is k x,
and sends the result j through `krr` over the k + 1 values 0..k: j with probability 1 - gamma, else any of 0..k
uniformly. The analyzer takes the mean of the n messages and takes its bias out:

    (mean / k - gamma / 2) / (1 - gamma),   which has mean (x_1 + ... + x_n) / n.

Privacy is that of `krr` over the k + 1 values. Proof. The row of a real x is a mixture of two rows of grid points j/k,
so the laws of two neighbouring datasets are mixtures, with the same weights, of the laws of neighbouring (or equal)
datasets of grid points; the hockey-stick divergence is jointly convex, so one of these is at least as large. And grid
points are inputs. In `randomizer` and wherever an input is named, j stands for x = j/k.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor

from flint import arb

from shufflecert.protocols.krr import KRR, check_target
from shufflecert.verify.enclose.interval import Interval, chance, exactly, root_of
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import ball, decimal_below, probability, shorten
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.declare import (
    UNIFORM,
    Accuracy,
    System,
    bits_for,
    counted,
    least_share,
    parameter,
    prescribed,
    whole,
)

BITS = 192  # of the law that the lower end of a failure probability comes from
WIDEST = 10_000  # standard deviation of the messages' sum up to which it is computed

grid = whole(1, 10**6 - 1)


IDENTICAL, DIFFERENT = Fraction("0.4748"), Fraction("0.56")  # Berry and Esseen's constants (Shevtsova 2011, 2010)


@dataclass(frozen=True)
class BlanketSum(System):
    """Randomized rounding to {0, 1/k, ..., 1}, then k-ary randomized response over these values (BBGN Section 4)."""

    REACH = "two-sided, of `krr` over k + 1 values: all others equal (attained) and the privacy blanket (dominating)"
    LOCAL = "gamma"

    k: int = parameter("number of steps from 0 to 1; an input j stands for x = j/k", grid, order=counted(1, 10**6 - 1))
    gamma: Fraction = parameter("probability of a uniformly random message", probability, order=UNIFORM)

    @property
    def _krr(self) -> KRR:
        return KRR(self.k + 1, self.gamma)

    def unwritten(self) -> str | None:
        """Why there is no table for k > 199; else None."""
        return self._krr.unwritten()

    def randomizer(self) -> Randomizer:
        """The rows of the grid points, as `krr`: the input j is x = j/k. Raises BadInput for k > 199."""
        return self._krr.randomizer()

    def reduction(self, n: int) -> Iterator[Pair]:
        """The pairs of `krr` over k + 1 values."""
        return self._krr.reduction(n)

    def reach(self, n: int) -> Reduction:
        """The reduction of `krr` over k + 1 values: no real inputs are worse than grid points."""
        grid_points = self._krr.reach(n)
        return replace(grid_points, inputs=None, by=f"no x is worse than a grid point j/k; {grid_points.by}")

    @classmethod
    def from_local(cls, eps0: Eps, given: Mapping[str, str]) -> Fraction:
        """The gamma of a local eps0, (k + 1) / (k + e^eps0): `krr` over k + 1 values. Raises BadInput without k."""
        if "k" not in given:
            raise BadInput("k: missing: expected with eps0, which sets gamma for a number of values")
        return least_share(eps0, grid(given["k"], "k") + 1)

    def analyze(self, messages: Mapping[str, int], n: int) -> Fraction:
        """An unbiased estimate of the mean of the x. Raises BadInput for gamma = 1, where nothing can be estimated."""
        self._check()
        total = sum(int(message) * count for message, count in messages.items())
        return (Fraction(total, n * self.k) - self.gamma / 2) / (1 - self.gamma)

    def _check(self) -> None:
        if self.gamma == 1:
            raise BadInput("gamma: 1 sends uniform messages: expected gamma < 1 to estimate anything")

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """The RMSE, exactly, with the rounding; Pr[|error| > alpha] between a dataset's and a bound for all.

        Lemma. One user's message y, for x = (j + f)/k with 0 <= f <= 1, adds to the squared error

            Var[y/k] = gamma (2k + 1) / (6k) - gamma^2 / 4 + (1 - gamma) (f (1 - f) / k^2 - gamma x (1 - x)),

        and that is largest at x = f/k with f = max(0, 1 - gamma k) / (2 (1 - gamma)) (or at 1 - x). Proof. E[(y/k)^2]
        is gamma (2k + 1) / (6k) for the uniform message and x^2 + f (1 - f) / k^2 for the rounded x; E[y/k] is
        (1 - gamma) x + gamma / 2. For a given f the least x (1 - x) is at j = 0, or at the mirror image 1 - x, where f
        is 1 - f. At j = 0 the last bracket is (f (1 - gamma k) - f^2 (1 - gamma)) / k^2, a parabola.
        """
        self._check()
        rest = 1 - self.gamma
        variance, f = self.worst_variance()
        failure = None
        if alpha is not None:
            failure = Interval(self._attained(n, alpha * rest, f), self._most_misses(n, alpha * rest, variance))
        return Accuracy(
            "the mean of the x",
            root_of(variance / (n * rest**2)),
            failure,
            exactly(1),
            bits_for(self.k + 1),
            f"the largest over all datasets: rmse where all hold {decimal_below(f / self.k, 6)}",
            Fraction(n),
        )

    def worst_variance(self) -> tuple[Fraction, Fraction]:
        """The largest variance Var[y/k] over x, and the f that attains it, as in `accuracy`."""
        gain = max(Fraction(0), 1 - self.gamma * self.k)
        uniform = self.gamma * (2 * self.k + 1) / (6 * self.k) - self.gamma**2 / 4
        return uniform + gain**2 / (4 * self.k**2), gain / (2 * (1 - self.gamma))

    def _attained(self, n: int, radius: Fraction, f: Fraction) -> Fraction:
        """A lower bound on Pr[|mean of y/k - its mean| > radius] where all n users hold f/k.

        From the law in fixed point; where that is too wide, `berry_esseen`: the messages have one law.
        """
        k, gamma = self.k, self.gamma
        variance, _ = self.worst_variance()
        if n * variance * k**2 > WIDEST**2:
            return max(Fraction(0), normal(n * radius**2 / variance).low - berry_esseen(IDENTICAL, n * variance))
        law = dict.fromkeys(range(k + 1), gamma / (k + 1))
        law[0] += (1 - gamma) * (1 - f)
        law[1] += (1 - gamma) * f
        mean = (1 - gamma) * f / k + gamma / 2
        hits = ceil(n * k * (mean - radius)), floor(n * k * (mean + radius))
        return Fraction(1) if hits[0] > hits[1] else Window.of_finite(law, BITS).copies(n).beyond(*hits)[0]

    def _most_misses(self, n: int, radius: Fraction, variance: Fraction) -> Fraction:
        """An upper bound on Pr[|mean of y/k - its mean| > radius] for every dataset: the least of those of

        Chebyshev, variance / (n radius^2); Hoeffding, 2 exp(-2 n radius^2); and Bennett with h(u) = (1 + u) log(1 + u)
        - u, 2 exp(-(n variance / b^2) h(b radius / variance)), where b = 1 - gamma/2 bounds |y/k - E[y/k]|, as E[y/k]
        is in [gamma/2, 1 - gamma/2]; and that of the normal law of the largest variance plus `berry_esseen`. All rise
        with the variance, so the largest serves all datasets; but Berry and Esseen's error falls in it, and the least
        is at least gamma (1/12 + 1/(6k)), by `accuracy`'s lemma with f (1 - f) >= 0 and x (1 - x) <= 1/4.
        """
        b, least = 1 - self.gamma / 2, self.gamma * (Fraction(1, 12) + Fraction(1, 6 * self.k))
        if radius >= b:
            return Fraction(0)
        if radius <= 0:
            return Fraction(1)
        u = b * radius / variance

        def bound() -> arb:
            bennett = ball(n * variance / b**2) * (ball(1 + u) * ball(u).log1p() - ball(u))
            exponent = bennett.max(ball(2 * n * radius**2))
            return (2 * (-exponent).exp()).min(ball(variance / (n * radius**2)))

        most = chance(bound).high
        if not least:
            return most
        return min(most, normal(n * radius**2 / variance).high + berry_esseen(DIFFERENT, n * least))

    @classmethod
    def paper(cls, n: int, eps: Eps, delta: Fraction, given: Mapping[str, str]) -> dict[str, Fraction]:
        """{k, gamma} as BBGN have them, restored from the published paper, less what is given:

            gamma = (k + 1) max(14 ln(2/delta) / ((n - 1) eps^2), 27 / ((n - 1) eps)), rounded up,
            k = floor((n eps^2 / (14 ln(2/delta)))^(1/3)), at least 1.

        gamma is Theorem 3.1's for k + 1 values; k is where the paper's bound on the mean square error, n / (1 -
        gamma)^2 times 1 / (4 k^2) + gamma / 2, with 14 k ln(2/delta) / (n eps^2) for gamma, is least (Theorem 4.1).
        Raises BadInput unless n >= 2, 0 < eps <= 1, 0 < delta <= 1 and gamma < 1.
        """
        check_target(n, eps, delta)

        def users() -> arb:
            return 14 * ball(2 / delta).log() / eps.ball() ** 2

        if "k" in given:
            k = grid(given["k"], "k")
        else:
            k = min(10**6 - 1, max(1, floor(prescribed(lambda: (n / users()).root(3), up=False))))
        first = prescribed(lambda: (k + 1) * users() / (n - 1), up=True)
        second = prescribed(lambda: 27 * (k + 1) / (eps.ball() * (n - 1)), up=True)
        gamma = max(first, second)
        if "gamma" not in given and gamma >= 1:
            raise BadInput(f"n: {n}: gamma = {shorten(gamma)} for k = {k}: expected more users (BBGN Theorem 3.1)")
        found = {"k": Fraction(k), "gamma": gamma}
        return {name: value for name, value in found.items() if name not in given}


def normal(square: Fraction) -> Interval:
    """The probability Pr[|N|^2 > square] for a standard normal N."""
    return chance(lambda: ball(square / 2).sqrt().erfc())


def berry_esseen(constant: Fraction, variance: Fraction) -> Fraction:
    """A bound on |Pr[|S - E S| > r] - Pr[|N| > r]| for a sum S of independent terms, N normal with S's variance, any r.

    Twice constant * sum E|X - E X|^3 / Var[S]^(3/2), where |X - E X| <= 1 makes the sum at most Var[S]; `variance` is
    at most Var[S].
    """
    return 2 * constant * root_of(1 / variance).high
