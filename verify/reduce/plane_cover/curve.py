"""Many eps of one table in the plane: one cover for all of them, and each law of a corner is asked about all at once.

The lemmas are those of verify/reduce/plane_cover/cover.py: at every eps the boxes allow the most that one of their
corners does. What takes long is a corner's law, which is the same for all eps; what it allows at each of them is summed
in machine words (`words`). Floats guess a cover that is close at some of the eps (`knots`); where they are wrong, and
between these eps, the interval is wider.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from verify.exact.epsilon import Eps
from verify.progress import Progress
from verify.reduce.compositions import Box, Composition
from verify.reduce.plane_cover import words
from verify.reduce.plane_cover.cover import Search
from verify.reduce.plane_cover.knots import Knots
from verify.reduce.plane_cover.windows import Sums

MOST_BYTES = 8  # of a weight: more than words hold
Worst = tuple[Composition, tuple[int, int]]


@dataclass
class Curve:
    """What is proved of delta at each of many eps, rising, in [low, high]; `worst` attains the lower end, if given.

    `laws` counts those that were evaluated; `covered` is whether a cover has bounded the upper ends.
    """

    search: Search
    eps: Sequence[Eps]
    low: list[Fraction]
    high: list[Fraction]
    progress: Progress | None = None
    worst: list[Worst | None] = field(init=False)
    laws: int = 0
    covered: bool = False
    corners: dict[Composition, list[Fraction]] = field(default_factory=dict)  # what they allow at each eps

    def __post_init__(self) -> None:
        self.worst = [None for _ in self.eps]

    def close_in(self) -> Iterator[None]:
        """Stops whenever more is known: of the worst real compositions, of a wide cover, and of the closest one.

        The laws of all corners have no more cells than `max_work`. Nothing where floats tell nothing: where delta is
        too small at all eps, or the table too large.
        """
        search = self.search
        knots = Knots.of(search.plane, search.n, self.eps) if search.plane.unit < words.LONGEST else None
        if knots is None:
            return
        covers = knots.covers(search.tolerance, search.max_work // knots.cells)
        sums = search.sums(knots.least)
        sums.size = min(sums.size, MOST_BYTES)
        size = len(search.plane.bases)
        for counts, ends in self._laws(sums, knots.worth(self.low)):
            for i, (low, _, pair) in enumerate(ends):
                if low > self.low[i]:
                    self.low[i], self.worst[i] = low, (counts[:size], pair)
        yield
        for boxes in covers:
            corners = {box: knots.corner(box) for box in boxes}
            for counts, ends in self._laws(sums, sorted({*corners.values()} - self.corners.keys())):
                self.corners[counts] = [high for _, high, _ in ends]
            self._lower(corners)
            yield

    def _laws(self, sums: Sums, wanted: Sequence[Composition]) -> Iterator[tuple[Composition, list[words.Ends]]]:
        size = len(self.search.plane.laws)
        full = {(*counts, 0)[:size] if len(counts) < size else counts: counts for counts in wanted}
        walk = sums.each(list(full))
        for counts, law in self.progress(walk, len(full)) if self.progress else walk:
            self.laws += 1
            yield full[counts], words.ends(self.search.plane, law, self.search.plane.pairs(), self.eps)

    def _lower(self, corners: dict[Box, Composition]) -> None:
        """Bring upper ends down to what a cover allows, all corners of which have been evaluated."""
        fewer = {box: self.search.fewer(sum(box.lower), corner) for box, corner in corners.items()}
        for i, high in enumerate(self.high):
            most = max(self.corners[corner][i] + fewer[box] for box, corner in corners.items())
            self.high[i] = max(min(high, most), self.low[i])
        self.covered = True
