"""The largest of several errors, from the law of each: against sums over all outcomes, and mpmath at 40 digits."""

from collections import Counter
from fractions import Fraction
from functools import reduce
from itertools import pairwise
from math import comb, fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf, workdps

from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import Binomial, DiscreteLaplace, NegativeBinomial, Poisson
from shufflecert.verify.exact.rational import precision
from shufflecert.verify.systems.largest_error import (
    FEW_POINTS,
    Errors,
    Far,
    Summed,
    Thresholds,
    expected_maximum,
    mean_deviation,
)
from tests.helpers import few
from tests.reference import real

ZERO, SLACK = Fraction(0), mpf(10) ** -20


def encloses(enclosure, value, slack=SLACK):
    """`value`, known to a relative `slack`, is in the enclosure."""
    return real(enclosure.low) <= value * (1 + slack) and value * (1 - slack) <= real(enclosure.high)


F = Fraction


def probabilities(noise, first, last):
    """{k: Pr[k]} at the working precision, from the definition."""

    def gamma(x):
        return mp.loggamma(x)

    law = {}
    for k in range(first, last + 1):
        match noise:
            case Binomial():
                p = real(noise.p)
                law[k] = comb(noise.n, k) * p**k * (1 - p) ** (noise.n - k)
            case Poisson():
                law[k] = mp.exp(k * mp.log(real(noise.lam)) - real(noise.lam) - gamma(k + 1))
            case NegativeBinomial():
                r, p = real(noise.r), real(noise.p)
                law[k] = mp.exp(gamma(k + r) - gamma(r) - gamma(k + 1) + r * mp.log(1 - p) + k * mp.log(p))
            case DiscreteLaplace():
                q = real(noise.q)
                law[k] = (1 - q) / (1 + q) * q ** abs(k)
    return law


def maximum_of(laws):
    """E max from [(law, centre, copies)]: the sum over distances v of v (Pr[max <= v] - Pr[max < v])."""
    distances = sorted({abs(k - centre) for law, centre, _ in laws for k in law})
    places = {v: i for i, v in enumerate(distances)}
    at_most = [mpf(1)] * len(distances)
    for law, centre, copies in laws:
        mass = [mpf(0)] * len(distances)
        for k, w in law.items():
            mass[places[abs(k - centre)]] += w
        total = mpf(0)
        for i, w in enumerate(mass):
            total += w
            at_most[i] *= total**copies
    return sum((real(v) * (b - a) for v, (a, b) in zip(distances, pairwise([mpf(0), *at_most]), strict=True)), mpf(0))


NOISES = [  # law, first and last point of all but 1e-40 of it
    (Binomial(30, F(1, 3)), 0, 30),
    (Binomial(9, F(2, 9)), 0, 9),
    (Poisson(F(36)), 0, 200),
    (Poisson(F(7, 3)), 0, 90),
    (Poisson(F(1, 10**9)), 0, 9),
    (NegativeBinomial(F(5, 2), F(3, 4)), 0, 500),
    (DiscreteLaplace(F(3, 5)), -250, 250),
]


@pytest.mark.parametrize(("noise", "first", "last"), [*NOISES, (NegativeBinomial(F(1, 3), F(1, 2)), 0, 200)])
def test_the_mean_deviation(noise, first, last):
    with workdps(50):
        value = sum(abs(k - real(noise.mean)) * w for k, w in probabilities(noise, first, last).items())
        found = mean_deviation(noise)
        assert encloses(found, value, mpf(10) ** -35) and found.relative_width < F(1, 10**28)


@pytest.mark.parametrize("noise", [Binomial(5, F(0)), Binomial(5, F(1)), Binomial(0, F(1, 2))])
def test_a_law_of_one_point_has_no_deviation(noise):
    assert mean_deviation(noise).high == 0 == expected_maximum([Errors.of(noise, 3)]).high


@pytest.mark.parametrize("copies", [2, 5, 1000, 10**6])
@pytest.mark.parametrize(("noise", "first", "last"), NOISES)
@pytest.mark.sampled(3)
def test_the_maximum_of_copies(noise, first, last, copies):
    with workdps(60):
        value = maximum_of([(probabilities(noise, first, last), noise.mean, copies)])
        found = expected_maximum([Errors.of(noise, copies)])
        assert encloses(found, value, mpf(10) ** -22) and found.relative_width < F(1, 10**20)


