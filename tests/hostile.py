"""Small files that ask for much work or memory, one for each form and part of the kernel: its budget refuses all.

Each is written as a stranger would who knows the kernel: numbers of many digits where they are powered, laws that fall
slowly, windows that are wide, copies that are looped over, places that would hash alike.
"""

import json
from collections.abc import Callable
from typing import Any

from tests.kernel_battery import row

HASHES_ALIKE = 2**61 - 1  # Python's hash of an integer is its remainder by this number


def top(version: int, claim: Any, verdict: str, evidence: Any) -> str:
    head = {"format": "shufflecert certificate", "version": version}
    return json.dumps(head | {"claim": claim, "verdict": verdict, "evidence": evidence})


def mechanism(seen: Any, eps: str = "1/100", delta: str = "1/2", upper: str = "1", **evidence: Any) -> str:
    claim = {"mechanism": seen, "adjacency": "replace", "datasets": "all", "eps": eps, "delta": delta}
    return top(2, claim, "PROVED", {"delta": {"lower": "0", "upper": upper}} | evidence)


def claimed(rows: Any, view: str, n: int, eps: str, delta: str) -> dict[str, Any]:
    whole = {"randomizer": {"rows": rows}, "adjacency": "replace", "view": view, "n": n, "datasets": "all"}
    return whole | {"eps": eps, "delta": delta}


def proof(rows: Any, n: int, eps: str = "1", symmetries: Any = (), view: str = "shuffled", fewer: int = 0) -> str:
    """The first input against the second, all others on the first; of `fewer` users, if it is not 0, for n."""
    first, second = rows[0]["input"], rows[1]["input"]
    pair: dict[str, Any] = {"from": first, "to": second}
    pair |= {"others": {first: (fewer or n) - 1} if n > 1 else {}} if view == "shuffled" else {}
    evidence = {"symmetries": list(symmetries), "worst": {"pair": pair, "delta": {"lower": "0", "upper": "1"}}}
    if fewer:
        return top(7, claimed(rows, view, n, eps, "1/2"), "PROVED", {"users": fewer} | evidence)
    return top(1, claimed(rows, view, n, eps, "1/2"), "PROVED", evidence)


def event(rows: Any, n: int) -> str:
    pair = {"from": "0", "to": "1", "others": {"0": n - 1}}
    return top(1, claimed(rows, "shuffled", n, "1", "0"), "REFUTED", {"pair": pair, "event": [{"0": 5}]})


def blanket(rows: Any, n: int, step: str, cells: int, tilt: str) -> str:
    evidence = {"blanket": {"step": step, "cells": cells, "tilt": tilt}}
    return top(2, claimed(rows, "shuffled", n, "1/3", "1/10"), "PROVED", evidence)


def cover(rows: Any, n: int, nodes: Any, delta: str = "1/1000000") -> str:
    return top(3, claimed(rows, "shuffled", n, "1/1000", delta), "PROVED", {"cover": nodes})


def blocks(rows: Any, n: int, users: int, left: int, cells: int) -> str:
    """Every pair of inputs with one box, whose blocks have so many users of the first input, and left open."""
    names = [row["input"] for row in rows]
    held = {names[0]: users} if users else {}
    node = {"users": held, "open": left, "place": None, "grid": grid("1/7", cells, TILT) | {"above": cells}}
    covers = [{"from": a, "to": b, "cover": [node]} for a in names for b in names if a != b]
    claim = claimed(rows, "shuffled", n, "1/3", "1/10") | {"honest": n, "take part": "1"}
    return top(8, claim, "PROVED", {"blocks": {"known": {}, "covers": covers}})


def threshold(rows: Any, n: int, weights: dict[str, str]) -> str:
    pair = {"from": "0", "to": "1", "others": {"0": n - 1}}
    evidence = {"pair": pair, "threshold": {"weights": weights, "above": "5"}}
    return top(2, claimed(rows, "shuffled", n, "1/1000", "0"), "REFUTED", evidence)


def grid(step: str, cells: int, tilt: str) -> dict[str, Any]:
    return {"step": step, "cells": cells, "tilt": tilt}


def anyone(local: str, share: str, users: int, evidence: Any) -> str:
    seen = {"view": "any randomizer", "local": local, "local delta": share, "users": users}
    claim = {"mechanism": seen, "adjacency": "replace", "datasets": "all", "eps": "1/100", "delta": "1/2"}
    return top(3, claim, "PROVED" if "blanket" in evidence else "REFUTED", evidence)


def thresholded(p: str, k: int, adjacency: str = "add-remove") -> str:
    seen = {"view": "thresholded counts", "p": p, "k": k, "users": 10**15}
    claim = {"mechanism": seen, "adjacency": adjacency, "datasets": "all", "eps": "0", "delta": "1/3"}
    return top(5, claim, "PROVED", {"delta": {"lower": "0", "upper": "1"}})


