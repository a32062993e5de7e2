"""What the others cannot hide of one user, however many they are.

The others' counts of messages sum to a known vector plus differences of outputs of one row, so often each. What is
seen for sure of the user's own counts is their class modulo the lattice of these differences: how often a message is
sent that nobody else sends, or all others equally often; the number of messages where all others send equally many;
whether it is odd where theirs is always even.
"""

from collections.abc import Iterable, Sequence

from flint import fmpz_mat

from shufflecert.verify.exact.randomizer import Messages
from shufflecert.verify.reduce.threshold_event.weights import Row

MANY = 60  # messages up to which the lattice is found; beyond, what nobody else sends is looked at

Class = tuple[int, ...]


def classes(sent: Iterable[Messages], others: Sequence[Row]) -> dict[Messages, Class]:
    """The class of everything that the user may send: what is in different classes is told apart by every view."""
    outputs, known = dict.fromkeys(sent), {m for row in others for output in row for m in output}
    names = sorted(known.union(*outputs))
    if len(names) > MANY:
        alone = [m for m in names if m not in known]
        return {output: tuple(map(output.count, alone)) for output in outputs}
    basis = _basis([step for row in others for step in _differences(row, names)])
    return {output: _remainder([output.count(m) for m in names], basis) for output in outputs}


def _differences(row: Row, names: Sequence[str]) -> list[list[int]]:
    first, *rest = ([output.count(m) for m in names] for output in row)
    return [[a - b for a, b in zip(one, first, strict=True)] for one in rest]


def _basis(differences: list[list[int]]) -> list[list[int]]:
    """Hermite's normal form of the lattice that all of them span, without rows of zeros."""
    found = fmpz_mat(differences).hnf().tolist() if differences else []
    return [[int(a) for a in row] for row in found if any(row)]


def _remainder(counts: list[int], basis: list[list[int]]) -> Class:
    """The one vector of the class that is reduced by every row, at the place where that begins."""
    for row in basis:
        at = next(i for i, a in enumerate(row) if a)
        times = counts[at] // row[at]
        counts = [a - times * b for a, b in zip(counts, row, strict=True)]
    return tuple(counts)
