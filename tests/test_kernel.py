"""The kernel against hand-made certificates, closed forms, mpmath and brute force.

Every check is a function of the kernel: tests/kernel_mutants.py runs the same battery against damaged kernels. Files in
accepted/ and rejected/ carry their closed form in `note`; those in malformed/ are listed here with their place.
"""

import contextlib
import io
import itertools
import json
import math
import random
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import pytest

from verify import kernel

HERE = Path(__file__).parent

MALFORMED = {
    "adjacency-other": "claim.adjacency",
    "byte-order-mark": "file",
    "claim-list": "claim",
    "cover-long": "evidence.cover[3]",
    "cover-negative": "evidence.cover[0]",
    "cover-short": "evidence.cover",
    "cover-unknown": "evidence.cover[0]",
    "datasets-other": "claim.datasets",
    "delta-above-one": "claim.delta",
    "delta-arabic": "claim.delta",
    "delta-decimal": "claim.delta",
    "delta-denominator": "claim.delta",
    "delta-leading-zeros": "claim.delta",
    "delta-newline": "claim.delta",
    "delta-number": "claim.delta",
    "delta-sign": "claim.delta",
    "delta-space": "claim.delta",
    "empty": "file",
    "eps-above": "claim.eps",
    "eps-empty": "claim.eps",
    "eps-log-below-one": "claim.eps",
    "eps-log-denominator": "claim.eps",
    "eps-log-open": "claim.eps",
    "eps-null": "claim.eps",
    "event-list": "evidence.event[0]",
    "event-local-multiset": "evidence.event[0]",
    "event-local-twice": "evidence.event",
    "event-local-unknown": "evidence.event[1][1]",
    "event-twice": "evidence.event",
    "event-unknown": "evidence.event[0]",
    "event-from-to-equal": "evidence.pair.to",
    "event-zero": "evidence.event[0].0",
    "exponent-number": "claim.n",
    "format-other": "format",
    "from-to-equal": "evidence.worst.pair.to",
    "from-unknown": "evidence.worst.pair.from",
    "infinity-in-note": "file",
    "key-twice": "file",
    "key-twice-in-note": "file",
    "label-empty": "claim.randomizer.rows[0].outputs[0].send[0]",
    "label-long": "claim.randomizer.rows[0].input",
    "label-number": "claim.randomizer.rows[0].outputs[0].send[0]",
    "latin-1": "file",
    "list": "file",
    "lower-exponent-sign": "evidence.worst.delta.lower",
    "lower-fraction": "evidence.worst.delta.lower",
    "lower-sign": "evidence.worst.delta.lower",
    "missing-evidence": "evidence",
    "missing-key": "claim.eps",
    "missing-send": "claim.randomizer.rows[0].outputs[0].send",
    "n-digits": "claim.n",
    "n-float": "claim.n",
    "n-large": "claim.n",
    "n-negative": "claim.n",
    "n-other": "evidence.worst.pair.others",
    "n-text": "claim.n",
    "n-true": "claim.n",
    "n-zero": "claim.n",
    "nan": "file",
    "no-outputs": "claim.randomizer.rows[0].outputs",
    "no-rows": "claim.randomizer.rows",
    "not-json": "file",
    "note-list": "note",
    "others-local": "evidence.pair.others",
    "others-missing": "evidence.worst.pair.others",
    "others-sum": "evidence.worst.pair.others",
    "others-unknown": "evidence.worst.pair.others",
    "others-zero": "evidence.worst.pair.others.1",
    "proof-of-refuted": "evidence.event",
    "rows-object": "claim.randomizer.rows",
    "same-input": "claim.randomizer.rows[1].input",
    "same-send": "claim.randomizer.rows[0].outputs",
    "send-text": "claim.randomizer.rows[0].outputs[0].send",
    "sum-above": "claim.randomizer.rows[0].outputs",
    "sum-below": "claim.randomizer.rows[1].outputs",
    "symmetry-input-unknown": "evidence.symmetries[0].inputs",
    "symmetry-key": "evidence.symmetries[0].outputs",
    "symmetry-list": "evidence.symmetries[0].inputs",
    "symmetry-message-unknown": "evidence.symmetries[0].messages.0",
    "symmetry-not-injective": "evidence.symmetries[0].messages",
    "symmetry-not-permutation": "evidence.symmetries[0].inputs",
    "unknown-key": "claim.comment",
    "unknown-key-output": "claim.randomizer.rows[0].outputs[1].q",
    "unknown-key-top": "comment",
    "upper-exponent": "evidence.worst.delta.upper",
    "upper-exponent-long": "evidence.worst.delta.upper",
    "upper-point": "evidence.worst.delta.upper",
    "verdict-other": "verdict",
    "version-text": "version",
    "version-true": "version",
    "version-two": "evidence.blanket",
    "view-other": "claim.view",
    "worst-for-one": "evidence.worst",
    "worst-null": "evidence.worst",
    "zero-weight": "claim.randomizer.rows[0].outputs[1].p",
}


