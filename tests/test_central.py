"""Central noises, sampling with a threshold, and augmented shuffling, against laws written out from their definitions.

Expected values: exact fractions over whole supports (binomial, truncated Laplace, thresholds, dummies), mpmath for the
discrete Gaussian, and numbers that other code gave in floats.
"""

from collections import Counter
from fractions import Fraction
from itertools import product

import mpmath
import pytest

from shufflecert.verify import kernel
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Presence
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.population import populated
from tests.helpers import asked
from tests.oracle import hockey_stick
from tests.reference import binomial, real

F = Fraction


def system(name, **parameters):
    return catalogue.system(name, **parameters)


def value(made, n, eps):
    """delta(eps) as an interval's ends, or its exact value twice."""
    found = delta(made, n, eps).delta
    return found.low, found.high


def laplace(q, bound):
    weights = {k: F(q) ** abs(k) for k in range(-bound, bound + 1)}
    return {k: w / sum(weights.values()) for k, w in weights.items()}


def released(noise, s, bits, modulo, wrap=0):
    """The law of what is released, from its definition."""
    law = Counter()
    for k, p in noise.items():
        word = k % 2**bits if bits else k
        word = word % wrap if wrap else word
        law[(s + word) % modulo if modulo else s + word] += p
    return law


def worst(noise, sensitivity, bits, modulo, wrap, a):
    laws = [released(noise, s, bits, modulo, wrap) for s in range(sensitivity + 1)]
    return max(hockey_stick(P, Q, a) for P, Q in product(laws, repeat=2))


NOISES = [
    ("binomial_noise", {"coins": 9}, binomial(9, F(1, 2))),
    ("truncated_discrete_laplace", {"q": "1/2", "bound": 4}, laplace(F(1, 2), 4)),
    ("truncated_discrete_laplace", {"q": "9/10", "bound": 3}, laplace(F(9, 10), 3)),
]
WORDS = [(0, 0, 0), (8, 256, 0), (8, 255, 0), (3, 8, 0), (3, 7, 0), (0, 5, 0), (0, 2, 0), (4, 0, 0)]
WORDS += [(8, 256, 255), (3, 8, 7), (0, 0, 4), (4, 7, 5)]


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize(("name", "parameters", "noise"), NOISES)
def test_releases_are_what_their_definitions_say(name, parameters, noise, words):
    bits, modulo, wrap = words
    for sensitivity, a in ((1, F(1)), (1, F(3, 2)), (2, F(2)), (3, F(5, 4))):
        made = system(name, **parameters, sensitivity=sensitivity, bits=bits, modulo=modulo, wrap=wrap)
        low, high = value(made, 3, Eps.log(a))
        exact = worst(noise, sensitivity, bits, modulo, wrap, a)
        assert low <= exact <= high and high - low <= F(1, 10**20)


def test_a_wrong_modulus_takes_minus_one_for_zero():
    parameters = {"q": "1/2", "bound": 20, "bits": 32}
    right, wrong = (system("truncated_discrete_laplace", **parameters, modulo=2**32 - i) for i in (0, 1))
    plain = system("truncated_discrete_laplace", q="1/2", bound=20)
    assert abs(value(right, 5, "1")[1] - value(plain, 5, "1")[1]) < F(1, 10**20)
    with mpmath.workdps(40):
        law = {k: mpmath.mpf(2) ** -abs(k) for k in range(-20, 21)}
        total = sum(law.values())
        shown = {k + (k < 0): p / total for k, p in law.items() if k != -1}  # -1 and 0 are both released as 0
        shown[0] = (law[0] + law[-1]) / total
        expected = sum(max(p - mpmath.e * shown.get(k - 1, 0), 0) for k, p in shown.items())
        expected = max(expected, sum(max(p - mpmath.e * shown.get(k + 1, 0), 0) for k, p in shown.items()))
        assert abs(mpmath.mpf(float(value(wrong, 5, "1")[0])) - expected) < 1e-12


