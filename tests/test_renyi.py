"""Renyi divergences against exact sums over all datasets, closed forms and mpmath; rho against a fine scan."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given

from shufflecert.protocols.discrete_laplace import DiscreteLaplaceSum
from shufflecert.protocols.krr import KRR
from shufflecert.protocols.poisson import PoissonSum
from shufflecert.protocols.r_infinity import RInfinity
from shufflecert.protocols.rr import RR
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.errors import BadInput, TooMuchWork
from tests import oracle
from tests.asked import renyi_curve
from tests.helpers import engine, few, randomizers
from tests.reference import real

ORDERS = [Fraction(order) for order in ("9/8", "3/2", "2", "3", "7", "40")]


def divergence(P, Q, order):
    """log sum P^a Q^(1-a) / (a - 1) by mpmath; infinite where P > 0 = Q."""
    if any(p and not Q.get(y) for y, p in P.items()):
        return mpmath.inf
    terms = (real(p) ** real(order) * real(Q[y]) ** (1 - real(order)) for y, p in P.items() if p)
    return max(mpmath.log(mpmath.fsum(terms)) / (real(order) - 1), mpmath.mpf(0))


def holds(value, truth):
    """Whether an enclosure holds a number known to 60 digits, closely."""
    if value is None or truth == mpmath.inf:
        return value is None and truth == mpmath.inf
    low, high, off = real(value.low), real(value.high), mpmath.mpf(10) ** -50
    return low <= truth + off and truth - off <= high and high - low <= max(truth, off) * mpmath.mpf(10) ** -28


@pytest.mark.parametrize(
    ("tree", "n", "view"),
    [
        (oracle.rr("1/4"), 4, "shuffled"),
        (oracle.krr(3, "3/10"), 3, "shuffled"),
        (oracle.rappor(2, "1/4"), 2, "shuffled"),
        (oracle.krr(4, "1/2"), 1, "local"),
        (oracle.fragmented_rappor(2, "1/3"), 1, "preshuffle"),
        (oracle.zsum("1/2"), 3, "shuffled"),
        (oracle.r_gap(), 2, "shuffled"),
        (oracle.r_gap(), 1, "local"),
    ],
)
def test_the_largest_over_all_datasets(tree, n, view):
    found = renyi_curve(engine(tree), n, ORDERS, view)
    with mpmath.workdps(60):
        for order, value in found.points:
            pairs = oracle.pairs_of_laws(tree, n, view)
            assert holds(value, max(divergence(P, Q, order) for P, Q in pairs))
    assert (found.rho is None) == (found.points[0][1] is None)


@few
@given(randomizers())
def test_any_randomizer(tree):
    found = renyi_curve(engine(tree), 2, [Fraction(5, 2), Fraction(2)])
    assert [order for order, _ in found.points] == [Fraction(5, 2), Fraction(2)]
    with mpmath.workdps(60):
        for order, value in found.points:
            assert holds(value, max(divergence(P, Q, order) for P, Q in oracle.pairs_of_laws(tree, 2, "shuffled")))


@pytest.mark.parametrize("q", ["1/3", "9/10"])
@pytest.mark.parametrize("sensitivity", [1, 2, 5])
@pytest.mark.sampled(3)
def test_discrete_laplace_noise_against_its_sum(q, sensitivity):
    found = renyi_curve(DiscreteLaplaceSum(q=q, sensitivity=sensitivity), 10**6, ORDERS)
    with mpmath.workdps(60):
        rate = real(Fraction(q))
        top = int(150 / -mpmath.log10(rate))  # beyond, terms fall by the factor q; 10^-60 is far behind
        for order, value in found.points:
            a = real(order)
            reach = int((1 + a / (a - 1)) * 5) + top
            terms = (rate ** (a * abs(k) + (1 - a) * abs(k - sensitivity)) for k in range(-reach, reach))
            truth = mpmath.log((1 - rate) / (1 + rate) * mpmath.fsum(terms)) / (a - 1)
            assert holds(value, truth)
    assert found.scope.worst is not None and found.scope.n == 10**6


@pytest.mark.parametrize(
    ("system", "n"),
    [(ZSum(p="0.9"), 10), (ZSum(p="0.99"), 10**6), (PoissonSum(lam="40"), 10**6), (RR(flip=0), 3)],
)
def test_infinite_where_an_outcome_is_never_returned(system, n):
    # the count 0, or n + 1: only one of two neighbouring datasets shows it
    found = renyi_curve(system, n, ORDERS)
    assert found.points == tuple((order, None) for order in ORDERS) and found.rho is None
    assert found.scope.worst is not None


def test_nothing_leaks_nothing():
    found = renyi_curve(RInfinity(), 3, ORDERS)
    assert all(value.low == 0 and value.high < Fraction(1, 10**60) for _, value in found.points)
    assert found.rho.low == 0 and found.rho.high < Fraction(1, 10**60)


@pytest.mark.parametrize(("system", "n"), [(RR(flip="1/50"), 20_000), (KRR(k=10, gamma="1/5"), 10**4)])
def test_where_nothing_is_certified_that_is_said(system, n):
    with pytest.raises(BadInput, match="nothing is certified"):
        renyi_curve(system, n, ORDERS)


@pytest.mark.parametrize("order", ["1", "1/2", "-2", "1000001"])
def test_orders_are_above_one(order):
    with pytest.raises(BadInput, match="order"):
        renyi_curve(RR(flip="1/4"), 2, [Fraction(order)])


def test_too_much_work_is_refused_with_the_estimate():
    with pytest.raises(TooMuchWork, match=r"orders would take \d+ units.*--max-work"):
        renyi_curve(RR(flip="1/4"), 200, ORDERS, work=10**6)


WIDTH = (
    mpmath.mpf(15) / 14
)  # a chord from order 2 to 3 is off by at most 1/4 of c where the curve is c a (a - 1) >= 15/4 c


def log_moment(p, q, a):
    """Of randomized response, truth p and lie q, seen locally."""
    return mpmath.log(p**a * q ** (1 - a) + q**a * p ** (1 - a))


@pytest.mark.parametrize("flip", ["1/4", "1/100", "49/100"])
@pytest.mark.parametrize("orders", [ORDERS, [Fraction(2)]])
@pytest.mark.sampled(2)
def test_rho_of_randomized_response(flip, orders):
    found = renyi_curve(RR(flip=flip), 1, orders, "local").rho
    q = mpmath.mpf(real(Fraction(flip)))
    with mpmath.workdps(40):
        scan = [1 + mpmath.mpf(10) ** (mpmath.mpf(i) / 100 - 6) for i in range(1200)]
        seen = max(log_moment(1 - q, q, a) / (a * (a - 1)) for a in scan)
        assert real(found.low) <= seen * (1 + mpmath.mpf(10) ** -3) and seen <= real(found.high)
        assert real(found.high) <= real(found.low) * WIDTH


@pytest.mark.parametrize(("q", "sensitivity", "far"), [("1/3", 1, 60), ("9/10", 3, 400)])
def test_rho_of_discrete_laplace_noise(q, sensitivity, far):
    found = renyi_curve(DiscreteLaplaceSum(q=q, sensitivity=sensitivity), 5, [Fraction(2)]).rho
    with mpmath.workdps(40):
        rate = real(Fraction(q))
        seen = mpmath.mpf(0)
        for i in range(40):
            a = 1 + mpmath.mpf(10) ** (mpmath.mpf(i) / 8 - 3)
            terms = (rate ** (a * abs(k) + (1 - a) * abs(k - sensitivity)) for k in range(-far, far))
            seen = max(seen, mpmath.log((1 - rate) / (1 + rate) * mpmath.fsum(terms)) / (a * (a - 1)))
        assert seen <= real(found.high) <= real(found.low) * WIDTH
        assert real(found.low) <= seen * mpmath.mpf("1.01")  # steps of a third in the order, next to the top


def test_rho_may_lie_beyond_all_orders():
    """An outcome of probability e^-M = 10^-9, e^L = 101/100 times what it is on another input: largest near 2 M / L."""
    rare, ratio = Fraction(1, 10**9), Fraction(101, 100)
    rows = {x: {("a",): 1 - p, ("b",): p} for x, p in (("0", rare), ("1", rare / ratio), ("2", rare / ratio))}
    found = renyi_curve(engine(rows), 1, [Fraction(2)], "local").rho
    with mpmath.workdps(60):
        seen = max(
            divergence({"a": 1 - rare, "b": rare}, {"a": 1 - rare / ratio, "b": rare / ratio}, Fraction(order)) / order
            for order in range(1000, 8000, 100)
        )
        assert real(found.low) < seen / 100 and seen <= real(found.high)