def row(name: str, *outputs: tuple[Any, str]) -> dict[str, Any]:
    return {"input": name, "outputs": [{"send": list(send), "p": p} for send, p in outputs]}


def certificate(rows: list[Any], n: int, eps: str, delta: str, evidence: Any, view: str = "shuffled") -> bytes:
    claim = {"randomizer": {"rows": rows}, "adjacency": "replace", "view": view, "n": n, "datasets": "all"}
    tree = {"format": "shufflecert certificate", "version": 1, "claim": claim | {"eps": eps, "delta": delta}}
    return json.dumps(tree | {"verdict": "REFUTED" if "event" in evidence else "PROVED", "evidence": evidence}).encode()


def proof(pair: Any, lower: str = "0", upper: str = "1", symmetries: Any = ()) -> dict[str, Any]:
    return {"symmetries": list(symmetries), "worst": {"pair": pair, "delta": {"lower": lower, "upper": upper}}}


def pair(source: str, target: str, others: dict[str, int] | None = None) -> dict[str, Any]:
    return {"from": source, "to": target} | ({} if others is None else {"others": others})


SINGLE = {"symmetries": [], "worst": None}
ZSUM = [row("0", ([], "1/20"), ("1", "19/20")), row("1", ("1", "1/20"), ("11", "19/20"))]
HALF = [row("0", ("0", "3/4"), ("1", "1/4")), row("1", ("0", "1/4"), ("1", "3/4"))]
SYMMETRIC = [row(x, *((y, "1/2" if x == y else "1/4") for y in "abc")) for x in "abc"]
S3 = [{"inputs": m, "messages": m} for m in ({"a": "b", "b": "a"}, {"a": "b", "b": "c", "c": "a"})]


# ---- brute force: every user's every output, in fractions ----


def view_law(rows: list[Any], dataset: tuple[str, ...], view: str) -> dict[Any, Fraction]:
    outputs = {r["input"]: [(tuple(o["send"]), Fraction(o["p"])) for o in r["outputs"]] for r in rows}
    law: dict[Any, Fraction] = Counter()
    for sent in itertools.product(*(outputs[x] for x in dataset)):
        tuples = [send for send, _ in sent]
        together = tuple(sorted(m for send in tuples for m in send))
        apart = tuple(tuple(sorted(t)) for t in tuples)
        law[{"shuffled": together, "preshuffle": apart, "local": tuple(tuples)}[view]] += math.prod(p for _, p in sent)
    return law


def brute_force(rows: list[Any], n: int, ratio: Fraction, view: str) -> dict[Any, Fraction]:
    """delta(log(ratio)) of every pair of neighbouring datasets."""
    inputs = [r["input"] for r in rows]
    deltas = {}
    for others in itertools.combinations_with_replacement(inputs, n - 1):
        laws = {x: view_law(rows, (x, *others), view) for x in inputs}
        for a, b in itertools.permutations(inputs, 2):
            terms = (p - ratio * laws[b].get(y, 0) for y, p in laws[a].items())
            deltas[a, b, others] = sum((term for term in terms if term > 0), Fraction(0))
    return deltas


def random_battery(seed: int) -> list[tuple[str, bytes, str]]:
    """A random randomizer at its exact delta and a little below, and its worst pair's best event."""
    rng = random.Random(seed)
    view, n, cases = ("shuffled", "local", "preshuffle", "shuffled")[seed % 4], rng.choice((1, 2, 3)), []
    rows = []
    for name in "xyz"[: rng.choice((2, 3))]:
        sends = rng.sample([(), ("a",), ("b",), ("a", "b"), ("b", "a"), ("a", "a"), ("c",)], rng.choice((2, 3)))
        weights = [rng.randint(1, 5) for _ in sends]
        rows.append(row(name, *((send, f"{w}/{sum(weights)}") for send, w in zip(sends, weights, strict=True))))
    ratio = Fraction(rng.choice((1, rng.randint(5, 9))), 1) / rng.choice((1, 4)) or Fraction(1)
    ratio = max(ratio, Fraction(1))
    deltas = brute_force(rows, n, ratio, view)
    (a, b, others), top = max(deltas.items(), key=lambda item: item[1])
    eps = f"log({ratio})"
    named = pair(a, b, dict(Counter(others)) if view == "shuffled" else None)
    scaled = top * 10**20
    low, high = (f"{int(end)}e-20" for end in (math.floor(scaled), math.ceil(scaled)))
    cases.append((f"random-{seed}", certificate(rows, n, eps, str(top), proof(named, low, high), view), "accepted"))
    if top > 0:
        less = certificate(rows, n, eps, str(top - Fraction(1, 10**25)), proof(named, low, high), view)
        cases.append((f"random-{seed}-delta", less, "rejected"))
        above = proof(named, f"{math.floor(scaled) + 1}e-20", "1")
        cases.append((f"random-{seed}-lower", certificate(rows, n, eps, "1", above, view), "rejected"))
    if top > 0 and view != "preshuffle":
        laws = [view_law(rows, (x, *(others if view == "shuffled" else ())), view) for x in (a, b)]
        best = [y for y, p in laws[0].items() if p > ratio * laws[1].get(y, 0)]
        event = [dict(Counter(y)) if view == "shuffled" else list(y[0]) for y in best]
        refutation = {"pair": named, "event": event}
        just_below = str(top - Fraction(1, 10**25))
        cases.append((f"random-{seed}-event", certificate(rows, n, eps, just_below, refutation, view), "accepted"))
        cases.append((f"random-{seed}-event-equal", certificate(rows, n, eps, str(top), refutation, view), "rejected"))
    return cases