def test_a_draw_that_is_never_minus_one():
    """Noise modulo 2^32 - 1 in a sum modulo 2^32: one sum is never released of s + 1, and is of s with 1 - q.

    Pr[0] + Pr[-1] of discrete Laplace noise is (1 - q)/(1 + q) (1 + q) = 1 - q, and 1 - 1/e = 0.632 for q = 1/e.
    """
    q = F(367879441171, 10**12)
    made = system("truncated_discrete_laplace", q=q, bound=40, bits=32, wrap=2**32 - 1, modulo=2**32)
    for eps in ("2", "20", "700"):
        low, high = value(made, 9, eps)
        assert abs(low - (1 - q)) < F(1, 10**15) and abs(high - (1 - q)) < F(1, 10**15)
    assert F(632, 1000) < 1 - q < F(633, 1000)


@pytest.mark.parametrize(
    ("variance", "eps", "by"), [("16", "1", 1), ("3/2", "1/2", 2), ("1/50", "1", 1), ("400", "1/10", 3)]
)
def test_discrete_gaussian(variance, eps, by):
    low, high = value(system("discrete_gaussian", variance=variance, sensitivity=by), 3, eps)
    with mpmath.workdps(60):
        sigma2, reach = mpmath.mpf(F(variance).numerator) / F(variance).denominator, 400
        law = {k: mpmath.exp(-k * k / (2 * sigma2)) for k in range(-reach, reach + 1)}
        total, a = sum(law.values()), mpmath.exp(mpmath.mpf(F(eps).numerator) / F(eps).denominator)
        expected = sum(max(law.get(k - by, 0) - a * law[k], 0) for k in law) / total
        ends = [real(end) for end in (low, high)]
        assert ends[0] - 1e-50 <= expected <= ends[1] + 1e-50 and ends[1] - ends[0] <= 1e-20
        answer = system("discrete_gaussian", variance=variance).accuracy(3, F(2))
        square = sum(k * k * w for k, w in law.items()) / total
        assert abs(float(answer.rmse.low) - float(mpmath.sqrt(square))) < 1e-9
        failure = sum(w for k, w in law.items() if abs(k) > 2) / total
        assert abs(float(answer.failure_probability.high) - float(failure)) < 1e-12


@pytest.mark.parametrize(("q", "bound"), [("1/2", 1), ("9/10", 7), ("1/100", 3)])
def test_accuracy_of_bounded_noise(q, bound):
    noise = laplace(F(q), bound)
    found = system("truncated_discrete_laplace", q=q, bound=bound).accuracy(9, F(1))
    square = sum(k * k * p for k, p in noise.items())
    assert found.rmse.low**2 <= square <= found.rmse.high**2 and found.rmse.high**2 - square < F(1, 10**20)
    failure = sum(p for k, p in noise.items() if abs(k) > 1)
    assert found.failure_probability.low <= failure <= found.failure_probability.high


def test_coins_of_the_formula_and_coins_that_are_needed(capsys):
    found = asked(capsys, "calibrate", "binomial_noise", "--n", 5, "--eps", 1, "--delta", "1e-6")
    assert found["value"] == "80" and found["fails"]["adjacent"]


# Sampling and threshold --------------------------------------------------------------------------------------------


def shown(m, p, k):
    """The law of a count of m users that is shown, None where nothing is."""
    law = Counter()
    for x, w in binomial(m, p).items():
        law[x if x >= k else None] += w
    return law


