"""Randomizers in the plane: boxes with two-dimensional windows, against the enumeration of all datasets at small n."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import pytest
from flint import fmpq

from tests import cover_mutants, oracle
from tests.certificate_mutants import dump
from tests.random_tables import table
from verify import kernel
from verify.answers import decided
from verify.decide.certify import certify
from verify.decide.worst_case import delta as worst_delta
from verify.decide.worst_case import epsilon as worst_epsilon
from verify.exact.epsilon import Eps
from verify.exact.neighbours import neighbourhood
from verify.exact.randomizer import Randomizer
from verify.exact.rational import rational
from verify.reduce import composition_reduction
from verify.reduce.block_cover import reach as block_reduction
from verify.reduce.composition_cover.search import Covered
from verify.reduce.plane_cover.cover import Search, largest_delta, smallest_epsilon
from verify.reduce.plane_cover.guess import Guess
from verify.reduce.plane_cover.plane import Plane
from verify.reduce.plane_cover.reach import plane_reach
from verify.reduce.plane_cover.windows import Sums, Views
from verify.reduce.privacy_blanket import reach_of
from verify.reduce.reduction import worst_delta as worst_of
from verify.reduce.reduction import worst_epsilon as epsilon_of

TOLERANCE = Fraction(1, 1000)
KINDS = ("one of three", "two kinds", "gaps", "shift", "skew")


def compared(seed, kind, inputs):
    """Both questions about a table, forced onto this road, against the exact engine; False where there is no plane."""
    rows = table(seed, kind, inputs)
    randomizer, n = Randomizer.of(rows), 2 + seed % 5
    plane = Plane.of(randomizer)
    if plane is None:
        return False
    for eps in ("0", "1/3", "log(2)"):
        exact = worst_delta(randomizer, n, eps).delta
        found = largest_delta(Search(plane, n, TOLERANCE, 10**8), Eps.of(eps), Fraction(0))
        assert exact.minus(found.low).sign() >= 0, (rows, n, eps)
        assert found.high is None or exact.minus(found.high).sign() <= 0, (rows, n, eps)
        if exact.minus(Fraction(1, 10**6)).sign() > 0:
            assert found.finished and found.high <= found.low * (1 + TOLERANCE), (rows, n, eps)
    exact = worst_epsilon(randomizer, n, "1/20").eps
    found = smallest_epsilon(Search(plane, n, TOLERANCE, 10**8), Fraction(1, 20))
    if exact is None:
        assert found.high is None
    else:
        low, high = (Fraction(end) for end in exact.enclosure())
        assert found.low <= high and (found.high is None or low <= found.high), (rows, n)
        above = worst_delta(randomizer, n, high * Fraction(1001, 1000)).delta
        if low and above.minus(Fraction(4999, 100_000)).sign() < 0:  # windows do not decide a delta that is the bound
            assert found.finished and found.high <= found.low * (1 + TOLERANCE), (rows, n)
    return True


@pytest.mark.parametrize("kind", KINDS)
def test_all_compositions_against_enumeration(kind):
    assert sum(compared(seed, kind, inputs) for seed in range(6) for inputs in (2, 3)) > 3


@pytest.mark.parametrize("kind", ["two kinds", "shift"])
def test_any_number_of_draws_that_is_counted_on_is_sound(kind, monkeypatch):
    """A guess that is far too bold, or too timid, leaves an upper end above the truth."""
    monkeypatch.setattr(Guess, "draws", lambda self, users, tail: users * 2 // 3 if self.alike else 0)
    bold = 0
    for seed in range(12):
        randomizer, n = Randomizer.of(table(seed, kind, 2)), 3 + seed % 4
        if (plane := Plane.of(randomizer)) is None:
            continue
        for eps in ("0", "log(3/2)"):
            exact = worst_delta(randomizer, n, eps).delta
            found = largest_delta(Search(plane, n, Fraction(1, 2), 10**8), Eps.of(eps), Fraction(0))
            assert exact.minus(found.low).sign() >= 0
            if found.high is not None:
                assert exact.minus(found.high).sign() <= 0, (seed, eps)
                bold += found.high < 1
    assert bold > 3


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_many_compositions_against_enumeration(kind):
    assert sum(compared(seed, kind, inputs) for seed in range(6, 406) for inputs in (2, 3)) > 200


def test_against_the_oracle():
    """Nothing of the engine: all datasets of 3 users, written out, both directions."""
    rows = table(3, "gaps", 3)
    worst = oracle.delta(rows, 3, Fraction(3, 2))
    found = largest_delta(
        Search(Plane.of(Randomizer.of(rows)), 3, TOLERANCE, 10**8), Eps.log(Fraction(3, 2)), Fraction(0)
    )
    assert found.low <= worst <= found.high <= found.low * (1 + TOLERANCE)


@pytest.mark.parametrize("size", [3, 7])
def test_windows_hold_sums_from_below(size):
    """Every weight of a window is at most the exact probability, and what all of them miss is what it says."""
    plane = Plane.of(Randomizer.of(table(2, "two kinds", 2)))
    laws = [{p: Fraction(w, sum(law.values())) for p, w in law.items()} for law in plane.laws]
    sums = Sums(plane, 9, size)
    for counts, window in sums.each([(5, 4, 0), (0, 0, 0), (2, 1, 3), (2, 2, 0), (9, 0, 0)]):
        exact = {(0, 0): Fraction(1)}
        for law, count in zip(laws, counts, strict=True):
            for _ in range(count):
                more = Counter()
                for ((u, v), p), ((s, t), q) in product(exact.items(), law.items()):
                    more[u + s, v + t] += p * q
                exact = more
        whole, total = 256**size, 0
        for k in range(window.width * window.height):
            weight = int.from_bytes(window.cells[k * size : (k + 1) * size], "little")
            point = window.first[0] + k % window.width, window.first[1] + k // window.width
            assert weight <= whole * exact.get(point, 0)
            total += weight
        assert window.missing == whole - total < whole // 100
        for eps in (Fraction(1, 10), Fraction(1)):
            low, high, pair = Views(plane, window).ends(plane.pairs(), Eps.log(1 + eps))
            deltas = {}
            for a, b in plane.pairs():
                excess = Counter()
                for (u, v), p in exact.items():
                    for (s, t), w in plane.rows[a].items():
                        excess[u + s, v + t] += p * w / plane.unit
                    for (s, t), w in plane.rows[b].items():
                        excess[u + s, v + t] -= (1 + eps) * p * w / plane.unit
                deltas[a, b] = sum(max(value, 0) for value in excess.values())
            assert low <= deltas[pair] <= max(deltas.values()) <= high <= low + Fraction(1, 50)


def test_a_basis_of_the_lattice_is_near_a_right_angle():
    """All points are kept apart, neighbours in the lattice are neighbours, and the coordinates hardly correlate."""
    plane = Plane.of(Randomizer.of(table(1, "skew", 2)))
    steps = {(u, v) for row in plane.rows for u, v in row}
    assert len(steps) == len({p for row in table(1, "skew", 2).values() for p in row})
    assert max(u for u, _ in steps) <= 3 and max(v for _, v in steps) <= 3


def test_who_sends_what_is_common_is_counted_on():
    """A box's bound, with draws from the common part, is above what its compositions attain; not so if all draw."""
    fewer_than_real = 0
    for seed in range(6):
        plane, eps, n = Plane.of(Randomizer.of(table(seed, "two kinds", 2))), Eps.log(Fraction(6, 5)), 41
        if plane is None or not plane.common:
            continue
        search, sums = Search(plane, n, TOLERANCE, 10**8), Sums(plane, n, 8)
        most, attained = {}, {}
        free = 24
        wanted = [(6, 10, m) for m in (0, 2, 5, 8, 11, free)]
        for counts, law in sums.each(wanted):
            most[counts[2]] = Views(plane, law).ends(plane.pairs(), eps)[1], search.fewer(16, counts)
        for counts, law in sums.each([(6 + i, 10 + free - i, 0) for i in range(0, free + 1, 4)]):
            attained[counts] = Views(plane, law).ends(plane.pairs(), eps)[0]
        for m, (high, fewer) in most.items():
            if m < free:
                assert max(attained.values()) <= high + fewer, (seed, m)
        assert most[0][1] == 0 and most[free][1] == 1
        fewer_than_real += max(attained.values()) > most[free][0]
    assert fewer_than_real > 1


