"""The answers of calibrate and compare."""

from typing import NotRequired, TypedDict

from shufflecert.verify.shapes.common import Dated, DeltaValue, Ends, EpsValue, Neighbouring, Promised, Scope
from shufflecert.verify.shapes.decided import Nearest


class Failing(TypedDict):
    """The value beside the calibrated one that is shown to break the promise."""

    delta: DeltaValue
    adjacent: bool


class SearchedPoint(Ends):
    """A value of the parameter that was looked at, with delta between two ends there, as far as it is known."""

    value: str


Searched = TypedDict(
    "Searched",
    {
        "step": str,
        "from": str,
        "to": str | None,
        "evaluated": int,
        "candidates": int,
        "lemma": str | None,
        "complete": bool,
        "reason": str,
        "points": list[SearchedPoint],
    },
)  # what a calibration looked at, and why that is enough


class Objective(Ends):
    """What was to be small, and its limits."""

    name: str
    most_rmse: str | None
    most_messages: str | None


class Cost(TypedDict):
    """The error, in users, and what a user sends."""

    rmse: Ends | None
    expected_messages: Ends
    bits_per_message: int


class CalibratedPaper(TypedDict):
    """The same with the parameters that the system's paper prescribes."""

    parameters: dict[str, str]
    rmse: Ends
    ratio: Ends


class WrittenCertificate(TypedDict):
    """A certificate that was written, or why there is none."""

    verdict: str
    certificate: str | None
    reason: str | None


class Undecided(TypedDict):
    """Why no certificate of what is kept could be written that the kernel accepts, and what is decided nearby."""

    reason: str
    nearest: Nearest | None


class CalibrateAnswer(Dated):
    """The answer of `calibrate`: the least noise that keeps a promise, next to a value that is shown to fail."""

    system: str
    n: int
    target: Promised
    parameter: str
    value: str
    decimal: str
    fails_at: str | None
    parameters: dict[str, str]
    delta: DeltaValue
    scope: Scope
    fails: Failing | None
    search: Searched
    objective: Objective | None
    accuracy: Cost | None
    paper: CalibratedPaper | None
    local_epsilon: EpsValue | None
    certificates: list[WrittenCertificate]
    undecided: NotRequired[Undecided]


class ComparedPaper(TypedDict):
    """A system with its paper's parameters."""

    parameters: dict[str, str]
    rmse: Ends
    expected_messages: Ends
    ratio: dict[str, Ends | None]


class ComparedRow(TypedDict):
    """One system at the least noise that keeps the promise; without numbers where there are none, and the note why."""

    system: str
    central: bool
    parameters: dict[str, str] | None
    delta: DeltaValue | None
    rmse: Ends | None
    simultaneous: Ends | None
    expected_messages: Ends | None
    bits_per_message: int | None
    bits: Ends | None
    paper: ComparedPaper | None
    note: str | None
    finished: bool


class CompareAnswer(Dated, Neighbouring):
    """The answer of `compare`: every system that serves a task; `unfinished` names those of which nothing is known."""

    task: str
    n: int
    eps: str
    delta: str
    buckets: int | None
    slack: str
    rows: list[ComparedRow]
    unfinished: list[str]
