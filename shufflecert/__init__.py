"""shufflecert decides, with proof, whether a protocol in the shuffle model satisfies differential privacy.

    >>> from shufflecert import certify, check, epsilon
    >>> print(epsilon("krr", n=6, delta="1/100", k=3, gamma="3/10").eps)
    log(15759/2048)
    >>> promise = certify("krr", n=6, eps="1/2", delta="2/5", k=3, gamma="3/10")
    >>> promise.verdict, check(promise).status
    ('PROVED', 'accepted')

Every command is a function of the same name, with the options' names and defaults; a system's parameters are keywords.

Numbers are given exactly: "3/10", "0.3", a Fraction or an integer; a float is refused. eps is in nats, "log(3/2)" too.
Answers hold for all pairs of neighbouring datasets in both directions, and say for which and by what (`scope`).
"""

from typing import Any

import shufflecert.own_packages  # noqa: F401  before any of them is looked for
from shufflecert.protocols.shared.run import run
from shufflecert.verify.answers.answer import Answer
from shufflecert.verify.calls.ask import accuracy, compose, delta, epsilon, profile, systems
from shufflecert.verify.calls.find import assert_private, audit, search
from shufflecert.verify.calls.promise import (
    calibrate,
    certify,
    check,
    claims,
    compare,
    export,
    import_,
    table,
    to_dp_accounting,
    to_opendp,
)
from shufflecert.verify.commands.report import Report
from shufflecert.verify.commands.report import reported as report
from shufflecert.verify.compose.composition import Run
from shufflecert.verify.compose.event_tree import EventTree, from_dp_accounting
from shufflecert.verify.decide.worst_case import profile as privacy_profile
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput, MachineRefused, TooMuchWork, Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import Scope
from shufflecert.verify.exact.randomizer import Presence, Randomizer
from shufflecert.verify.systems.catalogue import system
from shufflecert.verify.systems.declare import System, parameter
from shufflecert.verify.systems.load import load
from shufflecert.verify.systems.population import populated

# what is asked about; numbers; verdicts; journeys; what answers are made of; what goes wrong
__all__ = [
    "Answer",
    "BadInput",
    "Eps",
    "EventTree",
    "Interval",
    "MachineRefused",
    "Presence",
    "Randomizer",
    "Report",
    "Run",
    "Scope",
    "System",
    "TooMuchWork",
    "Undecided",
    "accuracy",
    "assert_private",
    "audit",
    "calibrate",
    "certify",
    "check",
    "claims",
    "compare",
    "compose",
    "delta",
    "epsilon",
    "export",
    "from_dp_accounting",
    "import_",
    "load",
    "parameter",
    "populated",
    "privacy_profile",
    "profile",
    "report",
    "run",
    "search",
    "system",
    "systems",
    "table",
    "to_dp_accounting",
    "to_opendp",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("shufflecert")
    raise AttributeError(f"module 'shufflecert' has no attribute {name!r}")
