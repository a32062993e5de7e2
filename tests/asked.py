"""Questions as tests ask them: a system, n users, a view, and an effort by its fields."""

from fractions import Fraction

from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.compose import interchange
from shufflecert.verify.decide import renyi, trade_off
from shufflecert.verify.exact.epsilon import Eps


def bound(system, n=1, view="shuffled", **effort):
    """What is known of the question."""
    return bound_of(Question.of(system, n, view), Effort(**effort))


def decided(system, n, eps, delta, search):
    """The verdict on a promise, without enumeration, with so much work for a cover."""
    return bound(system, n, work=1).within(search).decided(Eps.of(eps), Fraction(delta))


def profile_curve(system, n, eps, view="shuffled", **effort):
    """delta at each eps."""
    return bound(system, n, view, **effort).curve(eps)


def trade_off_of(system, n, alphas, eps, view="shuffled"):
    """f(alpha) at each alpha."""
    return trade_off.trade_off(bound(system, n, view), alphas, eps)


def renyi_curve(system, n, orders, view="shuffled", **effort):
    """D(a) at each order a."""
    return renyi.renyi_curve(bound(system, n, view, **effort), orders)


def to_dp_accounting(system, n, interval=interchange.INTERVAL, view="shuffled", **given):
    """A privacy loss distribution of dp_accounting."""
    return interchange.to_dp_accounting(bound(system, n, view), interval, **given)


def to_opendp(system, n, interval=interchange.INTERVAL, view="shuffled", **given):
    """A privacy profile of OpenDP."""
    return interchange.to_opendp(bound(system, n, view), interval, **given)
