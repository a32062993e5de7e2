"""A reduction for randomizers whose views lie in a plane: what `plane_cover.cover` finds, beside the blanket."""

from dataclasses import dataclass
from fractions import Fraction

from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.reduce.composition_cover.search import MAX_WORK, TOLERANCE, Covered, Tick
from verify.reduce.composition_reduction import BY, Compositions
from verify.reduce.plane_cover.cover import Search, largest_delta, smallest_epsilon
from verify.reduce.plane_cover.guess import grid
from verify.reduce.plane_cover.plane import Plane
from verify.reduce.reduction import Reduction


@dataclass(frozen=True)
class PlaneCompositions(Compositions):
    """All pairs of neighbours, up to the order of users, of a randomizer in the plane."""

    line: Plane  # type: ignore[assignment]

    def largest(self, eps: Eps, enough: Fraction) -> Covered:
        """The largest delta(eps) by boxes, as far as the work goes."""
        return largest_delta(self._search(), eps, enough)

    def smallest(self, bound: Fraction) -> Covered:
        """The smallest eps with delta(eps) <= bound by boxes, as far as the work goes; bound > 0."""
        return smallest_epsilon(self._search(), bound)

    def _search(self) -> Search:
        return Search(self.line, self.n, self.tolerance, self.max_work, self.tick)


def plane_reach(
    randomizer: Randomizer,
    n: int,
    tolerance: Fraction = TOLERANCE,
    max_work: int = MAX_WORK,
    tick: Tick | None = None,
) -> Reduction | None:
    """The reduction of a randomizer in the plane, or None where its views do not lie in one, or n is too large."""
    plane = Plane.of(randomizer)
    if plane is None or grid(plane, n) is None:
        return None
    family = PlaneCompositions(randomizer, plane, n, tolerance, max_work, tick)
    return Reduction(family, BY, len(plane.inputs), epsilon=family.epsilon, delta=family.delta, cover=family.cover)
