"""The searches that were run to their end.

`python -m shufflecert.proofs.searches` runs them again and writes SEARCHES.md.
"""

import shlex
from collections.abc import Iterable
from pathlib import Path

from shufflecert.proofs.conjectures import by_name, hunt
from shufflecert.verify.runs.writing import write_whole
from shufflecert.verify.search.exhaust import Record, parameters_of

FILE = Path(__file__).with_name("SEARCHES.md")
RUNS = (  # as they are asked for on the command line
    "claim-18 --messages 4 --denominator 12",
    "claim-18 --inputs 3 --denominator 4",
    "preshuffle-gap --max-messages 4 --denominator 6",
    "preshuffle-gap --max-messages 1 --denominator 40",
    "preshuffle-gap --max-messages 2 --denominator 4",
    "multi-message-gap",
    "infinite-stays",
    "pure-eps-falls",
    "pure-eps-settles",
    "others-equal",
    "others-equal-binary",
    "rr-others-agree",
    "third-value-krr",
    "third-value-krr -p k=2",
    "local-eps-plus-log-n --denominator 6",
    "pure-eps-others-equal",
    "pure-eps-others-equal -p sends=2 --denominator 16 --n 6",
    "delta-is-convex-in-n",
    "blanket-gap",
    "blanket-gap -p gap=0.038",
    "zsum-monotone",
    "two-bins-bound",
    "two-bins-tight",
    "theorem-18-corrected",
    "theorem-18-printed",
    "theorem-18-printed-is-vacuous",
    "variation-ratio-krr",
    "stronger-clones-krr",
    "stronger-clones-krr-general",
)
QUICK = tuple(run for run in RUNS if not run.startswith("theorem-18"))  # what a test runs again
HEAD = """# Conjectures, decided by exhaustive search

Every line was found by exhausting a finite space with `shufflecert search`; the same command finds it again, with the
same digest, whatever the number of workers and the interruptions. A case is a counterexample or it is not: all are
decided in exact arithmetic. This page is made by `python -m shufflecert.proofs.searches`.
"""


def made(command: str, workers: int | None = None) -> Record:
    """Run one search, as its command line says, and keep nothing but its record."""
    name, *options = shlex.split(command)
    given = {}
    for option, value in zip(options[::2], options[1::2], strict=True):
        key, _, inner = value.partition("=")
        given[key if option == "-p" else option[2:].replace("-", "_")] = inner if option == "-p" else value
    conjecture = by_name(name)
    return hunt(conjecture, name, parameters_of(conjecture, given), workers=workers)


def section(command: str, found: Record) -> str:
    """The section of SEARCHES.md about one search: its command, what it found, and its record."""
    cases = f"{found.cases} cases"
    lines = [f"## `search {command}`", "", found.conjecture.said(found.parameters)]
    if found.conjecture.source:
        lines[-1] += f" ({found.conjecture.source}.)"
    if found.verdict == "refuted":
        smallest = found.smallest()
        shown = smallest.words if smallest else str(found.hits[0][1])
        lines += ["", f"**Refuted**: {found.hit_count} of {cases}. The smallest, at rank {found.hits[0][0]}: {shown}."]
    else:
        assert found.verdict == "exhausted", found.failures
        lines += ["", f"**Exhausted**: none of {cases} is a counterexample."]
    given = ", ".join(f"{name} = {value}" for name, value in found.conjecture.told(found.parameters).items())
    return "\n".join([*lines, "", f"{given}. Record `{found.digest}`."])


def page(sections: Iterable[str]) -> str:
    """The page SEARCHES.md from its sections."""
    return "\n\n".join([HEAD.rstrip(), *sections]) + "\n"


def main() -> None:
    """Run all searches again, and write SEARCHES.md."""
    write_whole(FILE, page([section(command, made(command)) for command in RUNS]))


if __name__ == "__main__":
    main()
