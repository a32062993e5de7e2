"""The least noise that keeps a promise, against brute force on small grids and against mpmath on fine ones."""

from fractions import Fraction
from functools import cache
from itertools import product
from math import prod

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf, workdps

from tests import oracle
from tests.helpers import few, randomizers
from verify import kernel
from verify.calibrate.least_noise import Promise, least_noise
from verify.calibrate.tuned_system import USERS, Task, tune
from verify.decide import worst_case
from verify.decide.certify import certify
from verify.errors import BadInput
from verify.exact.epsilon import Eps
from verify.exact.rational import text
from verify.systems.catalogue import defaults, load, names, orders
from verify.systems.noise_order import Grid

F = Fraction
UNIT = F(1, 2**64)


def calibrated(system, fixed, name, promise, step=None, within=None):
    make = lambda value: load(system, {**fixed, name: text(value)})  # noqa: E731
    return least_noise(make, Grid.of(orders(system)[name], name, step, within), promise)


# Whole grids, by brute force -----------------------------------------------------------------------------------------


def fake_users(d, k, flip):
    """The noisy one-hot string of x and k noisy zero strings."""
    flip = F(flip)

    def chance(bits, zeros):
        return prod((flip if b != c else 1 - flip for b, c in zip(bits, zeros, strict=True)), start=F(1))

    strings, rows = list(product((0, 1), repeat=d)), {}
    for x in range(1, d + 1):
        one_hot, row = tuple(int(j == x) for j in range(1, d + 1)), {}
        for sent in product(strings, repeat=k + 1):
            weight = chance(sent[0], one_hot) * prod((chance(s, (0,) * d) for s in sent[1:]), start=F(1))
            if weight:
                row[tuple("".join(map(str, s)) for s in sent)] = weight
        rows[str(x)] = row
    return rows


ROWS = {
    "zsum": lambda p: oracle.zsum(p),
    "rr": lambda flip: oracle.rr(flip),
    "krr": lambda k, gamma: oracle.krr(int(k), gamma),
    "blanket_sum": lambda k, gamma: oracle.krr(int(k) + 1, gamma),  # inputs between grid points are no worse
    "hist": lambda d, p: oracle.hist(int(d), p),
    "rappor": lambda d, flip: oracle.rappor(int(d), flip),
    "fragmented_rappor": lambda d, flip: oracle.fragmented_rappor(int(d), flip),
    "symmetric_rappor": lambda d, flip: oracle.fragmented_rappor(int(d), flip),  # the same sums, seen as a count
    "fake_users": lambda d, k, flip: fake_users(int(d), int(k), flip),
}


@cache
def truth(system, fixed, n, eps):
    """(A, B): the worst delta is A - B e^eps, over all neighbouring datasets and both directions."""
    rows = ROWS[system](**dict(fixed))
    at = Eps.of(eps)
    if at.power is not None:
        return oracle.delta(rows, n, at.power), F(0)
    return oracle.delta_parts(rows, n, at.exponent)


def keeps(system, fixed, n, eps, delta):
    A, B = truth(system, tuple(sorted(fixed.items())), n, eps)
    return delta >= A if B == 0 else oracle.sign_with_exp(A - delta, B, Eps.of(eps).exponent) <= 0


def near(system, fixed, n, eps):
    """The worst delta, or a rational a little above it where it is none."""
    A, B = truth(system, tuple(sorted(fixed.items())), n, eps)
    return A if B == 0 else (A - B * oracle.exp_bounds(Eps.of(eps).exponent, 30)[0]).limit_denominator(10**12)


