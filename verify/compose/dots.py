"""Dots on the privacy profile of one system, and what closes in on all of them at once, where that takes a while.

Upper ends hold at every eps for all pairs of neighbours. Between few of them chords are hardly higher
(verify/pairs/connect_the_dots.py). The real datasets that look worst there are a pair that can be composed.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from verify.exact.ball import ball, dyadic, precision
from verify.exact.epsilon import Eps
from verify.pairs.connect_the_dots import Point, rounded_up
from verify.progress import Progress
from verify.reduce.composition_cover.curve import Chords
from verify.reduce.composition_reduction import Compositions
from verify.reduce.plane_cover.reach import PlaneCompositions
from verify.reduce.reduction import Found, NamedPair, Reduction

MOST, FINE = 64, 128  # dots that boxes or blocks are asked for, each costs; that are drawn below a pair
STEPS = 16  # in which the last of them is looked for, below twice what is far enough
NEAREST = Fraction(1, 1 << 40)  # eps of the last dot, at least
WIDE = Fraction(3, 2)  # times the last eps: where a line's dots end that are near enough to each other
LONG, WORD = 1000, 64  # atoms of a window on a line that dots stand for; bits of an e^eps
PART = Fraction(1, 3)  # of the last eps: where the worst datasets are taken from


def powers(last: Fraction, points: int) -> list[Fraction]:
    """Rationals near e^eps for `points` + 1 evenly spaced eps from 0 to `last`, a dyadic rational."""
    return [power(last * i / points) for i in range(points + 1)]


def power(eps: Fraction) -> Fraction:
    """e^eps for eps >= 0, rounded to 32 bits more than eps has after the point: different for different eps."""
    bits = 32 + eps.denominator.bit_length()
    with precision(bits + 128):
        return Fraction(round(dyadic(ball(eps).exp().mid()) * 2**bits), 2**bits)


@dataclass(frozen=True)
class OnLine:
    """What one cover of a table on a line shows of its whole curve."""

    family: Compositions
    chords: Chords

    @classmethod
    def of(cls, family: Compositions) -> "OnLine | None":
        """None where the cover tells nothing."""
        return None if family.chords is None else cls(family, family.chords)

    @property
    def first(self) -> Fraction:
        """The eps of a last dot, to begin with: beyond it machine words tell nothing."""
        return self.chords.cover.last

    def enough(self, eps: Fraction, most: Fraction) -> bool:
        """Whether chords show that the largest delta at this eps is at most so much."""
        return self.chords.above(power(eps)) <= most

    def dots(self, last: Fraction, points: int) -> list[Point]:
        """Upper bounds on the largest delta at many e^eps from eps = 0 on, up to `last` at most."""
        ends, end = self.chords.ends, power(last)
        if self.first > last * WIDE:
            ends = self.chords.cover.ends([Eps.log(x) for x in powers(last, min(points, MOST))])
        return [(one.t, rounded_up(one.high)) for one in ends if one.t <= end]

    def is_better(self, last: Eps) -> bool:
        """Whether dots stand for a real pair's windows in compositions: these are long, and `last` is told by words."""
        return self.family.line.length(self.family.n) > LONG and self.chords.reaches(last.bounds(WORD)[1])


@dataclass
class Closer:
    """A reduction with a curve: boxes in the plane, or blocks. `attained` is a delta that real datasets have at an eps.

    Of the last question `last` is the eps of the last dot, and `worst` are datasets that were worst before it.
    """

    reach: Reduction
    attained: Callable[[Eps], Fraction]
    last: Fraction = Fraction(0)
    worst: NamedPair | None = None

    def dots(self, last: Fraction, least: Fraction, points: int, progress: Progress | None) -> list[Point]:
        """Upper bounds on the largest delta at up to so many e^eps, evenly from eps = 0 to `last` at most.

        They end where real datasets have no more than `least`: what is true is nearer to that than what is proved.
        """
        found = list[Found]()
        assert self.reach.curve is not None
        self.last = self._end(last, least)
        grid = powers(self.last, min(points, MOST))
        for closer in self.reach.curve([Eps.log(x) for x in grid], progress):
            found = closer
        self.worst = found[int(PART * (len(found) - 1))].worst
        return [(x, min(one.value.high, Fraction(1))) for x, one in zip(grid, found, strict=True)]

    def _end(self, last: Fraction, least: Fraction) -> Fraction:
        while last > STEPS * NEAREST and self.attained(Eps.of(last / 2)) <= least:
            last /= 2
        steps = (last * k / STEPS for k in range(STEPS // 2 + 1, STEPS))
        return next((step for step in steps if self.attained(Eps.of(step)) <= least), last)

    def near(self) -> list[NamedPair]:
        """The datasets that were worst, as a pair that is known from both sides at many eps; none where it is not."""
        family, worst = self.reach.attained, self.worst
        if worst is None or not isinstance(family, PlaneCompositions) or (pair := family.windows(worst)) is None:
            return []
        return [replace(worst, pair=pair)]
