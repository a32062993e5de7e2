"""Privacy loss distributions on a grid, in doubles, that bound a mechanism from above or below, for other libraries.

There a mechanism is a law of privacy losses: mass f_i at loss i d, mass F at infinity, and

    delta(eps) = F + sum over i d > eps of f_i (1 - e^(eps - i d));                                               (1)

composed laws are convolutions, masses at infinity combine to F + F' - F F'. Nothing is divided by a total.

From above (`worst_losses`). The largest delta over all neighbouring datasets and both directions is bounded at points
x = e^eps next to the grid, and the points are connected (`verify.pairs.connect_the_dots`): a dominating pair (P, Q),
whose products dominate compositions, adaptive ones as well and whatever direction each of them has. P's mass at the
ratio P/Q goes to the next grid loss above; it is made larger by a part in 2^32 and rounded up to a double, and so is
P(Q = 0). Why that is a bound: (1) and its compositions grow with every loss, every f_i and with F. F was rounded up by
h; take h of P's finite mass to infinity: losses rise, the masses still sum to 1 and are at most f_i and exactly F, so
that 1 - (1 - F)^k is the mass at infinity of their k-fold product. What f_i has beyond only adds to (1).

From below (`attained_losses`). The other way round, for one pair of neighbouring datasets and for its reverse: every
delta is at most what these datasets attain in that direction, k times over as well.

Who evaluates (1) does so in doubles. So grid losses are taken to be 2^-50 (|loss| + d) lower than they are (from below:
higher), which covers their rounding, and that of their sums; with the part in 2^32 it covers the rounding of (1) itself
for up to 2^20 losses, where no term is negative and each is known to a few parts in 2^52. What has only an absolute
accuracy (convolutions by FFT, (1) as a difference of two sums) is not covered by that, nor by any proof of ours: for it
a law from above has `spare` at infinity, which like the error of an FFT counts once for each law that is composed.
"""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from heapq import heappop, heappush
from itertools import pairwise
from math import ceil, floor, ldexp

from flint import arb, fmpq, fmpz

from shufflecert.verify.bound.bound import Bound
from shufflecert.verify.bound.closed_form import ClosedForm
from shufflecert.verify.bound.enumeration import cases
from shufflecert.verify.decide.worst_case import short_ends
from shufflecert.verify.enclose.interval import EnclosedPair, Interval, is_whole, reverse
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import MAX_EPS, Eps
from shufflecert.verify.exact.hockey_stick import Pair, Profile
from shufflecert.verify.exact.rational import dyadic, natural, precision, probability, rational, shorten
from shufflecert.verify.pairs.connect_the_dots import Exact, dominated, dominating, largest_profile, rounded_up
from shufflecert.verify.progress import Progress
from shufflecert.verify.reduce.reduction import Pairs, known_reach
from shufflecert.verify.systems.population import Population

INTERVAL = "1e-4"  # dp-accounting's own, so that laws of both can be composed
MOST = 1 << 19  # grid losses on each side of 0
FIRST, DOTS = 32, 1000  # places where a curve is evaluated: evenly, and in all
CLOSE = Fraction(1, 10**6)  # relative height of a chord over the curve at which nothing more is put between
DIGITS = 12  # of the curve there
NOTHING = Fraction(1, 10**20)  # delta at which the grid may end
SHORTEST, LONGEST = Fraction(1, 100), 64  # eps between which it does so, unless asked for
NEAR, NEXT = Fraction(1, 1 << 50), Fraction(1, 1 << 49)  # where a grid loss is taken to be, and where its dot is
MORE, SPARE = Fraction(1, 1 << 32), "1e-15"
SMALLEST = Fraction(1, 1 << 1000)  # below, doubles lose digits
BITS = 96  # of a power of e; twice as many of a pair's divergence
Value = Callable[[int], Interval]
Known = Mapping[int, Interval]


@dataclass(frozen=True)
class Losses:
    """A privacy loss distribution: mass masses[i] at i * interval nats, mass `infinite` at infinity. All doubles."""

    interval: float
    masses: Mapping[int, float]
    infinite: float


