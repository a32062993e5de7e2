"""Many eps of one table on a line by one cover: all datasets enumerated at small n, and compositions of them."""

import random
from fractions import Fraction

import pytest

from tests import oracle
from tests.products import TRUTH, ends, holds, neighbours
from tests.test_cover import KINDS, table
from verify.compose import components
from verify.compose.composition import Run, prepare
from verify.decide.worst_case import delta as worst_delta
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.reduce.composition_cover import words
from verify.reduce.composition_cover.curve import Chords, Cover
from verify.reduce.composition_cover.knots import Knots
from verify.reduce.composition_cover.line_pair import LinePair
from verify.reduce.composition_cover.search import TOLERANCE
from verify.reduce.compositions import Line

GRID = [Fraction(1), Fraction(11, 10), Fraction(3, 2), Fraction(5, 2), Fraction(12)]  # e^eps
BETWEEN = [Fraction(21, 20), Fraction(6, 5), Fraction(2), Fraction(9)]
THRESHOLDS = (Fraction(1), Fraction(6, 5), Fraction(5, 2))
TINY = Fraction(1, 10**6)


def covered(rows, n, eps=()):
    """The cover of a table on this road alone; None where it tells nothing."""
    return Cover.of(Line.of(Randomizer.of(rows)), n, TOLERANCE, 10**8, eps)


def truth(rows, n, power):
    """The largest delta at e^eps = `power`, by the exact engine's enumeration of all datasets."""
    found = worst_delta(Randomizer.of(rows), n, Eps.log(power), max_work=10**9).delta
    return found.A - found.B * power


def compared(seed, kind, inputs):
    """How many deltas of a table are closed in; all of them, and those between, are on the right sides of the truth."""
    rows, n = table(seed, kind, inputs), 2 + seed % 5
    cover, close = covered(rows, n), 0
    if cover is None:  # nobody's input changes anything
        assert truth(rows, n, GRID[0]) < Fraction(1, 10**8)
        return 0
    found = cover.ends([Eps.log(x) for x in GRID])
    for x, one in zip(GRID, found, strict=True):
        exact = truth(rows, n, x)
        assert one.t <= x and one.low <= exact <= one.high, (rows, n, x)
        close += exact > TINY and one.high <= exact * Fraction(101, 100)
    for chords in (Chords(cover, found, cover.never_returns()), Chords.of(cover)):
        for x in BETWEEN:
            exact = truth(rows, n, x)
            assert chords.never <= exact <= chords.above(x), (rows, n, x)
            counts, (a, b) = chords.worst(x)
            assert sum(counts) == n - 1 and a != b
    return close


@pytest.mark.parametrize("kind", KINDS)
def test_all_compositions_at_many_eps_against_enumeration(kind):
    assert sum(compared(seed, kind, inputs) for seed in range(6) for inputs in (2, 3)) > 20


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_many_tables_at_many_eps_against_enumeration(kind):
    assert sum(compared(seed, kind, inputs) for seed in range(6, 106) for inputs in (2, 3, 4)) > 600


def test_against_the_oracle():
    """Nothing of the engine: all datasets of 3 users, written out, both directions."""
    rows = table(1, "gaps", 3)
    for x, one in zip(GRID, covered(rows, 3).ends([Eps.log(x) for x in GRID]), strict=True):
        assert one.low <= oracle.delta(rows, 3, x) <= one.high


def test_any_cover_is_sound(monkeypatch):
    """Whatever is guessed of boxes and of real compositions, both ends are on their side."""
    rng, wider = random.Random(5), 0
    monkeypatch.setattr(Knots, "_over", lambda self, views, i, width: rng.random() < 0.2)
    for kind in KINDS:
        for seed in range(4):
            compared(seed, kind, 3)
            cover = covered(table(seed, kind, 3), 2 + seed % 5)
            found = cover.ends([Eps.log(x) for x in GRID]) if cover is not None else []
            wider += sum(one.low * Fraction(3, 2) < one.high < 1 for one in found)
    assert wider > 3


def test_words_hold_what_fractions_hold():
    """Random laws: what words show of delta is outside the true one, of any law that is no smaller, by few units."""
    rng, unit = random.Random(3), Fraction(1, 1 << words.BITS)
    for _ in range(30):
        laws = []
        for _ in range(2):
            cuts = sorted(rng.randrange(1 << words.BITS) for _ in range(12))
            laws.append([b - a for a, b in zip([0, *cuts], cuts, strict=False)])
        lost, eps = rng.choice((0, 1000)), Eps.of(rng.choice(("0", "1/7", "log(3/2)", "2", "25")))
        least, most = eps.bounds(256)
        more = [Fraction(rng.choice((0, 1, 199)), 100) for _ in laws]  # of a unit: less than 2
        p, q = ([(w + some) * unit for w in law] for law, some in zip(laws, more, strict=True))
        low, high = (sum(max(a - t * b, 0) for a, b in zip(p, q, strict=True)) for t in (most, least))
        p_words, q_words = (words.np.array(law, words.np.int64) for law in laws)
        power = words.Power.of(eps)
        above = words.excess(p_words, q_words, power) * unit
        below, pair = words.least([p_words, q_words], [(0, 1)], eps, power, lost)
        assert power.value <= least and pair == (0, 1)
        assert below <= low and high <= above
        spare = (100 + lost * 2) * most * unit + Fraction(1, 2**28) * most
        assert above <= high + spare and (below >= low - spare or not below)


