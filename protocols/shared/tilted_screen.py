"""Which numbers m of N others on 1 may make a column of bits the worst: all m at once, in integers rounded outwards.

tilted_column.py has the names r, A, B, T, g and what is used of them. For the law T of some users let

    s(u) = sum over k >= u of r^-(k - u) g(k),

which lies between -b and a r, as T has mass 1. Its convolution with the tilted law K of further users is that of all:
s'(u) = sum over j of K(j) s(u - j). So the s of all m come by divide and conquer: a node for l <= m < h holds s, at the
places that count, of l users on 1 and N + 1 - h on 0, whom they share, and goes on to its halves by a product of
polynomials. The places are those within a reach of the mean of T, since the event of m begins next to its mean.

Numbers are integers in units of 2^-BITS, and one error bounds that of all numbers of a level: a product adds at most
M times what K's window is off by and leaves out, M >= |s|, and 1 for rounding.

At a leaf, with t the integer below T's mean: where s(t) <= s(t + 1) / r, h(t) <= 0, and where s(t + 2) >= s(t + 3) / r,
h(t + 2) >= 0, so that delta(eps) = A^m B^(N-m) r^-(t + 1) max(s(t + 1), s(t + 2) / r). An m of which that is not shown
is kept.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from math import ceil, floor
from operator import mul

from flint import arb, fmpz, fmpz_poly

from shufflecert.protocols.shared.tilted_column import Tilted, column_ends, tilted
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.enclose.window import Window
from shufflecert.verify.exact.ball import ball, dyadic, precision
from shufflecert.verify.exact.epsilon import Eps

BITS, MOST_BITS = 96, 1 << 12
BLOCK, LEAVES = 1024, 16  # m of one window; m that are told apart one by one
BOXES = 32  # in which all m are bounded first
UNIT = 64  # bits to which the values of m are compared


def screened(flip: Fraction, others: int, eps: Eps, attained: Fraction, enough: Fraction = Fraction(0)) -> list[int]:
    """All m whose delta(eps) may be the largest and above `enough`, for 0 < flip < 1/2 and eps below the local one.

    `attained` > 0 is a lower bound on the largest. All m in [l, h) are dominated by l users on 1 and N + 1 - h on 0, so
    that boxes are passed over first, then nodes, then single m.
    """
    bits = BITS
    while (at := tilted(flip, eps, bits)) is None and bits < MOST_BITS:
        bits *= 2
    if at is None:
        return list(range(others + 1))
    boxes, at_least = [(Fraction(1), 0, others + 1)], max(attained, enough)
    while 0 < len(boxes) < BOXES and boxes[0][2] - boxes[0][1] > BLOCK:  # all are about as long
        ends = [(low, (low + high) // 2, high) for _, low, high in boxes]
        halves = [half for low, middle, high in ends for half in ((low, middle), (middle, high))]
        bounds = [(column_ends(flip, low, others + 1 - high, eps, BITS)[1], low, high) for low, high in halves]
        boxes = [box for box in bounds if box[0] >= at_least]
    unit = at_least / (1 << UNIT)
    screen = Screen(at, others, unit, ceil(enough / unit))
    found = [(m, high) for _, start, end in sorted(boxes, reverse=True) for m, high in screen.kept(start, end)]
    return sorted(m for m, high in found if high >= screen.least)


@dataclass(frozen=True)
class _Node:
    """s for all m from `low` to before `high`: `values` from the place `first` on, each off by at most `error`."""

    low: int
    high: int
    first: int
    values: list[int]
    error: int


@dataclass
class Screen:
    """The screen of all m = 0..others at one tilt; values are in multiples of `unit`."""

    at: Tilted
    others: int
    unit: Fraction
    least: int = 0  # a lower bound on the largest; it rises
    powers: dict[tuple[int, bool], Window] = field(default_factory=dict)
    reaches: dict[int, int] = field(default_factory=dict)
    small: dict[int, list[list[int]]] = field(default_factory=dict)

    def kept(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        """(m, an upper bound on delta(eps)) for all m in [start, end) that may be the largest."""
        for m, low, high in self.values(start, end):
            self.least = max(self.least, low)
            if high >= self.least:
                yield m, high

    def values(self, start: int, end: int) -> Iterator[tuple[int, int, int]]:
        """(m, low, high), bounds on delta(eps), for the m in [start, end) whose node does not show it to be less."""
        count = -(-(end - start) // BLOCK)
        ends = [start + (end - start) * i // count for i in range(count + 1)]
        stack = [self._block(low, high) for low, high in pairwise(ends)]
        while stack:
            node = stack.pop()
            if self._less(node):
                continue
            if node.high - node.low <= LEAVES:
                yield from self._leaves(node)
                continue
            middle = (node.low + node.high) // 2
            stack.append(self._product(node, middle, node.high, Binomial(middle - node.low, self._chances[0])))
            stack.append(self._product(node, node.low, middle, Binomial(node.high - middle, self._chances[1])))

    def _less(self, node: _Node) -> bool:
        """Whether the pair of the users whom all m share, which dominates theirs, is below the largest."""
        place = self._mean(node.low, node.high)
        best = self._best(node.values[place - node.first : place - node.first + 4], node.error)
        if best is None:
            return False
        _, most = self._scaled(node.low, self.others + 1 - node.high, place)
        return -(-best[1] * most >> 2 * self.at.bits) < self.least

    def _best(self, seen: list[int], error: int) -> tuple[int, int] | None:
        """Bounds on max(s(t + 1), s(t + 2) / r) of s(t), ..., s(t + 3), where these show it to be what counts."""
        top, bottom = self.at.tilt.as_integer_ratio()
        if (seen[0] + error) * top > (seen[1] - error) * bottom or (seen[2] - error) * top < (seen[3] + error) * bottom:
            return None
        low = max((seen[1] - error) * top, (seen[2] - error) * bottom) // top
        return max(low, 0), -(-max((seen[1] + error) * top, (seen[2] + error) * bottom) // top)

    def _scaled(self, ones: int, zeros: int, place: int) -> tuple[int, int]:
        """Bounds on 2^bits A^ones B^zeros r^-(place + 1) in multiples of the unit."""
        with precision(self.at.bits + 64 + self.others.bit_length()):
            scale = self.at.weight(ones, zeros, place + 1) * self._units
            return (floor(dyadic(scale.lower())), ceil(dyadic(scale.upper()))) if scale.upper() > 1 else (0, 1)

    @cached_property
    def _units(self) -> arb:
        with precision(self.at.bits + 64):
            return ball(1 / self.unit) * arb(2) ** self.at.bits

    @cached_property
    def _chances(self) -> tuple[Fraction, Fraction]:
        return tuple(law.p for law in self.at.noises(1, 1))  # type: ignore[return-value]

    @cached_property
    def _greatest(self) -> int:
        """An integer M >= |s|."""
        return -(-max(self.at.more[1], self.at.less[1]) >> self.at.bits)

    @cached_property
    def _means(self) -> tuple[int, int, int]:
        (one, of), (zero, whole) = (chance.as_integer_ratio() for chance in self._chances)
        return one * whole, zero * of, of * whole

    def _mean(self, low: int, high: int) -> int:
        """The integer below the mean of T for l users on 1 and N + 1 - h on 0."""
        one, zero, whole = self._means
        return (low * one + (self.others + 1 - high) * zero) // whole

    def _power(self, law: Binomial) -> Window:
        key = law.n, law.p == self._chances[0]
        if key not in self.powers:
            self.powers[key] = Window.of(law, self.at.bits)
        return self.powers[key]

    def _reach(self, size: int) -> int:
        """How far from its mean the places of a node of so many m count."""
        if size <= LEAVES:
            return size + 4
        if size not in self.reaches:
            ends = [0]
            for part, left in ((size // 2, size - size // 2), (size - size // 2, size // 2)):
                for chance in self._chances:
                    law = Binomial(left, chance)
                    window = self._power(law)
                    far = max(window.first + len(window.low) - law.mean, law.mean - window.first)
                    ends.append(self._reach(part) + ceil(far) + 2)
            self.reaches[size] = max(ends)
        return self.reaches[size]

    def _block(self, low: int, high: int) -> _Node:
        """A node by a window of its users' law, from its last point downwards."""
        at, window = self.at, self.at.window(low, self.others + 1 - high)
        middle, reach = self._mean(low, high), self._reach(high - low)
        first, last = middle - reach, middle + reach
        top, bottom = at.tilt.as_integer_ratio()
        begin, end = min(first - 1, window.first), max(last, window.first + len(window.low))
        lows, highs = (list(map(int, law)) for law in window.on(begin, end))
        # beyond the end there is only what the window leaves out
        rest = -(-self._greatest * window.outside) + 1
        least, most, error, values = -rest, rest, 0, list[int]()
        for i in range(end - begin, first - begin - 1, -1):
            least = least * bottom // top + (at.more[0] * lows[i - 1] - at.less[1] * highs[i] >> at.bits)
            most = -(-most * bottom // top) - (at.less[0] * lows[i] - at.more[1] * highs[i - 1] >> at.bits)
            if i <= last - begin:
                values.append(least)
                error = max(error, most - least)
        return _Node(low, high, first, values[::-1], error)

    def _product(self, node: _Node, low: int, high: int, more: Binomial) -> _Node:
        """The node of some of a node's m, who share users `more`."""
        window = self._power(more)
        middle, reach = self._mean(low, high), self._reach(high - low)
        first, last = middle - reach, middle + reach
        shift = node.first + window.first  # of the product's first coefficient
        assert shift + len(window.low) - 1 <= first and last <= node.first + len(node.values) - 1 + window.first
        product = (fmpz_poly(node.values) * fmpz_poly(list(window.low))).coeffs()
        product += [fmpz(0)] * (last - shift + 1 - len(product))
        values = [int(c >> self.at.bits) for c in product[first - shift : last - shift + 1]]
        off = int(sum(window.high, fmpz(0)) - sum(window.low, fmpz(0))) + window.outside
        return _Node(low, high, first, values, node.error + self._greatest * off + 1)

    def _leaves(self, node: _Node) -> Iterator[tuple[int, int, int]]:
        bits, size = self.at.bits, node.high - node.low
        error, base = node.error + self._greatest * size + 1, self._mean(node.low, node.high)
        least, most = self._scaled(node.low, self.others - node.low, base)
        for i, law in enumerate(self._laws(size)):
            m = node.low + i
            place = self._mean(m, m + 1)
            begin = place - node.first - size + 1
            seen = [sum(map(mul, law, node.values[begin + d : begin + d + size])) >> bits for d in range(4)]
            best = self._best(seen, error)
            less, more = self._weights[i][place - base]
            if best is None:
                yield m, 0, 1 << 4 * bits
            else:
                yield m, best[0] * least * less >> 3 * bits, -(-best[1] * most * more >> 3 * bits)

    def _laws(self, size: int) -> list[list[int]]:
        """The laws K of i users on 1 and size - 1 - i on 0, from the last place to the first; off by 1 each."""
        if size not in self.small:
            self.small[size] = [self._small_law(i, size - 1 - i) for i in range(size)]
        return self.small[size]

    def _small_law(self, ones: int, zeros: int) -> list[int]:
        """Rounded down from the exact law."""
        one, zero = ((fmpz_poly([p.denominator - p.numerator, p.numerator]), p.denominator) for p in self._chances)
        law, whole = one[0] ** ones * zero[0] ** zeros, one[1] ** ones * zero[1] ** zeros
        return [int(law[j] << self.at.bits) // whole for j in range(ones + zeros, -1, -1)]

    @cached_property
    def _weights(self) -> list[list[tuple[int, int]]]:
        """Bounds on 2^bits (A/B)^i r^-d for i, d = 0..LEAVES."""
        one, zero = self.at.heads
        exact = (
            (((one / zero) ** i / self.at.tilt**d) * (1 << self.at.bits) for d in range(LEAVES + 1))
            for i in range(LEAVES)
        )
        return [[(floor(x), ceil(x)) for x in row] for row in exact]
