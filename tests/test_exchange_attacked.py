"""The bound by exchange, attacked where it is sharp: every dataset of small tables, and mixed datasets of densities."""

import random
from fractions import Fraction
from itertools import permutations, product
from math import prod

import numpy
import pytest
from scipy.stats import binom, norm

from shufflecert.protocols.gaussian import GaussianCells
from shufflecert.protocols.laplace import LaplaceCells
from shufflecert.protocols.shared.likelihood_orbits import Orbit, _beyond, exchange_bound, line
from shufflecert.protocols.shared.moved_density import moved_bound
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ceiling_of, precision
from tests.helpers import cases
from tests.reference import counts

ROUNDING = 1 + 1e-9  # of sums of doubles


def divergences(sent, x, y, others, t):
    """Of the number of ones: users on x or y, and a law of the others' ones, in both directions."""
    p, q = (numpy.convolve([1 - sent[z], sent[z]], others) for z in (x, y))
    return max(numpy.maximum(a - t * b, 0).sum() for a, b in ((p, q), (q, p)))


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.sampled(6)
def test_every_dataset_of_one_bit_from_three_inputs(seed):
    """90 users (40 in `make test`), all datasets of the others, three pairs of inputs, both directions."""
    rng, n, sharp = random.Random(seed), cases(90, 40), []
    sent = [Fraction(rng.randint(20, 80), 100) for _ in range(3)]
    laws = [[1 - w, w] for w in sent]
    mu = [sum(law[o] for law in laws) / 3 for o in range(2)]
    ones = [float(w) for w in sent]
    sums = []
    for held in counts(n - 1, 3):
        law = numpy.ones(1)
        for count, w in zip(held, ones, strict=True):
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
        (
            LaplaceCells(Fraction(2)),
            lambda x, c: (
                numpy.where(c > x, 0.5 * numpy.exp(-2 * abs(c - x)), 0)
                + numpy.where(c > x, 0, 1 - 0.5 * numpy.exp(-2 * abs(c - x)))
            ),
        ),
    ],
    ids=["gaussian 1", "gaussian 1/2", "laplace 2"],
)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.long
def test_mixed_datasets_seen_by_how_many_numbers_are_above_a_threshold(density, above, seed):
    """Users with any numbers, not of the grid; who sees a count sees less, so no count may be above the bound."""
    rng, n = random.Random(seed), cases(400)
    for eps in ("1/50", "1/4"):
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


def some_laws(rng, weights):
    """Two or three laws of two or three atoms, (weight, value); weights need not sum to 1."""
    sizes = [rng.randint(2, 3) for _ in range(rng.randint(2, 3))]
    return [
        [(Fraction(rng.randint(1, 9), weights), Fraction(rng.randint(-12, 6), 7)) for _ in range(size)]
        for size in sizes
    ]


@pytest.mark.parametrize("seed", range(4))
def test_the_largest_integral_of_lemma_3_bounds_every_mixture(seed):
    """The left side summed over all values of 2 to 5 users, each with a random mean of the laws, at any theta."""
    rng = random.Random(seed)
    for _ in range(4):
        laws, users, theta = some_laws(rng, 12), rng.randint(2, 5), rng.uniform(0.3, 3)
        with precision(128):
            bound = ceiling_of(line(laws, users, theta, rng.uniform(0.5, 2)))
        for _ in range(6):
            mixed = []
            for _ in range(users):
                raw = [rng.choice([0, 0, 1, 3]) for _ in laws]
                shares = [Fraction(part, sum(raw)) for part in raw] if any(raw) else [1, *[0] * (len(laws) - 1)]
                mixed.append([(s * w, x) for s, law in zip(shares, laws, strict=True) for w, x in law if s])
            truth = sum(
                prod((w for w, _ in drawn), start=Fraction(1)) * max(sum(x for _, x in drawn), 0)
                for drawn in product(*mixed)
            )
            assert truth <= bound


@pytest.mark.parametrize("seed", range(4))
def test_what_is_said_of_the_sum_of_the_g_holds_for_every_mixture_of_others(seed):
    """Pr[sum of g beyond N (1 +- eta)], from all messages of 4 others, at any lam and eta."""
    rng, zero = random.Random(seed), Fraction(0)
    for _ in range(6):
        raw = [[rng.randint(1, 9) for _ in range(3)] for _ in range(3)]
        laws = [[Fraction(w, sum(row)) for w in row] for row in raw]
        mu = [sum(law[o] for law in laws) / 3 for o in range(3)]
        kinds = [[Orbit(zero, zero, v, m) for v, m in zip(law, mu, strict=True)] for law in laws]
        held = [rng.choice(laws) for _ in range(4)]
        for sign in (1, -1):
            lam, eta = rng.uniform(0, 3), rng.choice([rng.uniform(0, 0.6), float(max(mu)) / 0.1])
            with precision(128):
                bound = ceiling_of(_beyond(kinds, 4, sign, lam, eta))
            chance = zero
            for sent in product(range(3), repeat=4):
                away = sum(mu[o] / law[o] for law, o in zip(held, sent, strict=True)) - 4
                if sign * away > 4 * Fraction(eta):
                    chance += prod(law[o] for law, o in zip(held, sent, strict=True))
            assert chance <= bound
