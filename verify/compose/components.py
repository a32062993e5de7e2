"""Components of a composition: of one system, its pairs of neighbours as independent parts, and a profile above them
all.

A component is a pair of neighbouring datasets in one direction, as independent pairs of laws that are all seen. The
components of a system are whole if each pair of neighbours, in each direction, is dominated by one of them, at every
e^eps > 0; then so are its compositions by those of that component (lemma in verify/pairs/connect_the_dots.py). They
are whole where datasets are enumerated, and where `Reduction.attained` is a list of pairs (`Pairs`) that stands for
all: every pair of neighbours is one of them up to what is the same in both laws, or smaller as a smaller shift is
(protocols/shared/counts.py, count_reach).

In a group of g, datasets differ in at most g users. That is enumerated too; and pairs of type `ShiftedNoise` say that
a number is seen with noise, which one user shifts by so much: a group shifts it by at most g times as much, either
way, and the largest shift dominates the smaller ones.

The profile above them all has dots: upper bounds hold at every eps for all pairs of neighbours, and between few of them
chords are hardly higher (verify/pairs/connect_the_dots.py). What closes in on all dots at once may take a while
(`Closer`). The real datasets that look worst there are a pair that can be composed.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from math import prod

from flint import fmpz

from shufflecert.verify.bound.bound import Bound
from shufflecert.verify.bound.choose import PATIENT, bound_of
from shufflecert.verify.bound.closed_form import COUNTED
from shufflecert.verify.bound.enumeration import cases
from shufflecert.verify.bound.law import DatasetPair, Turned
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.enclose.interval import EnclosedPair, Interval, ToDigits, is_whole, refine, reverse
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.neighbours import Neighbourhood, Neighbours, all_pairs
from shufflecert.verify.exact.randomizer import Randomizer, System, randomizer_of
from shufflecert.verify.exact.rational import ball, dyadic, precision
from shufflecert.verify.pairs.connect_the_dots import (
    Exact,
    Point,
    breakpoints,
    dominated,
    dominating,
    largest_profile,
    mirrored,
    rounded_up,
)
from shufflecert.verify.pairs.windowed import Sums, WindowPair, independent_parts
from shufflecert.verify.progress import Progress
from shufflecert.verify.reduce import group_privacy
from shufflecert.verify.reduce.privacy_blanket import Blankets
from shufflecert.verify.reduce.reduction import Family, NamedPair, Pairs, Reduction, known_reach, users_of_group
from shufflecert.verify.systems.population import unwritten

MOST_DOTS = 64  # dots that a cover is asked for
COSTLY = 4  # digits of forms and events, which take long
STEPS = 16  # in which the last of them is looked for, below twice what is far enough
NEAREST = Fraction(1, 1 << 40)  # eps of the last dot, at least
SMALL, MIDDLING = 100_000, 1_000_000  # units up to which datasets are enumerated: with a reduction, without one
DIGITS = 9  # of divergences that become dots
MOST_BITS = 4_000_000  # of enumerated laws of which the worst profile is computed
LONG = 1000  # outcomes of a pair that dots stand for
COARSE = 16  # dots of a first look, which tells how far they should go
FEW = 32  # dots where each takes long
NEAR = 3  # enumerated pairs that are kept for each eps where all are too many

NOBODY = Neighbours("", "", None)  # of a pair that belongs to no datasets
FIRST, FARTHEST = Fraction(1, 8), Fraction(64)  # eps of the last dot

Listed = list[tuple[Neighbours, Pair]]
Above = Callable[[Fraction], Fraction]


def powers(last: Fraction, points: int) -> list[Fraction]:
    """Rationals near e^eps for `points` + 1 evenly spaced eps from 0 to `last`, a dyadic rational."""
    return [power(last * i / points) for i in range(points + 1)]


def power(eps: Fraction) -> Fraction:
    """e^eps for eps >= 0, rounded to 32 bits more than eps has after the point: different for different eps."""
    bits = 32 + eps.denominator.bit_length()
    with precision(bits + 128):
        return Fraction(round(dyadic(ball(eps).exp().mid()) * 2**bits), 2**bits)


@dataclass
class Closer:
    """A Bound whose curve is closer than one eps after the other. `attained` are pairs of real datasets.

    Of the last question `last` is the eps of the last dot.
    """

    bound: Bound
    attained: Family
    last: Fraction = Fraction(0)

    def dots(self, last: Fraction, least: Fraction, points: int) -> list[Point]:
        """Upper bounds on the largest delta at up to so many e^eps, evenly from eps = 0 to `last` at most.

        They end where real datasets have no more than `least`: what is true is nearer to that than what is proved.
        """
        self.last = self._end(last, least)
        grid = powers(self.last, min(points, MOST_DOTS))
        curve = self.bound.curve([Eps.log(x) for x in grid])
        if curve.scope.stopped:
            raise KeyboardInterrupt
        return [(x, Fraction(value.enclosure()[1])) for x, (_, value) in zip(grid, curve.points, strict=True)]

    def _end(self, last: Fraction, least: Fraction) -> Fraction:
        few: Family | None = None  # those that have more than `least` where it was last asked

        def reached(eps: Fraction) -> bool:
            nonlocal few
            at = Eps.of(eps)
            if few is not None and few.worst(at, COSTLY, least)[0].low > least:
                return False
            if self.attained.worst(at, COSTLY, least)[0].low <= least:
                return True
            few = self.attained.narrowed(at)
            return False

        if last > STEPS * NEAREST and reached(STEPS * NEAREST):
            return STEPS * NEAREST
        while last > STEPS * NEAREST and reached(last / 2):
            last /= 2
        steps = (last * k / STEPS for k in range(STEPS // 2 + 1, STEPS))
        return next((step for step in steps if reached(step)), last)


@dataclass(frozen=True, eq=False)
class Component:
    """A pair of neighbouring datasets in one direction, as a product of independent pairs of laws, its parts.

    `exact` where the pair is known exactly; `blind`, and no parts, where its outcomes cannot be listed.
    """

    parts: tuple[WindowPair, ...]
    neighbours: Neighbours
    exact: Pair | None = None
    blind: EnclosedPair | None = None

    def drawn(self, powers: Sequence[Fraction], above: Above) -> "Component":
        """For a component without parts, a pair that it dominates, by connect-the-dots at these e^eps and inverses.

        `above` bounds the divergence of every pair of neighbours, where the pair's own upper bound may bound less: that
        of an event is no bound on all events.
        """
        if self.blind is None:
            return self
        points: list[tuple[Fraction, Fraction, Fraction]] = []
        for pair, forth in ((self.blind, True), (reverse(self.blind), False)):
            if forth or pair != self.blind:
                at = [Eps.log(x) for x in powers]
                values = pair.at(at) if isinstance(pair, DatasetPair | Turned) else [_value(pair, eps) for eps in at]
            for x, value in zip(powers, values, strict=True):
                high = value.high if is_whole(pair) else above(x)
                low, high = min(value.low, high), min(high, Fraction(1))
                rest = 1 - 1 / x  # see connect_the_dots.mirrored
                points.append((x, low, high) if forth else (1 / x, rest + low / x, rest + high / x))
        return replace(self, parts=(Exact(dominated(points, self.blind.infinity_mass())),), blind=None)

    def listed(self) -> "Component":
        """With the outcomes of a pair of windows as they are."""
        return replace(self, parts=(self.blind,), blind=None) if isinstance(self.blind, WindowPair) else self

    def reversed(self) -> "Component":
        """The same datasets in the other direction; not for a component without parts."""
        names = Neighbours(self.neighbours.target, self.neighbours.source, self.neighbours.others)
        return Component(
            tuple(part.reversed() for part in self.parts), names, self.exact.reversed() if self.exact else None
        )

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0)."""
        pairs = [self.blind] if self.blind is not None else self.parts
        return 1 - prod((1 - pair.infinity_mass() for pair in pairs), start=Fraction(1))


