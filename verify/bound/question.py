"""What is asked, and how hard to try: each made once, by a command or a call from Python, and handed on whole."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction

from shufflecert.verify.enclose.noise_laws import MAX_TRIALS
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import MAX_BITS
from shufflecert.verify.exact.randomizer import Presence, Randomizer, System, randomizer_of
from shufflecert.verify.exact.rational import natural
from shufflecert.verify.progress import Progress
from shufflecert.verify.systems import declare
from shufflecert.verify.systems.population import declared, presence_of

TOLERANCE = Fraction(1, 1000)
FAINT = Fraction(1, 10**10)  # a delta of a curve, below which it is not to be close
TINY = Fraction(1, 10**100)  # the same, which takes a cover long, and pairs that are known for single eps moments
COVER_WORK = 450_000_000  # cells and terms that a cover looks at: about a minute
UNITS = 5  # of a cover's work, for one of enumeration
Tick = Callable[[Fraction, Fraction | None], object]


@dataclass(frozen=True)
class Question:
    """The worst over all neighbouring datasets of n users of a protocol, in a view, both directions.

    `protocol` is a randomizer or a system; a `verify.systems.population.Population` of it says which datasets are
    neighbours and who is honest. With `others`, {input: count}, only datasets whose other users hold these inputs
    count.
    """

    protocol: Randomizer | System
    n: int
    view: str = "shuffled"
    others: Mapping[str, int] | None = None

    @classmethod
    def of(
        cls,
        protocol: Randomizer | System,
        n: object = 1,
        view: str = "shuffled",
        others: Mapping[str, int] | None = None,
    ) -> "Question":
        """Read a question. Raises BadInput for what is no number of users, and for `others` in another view."""
        asked = cls(protocol, natural(n, "n", most=MAX_TRIALS), view, others)
        asked.presence.counted(asked.n)
        if others is not None and view != "shuffled":
            raise BadInput(f"others: {view} view: expected the shuffled view, the others drop out of the other two")
        return asked

    @property
    def presence(self) -> Presence:
        """Which datasets are neighbours, and who of the n users is there."""
        return presence_of(self.protocol)

    @property
    def counted(self) -> int:
        """The users who follow the protocol."""
        return self.presence.counted(self.n)

    @property
    def own(self) -> declare.System | None:
        """The system that is asked about; None for a table."""
        return declared(self.protocol)

    @property
    def randomizer(self) -> Randomizer:
        """The table of one user's messages. Raises BadInput where there is none."""
        return randomizer_of(self.protocol)


@dataclass(frozen=True)
class Effort:
    """How close an answer is to be, and what it may cost.

    A `tolerance` is the relative width that an interval is brought to. Enumeration goes up to `work` units
    (verify/exact/neighbours.py), and a cover of compositions looks at UNITS times as much; where None, as far as is
    worth while beside another way. A comparison is undecided at `bits` bits of e^eps. `progress` shows a bar, and
    `tick` is told of the interval so far.
    """

    tolerance: Fraction = TOLERANCE
    work: int | None = None
    bits: int = MAX_BITS
    progress: Progress | None = None
    tick: Tick | None = None

    @property
    def cells(self) -> int:
        """The work of a cover, in its own units."""
        return self.work * UNITS if self.work else COVER_WORK

    @property
    def silent(self) -> "Effort":
        """The same, without a bar."""
        return replace(self, progress=None)
