"""What a certificate says of a cover (verify/CERTIFICATE.md, "Trees"): corners of boxes, or blocks with their grids."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import permutations
from typing import Any

from verify.bound.block import taken
from verify.bound.search import Box, Leaf, Pair, Search, Spent
from verify.bound.table import Table, sure_of
from verify.errors import Undecided
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.exact.rational import text
from verify.exact.views import view_of

WORK = 60_000_000  # cells and terms that are looked at
ALONE = {"users": {}, "open": 1, "place": None, "grid": {"step": "1", "cells": 16, "tilt": "3/2", "above": 1}}
TRIES, CLOSER = 3, Fraction(999, 1000)  # of a cover, each of a smaller delta


@dataclass
class Shown:
    """Covers of a table of n users that the kernel finds to keep a delta."""

    randomizer: Randomizer
    n: int
    max_work: int = WORK

    def trees(self, eps: Eps, bound: Fraction) -> dict[str, Any]:
        """Trees for all pairs of inputs whose leaves keep delta(eps) <= bound. Raises Undecided where none do."""
        table = Table.of(self.randomizer, reduced=False)
        search = Search(table, self.n, self.max_work, plain=True)
        aimed = bound
        for _ in range(TRIES):
            try:
                found = search.cover(table.pairs, [eps], [aimed], {}) if table.pairs else {}
                if not isinstance(found, dict):
                    break
                most = search.most([leaf for leaves in found.values() for leaf in leaves], [eps], [aimed])[0]
            except Spent:
                break
            if most <= bound:
                return self._written(search, found, eps, bound)
            aimed = aimed * bound / most * CLOSER
        raise Undecided("no cover that is short enough to be checked again was found")

    def _written(self, search: Search, found: Mapping[Pair, list[Leaf]], eps: Eps, bound: Fraction) -> dict[str, Any]:
        table = search.table
        if all(leaf.cuts is None for leaves in found.values() for leaf in leaves):
            boxes = [{leaf.box for leaf in leaves} for leaves in found.values()]
            return {"cover": list(self._corners(search, search.root, boxes))}
        covers = [
            {"from": a, "to": b, "cover": [ALONE]}
            for (a, row), (b, other) in permutations(zip(table.inputs, table.rows, strict=True), 2)
            if row == other
        ]
        for (a, b), leaves in found.items():
            nodes = [
                self._node(search, node, eps, bound)
                for node in search.tree(search.root, {leaf.box: leaf for leaf in leaves})
            ]
            covers.append({"from": table.inputs[a], "to": table.inputs[b], "cover": nodes})
        return {"blocks": {"known": self._known(), "covers": covers}}

    def _corners(self, search: Search, box: Box, left: list[set[Box]]) -> Iterator[list[Any] | None]:
        """One tree for all pairs, whose leaves are cut where a pair's is."""
        left = [boxes for boxes in left if box not in boxes]
        cut = search.cut(box) if left else None
        if cut is None:
            yield None
            return
        yield [search.table.inputs[search.table.firsts[cut[0]]], cut[1]]
        for part in box.parts(*cut, search.total):
            yield from self._corners(search, part, left)

    def _node(self, search: Search, node: tuple[int, int] | Leaf, eps: Eps, bound: Fraction) -> Any:
        table = search.table
        names = [table.inputs[x] for x in table.firsts]
        if not isinstance(node, Leaf):
            return [names[node[0]], node[1]]
        if node.cuts is None:
            return "corner"
        block, place = node.block, taken(table, node.block, *node.pair)
        if block.place is not None and place is not None:
            names[block.place] = table.inputs[place]
        grid = search.grid(node, eps, bound)
        return {
            "users": {name: count for name, count in zip(names, block.users, strict=True) if count},
            "open": block.open,
            "place": None if place is None else table.inputs[place],
            "grid": {"step": text(grid.step), "cells": grid.cells, "tilt": text(grid.tilt), "above": grid.above},
        }

    def _known(self) -> dict[str, dict[str, int]]:
        """What each input is sure to send."""
        view = view_of(self.randomizer)
        sure = zip(view.inputs, sure_of(view), strict=False)
        return {
            x: {view.messages[i][0]: count for i, count in sent.items() if count}
            for x, sent in sure
            if any(sent.values())
        }