@dataclass(frozen=True, eq=False)
class SystemProfile:
    """What composition needs of one system: its components, and an upper bound on its privacy profile.

    D(x) <= above(x) for x = e^eps >= 1, D the largest curve of all pairs of neighbours. `infinity_mass` is a lower
    bound on P(Q = 0) of the worst pair. `top` makes a pair whose curve is D itself, where that is known. `near` gives
    real pairs that have a large delta at some eps, in one direction or in both. `stands_for` counts the pairs of
    neighbours, None where they are too many. `grouped` is False where a group was asked for and only one user's
    divergences are known: then the whole profile is about one user, and only the pairs that `near` gives are about the
    group. `mixtures` where users may hold mixtures of inputs as well: since a divergence is convex in (P, Q), that is
    no worse than inputs which differ from run to run. `costly` where each dot takes long; `closer` has closer ones,
    which take a while; `bound` is what is known of one run.
    """

    bound: Bound
    sides: Sequence[Component]
    whole: bool
    above: Above
    infinity_mass: Fraction
    by: str
    stands_for: int | None
    near: Callable[[Sequence[Eps]], list[Component]]
    top: Callable[[], Pair] | None = None
    grouped: bool = True
    mixtures: bool = False
    costly: bool = False
    closer: Closer | None = None

    def dots(self, points: int) -> int:
        """How many of so many dots its curve gets."""
        return min(points, FEW) if self.costly else points

    def dotted(self, last: Fraction, points: int, progress: Progress | None = None) -> Pair:
        """A pair that dominates all neighbours: `top`, or connect-the-dots with dots from eps = 0 to `last`."""
        if self.top is not None:
            return self.top()
        grid, dots = powers(last, self.dots(points)), list[Point]()
        dots += [(x, rounded_up(self.above(x))) for x in (progress(grid, len(grid)) if progress else grid)]
        if self.closer is not None and points > COARSE:
            closer = self.closer.dots(last, self.above(power(last)), points)
            dots += [(x, rounded_up(value)) for x, value in closer]
        return dominating(mirrored(dots))

    @property
    def first(self) -> Fraction:
        """An eps of the last dot, to begin with."""
        return FIRST

    def further(self, last: Fraction, room: Fraction) -> Fraction:
        """A better last dot: twice as far where more than `room` is beyond it, half as far where that is enough."""
        if last < FARTHEST and not self.reached(last, room):
            return 2 * last
        return last / 2 if last > NEAREST and self.reached(last / 2, room) else last

    def reached(self, last: Fraction, room: Fraction) -> bool:
        """Whether the curve is no more than `room` above its end at this eps."""
        return self.above(power(last)) - self.infinity_mass <= room


