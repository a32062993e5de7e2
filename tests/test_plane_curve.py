"""Many eps of one table in the plane: all datasets enumerated at small n, machine words against whole integers."""

import random
from fractions import Fraction

import pytest

from tests.random_tables import table
from tests.test_plane import KINDS
from verify import progress
from verify.cli import main
from verify.decide import trade_off as trade_offs
from verify.decide.privacy_profile import profile_curve
from verify.decide.worst_case import delta as worst_delta
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.reduce.plane_cover import knots, words
from verify.reduce.plane_cover.cover import Search
from verify.reduce.plane_cover.curve import Curve
from verify.reduce.plane_cover.plane import Plane
from verify.reduce.plane_cover.reach import plane_reach
from verify.reduce.plane_cover.search import Hunt
from verify.reduce.plane_cover.windows import Rectangle, Views
from verify.reduce.privacy_blanket import reach_of
from verify.reduce.reduction import worst_delta as worst_delta_of

TOLERANCE = Fraction(1, 1000)
GRID = [Eps.of(eps) for eps in ("0", "1/10", "log(3/2)", "9/10", "5/2")]


def closed_in(rows, n, work=10**8):
    """The curve of a table on this road alone, its lower and upper ends; None where there is no plane."""
    plane = Plane.of(Randomizer.of(rows))
    if plane is None:
        return None
    curve = Curve(Search(plane, n, TOLERANCE, work), GRID, [Fraction(0) for _ in GRID], [Fraction(1) for _ in GRID])
    for _ in curve.close_in():
        pass
    return curve


def compared(seed, kind, inputs):
    """How many deltas of a table are closed in, all of them on the right sides of the exact ones."""
    rows, n = table(seed, kind, inputs), 2 + seed % 5
    curve = closed_in(rows, n)
    if curve is None:
        return 0
    close = 0
    for at, low, high in zip(GRID, curve.low, curve.high, strict=True):
        exact = worst_delta(Randomizer.of(rows), n, at).delta
        assert exact.minus(low).sign() >= 0, (rows, n, at)
        assert exact.minus(high).sign() <= 0, (rows, n, at)
        close += curve.covered and exact.minus(Fraction(1, 10**6)).sign() > 0 and high <= low * (1 + 2 * TOLERANCE)
    return close


@pytest.mark.parametrize("kind", KINDS)
def test_all_compositions_at_many_eps_against_enumeration(kind):
    assert sum(compared(seed, kind, inputs) for seed in range(5) for inputs in (2, 3)) > 15


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_many_tables_at_many_eps_against_enumeration(kind):
    assert sum(compared(seed, kind, inputs) for seed in range(5, 205) for inputs in (2, 3)) > 600


