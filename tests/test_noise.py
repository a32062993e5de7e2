"""Noise laws: exact sums of Fractions, fixed-point sums, integrals by mpmath at 60 digits."""

from fractions import Fraction
from math import isqrt

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify.enclose.noise_laws import (
    Binomial,
    DiscreteLaplace,
    NegativeBinomial,
    Poisson,
    Reflected,
    geometric,
)
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.rational import precision
from tests.balls import agrees, contains, ends, sharp
from tests.helpers import few
from tests.reference import binomial, real

HALF, TINY = Fraction(1, 2), Fraction(1, 10**12)
SHARP = Fraction(1, 10**30)


# Laws with rational probabilities ----------------------------------------------------------------------------------


def negative_binomial_law(r, p, at_zero, terms):
    """The first probabilities, with Pr[0] = (1 - p)^r given."""
    law = {0: at_zero}
    for k in range(1, terms):
        law[k] = law[k - 1] * p * (k - 1 + r) / k
    return law


PROBABILITIES = [Fraction(0), TINY, Fraction(1, 3), HALF, Fraction(3, 7), 1 - TINY, Fraction(1)]
BINOMIALS = [(Binomial(n, p), binomial(n, p), True) for n in (0, 1, 2, 3, 11, 40) for p in PROBABILITIES]
NEGATIVE = [  # (r, p, (1 - p)^r)
    (Fraction(1), HALF, HALF),
    (Fraction(2), Fraction(1, 3), Fraction(4, 9)),
    (Fraction(3, 2), Fraction(3, 4), Fraction(1, 8)),
    (HALF, Fraction(3, 4), HALF),
    (HALF, 1 - TINY, Fraction(1, 10**6)),
    (HALF, 1 - (1 - TINY) ** 2, 1 - TINY),
    (Fraction(1, 3), Fraction(7, 8), HALF),
    (Fraction(1, 1000), 1 - HALF**1000, HALF),
    (Fraction(40), 1 - TINY, TINY**40),
]
NEGATIVE_BINOMIALS = [(NegativeBinomial(r, p), negative_binomial_law(r, p, z, 30), False) for r, p, z in NEGATIVE]
LAPLACES = [
    (DiscreteLaplace(q), {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-25, 26)}, False)
    for q in (TINY, HALF, Fraction(9, 10), 1 - TINY)
]
EXACT = BINOMIALS + NEGATIVE_BINOMIALS + LAPLACES
all_exact = pytest.mark.parametrize(("noise", "law", "whole"), EXACT, ids=[f"law{i}" for i in range(len(EXACT))])


@all_exact
def test_points_contain_the_exact_probabilities(noise, law, whole):
    with precision(160):
        for k, exact in law.items():
            assert contains(noise.pmf(k), exact) and sharp(noise.pmf(k))
            assert contains(noise.reflected().pmf(-k), exact) and contains(Reflected(noise).pmf(-k), exact)
        outside = [min(law) - 1, max(law) + 1, max(law) + 100] if whole else [-1] if noise.low == 0 else []
        assert all(noise.pmf(k) == 0 for k in outside)


@all_exact
@pytest.mark.sampled(3)
def test_tails_contain_the_exact_sums(noise, law, whole):
    below = Fraction(0) if noise.low is not None else law[min(law)] * noise.q / (1 - noise.q)
    with precision(160):
        for k, exact in sorted(law.items()):
            assert contains(noise.survival(k), 1 - below)
            below += exact
            assert contains(noise.cdf(k), below)
            assert contains(Reflected(noise).survival(-k), below) and contains(Reflected(noise).cdf(-k - 1), 1 - below)
        if whole:
            assert noise.survival(min(law) - 3) == 1 and noise.cdf(min(law) - 1) == 0
            assert noise.survival(max(law) + 1) == 0 and noise.cdf(max(law) + 3) == 1


@all_exact
@pytest.mark.parametrize("bits", [8, 32, 128, 300])
def test_windows_contain_the_exact_probabilities(noise, law, whole, bits):
    if isinstance(noise, NegativeBinomial | DiscreteLaplace) and noise.limit() > Fraction(99, 100):
        with pytest.raises(TooMuchWork, match="terms of"):
            noise.window(bits)
        return
    first, low, high, outside = noise.window(bits)
    for k, exact in law.items():
        if first <= k < first + len(low):
            assert low[k - first] <= exact * 2**bits <= high[k - first]
    inside = sum(exact for k, exact in law.items() if first <= k < first + len(low))
    assert not whole or (1 - inside) * 2**bits <= outside
    assert sum(low) <= 2**bits <= sum(high) + outside


def test_one_point_and_no_trials():
    for noise, at in ((Binomial(0, HALF), 0), (Binomial(7, 0), 0), (Binomial(7, 1), 7), (Binomial(0, 1), 0)):
        assert (noise.low, noise.high, noise.mode, noise.mean, noise.variance) == (at, at, at, at, 0)
        first, low, high, outside = noise.window(64)
        assert (first, low, high, outside) == (at, [2**64], [2**64], 0)


