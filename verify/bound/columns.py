"""Independent columns: the worst of tables whose rows are products, one number of 0 or 1 for each column.

A user adds 0 or 1 to each column, independently, by chances that depend on his input; what is seen are the columns'
sums. Given the data the sums are independent. Of the user who changes, columns with one chance before and after have
the same law on both sides: they cancel from sum max(P - e^eps Q, 0).

A column in which the user's chance falls from `up` to `down` (where it rises, 0 and 1 change their names) has the pair

    P = G + Ber(up),   Q = G + Ber(down),   G = Bin(c, high) + Bin(N - c, low),

with c of the N others on the largest chance of all inputs and the rest on the least. Others on a chance between the two
are in this column a mixture of both, and D(P, Q) is convex in the law of each user (verify/bound/table.py, "Extreme
rows"): so the worst over all others is at most that of a product of such pairs, each with any c of 0..N.

Boxes. All c in [l, h] are dominated by l others on `high` and N - h on `low`: whoever looks can add the h - l others.
Of these a coin that all throw alike is kept: with probability low + 1 - high a user's bit is drawn from what is common
to both chances, whichever he has. Let it be seen who is not; then the others are l on `high`, N - h on `low` and K of
the common coin, K binomial, and delta falls in K: it is at most that of k coins, plus Pr[K < k].

A column's curve. What is known of the curve H(x) = sum max(P - x Q, 0) of every c of a range, at some x, the largest of
it is known of; connecting these dots gives one pair that dominates the column whichever c it has, and the product of
what dominates the columns dominates (verify/pairs/connect_the_dots.py). A range is cut in two where the product says
too much, so that in the end single numbers are left: these have real pairs, multiplied out by themselves.

P/Q rises with the sum seen, since G is a sum of independent bits, hence log-concave, and up > down. So the largest
P(E) - x Q(E) is that of an event {sum >= k}, and largest upper ends over all k are an upper end.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial, reduce
from heapq import heapify, heappop, heappush
from itertools import combinations_with_replacement, groupby, islice
from math import cbrt, ceil, isqrt, lcm, prod
from typing import Any

from flint import fmpq, fmpz

from shufflecert.verify.bound.law import BITS, HALF, SHORTEST, Power, Views
from shufflecert.verify.bound.law import Sums as LawSums
from shufflecert.verify.bound.table import Row, Table
from shufflecert.verify.enclose.interval import Ends, Interval, refine, smallest_eps
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.exact.epsilon import MAX_EPS, Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import bernoulli, binomial, plus
from shufflecert.verify.exact.rational import DIGITS, rational
from shufflecert.verify.pairs.connect_the_dots import Exact, dominating_heights, height_before_1
from shufflecert.verify.pairs.lattice import delta as on_lattice
from shufflecert.verify.pairs.lattice import enclosed
from shufflecert.verify.pairs.lattice_guess import Grid, epsilon_about, guessed, knots
from shufflecert.verify.pairs.windowed import AtomsAt, Product, SumPair, Sums, halves, joint_sums
from shufflecert.verify.reduce.reduction import Family, Found, NamedPair, Pairs

CLOSE = Fraction(1, 2000)  # relative width of a delta at which a search ends
WRITTEN, THOROUGH = 100_000, 300_000  # outcomes of all products: written out; multiplied out one by one
MOST_ATOMS, CELLS, FEW = 4000, 1 << 11, 5  # of half a product that is multiplied out; else of a lattice, and digits
POINT = 64  # bits of a knot, after the point
SMALL = 32  # bits of a delta of which words are close enough
HIDDEN, FAR, LITTLE = 24, 16, 20  # bits below delta: of rare coins, of what is beyond the last knot; before the first
FIRST, MOST_LEAVES, STEPS = 8, 1600, 400  # ranges of a column at first, at most; boxes of all columns
ROOMS = 1 << 14, 1 << 11, 1 << 8  # parts in 2^20 of a curve above single numbers', one after the other
SMALLEST, FAINTEST = 1 << 14, 160  # bits of a delta that is told from 0, of not too many users, and of all
MANY, FEWER = 10_000, 5_000  # such users, of columns that are alike and of others
BITS_OF_USERS = 3_400_000  # users times bits, of the others
NEAR = Fraction(3, 4096)  # how far from its lower end an eps is tried first
Range = tuple[int, int]
Held = tuple[int, ...]
Datasets = tuple[str, str, Mapping[str, int]]  # the inputs of the user who changes, and the others'


@dataclass(frozen=True)
class Column:
    """A column in which the user who changes goes from chance `up` to `down`; the others have `high` or `low`."""

    up: Fraction
    down: Fraction
    high: Fraction
    low: Fraction

    def pair(self, ones: int, zeros: int, coins: int = 0) -> SumPair:
        """(P, Q) with so many of the others on `high`, on `low`, and common coins."""
        laws = [Binomial(ones, self.high), Binomial(zeros, self.low)]
        if coins:
            laws.append(Binomial(coins, self.low / self.common))
        others = tuple(law for law in laws if law.n)
        return SumPair((*others, Binomial(1, self.up)), (*others, Binomial(1, self.down)))

    @property
    def table(self) -> Table:
        """The user who changes on two rows, and others on two classes."""
        chances = (self.up, self.down, self.high, self.low)
        unit = lcm(*(chance.denominator for chance in chances))
        laws: list[Row] = [{(0,): unit - (part := int(unit * chance)), (1,): part} for chance in chances]
        (up, down, high, low), nowhere = laws, (0,)
        return Table(("up", "down"), (up, down), unit, (None, None), (high, low), (nowhere, nowhere), ((0, 1),))

    def exact(self, ones: int, zeros: int) -> Pair:
        """The same without coins, exactly."""
        others = plus(binomial(ones, self.high), binomial(zeros, self.low))
        return Pair.of(plus(others, bernoulli(self.up)), plus(others, bernoulli(self.down)))

    def within(self, most: int) -> bool:
        """Whether P/Q is at most so much, whatever is seen."""
        return self.up <= most * self.down and 1 - self.down <= most * (1 - self.up)

    @property
    def common(self) -> Fraction:
        """The probability with which a bit is drawn from what is common to `high` and `low`."""
        return self.low + 1 - self.high

    def coins(self, users: int, size: int) -> tuple[int, Fraction]:
        """(k, a bound on Pr[K < k], 0 or 2^-size) for the common coins K among so many users."""
        if self.common == 1:
            return users, Fraction(0)
        mean = self.common * users
        k = int(mean) - isqrt(int(mean * size * 7 / 5)) - 2  # Chernoff: (mean - k)^2 >= 2 mean size ln 2
        return (k, Fraction(1, 1 << size)) if k > 0 else (0, Fraction(0))


class Curves:
    """What is known of a column's curve for each range of c, closely enough for a delta of about 2^-small.

    Heights at the `knots`, x over 2^POINT, are over 2^bits: in machine words where these are close enough.
    """

    def __init__(self, column: Column, others: int, small: int) -> None:
        self.column, self.others, self.small, self.table = column, others, small, column.table
        size = max(-(-(16 + 2 * others.bit_length() + small + FAR) // 8), SHORTEST)
        self.wordy = small <= SMALL and column.within(1 << HALF)
        self.bits = BITS if self.wordy else 8 * size
        self.users = LawSums.of(self.table, size, others)
        self.best: dict[Range, list[int]] = {}
        self.inner: set[Range] = set()
        self.sums: dict[Range, Sums] = {}
        self.room: int | None = None  # to which ranges are cut

    @cached_property
    def knots(self) -> list[int]:
        """The x of the dots."""
        some, bits = sorted({0, self.others // 2, self.others}), 8 * self.users.size
        seen = [self.column.pair(c, self.others - c).atoms(bits) for c in some]
        return knots(seen, bits, LITTLE, self.small + FAR, POINT)

    @cached_property
    def powers(self) -> tuple[list[Power], list[Power]]:
        """The knots from 1 on in words, and the inverses of those before it, rounded down."""
        one = 1 << POINT
        after = [Power.of(Fraction(x, one)) for x in self.knots if x >= one]
        return after, [Power.of(Fraction(one, x)) for x in reversed(self.knots) if x < one]

    @cached_property
    def real(self) -> list[int]:
        """The largest heights of single numbers, of those that were looked at."""
        some = [(c, c) for c in sorted({self.others * i // FIRST for i in range(FIRST + 1)})]
        self.best |= {one: self._of_range(one) for one in some if one not in self.best}
        return list(map(max, *(self.best[one] for one in some), [0] * len(self.knots)))

    def views(self, some: Range) -> tuple[Views, Fraction]:
        """What is seen of a pair that dominates a range's, from below, and what may be beyond it at all x."""
        k, rare = self.column.coins(some[1] - some[0], self.small + HIDDEN)
        counts = (some[0], self.others - some[1], k)[: len(self.users.laws)]
        return Views(self.table, self.users.sum(counts)), rare

    def above(self, some: Range) -> tuple[Sums, Fraction]:
        """The atoms from below of a pair that dominates a range's, in falling order, and what P may have elsewhere."""
        views, rare = self.views(some)
        p, q = ([fmpz(int(weight)) for weight in views.whole(x) // self.table.unit] for x in (0, 1))
        one = 1 << 8 * views.law.size
        return Sums.of(Pair(p, q, fmpz(one))), Fraction(one - int(sum(p)), one) + rare

    def heights(self, some: Range) -> list[int]:
        """Upper ends of the largest curve of a range."""
        if some not in self.best:
            self.best[some] = found = self._of_range(some)
            if some[0] == some[1]:
                self.real = list(map(max, self.real, found))
        return self.best[some]

    def _of_range(self, some: Range) -> list[int]:
        """Upper ends of the curve of the pair that dominates a range.

        In words, for x < 1, from the curve of the pair in the other direction.
        """
        if self.wordy:
            views, rare = self.views(some)
            after, inverses = self.powers
            forth, back = views.heights(0, 1, after), views.heights(1, 0, inverses)
            less, beyond = zip(self.knots, reversed(back), strict=False), ceil(rare * (1 << BITS))
            before = [height_before_1(x, height, POINT, BITS) for x, height in less]
            return [height + beyond for height in (*before, *forth)]
        sums, missed = self.above(some)
        (p, q), j, found = (sums.pair.p, sums.pair.q), len(sums.pair.p), list[int]()
        outside = ceil(missed * (1 << self.bits))
        for x in self.knots:
            while j and p[j - 1] << POINT <= q[j - 1] * x:
                j -= 1
            found.append(int(sums.p[j]) + outside - (x * int(sums.q[j]) >> POINT))
        return found

    def cut(self, some: Range) -> tuple[Range, Range]:
        """The halves of a range, of which more is known from then on, and so of all ranges that it is in."""
        if some not in self.inner:
            self.inner.add(some)
            way = [(0, self.others)]
            while way[-1] != some:
                way.append(next(half for half in halved(way[-1]) if half[0] <= some[0] and some[1] <= half[1]))
            for at in reversed(way):
                below = map(max, *map(self.heights, halved(at)))
                self.best[at] = list(map(min, self.heights(at), below))
                self.sums.pop(at, None)
        return halved(some)

    def refine(self, room: int) -> None:
        """Cut ranges whose curve is above that of single numbers by more than so many parts in 2^20."""
        if self.room is not None and self.room <= room:
            return
        self.room = room
        heap = [(-self._excess(some), some) for some in self._uncut((0, self.others))]
        heapify(heap)
        while heap and -heap[0][0] > room and len(self.best) < MOST_LEAVES:
            some = heappop(heap)[1]
            if some[0] < some[1]:
                for half in self.cut(some):
                    heappush(heap, (-self._excess(half), half))

    def _uncut(self, some: Range) -> list[Range]:
        return [one for half in halved(some) for one in self._uncut(half)] if some in self.inner else [some]

    def _excess(self, some: Range) -> int:
        floor = 1 << max(self.bits - self.small - 6, 0)
        both = zip(self.heights(some), self.real, strict=True)
        return max(((h - r << 20) // r for h, r in both if r >= floor), default=0)

    def dominating(self, some: Range) -> Sums:
        """A pair that dominates the range."""
        if some not in self.sums:
            self.sums[some] = Sums.of(dominating_heights(self.knots, self.heights(some), POINT, self.bits))
        return self.sums[some]


def halved(some: Range) -> tuple[Range, Range]:
    """The two halves of a range of at least two numbers."""
    middle = (some[0] + some[1]) // 2
    return (some[0], middle), (middle + 1, some[1])


@dataclass(frozen=True, eq=False)
class Columns(Family):
    """The pairs of all numbers c of `others` in some columns: any c for each part, which has so many such columns.

    `datasets` has the neighbouring datasets with these c, None where there are none; `sure` where there are some for
    all c. Those with c in `worth` are looked at first.
    """

    parts: tuple[tuple[Column, int], ...]
    others: int
    datasets: Callable[[Held], Datasets | None]
    sure: bool = True
    worth: tuple[Held, ...] = ()
    curves: dict[tuple[Column, int], Curves] = field(default_factory=dict, repr=False)
    found: dict[tuple[Held, Eps, Fraction], Interval] = field(default_factory=dict, repr=False)

    between = True

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """[the best of some real datasets, a bound on all], the dataset, and how many boxes were bounded."""
        if self.listed is not None:
            values = [(pair.delta(eps), held) for held, pair in self.listed]
            most, held = reduce(lambda one, two: two if one[0] < two[0] else one, values)
            return Interval(*map(Fraction, most.enclosure(DIGITS))), self.named(held), len(values)
        if (ratio := self._ratio) is not None and ratio <= eps.bounds(256)[0]:
            return Interval(Fraction(0), Fraction(0)), None, 1
        if any(column.up == 1 and not column.down for column, _ in self.parts):
            return Interval(Fraction(1), Fraction(1)), self.named((0,) * len(self.parts)), 1
        return _Search(self, eps, digits, enough).worst()

    def narrowed(self, eps: Eps) -> Family:
        """The real datasets that are looked at first."""
        named = (self.named(held) for held in dict.fromkeys(self.first))
        return Pairs([one for one in named if one is not None])

    def epsilon(self, bound: Fraction) -> tuple[Fraction | None, Fraction | None, Found] | None:
        """The smallest eps, as a `Reduction` asks for it; exact for delta = 0, and where products are written out."""
        if self.infinity_mass() > bound or (not bound and self._ratio is None):
            return None
        if not bound and self._ratio is not None:
            return self._exactly(self._ratio)
        if self.listed is None:
            return self._between(bound)
        power, best = fmpq(1), self.listed[0][0]
        for held, pair in self.listed:
            if not pair.within(power, bound):
                reached = pair.epsilon_power(bound, power)
                if reached is None:
                    return None, None, Found(Interval(bound, Fraction(1)), self.named(held), len(self.listed))
                power, best = reached, held
        return self._exactly(rational(power), best)

    def keeps(self, eps: Eps, bound: Fraction) -> bool:
        """Whether delta(eps) is shown to be at most the bound."""
        return self.worst(eps, FEW, bound)[0].high <= bound

    def _exactly(self, power: Fraction, held: Held = ()) -> tuple[Fraction, Fraction, Found]:
        exact = Eps.log(power)
        low, high = map(Fraction, exact.enclosure(DIGITS))
        named = self.named(held or (self.others,) * len(self.parts))
        return low, high, Found(Interval(low, high), named, len(self.listed or [()]), exact=exact)

    def _between(self, bound: Fraction) -> tuple[Fraction, Fraction | None, Found]:
        """Real datasets' eps below; above it the first eps at which a bound on all is low enough."""
        low, best, seen, away, top = Fraction(0), Held(), 0, NEAR, Fraction(MAX_EPS)
        if self._ratio is not None:  # from there on delta is 0
            top = min(top, Fraction(Eps.log(self._ratio).enclosure(DIGITS)[1]))

        def rise(some: Held) -> None:
            nonlocal low, best
            pairs = ManyPairs(tuple(self.pairs(some)))
            if self.datasets(some) and pairs.enclosed(Eps.of(low), FEW).low > bound:
                near = epsilon_about(pairs.parts, bound)
                least, _ = smallest_eps(lambda eps: pairs.enclosed(eps, FEW, bound), bound, FEW - 1, near=near)
                low, best = max(low, least), some

        values = [(ManyPairs(tuple(self.pairs(c))).enclosed(Eps.of(0), FEW).low, c) for c in dict.fromkeys(self.first)]
        for _, held in sorted(values, reverse=True):  # the largest at eps = 0 may well be so at others
            rise(held)
        if not low and self.worst(Eps.of(0), FEW, bound)[0].high <= bound:
            return low, low, Found(Interval(Fraction(0), bound), self.named(best) if best else None, 1)
        while (high := low + away * (low or 1)) < top:
            search = _Search(self, Eps.of(high), FEW, bound)
            value = search.worst()[0]
            seen += search.seen
            if value.high <= bound:
                named = self.named(best) if best else None
                return low, high, Found(Interval(bound, bound), named, seen)
            if value.low > bound:
                rise(search.best)
            else:
                away *= 2
        end = top if top < MAX_EPS else None
        return low, end, Found(Interval(bound, bound if end else Fraction(1)), self.named(best) if best else None, seen)

    @cached_property
    def listed(self) -> list[tuple[Held, Pair]] | None:
        """All products, exactly; None where they have more than WRITTEN outcomes in all."""
        outcomes = (self.others + 2) ** sum(times for _, times in self.parts)
        if not self.sure or outcomes > WRITTEN:
            return None
        some = list(islice(self.states(), WRITTEN // outcomes + 1))
        if outcomes * len(some) > WRITTEN:
            return None
        known = {
            (column, c): column.exact(c, self.others - c) for column, _ in self.parts for c in range(self.others + 1)
        }
        return [(held, reduce(Pair.times, [known[one] for one in self._each(held)])) for held in some]

    @property
    def _long(self) -> bool:
        """Whether products of what dominates ranges take longer than those of real pairs: they go over a lattice."""
        return sum(times for _, times in self.parts) > 2

    @property
    def several(self) -> bool:
        """Whether a box has several numbers c, or many columns: its ranges are told by dots on their curves."""
        return len(self.parts) > 1 or self._long

    @cached_property
    def _few(self) -> bool:
        """Whether datasets are so few that each may be multiplied out."""
        half = -(-sum(times for _, times in self.parts) // 2)
        most = THOROUGH // int((self.others + 2) ** half)
        return self.sure and most > 0 and len(list(islice(self.states(), most + 1))) <= most

    @property
    def first(self) -> list[Held]:
        """The c that are looked at first."""
        ends = sorted({0, self.others // 2, self.others})
        return [*((c,) * len(self.parts) for c in ends), *self.worth]

    def states(self) -> Iterator[Held]:
        """All c, one for each part; of parts that are alike in rising order."""

        def of(kinds: list[int]) -> Iterator[Held]:
            if not kinds:
                yield ()
                return
            for some in combinations_with_replacement(range(self.others + 1), kinds[0]):  # one by one: they are many
                yield from (some + rest for rest in of(kinds[1:]))

        return of([len(list(alike)) for _, alike in groupby(self.parts)])

    def _each(self, held: Held) -> list[tuple[Column, int]]:
        return [(column, c) for c, (column, times) in zip(held, self.parts, strict=True) for _ in range(times)]

    @property
    def _ratio(self) -> Fraction | None:
        """The largest P/Q, that of what one user alone shows; None where it is infinite."""
        if any(not column.down for column, _ in self.parts):
            return None
        return prod(((column.up / column.down) ** times for column, times in self.parts), start=Fraction(1))

    def named(self, held: Held) -> NamedPair | None:
        """The real datasets with these c."""
        if (found := self.datasets(held)) is None:
            return None
        source, target, others = found
        each = [column.pair(c, self.others - c) for column, c in self._each(held)]
        alone = Product(*each) if len(each) == 2 else each[0] if len(each) == 1 else ManyPairs(tuple(self.pairs(held)))
        return NamedPair(alone, source, target, others)

    def pairs(self, held: Held) -> list[tuple[AtomsAt, int]]:
        """The pairs that are multiplied with these c."""
        return [(column.pair(c, self.others - c), n) for c, (column, n) in zip(held, self.parts, strict=True)]

    def infinity_mass(self) -> Fraction:
        """A lower bound on the largest P(Q = 0): what is so with all others on the least chances, or the largest."""
        ends = ((c,) * len(self.parts) for c in (0, self.others))
        some = (ManyPairs(tuple(self.pairs(held))).infinity_mass() for held in ends if self.datasets(held))
        return max(some, default=Fraction(0))

    def known(self, column: Column, small: int) -> Curves:
        """Curves for a delta of about 2^-small."""
        key = column, -(-small // 32) * 32
        if key not in self.curves:
            self.curves[key] = Curves(column, self.others, key[1])
        return self.curves[key]


@dataclass(frozen=True)
class ManyPairs:
    """The product of independent pairs, each so many times."""

    parts: tuple[tuple[Any, int], ...]

    whole = True  # all laws have mass 1

    def enclosed(self, eps: Eps, digits: int, enough: Fraction = Fraction(0)) -> Interval:
        """delta(eps): multiplied out where that is short; else on a lattice, to a few digits.

        Below `enough` any upper bound up to it will do.
        """
        each = [pair for pair, times in self.parts for _ in range(times)]
        if len(each) == 2:
            return refine(partial(Product(*each).divergence, eps), digits, enough=enough)
        sides = [side for side in halves(self.parts) if side.parts]
        if max(side.outcomes() for side in sides) <= MOST_ATOMS:
            pair = Product(*sides) if len(sides) > 1 else sides[0]
            return refine(partial(pair.divergence, eps), digits, enough=enough)
        return enclosed(self.parts, eps, min(digits, FEW), CELLS)

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around delta(eps), to as many digits as `enclosed` gives."""
        value = self.enclosed(eps, bits * 30103 // 100_000)
        return value.low, value.high

    def reversed(self) -> "ManyPairs":
        """The product in the other direction."""
        return ManyPairs(tuple((pair.reversed(), times) for pair, times in self.parts))

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0)."""
        return 1 - prod(((1 - pair.infinity_mass()) ** times for pair, times in self.parts), start=Fraction(1))


class _Search:
    """Best first over boxes: a range of c for each part."""

    def __init__(self, columns: Columns, eps: Eps, digits: int, enough: Fraction) -> None:
        users, boxed = columns.others, columns.several and not columns._few
        least = SMALLEST  # of many users windows are longer
        if users > (FEWER if boxed else MANY):
            least = max(FAINTEST, BITS_OF_USERS // users if boxed else int(SMALLEST / cbrt(users / MANY) ** 2))
        self.columns, self.eps, self.digits = columns, eps, digits
        self.enough = max(enough, Fraction(1, 1 << least))
        self.low, self.best, self.seen = Fraction(0), Held(), 0
        self.grid: tuple[Grid, Fraction] | None = None
        self.thorough = columns._few and not columns._long and digits > FEW

    def worst(self) -> tuple[Interval, NamedPair | None, int]:
        """The largest delta, from both sides."""
        columns = self.columns
        return self.every(list(columns.states())) if columns._few and columns._long else self.run()

    def run(self) -> tuple[Interval, NamedPair | None, int]:
        """The same by boxes."""
        columns, last = self.columns, self.columns.others
        for held in columns.first:
            self.real(held)
        least = max(self.low, self.enough)
        self.small = max(0, least.denominator.bit_length() - least.numerator.bit_length())
        boxes = [((0, last),) * len(columns.parts)]
        if (high := self.bound(boxes[0])) <= self.enough:  # far below, as most are that are asked on the way to a value
            return Interval(self.low, high), columns.named(self.best) if self.best else None, self.seen
        for room in ROOMS if columns.several else ROOMS[:1]:
            for column in dict.fromkeys(column for column, _ in columns.parts if columns.several):
                columns.known(column, self.small).refine(room)
            heap = self.closed([(-self.bound(box), box) for box in boxes])
            if self.ends(heap[0]):
                break
            boxes = [box for _, box in heap]
        high, box = heap[0]
        if not self.best:
            return Interval(Fraction(0), min(-high, Fraction(1))), None, self.seen
        exact = self.exact(self.best)
        mine = box == tuple((c, c) for c in self.best)
        most = max(exact.high, *(-above for above, other in heap if not mine or other != box), Fraction(0))
        return Interval(exact.low, min(most, Fraction(1))), columns.named(self.best), self.seen

    def every(self, states: Sequence[Held]) -> tuple[Interval, NamedPair | None, int]:
        """The largest delta of these datasets, each looked at."""
        self.seen = len(states)
        values = [(self.real(held), held) for held in states]
        least = max(value.low for value, _ in values)
        best = [(self.exact(held), held) for value, held in values if value.high >= least]
        value, held = max(best, key=lambda one: one[0].low)
        return Interval(value.low, max(one.high for one, _ in best)), self.columns.named(held), len(states)

    def exact(self, held: Held) -> Interval:
        """delta(eps) with these c, to all digits."""
        return ManyPairs(tuple(self.columns.pairs(held))).enclosed(self.eps, self.digits)

    def ends(self, top: tuple[Fraction, tuple[Range, ...]]) -> bool:
        """Whether the highest box is low enough, or a single dataset."""
        if -top[0] <= self.enough or all(a == b for a, b in top[1]):
            return True
        return not self.thorough and -top[0] <= self.low * (1 + CLOSE)

    def closed(self, heap: list[tuple[Fraction, tuple[Range, ...]]]) -> list[tuple[Fraction, tuple[Range, ...]]]:
        """Cut the highest box, until that is enough or too many were looked at."""
        heapify(heap)
        many = self.thorough or not self.columns.several
        end = self.seen + (4 * STEPS if many else STEPS // 8 if self.columns._long else STEPS)
        while not self.ends(heap[0]) and self.seen < end:
            box = heappop(heap)[1]
            i = max(range(len(box)), key=lambda i: box[i][1] - box[i][0])
            column = self.columns.parts[i][0]
            halves_of = self.columns.known(column, self.small).cut if self.columns.several else halved
            for half in halves_of(box[i]):
                made = self.sorted((*box[:i], half, *box[i + 1 :]))
                heappush(heap, (-self.bound(made), made))
        return heap

    def sorted(self, box: tuple[Range, ...]) -> tuple[Range, ...]:
        """The box with the ranges of parts that are alike in order."""
        found, at = list[Range](), 0
        for _, alike in groupby(self.columns.parts):
            end = at + len(list(alike))
            found += sorted(box[at:end])
            at = end
        return tuple(found)

    def real(self, held: Held) -> Interval:
        """delta(eps) with these c, of real datasets the largest so far perhaps."""
        known, key = self.columns.found, (held, self.eps, self.enough)
        if key not in known:
            pairs = ManyPairs(tuple(self.columns.pairs(held)))
            known[key] = pairs.enclosed(self.eps, min(self.digits, 12), self.enough)
        if known[key].low > self.low and self.columns.datasets(held) is not None:
            self.low, self.best = known[key].low, held
        return known[key]

    def bound(self, box: tuple[Range, ...]) -> Fraction:
        """An upper end of delta(eps) for all datasets of a box."""
        self.seen += 1
        columns, t = self.columns, self.eps.bounds(128 + 2 * self.small)[0]
        single = all(a == b for a, b in box)
        if not columns.several and ((above := self.alike(box[0], t)) <= self.enough or not single):
            return above
        if single:
            return self.real(tuple(a for a, _ in box)).high
        known = [
            (columns.known(column, self.small).dominating(some), times)
            for some, (column, times) in zip(box, columns.parts, strict=True)
        ]
        each = [sums for sums, times in known for _ in range(times)]
        if len(each) <= 2:
            return min(joint_sums(each[0], each[1], t) if each[1:] else each[0].positive_part(t), Fraction(1))
        parts = [(Exact(sums.pair), times) for sums, times in known]
        if self.grid is None:
            self.grid = guessed(parts, self.eps, CELLS)
        return min(on_lattice(parts, self.eps, self.grid[0], True, self.grid[1]), Fraction(1))

    def alike(self, some: Range, t: Fraction) -> Fraction:
        """The same of one or two columns with one c: by a pair that dominates the range, with no dots."""
        (column, times), *_ = self.columns.parts
        curves = self.columns.known(column, self.small)
        sums, missed = curves.above(some)
        value = sums.positive_part(t) if times == 1 else joint_sums(sums, sums, t)
        return min(value + times * missed, Fraction(1))
