"""The answers of delta, epsilon, accuracy, certify and check."""

from typing import Any, Literal, NotRequired, TypedDict

from shufflecert.verify.shapes.common import (
    About,
    Dated,
    DeltaValue,
    Ends,
    EpsValue,
    NumberOfMessages,
    Promised,
    Scope,
    Tree,
    Verdict,
)


class DeltaAnswer(About):
    """The answer of `delta`: the largest delta(eps) over all neighbouring datasets."""

    eps: str
    delta: DeltaValue
    local_epsilon: EpsValue | None
    scope: Scope
    number_of_messages: NotRequired[NumberOfMessages]


class EpsilonAnswer(About):
    """The answer of `epsilon`: the smallest eps that keeps a delta over all neighbouring datasets."""

    delta: str
    epsilon: EpsValue
    local_epsilon: EpsValue | None
    scope: Scope
    number_of_messages: NotRequired[NumberOfMessages]


class AccuracyAnswer(About):
    """The answer of `accuracy`: the analyzer's error, and what a user sends."""

    error_of: str
    alpha: str | None
    rmse: Ends
    failure_probability: Ends | None
    expected_messages: Ends
    bits_per_message: int
    datasets: str


class Nearest(TypedDict):
    """Beside a claim that is not decided: what is, at the same eps, and what would decide more."""

    proved: Promised | None
    refuted: Promised | None
    more: str


class Refutation(TypedDict):
    """The event that breaks a promise, and its probabilities on the two datasets."""

    pair: NotRequired[Tree]
    event: NotRequired[list[Any]]
    threshold: NotRequired[Tree]
    delta: NotRequired[Tree]
    others: NotRequired[Any]
    P: Ends
    Q: Ends


class Decided(TypedDict):
    """A verdict on a promise, with what shows it."""

    verdict: Verdict
    claim: Promised
    delta: DeltaValue | None
    scope: Scope | None
    certificate: str | None
    states: NotRequired[str]
    reason: NotRequired[str]
    nearest: NotRequired[Nearest]
    refutation: NotRequired[Refutation]


class CertifyAnswer(Decided, About):
    """The answer of `certify`: whether a promise is kept; `chosen` names what was not given, and was chosen."""

    chosen: NotRequired[Literal["eps", "delta"]]
    local_epsilon: EpsValue | None
    number_of_messages: NotRequired[NumberOfMessages]


class CheckedClaim(TypedDict):
    """What an accepted certificate states: the promise, and of what."""

    eps: str
    delta: str
    adjacency: str
    datasets: str
    view: str | None
    n: int | None


class CheckRow(Dated):
    """The kernel on one certificate; `verdict` and `claim` are what an accepted one states."""

    certificate: str
    status: Literal["accepted", "rejected", "malformed", "undecided"]
    reason: str
    verdict: Literal["PROVED", "REFUTED"] | None
    claim: CheckedClaim | None
