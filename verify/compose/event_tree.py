"""dp_accounting's event trees, with certain ends: Gaussian and Laplace noise, Poisson-sampled, composed.

What is answered is the largest delta(eps) of all mechanisms that a tree describes, for neighbours of whom one has one
record more, both directions, and composed adaptively. Of each event one pair (P, Q) is the worst:

    Gaussian, noise multiplier z    N(1, z^2) against N(0, z^2); several on one sample are one, with 1/z^2 the sum of
                                    theirs (Dong, Roth and Su, "Gaussian differential privacy", 2022, Corollary 3.3)
    Laplace, noise multiplier b     Lap(1, b) against Lap(0, b): of one number, which a record moves by its norm
    Poisson-sampled with q          (1 - q) Q + q P against Q, and the other way round (Zhu, Dong and Wang, "Optimal
                                    accounting of differential privacy via characteristic function", 2022, Theorem 11)

Products of these pairs, all in one direction, are the worst of a composition: they dominate it (the lemma of
verify/pairs/connect_the_dots.py), and a mechanism whose other records add nothing attains them. With x = e^eps > 0 and
H the curve of (P, Q), which is that of (Q, P) as well, sampling gives

    q H((x - 1 + q) / q), or 1 - x where x <= 1 - q     and the other way round, with y = 1 - (1 - q) x,
    y H(q x / y), or 0 where y <= 0.

One event, or Gaussian noise alone, is evaluated so. Otherwise each curve is enclosed at many x, and the pairs of laws
that connect these dots from above and from below are multiplied on a lattice (`verify.pairs.lattice`).

Noise multipliers and probabilities are the doubles that the events hold, exactly.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from importlib import import_module
from math import inf, isfinite
from typing import Any

from flint import arb

from shufflecert.verify.compose.composition import Run
from shufflecert.verify.compose.guess import DOTS, places
from shufflecert.verify.compose.interchange import from_pmfs
from shufflecert.verify.enclose.interval import Ends, Interval, root_of, smallest_eps
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import (
    ball,
    ceiling_of,
    decimal_above,
    floor_of,
    natural,
    plain,
    precision,
    probability,
    rational,
    shorten,
)
from shufflecert.verify.pairs.connect_the_dots import Exact, dominated, dominating, rounded_up
from shufflecert.verify.pairs.lattice import enclosed
from shufflecert.verify.pairs.lattice_guess import Part

MOST_TIMES, MOST_PARTS = 10**6, 64
DIGITS, CELLS = 3, 1 << 15  # of delta, of compositions; cells that are tried for it
NARROW, WIDE = Fraction(1, 100), Fraction(10**6)  # multipliers of noise
KNOWN = "Gaussian, Laplace, PoissonSampled, SelfComposed, Composed, NoOp and NonPrivate events"


@dataclass(frozen=True)
class Noise:
    """Noise that one record moves by 1: `square` is 1/z^2 of normal noise, or `rate` 1/b of Laplace noise."""

    square: Fraction | None = None
    rate: Fraction = Fraction(0)
    q: Fraction = Fraction(1)  # every record is there with this probability

    def curve(self, x: Fraction, added: bool, bits: int = 320) -> Ends:
        """Ends around sum max(P - x Q, 0) for x > 0, P the mixture, or Q where the record is `added`."""
        q = self.q
        with precision(bits):
            if q == 1:
                value = self._whole(x)
            elif added:
                y = 1 - (1 - q) * x
                value = ball(y) * self._whole(q * x / y) if y > 0 else arb(0)
            else:
                value = ball(q) * self._whole((x - 1 + q) / q) if x > 1 - q else ball(1 - x)
            return min(max(floor_of(value), 1 - x, Fraction(0)), Fraction(1)), min(ceiling_of(value), Fraction(1))

    def _whole(self, x: Fraction) -> arb:
        """The curve of everybody's noise: two normal tails; or 1 - x, 1 - (x / e^rate)^(1/2) or 0, the largest."""
        if self.square is None:
            middle = 1 - (ball(x) * (-ball(self.rate)).exp()).sqrt()
            return max_of(max_of(middle, ball(1 - x)), arb(0))
        mu, at, root = ball(self.square).sqrt(), ball(x).log(), arb(2).sqrt()
        one, other = ((at / mu + side * mu / 2) / root for side in (-1, 1))
        return one.erfc() / 2 - ball(x) * other.erfc() / 2

    def pairs(self, added: bool, count: int = DOTS) -> tuple[Exact, Exact]:
        """Exact pairs that this one dominates, and that dominate this one, by so many dots."""
        dots = [(x, *self.curve(x, added)) for x in places(self.square, self.rate, self.q, added, count)]
        above = dominating((x, rounded_up(high)) for x, _, high in dots)
        return Exact(dominated((x, low, high) for x, low, high in dots)), Exact(above)

    def __str__(self) -> str:
        kind, scale = "Gaussian", Fraction(0)
        if self.square is None:
            kind, scale = "Laplace", 1 / self.rate
        else:
            scale = root_of(1 / self.square).high
        what = f"{kind} noise, multiplier {_short(scale)}"
        return what if self.q == 1 else f"{what}, on a Poisson sample of {_short(self.q)}"


