"""Re-check shufflecert certificates, independently of the engine that wrote them.

    python3 -I -S verify/kernel.py cert.json [more.json ...]

CERTIFICATE.md defines the format and what a certificate states. Of a PROVED certificate this file verifies that every listed
symmetry is one, that the named pair's delta(eps) is at least `lower`, and that delta(eps) of every pair of neighbouring datasets
is at most `upper` and at most the claimed delta; it finds those datasets itself. Of a REFUTED certificate it verifies that
P(event) - e^eps Q(event) > delta for the named pair. Nothing in the file is taken on trust.

What must be trusted: Python's integers, containers and JSON parser, and this file. It imports the standard library only, nothing
of ours. There is no float in it: every number is an integer or a pair (numerator, denominator).

How the arithmetic differs from the engine's: a product of polynomials is a naive convolution of dictionaries from packed exponents
(a multiset of messages is one integer, its counts the digits in a base that no count reaches) to integer weights over one common
denominator; e^eps is enclosed by a Taylor sum in fixed point, every step rounded outwards. Bits double until the enclosure
decides. Work is estimated before it is begun; its unit is a product of small integers (about 0.1 microseconds) or four bytes.
"""

import argparse
import functools
import itertools
import json
import math
import operator
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

MAX_BYTES, MAX_DIGITS, MAX_BITS, MAX_WORK = 64 * 2**20, 100_000, 65_536, 10**9
MANY = 10**18  # numbers of things are not followed beyond this: that much work is refused

Ratio = tuple[int, int]  # numerator, denominator; not in lowest terms
Eps = tuple[int, int, bool]  # eps = p/q, or log(p/q) if the flag is set
Outcome = tuple[Any, ...]  # what one user shows: sorted (message, count) items; in the local view the messages in order
Law = dict[Outcome, int]  # outcome -> weight, over the certificate's `unit`
Poly = dict[int, int]  # packed exponents -> weight
Counts = tuple[int, ...]  # how many of the others are in each class
Pair = tuple[str, str, Mapping[str, int]]  # from, to, others (none of them unless the view is shuffled)


class Verdict(NamedTuple):
    """status is "accepted", "rejected", "malformed" or "undecided"; reason says, on one line, what or why."""

    status: str
    reason: str


class Stop(Exception):
    """Ends a check with Verdict(status, reason)."""


class Number(NamedTuple):
    """A JSON number as it is written."""

    text: str


class Certificate(NamedTuple):
    """What a file states; `claim` is that in words, `others` is n - 1 in the shuffled view and 0 in those of one user."""

    claim: str
    laws: dict[str, Law]
    unit: int
    view: str
    others: int
    eps: Eps
    delta: Ratio
    pair: Pair | None  # None in a proof for a single input
    symmetries: list[tuple[dict[str, str], dict[str, str]]]  # of inputs and of messages; what is not named stays in place
    bounds: tuple[Ratio, Ratio]  # on the worst pair's delta(eps)
    event: list[Outcome] | None  # None in a proof


# ---- reading ----


def need(condition: object, where: str, expected: str) -> None:
    if not condition:
        raise Stop("malformed", f"{where.removeprefix('file.')}: expected {expected}")


def show(text: str) -> str:
    """The text in ASCII, on one line, shortened."""
    return ascii(text if len(text) <= 60 else text[:57] + "...")[1:-1]


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    for key, times in Counter(key for key, _ in pairs).items():
        need(times == 1, f"key {show(key)}", "no key twice in one object")
    return dict(pairs)


def parse(data: bytes) -> Any:
    """The JSON tree of the bytes, its numbers left as text."""
    need(len(data) <= MAX_BYTES, "file", f"at most {MAX_BYTES} bytes")
    hooks: dict[str, Any] = {"parse_int": Number, "parse_float": Number, "object_pairs_hook": unique_keys}
    try:
        return json.loads(data.decode("utf-8"), parse_constant=lambda name: need(False, "file", f"no {name}"), **hooks)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        reason = "less nesting" if isinstance(error, RecursionError) else f"JSON in UTF-8 ({error})"
        raise Stop("malformed", f"file: expected {reason}") from None


