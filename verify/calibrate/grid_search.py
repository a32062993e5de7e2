"""A search for the least level of a grid that satisfies (eps, delta). Guesses choose levels, enclosures decide."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import ceil, isqrt

from flint import arb

from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput, TooMuchWork, Undecided
from shufflecert.verify.exact.epsilon import Delta
from shufflecert.verify.exact.rational import ball, decimal_below, dyadic, precision
from shufflecert.verify.systems.declare import Grid

FEW = 1024  # levels up to which all are tried where nothing orders them
SLOW = 2  # steps in which a bracket should become four times as small: else the next is its middle
NEARBY, MOST_STEPS = 16, 4  # the first step from a guess, at most, as a part of its distance from no noise; steps
COARSE = 16  # how closely, relatively, what real datasets keep is looked for first
FINEST = 10**6  # levels that are closer, relatively, are not told apart where bounds differ
OCTAVES = 64  # distances from no noise that are tried of more levels, each twice the one before
BETWEEN = 8  # parts of the first octave where the promise is kept
FARTHEST = 1 << 40  # the largest value that is tried of a parameter without an end
DIGITS, LAST_DIGITS = 4, 60
Values = Callable[[int], Delta | Interval]  # delta(eps) by digits


@dataclass(frozen=True)
class Seen:
    """What is known of one level: a bound on delta(eps), what that decides, and a guess of log(delta / bound).

    The bound is None where there is none (see `trouble`). `wide`: it is no narrower however many digits are asked for.
    """

    value: Delta | Interval | None
    decided: bool
    height: arb
    trouble: str = ""
    wide: bool = False


@dataclass
class GridSearch:
    """A search for the least level of a grid that satisfies (eps, delta): what is known of each level so far.

    For a level, `sides` returns two functions that enclose delta(eps), one for its lower and one for its upper bound;
    the same function twice where pairs are exact. A level is `decided` in `above` where it is shown to keep the
    promise, in `below` where it is shown to break it.
    """

    grid: Grid
    bound: Fraction
    sides: Callable[[int], tuple[Values, Values]]
    close: int | None = None  # levels that are closer, relatively, are not told apart; None: neighbours are
    rough: int | None = None  # as `close`, but only where bounds differ: there every look costs
    real_first: bool = False  # whether real datasets are asked first
    near: int | None = None  # a guess at the answer, where ordered levels are looked at first
    above: dict[int, Seen] = field(default_factory=dict)
    below: dict[int, Seen] = field(default_factory=dict)
    asked: dict[int, tuple[Values, Values]] = field(default_factory=dict)  # the sides of a level
    exact: bool = True  # whether the answers are next to each other, by one bound

    def search(self) -> tuple[int, int | None]:
        """The lowest level that satisfies (eps, delta), and the highest below it that is found to fail, if any.

        Raises BadInput where no level is found to keep it.
        """
        best = self.least()
        with precision(256):
            known = [level for level in self.above if level < best]
            worst = self._highest_that_breaks(max(known)) if known else None
        return best, worst

    def least(self) -> int:
        """Find the lowest level that satisfies (eps, delta). Raises BadInput where none is found."""
        with precision(256):
            low, high = self._bracket() if self.grid.order.lemma or self.rough else self._scan()
            return self._close(low, high, self.keeps, self.above)

    @property
    def evaluated(self) -> int:
        """The number of levels at which delta(eps) was evaluated."""
        return len(self.above.keys() | self.below.keys())

    def points(self) -> Iterator[tuple[Fraction, Interval]]:
        """The values that were looked at, rising, each with an interval that holds delta there, as far as it is known.

        What `above` knows bounds delta from above, what `below` knows from below.
        """
        for level in sorted(self.above.keys() | self.below.keys()):
            over, under = (side[level].value if level in side else None for side in (self.above, self.below))
            if self.exact:  # one bound, which is delta
                over, under = over or under, under or over
            high = Fraction(1) if over is None else min(Fraction(1), Fraction(over.enclosure(6)[1]))
            low = Fraction(0) if under is None else max(Fraction(0), Fraction(under.enclosure(6)[0]))
            yield self.grid.value(level), Interval(low, high)

    # Where to look -------------------------------------------------------------------------------------------------

    def _bracket(self) -> tuple[int | None, int]:
        """(a level that does not satisfy (eps, delta), None if there is none; one that does)."""
        near = self.near if self.near is not None else self.kept_by_real_datasets()
        if near is not None and (found := self._around(near)) is not None:
            return found
        if (found := self._ends(self.keeps, self.above)) is None:
            raise self._none()
        return found

    def kept_by_real_datasets(self, close: int = COARSE) -> int | None:
        """About the least level that no real datasets are found to break, where they are asked first.

        Levels that are closer than a part `close`, relatively, are not told apart. None where there is none, and where
        bounds are one.
        """
        with precision(256):
            if self.real_first:
                self.breaks(self.middle)
            if not self.real_first or self.exact or (found := self._ends(self._stands, self.below)) is None:
                return None
            return self._close(*found, self._stands, self.below, close)

    def _stands(self, level: int) -> bool:
        return not self.breaks(level)

    @property
    def middle(self) -> int:
        """The level that is looked at first."""
        grid, quiet, top = self.grid, self.grid.quiet, self.grid.highest
        middle = quiet + (max(1, int(1 / grid.step)) if self._upward else ((top or 0) - quiet + 1) // 2)
        return max(grid.lowest, middle if top is None else min(middle, top))

    def _ends(self, wanted: Callable[[int], bool], seen: dict[int, Seen]) -> tuple[int | None, int] | None:
        """(a level that is not wanted, None if there is none; one that is); None where no level is."""
        grid, quiet = self.grid, self.grid.quiet
        high = next((level for level in self._upwards(self.middle) if wanted(level)), None)
        if high is None:
            return None
        low = max((level for level in seen if level < high and not wanted(level)), default=None)
        while low is None and high > grid.lowest:
            level = max(grid.lowest, quiet + (high - quiet) // 4)
            if wanted(level):
                high = level
            else:
                low = level
        return low, high

    def _around(self, near: int) -> tuple[int | None, int] | None:
        """The bracket by steps from a guess that grow by a factor of 4; None where none is found so near."""
        lowest, top = self.grid.lowest, self.grid.highest
        at = max(lowest, near if top is None else min(near, top))
        enough = self.keeps(at)
        step = self._step(at)
        for _ in range(MOST_STEPS):
            if at == (lowest if enough else top):
                return (None, at) if enough else None
            before, at = at, at - step if enough else at + step
            at = max(lowest, at if top is None else min(at, top))
            if self.keeps(at) != enough:
                return (at, before) if enough else (before, at)
            step *= 4
        return None

    def _step(self, level: int) -> int:
        """A guess at how far from a level the answer is, by its height and the slope of what real datasets have."""
        most = max(1, self.size(level, level - self.grid.quiet) // NEARBY)
        (x, at_x), (y, at_y) = self._best(self.below)
        steps = self.above[level].height * (x - y) / (at_x - at_y)
        if not steps.is_finite():
            return most
        return min(most, 1 + ceil(dyadic(abs(steps).mid()) * Fraction(17, 16)) + most // NEARBY)

    @property
    def _upward(self) -> bool:
        """Whether the search goes up from no noise, and not from the middle of the grid: where costs have no end."""
        return self.grid.highest is None or (self.grid.order.whole and not self.grid.order.falling)

    def _upwards(self, level: int) -> Iterator[int]:
        """From `level` to more noise: further from no noise by a factor of 4, or nearer to the end by it."""
        top, quiet = self.grid.highest, self.grid.quiet
        yield level
        while (level < top) if top is not None else self.grid.value(level) < FARTHEST:
            if self._upward and self.grid.order.whole and self.bound == 0 and level - quiet > FEW:
                return  # what is not pure with so many is not with more, as a rule, and each costs more
            if self._upward:
                level = quiet + 4 * (level - quiet)
                level = level if top is None else min(level, top)
            elif top is not None:
                level = top - (top - level) // 4
            yield level

    def _scan(self) -> tuple[int | None, int]:
        """The bracket where no order is known: the first level that satisfies (eps, delta), from the least noise on."""
        grid, quiet, top = self.grid, self.grid.quiet, self.grid.highest
        assert top is not None
        if top - grid.lowest < FEW:
            return self._first(range(grid.lowest, top + 1))
        octaves = {quiet + ((top - quiet) >> i) for i in range(OCTAVES)} | {grid.lowest}
        before, first = self._first(sorted(level for level in octaves if level >= grid.lowest))
        if before is None or first - before <= BETWEEN:
            return before, first
        low, high = before - quiet, first - quiet
        return self._first([quiet + low + (high - low) * i // BETWEEN for i in range(BETWEEN + 1)])

    def _first(self, levels: "range | list[int]") -> tuple[int | None, int]:
        before = None
        for level in levels:
            if self.keeps(level):
                return before, level
            before = level
        raise self._none()

    def _close(
        self, low: int | None, high: int, wanted: Callable[[int], bool], seen: dict[int, Seen], close: int | None = None
    ) -> int:
        """The lowest level that is wanted, between `low`, which is not, and `high`, which is; `high` without `low`.

        Levels that are closer than a part `close`, relatively, are not told apart.
        """
        quiet, widths, beyond = self.grid.quiet, [], False
        while low is not None and high - low > 1:
            near, far = low - quiet, high - quiet
            widths.append(far - near)
            slow = len(widths) > SLOW and 4 * widths[-1] > widths[-SLOW - 1]
            alike = self.size(low, far) * self._resolution(low, high, seen, close)
            if high - low < alike:
                self.exact = False
                break
            if far > 4 * near:
                guess = quiet + isqrt(max(near, 1) * far)
            elif slow and (beyond or not self._roughly):
                guess, beyond = (low + high) // 2, False
            else:
                guess, beyond = self._secant(low, high, seen), slow
                if slow:  # one end does not move: go twice as far from the other, to have both near
                    guess += guess - (low if guess - low < high - guess else high)
            least = max(1, int(alike / 2))  # a bound on all may jump, and a secant is then always next to one end
            guess = min(max(guess, low + least), high - least)
            if wanted(guess):
                high = guess
            else:
                low = guess
        return high

    def size(self, low: int, far: int) -> int:
        """What distances are relative to: that from no noise; of a value that falls to 0 the value, if it is less."""
        top = self.grid.highest
        return min(far, top - low) if top is not None and self.grid.order.falling else far

    def _resolution(self, low: int, high: int, seen: dict[int, Seen], most: int | None) -> Fraction:
        """The relative distance below which two levels are not told apart, so that no closer ones are looked at."""
        wide = [found for level in (low, high) if (found := seen.get(level)) and found.wide and not _open(found)]
        values = [found.value for found in wide]
        widths = [v.relative_width / 8 for v in values if isinstance(v, Interval) and 8 * v.low > self.bound]
        close = most or self.close or self._roughly
        return max([*widths, Fraction(1, close) if close else Fraction(0)], default=Fraction(0))

    @property
    def _roughly(self) -> int | None:
        return None if self.exact else self.rough or FINEST

    def _highest_that_breaks(self, failing: int) -> int | None:
        """The last level found to violate (eps, delta), up to `failing`, which is not found to keep it."""
        high, level, further = failing + 1, failing, 1
        known = [at for at, seen in self.below.items() if at < high and seen.decided]
        if known and self.grid.order.lemma and not self.exact:
            level = max(known)
            high = min([high, *(at for at in self.below if at > level)])
        while not self.breaks(level):
            if level == self.grid.lowest:
                return None
            nearest = max(self.grid.lowest, self.grid.quiet + (level - self.grid.quiet) // 4)  # else there may be none
            foreseen = max(nearest, level - further * (level - self._foreseen(level)))
            high, level, further = level, max([foreseen, *self._broken(level)]), 4 * further
        high = self._close(level, high, self._stands, self.below)
        return max(at for at, seen in self.below.items() if at < high and seen.decided)

    def _broken(self, level: int) -> list[int]:
        """The levels below this one whose lower bounds are known already, and were found to violate (eps, delta)."""
        known = [below for below, seen in self.above.items() if below < level and _open(seen)]
        return [below for below in sorted(known)[-1:] if self.breaks(below)]

    def _foreseen(self, level: int) -> int:
        """A guess at a level that violates (eps, delta), by the height at this one and the slope of the curve above."""
        (x, at_x), (y, at_y) = self._best(self.above)
        steps = self.below[level].height * (x - y) / (at_x - at_y)
        return level - round(dyadic(abs(steps).mid()) * Fraction(17, 16)) - 1 if steps.is_finite() else level - 1

    def _secant(self, low: int, high: int, seen: dict[int, Seen]) -> int:
        """Where the line through the two best points meets 0, and a little towards the end that is further away."""
        (x, at_x), (y, at_y) = self._best(seen)
        share = at_x / (at_x - at_y)
        if not share.is_finite():
            return (low + high) // 2
        root = x + round(dyadic(share.mid()) * (y - x))
        if not low - abs(x - y) <= root <= high + abs(x - y):
            return (low + high) // 2
        root = min(max(root, low), high)
        step, distance = abs(root - x), max(1, root - self.grid.quiet)
        further = max(1, step * min(abs(x - y), distance) // (4 * distance))
        return root + further if high - root > root - low else root - further

    def _best(self, seen: dict[int, Seen]) -> list[tuple[int, arb]]:
        """The two levels with heights next to 0; without two, levels whose heights say nothing."""
        heights = [(level, found.height) for level, found in seen.items() if found.height.is_finite()]
        return sorted([*heights, (0, arb("inf")), (0, arb("inf"))], key=lambda point: abs(point[1]))[:2]

    # What is decided -----------------------------------------------------------------------------------------------

    def keeps(self, level: int) -> bool:
        """Whether a level that was looked at is shown to satisfy (eps, delta)."""
        if level not in self.above:
            self.above[level] = self._look(level, upper=True)
        return self.above[level].decided

    def breaks(self, level: int) -> bool:
        """Whether a level that was looked at is shown to violate (eps, delta)."""
        if level not in self.below:
            seen = self.above.get(level)
            if seen is not None and self.exact and seen.value is not None:
                self.below[level] = Seen(seen.value, breaks(seen.value, self.bound), seen.height)
            else:
                self.below[level] = self._look(level, upper=False)
        return self.below[level].decided

    def _look(self, level: int, upper: bool) -> Seen:
        """Evaluate a level once; one that is no value beside the other parameters is passed over, save the first."""
        try:
            if level not in self.asked:
                self.asked[level] = self.sides(level)
            below, above = self.asked[level]
            self.exact &= below is above
            return self._decide(above if upper else below, level, upper)
        except (BadInput, Undecided) as trouble:
            if isinstance(trouble, BadInput) and not isinstance(trouble, TooMuchWork) and not self.evaluated:
                raise
            return Seen(None, False, arb("nan"), str(trouble))

    def _decide(self, values: Values, level: int, upper: bool) -> Seen:
        """Enclose delta at a level, with more digits as long as both answers are open and they help."""
        digits = self._digits(level)
        while True:
            value = values(digits)
            known = keeps(value, self.bound), breaks(value, self.bound)
            wide = isinstance(value, Interval) and value.relative_width * 10**digits > 2
            if any(known) or digits >= LAST_DIGITS or wide or isinstance(value, Delta):
                height = _height(value, self.bound, upper)
                return Seen(value, known[0] if upper else known[1], height, wide=wide)
            digits = min(2 * digits, LAST_DIGITS)

    def _digits(self, level: int) -> int:
        """The digits to ask for at a level: about as many as the next secant needs of log delta."""
        distance = max(1, level - self.grid.quiet)
        nearest = min((abs(level - other) for other in self.above), default=distance)
        return min(LAST_DIGITS // 2, DIGITS + 2 * len(str(distance // max(1, nearest))))

    def _none(self) -> BadInput:
        grid, level = self.grid, max(self.above)
        seen, fails = self.above[level], self.breaks(level)
        tried = f"the most noise that was tried is {_about(grid.value(level))}"
        if seen.value is None:
            return BadInput(f"no value is shown to satisfy (eps, delta): {tried}: {seen.trouble}")
        below = self.below[level].value
        low, high = "0" if below is None else below.enclosure(6)[0], seen.value.enclosure(6)[1]
        none = fails and level == grid.highest and self._ordered_or_all_tried()
        found = "satisfies" if none else "is shown to satisfy"
        shown = "fails" if fails else "is not shown to be enough"
        more = ""
        if self.grid.order.lemma is None and len(self.above) != self.grid.size:
            more = f"; not all were tried, as they are where there are at most {FEW}"
        return BadInput(
            f"no value {found} (eps, delta): {tried}, which {shown}: delta(eps) is in [{low}, {high}] there{more}"
        )

    def _ordered_or_all_tried(self) -> bool:
        """Whether no level satisfies (eps, delta) where the highest breaks it, none having been found to keep it."""
        every = len(self.above) == self.grid.size and self.exact and all(map(self.breaks, list(self.above)))
        return self.grid.order.lemma is not None or every


def _open(seen: Seen) -> bool:
    """Whether nothing is known from above: real datasets violate (eps, delta) anyway."""
    return isinstance(seen.value, Interval) and seen.value.high == 1


def _about(value: Fraction) -> str:
    return decimal_below(value, 6)


def keeps(value: Delta | Interval, bound: Fraction) -> bool:
    """Whether delta is shown to be at most the bound."""
    return value.minus(bound).sign() <= 0 if isinstance(value, Delta) else value.high <= bound


def breaks(value: Delta | Interval, bound: Fraction) -> bool:
    """Whether delta is shown to be above the bound."""
    return value.minus(bound).sign() > 0 if isinstance(value, Delta) else value.low > bound


def _height(value: Delta | Interval, bound: Fraction, upper: bool) -> arb:
    """log(delta / bound), a guess, by the end that decides; not finite where there is none."""
    if isinstance(value, Delta):
        low, high, scale = value.bounds(192)
        end = Fraction(int(low + high), 2 * int(scale))
    else:
        end = value.high if (upper and value.low <= bound) or not value.low else value.low
    return (ball(end) / ball(bound)).log().mid() if bound > 0 and end > 0 else arb("nan")
