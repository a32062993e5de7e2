"""The sum along a line, which has the digits that a lattice has not: against enumeration, exact sums and mpmath."""

from fractions import Fraction

import pytest
from flint import acb, arb
from mpmath import mp, mpf, quad, workdps

from shufflecert.verify.compose import accountant
from shufflecert.verify.compose.accountant import along_line, compose
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import precision
from shufflecert.verify.fourier.hockey_stick_integral import FIXED, Characteristic, Jitter, Points, power
from shufflecert.verify.systems.catalogue import system
from tests.test_compose import CASES, counts, enumerated, holds, laws_of


@pytest.mark.parametrize(("pairs", "times", "power_of_e"), CASES)
@pytest.mark.sampled(3)
def test_it_agrees_with_enumeration(pairs, times, power_of_e):
    truth = enumerated([laws_of(pair) for pair in pairs] * times, Fraction(power_of_e))
    parts = [(pair, pairs.count(pair) * times) for pair in dict.fromkeys(pairs)]
    assert holds(along_line(parts, Eps.of(f"log({power_of_e})"), 4), truth, Fraction(2, 10**4))


def test_more_than_six_digits_are_the_lines(monkeypatch):
    """Four noisy counts, exactly by their few outcomes; 8 digits without them; a lattice alone is asked for three."""
    pair, eps = counts(16, True)[0], Fraction(11, 2)
    truth = compose([pair], 4, eps)
    monkeypatch.setattr(accountant, "FEW", 0)
    asked = []
    enclosed = accountant.enclosed

    def seen(listed, at, digits, **others):
        asked.append(digits)
        return enclosed(listed, at, digits, **others)

    monkeypatch.setattr(accountant, "enclosed", seen)
    found = compose([pair], 4, eps, digits=8)
    assert asked == [accountant.FIRST]
    assert found.low <= truth.low <= truth.high <= found.high
    assert found.relative_width <= Fraction(2, 10**8)


@pytest.mark.parametrize(("times", "digits"), [(20, 3), (20, 5), (100, 4)])
@pytest.mark.sampled(3)
def test_an_eps_has_as_many_digits_as_are_asked_for(times, digits):
    """It had about one less. The line knows nothing of the lattice: it has more than delta below, no more above."""
    bound = Fraction(1, 10**6)
    found = prepare([Run(system("poisson", lam=30), 100, times)], digits=digits).epsilon(bound)
    low, high = found.interval
    assert 0 < high - low <= high / 10**digits
    by = [part for part, _ in prepare([Run(system("poisson", lam=30), 100)]).all[0].parts]
    ways = [[(part, times)] for part in (*by, *(part.reversed() for part in by))]
    below, above = ([along_line(way, Eps.of(end), 6) for way in ways] for end in (low, high))
    assert max(value.low for value in below) > bound >= max(value.high for value in above)


def test_less_effort_is_wider_and_true():
    pair = counts(300, True)[0]
    good, poor = (along_line([(pair, 7)], Eps.of(2), 8, effort) for effort in (1 << 31, 200_000))
    assert poor.low <= good.low <= good.high <= poor.high
    assert poor.relative_width > 10 * good.relative_width


@pytest.mark.parametrize("error", [5, 11, 20, 47])
@pytest.mark.parametrize("points", [Points(0, 0, 5), Points(7, 3, 4), Points(10, 5, 3, 2), Points(1000, 40, 30)])
@pytest.mark.sampled(6)
def test_characteristic_functions_are_as_exact_as_said(error, points):
    step = Fraction(3, 7)
    weights, values = [5, 4, 3, 2, 1], [Fraction(-7, 3), Fraction(1, 9), Fraction(0), Fraction(5, 2), Fraction(11, 10)]
    with precision(300):
        law = Characteristic.of([arb(w) / 15 for w in weights], [arb(v.numerator) / v.denominator for v in values])
        bits, rows = law.rows(points, step, error)
        found = [z for re, im in rows for z in zip(re, im, strict=True)]
    assert len(found) == points.rows * points.width
    with workdps(60):
        for k, (re, im) in enumerate(found):
            t = mpf((points.first + points.stride * k) * 3) / 7
            truth = (
                mp.fsum(w * mp.expj(t * v.numerator / v.denominator) for w, v in zip(weights, values, strict=True)) / 15
            )
            assert abs(mp.mpc(int(re), int(im)) / mpf(2) ** bits - truth) <= mpf(2) ** -error


