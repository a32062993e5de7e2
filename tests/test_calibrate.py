"""The least noise that keeps a promise, against brute force on small grids and against mpmath on fine ones."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf, workdps

from protocols.catalogue import load, orders
from tests import oracle
from tests.helpers import few
from verify import kernel
from verify.calibrate import FEW, Promise, least_noise, least_value
from verify.certify import certify
from verify.enclosure import Enclosure
from verify.errors import BadInput
from verify.number import Eps, text
from verify.order import Grid
from verify.tune import USERS, Task, tune

F = Fraction
UNIT = F(1, 2**64)


def calibrated(system, given, name, promise, step=None, within=None):
    make = lambda value: load(system, {**given, name: text(value)})  # noqa: E731
    return least_noise(make, Grid.of(orders(system)[name], name, step, within), promise)


# Whole grids, by brute force -----------------------------------------------------------------------------------------


def fake_users(d, k, flip):
    """The noisy one-hot string of x and k noisy zero strings."""
    flip = F(flip)
    chance = lambda bits, near: prod((flip if b != c else 1 - flip for b, c in zip(bits, near, strict=True)), start=F(1))  # noqa: E731
    strings, rows = list(product((0, 1), repeat=d)), {}
    for x in range(1, d + 1):
        one_hot, row = tuple(int(j == x) for j in range(1, d + 1)), {}
        for sent in product(strings, repeat=k + 1):
            weight = chance(sent[0], one_hot) * prod((chance(s, (0,) * d) for s in sent[1:]), start=F(1))
            if weight:
                row[tuple("".join(map(str, s)) for s in sent)] = weight
        rows[str(x)] = row
    return rows


ROWS = {
    "zsum": lambda p: oracle.zsum(p),
    "rr": lambda flip: oracle.rr(flip),
    "krr": lambda k, gamma: oracle.krr(int(k), gamma),
    "blanket_sum": lambda k, gamma: oracle.krr(int(k) + 1, gamma),  # inputs between grid points are no worse
    "hist": lambda d, p: oracle.hist(int(d), p),
    "rappor": lambda d, flip: oracle.rappor(int(d), flip),
    "fragmented_rappor": lambda d, flip: oracle.fragmented_rappor(int(d), flip),
    "fake_users": lambda d, k, flip: fake_users(int(d), int(k), flip),
}


@cache
def truth(system, given, n, eps):
    """(A, B): the worst delta is A - B e^eps, over all neighbouring datasets and both directions."""
    rows = ROWS[system](**dict(given))
    at = Eps.of(eps)
    if at.power is not None:
        return oracle.delta(rows, n, at.power), F(0)
    return oracle.delta_parts(rows, n, at.exponent)


def keeps(system, given, n, eps, delta):
    A, B = truth(system, tuple(sorted(given.items())), n, eps)
    return A <= delta if B == 0 else oracle.sign_with_exp(A - delta, B, Eps.of(eps).exponent) <= 0


def near(system, given, n, eps):
    """The worst delta, or a rational a little above it where it is none."""
    A, B = truth(system, tuple(sorted(given.items())), n, eps)
    return A if B == 0 else (A - B * oracle.exp_bounds(Eps.of(eps).exponent, 30)[0]).limit_denominator(10**12)


# system, what is given, what is chosen, the values from the least noise on, number of users, eps
P = [F(32 - i, 32) for i in range(17)]
GRIDS = [
    *(("zsum", {}, "p", P, n, eps) for n in (1, 2, 3, 4) for eps in ("0", "log(11/10)", "log(2)", "1/2")),
    *(("zsum", {}, "p", P[::2], n, eps) for n in (5, 6) for eps in ("log(3/2)", "log(3)")),
    *(("hist", {"d": "2"}, "p", P[::2], n, eps) for n in (1, 2, 3) for eps in ("log(3/2)", "1")),
    ("hist", {"d": "3"}, "p", P[::4], 2, "log(2)"),
    *(("rr", {}, "flip", [F(i, 32) for i in range(17)], n, eps) for n in (1, 2, 4) for eps in ("0", "log(2)", "1/2")),
    *(("krr", {"k": "3"}, "gamma", [F(i, 16) for i in range(17)], n, eps) for n in (1, 2, 3) for eps in ("log(2)", "1/3")),
    *(("rappor", {"d": "2"}, "flip", [F(i, 32) for i in range(17)], n, "log(2)") for n in (1, 2, 3)),
    ("rappor", {"d": "3"}, "flip", [F(i, 16) for i in range(9)], 2, "1/2"),
    ("fragmented_rappor", {"d": "3"}, "flip", [F(i, 16) for i in range(9)], 2, "log(3/2)"),
    ("fake_users", {"d": "2", "k": "1"}, "flip", [F(i, 16) for i in range(9)], 2, "log(3/2)"),
    ("blanket_sum", {"k": "2"}, "gamma", [F(i, 16) for i in range(17)], 2, "log(2)"),
    ("krr", {"gamma": "1/2"}, "k", [F(k) for k in (5, 4, 3, 2)], 2, "log(2)"),
    ("blanket_sum", {"gamma": "1/2"}, "k", [F(k) for k in (4, 3, 2, 1)], 2, "log(2)"),
    ("fake_users", {"d": "2", "flip": "1/8"}, "k", [F(0), F(1), F(2)], 2, "log(3/2)"),
    ("rappor", {"flip": "1/8"}, "d", [F(4), F(3), F(2)], 2, "log(2)"),
]


@pytest.mark.parametrize(("system", "given", "name", "values", "n", "eps"), GRIDS, ids=lambda v: str(v)[:24])
def test_the_least_noise_of_a_whole_grid(system, given, name, values, n, eps):
    """Bounds: every delta of the grid, which a value attains, and a little less; expected: the first that keeps it."""
    step = abs(values[1] - values[0])
    within = (min(values), max(values))
    deltas = sorted({near(system, {**given, name: text(v)}, n, eps) for v in values})
    for bound in sorted({max(F(0), deltas[i] - less) for i in range(0, len(deltas), 3) for less in (F(0), F(1, 10**9))}):
        kept = [keeps(system, {**given, name: text(v)}, n, eps, bound) for v in values]
        promise = Promise.of(n, eps, bound)
        if not any(kept):
            with pytest.raises(BadInput, match=r"\Ano value keeps the promise: .* which fails"):
                calibrated(system, given, name, promise, step, within)
            continue
        first = kept.index(True)
        found = calibrated(system, given, name, promise, step, within)
        assert found.value == values[first]
        assert found.fails_at == (values[first - 1] if first else None)
        assert found.adjacent and found.searched.complete
        assert found.worst.scope.n == n and found.worst.scope.datasets == "all"
