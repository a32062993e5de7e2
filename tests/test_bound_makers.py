"""Every maker of Bounds, asked of random tables: the laws that all of them keep, whichever of them is chosen.

What is asked of a Bound contains the exact value, which tests/oracle.py finds by definition; it never rises with n or
with eps; relabelling inputs and messages changes nothing; merging two outputs makes it no larger. With neighbours by
replacement, addition and removal, and deletion, and users who take part with a probability below 1.
"""

import random
from fractions import Fraction

import pytest

from shufflecert.verify.bound import choose, enumeration
from shufflecert.verify.bound.choose import bound_of
from shufflecert.verify.bound.closed_form import ClosedForm
from shufflecert.verify.bound.covered import Covered
from shufflecert.verify.bound.enumeration import Enumeration
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Presence, Randomizer
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.population import populated
from tests import oracle
from tests.test_bound import OUTPUTS, table

POWERS = Fraction(1), Fraction(5, 4), Fraction(2)
GRID = [Eps.log(t) for t in POWERS]
WHO = {
    "replace": ({}, {}),
    "add-remove": ({"adjacency": "add-remove"}, {"adjacency": "add-remove"}),
    "deletion": ({"adjacency": "deletion", "reference": "0"}, {"adjacency": "deletion", "reference": "0"}),
    "take part": ({"take_part": Fraction(1, 3)}, {"take_part": Fraction(1, 3)}),
}
NAMES = {"enumeration": Enumeration, "closed form": ClosedForm, "cover": Covered}


def made(maker, rows, n, who):
    """The Bound of a table that this maker makes."""
    some = populated(Randomizer.of(rows), Presence.of(**WHO[who][0]))
    work, search = {"enumeration": (10**9, 1), "closed form": (1, 0), "cover": (1, 10**7)}[maker]
    found = bound_of(Question.of(some, n), Effort(work=work)).within(search)
    assert isinstance(found, NAMES[maker])
    return found


def ends(value):
    """What an answer about delta says."""
    return tuple(map(Fraction, value.enclosure()))


def truth(rows, n, who, power):
    """The largest delta by definition."""
    if who == "replace":
        return oracle.delta(rows, n, power)
    given = dict(WHO[who][1])
    if "reference" in given:
        given["reference"] = {"0": Fraction(1)}
    return oracle.attended_delta(rows, n, power, **given)


def relabelled(rows):
    """Inputs in the other order, messages by other names."""
    names = dict(zip("abcde", "vwzyx", strict=True))
    return {f"x{x}": {tuple(names[m] for m in sent): p for sent, p in row.items()} for x, row in reversed(rows.items())}


def merged(rows):
    """With message b shown as a: a function of what is seen."""
    found = {}
    for x, row in rows.items():
        found[x] = {}
        for sent, p in row.items():
            shown = tuple("a" if m == "b" else m for m in sent)
            found[x][shown] = found[x].get(shown, 0) + p
    return found


