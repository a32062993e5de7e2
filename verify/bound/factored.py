"""Tables whose rows factor into independent bits: found from the table, and bounded as independent columns.

A row factors where every message is sent once or not at all, and what is sent is independent from message to message:

    Pr[R(x) = S] = product over messages m in S of p_x(m) times product over all others of 1 - p_x(m).

Of two messages of which every user sends exactly one, as "j:0" and "j:1" of one-time RAPPOR, one stands for both: the
numbers of both sum to that of the users. What is seen are then the columns' sums, independent given the data; the pair
of two inputs a and b is a product over the columns in which p_a and p_b differ; the others lie between the least and
the largest chance there (verify/bound/columns.py has the bound and its proof). The weights are compared exactly.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from itertools import permutations, product
from math import prod
from typing import Any

from shufflecert.verify.bound.bound import Bound, Certified, Claim, WorstDelta
from shufflecert.verify.bound.closed_form import ClosedForm
from shufflecert.verify.bound.columns import Column, Columns, Datasets, Held
from shufflecert.verify.bound.covered import Covered
from shufflecert.verify.bound.evidence import by_pairs
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer, gathered
from shufflecert.verify.exact.rational import DIGITS
from shufflecert.verify.reduce.privacy_blanket import reach_of
from shufflecert.verify.reduce.reduction import Family, Found, NamedPair, Reduction, worst_delta
from shufflecert.verify.runs.later import Later

optimize: Any = Later("scipy.optimize")
np: Any = Later("numpy")
BY = "rows that are products of independent bits, column by column (verify/bound/factored.py, verify/bound/columns.py)"
MOST, MESSAGES = 100_000, 64  # outputs of a table that is looked at, and messages
MANY = 4  # families of columns, each of which takes seconds
EACH = 10_000_000  # units of work that columns take at an eps, from one to the next
ORDERS = 24  # of columns that are alike, for one dataset
Bits = Mapping[str, tuple[Fraction, ...]]  # input: the chance of each column's message


def bits_of(randomizer: Randomizer) -> Bits | None:
    """The chances {input: (of each column)} of a table whose rows factor; None of another one."""
    if sum(map(len, randomizer.rows.values())) > MOST:
        return None
    rows = {x: gathered((tuple(sorted(sent)), p) for sent, p in law.items()) for x, law in randomizer.rows.items()}
    outputs = {sent for row in rows.values() for sent in row}
    names = sorted({m for sent in outputs for m in sent})
    if len(names) > MESSAGES or any(len({*sent}) < len(sent) for sent in outputs):
        return None
    seen = {m: frozenset(sent for sent in outputs if m in sent) for m in names}
    columns = [m for m in names if not any(seen[m] == outputs - seen[k] for k in names if k < m)]
    found: dict[str, tuple[Fraction, ...]] = {}
    for x, law in rows.items():
        chances = [sum((p for sent, p in law.items() if m in sent), Fraction(0)) for m in columns]
        for sent, p in law.items():  # these sum to 1, as products over all sets of columns do: the others are 0
            if p != prod((c if m in sent else 1 - c for m, c in zip(columns, chances, strict=True)), start=Fraction(1)):
                return None
        found[x] = tuple(chances)
    return found


@dataclass(frozen=True)
class Changed:
    """A user who goes from input `source` to `target`: the columns in which that changes his chance, and where these
    are.

    A column in which his chance rises has 0 and 1 exchanged.
    """

    bits: Bits
    source: str
    target: str

    @cached_property
    def columns(self) -> list[tuple[Column, int, bool]]:
        """(column, its place, whether 0 and 1 are exchanged), those that are alike one after the other."""
        found = []
        for j, (up, down) in enumerate(zip(self.bits[self.source], self.bits[self.target], strict=True)):
            of_all = [chances[j] for chances in self.bits.values()]
            high, low = max(of_all), min(of_all)
            if up > down:
                found.append((Column(up, down, high, low), j, False))
            elif up < down:
                found.append((Column(1 - up, 1 - down, 1 - low, 1 - high), j, True))
        return sorted(found, key=lambda one: (one[0].up, one[0].down, one[0].high, one[0].low))

    @property
    def parts(self) -> tuple[tuple[Column, int], ...]:
        """The changed columns as `Columns` takes them, each with multiplicity 1, and so with a number c of its own."""
        return tuple((column, 1) for column, _, _ in self.columns)

    def pattern(self, x: str) -> tuple[bool, ...] | None:
        """Whether an input has the largest chance (True) or the least of each column; None where one is between."""
        mine = [1 - self.bits[x][j] if turned else self.bits[x][j] for _, j, turned in self.columns]
        ends = [(column.low, column.high) for column, _, _ in self.columns]
        if not all(chance in end for chance, end in zip(mine, ends, strict=True)):
            return None
        return tuple(chance == high for chance, (_, high) in zip(mine, ends, strict=True))

    @cached_property
    def _patterns(self) -> dict[tuple[bool, ...], str]:
        """An input for each pattern."""
        found: dict[tuple[bool, ...], str] = {}
        for x in self.bits:
            if (one := self.pattern(x)) is not None:
                found.setdefault(one, x)
        return found

    def alone(self, others: int) -> tuple[Held, ...]:
        """The c of all others on one input."""
        return tuple(tuple(others * one for one in pattern) for pattern in self._patterns)

    def datasets(self, others: int, held: Held) -> Datasets | None:
        """Neighbouring datasets with so many of the others on the largest chance of each column, if there are any.

        Columns that are alike may change places. The numbers are guessed by a linear program, and compared exactly.
        """
        if not (patterns := list(self._patterns)):
            return None
        for wanted in self._orders(held):
            counts = _solved(patterns, others, wanted)
            if counts is not None:
                named = {self._patterns[one]: k for one, k in zip(patterns, counts, strict=True) if k}
                return self.source, self.target, named
        return None

    def _orders(self, held: Held) -> list[Held]:
        kinds: dict[Column, list[int]] = {}
        for (column, _, _), c in zip(self.columns, held, strict=True):
            kinds.setdefault(column, []).append(c)
        ways = [sorted({*permutations(some)}) if len(some) < 5 else [tuple(some)] for some in kinds.values()]
        return [tuple(c for some in order for c in some) for order in product(*ways)][:ORDERS]


def _solved(patterns: Sequence[tuple[bool, ...]], others: int, wanted: Held) -> list[int] | None:
    """How many others have each pattern, where `wanted` of them are True in each column; None where none is found."""
    rows = np.array([[1] * len(patterns), *zip(*patterns, strict=True)], dtype=float)
    sums = np.array([others, *wanted], dtype=float)
    guess = optimize.milp(
        np.zeros(len(patterns)),
        constraints=optimize.LinearConstraint(rows, sums, sums),
        integrality=np.ones(len(patterns)),
    )
    if guess.x is None:
        return None
    counts = [max(round(k), 0) for k in guess.x]
    held = tuple(sum(k for k, one in zip(counts, patterns, strict=True) if one[j]) for j in range(len(wanted)))
    return counts if sum(counts) == others and held == tuple(wanted) else None


@dataclass(frozen=True)
class AllChanges(Family):
    """The pairs of all changes from one input to another, those with the same columns as one family."""

    members: tuple[Columns, ...]

    between = True

    @classmethod
    def of(cls, bits: Bits, n: int) -> "AllChanges":
        """All changes among n users."""
        changes = dict[tuple[tuple[Column, int], ...], Changed]()
        for a, b in permutations(bits, 2):
            one = Changed(bits, a, b)
            if one.parts:
                changes.setdefault(one.parts, one)
        members = [
            Columns(parts, n - 1, partial(one.datasets, n - 1), sure=False, worth=one.alone(n - 1))
            for parts, one in changes.items()
        ]
        return cls(tuple(members))

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """The largest of all changes; one that is below another's lower end is bounded by that alone."""
        low, high, named, seen = Fraction(0), Fraction(0), None, 0
        for member in self.members:
            value, at, looked = member.worst(eps, digits, max(enough, low))
            high, seen = max(high, value.high), seen + looked
            if value.low > low or named is None:
                low, named = max(low, value.low), at
        return Interval(low, max(low, high)), named, seen

    def epsilon(self, bound: Fraction) -> tuple[Fraction | None, Fraction | None, Found] | None:
        """The smallest eps as a `Reduction` asks for it: the largest of all changes."""
        best: tuple[Fraction | None, Fraction | None, Found] | None = None
        for member in self.members:
            if best and best[0] is not None and best[1] is not None and member.keeps(Eps.of(best[0]), bound):
                continue
            found = member.epsilon(bound)
            if found is None or found[0] is None:  # no eps is enough for the datasets of this change
                return found
            if best is None or best[0] is None:
                best = found
                continue
            top = None if found[1] is None or best[1] is None else max(found[1], best[1])
            low, _, worst = found if found[0] > best[0] else best
            best = low, top, worst
        return best

    def infinity_mass(self) -> Fraction:
        """A lower bound on the largest P(Q = 0)."""
        return max((member.infinity_mass() for member in self.members), default=Fraction(0))