# system, what is given, what is chosen, the values from the least noise on, number of users, eps
P = [F(32 - i, 32) for i in range(17)]
GRIDS = [
    *(("zsum", {}, "p", P, n, eps) for n in (1, 2, 3, 4) for eps in ("0", "log(11/10)", "log(2)", "1/2")),
    *(("zsum", {}, "p", P[::2], n, eps) for n in (5, 6) for eps in ("log(3/2)", "log(3)")),
    *(("hist", {"d": "2"}, "p", P[::2], n, eps) for n in (1, 2, 3) for eps in ("log(3/2)", "1")),
    ("hist", {"d": "3"}, "p", P[::4], 2, "log(2)"),
    *(("rr", {}, "flip", [F(i, 32) for i in range(17)], n, eps) for n in (1, 2, 4) for eps in ("0", "log(2)")),
    *(("rr", {}, "flip", [F(i, 16) for i in range(9)], n, "1/2") for n in (2, 3)),
    *(("krr", {"k": "3"}, "gamma", [F(i, 16) for i in range(17)], n, "log(2)") for n in (1, 2, 3)),
    *(("krr", {"k": "3"}, "gamma", [F(i, 8) for i in range(9)], n, "1/3") for n in (1, 2)),
    *(("rappor", {"d": "2"}, "flip", [F(i, 32) for i in range(17)], n, "log(2)") for n in (1, 2, 3)),
    ("rappor", {"d": "3"}, "flip", [F(i, 8) for i in range(5)], 2, "1/2"),
    ("fragmented_rappor", {"d": "3"}, "flip", [F(i, 16) for i in range(9)], 2, "log(3/2)"),
    ("fake_users", {"d": "2", "k": "1"}, "flip", [F(i, 16) for i in range(9)], 2, "log(3/2)"),
    ("blanket_sum", {"k": "2"}, "gamma", [F(i, 16) for i in range(17)], 2, "log(2)"),
    ("krr", {"gamma": "1/2"}, "k", [F(k) for k in (5, 4, 3, 2)], 2, "log(2)"),
    ("blanket_sum", {"gamma": "1/2"}, "k", [F(k) for k in (4, 3, 2, 1)], 2, "log(2)"),
    ("fake_users", {"d": "2", "flip": "1/8"}, "k", [F(0), F(1), F(2)], 2, "log(3/2)"),
    ("rappor", {"flip": "1/8"}, "d", [F(4), F(3), F(2)], 2, "log(2)"),
]


@pytest.mark.parametrize(("system", "fixed", "name", "values", "n", "eps"), GRIDS, ids=lambda v: str(v)[:24])
def test_the_least_noise_of_a_whole_grid(system, fixed, name, values, n, eps):
    """Bounds: every delta of the grid, which a value attains, and a little less; expected: the first that keeps it."""
    step = abs(values[1] - values[0])
    within = (min(values), max(values))
    deltas = sorted({near(system, {**fixed, name: text(v)}, n, eps) for v in values})
    for bound in sorted({max(F(0), delta - less) for delta in deltas[::4] for less in (F(0), F(1, 10**9))}):
        kept = [keeps(system, {**fixed, name: text(v)}, n, eps, bound) for v in values]
        promise = Promise.of(n, eps, bound)
        if not any(kept):
            with pytest.raises(BadInput, match=r"\Ano value keeps the promise: .* which fails"):
                calibrated(system, fixed, name, promise, step, within)
            continue
        first = kept.index(True)
        found = calibrated(system, fixed, name, promise, step, within)
        assert found.value == values[first]
        assert found.fails_at == (values[first - 1] if first else None)
        assert found.adjacent and found.searched.complete
        assert found.worst.scope.n == n and found.worst.scope.datasets == "all"


def test_less_noise_may_keep_what_more_noise_fails():
    """zsum, by the oracle: for n = 2, e^eps = 3/2, delta = 0.3985 the values 5/8 and 9/16 keep it and 19/32 between
    them fails; for n = 3, e^eps = 2, delta = 0.23 the value 19/32 keeps it and 1/2, the most noise there is, fails."""
    for n, eps, bound, kept, failed in (
        (2, "log(3/2)", F(3985, 10**4), (F(5, 8), F(9, 16)), F(19, 32)),
        (3, "log(2)", F(23, 100), (F(19, 32),), F(1, 2)),
    ):
        assert all(keeps("zsum", {"p": text(p)}, n, eps, bound) for p in kept)
        assert not keeps("zsum", {"p": text(failed)}, n, eps, bound)
        found = calibrated("zsum", {}, "p", Promise.of(n, eps, bound), F(1, 32))
        assert found.value == kept[0] and found.fails_at == kept[0] + F(1, 32) and found.searched.lemma is None
        less = [p for p in P if p > kept[0]]
        assert not any(keeps("zsum", {"p": text(p)}, n, eps, bound) for p in less)
        assert found.searched.evaluated == len(less) + 1
    # of 2^63 values not all are tried: what is not found is not said to be nowhere
    with pytest.raises(BadInput, match=r"\Ano value is found to keep the promise: .*; not all were tried"):
        calibrated("zsum", {}, "p", Promise.of(3, "log(2)", "23/100"))


