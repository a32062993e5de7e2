"""Many eps of one table: covers by blocks are guessed at a few of them, the knots, and evaluated at all the others too.

A cover bounds delta at any eps (verify/reduce/block_cover/blocks.py); what takes long is to find one that is close. At
the eps between knots that of the nearest is as good, nearly, and its laws are there already.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from verify.exact.epsilon import Eps
from verify.progress import Progress
from verify.reduce.block_cover.search import Leaf, Search, Spent

KNOTS = 5
LEAST = Fraction(1, 10**12)  # delta that floats, which guess, tell from 0
NO_END = 1 << 62  # of work


class Closing(Protocol):
    """One question at one eps, with the interval [low, high] that is known."""

    low: Fraction
    high: Fraction | None

    def guessed(self, eps: Eps, limit: Fraction) -> list[Leaf] | None:
        """A cover that seems to keep (eps, limit); None where none is found."""

    def delta_targets(self) -> Iterator[Fraction]:
        """Upper ends to try, each below the one that is known."""

    def most(self, leaves: Sequence[Leaf], eps: Eps, about: Fraction) -> Fraction:
        """What all these leaves allow delta(eps) to be, the most."""


@dataclass
class Curve:
    """What is known of delta at each of many eps, rising: `high` falls; `questions` have one search in common."""

    search: Search
    eps: Sequence[Eps]
    questions: Sequence[Closing]
    tolerance: Fraction

    def close_in(self, progress: Progress | None = None) -> Iterator[None]:
        """Stops after each knot with the eps that are nearest to it.

        The search for covers has the search's work; what evaluates them, which is far less, has no limit.
        """
        known = [i for i, one in enumerate(self.questions) if one.low > LEAST and self._wide(one)]
        knots = known if len(known) <= KNOTS else [known[i * (len(known) - 1) // (KNOTS - 1)] for i in range(KNOTS)]
        whole = self.search.max_work
        for done, knot in enumerate(progress(knots, len(knots)) if progress else knots):
            self.search.max_work = self.search.work + (whole - self.search.work) // (len(knots) - done)
            cover, about = self._cover(knot)
            spent, self.search.max_work = self.search.work, NO_END
            for i in known if cover else ():
                if min(knots, key=lambda other: abs(other - i)) == knot:
                    self._evaluate(cover, i, about)
            self.search.work = spent
            yield

    def _wide(self, one: Closing) -> bool:
        return one.high is None or one.high > one.low * (1 + self.tolerance)

    def _cover(self, knot: int) -> tuple[list[Leaf], Fraction]:
        """The closest cover that is found at a knot, and what it is to keep, as a multiple of the lower end."""
        one, found, about = self.questions[knot], list[Leaf](), Fraction(1)
        try:
            for target in one.delta_targets():
                leaves = one.guessed(self.eps[knot], target)
                if leaves is None:
                    break
                found, about = leaves, target / one.low
        except Spent:
            pass
        return found, about

    def _evaluate(self, cover: Sequence[Leaf], i: int, about: Fraction) -> None:
        one, at = self.questions[i], self.eps[i]
        limit = one.low * about
        most = one.most([self.search.again(leaf, at, limit) for leaf in cover], at, limit)
        one.high = max(one.low, most if one.high is None else min(one.high, most))
