"""Guesses in floats for the bounds by exchange: saddle points, and integrals along lines through them.

Of laws (weight, value) of X, with M(s) = E e^(s X): lemma 3 of likelihood_orbits.py has what is bounded with them.
"""

from collections.abc import Sequence
from math import isfinite, log, pi, sqrt
from typing import Any

import numpy

SMOOTH = 30.0  # standard deviations of the sum over tau
NEARBY = 0.95, 1.0, 1.02, 1.04, 1.06, 1.08, 1.1  # factors of theta that are tried
ROUGHLY = 8  # times the steps of the line, for a guess
ROUGHER = 8, 4, 2, 1  # times the steps of the line, until it is close enough
ROUGH_STEPS = 24  # beyond NEAR, for a guess
NEAR, STEP, GROWTH, FAR = 5.0, 0.025, 0.03, 110.0  # of the line, in units of 1 / (standard deviation of the sum)
ROUNDS = 60  # of bisections
Numbers = numpy.ndarray[Any, numpy.dtype[numpy.float64]]


def near_to(theta: float, laws: Sequence[Sequence[tuple[Any, Any]]], others: int, spread: float) -> float:
    """A better theta near this one: the saddle point is not quite where the integral of |M| is least."""
    weights, values = padded(laws)
    return min((guess_line(weights, values, others, theta * f, spread), theta * f) for f in NEARBY)[1]


def padded(laws: Sequence[Sequence[tuple[Any, Any]]]) -> tuple[Numbers, Numbers]:
    """Laws (weight, value) as two arrays of floats, a row for each law, with weights of 0 behind the shorter ones."""
    longest = max(map(len, laws))
    found = numpy.array([[[float(w), float(x)] for w, x in law] + [[0.0, 0.0]] * (longest - len(law)) for law in laws])
    return found[:, :, 0], found[:, :, 1]


def guess_line(weights: Numbers, values: Numbers, others: int, theta: float, spread: float) -> float:
    """The logarithm of what `line` bounds, in floats."""
    places = (
        numpy.concatenate([numpy.arange(0, NEAR, STEP * ROUGHLY), numpy.geomspace(NEAR, FAR, ROUGH_STEPS)]) / spread
    )
    smooth, ends = spread / SMOOTH, places[1:]
    heights = [cumulants(weights, values, theta)[0]]
    tilted = weights * numpy.exp(theta * values - heights[0][:, None])
    for u in ends:
        heights.append(heights[0] + numpy.log(abs((tilted * numpy.exp(1j * u * values)).sum(1)) + 1e-300))
    logs = others * numpy.array(heights) + (smooth**2 * (theta**2 - places**2) / 2)[:, None]
    top = logs.max()
    shape = numpy.exp(logs - top) / (theta**2 + places**2)[:, None]
    whole = ((shape[1:] + shape[:-1]) / 2 * numpy.diff(places)[:, None]).sum(0) + shape[-1] * places[-1]
    return float(top + numpy.log(whole.max()) - log(pi))


def saddle(laws: Sequence[Sequence[tuple[float, float]]], others: int) -> tuple[float, float, float] | None:
    """A guess at theta, at the standard deviation there, and at the logarithm of the mean of the sum's positive part,
    for laws (weight, value): where the largest of their bounds is least; None where values are too large or all 0."""
    weights, values = padded(laws)
    limit = float(abs(values).max())
    if not isfinite(limit) or not limit:
        return None
    low, high = 1e-18 / limit, 600.0 / limit
    for _ in range(ROUNDS):
        middle = sqrt(low * high)
        totals, means, _ = cumulants(weights, values, middle)
        low, high = (low, middle) if others * means[totals.argmax()] > 2 / middle else (middle, high)
    totals, _, variances = cumulants(weights, values, low)
    at = totals.argmax()
    spread = sqrt(others * float(variances[at]) + 2 / low**2)
    return low, spread, others * float(totals[at]) - log(others * low**2 * spread)


def cumulants(weights: Numbers, values: Numbers, s: float) -> tuple[Numbers, Numbers, Numbers]:
    """Of each law, a row, log E e^(s X), and the mean and variance of X in the law tilted by s."""
    scaled = numpy.where(weights > 0, s * values, -numpy.inf)
    top = scaled.max(1)
    tilted = weights * numpy.exp(scaled - top[:, None])
    mass = tilted.sum(1)
    mean = (tilted * values).sum(1) / mass
    return top + numpy.log(mass), mean, (tilted * values * values).sum(1) / mass - mean * mean
