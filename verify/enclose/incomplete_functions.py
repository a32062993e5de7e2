"""Incomplete beta and gamma functions of any size, as balls: integrals of x^(a-1) (1-x)^(b-1) and of x^(a-1) e^-x.

One integral is a few dozen steps of a Taylor series each, whatever a and b are: a step h is about half as long as the
integrand is wide. At z from a point x the integrand is its value at x times

    g(z) = exp(slope z + sum over i of A_i (log(1 + z / d_i) - z / d_i)),      slope its logarithm's derivative at x,

A_i the exponent of the i-th singular point (0 or 1), d_i the way from there to x. So g' / g is a rational function,
and each coefficient of g follows from three before it. What N terms miss: for |z| <= R |h|, with q_i = R |h / d_i| <
1, |log(1 + v) - v| <= |v|^2 / (2 (1 - |v|)) bounds |log g(z)| by m = R |slope h| + sum |A_i| q_i^2 / (2 (1 - q_i));
then the n-th coefficient in z / h is at most e^m R^-n (Cauchy), and the mean of g over a step misses at most e^m R^-N
/ ((N + 1) (1 - 1 / R)). Balls are flint's `arb` at the precision in force (`verify.exact.rational.precision`).

They are our own because flint's fail at these sizes: its gamma_lower gave a ball of radius 10^1932 at 10^4, and its
beta_lower does not end at 1,200 bits.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, isqrt

from flint import arb, ctx

from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.rational import ball, precision

RADIUS = 8  # R: where a step's series is bounded, in steps
MAX_STEPS = 100_000
MAX_PRECISION = 5000  # bits; steps and terms both grow with it


def beta_share(a: Fraction | int, b: Fraction | int, x: Fraction) -> arb:
    """The regularized incomplete beta function: the integral over [0, x] of t^(a-1) (1-t)^(b-1) / B(a, b).

    For a >= 1, b > 0 and 0 < x < 1; a ball of small relative width, however small the value is. Raises TooMuchWork at
    over `MAX_PRECISION` bits.
    """
    power, other = Fraction(a) - 1, Fraction(b) - 1

    def logarithm(t: Fraction) -> arb:
        constant = ball(power + other + 2).lgamma() - ball(power + 1).lgamma() - ball(other + 1).lgamma()
        return ball(power) * ball(t).log() + ball(other) * ball(1 - t).log() + constant

    def rest(t: Fraction, slope: Fraction) -> Fraction | None:
        if other <= 0:  # (1-t)^(b-1) does not fall: at s < t the integrand is at most (s / t)^(a-1) times that at t
            return t / (power + 1)
        return 1 / slope if slope > 0 else None  # log-concave

    with _guarded(power + abs(other)):
        value = Integrand(((power, 0), (other, 1)), Fraction(0), logarithm, rest).integral(x, -1)
    return +value


def gamma_share(a: int, x: Fraction, above: bool) -> arb:
    """The regularized incomplete gamma function: the integral of t^(a-1) e^-t / Gamma(a) over [0, x].

    Over [x, infinity) with `above`; for integer a >= 1 and x > 0. Raises TooMuchWork at over `MAX_PRECISION` bits.
    """
    power = Fraction(a - 1)

    def logarithm(t: Fraction) -> arb:
        return ball(power) * ball(t).log() - ball(t) - ball(a).lgamma()

    def rest(t: Fraction, slope: Fraction) -> Fraction | None:
        return 1 / abs(slope) if slope and (slope < 0) == above else None  # log-concave

    with _guarded(power + x):
        value = Integrand(((power, 0),), Fraction(-1), logarithm, rest).integral(x, 1 if above else -1)
    return +value


def _guarded(size: Fraction):  # type: ignore[no-untyped-def]
    """More bits, as many as logarithms of numbers like size^size lose."""
    if ctx.prec > MAX_PRECISION:
        raise TooMuchWork(f"a tail at {ctx.prec} bits: expected at most {MAX_PRECISION}")
    return precision(ctx.prec + 64 + 2 * int(size + 2).bit_length())


@dataclass(frozen=True)
class Integrand:
    """A positive function e^(sum of A log|x - pole| + tilt x + constant), with `bends` the (A, pole), at most two.

    `logarithm` is its logarithm at x. `rest(x, slope)` is such that what lies beyond x, in the direction of the
    integral, is at most that times the value at x; None where nothing is known yet.
    """

    bends: tuple[tuple[Fraction, int], ...]
    tilt: Fraction
    logarithm: Callable[[Fraction], arb]
    rest: Callable[[Fraction, Fraction], Fraction | None]

    def integral(self, x: Fraction, way: int) -> arb:
        """The integral from x on, downwards to 0 (`way` = -1) or upwards without end (`way` = 1)."""
        total, small = arb(0), arb(2) ** -ctx.prec
        for _ in range(MAX_STEPS):
            if x == 0:
                return total
            slope = sum((A / (x - pole) for A, pole in self.bends), self.tilt)
            value, beyond = self.logarithm(x).exp(), self.rest(x, slope)
            if beyond is not None and (left := value * ball(beyond)) < total * small:
                return total + left.union(arb(0))
            step = self._step(x, slope)
            step = min(step, x) if way < 0 else step
            total += value * ball(step) * self._mean(x, slope, way * step)
            x += way * step
        raise TooMuchWork(f"a tail of over {MAX_STEPS} steps: expected a parameter less close to its end")

    def _step(self, x: Fraction, slope: Fraction) -> Fraction:
        """How far the series goes: half of the integrand's width, a few factors of e, and clear of the poles."""
        squares = [(x - pole) ** 2 / (4 * RADIUS * RADIUS) for A, pole in self.bends if A]
        bend = sum((abs(A) / (x - pole) ** 2 for A, pole in self.bends), Fraction(0))
        squares += [1 / (4 * bend)] if bend else []
        squares += [16 / slope**2] if slope else []
        least = min(squares, default=x * x)
        scale = 10 + max(0, least.denominator.bit_length() - least.numerator.bit_length()) // 2
        return Fraction(isqrt((least.numerator << 2 * scale) // least.denominator), 1 << scale)

    def _mean(self, x: Fraction, slope: Fraction, h: Fraction) -> arb:
        """The mean over [x, x + h] of the integrand divided by its value at x: a sum of g_n / (n + 1) for z = h u.

        With w_i = h / d_i, g' / g = slope h - sum A_i w_i^2 u / (1 + w_i u); times (1 + w_1 u) (1 + w_2 u).
        """
        (A, v), (B, w), *_ = [(A, h / (x - pole)) for A, pole in self.bends if A] + 2 * [(Fraction(0), Fraction(0))]
        s, most = slope * h, abs(slope * h) * RADIUS
        for factor, ratio in ((A, abs(v) * RADIUS), (B, abs(w) * RADIUS)):
            most += abs(factor) * ratio * ratio / (2 * (1 - ratio))
        terms = (ctx.prec + 8 + ceil(most * 3 / 2)) // (RADIUS.bit_length() - 1) + 1
        first, second = ball(s * (v + w) - A * v * v - B * w * w), ball((s - A * v - B * w) * v * w)
        zeroth, one, two = ball(s), ball(v + w), ball(v * w)
        before, last, g, mean = arb(0), arb(0), arb(1), arb(1)
        for n in range(terms - 1):
            following = (zeroth - n * one) * g + (first - (n - 1) * two) * last + second * before
            before, last, g = last, g, following / (n + 1)
            mean += g / (n + 2)
        missed = ball(most).exp() * arb(RADIUS) ** -terms / (terms + 1) * ball(Fraction(RADIUS, RADIUS - 1))
        return mean + missed.union(-missed)
