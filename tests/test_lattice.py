"""The lattice against compositions multiplied out: both ends hold the exact delta, whatever the lattice.

The exact value is sum max(P - x Q, 0) over all tuples of outcomes, in fractions, x = e^eps rational.
"""

import random
from fractions import Fraction as F
from itertools import product
from math import prod

import pytest
from flint import fmpz

from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.pairs import lattice
from shufflecert.verify.pairs.connect_the_dots import Exact
from shufflecert.verify.pairs.lattice_guess import Grid, about_delta, guessed
from shufflecert.verify.pairs.windowed import SumPair


def pair(rng, outcomes):
    """Two random laws, some of whose weights are 0 or tiny."""

    def law():
        weights = [rng.choice([0, 1, rng.randint(1, 50), rng.randint(1, 10**6)]) for _ in range(outcomes)]
        return weights if any(weights) else [1] * outcomes

    p, q = law(), law()
    return [w * sum(q) for w in p], [w * sum(p) for w in q], sum(p) * sum(q)


def exact(parts, x):
    """The delta of all pairs, each so many times, multiplied out."""
    outcomes = [list(zip(p, q, strict=True)) for (p, q, _), times in parts for _ in range(times)]
    whole = prod(unit**times for (*_, unit), times in parts)
    total = F(0)
    for chosen in product(*outcomes):
        total += max(prod(p for p, _ in chosen) - x * prod(q for _, q in chosen), 0)
    return total / whole


def engine(parts):
    return [(Exact(Pair([fmpz(w) for w in p], [fmpz(w) for w in q], fmpz(u))), times) for (p, q, u), times in parts]


@pytest.mark.parametrize("seed", range(60))
@pytest.mark.sampled(3)
def test_both_ends_hold_the_exact_value_on_any_lattice(seed):
    rng = random.Random(seed)
    parts, left = [], 6
    for _ in range(rng.randint(1, 3)):
        times = rng.randint(1, max(left, 1))
        parts.append((pair(rng, rng.randint(1, 3)), times))
        left -= times
        if left <= 0:
            break
    pairs = engine(parts)
    for x in (F(1), F(rng.randint(101, 140), 100), F(rng.randint(2, 9)), F(10 ** rng.randint(2, 9))):
        truth, eps = exact(parts, x), Eps.log(x)
        grid, size = guessed(pairs, eps, rng.choice([16, 64, 500]))
        step = 1 + F(1, rng.choice([2, 10, 300, 10**5]))
        other = Grid(step, rng.choice([F(1, 2), F(9, 10), F(1), F(3, 2), F(20)]), rng.choice([16, 64, 900]))
        for one, about in ((grid, size), (other, max(truth, F(1, 10**12)))):
            try:
                low = lattice.delta(pairs, eps, one, False, about)
                high = lattice.delta(pairs, eps, one, True, about)
            except Undecided:
                continue
            assert low <= truth <= high


@pytest.mark.parametrize("seed", range(12))
def test_the_ends_meet_as_the_cells_become_more(seed):
    rng = random.Random(seed)
    parts = [(pair(rng, 3), 3), (pair(rng, 2), 2)]
    x = F(rng.randint(101, 300), 100)
    found, truth = lattice.enclosed(engine(parts), Eps.log(x), 4), exact(parts, x)
    assert found.low <= truth <= found.high
    assert found.relative_width <= F(1, 10**4) or truth < F(1, 10**30)


@pytest.mark.parametrize(("p", "eps"), [("1/2", 3), ("9/10", 5)])
def test_tails_whose_tilt_is_steep_are_close(p, eps):
    """What is rounded up far below eps, and raised, outweighed the tail: P has no more than 1 there."""
    noise = Binomial(1000, F(p))
    found = lattice.enclosed([(SumPair((noise,), (noise,), 1), 10)], Eps.of(eps), 3)
    assert 0 < found.low < F(1, 10**20) and found.relative_width <= F(1, 1000)


@pytest.mark.parametrize("seed", range(6))
def test_outcomes_that_are_alike_are_taken_together_from_below(seed, monkeypatch):
    """Sixty outcomes with ratios of three kinds, within a part in a thousand of each other, twice."""
    rng, x = random.Random(seed), F(6, 5)
    p = [rng.randint(1, 10**6) for _ in range(60)]
    q = [w * (9, 10, 12)[rng.randrange(3)] * rng.randint(9995, 10005) // 10**5 + 1 for w in p]
    parts = [(([w * sum(q) for w in p], [w * sum(p) for w in q], sum(p) * sum(q)), 2)]
    pairs, truth = engine(parts), exact(parts, x)
    monkeypatch.setattr(lattice, "MANY", 20)
    monkeypatch.setattr(lattice, "_kept", {})
    assert len(lattice._gathered(pairs[0][0], 200).p[0]) < 50
    grid, size = guessed(pairs, Eps.log(x), 1 << 11)
    low = lattice.delta(pairs, Eps.log(x), grid, False, size)
    assert truth * F(99, 100) < low <= truth


def test_a_faint_delta_of_windows_is_guessed_and_reached_by_few_cells(monkeypatch):
    """At a window's edge, where ends are far apart, ratios were those of the rounding: a delta of 2^-1852 was guessed
    to be 2^-512, and a million cells did not reach it."""
    others, tried, made = Binomial(7_999, F(1, 4)), list[int](), lattice._made
    parts = [(SumPair((others, Binomial(1, F(3, 4))), (others, Binomial(1, F(1, 4)))), 3)]
    monkeypatch.setattr(lattice, "_made", lambda *key: tried.append(key[1].cells) or made(*key))
    found = lattice.enclosed(parts, Eps.of(1), 2)
    assert about_delta(parts, Eps.of(1)) < F(1, 1 << 1800)
    assert F(1, 1 << 1860) < found.low <= found.high < F(1, 1 << 900)
    assert max(tried) <= 1 << 14
