"""Many eps of one table on a line: one cover for all of them, of whose boxes each is asked no more than is needed.

A box allows what its lower corner does (verify/reduce/compositions.py), at every eps. Let U be upper bounds on a
corner's delta at t <= e^eps of some of the eps, in machine words (`words`). What a pair's delta is as a function of t
is convex, so at a t between two of these it is at most the chord's height: where that is no more than is allowed in any
case, because a real composition attains about as much, or another corner allows it, nothing has to be computed.

Floats guess a cover that is close at some of the eps (`knots`), and real compositions; where they are wrong, and
between these eps, the interval is wider.
"""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from operator import attrgetter

from verify.exact.epsilon import Eps
from verify.reduce.composition_cover import words
from verify.reduce.composition_cover.knots import Knots
from verify.reduce.composition_cover.search import FIRST_BITS, Tick
from verify.reduce.compositions import Box, Composition, Line, Powers, Views

POINTS = 64  # from eps = 0 to where delta is hardly above its limit
PLACE_BITS, LAST_BITS = 60, 8  # of an e^eps there; of the last of these eps
BEYOND = Fraction(5, 4)  # times the last e^eps - 1, up to which words do
MOST_HELD = 1 << 23  # words of corners' laws that are kept: 64 MB
Worst = tuple[Composition, tuple[int, int]]


@dataclass(frozen=True)
class Ends:
    """Of one eps the interval [low, high] of the largest delta, and what attains the lower end; `high` holds at t."""

    low: Fraction
    high: Fraction
    worst: Worst
    t: Fraction


