"""Systems whose table a cover closes in: where their own way takes long (Reduction.table), or leaves its ends apart.

What the cover says is compared with a system's own way, which looks at every dataset exactly and knows nothing of the
cover (`Reduction` without its table), or with the oracle of few users.
"""

import random
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest

from shufflecert.protocols.fragmented_rappor import FragmentedRAPPOR
from shufflecert.protocols.krr import KRR
from shufflecert.protocols.rappor import RAPPOR
from shufflecert.protocols.rr import MOST_SCREENED, RR
from shufflecert.protocols.unary_encoding import UnaryEncoding
from shufflecert.verify.bound.covered import Covered
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.bound.search import Search
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.decide.worst_case import delta, epsilon
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.reduce.reduction import worst_delta, worst_epsilon
from tests import oracle
from tests.asked import bound
from tests.reference import real
from tests.test_columns import tails

USERS = MOST_SCREENED + 1
TOLERANCE = Fraction(1, 1000)


def test_a_curve_of_a_bit_is_its_own_pairs_where_it_is_tiny():
    """All others on 1: the events "so many ones or more", by sums of binomials, are a lower bound there."""
    value, tiny = (
        Interval.of(v) for _, v in bound(RR(Fraction(1, 4)), USERS).curve([Eps.of("1/50"), Eps.of("1/4")]).points
    )
    assert 0 < value.low <= value.high <= value.low * (1 + 2 * TOLERANCE)
    with mpmath.workdps(60):
        most = max(tails(USERS, mpmath.mpf(1) / 4, count) for count in range(24_989, 24_992))
        assert 0 < most < mpmath.mpf(10) ** -100 and abs(real(tiny.low) / most - 1) < mpmath.mpf(10) ** -28
    assert tiny.relative_width < Fraction(1, 10**28)


@pytest.mark.parametrize(("flip", "eps"), [("1/4", "0.015"), ("1/10", "0.02"), ("2/5", "1/200")])
@pytest.mark.long
def test_a_bit_of_many_users(flip, eps):
    """rr above the number of users up to which an eps is asked of every dataset: the exact value is in the interval."""
    system = RR(Fraction(flip))
    exact = worst_delta(replace(system.reach(USERS), table=None), Eps.of(eps)).value
    question = Question.of(system, USERS)
    found = Covered(
        question, Effort(), system.randomizer(), replace(system.reach(USERS), once=False), own="slow"
    ).delta(Eps.of(eps))
    assert found.scope.two_sided
    assert found.delta.low <= exact.low <= exact.high <= found.delta.high <= found.delta.low * (1 + TOLERANCE)
    low, high = epsilon(system, USERS, exact.low).interval
    assert low <= Fraction(eps) <= high <= low * (1 + TOLERANCE)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.sampled(2)
def test_own_pairs_that_are_far_apart_and_a_cover(seed):
    """A cover beside a system's own pairs: what the oracle finds by all datasets is in the answer."""
    draw = random.Random(seed)
    n, flip = draw.choice([3, 4, 5]), Fraction(draw.randint(1, 9), 20)
    system = [RAPPOR(2, flip), KRR(3, flip), UnaryEncoding("log(3)", 2)][seed % 3]
    rows = {x: dict(law.items()) for x, law in system.randomizer().rows.items()}
    question, effort = Question.of(system, n), Effort(tolerance=Fraction(1, 10**5))
    own = Covered(question, effort, system.randomizer(), system.reach(n), own="quick")
    for power in (Fraction(1), Fraction(6, 5), Fraction(5, 2)):
        exact, found = oracle.delta(rows, n, power), own.delta(Eps.log(power)).delta
        assert found.low <= exact <= found.high
        if exact:
            low, high = own.epsilon(exact).interval
            least, most = map(Fraction, Eps.log(power).enclosure(20))
            assert low <= most and least <= high
            assert own.decided(Eps.log(power), exact / 2).verdict != "PROVED"
            assert own.decided(Eps.log(power), min(2 * exact, Fraction(1))).verdict != "REFUTED"


def test_a_name_is_answered_as_closely_as_its_table():
    """rappor by name was up to a third wider than its own table in a file: the blanket's end was all that was known."""
    system, bound = RAPPOR(2, Fraction(1, 10)), Fraction(1, 10**6)
    named, table = (epsilon(one, 10_000, bound) for one in (system, system.randomizer()))
    assert named.interval == table.interval and named.scope.two_sided
    low, high = named.interval
    alone = worst_epsilon(system.reach(10_000), bound)
    assert high < low * Fraction(1002, 1000) and alone[1] > low * Fraction(13, 10)
    short, wide = (prepare([Run(one, 10_000, 3)]) for one in (system, system.randomizer()))
    assert short.ones[0].bound.covers is not None and wide.ones[0].bound.covers is not None


def test_own_pairs_that_are_near_stay_alone(monkeypatch):
    """Nothing is covered where a system's own pairs are within a few per cent, or for a composition of such."""
    monkeypatch.setattr(Search, "cover", None)
    system = KRR(3, Fraction(1, 4))
    found = bound(system, 10_000)
    assert isinstance(found, Covered) and found.own == "quick"
    low, high = found.epsilon(Fraction(1, 10**6)).interval
    assert low < high < low * Fraction(103, 100)
    assert prepare([Run(system, 10_000, 3)]).ones[0].bound.covers is None


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
