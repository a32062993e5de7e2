"""E max over buckets |error|, in users: against enumeration of the shuffled messages, and sums at 40 digits."""

from collections import Counter
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, product
from math import comb, exp, fsum

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf, workdps

from shufflecert.protocols.hist import Hist
from shufflecert.protocols.shared.column_accuracy import Column
from shufflecert.protocols.shared.column_maximum import balanced_bound, columns_maximum, deviation, union_bound
from shufflecert.protocols.zsum import ZSum, worst_deviation
from shufflecert.protocols.zsum import deviation as expected_error
from shufflecert.verify.enclose.noise_laws import Binomial, Poisson
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import dyadic, precision
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.largest_error import Errors, expected_maximum
from tests import oracle
from tests.helpers import few
from tests.reference import real
from tests.test_maximum import encloses, maximum_of

ZERO = Fraction(0)


# Every dataset, from the messages ----------------------------------------------------------------------------------


def fake_users(d, k, flip):
    """A noisy one-hot string and k noisy zero strings, in any order of theirs."""
    real_rows = oracle.rappor(d, flip)
    zero = {
        (bits,): flip ** bits.count("1") * (1 - flip) ** bits.count("0")
        for bits in map("".join, product("01", repeat=d))
    }
    return {
        x: {one + other: p * q for (one, p), (other, q) in product(row.items(), zero.items())}
        for x, row in real_rows.items()
        if k == 1
    }


def expected_errors(system, rows, n, in_users):
    """{dataset: E max over its estimates of |estimate - truth|}, with the analyzer of the system on every outcome."""
    found, inputs = {}, sorted(rows)
    for dataset in combinations_with_replacement(inputs, n):
        total = ZERO
        for outcome, p in oracle.convolved_law(rows, dataset).items():
            estimate = system.analyze(Counter(outcome), n)
            if isinstance(estimate, tuple):
                errors = [abs(e * in_users - dataset.count(x)) for e, x in zip(estimate, inputs, strict=True)]
            else:
                errors = [abs(estimate * in_users - sum(map(int, dataset)))]
            total += p * max(errors)
        found[dataset] = total
    return found


F = Fraction
EXACT = [
    *(("zsum", {"p": p}, oracle.zsum(p), n) for p in (F(0), F(1, 3), F(9, 10), F(1)) for n in (1, 4, 6)),
    *(("rr", {"flip": f}, oracle.rr(f), n) for f in (F(0), F(1, 10), F(2, 5)) for n in (1, 5, 8)),
    *(("krr", {"k": 2, "gamma": g}, oracle.krr(2, g), 5) for g in (F(1, 5), F(9, 10))),
]
BETWEEN = [
    *(("krr", {"k": k, "gamma": g}, oracle.krr(k, g), n) for g in (F(1, 5), F(9, 10)) for k, n in ((3, 6), (4, 4))),
    *(("hist", {"d": d, "p": p}, oracle.hist(d, p), n) for p in (F(1, 3), F(9, 10)) for d, n in ((2, 5), (3, 4))),
    *(("rappor", {"d": d, "flip": f}, oracle.rappor(d, f), 3) for f in (F(1, 10), F(2, 5)) for d in (2, 3)),
    *(("fragmented_rappor", {"d": 3, "flip": f}, oracle.fragmented_rappor(3, f), 4) for f in (F(1, 10), F(2, 5))),
    *(("fake_users", {"d": 2, "k": 1, "flip": f}, fake_users(2, 1, f), 3) for f in (F(1, 10), F(2, 5))),
]


def made(name, parameters):
    return catalogue.make(name, {key: str(value) for key, value in parameters.items()})


@pytest.mark.parametrize(("name", "parameters", "rows", "n"), EXACT)
def test_one_estimate_over_all_datasets(name, parameters, rows, n):
    system = made(name, parameters)
    users = system.accuracy(n, None).users
    worst = max(expected_errors(system, rows, n, users).values())
    found = system.simultaneous(n)
    assert found.low <= worst <= found.high and found.high - found.low <= worst / 10**25


