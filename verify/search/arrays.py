"""Many cases at once: laws, delta and eps of all tables of one shape as arrays of integers, exactly; never floats.

All tables of a shape share the exponents of their products, only weights differ: the law of n users, times
denominator^n, is one integer for each outcome and table, at most denominator^n. Of every array a bound on its numbers
is known, in Python's integers, before it is computed; it says whether 32 or 64 bits hold them, and where none do the
array is one of Python's own integers. Where e^eps is irrational it is enclosed by rationals, and a number is known to
lie between two: a comparison that they leave open is left to the engine (`verify.search.one`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm
from typing import Any, NoReturn

import numpy as np

from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.search.chunks import Array, Chunk
from shufflecert.verify.search.claim import ABSENT, Dataset, NotBatched, pairs
from shufflecert.verify.search.numbers import Arithmetic, Nats, Real

BITS = 30  # of an enclosure of an irrational e^eps
MOST_OUTCOMES = 20_000  # of all users together
MOST_BITS = 4096  # of a number in an array
Counts = tuple[int, ...]
Token = tuple[int, ...]  # how many of each message an output has


def kind_of(bound: int) -> Any:
    """The kind of array that holds integers of at most this size. Raises NotBatched for too large ones."""
    if bound.bit_length() > MOST_BITS:
        raise NotBatched(f"numbers of {bound.bit_length()} bits")
    return np.int32 if bound < 1 << 31 else np.int64 if bound < 1 << 63 else object


def as_kind(array: Array, bound: int) -> Array:
    """The array as one that holds integers of this size."""
    return array.astype(kind_of(bound), copy=False)


def times(array: Array, bound: int, other: Array | int, most: int) -> Array:
    """A product, whose factors are at most `bound` and `most`."""
    kind = kind_of(bound * most)
    if isinstance(other, int):
        return array if other == 1 else array.astype(kind, copy=False) * (kind(other) if kind is not object else other)
    found: Array = array.astype(kind, copy=False) * other.astype(kind, copy=False)
    return found


def exceeds(a: Array, b: Array, first: int, c: Array, d: Array, second: int) -> Array:
    """Whether a b > c d, of integers >= 0: a and b are at most `first`, c and d at most `second`.

    In two words where products need them.
    """
    most = max(first, second)
    if most * most < 1 << 63 or most >= 1 << 63:
        greater: Array = np.greater(times(a, most, b, most), times(c, most, d, most))
        return greater
    (high, low), (above, below) = _two_words(a, b), _two_words(c, d)
    wide: Array = (high > above) | ((high == above) & (low > below))
    return wide


def _two_words(a: Array, b: Array) -> tuple[Array, Array]:
    """a b = high 2^64 + low, for integers from 0 to 2^63 - 1."""
    half, mask = np.uint64(32), np.uint64((1 << 32) - 1)
    a, b = a.astype(np.uint64), b.astype(np.uint64)
    a_low, a_high, b_low, b_high = a & mask, a >> half, b & mask, b >> half
    low = a_low * b_low
    cross = a_high * b_low + (low >> half)  # below 2^63 + 2^32
    middle = a_low * b_high + (cross & mask)
    return a_high * b_high + (cross >> half) + (middle >> half), (middle << half) | (low & mask)


@dataclass(frozen=True)
class Truth:
    """For each case: whether something is surely so, and whether it surely is not."""

    yes: Array
    no: Array

    def __and__(self, other: "Truth | bool") -> "Truth":
        if isinstance(other, bool):
            return self if other else Truth(np.zeros_like(self.yes), np.ones_like(self.yes))
        return Truth(self.yes & other.yes, self.no | other.no)

    __rand__ = __and__

    def __invert__(self) -> "Truth":
        return Truth(self.no, self.yes)


class Compared(Arithmetic):
    """What has an order for each case, and sums and multiples: `Numbers` and `Amounts`, which say how they compare."""

    def compared(self, other: Any, strictly: bool) -> Truth:
        """Whether each is less than the other one, or at most that."""
        raise NotImplementedError

    def __lt__(self, other: Any) -> Truth:
        return self.compared(other, True)

    def __le__(self, other: Any) -> Truth:
        return self.compared(other, False)

    def __gt__(self, other: Any) -> Truth:
        return ~self.compared(other, False)

    def __ge__(self, other: Any) -> Truth:
        return ~self.compared(other, True)

    def __eq__(self, other: Any) -> Truth:  # type: ignore[override]
        equal: Truth = self.compared(other, False) & ~self.compared(other, True)
        return equal

    def __ne__(self, other: Any) -> Truth:  # type: ignore[override]
        equal: Truth = self == other
        return ~equal

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class Numbers(Compared):
    """A number for each case, x / (scale d^power) with d the case's denominator and low <= x <= high, |x| <= bound.

    `low` is `high` where the number is known exactly.
    """

    world: "Arrays"
    low: Array
    high: Array
    bound: int
    scale: int = 1
    power: int = 0
    KIND = "numbers that differ from case to case"

    @property
    def exact(self) -> bool:
        """Whether the numbers are known exactly."""
        return self.low is self.high

    def on_ends(self, function: Callable[[Array], Array]) -> tuple[Array, Array]:
        """A function of both bounds, once where they are one."""
        low = function(self.low)
        return low, low if self.exact else function(self.high)

    def over(self, scale: int, power: int) -> "Numbers":
        """The same numbers over a multiple of their denominator."""
        factor, rise = scale // self.scale, power - self.power
        if factor == 1 and not rise:
            return self
        by, most = self.world.powers(rise)
        bound = self.bound * factor * most
        ends = self.on_ends(lambda end: times(times(end, self.bound, by, most), self.bound * most, factor, factor))
        return Numbers(self.world, *ends, bound, scale, power)

    def along(self, other: Any) -> "tuple[Numbers, Numbers] | None":
        """Both numbers over one denominator; None where the other one is no number."""
        if (right := self.world.numbers(other)) is None:
            return None
        scale, power = lcm(self.scale, right.scale), max(self.power, right.power)
        return self.over(scale, power), right.over(scale, power)

    def __add__(self, other: Any) -> "Numbers":
        if (sides := self.along(other)) is None:
            return NotImplemented
        a, b = sides
        bound = a.bound + b.bound

        def added(first: Array, second: Array) -> Array:
            total: Array = as_kind(first, bound) + as_kind(second, bound)
            return total

        low = added(a.low, b.low)
        high = low if a.exact and b.exact else added(a.high, b.high)
        return Numbers(self.world, low, high, bound, a.scale, a.power)

    def __neg__(self) -> "Numbers":
        low = -self.high
        return Numbers(self.world, low, low if self.exact else -self.low, self.bound, self.scale, self.power)

    def __mul__(self, other: Any) -> "Numbers":
        if (right := self.world.numbers(other)) is None:
            return NotImplemented
        bound = self.bound * right.bound
        corners = [
            times(one, self.bound, two, right.bound)
            for one in ([self.low] if self.exact else [self.low, self.high])
            for two in ([right.low] if right.exact else [right.low, right.high])
        ]
        low = high = corners[0]
        if len(corners) > 1:
            low, high = np.minimum.reduce(corners), np.maximum.reduce(corners)
        return Numbers(self.world, low, high, bound, self.scale * right.scale, self.power + right.power)

    def __abs__(self) -> "Numbers":
        return self.larger(-self)

    def larger(self, other: Any) -> "Numbers":
        """The larger of two for each case."""
        if (sides := self.along(other)) is None:
            raise TypeError
        a, b = sides
        bound = max(a.bound, b.bound)
        low = np.maximum(as_kind(a.low, bound), as_kind(b.low, bound))
        high = low if a.exact and b.exact else np.maximum(as_kind(a.high, bound), as_kind(b.high, bound))
        return Numbers(self.world, low, high, bound, a.scale, a.power)

    def smaller(self, other: Any) -> "Numbers":
        """The smaller of two for each case."""
        if self.world.numbers(other) is None:
            raise TypeError
        return -((-self).larger(-other))

    def compared(self, other: Any, strictly: bool) -> Truth:
        """Whether each is less than the other one, or at most that."""
        if (sides := self.along(other)) is None:
            raise TypeError
        a, b = sides
        bound = max(a.bound, b.bound)
        ends = [as_kind(end, bound) for end in (a.low, a.high, b.low, b.high)]
        less = np.less if strictly else np.less_equal
        yes = less(ends[1], ends[2])
        return Truth(yes, ~yes if a.exact and b.exact else ~less(ends[0], ends[3]))


@dataclass(frozen=True, eq=False)
class Amounts(Compared):
    """An eps in nats for each case, log(above / below) / root, infinite where below = 0; both are at most `bound`."""

    world: "Arrays"
    above: Array
    below: Array
    bound: int
    root: int = 1
    KIND = "an eps that differs from case to case"

    def raised(self, root: int) -> "Amounts":
        """The same amounts, with a root that is a multiple of theirs."""
        if root == self.root:
            return self
        above, below, bound = self.above, self.below, self.bound
        for _ in range(root // self.root - 1):
            above = times(above, bound, self.above, self.bound)
            below = times(below, bound, self.below, self.bound)
            bound *= self.bound
        return Amounts(self.world, above, below, bound, root)

    def along(self, other: Any) -> "tuple[Amounts, Amounts] | None":
        """Both amounts with one root; None where the other one is no amount without a shift."""
        if (right := self.world.amounts(other)) is None:
            return None
        root = lcm(self.root, right.root)
        return self.raised(root), right.raised(root)

    def __add__(self, other: Any) -> "Amounts":
        if (sides := self.along(other)) is None:
            return NotImplemented
        a, b = sides
        above, below = times(a.above, a.bound, b.above, b.bound), times(a.below, a.bound, b.below, b.bound)
        return Amounts(self.world, above, below, a.bound * b.bound, a.root)

    def __sub__(self, other: Any) -> "Amounts":
        if not isinstance(other, Nats) or other.power is None:  # two infinite ones have no difference
            return NotImplemented
        return self + -other

    def __mul__(self, other: Any) -> "Amounts":
        if not isinstance(other, Fraction):
            return NotImplemented
        factor = Nats.log(Fraction(1)) * other  # refuses what is not positive
        raised = self.raised(self.root * other.numerator)
        return Amounts(self.world, raised.above, raised.below, raised.bound, self.root * factor.root)

    def larger(self, other: Any) -> "Amounts":
        """The larger of two for each case."""
        return self._chosen(other, False)

    def smaller(self, other: Any) -> "Amounts":
        """The smaller of two for each case."""
        return self._chosen(other, True)

    def _chosen(self, other: Any, least: bool) -> "Amounts":
        if (sides := self.along(other)) is None:
            raise TypeError
        a, b = sides
        bound, first = max(a.bound, b.bound), a.compared(b, False).yes
        first = first if least else ~first
        ends = [(as_kind(x, bound), as_kind(y, bound)) for x, y in ((a.above, b.above), (a.below, b.below))]
        above, below = (np.where(first, x, y) for x, y in ends)
        return Amounts(self.world, above, below, bound, a.root)

    def compared(self, other: Any, strictly: bool) -> Truth:
        """Whether each is less than the other one, or at most that."""
        if isinstance(other, Nats | Fraction) and self.world.amounts(other) is None:
            return self._to_irrational(Nats.of(other), strictly)
        if (sides := self.along(other)) is None:
            raise TypeError
        a, b = sides
        bound = max(a.bound, b.bound)
        if strictly:
            less = exceeds(b.above, a.below, bound, a.above, b.below, bound)
            return Truth(less, ~less)
        more = exceeds(a.above, b.below, bound, b.above, a.below, bound)
        return Truth(~more, more)

    def _to_irrational(self, other: Nats | None, strictly: bool) -> Truth:
        """Against shift + log(power) / root: no ratio of integers is e^shift."""
        if other is None or other.power is None:
            raise TypeError
        sides = self - Nats(Fraction(0), other.power, other.root)
        sides, shift = sides, other.shift * sides.root
        low, high = irrational(abs(shift))
        ends = (low, high) if shift > 0 else (1 / high, 1 / low)
        at_most, less = (sides.compared(Nats(Fraction(0), end, sides.root), strictly) for end in ends)
        return Truth(at_most.yes, less.no)


def irrational(exponent: Fraction) -> tuple[Fraction, Fraction]:
    """Rationals around e^exponent, exponent > 0, with small denominators."""
    low, high = Eps.of(exponent).bounds(2 * BITS + 20 * int(exponent))
    unit = 1 << BITS
    return Fraction(low * unit // 1, unit), Fraction(-(-high * unit // 1), unit)


@dataclass
class Laws:
    """The laws of several users of a table: rows[x][y] is the weight of token y on input x, for each case; None for 0.

    A law of n users has one integer, over denominator^n, for each outcome (how many of each message) and each case.
    """

    tokens: Sequence[Token]
    rows: Sequence[Sequence[Array | None]]
    most: int  # a bound on denominators
    size: int
    _outcomes: dict[int, dict[Token, int]] = field(default_factory=dict)
    made: dict[tuple[Counts, int], Array] = field(default_factory=dict)

    def outcomes(self, users: int) -> dict[Token, int]:
        """The place of every outcome of so many users."""
        if users not in self._outcomes:
            before = self.outcomes(users - 1) if users > 1 else {(0,) * len(self.tokens[0]): 0}
            sums = {tuple(map(sum, zip(seen, token, strict=True))) for seen, token in product(before, self.tokens)}
            if len(sums) > MOST_OUTCOMES:
                raise NotBatched(f"more than {MOST_OUTCOMES} outcomes")
            self._outcomes[users] = {seen: i for i, seen in enumerate(sorted(sums))}
        return self._outcomes[users]

    def law(self, counts: Counts, factor: int = 1) -> Array:
        """The law of so many users on each input, times denominator^n and a factor."""
        found = self.made.get((counts, factor))
        if found is None:
            users = sum(counts)
            if factor > 1:
                found = times(self.law(counts), self.most**users, factor, factor)
            else:
                found = self._one_more(counts, users)
            self.made[counts, factor] = found
        return found

    def _one_more(self, counts: Counts, users: int) -> Array:
        x = max(i for i, count in enumerate(counts) if count)
        fewer = tuple(count - (i == x) for i, count in enumerate(counts))
        known: Any = self.law(fewer) if users > 1 else None
        before = self.outcomes(users - 1) if users > 1 else {(0,) * len(self.tokens[0]): 0}
        place, kind = self.outcomes(users), kind_of(self.most**users)
        found = np.zeros((len(place), self.size), dtype=kind)
        begun, part = set[int](), np.empty(self.size, dtype=kind)
        row = [None if weights is None else weights.astype(kind, copy=False) for weights in self.rows[x]]
        for seen, i in before.items():
            law = None if known is None else known[i].astype(kind, copy=False)
            for token, weights in zip(self.tokens, row, strict=True):
                if weights is None:
                    continue
                j = place[tuple(map(sum, zip(seen, token, strict=True)))]
                if law is None:
                    found[j] += weights
                elif j in begun:
                    np.multiply(law, weights, out=part)
                    np.add(found[j], part, out=found[j])
                else:
                    np.multiply(law, weights, out=found[j])
                begun.add(j)
        return found


@dataclass
class Arrays:
    """Tables of one shape as claims see them (`verify.search.claim.World`), all at once.

    Raises NotBatched for what has to be evaluated one case at a time.
    """

    chunk: Chunk
    _known: dict[Any, Any] = field(default_factory=dict)

    @property
    def inputs(self) -> int:
        """The number of inputs."""
        return len(self.chunk.weights)

    @property
    def outputs(self) -> int:
        """The number of outputs."""
        return len(self.chunk.shape.send)

    @property
    def size(self) -> int:
        """The number of cases."""
        return len(self.chunk.ranks)

    def forget(self) -> None:
        """Let all arrays go: numbers know their world, and it them, so that Python by itself would do so late."""
        self._known.clear()
        for name in ("_shuffled", "_local", "_blanket"):
            self.__dict__.pop(name, None)

    def held(self) -> int:
        """The bytes of all arrays that were made, counting Python's own integers as 64 each."""
        made = [laws for laws in map(self.__dict__.get, ("_shuffled", "_local", "_blanket")) if laws is not None]
        arrays = [law for laws in made for law in laws.made.values()]
        for value in self._known.values():
            arrays += [getattr(value, name) for name in ("low", "high", "above", "below") if hasattr(value, name)]
        return sum(64 * array.size if array.dtype == object else array.nbytes for array in arrays)

    @cached_property
    def most(self) -> int:
        """The largest denominator."""
        return int(self.chunk.denominators.max())

    def powers(self, exponent: int) -> tuple[Array, int]:
        """The cases' denominators to a power, and a bound on them."""
        if ("power", exponent) not in self._known:
            bound = self.most**exponent
            denominators = self.chunk.denominators
            if (denominators == denominators[0]).all():
                found = np.array([int(denominators[0]) ** exponent], dtype=kind_of(bound))
            else:
                found = as_kind(denominators, bound) ** exponent
            self._known["power", exponent] = found, bound
        power: tuple[Array, int] = self._known["power", exponent]
        return power

    def numbers(self, value: Any) -> Numbers | None:
        """A value as numbers; None where it is none."""
        if isinstance(value, Numbers):
            return value
        if isinstance(value, Real):
            low, high = value.bounds(2 * BITS)
            unit = 1 << BITS
            ends = [low * unit // 1, -(-high * unit // 1)]
            bound = max(map(abs, ends)) + 1
            first, last = (np.array([end], dtype=kind_of(bound)) for end in ends)
            return Numbers(self, first, last, bound, unit)
        if isinstance(value, int | Fraction) and not isinstance(value, bool):
            exact, bound = Fraction(value), abs(Fraction(value).numerator) + 1
            array = np.array([exact.numerator], dtype=kind_of(bound))
            return Numbers(self, array, array, bound, exact.denominator)
        return None

    def amounts(self, value: Any) -> Amounts | None:
        """A value in nats as integer multiples of logarithms (`Amounts`); None where it is no number of nats."""
        if isinstance(value, Amounts):
            return value
        amount = Nats.of(value)
        if amount is None or amount.shift:
            return None
        above, below = (1, 0) if amount.power is None else amount.power.as_integer_ratio()
        bound = max(above, below) + 1
        first, last = (np.array([end], dtype=kind_of(bound)) for end in (above, below))
        return Amounts(self, first, last, bound, amount.root)

    # Laws ------------------------------------------------------------------------------------------------------------

    @cached_property
    def _shuffled(self) -> Laws:
        """The laws of messages in no order; with a row of nobody, who sends nothing, where users may be absent."""
        messages = sorted({m for send in self.chunk.shape.send for m in send})
        return self._laws([tuple(send.count(m) for m in messages) for send in self.chunk.shape.send])

    @cached_property
    def _local(self) -> Laws:
        """The laws of one user's whole outputs."""
        sent = dict.fromkeys(self.chunk.shape.send)
        kinds = [*sent, *([()] if self.chunk.shape.adjacency == "add-remove" and () not in sent else [])]
        units = {send: tuple(int(i == j) for j in range(len(kinds))) for i, send in enumerate(kinds)}
        return self._laws([units[send] for send in self.chunk.shape.send], units.get(()))

    def _laws(self, tokens: list[Token], nothing: Token | None = None) -> Laws:
        rows: list[list[Array | None]] = [[*row] for row in as_kind(self.chunk.weights, self.most)]
        if self.chunk.shape.adjacency == "add-remove":
            whole = np.broadcast_to(self.powers(1)[0], (self.size,))
            rows = [[*row, None] for row in rows] + [[*(None for _ in tokens), whole]]
            tokens = [*tokens, nothing or (0,) * len(tokens[0])]
        return Laws(tokens, rows, self.most, self.size)

    @cached_property
    def _blanket(self) -> Laws:
        """The laws of outputs, with a row of the part that all rows have in common, and nothing otherwise."""
        weights, width = as_kind(self.chunk.weights, self.most), self.outputs
        common = weights.min(axis=0)
        rest = self.powers(1)[0].astype(common.dtype) - common.sum(axis=0, dtype=common.dtype)
        tokens = [tuple(int(i == j) for j in range(width)) for i in range(width)] + [(0,) * width]
        return Laws(tokens, [*([*row, None] for row in weights), [*common, rest]], self.most, self.size)

    # What is asked ---------------------------------------------------------------------------------------------------

    def datasets(self, n: int) -> Sequence[Dataset]:
        """Every pair of neighbouring datasets."""
        if ("datasets", n) not in self._known:
            shape = self.chunk.shape
            self._known["datasets", n] = pairs(n, self.inputs, shape.adjacency, shape.reference)
        found: Sequence[Dataset] = self._known["datasets", n]
        return found

    def _sides(self, laws: Laws, dataset: Dataset) -> tuple[Counts, Counts]:
        """How many users are on each row in either of two datasets."""
        counts = [*dataset.others, *(0 for _ in laws.rows[len(dataset.others) :])]
        sides = []
        for user in (dataset.source, dataset.target):
            side = counts.copy()
            side[self.inputs if user == ABSENT else user] += 1
            sides.append(tuple(side))
        return sides[0], sides[1]

    def _excess(self, laws: Laws, sides: Sequence[tuple[Counts, Counts]], power: Fraction) -> Array:
        """The largest sum of max(b P, a Q) over some pairs, times denominator^n, for e^eps = a/b."""
        a, b = power.as_integer_ratio()
        users = sum(sides[0][0])
        most, kind = self.most**users, kind_of((a + b) * self.most**users)
        found: Array | None = None
        larger = np.empty((len(laws.outcomes(users)), self.size), dtype=kind)
        for p, q in sides:
            np.maximum(laws.law(p, b), laws.law(q, a), out=larger)
            total = np.add.reduce(larger, axis=0, dtype=kind)
            found = total if found is None else np.maximum(found, total)
        if found is None:
            return np.zeros(self.size, dtype=kind)
        excess: Array = found - times(self.powers(users)[0], most, a, a).astype(kind, copy=False)
        return excess

    def _delta(self, name: Any, laws: Laws, asked: Sequence[Dataset], eps: Nats) -> Numbers:
        """The largest delta(eps) over some pairs of datasets of as many users: sum max(P, e^eps Q) - e^eps."""
        key = (name, eps.shift, eps.power)
        if key not in self._known:
            at = eps.eps()
            ends = (at.power, at.power) if at.power is not None else irrational(at.exponent or Fraction(0))
            users = sum(asked[0].others) + 1 if asked else 1
            sides = [self._sides(laws, dataset) for dataset in asked]
            if not sides:
                self._known[key] = self.numbers(Fraction(0))
                return self._known[key]  # type: ignore[no-any-return]
            scale = lcm(*(end.denominator for end in ends))
            found = [(self._excess(laws, sides, end), end.denominator) for end in dict.fromkeys(ends)]
            bound = scale * self.most**users
            arrays = [times(one, bound, scale // d, 1) for one, d in found]
            self._known[key] = Numbers(self, arrays[-1], arrays[0], bound, scale, users)
        value: Numbers = self._known[key]
        return value

    def _epsilon(self, name: Any, laws: Laws, asked: Sequence[Dataset], delta: Fraction) -> Amounts:
        """The least eps >= 0 with that delta over some pairs of datasets of as many users."""
        key = (name, delta)
        if key not in self._known:
            users = sum(asked[0].others) + 1 if asked else 1
            sides = [self._sides(laws, dataset) for dataset in asked]
            solve = self._newton if delta else self._largest_ratio
            self._known[key] = solve(laws, sides, users, delta)
        value: Amounts = self._known[key]
        return value

    def _largest_ratio(
        self, laws: Laws, sides: Sequence[tuple[Counts, Counts]], users: int, delta: Fraction
    ) -> Amounts:
        """The largest of 1 and all P/Q, infinite where only Q is 0."""
        bound = self.most**users
        above, below = (np.ones(self.size, dtype=kind_of(bound)) for _ in range(2))
        for first, second in sides:
            for p, q in zip(laws.law(first), laws.law(second), strict=True):
                more = exceeds(p, below, bound, above, q, bound)
                np.copyto(above, p, where=more)
                np.copyto(below, q, where=more)
        return Amounts(self, above, below, bound)

    def _newton(self, laws: Laws, sides: Sequence[tuple[Counts, Counts]], users: int, delta: Fraction) -> Amounts:
        """Newton's iteration from e^eps = 1 upwards, for each pair: exact, as delta(eps) is convex, in pieces linear.

        With P(E), Q(E) of the event E = {P > t Q}, t is enough where P(E) - t Q(E) <= delta, else (P(E) - delta) / Q(E)
        is next, which is infinite where Q(E) = 0.
        """
        whole, mass = self.powers(users)
        p, q = delta.as_integer_ratio()
        bound = q * mass  # of numerators and denominators of t
        kind = kind_of(2 * q * mass * bound)
        above, below = np.ones(self.size, dtype=kind), np.ones(self.size, dtype=kind)
        allowed = times(whole, mass, p, p).astype(kind, copy=False)
        for first, second in sides:
            laws_of = [laws.law(one).astype(kind, copy=False) for one in (first, second)]
            while True:
                event = laws_of[0] * below > above * laws_of[1]
                a, b = (np.where(event, law, 0).sum(axis=0, dtype=kind) for law in laws_of)
                short = q * (a * below - b * above) > allowed * below
                if not short.any():
                    break
                gone = b == 0
                np.copyto(above, np.where(gone, 1, q * a - allowed), where=short)
                np.copyto(below, np.where(gone, 0, q * b), where=short)
        return Amounts(self, above, below, bound)

    def delta(self, n: int, eps: Any) -> Numbers:
        """The largest delta over all datasets."""
        return self._delta(("delta", n), self._shuffled, self.datasets(n), self._constant(eps))

    def epsilon(self, n: int, delta: Any) -> Amounts:
        """The least eps over all datasets."""
        return self._epsilon(("epsilon", n), self._shuffled, self.datasets(n), delta)

    def local_delta(self, eps: Any) -> Numbers:
        """delta of one user whose messages are seen in their order."""
        return self._delta("local_delta", self._local, self.datasets(1), self._constant(eps))

    def local_epsilon(self, delta: Any) -> Amounts:
        """eps of one user whose messages are seen in their order."""
        return self._epsilon("local_epsilon", self._local, self.datasets(1), delta)

    def dataset_delta(self, dataset: Dataset, eps: Any) -> Numbers:
        """delta of one pair in one direction."""
        return self._delta(("of", dataset), self._shuffled, [dataset], self._constant(eps))

    def dataset_epsilon(self, dataset: Dataset, delta: Any) -> Amounts:
        """eps of one pair in one direction."""
        return self._epsilon(("of", dataset), self._shuffled, [dataset], delta)

    def blanket(self, n: int, eps: Any) -> Numbers:
        """The privacy blanket's bound, over all pairs of inputs."""
        shape = self.chunk.shape
        if any(len(send) != 1 for send in shape.send) or shape.adjacency != "replace":
            raise NotBatched("a blanket of several messages")
        others = (*(0 for _ in range(self.inputs)), n - 1)
        asked = [Dataset(d.source, d.target, others) for d in self.datasets(1)]
        return self._delta(("blanket", n), self._blanket, asked, self._constant(eps))

    def row(self, x: int, y: int) -> Numbers:
        """The probability of output y on input x."""
        weights = as_kind(self.chunk.weights[x, y], self.most)
        return Numbers(self, weights, weights, self.most, 1, 1)

    def refuse(self, reason: str) -> NoReturn:
        """Raises NotBatched: one case at a time may be different."""
        raise NotBatched(reason)

    def _constant(self, eps: Any) -> Nats:
        if not isinstance(eps, Nats):
            raise NotBatched("an eps that differs from case to case")
        return eps
