"""Every system at a size that people deploy: delta, epsilon, certify, accuracy and the kernel, by the command."""

import json
from fractions import Fraction
from math import exp, isclose, sqrt

import pytest
from scipy.stats import norm

import shufflecert
from shufflecert import BadInput, Presence, certify, populated, system
from shufflecert.verify import kernel
from shufflecert.verify.decide.worst_case import epsilon
from shufflecert.verify.systems.catalogue import describe, load, names
from tests.helpers import asked, call

# system -> (parameters, n, eps)
SIZES = {
    "zsum": ("p=0.99", 10_000, "1/2"),
    "hist": ("d=20 p=0.99", 10_000, "1/2"),
    "rr": ("flip=1/50", 3_000, "1/2"),
    "krr": ("k=10 gamma=3/20", 10_000, "1/5"),
    "rappor": ("d=6 flip=1/10", 10_000, "1/5"),
    "fragmented_rappor": ("d=6 flip=1/50", 1_000, "1/2"),
    "symmetric_rappor": ("d=6 eps0=15/2", 1_000, "1/2"),
    "poisson": ("lam=60", 10_000, "1/2"),
    "negative_binomial": ("r=20 p=9/10", 10_000, "1/2"),
    "discrete_laplace": ("q=3/4", 10_000, "1/4"),
    "correlated": ("q=4/5 r=20 p=9/10", 10_000, "1/2"),
    "correlated_hist": ("buckets=20 q=4/5 r=20 p=9/10", 10_000, "1/2"),
    "poisson_hist": ("buckets=20 lam=60", 10_000, "1/2"),
    "fake_users": ("d=20 k=2 flip=1/500", 10_000, "1/2"),
    "blanket_sum": ("k=4 gamma=3/20", 10_000, "1/5"),
    "support_identification": ("h=4 d=20 p=0.99", 10_000, "1/2"),
    "hadamard_response": ("K=16 eps0=1", 10_000, "1/40"),
    "olh": ("d=3 g=3 eps0=1", 10_000, "1/40"),
    "subset_selection": ("d=6 eps0=1", 10_000, "1/40"),
    "unary_encoding": ("d=6 eps0=1", 10_000, "1/40"),
    "pointer_chasing": ("k=2 l=8 p=0.99", 10_000, "1/2"),
    "pointer_jumping": ("s=3 h=2 p=0.99", 10_000, "1/2"),
}
PROBLEMS = {"support_identification", "pointer_chasing", "pointer_jumping"}  # they fail or not, whatever alpha is
CLOSE = {"fake_users": Fraction(1, 20)}  # what a certificate of its attained pairs shows is further off
FAR = {"olh": 4, "subset_selection": 3, "unary_encoding": 3}  # what a certificate's blanket shows is further off
ANY = {"any_ldp"}  # no randomizer but all of them: tests/test_any_ldp.py
ELSEWHERE = {  # with other certificates, or none: tests/test_central.py, test_likelihood_orbits.py, test_bit_systems.py
    "bloom_rappor",
    "count_mean_sketch",
    "dbitflip",
    "duchi",
    "gaussian",
    "laplace",
    "piecewise",
    "pckv_grr",
    "priv_kv",
    "priv_unit",
    "square_wave",
    "augmented_shuffle",
    "binomial_noise",
    "discrete_gaussian",
    "sample_and_threshold",
    "truncated_discrete_laplace",
}
LONG = {"fake_users", "fragmented_rappor", "symmetric_rappor"}
ODD = {"r_gap", "r_infinity"}  # without noise to choose, and without an analyzer that estimates


def question(system):
    parameters, n, eps = SIZES[system]
    return [system, *(part for p in parameters.split() for part in ("-p", p)), "--n", n], eps


def test_every_system_is_here():
    assert set(SIZES) | ODD | ANY | ELSEWHERE == set(names())
    assert all(row["reach"] and row["accuracy"] for row in describe() if row["name"] in SIZES)


@pytest.mark.parametrize("system", [pytest.param(s, marks=pytest.mark.long) if s in LONG else s for s in sorted(SIZES)])
@pytest.mark.sampled(6)
def test_delta_and_epsilon_are_inverse(capsys, system):
    asked_of, eps = question(system)
    answer = asked(capsys, "delta", *asked_of, "--eps", eps)
    lower, upper = (Fraction(answer["delta"][end]) for end in ("lower", "upper"))
    assert 0 < lower <= upper < 1 and answer["delta"]["exact"] is None
    assert answer["scope"]["datasets"] == "all" and answer["scope"]["n"] == SIZES[system][1]
    if not answer["scope"]["two_sided"]:
        assert upper - lower <= upper / 10**3
    middle = (lower + upper) / 2
    back = asked(capsys, "epsilon", *asked_of, "--delta", middle)["epsilon"]
    least, most = Fraction(back["lower"]), Fraction(back["upper"])
    assert least <= Fraction(eps) * (1 + Fraction(1, 10**20)) and Fraction(eps) * (1 - Fraction(1, 10**20)) <= most


