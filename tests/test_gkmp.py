"""GKMP's counts: enclosures against sums of the definitions at 60 digits, the error's law, the paper's values."""

from fractions import Fraction

import pytest
from mpmath import exp, fsum, log, mpf, sqrt

from shufflecert.protocols.shared.counts import any_misses
from shufflecert.verify.decide import worst_case
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.enclose.interval import refine
from shufflecert.verify.enclose.noise_laws import Poisson
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.systems import catalogue
from tests.gkmp_laws import (
    EPS,
    discrete_laplace,
    encloses,
    exactly,
    hockey_stick,
    negative_binomial,
    poisson,
    power,
    shifted,
    worst_shift,
)
from tests.helpers import asked
from tests.reference import real

pytestmark = pytest.mark.usefixtures("sixty_digits")


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
@pytest.mark.sampled(4)
def test_a_count_is_the_largest_of_all_its_shifts(name, parameters, law, span, sensitivity):
    system = catalogue.make(name, {**parameters, "sensitivity": str(sensitivity)})
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


def test_discrete_laplace_has_pure_eps():
    """eps(0) = sensitivity log(1/q)."""
    found = worst_case.epsilon(catalogue.make("discrete_laplace", {"q": "1/3", "sensitivity": "2"}), 10, 0)
    low, high = found.interval
    assert real(low) <= log(mpf(9)) <= real(high) and high - low < Fraction(1, 10**28)


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
    system, span = catalogue.make(name, parameters), range(-160, 200)
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
    system, buckets = catalogue.make(name, parameters), int(parameters["buckets"])
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
    load = catalogue.make
    assert load("poisson", {"lam": "7/2"}).analyze({"1": 9}, 4) == Fraction(11, 2)
    assert load("poisson", {"lam": "7/2"}).analyze({}, 4) == Fraction(-7, 2)
    assert load("negative_binomial", {"r": "3", "p": "1/4"}).analyze({"1": 9}, 4) == 8
    assert load("correlated", {"q": "1/2", "r": "3", "p": "1/4"}).analyze({"+1": 9, "-1": 11}, 4) == -2
    assert load("poisson_hist", {"buckets": "3", "lam": "2"}).analyze({"1": 9, "3": 1}, 4) == (7, -2, -1)
    hist = load("correlated_hist", {"buckets": "3", "q": "1/2", "r": "3", "p": "1/4"})
    assert hist.analyze({"+1": 9, "-1": 2, "-3": 1}, 4) == (7, 0, -1)
    assert load("discrete_laplace", {"q": "1/2"}).analyze({"-17": 1}, 4) == -17


@pytest.mark.parametrize("messages", [{}, {"1": 2}, {"1": 1, "2": 1}, {"x": 1}])
def test_a_curator_releases_one_number(messages):
    with pytest.raises(BadInput, match=r"^messages: "):
        catalogue.make("discrete_laplace", {"q": "1/2"}).analyze(messages, 3)


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
@pytest.mark.sampled(4)
def test_the_papers_parameters_keep_their_promise(name, given, n, eps, delta):
    values = catalogue.prescribe(name, given, n, Eps.of(eps), Fraction(delta))
    found = certify(catalogue.make(name, values), n, eps, delta)
    assert found.verdict == "PROVED" and found.worst.delta.high <= Fraction(delta)


# The command -------------------------------------------------------------------------------------------------------


def test_the_command_prescribes(capsys):
    promise = ["--paper", "--n", 10000, "--eps", 1, "--delta", "1e-6"]
    for command, name, chosen in (
        ("certify", "poisson", {"lam", "sensitivity"}),
        ("accuracy", "correlated", set("qrp")),
    ):
        assert set(asked(capsys, command, name, *promise)["parameters"]) == chosen
