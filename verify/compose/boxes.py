"""Runs of one table on the same data: boxes of the others' compositions, each by the pair of its corner, composed.

Where all users hold the same input in all runs, the runs of two neighbouring datasets have one pair of laws: that of
the others' composition, how many hold which input, and of the two inputs a and b of the user who changes. In a box of
compositions all have the corner's users, and of the others, so many more, at least j send what all inputs send alike,
but for a probability of at most m. A run then shows, but for m, what the corner's users, j who send what is common and
one on a, or on b, show, and more besides: D_t <= D_t(corner's pair) + m for every t > 0, the curve of the corner's pair
with m more of P where Q is 0. So the power of that pair bounds the runs (lemma in verify/pairs/connect_the_dots.py),
and the answer is the largest over boxes that hold all compositions, for all pairs of inputs.

No input is left out for being a mixture of others, as it may be in one run (verify/bound/table.py): who draws another
input in each run is none of the datasets that are compared. Boxes are cut until floats say that their corners keep a
limit; what they allow is then found on a lattice (verify/pairs/lattice.py), and cut once more where it is too much.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from shufflecert.verify.bound.bound import Bound
from shufflecert.verify.bound.guess import as_float
from shufflecert.verify.bound.law import BITS, DatasetPair, Power
from shufflecert.verify.bound.real import Dataset
from shufflecert.verify.bound.search import Spent
from shufflecert.verify.bound.table import Box, merged
from shufflecert.verify.compose.components import powers
from shufflecert.verify.compose.guess import HAIR, Guess, Node
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import Neighbours
from shufflecert.verify.pairs.connect_the_dots import Exact, dominating_heights, height_before_1
from shufflecert.verify.pairs.lattice import delta
from shufflecert.verify.pairs.lattice_guess import guessed
from shufflecert.verify.pairs.windowed import Atoms, WindowPair
from shufflecert.verify.progress import Progress
from shufflecert.verify.systems.population import unwritten

BY = (
    "real datasets, composed (below); boxes of all compositions of the others, each with its corner's pair composed"
    " (above), verify/compose/boxes.py"
)
Ends = tuple[str | None, str | None]  # the two inputs of the user who changes
Heights = tuple["Corner", tuple[list[int], list[int]]]  # of a corner's curve at dots, and of that of its reverse
WIDTHS = Fraction(1, 10), Fraction(1, 50), Fraction(1, 200)  # of a cover's eps, before the tolerance
WIDER, NEARLY = 4, Fraction(15, 16)  # times as wide as an eps are deltas at first; of a width, that is aimed at
LATTICES = 1 << 9, 1 << 11, 1 << 13, 1 << 15  # cells, one after the other
LEAST = Fraction(1, 10**9)  # a delta that floats tell
DRAWN = Fraction(1, 10**4)  # of a delta: what draws may miss
NOWHERE = Fraction(0), Fraction(0)
DOTS, POINT = 768, 128  # on each curve; bits after the point of a dot's place


@dataclass(frozen=True, eq=False)
class Corner(DatasetPair):
    """The pair of a box's corner, with as much more of P where Q is 0 as draws may miss."""

    missed: Fraction = Fraction(0)

    def atoms(self, bits: int) -> Atoms:
        """The atoms of the corner's pair, and more outside."""
        known = super().atoms(bits)
        return replace(known, outside=(known.outside[0] + _over(self.missed, bits), known.outside[1]))


