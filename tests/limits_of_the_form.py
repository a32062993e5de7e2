"""Certificates at the limits that verify/CERTIFICATE.md sets, and the ones next to them, each with its verdict."""

import copy
from fractions import Fraction
from typing import Any

from shufflecert.verify import certificate as writing

F = Fraction
ONE_MORE = 10**15 + 1
COIN = {"law": "finite", "p": {"0": "1/2", "1": "1/2"}}
ROWS = [
    {"input": "x", "outputs": [{"send": ["a"], "p": "2/3"}, {"send": ["b"], "p": "1/3"}]},
    {"input": "y", "outputs": [{"send": ["a"], "p": "1/3"}, {"send": ["b"], "p": "2/3"}]},
]


def one(seen: Any, because: Any, delta: str = "1", verdict: str = "PROVED", around: Any = "replace") -> Any:
    """A certificate of one run."""
    tree = writing.certificate(writing.claim([(seen, 1)], around, "1", F(1)), verdict, because)
    tree["claim"]["delta"] = delta
    return tree


def number(**more: Any) -> Any:
    """A number from 0 to 1, to which a coin is added."""
    return one({"users": 1, "each": {"up to": 1}, "added": COIN} | more, {})


def noisy(law: Any) -> Any:
    """A number with such noise."""
    return number(added=law)


def table(rows: Any = ROWS, tree: Any = ("corner",), **more: Any) -> Any:
    """A table of three users, the same tree for both pairs."""
    entries = [writing.entry(a, b, tree) for a, b in (("x", "y"), ("y", "x"))]
    return one(writing.rows({"rows": rows}, 3) | more, writing.cover(entries))


def columns(inputs: Any, **more: Any) -> Any:
    """Two inputs by columns."""
    entries = [writing.entry(a, b, ["corner"]) for a, b in (("x", "y"), ("y", "x"))]
    return one({"users": 2, "each": {"columns": inputs}} | more, writing.cover(entries))


def one_of(number_of: Any, other: Any = None, around: str = "replace") -> Any:
    """One of so many columns."""
    pairs = [("a", "b")] if around == "replace" else [("a", None), (None, "a")]
    each = {"one of": number_of, "held": COIN, "other": other or writing.constant(0)}
    proof = writing.cover([writing.entry(a, b, ["corner"]) for a, b in pairs])
    return one({"users": 2, "each": each}, proof, around=around)


def private(local: Any, grid: Any) -> Any:
    """Any private randomizer."""
    return one({"users": 2, "each": {"private": local}}, {"grid": grid})


def runs(times: int, lattice: Any, data: Any = "same", listed: int = 1) -> Any:
    """A table of which nothing is seen, so many times."""
    rows = [row | {"outputs": ROWS[0]["outputs"]} for row in ROWS]
    seen = writing.rows({"rows": rows}, 1)
    proof = writing.cover([writing.entry(a, b, ["each"]) for a, b in (("x", "y"), ("y", "x"))])
    part = {"points": [["1", "0", proof]]} if data == "any" else proof
    claim = writing.claim([(seen, times)] * listed, "replace", "1", F(1), data)
    return writing.certificate(claim, "PROVED", {"runs": [part] * listed, "lattices": lattice})


def refuted(pair: Any, event: Any = None, view: str = "shuffled") -> Any:
    """A pair of the table."""
    seen = writing.rows({"rows": ROWS}, 3, view)
    because = {"pair": pair} | ({} if event is None else {"event": event})
    return with_(one(seen, because, "0", "REFUTED"), "claim", "eps", to="0")


def with_(tree: Any, *path: Any, to: Any) -> Any:
    """Changed in one place; without it where `to` is None."""
    made = copy.deepcopy(tree)
    at = made
    for key in path[:-1]:
        at = at[key]
    if to is None:
        del at[path[-1]]
    else:
        at[path[-1]] = to
    return made


SEEN = "claim", "runs", 0, "seen"
PAIRS = "because", "pairs"
ROW = *SEEN, "each", "rows"
GRID = {"step": "1/4", "cells": 64, "tilt": "3/2"}
LATTICE = [{"step": "3/2", "cells": 64}]
OTHERS = {"x": 1, "y": 1}
PAIR = {"from": "x", "to": "y", "others": OTHERS}
LONG = "1" + "0" * 99_999
SWAP = {"inputs": {"x": "y", "y": "x"}, "messages": {"a": "b", "b": "a"}}
LINKED = with_(with_(table(), "because", "renamings", to=[SWAP]), *PAIRS, 1, to=writing.same_as("y", "x", 0, 0))
BLOCKS = table(tree=[writing.block({"x": 1}, 1, "x", GRID)])

