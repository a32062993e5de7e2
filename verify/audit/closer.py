"""Many users of a table: beside a blanket as much of boxes and blocks of users as an audit has the time for."""

from fractions import Fraction
from typing import Any

from verify.decide.worst_case import WIDE, WorstDelta, delta
from verify.enclose.interval import Interval
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.exact.views import View, view_of

WORK = 2_500_000  # units, for each question: some three seconds
SECONDS = 10  # that all questions about one number of users may take, about
MOST_OUTPUTS = 100  # of a row, beyond which so much work brings nothing
TINY, SMALL = Fraction(1, 10**30), Fraction(1, 10**12)  # deltas of which any upper end, and that of a blanket, will do


def worth_it(view: View) -> bool:
    """Whether boxes and blocks are asked: where more than one number matters, and rows are not long."""
    return len(view.kept) > 1 and max(map(len, view.rows)) <= MOST_OUTPUTS


def limits_of(randomizer: Randomizer, max_work: int | None, tolerance: Fraction) -> dict[str, Any]:
    """How far the questions of an audit go (parameters of verify.decide.worst_case); on a line as far as ever."""
    limits: dict[str, Any] = {"max_work": max_work, "tolerance": tolerance}
    return {**limits, "patient": True, "boxes": max_work or WORK} if worth_it(view_of(randomizer)) else limits


def closest(randomizer: Randomizer, n: int, eps: Eps, limits: dict[str, Any]) -> WorstDelta:
    """The largest delta(eps): where a blanket's ends are wide apart, and it is not very small, by boxes and blocks too.

    Raises as `verify.decide.worst_case.delta` does.
    """
    found = delta(randomizer, n, eps, enough=TINY, **limits)
    value = found.delta
    wide = isinstance(value, Interval) and value.high > value.low * WIDE and value.low > SMALL
    return delta(randomizer, n, eps, **limits) if wide and "patient" in limits else found
