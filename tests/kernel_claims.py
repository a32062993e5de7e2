"""Claims of version 2 and tables that several tests of the kernel use, and their deltas by independent roads."""

import itertools
import json
import math
from collections import Counter
from fractions import Fraction
from typing import Any

import mpmath

from tests.kernel_battery import row
from verify import kernel

F = Fraction
HALF = {"law": "binomial", "n": 5, "p": "1/2"}


def version_two(claim: dict[str, Any], evidence: Any, eps: str, delta: str, verdict: str = "PROVED") -> bytes:
    whole = {"adjacency": "replace", "datasets": "all", "eps": eps, "delta": delta} | claim
    tree = {"format": "shufflecert certificate", "version": 2, "claim": whole}
    return json.dumps(tree | {"verdict": verdict, "evidence": evidence}).encode()


def mechanism(seen: Any, eps: str, delta: str, ends: tuple[str, str], verdict: str = "PROVED") -> bytes:
    evidence = {"delta": dict(zip(("lower", "upper"), ends, strict=True))}
    return version_two({"mechanism": seen}, evidence, eps, delta, verdict)


def randomized(rows: list[Any], n: int, evidence: Any, eps: str, delta: str, verdict: str) -> bytes:
    return version_two({"randomizer": {"rows": rows}, "view": "shuffled", "n": n}, evidence, eps, delta, verdict)


def rounded(number: Any, ulps: int = 0, up: bool = False, digits: int = 30) -> str:
    """A number above 0 as a DECIMAL of so many digits, rounded down or up, and so many last places further."""
    with mpmath.workdps(60 + digits):
        exact = mpmath.mpf(number.numerator) / number.denominator if isinstance(number, Fraction) else number
        power = digits - 1 - int(mpmath.floor(mpmath.log10(exact)))
        scaled = exact * mpmath.mpf(10) ** power
        whole = int(mpmath.ceil(scaled) if up else mpmath.floor(scaled)) + ulps
    return f"{whole}e-{power}" if power >= 0 else str(whole * 10**-power)


def sides(number: Any, digits: int = 30) -> list[tuple[tuple[str, str], str]]:
    """Ends that hold, and ends that miss by one place of the last digit."""
    low, high = rounded(number, digits=digits), rounded(number, up=True, digits=digits)
    return [
        ((low, high), "accepted"),
        ((rounded(number, 1, digits=digits), "1"), "rejected"),
        (("0", rounded(number, -1, up=True, digits=digits)), "rejected"),
    ]


def assert_mechanism(seen: Any, eps: str, delta: Any, digits: int = 30, **limits: int) -> None:
    for ends, status in sides(delta, digits):
        verdict = kernel.check(mechanism(seen, eps, "1", ends), **limits)
        assert verdict.status == status, (ends, verdict)
    below, above = (rounded(delta, 3 * sign, up=sign > 0, digits=10) for sign in (-1, 1))
    for claimed, proved, refuted in ((above, "accepted", "rejected"), (below, "rejected", "accepted")):
        whole, power = claimed.split("e-")
        text = f"{whole}/{10 ** int(power)}"
        assert kernel.check(mechanism(seen, eps, text, ("0", "1")), **limits).status == proved
        assert kernel.check(mechanism(seen, eps, text, ("0", "1"), "REFUTED"), **limits).status == refuted


