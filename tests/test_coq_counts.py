"""Counts with binomial noise in the verified kernel, by exact sums of fractions, beside the kernel and the judge."""

import json
import random
from fractions import Fraction
from math import comb

import pytest

from tests import verified
from tests.judge import judge
from verify import kernel

DIGITS = 12


@pytest.fixture(scope="module")
def built():
    return verified.build()


def largest(n, p, z):
    """delta(log z) of X + 1 against X and of X against X + 1, X ~ Bin(n, p): the larger, from its definition."""
    law = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    one, two = [Fraction(0), *law], [*law, Fraction(0)]
    return max(sum(max(a - z * b, 0) for a, b in zip(*pair, strict=True)) for pair in ((one, two), (two, one)))


def certificate(n, p, z, delta, verdict, lower, upper, more=()):
    noise = {"law": "binomial", "n": n, "p": str(p)} | dict(more)
    mechanism = {"view": "count", "noise": noise, "sensitivity": 1}
    claim = {"mechanism": mechanism, "adjacency": "replace", "datasets": "all"}
    claim |= {"eps": f"log({z})", "delta": str(delta)}
    top = {"format": "shufflecert certificate", "version": 2, "claim": claim, "verdict": verdict}
    return top | {"evidence": {"delta": {"lower": lower, "upper": upper}}}


def decimal(units):
    text = str(units).rjust(DIGITS + 1, "0")
    return f"{text[:-DIGITS]}.{text[-DIGITS:]}"


def cases(rng):
    """(certificate, whether it is true): of one count, with ends and claims one unit above and below the truth."""
    n, q = rng.randrange(1, 60), rng.randrange(2, 40)
    p, z = Fraction(rng.randrange(1, q), q), Fraction(rng.randrange(8, 40), 8)
    found = largest(n, p, z) * 10**DIGITS
    low = int(found)
    if found == low:
        return
    ends, unit = (decimal(low), decimal(low + 1)), Fraction(1, 10**DIGITS)
    below, above = low * unit, (low + 1) * unit
    yield certificate(n, p, z, above, "PROVED", *ends), True
    yield certificate(n, p, z, below, "PROVED", *ends), False
    yield certificate(n, p, z, below, "REFUTED", *ends), True
    yield certificate(n, p, z, above, "REFUTED", *ends), False
    yield certificate(n, p, z, Fraction(1, 2) + above / 2, "PROVED", ends[1], decimal(low + 2)), False
    if low:
        yield certificate(n, p, z, Fraction(1, 2) + above / 2, "PROVED", decimal(low - 1), ends[0]), False


def test_slightly_above_and_below_the_truth(built, tmp_path):
    rng, trees = random.Random(16), []
    while len(trees) < 300:
        trees += cases(rng)
    files = [json.dumps(tree).encode() for tree, _ in trees]
    found = verified.verdicts(tmp_path, files)
    for (tree, true), (status, reason) in zip(trees, found, strict=True):
        assert status == ("accepted" if true else "rejected"), (tree, reason)
        assert not true or "check_count_sound" in reason
    for (_, true), data in list(zip(trees, files, strict=True))[:40]:
        assert kernel.check(data).status == ("accepted" if true else "rejected")
        assert judge(data) == ("true" if true else "false")


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, "accepted"),
        ({"n": 0}, "malformed"),
        ({"n": 10**15 + 1}, "malformed"),
        ({"p": "3/2"}, "malformed"),
        ({"p": "0"}, "undecided"),
        ({"p": "1"}, "undecided"),
        ({"q": "1/2"}, "malformed"),
        ({"law": "poisson"}, "undecided"),
        ({"n": 10**15}, "undecided"),
    ],
)
def test_what_is_read_of_a_count(built, tmp_path, change, status):
    """n = 1, p = 1/2, e^eps = 1: delta(0) of X + 1 against X is 1/2."""
    tree = certificate(1, Fraction(1, 2), 1, Fraction(1, 2), "PROVED", "0.5", "0.5", change)
    [(found, reason)] = verified.verdicts(tmp_path, [json.dumps(tree).encode()])
    assert found == status, reason


def test_a_hundred_million_users(built, tmp_path):
    """No sum over n: a walk of a few standard deviations; the kernel agrees."""
    tree = certificate(10**8, Fraction(1, 10**5), 2, Fraction(1, 10**6), "PROVED", "0", "1e-6")
    data = json.dumps(tree).encode()
    assert kernel.check(data).status == "accepted"
    [(status, reason)] = verified.verdicts(tmp_path, [data])
    assert status == "accepted", reason
