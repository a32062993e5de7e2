"""Several runs in the verified checker: of any private randomizer, and by pairs of laws of blocks with open users."""

import json
from fractions import Fraction
from itertools import product
from math import comb, prod

import pytest

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.checked import decide
from tests import verified
from tests.helpers import call

GRID = {"step": "1/256", "cells": 1 << 12, "tilt": "33/32"}
LATTICE = [(Fraction(257, 256), 1 << 12)]
STEPS = 2000  # of delta


def text(tree):
    return json.dumps(tree).encode()


def alike(tree):
    """What both say."""
    mine, theirs = decide.verdict(text(tree))[0], kernel.check(text(tree)).status
    assert mine == theirs, (tree, mine, theirs)
    return mine


def least(made):
    """The least delta, of so many steps, with which the kernel accepts; so does the checker, and with no less."""
    low, high = -1, STEPS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if kernel.check(text(made(middle))).status == "accepted" else (middle, high)
    found = Fraction(high, STEPS)
    assert alike(made(high)) == "accepted" and alike(made(high * 99 // 100)) == "undecided"
    return found


# Any randomizer ------------------------------------------------------------------------------------------------------


def bound(ratio, share, n, t):
    """(1/n) E max(L_1 + ... + L_n, 0), and what the share adds, as CERTIFICATE.md has it: all of its sums, exactly."""
    if t >= ratio:
        return share
    above, below = ratio - t, 1 - t * ratio
    found = Fraction(0)
    for i in range(n + 1):
        for j in range(n + 1 - i):
            ways = comb(n, i) * comb(n - i, j)
            found += max(i * above + j * below, 0) * Fraction(ways * (ratio - 1) ** (n - i - j), (ratio + 1) ** n)
    return found / n + share * (1 + 3 * (1 + t) * (n - 1) / ratio)


def private(ratio, share, n, times, delta, data="same", less=(), eps="1/2", ts=(1, "4/3", "5/3", 2, "5/2")):
    """A certificate by points that hold, a thousandth above the bound; of those in `less` a hundredth below it."""
    points = []
    for i, t in enumerate(map(Fraction, ts)):
        d = bound(ratio, Fraction(share), n, t)
        d = d * Fraction(99, 100) if i in less else d + Fraction(1, 1000)
        points.append([str(t), str(min(d, Fraction(1)).limit_denominator(10**9)), {"grid": GRID}])
    seen = {"users": n, "each": {"private": [f"log({ratio})", share]}}
    claim = writing.claim([(seen, times)], "replace", eps, Fraction(delta, STEPS), data)
    return writing.certificate(claim, "PROVED", writing.composed([{"points": points}], LATTICE))


def attained(ratio, n, times, z):
    """delta(log z) of randomized response of n users, so many times, all others on 0: a real randomizer's."""
    keep, lie = Fraction(ratio, ratio + 1), Fraction(1, ratio + 1)

    def law(x):
        ones = [comb(n - 1, k) * lie**k * keep ** (n - 1 - k) for k in range(n)]
        one = (lie, keep)[x]
        return [(ones[k] if k < n else 0) * (1 - one) + (ones[k - 1] if k else 0) * one for k in range(n + 1)]

    both = list(zip(law(0), law(1), strict=True))
    return max(
        sum(max(prod(o[a] for o in seen) - z * prod(o[1 - a] for o in seen), 0) for seen in product(both, repeat=times))
        for a in (0, 1)
    )


@pytest.mark.parametrize(
    ("ratio", "share", "n", "times"), [(3, "0", 4, 2), (3, "0", 3, 4), (5, "0", 6, 2), (2, "1/1000", 4, 3)]
)
@pytest.mark.parametrize("data", ["same", "any"])
def test_any_randomizer(ratio, share, n, times, data):
    """What is accepted is true of randomized response, and near to what the kernel accepts; the line says of whom."""
    found = least(lambda delta: private(ratio, share, n, times, delta, data))
    assert attained(ratio, n, times, Fraction(1648722, 10**6)) <= found  # e^(1/2) from above
    status, reason = decide.verdict(text(private(ratio, share, n, times, STEPS, data)))
    assert status == "accepted" and f'"private": ["log({ratio})", "{share}"]' in reason and f"{times} times" in reason
    own = ", each run's its own" * (data == "any")
    word = "all randomizers" if own else "every randomizer"
    assert reason.endswith(f"the claim is true of {word} with finitely many outputs{own}")


def test_points_of_any_randomizer_have_to_hold():
    """One point a hundredth below the bound: no delta is accepted, but 1, which asks nothing of the runs."""
    for point in range(0, 5, 2):
        for delta in (STEPS // 2, STEPS - 1):
            assert alike(private(3, "0", 4, 2, delta, less=[point])) != "accepted"
    for changed in ({"step": "1/1000000000"}, {"cells": 2}):
        tree = private(3, "0", 4, 2, STEPS // 2)
        for point in tree["because"]["runs"][0]["points"]:
            point[2]["grid"] = GRID | changed
        assert alike(tree) == "undecided"


@pytest.mark.parametrize(("ratio", "n", "times", "data"), [(3, 3, 3, "any"), (2, 4, 2, "same"), (5, 2, 4, "any")])
def test_false_claims_about_any_randomizer_are_not_accepted(ratio, n, times, data):
    """A thousandth below what randomized response attains, whatever points say; of so many runs, and of one more."""
    real = attained(ratio, n, times, Fraction(1648721, 10**6))  # e^(1/2) from below
    tree = private(ratio, "0", n, times, 0, data)
    tree["claim"]["delta"] = str((real * Fraction(999, 1000)).limit_denominator(10**6))
    (part,), (run,) = tree["because"]["runs"], tree["claim"]["runs"]
    shown = part["points"]
    for points in (shown, [[t, "0", why] for t, _, why in shown], [[t, "1", why] for t, _, why in shown], shown[-1:]):
        part["points"] = points
        for more in (0, 1):
            run["times"] = times + more
            assert alike(tree) in ("undecided", "rejected")


def test_other_runs_beside_any_randomizer():
    """A table, and another private randomizer: points of theirs, each its own proof."""
    from_rows = json.loads((verified.ROOT / "tests" / "accepted" / "runs-by-a-weak-dot.json").read_bytes())
    table, part = from_rows["claim"]["runs"][0]["seen"], from_rows["because"]["runs"][0]

    def made(delta, swapped=False):
        tree, other = private(3, "0", 4, 2, delta), private(2, "1/1000", 3, 1, 0)
        seens = [(run["seen"], run["times"]) for run in tree["claim"]["runs"] + other["claim"]["runs"]]
        parts = tree["because"]["runs"] + other["because"]["runs"]
        claim = writing.claim([*seens, (table, 1)], "replace", "1/2", Fraction(delta, STEPS), "any")
        parts = [*parts, part]
        parts[0], parts[1] = (parts[1], parts[0]) if swapped else parts[:2]
        return writing.certificate(claim, "PROVED", writing.composed(parts, LATTICE))

    assert least(made) < 1
    assert alike(made(STEPS * 9 // 10, swapped=True)) != "accepted"


def broken(tree):
    """The certificate in forms that it must not have, with what is done."""

    def one(change):
        made = json.loads(json.dumps(tree))
        change(made["claim"], made["because"]["runs"][0])
        return made

    yield "no points", one(lambda _, part: part.update(points=[]))
    yield "pairs", one(lambda _, part: (part.pop("points"), part.update(pairs=[])))
    yield "a grid alone", one(lambda _, part: (part.pop("points"), part.update(grid=GRID)))
    yield "another key", one(lambda _, part: part.update(grid=GRID))
    yield "t below 1", one(lambda _, part: part["points"][0].__setitem__(0, "1/2"))
    yield "d above 1", one(lambda _, part: part["points"][0].__setitem__(1, "3/2"))
    yield "no grid", one(lambda _, part: part["points"][0].__setitem__(2, {}))
    yield "a cover", one(lambda _, part: part["points"][0].__setitem__(2, {"pairs": []}))
    yield "a number", one(lambda _, part: part["points"][0].__setitem__(0, 1))
    yield "who comes", one(lambda claim, _: claim.update(neighbours="add-remove"))
    yield "a view", one(lambda claim, _: claim["runs"][0]["seen"].update(view="shuffled"))
    yield "three of two", one(lambda claim, _: claim["runs"][0]["seen"]["each"].update(private=["1", "0", "0"]))
    yield "share above 1", one(lambda claim, _: claim["runs"][0]["seen"]["each"].update(private=["1", "2"]))
    yield "no data", one(lambda claim, _: claim.pop("data"))
    yield "refuted", one(lambda _, part: None) | {"verdict": "REFUTED"}


@pytest.mark.parametrize("data", ["same", "any"])
def test_malformed_certificates_of_any_randomizer(data, verified_kernel, tmp_path):
    files = [text(made) for _, made in broken(private(3, "0", 4, 2, STEPS, data))]
    good = [private(3, "0", 4, 2, delta, data) for delta in (STEPS, STEPS * 9 // 10, 1)]
    files += [text(one) for one in good]
    for data, found in zip(files, verified.verdicts(tmp_path, files), strict=True):
        assert decide.verdict(data) == found or found[0] == "malformed" == decide.verdict(data)[0], data
    assert {alike(tree) for _, tree in broken(good[0])} == {"malformed"}


def test_the_engine_writes_them(capsys, tmp_path):
    """Of any randomizer alone, and beside randomized response."""
    for system, given in (
        ("any_ldp", ("-p", "eps0=log(3)", "--times", "4", "--data", "same")),
        ("any_ldp,rr", ("-p", "any_ldp.eps0=1", "-p", "rr.flip=1/4", "--times", "2,3", "--data", "adaptive")),
    ):
        path = tmp_path / f"{system}.json"
        asked = ("--n", "8", "--eps", "1", "--points", "6", "-o", path)
        assert call(capsys, "compose", system, *given, *asked)[0] == 0
        status, out, _ = call(capsys, "check", path)
        assert status == 0 and "theorem check_runs_sound" in out and "[verify/kernel.py: accepted]" in out
