"""The answer of search: counterexamples, or the record that a finite space holds none."""

from dataclasses import dataclass

from verify.answers.answer import Answer
from verify.exact.rational import shorten
from verify.shapes.common import Tree
from verify.shapes.listed import SearchAnswer

SHOWN = 5


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
    failures = answer["failures"]
    lines += [f"  the predicate failed at rank {one['rank']}: {one['reason']}" for one in failures[:SHOWN]]
    lines += [f"  {answer['unwritten']}"] * bool(answer["unwritten"])
    return "\n".join([*lines, f"  record {answer['digest']}"])
