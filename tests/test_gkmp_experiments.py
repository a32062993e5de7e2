"""GKMP Section 5.1 again by other means: mpmath's sums, scipy's laws, two-dimensional convolutions in doubles."""

import re
from fractions import Fraction
from itertools import pairwise

import mpmath
import numpy as np
import pytest
from flint import arb
from scipy import stats

from shufflecert.proofs import gkmp_experiments as experiments
from shufflecert.proofs import gkmp_response as response
from shufflecert.proofs.gkmp_experiments import FLIPS, ONE, TENTH, boxes, least_mean, rounds_to, theorem_18
from shufflecert.proofs.ledger import select, settle, to_json
from shufflecert.proofs.statement import StepFailed
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps

VERDICTS = {
    "GKMP-sec-5.1-rmse-20": "proved",
    "GKMP-sec-5.1-ratio-3.5": "proved",
    "GKMP-sec-5.1-0.04": "proved",
    "GKMP-sec-5.1-0.0003": "misprint",
    "GKMP-sec-5.1-0.278": "proved",
    "GKMP-sec-5.1-0.141": "proved",
    "GKMP-sec-5.1-rr-x-w-p-p": "misprint",
    "GKMP-sec-5.1-bin-n-p-poi-np": "refuted",
    "GKMP-sec-5.1-rr-always-one-message": "proved",
}
DELTA, N = 1e-6, 10_000
mp = mpmath.MPContext()
mp.dps = 45


@pytest.fixture(scope="module")
def printed():
    """{name: the evidence, as one text}, as the command prints it."""
    trees = [to_json(settle(one)) for one in select(["GKMP-sec-5.1*"])]
    assert {tree["name"]: tree["verdict"] for tree in trees} == VERDICTS
    return {tree["name"]: "\n".join(tree["evidence"]) for tree in trees}


def interval(text, after):
    """The first interval that is printed after some words."""
    low, high = re.search(r"\[([\d.e-]+), ([\d.e-]+)\]", text[text.index(after) + len(after) :]).groups()
    assert Fraction(low) <= Fraction(high)
    return mp.mpf(low), mp.mpf(high)


def holds(ends, number):
    return ends[0] <= number <= ends[1]


def level(text, parameter):
    """The printed multiple of 2^-64."""
    return int(re.search(rf"the least {parameter} = (\d+)/2\^64", text)[1])


# Other ways to the same numbers --------------------------------------------------------------------------------------


def hockey_stick(P, Q, t):
    """As in tests/reference.py, in this file's own context of mpmath."""
    return mp.fsum(max(p - t * q, 0) for p, q in zip(P, Q, strict=True))


def shift_delta(law, eps):
    """Of a law on 0, 1, ... against its shift by 1, both directions, by the definition."""
    here, shifted = [*law, mp.mpf(0)], [mp.mpf(0), *law]
    return max(hockey_stick(here, shifted, mp.exp(eps)), hockey_stick(shifted, here, mp.exp(eps)))


def poisson_law(lam):
    row = [mp.exp(-lam)]
    for k in range(1, int(lam + 30 * mp.sqrt(lam)) + 100):
        row.append(row[-1] * lam / k)
    return row


def response_delta(flip, eps):
    """9999 others on 1: zeros are Bin(9999, flip) and one more bit; the law ends after 300 of them."""
    row = [(1 - flip) ** (N - 1)]
    for k in range(1, 300):
        row.append(row[-1] * (N - k) / k * flip / (1 - flip))

    def plus(p):
        return [a * (1 - p) + b * p for a, b in zip([*row, 0], [0, *row], strict=True)]

    t = mp.exp(eps)
    return max(hockey_stick(plus(flip), plus(1 - flip), t), hockey_stick(plus(1 - flip), plus(flip), t))


def view_delta(q, r, p, eps):
    """Of (s + Z1 + Z3, Z2 + Z3), both directions, by the definition: one convolution for each Z1 - Z2."""
    last, mean = int(34 / -np.log(q)), r * p / (1 - p)
    shared = stats.nbinom.pmf(np.arange(int(mean + 8 * np.sqrt(mean / (1 - p)) + 20 / (1 - p))), r, 1 - p)
    geometric = (1 - q) * q ** np.arange(last)
    rows = [np.zeros(len(shared) + last - 1)]
    for d in range(1 - last, last):
        both = np.zeros(last)
        j = np.arange(max(0, -d), min(last, last - d))
        both[j] = geometric[j] * geometric[j + d]
        rows.append(np.convolve(shared, both))
    rows.append(rows[0])
    t, forth, back = np.exp(eps), 0.0, 0.0
    for P, Q in pairwise(rows):  # s = 1 has u - v one larger
        forth, back = forth + np.maximum(P - t * Q, 0).sum(), back + np.maximum(Q - t * P, 0).sum()
    return max(forth, back)


def noise_ratio(eps):
    return float(mp.exp(-2 * mp.asinh(mp.sinh(mp.mpf(eps) / 2) / mp.mpf("1.2"))))


