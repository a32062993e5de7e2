"""The enumerating source of randomness: laws by brute force over small lattices, by hand, and what is refused.

Laws of draws from 0 .. 7 are counted over all triples or quadruples, ties included; laws of ideal draws are volumes of
polytopes, got by counting orders within the cells of a grid (`volume`), or by hand.
"""

import os
import random
import secrets
import time
from collections import Counter
from decimal import Decimal
from fractions import Fraction
from itertools import count, pairwise, permutations, product
from math import ceil, factorial, floor, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import few
from verify.audit.code.enumerate_paths import NOT_FOLLOWED, Runner, enumerate_sampler
from verify.audit.code.paths import BARREN, Astray, Node, Path, walk
from verify.audit.rng.exact_input import exact
from verify.audit.rng.order_statistics import fresh
from verify.audit.rng.symbolic_draw import Draw, Whole
from verify.errors import BadInput, TooMuchWork

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)


def law(function, x=0, **given):
    """{output: probability} of one input, messages as they are labelled; nothing is left unexplored."""
    found = enumerate_sampler(function, [x], **given)
    assert set(found.residual.values()) == {0}
    (found_law,) = found.laws.values()
    assert sum(found_law.values()) == 1
    return dict(found_law)


def refused(function, inputs=(0, 1), **given):
    with pytest.raises(BadInput) as caught:
        enumerate_sampler(function, list(inputs), **given)
    said = str(caught.value)
    assert "\n" not in said
    return said


# Draws from few points, against all that they can be ------------------------------------------------------------------

POINTS = 8


