"""GKMP's mechanisms: enclosures against sums of the definitions at 60 digits, the error's law, the paper's values."""

import json
from fractions import Fraction
from functools import cache
from itertools import pairwise, product
from random import Random

import pytest
from mpmath import binomial, exp, fsum, gamma, log, mpf, sqrt, workdps

from protocols.correlated import CorrelatedPair
from protocols.shared.counts import any_misses, count_reach
from protocols.shared.run import run
from protocols.triple import Triple
from tests.helpers import call, is_one_line
from tests.reference import real
from verify.decide import worst_case
from verify.decide.certify import certify
from verify.enclose.interval import Interval, refine
from verify.enclose.noise_laws import Binomial, DiscreteLaplace, NegativeBinomial, Poisson, geometric
from verify.errors import BadInput, TooMuchWork
from verify.exact.epsilon import Eps
from verify.pairs.shifted_noise import ShiftedNoise
from verify.pairs.windowed import Product, Reversed, WindowPair
from verify.reduce.reduction import worst_delta
from verify.systems import catalogue

EPS = ["0", "1/10", "log(3/2)", "1", "5/2", "9"]


@pytest.fixture(autouse=True)
def sixty_digits():
    with workdps(60):
        yield


def power(eps):
    """e^eps of its text."""
    return real(eps[4:-1]) if eps.startswith("log(") else exp(real(eps))


def encloses(found, value, slack=0, width=30):
    """`found` holds a number within `slack` of `value`, and is narrow: relative width 10^-width."""
    value, slack = mpf(value), mpf(slack) + abs(mpf(value)) * mpf(10) ** -50
    assert real(found.low) - slack <= value <= real(found.high) + slack, (str(found), value)
    assert found.relative_width * 10**width <= 1, str(found)
    return True


def exactly(found, value):
    assert found.low == found.high == value, str(found)
    return True


# Laws by their definitions -----------------------------------------------------------------------------------------


def poisson(lam):
    return cache(lambda k: exp(-real(lam)) * real(lam) ** k / gamma(mpf(k + 1)) if k >= 0 else mpf(0))


def negative_binomial(r, p):
    @cache
    def law(k):
        if k < 0:
            return mpf(0)
        return gamma(k + real(r)) / gamma(real(r)) / gamma(mpf(k + 1)) * (1 - real(p)) ** real(r) * real(p) ** k

    return law


def discrete_laplace(q):
    return cache(lambda k: (1 - real(q)) / (1 + real(q)) * real(q) ** abs(k))


def coins(n, p):
    return cache(lambda k: binomial(n, k) * real(p) ** k * (1 - real(p)) ** (n - k) if 0 <= k <= n else mpf(0))


def hockey_stick(P, Q, eps):
    t = power(eps)
    return fsum(max(p - t * q, 0) for p, q in zip(P, Q, strict=True))


def shifted(law, by, span):
    """(X + by, X) on a range of integers, by either sign."""
    return [law(k - by) for k in span], [law(k) for k in span]


def worst_shift(law, sensitivity, eps, span):
    """The largest divergence over all shifts by 1..sensitivity, both directions."""
    pairs = [shifted(law, sign * j, span) for j in range(1, sensitivity + 1) for sign in (1, -1)]
    return max(hockey_stick(*pair, eps) for pair in pairs)


# Counts ------------------------------------------------------------------------------------------------------------

COUNTS = [  # (system, parameters, its law, where it is not below 10^-60)
    ("poisson", {"lam": "7/2"}, poisson("7/2"), range(-8, 90)),
    ("poisson", {"lam": "1/1000000"}, poisson("1/1000000"), range(-8, 20)),
    ("negative_binomial", {"r": "5/2", "p": "1/3"}, negative_binomial("5/2", "1/3"), range(-8, 160)),
    ("negative_binomial", {"r": "1", "p": "1/2"}, negative_binomial("1", "1/2"), range(-8, 220)),
    ("negative_binomial", {"r": "1/3", "p": "2/5"}, negative_binomial("1/3", "2/5"), range(-8, 180)),
    ("negative_binomial", {"r": "1/100", "p": "3/4"}, negative_binomial("1/100", "3/4"), range(-8, 520)),
    ("discrete_laplace", {"q": "2/5"}, discrete_laplace("2/5"), range(-160, 160)),
    ("discrete_laplace", {"q": "1/1000"}, discrete_laplace("1/1000"), range(-30, 30)),
]


