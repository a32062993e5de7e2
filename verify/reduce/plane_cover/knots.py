"""Guesses in floats for many eps at once: at some of them, the knots, which boxes cover all. Nothing is proved."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeVar

from verify.exact.epsilon import Eps
from verify.reduce.compositions import Box, Composition
from verify.reduce.plane_cover.guess import Guess, grid
from verify.reduce.plane_cover.plane import Plane
from verify.reduce.plane_cover.search import SHARE, SLACK, Hunt

MOST, CLIMBS = 5, 3  # eps at which a cover is to be close; of those, at which the worst composition is looked for
SMALLEST = 1e-11  # delta that floats tell from 0
WIDTHS = (0.3, 0.1, 0.03, 0.01, 0.003)  # relative, of delta, to which covers are guessed before the tolerance
NEARLY = 1e-5  # relative, by which a real composition is to be larger than what is known to be worth its law
Item = TypeVar("Item")


@dataclass
class Knots:
    """Hunts for the largest delta at some eps, rising, and for boxes that are close at all of them."""

    hunts: list[Hunt]
    places: list[int]  # of these eps among all

    @classmethod
    def of(cls, plane: Plane, n: int, eps: Sequence[Eps]) -> "Knots | None":
        """Knots with the worst compositions; None where delta is too small at all eps, or the grid is too large."""
        shape = grid(plane, n)
        if shape is None or not plane.pairs():
            return None
        known: dict[Composition, Any] = {}
        guess, size = Guess(plane, shape), len(plane.bases)

        def hunt(at: Eps) -> Hunt:
            return Hunt(guess, size, n - 1, "delta", float(at.enclosure(17)[0]), 0, lambda: None, known=known)

        first = hunt(eps[0])
        first.climb()
        assert first.worst is not None
        views = first.views(first.worst)
        places = _spread([i for i, at in enumerate(eps) if guess.delta(views, hunt(at).number) > SMALLEST], MOST)
        hunts = [hunt(eps[i]) for i in places]
        for one in _spread(hunts, CLIMBS):
            one.climb()
        for counts in {one.worst for one in (first, *hunts) if one.worst is not None}:
            for one in hunts:
                one.real(counts)
        return cls(hunts, places) if hunts else None

    @property
    def cells(self) -> int:
        """Of a law's grid."""
        return self.hunts[0].guess.shape[0] * self.hunts[0].guess.shape[1]

    @property
    def least(self) -> Fraction:
        """The delta at the last knot."""
        return Fraction(self.hunts[-1].best)

    def corner(self, box: Box) -> Composition:
        """What dominates a box, at the last knot's delta: with users who send what is common, of those left out."""
        return self.hunts[-1].corner(box)

    def worth(self, lows: Sequence[Fraction]) -> list[Composition]:
        """Real compositions whose laws seem to raise one of these lower ends."""
        ends = [float(lows[i]) * (1 + NEARLY) for i in self.places]
        found = [hunt.worst for hunt, low in zip(self.hunts, ends, strict=True) if hunt.best > low]
        return list(dict.fromkeys(counts for counts in found if counts is not None))

    def covers(self, tolerance: Fraction, most: int) -> list[list[Box]]:
        """A wide cover, and the closest of those that make no more than so many boxes in all; fewer where none do."""
        total, size, least = self.hunts[0].total, self.hunts[0].size, float(tolerance) * SHARE
        boxes, found = [Box.tight([0] * size, [total] * size, total)], list[list[Box]]()
        for width in (*(w for w in WIDTHS if w > least), least):
            kept = self._cover(boxes, width, most - (len(found[0]) if found else 0))
            if kept is None:
                break
            boxes = kept
            found = [*found[:1], kept]
        return found

    def _cover(self, boxes: Sequence[Box], width: float, most: int) -> list[Box] | None:
        """Boxes within these that seem to keep the width at all knots; None where they are more than `most`."""
        stack, kept, order = list(boxes), list[Box](), list(self.hunts)
        while stack:
            if len(stack) + len(kept) > most:
                return None
            box = stack.pop()
            corner = self.corner(box)
            over = next((hunt for hunt in order if not hunt.keeps(corner, width, SLACK)), None)
            if over is None or box.one:
                kept.append(box)
            else:
                order = [over, *(hunt for hunt in order if hunt is not over)]
                stack += box.cut(self.hunts[0].total)[2:]
        return kept


def _spread(some: Sequence[Item], most: int) -> list[Item]:
    """At most so many, evenly, the first and the last among them."""
    if len(some) <= most:
        return list(some)
    return [some[i * (len(some) - 1) // (most - 1)] for i in range(most)]
