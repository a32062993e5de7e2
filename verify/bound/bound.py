"""A Bound: what is known of the worst over all neighbouring datasets, from both sides.

Three makers give one: enumeration, exact (verify/bound/enumeration.py); a system's closed form
(verify/bound/closed_form.py); a cover of the others' compositions (verify/bound/covered.py). `verify.bound.choose`
picks one for a question. Commands ask what is below, and know none of the three: who needs more than ends asks what a
Bound rests on, `around`, `reach` and `covers`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol

from shufflecert.verify import certificate as writing
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.neighbours import Neighbourhood, Scope
from shufflecert.verify.exact.randomizer import Randomizer, randomizer_of
from shufflecert.verify.exact.rational import DIGITS, between, decimal_below, shorten, text
from shufflecert.verify.reduce.reduction import NamedPair, Reduction
from shufflecert.verify.systems.population import without_presence


@dataclass(frozen=True)
class WorstDelta:
    """The largest delta(eps) with its scope: exact (`Delta`) by enumeration, else enclosed."""

    delta: Delta | Interval
    scope: Scope
    eps: Eps

    def __str__(self) -> str:
        value = self.delta if isinstance(self.delta, Interval) else between(*self.delta.enclosure(12))
        return f"delta({shorten(str(self.eps))}) = {value}, {self.scope}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


@dataclass(frozen=True)
class WorstEpsilon:
    """The smallest eps with its scope: exact, or enclosed in [low, high].

    `eps` is the exact value, where there is one; else `interval` is (low, high), or None where no finite eps is
    enough. `high` is None where no finite eps is shown to keep the delta asked for.
    """

    eps: Eps | None
    scope: Scope
    interval: tuple[Fraction, Fraction | None] | None = None

    def __str__(self) -> str:
        if self.eps is not None:
            return f"eps = {shorten(str(self.eps))}, {self.scope}"
        if self.interval is None:
            return f"eps infinite, {self.scope}"
        low, high = self.interval
        least = f"at least {decimal_below(low, 12)}" if high is None else f"= {Interval(low, high)}"
        return f"eps {least}, {self.scope}"

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self}>"


@dataclass(frozen=True)
class Curve:
    """A privacy profile at some eps: delta at each of them, exact or enclosed, with the scope of the answer.

    `scope.worst` is given where one pair is the worst wherever delta > 0. `infinity_mass` is a lower bound on the
    largest P(Q = 0), the limit of delta(eps).
    """

    points: tuple[tuple[Eps, Delta | Interval], ...]
    scope: Scope
    infinity_mass: Fraction = Fraction(0)


@dataclass(frozen=True)
class Claim:
    """ "What is asked about satisfies (eps, delta) for all its neighbouring datasets".

    Of the messages of a table's users; or, with a `mechanism` (`verify.reduce.reduction.Reduction`), of what is seen
    so, for which a system's own lemma stands.
    """

    question: Question
    eps: Eps
    delta: Fraction
    mechanism: Mapping[str, Any] | None = None

    @property
    def neighbours(self) -> Any:
        """The neighbours as a certificate writes them; of a mechanism's, deletion is a pair that is replaced."""
        who = self.question.presence
        if not who.reference:
            return who.adjacency
        return "replace" if self.mechanism else {"deletion": {z: text(weight) for z, weight in who.reference}}

    @property
    def seen(self) -> dict[str, Any]:
        """What is seen, as a certificate writes it."""
        if self.mechanism is not None:
            return dict(self.mechanism)
        asked, rows = self.question, randomizer_of(without_presence(self.question.protocol))
        return writing.rows(rows.to_json(), asked.n, asked.view, asked.counted, text(asked.presence.take_part))

    def to_json(self) -> dict[str, Any]:
        """The claim as a certificate writes it."""
        return writing.claim([(self.seen, 1)], self.neighbours, str(self.eps), self.delta)