def lattice_law(program, draws, kind=Whole):
    """The walked law of program([draw, ...]), every draw from 0 .. 7."""

    def run(path):
        thresholds = {}
        return program([kind(path, fresh(POINTS), POINTS, thresholds) for _ in range(draws)])

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
def test_deployed_comparisons_count_multiples_of_2_to_minus_53(c):
    """#{k : k 2^-53 < c} is c 2^53 rounded up, c the double."""
    below = -(-Fraction(c) * 2**53 // 1)
    assert law(lambda x, rng: rng.random() < c, deployed=True).get(("1",), 0) == Fraction(below, 2**53)


@pytest.mark.parametrize(("a", "b"), [(3.0, -1.0), (0.1, 0.7), (1e-3, 0.1), (-7.0, 0.3)])
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


# Methods, against uniform laws and combinatorics ----------------------------------------------------------------------


def test_methods_of_random():
    assert set(law(lambda x, rng: tuple(rng.sample(range(4), 2))).values()) == {Fraction(1, 12)}
    assert len(law(lambda x, rng: tuple(rng.sample(range(4), 2)))) == 12

    def shuffled(x, rng):
        listed = [0, 1, 2]
        rng.shuffle(listed)
        return tuple(listed)

    assert set(law(shuffled).values()) == {Fraction(1, 6)}
    assert law(lambda x, rng: tuple(rng.choices("ab", [1, 3], k=2)))["b", "b"] == Fraction(9, 16)
    assert law(lambda x, rng: rng.getrandbits(3)) == {(str(k),): Fraction(1, 8) for k in range(8)}
    assert law(lambda x, rng: rng.randint(2, 4)) == {(str(k),): THIRD for k in (2, 3, 4)}
    assert law(lambda x, rng: rng.randrange(1, 10, 4)) == {(str(k),): THIRD for k in (1, 5, 9)}
    assert law(lambda x, rng: rng.getrandbits(64) < 2**62)[("1",)] == QUARTER


def test_methods_of_numpy():
    assert law(lambda x, rng: tuple(rng.permutation(3).tolist()))["2", "0", "1"] == Fraction(1, 6)
    assert law(lambda x, rng: rng.binomial(3, 0.5))[("1",)] == Fraction(3, 8)
    assert law(lambda x, rng: rng.choice(3, p=[0.5, 0.25, 0.25]))[("2",)] == QUARTER
    assert law(lambda x, rng: rng.integers(1, 3, endpoint=True)) == {(str(k),): THIRD for k in (1, 2, 3)}
    found = law(lambda x, rng: tuple(rng.multinomial(2, [0.5, 0.5]).tolist()))
    assert found == {("2", "0"): QUARTER, ("1", "1"): HALF, ("0", "2"): QUARTER}


def test_arrays_of_numpy():
    """A bit vector flipped in one line; a mask; a sum of booleans."""

    def flipped(x, rng):
        bits = np.array([x, 1 - x])
        noisy = np.where(rng.random(2) < 0.25, 1 - bits, bits)
        return tuple(noisy.tolist())

    assert law(flipped, 1) == {
        ("1", "0"): Fraction(9, 16),
        ("0", "0"): Fraction(3, 16),
        ("1", "1"): Fraction(3, 16),
        ("0", "1"): Fraction(1, 16),
    }
    assert law(lambda x, rng: int((rng.random((2, 2)) < 0.5).sum()))[("2",)] == Fraction(6, 16)
    assert law(lambda x, rng: int((np.array([0.25, 0.75]) < rng.random()).sum()))[("1",)] == HALF


# Programs, against sums over a grid -----------------------------------------------------------------------------------

leaf = st.sampled_from(["a", "b", "c"])
chances = st.sampled_from([Fraction(1, 10), QUARTER, THIRD, HALF, Fraction(3, 4)])
trees = st.recursive(
    leaf,
    lambda inner: st.one_of(
        st.tuples(st.just("random"), chances, inner, inner),
        st.tuples(st.just("randrange"), st.lists(inner, min_size=2, max_size=4)),
        st.tuples(st.just("compare"), inner, inner),
        st.tuples(st.just("again"), chances, inner, inner),
    ),
    max_leaves=8,
)


def grown(tree, rng, last):
    """Runs a tree as a sampler; "again" asks once more about the draw of the nearest `random` above."""
    if isinstance(tree, str):
        return tree
    kind, *parts = tree
    if kind == "random":
        u = rng.random()
        return grown(parts[1] if u < parts[0] else parts[2], rng, u)
    if kind == "again":
        return grown(parts[1] if last is not None and last < parts[0] else parts[2], rng, last)
    if kind == "randrange":
        return grown(parts[0][rng.randrange(len(parts[0]))], rng, last)
    return grown(parts[0] if rng.random() < rng.random() else parts[1], rng, last)


def integrated(tree, low, high):
    """Its law where the last draw is uniform on [low, high), by conditional probabilities."""
    if isinstance(tree, str):
        return Counter({tree: Fraction(1)})
    kind, *parts = tree
    if kind == "random":
        branches = [(parts[0], parts[1], Fraction(0), parts[0]), (1 - parts[0], parts[2], parts[0], Fraction(1))]
    elif kind == "again" and low is None:
        branches = [(Fraction(1), parts[2], None, None)]
    elif kind == "again":
        cut = min(max(parts[0], low), high)
        share = (cut - low) / (high - low)
        branches = [(share, parts[1], low, cut), (1 - share, parts[2], cut, high)]
    elif kind == "randrange":
        branches = [(Fraction(1, len(parts[0])), part, low, high) for part in parts[0]]
    else:
        branches = [(HALF, parts[0], low, high), (HALF, parts[1], low, high)]
    found = Counter()
    for share, part, *ends in branches:
        if share:
            for output, p in integrated(part, *ends).items():
                found[output] += share * p
    return found


@few
@given(trees)
def test_small_programs(tree):
    expected = {(output,): p for output, p in integrated(tree, None, None).items()}
    assert law(lambda x, rng: grown(tree, rng, None)) == expected


# Paths ----------------------------------------------------------------------------------------------------------------


def geometric(x, rng):
    count = 0
    while rng.random() < 0.5:
        count += 1
    return count


def test_the_residual_is_kept_apart_and_exact():
    """Of a geometric law what is not followed is a tail, 2^-j; all the rest is exact."""
    found = enumerate_sampler(geometric, [0, 1], residual=Fraction(1, 1000))
    for x, residual in found.residual.items():
        assert 0 < residual <= Fraction(1, 1000)
        assert residual.numerator == 1
        assert residual.denominator.bit_count() == 1
        assert sum(found.laws[x].values()) == 1 - residual
        for (k,), p in found.laws[x].items():
            assert p == Fraction(1, 2 ** (int(k) + 1))
        assert found.randomizer.rows[x][(NOT_FOLLOWED + x,)] == residual


def test_a_smaller_residual_takes_more_paths():
    rare, often = (
        enumerate_sampler(lambda x, rng: rng.geometric(0.25), [0], residual=r)
        for r in (Fraction(1, 2**40), Fraction(1, 4))
    )
    assert max(rare.residual.values()) <= Fraction(1, 2**40)
    assert max(often.residual.values()) <= QUARTER
    assert sum(rare.paths.values()) >= sum(often.paths.values())


def test_two_walks_are_alike():
    def program(x, rng):
        u = rng.random()
        return (rng.choice("abc"), u < 0.3, rng.random() < u)

    one, two = (enumerate_sampler(program, [0, 1]) for _ in range(2))
    assert [list(law.items()) for law in one.laws.values()] == [list(law.items()) for law in two.laws.values()]
    assert one.paths == two.paths


def test_paths_at_most():
    """Coins one after the other: no more than `max_paths`, the rest is residual."""
    walked = walk(lambda path: tuple(path.choose(("one of", 2), 2) for _ in range(10)), Fraction(0), 100)
    assert walked.paths == 100
    assert walked.unexplored == 1 - Fraction(100, 2**10)
    assert walked.deepest == 10


def test_the_estimate_refuses_before_the_work(monkeypatch):
    asked, run = [], Runner.run
    monkeypatch.setattr(Runner, "run", lambda self, path: asked.append(path) or run(self, path))

    def coins(x, rng):
        return tuple(rng.randrange(2) for _ in range(40))

    with pytest.raises(TooMuchWork, match=r"input 0: about 1\.1e\+12 paths.*at most 1000 \(--max-paths\)"):
        enumerate_sampler(coins, [0, 1], max_paths=1000)
    assert len(asked) < 200


def test_a_loop_that_never_ends_is_left_with_its_mass():
    """A quarter of the mass asks forever; what ends is exact."""

    def stuck(x, rng):
        while rng.randrange(4) == 3:
            while rng.randrange(2) < 2:
                pass
        return x

    began = time.monotonic()
    found = enumerate_sampler(stuck, [5])
    assert found.laws["5"] == {("5",): Fraction(3, 4)}
    assert found.residual["5"] == QUARTER
    assert time.monotonic() - began < 60


def test_a_loop_that_only_asks_is_all_residual():
    def forever(x, rng):
        while True:
            rng.random()

    def asks_forever(x, rng):
        while rng.randrange(3) < 3:
            pass

    found = enumerate_sampler(asks_forever, [0])
    assert found.laws["0"] == {}
    assert found.residual["0"] == 1
    assert sum(found.paths.values()) < 10 * BARREN
    assert "within 1 seconds" in refused(forever, seconds=1)  # draws that are never compared are no question


def test_a_path_that_changes_its_questions_is_astray():
    first = Path(Node(None, (), 0, 1, 1), 100)
    first.choose(("one of", 2), 2)
    with pytest.raises(Astray):
        Path(first.node, 100).choose(("one of", 3), 3)


# What is refused ------------------------------------------------------------------------------------------------------


def test_raising_on_one_path():
    """With the choices that lead there and their probability."""

    def fails(x, rng):
        if rng.random() < 0.25 and rng.randrange(3) == 2:
            raise KeyError("lost")
        return x

    said = refused(fails)
    assert said.startswith("fails: input 0: raises KeyError: 'lost'; on the path [random() < 1/4, ")
    assert said.endswith("of probability 1/12")


def test_exceptions_that_a_function_catches_are_its_own():
    def careful(x, rng):
        try:
            [][rng.randrange(2)]
        except IndexError:
            return x
        return 1 - x

    assert law(careful) == {("0",): Fraction(1)}


GLOBAL = {
    "random": lambda x, rng: random.random() < 0.5,
    "numpy": lambda x, rng: int(np.random.randint(2)),
    "randrange": lambda x, rng: (random.randrange(10**6), rng.randrange(2)),
}


@pytest.mark.parametrize("name", GLOBAL)
def test_global_randomness(name):
    states = random.getstate(), np.random.get_state()
    try:
        said = refused(GLOBAL[name])
    finally:
        random.setstate(states[0])
        np.random.set_state(states[1])
    assert "expected all randomness from rng" in said


def test_global_randomness_that_changes_no_answer():
    state = random.getstate()
    try:
        assert "uses random.random: expected all randomness from rng" in refused(lambda x, rng: (random.random(), x)[1])
    finally:
        random.setstate(state)


@pytest.mark.parametrize("draw", [lambda: secrets.randbelow(10**9), lambda: os.urandom(8).hex(), time.perf_counter_ns])
def test_other_randomness_is_refused(draw):
    assert "expected all randomness from rng" in refused(lambda x, rng: draw())


def test_randomness_that_decides_what_is_asked():
    runs = count()

    def wanders(x, rng):
        return rng.randrange(2 + next(runs))

    assert "uses runs: expected all randomness from rng, and nothing that changes" in refused(wanders)


BAD = {  # a function, and what is said of it
    "a list": (lambda x, rng: [1, 2], "sends a list, which cannot be hashed"),
    "a dict within": (lambda x, rng: ({},), "sends a dict, which cannot be hashed"),
    "a float": (lambda x, rng: 0.5, "sends a float"),
    "a float of numpy": (lambda x, rng: (np.float64(1),), "sends a float"),
    "a draw": (lambda x, rng: rng.random(), "sends a float"),
    "nothing": (lambda x, rng: None, "returns None: expected a tuple of messages, () for none"),
    "gauss": (lambda x, rng: rng.gauss(0, 1), "rng.gauss is not followed"),
    "laplace": (lambda x, rng: rng.laplace(), "rng.laplace is not followed"),
    "a logarithm": (lambda x, rng: int(-log(rng.random())), "random()"),
    "two draws in one sum": (lambda x, rng: rng.random() + rng.random() < 1, "two draws of random() in one sum"),
    "two maps": (lambda x, rng: rng.random() < 2 * rng.random(), "compared after different arithmetic"),
    "a power": (lambda x, rng: rng.random() ** 2 < 0.5, "a power of a draw"),
    "text of a draw": (lambda x, rng: f"{rng.random()}", "text of a draw"),
    "not a number": (lambda x, rng: rng.random() < float("nan"), "nan"),
    "compared with text": (lambda x, rng: rng.random() < "a", "compared with 'a': expected a number"),
    "division by zero": (lambda x, rng: rng.random() / 0 < 1, "raises ZeroDivisionError"),
    "leaves": (lambda x, rng: exit(3), "raises SystemExit"),
    "an empty choice": (lambda x, rng: rng.choice([]), "raises IndexError"),
    "a probability above 1": (lambda x, rng: rng.binomial(2, 1.5), "raises ValueError"),
    "an empty range": (lambda x, rng: rng.randrange(0), "raises ValueError"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_functions(name):
    function, said = BAD[name]
    told = refused(function)
    assert said in told
    assert "input 0: " in told


def test_labels_that_coincide():
    assert "both written 1" in refused(lambda x, rng: (1, "1"))


def test_bytes_bools_and_nested_messages_have_names():
    sent = law(lambda x, rng: (b"ab", True, (1, "a"), frozenset({2}), np.int64(7)))
    assert list(sent) == [("b'ab'", "1", "(1, 'a')", "{2}", "7")]


def test_an_input_that_is_changed():
    def appends(x, rng):
        x.append(1)
        return len(x)

    assert "changes its input to [0, 1]: expected it unchanged" in refused(appends, inputs=([0], [1]))


@pytest.mark.parametrize("cut", [0, 1])
def test_a_function_that_never_returns(cut):
    def hangs(x, rng):
        if cut == 0 or rng.random() < 0.5:
            while True:
                pass
        return x

    began = time.monotonic()
    said = refused(hangs, seconds=1)
    assert "no answer and no question to rng within 1 seconds" in said
    assert time.monotonic() - began < 20


def test_inputs():
    assert refused(lambda x, rng: x, inputs=()) == "inputs: none: expected at least one"
    assert refused(lambda x, rng: x, inputs=(0, "0")) == "inputs: 0 stands twice"


def test_interrupts_are_not_swallowed():
    def interrupted(x, rng):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        enumerate_sampler(interrupted, [0])


def test_draws_have_no_value_before_they_are_compared():
    path = Path(Node(None, (), 0, 1, 1), 100)
    draw = Draw(path, fresh(None), None, {})
    for read in (float, str, hash, lambda d: [1, 2][d]):
        with pytest.raises((BadInput, TypeError)):
            read(draw)
