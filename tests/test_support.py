"""Support identification: success and missed cells by brute force, at 60 digits, and in runs of the protocol."""

from fractions import Fraction
from itertools import product
from math import comb, prod

import pytest
from flint import fmpz
from mpmath import mp, mpf, workdps

from shufflecert.protocols.hist import Hist
from shufflecert.protocols.pointer_chasing import PointerChasing
from shufflecert.protocols.pointer_jumping import PointerJumping
from shufflecert.protocols.shared.occupancy import coefficient, one_missed, some_missed
from shufflecert.protocols.support_identification import SupportIdentification, chosen, threshold
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import Binomial

TINY = Fraction(1, 10**25)


@pytest.mark.parametrize(("n", "h", "p"), [(1000, 2, "9/10"), (10**6, 50, "999/1000"), (7, 1, "1/3")])
def test_the_threshold_is_the_error_of_theorem_11(n, h, p):
    """n times alpha of BC Theorem 11(ii) at beta = 1/(200 h), rounded up."""
    p = Fraction(p)
    with workdps(60):
        spread = mp.sqrt(mpf((p * (1 - p)).numerator) / (p * (1 - p)).denominator / n * mp.log(mpf(2) * 200 * h))
        alpha = mpf((1 - p).numerator) / (1 - p).denominator + 2 * spread
        assert threshold(n, h, p) == int(mp.ceil(n * alpha))
    assert threshold(n, h, Fraction(0)) == n and threshold(n, h, Fraction(1)) == 0


def test_items_are_chosen_from_the_threshold_on():
    n, h, p = 1000, 2, Fraction(9, 10)
    least = 900 + threshold(n, h, p) + 1
    assert chosen({"a": least - 1, "b": least, "c": 1999}, n, h, p) == ["b", "c"]
    estimates = Hist(2, p).analyze({"1": least - 1, "2": least}, n)
    assert [e >= Fraction(threshold(n, h, p) + 1, n) for e in estimates] == [False, True]
    assert SupportIdentification(2, 30, p).analyze({"21": 1500, "3": 1500, "4": 1000}, n) == (3, 21)


def brute(n, h, q, a):
    """(Pr[some cell is missed], Pr[the first is]) over all h^n ways to fall into cells."""
    weights = [comb(n, z) * q**z * (1 - q) ** (n - z) for z in range(n + 1)]
    kept = [sum(weights[: max(0, c - a + 1)], Fraction(0)) for c in range(n + 1)]
    ways = [[way.count(j) for j in range(h)] for way in product(range(h), repeat=n)]
    all_kept = sum(prod(kept[c] for c in counts) for counts in ways) / Fraction(h) ** n
    return 1 - all_kept, 1 - sum(kept[counts[0]] for counts in ways) / Fraction(h) ** n


@pytest.mark.parametrize("q", ["0", "1/1000", "1/2", "9/10", "1"])
@pytest.mark.parametrize(("n", "h"), [(1, 1), (4, 1), (5, 2), (6, 3), (4, 5)])
def test_missed_cells_by_brute_force(n, h, q):
    q = Fraction(q)
    for a in (1, 2, 4):
        some, one = brute(n, h, q, a)
        for found, exact in ((some_missed(n, h, Binomial(n, q), a), some), (one_missed(n, h, Binomial(n, q), a), one)):
            assert found.low <= exact <= found.high and found.relative_width <= TINY


def test_windows_that_leave_much_out():
    """1 with probability 1/2, else 3, of which the window knows only the 1: what it does not hold may be anywhere."""
    half = Window(1, [fmpz(128)], [fmpz(128)], 128, 8)
    for copied, exact in ((2, {2: "1/4", 4: "1/2", 6: "1/4"}), (3, {3: "1/8", 5: "3/8", 7: "3/8", 9: "1/8"})):
        for at, chance in exact.items():
            low, high = coefficient(half, half.copies(copied - 1), at)
            assert int(low) <= Fraction(chance) * 256 <= int(high)
        ends = half.copies(copied).beyond(copied, copied)
        assert ends[0] <= 1 - Fraction(exact[copied]) <= ends[1]


def test_cells_that_are_all_but_surely_missed():
    """C_1 - Z_1 >= 60 for C_1 of about 75 and Z_1 of about 297: not within 10^-30, though not impossible."""
    n, h, q, a = 300, 4, Fraction(99, 100), 60
    found = some_missed(n, h, Binomial(n, q), a)
    assert 1 - Fraction(1, 10**30) < found.low <= found.high <= 1
    assert some_missed(n, h, Binomial(n, Fraction(1)), 1).low == 1


def test_coupons():
    """Without noise and with a = 1 it is the coupon collector: Pr[some of h is missing] by inclusion and exclusion."""
    for n, h in ((30, 5), (400, 60), (2000, 10)):
        exact = sum((-1) ** (j + 1) * comb(h, j) * Fraction(h - j, h) ** n for j in range(1, h + 1))
        found = some_missed(n, h, Binomial(n, Fraction(0)), 1)
        assert found.low <= exact <= found.high and found.relative_width <= TINY


def test_many_users():
    """10^9 users, in seconds; the bounds by one cell hold both for few digits and where the answer is exact."""
    n = 10**9
    single = one_missed(n, 2, Binomial(n, Fraction(1, 10**6)), n // 2 - 10**5)
    assert single.low > 0 and single.relative_width < TINY
    rare = some_missed(n, 2, Binomial(n, Fraction(1, 10**6)), n // 2 - 10**6)
    assert 0 < rare.low < Fraction(1, 10**100) and rare.relative_width < Fraction(1, 10**25)


def failure_by_enumeration(system, support, n, right):
    """1 - Pr[analyze() is right]: over users' data from the uniform law on `support` and noise in every bin."""
    law = [comb(n, b) * system.p**b * (1 - system.p) ** (n - b) for b in range(n + 1)]
    success = Fraction(0)
    for data in product(support, repeat=n):
        for noise in product(range(n + 1), repeat=len(support)):
            counts = {x: data.count(x) + b for x, b in zip(support, noise, strict=True)}
            if system.analyze(counts, n) == right:
                success += prod(law[b] for b in noise)
    return 1 - success / Fraction(len(support)) ** n


def test_success_by_enumeration_of_data_and_noise():
    """The bins outside the support hold noise only, at most n: they are never chosen, and left out here."""
    p = Fraction(999, 1000)
    for system, support, right in (
        (SupportIdentification(2, 5, p), ("2", "4"), (2, 4)),
        (PointerChasing(3, 3, p), ("1:2-3-1", "2:3-1-2"), 2),
        (PointerJumping(2, 2, p), ("1:1", "2:0-1"), (1, 1)),
    ):
        n = 6
        exact = failure_by_enumeration(system, support, n, right)
        found = system.accuracy(n, None)
        assert 0 < exact < 1 and found.failure_probability.low <= exact <= found.failure_probability.high
        assert found.rmse.low**2 <= exact <= found.rmse.high**2
        assert system.accuracy(n, Fraction(1, 2)).failure_probability == found.failure_probability
        assert system.accuracy(n, Fraction(1)).failure_probability.high == 0
        full = {str(x): n for x in ("1", "2", "3", "4", "5", "1:0", "2:1-1", "1:1-2-3", "2:2-1-3")}
        assert system.analyze(full, n) in ((), None)
