"""Draws of the enumerating source of randomness: laws by brute force over small lattices, volumes, and by hand.

Laws of draws from 0 .. 7 are counted over all triples or quadruples, ties included; laws of ideal draws are volumes of
polytopes, got by counting orders within the cells of a grid (`volume`), or by hand.
"""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import ceil, factorial, floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify.audit.observe.runner import walk
from shufflecert.verify.audit.rng.draws import Whole, exact
from shufflecert.verify.audit.rng.order_statistics import fresh
from shufflecert.verify.errors import BadInput
from tests.helpers import few
from tests.sampler_laws import law

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)


# Draws from few points, against all that they can be ------------------------------------------------------------------


POINTS = 8


def lattice_law(program, draws, kind=Whole):
    """The walked law of program([draw, ...]), every draw from 0 .. 7."""

    def run(path):
        thresholds = {}
        return program(
            [kind(path, fresh(POINTS), POINTS, thresholds, 1 if kind is Whole else 0.5) for _ in range(draws)]
        )

    walked = walk(run, Fraction(0), 10**6)
    assert walked.unexplored == 0
    return {output: p for output, p in walked.law.items() if p}


def counted(program, draws):
    """The same by trying all 8^draws values."""
    outputs = Counter(program(list(values)) for values in product(range(POINTS), repeat=draws))
    return {output: Fraction(count, POINTS**draws) for output, count in outputs.items()}


COMPARE = ("<", "<=", ">", ">=", "==", "!=")


def answer(left, how, right):
    return bool(
        {
            "<": lambda: left < right,
            "<=": lambda: left <= right,
            ">": lambda: left > right,
            ">=": lambda: left >= right,
            "==": lambda: left == right,
            "!=": lambda: left != right,
        }[how]()
    )


def asks(questions):
    """A program that answers all questions in order: (draw, comparison, another draw or ("at", threshold))."""

    def program(values):
        def right(what):
            return what[1] if isinstance(what, tuple) else values[what]

        return tuple(answer(values[i], how, right(other)) for i, how, other in questions)

    return program


def test_the_order_of_three_and_four_draws_with_ties():
    for draws in (2, 3, 4):
        pairs = [(i, how, j) for i in range(draws) for j in range(i) for how in ("<", "==")]
        program = asks(pairs)
        assert lattice_law(program, draws) == counted(program, draws)


@pytest.mark.parametrize("how", COMPARE)
def test_one_threshold_and_one_order_each_way(how):
    for t in (-1, 0, 1, 3, 7, 8, 9):
        for questions in ([(0, how, ("at", t)), (0, how, 1), (1, how, ("at", t))], [(0, how, 1), (1, how, ("at", t))]):
            program = asks(questions)
            assert lattice_law(program, 2) == counted(program, 2)


def test_a_threshold_between_draws_in_order():
    """Joined places, cells with several places, cells that are divided and merged again."""
    program = asks([(0, "==", 1), (1, "<", 2), (2, "<", ("at", 5)), (0, ">=", ("at", 2)), (0, "<", 2), (1, "!=", 0)])
    assert lattice_law(program, 3) == counted(program, 3)


questions = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from(COMPARE),
        st.one_of(st.integers(0, 2), st.tuples(st.just("at"), st.integers(-1, 9))),
    ),
    min_size=1,
    max_size=7,
)


@few
@given(questions)
def test_any_questions_about_three_draws(asked):
    asked = [(i, how, other) for i, how, other in asked if other != i]
    assert lattice_law(asks(asked), 3) == counted(asks(asked), 3)


@few
@given(questions, questions)
def test_questions_that_hang_on_answers(first, second):
    """Which questions follow depends on the first answers."""
    first, second = ([q for q in part if q[2] != q[0]] for part in (first, second))

    def program(values):
        begun = asks(first)(values)
        return begun, asks(second if sum(begun) % 2 else second[::-1])(values)

    assert lattice_law(program, 3) == counted(program, 3)


