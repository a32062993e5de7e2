"""A proved reduction: from all pairs of neighbouring datasets to a few that are attained, and a few that dominate all.

    attained    divergences of pairs of neighbouring datasets that exist: the worst is at least theirs
    dominating  pairs at least one of which is no smaller than each pair of neighbours: the worst is at most theirs

Where one family is both, the answer is exact up to the width of an enclosure; else the interval between them is it.

Where not every user replaces another, comes, or is honest (`verify.systems.population`), three lemmas bring a question
back to what a system proves of itself (its method `reach`).

Honest users. n users, of whom h follow the protocol: the worst is that of h users alone (lemma of
`verify.exact.randomizer.Presence`). Where each user's law does not depend on n that is reach(h). Where the noise of
all is split among them, a user's share is that of n: h of n users have the share h/n of it (`share_of`).

Deletion. One user on x, or on the reference input r. These are pairs of neighbours in the sense of replacement, and
with two inputs they are all of them. They stand for all as well where every permutation of the inputs renames the
messages and leaves the randomizer as it is (the system's `ALIKE`): the permutation that moves x to r and
y to x carries the pair (y, x) to (x, r), and the others with it, so that both have one divergence. What a system knows
of other references, it says itself (`deletion`).

Addition and removal. A system that knows says so itself (`arrival`). With check-in, and for all else, a reduction is
one of the table with the row of absence (verify/reduce/privacy_blanket.py).
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
from shufflecert.verify.enclose.noise_laws import MAX_TRIALS, Binomial
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import MAX_EPS, Eps
from shufflecert.verify.exact.neighbours import Neighbours
from shufflecert.verify.exact.randomizer import EVERYBODY, Presence, Randomizer, System, randomizer_of
from shufflecert.verify.exact.rational import DIGITS, natural
from shufflecert.verify.pairs.windowed import SumPair
from shufflecert.verify.systems.population import Population, declared, presence_of, unstated, unwritten

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


def known_reach(system: Randomizer | System, n: int) -> Reduction | None:
    """The reduction that a system proves of itself for n users, or None; for a `Population` by the module's lemmas.

    Raises BadInput where fewer users are honest, and what their share of the noise is is not known.
    """
    if not isinstance(system, Population):
        return _asked(system, n)
    who, counted = system.presence, system.presence.counted(n)
    if who.take_part != 1:
        return None
    own = declared(system)
    if who.adjacency == "add-remove":
        arrives = None if own is None else own.arrival(counted, n)
        return None if arrives is None else _of(who, arrives)
    shared = _share(system.system, Fraction(counted, n))
    if who.adjacency == "replace":
        reach = _asked(shared, counted)
    else:
        own = declared(shared)
        reach = None if own is None or who.law or len(who.reference) > 1 else own.deletion(counted, who.reference[0][0])
    return None if reach is None else _of(who, reach)


def uncertified(system: Randomizer | System, n: int) -> str | None:
    """Why no certificate states what n users are promised, and no more: there is no table, and no such mechanism."""
    if reason := unstated(system):
        return reason
    reason = unwritten(system)
    reach, own = known_reach(system, n) if reason else None, declared(system)
    if reach is not None and own is not None and own.STATES_MORE:
        return "no form of certificate covers so large a randomizer: `certify` writes one that claims more"
    return reason if reach is None or not reach.mechanism else None


@dataclass(frozen=True)
class MessagesTell:
    """What the number of messages reveals where every participant sends `each`: `pairs` of laws of numbers."""

    each: int
    pairs: tuple[SumPair, ...]

    def delta(self, eps: Eps) -> Interval:
        """delta(eps) of an adversary who sees only the number of messages: at most that of the shuffled view."""
        return largest([refine(partial(pair.divergence, eps)) for pair in self.pairs])


def number_of_messages(system: Randomizer | System, n: int) -> MessagesTell | None:
    """What the number of messages tells of a user who comes or goes; None where users send different numbers.

    Of h honest users, each there with probability q, Bin(h - 1, q) + 1 [there with q] come, or Bin(h - 1, q).
    """
    if not isinstance(system, Population) or system.presence.adjacency != "add-remove":
        return None
    if unwritten(system):
        return None
    sizes = {len(sent) for law in randomizer_of(system.system).rows.values() for sent in law}
    if len(sizes) != 1 or sizes == {0}:
        return None
    counted, q = system.presence.counted(n), system.presence.take_part
    with_one, without = Binomial(counted, q), Binomial(counted - 1, q)
    pair = SumPair((with_one,), (without,))
    return MessagesTell(sizes.pop(), (pair, SumPair((without,), (with_one,))))


def given_away(system: Randomizer | System, n: int) -> str | None:
    """Why a user who joins or leaves is revealed for certain, in words: every participant sends as many messages.

    None where they do not, and where users take part with a probability below 1.
    """
    told = number_of_messages(system, n)
    if told is None or presence_of(system).take_part != 1:
        return None
    each = f"{told.each} message{'s' if told.each > 1 else ''}"
    return f"every participant sends {each}, so the number reveals who joins or leaves: --take-part Q below 1 hides it"


def users_of_group(system: Randomizer | System, n: int, group: int) -> int:
    """How many users count, of whom a group of so many changes. Raises BadInput for too many, or where it cannot."""
    who = presence_of(system)
    counted = who.counted(n)
    if group > counted:
        whose = f"n = {n}" if who.honest is None else f"{counted} honest"
        raise BadInput(f"group: {group}: expected at most the {whose} users")
    if group > 1 and who.adjacency != "replace":
        raise BadInput(f"group: {group}: with adjacency {who.adjacency}: expected one user, or adjacency replace")
    return counted


def check_composed(systems: Sequence[Randomizer | System], same: bool) -> None:
    """Raise BadInput where runs of these systems are no neighbours' in every combination of pairs.

    A user who comes or goes, or is deleted, is so in all runs: pairs of opposite directions do not go together. Of
    one system, with the `same` input in all runs, every run has the same pair in the same direction.
    """
    if len({presence_of(system) for system in systems}) > 1:
        raise BadInput("presence: differs from run to run: expected one for all runs")
    changed = next((who for system in systems if (who := presence_of(system).adjacency) != "replace"), None)
    if changed is not None and (len(systems) > 1 or not same):
        raise BadInput(f"adjacency: {changed}: in a composition: expected runs of one system, with --data same")


def _asked(system: Randomizer | System, n: int) -> Reduction | None:
    own = declared(system)
    return None if own is None else own.reach(n)


def _of(who: Presence, reach: Reduction) -> Reduction:
    return replace(reach, presence=who)


def _share(system: Randomizer | System, part: Fraction) -> Randomizer | System:
    """The system with the honest users' share of a noise that is split among all."""
    own = declared(system)
    if part == 1 or own is None:
        return system
    found = own.share_of(part)
    if found is None:
        raise BadInput(
            "honest: the noise of fewer than all users is of another law here, and nothing is proved of it: expected"
            " all users to be honest"
        )
    return found