def test_fewer_draws_than_expected():
    """The bound on Pr[N < m] against the sum of the binomial weights."""
    plane = Plane.of(Randomizer.of(table(4, "two kinds", 2)))
    part, search = plane.alike(), Search(plane, 61, TOLERANCE, 10**8)
    assert 0 < part < 1
    for draws in range(1, 40):
        exact = sum(comb(40, i) * part**i * (1 - part) ** (40 - i) for i in range(draws))
        bound = search.fewer(20, (12, 8, draws))
        assert exact <= bound <= 1
    assert search.fewer(20, (12, 8, 2)) < Fraction(1, 1000)


def test_the_answers_are_of_the_plane_where_they_may_take_long(reduced_tables):
    rows = {
        "0": {("a",): Fraction(1, 2), ("b",): Fraction(1, 3), ("c",): Fraction(1, 6)},
        "1": {("a",): Fraction(1, 4), ("b",): Fraction(1, 2), ("c",): Fraction(1, 4)},
    }
    randomizer = Randomizer.of(rows)
    close, blanket = worst_epsilon(randomizer, 40, "1/1000"), reach_of(randomizer, 40)
    wide = epsilon_of(blanket, Fraction(1, 1000))[:2]
    exact = oracle_epsilon(randomizer, 40)
    for low, high in (wide, close.interval):
        assert low <= exact <= high
    assert close.interval[1] <= close.interval[0] * (1 + TOLERANCE) < wide[1]
    assert "boxes" in close.scope.by and "boxes" not in blanket.by
    assert close.scope.two_sided and close.scope.worst is not None
    found = decided.epsilon(randomizer, 40, "1/1000")
    assert (found.lower, found.upper) == (pytest.approx(close.interval[0]), pytest.approx(close.interval[1]))


