"""Re-check shufflecert certificates, without the engine: python3 -I -S verify/kernel.py cert.json [more.json ...]

CERTIFICATE.md defines the format and what a certificate states; this file decides whether that holds, and takes nothing
on trust. It reads a certificate by one table of forms, and has one function for each kind of evidence (`JOBS`).

To be trusted: Python's integers, decimals, containers and JSON parser, and this file, which imports only the standard
library and holds no float. Its arithmetic is not the engine's. Exactly, a product of polynomials is a naive convolution
of sorted lists of packed exponents (a multiset is one integer, its counts the digits in a base that no count reaches).
Otherwise a law on the integers is a window with a lower weight at each place; what they miss of 1 may be anywhere.
Those, and e^eps, are integers in fixed point of any number of bits, rounded outwards; bits double until they decide.

Every loop spends from one budget of work and one of memory before it begins, by the bits of its operands, so that no
certificate takes longer than the budget lasts.
"""

import argparse
import json
import math
import os
import re
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from decimal import MAX_EMAX, MIN_EMIN, Context, Inexact
from functools import cmp_to_key, partial
from hashlib import sha256
from itertools import chain, combinations, groupby, islice, pairwise, permutations, repeat
from operator import add, itemgetter, le, mul
from pathlib import Path
from typing import Any, NamedTuple

MAX_BYTES, MAX_DIGITS, MAX_BITS = 64 * 2**20, 100_000, 65_536
MAX_WORK, MAX_MEMORY = 8 * 10**7, 25 * 10**7  # steps of about 0.1 microseconds; bytes
SPARE = 32  # bits of fixed point beyond those that are asked for
LITTLE, ENOUGH = 2 * 10**6, 6 * 10**7  # work of exact products before windows are tried; where these do not decide
SHARE = 8  # windows that are tried first have one part in so many of the work
MANY = 10**18  # nothing is counted further
LONG = 2**20  # bits of the shorter factor from which on a product is one of decimal numbers

Ratio = tuple[int, int]  # numerator, denominator; not in lowest terms
Eps = tuple[int, int, bool]  # eps = p/q, or log(p/q) if the flag is set
Outcome = tuple[tuple[Any, int], ...]  # sorted (message, count) items; in the local view one (tuple of messages, 1)
Law = dict[Outcome, int]  # outcome -> weight, over the certificate's `unit`
Line = list[tuple[int, int]]  # (place, weight), places ascending: a law on the integers, or packed exponents
Counts = tuple[int, ...]  # how many of the others are in each class
Case = tuple[Counts, str, str]  # the others by class, and the changed user's two inputs (from, to)
Ends = tuple[int, int, int]  # (low, high, scale): a number in [low/scale, high/scale]
Pair = tuple[list[Ratio], int, int]  # (P, Q) of outcomes, over `unit`; what these miss of either is at most lost; unit
Columns = dict[Counts, Pair]  # of how many others hold a column, and do not: those that are known already
Road = Callable[[Iterable[Case], int], Iterator[tuple[Case, Ends]]]  # cases in order, bits -> delta(eps) of each
Find = Callable[[Ends, int], Ends]  # of e^eps, and a number of bits, what is to be enclosed
Asked = tuple[Ratio, str]  # a bound, and the side of it that is asked for: "at least", "at most" or "above"
Shape = tuple[tuple[int, int, int], ...]  # P, Q and the least weight of every outcome of a user


class Verdict(NamedTuple):
    """What a check finds: accepted, rejected, malformed or undecided, and on one line what or why."""

    status: str
    reason: str


class Stop(Exception):
    """Ends a check with Verdict(status, reason)."""


