"""Refusals of a table that is too large, and of continuous noise, that sent their reader to what refuses as well."""

from fractions import Fraction

import pytest

from shufflecert.verify.audit.sampler import enumerate_sampler
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce import privacy_blanket
from tests.helpers import call


def response(k):
    """The truth with weight 2, anything else with weight 1: local eps log(2)."""
    return {x: {y: Fraction(1 + (x == y), k + 1) for y in range(k)} for x in range(k)}


def test_a_large_table_is_sent_to_its_local_eps(monkeypatch, capsys):
    monkeypatch.setattr(privacy_blanket, "MAX_WORK", 1)
    with pytest.raises(TooMuchWork, match=r"any_ldp -p eps0=0\.693148, its local eps") as refused:
        privacy_blanket.reach_of(Randomizer.of(response(5)), 100)
    assert "shufflecert systems" in str(refused.value)
    assert call(capsys, "epsilon", "any_ldp", "-p", "eps0=0.693148", "--n", "100", "--delta", "1e-6")[0] == 0


def test_a_large_table_without_a_local_eps_is_not(monkeypatch):
    monkeypatch.setattr(privacy_blanket, "MAX_WORK", 1)
    rows = response(5) | {0: {0: Fraction(1)}}
    with pytest.raises(TooMuchWork, match="shufflecert systems") as refused:
        privacy_blanket.reach_of(Randomizer.of(rows), 100)
    assert "any_ldp" not in str(refused.value)


def test_continuous_noise_is_not_sent_to_a_black_box_as_it_is():
    with pytest.raises(
        BadInput, match=r"rng.gauss is not followed: it is continuous noise.* discrete noise"
    ) as refused:
        enumerate_sampler(lambda x, rng: rng.gauss(x, 1), [0, 1])
    assert "with --black-box a number that is rounded" in str(refused.value)
