"""Reductions of systems where not every user replaces another, comes, or is honest (`verify.systems.population`).

Three lemmas bring such a question back to what a system proves of itself (its method `reach`).

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

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial

from shufflecert.verify.enclose.interval import Interval, largest, refine
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Presence, Randomizer, System, randomizer_of
from shufflecert.verify.pairs.windowed import SumPair
from shufflecert.verify.reduce.reduction import Reduction
from shufflecert.verify.systems.population import Population, declared, presence_of, unstated, unwritten


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
