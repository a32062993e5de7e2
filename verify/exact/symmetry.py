"""Symmetries of a randomizer, found rather than declared: relabellings of inputs and messages that leave it unchanged.

(s, t) is a symmetry when Pr[R(s(x)) = t(m)] = Pr[R(x) = m] for every input x and multiset of messages m. Permuting
the inputs of all users by s then renames the outcomes by t, so the pairs of neighbours in one orbit have the same
divergence. Missing a symmetry costs time and never a pair; every one that is returned has been checked by
substitution.
"""

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shufflecert.verify.exact.views import View

Permutation = tuple[int, ...]
Kind = tuple[int, tuple[Any, ...]]  # of an input or a message: its colour, and what it occurs with
MANY_INPUTS, MANY_WEIGHTS = 40, 100_000  # beyond these none are looked for: orbits would cost more than they save
SEARCH_NODES = 200  # colourings tried for one symmetry
SEARCH_WORK = 2_000_000  # weights looked at for all that are no exchange of two inputs: a few seconds


@dataclass(frozen=True)
class Symmetry:
    """A relabelling of inputs and messages that leaves the randomizer unchanged: two permutations, by index."""

    inputs: Permutation  # input x becomes inputs[x]
    messages: Permutation  # message i becomes messages[i]


@dataclass(frozen=True)
class Colouring:
    """Colours of the inputs and of the messages: what a symmetry may take to each other has one colour."""

    inputs: tuple[int, ...]
    messages: tuple[int, ...]

    @property
    def number(self) -> int:
        """How many colours there are."""
        return len(set(self.inputs)) + len(set(self.messages))

    @property
    def open(self) -> tuple[bool, int] | None:
        """An input, or else a message, that has its colour with others: (whether it is an input, which)."""
        for inputs, colours in ((True, self.inputs), (False, self.messages)):
            several = Counter(colours)
            for i, colour in enumerate(colours):
                if several[colour] > 1:
                    return inputs, i
        return None

    def marked(self, inputs: bool, i: int) -> "Colouring":
        """The same with one input, or message, of a colour of its own."""
        old = list(self.inputs if inputs else self.messages)
        old[i] = max(old) + 1
        return Colouring(tuple(old), self.messages) if inputs else Colouring(self.inputs, tuple(old))


def symmetries(view: View) -> list[Symmetry]:
    """Generators of the group of symmetries, as far as they are found: all exchanges of two inputs among them.

    The row of absence, or of the reference, stays where it is.
    """
    size = view.held
    if size > MANY_INPUTS or sum(map(len, view.rows)) > MANY_WEIGHTS:
        return []
    search, found, blocks = _Search(view), list[Symmetry](), list[list[int]]()
    for x in range(size):  # "x and y can be exchanged, the rest fixed" is an equivalence relation
        for block in blocks:
            if symmetry := search.exchange(x, block[-1]):
                found.append(symmetry)
                block.append(x)
                break
        else:
            blocks.append([x])
    if len(blocks) > 1:
        search.add_the_rest(found)
    return found


