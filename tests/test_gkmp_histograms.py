"""GKMP's histograms and correlated noise: enclosures against sums of the definitions at 60 digits."""

from fractions import Fraction
from functools import cache, partial
from itertools import product

import pytest
from mpmath import fsum, mpf

from shufflecert.proofs.gkmp_correlated import divergence, in_the_plane
from shufflecert.protocols.correlated import CorrelatedPair
from shufflecert.verify.decide import worst_case
from shufflecert.verify.enclose.interval import Interval, refine
from shufflecert.verify.enclose.noise_laws import Binomial, DiscreteLaplace, NegativeBinomial, Poisson
from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.windowed import Product, WindowPair
from shufflecert.verify.systems import catalogue
from tests.gkmp_laws import (
    EPS,
    correlated_laws,
    encloses,
    exactly,
    hockey_stick,
    poisson,
    power,
)
from tests.reference import real

pytestmark = pytest.mark.usefixtures("sixty_digits")


# Histograms --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lam", ["1/2", "3", "1/100"])
def test_poisson_hist_is_the_two_dimensional_sum(lam):
    law, system, size = poisson(lam), catalogue.make("poisson_hist", {"buckets": "7", "lam": lam}), range(45)
    table = [law(k) for k in range(-1, 46)]  # Pr[k - 1] at k
    for eps in EPS:
        t = power(eps)
        expected = fsum(max(table[x] * table[y + 1] - t * table[x + 1] * table[y], 0) for x, y in product(size, size))
        assert encloses(worst_case.delta(system, 10**6, eps).delta, expected, mpf(10) ** -35)


@pytest.mark.parametrize("eps", ["0", "1/4", "2"])
def test_correlated_hist_is_the_four_dimensional_sum(eps):
    q, r, p = Fraction(1, 12), Fraction(3, 2), Fraction(1, 15)
    P, Q = correlated_laws(q, r, p, 9)
    t = power(eps)
    expected = fsum(max(P[i] * Q[j] - t * Q[i] * P[j], 0) for i in range(81) for j in range(81))
    system = catalogue.make("correlated_hist", {"buckets": "3", "q": str(q), "r": str(r), "p": str(p)})
    assert encloses(worst_case.delta(system, 50, eps).delta, expected, mpf(10) ** -7)


def test_much_noise_in_a_histogram_is_enclosed_within_1_plus_q():
    """The lemma's bounds hold the product's value, where both can be had."""
    from shufflecert.protocols.correlated_hist import Between

    for q, r, p in [("1/2", "4", "1/2"), ("1/5", "3/2", "4/5")]:
        noise = NegativeBinomial(Fraction(r), Fraction(p))
        forth, back = (CorrelatedPair(Fraction(q), noise, direction) for direction in (False, True))
        for eps in ["0", "1/3", "log(2)", "2", "5"]:
            value = refine(lambda b, eps=eps: Product(forth, back).divergence(Eps.of(eps), b))  # noqa: B023
            around = Between(Fraction(q), back, None).worst(Eps.of(eps))[0]
            assert around.low <= value.high and value.low <= around.high <= 1  # equal at times, but for their widths
            if power(eps) * real(q) >= 1:
                assert around.high <= around.low * (1 + Fraction(q)) * (1 + Fraction(1, 10**25))


# The correlated mechanism ------------------------------------------------------------------------------------------


TRIPLES = [
    ("1/3", "1/100", "1/4"),
    ("1/4", "5/2", "1/5"),
    ("1/5", "1", "1/5"),
    ("1/5", "1", "1/25"),
    ("1/50", "2/3", "1/3"),
]


@pytest.mark.parametrize(("q", "r", "p"), TRIPLES)
@pytest.mark.sampled(4)
def test_correlated_is_the_two_dimensional_sum(q, r, p):
    system, slack = catalogue.make("correlated", {"q": q, "r": r, "p": p}), mpf(10) ** -18
    P, Q = correlated_laws(Fraction(q), Fraction(r), Fraction(p), 46)
    pairs = [member.pair for member in system.reach(3).attained.members]
    for eps in [*EPS, f"log({1 / Fraction(q)})", f"log({1 / Fraction(q) + Fraction(1, 1000)})"]:
        directions = [hockey_stick(P, Q, eps), hockey_stick(Q, P, eps)]
        for pair, expected in zip(pairs, directions, strict=True):
            found = refine(lambda b, pair=pair, eps=eps: pair.divergence(Eps.of(eps), b))
            assert encloses(found, expected, slack)
        assert encloses(worst_case.delta(system, 3, eps).delta, max(directions), slack)


