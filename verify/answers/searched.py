"""The answer of search: counterexamples, or the record that a finite space holds none."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from shufflecert.verify.answers.answer import Answer
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import shorten
from shufflecert.verify.report import plots
from shufflecert.verify.shapes.common import Tree
from shufflecert.verify.shapes.listed import SearchAnswer

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SHOWN, CELLS = 5, 40


@dataclass(frozen=True, repr=False)
class Search(Answer):
    """The answer of `search`: the smallest counterexample in words, or that there is none."""

    shape = SearchAnswer

    def words(self) -> str:
        """The verdict, the smallest counterexample, and the record."""
        return search_text(self.tree)

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


def search_text(answer: Tree) -> str:
    """The answer of `search` in words."""
    given = ", ".join(f"{name} = {value}" for name, value in answer["parameters"].items())
    cases = f"{answer['cases']} cases, {given}"
    if answer["verdict"] == "refuted":
        first = answer["hits"][0]
        lines = [f"REFUTED: {answer['statement']}", f"  {answer['hit_count']} of {cases} are counterexamples"]
        lines.append(f"  the smallest, at rank {first['rank']}: {first.get('words', shorten(str(first['case']), 300))}")
        made = first.get("certificates", [])
        lines += [f"    {one['of']}: {one['verdict']}" + (f": {one['file']}" if one["file"] else "") for one in made]
        if made and not any(one["file"] for one in made) and not answer["unwritten"]:
            lines.append("    no certificates written; add -o FOLDER")
    else:
        head = "EXHAUSTED: none of" if answer["verdict"] == "exhausted" else "UNFINISHED: no counterexample found among"
        lines = [f"{head} {cases} is a counterexample", f"  to: {answer['statement']}"]
    if answer["alone"]:
        lines.append(f"  {answer['alone']} of them were decided one at a time")
    failures = answer["failures"]
    lines += [f"  the predicate failed at rank {one['rank']}: {one['reason']}" for one in failures[:SHOWN]]
    lines += [f"  {answer['unwritten']}"] * bool(answer["unwritten"])
    return "\n".join([*lines, f"  record {answer['digest']}"])