@dataclass
class _Search:
    """The search for symmetries of a view, by colour refinement, as for graph isomorphism, and then by trying."""

    view: View
    work: int = 0  # weights that were looked at
    nodes: int = 0  # colourings that may be tried for this symmetry

    @cached_property
    def columns(self) -> Counter[tuple[int, ...]]:
        """How many multisets have these weights in the rows."""
        rows = self.view.rows
        return Counter(
            tuple(row.get(sent, 0) for row in rows) for sent in dict.fromkeys(m for row in rows for m in row)
        )

    @cached_property
    def first(self) -> Colouring:
        """The colours of inputs and messages to begin with, as fine as they get."""
        view = self.view
        alone = tuple(max(0, x - view.held + 1) for x in range(len(view.rows)))  # absence, or the reference
        return self.refined(Colouring(alone, (0,) * len(view.messages)))[0]

    def exchange(self, x: int, y: int) -> Symmetry | None:
        """A symmetry that exchanges these inputs, the rest fixed; None where none is found."""
        exchanged = list(range(len(self.view.rows)))
        exchanged[x], exchanged[y] = y, x
        if any(self.columns[tuple(each[z] for z in exchanged)] != count for each, count in self.columns.items()):
            return None
        return self.extend({**{z: z for z in range(self.view.held)}, x: y, y: x})

    def add_the_rest(self, found: list[Symmetry]) -> None:
        """Generators of the whole group: of the symmetries that fix the first k inputs, images of the next one.

        For all k, the largest first; none is looked for where those that are found have that image, or the work is
        spent.
        """
        chain, held, end = [self.first], self.view.held, self.work + SEARCH_WORK
        while self.work < end and len(chain) < held and len(set(chain[-1].inputs)) < len(chain[-1].inputs):
            chain += self.refined(chain[-1].marked(True, len(chain) - 1))
        for k, colouring in reversed(list(enumerate(chain))):
            for y in range(k + 1, held):
                fixing = [one.inputs for one in found if one.inputs[:k] == tuple(range(k))]
                if colouring.inputs[y] != colouring.inputs[k] or y in _orbit(k, fixing) or self.work >= end:
                    continue
                if symmetry := self.extend({**{x: x for x in range(k)}, k: y}):
                    found.append(symmetry)

    def extend(self, images: Mapping[int, int]) -> Symmetry | None:
        """A symmetry that takes these inputs there; None where none is found."""
        left = right = self.first
        for x, y in images.items():
            left, right = left.marked(True, x), right.marked(True, y)
        self.nodes = SEARCH_NODES
        return self._match(left, right)

    def _match(self, left: Colouring, right: Colouring) -> Symmetry | None:
        """A symmetry that takes the one colouring to the other."""
        self.nodes -= 1
        if self.nodes < 0 or len(refined := self.refined(left, right)) < 2:
            return None
        left, right = refined
        guess = Symmetry(_in_order(left.inputs, right.inputs), _in_order(left.messages, right.messages))
        if self.holds(guess):
            return guess
        if left.open is None:
            return None
        inputs, i = left.open
        mine, theirs = (left.inputs, right.inputs) if inputs else (left.messages, right.messages)
        for j in [j for j, colour in enumerate(theirs) if colour == mine[i]]:
            if (match := self._match(left.marked(inputs, i), right.marked(inputs, j))) is not None:
                return match
        return None

    def refined(self, *sides: Colouring) -> list[Colouring]:
        """Colours split by what each input and message occurs with, until nothing changes; none where sides differ."""
        while True:
            names = dict[Hashable, int]()
            kinds = [self._kinds(side, names) for side in sides]
            inputs, messages = kinds[0]
            if any(Counter(one) != Counter(inputs) or Counter(other) != Counter(messages) for one, other in kinds):
                return []
            before = sides[0]
            sides = tuple(Colouring(_numbered(one, inputs), _numbered(other, messages)) for one, other in kinds)
            if sides[0].number == before.number:
                return list(sides)

    def _kinds(self, colouring: Colouring, names: dict[Hashable, int]) -> tuple[list[Kind], list[Kind]]:
        """Of each input, and of each message: its colour, and the names of what it occurs with."""
        sent: list[list[int]] = [[] for _ in colouring.inputs]
        seen: list[list[tuple[int, int]]] = [[] for _ in colouring.messages]
        for x, row in enumerate(self.view.rows):
            self.work += len(row)
            for multiset, weight in row.items():
                messages = tuple(sorted((colouring.messages[i], count) for i, count in multiset))
                name = names.setdefault((colouring.inputs[x], weight, messages), len(names))
                sent[x].append(name)
                for i, count in multiset:
                    seen[i].append((name, count))
        inputs = [(colour, tuple(sorted(some))) for colour, some in zip(colouring.inputs, sent, strict=True)]
        return inputs, [(colour, tuple(sorted(some))) for colour, some in zip(colouring.messages, seen, strict=True)]

    def holds(self, symmetry: Symmetry) -> bool:
        """Whether the relabelling takes every row to its image, by substitution."""
        rows, messages = self.view.rows, symmetry.messages
        return all(
            len(row) == len(rows[y])
            and all(
                rows[y].get(tuple(sorted((messages[i], count) for i, count in multiset))) == weight
                for multiset, weight in row.items()
            )
            for row, y in zip(rows, symmetry.inputs, strict=True)
        )


def _numbered(kinds: Sequence[Kind], every: Sequence[Kind]) -> tuple[int, ...]:
    """Each as its place among all that there are."""
    order = {kind: k for k, kind in enumerate(sorted(set(every)))}
    return tuple(order[kind] for kind in kinds)


def _in_order(left: Sequence[int], right: Sequence[int]) -> Permutation:
    """The permutation that keeps colours, and the order within each."""
    places: dict[int, list[int]] = {}
    for j, colour in enumerate(right):
        places.setdefault(colour, []).append(j)
    ends = {colour: iter(some) for colour, some in places.items()}
    return tuple(next(ends[colour]) for colour in left)


def _orbit(x: int, moves: Sequence[Permutation]) -> set[int]:
    """All inputs to which products of these permutations take one."""
    found, left = {x}, [x]
    while left:
        y = left.pop()
        more = {move[y] for move in moves} - found
        found |= more
        left += more
    return found
