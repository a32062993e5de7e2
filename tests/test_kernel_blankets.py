"""The kernel on privacy blankets and threshold events, against enumerations."""

import json
import math
from fractions import Fraction
from typing import Any

import mpmath
import pytest

from tests.kernel_battery import pair, row
from tests.kernel_claims import (
    THREE,
    UNEQUAL,
    blanket_bound,
    e_to,
    event_value,
    flips,
    hints,
    randomized,
    threshold,
    uniform,
)
from verify import kernel

F = Fraction


# ---- blankets ----


@pytest.mark.parametrize(
    ("rows", "ratio", "step"),
    [(uniform(3, F(1, 2)), F(5, 4), "1/4"), (uniform(2, F(1, 3)), F(3, 2), "1/2"), (UNEQUAL, F(6, 5), "1/60")],
    ids=["krr-3", "rr", "unequal"],
)
@pytest.mark.parametrize("n", [1, 2, 6])
def test_blanket(rows: list[Any], n: int, ratio: Fraction, step: str) -> None:
    """On a grid that holds every L the bound is the lemma's; a hair below it the hints do not decide."""
    bound, eps = blanket_bound(rows, n, ratio), f"log({ratio})"
    for shift, status in ((F(1, 10**6), "accepted"), (-F(1, 10**6), "undecided")):
        data = randomized(rows, n, hints(step, 4096, "2"), eps, str(bound * (1 + shift)), "PROVED")
        verdict = kernel.check(data)
        assert verdict.status == status, verdict
        assert "\n" not in verdict.reason
    coarse = randomized(rows, n, hints("7/9", 4096, "2"), eps, str(bound * (1 + F(1, 10**6))), "PROVED")
    assert kernel.check(coarse).status in ("accepted", "undecided")
    assert kernel.check(randomized(rows, n, hints("7/9", 4096, "2"), eps, "1", "PROVED")).status == "accepted"


def test_blanket_wraps_upwards() -> None:
    """With fewer cells the bound only grows: whatever fits into the cells is never below the lemma's bound."""
    rows, n, ratio = uniform(3, F(1, 2)), 12, F(5, 4)
    bound = blanket_bound(rows, n, ratio)
    statuses = []
    for cells in (30, 40, 60, 100, 200, 400):
        for tilt in ("11/10", "5/4", "2"):
            less = randomized(rows, n, hints("1/4", cells, tilt), "log(5/4)", str(bound * F(999999, 10**6)), "PROVED")
            more = randomized(rows, n, hints("1/4", cells, tilt), "log(5/4)", str(bound * F(11, 10)), "PROVED")
            assert kernel.check(less).status == "undecided"
            statuses.append(kernel.check(more).status)
    assert set(statuses) == {"accepted", "undecided"} and statuses[-2] == "accepted" and statuses[0] == "undecided"


def test_blanket_edges() -> None:
    rows = uniform(3, F(1, 2))
    data = randomized(rows, 50, hints("1/4", 2000, "5/4"), "1/3", "1/10", "PROVED")
    assert kernel.check(data).status == "accepted"
    assert kernel.check(data, max_work=10**4).reason.startswith("too much work")
    assert kernel.check(data, max_bits=32).reason.startswith("too few bits")
    assert kernel.check(randomized(rows, 50, hints("1/4", 10, "5/4"), "1/3", "1/10", "PROVED")).status == "undecided"
    assert (
        kernel.check(randomized(rows, 50, hints("1/4", 2000, "2000001/2000000"), "1/3", "1/10", "PROVED")).status
        == "undecided"
    )
    assert (
        kernel.check(randomized(rows, 50, hints("1/4", 2000, f"{10**3000}"), "1/3", "1/10", "PROVED")).status
        == "undecided"
    )
    assert (
        kernel.check(randomized(rows, 10**15, hints("1/4", 2000, "9"), "1/3", "1/10", "PROVED")).status == "undecided"
    )
    assert kernel.check(randomized(rows, 50, hints("1/4", 2**32, "5/4"), "1/3", "1/10", "PROVED")).status == "accepted"
    # at e^eps = 4, the largest ratio, no L is above 0
    assert (
        kernel.check(randomized(rows, 10**15, hints("1/4", 2000, "5/4"), "log(4)", "0", "PROVED")).status == "accepted"
    )
    alike = [row("x", ("a", "1/2"), ("b", "1/2")), row("y", ("a", "1/2"), ("b", "1/2"))]
    assert kernel.check(randomized(alike, 9, hints("1", 9, "2"), "0", "0", "PROVED")).status == "accepted"
    apart = [row("x", ("a", "1")), row("y", ("b", "1"))]
    assert kernel.check(randomized(apart, 9, hints("1", 9, "2"), "1", "1", "PROVED")).status == "accepted"
    assert kernel.check(randomized(apart, 9, hints("1", 9, "2"), "1", "99/100", "PROVED")).status == "undecided"
    assert kernel.check(randomized([alike[0]], 9, hints("1", 9, "2"), "0", "0", "PROVED")).status == "accepted"


