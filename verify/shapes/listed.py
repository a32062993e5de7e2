"""The answers of search, systems, claims, table, export, import and report, and what goes wrong."""

from typing import Any, Literal, NotRequired, TypedDict

from shufflecert.verify.shapes.common import About, Dated, Neighbouring, Tree


class HitCertificate(TypedDict):
    """A certificate of the smallest counterexample: of what, its verdict, and where it was written."""

    of: str
    verdict: str
    file: str | None


class Hit(TypedDict):
    """A counterexample: its rank in the space, and the case; of the smallest, words, numbers and certificates."""

    rank: int
    case: Any
    words: NotRequired[str]
    numbers: NotRequired[Tree]
    certificates: NotRequired[list[HitCertificate]]


class Failure(TypedDict):
    """A case that was not decided."""

    rank: int
    reason: str


class SearchAnswer(Dated):
    """The answer of `search`: the counterexamples, or the record that the space holds none.

    `unwritten` says why a folder for certificates stayed without any; null where none was asked for, or some are there.
    `alone` counts the cases of a claim that were decided one at a time, and `where` the counterexamples by cells "i,j":
    i/40 is the probability of the first output on the first input, j/40 that on the second.
    """

    conjecture: str
    statement: str
    parameters: Tree
    n: Any
    verdict: Literal["refuted", "exhausted", "unfinished"]
    hits: list[Hit]
    hit_count: int
    space: Any
    cases: int
    failures: list[Failure]
    digest: str
    alone: int
    where: dict[str, int]
    unwritten: str | None


class SearchStatus(Dated):
    """The answer of `search status`: how far a search is."""

    search: str
    parameters: Tree
    total: int
    done: int
    failed: int
    spent: float
    rate: float | None
    left: float | None
    running: bool


class ConjectureRow(Dated):
    """A row of `search list`."""

    name: str
    statement: str
    source: str
    parameters: Tree
    ranks: int


class Parameter(TypedDict):
    """A parameter of a system; `default` is null where a value must be given."""

    name: str
    meaning: str
    default: str | None


class SystemRow(Dated):
    """A row of `systems`; `eps0_sets` names the parameter in the place of which a local eps may be given."""

    name: str
    synonyms: list[str]
    what: str
    parameters: list[Parameter]
    eps0_sets: str | None
    views: list[str]
    source: str
    reduction: bool
    reach: str
    accuracy: bool
    paper: bool
    tasks: list[str]


class MadeCertificate(TypedDict):
    """A claim behind a refutation: the command that makes its certificate, and the verdict."""

    command: str
    verdict: str


class Evaluation(TypedDict):
    """An inequality between rational numbers behind a refutation, and what it says of the statement."""

    inequality: str
    meaning: str


class ClaimRow(Dated):
    """A row of `claims`: a paper's statement, and what was found."""

    name: str
    place: str
    statement: str
    verdict: str
    range: str
    evidence: list[str]
    seconds: float
    certificates: list[MadeCertificate]
    evaluations: list[Evaluation]


class FailedCell(TypedDict):
    """A row of the table that was not made."""

    cell: Any
    reason: str


class TableAnswer(Dated):
    """The answer of `table`: how many rows were written."""

    table: str
    rows: int
    without_value: int
    failures: list[FailedCell]


class TableCheck(Dated):
    """A row of `table --check`."""

    row: str
    verdict: str
    status: str
    reason: str


class ExportAnswer(About, Neighbouring):
    """The answer of `export`."""

    view: str
    by: str
    to: str
    bounds: str
    size: int
    eps_max: str
    file: str


class ImportAnswer(Dated):
    """The answer of `import`."""

    source: str
    files: dict[str, str]
    outcomes: dict[str, int]
    missing: dict[str, str]
    file: str


class ReportAnswer(Dated):
    """The answer of `report`."""

    file: str
    kind: str
    status: str | None
    reason: str | None
    report: str
    files: dict[str, str]


class Problem(TypedDict):
    """What went wrong: `kind` says in one word what, `status` is the exit status."""

    kind: Literal["bad input", "undecided", "not done", "interrupted"]
    message: str
    status: int


class ErrorAnswer(Dated):
    """The answer of any command that has none."""

    error: Problem