@pytest.mark.parametrize("sensitivity", [1, 2, 5])
@pytest.mark.parametrize(("name", "parameters", "law", "span"), COUNTS)
def test_a_count_is_the_largest_of_all_its_shifts(name, parameters, law, span, sensitivity):
    system = catalogue.load(name, {**parameters, "sensitivity": str(sensitivity)})
    for eps in EPS:
        found = worst_case.delta(system, 10**9, eps)
        expected = worst_shift(law, sensitivity, eps, span)
        if name == "discrete_laplace" and real(parameters["q"]) ** sensitivity * power(eps) >= 1:
            assert exactly(found.delta, 0) and expected < mpf(10) ** -50
        else:
            assert encloses(found.delta, expected, mpf(10) ** -50)
        assert found.scope.pairs == 2 and found.scope.stands_for is not None
    for member, by in zip(system.reach(9).attained.members, (sensitivity, -sensitivity), strict=True):
        found = refine(lambda b, member=member: member.pair.divergence(Eps.of("1/10"), b))
        assert encloses(found, hockey_stick(*shifted(law, by, span), "1/10"), mpf(10) ** -50, width=-99)


@pytest.mark.parametrize("seed", range(4))
def test_counts_with_random_parameters(seed):
    random = Random(seed)
    for _ in range(5):
        r, p = Fraction(random.randint(1, 60), random.choice([3, 20])), Fraction(random.randint(1, 14), 20)
        lam, eps = Fraction(random.randint(1, 80), 8), f"{random.randint(0, 60)}/20"
        sensitivity = random.randint(1, 4)
        given = {"r": str(r), "p": str(p), "sensitivity": str(sensitivity)}
        expected = worst_shift(negative_binomial(r, p), sensitivity, eps, range(-4, 500))
        assert encloses(
            worst_case.delta(catalogue.load("negative_binomial", given), 5, eps).delta, expected, mpf(10) ** -40
        )
        given = {"lam": str(lam), "sensitivity": str(sensitivity)}
        expected = worst_shift(poisson(lam), sensitivity, eps, range(-4, 120))
        assert encloses(worst_case.delta(catalogue.load("poisson", given), 5, eps).delta, expected, mpf(10) ** -40)


@pytest.mark.parametrize("noise", [NegativeBinomial(Fraction(1, 4), Fraction(2, 3)), Binomial(9, Fraction(1, 3))])
def test_the_largest_shift_stands_for_all(noise):
    """delta does not fall with the shift, in either direction: what `count_reach` proves."""
    for eps in map(Eps.of, EPS):
        values = [[refine(lambda b, j=j: ShiftedNoise(noise, j).divergence(eps, b)) for j in js] for js in DIRECTIONS]  # noqa: B023
        for rising in values:
            assert all(one.low <= other.high for one, other in pairwise(rising))
        assert worst_delta(count_reach(noise, "", 5), eps).value.low == max(v[-1].low for v in values)


DIRECTIONS = ([1, 2, 3, 4, 5], [-1, -2, -3, -4, -5])


def test_deltas_below_1e_300():
    """eps so large that the one direction is 0 or tiny; Pr[0] is what is left of the other."""
    found = worst_case.delta(catalogue.load("poisson", {"lam": "700"}), 10, "9")
    assert encloses(found.delta, worst_shift(poisson(700), 1, "9", range(-1, 1200)), mpf(10) ** -330)
    assert found.delta.high < Fraction(1, 10**300)
    found = worst_case.delta(catalogue.load("negative_binomial", {"r": "1000", "p": "1/2"}), 10, "50")
    assert encloses(found.delta, mpf(2) ** -1000, mpf(10) ** -330)


def test_a_large_sensitivity_and_a_single_user():
    wide = catalogue.load("poisson", {"lam": "1000000", "sensitivity": "1000"})
    found = worst_case.delta(wide, 10**9, "1")
    P, Q = shifted(poisson(10**6), 1000, range(990_000, 1_011_000))
    expected = max(hockey_stick(P, Q, "1"), hockey_stick(Q, P, "1"))
    assert encloses(found.delta, expected, mpf(10) ** -19)
    assert found.scope.stands_for is None  # a number of thousands of digits
    one = worst_case.delta(catalogue.load("poisson", {"lam": "7/2"}), 1, "1/10")
    assert encloses(one.delta, worst_shift(poisson("7/2"), 1, "1/10", range(-2, 90)), mpf(10) ** -50)


