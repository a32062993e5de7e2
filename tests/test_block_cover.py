"""Blocks of users: what they allow, against the enumeration of all datasets at small n, and beside other roads."""

import random
from fractions import Fraction
from itertools import chain, combinations_with_replacement, permutations

import pytest

from tests import oracle, random_tables
from verify.decide.worst_case import delta as worst_delta
from verify.decide.worst_case import epsilon as worst_epsilon
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.exact.views import view_of
from verify.reduce.block_cover.blocks import Block, Cuts, allowed
from verify.reduce.block_cover.curve import Curve
from verify.reduce.block_cover.guess import Law
from verify.reduce.block_cover.reach import Closing, block_reach
from verify.reduce.block_cover.search import Search
from verify.reduce.compositions import Box
from verify.reduce.plane_cover.reach import plane_reach
from verify.reduce.privacy_blanket import reach_of
from verify.reduce.reduction import worst_delta as worst_of
from verify.reduce.reduction import worst_epsilon as epsilon_of

KINDS = ("one of three", "one of four", "two kinds", "gaps", "shift")
T = Fraction(4, 3)


def table(seed, kind, inputs):
    """Another table than the plane's of this seed; one with gaps is of four messages, where three numbers matter."""
    outputs = random_tables.OUTPUTS["one of four"] if kind == "gaps" else None
    return random_tables.table(f"blocks {seed}", kind, inputs, outputs)


def rank_three(seed, inputs=3):
    """A table of some inputs and four messages of which three numbers matter."""
    rng = random.Random(seed)
    weights = [[rng.randint(1, 9) for _ in "abcd"] for _ in range(inputs)]
    return {
        str(x): {(m,): Fraction(w, sum(row)) for m, w in zip("abcd", row, strict=True)} for x, row in enumerate(weights)
    }


def largest(rows, view, n, pair, lower):
    """The largest delta at e^eps = T over all others with so many of each class, by the oracle."""
    most = Fraction(0)
    for others in combinations_with_replacement(range(len(rows)), n - 1):
        if all(sum(x in group for x in others) >= least for group, least in zip(view.classes, lower, strict=True)):
            laws = [oracle.convolved_law(rows, [str(x), *map(str, others)]) for x in pair]
            most = max(most, oracle.hockey_stick(*laws, T))
    return most


def compared(seed, kind, inputs):
    """Every block that is chosen for some boxes, against all datasets in them; how many bounds were below 1."""
    rng, rows = random.Random(seed), table(seed, kind, inputs)
    n, view, told = 2 + seed % 4, view_of(Randomizer.of(rows)), 0
    search = Search(view, n, 10**9, lambda: None)
    search.sizes = rng.choice([(1,), (1, 2), (1, 2, 4)][: 1 + (n > 1) + (n > 3)])
    middle = [0] * len(view.classes)
    for _ in range(n - 1):
        middle[rng.randrange(len(middle))] += 1
    lowers = [[0] * len(middle), middle, [rng.randint(0, least) for least in middle]]
    for pair in permutations(range(inputs), 2):
        for lower in lowers:
            truth = largest(rows, view, n, pair, lower)
            for block, draws in chain(*search.choices(Box.tight(lower, [n - 1] * len(lower), n - 1))):
                seen = search.blocks.seen(block, *pair)
                bold = Cuts(
                    Fraction(rng.randint(1, 40), 20), rng.randint(1, 30), rng.randint(1, 30), rng.choice((2, 99))
                )
                fine = Law.of(search.blocks, block, *pair).cuts(0.3, draws, 1e-9)
                for cuts, bits in ((bold, 20), (fine, 96)):
                    most = allowed(seen, draws, T, cuts, bits)
                    assert most >= truth, (rows, n, pair, lower, block, draws, cuts)
                told += most < 1
    return told


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_bound_all_datasets(kind):
    assert sum(compared(seed, kind, inputs) for seed in range(4) for inputs in (2, 3)) > 10


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_blocks_bound_all_datasets_of_many_tables(kind):
    assert sum(compared(seed, kind, inputs) for seed in range(4, 300) for inputs in (2, 3)) > 1000


def closed_in(seed, kind):
    """How many upper ends at many eps are below 1 by blocks alone; all of them are above the truth."""
    rows = table(seed, kind, 2)
    n, grid = 4 + seed % 5, [Eps.of(eps) for eps in ("0", "1/9", "1/5", "1/3", "log(3/2)", "9/20", "1/2", "1")]
    view, tolerance = view_of(Randomizer.of(rows)), Fraction(1, 1000)
    exact = [worst_delta(Randomizer.of(rows), n, at, max_work=10**9).delta for at in grid]
    lows = [Fraction(value.enclosure()[0]) / 3 for value in exact]
    search = Search(view, n, 400_000, lambda: None)
    questions = [Closing(view, tolerance, None, low, Fraction(1), search) for low in lows]
    for _ in Curve(search, grid, questions, tolerance).close_in():
        for value, one in zip(exact, questions, strict=True):
            assert value.minus(one.high).sign() <= 0, (rows, n)
    return sum(one.high < 1 for one in questions)


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_bound_all_datasets_at_many_eps(kind):
    assert sum(closed_in(seed, kind) for seed in range(5)) > 3


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_blocks_bound_all_datasets_at_many_eps_of_many_tables(kind):
    assert sum(closed_in(seed, kind) for seed in range(5, 150)) > 150


