"""Blocks of users: a pair that dominates all datasets with so many others of each class, whatever is sent.

Let n users stand in N blocks of b = n / N users each, and let every block but the one of the user who changes have
k_x users of each class x and u users of whom nothing is known, sum of k + u = b. The user who changes takes the place
of one of these. Let f_x be the row of class x, g(y) = min over x of f_x(y) what all classes send alike, w its mass.

Lemma. Let S be the law of (the sum of what a block sends, how many of its u users are *drawn*), where each of the k_x
users sends by f_x and each of the u users is drawn with probability w and then sends by g/w, and else sends nothing;
let P' and Q' be the same with the user on a and on b in his place (if it is that of one of the u users, he is drawn).
For every dataset whose others have at least N k_x users of each class x (less the one whose place is taken), delta(eps)
is at most the delta of one draw from P' or Q' among N - 1 draws from S, shuffled.

Proof. Each of the N u users who are left over, whatever his input, sends by g/w with probability w, else by what his
row has more. Give all of them to the blocks at random, and show who is in which block, who was drawn, and what the
others sent who were not: then what is seen is a function of more, and the ones who were not drawn are a uniformly
random set of that many of these users, whatever the rest. So all of it can be made from the shuffled draws of P' (or
Q') and S, which show how many were drawn in each block. Users beyond N b are dropped: who sees less can add them. What
is known to all (the monomials by which inputs of a class differ) may be moved from any block to any other.

The bound. All N - 1 others have one law, so that the likelihood ratio is linear in the counts, and the lemma of the
blanket (verify/CERTIFICATE.md, "What a blanket proves") is an equality, with c = S:

    delta = sum over z with S(z) = 0 of max(P'(z) - t Q'(z), 0) + E max(v(Z_1) + ... + v(Z_N), 0) / N,  t = e^eps,

v = (P' - t Q') / S, Z_i ~ S. For a composition of users of one class nothing is lost by showing the blocks, and
else the less, the larger they are: log P'/Q' is then nearly linear in what a block sends in all.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import prod
from typing import NamedTuple

from flint import Ordering, fmpz_mpoly, fmpz_mpoly_ctx, fmpz_poly

from verify.exact.views import View, common_of, without
from verify.reduce.compositions import Total

KEPT = 1 << 19  # terms of blocks' laws that are kept for later


class Block(NamedTuple):
    """What a block is made of: users of each class, users left open, and whose place is taken (a class, or None)."""

    users: tuple[int, ...]
    open: int
    place: int | None

    @property
    def size(self) -> int:
        """The number of its users."""
        return sum(self.users) + self.open

    def draws(self, others: Sequence[int], n: int) -> int:
        """How many such blocks n users have for sure, of whose others at least so many are in each class."""
        there = [count + (x == self.place) for x, count in enumerate(others)]
        return min([n // self.size, *(have // used for have, used in zip(there, self.users, strict=True) if used)])


class Seen(NamedTuple):
    """What may be seen of a block, each with its weight by P', Q' and S, over `unit`."""

    p: list[int]
    q: list[int]
    s: list[int]
    unit: int


class Cuts(NamedTuple):
    """How values are rounded: the step, the places below 0 and above, and what part of S is seen hardly ever."""

    step: Fraction
    below: int
    above: int
    rare: int


@dataclass
class Blocks:
    """The laws of blocks of a randomizer's users, exactly, as polynomials over integers."""

    view: View
    totals: dict[tuple[tuple[int, ...], int], fmpz_mpoly] = field(default_factory=dict)
    held: int = 0

    @cached_property
    def ring(self) -> fmpz_mpoly_ctx:
        """Polynomials in the messages that are counted, and in one more variable for users who are drawn."""
        return fmpz_mpoly_ctx.get([f"z{i}" for i in self.view.kept] + ["drawn"], Ordering.lex)

    def _in_ring(self, polynomial: fmpz_mpoly, drawn: int = 0) -> fmpz_mpoly:
        size = len(self.view.kept)
        return self.ring.from_dict({(*at[:size], drawn): weight for at, weight in polynomial.to_dict().items()})

    @cached_property
    def rows(self) -> tuple[fmpz_mpoly, ...]:
        """The generating polynomial of each input's row."""
        return tuple(self._in_ring(row) for row in self.view.polynomials)

    @cached_property
    def known(self) -> tuple[Counter[int], ...]:
        """For each input the messages that it is sure to send and that count as known, as {index of message: count}.

        The rows of a class, without them, are one. Numbers that follow from others are left to follow in one way for
        all classes, where that can be: so more of what classes send is alike.
        """
        lows = [common_of(row) for row in self.view.rows[: self.view.held]]
        for i, (constant, slopes) in self.view.implied.items():
            least = [constant + sum(slope * low[j] for j, slope in slopes.items()) for low in lows]
            left = max(value - low[i] for value, low in zip(least, lows, strict=True))
            moved = [value - left for value in least]
            if all(m.denominator == 1 and 0 <= m <= low[i] for m, low in zip(moved, lows, strict=True)):
                lows = [Counter({**low, i: int(m)}) for m, low in zip(moved, lows, strict=True)]
        return tuple(+low for low in lows)

    @cached_property
    def laws(self) -> tuple[fmpz_mpoly, ...]:
        """The generating polynomials of users of each class, and last that of a user left open."""
        view, size = self.view, len(self.view.kept)
        first, *more = bases = [without(view.rows[group[0]], self.known[group[0]]) for group in view.classes]
        alike = {sent: w for sent in first if (w := min([first[sent], *(base.get(sent, 0) for base in more)]))}
        terms = {(*at[:size], 1): int(w) for at, w in view.polynomial(alike).to_dict().items()}
        if silent := view.denominator - sum(alike.values()):
            terms[(0,) * (size + 1)] = silent
        return (*(self._in_ring(view.polynomial(base)) for base in bases), self.ring.from_dict(terms))

    def taken(self, block: Block, a: int, b: int) -> int | None:
        """The input whose user's place the one who changes from a to b takes; None where that is left open."""
        if block.place is None:
            return None
        group = self.view.classes[block.place]
        return next(x for x in (a, b, *group) if x in group)

    def total(self, users: Sequence[int], open_: int) -> fmpz_mpoly:
        """The generating polynomial of what so many users of each class, and users left open, send."""
        key = (tuple(users), open_)
        if key not in self.totals:
            made = prod(
                (law**count for law, count in zip(self.laws, (*users, open_), strict=True) if count),
                start=self.ring.constant(1),
            )
            if self.held > KEPT:
                self.totals.clear()
                self.held = 0
            self.totals[key] = made
            self.held += len(made)
        return self.totals[key]

    def seen(self, block: Block, a: int, b: int) -> Seen:
        """All that may be seen of the block where the user who changes is on a or b, and its weights."""
        others, open_ = list(block.users), block.open
        place = block.place
        if place is None:
            open_ -= 1
        else:
            others[place] -= 1
        size = len(self.view.kept)
        held = self.taken(block, a, b)
        move = tuple(self.known[a if held is None else held][i] for i in self.view.kept)
        rest = self.total(others, open_) * self.ring.from_dict({(*(0,) * size, int(place is None)): 1})
        whole = self.total(block.users, block.open) * self.ring.from_dict({(*move, 0): 1})
        p, q, s = (law.to_dict() for law in (rest * self.rows[a], rest * self.rows[b], whole))
        seen = list(p.keys() | q.keys())
        listed = [[int(law.get(at, 0)) for at in seen] for law in (p, q, s)]
        return Seen(listed[0], listed[1], listed[2], int(self.view.denominator) ** block.size)


