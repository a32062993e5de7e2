"""Finite randomizers at any n: real datasets bound delta from below, the privacy blanket from above (BBGN Section 5).

With other users on inputs from a set H, c(y) = min over z in H of Pr[R(z) = y], y a user's multiset of messages,

    delta(eps) <= sum over y with c(y) = 0 of max(Pr[R(x) = y] - e^eps Pr[R(x') = y], 0) + E max(l . h, 0) / n,

l(y) = (Pr[R(x) = y] - e^eps Pr[R(x') = y]) / c(y), h the counts of n draws with probabilities c(y), and nothing else
(l = 0) otherwise: the lemma and its proof are in verify/CERTIFICATE.md, "Blocks". For H = {z} and one
message a user it is an equality, since then nothing is revealed. All inputs as H dominate all datasets.

Hints for a blanket certificate (`hints_for`): on which grid a checker finds what the blanket keeps. Values are split
between the multiples of a step, which adds n sum of w f (1 - f) step^2 to the variance of their sum, f the places
between two multiples; so among steps of about one size some are better than others. All hints are guesses: what a
certificate states does not depend on them.
"""

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from math import gcd, isqrt, lcm
from operator import itemgetter
from typing import Any

from flint import arb, fmpq

from shufflecert.verify.enclose.interval import Interval, ToDigits, smallest_eps
from shufflecert.verify.errors import BadInput, TooMuchWork, Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import Neighbourhood, changes
from shufflecert.verify.exact.randomizer import Messages, Randomizer
from shufflecert.verify.exact.rational import DIGITS, ball, decimal_above, dyadic, floor_of, precision, shorten, text
from shufflecert.verify.exact.views import symmetries, view_of
from shufflecert.verify.fourier.draws import Draws, Measure, Points
from shufflecert.verify.reduce.event import Event
from shufflecert.verify.reduce.multinomial_form import Category, Form, spread_positive_part
from shufflecert.verify.reduce.reduction import Family, Found, NamedPair, Reduction, Threshold, check_others

