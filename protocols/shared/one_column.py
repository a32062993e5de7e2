"""One column of bits: what `rr` shows, for every dataset of the others, as sharp at 10^-10000 as at 1/2.

Of N others, m hold a 1 before flipping. The column's number of ones, with the user who changes on 1 (P) or on 0 (Q), is

    P_m = G_m + Ber(1 - flip),   Q_m = G_m + Ber(flip),   G_m = Bin(m, 1 - flip) + Bin(N - m, flip).

Two facts are used throughout.

Reversal: c -> N + 1 - c takes (Q_m, P_m) to (P_(N-m), Q_(N-m)), so one direction for all m is both.
Dropping users: whoever sees (P, Q) with fewer others may add the missing ones himself, which is post-processing; so
the pair of m ones and z zeros is dominated by that of m' <= m ones and z' <= z zeros.

Tilting. With G = Bin(m, 1 - flip) + Bin(z, flip) for m of the others on 1 and z on 0, a = 1 - flip - e^eps flip and
b = e^eps (1 - flip) - flip, the divergence is

    delta(eps) = sum over k of max(h(k), 0),   h(k) = a G(k - 1) - b G(k).

Let r > 0 be rational, A = flip + (1 - flip) r, B = 1 - flip + flip r, and T = Bin(m, (1 - flip) r / A) +
Bin(z, flip r / B). Then G(k) = A^m B^z r^-k T(k), as generating functions say at once, so that h(k) = A^m B^z r^-k
g(k), g(k) = a r T(k - 1) - b T(k). For r near b / a the event h > 0 begins next to the mode of T, however unlikely it
is in G.

One sign. G is a law of independent bits with chances in (0, 1), hence log-concave with G(0), ..., G(m + z) > 0: h(k) <=
0 implies h(j) <= 0 for all j < k, and h(k) >= 0 implies h(j) >= 0 for j > k. So for every t with h(t - 1) <= 0

    delta(eps) = A^m B^z r^-t (sum over k >= t of r^-(k - t) max(g(k), 0)).

All m at once. For the law T of some users let

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
from functools import cached_property, partial
from itertools import pairwise
from math import ceil, floor
from operator import mul

from flint import arb, fmpz, fmpz_poly

from shufflecert.protocols.shared.counts import tail_event
from shufflecert.verify.bound.columns import Column
from shufflecert.verify.enclose.interval import NEGLIGIBLE, Ends, Interval, refine
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Law, bernoulli, binomial, plus
from shufflecert.verify.exact.rational import DIGITS, ball, dyadic, precision
from shufflecert.verify.pairs.windowed import sum_window
from shufflecert.verify.reduce.reduction import Family, NamedPair, Threshold

MOST_EXACT = 300_000  # others up to which every m that may be the worst is found
MOST_SCREENED = 20_000_000  # others up to which they are to CLOSE, in a minute
CLOSE = Fraction(1, 10**4)  # by which the largest may be larger than what is found
EIGHTHS, SOME = 8, 10_000
MANTISSA = 32  # bits of the tilt
BITS, MOST_BITS = 96, 1 << 12
BLOCK, LEAVES = 1 << 18, 16  # m of one window; m that are told apart one by one
UNIT = 64  # bits to which the values of m are compared


# One dataset's column, tilted to its event ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Tilted:
    """The laws tilted by `tilt` >= 1, and bounds on 2^bits a r and on 2^bits b, of the module's text, for one eps."""

    flip: Fraction
    tilt: Fraction
    more: tuple[int, int]
    less: tuple[int, int]
    bits: int

    @property
    def heads(self) -> tuple[Fraction, Fraction]:
        """A and B."""
        return self.flip + (1 - self.flip) * self.tilt, 1 - self.flip + self.flip * self.tilt

    def noises(self, ones: int, zeros: int) -> tuple[Binomial, Binomial]:
        """The two laws of which T is the sum, for so many others on 1 and on 0."""
        one, zero = self.heads
        return Binomial(ones, (1 - self.flip) * self.tilt / one), Binomial(zeros, self.flip * self.tilt / zero)

    def window(self, ones: int, zeros: int) -> Window:
        """T on a window, with bounds on it that hold at every one of its points."""
        laws = tuple(law for law in self.noises(ones, zeros) if law.n)
        if laws:
            return sum_window(laws, self.bits)
        one = [fmpz(1) << self.bits]
        return Window(0, one, one, 0, self.bits, True, True)

    def weight(self, ones: int, zeros: int, start: int) -> arb:
        """A^ones B^zeros r^-start, at the precision in force."""
        one, zero = self.heads
        return (ones * ball(one).log() + zeros * ball(zero).log() - start * ball(self.tilt).log()).exp()


