"""Certificates of covers, true by the judge, and seeded mutants of them: what scale_mutants.py is for the other forms.

`planned` builds a tree of boxes for a random table and the least delta that its corners keep.
"""

import json
import random
from fractions import Fraction
from itertools import islice

from tests import certificate_mutants as first
from tests import judge, judge_scale
from tests.certificate_seeds import claim_of
from tests.scale_seeds import certificate, delta_written

SENT = [("a",) * i for i in range(4)]


def randomizer(rng, inputs=0, outputs=None):
    """A random table as in the oracle: counts of one message with gaps, shifted rows among them, or a few messages."""
    outputs = outputs or rng.choice([SENT, SENT, SENT[:2], [(), ("a",), ("b",)], [("a", "b"), ("a",), ("b", "b")]])
    rows, known = {}, []
    for x in range(inputs or rng.choice([2, 2, 3])):
        weights = [rng.choice([0, 1, 1, 2, 3, 5]) for _ in outputs]
        weights[rng.randrange(len(weights))] += 1
        law = {y: Fraction(w, sum(weights)) for y, w in zip(outputs, weights, strict=True) if w}
        if known and rng.random() < 0.25:  # the row of another input, moved by one message
            law = {(*y, "a"): p for y, p in rng.choice(known).items()}
        known.append(law)
        rows["xyzuvw"[x]] = law
    return rows


def tree(rng, inputs, n, cuts):
    """A random tree, as the list of a certificate."""
    if not cuts:
        return [None]
    left = rng.randrange(cuts)
    most = rng.randint(0, max(n - 1, 1))
    return [[rng.choice(inputs), most], *tree(rng, inputs, n, left), *tree(rng, inputs, n, cuts - 1 - left)]


def least(said, up=True, digits=12):
    """The least delta that the corners keep, rounded to the side where the certificate is true (or false)."""
    stated = judge.parse(json.dumps(said).encode())
    high = judge_scale.power(stated.eps, 128)[0]
    values = [a - b * high for a, b in judge_scale.judge_cover.corner_parts(stated)]
    return delta_written(max(values, default=Fraction(0)), digits, up)


def planned(rng, rows=None, n=0, cuts=None, eps=None):
    """A true certificate of a random table, tree and eps, small enough for the judge."""
    try:
        return _planned(rng, rows, n, cuts, eps)
    except judge.TooBigError:
        return planned(rng, rows, n, cuts, eps)


def _planned(rng, rows, n, cuts, eps):
    rows, n = rows or randomizer(rng), n or rng.randint(1, 7)
    eps = eps or rng.choice(["0", "1/10", "1/2", "1", "log(5/3)", "log(3)"])
    nodes = tree(rng, list(rows), n, rng.randint(0, 6) if cuts is None else cuts)
    said = certificate(claim_of(rows, "shuffled", n, eps, 1), "PROVED", {"cover": nodes}, version=3)
    said["claim"]["delta"] = least(said)
    return said


def seeds():
    """Covers of one box and of many, of one class and of several."""
    rng = random.Random(3)
    apart = {"x": {("a",): Fraction(1)}, "y": {("b",): Fraction(1)}}
    single = {"x": {("a",): Fraction(1, 2), (): Fraction(1, 2)}}
    shifted = {"x": single["x"], "y": {("a", "a"): Fraction(1, 2), ("a",): Fraction(1, 2)}}
    by_hand = [planned(rng, rows, n, cuts) for rows, n, cuts in ((apart, 3, 2), (single, 4, 1), (shifted, 6, 2))]
    return [*by_hand, *(planned(rng) for _ in range(30))]


def most_moved(rng, said):
    """Another number in a cut."""
    cut = rng.choice([node for node in said["evidence"]["cover"] if node])
    cut[1] = rng.choice([cut[1] - 1, cut[1] + 1, cut[1] + 1, 0, said["claim"]["n"], 10**15, 10**15 + 1, str(cut[1])])


