"""The kernel on the mechanism `columns`: every pair enumerated in exact fractions, and what is wrong or malformed."""

import functools
import itertools
import json
from fractions import Fraction
from typing import Any

import pytest

from tests.kernel_claims import rounded, version_two
from verify import kernel

F = Fraction
LARGE: dict[str, Any] = {"view": "columns", "flip": "1/50", "users": 10_000, "columns": 4}


def certificate(
    seen: Any, others: Any, ends: tuple[str, str], eps: str, delta: str = "1", verdict: str = "PROVED"
) -> bytes:
    evidence = {"delta": dict(zip(("lower", "upper"), ends, strict=True)), "others": others}
    return version_two({"mechanism": seen}, evidence, eps, delta, verdict)


def status(*given: Any, **limits: int) -> str:
    return kernel.check(certificate(*given), **limits).status


def sums(values: list[int], columns: int, flip: Fraction) -> dict[tuple[int, ...], Fraction]:
    """The law of all column sums, from every user's bits."""
    law = {(0,) * columns: F(1)}
    for value in values:
        new: dict[tuple[int, ...], Fraction] = {}
        for have, weight in law.items():
            for bits in itertools.product((0, 1), repeat=columns):
                chance = weight
                for place, bit in enumerate(bits):
                    chance *= 1 - flip if bit == (place == value) else flip
                at = tuple(map(sum, zip(have, bits, strict=True)))
                new[at] = new.get(at, F(0)) + chance
        law = new
    return law


@functools.cache
def table(users: int, columns: int, flip: Fraction, ratio: Fraction) -> dict[tuple[int, int], Fraction]:
    """delta(log ratio) for every (i, j), a user moving from column 0 to column 1; the rest hold the last column."""
    found = {}
    for i, j in itertools.product(range(users), repeat=2):
        rest = users - 1 - i - j
        if rest == 0 or (rest > 0 and columns > 2):
            others = [0] * i + [1] * j + [columns - 1] * rest
            p, q = (sums([value, *others], columns, flip) for value in (0, 1))
            found[i, j] = sum((max(weight - ratio * q[y], F(0)) for y, weight in p.items()), F(0))
    return found


CASES = [(3, 3, "1/4", "2"), (4, 3, "2/5", "1"), (4, 2, "1/10", "3/2"), (5, 2, "1/3", "6/5"), (1, 3, "1/4", "5")]
CASES += [(5, 3, "1/5", "2"), (2, 4, "1/3", "3/2")]


@pytest.mark.parametrize(("users", "columns", "flip", "power"), CASES)
def test_against_every_pair(users: int, columns: int, flip: str, power: str) -> None:
    seen, eps = {"view": "columns", "flip": flip, "users": users, "columns": columns}, f"log({power})"
    deltas = table(users, columns, F(flip), F(power))
    most = max(deltas.values())
    top, beyond = rounded(most, up=True), rounded(most, -2, up=True)
    for (i, j), delta in deltas.items():
        low, more = rounded(delta), rounded(delta, 2)
        assert status(seen, [i, j], (low, top), eps) == "accepted"
        assert status(seen, [i, j], (more, "1"), eps) == "rejected"
        assert status(seen, [i, j], ("0", beyond), eps) == "rejected"
        below = f"{delta.numerator * 10**9 - delta.denominator}/{delta.denominator * 10**9}"
        for claimed, refuted in ((f"{delta}", "rejected"), (below, "accepted")):
            assert status(seen, [i, j], ("0", "1"), eps, claimed, "REFUTED") == refuted
            assert status(seen, [i, j], (low, top), eps, claimed, "REFUTED") == refuted
        assert status(seen, [i, j], ("0", beyond), eps, below, "REFUTED") == "rejected"
        assert status(seen, [i, j], ("0", "1"), eps, f"{most}") == "accepted"
        assert status(seen, [i, j], ("0", "1"), eps, f"{most * (1 - F(1, 10**9))}") == "rejected"


def test_an_exponent_that_is_not_a_logarithm_and_one_at_the_largest_ratio() -> None:
    seen = {"view": "columns", "flip": "1/4", "users": 4, "columns": 3}
    assert status(seen, [0, 0], ("0", "0"), "log(9)", "0") == "accepted"
    assert status(seen, [0, 0], ("0", "0"), "log(8)", "0") == "rejected"
    assert status(seen, [0, 0], ("0", "0"), "log(8)", "0", "REFUTED") == "rejected"
    assert status(seen, [0, 0], ("0", "1"), "2", "0", "REFUTED") == "accepted"
    assert status(seen | {"flip": "1/2"}, [1, 2], ("0", "0"), "0", "0") == "accepted"
    low, high = (max(table(4, 3, F(1, 4), F(ratio)).values()) for ratio in ("272/100", "271/100"))
    assert status(seen, [0, 0], ("0", rounded(high, up=True)), "1") == "accepted"
    assert status(seen, [0, 0], ("0", rounded(low)), "1") == "rejected"