# What the command prints ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("eps", ["1", "0.1"])
def test_eps1_and_the_errors_of_the_central_and_the_correlated_mechanism(printed, eps):
    text, at = printed["GKMP-sec-5.1-rmse-20"], "eps = 1:" if eps == "1" else "eps = 1/10:"
    q = mp.exp(-mp.mpf(eps))
    central = mp.sqrt(2 * q) / (1 - q)
    eps1 = mp.findroot(lambda s: 1 / (mp.sqrt(2) * mp.sinh(s / 2)) - mp.mpf("1.2") * central, float(eps) / 1.2)
    for word, number in (("eps1 in ", eps1), ("RMSE ", mp.mpf("1.2") * central), ("central ", central)):
        assert holds(interval(text[text.index(at) :], word), number)


def test_the_least_lam_at_eps_1_and_its_neighbour(printed):
    text = printed["GKMP-sec-5.1-ratio-3.5"]
    found = level(text, "lam")
    keeps, breaks = (shift_delta(poisson_law(mp.mpf(found - i) / 2**64), 1) for i in (0, 1))
    assert keeps < mp.mpf("1e-6") < breaks
    assert level(printed["GKMP-sec-5.1-0.0003"], "lam") == found
    assert holds(interval(printed["GKMP-sec-5.1-0.0003"], "lam / n = "), mp.mpf(found) / 2**64 / N)


def test_nobody_keeps_the_promise_with_0_0003_messages(printed):
    assert holds(interval(printed["GKMP-sec-5.1-0.0003"], "delta(1) = "), shift_delta(poisson_law(mp.mpf("3.5")), 1))
    deltas = [shift_delta(poisson_law(mp.mpf(lam)), 1) for lam in ("0.5", "1.5", "2.5", "3.5", "20", "34")]
    assert deltas == sorted(deltas, reverse=True) and deltas[-1] > DELTA


def test_the_least_lam_at_eps_a_tenth_and_its_neighbour(printed):
    text = printed["GKMP-sec-5.1-0.141"]
    found = level(text, "lam")
    keeps, breaks = (shift_delta(poisson_law(mp.mpf(found - i) / 2**64), mp.mpf("0.1")) for i in (0, 1))
    assert keeps < mp.mpf("1e-6") < breaks
    assert f"{found / 2**64 / N:.3f}" == "0.141" and holds(interval(text, "lam / n = "), mp.mpf(found) / 2**64 / N)


def test_the_least_flip_at_eps_1_and_its_neighbour(printed):
    found = level(printed["GKMP-sec-5.1-ratio-3.5"], "flip")
    keeps, breaks = (response_delta(mp.mpf(found - i) / 2**64, 1) for i in (0, 1))
    assert keeps < mp.mpf("1e-6") < breaks


@pytest.mark.parametrize(("n", "eps", "delta", "others"), [(100, 1, DELTA, 1), (1000, 1, DELTA, 1), (N, 2, DELTA, 701)])
def test_no_other_dataset_is_worse_for_the_least_flip(n, eps, delta, others):
    flip, found = FLIPS[n, str(eps), "1e-6"] / 2**64, []
    for m in range(0, n, others):
        ones, zeros = stats.binom.pmf(np.arange(m + 1), m, 1 - flip), stats.binom.pmf(np.arange(n - m), n - 1 - m, flip)
        law = np.convolve(ones, zeros)
        P, Q = np.convolve(law, (flip, 1 - flip)), np.convolve(law, (1 - flip, flip))
        found.append(max(np.maximum(P - np.exp(eps) * Q, 0).sum(), np.maximum(Q - np.exp(eps) * P, 0).sum()))
    assert max(found) == pytest.approx(delta, rel=1e-8)


def test_the_ratios_of_the_errors(printed):
    text = printed["GKMP-sec-5.1-ratio-3.5"]
    lam, flip = (mp.mpf(level(text, name)) / 2**64 for name in ("lam", "flip"))
    correlated = mp.mpf("1.2") * mp.sqrt(2 * mp.exp(-1)) / (1 - mp.exp(-1))
    poisson, rr = mp.sqrt(lam), mp.sqrt(N * flip * (1 - flip)) / (1 - 2 * flip)
    for name, error in (("lam", poisson), ("flip", rr)):
        line = next(line for line in text.splitlines() if line.startswith(f"the least {name}"))
        assert holds(interval(line, "RMSE "), error) and holds(interval(line, "], "), error / correlated)
    assert 3.5 < rr / correlated < poisson / correlated < 3.585
    assert holds(interval(text, "RR has "), rr / poisson)


@pytest.mark.parametrize(
    ("name", "eps", "p", "sends"),
    [
        ("GKMP-sec-5.1-0.04", 1, 0.911, "0.04"),
        ("GKMP-sec-5.1-0.278", 0.1, 0.988, "0.278"),
        ("GKMP-sec-5.1-0.278", 0.1, 0.9908, "0.274"),
    ],
)
@pytest.mark.sampled(2)
def test_the_correlated_mechanism_by_its_definition(printed, name, eps, p, sends):
    text, q = printed[name], noise_ratio(eps)
    line = next(line for line in text.splitlines() if line.startswith(f"p = {p}, "))
    r = level(line, "r") / 2**64
    assert view_delta(q, r * (1 + 1e-6), p, eps) < DELTA < view_delta(q, r * (1 - 1e-6), p, eps)
    messages = 2 * (q / (1 - q) + r * p / (1 - p)) / N
    assert f"{messages:.{len(sends) - 2}f}" == sends
    assert float(interval(line, "]: ")[0]) == pytest.approx(messages, rel=1e-11)


