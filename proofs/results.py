"""RESULTS.md: what is new here, on one page, each line with the command that shows it.

`python -m shufflecert.proofs.results` writes it.

Nothing on the page is typed twice: verdicts and ranges come from MAP.md, constants from constants.csv, searches from
SEARCHES.md, and what is said of a sharper theorem stands, word by word, in the finding of its check.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from shufflecert.proofs import constants, map, refutations, searches
from shufflecert.proofs.ledger import statements, table
from shufflecert.proofs.statement import VERDICTS, Statement
from shufflecert.proofs.witness import Certificate, Evaluation
from shufflecert.verify.exact.rational import text
from shufflecert.verify.runs.writing import write_whole

FILE = Path(__file__).with_name("RESULTS.md")
SPLIT = re.compile(r"(?<!\\) \| ")
HEAD = """# Results

What executing {count} statements of five documents, and of the literature since, has shown that they do not say (BC:
Balcer & Cheu 2020; NOTES: a reader's notes on it; GKMP: Ghazi, Kumar, Manurangsi & Pagh 2021; CZ: Cheu & Zhilyaev
2022; BBGN: Balle, Bell, Gascon & Nissim 2019; LIT: named in each row). Each line is shown by its command; every
verdict with its range is in [MAP.md](MAP.md). This page is made by `python -m shufflecert.proofs.results`.
"""


@dataclass(frozen=True)
class Sharper:
    """A theorem that holds with more than is printed: what is printed, and what its check says it proves."""

    name: str
    printed: str
    proved: str


FOUND = (  # by searches of whole spaces: the command, and what it answers
    ("pure-eps-others-equal", "Do the worst others of a pure eps all hold one input? Not always, at three bits"),
    ("delta-is-convex-in-n", "Does each further user help less than the one before? Not always, at a fixed eps"),
    ("blanket-gap -p gap=0.038", "How far above delta is the blanket, at most? One randomizer is the furthest"),
)

SHARPER = (
    Sharper("BC-thm-11-i", "50 ln(2/delta) / (eps^2 n) coins", "17 in place of 50 would do"),
    Sharper("BC-cor-24", "(eps, delta)", "Chernoff gives (delta/2)^3.8 there"),
    Sharper(
        "GKMP-thm-1", "O(log^2(1/delta) / (gamma eps^2 n)) more bits", "1 + 1652 log(1/delta) / (gamma eps n) bits"
    ),
    Sharper("GKMP-thm-11", "16 log(10/delta) / a^2 + 2 Delta / a", "lam = (28/3) log(1/delta) / a^2 + 2 Delta / a"),
    Sharper("GKMP-thm-13", "all eps and Delta", "eps <= 26.67: true; eps >= 26.68: false for some Delta, delta"),
    Sharper("GKMP-lem-15", "a squared error of Omega_eps(log(1/delta))", "squared error >= log(1/delta)"),
    Sharper(
        "GKMP-thm-18-corrected", "e^eps1 delta2 + 2 e^(2 eps1) delta3", "(eps1 + eps2, delta2 + (1 + e^eps1) delta3)-DP"
    ),
    Sharper("CZ-claim-iii.1-stripped", "33/5", "sharper: 4 in the place of 33/5"),
    Sharper("BBGN-thm-3.1-stripped", "14", "sharper: 13 in the place of 14"),
    Sharper(
        "BBGN-sec-1.1.3-amplification",
        "eps = O(min(1, eps0) e^eps0 sqrt(log(1/delta)/n))",
        "eps = 3 min(1, eps0) e^eps0 sqrt(log(1/delta)/n) suffices",
    ),
    Sharper("BC-claim-18", "eps of R is at most that of the protocol", "eps(n users shuffled, delta = 0) = eps(R)"),
    Sharper(
        "ANY-randomizer",
        "one pair for all eps0-private randomizers: published bounds have errata",
        "45 exact worst cases of vertices, n <= 3, none above the bound; n = 1 attains it",
    ),
    Sharper("BC-claim-20", "some finite eps for n >= 2", "log(8/5) for all n >= 4"),
)


@cache
def verdicts() -> dict[str, tuple[str, str]]:
    """The verdict and the range of every statement, as MAP.md has them."""
    rows = map.FILE.read_text(encoding="utf-8").removeprefix(map.TITLE).partition(constants.TITLE)[0].splitlines()[2:]
    cells = [SPLIT.split(row.removeprefix("| ").removesuffix(" |")) for row in rows]
    return {cell[0].strip("`"): (cell[3], cell[4]) for cell in cells}


def refuted() -> list[Statement]:
    """The statements that are false as printed, by paper."""
    return [one for one in statements() if verdicts()[one.name][0] == "refuted"]


def evidence(name: str) -> str:
    """What is left to redo by hand: "2 certificates", "3 inequalities"."""
    witnesses = refutations.of(name)
    kinds = {"certificate": Certificate, "inequality": Evaluation}
    counts = {word: sum(isinstance(one, kind) for one in witnesses) for word, kind in kinds.items()}
    plural = {"certificate": "certificates", "inequality": "inequalities"}
    return ", ".join(f"{count} {word if count == 1 else plural[word]}" for word, count in counts.items() if count)


def searched() -> list[tuple[str, str, str, str]]:
    """(command, statement, what was found, record) of every search in SEARCHES.md."""
    sections = searches.FILE.read_text(encoding="utf-8").split("\n## ")[1:]
    rows = []
    for section in sections:
        parts = section.split("\n\n")
        found = parts[2].split(". The smallest")[0].removesuffix(".").replace("**", "")
        record = re.search(r"Record `(\w+)`", section)
        assert record is not None
        rows.append((parts[0].strip("`"), parts[1].strip(), found, record.group(1)[:12]))
    return rows


def smallest(run: str) -> str:
    """What a search in SEARCHES.md found: how many counterexamples, and the smallest."""
    text = searches.FILE.read_text(encoding="utf-8").partition(f"## `search {run}`\n")[2].partition("\n## ")[0]
    return text.strip().split("\n\n")[1].partition("; ")[0].removesuffix(".").replace("**", "")


def page() -> str:
    """The text of RESULTS.md."""
    counts = Counter(verdict for verdict, _ in verdicts().values())
    listed = ", ".join(f"{counts[verdict]} {verdict}" for verdict in VERDICTS if counts[verdict])
    sharper = [(f"`{one.name}`", one.printed, one.proved, command(one.name)) for one in SHARPER]
    false = [
        (
            f"`{one.name}`",
            one.statement.replace("|", r"\|"),
            verdicts()[one.name][1],
            evidence(one.name),
            command(one.name),
        )
        for one in refuted()
    ]
    least = []
    for one in constants.PRESCRIPTIONS:
        worst, _ = constants.extremes(one.name)
        least.append((f"`{one.name}`", one.formula, text(one.printed), constants.shown(worst), worst.point))
    hunts = [(f"`shufflecert {run}`", said, what, f"`{record}`") for run, said, what, record in searched()]
    parts = [
        HEAD.format(count=len(verdicts())),
        f"All of them have a verdict: {listed} (`shufflecert claims`).\n",
        "## Sharper than printed, for all parameters\n",
        table(("statement", "printed", "proved", "command"), sharper),
        "## Least constants\n",
        "The least constant in place of the printed one on a grid, certified from both sides; the grids, and"
        " the easiest points, are in [MAP.md](MAP.md). Command: `python -m shufflecert.proofs.constants`.\n",
        table(("statement", "noise", "printed", "least", "at"), least),
        "## False as printed\n",
        "With the counterexample, the correction that is proved in its place, and what there is to redo without this"
        " project: certificates for the kernel, and inequalities between rational numbers (both printed by"
        " the command).\n",
        table(("statement", "as printed", "counterexample; correction", "evidence", "command"), false),
        "## Found by exhaustion\n",
        "What only the search of a whole space shows; the smallest counterexample, with its two numbers.\n",
        table(
            ("question", "found", "command"),
            [(asked, smallest(run), f"`shufflecert search {run}`") for run, asked in FOUND],
        ),
        "## Conjectures, decided by exhaustion\n",
        "All cases of a finite space, in exact arithmetic; the record is the digest of all decisions, the"
        " same on every machine.\n",
        table(("command", "conjecture", "found", "record"), hunts),
        "## Theorems in Coq\n",
        "For all randomizers, all n and all datasets: the table at the end of [MAP.md](MAP.md). Command: `make coq`.\n",
    ]
    return "\n".join(parts)


def command(name: str) -> str:
    """The command that runs a statement's check."""
    return f"`shufflecert claims {name}`"


if __name__ == "__main__":
    write_whole(FILE, page())
