"""Powers and products of pairs of laws on a lattice of ratios: delta(eps) of many runs, between two certain ends.

The ratio P/Q of an outcome at place j of the lattice is step^j. Both ends are post-processings:

    above   An atom (p, q), step^j <= p/q <= step^(j+1), is split between the places j and j+1 so that the totals p and
            q stay: merging the two gives it back. At a place only P's weight is kept; it may be rounded up, and moved
            to larger ratios, also to infinity (q = 0).
    below   An atom goes to j or to j+1 by a random choice, the same for P and Q. P's weights are kept from below, Q's
            from above; what is left out is no part of the event.

A product of pairs is a convolution of such arrays, rounded outwards. Where they get longer than `cells` (and a third),
step becomes step^2: above, odd places are split again, 1/(step + 1) of their P weight down and the rest up; below, they
go either way with probability 1/2. Weights are tilted, by tilt^j, so that those that decide are the large ones. The
width falls as cells^-2. `verify/CERTIFICATE.md` (Compositions) proves it, and the kernel walks the same steps.

Words. A weight is at most 2^53, as a number of 64 bits; a product's cell is a sum of at most 2^21 products of two, of
which one cell alone is above 2^52: below 2^128. Arrays are multiplied as integers with 128 bits a cell.

The last product is not multiplied out. With the weights a_i and b_j of two factors, J the first place that counts and
T = tilt,

    sum over i + j >= J of a_i b_j T^-(i + j) = T^-J sum over i of a_i s(J - i),

where s(m), the sum over j >= m of b_j T^(m - j), is b_m + s(m + 1) / T: found from the last place down.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from operator import mul
from typing import Any

from flint import fmpz

from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.lattice_guess import Grid, Part, alike, guessed, more_cells, place
from shufflecert.verify.pairs.windowed import Atoms, AtomsAt
from shufflecert.verify.runs.later import Later

np: Any = Later("numpy")
Power = tuple[int, int]  # m, e: the number m 2^e
Words = Any  # an array of uint64

WORD = 52  # bits of a weight
CUT, SHARP, LONG = 46, 128, 64  # bits of what is cut off at the ends, of powers, of those of a sum
ROOM = 37  # bits below the answer, of what all runs may move to infinity at each step
FEWEST, MOST = 1 << 9, 1 << 20  # cells that are tried
HARDLY = Fraction(9, 10)  # of a width that is left, where more cells do not help
RARE = 4  # of the room of a run: for outcomes that no place is looked for
MANY = 1 << 15  # atoms, of which from below those that are alike are taken together
KEPT = 1 << 22  # cells of powers that a search for an eps asks for again
SHARE = 1 << 16  # parts of a random choice
BLOCKS, TABLE = 1 << 9, 6  # of cells that are cut off together; bits of an exponent for which powers are kept
HALF = WORD // 2


@dataclass(frozen=True)
class Array:
    """A pair on the lattice after `level` doublings of its step, from place `first` on.

    P = p[i] tilt^-(2^level j) 2^-e from above and `beyond` 2^-width of it at infinity; or with q from below, and Q =
    q[i] (tilt step)^-(2^level j) 2^-f from above, j = first + i.
    """

    level: int
    first: int
    p: Words
    e: int
    beyond: int
    q: Words | None = None
    f: int = 0
    runs: int = 1

    @cached_property
    def packed(self) -> tuple[fmpz, fmpz | None]:
        """The arrays as large integers, 128 bits a cell."""
        return _packed(self.p), None if self.q is None else _packed(self.q)


def delta(parts: Sequence[Part], eps: Eps, grid: Grid, upper: bool, size: Fraction) -> Fraction:
    """delta(eps) of the product of all pairs, each so many times, from above or from below, by this lattice.

    `size` is about as large as the answer, for its bits.
    """
    small = max(size.denominator.bit_length() - max(size.numerator, 1).bit_length(), 0)
    work, one, two = _factors(tuple(parts), grid, upper, -(-small // 8) * 8)
    return Fraction(min(max(work.delta(one, two, eps), 0), 1 << work.width), 1 << work.width)


def enclosed(
    parts: Sequence[Part],
    eps: Eps,
    digits: int,
    cells: int = MOST,
    enough: Fraction = Fraction(0),
    beyond: Fraction = Fraction(1),
    below: Sequence[Part] = (),
) -> Interval:
    """delta(eps) of the product, to so many significant digits where that many cells are enough.

    What is at most `enough`, or more than `beyond`, may be enclosed widely. The lower end is of the pairs `below`,
    where these are given.
    """

    def closer(known: Interval, grid: Grid, size: Fraction) -> Interval:
        low = max(known.low, delta(below or parts, eps, grid, False, known.low or size))
        return Interval(low, max(min(known.high, delta(parts, eps, grid, True, low or size)), low))

    known, count, steeply = Interval(Fraction(0), Fraction(1)), FEWEST, False
    while True:
        plan = guessed(parts, eps, count, steeply)
        before, known = known, closer(known, *plan)
        if count == FEWEST and (steep := guessed(parts, eps, count, True)) != plan:
            gently, known = known, closer(known, *steep)
            steeply = 2 * (known.high - known.low) < gently.high - gently.low
        close = (width := known.high - known.low) * 10**digits <= known.low
        if close or count >= cells or known.high <= enough or known.low > beyond:
            return known
        if before.low and width > HARDLY * (before.high - before.low):
            return known
        count = min(more_cells(known, digits, count), cells)


def _factors(parts: tuple[Part, ...], grid: Grid, upper: bool, small: int) -> "tuple[_Lattice, Array, Array]":
    """Two arrays whose product is that of all pairs, for an answer of about 2^-small; the last ones are kept."""
    key = parts, grid, upper, small
    kept = _kept.pop(key, None) or _made(*key)
    _kept[key] = kept
    while len(_kept) > 1 and sum(len(one.p) + len(two.p) for _, one, two in _kept.values()) > KEPT:
        del _kept[next(iter(_kept))]
    return kept


_kept: "dict[tuple[tuple[Part, ...], Grid, bool, int], tuple[_Lattice, Array, Array]]" = {}


def _made(parts: tuple[Part, ...], grid: Grid, upper: bool, small: int) -> "tuple[_Lattice, Array, Array]":
    runs = sum(times for _, times in parts)
    width = WORD + 68 + 2 * small + 2 * runs.bit_length()
    work, found = _Lattice(grid, upper, width, (1 << width - ROOM - small) // runs), list[Array]()
    for pair, times in parts:
        one = work.start(pair.atoms(width) if upper else _gathered(pair, width))  # type: ignore[arg-type]  # each is kept by its identity
        half = work.repeated(one, times // 2) if times > 1 and len(parts) == 1 else None
        if half is None:
            found.append(work.repeated(one, times))
        else:
            found += [half, work.joined(half, one) if times % 2 else half]
    while len(found) > 2:
        found.sort(key=lambda x: (x.level, len(x.p)), reverse=True)
        found.append(work.joined(found.pop(), found.pop()))
    return work, *work.together(*(found if len(found) == 2 else (found[0], work.nothing(found[0].level))))


@lru_cache(maxsize=4)
def _gathered(pair: AtomsAt, bits: int) -> Atoms:
    """The atoms of a pair; of very many, those of about the same privacy loss as one: a post-processing."""
    atoms = pair.atoms(bits)
    if len(atoms.p[0]) <= MANY:
        return atoms
    places = alike(atoms)
    sides = [np.zeros(places.max() + 1, object) for _ in range(4)]
    for side, weights in zip(sides, (*atoms.p, *atoms.q), strict=True):
        np.add.at(side, places, np.array(weights, object))
    p_low, p_high, q_low, q_high = (list(map(fmpz, side)) for side in sides)
    return replace(atoms, p=(p_low, p_high), q=(q_low, q_high))


def nth_power(base: Fraction, n: int, rise: bool) -> Power:
    """base^n for an integer n, rounded up or down."""
    a, b = base.as_integer_ratio()
    a, b = (a, b) if n >= 0 else (b, a)
    shift = SHARP + max(b.bit_length() - a.bit_length(), 0)
    one, total = (-(-(a << shift) // b) if rise else (a << shift) // b, -shift), (1, 0)
    for bit in f"{abs(n):b}":
        total = _times(total, total, rise)
        total = _times(total, one, rise) if bit == "1" else total
    return total


def _times(x: Power, y: Power, rise: bool) -> Power:
    m = x[0] * y[0]
    shift = max(m.bit_length() - SHARP, 0)
    return (-(-m >> shift) if rise else m >> shift), x[1] + y[1] + shift


def _fixed(x: Power, width: int, rise: bool) -> int:
    """x 2^width, rounded up or down to an integer."""
    shift = x[1] + width
    return x[0] << shift if shift >= 0 else -(-x[0] >> -shift) if rise else x[0] >> -shift


@lru_cache(maxsize=64)
def _powers(base: Fraction, rise: bool) -> Callable[[int], Power]:
    """Integer powers of a base, each rounded up, or each down: products of a few. What was asked for is kept."""
    kept = {0: (1, 0)}

    def power(n: int) -> Power:
        if n in kept:
            return kept[n]
        total, rest, unit = None, abs(n), 1 if n > 0 else -1
        while rest:
            if digit := rest & (1 << TABLE) - 1:
                at = digit * unit
                if (one := kept.get(at)) is None:
                    one = kept[at] = nth_power(base, at, rise)
                total = _times(total, one, rise) if total else one
            rest, unit = rest >> TABLE, unit << TABLE
        kept[n] = total or (1, 0)
        return kept[n]

    return power


# Words ---------------------------------------------------------------------------------------------------------------


def _packed(words: Words) -> fmpz:
    spread = np.zeros((len(words), 2), np.uint64)
    spread[:, 0] = words
    return fmpz(int.from_bytes(spread.tobytes(), "little"))


def _u(number: int) -> Any:
    return np.uint64(number)


def _shifted(words: Words, shift: int, rise: bool) -> Words:
    """Words below 2^63 over 2^shift, rounded."""
    if shift >= 63:
        return (words > 0).astype(np.uint64) if rise else np.zeros_like(words)
    return (words + _u((1 << shift) - 1 if rise else 0)) >> _u(shift)


def _unpacked(whole: fmpz, cells: int, rise: bool) -> tuple[Words, int]:
    """Cells of 128 bits as words of WORD bits over a power of two, rounded, and its exponent."""
    both = np.frombuffer(int(whole).to_bytes(16 * cells, "little"), "<u8").reshape(-1, 2)
    low, high = both[:, 0], both[:, 1]
    top = int(high.max())
    shift = max((64 + top.bit_length() if top else int(low.max()).bit_length()) - WORD, 0)
    if not shift:
        return low.copy(), 0
    if shift < 64:
        words, rest = low >> _u(shift), low & _u((1 << shift) - 1)
        if top:
            words |= high << _u(64 - shift)
    else:
        words, rest = high >> _u(shift - 64), low | (high & _u((1 << shift - 64) - 1))
    return words + (rest > 0).astype(np.uint64) if rise else words, shift


def _scaled(words: Words, factor: int, rise: bool) -> Words:
    """Words of at most WORD + 2 bits times factor / 2^WORD, factor below 2^WORD, rounded."""
    low, high = words & _u((1 << HALF) - 1), words >> _u(HALF)
    f_low, f_high = _u(factor & (1 << HALF) - 1), _u(factor >> HALF)
    middle = low * f_high + high * f_low
    rest = ((middle & _u((1 << HALF) - 1)) << _u(HALF)) + low * f_low
    return high * f_high + (middle >> _u(HALF)) + ((rest + _u((1 << WORD) - 1 if rise else 0)) >> _u(WORD))


class _Lattice:
    """The steps of one evaluation, from above or from below."""

    def __init__(self, grid: Grid, upper: bool, width: int, room: int):
        self.grid, self.upper, self.both = grid, upper, grid.tilt * grid.step
        self.width, self.room = width, room  # for each run, over 2^width
        self.down, self.up = _powers(grid.step, False), _powers(grid.step, True)

    def place(self, p: int, q: int) -> int:
        """The least j with p/q <= step^(j + 1) for certain, or about so beyond the cells."""
        cells, step = self.grid.cells, self.grid.step
        j = min(max(place(p, q, step), -cells), cells) - 1
        while j < cells and p > _fixed(_times((q, 0), self.down(j + 1), False), 0, False):
            j += 1
        return j

    def start(self, atoms: Atoms) -> Array:
        """A pair's atoms at places."""
        (a, b), cells = self.grid.step.as_integer_ratio(), self.grid.cells
        shift = self.width - atoms.bits
        beyond = _fixed((atoms.outside[0], 0), shift, True) if self.upper else 0
        found, others = dict[int, int](), dict[int, int]()
        ends = zip(atoms.p[self.upper], atoms.q[not self.upper], strict=True)
        rare = _fixed((self.room // (RARE * len(atoms.p[0]) or 1), -self.width), atoms.bits, False)
        for p, q in ((int(p), int(q)) for p, q in ends if p):
            if p <= rare:
                beyond += _fixed((p, 0), shift, True) if self.upper else 0
                continue
            j = self.place(p, q) if q else cells
            if j >= cells and (self.upper or not q):
                beyond += _fixed((p, 0), shift, self.upper)
                continue
            j = min(j, cells)
            low, high = _fixed(self.down(j), SHARP, False), _fixed(self.up(j), SHARP, True)
            if self.upper:
                above = max(-(-a * ((p << SHARP) - low * q) // (a - b)), 0)
                below = min(max(-(-(a * high * q - (b * p << SHARP)) // (a - b)), 0), p << SHARP)
                for at, weight in ((j, below), (j + 1, above)):
                    found[at] = found.get(at, 0) + weight
            else:
                share = min(max((((p << SHARP) - low * q) * b * SHARE) // max(low * q * (a - b), 1), 0), SHARE)
                for at, part in ((j, SHARE - share), (j + 1, share)):
                    found[at], others[at] = found.get(at, 0) + p * part, others.get(at, 0) + q * part
        places = range(min(found, default=0), max(found, default=0) + 1)
        scale = atoms.bits + (SHARP if self.upper else SHARE.bit_length() - 1)
        p_side, e = self._tilted(found, places, self.grid.tilt, self.upper, scale)
        q_side, f = (None, 0) if self.upper else self._tilted(others, places, self.both, True, scale)
        return self.within(Array(0, places[0], p_side, e, beyond, q_side, f))

    def _tilted(
        self, weights: dict[int, int], places: range, tilt: Fraction, rise: bool, scale: int
    ) -> tuple[Words, int]:
        """Weights over 2^scale at places, tilted and rounded, and the exponent of what they are over."""
        words = np.zeros(len(places), np.uint64)
        power = _powers(tilt, rise)
        terms = {j: _times((weight, 0), power(j), rise) for j, weight in weights.items() if weight}
        shift = WORD + scale - max((m.bit_length() + e for m, e in terms.values()), default=0)
        for j, term in terms.items():
            words[j - places[0]] = _fixed(term, shift - scale, rise)
        return words, shift

    def within(self, x: Array) -> Array:
        """Without small ends, and with at most so many cells."""
        x = self.trimmed(x)
        while len(x.p) > self.grid.cells * 4 // 3:
            x = self.coarser(x)
        return x

    def trimmed(self, x: Array) -> Array:
        """What is small at the ends: raised to the first place that stays, or to infinity; from below left out."""
        firsts, lasts = [], []
        for side in (x.p,) if x.q is None else (x.p, x.q):
            some = np.flatnonzero(side >= _u(max(int(side.max()) >> CUT, 1)))
            firsts.append(int(some[0]) if len(some) else 0)
            lasts.append(int(some[-1]) + 1 if len(some) else 1)
        first, last = min(firsts), max(*lasts, min(firsts) + 1)
        if self.upper:
            last, beyond = self._ended(x, first)
            kept, e = self._begun(x, first, last)
            return replace(x, first=x.first + first, p=kept, e=e, beyond=beyond)
        q = None if x.q is None else x.q[first:last]
        return replace(x, first=x.first + first, p=x.p[first:last], q=q)

    def _ended(self, x: Array, first: int) -> tuple[int, int]:
        """(where the cells end, what is at infinity): as many of the last are moved there as there is room for."""
        tilt, n, last, moved = self.grid.tilt, 1 << x.level, len(x.p), 0
        size = max(last // BLOCKS, 1)
        start = last - size
        weight = nth_power(tilt, -n * (x.first + (start if tilt >= 1 else last - 1)), True)  # the largest of a block
        rise = nth_power(tilt, n * size, True)
        while start > first:
            block = _times((int(x.p[start:last].sum()), 0), weight, True)
            more = moved + _fixed(block, self.width - x.e, True)
            if more > self.room * x.runs:
                break
            moved, last, start, weight = more, start, start - size, _times(weight, rise, True)
        return last, x.beyond + moved

    def _begun(self, x: Array, first: int, last: int) -> tuple[Words, int]:
        """The cells from `first` on, what is before raised to it, at most all of P; and their exponent."""
        kept, raised, end, rise = x.p[first:last].copy(), 0, first, max(self.grid.tilt, Fraction(1))
        size = max(first // BLOCKS, 1)
        step, weight = nth_power(rise, size << x.level, True), (1, 0)
        while end > 0:
            weight, start = _times(weight, step, True), max(end - size, 0)
            raised += _fixed(_times((int(x.p[start:end].sum()), 0), weight, True), 0, True)
            end = start
        raised = min(raised, _fixed(nth_power(self.grid.tilt, (x.first + first) << x.level, True), x.e, True))
        shift = max(raised.bit_length() - WORD, 0)
        kept = _shifted(kept, shift, True) if shift else kept
        kept[0] += _u(-(-raised >> shift))
        return kept, x.e - shift

    def coarser(self, x: Array) -> Array:
        """Step and tilt squared."""
        n, first, step, one = 1 << x.level, x.first, self.grid.step, 1 << SHARP
        if self.upper:  # 1/(g + 1) below, g/(g + 1) = 1/(1 + 1/g) above
            parts = [
                (-(-(one << SHARP) // (one + _fixed(nth_power(step, m, False), SHARP, False))), -SHARP) for m in (n, -n)
            ]
        else:
            parts = [(1, -1), (1, -1)]

        def halved(side: Words, tilt: Fraction, rise: bool) -> tuple[Words, int]:
            factors = [_times(part, nth_power(tilt, at, rise), rise) for part, at in zip(parts, (-n, n), strict=True)]
            shift = max(max(m.bit_length() + e for m, e in factors), 0)
            side = np.concatenate([np.zeros(first % 2, np.uint64), side, np.zeros((first + len(side)) % 2, np.uint64)])
            found = np.zeros(len(side) // 2 + 1, np.uint64)
            found[:-1] = _shifted(side[::2], shift, rise) if shift else side[::2]
            for at, factor in enumerate(factors):
                found[at : len(found) - 1 + at] += _scaled(side[1::2], _fixed(factor, WORD - shift, rise), rise)
            more = max(int(found.max()).bit_length() - WORD, 0)
            return (_shifted(found, more, rise), shift + more) if more else (found, shift)

        p, moved = halved(x.p, self.grid.tilt, self.upper)
        found = replace(x, level=x.level + 1, first=(first - first % 2) // 2, p=p, e=x.e - moved)
        if x.q is None:
            return found
        q, moved = halved(x.q, self.both, True)
        return replace(found, q=q, f=x.f - moved)

    def together(self, x: Array, y: Array) -> tuple[Array, Array]:
        """Two arrays on one lattice."""
        while x.level < y.level:
            x = self.coarser(x)
        while y.level < x.level:
            y = self.coarser(y)
        return x, y

    def joined(self, x: Array, y: Array) -> Array:
        """The product of two pairs."""
        x, y = self.together(x, y)
        sides: list[tuple[Words, int]] = []
        for a, b, rise in zip(x.packed, y.packed, (self.upper, True), strict=True):
            if a is not None and b is not None:
                sides.append(_unpacked(a * b, len(x.p) + len(y.p) - 1, rise))
        e, runs = x.e + y.e - sides[0][1], x.runs + y.runs
        found = Array(x.level, x.first + y.first, sides[0][0], e, self.ended(x, y), runs=runs)
        return self.within(found if self.upper else replace(found, q=sides[1][0], f=x.f + y.f - sides[1][1]))

    def ended(self, x: Array, y: Array) -> int:
        """How much of P is at infinity in a product of two pairs."""
        one, two = (min(side.beyond, 1 << self.width) for side in (x, y))
        return one + two - (one * two >> self.width if self.upper else -(-one * two >> self.width))

    def repeated(self, x: Array, n: int) -> Array:
        """The product of n pairs, by doubling."""
        found = x
        for bit in f"{n:b}"[1:]:
            found = self.joined(found, found)
            if bit == "1":
                x, found = self.together(x, found)
                found = self.joined(found, x)
        return found

    def nothing(self, level: int) -> Array:
        """The pair of two equal laws."""
        one = np.array([1 << WORD - 1], np.uint64)
        return Array(level, 0, one, WORD - 1, 0, None if self.upper else one, WORD - 1, 0)

    def delta(self, x: Array, y: Array, eps: Eps) -> int:
        """delta(eps) of the product of two pairs on one lattice, over 2^width."""
        low, high = eps.bounds(SHARP)
        n = 1 << x.level
        at, power = place(*low.as_integer_ratio(), self.grid.step) // n, (low.numerator << SHARP) // low.denominator
        while _fixed(nth_power(self.grid.step, n * (at - 1), True), SHARP, True) > power:
            at -= 1
        while _fixed(nth_power(self.grid.step, n * at, True), SHARP, True) <= power:
            at += 1  # the first place with a ratio above e^eps
        at = max(at, x.first + y.first)
        tilt, rise = self.grid.tilt, self.upper
        backwards, ends = x.p[::-1].tolist(), self._sums(y.p, x, y, at, tilt, rise)
        if rise:
            near = _times((power, -SHARP), nth_power(self.grid.step, -n * at, False), False)
            part = min(_fixed(near, LONG, False), 1 << LONG)
            lesser = self._sums(y.p, x, y, at, self.both, False)
            ends = [max(one - (part * two >> LONG), 0) for one, two in zip(ends, lesser, strict=True)]
        mass = _times((sum(map(mul, backwards, ends)), 0), nth_power(tilt, -n * at, rise), rise)
        whole, ended = _fixed(mass, self.width - x.e - y.e, rise), self.ended(x, y)
        if x.q is None or y.q is None:
            return whole + ended
        other = sum(map(mul, x.q[::-1].tolist(), self._sums(y.q, x, y, at, self.both, True)))
        theirs = _fixed(_times((other, 0), nth_power(self.both, -n * at, True), True), self.width - x.f - y.f, True)
        return whole + ended - -(-high.numerator * theirs // high.denominator)

    def _sums(self, words: Words, x: Array, y: Array, at: int, base: Fraction, rise: bool) -> list[int]:
        """s(at - i) for the places i of x from the last on, by base^-n, of the words of y."""
        fall = _fixed(nth_power(base, -(1 << x.level), rise), LONG, rise)
        more, total, found = (1 << LONG) - 1 if rise else 0, 0, list[int]()
        for weight in reversed(words.tolist()):
            total = weight + (total * fall + more >> LONG)
            found.append(total)
        lowest = at - (x.first + len(x.p) - 1)  # the m of the last i
        for _ in range(y.first - lowest):
            total = total * fall + more >> LONG
            found.append(total)
        found.reverse()
        return found[max(lowest - y.first, 0) :]