@pytest.mark.parametrize(
    ("system", "fixed", "eps", "bounds"),
    [
        ("zsum", {"p": "3/4"}, "log(3/2)", ("0.6", "0.4", "0.3", "0.2")),
        ("rr", {"flip": "1/4"}, "1/2", ("0.4", "0.25", "0.2", "0.12")),
        ("krr", {"k": "3", "gamma": "1/2"}, "log(3/2)", ("0.4", "0.3", "0.2")),
    ],
)
def test_the_fewest_users(system, fixed, eps, bounds):
    """Over n, by enumeration of all datasets of 1, 2, ... users; beyond the oracle's reach nothing is compared."""
    reached = 0
    for bound in map(F, bounds):
        kept = next((n for n in range(1, 6) if keeps(system, fixed, n, eps, bound)), None)
        found = tune(Task(system, fixed, ("n",)), Promise.of(1, eps, bound))
        calibrated_at = found.best.calibrated
        assert calibrated_at.adjacent and found.promise.n == calibrated_at.value
        assert calibrated_at.fails_at == (None if calibrated_at.value == 1 else calibrated_at.value - 1)
        assert calibrated_at.value == kept if kept is not None else calibrated_at.value > 5
        reached += kept is not None and kept > 1
    assert reached >= 2


# Fine grids, by mpmath ---------------------------------------------------------------------------------------------


def real(value):
    return mpf(value.numerator) / value.denominator


def power_of(eps):
    at = Eps.of(eps)
    return real(at.power) if at.power is not None else mp.exp(real(at.exponent))


@pytest.mark.parametrize("eps", ["1", "1/3", "5", "log(2)", "log(3/2)", f"log({2**60}/{2**59 + 1})", "1/1000"])
@pytest.mark.parametrize("sensitivity", [1, 3])
def test_discrete_laplace_of_pure_privacy(eps, sensitivity):
    """e^(-eps/sensitivity), rounded up to a multiple of 2^-64: |X - by| and |X| differ by at most `by`."""
    found = calibrated("discrete_laplace", {"sensitivity": str(sensitivity)}, "q", Promise.of(1, eps, 0))
    with workdps(60):
        scaled = power_of(eps) ** (mpf(-1) / sensitivity) * 2**64
        nearest = mp.nint(scaled)
        expected = int(nearest) if abs(scaled - nearest) < mpf(10) ** -30 else int(mp.ceil(scaled))
    assert found.value == expected * UNIT and found.fails_at == found.value - UNIT and found.adjacent
    assert found.worst.delta.high == 0 < found.fails.delta.low


def poisson_delta(lam, eps, by=1):
    """The larger of Pr[X + by in E] - e^eps Pr[X in E], by its two tails, and of the other direction.

    P/Q = k (k - 1) ... (k - by + 1) / lam^by rises in k.
    """
    t = power_of(eps)

    def below(k):
        return mp.gammainc(k, lam, mp.inf, regularized=True) if k > 0 else 0

    def ratio(k):
        return mp.fprod((k - j) / lam for j in range(by))

    up = next(k for k in range(by, 10**5) if ratio(k) > t)
    down = next(k for k in range(10**5) if ratio(k) * t >= 1)
    return max((1 - below(up - by)) - t * (1 - below(up)), below(down) - t * below(down - by))


def negative_binomial_delta(r, p, eps):
    """r >= 1: P/Q = k / (p (k - 1 + r)) rises in k, to 1/p."""
    t = power_of(eps)

    def below(k):
        return mp.betainc(r, k, 0, 1 - p, regularized=True) if k > 0 else 0

    def ratio(k):
        return k / (p * (k - 1 + r))

    down = next(k for k in range(10**5) if ratio(k) * t >= 1)
    back = below(down) - t * below(down - 1)
    if t >= 1 / p:
        return back
    up = next(k for k in range(1, 10**5) if ratio(k) > t)
    return max((1 - below(up - 1)) - t * (1 - below(up)), back)


def by_lam(eps, by=1):
    return lambda lam: poisson_delta(lam, eps, by)


def by_r(p, eps):
    return lambda r: negative_binomial_delta(r, real(F(p)), eps)


def by_p(r, eps):
    return lambda p: negative_binomial_delta(mpf(r), p, eps)


FINE = [
    ("poisson", {}, "lam", "1", "1e-6", by_lam("1"), (1, 100)),
    ("poisson", {}, "lam", "1/4", "1e-9", by_lam("1/4"), (10, 10**4)),
    ("poisson", {"sensitivity": "3"}, "lam", "2", "1e-4", by_lam("2", 3), (1, 10**3)),
    ("negative_binomial", {"p": "9/10"}, "r", "1", "1e-6", by_r("9/10", "1"), (2, 500)),
    ("negative_binomial", {"p": "1/2"}, "r", "log(3/2)", "1e-4", by_r("1/2", "log(3/2)"), (2, 500)),
    ("negative_binomial", {"r": "20"}, "p", "1", "1e-6", by_p(20, "1"), (F(1, 5), F(99, 100))),
]


