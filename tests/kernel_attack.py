"""Certificates next to truths that are found by brute force, right and wrong in many ways: none that is false may pass.

`python -m tests.kernel_attack 20000` makes so many, and says how many are true, false, and accepted of either; the
truth is that of tests/judge_of_claims.py.
"""

import json
import random
import sys
from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from tests import test_kernel_mutants as seeds
from tests.judge_of_claims import Open, judge, largest, powers
from tests.test_kernel import row, table, trees, written

F = Fraction
WORK = 3 * 10**6
EPS = ["0", "log(3/2)", "log(2)", "log(5)", "1/2", "1", "3/10"]
HAIRS = [F(0), F(1, 10**12), -F(1, 10**12), F(1, 10**6), -F(1, 10**6), F(1, 50), -F(1, 50), F(1, 4), -F(1, 4)]


def law(rng, whole=False):
    """A law of noise of any kind, small; `whole` without an end where it is such."""
    share = str(F(rng.randint(1, 4), 5))
    finite = [
        {"law": "finite", "p": {"0": "1/4", "1": "1/2", "3": "1/4"}},
        {"law": "binomial", "n": rng.randint(1, 5), "p": share},
        writing.constant(rng.randint(0, 2)),
    ]
    kinds = [
        *finite,
        {"law": "mixture", "of": [["1/3", rng.choice(finite)], ["2/3", rng.choice(finite)]]},
        {"law": "sum", "of": [rng.choice(finite), rng.choice(finite)]},
    ]
    if whole:
        kinds = [
            {"law": "poisson", "lam": str(F(rng.randint(1, 9), 3))},
            {"law": "negative binomial", "r": str(F(rng.randint(1, 6), 3)), "p": str(F(rng.randint(1, 3), 5))},
            {"law": "discrete Laplace", "q": str(F(rng.randint(1, 3), 5))},
            {"law": "discrete Laplace", "q": str(F(rng.randint(1, 3), 5)), "bound": rng.randint(1, 4)},
            {"law": "discrete Gaussian", "variance": str(F(rng.randint(1, 12), 4))},
            {"law": "mod", "by": rng.randint(2, 7), "of": {"law": "discrete Laplace", "q": "1/2"}},
        ]
    return rng.choice(kinds)


def blocks(rng):
    """A table with up to eleven users, and leaves that are blocks: up to five or so of them."""
    rows, n = table(rng), rng.randint(2, 11)
    if len(rows) > 2 and n > 7:
        n = 7
    inputs = list(rows)
    grid = {"step": "1/50", "cells": 1024, "tilt": "11/10"}

    def block():
        users = {x: rng.randint(0, 1) for x in inputs}
        place = rng.choice([None, *[x for x in inputs if users[x]]])
        return writing.block(users, rng.randint(0 if place else 1, 2), place, grid)

    tree = rng.choice([[block()], [[rng.choice(inputs), rng.randint(0, n)], block(), rng.choice(["corner", block()])]])
    ends = [(a, b) for a in inputs for b in inputs if a != b]
    proof = writing.cover([writing.entry(a, b, tree) for a, b in ends])
    return writing.rows(written(rows), n), "replace", proof


def deletion(rng):
    rows, n = table(rng), rng.randint(1, 3)
    ends = [pair for x in rows for pair in ((x, None), (None, x))]
    weights = {x: str(F(1, len(rows))) for x in rows}
    proof = writing.cover([writing.entry(a, b, rng.choice(list(trees(rng, n, list(rows))))) for a, b in ends])
    return writing.rows(written(rows), n, "shuffled", None, rng.choice(["1", "1/2"])), {"deletion": weights}, proof


def numbers(rng):
    each = {"up to": rng.randint(1, 3)}
    if rng.random() < 0.5:
        each["plus"] = law(rng, rng.random() < 0.3)
    seen = {"users": rng.randint(1, 3), "each": each, "added": law(rng, rng.random() < 0.6)}
    if rng.random() < 0.3:
        seen["shown"] = {"mod": rng.randint(2, 5)}
    return seen, rng.choice(["replace", "add-remove"]), {}


