"""Laws that were false since numpy's numbers were taken for Python's: each of them is honoured now, or refused.

The right laws are worked out by hand beside each function.
"""

from fractions import Fraction

import numpy as np
import pytest

from shufflecert.verify.errors import BadInput
from tests.sampler_laws import enumerate_several as enumerate_sampler

F = Fraction


def not_of_a_numpy_bool(x, rng):
    """~ of numpy's bool is its opposite; of Python's True it is -2, which is true."""
    return int(x ^ bool((~(rng.random(1) < 0.25))[0]))


def a_pad_of_a_byte(x, rng):
    """A byte wraps round: uniform whatever x."""
    return int((np.uint8([x]) + rng.integers(0, 256, size=1, dtype=np.uint8))[0] & 1)


def either(x, rng):
    """True + True of numpy's bools is True: a lie with probability 1 - (3/4)^2 = 7/16."""
    lies = rng.random(2) < 0.25
    return int(x ^ (lies[0] + lies[1]))


def one_trial(x, rng):
    """A multinomial law of one trial."""
    return int(rng.multinomial(1, np.roll([0.5, 0.25, 0.25], x)).argmax())


def binary(lie):
    return {"0": {0: 1 - lie, 1: lie}, "1": {0: lie, 1: 1 - lie}}


RIGHT = [
    (not_of_a_numpy_bool, (0, 1), binary(F(3, 4))),
    (a_pad_of_a_byte, (0, 1), binary(F(1, 2))),
    (either, (0, 1), binary(F(7, 16))),
    (one_trial, (0, 1, 2), {str(x): {y: F(1, 2) if x == y else F(1, 4) for y in range(3)} for x in range(3)}),
]


@pytest.mark.parametrize(("function", "inputs", "laws"), RIGHT, ids=lambda value: getattr(value, "__name__", ""))
def test_laws(function, inputs, laws):
    found = enumerate_sampler(function, inputs)
    assert not any(found.residual.values())
    assert found.laws == {x: {(str(y),): p for y, p in law.items() if p} for x, law in laws.items()}


def in_single_precision(x, rng):
    """Deployed, the draw is rounded to float32 before it is compared."""
    return int(x ^ bool(np.float32(rng.random()) < np.float32(0.1)))


def softmax(x, rng):
    """Sums to 1 in doubles only to rounding; numpy accepts it."""
    weights = np.exp([1.0, 2.0, 3.0])
    return int(rng.multinomial(1, np.roll(weights / weights.sum(), x)).argmax())


def test_float32_is_refused_or_honoured():
    """Below 0.1 in single precision: the doubles k 2^-53 that round to less; counted by bisection on numpy's own."""
    try:
        found = enumerate_sampler(in_single_precision, (0, 1), deployed=True)
    except BadInput:
        return
    low, high = 0, 2**53
    while high - low > 1:
        middle = (low + high) // 2
        below = np.float32(middle * 2.0**-53) < np.float32(0.1)
        low, high = (middle, high) if below else (low, middle)
    assert found.laws["0"]["1",] == F(high, 2**53)


def test_weights_that_numpy_accepts():
    found = enumerate_sampler(softmax, (0, 1, 2))
    for x, law in found.laws.items():
        for y in range(3):
            near = float(np.exp([1.0, 2.0, 3.0])[(y - int(x)) % 3] / np.exp([1.0, 2.0, 3.0]).sum())
            assert abs(float(law[str(y),]) - near) < 1e-12
