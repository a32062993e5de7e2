"""The proofs of Balle, Bell, Gascon and Nissim's statements reject false variants of them."""

from fractions import Fraction

import pytest
from flint import arb

from shufflecert.proofs import bbgn_amplification, bbgn_cited, bbgn_lower, bbgn_response, bbgn_sum
from shufflecert.proofs.statement import StepFailed

F = Fraction


@pytest.mark.parametrize(("name", "value"), [("FIRST", F(13)), ("SECOND", F(26)), ("FIRST", F(12))])
def test_the_constants_of_theorem_3_1_are_tight_in_its_proof(monkeypatch, name, value):
    monkeypatch.setattr(bbgn_response, name, value)
    with pytest.raises(StepFailed, match=">= 1"):
        bbgn_response.constants()


def test_theorem_3_1_notices_a_tenth_of_the_noise(monkeypatch):
    build = bbgn_response.KRR

    class Quiet(build):
        @classmethod
        def paper(cls, *given):
            return {"gamma": build.paper(*given)["gamma"] / 30}

    monkeypatch.setattr(bbgn_response, "KRR", Quiet)
    with pytest.raises(StepFailed, match="engine's delta"):
        bbgn_response.theorem()


def test_the_ratio_is_of_uniform_messages(monkeypatch):
    build = bbgn_response.sent_law
    monkeypatch.setattr(bbgn_response, "sent_law", lambda counts, x: build(counts, x) * (1 + x * counts[0]))
    with pytest.raises(StepFailed, match="n_a / n_b"):
        bbgn_response.ratio()


def test_a_mechanism_with_other_rows_is_noticed(monkeypatch):
    build = bbgn_response.KRR
    monkeypatch.setattr(bbgn_response, "KRR", lambda k, gamma: build(k, (gamma + 1) / 2))
    with pytest.raises(StepFailed, match="the row of"):
        bbgn_response.mechanism()
    with pytest.raises(StepFailed, match="krr's blanket"):
        bbgn_response.decomposition()


def test_less_noise_is_not_below_that_blanket(monkeypatch):
    build = bbgn_response.values_by_data
    monkeypatch.setattr(bbgn_response, "values_by_data", lambda k, gamma, n: build(k, F(1, 10), n))
    with pytest.raises(StepFailed, match="below the blanket"):
        bbgn_response.worst_dataset()


def test_theorem_4_1_needs_its_constant(monkeypatch):
    monkeypatch.setattr(bbgn_sum, "CONSTANT", 400)
    with pytest.raises(StepFailed, match="the constant"):
        bbgn_sum.upper_bound()


def test_posterior_means_are_those_of_the_prior(monkeypatch):
    build = bbgn_lower.joint_error

    def skewed(table, prior, inputs, n):
        least, _ = build(table, prior, inputs, n)
        return least, build([row[::-1] for row in table], prior[::-1], inputs, n)[1]

    monkeypatch.setattr(bbgn_lower, "joint_error", skewed)
    with pytest.raises(StepFailed, match="posterior"):
        bbgn_lower.lemma_1()


def test_lemma_4_5_is_about_delta_below_one_half_minus(monkeypatch):
    build = bbgn_lower.by_definition
    monkeypatch.setattr(bbgn_lower, "by_definition", lambda *given: build(*given) / 4)
    with pytest.raises(StepFailed, match="n = "):
        bbgn_lower.lemma_5()


def test_the_auxiliary_inequality_is_for_u_from_1():
    from sympy import Rational, Symbol

    u = Symbol("u", nonnegative=True)
    assert not bbgn_lower.never_negative((u - Rational(1, 2)) ** 2 - u**2 / 4, u)


# Cited statements: their finite shadows ------------------------------------------------------------------------------


def test_amplification_needs_its_factor(monkeypatch):
    monkeypatch.setattr(bbgn_amplification, "FACTOR", Fraction(1, 20))
    with pytest.raises(StepFailed, match="rr, e"):
        bbgn_amplification.compared()
    with pytest.raises(StepFailed, match="rho > 1"):
        bbgn_amplification.amplification()


def test_amplification_is_not_shown_for_two_nor_for_large_delta(monkeypatch):
    monkeypatch.setattr(bbgn_amplification, "FACTOR", 2)
    with pytest.raises(StepFailed, match="A: rho > 1"):
        bbgn_amplification.amplification()
    monkeypatch.setattr(bbgn_amplification, "FACTOR", 3)
    monkeypatch.setattr(bbgn_amplification, "LARGEST", Fraction(1, 2))
    with pytest.raises(StepFailed, match="at delta = 1/2"):
        bbgn_amplification.amplification()


def test_the_previous_bound_needs_its_constant(monkeypatch):
    monkeypatch.setattr(bbgn_cited, "PREVIOUS", arb(1) / 20)
    with pytest.raises(StepFailed, match="rr, e"):
        bbgn_cited.previous()