ACCEPTED = [
    number(users=10**15),
    number(users=10**15, honest=10**15),
    number(each={"up to": 10**6}, added={"law": "binomial", "n": 1, "p": "1/2"}),
    number(each={"up to": 1, "plus": COIN}, shown={"mod": 2}),
    number(shown={"mod": 2**256}),
    with_(number(), "claim", "eps", to="10000"),
    with_(number(), "claim", "eps", to="log(1)"),
    with_(number(), "claim", "delta", to=f"{LONG}/{LONG}"),
    with_(number(), "note", to=""),
    noisy({"law": "binomial", "n": 1, "p": "1"}),
    noisy({"law": "binomial", "n": 2, "p": "0"}),
    noisy({"law": "finite", "p": {"-" + "9" * 1000: "1"}}),
    noisy({"law": "mixture", "of": [["1", COIN]]}),
    noisy({"law": "sum", "of": [COIN]}),
    noisy({"law": "mod", "by": 2, "of": COIN}),
    table(),
    table(view="local") | {"because": table(tree=["each"])["because"]},
    with_(table(), *ROW, 0, "outputs", 0, "send", to=["m" * 1000]),
    table(**{"take part": "1"}),
    table(tree=[["x", 0], "corner", "each"]),
    BLOCKS,
    with_(BLOCKS, *PAIRS, 0, "tree", 0, "grid", "cells", to=2**32),
    with_(table(), "because", "known", to={"x": {}}),
    LINKED,
    columns({"x": [COIN], "y": [COIN]}),
    columns({"x": [COIN], "y": [writing.constant(0)]}, shown={"from": 1}),
    columns({"x": [COIN, COIN], "y": [writing.constant(-3), COIN]}, shown={"from": 1}),
    one_of(2),
    one_of("any number"),
    one_of(5, around="add-remove"),
    private(["0", "0"], GRID),
    with_(private(["10000", "1"], GRID), "claim", "eps", to="10000"),
    runs(10**9, LATTICE),
    runs(2, [{"step": "3/2", "cells": 2}]),
    runs(2, [{"step": "3/2", "cells": 2**24}], "any"),
    runs(1, LATTICE, listed=2),
    refuted(PAIR),
    refuted({"from": "x", "to": "y"}, {"outcomes": [["a"]]}, "local"),
    refuted(PAIR, {"weights": {"a": "1"}, "above": "2"}),
    refuted(PAIR, {"outcomes": [{"a": 3}]}),
    [table(), number()],
]
MALFORMED = [
    number(users=ONE_MORE),
    number(users=1, honest=0),
    number(each={"up to": 10**6 + 1}),
    number(each={"up to": 0}),
    number(added="poisson"),
    number(shown={"mod": 1}),
    number(shown={"mod": 2**256 + 1}),
    number(shown={"from": 1}),
    number(**{"take part": "1/2"}),
    with_(number(), "because", "pairs", to=[]),
    with_(number(), "claim", "eps", to="10001"),
    with_(number(), "claim", "eps", to="log(9/10)"),
    with_(number(), "claim", "eps", to="abcd3)"),
    with_(number(), "claim", "delta", to="1/0"),
    with_(number(), "claim", "delta", to=1),
    with_(number(), "claim", "delta", to=f"1/{LONG}0"),
    with_(number(), "claim", "delta", to=None),
    with_(number(), "claim", "data", to="any"),
    with_(number(), "claim", "runs", to=[]),
    with_(number(), "format", to="another"),
    with_(number(), "verdict", to="UNDECIDED"),
    noisy({"law": "zipf"}),
    noisy({"law": ["binomial"]}),
    noisy({"law": "binomial", "n": 0, "p": "1/2"}),
    noisy({"law": "binomial", "n": 1, "p": "2"}),
    noisy({"law": "poisson", "lam": "0"}),
    noisy({"law": "negative binomial", "r": "1", "p": "1"}),
    noisy({"law": "negative binomial", "r": "0", "p": "1/2"}),
    noisy({"law": "discrete Laplace", "q": "1"}),
    noisy({"law": "discrete Laplace", "q": "1/2", "bound": 0}),
    noisy({"law": "discrete Gaussian", "variance": "0"}),
    noisy({"law": "finite", "p": {"9" * 1001: "1"}}),
    noisy({"law": "finite", "p": {"1_0": "1"}}),
    noisy({"law": "finite", "p": {"0": "1/2", "-0": "1/2"}}),
    noisy({"law": "finite", "p": {"0": "1/2"}}),
    noisy({"law": "finite", "p": {}}),
    noisy({"law": "mixture", "of": [["1/2", COIN]]}),
    noisy({"law": "mixture", "of": [["1", COIN, COIN]]}),
    noisy({"law": "mixture", "of": []}),
    noisy({"law": "sum", "of": []}),
    noisy({"law": "mod", "by": 1, "of": COIN}),
    table(rows=[]),
    table(rows=[*ROWS, ROWS[0]]),
    table(added=COIN),
    table(shown={"from": 1}),
    table(**{"take part": "0"}),
    table(view="another"),
    table(tree=[["x", -1], "corner", "each"]),
    table(tree=[["z", 0], "corner", "each"]),
    table(tree=[["x", 0, 0], "corner", "each"]),
    table(tree=[]),
    with_(table(), *ROW, 0, "outputs", 0, "send", to=["m" * 1001]),
    with_(table(), *ROW, 0, "outputs", 0, "send", to=[""]),
    with_(table(), *ROW, 0, "outputs", 0, "p", to="0"),
    with_(table(), *ROW, 0, "outputs", 0, "p", to="1/2"),
    with_(table(), *ROW, 0, "outputs", 1, "send", to=["a"]),
    with_(table(), "because", "known", to={"x": {"a": 1}}),
    with_(table(), "because", "known", to={"z": {}}),
    with_(table(), "because", "mixtures", to={}),
    with_(table(), *PAIRS, 1, to=writing.entry("x", "y", ["each"])),
    with_(table(), *PAIRS, 1, "up to", to=[0]),
    with_(table(), *PAIRS, 1, "to", to="y"),
    with_(LINKED, *PAIRS, 1, "same as", to=1),
    with_(LINKED, *PAIRS, to=[writing.same_as("x", "y", 1, 0), writing.entry("y", "x", ["corner"])]),
    with_(table(), *PAIRS, to=[writing.entry(a, b, ["corner"]) for a, b in ("xy", "yx", "xy")]),
    with_(LINKED, *PAIRS, 1, "by", to=1),
    with_(LINKED, "because", "renamings", 0, "inputs", to={"x": "y"}),
    with_(BLOCKS, *PAIRS, 0, "tree", 0, "place", to="y"),
    table(tree=[writing.block({"x": 1}, 0, None, GRID)]),
    with_(BLOCKS, *PAIRS, 0, "tree", 0, "grid", "cells", to=2**32 + 1),
    with_(BLOCKS, *PAIRS, 0, "tree", 0, "grid", "tilt", to="1"),
    with_(BLOCKS, *PAIRS, 0, "tree", 0, "grid", "step", to="0"),
    with_(BLOCKS, *SEEN, "view", to="preshuffle"),
    columns({"x": [COIN], "y": [COIN, COIN]}),
    columns({"x": [], "y": []}),
    columns({"x": [COIN], "y": [COIN]}, shown={"mod": 2}),
    columns({"x": [COIN], "y": [COIN]}, shown={"from": 0}),
    columns({"x": [COIN], "y": [COIN]}, view="shuffled"),
    with_(columns({"x": [COIN], "y": [COIN]}), "claim", "neighbours", to="add-remove"),
    one_of(1),
    one_of("many"),
    one_of(5, COIN, "add-remove"),
    with_(table(), "claim", "neighbours", to={"deletion": {"z": "1"}}),
    with_(table(), "claim", "neighbours", to={"deletion": {"x": "1/2"}}),
    private(["10001", "0"], GRID),
    private(["1"], GRID),
    private(["1", "2"], GRID),
    with_(private(["1", "0"], GRID), "because", "grid", to=None),
    runs(10**9 + 1, LATTICE),
    runs(2, []),
    runs(2, [{"step": "1", "cells": 64}]),
    runs(2, [{"step": "3/2", "cells": 1}]),
    runs(2, [{"step": "3/2", "cells": 2**24 + 1}]),
    with_(runs(2, LATTICE), "claim", "data", to=None),
    with_(runs(2, LATTICE), "claim", "data", to="any"),
    with_(runs(2, LATTICE), "because", "runs", to=[]),
    with_(runs(2, LATTICE, "any"), "because", "runs", 0, "points", to=[]),
    with_(runs(2, LATTICE, "any"), "because", "runs", 0, "points", 0, 0, to="1/2"),
    with_(runs(2, LATTICE, "any"), "because", "runs", 0, "points", 0, 1, to="2"),
    with_(runs(1, LATTICE, listed=2), "claim", "neighbours", to="add-remove"),
    with_(runs(2, LATTICE), *SEEN, to={"users": 1, "each": {"private": ["1", "0"]}}),
    refuted(PAIR | {"to": "x"}),
    refuted(PAIR | {"others": {"x": 1}}),
    refuted({"from": "x", "to": "y"}),
    refuted(PAIR | {"others": {"x": 2, "y": 0}}),
    refuted(PAIR, {"outcomes": [["a"]]}, "local"),
    refuted({"from": "x", "to": "y"}, {"weights": {"a": "1"}, "above": "2"}, "local"),
    refuted(PAIR, {"weights": {"c": "1"}, "above": "2"}),
    refuted(PAIR, {"outcomes": [{"a": 3}, {"a": 3}]}),
    {"runs": []},
    [],
]