@dataclass(frozen=True)
class WorstCurve:
    """The largest delta over all neighbouring datasets, both directions, as a function of eps.

    It is computed in one way for all eps: from the exact profile, by enumeration, or by `quick`, which may be less
    close than the `bound` that few eps are asked of.
    """

    bound: Bound
    quick: Bound
    profile: Profile | None

    @classmethod
    def of(cls, bound: Bound) -> "WorstCurve":
        """The curve of a Bound."""
        asked = bound.question
        if asked.view == "shuffled" and not isinstance(asked.protocol, Population):
            reach = known_reach(asked.protocol, asked.n)
            if reach is not None and reach.dominating is None and isinstance(reach.attained, Pairs):
                few = ClosedForm(asked, bound.effort, reach)
                return cls(few, few, None)  # a few pairs that are all: quicker than any enumeration
        quick = bound.within(0)
        if quick.around is not None:
            return cls(quick, quick, largest_profile(case.pair for case in cases(quick.around)))
        return cls(bound, quick, None)

    @property
    def by(self) -> str:
        """The argument by which all datasets are covered."""
        return self.bound.by

    def above(self, power: Fraction) -> Interval:
        """An enclosure of an upper bound on delta at e^eps = power >= 1, to DIGITS digits."""
        if self.profile is not None:
            a, b = self.profile.lines[bisect_right(self.profile.starts, power) - 1]
            bound = rounded_up(a - b * power)
            return Interval(bound, bound)
        return self.quick.upper(Eps.log(power), DIGITS).capped

    def above_at(self, powers: Sequence[Fraction], progress: Progress | None = None) -> list[Interval]:
        """As `above` at a few e^eps, rising, together: closer where `bound` is."""
        alone = [self.above(power) for power in powers]
        if self.quick is self.bound:
            return alone
        found = self.bound.curve([Eps.log(power) for power in powers])
        values = [short_ends(value) for _, value in found.points]
        return [min(other, value, key=lambda value: value.high) for value, other in zip(values, alone, strict=True)]


@dataclass(frozen=True)
class Grid:
    """An even grid of privacy losses: i * step nats, |i| <= last."""

    step: Fraction
    last: int

    @classmethod
    def of(cls, curve: WorstCurve, interval: object = INTERVAL, eps_max: object = None) -> "Grid":
        """The grid for a curve; `interval`, in nats, is taken as the double nearest to it.

        Where eps_max is not given the grid ends where delta is 10^-20 or constant, or at 64. Raises BadInput for an
        interval outside (0, 1], an eps_max outside (0, 10000], and more than 2^19 losses on a side.
        """
        width = rational(interval, "interval")
        if not SMALLEST < width <= 1:
            raise BadInput(f"interval: {shorten(width)}: expected a rational in (0, 1]")
        step = Fraction(width.numerator / width.denominator)
        end = _end(curve) if eps_max is None else rational(eps_max, "eps_max")
        if not 0 < end <= MAX_EPS:
            raise BadInput(f"eps_max: {shorten(end)}: expected a rational in (0, {MAX_EPS}]")
        last = ceil(end / step)
        if last > MOST:
            raise BadInput(f"interval: {last} of them are {shorten(end)}: expected at most {MOST}, by a longer one")
        return cls(step, last)

    def power(self, i: int) -> Fraction:
        """The rational x at which loss i is evaluated: below e^loss by about 2^-49 (|loss| + step), 1 for i = 0."""
        return _power((i - NEXT * (abs(i) + 1)) * self.step if i else Fraction(0))


@lru_cache(maxsize=1 << 14)
def _power(exponent: Fraction) -> Fraction:
    low, high = Eps.of(abs(exponent)).bounds(BITS)
    return low if exponent > 0 else 1 / high


def worst_losses(
    curve: WorstCurve, grid: Grid, dots: object = DOTS, progress: Progress | None = None, spare: object = SPARE
) -> Losses:
    """A privacy loss distribution that dominates all pairs of neighbouring datasets (the module's docstring).

    Losses beyond the grid count as infinite. The curve is evaluated at most `dots` times, where chords are worst, until
    they exceed it by no more than a part in 10^6; `progress` is called with (steps, how many). `spare` is a
    probability, see the module's docstring.
    """
    extra = probability(spare, "spare")
    known = _curve_dots(curve, grid, dots, progress)
    return _on_grid(dominating(_above(known, known, grid)), grid, True, extra)


