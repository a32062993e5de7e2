"""Densities of two levels: an output is e^eps0 times as likely on a set that depends on the input as it is elsewhere.

The reference mu is uniform on the range of outputs; every input x has a set S_x of share s, and density E L on it, L
elsewhere, L = 1 / (1 + s (E - 1)). Inputs may be a continuum: what matters of x, x' and another user's z are the masses
of the eight intersections of their sets.

Lemma. Let a <= A be the share of S_x without S_x'. Each |M| of protocols/shared/likelihood_orbits.py, lemma 3, is at
most its maximum over `corners(s, A, E)`, whatever the inputs are.

Proof. Orbits (in S_x or not, in S_x' or not, in S_z or not) have densities that do not depend on the inputs, so neither
do X and tau there: M is linear in the masses of orbits, and |M| convex. S_x alone and S_x' alone have mass a each, both
s - a, neither 1 - s - a; of these S_z has parts m_1, m_2, m_3, m_4 of sum s. These (a, m) lie in a polytope, and
|M| is largest at a vertex. For given a, of the vertices of {m: 0 <= m_i <= c_i, sum m = s} all but one coordinate are
at an end, and all are then linear in a: on the line so found (a, m) is a vertex of the polytope where a is least or
largest. QED

Where it is known that 2 a - lam (m_1 + m_2) <= k for all inputs, the polytope is cut there: its vertices are those that
keep this, and points on lines between one that does and one that does not.

Blanket: the least density is L. Where a grows, of the ratios (p - t q) / L values E (1 - t) and 1 - t of equal mass are
replaced by E - t and 1 - t E, of the same sum and further apart: a law that is larger in convex order, so a = A is
worst.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise, product

from shufflecert.protocols.shared.likelihood_orbits import Orbit

Point = tuple[Fraction, ...]
KINDS = ((True, False), (False, True), (True, True), (False, False))  # in S_x, in S_x'


def orbits_of(share: Fraction, ratio: Fraction, apart: Fraction, held: tuple[Fraction, ...]) -> list[Orbit]:
    """The orbits for sets that are `apart` by this mass, of whose four parts (`KINDS`) a third has these masses."""
    low = 1 / (1 + share * (ratio - 1))
    level = {True: ratio * low, False: low}
    masses = parts(share, apart)
    return [
        Orbit.at(mass, level[p], level[q], level[v])
        for (p, q), whole, inside in zip(KINDS, masses, held, strict=True)
        for v, mass in ((True, inside), (False, whole - inside))
    ]


def parts(share: Fraction, apart: Fraction) -> tuple[Fraction, ...]:
    """The shares of outputs in S_x alone, S_x' alone, both, neither: that of S_x is `share`, of S_x alone `apart`."""
    return apart, apart, share - apart, 1 - share - apart


def corners(
    share: Fraction, most: Fraction, ratio: Fraction, cut: tuple[Fraction, Fraction] | None = None
) -> Iterator[list[Orbit]]:
    """The vertices of the lemma's polytope, cut at (lam, k), as orbits."""
    points = list(dict.fromkeys(_vertices(share, most)))
    if cut is not None:
        points = _cut(points, *cut)
    for a, *held in points:
        yield orbits_of(share, ratio, a, tuple(held))


def _cut(points: list[Point], lam: Fraction, most: Fraction) -> list[Point]:
    """The points with 2 a - lam (m_1 + m_2) <= most, and where lines from them to the others cross that."""
    sizes = [2 * point[0] - lam * (point[1] + point[2]) for point in points]
    inside = [(point, size) for point, size in zip(points, sizes, strict=True) if size <= most]
    found = [point for point, _ in inside]
    for beyond, size in zip(points, sizes, strict=True):
        if size > most:
            for point, low in inside:
                way = (most - low) / (size - low)
                found.append(tuple(x + way * (y - x) for x, y in zip(point, beyond, strict=True)))
    return list(dict.fromkeys(found))


def _vertices(share: Fraction, most: Fraction) -> Iterator[Point]:
    """The vertices (a, m_1, .., m_4)."""
    slopes, whole = (1, 1, -1, -1), parts(share, Fraction(0))
    for free in range(4):
        others = [i for i in range(4) if i != free]
        for full in product((0, 1), repeat=3):
            constant = share - sum((f * whole[i] for i, f in zip(others, full, strict=True)), Fraction(0))
            slope = -sum(f * slopes[i] for i, f in zip(others, full, strict=True))
            low, high = Fraction(0), most
            # 0 <= constant + slope a <= whole[free] + slopes[free] a
            for c, k in ((constant, slope), (whole[free] - constant, slopes[free] - slope)):
                if k > 0:
                    low = max(low, -c / k)
                elif k < 0:
                    high = min(high, -c / k)
                elif c < 0:
                    low, high = Fraction(1), Fraction(0)
            for a in {low, high} if low <= high else ():
                held = [Fraction(0)] * 4
                for i, f in zip(others, full, strict=True):
                    held[i] = f * (whole[i] + slopes[i] * a)
                held[free] = constant + slope * a
                yield (a, *held)


def least(share: Fraction, most: Fraction, ratio: Fraction) -> list[Orbit]:
    """The blanket's orbits, for the largest distance."""
    found = orbits_of(share, ratio, most, (Fraction(0),) * 4)
    return [Orbit(one.p, one.q, one.v, one.mu) for one in found]


def overlap(share: Fraction, first: Fraction, second: Fraction) -> Fraction:
    """The length of the overlap of two intervals of this length that begin at these points."""
    return max(Fraction(0), share - abs(first - second))


def windows(share: Fraction, ratio: Fraction, third: Fraction) -> list[Orbit]:
    """The orbits where sets are intervals: S_x begins at 0, S_x' ends at 1, S_z begins at `third`."""
    end = 1 - share
    apart = share - overlap(share, Fraction(0), end)
    cuts = sorted({Fraction(0), share, end, Fraction(1), third, third + share})
    held = dict.fromkeys(KINDS, Fraction(0))
    for a, b in pairwise(cuts):
        middle = (a + b) / 2
        if third <= middle <= third + share:
            held[middle <= share, middle >= end] += b - a
    return orbits_of(share, ratio, apart, tuple(held[kind] for kind in KINDS))