@pytest.mark.parametrize(("name", "parameters", "rows", "n"), BETWEEN)
@pytest.mark.sampled(4)
def test_several_estimates_over_all_datasets(name, parameters, rows, n):
    """The lower end is a real dataset's, or below one; no dataset has more than the upper end."""
    system = made(name, parameters)
    every = expected_errors(system, rows, n, system.accuracy(n, None).users)
    worst, all_on_one = max(every.values()), max(every[(x,) * n] for x in rows)
    found = system.simultaneous(n)
    assert found.low <= worst <= found.high <= 2 * worst
    if name in ("rappor", "fragmented_rappor", "fake_users"):
        assert found.low <= all_on_one <= found.low * (1 + F(1, 10**15))


@pytest.mark.parametrize("n", [1, 7])
def test_without_noise_nothing_errs(n):
    for name, parameters in (
        ("hist", {"d": 3, "p": 1}),
        ("rappor", {"d": 3, "flip": 0}),
        ("krr", {"k": 3, "gamma": 0}),
    ):
        assert made(name, parameters).simultaneous(n).high == 0
    assert made("hist", {"d": 3, "p": 0}).simultaneous(n).low == n  # no bin's count ever exceeds 1


@pytest.mark.parametrize(("name", "parameters"), [("krr", {"k": 3, "gamma": 1}), ("rappor", {"d": 3, "flip": "1/2"})])
def test_without_information_there_is_no_estimate(name, parameters):
    with pytest.raises(BadInput, match=r"^every bit is 1 with probability .*: expected noise that leaves a trace$"):
        made(name, parameters).simultaneous(9)


# What systems serve, and in which unit -----------------------------------------------------------------------------


SUMS = {"zsum", "rr", "krr", "poisson", "negative_binomial", "discrete_laplace", "correlated"}
# Of these tests/test_likelihood_orbits.py has the accuracy.
LOCAL = {"count_mean_sketch", "hadamard_response", "olh", "subset_selection", "unary_encoding"}
HISTOGRAMS = {"hist", "krr", "rappor", "fragmented_rappor", "fake_users", "poisson_hist", "correlated_hist"}


def test_the_tasks():
    systems = {name: catalogue.system_class(name) for name in catalogue.names()}
    assert {name for name, system in systems.items() if system.serves("sum", None) is not None} == SUMS
    assert {name for name, system in systems.items() if system.serves("histogram", 7)} == HISTOGRAMS | LOCAL
    twin = {"symmetric_rappor"}  # the sums of fragmented_rappor, which stands for both where systems are compared
    offered = {name for name, system in systems.items() if system.offers("simultaneous")}
    assert offered == SUMS | HISTOGRAMS | twin | {"unary_encoding"}
    assert not any(system.serves("median", 7) for system in systems.values())
    assert systems["krr"].serves("sum", None) == {"k": "2"} and systems["krr"].serves("histogram", 7) == {"k": "7"}
    for name in HISTOGRAMS:
        assert set(systems[name].serves("histogram", 7).values()) == {"7"}


@pytest.mark.parametrize("n", [10, 10_000])
def test_every_rmse_in_users(n):
    """Fractions of users come times n: `rr` estimates a fraction of variance f (1 - f) / (n (1 - 2 f)^2)."""
    found = made("rr", {"flip": "1/4"}).accuracy(n, None)
    assert found.users == n and found.rmse_in_users.low**2 <= F(3, 4) * n <= found.rmse_in_users.high**2
    assert made("poisson", {"lam": "9"}).accuracy(n, None).rmse_in_users.low == 3
    assert made("poisson_hist", {"buckets": 4, "lam": "9"}).accuracy(n, None).rmse_in_users.low == 3
    for name, parameters in (("zsum", {"p": "1/2"}), ("hist", {"d": 3, "p": "1/2"}), ("krr", {"k": 3, "gamma": "1/2"})):
        assert made(name, parameters).accuracy(n, None).users == n
    problem = made("pointer_chasing", {"k": 2, "l": 8, "p": "0.99"}).accuracy(n, None)
    assert problem.users is None and problem.rmse_in_users is None