def test_what_never_returns_on_a_line():
    """P(Q = 0) of all datasets of 3 users against the least of it that windows show; a reverse is the other way."""
    shown = 0
    for seed in range(12):
        rows = table(seed, "gaps", 2)
        line, laws = Line.of(Randomizer.of(rows)), {}
        for counts in ((2, 0), (1, 1), (0, 2)):
            if len(line.bases) < 2:
                continue
            firsts = [line.inputs[line.classes.index(x)] for x in (0, 1)]
            others = [name for name, count in zip(firsts, counts, strict=True) for _ in range(count)]
            laws = [oracle.convolved_law(rows, [x, *others]) for x in line.inputs[:2]]
            for a, b in ((0, 1), (1, 0)):
                exact = sum((w for y, w in laws[a].items() if not laws[b].get(y)), Fraction(0))
                pair = LinePair(line, counts, a, b)
                never, back = pair.never_returns(), pair.reversed().reversed().never_returns()
                assert exact - Fraction(1, 2**80) <= never <= exact and back == never
                assert pair.reversed().never_returns() == LinePair(line, counts, b, a).never_returns()
                shown += never > 0
    assert shown > 6


@pytest.fixture
def _reduced(monkeypatch):
    """Nothing is enumerated, and all real pairs are composed by dots."""
    monkeypatch.setattr(components, "SMALL", 1)
    monkeypatch.setattr(components, "MIDDLING", 1)


def closed_in(rows, n, k, data, thresholds=THRESHOLDS):
    """How many deltas are enclosed to a twentieth; all are between their ends."""
    pairs, close = neighbours(rows, n), 0
    question = prepare([Run(Randomizer.of(rows), n, k)], data, points=33)
    if question.ones[0].line is None:
        return 0
    for x in thresholds:
        found, exact = question.delta(Eps.log(x)), TRUTH[data](pairs, k, x)
        assert holds(found, exact, x), (rows, n, k, data, x)
        low, high = ends(found, x)
        close += low > Fraction(1, 100) and high <= low * Fraction(21, 20)
    return close


@pytest.mark.parametrize("long", [0, 1000])
def test_compositions_of_all_datasets_are_enclosed(long, monkeypatch, _reduced):
    """By the dots of one cover; real pairs as windows, or by dots too."""
    monkeypatch.setattr("verify.compose.dots.LONG", long)
    close = 0
    for seed in range(3):
        rows = table(seed, "gaps" if seed else "copies", 2 + seed % 2)
        close += closed_in(rows, 2 + seed % 2, 1, "same", THRESHOLDS[seed:][:1])
        close += closed_in(rows, 2, 2, ("same", "fresh", "adaptive")[seed % 3], THRESHOLDS[:1])
    assert close >= 3


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_many_compositions_of_all_datasets_are_enclosed(kind, monkeypatch, _reduced):
    for seed in range(3, 18):
        monkeypatch.setattr("verify.compose.dots.LONG", (0, 1000)[seed % 2])
        rows = table(seed, kind, 2 + seed % 2)
        closed_in(rows, 2 + seed % 3, 1, "same")
        closed_in(rows, 2, 2, ("same", "fresh", "adaptive")[seed % 3])


def test_no_eps_is_enough_where_some_totals_never_return(_reduced):
    """One input sends an even number only: with all others on it the total tells. Once an eps of "16 or more"."""
    rows = {"0": {(): Fraction(1, 2), ("a",) * 2: Fraction(1, 2)}, "1": {("a",): Fraction(1, 3), (): Fraction(2, 3)}}
    question = prepare([Run(Randomizer.of(rows), 400, 3)])
    assert question.epsilon("1e-6").interval is None
    never = 1 - Fraction(2, 3) ** 3
    found = question.delta(8).delta
    assert never * Fraction(999, 1000) <= found.low <= found.high <= never * Fraction(101, 100)
    assert found.high >= never


@pytest.mark.long
def test_one_cover_says_what_a_cover_for_each_dot_says(monkeypatch):
    """At n = 200: the intervals have numbers in common, and the new one is closed to a hundredth."""
    from tests.bench.strangers import drawn

    run = Run(Randomizer.of(drawn("gaps inside", 3, 1)), 200, 3)
    low, high = prepare([run]).epsilon("1e-6").interval
    monkeypatch.setattr(Cover, "of", classmethod(lambda cls, *_, **__: None))
    before = prepare([run], points=9).epsilon("1e-6").interval
    assert low <= high <= low * Fraction(101, 100)
    assert low <= before[1] and before[0] <= high
