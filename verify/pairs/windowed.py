"""Pairs of laws with bounds on the probability of every point: sums of independent noises, and products of pairs.

A law is enclosed by integers low[i] <= 2^bits Pr[i] <= high[i] and a bound on what lies outside. Two exact pairs are
made of that, (P low, Q high) and (P high, Q low): the divergence of the first is below the true one, that of the
second, with P's mass outside, above. Both are decided exactly (`exact.hockey_stick.Pair`); only the window is
approximate. In a product in which pairs come several times, outcomes that differ in their order only are one.
"""

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise
from math import comb, isqrt, prod
from typing import Protocol

from flint import fmpz

from shufflecert.verify.enclose.interval import EnclosedPair, Ends, is_whole
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import Binomial, Noise
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise

COUNTED_AT = 128  # bits at which atoms are counted
MOST_ATOMS = 50_000  # of a window; beyond, a pair is known by its divergence
POINTS_AT = 256  # bits at which the points of windows are counted


@dataclass(frozen=True)
class Atoms:
    """A pair of laws on common outcomes, the atoms, with bounds on both probabilities of each.

    p[0] <= 2^bits P <= p[1] and q[0] <= 2^bits Q <= q[1], atom by atom; `outside` bounds 2^bits times (P's mass, Q's
    mass) on what is no atom.
    """

    p: tuple[list[fmpz], list[fmpz]]
    q: tuple[list[fmpz], list[fmpz]]
    outside: tuple[int, int]
    bits: int

    @classmethod
    def of(cls, P: Window, Q: Window) -> "Atoms":
        """One atom for each integer in the window of either law, from the first one on."""
        first, last = min(P.first, Q.first), max(P.first + len(P.low), Q.first + len(Q.low)) - 1
        return cls(P.on(first, last), Q.on(first, last), (P.outside, Q.outside), P.bits)

    def reversed(self) -> "Atoms":
        """The same atoms for (Q, P)."""
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
    """Anything with outcomes that can be listed, with bounds on both probabilities of each, at any precision."""

    def atoms(self, bits: int) -> Atoms:
        """The atoms at a precision in bits."""


class WindowPair:
    """A pair of laws whose outcomes, the atoms, can be listed with bounds at any precision; a subclass says how."""

    @property
    def whole(self) -> bool:
        """Whether both laws have mass 1, with what is outside the atoms (`verify.enclose.interval.EnclosedPair`)."""
        return True

    def atoms(self, bits: int) -> Atoms:
        """The atoms at a precision in bits; every subclass has its own."""
        raise TypeError("a pair on a window says what its atoms are")

    def reversed(self) -> "WindowPair":
        """The pair in the other direction, (Q, P)."""
        return Reversed(self)

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around delta(eps) = sum max(P - e^eps Q, 0); quickly where asked again, for rational e^eps."""
        if eps.power is not None:
            bits = 1 << (bits - 1).bit_length()  # few different precisions: the sorted atoms are kept
            below_sums, above_sums, outside = _summed(self, bits)
            most = above_sums.positive_part(eps.power) + Fraction(outside, 1 << bits)
            return below_sums.positive_part(eps.power), most
        atoms = self.atoms(bits)
        (least, _), (_, most) = (side.divergence(eps, bits) for side in (atoms.below, atoms.above))
        return least, most + Fraction(atoms.outside[0], 1 << bits)

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0), the infinity mass: delta(eps) is at least that for every eps."""
        atoms = self.atoms(256)
        return Fraction(int(sum((p for p, q in zip(atoms.p[0], atoms.q[1], strict=True) if not q), fmpz(0))), 1 << 256)


@dataclass(frozen=True)
class SumPair(WindowPair):
    """A pair of sums of independent noises: P = by + the sum of the noises `p`, Q = the sum of the noises `q`."""

    p: tuple[Noise, ...]
    q: tuple[Noise, ...]
    by: int = 0

    def _laws(self, bits: int) -> tuple[Window, Window]:
        P, Q = (sum_window(noises, bits) for noises in (self.p, self.q))
        return replace(P, first=P.first + self.by), Q

    def first(self, bits: int) -> int:
        """The integer that the first atom stands for."""
        return min(law.first for law in self._laws(bits))

    def atoms(self, bits: int) -> Atoms:
        """One atom for each integer on which either sum has most of its mass."""
        return Atoms.of(*self._laws(bits))


