"""A proved reduction: from all pairs of neighbouring datasets to a few that are attained, and a few that dominate all.

    attained    divergences of pairs of neighbouring datasets that exist: the worst is at least theirs
    dominating  pairs at least one of which is no smaller than each pair of neighbours: the worst is at most theirs

Where one family is both, the answer is exact up to the width of an enclosure; else the interval between them is it.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import gcd
from typing import Any, Protocol

from shufflecert.verify.enclose.interval import (
    FIRST_BITS,
    EnclosedPair,
    Interval,
    largest,
    refine,
    smallest_between,
    smallest_eps,
)
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import MAX_EPS, Eps
from shufflecert.verify.exact.neighbours import Neighbours
from shufflecert.verify.exact.randomizer import EVERYBODY, Presence, Randomizer
from shufflecert.verify.exact.rational import DIGITS, natural

CLOSE, LOW_DIGITS = 4, 6  # digits of an upper end that takes long, and of the lower one beside it


@dataclass(frozen=True)
class Threshold:
    """An event that a certificate can state: the weights of all messages seen sum to more than `above`."""

    weights: Mapping[str, int]
    above: int

    @classmethod
    def in_lowest_terms(cls, weights: Mapping[str, int], above: int) -> "Threshold":
        """The same event with weights that have no common factor, so that sums of them are small."""
        unit = gcd(*weights.values()) or 1
        return cls({message: weight // unit for message, weight in weights.items()}, above // unit)


@dataclass(frozen=True)
class NamedPair:
    """A pair and the neighbouring datasets that it belongs to: one user on `source` (P) or on `target` (Q).

    `others` counts the other users by input; None where the pair is the same whatever they hold. `threshold`, where
    given, finds for (eps, bound) an event {sum of weights of messages > above} with P - e^eps Q > bound.
    """

    pair: EnclosedPair
    source: str
    target: str
    others: Mapping[str, int] | None = None
    threshold: Callable[[Eps, Fraction], Threshold] | None = None

    @property
    def neighbours(self) -> Neighbours:
        """The two neighbouring datasets."""
        held = None if self.others is None else {z: count for z, count in self.others.items() if count}
        return Neighbours(self.source, self.target, held)


class Family(Protocol):
    """Pairs of laws whose largest divergence can be enclosed."""

    @property
    def digits(self) -> int | None:
        """How many digits there are where enclosures are rough; None where as many as are asked for."""
        return None

    @property
    def costly(self) -> bool:
        """Whether one enclosure takes seconds, so that it is asked for only where real datasets leave it open."""
        return False

    @property
    def between(self) -> bool:
        """Whether enclosures lie between real datasets and pairs that dominate all, and not around one number."""
        return False

    def epsilon(self, bound: Fraction) -> "tuple[Fraction | None, Fraction | None, Found] | None":
        """The smallest eps as `worst_epsilon` answers, by a way of the family's own; None where it has none."""
        return None

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """The largest delta(eps) of the family: (its enclosure, a pair that is about as large, how many were
        evaluated).

        Below `enough` a divergence needs no digits: any upper bound up to it will do.
        """

    def smallest(
        self, bound: Fraction, within: Fraction | None = None
    ) -> "tuple[Fraction, Fraction | None, Found | None]":
        """The smallest eps with delta(eps) <= bound lies in [low, high]: (low, high, what needs more than low, or None
        where delta(low) tells).

        high is None where none is shown to be enough; `within` is an eps that is, if known. To one digit less than
        enclosures have where they are rough. Of a family that only bounds delta from below high says nothing.
        """
        digits = DIGITS if self.digits is None else self.digits - 1
        few = self if within is None else self.narrowed(Eps.of(within))  # each eps asks all again
        return *smallest_eps(_curve(few, bound, digits), bound, digits, within), None

    def infinity_mass(self) -> Fraction:
        """A lower bound on the largest P(Q = 0): no eps keeps a smaller delta."""

    def narrowed(self, eps: Eps) -> "Family":
        """A smaller family for one eps, whose largest delta(eps) is no larger, and about as large."""
        return self

    def tree(self, eps: Eps, bound: Fraction) -> list[Any]:
        """For pairs that a mechanism's certificate states: the tree by which the kernel finds that they keep `bound`.

        Raises Undecided where none is found.
        """
        return ["each"]

    def hints(self, eps: Eps, bound: Fraction) -> Mapping[str, Any]:
        """For a blanket: the grid on which the kernel finds that it keeps `bound` (CERTIFICATE.md, "Blocks").

        Raises TypeError for pairs that are no blanket.
        """
        raise TypeError(f"{type(self).__name__}: these pairs are no blanket")


