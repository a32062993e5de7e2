"""A paper's statement, the check that settles it, and what the check found.

A module of this package offers its statements as checks: functions marked with `statement`. The docstring of a check is
the proof in words; its body carries out every step that can be carried out and stops with `StepFailed` at one that
does not hold.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

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
        return self.check.__module__.removeprefix("shufflecert.").replace(".", "/") + ".py", self.check.__name__


def statement(place: str, section: str, text: str, name: str = "") -> Callable[[Callable[[], Finding]], Statement]:
    """Marks a check with its place in the source, the section there, and what the source states.

    The name is the place in lower case with dashes, "BC-claim-18" for "BC Claim 18", unless another is given.
    """
    paper, _, rest = place.partition(" ")
    made = re.sub(r"[^a-z0-9.]+", "-", rest.replace("§", "sec ").lower()).strip("-")
    return partial(Statement, name or f"{paper}-{made}", place, section, text)
