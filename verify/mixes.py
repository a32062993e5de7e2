"""Compositions of sides, one or several of each system: which there are, what they cost, the largest of them.

A mix holds, for each run of several systems, one of the system's sides; runs in another order are the same mix.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, pairwise, product
from math import comb, prod
from typing import Any

from flint import fmpq, fmpz

from verify.compose import EFFORT, FEW, compose_parts
from verify.divergence import Pair
from verify.enclosure import Enclosure, largest
from verify.number import Delta, Eps, rational
from verify.sides import BITS, Side
from verify.window import AtomsAt

EXACT = 100_000  # outcomes, up to order, of all mixes that are written out
ROUGH = (2, 4, 6)  # digits, of looks before the last
ATOM = 150  # units of `Neighbourhood.work` that the sum along the line takes for each, a first look
Walk = Callable[[Iterable[Any], int], Iterable[Any]]


@dataclass(frozen=True, eq=False)
class Mix:
    """(which system, a side of it, in how many runs)."""

    members: tuple[tuple[int, Side, int], ...]

    @property
    def parts(self) -> list[tuple[AtomsAt, int]]:
        return [(part, copies) for _, side, copies in self.members for part in side.parts]

    def never_returns(self) -> Fraction:
        """A lower bound on P(Q = 0)."""
        return 1 - prod(((1 - side.never_returns()) ** copies for _, side, copies in self.members), start=Fraction(1))

    def work(self) -> int:
        """In units of `Neighbourhood.work`, about: of a first look."""
        atoms = [(len(part.atoms(BITS).p[0]), copies) for part, copies in self.parts]
        halves = [prod(comb(size + n - 1, n) for size, copies in atoms if (n := (copies + up) // 2)) for up in (0, 1)]
        return 100 + (sum(halves) if max(halves) <= FEW else ATOM * sum(size for size, _ in atoms))

    def outcomes(self) -> int | None:
        """Of the composition, up to order; None where it is not exact."""
        sizes = [(side.exact, copies) for _, side, copies in self.members]
        return prod(comb(len(pair.p) + n - 1, n) for pair, n in sizes if pair) if all(p for p, _ in sizes) else None

    def written_out(self) -> Pair:
        """The exact pair of the composition: an outcome for each multiset of outcomes."""
        return reduce(_times, (_power(side.exact, copies) for _, side, copies in self.members if side.exact))


def mixes(sides: Sequence[Sequence[Side]], times: Sequence[int], same: Sequence[bool]) -> Iterator[Mix]:
    """Every choice of a side for each run, of `sides[i]` for the `times[i]` runs of system i; the `same[i]` for all."""
    choices = [list(_choices(i, *own)) for i, own in enumerate(zip(sides, times, same, strict=True))]
    for chosen in product(*choices):
        yield Mix(tuple(member for members in chosen for member in members))


def how_many(sides: Sequence[Sequence[Side]], times: Sequence[int], same: Sequence[bool]) -> int:
    kinds = zip(sides, times, same, strict=True)
    return prod(len(own) if one else comb(len(own) + n - 1, n) for own, n, one in kinds)


def _choices(i: int, sides: Sequence[Side], times: int, same: bool) -> Iterator[tuple[tuple[int, Side, int], ...]]:
    if same:
        yield from (((i, side, times),) for side in sides)
        return
    for cuts in combinations_with_replacement(range(times + 1), len(sides) - 1):
        counts = [b - a for a, b in pairwise((0, *cuts, times))]
        yield tuple((i, side, count) for side, count in zip(sides, counts, strict=True) if count)


def largest_of(
    listed: Sequence[Mix],
    eps: Eps,
    digits: int,
    effort: int = EFFORT,
    progress: Walk | None = None,
    bound: Fraction | None = None,
) -> tuple[Enclosure, Mix]:
    """(the largest delta(eps) of some mixes, one that is about as large): those that may be it, ever more closely.

    With `bound`, to few digits where these show that it is not within a factor of two of that.
    """
    found = [(Enclosure(Fraction(0), Fraction(1)), mix) for mix in listed]
    for step in (*(rough for rough in ROUGH if rough < digits), digits):
        if len(found) == 1 and step < digits and (bound is None or step > ROUGH[0]):
            continue
        walk = progress(found, len(found)) if progress else found
        found = [(_both(known, compose_parts(mix.parts, eps, step, effort)), mix) for known, mix in walk]
        least, most = max(value.low for value, _ in found), max(value.high for value, _ in found)
        found = [(value, mix) for value, mix in found if value.high >= least]
        if bound is not None and (2 * most <= bound or least > 2 * bound):
            break
        if all(value.relative_width * 10**digits <= 1 for value, _ in found):
            break
    return largest([value for value, _ in found]), max(found, key=lambda one: one[0].low)[1]


def _both(one: Enclosure, two: Enclosure) -> Enclosure:
    """More digits asked for are not always more digits."""
    return Enclosure(max(one.low, two.low), min(one.high, two.high))


# Written out ---------------------------------------------------------------------------------------------------------


def few(listed: Sequence[Mix]) -> bool:
    """Whether all are exact, and have EXACT outcomes together."""
    sizes = [mix.outcomes() for mix in listed]
    return all(size is not None for size in sizes) and sum(size or 0 for size in sizes) <= EXACT


def exact_delta(listed: Sequence[Mix], eps: Eps) -> tuple[Delta, Mix]:
    """The largest delta(eps) = A - B e^eps, decided exactly. Raises Undecided as `Delta` does."""
    values = [(mix.written_out().delta(eps), mix) for mix in listed]
    return reduce(lambda one, two: two if one[0] < two[0] else one, values)


def exact_epsilon(listed: Sequence[Mix], bound: Fraction) -> tuple[Fraction | None, Mix]:
    """The smallest e^eps >= 1 with delta(eps) <= bound for all of them; None where there is none."""
    power, worst = fmpq(1), listed[0]
    for mix in listed:
        pair = mix.written_out()
        if not pair.within(power, bound):
            reached = pair.epsilon_power(bound, power)
            if reached is None:
                return None, mix
            power, worst = reached, mix if reached > power else worst
    return rational(power), worst


def _power(pair: Pair, copies: int) -> Pair:
    """Every multiset of so many of the pair's outcomes, with the number of its orders as a factor."""
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


def _times(one: Pair, two: Pair) -> Pair:
    p, q = ([a * b for a in x for b in y] for x, y in ((one.p, two.p), (one.q, two.q)))
    return Pair(p, q, one.denominator * two.denominator)