# zsum and hist: the analyzer that truncates ------------------------------------------------------------------------


def test_the_worst_number_of_ones_at_a_billion_users():
    """By the definition, s Pr[Z >= s] + sum_{k < s} |k - m| Pr[Z = k] with m = 36; for all s below 200."""
    n, q = 10**9, F(36, 10**9)
    with workdps(40):
        chance, weights = real(q), []
        for k in range(400):
            weights.append(mp.exp(mp.log(mp.binomial(n, k)) + k * mp.log(chance) + (n - k) * mp.log(1 - chance)))
        values = [
            s * sum(weights[s:]) + sum(abs(k - n * chance) * w for k, w in enumerate(weights[:s])) for s in range(200)
        ]
        assert encloses(worst_deviation(n, 1 - q), max(values), mpf(10) ** -25)
        for s in (1, 30, 36, 37, 38, 80):
            with precision(200):
                ball = expected_error(n, 1 - q, s)
                assert abs(real(dyadic(ball.mid())) - values[s]) < mpf(10) ** -25


def test_hist_of_a_million_bins_at_a_billion_users():
    """An ordinary dataset, 10^4 users in each of 10^5 bins, has the maximum of 10^5 binomial errors: no truncation."""
    n, q = 10**9, F(36, 10**9)
    found = Hist(10**6, 1 - q).simultaneous(n)
    ordinary = expected_maximum([Errors.of(Binomial(n, q), 10**5)])
    assert ordinary.high < found.low < found.high < found.low * F(11, 10)
    assert Hist(2, 1 - q).simultaneous(n).low >= ZSum(1 - q).simultaneous(n).low * (1 - F(1, 10**6))


# Columns -----------------------------------------------------------------------------------------------------------


def column_law(n, fakes, a, b, s):
    """Of the count, in doubles."""

    def law(trials, p):
        return np.array([comb(trials, k) * p**k * (1 - p) ** (trials - k) for k in range(trials + 1)], dtype=float)

    return reduce(np.convolve, [law(s, a), law(n - s, b), law(fakes, b)])


@pytest.mark.parametrize("f", ["1/100", "1/10", "1/4", "49/100"])
@pytest.mark.sampled(4)
def test_one_balanced_column_of_220_users(f):
    """`balanced_bound` is above every s, by about a fifth of 1 / variance; `deviation` is that of the law."""
    n, f = 220, F(f)
    column, values = Column(n, 1 - f, f), []
    for s in range(n + 1):
        law = column_law(n, 0, float(1 - f), float(f), s)
        values.append(fsum(abs(k - float(column.mean(s))) * w for k, w in enumerate(law)))
    worst, bound = max(values), float(balanced_bound(n, f))
    assert worst * (1 - 1e-9) <= bound <= worst * (1 + 0.002 + 0.3 / float(column.worst_square()))
    for s in (0, 1, 77, 110, n):
        assert encloses(deviation(column, s), values[s], 1e-10)
    found = columns_maximum(column, 1, independent=True)
    scale = float(column.a - column.b)
    assert float(found.low) * scale <= worst * (1 + 1e-9) and worst * (1 - 1e-9) <= float(found.high) * scale