def columns(rng):
    """Inputs by columns, of which two differ at most."""
    some, inputs = [law(rng) for _ in range(3)], "xyz"[: rng.randint(2, 3)]
    rows = {x: [rng.choice(some) for _ in range(rng.choice([1, 2]))] for x in inputs}
    width = len(rows["x"])
    rows = {x: (laws * 2)[:width] for x, laws in rows.items()}
    seen = {"users": rng.randint(1, 3), "each": {"columns": rows}}
    if rng.random() < 0.4:
        seen["added"] = law(rng, rng.random() < 0.3)
    tree = rng.choice([["each"], ["corner"], [["y", 1], "each", "corner"]])
    return seen, "replace", writing.cover([writing.entry(a, b, tree) for a in inputs for b in inputs if a != b])


def private(rng):
    users = rng.randint(1, 5)
    seen = {"users": users, "each": {"private": [rng.choice(["log(2)", "log(3)", "1"]), rng.choice(["0", "1/20"])]}}
    return seen, "replace", {"grid": {"step": "1/100", "cells": 1024, "tilt": "11/10"}}


def runs(rng):
    """Two to five runs of one or two tables or numbers."""
    parts = []
    for _ in range(rng.randint(1, 2)):
        rows = {x: row(rng, [("a",), ("b",), ("c",)][: rng.randint(2, 3)]) for x in "xy"}
        ends = [("x", "y"), ("y", "x")]
        proof = writing.cover([writing.entry(a, b, [rng.choice(["each", "corner"])]) for a, b in ends])
        parts.append((writing.rows(written(rows), rng.randint(1, 2)), rng.randint(1, 3), proof))
    if sum(times for _, times, _ in parts) == 1:
        parts[0] = (parts[0][0], 2, parts[0][2])
    lattice = (rng.choice([F(257, 256), F(1025, 1024), F(9, 8)]), rng.choice([64, 512, 4096]))
    proof = writing.composed([proof for *_, proof in parts], [lattice] * rng.randint(1, 2))
    return [(seen, times) for seen, times, _ in parts], "replace", proof


def symmetric(rng):
    """Inputs that renamings make one, or that send something for sure; or that only seem to."""
    names, truth = "0123"[: rng.randint(3, 4)], F(rng.randint(2, 4), 5)
    rows = {x: {(y,): truth if x == y else (1 - truth) / (len(names) - 1) for y in names} for x in names}
    if rng.random() < 0.3:
        rows[names[-1]] = {("0",): F(1, 2), ("1",): F(1, 2)}
    swaps = [dict(zip(pair, pair[::-1], strict=True)) for pair in pairwise(names)]
    renamings = [{"inputs": swap, "messages": swap} for swap in swaps]
    if rng.random() < 0.2:
        renamings[-1] = {"inputs": renamings[-1]["inputs"], "messages": {}}
    entries = [writing.entry("0", "1", ["each"], [2] if len(names) > 3 and rng.random() < 0.6 else [])]
    for a, b in permutations(names, 2):
        moves = [(i, k) for i, one in enumerate(entries) if "tree" in one for k, swap in enumerate(swaps)
                 if (swap.get(one["from"], one["from"]), swap.get(one["to"], one["to"])) == (a, b)]
        if (a, b) != ("0", "1"):
            moves = moves or [(0, 0)] * (rng.random() < 0.1)
            entries.append(writing.same_as(a, b, *moves[0]) if moves and rng.random() < 0.7
                           else writing.entry(a, b, [rng.choice(["each", "each", "corner"])]))
    known = {rng.choice(names): {rng.choice(names): 1}} if rng.random() < 0.1 else None
    proof = writing.cover(entries, renamings, known)
    return writing.rows(written(rows), rng.randint(1, 4)), "replace", proof


