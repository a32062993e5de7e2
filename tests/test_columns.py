"""`rr` and `fragmented_rappor` at any n: the exact reduction at small n, mpmath at larger, and the screen's margin."""

from fractions import Fraction
from math import comb

import mpmath
import pytest
from flint import fmpq

from shufflecert.protocols.rr import RR
from shufflecert.protocols.shared import one_column
from shufflecert.protocols.shared.one_column import (
    AllColumns,
    Screen,
    changed,
    column_ends,
    first_count,
    screened,
    tilted,
)
from shufflecert.verify.enclose.interval import refine
from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import bernoulli, binomial, plus
from tests.reference import real

FLIPS = [Fraction(1, 10**9), Fraction(1, 10), Fraction(165909, 2**23), Fraction(2, 5), Fraction(1, 2), Fraction(0)]


def exact(pairs, eps):
    """The largest delta(eps) of exact pairs, as outward decimals of 28 digits."""
    values = [pair.delta(eps) for pair in pairs]
    best = values[0]
    for value in values[1:]:
        best = max(best, value)
    return [Fraction(end) for end in best.enclosure(28)]


@pytest.mark.parametrize("flip", FLIPS)
@pytest.mark.parametrize("eps", ["0", "1/5", "2", "log(3/2)", "log(9)"])
@pytest.mark.sampled(3)
def test_rr_is_the_reduction_at_small_n(flip, eps):
    at = Eps.of(eps)
    for n in (1, 2, 3, 12):
        low, high = exact(RR(flip).reduction(n), at)
        value, worst, pairs = AllColumns(flip, n - 1).worst(at)
        assert value.low <= high and low <= value.high
        assert value.relative_width <= Fraction(1, 10**30)
        assert pairs in (1, n) and sum(worst.others.values()) == n - 1


