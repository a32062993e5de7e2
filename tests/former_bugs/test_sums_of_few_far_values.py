"""The law of a sum of few draws whose values are far apart was made by products of polynomials with a term for each
integer between: a minute for five users.

A sum for each multiset of values is enough, where these are few. Expected values: all sequences of draws, exactly.
"""

from fractions import Fraction
from itertools import product
from math import prod

import pytest

from shufflecert.verify.enclose.window import Window
from shufflecert.verify.reduce.multinomial_form import power_of

DRAWS = [
    {0: Fraction(1, 3), 300_000: Fraction(1, 2), 300_001: Fraction(1, 6)},
    {-7: Fraction(1, 10**30), 0: 1 - Fraction(1, 10**30)},
    {5: Fraction(1)},
]


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.sampled(2)
def test_a_sum_for_each_multiset(draw, n, monkeypatch):
    monkeypatch.setattr(Window, "plus", None)  # no product of polynomials
    true: dict[int, Fraction] = {}
    for drawn in product(draw.items(), repeat=n):
        at = sum(value for value, _ in drawn)
        true[at] = true.get(at, 0) + prod(p for _, p in drawn)
    law, unit = power_of(draw, n, 200), 1 << 200
    found = {law.first + i: ends for i, ends in enumerate(zip(law.low, law.high, strict=True))}
    assert true.keys() <= found.keys() and not law.outside
    for at, (low, high) in ((at, map(int, ends)) for at, ends in found.items()):
        assert low <= true.get(at, 0) * unit <= high <= low + 1000
