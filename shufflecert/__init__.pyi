"""What `shufflecert` exports: `__init__.py` imports each at its first use."""

from .protocols.shared.run import run
from .verify.answers.answer import Answer
from .verify.answers.listed import Report
from .verify.commands.audit import assert_private, audit
from .verify.commands.calibrate import calibrate
from .verify.commands.certificates import report
from .verify.commands.compare import compare
from .verify.commands.compose import compose
from .verify.commands.decide import accuracy, certify, check, claims, delta, epsilon, systems
from .verify.commands.exchange import export, import_, to_dp_accounting, to_opendp
from .verify.commands.profile import profile
from .verify.commands.search import search
from .verify.commands.table import table
from .verify.compose.composition import Run
from .verify.compose.event_tree import EventTree, from_dp_accounting
from .verify.decide.worst_case import privacy_profile
from .verify.enclose.interval import Interval
from .verify.errors import BadInput, MachineRefused, TooMuchWork, Undecided
from .verify.exact.epsilon import Eps
from .verify.exact.neighbours import Scope
from .verify.exact.randomizer import Presence, Randomizer
from .verify.systems.catalogue import load, system
from .verify.systems.declare import System, parameter
from .verify.systems.population import populated

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

__version__: str