def check(rows, n, who, maker):
    """The four laws, of delta at some eps, alone and together, and of the least eps."""
    bound, exact = made(maker, rows, n, who), [truth(rows, n, who, t) for t in POWERS]
    alone = [ends(bound.delta(eps).delta) for eps in GRID]
    together = [ends(value) for _, value in bound.curve(GRID).points]
    for value, *found in zip(exact, alone, together, strict=True):
        assert all(low <= value <= high for low, high in found)
        assert maker != "enumeration" or all(high - low <= Fraction(1, 10**25) for low, high in found)
    for eps, value in zip(GRID, exact, strict=True):
        least = bound.epsilon(value) if value < 1 else None
        if least is not None and least.eps is not None:
            assert least.eps <= eps
        elif least is not None and least.interval is not None:
            assert least.interval[0] <= Fraction(eps.enclosure()[1])
    below = (exact[0] + exact[1]) / 2
    if exact[1] < below < 1:  # eps lies between the first two
        found = bound.epsilon(below)
        low, high = map(Fraction, found.eps.enclosure()) if found.eps is not None else found.interval
        assert low <= Fraction(GRID[1].enclosure()[1]) and (high is None or high > 0)
    more = [ends(made(maker, rows, n + 1, who).delta(eps).delta) for eps in GRID]
    assert all(later[0] <= high for later, (_, high) in zip(more, alone, strict=True))
    assert all(later[0] <= high for later, (_, high) in zip(alone[1:], alone, strict=False))
    if who != "deletion":  # which names an input
        others = [ends(made(maker, relabelled(rows), n, who).delta(eps).delta) for eps in GRID]
        assert all(one[0] <= two[1] and two[0] <= one[1] for one, two in zip(others, alone, strict=True))
        assert maker != "enumeration" or others == alone
    if any("b" in sent for row in rows.values() for sent in row):
        fewer = [ends(made(maker, merged(rows), n, who).delta(eps).delta) for eps in GRID]
        assert all(less[0] <= high for less, (_, high) in zip(fewer, alone, strict=True))


def drawn(seed):
    """A table, users and neighbours; every third table is of five messages."""
    rng = random.Random(f"makers {seed}")
    kind, inputs = rng.choice(list(OUTPUTS)), rng.choice((2, 2, 3))
    n, who = 2 + seed % 2, rng.choice(list(WHO))
    return table(seed, kind, inputs) if seed % 3 else table(seed, "one of five", 2, gap=0), n, who


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("maker", NAMES)
@pytest.mark.sampled(3)
def test_what_a_maker_says_is_true(maker, seed):
    check(*drawn(seed), maker)


@pytest.mark.parametrize(
    ("name", "given", "near"),
    [("krr", {"k": "3", "gamma": "1/2"}, False), ("fragmented_rappor", {"d": "3", "flip": "1/4"}, True)],
)
def test_a_closed_form_is_asked_before_what_takes_long(name, given, near, monkeypatch):
    """Where its ends are near nothing is enumerated; else the answer is exact. By the oracle."""
    monkeypatch.setattr(choose, "QUICK", 1)
    system = catalogue.make(name, given)
    rows = {x: dict(law.items()) for x, law in system.randomizer().rows.items()}
    bound = bound_of(Question.of(system, 4))
    exact = [oracle.delta(rows, 4, t) for t in POWERS]
    if near:
        monkeypatch.setattr(enumeration, "cases", None)
    for eps, value, (_, together) in zip(GRID, exact, bound.curve(GRID).points, strict=True):
        for found in (bound.delta(eps).delta, together):
            low, high = ends(found)
            assert low <= value <= high <= low * Fraction(1001, 1000) and (isinstance(found, Interval) or not near)
        for claim, verdict in ((value * Fraction(101, 100), "PROVED"), (value * Fraction(99, 100), "REFUTED")):
            assert bound.decided(eps, claim).verdict == verdict
    assert near or not isinstance(bound.delta(GRID[2]).delta, Interval)
    assert bound.epsilon(exact[2]).eps == GRID[2]


def test_a_curve_that_is_the_blankets_has_a_point_for_each_eps():
    """It ended at the first delta below 10^-10, up to which any upper end is near: a report had no picture."""
    rows = {str(x): {(str(y),): Fraction(7, 10) if x == y else Fraction(1, 10) for y in range(4)} for x in range(4)}
    bound = bound_of(Question.of(Randomizer.of(rows), 10_000), Effort(tolerance=Fraction(1, 2)))
    eps = [Eps.of(Fraction(i, 40)) for i in range(8)]
    assert isinstance(bound, Covered) and bound.cover.asked_first is not None
    points = bound.curve(eps).points
    assert [at for at, _ in points] == eps and points[-1][1].high < Fraction(1, 10**10) < points[2][1].low
    assert points == bound.blanket.curve(eps).points
