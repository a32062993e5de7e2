"""`rr` and `fragmented_rappor` at any n: the exact reduction at small n, mpmath at larger, and the screen's margin."""

from fractions import Fraction
from itertools import product

import mpmath
import pytest

from protocols.fragmented_rappor import FragmentedRAPPOR
from protocols.rr import RR
from protocols.shared.column_pairs import ColumnPairs
from protocols.shared.columns import AllColumns, column, screened
from verify.enclose.interval import refine
from verify.exact.epsilon import Eps
from verify.reduce.reduction import worst_delta

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
def test_rr_is_the_reduction_at_small_n(flip, eps):
    at = Eps.of(eps)
    for n in (1, 2, 3, 12):
        low, high = exact(RR(flip).reduction(n), at)
        value, worst, pairs = AllColumns(flip, n - 1).worst(at)
        assert value.low <= high and low <= value.high
        assert value.relative_width <= Fraction(1, 10**30)
        assert pairs in (1, n) and sum(worst.others.values()) == n - 1


SMALL = list(product((2, 3), (Fraction(1, 10), Fraction(2, 5), Fraction(0)), (2, 5, 7)))


@pytest.mark.parametrize(("d", "flip", "n"), SMALL)
def test_two_columns_are_the_reduction_at_small_n(d, flip, n):
    for eps in map(Eps.of, ("0", "1/2", "log(3)")):
        low, high = exact(FragmentedRAPPOR(d, flip).reduction(n), eps)
        value = worst_delta(FragmentedRAPPOR(d, flip).reach(n), eps).value
        assert value.low <= high and low <= value.high and value.relative_width < Fraction(2, 10**4)


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
        found = refine(lambda bits: column(flip, m, others - m).divergence(Eps.of(eps), bits))
        assert abs(mpmath.mpf(found.low.numerator) / found.low.denominator / truth - 1) < mpmath.mpf(10) ** -28
    assert found.relative_width <= Fraction(1, 10**30)


def test_the_screen_never_loses_the_worst():
    """Every m of n = 120, certified one by one."""
    for flip, text in ((Fraction(1, 10), "1/2"), (Fraction(1, 3), "1/10"), (Fraction(1, 50), "1")):
        eps, family = Eps.of(text), AllColumns(flip, 119)
        values = {m: family.value(m, eps) for m in range(120)}
        top = max(value.low for value in values.values())
        survivors = screened(flip, 119, eps, top)
        assert {m for m, value in values.items() if value.high >= top} <= set(survivors)
        assert len(survivors) < 10
        assert family.worst(eps)[0].low == max(values[m].low for m in survivors)


def test_branch_and_bound_holds_what_screening_finds():
    eps, family = Eps.of("1/2"), AllColumns(Fraction(1, 10), 300)
    value = family.worst(eps)[0]
    bounded, worst, _ = family._between(eps, value.low)
    assert bounded.low <= value.high and value.low <= bounded.high
    assert bounded.relative_width < Fraction(1, 100) and worst.others


def test_no_noise_and_fair_coins():
    eps = Eps.of("1/5")
    for family in (AllColumns, lambda flip, others: ColumnPairs(flip, others, True)):
        assert [family(Fraction(0), 9999).worst(eps)[0].low, family(Fraction(1, 2), 9999).worst(eps)[0].high] == [1, 0]
    assert AllColumns(Fraction(1, 10), 9999).worst(Eps.of("log(9)"))[0].high == 0  # the local eps


def test_the_worst_dataset_of_rr_can_be_an_interior_one_at_large_n():
    flip = Fraction(165909, 2**23)
    value, worst, pairs = AllColumns(flip, 4999).worst(Eps.of("1/5"))
    assert pairs == 5000 and len(worst.others) == 2
    ends = [AllColumns(flip, 4999).value(m, Eps.of("1/5")) for m in (0, 4999)]
    assert all(end.high < value.low for end in ends)
    event = worst.threshold(Eps.of("1/5"), Fraction(0))
    assert event.weights == {"1": 1} and 0 < event.above < 5000