@dataclass(frozen=True)
class Between(WindowPair):
    """A pair of sums on the event that a value from `low` to `high` is seen: measures of less than 1."""

    pair: SumPair
    low: int
    high: int

    whole = False  # what is seen elsewhere is left out

    def atoms(self, bits: int) -> Atoms:
        """The atoms of the pair of sums from `low` to `high`."""
        whole, first = self.pair.atoms(bits), self.pair.first(bits)
        kept = slice(max(0, self.low - first), max(0, self.high + 1 - first))
        return replace(whole, p=(whole.p[0][kept], whole.p[1][kept]), q=(whole.q[0][kept], whole.q[1][kept]))


@lru_cache(maxsize=16)  # windows may be large
def sum_window(noises: tuple[Noise, ...], bits: int) -> Window:
    """The law of a sum of independent noises on a window, with bounds that hold at every one of its points."""
    # few-valued laws last: a long window times two terms is cheap
    ordered = sorted(noises, key=lambda noise: -noise.variance)
    window = _added(tuple(ordered), bits)
    if len(noises) == 1:
        return window
    return window.pointwise()


@lru_cache(maxsize=8)
def _added(noises: tuple[Noise, ...], bits: int) -> Window:
    """The law of a sum but for what comes from outside, see `plus`: P and Q of a pair have all noises but one alike."""
    last = Window.of(noises[-1], bits)
    return _added(noises[:-1], bits).plus(last) if len(noises) > 1 else last


def coin(p: Fraction) -> Binomial:
    """The law of one biased coin, Ber(p)."""
    return Binomial(1, p)


@dataclass(frozen=True)
class Reversed(WindowPair):
    """The reverse (Q, P) of a pair (P, Q), by its atoms."""

    pair: WindowPair

    @property
    def whole(self) -> bool:
        """Whether both laws of the pair have mass 1."""
        return self.pair.whole

    def atoms(self, bits: int) -> Atoms:
        """The atoms of the pair, with P and Q exchanged."""
        return self.pair.atoms(bits).reversed()

    def reversed(self) -> WindowPair:
        """The pair itself."""
        return self.pair


@dataclass(frozen=True)
class Product:
    """The product (P1 x P2, Q1 x Q2): two independent pairs whose outcomes are both seen."""

    one: WindowPair
    two: WindowPair

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around delta(eps) of the product: one sum over the first pair, prefix sums of the second."""
        bits = 1 << (bits - 1).bit_length()  # few different precisions: the sorted atoms are kept
        low, high = eps.bounds(bits)
        (below, above, outside), (below_two, above_two, outside_two) = _ranked(self.one, bits), _ranked(self.two, bits)
        least, most = _joint(below, below_two, high), _joint(above, above_two, low)
        return least, most + Fraction(outside + outside_two, 1 << bits)

    @property
    def whole(self) -> bool:
        """Whether all four laws have mass 1."""
        return self.one.whole and self.two.whole

    def reversed(self) -> "Product":
        """The product in the other direction, (Q1 x Q2, P1 x P2)."""
        return Product(self.one.reversed(), self.two.reversed())

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0), which no eps takes away."""
        one, two = self.one.infinity_mass(), self.two.infinity_mass()
        return one + two - one * two


def joint(one: Pair, two: Pair, power: Fraction) -> Fraction:
    """The divergence of a product of two exact pairs: sum over i, j of max(p_i p'_j - power q_i q'_j, 0), exactly."""
    return joint_sums(Sums.of(one), Sums.of(two), power)


def _joint(one: Pair, two: Pair, power: Fraction) -> Fraction:
    """The sum of `joint` for pairs in falling order of p/q."""
    return joint_sums(Sums.in_order(one), Sums.in_order(two), power)


