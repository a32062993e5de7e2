"""shufflecert decides, with proof, whether a protocol in the shuffle model of differential privacy keeps its promise.

    >>> from shufflecert import certify, check, epsilon, system
    >>> krr = system("krr", k=3, gamma="3/10")
    >>> print(epsilon(krr, n=6, delta="1/100").eps)
    log(15759/2048)
    >>> promise = certify(krr, n=6, eps="1/2", delta="2/5")
    >>> promise.verdict, check(promise.certificate_text().encode()).status
    ('PROVED', 'accepted')

Numbers are given exactly: "3/10", "0.3", a Fraction or an integer; a float is refused. eps is in nats, "log(3/2)" too.
Answers hold for all pairs of neighbouring datasets in both directions, and say for which and by what (`scope`).
"""

import shufflecert.own_packages  # noqa: F401  before any of them is looked for
from protocols.shared.run import run
from verify.answers.answer import Answer
from verify.answers.audited import audit
from verify.answers.calibrated import calibrate
from verify.answers.compared import compare
from verify.answers.composed import compose
from verify.answers.decided import certify, delta, epsilon
from verify.answers.profiled import profile
from verify.audit.audit import Audited
from verify.calibrate.least_noise import Promise
from verify.calibrate.tuned_system import Task
from verify.commands.certificates import check, check_file
from verify.commands.report import Report
from verify.commands.report import reported as report
from verify.commands.search import hunt as search
from verify.compose.composition import Run
from verify.decide.certify import Certified
from verify.decide.privacy_profile import profile_curve
from verify.decide.trade_off import trade_off
from verify.decide.worst_case import profile as privacy_profile
from verify.enclose.interval import Interval
from verify.errors import BadInput, MachineRefused, TooMuchWork, Undecided
from verify.exact.epsilon import Delta, Eps
from verify.exact.neighbours import Scope
from verify.exact.randomizer import Presence, Randomizer
from verify.kernel import Verdict
from verify.systems.catalogue import system
from verify.systems.declare import System, parameter
from verify.systems.declare import accuracy_of as accuracy
from verify.systems.load import load
from verify.systems.population import populated

# what is asked about; numbers; verdicts; journeys; what answers are made of; what goes wrong
__all__ = [
    "Answer",
    "Audited",
    "BadInput",
    "Certified",
    "Delta",
    "Eps",
    "Interval",
    "MachineRefused",
    "Presence",
    "Promise",
    "Randomizer",
    "Report",
    "Run",
    "Scope",
    "System",
    "Task",
    "TooMuchWork",
    "Undecided",
    "Verdict",
    "accuracy",
    "audit",
    "calibrate",
    "certify",
    "check",
    "check_file",
    "compare",
    "compose",
    "delta",
    "epsilon",
    "load",
    "parameter",
    "populated",
    "privacy_profile",
    "profile",
    "profile_curve",
    "report",
    "run",
    "search",
    "system",
    "trade_off",
]