@pytest.mark.long
def test_blanket_of_ten_thousand() -> None:
    """krr, k = 10, local eps 4, eps = 1/5; nine messages are alike, so the 90 ordered pairs have one law."""
    gamma = F(10) / (9 + F(math.exp(4)).limit_denominator(10**6))
    data = randomized(uniform(10, gamma), 10**4, hints("1/2", 50_000, "501/500"), "1/5", "1/1000", "PROVED")
    verdict = kernel.check(data, max_work=10**9)
    assert verdict.status == "accepted" and "1 of 90 pairs" in verdict.reason


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"step": "0"}, "evidence.blanket.step"), ({"cells": 2**32 + 1}, "evidence.blanket.cells"),
        ({"tilt": "5/5"}, "evidence.blanket.tilt"), ({"tilt": "1/2"}, "evidence.blanket.tilt"),
        ({"more": "1"}, "evidence.blanket.more"), ({"cells": "9"}, "evidence.blanket.cells"),
    ],
)  # fmt: skip
def test_malformed_blankets(change: Any, place: str) -> None:
    evidence = {"blanket": hints("1/4", 2000, "5/4")["blanket"] | change}
    verdict = kernel.check(randomized(uniform(3, F(1, 2)), 50, evidence, "1/3", "1/10", "PROVED"))
    assert verdict.status == "malformed" and verdict.reason.startswith(f"{place}: expected ")


# ---- thresholds ----


CASES = [
    (flips(F(1, 4)), "1", "0", {"0": 30}, {"1": 1}, 10),
    (flips(F(1, 4)), "1", "0", {"0": 20, "1": 15}, {"1": 3, "0": -2}, 45),
    (uniform(3, F(1, 3)), "0", "1", {"2": 25}, {"0": 5, "1": -4}, 3),
    (uniform(3, F(1, 3)), "0", "1", {"2": 12, "1": 5}, {"0": 5, "1": -4, "2": 1}, -13),
    (THREE, "x", "y", {"z": 7, "x": 6}, {"a": -1}, -22),
    (flips(F(1, 4)), "1", "0", {}, {"1": 1}, 0),
]


@pytest.mark.parametrize("case", CASES, ids=range(len(CASES)))
def test_threshold(case: Any) -> None:
    rows, source, target, others, weigh, above = case
    n, ratio = 1 + sum(others.values()), F(21, 20)
    for at in (above - 1, above, above + 1):
        value = event_value(rows, source, target, others, weigh, at, ratio)
        for shift, status in ((-F(1, 10**50), "accepted"), (F(1, 10**50), "rejected")):
            if value + shift < 0:
                continue
            evidence = threshold(pair(source, target, others), weigh, at)
            verdict = kernel.check(randomized(rows, n, evidence, "log(21/20)", str(value + shift), "REFUTED"))
            assert verdict.status == status, verdict
    assert event_value(rows, source, target, others, weigh, above, ratio) > 0


