"""Enumeration of neighbouring datasets, up to order, classes and symmetries: few pairs that stand for all of them.

Neighbours differ in one user: in the input, or in whether there is one (`verify.exact.randomizer.Presence`). The view
does not depend on the order of the users, so a pair of neighbours is an ordered pair (from, to) of distinct inputs, or
of an input and NOBODY, and the multiset of the other users' inputs. That is reduced further, without loss, by the
classes of `View` and its symmetries; in the `local` and `preshuffle` views the others are independent of
the user who changes, and drop out.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import comb
from typing import Any

from flint import fmpz

from shufflecert.verify import progress
from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import EVERYBODY, NOBODY, Messages, Presence, Randomizer
from shufflecert.verify.exact.rational import decimal_above, natural
from shufflecert.verify.exact.views import Exponents, Permutation, Symmetry, View, symmetries, view_of

MAX_WORK = 300_000_000  # in units of `Neighbourhood.work`: about ten minutes of one core


@dataclass(frozen=True)
class Neighbours:
    """Two neighbouring datasets: one user on `source` or on `target`, and how many others hold each input.

    NOBODY as one of the two: that user is absent, or on the reference. `others` is None where the pair of laws is the
    same whatever they hold.
    """

    source: str
    target: str
    others: Mapping[str, int] | None

    def deleted(self, who: Presence) -> "Neighbours":
        """The pair with the one reference input written as NOBODY; as it is where neighbours differ in something else.

        Of a pair of two other inputs, which stands for all, the target and the reference change places.
        """
        if who.adjacency != "deletion" or NOBODY in (self.source, self.target):
            return self
        ((r, _),) = who.reference
        if self.source == r:
            return Neighbours(NOBODY, self.target, self.others)
        moved = {self.target: r, r: self.target}
        others = {moved.get(z, z): count for z, count in (self.others or {}).items()}
        return Neighbours(self.source, NOBODY, None if self.others is None else others)

    def __str__(self) -> str:
        others = " + ".join(f"{count} x {x}" for x, count in (self.others or {}).items())
        return f"{self.source or 'nobody'} -> {self.target or 'nobody'}" + (f", others {others}" if others else "")


OUTCOME, COUNT = 700, 200  # bytes that a pair's outcome takes, and each of its counts: measured, of 16 to 100 counts


@dataclass(frozen=True)
class Case:
    """One pair of neighbours that is evaluated, with its pair of laws."""

    neighbours: Neighbours
    pair: Pair
    counts: Exponents  # others in each class
    monomials: list[Any]  # of the pair's outcomes: exponents of the kept messages, or with no others multisets


@dataclass(frozen=True)
class Scope:
    """Which datasets an answer covers, how many pairs of them were evaluated, and by what argument that was enough.

    The `pairs` that were evaluated stand for `stands_for` pairs of neighbours, counted up to the order of users; None
    where they are infinitely many, or a number of thousands of digits. `two_sided` where the lower bound comes from
    real datasets, among them `worst`, and the upper bound from a pair that dominates all datasets.
    `stopped` where somebody did not wait until the two were close.
    """

    view: str
    n: int
    pairs: int
    stands_for: int | None
    worst: Neighbours | None
    by: str
    presence: Presence = EVERYBODY
    datasets: str = "all"
    two_sided: bool = False
    stopped: bool = False

    def __str__(self) -> str:
        worst = "" if self.worst is None else f"; worst: {self.worst}"
        return f"{self.view} view, n = {self.n}, {self.datasets} neighbouring datasets: {self.by}{worst}"


@dataclass(frozen=True)
class Neighbourhood:
    """All pairs of neighbouring datasets of n users in one view, each class of equivalent pairs once.

    `symmetries` are those of the view; enumeration is refused where its estimate exceeds `max_work`. `n` users follow
    the protocol, of all the users among whom there are others (`everybody`) where `presence` says so.
    """

    randomizer: Randomizer
    view: View
    n: int
    symmetries: tuple[Symmetry, ...]
    max_work: int = MAX_WORK
    presence: Presence = EVERYBODY
    everybody: int | None = None

    @property
    def total(self) -> int:
        """The number of other users whose inputs matter to the view: n - 1, or 0 where the others are independent."""
        return self.n - 1 if self.view.name == "shuffled" else 0

    @property
    def all_pairs(self) -> int:
        """The number of ordered pairs of neighbouring datasets, up to the order of users, that are stood for."""
        return all_pairs(self.view.held, self.total, self.presence)

    def scope(self, pairs: int, worst: Neighbours | None) -> Scope:
        """The scope of an answer for which so many pairs were evaluated, `worst` the worst of them."""
        by = (
            "enumeration up to order, classes and symmetries"
            if self.view.name == "shuffled"
            else "enumeration of inputs"
        )
        return Scope(self.view.name, self.everybody or self.n, pairs, self.all_pairs, worst, by, self.presence)

    @cached_property
    def pair_orbits(self) -> dict[tuple[int, int], set[Permutation]]:
        """One ordered pair of inputs for each orbit of the symmetries, with generators of its stabilizer."""
        return _pair_orbits(self.view, self.symmetries)

    @cached_property
    def _terms(self) -> int:
        return self.view.terms(self.total + 1) if self.total else max(len(row) for row in self.view.rows)

    @property
    def held(self) -> int:
        """About how many bytes enumeration holds at a time: a product and the two laws of a pair, with their counts."""
        words = 1 + (self.total + 1) * self.view.denominator.bit_length() // 64
        counts = OUTCOME + COUNT * len(self.view.kept) if self.total else 0
        return self._terms * (3 * 8 * words + counts)

    def work(self) -> tuple[int, str]:
        """An estimate of the work of enumeration, as a number and in words.

        The unit is a coefficient of up to 1000 bits, or 16 bytes held at a time.
        """
        datasets = comb(self.total + len(self.view.classes) - 1, self.total)
        terms = self._terms
        words = 1 + (self.total + 1) * self.view.denominator.bit_length() // 64
        pairs, held = len(self.pair_orbits), self.held
        work = max(datasets * terms * (1 + pairs) * (1 + words // 16), held // 16)
        return work, (
            f"about {_about(work)} units: {_about(datasets)} datasets of others x {pairs} pairs of inputs x"
            f" at most {_about(terms)} outcomes of {_about(held // terms)} bytes, {_about(held >> 20)} MiB at a time"
        )

    @property
    def affordable(self) -> bool:
        """Whether the estimate is at most `max_work`."""
        return self._terms <= self.max_work and self.work()[0] <= self.max_work  # there are at least so many units

    def check_work(self) -> None:
        """Raises TooMuchWork with the estimate when it is above `max_work`."""
        _, text = self.work()
        if not self.affordable:
            raise TooMuchWork(
                f"n = {self.n}: enumeration would take {text}:"
                f" expected at most {_about(self.max_work)}; --max-work allows more"
            )

    def representatives(self) -> dict[Exponents, list[tuple[int, int]]]:
        """One entry for each orbit of pairs of neighbouring datasets: {others per class: ordered pairs of inputs}."""
        chosen: dict[Exponents, list[tuple[int, int]]] = {}
        every = list(compositions(self.total, len(self.view.classes)))
        for pair, stabilizer in self.pair_orbits.items():
            moves = {_on_classes(self.view, s) for s in stabilizer}
            seen: set[Exponents] = set()
            for counts in every:
                if counts not in seen:
                    chosen.setdefault(counts, []).append(pair)
                    _flood(counts, moves, seen)
        return chosen

    def __iter__(self) -> Iterator[Case]:
        yield from self.cases(self.representatives())

    def cases(self, representatives: dict[Exponents, list[tuple[int, int]]]) -> Iterator[Case]:
        """The representatives one after the other, each with its pair of laws."""
        view = self.view
        progress.memory(self.held)
        denominator = fmpz(view.denominator) ** (self.total + 1)
        if self.total == 0:
            whole = [(list(row), [fmpz(w) for w in row.values()]) for row in view.rows]
            for counts, pairs in representatives.items():
                for x, y in pairs:
                    yield self._case(x, y, counts, whole, denominator)
            return
        for counts, product in view.others(self.total):
            pairs = representatives.get(counts, [])
            terms = {user: view.polynomials[user] * product for user in {user for pair in pairs for user in pair}}
            laws = {user: (polynomial.monoms(), polynomial.coeffs()) for user, polynomial in terms.items()}
            for x, y in pairs:
                yield self._case(x, y, counts, laws, denominator)

    def _case(self, x: int, y: int, counts: Exponents, laws: Any, denominator: fmpz) -> Case:
        pair, monomials = Pair.aligned(laws[x], laws[y], denominator)
        return Case(self._name(x, y, counts), pair, counts, monomials)

    def _name(self, x: int, y: int, counts: Exponents) -> Neighbours:
        held = enumerate(counts) if self.total else ()
        others = {self.view.inputs[self.view.classes[c][0]]: count for c, count in held if count}
        return Neighbours(self.view.inputs[x], self.view.inputs[y], others)

    def outcomes(self, case: Case, indices: Iterable[int]) -> list[dict[Messages, int]]:
        """The case's outcomes at these indices as multisets {message: count}; a message is a tuple (see `View`)."""
        monomials = [case.monomials[i] for i in indices]
        full = monomials
        if self.total:
            full = self.view.multisets(self.n, monomials, self.view.cleared(case.counts))
        return [{self.view.messages[i]: count for i, count in multiset} for multiset in full]


