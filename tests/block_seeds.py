"""Random certificates of version 8: a small table, for each pair of inputs a tree of boxes, for each box some block.

delta is what the judge (tests/judge_blocks.py: all blocks together multiplied out, in Fractions) finds that all blocks
allow, rounded up, or down where the certificate is to be false.
"""

import random
from fractions import Fraction
from itertools import permutations
from math import gcd

from tests import judge, judge_blocks
from tests.certificate_seeds import dump

GRID = {"step": "1/64", "cells": 1 << 13, "tilt": "33/32", "above": 1 << 11}
STEPS = 10**7  # of delta


def rows_of(rng):
    """Rows of two or three inputs: one message, or counts of two, some of them sent for sure, some rows shifts."""
    outputs = [["a"], ["b"], ["c"]] if rng.random() < 0.5 else [[], ["a"], ["a", "b"], ["a", "a"]]

    def row():
        sent = rng.sample(outputs, rng.choice((2, 3)))
        weights = [rng.randint(1, 5) for _ in sent]
        return [(send, w, sum(weights)) for send, w in zip(sent, weights, strict=True)]

    rows, first = [], row()
    for x in "xyz"[: rng.choice((2, 2, 3))]:
        more, law = ["a"] * rng.choice((0, 0, 1)), first if rng.random() < 0.4 else row()
        outs = [{"send": send + more, "p": f"{w // gcd(w, n)}/{n // gcd(w, n)}"} for send, w, n in law]
        rows.append({"input": x, "outputs": outs})
    return rows


def known_of(rng, rows):
    """Some of what inputs are sure to send."""
    known = {}
    for row in rows:
        sent = [output["send"] for output in row["outputs"]]
        least = {m: min(send.count(m) for send in sent) for m in "abc"}
        taken = {m: rng.randint(1, count) for m, count in least.items() if count and rng.random() < 0.7}
        if taken or rng.random() < 0.2:
            known[row["input"]] = taken
    return known


def block_of(rng, inputs, most):
    """A block of at most so many users."""
    size = rng.randint(1, most)
    held = [rng.choice([*inputs, None]) for _ in range(size)]
    users = {x: held.count(x) for x in inputs if x in held}
    place = rng.choice(held)
    return block(users, held.count(None), place)


def block(users, left, place):
    """A block with a fine grid."""
    return {"users": users, "open": left, "place": place, "grid": dict(GRID)}


def certificate(rows, n, eps, known, covers, more=0, share="1"):
    """The certificate as a tree, with delta 1, of n honest users and so many more, who take part with a probability."""
    claim = {"randomizer": {"rows": rows}, "adjacency": "replace", "view": "shuffled", "n": n + more, "datasets": "all"}
    claim |= {"honest": n, "take part": share}
    top = {"format": "shufflecert certificate", "version": 8, "claim": claim | {"eps": eps, "delta": "1"}}
    return {**top, "verdict": "PROVED", "evidence": {"blocks": {"known": known, "covers": covers}}}


def cover_of(rng, inputs, n, most, depth=2):
    """A tree of cuts, with blocks."""
    if depth and rng.random() < 0.4:
        cut = [rng.choice(inputs), rng.randint(0, n - 1)]
        return [cut, *(node for _ in "ab" for node in cover_of(rng, inputs, n, most, depth - 1))]
    return [block_of(rng, inputs, most)]


def planned(rng):
    """A certificate all of whose blocks are there, and whose delta is 1."""
    while True:
        rows, n = rows_of(rng), rng.randint(1, 6)
        inputs, eps = [row["input"] for row in rows], rng.choice(["0", "1/10", "log(3/2)", "log(2)", "1"])
        most = min(n, rng.choice((1, 2, 3, 6)))
        covers = [{"from": a, "to": b, "cover": cover_of(rng, inputs, n, most)} for a, b in permutations(inputs, 2)]
        more, share = rng.choice((0, 0, 1, 10**9)), rng.choice(("1", "1", "1/2", "2/3"))
        said = certificate(rows, n, eps, known_of(rng, rows) if share == "1" else {}, covers, more, share)
        try:
            found = judge_blocks.blocks_of(judge.parse(dump(said).encode()))
            large = max((left + sum(held for _, held in users) for _, _, (users, left, _), _ in found), default=0)
            if all(draws >= 1 for *_, draws in found) and (large > 1 or rng.random() < 0.2):
                allowed(said)
                return said
        except judge.TooBigError:
            pass


def allowed(said):
    """The certificate, and (A, B) of what each of its blocks allows, A - B e^eps."""
    stated = judge.parse(dump(said).encode())
    found = judge_blocks.blocks_of(stated)
    return said, [judge_blocks.parts_of(stated, block, a, b, draws) for a, b, block, draws in found]


def least(parts, eps):
    """The least k for which all A - B e^eps are at most k / STEPS."""
    low, high = -1, STEPS
    while high - low > 1:
        middle = (low + high) // 2
        kept = all(judge.sign(a, b, eps, Fraction(middle, STEPS)) <= 0 for a, b in parts)
        low, high = (low, middle) if kept else (middle, high)
    return high


def seed(rng, false=False):
    """A certificate that is true, with a little room for the grid, or false, and its bytes."""
    while True:
        said, parts = allowed(planned(rng))
        k = least(parts, judge.parse(dump(said).encode()).eps)
        k = k - 1 if false else k + k // 50 + 2
        if 0 <= k <= STEPS:
            said["claim"]["delta"] = str(Fraction(k, STEPS))
            return dump(said).encode()


def some(count, false=False):
    """So many of them, always the same."""
    rng = random.Random(f"blocks {false}")
    return [seed(rng, false) for _ in range(count)]
