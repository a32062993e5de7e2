"""The bound by exchange, attacked where it is sharp: every dataset of small tables, and mixed datasets of densities."""

import random
from fractions import Fraction
from itertools import permutations

import numpy
import pytest
from scipy.stats import binom, norm

from shufflecert.protocols.gaussian import GaussianCells
from shufflecert.protocols.laplace import LaplaceCells
from shufflecert.protocols.shared.likelihood_orbits import Orbit, exchange_bound
from shufflecert.protocols.shared.moved_density import moved_bound
from shufflecert.verify.exact.epsilon import Eps
from tests.helpers import cases

ROUNDING = 1 + 1e-9  # of sums of doubles


def compositions(total, parts):
    """All ways to write a number as so many numbers of at least 0."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        yield from ((first, *rest) for rest in compositions(total - first, parts - 1))


def divergences(sent, x, y, others, t):
    """Of the number of ones: users on x or y, and a law of the others' ones, in both directions."""
    p, q = (numpy.convolve([1 - sent[z], sent[z]], others) for z in (x, y))
    return max(numpy.maximum(a - t * b, 0).sum() for a, b in ((p, q), (q, p)))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.sampled(3)
def test_every_dataset_of_one_bit_from_three_inputs(seed):
    """90 users: 4,095 datasets of the others, three pairs of inputs, both directions; delta from 1e-5 to 1."""
    rng, n, sharp = random.Random(seed), 90, []
    sent = [Fraction(rng.randint(20, 80), 100) for _ in range(3)]
    laws = [[1 - w, w] for w in sent]
    mu = [sum(law[o] for law in laws) / 3 for o in range(2)]
    ones = [float(w) for w in sent]
    sums = []
    for counts in compositions(n - 1, 3):
        law = numpy.ones(1)
        for count, w in zip(counts, ones, strict=True):
            law = numpy.convolve(law, binom.pmf(numpy.arange(count + 1), count, w))
        sums.append(law)
    for eps in ("1/20", "1/5", "1/2"):
        t = float(Eps.of(eps).bounds(64)[1])
        worst = max(divergences(ones, x, y, law, t) for law in sums for x, y in ((0, 1), (0, 2), (1, 2)))
        bounds = [
            exchange_bound(
                [[Orbit(laws[x][o], laws[y][o], laws[z][o], mu[o]) for o in range(2)] for z in range(3)],
                n,
                Eps.of(eps),
            )
            for x, y in permutations(range(3), 2)
        ]
        if None in bounds:
            continue
        assert worst <= float(max(bounds)) * ROUNDING
        sharp.append(float(max(bounds)) / worst if worst > 1e-12 else numpy.inf)
    assert sharp and min(sharp) < 20


@pytest.mark.parametrize(
    ("density", "above"),
    [
        (GaussianCells(Fraction(1)), lambda x, c: norm.sf(c - x)),
        (GaussianCells(Fraction(1, 2)), lambda x, c: norm.sf(2 * (c - x))),
        (LaplaceCells(Fraction(2)), lambda x, c: numpy.where(c > x, 0.5 * numpy.exp(-2 * abs(c - x)), 0)
         + numpy.where(c > x, 0, 1 - 0.5 * numpy.exp(-2 * abs(c - x)))),
    ],
    ids=["gaussian 1", "gaussian 1/2", "laplace 2"],
)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.sampled(4)
def test_mixed_datasets_seen_by_how_many_numbers_are_above_a_threshold(density, above, seed):
    """Users with any numbers, not of the grid; who sees a count sees less, so no count may be above the bound."""
    rng, n = random.Random(seed), cases(400)
    for eps in ("1/50", "1/10", "1/4"):
        bound, t = moved_bound(density, n, Eps.of(eps)), float(Eps.of(eps).bounds(64)[1])
        if bound is None:
            continue
        for end in (0.0, 0.5, 1.0, rng.random() * 3 - 1):
            for others in (
                [0.0] * (n - 1),
                [1.0] * (n - 1),
                [rng.random() for _ in range(n - 1)],
                [rng.choice([0.0, 1.0]) for _ in range(n - 1)],
                [rng.betavariate(0.3, 2) for _ in range(n - 1)],
            ):
                law = numpy.ones(1)
                for w in above(numpy.array(others), end):
                    law = numpy.convolve(law, [1 - w, w])
                x, y = rng.choice([(0.0, 1.0), (rng.random(), rng.random())])
                users = [float(above(numpy.array(z), end)) for z in (x, y)]
                assert divergences(users, 0, 1, law, t) <= float(bound) * ROUNDING
