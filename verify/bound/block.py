"""THE lemma: blocks of users, some of known classes and some left open, whose place the user who changes takes.

Let n users stand in N blocks of b = n / N users each, and let every block but the one of the user who changes have k_x
users of each class x and u users of whom nothing is known, sum of k + u = b. The user who changes, on a (P) or b (Q),
takes the place of one of these. Let f_x be the law of class x, g(y) = min over x of f_x(y) what all classes send alike,
w its mass.

Lemma. Let S be the law of (the sum of what a block sends, how many of its u users are *drawn*), where each of the k_x
users sends by f_x and each of the u users is drawn with probability w and then sends by g/w, and else sends nothing;
let P' and Q' be the same with the user on a and on b in his place (if it is that of one of the u users, he is drawn).
For every dataset whose others have at least N k_x users of each class x (less the one whose place is taken), delta(eps)
is at most the delta of one draw from P' or Q' among N - 1 draws from S, shuffled.

Proof. Each of the N u users who are left over, whatever his input, sends by g/w with probability w, else by what his
row has more. Give all of them to the blocks at random, and show who is in which block, who was drawn, and what the
others sent who were not: then what is seen is a function of more, and the ones who were not drawn are a uniformly
random set of that many of these users, whatever the rest. So all of it can be made from the shuffled draws of P' (or
Q') and S, which show how many were drawn in each block. Users beyond N b are dropped: who sees less can add them. What
is known to all (the shifts by which inputs of a class differ) may be moved from any block to any other. Nothing was
used of the rows of a and b: they may be any two laws, such as that of an absent user.

With N = 1 a block is a box's corner: the others of whom there are so many of each class for sure, all else dropped.
With one open user and N = n it is the privacy blanket. With a single composition and N = 1 it is enumeration.

The bound for N > 1. All N - 1 others have one law, so that the likelihood ratio is linear in the counts, and

    delta = sum over z with S(z) = 0 of max(P'(z) - t Q'(z), 0) + E max(v(Z_1) + ... + v(Z_N), 0) / N,  t = e^eps,

v = (P' - t Q') / S, Z_i ~ S.

Blocks of several kinds. Let there be N_i blocks of kind i, whose users are others than those of other kinds', all with
the place of one class x, or all with that of an open user; let the user who changes take the place in one of kind i
with probability N_i g_i / G, G the sum of all N_j g_j. With S_i, P_i', Q_i', v_i of each kind,

    delta <= (1/G) (sum over i of N_i g_i sum over z with S_i(z) = 0 of max(P_i'(z) - t Q_i'(z), 0)
                    + E max(sum over i of g_i (v_i(Z_i1) + ... + v_i(Z_iN_i)), 0)).

Proof. As above; whichever kind it is, the same are left over: of class x all but (the sum of N_i k_x) - 1, so who sees
the blocks can add them without knowing it. The likelihood ratio to the law without a change is the sum over kinds of
N_i g_i / G times the mean over their blocks of P_i' / S_i. (With places of two classes it would be false: who is left
over tells in which kind the user who changes is.) Kinds let users of all classes be spread over blocks as they are,
one more here and there; g_i is about 1 / E v_i^2, by which the sum varies least.

From below. Any s <= S may stand for S, and any e with e >= P' - t Q' - r, r >= 0 of mass m, for P' - t Q'. Then delta
is at most m + sum over z with s(z) = 0 of max(e(z), 0) + E max(v(Z_1) + ... + v(Z_N), 0) / N, v = e/s, with Z_i drawn
from s, or nothing with v = 0 for what s misses of 1. Proof. The positive part of a sum is at most the sum of positive
parts, so that what P' has over t Q' after the shuffle is at most m more than what e has. Each of the others sends by s
with the probability that s has, else he shows what he sends; then e is summed over who of N changed, as in the lemma of
the blanket, which needs no more of P' - t Q' than that it is a sum over outputs.

Laws of long blocks are windows from below, in words. Let L_j be the sum of all but one user of a block of whom j were
drawn, f_c the law whose place the user who changes takes. What is seen is (z, j), and

    s(z, j) = B_j (f_c L_j)(z) <= S(z, j),      P' >= B_j k_j f_a L_j,      Q' >= B_j k_j f_b L_j,

where B_j is the probability of j draws in S and k_j how much likelier they are in P': 1, or, if the place is that of
one of the u users left open, who is then drawn, with L_(j-1) in the place of L_j and f_c = g/w, k_j = j / (u w). All of
P' that is not in this is missing. So is what is left out on purpose, numbers of draws that are hardly ever seen. Where
many numbers are seen, and k_j = 1, some are shown as the least of them: the sends of who is drawn besides can be added
to what is seen, and B_j is the probability of all of them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, reduce
from itertools import accumulate, pairwise
from math import comb, gcd
from operator import add
from typing import Any, NamedTuple, Self

from flint import fmpz, fmpz_poly

from shufflecert.verify.bound.law import BITS, HALF, LOW, Sums, convolved, parts, reached, steps
from shufflecert.verify.bound.table import Point, Row, Table
from shufflecert.verify.enclose.noise_laws import below
from shufflecert.verify.exact.rational import ball, ceiling_of, precision
from shufflecert.verify.runs.later import Later

np: Any = Later("numpy")
KEPT = 1 << 18  # digits of short laws that are kept for later
MOST_ADDED = 1 << 23  # places of short sums that are kept
LISTED, SPARSE = 1 << 23, 64  # numbers that are listed up to the largest, at most; the same, for each that is there
LIMB = 26  # bits of a digit
LIMB_MASK = (1 << LIMB) - 1
SHARES = (Fraction(1, 100), Fraction(1, 6), Fraction(11, 20))  # of numbers of draws: so much below one after the other
LUMPS = 1 + len(SHARES)  # of numbers of draws that are told apart, where there are more
FEW = 1 << 50  # 1 / the probability that a number of draws is to have to be looked at
SHORT, PARTS, WORD = 26, (8, 20), 62  # bits: of s in a division; of a value below a step, least and most; of a word
THIN = 64  # units that s is to have to be divided by
THIN_BITS = 8  # of weights that are cut off at the ends of a sum
FINER = 32  # bits of smaller weights, besides
FINE = 128  # places in a standard deviation of a sum, or more
MOST_MOVED = 1 << 21  # words of moved laws that are kept for the next pair
MOST_STEP, MOST_POWER = 15, Fraction(1 << 10)  # a step is 2^-this or more; e^eps, or what takes its place, at most


class Block(NamedTuple):
    """What a block is made of: users of each class, users left open, and whose place is taken (a class, or None)."""

    users: tuple[int, ...]
    open: int
    place: int | None

    @property
    def size(self) -> int:
        """The number of its users."""
        return sum(self.users) + self.open

    def draws(self, others: Sequence[int], n: int) -> int:
        """How many such blocks n users have for sure, of whose others at least so many are in each class."""
        there = [count + (x == self.place) for x, count in enumerate(others)]
        return min([n // self.size, *(have // used for have, used in zip(there, self.users, strict=True) if used)])


class Kind(NamedTuple):
    """Blocks of one kind: what each is made of, how many there are (N_i), and their weight (g_i)."""

    block: Block
    draws: int
    weight: int = 1


class Cuts(NamedTuple):
    """How values are rounded: the step, the places below 0 and above, and what part of S is seen hardly ever."""

    step: Fraction
    below: int
    above: int
    rare: int

    @property
    def fine(self) -> int | None:
        """The g of a step 2^-g that words hold values of; None for any other step."""
        g = self.step.denominator.bit_length() - 1
        return g if self.step == Fraction(1, 1 << g) and g <= MOST_STEP else None

    @property
    def coarser(self) -> "Cuts":
        """The same by a step that words hold values of; of a step that is a power of 2."""
        over = self.step.denominator.bit_length() - 1 - MOST_STEP
        if over <= 0:
            return self
        below, above = (1 + (end >> over) for end in (self.below, self.above))
        return self._replace(step=self.step * (1 << over), below=below, above=above)


class Words(NamedTuple):
    """What may be seen of a block, in words: P rounded up, Q and S down.

    `parts` are large weights and ever smaller ones, each in units 2^-(60 + more), S 2^-(61 + more), with its `more`.
    `seen` has all their bits.
    """

    parts: tuple[tuple[Any, int], ...]
    seen: "Seen"

    @property
    def terms(self) -> int:
        """The number of outcomes."""
        return sum(part.shape[1] for part, _ in self.parts)


@dataclass(frozen=True, eq=False)
class Seen:
    """What may be seen of a block, each with its weight by P', Q' and S, from below.

    `limbs` has the digits of these weights to the base 2^26, the lowest first, of which the last one is of units 2^-26:
    an array of shape (3, digits, outcomes).
    """

    limbs: Any

    def __len__(self) -> int:
        """The number of outcomes."""
        return int(self.limbs.shape[2])

    @property
    def unit(self) -> int:
        """What weights are over."""
        return 1 << LIMB * int(self.limbs.shape[1])

    @property
    def weights(self) -> list[tuple[int, int, int]]:
        """(P', Q', S) of each outcome."""
        p, q, s = ([from_digits(one) for one in law.T.tolist()] for law in self.limbs)
        return list(zip(p, q, s, strict=True))

    @cached_property
    def missing(self) -> Fraction:
        """What P' has besides."""
        return 1 - Fraction(from_digits(self.limbs[0].sum(axis=1).tolist()), self.unit)

    def words(self, finest: int = FINER) -> Words:
        """The weights' first bits, of small ones up to `finest` later ones."""
        more, parts, limbs = 0, list[tuple[Any, int]](), self.limbs
        small = 1 << BITS - FINER - len(self).bit_length()  # so that no sum is longer than a word
        while True:
            p, q, s = (first_bits(law, bits + more) for law, bits in zip(limbs, (BITS, BITS, BITS + 1), strict=True))
            later = (p < small) & (q < small) & (s < 2 * small)
            if more >= finest or BITS + 1 + more >= LIMB * limbs.shape[1]:
                later[:] = False
            parts.append((np.stack([p + 1, q, s])[:, ~later], more))
            if not later.any():
                return Words(tuple(parts), self)
            limbs, more = limbs[:, :, later], more + FINER