def factored(randomizer: Randomizer, n: int) -> Reduction | None:
    """What is known of a table whose rows factor, in three columns or more; None of another one.

    Nor of one with an input between others in a column, of which this bound is no closer than a cover's, or with many
    changes that differ.
    """
    bits = bits_of(randomizer)
    if bits is None or len({*bits.values()}) < 2 or len({*zip(*bits.values(), strict=True)}) < 3:
        return None
    if any(len({*chances}) > 2 for chances in zip(*bits.values(), strict=True)):
        return None
    changes = AllChanges.of(bits, n)
    return Reduction(changes, BY, len(bits)) if len(changes.members) <= MANY else None


@dataclass(frozen=True)
class Factored(ClosedForm):
    """The worst of such a table: by its columns, and what a certificate shows by a cover of the table."""

    @cached_property
    def stated(self) -> Covered:
        """A cover of the table: no certificate is by its columns."""
        rows, counted = self.question.randomizer, self.question.counted
        blanket = replace(reach_of(rows, counted), presence=self.reach.presence)
        return Covered(self.question, self.effort, rows, blanket)

    def lower(self, eps: Eps, digits: int = DIGITS) -> tuple[Interval, NamedPair | None]:
        """What real datasets have that seem worst at this eps, as the cover's: pairs whose outcomes are listed."""
        return self.stated.lower(eps, digits)

    def within(self, work: int) -> Bound:
        """With so much work for each of some tens of eps; with less the cover's, for what is asked at very many."""
        return replace(self, effort=replace(self.effort, work=work)) if work > EACH else self.stated.within(work)

    def decided(self, eps: Eps, delta: Fraction) -> Certified:
        """Whether the largest delta(eps) is at most this delta: what is too much by real datasets, else the cover's."""
        found = worst_delta(self.reach, eps, enough=delta)
        worst = WorstDelta(found.value, self.scope(found), eps)
        if found.value.low > delta:
            return by_pairs(Claim(self.question, eps, delta), self.reach, worst, found.worst)
        covered = self.stated.decided(eps, delta)
        if covered.verdict != "UNDECIDED" or found.value.high > delta:
            return covered
        reason = "PROVED by a proof that no certificate shows: by independent columns"
        return replace(covered, worst=worst, reason=reason)