def fields(value: Any, where: str, *keys: str, optional: str = "") -> Any:
    """The value, an object with exactly these keys and perhaps the optional one."""
    need(isinstance(value, dict), where, "an object")
    for key in value:
        need(key in keys or key == optional, f"{where}.{show(key)}", "no such key")
    for key in keys:
        need(key in value, f"{where}.{key}", "this key")
    return value


def items(value: Any, where: str) -> list[tuple[Any, str]]:
    """The elements of a list, each with its place."""
    need(isinstance(value, list), where, "a list")
    return [(item, f"{where}[{i}]") for i, item in enumerate(value)]


def word(value: Any, where: str, *words: str) -> str:
    need(value in words, where, " or ".join(words))
    return str(value)


def label(value: Any, where: str, known: Collection[str] | None = None) -> str:
    need(isinstance(value, str) and 1 <= len(value) <= 1000, where, "a string of 1 to 1000 characters")
    need(known is None or value in known, where, "a label of the randomizer")
    return str(value)


def integer(value: Any, where: str) -> int:
    """An integer of at least 1; one of more than 20 digits, more than anything we count, is read as 10^20."""
    need(isinstance(value, Number) and value.text.isdigit(), where, "an integer without sign, fraction or exponent")
    need(value.text != "0", where, "at least 1")
    return int(value.text) if len(value.text) <= 20 else 10**20


def natural(digits: str) -> int:
    """The number that the digits write, piece by piece: `int` refuses long texts, by a setting that is not ours to change."""
    if len(digits) <= 600:
        return int(digits)
    half = len(digits) // 2
    return natural(digits[:-half]) * 10**half + natural(digits[-half:])


RATIONAL = r"([0-9]+)()(?:/([0-9]+))?()"  # the groups of each form: digits, digits after the point, denominator, exponent
DECIMAL = r"([0-9]+)(?:\.([0-9]+))?()(?:e-0*([0-9]+))?"
LOG = rf"log\({RATIONAL}\)"


def ratio(value: Any, where: str, form: str = RATIONAL) -> Ratio:
    match = re.fullmatch(form, value) if isinstance(value, str) else None
    whole, part, below, exponent = (group or "" for group in match.groups()) if match else ("", "", "", "")
    need(match, where, "a DECIMAL" if form == DECIMAL else "a RATIONAL")
    need(max(len(whole + part), len(below)) <= MAX_DIGITS, where, f"at most {MAX_DIGITS} digits")
    need(len(exponent) <= 6 and int(exponent or "0") <= 100_000, where, "an exponent of at most 100000")
    need(natural(below or "1"), where, "a denominator other than zero")
    return natural(whole + part), natural(below or "1") * 10 ** (len(part) + int(exponent or "0"))


def mapping(value: Any, where: str, known: Collection[str], read_item: Callable[[Any, str], Any]) -> dict[str, Any]:
    need(isinstance(value, dict), where, "an object")
    return {label(key, where, known): read_item(item, f"{where}.{show(key)}") for key, item in value.items()}


def permutation(value: Any, where: str, known: Collection[str]) -> dict[str, str]:
    moves = mapping(value, where, known, lambda item, at: label(item, at, known))
    need(set(moves) == set(moves.values()), where, "a permutation of its keys")
    return moves


def read_rows(value: Any, where: str) -> dict[str, dict[tuple[str, ...], Ratio]]:
    """Input -> tuple of messages -> probability."""
    rows: dict[str, dict[tuple[str, ...], Ratio]] = {}
    for row, at in items(value, where):
        fields(row, at, "input", "outputs")
        name = label(row["input"], f"{at}.input")
        need(name not in rows, f"{at}.input", "inputs that differ")
        outputs = rows[name] = {}
        for output, here in items(row["outputs"], f"{at}.outputs"):
            fields(output, here, "send", "p")
            sent = tuple(label(message, place) for message, place in items(output["send"], f"{here}.send"))
            need(sent not in outputs, f"{here}.send", "lists that differ")
            outputs[sent] = ratio(output["p"], f"{here}.p")
            need(outputs[sent][0] > 0, f"{here}.p", "more than zero")
        need(outputs, f"{at}.outputs", "an output")
    need(rows, where, "a row")
    return rows


