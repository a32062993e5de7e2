"""Randomizers of which two numbers matter: outputs are points of a lattice of rank 2, in coordinates that suit it.

What is seen of a user is a multiset of messages, a point of Z^k. If the differences of all points that any input gives
span a lattice of rank 2, each point is origin + u b + v c with integers u and v: Hermite's normal form has such a basis
b, c. Another basis is as good; Lagrange's reduction of the covariance of u and v, added up over all rows, gives one in
which u and v hardly depend on each other, so that sums of many users' points fill a rectangle that is small.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpz_mat

from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.exact.views import View, view_of

Point = tuple[int, int]


@dataclass(frozen=True)
class Plane:
    """A randomizer whose views are points of a plane: rows[x] is {point: weight}, over `unit`; classes[x] is x's class.

    `bases[k]` is the row of class k, moved so that both its coordinates begin at 0.
    """

    inputs: tuple[str, ...]
    rows: tuple[Mapping[Point, int], ...]
    unit: int
    classes: tuple[int, ...]
    bases: tuple[Mapping[Point, int], ...]

    @classmethod
    def of(cls, randomizer: Randomizer) -> "Plane | None":
        """The randomizer in the plane, or None where more, or fewer, than two numbers vary independently."""
        view = view_of(randomizer)
        if len(view.kept) != 2:
            return None
        at = _points(view)
        rows = [{at[seen]: weight for seen, weight in row.items()} for row in view.rows]
        least = tuple(min(point[i] for row in rows for point in row) for i in (0, 1))
        moved = tuple(_moved(row, (least[0], least[1])) for row in rows)
        bases: list[Mapping[Point, int]] = []
        classes = []
        for row in moved:
            base = _moved(row, (min(u for u, _ in row), min(v for _, v in row)))
            if base not in bases:
                bases.append(base)
            classes.append(bases.index(base))
        return cls(view.inputs, moved, view.denominator, tuple(classes), tuple(bases))

    @property
    def common(self) -> Mapping[Point, int]:
        """What users of all classes send alike: the least weight of each point, over `unit`."""
        least = {point: min(base.get(point, 0) for base in self.bases) for point in self.bases[0]}
        return {point: weight for point, weight in least.items() if weight}

    @property
    def laws(self) -> tuple[Mapping[Point, int], ...]:
        """The laws of the others: those of all classes, and last, if there is any, of who sends what is common."""
        return (*self.bases, self.common) if self.common else self.bases

    def alike(self) -> Fraction:
        """The probability of what is common."""
        return Fraction(sum(self.common.values()), self.unit)

    def moments(self, x: int) -> tuple[tuple[Fraction, Fraction], tuple[Fraction, Fraction]]:
        """The mean and the variance of the two coordinates of one user of law x."""
        law, unit = self.laws[x].items(), sum(self.laws[x].values())
        means = [Fraction(sum(point[i] * w for point, w in law), unit) for i in (0, 1)]
        squares = [Fraction(sum(point[i] ** 2 * w for point, w in law), unit) for i in (0, 1)]
        return (means[0], means[1]), (squares[0] - means[0] ** 2, squares[1] - means[1] ** 2)

    def keeps(self, eps: Eps) -> bool:
        """Whether one user alone, unshuffled, keeps (eps, 0): then so does everybody."""
        least, _ = eps.bounds(256)
        return all(
            p <= least * self.rows[b].get(point, 0) for a, b in self.pairs() for point, p in self.rows[a].items()
        )

    def pairs(self) -> list[tuple[int, int]]:
        """Ordered pairs of inputs with different rows."""
        several = range(len(self.inputs))
        return [(a, b) for a in several for b in several if self.rows[a] != self.rows[b]]


def _moved(row: Mapping[Point, int], by: Point) -> dict[Point, int]:
    return {(u - by[0], v - by[1]): weight for (u, v), weight in sorted(row.items())}


def _points(view: View) -> dict[tuple[tuple[int, int], ...], Point]:
    """Each multiset that is seen of a user, as a point."""
    seen = sorted({multiset for row in view.rows for multiset in row})
    counts = {multiset: [dict(multiset).get(i, 0) for i in view.kept] for multiset in seen}
    origin = counts[seen[0]]
    steps = {multiset: [a - b for a, b in zip(counts[multiset], origin, strict=True)] for multiset in seen}
    (a, b), (_, d) = fmpz_mat([steps[multiset] for multiset in seen]).hnf().tolist()[:2]  # upper triangular
    found = {}
    for multiset, (p, q) in steps.items():
        u = p // int(a)
        found[multiset] = u, (q - u * int(b)) // int(d)
    return _round(view, found)


def _round(view: View, at: dict[tuple[tuple[int, int], ...], Point]) -> dict[tuple[tuple[int, int], ...], Point]:
    """Lagrange's reduction: the coordinate with the smaller variance is taken out of the other, while that helps."""

    def covariance(i: int, j: int) -> int:
        total = 0
        for row in view.rows:
            means = [sum(at[seen][k] * w for seen, w in row.items()) for k in (i, j)]
            whole = view.denominator
            total += whole * sum(at[seen][i] * at[seen][j] * w for seen, w in row.items()) - means[0] * means[1]
        return total

    while True:
        if covariance(0, 0) > covariance(1, 1):
            at = {seen: (v, u) for seen, (u, v) in at.items()}
        if not covariance(0, 0):
            return at
        times = round(Fraction(covariance(0, 1), covariance(0, 0)))
        if not times:
            return at
        at = {seen: (u, v - times * u) for seen, (u, v) in at.items()}