class Budget:
    """What a check may use: bits of precision, steps of work, bytes of memory. Only memory is ever given back."""

    def __init__(self, bits: int = MAX_BITS, work: int = MAX_WORK, memory: int = MAX_MEMORY, spare: int = SPARE):
        self.bits, self.work, self.memory, self.spare = bits, work, memory, spare
        self.words = f"more than {work} steps", f"more than {memory} bytes"

    def spend(self, steps: int, a: int = 0, b: int = 0) -> None:
        """So many steps, each with a product of numbers of a and b bits: schoolbook, and Karatsuba for large ones."""
        a, b = sorted((a, b))
        large = a // 2_000
        product = 60 * math.isqrt(large**3) * (b // a + 1) if large else a * b // 150_000
        self.work -= steps * (4 + b // 4_000 + product)
        if self.work < 0:
            raise Stop("undecided", f"too much work: {self.words[0]}, allow more with --max-work")

    def hold(self, numbers: int, bits: int = 0) -> None:
        """So many numbers of so many bits are kept, in a list."""
        self.memory -= numbers * (56 + bits // 7)
        if self.memory < 0:
            raise Stop("undecided", f"too much memory: {self.words[1]}, allow more with --max-work")


# ---- what a file says ----

def need(condition: object, where: str, expected: str) -> None:
    """Malformed, unless the condition holds."""
    if not condition:
        raise Stop("malformed", f"{where.removeprefix('file.')}: expected {expected}")


def show(value: object) -> str:
    """The value in ASCII, on one line, shortened."""
    return ascii(str(value)[:80])[1:-1] + "..." * (len(str(value)) > 80)


def quoted(name: str) -> str:
    """A name between quotes, in which it has none of its own, in ASCII, shortened."""
    return json.dumps(name[:80]) + "..." * (len(name) > 80)


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs of a key and a value."""
    need(len(dict(pairs)) == len(pairs), "file", f"no key twice in the object of {show([key for key, _ in pairs[:9]])}")
    return dict(pairs)


def parse(data: bytes, budget: Budget) -> Any:
    """The JSON tree of the bytes; a number becomes a 1-tuple of its text. This pays for reading digits too."""
    need(len(data) <= MAX_BYTES, "file", f"at most {MAX_BYTES} bytes")
    written = len(data) - data.count(b" ")
    budget.spend(written // 2)
    objects, values = data.count(b"{"), sum(map(data.count, (b",", b":", b"[")))
    wide = 4 if b"\\u" in data or not data.isascii() else 1
    budget.hold((len(data) * (1 + wide) + written * 2 * wide) // 56 + 8 * objects + 3 * values)
    hooks: dict[str, Any] = {"parse_int": lambda text: (text,), "parse_float": lambda text: (text,)}
    hooks["parse_constant"] = lambda name: need(False, "file", f"JSON, which has no {name}")
    try:
        return json.loads(data.decode("utf-8"), object_pairs_hook=unique_keys, **hooks)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise Stop("malformed", f"file: expected JSON in UTF-8, not nested deeply ({error})") from None


def read_as(form: Any, value: Any, where: str) -> Any:
    """The value, of a form: a dict of its keys' forms, a list of its elements', a tuple of words, or a function."""
    if isinstance(form, dict):
        need(isinstance(value, dict), where, "an object")
        for key in sorted(value.keys() ^ form.keys()):
            need(False, f"{where}.{show(key)}", "this key" if key in form else "no such key")
        return {key: read_as(form[key], value[key], f"{where}.{key}") for key in form}
    if isinstance(form, list):
        need(isinstance(value, list), where, "a list")
        return [read_as(form[0], item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(form, tuple):
        need(value in form, where, " or ".join(map(str, form)))
    return value if isinstance(form, tuple) else form(value, where)


def either(value: Any, where: str, key: str, forms: dict[str, dict[str, Any]]) -> Any:
    """An object whose `key` says which of the forms the rest of it has."""
    word = value.get(key) if isinstance(value, dict) else None
    need(isinstance(word, str) and word in forms, f"{where}.{key}", " or ".join(forms))
    return read_as({key: (word,)} | forms[str(word)] | {key: (word,)}, value, where)


def label(value: Any, where: str, known: Collection[str] | None = None) -> Any:
    """A LABEL, one of those that are known."""
    need(isinstance(value, str) and 1 <= len(value) <= 1000, where, "a string of 1 to 1000 code points")
    need(known is None or value in known, where, "a label of the randomizer")
    return value


def natural(digits: str) -> int:
    """The number that the digits write, in pieces: how long a text `int` reads is not ours to set."""
    if len(digits) <= 600:
        return int(digits)
    half = 300 << ((len(digits) - 1) // 600).bit_length()
    return (natural(digits[:-half]) * int(5**half) << half) + natural(digits[-half:])


def integer(value: Any, where: str, least: int = 1, most: int | None = None) -> int:
    """A JSON number that is an integer in this range."""
    text = str(value[0]) if isinstance(value, tuple) else ""
    need(text.isdigit() and len(text) <= MAX_DIGITS, where, f"an integer of at least {least}, in digits")
    number = natural(text)
    need(least <= number and (most is None or number <= most), where, f"an integer of at least {least}" +
         f" and at most {most}" * (most is not None))
    return number


def signed(value: Any, where: str) -> int:
    """An INTEGER."""
    need(isinstance(value, str) and re.fullmatch(r"-?(0|[1-9][0-9]{0,999})", value), where, "an INTEGER")
    return (-1 if value[0] == "-" else 1) * natural(value.removeprefix("-"))


def ratio(value: Any, where: str) -> Ratio:
    """A RATIONAL."""
    match: Any = isinstance(value, str) and re.fullmatch(r"(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?", value)
    need(match, where, "a RATIONAL")
    above, below = match.groups("1")
    need(max(len(above), len(below)) <= MAX_DIGITS, where, f"at most {MAX_DIGITS} digits")
    return natural(above), natural(below)


def decimal(value: Any, where: str) -> Ratio:
    """A DECIMAL."""
    form = r"(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:e-(0|[1-9][0-9]{0,5}))?"
    match: Any = isinstance(value, str) and re.fullmatch(form, value)
    need(match, where, "a DECIMAL")
    whole, part, power = match.groups("")
    need(len(whole + part) <= MAX_DIGITS, where, f"at most {MAX_DIGITS} digits")
    need(int(power or "0") <= 100_000, where, "an exponent up to 100000")
    return natural(whole + part), int(10 ** (len(part) + int(power or "0")))


def within(test: Callable[[int, int], bool], words: str) -> Callable[[Any, str], Ratio]:
    """A reader of a RATIONAL p/q that passes the test."""

    def read_ratio(value: Any, where: str) -> Ratio:
        found = ratio(value, where)
        need(test(*found), where, words)
        return found

    return read_ratio


def exponent(value: Any, where: str) -> Eps:
    """An EPS."""
    log = isinstance(value, str) and value[:4] == "log(" and value[-1] == ")"
    p, q = ratio(value[4:-1] if log else value, where)
    need(p >= q if log else p <= 10_000 * q, where, "a number from 0 to 10000, or log of at least 1")
    return p, q, log


def mapping(
    value: Any, where: str, known: Collection[str] | None, item: Callable[[Any, str], Any] | None = None
) -> Any:
    """An object from labels to what `item` reads, or without it a permutation of labels."""
    need(isinstance(value, dict), where, "an object")
    read_item = item or partial(label, known=known)
    moves = {label(key, where, known): read_item(value[key], f"{where}.{show(key)}") for key in value}
    need(item or set(moves) == set(moves.values()), where, "a permutation of its keys")
    return moves


def pair_of(value: Any, where: str, inputs: Collection[str], n: int, shuffled: bool) -> Any:
    """A PAIR of neighbours; outside the shuffled view nobody else is looked at. Of version 4: null is "", NOBODY."""
    gone = "" in inputs

    def end(item: Any, place: str) -> Any:
        return "" if item is None and gone else label(item, place, inputs)

    form: dict[str, Any] = dict.fromkeys(("from", "to"), end)
    form |= {"others": partial(mapping, known=inputs, item=integer)} if shuffled else {}
    found = read_as(form, value, where)
    need(found["from"] != found["to"], f"{where}.to", "another input than from")
    need(not gone or "" in (found["from"], found["to"]), f"{where}.to", "null, at one of the two ends")
    need(not shuffled or sum(found["others"].values()) == n - 1, f"{where}.others", "n - 1 inputs")
    return {"others": {}} | found


def event_of(value: Any, where: str, messages: Collection[str], local: bool) -> list[Outcome]:
    """A list of OUTCOMEs."""
    one = [partial(label, known=messages)] if local else partial(mapping, known=messages, item=integer)
    found = [outcome(item, local) for item in read_as([one], value, where)]
    need(len(set(found)) == len(found), where, "outcomes that differ")
    return found


def others_of(value: Any, where: str, users: int, columns: int) -> list[int]:
    """How many other users hold the one and the other column of a pair."""
    found = read_as([partial(integer, least=0)], value, where)
    rest = users - 1 - sum(found)
    good = len(found) == 2 and rest >= 0 and (rest == 0 or columns > 2)
    need(good, where, "two numbers, of users - 1 in all, or less with more than 2 columns")
    return list(found)


def cuts_of(value: Any, where: str, inputs: Collection[str], form: Any = None) -> list[Any]:
    """A TREE in preorder: its cuts as tuples, and for every box what its node says: nothing, or what is of the form."""
    found, missing = list[Any](), 1
    for i, item in enumerate(read_as([lambda item, _: item], value, where)):
        place, cut = f"{where}[{i}]", isinstance(item, list) and len(item) == 2
        need(missing and (cut or form or item is None), place, "null or a cut, of one tree")
        found.append((label(item[0], place, inputs), integer(item[1], place, 0, 10**15)) if cut else
                     form and read_as(form, item, place))
        missing += 1 if cut else -1
    need(missing == 0, where, "a whole tree")
    return found


def block_of(value: Any, where: str, form: dict[str, Any]) -> Any:
    """A BLOCK: the user whose place is taken is one of its users, or one of those left open."""
    found = read_as(form, value, where)
    place = found["place"]
    need(found["open"] if place is None else place in found["users"], f"{where}.place", "who is in the block")
    return found


def blocks_of(value: Any, where: str, form: dict[str, Any], laws: dict[str, Law]) -> Any:
    """What is known of inputs, which send it in every outcome, and one cover for every ordered pair of them."""
    found = read_as(form, value, where)
    for name, sent in found["known"].items():
        good = all(all(have.get(m, 0) >= count for m, count in sent.items()) for have in map(dict, laws[name]))
        need(good, f"{where}.known.{show(name)}", "what is always sent")
    pairs = [(cover["from"], cover["to"]) for cover in found["covers"] if cover["from"] != cover["to"]]
    every = len(set(pairs)) == len(found["covers"]) == math.perm(len(laws), 2)
    need(every, f"{where}.covers", "every ordered pair of inputs, once")
    return found


POSITIVE = within(lambda p, q: p > 0, "more than 0")
PROBABILITY = within(lambda p, q: p <= q, "at most 1")
PART = within(lambda p, q: 0 < p < q, "more than 0 and below 1")
FLIP = within(lambda p, q: 0 < 2 * p <= q, "more than 0 and at most 1/2")
ABOVE_ONE = within(lambda p, q: p > q, "above 1")
WEIGHT = within(lambda p, q: 0 < p <= q, "more than 0 and at most 1")
SIZE, SEVERAL = partial(integer, most=10**15), partial(integer, least=2, most=10**15)
VIEWS = ("shuffled", "preshuffle", "local")

NOISES: dict[str, dict[str, Any]] = {
    "binomial": {"n": SIZE, "p": PROBABILITY}, "poisson": {"lam": POSITIVE},
    "negative_binomial": {"r": POSITIVE, "p": PART}, "discrete_laplace": {"q": PART},
}
NOISE = partial(either, key="law", forms=NOISES)
ONE_SIDED = partial(either, key="law", forms={law: NOISES[law] for law in NOISES if law != "discrete_laplace"})
MECHANISMS: dict[str, dict[str, Any]] = {
    "count": {"noise": NOISE, "sensitivity": partial(integer, most=10**6)},
    "histogram": {"noise": NOISE, "buckets": SEVERAL}, "correlated": {"q": PART, "noise": ONE_SIDED},
    "correlated histogram": {"q": PART, "noise": ONE_SIDED, "buckets": SEVERAL},
    "strings": {"flip": FLIP, "strings": SIZE}, "columns": {"flip": FLIP, "users": SIZE, "columns": SEVERAL},
    "any randomizer": {"local": exponent, "local delta": PROBABILITY, "users": SIZE},
}
ROW = {"input": label, "outputs": [{"send": [label], "p": POSITIVE}]}
TABLE = {"randomizer": {"rows": [ROW]}}
PROMISE = {"adjacency": ("replace",), "datasets": ("all",), "eps": exponent, "delta": PROBABILITY}
OF_ROWS = TABLE | {"view": ("shuffled",), "n": SIZE} | PROMISE
EXACT = OF_ROWS | {"view": VIEWS, "n": partial(integer, most=10**9)}
OF_MECHANISM = {"mechanism": partial(either, key="view", forms=MECHANISMS)} | PROMISE
OF_CROWD = EXACT | {"n": SIZE, "honest": SIZE, "take part": WEIGHT}
CROWDS: dict[str, dict[str, Any]] = {"replace": OF_CROWD, "add-remove": OF_CROWD, "deletion": OF_CROWD | {
    "reference": lambda value, where: mapping(value, where, None, WEIGHT)}}
LAWS: dict[str, dict[str, Any]] = NOISES | {
    "truncated_discrete_laplace": {"q": PART, "bound": SIZE}, "discrete_gaussian": {"variance": POSITIVE},
}
LAW, (REACH, WORD, MODULUS) = partial(either, key="law", forms=LAWS), (
    partial(integer, least=0, most=most) for most in (10**6, 256, 2**256))
SERVED: dict[str, dict[str, Any]] = {
    "release": {"noise": LAW, "sensitivity": REACH, "bits": WORD, "wrap": MODULUS, "modulo": MODULUS},
    "presence": {"present": LAW, "absent": LAW, "sensitivity": REACH}, "sampled": {"keep": PROBABILITY, "noise": LAW},
}
OF_SERVED = {word: PROMISE | {"mechanism": partial(either, key="view", forms={view: SERVED[view] for view in views})}
             for word, views in (("replace", ("release", "sampled")), ("add-remove", ("release", "presence")))}
OF_SHOWN = PROMISE | {"adjacency": ("replace", "add-remove"), "mechanism": {
    "view": ("thresholded counts",), "p": PART, "k": SEVERAL, "users": SIZE}}
CLAIMS = dict.fromkeys(("proof", "event"), EXACT)
CLAIMS |= dict.fromkeys(("blanket", "cover", "fewer", "threshold"), OF_ROWS) | {"blocks": OF_CROWD}
CLAIMS |= dict.fromkeys(("mechanism", "columns", "any", "one"), OF_MECHANISM) | {"shown": OF_SHOWN}
OF_VERSION: dict[int, Any] = {
    version: partial(either, key="adjacency", forms=forms) for version, forms in (
        (4, CROWDS), (6, OF_SERVED), (8, {"replace": OF_CROWD | {"view": ("shuffled",)}}))}
KINDS = {  # of a version: the evidence that proves, and that refutes; the last where no key says which
    1: (("proof",), ("event",)), 2: (("blanket",), ("threshold",)), 3: (("cover", "blanket"), ("threshold",)),
    4: (("blanket", "cover", "proof"), ("threshold", "event")), 5: (("shown",), ("shown",)),
    6: (("mechanism",), ("mechanism",)), 7: (("fewer",), ("threshold",)),
    8: (("blocks",), ("threshold",)),
}
TOP = {
    "format": ("shufflecert certificate",), "version": partial(integer, most=8), "verdict": ("PROVED", "REFUTED"),
} | dict.fromkeys(("claim", "evidence"), lambda value, _: value)


def evidence_form(kind: str, claim: dict[str, Any], n: int, laws: dict[str, Law], messages: Collection[str]) -> Any:
    """The form of the evidence of each kind of certificate, about n users."""
    if kind in ("mechanism", "columns", "shown"):
        seen, bounds = claim["mechanism"], {"delta": {"lower": decimal, "upper": decimal}}
        users = {key: seen[key] for key in ("users", "columns")} if kind == "columns" else {}
        return bounds | ({"others": partial(others_of, **users)} if users else {})
    pair = partial(pair_of, inputs=laws, n=n, shuffled=claim.get("view", "shuffled") == "shuffled")
    maps = {"inputs": partial(mapping, known=laws), "messages": partial(mapping, known=messages)}
    worst = {"pair": pair, "delta": {"lower": decimal, "upper": decimal}}
    weights = {"weights": partial(mapping, known=messages, item=signed), "above": signed}
    event = partial(event_of, messages=messages, local=claim.get("view") == "local")
    grid = {"blanket": {"step": POSITIVE, "cells": partial(integer, most=2**32), "tilt": ABOVE_ONE}}
    proof = {"symmetries": [maps], "worst": worst if len(laws) > 1 else (None,)}
    block: dict[str, Any] = {"grid": grid["blanket"] | {"above": partial(integer, most=2**32)}}
    block |= {"users": partial(mapping, known=laws, item=SIZE), "open": partial(integer, least=0, most=10**15)}
    block |= {"place": lambda value, where: value if value is None else label(value, where, laws)}
    boxes = partial(cuts_of, inputs=laws, form=partial(block_of, form=block))
    ends = dict.fromkeys(("from", "to"), partial(label, known=laws))
    sent = partial(mapping, known=messages, item=integer)
    blocks = {"known": partial(mapping, known=laws, item=sent), "covers": [ends | {"cover": boxes}]}
    return {
        "proof": proof, "fewer": proof | {"users": SIZE},
        "event": {"pair": pair, "event": event},
        "blanket": grid, "any": grid, "blocks": {"blocks": partial(blocks_of, form=blocks, laws=laws)},
        "cover": {"cover": partial(cuts_of, inputs=laws)},
        "threshold": {"pair": pair, "threshold": weights}, "one": TABLE | {"pair": pair, "threshold": weights},
    }[kind]


class Certificate(NamedTuple):
    """What a file states: `words` is the claim in words; `others` is n - 1 (of who is looked at) if shuffled, else 0;
    `seen` is a mechanism. Where there is no randomizer, `laws` is empty; "" is NOBODY, whose law no other user has."""

    kind: str
    words: str
    proved: bool
    eps: Eps
    delta: Ratio
    laws: dict[str, Law]
    unit: int
    local: bool
    others: int
    seen: dict[str, Any]
    evidence: dict[str, Any]


def outcome(sent: Iterable[str], local: bool) -> Outcome:
    """What is seen of these messages: a list of them, or their counts."""
    return tuple(sorted(Counter([tuple(sent)] if local else sent).items()))


def kind_of(version: int, proved: bool, said: dict[str, Any], given: dict[str, Any]) -> str:
    """Which kind of certificate it is: by its version, what its claim says of a mechanism, a key of its evidence."""
    if version in (2, 3) and "mechanism" in said:
        view = said["mechanism"].get("view") if isinstance(said["mechanism"], dict) else None
        return {"columns": "columns", "any randomizer": "any" if proved else "one"}.get(str(view), "mechanism")
    kinds = KINDS[version][0 if proved else 1]
    return next((kind for kind in kinds if kind in given), kinds[-1])


def read(data: bytes, budget: Budget) -> Certificate:
    """The certificate that the bytes write."""
    tree = parse(data, budget)
    note = tree.pop("note", "") if isinstance(tree, dict) else ""
    need(isinstance(note, str), "note", "a string")
    top = read_as(TOP, tree, "file")
    version, proved = top["version"], top["verdict"] == "PROVED"
    said, given = (top[key] if isinstance(top[key], dict) else {} for key in ("claim", "evidence"))
    kind = kind_of(version, proved, said, given)
    claim = read_as(OF_VERSION.get(version, CLAIMS[kind]), top["claim"], "claim")
    if "honest" in claim:
        need(claim["view"] == "shuffled" or kind in ("proof", "event"), "claim.view", "shuffled, with such evidence")
        need(claim["honest"] <= claim["n"], "claim.honest", "at most n")
    need(version == 3 or kind not in ("any", "one"), "version", "3, for any randomizer")
    seen, local = claim.get("mechanism", {}) | {"adjacency": claim["adjacency"]}, claim.get("view") == "local"
    place, n = "evidence" if kind == "one" else "claim", claim.get("n", seen.get("users", 1))
    table = claim.get("randomizer")
    if kind == "one":
        table = read_as(TABLE["randomizer"], given.get("randomizer"), "evidence.randomizer")
    rows = table["rows"] if table else []
    laws, unit = laws_of(rows, local, f"{place}.randomizer.rows", budget) if table else ({}, 1)
    if "honest" in claim:
        laws, unit, n = *attended(claim, laws, unit, budget), claim["honest"]
    messages = {message for row in rows for output in row["outputs"] for message in output["send"]}
    n = integer(given.get("users"), "evidence.users", most=n) if kind == "fewer" else n
    evidence = read_as(evidence_form(kind, claim, n, laws, messages), top["evidence"], "evidence")
    words = f"{top['verdict']}: {claim_in_words(top['claim'], claim, budget)}"
    others = n - 1 if claim.get("view") == "shuffled" or kind in ("any", "one") else 0
    return Certificate(kind, words, proved, claim["eps"], claim["delta"], laws, unit, local, others, seen, evidence)


def attended(claim: dict[str, Any], laws: dict[str, Law], unit: int, budget: Budget) -> tuple[dict[str, Law], int]:
    """The laws of users who take part with some probability, and of NOBODY: who is absent, or the reference."""
    (a, b), weights, place = claim["take part"], claim.get("reference", {}), "claim.reference"
    need(all(name in laws for name in weights), place, "inputs of the randomizer")
    whole = 1
    for _, below in weights.values():
        budget.spend(1 + whole.bit_length() * below.bit_length() // 60_000)
        whole = math.lcm(whole, below)
    parts = {name: p * (whole // q) for name, (p, q) in weights.items()}
    need("reference" not in claim or sum(parts.values()) == whole, place, "weights that sum to exactly 1")
    size, more = sum(map(len, laws.values())) + len(laws), b.bit_length() + whole.bit_length()
    budget.spend(4 * size, unit.bit_length(), more)
    budget.hold(4 * size, unit.bit_length() + more)
    nothing = outcome([], claim["view"] == "local")
    laws = {name: {seen: weight * a * whole for seen, weight in law.items()} for name, law in laws.items()}
    for law in laws.values():
        if a < b:
            law[nothing] = law.get(nothing, 0) + (b - a) * unit * whole
    gone: Law = {} if parts else {nothing: unit * b}
    for name, part in parts.items():
        for seen, weight in laws[name].items():
            gone[seen] = gone.get(seen, 0) + weight // whole * part
    return laws if claim["adjacency"] == "replace" else laws | {"": gone}, unit * b * whole


def changes(laws: dict[str, Law]) -> Iterator[tuple[str, str]]:
    """All ordered pairs of inputs, or of an input and NOBODY, between which the user who changes may move."""
    ends = permutations(laws, 2)
    return (pair for pair in ends if "" in pair) if "" in laws else ends


def laws_of(rows: list[Any], local: bool, place: str, budget: Budget) -> tuple[dict[str, Law], int]:
    """Each input's law, and the unit of their weights."""
    laws, unit = dict[str, Law](), 1
    need(rows, place, "a row")
    for below, _ in groupby(sorted(output["p"][1] for row in rows for output in row["outputs"])):
        budget.spend(1 + unit.bit_length() * below.bit_length() // 60_000)
        unit = math.lcm(unit, below)
    for i, row in enumerate(rows):
        need(row["input"] not in laws, f"{place}[{i}].input", "inputs that differ")
        law = laws[row["input"]] = dict[Outcome, int]()
        for output in row["outputs"]:
            (above, below), size = output["p"], len(output["send"])
            budget.spend(2 + size + (unit.bit_length() - below.bit_length() + 1) * below.bit_length() // 60_000)
            budget.spend(1, above.bit_length(), unit.bit_length())
            budget.hold(4 + 2 * size, unit.bit_length() // (4 + 2 * size))
            sent = outcome(output["send"], local)
            law[sent] = law.get(sent, 0) + above * (unit // below)
        sends = {tuple(output["send"]) for output in row["outputs"]}
        need(len(sends) == len(row["outputs"]), f"{place}[{i}].outputs", "outputs, none of them twice")
        need(sum(law.values()) == unit, f"{place}[{i}].outputs", "weights that sum to exactly 1")
    return laws, unit


def told(key: str, text: Any, number: Any) -> str:
    """What is stated of a key, whole; a long number by its first and last digits, a digest and about how much it is."""
    if isinstance(number, dict):
        words = ", ".join(told(i, text[i], number[i]) for i in number if i not in ("view", "law"))
        return f"{key} = {text['law']}({words})" if "law" in text else f"{key} = {text['view']}, {words}"
    text = text if isinstance(text, str) else text[0]
    if len(text) <= 80:
        return f"{key} = {text}"
    p, q, *log = number
    power = (q.bit_length() - p.bit_length()) * 30_103 // 100_000 + 6
    about = p * 10 ** max(power, 0) // (q * 10 ** max(-power, 0))
    digest = f"{len(text)} characters with SHA-256 {sha256(text.encode()).hexdigest()}"
    return f"{key} = {text[:20]}...{text[-20:]} ({'log of ' * any(log)}about {about}e{-power}; {digest})"


def claim_in_words(text: Any, claim: dict[str, Any], budget: Budget) -> str:
    """What is claimed, all of it; a randomizer by a digest (CERTIFICATE.md)."""
    keys = ("mechanism", "n", "honest", "take part", "adjacency", "view", "eps", "delta")
    words = ", ".join(told(key, text[key], claim[key]) for key in keys if key in claim)
    shares = claim.get("reference", {})
    words += "".join(f", {told('reference ' + quoted(x), text['reference'][x], shares[x])}" for x in shares)
    if "randomizer" not in claim:
        return words
    whole = json.dumps(text["randomizer"], sort_keys=True, separators=(",", ":"))
    budget.spend(len(whole) // 8)
    digest = sha256(whole.encode()).hexdigest()
    return f"{words}, randomizer of {len(claim['randomizer']['rows'])} inputs with SHA-256 {digest}"


# ---- e^eps, and one way of deciding ----

def up(a: int, b: int) -> int:
    """a/b, rounded up."""
    return -(-a // b)


def larger(a: Ratio, b: Ratio, budget: Budget) -> Ratio:
    """The larger of two numbers."""
    budget.spend(2, a[0].bit_length() + a[1].bit_length(), b[0].bit_length() + b[1].bit_length())
    return a if a[0] * b[1] >= b[0] * a[1] else b


def enclose(eps: Eps, bits: int, budget: Budget) -> Ends:
    """Integers (low, high, scale) with low/scale <= e^eps <= high/scale, equal where e^eps is rational.

    Lemma. For r >= 0 and N + 1 >= 2r, e^r - sum_{k<N} r^k/k! lies in [0, 2 r^N/N!]. Proof: the difference is
    sum_{j>=0} r^(N+j)/(N+j)! = r^N/N! * sum_j r^j/((N+1)...(N+j)); each factor r/(N+i), i >= 1, is at most
    r/(N+1) <= 1/2, so the sum over j is at least 0 and at most sum_j 2^-j = 2.

    Here r = eps/2^h <= 1/2: the lemma holds for every N. Numbers are integers times 2^-width. For `low`, r, terms and
    squares are rounded down and the remainder is taken as 0; for `high` they are rounded up and twice the first term
    left out is added. Sums, products and squares of non-negative numbers are monotone, so the ends stay on their sides;
    h squarings turn e^r into e^eps. Each doubles a relative error: h bits more and 32 keep high/low - 1 below 2^-bits.
    """
    p, q, log = eps
    if log or p == 0:
        return (p, p, q) if log else (1, 1, 1)
    halvings = (p // q).bit_length() + 1 + math.isqrt(bits)
    width, ends = bits + halvings + budget.spare, []
    budget.spend(2 + (p.bit_length() + width) * (q.bit_length() + halvings) // 60_000)
    for rest, divide in ((0, lambda a, b: a // b), (2, up)):
        r = divide(p << width, q << halvings)
        total, term, k = 0, 1 << width, 0
        while term > 1:
            budget.spend(2, width, width)
            total, k = total + term, k + 1
            term = divide(divide(term * r, 1 << width), k)
        total += rest * term
        for _ in range(halvings):
            budget.spend(1, width, total.bit_length())
            total = divide(total * total, 1 << width)
        ends.append(total)
    return ends[0], ends[1], 1 << width


def doublings(bits: int, budget: Budget) -> Iterator[int]:
    """Ever more bits, until there are no more."""
    while True:
        yield (bits := min(bits, budget.bits))
        if bits == budget.bits:
            raise Stop("undecided", f"too few bits: {bits} bits do not decide, allow more with --max-bits")
        bits *= 2


def settled(found: Ends, bound: Ratio, side: str) -> bool | None:
    """Whether what lies in [least, most]/whole is "at least", "at most" or "above" the bound; None if undecided."""
    (least, most, whole), (above, below) = found, bound
    if side == "at least":  # its negative is at most that of the bound
        least, most, above = -most, -least, -above
    if least * below <= above * whole < most * below:
        return None
    return (most * below <= above * whole) == (side != "above")


def answers(eps: Eps, find: Find, asked: list[Asked], bits: int, budget: Budget) -> list[bool | None]:
    """Of each (bound, side) whether what is found there is on that side, by ever more bits of e^eps: until one is not,
    or all are known. So is decided whatever is not about many pairs of neighbours."""
    for more in doublings(bits, budget):
        room = budget.memory
        found = find(enclose(eps, more, budget), more)
        budget.memory = room
        known = [settled(found, *one) for one in asked]
        if False in known or None not in known:
            break
    return known


def hockey_stick(a: list[Ratio], b: list[Ratio], scale: int, ratio: int, budget: Budget) -> int:
    """The sum of max(scale x u - ratio y v, 0) over (x, y) in a, (u, v) in b, exactly; no number is below 0.

    Lemma. With a by x/y ascending and b by u/v descending, the terms above 0 of an (x, y) are those of the first so
    many of b, ever more of them. Proof: scale x u > ratio y v just if (x/y)(u/v) > ratio/scale. (Where y or v is 0, the
    ratio is infinite; an atom with x = 0 or u = 0 has no term above 0.)
    """
    bits = [max((number.bit_length() for atom in atoms for number in atom), default=0) for atoms in (a, b)]
    budget.spend(2 * (len(a) + len(b)), sum(bits), scale.bit_length())
    budget.spend(2 * (len(a) + len(b)), *bits)

    def compared(s: Ratio, t: Ratio) -> int:
        budget.spend(1, max(bits), max(bits))
        return s[0] * t[1] - s[1] * t[0]

    by_ratio: Any = cmp_to_key(compared)
    a, b = (sorted((atom for atom in atoms if atom[0]), key=by_ratio) for atoms in (a, b))
    total = above = below = 0
    for x, y in a:
        while b and scale * x * b[-1][0] > ratio * y * b[-1][1]:
            u, v = b.pop()
            above, below = above + u, below + v
        total += scale * x * above - ratio * y * below
    return total


def divergence(pair: Pair, other: Pair | None, ends: Ends, budget: Budget) -> Ends:
    """delta(eps) of (P, Q), or of its product with the other pair's reverse.

    Lemma. Let P = P' + p, with p the part that no atom holds, of at most lost, and so Q = Q' + q. Then delta(P, Q) lies
    in [delta(P', Q') - e^eps lost, delta(P', Q') + lost]. Proof: max(P - e^eps Q, 0) changes by at most p upwards and
    by at most e^eps q downwards. For the product the part has at most what either factor has lost, together. An event
    that is the worst at `low` is one of those that bound delta(P', Q') from below.
    """
    (atoms, lost, unit), (low, high, scale) = pair, ends
    if other:
        others, more, whole = other
        reverse = [(q, p) for p, q in others]
        least, most = (hockey_stick(atoms, reverse, scale, end, budget) for end in (high, low))
        lost, unit = lost * whole + more * unit, unit * whole
    else:
        budget.spend(2 * len(atoms), unit.bit_length(), scale.bit_length())
        event = [(p, q) for p, q in atoms if scale * p > low * q]
        above, below = map(sum, zip((0, 0), *event, strict=True))
        least, most = scale * above - high * below, scale * above - low * below
    return max(least - high * lost, 0), most + scale * lost, scale * unit


# ---- exact products ----

def gather(terms: Iterable[tuple[int, int]]) -> Line:
    """The weights by place, ascending. By sorting: a file could choose places whose hashes are all the same."""
    ordered = groupby(sorted(terms, key=itemgetter(0)), key=itemgetter(0))
    return [(place, sum(weight for _, weight in some)) for place, some in ordered]


def multiply(a: Line, b: Line, budget: Budget) -> Line:
    """The law of a sum, or product of polynomials."""
    bits = [max(weight for _, weight in law).bit_length() for law in (a, b)]
    keys, size = a[-1][0].bit_length() + b[-1][0].bit_length(), len(a) * len(b)
    budget.spend(size, *bits)
    budget.spend(size + size * min(len(a), len(b)).bit_length() // 4 + size * keys // 2_000)
    budget.hold(3 * size, (sum(bits) + keys) // 3)
    return gather((i + j, u * v) for j, v in b for i, u in a)


def pack(cert: Certificate, laws: Iterable[Law], budget: Budget) -> list[Line]:
    """The laws as polynomials, without outcomes that cannot occur; of one user alone, outcomes are only numbered."""
    seen = {outcome for law in cert.laws.values() for outcome in law}
    if cert.others == 0:
        number = {outcome: i for i, outcome in enumerate(seen)}
        return [[(number[outcome], law[outcome]) for outcome in law if outcome in number] for law in laws]
    base = (cert.others + 1) * max(sum(count for _, count in outcome) for outcome in seen) + 1
    messages, digit = {m for outcome in seen for m, _ in outcome}, base.bit_length()
    budget.spend(len(messages) * (1 + len(messages) * digit // 2_000))
    budget.hold(len(messages), len(messages) * digit)
    place, packed = {m: 1 << i * digit for i, m in enumerate(messages)}, []
    for law in laws:
        line = []
        for outcome, weight in law.items():
            budget.spend(1 + len(outcome) * (2 + len(messages) * digit // 2_000))
            budget.hold(2, len(messages) * digit)
            if sum(count for _, count in outcome) < base and all(m in place for m, _ in outcome):
                line.append((sum(count * place[m] for m, count in outcome), weight))
        packed.append(sorted(line))
    return packed


def products(wanted: Iterable[tuple[Counts, Any]], laws: list[Line], budget: Budget) -> Iterator[tuple[Any, Line]]:
    """For each of the counts, which ascend, what comes with them and the law of a sum of so many draws from each law.

    Common prefixes are kept: parts[j + 1] is of the first j + 1 laws alone, and room[j + 1] the memory beside it.
    """
    have, parts, room = [0] * len(laws), [[(0, 1)] for _ in range(len(laws) + 1)], [budget.memory] * (len(laws) + 1)
    for counts, with_them in wanted:
        budget.spend(len(laws))
        first = next((j for j, count in enumerate(counts) if count != have[j]), len(laws))
        for j in range(first, len(laws)):
            if j > first:
                have[j], parts[j + 1] = 0, parts[j]
            for _ in range(counts[j] - have[j]):
                budget.memory = room[j]
                parts[j + 1] = multiply(parts[j + 1], laws[j], budget)
            have[j], room[j + 1] = counts[j], budget.memory
        yield with_them, parts[-1]
        budget.memory = room[-1]


def aligned(laws: tuple[Line, ...], budget: Budget) -> list[Any]:
    """The weights of every place by each of the laws, exact."""
    bits, size = max((law[-1][0].bit_length() for law in laws if law), default=0), sum(map(len, laws))
    budget.spend(size * (1 + len(laws) // 2 + bits // 2_000))
    budget.hold(2 * len(laws) * size)
    none = [0] * len(laws)
    terms = sorted((place, *none[:i], weight, *none[i + 1 :]) for i, law in enumerate(laws) for place, weight in law)
    return [tuple(map(sum, islice(zip(*some, strict=True), 1, None)))
            for _, some in groupby(terms, key=itemgetter(0))]


def multisets(size: int, kinds: int) -> int:
    """How many multisets of this size there are, or MANY if more."""
    few = min(size, kinds - 1)  # of 64 or more
    return MANY if few > 31 else min(math.comb(size + kinds - 1, few), MANY)


def classes(cert: Certificate, budget: Budget) -> tuple[dict[str, int], list[Law]]:
    """Input -> class, and the classes' laws: f_y is a monomial times f_x just if they agree, cleared of monomials."""
    found = []
    for name, law in ((name, cert.laws[name]) for name in cert.laws if name):
        size = sum(map(len, law))
        budget.spend((size + len(law)) * (3 + len(law).bit_length() + len(cert.laws).bit_length()))
        budget.hold(3 * size + 2 * len(law))
        low: dict[str, int] = {}
        for i, seen in enumerate(law):
            low = {m: min(c, low[m] if i else c) for m, c in seen if i == 0 or m in low}
        cleared = ((tuple((m, c - low.get(m, 0)) for m, c in seen if c > low.get(m, 0)), w) for seen, w in law.items())
        found.append((sorted(cleared), name))
    class_of, kinds = dict[str, int](), list[Law]()
    for law_of_class, members in groupby(sorted(found), key=itemgetter(0)):
        class_of |= {name: len(kinds) for _, name in members}
        kinds.append(dict(law_of_class))
    return class_of, kinds


# ---- windows of laws on the integers ----

class Span(NamedTuple):
    """A law on the integers: at least weights[i]/unit at start + i; what they miss of 1 may be anywhere.

    In a plane weights[j * row + i] is at (i, j), up to a shift that says nothing, for 0 <= i < row.
    """

    start: int
    weights: list[int]
    unit: int
    row: int = 0

    def padded(self, stride: int, budget: Budget) -> list[int]:
        """The weights in a plane, with zeros after each row up to the stride."""
        row = max(self.row, 1)
        budget.spend(len(self.weights) // row * stride)
        budget.hold(len(self.weights) // row * stride // 4)
        rows, gap = (self.weights[i : i + row] for i in range(0, len(self.weights), row)), [0] * (stride - row)
        return [weight for row_weights in rows for weight in chain(row_weights, gap)]

    def missed(self) -> int:
        """How much may be anywhere."""
        return self.unit - sum(self.weights)


class Noise(NamedTuple):
    """A log-concave law, or a decreasing one: its mode, Pr[k]/Pr[k - 1] of k, the limit of that, bits it is made of.

    A rate that is enclosed is its Ends, and of k up to the mode the Ends of its inverse, backwards.
    """

    mode: int
    rate: Callable[[int], tuple[int, ...]]
    limit: Ratio
    bits: int


def noise(law: dict[str, Any]) -> Noise:
    """A law as CERTIFICATE.md defines it, but for the discrete Gaussian one, which is `gaussian`."""
    if "q" in law:
        (a, b), last = law["q"], law.get("bound", MANY)
        return Noise(0, lambda k: (a * (k <= last), b) if k > 0 else (b, a * (k > -last)), (a, b), a.bit_length())
    (a, b), n, (r, s) = law.get("lam") or law["p"], law.get("n", 0), law.get("r", (0, 1))
    bits = sum(number.bit_length() for number in (a, b, n, r, s))
    if law["law"] == "poisson":
        return Noise(a // b, lambda k: (a, k * b), (0, 1), bits)
    if law["law"] == "binomial":
        return Noise(min((n + 1) * a // b, n), lambda k: ((n - k + 1) * a, k * (b - a)), (0, 1), bits)
    mode = max(a * (r - s) // (s * (b - a)), 0)
    return Noise(mode, lambda k: (a * (k * s + r - s), b * k * s), (a, b), bits)


def gaussian(variance: Ratio, width: int, budget: Budget) -> Noise:
    """Pr[k]/Pr[k - 1] is g^(2k - 1), g = e^(-1 / (2 variance))."""
    if 20_000 * variance[0] < variance[1]:
        raise Stop("undecided", "a variance below 1/20000 is not looked at")
    low, high, scale = enclose((variance[1], 2 * variance[0], False), width, budget)
    one, grows, falls = 1 << width, up(high << width, scale), up(scale << width, low)

    def rate(k: int) -> Ends:
        budget.spend(60, width, width)
        ends = one * one // power_up(grows, n := abs(2 * k - 1), width, budget), power_up(falls, n, width, budget), one
        return ends if k > 0 else ends[::-1]

    return Noise(0, rate, (0, 1), width)


def spread(law: dict[str, Any], width: int, budget: Budget) -> Span:
    """A window of the law; a small binomial one is exact."""
    if law["law"] == "binomial":
        return binomial(law["n"], law["p"], width, budget)
    return window(gaussian(law["variance"], width, budget) if "variance" in law else noise(law), width, budget)


def window(law: Noise, width: int, budget: Budget) -> Span:
    """A window of the law, over 2^width: weights relative to the mode's, until the lower is 0 or the law ends.

    Lemma. If w(k + 1) <= r w(k), r < 1, from some k on, the later weights sum to at most w(k) r / (1 - r): a geometric
    series. Here r is the larger of the next rate and the limit: away from the mode rates fall, or rise to the limit.
    A weight's lower end over the upper end of their sum, tails included, is at most its probability.
    """
    one, most, sides = 1 << width, -1 << width, []
    for step in (1, -1):
        low, high, k = [one], one, law.mode
        while (here := law.rate(k + 1) if step > 0 else law.rate(k)[::-1])[0] and low[-1]:
            budget.spend(6, law.bits + width // 2, law.bits + width // 2)
            budget.hold(2, width)
            low.append(low[-1] * here[0] // here[-1])
            most, high, k = most + high, up(high * here[-2], here[-1]), k + step
        above, below = larger((here[-2], here[-1]), law.limit, budget)
        if here[-2] and below <= above:
            return Span(law.mode, [0], 1 << width)  # too few bits for a tail
        most += high + (up(high * above, below - above) if here[-2] else 0)
        sides.append(low)
    return Span(k, [(weight << width) // most for weight in sides[1][:0:-1] + sides[0]], one)


def binomial(n: int, p: Ratio, width: int, budget: Budget) -> Span:
    """Bin(n, p): a small one is exact, else a window."""
    a, b = p
    if n * n * b.bit_length() > 10**5:
        return window(noise({"law": "binomial", "n": n, "p": p}), width, budget)
    budget.spend(4 * n, n * b.bit_length(), n * b.bit_length())
    return Span(0, [math.comb(n, k) * a**k * (b - a) ** (n - k) for k in range(n + 1)], b**n)


def product(a: list[int], b: list[int], budget: Budget) -> list[int]:
    """Of polynomials with weights of at least 0: that of their values at 256^size or 10^size, with digits apart."""
    bits = max(a).bit_length() + max(b).bit_length() + min(len(a), len(b)).bit_length()
    if bits <= 2_000 and bits * min(len(a), len(b)) > LONG:
        length = (size := bits * 30_103 // 100_000 + 1) * (len(a) + len(b))
        budget.spend(length // 4 + 2 * (len(a) + len(b)))
        budget.hold(2 * (len(a) + len(b)), 4 * size)
        exactly = Context(prec=length, Emax=MAX_EMAX, Emin=MIN_EMIN, traps=[Inexact])
        c, d = (exactly.create_decimal("".join([f"{weight:0{size}}" for weight in reversed(end)])) for end in (a, b))
        text = str(exactly.multiply(c, d)).zfill(length)
        return [int(text[i : i + size]) for i in range(length - size, size - 1, -size)]
    size = (bits + 7) // 8
    budget.spend(1, 8 * size * len(a), 8 * size * len(b))
    budget.spend(2 * (len(a) + len(b)))
    budget.hold(2 * (len(a) + len(b)), 8 * size)
    x, y = (int.from_bytes(b"".join([weight.to_bytes(size, "little") for weight in end]), "little") for end in (a, b))
    data = (x * (x if a is b else y)).to_bytes(size * (len(a) + len(b)), "little")
    return [int.from_bytes(data[i : i + size], "little") for i in range(0, size * (len(a) + len(b) - 1), size)]


def thick(sums: list[int], least: int) -> slice:
    """All but the ends that are below the least, and one at least."""
    first = next((i for i, some in enumerate(sums) if some >= least), 0)
    return slice(first, next((i for i in range(len(sums), first, -1) if sums[i - 1] >= least), first + 1))


def convolve(a: Span, b: Span, budget: Budget) -> Span:
    """The law of a sum; both have one unit, 2^width. Ends of weight 0 are left out; in a plane, where each row has room
    for a row of the sum, also rows and columns at the ends whose places have less than 1 on average."""
    width, room = a.unit.bit_length() - 1, budget.memory
    if not a.row + b.row:
        weights = [weight >> width for weight in product(a.weights, b.weights, budget)]
        kept = thick(weights, 1)
        return Span(a.start + b.start + kept.start, weights[kept], a.unit)
    stride = max(a.row, 1) + max(b.row, 1) - 1
    one = a.padded(stride, budget)
    weights = [weight >> width for weight in product(one, one if a is b else b.padded(stride, budget), budget)]
    budget.spend(len(weights))
    rows = [weights[i : i + stride] for i in range(0, len(weights) - stride + 1, stride)]  # what is beyond is 0
    rows = rows[thick(list(map(sum, rows)), stride)]
    kept = thick(list(map(sum, zip(*rows, strict=True))), len(rows))
    weights, budget.memory = [weight for row in rows for weight in row[kept]], room
    budget.hold(len(weights), width)
    return Span(0, weights, a.unit, kept.stop - kept.start)


def power(law: Any, unit: int, n: int, width: int, budget: Budget) -> Span:
    """The law of a sum of n >= 1 draws: binomial if there are two places on a line, else by repeated squaring."""
    row = 0
    if n == 1 and isinstance(law[0][0], tuple):
        (left, right), (top, end) = ((min(some), max(some)) for some in zip(*(place for place, _ in law), strict=True))
        row = right - left + 1
        size, flat = row * (end - top + 1), (((v - top) * row + u - left, weight) for (u, v), weight in law)
        law = [(0, 0), *flat, (size - 1, 0)]
    (first, _), (last, weight) = law[0], law[-1]
    gap = last - first if isinstance(first, int) else 0
    if gap and len(law) == 2:
        span = window(noise({"law": "binomial", "n": n, "p": (weight, unit)}), width, budget)
        size = gap * (len(span.weights) - 1) + 1
        budget.spend(size)
        budget.hold(size)
        weights = [0] * size
        weights[::gap] = span.weights
        return Span(n * first + gap * span.start, weights, span.unit)
    if n > 1:
        half = power(law, unit, n // 2, width, budget)
        whole = convolve(half, half, budget)
        return convolve(whole, power(law, unit, 1, width, budget), budget) if n % 2 else whole
    budget.spend(gap + 1 + len(law), width, unit.bit_length())
    budget.hold(gap + 1)
    weights = [0] * (gap + 1)
    for place, weight in law:
        weights[place - first] += (weight << width) // unit
    return Span(first, weights, 1 << width, row)


def survey(laws: list[Any], unit: int, wanted: list[Counts], width: int, budget: Budget) -> Iterator[Any]:
    """For each of the counts the law of a sum of so many draws from each law; a half of them shares what it can."""
    stack = [(wanted, (0,) * len(laws), Span(0, [1 << width], 1 << width), budget.memory)]
    while stack:
        some, have, span, budget.memory = stack.pop()
        budget.spend(len(some) * len(laws) + 1)
        least = tuple(map(min, zip(*some, strict=True)))
        for law, few, more in zip(laws, have, least, strict=True):
            if more > few:
                span = convolve(span, power(law, unit, more - few, width, budget), budget)
        if len(some) == 1:
            yield some[0], span
        else:
            halves = some[len(some) // 2 :], some[: len(some) // 2]
            stack += [(part, least, span, budget.memory) for part in halves]


def seen_with(span: Span, law: Line, first: int, last: int, budget: Budget) -> list[int]:
    """The weights, over span.unit and that of the law, of the sum with one user: of first + span.start and so on."""
    size = len(span.weights)
    budget.spend(len(law) * size, span.unit.bit_length(), law[-1][1].bit_length())
    budget.hold(size + last - first, span.unit.bit_length() + law[-1][1].bit_length())
    column = [0] * (size + last - first)
    for place, weight in law:
        at = slice(place - first, place - first + size)
        column[at] = map(add, column[at], map(mul, span.weights, repeat(weight)))
    return column


def line_pair(span: Span, p: Line, q: Line, unit: int, budget: Budget) -> Pair:
    """P and Q, of one user's law and the others' sum."""
    first, last = min(p[0][0], q[0][0]), max(p[-1][0], q[-1][0])
    one, other = (seen_with(span, law, first, last, budget) for law in (p, q))
    return list(zip(one, other, strict=True)), span.missed() * unit, span.unit * unit


def line(cert: Certificate, budget: Budget) -> dict[str, Any] | None:
    """The inputs' laws, if the multisets of all outcomes lie on a line, or in a plane: there places are pairs (u, v).

    Lemma. Let d and e be differences of outcomes, r and s messages with D = d_r e_s - d_s e_r not 0. Of multiples of d
    and e a difference f is a sum just if D f = (f_r e_s - f_s e_r) d + (d_r f_s - d_s f_r) e: Cramer's rule. So its
    counts of r and s tell f. On a line D = d_r, with e and s that do not occur.
    """
    origin = dict(next(iter(next(iter(cert.laws.values())))))
    size = sum(2 + len(origin) + len(seen) for law in cert.laws.values() for seen in law)
    budget.spend(4 * size)
    budget.hold(3 * size)
    ends = [dict(seen) for law in cert.laws.values() for seen in law]
    steps: list[Any] = [Counter({m: end.get(m, 0) - origin.get(m, 0) for m in {*end, *origin}}) for end in ends]
    none: Any = Counter({None: 1}), None
    d = next((step for step in steps if any(step.values())), Counter({"": 1}))
    r = min(m for m, count in d.items() if count)
    budget.spend(3 * (size + len(steps) * len(d)))
    e, s = next(((e, s) for e in steps for s in sorted({*d, *e}) if d[r] * e[s] != d[s] * e[r]), none)
    for f in steps:
        budget.spend(3 * (len(d) + len(e) + len(f)))
        x, y = f[r] * e[s] - f[s] * e[r], d[r] * f[s] - d[s] * f[r]
        if any((d[r] * e[s] - d[s] * e[r]) * f[m] != x * d[m] + y * e[m] for m in {*d, *e, *f}):
            return None
    (u, g), (v, h) = ((min(f[m] for f in steps), math.gcd(*(f[m] for f in steps)) or 1) for m in (r, s))
    at = iter([((f[r] - u) // g, (f[s] - v) // h) for f in steps])
    sheets = {name: [(next(at), weight) for weight in law.values()] for name, law in cert.laws.items()}
    return sheets if s else {name: gather((place[0], w) for place, w in law) for name, law in sheets.items()}


def laid(lines: dict[str, Any], span: Span, budget: Budget) -> tuple[dict[str, Line], Span]:
    """Laws in a plane, and that of the others' sum, row after row on a line, so that no two points have one place."""
    if not any(isinstance(law[0][0], tuple) for law in lines.values()):
        return lines, span
    stride = max(span.row, 1) + max(u for law in lines.values() for (u, _), _ in law)
    flat = {name: gather((v * stride + u, weight) for (u, v), weight in law) for name, law in lines.items()}
    return flat, Span(0, span.padded(stride, budget), span.unit)


# ---- all pairs of neighbours of a randomizer ----

def compositions(total: int, parts: int) -> Iterator[Counts]:
    """All tuples of so many numbers of at least 0 with this sum, ascending: what lies between bars in a row."""
    end = total + parts - 1
    for bars in combinations(range(end if parts > 1 else 0), parts - 1):
        yield tuple(b - a - 1 for a, b in pairwise((-1, *bars, end)))


def cases_of(cert: Certificate, class_of: dict[str, int], kinds: int, budget: Budget) -> Iterator[Case]:
    """The first case of each orbit under the symmetries, ascending in the counts.

    A symmetry maps classes to classes and has finite order: what is reached forwards is the orbit of the group.
    """
    member = {number: name for name, number in class_of.items()}
    moves = []
    for inputs in (symmetry["inputs"] for symmetry in cert.evidence["symmetries"]):
        to = [class_of[inputs.get(member[number], member[number])] for number in range(kinds)]
        moves.append((inputs, sorted(range(kinds), key=to.__getitem__)))  # the second is the inverse on classes
    budget.spend(math.perm(len(cert.laws), 2) * multisets(cert.others, kinds))

    def is_first(case: Case) -> bool:
        seen, reached, room = {case}, [case], budget.memory
        for counts, a, b in reached:
            for inputs, back in moves:
                budget.spend(2 + kinds // 4)
                new = (tuple(map(counts.__getitem__, back)), inputs.get(a, a), inputs.get(b, b))
                if new < case:
                    budget.memory = room
                    return False
                if new not in seen:
                    budget.hold(4 + kinds // 6)
                    seen.add(new)
                    reached.append(new)
        budget.memory = room
        return True

    budget.hold(cert.others + kinds if kinds > 1 else 0)
    for counts in compositions(cert.others, kinds):
        budget.spend(2 + kinds // 4)
        yield from (case for ends in changes(cert.laws) if is_first(case := (counts, *ends)))


def whole_unit(cert: Certificate, others: int, budget: Budget) -> int:
    """The unit of the weights of a view of one user and so many others."""
    bits = (others + 1) * cert.unit.bit_length()
    budget.spend(1, bits, bits)
    budget.hold(1, bits)
    return int(cert.unit ** (others + 1))


def exact_road(cert: Certificate, kinds: list[Law], budget: Budget) -> Road:
    """By products of polynomials; only e^eps is rounded."""
    laws = dict(zip(cert.laws, pack(cert, cert.laws.values(), budget), strict=True))
    packed = pack(cert, kinds, budget)

    def road(cases: Iterable[Case], bits: int) -> Iterator[tuple[Case, Ends]]:
        ends = enclose(cert.eps, bits, budget)
        grouped = ((counts, list(some)) for counts, some in groupby(cases, key=itemgetter(0)))
        for some, common in products(grouped, packed, budget):
            views = {name: multiply(common, laws[name], budget) for name in {name for _, *two in some for name in two}}
            room = budget.memory
            total = whole_unit(cert, sum(some[0][0]), budget)
            for case in some:
                atoms = aligned((views[case[1]], views[case[2]]), budget)
                yield case, divergence((atoms, 0, total), None, ends, budget)
                budget.memory = room

    return road


def line_road(cert: Certificate, kinds: list[Any], lines: dict[str, Any], budget: Budget) -> Road:
    """By windows, where the inputs' laws lie on a line or in a plane."""
    def road(cases: Iterable[Case], bits: int) -> Iterator[tuple[Case, Ends]]:
        width = bits + budget.spare // 4 + cert.others.bit_length()
        low, _, scale = ends = enclose(cert.eps, bits, budget)
        grouped: dict[Counts, list[Case]] = {}
        for case in cases:
            budget.hold(4 + len(kinds) // 6)
            grouped.setdefault(case[0], []).append(case)
        for counts, span in survey(kinds, cert.unit, list(grouped), width, budget):
            room, views, lost = budget.memory, dict[str, list[int]](), span.missed() * cert.unit
            laws, span = laid(lines, span, budget)
            first, last = min(law[0][0] for law in laws.values()), max(law[-1][0] for law in laws.values())
            for case in grouped[counts]:
                p, q, found = laws[case[1]], laws[case[2]], (0, 0, 1)  # if P is nowhere above e^eps Q
                if any(scale * one > low * other for one, other in aligned((p, q), budget)):
                    for name in case[1:]:
                        if name not in views:
                            views[name] = seen_with(span, laws[name], first, last, budget)
                    atoms = list(zip(views[case[1]], views[case[2]], strict=True))
                    found = divergence((atoms, lost, span.unit * cert.unit), None, ends, budget)
                yield case, found
            budget.memory = room

    return road


def exceeding(road: Road, cases: Iterable[Case], bound: Ratio, side: str, budget: Budget) -> tuple[Case | None, int]:
    """A case whose delta(eps) is not on this side of the bound, if any, and how many were tried."""
    tried, room = 0, budget.memory
    for bits in doublings(16 + max(bound[1].bit_length() - bound[0].bit_length(), 0), budget):
        left = []
        for case, found in road(cases, bits):
            budget.spend(2, found[2].bit_length(), bound[1].bit_length())
            good = settled(found, bound, side)
            if good is False:
                return case, tried
            if good is None:
                budget.spend(10)  # which bounds the memory of this list
                left.append(case)
            tried += 1
        budget.memory = room
        if not left:
            break
        cases, tried = left, tried - len(left)
    return None, tried


def check_symmetries(cert: Certificate, budget: Budget) -> None:
    """Rejected, unless every listed symmetry is one."""
    size = sum(2 + len(seen[0][0] if cert.local else seen) for law in cert.laws.values() for seen in law)
    for i, symmetry in enumerate(cert.evidence["symmetries"]):
        s, t = symmetry["inputs"], symmetry["messages"]
        budget.spend(2 * size, cert.unit.bit_length(), 64)
        for name, law in cert.laws.items():
            moved: Law = {}
            for seen, weight in law.items():
                one = ((tuple(t.get(m, m) for m in seen[0][0]), 1),) if cert.local else ()
                moved[one or tuple(sorted((t.get(m, m), count) for m, count in seen))] = weight
            if moved != cert.laws[s.get(name, name)]:
                raise Stop("rejected", f"evidence.symmetries[{i}] is not a symmetry: see input {show(name)}")


def roads_of(cert: Certificate, class_of: dict[str, int], kinds: list[Law], budget: Budget) -> list[Road]:
    """Exact products where they are little work; else windows, and after them the products where these are bearable."""
    lines = line(cert, budget) if cert.others else None
    ends = [(place, 0) if isinstance(place, int) else place for law in (lines or {}).values() for place, _ in law]
    reach = [max(some) - min(some) for some in zip(*ends, strict=True)]
    if lines is None or (cert.kind != "cover" and all(reach)):
        return [exact_road(cert, kinds, budget)]
    steps = min(multisets(cert.others, len(kinds)) * cert.others, multisets(cert.others, len(kinds) + 1))
    digits, terms = 1 + cert.others * cert.unit.bit_length() ** 2 // 60_000, max(map(len, lines.values()))
    cost = steps * math.prod(cert.others * most + 1 for most in reach) * terms * digits
    of_class = {number: lines[name] for name, number in class_of.items()}
    windows = line_road(cert, [of_class[number] for number in range(len(kinds))], lines, budget)
    exact = [exact_road(cert, kinds, budget)] if cost <= ENOUGH else []
    return exact if exact and cost <= LITTLE else [windows, *exact]


def verify_all(cert: Certificate, budget: Budget) -> str:
    """All pairs of neighbouring datasets, one of each orbit or by boxes, on the first road that decides.

    All roads but the last have only a share of the work.
    """
    job = verify_boxes if cert.kind == "cover" else verify_pairs
    if job is verify_pairs:
        check_symmetries(cert, budget)
    if len(cert.laws) == 1:
        return "there are no neighbouring datasets"
    class_of, kinds = classes(cert, budget)
    *first, last = roads_of(cert, class_of, kinds, budget)
    for road in first:
        work, memory = budget.work, budget.memory
        budget.work = work // SHARE
        try:
            return job(cert, class_of, len(kinds), road, budget)
        except Stop as stop:
            if stop.args[0] != "undecided":
                raise
        budget.work, budget.memory = work - work // SHARE, memory
    return job(cert, class_of, len(kinds), last, budget)


def verify_pairs(cert: Certificate, class_of: dict[str, int], kinds: int, road: Road, budget: Budget) -> str:
    """The named pair is at least `lower`, every pair at most `upper` and the claimed delta."""
    worst, named = cert.evidence["worst"], [0] * kinds
    for name, count in worst["pair"]["others"].items():
        named[class_of[name]] += count
    case = tuple(named), worst["pair"]["from"], worst["pair"]["to"]
    if exceeding(road, [case], worst["delta"]["lower"], "at least", budget)[0]:
        raise Stop("rejected", "evidence.worst.delta.lower: delta(eps) of the pair is below")
    bound, place = smaller_bound(cert, worst["delta"]["upper"], "evidence.worst.delta.upper")
    exceeded, tried = exceeding(road, cases_of(cert, class_of, kinds, budget), bound, "at most", budget)
    if exceeded:
        counts, *ends = exceeded
        raise Stop("rejected", f"{place}: exceeded for from, to, others by class = {show((*ends, counts))}")
    pairs, words = all_pairs(cert)
    return f"{tried} of {words} computed{', the others are equivalent' * (tried < pairs)}"


def smaller_bound(cert: Certificate, upper: Ratio, place: str) -> tuple[Ratio, str]:
    """The upper bound that all pairs must keep, with its place: that of the evidence, or of a proof a smaller delta."""
    tight = not cert.proved or upper[0] * cert.delta[1] < cert.delta[0] * upper[1]
    return (upper, place) if tight else (cert.delta, "claim.delta")


def all_pairs(cert: Certificate) -> tuple[int, str]:
    """How many pairs of neighbouring datasets there are, if not too many to count, and that in words."""
    ways, ends = multisets(cert.others, len(cert.laws) - ("" in cert.laws)), len(cert.laws)
    ends = 2 * (ends - 1) if "" in cert.laws else math.perm(ends, 2)
    words = f" of {cert.others + 1} user(s)" * (cert.kind == "fewer")
    return ends * ways, f"{'at least ' * (ways == MANY)}{ends * ways} pairs of neighbouring datasets{words}"


def corners(
    total: int, cover: list[Any], class_of: dict[str, int], kinds: int, budget: Budget
) -> Iterator[tuple[Counts, Any]]:
    """The corner of each box of the cover that is not empty, and what its node says."""
    stack = [((0,) * kinds, (total,) * kinds)]
    for node in cover:
        budget.spend(4 + 2 * kinds)
        budget.hold(4 + kinds // 3)
        low, high = stack.pop()
        if isinstance(node, tuple):
            k, at = class_of[node[0]], node[1]
            stack.append(((*low[:k], max(low[k], at + 1), *low[k + 1 :]), high))
            stack.append((low, (*high[:k], min(high[k], at), *high[k + 1 :])))
        elif sum(low) <= total <= (whole := sum(high)) and all(map(le, low, high)):
            yield tuple(max(least, total - whole + most) for least, most in zip(low, high, strict=True)), node


def verify_boxes(cert: Certificate, class_of: dict[str, int], kinds: int, road: Road, budget: Budget) -> str:
    """The corner of every box, with every ordered pair of inputs."""
    found = sorted({corner for corner, _ in corners(cert.others, cert.evidence["cover"], class_of, kinds, budget)})
    budget.spend(len(found) * math.perm(len(cert.laws), 2))
    cases = ((corner, *ends) for corner in found for ends in changes(cert.laws))
    if exceeded := exceeding(road, cases, cert.delta, "at most", budget)[0]:
        raise Stop("rejected", f"evidence.cover: exceeded for the corner by class, from, to = {show(exceeded)}")
    return f"by {len(found)} boxes, which hold {all_pairs(cert)[1]}"


def show_above(cert: Certificate, place: str, event_at: Callable[[int], Counts], budget: Budget) -> None:
    """Rejected, unless P(E) - e^eps Q(E) is above the claimed delta. Of a number of bits `event_at` gives P(E), Q(E),
    what either may have more, and their unit."""
    def difference(ends: Ends, bits: int) -> Ends:
        (p, q, more, unit), (low, high, scale) = event_at(bits), ends
        budget.spend(8, unit.bit_length(), scale.bit_length())
        return scale * p - high * (q + more), scale * (p + more) - low * q, scale * unit

    if answers(cert.eps, difference, [(cert.delta, "above")], 64, budget) != [True]:
        raise Stop("rejected", f"{place}: P(event) - e^eps Q(event) is not above claim.delta")


def verify_event(cert: Certificate, budget: Budget) -> str:
    """The named pair and event: P(event) and Q(event), exactly, are one outcome's P and Q."""
    pair, laws = cert.evidence["pair"], pack(cert, cert.laws.values(), budget)
    counts = tuple(pair["others"].get(name, 0) for name in cert.laws)
    common = next(products([(counts, None)], laws, budget))[1]
    [event] = pack(cert, [dict.fromkeys(cert.evidence["event"], 1)], budget)
    views = (multiply(common, laws[list(cert.laws).index(pair[end])], budget) for end in ("from", "to"))
    p, q = (sum(one for one, chosen in aligned((view, event), budget) if chosen) for view in views)
    total = whole_unit(cert, cert.others, budget)
    show_above(cert, "evidence.event", lambda _: (p, q, 0, total), budget)
    return f"shown by 1 of {all_pairs(cert)[1]}"


def verify_threshold(cert: Certificate, budget: Budget) -> str:
    """The named pair; the event is that a weighted sum of all messages is above a number."""
    pair, weights, above = cert.evidence["pair"], *(cert.evidence["threshold"][key] for key in ("weights", "above"))
    lines: dict[str, Line] = {}
    for name, law in cert.laws.items():
        budget.spend(sum(1 + len(seen) for seen in law), 3_400, 64)
        budget.hold(len(law), 3_400)
        places = (sum(weights.get(message, 0) * count for message, count in seen) for seen in law)
        lines[name] = gather(zip(places, law.values(), strict=True))
    p, q = lines[pair["from"]], lines[pair["to"]]
    others, counts = [lines[name] for name in pair["others"]], tuple(pair["others"].values())
    top = max(p[-1][0], q[-1][0]) + sum(law[-1][0] * count for law, count in zip(others, counts, strict=True))
    if above + 1 == top and not cert.delta[0]:  # P(E) - e^eps Q(E) > 0: what the others add to both is one factor
        others = [[(law[-1][0], cert.unit)] for law in others]

    def event_at(bits: int) -> tuple[int, int, int, int]:
        width = bits + budget.spare + 2 * cert.others.bit_length()
        [(_, span)] = survey(others, cert.unit, [counts], width, budget)
        atoms, lost, unit = line_pair(span, p, q, cert.unit, budget)
        event = atoms[max(above + 1 - span.start - min(p[0][0], q[0][0]), 0) :]
        one, other = map(sum, zip((0, 0), *event, strict=True))
        return one, other, lost * (above < top), unit

    show_above(cert, "evidence.threshold", event_at, budget)
    return "shown by 1 pair"


# ---- mechanisms ----

def shifted(law: dict[str, Any], j: int, width: int, budget: Budget) -> Pair:
    """X + j against X. Outcomes of equal ratio P/Q may be merged, for max(tP - e^eps tQ, 0) = t max(P - e^eps Q, 0).

    Discrete Laplace: P/Q is q^j for k <= 0, q^-j for k >= j, q^(2k - j) between. Geometric, that is negative binomial
    with r = 1: 0 for k < j and p^-j for k >= j. These, and a small binomial law, are exact.
    """
    (a, b), name = law.get("q") or law.get("p") or (0, 1), law["law"]
    if name == "discrete_laplace":
        budget.spend(6 * j, j * b.bit_length(), j * b.bit_length())
        budget.hold(2 * j, j * b.bit_length())
        exact = [(b**j, a**j), (a**j, b**j)]
        exact += (((b - a) * b ** (k - 1) * a ** (j - k), (b - a) * b ** (j - k - 1) * a**k) for k in range(1, j))
        return exact, 0, (a + b) * b ** (j - 1)
    if name == "negative_binomial" and law["r"][0] == law["r"][1]:
        budget.spend(6, j * b.bit_length(), j * b.bit_length())
        return [(b**j, a**j), (0, b**j - a**j)], 0, b**j
    span = spread(law, width, budget)
    budget.spend(2 * (j + len(span.weights)))
    budget.hold(2 * (j + len(span.weights)))
    none = [0] * j
    return list(zip(none + span.weights, span.weights + none, strict=True)), span.missed(), span.unit


def correlated(q: Ratio, law: dict[str, Any], width: int, budget: Budget) -> Pair:
    """s = 1 against s = 0: the atoms of CERTIFICATE.md, (1, q) and (q H(u - 1), H(u)), over 1 + q.

    H(u) = (1 - q^2) Pr[Z = u] + q^2 H(u - 1), from below; a part that is left out is in what is missed of 1.
    """
    (a, b), span = q, window(noise(law), width, budget)
    fade, whole, low, unit = a * a, b * b, [0], (a + b) * span.unit
    for weight in chain(span.weights, repeat(0)):
        budget.spend(4, width + b.bit_length(), 2 * b.bit_length())
        budget.hold(4, width + b.bit_length())
        low.append(((whole - fade) * weight + fade * low[-1]) // whole)
        if len(low) > len(span.weights) and low[-1] == 0:
            break
    atoms = [(b * span.unit, a * span.unit), *((a * p, b * q) for p, q in pairwise(low))]
    return atoms, unit - min(map(sum, zip(*atoms, strict=True))), unit


def released(seen: dict[str, Any], j: int, width: int, budget: Budget) -> Pair:
    """The number j + X against Y, as they are released: X and Y have one law, or those with a user and without."""
    spans = [spread(seen.get(key) or seen["noise"], width, budget) for key in ("present", "absent")]
    sides, units = [], [span.unit for span in spans]
    (wrap, modulus), word = (seen.get(key, 0) for key in ("wrap", "modulo")), (1 << seen.get("bits", 0)) - 1 or -1
    for span, at, unit in zip(spans, (j, 0), units[::-1], strict=True):
        budget.spend(8 * len(span.weights), width, unit.bit_length())
        budget.hold(8 * len(span.weights), width + unit.bit_length())
        places = (at + ((k & word) % wrap if wrap else k & word) for k, _ in enumerate(span.weights, span.start))
        sides.append(gather((k % modulus if modulus else k, weight * unit)
                            for k, weight in zip(places, span.weights, strict=True)))
    lost = max(spans[0].missed() * units[1], spans[1].missed() * units[0])
    return aligned((sides[0], sides[1]), budget), lost, units[0] * units[1]


def sampled(span: Span, keep: Ratio, budget: Budget) -> Pair:
    """The sum with one message that is kept with a probability, against the sum."""
    a, b = keep
    return line_pair(span, [(0, b - a), (1, a)], [(0, b)], b, budget)


def column(flip: Ratio, ones: int, zeros: int, width: int, budget: Budget) -> Pair:
    """CERTIFICATE.md's (P, Q) of a column that so many of the others hold, and so many do not; a small one is exact."""
    a, b = flip
    one, other = (binomial(m, p, width, budget) for m, p in ((ones, (b - a, b)), (zeros, flip)))
    span = Span(0, product(one.weights, other.weights, budget), one.unit * other.unit)
    return line_pair(span, [(0, a), (1, b - a)], [(0, b - a), (1, a)], b, budget)


def vanishes(odds: Ratio, times: int, ends: Ends, budget: Budget) -> bool:
    """Whether e^eps is at least odds^times, the largest ratio P/Q: then delta(eps) is 0."""
    bits = times * max(map(int.bit_length, odds))
    budget.spend(3, bits, bits + ends[0].bit_length())
    return bool(ends[2] * odds[0] ** times <= ends[0] * odds[1] ** times)


def of_mechanism(seen: dict[str, Any], ends: Ends, width: int, budget: Budget) -> Ends:
    """The largest delta(eps) over a mechanism's neighbours.

    Two ratios are bounded, and attained. Discrete Laplace: P/Q <= q^-j. Strings: (1 - flip)/flip for each factor.
    Of a number that is not reduced, the largest shift has the largest delta(eps): CERTIFICATE.md's lemma.
    """
    view, law, j = seen["view"], seen.get("noise", {"law": ""}), seen.get("sensitivity", 1)
    twice, served = view not in ("count", "correlated", "release", "presence"), view in SERVED
    if law["law"] == "discrete_laplace" and not served and vanishes(law["q"][::-1], j * (1 + twice), ends, budget):
        return 0, 0, 1
    if view == "strings":
        return of_columns(seen["flip"], ((0, seen["strings"] - 1),) * 2, {}, ends, width, budget)
    if view == "sampled":
        pairs = iter([sampled(spread(law, width, budget), seen["keep"], budget)])
    elif served:
        few = range(j if view == "release" and not seen["bits"] + seen["wrap"] + seen["modulo"] else 0, j + 1)
        pairs = (released(seen, shift, width, budget) for shift in few)
    else:
        pairs = iter([correlated(seen["q"], law, width, budget) if "q" in seen else shifted(law, j, width, budget)])
    if twice:
        pair = next(pairs)
        return divergence(pair, pair, ends, budget)
    least = most = whole = 0
    for atoms, lost, unit in pairs:
        for some in (atoms, [(q, p) for p, q in atoms]):
            low, high, whole = divergence((some, lost, unit), None, ends, budget)
            least, most = max(least, low), max(most, min(high, whole))
    return least, most, whole


def of_columns(flip: Ratio, box: tuple[Counts, Counts], known: Columns, ends: Ends, width: int, budget: Budget) -> Ends:
    """delta(eps) of the product of two columns: of each, how many of the others are known to hold it, and not to."""
    if vanishes((flip[1] - flip[0], flip[0]), 2, ends, budget):
        return 0, 0, 1
    for counts in box:
        if counts not in known:
            room = budget.memory
            known[counts] = column(flip, counts[0], counts[1], width, budget)
            budget.memory = room
            budget.hold(6 * len(known[counts][0]), 2 * width)
    return divergence(known[box[0]], known[box[1]], ends, budget)


def stated(cert: Certificate) -> list[Asked]:
    """What a certificate of a mechanism says of delta(eps): its two ends, and the side of delta that is the verdict."""
    ends, side = cert.evidence["delta"], "at most" if cert.proved else "above"
    return [(ends["lower"], "at least"), (ends["upper"], "at most"), (cert.delta, side)]


def decide_mechanism(cert: Certificate, find: Find, whose: str, budget: Budget) -> None:
    """Rejected, unless delta(eps) is from `lower` to `upper` and on the side of delta that the verdict says."""
    found = answers(cert.eps, lambda ends, bits: find(ends, bits + 2 * budget.spare), stated(cert), 256, budget)
    if False in found:
        place = ("evidence.delta.lower", "evidence.delta.upper", "claim.delta")[found.index(False)]
        raise Stop("rejected", f"{place}: {whose} delta(eps) is on the other side")


def verify_mechanism(cert: Certificate, budget: Budget) -> str:
    """The largest delta(eps) of a mechanism."""
    decide_mechanism(cert, lambda ends, width: of_mechanism(cert.seen, ends, width, budget), "the largest", budget)
    return "the largest of all pairs of neighbours"


def verify_columns(cert: Certificate, budget: Budget) -> str:
    """delta(eps) of the named pair, and an upper bound for all pairs."""
    (i, j), n, flip = cert.evidence["others"], cert.seen["users"] - 1, cert.seen["flip"]
    box = (i, n - i), (j, n - j)
    decide_mechanism(cert, lambda ends, width: of_columns(flip, box, {}, ends, width, budget), "its", budget)
    bound, place = smaller_bound(cert, cert.evidence["delta"]["upper"], "evidence.delta.upper")
    done = boxes(cert, bound, place, budget) if bound[0] < bound[1] else 0
    return f"the named pair of neighbours, and all others in {done} boxes"


def boxes(cert: Certificate, bound: Ratio, place: str, budget: Budget) -> int:
    """How many boxes show that delta(eps) of all pairs (i, j) of `columns` is at most the bound.

    A box is all i in [i, i_end], j in [j, j_end]; CERTIFICATE.md's lemma bounds them by i, n - i_end and j, n - j_end.
    """
    n, done = cert.seen["users"] - 1, 0
    left = [(0, n, 0, n)]
    for bits in doublings(64 + max(bound[1].bit_length() - bound[0].bit_length(), 0), budget):
        stack, left, known, room = left, [], Columns(), budget.memory
        ends = enclose(cert.eps, bits, budget)
        while stack:
            i, i_end, j, j_end = stack.pop()
            i_end, j_end = min(i_end, n - j), min(j_end, n - i)
            if cert.seen["columns"] == 2:
                i, j = max(i, n - j_end), max(j, n - i_end)
            if i > i_end or j > j_end:
                continue
            done += 1
            box = (i, n - i_end), (j, n - j_end)
            found = of_columns(cert.seen["flip"], box, known, ends, bits + 2 * budget.spare, budget)
            good = settled(found, bound, "at most")
            if len(known) >= 64:
                known, budget.memory = Columns(), room
            if (i, j) != (i_end, j_end) and not good:
                wide = i_end - i >= j_end - j
                k = (i + i_end if wide else j + j_end) // 2
                stack += [(i, k, j, j_end) if wide else (i, i_end, j, k)]
                stack += [(k + 1, i_end, j, j_end) if wide else (i, i_end, k + 1, j_end)]
            elif good is False:
                raise Stop("rejected", f"{place}: exceeded for others = [{i}, {j}]")
            elif good is None:
                left.append((i, i_end, j, j_end))
        if not left:
            break
    return done


# ---- thresholded counts ----

def of_shown(seen: dict[str, Any], ends: Ends, back: bool, width: int, budget: Budget) -> Ends:
    """The largest delta(eps) over m <= users of T(Bin(m, p)) against T(Bin(m - 1, p)); `back`: of the reverses too.

    For m < k nothing is shown. By CERTIFICATE.md's lemma the counts of m, seen whole, bound every later m: the first m
    where they add no more than 2^-bits to what was found is the last.
    """
    k, n, least, most = seen["k"], seen["users"], (0, 1), (0, 1)
    for m in range(k, n + 1):
        room = budget.memory
        span = binomial(m - 1, seen["p"], width, budget)
        atoms, lost, unit = sampled(span, seen["p"], budget)
        budget.spend(4 * len(atoms), unit.bit_length())
        budget.hold(4 * len(atoms))
        cut = max(k - span.start, 0)
        shown = [(sum(p for p, _ in atoms[:cut]), sum(q for _, q in atoms[:cut])), *atoms[cut:]]
        later: Ratio = (0, 1)
        for turned in (False, True)[: 1 + back]:
            if turned:
                shown, atoms = ([(q, p) for p, q in some] for some in (shown, atoms))
            low, high, whole = divergence((shown, lost, unit), None, ends, budget)
            least, most = larger(least, (low, whole), budget), larger(most, (high, whole), budget)
            _, high, whole = divergence((atoms, lost, unit), None, ends, budget)
            later = larger(later, (high, whole), budget)
        budget.memory = room
        over, whole = later[0] * most[1] - most[0] * later[1], later[1] * most[1]
        if m < n and over <= whole >> max(width - 2 * budget.spare, 0):
            most = larger(most, later, budget)
            break
    budget.spend(2, least[1].bit_length(), most[1].bit_length())
    return least[0] * most[1], most[0] * least[1], least[1] * most[1]


def verify_shown(cert: Certificate, budget: Budget) -> str:
    """The largest delta(eps) of thresholded counts; of a user who is replaced, between CERTIFICATE.md's two ends."""
    (a, b), seen = cert.seen["p"], cert.seen

    def find(ends: Ends, width: int) -> Ends:
        some = of_shown(seen, ends, True, width, budget)
        if seen["adjacency"] == "add-remove":
            return some
        fewer = ends[0] * (b - a), ends[1] * (b - a), ends[2] * b
        every = of_shown(seen, fewer, False, width, budget)
        found = some[0] * every[2], every[1] * some[2], some[2] * every[2]
        for bound, side in stated(cert):
            between = settled(some, bound, "at most") and settled(every, bound, "at least")
            if settled(found, bound, side) is None and between:
                raise Stop("undecided", f"{show(bound)} lies between what some neighbours have and what bounds all")
        return found

    decide_mechanism(cert, find, "the largest", budget)
    return "the largest of all pairs of neighbours"


# ---- blankets ----

def power_up(base: int, n: int, width: int, budget: Budget) -> int:
    """base^n, both over 2^width, rounded up."""
    total = 1 << width
    for bit in f"{n:b}":
        budget.spend(2, 2 * total.bit_length(), total.bit_length() + base.bit_length())
        total = -(-total * total * (base if bit == "1" else 1) >> width * (1 + int(bit)))
        if total.bit_length() > 64 * width:
            raise Stop("undecided", "too large a power, of evidence.blanket.tilt or of a Gaussian law")
    return total


def blanket_bound(shape: Shape, cert: Certificate, ends: Ends, width: int, budget: Budget) -> Ratio:
    """CERTIFICATE.md's upper end of a pair's delta(eps), from (Pr[R(x) = y], Pr[R(x') = y], c(y)) for all y.

    Weights are rounded up, and e^eps down. H is the least for which what lies above it is below 2^-24 n delta, if any.
    Where the grid says above what place, an outcome there counts as if c(y) were 0, and too low a place is raised.
    """
    (low, _, scale), unit, n, hints = ends, cert.unit, cert.others + 1, cert.evidence["blanket"]
    (step, part), (tilt, one), cells = (hints[key] for key in ("step", "tilt", "cells"))
    most, least_place = (hints["above"], hints["above"] - cells + 1) if "above" in hints else (MANY, -MANY)
    size = unit.bit_length() + scale.bit_length() + low.bit_length() + step.bit_length() + part.bit_length()
    budget.spend(4 * len(shape), 2 * size, 2 * size)
    budget.spend(1 + (tilt.bit_length() + one.bit_length()) ** 2 // 60_000)
    alone, left, terms = 0, unit, list[tuple[int, int]]()
    for p, q, least in shape:
        excess, below = scale * p - low * q, scale * least * step
        place, rest = divmod(excess * part, below) if least else (most, 0)
        if place >= most:
            alone += max(excess, 0)
            continue
        left -= least
        place, rest = (place, rest) if place >= least_place else (least_place, 0)
        terms += ((at, up(least * weight << width, below * unit))
                  for at, weight in ((place, below - rest), (place + 1, rest)))
    terms.append((0, up(left << width, unit)))
    direct = alone, scale * unit
    grid = [(place, weight) for place, weight in gather(terms) if weight]
    (start, _), (top, _), fine = grid[0], grid[-1], 2 * (width + budget.spare)
    if top <= 0:
        return direct
    if top - start >= cells or up(tilt, tilt - one) >= cells:
        raise Stop("undecided", "evidence.blanket: too few cells for one step, or for H (1 - 1/tilt) >= 1")
    grows, falls = up(tilt << fine, one), up(one << fine, tilt)
    each = sum(up(weight * power_up(grows if place > 0 else falls, abs(place), fine, budget), 1 << width)
               for place, weight in grid)
    every = power_up(each, n, fine, budget)
    sharp = fine + every.bit_length()

    def above(high: int) -> int:
        return up(step * high * power_up(up(one << sharp, tilt), high, sharp, budget) * every, 1 << sharp)

    share = (n * cert.delta[0] * part << fine) // (cert.delta[1] << 24)
    high = bisect_left(range(cells - 1), True, up(tilt, tilt - one), key=lambda at: above(at) <= share)
    budget.hold(2 * (top - start + 1), width)
    base = [0] * (top - start + 1)
    for place, weight in grid:
        base[place - start] = weight
    first, weights = start, base
    for bit in f"{n:b}"[1:]:
        for factor, origin in ((weights, first), (base, start))[: 1 + int(bit)]:
            room = budget.memory
            whole, first = [up(weight, 1 << width) for weight in product(weights, factor, budget)], first + origin
            budget.memory = room
            weights = whole[:cells]
            for i, weight in enumerate(whole[cells:]):
                weights[i] += weight
    places = ((first + i - high - 1) % cells + high + 1 - cells for i in range(len(weights)))
    total = step * sum(place * weight for place, weight in zip(places, weights, strict=True) if place > 0)
    whole_sum, below = (total << fine - width) + above(high), n * part << fine
    return direct[0] * below + direct[1] * whole_sum, direct[1] * below


def bits_of(cert: Certificate, budget: Budget) -> int:
    """The bits that a grid needs: a rounding adds at most 2^-bits to a place, of which there are so many."""
    (step, part), cells = (cert.evidence["blanket"][key] for key in ("step", "cells"))
    size: int = 16 * cells**2 * step * cert.delta[1] // (part * max(cert.delta[0], 1))
    if (bits := size.bit_length() + budget.spare) > budget.bits:
        raise Stop("undecided", f"too few bits: {bits} bits are needed, allow more with --max-bits")
    return bits


def verify_blanket(cert: Certificate, budget: Budget) -> str:
    """The blanket's bound for every ordered pair of inputs that differs from those before."""
    laws, every = cert.laws, {y for law in cert.laws.values() for y in law}
    budget.spend(len(laws) ** 2 * len(every) * 2, cert.unit.bit_length(), 1_000)
    least = {y: min(law.get(y, 0) for name, law in laws.items() if name) for y in every}
    shapes = list[tuple[Shape, tuple[str, str]]]()
    for ends in changes(laws):
        budget.hold(4 * len(every), cert.unit.bit_length())
        p, q = (laws[end] for end in ends)
        shapes.append((tuple(sorted((p.get(y, 0), q.get(y, 0), least[y]) for y in every)), ends))
    bits = bits_of(cert, budget)
    different = [next(some) for _, some in groupby(sorted(shapes), key=itemgetter(0))]
    for shape, ends in different:
        room = budget.memory
        above, below = blanket_bound(shape, cert, enclose(cert.eps, bits, budget), bits, budget)
        budget.memory = room
        if above * cert.delta[1] > cert.delta[0] * below:
            raise Stop("undecided", f"evidence.blanket: the bound, with these hints, is above delta for {show(ends)}")
    return f"by the blanket; {len(different)} of {len(shapes)} pairs of inputs differ"


# ---- blocks of users ----

def unknown(law: Law, known: dict[str, int]) -> Law:
    """The law of what is sent besides the messages that are known."""
    return {tuple((m, left) for m, count in seen if (left := count - known.get(m, 0))): law[seen] for seen in law}


def blocks_in(corner: Counts, block: dict[str, Any], class_of: dict[str, int], n: int) -> int:
    """How many blocks there are for sure among n users, the one who changes in one of them."""
    users, there, place = Counter[int](), list(corner), block["place"]
    for name, count in block["users"].items():
        users[class_of[name]] += count
    if place is not None:
        there[class_of[place]] += 1
    size: int = block["open"] + sum(users.values())
    return min([n // size, *(there[kind] // users[kind] for kind in users)])


def verify_blocks(cert: Certificate, budget: Budget) -> str:
    """The bound of CERTIFICATE.md's lemma, with the blocks of every box, for every ordered pair of inputs.

    The message "", which no user sends, counts the users who are drawn.
    """
    known, laws, unit, where = cert.evidence["blocks"]["known"], cert.laws, cert.unit, "evidence.blocks.covers"
    size = sum(2 + len(seen) + len(known.get(name, {})) for name, law in laws.items() for seen in law)
    budget.spend(8 * size, unit.bit_length())
    budget.hold(8 * size, unit.bit_length())
    first, *_ = bases = [unknown(law, known.get(name, {})) for name, law in laws.items()]
    budget.spend(len(bases) * len(first))
    alike = {seen: least for seen in first if (least := min(base.get(seen, 0) for base in bases))}
    mark: Law = {(("", 1),): 1}
    left_open = {(("", 1), *seen): least for seen, least in alike.items()} | {(): unit - sum(alike.values())}
    (class_of, kinds), wanted = classes(cert, budget), dict[Counts, list[Any]]()
    for cover in cert.evidence["blocks"]["covers"]:
        ends = cover["from"], cover["to"]
        for corner, block in corners(cert.others, cover["cover"], class_of, len(kinds), budget):
            budget.spend(8 * len(laws))
            budget.hold(4 * len(laws))
            if (draws := blocks_in(corner, block, class_of, cert.others + 1)) < 1:
                raise Stop("rejected", f"{where}: no block in the box with the corner {show(corner)}")
            place = block["place"]
            counts = *(block["users"].get(name, 0) - (name == place) for name in laws), block["open"] - (place is None)
            wanted.setdefault(counts, []).append((sum(counts), place, ends, draws, block["grid"]))
    parts: dict[Any, Law] = {("row", name): law for name, law in laws.items()} | {("drawn", None): mark}
    parts |= {("known", name): {tuple(known.get(name, {}).items()): 1} for name in laws}
    parts |= {("base", name): base for name, base in zip((*laws, None), (*bases, left_open), strict=True)}
    largest = cert._replace(laws=laws | {"": left_open | mark}, others=1 + max(map(sum, wanted), default=0))
    lines, done = dict(zip(parts, pack(largest, parts.values(), budget), strict=True)), 0
    for some, rest in products(sorted(wanted.items()), [lines["base", name] for name in (*laws, None)], budget):
        for users, place, ends, draws, grid in some:
            room, done = budget.memory, done + 1
            own = multiply(rest, lines["drawn", None], budget) if place is None else rest
            known_too = multiply(rest, lines["known", ends[0] if place is None else place], budget)
            sides = (multiply(own, lines["row", end], budget) for end in ends)
            shape = aligned((*sides, multiply(known_too, lines["base", place], budget)), budget)
            block = cert._replace(unit=whole_unit(cert, users, budget), others=draws - 1, evidence={"blanket": grid})
            bits = bits_of(block, budget)
            above, below = blanket_bound(tuple(shape), block, enclose(cert.eps, bits, budget), bits, budget)
            budget.memory = room
            if above * cert.delta[1] > cert.delta[0] * below:
                raise Stop("undecided", f"{where}: the bound, with these hints, is above delta for {show(ends)}")
    return f"by {done} boxes of blocks of users, for {math.perm(len(laws), 2)} pairs of inputs"


# ---- any randomizer ----

def verify_any(cert: Certificate, budget: Budget) -> str:
    """CERTIFICATE.md's bound for all private randomizers: E is rounded up, and down in what "local delta" adds."""
    bits, (share, whole) = bits_of(cert, budget), cert.seen["local delta"]
    (low, high, scale), (least, most, part) = (enclose(eps, bits, budget) for eps in (cert.eps, cert.seen["local"]))
    (p, q, log), (r, s, power) = cert.eps, cert.seen["local"]
    above, below = share, whole  # all that is left where e^eps >= E
    if p * s < r * q if log == power else low * part < most * scale:
        shape, unit = ((most, part, part), (part, most, part)), most + part
        budget.hold(8, unit.bit_length())
        above, below = blanket_bound(shape, cert._replace(unit=unit), (low, high, scale), bits, budget)
        more = least * scale + 3 * (scale + high) * cert.others * part, least * scale
        above, below = above * whole * more[1] + below * share * more[0], below * whole * more[1]
    if above * cert.delta[1] > cert.delta[0] * below:
        raise Stop("undecided", "evidence.blanket: the bound for all randomizers, with these hints, is above delta")
    return "by the bound for all randomizers"


def verify_one(cert: Certificate, budget: Budget) -> str:
    """A randomizer that is as private as is claimed of all, and a threshold event of its."""
    def excess(ends: Ends, _bits: int) -> Ends:
        (low, high, scale), pairs = ends, 4 * len(cert.laws) ** 2
        budget.spend(pairs * max(map(len, cert.laws.values())), scale.bit_length(), cert.unit.bit_length())
        least, most = (max(sum(max(scale * p - end * other.get(y, 0), 0) for y, p in law.items())
                           for law in cert.laws.values() for other in cert.laws.values()) for end in (high, low))
        return least, most, scale * cert.unit

    if answers(cert.seen["local"], excess, [(cert.seen["local delta"], "at most")], 256, budget) != [True]:
        raise Stop("rejected", "evidence.randomizer: less private than claim.mechanism says")
    return f"{verify_threshold(cert, budget)} of a randomizer"


# ---- the command ----

JOBS = {"proof": verify_all, "event": verify_event, "mechanism": verify_mechanism, "columns": verify_columns,
        "blanket": verify_blanket, "cover": verify_all, "threshold": verify_threshold, "any": verify_any,
        "one": verify_one, "shown": verify_shown, "fewer": verify_all, "blocks": verify_blocks}


def check(data: bytes, max_bits: int = MAX_BITS, max_work: int = MAX_WORK, spare: int = SPARE) -> Verdict:
    """The verdict on a certificate's bytes. Who allows more work allows as many times the memory."""
    try:
        budget = Budget(max_bits, max_work, MAX_MEMORY * max(max_work, MAX_WORK) // MAX_WORK, spare)
        cert = read(data, budget)
        return Verdict("accepted", f"{cert.words}: {JOBS[cert.kind](cert, budget)}")
    except Stop as stop:
        return Verdict(*stop.args)
    except MemoryError:
        return Verdict("undecided", "out of memory")


def check_file(path: str | Path, max_bits: int = MAX_BITS, max_work: int = MAX_WORK) -> Verdict:
    """The verdict on a file; one that is too long is not read to its end."""
    if Path(path).is_fifo() and not str(path).startswith(("/dev/", "/proc/")):  # where the shell puts its own
        return Verdict("malformed", "file: expected one that holds its text, not a named pipe")
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return Verdict("malformed", "no such file")
    except (OSError, ValueError) as error:
        return Verdict("malformed", f"file: expected one that can be read ({show(error)})")
    return check(data, max_bits, max_work)


def main(arguments: list[str] | None = None) -> int:
    """The command: a line for each certificate, and the status of the worst; 4 for what the machine refuses."""
    parser = argparse.ArgumentParser(prog="kernel.py", description="Re-check shufflecert certificates.")
    parser.add_argument("certificates", nargs="+", metavar="cert.json")
    parser.add_argument("--max-bits", type=int, default=MAX_BITS, help="most bits of e^eps (default %(default)s)")
    parser.add_argument("--max-work", type=int, default=MAX_WORK, help="most steps of work (default %(default)s)")
    options, codes = parser.parse_args(arguments), {"accepted": 0, "undecided": 3, "rejected": 1, "malformed": 2}
    worst = "accepted"
    try:
        for path in options.certificates:
            status, reason = check_file(path, max(options.max_bits, 1), options.max_work)
            tell(f"{ascii(path)[1:-1]}: {status}: {reason}")
            worst = max(worst, status, key=list(codes).index)
    except (OSError, MemoryError) as error:  # what the machine refuses is no verdict
        forget()
        if sys.stderr:
            sys.stderr.write(f"kernel.py: {type(error).__name__}: {show(error)}\n")
        return 4
    return codes[worst]


def tell(line: str) -> None:
    """Prints a line now, unless the reader has gone. Raises OSError where it cannot be written."""
    try:
        if sys.stdout is None:
            raise OSError("standard output is closed")
        print(line, flush=True)
    except BrokenPipeError:
        forget()


def forget() -> None:
    """What standard output still holds goes nowhere: at the end it would be tried again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


if __name__ == "__main__":
    raise SystemExit(main())