@dataclass(frozen=True)
class Pairs(Family):
    """A family of pairs that are listed and evaluated one by one, to `digits` at most where it says so."""

    members: Sequence[NamedPair]
    digits: int | None = None

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """The largest delta(eps) of the pairs, one that attains it, and how many there are."""
        digits = digits if self.digits is None else min(digits, self.digits)
        curves = [partial(member.pair.divergence, eps) for member in self.members]
        order, found = [*range(len(curves))], dict[int, Interval]()
        if len(curves) > 2:  # the largest first, roughly: what is at most the low end of another does not count
            order = sorted(order, key=[-curve(FIRST_BITS)[1] for curve in curves].__getitem__)
        for i in order:
            found[i] = refine(curves[i], digits, enough=enough)
            enough = max(enough, found[i].low)
        values = [found[i] for i in range(len(curves))]
        best = max(range(len(values)), key=lambda i: values[i].low, default=None)
        return largest(values), None if best is None else self.members[best], len(values)

    def infinity_mass(self) -> Fraction:
        """A lower bound on the largest P(Q = 0) of the pairs."""
        return max((member.pair.infinity_mass() for member in self.members), default=Fraction(0))


@dataclass(frozen=True)
class Reduction:
    """What is known of all pairs of neighbouring datasets in the shuffled view.

    `dominating` is None where the attained pairs stand for all. `by` names the lemma and where it is proved; `inputs`
    is how many inputs a user may hold (None: infinitely many). `mechanism` is what is seen, as a certificate writes it
    (verify/certificate.py), with the dominating pairs where there are any; `attained_mechanism` likewise with the
    attained pairs. Both None: a certificate's claim is the randomizer. Where the mechanisms do not state the
    dominating or attained pairs themselves, `certified` (which dominate all as well) and `attained_certified` (among
    the attained) are the pairs that they do state. `presence` says of which datasets all this is. `evidence`,
    where given, is why a certificate about `mechanism` holds: for (eps, bound, the worst pair, whether the bound is
    kept). `pure`, where given, finds the smallest eps with delta(eps) = 0. `table`, where given, is a randomizer that
    as many users use and whose worst is the same: a cover closes it in (verify/bound), where the way of the attained
    pairs takes long; `once` where that is so of many eps only, and delta at a single one is theirs.
    """

    attained: Family
    by: str
    inputs: int | None = None
    dominating: Family | None = None
    mechanism: Mapping[str, Any] | None = None
    attained_mechanism: Mapping[str, Any] | None = None
    datasets: str = "all"
    certified: Family | None = None
    attained_certified: Family | None = None
    presence: Presence = EVERYBODY
    pure: "Callable[[], tuple[Fraction | None, Fraction | None, Found]] | None" = None
    evidence: "Callable[[Eps, Fraction, NamedPair | None, bool], Mapping[str, Any]] | None" = None
    table: Randomizer | None = None
    once: bool = False

    @property
    def two_sided(self) -> bool:
        """Whether lower bounds are real datasets' and upper bounds those of pairs that dominate all datasets."""
        return self.dominating is not None or self.attained.between

    def stated(self, proved: bool) -> tuple[Mapping[str, Any] | None, Family]:
        """The mechanism that a certificate of this verdict states, None if there is none, and the pairs it states."""
        if proved or self.dominating is None:
            return self.mechanism, self.certified or self.dominating or self.attained
        return self.attained_mechanism, self.attained_certified or self.attained