def event_of(rng, seen):
    """An event of rows, or none."""
    messages = sorted({m for one in seen["each"]["rows"] for output in one["outputs"] for m in output["send"]})
    if rng.random() < 0.4 or not messages:
        return {}
    if seen["view"] != "shuffled":
        sent = [tuple(rng.choices(messages, k=rng.randint(0, 2))) for _ in range(2)]
        if seen["view"] == "local":
            return {"event": {"outcomes": [list(one) for one in {*sent}]}}
        return {"event": {"outcomes": [dict(Counter(one)) for one in {tuple(sorted(one)) for one in sent}]}}
    if rng.random() < 0.5:
        weights = {m: str(rng.randint(-1, 2)) for m in messages}
        return {"event": {"weights": weights, "above": str(rng.randint(-1, 2 * seen["users"]))}}
    listed = {tuple(sorted(rng.choices(messages, k=seen["users"]))) for _ in range(rng.randint(1, 6))}
    return {"event": {"outcomes": [dict(Counter(one)) for one in listed]}}


def pair_of(rng, seen):
    """A pair of neighbours that may be one."""
    each, others = seen["each"], seen["users"] - 1
    if "up to" in each:
        ends = [*map(str, range(each["up to"] + 1)), None]
        return writing.neighbours(*rng.sample(ends, 2), None)
    names = [r["input"] for r in each["rows"]] if "rows" in each else list(each.get("columns", ("a", "b", "other")))
    held = Counter(rng.choice(names) for _ in range(others if seen.get("view", "shuffled") == "shuffled" else 0))
    return writing.neighbours(*rng.sample([*names, None] if rng.random() < 0.4 else names, 2), dict(held))


KINDS = [seeds.table, seeds.columns, blocks, blocks, deletion, numbers, numbers, columns, private, runs]
EVERY = [*KINDS, symmetric, symmetric]


def attempts(rng, kinds=KINDS):
    """Certificates around the truth of one claim."""
    kind = rng.choice(kinds)
    made, around, proof = kind(rng)
    listed = made if isinstance(made, list) else [(made, 1)]
    claim = writing.claim(listed, around, rng.choice(EPS), F(0), rng.choice(["same", "same", "any"]))
    try:
        worst = F(rng.randint(0, 30), 40) if kind is private else largest(claim, powers(claim)[rng.randint(0, 1)])
    except Open:
        return
    for hair in rng.sample(HAIRS, 6):
        delta = min(max(worst + hair * rng.choice([1, max(worst, F(1, 1000))]), F(0)), F(1))
        claim = claim | {"delta": str(delta.limit_denominator(10**15))}
        tree = writing.certificate(claim, "PROVED", proof)
        if rng.random() < 0.35 and kind is not private:
            shown = [writing.event(pair_of(rng, seen)) for seen, _ in listed]
            if kind is symmetric:
                shown[0] |= event_of(rng, made)
            why = writing.composed(shown, [(F(257, 256), 512)]) if isinstance(made, list) else shown[0]
            tree = writing.certificate(claim, "REFUTED", why)
        for _ in range(rng.choice([0, 0, 0, 1, 2])):
            tree = seeds.changed(rng, tree)
        yield kind.__name__, tree


def attack(number, seed=0, kinds=KINDS):
    """What became of so many: by kind, whether they are true, and the kernel's word. Raises what a false one shows."""
    rng, found = random.Random(f"attack {seed}"), Counter()
    while sum(found.values()) < number:
        for kind, tree in attempts(rng, kinds):
            try:
                true = judge(tree)
            except Open:
                true = None
            except (KeyError, ValueError, TypeError, AttributeError, IndexError, ZeroDivisionError, StopIteration):
                true = "no claim"
            status = kernel.check(json.dumps(tree).encode(), max_work=WORK).status
            found[kind, str(true), status] += 1
            if status == "accepted" and true is False:
                raise AssertionError(json.dumps(tree))
    return found


if __name__ == "__main__":
    told = attack(int(sys.argv[1]), *sys.argv[2:3], kinds=EVERY)
    for key, count in sorted(told.items()):
        print(*key, count)
