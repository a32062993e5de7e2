"""Many users of a table: beside a blanket as much of boxes and blocks of users as an audit has the time for."""

from fractions import Fraction

from shufflecert.verify.bound.bound import Bound, WorstDelta
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.closed_form import WIDE
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.views import View, view_of
from shufflecert.verify.reduce.privacy_blanket import Rows

WORK = 2_500_000  # units, for each question: some three seconds
SECONDS = 10  # that all questions about one number of users may take, about
MOST_QUICK = 5  # classes, up to which a question about one number takes about a second
EVENT_UNIT = Fraction(15, 10**4)  # seconds for an event of a table of one output; they rise with the outputs
SEARCHED = 400  # events that a search for an eps looks at
WORD = 32  # bits of a weight; the work for blocks is counted in weights
MOST_OUTPUTS = 100  # of a row, beyond which so much work brings nothing
TINY, SMALL = Fraction(1, 10**30), Fraction(1, 10**12)  # deltas of which any upper end, and that of a blanket, will do


def worth_it(view: View) -> bool:
    """Whether boxes and blocks are asked: where more than one number matters, and rows are not long."""
    return len(view.kept) > 1 and max(map(len, view.rows)) <= MOST_OUTPUTS


def bound_for(randomizer: Randomizer, n: int, effort: Effort) -> Bound:
    """What an audit asks of n users. With one number that matters, a search goes as far as ever."""
    view, bound = view_of(randomizer), bound_of(Question.of(randomizer, n), effort)
    if len(view.kept) <= 1:
        return bound
    return bound.within((effort.work or WORK // (1 + view.denominator.bit_length() // WORD)) if worth_it(view) else 0)


def expected(randomizer: Randomizer, view: View, deltas: int, max_work: int | None) -> int:
    """About how many seconds, at most, boxes, blocks and events of many users take, with delta at so many eps."""
    if not worth_it(view):
        return (1 + deltas) * SECONDS if len(view.kept) <= 1 and len(view.classes) > MOST_QUICK else 0
    table, pairs = Rows.of(randomizer, 1), len(randomizer.inputs) * (len(randomizer.inputs) - 1)
    datasets = min(table.looked_at, pairs * len(randomizer.inputs))
    events = 0 if table.single else (4 + 2 * deltas) * datasets + SEARCHED
    return SECONDS + round(events * table.size * EVENT_UNIT)


def closest(bound: Bound, eps: Eps) -> WorstDelta:
    """The largest delta(eps), closely where a first look leaves it wide apart, and it is not very small."""
    found = bound.delta(eps, TINY)
    value = found.delta
    wide = isinstance(value, Interval) and value.high > value.low * WIDE and value.low > SMALL
    return bound.delta(eps) if wide and bound.covers is not None else found
