"""Re-check shufflecert certificates, without the engine: python3 -I -S verify/kernel.py cert.json [more.json ...]

CERTIFICATE.md defines the format and what a certificate states. Of a PROVED certificate this file verifies that every
listed symmetry is one, that the named pair's delta(eps) is at least `lower`, and that delta(eps) of every pair of
neighbouring datasets, which it finds itself, is at most `upper` and the claimed delta. Of a REFUTED certificate it
verifies that P(event) - e^eps Q(event) > delta for the named pair. In version 2 it also encloses delta(eps) of noise
laws, bounds it by a randomizer's blanket, and takes views above a threshold as event. Nothing is taken on trust.

To be trusted: Python's integers, containers and JSON parser, and this file, which imports only the standard library and
holds no float. Its arithmetic is not the engine's: a product of polynomials is a naive convolution of dictionaries from
packed exponents (a multiset is one integer, its counts the digits in a base no count reaches) to weights over a common
denominator; e^eps is enclosed by a Taylor sum in fixed point, each step rounded outwards, and bits double until it
decides. Where that is too dear, and in version 2, a law on the integers is a window of them with a lower and an upper
weight at each, again in fixed point and rounded outwards. Work is estimated before it is begun, in products of small
integers (about 0.1 microseconds).
"""

import argparse
import bisect
import json
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cmp_to_key, lru_cache, partial, reduce
from itertools import chain, combinations, pairwise, permutations, repeat
from pathlib import Path
from typing import Any, NamedTuple

MAX_BYTES, MAX_DIGITS, MAX_BITS, MAX_WORK = 64 * 2**20, 100_000, 65_536, 10**9
ENOUGH = 10**8  # so much work of naive products is done before a window of a line is looked at
MANY = 10**18  # nothing is counted further: so much work is refused

Ratio = tuple[int, int]  # numerator, denominator; not in lowest terms
Eps = tuple[int, int, bool]  # eps = p/q, or log(p/q) if the flag is set
Outcome = tuple[tuple[Any, int], ...]  # sorted (message, count) items; in the local view one (tuple of messages, 1)
Law = dict[Outcome, int]  # outcome -> weight, over the certificate's `unit`
Poly = dict[int, int]  # packed exponents -> weight
Counts = tuple[int, ...]  # how many of the others are in each class
Ends = tuple[int, int, int]  # (low, high, scale): a number in [low/scale, high/scale]
Line = dict[int, int]  # places on a line -> weight
Atom = tuple[int, int, int, int]  # P from below, P from above, Q from below, Q from above, of one outcome
Cases = dict[Counts, list[tuple[str, str]]]  # others by class -> changes (from, to)
Noise = tuple[int, Callable[[int], Ratio], Ratio, Ratio]  # mode, Pr[k]/Pr[k - 1] of k, its limit upwards, variance
Shape = tuple[tuple[int, int, int], ...]  # P, Q and the least weight of every outcome of a user
Pair = tuple[list[Atom], int, int]  # atoms over `unit`; P and Q of all other outcomes are at most lost/unit; unit


class Verdict(NamedTuple):
    """What a check finds: accepted, rejected, malformed or undecided, and on one line what or why."""
    status: str
    reason: str

class Stop(Exception):
    """Ends a check with Verdict(status, reason)."""

class Certificate(NamedTuple):
    """What a file states; `claim` is that in words; `others` is n - 1 in the shuffled view and 0 in the other two."""
    claim: str
    laws: dict[str, Law]
    unit: int
    local: bool
    others: int
    eps: Eps
    delta: Ratio
    evidence: dict[str, Any]  # as in the file, with what is in `worst` beside it


def need(condition: object, where: str, expected: str) -> None:
    if not condition:
        raise Stop("malformed", f"{where.removeprefix('file.')}: expected {expected}")

def show(value: object) -> str:
    """The value in ASCII, on one line, shortened."""
    return ascii(str(value)[:80])[1:-1] + "..." * (len(str(value)) > 80)

def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    need(len(dict(pairs)) == len(pairs), "file", f"no key twice in the object of {show([key for key, _ in pairs])}")
    return dict(pairs)

