"""Blocks that dominate a box of compositions (verify/bound/block.py): all alike, or so that every user is in one."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import NamedTuple

from shufflecert.verify.bound.block import Block, Cuts, Kind
from shufflecert.verify.bound.groups import Draws
from shufflecert.verify.bound.table import Box, Composition, Pair, Table

FEWEST, RAREST = 512, 200  # parts: of all users, of a class that is spread out; of all blocks, of a kind
FINES = (10.0, 40.0)  # steps in a single draw's standard deviation


class Leaf(NamedTuple):
    """A pair of inputs, a box, and blocks that dominate it.

    Of several blocks values are rounded by `cuts` at the last eps, by as `fine` a step at others. Of a single one at
    least `drawn` of the users left open send what is common, but for a probability of `missed`; or they are in groups.
    """

    pair: Pair
    box: Box
    kinds: tuple[Kind, ...]
    cuts: Cuts | None = None
    drawn: int = 0
    missed: Fraction = Fraction(0)
    groups: Draws | None = None
    fine: float = FINES[-1]

    @property
    def counts(self) -> Composition:
        """Of a single block: how many users of each class there are, and last of those who send what is common."""
        return (*self.kinds[0].block.users, self.drawn)

    def lost_bits(self, cuts: Cuts) -> int:
        """About how many bits the sum of all blocks' values loses: as many as it has terms, and as the largest has."""
        draws, whole = sum(kind.draws for kind in self.kinds), sum(kind.draws * kind.weight for kind in self.kinds)
        return int(draws**2 * cuts.above * cuts.step / whole).bit_length()


def alike(table: Table, n: int, box: Box, count: int, place: int | None) -> tuple[Kind, ...]:
    """So many blocks of one kind, that is the same for boxes that are near."""
    size = n // count
    users = [(least + (x == place)) // count for x, least in enumerate(box.lower)]
    if sum(users) > size:
        users[users.index(max(users))] -= sum(users) - size
    block = Block(tuple(users), size - sum(users), place)
    there = block.open and table.common if place is None else users[place]
    return (Kind(block, block.draws(box.lower, n)),) if there else ()


def spread_out(table: Table, n: int, box: Box, count: int, place: int | None) -> tuple[Kind, ...]:
    """About so many blocks, over which all users are spread as evenly as can be.

    The users of each class, and those left open, who do not make one more in every block follow each other round.
    """
    most, free = n // count, n - sum(box.lower)
    have = [*box.lower, free if place is None else free - 1]
    if place is not None:
        have[place] += 1
    if not table.common:
        have[-1] = 0
    taken = len(box.lower) if place is None else place
    count = min(count, have[taken])
    if not count:
        return ()
    base, rest = zip(*(divmod(each, count) for each in have), strict=True)
    ends, start = list[tuple[int, int, int]](), 0
    for x in sorted(range(len(rest)), key=lambda x: -rest[x]):
        if rest[x] * FEWEST < n:
            continue
        for low, up in ((start, min(start + rest[x], count)), (0, start + rest[x] - count)):
            if low < up:
                ends.append((low, up, x))
        start = (start + rest[x]) % count
    starts = sorted({0, count, *(low for low, _, _ in ends), *(up for _, up, _ in ends)})
    kinds: dict[Block, int] = {}
    for low, up in pairwise(starts):
        if (up - low) * RAREST < count:
            continue
        users = [each + sum(a <= low < b and x == y for a, b, y in ends) for x, each in enumerate(base)]
        block = Block(*_fewer(users, taken, most + 1), place)
        kinds[block] = kinds.get(block, 0) + up - low
    return tuple(Kind(block, draws) for block, draws in kinds.items())


def _fewer(users: Sequence[int], taken: int, most: int) -> tuple[tuple[int, ...], int]:
    """Of these users of each class, and of those left open, at most so many in all: the largest classes lose some.

    The class whose place is taken may keep one more.
    """
    *there, open_ = users if sum(users) <= most else _lowered(users, taken, most)
    return tuple(there), open_


def _lowered(users: Sequence[int], taken: int, most: int) -> list[int]:
    """The same where they are more than so many."""
    levels, rest, level = [have - (x == taken) for x, have in enumerate(users)], sum(users), 0
    order = sorted(range(len(users)), key=levels.__getitem__, reverse=True)
    for lowered, x in enumerate(order, 1):  # so many lose some, if the next has no more
        rest -= users[x]
        level = (most - rest - (taken in order[:lowered])) // lowered
        if lowered == len(order) or levels[order[lowered]] <= level:
            break
    some = [min(have, level + (x == taken)) for x, have in enumerate(users)]
    for x in [x for x, have in enumerate(users) if have > some[x]][: most - sum(some)]:
        some[x] += 1
    return some