def test_binomial_and_poisson_are_as_far_apart_as_scipy_says(printed):
    text = printed["GKMP-sec-5.1-bin-n-p-poi-np"]
    cases = [(n, p) for p in (Fraction(1, 2), Fraction(1, 10)) for n in (10, 100, 1000)]
    cases += [(n, Fraction("34.068") / n) for n in (100, 1000, 10_000)]
    for n, p in cases:
        k = np.arange(n + 1)
        other = stats.poisson.pmf(k, n * float(p))
        distance = (np.abs(stats.binom.pmf(k, n, float(p)) - other).sum() + 1 - other.sum()) / 2
        found = response.distance(n, p)
        assert float(found.low) == pytest.approx(distance, rel=1e-9) and found.relative_width < Fraction(1, 10**9)
        assert any(end in text for end in (found.enclosure(4)))
    p, t = 0.5, np.arccos(1 - 1 / 1000)
    binomial, poisson = abs(1 - p + p * np.exp(1j * t)) ** 1000, abs(np.exp(500 * (np.exp(1j * t) - 1)))
    assert binomial**2 >= 1 - 2 * p + 2 * p * p and poisson**2 == pytest.approx(np.exp(-2 * p))


# What the proofs use -------------------------------------------------------------------------------------------------


def test_boxes_cover_nothing_above_the_least():
    assert boxes(ONE, Fraction("0.035")) > 1
    with pytest.raises(StepFailed, match="no box"):
        boxes(ONE, Fraction("0.0401"))


@pytest.mark.parametrize("law", [stats.nbinom(3, 0.05), stats.poisson(40), stats.randint(0, 60), stats.geom(0.02, -1)])
@pytest.mark.parametrize("Delta", [1, 4, 9])
def test_what_theorem_18_needs_of_any_noise(law, Delta):
    weights, t = law.pmf(np.arange(2500)), np.exp(0.4)
    here, moved = np.concatenate((weights, np.zeros(Delta))), np.concatenate((np.zeros(Delta), weights))
    delta2 = max(np.maximum(here - t * moved, 0).sum(), np.maximum(moved - t * here, 0).sum())
    assert 0 < least_mean(Delta, arb(float(t)), arb(float(delta2))) <= law.mean()
    delta3 = law.sf(Delta)
    assert 2 * delta2 + t * delta3 >= 1  # its third condition as printed


def test_theorem_18_needs_many_messages():
    for eps, sent in ((1, theorem_18(ONE)), (0.1, theorem_18(TENTH))):
        q = noise_ratio(eps)
        Delta, a, mean = int(np.log(2 / (DELTA * q * q)) / -np.log(q)), DELTA * q, 0.0
        while a < 1:
            mean, a = mean + Delta * (1 - a), a * q * np.exp(eps) + DELTA * q
        assert float(sent) == pytest.approx(2 * (q / (1 - q) + mean) / N, rel=1e-9)


# Wrong statements are rejected ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("wrong", [-1, 1])
def test_a_flip_next_to_the_least_is_noticed(monkeypatch, wrong):
    key = (100, "1", "1e-6")
    monkeypatch.setitem(FLIPS, key, FLIPS[key] + wrong)
    with pytest.raises((StepFailed, ArithmeticError), match="flip"):
        experiments.least_flip(*key)


def test_a_number_is_what_it_rounds_to():
    number = Interval(Fraction("0.2735"), Fraction("0.2736"))
    assert rounds_to(number, "0.27") and not rounds_to(number, "0.274") and not rounds_to(number, "0.278")
    assert not rounds_to(Interval(Fraction("0.2735"), Fraction("0.2737")), "0.2735")


def test_the_printed_0_0003_is_rejected():
    with pytest.raises(StepFailed, match=r"0\.0003"):
        experiments.per_user(experiments.least_lam(ONE), "0.0003")


def test_errors_that_differ_more_are_noticed(monkeypatch):
    monkeypatch.setattr(response, "SWEEP", [(N, "1", "1e-9")])
    assert "1.003167" in "\n".join(response.figures().evidence)
    monkeypatch.setattr(response, "CLOSE", Fraction(3, 1000))
    with pytest.raises(StepFailed, match="within"):
        response.figures()


def test_draws_of_another_shape_do_not_add_up(monkeypatch):
    series, given = response.series, (Fraction("0.91"), Fraction(19), Fraction(34), 5)
    assert response.many_draws(*given)
    monkeypatch.setattr(response, "series", lambda row: series([row[0], row[1] ** 2, *row[2:]]))
    assert not response.many_draws(*given)


def test_every_statement_of_section_5_1_is_here():
    assert {one.name for one in select(["GKMP-sec-5.1*"])} == set(VERDICTS)
    assert Eps.of("1/10") == TENTH
