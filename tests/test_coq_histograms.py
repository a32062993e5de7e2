"""Histograms in the verified kernel, by exact sums over all buckets, beside the kernel and the judge."""

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import product
from math import prod

import mpmath
import pytest

from tests import verified
from tests.judge import judge
from tests.reference import binomial, real
from tests.test_coq_counts import DIGITS, around
from verify import kernel


def largest(n, p, z, buckets):
    """delta(log z) of one unit in the first bucket against it in the last, all buckets being seen: its definition."""
    law = binomial(n, p)
    sides = []
    for unit in (0, buckets - 1):
        shown = {}
        for noise in product(law, repeat=buckets):
            seen = tuple(k + (i == unit) for i, k in enumerate(noise))
            shown[seen] = prod(law[k] for k in noise)
        sides.append(shown)
    one, two = sides
    return sum(max(pr - z * two.get(seen, 0), 0) for seen, pr in one.items())


def of_histogram(noise, buckets, z, truth):
    """(certificate, whether it is true): ends and claims one unit above and below the truth."""
    for tree, true in around(noise, 1, z, truth):
        tree["claim"]["mechanism"] = {"view": "histogram", "noise": noise, "buckets": buckets}
        yield tree, true


def cases(rng):
    """Of binomial noise, two or three buckets."""
    buckets, q = rng.choice([2, 2, 3]), rng.randrange(2, 12)
    n = rng.randrange(1, 6 if buckets == 3 else 16)
    p, z = Fraction(rng.randrange(1, q), q), Fraction(rng.randrange(8, 24), 8)
    return of_histogram({"law": "binomial", "n": n, "p": str(p)}, buckets, z, largest(n, p, z, buckets))


def infinite_cases(rng):
    """Of the other three laws, any number of buckets; terms below 10^-20 are left out."""
    part, lam = Fraction(rng.randrange(1, 4), 10), Fraction(rng.randrange(1, 20), rng.randrange(4, 9))
    p, r = (real(x) for x in (part, lam))
    noise, law = rng.choice(
        [
            (
                {"law": "poisson", "lam": str(lam)},
                lambda k: mpmath.exp(-r) * r**k / mpmath.factorial(k) if k >= 0 else 0,
            ),
            (
                {"law": "negative_binomial", "r": str(lam), "p": str(part)},
                lambda k: mpmath.binomial(k + r - 1, k) * (1 - p) ** r * p**k if k >= 0 else 0,
            ),
            ({"law": "discrete_laplace", "q": str(part)}, lambda k: (1 - p) / (1 + p) * p ** abs(k)),
        ]
    )
    z = Fraction(rng.randrange(8, 20), 8)
    pr = {k: mpmath.mpf(law(k)) for k in range(-46, 56)}
    pr = {k: a for k, a in pr.items() if a > mpmath.mpf(10) ** -24}
    ratio, at = real(z), lambda k: pr.get(k, mpmath.mpf(0))
    truth = mpmath.fsum(max(at(k - 1) * at(m) - ratio * at(k) * at(m - 1), 0) for k in range(-46, 57) for m in pr)
    return of_histogram(
        noise, rng.choice([2, 5, 10**15]), z, Fraction(int(truth * 10 ** (DIGITS + 6)), 10 ** (DIGITS + 6))
    )


def test_slightly_above_and_below_the_truth(verified_kernel, tmp_path):
    rng, trees = random.Random(18), []
    while len(trees) < 200:
        trees += cases(rng)
    with mpmath.workdps(40):
        while len(trees) < 260:
            trees += infinite_cases(rng)
    files = [json.dumps(tree).encode() for tree, _ in trees]
    found = verified.verdicts(tmp_path, files)
    for (tree, true), (status, reason) in zip(trees, found, strict=True):
        assert status == ("accepted" if true else "rejected"), (tree, reason)
        assert not true or "check_histogram_sound" in reason
    for (_, true), data in list(zip(trees, files, strict=True))[::12]:
        assert kernel.check(data).status == ("accepted" if true else "rejected")
        assert judge(data) == ("true" if true else "false")
    laws = Counter(tree["claim"]["mechanism"]["noise"]["law"] for tree, _ in trees)
    assert set(laws) == {"binomial", "poisson", "negative_binomial", "discrete_laplace"}


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, "accepted"),
        ({"buckets": 1}, "malformed"),
        ({"buckets": 10**15 + 1}, "malformed"),
        ({"sensitivity": 1}, "malformed"),
        ({"noise": {"law": "binomial", "n": 1, "p": "1"}}, "undecided"),
        ({"noise": {"law": "binomial", "n": 10**9, "p": "1/2"}}, "undecided"),
    ],
)
def test_what_is_read_of_a_histogram(verified_kernel, tmp_path, change, status, version):
    """n = 1, p = 1/2, e^eps = 1: (X + 1, Y) is (2, 0), (2, 1), (1, 0), (1, 1); only the last can be (X, Y + 1)."""
    ((tree, _), *_) = around(
        {"law": "binomial", "n": 1, "p": "1/2"}, 1, 1, Fraction(3, 4) + Fraction(1, 10**DIGITS * 2)
    )
    tree["claim"]["mechanism"] = {"view": "histogram", "noise": {"law": "binomial", "n": 1, "p": "1/2"}, "buckets": 2}
    tree["claim"]["mechanism"] |= change
    tree["version"] = version
    [(found, reason)] = verified.verdicts(tmp_path, [json.dumps(tree).encode()])
    assert found == status, reason
