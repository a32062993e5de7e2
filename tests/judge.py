"""A second checker of certificates, written from verify/CERTIFICATE.md alone; it shares no code with the kernel.

It enumerates every pair of neighbours with Fractions and uses none of the document's shortcuts, so it is for small
certificates only. `judge(data)` answers "true", "false", "malformed", "too big" where the enumeration would be long, or
"undecided" where numbers that are not exact are closer than its error. What version 2 states is in judge_scale.py.
"""

import json
import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, lru_cache
from itertools import combinations_with_replacement
from math import comb
from operator import add

MAX_TERMS = 400_000  # pairs times outcomes
MAX_BITS = 1 << 17  # of e^eps
STAGES = (56, 128, 320)  # bits of the numbers in version 2 that are not exact


class MalformedError(Exception):
    """The file is not of the form the document describes."""


class TooBigError(Exception):
    """More work than this checker takes on."""


class UndecidedError(Exception):
    """Numbers closer to each other than the error of the last stage."""


def judge(data):
    """bytes of a certificate -> "true" | "false" | "malformed" | "too big" | "undecided"."""
    try:
        stated = parse(data)
        return "true" if (is_true if isinstance(stated, Statement) else is_true_in_stages)(stated) else "false"
    except MalformedError:
        return "malformed"
    except (TooBigError, RecursionError):
        return "too big"
    except UndecidedError:
        return "undecided"


# The file ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Number:
    """A JSON number as it is written."""

    text: str


@dataclass(frozen=True)
class Pair:
    """Two neighbours: the changed user goes from `start` to `end`; `others` is sorted; () outside the shuffled view."""

    start: str
    end: str
    others: tuple = ()


@dataclass(frozen=True)
class Statement:
    """A parsed certificate. `rows` is ((input, ((send, p), ...)), ...); `eps` is ("exp", eps) or ("log", e^eps)."""

    rows: tuple
    view: str
    n: int
    eps: tuple
    delta: Fraction
    verdict: str
    symmetries: tuple = ()
    pair: Pair | None = None
    lower: Fraction | None = None
    upper: Fraction | None = None
    event: tuple = ()


def demand(condition, what):
    if not condition:
        raise MalformedError(what)


def parse(data):
    """bytes -> Statement, or one of the other judges'; MalformedError where the document says so."""
    demand(len(data) <= 64 * 2**20, "size")
    try:
        tree = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_object,
            parse_int=Number,
            parse_float=Number,
            parse_constant=lambda text: demand(False, text),
        )
    except ValueError as error:  # not UTF-8, or not JSON
        raise MalformedError(str(error)) from error
    top = _fields(tree, "format", "version", "claim", "verdict", "evidence", optional=("note",))
    demand(top["format"] == "shufflecert certificate", "format")
    version = _natural(top["version"])
    demand(version in range(1, 9), "version")
    demand(isinstance(top.get("note", ""), str), "note")
    if version > 1:
        from tests import (  # which are written with this file's functions
            judge_any,
            judge_blocks,
            judge_crowd,
            judge_scale,
            judge_served,
            judge_shown,
        )

        if version == 8:
            return judge_blocks.parse(top)
        if version == 7:
            return _of_fewer(top, judge_scale)
        if version == 6:
            return judge_served.parse(top)
        if version == 5:
            return judge_shown.parse(top)
        if version == 4:
            return judge_crowd.parse(top)
        if version == 3 and judge_any.is_about_any(top["claim"]):
            return judge_any.parse(top)
        return judge_scale.parse(top)
    claim = _fields(top["claim"], "randomizer", "adjacency", "view", "n", "datasets", "eps", "delta")
    rows = _rows(_fields(claim["randomizer"], "rows")["rows"])
    view, n = claim["view"], _natural(claim["n"])
    demand(view in ("shuffled", "preshuffle", "local"), "view")
    demand(claim["adjacency"] == "replace" and claim["datasets"] == "all", "adjacency or datasets")
    demand(1 <= n <= 10**9, "n")
    eps, delta = _eps(claim["eps"]), _rational(claim["delta"])
    demand(delta <= 1, "delta")
    demand(top["verdict"] in ("PROVED", "REFUTED"), "verdict")
    evidence = _proof if top["verdict"] == "PROVED" else _refutation
    return Statement(rows, view, n, eps, delta, top["verdict"], **evidence(top["evidence"], rows, view, n))


