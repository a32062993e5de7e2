"""The answers of audit: of a randomizer or code, of a black box, of the gallery."""

from typing import Any, Literal, NotRequired, TypedDict

from shufflecert.verify.shapes.common import About, DeltaValue, Ends, EpsValue, Promised, Scope, Tree
from shufflecert.verify.shapes.decided import Decided


class Kept(TypedDict):
    """The smallest eps at delta = 0 in a view."""

    epsilon: EpsValue


class EpsAtDelta(EpsValue):
    """The smallest eps at a delta."""

    delta: str


class DeltaAtEps(DeltaValue):
    """delta at an eps."""

    eps: str


Piece = TypedDict("Piece", {"from": str, "A": str, "B": str})  # delta = A - B e^eps from this eps on


class Users(TypedDict):
    """What so many users keep, shuffled; `refused` where that was too much work."""

    n: int
    refused: NotRequired[str]
    epsilon: NotRequired[EpsValue]
    epsilon_at_delta: NotRequired[EpsAtDelta]
    amplification: NotRequired[Ends | None]
    delta: NotRequired[list[DeltaAtEps]]
    scope: NotRequired[Scope]
    envelope: NotRequired[list[Piece] | None]


class Leak(TypedDict):
    """An output of one input that another one never has."""

    output: list[str]
    of: str
    never_of: str
    probability: str
    unexplored: str


class Blanket(Ends):
    """The weight of the privacy blanket, exactly where it is known."""

    gamma: str | None


class Communication(TypedDict):
    """What a user sends."""

    expected_messages: dict[str, str]
    bits_per_message: int


class Judged(Decided):
    """A promise and its verdict: a claim that was made, or, of an attack, the promise that its event breaks."""

    n: int
    view: str
    refuted_delta: NotRequired[str]
    by_rounding: NotRequired[Ends]


class Sampler(TypedDict):
    """How a function's law was found: followed, or observed, which rests on what it `assumes` (`refused`: why)."""

    tier: Literal["followed", "observed"]
    assumes: list[str]
    refused: str | None
    each: bool
    deployed: bool
    rng: str | None
    paths: dict[str, int]
    residual: dict[str, Ends]
    assumed_exact: list[str]
    of: dict[str, str] | None
    laws: dict[str, list[Tree]]
    patched: NotRequired[list[str]]


class AgainstIdeal(TypedDict):
    """The difference that floats make."""

    total_variation: dict[str, Ends]
    local_epsilon: dict[str, EpsValue]


class AuditAnswer(About):
    """The answer of `audit` for a randomizer, a system, or a function whose paths are followed."""

    audit: str
    inputs: list[str]
    messages: int
    local: Kept
    preshuffle: Kept
    shuffled: list[Users]
    large: Users
    leaks: list[Leak]
    blanket: Blanket
    communication: Communication
    symmetries: list[dict[str, str]]
    attack: Judged | None
    claim: Judged | None
    sampler: NotRequired[Sampler]
    against_ideal: NotRequired[AgainstIdeal]
    not_written: NotRequired[str]


ShownBy = TypedDict(
    "ShownBy",
    {
        "from": str,
        "to": str,
        "event": list[list[str]],
        "outputs": int,
        "counts": dict[str, int],
        "probability": dict[str, dict[str, str]],
    },
)  # the event that shows a bound, and how often it was seen


class AtLeastEps(TypedDict):
    """A lower bound on eps."""

    delta: str
    lower: str
    shown_by: ShownBy


class AtLeastDelta(TypedDict):
    """A lower bound on delta."""

    eps: str
    lower: str
    shown_by: ShownBy


class Detectable(TypedDict):
    """What so many runs find."""

    power: str
    leak: str | None
    randomized_response: str | None


class BlackBoxAnswer(About):
    """The answer of `audit --black-box`: lower bounds at a stated confidence."""

    black_box: str
    rng: str | None
    inputs: list[Any]
    view: str
    others: Any
    samples: int
    confidence: str
    seed: Any
    outputs: int
    claim: Promised | None
    verdict: Literal["contradicted", "not contradicted"] | None
    epsilon: AtLeastEps
    delta: list[AtLeastDelta]
    detectable: Detectable
    statement: str


class GalleryRow(TypedDict):
    """One randomizer of the field: what is claimed of it, and what it keeps. None: not counted, or without end."""

    name: str
    title: str
    source: str
    parameters: dict[str, Any]
    inputs: int | None
    messages: int | None
    claimed: dict[str, str] | None
    verdict: str | None
    by_rounding: NotRequired[Ends]
    others_claims: list[dict[str, str]]
    local: Kept
    preshuffle: Kept
    shuffled: Tree
    note: str | None


class GalleryAnswer(About):
    """The answer of `audit --gallery`."""

    gallery: list[GalleryRow]
    delta: str
