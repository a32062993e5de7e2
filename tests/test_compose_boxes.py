"""Runs of one table on the same data, by boxes of the others' compositions, against all datasets."""

import json
from fractions import Fraction

import pytest

from shufflecert.protocols.rr import RR
from shufflecert.verify.bound.covered import Covered
from shufflecert.verify.bound.law import Power, Sums, Views
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.bound.table import Table
from shufflecert.verify.compose import boxes, components, guess
from shufflecert.verify.compose import certified as certificates
from shufflecert.verify.compose.certified import certified
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.kernel import check
from tests.helpers import cases
from tests.products import ends, holds, neighbours, same
from tests.random_tables import LINES, line_table, table

HALF = Fraction(1, 2)
KINDS = {kind: line_table for kind in LINES} | {"one of three": table, "two kinds": table}


@pytest.fixture(autouse=True)
def _nothing_is_enumerated(monkeypatch):
    monkeypatch.setattr(components, "SMALL", 1)
    monkeypatch.setattr(components, "MIDDLING", 1)


def asked(rows, n, k):
    question = prepare([Run(Randomizer.of(rows), n, k)])
    return question if isinstance(question.ones[0].bound, Covered) else None


def close(rows, n, k, x):
    """Whether boxes enclose a delta, and closely; it is between the ends in any case."""
    if (question := asked(rows, n, k)) is None or question.boxes is None:
        return 0, 0
    truth, found = same(neighbours(rows, n), k, x), question.delta(Eps.log(x))
    assert holds(found, truth, x), (rows, n, k, x)
    low, high = ends(found, x)
    return found.by == boxes.BY, low > 0 and high <= low * Fraction(103, 100)


def test_heights_of_curves_are_sums_over_words_rounded_up():
    known = Table.of(Randomizer.of(table(3, "two kinds", 3)), reduced=False)
    views = Views(known, Sums.of(known, 9, 18).sum((5, 2, 7, 4)[: len(known.bases) + bool(known.common)]))
    powers = [Power.of(x) for x in (Fraction(1), Fraction(9, 8), Fraction(7), Fraction(300), Fraction(10**12))]
    for a, b in known.pairs:
        words = [(Fraction(int(p) + 1), int(q)) for p, q in zip(views.row(a), views.row(b), strict=True)]
        for power, height in zip(powers, views.heights(a, b, powers), strict=True):
            excess = sum(max(p - Fraction(power.s, 1 << power.k) * q, 0) for p, q in words)
            assert excess <= height - views._missing < excess + 1


def test_covers_and_their_corners_are_walked_with_progress():
    walked = []

    def progress(some, count):
        walked.append(count)
        yield from some

    rows = line_table(2, "copies", 2)
    question = prepare([Run(Randomizer.of(rows), 30, 3)], effort=Effort(progress=progress))
    found = question.epsilon("1/1000")
    assert found.by == boxes.BY and walked[-2:] == [len(boxes.WIDTHS) + 1, found.compositions]


def test_a_cover_that_takes_too_long_leaves_the_one_before_it(monkeypatch):
    """Wherever the work ends there is an answer; what a cover has found is not looked at again."""
    monkeypatch.setattr(guess, "KEPT", 1)
    question, bound, found = prepare([Run(Randomizer.of(line_table(2, "copies", 2)), 200, 2)]), Fraction(1, 1000), set()
    assert question.boxes is not None
    question.boxes.worst(bound)
    held, near = question.boxes.guess, question.boxes.near
    least = Fraction(held.epsilon(near.counts, near.pair, float(bound)))
    asked = [(Eps.of(least * (1 + width)), bound) for width in boxes.WIDTHS]
    for evaluations in range(5, 205, 10):
        held.losses.clear()
        held.search.max_work = held.search.work + evaluations * 34_000
        found.add(len(held.covers(asked, bound / 10**5)))
    assert len(found) > 1, found