@pytest.mark.parametrize(("system", "fixed", "name", "eps", "delta", "curve", "ends"), FINE)
def test_the_root_of_a_closed_form(system, fixed, name, eps, delta, curve, ends):
    """Halving the interval by mpmath's incomplete gamma and beta functions ends in the same multiple of 2^-64."""
    found = calibrated(system, fixed, name, Promise.of(10**4, eps, delta))
    assert found.adjacent and found.value - found.fails_at == UNIT
    with workdps(40):
        low, high = (int(F(end) / UNIT) for end in ends)
        assert curve(real(low * UNIT)) > real(F(delta)) > curve(real(high * UNIT))
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if curve(real(middle * UNIT)) > real(F(delta)) else (low, middle)
    assert found.value == high * UNIT
    for value, ends in ((found.value, found.worst.delta), (found.fails_at, found.fails.delta)):
        with workdps(60):
            assert real(ends.low) <= curve(real(value)) * (1 + mpf(10) ** -40)
            assert curve(real(value)) * (1 - mpf(10) ** -40) <= real(ends.high)


def binomial_tails(n, p, eps):
    """Both directions of s + Bin(n, p): Y = n - Bin(n, p) = Bin(n, 1 - p) against its shift by 1, term by term.

    P/Q of Y against Y + 1 is (n - k + 1) q / (k p) at k, falling; all terms are added that exceed 10^-80 of the mode's.
    """
    q, t = 1 - p, power_of(eps)
    mode = int((n + 1) * q)
    ways = mp.loggamma(n + 1) - mp.loggamma(mode + 1) - mp.loggamma(n - mode + 1)
    top = mp.exp(ways + mode * mp.log(q) + (n - mode) * mp.log(p))
    law, k, term = {mode: top}, mode, top
    while k > 0 and term > top * mpf(10) ** -80:
        term *= k * p / ((n - k + 1) * q)
        k -= 1
        law[k] = term
    k, term = mode, top
    while k < n and term > top * mpf(10) ** -80:
        k += 1
        term *= (n - k + 1) * q / (k * p)
        law[k] = term
    places = range(min(law), max(law) + 2)
    forth = mp.fsum(max(law.get(k, 0) - t * law.get(k - 1, 0), 0) for k in places)
    back = mp.fsum(max(law.get(k - 1, 0) - t * law.get(k, 0), 0) for k in places)
    return max(forth, back)


@pytest.mark.parametrize(
    ("n", "eps", "delta"), [(10**4, "1", "1e-6"), (10**6, "1/10", "1e-8"), (10**9, "1/10", "1e-9")]
)
def test_zsum_at_sizes_that_people_deploy(n, eps, delta):
    """value and fails_at are next to each other, decided again from nothing, by the kernel, and by mpmath."""
    found = calibrated("zsum", {}, "p", Promise.of(n, eps, delta))
    assert found.fails_at - found.value == UNIT and found.adjacent
    for p, verdict in ((found.value, "PROVED"), (found.fails_at, "REFUTED")):
        decided = certify(load("zsum", {"p": text(p)}), n, eps, delta)
        assert decided.verdict == verdict
        checked = kernel.check(decided.certificate_text().encode())
        assert checked.status == "accepted" and checked.reason.startswith(verdict), checked
    with workdps(60):
        kept, failed = (binomial_tails(n, real(p), eps) for p in (found.value, found.fails_at))
        assert kept <= real(F(delta)) < failed
        assert real(found.worst.delta.low) <= kept <= real(found.worst.delta.high)


def test_a_grid_finer_than_the_digits_of_an_answer():
    """Steps of 10^-40 of a parameter next to 1: the answers stay as close as 30 digits tell, and on the grid."""
    found = calibrated("zsum", {}, "p", Promise.of(1000, "1", "1e-6"), F(1, 10**40))
    assert 0 < found.fails_at - found.value < F(1, 10**28)
    assert (found.value * 10**40).denominator == 1 == (found.fails_at * 10**40).denominator
    assert found.worst.delta.high <= F(1, 10**6) < found.fails.delta.low


def test_the_largest_sensitivity():
    """poisson lam = 40: 1, 2, ... held against the closed form at 40 digits; more has less privacy."""
    with workdps(40):
        kept = [by for by in range(1, 7) if poisson_delta(mpf(40), "1", by) <= mpf(10) ** -3]
    assert kept == [1, 2]
    found = calibrated("poisson", {"lam": "40"}, "sensitivity", Promise.of(1, "1", "1e-3"))
    assert (found.value, found.fails_at, found.adjacent) == (2, 3, True)


