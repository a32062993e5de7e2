"""The search for the smallest eps took "not decided to be above" for "below": eps = 0 was said to be enough."""

from fractions import Fraction

from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.enclose.smallest_epsilon import smallest_eps

WIDE = Interval(Fraction(1, 10), Fraction(3, 10))


def test_undecided_at_zero():
    # between 1/10 and 3/10 up to eps = 5, then 0: whether eps < 5 keeps 1/5 is not known
    low, high = smallest_eps(
        lambda eps: WIDE if eps.exponent < 5 else Interval(Fraction(0), Fraction(0)), Fraction(1, 5)
    )
    assert low == 0 and high is not None and 5 <= high <= 8


def test_undecided_everywhere():
    assert smallest_eps(lambda eps: WIDE, Fraction(1, 5)) == (0, None)


def test_undecided_from_some_point_on():
    def curve(eps):
        return Interval(Fraction(1, 2), Fraction(1, 2)) if eps.exponent < Fraction(3, 2) else WIDE

    low, high = smallest_eps(curve, Fraction(1, 5))
    assert low == 1 and high is None