def _of_fewer(top, scale):
    """Version 7: what version 1 states of fewer users, or a threshold of version 2."""
    demand(isinstance(top["claim"], dict) and "mechanism" not in top["claim"], "a randomizer")
    if top["verdict"] != "PROVED":
        return scale.parse(top)
    claim = _fields(top["claim"], "randomizer", "adjacency", "view", "n", "datasets", "eps", "delta")
    rows, view = _rows(_fields(claim["randomizer"], "rows")["rows"]), claim["view"]
    demand(view == "shuffled", "view")
    evidence = dict(_fields(top["evidence"], "users", "symmetries", "worst"))
    users = scale.natural(evidence.pop("users"), most=scale.natural(claim["n"]))
    eps, delta = scale.promise(claim)
    return Statement(rows, view, users, eps, delta, "PROVED", **_proof(evidence, rows, view, users))


def _object(pairs):
    keys = [key for key, _ in pairs]
    demand(len(keys) == len(set(keys)), "the same key twice")
    return dict(pairs)


def _fields(tree, *keys, optional=()):
    demand(isinstance(tree, dict), "an object")
    demand(set(keys) <= set(tree) <= {*keys, *optional}, f"the keys {keys}")
    return tree


def _list(tree):
    demand(isinstance(tree, list), "a list")
    return tree


def _integer(digits):
    """int(digits) without the interpreter's limit on their number."""
    if len(digits) <= 4000:
        return int(digits)
    half = len(digits) // 2
    return _integer(digits[:-half]) * 10**half + _integer(digits[-half:])


def _natural(tree):
    demand(isinstance(tree, Number) and re.fullmatch("[0-9]{1,100000}", tree.text), "an integer")
    return _integer(tree.text)


def _label(tree):
    demand(isinstance(tree, str) and 1 <= len(tree) <= 1000, "a label")
    return tree


def _has_leading_zero(digits):
    return len(digits) > 1 and digits.startswith("0")


def _rational(tree):
    found = isinstance(tree, str) and re.fullmatch("([0-9]+)(?:/([0-9]+))?", tree)
    demand(found, "a rational")
    top, bottom = found[1], found[2] or "1"
    demand(max(len(top), len(bottom)) <= 100_000, "digits")
    demand(not _has_leading_zero(top) and not _has_leading_zero(bottom), "leading zeros")
    demand(bottom.strip("0"), "a denominator of zero")
    return Fraction(_integer(top), _integer(bottom))


def _decimal(tree):
    found = isinstance(tree, str) and re.fullmatch(r"([0-9]+)(?:\.([0-9]+))?(?:e-([0-9]+))?", tree)
    demand(found, "a decimal")
    digits, places = found[1] + (found[2] or ""), len(found[2] or "")
    demand(len(digits) <= 100_000, "digits")
    exponent = found[3] or "0"
    demand(not _has_leading_zero(found[1]) and not _has_leading_zero(exponent), "leading zeros")
    demand(len(exponent) <= 6 and int(exponent) <= 100_000, "exponent")
    return Fraction(_integer(digits), 10 ** (places + int(exponent)))


def _eps(tree):
    demand(isinstance(tree, str), "eps")
    if tree.startswith("log(") and tree.endswith(")"):
        t = _rational(tree[4:-1])
        demand(t >= 1, "log of less than 1")
        return "log", t
    eps = _rational(tree)
    demand(eps <= 10000, "eps above 10000")
    return ("exp", eps) if eps else ("log", Fraction(1))


def _rows(tree):
    rows = []
    for row in _list(tree):
        _fields(row, "input", "outputs")
        outputs = []
        for output in _list(row["outputs"]):
            _fields(output, "send", "p")
            outputs.append((tuple(map(_label, _list(output["send"]))), _rational(output["p"])))
        sends = [send for send, _ in outputs]
        demand(outputs and len(sends) == len(set(sends)), "outputs")
        demand(all(p > 0 for _, p in outputs) and sum(p for _, p in outputs) == 1, "weights")
        rows.append((_label(row["input"]), tuple(outputs)))
    inputs = [x for x, _ in rows]
    demand(rows and len(inputs) == len(set(inputs)), "rows")
    return tuple(rows)


