"""Systems that flip the bits of a one-hot string: their parameters, and the largest error."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from shufflecert.protocols.hist import too_many
from shufflecert.protocols.rr import flip_probability
from shufflecert.protocols.shared.column_accuracy import Column
from shufflecert.protocols.shared.column_maximum import columns_maximum
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.systems.declare import FEWER, FLIPS, System, counted, least_share, parameter, whole

length = whole(2, 10**6)


@dataclass(frozen=True)
class OneHot(System):
    """Systems that flip every bit of the one-hot string of x."""

    SERVES: ClassVar[tuple[str, ...]] = ("histogram d",)
    ALIKE = 1, "d"
    LOCAL = "flip"

    d: int = parameter("number of bits, the inputs are 1..d", length, order=counted(2, 10**6, FEWER))
    flip: Fraction = parameter("probability that a bit is flipped, at most 1/2", flip_probability, order=FLIPS)

    def unwritten(self) -> str | None:
        """Why there is no table for d > 12; else None."""
        return too_many(self.d)

    @classmethod
    def from_local(cls, eps0: Eps, given: Mapping[str, str]) -> Fraction:
        """The flip of a local eps0, 1 / (1 + e^(eps0/2)): two inputs differ in two bits."""
        return least_share(eps0, 2, 2) / 2

    def simultaneous(self, n: int) -> Interval | None:
        """The expected largest error, E max over values of |error|, in users, over all datasets: `columns_maximum`."""
        return columns_maximum(Column(n, 1 - self.flip, self.flip), self.d, independent=True)