def from_digits(digits: Iterable[int]) -> int:
    """The number of these digits to the base 2^26, the lowest first."""
    return sum(digit << LIMB * i for i, digit in enumerate(digits))


def in_digits(number: int, many: int) -> list[int]:
    """So many digits of a number to the base 2^26, the lowest first; the last one has all the rest."""
    return [number >> LIMB * i & LIMB_MASK for i in range(many - 1)] + [number >> LIMB * (many - 1)]


def first_bits(limbs: Any, bits: int) -> Any:
    """So many bits after the point of numbers in digits, as words."""
    found, end = np.zeros(limbs.shape[1], np.int64), LIMB * len(limbs) - bits
    for i, digit in enumerate(limbs):
        if (by := LIMB * i - end) > -LIMB:
            found += digit << by if by >= 0 else digit >> -by
    return found


class Slice(NamedTuple):
    """So many draws: B_j, k_j, how many of them L_j has, and f_c."""

    weight: Fraction
    likelier: Fraction
    drawn: int
    place: Mapping[Point, Fraction]


def taken(table: Table, block: Block, a: int, b: int) -> int | None:
    """The input x for which the user who changes from a to b counts among the k_x users of a block.

    a or b where one of them is in the block's class, else the first input of it; None where that user is an open one.
    """
    if block.place is None:
        return None
    group = [x for x, k in enumerate(table.classes) if k == block.place]
    return next(x for x in (a, b, *group) if x in group)


