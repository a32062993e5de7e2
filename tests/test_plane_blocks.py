"""Long blocks of users in a plane: against the enumeration of all datasets at small n, and against fractions."""

import random
from fractions import Fraction
from itertools import chain, permutations

import numpy as np
import pytest

from tests import oracle
from tests.test_block_cover import T, largest, table
from verify.decide.worst_case import delta as worst_delta
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.exact.views import view_of
from verify.reduce.block_cover import words
from verify.reduce.block_cover.blocks import Block, Cuts
from verify.reduce.block_cover.curve import Curve
from verify.reduce.block_cover.plane_search import PlaneSearch
from verify.reduce.block_cover.reach import Closing, block_reach
from verify.reduce.block_cover.words import Windows
from verify.reduce.compositions import Box
from verify.reduce.plane_cover.cover import Search
from verify.reduce.plane_cover.plane import Plane
from verify.reduce.plane_cover.windows import Sums
from verify.reduce.privacy_blanket import reach_of
from verify.reduce.reduction import worst_delta as delta_of
from verify.reduce.reduction import worst_epsilon as epsilon_of

KINDS = ("one of three", "two kinds", "gaps", "shift")
FINE, FINER = Cuts(Fraction(1, 1 << 7), 1 << 8, 1 << 10, 99), Cuts(Fraction(1, 1 << 11), 1 << 12, 1 << 13, 99)


class Classes:
    """The classes of a plane's inputs, as `largest` asks for them."""

    def __init__(self, plane):
        self.classes = [[x for x, k in enumerate(plane.classes) if k == c] for c in range(len(plane.bases))]


def search_of(rows, n, size=7):
    """A search for long blocks; None where views do not lie in a plane."""
    randomizer = Randomizer.of(rows)
    plane = Plane.of(randomizer)
    return plane and PlaneSearch(
        view_of(randomizer), n, 10**9, lambda: None, windows=Windows(plane, Sums(plane, n, size))
    )


def compared(seed, kind, inputs):
    """Every block that is chosen for some boxes, against all datasets in them; how many bounds were below 1."""
    rng, rows, n, told = random.Random(seed), table(seed, kind, inputs), 2 + seed % 4, 0
    search = search_of(rows, n, rng.choice((3, 7, 8)))
    if search is None:
        return 0
    search.levels = sorted({1, rng.randint(1, n)})
    classes = Classes(search.windows.plane)
    middle = [0] * len(classes.classes)
    for _ in range(n - 1):
        middle[rng.randrange(len(middle))] += 1
    for pair in permutations(range(inputs), 2):
        if search.windows.plane.rows[pair[0]] == search.windows.plane.rows[pair[1]]:
            continue
        for lower in ([0] * len(middle), middle, [rng.randint(0, least) for least in middle]):
            truth = largest(rows, classes, n, pair, lower)
            for block, draws in chain(*search.choices(Box.tight(lower, [n - 1] * len(lower), n - 1))):
                bold = Cuts(Fraction(1, 1 << rng.randint(0, 4)), rng.randint(1, 9), rng.randint(1, 40), 99)
                for cuts, bits in ((bold, 20), (FINE, 96)):
                    most = search.windows.allowed(block, draws, pair, T, cuts, bits)
                    assert most >= truth, (rows, n, pair, lower, block, draws, cuts)
                told += most < 1
    return told


@pytest.mark.parametrize("kind", KINDS)
def test_long_blocks_bound_all_datasets(kind):
    assert sum(compared(seed, kind, inputs) for seed in (0, 1, 2) for inputs in (2, 2 + seed % 2)) > 10


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_long_blocks_bound_all_datasets_of_many_tables(kind):
    assert sum(compared(seed, kind, inputs) for seed in range(4, 200) for inputs in (2, 3)) > 1000


@pytest.mark.parametrize("kind", KINDS)
def test_one_block_of_all_users_loses_nothing(kind):
    """All others known and in one block: what is bounded is the one dataset there is, to the rounding."""
    for seed in range(2):
        rows, n = table(seed, kind, 2), 4
        search = search_of(rows, n)
        if search is None or len(search.windows.plane.bases) < 2:
            continue
        for others, users in (("11", (1, 2)), ("01", (2, 1)), ("00", (3, 0))):
            truth = oracle.hockey_stick(
                *(oracle.convolved_law(rows, [x, "0", *others[1:], others[0]]) for x in "01"), T
            )
            most = search.windows.allowed(Block((users[0] + 1, users[1]), 0, 0), 1, (0, 1), T, FINER, 96)
            assert truth <= most <= truth + Fraction(1, 1000), (rows, others)


