"""A randomizer: for every input an exact law over tuples of messages (BC Definition 7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol

from verify.errors import BadInput
from verify.exact.law import Law
from verify.exact.rational import probability

Messages = tuple[str, ...]
MAX_LABEL = 1000


@dataclass(frozen=True)
class Randomizer:
    """A randomizer as a table: rows[x][m] = Pr[R(x) = m], m an ordered tuple of messages, () where nothing is sent.

    Inputs and messages are labels: strings, and integers that stand for their decimal text. Build one with
    `Randomizer.of`.
    """

    rows: Mapping[str, Law[Messages]]

    @classmethod
    def of(cls, rows: Mapping[Any, Mapping[Any, object]]) -> "Randomizer":
        """A randomizer from {input: {messages: probability}}, where messages is a tuple of labels or one bare label.

        Raises BadInput for no inputs, a row that does not sum to exactly 1, a negative or floating-point probability,
        a label that is not text or an integer, and labels that coincide once written as text.
        """
        listed = [(x, [(m if isinstance(m, tuple) else (m,), p) for m, p in row.items()]) for x, row in rows.items()]
        return cls.build(listed)

    @classmethod
    def build(cls, rows: Sequence[tuple[object, Sequence[tuple[Sequence[object], object]]]]) -> "Randomizer":
        """A randomizer from a list of (input, list of (messages, probability)).

        Raises BadInput as `Randomizer.of` does, and names the place as rows[i].outputs[j].
        """
        if not rows:
            raise BadInput("rows: none: expected at least one input")
        laws: dict[str, Law[Messages]] = {}
        for i, (given, outputs) in enumerate(rows):
            x = label(given, f"rows[{i}].input")
            if x in laws:
                raise BadInput(f"rows[{i}].input: {x!r} has a row already: expected each input once")
            law: dict[Messages, Fraction] = {}
            for j, (messages, p) in enumerate(outputs):
                place = f"rows[{i}].outputs[{j}]"
                send = tuple(label(m, f"{place}.send") for m in messages)
                if send in law:
                    raise BadInput(f"{place}.send: {list(send)} stands in this row already: expected each output once")
                law[send] = probability(p, f"{place}.p")
            laws[x] = Law.of(law, f"rows[{i}].outputs of input {x!r}")
        return cls(laws)

    @property
    def inputs(self) -> tuple[str, ...]:
        """The labels of all inputs, in the order of the rows."""
        return tuple(self.rows)

    @property
    def messages(self) -> tuple[str, ...]:
        """Every label that some input sends with positive probability, in order of appearance."""
        return tuple(dict.fromkeys(m for law in self.rows.values() for send in law for m in send))

    @property
    def single_message(self) -> bool:
        """Whether every output is exactly one message (BC Definition 7)."""
        return all(len(send) == 1 for law in self.rows.values() for send in law)

    def expected_messages(self, x: object) -> Fraction:
        """The expected number of messages of a user with input x, exactly."""
        law = self.rows[label(x, "input")]
        return sum((p * len(send) for send, p in law.items()), Fraction(0))


def label(value: object, where: str) -> str:
    """The name of an input or a message as text; integers stand for their decimal text.

    Raises BadInput for other values.
    """
    whole = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(value, int) and whole and abs(value) < 10 ** (MAX_LABEL - 1):
        return str(value)
    if not isinstance(value, str) or not 0 < len(value) <= MAX_LABEL or not value.isprintable():
        shown = "an integer so long" if whole else ascii(value)[:60]  # Python writes no more than 4300 digits
        raise BadInput(
            f"{where}: {shown} is not a label: expected printable text of 1 to {MAX_LABEL} characters, or an integer"
        )
    return value


class System(Protocol):
    """Anything that states its randomizer, as the systems of `protocols` do; some state a reduction (`reach`) too."""

    def randomizer(self) -> Randomizer:
        """The law of one user's messages, for every input."""


def randomizer_of(system: Randomizer | System) -> Randomizer:
    """The randomizer itself, or the one that a system states."""
    return system if isinstance(system, Randomizer) else system.randomizer()