def messages_of(rows):
    """All messages that some send list names, sorted."""
    return tuple(sorted({label for _, outputs in rows for send, _ in outputs for label in send}))


def _multiset(tree, labels):
    demand(isinstance(tree, dict) and set(tree) <= set(labels), "a multiset of known labels")
    counts = {label: _natural(count) for label, count in tree.items()}
    demand(all(count >= 1 for count in counts.values()), "a count of zero")
    return counts


def _pair_parts(tree, rows, view, n):
    """(from, to, {input: how many of the others})."""
    _fields(tree, "from", "to", *(["others"] if view == "shuffled" else []))
    inputs = [x for x, _ in rows]
    start, end = _label(tree["from"]), _label(tree["to"])
    demand(start in inputs and end in inputs and start != end, "from, to")
    others = _multiset(tree["others"], inputs) if view == "shuffled" else {}
    demand(view != "shuffled" or sum(others.values()) == n - 1, "the number of others")
    return start, end, others


def _pair(tree, rows, view, n):
    start, end, others = _pair_parts(tree, rows, view, n)
    if view == "shuffled" and n > 100:
        raise TooBigError
    return Pair(start, end, tuple(sorted(label for label, count in others.items() for _ in range(count))))


def _permutation(tree, labels):
    demand(isinstance(tree, dict) and all(isinstance(image, str) for image in tree.values()), "a map of labels")
    demand(set(tree) <= set(labels) and set(tree.values()) == set(tree), "a permutation of its keys")
    return tree


def _proof(tree, rows, view, n):
    _fields(tree, "symmetries", "worst")
    inputs, messages = [x for x, _ in rows], messages_of(rows)
    symmetries = []
    for symmetry in _list(tree["symmetries"]):
        _fields(symmetry, "inputs", "messages")
        symmetries.append((_permutation(symmetry["inputs"], inputs), _permutation(symmetry["messages"], messages)))
    demand((tree["worst"] is None) == (len(rows) == 1), "worst is null where there is a single input")
    if tree["worst"] is None:
        return {"symmetries": tuple(symmetries)}
    worst = _fields(tree["worst"], "pair", "delta")
    ends = _fields(worst["delta"], "lower", "upper")
    return {
        "symmetries": tuple(symmetries),
        "lower": _decimal(ends["lower"]),
        "upper": _decimal(ends["upper"]),
        "pair": _pair(worst["pair"], rows, view, n),
    }


def _refutation(tree, rows, view, n):
    _fields(tree, "pair", "event")
    return {"event": _event(tree["event"], rows, view), "pair": _pair(tree["pair"], rows, view, n)}


def _event(tree, rows, view):
    messages, event = messages_of(rows), []
    for outcome in _list(tree):
        if view == "local":
            event.append(tuple(map(_label, _list(outcome))))
            demand(set(event[-1]) <= set(messages), "messages")
        else:
            counts = _multiset(outcome, messages)
            event.append(tuple(counts.get(label, 0) for label in messages))
    demand(len(event) == len(set(event)), "an outcome twice")
    return tuple(event)


# What it states ----------------------------------------------------------------------------------------------------


def is_true(s):
    """Whether everything that a Statement states holds."""
    if s.verdict == "REFUTED":
        P, Q = pair_laws(s.rows, s.view, s.n, s.pair)
        a = sum((P.get(y, Fraction(0)) for y in s.event), Fraction(0))
        b = sum((Q.get(y, Fraction(0)) for y in s.event), Fraction(0))
        return sign(a, b, s.eps, s.delta) > 0
    if not all(is_symmetry(s.rows, s.view, inputs, messages) for inputs, messages in s.symmetries):
        return False
    if s.pair is None:
        return True
    parts = all_parts(s.rows, s.view, s.n, s.eps)
    most = min(s.delta, s.upper)
    return sign(*parts[s.pair], s.eps, s.lower) >= 0 and all(sign(a, b, s.eps, most) <= 0 for a, b in parts.values())


def is_true_in_stages(s):
    """Whether what a version 2 certificate states holds."""
    for bits in STAGES:
        try:
            answer = s.answer(bits)
        except TooBigError as error:
            if bits == STAGES[0]:
                raise
            raise UndecidedError from error
        if answer is not None:
            return answer
    raise UndecidedError


