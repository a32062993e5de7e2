"""The three views of a protocol, as polynomials: the view of n users' messages; and the symmetries of a view.

f_x(z) = sum over multisets m of Pr[R(x) = m] z^m, and the shuffled view of x_1..x_n is the product f_{x_1} ...
f_{x_n}: a coefficient is the probability of that multiset (BC Definition 7, with the permutation forgotten, which
loses nothing since it is uniform). The other two views are the same algebra: `preshuffle` is the shuffled view of one
user, and `local` is the shuffled view of one user whose whole tuple of messages is a single message.

Symmetries are found rather than declared: relabellings of inputs and messages that leave the randomizer unchanged.
(s, t) is a symmetry when Pr[R(s(x)) = t(m)] = Pr[R(x) = m] for every input x and multiset of messages m. Permuting
the inputs of all users by s then renames the outcomes by t, so the pairs of neighbours in one orbit have the same
divergence. Missing a symmetry costs time and never a pair; every one that is returned has been checked by
substitution.
"""

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import comb, lcm, prod
from operator import and_
from typing import Any

from flint import Ordering, fmpq_mat, fmpz_mpoly, fmpz_mpoly_ctx

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import NOBODY, Messages, Randomizer
from shufflecert.verify.exact.rational import rational

Multiset = tuple[tuple[int, int], ...]  # (message index, count >= 1), ascending
Exponents = tuple[int, ...]  # counts of the messages that are kept, all of them
VIEWS = ("shuffled", "preshuffle", "local")
MANY_MESSAGES = 200
Permutation = tuple[int, ...]
Kind = tuple[int, tuple[Any, ...]]  # of an input or a message: its colour, and what it occurs with
MANY_INPUTS, MANY_WEIGHTS = 40, 100_000  # beyond these none are looked for: orbits would cost more than they save
SEARCH_NODES = 200  # colourings tried for one symmetry
SEARCH_WORK = 2_000_000  # weights looked at for all that are no exchange of two inputs: a few seconds


@dataclass(frozen=True)
class View:
    """One user's part of a view: rows[i] = {multiset of messages: integer weight}, over one common denominator.

    Two reductions are found here, and neither loses a pair of neighbours:

    - a message whose number is an affine function of the other messages' numbers in every output of every row is
      not counted (for a single-message randomizer, one message is implied by the total);
    - inputs whose rows differ by a monomial factor form one class: exchanging them among the other users renames
      outcomes, the same on both sides, so only the number of others in each class matters.
    """

    name: str
    inputs: tuple[str, ...]
    messages: tuple[Messages, ...]  # in `local` whole tuples, else one-message tuples
    rows: tuple[dict[Multiset, int], ...]
    denominator: int

    @cached_property
    def implied(self) -> dict[int, tuple[Fraction, dict[int, Fraction]]]:
        """Messages whose count is affine in those of others, count = c_0 + sum c_i count_i, in every output.

        As {message index: (c_0, {index of a kept message: c_i})}.
        """
        return _affine_relations(dict.fromkeys(m for row in self.rows for m in row), len(self.messages))

    @property
    def held(self) -> int:
        """How many of the inputs the other users may hold: all but NOBODY's, which comes last."""
        return len(self.inputs) - (NOBODY in self.inputs)

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """The indices of the messages that are counted; the numbers of all others follow from these."""
        return tuple(i for i in range(len(self.messages)) if i not in self.implied)

    @cached_property
    def ring(self) -> fmpz_mpoly_ctx:
        """The ring of polynomials with a variable for each message that is kept."""
        return fmpz_mpoly_ctx.get([f"z{i}" for i in self.kept] or ["z"], Ordering.lex)

    def polynomial(self, row: Mapping[Multiset, int]) -> fmpz_mpoly:
        """The generating polynomial of a row: sum of weight * z^multiset, in the messages that are kept."""
        place = {i: k for k, i in enumerate(self.kept)}
        terms = {}
        for multiset, weight in row.items():
            exponents = [0] * max(1, len(place))
            for i, count in multiset:
                if i in place:
                    exponents[place[i]] = count
            terms[tuple(exponents)] = weight
        return self.ring.from_dict(terms)

    @cached_property
    def polynomials(self) -> tuple[fmpz_mpoly, ...]:
        """The generating polynomial f_x of every input, times the common denominator."""
        return tuple(self.polynomial(row) for row in self.rows)

    @cached_property
    def classes(self) -> tuple[tuple[int, ...], ...]:
        """Inputs (by index) whose rows are equal up to a monomial, grouped; in order of first appearance."""
        groups: dict[object, list[int]] = {}
        for x, row in enumerate(self.rows[: self.held]):
            groups.setdefault(frozenset(_cleared(row).items()), []).append(x)
        return tuple(tuple(group) for group in groups.values())

    @cached_property
    def bases(self) -> tuple[fmpz_mpoly, ...]:
        """For each class, its first member's row divided by the largest monomial that divides it."""
        return tuple(self.polynomial(_cleared(self.rows[group[0]])) for group in self.classes)

    def others(self, total: int) -> Iterator[tuple[Exponents, fmpz_mpoly]]:
        """Every way to place `total` others in the classes: (others per class, the product G of their polynomials).

        Each G comes from the one before it by moving one user to another class: one product and one exact division.
        """

        def walk(cls: int, left: int, counts: Exponents, product: fmpz_mpoly) -> Iterator[tuple[Exponents, fmpz_mpoly]]:
            if cls == last:
                yield (*counts, left), product
                return
            for moved in range(left + 1):
                yield from walk(cls + 1, left - moved, (*counts, moved), product)
                if moved < left:
                    product = product * self.bases[cls] / self.bases[last]

        last = len(self.classes) - 1
        yield from walk(0, total, (), self.bases[last] ** total)

    def cleared(self, counts: Sequence[int]) -> Counter[int]:
        """The monomial by which products of `bases` fall short of products of rows, for so many others in each class.

        All others hold the first member of their class.
        """
        total: Counter[int] = Counter()
        for group, count in zip(self.classes, counts, strict=True):
            for i, low in common_of(self.rows[group[0]]).items():
                total[i] += count * low
        return total

    def multisets(self, users: int, monomials: Sequence[Exponents], cleared: Mapping[int, int]) -> list[Multiset]:
        """The multisets of all messages, implied ones too, that belong to some monomials times `cleared`."""
        full = []
        for monomial in monomials:
            number = {i: Fraction(int(e) + cleared.get(i, 0)) for i, e in zip(self.kept, monomial, strict=False)}
            for i, (constant, slopes) in self.implied.items():
                number[i] = users * constant + sum((c * number[j] for j, c in slopes.items()), Fraction(0))
            full.append(tuple((i, int(number[i])) for i in sorted(number) if number[i]))
        return full

    def terms(self, total: int) -> int:
        """An upper bound on the number of outcomes of `total` users: lattice points of a box, or of a simplex."""
        kept, most, degree = set(self.kept), dict[int, int](), 0
        for multiset in (m for row in self.rows for m in row):
            counted = [(i, count) for i, count in multiset if i in kept]
            degree = max(degree, sum(count for _, count in counted))
            for i, count in counted:
                most[i] = max(most.get(i, 0), count)
        box = prod(total * count + 1 for count in most.values())
        return min(box, comb(total * degree + len(kept), len(kept)))


