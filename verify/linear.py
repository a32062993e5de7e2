"""E max(c . h, 0) / n for multinomial counts h of n draws: the divergence of a blanket, and of all-equal others.

A form is a list of categories (a, b, w): a draw falls there with probability w, and counts c = a - e^eps b, a, b >= 0.
Its value grows with every c, so e^eps rounded up gives a lower end and rounded down an upper end.

Exact road, up to four categories A, B, C, D: T = h_A + h_B is binomial; given T so are h_A and h_C, independently, and
    c . h = c_B T + c_D (n - T) + (c_A - c_B) h_A + (c_C - c_D) h_C.
For every T the values of h_C that share a least h_A are summed at once, with prefix sums.

Lattice road, any number: on a lattice of some step and origin.
    above   max(t, 0) is convex, so moving each c to the lattice points around it, its mean kept, can only add.
    below   E max(c . h, 0) >= E (c . h) 1[E] = n sum_j w_j c_j Pr[E | one draw is j] for the event E that the draws'
            rounded values, summed, exceed some number. What is lost is of second order in the step.
Both need the n-th power of one polynomial (window.py). What windows leave out has |c . h| <= n max |c|.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from math import isqrt
from typing import NamedTuple

from flint import fmpz

from verify.enclosure import Ends
from verify.errors import TooMuchWork
from verify.noise import Binomial
from verify.number import Eps
from verify.window import Window

EXACT_WORK = 1_500_000  # window terms that the exact road may visit
MAX_CELLS = 1 << 19  # of a lattice


class Category(NamedTuple):
    a: Fraction
    b: Fraction
    w: Fraction


@dataclass(frozen=True)
class Form:
    """Categories with different (a, b), probabilities w that sum to 1, and n draws."""

    categories: tuple[Category, ...]
    n: int

    @classmethod
    def of(cls, categories: Iterable[Category], n: int) -> "Form":
        """Equal (a, b) merged, w = 0 left out, the most likely last."""
        merged: dict[tuple[Fraction, Fraction], Fraction] = {}
        for a, b, w in categories:
            merged[a, b] = merged.get((a, b), Fraction(0)) + w
        kept = [Category(a, b, w) for (a, b), w in merged.items() if w]
        return cls(tuple(sorted(kept, key=lambda c: (c.w, c.a, c.b))), n)

    def value(self, eps: Eps, bits: int, cells: int) -> Ends:
        """Ends around E max(c . h, 0) / n: the exact road where it is affordable, else a lattice of so many cells."""
        if len(self.categories) <= 4 and _exact_work([c.w for c in self.categories], self.n, bits) <= EXACT_WORK:
            return self.exact(eps, bits)
        return self.below(eps, bits, cells)[0], self.above(eps, bits, cells)

    def coefficients(self, power: Fraction) -> list[Fraction]:
        return [c.a - power * c.b for c in self.categories]

    def exact(self, eps: Eps, bits: int) -> Ends:
        """Ends around the value, of width about 2^-bits n max |c|, for at most four categories."""
        low, high = eps.bounds(bits)
        c = self.coefficients(high), self.coefficients(low)
        if max(c[1]) <= 0:
            return Fraction(0), Fraction(0)
        if len(self.categories) == 1:
            return c[0][0], c[1][0]
        return _four([category.w for category in self.categories], c, self.n, bits)

    def above(self, eps: Eps, bits: int, cells: int, step: Fraction | None = None) -> Fraction:
        """An upper end, by values split on the lattice (on the multiples of `step`, where one is given)."""
        c = self.coefficients(eps.bounds(bits)[0])
        if max(c) <= 0:
            return Fraction(0)
        origin, step = self.lattice(c, bits, cells) if step is None else (Fraction(0), step)
        draw: dict[int, Fraction] = {}
        for value, (_, _, w) in zip(c, self.categories, strict=True):
            place = (value - origin) / step
            at = place.numerator // place.denominator
            share = place - at
            draw[at] = draw.get(at, Fraction(0)) + w * (1 - share)
            draw[at + 1] = draw.get(at + 1, Fraction(0)) + w * share
        law = power_of(draw, self.n, bits)
        offset = origin * self.n / step  # c . h = (sum on the lattice + offset) step
        start = max(0, -(offset.numerator // offset.denominator) - law.first)  # the first point that is not below zero
        weight = sum(law.high[start:], fmpz(0))
        moment = sum((w * i for i, w in enumerate(law.high[start:])), fmpz(0))
        total = ((law.first + start + offset) * int(weight) + int(moment)) * step
        return (total / self.n + max(c) * law.outside) / (1 << bits)

    def below(self, eps: Eps, bits: int, cells: int) -> tuple[Fraction, list[int], int]:
        """(a lower end, the lattice weights of the categories, the number that their sum exceeds in the event)."""
        c = self.coefficients(eps.bounds(bits)[1])
        if max(c) <= 0:
            return Fraction(0), [0] * len(c), 0
        origin, step = self.lattice(c, bits, cells)
        places = [round((value - origin) / step) for value in c]
        draw: dict[int, Fraction] = {}
        for place, (_, _, w) in zip(places, self.categories, strict=True):
            draw[place] = draw.get(place, Fraction(0)) + w
        rows = list(zip(places, c, self.categories, strict=True))
        moved = sum((w * (place - (value - origin) / step) for place, value, (_, _, w) in rows), Fraction(0))
        above = self.n * (moved - origin / step)  # where c . h = 0, on average over what rounding moves
        tails = Tails(power_of(draw, self.n - 1, bits))
        best, at = Fraction(0), above.numerator // above.denominator
        for t in range(at - 2, at + 4):
            total = Fraction(0)
            for place, value, (_, _, w) in rows:
                least, most = tails.more_than(t - place)
                total += w * value * (least if value > 0 else most)
            if total > best:
                best, at = total, t
        return best, places, at

    def moments(self, c: Sequence[Fraction]) -> tuple[Fraction, Fraction]:
        """The mean and, about, the standard deviation of c . h."""
        mean = sum((w * v for v, (_, _, w) in zip(c, self.categories, strict=True)), Fraction(0))
        square = sum((w * (v - mean) ** 2 for v, (_, _, w) in zip(c, self.categories, strict=True)), Fraction(0))
        return self.n * mean, Fraction(isqrt(int(square * self.n * 2**80)) + 1, 2**40)

    def lattice(self, c: Sequence[Fraction], bits: int, cells: int) -> tuple[Fraction, Fraction]:
        """(origin, step): about `cells` steps to the window of the sum, the two most likely values on the lattice.

        Among near steps that which moves the other values least is taken.
        """
        _, unit = self.moments(c)
        step = max(3 * unit * (isqrt(bits) + 1), max(c) - min(c)) / min(cells, MAX_CELLS)
        origin, other = c[-1], c[-2]
        gap = abs(other - origin)
        parts = int(gap / step)
        if parts == 0 and step < 64 * gap:
            parts = 1
        if parts == 0 or parts > 1 << 40:
            return origin, step
        tries = range(max(1, parts - parts // 8 - 1), parts + 1) if parts < 4096 else range(parts - 512, parts + 1)
        others = zip(c[:-2], self.categories, strict=False)
        rough = [(int((v - origin) / gap * 2**80), int(w * 2**40)) for v, (_, _, w) in others]

        def moved(m: int) -> int:
            """Proportional to the variance that m parts add: sum w f (1 - f) step^2."""
            loss = 0
            for place, w in rough:
                part = (place * m >> 40) & ((1 << 40) - 1)
                loss += w * part * ((1 << 40) - part)
            return loss // (m * m)

        return origin, gap / min(tries, key=moved)


def _exact_work(weights: Sequence[Fraction], n: int, bits: int) -> int:
    """Window terms of `_four`, about."""
    if len(weights) <= 1:
        return 1
    width = 3 * (isqrt(bits) + 1)

    def terms(count: Fraction, share: Fraction) -> int:
        return min(int(count), width * (isqrt(int(count * share * (1 - share))) + 1)) + 1

    pair = weights[0] + weights[1]
    inner = terms(n * pair, weights[0] / pair)
    if len(weights) == 2:
        return inner
    other = terms(n * (1 - pair), weights[2] / (1 - pair)) if len(weights) == 4 else 1
    return terms(Fraction(n), pair) * (inner + other)


def _four(weights: Sequence[Fraction], c: tuple[Sequence[Fraction], Sequence[Fraction]], n: int, bits: int) -> Ends:
    """Ends around E max(c . h, 0) / n by T, h_A and h_C, for coefficients between c[0] and c[1]."""
    scale = 1 << bits
    whole = [int(v * scale // 1) for v in c[0]], [int(-(-v * scale // 1)) for v in c[1]]
    a, b = (0, 1) if whole[0][0] >= whole[0][1] else (1, 0)
    both, three, four = weights[a] + weights[b], len(weights) > 2, len(weights) == 4
    totals, worst = [0, 0], 0
    first, *laws_t, outside = Binomial(n, both if three else Fraction(1)).window(bits)
    for t, *weight_t in zip(range(first, n + 1), *laws_t, strict=False):
        start, *laws_a, out_a = Binomial(t, weights[a] / both).window(bits)
        begin, *laws_c, out_c = Binomial(n - t, weights[2] / (1 - both)).window(bits) if four else _zero(scale)
        for side in (0, 1):
            v = whole[side]
            base, slope, tilt = v[b] * t + v[-1] * (n - t) * three, v[a] - v[b], (v[2] - v[3]) if four else 0
            if slope < 0:  # rounding made two equal values cross
                slope, base = 0, base + min(slope, 0) * t * (1 - side)
            totals[side] += weight_t[side] * _given(start, laws_a[side], begin, laws_c[side], base, slope, tilt)
        worst += weight_t[1] * (out_a + out_c) * scale
    worst += outside * scale * scale
    most = max(abs(v) for v in whole[0] + whole[1])
    return Fraction(totals[0], n * scale**4), Fraction(totals[1] + worst * n * most, n * scale**4)


def _zero(scale: int) -> tuple[int, list[int], list[int], int]:
    """The window of the number 0."""
    return 0, [scale], [scale], 0


def _given(start: int, law_a: list[int], begin: int, law_c: list[int], base: int, slope: int, tilt: int) -> int:
    """sum over i, u of law_a[i] law_c[u] max(base + slope i + tilt u, 0), slope >= 0."""
    if slope == 0:
        whole = sum(law_a)
        return whole * sum(w * max(base + tilt * u, 0) for u, w in enumerate(law_c, begin))
    end = start + len(law_a)
    sums = list(accumulate(reversed(law_a), initial=0))[::-1]  # Pr[A >= start + i]
    falling = zip(range(end - 1, start - 1, -1), reversed(law_a), strict=True)
    moments = list(accumulate((w * i for i, w in falling), initial=0))[::-1]
    if tilt < 0:  # count u downwards
        law_c = law_c[::-1]
        base, tilt, begin = base + tilt * (2 * begin + len(law_c) - 1), -tilt, begin
    before = list(accumulate(law_c, initial=0))
    before_moment = list(accumulate((w * u for u, w in enumerate(law_c, begin)), initial=0))
    total, u, last = 0, begin, begin + len(law_c)
    while u < last:
        least = -(base + tilt * u) // slope + 1  # the least i with a positive value, at this u
        stay = last
        if tilt:  # up to which u that stays the least
            stay = min(last, (-base - slope * (least - 1)) // tilt + 1) if least > start else last
            stay = max(stay, u + 1)
        i = min(max(least, start), end) - start
        if i < len(law_a):
            weight = before[stay - begin] - before[u - begin]
            moment = before_moment[stay - begin] - before_moment[u - begin]
            total += sums[i] * (base * weight + tilt * moment) + moments[i] * slope * weight
        u = stay
    return total


def power_of(draw: dict[int, Fraction], n: int, bits: int) -> Window:
    """The law of the sum of n independent draws, by repeated squaring of windows."""
    low, high = min(draw), max(draw)
    places = range(low, high + 1)
    if len(places) > MAX_CELLS:
        raise TooMuchWork(f"a lattice of {len(places)} cells for one user: expected values that differ less")
    scaled = [draw.get(k, Fraction(0)) * (1 << bits) for k in places]
    down = [fmpz(w.numerator // w.denominator) for w in scaled]
    one = Window(low, down, [fmpz(-(-w.numerator // w.denominator)) for w in scaled], 0, bits)
    result = Window(0, [fmpz(1) << bits], [fmpz(1) << bits], 0, bits)
    for digit in bin(n)[2:]:
        result = result.plus(result)
        if digit == "1":
            result = result.plus(one)
    return result


class Tails:
    """Pr[X > t] of a window, enclosed."""

    def __init__(self, law: Window) -> None:
        self.law = law
        self.low = list(accumulate(reversed(law.low), initial=fmpz(0)))[::-1]
        self.high = list(accumulate(reversed(law.high), initial=fmpz(0)))[::-1]

    def more_than(self, t: int) -> Ends:
        i = min(max(t + 1 - self.law.first, 0), len(self.low) - 1)
        scale = 1 << self.law.bits
        return Fraction(int(self.low[i]), scale), Fraction(int(self.high[i]) + self.law.outside, scale)
