"""The maker of Bounds from a reduction: few pairs of neighbours that are attained, and few that dominate all others.

A system proves one of itself (its method `reach`); of any table there is the privacy blanket's
(verify/reduce/privacy_blanket.py). Beside it a table may be asked for fewer users (verify/reduce/pure.py).
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Protocol

from shufflecert.verify import certificate as writing
from shufflecert.verify.bound.bound import Bound, Certified, Claim, Curve, WorstDelta, WorstEpsilon, common_scope
from shufflecert.verify.bound.enumeration import Enumeration, least_power, worst_case
from shufflecert.verify.bound.evidence import Proof, Tree, by_pairs, ends_of, refutation
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.neighbours import Neighbourhood, Scope, all_pairs, unchecked
from shufflecert.verify.exact.randomizer import EVERYBODY, Randomizer
from shufflecert.verify.exact.rational import DIGITS, rational
from shufflecert.verify.reduce.pure import HERE, MOST_USERS, WORK, fewer_users, pure_epsilon
from shufflecert.verify.reduce.reduction import Found, NamedPair, Reduction, worst_delta, worst_epsilon
from shufflecert.verify.systems.population import unwritten

WIDE = Fraction(101, 100)  # upper end over lower end from which on fewer users are asked as well
SHORT = 1000  # outputs of a table whose ends are looked at for delta = 0
QUICK = 100_000  # users beyond which a search between two ends goes on only as long as a verdict needs
COUNTED = 200  # inputs, or users, up to which the pairs of datasets are counted: below 4300 digits


@dataclass(frozen=True)
class ClosedForm:
    """The worst between attained and dominating pairs, exact where these are one family.

    `table`, where given, is a randomizer whose fewer users are asked as well where the two ends are wide apart.
    """

    question: Question
    effort: Effort
    reach: Reduction
    table: Randomizer | None = None
    closely: dict[tuple[Eps, Fraction], Found] = field(init=False, repr=False, compare=False, default_factory=dict)

    around = covers = None  # neither datasets nor their compositions are gone through

    @property
    def by(self) -> str:
        """In words."""
        return self.reach.by

    def within(self, work: int) -> Bound:
        """Itself: nothing is searched."""
        return self

    @property
    def stated(self) -> Bound:
        """By the pairs that certificates state, where closer ones are known."""
        if self.reach.certified is None and self.reach.attained_certified is None:
            return self
        below, above = self.reach.stated(proved=False)[1], self.reach.stated(proved=True)[1]
        return replace(self, reach=replace(self.reach, attained=below, dominating=above))

    @property
    def infinity_mass(self) -> Fraction:
        """A lower bound on the largest P(Q = 0)."""
        return self.reach.attained.infinity_mass()

    def delta(self, eps: Eps, enough: Fraction = Fraction(0)) -> WorstDelta:
        """The largest delta(eps)."""
        return with_fewer_delta(self, worst_delta(self.reach, eps, enough=enough), eps, enough)

    def epsilon(self, delta: Fraction) -> WorstEpsilon:
        """The smallest eps with delta(eps) <= delta."""
        found = pure_of(self) if not delta and self.question.others is None else None
        return with_fewer_epsilon(self, *(found or worst_epsilon(self.reach, delta)), delta)

    def decided(self, eps: Eps, delta: Fraction) -> Certified:
        """Whether the largest delta(eps) is at most this delta."""
        enough = delta if self.reach.attained.between and self.question.counted > QUICK else Fraction(0)
        if (eps, enough) not in self.closely:
            digits = min(DIGITS, self.effort.bits * 30103 // 100_000)
            self.closely[eps, enough] = worst_delta(self.reach, eps, digits, enough)
        found = self.closely[eps, enough]
        worst = WorstDelta(found.value, self.scope(found), eps)
        return with_fewer_decided(self, Claim(self.question, eps, delta), worst, found.worst)

    def scope(self, found: Found) -> Scope:
        """The scope of an answer."""
        return scope_of(self.reach, self.question.n, found)

    def lower(self, eps: Eps, digits: int = DIGITS) -> tuple[Interval, NamedPair | None]:
        """What the attained pairs have."""
        value, named, _ = self.reach.attained.worst(eps, digits)
        return value, named

    def upper(self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)) -> Interval:
        """What the dominating pairs have."""
        return (self.reach.dominating or self.reach.attained).worst(eps, digits, enough)[0]

    def curve(self, eps: Sequence[Eps], enough: Fraction = Fraction(-1)) -> Curve:
        """The largest delta at each eps, one after the other."""
        values: list[Delta | Interval] = []
        scopes = []
        for at in self.effort.progress(eps, len(eps)) if self.effort.progress else eps:
            found = worst_delta(self.reach, at)
            values.append(found.value)
            scope = self.scope(found)
            scopes.append(scope if found.value.high else replace(scope, worst=None))
            if found.value.high <= enough:
                break
        curve = Curve(tuple(zip(eps, values, strict=False)), common_scope(scopes), self.infinity_mass)
        return with_fewer_curve(self, curve)


def scope_of(reach: Reduction, n: int, found: Found) -> Scope:
    """The scope of an answer that was found by a reduction."""
    who = reach.presence
    others = who.counted(n) - 1
    whole = None if reach.inputs is None or min(reach.inputs, n) > COUNTED else all_pairs(reach.inputs, others, who)
    return Scope(
        "shuffled",
        n,
        found.pairs if whole is None else min(found.pairs, whole),  # boxes and blankets are asked of some twice
        whole,
        found.worst.neighbours.deleted(who) if found.worst else None,
        (found.by or reach.by) + found.note,
        who,
        datasets=reach.datasets,
        two_sided=reach.two_sided,
        stopped=found.stopped,
    )


# What else is known of a table, where the two ends are wide apart or delta is 0 ---------------------------------------


class Reduced(Bound, Protocol):
    """A Bound by a reduction, of a table whose fewer users may be asked."""

    @property
    def reach(self) -> Reduction:
        """The pairs."""

    @property
    def table(self) -> Randomizer | None:
        """The table whose fewer users may be asked, if any."""

    def scope(self, found: Found) -> Scope:
        """The scope of an answer."""


def pure_of(bound: Reduced) -> tuple[Fraction | None, Fraction | None, Found] | None:
    """The smallest eps with delta(eps) = 0 as the ends of numbers of messages tell it, and fewer users.

    Of the system's own table, if it is short, only where that is all there is to say (verify/reduce/pure.py).
    """
    asked = bound.question
    if bound.reach.pure is not None:
        return bound.reach.pure()
    if bound.table is not None:
        return pure_epsilon(bound.table, asked.counted)
    if unwritten(asked.protocol) is not None:
        return None
    randomizer = asked.randomizer
    if sum(map(len, randomizer.rows.values())) > SHORT:
        return None
    low, high, found = pure_epsilon(randomizer, asked.counted)
    return (low, high, found) if low is None or found.exact is not None else None


def _fewer(bound: Reduced, low: Fraction, high: Fraction | None) -> Neighbourhood | None:
    """The datasets of fewer users to be asked for an upper bound, where the two ends are wide apart, else None."""
    if bound.table is None or (high is not None and high <= low * WIDE):
        return None
    return fewer_users(bound.table, bound.question.counted)


def _by_fewer(around: Neighbourhood) -> str:
    """The words for an upper bound that fewer users show."""
    return f"; upper bound: what {around.n} user{'s have' if around.n > 1 else ' has'}, by enumeration, {HERE}"


def with_fewer_delta(bound: Reduced, found: Found, eps: Eps, enough: Fraction) -> WorstDelta:
    """An answer about delta, with what fewer users have where that is less."""
    low, high = found.value.low, found.value.high
    if high > enough and not found.stopped and (few := _fewer(bound, low, high)) is not None:
        most = Fraction(worst_case(few, eps)[0].delta.enclosure()[1])
        if most < high:
            found = replace(found, value=Interval(low, most), note=found.note + _by_fewer(few))
    return WorstDelta(found.value, bound.scope(found), eps)


def with_fewer_decided(
    bound: Reduced, claim: Claim, worst: WorstDelta, attains: NamedPair | None, proof: Proof | None = None
) -> Certified:
    """The verdict from an enclosure of the worst; of a table also PROVED by what fewer users have, and for delta = 0
    REFUTED by an end.
    """
    own = bound.reach.pure is not None and unwritten(claim.question.protocol) is None
    table = claim.question.randomizer if own else bound.table
    if bound.reach.mechanism is not None or table is None:
        return by_pairs(claim, bound.reach, worst, attains, proof)
    if claim.delta == 0 and (ended := _by_an_end(bound, claim, worst)) is not None:
        return ended
    decided = by_pairs(claim, bound.reach, worst, attains, proof)
    if decided.verdict != "UNDECIDED" or not isinstance(worst.delta, Interval):
        return decided
    if (found := by_fewer(claim, table, claim.question.counted, bound.effort)) is None:
        return decided
    users, fewer, because = found
    high = max(Fraction(fewer.delta.enclosure()[1]), worst.delta.low)
    by = f"what {users} user{'s need' if users > 1 else ' needs'}, by enumeration, is enough; {HERE}"
    scope = replace(worst.scope, by=by, pairs=fewer.scope.pairs, two_sided=True)
    return Certified(claim, "PROVED", replace(worst, delta=Interval(worst.delta.low, high), scope=scope), because)


def by_fewer(claim: Claim, table: Randomizer, most: int, effort: Effort) -> tuple[int, WorstDelta, Tree] | None:
    """The first of 1, 2, 4, ... users, at most so many, who keep a claim, the worst of them, and the proof by them.

    None where none are known to, as far as they are enumerated in about a second.
    """
    users = 1
    while users <= min(most, MOST_USERS):
        around = unchecked(table, users, "shuffled", WORK, EVERYBODY)
        if not around.affordable:
            break
        fewer = Enumeration(claim.question, effort.silent, around).decided(claim.eps, claim.delta)
        if fewer.verdict == "PROVED" and fewer.worst is not None:
            classes = [around.view.inputs[group[0]] for group in around.view.classes]
            return users, fewer.worst, writing.of_fewer(ends_of(table), classes, users - 1)
        users *= 2
    return None


def _by_an_end(bound: Reduced, claim: Claim, worst: WorstDelta) -> Certified | None:
    """REFUTED for delta = 0, if eps is less than an end of the numbers of messages needs."""
    if (pure := pure_of(bound)) is None or (because := by_an_end(claim, pure)) is None:
        return None
    return Certified(claim, "REFUTED", replace(worst, scope=bound.scope(pure[2])), because)


def by_an_end(claim: Claim, pure: tuple[Fraction | None, Fraction | None, Found]) -> Tree | None:
    """The refutation of delta = 0 by the datasets of an end; None where eps is enough for it, or they do not show it.

    `pure` is what is found of the smallest eps with delta(eps) = 0.
    """
    low, _, found = pure
    below = low is None or Fraction(claim.eps.enclosure(DIGITS)[1]) < low
    if not below or found.worst is None or found.worst.threshold is None:
        return None
    with suppress(Undecided):
        return refutation(claim, claim.question.randomizer, found.worst)
    return None


def with_fewer_epsilon(
    bound: Reduced, low: Fraction | None, high: Fraction | None, found: Found, delta: Fraction
) -> WorstEpsilon:
    """An answer about eps, with what fewer users need where that is less."""
    if delta and low is not None and not found.stopped and (few := _fewer(bound, low, high)) is not None:
        enough = least_power(few, delta)[0]
        most = None if enough is None else Fraction(Eps.log(rational(enough)).enclosure(DIGITS)[1])
        if most is not None and (high is None or most < high):
            high, found = most, replace(found, note=found.note + _by_fewer(few))
    scope = bound.scope(found)
    return WorstEpsilon(Eps.of(0) if high == 0 else found.exact, scope, None if low is None else (low, high))


def with_fewer_curve(bound: Reduced, curve: Curve) -> Curve:
    """A curve with what fewer users have in the place of upper bounds far above; these are enumerated once for all."""
    ends = [(value.low, value.high) for _, value in curve.points if isinstance(value, Interval)]
    low, high = max(ends, key=lambda both: both[1] > both[0] * WIDE, default=(Fraction(0), Fraction(0)))
    if (few := _fewer(bound, low, high)) is None:
        return curve
    points, closer = list(curve.points), False
    of_few = Enumeration(bound.question, bound.effort.silent, few).curve([at for at, _ in points])
    for i, ((at, value), (_, most)) in enumerate(zip(points, of_few.points, strict=True)):
        end = Fraction(most.enclosure()[1])
        if isinstance(value, Interval) and end < value.high:
            points[i], closer = (at, Interval(value.low, end)), True
    said = replace(curve.scope, by=curve.scope.by + _by_fewer(few)) if closer else curve.scope
    return replace(curve, points=tuple(points), scope=said)
