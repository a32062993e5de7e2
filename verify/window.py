"""Pairs of laws enclosed point by point on a window, in fixed point: sums of noises, and products of two such pairs.

A law is enclosed by integers low[i] <= 2^bits Pr[i] <= high[i] and a bound on what lies outside. Two exact pairs are
made of that, (P low, Q high) and (P high, Q low): the divergence of the first is below the true one, that of the
second, with P's mass outside, above. Both are decided exactly (`divergence.Pair`); only the window is approximate.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cmp_to_key, lru_cache
from itertools import accumulate, pairwise
from typing import Protocol

from flint import fmpz, fmpz_poly

from verify.divergence import Pair
from verify.enclosure import Ends
from verify.noise import Binomial, Noise
from verify.number import Eps


@dataclass(frozen=True)
class Window:
    """An integer law: low[i] <= 2^bits Pr[first + i] <= high[i]; 2^bits Pr[elsewhere] <= outside.

    `begins` and `ends`: nothing is before, nothing is after.
    """

    first: int
    low: Sequence[fmpz]
    high: Sequence[fmpz]
    outside: int
    bits: int
    begins: bool = False
    ends: bool = False

    @classmethod
    def of(cls, noise: Noise, bits: int) -> "Window":
        first, low, high, outside = noise.window(bits)
        begins, ends = first == noise.low, first + len(low) - 1 == noise.high
        return cls(first, [fmpz(w) for w in low], [fmpz(w) for w in high], outside, bits, begins, ends)

    def plus(self, other: "Window") -> "Window":
        """The law of X + Y for independent X and Y: two products of polynomials, rounded outwards.

        `high` bounds what comes from inside both windows; what comes from outside either, `outside` in all, may be at
        any point.
        """
        low = [c >> self.bits for c in (fmpz_poly(list(self.low)) * fmpz_poly(list(other.low))).coeffs()]
        high = [-(-c >> self.bits) for c in (fmpz_poly(list(self.high)) * fmpz_poly(list(other.high))).coeffs()]
        low += [fmpz(0)] * (len(high) - len(low))
        begins, ends = self.begins and other.begins, self.ends and other.ends
        outside = self.outside + other.outside
        return Window(self.first + other.first, low, high, outside, self.bits, begins, ends)._trimmed()

    def _trimmed(self) -> "Window":
        """Without ends so thin that all of them together hardly count."""
        thin = fmpz(1) << max(8, self.bits // 8 - 8)
        start, end = 0, len(self.high)
        while start < end and self.high[start] < thin:
            start += 1
        while end > start and self.high[end - 1] < thin:
            end -= 1
        if not start and end == len(self.high):
            return self
        lost = int(sum(self.high[:start], fmpz(0)) + sum(self.high[end:], fmpz(0)))
        begins, ends = self.begins and start == 0, self.ends and end == len(self.high)
        low, high = self.low[start:end], self.high[start:end]
        return Window(self.first + start, low, high, self.outside + lost, self.bits, begins, ends)

    def on(self, first: int, last: int) -> tuple[list[fmpz], list[fmpz]]:
        """(low, high) for the points first..last; outside the window they are 0 and the bound on all that is there."""
        before, after = max(0, self.first - first), max(0, last - self.first - len(self.low) + 1)
        zero, most = fmpz(0), fmpz(self.outside)
        return (
            [zero] * before + list(self.low) + [zero] * after,
            [zero if self.begins else most] * before + list(self.high) + [zero if self.ends else most] * after,
        )


@dataclass(frozen=True)
class Atoms:
    """A pair of laws on common atoms: p[0] <= 2^bits P <= p[1] and q[0] <= 2^bits Q <= q[1], point by point.

    `outside` bounds 2^bits times (P's mass, Q's mass) on what is no atom.
    """

    p: tuple[list[fmpz], list[fmpz]]
    q: tuple[list[fmpz], list[fmpz]]
    outside: tuple[int, int]
    bits: int

    def reversed(self) -> "Atoms":
        return Atoms(self.q, self.p, self.outside[::-1], self.bits)

    @property
    def below(self) -> Pair:
        """A pair whose divergence is at most the true one, for every eps."""
        return Pair(self.p[0], self.q[1], fmpz(1) << self.bits)

    @property
    def above(self) -> Pair:
        """A pair whose divergence plus P's mass outside is at least the true one, for every eps."""
        return Pair(self.p[1], self.q[0], fmpz(1) << self.bits)


class AtomsAt(Protocol):
    def atoms(self, bits: int) -> Atoms: ...


