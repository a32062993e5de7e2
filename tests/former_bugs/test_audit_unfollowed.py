"""The audit of a function whose paths were not all followed passed off as the function's own what is only the
dominating randomizer's: "not followed from 0" as a leak, a lower end of delta, an exact blanket and exact numbers of
messages. And `--gallery NAME`, `--n ""`, a number of numpy's times a draw: refused, taken for 1:3, a TypeError.
And as meant, uniform() took the difference of two floats, choice() without a shuffle every order for equally likely."""

from fractions import Fraction

import numpy as np
import pytest

from shufflecert.verify.answers.audited import to_json
from shufflecert.verify.audit.audit import Promise, audit
from shufflecert.verify.audit.sampler import NOT_FOLLOWED, enumerate_sampler
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from tests.helpers import call, is_one_line
from tests.sampler_laws import slow_coin


@pytest.fixture(scope="module")
def answer():
    followed = enumerate_sampler(slow_coin, [0, 1], residual=Fraction(1, 1000))
    residual = max(followed.residual.values())
    assert residual > 0
    promise = Promise(1, Eps.log(2), Fraction(1, 100), "local")
    found = audit(followed.randomizer, [1], [Eps.of(0)], promise=promise, large=2, residual=residual)
    return to_json(found, "coin", followed)


def test_what_was_not_followed_is_no_leak(answer):
    assert answer["leaks"] == []
    assert not any(NOT_FOLLOWED in str(part) for part in (answer["leaks"], answer["communication"]))


def test_delta_is_0_at_log_2(answer):
    assert answer["claim"]["verdict"] == "PROVED"
    assert answer["claim"]["delta"]["lower"] == "0"
    assert answer["claim"]["delta"]["exact"] is None


def test_the_blanket_is_enclosed(answer):
    assert answer["blanket"]["gamma"] is None
    assert Fraction(answer["blanket"]["lower"]) < Fraction(2, 3) <= Fraction(answer["blanket"]["upper"])


def test_two_messages_are_sent(answer):
    assert answer["messages"] == 2
    assert answer["communication"]["bits_per_message"] == 1
    assert all(Fraction(e) < 1 for e in answer["communication"]["expected_messages"].values())


@pytest.mark.parametrize("factor", [np.int64(2), np.float64(2), np.float32(2)])
def test_numbers_of_numpy_times_a_draw(factor):
    followed = enumerate_sampler(lambda x, rng: bool(factor * rng.random() < 0.5), [0])
    assert followed.laws["0"]["1",] == Fraction(1, 4)


def test_one_of_the_gallery(capsys):
    status, out, _ = call(capsys, "audit", "--gallery", "one_bit_mean", "--large", "5")
    assert status == 0
    assert "one_bit_mean" in out


def test_no_numbers_of_users(capsys):
    status, out, err = call(capsys, "audit", "one_message", "--n", "")
    assert (status, out) == (2, "")
    assert is_one_line(err)


def test_uniform_between_decimals():
    """As meant, 0.1 and 0.3 are decimals; their difference in floats is not 0.2, and gave 1/2 + 5e-17."""
    followed = enumerate_sampler(lambda x, rng: rng.uniform(0.1, 0.3) < 0.2, [0])
    assert followed.laws["0"]["1",] == Fraction(1, 2)


def test_an_order_that_is_not_uniform():
    """Without shuffling, what numpy chooses comes in an order of its own; all orders were taken for equally likely."""
    with pytest.raises(BadInput, match="shuffle=False"):
        enumerate_sampler(lambda x, rng: tuple(rng.choice(4, 2, replace=False, shuffle=False)), [0])
