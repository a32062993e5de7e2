"""Upper bounds on delta(eps) of many products of pairs, in integers of 64 bits: to leave out those that are smaller.

P is rounded up and Q down to 30 bits, and e^eps down to 32. So products have at most 62 bits, and sums over MOST
outcomes as well: P's mass is little above 1.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import prod
from typing import Any

from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.windowed import AtomsAt
from shufflecert.verify.runs.later import Later

np: Any = Later("numpy")
SHARP, BITS, POWER, FINEST = 128, 30, 32, 20  # of what is rounded; of a probability; of e^eps; and of its fraction
LONGEST, MOST, KEPT = 16, 1 << 16, 1 << 22  # pairs of a product; its outcomes; those of all that are kept
Laws = tuple[Any, Any]  # of P from above, of Q from below


@dataclass
class Rough:
    """Bounds at one eps; `laws` are those of products that others begin with."""

    eps: Eps
    laws: dict[tuple[AtomsAt, ...], Laws] = field(default_factory=dict)
    outside: dict[AtomsAt, Fraction] = field(default_factory=dict)
    held: int = 0

    def above(self, parts: Sequence[tuple[AtomsAt, int]]) -> Fraction:
        """An upper bound on the delta(eps) of a product, each pair taken so many times; 1 where outcomes are many."""
        if sum(copies for _, copies in parts) > LONGEST:
            return Fraction(1)
        pairs = tuple(pair for pair, copies in parts for _ in range(copies))
        if prod(len(self._law((pair,))[0]) for pair in pairs) > MOST:
            return Fraction(1)
        power = self.eps.bounds(2 * POWER)[0]
        shift = min(max(POWER - int(power).bit_length(), 0), FINEST)
        p, q = self._law(pairs) if len(pairs) == 1 else self._times(pairs[:-1], pairs[-1:])
        excess = (p << shift) - min(int(power * 2**shift), (1 << POWER) - 1) * q
        total = int(excess[excess > 0].sum())
        return min(Fraction(total, 1 << BITS + shift) + sum(map(self.outside.__getitem__, pairs)), Fraction(1))

    def _law(self, pairs: tuple[AtomsAt, ...]) -> Laws:
        if pairs not in self.laws:
            if self.held > KEPT:
                self.laws, self.held = {}, 0
            p, q = self._rounded(pairs[0]) if len(pairs) == 1 else self._times(pairs[:-1], pairs[-1:])
            self.laws[pairs] = p, q
            self.held += len(p)
        return self.laws[pairs]

    def _times(self, first: tuple[AtomsAt, ...], last: tuple[AtomsAt, ...]) -> Laws:
        (p, q), (p_last, q_last) = self._law(first), self._law(last)
        up = np.multiply.outer(p, p_last).ravel() + ((1 << BITS) - 1)
        return up >> BITS, np.multiply.outer(q, q_last).ravel() >> BITS

    def _rounded(self, pair: AtomsAt) -> Laws:
        atoms, less = pair.atoms(SHARP), SHARP - BITS
        self.outside[pair] = Fraction(int(atoms.outside[0]), 1 << SHARP)
        p = np.array([-(-int(w) >> less) for w in atoms.p[1]], dtype=np.int64)
        return p, np.array([int(w) >> less for w in atoms.q[0]], dtype=np.int64)
