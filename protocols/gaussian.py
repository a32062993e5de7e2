"""`gaussian`: a number with normal noise, sent by every user (Dwork, Kenthapadi, McSherry, Mironov and Naor 2006).

A user with x in [0, 1] sends y of density e^(-(y - x)^2 / (2 sigma^2)) / (sigma sqrt(2 pi)). No local eps is finite; a
user alone has delta(eps) = Phi(1 / (2 sigma) - eps sigma) - e^eps Phi(-1 / (2 sigma) - eps sigma), attained by 0 and 1
(Balle and Wang 2018, Theorem 8). The analyzer takes the mean of what is received.
"""

from bisect import bisect_left
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import pairwise

import numpy
from flint import arb

from shufflecert.protocols.shared.moved_density import BEND, Array, Cell, Moved, grid_of, up
from shufflecert.protocols.shared.noisy_number import LOCAL_DELTA, NoisyNumber
from shufflecert.verify.enclose.interval import Ends
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, ceiling_of, floor_of, precision, rational, shorten
from shufflecert.verify.reduce.reduction import NamedPair, Pairs
from shufflecert.verify.systems.declare import ADDED, parameter

FIRST, LARGEST = Fraction(1, 100), Fraction(2, 25)  # steps of the grid of inputs, in units of sigma
COARSE = Fraction(1, 60), Fraction(4, 25)  # for sigma < 1, where many are needed and the ends' inputs matter most
WIDEST = Fraction(2)  # sigma from which on steps are no larger
FINE, WIDE, NEAR, FAR = Fraction(1, 32), Fraction(1, 16), 4, 8  # cells: their width (for sigma < 1: WIDE), how far
# they are so narrow, and the last
SHOWN, SEEN = Fraction(1, 16), 6  # of the cells that a dataset is shown by


def deviation(value: object, where: str) -> Fraction:
    """A standard deviation from 1/100 to a million."""
    sigma = rational(value, where)
    if not Fraction(1, 100) <= sigma <= 10**6:
        raise BadInput(f"{where}: {shorten(sigma)}: expected a rational from 1/100 to 1000000")
    return sigma


def edges(sigma: Fraction, fine: Fraction, near: int, far: int) -> list[Fraction]:
    """Ends of cells from -far sigma to 1 + far sigma: `fine` sigma wide near [0, 1], and twice that elsewhere."""
    found, at = [-far * sigma], -far * sigma
    while at < 1 + far * sigma:
        at += sigma * fine * (1 if -near * sigma <= at < 1 + near * sigma else 2)
        found.append(at)
    return found


@dataclass(frozen=True)
class GaussianCells(Moved):
    """Normal noise on cells, up to 8 sigma from [0, 1]."""

    sigma: Fraction

    @cached_property
    def grid(self) -> tuple[Fraction, ...]:
        """The grid of inputs."""
        unit, (first, most) = min(self.sigma, WIDEST), COARSE if self.sigma < 1 else (FIRST, LARGEST)
        return grid_of(first * unit, most * unit)

    @cached_property
    def cells(self) -> list[Cell]:
        """The cells of outputs."""
        return list(self.ends)

    @cached_property
    def ends(self) -> list[tuple[Fraction, Fraction]]:
        """The cells, all of which have two ends."""
        return list(pairwise(edges(self.sigma, WIDE if self.sigma < 1 else FINE, NEAR, FAR)))

    @property
    def shown(self) -> list[Cell]:
        """The cells that a dataset is shown by."""
        ends = edges(self.sigma, SHOWN, NEAR, SEEN)
        return [(None, ends[0]), *pairwise(ends), (ends[-1], None)]

    def mass(self, x: Fraction, cell: Cell) -> arb:
        """The probability of a cell: a difference of two tails on one side."""
        low, high = cell
        if low is None or (high is not None and high <= x):
            low, high, x = (None if high is None else -high), (None if low is None else -low), -x
        scale = ball(self.sigma) * arb(2).sqrt()
        assert low is not None
        above = arb(0) if high is None else (ball(high - x) / scale).erfc()
        return ((ball(low - x) / scale).erfc() - above) / 2

    def slope(self, cell: Cell) -> arb:
        """The largest |y - x| / sigma^2."""
        return ball(self._reach(cell) / self.sigma**2)

    def rise(self, i: int, cell: Cell) -> arb:
        """By Jensen m >= v_z e^(-var(Z) / (2 sigma^2)), and var(Z) is at most a quarter of the step squared."""
        return ball(self.step(i) ** 2 / (8 * self.sigma**2)).expm1()

    def bends(self) -> Array:
        """The ratio is e^(a u) up to a factor, u from the middle of a cell of width w, a = (x - z) / sigma^2. Under v_z
        the logarithm of u's density has a slope of s at most, so |E u| <= s w^2 / 4, and E e^(a u) is from e^(a E u)
        to e^(a E u + a^2 w^2 / 8): together a w / 2 + a s w^2 / 4 + a^2 w^2 / 8."""
        apart = numpy.array([[up(abs(x - z) / self.sigma) for z in self.grid] for x in self.grid])
        squared = numpy.array([[up((x - z) ** 2 / self.sigma**2) for z in self.grid] for x in self.grid])
        wide = [(high - low) / self.sigma for low, high in self.ends]
        near = zip(wide, self.cells, strict=True)
        first = numpy.array([up(w / 2 + self._reach(cell) / self.sigma * w**2 / 4) for w, cell in near])
        second = numpy.array([up(w**2 / 8) for w in wide])
        found: Array = apart[:, :, None] * first + squared[:, :, None] * second
        return -(-found >> BEND)

    def _reach(self, cell: Cell) -> Fraction:
        return max(abs(end - x) for end in cell for x in (0, 1) if end is not None)

    def beyond(self) -> arb:
        """Two tails, of 8 sigma or more."""
        return (arb(FAR) / arb(2).sqrt()).erfc()