WHOLES = {
    "floor halves": lambda v: v[0] // 2,
    "shift": lambda v: v[0] >> 1,
    "int": lambda v: int(v[0]),
    "as an index": lambda v: list(range(10, 18))[v[0]],
    "as a key": lambda v: {k: k % 3 for k in range(8)}[v[0]],
    "modulo": lambda v: v[0] % 3,
    "bits": lambda v: (v[0] & 5, v[0] ^ 2),
    "after a threshold": lambda v: (v[0] < 3, int(v[0])),
    "after an order": lambda v: (v[0] < v[1], int(v[0]), int(v[1])),
    "after a tie": lambda v: (v[0] == v[1], int(v[1]), int(v[0])),
    "affine": lambda v: (3 * v[0] + 2 < 12, 7 - v[0] <= 3, -v[0] < -5),
    "range": lambda v: 2 <= v[0] < 6,
    "minimum": lambda v: int(min(v)),
    "maximum": lambda v: int(max(v)),
    "sorted": lambda v: tuple(int(x) for x in sorted(v)),
}


@pytest.mark.parametrize("name", WHOLES)
def test_whole_numbers(name):
    def program(values):
        found = WHOLES[name](values)
        return tuple(map(int, found)) if isinstance(found, tuple) else int(found)

    assert lattice_law(program, 2) == counted(program, 2)


# Ideal draws ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [2, 3, 4])
def test_every_order_is_as_probable_as_the_others(n):
    def order(x, rng):
        draws = [rng.random() for _ in range(n)]
        return tuple(sorted(range(n), key=draws.__getitem__))

    found = law(order)
    assert len(found) == factorial(n)
    assert set(found.values()) == {Fraction(1, factorial(n))}
    assert set(found) == {tuple(map(str, p)) for p in permutations(range(n))}


def volume(program, cuts, draws):
    """{output: volume} of a program of comparisons of draws with `cuts` and with each other.

    Within a box of the grid of cuts only draws in one interval can be in either order, each order equally probable: a
    box is tried at one point for every order.
    """
    ends = sorted({Fraction(0), Fraction(1), *cuts})
    cells = list(pairwise(ends))
    found = Counter()
    for box in product(cells, repeat=draws):
        size = Fraction(1)
        for low, high in box:
            size *= high - low
        for ranks in permutations(range(1, draws + 1)):
            values = [low + (high - low) * rank / (draws + 1) for (low, high), rank in zip(box, ranks, strict=True)]
            found[program(values)] += size / factorial(draws)
    return {output: p for output, p in found.items() if p}


def named(law):
    """By the labels that the tuples of bools have as messages."""
    return {tuple(str(int(part)) for part in output): p for output, p in law.items()}


thirds = st.sampled_from([Fraction(1, 10), Fraction(1, 4), Fraction(1, 3), Fraction(1, 2), Fraction(7, 8)])
ideal_questions = st.lists(
    st.tuples(
        st.integers(0, 2),
        st.sampled_from(("<", "<=", ">", ">=")),
        st.one_of(st.integers(0, 2), st.tuples(st.just("at"), thirds)),
    ),
    min_size=1,
    max_size=6,
)


@few
@given(ideal_questions)
def test_ideal_draws_against_volumes(asked):
    asked = [(i, how, other) for i, how, other in asked if other != i]
    program, cuts = asks(asked), [other[1] for *_, other in asked if isinstance(other, tuple)]

    def function(x, rng):
        return program([rng.random() for _ in range(3)])

    assert law(function) == named(volume(program, cuts, 3))


def test_a_threshold_and_orders_by_hand():
    """Pr[U < V, V < 1/2] = 1/8, Pr[U < 1/2 <= V] = 1/4, and max(U, V, W) < 1/3 of probability 1/27."""

    def two(x, rng):
        u, v = rng.random(), rng.random()
        return (u < v, v < 0.5)

    def three(x, rng):
        return max(rng.random() for _ in range(3)) < Fraction(1, 3)

    assert law(two) == {
        ("1", "1"): Fraction(1, 8),
        ("1", "0"): Fraction(3, 8),
        ("0", "1"): Fraction(3, 8),
        ("0", "0"): Fraction(1, 8),
    }
    assert law(three) == {("1",): Fraction(1, 27), ("0",): Fraction(26, 27)}


