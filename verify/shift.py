"""A noise law against its own shift: (X + by) against X, the pair of "s + noise" for neighbours whose s differ by `by`.

Lemma. Pr[X = k - by] / Pr[X = k] is a product of `by` reciprocal ratios, so it is monotone in k where the ratio of the
law is: for a log-concave law it never falls, and {P > e^eps Q} is one upper tail {k >= t}; for a negative binomial law
with r < 1 it never rises on k >= by, where {P > e^eps Q} is {by <= k < t} (P is 0 for k < by). Hence

    delta(eps) = Pr[X >= t - by] - e^eps Pr[X >= t]                          (log-concave)
    delta(eps) = Pr[X < t - by] - e^eps Pr[by <= X < t]                      (r < 1, and t may be infinite).

The other direction, X against X + by, is the first one for -X (log-concave), and Pr[X < by] for r < 1, where every
ratio Pr[k] / Pr[k - 1] < p < 1 leaves nothing to k >= by.

`t` is found by bisection with balls; a point that the balls do not decide has P - e^eps Q close to 0, and is added to
the upper end as it is.
"""

from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from verify.enclosure import Ends
from verify.noise import MAX_TERMS, Noise, ball
from verify.number import Eps, dyadic, precision

MAX_SHIFT = 1000  # each step of a shift is one factor of every comparison


@dataclass(frozen=True)
class Shift:
    """P = X + by, Q = X for by > 0; P = X, Q = X - by for by < 0."""

    noise: Noise
    by: int = 1

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Ends around delta(eps); relative width about 2^-bits times e^eps P / delta."""
        with precision(bits + 32):
            power = power_ball(eps, bits + 32)
            if self.by > 0:
                value = _upwards(self.noise, self.by, eps, power)
            elif self.noise.log_concave:
                value = _upwards(self.noise.reflected(), -self.by, eps, power)
            else:
                value = self.noise.cdf(-self.by - 1)
            return ends_of(value)

    def never_returns(self) -> Fraction:
        """A lower bound on P(Q = 0): what no eps, however large, takes away."""
        law = self.noise if self.by > 0 else self.noise.reflected()
        if law.high is None:
            return Fraction(0)
        with precision(128):
            return max(Fraction(0), dyadic(law.survival(law.high - abs(self.by) + 1).lower()))


def power_ball(eps: Eps, bits: int) -> arb:
    """e^eps as a ball at the precision in force."""
    low, high = eps.bounds(bits)
    return ball(low).union(ball(high))


def ends_of(value: arb) -> Ends:
    return dyadic(value.lower()), dyadic(value.upper())


def _upwards(X: Noise, by: int, eps: Eps, power: arb) -> arb:
    """delta of X + by against X at e^eps = power."""
    furthest = Eps.log(1 / X.limit() ** by) if X.limit() else None  # the limit of log P/Q for large k, exactly
    if not X.log_concave:
        assert furthest is not None
        return _log_convex(X, by, power, furthest >= eps)
    if furthest is not None and furthest <= eps:  # P/Q never exceeds its limit
        return arb(0)
    start = X.low + by if X.low is not None else None  # P is 0 before
    end = X.high + 1 if X.high is not None else None  # Q is 0 from here on

    def above(k: int) -> bool | None:
        """Whether P(k) > e^eps Q(k), None where that is not decided."""
        if start is not None and k < start:
            return False
        return True if end is not None and k >= end else _exceeds(X, k, by, power)

    low, high = _bracket(X, by, above, start, end)
    while high - low > 1:  # P <= e^eps Q at low, P > e^eps Q at high
        middle = (low + high) // 2
        decided = above(middle)
        if decided is None:
            return _around(X, by, power, middle, above)
        low, high = (low, middle) if decided else (middle, high)
    return _tails(X, by, power, high)


def _exceeds(X: Noise, k: int, by: int, power: arb) -> bool | None:
    """Whether Pr[X = k - by] > power Pr[X = k], by the ratios between; None where the balls do not decide."""
    top, bottom = arb(1), power
    for j in range(k - by + 1, k + 1):
        a, b = X.ratio(j)
        top, bottom = top * b, bottom * a
    return True if top > bottom else False if top < bottom else None


def _bracket(X: Noise, by: int, above, start: int | None, end: int | None) -> tuple[int, int]:  # type: ignore[no-untyped-def]
    """(low, high): above(low) is False, above(high) is True."""
    high, step = max(X.mode + by, start if start is not None else X.mode + by), 1
    while above(high) is not True:
        high, step = min(high + step, end) if end is not None else high + step, 2 * step
    low, step = (start - 1, 1) if start is not None else (X.mode, 1)
    while above(low) is not False:
        low, step = low - step, 2 * step
    return low, high


def _around(X: Noise, by: int, power: arb, k: int, above) -> arb:  # type: ignore[no-untyped-def]
    """The value where k is not decided: few neighbours of k are not either, and they count from 0 to |P - e^eps Q|."""
    first, last = k, k
    while above(first - 1) is None:
        first -= 1
    while above(last + 1) is None:
        last += 1
    value = _tails(X, by, power, last + 1)
    for j in range(first, last + 1):
        value += arb(0).union((X.pmf(j - by) - power * X.pmf(j)).abs_upper())
    return value


def _tails(X: Noise, by: int, power: arb, t: int) -> arb:
    """Pr[X >= t - by] - power Pr[X >= t], without cancellation where power is near 1."""
    points = sum((X.pmf(j) for j in range(t - by, t)), arb(0))
    return points - (power - 1) * X.survival(t)


def _log_convex(X: Noise, by: int, power: arb, everywhere: bool) -> arb:
    """X = NB(r, p), r < 1: P/Q never rises on k >= by, from above towards p^-by; `everywhere` if p^-by >= e^eps."""
    if everywhere:
        return 1 - power * X.survival(by)
    if _exceeds(X, by, by, power) is False:
        return arb(0)
    low, step = by, 1
    while _exceeds(X, low + step, by, power) is not False:
        step *= 2
        if step > MAX_TERMS:  # what lies beyond adds to the value: from nothing to all of it
            return _cut(X, by, power, low + step).union(1 - power * X.survival(by))
    high = low + step
    undecided = []
    while high - low > 1:
        middle = (low + high) // 2
        decided = _exceeds(X, middle, by, power)
        if decided is None:
            undecided.append(middle)
        low, high = (middle, high) if decided else (low, middle)
    value = _cut(X, by, power, high)
    for j in undecided:
        value = value.union(_cut(X, by, power, j + 1))
    return value


def _cut(X: Noise, by: int, power: arb, t: int) -> arb:
    """Pr[X < t - by] - power Pr[by <= X < t]."""
    return 1 - X.survival(t - by) - power * (X.survival(by) - X.survival(t))
