"""A Bound: what is known of the worst over all neighbouring datasets, from both sides.

Three makers give one: enumeration, exact (verify/bound/enumeration.py); a system's closed form
(verify/bound/closed_form.py); a cover of the others' compositions (verify/bound/covered.py). `verify.bound.choose`
picks one for a question. Commands ask what is below, and know none of the three.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Protocol

from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.neighbours import Scope
from shufflecert.verify.exact.rational import DIGITS
from shufflecert.verify.reduce.reduction import NamedPair


@dataclass(frozen=True)
class WorstDelta:
    """The largest delta(eps) with its scope: exact (`Delta`) by enumeration, else enclosed."""

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


@dataclass(frozen=True)
class Curve:
    """A privacy profile at some eps: delta at each of them, exact or enclosed, with the scope of the answer.

    `scope.worst` is given where one pair is the worst wherever delta > 0. `never` is a lower bound on the largest
    P(Q = 0), the limit of delta(eps).
    """

    points: tuple[tuple[Eps, Delta | Interval], ...]
    scope: Scope
    never: Fraction = Fraction(0)


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

    def lower(self, eps: Eps, digits: int = DIGITS) -> tuple[Interval, NamedPair | None]:
        """What real datasets have at eps, to about so many digits, and which they are."""

    def upper(self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)) -> Interval:
        """What no datasets exceed at eps, to about so many digits; none where it is at most `enough`."""

    @property
    def never(self) -> Fraction:
        """A lower bound on the largest P(Q = 0), which no eps makes smaller."""

    @property
    def quick(self) -> "Bound":
        """A bound to be asked at thousands of eps one by one: itself, or one less close where that takes a minute each.

        What is asked of `curve` is as close as it gets, for all eps together.
        """


def common_scope(scopes: Sequence[Scope]) -> Scope:
    """One scope for several answers: the most pairs, and the worst pair where it is the same in all that have one."""
    worst = [scope.worst for scope in scopes if scope.worst is not None]
    same = worst[0] if worst and all(pair == worst[0] for pair in worst) else None
    return replace(scopes[0], pairs=max(scope.pairs for scope in scopes), worst=same)
