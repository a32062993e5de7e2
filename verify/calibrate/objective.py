"""Calibration of several parameters: the best objective among values that satisfy (eps, delta).

One parameter is tight: it is set to the least noise that satisfies (eps, delta), given the others
(`verify.calibrate.least_noise`). The others are searched, stride by stride, for the best objective. What is answered
is certified as any calibrated value is; that nothing is better is not proved, and `Optimum.tried` says how many
candidates there were.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import product

from flint import arb

from shufflecert.verify.calibrate.grid_search import GridSearch
from shufflecert.verify.calibrate.least_noise import Calibrated, Promise, least_noise
from shufflecert.verify.enclose.interval import Interval, scaled
from shufflecert.verify.errors import BadInput, TooMuchWork, Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import System
from shufflecert.verify.exact.rational import decimal_above, dyadic, precision
from shufflecert.verify.systems.declare import Accuracy, Grid

OBJECTIVES = ("rmse", "messages", "bits", "failure")
LOOSE = 10**4  # how near a candidate's least noise is brought, relatively
PER_OCTAVE = 16  # candidates in an octave: of a value without an end, or of the odds x / (1 - x) of one between ends
STRIDES = (64, 16, 4, 1)
STARTS, COUNTS = (0, 64, -64, 128, -128), (0, 1, 3, 7, 15, 31, 63, 127, 255, 511)  # of integers
FARTHEST = 640
Choice = Mapping[str, Fraction]
Make = Callable[[Choice], System]
Accurate = Callable[[System, Fraction | None], Accuracy]
Floor = Callable[[Choice, Eps], Fraction]
Point = tuple[int, ...]
Height = tuple[Fraction, Fraction]  # the objective and, where that is equal, what it is traded for


@dataclass(frozen=True)
class Goal:
    """What is to be minimised, one of OBJECTIVES, under limits on the RMSE, in users, and on the expected messages.

    `alpha` is the error that counts as a failure, in the unit of the estimate.
    """

    objective: str = "rmse"
    most_rmse: Fraction | None = None
    most_messages: Fraction | None = None
    alpha: Fraction | None = None

    @property
    def limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.most_rmse is not None or self.most_messages is not None

    def value(self, accuracy: Accuracy) -> Interval:
        """The objective at some accuracy. Raises BadInput where the system has none of this kind."""
        match self.objective:
            case "rmse":
                return accuracy.rmse
            case "messages":
                return accuracy.expected_messages
            case "bits":
                return scaled(accuracy.expected_messages, accuracy.bits_per_message)
            case "failure" if accuracy.failure_probability is not None:
                return accuracy.failure_probability
        raise BadInput(f"objective {self.objective}: unknown here: expected one of {', '.join(OBJECTIVES)}")

    def traded(self, accuracy: Accuracy) -> Interval:
        """What the objective is traded for: messages where it is an error, and errors where it is messages."""
        return accuracy.rmse if self.objective in ("messages", "bits") else accuracy.expected_messages

    def excess(self, accuracy: Accuracy) -> str | None:
        """What is, or may be, above its limit, in words; None where nothing is."""
        rmse, messages = accuracy.rmse_in_users, accuracy.expected_messages
        if self.most_rmse is not None:
            if rmse is None:
                raise BadInput("a limit on the error: the error of this system does not count users: expected no limit")
            if rmse.high > self.most_rmse:
                return f"a root mean square error of {_about(rmse.high)} users, above {_about(self.most_rmse)}"
        if self.most_messages is not None and messages.high > self.most_messages:
            return f"{_about(messages.high)} expected messages, above {_about(self.most_messages)}"
        return None


@dataclass(frozen=True)
class Optimum:
    """The best that was found: the `values` of all parameters; `parameter` was calibrated given the others."""

    parameter: str
    values: Mapping[str, Fraction]
    calibrated: Calibrated
    accuracy: Accuracy | None
    tried: int


@dataclass
class Search:
    """A search over all parameters in `grids`: a point names a candidate of each but one, which is calibrated.

    `make` turns values of these parameters into a system. `accuracy` gives a system's accuracy for an alpha, None where
    nothing is known of it: then only one parameter can be chosen. `floor` bounds delta(eps) from below by the
    parameters that are searched, whatever the tight one is, so that candidates are passed over without a look at any of
    its values.
    """

    make: Make
    grids: Mapping[str, Grid]
    promise: Promise
    goal: Goal
    accuracy: Accurate | None
    floor: Floor | None = None
    seen: dict[Point, Height | None] = field(default_factory=dict)
    known: dict[tuple[Fraction, ...], Height | None] = field(default_factory=dict)
    trouble: str = ""
    beyond: str = ""  # the first limit that was passed
    near: int | None = None  # the level of the last candidate that is enough, where the next one is looked for

    @property
    def tight(self) -> str:
        """The parameter to be calibrated: one whose noise has no end, else one that is no integer, else the last."""
        return min(self.grids, key=lambda name: (self.grids[name].highest is not None, self.grids[name].order.whole))

    @property
    def others(self) -> list[str]:
        """The parameters that are searched: all but the tight one."""
        return [name for name in self.grids if name != self.tight]

    def best(self, kept_alone: bool = False) -> Optimum:
        """Carry out the search, and return the best point that it found; `kept_alone` as for `least_noise`.

        Raises BadInput where no value keeps the promise within the goal's limits, or is found to.
        """
        caps = {name: self._cap(name) for name in self.others}
        fixed = self._choice(self._descend(caps), caps) if self.others else {}
        make = partial(self._made, fixed)
        calibrated = least_noise(make, self.grids[self.tight], self.promise, kept_alone)
        values = {**fixed, self.tight: calibrated.value}
        accuracy = self._accuracy(make(calibrated.value))
        if accuracy is not None and (excess := self.goal.excess(accuracy)):
            at = f"{self.tight} = {_about(calibrated.value)}"
            raise BadInput(f"no value is shown to satisfy (eps, delta) within the limits: {at} has {excess}")
        return Optimum(self.tight, {x: values[x] for x in self.grids}, calibrated, accuracy, max(1, len(self.seen)))

    def _accuracy(self, system: System) -> Accuracy | None:
        """The accuracy of a system; None where it is not known, and nothing that was asked for depends on it."""
        try:
            return self.accuracy(system, self.goal.alpha) if self.accuracy else None
        except (BadInput, Undecided):
            if self.others or self.goal.limited or self.goal.alpha is not None:
                raise
            return None

    def _made(self, fixed: Choice, value: Fraction) -> System:
        return self.make({**fixed, self.tight: value})

    def _descend(self, caps: Mapping[str, int | None]) -> Point:
        """Descend from the first candidate that keeps everything until no small stride of a parameter is better."""
        each = [COUNTS if self.grids[name].order.whole else STARTS for name in self.others]
        starts = dict.fromkeys(map(self._within, product(*each)))
        at = next((point for point in starts if self._height(point, caps) is not None), None)
        if at is None:
            raise self._none(caps)
        while True:
            before = at
            for stride in STRIDES:
                while (better := self._better(at, stride, caps)) is not None:
                    at = better
            if at == before or self.goal.objective in ("messages", "bits"):
                return at  # errors depend on few parameters, and steps of the others may have made room for more

    def _none(self, caps: Mapping[str, int | None]) -> BadInput:
        if not self.goal.limited:
            return BadInput(f"no values are shown to satisfy (eps, delta): {self.trouble}")
        most = {name: self.grids[name].value(cap) for name, cap in caps.items() if cap is not None}
        allowed = "".join(f"{name} up to {_about(value)}, and " for name, value in most.items())
        allowed = f"they allow {allowed.removesuffix(', and ')}: " if allowed else ""
        return BadInput(
            f"no values are shown to satisfy (eps, delta) within the limits: {allowed}{self.beyond or self.trouble}"
        )

    def _better(self, at: Point, stride: int, caps: Mapping[str, int | None]) -> Point | None:
        """The best of the neighbours at this stride, where that is better."""
        best, found = self._height(at, caps), None
        for point in self._neighbours(at, stride):
            height = self._height(point, caps)
            if height is not None and best is not None and _lower(height, best):
                best, found = height, point
        return found

    def _neighbours(self, at: Point, stride: int) -> Iterator[Point]:
        for k in range(len(at)):
            for way in (stride, -stride):
                moved = self._within((*at[:k], at[k] + way, *at[k + 1 :]))
                if moved != at:
                    yield moved

    def _within(self, point: Iterable[int]) -> Point:
        """The candidates' numbers, as far as there are any."""
        return tuple(_number(self.grids[name], i) for name, i in zip(self.others, point, strict=True))

    def _height(self, point: Point, caps: Mapping[str, int | None]) -> Height | None:
        """The objective at a candidate, about; None where it keeps no promise or no limit.

        Beyond a cap several points are one candidate, which is looked at once.
        """
        if point not in self.seen:
            choice = self._choice(point, caps)
            values = tuple(choice.values())
            if values not in self.known:
                try:
                    self.known[values] = self._try(choice)
                except (BadInput, TooMuchWork, Undecided) as trouble:
                    self.trouble, self.known[values] = f"{self.tight}: {trouble}", None
            self.seen[point] = self.known[values]
        return self.seen[point]

    def _try(self, fixed: Choice) -> Height | None:
        if self.accuracy is None:
            raise BadInput("nothing is known of its accuracy: expected one parameter to calibrate")
        least = self.floor(fixed, self.promise.eps) if self.floor is not None else Fraction(0)
        if least > self.promise.delta:
            raise BadInput(f"no value satisfies (eps, delta): delta(eps) is at least {_about(least)} whatever it is")
        grid, make = self.grids[self.tight], partial(self._made, fixed)
        sides = lambda level: self.promise.sides(make(grid.value(level)))  # noqa: E731
        level = GridSearch(grid, self.promise.delta, sides, close=LOOSE, near=self.near).least()
        if all(self.grids[name].order.whole for name in self.others):  # a few small numbers, whose answers are near
            self.near = level
        accuracy = self.accuracy(make(grid.value(level)), self.goal.alpha)
        if excess := self.goal.excess(accuracy):
            self.beyond = self.beyond or f"a candidate has {excess}"
            return None
        value, other = self.goal.value(accuracy), self.goal.traded(accuracy)
        return (value.low + value.high) / 2, (other.low + other.high) / 2

    def _choice(self, point: Point, caps: Mapping[str, int | None]) -> Choice:
        return {name: _candidate(self.grids[name], i, caps[name]) for name, i in zip(self.others, point, strict=True)}

    def _cap(self, name: str) -> int | None:
        """The most noise in one parameter that the limits allow, with the least in all others; None: no such limit.

        A guess at where to look only: each candidate is held against the limits on its own.
        """
        if self.accuracy is None or not self.goal.limited:
            return None
        grid, others = self.grids[name], {x: grid.value(grid.lowest) for x, grid in self.grids.items()}

        def allowed(level: int) -> bool:
            assert self.accuracy is not None
            try:
                accuracy = self.accuracy(self.make({**others, name: grid.value(level)}), self.goal.alpha)
                return self.goal.excess(accuracy) is None
            except (TooMuchWork, Undecided):
                return False

        low, high = grid.lowest, grid.highest if grid.highest is not None else grid.lowest << 80
        if allowed(high) or not allowed(low):
            return None
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if allowed(middle) else (low, middle)
        return low