@pytest.mark.parametrize(
    ("a", "b", "fakes"), [(F(9, 10), F(1, 10), 0), (F(4, 5), F(1, 20), 0), (F(1), F(1, 5), 0), (F(9, 10), F(1, 10), 12)]
)
@pytest.mark.parametrize("columns", [2, 3])
@pytest.mark.sampled(2)
def test_independent_columns_of_18_users_over_all_datasets(columns, a, b, fakes):
    n, column = 18, Column(18, a, b, fakes)
    laws = [column_law(n, fakes, float(a), float(b), s) for s in range(n + 1)]
    errors = [[abs(k - float(column.mean(s))) for k in range(n + fakes + 1)] for s in range(n + 1)]
    grid = np.unique(np.concatenate(errors))
    at_most = [
        np.array([w for _, w in sorted(zip(errors[s], laws[s], strict=True))]).cumsum()[
            np.searchsorted(np.sort(errors[s]), grid, side="right") - 1
        ]
        * (grid >= min(errors[s]))
        for s in range(n + 1)
    ]
    values = {}
    for counts in combinations_with_replacement(range(n + 1), columns - 1):
        if (rest := n - sum(counts)) >= 0:
            cdf = np.prod([at_most[c] for c in (*counts, rest)], axis=0)
            values[(*counts, rest)] = fsum(grid * np.diff(cdf, prepend=0.0))
    worst, all_on_one = max(values.values()), values[(0,) * (columns - 1) + (n,)]
    found, scale = columns_maximum(column, columns, independent=True), float(a - b)
    assert abs(float(found.low) * scale - all_on_one) < 1e-9
    assert worst * (1 - 1e-9) <= float(found.high) * scale <= 1.6 * worst
    assert worst <= float(union_bound(column, columns)) * (1 + 1e-9)


@pytest.mark.parametrize("counts", [(7, 0, 0), (3, 2, 2), (4, 3, 0)])
def test_counts_of_one_multinomial_are_below_the_union_bound_and_above_independent_errors_upwards(counts):
    """`krr` with k = 3, gamma = 1/2 and 7 users, exactly."""
    n, rows = 7, oracle.krr(3, F(1, 2))
    law = oracle.convolved_law(rows, [str(x) for x, c in enumerate(counts) for _ in range(c)])
    column = Column(n, F(2, 3), F(1, 6))
    value = upwards = ZERO
    for outcome, p in law.items():
        errors = [outcome.count(str(x)) - column.mean(c) for x, c in enumerate(counts)]
        value, upwards = value + p * max(map(abs, errors)), upwards + p * max(*errors, ZERO)
    assert upwards < value <= union_bound(column, 3)
    if counts[0] == n:
        parts = [Errors.of(Binomial(n, F(2, 3)), 1).upwards(), Errors.of(Binomial(n, F(1, 6)), 2).upwards()]
        assert expected_maximum(parts).high <= upwards


@pytest.mark.parametrize("n", [10_000, 10**9])
def test_columns_of_many_users_are_nearly_poisson(n):
    """n flip = 36, a million columns: all users on one value are Poisson errors, up to 1 / n, with 1 - 2 flip."""
    f = F(36, n)
    found = columns_maximum(Column(n, 1 - f, f), 10**6, independent=True)
    poisson = expected_maximum([Errors.of(Poisson(F(36)), 10**6)])
    assert abs(found.low / poisson.low - 1) < F(100, n) and found.high < found.low * F(31, 30)


@given(st.integers(1, 12), st.integers(0, 6), st.integers(1, 19), st.integers(0, 18), st.integers(1, 4))
@few
def test_no_dataset_of_few_users_exceeds_the_union_bound(n, fakes, above, below, columns):
    """E max of independent columns, all on one value or spread out, for any a > b."""
    if below >= above:
        above, below = below + 1, above
    column = Column(n, F(above, 20), F(below, 20), fakes)
    bound = float(union_bound(column, columns)) if column.worst_square() else exp(0)
    spread = [n // columns + (j < n % columns) for j in range(columns)]
    for counts in ([n] + [0] * (columns - 1), spread):
        laws = []
        for s in counts:
            weights = column_law(n, fakes, above / 20, below / 20, s)
            laws.append(({k: mpf(w) for k, w in enumerate(weights)}, column.mean(s), 1))
        assert maximum_of(laws) <= bound * (1 + 1e-9)
