"""The error of zsum, hist, blanket_sum, r_gap: against enumeration of the randomizer, and sums at 60 digits."""

from collections import Counter
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement
from math import comb

import pytest
from mpmath import mp, mpf, workdps

from shufflecert.protocols.blanket_sum import BlanketSum
from shufflecert.protocols.hist import Hist
from shufflecert.protocols.r_gap import RGap
from shufflecert.protocols.r_infinity import RInfinity
from shufflecert.protocols.zsum import ZSum, worst_square
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from tests.helpers import call
from tests.reference import real

ZERO, ONE = Fraction(0), Fraction(1)
ALPHAS = [Fraction(a) for a in ("0", "1/10", "1/3", "1/2", "3/4", "1", "2")]
TIGHT = Fraction(1, 10**28)


def holds(enclosure, value, width=TIGHT):
    """`value` is enclosed, by no more than a relative width."""
    return enclosure.low <= value <= enclosure.high and enclosure.relative_width <= width


def holds_root(enclosure, square):
    return enclosure.low**2 <= square <= enclosure.high**2 and enclosure.relative_width <= TIGHT


def convolve(*laws):
    """Law of a sum of independent integers."""

    def plus(law, other):
        total = {}
        for x, v in law.items():
            for y, w in other.items():
                total[x + y] = total.get(x + y, ZERO) + v * w
        return total

    return reduce(plus, laws, {0: ONE})


def error_law(system, rows, data, message, truth):
    """{error: Pr} of analyze() for users with these inputs; rows[x] is the law of how many `message`s x sends."""
    n, law = len(data), {}
    for count, w in convolve(*(rows[x] for x in data)).items():
        error = system.analyze({message: count} if count else {}, n) - truth
        law[error] = law.get(error, ZERO) + w
    return law


def square(law):
    return sum(e**2 * w for e, w in law.items())


def miss(law, alpha):
    return sum((w for e, w in law.items() if abs(e) > alpha), ZERO)


# zsum --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", ["0", "1/3", "1/2", "9/10", "99/100", "1"])
@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_zsum_over_all_datasets(n, p):
    p = Fraction(p)
    system, rows = ZSum(p), {0: {0: 1 - p, 1: p}, 1: {1: 1 - p, 2: p}}
    laws = [error_law(system, rows, [1] * s + [0] * (n - s), "1", Fraction(s, n)) for s in range(n + 1)]
    for alpha in ALPHAS:
        found = system.accuracy(n, alpha)
        assert holds_root(found.rmse, max(map(square, laws)))
        assert holds(found.failure_probability, max(miss(law, alpha) for law in laws))
        assert holds(found.expected_messages, 1 + p) and found.bits_per_message == 1
    assert system.accuracy(n, None).failure_probability is None


def test_zsum_at_a_billion_users():
    """The worst s beats its neighbours by the definition."""
    n, p = 10**9, Fraction("0.99999")
    found, (s,) = worst_square(n, p)

    def by_definition(s):
        """E error^2 = (s/n)^2 Pr[Z >= s] + sum_{k < s} (k/n - q)^2 Pr[Z = k], from 40 standard deviations below s."""
        q = mpf("0.00001")
        log_weight = mp.loggamma(n + 1) - mp.loggamma(s) - mp.loggamma(n - s + 2)
        weight = mp.exp(log_weight + (s - 1) * mp.log(q) + (n - s + 1) * mp.log(1 - q))
        total = below = mpf(0)
        for k in range(s - 1, s - 4000, -1):
            total += (mpf(k) / n - q) ** 2 * weight
            below += weight
            weight = weight * k * (1 - q) / ((n - k + 1) * q)
        return total + mpf(s) ** 2 / n**2 * (1 - below)

    with workdps(40):
        values = {t: by_definition(t) for t in (s - 1, s, s + 1)}
        assert max(values, key=values.get) == s
        middle = real(found.low)
        assert abs(middle - values[s]) < mpf(10) ** -25 * values[s]


