"""GKMP's lemmas where they end, and the counterexamples computed another way."""

import random
from fractions import Fraction
from itertools import product

import pytest

from shufflecert.proofs import gkmp_correlated
from shufflecert.proofs.lemmas import chernoff, convex_from_zero, nonnegative, positive_on
from shufflecert.proofs.statement import StepFailed
from shufflecert.protocols.negative_binomial import NegativeBinomialSum
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.reduce.reduction import worst_delta

F = Fraction


def test_signs_of_coefficients_and_convexity():
    from sympy import Symbol, log

    u = Symbol("u", nonnegative=True)
    assert nonnegative((u**3 + 9 * u**2) / (1 + u), u) and nonnegative(1 - u, u, below=1)
    assert not nonnegative(u - 1, u) and not nonnegative(1 - u, u)
    convex_from_zero((1 + u) * log(1 + u) - u - u**2 / (2 * (1 + u / 3)), u, "sharp")
    with pytest.raises(StepFailed, match="Gaussian: derivative 2"):  # such tails are too light
        convex_from_zero((1 + u) * log(1 + u) - u - u**2 / 2, u, "Gaussian")
    with pytest.raises(StepFailed, match="line: derivative 1"):
        convex_from_zero(u, u, "line")


def test_a_function_that_touches_zero_is_not_positive():
    assert positive_on(lambda x: x * x + 1, F(-1), F(1)) >= 1
    with pytest.raises(StepFailed, match="positive on"):
        positive_on(lambda x: x * x - 1, F(0), F(2))


def test_a_larger_chernoff_exponent_is_rejected(monkeypatch):
    monkeypatch.setattr(
        "shufflecert.proofs.lemmas.convex_from_zero",
        lambda f, u, what, below=None: convex_from_zero(2 * f - u**2, u, what, below),
    )
    with pytest.raises(StepFailed, match="tail"):
        chernoff.__wrapped__()


@pytest.mark.parametrize(("p", "sensitivity"), [(F(19, 20), 20), (F(99, 100), 100)])
def test_the_counterexample_to_theorem_13_needs_a_large_eps(p, sensitivity):
    from math import exp

    assert 1 - float(p) ** sensitivity < exp(-(float(p) ** 10) / 50)
    assert exp(-(0.95**10) / 50) < 1 - 0.95**100


# Theorem 18 and the mechanism itself ---------------------------------------------------------------------------------


def test_without_its_third_condition_theorem_18_fails_in_some_case():
    with pytest.raises(StepFailed, match="a case"):
        for seed in range(gkmp_correlated.CASES):
            gkmp_correlated.case(random.Random(seed), counted=0)


# The counterexamples, computed another way ---------------------------------------------------------------------------


def test_theorem_13_is_false_by_the_engine_as_well():
    """The exact divergence of NB(1, 19/20) and its shift by 100 at eps = 1000 log(20/19), against exp(-p^10 / 50)."""
    from math import exp

    reach = NegativeBinomialSum(F(1), F(19, 20), 100).reach(1)
    found = worst_delta(reach, Eps.log(F(20, 19) ** 1000)).value
    assert found.low > F(exp(-(0.95**10) / 50)) + F(1, 200)


def test_the_event_of_theorem_18_tells_the_two_inputs_apart():
    """Every (G, G', Z3) up to 20, 20 and 90: the event holds for s = 0 and Z3 <= 6, and for s = 1 never below 77."""
    for g, other, shared in product(range(20), range(20), range(90)):
        for s in (0, 1):
            u, v = s + 13 * g + shared, 7 * other + shared
            event = (u - v % 7) % 13 == 0
            if s == 0 and shared <= 6:
                assert event
            if s == 1 and shared < 77:
                assert not event


def test_the_difference_of_the_counterexample_to_theorem_18_is_flat():
    """Pr[13 G - 7 G' = z], summed over G up to 12000, changes by a factor of at most 0.999^-17 from z to z + 1."""
    law = {z: sum(0.999 ** (g + (13 * g - z) // 7) for g in range(12000) if 13 * g >= z and (13 * g - z) % 7 == 0)
           for z in range(-60, 61)}  # fmt: skip
    ratios = [law[z] / law[z + 1] for z in range(-60, 60)]
    assert max(ratios) <= 0.999**-17 * (1 + 1e-9) and min(ratios) >= 0.999**17 * (1 - 1e-9)
    assert max(ratios) > 0.999**-10, "the bound is not far from it"