def neighbourhood(
    randomizer: Randomizer,
    n: object = 1,
    view: str = "shuffled",
    max_work: int = MAX_WORK,
    presence: Presence = EVERYBODY,
) -> Neighbourhood:
    """All pairs of neighbouring datasets of n users. Raises BadInput for a bad n or view, TooMuchWork if too large.

    With a `presence` the randomizer is the one that `Presence.rows` gives.
    """
    found = unchecked(randomizer, n, view, max_work, presence)
    found.check_work()
    return found


def unchecked(randomizer: Randomizer, n: object, view: str, max_work: int, presence: Presence) -> Neighbourhood:
    """As `neighbourhood`, to be asked whether it is `affordable` before anything is enumerated."""
    everybody = natural(n, "n")
    users, one = presence.counted(everybody), view_of(randomizer, view)
    result = Neighbourhood(randomizer, one, users, (), max_work, presence, everybody)
    # no symmetry spares the outcomes of one pair, so hopeless questions are refused before any is looked for
    if result.total and result._terms <= max_work:
        return replace(result, symmetries=tuple(symmetries(one)))
    return result


def all_pairs(inputs: int, others: int, presence: Presence = EVERYBODY) -> int:
    """The number of ordered pairs of neighbouring datasets, up to order, with so many `others`."""
    changes = inputs * (inputs - 1) if presence.adjacency == "replace" else 2 * inputs
    return changes * comb(others + inputs - 1, min(others, inputs - 1))


