"""Sums of users' points in the plane: rectangles of weights, each a few bytes, multiplied as one large integer.

A law is held from below, as in verify/reduce/compositions.py: 256^size Pr[point] is at least the cell's weight, and
what the cells miss of 256^size may be anywhere. A rectangle is a string of bytes, row after row, the lowest byte of a
weight first. Spread so that sums of products do not reach the next cell, two rectangles are two integers, whose product
holds all sums (Kronecker's substitution). From it a rectangle is cut again, without the lowest `size` bytes of each
cell, so that weights are rounded down. Where to cut is a guess: what is outside is missing, whatever it is.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import isqrt

from flint import fmpz

from verify.exact.epsilon import Eps
from verify.reduce.compositions import Composition
from verify.reduce.plane_cover.plane import Plane, Point

CELL_BITS = 20  # of a weight are lost in adding up cells
Span = tuple[int, int]  # first, and one beyond the last


@dataclass(frozen=True)
class Rectangle:
    """The law of a total from below: weights of (first[0] + i, first[1] + j) in row j, at place i, `width` a row."""

    first: Point
    width: int
    height: int
    cells: bytes
    size: int

    @property
    def missing(self) -> int:
        """How much of 256^size may be anywhere."""
        wide = self.size + 8
        return (1 << 8 * self.size) - _total(_spread(self, self.width, self.height, wide), 8 * wide)

    def plus(self, other: "Rectangle", columns: Span, rows: Span) -> "Rectangle":
        """The law of X + Y for independent X and Y, as far as it lies between these columns and rows."""
        size, stride = self.size, self.width + other.width - 1
        wide = 2 * size + 1 + max(1, min(len(self.cells), len(other.cells)).bit_length() // 8)
        mine, yours = (_spread(one, stride, one.height, wide) for one in (self, other))
        height = self.height + other.height - 1
        product = mine * yours
        del mine, yours  # they are long
        whole = int(product).to_bytes(stride * height * wide + 1, "little")
        del product
        left, top = self.first[0] + other.first[0], self.first[1] + other.first[1]
        columns = max(columns[0], left), min(columns[1], left + stride)
        rows = max(rows[0], top), min(rows[1], top + height)
        at, width = columns[0] - left, columns[1] - columns[0]
        kept = b"".join(
            whole[(j * stride + at) * wide : (j * stride + at + width) * wide]
            for j in range(rows[0] - top, rows[1] - top)
        )
        cells = bytearray(len(kept) // wide * size)
        for i in range(size):
            cells[i::size] = kept[size + i :: wide]
        return Rectangle((columns[0], rows[0]), width, rows[1] - rows[0], bytes(cells), size)


def _spread(law: Rectangle, stride: int, height: int, wide: int) -> fmpz:
    """The rectangle as an integer: `wide` bytes a cell, `stride` cells a row."""
    size, line = law.size, law.width * law.size
    blank = bytes((stride - law.width) * size)
    cells = law.cells
    if blank:
        cells = b"".join(cells[j * line : (j + 1) * line] + blank for j in range(law.height))
    spread = bytearray(stride * height * wide)
    end = len(cells) // size * wide
    for i in range(size):
        spread[i:end:wide] = cells[i::size]
    return fmpz(int.from_bytes(spread, "little"))


def _total(packed: fmpz, bits: int) -> int:
    """The sum of the cells of so many bits each, which has room in a cell."""
    while packed.bit_length() > bits:
        half = -(-packed.bit_length() // (2 * bits)) * bits
        packed = (packed >> half) + (packed & ((fmpz(1) << half) - 1))
    return int(packed)


@dataclass
class Sums:
    """Laws of sums of up to n users' points, with weights of `size` bytes; powers of rows are kept."""

    plane: Plane
    n: int
    size: int
    powers: dict[tuple[int, int], Rectangle] = field(default_factory=dict)

    def extent(self, counts: Composition) -> tuple[Span, Span]:
        """Where the total of so many users of each law almost certainly lies: columns and rows."""
        moments = [self.plane.moments(x) for x in range(len(counts))]
        bits = (
            8 * self.size - CELL_BITS + (self.n // max(1, sum(counts))).bit_length()
        )  # what is lost here counts often
        ends = []
        for i in (0, 1):
            mean = sum((c * m[0][i] for c, m in zip(counts, moments, strict=True)), Fraction(0))
            variance = sum((c * m[1][i] for c, m in zip(counts, moments, strict=True)), Fraction(0))
            reach = isqrt(int(variance * bits * 7) // 5) + 8  # beyond which exp(-reach^2/2 variance) is 2^-bits
            most = sum(c * max(p[i] for p in base) for c, base in zip(counts, self.plane.laws, strict=True))
            ends.append((max(0, int(mean) - reach), min(most, int(mean) + reach) + 1))
        return ends[0], ends[1]

    def power(self, x: int, count: int) -> Rectangle:
        """The law of the total of `count` >= 1 users of law x."""
        if (x, count) not in self.powers:
            counts = tuple(count if k == x else 0 for k in range(len(self.plane.laws)))
            if count == 1:
                made = self._one(x)
            else:
                low = count & -count
                parts = (low // 2, low // 2) if low == count else (count - low, low)
                made = self.power(x, parts[0]).plus(self.power(x, parts[1]), *self.extent(counts))
            self.powers[x, count] = made
        return self.powers[x, count]

    def sum(self, counts: Composition) -> Rectangle:
        """The law of the total of these users."""
        found, have = None, (0,) * len(counts)
        for x in sorted((x for x, count in enumerate(counts) if count), key=counts.__getitem__):
            have = (*have[:x], counts[x], *have[x + 1 :])
            power = self.power(x, counts[x])
            found = power if found is None else found.plus(power, *self.extent(have))
        return Rectangle((0, 0), 1, 1, b"\xff" * self.size, self.size) if found is None else found

    def _one(self, x: int) -> Rectangle:
        base, size = self.plane.laws[x], self.size
        unit = sum(base.values())
        width, height = (max(point[i] for point in base) + 1 for i in (0, 1))
        weights = [base.get((i, j), 0) * (256**size - 1) // unit for j in range(height) for i in range(width)]
        return Rectangle((0, 0), width, height, b"".join(w.to_bytes(size, "little") for w in weights), size)

    def each(self, wanted: Sequence[Composition]) -> Iterator[tuple[Composition, Rectangle]]:
        """The law of the total of these others, one after the other; a half of them shares what it can."""
        stack: list[tuple[list[Composition], Composition, Rectangle]]
        stack = [(sorted(set(wanted)), (0,) * len(self.plane.laws), self.sum(()))] if wanted else []
        while stack:
            some, have, law = stack.pop()
            least = tuple(map(min, zip(*some, strict=True)))
            more = tuple(b - a for a, b in zip(have, least, strict=True))
            if any(more):
                law = self.sum(more).plus(law, *self.extent(least)) if any(have) else self.sum(more)
            if len(some) == 1:
                yield some[0], law
            else:
                half = len(some) // 2
                stack += [(some[half:], least, law), (some[:half], least, law)]


@dataclass(frozen=True)
class Views:
    """The shuffled views of others with this law of their total, and a user on each input."""

    plane: Plane
    law: Rectangle

    def ends(self, pairs: Sequence[tuple[int, int]], eps: Eps) -> tuple[Fraction, Fraction, tuple[int, int]]:
        """(low, high, pair): ends around the largest delta(eps) over some pairs of inputs, and the pair of the lower.

        As `verify.reduce.compositions.Views.ends` has it, with t <= e^eps <= T and what is missing of the total.
        """
        whole = 1 << 8 * self.law.size
        (t, T), lost = eps.bounds(8 * self.law.size), Fraction(self.law.missing, whole)
        t = Fraction(t * (1 << 64) // 1, 1 << 64)  # fewer bits: a wider cell costs more than they gain
        best, pair = max((self._excess(a, b, t), (a, b)) for a, b in pairs)
        return max(best - (T - t) - T * lost, Fraction(0)), min(best + lost, Fraction(1)), pair

    def _excess(self, a: int, b: int, power: Fraction) -> Fraction:
        """sum max(P' - power Q', 0) with a user on a and on b: all cells at once, each with a bit for its sign."""
        rows, top, bottom, law = self.plane.rows, power.numerator, power.denominator, self.law
        points = rows[a].keys() | rows[b].keys()
        weight = {point: rows[a].get(point, 0) * bottom - rows[b].get(point, 0) * top for point in points}
        if all(w <= 0 for w in weight.values()):
            return Fraction(0)
        left, up = (min(point[i] for point in points) for i in (0, 1))
        stride = law.width + max(point[0] for point in points) - left
        height = law.height + max(point[1] for point in points) - up
        most = sum(map(abs, weight.values())).bit_length() + 8 * law.size
        wide = (most + (stride * height).bit_length()) // 8 + 2
        cell, packed = 8 * wide, _spread(law, stride, law.height, wide)
        gain, loss = fmpz(0), fmpz(0)
        for (u, v), w in weight.items():
            moved = (packed * abs(w)) << (cell * ((v - up) * stride + u - left))
            gain, loss = (gain + moved, loss) if w > 0 else (gain, loss + moved)
        ones = fmpz(int.from_bytes((1).to_bytes(wide, "little") * (stride * height), "little"))
        signed = gain + (ones << (cell - 1)) - loss  # the highest bit of a cell tells that it is not below 0
        signs = (signed >> (cell - 1)) & ones
        positive = signed & ((signs << (cell - 1)) - signs)
        return Fraction(_total(positive, cell), bottom * self.plane.unit << 8 * law.size)