def test_discrete_laplace_has_pure_eps():
    """eps(0) = sensitivity log(1/q)."""
    found = worst_case.epsilon(catalogue.load("discrete_laplace", {"q": "1/3", "sensitivity": "2"}), 10, 0)
    low, high = found.interval
    assert real(low) <= log(mpf(9)) <= real(high) and high - low < Fraction(1, 10**28)


# Histograms --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lam", ["1/2", "3", "1/100"])
def test_poisson_hist_is_the_two_dimensional_sum(lam):
    law, system, size = poisson(lam), catalogue.load("poisson_hist", {"buckets": "7", "lam": lam}), range(45)
    table = [law(k) for k in range(-1, 46)]  # Pr[k - 1] at k
    for eps in EPS:
        t = power(eps)
        expected = fsum(max(table[x] * table[y + 1] - t * table[x + 1] * table[y], 0) for x, y in product(size, size))
        assert encloses(worst_case.delta(system, 10**6, eps).delta, expected, mpf(10) ** -35)


@cache
def view(q, r, p, size):
    """Pr[Z1 + Z3 = a, Z2 + Z3 = b] for a, b < size, by its definition."""
    with workdps(60):
        one, three = negative_binomial(1, q), negative_binomial(r, p)
        geo, shared = [one(k) for k in range(size)], [three(k) for k in range(size)]
        return [
            [fsum(shared[c] * geo[a - c] * geo[b - c] for c in range(min(a, b) + 1)) for b in range(size)]
            for a in range(size)
        ]


def correlated_laws(q, r, p, size):
    """The laws of (u, v) for s = 1 and for s = 0, as lists."""
    law = view(q, r, p, size)
    P = [law[u - 1][v] if u else mpf(0) for u in range(size) for v in range(size)]
    return P, [law[u][v] for u in range(size) for v in range(size)]


@pytest.mark.parametrize("eps", ["0", "1/4", "2"])
def test_correlated_hist_is_the_four_dimensional_sum(eps):
    q, r, p = Fraction(1, 12), Fraction(3, 2), Fraction(1, 15)
    P, Q = correlated_laws(q, r, p, 9)
    t = power(eps)
    expected = fsum(max(P[i] * Q[j] - t * Q[i] * P[j], 0) for i in range(81) for j in range(81))
    system = catalogue.load("correlated_hist", {"buckets": "3", "q": str(q), "r": str(r), "p": str(p)})
    assert encloses(worst_case.delta(system, 50, eps).delta, expected, mpf(10) ** -7)


@pytest.mark.parametrize("eps", ["0", "1/2", "log(2)", "1", "3"])
@pytest.mark.parametrize(("q", "r", "p"), [("1/2", "1/3", "3/5"), ("2/3", "4", "1/2")])
def test_correlated_hist_is_the_sum_over_pairs_of_merged_outcomes(q, r, p, eps):
    """Outcomes (u, v) merged into the ratios of u for v >= u, and the one of v < u, from the definition."""
    atoms = merged(Fraction(q), Fraction(r), Fraction(p), 330)
    t = power(eps)
    expected = fsum(max(x * v - t * y * u, 0) for x, y in atoms for u, v in atoms)
    system = catalogue.load("correlated_hist", {"buckets": "3", "q": q, "r": r, "p": p})
    assert encloses(worst_case.delta(system, 50, eps).delta, expected, mpf(10) ** -30)


@cache
def merged(q, r, p, size):
    """The merged outcomes, H as a convolution of two laws."""
    with workdps(60):
        three, square, q = negative_binomial(r, p), real(q) ** 2, real(q)
        shared, fading = [three(k) for k in range(size)], [(1 - square) * square**k for k in range(size)]
        H = [mpf(0)] + [fsum(shared[c] * fading[u - c] for c in range(u + 1)) for u in range(size)]
        return [(1 / (1 + q), q / (1 + q))] + [(q * H[u] / (1 + q), H[u + 1] / (1 + q)) for u in range(size)]


def test_much_noise_in_a_histogram_is_enclosed_within_1_plus_q():
    """The lemma's bounds hold the product's value, where both can be had."""
    from protocols.correlated_hist import Between

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
def test_correlated_is_the_two_dimensional_sum(q, r, p):
    system, slack = catalogue.load("correlated", {"q": q, "r": r, "p": p}), mpf(10) ** -18
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