def attained_losses(
    curve: WorstCurve, grid: Grid, dots: object = DOTS, progress: Progress | None = None
) -> tuple[Losses, Losses]:
    """Privacy loss distributions below those of a real pair of neighbouring datasets, and of its reverse.

    The pair is about the worst one in mid-grid, and it dominates what is returned. Relative defect of delta about
    interval times the slope of log delta. Arguments: `worst_losses`.
    """
    middle, alike = Eps.of(grid.last * grid.step / 2), Pair([fmpz(1)], [fmpz(1)], fmpz(1))
    worst = curve.quick.lower(middle, DIGITS)[1]
    if worst and isinstance(worst.pair, Exact):
        forth = worst.pair.pair
        return _on_grid(forth, grid, up=False), _on_grid(forth.reversed(), grid, up=False)
    pair: EnclosedPair = worst.pair if worst else alike
    ways = pair, reverse(pair)
    ends, returns = (_dots(_values(way, curve, grid), grid, dots, progress) for way in ways)
    remove = dominated(_below(ends, returns, grid), ways[0].infinity_mass())
    add = dominated(_below(returns, ends, grid), ways[1].infinity_mass())
    return _on_grid(remove, grid, up=False), _on_grid(add, grid, up=False)


def profile_table(
    curve: WorstCurve, grid: Grid, dots: object = DOTS, progress: Progress | None = None
) -> tuple[list[float], list[float]]:
    """An upper bound on the privacy profile as a table of doubles (eps, delta), in steps of interval from eps = 0.

    delta(eps) is at most the delta of the last such eps. The points of `worst_losses`, rounded up, and the chords
    between them. Arguments as there.
    """
    known = _curve_dots(curve, grid, dots, progress)
    deltas = [known[0].high]
    for i, j in pairwise(sorted(known)):
        (x, above), (y, below) = ((grid.power(k), known[k].high) for k in (i, j))
        deltas += [above + (below - above) * (grid.power(k) - x) / (y - x) for k in range(i + 1, j)] + [below]
    return [double(i * grid.step, up=True) for i in range(grid.last + 1)], [double(delta, up=True) for delta in deltas]


def double(number: Fraction, up: bool) -> float:
    """A double at least `number` (up) or at most it, for a number >= 0; relatively closer than 2^-51, or 2^-1000.

    By integers: 52 bits of it, or 51, and a power of two, which is what a double holds.
    """
    if number < SMALLEST:
        return ldexp(int(up and number > 0), -1000)
    shift = 52 - (number.numerator.bit_length() - number.denominator.bit_length())
    scaled = number * Fraction(2) ** shift
    return ldexp(ceil(scaled) if up else floor(scaled), -shift)


def _end(curve: WorstCurve) -> Fraction:
    """About the least eps from which on delta is negligible or constant."""

    @cache
    def at(eps: Fraction) -> Fraction:
        return curve.above(Eps.of(eps).bounds(BITS)[0]).high

    high = Fraction(1)
    while at(high) > NOTHING and high < LONGEST and at(high) - at(2 * high) > CLOSE * at(high):
        high *= 2
    enough, low = max(at(high) * (1 + CLOSE), NOTHING), Fraction(0)
    while high - low > max(high, SHORTEST) / 16:
        middle = (low + high) / 2
        low, high = (low, middle) if at(middle) <= enough else (middle, high)
    return high