def placed(table: Table, block: Block, a: int, b: int) -> Point:
    """By how much the law whose place is taken is moved, so that it lies where the user who changes is."""
    one = taken(table, block, a, b)
    if one is None:
        one = next((x for x in (a, b) if table.classes[x] is not None), a)
    return table.offsets[one]


@dataclass
class Places:
    """The points that sums of few users' points reach, in order: of users of classes, and of those left open.

    A point is a number whose digits are its coordinates, to a base that no coordinate of a sum reaches.
    """

    known: tuple[Point, ...]
    open: tuple[Point, ...]
    base: int
    reached: dict[tuple[int, int], Any] = field(default_factory=dict)
    added: dict[tuple[int, int, tuple[Point, ...]], tuple[Any, int]] = field(default_factory=dict)

    def numbers(self, points: Sequence[Point]) -> Any:
        """Those of some points, in a column."""
        word = self.base ** len(points[0]) < 1 << WORD
        column = [[sum(c * self.base**i for i, c in enumerate(point))] for point in points]
        return np.array(column, np.int64 if word else object)

    def sums(self, users: int, left: int) -> Any:
        """What so many users of classes, and others left open, reach."""
        if not users and not left:
            return self.numbers([(0,) * len(self.known[0])])[0]
        if (users, left) not in self.reached:
            before, points = (self.sums(users, left - 1), self.open) if left else (self.sums(users - 1, 0), self.known)
            self.reached[users, left] = _in_order(before + self.numbers(points))
        return self.reached[users, left]

    def plus(self, users: int, left: int, points: tuple[Point, ...]) -> tuple[Any, int]:
        """To which places each of these points, of one user more, moves sums; and how many places there are."""
        key = users, left, points
        if key not in self.added:
            moved = self.sums(users, left) + self.numbers(points)
            more = {self.known: (users + 1, left), self.open: (users, left + 1)}.get(points)
            among = self.sums(*more) if more else _in_order(moved)
            if sum(at.size for at, _ in self.added.values()) > MOST_ADDED:
                self.added.clear()
            self.added[key] = _among(among, moved), len(among)
        return self.added[key]


def _in_order(numbers: Any) -> Any:
    """The numbers in order, each once."""
    if not _dense(numbers):
        return np.unique(numbers)
    some = np.zeros(int(numbers.max()) + 1, bool)
    some[numbers.ravel()] = True
    return np.flatnonzero(some)