def joint_sums(first: "Sums", second: "Sums", power: Fraction) -> Fraction:
    """The sum of `joint` for pairs that are sorted.

    The atoms of the second that count for one of the first are a prefix, which grows with the ratio of that one.
    """
    one, two, sum_p, sum_q = first.pair, second.pair, second.p, second.q
    p2, q2 = two.p, two.q
    top, bottom = fmpz(power.numerator), fmpz(power.denominator)
    total_p, total_q, j, size = fmpz(0), fmpz(0), 0, len(p2)
    for p, q in zip(reversed(one.p), reversed(one.q), strict=True):  # rising p/q: the prefix grows
        much, little = p * bottom, q * top
        while j < size and much * p2[j] > little * q2[j]:
            j += 1
        total_p += p * sum_p[j]
        total_q += q * sum_q[j]
    whole = one.denominator * two.denominator
    return Fraction(int(total_p * bottom - total_q * top), int(whole * bottom))


@lru_cache(maxsize=12)  # a few pairs at three precisions
def _ranked(pair: WindowPair, bits: int) -> tuple[Pair, Pair, int]:
    """(the pair below, the one above, the bound on P outside), in falling order of p/q."""
    atoms = pair.atoms(bits)
    return _sorted_by_ratio(atoms.below), _sorted_by_ratio(atoms.above), atoms.outside[0]


@dataclass(frozen=True)
class Sums:
    """A pair's atoms in falling order of likelihood ratio p/q, with cumulative sums of p and of q as integers."""

    pair: Pair
    p: list[fmpz]
    q: list[fmpz]

    @classmethod
    def of(cls, pair: Pair) -> "Sums":
        """Prefix sums of P and Q over a pair's atoms, which are sorted by p/q first."""
        return cls.in_order(_sorted_by_ratio(pair))

    @classmethod
    def in_order(cls, ordered: Pair) -> "Sums":
        """The sums of a pair's atoms that are in falling order of p/q."""
        return cls(ordered, *(list(accumulate(law, initial=fmpz(0))) for law in (ordered.p, ordered.q)))

    def positive_part(self, power: Fraction) -> Fraction:
        """sum max(p - power q, 0), exactly: over the atoms with p > power q, which come first."""
        top, bottom, pair = fmpz(power.numerator), fmpz(power.denominator), self.pair
        end = bisect_left(range(len(pair.p)), True, key=lambda i: pair.p[i] * bottom <= pair.q[i] * top)
        return Fraction(int(self.p[end] * bottom - self.q[end] * top), int(pair.denominator * bottom))


@lru_cache(maxsize=16)  # both directions of two pairs, at four precisions
def _summed(pair: WindowPair, bits: int) -> tuple[Sums, Sums, int]:
    """(the pair below, the one above, the bound on P outside), with the sums of their atoms."""
    atoms = pair.atoms(bits)
    return Sums.of(atoms.below), Sums.of(atoms.above), atoms.outside[0]


