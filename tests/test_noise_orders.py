"""What lemmas say of more noise: it is more private, by the oracle and on windows of laws without an end."""

from fractions import Fraction

import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from shufflecert.verify.calibrate.least_noise import Promise
from shufflecert.verify.calibrate.tuned_system import USERS, Task
from shufflecert.verify.decide import worst_case
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import text
from shufflecert.verify.systems.catalogue import defaults, make, names, orders
from tests import oracle
from tests.calibrate_rows import ROWS, ordered
from tests.helpers import few, randomizers

F = Fraction


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
OF_DENSITIES = {("laplace", "eps0"), ("gaussian", "sigma")}  # tests/test_noisy_numbers.py
BY_ENCLOSURES = {
    *((name, "eps0") for name in ("count_mean_sketch", "unary_encoding", "duchi", "hadamard_response")),
    *((name, "eps0") for name in ("dbitflip", "bloom_rappor", "priv_kv", "pckv_grr")),
    *((name, "d") for name in ("olh", "unary_encoding")),
}


def test_every_lemma_is_tested():
    said = {(system, name) for system in names() for name, order in orders(system).items() if order and order.lemma}
    assert said == BY_ORACLE | BY_WINDOWS | OF_ALL | BY_ENCLOSURES | OF_DENSITIES
    # where nothing is proved nothing is said: noise messages of probability p, and the number of values of krr
    silent = {
        (system, name) for system in names() for name, order in orders(system).items() if order and not order.lemma
    }
    problems = ("hist", "zsum", "support_identification", "pointer_chasing", "pointer_jumping")
    central = {("discrete_gaussian", "variance"), *(("truncated_discrete_laplace", name) for name in ("q", "bound"))}
    values = {("krr", "k"), ("blanket_sum", "k"), ("augmented_shuffle", "d")}
    # of these the best size of what is sent depends on eps0, or the densities' shapes do
    local = {(name, "eps0") for name in ("olh", "subset_selection", "priv_unit", "square_wave", "piecewise")}
    local |= {("subset_selection", "d")}
    assert silent == {*((name, "p") for name in problems), *values, *central, *local}


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
@pytest.mark.sampled(2)
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
        made = make(system, {**fixed, name: str(value), "p": "2/3"})
        rows = {x: dict(law.items()) for x, law in made.randomizer().rows.items()}
        assert len(rows) == size
        found[value] = oracle.delta(rows, 2, F(3, 2))
    less, more = ordered(system, name, *values)
    assert 0 < found[more] <= found[less] < 1


@pytest.mark.parametrize(("system", "name"), sorted(BY_ENCLOSURES))
@pytest.mark.sampled(12)
def test_local_systems_by_their_enclosures(system, name):
    """Of local systems, some of which have no table: what more noise attains is below what less noise is bounded by."""
    fixed = {"m": "8", "k": "8", "K": "4", "d": "4", "eps0": "1", "bits": "6", "hashes": "1"}
    values, found = (("1", "3") if name == "eps0" else ("3", "6")), {}
    wanted = [other for other in orders(system) if other not in defaults(system)]
    for value in values:
        made = make(system, {**{other: fixed[other] for other in wanted}, name: value})
        found[F(value)] = worst_case.delta(made, 20, "1/4").delta.enclosure()
    less, more = (found[value] for value in ordered(system, name, *map(F, values)))
    assert F(more[0]) <= F(less[1])
    assert name == "d" or F(more[1]) < F(less[0])


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
    some = {**halves, "lam": "3", "d": "3", "m": "8", "K": "4", "dim": "3", "bits": "16", "k": "4"}
    wanted = [name for name in orders(system) if name not in defaults(system)]
    return make(system, {name: some.get(name, "2") for name in wanted})


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
@pytest.mark.sampled(3)
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
    worse, better = (worst_case.delta(make("any_ldp", given), 4, Eps.of(eps)).delta for given in (less, more))
    assert better.low <= better.high <= worse.high


def test_more_buckets_of_correlated_noise():
    """Four-dimensional laws have no window for a third bucket; it is independent of the first two on both sides."""
    fixed = {"q": "4/5", "r": "20", "p": "9/10"}
    promise = Promise.of(10, "1/2", "1/10")
    found = [promise.worst(make("correlated_hist", {**fixed, "buckets": b})).delta for b in ("2", "3", "1000000")]
    assert found[0].low <= found[1].high and found[1].low <= found[2].high and found[0].relative_width < F(1, 10**20)