@pytest.mark.parametrize("size", [1, 2])
def test_blocks_of_one_class_lose_nothing(size):
    """All others on one input, who send one message each: the bound is attained; one draw more would be too many."""
    for seed in range(3):
        rows, n = rank_three(seed), 4
        view = view_of(Randomizer.of(rows))
        search = Search(view, n, 10**9, lambda: None)
        laws = [oracle.convolved_law(rows, [x, "1", "1", "1"]) for x in "01"]
        truth = oracle.hockey_stick(*laws, T)
        block = Block((0, size, 0), 0, 1)
        seen = search.blocks.seen(block, 0, 1)
        cuts = Law.of(search.blocks, block, 0, 1).cuts(0.3, n, 1e-12)
        fine = Cuts(cuts.step / 64, cuts.below * 64, cuts.above * 64, cuts.rare)
        assert truth <= allowed(seen, n // size, T, fine, 96) <= truth * Fraction(1001, 1000)
        assert allowed(seen, n // size + 1, T, fine, 96) < truth


def test_an_eps_is_closed_in_where_three_numbers_matter():
    """The interval is in the blanket's, whose upper end is far; delta just below its lower end is above the bound."""
    randomizer, bound = Randomizer.of(rank_three(3, 2)), Fraction(1, 10**6)
    low, high = worst_epsilon(randomizer, 2000, bound, max_work=5_000_000).interval
    alone = epsilon_of(reach_of(randomizer, 2000), bound)
    assert alone[0] == low < high < alone[1] * Fraction(98, 100)


@pytest.mark.long
def test_a_delta_is_closed_in_where_three_numbers_matter():
    """At an eps that the blanket does not show to be enough, delta is the closer enclosed."""
    randomizer, bound = Randomizer.of(rank_three(3, 2)), Fraction(1, 10**6)
    high = epsilon_of(block_reach(randomizer, 2000, max_work=5_000_000), bound)[1]
    found = worst_of(block_reach(randomizer, 2000, max_work=3_000_000), Eps.of(high)).value
    assert found.low <= bound and found.high < worst_of(reach_of(randomizer, 2000), Eps.of(high)).value.high


@pytest.mark.long
def test_beside_windows_in_the_plane():
    """Two proofs of one number: what real datasets attain by windows in the plane is not above what blocks allow."""
    randomizer, n, bound = Randomizer.of(table(5, "two kinds", 2)), 200, Fraction(1, 10**4)
    low, high, _ = epsilon_of(plane_reach(randomizer, n), bound)
    _, above, _ = epsilon_of(block_reach(randomizer, n, max_work=3_000_000), bound)
    assert low <= high < low * Fraction(1002, 1000) and low <= above
    found = worst_of(plane_reach(randomizer, n), Eps.of("1/10")).value
    assert found.low <= worst_of(block_reach(randomizer, n, max_work=3_000_000), Eps.of("1/10")).value.high


def test_stopped_by_a_key():
    """With Ctrl-C an answer is what is known, and never wrong: each interval lies in the one before it."""
    randomizer, bound = Randomizer.of(rank_three(3, 2)), Fraction(1, 10**6)
    ends = []
    for patience in (1, 40, 10**9):
        left = [patience]

        def tick(*_, left=left):
            left[0] -= 1
            if left[0] == 0:
                raise KeyboardInterrupt

        low, high, found = epsilon_of(block_reach(randomizer, 4000, max_work=3_000_000, tick=tick), bound)
        assert found.stopped == (patience < 10**9) and ("Ctrl-C" in found.note) == found.stopped
        ends.append((low, high))
    assert ends[0][0] == ends[1][0] == ends[2][0] and ends[0][1] >= ends[1][1] >= ends[2][1] > ends[2][0]
    assert ends[0][1] > ends[2][1]


def test_small_numbers_of_users_are_enumerated_and_within():
    """Forced onto this road at n = 5, both ends hold the exact answer."""
    for seed in range(3):
        randomizer = Randomizer.of(table(seed, "one of four", 3))
        exact = worst_delta(randomizer, 5, "log(4/3)").delta
        found = worst_of(block_reach(randomizer, 5), Eps.of("log(4/3)")).value
        assert exact.minus(found.low).sign() >= 0 >= exact.minus(found.high).sign()
