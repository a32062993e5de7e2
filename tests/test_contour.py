"""Sums along a line: against enumeration of multinomials, binomials term by term, and integrals by mpmath."""

import cmath
import math
import random
from fractions import Fraction
from math import comb

import mpmath
import pytest
from flint import arb

from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.rational import ceiling_of, dyadic, floor_of, least_of, precision
from shufflecert.verify.fourier.draws import Draws, Integral, Measure, Stretch, bits_for_draws, positive_part
from shufflecert.verify.reduce.multinomial_form import spread_positive_part
from tests.helpers import asked, cases, written_json
from tests.reference import binomial, positive_part_of_sum, real


def binomial_excess(n, p, base, slope):
    """E max(base + slope Bin(n, p), 0), term by term."""
    return sum((w * max(base + slope * k, 0) for k, w in binomial(n, p).items()), Fraction(0))


def random_law(seed, kinds, wild=False, missing=0):
    draw = random.Random(seed)
    weights = [Fraction(draw.randint(1, 9)) * Fraction(10) ** (draw.randint(-12, 0) * wild) for _ in range(kinds)]
    scale = sum(weights) + missing
    spread = [Fraction(10) ** (draw.randint(-2, 12) * wild) for _ in range(kinds)]
    values = [Fraction(draw.randint(-50, 50), draw.randint(1, 20)) * unit for unit in spread]
    return [(w / scale, v) for w, v in zip(weights, values, strict=True)]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.sampled(3)
def test_small_multinomials(seed):
    kinds = 2 + seed % 4
    law, n = random_law(seed, kinds), (1, 2, 5, 9)[seed % 3 + (kinds < 4)]
    exact = positive_part_of_sum(law, n)
    low, high = positive_part(law, n, 5)
    assert low <= exact <= high
    assert high - low <= exact / 10**3


def test_a_measure_of_less_than_1():
    """What is missing counts as no outcome at all: the same as a law whose missing part is worth nothing."""
    for seed in range(4):
        law = random_law(100 + seed, 3, missing=3)
        low, high = positive_part(law, 4, 5)
        assert low <= positive_part_of_sum(law, 4) <= high


@pytest.mark.parametrize("seed", range(30))
@pytest.mark.sampled(5)
def test_laws_of_any_spread(seed):
    law, n = random_law(seed, 2 + seed % 3, wild=True), (1, 2, 5, 8)[seed % 4]
    exact = positive_part_of_sum(law, n)
    for low, high in (spread_positive_part(law, n, 6, 20_000), positive_part(law, n, 4, 20_000)):
        assert low <= exact <= high


def test_values_of_one_sign():
    law = [(Fraction(1, 3), Fraction(2)), (Fraction(2, 3), Fraction(0))]
    low, high = positive_part(law, 7, 5)
    assert low <= Fraction(14, 3) <= high and high - low < Fraction(1, 10**20)
    assert positive_part([(w, -v) for w, v in law], 7, 5) == (0, 0)


@pytest.mark.parametrize(("n", "base"), [(300, -40), (1000, -200), (1000, -700)])
def test_binomials_of_any_size(n, base):
    """Down to 1e-300 and less: the relative width does not grow."""
    p, base = Fraction(1, 10), base - Fraction(1, 3)
    law = [(p, 1 + base / n), (1 - p, base / n)]
    exact = binomial_excess(n, p, base, 1)
    low, high = positive_part(law, n, 6)
    assert low <= exact <= high and high - low <= exact / 10**4
    assert base > -700 or exact < Fraction(1, 10**300)


def test_an_outcome_where_the_sum_is_0():
    """What lies at 0 exactly is blurred to either side: wider, and right."""
    p, n = Fraction(1, 10), 300
    law = [(p, Fraction(9, 10)), (1 - p, Fraction(-1, 10))]
    exact = binomial_excess(n, p, Fraction(-30), 1)
    low, high = positive_part(law, n, 6)
    assert low <= exact <= high and high - low <= exact / 100


def test_few_digits_are_wide_and_never_wrong():
    law, n = [(Fraction(1, 4), Fraction(3)), (Fraction(1, 4), Fraction(1, 7)), (Fraction(1, 2), Fraction(-2))], 24
    exact, widths = positive_part_of_sum(law, n), []
    for digits, effort in ((7, 10**6), (4, 10**6), (2, 10**6), (7, 400), (7, 40), (7, 4), (7, 1)):
        low, high = positive_part(law, n, digits, effort)
        assert 0 <= low <= exact <= high
        widths.append(high - low)
    assert widths[0] < widths[1] < widths[2] and widths[0] < widths[3] < widths[4] <= widths[6]


