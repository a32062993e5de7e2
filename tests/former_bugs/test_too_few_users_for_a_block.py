"""Of three users no blocks can be made, and delta of a table of four messages ended with a traceback."""

from fractions import Fraction

from shufflecert.verify.bound.question import Effort
from shufflecert.verify.decide.worst_case import delta, epsilon
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from tests.asked import profile_curve
from tests.bench.strangers import drawn

TABLE = Randomizer.of(drawn("one of three or four", 2, 2))
EPS = Eps.of("1/10")


def test_they_are_asked_by_the_blanket_alone():
    exact = delta(TABLE, 3, EPS).delta
    found = delta(TABLE, 3, EPS, effort=Effort(work=1)).delta
    [(_, shown)] = profile_curve(TABLE, 3, [EPS], work=1).points
    for value in (found, shown):
        assert isinstance(value, Interval)
        assert exact.minus(value.low).sign() >= 0 >= exact.minus(value.high).sign()
    low, high = epsilon(TABLE, 3, Fraction(1, 10), effort=Effort(work=1)).interval
    least = epsilon(TABLE, 3, Fraction(1, 10)).eps.enclosure(20)
    assert low <= Fraction(least[1]) and (high is None or Fraction(least[0]) <= high)
