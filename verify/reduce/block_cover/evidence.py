"""What a certificate says of blocks that cover all compositions (verify/CERTIFICATE.md, version 8)."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import groupby, permutations
from operator import attrgetter
from typing import Any

from verify.exact.epsilon import Eps
from verify.exact.rational import text
from verify.reduce.block_cover.search import Leaf, Search


def evidence(search: Search, leaves: Sequence[Leaf], eps: Eps, bound: Fraction) -> dict[str, Any]:
    """The covers by these leaves, pair by pair, with grids on which the kernel finds that they keep (eps, bound)."""
    view, blocks, covers = search.view, search.blocks, []

    def node(found: tuple[int, int] | Leaf) -> Any:
        if not isinstance(found, Leaf):
            return [view.inputs[view.classes[found[0]][0]], found[1]]
        block, place = found.block, blocks.taken(found.block, *found.pair)
        users = {
            view.inputs[group[0] if k != block.place or place is None else place]: count
            for k, (group, count) in enumerate(zip(view.classes, block.users, strict=True))
            if count
        }
        grid = search.grid(found, eps, bound)
        said = {"step": text(grid.step), "cells": grid.cells, "tilt": text(grid.tilt), "above": grid.above}
        taken = None if place is None else view.inputs[place]
        return {"users": users, "open": block.open, "place": taken, "grid": said}

    for (a, b), some in groupby(leaves, key=attrgetter("pair")):
        nodes = [node(found) for found in search.tree(search.root(), {leaf.box: leaf for leaf in some})]
        covers.append({"from": view.inputs[a], "to": view.inputs[b], "cover": nodes})
    alone = {"step": "1", "cells": 16, "tilt": "3/2", "above": 1}
    covers += [
        {"from": a, "to": b, "cover": [{"users": {}, "open": 1, "place": None, "grid": alone}]}
        for (a, row), (b, other) in permutations(zip(view.inputs, view.rows, strict=True), 2)
        if row == other
    ]
    known = {
        name: {view.messages[i][0]: count for i, count in sent.items()}
        for name, sent in zip(view.inputs, blocks.known, strict=True)
        if sent
    }
    return {"blocks": {"known": known, "covers": covers}}
