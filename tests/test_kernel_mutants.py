"""Certificates that are true by a judge of their own, and what becomes of them by changes anywhere in the file."""

import json
import random
from contextlib import suppress
from fractions import Fraction

import pytest

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from tests import test_kernel as small
from tests.judge_of_claims import Open, claim_is_of_the_form, judge, largest

F = Fraction
NUMBERS = ["0", "1", "1/2", "1/3", "2/3", "3/4", "log(2)", "log(3/2)", "log(1)", "5/4"]


def parts(rng, rows, n, ends):
    """A proof about rows: trees with all leaves, sometimes renamings."""
    inputs = list(rows)
    return writing.cover([writing.entry(a, b, rng.choice(list(small.trees(rng, n, inputs)))) for a, b in ends])


def table(rng):
    rows, n = small.table(rng), rng.randint(1, 3)
    view = rng.choice(["shuffled", "shuffled", "local", "preshuffle"])
    neighbours = rng.choice(["replace", "add-remove"])
    seen = writing.rows(small.written(rows), n, view, rng.randint(1, n), rng.choice(["1", "1/2"]))
    ends = [(a, b) for a in [*rows, None] for b in [*rows, None] if a != b and (
        (None in (a, b)) == (neighbours != "replace"))]
    users = n if view == "shuffled" else 1
    return seen, neighbours, parts(rng, rows, users, ends)


def numbers(rng):
    law = {"law": "finite", "p": {"0": "1/4", "1": "1/2", "3": "1/4"}}
    each = {"up to": rng.randint(1, 2)}
    if rng.random() < 0.5:
        each["plus"] = rng.choice([law, writing.coin("1/3")])
    added = rng.choice([law, {"law": "binomial", "n": 4, "p": "1/2"}])
    seen = {"users": rng.randint(1, 3), "each": each, "added": added}
    if rng.random() < 0.4:
        seen["shown"] = {"mod": rng.randint(2, 5)}
    return seen, rng.choice(["replace", "add-remove"]), {}


def columns(rng):
    held = {"law": "mixture", "of": [["1/3", writing.constant(1)], ["2/3", writing.coin("1/2")]]}
    each = {"one of": rng.choice([2, 3, "any number"]), "held": rng.choice([held, writing.coin("3/4")]),
            "other": rng.choice([writing.constant(0), writing.coin("1/4")])}
    seen = {"users": rng.randint(1, 4), "each": each}
    tree = rng.choice([["each"], ["corner"], [["b", 1], "each", "corner"]])
    if rng.random() < 0.4:
        seen["shown"] = {"from": rng.randint(1, 3)}
    return seen, "replace", writing.cover([writing.entry("a", "b", tree)])


def seed(rng):
    """A certificate whose delta is at, just above or just below the truth."""
    while True:
        seen, neighbours, proof = rng.choice([table, table, numbers, columns])(rng)
        runs = [(seen, rng.choice([1, 1, 2]))]
        claim = writing.claim(runs, neighbours, rng.choice(["0", "log(3/2)", "log(2)"]), F(0))
        try:
            worst = largest(claim)
        except Open:
            continue
        claim["delta"] = str(min(max(worst + rng.choice([F(0), F(1, 10**6), F(1, 20), -F(1, 10**6)]), F(0)), F(1)))
        several = runs[0][1] > 1
        lattice = [(F(257, 256), rng.choice([64, 512]))]
        because = writing.composed([proof], lattice) if several else proof
        return writing.certificate(claim, "PROVED", because)


def places(tree, path=()):
    """Every place of a tree that holds a text, a number or a list."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def changed(rng, tree):
    """The tree with one thing in it another one."""
    tree = json.loads(json.dumps(tree))
    path = rng.choice(list(places(tree)))
    at = tree
    for key in path[:-1]:
        at = at[key]
    value = at[path[-1]]
    if isinstance(value, list) and value:
        rng.choice([lambda: value.pop(rng.randrange(len(value))), lambda: value.append(value[0]), value.reverse])()
    elif isinstance(value, int):
        at[path[-1]] = max(value + rng.choice([-1, 1, 2]), 0)
    elif isinstance(value, str):
        other = ["each", "corner", "replace", "add-remove", "same", "any", "x", "y", "a", "b", "other", None]
        at[path[-1]] = rng.choice(NUMBERS if value[:1].isdigit() or value.startswith("log") else other)
    elif isinstance(value, dict) and rng.random() < 0.5:
        at.pop(path[-1]) if isinstance(at, dict) else None
    return tree


@pytest.mark.parametrize("case", range(40))
@pytest.mark.sampled(2)
def test_whatever_is_changed_nothing_false_is_accepted(case):
    rng = random.Random(f"mutants {case}")
    base = seed(rng)
    for _ in range(25):
        tree = base
        for _ in range(rng.randint(0, 2)):
            tree = changed(rng, tree)
        status, reason = kernel.check(json.dumps(tree).encode(), max_work=10**7)
        if not claim_is_of_the_form(tree):
            assert status == "malformed" or (status != "accepted" and len(tree["claim"]["runs"]) > 1), (tree, reason)
            continue
        assert status != "malformed" or reason.startswith("file.because"), (tree, reason)
        if status == "accepted":
            with suppress(Open):
                assert judge(tree), json.dumps(tree)


def test_nothing_false_is_accepted_around_truths():
    """As `python -m tests.kernel_attack` makes them by the thousand: of all users, neighbours, laws."""
    from tests.kernel_attack import attack

    found = attack(200, "tests")
    accepted = {kind for kind, _, status in found if status == "accepted"}
    assert accepted >= {"blocks", "columns", "deletion", "numbers", "private", "runs", "table"}, found
