"""Covers of blocks in the verified kernel: what blocks allow by tests/judge_blocks.py, to a fiftieth, and no less."""

import json
import random
from fractions import Fraction
from itertools import permutations

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.bound.shown import Shown
from shufflecert.verify.checked import decide
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from tests import block_seeds, judge, verified


def rewritten(said, delta):
    """A certificate of tests/block_seeds.py, of all users, in the format without versions."""
    claim, blocks = said["claim"], said["evidence"]["blocks"]
    seen = writing.rows(claim["randomizer"], claim["n"])
    because = writing.cover([writing.entry(*one.values()) for one in blocks["covers"]], known=blocks["known"])
    made = writing.claim([(seen, 1)], "replace", claim["eps"], delta)
    return json.dumps(writing.certificate(made, "PROVED", because)).encode()


def seeds(count):
    """(a certificate with a fiftieth of room, and with none, whether all is known that is sure to be sent)"""
    rng = random.Random("verified blocks")
    while count:
        said, parts = block_seeds.allowed(block_seeds.planned(rng))
        claim = said["claim"]
        if claim["honest"] != claim["n"] or claim["take part"] != "1":
            continue
        k = block_seeds.least(parts, judge.parse(block_seeds.dump(said).encode()).eps)
        room, none = (Fraction(max(i, 0), block_seeds.STEPS) for i in (k + k // 50 + 2, k - 1))
        if room < 1:
            count -= 1
            yield rewritten(said, room), rewritten(said, none) if k else None


def enumerated(data):
    """Whether the claim is true, on every dataset: the kernel's word on the same claim with a leaf "each"."""
    tree = json.loads(data)
    for one in tree["because"]["pairs"]:
        one["tree"] = ["each"]
    return kernel.check(json.dumps(tree).encode()).status == "accepted"


def test_what_blocks_allow_is_accepted_and_no_less():
    """A delta below what blocks allow is shown for true claims alone: where nothing is said to be known of an input,
    the checker takes what its class is known to send."""
    found, less = [], 0
    for true, false in seeds(40):
        found.append(decide.verdict(true)[0])
        assert found[-1] in ("accepted", "undecided") and kernel.check(true).status == "accepted", true
        if false is not None and decide.verdict(false)[0] == "accepted":
            assert enumerated(false), false
        elif false is not None:
            less += 1
    assert found.count("accepted") >= 36 and less > 20


def table(rng, inputs, sends):
    """Rows with random weights."""
    rows = []
    for x in range(inputs):
        weights = [rng.randint(1, 12) for _ in sends]
        rows.append((str(x), [(s, Fraction(w, sum(weights))) for s, w in zip(sends, weights, strict=True)]))
    return Randomizer.build(rows)


def written(rows, n, eps, delta):
    """The certificate that the search for covers finds."""
    because = Shown(rows, n).trees(Eps.of(eps), delta)
    made = writing.claim([(writing.rows(rows.to_json(), n), 1)], "replace", eps, delta)
    return json.dumps(writing.certificate(made, "PROVED", because)).encode()


CASES = [
    (2, [["a"], ["b"], ["c"]], 200, "1/2", "1/10000"),
    (3, [[], ["a"], ["b"], ["a", "b"]], 500, "1", "1/100000"),
    (2, [["s", "a"], ["s", "b"], ["s", "c"]], 300, "1/2", "1/10000"),
]


def at(data, delta):
    """The certificate with another delta."""
    tree = json.loads(data)
    tree["claim"]["delta"] = str(delta)
    return json.dumps(tree).encode()


def test_covers_of_tables_are_accepted_by_all_three(verified_kernel, tmp_path):
    """Word for word the same; and where the hand-written kernel finds half of a delta too little, so do these."""
    rng, files = random.Random(5), []
    for inputs, sends, n, eps, given in CASES:
        delta = Fraction(given)
        data = written(table(rng, inputs, sends), n, eps, delta)
        while kernel.check(at(data, delta / 2)).status == "accepted":
            delta /= 2
        files += [at(data, delta * Fraction(11, 10)), at(data, delta / 4)]
    found = verified.verdicts(tmp_path, files)
    for data, verdict, good in zip(files, found, [True, False] * len(CASES), strict=True):
        mine = decide.verdict(data)
        assert mine == verdict and (mine[0] == "accepted") == good, (data, mine, verdict)


def test_what_is_known_has_to_be_sure():
    rng = random.Random(5)
    tree = json.loads(written(table(rng, *CASES[2][:2]), *CASES[2][2:4], Fraction(CASES[2][4])))
    tree["because"]["known"]["0"] = {"a": 1}
    assert decide.verdict(json.dumps(tree).encode()) == ("malformed", "because.known: expected what is always sent")
    assert len(list(permutations("01"))) == len(tree["because"]["pairs"])


def test_blocks_that_are_too_much_work_are_not_begun(verified_kernel, tmp_path):
    """Of a million users in two blocks with many kinds of messages, and of a grid that is far too wide."""
    grid = {"step": "1", "cells": 2**20, "tilt": "3/2", "above": 9}
    sends = [[str(i)] for i in range(9)]
    rows = table(random.Random(1), 2, sends).to_json()
    files = []
    for users, n in (({"0": 500_000}, 10**6 + 1), ({}, 10**6)):
        leaf = writing.block(users, 0 if users else 1, "0" if users else None, grid)
        because = writing.cover([writing.entry(a, b, [["0", n // 2], leaf, leaf]) for a, b in permutations("01")])
        made = writing.claim([(writing.rows(rows, n), 1)], "replace", "1", Fraction(1, 10**6))
        files.append(json.dumps(writing.certificate(made, "PROVED", because)).encode())
    for data, verdict in zip(files, verified.verdicts(tmp_path, files), strict=True):
        assert decide.verdict(data)[0] == verdict[0] and verdict[0] in ("undecided", "rejected"), verdict
    assert any("too much work" in decide.verdict(data)[1] for data in files)
