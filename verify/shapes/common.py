"""What several answers share: numbers between decimals, scopes, promises.

Numbers are exact text ("1/3", "log(3)"), or decimals rounded outwards (`lower` down, `upper` up; "inf" where there is
no finite value).
"""

from typing import Any, Literal, NotRequired, TypedDict

Tree = dict[str, Any]
Verdict = Literal["PROVED", "REFUTED", "UNDECIDED", "HOLDS"]  # HOLDS: of code, for the law that was observed


class Ends(TypedDict):
    """A number between two decimals, which are rounded outwards; an infinite end is "inf"."""

    lower: str
    upper: str


class Parts(TypedDict):
    """The value A - B e^eps, exactly."""

    A: str
    B: str


class DeltaValue(Ends):
    """A value of delta, and exactly where it is known so."""

    exact: Parts | None


class EpsValue(Ends):
    """A value of eps, and exactly where it is known so: "log(p/q)", or "inf"."""

    exact: str | None


Worst = TypedDict("Worst", {"from": str | None, "to": str | None, "others": dict[str, int] | None})


class Neighbouring(TypedDict):
    """Which datasets are neighbours, and who is there."""

    adjacency: str
    reference: NotRequired[dict[str, str]]
    honest: NotRequired[int]
    take_part: NotRequired[str]


class Scope(Neighbouring):
    """For which datasets an answer holds, and why the pairs that were evaluated are enough."""

    view: str
    n: int
    datasets: str
    by: str
    pairs: int
    stands_for: int | None
    two_sided: bool
    worst: Worst | None


class Dated(TypedDict):
    """What every answer ends with."""

    version: str
    date: str


class About(Dated):
    """What every answer about systems says: which, their parameters, users, and digests of the files that were read.

    `given` has the parameters with the local eps that was given, where one was, in the place of what it set.
    """

    system: str
    parameters: dict[str, str] | list[dict[str, str]]
    given: NotRequired[dict[str, str] | list[dict[str, str]]]
    n: int | list[int] | str | None
    files: NotRequired[dict[str, str]]


class Promised(TypedDict):
    """A promise (eps, delta), exactly."""

    eps: str
    delta: str


class NumberOfMessages(TypedDict):
    """What the number of messages alone tells of a user who comes or goes, where all send equally many."""

    each: int
    delta: NotRequired[Ends]
