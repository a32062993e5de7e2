"""`laplace`: a number with Laplace noise, sent by every user (Dwork, McSherry, Nissim and Smith 2006).

A user with x in [0, 1] sends y of density (eps0 / 2) e^(-eps0 |y - x|): noise of scale 1 / eps0. Local eps = eps0;
where eps0 is irrational, log(3), it is rounded down to 64 bits. The analyzer takes the mean of what is received.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise
from math import floor

import numpy
from flint import arb

from shufflecert.protocols.any_ldp import BITS, MOST, local_eps
from shufflecert.protocols.shared.moved_density import Array, Cell, Moved, grid_of, up
from shufflecert.protocols.shared.noisy_number import NoisyNumber
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball
from shufflecert.verify.systems.declare import Order, parameter

STEPS = Fraction(1, 50), Fraction(1, 12)  # of the grid of inputs, the first and the largest, in units of 1 / eps0
COARSE, MANY = (Fraction(1, 30), Fraction(1, 6)), 4  # the same from this eps0 on, where many are needed
SHOWN = 64  # cells that a dataset is shown by
SMALLER = Order(
    Fraction(0),
    Fraction(MOST),
    falling=True,
    lemma="noise of scale b' > b is noise of scale b and, with probability 1 - (b/b')^2, more noise of scale b'",
)


def positive_eps(value: object, where: str) -> Eps:
    """An eps0 above 0, to 100 nats."""
    if (eps := local_eps(value, where)) == Eps.of(0):
        raise BadInput(f"{where}: 0: expected eps0 > 0: no finite noise hides all")
    return eps


@dataclass(frozen=True)
class LaplaceCells(Moved):
    """Laplace noise on cells: outputs below 0 are one cell, those above 1 another, as likelihood ratios are constant
    there; the others lie between points of the grid of inputs, and e^(eps0 y), e^(-eps0 y) are all densities there."""

    rate: Fraction

    @cached_property
    def grid(self) -> tuple[Fraction, ...]:
        """The grid of inputs."""
        unit = max(self.rate, Fraction(1))
        first, most = COARSE if self.rate > MANY else STEPS
        return grid_of(first / unit, most / unit)

    @cached_property
    def cells(self) -> list[Cell]:
        """The cells of outputs."""
        return [(None, Fraction(0)), *pairwise(self.grid), (Fraction(1), None)]

    @property
    def shown(self) -> list[Cell]:
        """The cells that a dataset is shown by."""
        return [
            (None, Fraction(0)),
            *((Fraction(i, SHOWN), Fraction(i + 1, SHOWN)) for i in range(SHOWN)),
            (Fraction(1), None),
        ]

    def mass(self, x: Fraction, cell: Cell) -> arb:
        """The probability of a cell, from its tails; those of no end are on one side of all inputs."""
        low, high = cell
        ends = [abs(end - x) for end in cell if end is not None]
        tails = [(-ball(self.rate * end)).exp() / 2 for end in ends]
        if low is None or high is None:
            return tails[0]
        return 1 - tails[0] - tails[1] if low < x < high else abs(tails[0] - tails[1])

    def slope(self, cell: Cell) -> arb:
        """eps0."""
        return ball(self.rate)

    def rise(self, i: int, cell: Cell) -> arb:
        """For y between the neighbours, h apart, of z: E |y - Z| - |y - z| <= 2 a (h - a) / h <= h/2, a = z less the
        lower neighbour, so that by Jensen v_z <= m e^(eps0 h / 2); elsewhere |y - z| is linear in z, and v_z <= m."""
        low, high = cell
        near = self.grid[max(0, i - 1) : i + 2]
        if low is None or high is None or low < near[0] or high > near[-1]:
            return arb(0)
        return (ball(self.rate * (high - low)) / 2).expm1()

    def bends(self) -> Array:
        """Between x and z the ratio is e^(2 eps0 y) up to a factor, and the masses' ratio its value in the middle."""
        inputs = numpy.arange(len(self.grid))
        one, other = inputs[:, None, None], inputs[None, :, None]
        inside = (numpy.minimum(one, other) <= inputs[:-1]) & (inputs[:-1] < numpy.maximum(one, other))
        wide = numpy.array([up(self.rate * (high - low)) for low, high in pairwise(self.grid)])
        found: Array = numpy.pad(numpy.where(inside, wide, 0), ((0, 0), (0, 0), (1, 1)))
        return found

    def beyond(self) -> arb:
        """The cells are the line."""
        return arb(0)


@lru_cache(maxsize=16)
def cells_of(rate: Fraction) -> LaplaceCells:
    """The cells, with their tables once."""
    return LaplaceCells(rate)


@dataclass(frozen=True)
class Laplace(NoisyNumber):
    """Laplace noise in the local model: a number of [0, 1] and noise of scale 1 / eps0."""

    eps0: Eps = parameter("local eps, in nats: noise of scale 1 / eps0", positive_eps, order=SMALLER)

    @property
    def density(self) -> LaplaceCells:
        """The density of what is sent."""
        return cells_of(self.rate)

    @property
    def rate(self) -> Fraction:
        """eps0, rounded down where it is irrational: more noise."""
        if self.eps0.exponent is not None:
            return self.eps0.exponent
        return Fraction(floor(Fraction(self.eps0.enclosure(30)[0]) * 2**BITS), 2**BITS)

    @property
    def ratio(self) -> Fraction:
        """e^eps0, rounded down."""
        return Eps.of(self.rate).bounds(2 * BITS)[0]

    @property
    def root(self) -> Fraction:
        """e^(eps0/2), rounded down."""
        return Eps.of(self.rate / 2).bounds(2 * BITS)[0]

    @property
    def local_epsilon(self) -> Eps:
        """The local eps."""
        return self.eps0

    @property
    def local_private(self) -> tuple[Eps, Fraction]:
        """The local eps, without a delta."""
        return self.eps0, Fraction(0)

    def alone(self, n: int) -> None:
        """Nothing more."""
        return

    @property
    def variance(self) -> Fraction:
        """Of the noise."""
        return 2 / self.rate**2
