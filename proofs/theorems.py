"""Theorems that Coq has checked, for all protocols at once: `make coq` compiles them and prints what they rest on."""

import csv
from dataclasses import dataclass
from pathlib import Path

from shufflecert.proofs import ledger

FOLDER = Path(__file__).with_name("coq")
HEADER = ("theorem", "file", "statement", "source")
TITLE = "\n# Theorems in Coq\n\nOf all randomizers, all n, all datasets. `make coq` compiles them.\n\n"


@dataclass(frozen=True)
class Theorem:
    """A theorem's name and file (without .v) in proofs/coq/, what it says, and where the statement comes from."""

    name: str
    file: str
    statement: str
    source: str

    @property
    def path(self) -> Path:
        """The file that holds the theorem's proof."""
        return FOLDER / f"{self.file}.v"


def _read() -> tuple[Theorem, ...]:
    with FOLDER.with_name("theorems.csv").open(encoding="utf-8", newline="") as file:
        return tuple(Theorem(**row) for row in csv.DictReader(file))


THEOREMS = _read()


def table() -> str:
    """The theorems in Markdown, for MAP.md."""
    rows = [
        (
            f"`{one.name}`",
            f"[`proofs/coq/{one.file}.v`](coq/{one.file}.v)",
            one.statement.replace("|", r"\|"),
            one.source,
        )
        for one in THEOREMS
    ]
    return TITLE + ledger.table(HEADER, rows)