def test_zsum_where_the_probability_has_millions_of_digits():
    found = ZSum(Fraction("0.9999")).accuracy(10**11, Fraction(1, 2)).failure_probability
    assert found.low == 0 < found.high < Fraction(1, 10**1000)


@pytest.mark.parametrize(("eps", "delta"), [("1", "1e-6"), ("1/2", "1/100"), ("log(5/2)", "1/3"), ("1", "1")])
def test_zsum_keeps_the_papers_bound(eps, delta):
    """BC Theorem 11(ii), beta = delta^25 and 1/20: alpha = 1 - p + 2 sqrt(p (1 - p) ln(2/beta) / n), rounded up."""
    n = 5000
    p = ZSum.paper(n, Eps.of(eps), Fraction(delta), {})["p"]
    for beta in {Fraction(delta) ** 25, Fraction(1, 20)}:
        if beta < 1:
            with workdps(60):
                spread = mp.sqrt(mpf((p * (1 - p)).numerator) / (p * (1 - p)).denominator * mp.log(mpf(2) / beta) / n)
                alpha = 1 - p + 2 * Fraction(int(spread * 2**150) + 1, 2**150)
            assert ZSum(p).accuracy(n, alpha).failure_probability.high <= beta


# hist --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("p", ["0", "1/3", "9/10", "1"])
@pytest.mark.parametrize(("n", "d"), [(1, 2), (3, 2), (4, 3), (7, 3), (6, 4)])
def test_hist_over_all_datasets(n, d, p):
    """The bins are independent given the data: Pr[some bin errs] = 1 - prod over bins of Pr[it does not]."""
    p = Fraction(p)
    system, noise = Hist(d, p), convolve(*([{0: 1 - p, 1: p}] * n))
    one = ZSum(p)
    laws = []
    for c in range(n + 1):
        laws.append({})
        for b, w in noise.items():
            error = one.analyze({"1": c + b}, n) - Fraction(c, n)
            laws[c][error] = laws[c].get(error, ZERO) + w
    for alpha in ALPHAS:
        single = [miss(law, alpha) for law in laws]
        worst = ZERO
        for data in combinations_with_replacement(range(d), n):
            kept = ONE
            for j in range(d):
                kept *= 1 - single[data.count(j)]
            worst = max(worst, 1 - kept)
        found = system.accuracy(n, alpha)
        assert holds_root(found.rmse, max(map(square, laws)))
        assert holds(found.failure_probability, worst, TIGHT if alpha >= 1 - p else ONE)
        assert holds(found.expected_messages, 1 + d * p) and found.bits_per_message == (d - 1).bit_length()


def test_hist_estimates_every_bin_as_zsum_does():
    counts = {"1": 9, "3": 5}
    assert Hist(3, Fraction(1, 2)).analyze(counts, 6) == (1, 0, 0)
    assert ZSum(Fraction(1, 2)).analyze({"1": 9}, 6) == 1


def test_hist_with_more_users_than_the_bins_need():
    """For alpha >= 1 - p they meet: three bins of 301, 301 and 398 users, with g(c) = Pr[Z >= c]."""
    n, p, alpha = 1000, Fraction(3, 4), Fraction(3, 10)
    tail = sum(comb(n, z) * (1 - p) ** z * p ** (n - z) for z in range(301, n + 1))
    last = sum(comb(n, z) * (1 - p) ** z * p ** (n - z) for z in range(398, n + 1))
    assert holds(Hist(3, p).accuracy(n, alpha).failure_probability, 1 - (1 - tail) ** 2 * (1 - last))


# blanket_sum -------------------------------------------------------------------------------------------------------


def rounded(k, gamma, x):
    """The law of a message of a user with the real x."""
    j = min(k - 1, int(k * x))
    law = dict.fromkeys(range(k + 1), gamma / (k + 1))
    law[j] += (1 - gamma) * (1 - (k * x - j))
    law[j + 1] += (1 - gamma) * (k * x - j)
    return law


