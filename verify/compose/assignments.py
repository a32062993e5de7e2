"""Compositions as assignments: one component of its system for each run; which there are, their cost, the largest.

An assignment gives each run of several systems one of the system's components (verify/compose/components.py); runs in
another order are the same assignment.

Of many assignments each delta(eps) is bounded from above first (`Rough`), in integers of 64 bits, to leave out those
that are smaller. A weight is m 2^-e, m at most 2^30, rounded up for P and down for Q: a product of a few loses about
2^-26 of it. The outcomes of a pair's copies that differ in their order only are one. In the sum p and t q are over
2^60, t q cut at 2: P's mass is little above 1.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache, partial, reduce
from itertools import combinations_with_replacement, pairwise, product
from math import comb, factorial, prod
from typing import Any

from flint import fmpq, fmpz

from shufflecert.verify.compose.accountant import FEW, compose_parts
from shufflecert.verify.compose.components import Component
from shufflecert.verify.enclose.interval import Interval, largest
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.rational import rational
from shufflecert.verify.pairs.lattice import nth_power
from shufflecert.verify.pairs.lattice_guess import about_delta, epsilon_about
from shufflecert.verify.pairs.windowed import POINTS_AT, AtomsAt, ProductPair, halves
from shufflecert.verify.progress import Progress
from shufflecert.verify.runs.later import Later

EXACT = 100_000  # outcomes, up to order, of all assignments that are written out
ROUGH = (2, 4, 6)  # digits, of looks before the last
FEW_GUESSED = 16  # assignments whose answer is guessed
MANY = 64  # assignments of which each is bounded roughly first
ATOM = 150  # units of `Neighbourhood.work` that a lattice takes for each, a first look
np: Any = Later("numpy")
SHARP, BITS, UNIT = 128, 30, 60  # of what is rounded; of a weight; of a sum
LONGEST, MOST, KEPT = 16, 1 << 16, 1 << 22  # pairs of a product; its outcomes; those of all that are kept
Weights = tuple[Any, Any]  # m and e, each an array
Laws = tuple[Weights, Weights]  # of P from above, of Q from below


@dataclass(frozen=True, eq=False)
class Assignment:
    """One composition: which component each run has, as (index of the system, component, number of runs)."""

    members: tuple[tuple[int, Component, int], ...]

    @property
    def parts(self) -> list[tuple[AtomsAt, int]]:
        """All pairs of laws that are composed, each with how many times it comes."""
        return [(part, copies) for _, side, copies in self.members for part in side.parts]

    @cached_property
    def halves(self) -> tuple[ProductPair, ProductPair]:
        """Two products of pairs, the product of which the composition is."""
        copies: dict[AtomsAt, int] = {}
        for part, count in self.parts:
            copies[part] = copies.get(part, 0) + count
        return halves(list(copies.items()))

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0) of the composition."""
        others = (nth_power(1 - side.infinity_mass(), copies, True) for _, side, copies in self.members)
        return 1 - prod((m * Fraction(2) ** e for m, e in others), start=Fraction(1))

    def work(self) -> int:
        """The estimated work of a first rough evaluation, in the unit of `Neighbourhood.work`."""
        atoms = [(len(part.atoms(POINTS_AT).p[0]), copies) for part, copies in self.parts]
        halves = [prod(comb(size + n - 1, n) for size, copies in atoms if (n := (copies + up) // 2)) for up in (0, 1)]
        return 100 + (sum(halves) if max(halves) <= FEW else ATOM * sum(size for size, _ in atoms))

    def outcomes(self) -> int | None:
        """The number of outcomes of the composition, up to order; None where it is not exact."""
        sizes = [(side.exact, copies) for _, side, copies in self.members]
        return prod(comb(len(pair.p) + n - 1, n) for pair, n in sizes if pair) if all(p for p, _ in sizes) else None

    def written_out(self) -> Pair:
        """The composition as one exact pair: an outcome for each multiset of outcomes."""
        return reduce(Pair.times, (_power(side.exact, copies) for _, side, copies in self.members if side.exact))


def assignments(
    sides: Sequence[Sequence[Component]], times: Sequence[int], same: Sequence[bool]
) -> Iterator[Assignment]:
    """All assignments: every choice of a component for each run, of `sides[i]` for the `times[i]` runs of system i.

    Where `same[i]`, all runs of system i have the same one.
    """
    choices = [list(_choices(i, *own)) for i, own in enumerate(zip(sides, times, same, strict=True))]
    for chosen in product(*choices):
        yield Assignment(tuple(member for members in chosen for member in members))


def how_many(sides: Sequence[Sequence[Component]], times: Sequence[int], same: Sequence[bool]) -> int:
    """The number of assignments, without listing them."""
    kinds = zip(sides, times, same, strict=True)
    return prod(len(own) if one else comb(len(own) + n - 1, n) for own, n, one in kinds)


def _choices(
    i: int, sides: Sequence[Component], times: int, same: bool
) -> Iterator[tuple[tuple[int, Component, int], ...]]:
    if same:
        yield from (((i, side, times),) for side in sides)
        return
    for cuts in combinations_with_replacement(range(times + 1), len(sides) - 1):
        counts = [b - a for a, b in pairwise((0, *cuts, times))]
        yield tuple((i, side, count) for side, count in zip(sides, counts, strict=True) if count)


class Looked:
    """What assignments had at eps that were asked before: upper bounds at all larger eps, since none rises with eps."""

    def __init__(self) -> None:
        self.highs: dict[Assignment, list[tuple[Fraction, Fraction]]] = {}

    def above(self, listed: Sequence[Assignment], eps: Eps) -> list[Fraction]:
        """An upper bound on the delta(eps) of each assignment."""
        low, known = Fraction(eps.enclosure()[0]), [self.highs.get(one, ()) for one in listed]
        return [min((high for at, high in some if at <= low), default=Fraction(1)) for some in known]

    def add(self, found: Iterable[tuple[Interval, Assignment]], eps: Eps) -> None:
        """Keep upper bounds on what assignments have at an eps."""
        at = Fraction(eps.enclosure()[1])
        for value, one in found:
            self.highs.setdefault(one, []).append((at, value.high))


def largest_of(
    listed: Sequence[Assignment],
    eps: Eps,
    digits: int,
    progress: Progress | None = None,
    bound: Fraction | None = None,
    seen: Callable[[Fraction, Fraction | None], object] | None = None,
    looked: Looked | None = None,
) -> tuple[Interval, Assignment]:
    """The largest delta(eps) of some assignments, and one that is about as large: ever more closely enclosed.

    With `bound`, to few digits where these show that it is not within a factor of two of that. `seen` is told of the
    enclosure so far. Those are left out that are smaller for sure, by what was `looked` at before as well.
    """
    enough, looked = (bound or Fraction(0)) / 2, looked or Looked()
    found = [(Interval(Fraction(0), high), one) for high, one in zip(looked.above(listed, eps), listed, strict=True)]
    if len(found) > MANY:
        rough, (_, worst) = Rough(eps), max(found, key=lambda one: one[0].high)
        least = compose_parts(worst.parts, eps, ROUGH[0], enough).low  # of the one that was the largest when looked at
        near = [(known, one) for known, one in found if known.high >= least]
        found = [(known.meet(Interval(Fraction(0), rough.above(one.parts))), one) for known, one in near]
        looked.add(found, eps)
    if 1 < len(found) <= FEW_GUESSED:  # the largest first: of others it is then enough to know that they are no larger
        found.sort(key=lambda one: about_delta(one[1].parts, eps), reverse=True)
    for step in (*(rough for rough in ROUGH if rough < digits), digits):
        if len(found) == 1 and step < digits and (bound is None or step > ROUGH[0]):
            continue
        found.sort(key=lambda one: one[0].high, reverse=True)
        walk, closer, least = progress(found, len(found)) if progress else found, [], Fraction(0)
        for known, one in walk:
            if known.high >= least:
                value = known.meet(compose_parts(one.parts, eps, step, max(enough, least)))  # closer or not
                least = max(least, value.low)
                closer.append((value, one))
        looked.add(closer, eps)
        most = max(value.high for value, _ in closer)
        found = [(value, one) for value, one in closer if value.high >= least]
        if seen is not None:
            seen(least, most)
        if bound is not None and (2 * most <= bound or least > 2 * bound):
            break
        if all(value.relative_width * 10**digits <= 1 for value, _ in found):
            break
    return largest([value for value, _ in found]), max(found, key=lambda one: one[0].low)[1]


def near_all(
    listed: Sequence[Assignment], bound: Fraction, looked: Looked | None = None
) -> tuple[Fraction, Fraction] | None:
    """About the smallest eps of some assignments, and how fast log delta falls there; None where there is no guess.

    Of many, where it is kept what was `looked` at, the largest ones at the guess of some are asked again.
    """
    again = looked if len(listed) > MANY else None
    near = _near(listed[:FEW_GUESSED] if again is None else listed[:: len(listed) // MANY], bound)
    if again is None or near is None:
        return near
    at = Eps.of(near[0])
    largest_of(listed, at, ROUGH[0], bound=bound, looked=again)
    highs = dict(zip(listed, again.above(listed, at), strict=True))
    return max(near, _near(sorted(listed, key=highs.__getitem__)[-FEW_GUESSED:], bound) or near)


def _near(listed: Sequence[Assignment], bound: Fraction) -> tuple[Fraction, Fraction] | None:
    return max((about for one in listed if (about := epsilon_about(one.parts, bound))), default=None)


# Written out ---------------------------------------------------------------------------------------------------------


def few(listed: Sequence[Assignment]) -> bool:
    """Whether all assignments are exact and have at most EXACT outcomes in all."""
    sizes = [assignment.outcomes() for assignment in listed]
    return all(size is not None for size in sizes) and sum(size or 0 for size in sizes) <= EXACT


def exact_delta(listed: Sequence[Assignment], eps: Eps) -> tuple[Delta, Assignment]:
    """The largest delta(eps) = A - B e^eps of exact assignments, decided exactly, and the one that attains it.

    Raises Undecided as `Delta` does.
    """
    values = [(assignment.written_out().delta(eps), assignment) for assignment in listed]
    return reduce(lambda one, two: two if one[0] < two[0] else one, values)


def exact_epsilon(listed: Sequence[Assignment], bound: Fraction) -> tuple[Fraction | None, Assignment]:
    """The smallest e^eps >= 1 with delta(eps) <= bound for all exact assignments; None where there is none."""
    power, worst = fmpq(1), listed[0]
    for assignment in listed:
        pair = assignment.written_out()
        if not pair.within(power, bound):
            reached = pair.epsilon_power(bound, power)
            if reached is None:
                return None, assignment
            power, worst = reached, assignment if reached > power else worst
    return rational(power), worst


def _power(pair: Pair, copies: int) -> Pair:
    """The product of an exact pair with itself: every multiset of so many outcomes, times the number of its orders."""
    found = [(1, 0, 0, fmpz(1), fmpz(1))]  # orders, the last outcome, how often it stands last, weights
    for length in range(1, copies + 1):
        grown = []
        for orders, last, often, p, q in found:
            for i in range(last, len(pair.p)):
                again = often + 1 if i == last else 1
                grown.append((orders * length // again, i, again, p * pair.p[i], q * pair.q[i]))
        found = grown
    laws = ([orders * w[k] for orders, _, _, *w in found] for k in (0, 1))
    return Pair(next(laws), next(laws), pair.denominator**copies)


@dataclass
class Rough:
    """Bounds at one eps; `laws` are those of products that others begin with."""

    eps: Eps
    laws: dict[tuple[tuple[AtomsAt, int], ...], Laws] = field(default_factory=dict)
    outside: dict[AtomsAt, Fraction] = field(default_factory=dict)
    held: int = 0

    def above(self, parts: Sequence[tuple[AtomsAt, int]]) -> Fraction:
        """An upper bound on the delta(eps) of a product, each pair taken so many times; 1 where outcomes are many."""
        if sum(copies for _, copies in parts) > LONGEST:
            return Fraction(1)
        sizes = [len(self._law(((pair, 1),))[0][0]) for pair, _ in parts]
        if prod(comb(size + copies - 1, copies) for size, (_, copies) in zip(sizes, parts, strict=True)) > MOST:
            return Fraction(1)
        (p, e), (q, f) = self._law(tuple(parts))
        power = self.eps.bounds(2 * BITS)[0]
        less = BITS - int(power).bit_length()
        top = int(power * Fraction(2) ** less)
        excess = _fixed(p, e, True) - _fixed(q * top, f + less, False)
        total = int(excess[excess > 0].sum())
        missed = sum((copies * self.outside[pair] for pair, copies in parts), Fraction(0))
        return min(Fraction(total, 1 << UNIT) + missed, Fraction(1))

    def _law(self, parts: tuple[tuple[AtomsAt, int], ...]) -> Laws:
        if parts not in self.laws:
            if self.held > KEPT:
                self.laws, self.held = {}, 0
            (*first, (pair, copies)) = parts
            if first:
                found = _joined(self._law(tuple(first)), self._law(((pair, copies),)))
            else:
                found = self._rounded(pair) if copies == 1 else _copied(self._law(((pair, 1),)), copies)
            self.laws[parts] = found
            self.held += len(found[0][0])
        return self.laws[parts]

    def _rounded(self, pair: AtomsAt) -> Laws:
        atoms = pair.atoms(SHARP)
        self.outside[pair] = Fraction(int(atoms.outside[0]), 1 << SHARP)
        return _weights(atoms.p[1], SHARP, True), _weights(atoms.q[0], SHARP, False)


def _weights(numbers: Sequence[Any], bits: int, up: bool) -> Weights:
    """Numbers over 2^bits, rounded."""
    whole = [int(number) for number in numbers]
    less = [number.bit_length() - BITS for number in whole]
    short = [w << -by if by < 0 else -(-w >> by) if up else w >> by for w, by in zip(whole, less, strict=True)]
    return np.array(short, np.int64), bits - np.array(less, np.int64)


def _times(one: Weights, two: Weights, up: bool) -> Weights:
    more = (1 << BITS) - 1 if up else 0
    return one[0] * two[0] + more >> BITS, one[1] + two[1] - BITS


def _joined(one: Laws, two: Laws) -> Laws:
    p, q = (
        _times((m[:, None], e[:, None]), other, up) for (m, e), other, up in zip(one, two, (True, False), strict=True)
    )
    return (p[0].ravel(), p[1].ravel()), (q[0].ravel(), q[1].ravel())


def _copied(laws: Laws, copies: int) -> Laws:
    """Of all copies of a pair: each multiset of its outcomes, times the number of its orders."""
    places, orders = _multisets(len(laws[0][0]), copies)
    p, q = (
        reduce(partial(_times, up=up), [many, *((m[at], e[at]) for at in places)])
        for (m, e), many, up in zip(laws, orders, (True, False), strict=True)
    )
    return p, q


@lru_cache(maxsize=4)
def _multisets(size: int, copies: int) -> tuple[Any, Laws]:
    """The multisets of so many of `size` outcomes, an array for each copy, and the numbers of their orders."""
    places = np.array(list(combinations_with_replacement(range(size), copies)), np.int64).reshape(-1, copies).T
    orders, run = np.full(places.shape[1], factorial(copies), np.int64), np.ones(places.shape[1], np.int64)
    for before, at in pairwise(places):
        run = np.where(before == at, run + 1, 1)
        orders //= run
    return places, (_weights(orders, 0, True), _weights(orders, 0, False))


def _fixed(m: Any, e: Any, up: bool) -> Any:
    """m 2^-e over 2^UNIT, rounded, at most 2."""
    by = np.clip(e - UNIT, -UNIT - 1, UNIT + 2)
    right, left = np.maximum(by, 0), np.maximum(-by, 0)
    some = (m + ((1 << right) - 1 if up else 0)) >> right
    return np.where(some > (1 << UNIT + 1) >> left, 1 << UNIT + 1, some << left)
