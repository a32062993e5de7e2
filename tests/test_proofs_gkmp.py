"""GKMP's lemmas where they end, and the counterexamples computed another way."""

import random
from fractions import Fraction

import pytest

from shufflecert.proofs import gkmp_correlated
from shufflecert.proofs.lemmas import chernoff, convex_from_zero, nonnegative, positive_on
from shufflecert.proofs.statement import StepFailed

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


# Theorem 18 and the mechanism itself ---------------------------------------------------------------------------------


def test_without_its_third_condition_theorem_18_fails_in_some_case():
    with pytest.raises(StepFailed, match="a case"):
        for seed in range(gkmp_correlated.CASES):
            gkmp_correlated.case(random.Random(seed), counted=0)


# The counterexamples, computed another way ---------------------------------------------------------------------------