def test_threshold_at_scale() -> None:
    """rr, n = 10^8: the ones among the others are binomial; mpmath's tails from the threshold on, 3 deviations up."""
    n, eps = 10**8, "1/6000"
    others = {"0": n - 1}
    with mpmath.workdps(60):
        flip, ratio, k = mpmath.mpf(1) / 4, e_to(eps), 25_013_000
        tail, logs = [], mpmath.loggamma(n)
        for start in (k, k + 1):
            i, total = start, mpmath.mpf(0)
            whole = logs - mpmath.loggamma(i + 1) - mpmath.loggamma(n - i)
            term = mpmath.exp(whole + i * mpmath.log(flip) + (n - 1 - i) * mpmath.log(1 - flip))
            while term > mpmath.mpf(10) ** -45:
                total, i = total + term, i + 1
                term *= (n - i) * flip / (i * (1 - flip))
            tail.append(total)
        p, q = (one * tail[0] + (1 - one) * tail[1] for one in (1 - flip, flip))
        value = p - ratio * q
        below, above = (int(mpmath.floor(value * mpmath.mpf(10) ** 20)) + i for i in (0, 1))
    evidence = threshold(pair("1", "0", others), {"1": 1}, k)
    for claimed, status in ((below, "accepted"), (above, "rejected")):
        data = randomized(flips(F(1, 4)), n, evidence, eps, f"{claimed}/{10**20}", "REFUTED")
        assert kernel.check(data).status == status
    assert kernel.check(data, max_work=10**5).reason.startswith("too much work")


def test_threshold_edges() -> None:
    named = pair("0", "1", {"2": 25})
    rows, weigh = uniform(3, F(1, 3)), {"0": 5, "1": -4}
    good = json.loads(randomized(rows, 26, threshold(named, weigh, 3), "1/20", "1/100", "REFUTED"))
    assert kernel.check(json.dumps(good).encode()).status == "accepted"
    text = json.dumps(good)
    turned = json.loads(text)
    turned["evidence"]["threshold"] = dict(reversed(turned["evidence"]["threshold"].items()))
    assert kernel.check(json.dumps(turned).encode()).status == "accepted"
    for place, change in (
        ("evidence.threshold.weights", lambda e: e["threshold"]["weights"].update({"9": "1"})),
        ("evidence.threshold.weights.0", lambda e: e["threshold"]["weights"].update({"0": "+1"})),
        ("evidence.threshold.weights.0", lambda e: e["threshold"]["weights"].update({"0": 1})),
        ("evidence.threshold.above", lambda e: e["threshold"].update(above="1" * 1001)),
        ("evidence.threshold.above", lambda e: e["threshold"].update(above="")),
        ("evidence.pair.to", lambda e: e["pair"].update(to="0")),
        ("evidence.pair.others", lambda e: e["pair"].update(others={"2": 24})),
    ):
        tree = json.loads(text)
        change(tree["evidence"])
        verdict = kernel.check(json.dumps(tree).encode())
        assert verdict.status == "malformed" and verdict.reason.startswith(f"{place}: expected "), verdict
    for above, delta, status in (
        ("-" + "9" * 1000, "0", "rejected"), ("9" * 1000, "0", "rejected"), ("3", "1", "rejected"),
    ):  # fmt: skip
        tree = json.loads(text)
        tree["evidence"]["threshold"]["above"], tree["claim"]["delta"] = above, delta
        assert kernel.check(json.dumps(tree).encode()).status == status
    tree = json.loads(text)
    tree["evidence"]["threshold"]["weights"]["0"] = "9" * 1000
    assert kernel.check(json.dumps(tree).encode()).reason.startswith("too much work")
    assert kernel.check(text.encode(), max_work=10**4).reason.startswith("too much work")
    half = event_value(rows, "0", "1", {"2": 25}, weigh, 3, F(21, 20))
    exact = randomized(rows, 26, threshold(named, weigh, 3), "log(21/20)", str(half), "REFUTED")
    assert kernel.check(exact, max_bits=256).reason.startswith("too few bits: 256 bits")


def test_kinds_and_verdicts_belong_together() -> None:
    rows = uniform(3, F(1, 2))
    for verdict, evidence in (
        ("REFUTED", hints("1/4", 2000, "5/4")), ("PROVED", threshold(pair("0", "1", {"2": 49}), {"0": 1}, 3)),
    ):  # fmt: skip
        assert kernel.check(randomized(rows, 50, evidence, "1/3", "1/10", verdict)).reason.startswith("evidence.")
    tree = json.loads(randomized(rows, 50, hints("1/4", 2000, "5/4"), "1/3", "1/10", "PROVED"))
    tree["claim"]["view"] = "local"
    assert kernel.check(json.dumps(tree).encode()).reason.startswith("claim.view: expected")
    tree["claim"]["view"], tree["version"] = "shuffled", 1
    assert kernel.check(json.dumps(tree).encode()).status == "malformed"
    tree["version"], tree["claim"]["n"] = 2, 10**15 + 1
    assert kernel.check(json.dumps(tree).encode()).reason.startswith("claim.n: expected")