def test_a_million_draws_are_nearly_normal():
    """E max(Y, 0) of a normal variable, sigma (phi(x) - x Pr[> x]), is within Berry and Esseen's distance."""
    n, shift = 10**6, Fraction(-1, 500)
    law = [(Fraction(1, 4), Fraction(1) + shift), (Fraction(1, 4), Fraction(-1) + shift), (Fraction(1, 2), shift)]
    low, high = positive_part(law, n, 6)
    with mpmath.workdps(30):
        sigma = mpmath.sqrt(n / mpmath.mpf(2))
        x = 2000 / sigma
        normal = sigma * (mpmath.npdf(x) - x * mpmath.erfc(x / mpmath.sqrt(2)) / 2)
    assert abs(float(low / high) - 1) < 1e-5
    assert abs(float(high) / float(normal) - 1) < 1e-3


def test_three_values_against_a_double_sum():
    """n = 60 at 60 digits: the two binomials, term by term."""
    n, law = (
        60,
        [(Fraction(1, 20), Fraction(9)), (Fraction(1, 20), Fraction(-11)), (Fraction(9, 10), Fraction(-1, 30))],
    )
    with mpmath.workdps(60):
        p = [real(w) for w, _ in law]
        v = [real(x) for _, x in law]
        total = mpmath.mpf(0)
        for a in range(n + 1):
            for b in range(n + 1 - a):
                worth = a * v[0] + b * v[1] + (n - a - b) * v[2]
                if worth > 0 and a + b < 55:
                    ways = mpmath.mpf(comb(n, a) * comb(n - a, b))
                    total += ways * p[0] ** a * p[1] ** b * p[2] ** (n - a - b) * worth
        low, high = (real(end) for end in positive_part(law, n, 7))
        assert low <= total * (1 + mpmath.mpf(10) ** -40) and total <= high
        assert high - low < total / 10**6