# The shape of every law --------------------------------------------------------------------------------------------


rationals = st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000)
laws = st.one_of(
    st.builds(Binomial, st.integers(0, 50), rationals),
    st.builds(Poisson, st.fractions(Fraction(1, 100), 30, max_denominator=100)),
    st.builds(NegativeBinomial, st.fractions(Fraction(1, 1000), 6, max_denominator=1000), rationals),
    st.builds(DiscreteLaplace, rationals),
)
both_ways = st.one_of(laws, st.builds(Reflected, laws), st.builds(Reflected, st.builds(Reflected, laws)))


@few
@given(both_ways, st.integers(-20, 60))
def test_the_ratio_is_that_of_the_probabilities_and_monotone(noise, k):
    with precision(128):
        if noise.holds(k - 1):
            a, b = noise.ratio(k)
            assert b > 0 and (noise.pmf(k) * b).overlaps(noise.pmf(k - 1) * a)
            if noise.holds(k):
                c, d = noise.ratio(k + 1)
                assert (c * b <= a * d) if noise.log_concave else (c * b >= a * d) or noise.limit() == 0


@few
@given(both_ways, st.integers(-20, 60))
def test_the_mode_is_the_largest(noise, k):
    with precision(128):
        assert noise.holds(noise.mode) and not noise.pmf(k) > noise.pmf(noise.mode)


@few
@given(both_ways)
def test_the_limit_is_that_of_far_ratios(noise):
    far = 10**30
    if noise.high is None:
        assert abs(Fraction(*noise.ratio(far)) - noise.limit()) < Fraction(1, 10**25)
    else:
        assert noise.limit() == 0
    if noise.low is None:
        a, b = noise.ratio(-far)
        assert abs(Fraction(b, a) - noise.limit_below()) < Fraction(1, 10**25)
    else:
        assert noise.limit_below() == 0


@few
@given(both_ways, st.integers(-20, 60))
def test_the_reflected_law_is_that_of_the_negative(noise, k):
    with precision(128):
        mirror = noise.reflected()
        assert (mirror.mean, mirror.variance, mirror.mode) == (-noise.mean, noise.variance, -noise.mode) or (
            isinstance(noise, DiscreteLaplace) and mirror is noise
        )
        assert mirror.pmf(-k).overlaps(noise.pmf(k)) and mirror.survival(-k).overlaps(noise.cdf(k))
        assert mirror.log_concave == noise.log_concave


def test_mean_and_variance_are_those_of_the_law():
    for noise, law, whole in BINOMIALS:
        assert whole and noise.mean == sum(k * w for k, w in law.items())
        assert noise.variance == sum((k - noise.mean) ** 2 * w for k, w in law.items())
    q = Fraction(1, 5)  # sums far enough: 5^-200
    for noise, law in (
        (geometric(q), {k: (1 - q) * q**k for k in range(200)}),
        (NegativeBinomial(3, q), negative_binomial_law(Fraction(3), q, (1 - q) ** 3, 200)),
        (DiscreteLaplace(q), {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-200, 200)}),
    ):
        assert abs(noise.mean - sum(k * w for k, w in law.items())) < SHARP
        assert abs(noise.variance - sum((k - noise.mean) ** 2 * w for k, w in law.items())) < SHARP


# Large laws --------------------------------------------------------------------------------------------------------


LARGE = [
    Binomial(10**9, HALF),
    Binomial(10**12, Fraction(1, 3)),
    Binomial(10**15, TINY),
    Binomial(10**15, 1 - TINY),
    Poisson(Fraction(1, 10**9)),
    Poisson(10**9),
    Poisson(10**15),
    NegativeBinomial(1000, 1 - Fraction(1, 10**6)),
    NegativeBinomial(HALF, 1 - Fraction(1, 10**9)),
    NegativeBinomial(Fraction(1, 1000), 1 - Fraction(1, 10**9)),
    DiscreteLaplace(1 - Fraction(1, 10**9)),
]


@pytest.mark.parametrize("noise", LARGE, ids=str)
@pytest.mark.sampled(6)
def test_sum_rules_of_large_laws(noise):
    spread = isqrt(int(noise.variance)) + 1
    with precision(160):
        for k in (noise.mode + 1, noise.mode + spread, noise.mode + 6 * spread, noise.mode - spread):
            if noise.holds(k):
                upper, lower = noise.survival(k), noise.cdf(k - 1)
                assert contains(upper + lower, 1) and sharp(upper) and sharp(lower)
                block = sum((noise.pmf(j) for j in range(k, k + 5)), noise.pmf(noise.mode) * 0)
                assert (upper - noise.survival(k + 5)).overlaps(block)