@cache
def lemma(q, r, p, size):
    """The lemma's atoms, with the recurrence for H at 60 digits."""
    q, r, p = real(q), real(r), real(p)
    H, term = mpf(0), (1 - p) ** r
    atoms = [(1 / (1 + q), q / (1 + q))]
    for u in range(size):
        atoms.append((q * H / (1 + q), (H := (1 - q**2) * term + q**2 * H) / (1 + q)))
        term *= p * (u + r) / (u + 1)
    return tuple(zip(*atoms, strict=True))


def one_dimension(q, r, p, eps, back, size):
    P, Q = lemma(q, r, p, size)
    return hockey_stick(Q, P, eps) if back else hockey_stick(P, Q, eps)


SWEEP = [  # q, r, p, points: shapes below and above 1, much and little of either noise
    ("9/10", "1/100", "99/100", 9000),
    ("9/10", "30", "9/10", 2500),
    ("19/20", "3", "1/1000", 1000),
    ("1/1000", "1/2", "19/20", 2200),
    ("1/1000", "3/2", "19/20", 2200),
    ("1/2", "1", "1/2", 300),
    ("1/2", "1", "1/4", 300),
    ("3/5", "200", "1/100", 300),
    ("1/2", "400", "1/2", 1500),
]


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize(("q", "r", "p", "size"), SWEEP)
@pytest.mark.sampled(12)
def test_both_roads_to_a_correlated_pair_meet_the_lemma(q, r, p, size, back):
    """The tails, for r >= 1, and the window."""
    pair = CorrelatedPair(Fraction(q), NegativeBinomial(Fraction(r), Fraction(p)), back)
    for eps in ["0", "1/20", "log(21/20)", "2/5", "3/2", "12"]:
        at, expected = Eps.of(eps), one_dimension(q, r, p, eps, back, size)
        if not back and power(eps) * real(q) >= 1:
            assert exactly(refine(lambda b, at=at: pair.divergence(at, b)), 0) and expected < mpf(10) ** -55
            continue
        for road in (pair.divergence, lambda eps, bits: WindowPair.divergence(pair, eps, bits)):
            assert encloses(refine(lambda b, road=road, at=at: road(at, b)), expected, mpf(10) ** -36)


@pytest.mark.parametrize("back", [False, True])
@pytest.mark.parametrize(
    ("q", "r", "p", "size"),
    [("1/2", "1/2", "3/4", 600), ("1/5", "3/2", "3/4", 600), ("9/10", "1/2", "1/2", 800), ("1/2", "400", "1/2", 1500)],
)
@pytest.mark.sampled(3)
def test_few_bits_are_wide_and_right(q, r, p, size, back):
    """Windows that end early, before the law's start at last, and comparisons that are not decided."""
    pair = CorrelatedPair(Fraction(q), NegativeBinomial(Fraction(r), Fraction(p)), back)
    H = [mpf(0), *(Q * (1 + real(q)) for Q in lemma(q, r, p, size)[1][1:])]
    steps = [Fraction(int(H[u + 1] / H[u] / real(q) * 2**60), 2**60) for u in (1, 2, 5, 60)]  # e^eps at a ratio, almost
    for eps in ["0", "1/20", "1/2", "1", *(f"log({step})" for step in steps if step >= 1)]:
        expected = one_dimension(q, r, p, eps, back, size)
        for bits in (4, 40, 64, 90, 128):
            for low, high in (pair.divergence(Eps.of(eps), bits), WindowPair.divergence(pair, Eps.of(eps), bits)):
                assert encloses(Interval(low, high), expected, mpf(10) ** -58, width=-99)


