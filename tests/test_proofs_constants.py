"""The table of least constants: what is stored is certified, and is found by scipy's tails as well."""

from dataclasses import replace
from fractions import Fraction
from math import exp, log

import numpy as np
import pytest
from scipy.stats import binom, nbinom, poisson

from shufflecert.proofs import constants
from shufflecert.proofs.constants import (
    PRESCRIPTIONS,
    Prescription,
    extremes,
    found,
    shown,
    stored,
    table,
    words,
    written,
)
from shufflecert.protocols.fake_users import FakeUsers
from shufflecert.protocols.krr import KRR
from shufflecert.protocols.negative_binomial import NegativeBinomialSum
from shufflecert.protocols.poisson import PoissonSum
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.exact.epsilon import Eps

each = pytest.mark.parametrize("one", PRESCRIPTIONS, ids=lambda one: one.name)


def test_the_table_holds_every_point_of_every_grid_once():
    assert [(row.theorem, row.point) for row in stored()] == [
        (one.name, words(point)) for one in PRESCRIPTIONS for point in one.grid
    ]
    assert constants.FILE.read_text(encoding="utf-8") == written(stored())


@each
def test_the_constants_shown_are_certified(one):
    """The hardest point and the easiest: the larger number keeps the promise there, the smaller one breaks it."""
    points = {words(point): point for point in one.grid}
    for row in extremes(one.name):
        assert one.step <= row.keeps - row.fails <= 2 * one.step
        assert one.ends(points[row.point], row.keeps) == (True, False)
        if row.fails:
            assert one.ends(points[row.point], row.fails)[1]
        assert shown(row) in table()
    worst = extremes(one.name)[0].keeps
    assert worst < one.printed
    if one.name.startswith("BC"):  # more noise may be less private here, a little
        assert all(one.ends(point, worst)[0] for point in one.grid)


def tails(law, eps):
    """delta(eps) of a law on 0, 1, ... with monotone ratios against its shift by one, both ways, in floats."""
    logs = law.logpmf(np.arange(FAR))
    falls = logs[:-1] - logs[1:]  # the log of the ratio of k - 1 to k
    up, down = (1 + int(np.argmax(falls > at)) for at in (eps, -eps))
    return max(law.sf(up - 2) - exp(eps) * law.sf(up - 1), law.cdf(down - 1) - exp(eps) * law.cdf(down - 2))


FAR = 400


@pytest.mark.parametrize(
    ("name", "law"),
    [
        ("BC-thm-11-i", lambda eps, d, c: binom(10**6, c * log(2 / d) / (eps**2 * 10**6))),
        ("GKMP-thm-11", lambda eps, d, c: poisson(c * log(10 / d) / (1 - exp(-eps)) ** 2 + 2 / (1 - exp(-eps)))),
        ("GKMP-thm-13", lambda eps, d, c: nbinom(c * exp(eps) * log(1 / d), 1 - exp(-eps / 10))),
    ],
)
def test_the_least_constants_are_those_of_scipy_s_tails(name, law):
    """At eps = 1, delta = 1/100, sensitivity 1: delta is at most 1/100 at one step and above it at the other."""
    row = next(r for r in stored() if r.theorem == name and r.point.endswith("eps = 1, delta = 1e-2"))
    assert tails(law(1.0, 0.01, float(row.keeps)), 1.0) <= 0.01 < tails(law(1.0, 0.01, float(row.fails)), 1.0)


def test_with_the_printed_constant_it_is_the_paper_s_noise():
    """The systems' own prescriptions (`--paper`), rounded elsewhere."""

    def reached(name, **more):
        one = next(p for p in PRESCRIPTIONS if p.name == name)
        point = {"eps": "1", "delta": "1e-6", **more}
        reach, eps, bound = one.promise(point, one.printed)
        return constants.worst_delta(reach, eps).value, eps, bound

    for (value, eps, bound), system, n, more in (
        (reached("BC-thm-11-i", n="10000"), ZSum, 10000, {}),
        (reached("GKMP-thm-11", Delta="2"), PoissonSum, 1, {"sensitivity": "2"}),
        (reached("GKMP-thm-13", Delta="2"), NegativeBinomialSum, 1, {"sensitivity": "2"}),
        (reached("CZ-claim-iii.1-stripped", n="1000", k="30"), FakeUsers, 1000, {"d": "2", "k": "30"}),
        (reached("BBGN-thm-3.1-stripped", n="1000", k="2"), KRR, 1000, {"k": "2"}),
    ):
        given = {**more, **system.paper(n, eps, bound, more)}
        own = constants.worst_delta(system(**given).reach(n), eps).value
        assert abs(own.high - value.high) <= own.high / 10**9


def test_a_constant_that_is_not_enough_is_told():
    one = next(p for p in PRESCRIPTIONS if p.name == "GKMP-thm-11")
    with pytest.raises(ArithmeticError, match="not shown to be enough"):
        replace(one, printed=Fraction(1, 10)).least({"Delta": "1", "eps": "1", "delta": "1e-6"})


def test_the_bisection_finds_the_edge_and_leaves_a_gap_where_nothing_is_decided():
    class Told(Prescription):
        def ends(self, point, c):
            return c >= Fraction(7, 2), c < Fraction(2)

    one = Told("X", "c", Fraction(5), Fraction(1, 2), ({"eps": "1"},), lambda point, c: None)
    assert one.least({"eps": "1"}) == (Fraction(3, 2), Fraction(7, 2))


@pytest.mark.long
def test_all_constants_are_found_again():
    assert tuple(found()) == stored()


def test_eps_of_the_grid_is_the_theorem_s():
    assert all(Eps.of(point["eps"]) <= Eps.of(3) for one in PRESCRIPTIONS for point in one.grid)
