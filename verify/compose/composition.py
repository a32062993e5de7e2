"""Composition: systems used by the same users, each so many times; delta(eps) and the smallest eps, from both sides.

What a pair of neighbouring datasets is, where several runs are seen (`data`):

    same      a user holds one input for all runs of a system: the pair of inputs of the user who changes, and the
              others' inputs, are the same in all of them
    fresh     inputs may differ from run to run and are fixed beforehand: each run has a pair of its own, either way
    adaptive  as fresh, and chosen run by run on seeing what the runs before have shown

The lower bound is attained by a composition of pairs of real datasets; the upper bound holds for all. Where the
components of all systems are whole (verify/compose/components.py) both are the largest over their compositions, for
`fresh` over all assignments. Else, and for `adaptive`, a system's part in the upper bound is a pair by
connect-the-dots on its curve (lemma in verify/pairs/connect_the_dots.py), from eps = 0 to where what is beyond hardly
adds to the answer.

Where groups are not known, the upper bound is made of those for one user (`verify.reduce.group_privacy.chained`).

In parallel composition (`apart`) systems have no user in common. Every user is in the runs of one system, so
neighbouring datasets differ there only. All else that is seen is the same on both sides and independent of it: the
largest of the systems' own deltas is that of all, and the largest eps.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, cached_property, partial
from math import prod

from shufflecert.verify.bound.bound import Bound
from shufflecert.verify.bound.choose import PATIENT
from shufflecert.verify.bound.question import Effort, Question, Tick
from shufflecert.verify.compose.assignments import (
    Assignment,
    Looked,
    assignments,
    exact_delta,
    exact_epsilon,
    few,
    how_many,
    largest_of,
    near_all,
)
from shufflecert.verify.compose.boxes import BY, LEAST, Boxes
from shufflecert.verify.compose.components import COARSE, FIRST, NOBODY, Component, SystemProfile, known, powers
from shufflecert.verify.compose.pure_epsilon import pure_epsilon
from shufflecert.verify.enclose.interval import Interval, largest, smallest_eps
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.neighbours import Neighbours, Scope
from shufflecert.verify.exact.randomizer import Randomizer, System
from shufflecert.verify.exact.rational import ball, dyadic, magnitude, natural, precision, probability
from shufflecert.verify.pairs.connect_the_dots import Exact
from shufflecert.verify.progress import Progress
from shufflecert.verify.reduce.group_privacy import chained
from shufflecert.verify.reduce.reduction import check_composed
from shufflecert.verify.systems.population import presence_of

DATA = ("same", "fresh", "adaptive")
MAX_TIMES, MAX_DIGITS, MAX_POINTS = 10**6, 12, 1 << 14
DIGITS, ENDS, DOTTED = 5, 6, 4  # of a delta; of an eps; of a delta where dots bring larger errors in
POINTS, SPARE = 128, Fraction(1, 10**4)  # dots; what is beyond the last one, relative to the answer
GUESSES = tuple(Fraction(k, 8) for k in (0, 1, 2, 3, 4, 8))  # of its eps: where pairs are looked for
ATTAINED = 64  # assignments that a lower end is looked for among
Curve = Callable[[Eps], Interval]


@dataclass(frozen=True)
class Run:
    """A system of n users that is run so many times."""

    system: Randomizer | System
    n: int
    times: int = 1
    name: str = ""


@dataclass(frozen=True)
class Worst:
    """The neighbouring datasets that so many runs of a system have in the composition that is about the largest."""

    name: str
    times: int
    neighbours: Neighbours


@dataclass(frozen=True)
class Composed:
    """An answer: `delta`, or the smallest eps, with how many compositions were evaluated and by what argument.

    The eps is in `interval` = (low, high), high None where none is shown to be enough, or exactly log of `power`; all
    three are None where no finite eps is enough. `compositions` were evaluated, and stand for `stands_for` (None: too
    many to count); `by` says how, and `boxed` whether it is by boxes.
    """

    compositions: int
    stands_for: int | None
    two_sided: bool
    by: str
    worst: tuple[Worst, ...]
    delta: Delta | Interval | None = None
    interval: tuple[Fraction, Fraction | None] | None = None
    power: Fraction | None = None
    boxed: bool = False


def prepare(
    runs: Sequence[Run],
    data: str = "same",
    group: object = 1,
    *,
    digits: object = None,
    points: object = POINTS,
    effort: Effort = Effort(),  # noqa: B008  # it is frozen
    seen: Tick | None = None,
) -> "Composition":
    """Prepare a question about these runs by the same users, in the shuffled view, one user or up to `group` replaced.

    `data` says what neighbours are (see the module). `digits` significant digits of every composition: 5 unless given,
    4 where there are dots; `points` dots on each curve that needs them.
    The `work` of an effort is also that of a first look at all assignments; `seen` is told of the answer's interval so
    far. Raises BadInput for other data, and as `bound_of` does.
    """
    if not runs:
        raise BadInput("runs: none: expected at least one system")
    if data not in DATA:
        raise BadInput(f"data: {data[:40]!r}: expected one of {', '.join(DATA)}")
    for run in runs:
        natural(run.times, "times", most=MAX_TIMES)
        natural(run.n, "n", most=MAX_TRIALS)
    size = natural(group, "group", most=MAX_TRIALS)
    check_composed([run.system for run in runs], data == "same")
    figures = None if digits is None else natural(digits, "digits", most=MAX_DIGITS)
    systems = [known(Question.of(run.system, run.n), effort, size) for run in runs]
    alone = all(system.grouped for system in systems)
    ones = systems if alone else [known(Question.of(run.system, run.n), effort) for run in runs]
    many = natural(points, "points", least=2, most=MAX_POINTS)
    work = effort.work or PATIENT
    return Composition(runs, systems, ones, data, size, figures, many, work, effort.progress, seen)


@dataclass(frozen=True, eq=False)
class Composition:
    """A prepared question about the composition of several systems, to be asked for delta or for eps.

    `systems` are about a group where that is known of them, `ones` about one user.
    """

    runs: Sequence[Run]
    systems: Sequence[SystemProfile]
    ones: Sequence[SystemProfile]
    data: str
    group: int
    digits: int | None
    points: int
    max_work: int
    progress: Progress | None = None
    seen: Tick | None = None

    def delta(self, eps: object) -> Composed:
        """delta(eps), eps in nats: exactly A - B e^eps where compositions are few and exact, else enclosed.

        Raises BadInput for what is no eps, and Undecided where a comparison is.
        """
        at = Eps.of(eps)
        if self.single is not None:
            alone = self.single.delta(at)
            return self._of_single(alone.scope, delta=alone.delta)
        if self.all is not None:
            exact, closely = exact_delta(self.all, at) if few(self.all) else None, self.digits or DIGITS
            value, one = exact or largest_of(self.all, at, closely, self.progress, None, self.seen)
            return self._answer(one, len(self.all), delta=value)
        about = Interval(Fraction(0), Fraction(1))
        if (near := self.boxed(at)) is not None:
            assert self.boxes is not None
            about, assignment = largest_of([near], at, self.digits or DIGITS)
            self._tell(Interval(about.low, Fraction(1)))
            if (shown := self.boxes.delta_above(at, about.low)) is not None:
                return self._answer(assignment, self.boxes.leaves, delta=Interval(about.low, shown), boxed=True)

        def upper(tops: Sequence[Fraction]) -> Fraction:
            nonlocal about
            found = self._upper(self._above(tops, COARSE), 2)(at).high
            about = Interval(Fraction(0), min(about.high, found))
            self._tell(about)
            return found

        tops = self._tops(upper)
        below = self._below(tops)
        low, assignment = largest_of(below, at, self.digits or DOTTED)
        self._tell(Interval(low.low, max(low.low, about.high)))
        above = self._above(tops, self.points, self.progress)
        high = self._upper(above, self.digits or DOTTED)(at).high
        assert low.low <= high, "an attained delta above the upper end"
        return self._answer(assignment, len(above) + len(below), delta=Interval(low.low, high))

    def epsilon(self, delta: object) -> Composed:
        """The smallest eps with delta(eps) <= `delta`: exactly log(p/q) where compositions are few and exact.

        Raises BadInput for what is no probability.
        """
        bound, exact = probability(delta, "delta"), self.all is not None
        if self.all is not None and few(self.all):
            power, assignment = exact_epsilon(self.all, bound)
            return self._answer(assignment, len(self.all), power=power)
        if not bound and (pure := self._pure()):
            return pure
        if self.single is not None:
            alone = self.single.epsilon(bound)
            power = None if alone.eps is None else alone.eps.power
            return self._of_single(alone.scope, interval=alone.interval, power=power)
        if not exact and (found := self._by_boxes(bound)) is not None:
            return found
        tops = [] if exact else self._tops(lambda _: bound)
        below = self._below(tops) if self.all is None else self.all
        for assignment in below:
            if assignment.infinity_mass() > bound:
                return self._answer(assignment, len(below))
        digits = self.digits or DOTTED
        least, most = Fraction(0), list[Fraction]()

        def told(curve: Curve, below: bool, above: bool) -> Curve:
            def look(at: Eps) -> Interval:
                nonlocal least
                value, ends = curve(at), at.enclosure()
                if below and value.low > bound:
                    least = max(least, Fraction(ends[0]))
                if above and value.high <= bound:
                    most.append(Fraction(ends[1]))
                if self.seen is not None:
                    self.seen(least, min(most, default=None))
                return value

            return look

        if self.all is not None:
            near, ends = near_all(self.all, bound, self.looked), self.digits or ENDS
            steep = magnitude(max(Fraction(1), near[0] * near[1] / 2)) if near else 0  # digits of delta
            digits = min(max(ends - steep, 2), self.digits or DIGITS)
            curve = told(self._upper(self.all, digits, bound), True, True)
            low, high = smallest_eps(curve, bound, ends, near=near)
        else:
            attained = told(lambda at: largest_of(below, at, digits, bound=bound, looked=self.looked)[0], True, False)
            ends = digits - 1  # of eps, of which delta is steep
            low, _ = smallest_eps(attained, bound, ends, near=near_all(below, bound))
            above = self._above(tops, self.points, self.progress)
            guess = None if self._chains else near_all(above, bound)
            _, high = smallest_eps(told(self._upper(above, digits, bound), False, True), bound, ends, near=guess)
        _, assignment = largest_of(below, Eps.of(low), 2, looked=self.looked)
        return self._answer(assignment, len(below) + (0 if exact else len(above)), interval=(low, high))

    @cached_property
    def single(self) -> Bound | None:
        """What is known of the one run, where there are no more and nothing is whole: its own bound, not by dots."""
        alone = sum(self.times) == 1 and self.group == 1
        return self.ones[0].bound if alone and self.all is None else None

    def _of_single(
        self,
        scope: Scope,
        delta: Delta | Interval | None = None,
        interval: tuple[Fraction, Fraction | None] | None = None,
        power: Fraction | None = None,
    ) -> "Composed":
        named = () if scope.worst is None else (Worst(self.runs[0].name, 1, scope.worst),)
        return Composed(scope.pairs, None, scope.two_sided, scope.by, named, delta, interval, power)

    @cached_property
    def looked(self) -> Looked:
        """What is known so far of each assignment."""
        return Looked()

    @cached_property
    def boxes(self) -> Boxes | None:
        """Boxes of the others' compositions: of runs of one table on the same data, that are not all, for one user."""
        if len(self.runs) > 1 or not self._alike[0] or self.group > 1 or self.all is not None:
            return None
        return Boxes.of(self.ones[0].bound, self.runs[0].times, self.max_work)

    def boxed(self, at: Eps | Fraction) -> Assignment | None:
        """Real datasets that seem worst at an eps, or for a delta; None where there are no boxes, or it takes long."""
        if self.boxes is None or not (found := self.boxes.worst(at)):
            return None
        names, pair = found
        return Assignment(((0, Component((pair,), names), self.runs[0].times),))

    def _by_boxes(self, bound: Fraction) -> Composed | None:
        """The smallest eps, by boxes; None where they show none."""
        if bound < LEAST or (near := self.boxed(bound)) is None:
            return None
        assert self.boxes is not None
        digits, below = self.digits or DIGITS, [near]
        if near.infinity_mass() > bound:
            return self._answer(near, 1)
        guess = near_all(below, bound)
        low, _ = smallest_eps(lambda at: largest_of(below, at, digits, bound=bound)[0], bound, digits, near=guess)
        if self.seen is not None:
            self.seen(low, None)
        high = self.boxes.epsilon_above(low, bound)
        return None if high is None else self._answer(near, self.boxes.leaves, interval=(low, high), boxed=True)

    def _tell(self, value: Interval) -> None:
        if self.seen is not None:
            self.seen(value.low, value.high)

    def _pure(self) -> Composed | None:
        found = pure_epsilon([(run.system, run.n, run.times) for run in self.runs], self.max_work, self.group)
        if found is None:
            return None
        pairs = zip(self.runs, found.scopes, strict=False)
        worst = tuple(Worst(run.name, run.times, scope.worst) for run, scope in pairs if scope.worst is not None)
        return Composed(1, None, found.two_sided, found.by, worst, None, found.interval, found.power)

    @property
    def _chains(self) -> bool:
        """Whether upper bounds for a group are chained from those for one user."""
        return not all(system.grouped for system in self.systems)

    @property
    def times(self) -> list[int]:
        """The number of runs of each system."""
        return [run.times for run in self.runs]

    @property
    def _alike(self) -> list[bool]:
        """For each system, whether all its runs have the same component."""
        return [self.data == "same" and not system.mixtures for system in self.ones]

    @cached_property
    def all(self) -> list[Assignment] | None:
        """All compositions, where they are the whole answer; None where they are not, or are too many."""
        mixed = self.data == "same" and not all(self._alike)
        if self._chains or mixed or not all(self._through_sides):
            return None
        return list(assignments([system.sides for system in self.systems], self.times, self._alike))

    @cached_property
    def _through_sides(self) -> list[bool]:
        """For each system, whether its components make the upper bound: not for `adaptive`, nor where that is slow."""
        chosen = [system.whole and self.data != "adaptive" for system in self.ones]
        while any(chosen):
            own = [i for i, use in enumerate(chosen) if use]
            sides, times = [self.ones[i].sides for i in own], [self.times[i] for i in own]
            one = next(assignments([listed[:1] for listed in sides], times, [True] * len(own)))
            if how_many(sides, times, [self._alike[i] for i in own]) * one.work() <= self.max_work:
                break
            chosen[max(own, key=lambda i: len(self.ones[i].sides))] = False
        return chosen

    def _above(self, tops: Sequence[Fraction], points: int, progress: Progress | None = None) -> list[Assignment]:
        """Compositions the largest of which is an upper bound, for one user where groups are chained."""
        sides = [
            system.sides if use else [Component((Exact(system.dotted(top, points, progress)),), NOBODY)]
            for system, use, top in zip(self.ones, self._through_sides, tops, strict=True)
        ]
        return list(assignments(sides, self.times, self._alike))

    def _upper(self, above: list[Assignment], digits: int, bound: Fraction | None = None) -> Curve:
        def one(at: Eps) -> Interval:
            return largest_of(above, at, digits, None, None if self._chains else bound, looked=self.looked)[0]

        return partial(chained, cache(one), self.group) if self._chains else one

    def _below(self, tops: Sequence[Fraction]) -> list[Assignment]:
        """Compositions of real pairs."""
        sides: list[list[Component]] = []
        for system, use, top in zip(self.systems, self._through_sides, tops, strict=True):
            if use:
                sides.append(list(system.sides))
                continue
            near = system.near([Eps.of(top * part) for part in GUESSES])
            drawn = [side.drawn(powers(top, system.dots(self.points)), system.above) for side in near]
            sides.append([way for side in drawn for way in (side, side.reversed())])
        one, each = [True] * len(sides), [False] * len(sides)
        while how_many(sides, self.times, one) > ATTAINED:
            max(sides, key=len).pop()
        alike = self.data == "same" or how_many(sides, self.times, each) > ATTAINED
        return list(assignments(sides, self.times, one if alike else each))

    def _tops(self, value: Callable[[Sequence[Fraction]], Fraction]) -> list[Fraction]:
        """For each system, the eps up to which dots are set; `value` is about the answer, by dots up to such eps."""
        tops, seen = [one.first for one in self.ones], list[list[Fraction]]()
        dotted = [i for i, use in enumerate(self._through_sides) if not use]
        while tops not in seen:
            seen.append(tops)
            whole = value(tops) * SPARE / len(tops)
            rooms = [whole / n for n in self.times]
            tops = [self.ones[i].further(tops[i], rooms[i]) if i in dotted else FIRST for i in range(len(tops))]
        for i in dotted:
            last = max(tops[i], seen[-1][i])
            steps = (last * k / COARSE for k in range(COARSE // 2, COARSE))
            tops[i] = next((step for step in steps if self.ones[i].reached(step, rooms[i])), last)
        return tops

    def _answer(
        self,
        assignment: Assignment,
        compositions: int,
        delta: Delta | Interval | None = None,
        interval: tuple[Fraction, Fraction | None] | None = None,
        power: Fraction | None = None,
        boxed: bool = False,
    ) -> Composed:
        exact = self.all is not None
        counted = [system.stands_for or 0 for system in self.systems] if exact and self.data == "same" else [0]
        members = [(self.runs[i], side.neighbours, n) for i, side, n in assignment.members if side.neighbours != NOBODY]
        worst = [Worst(run.name, n, pair.deleted(presence_of(run.system))) for run, pair, n in members]
        by, stands_for = BY if boxed else self._by(), prod(counted) or None
        return Composed(compositions, stands_for, not exact, by, tuple(worst), delta, interval, power, boxed)

    def _by(self) -> str:
        reasons = "; ".join(dict.fromkeys(system.by for system in self.systems))
        if self.all is not None:
            return f"the compositions of all pairs that stand for all ({reasons})"
        above = [
            "all pairs"
            if use
            else "a pair with its worst profile"
            if system.top
            else f"{system.dots(self.points)} dots on its curve"
            for system, use in zip(self.ones, self._through_sides, strict=True)
        ]
        how = f"real pairs composed (below); for each system {', '.join(dict.fromkeys(above))}, composed (above; "
        chain = f"a chain of {self.group} users, proof in verify/reduce/group_privacy.py; " if self._chains else ""
        return f"{how}{chain}proof in verify/pairs/connect_the_dots.py; {reasons})"


def apart(answers: Sequence[Composed]) -> Composed:
    """Parallel composition, of systems that have no user in common: the largest delta, or the largest eps."""
    if any(answer.delta is None for answer in answers):
        return _largest_eps(answers)
    ends = [_ends(answer.delta) for answer in answers]
    best = max(range(len(ends)), key=lambda i: ends[i].low)
    alone = all(ends[best].low >= end.high for i, end in enumerate(ends) if i != best)
    return replace(_joined(answers, answers[best]), delta=answers[best].delta if alone else largest(ends))


def _largest_eps(answers: Sequence[Composed]) -> Composed:
    """The largest of some eps, infinite ones first; exact ones are compared exactly, others by their intervals."""
    for answer in answers:
        if answer.interval is None and answer.power is None:
            return _joined(answers, answer)
    if all(answer.power is not None for answer in answers):
        return _joined(answers, max(answers, key=lambda answer: answer.power or 0))
    ends = [_interval(answer) for answer in answers]
    best = max(range(len(ends)), key=lambda i: ends[i][0])
    highs = [high for _, high in ends if high is not None]
    high = max(highs) if len(highs) == len(ends) else None
    return replace(_joined(answers, answers[best]), interval=(ends[best][0], high), power=None)


def _joined(answers: Sequence[Composed], worst: Composed) -> Composed:
    counts = [answer.stands_for for answer in answers]
    return replace(
        worst,
        compositions=sum(answer.compositions for answer in answers),
        stands_for=None if None in counts else sum(count or 0 for count in counts),
        two_sided=any(answer.two_sided for answer in answers),
        by="; ".join(dict.fromkeys(answer.by for answer in answers)),
    )


def _ends(value: Delta | Interval | None) -> Interval:
    if isinstance(value, Delta):
        low, high, scale = value.bounds(256)
        return Interval(max(Fraction(int(low), int(scale)), Fraction(0)), Fraction(int(high), int(scale)))
    assert value is not None
    return value


def _interval(answer: Composed) -> tuple[Fraction, Fraction | None]:
    if answer.power is None:
        assert answer.interval is not None
        return answer.interval
    with precision(192):
        eps = ball(answer.power).log()
        return max(dyadic(eps.lower()), Fraction(0)), dyadic(eps.upper())
