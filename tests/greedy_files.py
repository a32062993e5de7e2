"""Small files in the one format that ask for much work or memory: the kernel's budget, or a limit, ends each.

Each is written as a stranger would who knows the kernel: numbers of many digits where they are powered, laws that fall
slowly, windows that are wide, sums of many, trees of many boxes, lattices of many cells, places that would hash alike.
"""

import json
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from shufflecert.verify import certificate as writing

ALIKE = 2**61 - 1  # Python's hash of an integer is its remainder by this number
TILT = "1000001/1000000"
F = Fraction


def row(name: str, *outputs: tuple[Any, str]) -> dict[str, Any]:
    """An input with its outputs: what is sent, a message or a list of them, and with which probability."""
    sends = ([sent] if isinstance(sent, str) else sent for sent, _ in outputs)
    listed = [{"send": send, "p": p} for send, (_, p) in zip(sends, outputs, strict=True)]
    return {"input": name, "outputs": listed}


def below_one(digits: int) -> str:
    """A rational of so many digits above and below, next to 1."""
    nines = "9" * (digits - 1)
    return f"{nines}1/{nines}2"


def proved(seen: Any, because: Any, eps: str = "1/100", delta: str = "1/2", times: int = 1, data: str = "same") -> str:
    """A claim that something is PROVED."""
    claim = writing.claim([(seen, times)], "replace", eps, F(1), data) | {"delta": delta}
    return json.dumps(writing.certificate(claim, "PROVED", because))


def number(most: int, eps: str = "1/100", delta: str = "1/2", **law: Any) -> str:
    """A number with noise."""
    return proved({"users": 1, "each": {"up to": most}, "added": law}, {}, eps, delta)


def cover(
    rows: Any, users: int, tree: Any, eps: str = "1", delta: str = "1/2", view: str = "shuffled", **more: Any
) -> str:
    """Rows with the same tree for every pair."""
    names = [one["input"] for one in rows]
    entries = [writing.entry(a, b, tree) for a in names for b in names if a != b]
    return proved(writing.rows({"rows": rows}, users, view), writing.cover(entries, **more), eps, delta)


def refuted(rows: Any, users: int, event: Any, delta: str = "0") -> str:
    """A pair with an event."""
    pair = writing.neighbours("0", "1", {"0": users - 1})
    claim = writing.claim([(writing.rows({"rows": rows}, users), 1)], "replace", "1", F(0)) | {"delta": delta}
    return json.dumps(writing.certificate(claim, "REFUTED", {"pair": pair, **event}))


def block(users: dict[str, int], left: int, cells: int, step: str = "1/7") -> Any:
    """A leaf with a grid."""
    place = next(iter(users), None)
    return writing.block(users, left, place, {"step": step, "cells": cells, "tilt": TILT})


def columns(users: int, tree: Any, d: Any = 3, **law: Any) -> str:
    """One of d, each a bit or what the law says."""
    held, other = (law, writing.constant(0)) if law else (writing.coin("2/3"), writing.coin("1/3"))
    each = {"one of": d, "held": held, "other": other}
    return proved({"users": users, "each": each}, writing.cover([writing.entry("a", "b", tree)]), "1/20", "1/1000000")


def private(local: str, share: str, users: int, cells: int, step: str = "1/7") -> str:
    """Any private randomizer."""
    seen = {"users": users, "each": {"private": [local, share]}}
    return proved(seen, {"grid": {"step": step, "cells": cells, "tilt": TILT}})


def runs(law: Any, times: int, step: str, cells: int, most: int = 1, delta: str = "1/1000") -> str:
    """A number with noise, many times."""
    seen = {"users": 1, "each": {"up to": most}, "added": law}
    lattices = [{"step": step, "cells": cells}]
    return proved(seen, {"runs": [{}], "lattices": lattices}, "1", delta, times)


def points(count: int, digits: int) -> str:
    """Many dots, each with a proof."""
    seen = writing.rows({"rows": COIN}, 1)
    proof = writing.cover([writing.entry(a, b, ["each"]) for a, b in (("0", "1"), ("1", "0"))])
    part = {"points": [[f"{10**digits + i}/{10**digits}", "1", proof] for i in range(count)]}
    return proved(seen, {"runs": [part], "lattices": [{"step": "2", "cells": 64}]}, "1", "1/2", 2, "any")


COIN = [row("0", ("0", "2/3"), ("1", "1/3")), row("1", ("0", "1/3"), ("1", "2/3"))]
LONG = [row("0", ("0", f"{'6' * 8999}7/1{'0' * 9000}"), ("1", f"{'3' * 9000}/1{'0' * 9000}")), COIN[1]]
THREE = [row(x, ("a", f"1/{i}"), ("b", f"{i - 1}/{i}")) for i, x in enumerate("xyz", 2)]
PLANE = [row(x, ("a", f"1/{k}"), ("b", "1/7"), ("c", f"{6 * k - 7}/{7 * k}")) for x, k in (("0", 2), ("1", 3))]
SAME = [row("0", *(([str(i)], "1/20000") for i in range(20_000))), row("1", ("0", "1"))]
STEPS = [row(str(j), *((["a"] * (i + j), "1/700") for i in range(700))) for j in range(2)]
SPREAD = [row(x, *(([str(i)], "1/5000") for i in range(5000))) for x in "01"]
MANY = [row(str(i), ("a", f"1/{i + 2}"), ("b", f"{i + 1}/{i + 2}")) for i in range(120)]
POISSON = {"law": "poisson", "lam": f"{10**20}"}
LAPLACE = {"law": "discrete Laplace", "q": "1/2"}

