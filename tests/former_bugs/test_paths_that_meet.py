"""Walks followed every path where few states are met: minutes, and a residual for loops, so that nothing was PROVED."""

from fractions import Fraction
from math import comb

from shufflecert.verify import kernel
from shufflecert.verify.decide.certify import certify
from tests.sampler_laws import enumerate_several as enumerate_sampler


def coins_by_a_loop(x, rng):
    total = x
    for _ in range(20):
        if rng.random() < 0.5:
            total += 1
    return total


def coins_by_sum(x, rng):
    return x + sum(rng.getrandbits(1) for _ in range(20))


def tries(x, rng):
    """The truth or, of 20 uniform proposals, the first that is accepted."""
    for _ in range(20):
        proposal = rng.randrange(8)
        if proposal != x and rng.random() < 0.125:
            return proposal
    return x


def rejected(x, rng):
    """Twice as likely the truth as any other of four, by rejection without an end."""
    while True:
        y = rng.randrange(4)
        if rng.random() < (0.5 if y == x else 0.25):
            return y


def die(x, rng):
    """A pad modulo 6 from random bits, where 6 and 7 are rejected."""
    while True:
        value = 0
        for _ in range(3):
            value = 2 * value + rng.getrandbits(1)
        if value < 6:
            return (x + value) % 6


def test_twenty_coins():
    """2^20 paths through 210 states."""
    for function in (coins_by_a_loop, coins_by_sum):
        found = enumerate_sampler(function, [0, 1], max_paths=10_000)
        for x in (0, 1):
            assert found.residual[str(x)] == 0
            assert found.laws[str(x)] == {(str(x + k),): Fraction(comb(20, k), 2**20) for k in range(21)}


def test_twenty_tries():
    """15^20 paths; each try accepts one of the seven others with probability 1/64."""
    found = enumerate_sampler(tries, [0, 1], max_paths=10_000)
    truth = Fraction(57, 64) ** 20
    for x in (0, 1):
        assert found.residual[str(x)] == 0
        assert found.laws[str(x)] == {(str(y),): truth if y == x else (1 - truth) / 7 for y in range(8)}


def test_a_rejection_sampler_keeps_a_pure_promise():
    for function, inputs, eps in ((rejected, range(4), "log(2)"), (die, range(6), "0")):
        for deployed in (False, True):
            found = enumerate_sampler(function, list(inputs), deployed=deployed)
            assert set(found.residual.values()) == {0}
            result = certify(found.randomizer, 1, eps, 0, "local")
            assert result.verdict == "PROVED"
            assert kernel.check(result.certificate_text().encode()).status == "accepted"
    assert found.laws["0"] == {(str(y),): Fraction(1, 6) for y in range(6)}
