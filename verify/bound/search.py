"""The search for a cover: boxes of compositions of the others, each with a block that dominates it.

A composition says how many of the other n - 1 users are in each class. All compositions of a box have at least
`lower[x]` others in class x, so a block that needs no more of them (verify/bound/block.py) bounds delta for all of
them. For each pair of inputs boxes are cut in two until what their blocks allow seems to be at most a limit, at one eps
or at several; what seems so is guessed in floats, and then found in integers (`Search.most`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice, pairwise, product
from math import exp, inf, isqrt, log1p, prod
from typing import Any, NamedTuple, TypeVar

from shufflecert.verify.bound.block import (
    FINER,
    KEPT,
    LIMB,
    LUMPS,
    Block,
    Cuts,
    Kind,
    ShortLaws,
    Windows,
    Words,
    allowed,
    draws_of,
    placed,
    slices,
)
from shufflecert.verify.bound.box_blocks import FINES, Leaf, alike, spread_out
from shufflecert.verify.bound.groups import Groups
from shufflecert.verify.bound.guess import (
    LITTLE,
    RARE,
    REACH,
    SLACK,
    THINNEST,
    BlockLaw,
    BlockLaws,
    Grid,
    Guess,
    Guesses,
    Sent,
    ShortGuesses,
    as_float,
    covariance,
    log_of,
    mean,
    normal,
    reach_for,
)
from shufflecert.verify.bound.law import BITS, POWER_BITS, SHORTEST, Sums, Views, bits_of, bytes_for, rounded_power
from shufflecert.verify.bound.law import KEPT as KEPT_BYTES
from shufflecert.verify.bound.table import Box, Composition, Pair, Table, round_number
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.runs.later import Later

np: Any = Later("numpy")
Named = TypeVar("Named")
LONGEST, SHORTEST_BLOCK, MOST_EXACT = 512, 4, 64  # users of a block: about; of a short one
GROWS, ABOUT, TRIED = 1.6, (0.8, 1.2), 4096  # numbers of blocks: some near one are tried, so that few are in none
EXACT_TERMS, MOST_TERMS, SOLID_TERMS = 15_000, 1_600_000, 9_500_000  # of a block's law; of one in three dimensions
OPEN_TERMS, LAST_TERMS, FEW_LONG = 60_000, 64_000, 512  # where draws are told apart; of longer blocks; boxes with them
SURELY, LONG_TRIES = 0.5, 4  # of the limit, by the normal approximation of a single block: blocks of more terms will do
LONG, MOST_OPEN = 64, 16  # users of a block: of longer ones few are left open, or boxes are better cut
BOX_CELLS = 1 << 17  # of a whole dataset's law, beyond which boxes have long blocks first
FAINT_CELLS = 1 << 12  # the same for deltas that words do not tell
LINE_CELLS, SPELLED_OUT = 1 << 14, 2_000_000  # of certificates, if boxes lie on a line; users of a checker's boxes
CURVE_CELLS = 1 << 13  # of a dataset's law, up to which boxes alone are asked for several eps: a block costs for each
HAIR, CLOSE = 2e-4, 1.03  # of delta: what integers may find beyond a guess; looked at more closely
ROUGH, LEAST = 0.2, Fraction(1, 10**280)  # of the usual tolerance, and delta, below which boxes are asked alone
TOLD = Fraction(1, 10**11)  # the smallest delta that windows of blocks tell, whose laws are words
FAR_OFF, SEVERAL, MOST_RANK = 10.0, 3, 24  # the same where blocks are short; of how many places; coordinates then
SEEMS = 1.04  # times the limit, by the normal approximation and what was found of the last: looked at
LITTLES = (LITTLE, 1e-3, 1e-2)  # of delta: what cutting values off may cost
SLOW = 20_000  # terms from which only the second of FINES is tried
SMALLEST = 512  # parts of users, of a box that is cut
LONG_LINE = 1 << 16  # places of a block's values, from which on their powers take too long
WEIGHTS, LOST_BITS = 64, 12  # of the kinds of blocks, at most; of laws of short ones, by rounding
PLACED_BITS = 24  # of the law of a block's values, besides those of delta and those that are lost
THIN, SPARED_BITS, WINDOW_BITS = Fraction(1, 1 << 10), 2, 40  # of delta: thin cells; bits of it: edges; laws of blocks
CELL_WORK, GROUP_WORK, CHOICE_WORK = 1, 3, 25  # of a cell of a transform; in groups, proved; of a class of a choice
LOOK_WORK, MANY_CELLS = 4_000, 1 << 15  # of a look, and of its cells, which are counted in it
SUM_WORK, FAINT_WORK, LONG_SUM = 4, 8, 5  # of eight bytes of a law of sums; of a faint one; sums for one not kept
TERM_WORK, SHORT_WORK, PROOF_WORK = 2, 0.15, 4  # of a term of a short block; in floats, by a point; of what it allows
MOST_HELD, MOST_WAVES = 1 << 22, 10_000_000  # cells of sums, in floats, that are kept; of transforms, of all classes
CLOSEST = Fraction(1, 100)  # of the usual tolerance, to which words are close
SMALL = Fraction(1, 1 << 40)  # a delta that asks for more than POWER_BITS of e^eps
DRAWN = Fraction(1, 10**4)  # of delta: that fewer of the users left open send what is common than is assumed


class Asked(NamedTuple):
    """An eps, its power of e rounded down, and about how large delta is there."""

    eps: Eps
    power: Fraction
    about: Fraction


class Spent(Exception):
    """The work that is allowed has been done."""


@dataclass(frozen=True)
class Limits:
    """What a cover is to keep: delta(at_i) <= most_i."""

    at: Sequence[Eps]
    most: Sequence[Fraction]

    @cached_property
    def floats(self) -> list[tuple[float, float]]:
        """(eps, logarithm of the limit), about."""
        return [(as_float(one), log_of(limit)) for one, limit in zip(self.at, self.most, strict=True)]

    @property
    def told(self) -> bool:
        """Whether floats tell all limits of blocks."""
        return min(self.most) > LEAST


@dataclass
class Search:
    """Covers of the compositions of n - 1 others of a table.

    With `plain` a single block drops its users left open, and no block is longer than a certificate's. Leaves are as
    close as `closely` asks for, a part of what is usual. Laws of blocks tell deltas from `least` on, guesses of them
    reach so `far`, in standard deviations.
    """

    table: Table
    n: int
    max_work: int
    tick: Callable[[], object] = lambda: None
    plain: bool = False
    closely: Fraction = Fraction(1)
    least: Fraction = TOLD
    far: float = REACH
    work: int = 0
    evaluations: int = 0
    cuts: dict[Box, tuple[int, int] | None] = field(default_factory=dict)
    sums: dict[tuple[int, ...], Sums] = field(default_factory=dict)
    laws: dict[tuple[Block, Pair], BlockLaw] = field(default_factory=dict)
    short: dict[tuple[Block, Pair], Words] = field(default_factory=dict)
    terms: dict[tuple[Block, Pair], int] = field(default_factory=dict)
    spreads: dict[tuple[Block, Pair], float] = field(default_factory=dict)  # E L^2 of blocks, at eps = 0
    held: int = 0
    ratios: dict[tuple[Pair, int], float] = field(default_factory=dict)  # what was found last, to the approximation
    guesses: dict[int, Guess | None] = field(default_factory=dict)  # for blocks, by their size
    sent: dict[tuple[Block, int], Sent] = field(default_factory=dict)  # of blocks, in floats
    merged: dict[tuple[Any, ...], tuple[ShortLaws, ShortGuesses]] = field(default_factory=dict)  # by classes and pair
    seen: Windows | None = None  # those that were asked last
    long_ones: int = 0  # boxes of this cover that were asked of blocks of more terms

    def for_size(self, delta: Fraction) -> "Search":
        """The search for a delta of about this size: what was found for another is let go."""
        least, far = min(delta, TOLD), reach_for(delta)
        if far != self.far:
            self.far, self.guesses, self.sent = far, {}, {}
            self._let_go()
        if least == self.least:
            return self
        return replace(self, least=least, cuts={}, laws={}, short={}, merged={}, terms={}, held=0)

    @property
    def total(self) -> int:
        """The number of others."""
        return self.n - 1

    @cached_property
    def root(self) -> Box:
        """All compositions."""
        size = len(self.table.bases)
        return Box.tight([0] * size, [self.total] * size, self.total)

    @cached_property
    def guess(self) -> Guesses | None:
        """Guesses for all users; None where there are too many cells."""
        made = Guesses(self.table, self.n)
        return None if made.plain is None else made

    @cached_property
    def few(self) -> tuple[ShortLaws, ShortGuesses]:
        """Laws of short blocks, their weights in somewhat more bits than words have; the same in floats."""
        found = ShortLaws(self.table, -(-(BITS + FINER + self.finer + LOST_BITS) // LIMB))
        return found, ShortGuesses(self.table, 0, found.places)

    @property
    def merges(self) -> bool:
        """Whether outputs may be one in a block that are none in all rows; not in certificates."""
        return self.table.alone and not self.wide and not self.plain

    def among(self, block: Block, pair: Pair) -> tuple[ShortLaws, ShortGuesses]:
        """The laws of a short block, its outputs merged where they may be; the same in floats."""
        if not self.merges:
            return self.few
        key = tuple(x for x, count in enumerate(block.users) if count), *pair
        if key not in self.merged:
            if sum(one.held for some in self.merged.values() for one in some) > KEPT:
                self.merged.clear()
            self.merged[key] = self.few[0].among(*key), self.few[1].among(*key)
        return self.merged[key]

    def outcomes(self, block: Block, pair: Pair) -> Words:
        """What may be seen of a short block, with its weights."""
        key = block, pair
        if key not in self.short:
            self._make_room()
            self.short[key] = made = self.among(block, pair)[0].seen(block, *pair).words(FINER + self.finer)
            self._made(key, made.terms, TERM_WORK, self.few[0].digits)
        return self.short[key]

    def _made(self, key: tuple[Block, Pair], terms: int, work: float, size: int = 1) -> None:
        """A law of so many terms is kept, each of so much work and so large."""
        self.count(work * terms)
        self.terms[key] = terms
        self.held += size * terms

    def _make_room(self) -> None:
        """Let go what is kept of blocks, if it is much."""
        if self.held > MOST_TERMS:
            self._let_go()

    def _let_go(self) -> None:
        self.laws.clear()
        self.short.clear()
        self.held = 0

    @cached_property
    def wide(self) -> bool:
        """Whether laws of blocks are windows, so that blocks may be long."""
        return self.table.rank <= 3 and self.in_words

    @property
    def in_words(self) -> bool:
        """Whether words tell what is seen, of whole datasets and of long blocks; certificates have no such blocks."""
        return self.least >= TOLD and not self.plain

    @cached_property
    def _box_cells(self) -> int:
        """Cells of a whole dataset's law from which boxes have blocks first.

        In certificates only boxes on a line are few without, and soon checked.
        """
        if not self.plain:
            return BOX_CELLS if self.in_words else FAINT_CELLS
        return LINE_CELLS if self.n <= SPELLED_OUT and len(self.table.bases) == 2 and self.table.rank == 1 else 0

    @property
    def finer(self) -> int:
        """Bits of a block's smallest weights, beyond those that do from TOLD on."""
        return bits_of(self.least) - bits_of(TOLD)

    @property
    def aligned(self) -> bool:
        """Whether all blocks are of one kind, so that boxes are cut where they are in all blocks: certificates have no
        other blocks, and long ones may be few."""
        return self.wide or self.plain

    @property
    def seems(self) -> float:
        """How many times the limit an approximation may be above it, to be looked at."""
        return SEEMS if self.wide else FAR_OFF

    @cached_property
    def levels(self) -> tuple[int, ...]:
        """How many blocks there may be, falling: short blocks first; boxes are cut where multiples of the last are."""
        n = self.n
        if self.wide:
            fewest = _near(max(1, n // LONGEST), n, 1)
            levels, times = [fewest], GROWS
            while fewest * times * SHORTEST_BLOCK <= n:
                levels.append(fewest * _near(round(times), n, fewest))
                times *= GROWS
            while fewest > 1:
                fewest //= 2
                levels.append(fewest)
        else:
            levels = [n // size for size in self.sizes]
            unit = levels[-1] if levels else n
            levels = [unit * (count // unit) for count in levels]
        return tuple(sorted({n, *levels}, reverse=True))

    @cached_property
    def sizes(self) -> list[int]:
        """Users of short blocks, each twice the one before: while terms are few, or may be."""
        doubled = [1 << k for k in range(1, MOST_EXACT.bit_length()) if 4 << k <= self.n]
        if self.merges:
            return doubled
        sizes, terms = list[int](), [1]
        for size in doubled if self.table.rank <= MOST_RANK else ():
            if len(terms) > 2 and terms[-1] ** 2 > EXACT_TERMS * terms[-2]:  # by ever more, with each doubling
                break
            terms.append(self.few[0].terms(size))
            if terms[-1] > EXACT_TERMS:
                break
            sizes.append(size)
        return sizes

    @cached_property
    def last_levels(self) -> list[int]:
        """How many blocks there may be, of more users, where nothing else is left to be done."""
        if self.aligned or not self.sizes:
            return []
        first, last = SHORTEST_BLOCK if self.merges else self.sizes[-1], min(2 * self.sizes[-1], MOST_EXACT)
        return [self.n // size for size in range(first + 1, last) if size * 4 <= self.n]

    def count(self, work: float) -> None:
        """Add to the work. Raises Spent."""
        self.work += int(work)
        self.evaluations += 1
        self.tick()
        if self.work > self.max_work:
            raise Spent

    # Guesses ---------------------------------------------------------------------------------------------------------

    def cover(
        self, pairs: Sequence[Pair], at: Sequence[Eps], most: Sequence[Fraction], boxes: Mapping[Pair, Sequence[Box]]
    ) -> dict[Pair, list[Leaf]] | Composition | None:
        """Leaves within the boxes of each pair that seem to keep delta at most_i at the eps at_i.

        Of compositions that symmetries make of each other one will do, where no certificate is asked for. A composition
        where it seems to exceed one by itself; None where a box that does is not to be cut. Raises Spent.
        """
        limits = Limits(at, most)
        if self.guess is not None:
            self.guess.closely = float(self.closely)
        found: dict[Pair, list[Leaf]] = {pair: [] for pair in pairs}
        begun: dict[Box, list[Pair]] = {}
        for pair in pairs:
            for box in boxes.get(pair, [self.root]):
                begun.setdefault(box, []).append(pair)
        stack, self.long_ones = list(begun.items()), 0
        exchanged = {pair: [] if self.plain else self.table.exchanged(pair) for pair in pairs}
        while stack:
            box, some = stack.pop()
            left = []
            for pair in some:
                one = box.falling(exchanged[pair], self.total) if exchanged[pair] else box
                if one is None:
                    continue
                leaf = self.leaf(pair, one, limits)
                if leaf is None:
                    left.append(pair)
                else:
                    found[pair].append(leaf)
            if not left:
                continue
            if box.one:
                return None if self.guess is None else box.lower
            if (cut := self.cut(box)) is None:
                return None
            stack += [(part, left) for part in box.parts(*cut, self.total)]
        return found

    def leaf(self, pair: Pair, box: Box, limits: Limits) -> Leaf | None:
        """Blocks that seem to keep the limits for all compositions of the box, of about the least work."""
        return self._of_users(pair, box, limits) or self._of_groups(pair, box, limits)

    def _of_users(self, pair: Pair, box: Box, limits: Limits) -> Leaf | None:
        boxes_first = self.guess is not None and self.guess.cells <= self._box_cells
        if boxes_first and (leaf := self._single(pair, box, limits)):
            return leaf
        several = len(limits.at) > 1 and self.guess is not None and self.guess.cells <= CURVE_CELLS
        if several or not limits.told or self.closely < ROUGH or (self.plain and boxes_first):
            return None if boxes_first else self._single(pair, box, limits)
        last, most, place = as_float(limits.at[-1]), float(limits.most[-1]), None
        trusted = self.wide and self.cut(box) is not None  # what was found of the last
        for choices in self.choices(box, pair):
            found = ((self.normal(kinds, pair, last), kinds) for kinds in choices)
            some = sorted(found, key=lambda one: one[0])
            for about, kinds in some[: 1 if self.wide else SEVERAL]:
                draws = kinds[0].draws
                if about * (self.ratios.get((pair, draws), 1.0) if trusted else 1) > self.seems * most:
                    break
                if (leaf := self._blocks(pair, box, self.weighed(kinds, pair), limits, about)) is not None:
                    return leaf
            place = some[0][1][0].block.place if some else place
        if (leaf := self._of_long_blocks(pair, box, place, limits)) is not None:
            return leaf
        return None if boxes_first else self._single(pair, box, limits)

    def _of_long_blocks(self, pair: Pair, box: Box, place: int | None, limits: Limits) -> Leaf | None:
        """Blocks of more terms, for a few boxes: if one of all users would surely do, or they are not to be cut."""
        last, most = as_float(limits.at[-1]), float(limits.most[-1])
        if not self.last_levels or self.long_ones >= FEW_LONG:
            return None
        if self.cut(box) is not None and self.of_all(pair, box.lower, last) > SURELY * most:
            return None
        self.long_ones += 1
        places = dict.fromkeys((place, box.lower.index(max(box.lower))))
        spread = (
            (n, spread_out(self.table, self.n, box, n, one)) for n, one in product(reversed(self.last_levels), places)
        )
        few = (some for n, some in spread if some and all(self._few(kind.block, n, pair, LAST_TERMS) for kind in some))
        for some in islice(few, LONG_TRIES):
            kinds = self.weighed(some, pair)
            about = self.normal(kinds, pair, last)
            if about <= self.seems * most and (leaf := self._blocks(pair, box, kinds, limits, about)) is not None:
                return leaf
        return None

    def _blocks(self, pair: Pair, box: Box, kinds: tuple[Kind, ...], limits: Limits, about: float) -> Leaf | None:
        laws = self.of(kinds, pair)
        asked = [(as_float(one), float(limit)) for one, limit in zip(limits.at, limits.most, strict=True)]
        last, least = asked[-1]
        for fine in FINES if laws.terms < SLOW else FINES[1:]:
            for eps, limit in reversed(asked):
                self.count(CELL_WORK * max(laws.terms / 2, laws.cells(fine) / 4 - MANY_CELLS) + LOOK_WORK)
                delta = laws.delta(eps, LITTLE * limit, fine)
                if eps == last:
                    self.ratios[pair, kinds[0].draws] = delta / max(about, 1e-30)
                if delta > limit * (1 - SLACK):
                    break
            else:
                for little in LITTLES:
                    cuts = laws.cuts(last, little * least, fine)
                    if cuts.below + cuts.above < LONG_LINE and delta + (little - LITTLE) * least < limit * (1 - SLACK):
                        return Leaf(pair, box, kinds, cuts, fine=fine)
                return None
            if delta > CLOSE * limit:
                break
        return None

    def _single(self, pair: Pair, box: Box, limits: Limits) -> Leaf | None:
        """The corner of the box, and what is common of some of the users besides, if that seems to be enough."""
        if self.guess is None:
            return None
        guess, left = self.guess, self.total - sum(box.lower)
        missed = limits.most[-1] * DRAWN * self.closely
        drawn = 0 if self.plain or not self.table.common else draws_of(left, self.table.alike, missed)
        one = (Kind(Block(box.lower, 0, None), 1),)
        leaf = Leaf(pair, box, one, None, drawn, missed if drawn else Fraction(0))
        self.count(CELL_WORK * guess.cells / 4)
        hair = log1p(-HAIR * float(self.closely))
        kept = all(guess.log_delta(leaf.counts, pair, eps) <= limit + hair for eps, limit in limits.floats)
        return leaf if kept else None

    @cached_property
    def groups(self) -> Groups | None:
        """Groups of users, where certificates are not asked for."""
        return None if self.plain or self.guess is None else Groups.of(self.table, self.n)

    def _of_groups(self, pair: Pair, box: Box, limits: Limits) -> Leaf | None:
        """The corner of the box with all others in groups, if that seems to be enough."""
        left = self.total - sum(box.lower)
        if self.groups is None or not self.groups.hopeful(pair, box.lower, left, limits.floats[-1]):
            return None
        wide = sum(low < up for low, up in zip(box.lower, box.upper, strict=True))
        draws = self.groups.draws(pair, left, wide, limits.most[-1] * DRAWN * self.closely)
        if draws is None:
            return None
        guess, hair = draws.group.guess, exp(-HAIR * float(self.closely))
        for eps, limit in limits.floats:
            self.count(CELL_WORK * guess.cells * len(draws.steps) / 6)
            deltas = [guess.log_delta((*box.lower, j - 1), draws.pair, eps) for j, _ in draws.steps]
            guess.forget()
            if draws.expected([exp(min(one, 0.0)) for one in deltas]) > exp(limit) * hair:
                return None
        return Leaf(pair, box, (Kind(Block(box.lower, 0, None), 1),), groups=draws)

    def choices(self, box: Box, pair: Pair) -> Iterator[list[tuple[Kind, ...]]]:
        """Blocks that dominate a box, short ones first."""
        places = (*range(len(box.lower)), None)
        for count in self.levels:
            if self.aligned and count == self.n:
                continue
            self.work += CHOICE_WORK * len(places) ** 2
            made = ((alike if self.aligned else spread_out)(self.table, self.n, box, count, place) for place in places)
            yield [kinds for kinds in made if kinds and all(self._affordable(one.block, count, pair) for one in kinds)]

    def weighed(self, kinds: tuple[Kind, ...], pair: Pair) -> tuple[Kind, ...]:
        """The same, with weights by which what is seen varies least: 1 / E L^2 of each kind."""
        if len(kinds) == 1:
            return kinds
        varies = [self.varies(kind.block, pair) for kind in kinds]
        least = min(varies)
        weights = (max(1, round(WEIGHTS * least / one)) if one < inf else 1 for one in varies)
        return tuple(kind._replace(weight=weight) for kind, weight in zip(kinds, weights, strict=True))

    def varies(self, block: Block, pair: Pair) -> float:
        """About E L^2 of a block, at eps = 0; above 0, and infinite where nothing is known."""
        if (block, pair) not in self.spreads:
            self.spreads[block, pair] = max(self.law(block, pair).square, 1e-300)
        return self.spreads[block, pair]

    def _few(self, block: Block, count: int, pair: Pair, most: int) -> bool:
        """Whether the law of a short block has at most so many terms, if it has as many users as most of these."""
        size = self.n // count
        if self.merges:
            return self.among(block, pair)[0].most(size, block.open) <= most
        return self.few[0].terms(size) <= most

    def _affordable(self, block: Block, count: int, pair: Pair) -> bool:
        if block.size == 1:
            return True
        if not self.wide:
            if self.merges:
                return self._few(block, count, pair, EXACT_TERMS)
            terms = 0 if self.plain or self.least >= TOLD else self.few[0].terms(self.n // count) * (block.open + 1)
            return block.size <= MOST_EXACT and terms <= OPEN_TERMS
        if (block.open > MOST_OPEN and block.size > LONG) or self.sized(block.size) is None:
            return False
        part = float(self.table.alike)
        drawn = min(block.open, 16 * (block.open * part * (1 - part)) ** 0.5) + 1
        spread = self._spread(block)
        area = float(prod((2 * self.far + 1) * spread[i, i] ** 0.5 + 16 for i in range(self.table.rank)))
        cells = min(area, prod(block.size * r + 1 for r in self.table.reach))
        most = MOST_TERMS if self.table.rank < 3 else SOLID_TERMS
        return bool(cells * (drawn if block.place is None else min(drawn, LUMPS)) <= most)

    @cached_property
    def _moments(self) -> tuple[list[Any], dict[int, Any]]:
        """Covariances of the classes' laws, and last of a user left open; means of the rows."""
        table = self.table
        spreads = [covariance(law) for law in table.bases]
        spreads.append(covariance(table.common) * float(table.alike) if table.common else 0 * spreads[0])
        return spreads, {x: mean(table.rows[x]) for pair in table.pairs for x in pair}

    def _spread(self, block: Block) -> Any:
        return sum(c * s for c, s in zip((*block.users, block.open), self._moments[0], strict=True))

    def normal(self, kinds: tuple[Kind, ...], pair: Pair, eps: float) -> float:
        """About what these blocks allow, by a normal approximation; 1 where it tells nothing."""
        if len(kinds) > 1 or kinds[0].block.size == 1 or (kinds[0].draws > 1 and not self.wide):
            varies = [self.varies(kind.block, pair) for kind in kinds]
            if not all(one < inf for one in varies):
                return 0.0  # nothing is known: it is looked at
            return normal(1 / sum(kind.draws / one for kind, one in zip(kinds, varies, strict=True)), eps)
        block, draws, _ = kinds[0]
        return self._normal(pair, eps, draws * self._spread(block)) if self.table.rank <= MOST_RANK else 1.0

    def of_all(self, pair: Pair, others: Composition, eps: float) -> float:
        """The same of all the others, of whom these are known, and the rest left open."""
        block = Block(others, self.total - sum(others), None)
        return self._normal(pair, eps, self._spread(block)) if self.table.rank <= MOST_RANK else 1.0

    def _normal(self, pair: Pair, eps: float, spread: Any) -> float:
        step = self._moments[1][pair[0]] - self._moments[1][pair[1]]
        try:
            square = float(step @ np.linalg.solve(spread, step))
        except np.linalg.LinAlgError:
            return 1.0
        return normal(square, eps) if square >= 0 else 1.0

    def of(self, kinds: tuple[Kind, ...], pair: Pair) -> BlockLaws:
        """The laws of blocks, in floats."""
        return BlockLaws([(self.law(kind.block, pair), kind.draws, kind.weight) for kind in kinds], RARE << self.finer)

    def law(self, block: Block, pair: Pair) -> BlockLaw:
        """The law of a block, in floats."""
        key, long = (block, pair), self.long(block)
        if key not in self.laws:
            self._make_room()
            _, short = self.among(block, pair)
            self.laws[key] = made = self._windowed(block, *pair) if long else short.law(block, *pair)
            self._made(key, len(made.s), CELL_WORK / 2 if long else SHORT_WORK * short.kinds)
        return self.laws[key]

    def long(self, block: Block) -> bool:
        """Whether the block's laws are windows."""
        return self.wide and block.size > 1

    def sized(self, users: int) -> Guess | None:
        """Guesses for blocks of so many users; None where there are too many cells."""
        if users not in self.guesses:
            solid = min(SOLID_TERMS // 3, MOST_WAVES // len(self.table.bases))
            most = MOST_TERMS if self.table.rank < 3 else solid
            fewest = max((size for level in self.levels if (size := self.n // level) < users), default=0)
            self.guesses[users] = Guess.of(self.table, users, most, fewest=fewest, far=self.far)
        return self.guesses[users]

    def _for_sums(self, users: int) -> Guess:
        """Guesses for sums of so many users, or a few more."""
        size = min(size for level in self.levels if (size := self.n // level) > users)
        guess = self.sized(size)
        assert guess is not None
        return guess

    def _windowed(self, block: Block, a: int, b: int) -> BlockLaw:
        parts: list[list[Any]] = [[], [], []]
        for one in slices(self.table, block, a, b):
            sent = self._sent(block, one.drawn)
            p, q = (sent.row(x, self.table.rows[x]) for x in (a, b))
            s = sent.row(placed(self.table, block, a, b), one.place)
            s = np.where(s > THINNEST * s.max(), s, 0)
            inside = (s > 0) | (p > THINNEST * p.max())
            likely, weight = float(one.weight * one.likelier), float(one.weight)
            for part, law, times in zip(parts, (p, q, s), (likely, likely, weight), strict=True):
                part.append(np.maximum(law[inside], 0) * times)
        return BlockLaw(*(np.concatenate(part) for part in parts))

    def _sent(self, block: Block, drawn: int) -> Sent:
        """What is known of the sum of all but one user of a block, with so many drawn."""
        key = block, drawn
        if key not in self.sent:
            before = self.sent.get((block, drawn - 1))
            users = [count - (x == block.place) for x, count in enumerate(block.users)]
            guess = self._for_sums(sum(users) + drawn)
            if self.table.rank > 2:  # most of its cells are outside the ball that is looked at
                self.count(CELL_WORK * guess.cells / 4)
            if (len(self.sent) + 1) * guess.cells > MOST_HELD:
                self.sent.clear()
            if before is not None and before.known.shape == guess.shape:
                self.sent[key] = before.plus(self.table.common)
            else:
                self.sent[key] = Sent(guess.summed((*users, drawn)), self.table.points)
        return self.sent[key]

    def cut(self, box: Box) -> tuple[int, int] | None:
        """Where a box is cut: (class x, the most others in x of the first part); None where it is too small."""
        if box not in self.cuts:
            self.cuts[box] = self._cut(box)
        return self.cuts[box]

    def _cut(self, box: Box) -> tuple[int, int] | None:
        """Not along the largest class: how many are in it follows from all others."""
        if box.one:
            return None
        wide = [up - low for low, up in zip(box.lower, box.upper, strict=True)]
        largest = max(range(len(wide)), key=lambda x: box.lower[x] + box.upper[x])
        x = max((x for x in range(len(wide)) if x != largest), key=wide.__getitem__)
        low, up = box.lower[x], box.upper[x]
        if self.guess is not None and self.guess.cells <= BOX_CELLS:
            return x, round_number(low, up)
        if not self.aligned:
            return (x, round_number(low, up)) if (up - low) * SMALLEST > self.n else None
        unit = min(level for level in self.levels if level * LONGEST >= self.n or level == self.levels[-1])
        for count in self.levels:
            at = (low + up + count) // (2 * count) * count
            if unit <= count and low < at <= up and min(at - low, up + 1 - at) * 4 > up - low:
                return x, at - 1
        return None

    # Proofs ----------------------------------------------------------------------------------------------------------

    def windows(self, about: Fraction, users: int) -> Windows:
        """Windows of blocks of so many users, for a delta of about this size: they may miss a little of it."""
        size = max(SHORTEST, -(-(bits_of(about) + WINDOW_BITS) // 8))
        sums = self.summed(size, users, 1 << max(0, 8 * size - bits_of(about * self.closely * THIN) - SPARED_BITS))
        if self.seen is None or self.seen.sums is not sums:
            self.seen = Windows(self.table, sums)
        return self.seen

    def summed(self, size: int, users: int, spare: int | None = None) -> Sums:
        """Sums of at most so many users, with weights of so many bytes, as `Sums.of` has them; others are let go."""
        key = size, users, spare or 0
        if key not in self.sums:
            self.sums.clear()
            self.sums[key] = Sums.of(self.table, size, users, spare)
        return self.sums[key]

    def views(self, counts: Sequence[int], about: Fraction) -> Views:
        """What is seen with these others, closely enough for a delta of about this size."""
        sums = self.summed(bytes_for(about * self.closely), self.n)
        size = len(sums.laws)
        before, law = sums.made, sums.sum((*counts, *[0] * size)[:size])
        made = Views(self.table, law, self.closely > CLOSEST)
        faint = sums.made - before if about < TOLD else 0  # of words most sums are known already
        self.work += max(FAINT_WORK * faint, SUM_WORK * law.cells.size) // SHORTEST
        self.evaluations += 1
        self.tick()
        return made

    def proof_work(self, leaves: Sequence[Leaf]) -> int:
        """About what `most` of these leaves takes, by the terms of their blocks and the places of values."""
        short = {(kind.block, leaf.pair) for leaf in leaves for kind in leaf.kinds if not self.long(kind.block)}
        made = TERM_WORK * sum(self.terms.get(one, 0) for one in short)
        return made + sum(self._proof_work(leaf, leaf.cuts) for leaf in leaves)

    def _proof_work(self, leaf: Leaf, cuts: Cuts | None) -> int:
        terms = PROOF_WORK * sum(self.terms.get((kind.block, leaf.pair), 0) for kind in leaf.kinds)
        return terms + (0 if cuts is None else (cuts.above + cuts.below) * isqrt(leaf.kinds[0].draws))

    def law_bytes(self, about: Fraction) -> int:
        """About how many bytes a dataset's law has, with tails so small that it tells a delta of this size.

        0 where there are no guesses.
        """
        wide = max(isqrt(2 * bits_of(about)) / REACH, 1.0) ** self.table.rank
        return 0 if self.guess is None else int(self.guess.cells * wide) * bytes_for(about)

    def faint_work(self, leaves: Sequence[Leaf], about: Fraction) -> int:
        """About what `most` takes for the laws of single blocks, of a delta that words do not tell; else 0."""
        alone = {leaf.counts for leaf in leaves if leaf.groups is None and leaf.cuts is None}
        size = self.law_bytes(about) if about < TOLD else 0
        return len(alone) * FAINT_WORK * size // SHORTEST * (LONG_SUM if size * LONG_SUM > KEPT_BYTES else 1)

    def most(self, leaves: Sequence[Leaf], eps: Sequence[Eps], about: Sequence[Fraction]) -> list[Fraction]:
        """What these leaves allow delta(eps_i) to be, at the most, in integers; `about` is about as large, eps rise."""
        high = [Fraction(0)] * len(eps)
        sizes = [one * self.closely for one in about]
        fine = [POWER_BITS + (0 if size > SMALL and self.closely > CLOSEST else bits_of(size)) for size in sizes]
        powers = [rounded_power(*one) for one in zip(eps, fine, strict=True)]
        asked = list(map(Asked, eps, powers, about))
        self.sent, self.guesses = {}, {}  # there is less room for both
        single: dict[Composition, list[Leaf]] = {}
        grouped: dict[int, list[Leaf]] = {}
        for leaf in sorted(leaves, key=lambda leaf: [(one.block.size, one.block.users) for one in leaf.kinds]):
            if leaf.groups is not None:
                grouped.setdefault(id(leaf.groups.group), []).append(leaf)
            elif leaf.cuts is None:
                single.setdefault(leaf.counts, []).append(leaf)
            else:
                high = self._of_blocks(leaf, asked, high)
        for some in grouped.values():
            for found in self._in_groups(some, powers, sizes):
                high = list(map(max, high, found))
        if self.seen is not None:  # nor is there for long blocks beside other laws
            self.seen, self.sums = None, {}
        for counts in sorted(single):
            some = single[counts]
            view = self.views(counts, min(about))
            for i, t in enumerate(powers):
                pairs = [leaf.pair for leaf in some]
                high[i] = max(high[i], view.above(pairs, t, sizes[i]) + some[0].missed)
            self.count(prod(view.law.shape) * len(powers) * view.law.size // SHORTEST)
        return [min(one, Fraction(1)) for one in high]

    def _of_blocks(self, leaf: Leaf, asked: Sequence[Asked], known: Sequence[Fraction]) -> list[Fraction]:
        """The larger of what is known at each eps and of what blocks allow, a bound that is convex in e^eps: others are
        not looked at between two eps where a chord shows that what is known is larger."""
        least, found, some = min(one.about for one in asked), dict[int, Fraction](), sorted({0, len(asked) - 1})

        def shown(i: int, j: int) -> bool:
            low, high = asked[i].power, asked[j].power
            between = [(asked[k].power, known[k] * (high - low)) for k in range(i + 1, j)]
            return low < high and all(found[i] * (high - t) + found[j] * (t - low) <= area for t, area in between)

        while some:
            found |= zip(some, self._allowed(leaf, [asked[i] for i in some], least, len(asked) > 1), strict=True)
            some = [(i + j) // 2 for i, j in pairwise(sorted(found)) if j - i > 1 and not shown(i, j)]
        return [max(one, found.get(i, one)) for i, one in enumerate(known)]

    def _allowed(self, leaf: Leaf, some: Sequence[Asked], least: Fraction, several: bool) -> list[Fraction]:
        """What a leaf's blocks allow at some eps, of several; the smallest delta is about `least`."""
        assert leaf.cuts is not None
        block, draws, _ = leaf.kinds[0]
        rounding = [self.again(leaf, one.eps, one.about) if several else leaf.cuts for one in some]
        both = list(zip(some, rounding, strict=True))
        asked = [(one.power, cuts, PLACED_BITS + bits_of(one.about) + leaf.lost_bits(cuts)) for one, cuts in both]
        if self.long(block):
            spare = THIN * least * self.closely
            windows = self.windows(least, block.size)
            before = windows.sums.made
            found = windows.allowed(block, draws, leaf.pair, asked, spare)
            self.work += CELL_WORK * (windows.sums.made - before) // SHORTEST
        else:
            seen = [(self.outcomes(kind.block, leaf.pair), kind.draws, kind.weight) for kind in leaf.kinds]
            found = [allowed(seen, *one) for one in asked]
        for cuts in rounding:
            self.count(self._proof_work(leaf, cuts))
        return found

    def _in_groups(
        self, leaves: Sequence[Leaf], powers: Sequence[Fraction], sizes: Sequence[Fraction]
    ) -> Iterator[list[Fraction]]:
        """What each of some leaves of one group allows, at every power of e."""
        sums: Sums | None = None
        for leaf in leaves:
            assert leaf.groups is not None
            table, found = leaf.groups.group.table, list[list[Fraction]]()
            sums = sums or Sums.of(table, bytes_for(min(sizes)), self.n)
            others, place = sums.sum((*leaf.box.lower, 0)), len(leaf.box.lower)
            for j, _ in leaf.groups.steps:
                law = others.plus(sums.power(place, j - 1), 0) if j > 1 else others
                view = Views(table, law, self.closely > CLOSEST)
                found.append([view.above([leaf.groups.pair], t, size) for t, size in zip(powers, sizes, strict=True)])
                self.count(GROUP_WORK * prod(view.law.shape) * len(powers) * view.law.size // SHORTEST)
            yield [min(leaf.groups.expected(deltas), Fraction(1)) for deltas in zip(*found, strict=True)]

    def again(self, leaf: Leaf, eps: Eps, about: Fraction) -> Cuts:
        """How values of a leaf's blocks are rounded at another eps."""
        return self.of(leaf.kinds, leaf.pair).cuts(as_float(eps), LITTLE * float(about), leaf.fine)

    def grid(self, leaf: Leaf, eps: Eps, bound: Fraction) -> Grid:
        """A grid on which the kernel finds that the leaf's blocks keep (eps, bound)."""
        return self.of(leaf.kinds, leaf.pair).grid(as_float(eps), float(bound))

    def tree(self, box: Box, leaves: Mapping[Box, Named]) -> Iterator[tuple[int, int] | Named]:
        """The cuts, as (class, the most users of it in the first part), and leaves of a cover, as boxes name them, in
        preorder."""
        if box in leaves:
            yield leaves[box]
            return
        cut = self.cut(box)
        assert cut is not None
        yield cut
        for part in box.parts(*cut, self.total):
            yield from self.tree(part, leaves)


def _near(times: int, n: int, unit: int) -> int:
    """A number near this one of which, times the unit, n is nearly a multiple."""
    some = range(max(1, int(times * ABOUT[0])), int(times * ABOUT[1]) + 1)[:TRIED]
    return min(some, key=lambda count: (n % (count * unit), -count))
