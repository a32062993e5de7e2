"""What an entry of the gallery is, and the few ways in which its rows are put together."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shufflecert.verify.exact.epsilon import Eps


@dataclass(frozen=True)
class Claim:
    """What somebody else says of a randomizer: a local eps for the parameters as built, by which formula, and who."""

    local_eps: Eps
    formula: str
    source: str


@dataclass(frozen=True)
class Entry:
    """A published randomizer with the local eps that its source claims; nothing is known of it until it is audited.

    `parameters` are those of the table as built, as text. `claimed_local_eps` is what `claim_formula`, the source's,
    gives for them; None where the source promises nothing for a single user's messages before they are shuffled. It is
    claimed at `claimed_delta`.
    `randomizer` builds the exact table when called, or a system of the catalogue where none could be written. `note`
    says what differs from what the source prints or deploys.
    """

    name: str
    title: str
    source: str
    parameters: Mapping[str, str]
    claimed_local_eps: Eps | None
    claim_formula: str
    randomizer: Callable[[], Any]
    note: str = ""
    others_claims: tuple[Claim, ...] = ()
    claimed_delta: Fraction = Fraction(0)


def at_odds(power: Fraction) -> Fraction:
    """power / (power + 1): the probability of the truth in randomized response with odds `power` to 1."""
    return power / (power + 1)
