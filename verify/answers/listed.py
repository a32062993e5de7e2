"""The answers that are lists, and of what was written: systems, claims, table, export, import, report; an error's."""

from dataclasses import dataclass
from json import dumps
from pathlib import Path
from textwrap import wrap
from typing import Any, Literal, TypedDict

from shufflecert.verify.answers import words
from shufflecert.verify.answers.answer import (
    CHECKED,
    OK,
    REFUTED,
    UNDECIDED,
    About,
    Answer,
    Dated,
    Listing,
    Neighbouring,
)
from shufflecert.verify.answers.words import Lines

INDENT: Any = {"initial_indent": "  ", "subsequent_indent": "      "}
TASKS = {"sum": "Sums of bits or numbers", "histogram": "Histograms", "mean": "Means of real numbers"}


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


@dataclass(frozen=True, repr=False)
class Systems(Listing):
    """The answer of `systems`: by task, a line each; of one alone, parameters, views, source."""

    shape, keys = list[SystemRow], ("name", "what", "views")

    def lines(self, wide: int) -> Lines:
        """The systems by the task that they serve; `systems NAME` has all of one."""
        if len(self.tree) == 1:
            return self._in_full()
        lines: Lines = []
        for task, title in {**TASKS, "": "Other systems, and families of randomizers"}.items():
            found = [row for row in self.tree if (task in row["tasks"] if task else not row["tasks"])]
            if not found:
                continue
            lines.append(f"{title}:" if not task else f"{title} (shufflecert compare {task}):")
            for row in found:
                given = " ".join(f"-p {p['name']}=..." for p in row["parameters"] if p["default"] is None)
                lines += wrap(f"{row['name']} {given}".rstrip() + f": {row['what']}{_called(row)}", wide, **INDENT)
        return [*lines, "shufflecert systems NAME: parameters, views, source, how far its answers go"]

    def _in_full(self) -> Lines:
        (row,) = self.tree
        lines: Lines = [f"{row['name']}{_called(row)}: {row['what']}"]
        for parameter in row["parameters"]:
            default = f" (default {parameter['default']})" if parameter["default"] is not None else ""
            lines.append(f"    -p {parameter['name']}=...  {parameter['meaning']}{default}")
        if row["eps0_sets"]:
            lines.append(f"    -p eps0=...  the local eps, in the place of {row['eps0_sets']}")
        lines.append(f"    views: {', '.join(row['views'])}; source: {row['source']}")
        return [*lines, f"    large n: {row['reach']}"]


def _called(row: Any) -> str:
    return f" ({', '.join(row['synonyms'])})" if row["synonyms"] else ""


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


@dataclass(frozen=True, repr=False)
class Claims(Listing):
    """The answer of `claims`: papers' statements, settled."""

    shape, keys = list[ClaimRow], ("name", "place", "evidence")

    def lines(self, wide: int) -> Lines:
        """Each statement with its verdict, its range and its evidence."""
        lines: Lines = []
        for row in self.tree:
            exactly = [f"{one['inequality']}: {one['meaning']}" for one in row["evaluations"]]
            made = [f"{one['command']}: {one['verdict']}" for one in row["certificates"]]
            lines += [""] * bool(lines) + [f"{row['name']} ({row['place']}): {row['verdict'].upper()}"]
            lines += [f"  {row['statement']}", f"  range: {row['range']}", "  evidence:"]
            lines += [f"    {line}" for line in (*row["evidence"], *exactly, *made)] + [f"  {row['seconds']:.2f} s"]
        return lines


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


@dataclass(frozen=True, repr=False)
class ParameterTable(Answer):
    """The answer of `table`: how many rows were written."""

    shape, keys = TableAnswer, ("table", "rows")

    def lines(self, wide: int) -> Lines:
        """How many rows, and what failed."""
        tree = self.tree
        made = words.counted(tree["rows"], "row")
        head = f"{tree['table']}: {made}, {tree['without_value']} without a value that serves"
        return [head, *(f"  failed: {dumps(row['cell'])}: {row['reason']}" for row in tree["failures"])]


class TableCheck(Dated):
    """A row of `table --check`."""

    row: str
    verdict: str
    status: str
    reason: str


