"""Clopper-Pearson bounds against exact binomial sums and scipy's; planned numbers of runs against exact power."""

from fractions import Fraction as F
from functools import cache
from math import ceil, comb, exp, log

import numpy as np
import pytest
from scipy.stats import beta as beta_law
from scipy.stats import binom, binomtest

from shufflecert.verify.audit.black_box import clopper_pearson
from shufflecert.verify.audit.black_box.clopper_pearson import (
    Detectable,
    at_least_within,
    delta_bound,
    detectable,
    eps_bound,
    finds,
    lower,
    plan,
    randomized_response,
    read_confidence,
    share,
    upper,
)
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.epsilon import Eps

BETAS = (F(1, 2), F(1, 20), F(1, 4000), F(1, 10**30))


def mass(k, m, p):
    return comb(m, k) * p**k * (1 - p) ** (m - k)


def at_least(k, m, p):
    """Pr[Bin(m, p) >= k], by summation in rationals."""
    return sum(mass(i, m, p) for i in range(k, m + 1))


def at_most(k, m, p):
    return sum(mass(i, m, p) for i in range(k + 1))


@pytest.mark.parametrize("beta", BETAS)
def test_bounds_keep_their_inequality_and_are_sharp(beta):
    """Defining inequality exactly; moved inwards by one part in 10^9 it fails."""
    for m in (1, 2, 3, 7, 12):
        for k in range(m + 1):
            low, high = lower(k, m, beta), upper(k, m, beta)
            assert 0 <= low <= F(k, m) <= high <= 1 or beta > F(1, 4)
            assert at_least(k, m, low) <= beta if k else low == 0
            assert at_most(k, m, high) <= beta if k < m else high == 1
            if k:
                assert at_least(k, m, low * (1 + F(1, 10**9))) > beta
            if k < m:
                assert at_most(k, m, high * (1 - F(1, 10**9))) > beta


@pytest.mark.parametrize("wrong", [0.5, 0.999, 1 - 1e-9, 1 + 1e-9, 1.001, 1.4])
@pytest.mark.sampled(3)
def test_a_wrong_guess_does_no_harm(wrong, monkeypatch):
    """The guess is moved by this factor towards where the inequality fails, or away: it holds all the same."""
    right = clopper_pearson._inverse
    monkeypatch.setattr(clopper_pearson, "_inverse", lambda *given: wrong * right(*given))
    for k, m, beta in ((1, 7, F(1, 20)), (3, 12, F(1, 4000)), (11, 12, F(1, 20)), (150, 300, F(1, 4000))):
        assert at_least(k, m, lower(k, m, beta)) <= beta
        assert at_most(k, m, upper(k, m, beta)) <= beta


def test_bounds_agree_with_scipy():
    for k, m in ((0, 50), (1, 50), (17, 50), (49, 50), (50, 50), (25_103, 100_000), (3, 100_000), (99_990, 100_000)):
        for beta in (F(1, 20), F(1, 4000), F(1, 10**9)):
            given = binomtest(k, m).proportion_ci(confidence_level=1 - 2 * float(beta), method="exact")
            assert float(lower(k, m, beta)) == pytest.approx(given.low, rel=1e-6)
            assert float(upper(k, m, beta)) == pytest.approx(given.high, rel=1e-6)


def test_a_beta_that_no_float_holds():
    beta = F(1, 10**400)
    high = upper(3, 2000, beta)
    assert at_most(3, 2000, high) <= beta and high < 1
    assert at_least(1900, 2000, lower(1900, 2000, beta)) <= beta


@pytest.mark.parametrize("p", [F(1, 3), F(1, 2), F(1, 100), F(97, 100)])
def test_coverage(p):
    """Exactly: the probability over K that a bound is on the wrong side of p is at most beta."""
    m, beta = 25, F(1, 20)
    assert sum(mass(k, m, p) for k in range(m + 1) if lower(k, m, beta) > p) <= beta
    assert sum(mass(k, m, p) for k in range(m + 1) if upper(k, m, beta) < p) <= beta


def test_a_tail_that_equals_its_bound_or_is_just_above():
    assert not at_least_within(1, 1, F(1, 2) + F(1, 2**90), F(1, 2))
    assert at_least_within(1, 1, F(1, 2) - F(1, 2**90), F(1, 2))
    assert at_least_within(4, 3, F(1), F(0)) and at_least_within(1, 3, F(0), F(0))
    assert not at_least_within(0, 3, F(1, 2), F(1, 2)) and not at_least_within(3, 3, F(1), F(1, 2))


