"""pairs/windowed.py and windows of enclose/noise.py against double sums of Fractions and exact laws."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import product

import pytest
from flint import fmpz
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify.enclose.interval import refine
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import (
    Binomial,
    DiscreteLaplace,
    NegativeBinomial,
    Poisson,
    Reflected,
)
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import Law, binomial, plus, shift
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from shufflecert.verify.pairs.windowed import Atoms, Product, Reversed, SumPair, coin, joint
from shufflecert.verify.reduce.reduction import NamedPair, Pairs
from tests.helpers import few, some
from tests.oracle import hockey_stick

HALF, SHARP = Fraction(1, 2), Fraction(1, 10**30)
POWERS = (Fraction(1), Fraction(11, 10), Fraction(2), Fraction(10), Fraction(1000))


def twice(p, q, p2, q2, power):
    """The same of two independent pairs, one pair of outcomes at a time."""
    total = Fraction(0)
    for x, y in product({*p, *q}, {*p2, *q2}):
        total += max(p.get(x, 0) * p2.get(y, 0) - power * q.get(x, 0) * q2.get(y, 0), 0)
    return total


def law_of(noises, by=0):
    """by + a sum of binomials, exactly: {k: Pr}."""
    law = Law.of({0: 1})
    for noise in noises:
        law = plus(law, binomial(noise.n, noise.p))
    return dict(shift(law, by).items())


binomials = st.builds(Binomial, st.integers(1, 12), st.fractions(0, 1, max_denominator=12))
noises = st.lists(binomials, min_size=1, max_size=3).map(tuple)
sums = st.builds(SumPair, noises, noises, st.integers(-2, 2))
powers = st.sampled_from(POWERS)


# Windows -----------------------------------------------------------------------------------------------------------


@few
@given(noises, st.sampled_from([8, 24, 64, 128, 500]))
def test_windows_of_sums_contain_the_exact_law(parts, bits):
    window = Window.of(parts[0], bits)
    for noise in parts[1:]:
        window = window.plus(Window.of(noise, bits))
    law, last = law_of(parts), window.first + len(window.low) - 1
    for k, weight in law.items():
        if window.first <= k <= last:  # what comes from outside a window may be at any point
            low, high = int(window.low[k - window.first]), int(window.high[k - window.first])
            assert low <= weight * 2**bits <= high + window.outside
    outside = sum(weight for k, weight in law.items() if not window.first <= k <= last)
    assert outside * 2**bits <= window.outside
    assert not window.begins or min(law) >= window.first
    assert not window.ends or max(law) <= last
    assert sum(window.low) <= 2**bits <= sum(window.high) + window.outside


@pytest.mark.parametrize("bits", [64, 256, 1024])
def test_thin_ends_are_cut_and_counted(bits):
    parts = (Binomial(900, HALF), Binomial(700, Fraction(1, 10)), Binomial(1, HALF))
    window = Window.of(parts[0], bits).plus(Window.of(parts[1], bits)).plus(Window.of(parts[2], bits))
    law = law_of(parts)
    assert len(window.low) < 1600 and not window.begins and not window.ends
    last = window.first + len(window.low) - 1
    outside = sum(weight for k, weight in law.items() if not window.first <= k <= last)
    assert 0 < outside * 2**bits <= window.outside < 2 ** (bits // 2)
    for k in range(window.first, last + 1):
        low, high = int(window.low[k - window.first]), int(window.high[k - window.first])
        assert low <= law[k] * 2**bits <= high + window.outside


@some
@given(st.lists(st.integers(0, 2**60), min_size=1, max_size=12), st.sampled_from([16, 64, 200]))
def test_trimming_keeps_the_bounds(weights, bits):
    window = Window(-3, [fmpz(w // 2) for w in weights], [fmpz(w) for w in weights], 5, bits, True, True)
    cut = window._trimmed()
    kept = range(cut.first + 3, cut.first + 3 + len(cut.low))
    lost = sum(w for i, w in enumerate(weights) if i not in kept)
    assert cut.outside == 5 + lost and lost < len(weights) * 2 ** max(8, bits // 8 - 8)
    assert [*cut.low] == [weights[i] // 2 for i in kept] and [*cut.high] == [weights[i] for i in kept]
    assert cut.begins == (cut.first == -3) or not kept
    assert cut.ends == (len(cut.low) + cut.first + 3 == len(weights)) or not kept


def test_points_outside_a_window():
    inner = Window(2, [fmpz(5)], [fmpz(6)], 7, 8)
    assert inner.on(0, 3) == ([0, 0, 5, 0], [7, 7, 6, 7])
    assert replace(inner, begins=True).on(0, 3) == ([0, 0, 5, 0], [0, 0, 6, 7])
    assert replace(inner, ends=True).on(0, 3) == ([0, 0, 5, 0], [7, 7, 6, 0])


# Pairs -------------------------------------------------------------------------------------------------------------


@few
@given(sums, powers, st.sampled_from([4, 20, 64, 128]))
def test_sums_contain_the_exact_divergence(pair, power, bits):
    P, Q = law_of(pair.p, pair.by), law_of(pair.q)
    for one, p, q in ((pair, P, Q), (Reversed(pair), Q, P), (Reversed(Reversed(pair)), P, Q)):
        low, high = one.divergence(Eps.log(power), bits)
        assert low <= hockey_stick(p, q, power) <= high
        alone = sum((w for k, w in p.items() if k not in q), Fraction(0))
        assert alone * (1 - SHARP) <= one.infinity_mass() <= alone


@few
@given(sums, sums, powers, st.sampled_from([4, 20, 64, 128]))
def test_products_contain_the_double_sum(one, two, power, bits):
    (p, q), (p2, q2) = ((law_of(pair.p, pair.by), law_of(pair.q)) for pair in (one, two))
    low, high = Product(one, two).divergence(Eps.log(power), bits)
    assert low <= twice(p, q, p2, q2, power) <= high
    low, high = Product(one, Reversed(one)).divergence(Eps.log(power), bits)
    assert low <= twice(p, q, q, p, power) <= high


@few
@given(sums, st.sampled_from([16, 64, 200]), st.fractions(1, 6, max_denominator=50))
def test_at_a_rational_power_sums_of_sorted_atoms_are_the_sum_over_all(pair, bits, power):
    """Of the same atoms, one by one in fractions; both directions."""
    for way in (pair, pair.reversed()):
        rounded = 1 << (bits - 1).bit_length()
        atoms, scale = way.atoms(rounded), 1 << rounded
        low, high = (
            sum((max(int(p) - power * int(q), Fraction(0)) for p, q in zip(*law, strict=True)), Fraction(0)) / scale
            for law in ((atoms.p[0], atoms.q[1]), (atoms.p[1], atoms.q[0]))
        )
        assert way.divergence(Eps.log(power), bits) == (low, high + Fraction(atoms.outside[0], scale))


@few
@given(st.lists(sums, min_size=1, max_size=5), powers, st.sampled_from([Fraction(0), Fraction(1, 100)]))
def test_the_largest_of_a_family_is_found_without_all_of_the_others(pairs, power, enough):
    """Against every pair by itself, to as many digits."""
    eps = Eps.log(power)
    value, worst, count = Pairs([NamedPair(pair, str(i), "y") for i, pair in enumerate(pairs)]).worst(eps, 20, enough)
    single = [refine(partial(pair.divergence, eps), 20) for pair in pairs]
    most = max(one.high for one in single)
    assert count == len(pairs) and value.high >= most >= value.low
    if most > enough:
        assert value.low == max(one.low for one in single) and value.high == most
        assert single[int(worst.source)].low == value.low


weights = st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), min_size=1, max_size=6)


@some
@given(weights, weights, st.fractions(1, 8, max_denominator=7))
def test_joint_is_the_double_sum(one, two, power):
    brute = sum(max(p * a - power * q * b, 0) for p, q in one for a, b in two)
    pairs = [Pair([fmpz(p) for p, _ in w], [fmpz(q) for _, q in w], fmpz(d)) for w, d in ((one, 10), (two, 9))]
    assert joint(*pairs, power) == Fraction(brute) / 90


@pytest.mark.parametrize("size", [1, 2**64, 2**300 + 1])
def test_joint_of_ratios_that_hardly_differ(size):
    """Ratios k/k+1 of numbers next to `size`, 1 part in size^2 apart, in any order: against the double sum."""
    weights = [(size + (i * 7) % 11, size + (i * 5) % 11) for i in range(11)] + [(0, size), (size, 0), (0, 0)]
    one = Pair([fmpz(p) for p, _ in weights], [fmpz(q) for _, q in weights], fmpz(1))
    two = Pair(one.q[::-1], one.p[::-1], fmpz(1))
    for power in (Fraction(1), Fraction(size + 3, size + 2), Fraction(9, 8)):
        others = list(zip(two.p, two.q, strict=True))
        brute = sum(max(p * int(r) - power * q * int(s), 0) for p, q in weights for r, s in others)
        assert joint(one, two, power) == brute


def test_atoms_reversed():
    atoms = Atoms(([fmpz(1)], [fmpz(2)]), ([fmpz(3)], [fmpz(4)]), (5, 6), 8)
    back = atoms.reversed()
    assert (back.p, back.q, back.outside, back.bits) == (atoms.q, atoms.p, (6, 5), 8) and back.reversed() == atoms
    assert (atoms.below.p, atoms.below.q) == ([1], [4]) and (atoms.above.p, atoms.above.q) == ([2], [3])


# Laws without an end, and large ones -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "noise",
    [
        Poisson(20),
        NegativeBinomial(HALF, "4/5"),
        NegativeBinomial(Fraction(1, 1000), HALF),
        NegativeBinomial(3, "4/5"),
        DiscreteLaplace("4/5"),
        Reflected(Poisson(20)),
        Binomial(10_000, HALF),
    ],
    ids=repr,
)
@pytest.mark.parametrize("by", [1, -1, 3])
def test_one_noise_agrees_with_its_tails(noise, by):
    # Shift has P = X, Q = X - by for by < 0, which is P = X + by against Q = X moved by -by
    for eps in ("0", "1e-30", "1/10", "1"):
        window = refine(lambda bits, e=eps: SumPair((noise,), (noise,), by).divergence(Eps.of(e), bits), last_bits=512)
        tails = refine(lambda bits, e=eps: ShiftedNoise(noise, by).divergence(Eps.of(e), bits))
        assert window.low <= tails.high and tails.low <= window.high
        assert tails.low < Fraction(1, 10**60) or window.relative_width <= SHARP


def test_several_binomials_of_a_thousand_users():
    # randomized response, 300 others on 1 and 699 on 0: Bin(300, 3/4) + Bin(699, 1/4) + Ber(3/4) against + Ber(1/4)
    others = (Binomial(300, "3/4"), Binomial(699, "1/4"))
    pair = SumPair((*others, coin(Fraction(3, 4))), (*others, coin(Fraction(1, 4))))
    P, Q = law_of(pair.p), law_of(pair.q)
    for power in (Fraction(1), Fraction(21, 20), Fraction(6, 5)):
        for one, p, q in ((pair, P, Q), (Reversed(pair), Q, P)):
            found = refine(lambda bits, one=one, power=power: one.divergence(Eps.log(power), bits))
            assert found.low <= hockey_stick(p, q, power) <= found.high and found.relative_width <= SHARP


def test_infinity_mass_of_a_product():
    one, two = (SumPair((coin(p),), (Binomial(0, HALF),)) for p in (Fraction(3, 4), Fraction(2, 3)))  # 1 is never 0
    for pair, exact in ((one, Fraction(3, 4)), (Product(one, two), Fraction(11, 12))):
        assert exact * (1 - SHARP) <= pair.infinity_mass() <= exact


def test_infinity_mass_of_a_product_of_endless_laws():
    up = SumPair((Poisson(1),), (Poisson(1),), 1)
    never = Product(up, Reversed(up)).infinity_mass()  # the second coordinate is 0: e^-1 = 0.36787...
    assert Fraction(36787, 10**5) < never < Fraction(36788, 10**5)
    assert up.infinity_mass() == 0