@dataclass(frozen=True)
class EventTree:
    """A dp_accounting event tree as noises, each so many times; `private` is False where something is shown as it is.

    `delta` and `epsilon` enclose the answer. Neighbours: one record is added or removed; where nothing is sampled, they
    are what the noise multipliers were set for.
    """

    noises: tuple[tuple[Noise, int], ...]
    private: bool = True

    def delta(self, eps: object) -> Interval:
        """The largest delta(eps) in both directions, between two certain ends; eps in nats.

        To 30 digits for one event or normal noise alone, to about 3 for compositions, where the ends are as far apart
        as the dots and the lattice leave them. Raises BadInput for what is no eps.
        """
        return self._at(Eps.of(eps))

    def epsilon(self, delta: object) -> tuple[Fraction, Fraction | float]:
        """The smallest eps >= 0 with delta(eps) <= `delta`, between two certain ends (low, high); inf where none is.

        Raises BadInput for what is no probability.
        """
        bound = probability(delta, "delta")
        if not self.private:
            return (Fraction(10_000), inf) if bound < 1 else (Fraction(0), Fraction(0))
        low, high = smallest_eps(lambda at: self._at(at, bound), bound, 12 if self.one else DIGITS)
        return low, inf if high is None else high

    def runs(self, dots: object = 100, added: bool = False) -> list[Run]:
        """Finite tables that the noises dominate, for `compose(runs, eps=..., output=...)`: certificates of lower ends.

        Each has the inputs P and Q and is the closest that so many points of the curve give; what is refuted of them is
        false of the tree. Raises BadInput where nothing is noisy.
        """
        if not self.private or not self.noises:
            raise BadInput(f"{self}: expected noises")
        count, found = natural(dots, "dots", least=10, most=DOTS), list[Run]()
        for noise, times in self.noises:
            pair = noise.pairs(added, count)[0].pair
            p, q = ([Fraction(int(w), int(pair.denominator)) for w in law] for law in (pair.p, pair.q))
            found.append(Run(from_pmfs(p, q), 1, times, "events"))
        return found

    @property
    def one(self) -> bool:
        """Whether there is one noise at most, once, whose curve is known in closed form."""
        return sum(times for _, times in self.noises) <= 1

    def _at(self, eps: Eps, bound: Fraction | None = None) -> Interval:
        """delta(eps); not as close where it is decided on which side of a bound it is."""
        if not self.private:
            return Interval(Fraction(1), Fraction(1))
        if not self.noises:
            return Interval(Fraction(0), Fraction(0))
        sides = [False, True] if any(noise.q < 1 for noise, _ in self.noises) else [False]
        found = list[Interval]()
        for side in sides:
            found.append(self._once(eps, side) if self.one else self._many(eps, side, bound))
            if bound is not None and found[-1].low > bound:
                return Interval(found[-1].low, Fraction(1))
        return Interval(max(one.low for one in found), max(one.high for one in found))

    def _once(self, eps: Eps, added: bool) -> Interval:
        """Of one noise. The curve falls in x, so ends of e^eps give ends."""
        ((noise, _),) = self.noises
        low, high = eps.bounds(512)
        return Interval(noise.curve(high, added, 1024)[0], noise.curve(low, added, 1024)[1])

    def _many(self, eps: Eps, added: bool, bound: Fraction | None) -> Interval:
        """Of products, on lattices that get finer until the ends are close."""
        sides: list[list[Part]] = [[], []]
        for noise, times in self.noises:
            for parts, pair in zip(sides, _pairs(noise, added), strict=True):
                parts.append((pair, times))
        ends = (Fraction(0), Fraction(1)) if bound is None else (bound, bound)
        return enclosed(sides[1], eps, DIGITS, CELLS, *ends, sides[0])

    def __str__(self) -> str:
        if not self.private:
            return "not private"
        return "; ".join(f"{times} x {noise}" for noise, times in self.noises) or "nothing is released"


@cache
def _pairs(noise: Noise, added: bool) -> tuple[Exact, Exact]:
    return noise.pairs(added)


def max_of(one: arb, other: arb) -> arb:
    """The larger one of two numbers."""
    found: arb = one.max(other)
    return found