def _places(grid: Grid) -> list[int]:
    return sorted({grid.last * i // FIRST for i in range(FIRST + 1)})


def _curve_dots(curve: WorstCurve, grid: Grid, most: object, progress: Progress | None) -> dict[int, Interval]:
    """Values of the curve, those at the first places together: then no value is above the chord of their upper bounds.

    The curve is convex in e^eps.
    """
    if curve.quick is curve.bound:
        return _dots(lambda i: curve.above(grid.power(i)), grid, most, progress)
    places = _places(grid)
    powers = [grid.power(i) for i in places]
    first = curve.above_at(powers, progress)

    def value(i: int) -> Interval:
        found = curve.above(grid.power(i))
        k = bisect_right(places, i)
        (x, z), (one, two), y = powers[k - 1 : k + 1], first[k - 1 : k + 1], grid.power(i)
        chord = one.high + (two.high - one.high) * (y - x) / (z - x)
        return Interval(min(found.low, chord), min(found.high, chord))

    return _dots(value, grid, most, progress, dict(zip(places, first, strict=True)))


def _dots(
    value: Value, grid: Grid, most: object, progress: Progress | None, first: Known | None = None
) -> dict[int, Interval]:
    """Values at 0, `last` and where chords are worst, `most` in all; which ones is a matter of width only.

    `first` are those at the first places, where they are known.
    """
    places = _places(grid)
    left = range(max(0, natural(most, "dots", most=MOST) - len(places)))
    known = dict(first) if first is not None else {i: value(i) for i in places}
    chords = [(Fraction(-1), i, j) for i, j in pairwise(places) if j - i > 1]
    for _ in progress(left, len(left)) if progress else left:
        if not chords or -chords[0][0] <= CLOSE:
            break
        _, i, j = heappop(chords)
        k = (i + j) // 2
        known[k] = value(k)
        x, y, z = (grid.power(m) for m in (i, k, j))
        chord = known[i].high + (known[j].high - known[i].high) * (y - x) / (z - x)
        excess = (chord - known[k].high) / max(known[k].high, NOTHING)
        for ends in ((i, k), (k, j)):
            if ends[1] - ends[0] > 1:
                heappush(chords, (-min(excess, Fraction(1)) / 2, *ends))
    return known


def _above(forth: Known, back: Known, grid: Grid) -> list[tuple[Fraction, Fraction]]:
    """Points from upper bounds at x >= 1 of a curve and of that of the reverse, by the lemma of `mirrored`.

    1 / _power(-i) is more than _power(i), so that the bound there, of a falling curve, holds here as well.
    """
    points = [(grid.power(i), value.high) for i, value in forth.items() if i]
    for i, value in back.items():
        x = grid.power(-i) if i else _power(-NEXT * grid.step)
        points.append((x, 1 - x + x * value.high))
    return points


def _below(forth: Known, back: Known, grid: Grid) -> list[tuple[Fraction, Fraction, Fraction]]:
    """Points (x, lower, upper) of a pair's curve, for x >= 1 from `forth` and for x < 1 from that of its reverse."""
    turned = [(1 / grid.power(i), value) for i, value in back.items() if i]
    points = [(grid.power(i), value.low, value.high) for i, value in forth.items()]
    return points + [(x, 1 - x + x * value.low, 1 - x + x * value.high) for x, value in turned]


def _values(pair: EnclosedPair, curve: WorstCurve, grid: Grid) -> Value:
    """delta of the datasets whose pair this is: where the pair is no more than a bound from below, up to the curve."""

    def value(i: int) -> Interval:
        power = grid.power(i)
        low, high = pair.divergence(Eps.log(power), 2 * BITS)
        return Interval(max(low, Fraction(0)), high if is_whole(pair) else curve.above(power).high).capped

    return value


def _on_grid(pair: Pair, grid: Grid, up: bool, spare: Fraction = Fraction(0)) -> Losses:
    """P's masses at grid losses above log(P/Q) (below it where not `up`), rounded likewise."""
    masses: dict[int, fmpz] = {}
    infinite = fmpz(0)
    with precision(2 * BITS):
        width = arb(fmpq(grid.step.numerator, grid.step.denominator))
        for p, q in zip(pair.p, pair.q, strict=True):
            if not q:
                infinite += p
            elif p:
                loss = arb(fmpq(p, q)).log() / width
                index = _next_above(dyadic(loss.upper())) if up else -_next_above(-dyadic(loss.lower()))
                if up and index > grid.last:
                    infinite += p
                elif up or index >= -grid.last:
                    place = max(index, -grid.last) if up else min(index, grid.last)
                    masses[place] = masses.get(place, fmpz(0)) + p

    def rounded(weight: fmpz, more: Fraction = Fraction(0)) -> float:
        mass = Fraction(int(weight), int(pair.denominator)) * (1 + MORE if up else 1 - MORE)
        return double(min(mass + more, Fraction(1)), up)

    laid = {i: rounded(masses[i]) for i in sorted(masses)} or {0: rounded(fmpz(0))}  # a law without losses is refused
    return Losses(grid.step.numerator / grid.step.denominator, laid, rounded(infinite, spare))


def _next_above(loss: Fraction) -> int:
    """The least i with i - NEAR (|i| + 1) >= loss."""
    i = ceil(loss)
    return i if i - NEAR * (abs(i) + 1) >= loss else i + 1
