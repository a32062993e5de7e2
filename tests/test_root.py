"""The smallest eps of enclose/interval.py: brackets are decided by the curve, and cost few evaluations of it."""

from fractions import Fraction

import pytest
from flint import fmpz
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify.enclose.interval import Interval, refine, smallest_eps
from shufflecert.verify.enclose.noise_laws import Binomial, DiscreteLaplace, NegativeBinomial, Poisson, geometric
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import MAX_EPS, Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from shufflecert.verify.pairs.windowed import Product, Reversed, SumPair
from tests.helpers import random_cases

HALF = Fraction(1, 2)
some_curves = random_cases(80)


class Curve:
    """A curve that remembers where it was asked, and what it said."""

    def __init__(self, value):
        self.value, self.asked = value, {}

    def __call__(self, eps):
        found = self.asked[eps.exponent] = self.value(eps)
        return found

    def decided(self, low, high, bound):
        """Whether the curve itself said that it is above the bound at `low`, and not at `high`."""
        above = low == 0 or self.asked[low].low > bound
        return above and (high is None or self.asked[high].high <= bound)


def of_pair(pair, width=Fraction(0)):
    """delta(eps) of an exact pair, enclosed to 200 bits of e^eps, and made wider by a share of itself."""

    def value(eps):
        low, high, scale = pair.delta(eps).bounds(200)
        low, high = max(Fraction(int(low), int(scale)), Fraction(0)), Fraction(int(high), int(scale))
        return Interval(low * (1 - width), high * (1 + width))

    return Curve(value)


def of(pair, digits=36):
    return Curve(lambda eps: refine(lambda bits: pair.divergence(eps, bits), digits))


def at_least(eps, power):
    """Whether eps >= log(power), for a rational eps."""
    return Eps.of(eps) >= Eps.log(power)


@st.composite
def pairs(draw):
    weights = st.lists(st.integers(0, 60), min_size=2, max_size=7).filter(any)
    p, q = draw(weights), draw(weights)
    size = max(len(p), len(q))
    p, q = p + [0] * (size - len(p)), q + [0] * (size - len(q))
    return Pair([fmpz(w * sum(q)) for w in p], [fmpz(w * sum(p)) for w in q], fmpz(sum(p) * sum(q)))


bounds = st.fractions(0, 1, max_denominator=997)


@some_curves
@given(pairs(), bounds)
def test_the_bracket_holds_the_exact_root(pair, bound):
    power = pair.epsilon_power(bound)
    curve = of_pair(pair)
    low, high = smallest_eps(curve, bound)
    assert curve.decided(low, high, bound) and len(curve.asked) < 40
    if power is None:
        assert (low, high) == (MAX_EPS, None)
        return
    exact = Fraction(int(power.p), int(power.q))
    if high is None:  # only where delta stays at the bound from the root on, so that nothing is ever below
        assert pair.delta(Eps.of(MAX_EPS)).minus(bound).sign() == 0 and not at_least(low, exact)
        return
    assert at_least(high, exact) and (low == 0 or not at_least(low, exact))
    if high:
        assert (high - low) * 10**30 <= high or low == 0 or curve_is_flat(pair, low, bound)


def curve_is_flat(pair, low, bound):
    """Whether delta just left of the root is so close to the bound that 200 bits do not tell them apart."""
    return pair.delta(Eps.of(low * (1 + Fraction(1, 10**29)))).minus(bound).bounds(200)[0] <= 0


@some_curves
@given(pairs(), bounds, st.sampled_from([Fraction(1, 10**20), Fraction(1, 10**6), Fraction(1, 10)]))
def test_wide_enclosures_give_wide_brackets_and_never_wrong_ones(pair, bound, width):
    power = pair.epsilon_power(bound)
    curve = of_pair(pair, width)
    low, high = smallest_eps(curve, bound)
    assert curve.decided(low, high, bound) and len(curve.asked) < 60
    if power is None:
        assert high is None
    else:
        exact = Fraction(int(power.p), int(power.q))
        assert low == 0 or not at_least(low, exact)
        assert high is None or at_least(high, exact)


@some_curves
@given(
    st.lists(st.tuples(st.fractions(0, 20, max_denominator=9), st.fractions(0, 1, max_denominator=9)), max_size=5),
    bounds,
)
def test_any_falling_staircase(steps, bound):
    heights = sorted((at, height / 20) for at, height in steps)

    def value(eps):
        passed = [height for at, height in heights if at <= eps.exponent]
        exact = min([Fraction(1), *passed])
        return Interval(exact, exact)

    curve = Curve(value)
    low, high = smallest_eps(curve, bound)
    assert curve.decided(low, high, bound)
    enough = [at for at, height in heights if height <= bound] + [Fraction(0)] * (bound == 1)
    if not enough:
        assert (low, high) == (MAX_EPS, None)
    else:
        assert low <= min(enough) <= high and (high == 0 or low < min(enough))
        assert high - low <= Fraction(1, 10**20)


