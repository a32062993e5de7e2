"""Connecting the dots: from finitely many bounds on a privacy profile to an exact pair of laws that bounds all of it.

Curves are functions of x = e^eps > 0, not of eps: H(x) = sum_y max(P(y) - x Q(y), 0). Such an H, and the largest D of
any number of them, is convex, never rises, starts at H(0) = 1 and is at least 1 - x. In turn the largest of finitely
many lines A_0 - B_0 x, A_1 - B_1 x, ... (each the largest somewhere on x >= 0, in that order, 1 = A_0 > A_1 > ..., the
last B = 0) is the curve of the pair with an atom (P, Q) = (A_i - A_(i+1), B_i - B_(i+1)) for any two neighbours, the
atom (A_last, 0) and the atom (0, 1 - B_0): their ratios P/Q are where the lines meet, so the largest P(E) - x Q(E) is
at one of the tails E, and that is A_i - B_i x.

From above (`dominating`). A convex D lies on [x_i, x_(i+1)] below the chord of bounds on D(x_i) and D(x_(i+1)), on
[0, x_1] below that of (0, 1), and beyond the last point below the least bound so far. The lower convex hull of all
points is made of such chords, and it starts no steeper than 1 - x since an upper bound is never below that.

From below (`dominated`), for the curve H of one pair between L_i and U_i at x_i. A convex function lies above its
chords continued: H is at least L_i - s (x - x_i) to the right of x_i, s = (U_(i-1) - L_i) / (x_i - x_(i-1)), and to the
left of x_i at least L_i + s (x_i - x), s = max(L_i - U_(i+1), 0) / (x_(i+1) - x_i). With 1 - x and c <= P(Q = 0) these
are a bound on every [x_i, x_(i+1)], and the lower convex hull of all its corners is one.

Lemma (composition; Dong, Roth and Su, "Gaussian differential privacy", 2022, Theorem 4; Zhu, Dong and Wang, "Optimal
accounting of differential privacy via characteristic function", 2022, Theorem 10). A pair dominates a mechanism if its
curve is at least that of every pair of laws which neighbouring datasets may give, for every x > 0. The product of a
pair that dominates one mechanism and a pair (P', Q') that dominates another dominates both seen together, also where
what the second one is asked depends on what the first one showed. Proof. Let the first show y by (P, Q), and then the
second follow (P_y, Q_y), of curve H_y. Both together have the curve sum over P(y) > 0 of P(y) H_y(x Q(y) / P(y)), at
most the same with the curve of (P', Q') for H_y. That is the curve of (P, Q) x (P', Q'), and with the sums exchanged
sum over P'(z) > 0 of P'(z) H(x Q'(z) / P'(z)), H that of (P, Q): at most the same with the first dominating pair. For
pairs that are fixed, the same proof with "at least" in the place of "at most" shows that products of dominated pairs
are dominated.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import lcm

from flint import fmpq, fmpz

from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Number, Pair, Profile, lower_hull
from shufflecert.verify.exact.rational import probability, rational, shorten
from shufflecert.verify.pairs.windowed import Atoms, WindowPair

Point = tuple[Fraction, Fraction]  # (x, a bound on the curve at x)
Lines = list[tuple[fmpq, fmpq]]  # (A, B) of A - B x
KEPT = 128  # significant bits of a point's bound
EXACT_BITS = 2048  # of a common denominator, up to which a pair's curve is the hull itself
SPARE_BITS = 96  # what each line is rounded by, relatively, where it is not
DIGITS = 12  # of a curve's points: what lies between two of them is known less well


@dataclass(frozen=True, eq=False)
class Exact(WindowPair):
    """An exact pair of laws, for callers that ask for its atoms at some precision."""

    pair: Pair

    @property
    def whole(self) -> bool:
        """Whether both laws of the pair have mass 1."""
        return self.pair.whole

    def reversed(self) -> "Exact":
        """The pair in the other direction, (Q, P)."""
        return Exact(self.pair.reversed())

    def atoms(self, bits: int) -> Atoms:
        """The pair's outcomes with their exact weights, whatever precision is asked for; none lie outside."""
        unit = self.pair.denominator
        p, q = ([w << bits for w in law] for law in (self.pair.p, self.pair.q))
        laws = [([w // unit for w in law], [-(-w // unit) for w in law]) for law in (p, q)]
        return Atoms(laws[0], laws[1], (0, 0), bits)


def dominating(points: Iterable[tuple[object, object]]) -> Pair:
    """A pair that dominates: sum max(P - x Q, 0) >= D(x) for every x > 0, from upper bounds on D at finitely many
    points.

    D is any curve of the module's docstring; points may come in any order. Exact: both laws sum to 1 over the pair's
    denominator. The pair's curve is the lower convex hull of the points and (0, 1), constant beyond its lowest point;
    where that has no common denominator of EXACT_BITS bits, each of its lines A - B x becomes larger by at most
    2^-96 (A + B x). Raises BadInput for an x <= 0 and for what is no upper bound: outside [0, 1] or below 1 - x.
    """
    vertices = {fmpq(0): fmpq(1)}
    for given, value in points:
        x, bound = _place(given), probability(value, "points")
        if bound < 1 - x:
            raise BadInput(f"points: {shorten(bound)} at x = {shorten(x)}: expected an upper bound, at least 1 - x")
        at = fmpq(*x.as_integer_ratio())
        vertices[at] = min(fmpq(*bound.as_integer_ratio()), vertices.get(at, fmpq(1)))
    return _pair(_hull(vertices), up=True)


def dominating_heights(knots: Sequence[int], heights: Sequence[int], point: int, bits: int) -> Pair:
    """A pair that dominates, as `dominating`, from upper bounds h 2^-bits on D at rising x 2^-point, in integers.

    Each line A - B x of the hull has its slope rounded down and its height up; so the laws may weigh a little above 1.
    """
    hull, spare, lines = _falling([(0, 1 << bits), *zip(knots, heights, strict=True)]), point + SPARE_BITS, []
    for (x0, y0), (x1, y1) in pairwise(hull):
        slope = (y0 - y1 << spare + point) // (x1 - x0)
        lines.append((max((y << spare) - (-slope * x >> point) for x, y in ((x0, y0), (x1, y1))), slope))
    kept = _envelope([(fmpz(a), fmpz(b)) for a, b in [*lines, (hull[-1][1] << spare, 0)]])
    return _atoms(kept, fmpz(1) << bits + spare)


def height_before_1(x: int, height: int, point: int, bits: int) -> int:
    """An upper bound on H(x) at x 2^-point < 1, from one on the curve H' of the pair in the other direction at 1/x, or
    less than that: H(x) = 1 - x + x H'(1/x). Both are over 2^bits, bits <= point.
    """
    return (1 << bits) - (x >> point - bits) + (x * height >> point) + 1


def dominated(points: Iterable[tuple[object, object, object]], least: Fraction = Fraction(0)) -> Pair:
    """A pair that is dominated: sum max(P - x Q, 0) <= H(x) for every x > 0, from bounds on H at finitely many points.

    H is the curve of one pair, with P(Q = 0) >= `least`. Exact and rounded, downwards, as `dominating`. Raises BadInput
    for an x <= 0 and for what is no lower and upper bound on such a curve.
    """
    ends = {Fraction(0): (Fraction(1), Fraction(1))}
    for given, below, above in points:
        x, low, high = _place(given), probability(below, "points"), probability(above, "points")
        if low > high or high < 1 - x or high < least:
            raise BadInput(f"points: [{shorten(low)}, {shorten(high)}] at x = {shorten(x)}: expected bounds on a curve")
        before = ends.get(x, (Fraction(0), Fraction(1)))
        ends[x] = max(low, before[0]), min(high, before[1])
    known = [(_q(x), _q(low), _q(high)) for x, (low, high) in sorted(ends.items())]
    vertices: dict[fmpq, fmpq] = {}
    for i, (start, _, _) in enumerate(known):
        end = known[i + 1][0] if i + 1 < len(known) else None
        for at, value in _corners([(_q(least), fmpq(0)), *_beside(known, i)], start, end):
            vertices[at] = min(value, vertices.get(at, value))
    return _pair(_hull(vertices), up=False)


def mirrored(points: Iterable[Point]) -> list[Point]:
    """Points at x >= 1, and at 1/x the bounds that follow from them where every pair comes with its reverse.

    Lemma. H_x(P, Q) = 1 - x + x H_(1/x)(Q, P), since max(p - x q, 0) = p - x q + x max(q - p/x, 0). So the largest
    curve over both directions has D(x) = 1 - x + x D(1/x): an upper bound d at x gives 1 - 1/x + d/x at 1/x, and a
    lower one likewise.
    """
    given = list(points)
    return given + [(1 / x, 1 - 1 / x + bound / x) for x, bound in given if x > 1]


def largest_profile(pairs: Iterable[Pair]) -> Profile:
    """The privacy profile that is the largest of those of some pairs: delta as a function of e^eps >= 1, exactly."""
    result = Profile.envelope([(fmpq(0), fmpq(0))])
    for pair in pairs:
        result = result.maximum(pair.profile())
    return result


def breakpoints(profile: Profile) -> list[Point]:
    """The corners of a privacy profile: `dominating(mirrored(...))` of them has this very curve where e^eps >= 1."""
    return [(start, profile.at(start)) for start in profile.starts]


def rounded_up(bound: Fraction) -> Fraction:
    """A rational of few bits that is at least `bound`, and above it by at most 2^-127 of it."""
    shift = KEPT - (bound.numerator.bit_length() - bound.denominator.bit_length())
    unit = Fraction(2) ** -max(shift, 0)
    return min(Fraction(1), -(-bound // unit) * unit)


def _power(eps: Eps) -> Fraction:
    assert eps.power is not None
    return eps.power


def _place(given: object) -> Fraction:
    x = rational(given, "points")
    if x <= 0:
        raise BadInput(f"points: x = {shorten(x)}: expected x = e^eps > 0")
    return x


def _q(number: Fraction) -> fmpq:
    return fmpq(*number.as_integer_ratio())


def _steep(x: fmpq, y: fmpq, slope: fmpq) -> tuple[fmpq, fmpq]:
    """The line through (x, y) that falls by `slope`."""
    return y + slope * x, slope


def _beside(known: Sequence[tuple[fmpq, fmpq, fmpq]], i: int) -> Lines:
    """Lines below a curve between the i-th point and the next one, from (x, lower, upper) at its points."""
    lines = [(fmpq(1), fmpq(1))]
    if i:
        (x0, _, high), (x1, low, _) = known[i - 1 : i + 1]
        lines.append(_steep(x1, low, (high - low) / (x1 - x0)))
    if i + 2 < len(known):
        (x0, low, _), (x1, _, high) = known[i + 1 : i + 3]
        lines.append(_steep(x0, low, max(low - high, fmpq(0)) / (x1 - x0)))
    elif i + 1 < len(known):
        lines.append((known[i + 1][1], fmpq(0)))
    return lines


def _corners(lines: Lines, start: fmpq, end: fmpq | None) -> list[tuple[fmpq, fmpq]]:
    """Where the largest of some lines turns between `start` and `end` (None: infinity), with the ends."""
    turns = {start} if end is None else {start, end}
    for i, (a, b) in enumerate(lines):
        for c, d in lines[:i]:
            if b != d and (x := (a - c) / (b - d)) > start and (end is None or x < end):
                turns.add(x)
    return [(x, max(a - b * x for a, b in lines)) for x in turns]


def _falling(points: Iterable[tuple[Number, Number]]) -> list[tuple[Number, Number]]:
    """The corners of the lower convex hull as far as it falls."""
    hull = lower_hull(points)
    return hull[:1] + [two for one, two in pairwise(hull) if two[1] < one[1]]


def _hull(vertices: dict[fmpq, fmpq]) -> Lines:
    """The lower convex hull of (x, y), as long as it falls, as lines from left to right; then constant."""
    hull = _falling(sorted(vertices.items()))
    falling = [_steep(x1, y1, (y0 - y1) / (x1 - x0)) for (x0, y0), (x1, y1) in pairwise(hull)]
    return [*falling, (hull[-1][1], fmpq(0))]


def _pair(lines: Lines, up: bool) -> Pair:
    """The pair whose curve is the largest of these lines, rounded `up` or down where they have no short denominator."""
    unit, ends = fmpz(1), [end for line in lines for end in line]
    for end in ends:
        unit = fmpz(lcm(int(unit), int(end.q)))
        if unit.bit_length() > EXACT_BITS:
            unit = fmpz(1) << SPARE_BITS + max(int(e.q).bit_length() - int(e.p).bit_length() + 1 for e in ends if e)
            break

    def rounded(number: fmpq, upwards: bool) -> fmpz:
        return -(-number.p * unit // number.q) if upwards else number.p * unit // number.q

    return _atoms(_envelope([(rounded(a, up), rounded(b, not up)) for a, b in lines]), unit)


def _atoms(kept: Sequence[tuple[fmpz, fmpz]], unit: fmpz) -> Pair:
    """The pair whose curve is the largest of these lines, over a unit."""
    meet = list(pairwise(kept))[::-1]  # in falling order of P/Q, which who sorts them need not do
    p = [kept[-1][0], *(a - c for (a, _), (c, _) in meet), fmpz(0)]
    q = [fmpz(0), *(b - d for (_, b), (_, d) in meet), max(unit - kept[0][1], fmpz(0))]
    atoms = [(a, b) for a, b in zip(p, q, strict=True) if a or b]
    return Pair([a for a, _ in atoms], [b for _, b in atoms], unit)


def _envelope(lines: Sequence[tuple[fmpz, fmpz]]) -> Sequence[tuple[fmpz, fmpz]]:
    """Those of a falling list of lines A - B x that are the largest somewhere on x >= 0."""
    return [(-y, -x) for x, y in lower_hull((-b, -a) for a, b in lines)]
