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
from tests.kernel_claims import UNEQUAL, flips, hints, randomized
from tests.kernel_parts import ends_around

F = Fraction


@cache
def planned() -> list[tuple[bytes, Fraction]]:
    """Certificates whose blocks are all there, with delta 1, and a delta just above what the blocks allow."""
    rng, found = random.Random("planned blocks"), []
    while len(found) < 60:
        said, parts = block_seeds.planned(rng)
        data = dump(said).encode()
        if (delta := F(block_seeds.least(parts, judge.parse(data).eps), block_seeds.STEPS)) < F(97, 100):
            found.append((data, delta))
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
    for data, delta in planned():
        found = k.check(regridded(data, min(delta * F(51, 50) + F(1, 10**6), F(1))))
        pairs = len(json.loads(data)["evidence"]["blocks"]["covers"])
        assert found.status == "accepted" and found.reason.endswith(f" of blocks of users, for {pairs} pairs of inputs")
        below = delta - F(1, block_seeds.STEPS)
        for more in (delta / 2, below) if below > 0 else ():
            for grid in (None, rng, rng):
                found = k.check(regridded(data, more, grid), spare=rng.choice((0, 1, 4, 32)))
                assert found.status == "undecided", (found, data)


def grids_are_cut(k: Any) -> None:
    """A bound whose outcomes above a place count as alone, and below one are raised, against Fractions."""
    rng = random.Random(42)
    for rows, n, ratio in itertools.product((flips(F(1, 10)), UNEQUAL), (1, 2, 4), (F(1), F(5, 4))):
        for above, cells, step in (
            (1, 6, F(1, 2)),
            (2, 3, F(1)),
            (3, 12, F(1, 3)),
            (9, 11, F(1, 2)),
            (40, 400, F(1, 9)),
        ):
            ends = {"step": (step.numerator, step.denominator), "tilt": (9, 8), "cells": cells, "above": above}
            cert = k.read(randomized(rows, n, hints("1", 9, "2"), f"log({ratio})", "1/9", "PROVED"), k.Budget())
            cert = cert._replace(evidence={"blanket": ends})
            laws = list(cert.laws.values())
            every = sorted({y for law in laws for y in law})
            least = {y: min(law.get(y, 0) for law in laws) for y in every}
            shape = tuple((laws[0].get(y, 0), laws[1].get(y, 0), least[y]) for y in every)
            truth = cut_bound(shape, cert.unit, n, ratio, step, above, above - cells + 1)
            for width in (8, 60):
                budget = k.Budget(spare=2 if width == 8 else 20)
                try:
                    found = F(*k.blanket_bound(shape, cert, ends_around(rng, ratio, width), width, budget))
                except k.Stop as stop:
                    assert stop.args[0] == "undecided" and cells < 20
                    continue
                assert found >= truth
                if width == 60 and cells == 400:
                    assert found <= truth * F(10_001, 10_000) + F(1, 10**6)


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