def _about(number: Fraction) -> str:
    return decimal_above(number, 6)


def _lower(one: Height, other: Height) -> bool:
    """Whether the height `one` is clearly lower than `other`: by more than candidates are told apart.

    A smaller difference gains the objective nothing, so no step is made for it.
    """
    return one[0] < other[0] or (one[0] == other[0] and LOOSE * one[1] < (LOOSE - 1) * other[1])


def _number(grid: Grid, i: int) -> int:
    """The number of the candidate nearest to the i-th: integer parameters have no more candidates than integers."""
    if not grid.order.whole:
        return min(max(i, -FARTHEST), FARTHEST)
    return min(max(i, 0), FARTHEST if grid.size is None else min(FARTHEST, grid.size - 1))


def _candidate(grid: Grid, i: int, cap: int | None) -> Fraction:
    """The i-th candidate: integers count from the smallest, others by octaves from the middle, up to the cap."""
    quiet, top = grid.quiet, grid.highest
    if grid.order.whole:
        level = top - max(0, i) if grid.order.falling and top is not None else grid.lowest + max(0, i)
    else:
        odds = _power(i)
        level = quiet + round(odds / grid.step if top is None else (top - quiet) * odds / (1 + odds))
    level = max(level, grid.lowest)
    return grid.value(min([level, *(end for end in (top, cap) if end is not None)]))


def _power(i: int) -> Fraction:
    """The factor 2^(i / PER_OCTAVE), to some 60 bits."""
    octaves, rest = divmod(i, PER_OCTAVE)
    with precision(128):
        root = dyadic((arb(2).log() * rest / PER_OCTAVE).exp().mid())
    return Fraction(round(root * (1 << 60)), 1 << 60) * Fraction(2) ** octaves