@pytest.mark.parametrize("gamma", ["0", "1/10", "1/2", "9/10"])
@pytest.mark.parametrize("k", [1, 2, 3])
@pytest.mark.sampled(3)
def test_blanket_sum_over_datasets_of_a_fine_grid(k, gamma):
    gamma = Fraction(gamma)
    system = BlanketSum(k, gamma)
    worst, f = system.worst_variance()
    grid = {*(Fraction(i, 60) for i in range(61)), f / k}
    variances = {}
    for x in grid:
        law = rounded(k, gamma, x)
        mean = sum(Fraction(y, k) * w for y, w in law.items())
        assert mean == (1 - gamma) * x + gamma / 2
        variances[x] = sum((Fraction(y, k) - mean) ** 2 * w for y, w in law.items())
    assert max(variances.values()) == variances[f / k] == worst
    few = sorted({ZERO, Fraction(1, 2 * k), Fraction(1, 2), ONE, f / k})
    for n in (1, 2, 3):
        assert holds_root(system.accuracy(n, None).rmse, worst / (n * (1 - gamma) ** 2))
        for alpha in ALPHAS:
            found, misses = system.accuracy(n, alpha).failure_probability, []
            for data in combinations_with_replacement(few, n):
                total = convolve(*(rounded(k, gamma, x) for x in data))
                errors = {system.analyze({str(s): 1}, n) - sum(data) / n: w for s, w in total.items()}
                misses.append(miss(errors, alpha))
            assert found.low <= max(misses) <= found.high
            at_worst = convolve(*[rounded(k, gamma, f / k)] * n)
            errors = {system.analyze({str(s): 1}, n) - f / k: w for s, w in at_worst.items()}
            assert 0 <= miss(errors, alpha) - found.low < Fraction(1, 2**100)


def test_blanket_sum_between_exact_tails():
    """n = 1000, k = 1: all on f, the count of ones is Bin(n, f(1 - gamma) + gamma/2); and no dataset of 0s and 1s, of
    which s ones give Bin(s, 1 - gamma/2) + Bin(n - s, gamma/2), has more than the upper end."""
    n, gamma, alpha = 1000, Fraction(1, 5), Fraction(4, 100)
    system = BlanketSum(1, gamma)
    found = system.accuracy(n, alpha).failure_probability
    _, f = system.worst_variance()
    chance = f * (1 - gamma) + gamma / 2
    centre = n * chance
    weights = [comb(n, c) * chance**c * (1 - chance) ** (n - c) for c in range(n + 1)]
    exact = sum(w for c, w in enumerate(weights) if abs(c - centre) > alpha * (1 - gamma) * n)
    assert 0 <= exact - found.low < Fraction(1, 2**100)
    assert found.low < found.high < 8 * found.low


def test_blanket_sum_by_the_normal_law_where_the_exact_one_is_too_wide():
    """k = 1000, n = 10^8, gamma = 1/2: a standard deviation of 2.9 10^6 messages. The ends are the normal tail less and
    plus twice 0.4748 / sqrt(n v) and 0.56 / sqrt(n w), v the largest variance, w = gamma (1/12 + 1/(6k)) below all."""
    n, gamma, alpha = 10**8, Fraction(1, 2), Fraction(1, 10**4)
    found = BlanketSum(1000, gamma).accuracy(n, alpha)
    with workdps(30):
        low, high, rmse = (
            real(end) for end in (found.failure_probability.low, found.failure_probability.high, found.rmse.low)
        )
        tail = mp.erfc(real(alpha) / rmse / mp.sqrt(2))
        below = 2 * mpf("0.4748") / (rmse * n * (1 - mpf(1) / 2))
        above = 2 * mpf("0.56") / mp.sqrt(n * (mpf(1) / 12 + mpf(1) / 6000) / 2)
        assert abs(low - (tail - below)) < mpf(10) ** -20 and abs(high - (tail + above)) < mpf(10) ** -20


def test_blanket_sum_without_information_is_refused():
    for asked in (lambda s: s.analyze({"0": 2}, 2), lambda s: s.accuracy(2, None)):
        with pytest.raises(BadInput, match=r"^gamma: 1 sends uniform messages: expected gamma < 1"):
            asked(BlanketSum(3, ONE))