def read_laws(rows: dict[str, dict[tuple[str, ...], Ratio]], view: str, max_work: int) -> tuple[dict[str, Law], int]:
    """The laws of what each input shows, over one common denominator."""
    denominators = {below for outputs in rows.values() for _, below in outputs.values()}
    bits = sum(below.bit_length() for below in denominators)
    afford(price(bits, bits) + sum(map(len, rows.values())) * bits // 32, max_work)
    unit = math.lcm(*denominators)
    laws: dict[str, Law] = {}
    for i, (name, outputs) in enumerate(rows.items()):
        law = laws[name] = {}
        for sent, (above, below) in outputs.items():
            outcome = sent if view == "local" else tuple(sorted(Counter(sent).items()))
            law[outcome] = law.get(outcome, 0) + above * (unit // below)
        need(sum(law.values()) == unit, f"claim.randomizer.rows[{i}].outputs", "weights that sum to exactly 1")
    return laws, unit


def read(data: bytes, max_work: int) -> Certificate:
    """The certificate that the bytes write."""
    top = fields(parse(data), "file", "format", "version", "claim", "verdict", "evidence", optional="note")
    word(top["format"], "format", "shufflecert certificate")
    need(top["version"] == Number("1"), "version", "1")
    need(isinstance(top.get("note", ""), str | dict), "note", "a string or an object")
    claim = fields(top["claim"], "claim", "randomizer", "adjacency", "view", "n", "datasets", "eps", "delta")
    word(claim["adjacency"], "claim.adjacency", "replace")
    word(claim["datasets"], "claim.datasets", "all")
    view, n = word(claim["view"], "claim.view", "shuffled", "preshuffle", "local"), integer(claim["n"], "claim.n")
    need(n <= 10**9, "claim.n", "at most 10^9")
    log = isinstance(claim["eps"], str) and claim["eps"].startswith("log")
    p, q = ratio(claim["eps"], "claim.eps", LOG if log else RATIONAL)
    need(p >= q if log else p <= 10_000 * q, "claim.eps", "a number from 0 to 10000, or log of at least 1")
    delta = ratio(claim["delta"], "claim.delta")
    need(delta[0] <= delta[1], "claim.delta", "at most 1")
    rows = read_rows(fields(claim["randomizer"], "claim.randomizer", "rows")["rows"], "claim.randomizer.rows")
    messages = {message for outputs in rows.values() for sent in outputs for message in sent}

    proved = word(top["verdict"], "verdict", "PROVED", "REFUTED") == "PROVED"
    evidence = fields(top["evidence"], "evidence", *(("symmetries", "worst") if proved else ("pair", "event")))
    symmetries, event, named, bounds, at = [], dict[Any, Outcome](), evidence.get("pair"), ((0, 1), (1, 1)), "evidence"
    for item, here in items(evidence.get("symmetries", []), "evidence.symmetries"):
        fields(item, here, "inputs", "messages")
        moves = permutation(item["inputs"], f"{here}.inputs", rows)
        symmetries.append((moves, permutation(item["messages"], f"{here}.messages", messages)))
    for item, here in items(evidence.get("event", []), "evidence.event"):
        if view == "local":
            shown: Outcome = tuple(label(message, place, messages) for message, place in items(item, here))
        else:
            shown = tuple(sorted(mapping(item, here, messages, integer).items()))
        written = shown if view == "local" else frozenset(item.items())  # apart from `shown`, where huge counts look alike
        need(written not in event, here, "outcomes that differ")
        event[written] = shown
    pair: Pair | None = None
    if proved:
        need((evidence["worst"] is None) == (len(rows) == 1), "evidence.worst", "null if and only if there is one input")
        at = "evidence.worst"
    return Certificate("", {}, 0, view, n, (p, q, log), delta, pair, symmetries, bounds, list(event.values()))