def fixed_point_tail(noise, k, start, bits=900):
    """Ends of Pr[X >= k], k beyond the mode, by integers: a term after a term, from a given probability of k."""
    low, high = (int(start * (1 + s * mpmath.mpf(10) ** -90) * 2**bits) + (s > 0) for s in (-1, 1))
    total_low = total_high = 0
    while high >> 40:
        total_low, total_high = total_low + low, total_high + high
        k += 1
        a, b = noise.ratio(k)
        low, high = low * a // b, -(-high * a // b)
    a, b = noise.ratio(k + 1)
    return Fraction(total_low, 2**bits), Fraction(total_high + -(-high * b // (b - a)), 2**bits)


def test_forty_standard_deviations_out_at_a_billion():
    noise = Binomial(10**9, HALF)
    k = noise.mode + 40 * 15_811
    with mpmath.workdps(110):
        log = mpmath.loggamma(10**9 + 1) - mpmath.loggamma(k + 1) - mpmath.loggamma(10**9 - k + 1)
        low, high = fixed_point_tail(noise, k, mpmath.exp(log - 10**9 * mpmath.log(2)), bits=1700)
    with precision(160):
        tail = noise.survival(k)
    assert ends(tail)[0] <= high and low <= ends(tail)[1] and sharp(tail)
    assert high - low < SHARP * low and high < Fraction(1, 10**349)


def beta_integral(a, b, x, width, pieces):
    """The integral over [x - width * pieces, x] of t^(a-1) (1-t)^(b-1) / B(a, b), by mpmath, piece by piece."""
    with mpmath.workdps(90):
        a, b, x, width = (real(v) for v in map(Fraction, (a, b, x, width)))
        constant = mpmath.loggamma(a + b) - mpmath.loggamma(a) - mpmath.loggamma(b)
        return mpmath.quad(
            lambda t: mpmath.exp((a - 1) * mpmath.log(t) + (b - 1) * mpmath.log1p(-t) + constant),
            [x - i * width for i in range(pieces, -1, -1)],
            maxdegree=5,
        )


@pytest.mark.parametrize("sigmas", [1, 6])
def test_tails_of_a_trillion_trials_against_an_integral(sigmas):
    n, p = 10**12, Fraction(1, 3)
    noise = Binomial(n, p)
    k = noise.mode + sigmas * isqrt(int(noise.variance))
    with precision(200):
        tail = noise.survival(k)
    width = Fraction(isqrt(int(noise.variance)), n)
    assert agrees(tail, beta_integral(k, n - k + 1, p, width, 20), 50) and sharp(tail)


def test_tails_of_a_wide_negative_binomial_against_an_integral():
    r, p = HALF, 1 - Fraction(1, 10**9)
    noise, k = NegativeBinomial(r, p), 2 * 10**9
    with precision(200):
        tail = noise.survival(k)
    assert agrees(tail, beta_integral(k, r, p, Fraction(4, k), 35), 50) and sharp(tail)


def test_poisson_against_mpmath():
    for lam, ks in (
        (Fraction(1, 10**9), (0, 1, 2, 5)),
        (Fraction(7, 2), (0, 3, 4, 40)),
        (Fraction(500), (400, 501, 600)),
    ):
        with mpmath.workdps(80):
            x = real(lam)
            for k in ks:
                with precision(200):
                    point, tail = Poisson(lam).pmf(k), Poisson(lam).survival(k + 1)
                assert agrees(point, mpmath.exp(-x) * x**k / mpmath.factorial(k))
                assert agrees(tail, mpmath.gammainc(k + 1, 0, x, regularized=True), 45)


# Bad input ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: Binomial(-1, HALF), "n: -1: expected an integer from 0 to"),
        (lambda: Binomial(10**15 + 1, HALF), "expected an integer from 0 to"),
        (lambda: Binomial(3, 0.5), "p: 0.5 is a float"),
        (lambda: Binomial(3, "3/2"), "p: 3/2 is not a probability"),
        (lambda: Poisson(0), "lam: 0: expected a rational above 0"),
        (lambda: NegativeBinomial(0, HALF), "r: 0: expected a rational above 0"),
        (lambda: NegativeBinomial(1, 1), "p: 1: expected a rational strictly between 0 and 1"),
        (lambda: geometric(0), "p: 0: expected a rational strictly between 0 and 1"),
        (lambda: DiscreteLaplace("1"), "q: 1: expected a rational strictly between 0 and 1"),
    ],
)
def test_bad_parameters_are_one_line(make, complaint):
    with pytest.raises(BadInput, match=complaint) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_law_as_json_is_text():
    assert Binomial(3, HALF).to_json() == {"law": "binomial", "n": 3, "p": "1/2"}
    assert Poisson("1e-9").to_json() == {"law": "poisson", "lam": "1/1000000000"}
    assert NegativeBinomial(HALF, "0.75").to_json() == {"law": "negative_binomial", "r": "1/2", "p": "3/4"}
    assert DiscreteLaplace("1/3").to_json() == {"law": "discrete_laplace", "q": "1/3"}