# What a lemma says -------------------------------------------------------------------------------------------------


# One test of those below belongs to every lemma that orders the noise.
BY_ORACLE = {
    ("rr", "flip"),
    ("krr", "gamma"),
    ("blanket_sum", "gamma"),
    *((name, "flip") for name in ("rappor", "fragmented_rappor", "symmetric_rappor", "fake_users")),
    *((name, "d") for name in ("rappor", "fragmented_rappor", "symmetric_rappor", "fake_users", "hist")),
    ("support_identification", "d"),
    ("fake_users", "k"),
    ("pointer_chasing", "l"),
}
BY_WINDOWS = {
    *((name, "sensitivity") for name in ("poisson", "negative_binomial", "discrete_laplace")),
    *((name, "lam") for name in ("poisson", "poisson_hist")),
    *((name, "r") for name in ("negative_binomial", "correlated", "correlated_hist")),
    *((name, "p") for name in ("negative_binomial", "correlated", "correlated_hist")),
    *((name, "q") for name in ("discrete_laplace", "correlated", "correlated_hist")),
    *((name, "buckets") for name in ("poisson_hist", "correlated_hist")),
    *((name, "sensitivity") for name in ("binomial_noise", "discrete_gaussian", "truncated_discrete_laplace")),
    *((name, "coins") for name in ("binomial_noise", "augmented_shuffle")),
    ("augmented_shuffle", "beta"),
    ("sample_and_threshold", "k"),
}
OF_ALL = {("any_ldp", "eps0"), ("any_ldp", "local_delta")}


def test_every_lemma_is_tested():
    said = {(system, name) for system in names() for name, order in orders(system).items() if order and order.lemma}
    assert said == BY_ORACLE | BY_WINDOWS | OF_ALL
    # where nothing is proved nothing is said: noise messages of probability p, and the number of values of krr
    silent = {
        (system, name) for system in names() for name, order in orders(system).items() if order and not order.lemma
    }
    problems = ("hist", "zsum", "support_identification", "pointer_chasing", "pointer_jumping")
    central = {("discrete_gaussian", "variance"), *(("truncated_discrete_laplace", name) for name in ("q", "bound"))}
    values = {("krr", "k"), ("blanket_sum", "k"), ("augmented_shuffle", "d")}
    assert silent == {*((name, "p") for name in problems), *values, *central}


def ordered(system, name, one, other):
    """(less noise, more noise) of two values."""
    order = orders(system)[name]
    return (max(one, other), min(one, other)) if order.falling else (min(one, other), max(one, other))


HALVES = st.fractions(F(0), F(1, 2), max_denominator=40)
UNITS = st.fractions(F(0), F(1), max_denominator=40)
RANDOM = [
    ("rr", "flip", {}, HALVES, (1, 2, 3)),
    ("krr", "gamma", {"k": "3"}, UNITS, (1, 2)),
    ("blanket_sum", "gamma", {"k": "2"}, UNITS, (1, 2)),
    ("rappor", "flip", {"d": "2"}, HALVES, (1, 2, 3)),
    ("rappor", "flip", {"d": "3"}, HALVES, (1, 2)),
    *((system, "flip", {"d": "2"}, HALVES, (1, 2, 3)) for system in ("fragmented_rappor", "symmetric_rappor")),
    ("fake_users", "flip", {"d": "2", "k": "1"}, HALVES, (1, 2)),
    ("fake_users", "k", {"d": "2"}, st.integers(0, 2), (1, 2)),
    *((system, "d", {}, st.integers(2, 4), (1, 2)) for system in ("rappor", "fragmented_rappor", "hist")),
    ("symmetric_rappor", "d", {}, st.integers(2, 4), (1, 2)),
    ("fake_users", "d", {"k": "1"}, st.integers(2, 3), (1,)),
    ("fake_users", "d", {"k": "0"}, st.integers(2, 3), (2,)),
]


