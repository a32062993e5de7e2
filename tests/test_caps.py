"""Caps of a sphere: what two have in common, by another integral; how far a third keeps away, by vectors drawn."""

from fractions import Fraction
from itertools import pairwise
from math import cos, pi, sin, sqrt

import numpy
import pytest
from flint import arb
from scipy.integrate import quad
from scipy.stats import beta

from shufflecert import delta
from shufflecert.protocols.shared.caps import Caps
from shufflecert.verify.exact.rational import precision
from tests import oracle


def in_two(dim, c, angle):
    """The mass of two caps: y . x = u has a density, and given u the rest of y is uniform, too."""
    power = (dim - 3) / 2

    def beyond(at):
        """P(w > at) for one coordinate w of a uniform vector in one dimension less."""
        if abs(at) >= 1:
            return float(at < 0)
        half = beta.sf(at * at, 0.5, (dim - 2) / 2) / 2
        return half if at > 0 else 1 - half

    def slice_of(u):
        across = sqrt(1 - u * u)
        return (1 - u * u) ** power * beyond((c - u * cos(angle)) / (sin(angle) * across))

    whole = quad(lambda u: (1 - u * u) ** power, -1, 1)[0]
    return quad(slice_of, c, 1, limit=200)[0] / whole


@pytest.mark.parametrize("dim", [4, 5, 12, 60])
@pytest.mark.parametrize("turns", [Fraction(1, 5), Fraction(1, 2), Fraction(7, 10)])
@pytest.mark.sampled(3)
def test_what_two_caps_have_in_common_is_another_integral(dim, turns):
    caps = Caps(dim, Fraction(2, 7))
    with precision(200):
        c, found = float(caps.height), float(caps.both(turns))
        assert abs(caps.both(Fraction(0)) - arb(2) / 7) < 1e-40
    assert found == pytest.approx(in_two(dim, c, pi * turns), rel=1e-6)


@pytest.mark.parametrize("turns", [Fraction(1, 10), Fraction(1, 3), Fraction(9, 10)])
def test_in_the_plane_caps_are_arcs_and_half_spheres_wedges(turns):
    with precision(200):
        arcs, halves = Caps(2, Fraction(2, 7)).both(turns), Caps(9, Fraction(1, 2)).both(turns)
        assert float(arcs) == pytest.approx(float(max(Fraction(0), Fraction(2, 7) - turns / 2)), abs=1e-40)
        assert float(halves) == pytest.approx(float((1 - turns) / 2), abs=1e-40)


@pytest.mark.parametrize("k", [4, 9])
@pytest.mark.parametrize("share", [Fraction(3, 8), Fraction(2, 5), Fraction(9, 20)])
@pytest.mark.sampled(3)
def test_three_arcs_that_cover_the_circle_cover_no_more_than_it(share, k):
    """Rounded down they left less than nothing, -1e-95: `priv_unit -p eps0=1/2 -p dim=2` ended with a ValueError."""
    turns = 2 - 4 * share + k * (6 * share - 2) / 20  # x and x' meet, and z, opposite to their middle, meets both
    both, near, off = Caps(2, share).opposite(turns)
    assert abs(both - (share - turns / 2)) <= off < Fraction(1, 2**290)
    assert abs(near - (share - (1 - turns / 2) / 2)) <= off
    assert share - 2 * near <= 1 - 2 * share + both


def test_delta_of_vectors_in_the_plane_is_that_of_arcs():
    """Next to the table of three vectors, whose messages are the pieces that the ends of their arcs cut."""
    ratio, t, n = Fraction(3, 2), Fraction(101, 100), 3
    share = 1 / (ratio + 1)
    turns = Caps(2, share).apart(1 - 1 / ratio)
    middles = -turns / 2, turns / 2, Fraction(1)  # over pi: x, x', and -(x + x')
    ends = sorted({(middle + way * share) % 2 for middle in middles for way in (-1, 1)})

    def density(middle, piece):
        away = abs(sum(piece) / 2 - middle) % 2
        return (ratio if min(away, 2 - away) < share else 1) / (1 + share * (ratio - 1))

    pieces = list(pairwise([*ends, ends[0] + 2]))
    rows = {x: {(piece,): (piece[1] - piece[0]) / 2 * density(x, piece) for piece in pieces} for x in middles}
    real = oracle.hockey_stick(*(oracle.convolved_law(rows, (x, *[middles[2]] * (n - 1))) for x in middles[:2]), t)
    found = delta("priv_unit", n=n, eps="log(101/100)", eps0="log(3/2)", dim=2)
    assert real * Fraction(99, 100) < Fraction(found.lower) <= real <= Fraction(found.upper)


@pytest.mark.parametrize("dim", [2, 3, 6, 40])
@pytest.mark.parametrize("share", [Fraction(1, 3), Fraction(1, 8), Fraction(1, 2)])
@pytest.mark.sampled(8)
def test_no_three_vectors_keep_further_away_than_the_lemma_says(dim, share):
    """By their masses among 40,000 uniform vectors, up to five standard deviations."""
    draw = numpy.random.default_rng(dim)
    points = draw.normal(size=(40_000, dim))
    points /= numpy.linalg.norm(points, axis=1)[:, None]
    c = numpy.quantile(points[:, 0], 1 - float(share)) if dim > 2 else cos(pi * float(share))
    caps, most = Caps(dim, share), 0.0
    for lam in (Fraction(1, 3), Fraction(9, 10)):
        bound = float(caps.away(lam))
        for _ in range(60):
            x, y, z = draw.normal(size=(3, dim))
            z = z if draw.random() < 0.3 else -x / numpy.linalg.norm(x) - y / numpy.linalg.norm(y) + 0.1 * z
            first, second, third = (points @ (v / numpy.linalg.norm(v)) >= c for v in (x, y, z))
            apart = first ^ second
            found = apart.mean() - float(lam) * (apart & third).mean()
            assert found <= bound + 5 * sqrt(2 * float(share) / len(points))
            most = max(most, found)
        both, near, off = caps.opposite(turns := caps.apart(lam))
        assert off < Fraction(1, 2**290)
        assert 0 < turns <= 1
        assert 2 * (share - both) - 2 * lam * near <= caps.away(lam) <= Fraction(104, 100) * 2 * (share - both)
    assert most > 0.3 * float(share)


def test_three_small_caps_of_a_plane_do_not_meet():
    caps = Caps(3, Fraction(1, 9))
    assert caps.small
    assert caps.opposite(caps.apart(Fraction(1, 2))) == (0, 0, 0)
    assert caps.away(Fraction(1, 2)) == 2 * caps.share


def test_a_cap_s_height_in_three_dimensions():
    """There the share is (1 - c) / 2 (Archimedes)."""
    with precision(200):
        assert abs(Caps(3, Fraction(1, 3)).height - arb(1) / 3) < 1e-60