@pytest.mark.parametrize(("r", "p"), [("1/2", "3/4"), ("2", "3/4"), ("1", "1/2"), ("3", "1/100")])
@pytest.mark.parametrize("q", [Fraction(1, 2), Fraction(3, 4)])
def test_eps_at_and_next_to_where_a_direction_ends(q, r, p):
    """s = 1 against s = 0 ends at log(1/q) and has its last bend at log(q/p), the other at log(p/q)."""
    noise, tiny = NegativeBinomial(Fraction(r), Fraction(p)), Fraction(1, 10**60)
    forth, back = (CorrelatedPair(q, noise, direction) for direction in (False, True))
    assert exactly(refine(lambda b: forth.divergence(Eps.log(1 / q), b)), 0)
    assert exactly(refine(lambda b: forth.divergence(Eps.log(1 / q + tiny), b)), 0)
    before = refine(lambda b: forth.divergence(Eps.log(1 / q - tiny), b))
    assert before.low > 0 and before.high < 2 * tiny
    for bend in {max(q / Fraction(p), Fraction(p) / q, Fraction(1)), 1 / q}:
        values = [
            (
                refine(lambda b, x=x: forth.divergence(Eps.log(x), b)),
                refine(lambda b, x=x: back.divergence(Eps.log(x), b)),
            )
            for x in (max(bend - tiny, Fraction(1)), bend, bend + tiny)
        ]
        for i, pair in enumerate(zip(*values, strict=True)):
            assert pair[0].high >= pair[1].low and pair[1].high >= pair[2].low  # it falls
            assert pair[0].low - pair[2].high <= 4 * tiny  # and not by more than tiny
            expected = one_dimension(q, r, p, f"log({bend})", i == 1, 700)
            assert encloses(pair[1], expected, mpf(10) ** -50, width=28)


def test_a_correlated_delta_below_1e_300():
    found = worst_case.delta(catalogue.make("correlated", {"q": "1/2", "r": "1100", "p": "1/2"}), 10, "40")
    assert encloses(found.delta, one_dimension("1/2", "1100", "1/2", "40", True, 3000), mpf(10) ** -370)
    assert found.delta.high < Fraction(1, 10**300)


def test_the_smallest_eps_of_a_correlated_pair():
    system = catalogue.make("correlated", {"q": "9/10", "r": "100", "p": "99/100"})
    low, high = worst_case.epsilon(system, 10**4, Fraction(1, 10**6)).interval
    assert worst_case.delta(system, 10**4, low).delta.low >= Fraction(1, 10**6) * (1 - Fraction(1, 10**20))
    assert worst_case.delta(system, 10**4, high).delta.high <= Fraction(1, 10**6) and high - low < Fraction(1, 10**28)
    nothing = worst_case.epsilon(
        catalogue.make("correlated", {"q": "9/10", "r": "1/100", "p": "99/100"}), 10**4, "1/100"
    )
    assert nothing.interval is None and nothing.eps is None  # (1 - q) Pr[Z3 = 0] = 0.095 is beyond any eps


# The view itself --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "shared",
    [
        NegativeBinomial(Fraction(1, 2), Fraction(1, 4)),
        NegativeBinomial(Fraction(3), Fraction(1, 4)),
        Binomial(5, Fraction(1, 3)),
        Binomial(4, Fraction(1)),
        Poisson(Fraction(2)),
        DiscreteLaplace(Fraction(1, 4)),
    ],
    ids=str,
)
@pytest.mark.sampled(3)
def test_two_dimensions_and_one_agree(shared):
    q = Fraction(1, 3)
    P, Q, line = in_the_plane(1, q, shared), in_the_plane(0, q, shared), CorrelatedPair(q, shared)
    for eps in map(Eps.log, map(Fraction, ("1", "27/20", "15/2"))):
        for one, two, pair in ((P, Q, line), (Q, P, line.reversed())):
            found = refine(partial(pair.divergence, eps))
            low, high = divergence(one, two, eps.power)
            assert low <= found.high and found.low <= high and high - low < Fraction(1, 10**9)


def test_a_window_that_is_too_long_is_refused():
    with pytest.raises(TooMuchWork, match="a window of about"):
        worst_case.delta(catalogue.make("correlated", {"q": "1/2", "r": "1/2", "p": "999999/1000000"}), 5, 1)