def test_any_cover_is_sound(monkeypatch):
    """Whatever is guessed of boxes, draws and real compositions, both ends are on their side."""
    monkeypatch.setattr(Hunt, "keeps", lambda self, counts, width, slack: width > 0.01 or sum(counts) > 2)
    monkeypatch.setattr(Hunt, "corner", lambda self, box: (*box.lower, (self.total - sum(box.lower)) * 2 // 3))
    monkeypatch.setattr(Hunt, "climb", lambda self: self.real((self.total, *(0 for _ in range(self.size - 1)))))
    wider = 0
    for seed in range(8):
        compared(seed, "two kinds", 2)
        curve = closed_in(table(seed, "two kinds", 2), 2 + seed % 5)
        wider += sum(low * 2 < high < 1 for low, high in zip(curve.low, curve.high, strict=True))
    assert wider > 3


@pytest.mark.parametrize("band", [1, 1 << 15])
def test_words_hold_what_whole_integers_hold(band, monkeypatch):
    """Random laws, whatever their size: the ends in words are outside the closer ones, by a few units a cell."""
    monkeypatch.setattr(words, "BAND", band)
    rng = random.Random(band)
    for seed in range(12):
        plane = Plane.of(Randomizer.of(table(seed, "skew" if seed % 2 else "two kinds", 3)))
        size, width, height = rng.choice((3, 7, 8, 11)), rng.randint(1, 9), rng.randint(1, 9)
        cuts = sorted(rng.randrange(256**size) for _ in range(width * height))
        weights = [b - a for a, b in zip([0, *cuts], cuts, strict=False)]
        law = Rectangle((0, 0), width, height, b"".join(w.to_bytes(size, "little") for w in weights), size)
        assert words.missing(law) == Fraction(law.missing, 256**size)
        found = words.ends(plane, law, plane.pairs(), GRID)
        for at, (low, high, pair) in zip(GRID, found, strict=True):
            inner = Views(plane, law).ends(plane.pairs(), at)
            spare = at.bounds(64)[1] * 3 * (width + 9) * (height + 9) / Fraction(2**60) + at.bounds(256)[1] / 2**29
            assert inner[1] - Fraction(1, 2**60) <= high <= inner[1] + spare
            only = Views(plane, law).ends([pair], at)
            assert low <= only[1]
            assert low >= inner[0] - spare


def test_eps_beyond_what_words_hold():
    """e^eps is capped at 2^30 in words, which can only raise an upper end."""
    plane = Plane.of(Randomizer.of(table(1, "gaps", 2)))
    law = Rectangle((0, 0), 1, 1, (256**8 - 1).to_bytes(8, "little"), 8)
    for low, high, _ in words.ends(plane, law, plane.pairs(), [Eps.of(25), Eps.of(10_000)]):
        unseen = max(
            Fraction(sum(w for at, w in plane.rows[a].items() if at not in plane.rows[b]), plane.unit)
            for a, b in plane.pairs()
        )
        assert low <= unseen <= high <= unseen + Fraction(1, 2**28)


ROWS = {
    "0": {("a",): Fraction(1, 2), ("b",): Fraction(1, 3), ("c",): Fraction(1, 6)},
    "1": {("a",): Fraction(1, 4), ("b",): Fraction(1, 2), ("c",): Fraction(1, 4)},
}


def test_a_profile_is_closed_in_without_being_told(reduced_tables):
    """Closer than the blanket, on both sides, at eps in any order; and the words say how."""
    randomizer, grid = Randomizer.of(ROWS), [Eps.of(Fraction(i, 20)) for i in (3, 0, 2)]
    blanket = reach_of(randomizer, 30)
    curve = profile_curve(randomizer, 30, grid)
    exact = profile_curve(randomizer, 30, grid, max_work=10**9)
    for (_, found), (at, true) in zip(curve.points, exact.points, strict=True):
        wide = worst_delta_of(blanket, at).value
        assert wide.high > found.high >= found.low >= wide.low, at
        assert true.minus(found.low).sign() >= 0 >= true.minus(found.high).sign(), at
        assert found.high <= found.low * Fraction(1005, 1000), at
    assert "boxes" in curve.scope.by and curve.scope.two_sided and not curve.scope.stopped


def test_ctrl_c_keeps_what_is_reached(reduced_tables):
    """Stopped in the last cover: the answer is that of the wide one, and says that it was stopped."""
    randomizer, grid = Randomizer.of(ROWS), [Eps.of("1/10"), Eps.of("1/5")]
    exact = worst_delta(randomizer, 30, grid[0], max_work=10**9).delta

    def asked(last):
        bars = []

        def progress(items, total):
            bars.append(total)
            if len(bars) == last:
                raise KeyboardInterrupt
            return items

        curve = profile_curve(randomizer, 30, grid, progress=progress)
        value = curve.points[0][1]
        assert exact.minus(value.low).sign() >= 0 >= exact.minus(value.high).sign()
        assert curve.scope.stopped == (last > 0) == ("Ctrl-C" in curve.scope.by)
        return value.high, bars

    whole, bars = asked(0)
    highs = [asked(last)[0] for last in (len(bars), len(bars) - 1)]  # while the closest cover is evaluated, or a wide
    assert whole < highs[0] < highs[1]
    with pytest.raises(KeyboardInterrupt):
        asked(1)


def test_the_command_says_that_it_was_stopped(reduced_tables, monkeypatch, tmp_path, capsys):
    """Status 130, as `delta` ends with what was reached."""
    file = tmp_path / "three.toml"
    rows = ['"0"\noutputs = [{send=["a"], p="1/2"}, {send=["b"], p="1/3"}, {send=["c"], p="1/6"}]']
    rows += ['"1"\noutputs = [{send=["a"], p="1/4"}, {send=["b"], p="1/2"}, {send=["c"], p="1/4"}]']
    file.write_text('name = "three"\n' + "".join(f"[[rows]]\ninput = {row}\n" for row in rows))

    def stopping_at(last):
        seen = []

        def track(items, total):
            seen.append(total)
            if len(seen) == last:
                raise KeyboardInterrupt
            return items

        return track

    for last, status in ((0, 0), (3, 130)):
        monkeypatch.setattr(progress, "track", stopping_at(last))
        with pytest.raises(SystemExit) as ended:
            main(["profile", str(file), "--n", "30", "--eps", "1/10,1/5"])
        assert (ended.value.code or 0) == status
        assert ("Ctrl-C" in capsys.readouterr().err) == (status == 130)


def test_floats_that_tell_nothing_leave_the_blanket():
    """Where delta is below what floats tell from 0, or no box may be looked at."""
    rows = table(3, "one of three", 2)
    reach = plane_reach(Randomizer.of(rows), 3000)
    assert len(list(reach.curve([Eps.of(3), Eps.of(4)]))) == 1
    assert knots.Knots.of(Plane.of(Randomizer.of(rows)), 3000, [Eps.of(3)]) is None
    curve = closed_in(rows, 4, work=1)
    assert not curve.covered and set(curve.high) == {1}


def test_a_trade_off_curve_is_closed_in(reduced_tables, monkeypatch):
    """Against enumeration, and no wider than without boxes: where they are close at all, much closer."""
    alphas, closer = [Fraction(k, 10) for k in (1, 4, 8)], 0
    for seed in (1, 3):
        randomizer = Randomizer.of(table(seed, "one of three", 2))
        exact = trade_offs.trade_off(randomizer, 20, alphas, GRID[:3], max_work=10**9).points
        close = trade_offs.trade_off(randomizer, 20, alphas, GRID[:3])
        with monkeypatch.context() as blanket_alone:
            blanket_alone.setattr(trade_offs, "enumerate_or_reduce", lambda one, n, *_, **__: reach_of(one, n))
            wide = trade_offs.trade_off(randomizer, 20, alphas, GRID[:3])
        assert "boxes" in close.scope.by and "boxes" not in wide.scope.by
        for (_, truth), (_, far), (_, near) in zip(exact, wide.points, close.points, strict=True):
            assert near.low <= truth.high and truth.low <= near.high
            assert far.low <= near.low and near.high <= far.high
            closer += near.high - near.low < (far.high - far.low) / 2
    assert closer >= 3
