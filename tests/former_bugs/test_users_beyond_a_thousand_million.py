"""n up to 10^15 was told to be expected, and 10^12 users of a system with a table, or honest ones, were refused."""

from math import exp, isclose, sqrt

import pytest
from scipy.stats import norm

import shufflecert
from shufflecert import BadInput, Presence, certify, populated, system


def test_a_sum_against_its_normal_approximation():
    """Bin(n, 1/2) moved by one, whose relative error is about 1 / sigma = 10^-6."""
    noisy, sigma = system("zsum", p="1/2"), sqrt(10**12) / 2
    eps = 1 / sigma
    away = 1 / (2 * sigma) - sigma * eps
    expected = norm.cdf(away) - exp(eps) * norm.cdf(away - 1 / sigma)
    for asked, n in ((noisy, 10**12), (populated(noisy, Presence.of(honest=10**12)), 10**13)):
        found = shufflecert.delta(asked, n=n, eps="1/500000")
        assert isclose(float(found.lower), expected, rel_tol=1e-4)


@pytest.mark.parametrize("view", ["local", "preshuffle"])
def test_what_no_certificate_of_enumeration_states_is_refused(view):
    noisy = system("zsum", p="1/2")
    assert certify(noisy, 10**9, 1, 1, view).verdict == "PROVED"
    with pytest.raises(BadInput, match="n: 1000000001: expected an integer from 1 to 1000000000"):
        certify(noisy, 10**9 + 1, 1, 1, view)
