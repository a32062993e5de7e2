"""The three views of a protocol, as polynomials: the view of n users' messages.

f_x(z) = sum over multisets m of Pr[R(x) = m] z^m, and the shuffled view of x_1..x_n is the product f_{x_1} ...
f_{x_n}: a coefficient is the probability of that multiset (BC Definition 7, with the permutation forgotten, which
loses nothing since it is uniform). The other two views are the same algebra: `preshuffle` is the shuffled view of one
user, and `local` is the shuffled view of one user whose whole tuple of messages is a single message.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from math import comb, lcm, prod
from operator import and_

from flint import Ordering, fmpq_mat, fmpz_mpoly, fmpz_mpoly_ctx

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import NOBODY, Messages, Randomizer
from shufflecert.verify.exact.rational import rational

Multiset = tuple[tuple[int, int], ...]  # (message index, count >= 1), ascending
Exponents = tuple[int, ...]  # counts of the messages that are kept, all of them
VIEWS = ("shuffled", "preshuffle", "local")
MANY_MESSAGES = 200


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
