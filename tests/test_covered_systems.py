"""Systems whose worst is that of a small table, closed in by a cover where their own way takes long (Reduction.table).

What the cover says is compared with the system's own way, which looks at every dataset exactly and knows nothing of the
cover: `Reduction` without its table.
"""

from dataclasses import replace
from fractions import Fraction

import pytest

from shufflecert.protocols.fragmented_rappor import FragmentedRAPPOR
from shufflecert.protocols.rr import MOST_SCREENED, RR
from shufflecert.verify.bound.covered import Covered
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.decide.worst_case import delta, epsilon
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.reduce.reduction import worst_delta
from tests.asked import bound

USERS = MOST_SCREENED + 1
TOLERANCE = Fraction(1, 1000)


@pytest.mark.parametrize(("flip", "eps"), [("1/4", "0.015"), ("1/10", "0.02"), ("2/5", "1/200")])
@pytest.mark.long
def test_a_bit_of_many_users(flip, eps):
    """rr above the number of users up to which an eps is asked of every dataset: the exact value is in the interval."""
    system = RR(Fraction(flip))
    exact = worst_delta(replace(system.reach(USERS), table=None), Eps.of(eps)).value
    question = Question.of(system, USERS)
    found = Covered(question, Effort(), system.randomizer(), replace(system.reach(USERS), once=False), own=True).delta(
        Eps.of(eps)
    )
    assert found.scope.two_sided
    assert found.delta.low <= exact.low <= exact.high <= found.delta.high <= found.delta.low * (1 + TOLERANCE)
    low, high = epsilon(system, USERS, exact.low).interval
    assert low <= Fraction(eps) <= high <= low * (1 + TOLERANCE)


@pytest.mark.parametrize(("n", "eps"), [(2000, "1/10"), (USERS, "1/10"), (USERS + 20_000, "1")])
def test_delta_at_one_eps_stays_exact(n, eps):
    """30 digits, also where delta is far below what a double holds (a cover took a minute for 1e-5061 to 3 digits)."""
    found = delta(RR(Fraction(1, 4)), n, eps).delta
    assert 0 < (found.high - found.low) * 10**29 < found.low


@pytest.mark.parametrize(("flip", "power"), [("1/4", "11/10"), ("1/3", "1"), ("1/20", "2")])
@pytest.mark.sampled(2)
def test_two_columns(flip, power):
    """fragmented_rappor with two values: the largest over all pairs of its reduction, multiplied out exactly."""
    n, flip, power = 31, Fraction(flip), Fraction(power)
    system = FragmentedRAPPOR(2, flip)
    pairs = list(system.reduction(n))
    truth = max(divergence(pair, power) for pair in [*pairs[:: n // 8], *pairs[:3], *pairs[-3:]])
    found = bound(system, n, work=1).within(10**8).delta(Eps.log(power)).delta  # not enumerated
    assert truth <= found.high <= found.low * (1 + TOLERANCE)
    assert found.low <= max(divergence(pair, power) for pair in pairs)


def divergence(pair: Pair, power: Fraction) -> Fraction:
    """sum max(P - power Q, 0), by the sum itself."""
    total = sum(
        max(int(p) * power.denominator - int(q) * power.numerator, 0) for p, q in zip(pair.p, pair.q, strict=True)
    )
    return Fraction(total, int(pair.denominator) * power.denominator)


@pytest.mark.long
def test_composed_of_many_users():
    """Two runs of rr: the dots are those of one cover, and both ends are close."""
    low, high = prepare([Run(RR(Fraction(1, 4)), USERS, 2, "rr")]).epsilon("1e-6").interval
    assert 0 < low <= high <= low * Fraction(101, 100)
    one, _ = epsilon(RR(Fraction(1, 4)), USERS, "1e-6").interval
    assert low > one
