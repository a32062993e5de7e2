"""Compositions of tables of which more than one number matters, by boxes and blocks, against all datasets."""

from fractions import Fraction

import pytest

from shufflecert.verify.bound import cover
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.compose import components, guess
from shufflecert.verify.compose.composition import DATA, Run, prepare
from shufflecert.verify.decide.worst_case import epsilon
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce.privacy_blanket import Rows
from shufflecert.verify.systems import catalogue
from tests import oracle
from tests.asked import bound
from tests.bench.strangers import drawn
from tests.helpers import cases
from tests.products import TRUTH, ends, height, holds, neighbours, ratios
from tests.random_tables import table
from tests.test_factored import rows_of

KINDS = ("one of three", "two kinds", "gaps", "shift", "skew")
THRESHOLDS = (Fraction(1), Fraction(6, 5), Fraction(5, 2))


@pytest.fixture(autouse=True)
def _reduced(monkeypatch):
    """Nothing is enumerated."""
    monkeypatch.setattr(components, "SMALL", 1)
    monkeypatch.setattr(components, "MIDDLING", 1)
    monkeypatch.setattr(components, "MOST_DOTS", 8)


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
    for seed in range(cases(8)):
        rows = table(seed, "one of three", 2)
        close += closed_in(rows, 2 + seed % 3, 1, "same")
        close += closed_in(rows, 2, 2, ("same", "fresh", "adaptive")[seed % 3])
    assert close >= cases(8), close


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.long
def test_many_compositions_of_all_datasets_are_enclosed_in_the_plane(kind):
    """Of other kinds one question takes some ten seconds: events are looked for on lattices."""
    for seed in range(6, 66 if kind == "one of three" else 11):
        rows = table(seed, kind, 2 + seed % 2)
        closed_in(rows, 2 + seed % 3, 1, "same", THRESHOLDS[seed % 3 :][:1])
        closed_in(rows, 2, 2, ("same", "fresh", "adaptive")[seed % 3], THRESHOLDS[seed % 3 :][:1])


@pytest.mark.parametrize(("seed", "inputs"), [(1, 2), (3, 3), (2, 2)])
@pytest.mark.sampled(3)
def test_the_composition_of_all_datasets_is_enclosed_by_blocks(seed, inputs):
    rows = drawn("one of three or four", inputs, seed)
    closed_in(rows, 3, 1, "same")
    closed_in(rows, 2, 2, "fresh")


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.sampled(4)
def test_sums_of_weights_are_composed_where_laws_have_too_many_outcomes(seed, monkeypatch):
    monkeypatch.setattr(cover, "MOST_CELLS", 0)
    monkeypatch.setattr(guess, "MOST_CELLS", 0)
    close = closed_in(table(seed, KINDS[seed % 3], 2), 2, 2, ("same", "fresh")[seed % 2], THRESHOLDS[:2])
    assert close or seed, "in the first table one number matters, of which a sum shows all"


def test_what_sums_of_weights_show_is_no_more_than_the_laws_of_the_datasets():
    """Both ways, with a message that nobody else sends; of one number a sum shows all."""
    alone = {("a",): Fraction(1, 2), ("z",): Fraction(1, 8), ("a", "b"): Fraction(3, 8)}
    for seed in range(cases(12)):
        rows = table(seed, KINDS[seed % 2], 3) | ({"alone": alone} if seed % 4 == 3 else {})
        (a, *_, b), n = rows, 3
        P, Q = (oracle.convolved_law(rows, (x, *["1"] * (n - 1))) for x in (a, b))
        laws = ratios((P.get(y, Fraction(0)), Q.get(y, Fraction(0))) for y in P.keys() | Q.keys())
        event = Rows.of(Randomizer.of(rows), n).event(a, b, {"1": n - 1})
        for x in (Fraction(1), Fraction(6, 5), Fraction(3)):
            line = event.shown_in_line(Eps.log(x))
            for pair, law in ((line, laws), (line.reversed(), [(q, p) for p, q in laws])):
                low, high = pair.divergence(Eps.log(x), 64)
                assert low <= height(law, x) + Fraction(1, 1 << 60), (rows, x)
                assert high - low < Fraction(1, 1 << 40) and pair.infinity_mass() <= sum(p for p, q in law if not q)


BITS = rows_of([[Fraction(k, 4) for k in some] for some in ((1, 1, 3), (3, 1, 1), (1, 3, 1))])


def test_columns_that_are_independent_are_asked_for_their_curve(monkeypatch):
    """Of the table itself it was not found in a minute, and its blanket is 60 % too high."""
    monkeypatch.setattr(components, "MOST_DOTS", 3)
    assert prepared(BITS, 2, 2)[1].bound.by.startswith("rows that are products of independent bits")
    closed_in(BITS, 2, 2, "fresh", THRESHOLDS[1:2])


@pytest.mark.long
def test_the_curve_of_independent_columns_is_close(monkeypatch):
    monkeypatch.setattr(components, "MOST_DOTS", 24)
    low, high = prepared(BITS, 60, 3, "fresh", points=24)[0].epsilon("1/1000").interval
    assert 0 < low <= high <= low * Fraction(11, 10)


def test_groups_are_chained_from_what_is_closer_for_one_user():
    closed_in(table(0, "one of three", 2), 3, 2, "same", group=2)


def test_one_run_is_what_a_question_about_one_run_is(monkeypatch):
    """No dots are set on the curve of a run that is alone: they took a minute where its own bound takes seconds, and
    were less close."""
    rows, n, delta = table(1, "one of three", 2), 60, Fraction(1, 10**4)
    exactly = Fraction(epsilon(Randomizer.of(rows), n, delta).eps.enclosure(20)[0])  # by enumeration
    dotted = list[Fraction]()
    monkeypatch.setattr(components.SystemProfile, "dotted", lambda self, last, *_: dotted.append(last))
    for data in DATA:
        question, closer = prepared(rows, n, 1, data)
        low, high = question.epsilon(delta).interval
        assert low <= exactly <= high <= low * Fraction(1001, 1000)
        found, one = question.delta("1/10"), question.ones[0].bound.delta(Eps.of("1/10"))
        assert (found.delta, found.worst[0].neighbours) == (one.delta, one.scope.worst)
        assert not closer.last and not dotted


def test_a_question_that_is_to_take_little_work_asks_the_blanket_alone(monkeypatch):
    monkeypatch.setattr(components, "MOST_DOTS", 32)
    question, _ = prepared(table(1, "one of three", 2), 400, 2, "fresh", effort=Effort(work=1))
    wide = question.delta("1/10").delta
    closer_question, _ = prepared(table(1, "one of three", 2), 400, 2, "fresh")
    close = closer_question.delta("1/10").delta
    assert wide.low <= close.high < wide.high and close.low >= wide.low


@pytest.mark.long
@pytest.mark.parametrize(("name", "given"), [("laplace", {"eps0": "1"}), ("gaussian", {"sigma": "3"})])
def test_real_numbers_with_noise_are_composed(name, given):
    """Two runs satisfy what two claims about one run add up to, and show no less than one run."""
    system, delta = catalogue.make(name, given), Fraction(1, 10**6)
    low, high = prepare([Run(system, 1000, 2)], points=16).epsilon(delta).interval
    one, half = (bound(system, 1000).epsilon(part).interval for part in (delta, delta / 2))
    assert one[0] <= low <= high <= 2 * half[1]
