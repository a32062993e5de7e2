"""All systems x commands x who is there, for three users: an answer that the kernel accepts, or one line that refuses.

Answers themselves are compared elsewhere with enumerations (test_presence.py, test_central.py).
"""

from itertools import chain

import pytest

from shufflecert.verify import kernel
from shufflecert.verify.systems import catalogue
from tests.helpers import call, cases

GIVEN = {
    "zsum": ["p=2/3"],
    "hist": ["d=2", "p=2/3"],
    "rr": ["flip=1/4"],
    "krr": ["k=3", "gamma=1/2"],
    "rappor": ["d=2", "flip=1/4"],
    "fragmented_rappor": ["d=2", "flip=1/4"],
    "symmetric_rappor": ["d=2", "eps0=2"],
    "poisson": ["lam=3"],
    "negative_binomial": ["r=1", "p=1/2"],
    "discrete_laplace": ["q=1/2"],
    "correlated": ["q=1/2", "r=1", "p=1/2"],
    "poisson_hist": ["buckets=2", "lam=3"],
    "fake_users": ["d=2", "k=1", "flip=1/4"],
    "blanket_sum": ["k=2", "gamma=1/2"],
    "r_infinity": [],
    "r_gap": [],
    "any_ldp": ["eps0=1"],
    "sample_and_threshold": ["p=1/3", "k=2"],
    "augmented_shuffle": ["d=3", "beta=1/2", "coins=4"],
    "discrete_gaussian": ["variance=2"],
    "truncated_discrete_laplace": ["q=1/2", "bound=3", "modulo=5"],
    "binomial_noise": ["coins=6"],
    "hadamard_response": ["K=4", "eps0=1"],
    "olh": ["d=4", "eps0=1"],
    "subset_selection": ["d=4", "eps0=1"],
    "unary_encoding": ["d=3", "eps0=1"],
    "count_mean_sketch": ["m=4", "k=4", "eps0=1"],
    "piecewise": ["eps0=1"],
    "laplace": ["eps0=1"],
    "dbitflip": ["k=4", "d=2", "eps0=1"],
    "priv_kv": ["d=2", "eps0=1"],
    "pckv_grr": ["d=2", "eps0=1"],
    "bloom_rappor": ["bits=4", "hashes=1", "eps0=1"],
    "gaussian": ["sigma=1"],
    "square_wave": ["eps0=1"],
    "duchi": ["eps0=1"],
    "priv_unit": ["dim=3", "eps0=1"],
}
PRESENT = [
    [],
    ["--adjacency", "add-remove"],
    ["--adjacency", "deletion", "--reference", "1"],
    ["--adjacency", "deletion", "--reference", "nowhere"],
    ["--adjacency", "deletion", "--reference", "0"],
    ["--adjacency", "deletion", "--reference", "1=1/2,2=1/2"],
    ["--honest", "2"],
    ["--take-part", "1/2"],
    ["--adjacency", "add-remove", "--honest", "2"],
    ["--adjacency", "add-remove", "--take-part", "1/2", "--honest", "2"],
]
ASKED = [
    ["delta", "--eps", "1/2"],
    ["delta", "--eps", "1/2", "--group", "2"],
    ["delta", "--eps", "1/2", "--view", "local"],
    ["epsilon", "--delta", "1/100"],
    ["compose", "--eps", "1", "--times", "2"],
    ["certify", "--eps", "1/2", "--delta", "1/10"],
]
SOME = ["krr", "truncated_discrete_laplace", "augmented_shuffle", "sample_and_threshold", "any_ldp"]


def walk(capsys, folder, name, asked, present):
    """Asks, and checks what comes; whether it was an answer."""
    command, *options = asked
    params = chain.from_iterable(("-p", given) for given in GIVEN[name])
    file = folder / "made.json"
    kept = ["-o", file, "--force"] if command == "certify" else []
    status, out, err = call(capsys, command, name, *params, "--n", 3, *options, *present, *kept)
    shown = (name, asked, present, status, out, err)
    assert status in (0, 1, 2, 3), shown
    assert status != 2 or (not out and err.count("\n") == 1 and err.startswith("shufflecert: ")), shown
    if command == "certify" and status in (0, 1):
        assert kernel.check_file(file).status == "accepted", shown
    return status < 2


@pytest.mark.parametrize("name", [pytest.param(x, marks=[pytest.mark.long] * (x not in SOME)) for x in GIVEN])
def test_combinations(capsys, tmp_path, name):
    """Of some systems, and of one question unless everything is asked."""
    found = [walk(capsys, tmp_path, name, asked, present) for asked in ASKED[-cases(6, 1) :] for present in PRESENT]
    assert True in found and (False in found or name not in SOME)


def test_no_system_is_left_out():
    protocols = {"support_identification", "pointer_chasing", "pointer_jumping"}  # histograms with an analyzer
    slow = {"correlated_hist"}  # as `correlated`, twice
    assert {*catalogue.names()} - protocols - slow == {*GIVEN}
