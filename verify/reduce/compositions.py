"""Randomizers whose views lie on a line, over all datasets: boxes of compositions of the others cover all of them.

The other n - 1 users hold some inputs: a composition c, how many of them are in each class (inputs whose rows differ by
a shift are one class: what they add is the same law, moved by a known number). What is seen of n users is one number,
their total, and with the user who changes on a (P) or on b (Q)

    P_c = f_a G_c,   Q_c = f_b G_c,   G_c = product over classes x of f_x^(c_x).

Dropping users. Whoever sees the view with fewer others can add the missing ones himself, so (P_l, Q_l) dominates
(P_c, Q_c) for every c >= l: all compositions of a box l <= c <= u are dominated by the one at its lower corner l, which
has fewer than n - 1 users. Boxes that cover all compositions bound delta(eps) from above, real compositions from below;
the box that allows most is cut in two until the two are close.

Every law is held from below, as a window of integers in fixed point; what they miss of 1 may be anywhere. Floats are
not used.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from math import gcd, isqrt
from operator import or_

from flint import fmpz, fmpz_poly

from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.exact.views import View, view_of

LAST_BITS = 1 << 12  # of windows
MAX_PLACES = 1 << 24  # that are listed one by one
MOST_HELD = 1 << 19  # coefficients of windows that are kept for later: about 100 MB
DEVIATIONS = 24  # that a window of 96 bits spans, about
Composition = tuple[int, ...]


@dataclass(frozen=True)
class Line:
    """A randomizer whose views are points of a line: rows[x] is {place: weight}, over `unit`; classes[x] is x's class.

    `bases[k]` is the row of class k, moved to begin at 0.
    """

    inputs: tuple[str, ...]
    rows: tuple[Mapping[int, int], ...]
    unit: int
    classes: tuple[int, ...]
    bases: tuple[Mapping[int, int], ...]

    @classmethod
    def of(cls, randomizer: Randomizer) -> "Line | None":
        """The randomizer on a line, or None where two messages or more vary independently."""
        view = view_of(randomizer)
        if len(view.kept) > 1:
            return None
        places = [{_count(view, multiset): weight for multiset, weight in row.items()} for row in view.rows]
        start = min(min(row) for row in places)
        unit = gcd(*(place - start for row in places for place in row)) or 1
        rows = tuple({(place - start) // unit: weight for place, weight in sorted(row.items())} for row in places)
        bases: list[Mapping[int, int]] = []
        classes = []
        for row in rows:
            base = {place - min(row): weight for place, weight in row.items()}
            if base not in bases:
                bases.append(base)
            classes.append(bases.index(base))
        return cls(view.inputs, rows, view.denominator, tuple(classes), tuple(bases))

    def places(self, counts: Composition) -> int | None:
        """The possible totals of these others, as the bits of an integer; None where there are too many to list."""
        if sum(max(base) * count for base, count in zip(self.bases, counts, strict=True)) > MAX_PLACES:
            return None
        found = 1
        for base, count in zip(self.bases, counts, strict=True):
            alone, last, done, added = 1, max(base), 0, 0
            # once a user of this class adds what {0, last} adds to it, so does every further one
            while done < count and (more := _sum_of_places(alone, base)) != alone | alone << last:
                alone, found, done = more, _sum_of_places(found, base), done + 1
            while done < count:
                step = min(added + 1, count - done)
                found, added, done = found | found << last * step, added + step, done + step
        return found

    def keeps(self, eps: Eps) -> bool:
        """Whether one user alone, unshuffled, keeps (eps, 0): then so does everybody."""
        least, _ = eps.bounds(256)
        return all(
            p <= least * self.rows[b].get(place, 0) for a, b in self.pairs() for place, p in self.rows[a].items()
        )

    def length(self, n: int) -> int:
        """About how many coefficients a window of n users has, at most: all totals, or as many deviations as count."""
        spread = 0
        for base in self.bases:
            law = [(place, Fraction(w, self.unit)) for place, w in base.items()]
            mean = round(sum((place * p for place, p in law), Fraction(0)))
            spread = max(spread, int(sum(((place - mean) ** 2 * p for place, p in law), Fraction(0))) + 1)
        return min(n * max(map(max, self.bases)) + 1, DEVIATIONS * isqrt(n * spread) + 64)

    def first_look(self, n: int) -> int:
        """About how many coefficients are looked at for all others in each class in turn, with every pair of inputs."""
        return (len(self.bases) + 1) * self.length(n) * (len(self.inputs) * (len(self.inputs) - 1) + 8)

    def pairs(self) -> list[tuple[int, int]]:
        """Ordered pairs of inputs with different rows."""
        several = range(len(self.inputs))
        return [(a, b) for a in several for b in several if self.rows[a] != self.rows[b]]


def _sum_of_places(places: int, law: Iterable[int]) -> int:
    return reduce(or_, (places << place for place in law))


def _count(view: View, multiset: Sequence[tuple[int, int]]) -> int:
    return dict(multiset).get(view.kept[0], 0) if view.kept else 0


@dataclass(frozen=True)
class Total:
    """The law of a total from below: 2^bits Pr[first + i] is at least low[i]; what these miss of 2^bits may be
    anywhere.
    """

    first: int
    low: fmpz_poly
    bits: int

    @property
    def missing(self) -> int:
        """The probability, in units of 2^-bits, that the window leaves out: it may lie at any outcome."""
        return (1 << self.bits) - int(self.low(1))

    def plus(self, other: "Total") -> "Total":
        """The law of X + Y for independent X and Y; ends of tiny probability are cut off, and counted as missing."""
        product = self.low * other.low // (fmpz(1) << self.bits)  # rounded down
        weights, thin = product.coeffs(), fmpz(1) << max(8, self.bits // 8 - 8)
        start, end = 0, len(weights)
        while end > 1 and weights[end - 1] < thin:
            end -= 1
        while start < end - 1 and weights[start] < thin:
            start += 1
        return Total(self.first + other.first + start, product.truncate(end).right_shift(start), self.bits)


@dataclass
class Powers:
    """The laws of sums of equal users' messages: windows of f_x^c at one precision, kept once they are computed."""

    line: Line
    bits: int
    doubled: dict[int, list[Total]] = field(default_factory=dict)
    known: dict[tuple[int, int], Total] = field(default_factory=dict)
    products: dict[Composition, Total] = field(default_factory=dict)
    held: int = 0  # coefficients of `known`
    used: int = 0  # and of `products`

    def power(self, x: int, count: int) -> Total:
        """The law of the total of `count` users of class x, by squaring and multiplying."""
        if (x, count) not in self.known:
            low = count & -count
            if low == count:
                made = self._doubled(x, low.bit_length() - 1)
            else:
                made = self.power(x, count - low).plus(self._doubled(x, low.bit_length() - 1))
            if self.held > MOST_HELD:
                self.known.clear()
                self.held = 0
            self.known[x, count] = made
            self.held += len(made.low)
            return made
        return self.known[x, count]

    def _doubled(self, x: int, times: int) -> Total:
        chain = self.doubled.setdefault(x, [self._one(x)])
        while len(chain) <= times:
            chain.append(chain[-1].plus(chain[-1]))
        return chain[times]

    def _one(self, x: int) -> Total:
        row, last = self.line.bases[x], max(self.line.bases[x])
        low = [(fmpz(row.get(place, 0)) << self.bits) // self.line.unit for place in range(last + 1)]
        return Total(0, fmpz_poly(low), self.bits)

    def others(self, counts: Composition) -> Total:
        """The law of the total of all other users' numbers, `counts` of them in each class."""
        if counts not in self.products:
            some = [x for x, count in enumerate(counts) if count]
            if len(some) > 2:  # each half comes with other halves as well
                middle = some[len(some) // 2]
                half = counts[:middle] + (0,) * (len(counts) - middle)
                total = self.others(half).plus(self.others((0,) * middle + counts[middle:]))
            elif some:
                total = reduce(Total.plus, (self.power(x, counts[x]) for x in some))
            else:
                total = Total(0, fmpz_poly([fmpz(1) << self.bits]), self.bits)
            if self.used > MOST_HELD:
                self.products.clear()
                self.used = 0
            self.products[counts] = total
            self.used += len(total.low)
            return total
        return self.products[counts]


@dataclass(frozen=True)
class Ends:
    """Bounds on the largest delta(eps) over the pairs of inputs, of one composition, and the pair of the lower one."""

    low: Fraction
    high: Fraction
    pair: tuple[int, int]


@dataclass(frozen=True)
class Views:
    """The shuffled views of one composition of others, with a user on each input: sums[x] = f_x G, from below.

    Integers in fixed point with so many bits, times the rows' unit; `missing` is how much of G may be anywhere.
    """

    line: Line
    counts: Composition
    first: int
    sums: tuple[fmpz_poly, ...]
    missing: int
    bits: int

    @classmethod
    def of(cls, powers: Powers, counts: Composition) -> "Views":
        """The views of one composition of others, at the precision of `powers`."""
        line, total = powers.line, powers.others(counts)
        laws = [fmpz_poly([row.get(place, 0) for place in range(max(row) + 1)]) for row in line.rows]
        return cls(line, counts, total.first, tuple(law * total.low for law in laws), total.missing, powers.bits)

    def ends(self, pairs: Sequence[tuple[int, int]], eps: Eps) -> Ends:
        """Ends around the largest delta(eps) over some pairs of inputs: max over (a, b) of sum max(f_a G - e^eps f_b
        G, 0).

        Let t <= e^eps <= T, and P', Q' be what is known of P = f_a G and Q = f_b G from below; both miss m. Then delta
        is at most the sum of max(P' - t Q', 0) and m, since P(E) <= P'(E) + m. With E where P' > t Q', it is at least
        P'(E) - T (Q'(E) + m), and so at least that sum less T - t and T m.
        """
        (t, T), lost = eps.bounds(self.bits), Fraction(self.missing, 1 << self.bits)
        most, pair = max((self._excess(a, b, t), (a, b)) for a, b in pairs)
        return Ends(max(most - (T - t) - T * lost, Fraction(0)), min(most + lost, Fraction(1)), pair)

    def never_returns(self, pairs: Sequence[tuple[int, int]]) -> tuple[Fraction, tuple[int, int]]:
        """A lower bound on the largest P(Q = 0), and its pair; 0 where the others' totals are too many to list."""
        places = self.line.places(self.counts)
        if places is None:
            return Fraction(0), pairs[0]
        seen = [_sum_of_places(places, row) for row in self.line.rows]
        best = fmpz(0), pairs[0]
        for a, b in pairs:
            if missing := (seen[a] & ~seen[b]) >> self.first & (1 << len(self.sums[a])) - 1:
                alone = (c for i, c in enumerate(self.sums[a].coeffs()) if missing >> i & 1)
                best = max(best, (sum(alone, fmpz(0)), (a, b)))
        return Fraction(int(best[0]), self.line.unit << self.bits), best[1]

    def _excess(self, a: int, b: int, power: Fraction) -> Fraction:
        """sum max(P' - power Q', 0) with a user on a and on b."""
        top, bottom = fmpz(power.numerator), fmpz(power.denominator)
        total = sum((c for c in (self.sums[a] * bottom - self.sums[b] * top).coeffs() if c > 0), fmpz(0))
        return Fraction(int(total), int(bottom * self.line.unit) << self.bits)


@dataclass(frozen=True, order=True)
class Box:
    """A set of compositions: all c of `total` others with lower <= c <= upper, its ends as close as they can be."""

    lower: Composition
    upper: Composition

    @classmethod
    def tight(cls, lower: Sequence[int], upper: Sequence[int], total: int) -> "Box":
        """The box of all compositions of `total` others between two tuples, its ends as close as they can be."""
        for _ in range(2):
            least, most = sum(lower), sum(upper)
            lower = [max(lo, total - most + up) for lo, up in zip(lower, upper, strict=True)]
            upper = [min(up, total - least + lo) for lo, up in zip(lower, upper, strict=True)]
        return cls(tuple(lower), tuple(upper))

    @property
    def one(self) -> bool:
        """Whether it holds a single composition."""
        return self.lower == self.upper

    def cut(self, total: int) -> "tuple[int, int, Box, Box]":
        """Cut the box through the middle of its longest side: (class x, m, part with c_x <= m, part with c_x > m)."""
        widths = [up - lo for lo, up in zip(self.lower, self.upper, strict=True)]
        x = widths.index(max(widths))
        at = round_number(self.lower[x], self.upper[x])
        left, right = list(self.upper), list(self.lower)
        left[x], right[x] = at, at + 1
        return x, at, Box.tight(self.lower, left, total), Box.tight(right, self.upper, total)

    def middle(self, total: int) -> Composition:
        """A composition near the box's middle."""
        chosen = list(self.lower)
        left = total - sum(chosen)
        rooms = [up - lo for lo, up in zip(self.lower, self.upper, strict=True)]
        whole = sum(rooms) or 1
        for x, room in enumerate(rooms):
            chosen[x] += left * room // whole
        missing = total - sum(chosen)
        for x, up in enumerate(self.upper):
            step = min(missing, up - chosen[x])
            chosen[x] += step
            missing -= step
        return tuple(chosen)


def round_number(low: int, high: int) -> int:
    """A number m, low <= m < high, in the middle half, so that m + 1 has few binary digits: its powers are shared."""
    quarter = max(1, (high - low) // 4)
    unit = 1 << max(0, quarter.bit_length() - 1)
    middle = (low + high) // 2 + 1
    at = (middle + unit // 2) // unit * unit
    return at - 1 if low < at <= high else middle - 1
