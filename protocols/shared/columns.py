"""One column of bits: what `rr` shows, and each column of `fragmented_rappor`, for every dataset of the others.

Of N others, m hold a 1 before flipping. The column's number of ones, with the user who changes on 1 (P) or on 0 (Q), is

    P_m = G_m + Ber(1 - flip),   Q_m = G_m + Ber(flip),   G_m = Bin(m, 1 - flip) + Bin(N - m, flip).

Two facts are used throughout.

Reversal: c -> N + 1 - c takes (Q_m, P_m) to (P_(N-m), Q_(N-m)), so one direction for all m is both.
Dropping users: whoever sees (P, Q) with fewer others may add the missing ones himself, which is post-processing; so
the pair of m ones and z zeros is dominated by that of m' <= m ones and z' <= z zeros.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache, partial
from heapq import heappop, heappush
from itertools import pairwise
from typing import Any

from protocols.shared.counts import tail_event
from verify.enclose.interval import FIRST_BITS, Interval, refine
from verify.enclose.noise_laws import Binomial
from verify.exact.epsilon import Eps
from verify.exact.rational import DIGITS
from verify.pairs.windowed import SumPair
from verify.reduce.reduction import Family, NamedPair

MOST_SCREENED = 300_000  # others up to which every m is screened
STEPS = 200  # of branch and bound beyond
CLOSE = Fraction(1, 10**4)  # relative width at which branch and bound stops
BOXES, SOME = 8, 10_000
SMALLEST = Fraction(1, 10**250)  # doubles screen no smaller divergence


def column(flip: Fraction, ones: int, zeros: int) -> SumPair:
    """The pair of one column: (P, Q) with so many others on 1 and on 0."""
    others = tuple(law for law in (Binomial(ones, 1 - flip), Binomial(zeros, flip)) if law.n)
    return SumPair((*others, Binomial(1, 1 - flip)), (*others, Binomial(1, flip)))


@dataclass(frozen=True)
class AllColumns(Family):
    """The pairs of all m = 0..others: a family whose worst is found by screening, or between bounds beyond 300000."""

    flip: Fraction
    others: int
    names: tuple[str, str] = ("1", "0")  # of the inputs of P and of Q
    others_off: str | None = None  # of the others' input that is not on 1, where it is not that of Q

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """The largest delta(eps) over all m, the m that attains it, and how many m were looked at: all."""
        known = self._constant(eps)
        if known is not None:
            return known, self.named(0), 1
        if enough and any(self._dominated(eps, enough, most) for most in {min(SOME, self.others), self.others}):
            return Interval(Fraction(0), enough), None, self.others + 1
        some = [self._value(m, self.others - m, eps, 8, enough=enough) for m in {0, self.others // 2, self.others}]
        first = max(some, key=lambda value: value.low)
        if self.others > MOST_SCREENED or max(first.low, enough) < SMALLEST:
            return self._between(eps, first.low, enough)
        survivors = screened(self.flip, self.others, eps, first.low, enough)
        if not survivors:
            return Interval(first.low, enough), None, self.others + 1
        values = {m: self.value(m, eps, digits) for m in survivors}
        best = max(values, key=lambda m: values[m].low)
        top = Interval(values[best].low, max(enough, *(value.high for value in values.values())))
        return top, self.named(best), self.others + 1

    def _dominated(self, eps: Eps, enough: Fraction, most: int) -> bool:
        """Whether no delta(eps) is above `enough`, by the pairs that dominate eighths of all m: without a screen.

        They have `most` ones and zeros at most: others are dropped.
        """
        ends = [self.others * i // BOXES for i in range(BOXES + 1)]
        boxes = ((min(low, most), min(self.others - high, most)) for low, high in pairwise(ends))
        return all(self._value(*box, eps, 2, enough=enough).high <= enough for box in boxes)

    def _constant(self, eps: Eps) -> Interval | None:
        """Where the answer needs no sum: flip = 0 shows the bit, and beyond the local eps nothing is left."""
        if self.flip == 0:
            return Interval(Fraction(1), Fraction(1))
        return Interval(Fraction(0), Fraction(0)) if Eps.log(1 / self.flip - 1) <= eps else None

    def value(self, m: int, eps: Eps, digits: int = DIGITS) -> Interval:
        """The divergence delta(eps) where m of the others are on 1."""
        return self._value(m, self.others - m, eps, digits)

    def _value(
        self,
        ones: int,
        zeros: int,
        eps: Eps,
        digits: int,
        about: Fraction | None = None,
        enough: Fraction = Fraction(0),
    ) -> Interval:
        """`about` is the size of the answer, where known: it saves steps of precision that would be too low."""
        pair, first = column(self.flip, ones, zeros), FIRST_BITS
        if about is not None:
            first = 64 + 4 * digits + max(0, about.denominator.bit_length() - about.numerator.bit_length())
        return refine(partial(pair.divergence, eps), digits, first_bits=first, enough=enough)

    def _between(
        self, eps: Eps, about: Fraction, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """Branch and bound: all m in [l, h] are dominated by l ones and N - h zeros."""
        seen, boxes = 0, [(Fraction(-1), 0, self.others)]
        near_ends = {m for i in range(self.others.bit_length()) for m in (2**i - 1, self.others + 1 - 2**i)}
        values = {m: self._value(m, self.others - m, eps, 12, about).low for m in near_ends}
        at = max(values, key=values.__getitem__)
        best = values[at]
        while True:
            bound, low, high = heappop(boxes)
            if low == high or seen > STEPS or (seen and -bound <= max(best + CLOSE * best, enough)):
                break
            middle = (low + high) // 2
            value = self._value(middle, self.others - middle, eps, 12, about)
            if value.low > best:
                best, at = value.low, middle
            for start, end in ((low, middle), (middle + 1, high)):
                above = self._value(start, self.others - end, eps, 12, about)
                heappush(boxes, (-above.high, start, end))
                seen += 1
        return Interval(best, -bound), self.named(at), seen

    def named(self, m: int) -> NamedPair:
        """The pair of datasets where m of the others are on 1."""
        (one, zero), pair = self.names, column(self.flip, m, self.others - m)
        held = {one: m, self.others_off or zero: self.others - m}
        return NamedPair(pair, one, zero, {x: count for x, count in held.items() if count}, tail_event(pair, one))

    def never_returns(self) -> Fraction:
        """A lower bound on the largest P(Q = 0): 1 without flips, else 0."""
        return Fraction(int(self.flip == 0))


def screened(flip: Fraction, others: int, eps: Eps, attained: Fraction, enough: Fraction = Fraction(0)) -> list[int]:
    """All m whose delta(eps) may be the largest and above `enough`. Guesses in doubles.

    `attained` is a lower bound on the largest.

    delta_m = sum over k of max(a G_m(k - 1) - b G_m(k), 0), a = 1 - flip - e^eps flip, b = e^eps (1 - flip) - flip.
    G_m = A^m B^(N - m) by divide and conquer over m: the node of [l, h) holds A^l B^(N - h + 1), and a leaf is reached
    through at most `depth` products of windows. Error, u = 2^-53:

    - every entry is a sum of at most w products of non-negative doubles, w the longest window; each product adds a
      relative error of at most (w + 4) u, whatever the order of summation (the factors' own roundings included), so an
      entry has relative error below r = (depth + 1)(w + 8) u, as long as r < 1e-6;
    - each trim removes mass of at most `cut`, so a leaf lacks at most depth * cut, worth (a + b) depth cut; products
      below the smallest double vanish, which is less than 1e-280 in all;
    - a term a G(k-1) - b G(k) is off by at most 2 r (a G(k-1) + b G(k)); one that is not near positive, that is
      a G(k-1) (1 + 8 r) < b G(k), is truly not positive.

    So delta_m is within 2 r sum over near terms of (a G(k-1) + b G(k)), plus the loss, of its guess.
    """
    import numpy as np

    _, high = eps.bounds(64)
    a, b = float(1 - flip - high * flip), float(high * (1 - flip) - flip)
    depth = max(1, others.bit_length() + 1)
    cut = max(float(max(attained, enough)) * 1e-14 / (depth * (abs(a) + b)), 1e-290)
    guesses, errors, widest = np.zeros(others + 1), np.zeros(others + 1), 2
    for m, window in _leaves(flip, others, cut, np):
        padded = np.concatenate(([0.0], window, [0.0]))
        more, less = a * padded[:-1], b * padded[1:]
        widest = max(widest, len(window))
        near = more * (1 + 1e-5) >= less
        more, less = more[near], less[near]
        guesses[m] = np.maximum(more - less, 0.0).sum()
        errors[m] = (more + less).sum()
    relative = (depth + 1) * (widest + 8) * 2.0**-53
    assert relative < 1e-6, "windows too long for the screen"
    margin = (4 * relative + 1e-15) * errors + (abs(a) + b) * depth * cut + 1e-280
    least = max((guesses - margin).max(), float(enough) * (1 - 1e-15))
    return [int(m) for m in np.nonzero(guesses + margin >= least)[0]]


def _leaves(flip: Fraction, others: int, cut: float, np: Any) -> Iterator[tuple[int, Any]]:
    """(m, G_m on a window) for m = 0..others."""
    stack, power_of = [(0, others + 1, np.ones(1))], cache(partial(_power, flip))  # a flip's hash takes long
    while stack:
        low, high, window = stack.pop()
        if high - low == 1:
            yield low, window
            continue
        middle = (low + high) // 2
        right, left = power_of(middle - low), power_of(high - middle)[::-1]
        for start, end, power in ((middle, high, right), (low, middle, left)):
            product = np.convolve(window, power)
            if end - start >= 16:
                product = _trim(product, cut, np)
            stack.append((start, end, product))


@lru_cache(maxsize=64)
def _power(flip: Fraction, size: int) -> Any:
    """Bin(size, 1 - flip) as doubles on its window (the mirror image is Bin(size, flip))."""
    import numpy as np

    _, low, _, _ = Binomial(size, 1 - flip).window(1040)
    return np.array([float(Fraction(w, 1 << 1040)) for w in low])


def _trim(window: Any, cut: float, np: Any) -> Any:
    """Without ends of a mass of at most cut / 2 each."""
    start = int(np.searchsorted(np.cumsum(window), cut / 2.5))
    end = len(window) - int(np.searchsorted(np.cumsum(window[::-1]), cut / 2.5))
    return window[start:end]