ROUGH, CLOSE = 4, 6  # digits: of a first look at every pair; of what lies between real datasets and a blanket anyway
MOST_BITS = 1 << 14  # of an e^eps that members are compared at
FAR_ABOVE = 16  # times a bound, from which on a delta that is above it needs no digits
LOOKED_AT = 60  # real datasets that are, of those that look worst
EVENT_WORK, FEWEST = 4_000, 4  # outputs of all datasets whose events are looked at; and at least so many datasets
MAX_WORK, ATTAINED_WORK = 40_000_000, 2_000_000  # weights that are compared, for all blankets; for real datasets
MAX_VALUES = 200_000  # of all different blankets together: each takes about a millisecond
WRITTEN = 6  # digits of an eps in words
Weights = Mapping[Messages, int]  # a row: multiset of messages -> weight, over one denominator for all
Shape = frozenset[tuple[tuple[int, int, int], int]]
SIZES = tuple((2 + i % 2) << (8 + i // 2) for i in range(17))  # cells that are tried: 512, 768, 1024, ..., 2^17
NEAR = 96  # steps of each size that are compared
STEEPEST = Fraction(600)  # logarithm of a tilt
ROOM = 2  # least logarithm of what a tilt takes away at the end of a grid
SPARE = Fraction(1, 1 << 20)  # relative room for what lies outside the cells
GRID_DIGITS = 4, 7  # of what a grid shows: first few, which mostly tell whether it is enough


@dataclass(frozen=True)
class Blanket(ToDigits):
    """A bound by the blanket: a form, and (p, q) of each message outside it, which adds max(p - e^eps q, 0)."""

    form: Form
    outside: tuple[tuple[Fraction, Fraction], ...] = ()

    def reversed(self) -> "Blanket":
        """The bound of (Q, P): a = p/c and b = q/c change places; what only Q sends is what is left of its mass."""
        back = [Category(c.b, c.a, c.w) for c in self.form.categories]
        alone = [(q, p) for p, q in self.outside if q]
        left = 1 - sum((c.w * c.a for c in back), Fraction(0)) - sum((q for q, _ in alone), Fraction(0))
        if left < 0:
            raise BadInput(f"a blanket's law of mass {shorten(1 - left)}: expected at most 1")
        return Blanket(Form.of(back, self.form.n), tuple(sorted([*alone, (left, Fraction(0))] if left else alone)))

    def enclosure(self, eps: Eps, digits: int, enough: Fraction = Fraction(0)) -> Interval:
        """An enclosure of the bound on delta(eps), to about so many digits; up to `enough` any upper bound will do."""
        value, (low, high) = self.form.value(eps, digits, enough=enough), eps.bounds(4 * digits + 128)
        return Interval(value.low + self.alone(high), value.high + self.alone(low))

    def alone(self, t: Fraction) -> Fraction:
        """What messages outside the blanket add at e^eps = t."""
        return sum((max(p - t * q, Fraction(0)) for p, q in self.outside), Fraction(0))

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0): on a message with q = 0, where no other user sends what has q > 0."""
        alone = sum((p for p, q in self.outside if not q), Fraction(0))
        shared = sum((c.a * c.w for c in self.form.categories if not c.b), Fraction(0))
        shown = sum((c.w for c in self.form.categories if c.b), Fraction(0))
        if not shared or shown == 1:
            return alone
        with precision(128):
            return alone + max(Fraction(0), floor_of(ball(shared) * ((self.form.n - 1) * ball(1 - shown).log()).exp()))

    @cached_property
    def _categories(self) -> list[tuple[fmpq, fmpq, fmpq]]:
        return [(_fmpq(c.w), _fmpq(c.a), _fmpq(c.b)) for c in self.form.categories]

    def rank(self, t: Fraction) -> fmpq:
        """A guess at which of two is larger, more than about either: what is outside, and the positive part of a single
        draw, or the spread of all if that is less.
        """
        power = _fmpq(t)
        values = [(w, a - power * b) for w, a, b in self._categories]
        square = sum((w * value**2 for w, value in values), fmpq(0))
        once = sum((w * value for w, value in values if value > 0), fmpq(0))
        spread = fmpq(isqrt(int((square * 2**80 / self.form.n).floor())), 2**40)
        return _fmpq(self.alone(t)) + min(once, spread)


@dataclass(frozen=True)
class Member:
    """A bound or an event, the datasets that it belongs to, and the bound by which it is ranked."""

    value: ToDigits
    named: NamedPair
    guide: Blanket


@dataclass(frozen=True)
class Blankets(Family):
    """A family of blankets or events, whose largest counts: of all, or of the `best` by a guess at which are large."""

    members: Sequence[Member]
    digits: int | None = CLOSE  # at most, if any
    best: int | None = None
    known: dict[Any, tuple[Fraction, Fraction | None, Found | None]] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )  # smallest eps found so far
    highs: dict[int, list[tuple[Fraction, Fraction]]] = field(
        init=False, default_factory=dict, compare=False, repr=False
    )  # of each member: rising e^eps, and upper bounds there

    @classmethod
    def of(cls, bounds: Iterable[tuple[Blanket, NamedPair]]) -> "Blankets":
        """The family of these bounds; which of them are evaluated closely is told by their own rough values."""
        return cls([Member(bound, named, bound) for bound, named in bounds])

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """The largest of the family at eps: all are enclosed roughly, then those that may be the largest closely."""
        members, digits = self._ranked(eps), min(digits, self.digits or digits)
        several = len(members) > 1 or bool(enough)
        first, worth = min(ROUGH, digits) if several else digits, enough
        rough = [Interval(Fraction(0), self._high(member, eps)) for member in members]
        for i in sorted(range(len(members)), key=lambda i: rough[i].high, reverse=True):
            if rough[i].high <= worth and several:
                break
            rough[i] = members[i].value.enclosure(eps, first, Fraction(several))
            self._keep(members[i], eps, rough[i].high)
            worth = max(worth, rough[i].low)
        for i, member in enumerate(members if several else ()):
            if not rough[i].low and rough[i].high > worth:  # nearly 0: no digits of that count
                rough[i] = member.value.enclosure(eps, first, worth)
        order = sorted(range(len(members)), key=lambda i: rough[i].high, reverse=True)
        least, most, found = Fraction(-1), Fraction(0), None
        about = 1 + Fraction(isinstance(members[0].value, Event) if members else 0, 10**ROUGH)  # near ones do below
        for i in order:
            if rough[i].high <= least * about:
                break
            value = rough[i]
            if value.relative_width * 10**digits > 1 and value.high > enough and several:
                value = members[i].value.enclosure(eps, digits, max(enough, least))
            most = max(most, value.high)
            if value.low > least:
                least, found = value.low, members[i].named
        return Interval(max(least, Fraction(0)), most), found, len(members)

    def _high(self, member: Member, eps: Eps) -> Fraction:
        """An upper bound on a blanket's bound by what is known of it at other eps: it falls in e^eps, and is convex."""
        known, t = self.highs.get(id(member), []), eps.bounds(64)[0]
        at = bisect_right(known, t, key=itemgetter(0))
        if not at:
            return Fraction(1)
        (low, most), *rest = known[at - 1 : at + 1]
        for high, least in rest:
            most += (least - most) * (t - low) / (high - low)
        return min(most, Fraction(1))

    def _keep(self, member: Member, eps: Eps, high: Fraction) -> None:
        """Keep what is found of a blanket; of an event nothing, whose thresholds differ from eps to eps."""
        if isinstance(member.value, Blanket):
            insort(self.highs.setdefault(id(member), []), (eps.bounds(64)[1], high))

    def smallest(
        self, bound: Fraction, within: Fraction | None = None
    ) -> tuple[Fraction, Fraction | None, Found | None]:
        """The smallest eps, as by `Family.smallest`: of one after the other, if it needs more than those before it."""
        if (bound, within) not in self.known:
            self.known[bound, within] = self._smallest(bound, within)
        return self.known[bound, within]

    def _smallest(self, bound: Fraction, within: Fraction | None) -> tuple[Fraction, Fraction | None, Found | None]:
        digits = DIGITS if self.digits is None else self.digits - 1
        low, high, named = Fraction(0), Fraction(0), None
        few = self if within is None else self.narrowed(Eps.of(within / 2))
        order = few.members if few is not self else self._in_order(bound)
        for member in order:
            curve = partial(self._near, member.value, bound)
            if curve(Eps.of(high)).high <= bound:
                continue
            least, most = smallest_eps(curve, bound, digits, within)
            if least > low or named is None:
                low, named = least, member.named
            if most is None:
                return low, None, Found(Interval(bound, bound), named, len(order))
            high = max(high, most)
        return low, high, None if named is None else Found(Interval(bound, bound), named, len(order))

    def _near(self, value: ToDigits, bound: Fraction, eps: Eps) -> Interval:
        """What encloses delta(eps), roughly where it is far from the bound."""
        rough = value.enclosure(eps, ROUGH, Fraction(1))
        if rough.high <= bound or rough.low > FAR_ABOVE * bound:
            return rough
        return value.enclosure(eps, min(DIGITS + 6, self.digits or DIGITS + 6), bound / (1 << 64))

    def _in_order(self, bound: Fraction) -> Sequence[Member]:
        """Those first that seem to need the largest eps; the `best`, if only so many are looked at."""
        if len(self.members) == 1:
            return self.members
        order, power, most = self._largest(Fraction(1)), Fraction(2), 1 << MOST_BITS
        while (now := self._largest(power))[0].guide.rank(power) > _fmpq(bound) and power < most:
            order, power = now, power**2
        return order[: self.best]

    def narrowed(self, eps: Eps) -> "Blankets":
        """Of a family that bounds delta from below by the `best` of its members, the few that are largest at eps."""
        if len(self.members) <= FEWEST or not isinstance(self.members[0].value, Event):
            return self
        found = [(member.value.enclosure(eps, ROUGH).low, i, member) for i, member in enumerate(self._ranked(eps))]
        largest = sorted(found, key=lambda one: (-one[0], one[1]))[:FEWEST]
        return replace(self, members=[member for *_, member in largest])

    def _ranked(self, eps: Eps) -> Sequence[Member]:
        if self.best is None or len(self.members) <= self.best:
            return self.members
        return self._largest(eps.bounds(64)[1])[: self.best]

    def _largest(self, t: Fraction) -> Sequence[Member]:
        """All, those first that look largest at e^eps = t."""
        return sorted(self.members, key=lambda member: member.guide.rank(t), reverse=True)

    def infinity_mass(self) -> Fraction:
        """A lower bound on the largest P(Q = 0)."""
        return max((member.value.infinity_mass() for member in self.members), default=Fraction(0))

    def hints(self, eps: Eps, bound: Fraction) -> Mapping[str, Any]:
        """Step, cells and tilt with which a grid keeps `bound`. Raises Undecided where even the finest does not."""
        t = eps.bounds(64)[0]
        guides = sorted((member.guide for member in self.members), key=lambda guide: guide.rank(t), reverse=True)
        return hints_for([(guide.form, guide.alone(t)) for guide in guides[:LOOKED_AT]], eps, bound)


def reach_of(randomizer: Randomizer, n: int, others: Mapping[str, int] | None = None) -> Reduction:
    """The reduction of any finite randomizer: real datasets below, the privacy blanket above; `others` {input: count}.

    Without `others`, real datasets are those whose others are all on one input. At most one message a user, all others
    on one input: the answer is exact, else an event's (verify/reduce/event.py). Raises BadInput
    for others that are no n - 1 inputs, and TooMuchWork for too many inputs and messages.
    """
    held = check_others(randomizer, n, others)
    table = Rows.of(randomizer, n)
    pairs = _pairs(randomizer, others is None)
    if len(pairs) * table.size > MAX_WORK:
        shown = f"{len(pairs)} pairs of inputs, {table.size} outputs each"
        raise TooMuchWork(f"{shown}: expected {MAX_WORK} outputs in all{_way_out(table)}")
    least = table.least(randomizer.inputs if others is None else held)
    shapes = table.shapes(pairs, least)
    if (values := sum(map(len, different := {*shapes.values()}))) > MAX_VALUES:
        shown = f"{len(different)} pairs of inputs that differ, {values} ratios"
        raise TooMuchWork(f"{shown}: expected {MAX_VALUES} in all{_way_out(table)}")
    guides = {pair: table.bound(shape) for pair, shape in shapes.items()}
    one_of = {shape: pair for pair, shape in shapes.items()}
    dominating = {bound: NamedPair(bound, *pair) for shape, pair in one_of.items() for bound in [table.bound(shape)]}
    compositions = [{z: n - 1} for z in randomizer.inputs] if others is None else [held]
    exact = table.single and all(len(composition) == 1 for composition in compositions)
    attained = table.attained(guides, compositions, exact)
    below, above = "all others on one input", "the blanket of BBGN Lemma 5.3, proof in verify/CERTIFICATE.md"
    if others is not None:
        below = "all others on one input: exact" if exact else "an event of these datasets"
        above = "the blanket of these others" if not exact else above
    if others is not None and exact:
        by = f"{below} ({above}, where nothing is revealed)"
        return Reduction(Blankets(attained, None), by, len(randomizer.inputs), datasets=_written(held))
    scope = "all" if others is None else _written(held)
    dominate = Blankets.of(dominating.items())
    by = f"{below} (below); {above} (above)"
    best = LOOKED_AT if exact else table.looked_at
    return Reduction(Blankets(attained, best=best), by, len(randomizer.inputs), dominate, datasets=scope)


def event_of(randomizer: Randomizer, x: str, y: str, others: Mapping[str, int]) -> Event:
    """The pair of datasets with a user on x (P) or y (Q) and these others, by its threshold events."""
    return Rows.of(randomizer, 1).event(x, y, others)


@dataclass(frozen=True)
class Rows:
    """A randomizer's rows as integers: rows[x][multiset of messages], sorted, over `unit`."""

    rows: Mapping[str, Weights]
    unit: int
    n: int
    known: dict[Shape, Blanket] = field(default_factory=dict, compare=False, repr=False)  # bounds made so far

    @classmethod
    def of(cls, randomizer: Randomizer, n: int) -> "Rows":
        """The table of a randomizer, for n users."""
        unit = lcm(*(int(law.denominator) for law in randomizer.rows.values()))
        rows: dict[str, Weights] = {}
        for x, law in randomizer.rows.items():
            row: Counter[Messages] = Counter()
            for sent, weight in law.weights.items():
                row[tuple(sorted(sent))] += int(weight) * (unit // int(law.denominator))
            rows[x] = row
        return cls(rows, unit, n)

    @property
    def single(self) -> bool:
        """Whether every output is at most one message: the view tells how many users sent what, or nothing."""
        return all(len(sent) <= 1 for row in self.rows.values() for sent in row)

    @property
    def size(self) -> int:
        """The mean number of outputs of a row."""
        return sum(map(len, self.rows.values())) // len(self.rows)

    def least(self, held: Iterable[str]) -> Weights:
        """c(y), the least weight over the inputs `held`, where it is above 0."""
        first, *others = (self.rows[z] for z in held)
        small = {sent: min([w, *(row.get(sent, 0) for row in others)]) for sent, w in first.items()}
        return {sent: w for sent, w in small.items() if w}

    def shape(self, x: str, y: str, least: Weights) -> Shape:
        """The (p, q, c) of what a user sends on x or y, in lowest terms, and how often they are there."""
        p_row, q_row = self.rows[x], self.rows[y]
        merged: Counter[tuple[int, int, int]] = Counter()
        for sent in p_row.keys() | q_row.keys():
            p, q, c = p_row.get(sent, 0), q_row.get(sent, 0), least.get(sent, 0)
            common = gcd(p, q, c)
            merged[p // common, q // common, c // common] += common
        return frozenset(merged.items())

    def shapes(self, pairs: Sequence[tuple[str, str]], least: Weights) -> dict[tuple[str, str], Shape]:
        """The shapes of many pairs, each found once for all pairs that have as many outputs of each (p, q, c)."""
        outputs = list({sent: None for row in self.rows.values() for sent in row})
        aligned = {x: [row.get(sent, 0) for sent in outputs] for x, row in self.rows.items()}
        c, known, found = [least.get(sent, 0) for sent in outputs], dict[Any, Shape](), dict[tuple[str, str], Shape]()
        for x, y in pairs:
            alike = frozenset(Counter(zip(aligned[x], aligned[y], c, strict=True)).items())
            if alike not in known:
                known[alike] = self.shape(x, y, least)
            found[x, y] = known[alike]
        return found

    def bound(self, shape: Shape) -> Blanket:
        """The lemma's bound, of a user on x against y and the others' blanket c."""
        if shape not in self.known:
            unit, zero = self.unit, Fraction(0)
            inside = [Category(Fraction(p, c), Fraction(q, c), Fraction(c * k, unit)) for (p, q, c), k in shape if c]
            inside.append(Category(zero, zero, 1 - sum((category.w for category in inside), zero)))
            outside = [(Fraction(p * k, unit), Fraction(q * k, unit)) for (p, q, c), k in shape if p and not c]
            self.known[shape] = Blanket(Form.of(inside, self.n), tuple(sorted(outside)))
        return self.known[shape]

    def event(self, x: str, y: str, others: Mapping[str, int]) -> Event:
        """The pair of datasets with a user on x or y and these others, by its threshold events."""
        rows = {z: {sent: Fraction(w, self.unit) for sent, w in self.rows[z].items()} for z in {x, y, *others}}
        return Event(rows[x], rows[y], tuple((rows[z], count) for z, count in others.items() if count))

    @property
    def looked_at(self) -> int:
        """How many datasets' events are looked at: fewer where each has many outputs. They bound delta from below."""
        return max(FEWEST, min(LOOKED_AT, EVENT_WORK // self.size))

    def attained(
        self, guides: Mapping[tuple[str, str], Blanket], compositions: Sequence[Mapping[str, int]], exact: bool
    ) -> list[Member]:
        """Real datasets with what they attain: of those inputs whose blankets look worst, where there are too many."""
        looked = max(1, ATTAINED_WORK // self.size) if exact else self.looked_at
        most = max(1, looked // len(compositions)) if exact else looked // len(compositions) + 1
        most = most if len(compositions) > 1 else len(guides)
        ranks = {id(guide): guide.rank(Fraction(1)) for guide in {id(one): one for one in guides.values()}.values()}
        ranked = sorted(guides, key=lambda pair: ranks[id(guides[pair])], reverse=True)
        members: dict[Any, Member] = {}
        shapes = [self.shapes(ranked[:most], self.least(others)) for others in compositions] if exact else []
        for x, y in ranked[:most]:
            for i, others in enumerate(compositions):
                key = shapes[i][x, y] if exact else (x, y, *others)
                if key in members:
                    continue
                value: ToDigits = self.bound(shapes[i][x, y]) if exact else self.event(x, y, others)
                guide = value if isinstance(value, Blanket) else guides[x, y]
                threshold = partial(_threshold, self, x, y, others)
                members[key] = Member(value, NamedPair(value, x, y, others, threshold), guide)
        return list(members.values())


def _way_out(table: Rows) -> str:
    """What is known of a randomizer whose table is too large, in words: its local eps, rounded up, bounds it."""
    least, most = dict[Messages, int](), Counter[Messages]()
    for row in table.rows.values():
        for sent, weight in row.items():
            most[sent], least[sent] = max(most[sent], weight), min(least.get(sent, weight), weight)
    seen = Counter(sent for row in table.rows.values() for sent in row)
    alike = "; one that treats all its inputs alike may be a system, of any size (`shufflecert systems`)"
    if any(times < len(table.rows) for times in seen.values()):
        return alike
    ratio = max((Fraction(most[sent], weight) for sent, weight in least.items()), default=Fraction(1))
    eps = decimal_above(Fraction(Eps.log(ratio).enclosure()[1]), WRITTEN)
    return f"; any_ldp -p eps0={eps}, its local eps, bounds it at any size{alike}"


def _fmpq(number: Fraction) -> fmpq:
    return fmpq(*number.as_integer_ratio())


def _threshold(table: Rows, x: str, y: str, others: Mapping[str, int], eps: Eps, bound: Fraction) -> Threshold:
    return table.event(x, y, others).threshold(eps, bound)


def _pairs(randomizer: Randomizer, orbits: bool) -> list[tuple[str, str]]:
    """Ordered pairs of rows of neighbours, one of each orbit of the symmetries, which leave the blanket as it is."""
    rows, view = tuple(randomizer.rows), view_of(randomizer)
    around = Neighbourhood(randomizer, view, 2, ())
    if orbits:
        around = replace(around, symmetries=tuple(symmetries(view)))
    return [(rows[x], rows[y]) for x, y in (around.pair_orbits if around.symmetries else changes(view))]


def _written(held: Mapping[str, int]) -> str:
    return "others " + ", ".join(f"{z}={count}" for z, count in held.items())


def hints_for(forms: Sequence[tuple[Form, Fraction]], eps: Eps, bound: Fraction) -> dict[str, Any]:
    """Find the coarsest grid with which the kernel can see that a blanket keeps `bound`: its cells, step and tilt.

    The fewest cells that show each form, plus a number (what messages outside the blanket add), to be at most `bound`.
    Raises Undecided where no grid of up to 2^17 cells does.
    """
    t = eps.bounds(96)[0]
    wanted = [(form, bound - alone) for form, alone in forms if max(form.coefficients(t), default=Fraction(0)) > 0]
    if not wanted:
        return {"step": "1", "cells": 16, "tilt": "3/2"}
    with precision(96):
        span, _ = _span([(form.points(t), form.n) for form, _ in wanted], bound)
        step, moved = _coarsest([partial(_grid, wanted, t, dyadic((span / cells).mid())) for cells in SIZES])
        span, slope = _span(moved, bound)  # a coarse grid spreads the sum
        used = int(dyadic((span / ball(step)).mid()) * 33 / 32) + 64
        leaning = min(dyadic((slope * ball(step)).mid()), STEEPEST)
        return {"step": text(step), "cells": used, "tilt": text(_short(dyadic(ball(leaning).exp().mid())))}


Grid = tuple[Fraction, list[tuple[Points, int]]]  # its step, and the forms on it


def _coarsest(grids: Sequence[Callable[[], Grid | None]]) -> Grid:
    """The first grid that is fine enough, finer ones being so as well, if not the first of all by bisection."""
    if (found := grids[0]()) is not None:
        return found
    if (found := grids[-1]()) is None:
        raise Undecided(f"no grid of up to {SIZES[-1]} cells shows that the blanket keeps delta")
    few, many = 0, len(grids) - 1
    while many - few > 1:
        if (finer := grids[middle := (few + many) // 2]()) is None:
            few = middle
        else:
            many, found = middle, finer
    return found


def _grid(wanted: Sequence[tuple[Form, Fraction]], t: Fraction, about: Fraction) -> Grid | None:
    """The grid with a step near this one, if it shows what is wanted of each form."""
    step = _step(wanted[0][0], t, about)
    moved = [(form.split(t, step), form.n, form.n * room * (1 - SPARE)) for form, room in wanted]
    if not all(_is_at_most(points, n, most) for points, n, most in moved):
        return None
    return step, [(points, n) for points, n, _ in moved]


def _is_at_most(points: Points, n: int, most: Fraction) -> bool:
    """Whether the mean positive part of n draws is seen to be at most so much."""
    for digits in GRID_DIGITS:
        low, high = spread_positive_part(points, n, digits)
        if high <= most or low > most:
            break
    return high <= most


def _span(laws: Sequence[tuple[Points, int]], bound: Fraction) -> tuple[arb, arb]:
    """How far a grid has to extend in all for the sums of n draws of each law, and the least slope."""
    reaches = [_reach(points, n, n * bound) for points, n in laws]
    below, above = (max((part[i] for part in reaches), key=dyadic) for i in range(2))
    return below + above, min((part[2] for part in reaches), key=dyadic)


def _reach(points: Points, n: int, worth: Fraction) -> tuple[arb, arb, arb]:
    """How far a grid has to extend, as (x, y, s): beyond these the sum c . h adds only a small part of `worth`.

    It is below -x or above y there, and s is the slope of the bound. Above y what there is adds at most y e^(-s y)
    M(s)^n, where s y is at least ROOM; below -x it is moved by at most the whole window.
    """
    draws, little = Draws([(Measure(points), n)]), (ball(worth) / (1 << 28)).log()
    start = 1 / draws.cumulants(arb(0))[2].sqrt()
    above = [((draws.log(s) - little + (10 / s).log() + 3) / s, s) for s in _slopes(start)]
    below = [((draws.log(-s) - little + (10 / s).log() + 3) / s, s) for s in _slopes(start)]
    ends = [(max(dyadic(y.mid()), ROOM / dyadic(s.mid())), dyadic(s.mid())) for y, s in above if y.is_finite()]
    starts = [dyadic(x.mid()) for x, _ in below if x.is_finite()]
    if not ends or not starts:
        raise Undecided("what the blanket's messages tell apart differs by too much for a grid")
    least, best = min(ends)
    return max(arb(0), ball(min(starts))), ball(least).mid(), ball(best)


def _slopes(start: arb) -> list[arb]:
    return [(start * arb(2) ** (arb(i) / 4)).mid() for i in range(-8, 30)]


def _step(form: Form, t: Fraction, step: Fraction) -> Fraction:
    """The step near this one, and not below, with the least added variance."""
    points = [(int(w * 2**60), int(c / step * 2**60)) for w, c in form.points(t)]

    def added(i: int) -> int:
        size, total = NEAR + i, 0
        for w, c in points:
            part = (c * NEAR // size) & ((1 << 60) - 1)
            total += w * (part * ((1 << 60) - part) >> 60)
        return total * size * size

    return _short(step * (NEAR + min(range(NEAR), key=added)) / NEAR)


def _short(number: Fraction) -> Fraction:
    """A positive number, a little rounded up, with few bits."""
    shift = number.denominator.bit_length() - number.numerator.bit_length() + 20
    scale = Fraction(2) ** shift
    return Fraction(int(number * scale) + 1) / scale