@dataclass(frozen=True)
class Certified:
    """The verdict on a claim: PROVED, REFUTED or UNDECIDED, with what shows it to the kernel (`because`).

    When REFUTED by enumeration, `event` lists outcomes E of the worst pair with P(E) - e^eps Q(E) > delta, and
    `probabilities` is (P(E), Q(E)), exactly. Without `because` nothing is stated, and `reason` says why.
    """

    claim: Claim
    verdict: str
    worst: WorstDelta | None
    because: Mapping[str, Any] | None = None
    reason: str = ""
    event: tuple[Any, ...] = ()
    probabilities: tuple[Fraction, Fraction] | None = None
    note: str = ""

    @cached_property
    def certificate(self) -> Mapping[str, Any] | None:
        """The certificate (verify/CERTIFICATE.md), where there is one."""
        if self.because is None:
            return None
        return writing.certificate(self.claim.to_json(), self.verdict, dict(self.because), self.note)

    @property
    def holds(self) -> bool:
        """Whether delta is at most the claim's, shown or not."""
        return self.worst is not None and Fraction(self.worst.delta.enclosure()[1]) <= self.claim.delta

    def certificate_text(self) -> str:
        """The certificate as a file's content. Raises Undecided where there is none."""
        if self.certificate is None:
            raise Undecided(self.reason)
        return json.dumps(self.certificate, indent=1) + "\n"


class Bound(Protocol):
    """The worst over all neighbouring datasets of a question, both directions, as close as an effort allows.

    With Ctrl-C the interval reached so far is the answer (`Scope.stopped`).
    """

    @property
    def question(self) -> Question:
        """What is asked."""

    @property
    def effort(self) -> Effort:
        """How hard is tried."""

    @property
    def by(self) -> str:
        """The argument by which all datasets are covered, in words."""

    def delta(self, eps: Eps, enough: Fraction = Fraction(0)) -> WorstDelta:
        """The largest delta(eps); an enclosure whose upper end is at most `enough` may have any lower end."""

    def epsilon(self, delta: Fraction) -> WorstEpsilon:
        """The smallest eps with delta(eps) <= delta."""

    def curve(self, eps: Sequence[Eps], enough: Fraction = Fraction(-1)) -> Curve:
        """The largest delta at each eps, found together; none may follow the first that is at most `enough`."""

    def decided(self, eps: Eps, delta: Fraction) -> Certified:
        """Whether the largest delta(eps) is at most this delta, as closely as that takes, and what shows it."""

    def lower(self, eps: Eps, digits: int = DIGITS) -> tuple[Interval, NamedPair | None]:
        """What real datasets have at eps, to about so many digits, and which they are."""

    def upper(self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)) -> Interval:
        """What no datasets exceed at eps, to about so many digits; none where it is at most `enough`."""

    @property
    def infinity_mass(self) -> Fraction:
        """A lower bound on the largest P(Q = 0), which no eps makes smaller."""

    @property
    def around(self) -> Neighbourhood | None:
        """The datasets that are enumerated, which makes answers exact; None where they are not."""

    @property
    def reach(self) -> Reduction | None:
        """Pairs of neighbours that are attained, and pairs that dominate all; None where datasets are enumerated."""

    @property
    def covers(self) -> Randomizer | None:
        """The table of which a search covers all compositions of the others; None where nothing is searched."""

    @property
    def stated(self) -> "Bound":
        """What certificates state: the same, or a Bound by pairs or a search that they can show."""

    def within(self, work: int) -> "Bound":
        """The same, where a search closes in, with so much work for it (`Effort.work`): closer, or less close.

        With 0 nothing is searched: what can be asked at thousands of eps one by one.
        """


def common_scope(scopes: Sequence[Scope]) -> Scope:
    """One scope for several answers: the most pairs, and the worst pair where it is the same in all that have one."""
    worst = [scope.worst for scope in scopes if scope.worst is not None]
    same = worst[0] if worst and all(pair == worst[0] for pair in worst) else None
    return replace(scopes[0], pairs=max(scope.pairs for scope in scopes), worst=same)
