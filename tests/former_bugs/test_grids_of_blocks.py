"""The bound of many blocks: a grid that reaches beyond its cells was divided by 0; weights too small for its bits."""

import json
import random
from fractions import Fraction
from itertools import product

import pytest

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from tests.limits_of_the_form import GRID, table

F = Fraction
HALVES = [
    {"input": name, "outputs": [{"send": [own], "p": "1/2"}, {"send": ["b"], "p": "1/2"}]}
    for name, own in (("x", "a"), ("y", "c"))
]


@pytest.mark.parametrize(("delta", "status"), [("1/2", "accepted"), ("499999/1000000", "undecided")])
def test_outcomes_that_no_block_has_count_by_themselves(delta, status):
    """x is told by an a, half of the time, and y by a c; of b the two send as much: delta(1) is 1/2."""
    tree = table(HALVES, [writing.block({}, 1, None, GRID | {"above": 100})])
    tree["claim"]["delta"] = delta
    assert kernel.check(json.dumps(tree).encode()).status == status


@pytest.mark.parametrize("case", range(12))
def test_the_bound_is_not_below_the_definition(case):
    """Of a few draws, all of their sums one by one; some weights are far too small for the bits of the grid."""
    rng = random.Random(f"grids {case}")
    n, step, tiny = rng.randint(2, 3), F(1, rng.randint(2, 9)), 2**-rng.randint(100, 400) if case % 2 else 1
    shape = [(F(rng.randint(0, 9)), F(rng.randint(0, 9)), F(rng.randint(0, 9))) for _ in range(3)]
    small = F(tiny)
    shape += [(9 * small, F(0), small), (F(1), F(2), F(0))]
    unit = sum(sum(one) for one in shape) * small.denominator
    draws = [((p - q) / s, s / unit) for p, q, s in shape if s]
    draws.append((F(0), 1 - sum(weight for _, weight in draws)))
    whole = F(0)
    for some in product(draws, repeat=n):
        weight = F(1)
        for _, part in some:
            weight *= part
        whole += weight * max(sum(value for value, _ in some), 0)
    alone = sum(max(p - q, 0) for p, q, s in shape if not s) / unit
    scaled = [tuple(int(weight * small.denominator) for weight in one) for one in shape]
    grid = {"step": (step.numerator, step.denominator), "cells": 1000}
    budget, ratio = kernel.Budget(4096, 10**9, 10**9), (1, 10**6)
    above, below = kernel.grid_bound(scaled, int(unit * small.denominator), n, grid, ratio, (1, 1, 1), budget)
    assert F(above, below) >= alone + whole / n
    assert F(above, below) <= alone + whole / n + step * n
