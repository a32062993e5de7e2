"""Dots on the privacy profile of one system, and what closes in on all of them at once, where that takes a while.

Upper bounds hold at every eps for all pairs of neighbours. Between few of them chords are hardly higher
(verify/pairs/connect_the_dots.py). The real datasets that look worst there are a pair that can be composed.
"""

from dataclasses import dataclass
from fractions import Fraction

from shufflecert.verify.bound.bound import Bound
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, dyadic, precision
from shufflecert.verify.pairs.connect_the_dots import Point
from shufflecert.verify.reduce.reduction import Family

MOST = 64  # dots that a cover is asked for
COSTLY = 4  # digits of forms and events, which take long
STEPS = 16  # in which the last of them is looked for, below twice what is far enough
NEAREST = Fraction(1, 1 << 40)  # eps of the last dot, at least


def powers(last: Fraction, points: int) -> list[Fraction]:
    """Rationals near e^eps for `points` + 1 evenly spaced eps from 0 to `last`, a dyadic rational."""
    return [power(last * i / points) for i in range(points + 1)]


def power(eps: Fraction) -> Fraction:
    """e^eps for eps >= 0, rounded to 32 bits more than eps has after the point: different for different eps."""
    bits = 32 + eps.denominator.bit_length()
    with precision(bits + 128):
        return Fraction(round(dyadic(ball(eps).exp().mid()) * 2**bits), 2**bits)


@dataclass
class Closer:
    """A Bound whose curve is closer than one eps after the other. `attained` are pairs of real datasets.

    Of the last question `last` is the eps of the last dot.
    """

    bound: Bound
    attained: Family
    last: Fraction = Fraction(0)

    def dots(self, last: Fraction, least: Fraction, points: int) -> list[Point]:
        """Upper bounds on the largest delta at up to so many e^eps, evenly from eps = 0 to `last` at most.

        They end where real datasets have no more than `least`: what is true is nearer to that than what is proved.
        """
        self.last = self._end(last, least)
        grid = powers(self.last, min(points, MOST))
        curve = self.bound.curve([Eps.log(x) for x in grid])
        if curve.scope.stopped:
            raise KeyboardInterrupt
        return [(x, Fraction(value.enclosure()[1])) for x, (_, value) in zip(grid, curve.points, strict=True)]

    def _end(self, last: Fraction, least: Fraction) -> Fraction:
        few: Family | None = None  # those that have more than `least` where it was last asked

        def reached(eps: Fraction) -> bool:
            nonlocal few
            at = Eps.of(eps)
            if few is not None and few.worst(at, COSTLY, least)[0].low > least:
                return False
            if self.attained.worst(at, COSTLY, least)[0].low <= least:
                return True
            few = self.attained.narrowed(at)
            return False

        if last > STEPS * NEAREST and reached(STEPS * NEAREST):
            return STEPS * NEAREST
        while last > STEPS * NEAREST and reached(last / 2):
            last /= 2
        steps = (last * k / STEPS for k in range(STEPS // 2 + 1, STEPS))
        return next((step for step in steps if reached(step)), last)