def test_a_value_is_rounded_up_and_not_far():
    """A single cell: its two places have its weight, and a mean that is at least its value and hardly more."""
    rng, cuts, shift = random.Random(5), Cuts(Fraction(1, 1 << 6), 1 << 12, 1 << 12, 99), 6 - 29
    for _ in range(300):
        s = rng.randint(64, 1 << rng.randint(7, 61))
        value = Fraction(rng.randint(-(10**6), 10**6), 10**6) * 50
        value = value if s < 1 << 56 else value / 60
        e = int(value * s / 4)  # in units 2^-59, four of those of s
        value = Fraction(4 * e, s)
        found, weight, outside = words._values(np.array([e]), np.array([s]), shift, cuts)
        assert weight == s and outside == 0 and 0 <= s - int(found.sum()) <= 2
        mean = sum(Fraction(int(w) * (i - cuts.below), s) for i, w in enumerate(found) if w)
        room = Fraction(2 * cuts.above, s) + Fraction(1, 100)
        assert value - room <= mean * cuts.step <= value + abs(value) / 10**6 + room
        if s > 1 << 40:
            assert mean * cuts.step >= value - Fraction(1, 1 << 20)
    assert words._values(np.array([7]), np.array([5]), shift, cuts)[1:] == (0, 7)  # too little to divide by
    far = np.array([1 << 55])
    assert words._values(far, np.array([1 << 40]), shift, cuts)[1:] == (0, 1 << 55)  # too large a value
    assert list(words._bits(np.array([0, 1, 2, 255, 256, 1 << 61]))) == [0, 1, 2, 8, 9, 62]


def closed_in(seed, kind):
    """How many upper ends at many eps are below 1 by long blocks alone; all of them are above the truth."""
    rows, n = table(seed, kind, 2), 4 + seed % 4
    grid, tolerance = [Eps.of(eps) for eps in ("0", "1/9", "1/3", "log(3/2)", "1")], Fraction(1, 1000)
    search = search_of(rows, n)
    if search is None:
        return 0
    exact = [worst_delta(Randomizer.of(rows), n, at, max_work=10**9).delta for at in grid]
    lows = [Fraction(value.enclosure()[0]) / 3 for value in exact]
    known = tolerance, None
    questions = [Closing(search.view, *known, low, Fraction(1), search, search.windows) for low in lows]
    for _ in Curve(search, grid, questions, tolerance).close_in():
        for value, one in zip(exact, questions, strict=True):
            assert value.minus(one.high).sign() <= 0, (rows, n)
    return sum(one.high < 1 for one in questions)


@pytest.mark.parametrize("kind", KINDS)
def test_long_blocks_bound_all_datasets_at_many_eps(kind):
    assert sum(closed_in(seed, kind) for seed in (1, 2, 5, 8)) > 0


def test_an_eps_is_closed_in_with_three_inputs():
    """To two hundredths; windows of all users, another proof, attain nothing above."""
    rows, bound, n = table(2, "one of three", 3), Fraction(1, 10**6), 4000
    randomizer = Randomizer.of(rows)
    low, high, found = epsilon_of(block_reach(randomizer, n, Fraction(1, 50)), bound)
    assert 0 < low < high <= low * Fraction(102, 100) and not found.stopped
    alone = epsilon_of(reach_of(randomizer, n), bound)
    assert alone[0] == low and alone[1] > low * Fraction(104, 100)
    search = Search(Plane.of(randomizer), n, Fraction(1, 1000), 10**6)
    rng = random.Random(3)
    for _ in range(2):
        cut = sorted(rng.randint(0, n - 1) for _ in "12")
        counts = (cut[0], cut[1] - cut[0], n - 1 - cut[1])
        assert search.attained(search.sums(bound), counts, Eps.of(high)) <= bound


def test_a_delta_is_closed_in_with_three_inputs():
    """To two hundredths, where a blanket allows much more; windows of all users attain nothing above."""
    randomizer, n, eps = Randomizer.of(table(2, "one of three", 3)), 4000, Eps.of("3/50")
    found = delta_of(block_reach(randomizer, n, Fraction(1, 50)), eps)
    alone = delta_of(reach_of(randomizer, n), eps)
    value = found.value
    assert 0 < value.low <= value.high <= value.low * Fraction(102, 100) and not found.stopped
    assert alone.value.low == value.low and alone.value.high > value.low * Fraction(13, 10)
    search = Search(Plane.of(randomizer), n, Fraction(1, 1000), 10**6)
    sums = search.sums(value.low)
    for counts in ((n - 1, 0, 0), (1000, 2000, 999), (0, 3000, 999)):
        assert search.attained(sums, counts, eps) <= value.high


@pytest.mark.long
def test_a_certificate_is_not_told_what_only_long_blocks_show():
    """Whether a bound is kept is asked of blocks that a certificate can hold; long ones show that it is."""
    randomizer, n, bound = Randomizer.of(table(2, "two kinds", 2)), 4000, Fraction(1, 10**6)
    reach = block_reach(randomizer, n, max_work=1_500_000)
    low, high, _ = epsilon_of(reach, bound)
    assert high <= low * Fraction(1005, 1000)
    assert reach.delta(Eps.of(high), bound).value.high > bound