def _sorted_by_ratio(pair: Pair) -> Pair:
    """The atoms in falling order of p/q, without those where both are 0."""
    atoms = [(p, q) for p, q in zip(pair.p, pair.q, strict=True) if p or q]
    if all(a[0] * b[1] <= b[0] * a[1] for a, b in pairwise(atoms)):
        atoms.reverse()
    elif not all(a[0] * b[1] >= b[0] * a[1] for a, b in pairwise(atoms)):
        shift = 2 * max(q for _, q in atoms).bit_length()  # different ratios are more than 2^-shift apart
        atoms.sort(key=lambda atom: (not atom[1], (atom[0] << shift) // (atom[1] or 1)), reverse=True)
    return Pair([p for p, _ in atoms], [q for _, q in atoms], pair.denominator)


@dataclass(frozen=True)
class ProductPair(WindowPair):
    """The product of independent pairs, each taken so many times; outcomes that differ only in order are one atom."""

    parts: tuple[tuple[AtomsAt, int], ...]

    @property
    def whole(self) -> bool:
        """Whether both laws of every pair have mass 1."""
        return all(is_whole(pair) for pair, _ in self.parts)

    def atoms(self, bits: int) -> Atoms:
        """The product's atoms with bounds on both probabilities of each, at a precision in bits."""
        one = [fmpz(1) << bits]
        whole = Atoms((one, one), (one, one), (0, 0), bits)
        for pair, copies in self.parts:
            whole = _times(whole, _multiset(pair.atoms(bits), copies))
        return whole

    def outcomes(self) -> int:
        """The number of atoms of the product."""
        counts = [(len(pair.atoms(COUNTED_AT).p[0]), n) for pair, n in self.parts]
        return prod(comb(atoms + n - 1, n) for atoms, n in counts)


def _times(one: Atoms, two: Atoms) -> Atoms:
    def law(a: tuple[list[fmpz], list[fmpz]], b: tuple[list[fmpz], list[fmpz]]) -> tuple[list[fmpz], list[fmpz]]:
        bits = one.bits
        return [x * y >> bits for x in a[0] for y in b[0]], [-(-x * y >> bits) for x in a[1] for y in b[1]]

    outside = (one.outside[0] + two.outside[0], one.outside[1] + two.outside[1])
    return Atoms(law(one.p, two.p), law(one.q, two.q), outside, one.bits)


def _multiset(atoms: Atoms, copies: int) -> Atoms:
    """The product of `copies` copies of a pair: every multiset of atoms, times the number of its orders."""
    unit = fmpz(1) << atoms.bits
    columns = list(zip(*atoms.p, *atoms.q, strict=True))
    found = [(1, 0, 0, (unit, unit, unit, unit))]  # orders, the last atom, how often it stands last, weights
    for length in range(1, copies + 1):
        grown = []
        for orders, last, often, (a, b, c, d) in found:
            for i in range(last, len(columns)):
                p, P, q, Q = columns[i]
                again = often + 1 if i == last else 1
                weights = (a * p >> atoms.bits, -(-b * P >> atoms.bits), c * q >> atoms.bits, -(-d * Q >> atoms.bits))
                grown.append((orders * length // again, i, again, weights))
        found = grown
    laws = [[orders * weights[k] for orders, _, _, weights in found] for k in range(4)]
    outside = (atoms.outside[0] * copies, atoms.outside[1] * copies)
    return Atoms((laws[0], laws[1]), (laws[2], laws[3]), outside, atoms.bits)


def halves(parts: Sequence[tuple[AtomsAt, int]]) -> tuple[ProductPair, ProductPair]:
    """Divide a product of pairs into two with about equally many outcomes."""
    halves: tuple[list[tuple[AtomsAt, int]], list[tuple[AtomsAt, int]]] = ([], [])
    more = 0
    for pair, copies in parts:
        for half, n in ((more, (copies + 1) // 2), (1 - more, copies // 2)):
            if n:
                halves[half].append((pair, n))
        more = (more + copies) % 2
    return ProductPair(tuple(halves[0])), ProductPair(tuple(halves[1]))


def independent_parts(pair: EnclosedPair) -> tuple[WindowPair, ...] | None:
    """Independent pairs with atoms, of which this one consists; None where there are none, or too many."""
    if isinstance(pair, Product):
        one, two = independent_parts(pair.one), independent_parts(pair.two)
        return None if one is None or two is None else (*one, *two)
    if isinstance(pair, ShiftedNoise):
        return (SumPair((pair.noise,), (pair.noise,), pair.by),) if _points(pair.noise) <= MOST_ATOMS else None
    if isinstance(pair, SumPair) and sum(_points(noise) for noise in pair.p) > MOST_ATOMS:
        return None
    return (pair,) if isinstance(pair, WindowPair) else None


def _points(noise: Noise) -> int:
    """About how many points a window has."""
    points = 2 * isqrt(int(noise.variance) * POINTS_AT * 7 // 5) + 1
    points += sum(int(POINTS_AT * 7 / (10 * (1 - s))) for s in (noise.limit(), noise.limit_below()) if s)
    ends = noise.low, noise.high
    return points if ends[0] is None or ends[1] is None else min(points, ends[1] - ends[0] + 1)
