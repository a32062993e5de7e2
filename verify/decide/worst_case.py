"""The worst over all neighbouring datasets: delta, eps and the privacy profile, with the scope of the answer.

There are two ways: enumeration of datasets, exact, where it is cheap; else a reduction, the one that the system proves
of itself (its method `reach`), or for a randomizer about which nothing is proved the privacy blanket
(`verify.reduce.privacy_blanket`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from flint import fmpq, fmpz

from verify.bound.cover import BY as BY_COVER
from verify.bound.cover import TOLERANCE, Cover, Tick
from verify.bound.cover import WORK as COVER_WORK
from verify.enclose.interval import Interval
from verify.enclose.noise_laws import MAX_TRIALS
from verify.errors import BadInput
from verify.exact.epsilon import MAX_BITS, Delta, Eps
from verify.exact.hockey_stick import Profile
from verify.exact.neighbours import (
    MAX_WORK,
    Case,
    Neighbourhood,
    Neighbours,
    Scope,
    all_pairs,
    neighbourhood,
    unchecked,
)
from verify.exact.randomizer import EVERYBODY, NOBODY, Randomizer, System, randomizer_of
from verify.exact.rational import DIGITS, natural, probability, rational
from verify.exact.views import view_of
from verify.progress import Progress
from verify.reduce.presence import known_reach
from verify.reduce.privacy_blanket import reach_of
from verify.reduce.pure import HERE, fewer_users, pure_epsilon
from verify.reduce.reduction import Found, Reduction, worst_delta, worst_epsilon
from verify.systems.population import declared, presence_of, unwritten

UNITS = 5  # of a cover's work, for one of boxes
QUICK, PATIENT = 6_000_000, 30_000_000  # units up to which enumeration goes before an exact, a two-sided reduction
WIDE = Fraction(101, 100)  # upper end over lower end from which on fewer users are asked as well
SHORT = 1000  # outputs of a table whose ends are looked at for delta = 0
ENUMERATED = 10**9  # users up to which certificates of enumeration are read
MOST_COORDINATES = 10_000_000  # of a table's points, of which boxes hold a dozen copies: about a gigabyte
COUNTED = 200  # inputs, or users, up to which the pairs of datasets are counted: below 4300 digits


@dataclass(frozen=True)
class WorstDelta:
    """The largest delta(eps) with its scope: exact (`Delta`) by enumeration, or enclosed by a reduction."""

    delta: Delta | Interval
    scope: Scope
    eps: Eps


@dataclass(frozen=True)
class WorstEpsilon:
    """The smallest eps with its scope: exact, or enclosed in [low, high].

    `eps` is the exact value, where there is one; else `interval` is (low, high), or None where no finite eps is
    enough. `high` is None where no finite eps is shown to keep the delta asked for.
    """

    eps: Eps | None
    scope: Scope
    interval: tuple[Fraction, Fraction | None] | None = None


def enumerate_or_reduce(
    system: Randomizer | System,
    n: object,
    view: str,
    max_work: int | None,
    others: Mapping[str, int] | None = None,
    tolerance: Fraction = TOLERANCE,
    tick: Tick | None = None,
    boxes: int | None = None,
) -> Neighbourhood | Reduction:
    """Choose how the worst is found: enumeration where it is cheap or within `max_work`, else a reduction.

    With `others` only the datasets whose other users hold these inputs count. A randomizer on a line, about which
    nothing else is known, is bounded to the relative `tolerance`; `tick` is told the interval so far, and `boxes` is
    the work for that, where it is not `max_work`. Raises BadInput, and TooMuchWork where there is no reduction and
    enumeration is too much.
    """
    users, who = natural(n, "n", most=MAX_TRIALS), presence_of(system)
    counted = who.counted(users)
    if others is not None:
        if view != "shuffled":
            raise BadInput(f"others: {view} view: expected the shuffled view, the others drop out of the other two")
        return replace(reach_of(randomizer_of(system), counted, others), presence=who)
    own, written = declared(system), unwritten(system) is None
    proved = own is not None and own.offers("reach")
    if view != "shuffled" or (counted == 1 and (written or not proved)):
        around = unchecked(randomizer_of(system), users, view, max_work or MAX_WORK, who)
        if view != "shuffled" or not proved:
            around.check_work()
        if around.affordable:
            return around
    reach = known_reach(system, users)
    limit = max_work or (QUICK if reach is not None and reach.dominating is None else PATIENT)
    if (
        written
        and users <= ENUMERATED
        and (around := unchecked(randomizer_of(system), users, view, limit, who)).affordable
    ):
        return around
    if reach is not None:
        if reach.table is None:
            return reach
        cover = _covered(reach.table, counted, tolerance, boxes or max_work, tick)
        return _closed_in(cover, reach)
    if counted == 1:
        unchecked(randomizer_of(system), users, view, limit, who).check_work()
    found = _of_a_stranger(randomizer_of(system), counted, tolerance, boxes or max_work, tick)
    return replace(found, presence=who)


def _of_a_stranger(
    randomizer: Randomizer, n: int, tolerance: Fraction, max_work: int | None, tick: Tick | None
) -> Reduction:
    """The reduction of a randomizer about which nothing is proved: its cover, and its blanket beside.

    Of a table whose points would take gigabytes, its blanket alone.
    """
    natural(n, "n")  # up to 10^9: what is tried takes ever longer
    view = view_of(randomizer)
    if sum(map(len, view.rows)) * len(view.kept) > MOST_COORDINATES:
        return reach_of(randomizer, n)
    cover = _covered(randomizer, n, tolerance, max_work, tick)
    found = _closed_in(cover, reach_of(randomizer, n))
    if NOBODY in randomizer.rows:
        return found
    found = replace(found, cover=cover.shown)
    return replace(found, pure=partial(pure_epsilon, randomizer, n), fewer=partial(fewer_users, randomizer, n))


def _closed_in(cover: Cover, reach: Reduction) -> Reduction:
    """A reduction whose questions a cover answers."""
    return replace(reach, by=BY_COVER, epsilon=cover.epsilon, delta=cover.delta, curve=cover.curve, near=cover.near)


def _covered(randomizer: Randomizer, n: int, tolerance: Fraction, max_work: int | None, tick: Tick | None) -> Cover:
    return Cover(randomizer, n, tolerance, max_work * UNITS if max_work else COVER_WORK, tick)


def for_many_eps(way: Neighbourhood | Reduction, system: Randomizer | System, n: int) -> Neighbourhood | Reduction:
    """The reduction to use for delta at thousands of eps: the privacy blanket, where covers by boxes or blocks
    (`Reduction.curve`), which are closer, would take too long at each eps.
    """
    if isinstance(way, Neighbourhood) or way.curve is None:
        return way
    return replace(reach_of(randomizer_of(system), way.presence.counted(n)), presence=way.presence, fewer=way.fewer)


def fewer_where(reach: Reduction, low: Fraction, high: Fraction | None, stopped: bool) -> Neighbourhood | None:
    """The datasets of fewer users to be asked for an upper bound, where the two ends are wide apart, else None."""
    wide = high is None or high > low * WIDE
    return reach.fewer() if reach.fewer is not None and wide and not stopped else None


def by_fewer(around: Neighbourhood) -> str:
    """The words for an upper bound that fewer users show."""
    return f"; upper bound: what {around.n} user{'s have' if around.n > 1 else ' has'}, by enumeration, {HERE}"


def scope_of(reach: Reduction, n: int, found: Found) -> Scope:
    """The scope of an answer that was found by a reduction."""
    who = reach.presence
    others = who.counted(n) - 1
    return Scope(
        "shuffled",
        n,
        found.pairs,
        None if reach.inputs is None or min(reach.inputs, n) > COUNTED else all_pairs(reach.inputs, others, who),
        found.worst.neighbours.deleted(who) if found.worst else None,
        (found.by or reach.by) + found.note,
        who,
        datasets=reach.datasets,
        two_sided=reach.two_sided,
        stopped=found.stopped,
    )


def delta(
    system: Randomizer | System,
    n: object = 1,
    eps: object = 0,
    view: str = "shuffled",
    *,
    others: Mapping[str, int] | None = None,
    max_work: int | None = None,
    tolerance: Fraction = TOLERANCE,
    enough: Fraction = Fraction(0),
    progress: Progress | None = None,
    tick: Tick | None = None,
    boxes: int | None = None,
) -> WorstDelta:
    """The largest delta(eps) over all neighbouring datasets of n users, both directions.

    eps in nats, delta a probability. Exact, A - B e^eps, where datasets are enumerated; else an enclosure, to 30 digits
    or between real datasets and a dominating pair, as the scope says; enclosures up to `enough` may have any lower
    bound. `max_work` sets how far enumeration goes, `tolerance` how close the two sides of an interval are brought, and
    `tick` is told of it. With Ctrl-C the interval reached so far is the answer
    (`Scope.stopped`). Raises BadInput, and TooMuchWork where enumeration would exceed `max_work` and nothing else is
    known.
    """
    at, way = Eps.of(eps), enumerate_or_reduce(system, n, view, max_work, others, tolerance, tick, boxes)
    if isinstance(way, Neighbourhood):
        return worst_case(way, at, progress)[0]
    found = worst_delta(way, at, enough=enough)
    if (
        found.value.high > enough
        and (few := fewer_where(way, found.value.low, found.value.high, found.stopped)) is not None
    ):
        found = _no_more(found, Fraction(worst_case(few, at)[0].delta.enclosure()[1]), few)
    return WorstDelta(found.value, scope_of(way, natural(n, "n", most=MAX_TRIALS), found), at)


def _no_more(found: Found, most: Fraction, few: Neighbourhood) -> Found:
    if most >= found.value.high:
        return found
    return replace(found, value=Interval(found.value.low, most), note=found.note + by_fewer(few))


def worst_case(
    around: Neighbourhood, eps: Eps, progress: Progress | None = None, max_bits: int = MAX_BITS
) -> tuple[WorstDelta, Case | None]:
    """The largest delta(eps) of a neighbourhood and the case that attains it (None when there is a single input).

    Raises Undecided where `max_bits` bits of e^eps do not decide a comparison.
    """
    best, worst, pairs = Delta(fmpz(0), fmpz(0), fmpz(1), eps), None, 0
    for case in cases(around, progress):
        pairs += 1
        value = case.pair.delta(eps, max_bits)
        if worst is None or value.minus(best).sign(max_bits) > 0:
            best, worst = value, case
    return WorstDelta(best, around.scope(pairs, worst.neighbours if worst else None), eps), worst


def epsilon(
    system: Randomizer | System,
    n: object = 1,
    delta: object = 0,
    view: str = "shuffled",
    *,
    others: Mapping[str, int] | None = None,
    max_work: int | None = None,
    tolerance: Fraction = TOLERANCE,
    progress: Progress | None = None,
    tick: Tick | None = None,
    boxes: int | None = None,
) -> WorstEpsilon:
    """The smallest eps with delta(eps) <= delta for all neighbouring datasets of n users.

    Exactly log(p/q), or None, where datasets are enumerated; else an interval. Raises as `delta` does.
    """
    bound = probability(delta, "delta")
    around = enumerate_or_reduce(system, n, view, max_work, others, tolerance, tick, boxes)
    if isinstance(around, Reduction):
        known = (
            None if bound or others is not None else _pure_of_table(system, natural(n, "n", most=MAX_TRIALS), around)
        )
        low, high, found = known or worst_epsilon(around, bound)
        if bound and low is not None and (few := fewer_where(around, low, high, found.stopped)) is not None:
            enough = _least_power(few, bound)[0]
            most = None if enough is None else Fraction(Eps.log(rational(enough)).enclosure(DIGITS)[1])
            if most is not None and (high is None or most < high):
                high, found = most, replace(found, note=found.note + by_fewer(few))
        scope = scope_of(around, natural(n, "n", most=MAX_TRIALS), found)
        exact = Eps.of(0) if high == 0 else found.exact
        return WorstEpsilon(exact, scope, None if low is None else (low, high))
    power, worst, pairs = _least_power(around, bound, progress)
    return WorstEpsilon(None if power is None else Eps.log(rational(power)), around.scope(pairs, worst))


def _pure_of_table(
    system: Randomizer | System, n: int, reach: Reduction
) -> tuple[Fraction | None, Fraction | None, Found] | None:
    """What the ends of a short table say of delta = 0 (verify/reduce/pure.py), where that is all."""
    if reach.pure is not None or reach.presence != EVERYBODY or unwritten(system) is not None:
        return None
    randomizer = randomizer_of(system)
    if NOBODY in randomizer.rows or sum(map(len, randomizer.rows.values())) > SHORT:
        return None
    low, high, found = pure_epsilon(randomizer, n)
    return (low, high, found) if low is None or found.exact is not None else None


def _least_power(
    around: Neighbourhood, bound: Fraction, progress: Progress | None = None
) -> tuple[fmpq | None, Neighbours | None, int]:
    """(the smallest e^eps that keeps the bound, None where none does; the case that needs it; how many were seen)."""
    power, worst, pairs = fmpq(1), None, 0
    for case in cases(around, progress):
        pairs += 1
        if worst is None or not case.pair.within(power, bound):
            reached = case.pair.epsilon_power(bound, power)
            if reached is None:
                return None, case.neighbours, pairs
            if worst is None or reached > power:
                power, worst = reached, case.neighbours
    return power, worst, pairs


def profile(
    system: Randomizer | System,
    n: object = 1,
    view: str = "shuffled",
    *,
    max_work: int | None = None,
    progress: Progress | None = None,
) -> Profile:
    """The privacy profile, delta as an exact piecewise-linear function of e^eps >= 1: the largest over all neighbours.

    Raises as `delta` does.

        >>> privacy_profile(system("krr", k=2, gamma="1/2"), n=1).delta(Eps.of("log(2)"))
        0.25
    """
    result = Profile.envelope([(fmpq(0), fmpq(0))])
    around = neighbourhood(randomizer_of(system), n, view, max_work or MAX_WORK, presence_of(system))
    for case in cases(around, progress):
        result = result.maximum(case.pair.profile())
    return result


def cases(around: Neighbourhood, progress: Progress | None = None) -> Iterable[Case]:
    """The representatives of a neighbourhood with their pairs of laws, through a progress bar where one is given."""
    chosen = around.representatives()
    walk = around.cases(chosen)
    return progress(walk, sum(len(pairs) for pairs in chosen.values())) if progress else walk