def row_law(outputs, view, messages):
    """Law of one user: over tuples in the local view, else over multisets written as counts of `messages`."""
    law = {}
    for send, p in outputs:
        outcome = send if view == "local" else tuple(send.count(label) for label in messages)
        law[outcome] = law.get(outcome, 0) + p
    return law


def is_symmetry(rows, view, inputs, messages):
    """Pr[R(s(x)) sends t(m)] = Pr[R(x) sends m] for all x and m, as equality of two laws for each x."""
    labels = messages_of(rows)
    laws = {x: row_law(outputs, view, labels) for x, outputs in rows}
    for x, outputs in rows:
        moved = [(tuple(messages.get(label, label) for label in send), p) for send, p in outputs]
        if row_law(moved, view, labels) != laws[inputs.get(x, x)]:
            return False
    return True


def pair_laws(rows, view, n, pair):
    """The laws (P, Q) of one pair."""
    laws, others = _laws(rows, view, n)
    if view != "shuffled":
        return laws[pair.start], laws[pair.end]
    return _times(others(pair.others), laws[pair.start]), _times(others(pair.others), laws[pair.end])


@lru_cache(maxsize=64)
def all_parts(rows, view, n, eps):
    """{pair: (A, B) with delta(eps) = A - B e^eps} over all pairs of neighbours."""
    laws, others = _laws(rows, view, n)
    groups = combinations_with_replacement(sorted(laws), n - 1) if view == "shuffled" else [()]
    parts = {}
    for group in groups:
        around = {x: _times(others(group), law) if view == "shuffled" else law for x, law in laws.items()}
        for start, P in around.items():
            for end, Q in around.items():
                if start != end:
                    event = [y for y, p in P.items() if y not in Q or sign(p, Q[y], eps, 0) > 0]
                    a = sum((P[y] for y in event), Fraction(0))
                    b = sum((Q[y] for y in event if y in Q), Fraction(0))
                    parts[Pair(start, end, group)] = a, b
    return parts


@lru_cache(maxsize=64)
def _laws(rows, view, n):
    """({input: law of one user}, function from sorted inputs to the law of those users together)."""
    messages = messages_of(rows)
    laws = {x: row_law(outputs, view, messages) for x, outputs in rows}
    if view == "shuffled":
        outcomes = len({y for law in laws.values() for y in law})
        if n > 100 or comb(n + outcomes - 1, n) * comb(n + len(laws) - 2, n - 1) * len(laws) ** 2 > MAX_TERMS:
            raise TooBigError

    @cache
    def others(group):
        return _times(others(group[:-1]), laws[group[-1]]) if group else {(0,) * len(messages): Fraction(1)}

    return laws, others


def _times(law, other):
    """Law of the union of two independent multisets."""
    result = {}
    for y, p in law.items():
        for z, q in other.items():
            both = tuple(map(add, y, z))
            result[both] = result.get(both, 0) + p * q
    return result


# e^eps -------------------------------------------------------------------------------------------------------------


def sign(a, b, eps, c):
    """The sign, decided, of a - b e^eps - c."""
    kind, value = eps
    if b == 0 or kind == "log":
        left = a - b * value if b else a
        return (left > c) - (left < c)
    bits = 64
    while bits <= MAX_BITS:
        low, high = exp_bounds(value, bits)
        if a - b * high > c:
            return 1
        if a - b * low < c:
            return -1
        bits *= 2
    raise TooBigError


@lru_cache(maxsize=4096)
def exp_bounds(eps, bits):
    """(L, U), dyadic, with L <= e^eps <= U for rational eps > 0.

    e^eps = (e^x)^(2^k) with x = eps / 2^k <= 1/2. All is in integers over 2^w, rounded outwards; the Taylor terms
    after the last one at most halve each time, so together they are at most that one.
    """
    k = max(0, eps.__ceil__().bit_length() + 1)
    w = bits + 2 * k + 16
    one = 1 << w
    x = eps * one / 2**k
    x_low, x_high = x.__floor__(), x.__ceil__()
    low = high = one
    term_low = term_high = one
    j = 0
    while term_high > 1:
        j += 1
        term_low = term_low * x_low // (j * one)
        term_high = -(-term_high * x_high // (j * one))
        low, high = low + term_low, high + term_high
    high += term_high
    for _ in range(k):
        low, high = low * low >> w, -(-high * high >> w)
    return Fraction(low, one), Fraction(high, one)
