"""Who is there: adjacency, honesty and check-in, against the oracle's definitions."""

import random
from fractions import Fraction

import pytest

from tests import oracle
from verify.decide.certify import certify
from verify.decide.worst_case import delta, enumerate_or_reduce, epsilon, profile
from verify.errors import BadInput
from verify.exact.epsilon import Delta, Eps
from verify.exact.neighbours import Neighbourhood
from verify.exact.randomizer import ADJACENCIES, Presence, Randomizer
from verify.reduce.privacy_blanket import reach_of
from verify.reduce.reduction import worst_delta
from verify.systems.population import Population, populated

SHAPES = [((), ("a",), ("b",)), (("a",), ("b",)), (("a", "a"), ("a",), ("b",), ()), (("a", "b"), ("a",), ("b", "b"))]


def some_weights(rng, size):
    parts = [rng.choice([0, 1, 1, 2, 3]) for _ in range(size)]
    parts[rng.randrange(size)] += 1
    return [Fraction(part, sum(parts)) for part in parts]


def some_table(rng):
    """A random table of 1 to 3 inputs, as the oracle's and as ours."""
    outputs, rows = rng.choice(SHAPES), {}
    for x in "xyz"[: rng.randint(1, 3)]:
        rows[x] = {send: p for send, p in zip(outputs, some_weights(rng, len(outputs)), strict=True) if p}
    return rows, Randomizer.of(rows)


def some_presence(rng, rows, n):
    """Who is there, at random: (ours, the oracle's)."""
    adjacency, take_part = rng.choice(ADJACENCIES), rng.choice([Fraction(1), Fraction(1, 2), Fraction(2, 3)])
    reference = None
    if adjacency == "deletion":
        weights = some_weights(rng, len(rows))
        reference = {x: w for x, w in zip(rows, weights, strict=True) if w}
    honest = rng.randint(1, n)
    ours = Presence.of(adjacency, reference, honest, take_part)
    return ours, {"adjacency": adjacency, "reference": reference, "take_part": take_part}


def compare(seed):
    """One random table and one random crowd: enumeration, eps and the profile agree with the oracle to the digit."""
    rng = random.Random(seed)
    rows, ours = some_table(rng)
    n = rng.randint(1, 3)
    who, theirs = some_presence(rng, rows, n)
    view = rng.choice(["shuffled", "shuffled", "local", "preshuffle"])
    t = rng.choice([Fraction(1), Fraction(3, 2), Fraction(3)])
    users = who.honest if view == "shuffled" else 1
    expected = oracle.attended_delta(rows, users, t, view, **theirs)
    found = delta(populated(ours, who), n, Eps.log(t), view)
    assert isinstance(found.delta, Delta)
    assert found.delta.A - found.delta.B * t == expected, (seed, rows, who)
    assert profile(populated(ours, who), n, view).at(t) == expected
    least = epsilon(populated(ours, who), n, expected, view)
    assert least.eps is not None and least.eps.power <= t
    if view == "shuffled" and users > 1:
        reach = reach_of(populated(ours, who).randomizer() if who.adjacency != "replace" else who.rows(ours), users)
        bounds = worst_delta(reach, Eps.log(t)).value
        assert bounds.low <= expected <= bounds.high, (seed, rows, who)


@pytest.mark.parametrize("block", range(4))
def test_random_crowds(block):
    for seed in range(60 * block, 60 * (block + 1)):
        compare(seed)


@pytest.mark.long
def test_thousands_of_random_crowds():
    for seed in range(1000, 5000):
        compare(seed)