def from_dp_accounting(event: Any) -> EventTree:
    """A dp_accounting event tree, to be asked for `delta(eps)` and `epsilon(delta)` with certain ends.

    Gaussian and Laplace events, Poisson-sampled, composed and self-composed; neighbours as the class docstring says.
    Raises BadInput, with the name of the event, for any other, for a number that is none, and where dp-accounting is
    missing.

        >>> from dp_accounting import GaussianDpEvent, SelfComposedDpEvent
        >>> tree = from_dp_accounting(SelfComposedDpEvent(GaussianDpEvent(4.0), 16))
        >>> print(tree)
        1 x Gaussian noise, multiplier 1
        >>> found = tree.delta(1)
        >>> round(float(found.low), 6), found.high - found.low < Fraction(1, 10**30)
        (0.126937, True)
    """
    try:
        library = import_module("dp_accounting.dp_event")
    except ImportError:
        raise BadInput("dp-accounting: not installed: expected `pip install 'shufflecert[exchange]'`") from None
    if not isinstance(event, library.DpEvent):
        raise BadInput(f"event: got {type(event).__name__}: expected a DpEvent of dp_accounting")
    listed = _Reader(library).read(event, Fraction(1))
    if listed is None:
        return EventTree((), private=False)
    return EventTree(tuple(_joined(listed).items()))


def _joined(listed: "Counter[Noise]") -> "Counter[Noise]":
    """Normal noise of all records, several times, as one."""
    square = sum((one.square * n for one, n in listed.items() if one.square and one.q == 1), Fraction(0))
    rest = Counter({one: n for one, n in listed.items() if one.q != 1 or not one.square})
    return rest + (Counter({Noise(square): 1}) if square else Counter())


@dataclass(frozen=True)
class _Reader:
    """Reads a tree with the classes of the library."""

    library: Any

    def read(self, event: Any, q: Fraction) -> "Counter[Noise] | None":
        """The noises of an event on a sample with probability q, and how often; None where something is shown bare."""
        kind, of = type(event), self.library
        if kind is of.NoOpDpEvent or q == 0:
            return Counter()
        if kind is of.NonPrivateDpEvent:
            return None
        if kind in (of.GaussianDpEvent, of.LaplaceDpEvent):
            scale = _number(event.noise_multiplier, "noise_multiplier")
            if scale == 0:
                return None
            if not NARROW <= scale <= WIDE:
                raise BadInput(f"noise_multiplier: {shorten(scale)}: expected 0, or from {NARROW} to {WIDE}")
            return Counter([Noise(1 / scale**2, q=q) if kind is of.GaussianDpEvent else Noise(None, 1 / scale, q)])
        if kind in (of.SelfComposedDpEvent, of.ComposedDpEvent):
            return self._composed(event, q)
        if kind is of.PoissonSampledDpEvent:
            share = _number(event.sampling_probability, "sampling_probability")
            if not 0 <= share <= 1:
                raise BadInput(f"sampling_probability: {shorten(share)}: expected from 0 to 1")
            return self.read(event.event, q * share)
        raise BadInput(f"{kind.__name__}: no enclosure is known of it: expected {KNOWN}")

    def _composed(self, event: Any, q: Fraction) -> "Counter[Noise] | None":
        """Several on one sample: normal noise only, where records are sampled, which is one noise then."""
        if type(event) is self.library.SelfComposedDpEvent:
            times = natural(event.count, "count", least=0, most=MOST_TIMES)
            inner = [(event.event, times)] if times else []
        else:
            inner = [(one, 1) for one in event.events]
        found = Counter[Noise]()
        for one, times in inner:
            part = self.read(one, Fraction(1) if q < 1 else q)
            if part is None:
                return None
            found.update({noise: n * times for noise, n in part.items()})
        found = _joined(found)
        if sum(found.values()) > MOST_TIMES or len(found) > MOST_PARTS:
            raise BadInput(f"events: too many: expected at most {MOST_TIMES}, of {MOST_PARTS} kinds")
        if q == 1 or not found:
            return found
        if sum(found.values()) > 1 or any(noise.q < 1 for noise in found):
            raise BadInput("PoissonSampledDpEvent: several events on one sample: expected Gaussian ones alone")
        return Counter([Noise(noise.square, noise.rate, q) for noise in found])


def _number(value: object, where: str) -> Fraction:
    """A number of an event, exactly: a double is the binary fraction that it is."""
    if isinstance(value, float):
        if not isfinite(value):
            raise BadInput(f"{where}: {value}: expected a finite number")
        return Fraction(value)
    found = rational(value, where)
    if found < 0:
        raise BadInput(f"{where}: {shorten(found)}: expected a number of at least 0")
    return found


def _short(number: Fraction) -> str:
    return plain(decimal_above(number - number / 10**9, 6))
