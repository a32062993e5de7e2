"""Compositions as assignments: one component of its system for each run; which there are, their cost, the largest.

An assignment gives each run of several systems one of the system's components (verify/compose/components.py); runs in
another order are the same assignment.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, reduce
from itertools import combinations_with_replacement, pairwise, product
from math import comb, prod

from flint import fmpq, fmpz

from shufflecert.verify.compose.accountant import FEW, compose_parts
from shufflecert.verify.compose.components import Component
from shufflecert.verify.compose.rough import Rough
from shufflecert.verify.enclose.interval import Interval, largest
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.rational import rational
from shufflecert.verify.pairs.lattice import nth_power
from shufflecert.verify.pairs.lattice_guess import about_delta, epsilon_about
from shufflecert.verify.pairs.windowed import POINTS_AT, AtomsAt, ProductPair, halves
from shufflecert.verify.progress import Progress

EXACT = 100_000  # outcomes, up to order, of all assignments that are written out
ROUGH = (2, 4, 6)  # digits, of looks before the last
FEW_GUESSED = 16  # assignments whose answer is guessed
MANY = 64  # assignments of which each is bounded roughly first
ATOM = 150  # units of `Neighbourhood.work` that a lattice takes for each, a first look


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
