"""Hints for covers with blocks of users, from the trees of a certificate; a bad hint makes the checker refuse."""

import math
from functools import cached_property
from typing import NamedTuple

from shufflecert.verify.checked import program as c
from shufflecert.verify.checked.hints import (
    MOST_PLACED,
    SMALL_WORK,
    TooMuch,
    begun,
    grid_way,
    line_of,
    multisets,
    outcomes_of,
    places,
    precision,
    ratio,
    reaches,
    rounded,
)
from shufflecert.verify.checked.reader import Malformed
from shufflecert.verify.checked.words import cons, items

EXACT_BITS, MOST_GRID = 600, 2**20  # of a block's weights that are not rounded; cells
MOST_BLOCK = 3e8  # steps


class NoBlock(Exception):
    """A box in which there is no block."""


class Block(NamedTuple):
    """Users by input, how many are left open, whose place the user who changes has (None: of one left open), hints."""

    users: list
    opens: int
    place: int | None
    grid: tuple | None


class Entry(NamedTuple):
    """A pair of inputs and a tree: cuts, "each", "corner", blocks. The number after the last input is nobody's.

    Also which renamings leave the pair where it is, where these are used.
    """

    start: int
    to: int
    tree: list
    kept: tuple = ()


def entries_of(found):
    """The program's entries, with lists of Python's."""
    return [Entry(one.goes_from, one.goes_to, [node_of(node) for node in items(one.nodes)]) for one in items(found)]


def node_of(node):
    """A node of a tree."""
    if isinstance(node, c.Cut):
        return c.Split(*node)
    if not isinstance(node, c.AsBlock):
        return "each" if isinstance(node, c.AsEach) else "corner"
    users, opens, place, grid = node.b
    step, cells, above = grid[0] if grid else (None, None, None)
    hints = (step, cells, above[0] if above else None) if grid else None
    return Block([*items(users)], opens, place[0] if place else None, hints)


def by_renamings(entries, symmetries):
    """Entries without those of "each" that renamings make of others, and what the program is told of these.

    That is which of them leave a pair where it is, and what the others move.
    """
    images = [dict(items(g.inputs)) for g in items(symmetries)]
    left, looked_at, moved = {(one.start, one.to): one for one in entries if one.tree == ["each"]}, [], {}
    for one in entries:
        pair = one.start, one.to
        if one.tree != ["each"] or left.pop(pair, None):
            goals = [tuple(s.get(x, x) for x in pair) for s in images] if one.tree == ["each"] else []
            looked_at.append(one._replace(kept=tuple(i for i, goal in enumerate(goals) if goal == pair)))
            for i, goal in enumerate(goals):
                if left.pop(goal, None):
                    moved.setdefault(i, []).append(pair)
    kept = {i for one in looked_at for i in one.kept}
    ups, others = [], []
    for i, g in enumerate(items(symmetries)):
        if i in kept:
            ups.append(g)
        if i in moved or i not in kept:
            others.append((g, cons(moved.get(i, ()))))
    return looked_at, cons(ups), cons(others)


def column_trees(entries):
    """Trees of pairs of inputs as they are checked."""
    return cons(((one.goes_from, one.goes_to), cons(map(column_node, items(one.nodes)))) for one in items(entries))


def column_node(node):
    """A node of a tree as it is checked."""
    if isinstance(node, c.Cut):
        return c.Split(*node)
    return c.Here(c.Each() if isinstance(node, c.AsEach) else c.Corner())


def plus(law, other):
    """The law of a sum of two that are drawn independently."""
    found = {}
    for k, w in law.items():
        for m, v in other.items():
            found[k + m] = found.get(k + m, 0.0) + w * v
    return found