class WindowPair:
    """A pair whose atoms can be enclosed at any precision; a subclass says how."""

    def atoms(self, bits: int) -> Atoms:
        raise TypeError("a pair on a window says what its atoms are")

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Ends around sum max(P - e^eps Q, 0)."""
        atoms = self.atoms(bits)
        below, above = atoms.below.delta(eps), atoms.above.delta(eps)
        low, _, scale = below.bounds(bits)
        _, high, scale_above = above.bounds(bits)
        least, most = Fraction(int(low), int(scale)), Fraction(int(high), int(scale_above))
        return least, most + Fraction(atoms.outside[0], 1 << bits)

    def never_returns(self) -> Fraction:
        """A lower bound on P(Q = 0)."""
        atoms = self.atoms(256)
        return Fraction(int(sum((p for p, q in zip(atoms.p[0], atoms.q[1], strict=True) if not q), fmpz(0))), 1 << 256)


@dataclass(frozen=True)
class Sums(WindowPair):
    """P = by + the sum of the independent noises `p`, Q = the sum of the noises `q`."""

    p: tuple[Noise, ...]
    q: tuple[Noise, ...]
    by: int = 0

    def _laws(self, bits: int) -> tuple[Window, Window]:
        P, Q = (_sum_window(noises, bits) for noises in (self.p, self.q))
        return replace(P, first=P.first + self.by), Q

    def first(self, bits: int) -> int:
        """The value at the first atom."""
        return min(law.first for law in self._laws(bits))

    def atoms(self, bits: int) -> Atoms:
        P, Q = self._laws(bits)
        first = self.first(bits)
        last = max(P.first + len(P.low), Q.first + len(Q.low)) - 1
        return Atoms(P.on(first, last), Q.on(first, last), (P.outside, Q.outside), bits)


@lru_cache(maxsize=16)  # windows may be large
def _sum_window(noises: tuple[Noise, ...], bits: int) -> Window:
    # few-valued laws last: a long window times two terms is cheap
    ordered = sorted(noises, key=lambda noise: -noise.variance)
    window = Window.of(ordered[0], bits)
    for noise in ordered[1:]:
        window = window.plus(Window.of(noise, bits))
    if len(noises) == 1:
        return window
    return replace(window, high=[weight + window.outside for weight in window.high])  # see `plus`


def coin(p: Fraction) -> Binomial:
    """Ber(p)."""
    return Binomial(1, p)


@dataclass(frozen=True)
class Reversed(WindowPair):
    """(Q, P) of a pair (P, Q)."""

    pair: WindowPair

    def atoms(self, bits: int) -> Atoms:
        return self.pair.atoms(bits).reversed()


@dataclass(frozen=True)
class Product:
    """(P1 x P2, Q1 x Q2): two independent pairs seen together."""

    one: WindowPair
    two: WindowPair

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Ends around the divergence of the product: one sum over the first pair, prefix sums of the second."""
        low, high = eps.bounds(bits)
        (below, above, outside), (below_two, above_two, outside_two) = _ranked(self.one, bits), _ranked(self.two, bits)
        least, most = _joint(below, below_two, high), _joint(above, above_two, low)
        return least, most + Fraction(outside + outside_two, 1 << bits)

    def never_returns(self) -> Fraction:
        """A lower bound on P(Q = 0)."""
        one, two = self.one.never_returns(), self.two.never_returns()
        return one + two - one * two


def joint(one: Pair, two: Pair, power: Fraction) -> Fraction:
    """sum over i, j of max(p_i p'_j - power q_i q'_j, 0), exactly."""
    return _joint(_sorted_by_ratio(one), _sorted_by_ratio(two), power)


def _joint(one: Pair, two: Pair, power: Fraction) -> Fraction:
    """`joint` of pairs in falling order of p/q: the atoms of the second that count for one of the first are a prefix,
    which grows with the ratio of that one.
    """
    p2, q2 = two.p, two.q
    sum_p, sum_q = list(accumulate(p2, initial=fmpz(0))), list(accumulate(q2, initial=fmpz(0)))
    top, bottom = fmpz(power.numerator), fmpz(power.denominator)
    total_p, total_q, j = fmpz(0), fmpz(0), 0
    for p, q in zip(reversed(one.p), reversed(one.q), strict=True):  # rising p/q: the prefix grows
        much, little = p * bottom, q * top
        while j < len(p2) and much * p2[j] > little * q2[j]:
            j += 1
        total_p += p * sum_p[j]
        total_q += q * sum_q[j]
    whole = one.denominator * two.denominator
    return Fraction(int(total_p * bottom - total_q * top), int(whole * bottom))


@lru_cache(maxsize=6)  # one pair and its reverse at three precisions
def _ranked(pair: WindowPair, bits: int) -> tuple[Pair, Pair, int]:
    """(the pair below, the one above, the bound on P outside), in falling order of p/q."""
    atoms = pair.atoms(bits)
    return _sorted_by_ratio(atoms.below), _sorted_by_ratio(atoms.above), atoms.outside[0]


def _sorted_by_ratio(pair: Pair) -> Pair:
    """The atoms in falling order of p/q, without those where both are 0."""
    atoms = [(p, q) for p, q in zip(pair.p, pair.q, strict=True) if p or q]
    if all(a[0] * b[1] <= b[0] * a[1] for a, b in pairwise(atoms)):
        atoms.reverse()
    elif not all(a[0] * b[1] >= b[0] * a[1] for a, b in pairwise(atoms)):

        def rising(a: tuple[fmpz, fmpz], b: tuple[fmpz, fmpz]) -> int:
            return int(a[0] * b[1] < b[0] * a[1]) - int(a[0] * b[1] > b[0] * a[1])

        atoms.sort(key=cmp_to_key(rising))
    return Pair([p for p, _ in atoms], [q for _, q in atoms], pair.denominator)