def exact_law(noise: dict[str, Any]) -> dict[int, Fraction]:
    n, p = noise["n"], F(noise["p"])
    return {k: math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


def stick(p: dict[Any, Fraction], q: dict[Any, Fraction], ratio: Fraction) -> Fraction:
    return sum((max(weight - ratio * q.get(y, 0), F(0)) for y, weight in p.items()), F(0))


def moved(law: dict[int, Fraction], j: int) -> dict[int, Fraction]:
    return {k + j: weight for k, weight in law.items()}


def both(p: dict[int, Fraction], q: dict[int, Fraction]) -> dict[tuple[int, int], Fraction]:
    return {(x, y): v * w for (x, v), (y, w) in itertools.product(p.items(), q.items())}


SMALL = [
    {"view": "count", "noise": HALF, "sensitivity": 1},
    {"view": "count", "noise": HALF, "sensitivity": 3},
    {"view": "count", "noise": {"law": "binomial", "n": 7, "p": "2/3"}, "sensitivity": 9},
    {"view": "count", "noise": {"law": "binomial", "n": 4, "p": "0/3"}, "sensitivity": 1},
    {"view": "count", "noise": {"law": "binomial", "n": 4, "p": "2/2"}, "sensitivity": 2},
    {"view": "histogram", "noise": HALF, "buckets": 2},
    {"view": "histogram", "noise": {"law": "binomial", "n": 9, "p": "3/10"}, "buckets": 7},
    {"view": "strings", "flip": "1/4", "strings": 1},
    {"view": "strings", "flip": "3/10", "strings": 6},
]


def weights(noise: dict[str, Any], digits: int = 80) -> list[Any]:
    """All but a negligible part of the law, from k = 0."""
    with mpmath.workdps(digits):
        number = {
            key: mpmath.mpf(F(noise[key]).numerator) / F(noise[key]).denominator for key in noise if key in "plamrq"
        }
        if noise["law"] == "poisson":
            lam = number["lam"]
            return [mpmath.exp(-lam) * lam**k / mpmath.factorial(k) for k in range(int(lam) * 3 + 200)]
        p = number["p"]
        if noise["law"] == "binomial":
            n = noise["n"]
            return [mpmath.binomial(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)]
        r, law = number["r"], []
        for k in range(1200):
            law.append((1 - p) ** r if k == 0 else law[-1] * p * (k + r - 1) / k)
        return law


def e_to(eps: str) -> Any:
    rational = F(eps[4:-1] if "log" in eps else eps)
    number = mpmath.mpf(rational.numerator) / rational.denominator
    return number if "log" in eps else mpmath.exp(number)


def positive(atoms: Any, ratio: Any) -> Any:
    return mpmath.fsum(max(p - ratio * q, 0) for p, q in atoms)


LARGE = {"law": "binomial", "n": 1500, "p": "3/10"}


def flips(flip: Fraction) -> list[Any]:
    keep, other = str(1 - flip), str(flip)
    return [row("0", ("0", keep), ("1", other)), row("1", ("0", other), ("1", keep))]


SWAP = [{"inputs": {"0": "1", "1": "0"}, "messages": {"0": "1", "1": "0"}}]


THREE = [
    row("x", ("", "1/2"), ("a", "1/4"), ("aaa", "1/4")),
    row("y", ("a", "1/3"), ("aa", "2/3")),
    row("z", ("aa", "1")),
]
LINE = [row("x", ("ab", "1/2"), ("aabb", "1/2")), row("y", ("aabb", "1/3"), ("aaaabbbb", "2/3"))]


def uniform(k: int, gamma: Fraction) -> list[Any]:
    names = [str(x) for x in range(k)]
    return [row(x, *(([y], str(gamma / k + (1 - gamma if x == y else 0))) for y in names)) for x in names]


def blanket_bound(rows: list[Any], n: int, ratio: Fraction) -> Fraction:
    """The lemma's bound, largest over all pairs, by fractions: all counts of the outputs among n draws."""
    laws = [{tuple(sorted(o["send"])): F(o["p"]) for o in r["outputs"]} for r in rows]
    every = {y for law in laws for y in law}
    floor = {y: min(law.get(y, F(0)) for law in laws) for y in every}
    worst = F(0)
    for p, q in itertools.permutations(laws, 2):
        direct = sum((max(p.get(y, F(0)) - ratio * q.get(y, F(0)), F(0)) for y in every if not floor[y]), F(0))
        losses = Counter({F(0): 1 - sum(floor.values())})
        for y in every:
            if floor[y]:
                losses[(p.get(y, F(0)) - ratio * q.get(y, F(0))) / floor[y]] += floor[y]
        total = {F(0): F(1)}
        for _ in range(n):
            later = Counter[Fraction]()
            for (s, v), (loss, w) in itertools.product(total.items(), losses.items()):
                later[s + loss] += v * w
            total = later
        worst = max(worst, direct + sum((s * w for s, w in total.items() if s > 0), F(0)) / n)
    return worst


def hints(step: str, cells: int, tilt: str) -> dict[str, Any]:
    return {"blanket": {"step": step, "cells": cells, "tilt": tilt}}


UNEQUAL = [
    row("x", ("a", "1/2"), ("b", "1/4"), ("c", "1/4")), row("y", ("a", "1/4"), ("b", "1/2"), ("c", "1/4")),
    row("z", ("a", "1/3"), ("b", "1/3"), ("c", "1/6"), ("d", "1/6")),
]  # fmt: skip


def event_value(
    rows: list[Any], source: str, target: str, others: dict[str, int], weigh: Any, above: int, ratio: Any
) -> Any:
    """P(E) - ratio Q(E) by fractions: the law of the weighted sum, one user at a time."""
    laws = {r["input"]: [(sum(weigh.get(m, 0) for m in o["send"]), F(o["p"])) for o in r["outputs"]] for r in rows}

    def law(users: list[str]) -> Counter[int]:
        total = Counter({0: F(1)})
        for user in users:
            later = Counter[int]()
            for (s, v), (step, w) in itertools.product(total.items(), laws[user]):
                later[s + step] += v * w
            total = later
        return total

    users = [name for name, count in others.items() for _ in range(count)]
    p, q = (sum((w for s, w in law([user, *users]).items() if s > above), F(0)) for user in (source, target))
    return p - ratio * q


def threshold(named: Any, weigh: dict[str, int], above: int) -> dict[str, Any]:
    return {"pair": named, "threshold": {"weights": {m: str(w) for m, w in weigh.items()}, "above": str(above)}}
