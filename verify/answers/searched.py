"""The answers of search: counterexamples, or the record that a finite space holds none; status; conjectures."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, NotRequired, TypedDict

from shufflecert.verify.answers import plots
from shufflecert.verify.answers.answer import Answer, Dated, Listing
from shufflecert.verify.answers.words import Lines
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Tree
from shufflecert.verify.exact.rational import shorten

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN, CELLS = 5, 40


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


@dataclass(frozen=True, repr=False)
class Search(Answer):
    """The answer of `search`: the smallest counterexample in words, or that there is none."""

    called = "search"
    shape, keys = SearchAnswer, ("conjecture", "hits")
    caption = "Where the counterexamples lie: how many there are with these probabilities."

    def lines(self, wide: int) -> Lines:
        """The verdict, the smallest counterexample, and the record."""
        answer = self.tree
        given = ", ".join(f"{name} = {value}" for name, value in answer["parameters"].items())
        cases = f"{answer['cases']} cases, {given}"
        if answer["verdict"] == "refuted":
            first = answer["hits"][0]
            lines: Lines = [
                f"REFUTED: {answer['statement']}",
                f"  {answer['hit_count']} of {cases} are counterexamples",
            ]
            lines.append(
                f"  the smallest, at rank {first['rank']}: {first.get('words', shorten(str(first['case']), 300))}"
            )
            made = first.get("certificates", [])
            lines += [
                f"    {one['of']}: {one['verdict']}" + (f": {one['file']}" if one["file"] else "") for one in made
            ]
            if made and not any(one["file"] for one in made) and not answer["unwritten"]:
                lines.append("    no certificates written; add -o FOLDER")
        else:
            head = (
                "EXHAUSTED: none of"
                if answer["verdict"] == "exhausted"
                else "UNFINISHED: no counterexample found among"
            )
            lines = [f"{head} {cases} is a counterexample", f"  to: {answer['statement']}"]
        if answer["alone"]:
            lines.append(f"  {answer['alone']} of them were decided one at a time")
        failures = answer["failures"]
        lines += [f"  the predicate failed at rank {one['rank']}: {one['reason']}" for one in failures[:SHOWN]]
        lines += [f"  {answer['unwritten']}"] * bool(answer["unwritten"])
        return [*lines, f"  record {answer['digest']}"]

    def headline(self) -> str:
        """Whether there is a counterexample, and the smallest, in a line."""
        first, *more = (str(line).strip() for line in self.lines(0))
        return f"{first}: {'; '.join(more[:2])}." if self.tree["hits"] else f"{first} {more[0]}"

    def rows(self) -> list[Tree]:
        """A row for each counterexample."""
        return [{"rank": hit["rank"], "case": str(hit["case"])} for hit in self.tree["hits"]]

    def plot(self) -> "Figure":
        """Where in the space counterexamples lie. Raises BadInput where there are none, or matplotlib is missing."""
        where = {tuple(map(int, cell.split(","))): count for cell, count in self.tree["where"].items()}
        if not where:
            raise BadInput("plot: no counterexamples of tables: expected some to be drawn")
        labels = ("probability of the first output, on the first input", "on the second input")
        return plots.cells_figure(where, CELLS, labels, f"{self.tree['hit_count']} of {self.tree['cases']} cases")


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


@dataclass(frozen=True, repr=False)
class Conjectures(Listing):
    """The answer of `search list`: statements that a search can try, with their parameters."""

    shape, keys = list[ConjectureRow], ("name", "ranks")

    def lines(self, wide: int) -> Lines:
        """Each statement, its parameters and its source."""
        lines: Lines = []
        for row in self.tree:
            given = " ".join(f"{name}={value}" for name, value in row["parameters"].items())
            told = f"    {given}: {row['ranks']} ranks; {row['source']}".rstrip("; ")
            lines += [f"{row['name']}: {row['statement']}", told]
        return lines


@dataclass(frozen=True, repr=False)
class Status(Answer):
    """The answer of `search status`: how far a search with a journal is."""

    called = "search"
    shape, keys = SearchStatus, ("search", "running")

    def lines(self, wide: int) -> Lines:
        """How many blocks are done, and the time that is left."""
        tree = self.tree
        rate = f", {tree['rate']:.3g} blocks a second" if tree["rate"] else ""
        left = f", {tree['left']:.0f} s left" if tree["left"] else ""
        state = "running" if tree["running"] else "finished" if tree["done"] == tree["total"] else "stopped"
        failed = f", {tree['failed']} failed" if tree["failed"] else ""
        return [f"{tree['search']}: {state}: {tree['done']} of {tree['total']} blocks done{failed}{rate}{left}"]