@pytest.mark.parametrize(("system", "name", "fixed", "values", "users"), RANDOM, ids=lambda v: str(v)[:12])
@given(data=st.data())
@settings(max_examples=6, deadline=None)
def test_more_noise_is_more_private_by_the_oracle(system, name, fixed, values, users, data):
    """delta(eps) over all neighbouring datasets, both directions, at random pairs of values."""
    less, more = ordered(system, name, data.draw(values), data.draw(values))
    noise = data.draw(st.fractions(F(1, 30), F(1, 2), max_denominator=30)) if name in ("d", "k") else None
    fixed = fixed if noise is None else {**fixed, "p" if system == "hist" else "flip": str(noise)}
    n, t = data.draw(st.sampled_from(users)), data.draw(st.sampled_from((F(1), F(6, 5), F(2), F(4))))
    deltas = [oracle.delta(ROWS[system](**{**fixed, name: text(F(value))}), n, t) for value in (less, more)]
    assert deltas[1] <= deltas[0]


@pytest.mark.parametrize(
    ("system", "fixed", "name", "values", "sizes"),
    [("support_identification", {"h": "1"}, "d", (2, 3), (2, 3)), ("pointer_chasing", {"k": "1"}, "l", (1, 2), (2, 4))],
)
def test_problems_that_are_histograms(system, fixed, name, values, sizes):
    """What they send is a histogram over as many values as there are, d or 2 l!; by the oracle on their own rows."""
    found = {}
    for value, size in zip(values, sizes, strict=True):
        made = load(system, {**fixed, name: str(value), "p": "2/3"})
        rows = {x: dict(law.items()) for x, law in made.randomizer().rows.items()}
        assert len(rows) == size
        found[value] = oracle.delta(rows, 2, F(3, 2))
    less, more = ordered(system, name, *values)
    assert 0 < found[more] <= found[less] < 1


@given(randomizers(inputs=(2, 2)), st.sampled_from((F(1), F(6, 5), F(2))))
@few
def test_more_users_are_more_private(rows, t):
    """One more user never raises delta(eps), whatever the randomizer: by the oracle, for random ones."""
    deltas = [oracle.delta(rows, n, t) for n in (1, 2, 3)]
    assert deltas == sorted(deltas, reverse=True)


def test_the_number_of_users_is_chosen_where_it_changes_the_privacy():
    assert USERS.lemma and not USERS.falling
    for system in names():
        with_n = Task(system, {}).orders["n"]
        # noise of all users together is the same whatever their number: those systems have no randomizer of one user;
        # where that is one of many that are not known, more users are still more private
        no_table = load_any(system).VIEWS == ("shuffled",)
        assert (with_n is None) == (no_table and system != "any_ldp"), system


def load_any(system):
    """With some value for every parameter."""
    halves = dict.fromkeys(("beta", "flip", "gamma", "p", "q"), "1/2")
    some = {**halves, "lam": "3", "d": "3"}
    wanted = [name for name in orders(system) if name not in defaults(system)]
    return load(system, {name: some.get(name, "2") for name in wanted})


# Noise without an end, on windows ------------------------------------------------------------------------------------


def poisson(lam, size):
    return scipy.stats.poisson(float(lam)).pmf(np.arange(size))


def negative_binomial(r, p, size):
    return scipy.stats.nbinom(float(r), 1 - float(p)).pmf(np.arange(size))


def shifted(law, by, axis=0):
    """Later by `by` places; the window grows."""
    wide = [(0, 0)] * law.ndim
    wide[axis] = (by, 0)
    return np.pad(law, wide)


def hockey_stick(P, Q, t):
    """(low, high): the sum on the window, less or more by what it may leave out; doubles lose at most 1e-12."""
    shape = [max(a, b) for a, b in zip(P.shape, Q.shape, strict=True)]
    P, Q = (np.pad(law, [(0, m - k) for k, m in zip(law.shape, shape, strict=True)]) for law in (P, Q))
    value = np.maximum(P - t * Q, 0).sum()
    return value - t * (1 - Q.sum()) - 1e-12, value + (1 - P.sum()) + 1e-12


def both(P, Q, t):
    ways = hockey_stick(P, Q, t), hockey_stick(Q, P, t)
    return max(low for low, _ in ways), max(high for _, high in ways)


def sum_of(law, t, by=1):
    return both(shifted(law, by), law, t)


def histogram_of(laws, t):
    """A unit moves from the first bucket to the second; `laws` of the buckets are independent."""
    joint = laws[0]
    for law in laws[1:]:
        joint = np.multiply.outer(joint, law)
    first, second = (shifted(joint, 1, axis) for axis in (0, 1 if laws[0].ndim == 1 else 2))
    return both(first, second, t)


def correlated(q, r, p, size):
    """The law of (Z1 + Z3, Z2 + Z3)."""
    one, common = negative_binomial(1, q, size), negative_binomial(r, p, size)
    joint = np.zeros((2 * size, 2 * size))
    for c, weight in enumerate(common):
        joint[c : c + size, c : c + size] += weight * np.multiply.outer(one, one)
    return joint


