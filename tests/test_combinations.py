"""All systems x commands x who is there, for three users: an answer that the kernel accepts, or one line that refuses.

Answers themselves are compared elsewhere with enumerations (test_presence.py, test_central.py).
"""

from itertools import chain

import pytest

from shufflecert.verify import kernel
from shufflecert.verify.systems import catalogue
from tests.helpers import call, cases
from tests.test_protocols import CASES, ENDLESS

PROBLEMS = {"support_identification", "pointer_chasing", "pointer_jumping"}  # histograms with an analyzer
SLOW = {"correlated_hist"}  # as `correlated`, twice
OF_ALL = ENDLESS | {name: some[0].parameters for name, some in CASES.items()}
GIVEN = {name: OF_ALL[name] for name in catalogue.names() if name not in PROBLEMS | SLOW}
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
    params = chain.from_iterable(("-p", f"{key}={value}") for key, value in GIVEN[name].items())
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
