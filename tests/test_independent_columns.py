"""Independent columns (verify/bound/columns.py) against the definition: all numbers of the others, all outcomes.

Expected values come from here: laws are convolved from single bits in fractions, products of columns are written out,
and delta is summed over them.
"""

import random
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, product
from math import comb, log

import mpmath
import pytest

import shufflecert
from shufflecert.protocols.fragmented_rappor import FragmentedRAPPOR, joint_roughly
from shufflecert.verify.bound import closed_form
from shufflecert.verify.bound import columns as room
from shufflecert.verify.bound.columns import Column, Columns, Curves
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.connect_the_dots import dominating_heights
from tests.helpers import cases


def law(*chances):
    known = [Fraction(1)]
    for p in chances:
        known = [a * (1 - p) + b * p for a, b in zip([*known, 0], [0, *known], strict=True)]
    return known


def pair(column, c, others):
    rest = [column.high] * c + [column.low] * (others - c)
    return law(*rest, column.up), law(*rest, column.down)


def divergence(pairs, x):
    P, Q = (reduce(lambda one, two: [a * b for a in one for b in two], [sides[i] for sides in pairs]) for i in (0, 1))
    return sum((max(p - x * q, Fraction(0)) for p, q in zip(P, Q, strict=True)), Fraction(0))


def worst(parts, others, x):
    """The largest delta over any c for each part, by the definition; x = e^eps."""
    return max(
        divergence(
            [pair(column, c, others) for c, (column, times) in zip(held, parts, strict=True) for _ in range(times)], x
        )
        for held in product(range(others + 1), repeat=len(parts))
    )


def some_column(rng):
    chances = sorted(Fraction(rng.randint(1, 19), 20) for _ in range(4))
    low, high = chances[0], chances[-1]
    down, up = (low, high) if rng.random() < 0.6 else chances[1:3]
    return Column(up if up > down else high, down if up > down else low / 2, high, low)


def asked(parts, others):
    return Columns(tuple(parts), others, lambda held: ("a", "b", {}))


def test_what_is_far_below_needs_no_digits(monkeypatch):
    """Up to `enough` any upper end will do; the real datasets of `narrowed` are among those that the worst is of."""
    monkeypatch.setattr(room, "WRITTEN", 0)
    monkeypatch.setattr(room, "THOROUGH", 0)
    rng, spared = random.Random(11), 0
    for _ in range(cases(6)):
        parts, others = [(some_column(rng), 2)], rng.randint(1, 6)
        x = 1 + Fraction(rng.randint(0, 30), 20)
        truth = worst(parts, others, x)
        for enough in (truth * 2, truth, truth / 2):
            family = asked(parts, others)
            value, _, boxes = family.worst(Eps.log(x), 6, enough)
            assert value.low <= truth <= value.high
            spared += boxes == 1
        few = asked(parts, others).narrowed(Eps.log(x)).worst(Eps.log(x))[0]
        ends = [divergence([pair(parts[0][0], c, others)] * 2, x) for c in (0, others)]
        assert max(ends) <= few.high and few.low <= truth
    assert spared


@pytest.mark.parametrize("thorough", [0, 10**6])
def test_both_ends_hold_the_worst(monkeypatch, thorough):
    """Nothing is written out; with `thorough` every number is told apart, without it boxes are enough."""
    monkeypatch.setattr(room, "WRITTEN", 0)
    monkeypatch.setattr(room, "THOROUGH", thorough)
    rng, wide = random.Random(thorough), 0
    for _ in range(cases(6)):
        one, two = some_column(rng), some_column(rng)
        parts = rng.choice([[(one, 1)], [(one, 2)], [(one, 1), (one, 1)], [(one, 1), (two, 1)]])
        others, x = rng.randint(1, 7), 1 + Fraction(rng.randint(0, 30), 20)
        truth = worst(parts, others, x)
        family = asked(parts, others)
        value, named, _ = family.worst(Eps.log(x))
        assert value.low <= truth <= value.high
        assert value.high <= value.low * (1 + 2 * room.CLOSE) or value.high < Fraction(1, 10**9)
        if thorough and value.low:
            assert value.high <= value.low * (1 + Fraction(1, 10**9)) and named is not None
            low, high, _ = family.epsilon(truth)
            assert low <= Fraction(Eps.log(x).enclosure()[1]) and Fraction(Eps.log(x).enclosure()[0]) <= high
        wide += value.high > value.low
    assert wide


