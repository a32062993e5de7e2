"""The kernel's parts for blocks of users (version 8), for any kernel: each takes the module, and raises if it is wrong.

Against the judge (tests/judge_blocks.py: all blocks multiplied out, in Fractions), and against definitions.
"""

import itertools
import json
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any

from tests import block_seeds, judge
from tests.certificate_seeds import dump
from tests.kernel_battery import row
from tests.kernel_claims import hints, randomized
from tests.kernel_parts import ends_around

F = Fraction


APART = [row("x", ("a", "1/2"), ("b", "1/2")), row("y", ("a", "1/2"), ("c", "1/2"))]
MANY = [row("x", ("", "1/2"), ("aa", "1/4"), ("b", "1/4")), row("y", ("", "1/4"), ("aa", "1/2"), ("b", "1/4"))]
GAP = [row("x", ("a", "1/2"), ("b", "1/4"), ("c", "1/4")), row("y", ("a", "1/4"), ("b", "3/4"))]
ALL_X = block_seeds.block({"x": 1}, 0, "x")
ROOM, MOST = F(51, 50), F(9, 10)  # for a grid; of a delta


def by_hand(rows: list[Any], n: int, *cover: Any) -> dict[str, Any]:
    """A certificate with this cover for both pairs: cuts, and numbers of users who are left open."""
    nodes = [block_seeds.block({}, node, None) if isinstance(node, int) else node for node in cover]
    covers = [{"from": a, "to": b, "cover": nodes} for a, b in ("xy", "yx")]
    return block_seeds.certificate(rows, n, "log(3/2)", {}, covers)


@cache
def planned() -> list[tuple[bytes, Fraction, int]]:
    """Certificates with delta 1 whose blocks are all there, a delta just above what these allow, and how many boxes."""
    rng, found = random.Random("planned blocks"), list[tuple[bytes, Fraction, int]]()
    trees = iter([by_hand(GAP, 3, 1), by_hand(GAP, 4, 2), by_hand(MANY, 6, ["x", 4], 6, ALL_X)])
    while len(found) < 200:
        said, parts = block_seeds.allowed(next(trees, None) or block_seeds.planned(rng))
        data = dump(said).encode()
        if (delta := F(block_seeds.least(parts, judge.parse(data).eps), block_seeds.STEPS)) < MOST:
            found.append((data, delta, len(parts)))
    return found


def regridded(data: bytes, delta: Fraction, rng: random.Random | None = None) -> bytes:
    """The certificate with another delta, and with coarse grids of any kind if `rng` is given."""
    tree = json.loads(data)
    tree["claim"]["delta"] = str(delta)
    for cover in tree["evidence"]["blocks"]["covers"] if rng else ():
        for node in cover["cover"]:
            if isinstance(node, dict):
                node["grid"] = {
                    "step": rng.choice(("1/4", "1/3", "1/60", "7/9", "1")),
                    "cells": rng.choice((6, 9, 16, 40, 100, 1000)),
                    "tilt": rng.choice(("2", "3/2", "9/8", "4")),
                    "above": rng.choice((1, 2, 3, 6, 16, 64)),
                }
    return dump(tree).encode()


def blocks_decide(k: Any) -> None:
    """What blocks allow is accepted, with a little room for the grid; what is less is not, whatever the grid is."""
    rng = random.Random(41)
    for data, delta, boxes in planned():
        found = k.check(regridded(data, delta * ROOM + F(1, 10**6)))
        pairs = len(json.loads(data)["evidence"]["blocks"]["covers"])
        words = f": by {boxes} boxes of blocks of users, for {pairs} pairs of inputs"
        assert found.status == "accepted" and found.reason.endswith(words), found
        below = delta - F(1, block_seeds.STEPS)
        for more, grid in ((below, None), (delta / 2, rng), (below, rng)) if below > 0 else ():
            found = k.check(regridded(data, more, grid), spare=rng.choice((0, 1, 4, 32)))
            assert found.status == "undecided", (found, data)
            told = "evidence.blocks.covers: the bound, with these hints, is above delta for ("
            assert grid or found.reason.startswith(told)


GRIDS = [(1, 6, F(1, 2)), (2, 3, F(1)), (3, 12, F(1, 3)), (300, 331, F(1, 20)), (299, 331, F(1, 20))]


def grids_are_cut(k: Any) -> None:
    """A bound whose outcomes above a place count as alone, and below one are raised, against Fractions."""
    rng, unit = random.Random(42), 60
    some: list[Any] = [((25, 5, 10), (0, 60, 5)), ((25, 5, 10), (3, 27, 2), (9, 0, 0), (30, 10, 1))]  # 2, -12; 20
    some += [tuple((rng.randint(0, 30), rng.randint(0, 30), rng.randint(0, 12)) for _ in range(4)) for _ in range(6)]
    ratios = (F(1), F(5, 4))
    for shape, n, ratio, (above, cells, step) in itertools.product(some, (1, 2, 4), ratios, GRIDS):
        ends = {"step": (step.numerator, step.denominator), "tilt": (2, 1), "cells": cells, "above": above}
        cert = k.read(randomized(APART, n, hints("1", 9, "2"), f"log({ratio})", "1/9", "PROVED"), k.Budget())
        cert = cert._replace(evidence={"blanket": ends}, unit=unit)
        truth = cut_bound(shape, unit, n, ratio, step, above, above - cells + 1)
        for width in (8, 60):
            budget = k.Budget(spare=2 if width == 8 else 20)
            found = F(*k.blanket_bound(shape, cert, ends_around(rng, ratio, width), width, budget))
            assert found >= truth
            if width == 60 and shape == some[0] and n < 4 and cells == 331:
                assert found <= truth * F(10_001, 10_000) + F(1, 10**6), (found, truth)