def test_differences_of_tails():
    """Pr[B + 1 > a] - 2 Pr[B > a], B binomial, from the line: the normal variable added blurs, so a half is between."""
    n, p, above = 400, Fraction(1, 4), 120
    chance = [comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
    exact = sum(chance[above:]) - 2 * sum(chance[above + 1 :])
    with precision(bits_for_draws(n)):
        law = Measure([(p, Fraction(1)), (1 - p, Fraction(0))])
        draws = Draws([(law, n), (Measure.constant(arb(-above) - arb(1) / 2), 1)])
        eta = draws.guess(arb(0), arb(1) / 10, 1)
        line = Integral.through(draws, eta, draws.log(eta) - 5, 8)
        assert line.tau < arb(1) / 100
        low, high = line.difference(Measure([(Fraction(1), Fraction(1)), (Fraction(-2), Fraction(0))]))
    assert low <= exact <= high and high - low < Fraction(1, 10**8)


def test_what_is_not_sampled_is_small():
    """Every k left out has |phi|^n at most e^-small, by complex doubles with room to spare; leaps leave some out."""
    for seed in range(cases(32)):
        law, n, last, small = random_law(200 + seed, 2 + seed % 3, wild=seed % 2), 10 ** (1 + seed % 4), 3000, 25
        with precision(160):
            eta, h = arb(1) / (3 + seed), arb(2) ** (seed % 7) / 300
            samples = Draws([(Measure(law), n)]).walk(eta, h, last, arb(small), 10**6)
            tilted = [(w.log() + eta * v, v * h) for w, v in Measure(law).points]
            most = max((float(log) for log, _ in tilted), default=0.0)
            weights, turns = [float((log - most).exp()) for log, _ in tilted], [v / (2 * arb.pi()) for _, v in tilted]
            kept = {k for k, _ in samples.kept}
            assert samples.last == last and len(kept) + samples.skipped == last + 1
            for k in set(range(last + 1)) - kept:
                parts = [float((k * turn - (k * turn).mid().floor()).mid()) for turn in turns]
                phi = sum(w * cmath.exp(2j * cmath.pi * part) for w, part in zip(weights, parts, strict=True))
                assert n * math.log(max(abs(phi) / sum(weights), 1e-9)) < -small + 1e-3


def test_a_leap_passes_nothing_that_is_near():
    """Against all k one by one, in fractions: where a leap starts away from whole turns, and only up to the next."""
    with precision(200):
        for p, w, angle, bound in ((0.5, 0.3, "0.01", 0.01), (0.9, 0.05, "3.9", 0.02), (0.6, 0.4, "-117.3", 0.001)):
            stretch = Stretch.of(arb(p), arb(w), arb(angle), arb(bound), 5000)
            assert stretch is not None
            near = [1 - p * w / (p + w) * (1 - math.cos(float(angle) * k)) for k in range(5001)]
            for k in range(1, 5000):
                leap = min(stretch.leap(k), 5000 - k)
                assert all(1 - value > bound - 1e-9 for value in near[k : k + leap])
                assert leap or 1 - near[k] < bound + 1e-9
        assert Stretch.of(arb(0.5), arb(0.001), arb(1), arb(1), 9) is None


def test_a_sharper_line_goes_on_where_it_was():
    """The same samples as of a line that was so sharp at once; and both hold the sum, term by term."""
    n, p, base = 300, Fraction(1, 10), -60 - Fraction(1, 100)  # the sum comes as near to 0 as 1/100
    exact = binomial_excess(n, p, base, 1)
    with precision(bits_for_draws(n)):
        draws = Draws([(Measure([(p, 1 + base / n), (1 - p, base / n)]), n)])
        eta = draws.guess(arb(0), 1 / draws.cumulants(arb(0))[2].sqrt(), 2)
        rough = Integral.through(draws, eta, draws.log(eta), 5, blurred=True)
        sharp = Integral.through(draws, eta, draws.log(eta), 5)
        later = rough.sharper(sharp.tau)
        assert len(rough.walk.kept) < len(sharp.walk.kept) == len(later.walk.kept)
        assert [k for k, _ in later.walk.kept] == [k for k, _ in sharp.walk.kept]
        widths = []
        for line in (rough, sharp, later):
            low, high = line.positive_part()
            assert low <= exact <= high
            widths.append(high - low)
    assert widths[2] < widths[0] / 10 and widths[1] < widths[0] / 10


# e^(theta Y) of values 10^200 apart is more than a ball can hold, and what that gave, no number, was rounded up to 0:
# a table with probabilities of 10^-300 had "delta(500) = 0, eps at most 512" where they are 2/19 and 687.3.


def laws():
    """Five outputs: of the first input in nineteenths, of the second four that are next to impossible."""
    first = [Fraction(w, 19) for w in (4, 6, 2, 5, 2)]
    second = [Fraction(3, 10**12), Fraction(1, 10**30), Fraction(1, 10**30), Fraction(1, 10**300)]
    return first, [*second, 1 - sum(second)]


def blanket(power):
    """The blanket of the two inputs: c = (p - e^eps q) / min(p, q), with probability min(p, q), else 0."""
    points = [(min(p, q), (p - power * q) / min(p, q)) for p, q in zip(*laws(), strict=True)]
    return [*points, (1 - sum(w for w, _ in points), Fraction(0))]


FAR = [
    *((3, blanket(power)) for power in (10**3, 10**217, 10**260)),
    # where 160 bits show no variance, no line of integration can be laid: that was a traceback
    (1, [("1/4", "-20"), ("5e-255", "70"), ("75e-240", "5"), ("3/4", "-6e224")]),
    (1, [("1/2", "6"), ("4e-260", "-5"), ("1/2", "80")]),
    (2, [("1/4", "1e120"), ("5e-104", "-3e-112"), ("1/2", "70"), ("1/4", "-1")]),
    (5, [("1e-51", "-8"), ("8e-118", "9"), ("1/2", "-6")]),
]


@pytest.mark.parametrize(("n", "law"), FAR, ids=range(len(FAR)))
@pytest.mark.sampled(3)
def test_values_that_differ_by_far(n, law):
    points = [(Fraction(w), Fraction(v)) for w, v in law]
    exact = positive_part_of_sum(points, n)
    low, high = spread_positive_part(points, n, 4)
    assert exact > 0 and low <= exact <= high <= n * sum(w * max(v, 0) for w, v in points) * (1 + Fraction(1, 10**9))


def test_a_table_of_tiny_probabilities(capsys, tmp_path, n=3):
    """The others on 1 send `bab`, up to 10^-11: then `aa` has probability 5/19 with a user on 0, n 10^-300 else."""
    sent = [("b", "b"), ("b",), ("a", "b"), ("a", "a"), ("b", "a", "b")]
    rows = {str(x): dict(zip(sent, row, strict=True)) for x, row in enumerate(laws())}
    (tmp_path / "tiny.json").write_text(written_json(rows))
    found = asked(capsys, "delta", tmp_path / "tiny.json", "--eps", 500, "--n", n, "--max-work", 1)["delta"]
    assert Fraction(found["upper"]) >= Fraction(5, 19) * (1 - Fraction(1, 10**10))


@pytest.mark.parametrize("text", ["nan", "inf", "-inf"])
def test_no_number_is_not_rounded(text):
    for rounded in (floor_of, ceiling_of, dyadic):
        with pytest.raises(Undecided, match="precision"):
            rounded(arb(text))
    assert least_of(arb(2), [arb("nan"), arb("inf"), arb(3)]) == 2 and least_of(arb(2), [arb("nan"), arb(1)]) == 1
