"""Crowds whose users may be absent or not honest, at random, and what is decided of them."""

from fractions import Fraction

from shufflecert.verify.decide.certify import certify
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import ADJACENCIES, Presence, Randomizer
from shufflecert.verify.systems.population import populated

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


def decided(rows, ours, who, n, t, view, expected):
    """Certificates of a PROVED claim at the oracle's delta and of a REFUTED one below it."""
    made = populated(ours, who)
    kept = certify(made, n, Eps.log(t), expected, view)
    assert kept.verdict == "PROVED"
    broken = certify(made, n, Eps.log(t), expected * Fraction(99, 100), view) if expected else None
    assert broken is None or broken.verdict == "REFUTED"
    return [one for one in (kept, broken) if one is not None]
