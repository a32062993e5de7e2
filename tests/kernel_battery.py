"""Certificates for the kernel, made by hand, by brute force and from files, each with the status that it must get."""

import itertools
import json
import math
import random
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

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
    "event-from-to-equal": "evidence.pair.to",
    "event-list": "evidence.event[0]",
    "event-local-multiset": "evidence.event[0]",
    "event-local-twice": "evidence.event",
    "event-local-unknown": "evidence.event[1][1]",
    "event-twice": "evidence.event",
    "event-unknown": "evidence.event[0]",
    "event-zero": "evidence.event[0].0",
    "exponent-number": "claim.n",
    "blocks-known": "evidence.blocks.known.0",
    "blocks-missing": "evidence.blocks.covers",
    "blocks-open": "evidence.blocks.covers[0].cover[0].place",
    "blocks-place": "evidence.blocks.covers[0].cover[0].place",
    "blocks-tree": "evidence.blocks.covers[0].cover",
    "blocks-twice": "evidence.blocks.covers",
    "fewer-more": "evidence.users",
    "fewer-none": "evidence.users",
    "fewer-others": "evidence.worst.pair.others",
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
    "plane-short": "evidence.cover",
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


def alone(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The kernel as a stranger runs it: no site, no environment, no repository on the path."""
    command = [sys.executable, "-I", "-S", str(HERE.parent / "verify" / "kernel.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd="/", timeout=300, check=False)
