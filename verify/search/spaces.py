"""Finite spaces of cases. Every case has a number, its rank: a search is divided, resumed and cited by ranks.

Some ranks hold no case (`case` gives None): what would stand there is a case of a lower rank with other names, or is
not in lowest terms. So every case comes exactly once. Small spaces come first in a `Joined` one: the least rank at
which a conjecture fails is the smallest counterexample.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, combinations_with_replacement, pairwise, permutations
from math import comb, gcd, lcm, prod
from typing import Any, Protocol

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import Presence, Randomizer, randomizer_of
from shufflecert.verify.exact.views import view_of
from shufflecert.verify.systems.catalogue import system

Row = tuple[int, ...]


class Space(Protocol):
    """A finite space of cases with the ranks 0 .. size - 1.

    A case is a value of its own kind, and JSON can be made of it.
    """

    @property
    def size(self) -> int:
        """The number of ranks."""

    def case(self, rank: int) -> Any:
        """The case at a rank, None where the rank is passed over."""

    def describe(self) -> dict[str, Any]:
        """What is searched, in words and numbers, as JSON."""


@dataclass(frozen=True)
class Table:
    """A randomizer by integer weights: rows[x][y] / denominator is the probability of output y on input x.

    Output y is `send[y]`, a tuple of messages. Neighbours are those of `adjacency`
    (`verify.exact.randomizer.Presence`); with deletion, `reference` is the input that takes the place of a user's.
    `label` says where a table comes from.
    """

    rows: tuple[Row, ...]
    denominator: int
    send: tuple[tuple[str, ...], ...]
    adjacency: str = "replace"
    reference: int = 0
    label: str = ""

    def randomizer(self) -> Randomizer:
        """The randomizer with these weights."""
        return Randomizer.build(
            [
                (str(x), [(send, f"{w}/{self.denominator}") for send, w in zip(self.send, row, strict=True) if w])
                for x, row in enumerate(self.rows)
            ]
        )

    @property
    def presence(self) -> Presence:
        """Which datasets are neighbours."""
        return Presence.of(self.adjacency, str(self.reference) if self.adjacency == "deletion" else None)

    def to_json(self) -> dict[str, Any]:
        """The table as JSON: rows, denominator, and what each output sends."""
        send = [list(messages) for messages in self.send]
        told = {"rows": [list(row) for row in self.rows], "denominator": self.denominator, "send": send}
        return told | ({"of": self.label} if self.label else {})

    def __str__(self) -> str:
        """The table in words."""
        between = "" if all(len(m) == 1 for messages in self.send for m in messages) else "+"
        outputs = ", ".join(between.join(messages) or "nothing" for messages in self.send)
        rows = " and ".join("(" + ", ".join(map(str, row)) + f")/{self.denominator}" for row in self.rows)
        return (f"{self.label}: " if self.label else "") + f"({outputs}) with weights {rows}"


@dataclass(frozen=True)
class Tables:
    """All randomizers with these outputs and exactly this denominator, up to the names of inputs and of outputs.

    A row of weights is a composition of the denominator, numbered in lexicographic order; the rank of a table is its
    rows' numbers, read as the digits of one number. Outputs may be renamed as `renamings` says, inputs in any way, but
    with deletion input 0, which is the reference there, stays. Of each class the table of least rank is the case. A
    denominator is exact where the greatest common divisor of it and all weights is 1.
    """

    inputs: int
    send: tuple[tuple[str, ...], ...]
    denominator: int
    renamings: tuple[Row, ...]  # permutations of the outputs: y becomes renaming[y]; a group
    every_output: bool = False  # only those in which some input has each output
    adjacency: str = "replace"

    @property
    def row_count(self) -> int:
        """The number of possible rows."""
        return comb(self.denominator + len(self.send) - 1, len(self.send) - 1)

    @property
    def size(self) -> int:
        """The number of ranks."""
        return int(self.row_count**self.inputs)

    @property
    def fixed(self) -> int:
        """How many inputs, the first ones, are not renamed."""
        return int(self.adjacency == "deletion")

    def case(self, rank: int) -> Table | None:
        """The table at a rank, None where the rank is passed over."""
        numbers = _digits(rank, self.row_count, self.inputs)
        if any(a > b for a, b in pairwise(numbers[self.fixed :])):
            return None
        rows = tuple(composition(number, self.denominator, len(self.send)) for number in numbers)
        if gcd(self.denominator, *(w for row in rows for w in row)) > 1:
            return None
        if self.every_output and not all(map(any, zip(*rows, strict=True))):
            return None
        for renaming in self.renamings:
            renamed = [_renamed(row, renaming) for row in rows]
            if [*renamed[: self.fixed], *sorted(renamed[self.fixed :])] < list(rows):
                return None
        return Table(rows, self.denominator, self.send, self.adjacency)

    def describe(self) -> dict[str, Any]:
        """What is searched, in words and numbers, as JSON."""
        told = {
            "what": "randomizers",
            "inputs": self.inputs,
            "outputs": [list(messages) for messages in self.send],
            "denominator": self.denominator,
            "every_output_is_used": self.every_output,
            "up_to": "renaming inputs, and outputs as their messages allow",
        }
        return told | ({} if self.adjacency == "replace" else {"adjacency": self.adjacency})


def single_messages(inputs: int, messages: int, denominator: int, adjacency: str = "replace") -> Tables:
    """The randomizers that send one of `messages` messages, each of which some user may send."""
    send = tuple((_letter(y),) for y in range(messages))
    return Tables(inputs, send, denominator, tuple(permutations(range(messages))), True, adjacency)


def several_messages(
    inputs: int, messages: int, least: int, most: int, denominator: int, adjacency: str = "replace"
) -> Tables:
    """The randomizers that send from `least` to `most` messages, each one of `messages`, in no order."""
    letters = [_letter(y) for y in range(messages)]
    send = [sent for size in range(least, most + 1) for sent in combinations_with_replacement(letters, size)]
    at = {sent: y for y, sent in enumerate(send)}
    moves = [dict(zip(letters, order, strict=True)) for order in permutations(letters)]
    renamings = dict.fromkeys(tuple(at[tuple(sorted(move[m] for m in sent))] for sent in send) for move in moves)
    return Tables(inputs, tuple(send), denominator, tuple(renamings), adjacency=adjacency)


def _letter(y: int) -> str:
    return chr(ord("a") + y)


def bits(inputs: int, count: int, denominator: int) -> Tables:
    """The randomizers that send `count` bits; the view of one user is how many of them are 1."""
    send = tuple(("0",) * (count - ones) + ("1",) * ones for ones in range(count + 1))
    return Tables(inputs, send, denominator, ((*range(count + 1),), (*reversed(range(count + 1)),)))


@dataclass(frozen=True)
class Joined:
    """Several spaces one after the other, the smallest first."""

    parts: tuple[Any, ...]  # of Space

    @cached_property
    def ends(self) -> tuple[int, ...]:
        """The first rank after each part."""
        return tuple(accumulate(part.size for part in self.parts))

    @property
    def size(self) -> int:
        """The number of ranks of all parts."""
        return self.ends[-1] if self.ends else 0

    def case(self, rank: int) -> Any:
        """The case at a rank, counted through all parts. Raises BadInput for a rank beyond the last."""
        before = 0
        for part, end in zip(self.parts, self.ends, strict=True):
            if rank < end:
                return part.case(rank - before)
            before = end
        raise BadInput(f"rank: {rank}: expected less than {self.size}")

    def describe(self) -> dict[str, Any]:
        """What is searched, part by part, as JSON."""
        return {"what": "one after the other", "parts": [part.describe() for part in self.parts]}


@dataclass(frozen=True)
class Grid:
    """Every combination of named values, written as text; the last name varies fastest."""

    what: str
    values: Mapping[str, Sequence[str]]

    @property
    def size(self) -> int:
        """The number of combinations."""
        return prod(len(options) for options in self.values.values())

    def case(self, rank: int) -> dict[str, str]:
        """The combination at a rank, {name: value}."""
        case: dict[str, str] = {}
        for name, options in reversed(list(self.values.items())):
            rank, at = divmod(rank, len(options))
            case[name] = options[at]
        return {name: case[name] for name in self.values}

    def describe(self) -> dict[str, Any]:
        """The names and their values, as JSON."""
        return {"what": self.what, "values": {name: list(options) for name, options in self.values.items()}}


@dataclass(frozen=True)
class Compositions:
    """All ways in which `users` users may hold `inputs` inputs: counts that sum to `users`, in lexicographic order."""

    users: int
    inputs: int

    @property
    def size(self) -> int:
        """The number of compositions."""
        return comb(self.users + self.inputs - 1, self.inputs - 1)

    def case(self, rank: int) -> Row:
        """The counts at a rank."""
        return composition(rank, self.users, self.inputs)

    def describe(self) -> dict[str, Any]:
        """What is searched, as JSON."""
        return {"what": "datasets up to order", "users": self.users, "inputs": self.inputs}


@dataclass(frozen=True)
class Supports:
    """All choices of which outputs each input can have at all: a non-empty set for each input, all as likely.

    Inputs may be renamed, outputs are not. All weights are over one denominator, the least that does for every set.
    """

    inputs: int
    send: tuple[tuple[str, ...], ...]

    @property
    def size(self) -> int:
        """The number of choices."""
        return int((2 ** len(self.send) - 1) ** self.inputs)

    def case(self, rank: int) -> Table | None:
        """The supports at a rank, None where the rank is passed over."""
        numbers = _digits(rank, 2 ** len(self.send) - 1, self.inputs)
        if any(a > b for a, b in pairwise(numbers)):
            return None
        sets = [[(number + 1) >> y & 1 for y in range(len(self.send))] for number in numbers]
        whole = lcm(*range(1, len(self.send) + 1))
        return Table(tuple(tuple(bit * whole // sum(row) for bit in row) for row in sets), whole, self.send)

    def describe(self) -> dict[str, Any]:
        """What is searched, as JSON."""
        return {"what": "supports", "inputs": self.inputs, "outputs": [list(m) for m in self.send]}


@dataclass(frozen=True)
class Systems:
    """The randomizers of one system at every combination of values of its parameters, in the order of `grid`."""

    name: str
    grid: Grid
    adjacency: str = "replace"
    reference: int = 0

    @property
    def size(self) -> int:
        """The number of combinations."""
        return self.grid.size

    def case(self, rank: int) -> Table:
        """The table of the system with the parameters at a rank. Raises BadInput where the system has none."""
        given = self.grid.case(rank)
        found = view_of(randomizer_of(system(self.name, **given)), "local")
        rows = tuple(tuple(row.get(((y, 1),), 0) for y in range(len(found.messages))) for row in found.rows)
        label = " ".join([self.name, *(f"{name}={value}" for name, value in given.items())])
        return Table(rows, found.denominator, found.messages, self.adjacency, self.reference, label)

    def describe(self) -> dict[str, Any]:
        """What is searched, as JSON."""
        told = {"what": "a system", "system": self.name, **self.grid.describe()}
        return told | ({} if self.adjacency == "replace" else {"adjacency": self.adjacency})


def composition(number: int, total: int, parts: int) -> Row:
    """The number-th tuple of `parts` non-negative integers with this sum, in lexicographic order."""
    row = []
    for left in range(parts - 1, 0, -1):
        first = 0
        while number >= (rest := comb(total - first + left - 1, left - 1)):
            number -= rest
            first += 1
        row.append(first)
        total -= first
    return (*row, total)


def _digits(rank: int, base: int, length: int) -> tuple[int, ...]:
    found = []
    for _ in range(length):
        rank, digit = divmod(rank, base)
        found.append(digit)
    return tuple(reversed(found))


def _renamed(row: Row, renaming: Row) -> Row:
    moved = [0] * len(row)
    for y, w in enumerate(row):
        moved[renaming[y]] = w
    return tuple(moved)