def test_random_correlated_pairs():
    random = Random(5)
    for _ in range(12):
        q, p = Fraction(random.randint(1, 18), 20), Fraction(random.randint(1, 18), 20)
        r, eps = Fraction(random.randint(1, 90), random.choice([9, 40])), f"{random.randint(0, 50)}/20"
        system = catalogue.load("correlated", {"q": str(q), "r": str(r), "p": str(p)})
        expected = max(one_dimension(q, r, p, eps, back, 1400) for back in (False, True))
        assert encloses(worst_case.delta(system, 7, eps).delta, expected, mpf(10) ** -45)


def test_a_correlated_delta_below_1e_300():
    found = worst_case.delta(catalogue.load("correlated", {"q": "1/2", "r": "1100", "p": "1/2"}), 10, "40")
    assert encloses(found.delta, one_dimension("1/2", "1100", "1/2", "40", True, 3000), mpf(10) ** -370)
    assert found.delta.high < Fraction(1, 10**300)


def test_the_smallest_eps_of_a_correlated_pair():
    system = catalogue.load("correlated", {"q": "9/10", "r": "100", "p": "99/100"})
    low, high = worst_case.epsilon(system, 10**4, Fraction(1, 10**6)).interval
    assert worst_case.delta(system, 10**4, low).delta.low >= Fraction(1, 10**6) * (1 - Fraction(1, 10**20))
    assert worst_case.delta(system, 10**4, high).delta.high <= Fraction(1, 10**6) and high - low < Fraction(1, 10**28)
    nothing = worst_case.epsilon(
        catalogue.load("correlated", {"q": "9/10", "r": "1/100", "p": "99/100"}), 10**4, "1/100"
    )
    assert nothing.interval is None and nothing.eps is None  # (1 - q) Pr[Z3 = 0] = 0.095 is beyond any eps


# Any three noises --------------------------------------------------------------------------------------------------

NOISES = {
    "coins": (Binomial(3, Fraction(1, 3)), coins(3, "1/3")),
    "poisson": (Poisson(Fraction(1, 2)), poisson("1/2")),
    "geometric": (geometric(Fraction(1, 5)), negative_binomial(1, "1/5")),
    "half": (NegativeBinomial(Fraction(1, 2), Fraction(1, 6)), negative_binomial("1/2", "1/6")),
    "two-sided": (DiscreteLaplace(Fraction(1, 9)), discrete_laplace("1/9")),
}


@pytest.mark.parametrize("sensitivity", [1, 2, 9])
@pytest.mark.parametrize(
    "names",
    [
        ("coins", "poisson", "half"),
        ("geometric", "coins", "coins"),
        ("half", "half", "poisson"),
        ("coins", "coins", "two-sided"),
        ("coins", "coins", "coins"),
    ],
)
def test_a_noise_triple_is_its_definition(names, sensitivity):
    pair = Triple(*(NOISES[name][0] for name in names), sensitivity)
    one, two, three = (NOISES[name][1] for name in names)
    span = range(-14 if "two-sided" in names else 0, 34)
    law = {(a, b): fsum(three(c) * one(a - c) * two(b - c) for c in span if c <= min(a, b)) for a in span for b in span}
    Q = [law[cell] for cell in law]
    P = [law.get((u - sensitivity, v), mpf(0)) for u, v in law]
    for eps in ("0", "1/2", "2"):
        for found, laws in ((pair, (P, Q)), (Reversed(pair), (Q, P))):
            low, high = found.divergence(Eps.of(eps), 128)
            assert encloses(Interval(low, high), hockey_stick(*laws, eps), mpf(10) ** -12, width=-99)
            assert high - low < Fraction(1, 10**20)


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
def test_two_dimensions_and_one_agree(shared):
    geo = geometric(Fraction(1, 3))
    flat, square = CorrelatedPair(geo.p, shared), Triple(geo, geo, shared, 1)
    for eps in map(Eps.of, ["0", "3/10", "2"]):
        for one, two in ((flat, square), (CorrelatedPair(geo.p, shared, back=True), Reversed(square))):
            small = refine(lambda b, one=one, eps=eps: one.divergence(eps, b))
            large = refine(lambda b, two=two, eps=eps: two.divergence(eps, b), digits=20, last_bits=256)
            assert large.low <= small.high and small.low <= large.high
            assert large.high - large.low < Fraction(1, 10**20)
            for bits in (8, 40, 70):
                low, high = two.divergence(eps, bits)
                assert low <= small.high and small.low <= high