def edges() -> list[tuple[str, bytes, str]]:
    """Sizes at the limits of the format, just inside and just outside."""

    def local(delta: str = "1/2", eps: str = "0", lower: str = "0", names: str = "0", n: int = 1) -> bytes:
        rows = [row(names, ("0", "3/4"), ("1", "1/4")), HALF[1]]
        return certificate(rows, n, eps, delta, proof(pair(names, "1"), lower), "local")

    def event(count: str) -> bytes:
        data = certificate(HALF, 1, "0", "0", {"pair": pair("0", "1", {}), "event": [{"1": 987}]})
        return data.replace(b"987", count.encode())

    digits = 100_000
    return [
        ("digits", local("1" * digits + "/" + "2" * digits), "accepted"),
        ("digits-numerator", local("0" * digits + "1/2"), "malformed"),
        ("digits-denominator", local("1/" + "2" * (digits + 1)), "malformed"),
        ("delta-one", local("7/7"), "accepted"),
        ("eps-most", local(eps="20000/2"), "accepted"),
        ("eps-more", local(eps="20001/2"), "malformed"),
        ("log-one", local(eps="log(3/3)"), "accepted"),
        ("log-long", local(eps="log(" + "3" * digits + "/" + "1" * digits + ")"), "accepted"),
        ("log-longer", local(eps="log(" + "3" * (digits + 1) + ")"), "malformed"),
        ("label", local(names="x" * 1000), "accepted"),
        ("surrogate", local(names="\ud800"), "accepted"),
        ("n-most", local(n=10**9), "accepted"),
        ("exponent-most", local(lower="5e-100000"), "accepted"),
        ("exponent-zeros", local(lower="0.4e-01"), "malformed"),
        ("exponent-one", local(lower="0.4e-1"), "accepted"),
        ("leading-zero", local("01/2"), "malformed"),
        ("leading-zero-below", local("1/02"), "malformed"),
        ("leading-zero-lower", local(lower="00.1"), "malformed"),
        ("leading-zero-eps", local(eps="log(03)"), "malformed"),
        ("exponent-used", local(lower="0.6e-0"), "rejected"),
        ("exponent-more", local(lower="5e-100001"), "malformed"),
        ("decimal-digits", local(lower="0." + "4" * (digits - 1)), "accepted"),
        ("decimal-digits-more", local(lower="0." + "4" * digits), "malformed"),
        ("decimal-point", local(lower="1."), "malformed"),
        ("decimal-attained", local(lower="5.00e-1"), "accepted"),
        ("decimal-above", local(lower="50." + "0" * 50 + "1e-2"), "rejected"),
        ("deep", b"[" * 200_000 + b"]" * 200_000, "malformed"),
        ("deep-note", b'{"note":' * 100_000 + b"1" + b"}" * 100_000, "malformed"),
        ("note", local()[:-1] + b', "note": ""}', "accepted"),
        ("note-object", local()[:-1] + b', "note": {"a": ""}}', "malformed"),
        ("note-number", local()[:-1] + b', "note": 1}', "malformed"),
        ("byte-order-mark", b"\xef\xbb\xbf" + local(), "malformed"),
        ("log-unclosed", local(eps="log(25"), "malformed"),
        ("send-twice", certificate([row("0", ("0", "1/2"), ("0", "1"))], 1, "0", "0", SINGLE), "malformed"),
        ("count-digits", event("1" * digits), "rejected"),
        ("count-digits-more", event("1" * (digits + 1)), "malformed"),
        ("huge-count", local().replace(b'"n": 1,', b'"n": ' + b"1" * 200_000 + b","), "malformed"),
        ("binary", bytes(range(256)), "malformed"),
        ("scalar", b"3", "malformed"),
        ("null", b"null", "malformed"),
    ]


QUICK = 2 * 10**6  # work that is enough for all but the files in undecided/


def files(status: str) -> list[tuple[str, bytes, str]]:
    return [(file.stem, file.read_bytes(), status) for file in sorted((HERE / status).glob("*.json"))]


