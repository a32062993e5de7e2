"""The least noise that satisfies (eps, delta): on a grid, a value that is certified next to one that is shown to fail.

Every value is decided by an enclosure of the worst delta(eps) over all neighbouring datasets, both directions. Where
more noise is proved to be more private (`Order.lemma`) the answer is the least value of the grid. Where it is not, the
answer is certified at the value itself, and `Searched` says what was looked at.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial

from shufflecert.verify.bound.bound import Bound, WorstDelta
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.calibrate.grid_search import BETWEEN, FEW, LAST_DIGITS, GridSearch, Values, breaks, keeps
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.randomizer import System
from shufflecert.verify.exact.rational import natural, probability, shorten
from shufflecert.verify.reduce.reduction import Family, given_away, known_reach, uncertified
from shufflecert.verify.systems.declare import Grid

CHEAP = 500_000  # units of enumeration, for one value
COVERED = 10_000_000  # coefficients of boxes of datasets, for one value
ROUGHLY = 4  # digits of what real datasets have, where more costs much
ALIKE = Fraction(25, 27)  # of an upper end that is no closer anyway, or costly: values an eighth as close are one
MARGIN = 10**5  # the first margin for a certificate, relatively, where pairs are not exact
ROUGHLY_EQUAL = 4096  # values that are closer, relatively, are one where only the value kept is wanted
ROOM = 4096  # and then it has so much more noise than the least shown, relatively, that a certificate has room
ROUGH = 16  # a delta that many times below the bound needs no digits


@dataclass(frozen=True)
class Promise:
    """A privacy promise for n users: delta(eps) <= `delta` for all neighbouring datasets. eps in nats."""

    n: int
    eps: Eps
    delta: Fraction
    effort: Effort = Effort()  # noqa: RUF009  # it is frozen

    @classmethod
    def of(cls, n: object, eps: object, delta: object, effort: Effort = Effort()) -> "Promise":  # noqa: B008
        """Read a promise. Raises BadInput for what is no number of users, eps or probability."""
        users, bound = natural(n, "n", most=MAX_TRIALS), probability(delta, "delta")
        return cls(users, Eps.of(eps), bound, effort)

    def bound(self, system: System) -> Bound:
        """What is known of all neighbouring datasets, with the effort for one value of many: for a system whose own
        pairs are quick, without a cover."""
        given, reach = self.effort.work, known_reach(system, self.n)
        bound = bound_of(Question.of(system, self.n), replace(self.effort, work=given or CHEAP))
        return bound.within(given or (COVERED if reach is None or reach.table is not None else 0))

    def sides(self, system: System) -> tuple[Values, Values]:
        """Two functions that enclose a system's delta(eps), for its lower and upper bound; one for exact pairs."""
        reach, bound = known_reach(system, self.n), None
        if reach is None or reach.dominating is not None:
            bound = self.bound(system)
            if bound.reach is None:
                exact = bound.delta(self.eps).delta
                return (lambda _: exact,) * 2
            reach = bound.reach
        attained = self._values(reach.attained)
        if reach.dominating is not None:
            if reach.dominating.costly or reach.dominating.between:
                least, rough = self.delta / ROUGH, reach.dominating.costly
                attained = self._values(reach.attained.narrowed(self.eps), Fraction(0) if rough else least)
                above = self._values(reach.dominating, Fraction(0) if rough else least)
                return lambda _: attained(ROUGHLY), partial(self._where_open, attained, above, rough)
            above = self._values(reach.dominating)
            return attained, above if bound is None or bound.covers is None else partial(self._closer, bound, above)
        return (lambda digits: self._exact(system, attained, digits),) * 2

    def costly(self, system: System) -> tuple[bool, bool]:
        """Whether a bound on all datasets takes much longer than that of real ones, and whether it is `between`."""
        reach = known_reach(system, self.n)
        above = None if reach is None else reach.dominating
        return (False, False) if above is None else (above.costly or above.between, above.between)

    def _exact(self, system: System, values: Values, digits: int) -> Delta | Interval:
        """delta(eps) by enumeration, where that is cheap and all digits leave open whether it is the bound itself."""
        value = values(digits)
        if digits >= LAST_DIGITS and isinstance(value, Interval) and value.low <= self.delta < value.high:
            with suppress(BadInput):
                bound = self.bound(system)
                return value if bound.around is None else bound.delta(self.eps).delta
        return value

    def _where_open(self, attained: Values, above: Values, rough: bool, digits: int) -> Delta | Interval:
        """delta between bounds from a dominating pair; up to 1 where real datasets violate (eps, delta) anyway."""
        value = attained(ROUGHLY)
        if isinstance(value, Interval) and value.low > self.delta:
            return Interval(value.low, Fraction(1))
        found = above(digits)
        return Interval(found.high * ALIKE, found.high) if rough and isinstance(found, Interval) else found

    def _closer(self, bound: Bound, above: Values, digits: int) -> Delta | Interval:
        """What a dominating pair allows, or less where that is too much and the bound shows enough."""
        value = above(digits)
        if keeps(value, self.delta):
            return value
        high = Interval.of(_whole(bound.delta(self.eps, self.delta)).delta).high
        return Interval(high * ALIKE, high) if high <= self.delta else value

    def _values(self, family: Family, enough: Fraction | None = None) -> Values:
        some = self.delta / ROUGH if enough is None else enough
        return cache(lambda digits: family.worst(self.eps, digits, some)[0])

    def worst(self, system: System) -> WorstDelta:
        """The worst delta(eps) of a system, to all digits, with its scope."""
        return _whole(self.bound(system).delta(self.eps))


