"""The answers of compose and profile."""

from typing import NotRequired, TypedDict

from shufflecert.verify.shapes.common import About, Dated, DeltaValue, Ends, EpsValue, NumberOfMessages, Scope

WorstRun = TypedDict(
    "WorstRun", {"system": str, "times": int, "from": str | None, "to": str | None, "others": dict[str, int] | None}
)


class ComposedScope(TypedDict):
    """For which datasets a composition's answer holds."""

    adjacency: str
    group: int
    view: str
    n: int | list[int]
    datasets: str
    users: str
    data: str
    inputs: str
    by: str
    pairs: int
    stands_for: int | None
    two_sided: bool
    worst: list[WorstRun]
    reference: NotRequired[dict[str, str]]
    honest: NotRequired[int]
    take_part: NotRequired[str]


class WrittenCertificate(TypedDict):
    """A file of certificates that the kernel has accepted: what each states, and what could not be written."""

    file: str
    states: list[str]
    missing: str


class ComposeAnswer(About):
    """The answer of `compose`: delta, or eps, of systems seen together."""

    times: int | list[int]
    eps: NotRequired[str]
    delta: DeltaValue | str
    epsilon: NotRequired[EpsValue]
    scope: ComposedScope
    number_of_messages: NotRequired[NumberOfMessages]
    certificate: NotRequired[WrittenCertificate]


class Point(Ends):
    """A point of a curve: its x is `eps`, `alpha` or `order`."""

    eps: NotRequired[str]
    alpha: NotRequired[str]
    order: NotRequired[str]


class Curve(TypedDict):
    """One system's curve."""

    system: str
    parameters: dict[str, str]
    given: NotRequired[dict[str, str]]
    rho: NotRequired[Ends]
    scope: Scope
    number_of_messages: NotRequired[NumberOfMessages]
    points: list[Point]


class ProfileAnswer(Dated):
    """The answer of `profile`: privacy profiles, or trade-off curves, or Renyi divergences."""

    system: str
    n: int
    files: NotRequired[dict[str, str]]
    curves: NotRequired[list[Curve]]
    trade_off: NotRequired[list[Curve]]
    renyi: NotRequired[list[Curve]]
