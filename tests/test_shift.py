"""pairs/shifted_noise.py against sums over every point: exact Fractions for rational laws, mpmath for others."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify.enclose.interval import Interval, refine
from shufflecert.verify.enclose.noise_laws import (
    Binomial,
    DiscreteLaplace,
    NegativeBinomial,
    Poisson,
    Reflected,
    geometric,
)
from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.shifted_noise import MAX_SHIFT, ShiftedNoise
from tests.helpers import few, random_cases
from tests.reference import binomial, real

HALF, TINY = Fraction(1, 2), Fraction(1, 10**12)
SHARP = Fraction(1, 10**30)


def delta_at(law, by, power):
    """sum over k of max(P - power Q, 0), P = X + by and Q = X, or P = X and Q = X - by where by < 0; law is {k: Pr}."""
    P, Q = ({k + by: w for k, w in law.items()}, law) if by > 0 else (law, {k - by: w for k, w in law.items()})
    return sum((max(p - power * Q.get(k, 0), 0) for k, p in P.items()), Fraction(0))


def exp_bounds(eps):
    """Rationals around e^eps, by mpmath at 90 digits."""
    with mpmath.workdps(100 + int(eps)):
        value = mpmath.exp(real(eps))
        scale = 10 ** (95 + int(eps))
        floor = int(mpmath.floor(value * scale))
        return Fraction(floor - 1, scale), Fraction(floor + 2, scale)


def contains(found, law, by, eps):
    """Whether ends hold the exact divergence; for an irrational e^eps, whether they meet a tight interval around it."""
    if eps.power is not None:
        return found[0] <= delta_at(law, by, eps.power) <= found[1]
    low, high = exp_bounds(eps.exponent)
    return found[0] <= delta_at(law, by, low) and delta_at(law, by, high) <= found[1]


def binomial_law(n, p):
    return {k: w for k, w in binomial(n, p).items() if w}


def tie(law, by):
    """An eps = log(P(k) / Q(k)) for some k where that is an equality and at least 1."""
    ratios = sorted(law[k - by] / w for k, w in law.items() if k - by in law)
    return [Eps.log(r) for r in ratios if r >= 1][:1]


EPSILONS = [Eps.of(0), Eps.of("1e-30"), Eps.of("1/2"), Eps.of(3), Eps.of(40), Eps.of("log(3/2)"), Eps.of("log(100)")]
SHIFTS = (1, -1, 2, -2, 5, -5, 100, -100)
BINOMIALS = [(n, p) for n in (0, 1, 2, 3, 10) for p in (0, TINY, Fraction(1, 3), HALF, 1 - TINY, 1)] + [(60, HALF)]


@pytest.mark.parametrize(("n", "p"), BINOMIALS)
@pytest.mark.sampled(3)
def test_binomials_contain_the_exact_divergence(n, p):
    law, p = binomial_law(n, Fraction(p)), Fraction(p)
    for by in SHIFTS:
        for eps in [*EPSILONS, *tie(law, by)]:
            pair = ShiftedNoise(Binomial(n, p), by)
            assert all(contains(pair.divergence(eps, bits), law, by, eps) for bits in (4, 40, 128))
            found = refine(lambda bits, pair=pair, eps=eps: pair.divergence(eps, bits))
            assert found.relative_width <= SHARP or found.low == 0 == delta_at(law, by, exp_bounds_of(eps)[0])


def exp_bounds_of(eps):
    return (eps.power, eps.power) if eps.power is not None else exp_bounds(eps.exponent)


@random_cases(60)
@given(
    st.integers(0, 25),
    st.fractions(0, 1, max_denominator=30),
    st.sampled_from([1, 2, 3, 7]),
    st.booleans(),
    st.fractions(1, 50, max_denominator=40),
    st.integers(1, 64),
)
def test_few_bits_give_a_wide_interval_and_never_a_wrong_side(n, p, size, up, power, bits):
    by = size if up else -size
    law = binomial_law(n, p)
    exact, pair, eps = delta_at(law, by, power), ShiftedNoise(Binomial(n, p), by), Eps.log(power)
    low, high = pair.divergence(eps, bits)
    assert low <= exact <= high <= 1
    found = refine(lambda b: pair.divergence(eps, b), last_bits=bits)
    assert found.low <= exact <= found.high
    for bound in (exact, exact * Fraction(99, 100), min(Fraction(1), exact * Fraction(101, 100)), Fraction(0)):
        try:
            assert found.against(bound) == (1 if exact > bound else -1)
        except Undecided:
            assert found.low <= bound < found.high


# Laws without an end -----------------------------------------------------------------------------------------------


def far_law(noise):
    """{k: Pr[k]} as mpmath numbers at 100 digits, from the definition, as far as anything is left to see."""
    with mpmath.workdps(100):
        if isinstance(noise, DiscreteLaplace):
            q = real(noise.q)
            return {k: (1 - q) / (1 + q) * q ** abs(k) for k in range(-900, 901)}
        if isinstance(noise, Poisson):
            term, most = mpmath.exp(-real(noise.lam)), 400
        else:
            r, p = (real(v) for v in (noise.r, noise.p))
            term, most = real(1 - noise.p) ** r, 1200
        law = {}
        for k in range(most + 1):
            law[k] = term
            if isinstance(noise, Poisson):
                term = term * noise.lam.numerator / noise.lam.denominator / (k + 1)
            else:
                term = term * p * (k + r) / (k + 1)
        return law


ENDLESS = [Poisson(Fraction(lam)) for lam in ("1e-9", "1/3", "5", "60")]
ENDLESS += [
    NegativeBinomial(Fraction(r), Fraction(p))
    for r in ("1/1000", "1/2", "1", "5/2", "30")
    for p in ("1e-12", "1/2", "4/5")
]
ENDLESS += [DiscreteLaplace(Fraction(q)) for q in ("1e-12", "1/2", "4/5")]


@pytest.mark.parametrize("noise", ENDLESS, ids=repr)
@pytest.mark.sampled(16)
def test_endless_laws_against_sums_of_60_digits(noise):
    law = far_law(noise)
    with mpmath.workdps(100):
        left = 10 * law[max(law) - 100]  # more than what is left out at either end
        for by in (1, -1, 3, -100):
            P, Q = ({k + by: w for k, w in law.items()}, law) if by > 0 else (law, {k - by: w for k, w in law.items()})
            known = [k for k in P if k <= max(law) and (k in Q or noise.low == 0)]
            for eps in ("0", "1e-30", "1/5", "2"):
                power = mpmath.exp(mpmath.mpf(Fraction(eps).numerator) / Fraction(eps).denominator)
                reference = mpmath.fsum(max(P[k] - power * Q.get(k, 0), 0) for k in known)
                found = refine(lambda bits, by=by, eps=eps: ShiftedNoise(noise, by).divergence(Eps.of(eps), bits))
                low, high = (real(end) for end in (found.low, found.high))
                error = left + abs(reference) * mpmath.mpf(10) ** -60 + mpmath.mpf(10) ** -95
                assert low - error <= reference <= high + error
                assert found.relative_width <= SHARP


@pytest.mark.parametrize("q", [TINY, Fraction(1, 3), HALF, Fraction(9, 10), 1 - TINY])
@pytest.mark.parametrize("by", [1, -1, 2, 5])
def test_discrete_laplace_is_exactly_0_from_log_1_over_q_on(q, by):
    noise, furthest = DiscreteLaplace(q), Eps.log(q ** -abs(by))
    assert ShiftedNoise(noise, by).divergence(furthest, 128) == (0, 0)
    less = Eps.log(max(Fraction(1), furthest.power * (1 - TINY)))
    low, high = ShiftedNoise(noise, by).divergence(less, 256)
    # by = 1: the event is {k >= 1}, of Pr[X >= 0] = 1 / (1 + q); for any by P - e^eps Q = P (1 - e^eps q^by) on k >= by
    assert low > 0 and (abs(by) > 1 or low <= (1 - less.power * q) / (1 + q) <= high)


@pytest.mark.parametrize("bits", [1, 8, 64, 128, 256, 512])
@pytest.mark.parametrize("gap", [Fraction(1, 10**9), Fraction(1, 10**40), Fraction(1, 10**70)])
def test_points_that_no_precision_decides_are_counted(gap, bits):
    # e^eps = (1 - gap) / q for q = 1/3: every k >= 1 is in the event, by a hair; delta = gap / (1 + q) as above
    q = Fraction(1, 3)
    low, high = ShiftedNoise(DiscreteLaplace(q)).divergence(Eps.log((1 - gap) / q), bits)
    assert low <= gap / (1 + q) <= high
    # r < 1 and e^eps = (1 + gap) / p: all but far k are in the event, at least 1 - e^eps Pr[X >= 1] = 1 - e^eps / 2
    low, high = ShiftedNoise(NegativeBinomial(HALF, Fraction(3, 4))).divergence(
        Eps.log((1 + gap) * Fraction(4, 3)), bits
    )
    assert low <= 1 - (1 + gap) * Fraction(2, 3) + gap and 1 - (1 + gap) * Fraction(2, 3) <= high


@pytest.mark.parametrize("p", [TINY, HALF, 1 - TINY])
def test_geometric_noise_in_closed_form(p):
    noise = geometric(p)
    for power in (Fraction(1), (1 + 1 / p) / 2, 1 / p):
        low, high = ShiftedNoise(noise, 1).divergence(Eps.log(power), 256)  # {k >= 1}, Pr = 1 against p
        assert low <= 1 - power * p <= high
        low, high = ShiftedNoise(noise, -1).divergence(Eps.log(power), 256)  # {k = 0}, the infinity mass
        assert low <= 1 - p <= high


@pytest.mark.parametrize("by", [1, 2, 100])
def test_r_below_1_in_closed_form(by):
    # r = 1/2, p = 3/4: eps <= by log(1/p) keeps every k >= by in the event, 1 - e^eps Pr[X >= by]
    r, p = HALF, Fraction(3, 4)
    law, below = HALF, Fraction(0)  # (1 - p)^r = 1/2
    for k in range(by):
        below += law
        law = law * p * (k + r) / (k + 1)
    for power in (Fraction(1), p**-by):
        low, high = ShiftedNoise(NegativeBinomial(r, p), by).divergence(Eps.log(power), 512)
        assert low <= 1 - power * (1 - below) <= high and high - low < SHARP
    low, high = ShiftedNoise(NegativeBinomial(r, p), -by).divergence(Eps.of(7), 128)
    assert low <= below <= high  # X against X + by: Pr[X < by], whatever eps


def test_r_below_1_just_above_the_limit():
    # k counts as long as k / (k - 1/2) > 1 + c, here up to t = 10^10 / 2 or so, far beyond where a sum could go
    r, p, c = HALF, 1 - Fraction(1, 10**9), Fraction(1, 10**10)
    power = (1 + c) / p
    found = refine(lambda bits: ShiftedNoise(NegativeBinomial(r, p)).divergence(Eps.log(power), bits))
    with mpmath.workdps(60):

        def survival(k):
            """Pr[X >= k], the integral over [0, p] of t^(k-1) (1 - t)^(-1/2) / B(k, 1/2), t = 1 - 10^-9 (1 + s)."""
            log_beta = mpmath.loggamma(k) + mpmath.loggamma(0.5) - mpmath.loggamma(k + mpmath.mpf(0.5))
            unit = mpmath.mpf(10) ** -9

            def density(s):
                t = unit * (1 + s)
                return unit * mpmath.exp((k - 1) * mpmath.log1p(-t) - mpmath.log(t) / 2 - log_beta)

            length = mpmath.mpf(10) ** 9 / k
            return mpmath.quad(density, [i * 3 * length for i in range(37)], maxdegree=5)

        t = int((1 + c) / (2 * c)) + 1
        e = real(power)
        one = 1 - (1 - real(p)) ** mpmath.mpf(0.5)  # Pr[X >= 1]
        reference = 1 - survival(t - 1) - e * (one - survival(t))
        low, high = (real(end) for end in (found.low, found.high))
        assert low - mpmath.mpf(10) ** -45 <= reference <= high + mpmath.mpf(10) ** -45
        assert abs(survival(t)) > mpmath.mpf(10) ** -10  # what a cut-off would have missed is there to be seen
    assert found.relative_width <= SHARP


# What holds for every law ------------------------------------------------------------------------------------------

rationals = st.fractions(Fraction(1, 1000), Fraction(999, 1000), max_denominator=1000)
laws = st.one_of(
    st.builds(Binomial, st.integers(0, 2000), rationals),
    st.builds(Poisson, st.fractions(Fraction(1, 100), 500, max_denominator=100)),
    st.builds(NegativeBinomial, st.fractions(Fraction(1, 1000), 6, max_denominator=1000), rationals),
    st.builds(DiscreteLaplace, rationals),
)
shifts = st.sampled_from([1, -1, 2, -2, 17])
epsilons = st.one_of(
    st.fractions(0, 8, max_denominator=1000).map(Eps.of), st.fractions(1, 1000, max_denominator=50).map(Eps.log)
)


@few
@given(laws, shifts, epsilons)
def test_a_divergence_rises_with_the_shift(noise, by, eps):
    further = ShiftedNoise(noise, by + (1 if by > 0 else -1))
    assert further.divergence(eps, 64)[1] >= ShiftedNoise(noise, by).divergence(eps, 64)[0]


@few
@given(laws, shifts, epsilons)
def test_reflected_twice_is_the_same(noise, by, eps):
    once, twice = ShiftedNoise(Reflected(noise), -by), ShiftedNoise(Reflected(Reflected(noise)), by)
    assert once.divergence(eps, 64) == ShiftedNoise(noise, by).divergence(eps, 64) == twice.divergence(eps, 64)


@few
@given(laws, shifts, epsilons)
def test_more_bits_meet_fewer(noise, by, eps):
    wide, narrow = ShiftedNoise(noise, by).divergence(eps, 24), ShiftedNoise(noise, by).divergence(eps, 200)
    assert wide[0] <= narrow[1] and narrow[0] <= wide[1] and 0 <= narrow[0] <= narrow[1] <= 1


@few
@given(laws, shifts)
def test_infinity_mass_is_at_most_every_divergence(noise, by):
    pair = ShiftedNoise(noise, by)
    never = pair.infinity_mass()
    assert 0 <= never <= pair.divergence(Eps.of(10_000), 128)[1]
    support_ends = noise.high is not None if by > 0 else noise.low is not None
    assert (never > 0) == support_ends


@given(laws, epsilons)
@few
def test_no_shift_is_no_difference(noise, eps):
    assert ShiftedNoise(noise, 0).divergence(eps, 64) == (0, 0)


# Far out -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("noise", "by", "eps"),
    [
        (Binomial(10**9, HALF), 1, "1/1000"),  # 31 standard deviations
        (Binomial(10**9, HALF), -1, "1/100"),  # 158 of them, delta about 10^-5437
        (Binomial(10**12, TINY), 1, "5"),
        (Binomial(10**12, 1 - TINY), -1, "5"),
        (Binomial(10**15, Fraction(1, 3)), 1000, "1e-5"),
        (Poisson(10**9), 1, "1e-4"),
        (Poisson("1e-9"), 1, "5"),
        (NegativeBinomial(Fraction(1, 1000), "0.999999999"), 1, "1/2"),
        (NegativeBinomial(50, "0.999999999"), 1, "1e-10"),
        (DiscreteLaplace("0.999999999"), 1000, "1e-7"),
    ],
)
def test_thirty_digits_are_reached(noise, by, eps):
    found = refine(lambda bits: ShiftedNoise(noise, by).divergence(Eps.of(eps), bits))
    assert found.low > 0 and found.relative_width <= SHARP


def test_a_delta_below_1e_300_is_as_sharp():
    # X + 1 against X ~ Bin(200, 1/2) at e^eps = 150: the event is {k >= 200}, where P = 201 2^-200, Q = 2^-200
    eps = Eps.log(Fraction(150))
    found = refine(lambda bits: ShiftedNoise(Binomial(200, HALF)).divergence(eps, bits))
    assert found.low <= (201 - 150) * HALF**200 <= found.high and found.relative_width <= SHARP
    tiny = Fraction(1, 10**40)  # Bin(10, 10^-40) + 1: only {k >= 11} beyond e^eps = 10^41
    found = refine(lambda bits: ShiftedNoise(Binomial(10, tiny)).divergence(Eps.log(1 / tiny**2), bits))
    assert found.low <= tiny**10 <= found.high and found.relative_width <= SHARP


def test_a_number_that_cannot_be_negative_has_no_negative_end():
    assert refine(lambda bits: (Fraction(-1, bits), HALF), last_bits=64) == Interval(Fraction(0), HALF)


def test_shifts_are_limited():
    with pytest.raises(BadInput, match="shift: 1001: expected an integer from -1000 to 1000"):
        ShiftedNoise(Binomial(3, HALF), MAX_SHIFT + 1)


def test_an_enclosure_is_never_read_as_false():
    inside = Interval(Fraction(1, 10), Fraction(2, 10))
    assert inside.against(Fraction(2, 10)) == -1 and inside.against(Fraction(9, 100)) == 1
    for bound in (Fraction(1, 10), Fraction(15, 100)):
        with pytest.raises(Undecided, match="the value lies in"):
            inside.against(bound)