def known(question: Question, effort: Effort, group: int = 1) -> SystemProfile:
    """The profile and components of a system of n users; enumeration goes less far unless the effort's `work` is given.

    Raises as verify.bound.choose.bound_of does, and BadInput for a group of more than n users.
    """
    system, n = question.protocol, question.n
    counted, reach = users_of_group(system, n, group), known_reach(system, n)
    limit = effort.work or (MIDDLING if reach is None else SMALL)
    bound = bound_of(question, replace(effort, work=limit)).within(effort.work or PATIENT)
    mixed = reach is not None and reach.inputs is None
    if bound.around is not None:
        return replace(_enumerated(bound, bound.around, group, limit), mixtures=mixed)
    quick = bound.within(0)
    assert quick.reach is not None
    found = replace(_reduced(bound, quick.reach, counted, group, system), mixtures=mixed)
    if quick is bound:
        return found
    closer = Closer(bound, quick.reach.attained)

    def near(guesses: Sequence[Eps]) -> list[Component]:
        named = bound.lower(guesses[len(guesses) // 2], COSTLY)[1] if found.grouped else None
        if named is None:
            return found.near(guesses)
        side = Component((), named.neighbours, None, named.pair)
        others = found.near(guesses) if reach is not None and reach.table is None else []  # a system's own quick pairs
        return [side if _long(side) else side.listed(), *others]

    return replace(found, closer=closer, by=f"{found.by}; {bound.by}", near=near)


def _long(side: Component) -> bool:
    """Whether a pair of windows has so many outcomes that dots on its curve stand for it."""
    pair = side.blind
    return isinstance(pair, DatasetPair) and (pair.cells > LONG or pair.infinity_mass() > 0)


def _value(pair: EnclosedPair, eps: Eps) -> Interval:
    if isinstance(pair, ToDigits):
        return pair.enclosure(eps, COSTLY)
    return refine(partial(pair.divergence, eps), DIGITS)


# Enumerated ----------------------------------------------------------------------------------------------------------


def _enumerated(bound: Bound, around: Neighbourhood, group: int, max_work: int) -> SystemProfile:
    grouped = group == 1 or group_privacy.work(around, group) <= max_work
    listed: Listed = [(case.neighbours, case.pair) for case in cases(around)]
    if group > 1 and grouped:
        listed = list(group_privacy.enumerated(around, group))
    different: dict[object, Component] = {}
    for neighbours, pair in listed:
        laws = pair.merged()
        different.setdefault((tuple(laws.p), tuple(laws.q)), Component((Exact(laws),), neighbours, laws))
    sides = list(different.values()) or [_nothing()]
    exact = [side.exact for side in sides if side.exact]
    short = sum(len(pair.p) * pair.denominator.bit_length() for pair in exact) <= MOST_BITS
    profile = cache(lambda: largest_profile(exact))
    sums = cache(lambda: [Sums.of(pair) for pair in exact])

    def near(guesses: Sequence[Eps]) -> list[Component]:
        chosen: dict[int, Component] = {}
        for eps in guesses:
            t = eps.bounds(64)[1]
            ranked = sorted(range(len(sides)), key=[one.positive_part(t) for one in sums()].__getitem__, reverse=True)
            chosen |= {i: sides[i] for i in ranked[:NEAR]}
        return list(chosen.values())

    return SystemProfile(
        bound,
        sides,
        True,
        (lambda x: profile().at(x)) if short else cache(lambda x: max(one.positive_part(x) for one in sums())),
        max(side.infinity_mass() for side in sides),
        "enumeration of datasets",
        around.all_pairs if group == 1 else None,
        near,
        cache(lambda: dominating(mirrored(breakpoints(profile())))) if short else None,
        grouped,
    )


def _nothing() -> Component:
    """What a system shows that has no neighbours: one outcome."""
    same = Pair([fmpz(1)], [fmpz(1)], fmpz(1))
    return Component((Exact(same),), NOBODY, same)


def _reduced(bound: Bound, reach: Reduction, n: int, group: int, system: Randomizer | System) -> SystemProfile:
    in_groups = group_privacy.shifts(reach, group) if group > 1 else None
    grouped, reach = group == 1 or in_groups is not None, in_groups or reach
    members = list(reach.attained.members) if isinstance(reach.attained, Pairs) else None
    alone = members is not None and reach.dominating is None
    sides = [_side(member) for member in members or ()]
    upper = reach.dominating or reach.attained
    digits = COSTLY if isinstance(upper, Blankets) else DIGITS

    @cache
    def above(x: Fraction) -> Fraction:
        at = Eps.log(x)
        return min(upper.worst(at, digits)[0].high, Fraction(1))

    def near(guesses: Sequence[Eps]) -> list[Component]:
        found = members
        if found is None:
            worst = [reach.attained.worst(eps, COSTLY)[1] for eps in guesses]
            found = list({str(named.neighbours): named for named in worst if named is not None}.values())
        some = [_side(named) for named in found]
        if members is None or not grouped:
            some += _counted(system, [named.neighbours for named in found], group, n)
        backs = [reverse(side.blind) if side.blind is not None else None for side in some]
        chosen = [side for i, side in enumerate(some) if side.blind is None or side.blind not in backs[:i]]
        return chosen or [_nothing()]

    few = reach.inputs is not None and min(reach.inputs, n) <= COUNTED and group == 1
    return SystemProfile(
        bound,
        sides,
        alone and not any(side.blind for side in sides),
        above,
        upper.infinity_mass(),
        reach.by,
        all_pairs(reach.inputs, n - 1, reach.presence) if few and reach.inputs else None,
        near,
        grouped=grouped,
        costly=upper.costly,
    )


def _counted(system: Randomizer | System, around: Sequence[Neighbours], group: int, n: int) -> list[Component]:
    """Components from datasets where the number of one message, or of two, tells all there is to tell.

    For groups of two and more also where it does not. Of the pairs in `around`, and with all others on one of their
    two inputs: what is worst in one run need not be worst in many.
    """
    if unwritten(system):
        return []
    randomizer = randomizer_of(system)
    if group == 1 and len(randomizer.messages) > 2:
        return []
    ends = dict.fromkeys((one.source, one.target) for one in around)
    extreme = [Neighbours(x, y, {z: n - 1}) for x, y in ends for z in (x, y) if z in randomizer.inputs]
    pairs = group_privacy.counted(randomizer, [*(around if group > 1 else ()), *extreme], group, n)
    return [Component(parts, names) for pair, names in pairs if (parts := independent_parts(pair)) is not None]


def _side(named: NamedPair) -> Component:
    parts = independent_parts(named.pair)
    return Component((), named.neighbours, None, named.pair) if parts is None else Component(parts, named.neighbours)
