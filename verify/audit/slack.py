"""What a mass that was not followed leaves of eps and delta: a function's law is near that of what dominates it."""

from dataclasses import dataclass, replace
from fractions import Fraction

from shufflecert.verify.bound.bound import Bound, WorstDelta, WorstEpsilon
from shufflecert.verify.decide.privacy_profile import short_ends
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps

SPARE = Fraction(1, 2**32)  # of delta, for the mass that was not followed
NEAR = (Fraction(1, 2**16), Fraction(1, 2**10))  # of an eps: steps down, to where delta is larger by SPARE


@dataclass(frozen=True)
class Slack:
    """The mass of a function's law that was not followed: at most `residual` for every input."""

    residual: Fraction = Fraction(0)

    def margin(self, eps: Eps, n: int) -> Fraction:
        """How much more the dominating randomizer's delta(eps) of n users may be than the function's, at most."""
        return (1 + eps.bounds(64)[1]) * n * self.residual if self.residual else Fraction(0)

    def delta(self, found: WorstDelta, n: int) -> WorstDelta:
        """The function's delta, between the dominating randomizer's less the margin and that itself."""
        if not self.residual:
            return found
        value = found.delta if isinstance(found.delta, Interval) else short_ends(found.delta)
        low = max(Fraction(0), value.low - self.margin(found.eps, n))
        return replace(found, delta=Interval(low, value.high))


def with_slack(found: WorstEpsilon, slack: Slack, of: Bound, delta: Fraction) -> WorstEpsilon:
    """eps at `delta` of the function: at most the randomizer's, at least the randomizer's at a delta that is larger.

    `of` is what is known of the randomizer.
    """
    if not slack.residual:
        return found
    n, low, more = of.question.n, Fraction(0), delta + SPARE
    if more < 1:
        at = _nearly(found, of, more)
        raised = found if at else of.epsilon(more)
        at = at or ends_of(raised)[0]
        if raised.eps is None and raised.interval is None:  # no eps will do: as far as the margin leaves something
            at = Fraction(Eps.log(max(Fraction(1), SPARE / (n * slack.residual) / 2 - 1)).enclosure()[0])
        low = at if slack.margin(Eps.of(at), n) <= SPARE else low
    return replace(found, eps=None, interval=(low, ends_of(found)[1]))


def _nearly(found: WorstEpsilon, of: Bound, more: Fraction) -> Fraction:
    """An eps a little below the lower end of `found` at which delta is above `more`; 0 where none is so near."""
    low = ends_of(found)[0]
    for part in NEAR if low else ():
        eps = Eps.of(low * (1 - part))
        if short_ends(of.delta(eps).delta).low > more:
            return low * (1 - part)
    return Fraction(0)


def ends_of(found: WorstEpsilon) -> tuple[Fraction, Fraction | None]:
    """[low, high] of an eps, high None where it is infinite; low is 0 where no eps at all will do."""
    if found.eps is not None:
        low, high = found.eps.enclosure()
        return Fraction(low), Fraction(high)
    return found.interval or (Fraction(0), None)