@pytest.mark.parametrize("system", sorted(SIZES))
@pytest.mark.sampled(12)
def test_both_verdicts_have_certificates_that_the_kernel_accepts(capsys, tmp_path, system):
    asked_of, eps = question(system)
    value = asked(capsys, "delta", *asked_of, "--eps", eps)["delta"]
    above = Fraction(value["upper"]) * FAR.get(system, Fraction(21, 20))
    below = Fraction(value["lower"]) * CLOSE.get(system, Fraction(19, 20))
    for delta, verdict, status in ((above, "PROVED", 0), (below, "REFUTED", 1)):
        file = tmp_path / f"{verdict}.json"
        answer = asked(capsys, "certify", *asked_of, "--eps", eps, "--delta", delta, "-o", file, status=status)
        assert answer["verdict"] == verdict and answer["certificate"] == str(file)
        found = kernel.check_file(file)
        assert found.status == "accepted", found
        lie = json.loads(file.read_text())
        lie["verdict"] = {"PROVED": "REFUTED", "REFUTED": "PROVED"}[verdict]
        assert kernel.check(json.dumps(lie).encode()).status in ("rejected", "malformed", "undecided")
        lie["verdict"], lie["claim"]["delta"] = verdict, str(below / 2 if verdict == "PROVED" else above * 2)
        assert kernel.check(json.dumps(lie).encode()).status in ("rejected", "undecided")


@pytest.mark.parametrize("system", sorted(SIZES))
@pytest.mark.sampled(4)
def test_accuracy(capsys, system):
    asked_of, _ = question(system)
    answer = asked(capsys, "accuracy", *asked_of, "--alpha", "1/20")
    assert answer["error_of"] and answer["datasets"]
    for name in ("rmse", "failure_probability", "expected_messages"):
        lower, upper = (Fraction(answer[name][end]) for end in ("lower", "upper"))
        assert 0 <= lower <= upper
    assert Fraction(answer["failure_probability"]["upper"]) <= 1 and answer["bits_per_message"] >= 1
    without = asked(capsys, "accuracy", *asked_of)["failure_probability"]
    assert (without is None) == (system not in PROBLEMS)
    assert "root mean square" in call(capsys, "accuracy", *asked_of)[1]


SIZED = [("1", 10_000), ("4", 10_000), ("2", 1_000_000)]  # local eps, users
KNOWN = [  # a system, its local eps, users, and to which part of itself its eps at delta = 1e-6 is known
    *[(f"priv_kv d={d}", *size, "1/100") for d in (1, 3, 100, 10**6) for size in SIZED],
    *[(f"pckv_grr d={d} l={keys}", *size, "1/1000") for d, keys in ((2, 1), (100, 5), (10**6, 100)) for size in SIZED],
    *[(f"{name} d=65536", *size, "1/100") for name in ("olh", "subset_selection", "unary_encoding") for size in SIZED],
    *[("hadamard_response K=65536", *size, "1/100") for size in SIZED],
    *[("unary_encoding d=1024 optimized=no", *size, "1/100") for size in SIZED],
    *[("count_mean_sketch m=1024 k=65536", *size, "1/100") for size in SIZED],
    *[(f"dbitflip k={k} d={d}", *size, "1/100") for k, d in ((32, 16), (1024, 8)) for size in (SIZED[0], SIZED[2])],
    *[("bloom_rappor bits=128 hashes=2", *size, "1/100") for size in (SIZED[0], SIZED[2])],
    *[(name, *size, "1/100") for name in ("piecewise", "square_wave") for size in SIZED],
    *[
        (f"priv_unit dim={d}", e, 10_000, "2/100")
        for d, e in ((2, "2"), (3, "1"), (1024, "1"), (1024, "4"), (10**9, "2"))
    ],
    *[("laplace", e, n, "21/1000") for e in "14" for n in (10_000, 1_000_000)],
    *[("gaussian sigma=1", None, n, "21/1000") for n in (10_000, 1_000_000)],
    # where others' likelihood ratios are far apart, or one input of theirs is far worse than another
    ("BLH d=1024", "4", 10_000, "1/100"),
    ("dbitflip k=1024 d=8", "4", 10_000, "1/100"),
]


@pytest.mark.parametrize(("system", "eps0", "n", "part"), KNOWN)
@pytest.mark.sampled(64)
def test_eps_is_known_at_the_size_at_which_it_is_deployed(system, eps0, n, part):
    name, *given = system.split()
    made = load(name, given + [f"eps0={eps0}"] * (eps0 is not None))
    low, high = epsilon(made, n, Fraction(1, 10**6)).interval
    assert 0 < low < high < low * (1 + Fraction(part))


# n up to 10^15 was told to be expected, and 10^12 users of a system with a table, or honest ones, were refused.


def test_a_sum_against_its_normal_approximation():
    """Bin(n, 1/2) moved by one, whose relative error is about 1 / sigma = 10^-6."""
    noisy, sigma = system("zsum", p="1/2"), sqrt(10**12) / 2
    eps = 1 / sigma
    away = 1 / (2 * sigma) - sigma * eps
    expected = norm.cdf(away) - exp(eps) * norm.cdf(away - 1 / sigma)
    for made, n in ((noisy, 10**12), (populated(noisy, Presence.of(honest=10**12)), 10**13)):
        found = shufflecert.delta(made, n=n, eps="1/500000")
        assert isclose(float(found.lower), expected, rel_tol=1e-4)


@pytest.mark.parametrize("view", ["local", "preshuffle"])
def test_what_no_certificate_of_enumeration_states_is_refused(view):
    noisy = system("zsum", p="1/2")
    assert certify(noisy, 10**9, 1, 1, view).verdict == "PROVED"
    with pytest.raises(BadInput, match="n: 1000000001: expected an integer from 1 to 1000000000"):
        certify(noisy, 10**9 + 1, 1, 1, view)
