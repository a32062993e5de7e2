"""Many users of a table: beside a blanket as much of boxes and blocks of users as an audit has the time for;
and how long an audit will take, before its first enumeration begins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb

from shufflecert.verify.bound.bound import Bound, WorstDelta
from shufflecert.verify.bound.choose import PATIENT, bound_of
from shufflecert.verify.bound.closed_form import WIDE
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import unchecked
from shufflecert.verify.exact.randomizer import EVERYBODY, Randomizer
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
UNIT = Fraction(6, 10**7)  # seconds for a unit of `Neighbourhood.work`, measured on one core: 0.35 to 0.6 microseconds
ALONE = 3  # times that enumeration is gone through beside once for every eps: eps at delta, pure eps, the envelope


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


@dataclass(frozen=True)
class Foreseen:
    """An estimate of the seconds that an audit takes.

    `enumeration` is that of enumerations, the `largest` of them in words; `boxes` at most that of bounds for many
    users, by events, boxes and blocks.
    """

    enumeration: Fraction
    largest: str
    boxes: int = 0
    parts: Mapping[str, Fraction] = field(default_factory=dict)  # the seconds of each number of users

    @property
    def seconds(self) -> Fraction:
        """Seconds in all, of enumerations and of what else is asked."""
        return self.enumeration + self.boxes

    def __str__(self) -> str:
        boxes = f", and up to {self.boxes} s of events, boxes and blocks of users" if self.boxes else ""
        return f"about {round(self.enumeration)} s of enumeration, most of it {self.largest}{boxes}"


def foreseen(randomizer: Randomizer, ns: Sequence[int], deltas: int, max_work: int | None = None) -> Foreseen:
    """The estimate for local, preshuffle and n users in the shuffled view, with delta at so many eps.

    Of what is answered by a reduction only events, boxes and blocks are in it.
    """
    inputs, passes, one = len(randomizer.inputs), deltas + ALONE, view_of(randomizer, "preshuffle")
    pairs, longest = inputs * (inputs - 1), max(map(len, one.rows))
    single = f"{pairs} pairs of inputs x {longest} outputs"
    parts = [(2 * pairs * longest, f"{single}, local and preshuffle")]
    seconds = dict[str, Fraction]()
    shuffled, limit = view_of(randomizer, "shuffled"), max_work or PATIENT
    for n in ns if inputs > 1 else ():  # a single input is refused
        if n == 1:
            parts.append((passes * pairs * longest, f"{single}, n = 1"))
            seconds["n = 1"] = UNIT * passes * pairs * longest
        elif comb(n - 2 + len(shuffled.classes), n - 1) * shuffled.terms(n) <= limit:
            around = unchecked(randomizer, n, "shuffled", limit, EVERYBODY)
            if around.affordable:  # else a reduction answers it, or it is refused
                work, words = around.work()
                parts.append((passes * work, f"{words.partition(': ')[2]}, n = {n}"))
                seconds[f"n = {n}"] = UNIT * passes * work
    beside = expected(randomizer, shuffled, deltas, max_work)
    if ns:
        seconds[f"n = {max(ns)}"] = seconds.get(f"n = {max(ns)}", Fraction(0)) + beside
    return Foreseen(UNIT * sum(units for units, _ in parts), max(parts)[1], beside, seconds)