def oracle_epsilon(randomizer, n):
    """The exact engine's, at all datasets."""
    around = neighbourhood(randomizer, n, "shuffled", 10**9)
    cases = around.cases(around.representatives())
    power = max(case.pair.epsilon_power(Fraction(1, 1000), fmpq(1)) or fmpq(1) for case in cases)
    return Fraction(Eps.log(rational(power)).enclosure(30)[0])


def test_a_claim_that_a_blanket_proves_is_certified_by_it_and_others_by_boxes(reduced_tables):
    randomizer = Randomizer.of(table(1, "one of three", 2))
    low, high = worst_epsilon(randomizer, 40, "1/1000").interval
    bound = epsilon_of(reach_of(randomizer, 40), Fraction(1, 1000))[1]
    assert high < bound
    above = certify(randomizer, 40, bound * Fraction(11, 10), "1/1000")
    assert above.verdict == "PROVED" and "blanket" in above.certificate["evidence"]
    between = certify(randomizer, 40, (high + bound) / 2, "1/1000")
    assert between.verdict == "PROVED" and "cover" in between.certificate["evidence"]
    assert kernel.check(between.certificate_text().encode()).status == "accepted"
    below = certify(randomizer, 40, low * Fraction(3, 4), "1/1000")
    assert below.verdict == "REFUTED" and kernel.check(below.certificate_text().encode()).status == "accepted"