def _whole(found: WorstDelta) -> WorstDelta:
    """One of many questions: who stops this one stops all."""
    if found.scope.stopped:
        raise KeyboardInterrupt
    return found


@dataclass(frozen=True)
class Searched:
    """What a search looked at: the number of values evaluated, and the lemma that orders them, if any.

    `complete`: no value of the grid with less noise than the answer satisfies (eps, delta), or is shown to. `reason`
    says in words what the search shows. `points` are the values looked at, with what few digits told of delta there.
    """

    evaluated: int
    lemma: str | None
    complete: bool
    reason: str
    points: tuple[tuple[Fraction, Interval], ...] = ()


@dataclass(frozen=True)
class Calibrated:
    """The least noise found, `value`, and the less noise `fails_at` that violates (eps, delta), the next if `adjacent`.

    Between the two nothing is known where enclosures are too wide. `fails_at` is None where no value of the grid is
    shown to fail: its least noise satisfies (eps, delta) if `adjacent`. `worst` and `fails` are delta(eps) at the two.
    """

    value: Fraction
    worst: WorstDelta
    fails_at: Fraction | None
    fails: WorstDelta | None
    adjacent: bool
    grid: Grid
    searched: Searched


Asked = Callable[[Fraction], tuple[System, Promise]]


def least_noise(
    make: Callable[[Fraction], System], grid: Grid, promise: Promise, kept_alone: bool = False
) -> Calibrated:
    """The least noise of the grid that satisfies (eps, delta); `make` turns a value into a system.

    `kept_alone`, and what it raises: as `least_value`.
    """
    return least_value(lambda value: (make(value), promise), grid, promise.delta, kept_alone)


def least_value(ask: Asked, grid: Grid, delta: Fraction, kept_alone: bool = False) -> Calibrated:
    """The lowest value of the grid whose system satisfies (eps, delta); `ask` turns a value into (system, promise).

    Exact pairs: `fails_at` is next to `value`. Else both are as close as certificates tell. With `kept_alone` nothing
    that fails is looked for, and without exact pairs the value is within a thousandth of the least that is shown, with
    room for a certificate, which is not made. Raises BadInput where no value of the grid is found to satisfy
    (eps, delta).
    """

    def sides(level: int) -> tuple[Values, Values]:
        system, promise = ask(grid.value(level))
        return promise.sides(system)

    walk = GridSearch(grid, delta, sides, rough=ROUGHLY_EQUAL if kept_alone else None, real_first=not kept_alone)
    costly = near_real = False
    with suppress(BadInput, Undecided):
        first, of = ask(grid.value(walk.middle))
        costly, near_real = of.costly(first)
    walk.real_first |= costly
    kept = fails = low = None
    if kept_alone and near_real and (near := walk.kept_by_real_datasets(ROUGHLY_EQUAL)) is not None:
        walk.near, kept = near, _kept(ask, walk, near, (1,))  # often no other value needs a bound on all datasets
    if kept is None:
        least, low = _searched_for(ask, walk, kept_alone)
        kept = _kept(ask, walk, least) if kept_alone and not walk.exact else _settled(ask, grid, least, 1, walk.exact)
        if kept is None:
            raise Undecided(f"at {shorten(grid.value(least))}: enclosures of all digits do not decide what fewer did")
    high, worst = kept
    if low is not None:
        broken = _settled(ask, grid, low, -1, walk.exact)
        low, fails = broken or (None, None)
    next_to_it = high == grid.lowest if low is None else high - low == 1  # where one was looked for
    fails_at = None if low is None else grid.value(low)
    return Calibrated(grid.value(high), worst, fails_at, fails, next_to_it, grid, _searched(walk, next_to_it))


