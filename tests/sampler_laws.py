"""What the enumerating source of randomness answers about one input, and why it refuses a function."""

from fractions import Fraction

import pytest

from shufflecert.verify.audit.sampler import enumerate_sampler
from shufflecert.verify.errors import BadInput


def enumerate_several(function, inputs, **given):
    """Where a tuple is returned, its elements are messages."""
    try:
        return enumerate_sampler(function, inputs, **{"each": True, **given})
    except BadInput as error:
        if "has no elements" not in str(error):
            raise
    return enumerate_sampler(function, inputs, **given)


def law(function, x=0, **given):
    """{output: probability} of one input, messages as they are labelled; nothing is left unexplored."""
    found = enumerate_several(function, [x], **given)
    assert set(found.residual.values()) == {0}
    (found_law,) = found.laws.values()
    assert sum(found_law.values()) == 1
    return dict(found_law)


def refused(function, inputs=(0, 1), **given):
    with pytest.raises(BadInput) as caught:
        enumerate_sampler(function, list(inputs), **given)
    said = str(caught.value)
    assert "\n" not in said
    return said


def slow_coin(x, rng):
    """0 or 1 by rejection: x with probability 2/3, in truth eps = log 2 and delta(eps) = (2 - e^eps) / 3."""
    tries = 0  # counted, so that no two states are equal and the loop is not closed
    while True:
        tries += 1
        k = rng.randrange(4)
        if k < 3:
            return x if k else 1 - x


def share(holds, points=2**53, kind=float):
    """Pr[holds(random())], holds true up to some multiple of 1/points and false beyond."""
    low, high = 0, points
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if holds(kind(middle / points)) else (low, middle)
    return Fraction(low, points)
