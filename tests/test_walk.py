"""Noise orders, grids and the grid search, on made-up curves whose answer is known by listing every level."""

from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from shufflecert.verify.calibrate.grid_search import FEW, GridSearch
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.systems.declare import Grid, Order
from tests.helpers import few, some

F = Fraction
UP = Order(F(0), F(1), lemma="made up")
ENDLESS = Order(F(0), None, open_ends=True, lemma="made up")
DOWN = Order(F(1, 2), F(1), falling=True, lemma="made up")
COUNTS = Order(F(2), F(10**6), falling=True, whole=True, lemma="made up")
USERS = Order(F(1), F(10**15), whole=True, lemma="made up")
NO_LEMMA = Order(F(1, 2), F(1), falling=True)
ORDERS = [UP, ENDLESS, DOWN, COUNTS, USERS, NO_LEMMA]


# The grid ----------------------------------------------------------------------------------------------------------


@given(st.sampled_from(ORDERS), st.fractions(F(1, 9), 9, max_denominator=40), st.data())
@few
def test_a_grid_is_the_multiples_of_its_step_in_its_range(order, step, data):
    """Listed by hand: every multiple of the step from 0 to 60, held against the ends one by one."""
    step = F(max(1, round(step))) if order.whole else step
    top = order.high if order.high is not None and order.high < 60 else F(60)
    ends = st.fractions(order.low, top, max_denominator=30)
    within = tuple(sorted([data.draw(ends), data.draw(ends)]))
    inside = [k * step for k in range(int(60 / step) + 1) if within[0] <= k * step <= within[1]]
    if order.open_ends:
        inside = [v for v in inside if v not in (order.low, order.high)]
    if not inside:
        with pytest.raises(BadInput, match="no multiple"):
            Grid.of(order, "x", step, within)
        return
    grid = Grid.of(order, "x", step, within)
    values = [grid.value(level) for level in range(grid.lowest, grid.highest + 1)]
    assert values == (inside[::-1] if order.falling else inside)
    assert grid.size == len(inside) and grid.quiet <= grid.lowest
    no_noise = order.high if order.falling else order.low
    assert abs(no_noise - grid.value(grid.quiet)) < step or grid.value(grid.quiet) == values[0]


@pytest.mark.parametrize("order", ORDERS)
def test_the_finest_grid_has_64_bits(order):
    grid = Grid.of(order, "x")
    assert grid.step == (1 if order.whole else F(1, 2**64)) and grid.order.finest == grid.step
    ends = [grid.value(level) for level in (grid.lowest, grid.highest) if level is not None]
    if order.open_ends:
        assert min(ends) == grid.step and order.high is None
    else:
        assert sorted(ends) == [order.low, order.high]


@pytest.mark.parametrize(
    ("order", "step", "within", "complaint"),
    [
        (UP, F(0), None, "step: 0: expected a positive rational"),
        (UP, F(-1, 2), None, "step: -1/2: expected a positive rational"),
        (COUNTS, F(1, 2), None, "step: 1/2: expected a positive integer"),
        (COUNTS, F(3, 2), None, "step: 3/2: expected a positive integer"),
        (UP, None, (F(3, 4), F(1, 2)), "range: 3/4:1/2 is reversed: expected LOW:HIGH"),
        (UP, None, (F(1, 2), F(2)), "range: 1/2:2: expected x of at least 0 and at most 1, where more is noise"),
        (DOWN, None, (F(1, 4), F(1)), "range: 1/4:1: expected x of at least 1/2 and at most 1, where less is noise"),
        (ENDLESS, None, (F(-1), F(1)), "range: -1:1: expected x of at least 0, where more is noise"),
        (DOWN, F(2), None, "x: no multiple of 2 in the range: expected a smaller step or more room"),
        (UP, F(1, 2), (F(1, 3), F(2, 5)), "x: no multiple of 1/2 in the range: expected a smaller step or more room"),
        (ENDLESS, F(1), (F(0), F(1, 2)), "x: no multiple of 1 in the range: expected a smaller step or more room"),
    ],
)
def test_a_grid_that_is_none(order, step, within, complaint):
    with pytest.raises(BadInput) as refused:
        Grid.of(order, "x", step, within)
    assert str(refused.value) == complaint


@given(st.sampled_from([UP, DOWN, COUNTS]), st.fractions(F(1, 3), 9, max_denominator=10**40))
@few
def test_a_decimal_is_the_value_or_more_noise(order, value):
    grid = Grid.of(order, "x")
    shown = F(grid.decimal(value))
    assert shown <= value if order.falling else shown >= value
    assert abs(shown - value) <= value / 10**29
    if 10**60 % value.denominator == 0:
        assert shown == value


# The search --------------------------------------------------------------------------------------------------------


def around(truth, skew):
    """What encloses a number to so many digits, no better: `skew` / 8 of the width lies below the number."""

    def values(digits):
        width = truth / 10**digits
        return Interval(truth - width * skew / 8, truth + width * (8 - skew) / 8)

    return values