BATTERY = [
    *(case for seed in range(24) for case in random_battery(seed)),
    *(case for status in ("accepted", "rejected", "malformed", "undecided") for case in files(status)),
    *edges(),
]


# ---- parts of the kernel, each against a closed form ----


def natural_reads_digits(k: Any) -> None:
    """7 0...0 3 with z zeros is 7 * 10^(z+1) + 3."""
    for zeros in (0, 1, 597, 598, 599, 600, 1199, 5001):
        assert k.natural("7" + "0" * zeros + "3") == 7 * 10 ** (zeros + 1) + 3
    for ones in (601, 603, 1201, 5000):
        assert k.natural("1" * ones) == (10**ones - 1) // 9
    assert k.natural("0" * 3000 + "12") == 12


def multisets_are_binomials(k: Any) -> None:
    for size, kinds in itertools.product(range(8), range(1, 8)):
        assert k.multisets(size, kinds) == math.comb(size + kinds - 1, kinds - 1)
    assert k.multisets(10**9, 10**6) == k.multisets(60, 60) == k.MANY == 10**18
    assert k.multisets(10**18 - 2, 2) == 10**18 - 1


EPS = [(0, 1), (1, 10**30), (1, 10**400), (1, 3), (1, 2), (10, 10), (3, 2), (50, 1), (99999, 1000), (10000, 1)]


def enclosures_hold(k: Any) -> None:
    """e^eps by mpmath at 6000 bits lies inside; the width is relative."""
    for (p, q), bits in itertools.product(EPS, (1, 7, 64, 300)):
        low, high, scale = k.enclose((p, q, False), bits, k.Budget())
        with mpmath.workprec(6000 if p > 9 * q else 2000):
            exact = mpmath.exp(mpmath.mpf(p) / q)
            assert low <= exact * scale <= high
            assert p == 0 or low < exact * scale < high
        assert (high - low) << bits < high
        assert scale.bit_length() <= 2 * bits + 60  # and not by working at far more bits than were asked for
    assert k.enclose((0, 9, False), 64, k.Budget()) == (1, 1, 1)
    assert k.enclose((9, 4, True), 64, k.Budget()) == (9, 9, 4)


def signs(k: Any) -> None:
    """[least, most]/whole against bounds: on either side, and at both ends, where `least` and `most` are attained."""
    assert [k.settled((3, 5, 8), (bound, 16), True) for bound in (5, 6, 7, 10, 11)] == [True, True, None, None, False]
    assert [k.settled((3, 5, 8), (bound, 16), False) for bound in (5, 6, 7, 10, 11)] == [False, None, None, True, True]
    assert k.settled((3, 3, 8), (3, 8), True) is k.settled((3, 3, 8), (3, 8), False) is True
    p, q, log2 = [(0, 3), (1, 1)], [(0, 1), (1, 3)], (2, 1, True)
    atoms = k.aligned(p, q, k.Budget())
    assert atoms == [(3, 1), (1, 3)]
    ends = k.enclose(log2, 64, k.Budget())
    assert k.divergence((atoms, 0, 4), None, ends, k.Budget()) == (1, 1, 4)
    assert k.divergence((atoms, 1, 4), None, ends, k.Budget()) == (0, 2, 4)
    low, high, scale = k.enclose((1, 2, False), 64, k.Budget())
    least, most, whole = k.divergence((atoms, 0, 4), None, (low, high, scale), k.Budget())
    assert (least, most, whole) == (3 * scale - high, 3 * scale - low, 4 * scale)


def too_few_bits_is_undecided(k: Any) -> None:
    """3/4 - e^(1/2)/4 rounded at 40 digits, down and up: 64 bits cannot tell, more can, and never on the wrong side."""
    with mpmath.workdps(60):
        digits = int(mpmath.floor((mpmath.mpf(3) / 4 - mpmath.exp(mpmath.mpf(1) / 2) / 4) * mpmath.mpf(10) ** 40))
    for end, proved, refuted in ((digits, "rejected", "accepted"), (digits + 1, "accepted", "rejected")):
        delta = f"{end}/{10**40}"
        proves = certificate(HALF, 1, "1/2", delta, proof(pair("0", "1", {})))
        refutes = certificate(HALF, 1, "1/2", delta, {"pair": pair("0", "1", {}), "event": [{"0": 1}]})
        bounds = certificate(HALF, 1, "1/2", "1", proof(pair("0", "1", {}), f"{end}e-40"))
        for data, status in ((proves, proved), (refutes, refuted), (bounds, refuted)):
            verdict = k.check(data, max_bits=64)
            assert verdict.status == "undecided" and verdict.reason.startswith("too few bits: 64 bits")
            assert k.check(data, max_bits=100).status == "undecided"
            assert k.check(data, max_bits=128).status == status
            assert k.check(data, max_bits=201).status == status
    assert k.check(refutes, max_bits=1).status == "undecided"
    assert k.check(certificate(HALF, 1, "1/2", "1", proof(pair("0", "1", {}))), max_bits=4).status == "accepted"