def test_the_kernel_rechecks_boxes_in_the_plane_by_windows():
    """At a size that it does not enumerate: what is just above the truth is accepted, and not what is below it."""
    rows, n, eps = table(1, "one of three", 2), 400, "1/10"
    plane = Plane.of(Randomizer.of(rows))
    low = largest_delta(Search(plane, n, TOLERANCE, 10**8), Eps.of(eps), Fraction(0)).low
    enough = (low * Fraction(21, 20)).limit_denominator(10**9)
    found = largest_delta(Search(plane, n, TOLERANCE, 10**8, drawn=False), Eps.of(eps), enough)
    assert low < enough and found.high <= enough and len(found.boxes) > 2
    tree = [node and list(node) for node in found.tree(plane, n)]
    below = (low * Fraction(19, 20)).limit_denominator(10**9)
    for delta, nodes, status in ((enough, tree, "accepted"), (below, tree, "rejected"), (enough, [None], "rejected")):
        claim = cover_mutants.claim_of(rows, "shuffled", n, eps, delta)
        said = cover_mutants.certificate(claim, "PROVED", {"cover": nodes}, version=3)
        assert kernel.check(dump(said).encode()).status == status


def test_who_stops_it_has_what_is_proved_so_far():
    """Before anything is proved there is no answer; later the lower end stands, and no upper end is told."""
    plane, told = Plane.of(Randomizer.of(table(1, "one of three", 2))), []

    def stop(after):
        def tick(low, high):
            told.append((low, high))
            if (low > 0) is after:
                raise KeyboardInterrupt

        return tick

    with pytest.raises(KeyboardInterrupt):
        largest_delta(Search(plane, 30, TOLERANCE, 10**8, stop(False)), Eps.of(0), Fraction(0))
    told.clear()
    found = largest_delta(Search(plane, 30, TOLERANCE, 10**8, stop(True)), Eps.of(0), Fraction(0))
    whole = largest_delta(Search(plane, 30, TOLERANCE, 10**8), Eps.of(0), Fraction(0))
    assert found.stopped and not found.finished and found.high is None and told[-1] == (found.low, None)
    assert whole.finished and found.low <= whole.high and found.value.high == 1


def test_a_blanket_bounds_what_was_stopped_before_an_upper_end(reduced_tables):
    """The upper ends of the blanket alone, of both questions, stand where the boxes have none yet."""

    def tick(low, high):
        if low > 0:
            raise KeyboardInterrupt

    given, n, eps, bound = Randomizer.of(table(1, "one of three", 2)), 30, Eps.of("1/10"), Fraction(1, 1000)
    blanket = reach_of(given, n)
    found = plane_reach(given, n, tick=tick).delta(eps)
    assert found.stopped and "Ctrl-C" in found.note and 0 < found.value.low < found.value.high
    assert found.value.high == worst_of(blanket, eps).value.high < 1
    low, high, found = plane_reach(given, n, tick=tick).epsilon(bound)
    assert found.stopped and 0 < low < high == epsilon_of(blanket, bound)[1]


def test_too_little_work_leaves_a_wider_interval():
    plane = Plane.of(Randomizer.of(table(1, "one of three", 2)))
    short, whole = (smallest_epsilon(Search(plane, 60, TOLERANCE, work), Fraction(1, 1000)) for work in (10**6, 10**8))
    assert not short.finished and short.low <= whole.high
    assert short.high is None or short.high > whole.high
    assert whole.finished


@pytest.mark.parametrize("stopped", [False, True])
def test_a_blanket_is_asked_once_at_most(monkeypatch, stopped):
    """Where a bound is to be shown, before the boxes; where one of many questions is stopped, not at all."""
    randomizer, asked = Randomizer.of(table(1, "one of three", 2)), []
    family = plane_reach(randomizer, 40).attained
    for module in (composition_reduction, block_reduction):  # a blanket alone, and one with blocks
        monkeypatch.setattr(module, "reach_of", lambda *of: asked.append(of) or reach_of(*of))
    known = Covered(Fraction(0), None if stopped else Fraction(1, 2), None, None, 1, (), False, stopped)
    monkeypatch.setattr(type(family), "largest", lambda self, eps, enough: known)
    if stopped:
        with pytest.raises(KeyboardInterrupt):
            family.worst(Eps.of("1/10"))
    else:
        whole = worst_of(reach_of(randomizer, 40), Eps.of("1/10")).value
        found = family.delta(Eps.of("1/10"), Fraction(1, 10**9))
        assert Fraction(1, 10**9) < found.value.high == whole.high and found.value.low <= whole.low
    assert len(asked) == (0 if stopped else 1)
