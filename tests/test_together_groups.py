"""Groups of users of systems that are seen together, and systems with no user in common, against products of laws."""

from fractions import Fraction

import pytest
from mpmath import mp, workdps

from shufflecert.protocols.correlated import Correlated
from shufflecert.protocols.krr import KRR
from shufflecert.protocols.poisson import PoissonSum
from shufflecert.protocols.rr import RR
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.compose.composition import Run, apart, prepare
from shufflecert.verify.exact.epsilon import Eps
from tests.products import ends, holds, neighbours, rows_of, same
from tests.reference import real
from tests.test_together import STRANGER

# Groups ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "n", "k", "group"), [(RR("1/4"), 3, 2, 2), (KRR(3, "1/2"), 2, 1, 2), (STRANGER, 3, 1, 2)]
)
def test_enumerated_groups_are_exact(system, n, k, group):
    x = Fraction(2)
    truth = same(neighbours(rows_of(system), n, group), k, x)
    assert ends(prepare([Run(system, n, k)], group=group).delta(Eps.log(x)), x)[0] == truth


@pytest.mark.parametrize("group", [1, 2, 3])
def test_a_count_is_shifted_by_a_group(group, reduced_systems):
    x, system = Fraction(2), ZSum("2/5")
    found = prepare([Run(system, 3, 2)], group=group).delta(Eps.log(x))
    assert not found.two_sided
    assert holds(found, same(neighbours(rows_of(system), 3, group), 2, x), x)


@pytest.mark.parametrize(("system", "k"), [(KRR(3, "1/2"), 1), (RR("1/4"), 2)])
@pytest.mark.sampled(2)
def test_chains_of_neighbours_hold_groups(system, k, reduced_systems):
    for group, x in ((2, Fraction(3, 2)), (3, Fraction(8))):
        found = prepare([Run(system, 3, k)], group=group, points=12).delta(Eps.log(x))
        assert found.two_sided
        assert holds(found, same(neighbours(rows_of(system), 3, group), k, x), x)
        assert found.delta.low > same(neighbours(rows_of(system), 3), k, x) * Fraction(1, 2)


def test_a_group_of_users_without_a_randomizer():
    """Correlated noise: nothing is written out, so one user is attained and a chain is above."""
    system = Correlated("1/2", "5", "1/2")
    one, two = (prepare([Run(system, 10, 2)], group=group, digits=5).delta(1) for group in (1, 2))
    assert one.delta.low <= two.delta.low * (1 + Fraction(1, 10**3))
    assert two.delta.high > one.delta.high
    assert "chain of 2 users" in two.by


# Apart ----------------------------------------------------------------------------------------------------------------


def test_systems_with_no_user_in_common():
    runs = [Run(ZSum("1/3"), 2, 2, "zsum"), Run(RR("1/4"), 3, 1, "rr")]
    x = Fraction(3, 2)
    each = [same(neighbours(rows_of(run.system), run.n), run.times, x) for run in runs]
    found = apart([prepare([run]).delta(Eps.log(x)) for run in runs])
    assert ends(found, x)[0] == max(each)
    assert found.worst[0].name == runs[each.index(max(each))].name
    finite = [prepare([Run(RR("1/4"), n, k)]).epsilon("1/50") for n, k in ((3, 1), (2, 2))]
    assert apart(finite).power == max(one.power for one in finite)
    assert apart([*finite, prepare([runs[0]]).epsilon("1/50")]).power is None  # nothing keeps that


def test_apart_encloses_the_larger_of_what_is_enclosed():
    deltas = [prepare([Run(PoissonSum(lam), 10, 3)], digits=3).delta(1) for lam in ("20", "21")]
    found = apart(deltas).delta
    assert found.low == max(one.delta.low for one in deltas)
    assert found.high == max(one.delta.high for one in deltas)
    inexact, exact = prepare([Run(PoissonSum("30"), 10, 1)]).epsilon("1/10"), prepare([Run(RR("1/4"), 1, 1)]).epsilon(0)
    low, high = apart([inexact, exact]).interval
    assert exact.power == 3 and inexact.interval[1] < low <= high < low + Fraction(1, 10**9)
    with workdps(40):
        assert real(low) <= mp.log(3) <= real(high)
