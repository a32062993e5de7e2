"""An integer noise law against its own shift: the pair (X + by, X) of "s + noise", for neighbours whose s differ by
`by`.

Lemma. Pr[X = k - by] / Pr[X = k] is a product of `by` reciprocal ratios, so it is monotone in k where the ratio of the
law is: for a log-concave law it never falls, and {P > e^eps Q} is one upper tail {k >= t}; for a negative binomial law
with r < 1 it never rises on k >= by, where {P > e^eps Q} is {by <= k < t} (P is 0 for k < by). Hence

    delta(eps) = Pr[X >= t - by] - e^eps Pr[X >= t]                          (log-concave)
    delta(eps) = Pr[X < t - by] - e^eps Pr[by <= X < t]                      (r < 1, and t may be infinite).

The other direction, X against X + by, is the first one for -X (log-concave), and Pr[X < by] for r < 1, where every
ratio Pr[k] / Pr[k - 1] < p < 1 leaves nothing to k >= by.

`t` is found by bisection with balls, which may leave a stretch of points undecided (one without end where e^eps is next
to the limit of P/Q). On it P/Q is at most its value v at one end, by the lemma, and P - e^eps Q = P (1 - e^eps Q/P): so
the stretch adds between 0 and P(stretch) max(1 - e^eps / v, 0).
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from shufflecert.verify.enclose.interval import NEGLIGIBLE, Ends
from shufflecert.verify.enclose.noise_laws import Noise, Reflected
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, dyadic, precision

MAX_SHIFT = 1000  # each step of a shift is one factor of every comparison
Test = Callable[[int], bool | None]


@dataclass(frozen=True)
class ShiftedNoise:
    """The pair of a noise law and its shift: P = X + by, Q = X for by > 0; P = X, Q = X - by for by < 0.

    Raises BadInput for |by| > `MAX_SHIFT`.
    """

    noise: Noise
    by: int = 1

    def __post_init__(self) -> None:
        if abs(self.by) > MAX_SHIFT:
            raise BadInput(f"shift: {self.by}: expected an integer from {-MAX_SHIFT} to {MAX_SHIFT}")

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around delta(eps); their relative distance is about 2^-bits times e^eps P / delta."""
        X, by = self.noise, self.by
        while isinstance(X, Reflected):  # -(X + by) against -X
            X, by = X.law, -by
        with precision(bits + 32):
            power = power_ball(eps, bits + 32)
            if by == 0:
                value = arb(0)
            elif X.log_concave:
                value = _log_concave(X if by > 0 else X.reflected(), abs(by), eps, power)
            else:
                value = _log_convex(X, by, eps, power) if by > 0 else X.cdf(-by - 1)
            return ends_of(value)

    whole = True  # both laws have mass 1

    def reversed(self) -> "ShiftedNoise":
        """The pair in the other direction, (Q, P)."""
        return ShiftedNoise(self.noise, -self.by)

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0), which no eps, however large, takes away."""
        law = self.noise if self.by > 0 else self.noise.reflected()
        if law.high is None:
            return Fraction(0)
        with precision(128):
            return max(Fraction(0), ends_of(law.survival(law.high - abs(self.by) + 1))[0])


def power_ball(eps: Eps, bits: int) -> arb:
    """e^eps as a ball at the precision in force."""
    low, high = eps.bounds(bits)
    return ball(low).union(ball(high))


def ends_of(value: arb) -> Ends:
    """Rational ends of a number in [0, 1], from its ball.

    One below 2^-NEGLIGIBLE lies between 0 and that: its digits would fill the memory.
    """
    low, high, negligible = value.lower(), value.upper(), arb(2) ** -NEGLIGIBLE
    if not value.is_finite():
        return Fraction(0), Fraction(1)
    return (
        dyadic(low) if low >= negligible else Fraction(0),
        Fraction(1, 1 << NEGLIGIBLE) if 0 < high < negligible else min(dyadic(high), Fraction(1)),
    )


def _log_concave(X: Noise, by: int, eps: Eps, power: arb) -> arb:
    """delta of X + by against X at e^eps = power."""
    limit = X.limit() ** by  # of Q/P
    if limit and Eps.log(1 / limit) <= eps:  # P/Q never exceeds its limit
        return arb(0)
    start = X.low + by if X.low is not None else None  # P is 0 before
    end = X.high + 1 if X.high is not None else None  # Q is 0 from here on

    def above(k: int) -> bool | None:
        """Whether P(k) > e^eps Q(k), None where that is not decided."""
        if start is not None and k < start:
            return False
        return True if end is not None and k >= end else _sign(_excess(X, k, by, power))

    least, step, known = start - 1 if start is not None else X.mode, 1, True
    while known and above(least) is not False:
        least, step, known = least - step, 2 * step, step < 1 << 16 or not X.pmf(least) < arb(2) ** -NEGLIGIBLE
    low, high, found = bracket(above, least, max(X.mode, least) + by, end, lambda k: X.pmf(k - by))
    excess = _excess(X, high - 1, by, power) if found else 1 - power * ball(limit)
    value = _tails(X, by, power, high) if found else arb(0)
    if found and high - low == 1 and (known or low > least):
        return value
    from_here = X.survival(low + 1 - by) if known or low > least else arb(1)
    return value + stretch(from_here - (X.survival(high - by) if found else 0), excess)


def _log_convex(X: Noise, by: int, eps: Eps, power: arb) -> arb:
    """delta of X + by against X for X = NB(r, p), r < 1: P/Q never rises on k >= by, from above towards p^-by."""
    if Eps.log(1 / X.limit() ** by) >= eps:
        return 1 - power * X.survival(by)

    def below(k: int) -> bool | None:
        """Whether P(k) <= e^eps Q(k), for k >= by."""
        exceeds = _sign(_excess(X, k, by, power))
        return None if exceeds is None else not exceeds

    def cut(t: int) -> arb:
        return 1 - X.survival(t - by) - power * (X.survival(by) - X.survival(t)) if t > by else arb(0)

    low, high, found = bracket(below, by - 1, by, None, lambda k: X.pmf(k - by))
    value = cut(low + 1)
    if found and high - low == 1:
        return value
    mass = X.survival(low + 1 - by) - (X.survival(high - by) if found else 0)
    return value + stretch(mass, _excess(X, low + 1, by, power))


def _excess(X: Noise, k: int, by: int, power: arb) -> arb:
    """1 - power Q(k) / P(k) for P(k) > 0, from the ratios Pr[j] / Pr[j - 1] between k - by and k."""
    top, bottom = power, arb(1)
    for j in range(k - by + 1, k + 1):
        a, b = X.ratio(j)
        top, bottom = top * a, bottom * b
    return 1 - top / bottom


def _sign(excess: arb) -> bool | None:
    """Whether a number is positive; None where its ball does not decide."""
    return True if excess > 0 else False if excess <= 0 else None


def stretch(mass: arb, excess: arb) -> arb:
    """The ball [0, mass max(excess, 0)]: what points that are not decided add to delta."""
    return arb(0) if excess <= 0 else arb(0).union(mass.abs_upper() * excess.abs_upper())


def bracket(test: Test, low: int, start: int, end: int | None, weight: Callable[[int], arb]) -> tuple[int, int, bool]:
    """The integer where a monotone `test` turns from False to True, between two ends: (low, high, True).

    `test` is False at `low` and True at `high`; the two are as close as it decides. `high` is sought upwards from
    `start`, by steps of 1, 2, 4, ..., up to `end` or to where `weight` is negligible; where it is not found the third
    part is False.
    """
    high, step = start, 1
    while (found := test(high)) is not True:
        if step > 1 << 16 and weight(high) < arb(2) ** -NEGLIGIBLE:
            break
        high, step = high + step, 2 * step
        high = high if end is None else min(high, end)
    if found is False:
        return high, high, False
    first, last = low, high
    while last - first > 1:  # the last point of False
        middle = (first + last) // 2
        first, last = (middle, last) if test(middle) is False else (first, middle)
    if not found:
        return first, high, False
    low, last = first, high
    while last - first > 1:  # the first point of True
        middle = (first + last) // 2
        first, last = (first, middle) if test(middle) is True else (middle, last)
    return low, last, True


def _tails(X: Noise, by: int, power: arb, t: int) -> arb:
    """Pr[X >= t - by] - power Pr[X >= t], without cancellation where power is near 1."""
    term = X.pmf(t - by)
    points = term
    for j in range(t - by + 1, t):
        if not X.holds(j):
            break
        a, b = X.ratio(j)
        term = term * a / b
        points += term
    return points - (power - 1) * X.survival(t)