def read_laws(k: Any, rows: list[Any], n: int, symmetries: Any = ()) -> Any:
    names = [r["input"] for r in rows]
    others = {names[0]: n - 1} if n > 1 else {}
    data = certificate(rows, n, "0", "1", proof(pair(names[0], names[1], others), symmetries=symmetries))
    return k.read(data, k.Budget())


def work_is_spent(k: Any) -> None:
    """What is spent is gone, by the bits of the operands; memory may be given back; neither goes below 0."""
    budget = k.Budget(64, 1000, 10_000)
    budget.spend(10)
    first = budget.work
    budget.spend(10, 1500, 1500)
    assert 1000 > first > budget.work + 2 * (1000 - first)
    with pytest.raises(k.Stop) as stop:
        budget.spend(1, 10**6, 10**6)
    assert stop.value.args[0] == "undecided" and "than 1000 steps, allow more with --max-work" in stop.value.args[1]
    budget.hold(50, 70)
    kept = budget.memory
    assert 10_000 - kept >= 50 * (36 + 10)
    with pytest.raises(k.Stop) as stop:
        budget.hold(1, 10**6)
    assert stop.value.args[0] == "undecided" and "too much memory: more than 10000 bytes" in stop.value.args[1]
    large = [k.Budget(64, 10**15) for _ in range(2)]
    large[0].spend(1, 10**6, 10**6)
    large[1].spend(1, 2 * 10**6, 2 * 10**6)
    spent = [10**15 - budget.work for budget in large]
    assert 2 * spent[0] < spent[1] < 4 * spent[0]