GREEDY: dict[str, Callable[[], str]] = {
    "geometric, digits": lambda: number(50_000, law="negative binomial", r="1", p=below_one(1000)),
    "negative binomial, digits": lambda: number(9, law="negative binomial", r=below_one(999), p=below_one(999)),
    "discrete Laplace, digits": lambda: number(2000, law="discrete Laplace", q=below_one(20_000)),
    "discrete Laplace, shift": lambda: number(10**6, law="discrete Laplace", q="999/1000"),
    "poisson, digits": lambda: number(1, law="poisson", lam=f"{'9' * 90_000}/{'7' * 89_996}"),
    "poisson, wide": lambda: number(1, law="poisson", lam=f"{10**20}"),
    "binomial, digits": lambda: number(1, law="binomial", n=10**9, p=f"{'3' * 90_000}/{'7' * 90_000}"),
    "Gaussian, wide": lambda: number(1, law="discrete Gaussian", variance="9" * 60),
    "a sum of many": lambda: number(2, law="sum", of=[{"law": "finite", "p": {str(3**i): "1/2", "0": "1/2"}}
                                                    for i in range(40)]),
    "remainders": lambda: number(1, law="mod", by=2**256, of=POISSON),
    "mixtures": lambda: number(1, law="mixture", of=[[f"1/{2**k}", POISSON] for k in range(1, 40)]
                               + [[f"1/{2**39}", POISSON]]),
    "shifts": lambda: number(10**6, "1/100", "1", law="mod", by=255, of=LAPLACE),
    "columns": lambda: columns(10**15, ["each"]),
    "columns, boxes": lambda: columns(3000, ["each"]),
    "columns, hashes": lambda: columns(20, ["each"], 3, law="finite",
                                       p={str(ALIKE * i): "1/3000" for i in range(3000)}),
    "compositions": lambda: cover(THREE, 3000, ["each"]),
    "users": lambda: cover(COIN, 10**9, ["each"], "1/1000000"),
    "places": lambda: cover(STEPS, 2000, ["each"], "1/1000"),
    "inputs": lambda: cover(MANY, 10**6, ["each"]),
    "boxes": lambda: cover(THREE, 10**5, [*(["x", 10**5 - i] for i in range(1, 20_000)), *["corner"] * 20_000]),
    "denominators": lambda: cover([row(x, *((str(i), f"1/{2**9000 + i}") for i in range(2000))) for x in "01"], 1,
                                  ["each"]),
    "renamings": lambda: cover(STEPS, 1, ["each"], view="local", renamings=[{"inputs": {}, "messages": {}}] * 20_000),
    "messages": lambda: cover([row("0", ([f"m{i}" for i in range(20_000)], "1/2"), *(([f"k{i}"], "1/20000")
                               for i in range(10_000))), row("1", (["m0"], "1"))], 3, ["each"]),
    "a plane": lambda: cover(PLANE, 10**7, ["each"]),
    "blocks, cells": lambda: cover(COIN, 10**15, [block({}, 1, 2**32, "1/1000000")], "1/3", "1/10"),
    "blocks, users": lambda: cover(PLANE, 10**15, [block({}, 10**6, 2**12)], "1/3", "1/10"),
    "blocks, outputs": lambda: cover(SPREAD, 10**6, [block({}, 9, 2**12)], "1/3", "1/10"),
    "blocks, pairs": lambda: cover(MANY, 10**6, [block({}, 2, 2**12)], "1/3", "1/10"),
    "private, digits": lambda: private(f"log({'9' * 90_000}/{'7' * 89_999})", f"1/{'7' * 90_000}", 10**15, 2**20),
    "private, cells": lambda: private("3", "0", 10**9, 2**27, "1/1000"),
    "an event, users": lambda: refuted(COIN, 10**9, {"event": {"outcomes": [{"0": 5}]}}),
    "an event, digits": lambda: refuted(LONG, 3000, {"event": {"outcomes": [{"0": 5}]}}),
    "the best event": lambda: refuted(PLANE, 10**6, {}),
    "a threshold, weights": lambda: refuted(COIN, 1000, {"event": {"weights": {"0": "9" * 1000}, "above": "5"}}),
    "a threshold, users": lambda: refuted(COIN, 10**15, {"event": {"weights": {"0": "1"}, "above": "5"}}),
    "a threshold, hashes": lambda: refuted(SAME, 2, {"event": {
        "weights": {str(i): str(ALIKE * i) for i in range(20_000)}, "above": "5"}}),
    "runs, cells": lambda: runs(LAPLACE | {"q": "9999/10000"}, 10**9, f"{10**9 + 1}/{10**9}", 2**24, 1000),
    "runs, digits": lambda: runs(LAPLACE, 10**9, below_one(90_000).replace("1/", "3/"), 2**20),
    "runs, a small delta": lambda: runs(LAPLACE, 10**9, "1000001/1000000", 2**22, 3, "1/1" + "0" * 20_000),
    "dots": lambda: points(3000, 2000),
    "numbers": lambda: "[" + "1," * (32 * 10**6) + "1]",
    "objects": lambda: "[" + "{}," * (13 * 10**6) + "1]",
    "a wide text": lambda: '{"note": "\\u4e00' + "a" * (35 * 10**6) + '"}',
}  # fmt: skip