def test_a_triple_never_puts_a_lower_end_above_0_where_there_is_no_loss():
    """Beyond log(1/q) nothing is lost, though points of the window also get what lies outside of it."""
    geo, shared = geometric(Fraction(1, 2)), NegativeBinomial(Fraction(1, 100), Fraction(1, 3))
    for bits in (64, 128):
        low, high = Triple(geo, geo, shared, 1).divergence(Eps.of(1), bits)
        assert low == 0 and high < Fraction(1, 2 ** (bits - 50))


def test_a_triple_that_is_too_much_work_is_refused_with_its_estimate():
    pair = Triple(Poisson(Fraction(10**6)), Poisson(Fraction(10**6)), Poisson(Fraction(1)), 1)
    with pytest.raises(TooMuchWork, match=r"^noise triple: about \d+ cells at 128 bits: expected at most 3000000"):
        pair.divergence(Eps.of(1), 128)
    with pytest.raises(TooMuchWork, match="a window of about"):
        worst_case.delta(catalogue.load("correlated", {"q": "1/2", "r": "1/2", "p": "999999/1000000"}), 5, 1)


# Accuracy ----------------------------------------------------------------------------------------------------------


def missed(law, mean, alpha, span):
    return fsum(law(k) for k in span if abs(k - Fraction(mean)) > alpha)


ERRORS = [  # system, parameters, law of the error + mean, mean, variance, messages at n = 7, bits
    ("poisson", {"lam": "7/2"}, poisson("7/2"), "7/2", "7/2", "3/2", 1),
    ("poisson", {"lam": "7/2", "sensitivity": "4"}, poisson("7/2"), "7/2", "7/2", "9/2", 1),
    ("negative_binomial", {"r": "1/3", "p": "2/5"}, negative_binomial("1/3", "2/5"), "2/9", "10/27", "65/63", 1),
    ("discrete_laplace", {"q": "2/5", "sensitivity": "5"}, discrete_laplace("2/5"), "0", "20/9", "0", 3),
    ("correlated", {"q": "2/5", "r": "3", "p": "1/2"}, discrete_laplace("2/5"), "0", "20/9", "43/21", 1),
]


@pytest.mark.parametrize(("name", "parameters", "law", "mean", "variance", "messages", "bits"), ERRORS)
def test_the_error_of_a_count(name, parameters, law, mean, variance, messages, bits):
    system, span = catalogue.load(name, parameters), range(-160, 200)
    for alpha in map(Fraction, ("0", "1/2", "2", "7/2", "20")):
        found = system.accuracy(7, alpha)
        assert encloses(found.failure_probability, missed(law, mean, alpha, span), mpf(10) ** -50, width=28)
    assert encloses(found.rmse, sqrt(real(variance)), width=28)
    assert fsum(law(k) * (k - real(mean)) ** 2 for k in span) - real(variance) < mpf(10) ** -50
    assert exactly(found.expected_messages, Fraction(messages)) and found.bits_per_message == bits
    assert system.accuracy(7).failure_probability is None
    with pytest.raises(BadInput, match=r"^alpha: -1: expected a rational of at least 0$"):
        system.accuracy(7, Fraction(-1))
    with pytest.raises(BadInput, match=r"^n: 0: expected"):
        system.accuracy(0)


@pytest.mark.parametrize(
    ("name", "parameters", "law", "mean", "messages", "bits"),
    [
        ("poisson_hist", {"buckets": "5", "lam": "3"}, poisson(3), 3, "4", 3),
        ("poisson_hist", {"buckets": "1000000", "lam": "3"}, poisson(3), 3, "600001", 20),
        ("correlated_hist", {"buckets": "8", "q": "1/2", "r": "3", "p": "1/3"}, discrete_laplace("1/2"), 0, "9", 4),
    ],
)
def test_the_errors_of_a_histogram(name, parameters, law, mean, messages, bits):
    """Of one bucket, and of any of them: the buckets are independent."""
    system, buckets = catalogue.load(name, parameters), int(parameters["buckets"])
    for alpha in map(Fraction, ("0", "1/2", "2", "30")):
        found = system.accuracy(5, alpha)
        expected = 1 - (1 - missed(law, mean, alpha, range(-250, 260))) ** buckets
        assert encloses(found.failure_probability, expected, mpf(10) ** -40, width=28)
    assert exactly(found.expected_messages, Fraction(messages)) and found.bits_per_message == bits
    assert "any bucket" in found.error_of


def test_a_miss_that_is_certain():
    assert exactly(any_misses(Poisson(Fraction(1, 2)), Fraction(1, 2), Fraction(1, 3), 9), 1)


