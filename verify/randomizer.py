"""A randomizer: for every input an exact law over tuples of messages (BC Definition 7)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from verify.errors import BadInput
from verify.law import Law
from verify.number import probability

Messages = tuple[str, ...]
MAX_LABEL = 1000


@dataclass(frozen=True)
class Randomizer:
    """rows[x][m] = Pr[R(x) = m], m an ordered tuple of message labels, () where nothing is sent.

    Inputs and messages are labels: strings, and integers that stand for their decimal text. Build one with
    `Randomizer.of`.
    """

    rows: Mapping[str, Law[Messages]]

    @classmethod
    def of(cls, rows: Mapping[Any, Mapping[Any, object]]) -> "Randomizer":
        """From {input: {messages: probability}}, where messages is a tuple of labels or one bare label.

        Raises BadInput for no inputs, a row that does not sum to exactly 1, a negative or floating-point probability,
        a label that is not text or an integer, and labels that coincide once written as text.
        """
        listed = [(x, [(m if isinstance(m, tuple) else (m,), p) for m, p in row.items()]) for x, row in rows.items()]
        return cls.build(listed)

    @classmethod
    def build(cls, rows: Sequence[tuple[object, Sequence[tuple[Sequence[object], object]]]]) -> "Randomizer":
        """From a list of (input, list of (messages, probability)); errors name the place as rows[i].outputs[j]."""
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
        return tuple(self.rows)

    @property
    def messages(self) -> tuple[str, ...]:
        """Every label that some input sends with positive probability, in order of appearance."""
        return tuple(dict.fromkeys(m for law in self.rows.values() for send in law for m in send))

    @property
    def single_message(self) -> bool:
        """Every output is exactly one message (BC Definition 7)."""
        return all(len(send) == 1 for law in self.rows.values() for send in law)

    def expected_messages(self, x: object) -> Fraction:
        """E[number of messages] of a user with input x."""
        law = self.rows[label(x, "input")]
        return sum((p * len(send) for send, p in law.items()), Fraction(0))


def label(value: object, where: str) -> str:
    """An input's or message's name as text; integers stand for their decimal text."""
    whole = isinstance(value, int) and not isinstance(value, bool)
    if isinstance(value, int) and whole and abs(value) < 10 ** (MAX_LABEL - 1):
        return str(value)
    if not isinstance(value, str) or not 0 < len(value) <= MAX_LABEL or not value.isprintable():
        shown = "an integer so long" if whole else ascii(value)[:60]  # Python writes no more than 4300 digits
        raise BadInput(
            f"{where}: {shown} is not a label: expected printable text of 1 to {MAX_LABEL} characters, or an integer"
        )
    return value
