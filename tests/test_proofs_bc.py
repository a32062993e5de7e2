"""The lemmas of the proofs against other computations, and where they end; decimals in the evidence."""

import re
from fractions import Fraction
from functools import partial
from math import comb
from pathlib import Path

import mpmath
import pytest

from shufflecert.proofs import (
    bc_applications,
    bc_binary_sum,
    bc_earlier_work,
    bc_histogram,
    bc_privacy,
    bc_related,
    bc_smooth,
    cz_model,
    lemmas,
    notes_smooth,
    notes_sum,
)
from shufflecert.proofs.statement import StepFailed
from shufflecert.verify.exact.rational import ball, precision
from tests.reference import real

# Lemmas ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lemma", "wrong", "what"),
    [
        (lemmas.chernoff, lambda x: x**2 / 2, "upper tail"),  # false for every x > 0
        (partial(lemmas.chernoff, lemmas.rate_above), lambda x: x**2 / 2 + x**3, "lower tail"),
        (lemmas.bennett, 3, "the slope at 3"),
        (lemmas.tanh_above, 4, "sqrt"),
    ],
)
def test_lemmas_with_more_than_is_true_fail(lemma, wrong, what):
    with pytest.raises(StepFailed, match=what):
        lemma(wrong)


def test_polynomials_with_a_negative_coefficient_are_not_passed():
    from sympy import symbols

    x, y = symbols("x y", nonnegative=True)
    assert lemmas.never_negative((x + y) / (1 + x), x, y) and lemmas.never_negative(-x / (-1 - y), x, y)
    assert not lemmas.never_negative(x - y, x, y)
    assert not lemmas.never_negative(x / (1 - y), x, y)
    assert lemmas.always_positive(1 + x, x) and not lemmas.always_positive(x, x)


def test_undecided_comparisons_do_not_hold():
    from flint import arb

    assert not lemmas.certainly(lambda: arb(2).sqrt() ** 2 == 2)
    assert not lemmas.certainly(lambda: arb(2).sqrt() ** 2 >= 2)


# Appendix A ------------------------------------------------------------------------------------------------------


def test_lemma_23_needs_gamma_of_at_most_a_half():
    bc_smooth.factors()
    bc_smooth.factors(Fraction(1, 3))
    with pytest.raises(StepFailed, match="wards"):
        bc_smooth.factors(Fraction(3, 5))


def test_lemma_23_fails_for_larger_gamma_or_k():
    """gamma = 9/10 with the k that is allowed, and k = 2 alpha mu: the event has more than delta."""
    n, g, a = 40, Fraction(9, 10), Fraction(3, 4)
    assert not bc_smooth.holds_for(n, g, a, 13)
    n, g, a = 60, Fraction(1, 2), Fraction(3, 4)
    assert bc_smooth.holds_for(n, g, a, 5) and not bc_smooth.holds_for(n, g, a, 30)


def test_rough_by_hand():
    law = [Fraction(1, 4), Fraction(1, 2), Fraction(1, 4)]
    assert bc_smooth.rough(law, 1, Fraction(1)) == Fraction(3, 4)  # 1/2 against 1/4, and 1/4 against 0
    assert bc_smooth.rough(law, 1, Fraction(2)) == Fraction(3, 4)
    assert bc_smooth.rough(law, 1, Fraction(2), at_least=False) == Fraction(1, 4)
    assert bc_smooth.rough(law, -1, None) == Fraction(1, 4)


# Theorem 11 ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("constant", "rate"), [(16, 1), (50, Fraction(39, 10)), (2, 1), (50, Fraction(1, 2))])
def test_smaller_constants_and_larger_rates_are_not_carried(constant, rate):
    with pytest.raises(StepFailed):
        bc_privacy.keeps_private(constant, Fraction(rate))


def test_both_ways_against_a_sum():
    """The sum of positive parts in 50 digits of mpmath, n = 139."""
    n, q, t = 139, mpmath.mpf(1) / 3, mpmath.e
    with mpmath.workdps(50):
        q, t = mpmath.mpf(1) / 3, mpmath.exp(1)
        w = [comb(n, k) * q**k * (1 - q) ** (n - k) for k in range(n + 1)]
        one = sum(max(w[k] - t * (w[k - 1] if k else 0), 0) for k in range(n + 1))
        other = sum(max(w[k] - t * (w[k + 1] if k < n else 0), 0) for k in range(n + 1))
        low, high = bc_privacy.both_ways(n, Fraction(1, 3), "1")
        assert real(low) <= max(one, other) * (1 + mpmath.mpf(10) ** -30)
        assert real(high) >= max(one, other) * (1 - mpmath.mpf(10) ** -30)