@dataclass(frozen=True)
class Found:
    """The worst over all neighbouring datasets, enclosed, with the pair that attains the lower bound.

    `note` is added to what the answer says of its means; `stopped` where somebody did not wait for its end. `by` says
    how it was found where that is not the reduction's way, and `exact` is the smallest eps where it is known exactly.
    """

    value: Interval
    worst: NamedPair | None
    pairs: int
    note: str = ""
    stopped: bool = False
    by: str = ""
    exact: Eps | None = None


def worst_delta(reach: Reduction, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)) -> Found:
    """The largest delta(eps) over all neighbouring datasets, both directions, between attained and dominating.

    Where the dominating pairs, if they are others, show it to be at most `enough`, its lower bound is 0.
    """
    if reach.dominating is None or reach.dominating is reach.attained:
        value, worst, pairs = reach.attained.worst(eps, digits, enough)
        return Found(_probability(value), worst, pairs)
    above, _, more = reach.dominating.worst(eps, digits, enough)
    if above.high <= enough:
        return Found(Interval(Fraction(0), above.high), None, more)
    below, worst, pairs = reach.attained.worst(eps, digits)
    return Found(_probability(Interval(below.low, above.high)), worst, pairs + more)


def _probability(value: Interval) -> Interval:
    return Interval(min(value.low, Fraction(1)), min(value.high, Fraction(1)))


def worst_epsilon(reach: Reduction, bound: Fraction) -> tuple[Fraction | None, Fraction | None, Found]:
    """The smallest eps with delta(eps) <= bound lies in [low, high]: (low, high, what was found at low).

    high is None where no eps up to 10000 is shown to be enough, low as well where none can be; both bounds are 0 where
    eps = 0 is enough.
    """
    if reach.pure is not None and not bound:
        return reach.pure()
    if (found := reach.attained.epsilon(bound)) is not None:
        return found
    if reach.dominating is not None and reach.dominating.costly:
        two = (_curve(reach.attained, bound, LOW_DIGITS), _curve(reach.dominating, bound, CLOSE))
        low, high = smallest_between(*two, bound, LOW_DIGITS, CLOSE)
        return low, high, worst_delta(reach, Eps.of(low), LOW_DIGITS, bound / (1 << 64))
    upper = reach.attained if reach.dominating is None else reach.dominating
    if reach.attained.infinity_mass() > bound:
        return None, None, worst_delta(reach, Eps.of(MAX_EPS), 10)
    low, high, needs = upper.smallest(bound)
    if reach.dominating is not None:
        looked = 0 if needs is None else needs.pairs
        low, _, needs = reach.attained.smallest(bound, high)
        needs = needs and replace(needs, pairs=needs.pairs + looked)
    return low, high, needs or worst_delta(reach, Eps.of(low), 10)


def _curve(family: Family, bound: Fraction, digits: int = DIGITS) -> Callable[[Eps], Interval]:
    """A family's largest delta(eps), to more digits than eps will have; to none where it is far below the bound."""
    return lambda eps: family.worst(eps, digits + 6, bound / (1 << 64))[0]


def check_others(randomizer: Randomizer, n: int, others: Mapping[str, int] | None) -> dict[str, int]:
    """The counts above 0. Raises BadInput for an unknown input, and counts that do not add up to n - 1."""
    if n < 2:
        raise BadInput(f"n: {n}: expected at least 2 users, of whom one changes")
    if others is None:
        return {}
    held: Counter[str] = Counter()
    for z, count in others.items():
        if z not in randomizer.inputs:
            raise BadInput(f"others: {z[:60]!r} is no input: expected inputs of the randomizer")
        held[z] += natural(count, f"others: {z}", least=0, most=MAX_TRIALS)
    if sum(held.values()) != n - 1:
        raise BadInput(f"others: {sum(held.values())} users: expected n - 1 = {n - 1}")
    return {z: count for z, count in held.items() if count}