@dataclass(frozen=True, repr=False)
class TableChecked(Listing):
    """The answer of `table --check`: both certificates of each row, made again and re-checked."""

    shape, keys = list[TableCheck], ("row", "verdict", "status")

    def lines(self, wide: int) -> Lines:
        """A line for each certificate."""
        return [f"{row['row']}: {row['verdict']}: {row['status']}: {row['reason']}" for row in self.tree]

    @property
    def exit_status(self) -> int:
        """The command's exit status: 1 where a certificate is not accepted, else 3 where one is undecided."""
        found = {row["status"] for row in self.tree}
        return REFUTED if found & {"rejected", "malformed"} else UNDECIDED if "undecided" in found else OK


class ExportAnswer(About, Neighbouring):
    """The answer of `export`."""

    view: str
    by: str
    to: str
    bounds: str
    size: int
    eps_max: str
    file: str


@dataclass(frozen=True, repr=False)
class Exported(Answer):
    """The answer of `export`: what was written, and which bounds it holds."""

    shape, keys = ExportAnswer, ("bounds", "size")

    def lines(self, wide: int) -> Lines:
        """Which bounds, for which datasets, for whom."""
        tree = self.tree
        seen = f"  {tree['view']} view, n = {tree['n']}, neighbours: {words.adjacency_text(tree)}: {tree['by']}"
        size = f"  {tree['size']} points up to eps = {tree['eps_max']}, for {tree['to']}: {tree['file']}"
        return [f"{tree['system']}: {tree['bounds']}", seen, size]


class ImportAnswer(Dated):
    """The answer of `import`."""

    source: str
    files: dict[str, str]
    outcomes: dict[str, int]
    missing: dict[str, str]
    file: str


@dataclass(frozen=True, repr=False)
class Imported(Answer):
    """The answer of `import`: two laws as a randomizer with the inputs P and Q."""

    shape, keys = ImportAnswer, ("outcomes", "missing")

    def lines(self, wide: int) -> Lines:
        """How many outcomes, and what was missing of either law."""
        tree = self.tree
        lines: Lines = [f"{tree['source']}: {tree['outcomes']['P']} outcomes of P, {tree['outcomes']['Q']} of Q"]
        lines += [f"  only {name} has {share}" for name, share in tree["missing"].items() if share != "0"]
        return [*lines, f"  randomizer with the inputs P and Q: {tree['file']}"]


class ReportAnswer(Dated):
    """The answer of `report`."""

    file: str
    kind: str
    status: str | None
    reason: str | None
    report: str
    files: dict[str, str]


@dataclass(frozen=True, repr=False)
class Report(Answer):
    """The answer of `report`: which page was written about what, and what the kernel finds of a certificate."""

    shape, keys = ReportAnswer, ("report", "kind")

    def lines(self, wide: int) -> Lines:
        """The page, what it is about, and what was found."""
        tree = self.tree
        found = f"{tree['status']}: {tree['reason']}" if tree["status"] else "an answer; nothing was checked"
        return [f"{tree['report']}: report on {tree['file']} ({tree['kind']})", f"  {found}"]

    @property
    def path(self) -> Path:
        """Where the report is."""
        return Path(self.tree["report"])

    @property
    def status(self) -> str | None:
        """What the kernel finds of a certificate; None of an answer, which nobody checks."""
        found: str | None = self.tree["status"]
        return found

    @property
    def exit_status(self) -> int:
        """The command's exit status: that of `check`, 0 of an answer."""
        return CHECKED[self.status] if self.status else OK


class Problem(TypedDict):
    """What went wrong: `kind` says in one word what, `status` is the exit status."""

    kind: Literal["bad input", "undecided", "not done", "interrupted"]
    message: str
    status: int


class ErrorAnswer(Dated):
    """The answer of any command that has none."""

    error: Problem


@dataclass(frozen=True, repr=False)
class Error(Answer):
    """What any command answers with --json where it has no answer."""

    shape, keys = ErrorAnswer, ("error",)

    def lines(self, wide: int) -> Lines:
        """What went wrong."""
        return [str(self.tree["error"]["message"])]