def test_a_larger_exponent_of_delta_is_refused():
    with pytest.raises(StepFailed, match="26"):
        bc_binary_sum.failure_bound(26)


# Notes, and sections of other papers ---------------------------------------------------------------------------------


def test_joint_gap_by_hand():
    half = [Fraction(1, 2), Fraction(1, 2)]
    assert notes_smooth.joint_gap(half, (1,), Fraction(1)) == Fraction(1, 2)
    assert notes_smooth.joint_gap(half, (1, 0), Fraction(1)) == Fraction(1, 2)
    assert notes_smooth.joint_gap(half, (1, 1), Fraction(1)) == Fraction(3, 4)


def test_a_threshold_of_t_takes_others_in():
    bc_applications.separation()
    with pytest.raises(StepFailed, match="others"):
        bc_applications.separation(0)
    with pytest.raises(StepFailed, match="chosen"):
        bc_applications.separation(2)


def test_coupons_by_hand():
    assert bc_applications.coupon_chance(2, 2, 1) == Fraction(1, 2)
    assert bc_applications.coupon_chance(3, 2, 1) == Fraction(3, 4)
    assert bc_applications.coupon_chance(3, 2, 2) == 0
    assert bc_applications.coupon_chance(4, 2, 2) == Fraction(3, 8)


def test_one_pair_composed_once_is_itself():
    with precision(96):
        e = ball(Fraction(1))
        assert cz_model.composed(1, e, ball(Fraction(1, 100)), e).overlaps(ball(Fraction(1, 100)))
        assert cz_model.composed(3, e, ball(Fraction(0)), ball(Fraction(0))) > cz_model.composed(
            1, e, ball(Fraction(0)), ball(Fraction(0))
        )


# Decimals in the evidence ----------------------------------------------------------------------------------------

WRITTEN = [
    (bc_applications, "0.215", lambda: 3 * mpmath.mpf("0.9") ** 25),
    (bc_binary_sum, "0.1177", lambda: mpmath.sqrt(2 * mpmath.log(2)) / 10),
    (bc_binary_sum, "0.0832", lambda: 2 * mpmath.sqrt(mpmath.log(2) / 400)),
    (bc_binary_sum, "120.7", lambda: 50 + mpmath.sqrt(5000)),
    (bc_binary_sum, "201.98", lambda: 100 + mpmath.sqrt(10400)),
    (bc_binary_sum, "1.019", lambda: 50 * mpmath.log(2) / 34),
    (bc_smooth, "0.4589", lambda: mpmath.exp(mpmath.mpf(-25) / 16) + mpmath.exp(mpmath.mpf(-25) / 18)),
    (bc_smooth, "0.46211", lambda: mpmath.tanh(mpmath.mpf(1) / 2)),
    (bc_smooth, "0.44721", lambda: 1 / mpmath.sqrt(5)),
    (bc_smooth, "7.74", lambda: 25 * mpmath.log(2) / mpmath.sqrt(5)),
    (notes_sum, "0.46211", lambda: mpmath.tanh(mpmath.mpf(1) / 2)),
    (notes_sum, "0.44721", lambda: 1 / mpmath.sqrt(5)),
    (notes_sum, "4.682", lambda: 1 / mpmath.tanh(mpmath.mpf(1) / 2) ** 2),
    (notes_sum, "15.49", lambda: 10 * mpmath.sqrt(5) * mpmath.log(2)),
]


@pytest.mark.parametrize(("module", "digits", "value"), WRITTEN, ids=[digits for _, digits, _ in WRITTEN])
def test_decimals_in_the_evidence_are_those_of_the_numbers(module, digits, value):
    assert f"{digits}..." in Path(module.__file__).read_text(encoding="utf-8")
    with mpmath.workdps(30):
        assert mpmath.nstr(value(), 25).startswith(digits)


def test_every_such_decimal_is_checked():
    listed = {(module.__name__, digits) for module, digits, _ in WRITTEN}
    for module in (
        bc_privacy,
        bc_binary_sum,
        bc_smooth,
        bc_applications,
        bc_related,
        bc_earlier_work,
        bc_histogram,
        notes_sum,
        notes_smooth,
    ):
        text = Path(module.__file__).read_text(encoding="utf-8")
        found = set(re.findall(r"(\d+\.\d+)\.\.\.", "\n".join(line for line in text.splitlines() if '"' in line)))
        assert {(module.__name__, digits) for digits in found - {"4.68"}} <= listed