# r_gap, r_infinity -------------------------------------------------------------------------------------------------

SLOPED = ("1/5,1/10,1/10,1/5,2/5", "1/2,1/4,0,1/8,1/8")


@pytest.mark.parametrize("weights", [(), SLOPED])
@pytest.mark.parametrize("n", [1, 2, 4])
def test_r_gap_over_all_datasets(n, weights):
    system = RGap(*weights)
    rows = [dict(enumerate(system.weights0)), dict(enumerate(system.weights1))]
    laws = [error_law(system, rows, [1] * m + [0] * (n - m), "1", Fraction(m, n)) for m in range(n + 1)]
    for alpha in ALPHAS:
        found = system.accuracy(n, alpha)
        assert holds_root(found.rmse, max(map(square, laws)))
        assert holds(found.failure_probability, max(miss(law, alpha) for law in laws))
        assert holds(found.expected_messages, 4)


@pytest.mark.parametrize("weights", [(), SLOPED])
@pytest.mark.sampled(2)
def test_r_gap_beyond_enumeration(weights):
    """n = 45, where the ends come from all users on one input and from Chebyshev: all 46 datasets lie between."""
    n, alpha, system = 45, Fraction(1, 3), RGap(*weights)
    rows = [dict(enumerate(system.weights0)), dict(enumerate(system.weights1))]
    powers = [[{0: ONE}], [{0: ONE}]]
    for x in (0, 1):
        for _ in range(n):
            powers[x].append(convolve(powers[x][-1], rows[x]))
    laws = []
    for m in (0, 15, n):
        total = convolve(powers[0][n - m], powers[1][m])
        laws.append(Counter())
        for t, w in total.items():
            laws[-1][system.analyze({"1": t}, n) - Fraction(m, n)] += w
    misses = [miss(law, alpha) for law in laws]
    found = system.accuracy(n, alpha).failure_probability
    assert found.low <= max(misses) <= found.high == min(1, max(map(square, laws)) / alpha**2)
    assert abs(found.low - max(misses[0], misses[-1])) < Fraction(1, 2**100)


def test_r_gap_that_cannot_be_told_apart_is_refused():
    system = RGap("1/4,1/8,1/4,1/8,1/4", "3/8,1/8,0,1/8,3/8")
    assert system.accuracy(3, None).rmse.low > 0
    same = RGap("1/8,3/16,3/8,3/16,1/8", "1/16,7/16,0,7/16,1/16")
    with pytest.raises(BadInput, match="equal means and variances"):
        same.accuracy(3, None)


@pytest.mark.parametrize(
    "system", [ZSum(Fraction(1, 2)), Hist(3, Fraction(1, 2)), BlanketSum(2, Fraction(1, 2)), RGap()]
)
def test_every_error_exceeds_a_negative_alpha(system):
    assert holds(system.accuracy(50, Fraction(-1, 50)).failure_probability, 1)


def test_r_infinity_estimates_nothing():
    with pytest.raises(BadInput, match=r"^r_infinity: the shuffled messages tell nothing of the data: expected"):
        RInfinity().accuracy(3, None)


# The command -------------------------------------------------------------------------------------------------------


def test_the_command_says_what_fails(capsys):
    status, out, _ = call(capsys, "accuracy", "zsum", "-p", "p=1/2", "--n", "4", "--alpha", "1/4")
    assert status == 0 and "  Pr[|error| > 0.25] = [0.749999999999, 0.750000000001]\n" in out  # Z >= 2 or Z < 1
    status, out, _ = call(capsys, "accuracy", "pointer_chasing", "-p", "k=2", "-p", "l=3", "-p", "p=1", "--n", "4")
    assert status == 0 and "  Pr[failure] = [0.124999999999, 0.125000000001]\n" in out  # all hold one value
    assert "error of the answer (1 where it is wrong, 0 where it is right)" in out
    status, out, err = call(capsys, "accuracy", "r_infinity", "--n", "4")
    assert status == 2 and err.startswith("shufflecert: r_infinity: ")
