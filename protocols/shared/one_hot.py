"""Systems that flip the bits of a one-hot string: their parameters, the string's law, and the largest error."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import ClassVar

from protocols.hist import too_many
from protocols.rr import flip_probability
from protocols.shared.column_accuracy import Column
from protocols.shared.column_maximum import columns_maximum
from verify.enclose.interval import Interval
from verify.exact.epsilon import Eps
from verify.systems.declare import FEWER, FLIPS, System, counted, least_share, parameter, whole

Bits = tuple[int, ...]

length = whole(2, 10**6)


def noisy_one_hot(d: int, flip: Fraction) -> dict[int, dict[Bits, Fraction]]:
    """{x: {bits: flip^w (1 - flip)^(d - w)}}, where w bits differ from the one-hot string of x."""
    strings = list(product((0, 1), repeat=d))
    return {x: {bits: chance_of(bits, x, flip) for bits in strings} for x in range(1, d + 1)}


def chance_of(bits: Bits, x: int, flip: Fraction) -> Fraction:
    """Pr[bits] where those of the one-hot string of x, or of the zero string for x = 0, are flipped."""
    flipped = sum(bit != (j == x) for j, bit in enumerate(bits, 1))
    return flip**flipped * (1 - flip) ** (len(bits) - flipped)


@dataclass(frozen=True)
class OneHot(System):
    """Systems that flip every bit of the one-hot string of x."""

    SERVES: ClassVar[tuple[str, ...]] = ("histogram d",)
    ALIKE = 1, "d"

    d: int = parameter("number of bits, the inputs are 1..d", length, order=counted(2, 10**6, FEWER))
    flip: Fraction = parameter("probability that a bit is flipped, at most 1/2", flip_probability, order=FLIPS)

    def unwritten(self) -> str | None:
        """There is no table for d > 12."""
        return too_many(self.d)

    @classmethod
    def from_local(cls, eps0: Eps, given: Mapping[str, str]) -> dict[str, Fraction]:
        """The flip of a local eps0, 1 / (1 + e^(eps0/2)): two inputs differ in two bits."""
        return {"flip": least_share(eps0, 2, 2) / 2}

    def simultaneous(self, n: int) -> Interval | None:
        """The expected largest error, E max over values of |error|, in users, over all datasets: `columns_maximum`."""
        return columns_maximum(Column(n, 1 - self.flip, self.flip), self.d, independent=True)