def laplace(q, size):
    places = np.abs(np.arange(-size, size + 1))
    return (1 - float(q)) / (1 + float(q)) * float(q) ** places


def binomial(coins, size=None):
    return scipy.stats.binom(int(coins), 0.5).pmf(np.arange((size or int(coins)) + 1))


def weighted(weights):
    return weights / weights.sum()


def truncated_laplace(q, bound):
    return weighted(float(q) ** np.abs(np.arange(-int(bound), int(bound) + 1)))


def discrete_gaussian(variance):
    return weighted(np.exp(-(np.arange(-60, 61.0) ** 2) / (2 * float(variance))))


def augmented(beta, coins, t):
    """The counts of two values with dummies; the user who changes is on one or the other, and kept with beta."""
    dummies = np.multiply.outer(binomial(coins), binomial(coins))
    one, other = (float(beta) * shifted(dummies, 1, axis) for axis in (0, 1))
    one[:-1, :] += (1 - float(beta)) * dummies
    other[:, :-1] += (1 - float(beta)) * dummies
    return both(one, other, t)


def thresholded(p, k, t, n=5):
    """The counts of two values where at least k, over all numbers of others on them; the user moves from one to two."""

    def shown(users):
        law = scipy.stats.binom(users, float(p)).pmf(np.arange(n + 1))
        return np.concatenate([[law[: int(k)].sum()], law[int(k) :], np.zeros(min(int(k), n + 1) - 1)])

    pairs = [(a, b) for a in range(n) for b in range(n - a)]
    sides = [(np.multiply.outer(shown(a + 1), shown(b)), np.multiply.outer(shown(a), shown(b + 1))) for a, b in pairs]
    ends = [both(P, Q, t) for P, Q in sides]
    return max(low for low, _ in ends), max(high for _, high in ends)


WINDOWS = {
    "poisson": lambda lam, sensitivity=1: lambda t: sum_of(poisson(lam, 90), t, sensitivity),
    "negative_binomial": lambda r, p, sensitivity=1: lambda t: sum_of(negative_binomial(r, p, 250), t, sensitivity),
    "discrete_laplace": lambda q, sensitivity=1: lambda t: sum_of(laplace(q, 200), t, sensitivity),
    "correlated": lambda q, r, p: lambda t: both(shifted(correlated(q, r, p, 70), 1), correlated(q, r, p, 70), t),
    "poisson_hist": lambda buckets, lam: lambda t: histogram_of([poisson(lam, 24)] * int(buckets), t),
    "correlated_hist": lambda buckets, q, r, p: lambda t: histogram_of([correlated(q, r, p, 9)] * 2, t),
    "binomial_noise": lambda coins, sensitivity=1: lambda t: sum_of(binomial(coins), t, sensitivity),
    "discrete_gaussian": lambda variance, sensitivity: lambda t: sum_of(discrete_gaussian(variance), t, sensitivity),
    "truncated_discrete_laplace": lambda q, bound, sensitivity: (
        lambda t: sum_of(truncated_laplace(q, bound), t, sensitivity)
    ),
    "augmented_shuffle": lambda beta, coins: lambda t: augmented(beta, coins, t),
    "sample_and_threshold": lambda p, k: lambda t: thresholded(p, k, t),
}
LOW = st.fractions(F(1, 20), F(3, 5), max_denominator=40)
SHIFTS = st.integers(1, 5)
TINY = st.fractions(F(1, 50), F(1, 8), max_denominator=60)
SHAPES = st.fractions(F(1, 10), F(6), max_denominator=20)
DRAWN = {
    "poisson": {"lam": st.fractions(F(1, 10), F(20), max_denominator=20), "sensitivity": SHIFTS},
    "negative_binomial": {"r": SHAPES, "p": LOW, "sensitivity": SHIFTS},
    "discrete_laplace": {"q": LOW, "sensitivity": SHIFTS},
    "correlated": {"q": LOW, "r": SHAPES, "p": LOW},
    "poisson_hist": {"buckets": st.integers(2, 3), "lam": st.fractions(F(1, 10), F(3), max_denominator=20)},
    "correlated_hist": {"q": TINY, "r": st.fractions(F(1, 10), F(1), max_denominator=20), "p": TINY},
    "binomial_noise": {"coins": st.integers(1, 40), "sensitivity": SHIFTS},
    "discrete_gaussian": {"variance": st.fractions(F(1, 4), F(30), max_denominator=9), "sensitivity": SHIFTS},
    "truncated_discrete_laplace": {"q": LOW, "bound": st.integers(1, 12), "sensitivity": SHIFTS},
    "augmented_shuffle": {"beta": st.fractions(F(0), F(1), max_denominator=9), "coins": st.integers(0, 12)},
    "sample_and_threshold": {"p": LOW, "k": st.integers(2, 5)},
}


