"""`calibrate binomial_noise -p bits=2` took more coins for more private: "no value satisfies (eps, delta)"; 3 coins do.

The law of the noise modulo 4 is counted out here: its numbers 0, 1, 2, 3 each from so many of the 2^coins outcomes.
"""

from fractions import Fraction
from math import comb

from shufflecert.verify.calibrate.tuned_system import Task
from tests.helpers import asked, call


def delta(coins: int, power: Fraction) -> Fraction:
    """The larger divergence of the noise and its shift by one: two laws on 0..4."""
    law = [Fraction(sum(comb(coins, k) for k in range(r, coins + 1, 4)), 2**coins) for r in range(4)]
    one, other = [*law, Fraction(0)], [Fraction(0), *law]
    return max(
        sum((max(p - power * q, Fraction(0)) for p, q in zip(*pair, strict=True)), Fraction(0))
        for pair in ((one, other), (other, one))
    )


def test_more_coins_are_not_more_private_where_the_noise_is_reduced(capsys):
    assert delta(3, Fraction(7)) < Fraction(3, 20) < delta(5, Fraction(7))
    question = ("calibrate", "binomial_noise", "-p", "bits=2", "--over", "coins", "--n", 5, "--eps", "log(7)")
    answer = asked(capsys, *question, "--delta", "3/20", "--range", "1:50")
    assert answer["value"] == "3" and answer["search"]["lemma"] is None
    kept = {coins for coins in range(1, 51) if delta(coins, Fraction(7)) <= Fraction(3, 20)}
    assert min(kept) == 3


def test_the_lemma_stays_where_the_noise_is_whole(capsys):
    for given in ({}, {"modulo": "1000003"}):
        order = Task("binomial_noise", given).orders["coins"]
        assert order is not None and order.lemma
    assert (
        "more noise is at least as private"
        in call(capsys, "calibrate", "binomial_noise", "--n", 5, "--eps", "1", "--delta", "1e-3")[1]
    )
