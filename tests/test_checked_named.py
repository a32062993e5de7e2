"""The verified checker on large tables seen by name, on a delta of 1, and on the counts of four messages."""

import json
import random
from fractions import Fraction
from itertools import product

import pytest

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.checked import decide
from tests import verified

TINY = Fraction(1, 10**15)
T = 2


def said(seen, changes, eps, delta, why, verdict):
    """What both say, that is the same."""
    data = json.dumps(writing.certificate(writing.claim([(seen, 1)], changes, eps, delta), verdict, why)).encode()
    status, theirs = decide.verdict(data)[0], kernel.check(data).status
    assert status == theirs, data
    return status, data


def table(laws, rng):
    """Its rows, each in an order of its own."""
    rows = []
    for name, law in laws.items():
        outputs = [{"send": [*sent], "p": str(p)} for sent, p in law.items()]
        rows.append({"input": name, "outputs": rng.sample(outputs, len(outputs))})
    return {"rows": rows}


def apart(p, q):
    """By the definition: what an event has more of, at e^eps = T."""
    return sum(max(w - T * q.get(sent, 0), 0) for sent, w in p.items())


@pytest.mark.parametrize(("messages", "most", "inputs"), [(2, 10, 2), (13, 3, 3), (3, 0, 2)])
def test_tuples(messages, most, inputs, verified_kernel, tmp_path):
    """Tuples of which many have the same messages in another order; laws of random weights."""
    rng = random.Random(messages)
    tuples = [sent for size in range(most + 1) for sent in product(map(str, range(messages)), repeat=size)]
    laws = {}
    for x in range(inputs):
        some = [sent for sent in tuples if rng.random() < 0.8 or not sent]
        weights = [rng.choice([1, 2, 3, 20]) for _ in some]
        laws[f"x{x}"] = {sent: Fraction(w, sum(weights)) for sent, w in zip(some, weights, strict=True)}
    pairs = {(x, y): apart(laws[x], laws[y]) for x in laws for y in laws if x != y}
    (x, y), delta = max(pairs.items(), key=lambda one: one[1])
    seen = writing.rows(table(laws, rng), 5, "local")
    why = writing.enumerated(pairs, [])
    best = [[*sent] for sent, w in laws[x].items() if w > T * laws[y].get(sent, 0)]
    pair = writing.neighbours(x, y, None)
    refutations = [writing.event(pair)] + ([writing.event(pair, outcomes=best)] if best else [])
    made = []
    for by, proved, refuted in ((0, "accepted", "rejected"), (-TINY, "rejected", "accepted")):
        if delta + by < 0:
            continue
        made.append(said(seen, "replace", f"log({T})", delta + by, why, "PROVED"))
        assert made[-1][0] == proved
        for refutation in refutations:
            made.append(said(seen, "replace", f"log({T})", delta + by, refutation, "REFUTED"))
            assert made[-1][0] == refuted
    if best:  # the same messages in another order are another output
        turned = sorted({(*sorted(sent),) for sent in best})
        more = sum(laws[x].get(sent, 0) - T * laws[y].get(sent, 0) for sent in turned)
        event = writing.event(pair, outcomes=[[*sent] for sent in turned])
        made.append(said(seen, "replace", f"log({T})", delta - TINY, event, "REFUTED"))
        assert made[-1][0] == ("accepted" if more > delta - TINY else "rejected")
    assert [status for status, _ in verified.verdicts(tmp_path, [data for _, data in made])] == [s for s, _ in made]


@pytest.mark.parametrize("flip", ["1/100", "1/3"])
def test_who_is_there(flip, verified_kernel, tmp_path):
    """Three strings of two bits each: how many there are tells whether a user is there, so delta is 1, exactly."""
    flip, strings = Fraction(flip), ["00", "01", "10", "11"]

    def chance(sent, truth):
        found = Fraction(1)
        for a, b in zip("".join(sent), truth + "0000", strict=True):
            found *= 1 - flip if a == b else flip
        return found

    laws = {x: {sent: chance(sent, x) for sent in product(strings, repeat=3)} for x in ("01", "10")}
    seen = writing.rows(table(laws, random.Random(1)), 10)
    proof = writing.enumerated(writing.ends(laws, "add-remove"), [])
    pair = writing.event(writing.neighbours("01", None, {"10": 9}))
    made = [said(seen, "add-remove", "1", 1, proof, "PROVED"), said(seen, "add-remove", "1", 1 - TINY, pair, "REFUTED")]
    assert [status for status, _ in made] == ["accepted", "accepted"]
    assert [status for status, _ in verified.verdicts(tmp_path, [data for _, data in made])] == ["accepted"] * 2


@pytest.mark.parametrize("tree", [["each"], ["corner"]])
def test_delta_below_1(tree):
    """Of two users who say what they have; delta is 1, exactly."""
    laws = {x: {(x,): Fraction(1)} for x in "ab"}
    seen = writing.rows(table(laws, random.Random(1)), 2)
    proof = writing.cover([writing.entry(*pair, tree) for pair in ("ab", "ba")])
    found = [said(seen, "replace", "1", 1 - by, proof, "PROVED")[0] for by in (0, TINY)]
    assert found == ["accepted", "rejected"]
