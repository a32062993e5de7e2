"""The pure eps of systems seen together: the smallest eps with delta(eps) = 0, the sum of what each of them needs.

Lemma. Let (P_i, Q_i) be pairs of laws of independent outcomes, and e_i the largest of log P_i(y) / Q_i(y). The product
P of all P_i has delta(eps) = 0 against the product Q of all Q_i if and only if eps >= e_1 + ... + e_k.

Proof. delta(eps) = 0 says P(y) <= e^eps Q(y) for every y = (y_1, ..., y_k). The outcomes with P(y) > 0 are all
tuples of outcomes with P_i(y_i) > 0, so the largest of log P(y) / Q(y), a sum of a function of each y_i, is the sum of
the largest ones, infinite where one of them is. Where none is attained, "largest" is the supremum, and the same holds.

With e_i the worst over all pairs of neighbours of system i, no composition needs more, whether inputs are fixed or
chosen on seeing the runs before (the bound holds for each factor, given those before). The worst pair of each system,
in all of its runs, is itself a composition: one user holds one input for all runs of a system, and any in another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq

from shufflecert.verify.bound.question import Effort
from shufflecert.verify.decide.worst_case import WorstEpsilon, epsilon, scope_of
from shufflecert.verify.exact.epsilon import MAX_EPS, Eps
from shufflecert.verify.exact.neighbours import Scope
from shufflecert.verify.exact.randomizer import Randomizer, System
from shufflecert.verify.exact.rational import rational
from shufflecert.verify.reduce.group_privacy import shifts
from shufflecert.verify.reduce.reduction import known_reach, worst_epsilon

HERE = "verify/compose/pure_epsilon.py"
MOST_BITS = 10_000  # of e^eps of a system and its runs, where it is shown exactly


@dataclass(frozen=True)
class PureEpsilon:
    """The sum: exactly log `power`, or in `interval` (its high end None: no finite end is known), or, both None, none.

    `scopes` say of each system how its own pure eps was found.
    """

    power: Fraction | None
    interval: tuple[Fraction, Fraction | None] | None
    scopes: tuple[Scope, ...]

    @property
    def two_sided(self) -> bool:
        """Whether that of some system lies between real datasets and what dominates them."""
        return any(scope.two_sided for scope in self.scopes)

    @property
    def by(self) -> str:
        """How it was found, in words."""
        return "; ".join([f"pure eps adds up (proof in {HERE})", *(scope.by for scope in self.scopes)])


def pure_epsilon(
    runs: Sequence[tuple[Randomizer | System, int, int]], max_work: int | None = None, group: int = 1
) -> PureEpsilon | None:
    """The smallest eps with delta(eps) = 0 for (system, users, times) seen together, by the lemma above.

    For groups of users it is None where a system is not a count that others only shift. Raises as
    `verify.decide.worst_case.epsilon` does.
    """
    power, low, exact = fmpq(1), Fraction(0), True
    high: Fraction | None = Fraction(0)
    scopes = []
    for system, n, times in runs:
        found = epsilon(system, n, 0, effort=Effort(work=max_work)) if group == 1 else _of_groups(system, n, group)
        if found is None:
            return None
        scopes.append(found.scope)
        if found.eps is None and found.interval is None:
            return PureEpsilon(None, None, tuple(scopes))
        if found.eps is not None and found.eps.power is not None:
            of, shown = found.eps.power, found.eps.enclosure()
            exact = exact and times * (of.numerator * of.denominator).bit_length() <= MOST_BITS
            power *= fmpq(of.numerator, of.denominator) ** times if exact else 1
            ends: tuple[Fraction, Fraction | None] = (Fraction(shown[0]), Fraction(shown[1]))
        else:
            assert found.interval is not None
            exact, ends = False, found.interval
        low += times * ends[0]
        high = None if high is None or ends[1] is None else high + times * ends[1]
    exact = exact and low < MAX_EPS - 1
    return PureEpsilon(rational(power) if exact else None, None if exact else (low, high), tuple(scopes))


def _of_groups(system: Randomizer | System, n: int, group: int) -> WorstEpsilon | None:
    """The pure eps of groups in one run of a count, by the largest shift; None where the system is no such count."""
    reach = known_reach(system, n)
    moved = None if reach is None else shifts(reach, group)
    if moved is None:
        return None
    low, high, found = worst_epsilon(moved, Fraction(0))
    exact = Eps.of(0) if high == 0 else None
    return WorstEpsilon(exact, scope_of(moved, n, found), None if low is None else (low, high))