def _among(rising: Any, numbers: Any) -> Any:
    """Which of some rising numbers these are."""
    if not _dense(numbers):
        return np.searchsorted(rising, numbers).astype(np.int32)
    at = np.zeros(int(rising[-1]) + 1, np.int32)
    at[rising] = np.arange(len(rising), dtype=np.int32)
    return at[numbers]


def _dense(numbers: Any) -> bool:
    """Whether a list of all numbers up to the largest of these is not much longer than they are."""
    some = numbers.dtype != object and int(numbers.min()) >= 0
    return some and int(numbers.max()) < min(LISTED, SPARSE * numbers.size)


@dataclass
class ShortLaws:
    """Laws of blocks of few users, from below, of points that count as one by their `names`.

    Weights have so many `digits` to the base 2^26. Places that are known are in `places`.
    """

    table: Table
    digits: int
    places: dict[tuple[Any, ...], Places] = field(default_factory=dict)
    names: Mapping[Point, Point] = field(default_factory=dict)
    totals: dict[tuple[Any, ...], Any] = field(default_factory=dict)  # by users of each class, and left open
    held: int = 0

    def among(self, classes: Sequence[int], a: int, b: int) -> Self:
        """For blocks of users of these classes, or left open, and the user who changes, on a or b.

        Where every user sends one output, outputs whose weights in all of these laws are proportional are one: who sent
        which of them can be drawn anew, whatever the inputs.
        """
        table = self.table
        laws = [*(table.bases[x] for x in classes), table.common, table.rows[a], table.rows[b]]
        groups: dict[tuple[int, ...], list[Point]] = {}
        for point in table.points:
            column = [law.get(point, 0) for law in laws]
            groups.setdefault(tuple(w // (gcd(*column) or 1) for w in column), []).append(point)
        last = len(groups) - 1  # how often it was sent follows from the others
        named = {p: tuple(int(i == j) for j in range(last)) for i, some in enumerate(groups.values()) for p in some}
        return replace(self, names=named, totals={}, held=0)

    def most(self, size: int, open_: int) -> int:
        """At least as many terms as a block's law has, of points with names, for so many users, some left open."""
        kinds = self.kinds + (open_ > 0)
        return comb(size + kinds - 1, kinds - 1)

    @cached_property
    def kinds(self) -> int:
        """The number of names, or of points."""
        return len(set(self.names.values()) or self.known)

    def terms(self, size: int) -> int:
        """How many terms a block of so many users, of all classes, has."""
        return len(self._places(size).sums(size, 0))

    def sent(self, law: Row, drawn: int = 0, move: Point | None = None) -> Row:
        """A user's law, by names of its points, moved, and with one more coordinate for users who are drawn."""
        found: Counter[Point] = Counter()
        for point, weight in law.items():
            moved = point if move is None else tuple(map(add, point, move))
            found[(*self.names.get(point, moved), drawn)] += weight
        return found

    @cached_property
    def users(self) -> list[Row]:
        """The laws of users of each class, and last that of a user left open."""
        laws = [self.sent(base) for base in self.table.bases]
        silent = {(0,) * len(next(iter(laws[0]))): self.table.unit - sum(self.table.common.values())}
        return [*laws, {**silent, **self.sent(self.table.common, 1)}]

    @cached_property
    def known(self) -> tuple[Point, ...]:
        """What users of all classes send."""
        return tuple(sorted({point for law in self.users[:-1] for point in law}))

    @cached_property
    def farthest(self) -> int:
        """The largest coordinate of what a user may send, or 1."""
        return max(1, *(max(point) for law in (*self.table.rows, *self.table.bases) for point in self.sent(law)))

    def seen(self, block: Block, a: int, b: int) -> Seen:
        """The outcomes of the block's messages, with their weights (P, Q, S), but for those that P and Q do not have.

        P and Q: the user who changes is on a, on b; S: the block's users are there without a change.
        """
        return Seen(self.changed(block, a, b))

    def changed(self, block: Block, a: int, b: int) -> Any:
        """The laws P', Q' and S of a block, one after the other."""
        table, place, move = self.table, block.place, placed(self.table, block, a, b)
        others, drawn = [*block.users, block.open], int(place is None)
        others[-1 if place is None else place] -= 1
        taken = table.common if place is None else table.bases[place]
        laws = [self.sent(table.rows[a], drawn), self.sent(table.rows[b], drawn), self.sent(taken, drawn, move)]
        sent = {point for law in laws for point in law}
        points = self.known if sent <= set(self.known) else tuple(sorted(sent))
        places = self._places(block.size)
        known, (at, size) = self._total(tuple(others), places), places.plus(sum(others[:-1]), others[-1], points)
        return np.array([self.added(known, [law.get(y, 0) for y in points], at, size) for law in laws])

    def _places(self, size: int) -> Places:
        """Places of sums of so many users, and of some more."""
        base = 1 + self.farthest * (1 << (size - 1).bit_length())
        key = self.known, tuple(self.users[-1]), base
        return self.places.setdefault(key, Places(*key))

    def _total(self, users: tuple[int, ...], places: Places) -> Any:
        """The law of the sum of so many users of each class, and last of users left open."""
        key = users, places.base
        if not any(users):
            return self.nothing
        if key not in self.totals:
            fewer = [(*users[:x], count - 1, *users[x + 1 :]) for x, count in enumerate(users)]
            some = [x for x, count in enumerate(users) if count]
            x = next((x for x in some if (fewer[x], places.base) in self.totals), some[-1])
            points = places.open if x == len(users) - 1 else places.known
            at, size = places.plus(sum(fewer[x][:-1]), fewer[x][-1], points)
            before = self._total(fewer[x], places)
            if self.held > KEPT:
                self.totals.clear()
                self.held = 0
            self.totals[key] = self.added(before, [self.users[x].get(y, 0) for y in points], at, size)
            self.held += self.totals[key].size
        return self.totals[key]

    @property
    def nothing(self) -> Any:
        """The law of the sum of nobody."""
        return np.array([[digit] for digit in in_digits(1 << LIMB * self.digits, self.digits)], np.int64)

    def added(self, known: Any, weights: Sequence[int], places: Any, size: int) -> Any:
        """The law of a sum with one user more, whose points, of these weights, move it to these places."""
        unit, many = self.table.unit, self.digits
        found, room = np.zeros((many + 1, size), np.int64), (1 << 62 - 2 * LIMB) // many
        sent = ((weight, at) for weight, at in zip(weights, places, strict=True) if weight)
        for i, (weight, at) in enumerate(sent, 1):
            part = np.zeros(known.shape, np.int64)
            for j, digit in enumerate(in_digits((weight << LIMB * many) // unit, many)):
                part[: j + 1] += digit * known[many - 1 - j :]
            for digits, more in zip(found, part, strict=False):  # faster than all at once
                digits[at] += more
            if i % room == 0:
                _carry(found)
        _carry(found)
        return found[1:]


def _carry(limbs: Any) -> None:
    """Make all digits but the last less than 2^26."""
    for low, high in pairwise(limbs):
        high += low >> LIMB
        low &= LIMB_MASK


def allowed(seen: Sequence[tuple[Words, int, int]], t: Fraction, cuts: Cuts, bits: int) -> Fraction:
    """An upper bound on the bound of the lemma, for any t <= e^eps: of each kind what is seen, N_i and g_i.

    Values are split between two multiples of a step, so that their mean stays and E max(., 0) can only grow. What is
    far below 0 is raised; what is far above, or hardly ever sent by S, counts as if S never sent it.
    """
    whole = sum(draws * weight for _, draws, weight in seen)
    outside, laws = Fraction(0), list[tuple[Mapping[int, int], int]]()
    for one, draws, weight in seen:
        if cuts.fine is not None and max(t, Fraction(1)) * weight <= MOST_POWER:
            left, law = _placed_in_words(one, t * weight, weight, cuts, cuts.fine, bits)
        else:
            left, law = _placed(one.seen, t * weight, weight, cuts, bits)
        outside += (left + one.seen.missing * weight) * Fraction(draws, whole)
        laws.append((law, draws))
    return outside + mean_above(laws, whole, bits) * cuts.step


def _placed(seen: Seen, t: Fraction, times: int, cuts: Cuts, bits: int) -> tuple[Fraction, Mapping[int, int]]:
    """(what counts as if S never sent it, the weights of multiples of the step) of values (times P - t Q) / S."""
    top, bottom = t.numerator, t.denominator
    step, scale = cuts.step, 1 << bits
    law: Counter[int] = Counter()
    outside, kept = 0, 0
    for p, q, s in seen.weights:
        excess = p * times * bottom - q * top
        if s * cuts.rare < seen.unit:
            outside += max(excess, 0)
            continue
        place, rest = divmod(excess * step.denominator, whole := s * bottom * step.numerator)
        if place >= cuts.above:
            outside += max(excess, 0)
            continue
        kept += s
        if place < -cuts.below:
            place, rest = -cuts.below, 0
        weight = s * scale
        upper = weight * rest // (whole * seen.unit)
        law[place + 1] += upper
        law[place] += weight * (whole - rest) // (whole * seen.unit)
    law[0] += (seen.unit - kept) * scale // seen.unit
    return Fraction(outside, seen.unit * bottom), law


def _placed_in_words(
    seen: Words, t: Fraction, times: int, cuts: Cuts, g: int, bits: int
) -> tuple[Fraction, Mapping[int, int]]:
    """The same of a step 2^-g, by words: S is rounded down, times P - t Q up."""
    c = HALF + 1 - int(max(t, Fraction(times))).bit_length()
    more, less = times << c, int(t * (1 << c))
    law, kept, outside, finest = Counter[int](), 0, 0, seen.parts[-1][1]
    for (p, q, s), part in seen.parts:
        unit = finest - part
        e = (more * (p >> HALF) - less * (q >> HALF)) + ((more * (p & LOW) - less * (q & LOW)) >> HALF) + 1
        places, weight, far = _values(e, s, g - c, cuts)
        for at in map(int, np.flatnonzero(places)):
            law[at - cuts.below] += int(places[at]) << unit
        kept, outside = kept + (weight << unit), outside + (far << unit)
    bottom = 1 << BITS + 1 + finest
    rounded = Counter({at: (weight << bits) // bottom for at, weight in law.items()})
    rounded[0] += (bottom - kept << bits) // bottom
    return Fraction(outside, 1 << HALF + c + finest), rounded


class Line(NamedTuple):
    """A law from below: weights over 2^bits, at places first + i; what they miss of 1 is nowhere beyond `last`."""

    first: int
    last: int
    weights: fmpz_poly

    def plus(self, other: "Line", bits: int) -> "Line":
        """The law of X + Y, ends of tiny weights cut off."""
        product = self.weights * other.weights // (fmpz(1) << bits)
        start, end, thin = 0, len(product), fmpz(1) << THIN_BITS
        while end > 1 and product[end - 1] < thin:
            end -= 1
        while start < end - 1 and product[start] < thin:
            start += 1
        weights = product.truncate(end).right_shift(start)
        return Line(self.first + other.first + start, self.last + other.last, weights)

    def thinned(self) -> "Line":
        """The same on every other place: half of what lies between two of these goes to each, so the mean stays."""
        shared = self.weights * fmpz_poly([1, 2, 1]) // 2  # from the place before the first on
        even = fmpz_poly(shared.coeffs()[(self.first + 1) % 2 :: 2])
        return Line(self.first // 2, -(-self.last // 2), even)


def mean_above(laws: Sequence[tuple[Mapping[int, int], int]], whole: int, bits: int) -> Fraction:
    """An upper bound on E max(Z_1 + Z_2 + ..., 0) / whole, for so many draws of each law from below, in units 2^-bits.

    All powers at once, by squaring. Where a standard deviation of the sum has many places, every other one will do. The
    sum is a window from below, and what it misses may be as large as can be.
    """
    ones, level = list[Line](), 0
    for law, _ in laws:
        first, last = min(law), max(law)
        ones.append(Line(first, last, fmpz_poly([law.get(i, 0) for i in range(first, last + 1)])))
    spreads = [_variance(law) for law, _ in laws]
    total = Line(0, 0, fmpz_poly([1 << bits]))
    for i in reversed(range(max(draws for _, draws in laws).bit_length())):
        total = total.plus(total, bits)
        if some := [one for one, (_, draws) in zip(ones, laws, strict=True) if draws >> i & 1]:
            total = total.plus(reduce(lambda one, other: one.plus(other, bits), some), bits)
        spread = sum((draws >> i) * one for (_, draws), one in zip(laws, spreads, strict=True))
        while spread > (2 * FINE << level) ** 2:
            total, ones, level = total.thinned(), [one.thinned() for one in ones], level + 1
    missing = (1 << bits) - int(total.weights(1))
    positive = sum(i * int(w) for i, w in enumerate(total.weights.coeffs(), total.first) if i > 0)
    return Fraction(positive + missing * max(0, total.last) << level, whole << bits)


def _variance(law: Mapping[int, int]) -> int:
    """About the variance, a number of steps."""
    unit = sum(law.values())
    mean = sum(i * w for i, w in law.items()) // unit
    return sum((i - mean) ** 2 * w for i, w in law.items()) // unit


def draws_of(users: int, chance: Fraction, missed: Fraction) -> int:
    """The most j of so many users that send what is common, but for a probability of at most `missed` that fewer do.

    By Chernoff's bound, Pr[Bin(u, w) < j] <= exp(-u KL((j - 1)/u, w)), proved in balls; 0 where no j is shown.
    """
    if chance == 1 or not users:
        return users
    low, high = 0, int(users * chance)
    with precision(96):
        drawn = ball(chance), 1 - ball(chance)
        while low < high:
            middle = (low + high + 1) // 2
            few = ceiling_of(below(users, drawn, middle - 1)) > missed
            low, high = (low, middle - 1) if few else (middle, high)
    return low


def slices(table: Table, block: Block, a: int, b: int) -> list[Slice]:
    """The numbers of draws that are seen, but for rare ones, where the user who changes is on a (P') or b (Q')."""
    u, w, move = block.open, table.alike, placed(table, block, a, b)
    chances = [comb(u, j) * w**j * (1 - w) ** (u - j) for j in range(u + 1)]
    seen = [j for j, chance in enumerate(chances) if chance * FEW >= 1]
    law = table.common if block.place is None else table.bases[block.place]
    whole = sum(law.values())
    row = {tuple(c + m for c, m in zip(p, move, strict=True)): Fraction(weight, whole) for p, weight in law.items()}
    if block.place is None:
        return [Slice(chances[j], j / (u * w), j - 1, row) for j in seen if j]
    below = list(accumulate(chances))
    marks = {next(j for j in seen if below[j] >= share) for share in SHARES}
    starts = seen if len(seen) <= LUMPS else sorted({seen[0], *marks})
    after = [*starts[1:], seen[-1] + 1]
    lumps = [sum(chances[j:k], Fraction(0)) for j, k in zip(starts, after, strict=True)]
    return [Slice(chance, Fraction(1), j, row) for j, chance in zip(starts, lumps, strict=True)]


@dataclass
class Windows:
    """Laws of blocks of many users, from below, in words; `sums` are of the table's laws, as `Sums.of` has them."""

    table: Table
    sums: Sums
    last: dict[tuple[Block, tuple[int, ...], Fraction], list["Reached"]] = field(default_factory=dict)

    def laws(self, block: Block, drawn: Sequence[int]) -> Iterator[Any]:
        """L_j for each number of draws: words with room for one user more."""
        table, users = self.table, [count - (x == block.place) for x, count in enumerate(block.users)]
        law = self.sums.sum((*users, drawn[0]) if table.common else users)
        unit, more = sum(table.common.values()), drawn[-1] - drawn[0]
        far = [max((p[i] for p in table.common), default=0) for i in range(table.rank)]
        known = law.words(tuple(room + step * more for room, step in zip(self.room, far, strict=True)))
        for j in range(drawn[0], drawn[-1] + 1):
            if j > drawn[0]:
                known = convolved(table.common, unit, known).reshape(known.shape)
            if j in drawn:
                yield known

    def reached(self, block: Block, drawn: tuple[int, ...], spare: Fraction) -> list["Reached"]:
        """The same, of the cells that matter if laws may miss `spare` more of 1; those of the last block are kept."""
        key = block, drawn, spare
        if key not in self.last:
            self.last = {key: [Reached.of(known, self.table.points, spare) for known in self.laws(block, drawn)]}
        return self.last[key]

    @cached_property
    def room(self) -> Point:
        """Cells that one user may add, in each direction."""
        table, laws = self.table, [*self.table.bases]
        moved = [max(p[i] for law in laws for p in law) + max(o[i] for o in table.offsets) for i in range(table.rank)]
        return tuple(max(one, other) for one, other in zip(moved, table.reach, strict=True))

    def allowed(
        self,
        block: Block,
        draws: int,
        pair: tuple[int, int],
        asked: Sequence[tuple[Fraction, Cuts, int]],
        spare: Fraction = Fraction(0),
    ) -> list[Fraction]:
        """Upper bounds on the lemma's, for `draws` blocks in all and any t <= e^eps; a step is a power of 2.

        For each of (t, its cuts, bits of its law's weights), by laws of the block that serve all of them. They may miss
        `spare` more of 1, so that fewer cells are looked at.
        """
        table, seen = self.table, slices(self.table, block, *pair)
        most = max((one.likelier for one in seen), default=Fraction(0))
        found = [Placed(t, cuts.coarser, bits, most * (1 + t)) for t, cuts, bits in asked]
        told = [placed for placed in found if placed.told]
        if not seen or not told:
            return [Fraction(1)] * len(asked)
        rows = [table.rows[x] for x in pair]
        for one, law in zip(seen, self.reached(block, tuple(one.drawn for one in seen), spare), strict=True):
            place = {point: int(weight * (1 << HALF + 1)) for point, weight in one.place.items()}
            sent = list(law.added_up(place))
            for placed in told:
                placed.add(one, law, sent, rows, table.unit)
            if len(seen) * len(law.moved) * len(law.places) > MOST_MOVED:
                law.moved.clear()
        return [placed.allowed(draws) for placed in found]


@dataclass
class Reached:
    """A law in words, of the cells to which points move it, and how much of 1 it misses."""

    flat: Any
    shape: Point
    places: Any
    missing: Fraction
    moved: dict[int, Any] = field(default_factory=dict)  # its words, by how far they are moved

    @classmethod
    def of(cls, known: Any, points: Sequence[Point], spare: Fraction) -> "Reached":
        """Of a law without thin cells, that are `spare` at most of it."""
        known = np.where(known <= (spare * (1 << BITS)) // known.size, 0, known)
        return cls(known.ravel(), known.shape, reached(known > 0, points), 1 - Fraction(int(known.sum()), 1 << BITS))

    def added_up(self, weights: Mapping[Point, int]) -> Iterator[Any]:
        """The sum of weights times moved laws, in units 2^30 as large, part by part: rounded down by less than 1."""
        moves = steps(self.shape, weights)
        for by in moves:
            if by not in self.moved:
                self.moved[by] = self.flat[self.places - by]
        for part in parts(len(self.places)):
            size = part.stop - part.start
            high, low = np.zeros(size, np.int64), np.zeros(size, np.int64)
            for by, weight in zip(moves, weights.values(), strict=True):
                words = self.moved[by][part]
                high += weight * (words >> HALF)
                low += weight * (words & LOW)
            yield high + (low >> HALF)


@dataclass
class Placed:
    """The law of a block's value at t, from below: weights over 2^bits of multiples of the step, slice after slice.

    `most` is as large as a value may be, `outside` what counts as if it were sent by nobody, `there` what P' has.
    """

    t: Fraction
    cuts: Cuts
    bits: int
    most: Fraction
    law: Counter[int] = field(default_factory=Counter)
    outside: Fraction = Fraction(0)
    there: Fraction = Fraction(0)
    kept: Fraction = Fraction(0)

    @property
    def told(self) -> bool:
        """Whether words have room for the values."""
        return self.cuts.fine is not None and self.most <= MOST_POWER

    def add(self, one: Slice, law: Reached, sent: Sequence[Any], rows: Sequence[Row], unit: int) -> None:
        """Add a slice: its law from below, and the law with one user more, in units 2^31, part by part."""
        (p, q), c = rows, HALF + 1 - int(self.most).bit_length()
        times = one.likelier * (1 << c) / unit
        excess = {x: -((self.t * q.get(x, 0) - p.get(x, 0)) * times // 1) for x in p.keys() | q.keys()}
        assert self.cuts.fine is not None
        places, weights, far = np.zeros(self.cuts.below + self.cuts.above + 1, np.int64), 0, 0
        for e, s in zip(law.added_up(excess), sent, strict=True):
            some, weight, outside = _values(e + 1, s, self.cuts.fine - c, self.cuts)
            places, weights, far = places + some, weights + weight, far + outside
        self.there += one.weight * one.likelier * (1 - law.missing)
        self.outside += one.weight * Fraction(far, 1 << HALF + c)
        for at, weight in enumerate(map(int, places), -self.cuts.below):
            self.law[at] += (weight * one.weight.numerator << self.bits) // (one.weight.denominator << BITS + 1)
        self.kept += one.weight * Fraction(weights, 1 << BITS + 1)

    def allowed(self, draws: int) -> Fraction:
        """An upper bound for so many blocks; 1 where nothing is told."""
        if not self.told:
            return Fraction(1)
        law = {at: self.law[at] for at in range(-self.cuts.below, self.cuts.above + 1)}
        law[0] += int((1 - self.kept) * (1 << self.bits))
        return self.outside + 1 - self.there + mean_above([(law, draws)], draws, self.bits) * self.cuts.step


def _values(e: Any, s: Any, shift: int, cuts: Cuts) -> tuple[Any, int, int]:
    """(weights of places from -below to above, weight in all, the sum of positive e outside).

    A place is a multiple of the step 2^-g; a value is e / s times 2^(31 - c), and `shift` is g - c. To divide, both
    lose all but the first 26 bits of s, rounded outwards.
    """
    inside = s >= THIN
    outside = int(np.maximum(e[~inside], 0).sum())
    e, s = e[inside], s[inside]
    less = _bits(s >> SHORT)
    short = (e >> less) + 1
    below = np.where(short > 0, s >> less, (s >> less) + 1)
    parts = max(PARTS[0], min(PARTS[1], -shift - 1))
    times = HALF + 1 + parts + shift
    most = 1 << WORD - times
    values = -((-np.clip(short, -most, most) << times) // below)
    place, part = values >> parts, values & (1 << parts) - 1
    far = (place >= cuts.above) | (short >= most)
    outside += int(np.maximum(e[far], 0).sum())
    place, part, s = place[~far], part[~far], s[~far]
    low = place < -cuts.below
    place, part = np.where(low, -cuts.below, place) + cuts.below, np.where(low, 0, part)
    found = np.zeros(cuts.below + cuts.above + 1, np.int64)
    upper = (s >> parts) * part + ((s & (1 << parts) - 1) * part >> parts) + 1
    for at, weight in ((place, s - upper), (place + 1, upper)):
        np.add.at(found, at, weight)
    return found, int(s.sum()), outside


def _bits(words: Any) -> Any:
    """How many bits each has."""
    found = np.zeros(words.shape, np.int64)
    for step in (32, 16, 8, 4, 2, 1):
        large = words >= 1 << step
        found += np.where(large, step, 0)
        words = np.where(large, words >> step, words)
    return found + (words > 0)