@dataclass(frozen=True)
class NormalPair:
    """The messages of one user on 0 and on 1 (Balle and Wang 2018, Theorem 8)."""

    sigma: Fraction

    whole = True

    def reversed(self) -> "NormalPair":
        """The pair in the other direction, its mirror image."""
        return self

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around delta(eps)."""
        return normal_alone(self.sigma, eps)

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0)."""
        return Fraction(0)


@lru_cache(maxsize=256)
def normal_alone(sigma: Fraction, eps: Eps) -> Ends:
    """Rational ends around Phi(1 / (2 sigma) - eps sigma) - e^eps Phi(-1 / (2 sigma) - eps sigma)."""
    with precision(600):
        exponent = eps.ball()
        half, away = 1 / (2 * ball(sigma)), exponent * ball(sigma)
        root = ball(2).sqrt()
        value = ((away - half) / root).erfc() / 2 - exponent.exp() * ((away + half) / root).erfc() / 2
        return max(floor_of(value), Fraction(0)), min(ceiling_of(value), Fraction(1))


@lru_cache(maxsize=16)
def locally(sigma: Fraction) -> tuple[Eps, Fraction]:
    """A local (eps0, delta0): eps0 is a multiple of 1/16 up to 60."""
    every = range(1, 16 * 60 + 1)
    first = bisect_left(every, True, key=lambda i: normal_alone(sigma, Eps.of(Fraction(i, 16)))[1] <= LOCAL_DELTA / 2)
    if first < len(every):
        return Eps.of(Fraction(every[first], 16)), LOCAL_DELTA
    most = normal_alone(sigma, Eps.of(60))[1] + LOCAL_DELTA
    return Eps.of(60), min(Fraction(1), Fraction(-(-most * 2**64 // 1), 2**64))


@lru_cache(maxsize=16)
def cells_of(sigma: Fraction) -> GaussianCells:
    """The grid of cells of this sigma, computed once and kept."""
    return GaussianCells(sigma)


@dataclass(frozen=True)
class Gaussian(NoisyNumber):
    """Normal noise in the local model: a number of [0, 1] and noise of standard deviation sigma."""

    sigma: Fraction = parameter("standard deviation of the noise", deviation, order=ADDED)

    @property
    def density(self) -> GaussianCells:
        """The density of what is sent."""
        return cells_of(self.sigma)

    @property
    def local_private(self) -> tuple[Eps, Fraction]:
        """An eps0 of at most 60 at which one message keeps 2^-60, or what it keeps at 60."""
        return locally(self.sigma)

    def alone(self, n: int) -> Pairs:
        """The delta(eps) of one message, which others only hide."""
        return Pairs([NamedPair(NormalPair(self.sigma), "0", "1", {"1": n - 1} if n > 1 else {})])

    @property
    def variance(self) -> Fraction:
        """Of the noise."""
        return self.sigma**2
