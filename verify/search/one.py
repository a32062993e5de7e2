"""One case, asked of the engine: what a claim means, and what decides the cases that arrays leave open."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import Any, NoReturn

from flint import fmpq, fmpz

from shufflecert.verify.bound.question import Effort
from shufflecert.verify.decide.worst_case import delta, epsilon
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.neighbours import Neighbours
from shufflecert.verify.exact.randomizer import NOBODY, Randomizer, System
from shufflecert.verify.exact.rational import rational
from shufflecert.verify.exact.views import View, view_of
from shufflecert.verify.search.claim import ABSENT, Dataset, pairs
from shufflecert.verify.search.numbers import INFINITE, Nats, Real, real
from shufflecert.verify.search.spaces import Table
from shufflecert.verify.systems.population import populated

CASE_WORK = 10_000_000  # units of enumeration (`verify.exact.neighbours.Neighbourhood.work`) for one question


@dataclass(frozen=True)
class Asked:
    """A number that a claim asked for: of which function, with what arguments, its value, and who attains it."""

    function: str
    n: int
    of: Any  # Nats, or the delta
    value: Any
    worst: str


@dataclass(frozen=True)
class One:
    """A table as claims see it (`verify.search.claim.World`); `asked` is a log of what was asked.

    Values are Fractions, `Real` where e^eps is irrational, and `Nats`: all exact. Raises Undecided where the engine
    decides nothing, TooMuchWork for too many datasets.
    """

    table: Table
    asked: list[Asked] = field(default_factory=list)

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return len(self.table.rows)

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return len(self.table.send)

    @cached_property
    def system(self) -> Randomizer | System:
        """The randomizer, among the neighbours that the table names."""
        return populated(self.table.randomizer(), self.table.presence)

    @cached_property
    def _rows(self) -> Randomizer:
        return self.table.presence.rows(self.table.randomizer())

    def delta(self, n: int, eps: Nats, view: str = "shuffled") -> Fraction | Real:
        """The largest delta(eps) of n users over all datasets, exactly."""
        found = delta(self.system, n, eps.eps(), view, effort=Effort(work=CASE_WORK))
        if not isinstance(found.delta, Delta):
            raise Undecided(f"n = {n}: expected few enough datasets to enumerate")
        value = _value(found.delta)
        self._log("delta" if view == "shuffled" else "local_delta", n, eps, value, found.scope.worst)
        return value

    def epsilon(self, n: int, delta: Fraction, view: str = "shuffled") -> Nats:
        """The least eps of n users with that delta over all datasets, exactly."""
        found = epsilon(self.system, n, delta, view, effort=Effort(work=CASE_WORK))
        if found.eps is None and found.interval is not None:
            raise Undecided(f"n = {n}: expected few enough datasets to enumerate")
        value = INFINITE if found.eps is None else Nats(Fraction(0), found.eps.power)
        self._log("epsilon" if view == "shuffled" else "local_epsilon", n, delta, value, found.scope.worst)
        return value

    def local_delta(self, eps: Nats) -> Fraction | Real:
        """delta of one user whose messages are seen in their order."""
        return self.delta(1, eps, "local")

    def local_epsilon(self, delta: Fraction) -> Nats:
        """eps of one user whose messages are seen in their order."""
        return self.epsilon(1, delta, "local")

    def blanket(self, n: int, eps: Nats) -> Fraction | Real:
        """The bound of the privacy blanket, of Balle, Bell, Gascon & Nissim 2019, Lemma 5.3, over all pairs of inputs.

        The pair of laws behind it: each of the others sends from the common part of all rows, and is nobody otherwise.
        """
        if any(len(send) != 1 for send in self.table.send) or self.table.adjacency != "replace":
            raise BadInput("claim: blanket: expected one message a user, and users who replace each other")
        common = [min(column) for column in zip(*self.table.rows, strict=True)]
        d = self.table.denominator
        named = list(zip(self.table.send, range(self.outputs), strict=True))
        rows: list[Any] = [
            (str(x), [(send, f"{row[y]}/{d}") for send, y in named if row[y]]) for x, row in enumerate(self.table.rows)
        ]
        rest = [((), f"{d - sum(common)}/{d}")] if d > sum(common) else []
        rows.append(("blanket", [*((send, f"{common[y]}/{d}") for send, y in named if common[y]), *rest]))
        view = view_of(Randomizer.build(rows))
        others = (*(0 for _ in self.table.rows), n - 1)
        return max(_delta(_pair(view, d.source, d.target, others), eps) for d in pairs(1, self.inputs))

    def row(self, x: int, y: int) -> Fraction:
        """The probability of output y on input x."""
        return Fraction(self.table.rows[x][y], self.table.denominator)

    def datasets(self, n: int) -> Sequence[Dataset]:
        """Every pair of neighbouring datasets."""
        return pairs(n, self.inputs, self.table.adjacency, self.table.reference)

    def dataset_delta(self, dataset: Dataset, eps: Nats) -> Fraction | Real:
        """delta of one pair in one direction."""
        value = _delta(self._pair(dataset), eps)
        self._log("d.delta", sum(dataset.others) + 1, eps, value, dataset)
        return value

    def dataset_epsilon(self, dataset: Dataset, delta: Fraction) -> Nats:
        """eps of one pair in one direction."""
        power = self._pair(dataset).epsilon_power(delta)
        value = INFINITE if power is None else Nats.log(rational(power))
        self._log("d.epsilon", sum(dataset.others) + 1, delta, value, dataset)
        return value

    def refuse(self, reason: str) -> NoReturn:
        """Nothing is evaluated in another way than here."""
        raise BadInput(f"claim: {reason}: no such thing in a claim")

    def _pair(self, dataset: Dataset) -> Pair:
        view = self._view
        place = {x: i for i, x in enumerate(view.inputs)}
        source, target = (place[NOBODY if x == ABSENT else str(x)] for x in (dataset.source, dataset.target))
        return _pair(view, source, target, dataset.others)

    @cached_property
    def _view(self) -> View:
        return view_of(self._rows)

    def _log(self, function: str, n: int, of: Any, value: Any, worst: Dataset | Neighbours | None) -> None:
        if isinstance(worst, Neighbours):
            nobody = self.table.reference if self.table.adjacency == "deletion" else ABSENT
            users = [nobody if x == NOBODY else int(x) for x in (worst.source, worst.target)]
            others = {int(x): count for x, count in (worst.others or {}).items()}
            worst = Dataset(users[0], users[1], tuple(others.get(x, 0) for x in range(self.inputs)))
        self.asked.append(Asked(function, n, of, value, "" if worst is None else str(worst)))


def _pair(view: View, source: int, target: int, others: Sequence[int]) -> Pair:
    """The laws of a user on either of two inputs and these others, from products of the rows' polynomials."""
    counted = zip(view.polynomials, others, strict=False)
    product = prod((f**count for f, count in counted if count), start=view.ring.constant(1))
    laws = [view.polynomials[x] * product for x in (source, target)]
    denominator = fmpz(view.denominator) ** (sum(others) + 1)
    return Pair.aligned((laws[0].monoms(), laws[0].coeffs()), (laws[1].monoms(), laws[1].coeffs()), denominator)[0]


def _delta(pair: Pair, eps: Nats) -> Fraction | Real:
    at = eps.eps()
    return _value(pair.delta(at))


def _value(found: Delta) -> Fraction | Real:
    """A - B e^eps."""
    eps: Eps = found.eps
    if eps.power is not None:
        return rational(fmpq(found.a, found.denominator)) - rational(fmpq(found.b, found.denominator)) * eps.power
    assert eps.exponent is not None
    return real({Fraction(0): found.A, eps.exponent: -found.B})