def exactly(curve, skew=3):
    def sides(level):
        values = around(curve(level), skew)
        return values, values

    return sides


@given(
    st.sampled_from([(UP, None), (DOWN, None), (ENDLESS, None), (UP, F(1, 10**9 + 7)), (ENDLESS, F(3, 10**12))]),
    st.integers(1, 4),
    st.integers(10**6, 10**30),
    st.integers(1, 10**30),
    st.integers(0, 8),
)
@some
def test_exact_pairs_the_next_level_breaks(grid, power, scale, place, skew):
    """delta = (scale / (scale + 2 distance))^power falls with every level, and passes the bound in between two."""
    grid = Grid.of(grid[0], "x", grid[1])
    place = place % ((grid.highest or 2**70) - grid.lowest) + grid.lowest - grid.quiet
    bound = F(scale, scale + 2 * place + 1) ** power
    walk = GridSearch(grid, bound, exactly(lambda level: F(scale, scale + 2 * (level - grid.quiet)) ** power, skew))
    assert walk.search() == (grid.quiet + place + 1, grid.quiet + place)
    assert walk.exact


@given(st.integers(1, 500), st.integers(2, 10**20), st.integers(0, 8))
@few
def test_a_value_beside_one_that_was_seen_early(offset, scale, skew):
    """The answer is a few levels above a quarter of the range, which the search looks at with few digits."""
    grid = Grid.of(UP, "x")
    for place in (grid.highest // 4 + offset, grid.highest // 2 + offset, grid.highest // 2 - offset):
        bound = F(scale, scale + 2 * place + 1)
        walk = GridSearch(grid, bound, exactly(lambda level: F(scale, scale + 2 * level), skew))
        assert walk.search() == (place + 1, place) and walk.exact


@given(st.integers(2, 2**64 - 2))
@few
def test_bound_0_is_found_by_halving(place):
    """delta = max(place - level, 0), as of a system that is pure from one value on."""
    grid = Grid.of(UP, "x")
    walk = GridSearch(grid, F(0), exactly(lambda level: F(max(place - level, 0), 2**64)))
    assert walk.search() == (place, place - 1)
    assert walk.evaluated < 140


@given(st.lists(st.integers(1, 9), min_size=2, max_size=30), st.integers(1, 8))
@few
def test_without_a_lemma_small_grids_are_tried_one_by_one(heights, bound):
    """The first of a list of arbitrary heights that is at most the bound."""
    order = Order(F(0), F(len(heights) - 1), whole=True)
    grid = Grid.of(order, "x")
    exact = lambda level: (lambda _: Interval(F(heights[level], 10), F(heights[level], 10)),) * 2  # noqa: E731
    walk = GridSearch(grid, F(bound, 10), exact)
    first = next((i for i, h in enumerate(heights) if h <= bound), None)
    if first is None:
        with pytest.raises(BadInput, match=r"no value satisfies \(eps, delta\): .* which fails"):
            walk.search()
        return
    assert walk.search() == (first, first - 1 if first else None)
    assert walk.evaluated == first + 1


@given(st.sampled_from([UP, DOWN, COUNTS, USERS]), st.data())
@few
def test_a_range_is_not_left(order, data):
    """Ranges of a few levels anywhere, also of one: the least of them that keeps, by listing them."""
    step = F(1) if order.whole else F(1, 64)
    whole = Grid.of(order, "x", step)
    start = data.draw(st.integers(whole.lowest, min(whole.highest, whole.lowest + 40)))
    end = data.draw(st.integers(start, min(whole.highest, start + 12)))
    within = tuple(sorted([whole.value(start), whole.value(end)]))
    grid = Grid.of(order, "x", step, within)
    seen = []

    def curve(level):
        seen.append(level)
        return F(1, level - whole.lowest + 4)

    place = data.draw(st.integers(start - 2, end + 2))
    near = data.draw(st.none() | st.integers(start - 40, end + 40))  # a guess changes no answer
    walk = GridSearch(grid, F(2, 2 * (place - whole.lowest + 4) - 1), exactly(curve), near=near)
    if place > end:
        with pytest.raises(BadInput, match=r"no value satisfies \(eps, delta\)"):
            walk.search()
    else:
        least = max(place, start)
        assert walk.search() == (least, least - 1 if least > start else None)
    assert all(start <= level <= end for level in seen)


def apart(curve, gap):
    """Two sides: what is attained is less than the curve by the share `gap`, what dominates is more by it."""
    return lambda level: (around(curve(level) * (1 - gap), 3), around(curve(level) * (1 + gap), 3))


@given(st.sampled_from([UP, DOWN, ENDLESS]), st.integers(10**17, 10**19), st.integers(2**60, 2**63), st.integers(1, 6))
@few
def test_two_sides_what_keeps_and_what_breaks(order, scale, place, gap):
    """delta in (1 -+ 10^-gap) scale / (scale + distance): both answers within a thousandth of where the sides cross."""
    grid, gap = Grid.of(order, "x"), F(1, 10**gap)
    bound = F(scale, scale + place)
    distances = {side: scale * (1 + side * gap) / bound - scale for side in (-1, 1)}
    assume(min(distances.values()) > 0 and max(distances.values()) < 2**63)
    walk = GridSearch(grid, bound, apart(lambda level: F(scale, scale + level - grid.quiet), gap))
    high, low = (level - grid.quiet for level in walk.search())
    assert distances[1] <= high <= distances[1] * (1 + F(1, 1000))
    # a level is broken where the attained side is above the bound; the search is followed by a check of each answer
    assert low <= distances[-1] * (1 + F(1, 1000)) and low >= distances[-1] * (1 - F(1, 1000)) - 1
    assert low < high and not walk.exact


def test_what_dominates_breaks_nothing():
    """Exact at every second level only: a dominating bound above the promise is no failure, wherever it is met."""
    grid, attained, dominating = Grid.of(UP, "x", F(1, 16)), F(1, 10), F(3, 10)

    def sides(level):
        exact = around(F(1, 4) if level < 8 else F(1, 100), 4)
        return (exact, exact) if level % 2 else (around(attained, 4), around(dominating, 4))

    walk = GridSearch(grid, F(1, 5), sides)
    assert walk.keeps(9) and not walk.keeps(4) and not walk.breaks(4)
    assert not walk.keeps(3) and walk.breaks(3)
    assert not walk.keeps(2) and not walk.breaks(2)


def test_where_nothing_keeps_the_promise():
    """Only what is proved is said: all values, where the lemma or all of them say so."""

    def complaint(grid, bound, sides):
        with pytest.raises(BadInput) as refused:
            GridSearch(grid, bound, sides).search()
        return str(refused.value)

    flat = exactly(lambda level: F(1, 4))
    known = "the most noise that was tried is {}, which fails: delta(eps) is in [0.249999, 0.250001] there"
    assert complaint(Grid.of(UP, "x"), F(1, 5), flat) == f"no value satisfies (eps, delta): {known.format(1)}"
    small = Grid.of(NO_LEMMA, "x", F(1, 32))
    assert complaint(small, F(1, 5), flat) == f"no value satisfies (eps, delta): {known.format(0.5)}"
    # without an end, or where not all were tried, a value may
    assert complaint(Grid.of(ENDLESS, "x"), F(1, 5), flat).startswith("no value is shown to satisfy (eps, delta): ")
    said = complaint(Grid.of(NO_LEMMA, "x"), F(1, 5), flat)
    assert said.startswith("no value is shown") and said.endswith(f"as they are where there are at most {FEW}")
    # what dominates is above the bound and what is attained below it: nothing fails
    said = complaint(Grid.of(UP, "x"), F(1, 5), apart(lambda level: F(1, 5), F(1, 2)))
    assert said.startswith("no value is shown to satisfy (eps, delta): ")
    assert said.endswith("which is not shown to be enough: delta(eps) is in [0.0999999, 0.300001] there")


def test_levels_of_too_much_work_are_passed_over():
    def sides(level):
        if level % 3 == 0:
            raise TooMuchWork("estimate 10^9")
        values = around(F(1, level), 4)
        return values, values

    grid = Grid.of(Order(F(1), F(1000), whole=True), "x")
    # 3 and 6 are not known, so the first that is shown to keep 1/6 is 7; 5 is the last that is shown to break it
    assert GridSearch(grid, F(1, 6), sides).least() == 7


def test_a_level_that_is_no_value_is_passed_over_and_a_question_that_is_none_is_not():
    def sides(level):
        if level >= -3:
            raise BadInput("h: 4: expected at most d")
        values = around(F(1, 2), 4)
        return values, values

    grid = Grid.of(COUNTS, "d")
    with pytest.raises(BadInput) as refused:
        GridSearch(grid, F(1, 5), sides).search()
    assert str(refused.value).startswith(
        "no value is shown to satisfy (eps, delta): the most noise that was tried is 2: h:"
    )

    def never(level):
        raise BadInput("gamma: 7 is not a probability")

    with pytest.raises(BadInput, match=r"\Agamma: 7 is not a probability\Z"):
        GridSearch(grid, F(1, 5), never).search()


def test_pure_privacy_is_not_sought_among_all_numbers_of_users():
    """delta = 2^-n is never 0: the search ends before its cost explodes."""
    looked = []

    def sides(level):
        looked.append(level)
        values = around(F(1, 2**level), 4)
        return values, values

    with pytest.raises(BadInput, match=r"no value is shown to satisfy \(eps, delta\)"):
        GridSearch(Grid.of(USERS, "n"), F(0), sides).search()
    assert max(looked) < 10**4
    looked.clear()
    assert GridSearch(Grid.of(USERS, "n"), F(1, 2**20 - 1), sides).search() == (20, 19)
    assert max(looked) < 300