@pytest.mark.parametrize(
    ("p", "k", "n"), [("1/10", 2, 30), ("1/3", 3, 12), ("2/3", 2, 9), ("1/2", 6, 4), ("1/20", 2, 70)]
)
def test_who_comes_or_goes_is_one_count(p, k, n):
    limit = 1 / (1 - F(p))
    for a in (F(1), (1 + limit) / 2, (1 + 9 * limit) / 10, limit, F(2), F(5)):
        made = populated(system("sample_and_threshold", p=p, k=k), Presence.of("add-remove"))
        low, high = value(made, n, Eps.log(a))
        pairs = [(shown(m, p, k), shown(m - 1, p, k)) for m in range(1, n + 1)]
        exact = max(max(hockey_stick(P, Q, a), hockey_stick(Q, P, a)) for P, Q in pairs)
        assert low <= exact <= high and high - low <= F(1, 10**20), (a, float(exact), float(low))


def test_nebula(capsys):
    asks = ["sample_and_threshold", "-p", "p=0.105", "--n", 10**6]
    found = asked(capsys, "delta", *asks, "-p", "k=20", "--eps", 1, "--adjacency", "add-remove")["delta"]
    assert float(found["lower"]) == pytest.approx(6.48e-15, rel=1e-3) == float(found["upper"])
    least = asked(capsys, "calibrate", *asks, "--eps", 1, "--delta", "1e-8")
    assert least["value"] == "11" and least["fails_at"] == "10" and F(least["delta"]["upper"]) < F(1, 10**8)


# Augmented shuffling -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("beta", "coins"), [("1/2", 5), ("1", 6), ("1/3", 3), ("2/3", 0)])
def test_augmented_shuffle_is_two_counts(beta, coins):
    heads = binomial(coins, F(1, 2))
    for a in (F(1), F(3, 2), F(3)):
        exact = F(0)
        for i, j in ((0, 0), (1, 0), (1, 2)):  # others on the two values
            laws = []
            for own in ((1, 0), (0, 1)):
                sides = []
                for held, mine in zip((i, j), own, strict=True):
                    law = Counter()
                    for (x, v), (y, w) in product(heads.items(), binomial(held + mine, beta).items()):
                        law[x + y] += v * w
                    sides.append(law)
                laws.append({(x, y): v * w for x, v in sides[0].items() for y, w in sides[1].items()})
            exact = max(exact, hockey_stick(*laws, a))
        low, high = value(system("augmented_shuffle", d=4, beta=beta, coins=coins), 4, Eps.log(a))
        assert low <= exact <= high and high - low <= F(1, 10**20)


def test_geometric_dummies():
    low, high = value(system("augmented_shuffle", d=3, beta="1/2", q="3/5"), 9, "1/2")
    with mpmath.workdps(40):
        q, a, n = mpmath.mpf(3) / 5, mpmath.exp(mpmath.mpf(1) / 2), 200
        z = [(1 - q) * q**k for k in range(n)]
        more = [(z[k] + (z[k - 1] if k else 0)) / 2 for k in range(n)]
        exact = sum(max(more[x] * z[y] - a * z[x] * more[y], 0) for x in range(60) for y in range(60))
    assert float(low) - 1e-12 <= float(exact) <= float(high) + 1e-12


def test_accuracy_of_sampled_counts():
    found = system("augmented_shuffle", d=4, beta="1/2", coins=8).accuracy(10)
    assert found.rmse.low**2 <= (10 * F(1, 4) + 2) * 4 <= found.rmse.high**2
    assert found.expected_messages.low == 1 + 4 * F(4, 10)
    found = system("sample_and_threshold", p="1/4", k=3).accuracy(12)
    assert found.rmse.low**2 <= 36 <= found.rmse.high**2