def decimal_digits(number: int) -> str:
    """`str` of a number of more digits than `str` writes."""
    return str(number) if number < 10**4000 else decimal_digits(number // 10**4000) + f"{number % 10**4000:04000}"


def limits_of_work(k: Any) -> None:
    """Each certificate has work at which it is accepted, and with half of that it is not."""
    names = ("rr-two", "zsum-hundred", "krr-two", "multi-local", "gap-local-zero", "rr-two-refuted")
    for name in names:
        data = (HERE / "accepted" / f"{name}.json").read_bytes()
        work = 1
        while k.check(data, max_work=work).status == "undecided":
            assert "too much work" in k.check(data, max_work=work).reason and work < 10**7
            work *= 2
        assert work > 64 and k.check(data, max_work=work).status == "accepted"


def enormous_work_is_refused(k: Any) -> None:
    for rows, n in ((ZSUM, 10**9), (SYMMETRIC, 10**9), (SYMMETRIC, 10**4)):
        names = [r["input"] for r in rows]
        data = certificate(rows, n, "1/2", "1/10", proof(pair(names[0], names[1], {names[0]: n - 1})))
        verdict = k.check(data, max_work=10**5)
        assert verdict.status == "undecided" and "--max-work" in verdict.reason
    event = {"pair": pair("0", "1", {"0": 10**9 - 1}), "event": []}
    assert k.check(certificate(ZSUM, 10**9, "1/2", "0", event), max_work=10**5).status == "undecided"
    coprime = [row("x", *(((str(i),), f"1/{2**9000 + i}") for i in range(2000)))]
    assert k.check(certificate(coprime, 1, "0", "0", SINGLE), max_work=10**5).status == "undecided"
    wide = [row(str(i), ((str(i),), "1")) for i in range(5000)]
    named = proof(pair("0", "1", {"0": 1}))
    assert k.check(certificate(wide, 2, "0", "1", named), max_work=10**5).status == "undecided"


def products_are_powers(k: Any) -> None:
    """(1 + 2x)^a (3 + x^100)^b x^(10000 c), by the binomial theorem."""
    wanted = [c for c in itertools.product(range(4), repeat=3) if sum(c) == 3 or c == (0, 0, 0)]
    laws = [[(0, 1), (1, 2)], [(0, 3), (100, 1)], [(10_000, 1)]]
    found = list(k.products([(c, c) for c in wanted], laws, k.Budget()))
    assert [counts for counts, _ in found] == wanted
    for (a, b, c), product in found:
        assert product == sorted(
            (i + 100 * j + 10_000 * c, math.comb(a, i) * 2**i * math.comb(b, j) * 3 ** (b - j))
            for i in range(a + 1)
            for j in range(b + 1)
        )


def products_share_prefixes(k: Any) -> None:
    """Three kinds, five factors: one product for each multiset of 1 to 5 of 3 kinds, 3 + 6 + 10 + 15 + 21."""
    steps, multiply = [], k.multiply
    k.multiply = lambda a, b, budget: steps.append(1) or multiply(a, b, budget)
    list(k.products([(c, 0) for c in itertools.product(range(6), repeat=3) if sum(c) == 5], [[(0, 1)]] * 3, k.Budget()))
    k.multiply = multiply
    assert len(steps) == 55


def places_are_gathered(k: Any) -> None:
    assert k.gather([(3, 1), (-1, 4), (3, 5), (2**61 + 2, 1)]) == [(-1, 4), (3, 6), (2**61 + 2, 1)]
    assert k.multiply([(0, 1), (1, 2)], [(0, 3), (1, 4)], k.Budget()) == [(0, 3), (1, 10), (2, 8)]
    assert k.aligned([(0, 1), (5, 2)], [(-3, 7), (5, 1)], k.Budget()) == [(0, 7), (1, 0), (2, 1)]


def compositions_are_all(k: Any) -> None:
    for total, parts in itertools.product(range(6), range(1, 5)):
        every = [c for c in itertools.product(range(total + 1), repeat=parts) if sum(c) == total]
        assert list(k.compositions(total, parts)) == every


def classes_are_shifts(k: Any) -> None:
    """x, y differ by a, z by ab; w has other weights, v has a gap of two."""
    rows = [
        row("x", ("", "1/3"), ("a", "2/3")), row("y", ("a", "1/3"), ("aa", "2/3")), row("w", ("", "2/3"), ("a", "1/3")),
        row("z", ("aab", "2/3"), ("ba", "1/3")), row("v", ("", "1/3"), ("aa", "2/3")),
    ]  # fmt: skip
    class_of, laws = k.classes(read_laws(k, rows, 2), k.Budget())
    assert class_of == {"x": 0, "y": 0, "w": 2, "z": 0, "v": 1}
    assert laws == [{(): 1, (("a", 1),): 2}, {(): 1, (("a", 2),): 2}, {(): 2, (("a", 1),): 1}]


def packing_separates(k: Any) -> None:
    """Up to three users of up to two messages: all 28 multisets of at most 6 of two messages have keys of their own."""
    cert, budget = read_laws(k, [row("x", ("aa", "1/2"), ("b", "1/2")), row("y", ("a", "1"))], 3), k.Budget()
    sizes = itertools.product(range(7), repeat=2)
    bags = [tuple((m, c) for m, c in zip("ab", counts, strict=True) if c) for counts in sizes]
    [poly] = k.pack(cert, [{bag: 1 for bag in bags if sum(c for _, c in bag) <= 6}], budget)
    assert len({key for key, _ in poly}) == 28 and poly == sorted(poly)
    many = {(("a", 7),): 1, (("c", 1),): 1, (("a", 3), ("b", 4)): 1}
    [one, two] = k.pack(cert, [many, {(("a", 2), ("b", 1)): 5}], budget)
    [[(a, _)], [(b, _)]] = k.pack(cert, [{(("a", 1),): 1}, {(("b", 1),): 1}], budget)
    assert one == [] and two == [(2 * a + b, 5)] and k.pack(cert, [{(): 3}], budget) == [[(0, 3)]]
    alone = read_laws(k, [row("x", ("aa", "1/2"), ("b", "1/2")), row("y", ("a", "1"))], 1)
    [x, y, other] = k.pack(alone, [*alone.laws.values(), many], budget)
    assert len(x) == 2 and len({key for key, _ in x + y}) == 3 and other == []


def orbits_partition(k: Any) -> None:
    """S_3 acts freely on the ordered pairs: 6 * 15 cases make 15 orbits, and their images are all the cases."""
    plain, cert = read_laws(k, SYMMETRIC, 5), read_laws(k, SYMMETRIC, 5, S3)
    class_of = {"a": 0, "b": 1, "c": 2}
    every = list(k.cases_of(plain, class_of, 3, k.Budget()))
    assert len(every) == len(set(every)) == 6 * 15 and all(a != b and sum(c) == 4 and len(c) == 3 for c, a, b in every)
    chosen = list(k.cases_of(cert, class_of, 3, k.Budget()))
    assert chosen == sorted(chosen) and len(chosen) == 15
    images = set()
    for perm in itertools.permutations("abc"):
        to = dict(zip("abc", perm, strict=True))
        for c, a, b in chosen:
            moved = tuple(c["abc".index(next(x for x in "abc" if to[x] == y))] for y in "abc")
            images.add((moved, to[a], to[b]))
    assert images == set(every)
    assert len(list(k.cases_of(read_laws(k, SYMMETRIC, 3, S3[1:]), class_of, 3, k.Budget()))) == 6 * 6 // 3


def pairs_are_counted(k: Any) -> None:
    for name, words in (
        ("krr-two", ": 3 of 18 pairs"), ("zsum-hundred", ": 2 of 200 pairs"), ("rr-two-refuted", " 1 of 4 pairs"),
        ("multi-local", ": 2 of 2 pairs of neighbouring datasets computed"), ("single-input", "no neighbouring"),
        ("krr-two", "computed, the others are equivalent"),
        ("gap-preshuffle", "PROVED: n = 1000000000, adjacency = replace, view = preshuffle, eps = log(8/5), delta"),
    ):  # fmt: skip
        assert words in k.check((HERE / "accepted" / f"{name}.json").read_bytes()).reason
    many = [row(str(i), ("a" * i, "1")) for i in range(30)]  # one class; 30 * 29 * C(69, 29) pairs, some 10^22
    verdict = k.check(certificate(many, 41, "0", "1", proof(pair("0", "1", {"3": 40}), "1", "1")))
    assert verdict.status == "accepted" and f"{30 * 29} of at least {30 * 29 * 10**18} pairs" in verdict.reason


def tightest_bound_is_named(k: Any) -> None:
    """delta = 1/2 at eps = 0 for n = 1; each bound too low by itself, and both with the lower one named."""
    for delta, upper, words in (
        ("1/3", "1", "claim.delta"), ("1", "0.3", "evidence.worst.delta.upper"), ("2/5", "0.4", "claim.delta"),
        ("4/10", "0.3", "evidence.worst.delta.upper"), ("3/10", "0.4", "claim.delta"),
    ):  # fmt: skip
        verdict = k.check(certificate(HALF, 1, "0", delta, proof(pair("0", "1", {}), "0", upper)))
        assert verdict.status == "rejected" and verdict.reason.startswith(words + ":")


def words_stay_on_one_line(k: Any) -> None:
    assert k.show("a\nb\u00e9\ud800") == "a\\nb\\xe9\\ud800" and k.show("x" * 80) == "x" * 80
    assert k.show("x" * 81) == "x" * 80 + "..."
    rows = [row("new\nline", ("0", "3/4"), ("1", "1/4")), HALF[1]]
    reason = k.check(certificate(rows, 1, "0", "0", proof(pair("new\nline", "1", {})))).reason
    assert "\n" not in reason and "new" in reason


def long_files_are_refused(k: Any) -> None:
    assert k.check(b" " * (2**26 + 1)).reason.startswith("file: expected at most")
    assert "expected JSON" in k.check(b" " * 2**26).reason
    assert "too much work" in k.check(b"1" * 2**26).reason
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "long.json"
        with path.open("wb") as file:
            file.truncate(2**26 + 1)
        assert "expected at most" in k.check_file(path).reason
        with path.open("wb") as file:
            file.truncate(2**26)
        assert "too much work" in k.check_file(path).reason
        assert k.check_file(folder).status == k.check_file("a\0b").status == "malformed"
    assert k.check_file(HERE / "no such file").status == "malformed"


def run(k: Any, *arguments: str) -> tuple[int, list[str]]:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        code = k.main(list(arguments))
    return code, out.getvalue().splitlines()


def command_line(k: Any) -> None:
    good, false, broken = (
        str(HERE / name) for name in ("accepted/rr-two.json", "rejected/rr-n.json", "malformed/n-zero.json")
    )
    close = str(HERE / "accepted/rr-local.json")
    code, lines = run(k, good)
    assert code == 0 and len(lines) == 1 and lines[0].startswith(f"{good}: accepted: PROVED: n = 2, ")
    assert run(k, false)[0] == run(k, good, false)[0] == 1
    assert run(k, good, "--max-work", "415")[0] == run(k, close, "--max-bits", "64")[0] == 3
    assert run(k, good, "--max-work", "100000")[0] == run(k, close, "--max-bits", "128")[0] == 0
    assert run(k, close, "--max-bits", "0")[0] == run(k, close, "--max-bits", "-5")[0] == 3
    assert run(k, false, close, "--max-bits", "64")[0] == 1
    code, lines = run(k, close, false, broken, good, "--max-bits", "64")
    assert code == 2 and [line.split(": ")[1] for line in lines] == ["undecided", "rejected", "malformed", "accepted"]
    assert (k.MAX_BITS, k.MAX_WORK, k.MAX_BYTES, k.MAX_DIGITS) == (65536, 8 * 10**7, 2**26, 10**5)


def out_of_memory_is_undecided(k: Any) -> None:
    def fail(*_: Any) -> Any:
        raise MemoryError

    read, k.read = k.read, fail
    assert k.check(b"") == ("undecided", "out of memory")
    k.read = read


def malformed_places(k: Any) -> None:
    for name, place in MALFORMED.items():
        reason = k.check((HERE / "malformed" / f"{name}.json").read_bytes()).reason
        assert reason.startswith(f"{place}: expected "), (name, reason)


CHECKS: list[Callable[[Any], None]] = [
    signs, orbits_partition, products_are_powers, classes_are_shifts, packing_separates, multisets_are_binomials,
    work_is_spent, limits_of_work, natural_reads_digits, too_few_bits_is_undecided, places_are_gathered,
    compositions_are_all,
    pairs_are_counted, tightest_bound_is_named, words_stay_on_one_line, out_of_memory_is_undecided,
    malformed_places, products_share_prefixes, command_line, enclosures_hold, enormous_work_is_refused,
    long_files_are_refused,
]  # fmt: skip


def noticed(k: Any) -> str | None:
    """The first of the battery and the checks that this kernel fails, if any: what tests/kernel_mutants.py runs."""
    for name, data, status in BATTERY:
        try:
            if k.check(data, max_work=QUICK if status == "undecided" else k.MAX_WORK).status != status:
                return name
        except Exception as error:
            return f"{name}: {error!r}"
    for check in CHECKS:
        try:
            check(k)
        except BaseException as error:
            return f"{check.__name__}: {error!r}"
    return None


@pytest.mark.parametrize(("name", "data", "status"), BATTERY, ids=[name for name, _, _ in BATTERY])
def test_verdict(name: str, data: bytes, status: str) -> None:
    verdict = kernel.check(data, max_work=QUICK if status == "undecided" else kernel.MAX_WORK)
    assert verdict.status == status, verdict.reason
    assert "\n" not in verdict.reason and len(verdict.reason) < 1000


@pytest.mark.parametrize("check", CHECKS, ids=[check.__name__ for check in CHECKS])
def test_part(check: Callable[[Any], None]) -> None:
    check(kernel)


def test_every_malformed_file_has_its_place() -> None:
    assert sorted(MALFORMED) == sorted(file.stem for file in (HERE / "malformed").glob("*.json"))


@pytest.mark.parametrize(("p", "q"), [(0, 1), (1, 10**60), (1, 3), (1, 1), (50, 1), (123456, 12345), (10000, 1)])
@pytest.mark.parametrize("bits", [64, 1000, 20000])
def test_enclosure_against_mpmath(p: int, q: int, bits: int) -> None:
    low, high, scale = kernel.enclose((p, q, False), bits, kernel.Budget(work=10**9))
    with mpmath.workprec(bits + 15000):
        exact = mpmath.exp(mpmath.mpf(p) / q)
        assert mpmath.mpf(low) / scale <= exact <= mpmath.mpf(high) / scale
        assert mpmath.mpf(high - low) / low < mpmath.mpf(2) ** -bits


def test_large_cases_in_seconds() -> None:
    """zsum n = 1000, p = 19/20: delta(0) is the largest weight of Bin(1000, 19/20), at 950; krr at n = 30."""
    top = Fraction(math.comb(1000, 950) * 19**950, 20**1000)
    ends = [f"{int(top * 10**20) + end}e-20" for end in (0, 1)]
    data = certificate(ZSUM, 1000, "0", str(top), proof(pair("0", "1", {"0": 500, "1": 499}), *ends))
    assert kernel.check(data).status == "accepted"
    data = certificate(ZSUM, 1000, "0", str(top * Fraction(10**9 - 1, 10**9)), proof(pair("0", "1", {"0": 999})))
    assert kernel.check(data).status == "rejected"
    data = certificate(SYMMETRIC, 30, "1/2", "1/10", proof(pair("a", "b", {"c": 29}), symmetries=S3))
    verdict = kernel.check(data)
    assert verdict.status == "accepted" and "465 of 2790 pairs" in verdict.reason


def alone(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The kernel as a stranger runs it: no site, no environment, no repository on the path."""
    command = [sys.executable, "-I", "-S", str(HERE.parent / "verify" / "kernel.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=60, check=False)


@pytest.mark.parametrize(
    ("names", "code"),
    [
        (["accepted/krr-two.json", "accepted/single-input.json"], 0),
        (["rejected/rr-upper.json", "accepted/rr-two.json"], 1),
        (["rejected/rr-upper.json", "malformed/nan.json"], 2),
        (["absent.json"], 2),
    ],
)
def test_alone(names: list[str], code: int) -> None:
    done = alone(*(str(HERE / name) for name in names))
    assert done.returncode == code and done.stderr == "" and len(done.stdout.splitlines()) == len(names)
    for name, line in zip(names, done.stdout.splitlines(), strict=True):
        assert line.split(": ")[1] == (name.split("/")[0] if "/" in name else "malformed")


def test_alone_undecided_and_misused() -> None:
    done = alone(str(HERE / "accepted/rr-local.json"), "--max-bits", "64")
    assert done.returncode == 3 and ": undecided: too few bits" in done.stdout
    done = alone()
    assert done.returncode == 2 and "usage" in done.stderr and "Traceback" not in done.stderr
    done = alone("--max-bits", "many", "x")
    assert done.returncode == 2 and "Traceback" not in done.stderr


def test_imports_only_the_standard_library() -> None:
    source = Path(kernel.__file__).read_text()
    names = {line.split()[1].split(".")[0] for line in source.splitlines() if line.startswith(("import ", "from "))}
    assert names <= sys.stdlib_module_names and len(source.splitlines()) <= 1640 and "float(" not in source
