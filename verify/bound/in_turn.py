"""Two Bounds of one question: a quick one, and a closer one, which is asked where the quick one is not near."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from shufflecert.verify.bound.bound import Bound, Certified, Curve, WorstDelta, WorstEpsilon
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.neighbours import Neighbourhood
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import DIGITS
from shufflecert.verify.reduce.reduction import NamedPair, Reduction


@dataclass(frozen=True)
class InTurn:
    """`first` is asked, and then `closer`, where the ends of the first are further apart than the effort's tolerance.

    What is asked of thousands of eps one by one (`within(0)`), of the infinity mass, and of single ends is the closer
    one's.
    """

    first: Bound
    closer: Bound

    @property
    def question(self) -> Question:
        """What is asked."""
        return self.closer.question

    @property
    def effort(self) -> Effort:
        """How hard is tried."""
        return self.closer.effort

    @property
    def by(self) -> str:
        """The closer one's argument, in words."""
        return self.closer.by

    @property
    def infinity_mass(self) -> Fraction:
        """A lower bound on the largest P(Q = 0)."""
        return self.closer.infinity_mass

    @property
    def around(self) -> Neighbourhood | None:
        """The datasets that the closer one enumerates."""
        return self.closer.around

    @property
    def reach(self) -> Reduction | None:
        """The closer one's pairs."""
        return self.closer.reach

    @property
    def covers(self) -> Randomizer | None:
        """The table that the closer one covers."""
        return self.closer.covers

    @property
    def stated(self) -> Bound:
        """Itself."""
        return self

    def within(self, work: int) -> Bound:
        """The closer one, with so much work."""
        return self.closer.within(work)

    def delta(self, eps: Eps, enough: Fraction = Fraction(0)) -> WorstDelta:
        """The largest delta(eps)."""
        found = self.first.delta(eps, enough)
        return found if self._near(found.delta, enough) else self.closer.delta(eps, enough)

    def epsilon(self, delta: Fraction) -> WorstEpsilon:
        """The smallest eps with delta(eps) <= delta."""
        found = self.first.epsilon(delta)
        return found if near_in_eps(found, self.effort.tolerance) else self.closer.epsilon(delta)

    def decided(self, eps: Eps, delta: Fraction) -> Certified:
        """Whether the largest delta(eps) is at most this delta."""
        found = self.first.decided(eps, delta)
        return self.closer.decided(eps, delta) if found.because is None else found

    def curve(self, eps: Sequence[Eps], enough: Fraction = Fraction(-1)) -> Curve:
        """The largest delta at each eps: the first one's where it is near at the ends, in the middle, and all along."""
        return near_curve(self.first, eps, enough) or self.closer.curve(eps, enough)

    def lower(self, eps: Eps, digits: int = DIGITS) -> tuple[Interval, NamedPair | None]:
        """What real datasets have at eps, to about so many digits, and which they are."""
        return self.closer.lower(eps, digits)

    def upper(self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)) -> Interval:
        """What no datasets exceed at eps."""
        return self.closer.upper(eps, digits, enough)

    def _near(self, value: Delta | Interval, enough: Fraction = Fraction(0)) -> bool:
        return near(value, self.effort.tolerance, enough)


def near(value: Delta | Interval, tolerance: Fraction, enough: Fraction = Fraction(0)) -> bool:
    """Whether the ends are as near to each other as is asked for, or no more than `enough`."""
    return isinstance(value, Delta) or value.high <= max(value.low * (1 + tolerance), enough)


def near_in_eps(found: WorstEpsilon, tolerance: Fraction) -> bool:
    """Whether the smallest eps is known as nearly as is asked for."""
    if found.eps is not None or found.interval is None:
        return True
    low, high = found.interval
    return high is not None and near(Interval(low, high), tolerance)


def near_curve(quick: Bound, eps: Sequence[Eps], enough: Fraction, faint: Fraction = Fraction(0)) -> Curve | None:
    """The curve of a quick Bound where it is near at the ends, in the middle, and all along; None where it is not.

    Upper ends of at most `faint` are near.
    """
    some, tolerance, faint = (eps[0], eps[len(eps) // 2], eps[-1]), quick.effort.tolerance, max(enough, faint)
    if not all(near(quick.delta(at, faint).delta, tolerance, faint) for at in some):
        return None
    found = quick.curve(eps, enough)
    return found if all(near(value, tolerance, faint) for _, value in found.points) else None