def test_failures_of_sampled_counts():
    """Bin(n, p)/p, or (Bin(n, beta) + Z - E Z)/beta, farther than alpha from n; all users on the value."""
    for alpha in (F(0), F(3), F(17, 4), F(40)):
        found = system("sample_and_threshold", p="1/4", k=3).accuracy(12, alpha).failure_probability
        exact = sum(w for x, w in binomial(12, F(1, 4)).items() if abs(4 * x - 12) > alpha)
        assert found.low <= exact <= found.high and found.high - found.low < F(1, 10**20)
        made = system("augmented_shuffle", d=4, beta="1/2", coins=8)
        found, law = made.accuracy(10, alpha).failure_probability, Counter()
        for (x, v), (z, w) in product(binomial(10, F(1, 2)).items(), binomial(8, F(1, 2)).items()):
            law[x + z] += v * w
        exact = sum(w for y, w in law.items() if abs((y - 4) * 2 - 10) > alpha)
        assert found.low <= exact <= found.high and found.high - found.low < F(1, 10**20)
    for name, given in (("sample_and_threshold", {"p": "1/4", "k": 3}), ("augmented_shuffle", {"d": 3, "beta": "1/2"})):
        with pytest.raises(BadInput, match="alpha: -1"):
            system(name, **given).accuracy(12, F(-1))


# What is refused ---------------------------------------------------------------------------------------------------


def test_analyzers():
    assert system("binomial_noise", coins=10).analyze({"17": 1}, 3) == 12
    assert system("discrete_gaussian", variance="2").analyze({"-3": 1}, 3) == -3
    assert system("sample_and_threshold", p="1/2", k=3).analyze({"a": 4, "b": 2}, 9) == {"a": 8}
    assert system("augmented_shuffle", d=3, beta="1/2", coins=4).analyze({"1": 5}, 9) == (6, -4, -4)
    with pytest.raises(BadInput, match="one message"):
        system("truncated_discrete_laplace", q="1/2", bound=3).analyze({}, 3)


CERTIFIED = [
    (("discrete_gaussian", {"variance": "16", "sensitivity": 2}), "replace"),
    (("discrete_gaussian", {"variance": "9", "bits": 5, "modulo": 31}), "add-remove"),
    (("truncated_discrete_laplace", {"q": "1/2", "bound": 20, "bits": 32, "modulo": 2**32 - 1}), "replace"),
    (("binomial_noise", {"coins": 80, "modulo": 64}), "deletion"),
    (("augmented_shuffle", {"d": 3, "beta": "1/2", "coins": 40}), "replace"),
    (("augmented_shuffle", {"d": 3, "beta": "1/2", "q": "1/3"}), "replace"),
    (("augmented_shuffle", {"d": 3, "beta": "1/2"}), "replace"),
    (("poisson", {"lam": "30", "sensitivity": 2}), "add-remove"),
    (("negative_binomial", {"r": "2", "p": "1/2"}), "add-remove"),
]


@pytest.mark.parametrize(("named", "adjacency"), CERTIFIED)
def test_certificates_next_to_what_is_found(named, adjacency):
    made = system(named[0], **named[1])
    made = populated(made, Presence.of(adjacency, "0" if adjacency == "deletion" else None))
    low, high = value(made, 10, "1/2")
    for bound, verdict in ((high, "PROVED"), (low * F(999, 1000), "REFUTED")):
        found = certify(made, 10, "1/2", bound)
        said = kernel.check(found.certificate_text().encode())
        assert found.verdict == verdict and said.status == "accepted"
        assert f"neighbours: {'add-remove' if adjacency == 'add-remove' else 'replace'}" in said.reason


def test_who_comes_or_goes_is_a_curators_input(capsys):
    """Added and removed, or on 0 instead: pairs (j + X, X), the same as those of a user who is replaced."""
    for words in ({}, {"bits": 3, "modulo": 7}, {"modulo": 5}):
        made = system("truncated_discrete_laplace", q="2/3", bound=5, sensitivity=2, **words)
        laws = [released(laplace(F(2, 3), 5), s, words.get("bits", 0), words.get("modulo", 0)) for s in range(3)]
        exact = max(hockey_stick(*pair, F(3, 2)) for P in laws for pair in ((P, laws[0]), (laws[0], P)))
        for who in (Presence.of("add-remove"), Presence.of("deletion", "0"), Presence.of("deletion", "2")):
            low, high = value(populated(made, who), 4, Eps.log(F(3, 2)))
            assert low <= exact <= high and high - low < F(1, 10**20)