def _searched_for(ask: Asked, walk: GridSearch, kept_alone: bool) -> tuple[int, int | None]:
    """The least level that is shown to satisfy (eps, delta), and one that fails, where it is looked for."""
    try:
        return (walk.least(), None) if kept_alone else walk.search()
    except BadInput as error:
        tried = ask(walk.grid.value(max(walk.above))) if walk.above else None
        why = None if tried is None else given_away(tried[0], tried[1].n)
        if why is None:
            raise
        raise BadInput(f"{error}: {why}") from None


def _settled(ask: Asked, grid: Grid, level: int, way: int, exact: bool) -> tuple[int, WorstDelta] | None:
    """The first level, from `level` on to more noise (`way` 1) or to less, where all digits decide as the search did.

    That is for exact pairs. For others a certificate has to show it as well, which needs a margin: larger and larger
    ones are tried. Where no margin leads to a certificate the answer is the first level that is decided; None where no
    level is.
    """
    distance, decided = max(1, level - grid.quiet), None
    step = 1 if exact else max(1, distance // MARGIN)
    if step > 1 and not uncertified(*_asked(ask, grid, level)):  # without a margin there is hardly ever one
        level = _within(grid, level + way * step)
    while True:
        if (found := _decided(ask, grid, level, way, exact)) is not None:
            decided = decided or (level, found.worst)
            if exact or not found.certifiable:
                return decided
            if found.because is not None:
                return level, found.worst
        if level == (grid.highest if way > 0 else grid.lowest) or step > distance // 4:
            break
        level, step = _within(grid, level + way * step), 4 * step
    return decided


def _asked(ask: Asked, grid: Grid, level: int) -> tuple[System, int]:
    system, promise = ask(grid.value(level))
    return system, promise.n


def _within(grid: Grid, level: int) -> int:
    """The level of the grid that is nearest to this one."""
    level = max(level, grid.lowest)
    return level if grid.highest is None else min(level, grid.highest)


def _kept(
    ask: Asked, walk: GridSearch, level: int, steps: Sequence[int] = (1, 4, 16, 64)
) -> tuple[int, WorstDelta] | None:
    """A level a step above this one, or some, where (eps, delta) is shown to be satisfied; None where none is."""
    grid = walk.grid
    step = max(1, walk.size(level, level - grid.quiet) // ROOM)
    for more in steps:
        at = level + more * step if grid.highest is None else min(level + more * step, grid.highest)
        system, promise = ask(grid.value(at))
        found = _whole(promise.bound(system).delta(promise.eps, promise.delta))
        if keeps(found.delta, promise.delta):
            low = Interval.of(promise.sides(system)[0](ROUGHLY)).low
            return at, replace(found, delta=Interval(low, Interval.of(found.delta).high))
    return None


@dataclass(frozen=True)
class Settled:
    """The worst delta(eps) of a level, and why it is so, as a certificate says it.

    `certifiable` is False where the randomizer is too large to be written into a certificate.
    """

    worst: WorstDelta
    because: object
    certifiable: bool = True


def _decided(ask: Asked, grid: Grid, level: int, way: int, exact: bool) -> Settled | None:
    """What is decided about a level, where that is that (eps, delta) is satisfied (`way` 1), or broken; else None."""
    system, promise = ask(grid.value(level))
    if way < 0 and not exact and not breaks(promise.sides(system)[0](LAST_DIGITS), promise.delta):
        return None  # real datasets are asked first: what dominates may take long
    found = Settled(promise.worst(system), None) if exact else _with_certificate(system, promise)
    shown = found is not None and (keeps if way > 0 else breaks)(found.worst.delta, promise.delta)
    return found if shown else None


def _with_certificate(system: System, promise: Promise) -> Settled | None:
    of = promise
    if uncertified(system, of.n):
        return Settled(promise.worst(system), None, certifiable=False)
    found = of.bound(system).decided(of.eps, of.delta)
    if found.worst is not None:
        _whole(found.worst)
    return None if found.worst is None else Settled(found.worst, found.because)


def _searched(walk: GridSearch, next_to_it: bool) -> Searched:
    return replace(_looked_at(walk, next_to_it), points=tuple(walk.points()))


def _looked_at(walk: GridSearch, next_to_it: bool) -> Searched:
    lemma, tried, grid = walk.grid.order.lemma, walk.evaluated, walk.grid
    if lemma is not None:
        return Searched(tried, lemma, next_to_it, f"more noise is at least as private: {lemma}")
    if grid.size is not None and grid.size <= FEW:
        return Searched(tried, None, True, "every value of the grid with less noise was tried")
    reason = f"""more noise is not proved to be more private: the distance from no noise was doubled from 2^-64 of the
    range on, until a value satisfied (eps, delta), then {BETWEEN} values of that octave were tried"""
    return Searched(tried, None, False, " ".join(reason.split()))