@dataclass
class Cover:
    """Lower corners of boxes that cover all compositions of n - 1 others, and real compositions."""

    line: Line
    n: int
    tolerance: Fraction
    corners: list[Composition]
    real: list[Composition]
    last: Fraction  # the eps at which a curve ends
    tick: Tick | None = None
    powers: Powers = field(init=False)
    kept: dict[Composition, tuple[list[words.Law], int]] = field(default_factory=dict)
    held: int = 0
    laws: int = 0  # that were made

    def __post_init__(self) -> None:
        self.powers = Powers(self.line, FIRST_BITS)

    @classmethod
    def of(
        cls,
        line: Line,
        n: int,
        tolerance: Fraction,
        max_work: int,
        eps: Sequence[Fraction] = (),
        tick: Tick | None = None,
    ) -> "Cover | None":
        """A cover that is close at these rising eps, or wherever delta is not small.

        None where words or floats do not tell delta from 0, or boxes are more than the work allows.
        """
        size, total = len(line.bases), n - 1
        if line.unit >= 1 << words.HALF or not line.pairs():
            return None
        root = Box.tight([0] * size, [total] * size, total)
        alone = [tuple(total if i == x else 0 for i in range(size)) for x in range(size)]
        knots = Knots.of(line, n, [*alone, root.middle(total)], eps)
        boxes = knots.cover(tolerance, max_work // line.length(n)) if knots is not None else ()
        if knots is None or not boxes:
            return None
        corners = sorted({box.lower for box in boxes})
        return cls(line, n, tolerance, corners, list(dict.fromkeys(knots.worst)), _short(knots.last), tick)

    def even(self) -> list[Eps]:
        """Evenly from 0 to `last`."""
        return list(dict.fromkeys(Eps.log(_near(self.last * i / POINTS)) for i in range(POINTS + 1)))

    def ends(self, eps: Sequence[Eps]) -> list[Ends]:
        """The largest delta at each of these rising eps."""
        pairs, powers = self.line.pairs(), [words.Power.of(at) for at in eps]
        found: list[tuple[Fraction, Worst]] = []
        for counts in self.real:
            laws, lost = self._laws(counts)
            shown = [words.least(laws, pairs, at, power, lost) for at, power in zip(eps, powers, strict=True)]
            mine = [(low, (counts, pair)) for low, pair in shown]
            found = [max(one, two) for one, two in zip(found, mine, strict=True)] if found else mine
        unit = 1 << words.BITS
        high = [int(low * (1 + self.tolerance) * unit) + 1 for low, _ in found]
        asked = _Asked(self.line, powers, high)
        for counts in self.corners:
            asked.raised_by(*self._laws(counts))
            if self.tick is not None:
                self.tick(Fraction(0), None)
        return [
            Ends(low, max(low, min(Fraction(most, unit), Fraction(1))), worst, power.value)
            for (low, worst), most, power in zip(found, high, powers, strict=True)
        ]

    def never_returns(self) -> Fraction:
        """A lower bound on the largest P(Q = 0), by the real compositions."""
        seen = [Views.of(self.powers, counts) for counts in self.real]
        return max(views.never_returns(self.line.pairs())[0] for views in seen)

    def _laws(self, counts: Composition) -> tuple[list[words.Law], int]:
        if counts in self.kept:
            return self.kept[counts]
        total = self.powers.others(counts)
        made = words.views_of(self.line, total), words.lost_of(total)
        self.laws += 1
        size = sum(map(len, made[0]))
        if self.held + size <= MOST_HELD:
            self.kept[counts] = made
            self.held += size
        return made


@dataclass(frozen=True)
class Chords:
    """Ends at some t, rising from 1; between these, and beyond the last, upper ends follow, since delta is convex in t
    and never rises. `never` is a lower bound on the largest P(Q = 0).
    """

    cover: Cover
    ends: Sequence[Ends]
    never: Fraction

    @classmethod
    def of(cls, cover: Cover) -> "Chords":
        """With ends evenly from eps = 0 to where the cover's curve ends."""
        return cls(cover, cover.ends(cover.even()), cover.never_returns())

    def reaches(self, t: Fraction) -> bool:
        """Whether words tell what is known at t, about."""
        return t - 1 <= (self.ends[-1].t - 1) * BEYOND

    def above(self, t: Fraction) -> Fraction:
        """An upper bound on the largest delta at t = e^eps >= 1."""
        i = bisect_right(self.ends, t, key=attrgetter("t"))
        before = self.ends[i - 1]
        if i == len(self.ends):
            return before.high
        after = self.ends[i]
        return before.high + (after.high - before.high) * (t - before.t) / (after.t - before.t)

    def worst(self, t: Fraction) -> Worst:
        """Real datasets that have about the largest delta at t."""
        return self.ends[min(bisect_right(self.ends, t, key=attrgetter("t")), len(self.ends) - 1)].worst


@dataclass
class _Asked:
    """What is allowed at each eps, in words; it rises where a corner allows more."""

    line: Line
    powers: Sequence[words.Power]
    high: list[int]

    def __post_init__(self) -> None:
        most = max(power.k for power in self.powers)
        self.pairs = self.line.pairs()
        self.places = [power.s << most - power.k for power in self.powers]  # t, all over the same number

    def raised_by(self, laws: Sequence[words.Law], lost: int) -> None:
        """Look at a corner's delta, pair by pair, wherever chords do not show that it is allowed."""
        for a, b in self.pairs:
            self._raised_by(laws[a], laws[b], lost)

    def _raised_by(self, p: words.Law, q: words.Law, lost: int) -> None:
        known: dict[int, int] = {}

        def value(i: int) -> int:
            if i not in known:
                known[i] = words.excess(p, q, self.powers[i]) + lost
                self.high[i] = max(self.high[i], known[i])
            return known[i]

        stack = [(0, len(self.high) - 1)]
        while stack:
            i, j = stack.pop()
            first, last = value(i), value(j)
            if j - i > 1 and not self._below(i, j, first, last):
                middle = (i + j) // 2
                stack += [(middle, j), (i, middle)]

    def _below(self, i: int, j: int, first: int, last: int) -> bool:
        """Whether the chord between two points is no higher than what is allowed between them."""
        t, high, wide = self.places, self.high, self.places[j] - self.places[i]
        return wide > 0 and all(first * (t[j] - t[m]) + last * (t[m] - t[i]) <= high[m] * wide for m in range(i + 1, j))


def _near(eps: Fraction) -> Fraction:
    """A rational near e^eps, eps >= 0."""
    low, _ = Eps.of(eps).bounds(2 * PLACE_BITS)
    return Fraction(int(low * (1 << PLACE_BITS)), 1 << PLACE_BITS)


def _short(number: float) -> Fraction:
    """A number of few bits that is hardly larger."""
    exact = Fraction(number)
    unit = Fraction(2) ** (exact.numerator.bit_length() - exact.denominator.bit_length() - LAST_BITS)
    return -(-exact // unit) * unit
