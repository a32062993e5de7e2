"""Products of independent pairs, each taken several times: outcomes that differ in their order only are one."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb, prod

from flint import fmpz

from shufflecert.verify.enclose.interval import is_whole
from shufflecert.verify.pairs.windowed import Atoms, AtomsAt, WindowPair

COUNTED_AT = 128  # bits at which atoms are counted


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
