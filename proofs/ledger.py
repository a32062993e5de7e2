"""All statements of all papers, and what settles each: its check, and of a refutation what is left to redo by hand."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from importlib import import_module
from pkgutil import iter_modules
from time import perf_counter
from types import ModuleType

from shufflecert.proofs import refutations
from shufflecert.proofs.statement import PAPERS, Finding, Statement
from shufflecert.proofs.witness import Certificate, Evaluation
from shufflecert.verify.errors import BadInput


@dataclass(frozen=True)
class Settled:
    """A statement with its finding, the seconds that the check took, and what a refutation leaves to redo by hand."""

    statement: Statement
    finding: Finding
    seconds: float
    certificates: tuple[Certificate, ...] = ()
    evaluations: tuple[Evaluation, ...] = ()


def settle(one: Statement) -> Settled:
    """Run the check. Raises StepFailed, or ArithmeticError, where a step of it, or an inequality, does not hold."""
    start = perf_counter()
    result = one.check()
    witnesses = refutations.of(one.name) if result.verdict == "refuted" else ()
    certificates = tuple(made for made in witnesses if isinstance(made, Certificate))
    evaluations = tuple(made for made in witnesses if isinstance(made, Evaluation))
    for inequality in evaluations:
        inequality.check()
    return Settled(one, result, perf_counter() - start, certificates, evaluations)


def to_json(settled: Settled) -> dict[str, object]:
    """{"name", "place", "statement", "verdict", "range", "evidence", "seconds", "certificates", "evaluations"}.

    The last two of refuted statements only: commands with their verdicts, and inequalities with what they mean.
    """
    one, finding = settled.statement, settled.finding
    return {
        "name": one.name,
        "place": one.place,
        "statement": one.statement,
        "verdict": finding.verdict,
        "range": finding.range,
        "evidence": list(finding.evidence),
        "seconds": round(settled.seconds, 3),
        "certificates": [made.to_json() for made in settled.certificates],
        "evaluations": [made.to_json() for made in settled.evaluations],
    }


def statements() -> tuple[Statement, ...]:
    """The statements of every module of this package, by paper and section, then as they stand in their module."""
    names = sorted(module.name for module in iter_modules(import_module("shufflecert.proofs").__path__))
    found = [one for name in names for one in statements_of(import_module(f"shufflecert.proofs.{name}"))]
    if twice := sorted(name for name, count in Counter(one.name for one in found).items() if count > 1):
        raise ValueError(f"statements: {', '.join(twice)}: expected each name once")
    return tuple(sorted(found, key=_position))


def statements_of(module: ModuleType) -> list[Statement]:
    """The statements whose checks a module defines, in the order in which they stand there."""
    marked = [one for one in vars(module).values() if isinstance(one, Statement)]
    return [one for one in marked if one.check.__module__ == module.__name__]


def select(patterns: Iterable[str] = ()) -> tuple[Statement, ...]:
    """The statements whose name matches one of the globs, whatever the case; all of them for no globs.

    Raises BadInput for a glob that matches none, naming the closest statement.
    """
    everything, wanted = statements(), tuple(patterns)
    if not wanted:
        return everything
    chosen: set[str] = set()
    for pattern in wanted:
        matching = {one.name for one in everything if fnmatchcase(one.name.casefold(), pattern.casefold())}
        if not matching:
            close = _closest(pattern, everything)
            raise BadInput(f"claims: {pattern!r} matches no statement: expected a name or glob{close}")
        chosen |= matching
    return tuple(one for one in everything if one.name in chosen)


def table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    """A table in Markdown."""
    return "".join(f"| {' | '.join(cells)} |\n" for cells in (header, ("---",) * len(header), *rows))


def _closest(pattern: str, everything: Iterable[Statement]) -> str:
    names = {one.name.casefold(): one.name for one in everything}
    close = get_close_matches(pattern.casefold(), list(names), n=1, cutoff=0)
    return f" such as {names[close[0]]}" if close else ""


def _position(one: Statement) -> tuple[int, list[tuple[bool, int, str]]]:
    """Papers in the order of PAPERS; sections by their numbers, appendices (letters) last."""
    parts = re.findall(r"\d+|[A-Za-z]+", one.section)
    return PAPERS.index(one.place.split()[0]), [(not p.isdigit(), int(p) if p.isdigit() else 0, p) for p in parts]
