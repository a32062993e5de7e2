"""How long an audit's enumerations will take, before the first begins."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import comb

from shufflecert.verify.audit import closer
from shufflecert.verify.bound.choose import PATIENT
from shufflecert.verify.exact.neighbours import unchecked
from shufflecert.verify.exact.randomizer import EVERYBODY, Randomizer
from shufflecert.verify.exact.views import view_of

SECONDS = Fraction(6, 10**7)  # for a unit of `Neighbourhood.work`, measured on one core: 0.35 to 0.6 microseconds
ALONE = 3  # times that enumeration is gone through beside once for every eps: eps at delta, pure eps, the envelope


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
            seconds["n = 1"] = SECONDS * passes * pairs * longest
        elif comb(n - 2 + len(shuffled.classes), n - 1) * shuffled.terms(n) <= limit:
            around = unchecked(randomizer, n, "shuffled", limit, EVERYBODY)
            if around.affordable:  # else a reduction answers it, or it is refused
                work, words = around.work()
                parts.append((passes * work, f"{words.partition(': ')[2]}, n = {n}"))
                seconds[f"n = {n}"] = SECONDS * passes * work
    beside = closer.expected(randomizer, shuffled, deltas, max_work)
    if ns:
        seconds[f"n = {max(ns)}"] = seconds.get(f"n = {max(ns)}", Fraction(0)) + beside
    return Foreseen(SECONDS * sum(units for units, _ in parts), max(parts)[1], beside, seconds)