def allowed(seen: Seen, draws: int, t: Fraction, cuts: Cuts, bits: int) -> Fraction:
    """An upper bound on the bound of the lemma, for `draws` blocks in all and any t <= e^eps.

    Values are split between two multiples of a step, so that their mean stays and E max(., 0) can only grow. What is
    far below 0 is raised; what is far above, or hardly ever sent by S, counts as if S never sent it.
    """
    top, bottom = t.numerator, t.denominator
    step, scale = cuts.step, 1 << bits
    law: Counter[int] = Counter()
    outside, kept = 0, 0
    for p, q, s in zip(*seen[:3], strict=True):
        excess = p * bottom - q * top
        if s * cuts.rare < seen.unit:
            outside += max(excess, 0)
            continue
        place, rest = divmod(excess * step.denominator, whole := s * bottom * step.numerator)
        if place >= cuts.above:
            outside += max(excess, 0)
            continue
        kept += s
        if place < -cuts.below:
            place, rest = -cuts.below, 0
        weight = s * scale
        upper = weight * rest // (whole * seen.unit)
        law[place + 1] += upper
        law[place] += weight * (whole - rest) // (whole * seen.unit)
    law[0] += (seen.unit - kept) * scale // seen.unit
    return Fraction(outside, seen.unit * bottom) + mean_above(law, draws, bits) * step


def mean_above(law: Mapping[int, int], draws: int, bits: int) -> Fraction:
    """An upper bound on E max(Z_1 + ... + Z_N, 0) / N for N draws of a law from below, weights in units of 2^-bits.

    The sum of all draws is a window from below, and what it misses may be as large as can be.
    """
    first, last = min(law), max(law)
    one = Total(first, fmpz_poly([law.get(i, 0) for i in range(first, last + 1)]), bits)
    total = one
    for digit in bin(draws)[3:]:
        total = total.plus(total)
        total = total.plus(one) if digit == "1" else total
    positive = sum((i * w for i, w in enumerate(map(int, total.low.coeffs()), total.first) if i > 0), 0)
    return (Fraction(positive, draws) + total.missing * max(0, last)) / (1 << bits)