def tilted(flip: Fraction, eps: Eps, bits: int) -> Tilted | None:
    """The tilt for 0 < flip < 1/2 and this eps; None where so many bits do not show that a > 0."""
    low, high = eps.bounds(bits)
    more = 1 - flip - high * flip, 1 - flip - low * flip
    less = low * (1 - flip) - flip, high * (1 - flip) - flip
    if more[0] <= 0:
        return None
    ratio = max(less[0] / more[0], Fraction(1))
    shift = MANTISSA + ratio.denominator.bit_length() - ratio.numerator.bit_length()
    tilt = max(Fraction(floor(ratio * Fraction(2) ** shift)) / Fraction(2) ** shift, Fraction(1))
    scale = Fraction(1 << bits)
    rises = floor(more[0] * tilt * scale), ceil(more[1] * tilt * scale)
    return Tilted(flip, tilt, rises, (floor(less[0] * scale), ceil(less[1] * scale)), bits)


def column_ends(flip: Fraction, ones: int, zeros: int, eps: Eps, bits: int) -> Ends:
    """Rational ends around delta(eps) for so many others on 1 and on 0, 0 < flip < 1/2."""
    at = tilted(flip, eps, bits)
    if at is None:  # delta(eps) <= a
        return Fraction(0), max(1 - flip - eps.bounds(bits)[0] * flip, Fraction(0))
    window = at.window(ones, zeros)
    start = first_rise(at, window)
    if start is None:
        return Fraction(0), Fraction(1)
    low, high = _sums(at, window, start)
    with precision(bits + 64 + (ones + zeros).bit_length()):
        weight = at.weight(ones, zeros, start) / arb(2) ** bits
        least, most = weight * low, weight * high
        if most < arb(2) ** -NEGLIGIBLE:
            return Fraction(0), Fraction(1, 1 << NEGLIGIBLE)
        return max(dyadic(least.lower()), Fraction(0)), min(dyadic(most.upper()), Fraction(1))


def first_count(flip: Fraction, ones: int, zeros: int, eps: Eps, bits: int = 256) -> int | None:
    """About the first number of ones with P > e^eps Q, none being below it; None where so many bits do not tell."""
    at = tilted(flip, eps, bits)
    return None if at is None else first_rise(at, at.window(ones, zeros))


def first_rise(at: Tilted, window: Window) -> int | None:
    """The largest t near the mode of T for which the window shows h(t - 1) <= 0; None where it shows none."""
    peak = max(range(len(window.low)), key=window.low.__getitem__) if window.low else 0
    k = window.first + peak
    while not (shown := _falls(at, window, k)) and k > window.first:
        k -= 1
    if not shown:
        return window.first if window.begins else None
    while k < window.first + len(window.low) and _falls(at, window, k + 1):
        k += 1
    return k + 1


def _falls(at: Tilted, window: Window, k: int) -> bool:
    """Whether the window shows that h(k) <= 0."""
    before, i = (window.outside, 0)[window.begins], k - window.first
    high = window.high[i - 1] if 0 < i <= len(window.high) else (before if i <= 0 else window.outside)
    return at.more[1] * int(high) <= at.less[0] * (int(window.low[i]) if 0 <= i < len(window.low) else 0)