class Shared:
    """What all trees of a claim have in common: classes, and what inputs are known to send, as keys.

    The same is left of all inputs of one class.
    """

    def __init__(self, claim, real, s, polys, sent, alone=False):
        as_list, self.claim, self.unit, self.polys, self.alone = cons(polys), claim, s.unit_of, polys, alone
        self.classes = list(items(c.classes_of(as_list)))
        self.first = [c.rep(as_list, x) for x in range(len(polys))]
        self.known = []
        for x, have in enumerate(items(sent)):
            own = sum(k << (s.key_bits * m) for m, k in items(have))
            one = self.first[x]
            moved = c.first_key(polys[x]) - c.first_key(polys[one])
            self.known.append(own if one == x else self.known[one] + moved)
        self.whole = c.reserved(real, cons(self.classes), claim.users - 1)
        self.kinds = len({k for f in polys for k, _ in items(f)})
        self.terms = max(1.0 + sum(1 for _ in items(f)) for f in polys)
        self.reach = max(abs(k - sh) for f, sh in zip(polys, self.known, strict=True) for k, _ in items(f))
        self.line, self.most = line_of(polys), [k for k, _ in reaches(claim.rows)]
        self.real, self.power = real, ratio(c.Qmake(*c.from_below(claim.eps, precision(claim.eps, 64))))

    def place(self, x):
        """The place of an input's class."""
        return self.classes.index(self.first[x])

    @cached_property
    def common(self):
        """What all inputs send alike, beside what is known."""
        return c.in_common(cons(c.shifted(k, f) for k, f in zip(self.known[: self.real], self.polys, strict=False)))

    @cached_property
    def rows(self):
        """What each input sends beside what is known, in floats."""
        return [self.in_floats(c.shifted(k, f)) for k, f in zip(self.known, self.polys, strict=True)]

    def in_floats(self, law):
        """The probabilities of a law's places."""
        return {k: ratio(c.Qmake(w, self.unit)) for k, w in items(law)}

    def leaves(self, tree):
        """(a cut, or a leaf and its corner: None where the box is empty), in their order."""
        total, boxes = self.claim.users - 1, [self.whole]
        for node in tree:
            box = boxes.pop()
            if isinstance(node, c.Split):
                at = self.place(node.x)
                boxes += [c.cut_at(within, at, node.most, box) for within in (False, True)]
                yield node, None
            else:
                yield node, None if c.none(total, box) else list(items(c.corner(total, box)))

    def branch(self, entry, node, corner, bits):
        """The program's node."""
        if isinstance(node, c.Split):
            return node
        if corner is None or node == "corner" or (node == "each" and sum(corner) == self.claim.users - 1):
            return c.Here(c.Corner())
        if node == "each":
            return c.Here(c.Each())
        mates, at = [0] * len(corner), None if node.place is None else self.place(node.place)
        for x, k in node.users:
            mates[self.place(x)] += k
        size = sum(mates) + node.opens
        there = [k + (i == at) for i, k in enumerate(corner)]
        many = min([self.claim.users // size, *(have // k for have, k in zip(there, mates, strict=True) if k)])
        if many < 1:
            raise NoBlock
        if at is not None:
            mates[at] -= 1
        opens = node.opens - (at is None)
        if (many == 1 or node.grid is None) and node.opens == 0:  # one block of users who are known
            return c.Here(c.Fewer(cons(mates)))
        one = many == 1 or node.grid is None
        if self.alone and not one:
            raise Malformed("because.runs: expected no blocks with a grid")
        return c.Here(c.Blocked(self.block(entry, node, mates, opens, size, 1 if one else many, bits)))

    def ends(self, entry, node):
        """What a block's user who changes is known to send, and the furthest that anything is beside what is known."""
        moved = self.known[entry.start if node.place is None else node.place]
        both = (self.polys[entry.start], self.polys[entry.to])
        return moved, max([self.reach, *(abs(k - moved) for f in both for k, _ in items(f))])

    def block(self, entry, node, mates, opens, size, many, bits):
        """A block, of which there are so many."""
        moved, reach = self.ends(entry, node)
        half = size * reach + 1
        work = self.block_work(size, opens)
        begun(work, MOST_BLOCK)
        floor, most, way = None, -(1 << 4096), c.Way((1, 1), 8, 0)
        if many > 1:
            step, cells, above = node.grid
            if cells > MOST_GRID or (above is None and node.place is None and node.opens > 1):
                raise TooMuch("a grid of so many cells")
            most, floor = above, -cells if above is None else above - cells + 1
            high = max(1.0, ratio(step) * (cells if above is None else above))
            way = grid_way(bits, step, cells, many * high)
            far = cells * ratio(step)
            ends = entry, node.place, mates, opens, half, moved, floor * ratio(step)
            highest, *losses = self.losses(*ends) if work <= SMALL_WORK else (far, far, far * far)
            if highest == 0.0 and floor < 0 and places(many, *losses, bits, step) > MOST_PLACED:
                floor, losses = 0, (0.0, 0.0)  # all of them are as well 0, of which sums take one place
            begun(places(many, *losses, bits, step), MOST_PLACED)
        laws, doubled = None, None
        if (size - 1) * self.unit.bit_length() > EXACT_BITS:
            h = rounded(self.claim.eps, size, bits)
            line = self.line if opens == 0 and node.place is not None else None
            step, span = line or (1, -1)
            far = 0 if span < 0 else min(10**9, size * span + 2)
            laws = (c.Round(h.precise, h.fine, h.cut, c.Line(step, far)),)
            doubled = (size.bit_length() + 1,) if line else None
        spot = None if node.place is None else (node.place,)
        floor, most = (None if x is None else (x,) for x in (floor, most))
        return c.Blk(cons(mates), opens, spot, many, moved, half, reach, way, floor, most, laws, doubled)

    def block_work(self, size, opens):
        """Of a block's laws, user by user."""
        kinds, n = float(self.kinds + (opens > 0)), float(size)
        sums = outcomes_of(self.claim.rows, n, self.most, kinds) * (opens + 1.0)
        outcomes = min(multisets(n, kinds), sums, (80.0 * math.sqrt(n)) ** max(1.0, min(kinds - 1.0, 40.0)))
        on_line = (n * self.line[1] + 2.0) * (opens + 1.0) if self.line else math.inf
        return n * self.terms * min(outcomes, on_line)

    def losses(self, entry, spot, mates, opens, half, moved, floor):
        """The highest loss of a block or 0, how far losses are apart, and their mean square, about."""
        drawn = self.in_floats(c.with_drawn(half, self.unit, self.common))
        taken = drawn if spot is None else self.rows[self.first[spot]]
        changed = (self.in_floats(c.shifted(moved, self.polys[x])) for x in (entry.start, entry.to))
        others = {0: 1.0}
        for row in [self.rows[self.classes[i]] for i, k in enumerate(mates) for _ in range(k)] + [drawn] * opens:
            others = plus(others, row)
        seen, p, q = (plus(others, row) for row in (taken, *changed))
        found = [(0.0, 0.0)]
        for k, s in seen.items():
            below = self.power * q[k] if q.get(k) else 0.0
            if s:
                found.append((max((p.get(k, 0.0) - below) / s, floor), s))
        highest, lowest = max(loss for loss, _ in found), min(loss for loss, _ in found)
        return highest, highest - lowest, sum(s * loss * loss for loss, s in found)

    def covers(self, entries, bits):
        """The program's trees, each for all pairs that have it, the same ends in its blocks, and the same renamings."""
        shared = {}
        for one in entries:
            key = one.kept, str(one.tree), *(self.ends(one, node) for node in one.tree if isinstance(node, Block))
            if key not in shared:
                shared[key] = [], cons(self.branch(one, *node, bits) for node in self.leaves(one.tree))
            shared[key][0].append((one.start, one.to))
        return cons(c.Covered(cons(pairs), nodes) for pairs, nodes in shared.values())

    def corners(self, trees):
        """(pairs, how many others of which class) of all leaves that are as many others as these; of "each": None."""
        for cover in items(trees):
            boxes, total = [self.whole], self.claim.users - 1
            for node in items(cover.tree_of):
                box = boxes.pop()
                if isinstance(node, c.Split):
                    boxes += [c.cut_at(w, self.place(node.x), node.most, box) for w in (False, True)]
                elif not c.none(total, box):
                    if isinstance(node.x, c.Each):
                        yield cover.goes, None
                    elif isinstance(node.x, c.Corner):
                        yield cover.goes, c.corner(total, box)
                    elif isinstance(node.x, c.Fewer):
                        yield cover.goes, node.x.m

    def exceeded(self, r, many, corners):
        """Whether delta is exceeded at one of these corners, by the other ends of the same sums."""
        polys, claim, d = cons(self.polys), self.claim, self.unit
        ready = c.prepare(polys, d, many, r)
        z, unit = c.from_above(claim.eps, r.prec_of)
        for pairs, m in corners:
            v = c.law_at(ready, m, (), ready.nobody_yet)
            for i, j in items(pairs):
                above = c.stick(unit, z, c.one_more(polys, i, v.low), c.one_more(polys, j, v.low), 0) - z * d * v.lost
                if claim.delta.qnum * v.scale * d * unit < claim.delta.qden * above:
                    return True
        return False
