"""A system and who is there: what a command is asked about where not every user replaces another, comes, or is honest.

`Population(system, presence)` is asked for like a system: every function that takes one answers for the datasets, the
honest users and the check-in that `verify.exact.randomizer.Presence` describes. A system whose randomizer is no table
says more of itself, where it can:

    share_of(part) -> the system of this part of all users, where these add the noise together, or where none of them
                      does. Without it a system that is no table is refused where only some are honest.
    arrival(n, users) -> verify.reduce.reduction.Reduction: a user comes or goes, n of `users` are honest with that one
"""

from dataclasses import dataclass
from typing import Any

from verify.errors import BadInput
from verify.exact.randomizer import EVERYBODY, Presence, Randomizer, System, randomizer_of
from verify.exact.rational import text


@dataclass(frozen=True)
class Population:
    """A system among users of whom not all need be there (`presence`)."""

    system: Randomizer | System
    presence: Presence

    def randomizer(self) -> Randomizer:
        """The table of a user who may be absent, with NOBODY's row. Raises BadInput where there is no table."""
        try:
            table = randomizer_of(self.system)
        except BadInput as error:
            who = self.presence
            asked = f"--adjacency {who.adjacency}" if who.adjacency != "replace" else "--take-part"
            if who.adjacency == "replace" and who.take_part == 1:
                raise
            raise BadInput(f"{str(error).partition(': expected')[0]}: {asked} needs one") from None
        return self.presence.rows(table)


def populated(system: Randomizer | System, presence: Presence) -> Randomizer | System:
    """The system itself where everybody is there; else with who is."""
    return system if presence == EVERYBODY else Population(system, presence)


def presence_of(system: Randomizer | System) -> Presence:
    """Who is there: everybody, unless a `Population` says otherwise."""
    return system.presence if isinstance(system, Population) else EVERYBODY


def without_presence(system: Any) -> Any:
    """The system of a population, or the system itself."""
    return system.system if isinstance(system, Population) else system


def flags_of(presence: Presence) -> list[str]:
    """The options of a command that ask for it, as a certificate's note has them."""
    flags = [] if presence.adjacency == "replace" else [f"--adjacency {presence.adjacency}"]
    if presence.reference:
        mixed = ",".join(f"{z}={text(weight)}" for z, weight in presence.reference)
        flags.append(f"--reference {presence.reference[0][0] if len(presence.reference) == 1 else mixed}")
    flags += [] if presence.honest is None else [f"--honest {presence.honest}"]
    return flags + ([] if presence.take_part == 1 else [f"--take-part {text(presence.take_part)}"])