def test_runs_on_the_same_data_are_enclosed():
    found = []
    for seed in range(cases(7 * 4)):
        kind = (*KINDS,)[seed % len(KINDS)]
        rows, x = KINDS[kind](seed, kind, 2 + seed % 2), (Fraction(11, 10), Fraction(3, 2))[seed % 2]
        found.append(close(rows, 2 + seed % 5 % 2, 1 + seed % 3, x))
    by, both = map(sum, zip(*found, strict=True))
    assert by > len(found) // 2 and both > len(found) // 4, found


@pytest.mark.parametrize("k, x", [(3, Fraction(11, 10)), (1, Fraction(3, 2)), (5, Fraction(2))])
@pytest.mark.sampled(3)
def test_a_system_of_one_number_is_asked_as_its_table_is(k, x):
    """It has a proof of its own about one run, whose curve was all that compositions asked for."""
    system, n = RR(Fraction(1, 4)), 4
    rows = {x: {(x,): Fraction(3, 4), (y,): Fraction(1, 4)} for x, y in ("01", "10")}
    question = prepare([Run(system, n, k)])
    assert question.ones[0].bound.covers is None
    found = question.delta(Eps.log(x))
    assert found.by == boxes.BY and holds(found, same(neighbours(rows, n), k, x), x)
    of_two = prepare([Run(system, n, k)], group=2)
    assert of_two.boxes is None and holds(of_two.delta(Eps.log(x)), same(neighbours(rows, n, 2), k, x), x)


def test_a_row_that_is_a_mixture_of_others_is_not_left_out():
    """Who is on it draws one of the two in each run: that is no dataset with one of them in all runs."""
    rows = {
        "0": {("a",): Fraction(9, 10), ("b",): Fraction(1, 10)},
        "1": {("a",): Fraction(1, 10), ("b",): Fraction(9, 10)},
    }
    rows["2"] = {("a",): HALF, ("b",): HALF}
    for k, x in ((2, Fraction(11, 10)), (3, Fraction(2))):
        by, _ = close(rows, 2, k, x)
        assert by


def test_an_eps_of_many_users_is_known_to_a_thousandth():
    """Binary randomized response, three times."""
    rows = {"0": {(): Fraction(3, 4), ("a",): Fraction(1, 4)}, "1": {(): Fraction(1, 4), ("a",): Fraction(3, 4)}}
    question = asked(rows, 60, 3)
    found = question.epsilon("1e-6")
    low, high = found.interval
    assert low < high <= low * Fraction(1001, 1000) and question.boxes.leaves
    made = certified(question, found, None, Fraction(1, 10**6), check)
    assert [one["verdict"] for one in made.certificates] == ["PROVED", "REFUTED"] and not made.missing
    proved, refuted = (Fraction(one["claim"]["eps"]) for one in made.certificates)
    assert proved <= high * Fraction(102, 100) and refuted >= low * Fraction(99, 100)
    assert "pairs" in made.certificates[0]["because"]["runs"][0]


def test_work_that_the_kernel_has_no_time_for_is_not_begun(monkeypatch):
    """Three inputs, thirty runs of 10,000: five checks ended for want of steps, and 20 dots were proved for them."""
    rows = {"0": {(): Fraction(3, 4), ("a",): Fraction(1, 4)}, "1": {(): Fraction(1, 4), ("a",): Fraction(3, 4)}}
    question, looked = asked(rows, 60, 3), list[str]()
    found = question.epsilon("1e-6")
    one = certificates._work(question, Fraction(1, 10**6), certificates.CORNER_CELLS[0])

    def recheck(data):
        looked.append(json.loads(data)["verdict"])
        return check(data)

    def made(corners):
        looked.clear()
        monkeypatch.setattr(certificates, "MOST_STEPS", corners * one)
        return certified(question, found, None, Fraction(1, 10**6), recheck)

    proved, _ = made(6).certificates
    assert looked == ["PROVED", "REFUTED"]
    assert 1 < Fraction(proved["claim"]["eps"]) / found.interval[1] <= Fraction(3, 2)
    less = made(1)
    assert looked == ["REFUTED"] and "corners of boxes" in less.missing and "has the time for" in less.missing
