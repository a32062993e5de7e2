"""A paper's statement, the check that settles it, and what the check found.

A module of this package offers its statements as checks: functions marked with `statement`. The docstring of a check is
the proof in words; its body carries out every step that can be carried out and stops with `StepFailed` at one that
does not hold.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from functools import partial
from importlib import import_module
from pkgutil import iter_modules
from time import perf_counter
from types import ModuleType

import proofs
from proofs.witness import Certificate, Evaluation
from verify.errors import BadInput

VERDICTS = ("proved", "holds on a grid", "refuted", "misprint", "not machine-checkable")
PAPERS = ("BC", "NOTES", "GKMP", "CZ", "BBGN", "LIT")  # LIT: the literature since


class StepFailed(ArithmeticError):
    """A step of a check does not hold. The statement is then unsettled: this is a defect here, not a refutation."""


def step(holds: object, what: str) -> None:
    """One step of a proof. Raises StepFailed(what) unless `holds` is True: None, sympy's "unknown", is not enough."""
    if holds is not True:
        raise StepFailed(what)


@dataclass(frozen=True)
class Finding:
    """What a check computed: one of VERDICTS, for which parameters, and the evidence, one line each."""

    verdict: str
    range: str
    evidence: tuple[str, ...]

    def __post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"verdict: {self.verdict!r}: expected one of {', '.join(VERDICTS)}")


def finding(verdict: str, range: str, *evidence: str) -> Finding:
    """The `Finding` with this evidence, one line each."""
    return Finding(verdict, range, evidence)


@dataclass(frozen=True)
class Statement:
    """One checkable statement: its place in the source ("BC Claim 18"), its section there ("4.1"), and its check.

    The place begins with the paper, one of PAPERS; the section puts the statements of a paper in order.
    """

    name: str
    place: str
    section: str
    statement: str
    check: Callable[[], Finding]

    def __call__(self) -> Finding:
        """What the check finds, now: a check is also a step of another one."""
        return self.check()

    @property
    def code(self) -> tuple[str, str]:
        """(file, function) of the check, the file from the top of the repository."""
        return self.check.__module__.replace(".", "/") + ".py", self.check.__name__


def statement(place: str, section: str, text: str, name: str = "") -> Callable[[Callable[[], Finding]], Statement]:
    """Marks a check with its place in the source, the section there, and what the source states.

    The name is the place in lower case with dashes, "BC-claim-18" for "BC Claim 18", unless another is given.
    """
    paper, _, rest = place.partition(" ")
    made = re.sub(r"[^a-z0-9.]+", "-", rest.replace("§", "sec ").lower()).strip("-")
    return partial(Statement, name or f"{paper}-{made}", place, section, text)


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
    witnesses = import_module("proofs.refutations").of(one.name) if result.verdict == "refuted" else ()
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
    names = sorted(module.name for module in iter_modules(proofs.__path__))
    found = [one for name in names for one in statements_of(import_module(f"proofs.{name}"))]
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