def label_changed(rng, said):
    """Another class in a cut, or in all of them."""
    inputs, _ = first._labels(said)
    cuts = [node for node in said["evidence"]["cover"] if node]
    if rng.random() < 0.5:
        rng.choice(cuts)[0] = rng.choice([*inputs, *inputs, "new", ""])
    else:
        moved = dict(zip(inputs, rng.sample(inputs, len(inputs)), strict=True))
        for cut in cuts:
            cut[0] = moved[cut[0]]


def node_changed(rng, said):
    """A leaf or cut dropped, doubled, exchanged or put in."""
    nodes = said["evidence"]["cover"]
    i, j = rng.randrange(len(nodes)), rng.randrange(len(nodes))
    what = rng.choice(["drop", "double", "exchange", "exchange", "write"])
    if what == "drop":
        nodes.pop(i)
    elif what == "double":
        nodes.insert(i, nodes[j])
    elif what == "exchange":
        nodes[i], nodes[j] = nodes[j], nodes[i]
    else:
        wrong = [[], {}, False, 0, [None, 1], [nodes[i]], ["x", 1, 2], ["x", 1.5], ["x", -1], ["x", True]]
        nodes[i] = rng.choice(wrong)


def _subtree(nodes, i):
    """The end of the tree that begins at i."""
    missing = 1
    while missing:
        missing += 1 if nodes[i] else -1
        i += 1
    return i


def leaf_cut(rng, said):
    """A box cut in two, as far as the tree goes: never wrong."""
    nodes = said["evidence"]["cover"]
    i = rng.choice([i for i, node in enumerate(nodes) if node is None])
    nodes[i : i + 1] = tree(rng, first._labels(said)[0], said["claim"]["n"], rng.choice([1, 1, 2]))


def boxes_merged(rng, said):
    """A tree in the place of which there is one box now, whose corner allows more."""
    nodes = said["evidence"]["cover"]
    i = rng.choice([i for i, node in enumerate(nodes) if node])
    nodes[i : _subtree(nodes, i)] = [None]


def sides_exchanged(rng, said):
    """The two trees after a cut in the other order."""
    nodes = said["evidence"]["cover"]
    i = rng.choice([i for i, node in enumerate(nodes) if node])
    middle, end = _subtree(nodes, i + 1), _subtree(nodes, i)
    nodes[i + 1 : end] = nodes[middle:end] + nodes[i + 1 : middle]


def users(rng, said):
    """One user more or less."""
    said["claim"]["n"] = rng.choice([said["claim"]["n"] + 1, said["claim"]["n"] - 1, 1])


def delta_near(rng, said):
    """A delta that the corners keep to the last digit, or one digit less."""
    try:
        said["claim"]["delta"] = least(said, rng.random() < 0.3, rng.choice([3, 9, 12, 25]))
    except (judge.TooBigError, judge.MalformedError) as error:
        raise LookupError from error


def another(rng, said):
    """Another table, tree and eps, with a delta that is just enough or just not."""
    said |= planned(rng)
    delta_near(rng, said)


def other_evidence(rng, said):
    """The evidence or verdict of another form."""
    blanket = {"blanket": {"step": "1/64", "cells": 4096, "tilt": "9/8"}}
    what = rng.choice([said["evidence"] | blanket, blanket, said["evidence"], {"Cover": [None]}, {"cover": None}])
    said["evidence"] = what
    said["verdict"] = rng.choice(["PROVED", "PROVED", "REFUTED"])
    said["version"] = rng.choice([1, 2, 3, 3])


COVER = [most_moved, most_moved, most_moved, label_changed, label_changed, node_changed, leaf_cut, boxes_merged]
COVER += [boxes_merged, sides_exchanged, sides_exchanged, users, delta_near, delta_near, delta_near, delta_near]
COVER += [another, another, another, another, another, another]
COVER += [other_evidence, first.eps_value, first.weight_unit, first.swap_inputs, first.reorder, first.swap_sends]


def mutants(seed, count):
    """`count` distinct mutants, the same for the same seed: (names of what was done, bytes)."""
    rng, seen, trees = random.Random(seed), set(), seeds()

    def endless():
        while True:
            done, data = first.mutant(rng, trees, COVER)
            if done and data not in seen:
                seen.add(data)
                yield done, data

    return islice(endless(), count)
