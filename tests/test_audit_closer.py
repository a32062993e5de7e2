"""Audits of tables of which more than one number matters: boxes and blocks beside the blanket, within what is said."""

from fractions import Fraction

import pytest

from shufflecert.verify.audit import audit as auditing
from shufflecert.verify.audit.audit import audit, foreseen
from shufflecert.verify.bound import choose
from shufflecert.verify.bound.closed_form import ClosedForm
from shufflecert.verify.bound.question import TOLERANCE, Effort
from shufflecert.verify.decide.worst_case import delta, epsilon
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce.privacy_blanket import reach_of
from shufflecert.verify.reduce.reduction import worst_delta, worst_epsilon
from tests.random_tables import rank_three

PLANE = {
    "0": {("a",): Fraction(1, 2), ("b",): Fraction(1, 3), ("c",): Fraction(1, 6)},
    "1": {("a",): Fraction(1, 4), ("b",): Fraction(1, 2), ("c",): Fraction(1, 4)},
}


@pytest.mark.parametrize(("rows", "n"), [(PLANE, 24), pytest.param(rank_three(3, 2), 7, marks=pytest.mark.long)])
def test_many_users_are_closed_in_on_beside_the_blanket(rows, n, monkeypatch):
    """Against the enumeration of all datasets, which the audit is kept from; closer than the blanket in the plane."""
    randomizer, bound, eps = Randomizer.of(rows), Fraction(1, 100), [Eps.of(0), Eps.of("1/5")]
    smallest = Fraction(epsilon(randomizer, n, bound, effort=Effort(work=10**9)).eps.enclosure()[0])
    exact = [delta(randomizer, n, at, effort=Effort(work=10**9)).delta for at in eps]
    monkeypatch.setattr(choose, "PATIENT", 1)
    plain = worst_epsilon(reach_of(randomizer, n), bound)[:2]
    found = audit(randomizer, [1], eps, bound, large=n).large
    low, high = found.epsilon.interval
    assert low <= smallest <= high <= plain[1]
    assert plain[0] <= low or high <= low * (1 + TOLERANCE)
    assert rows is not PLANE or high < plain[1]
    for at, true, value in zip(eps, exact, (one.delta for one in found.deltas), strict=True):
        assert true.minus(value.low).sign() >= 0 >= true.minus(value.high).sign()
        assert value.high <= worst_delta(reach_of(randomizer, n), at).value.high


def test_what_boxes_may_take_is_foreseen(monkeypatch):
    randomizer = Randomizer.of(PLANE)
    assert foreseen(randomizer, [1], 1).seconds > auditing.SECONDS and "blocks of users" in str(
        foreseen(randomizer, [1], 1)
    )
    monkeypatch.setattr(auditing, "MOST_OUTPUTS", 2)
    assert foreseen(randomizer, [1], 1).seconds < 1 and "blocks" not in str(foreseen(randomizer, [1], 1))
    assert isinstance(auditing.bound_for(randomizer, 2000, Effort()), ClosedForm)