def test_where_all_is_written_out_it_is_exact():
    rng = random.Random(5)
    for _ in range(cases(5)):
        parts, others = [(some_column(rng), 1), (some_column(rng), 1)], rng.randint(1, 3)
        family, x = asked(parts, others), 1 + Fraction(rng.randint(0, 9), 20)
        truth, (value, _, count) = worst(parts, others, x), family.worst(Eps.log(x))
        assert count == (others + 1) ** 2 and value.low <= truth <= value.high <= value.low * (1 + Fraction(1, 10**28))
        low, _, found = family.epsilon(truth)
        assert found.exact is not None and low <= Fraction(Eps.log(x).enclosure()[1])
        assert truth == 0 or worst(parts, others, found.exact.power) == truth


def test_four_columns():
    """A product that is too long to be multiplied out goes over a lattice."""
    column, others = Column(Fraction(3, 4), Fraction(1, 4), Fraction(3, 4), Fraction(1, 4)), 2
    parts, x = [(column, 1)] * 4, Fraction(3, 2)
    truth = max(
        divergence([pair(column, c, others) for c in held], x)
        for held in combinations_with_replacement(range(others + 1), 4)
    )
    family = asked(parts, others)
    family.__dict__["listed"] = None
    value = family.worst(Eps.log(x))[0]
    assert value.low <= truth <= value.high <= value.low * Fraction(1001, 1000)