def test_one_column_agrees_with_mpmath():
    """delta of m = 200 of 499 others: direct sums of two binomials' products at 60 digits."""
    flip, m, others, eps = Fraction(1, 20), 200, 499, Fraction(3, 10)
    with mpmath.workdps(60):
        f, power = mpmath.mpf(1) / 20, mpmath.exp(mpmath.mpf(3) / 10)

        def binomial(n, p):
            return [mpmath.binomial(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]

        a, b = binomial(m, 1 - f), binomial(others - m, f)
        g = [mpmath.mpf(0)] * (others + 3)
        for i, v in enumerate(a):
            for j, w in enumerate(b):
                g[i + j + 1] += v * w  # one place up, so that g[k - 1] exists
        truth = mpmath.fsum(
            max((1 - f) * g[k] + f * g[k + 1] - power * (f * g[k] + (1 - f) * g[k + 1]), 0) for k in range(others + 2)
        )
        found = refine(lambda bits: changed(flip).pair(m, others - m).divergence(Eps.of(eps), bits))
        assert abs(real(found.low) / truth - 1) < mpmath.mpf(10) ** -28
    assert found.relative_width <= Fraction(1, 10**30)


def test_the_screen_never_loses_the_worst():
    """Every m of n = 60, certified one by one."""
    for flip, text in ((Fraction(1, 10), "1/2"), (Fraction(1, 3), "1/10"), (Fraction(1, 50), "1")):
        eps, family = Eps.of(text), AllColumns(flip, 59)
        values = {m: family.value(m, eps) for m in range(60)}
        top = max(value.low for value in values.values())
        survivors = screened(flip, 59, eps, top)
        assert {m for m, value in values.items() if value.high >= top} <= set(survivors)
        assert len(survivors) < 10
        assert family.worst(eps)[0].low == max(values[m].low for m in survivors)


NEAR = [
    (Fraction(flip), Eps.of(eps))
    for flip in ("1/10", "1/3", "49/100", "1/1000")
    for eps in ("0", "1/10", "1/2", "log(3/2)", "219722/100000", "69/10")
    if Eps.of(eps) < Eps.log(1 / Fraction(flip) - 1)
]


@pytest.mark.parametrize(("flip", "at"), NEAR)
def test_a_tilted_column_is_the_exact_pair(flip, at):
    """All m of n = 1, 2 and 7, where the pair's laws are exact fractions; up to next to the local eps."""
    for n in (1, 2, 7):
        for m, pair in enumerate(RR(flip).reduction(n)):
            low, high = map(Fraction, pair.delta(at).enclosure(28))
            found = refine(lambda bits, m=m, n=n: column_ends(flip, m, n - 1 - m, at, bits))
            assert found.low <= high and low <= found.high and found.relative_width <= Fraction(1, 10**28)


def tails(n, eps, count):
    """(P - e^eps Q)(so many ones or more) for n - 1 others on 1, flip 1/4, by sums of binomials."""
    q, power, total, term = mpmath.mpf(3) / 4, mpmath.exp(eps), mpmath.mpf(0), mpmath.mpf(0)
    for k in range(count, n):
        term = mpmath.binomial(n - 1, k) * q**k * (1 - q) ** (n - 1 - k)
        total += term
    more = mpmath.binomial(n - 1, count - 1) * q ** (count - 1) * (1 - q) ** (n - count) + total  # n - 1 show count - 1
    return q * more + (1 - q) * total - power * ((1 - q) * more + q * total)


def test_a_delta_of_10_to_the_minus_839_takes_a_moment():
    """It was found to four digits, by windows of thousands of bits, after minutes."""
    at, family = Eps.of("9/10"), AllColumns(Fraction(1, 4), 9999)
    value, worst, pairs = family.worst(at)
    assert value.relative_width <= Fraction(1, 10**30) and worst.others == {"1": 9999} and pairs == 10000
    count = first_count(Fraction(1, 4), 9999, 0, at)
    assert worst.threshold(at, Fraction(0)).above == count - 1
    with mpmath.workdps(60):
        around = [tails(10000, mpmath.mpf(9) / 10, k) for k in (count - 1, count, count + 1)]
        assert abs(real(value.low) / around[1] - 1) < mpmath.mpf(10) ** -28
        assert max(around) == around[1] > 0


@pytest.mark.parametrize("block", [7, 64, 1024])
@pytest.mark.sampled(3)
def test_the_screen_encloses_every_value(block, monkeypatch):
    monkeypatch.setattr(one_column, "BLOCK", block)
    monkeypatch.setattr(one_column, "LEAVES", 5)
    for flip, others, text in ((Fraction(1, 4), 70, "0"), (Fraction(1, 10), 50, "2"), (Fraction(2, 5), 3, "1/10")):
        eps, family = Eps.of(text), AllColumns(flip, others)
        exactly = [family.value(m, eps, 15) for m in range(others + 1)]
        unit = exactly[0].low / (1 << 64)
        seen = list(Screen(tilted(flip, eps, 96), others, unit).values(0, others + 1))
        assert sorted(m for m, _, _ in seen) == list(range(others + 1))
        assert all(low * unit <= exactly[m].high and exactly[m].low <= high * unit for m, low, high in seen)
        assert sum((high - low) << 40 <= high for _, low, high in seen) > len(seen) // 4
        assert screened(flip, others, eps, exactly[0].low, Fraction(1)) == []


def test_a_screen_that_is_only_to_be_close_says_no_less_than_the_largest(monkeypatch):
    """All m, one by one, against what a screen keeps that may leave out what is hardly larger than what it finds."""
    monkeypatch.setattr(one_column, "BLOCK", 16)
    monkeypatch.setattr(one_column, "MOST_EXACT", 0)
    left_out = 0
    for flip, others, text in ((Fraction(1, 10), 80, "1/2"), (Fraction(1, 3), 100, "1/10"), (Fraction(1, 4), 90, "0")):
        eps, family = Eps.of(text), AllColumns(flip, others)
        values = [family.value(m, eps, 15) for m in range(others + 1)]
        top, least = max(value.high for value in values), min(value.low for value in values)
        for close in (Fraction(1, 10**4), Fraction(1, 20), Fraction(1)):
            monkeypatch.setattr(one_column, "CLOSE", close)
            for enough in (Fraction(0), least / 2, (least + top) / 2):
                listed = screened(flip, others, eps, least, enough, close)
                best = max([least, *(values[m].low for m in listed)])
                assert all(v.low <= max(enough, best * (1 + close)) for m, v in enumerate(values) if m not in listed)
                left_out += others + 1 - len(listed)
                found, _, _ = family.worst(eps, 15, enough)
                assert found.low <= top <= max(found.high, enough) and found.high <= max(
                    found.low * (1 + close) ** 2, enough
                )
    assert left_out > 1000


@pytest.mark.parametrize("flip", [Fraction(1, 10), Fraction(1, 3)])
def test_coins_that_dropped_users_hide_behind(flip):
    """For 3 users of whom any may be on 1, and 2 on 1, 1 on 0 besides: the mean of divergences given the coins."""
    known = plus(binomial(2, 1 - flip), binomial(1, flip))

    def pair(others):
        return Pair.of(plus(others, bernoulli(1 - flip)), plus(others, bernoulli(flip)))

    def at(others, t):
        laws = pair(others)
        excess = (p - t * q for p, q in zip(laws.p, laws.q, strict=True))
        return sum((e for e in excess if e > 0), fmpq(0)) / laws.denominator

    for t in (fmpq(1), fmpq(5, 4), fmpq(2)):
        true = max(at(plus(plus(known, binomial(3 - i, flip)), binomial(i, 1 - flip)), t) for i in range(4))
        hidden = 2 * flip
        chances = [comb(3, k) * hidden**k * (1 - hidden) ** (3 - k) for k in range(4)]
        kept = [at(plus(known, binomial(k, Fraction(1, 2))), t) for k in range(4)]
        assert (
            true <= sum(fmpq(*c.as_integer_ratio()) * value for c, value in zip(chances, kept, strict=True)) <= kept[0]
        )
        assert kept == sorted(kept, reverse=True)


def test_no_noise_and_fair_coins():
    eps = Eps.of("1/5")
    assert [AllColumns(Fraction(flip), 9999).worst(eps)[0].low for flip in ("0", "1/2")] == [1, 0]
    assert AllColumns(Fraction(1, 10), 9999).worst(Eps.of("log(9)"))[0].high == 0  # the local eps


def test_the_worst_dataset_of_rr_can_be_an_interior_one_at_large_n():
    flip = Fraction(165909, 2**23)
    value, worst, pairs = AllColumns(flip, 4999).worst(Eps.of("1/5"))
    assert pairs == 5000 and len(worst.others) == 2
    ends = [AllColumns(flip, 4999).value(m, Eps.of("1/5")) for m in (0, 4999)]
    assert all(end.high < value.low for end in ends)
    event = worst.threshold(Eps.of("1/5"), Fraction(0))
    assert event.weights == {"1": 1} and 0 < event.above < 5000


def test_a_thousand_million_users_are_refused_before_anything_is_begun():
    """A bound took minutes and gigabytes, and then there was none; at the local eps there is nothing to look for."""
    family = AllColumns(Fraction(1, 4), 10**9 - 1)
    with pytest.raises(TooMuchWork, match="too many to bound all datasets"):
        family.worst(Eps.of(Fraction(1, 10**4)))
    assert family.worst(Eps.log(3))[0].high == 0
