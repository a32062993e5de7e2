"""The proofs of Cheu and Zhilyaev's statements reject false variants of them."""

from fractions import Fraction

import pytest

from shufflecert.proofs import cz_flip, cz_model
from shufflecert.proofs.statement import StepFailed
from shufflecert.verify.exact.ball import ball, precision

F = Fraction


def test_claim_1_is_not_shown_for_a_third_of_its_constant(monkeypatch):
    monkeypatch.setattr(cz_flip, "PRIVACY", F(11, 5))
    with pytest.raises(StepFailed, match="both tails"):
        cz_flip.claim_1()


def test_claim_1_notices_too_rare_flips(monkeypatch):
    build = cz_flip.FakeUsers

    class Quiet(build):
        @classmethod
        def paper(cls, *given):
            return {"flip": build.paper(*given)["flip"] / 100}

    monkeypatch.setattr(cz_flip, "FakeUsers", Quiet)
    with pytest.raises(StepFailed, match="engine's delta"):
        cz_flip.claim_1()


def test_claim_2_is_not_shown_for_a_smaller_constant(monkeypatch):
    monkeypatch.setattr(cz_flip, "ERROR", F(3, 2))
    with pytest.raises(StepFailed, match="units of L"):
        cz_flip.claim_2()


def test_the_rows_are_those_of_flipped_bits(monkeypatch):
    monkeypatch.setattr(cz_flip, "algorithm", lambda x, d, k, q, build=cz_flip.algorithm: build(x, d, k, 1 - q))
    with pytest.raises(StepFailed, match="the row of 1"):
        cz_flip.algorithms()


def test_the_second_root_is_not_always_smaller(monkeypatch):
    monkeypatch.setattr(cz_flip, "PRIVACY", F(2))
    for check in (cz_flip.maximum, cz_flip.theorem_3):
        with pytest.raises(StepFailed, match="q"):
            check()


# Section II ----------------------------------------------------------------------------------------------------------


def test_composition_is_not_half_of_what_is_claimed(monkeypatch):
    build = cz_model.composed
    monkeypatch.setattr(cz_model, "composed", lambda d, eps, delta, at: build(d, eps, delta, at / 10))
    with pytest.raises(StepFailed, match="exact composition"):
        cz_model.composition()


def test_one_pair_composed_once_is_itself():
    with precision(96):
        e = ball(F(1))
        assert cz_model.composed(1, e, ball(F(1, 100)), e).overlaps(ball(F(1, 100)))
        assert cz_model.composed(3, e, ball(F(0)), ball(F(0))) > cz_model.composed(1, e, ball(F(0)), ball(F(0)))


def test_a_law_is_at_no_distance_from_itself(monkeypatch):
    monkeypatch.setattr(cz_model, "hockey_stick", lambda P, Q, t: cz_flip.Fraction(1, 2))
    with pytest.raises(StepFailed, match="from itself"):
        cz_model.at_most_one()