def test_what_the_bounds_say_about_privacy():
    """e from its Taylor sum; log from math."""
    e = sum(F(1, comb(i, i)) / prod(i) for i in range(60))
    found = delta_bound(F(3, 4), F(1, 5), Eps.of(1))
    assert F(3, 4) - (e + F(1, 10**40)) / 5 <= found <= F(3, 4) - e / 5
    assert delta_bound(F(1, 4), F(1, 5), Eps.of(1)) == 0
    assert eps_bound(F(3, 4), F(1, 5), F(1, 10)) == Eps.log(F(13, 4))
    assert eps_bound(F(1, 4), F(1, 3), F(1, 10)) == Eps.of(0)


def prod(i):
    return 1 if i == 0 else i * prod(i - 1)


@cache
def ends(k, m, beta):
    given = binomtest(k, m).proportion_ci(confidence_level=1 - 2 * beta, method="exact")
    return given.low, given.high


def power_of(m, p, q, eps, delta, confidence):
    """The exact probability that m measured runs show delta(eps) > delta, over all pairs of counts; bounds by scipy."""
    k, tail = np.arange(m + 1), float(1 - confidence) / 4
    low = np.where(k > 0, beta_law.ppf(tail, k, m - k + 1), 0.0)  # Clopper and Pearson's, of all counts at once
    high = np.where(k < m, beta_law.ppf(1 - tail, k + 1, m - k), 1.0)
    shown = low[:, None] - exp(eps) * high[None, :] > delta
    return float(binom.pmf(k, m, float(p)) @ shown @ binom.pmf(k, m, float(q)))


@pytest.mark.parametrize(
    ("p", "q", "eps", "delta"),
    [(F(9, 10), F(1, 10), F(0), F(0)), (F(7, 10), F(0), F(1), F(0)), (F(1), F(1, 10), F(1), F(1, 10))],
)
def test_the_planned_number_has_the_power(p, q, eps, delta):
    confidence, power = F(9, 10), F(9, 10)
    m = plan(p, q, Eps.of(eps), delta, confidence, power) // 2
    needed = next(i for i in range(1, m + 1) if power_of(i, p, q, float(eps), float(delta), confidence) >= power)
    assert power_of(m, p, q, float(eps), float(delta), confidence) >= power
    assert m <= 2 * needed


def test_a_large_plan():
    """Thresholds by scipy's quantiles: the planned number shows it at both, three quarters of it does not."""
    eps, confidence = Eps.log(F(3)), F(999, 1000)
    p, q = randomized_response(Eps.of("1.2"))
    assert 1.2 - 1e-12 < log(p / q) < 1.2 + 1e-12

    def shows(m):
        low, _ = ends(int(binom.ppf(0.05, m, float(p))), m, 0.00025)
        _, high = ends(ceil(binom.ppf(0.95, m, float(q))), m, 0.00025)
        return low - 3 * high > 0

    m = plan(p, q, eps, F(0), confidence) // 2
    assert shows(m) and not shows(3 * m // 4)


def test_plans_that_cannot_be():
    with pytest.raises(BadInput, match="expected a violation"):
        plan(F(1, 2), F(1, 4), Eps.of(1), F(0), F(9, 10))
    with pytest.raises(BadInput, match="power"):
        plan(F(1, 2), F(1, 4), Eps.of(0), F(0), F(9, 10), F(1))
    with pytest.raises(TooMuchWork, match="expected a violation that is larger"):
        plan(F(1, 2), F(1, 2) - F(1, 10**7), Eps.of(0), F(0), F(9, 10))


def test_what_is_detectable():
    """With m runs and q = 0 the bound on q is 1 - beta^(1/m), so that the counts that show it are known exactly."""
    m, confidence = 400, F(99, 100)
    found = detectable(m, Eps.of(0), F(0), confidence)
    beta = float(share(confidence))
    shown = next(k for k in range(m + 1) if ends(k, m, beta)[0] > 1 - beta ** (1 / m))
    assert binom.sf(shown - 1, m, float(found.leak)) >= 0.9
    assert binom.sf(shown - 1, m, 0.8 * float(found.leak)) < 0.95  # 0.05 of misses are kept for q
    assert finds(m, found.truth, 1 - found.truth, Eps.of(0), F(0), confidence)
    assert found.eps == Eps.log(found.truth / (1 - found.truth))
    assert detectable(4 * m, Eps.of(0), F(0), confidence).truth < found.truth


def test_nothing_is_detectable_with_few_runs_or_at_a_large_eps():
    assert detectable(3, Eps.of(0), F(0), F(999, 1000)) == Detectable(F(9, 10), None, None)
    assert detectable(10_000, Eps.of(10_000), F(0), F(999, 1000)).truth is None


@pytest.mark.parametrize("value", ["0", "1", "1.5", "-1", 0.9, "nan", "", True])
def test_confidence_that_is_none(value):
    with pytest.raises(BadInput, match="confidence"):
        read_confidence(value)
