"""The answers that are lists, and of what was written: check, systems, claims, table, export, import."""

from dataclasses import dataclass
from json import dumps
from typing import Any, ClassVar

from shufflecert.verify.answers.answer import Answer, _flat
from shufflecert.verify.report import words
from shufflecert.verify.shapes import listed
from shufflecert.verify.shapes.common import Tree
from shufflecert.verify.shapes.decided import CheckRow

GRAVEST = ("malformed", "rejected", "undecided", "accepted")  # first


@dataclass(frozen=True, repr=False)
class Listing(Answer):
    """An answer of several rows, each a tree; `listing[i]` is one of them."""

    tree: Any
    written: ClassVar[Any]  # rows to text

    def words(self) -> str:
        """All rows, as the command prints them."""
        return str(type(self).written(self.tree))

    def rows(self) -> list[Tree]:
        """Each row's texts and numbers."""
        return [_flat(row) for row in self.tree]

    def __len__(self) -> int:
        return len(self.tree)

    def __getitem__(self, i: int) -> Tree:
        found: Tree = self.tree[i]
        return found


@dataclass(frozen=True, repr=False)
class Checked(Listing):
    """The answer of `check`: a row for each certificate, with its status and what it states or why not."""

    shape = list[CheckRow]
    written = staticmethod(words.check_text)

    @property
    def status(self) -> str:
        """The gravest status among them: accepted where all are."""
        found = {row["status"] for row in self.tree}
        return next(status for status in GRAVEST if status in found)

    @property
    def reason(self) -> str:
        """What the kernel says of the first that has this status."""
        return next(str(row["reason"]) for row in self.tree if row["status"] == self.status)


@dataclass(frozen=True, repr=False)
class Systems(Listing):
    """The answer of `systems`: parameters, views, source of each."""

    shape = list[listed.SystemRow]
    written = staticmethod(lambda rows: words.systems_table(rows) if len(rows) == 1 else words.systems_list(rows))


@dataclass(frozen=True, repr=False)
class Claims(Listing):
    """The answer of `claims`: papers' statements, settled."""

    shape = list[listed.ClaimRow]
    written = staticmethod(words.claims_text)


@dataclass(frozen=True, repr=False)
class Conjectures(Listing):
    """The answer of `search list`: statements that a search can try, with their parameters."""

    shape = list[listed.ConjectureRow]

    def words(self) -> str:
        """Each statement, its parameters and its source."""
        lines = []
        for row in self.tree:
            given = " ".join(f"{name}={value}" for name, value in row["parameters"].items())
            told = f"    {given}: {row['ranks']} ranks; {row['source']}".rstrip("; ")
            lines += [f"{row['name']}: {row['statement']}", told]
        return "\n".join(lines)


@dataclass(frozen=True, repr=False)
class Status(Answer):
    """The answer of `search status`: how far a search with a journal is."""

    shape = listed.SearchStatus

    def words(self) -> str:
        """How many blocks are done, and the time that is left."""
        tree = self.tree
        rate = f", {tree['rate']:.3g} blocks a second" if tree["rate"] else ""
        left = f", {tree['left']:.0f} s left" if tree["left"] else ""
        state = "running" if tree["running"] else "finished" if tree["done"] == tree["total"] else "stopped"
        failed = f", {tree['failed']} failed" if tree["failed"] else ""
        return f"{tree['search']}: {state}: {tree['done']} of {tree['total']} blocks done{failed}{rate}{left}"


@dataclass(frozen=True, repr=False)
class Table(Answer):
    """The answer of `table`: how many rows were written."""

    shape = listed.TableAnswer

    def words(self) -> str:
        """How many rows, and what failed."""
        tree = self.tree
        head = f"{tree['table']}: {tree['rows']} rows, {tree['without_value']} of them without a value that serves"
        return "\n".join([head, *(f"  failed: {dumps(row['cell'])}: {row['reason']}" for row in tree["failures"])])


@dataclass(frozen=True, repr=False)
class TableChecked(Listing):
    """The answer of `table --check`: both certificates of each row, made again and re-checked."""

    shape = list[listed.TableCheck]

    def words(self) -> str:
        """A line for each certificate."""
        return "\n".join(f"{row['row']}: {row['verdict']}: {row['status']}: {row['reason']}" for row in self.tree)


@dataclass(frozen=True, repr=False)
class Exported(Answer):
    """The answer of `export`: what was written, and which bounds it holds."""

    shape = listed.ExportAnswer

    def words(self) -> str:
        """Which bounds, for which datasets, for whom."""
        tree = self.tree
        return (
            f"{tree['system']}: {tree['bounds']}\n  {tree['view']} view, n = {tree['n']},"
            f" neighbours: {words.adjacency_text(tree)}: {tree['by']}\n"
            f"  {tree['size']} points up to eps = {tree['eps_max']}, for {tree['to']}: {tree['file']}"
        )


@dataclass(frozen=True, repr=False)
class Imported(Answer):
    """The answer of `import`: two laws as a randomizer with the inputs P and Q."""

    shape = listed.ImportAnswer

    def words(self) -> str:
        """How many outcomes, and what was missing of either law."""
        tree = self.tree
        lines = [f"{tree['source']}: {tree['outcomes']['P']} outcomes of P, {tree['outcomes']['Q']} of Q"]
        lines += [f"  only {name} has {share}" for name, share in tree["missing"].items() if share != "0"]
        return "\n".join([*lines, f"  randomizer with the inputs P and Q: {tree['file']}"])