def served(eps: str = "0", **seen: Any) -> str:
    claim = {"mechanism": seen, "adjacency": "replace", "datasets": "all", "eps": eps, "delta": "1/3"}
    return top(6, claim, "PROVED", {"delta": {"lower": "0", "upper": "1"}})


def release(sensitivity: int, bits: int, modulo: int, **noise: Any) -> str:
    return served(view="release", noise=noise, sensitivity=sensitivity, bits=bits, wrap=0, modulo=modulo)


def inputs(rows: Any) -> dict[str, Any]:
    named = [{**one, "input": str(i)} for i, one in enumerate(rows)]
    pair = {"from": "0", "to": "1", "others": {"0": 1}}
    return {"randomizer": {"rows": named}, "pair": pair, "threshold": {"weights": {}, "above": "0"}}


def count(sensitivity: int, **noise: Any) -> dict[str, Any]:
    return {"view": "count", "noise": noise, "sensitivity": sensitivity}


TILT = "1000001/1000000"  # so near to 1 that no power of it is too large


def below_one(digits: int) -> str:
    """A rational of so many digits above and below, next to 1."""
    nines = "9" * (digits - 1)
    return f"{nines}1/{nines}2"


def coin(flip: str, keep: str) -> list[Any]:
    return [row("0", ("0", keep), ("1", flip)), row("1", ("0", flip), ("1", keep))]


THIRD, THREE = coin("1/3", "2/3"), [row(x, ("a", f"1/{i}"), ("b", f"{i - 1}/{i}")) for i, x in enumerate("xyz", 2)]
PLANE = [row(x, ("a", f"1/{k}"), ("b", "1/7"), ("c", f"{6 * k - 7}/{7 * k}")) for x, k in (("0", 2), ("1", 3))]
ALIKE = [row("0", *(([str(i)], "1/20000") for i in range(20_000))), row("1", ("0", "1"))]
STEPS = [row(str(j), *((["a"] * (i + j), "1/700") for i in range(700))) for j in range(2)]
COPIES = [{"inputs": {}, "messages": {}}] * 30_000
LONG_FLIP = f"{'3' * 9000}/1{'0' * 9000}", f"{'6' * 8999}7/1{'0' * 9000}"
COINS = [("a", "1/2"), ("b", "1/2")]
SPREAD = [row(x, *(([str(i)], "1/5000") for i in range(5000))) for x in "01"]
WIDE = {"law": "poisson", "lam": f"{10**20}"}

