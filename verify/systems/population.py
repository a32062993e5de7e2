"""A system together with its neighbours and participation: adjacency, corrupted users, dropouts.

`Population(system, presence)` stands wherever a system does: every function answers for the datasets, the
honest users and the check-in that `verify.exact.randomizer.Presence` describes.
"""

from dataclasses import dataclass
from typing import Any

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import EVERYBODY, Law, Messages, Presence, Randomizer, System, randomizer_of
from shufflecert.verify.exact.rational import shorten, text
from shufflecert.verify.systems import declare


@dataclass(frozen=True)
class Population:
    """A system among users of whom not all need be there (`presence`)."""

    system: Randomizer | System
    presence: Presence

    def randomizer(self) -> Randomizer:
        """The table of a user who may be absent, with NOBODY's row. Raises BadInput where there is no table."""
        who, reason = self.presence, unwritten(self.system)
        if reason and (who.adjacency != "replace" or who.take_part != 1):
            asked = f"--adjacency {who.adjacency}" if who.adjacency != "replace" else "--take-part"
            raise BadInput(f"{reason.partition(': expected')[0]}: {asked} needs one")
        return who.rows(randomizer_of(self.system), law_of(self))


def populated(system: Randomizer | System, presence: Presence) -> Randomizer | System:
    """The system itself where everybody is there; else with who is."""
    return system if presence == EVERYBODY else Population(system, presence)


def presence_of(system: Randomizer | System) -> Presence:
    """Neighbours and participation: everybody, unless a `Population` says otherwise."""
    return system.presence if isinstance(system, Population) else EVERYBODY


def without_presence(system: Any) -> Any:
    """The system of a population, or the system itself."""
    return system.system if isinstance(system, Population) else system


def declared(system: Randomizer | System) -> declare.System | None:
    """The system behind a population, or the system itself; None for a table, and for what offers no more than one."""
    found = without_presence(system)
    return found if isinstance(found, declare.System) else None


def law_of(system: Randomizer | System) -> Law[Messages] | None:
    """The law of a deleted user's reference, where that is no input: given with it, or by its name in the system."""
    who, own = presence_of(system), declared(system)
    if who.law:
        return Law.of(dict(who.law))
    return own.reference_law(who.reference[0][0]) if own is not None and _null(who, own) else None


def _null(who: Presence, own: declare.System | None) -> bool:
    """Whether the reference is named by the system, and no input."""
    return own is not None and len(who.reference) == 1 and who.reference[0][0] in own.NULLS


def unstated(system: Randomizer | System) -> str | None:
    """Why no certificate can state neighbours and participation, in one line; None where one can."""
    who = presence_of(system)
    if not who.law and not _null(who, declared(system)):
        return None
    named = shorten(who.reference[0][0])
    return f"reference: {named!r} is no input, and no form of certificate states its law: expected inputs"


def unwritten(system: Randomizer | System) -> str | None:
    """Why no table of a system's randomizer is written out, in one line; None where `randomizer_of` returns it."""
    found = declared(system)
    return None if found is None else found.unwritten()


def flags_of(presence: Presence) -> list[str]:
    """The options of a command that ask for it, as a certificate's note has them."""
    flags = [] if presence.adjacency == "replace" else [f"--adjacency {presence.adjacency}"]
    if presence.reference:
        mixed = ",".join(f"{z}={text(weight)}" for z, weight in presence.reference)
        flags.append(f"--reference {presence.reference[0][0] if len(presence.reference) == 1 else mixed}")
    flags += [] if presence.honest is None else [f"--honest {presence.honest}"]
    return flags + ([] if presence.take_part == 1 else [f"--take-part {text(presence.take_part)}"])