def test_the_maximum_of_different_laws():
    """With different fractional parts of their means, and one law as a window."""
    one, two, both = Poisson(F(7, 3)), Binomial(30, F(1, 4)), Binomial(12, F(2, 5))
    window = Window.of(both, 256).plus(Window.of(Binomial(7, F(1, 3)), 256))
    mean, variance = F(12 * 2, 5) + F(7, 3), F(12 * 6, 25) + F(7 * 2, 9)
    with workdps(50):
        law = Counter()
        for i, v in probabilities(both, 0, 12).items():
            for j, w in probabilities(Binomial(7, F(1, 3)), 0, 7).items():
                law[i + j] += v * w
        sides = [(probabilities(one, 0, 90), one.mean, 4), (probabilities(two, 0, 30), two.mean, 9), (law, mean, 2)]
        found = expected_maximum([Errors.of(one, 4), Errors.of(two, 9), Errors(window, mean, variance, 2)])
        assert encloses(found, maximum_of(sides), mpf(10) ** -22) and found.relative_width < F(1, 10**20)


def test_errors_upwards_only():
    noise, copies = Binomial(30, F(1, 3)), 7
    with workdps(50):
        law = Counter()
        for k, w in probabilities(noise, 0, 30).items():
            law[max(k, 10)] += w
        found = expected_maximum([Errors.of(noise, copies).upwards()])
        assert encloses(found, maximum_of([(law, F(10), copies)]), mpf(10) ** -22)
        assert encloses(expected_maximum([Errors.of(noise, 1).upwards()]), real(mean_deviation(noise).low) / 2)


@pytest.mark.parametrize("copies", [2, 100, 10**6])
@pytest.mark.parametrize("lam", [40_000, 10**6])
@pytest.mark.sampled(3)
def test_a_wide_law_in_blocks(lam, copies):
    """Poisson in doubles, by Pr[k] / Pr[k - 1] = lam / k: the sum of 1 - (1 - tail)^n."""
    steps = np.arange(1, int(10 * lam**0.5))
    above, below = np.cumprod(lam / (lam + steps)), np.cumprod((lam + 1 - steps) / lam)
    mass = np.concatenate([[1.0], above + below])
    tails = np.append(np.cumsum(mass[::-1])[::-1][1:], 0.0) / fsum(mass)
    value = fsum(-np.expm1(copies * np.log1p(-tails)))
    found = expected_maximum([Errors.of(Poisson(F(lam)), copies)])
    assert encloses(found, value, 1e-8) and found.relative_width < F(1, 10**5)


@pytest.mark.parametrize(("noise", "copies"), [(DiscreteLaplace(1 - F(1, 10**8)), 10**6), (Poisson(F(10**13)), 2)])
@pytest.mark.sampled(2)
def test_a_law_too_wide_for_a_window(noise, copies):
    """In the limit: 10^8 H_copies for two-sided exponential noise, sqrt(10^13) 2/sqrt(pi) for two normal errors."""
    found = expected_maximum([Errors.of(noise, copies)])
    limits = {2: 10**6.5 * 2 / mp.sqrt(mp.pi), 10**6: 10**8 * (mp.harmonic(10**6))}
    assert encloses(found, limits[copies], 1e-6) and found.relative_width < F(1, 100)


@given(st.lists(st.fractions(F(1, 20), 3, max_denominator=20), min_size=3, max_size=9), st.data())
@few
def test_the_lemma_on_windows_that_grow(ratios, data):
    """G(t)^2 >= G(t - 1) G(t + 1) for any log-concave weights: their ratios fall."""
    weights = reduce(lambda done, ratio: [*done, done[-1] * ratio], sorted(ratios, reverse=True), [F(1)])
    right = data.draw(st.integers(-3, len(weights) + 2))
    left = data.draw(st.integers(-3, right + 1))
    grown = [sum(weights[max(0, left - t) : max(0, right + t + 1)], ZERO) for t in range(15)]
    assert all(b * b >= a * c for a, b, c in zip(grown, grown[1:], grown[2:], strict=False))


@pytest.mark.parametrize("copies", [1, 3, 1000])
@pytest.mark.parametrize("points", [3, 8, 20, FEW_POINTS])
@pytest.mark.sampled(6)
def test_few_thresholds_enclose_the_sum_over_all(points, copies):
    """Whatever few thresholds are looked at; and tails from windows are those of the law."""
    noise, shape, end = Poisson(F(400)), (399, 400), 250
    with precision(256):
        laws = [Summed.of(noise, 192), Far(noise)]
        sums = [Thresholds([law], [shape], [copies]).total(end, 10**6) for law in laws]
        assert all(s.relative_width < F(1, 10**20) for s, _ in sums)
        exact = [(s.low + s.high) / 2 for s, _ in sums]
        assert abs(exact[0] - exact[1]) < exact[0] / 10**20
        for law in laws:
            rough, done = Thresholds([law], [shape], [copies]).total(end, points)
            assert not done and rough.low <= exact[0] <= rough.high and rough.low < rough.high
            assert points < FEW_POINTS or rough.relative_width < F(1, 100)