def parse(data: bytes) -> Any:
    """The JSON tree of the bytes; a number becomes a 1-tuple of its text."""
    need(len(data) <= MAX_BYTES, "file", f"at most {MAX_BYTES} bytes")
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
        return {key: read_as(form[key], item, f"{where}.{key}") for key, item in value.items()}
    if isinstance(form, list):
        need(isinstance(value, list), where, "a list")
        return [read_as(form[0], item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(form, tuple):
        need(value in form, where, " or ".join(map(str, form)))
    return value if isinstance(form, tuple) else form(value, where)

def label(value: Any, where: str, known: Collection[str] | None = None) -> Any:
    need(isinstance(value, str) and 1 <= len(value) <= 1000, where, "a string of 1 to 1000 code points")
    need(known is None or value in known, where, "a label of the randomizer")
    return value

def natural(digits: str) -> int:
    """The number that the digits write, in pieces: how long a text `int` reads is not ours to set."""
    if len(digits) <= 600:
        return int(digits or "0")
    half = len(digits) // 2
    return natural(digits[:-half]) * int(10**half) + natural(digits[-half:])

def integer(value: Any, where: str, least: int = 1, most: int = 0) -> int:
    text = str(value[0]) if isinstance(value, tuple) else ""
    good = text.isdigit() and text != "0" * least and len(text) <= MAX_DIGITS
    need(good, where, f"an integer of at least {min(least, 1)}, in digits")
    need(least <= natural(text) <= (most or natural(text)), where, f"from {least} to {most}")
    return natural(text)

def signed(value: Any, where: str) -> int:
    match = re.fullmatch(r"(-?)([0-9]{1,1000})", value) if isinstance(value, str) else None
    need(match, where, "an INTEGER")
    return natural(match[2]) * (-1 if match[1] else 1) if match else 0

RATIONAL = r"([0-9]+)()(?:/([0-9]+))?()"  # groups: digits, digits after the point, denominator, exponent
DECIMAL = r"([0-9]+)(?:\.([0-9]+))?()(?:e-0*([0-9]{1,6}))?"

def ratio(value: Any, where: str, form: str = RATIONAL, least: int = 0, most: Ratio = (1, 0), gap: int = 0) -> Ratio:
    match = re.fullmatch(form, value) if isinstance(value, str) else None
    need(match, where, "a RATIONAL" if form == RATIONAL else "a DECIMAL")
    whole, part, below, power = match.groups("") if match else ("", "", "", "")
    need(max(len(whole + part), len(below)) <= MAX_DIGITS, where, f"at most {MAX_DIGITS} digits")
    need(natural(power) <= 100_000 and natural(below or "1"), where, "a denominator above 0, an exponent up to 100000")
    need(natural(whole + part) >= least, where, "more than zero")
    p, q = natural(whole + part), natural(below or "1") * 10 ** (len(part) + natural(power))
    need(p * most[1] + gap <= q * most[0], where, f"{'below' if gap else 'at most'} {most[0]}/{most[1]}")
    return p, q

def exponent(value: Any, where: str) -> Eps:
    log = isinstance(value, str) and value[:4] == "log(" and value[-1] == ")"
    p, q = ratio(value[4:-1] if log else value, where)
    need(p >= q if log else p <= 10_000 * q, where, "a number from 0 to 10000, or log of at least 1")
    return p, q, log

def mapping(value: Any, where: str, known: Collection[str], item: Callable[[Any, str], Any] | None = None) -> Any:
    """An object from labels to what `item` reads, or without it a permutation of labels."""
    need(isinstance(value, dict), where, "an object")
    read_item = item or partial(label, known=known)
    moves = {label(key, where, known): read_item(value[key], f"{where}.{show(key)}") for key in value}
    need(item or set(moves) == set(moves.values()), where, "a permutation of its keys")
    return moves

CLAIM = {
    "randomizer": {"rows": [{"input": label, "outputs": [{"send": [label], "p": partial(ratio, least=1)}]}]},
    "adjacency": ("replace",), "view": ("shuffled", "preshuffle", "local"), "n": integer, "datasets": ("all",),
    "eps": exponent, "delta": ratio,
}  # fmt: skip
FILE = {"format": ("shufflecert certificate",), "version": integer, "claim": CLAIM, "verdict": ("PROVED", "REFUTED")}

SIZE, MORE = partial(integer, most=10**15), partial(ratio, least=1)
PART = partial(ratio, least=1, most=(1, 1), gap=1)
NOISES: dict[str, dict[str, Any]] = {
    "binomial": {"n": SIZE, "p": partial(ratio, most=(1, 1))}, "poisson": {"lam": MORE},
    "negative_binomial": {"r": MORE, "p": PART}, "discrete_laplace": {"q": PART},
}  # fmt: skip

def either(value: Any, where: str, key: str, forms: dict[str, dict[str, Any]]) -> Any:
    """An object whose `key` says which of the forms the rest of it has."""
    word = value.get(key) if isinstance(value, dict) else None
    need(isinstance(word, str) and word in forms, f"{where}.{key}", " or ".join(forms))
    return read_as({key: (word,)} | forms[str(word)], value, where)

NOISE = partial(either, key="law", forms=NOISES)
BOTH = {"q": PART, "noise": partial(either, key="law", forms={law: NOISES[law] for law in list(NOISES)[:3]})}
MOVES = {"buckets": partial(integer, least=2, most=10**15)}
MECHANISMS: dict[str, dict[str, Any]] = {
    "count": {"noise": NOISE, "sensitivity": partial(integer, most=10**6)}, "histogram": {"noise": NOISE} | MOVES,
    "correlated": BOTH, "correlated histogram": BOTH | MOVES,
    "strings": {"flip": partial(ratio, least=1, most=(1, 2)), "strings": SIZE},
    "columns": {"flip": partial(ratio, least=1, most=(1, 2)), "users": SIZE, "columns": MOVES["buckets"]},
}  # fmt: skip
CENTRAL = {key: CLAIM[key] for key in ("adjacency", "datasets", "eps", "delta")}
CENTRAL["mechanism"] = partial(either, key="view", forms=MECHANISMS)
ENDS = dict.fromkeys(("lower", "upper"), partial(ratio, form=DECIMAL))

def outcome(sent: Iterable[str], local: bool) -> Outcome:
    """What is seen of these messages: a list of them, or their counts."""
    return tuple(sorted(Counter([tuple(sent)] if local else sent).items()))

def read(data: bytes, max_work: int) -> Certificate:
    """The certificate that the bytes write."""
    tree = parse(data)
    note = tree.pop("note", "") if isinstance(tree, dict) else ""
    need(isinstance(note, str), "note", "a string")
    second = isinstance(tree, dict) and tree.get("version") == ("2",)
    keys = [key for name in ("claim", "evidence") if second and isinstance(tree.get(name), dict) for key in tree[name]]
    kind = next((key for key in ("mechanism", "blanket", "threshold") if key in keys), "")
    form = FILE | {"evidence": lambda value, _: value} | ({"claim": CENTRAL} if kind == "mechanism" else {})
    top = read_as(form, tree, "file")
    claim = {"view": "shuffled", "n": 1, "randomizer": {"rows": []}} | top["claim"]
    local, n = claim["view"] == "local", claim["n"]
    need(top["version"] == 1 or kind, "version", "1, or 2 and a mechanism, a blanket or a threshold")
    need(n <= (10**15 if kind else 10**9), "claim.n", f"at most 10^{15 if kind else 9}")
    need(not kind or claim["view"] == "shuffled", "claim.view", "shuffled")
    other = "threshold" if top["verdict"] == "PROVED" else "blanket"
    need(kind != other, "verdict", f"the other one for a {other}")
    need(claim["delta"][0] <= claim["delta"][1], "claim.delta", "at most 1")
    rows: dict[str, dict[tuple[str, ...], Ratio]] = {}
    for i, row in enumerate(claim["randomizer"]["rows"]):
        at = f"claim.randomizer.rows[{i}]"
        need(row["input"] not in rows, f"{at}.input", "inputs that differ")
        rows[row["input"]] = {tuple(output["send"]): output["p"] for output in row["outputs"]}
        need(len(rows[row["input"]]) == len(row["outputs"]) > 0, f"{at}.outputs", "outputs, none of them twice")
    need(rows or kind == "mechanism", "claim.randomizer.rows", "a row")
    messages = {message for outputs in rows.values() for sent in outputs for message in sent}
    evidence = read_evidence(top, claim, kind, rows, messages)
    denominators = {below for outputs in rows.values() for _, below in outputs.values()}
    bits = sum(below.bit_length() for below in denominators)
    afford(bits * bits // 200_000 + sum(map(len, rows.values())) * bits // 32, max_work)
    unit = math.lcm(*denominators)
    laws: dict[str, Law] = {name: {} for name in rows}
    for i, (name, outputs) in enumerate(rows.items()):
        for sent, (above, below) in outputs.items():
            seen = outcome(sent, local)
            laws[name][seen] = laws[name].get(seen, 0) + above * (unit // below)
        need(sum(laws[name].values()) == unit, f"claim.randomizer.rows[{i}].outputs", "weights that sum to exactly 1")
    what = claim["mechanism"]["view"] if kind == "mechanism" else f"n = {n}"
    shown = (f", {key} = {show(tree['claim'].get(key, what))}" for key in ("adjacency", "view", "eps", "delta"))
    words = f"{top['verdict']}: {what}{''.join(shown)}"
    others = n - 1 if claim["view"] == "shuffled" else 0
    return Certificate(words, laws, unit, local, others, claim["eps"], claim["delta"], evidence)

def read_evidence(
    top: dict[str, Any], claim: dict[str, Any], kind: str, inputs: Collection[str], messages: Collection[str]
) -> dict[str, Any]:
    view, n, proved = claim["view"], claim["n"], top["verdict"] == "PROVED"
    maps = {"inputs": partial(mapping, known=inputs), "messages": partial(mapping, known=messages)}
    pair: dict[str, Any] = dict.fromkeys(("from", "to"), partial(label, known=inputs))
    pair |= {"others": partial(mapping, known=inputs, item=integer)} if view == "shuffled" else {}
    worst = {"pair": pair, "delta": ENDS}
    shown = [partial(label, known=messages)] if view == "local" else partial(mapping, known=messages, item=integer)
    proof = {"symmetries": [maps], "worst": worst if len(inputs) > 1 else (None,)}
    forms: dict[str, Any] = {"": proof if proved else {"pair": pair, "event": [shown]}, "mechanism": {"delta": ENDS}}
    weights = {"weights": partial(mapping, known=messages, item=signed), "above": signed}
    forms["threshold"] = {"pair": pair, "threshold": weights}
    forms["blanket"] = {"blanket": {"step": MORE, "cells": partial(integer, most=2**32), "tilt": MORE}}
    users, many = (claim.get("mechanism", {}).get(key, 0) for key in ("users", "columns"))
    forms["mechanism"] |= {"others": [partial(integer, least=0)]} if many else {}
    evidence = read_as(forms[kind], top["evidence"], "evidence")
    good = not many or (len(evidence["others"]) == 2 and 0 <= users - 1 - sum(evidence["others"]) <= users * (many > 2))
    need(good, "evidence.others", "two numbers, of users - 1 in all, or less with more than 2 columns")
    tilt = evidence["blanket"]["tilt"] if kind == "blanket" else (2, 1)
    need(tilt[0] > tilt[1], "evidence.blanket.tilt", "above 1")
    evidence |= evidence.get("worst") or {}
    if "pair" in evidence:
        at = "evidence.worst.pair" if proved else "evidence.pair"
        need(evidence["pair"]["from"] != evidence["pair"]["to"], f"{at}.to", "another input than from")
        others = evidence["pair"].setdefault("others", {})
        need(view != "shuffled" or sum(others.values()) == n - 1, f"{at}.others", "n - 1 inputs")
    event = [outcome(item, view == "local") for item in evidence.get("event", [])]
    need(len(set(event)) == len(event), "evidence.event", "outcomes that differ")
    return {**evidence, "event": None if proved else event, "mechanism": claim.get("mechanism"), "proved": proved}


@lru_cache(maxsize=16)
def enclose(eps: Eps, bits: int) -> tuple[int, int, int]:
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
    h = (p // q).bit_length() + 1 + math.isqrt(bits)
    width, ends = bits + h + 32, []
    for rest, divide in ((0, operator.floordiv), (2, lambda a, b: -(-a // b))):
        r = divide(p << width, q << h)
        total, term, k = 0, 1 << width, 0
        while term > 1:
            total, k = total + term, k + 1
            term = divide(term * r, k << width)
        total += rest * term
        for _ in range(h):
            total = divide(total * total, 1 << width)
        ends.append(total)
    return ends[0], ends[1], 1 << width

def sign(p: Poly, q: Poly, total: int, bound: Ratio, eps: Eps, max_bits: int) -> int:
    """The sign of sum max(P - e^eps Q, 0) - bound, for P = p/total and Q = q/total."""
    bits = min(64, max_bits)
    while True:
        low, high, scale = enclose(eps, bits)
        limit = bound[0] * total * scale
        most = bound[1] * sum(max(scale * weight - low * q.get(key, 0), 0) for key, weight in p.items())
        if most < limit:
            return -1
        least = bound[1] * sum(max(scale * weight - high * q.get(key, 0), 0) for key, weight in p.items())
        if least > limit or least == most:
            return int(least > limit)
        if bits == max_bits:
            raise Stop("undecided", f"too few bits: {bits} bits of e^eps do not decide, allow more with --max-bits")
        bits = min(2 * bits, max_bits)


def multiply(a: Poly, b: Poly) -> Poly:
    product: Poly = {}
    for j, v in b.items():
        for i, u in a.items():
            product[i + j] = product.get(i + j, 0) + u * v
    return product

def pack(cert: Certificate, laws: Iterable[Law]) -> list[Poly]:
    """The laws as polynomials, without outcomes that cannot occur."""
    seen = {outcome for law in cert.laws.values() for outcome in law}
    base = (cert.others + 1) * max(sum(count for _, count in outcome) for outcome in seen) + 1
    place = {m: 1 << i * base.bit_length() for i, m in enumerate({m for outcome in seen for m, _ in outcome})}
    return [
        {sum(c * place[m] for m, c in outcome): weight for outcome, weight in law.items()
         if sum(c for _, c in outcome) < base and all(m in place for m, _ in outcome)} for law in laws
    ]  # fmt: skip

def afford(work: int, max_work: int) -> None:
    if work > max_work:
        raise Stop("undecided", f"too much work: estimate {min(work, MANY)}, allow with --max-work (now {max_work})")

def multisets(size: int, kinds: int) -> int:
    """How many multisets of this size there are, or MANY if more."""
    few, many = sorted((size, kinds - 1))
    return reduce(lambda count, i: min(count * (many + i) // i, MANY), range(1, few + 1), 1)

def work(cert: Certificate, steps: int) -> int:
    """Of so many products of a user's law with a product of the others', and of holding one for each input."""
    seen = dict.fromkeys(outcome for law in cert.laws.values() for outcome in law)
    most = dict(sorted((item for outcome in seen for item in outcome), key=operator.itemgetter(1)))
    box = reduce(lambda size, count: min(size * (1 + cert.others * count), MANY), most.values(), 1)
    bits, step = (cert.others + 1) * cert.unit.bit_length() + 64 * len(most), max(map(len, cert.laws.values()))
    price = 1 + bits // 2000 + bits * cert.unit.bit_length() // 200_000
    return min(multisets(cert.others, len(seen)), box) * (steps * step * price + len(cert.laws) * (25 + bits // 32))


def classes(cert: Certificate) -> tuple[dict[str, int], list[Law]]:
    """Input -> class, and the classes' laws: f_y is a monomial times f_x just if they agree, cleared of monomials."""
    found, class_of = dict[frozenset[tuple[Outcome, int]], int](), dict[str, int]()
    for name, law in cert.laws.items():
        low = reduce(operator.and_, map(Counter, map(dict, law)))
        cleared = ((tuple((m, c - low[m]) for m, c in seen if c > low[m]), weight) for seen, weight in law.items())
        class_of[name] = found.setdefault(frozenset(cleared), len(found))
    return class_of, [dict(law) for law in found]

def orbits(cert: Certificate, class_of: dict[str, int], kinds: int) -> dict[Counts, list[tuple[str, str]]]:
    """Counts of the others by class, ascending -> pairs (from, to): one case of each orbit under the symmetries."""
    # A symmetry maps classes to classes and has finite order: what is reached forwards is the orbit of the group.
    member = {number: name for name, number in class_of.items()}
    maps = (symmetry["inputs"] for symmetry in cert.evidence["symmetries"])
    moves = [(s, [class_of[s.get(member[c], member[c])] for c in range(kinds)]) for s in maps]
    seen, chosen = set[tuple[str, str, Counts]](), dict[Counts, list[tuple[str, str]]]()
    for bars in combinations(range(cert.others + kinds - 1), kinds - 1) if kinds > 1 else [()]:  # it lists its range
        counts = tuple(b - a - 1 for a, b in pairwise((-1, *bars, cert.others + kinds - 1)))
        for case in ((*pair, counts) for pair in permutations(cert.laws, 2)):
            if case not in seen:
                chosen.setdefault(counts, []).append(case[:2])
            reached = {case} - seen
            while reached:
                seen |= reached
                reached = {(s.get(a, a), s.get(b, b), tuple(old[move.index(c)] for c in range(kinds)))
                           for a, b, old in reached for s, move in moves} - seen  # fmt: skip
    return chosen

def products(wanted: Iterable[Counts], polys: list[Poly]) -> Iterator[tuple[Counts, Poly]]:
    """For each of the counts, which ascend, the product of so many factors of each poly; common prefixes are kept."""
    have, parts = [0] * len(polys), [{0: 1} for _ in polys]
    for counts in wanted:
        changed = False
        for j, count in enumerate(counts):
            if changed:
                have[j], parts[j] = 0, parts[j - 1]
            changed = changed or have[j] != count
            for _ in range(count - have[j]):
                parts[j] = multiply(parts[j], polys[j])
            have[j] = count
        yield counts, parts[-1]


def settled(found: Ends, bound: Ratio, lower: bool) -> bool | None:
    """Whether what lies in [least, most]/whole is at least (if lower; else: at most) the bound; None if undecided."""
    (least, most, whole), (above, below) = found, bound
    if lower:
        return least * below >= above * whole or (None if most * below >= above * whole else False)
    return most * below <= above * whole or (None if least * below <= above * whole else False)

def doublings(bits: int, max_bits: int) -> Iterator[int]:
    while True:
        yield (bits := min(bits, max_bits))
        if bits == max_bits:
            raise Stop("undecided", f"too few bits: {bits} bits do not decide, allow more with --max-bits")
        bits *= 2

def up(a: int, b: int) -> int:
    """a/b, rounded up."""
    return -(-a // b)

class Span(NamedTuple):
    """A law on the integers: Pr[start + i] lies in [low[i], high[i]]/unit; all else has at most lost/unit, together."""
    start: int
    low: list[int]
    high: list[int]
    lost: int
    unit: int

def noise(law: dict[str, Any]) -> Noise:
    """A binomial, Poisson or negative binomial law, as CERTIFICATE.md defines it."""
    (a, b), n, (r, s) = law.get("lam") or law["p"], law.get("n", 0), law.get("r", (0, 1))
    if law["law"] == "poisson":
        return a // b, lambda k: (a, k * b), (0, 1), (a, b)
    if law["law"] == "binomial":
        return min((n + 1) * a // b, n), lambda k: ((n - k + 1) * a, k * (b - a)), (0, 1), (n * a * (b - a), b * b)
    mode = max(a * (r - s) // (s * (b - a)), 0)
    return mode, lambda k: (a * (k * s + r - s), b * k * s), (a, b), (r * a * b, s * (b - a) ** 2)

def settle(law: Noise, width: int) -> Span:
    """A window of the law, over 2^width: weights relative to the mode's, until the lower is 0 or the law ends.
    Lemma. If w(k + 1) <= r w(k), r < 1, from some k on, the later weights sum to at most w(k) r / (1 - r): a geometric
    series. Here r is the next rate, upwards the larger of it and the limit: away from the mode rates fall, or rise to
    the limit. A weight's lower end over the upper end of their sum, tails included, is at most its probability, and
    its upper end over the lower end is at least that.
    """
    (mode, rate, limit, _), one, sides, tails = law, 1 << width, [], 0
    for step in (1, -1):
        low, high, k = [one], [one], mode
        while (here := rate(k + 1) if step > 0 else rate(k)[::-1])[0] and low[-1]:
            low.append(low[-1] * here[0] // here[1])
            high.append(-(-high[-1] * here[0] // here[1]))
            k += step
        above, below = limit if step > 0 and here[0] * limit[1] < limit[0] * here[1] else here
        tails += up(high[-1] * above, below - above) if here[0] else 0
        sides.append((low, high))
    low, high = (left[:0:-1] + right for right, left in zip(*sides, strict=True))
    least, most = sum(low), sum(high) + tails
    low = [(weight << width) // most for weight in low]
    return Span(k, low, [-((-weight << width) // least) for weight in high], up(tails << width, least), one)

def spread(variance: Ratio, limit: Ratio, width: int) -> int:
    """About how wide a window holds all but 2^-width, by Bernstein's inequality."""
    return 2 * (math.isqrt(2 * variance[0] * width // variance[1]) + limit[1] * width // (limit[1] - limit[0]) + 1)

def effort(slots: int, width: int) -> int:
    """Of a product of two polynomials of so many slots: Python's large integers have Karatsuba's exponent."""
    return int(40 * 3 ** (slots * (2 * width + slots.bit_length()) // 2000).bit_length() + 20 * slots)

def product(a: list[int], b: list[int]) -> list[int]:
    """Of polynomials with weights of at least 0: that of their values at 256^size, whose digits stay apart."""
    size = (max(a).bit_length() + max(b).bit_length() + min(len(a), len(b)).bit_length() + 7) // 8
    x, y = (int.from_bytes(b"".join([weight.to_bytes(size, "little") for weight in end]), "little") for end in (a, b))
    data = (x * (x if a is b else y)).to_bytes(size * (len(a) + len(b)), "little")
    return [int.from_bytes(data[i : i + size], "little") for i in range(0, size * (len(a) + len(b) - 1), size)]

def convolve(a: Span, b: Span) -> Span:
    """The law of a sum; both have one unit, 2^width. What is outside either's window is lost, and ends of weight 0."""
    width = a.unit.bit_length() - 1
    low = [weight >> width for weight in product(a.low, b.low)]
    high = [-(-weight >> width) for weight in product(a.high, b.high)]
    first = next((i for i, weight in enumerate(low) if weight), 0)
    last = next((i for i in range(len(low), first, -1) if low[i - 1]), first + 1)
    lost = a.lost + b.lost + sum(high[:first]) + sum(high[last:])
    return Span(a.start + b.start + first, low[first:last], high[first:last], lost, a.unit)

def survey(laws: list[Line], unit: int, wanted: list[Counts], width: int) -> Iterator[tuple[Counts, Span]]:
    """For each of the counts the law of a sum of so many draws from each law; a half of them shares what it can."""
    one = Span(0, [1 << width], [1 << width], 0, 1 << width)

    @lru_cache(maxsize=256)
    def power(kind: int, n: int) -> Span:
        """Of a law of two places, binomial; others are squared."""
        law, first, gap = laws[kind], min(laws[kind]), max(laws[kind]) - min(laws[kind])
        if len(law) == 2:
            span = settle(noise({"law": "binomial", "n": n, "p": (law[first + gap], unit)}), width)
            low, high = ([0] * (gap * (len(span.low) - 1) + 1) for _ in range(2))
            low[::gap], high[::gap] = span.low, span.high
            return Span(n * first + gap * span.start, low, high, span.lost, span.unit)
        if n == 1:
            low = [law.get(first + i, 0) << width for i in range(gap + 1)]
            return Span(first, [weight // unit for weight in low], [up(weight, unit) for weight in low], 0, 1 << width)
        half = power(kind, n // 2)
        return convolve(convolve(half, half), power(kind, 1)) if n % 2 else convolve(half, half)

    stack = [(wanted, (0,) * len(laws), one)]
    while stack:
        some, have, span = stack.pop()
        least = tuple(map(min, zip(*some, strict=True)))
        for kind in range(len(laws)):
            if least[kind] > have[kind]:
                more = power(kind, least[kind] - have[kind])
                span = more if span is one else convolve(span, more)
        if len(some) == 1:
            yield some[0], span
        else:
            stack += [(part, least, span) for part in (some[len(some) // 2 :], some[: len(some) // 2])]

def survey_work(laws: list[Line], unit: int, n: int, sums: int, pairs: int, width: int) -> int:
    """Of so many sums of n draws, and pairs made of them."""
    cells = products = 0
    for law in laws:
        reach = max(law) - min(law)
        mean, square = (sum(w * (place - min(law)) ** power for place, w in law.items()) for power in (1, 2))
        wide = spread((n * (square * unit - mean * mean), unit * unit), (0, 1), width) + reach * width
        cells = max(cells, min(n * reach, wide) + reach + 1)
        products += 3 * n.bit_length() * (len(law) > 2)
    tree = sum((1 << i) * effort(cells >> i // 2, width) for i in range(sums.bit_length()))
    tree *= sums + sum(any(law.values()) for law in laws) > 2
    return 10**5 + (pairs + len(laws)) * cells * (60 + width // 8) + 2 * (tree + products * effort(cells, width))


def hockey_stick(a: list[Ratio], b: list[Ratio], scale: int, ratio: int) -> int:
    """The sum of max(scale x u - ratio y v, 0) over (x, y) in a, (u, v) in b, exactly; no number is below 0.
    Lemma. With a by x/y ascending and b by u/v descending, the terms above 0 of an (x, y) are those of the first so
    many of b, ever more of them. Proof: scale x u > ratio y v just if (x/y)(u/v) > ratio/scale. (Where y or v is 0, the
    ratio is infinite; an atom with x = 0 or u = 0 has no term above 0.) Nearly sorted lists are sorted fast.
    """
    by_ratio: Any = cmp_to_key(lambda s, t: s[0] * t[1] - s[1] * t[0])
    a, b = (sorted((atom for atom in atoms if atom[0]), key=by_ratio) for atoms in (a, b))
    total = above = below = 0
    for x, y in a:
        while b and scale * x * b[-1][0] > ratio * y * b[-1][1]:
            u, v = b.pop()
            above, below = above + u, below + v
        total += scale * x * above - ratio * y * below
    return total

def stick(pair: Pair, other: Pair | None, ends: Ends) -> Ends:
    """(least, most, whole): delta(eps) of (P, Q), or of its product with the other (Q, P), lies in [least, most]/whole.
    Lemma. Let P = P' + p, with p the part that no atom holds, of at most lost, and so Q = Q' + q. Then delta(P, Q) lies
    in [delta(P', Q') - e^eps lost, delta(P', Q') + lost]. Proof: max(P - e^eps Q, 0) changes by at most p upwards and
    by at most e^eps q downwards. For the product the part has at most what either factor has lost, together.
    """
    (atoms, lost, unit), (low, high, scale) = pair, ends
    if other:
        others, more, whole = other
        most = hockey_stick([a[1:3] for a in atoms], [(q, p) for p, _, _, q in others], scale, low)
        least = hockey_stick([(p, q) for p, _, _, q in atoms], [a[2:0:-1] for a in others], scale, high)
        lost, unit = lost * whole + more * unit, unit * whole
    else:
        most = sum(max(scale * p - low * q, 0) for _, p, q, _ in atoms)
        least = sum(max(scale * p - high * q, 0) for p, _, _, q in atoms)
    return max(least - high * lost, 0), most + scale * lost, scale * unit

def shifted(law: dict[str, Any], j: int, width: int) -> Pair:
    """X + j against X. Outcomes of equal ratio P/Q may be merged, for max(tP - e^eps tQ, 0) = t max(P - e^eps Q, 0).
    Discrete Laplace: P/Q is q^j for k <= 0, q^-j for k >= j, q^(2k - j) between. Geometric, that is negative binomial
    with r = 1: 0 for k < j and p^-j for k >= j. These, and a small binomial law, are exact.
    """
    (a, b), n, name = law.get("q") or law.get("p") or (0, 1), law.get("n", 0), law["law"]
    if name == "discrete_laplace":
        exact = [(b**j, a**j), (a**j, b**j)]
        exact += (((b - a) * b ** (k - 1) * a ** (j - k), (b - a) * b ** (j - k - 1) * a**k) for k in range(1, j))
        return [(p, p, q, q) for p, q in exact], 0, (a + b) * b ** (j - 1)
    if name == "negative_binomial" and law["r"][0] == law["r"][1]:
        return [(b**j, b**j, a**j, a**j), (0, 0, b**j - a**j, b**j - a**j)], 0, b**j
    if name == "binomial" and n * n * b.bit_length() <= 10**6:
        low = [math.comb(n, k) * a**k * (b - a) ** (n - k) for k in range(n + 1)]
        high, lost, unit = low, 0, b**n
    else:
        _, low, high, lost, unit = settle(noise(law), width)
    none = [0] * j
    return list(zip(none + low, none + high, low + none, high + none, strict=True)), lost, unit

def correlated(q: Ratio, law: dict[str, Any], width: int) -> Pair:
    """s = 1 against s = 0: the atoms of CERTIFICATE.md, (1, q) and (q H(u - 1), H(u)), over 1 + q.
    H(u) = (1 - q^2) Pr[Z = u] + q^2 H(u - 1). Before the window of Z it sums to at most lost, as Y >= Z; after a place
    past that window to at most H q^2 / (1 - q^2) + lost, since each later Pr[Z = v] is counted once.
    """
    (a, b), span = q, settle(noise(law), width)
    fade, whole, low, high = a * a, b * b, [0], [span.lost]
    for least, most in chain(zip(span.low, span.high, strict=True), repeat((0, span.lost))):
        low.append(((whole - fade) * least + fade * low[-1]) // whole)
        high.append(up((whole - fade) * most + fade * high[-1], whole))
        if len(low) > len(span.low) + 1 and low[-1] == 0:
            break
    lost = up(high[-1] * fade, whole - fade) + 2 * span.lost
    atoms = [(b * span.unit, b * span.unit, a * span.unit, a * span.unit), (a * low[-1], a * high[-1], 0, 0)]
    steps = zip(pairwise(low), pairwise(high), strict=True)
    atoms += ((a * p, a * p_high, b * q, b * q_high) for (p, q), (p_high, q_high) in steps)
    return atoms, b * lost, (a + b) * span.unit

@lru_cache(maxsize=256)
def column(flip: Ratio, ones: int, zeros: int, width: int) -> Pair:
    """CERTIFICATE.md's (P, Q) of a column that so many of the others hold, and so many do not; a small one is exact."""
    (a, b), n, laws = flip, ones + zeros, ((ones, (flip[1] - flip[0], flip[1])), (zeros, flip))
    if n * n * b.bit_length() <= 10**4:
        low = product(*([math.comb(m, k) * p**k * (b - p) ** (m - k) for k in range(m + 1)] for m, (p, _) in laws))
        span = Span(0, low, low, 0, b**n)
    else:
        span = convolve(*(settle(noise({"law": "binomial", "n": m, "p": p}), width) for m, p in laws))
    return line_pair(span, {0: a, 1: b - a}, {0: b - a, 1: a}, b)

def divergence(seen: dict[str, Any], ends: Ends, width: int) -> tuple[int, int, int]:
    """(least, most, whole): the largest delta(eps) over a mechanism's neighbours lies in [least, most]/whole.
    Two ratios are bounded. Discrete Laplace: P/Q <= q^-j, attained. Strings, columns: each factor at most
    (1 - flip)/flip, attained at the end. Where e^eps is no less than the largest ratio, delta(eps) is 0.
    Lemma. For log-concave noise, delta(eps) of X + j against X, and of X against X + j, does not fall as j >= 0 grows.
    Proof: the ratio of the shifted laws is monotone, so delta(eps) is the largest Pr[X + j >= t] - e^eps Pr[X >= t]
    over t (in the other direction: Pr[X < t] - e^eps Pr[X + j < t]), each of which does not fall with j. All laws here
    are log-concave but a negative binomial one with r < 1, for which every shift is tried.
    """
    law, flip, twice = seen.get("noise", {"law": ""}), seen.get("flip"), seen["view"] not in ("count", "correlated")
    if law["law"] == "discrete_laplace" or flip:
        above, below = (flip[1] - flip[0], flip[0]) if flip else law["q"][::-1]
        times = seen.get("sensitivity", 1) * (1 + twice)
        if ends[2] * above**times <= ends[0] * below**times:
            return 0, 0, 1
    if "box" in seen:
        return stick(column(flip, *seen["box"][0], width), column(flip, *seen["box"][1], width), ends)
    j, every = seen.get("sensitivity", 1), law["law"] == "negative_binomial" and law["r"][0] < law["r"][1]
    if flip:  # a sum of first bits: Bin(n - 1, flip) and the user's, which is 1 with probability 1 - flip, or flip
        (atoms, lost, unit), (a, b) = shifted({"law": "binomial", "n": seen["strings"] - 1, "p": flip}, 1, width), flip
        atoms = [((b - a) * p + a * q, (b - a) * r + a * s, a * p + (b - a) * q, a * r + (b - a) * s)
                 for p, r, q, s in atoms]  # fmt: skip
        pairs = [(atoms, b * lost, b * unit)]
    else:
        pairs = [correlated(seen["q"], law, width)] if "q" in seen else []
        pairs = pairs or [shifted(law, shift, width) for shift in range(1 if every else j, j + 1)]
    if not twice:
        pairs += [([(q, s, p, r) for p, r, q, s in atoms], lost, unit) for atoms, lost, unit in pairs]
    least, most, whole = zip(*(stick(pair, pair if twice else None, ends) for pair in pairs), strict=True)
    return max(least), max(most), whole[0]  # of one unit

def divergence_work(seen: dict[str, Any], width: int) -> int:
    law = seen.get("noise") or {"law": "binomial", "n": seen.get("strings") or seen["users"], "p": seen["flip"]}
    ratios = [number for number in (*law.values(), seen.get("q", 0)) if isinstance(number, tuple)]
    shifts, cells, (r, s) = seen.get("sensitivity", 1), 0, law.get("r", (2, 1))
    digits = width + sum(a.bit_length() + b.bit_length() for a, b in ratios)
    if law["law"] != "discrete_laplace":
        cells = min(spread(noise(law)[3], noise(law)[2], width), law.get("n", MANY)) + 1
    if law["law"] == "discrete_laplace" or r == s:
        digits += shifts * ratios[-1][1].bit_length()
    if "q" in seen:
        (a, b) = seen["q"]
        cells += width * b * b // (b * b - a * a)
    sums = 2 * effort(cells, width) if "users" in seen else 0
    return sums + int((cells + shifts) * (60 + digits // 4) * (shifts if r < s else 1))

def boxes(cert: Certificate, bound: Ratio, place: str, max_bits: int, max_work: int) -> int:
    """How many boxes show that delta(eps) of all pairs (i, j) of `columns` is at most the bound.
    A box is all i in [i, i_end], j in [j, j_end]; CERTIFICATE.md's lemma bounds them by i, n - i_end and j, n - j_end.
    """
    seen, n, done = cert.evidence["mechanism"], cert.evidence["mechanism"]["users"] - 1, 0
    left = [(0, n, 0, n)]
    for bits in doublings(64 + max(bound[1].bit_length() - bound[0].bit_length(), 0), max_bits):
        stack, left, each = left, [], divergence_work(seen, bits + 64)
        while stack:
            i, i_end, j, j_end = stack.pop()
            i_end, j_end = min(i_end, n - j), min(j_end, n - i)
            if seen["columns"] == 2:
                i, j = max(i, n - j_end), max(j, n - i_end)
            if i > i_end or j > j_end:
                continue
            done += 1
            afford(each * max(done, min(2000, (n + 1) ** 2)), max_work)
            found = seen | {"box": ((i, n - i_end), (j, n - j_end))}
            good = settled(divergence(found, enclose(cert.eps, bits), bits + 64), bound, False)
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

def verify_mechanism(cert: Certificate, max_bits: int, max_work: int) -> str:
    lower, upper = cert.evidence["delta"]["lower"], cert.evidence["delta"]["upper"]
    seen, others = cert.evidence["mechanism"], cert.evidence.get("others")
    if others:
        seen = seen | {"box": [(count, seen["users"] - 1 - count) for count in others]}
    above, below = lower if lower[0] else upper  # so many bits are likely to do
    for bits in doublings(max(256, 192 + below.bit_length() - above.bit_length()), max_bits):
        afford(divergence_work(seen, bits + 64), max_work)
        found = divergence(seen, enclose(cert.eps, bits), bits + 64)
        kept, answers = settled(found, cert.delta, False), [settled(found, lower, True), settled(found, upper, False)]
        answers.append(kept if kept is None else kept == cert.evidence["proved"])
        if False in answers:
            place = ("evidence.delta.lower", "evidence.delta.upper", "claim.delta")[answers.index(False)]
            raise Stop("rejected", f"{place}: {'its' if others else 'the largest'} delta(eps) is on the other side")
        if None not in answers:
            break
    if others:
        tight = not cert.evidence["proved"] or upper[0] * cert.delta[1] < cert.delta[0] * upper[1]
        bound, place = (upper, "evidence.delta.upper") if tight else (cert.delta, "claim.delta")
        done = boxes(cert, bound, place, max_bits, max_work) if bound[0] < bound[1] else 0
        return f"{cert.claim}: the named pair of neighbours, and all others in {done} boxes"
    return f"{cert.claim}: the largest of all pairs of neighbours"


def power_up(base: int, n: int, width: int) -> int:
    """base^n, both over 2^width, rounded up."""
    total = 1 << width
    for bit in f"{n:b}":
        total = -(-total * total * (base if bit == "1" else 1) >> width * (1 + int(bit)))
        if total.bit_length() > 64 * width:
            raise Stop("undecided", "evidence.blanket.tilt: too large")
    return total

def blanket_bound(shape: Shape, cert: Certificate, ends: Ends, width: int) -> Ratio:
    """CERTIFICATE.md's upper end of a pair's delta(eps), from (Pr[R(x) = y], Pr[R(x') = y], c(y)) for all y.
    Weights are rounded up, and e^eps down. H is the least for which what lies above it is below 2^-24 n delta, if any.
    """
    (low, _, scale), unit, n, cells = ends, cert.unit, cert.others + 1, cert.evidence["blanket"]["cells"]
    (step, part), (tilt, one) = cert.evidence["blanket"]["step"], cert.evidence["blanket"]["tilt"]
    direct = sum(max(scale * p - low * q, 0) for p, q, least in shape if least == 0), scale * unit
    grid: Line = {0: up((unit - sum(least for _, _, least in shape)) << width, unit)}
    for p, q, least in shape:
        if least:
            below = scale * least * step
            place, rest = divmod((scale * p - low * q) * part, below)
            for at, weight in ((place, below - rest), (place + 1, rest)):
                grid[at] = grid.get(at, 0) + up(least * weight << width, below * unit)
    grid = {place: weight for place, weight in grid.items() if weight}
    start, top, fine = min(grid), max(grid), 2 * width + 64
    if top <= 0:
        return direct
    if top - start >= cells or up(tilt, tilt - one) >= cells:
        raise Stop("undecided", "evidence.blanket: too few cells for one step, or for H (1 - 1/tilt) >= 1")
    each = sum(up(weight * tilt**place, one**place) if place > 0 else up(weight * one**-place, tilt**-place)
               for place, weight in grid.items())  # fmt: skip
    every = power_up(each << fine - width, n, fine)
    sharp = fine + every.bit_length()

    def above(high: int) -> int:
        return up(step * high * power_up(up(one << sharp, tilt), high, sharp) * every, 1 << sharp)

    share, highs = (n * cert.delta[0] * part << fine) // (cert.delta[1] << 24), range(up(tilt, tilt - one), cells)
    high = highs[bisect.bisect_left(highs[:-1], True, key=lambda high: above(high) <= share)]
    base = [grid.get(place, 0) for place in range(start, top + 1)]
    first, weights = start, base
    for bit in f"{n:b}"[1:]:
        for factor, origin in ((weights, first), (base, start))[: 1 + int(bit)]:
            whole, first = [-(-weight >> width) for weight in product(weights, factor)], first + origin
            weights = whole[:cells]
            for i, weight in enumerate(whole[cells:]):
                weights[i] += weight
    places = ((first + i - high - 1) % cells + high + 1 - cells for i in range(len(weights)))
    total = step * sum(place * weight for place, weight in zip(places, weights, strict=True) if place > 0)
    whole_sum, below = (total << fine - width) + above(high), n * part << fine
    return direct[0] * below + direct[1] * whole_sum, direct[1] * below

def verify_blanket(cert: Certificate, max_bits: int, max_work: int) -> str:
    laws, every = cert.laws, {y for law in cert.laws.values() for y in law}
    (step, part), (tilt, _), cells = (cert.evidence["blanket"][key] for key in ("step", "tilt", "cells"))
    afford(len(laws) ** 2 * len(every) * (10 + cert.unit.bit_length() // 30), max_work)
    least = {y: min(law.get(y, 0) for law in laws.values()) for y in every}
    shapes: dict[Shape, tuple[str, str]] = {}
    for ends in permutations(laws, 2):
        p, q = (laws[end] for end in ends)
        shapes.setdefault(tuple(sorted((p.get(y, 0), q.get(y, 0), least[y]) for y in every)), ends)
    size = 16 * cells**2 * step * cert.delta[1] // (part * max(cert.delta[0], 1))
    bits = size.bit_length() + 32  # a rounding adds at most 2^-bits to a place, of which there are so many
    if bits > max_bits:
        raise Stop("undecided", f"too few bits: {bits} bits are needed, allow more with --max-bits")
    each = effort(cells, bits) + effort(1, cells * tilt.bit_length())
    afford(len(shapes) * (cert.others + 1).bit_length() * each, max_work)
    for shape, ends in shapes.items():
        above, below = blanket_bound(shape, cert, enclose(cert.eps, bits), bits)
        if above * cert.delta[1] > cert.delta[0] * below:
            raise Stop("undecided", f"evidence.blanket: the bound, with these hints, is above delta for {show(ends)}")
    return f"{cert.claim}: by the blanket; {len(shapes)} of {math.perm(len(laws), 2)} pairs of inputs differ"

def verify_threshold(cert: Certificate, max_bits: int, max_work: int) -> str:
    pair, weights, above = cert.evidence["pair"], *(cert.evidence["threshold"][key] for key in ("weights", "above"))
    lines: dict[str, Line] = {name: {} for name in cert.laws}
    for name, law in cert.laws.items():
        for seen, weight in law.items():
            place = sum(weights.get(message, 0) * count for message, count in seen)
            lines[name][place] = lines[name].get(place, 0) + weight
    laws, counts = [lines[name] for name in pair["others"]], tuple(pair["others"].values())
    cases = {counts: [(pair["from"], pair["to"])]}
    if decide_line(cert, laws, lines, max_bits, max_work, above, cases, cert.delta, False):
        return f"{cert.claim}: shown by 1 pair"
    raise Stop("rejected", "evidence.threshold: P(event) - e^eps Q(event) is not above claim.delta")

def line(cert: Certificate) -> dict[str, Line] | None:
    """The inputs' laws as places on a line, if the multisets of all outcomes lie on one."""
    ends = [dict(seen) for law in cert.laws.values() for seen in law]
    steps = [{m: end.get(m, 0) - ends[0].get(m, 0) for m in sorted({*end, *ends[0]})} for end in ends]
    steps = [{m: count for m, count in step.items() if count} for step in steps]
    along = next(filter(None, steps), {"": 1})
    mark, unit = min(along), math.gcd(*along.values())
    places = [step.get(mark, 0) // (along[mark] // unit) for step in steps]
    if steps != [{m: place * (count // unit) for m, count in along.items() if place} for place in places]:
        return None
    rest = iter(places)
    return {name: {place: weight for weight, place in zip(law.values(), rest)} for name, law in cert.laws.items()}  # noqa: B905

def line_pair(span: Span, p: Line, q: Line, unit: int) -> Pair:
    """P and Q, of one user's law and the others' sum."""
    first, last, weights = min(*p, *q), max(*p, *q), []
    for law in (p, q):
        for end in (span.low, span.high):
            columns = zip(*([0] * (place - first) + end + [0] * (last - place) for place in law), strict=True)
            weights.append([sum(map(operator.mul, law.values(), column)) for column in columns])
    return list(zip(*weights, strict=True)), span.lost * unit, span.unit * unit

def decide_line(
    cert: Certificate, laws: list[Line], lines: dict[str, Line], max_bits: int, max_work: int, above: int | None,
    cases: Cases, bound: Ratio, lower: bool,
) -> Any:  # fmt: skip
    """A case whose delta(eps), or what it has above a place, is not at least (if lower; else: at most) the bound."""
    for bits in doublings(64, max_bits):
        (low, high, scale), width, left = enclose(cert.eps, bits), bits + 32 + 2 * cert.others.bit_length(), Cases()
        pairs, ends = sum(map(len, cases.values())), {place for law in lines.values() for place in law}
        wide = dict.fromkeys((min(ends), max(ends)), 0)
        afford(survey_work([*laws, wide], cert.unit, cert.others, len(cases), pairs, width), max_work)
        for counts, span in survey(laws, cert.unit, list(cases), width):
            for a, b in cases[counts]:
                p, q, found = lines[a], lines[b], (0, 0, 1)  # if P is nowhere above e^eps Q, as with one user's laws
                if any(scale * weight > low * q.get(place, 0) for place, weight in p.items()):
                    atoms, lost, unit = line_pair(span, p, q, cert.unit)
                    if above is not None:  # the event is one outcome
                        event = atoms[max(above + 1 - span.start - min(*p, *q), 0) :]
                        p_low, p_high, q_low, q_high = map(sum, zip((0,) * 4, *event, strict=True))
                        atoms, lost = [(p_low, p_high + lost, q_low, q_high + lost)], 0
                    found = stick((atoms, lost, unit), None, (low, high, scale))
                good = settled(found, bound, lower)
                if good is False:
                    return a, b, counts
                if good is None:
                    left.setdefault(counts, []).append((a, b))
        cases = left
        if not cases:
            break
    return None

def decide(cert: Certificate, kinds: list[Law], max_bits: int, cases: Cases, bound: Ratio, lower: bool) -> Any:
    """The same in exact arithmetic."""
    total, polys = cert.unit ** (cert.others + 1), dict(zip(cert.laws, pack(cert, cert.laws.values()), strict=True))
    for counts, common in products(cases, pack(cert, kinds)):
        views = {name: multiply(common, polys[name]) for name in {name for ends in cases[counts] for name in ends}}
        for a, b in cases[counts]:
            if sign(views[a], views[b], total, bound, cert.eps, max_bits) == (-1 if lower else 1):
                return a, b, counts
    return None


def verify(cert: Certificate, max_bits: int, max_work: int) -> str:
    """What has been verified, in words."""
    for kind, check in (("mechanism", verify_mechanism), ("blanket", verify_blanket), ("threshold", verify_threshold)):
        if cert.evidence.get(kind):
            return check(cert, max_bits, max_work)
    laws, pair, symmetries = cert.laws, cert.evidence.get("pair"), cert.evidence.get("symmetries", [])
    afford(len(symmetries) * sum(1 + len(seen) for law in laws.values() for seen in law), max_work)
    for i, (s, t) in enumerate((symmetry["inputs"], symmetry["messages"]) for symmetry in symmetries):
        for name, law in laws.items():
            sent = {seen: seen[0][0] if cert.local else Counter(dict(seen)).elements() for seen in law}
            moved = {outcome([t.get(m, m) for m in sent[seen]], cert.local): law[seen] for seen in law}
            if moved != laws[s.get(name, name)]:
                raise Stop("rejected", f"evidence.symmetries[{i}] is not a symmetry: see input {show(name)}")
    if not pair:
        return f"{cert.claim}: there are no neighbouring datasets"
    changes, ways, event = math.perm(len(laws), 2), multisets(cert.others, len(laws)), cert.evidence["event"]
    of_all = f"of {'at least ' * (ways == MANY)}{changes * ways} pairs of neighbouring datasets"
    class_of, kinds = classes(cert)
    few, more = multisets(cert.others, len(kinds)), multisets(cert.others, len(kinds) + 1)
    naive = event is not None or work(cert, min(few * cert.others, more) + 2 * changes * few) <= ENOUGH
    lines = None if naive else line(cert)
    if not lines:
        places = len({message for law in laws.values() for seen in law for message, _ in seen})  # to pack exponents in
        afford(max(work(cert, cert.others + 2), places * places * (20 + cert.others.bit_length()) // 8), max_work)
    if event is not None:
        total, polys = cert.unit ** (cert.others + 1), dict(zip(laws, pack(cert, laws.values()), strict=True))
        common = reduce(multiply, (polys[name] for name, count in pair["others"].items() for _ in range(count)), {0: 1})
        [keys] = pack(cert, [dict.fromkeys(event, 0)])
        p, q = (multiply(common, polys[pair[end]]) for end in ("from", "to"))
        p, q = ({0: sum(law.get(key, 0) for key in keys)} for law in (p, q))
        if sign(p, q, total, cert.delta, cert.eps, max_bits) <= 0:
            raise Stop("rejected", "evidence.event: P(event) - e^eps Q(event) is not above claim.delta")
        return f"{cert.claim}: shown by 1 {of_all}"
    way: Callable[[Cases, Ratio, bool], Any] = partial(decide, cert, kinds, max_bits)
    if lines:
        members = {number: lines[name] for name, number in class_of.items()}  # in order
        way = partial(decide_line, cert, list(members.values()), lines, max_bits, max_work, None)
    lower, upper = cert.evidence["delta"]["lower"], cert.evidence["delta"]["upper"]
    named = tuple(sum(n for name, n in pair["others"].items() if class_of[name] == c) for c in range(len(kinds)))
    if way({named: [(pair["from"], pair["to"])]}, lower, True):
        raise Stop("rejected", "evidence.worst.delta.lower: delta(eps) of the pair is below")
    afford(changes * few * (1 + len(symmetries)) * (50 + len(kinds)), max_work)
    chosen = orbits(cert, class_of, len(kinds))
    cases = sum(map(len, chosen.values()))
    afford(0 if lines else work(cert, min(len(chosen) * cert.others, more) + 2 * cases), max_work)
    tight = upper[0] * cert.delta[1] < cert.delta[0] * upper[1]
    bound, place = (upper, "evidence.worst.delta.upper") if tight else (cert.delta, "claim.delta")
    exceeded = way(chosen, bound, False)
    if exceeded:
        raise Stop("rejected", f"{place}: exceeded for from, to, others by class = {show(exceeded)}")
    return f"{cert.claim}: {cases} {of_all} computed{', the others are equivalent' * (cases < changes * ways)}"

def check(data: bytes, max_bits: int = MAX_BITS, max_work: int = MAX_WORK) -> Verdict:
    """The verdict on a certificate's bytes."""
    try:
        return Verdict("accepted", verify(read(data, max_work), max_bits, max_work))
    except (Stop, MemoryError) as error:
        return Verdict(*(error.args if isinstance(error, Stop) else ("undecided", "out of memory")))

def check_file(path: str | Path, max_bits: int = MAX_BITS, max_work: int = MAX_WORK) -> Verdict:
    """The verdict on a file; one that is too long is not read to its end."""
    try:
        with Path(path).open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        return Verdict("malformed", f"file: expected one that can be read ({show(error)})")
    return check(data, max_bits, max_work)

def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="kernel.py", description="Re-check shufflecert certificates.")
    parser.add_argument("certificates", nargs="+", metavar="cert.json")
    parser.add_argument("--max-bits", type=int, default=MAX_BITS, help="most bits of e^eps (default %(default)s)")
    parser.add_argument("--max-work", type=int, default=MAX_WORK, help="most work to begin (default %(default)s)")
    options, codes = parser.parse_args(arguments), {"accepted": 0, "undecided": 3, "rejected": 1, "malformed": 2}
    worst = "accepted"
    for path in options.certificates:
        status, reason = check_file(path, max(options.max_bits, 1), options.max_work)
        print(f"{ascii(path)[1:-1]}: {status}: {reason}")
        worst = max(worst, status, key=list(codes).index)
    return codes[worst]

if __name__ == "__main__":
    raise SystemExit(main())
