"""Certificates of version 8, blocks of users: kernel, judge and engine.

The judge (tests/judge_blocks.py) multiplies out the view of all blocks in Fractions. The kernel accepts what is true,
calls what is false undecided (its bound is above delta) or rejected (no block is there), and the rest malformed.
"""

import json
import random
from collections import Counter
from fractions import Fraction

import pytest

from tests import block_seeds
from tests.certificate_seeds import dump
from tests.judge import judge
from tests.random_tables import rank_three
from tests.random_tables import table as random_table
from verify.decide.certify import certify
from verify.exact.randomizer import Randomizer
from verify.kernel import check
from verify.reduce.privacy_blanket import reach_of
from verify.reduce.reduction import worst_epsilon as epsilon_of

STATUS = {"true": {"accepted"}, "false": {"undecided", "rejected"}, "malformed": {"malformed"}}
WRONG = ["", "0", "1", "-1", "x", "a", 0, 1, -1, 10**15 + 1, None, True, [], {}, [[]], {"a": 1}, {"x": 1}, {"x": 0}]


@pytest.mark.parametrize("false", [False, True], ids=["true", "false"])
def test_what_blocks_allow_is_accepted_and_less_is_not(false):
    wanted = ("false", "undecided") if false else ("true", "accepted")
    for data in block_seeds.some(60, false):
        assert (judge(data), check(data).status) == wanted, data.decode()


def holds(said, delta):
    """Whether all datasets keep delta, by the judge's enumeration: a certificate of version 4 that says little else."""
    claim = {**said["claim"], "delta": delta}
    first, second = (row["input"] for row in claim["randomizer"]["rows"][:2])
    others = {first: claim["honest"] - 1} if claim["honest"] > 1 else {}
    worst = {"pair": {"from": first, "to": second, "others": others}, "delta": {"lower": "0", "upper": "1"}}
    evidence = {"symmetries": [], "worst": worst}
    return judge(dump({**said, "version": 4, "claim": claim, "evidence": evidence}).encode()) == "true"


def test_the_lemma_holds_for_all_datasets_and_says_something():
    near = 0
    for data in block_seeds.some(40):
        said = json.loads(data)
        delta = Fraction(said["claim"]["delta"])
        assert holds(said, str(delta)), data.decode()
        near += not holds(said, str(delta / 2))
    assert near > 10  # of many tables what blocks allow is at most twice the truth


def places(tree, path=()):
    """All places of a tree below the evidence."""
    yield path
    if isinstance(tree, dict | list):
        for key in list(tree) if isinstance(tree, dict) else range(len(tree)):
            yield from places(tree[key], (*path, key))


def at(tree, path):
    """What stands at a place of a tree."""
    for key in path:
        tree = tree[key]
    return tree


def damaged(rng, said):
    """The certificate with one thing in its evidence changed, left out or put in twice."""
    said = json.loads(json.dumps(said))
    blocks = said["evidence"]["blocks"]
    numbers = [path for path in places(blocks) if isinstance(at(blocks, path), int)]
    *path, last = rng.choice(numbers if rng.random() < 0.5 else [path for path in places(blocks) if path])
    holder, way = at(blocks, path), rng.randrange(4)
    if way == 0:
        holder.pop(last)
    elif way == 1 and isinstance(holder, list):
        holder.insert(rng.randrange(len(holder) + 1), holder[last])
    elif way == 2 and isinstance(holder[last], int):
        holder[last] = max(0, holder[last] + rng.choice([-1, 1, 2]))
    else:
        holder[last] = rng.choice(WRONG)
    return dump(said).encode()


def damages(count, seed):
    """Compare kernel and judge on so many damaged certificates: how many got each verdict of the judge."""
    rng, mix = random.Random(seed), Counter()
    seeds = [json.loads(data) for data in block_seeds.some(40)]
    for _ in range(count):
        data = damaged(rng, rng.choice(seeds))
        verdict, status = judge(data), check(data).status
        hint = verdict == "true" and status == "undecided"  # damaged hints do not show it
        assert hint or status in STATUS.get(verdict, {status}), (verdict, status, data.decode())
        mix[verdict, status] += 1
    return mix


def test_kernel_and_judge_agree_on_damaged_blocks():
    mix = damages(900, "blocks")
    assert min(mix["malformed", "malformed"], mix["false", "rejected"], mix["true", "accepted"]) > 5


@pytest.mark.long
def test_kernel_and_judge_agree_on_many_blocks():
    rng = random.Random("many blocks")
    for i in range(2000):
        data = block_seeds.seed(rng, i % 2 == 1)
        assert (judge(data) == "true") == (check(data).status == "accepted"), data.decode()
    damages(8000, "many blocks")


def test_the_engine_writes_what_the_kernel_accepts():
    versions = Counter()
    for kind, inputs, n in [("four", 2, 200), ("four", 2, 800), ("one of three", 2, 300)]:
        rows = rank_three(1, inputs) if kind == "four" else random_table(2, kind, inputs)
        randomizer, delta = Randomizer.of(rows), Fraction(1, 10**5)
        low, high, _ = epsilon_of(reach_of(randomizer, n), delta)
        eps = Fraction(int(10**5 * (low + 9 * high)), 10**6)  # too small for the blanket
        found = certify(randomizer, n, eps, delta)
        assert found.verdict == "PROVED"
        versions[found.certificate["version"]] += 1
        assert check(found.certificate_text().encode()).status == "accepted"
    assert versions[8] >= 2