def test_a_range_holds_the_curves_of_its_numbers():
    """Heights of all ranges, cut or not, at all knots, against each number's own curve."""
    rng = random.Random(3)
    for small in (16, 48) * cases(1):  # in words, and in integers
        column, others = some_column(rng), 24
        curves = Curves(column, others, small)
        assert curves.wordy == (small == 16)
        curves.refine(50_000)
        some = rng.sample(range(len(curves.knots)), 9)
        assert curves.inner
        for first, last in [*rng.sample(sorted(curves.best), min(6, len(curves.best))), (0, others)]:
            for c in {first, last, (first + last) // 2}:
                for i in some:
                    x = Fraction(curves.knots[i], 1 << room.POINT)
                    truth = divergence([pair(column, c, others)], x)
                    assert truth <= Fraction(curves.heights((first, last))[i], 1 << curves.bits)


def test_rare_are_fewer_coins():
    """Pr[K < k], exactly: a common coin comes with chance 1/2."""
    column = Column(Fraction(3, 4), Fraction(1, 4), Fraction(3, 4), Fraction(1, 4))
    for users, size in ((300, 30), (900, 44), (40, 60)):
        k, rare = column.coins(users, size)
        assert Fraction(sum(comb(users, i) for i in range(k)), 2**users) <= rare and (k > 0) == (users > 40)


def test_kept_coins_make_a_range_close_and_hold(monkeypatch):
    """900 users of whom 600 may be on either value: above each number's own curve, and less far than without coins."""
    column, x = Column(Fraction(3, 4), Fraction(1, 4), Fraction(3, 4), Fraction(1, 4)), Fraction(6, 5)
    curves, some = Curves(column, 900, 16), (300, 900)
    i = next(i for i, knot in enumerate(curves.knots) if knot > x * 2**room.POINT)
    at = Eps.log(Fraction(curves.knots[i], 2**room.POINT))
    truth = max(column.pair(c, 900 - c).divergence(at, 128)[0] for c in (300, 450, 600, 899, 900))
    close = Fraction(curves.heights(some)[i], 1 << curves.bits)
    curves.best.clear()
    monkeypatch.setattr(Column, "coins", lambda *_: (0, Fraction(0)))
    assert truth <= close < Fraction(curves.heights(some)[i], 1 << curves.bits)


def test_dots_in_integers_are_above():
    """Heights over rising knots: the pair's curve is no lower at any of them, and no lower than 1 - x."""
    rng = random.Random(4)
    for _ in range(cases(20)):
        knots = sorted(rng.sample(range(1, 4000), 12))
        P, Q = law(*[Fraction(rng.randint(1, 9), 10)] * 5), law(*[Fraction(rng.randint(1, 9), 10)] * 5)
        heights = [-int(-divergence([(P, Q)], Fraction(x, 1024)) * 2**40 // 1) for x in knots]
        heights = [h + rng.randint(0, 3) for h in heights]  # bounds need not be a convex function's
        made = dominating_heights(knots, heights, 10, 40)
        for x in (*knots, 1, 5000):
            value = sum(max(int(p) - Fraction(x, 1024) * int(q), 0) for p, q in zip(made.p, made.q, strict=True))
            truth = divergence([(P, Q)], Fraction(x, 1024))
            assert value >= truth * int(made.denominator)
            if x in knots:
                assert value <= (Fraction(heights[knots.index(x)], 2**40) + Fraction(1, 2**60)) * int(made.denominator)


@pytest.mark.parametrize(("flip", "delta"), [("1/1000000", "1e-6"), ("1/4", "1e-200")])
def test_no_eps_is_beyond_that_of_one_user_alone(flip, delta):
    """A user's two columns alone: e^eps = ((1 - flip) / flip)^2, which more users only bring down."""
    found = shufflecert.epsilon("fragmented_rappor", n=50, delta=delta, d=3, flip=flip)
    alone = 2 * log(1 / Fraction(flip) - 1)
    assert found.lower <= found.upper <= min(alone * (1 + 1e-12), found.lower * 1.0011)


@pytest.mark.parametrize(("values", "users", "eps"), [(2, 400_000, 2), (3, 20_000, 1)])
def test_a_delta_far_below_what_is_asked_for_is_bounded_from_above(values, users, eps):
    """Digits of such deltas took minutes and gigabytes. With all others on the user's value everybody may send that
    one and no other, which is nine times as likely as where the user who changes is on another: a real dataset's delta.
    """
    found = shufflecert.delta("fragmented_rappor", n=users, eps=eps, d=values, flip="1/4").delta
    with mpmath.workdps(30):
        real = mpmath.mpf(3) ** (2 * users) / mpmath.mpf(4) ** (2 * users) * (1 - mpmath.exp(eps) / 9)
        assert real < mpmath.mpf(found.high.numerator) / found.high.denominator < mpmath.mpf(10) ** -45


@pytest.mark.parametrize("flip", [Fraction(1, 4), Fraction(1, 100)])
def test_what_floats_guess_of_two_columns(flip):
    """What bounds a certificate's boxes of fragmented_rappor: (P, Q) of one column, (Q, P) of another; their tree."""
    family = FragmentedRAPPOR(3, flip).reach(13).dominating
    column = Column(1 - flip, flip, 1 - flip, flip)
    for i, j in ((0, 0), (5, 3), (12, 0), (2, 10)):
        one, (P, Q) = pair(column, i, 12), pair(column, j, 12)
        for x in (Fraction(1), Fraction(5, 4), Fraction(3)):
            roughly = joint_roughly(family._roughly(i, 12 - i), family._roughly(12 - j, j), float(x))
            assert roughly == pytest.approx(float(divergence([one, (Q, P)], x)), rel=1e-9)
    worst = max(
        divergence([pair(column, i, 12), pair(column, j, 12)[::-1]], Fraction(5, 4))
        for i in range(13)
        for j in range(13 - i)
    )
    assert family.tree(Eps.log(Fraction(5, 4)), worst * Fraction(11, 10))
    with pytest.raises(Undecided, match="boxes of datasets are needed"):
        family.tree(Eps.log(Fraction(5, 4)), worst * Fraction(9, 10))


def test_of_many_users_a_verdict_looks_at_few_boxes(monkeypatch):
    """The search went on to all digits, twice. A true bound of a hundred times delta needs the first box alone, and one
    that is hardly above it less than what the value takes; both verdicts stay those of the value."""
    monkeypatch.setattr(closed_form, "QUICK", 100)
    users, eps = 3000, "0.1"
    whole = shufflecert.delta("fragmented_rappor", n=users, eps=eps, d=2, flip="1/4")
    looked = {}
    for part in ("100", "1.001", "0.99"):
        claim = Fraction(whole.lower) * Fraction(part)
        found = shufflecert.certify("fragmented_rappor", users, eps, claim, d=2, flip="1/4")
        looked[part] = found.worst.scope.pairs
        assert found.verdict == ("REFUTED" if part == "0.99" else "PROVED")
    assert looked["100"] <= 4 < looked["1.001"] <= whole.scope.pairs
