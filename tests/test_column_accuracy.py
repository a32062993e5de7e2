"""The error of a column's estimate, against the law of the count enumerated for every number of users on the value."""

from fractions import Fraction
from math import isqrt

import mpmath
import pytest

from shufflecert.protocols.fragmented_rappor import FragmentedRAPPOR
from shufflecert.protocols.rr import RR
from shufflecert.protocols.shared.column_accuracy import MAX_SWEPT, Column, column_accuracy
from shufflecert.verify.errors import BadInput
from tests.reference import binomial, real

SOME = [
    (Fraction(3, 4), Fraction(1, 4), 0),
    (Fraction(3, 4), Fraction(1, 4), 5),
    (Fraction(9, 10), Fraction(1, 5), 0),
    (Fraction(3, 5), Fraction(1, 50), 3),
    (Fraction(1), Fraction(1, 3), 0),
    (Fraction(1, 2), Fraction(0), 2),
    (Fraction(1), Fraction(0), 4),
]


def law_of_error(n, a, b, extra, s):
    """{estimate - s / n: probability}: the convolution of three binomials, term by term."""
    law = {}
    for i, p in binomial(s, a).items():
        for j, q in binomial(n - s, b).items():
            for k, r in binomial(extra, b).items():
                estimate = (Fraction(i + j + k, n) - b * Fraction(n + extra, n)) / (a - b)
                error = estimate - Fraction(s, n)
                law[error] = law.get(error, 0) + p * q * r
    return law


@pytest.mark.parametrize(("a", "b", "extra"), SOME)
@pytest.mark.parametrize("n", [1, 2, 5, 8])
def test_all_datasets_are_covered(n, a, b, extra):
    laws = [law_of_error(n, a, b, extra, s) for s in range(n + 1)]
    assert all(sum(e * p for e, p in law.items()) == 0 for law in laws)  # unbiased
    square = max(sum(e * e * p for e, p in law.items()) for law in laws)
    for alpha in (Fraction(0), Fraction(1, 10), Fraction(1, 4), Fraction(1, 2), Fraction(2), Fraction(100)):
        found = column_accuracy(Column(n, a, b, extra), alpha, "a share", 3, 7)
        low, high = found.rmse.low, found.rmse.high
        assert low * low <= square <= high * high and high - low <= high / 10**25
        fails = max(sum(p for e, p in law.items() if abs(e) > alpha) for law in laws)
        failure = found.failure_probability
        assert failure.low <= fails <= failure.high and failure.high - failure.low <= fails / 10**25
        assert (found.expected_messages.low, found.bits_per_message, found.error_of) == (3, 7, "a share")


@pytest.mark.parametrize(("a", "b", "extra"), SOME)
def test_the_tail_bound_holds_for_every_dataset(a, b, extra):
    """`chernoff` serves beyond 2000 users; here where every dataset can be enumerated."""
    n, column = 8, Column(8, a, b, extra)
    for radius in (Fraction(1, 3), Fraction(1), Fraction(5, 2), Fraction(4), Fraction(50)):
        bound = column.chernoff(radius)
        for s in range(n + 1):
            law = law_of_error(n, a, b, extra, s)
            assert sum(p for e, p in law.items() if abs(e) * n * (a - b) > radius) <= bound <= 1


def test_the_tail_bound_is_that_of_the_best_exponent():
    """min over t of (1 + p (e^t - 1))^n e^(-t (n p + r)) = e^(-n KL(p + r/n, p)) for one binomial, both tails."""
    n, f, r = 1000, Fraction(1, 4), 60
    bound = Column(n, 1 - f, f).chernoff(Fraction(r))

    def divergence(x, p):
        return x * mpmath.log(x / p) + (1 - x) * mpmath.log((1 - x) / (1 - p))

    with mpmath.workdps(40):
        p, shift = mpmath.mpf(1) / 4, mpmath.mpf(r) / n
        up, down = (mpmath.exp(-n * divergence(p + sign * shift, p)) for sign in (1, -1))
        exact = 2 * max(up, down)  # s = 0 and s = n mirror each other, and each tail takes the worse of them
        assert abs(real(bound) / exact - 1) < mpmath.mpf(10) ** -12


def test_beyond_the_sweep_the_ends_hold_every_dataset_tried():
    n, f, alpha = MAX_SWEPT + 1, Fraction(1, 5), Fraction(1, 20)
    column = Column(n, 1 - f, f)
    found, swept = column.worst_miss(alpha * n * (1 - 2 * f))
    assert not swept and 0 < found.low < found.high < 20 * found.low
    for s in (0, 1, 500, n // 2, n):
        # Bin(n, f) and its mirror image have one spread, so by normal approximation all s miss about equally often
        miss = column.miss(s, alpha * n * (1 - 2 * f))
        assert found.low / 2 < miss.high <= found.high


def test_systems_that_use_it():
    found = RR("1/4").accuracy(12, Fraction(1, 3))
    exact = max(
        sum(p for e, p in law_of_error(12, Fraction(3, 4), Fraction(1, 4), 0, s).items() if abs(e) > Fraction(1, 3))
        for s in range(13)
    )
    assert found.failure_probability.low <= exact <= found.failure_probability.high
    assert found.rmse.low**2 <= Fraction(3, 16) / 12 * 4 <= found.rmse.high**2
    assert (found.expected_messages.low, found.bits_per_message) == (1, 1)
    rappor = FragmentedRAPPOR(d="5", flip="1/4").accuracy(12, Fraction(1, 3))
    assert rappor.failure_probability == found.failure_probability and rappor.rmse == found.rmse
    assert (rappor.expected_messages.low, rappor.bits_per_message) == (5, 4)
    assert RR("1/4").accuracy(12, None).failure_probability is None


def test_a_million_users():
    """The rmse is sqrt(f (1 - f) / n) / (1 - 2 f), here sqrt(21) / 4000."""
    found = RR("3/10").accuracy(10**6, Fraction(1, 100))
    root = Fraction(isqrt(21 * 10**60), 4000 * 10**30)
    assert abs(found.rmse.low - root) < Fraction(1, 10**28)
    assert 0 < found.failure_probability.low <= found.failure_probability.high < 1
    assert "Chernoff" in found.datasets


@pytest.mark.parametrize(
    ("flip", "alpha", "message"),
    [
        ("1/2", Fraction(1, 10), "every bit is 1 with probability 1/2: "),
        ("1/4", Fraction(-1, 10), "alpha: -1/10: expected a rational of at least 0"),
    ],
)
def test_bad_input_is_one_line(flip, alpha, message):
    with pytest.raises(BadInput) as refused:
        RR(flip).accuracy(5, alpha)
    assert str(refused.value).startswith(message) and "\n" not in str(refused.value)