# Analyzers ---------------------------------------------------------------------------------------------------------


def test_the_analyzers_take_the_noise_out():
    load = catalogue.load
    assert load("poisson", {"lam": "7/2"}).analyze({"1": 9}, 4) == Fraction(11, 2)
    assert load("poisson", {"lam": "7/2"}).analyze({}, 4) == Fraction(-7, 2)
    assert load("negative_binomial", {"r": "3", "p": "1/4"}).analyze({"1": 9}, 4) == 8
    assert load("correlated", {"q": "1/2", "r": "3", "p": "1/4"}).analyze({"+1": 9, "-1": 11}, 4) == -2
    assert load("poisson_hist", {"buckets": "3", "lam": "2"}).analyze({"1": 9, "3": 1}, 4) == (7, -2, -1)
    hist = load("correlated_hist", {"buckets": "3", "q": "1/2", "r": "3", "p": "1/4"})
    assert hist.analyze({"+1": 9, "-1": 2, "-3": 1}, 4) == (7, 0, -1)
    assert load("discrete_laplace", {"q": "1/2"}).analyze({"-17": 1}, 4) == -17


SYSTEMS = {
    "poisson": {"lam": "3"},
    "negative_binomial": {"r": "3", "p": "1/2"},
    "discrete_laplace": {"q": "1/2"},
    "poisson_hist": {"buckets": "3", "lam": "3"},
    "correlated": {"q": "1/2", "r": "3", "p": "1/2"},
    "correlated_hist": {"buckets": "3", "q": "1/2", "r": "3", "p": "1/2"},
}


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_randomizer_without_end_is_refused_in_one_line(name):
    system = catalogue.load(name, SYSTEMS[name])
    for ask in (system.randomizer, lambda: worst_case.delta(system, 4, 1, "local"), lambda: run(system, ["1"], 0)):
        with pytest.raises(BadInput, match=rf"^{name}: .*expected the shuffled view$") as refused:
            ask()
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("name", "given", "message"),
    [
        ("poisson", {"lam": "0"}, "lam: 0: expected a rational above 0"),
        ("poisson", {"lam": "3", "sensitivity": "0"}, "sensitivity: 0: expected an integer from 1 to 1000"),
        ("poisson", {"lam": "3", "sensitivity": "1001"}, "sensitivity: 1001: expected an integer from 1 to 1000"),
        ("negative_binomial", {"r": "-1", "p": "1/2"}, "r: -1: expected a rational above 0"),
        ("negative_binomial", {"r": "1", "p": "1"}, "p: 1: expected a rational strictly between 0 and 1"),
        ("discrete_laplace", {"q": "0"}, "q: 0: expected a rational strictly between 0 and 1"),
        ("poisson_hist", {"buckets": "1", "lam": "3"}, "buckets: 1: expected an integer from 2 to 1000000"),
        ("correlated", {"q": "1", "r": "1", "p": "1/2"}, "q: 1: expected a rational strictly between 0 and 1"),
        ("correlated", {"q": "1/2", "r": "0", "p": "1/2"}, "r: 0: expected a rational above 0"),
        ("correlated_hist", {"buckets": "2", "q": "1/2", "r": "1"}, "correlated_hist: no value for p: expected"),
    ],
)
def test_bad_parameters(name, given, message):
    with pytest.raises(BadInput) as refused:
        catalogue.load(name, given)
    assert str(refused.value).startswith(message) and "\n" not in str(refused.value)


@pytest.mark.parametrize("messages", [{}, {"1": 2}, {"1": 1, "2": 1}, {"x": 1}])
def test_a_curator_releases_one_number(messages):
    with pytest.raises(BadInput, match=r"^messages: "):
        catalogue.load("discrete_laplace", {"q": "1/2"}).analyze(messages, 3)


# The paper's parameters --------------------------------------------------------------------------------------------


def prescribed(name, eps, delta, **given):
    values = catalogue.prescribe(name, given, 1000, Eps.of(eps), Fraction(delta))
    return {key: Fraction(value) for key, value in values.items()}


def rounded_up(value, exact):
    """64 significant bits, not below."""
    assert real(value) >= exact * (1 - mpf(10) ** -55) and real(value) <= exact * (1 + mpf(2) ** -63)
    return True


