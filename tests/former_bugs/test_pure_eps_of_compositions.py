"""`compose discrete_laplace -p q=3/5 --n 5 --times 2 --delta 0` ran for minutes at 1 GB: pure eps adds up."""

from fractions import Fraction

import pytest

from shufflecert.protocols.discrete_laplace import DiscreteLaplaceSum
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.compose.pure_epsilon import pure_epsilon
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from tests import oracle


def test_two_runs_of_discrete_laplace_need_twice_the_eps():
    """Noise of ratio q per step: log(1/q) for one run, by the definition; 2 log(5/3) for two."""
    found = prepare([Run(DiscreteLaplaceSum(Fraction(3, 5)), 5, 2)]).epsilon(0)
    low, high = found.interval
    true = tuple(map(Fraction, Eps.log(Fraction(25, 9)).enclosure()))
    assert low <= true[1] and true[0] <= high and high - low < Fraction(1, 10**12)


@pytest.mark.parametrize("times", [1, 2, 3])
def test_the_sum_against_products_written_out(times):
    """The largest ratio of the product of two different tables' views, all outcomes and datasets listed."""
    tables = [
        {"0": {("a",): Fraction(1, 3), ("b",): Fraction(2, 3)}, "1": {("a",): Fraction(3, 4), ("b",): Fraction(1, 4)}},
        {"0": {(): Fraction(1, 5), ("a",): Fraction(4, 5)}, "1": {(): Fraction(1, 2), ("a",): Fraction(1, 2)}},
    ]
    n, powers = 3, []
    for rows in tables:
        laws = {x: oracle.convolved_law(rows, list(x)) for x in _datasets(n)}
        around = [(laws[x], laws[y]) for x in laws for y in laws if _apart(x, y) == 1]
        powers.append(max(p[seen] / q[seen] for p, q in around for seen in p))
    found = pure_epsilon([(Randomizer.of(tables[0]), n, times), (Randomizer.of(tables[1]), n, 1)])
    assert found.power == powers[0] ** times * powers[1]


def test_no_finite_eps_where_one_system_has_none():
    gap = Randomizer.of({"0": {("a",): Fraction(1)}, "1": {("b",): Fraction(1)}})
    found = pure_epsilon([(DiscreteLaplaceSum(Fraction(1, 2)), 5, 1), (gap, 2, 1)])
    assert found.power is None and found.interval is None


def _apart(x, y):
    return sum(a != b for a, b in zip(x, y, strict=True))


def _datasets(n):
    return [()] if not n else [(x, *rest) for x in "01" for rest in _datasets(n - 1)]


@pytest.mark.parametrize("group", [2, 3])
def test_groups_of_users_of_a_count(group):
    """The same with `--group 2` ran on: two runs of noise of ratio 3/5, and a count that moves by `group`."""
    found = prepare([Run(DiscreteLaplaceSum(Fraction(3, 5)), 5, 2)], group=group).epsilon(0)
    low, high = found.interval
    true = tuple(map(Fraction, Eps.log(Fraction(5, 3) ** (2 * group)).enclosure()))
    assert low <= true[1] and true[0] <= high and high - low < Fraction(1, 10**12)