def test_a_small_error_drops_the_lightest_atoms_only():
    law = Characteristic.of([arb("0.5"), arb("0.49"), arb("0.01")], [arb(0), arb(1), arb(2)])
    assert [law.atoms(error) for error in (1, 2, 3, 4, 60)] == [2, 2, 2, 3, 3]


@pytest.mark.parametrize("exponent", [1, 2, 3, 7, 10, 16, 1000])
def test_powers_are_as_exact_as_said(exponent):
    """Against the exact power of the fixed-point number, a fraction."""
    re, im = (3 << FIXED) // 5, -((7 << FIXED) // 9)  # a modulus of 0.98
    truth = (1, 0)
    for _ in range(exponent):
        truth = (truth[0] * re - truth[1] * im, truth[1] * re + truth[0] * im)
    for found, exact in zip(power(re, im, exponent), truth, strict=True):
        assert abs(found - Fraction(exact, 1 << FIXED * (exponent - 1))) <= 4 * exponent - 2


JITTER = Jitter(arb("0.5"), 20)


def by_inversion(s, upper):
    """What the line makes of max(e^s - 1, 0): 1/pi times the integral of Re e^(zs) K(z), z = 3/2 + i t."""

    def integrand(t):
        kernel = JITTER.series(acb("1.0", arb(str(t))), 1)[0 if upper else 1][0]
        value = (acb("1.5", arb(str(t))) * arb(str(s))).exp() * kernel
        return mpf(str(value.real.mid().str(25, radius=False)))

    with workdps(25), precision(100):
        return quad(integrand, [0, 2, 5, 10, 20, 30, 40, 60, 90, 150]) / mp.pi


@pytest.mark.parametrize("s", ["-0.6", "-0.3", "-0.1", "0", "0.05", "0.2", "0.45", "0.7"])
@pytest.mark.sampled(4)
def test_the_jitter_bounds_the_integrand_from_both_sides(s):
    truth = max(mp.exp(mpf(s)) - 1, 0)
    low, up = by_inversion(s, False), by_inversion(s, True)
    assert low <= truth + mpf("1e-8")
    assert truth <= up + mpf("1e-8")
    if abs(mpf(s)) > mpf("0.5"):  # the jitter's reach
        assert abs(low - truth) + abs(up - truth) < mpf("1e-7")
    else:
        assert up - low > mpf("1e-9")


def test_series_and_their_remainder():
    with precision(200):
        c, radius, ratio = arb("3.5"), arb(5), arb("0.125")
        y = acb(c - arb("0.5"), 12)
        up, low = JITTER.series(y, 6)
        moved = JITTER.series(y + acb(0, radius * ratio), 1)
        missed = JITTER.remainder(c, radius, ratio, 6)
        for terms, exact in ((up, moved[0][0]), (low, moved[1][0])):
            off = abs(sum((k * (radius * ratio) ** m for m, k in enumerate(terms)), acb(0)) - exact)
            assert off < missed
            assert off > missed / 10**6


def test_what_is_beyond_is_an_upper_bound():
    with precision(100):
        c, t = arb("3.5"), arb(60)
        up, low = JITTER.beyond(c, t)
        for bound, which in ((up, 0), (low, 1)):
            steps = [abs(JITTER.series(acb(c - arb("0.5"), t + arb(k) / 4), 1)[which][0]) / 4 for k in range(4000)]
            integral = sum(steps, arb(0)) / arb.pi()
            assert bound / 20 < integral < bound