@pytest.mark.parametrize(("eps", "delta", "sensitivity"), [("1", "1e-6", 1), ("1/10", "1e-9", 3), ("log(5)", "1/4", 2)])
def test_theorems_11_and_13(eps, delta, sensitivity):
    e, d = log(power(eps)), real(delta)
    lam = 16 * log(10 / d) / (1 - exp(-e / sensitivity)) ** 2 + 2 * sensitivity / (1 - exp(-e / sensitivity))
    given = {"sensitivity": str(sensitivity)}
    assert rounded_up(prescribed("poisson", eps, delta, **given)["lam"], lam)
    half = 16 * log(20 / d) / (1 - exp(-e / 2)) ** 2 + 2 / (1 - exp(-e / 2))  # (eps/2, delta/2), twice
    assert rounded_up(prescribed("poisson_hist", eps, delta, buckets="3")["lam"], half)
    values = prescribed("negative_binomial", eps, delta, **given)
    assert rounded_up(values["p"], exp(-e / 10 / sensitivity))
    assert rounded_up(values["r"], 50 * exp(e / sensitivity) * log(1 / d))
    assert rounded_up(prescribed("discrete_laplace", eps, delta, **given)["q"], exp(-e / sensitivity))


def test_prescribed_values_that_are_rational_are_exact():
    assert prescribed("discrete_laplace", "log(9/4)", "1/2", sensitivity="2")["q"] == Fraction(2, 3)
    assert prescribed("negative_binomial", "log(1024)", "1e-6")["p"] == Fraction(1, 2)
    assert set(prescribed("negative_binomial", "1", "1e-6", p="1/2")) == {"p", "r"}
    assert prescribed("negative_binomial", "1", "1e-6", p="1/2")["p"] == Fraction(1, 2)


@pytest.mark.parametrize(("eps", "delta"), [("1", "1e-6"), ("1/10", "1e-9"), ("log(5)", "1/4")])
@pytest.mark.parametrize(("name", "parts"), [("correlated", 1), ("correlated_hist", 2)])
def test_theorem_1_meets_the_conditions_of_theorem_18(name, parts, eps, delta):
    """eps1 + eps2 = eps and e^eps1 delta2 + 2 e^(2 eps1) delta3 = delta; Z2 exceeds Delta with delta3 at most."""
    values = prescribed(name, eps, delta, **({"buckets": "4"} if parts == 2 else {}))
    e, d, q = log(power(eps)) / parts, real(delta) / parts, real(values["q"])
    assert rounded_up(values["q"], exp(-mpf(99) / 100 * e))
    eps1 = log(1 / q)
    eps2 = e - eps1
    Delta = round(-eps2 / 10 / log(real(values["p"])))
    assert q ** (Delta + 1) <= d * q**2 / 4 and q ** (Delta - 1) > d * q**2 / 4
    assert rounded_up(values["p"], exp(-eps2 / 10 / Delta))
    assert rounded_up(values["r"], 50 * exp(eps2 / Delta) * log(2 / (d * q)))
    assert abs(exp(eps1) * (d * q / 2) + 2 * exp(2 * eps1) * d * q**2 / 4 - d) < mpf(10) ** -50


@pytest.mark.parametrize(("n", "eps", "delta"), [(10, "1", "1e-6"), (10**6, "1/4", "1e-9"), (1000, "log(5)", "1/4")])
@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("poisson", {}),
        ("poisson", {"sensitivity": "5"}),
        ("negative_binomial", {}),
        ("negative_binomial", {"sensitivity": "5"}),
        ("discrete_laplace", {"sensitivity": "3"}),
        ("poisson_hist", {"buckets": "9"}),
        ("correlated", {}),
        ("correlated", {"q": "19/20"}),
        ("correlated_hist", {"buckets": "9"}),
    ],
)
def test_the_papers_parameters_keep_their_promise(name, given, n, eps, delta):
    values = catalogue.prescribe(name, given, n, Eps.of(eps), Fraction(delta))
    found = certify(catalogue.load(name, values), n, eps, delta)
    assert found.verdict == "PROVED" and found.worst.delta.high <= Fraction(delta)


