"""Thresholds in the verified kernel, by exact sums of fractions over all outcomes, beside the kernel and the judge."""

import json
import random
from fractions import Fraction
from itertools import product
from math import prod

import pytest

from tests import certificate_seeds, verified
from tests.judge import judge
from tests.test_coq import some_randomizer
from verify import kernel

UNIT = Fraction(1, 10**9)


def passes(randomizer, users, weights, above):
    """Pr[the weights of all messages sum to more than `above`], summed over what every user may send."""
    whole = Fraction(0)
    for sent in product(*(randomizer[x].items() for x in users)):
        total = sum(weights.get(m, 0) for send, _ in sent for m in send)
        whole += prod(p for _, p in sent) if total > above else 0
    return whole


def certificate(randomizer, pair, z, weights, above, delta):
    tree = certificate_seeds.certificate(randomizer, "shuffled", 1 + len(pair[2]), f"log({z})", digits=3)
    counts = {x: pair[2].count(x) for x in pair[2]}
    evidence = {"pair": {"from": pair[0], "to": pair[1], "others": counts}}
    evidence["threshold"] = {"weights": {m: str(w) for m, w in weights.items()}, "above": str(above)}
    return tree | {
        "version": 2,
        "verdict": "REFUTED",
        "claim": tree["claim"] | {"delta": str(delta)},
        "evidence": evidence,
    }


def cases(rng):
    """(certificate, whether it is true; None for a tie, which enclosures need not decide)."""
    randomizer = some_randomizer(rng)
    a, b = rng.sample(sorted(randomizer), 2)
    others = sorted(rng.choices(sorted(randomizer), k=rng.randrange(4)))
    messages = sorted({m for row in randomizer.values() for send in row for m in send})
    # sums that lie close together are computed by powers, others user by user
    weights = {m: rng.choice([rng.randrange(-2, 4), rng.randrange(-2, 4), 301]) for m in messages if rng.random() < 0.8}
    above, z = rng.randrange(-2, 4), rng.choice([Fraction(1), Fraction(5, 4), Fraction(2)])
    gap = passes(randomizer, [a, *others], weights, above) - z * passes(randomizer, [b, *others], weights, above)
    made = lambda delta: certificate(randomizer, (a, b, others), z, weights, above, delta)  # noqa: E731
    if UNIT < gap < 1:
        yield made(gap - UNIT), True
        yield made(gap), None
        yield made(gap + (1 - gap) / 7), False
    elif gap <= 0 and rng.random() < 0.15:
        yield made(0), False if gap else None


def test_slightly_above_and_below_the_truth(verified_kernel, tmp_path):
    rng, trees = random.Random(5), []
    while len(trees) < 80:
        trees += cases(rng)
    files = [json.dumps(tree).encode() for tree, _ in trees]
    found = verified.verdicts(tmp_path, files)
    for (tree, true), data, (status, reason) in zip(trees, files, found, strict=True):
        if true is None:
            assert status != "accepted" != kernel.check(data).status, (tree, reason)
        else:
            assert status == kernel.check(data).status == ("accepted" if true else "rejected"), (tree, reason)
            assert not true or "check_threshold_sound" in reason
    for (_, true), data in list(zip(trees, files, strict=True))[:30]:
        assert true is None or judge(data) == ("true" if true else "false")
    assert 15 < sum(true is True for _, true in trees) < 60


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({}, "accepted"),
        ({"above": "00"}, "malformed"),
        ({"above": 0}, "malformed"),
        ({"above": "-"}, "malformed"),
        ({"weights": {"c": "1"}}, "malformed"),
        ({"weights": {"a": "--1"}}, "malformed"),
        ({"weights": {"a": "9" * 1001}}, "malformed"),
        ({"more": "1"}, "malformed"),
        ({"weights": {}}, "rejected"),
        ({"weights": {"a": "9" * 1000}}, "accepted"),
    ],
)
def test_what_is_read_of_a_threshold(verified_kernel, tmp_path, change, status):
    """One user sends a or b: the event a is seen with probability 1 against 0."""
    table = {"0": {("a",): Fraction(1)}, "1": {("b",): Fraction(1)}}
    tree = certificate(table, ("0", "1", []), 1, {"a": 1}, 0, Fraction(1, 2))
    tree["evidence"]["threshold"] |= change
    data = json.dumps(tree).encode()
    [(found, reason)] = verified.verdicts(tmp_path, [data])
    assert found == status and kernel.check(data).status in (status, "undecided"), (
        reason
    )  # so long a number is much work