HOSTILE: dict[str, Callable[[], str]] = {
    "geometric, p before r": lambda: mechanism(count(20_000, law="negative_binomial", p=below_one(300), r="1")),
    "geometric": lambda: mechanism(count(50_000, law="negative_binomial", r="1", p=below_one(1000))),
    "negative binomial": lambda: mechanism(count(9, law="negative_binomial", r=below_one(999), p=below_one(999))),
    "discrete Laplace, digits": lambda: mechanism(count(2000, law="discrete_laplace", q=below_one(20_000))),
    "discrete Laplace, shift": lambda: mechanism(count(10**6, law="discrete_laplace", q="999/1000")),
    "poisson, digits": lambda: mechanism(count(1, law="poisson", lam=f"{'9' * 90_000}/{'7' * 89_996}")),
    "binomial, digits": lambda: mechanism(count(1, law="binomial", n=10**9, p=f"{'3' * 90_000}/{'7' * 90_000}")),
    "binomial, shift": lambda: mechanism(count(10**6, law="binomial", n=1, p=f"{'3' * 30_000}/{'7' * 30_000}")),
    "histogram": lambda: mechanism({"view": "histogram", "noise": WIDE, "buckets": 2}),
    "correlated, next to 1": lambda: mechanism(
        {"view": "correlated", "q": below_one(300), "noise": WIDE | {"lam": "9"}}
    ),
    "correlated, digits": lambda: mechanism(
        {"view": "correlated", "q": f"{'3' * 90_000}/{'7' * 90_000}", "noise": WIDE | {"lam": "1000"}}
    ),
    "correlated histogram": lambda: mechanism(
        {"view": "correlated histogram", "q": "999999/1000000", "noise": WIDE | {"lam": "1000"}, "buckets": 2}
    ),
    "strings": lambda: mechanism({"view": "strings", "flip": "1/3", "strings": 10**15}),
    "columns": lambda: mechanism({"view": "columns", "flip": "1/3", "users": 10**15, "columns": 3}, others=[0, 0]),
    "columns, boxes": lambda: mechanism(
        {"view": "columns", "flip": "1/3", "users": 5000, "columns": 3}, "1/20", upper="8.36e-7", others=[0, 0]
    ),
    "cases": lambda: proof(THREE, 3000),
    "a line, users": lambda: proof(THIRD, 10**9, "1/1000000"),
    "a line, places": lambda: proof(STEPS, 2000, "1/1000"),
    "a line, messages": lambda: proof(
        [
            row("x", ([f"m{i}" for i in range(20_000)], "1/2"), *(([f"k{i}"], "1/20000") for i in range(10_000))),
            row("y", (["m0"], "1")),
        ],
        3,
    ),
    "packing": lambda: proof([row("x", ([f"m{i}" for i in range(40_000)], "1")), row("y", (["z"], "1"))], 2),
    "symmetries": lambda: proof([STEPS[0], STEPS[0] | {"input": "1"}], 1, symmetries=COPIES, view="local"),
    "inputs": lambda: proof([row(str(i), (str(i), "1")) for i in range(20_000)], 2),
    "denominators": lambda: proof([row(x, *((str(i), f"1/{2**9000 + i}") for i in range(2000))) for x in "xy"], 1),
    "event, users": lambda: event(THIRD, 10**9),
    "event, digits": lambda: event(coin(*LONG_FLIP), 3000),
    "blanket, cells": lambda: blanket(THIRD, 10**15, "1/1000000", 2**32, "1000001/1000000"),
    "blanket, inputs": lambda: blanket(
        [row(str(i), ("c", "1/2"), (str(i), "1/2")) for i in range(4000)], 9, "1", 99, "2"
    ),
    "cover, users": lambda: cover(STEPS, 10**15, [None]),
    "cover, boxes": lambda: cover(
        [*THREE], 10**5, [*(["x", 10**5 - i] for i in range(1, 10**5)), *[None] * 10**5], "1/2"
    ),
    "cover, classes": lambda: cover(
        [row(str(i), ("a", f"1/{i + 2}"), ("b", f"{i + 1}/{i + 2}")) for i in range(3000)],
        10**6,
        [*([str(i), i] for i in range(2999)), *[None] * 3000],
    ),
    "cover, plane": lambda: cover(PLANE, 10**7, [["0", 10**6], None, None]),
    "blocks, users": lambda: blocks(PLANE, 10**15, 0, 10**6, 2**12),
    "blocks, outputs": lambda: blocks(SPREAD, 10**6, 0, 9, 2**12),
    "blocks, pairs": lambda: blocks(
        [row(str(i), ("a", f"1/{i + 2}"), ("b", f"{i + 1}/{i + 2}")) for i in range(200)], 10**6, 0, 2, 2**12
    ),
    "fewer users": lambda: proof(THREE, 10**15, fewer=3000),
    "threshold, weights": lambda: threshold(THIRD, 1000, {"0": "9" * 1000}),
    "threshold, users": lambda: threshold(THIRD, 10**15, {"0": "1"}),
    "threshold, hashes": lambda: threshold(ALIKE, 2, {str(i): str(HASHES_ALIKE * i) for i in range(20_000)}),
    "threshold, places": lambda: threshold(SPREAD, 50, {str(i): str(1000 * i) for i in range(5000)}),
    "thresholded, counts": lambda: thresholded("1/1000000000000000", 2),
    "thresholded, users": lambda: thresholded("1/2", 10**15),
    "thresholded, digits": lambda: thresholded(f"{'3' * 9000}1/{'7' * 9001}", 3000),
    "release, sensitivity": lambda: release(10**6, 8, 255, law="discrete_laplace", q="1/2"),
    "release, wide": lambda: release(1, 0, 7, law="truncated_discrete_laplace", q=below_one(9000), bound=10**15),
    "release, flat": lambda: release(1, 0, 0, law="discrete_gaussian", variance="9" * 60),
    "release, digits": lambda: release(2, 256, 2**256, law="binomial", n=10**9, p=f"{'3' * 90_000}/{'7' * 90_000}"),
    "sampled, digits": lambda: served(view="sampled", keep=below_one(90_000), noise={"law": "poisson", "lam": "1000"}),
    "any randomizer, digits": lambda: anyone(
        f"log({'9' * 90_000}/{'7' * 89_999})", f"1/{'7' * 90_000}", 10**15, {"blanket": grid("1/7", 2**20, TILT)}
    ),
    "any randomizer, cells": lambda: anyone("3", "0", 10**9, {"blanket": grid("1/1000", 2**27, TILT)}),
    "any randomizer, inputs": lambda: anyone("1", "1/3", 2, inputs([row(str(i), *COINS) for i in range(8000)])),
    "any randomizer, outputs": lambda: anyone("1/3", f"1/{'3' * 9000}", 2, inputs(SPREAD * 20)),
    "numbers": lambda: "[" + "1," * (32 * 10**6) + "1]",
    "objects": lambda: "[" + "{}," * (13 * 10**6) + "1]",
    "lists": lambda: "[" + "[]," * (13 * 10**6) + "1]",
    "a wide text": lambda: '{"note": "\\u4e00' + "a" * (35 * 10**6) + '"}',
    "a long text": lambda: "[" + '"' + "a" * (60 * 10**6) + '"]',
}
