"""Compositions of tables of which more than one number matters, by boxes and blocks, against all datasets."""

from fractions import Fraction

import pytest

from shufflecert.verify.bound.question import Effort
from shufflecert.verify.compose import components, dots
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.decide.worst_case import epsilon
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from tests.bench.strangers import drawn
from tests.helpers import cases
from tests.products import TRUTH, ends, holds, neighbours
from tests.random_tables import table

KINDS = ("one of three", "two kinds", "gaps", "shift", "skew")
THRESHOLDS = (Fraction(1), Fraction(6, 5), Fraction(5, 2))


@pytest.fixture(autouse=True)
def _reduced(monkeypatch):
    """Nothing is enumerated."""
    monkeypatch.setattr(components, "SMALL", 1)
    monkeypatch.setattr(components, "MIDDLING", 1)
    monkeypatch.setattr(dots, "MOST", 8)


def prepared(rows, n, k, data="same", points=17, **asked):
    question = prepare([Run(Randomizer.of(rows), n, k)], data, points=points, **asked)
    return question, question.ones[0].closer


def closed_in(rows, n, k, data, thresholds=THRESHOLDS, group=1):
    """How many deltas are enclosed to a twentieth, of those that are not small; all are between their ends."""
    pairs = neighbours(rows, n)
    question, closer = prepared(rows, n, k, data, group=group)
    if closer is None:  # one number says all, or only one of its pairs of neighbours differ
        return 0
    close = 0
    for x in thresholds:
        truth = TRUTH[data](neighbours(rows, n, group) if group > 1 else pairs, k, x)
        found = question.delta(Eps.log(x))
        assert holds(found, truth, x), (rows, n, k, data, x)
        low, high = ends(found, x)
        close += low > Fraction(1, 100) and high <= low * Fraction(21, 20)
    assert closer.last or question.boxes is not None
    return close


def test_the_composition_of_all_datasets_is_enclosed_in_the_plane():
    close = 0
    for seed in range(cases(12)):
        rows = table(seed, "one of three", 2)
        close += closed_in(rows, 2 + seed % 3, 1, "same")
        close += closed_in(rows, 2, 2, ("same", "fresh", "adaptive")[seed % 3])
    assert close >= cases(12), close


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.long
def test_many_compositions_of_all_datasets_are_enclosed_in_the_plane(kind):
    """Of other kinds one question takes some ten seconds: events are looked for on lattices."""
    for seed in range(6, 66 if kind == "one of three" else 11):
        rows = table(seed, kind, 2 + seed % 2)
        closed_in(rows, 2 + seed % 3, 1, "same", THRESHOLDS[seed % 3 :][:1])
        closed_in(rows, 2, 2, ("same", "fresh", "adaptive")[seed % 3], THRESHOLDS[seed % 3 :][:1])


@pytest.mark.parametrize(("seed", "inputs"), [(1, 2), pytest.param(2, 2, marks=pytest.mark.long), (3, 3)])
def test_the_composition_of_all_datasets_is_enclosed_by_blocks(seed, inputs):
    rows = drawn("one of three or four", inputs, seed)
    closed_in(rows, 3, 1, "same")
    closed_in(rows, 2, 2, "fresh")


def test_groups_are_chained_from_what_is_closer_for_one_user():
    closed_in(table(0, "one of three", 2), 3, 2, "same", group=2)


def test_one_run_is_what_a_question_about_one_run_is(monkeypatch):
    """The dots cost little: the least eps of one run is hardly above what boxes say of it."""
    rows, n, delta = table(1, "one of three", 2), 60, Fraction(1, 10**4)
    exactly = Fraction(epsilon(Randomizer.of(rows), n, delta).eps.enclosure(20)[0])  # by enumeration
    monkeypatch.setattr(dots, "MOST", 64)
    question, closer = prepared(rows, n, 1, "fresh", points=128)
    low, high = question.epsilon(delta).interval
    assert closer.last and low <= exactly <= high <= low * Fraction(101, 100)


def test_a_question_that_is_to_take_little_work_asks_the_blanket_alone(monkeypatch):
    monkeypatch.setattr(dots, "MOST", 32)
    question, _ = prepared(table(1, "one of three", 2), 400, 1, effort=Effort(work=1))
    wide = question.delta("1/10").delta
    closer_question, _ = prepared(table(1, "one of three", 2), 400, 1)
    close = closer_question.delta("1/10").delta
    assert wide.low <= close.high < wide.high and close.low >= wide.low
