"""Connected dots against curves that are known exactly: from above, from below, mirrored, and composed."""

from fractions import Fraction
from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.protocols.krr import KRR
from shufflecert.verify.compose.accountant import compose
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.neighbours import neighbourhood
from shufflecert.verify.exact.randomizer import Law
from shufflecert.verify.pairs.connect_the_dots import (
    Exact,
    breakpoints,
    dominated,
    dominating,
    largest_profile,
    mirrored,
    rounded_up,
)
from tests import oracle
from tests.helpers import random_cases
from tests.test_compose import COIN, enumerated

PLACES = [Fraction(k, 6) for k in range(1, 30)]


def curve(pair, x):
    """sum of max(P - x Q, 0), in Fractions."""
    laws = zip(pair.p, pair.q, strict=True)
    return sum((max(int(p) - x * int(q), Fraction(0)) for p, q in laws), Fraction(0)) / int(pair.denominator)


@st.composite
def laws(draw, size=4):
    weights = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    return [Fraction(w, sum(weights)) for w in weights]


def height(P, Q, x):
    return oracle.hockey_stick(dict(enumerate(P)), dict(enumerate(Q)), x)


def is_a_pair_of_laws(pair):
    assert sum(pair.p) == sum(pair.q) == pair.denominator
    assert min(*pair.p, *pair.q) >= 0
    return True


xs = st.lists(st.fractions(Fraction(1, 20), 20, max_denominator=30), min_size=0, max_size=6)
slack = st.fractions(0, Fraction(1, 5), max_denominator=40)


@random_cases(40)
@given(laws(), laws(), laws(), laws(), xs, slack)
def test_a_dominating_pair_is_above_and_touches_its_dots(P, Q, R, S, at, more):
    """The largest curve of two pairs, with bounds that are a little too large."""

    def truth(x):
        return max(height(P, Q, x), height(R, S, x))

    points = [(x, min(truth(x) + more, Fraction(1))) for x in at]
    found = dominating(points)
    assert is_a_pair_of_laws(found)
    assert all(curve(found, x) >= truth(x) for x in PLACES)
    assert all(curve(found, x) <= bound for x, bound in points)


@random_cases(40)
@given(laws(), laws(), xs, slack, slack)
def test_a_dominated_pair_is_below(P, Q, at, less, more):
    def ends(x):
        return max(height(P, Q, x) - less, Fraction(0)), min(height(P, Q, x) + more, Fraction(1))

    never = sum((p for p, q in zip(P, Q, strict=True) if not q), Fraction(0))
    found = dominated([(x, *ends(x)) for x in at], never)
    assert is_a_pair_of_laws(found)
    assert all(never <= curve(found, x) <= height(P, Q, x) for x in PLACES)


@random_cases(40)
@given(laws(), laws())
def test_all_corners_give_the_curve_itself(P, Q):
    """With every ratio P/Q as a point from above; from below, with three points on every line."""
    ratios = sorted({p / q for p, q in zip(P, Q, strict=True) if p and q})
    above = dominating([(x, height(P, Q, x)) for x in ratios])
    ends = [Fraction(0), *ratios, 3 * max(ratios, default=Fraction(1))]
    dense = sorted({x + (y - x) * Fraction(k, 3) for x, y in pairwise(ends) for k in (1, 2, 3)})
    never = sum((p for p, q in zip(P, Q, strict=True) if not q), Fraction(0))
    below = dominated([(x, height(P, Q, x), height(P, Q, x)) for x in dense], never)
    for x in PLACES:
        assert curve(above, x) == height(P, Q, x) == curve(below, x)


@random_cases(40)
@given(laws(), laws(), st.fractions(1, 10, max_denominator=20))
def test_reversal(P, Q, x):
    ((_, _), *back) = mirrored([(x, height(Q, P, x))])
    assert back == ([(1 / x, height(P, Q, 1 / x))] if x > 1 else [])


def test_fine_grids_are_rounded_outwards():
    """A hull whose denominators have no short multiple: both pairs keep their side, by less than 10^-25."""
    P, Q = [Fraction(w, 30) for w in (1, 2, 3, 4, 20)], [Fraction(w, 70) for w in (1, 30, 9, 20, 10)]
    grid = [Fraction(20011 + 977 * i, 30011 - 61 * i) for i in range(60)]
    above = dominating([(x, height(P, Q, x)) for x in grid])
    below = dominated([(x, height(P, Q, x), height(P, Q, x)) for x in grid])
    assert is_a_pair_of_laws(above) and is_a_pair_of_laws(below)
    assert above.denominator.bit_length() < 300
    for x in [*grid, *PLACES]:
        assert curve(below, x) <= height(P, Q, x) <= curve(above, x)
    for x in grid:
        assert curve(above, x) - height(P, Q, x) < Fraction(1, 10**25)