@pytest.mark.parametrize(
    ("name", "given", "eps", "delta", "message"),
    [
        ("poisson", {}, "0", "1/2", "eps: 0: expected eps > 0 (GKMP Theorem 11)"),
        ("poisson", {"sensitivity": "0"}, "1", "1/2", "sensitivity: 0: expected an integer from 1 to 1000"),
        ("negative_binomial", {}, "1", "1", "delta: 1: expected a rational strictly between 0 and 1"),
        ("correlated", {"q": "1/3"}, "1", "1/2", "q: 1/3: expected log(1/q) below eps (GKMP Theorem 18)"),
        ("correlated_hist", {"buckets": "2", "q": "3/5"}, "1", "1/2", "q: 3/5: expected log(1/q) below eps / 2 (GKMP"),
        (
            "discrete_laplace",
            {},
            "1e-30",
            "1/2",
            "eps: 1/1000000000000000000000000000000: e^(-1 eps) is 1 in 64 bits",
        ),
    ],
)
def test_what_the_paper_does_not_prescribe(name, given, eps, delta, message):
    with pytest.raises(BadInput) as refused:
        prescribed(name, eps, delta, **given)
    assert str(refused.value).startswith(message) and "\n" not in str(refused.value)


# The command -------------------------------------------------------------------------------------------------------


def test_the_command_answers_and_certifies(capsys, tmp_path):
    given = ["correlated", "-p", "q=9/10", "-p", "r=1/100", "-p", "p=99/100", "--n", "10000"]
    status, out, _ = call(capsys, "delta", *given, "--eps", "1/5", "--json")
    answer = json.loads(out)
    assert status == 0 and answer["delta"]["lower"].startswith("0.0954992586021435949723959379")
    assert answer["scope"]["n"] == 10000 and not answer["scope"]["two_sided"]
    # (1 - q) Pr[Z3 = 0] = 0.01^0.01 / 10 is the whole of it
    assert real(answer["delta"]["lower"]) <= mpf("0.01") ** mpf("0.01") / 10 <= real(answer["delta"]["upper"])
    status, out, _ = call(capsys, "epsilon", *given, "--delta", "1e-6", "--json")
    assert status == 0 and json.loads(out)["epsilon"]["exact"] == "inf"
    written = tmp_path / "cert.json"
    given = ["correlated", "-p", "q=9/10", "-p", "r=40", "-p", "p=9/10", "--n", "10000", "--eps", "3/10"]
    upper = json.loads(call(capsys, "delta", *given, "--json")[1])["delta"]["upper"]
    for delta, verdict, expected in ((upper, "PROVED", 0), (Fraction(upper) / 2, "REFUTED", 1)):
        status, out, _ = call(capsys, "certify", *given, "--delta", delta, "-o", written, "--force", "--json")
        assert (status, json.loads(out)["verdict"]) == (expected, verdict)
        claim = json.loads(written.read_text())
        noise = {"law": "negative_binomial", "r": "40", "p": "9/10"}
        assert claim["claim"]["mechanism"] == {"view": "correlated", "q": "9/10", "noise": noise}
        assert call(capsys, "check", written)[0] == 0


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_mechanism_has_a_certificate_that_the_kernel_accepts(name, capsys, tmp_path):
    parameters = [item for key, value in SYSTEMS[name].items() for item in ("-p", f"{key}={value}")]
    status, out, _ = call(capsys, "delta", name, *parameters, "--n", "100", "--eps", "1", "--json")
    upper = json.loads(out)["delta"]["upper"]
    written = tmp_path / "cert.json"
    status, out, _ = call(
        capsys, "certify", name, *parameters, "--n", "100", "--eps", "1", "--delta", upper, "-o", written
    )
    assert status == 0 and out.startswith("PROVED")
    assert call(capsys, "check", written)[0] == 0


def test_the_command_lists_the_systems_and_refuses_in_one_line(capsys):
    status, out, _ = call(capsys, "systems", "--json")
    rows = {row["name"]: row for row in json.loads(out)}
    assert set(SYSTEMS) <= set(rows) and status == 0
    for name in SYSTEMS:
        assert rows[name]["views"] == ["shuffled"] and rows[name]["accuracy"] and rows[name]["paper"]
        assert rows[name]["source"].startswith("GKMP")
    for arguments in (["--n", "10", "--eps", "1", "--view", "local"], ["--n", "0", "--eps", "1"], ["--eps", "1"]):
        status, _, err = call(capsys, "delta", "poisson", "-p", "lam=3", *arguments)
        assert status == 2 and is_one_line(err)


def test_the_command_prescribes(capsys):
    arguments = ["correlated", "--paper", "--n", "10000", "--eps", "1", "--delta", "1e-6"]
    for command in ("delta", "certify", "accuracy"):
        status, out, _ = call(capsys, command, *arguments, "--json")
        assert status == 0 and set(json.loads(out)["parameters"]) == {"q", "r", "p"}
