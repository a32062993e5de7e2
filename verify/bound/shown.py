"""What a certificate says of a cover: a tree of cuts whose leaves are corners of boxes, or blocks with their grids."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from shufflecert.verify import certificate as writing
from shufflecert.verify.bound.block import taken
from shufflecert.verify.bound.search import Box, Leaf, Pair, Search, Spent
from shufflecert.verify.bound.table import Table, sure_of
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.exact.views import view_of

WORK = 60_000_000  # cells and terms that are looked at
TRIES, CLOSER = 3, Fraction(999, 1000)  # of a cover, each of a smaller delta


@dataclass
class Shown:
    """Covers of a table of n users that the kernel finds to keep a delta."""

    randomizer: Randomizer
    n: int
    max_work: int = WORK

    def trees(self, eps: Eps, bound: Fraction) -> dict[str, Any]:
        """A proof: trees for all pairs of inputs whose leaves keep delta(eps) <= bound. Raises Undecided if none do."""
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
        pairs = writing.ends(table.inputs, "replace")
        if all(leaf.cuts is None for leaves in found.values() for leaf in leaves):
            boxes = [{leaf.box for leaf in leaves} for leaves in found.values()]
            tree = list(self._corners(search, search.root, boxes))
            return writing.cover([writing.entry(a, b, tree) for a, b in pairs])
        rows = dict(zip(table.inputs, table.rows, strict=True))
        nobody = [(a, b, writing.block({str(a): 1}, 0, str(a))) for a, b in pairs if rows[str(a)] == rows[str(b)]]
        covers = [writing.entry(a, b, [leaf]) for a, b, leaf in nobody]
        for (a, b), leaves in found.items():
            nodes = [
                self._node(search, node, eps, bound)
                for node in search.tree(search.root, {leaf.box: leaf for leaf in leaves})
            ]
            covers.append(writing.entry(table.inputs[a], table.inputs[b], nodes))
        return writing.cover(covers, known=self._known())

    def _corners(self, search: Search, box: Box, left: list[set[Box]]) -> Iterator[list[Any] | str]:
        """One tree for all pairs, whose leaves are cut where a pair's is."""
        left = [boxes for boxes in left if box not in boxes]
        cut = search.cut(box) if left else None
        if cut is None:
            yield "corner"
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
        users = dict(zip(names, block.users, strict=True))
        end = None if place is None else table.inputs[place]
        return writing.block(users, block.open, end, writing.grid(grid.step, grid.cells, grid.tilt, grid.above))

    def _known(self) -> dict[str, dict[str, int]]:
        """What each input is sure to send."""
        view = view_of(self.randomizer)
        sure = zip(view.inputs, sure_of(view), strict=False)
        return {
            x: {view.messages[i][0]: count for i, count in sent.items() if count}
            for x, sent in sure
            if any(sent.values())
        }