@random_cases(40)
@given(laws(3), laws(3), laws(3), laws(3), st.fractions(Fraction(1, 2), 6, max_denominator=10))
def test_products_of_dominating_pairs_dominate_products(P, Q, R, S, x):
    """The lemma, and turned round; against every mix of two pairs, run twice."""
    grid = [Fraction(1, 4), Fraction(1), Fraction(3)]
    above = dominating([(t, max(height(P, Q, t), height(R, S, t))) for t in grid])
    below = dominated([(t, height(P, Q, t), height(P, Q, t)) for t in grid])

    def square(one, two):
        return sum((max(a * c - x * b * d, 0) for (a, b), (c, d) in product(one, two)), Fraction(0))

    pairs = [list(zip(P, Q, strict=True)), list(zip(R, S, strict=True))]
    top, low = (
        [
            (Fraction(int(p), int(found.denominator)), Fraction(int(q), int(found.denominator)))
            for p, q in zip(found.p, found.q, strict=True)
        ]
        for found in (above, below)
    )
    assert square(low, low) <= square(pairs[0], pairs[0])
    assert max(square(one, two) for one in pairs for two in pairs) <= square(top, top)


@random_cases(40)
@given(laws(3), laws(3), laws(3), laws(3), st.fractions(Fraction(1, 2), 6, max_denominator=10))
def test_a_choice_that_depends_on_what_was_seen_is_dominated_too(P, Q, R, S, x):
    """Adaptive composition, in full: after each outcome of (P, Q) the worse of two pairs at that threshold."""

    def worse(t):
        return max(height(P, Q, t), height(R, S, t))

    truth = sum((p * worse(x * q / p) for p, q in zip(P, Q, strict=True) if p), Fraction(0))
    ratios = sorted({p / q for one, two in ((P, Q), (R, S)) for p, q in zip(one, two, strict=True) if p and q})
    top = dominating([(t, worse(t)) for t in ratios])
    atoms = [(Fraction(int(p)), Fraction(int(q))) for p, q in zip(top.p, top.q, strict=True)]
    twice = sum((max(a * c - x * b * d, 0) for (a, b), (c, d) in product(atoms, atoms)), Fraction(0))
    assert truth <= twice / int(top.denominator) ** 2


def test_exact_pairs_have_atoms_on_both_sides():
    pair = Pair.of(Law.of({"a": "1/3", "b": "2/3"}), Law.of({"a": "1/7", "b": "6/7"}))
    atoms = Exact(pair).atoms(40)
    for (low, high), truth in ((atoms.p, ("1/3", "2/3")), (atoms.q, ("1/7", "6/7"))):
        for below, above, value in zip(map(int, low), map(int, high), truth, strict=True):
            assert 2**40 * Fraction(value) - 1 < below <= 2**40 * Fraction(value) <= above < 2**40 * Fraction(value) + 1


def test_corners_of_a_worst_profile_give_all_of_it():
    rows, around = oracle.krr(3, "1/4"), neighbourhood(KRR(3, "1/4").randomizer(), 3)
    top = dominating(mirrored(breakpoints(largest_profile(case.pair for case in around))))
    for x in PLACES:
        worst = max(oracle.hockey_stick(P, Q, x) for P, Q in oracle.pairs_of_laws(rows, 3, "shuffled"))
        assert curve(top, x) == worst


@pytest.mark.parametrize("bound", ["0", "1", "1/3", "1e-300", Fraction(2**200 + 1, 2**201), Fraction(1, 3**500)])
def test_rounding_up(bound):
    exact = Fraction(bound)
    assert exact <= rounded_up(exact) <= exact * (1 + Fraction(1, 2**127))
    assert rounded_up(exact).numerator.bit_length() <= 129


def test_composed_dots_against_enumeration():
    """Dots of one coin: the pair itself, seen three times."""
    coin = Pair.of(Law.of({0: "3/4", 1: "1/4"}), Law.of({0: "1/4", 1: "3/4"}))
    top = dominating(mirrored([(Fraction(1), curve(coin, 1)), (Fraction(3), Fraction(0))]))
    found = compose([Exact(top)], 3, "log(2)")
    assert found.low <= enumerated([COIN] * 3, Fraction(2)) <= found.high
    assert found.relative_width < Fraction(1, 10**25)


@pytest.mark.parametrize(
    "call",
    [
        lambda: dominating([(0, "1/2")]),
        lambda: dominating([(-1, "1/2")]),
        lambda: dominating([("1/2", "1/3")]),
        lambda: dominating([(2, "3/2")]),
        lambda: dominating([(2, 0.5)]),
        lambda: dominated([(2, "1/2", "1/3")]),
        lambda: dominated([("1/2", 0, "1/3")]),
        lambda: dominated([(2, 0, "1/3")], Fraction(1, 2)),
    ],
)
def test_bad_input(call):
    with pytest.raises(BadInput) as error:
        call()
    assert "\n" not in str(error.value)
    assert "expected" in str(error.value) or "exact" in str(error.value)