@pytest.mark.parametrize(("system", "name"), sorted(BY_WINDOWS - {("correlated_hist", "buckets")}))
@given(data=st.data())
@settings(max_examples=6, deadline=None)
def test_more_noise_is_more_private_on_windows(system, name, data):
    """scipy's laws, added up in doubles; what the windows leave out is on the side of the lemma."""
    fixed = {other: data.draw(values) for other, values in DRAWN[system].items() if other != name}
    fixed = {**fixed, "buckets": 2} if system == "correlated_hist" else fixed
    less, more = ordered(system, name, data.draw(DRAWN[system][name]), data.draw(DRAWN[system][name]))
    t = data.draw(st.sampled_from((1.0, 1.2, 2.0, 4.0)))
    (_, most), (least, high) = (WINDOWS[system](**fixed, **{name: value})(t) for value in (less, more))
    assert least <= most
    assert high - least < 1e-5, "the window is too small to say anything"


@pytest.mark.parametrize(
    ("less", "more"),
    [({"eps0": "2"}, {"eps0": "1"}), ({"eps0": "2", "local_delta": "1/50"}, {"eps0": "2", "local_delta": "1/60"})],
)
@pytest.mark.parametrize("eps", ["0", "1/2", "3/2", "5/2"])
def test_any_randomizer_of_a_smaller_class(less, more, eps):
    """What is attained in the smaller class is not above what holds for the larger one; nor do the bounds rise."""
    worse, better = (worst_case.delta(load("any_ldp", given), 4, Eps.of(eps)).delta for given in (less, more))
    assert better.low <= better.high <= worse.high


def test_more_buckets_of_correlated_noise():
    """Four-dimensional laws have no window for a third bucket; it is independent of the first two on both sides."""
    fixed = {"q": "4/5", "r": "20", "p": "9/10"}
    promise = Promise.of(10, "1/2", "1/10")
    found = [promise.worst(load("correlated_hist", {**fixed, "buckets": b})).delta for b in ("2", "3", "1000000")]
    assert found[0].low <= found[1].high and found[1].low <= found[2].high and found[0].relative_width < F(1, 10**20)


# What is always so --------------------------------------------------------------------------------------------------

CHOICES = [
    ("poisson", {}, "lam", F(0), F(60)),
    ("discrete_laplace", {}, "q", F(0), F(1)),
    ("zsum", {}, "p", F(1, 2), F(1)),
    ("rr", {}, "flip", F(0), F(1, 2)),
    ("krr", {"k": "3"}, "gamma", F(0), F(1)),
    ("hist", {"d": "2"}, "p", F(1, 2), F(1)),
]


@given(
    st.sampled_from(CHOICES),
    st.fractions(F(1, 10**6), F(1, 3), max_denominator=10**7),
    st.tuples(st.fractions(0, 1, max_denominator=99), st.fractions(0, 1, max_denominator=99)),
    st.sampled_from(("1/10", "1", "log(3)")),
    st.sampled_from(("1e-6", "1e-2", "1/4")),
)
@settings(max_examples=25, deadline=None)
def test_a_value_is_on_the_grid_and_in_the_range(choice, step, places, eps, delta):
    """Whatever the step and the range: and both answers are what they are said to be, decided again from nothing."""
    system, fixed, name, low, high = choice
    within = tuple(low + (high - low) * place for place in sorted(places))
    promise = Promise.of(5, eps, delta)
    try:
        found = calibrated(system, fixed, name, promise, step, within)
    except BadInput as error:
        assert "no multiple" in str(error) or str(error).startswith(("no value keeps", "no value is found to keep"))
        return
    answers = [found.value] if found.fails_at is None else [found.value, found.fails_at]
    assert all((value / step).denominator == 1 and within[0] <= value <= within[1] for value in answers)
    beside = found.value + step if orders(system)[name].falling else found.value - step
    is_value = within[0] <= beside <= within[1] and (beside > 0 or system in ("rr", "krr"))
    assert found.adjacent and found.fails_at == (beside if is_value else None)
    verdicts = [certify(load(system, {**fixed, name: text(v)}), 5, eps, delta).verdict for v in answers]
    assert verdicts == ["PROVED", "REFUTED"][: len(answers)]