# Noise laws --------------------------------------------------------------------------------------------------------

UP = SumPair((Binomial(500, HALF),), (Binomial(500, HALF),), 1)


@pytest.mark.parametrize(
    ("pair", "bound"),
    [
        (ShiftedNoise(Binomial(1000, HALF)), "1e-6"),
        (ShiftedNoise(Binomial(10**6, Fraction(1, 3))), "1e-300"),
        (ShiftedNoise(Binomial(10**12, HALF)), "1e-9"),
        (ShiftedNoise(Poisson(10**9)), "1e-10"),
        (ShiftedNoise(Poisson("1e-9")), "0.5"),
        (ShiftedNoise(NegativeBinomial(3, HALF)), "1e-12"),
        (ShiftedNoise(NegativeBinomial(HALF, HALF)), "0.4"),
        (ShiftedNoise(NegativeBinomial(HALF, HALF)), "0.41421356237309504880"),
        (ShiftedNoise(DiscreteLaplace("0.999"), 3), "1e-5"),
        (Product(UP, Reversed(UP)), "1e-6"),
    ],
)
@pytest.mark.sampled(3)
def test_noise_laws_to_30_digits_with_few_evaluations(pair, bound):
    curve = of(pair)
    low, high = smallest_eps(curve, Fraction(bound))
    assert curve.decided(low, high, Fraction(bound)) and 0 < (high - low) * 10**30 <= high
    assert len(curve.asked) < 32


@pytest.mark.parametrize("p", [Fraction(1, 10), HALF, Fraction(999, 1000)])
def test_geometric_noise_in_closed_form(p):
    # delta = 1 - e^eps p until log(1/p): the smallest eps for a bound is log((1 - bound) / p)
    for bound in (Fraction(0), (1 - p) / 2, (1 - p) * Fraction(999, 1000), Fraction(1, 10**25)):
        curve = of(ShiftedNoise(geometric(p)))
        low, high = smallest_eps(curve, bound)
        exact = (1 - bound) / p
        assert not at_least(low, exact) and at_least(high, exact) and (high - low) * 10**25 <= high
        assert curve.decided(low, high, bound) and len(curve.asked) < 40


def test_bound_1_and_delta_at_0():
    assert smallest_eps(of(ShiftedNoise(Binomial(10, HALF))), Fraction(1)) == (0, 0)
    # delta(0) = C(10, 5) / 2^10 = 63/256 exactly: above is enough at once, the equality itself is never decided
    assert smallest_eps(of(ShiftedNoise(Binomial(10, HALF))), Fraction(63, 256) + Fraction(1, 10**30)) == (0, 0)
    curve = of(ShiftedNoise(Binomial(10, HALF)))
    low, high = smallest_eps(curve, Fraction(63, 256))
    assert low == 0 < high < Fraction(1, 10**30) and curve.decided(low, high, Fraction(63, 256))
    assert len(curve.asked) < 40
    low, high = smallest_eps(of(ShiftedNoise(Binomial(10, HALF))), Fraction(63, 256) - Fraction(1, 10**25))
    assert 0 < low < high < Fraction(1, 10**23)


def test_infinite_eps():
    # the last point of P is no point of Q, and has 2^-10
    for bound in (Fraction(0), HALF**10 - Fraction(1, 10**9)):
        assert smallest_eps(of(ShiftedNoise(Binomial(10, HALF))), bound) == (MAX_EPS, None)
    low, high = smallest_eps(
        of(ShiftedNoise(Binomial(10, HALF))), HALF**10
    )  # enough from log(10) on, but never decided
    assert high is None and not at_least(low, Fraction(10))


def test_a_curve_that_vanishes_flatly_is_still_bracketed():
    curve = of(ShiftedNoise(NegativeBinomial(3, HALF)))  # about exp(-c / (log 2 - eps)), below 2^-400000 before it is 0
    low, high = smallest_eps(curve, Fraction(0))
    assert curve.decided(low, high, Fraction(0)) and not at_least(low, Fraction(2))
    assert at_least(high, Fraction(2)) and high - low < Fraction(1, 10**4)


def test_a_curve_that_raises_is_not_answered():
    def value(eps):
        raise Undecided("no answer")

    with pytest.raises(Undecided):
        smallest_eps(value, HALF)
