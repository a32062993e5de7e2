"""`piecewise`: the piecewise mechanism, an unbiased noisy number (Wang et al. 2019).

A user with x in [-1, 1] sends y in [-C, C] of density p on an interval of length C - 1, and p / E elsewhere, with
s = e^(eps0/2), E = s^2,

    C = (s + 1) / (s - 1),   p = s (s - 1) / (2 (s + 1)),   the interval begins at (C + 1) x / 2 - (C - 1) / 2.

Local eps = eps0. Its mean is x, its variance x^2 / (s - 1) + (s + 3) / (3 (s - 1)^2) (ICDE 2019, Algorithm 2). The
analyzer takes the mean of what is received.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from shufflecert.protocols.shared.window_system import WindowSystem
from shufflecert.verify.enclose.interval import exactly, root_of
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import rational
from shufflecert.verify.systems.declare import Accuracy

FLOAT = 64  # bits of a number as it is sent


@dataclass(frozen=True)
class Piecewise(WindowSystem):
    """The piecewise mechanism: a number of [-1, 1] becomes one of [-C, C], likely near it, without bias."""

    SERVES = ("mean",)

    @property
    def root(self) -> Fraction:
        """s = e^(eps0/2), rounded down where it is irrational: more noise."""
        return (1 - self.flip) / self.flip

    @property
    def ratio(self) -> Fraction:
        """E = s^2, the ratio of the two densities."""
        return self.root**2

    @property
    def share(self) -> Fraction:
        """The share of the range that the interval has: (C - 1) / 2C = 1 / (s + 1)."""
        return 1 / (self.root + 1)

    def analyze(self, messages: Mapping[str, int], n: int) -> Fraction:
        """An unbiased estimate of the mean: that of the messages, numbers as text."""
        return sum((rational(y) * count for y, count in messages.items()), Fraction(0)) / n

    def accuracy(self, n: int, alpha: Fraction | None) -> Accuracy:
        """Of the mean, for the worst data, all users on 1 or -1; as a share of the range, so that its RMSE in users is
        that of a sum of numbers in [0, 1]. Raises BadInput for eps0 = 0, and for alpha: no tail is computed."""
        if self.root == 1:
            raise BadInput("eps0: 0: no estimate: expected eps0 > 0")
        if alpha is not None:
            raise BadInput("alpha: nothing is known of tails of sums of real numbers here: expected none")
        more = self.root - 1
        rmse = root_of((1 / more + (self.root + 3) / (3 * more**2)) / (4 * n))
        where = "the largest over all datasets: all users on 1 or on -1"
        return Accuracy("the mean, as a share of its range", rmse, None, exactly(1), FLOAT, where, Fraction(n))
