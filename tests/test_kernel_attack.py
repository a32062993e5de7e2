"""Certificates around truths that are found by brute force (tests/kernel_attack.py): no false one is accepted, and of
those that enumerate all datasets of one run every true one is."""

import pytest

from tests.kernel_attack import attack, columns, numbers, one_of, rows

EACH = {f"each {user}" for user in ("rows", "columns", "one of", "up to", "private")}
LAWS = {
    f"law {name}"
    for name in (
        "binomial",
        "poisson",
        "negative binomial",
        "discrete Laplace",
        "discrete Gaussian",
        "finite",
        "sum",
        "mixture",
        "mod",
    )
}
AROUND = {f"neighbours {name}" for name in ("replace", "add-remove", "deletion")}
RUNS = {"data same", "data any", "points", *(f"{number} runs" for number in range(2, 6))}
BLOCKS = {f"{number} blocks" for number in range(1, 6)}
VIEWS = {f"view {name}" for name in ("shuffled", "preshuffle", "local")}


def test_nothing_false_is_accepted_around_truths():
    found = attack(60)
    assert found["all"]["true", True] >= 10 and found["all"]["false", False] >= 10 and len(found.keys() & EACH) >= 4


def test_what_enumeration_shows_is_accepted_and_no_more():
    found = attack(50, 9, kinds=(rows, numbers, columns, one_of))
    assert found["enumerated"]["true", True] >= 4 and found["enumerated"]["false", False] >= 4, found["enumerated"]


@pytest.mark.long
def test_nothing_false_is_accepted_around_many_truths():
    """Of each user, law, neighbours, view, number of runs and of blocks some are accepted, and false ones are not."""
    found = attack(4_000, 1)
    assert all(found[name]["true", True] >= 5 for name in EACH | LAWS | AROUND | RUNS | BLOCKS | VIEWS), found
    assert found["enumerated"]["true", True] >= 30, found["enumerated"]
    assert all(found[name]["false", False] >= 5 for name in EACH | LAWS | AROUND | RUNS | BLOCKS | VIEWS), found


@pytest.mark.long
def test_the_checker_with_a_proof_accepts_nothing_false_around_truths():
    found = attack(3_000, 2, "verified")
    assert found["all"]["true", True] >= 400 and found["points"]["true", True] >= 5, found["all"]
    assert found["points"]["false", False] >= 100 and found["data any"]["true", True] >= 3, found["points"]
