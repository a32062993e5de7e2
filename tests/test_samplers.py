"""Samplers with the enumerating source of randomness: methods, programs, paths and what remains of them."""

import gc
import time
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify.audit import walk as walks
from shufflecert.verify.audit.observe.runner import Astray, Path, walk
from shufflecert.verify.audit.sampler import NOT_FOLLOWED
from shufflecert.verify.errors import TooMuchWork
from tests.helpers import few
from tests.sampler_laws import enumerate_several as enumerate_sampler
from tests.sampler_laws import law, refused

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)


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


def test_the_estimate_refuses_before_the_work():
    asked = []

    def coins(x, rng):
        return tuple(rng.randrange(2) for _ in range(40))

    with pytest.raises(TooMuchWork, match=r"input 0: about 1\.1e\+12 paths.*at most 1000 \(--max-paths\)"):
        enumerate_sampler(coins, [0, 1], max_paths=1000, tick=asked.append)
    assert len(asked) < 600


def test_a_loop_that_never_ends_is_left_with_its_mass():
    """A quarter of the mass asks forever; what ends is exact."""

    def stuck(x, rng):
        while rng.randrange(4) == 3:
            while rng.randrange(2) < 2:
                pass
        return x

    began = time.process_time()
    found = enumerate_sampler(stuck, [5])
    assert found.laws["5"] == {("5",): Fraction(3, 4)}
    assert found.residual["5"] == QUARTER
    assert time.process_time() - began < 60


def test_a_loop_that_only_asks_is_all_residual(monkeypatch):
    monkeypatch.setattr(walks, "BARREN", 50)

    def forever(x, rng):
        while True:
            rng.random()

    def asks_forever(x, rng):
        while rng.randrange(3) < 3:
            pass

    found = enumerate_sampler(asks_forever, [0])
    assert found.laws["0"] == {}
    assert found.residual["0"] == 1
    assert sum(found.paths.values()) < 10 * walks.BARREN

    def collected(phase, info):  # takes nearly all of the time; what is raised in it gets lost
        sum(range(200_000))

    gc.callbacks.append(collected)
    try:
        said = refused(forever, seconds=1, library="random.Random")  # draws that are never compared are no question
    finally:
        gc.callbacks.remove(collected)
    assert "within 1 seconds" in said


def test_a_path_that_changes_its_questions_is_astray():
    first = Path([])
    first.choose(("one of", 2), 2)
    with pytest.raises(Astray):
        Path(first.asked).choose(("one of", 3), 3)
