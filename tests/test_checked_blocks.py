"""Covers of blocks in the verified kernel: what they show to kernel.py, to a fiftieth, and what is too much work."""

import json
import random
from fractions import Fraction
from itertools import combinations_with_replacement, permutations

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.bound.evidence import Shown
from shufflecert.verify.checked import decide
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from tests import verified
from tests.helpers import cases
from tests.kernel_attack import blocks

GRID = {"step": "1/64", "cells": 1 << 13, "tilt": "33/32", "above": 1 << 11}
STEPS = 10**7  # of delta


def test_what_the_kernel_accepts_is_accepted_with_a_fiftieth_more():
    """The least delta that blocks show to the kernel, which is looked for by halving."""
    rng, found = random.Random("fine blocks"), []
    for _ in range(45):
        seen, around, proof, _ = blocks(rng)
        for one in proof["pairs"]:
            one["tree"] = [node | {"grid": GRID} if isinstance(node, dict) else node for node in one["tree"]]
        eps = rng.choice(["0", "1/10", "log(3/2)", "log(2)", "1"])

        def says(by, delta, seen=seen, around=around, proof=proof, eps=eps):
            claim = writing.claim([(seen, 1)], around, eps, delta)
            return by(json.dumps(writing.certificate(claim, "PROVED", proof)).encode())[0] == "accepted"

        low, high = 0, STEPS * 50 // 51 if says(kernel.check, Fraction(50, 51)) else 0
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if says(kernel.check, Fraction(middle, STEPS)) else (middle, high)
        if high:
            found.append(says(decide.verdict, Fraction(high * 51 + 50, STEPS * 50)))
    assert len(found) >= 10 and found.count(True) >= len(found) * 9 / 10


# Of tables -----------------------------------------------------------------------------------------------------------


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
    for inputs, sends, n, eps, given in CASES[: cases(3)]:
        delta = Fraction(given)
        data = written(table(rng, inputs, sends), n, eps, delta)
        while kernel.check(at(data, delta / 2)).status == "accepted":
            delta /= 2
        files += [at(data, delta * Fraction(11, 10)), at(data, delta / 4)]
    found = verified.verdicts(tmp_path, files)
    for data, verdict, good in zip(files, found, [True, False] * (len(files) // 2), strict=True):
        mine = decide.verdict(data)
        assert mine == verdict and (mine[0] == "accepted") == good, (data, mine, verdict)


def test_users_of_many_outputs_of_few_messages_are_in_blocks(verified_kernel, tmp_path):
    """Up to two of three messages: blocks of 16 users reach some 6,500 counts. They were foreseen to have as many
    outcomes as there are multisets of 16 of ten outputs and more, millions, and were not begun."""
    sends = [list(some) for k in range(3) for some in combinations_with_replacement("abc", k)]
    data = written(table(random.Random(1), 2, sends), 300, "3/50", Fraction(1, 1000))
    shown = [node for pair in json.loads(data)["because"]["pairs"] for node in pair["tree"] if isinstance(node, dict)]
    assert any(sum(node["users"].values()) + node["open"] >= 16 for node in shown)
    assert kernel.check(data).status == decide.verdict(data)[0] == "accepted"
    assert verified.verdicts(tmp_path, [data]) == [decide.verdict(data)]
    assert decide.verdict(at(data, Fraction(1, 10**6)))[0] != "accepted"


def test_what_is_known_has_to_be_sure():
    rng = random.Random(5)
    tree = json.loads(written(table(rng, *CASES[2][:2]), *CASES[2][2:4], Fraction(CASES[2][4])))
    tree["because"]["known"]["0"] = {"a": 1}
    assert decide.verdict(json.dumps(tree).encode()) == ("malformed", "because.known: expected what is always sent")
    assert len(list(permutations("01"))) == len(tree["because"]["pairs"])


def test_blocks_that_are_too_much_work_are_not_begun(verified_kernel, tmp_path):
    """Of a million users in two blocks with many kinds of messages, and of a grid that is far too wide."""
    grid = {"step": "1/1000000000", "cells": 2**20, "tilt": "3/2", "above": 9}
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


def test_a_blanket_of_many_inputs_is_one_bound(verified_kernel, tmp_path):
    """24 values by randomized response, one bound for 552 pairs: each for itself, they take ten times these steps."""
    names = [str(x) for x in range(24)]
    chances = {True: "25/48", False: "1/48"}
    rows = [{"input": x, "outputs": [{"send": [y], "p": chances[x == y]} for y in names]} for x in names]
    grid = {"step": "1461435/131072", "cells": 550, "tilt": "719275/524288"}
    block = {"users": {}, "open": 1, "place": None, "grid": grid}
    proof = writing.cover([writing.entry(x, y, [block]) for x in names for y in names if x != y])
    seen, found = {"users": 2000, "view": "shuffled", "each": {"rows": rows}}, []
    for delta in ("1e-4", "1e-12"):
        claim = writing.claim([(seen, 1)], "replace", "3/5", Fraction(delta))
        data = json.dumps(writing.certificate(claim, "PROVED", proof)).encode()
        said = decide.verdict(data, 10**6)[0]
        [(status, _)] = verified.verdicts(tmp_path, [data])
        assert said == status == kernel.check(data).status
        found.append(said)
    assert found == ["accepted", "undecided"]
