"""log(1 - p) was taken of a ball around p: for p = 1 - 10^-300 a logarithm of 0, and a traceback."""

from fractions import Fraction

from shufflecert.verify.enclose.interval import refine
from shufflecert.verify.enclose.noise_laws import Binomial, NegativeBinomial
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from tests.helpers import asked


def test_all_but_one_of_five_noise_messages_miss():
    q = Fraction(1, 10**300)  # X = 5 up to about 5 q, so X + 1 = 6 is told apart: delta = p^5 for every eps
    exact = (1 - q) ** 5
    low, high = ShiftedNoise(Binomial(5, 1 - q)).divergence(Eps.of(1), 128)
    assert low <= exact <= high and high - low < Fraction(1, 10**36)


def test_a_negative_binomial_with_p_next_to_one():
    q = Fraction(1, 10**300)
    exact = q**2  # X against X + 1 at a large eps: Pr[X = 0] = (1 - p)^r
    found = refine(lambda bits: ShiftedNoise(NegativeBinomial(2, 1 - q), -1).divergence(Eps.of(10), bits))
    assert found.low <= exact <= found.high and found.relative_width < Fraction(1, 10**30)


def test_no_delta_is_shown_above_one(capsys):
    """Noise of variance 1/1000 is 0 but for 10^-200: the upper end was rounded out to 1 + 10^-29."""
    answer = asked(capsys, "delta", "discrete_gaussian", "-p", "variance=1e-3", "--n", 100, "--eps", "1/2")
    assert Fraction(answer["delta"]["lower"]) > 1 - Fraction(1, 10**25) and answer["delta"]["upper"] == "1"
