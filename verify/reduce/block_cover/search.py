"""Boxes of compositions of the others, each with a block that dominates it: guessed in floats, and nothing proved.

A box of compositions holds all with at least `lower[x]` others in each class x. A block (`blocks`) with k_x users of
each class, in so many blocks that all of them are there, bounds every composition of the box from above; so does the
class with the most users alone, where the others are few enough to be dropped. For each pair of inputs boxes are cut
in two until what they allow is close to what real datasets attain.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import erfc, exp
from typing import ClassVar

from verify.exact.epsilon import Eps
from verify.exact.views import View
from verify.reduce.block_cover.blocks import Block, Blocks, Cuts
from verify.reduce.block_cover.guess import Grid, Law
from verify.reduce.compositions import Box

SIZES = (1, 2, 4, 8, 16, 32, 64)  # users of a block
MOST_TERMS = 15_000  # that a block may send
MOST_DROPPED = Fraction(1, 10)  # of all users, for the sake of a block of one
SLACK = 1e-3  # relative, of delta: what integers may find beyond a guess
FAR_OFF = 4.0  # times the delta that is allowed, by the normal approximation: not looked at more closely
HOPELESS, SETTLED = 100.0, 8  # the same, for blocks of so many users or more: larger ones are not tried
WORSE = 1.05  # in spread, than the best place: not looked at in larger blocks
LITTLE = 1e-4  # of delta: what cutting values off may cost
TERM_WORK, LOOK_WORK = 4, 2_500  # of a guess for each term, and besides
MOST_HELD = 2_000_000  # terms of guesses that are kept
Pair = tuple[int, int]


@dataclass(frozen=True)
class Leaf:
    """A pair of inputs, a box of compositions, so many blocks of one kind that dominate it, and how to round them."""

    pair: Pair
    box: Box
    block: Block
    draws: int
    cuts: Cuts


class Spent(Exception):
    """The work that is allowed has been done."""


@dataclass
class Search:
    """Guesses at covers of n users."""

    view: View
    n: int
    max_work: int
    tick: Callable[[], object]
    work: int = 0
    evaluations: int = 0
    laws: dict[tuple[Block, Pair], Law] = field(default_factory=dict)
    held: int = 0
    term_work: ClassVar[float] = TERM_WORK
    blocks: Blocks = field(init=False)
    sizes: tuple[int, ...] = field(init=False)

    def __post_init__(self) -> None:
        self.blocks, classes = Blocks(self.view), len(self.view.classes)
        sizes = []
        for size in SIZES:
            even = tuple(size // classes + (x < size % classes) for x in range(classes))
            if size * 4 > self.n or len(self.blocks.total(even, 0)) > MOST_TERMS:
                break
            sizes.append(size)
        self.sizes = tuple(sizes)

    @cached_property
    def single(self) -> bool:
        """Whether no user sends more than one message."""
        return all(sum(count for _, count in sent) <= 1 for row in self.view.rows for sent in row)

    @property
    def unit(self) -> int:
        """How many users are moved at least where a box is cut: the number of the largest blocks."""
        return self.n // self.sizes[-1] if self.sizes else self.n

    def root(self) -> Box:
        """All compositions."""
        size = len(self.view.classes)
        return Box.tight([0] * size, [self.n - 1] * size, self.n - 1)

    def cover(self, pair: Pair, power: Eps, most: Fraction, boxes: list[Box]) -> list[Leaf] | None:
        """Boxes within `boxes` and blocks that seem to keep delta(eps) at `most`; None where none are found.

        Raises Spent.
        """
        eps, limit = float(power.enclosure(17)[0]), float(most)
        stack, found = list(boxes), []
        while stack:
            box = stack.pop()
            parts = self._cut(box)
            leaf = self._leaf(pair, box, eps, limit) or (None if parts else self._leaf(pair, box, eps, limit, True))
            if leaf is not None:
                found.append(leaf)
            elif parts is None:
                return None
            else:
                stack += parts
        return found

    def _leaf(self, pair: Pair, box: Box, eps: float, limit: float, thorough: bool = False) -> Leaf | None:
        """The first blocks that seem to keep (eps, limit), small ones first.

        Unless `thorough`, a place that is not among the best in a small block is not tried in a larger one, and blocks
        that are far off are not made larger.
        """
        left_out: set[int | None] = set()
        for choices in self.choices(box):
            some = [(self.law(block, pair), block, draws) for block, draws in choices if block.place not in left_out]
            some.sort(key=lambda one: one[0].spread)
            about = [normal(law.spread / draws, eps) for law, _, draws in some]
            for (law, block, draws), delta in zip(some, about, strict=True):
                if not thorough and law.spread > WORSE * some[0][0].spread:
                    left_out.add(block.place)
                elif delta <= FAR_OFF * limit:
                    self.count(TERM_WORK * len(law.s) + LOOK_WORK)
                    if law.delta(eps, draws, LITTLE * limit) <= limit * (1 - SLACK):
                        return Leaf(pair, box, block, draws, law.cuts(eps, draws, LITTLE * limit))
            far_off = min(about, default=float("inf")) > HOPELESS * limit
            if choices and not thorough and choices[0][0].size >= SETTLED and far_off:
                break
        return None

    def again(self, leaf: Leaf, power: Eps, most: Fraction) -> Leaf:
        """The same blocks for another eps, with values rounded as suits a delta of about `most`."""
        law = self.law(leaf.block, leaf.pair)
        return replace(leaf, cuts=law.cuts(float(power.enclosure(17)[0]), leaf.draws, LITTLE * float(most)))

    def choices(self, box: Box) -> Iterator[list[tuple[Block, int]]]:
        """Blocks that dominate a box, and how many there are of them, by their size."""
        classes = range(len(box.lower))
        yield [
            (block := Block(tuple(int(y == x) for y in classes), 0, x), block.draws(box.lower, self.n))
            for x in classes
            if box.lower[x] >= self.n * (1 - MOST_DROPPED)
        ]
        for size in self.sizes:
            found, about = [], self.n if size == 1 else self.unit * (self.sizes[-1] // size)
            for place in (*classes, None):
                users = [(least + (x == place)) // about for x, least in enumerate(box.lower)]
                users[users.index(max(users))] -= max(0, sum(users) - size)  # who is in no block is dropped
                block = Block(tuple(users), size - sum(users), place)
                alike = self.single and max(block.users) == size > 1  # larger blocks show nothing less
                if not alike and (block.open if place is None else users[place]):
                    found.append((block, block.draws(box.lower, self.n)))
            yield found

    def law(self, block: Block, pair: Pair) -> Law:
        """The law of a block, in floats."""
        key = block, pair
        if key not in self.laws:
            if self.held > MOST_HELD:
                self.laws.clear()
                self.held = 0
            made = self._law(block, *pair)
            self.count(int(4 * self.term_work * len(made.s)))
            self.laws[key] = made
            self.held += len(made.s)
        return self.laws[key]

    def _law(self, block: Block, a: int, b: int) -> Law:
        return Law.of(self.blocks, block, a, b)

    def grid(self, leaf: Leaf, eps: Eps, bound: Fraction) -> Grid:
        """A grid on which the kernel finds that the leaf keeps (eps, bound)."""
        law = self.law(leaf.block, leaf.pair)
        return law.grid(float(eps.enclosure(17)[0]), leaf.draws, float(bound), SLACK)

    def tree(self, box: Box, leaves: Mapping[Box, Leaf]) -> Iterator[tuple[int, int] | Leaf]:
        """The cuts, as (class, the most users of it in the first part), and leaves of a cover, in preorder."""
        if box in leaves:
            yield leaves[box]
            return
        parts = self._cut(box)
        assert parts is not None
        first, last = parts
        x = next(x for x, most in enumerate(first.upper) if most < last.lower[x])
        yield x, first.upper[x]
        for part in parts:
            yield from self.tree(part, leaves)

    def _cut(self, box: Box) -> list[Box] | None:
        """The two parts of a box, cut where blocks begin; None where it is too small."""
        places = [(low // self.unit + 1, up // self.unit) for low, up in zip(box.lower, box.upper, strict=True)]
        wide = [last - first for first, last in places]
        x = wide.index(max(wide))
        first, last = places[x]
        if last < first:
            return None
        at = (first + last) // 2 * self.unit
        left, right = list(box.upper), list(box.lower)
        left[x], right[x] = at - 1, at
        total = self.n - 1
        return [Box.tight(box.lower, left, total), Box.tight(right, box.upper, total)]

    def count(self, work: int) -> None:
        """Add to the work. Raises Spent."""
        self.work += work
        self.evaluations += 1
        self.tick()
        if self.work > self.max_work:
            raise Spent


def normal(square: float, eps: float) -> float:
    """delta(eps) of a normal distribution against its shift by sqrt(square) standard deviations."""
    if not square:
        return 0.0
    if square == float("inf"):
        return 0.0  # nothing is known
    shift = square**0.5
    return _above(eps / shift - shift / 2) - exp(eps) * _above(eps / shift + shift / 2)


def _above(x: float) -> float:
    return erfc(x / 2**0.5) / 2
