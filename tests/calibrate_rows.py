"""Rows of the oracle for systems whose noise is chosen, and the least noise of a promise."""

from fractions import Fraction
from itertools import product
from math import prod

from shufflecert.verify.calibrate.least_noise import least_noise
from shufflecert.verify.exact.rational import text
from shufflecert.verify.systems.catalogue import make, orders
from shufflecert.verify.systems.declare import Grid
from tests import oracle

F = Fraction


def calibrated(system, fixed, name, promise, step=None, within=None):
    made = lambda value: make(system, {**fixed, name: text(value)})  # noqa: E731
    return least_noise(made, Grid.of(orders(system)[name], name, step, within), promise)


def fake_users(d, k, flip):
    """The noisy one-hot string of x and k noisy zero strings."""
    flip = F(flip)

    def chance(bits, zeros):
        return prod((flip if b != c else 1 - flip for b, c in zip(bits, zeros, strict=True)), start=F(1))

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
    "symmetric_rappor": lambda d, flip: oracle.fragmented_rappor(int(d), flip),  # the same sums, seen as a count
    "fake_users": lambda d, k, flip: fake_users(int(d), int(k), flip),
}


def ordered(system, name, one, other):
    """(less noise, more noise) of two values."""
    order = orders(system)[name]
    return (max(one, other), min(one, other)) if order.falling else (min(one, other), max(one, other))