def changes(view: View) -> list[tuple[int, int]]:
    """The ordered pairs of rows between which the user who changes may move."""
    inputs, held = range(view.held), range(len(view.inputs))
    if len(held) == len(inputs):
        return [(x, y) for x in inputs for y in inputs if x != y]
    return [pair for x in inputs for pair in ((x, held[-1]), (held[-1], x))]


def _about(number: int) -> str:
    """A size in words: its first two digits, rounded up."""
    return decimal_above(Fraction(number), 2)


def compositions(total: int, parts: int) -> Iterator[Exponents]:
    """Every tuple of so many integers of at least 0 with this sum, in lexicographic order."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


def _pair_orbits(view: View, generators: tuple[Symmetry, ...]) -> dict[tuple[int, int], set[Permutation]]:
    """{representative ordered pair of inputs: generators of its stabilizer}, by Schreier's lemma."""
    size = len(view.inputs)
    orbits: dict[tuple[int, int], set[Permutation]] = {}
    carrier: dict[tuple[int, int], Permutation] = {}  # pair -> a permutation that takes its representative there
    for x, y in changes(view):
        if (x, y) in carrier:
            continue
        carrier[x, y] = tuple(range(size))
        stabilizer: set[Permutation] = set()
        frontier = [(x, y)]
        while frontier:
            at = frontier.pop()
            for g in generators:
                to = (g.inputs[at[0]], g.inputs[at[1]])
                there = tuple(g.inputs[i] for i in carrier[at])
                if to not in carrier:
                    carrier[to] = there
                    frontier.append(to)
                else:
                    back = sorted(range(size), key=carrier[to].__getitem__)  # the inverse
                    stabilizer.add(tuple(back[i] for i in there))
        orbits[x, y] = stabilizer - {tuple(range(size))}
    return orbits


def _on_classes(view: View, inputs: Permutation) -> Permutation:
    """The permutation of classes that a symmetry's permutation of inputs induces."""
    of = {x: c for c, group in enumerate(view.classes) for x in group}
    return tuple(of[inputs[group[0]]] for group in view.classes)


def _flood(start: Exponents, moves: set[Permutation], seen: set[Exponents]) -> None:
    frontier = [start]
    seen.add(start)
    while frontier:
        counts = frontier.pop()
        for move in moves:
            moved = [0] * len(counts)
            for i, j in enumerate(move):
                moved[j] = counts[i]
            if (image := tuple(moved)) not in seen:
                seen.add(image)
                frontier.append(image)