def view_of(randomizer: Randomizer, name: str = "shuffled") -> View:
    """One user's part of the named view. Raises BadInput for an unknown view."""
    if name not in VIEWS:
        raise BadInput(f"view: {name!r} is unknown: expected one of {', '.join(VIEWS)}")
    if name == "local":
        messages = tuple(dict.fromkeys(send for law in randomizer.rows.values() for send in law))
    else:
        messages = tuple((m,) for m in randomizer.messages)
    index = {send: i for i, send in enumerate(messages)}
    denominator = lcm(*(int(law.denominator) for law in randomizer.rows.values()))
    rows = []
    for law in randomizer.rows.values():
        row: dict[Multiset, int] = {}
        scale = denominator // int(law.denominator)
        for send, weight in law.weights.items():
            tokens = [send] if name == "local" else [(m,) for m in send]
            multiset = tuple(sorted(Counter(index[token] for token in tokens).items()))
            row[multiset] = row.get(multiset, 0) + int(weight) * scale
        rows.append(row)
    return View(name, tuple(randomizer.rows), messages, tuple(rows), denominator)


def common_of(row: Mapping[Multiset, int]) -> Counter[int]:
    """The largest monomial that divides every monomial of the row."""
    return reduce(and_, (Counter(dict(multiset)) for multiset in row))


def without(row: Mapping[Multiset, int], known: Mapping[int, int]) -> dict[Multiset, int]:
    """The row divided by a monomial that divides it."""
    return {
        tuple((i, count - known.get(i, 0)) for i, count in m if count > known.get(i, 0)): weight
        for m, weight in row.items()
    }


def _cleared(row: Mapping[Multiset, int]) -> dict[Multiset, int]:
    return without(row, common_of(row))


def _affine_relations(points: Iterable[Multiset], width: int) -> dict[int, tuple[Fraction, dict[int, Fraction]]]:
    """Columns that are affine combinations of earlier columns over all points, each with its combination.

    The matrix M with rows (1, e_1, ..., e_width) and its Gram matrix M^T M have the same kernel over the rationals, so
    the linear relations of M's columns are read off the reduced row echelon form of the smaller one. None are looked
    for among more than MANY_MESSAGES: a relation that is missed costs time and nothing else.
    """
    if width > MANY_MESSAGES:
        return {}
    gram = [[0] * (width + 1) for _ in range(width + 1)]
    for multiset in points:
        row = [(0, 1), *((i + 1, count) for i, count in multiset)]
        for i, a in row:
            for j, b in row:
                gram[i][j] += a * b
    echelon, rank = fmpq_mat(gram).rref()
    columns = [[rational(echelon[r, c]) for r in range(rank)] for c in range(width + 1)]
    pivots = [next(c for c in range(width + 1) if columns[c][r]) for r in range(rank)]  # pivots[0] is the constant
    return {
        c - 1: (columns[c][0], {pivots[r] - 1: columns[c][r] for r in range(1, rank) if columns[c][r]})
        for c in sorted(set(range(width + 1)) - set(pivots))
    }


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