MAPS = {  # a function of one draw, and Pr[it is 1] by hand
    "a float is the decimal that it is written as": (lambda u: u < 0.1, Fraction(1, 10)),
    "affine": (lambda u: 3 * u - 1 < 0.5, HALF),
    "a decreasing map": (lambda u: 1 - u < 0.25, QUARTER),
    "twice decreasing": (lambda u: 1 - (2 - 3 * u) < 0, THIRD),
    "divided": (lambda u: u / 4 >= 0.2, Fraction(1, 5)),
    "negative factor": (lambda u: -2 * u <= -1.5, QUARTER),
    "abs": (lambda u: abs(u - 0.5) < 0.125, QUARTER),
    "modulo": (lambda u: (4 * u) % 1 < 0.3, Fraction(3, 10)),
    "int": (lambda u: int(5 * u) == 3, Fraction(1, 5)),
    "int of a negative one": (lambda u: int(4 * u - 2) == 0, HALF),
    "floor": (lambda u: (3 * u - 1) // 1 == -1, THIRD),
    "round": (lambda u: round(2 * u) == 1, HALF),
    "a float between": (lambda u: 0.25 < u <= 0.75, HALF),
    "equality never happens": (lambda u: u == 0.5, Fraction(0)),
    "beyond the ends": (lambda u: u < 2 and u > -1, Fraction(1)),
    "numpy's numbers": (lambda u: np.float64(0.25) < np.int64(2) * u, Fraction(7, 8)),
    "infinity": (lambda u: u < float("inf"), Fraction(1)),
}


@pytest.mark.parametrize("name", MAPS)
@pytest.mark.sampled(8)
def test_maps_of_a_draw(name):
    function, p = MAPS[name]
    found = law(lambda x, rng: bool(function(rng.random())))
    assert found.get(("1",), 0) == p


def test_ceil_and_floor_and_round():
    def three(x, rng):
        u = rng.random()
        return floor(3 * u), ceil(3 * u), round(3 * u)

    sixths = law(three)
    assert sixths == {
        ("0", "1", "0"): Fraction(1, 6),
        ("0", "1", "1"): Fraction(1, 6),
        ("1", "2", "1"): Fraction(1, 6),
        ("1", "2", "2"): Fraction(1, 6),
        ("2", "3", "2"): Fraction(1, 6),
        ("2", "3", "3"): Fraction(1, 6),
    }


DEPLOYED = [0.1, 0.3, 1 / 3, 0.5, 0.7, 2.0**-60, 1 - 2.0**-53, 5e-324]


@pytest.mark.parametrize("c", DEPLOYED)
@pytest.mark.sampled(4)
def test_deployed_comparisons_count_multiples_of_2_to_minus_53(c):
    """#{k : k 2^-53 < c} is c 2^53 rounded up, c the double."""
    below = -(-Fraction(c) * 2**53 // 1)
    assert law(lambda x, rng: rng.random() < c, deployed=True).get(("1",), 0) == Fraction(below, 2**53)


@pytest.mark.parametrize(("a", "b"), [(3.0, -1.0), (0.1, 0.7), (1e-3, 0.1), (-7.0, 0.3)])
@pytest.mark.sampled(2)
def test_deployed_arithmetic_is_that_of_floats(a, b):
    """At the threshold that was found, floats themselves change their answer; the count is that threshold."""
    c = a * 0.4 + b
    p = law(lambda x, rng: a * rng.random() + b < c, deployed=True).get(("1",), Fraction(0))
    edge = int(p * 2**53) if a > 0 else 2**53 - int(p * 2**53)
    for k in range(edge - 3, edge + 3):
        assert (a * (k * 2.0**-53) + b < c) is ((k < edge) if a > 0 else (k >= edge))


def test_deployed_ties_have_probability_2_to_minus_53():
    found = law(lambda x, rng: rng.random() == rng.random(), deployed=True)
    assert found[("1",)] == Fraction(1, 2**53)


def test_other_numbers_are_read_exactly():
    assert exact(0.1) == Fraction(1, 10)
    assert exact(Decimal("0.1")) == Fraction(1, 10)
    assert exact(np.float32(0.5)) == HALF
    for wrong in (float("nan"), float("inf")):
        with pytest.raises(BadInput):
            exact(wrong)