def cut_bound(shape: Any, unit: int, n: int, ratio: Fraction, step: Fraction, above: int, least: int) -> Fraction:
    """The lemma's bound with values split between multiples of the step, and cut at both ends."""
    alone, law = F(0), Counter[int]()
    for p, q, c in shape:
        excess = F(p, unit) - ratio * F(q, unit)
        place = excess / F(c, unit) / step if c else F(above)
        if place // 1 >= above:
            alone += max(excess, F(0))
            continue
        place = max(place, F(least))
        law[place // 1 + 1] += F(c, unit) * (place % 1)  # type: ignore[assignment]
        law[place // 1] += F(c, unit) * (1 - place % 1)  # type: ignore[assignment]
    law[0] += 1 - sum(law.values())
    total = {0: F(1)}
    for _ in range(n):
        later = Counter[int]()
        for (s, v), (t, w) in itertools.product(total.items(), law.items()):
            later[s + t] += v * w  # type: ignore[assignment]
        total = dict(later)  # type: ignore[arg-type]
    return alone + sum((s * w for s, w in total.items() if s > 0), F(0)) * step / n


def blocks_are_there(k: Any) -> None:
    """How many blocks are there for sure: the most that fit, tried one by one."""
    rng = random.Random(43)
    class_of = {"a": 0, "b": 1, "c": 1}
    for _ in range(400):
        n = rng.randint(1, 30)
        first = rng.randint(0, n - 1)
        corner = (first, rng.randint(0, n - 1 - first))
        users = {x: rng.randint(1, 3) for x in "abc" if rng.random() < 0.5}
        place = rng.choice([*users, None])
        block = {"users": users, "open": rng.randint(0 if users and place else 1, 2), "place": place}
        used = [users.get("a", 0), users.get("b", 0) + users.get("c", 0)]
        there = [corner[0] + (place == "a"), corner[1] + (place in ("b", "c"))]
        size, number = sum(used) + block["open"], 0
        while (number + 1) * size <= n and all((number + 1) * k_x <= c for k_x, c in zip(used, there, strict=True)):
            number += 1
        assert k.blocks_in(corner, block, class_of, n) == number


def what_is_known(k: Any) -> None:
    """Messages that are sent for sure are taken away, and no others."""
    law = {(("a", 1), ("b", 2)): 3, (("a", 4), ("b", 3), ("c", 1)): 5}
    assert k.unknown(law, {}) == law
    assert k.unknown(law, {"a": 1, "b": 1}) == {(("b", 1),): 3, (("a", 3), ("b", 2), ("c", 1)): 5}
    assert k.unknown(law, {"a": 1, "b": 2}) == {(): 3, (("a", 3), ("b", 1), ("c", 1)): 5}
    limits = (({"above": 2**32}, "undecided"), ({"above": 2**32 + 1}, "malformed"), ({"above": 0}, "malformed"))
    for change, status in limits:
        tree = by_hand(APART, 2, 1)
        tree["claim"]["delta"] = "99/100"
        tree["evidence"]["blocks"]["covers"][0]["cover"][0]["grid"] |= change
        assert k.check(dump(tree).encode()).status == status, change
    for left, status in ((10**15, "rejected"), (10**15 + 1, "malformed"), (0, "malformed")):
        found = k.check(dump(by_hand(APART, 2, left)).encode())
        assert found.status == status
        assert status != "rejected" or found.reason.startswith("evidence.blocks.covers: no block in the box with")
    text = '{"blocks": {"known": %s, "covers": %s}}'
    cover = '{"from": "%s", "to": "%s", "cover": []}'
    form = {"known": lambda value, _: {x: {m: int(c[0]) for m, c in sent.items()} for x, sent in value.items()}}
    form["covers"] = lambda value, _: value
    laws = {"x": law, "y": law}
    for known, covers, told in (
        ('{"x": {"a": 1, "b": 2}}', (cover % ("x", "y"), cover % ("y", "x")), ""),
        ("{}", (cover % ("y", "x"), cover % ("x", "y")), ""),
        ('{"y": {"a": 2}}', (cover % ("x", "y"), cover % ("y", "x")), "here.known.y"),
        ('{"y": {"c": 1}}', (cover % ("x", "y"), cover % ("y", "x")), "here.known.y"),
        ("{}", (cover % ("x", "y"),), "here.covers"),
        ("{}", (cover % ("x", "y"), cover % ("x", "x")), "here.covers"),
        ("{}", (cover % ("x", "y"), cover % ("x", "y")), "here.covers"),
        ("{}", (cover % ("x", "y"), cover % ("y", "x"), cover % ("x", "y")), "here.covers"),
        ("{}", (cover % ("x", "y"), cover % ("y", "x"), cover % ("x", "x")), "here.covers"),
    ):
        tree = k.parse((text % (known, f"[{', '.join(covers)}]")).encode(), k.Budget())
        try:
            k.blocks_of(tree["blocks"], "here", form, laws)
            assert not told
        except k.Stop as stop:
            assert told and stop.args[0] == "malformed" and stop.args[1].startswith(f"{told}: expected ")


BLOCKS: list[Callable[[Any], None]] = [blocks_decide, grids_are_cut, blocks_are_there, what_is_known]