def _sums(at: Tilted, window: Window, start: int) -> tuple[int, int]:
    """Bounds on 2^bits times the sum over k >= start of r^-(k - start) max(g(k), 0).

    What follows the last k of the sum, j, is at most r^-(j + 1 - start) a r times T's mass from j on.
    """
    bits, end = at.bits, window.first + len(window.low) + 1
    top, bottom = at.tilt.as_integer_ratio()
    last, mass = end, window.outside
    if at.tilt >= 2:  # no more terms than count
        last = min(end, start + 2 + bits // (at.tilt.numerator // at.tilt.denominator).bit_length() * 2)
        mass = window.outside if last == end else 1 << bits
    whole, skip = window.on(window.first - 1, end), start - window.first
    lows, highs = ([int(w) for w in law[skip : skip + last - start + 2]] for law in whole)
    low, high = 0, -(-at.more[1] * mass >> bits)
    for i in range(len(lows) - 1, 0, -1):
        low = low * bottom // top + max((at.more[0] * lows[i - 1] - at.less[1] * highs[i]) >> bits, 0)
        high = -(-high * bottom // top) + max(-((at.less[0] * lows[i] - at.more[1] * highs[i - 1]) >> bits), 0)
    return low, high


# The screen of all m -------------------------------------------------------------------------------------------------


def screened(
    flip: Fraction,
    others: int,
    eps: Eps,
    attained: Fraction,
    enough: Fraction = Fraction(0),
    close: Fraction = Fraction(0),
) -> list[int]:
    """All m whose delta(eps) may be the largest and above `enough`, for 0 < flip < 1/2 and eps below the local one.

    `attained` > 0 is a lower bound on the largest. All m in [l, h) are dominated by l users on 1 and N + 1 - h on 0, so
    that nodes are passed over first, then single m. What is left out is at most `enough`, or at most 1 + `close` times
    the largest of `attained` and what is listed.
    """
    bits = BITS
    while (at := tilted(flip, eps, bits)) is None and bits < MOST_BITS:
        bits *= 2
    if at is None:
        return list(range(others + 1))
    unit = max(attained * (1 + close), enough) / (1 << UNIT)
    screen = Screen(at, others, unit, ceil(enough / unit), floor(attained / unit), 1 + close)
    found = list(screen.kept())
    return sorted(m for m, high in found if high >= max(screen.enough, screen.best))


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
    enough: int = 0
    best: int = 0  # a lower bound on the largest; it rises
    grown: Fraction = Fraction(1)  # times the best: what is no larger is left out
    powers: dict[tuple[int, bool], Window] = field(default_factory=dict)
    reaches: dict[int, int] = field(default_factory=dict)
    small: dict[int, list[list[int]]] = field(default_factory=dict)

    def kept(self) -> Iterator[tuple[int, int]]:
        """(m, an upper bound on delta(eps)) for all m that may be the largest."""
        for m, low, high in self.values(0, self.others + 1):
            if high >= self.least:
                self.best = max(self.best, low)  # of those listed only: nobody else's is passed on
                yield m, high

    @property
    def least(self) -> int:
        """What is less is left out."""
        return max(self.enough, floor(self.best * self.grown))

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


# The family of all m -------------------------------------------------------------------------------------------------


def changed(flip: Fraction) -> Column:
    """A column in which the user who changes goes from the truth to its opposite, and the others have either bit."""
    return Column(1 - flip, flip, 1 - flip, flip)


def exact_laws(flip: Fraction, others: int) -> tuple[list[Law[int]], list[Law[int]]]:
    """The laws P_m and Q_m of the module's text for m = 0..others, exactly."""
    true, false = bernoulli(1 - flip), bernoulli(flip)
    rest = [plus(binomial(m, 1 - flip), binomial(others - m, flip)) for m in range(others + 1)]
    return [plus(law, true) for law in rest], [plus(law, false) for law in rest]


@dataclass(frozen=True)
class AllColumns(Family):
    """The pairs of all m = 0..others: a family whose worst is found by screening, to CLOSE beyond 300000."""

    flip: Fraction
    others: int
    names: tuple[str, str] = ("1", "0")  # of the inputs of P and of Q
    others_off: str | None = None  # of the others' input that is not on 1, where it is not that of Q

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """The largest delta(eps) over all m, the m that attains it, and how many m were looked at: all.

        Raises TooMuchWork for more than MOST_SCREENED others.
        """
        known = self._constant(eps)
        if known is not None:
            return known, self.named(0), 1
        if self.others > MOST_SCREENED:
            more = "what fewer users have is an upper bound, and --others asks about one composition of the others"
            raise TooMuchWork(f"n: {self.others + 1} users, one bit each: too many to bound all datasets; {more}")
        for most in sorted({min(SOME, self.others), self.others}) if enough else ():
            if all(high <= enough for high in self._dominating(eps, most, enough)):
                return Interval(Fraction(0), enough), None, self.others + 1
        some = (0, self.others // 2, self.others)
        looked = {m: self._value(m, self.others - m, eps, 8, enough=enough).low for m in some}
        first = max(looked, key=looked.__getitem__)
        attained, close = looked[first], CLOSE if self.others > MOST_EXACT else Fraction(0)
        if not attained:
            return Interval(attained, max(self._dominating(eps, self.others, enough))), None, self.others + 1
        survivors = screened(self.flip, self.others, eps, attained, enough, close)
        if attained * (1 + close) > enough and first not in survivors:
            survivors.append(first)
        if not survivors:
            return Interval(attained, enough), None, self.others + 1
        values = {m: self.value(m, eps, digits) for m in survivors}
        best = max(values, key=lambda m: values[m].low)
        high = max(value.high for value in values.values()) * (1 + close)
        return Interval(values[best].low, max(enough, high)), self.named(best), self.others + 1

    def _dominating(self, eps: Eps, most: int, enough: Fraction) -> Iterator[Fraction]:
        """What the pairs have that dominate eighths of all m: without a screen.

        They have `most` ones and zeros at most: others are dropped.
        """
        ends = [self.others * i // EIGHTHS for i in range(EIGHTHS + 1)]
        for low, high in pairwise(ends):
            yield self._value(min(low, most), min(self.others - high, most), eps, 2, enough=enough).high

    def _constant(self, eps: Eps) -> Interval | None:
        """delta where no sum is needed: 1 for flip = 0, which shows the bit; 0 for eps of at least the local eps."""
        if self.flip == 0:
            return Interval(Fraction(1), Fraction(1))
        return Interval(Fraction(0), Fraction(0)) if Eps.log(1 / self.flip - 1) <= eps else None

    def value(self, m: int, eps: Eps, digits: int = DIGITS) -> Interval:
        """The divergence delta(eps) where m of the others are on 1."""
        return self._value(m, self.others - m, eps, digits)

    def _value(self, ones: int, zeros: int, eps: Eps, digits: int, enough: Fraction = Fraction(0)) -> Interval:
        if (known := self._constant(eps)) is not None:
            return known
        return refine(
            partial(column_ends, self.flip, ones, zeros, eps), digits, first_bits=64 + 4 * digits, enough=enough
        )

    def named(self, m: int) -> NamedPair:
        """The pair of datasets where m of the others are on 1."""
        (one, zero), pair = self.names, changed(self.flip).pair(m, self.others - m)
        held = {one: m, self.others_off or zero: self.others - m}
        return NamedPair(pair, one, zero, {x: count for x, count in held.items() if count}, partial(self._event, m))

    def _event(self, m: int, eps: Eps, bound: Fraction) -> Threshold:
        """The event {so many ones or more}, on which P > e^eps Q."""
        count = None if self._constant(eps) else first_count(self.flip, m, self.others - m, eps)
        one = self.names[0]
        if count is None:
            return tail_event(changed(self.flip).pair(m, self.others - m), one)(eps, bound)
        return Threshold({one: 1}, count - 1)

    def infinity_mass(self) -> Fraction:
        """A lower bound on the largest P(Q = 0): 1 without flips, else 0."""
        return Fraction(int(self.flip == 0))