@dataclass
class Boxes:
    """The composition of so many runs of a table on the same data, over all neighbouring datasets of n users.

    Upper ends are as close to what real datasets have as the tolerance says, relatively.
    """

    guess: Guess
    tolerance: Fraction
    progress: Progress | None = None
    near: Dataset | None = None
    leaves: int = 0  # of the last cover that was shown

    @classmethod
    def of(cls, bound: Bound, times: int, work: int) -> "Boxes | None":
        """The composition of runs, of one of which this is known.

        None where a dataset's law has too many cells, and where more than one number matters in a table that is not
        covered, of which dots on the curve of one run are about as close.
        """
        question, effort, rows = bound.question, replace(bound.effort, work=work), bound.covers
        if rows is None and (unwritten(question.protocol) or len(question.randomizer.messages) > 2):
            return None
        guess = Guess.of(merged(rows or question.randomizer), question.counted, times, effort.cells)
        if guess is None or (rows is None and guess.search.table.rank > 1):
            return None
        return cls(guess, effort.tolerance, effort.progress)

    @property
    def cells(self) -> int:
        """About how many outcomes one run has."""
        return int(self.guess.search.guess.cells) if self.guess.search.guess else 0

    def worst(self, at: Eps | Fraction) -> tuple[Neighbours, DatasetPair] | None:
        """The real datasets that seem to have the largest delta at an eps, or to need the largest eps for a delta.

        Dots are where they are worth most for these. None where that takes too long.
        """
        try:
            self.near = one = self.guess.worst(at)
        except Spent:
            return None
        (a, b), real = one.pair, self.guess.real
        lost = real.loses(one), real.loses(Dataset(one.counts, (b, a)))
        return real.named(one).neighbours, DatasetPair(self.guess.search.table, one.counts, a, b, lost)

    def epsilon_above(self, low: Fraction, bound: Fraction) -> Fraction | None:
        """An eps that is shown to be enough, about the tolerance above `low`; None where none is."""
        widths = [width for width in WIDTHS if width > self.tolerance] + [self.tolerance * NEARLY]
        shown = self.above([(Eps.of(low * (1 + width)), bound) for width in widths])
        return None if shown is None else Fraction(shown[0].enclosure()[1])

    def delta_above(self, eps: Eps, low: Fraction) -> Fraction | None:
        """An upper bound on delta(eps), about the tolerance above `low`; None where none is shown."""
        widths = [WIDER * width for width in (*WIDTHS, self.tolerance) if width >= self.tolerance] + [self.tolerance]
        limits = [low * (1 + width) for width in widths]
        shown = self.above([(eps, limit) for limit in limits if limit < 1], self.tolerance / 2)
        return None if shown is None else shown[1]

    def above(self, asked: Sequence[tuple[Eps, Fraction]], hair: Fraction = HAIR) -> tuple[Eps, Fraction] | None:
        """Of questions (eps, limit) that ask for ever more, the last one that is shown: an upper bound on delta(eps).

        It is at most the limit. None where none is shown.
        """
        least = min((limit for _, limit in asked), default=Fraction(0))
        if least < LEAST or self.near is None:
            return None
        missed = least * DRAWN / self.guess.times
        walked = self.progress(asked, len(asked)) if self.progress else asked
        covers, last = self.guess.covers(walked, missed, hair), self.guess.last(self.near, missed)
        dots = [*dict.fromkeys(Power.of(t) for t in powers(last, DOTS))]
        for eps, limit, leaves in reversed(covers):
            corners = [Corner(self.guess.search.table, counts, *pair, NOWHERE, missed) for counts, pair in leaves]
            each = self.progress(corners, len(corners)) if self.progress else corners
            most = self._most([(corner, self._heights(corner, dots)) for corner in each], dots, eps, limit)
            if most <= limit:
                self.leaves = len(leaves)
                return eps, most
        return None

    def trees(self, eps: Eps, limit: Fraction, most: int) -> dict[Ends, list[list[Any] | DatasetPair]] | None:
        """For each pair of inputs the tree of a certificate, with the pairs of its corners for its leaves."""
        table, found = self.guess.search.table, self.guess.trees(eps, limit, most)
        if found is None:
            return None
        names = [table.inputs[x] for x in table.firsts]

        def node(one: Node, pair: tuple[int, int]) -> list[Any] | DatasetPair:
            return DatasetPair(table, one.lower, *pair, NOWHERE) if isinstance(one, Box) else [names[one[0]], one[1]]

        some = ((pair, [node(one, pair) for one in nodes]) for pair, nodes in found.items())
        return {(table.inputs[a], table.inputs[b]): nodes for (a, b), nodes in some}

    def _most(self, curves: Sequence[Heights], dots: Sequence[Power], eps: Eps, limit: Fraction) -> Fraction:
        """What corners allow delta(eps) of all runs to be: by dots on the largest of their curves, if that will do."""
        forth, back = ([max(one[way][i] for _, one in curves) for i in range(len(dots))] for way in (0, 1))
        knots, heights = list[int](), list[int]()
        for power, height in zip(reversed(dots), reversed(back), strict=True):
            less = (1 << POINT + power.k) // power.s  # 1/t, rounded down
            knots.append(less)
            heights.append(height_before_1(less, height, POINT, BITS))
        for power, height in zip(dots[1:], forth[1:], strict=True):
            knots.append(power.s << POINT - power.k)
            heights.append(height)
        pair = dominating_heights(knots, [min(one, 1 << BITS) for one in heights], POINT, BITS)
        if self.guess.joined(pair, as_float(eps)) <= limit:
            found = self._powered(Exact(pair), eps, limit, LATTICES[:3])
            if found <= limit:
                return found
        if len(curves) == 1:
            return self._powered(curves[0][0], eps, limit, LATTICES)
        half, most = len(curves) // 2, Fraction(0)
        for some in (curves[half:], curves[:half]):
            most = max(most, self._most(some, dots, eps, limit))
            if most > limit:
                break
        return most

    def _powered(self, pair: WindowPair, eps: Eps, limit: Fraction, lattices: Sequence[int]) -> Fraction:
        parts, found = [(pair, self.guess.times)], Fraction(1)
        for cells in lattices:
            found = min(found, delta(parts, eps, guessed(parts, eps, cells)[0], True, limit))
            if found <= limit:
                break
        return found

    def _heights(self, corner: Corner, dots: Sequence[Power]) -> tuple[list[int], list[int]]:
        """Upper bounds on the curve of a corner at the dots, and on that of its reverse, over 2^60."""
        views, missed = self.guess.search.views(corner.counts, Fraction(1)), _over(corner.missed, BITS)
        ways = [(corner.source, corner.target), (corner.target, corner.source)]
        forth, back = ([height + missed for height in views.heights(*way, dots)] for way in ways)
        return forth, back


def _over(probability: Fraction, bits: int) -> int:
    """A probability over 2^bits, rounded up."""
    return -(-(probability.numerator << bits) // probability.denominator)
