"""The maker of Bounds by a cover of all compositions of the others, with the blanket and fewer users in its effort."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Literal

from shufflecert.verify.bound.bound import Certified, Claim, Curve, WorstDelta, WorstEpsilon, common_scope
from shufflecert.verify.bound.closed_form import (
    ClosedForm,
    pure_of,
    scope_of,
    with_fewer_curve,
    with_fewer_decided,
    with_fewer_delta,
    with_fewer_epsilon,
)
from shufflecert.verify.bound.cover import BY, STOPPED, Cover
from shufflecert.verify.bound.evidence import Shown
from shufflecert.verify.bound.in_turn import near, near_curve, near_in_eps
from shufflecert.verify.bound.question import FAINT, TINY, Effort, Question
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.neighbours import Scope
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.rational import DIGITS
from shufflecert.verify.reduce.privacy_blanket import reach_of
from shufflecert.verify.reduce.reduction import Found, NamedPair, Reduction

ROUGHLY = 30  # times the tolerance: as near are a system's own pairs to be, so that nothing is covered
USUAL = Fraction(1, 10**6)  # a delta


@dataclass(frozen=True)
class Covered:
    """The worst of a table, between real datasets and a cover.

    `rows` are the table that is covered, `reach` what else is known: the privacy blanket, or a system's own pairs
    (`own`), which are quick, or take longer than a cover of its table. Where quick ones are roughly near, nothing is
    covered.
    """

    question: Question
    effort: Effort
    rows: Randomizer
    reach: Reduction
    own: Literal["quick", "slow"] | None = None

    around = None  # datasets are not enumerated

    @cached_property
    def cover(self) -> Cover:
        """The search."""
        effort, reach = self.effort, None if self.own == "slow" else self.reach
        roughly = self.blanket.effort.tolerance if self.own == "quick" else None
        return Cover(self.rows, self.question.counted, effort.tolerance, effort.cells, effort.tick, reach, roughly)

    @property
    def table(self) -> Randomizer | None:
        """The table whose fewer users may be asked."""
        return None if self.own else self.rows

    @property
    def covers(self) -> Randomizer:
        """The table that is covered."""
        return self.rows

    @property
    def stated(self) -> "Covered":
        """Itself."""
        return self

    @property
    def by(self) -> str:
        """In words."""
        return BY

    @property
    def infinity_mass(self) -> Fraction:
        """A lower bound on the largest P(Q = 0)."""
        return self.reach.attained.infinity_mass()

    def within(self, work: int) -> "Covered | ClosedForm":
        """With so much work for the cover, or what is known without one, also where that will do."""
        return self.blanket if not work or self._alone else replace(self, effort=replace(self.effort, work=work))

    @cached_property
    def _alone(self) -> bool:
        """Whether a system's own pairs are quick, and near at a usual delta: what is asked at many eps is theirs."""
        return self.own == "quick" and near_in_eps(self.blanket.epsilon(USUAL), self.blanket.effort.tolerance)

    @cached_property
    def _pairs(self) -> ClosedForm:
        """What a system's own pairs tell, one eps after the other."""
        return ClosedForm(self.question, self.effort, self.reach)

    @cached_property
    def blanket(self) -> ClosedForm:
        """What is known without a cover."""
        effort, reach = self.effort, self.reach
        if self.own == "slow":
            reach = reach_of(self.question.randomizer, self.question.counted)
        if self.own == "quick":
            effort = replace(effort, tolerance=effort.tolerance * ROUGHLY)
        return ClosedForm(self.question, effort, replace(reach, presence=self.question.presence), self.table)

    def delta(self, eps: Eps, enough: Fraction = Fraction(0)) -> WorstDelta:
        """The largest delta(eps)."""
        if self.reach.once and not enough:
            return self._pairs.delta(eps)
        return with_fewer_delta(self, self.cover.delta(eps, enough), eps, enough)

    def epsilon(self, delta: Fraction) -> WorstEpsilon:
        """The smallest eps with delta(eps) <= delta."""
        found = None if delta else pure_of(self)
        return with_fewer_epsilon(self, *(found or self.cover.epsilon(delta)), delta)

    def decided(self, eps: Eps, delta: Fraction) -> Certified:
        """Whether the largest delta(eps) is at most this delta."""
        if self.reach.once:
            return self._pairs.decided(eps, delta)
        first = not delta or self.own == "quick"  # a cover would close in on what is above 0, however small
        if first and (quick := self.blanket.decided(eps, delta)).because is not None:
            return quick
        claim = Claim(self.question, eps, delta)
        found = self.cover.delta(eps, delta)
        proof = None if self.own == "slow" else self.cover.shown
        if self.own == "quick":  # of its pairs nothing is shown, as was just found
            proof = Shown(self.rows, claim.question.counted).trees
        worst = WorstDelta(found.value, self.scope(found), eps)
        return with_fewer_decided(self, claim, worst, found.worst, proof)

    def scope(self, found: Found) -> Scope:
        """The scope of an answer."""
        return replace(scope_of(replace(self.reach, by=BY), self.question.n, found), two_sided=True)

    def lower(self, eps: Eps, digits: int = DIGITS) -> tuple[Interval, NamedPair | None]:
        """What real datasets have that seem worst at this eps: by their windows, or sums where these are too large."""
        named = self.cover.near(eps) or self.cover.near_in_line(eps)
        if named is None:
            return self.blanket.lower(eps, digits)
        low, high = named.pair.divergence(eps, 4 * digits)
        return Interval(low, high), named

    def upper(self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)) -> Interval:
        """What the blanket has."""
        return self.blanket.upper(eps, digits, enough)

    def curve(self, eps: Sequence[Eps], enough: Fraction = Fraction(-1)) -> Curve:
        """The largest delta at each eps, of one cover, ever closer; with Ctrl-C as close as it was reached.

        The blanket's, where it is asked first and near; that of a system's own pairs, where these will do.
        """
        if self._alone:
            return self.blanket.curve(eps, enough)
        first = None if self.cover.asked_first is None else near_curve(self.blanket, eps, enough, FAINT)
        if first is not None:
            return first
        tiny = [at for at in eps if self.blanket.upper(at, 1).high <= TINY] if self.reach.once else []
        return self._in_parts(eps, tiny, enough) if tiny else self._covered(eps)

    def _covered(self, eps: Sequence[Eps]) -> Curve:
        """The curve of one cover."""
        rising, found, stopped = sorted(set(eps)), list[Found](), False
        try:
            for closer in self.cover.curve(rising, self.effort.progress):
                found = closer
        except KeyboardInterrupt as stop:
            if type(stop) is not KeyboardInterrupt or not found:
                raise
            stopped = True
        at, stopped = dict(zip(rising, found, strict=True)), stopped or any(one.stopped for one in found)
        note = (self.cover.beside if self.own == "quick" else "") + (STOPPED if stopped else "")
        told = [replace(at[one], stopped=stopped, note=note) for one in eps]
        scopes = [self.scope(one if one.value.high else replace(one, worst=None)) for one in told]
        points: list[tuple[Eps, Delta | Interval]] = [(at, one.value) for at, one in zip(eps, told, strict=True)]
        if self.own == "quick":  # a cover may be less close
            wide = [at for at, one in points if not near(one, self.cover.close_to(len(eps)))]
            others = dict(self.blanket.curve(wide).points) if wide else {}
            points = [(at, Interval.of(one).meet(Interval.of(others.get(at, one)))) for at, one in points]
        curve = Curve(tuple(points), common_scope(scopes), self.infinity_mass)
        return curve if stopped else with_fewer_curve(self, curve)

    def _in_parts(self, eps: Sequence[Eps], tiny: Sequence[Eps], enough: Fraction) -> Curve:
        """A curve that a system's own pairs tell where it is tiny, and a cover elsewhere."""
        parts = [self._pairs.curve(tiny, enough)]
        if rest := [at for at in eps if at not in tiny]:
            parts.append(self._covered(rest))
        values, scopes = {at: value for part in parts for at, value in part.points}, [part.scope for part in parts]
        worst = scopes[0].worst if all(scope.worst == scopes[0].worst for scope in scopes) else None
        by = "; ".join(scope.by for scope in scopes)
        scope = replace(common_scope(scopes), worst=worst, by=by)
        return Curve(tuple((at, values[at]) for at in eps if at in values), scope, self.infinity_mass)