def test_windows_agree_with_small_exact_laws() -> None:
    """50 users have windows of binomials; the sums of their columns, here as powers of exact polynomials."""
    n, flip, ratio = 49, F(1, 50), F(2)

    def law(probabilities: list[Fraction]) -> list[Fraction]:
        found = [F(1)]
        for p in probabilities:
            found = [a * (1 - p) + b * p for a, b in zip([*found, F(0)], [F(0), *found], strict=True)]
        return found

    def exact(i: int, j: int) -> Fraction:
        (p, q), (u, v) = ([law([one, *[1 - flip] * m, *[flip] * (n - m)]) for one in (1 - flip, flip)] for m in (i, j))
        pairs = itertools.product(zip(p, q, strict=True), zip(v, u, strict=True))
        return sum((max(a * c - ratio * b * d, F(0)) for (a, b), (c, d) in pairs), F(0))

    seen = {"view": "columns", "flip": "1/50", "users": n + 1, "columns": 2}
    deltas = {i: exact(i, n - i) for i in range(n + 1)}
    most = max(deltas.values())
    for i in (0, 20, 49):
        assert status(seen, [i, n - i], (rounded(deltas[i]), rounded(most, up=True)), "log(2)") == "accepted"
        assert status(seen, [i, n - i], (rounded(deltas[i], 1), "1"), "log(2)") == "rejected"
        assert status(seen, [i, n - i], ("0", rounded(most, -1, up=True)), "log(2)") == "rejected"


def test_many_users() -> None:
    assert status(LARGE, [9998, 0], ("2.7655e-8", "2.79326e-8"), "1/2", "1/10000000") == "accepted"
    assert status(LARGE, [0, 0], ("5.54e-9", "2.79326e-8"), "1/2") == "accepted"
    assert status(LARGE, [0, 0], ("5.56e-9", "1"), "1/2") == "rejected"
    assert status(LARGE, [0, 0], ("0", "2.7e-8"), "1/2") == "rejected"
    assert status(LARGE, [9998, 0], ("0", "1"), "1/2", "27655/1000000000000", "REFUTED") == "accepted"
    assert status(LARGE, [0, 0], ("0", "1"), "1/2", "27655/1000000000000", "REFUTED") == "rejected"


def test_limits() -> None:
    verdict = kernel.check(certificate(LARGE, [0, 0], ("0", "2.8e-8"), "1/2"), max_work=10**7)
    assert verdict.status == "undecided" and "too much work" in verdict.reason
    verdict = kernel.check(certificate(LARGE | {"users": 10**15}, [0, 0], ("0", "2.8e-8"), "1/2"))
    assert verdict.status == "undecided" and "too much memory" in verdict.reason


BAD_OTHERS = [[5, 5], [10_000, 0], [1], [1, 2, 3], [-1, 4], [True, 1], [1.0, 1], ["1", 1], {"0": 1}, None, 3, []]


@pytest.mark.parametrize("others", BAD_OTHERS, ids=str)
def test_malformed_others(others: Any) -> None:
    seen = {"view": "columns", "flip": "1/4", "users": 10, "columns": 3}
    assert status(seen, others, ("0", "1"), "1") == "malformed"
    assert status(seen, [4, 5], ("0", "1"), "1") == status(seen, [0, 0], ("0", "1"), "1") == "accepted"
    assert status(seen | {"columns": 2}, [4, 5], ("0", "1"), "1") == "accepted"
    assert status(seen | {"columns": 2}, [4, 4], ("0", "1"), "1") == "malformed"


@pytest.mark.parametrize(
    "change",
    [{"flip": "3/5"}, {"flip": "0"}, {"flip": "-1/4"}, {"columns": 1}, {"columns": "3"}, {"users": 0}, {"strings": 4}],
    ids=str,
)
def test_malformed_mechanisms(change: Any) -> None:
    seen = {"view": "columns", "flip": "1/4", "users": 1, "columns": 3} | change
    assert status(seen, [0, 0], ("0", "1"), "1") == "malformed"


def test_others_belong_to_columns_alone() -> None:
    seen = {"view": "columns", "flip": "1/4", "users": 3, "columns": 3}
    tree = json.loads(certificate(seen, [0, 0], ("0", "1"), "1"))
    del tree["evidence"]["others"]
    assert kernel.check(json.dumps(tree).encode()).status == "malformed"
    strings = {"view": "strings", "flip": "1/4", "strings": 3}
    assert status(strings, [0, 0], ("0", "1"), "1") == "malformed"
