"""Upper bounds on delta(eps) of many products of pairs, in integers of 64 bits: to leave out those that are smaller.

A weight is m 2^-e, m at most 2^30, rounded up for P and down for Q: a product of a few loses about 2^-26 of it. The
outcomes of a pair's copies that differ in their order only are one. In the sum p and t q are over 2^60, t q cut at 2:
P's mass is little above 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache, partial, reduce
from itertools import combinations_with_replacement, pairwise
from math import comb, factorial, prod
from typing import Any

from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.windowed import AtomsAt
from shufflecert.verify.runs.later import Later

np: Any = Later("numpy")
SHARP, BITS, UNIT = 128, 30, 60  # of what is rounded; of a weight; of a sum
LONGEST, MOST, KEPT = 16, 1 << 16, 1 << 22  # pairs of a product; its outcomes; those of all that are kept
Weights = tuple[Any, Any]  # m and e, each an array
Laws = tuple[Weights, Weights]  # of P from above, of Q from below


@dataclass
class Rough:
    """Bounds at one eps; `laws` are those of products that others begin with."""

    eps: Eps
    laws: dict[tuple[tuple[AtomsAt, int], ...], Laws] = field(default_factory=dict)
    outside: dict[AtomsAt, Fraction] = field(default_factory=dict)
    held: int = 0

    def above(self, parts: Sequence[tuple[AtomsAt, int]]) -> Fraction:
        """An upper bound on the delta(eps) of a product, each pair taken so many times; 1 where outcomes are many."""
        if sum(copies for _, copies in parts) > LONGEST:
            return Fraction(1)
        sizes = [len(self._law(((pair, 1),))[0][0]) for pair, _ in parts]
        if prod(comb(size + copies - 1, copies) for size, (_, copies) in zip(sizes, parts, strict=True)) > MOST:
            return Fraction(1)
        (p, e), (q, f) = self._law(tuple(parts))
        power = self.eps.bounds(2 * BITS)[0]
        less = BITS - int(power).bit_length()
        top = int(power * Fraction(2) ** less)
        excess = _fixed(p, e, True) - _fixed(q * top, f + less, False)
        total = int(excess[excess > 0].sum())
        missed = sum((copies * self.outside[pair] for pair, copies in parts), Fraction(0))
        return min(Fraction(total, 1 << UNIT) + missed, Fraction(1))

    def _law(self, parts: tuple[tuple[AtomsAt, int], ...]) -> Laws:
        if parts not in self.laws:
            if self.held > KEPT:
                self.laws, self.held = {}, 0
            (*first, (pair, copies)) = parts
            if first:
                found = _joined(self._law(tuple(first)), self._law(((pair, copies),)))
            else:
                found = self._rounded(pair) if copies == 1 else _copied(self._law(((pair, 1),)), copies)
            self.laws[parts] = found
            self.held += len(found[0][0])
        return self.laws[parts]

    def _rounded(self, pair: AtomsAt) -> Laws:
        atoms = pair.atoms(SHARP)
        self.outside[pair] = Fraction(int(atoms.outside[0]), 1 << SHARP)
        return _weights(atoms.p[1], SHARP, True), _weights(atoms.q[0], SHARP, False)


def _weights(numbers: Sequence[Any], bits: int, up: bool) -> Weights:
    """Numbers over 2^bits, rounded."""
    whole = [int(number) for number in numbers]
    less = [number.bit_length() - BITS for number in whole]
    short = [w << -by if by < 0 else -(-w >> by) if up else w >> by for w, by in zip(whole, less, strict=True)]
    return np.array(short, np.int64), bits - np.array(less, np.int64)


def _times(one: Weights, two: Weights, up: bool) -> Weights:
    more = (1 << BITS) - 1 if up else 0
    return one[0] * two[0] + more >> BITS, one[1] + two[1] - BITS


def _joined(one: Laws, two: Laws) -> Laws:
    p, q = (
        _times((m[:, None], e[:, None]), other, up) for (m, e), other, up in zip(one, two, (True, False), strict=True)
    )
    return (p[0].ravel(), p[1].ravel()), (q[0].ravel(), q[1].ravel())


def _copied(laws: Laws, copies: int) -> Laws:
    """Of all copies of a pair: each multiset of its outcomes, times the number of its orders."""
    places, orders = _multisets(len(laws[0][0]), copies)
    p, q = (
        reduce(partial(_times, up=up), [many, *((m[at], e[at]) for at in places)])
        for (m, e), many, up in zip(laws, orders, (True, False), strict=True)
    )
    return p, q


@lru_cache(maxsize=4)
def _multisets(size: int, copies: int) -> tuple[Any, Laws]:
    """The multisets of so many of `size` outcomes, an array for each copy, and the numbers of their orders."""
    places = np.array(list(combinations_with_replacement(range(size), copies)), np.int64).reshape(-1, copies).T
    orders, run = np.full(places.shape[1], factorial(copies), np.int64), np.ones(places.shape[1], np.int64)
    for before, at in pairwise(places):
        run = np.where(before == at, run + 1, 1)
        orders //= run
    return places, (_weights(orders, 0, True), _weights(orders, 0, False))


def _fixed(m: Any, e: Any, up: bool) -> Any:
    """m 2^-e over 2^UNIT, rounded, at most 2."""
    by = np.clip(e - UNIT, -UNIT - 1, UNIT + 2)
    right, left = np.maximum(by, 0), np.maximum(-by, 0)
    some = (m + ((1 << right) - 1 if up else 0)) >> right
    return np.where(some > (1 << UNIT + 1) >> left, 1 << UNIT + 1, some << left)
