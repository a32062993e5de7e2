"""Re-check shufflecert certificates, without the engine: python3 -I -S verify/kernel.py cert.json [more.json ...]

CERTIFICATE.md defines the format and proves its steps; this file decides whether they hold, and trusts nothing in a
certificate. What a proof or a refutation may say, and where it is checked:

    "same as", "up to"        two pairs, or compositions, that a renaming makes one      check_renamings, rows_proof
    "each"                    a pair of neighbouring datasets, as it is                  rows_road, divergence
    "corner"                  fewer users, who bound a box of datasets                   boxes_of, corner
    a block                   the same, some users left open; with a grid, many blocks   rows_road, grid_bound
    columns, numbers          products, and shifts of a law                              factors_of, number_cases
    private                   one bound for all private randomizers                      check_private
    points, a lattice         many runs: pairs put on a lattice, and multiplied there    dots, Lattice
    a pair; an event          neighbours, and what tells them apart                      check_event

To be trusted: Python's integers, decimals that are multiplied exactly, fractions, containers and JSON parser, and this
file, which imports only the standard library and holds no float. Laws are known from below, by integer weights: what
these miss of 1 may be anywhere. They are exact while their unit is short; else rounded down, with ever more bits.

What can be slow pays from one budget of work and one of memory before it begins: products, windows, sorting, common
denominators, and what a file has listed or counted out. So no certificate takes longer than the budget lasts.
"""

import argparse
import decimal
import json
import math
import os
import re
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cmp_to_key, partial, reduce
from hashlib import sha256
from itertools import accumulate, combinations, groupby, islice, pairwise, permutations
from itertools import count as upwards
from itertools import product as choices
from operator import and_, floordiv, itemgetter, le, mod
from pathlib import Path
from typing import Any, NamedTuple

MAX_BYTES, MAX_DIGITS, MAX_BITS, MAX_DEPTH = 64 * 2**20, 100_000, 65_536, 100
MAX_WORK, MAX_MEMORY = 2 * 10**8, 25 * 10**7  # steps of about 0.1 microseconds; bytes
SPARE = 32  # bits of fixed point beyond those that are asked for
EXACT = 4  # times the bits that are asked for: so long is a unit before laws are rounded
MANY = 10**18  # nothing is counted further
GRAIN, SHARP = 72, 128  # bits of a lattice's weights beyond those of delta; of powers of its step
ROOM = 40  # bits below delta, of what all runs may move to infinity at each step, and of what a grid may round
DIGITS = 8  # of a place, by which products of laws are made
EXACTLY = decimal.Context(decimal.MAX_PREC, None, decimal.MIN_EMIN, decimal.MAX_EMAX, traps=[decimal.Inexact])
DRAWN = ""  # as a message: that a user who is left open is drawn

Ratio = tuple[int, int]  # numerator, denominator; not in lowest terms
Eps = tuple[int, int, bool]  # eps = p/q, or log(p/q) if the flag is set
Asked = tuple[Eps, Ratio]  # eps, and what delta(eps) has to be at most, or above
Outcome = tuple[tuple[Any, int], ...]  # sorted (message, count) items; in the local view one (tuple of messages, 1)
Outcomes = dict[Outcome, int]  # outcome -> weight, over a unit
Line = list[tuple[int, int]]  # (place, weight), places ascending
Parts = dict[str, tuple[dict[str, Any], Ratio]]  # of a sum: by name a law, and how often it comes, or its n, lam or r
Counts = tuple[int, ...]  # how many of the others have each base law
Ends = tuple[int, int, int]  # (low, high, scale): a number in [low/scale, high/scale]
Pair = tuple[list[Any], int, int]  # (P, Q) of outcomes over `unit`; what these miss of either is at most lost; unit
Places = tuple[Callable[[Outcome], int], Sequence[int]]  # of outcomes, that add up; the scales of their digits
Event = tuple[Places, Callable[[int], bool], int | None]  # which are in it; of a threshold, delta = 0, its end
Road = Callable[[Iterable[Any], int], Iterator[tuple[Any, list[Pair]]]]  # cases, bits -> independent factors of each


class Verdict(NamedTuple):
    """What a check finds: accepted, rejected, malformed or undecided, and on one line what or why."""

    status: str
    reason: str


class Stop(Exception):
    """Ends a check with Verdict(status, reason); of what is not of the form: where, and what was expected there."""

    def __init__(self, status: str, reason: str, where: str = ""):
        self.status, self.reason, self.where = status, reason, where


class Budget:
    """What a check may use: bits of precision, steps of work, bytes of memory. Only memory is ever given back."""

    def __init__(self, bits: int, work: int, memory: int):
        self.bits, self.work, self.memory = bits, work, memory
        self.words = f"more than {work} steps", f"more than {memory} bytes"

    @staticmethod
    def cost(steps: int, a: int = 0, b: int = 0) -> int:
        """Of so many steps, each with a product of numbers of a and b bits: schoolbook, Karatsuba for large ones."""
        a, b = sorted((a, b))
        large = a // 2_000
        each = 60 * math.isqrt(large**3) * (b // a + 1) if large else a * b // 150_000
        return steps * (4 + b // 4_000 + each)

    def spend(self, steps: int, a: int = 0, b: int = 0) -> None:
        """Pays for these steps."""
        self.work -= self.cost(steps, a, b)
        if self.work < 0:
            raise Stop("undecided", f"too much work: {self.words[0]}, allow more with --max-work")

    def hold(self, numbers: int, bits: int = 0) -> None:
        """So many numbers of so many bits are kept, in a list."""
        self.memory -= numbers * (56 + bits // 7)
        if self.memory < 0:
            raise Stop("undecided", f"too much memory: {self.words[1]}, allow more with --max-work")


# ---- reading by forms: {key: form, ...} ("?": it may be left out), {form of all keys: form}; [form of all items], or
# ---- [form, form, ...] of so many; words that it may be; a function of the value; None: it is read later


def need(condition: object, expected: str, where: str = "") -> None:
    """Malformed, unless the condition holds."""
    if not condition:
        raise Stop("malformed", expected, where)


def show(value: object) -> str:
    """The value in ASCII, on one line, shortened."""
    return ascii(str(value)[:80])[1:-1] + "..." * (len(str(value)) > 80)


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs of a key and a value."""
    need(len(dict(pairs)) == len(pairs), f"no key twice in the object of {show([key for key, _ in pairs[:9]])}")
    return dict(pairs)


def parse(data: bytes, budget: Budget) -> Any:
    """The JSON tree of the bytes; a number becomes a 1-tuple of its text. This pays for reading it once more too."""
    need(len(data) <= MAX_BYTES, f"at most {MAX_BYTES} bytes")
    written = len(data) - data.count(b" ")
    budget.spend(written // 2)
    objects, values = data.count(b"{"), sum(map(data.count, (b",", b":", b"[")))
    wide = 4 if b"\\u" in data or not data.isascii() else 1
    budget.hold((len(data) * (1 + wide) + written * 2 * wide) // 56 + 8 * objects + 3 * values)
    hooks: dict[str, Any] = {"parse_int": lambda text: (text,), "parse_float": lambda text: (text,)}
    hooks["parse_constant"] = lambda name: need(False, f"JSON, which has no {name}")
    try:
        tree = json.loads(data.decode("utf-8"), object_pairs_hook=unique_keys, **hooks)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise Stop("malformed", f"JSON in UTF-8, not nested deeply ({error})") from None
    level = [tree]
    for _ in range(MAX_DEPTH):
        level = [item for some in level if isinstance(some, dict | list)
                 for item in (some.values() if isinstance(some, dict) else some)]
    need(not level, f"nesting at most {MAX_DEPTH} deep")
    need(not isinstance(tree, list) or 0 < len(tree) <= 100_000, "1 to 100000 certificates")
    return tree


def read(form: Any, value: Any, budget: Budget, where: str = "") -> Any:
    """The value, of a form; what is wrong in it is said with its place."""
    try:
        if isinstance(form, dict):
            need(isinstance(value, dict), "an object")
            if not isinstance(key := next(iter(form), ""), str):
                return {read(key, name, budget): read(form[key], value[name], budget, f".{show(name)}")
                        for name in value}
            known = {key.rstrip("?"): key for key in form}
            for key in value:
                need(key in known, "no such key", f".{show(key)}")
            for key in form:
                need(key[-1] == "?" or key in value, "this key", f".{key}")
            return {key: read(form[known[key]], value[key], budget, f".{key}") for key in known if key in value}
        if isinstance(form, list):
            need(isinstance(value, list), "a list")
            need(len(form) in (1, len(value)), f"a list of {len(form)}")
            forms = form * len(value) if len(form) == 1 else form
            return [read(one, item, budget, f"[{i}]") for i, (one, item) in enumerate(zip(forms, value, strict=True))]
        if isinstance(form, tuple):
            need(value in form, " or ".join(map(str, form)))
        return form(value, budget) if callable(form) else value
    except Stop as stop:
        stop.where = where + stop.where
        raise


def text_of(value: Any, _: Budget, least: int = 0, most: int = MAX_BYTES, known: Collection[str] | None = None) -> Any:
    """A TEXT; with these bounds a LABEL, one of those that are known."""
    need(isinstance(value, str) and least <= len(value) <= most, f"a string of {least} to {most} code points")
    need(known is None or value in known, "a label of the randomizer")
    return value


def natural(digits: str) -> int:
    """The number that the digits write, in pieces: how long a text `int` reads is not ours to set."""
    if len(digits) <= 600:
        return int(digits)
    half = 300 << ((len(digits) - 1) // 600).bit_length()
    return (natural(digits[:-half]) * int(5**half) << half) + natural(digits[-half:])


def integer(value: Any, _: Budget, least: int = 1, most: int = 10**15) -> int:
    """A JSON number that is an integer in this range."""
    text = str(value[0]) if isinstance(value, tuple) else ""
    need(text.isdigit() and len(text) <= 100 and least <= int(text) <= most, f"an integer from {least} to {most}")
    return int(text)


def signed(value: Any, _: Budget, least: int = -(10**1000), most: int = 10**1000) -> int:
    """An INTEGER in this range."""
    need(isinstance(value, str) and re.fullmatch(r"-?(0|[1-9][0-9]{0,999})", value), "an INTEGER")
    found = (-1 if value[0] == "-" else 1) * natural(value.removeprefix("-"))
    need(least <= found <= most, f"an INTEGER from {least} to {most}")
    return found


def ratio(value: Any, _: Budget, good: Callable[[int, int], bool] = lambda p, q: True, words: str = "") -> Ratio:
    """A RATIONAL p/q that passes the test."""
    match: Any = isinstance(value, str) and re.fullmatch(r"(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?", value)
    need(match, "a RATIONAL")
    above, below = match.groups("1")
    need(max(len(above), len(below)) <= MAX_DIGITS, f"at most {MAX_DIGITS} digits")
    found = natural(above), natural(below)
    need(good(*found), words)
    return found


def exponent(value: Any, budget: Budget) -> Eps:
    """An EPS."""
    log = isinstance(value, str) and value[:4] == "log(" and value[-1] == ")"
    p, q = ratio(value[4:-1] if log else value, budget)
    need(p >= q if log else p <= 10_000 * q, "a number from 0 to 10000, or log of at least 1")
    return p, q, log


def summing(weights: Sequence[Ratio], budget: Budget) -> tuple[list[int], int]:
    """Weights over their common denominator, which they sum to."""
    unit = common(weights, budget)
    found = [p * (unit // q) for p, q in weights]
    need(sum(found) == unit, "weights that sum to exactly 1")
    return found, unit


def common(ratios: Sequence[Ratio], budget: Budget) -> int:
    """A common denominator. This pays for the numerators over it too."""
    whole, longest = 1, 0
    for below, _ in groupby(sorted(q for _, q in ratios)):
        longest = max(longest, below.bit_length())
        budget.spend(1, whole.bit_length(), 2 * longest)
        whole = math.lcm(whole, below)
    budget.spend(2 * len(ratios), whole.bit_length(), longest)
    budget.hold(2 * len(ratios), whole.bit_length())
    return whole


def shares(value: Any, budget: Budget, key: Any) -> tuple[list[tuple[Any, int]], int]:
    """Keys, ascending, each with its weight over a unit. By sorting: a file could choose places whose hashes are all
    the same."""
    need(isinstance(value, dict), "an object")
    weights, unit = summing(read([WEIGHT], [*value.values()], budget), budget)
    line = sorted(zip(read([key], [*value], budget), weights, strict=True))
    need(all(a < b for (a, _), (b, _) in pairwise(line)), "no key twice")
    return line, unit


def mixture_of(value: Any, budget: Budget) -> tuple[list[tuple[int, dict[str, Any]]], int]:
    """Weights over a unit, with laws."""
    found = read([[WEIGHT, law_of]], value, budget)
    weights, unit = summing([weight for weight, _ in found], budget)
    return list(zip(weights, [law for _, law in found], strict=True)), unit


def law_of(value: Any, budget: Budget) -> dict[str, Any]:
    """A LAW: of a finite one its line over a unit, of a mixture laws with weights over a unit."""
    name = str(value.get("law") if isinstance(value, dict) else None)
    found: dict[str, Any] = read({"law": tuple(LAWS), **LAWS.get(name, {})}, value, budget)
    need(found.get("of", True), "a list of laws", ".of")
    return found


LABEL = partial(text_of, least=1, most=1000)
POSITIVE = partial(ratio, good=lambda p, q: p > 0, words="more than 0")
PROBABILITY = partial(ratio, good=lambda p, q: p <= q, words="at most 1")
PART = partial(ratio, good=lambda p, q: 0 < p < q, words="more than 0 and below 1")
WEIGHT = partial(ratio, good=lambda p, q: 0 < p <= q, words="more than 0 and at most 1")
ABOVE_ONE = partial(ratio, good=lambda p, q: p > q, words="above 1")
LARGE = partial(integer, least=2, most=2**256)
SIZE = partial(integer, most=2**32)
GRID = {"step": POSITIVE, "cells": SIZE, "tilt": ABOVE_ONE}
LAWS: dict[str, dict[str, Any]] = {
    "binomial": {"n": integer, "p": PROBABILITY}, "poisson": {"lam": POSITIVE},
    "negative binomial": {"r": POSITIVE, "p": PART}, "discrete Laplace": {"q": PART, "bound?": integer},
    "discrete Gaussian": {"variance": POSITIVE}, "finite": {"p": partial(shares, key=signed)}, "sum": {"of": [law_of]},
    "mixture": {"of": mixture_of}, "mod": {"by": LARGE, "of": law_of},
}
ADD_UP = {"binomial": "n", "poisson": "lam", "negative binomial": "r"}  # of independent draws
COLUMNS: dict[str, Any] = {"added?": law_of, "shown?": {"from": integer}}
USERS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {  # the form of `each`, and what else is said
    "rows": ({"rows": [{"input": LABEL, "outputs": [{"send": [LABEL], "p": POSITIVE}]}]},
             {"take part?": WEIGHT, "view": ("shuffled", "preshuffle", "local")}),
    "columns": ({"columns": {LABEL: [law_of]}}, COLUMNS),
    "one of": ({"one of": None, "held": law_of, "other": law_of}, COLUMNS),
    "up to": ({"up to": partial(integer, most=10**6), "plus?": law_of}, {"added?": law_of, "shown?": {"mod": LARGE}}),
    "private": ({"private": [exponent, PROBABILITY]}, {}),
}


def kind_of(value: Any) -> str:
    """Which USER it is."""
    need(isinstance(value, dict) and any(key in value for key in USERS), " or ".join(USERS))
    return next(key for key in USERS if key in value)


def user_of(value: Any, budget: Budget) -> dict[str, Any]:
    """A USER: of columns and one of `columns`, the laws by input."""
    each: dict[str, Any] = read(USERS[kind_of(value)][0], value, budget)
    if "one of" in each:
        held, other, number = each["held"], each["other"], each["one of"]
        few = number != "any number" and read(partial(integer, least=2), number, budget, ".one of") == 2
        each["columns"] = {"a": [held, other], "b": [other, held]} | ({} if few else {"other": [other, other]})
    widths = {len(laws) for laws in each.get("columns", {"": "1"}).values()}
    need(len(widths) == 1 and 0 not in widths, "inputs of equally many columns")
    return each


def seen_of(value: Any, budget: Budget) -> dict[str, Any]:
    """A SEEN, with `kind`, what its users do."""
    kind = kind_of(value.get("each") if isinstance(value, dict) else None)
    form = {"users": integer, "honest?": integer, "each": user_of}
    seen: dict[str, Any] = read(form | USERS[kind][1], value, budget) | {"kind": kind}
    need(seen.setdefault("honest", seen["users"]) <= seen["users"], "at most users", ".honest")
    return seen


def claim_of(value: Any, budget: Budget) -> dict[str, Any]:
    """A CLAIM, with `runs` as (seen, times), and `total`, how many these are."""
    around = value.get("neighbours") if isinstance(value, dict) else None
    form = {"runs": [{"seen": seen_of, "times": partial(integer, most=10**9)}], "data?": ("same", "any"), "neighbours":
            {"deletion": partial(shares, key=LABEL)} if isinstance(around, dict) else ("replace", "add-remove"),
            "eps": exponent, "delta": PROBABILITY}
    claim: dict[str, Any] = read(form, value, budget)
    need(claim["runs"], "a run", ".runs")
    claim["runs"] = [(run["seen"], run["times"]) for run in claim["runs"]]
    claim["total"] = sum(times for _, times in claim["runs"])
    need(("data" in claim) == (claim["total"] > 1), "data, just where there are several runs", ".data")
    if claim["neighbours"] != "replace":
        seen = claim["runs"][0][0]
        good = seen["kind"] == "rows" or (claim["neighbours"] == "add-remove" and seen["kind"] in ("one of", "up to"))
        need(good and len(claim["runs"]) == 1, "neighbours that such users have", ".neighbours")
        if seen["kind"] == "one of":
            need(constant(seen["each"]["other"]) == 0, "the constant 0", ".runs[0].seen.each.other")
            seen["each"]["columns"] = {"a": [seen["each"]["held"]], "other": [ZERO]}
    return claim


def quoted(text: Any, key: str = "") -> str:
    """What stands in a claim as JSON; a long number by its ends and a digest, rows by their number and a digest."""
    if key == "rows" and "outputs" in text[0]:
        whole = json.dumps(text, sort_keys=True, separators=(",", ":"))
        return f"{len(text)} rows with SHA-256 {sha256(whole.encode()).hexdigest()}"
    if isinstance(text, dict):
        return "{" + ", ".join(f"{quoted(name)}: {quoted(text[name], name)}" for name in text) + "}"
    if isinstance(text, list):
        return "[" + ", ".join(map(quoted, text)) + "]"
    if isinstance(text, tuple):
        return str(text[0])
    if isinstance(text, str) and len(text) > 80:
        name = f"{text[:20]}...{text[-20:]} of {len(text)} characters with SHA-256 "
        return json.dumps(name + sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
    return json.dumps(text)


def in_words(claim: Any) -> str:
    """What is claimed, all of it; what the file says of each run is quoted as JSON."""
    neighbours = claim["neighbours"] if isinstance(claim["neighbours"], str) else quoted(claim["neighbours"])
    words = f"eps = {quoted(claim['eps'])}, delta = {quoted(claim['delta'])}, neighbours: {neighbours}"
    words += f", data: {claim['data']}" if "data" in claim else ""
    for run in claim["runs"]:
        words += f"; {run['times'][0]} time{'s' * (run['times'] != ('1',))} seen: {quoted(run['seen'])}"
    return words


# ---- e^eps, and one way of deciding ----


def up(a: int, b: int) -> int:
    """a/b, rounded up."""
    return -(-a // b)


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
    width, ends = bits + halvings + SPARE, []
    budget.spend(2, p.bit_length() + width, q.bit_length() + halvings)
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


def small(bound: Ratio) -> int:
    """About how many bits a bound begins with that are 0."""
    return max(bound[1].bit_length() - max(bound[0], 1).bit_length(), 0) if bound[0] else 0


def at_most(value: Ratio, bound: Ratio) -> bool:
    """Whether a value keeps a bound."""
    return value[0] * bound[1] <= bound[0] * value[1]


def failing(road: Road, cases: Iterable[Any], asked: list[Asked], proved: bool, budget: Budget) -> Any:
    """A case whose delta(eps), of an eps that is asked, is not at most the bound there (or, not proved, not above it);
    None if there is none."""
    room, bits = budget.memory, min(32 + max(small(bound) for _, bound in asked), budget.bits)
    while True:
        left, limits = [], [(enclose(eps, bits, budget), bound) for eps, bound in asked]
        for case, factors in road(cases, bits):
            is_open = False
            for ends, bound in limits:
                least, most, whole = divergence(factors, ends, budget)
                kept = at_most((most, whole), bound)
                if not kept and at_most((least, whole), bound):
                    is_open = True
                elif kept != proved:
                    return case
            if is_open:
                budget.spend(10)  # which bounds the memory of this list
                left.append(case)
        budget.memory, cases = room, left
        if not left:
            return None
        if bits == budget.bits:
            raise Stop("undecided", f"too few bits: {bits} bits do not decide, allow more with --max-bits")
        bits = min(2 * bits, budget.bits)


def divergence(factors: list[Pair], ends: Ends, budget: Budget) -> Ends:
    """delta(eps) of the product of one or two pairs, of outcomes (x, y) and (u, v).

    Lemma. With (u, v) by u/v descending the terms above 0 of an (x, y) are those of the first so many. Proof: scale x u
    > low y v just if (x/y)(u/v) > low/scale. (Where y or v is 0, the ratio is infinite; one with u = 0 has no term.)

    What no atom holds is at most `lost`, of a product what either factor has lost: by CERTIFICATE.md's rounding it adds
    at most that, and takes away e^eps of it. An event that is the worst at `low` bounds delta from below as others do.
    """
    if len(factors) > 2:
        raise Stop("undecided", "more than two columns differ")
    both = [*factors, ([(1, 1)], 0, 1)][:2]
    ((few, more, whole), (many, lost, unit)), (low, high, scale) = sorted(both, key=lambda pair: len(pair[0])), ends
    above = below = 0
    bits, steps = unit.bit_length(), len(few).bit_length()
    budget.spend(len(few) * steps, whole.bit_length(), whole.bit_length())
    budget.spend(len(many) * (1 + steps), bits + whole.bit_length(), scale.bit_length())
    by_ratio: Any = cmp_to_key(lambda s, t: t[0] * s[1] - s[0] * t[1])
    some = sorted((atom for atom in few if atom[0]), key=by_ratio)
    sums = [(0, 0), *accumulate(some, lambda s, t: (s[0] + t[0], s[1] + t[1]))]
    for x, y in many:
        ends_before: Any = partial(lambda p, q, atom: p * atom[0] <= q * atom[1], scale * x, low * y)
        u, v = sums[bisect_left(some, True, key=ends_before)]
        above, below = above + x * u, below + y * v
    lost, unit = lost * whole + more * unit, unit * whole
    least, most = scale * above - high * below, scale * above - low * below
    return max(least - high * lost, 0), min(most + scale * lost, scale * unit), scale * unit


# ---- laws: weights from below, at places ----


class Law(NamedTuple):
    """Weights over a unit, at places that ascend; what they miss of 1 may be anywhere."""

    line: Line
    unit: int

    @property
    def missed(self) -> int:
        """The mass that the listed weights leave to 1, times the unit: it may lie at any place."""
        return self.unit - sum(weight for _, weight in self.line)


ONE = Law([(0, 1)], 1)
ZERO: dict[str, Any] = {"law": "finite", "p": ([(0, 1)], 1)}


def gather(terms: Iterable[tuple[int, int]]) -> Line:
    """The weights by place, ascending. By sorting: a file could choose places whose hashes are all the same."""
    ordered = groupby(sorted(terms, key=itemgetter(0)), key=itemgetter(0))
    return [(place, sum(weight for _, weight in some)) for place, some in ordered]


def way_of(terms: int, others: int, bits: int) -> tuple[int, bool]:
    """What a product of polynomials costs, of so many terms and weights of so many bits; and whether by decimals: of
    these long ones are multiplied in nearly linear time, but Python may read no longer ones than of 640 digits."""
    plain, quick = Budget.cost(1, bits * terms, bits * others), bits * (terms + others) // 7
    return (quick, True) if quick < plain and bits <= 2_000 else (plain, False)


def product(a: list[int], b: list[int], budget: Budget) -> list[int]:
    """Of polynomials with weights of at least 0: that of their values at 10^size, or 256^size, with digits apart."""
    bits, terms = max(a).bit_length() + max(b).bit_length() + min(len(a), len(b)).bit_length(), len(a) + len(b)
    steps, by_decimals = way_of(len(a), len(b), bits)
    budget.spend(2 * terms + steps // budget.cost(1))
    if by_decimals:
        budget.hold(terms, 9 * bits)
        size = bits * 30103 // 100_000 + 1
        texts = [f"%0{size}d" * len(weights) % tuple(weights) for weights in (a, b)]
        digits = str(EXACTLY.multiply(*map(EXACTLY.create_decimal, texts))).zfill(size * (terms - 1))
        return [int(digits[i : i + size]) for i in range(0, size * (terms - 1), size)]
    size = (bits + 7) // 8
    budget.hold(2 * terms, 8 * size)
    x, y = (int.from_bytes(b"".join([weight.to_bytes(size, "little") for weight in end]), "little") for end in (a, b))
    data = (x * (x if x == y else y)).to_bytes(size * (len(a) + len(b)), "little")  # a square takes less
    return [int.from_bytes(data[i : i + size], "little") for i in range(0, size * (len(a) + len(b) - 1), size)]


def convolve(a: Law, b: Law, width: int, budget: Budget, scales: Sequence[int] = (1,)) -> Law:
    """The law of a sum: exact while the unit is short, then rounded down to 2^-width.

    By one product of polynomials over the box of places, their digits by these scales, that the sum can have; or term
    by term, where that box is so large that this is less.
    """
    unit, room, one = a.unit * b.unit, budget.memory, 1 << width
    if not (a.line and b.line):
        return Law([], one)
    if ONE in (a, b):
        return b if a == ONE else a
    rest, cells, box = [[place for place, _ in law.line] for law in (a, b)], [1, 1], list[Any]()
    at = [[0] * len(some) for some in rest]
    budget.spend(4 * len(scales) * (len(a.line) + len(b.line)))
    budget.hold(2 * (len(a.line) + len(b.line)))
    for scale in reversed(scales):  # from the digit of largest scale on
        digits, rest = ([[job(place, scale) for place in some] for some in rest] for job in (floordiv, mod))
        lows = [min(some) for some in digits]
        step = math.gcd(*(digit - low for some, low in zip(digits, lows, strict=True) for digit in some)) or 1
        spans = [(max(some) - low) // step + 1 for some, low in zip(digits, lows, strict=True)]
        whole = sum(spans) - 1
        box.append((whole, sum(lows) * scale, step * scale))
        cells = [(end - 1) * whole + span for end, span in zip(cells, spans, strict=True)]
        at = [[old * whole + (digit - low) // step for old, digit in zip(some, new, strict=True)]
              for some, new, low in zip(at, digits, lows, strict=True)]
    size, terms = a.unit.bit_length() + b.unit.bit_length() + 64, len(a.line) * len(b.line)
    by_product = way_of(cells[0], cells[1], size)[0] + 8 * max(cells)
    if by_product <= (6 + budget.cost(1, size // 2, size // 2)) * terms + 500:
        budget.hold(sum(cells))
        dense = [[0] * count for count in cells]
        for law, places, weights in zip((a, b), at, dense, strict=True):
            for place, (_, weight) in zip(places, law.line, strict=True):
                weights[place] = weight
        line = []
        for i, weight in enumerate(product(dense[0], dense[1], budget)):
            if weight:
                place = 0
                for whole, low, by in reversed(box):
                    i, digit = divmod(i, whole)
                    place += low + digit * by
                line.append((place, weight))
        budget.spend(2 * len(box) * len(line))
    else:
        bits = [max(weight for _, weight in law.line).bit_length() for law in (a, b)]
        longest = max(abs(place) for law in (a, b) for place in (law.line[0][0], law.line[-1][0])).bit_length()
        budget.spend(terms, *bits)
        budget.spend(terms + terms * min(len(a.line), len(b.line)).bit_length() // 4 + terms * longest // 2_000)
        budget.hold(3 * terms, (sum(bits) + longest) // 3)
        line = gather((i + j, u * v) for j, v in b.line for i, u in a.line)
    if one in (a.unit, b.unit) or unit.bit_length() > EXACT * width:
        budget.spend(len(line), unit.bit_length(), width)
        line, unit = [(place, weight) for place, w in line if (weight := (w << width) // unit)], one
    budget.memory = room
    budget.hold(3 * len(line), unit.bit_length() // 3)
    return Law(line, unit)


def power(law: Law, n: int, width: int, budget: Budget, scales: Sequence[int] = (1,)) -> Law:
    """The law of a sum of n draws: by repeated squaring; of two outcomes, once numbers are long, a binomial window."""
    if n < 2:
        return law if n else ONE
    if len(law.line) == 2 and not law.missed and n * law.unit.bit_length() > EXACT * width:
        (first, _), (second, weight) = law.line
        found = window(noise({"law": "binomial", "n": n, "p": (weight, law.unit)}, width, budget), width, budget)
        return Law([(n * first + k * (second - first), part) for k, part in found.line], found.unit)
    half = power(law, n // 2, width, budget, scales)
    whole = convolve(half, half, width, budget, scales)
    return convolve(whole, law, width, budget, scales) if n % 2 else whole


def survey(
    laws: list[Law], wanted: list[Counts], width: int, budget: Budget, scales: Sequence[int]
) -> Iterator[tuple[Counts, Law]]:
    """For each of the counts the law of a sum of so many draws from each law; a half of them shares what it can."""
    stack = [(wanted, (0,) * len(laws), ONE, budget.memory)] if wanted else []
    while stack:
        some, have, law, budget.memory = stack.pop()
        budget.spend(len(some) * len(laws) + 1)
        least = tuple(map(min, zip(*some, strict=True)))
        for draw, few, more in zip(laws, have, least, strict=True):
            if more > few:
                law = convolve(law, power(draw, more - few, width, budget, scales), width, budget, scales)
        if len(some) == 1:
            yield some[0], law
        else:
            halves = some[len(some) // 2 :], some[: len(some) // 2]
            stack += [(part, least, law, budget.memory) for part in halves]


def aligned(laws: Sequence[Law], budget: Budget) -> Pair:
    """The weights of every place by each of the laws, what one of the first two misses at most, their common unit."""
    unit = math.lcm(*(law.unit for law in laws))
    size = sum(len(law.line) for law in laws)
    budget.spend(size * (2 + len(laws)), unit.bit_length(), unit.bit_length())
    budget.hold(2 * size, unit.bit_length())
    none, raised = [0] * len(laws), [unit // law.unit for law in laws]
    terms = sorted((place, *none[:i], weight * raised[i], *none[i + 1 :])
                   for i, law in enumerate(laws) for place, weight in law.line)
    atoms = [tuple(map(sum, islice(zip(*some, strict=True), 1, None)))
             for _, some in groupby(terms, key=itemgetter(0))]
    return atoms, max(law.missed * more for law, more in zip(laws[:2], raised, strict=False)), unit


Noise = tuple[int, Sequence[Iterator[tuple[int, ...]]], Ratio, int]


def noise(law: dict[str, Any], width: int, budget: Budget) -> Noise:
    """A log-concave law, or a decreasing one: its mode; Pr[k]/Pr[k - 1] from there up, and the inverse down, as a ratio
    or as Ends; the limit of these going up; their bits. Of the discrete Gaussian law it is g^(2k - 1), each from the
    one before, g = e^(-1/(2 variance))."""
    name, n, (r, s) = law["law"], law.get("n", 0), law.get("r", (0, 1))
    if name == "discrete Gaussian":
        a, b = law["variance"]
        if 20_000 * a < b:
            raise Stop("undecided", "a variance below 1/20000 is not looked at")
        low, high, scale = enclose((b, 2 * a, False), width, budget)
        one, least, most = 1 << width, (scale << width) // high, up(scale << width, low)

        def rates() -> Iterator[Ends]:
            below, above = least, most
            while True:
                yield below, above, one
                below, above = below * least * least >> 2 * width, -(-above * most * most >> 2 * width)

        return 0, (rates(), rates()), (0, 1), width
    a, b = next(law[key] for key in ("q", "lam", "p") if key in law)
    bits = sum(map(int.bit_length, (a, b, n, r, s)))
    rate: Callable[[int], Ratio]
    if name == "discrete Laplace":
        last = law.get("bound", MANY)
        mode, rate, limit = 0, lambda k: (a * (k <= last), b) if k > 0 else (b, a * (k > -last)), (a, b)
    elif name == "poisson":
        mode, rate, limit = a // b, lambda k: (a, k * b), (0, 1)
    elif name == "binomial":
        mode, rate, limit = min((n + 1) * a // b, n), lambda k: ((n - k + 1) * a, k * (b - a)), (0, 1)
    else:
        mode, rate, limit = max(a * (r - s) // (s * (b - a)), 0), lambda k: (a * (k * s + r - s), b * k * s), (a, b)
    return mode, (map(rate, upwards(mode + 1)), (rate(k)[::-1] for k in upwards(mode, -1))), limit, bits


def window(law: Noise, width: int, budget: Budget) -> Law:
    """A window of the law, over 2^width: weights relative to the mode's, until the lower is 0 or the law ends.

    Lemma. If w(k + 1) <= r w(k), r < 1, from some k on, the later weights sum to at most w(k) r / (1 - r): a geometric
    series. Here r is the larger of the next rate and the limit: away from the mode rates fall, or rise to the limit.
    A weight's lower end over the upper end of their sum, tails included, is at most its probability.
    """
    (mode, both, limit, bits), one, most = law, 1 << width, -1 << width
    sides, room = list[list[int]](), budget.memory
    for rates in both:
        low, high = [one], one
        while (here := next(rates))[0] and low[-1]:
            budget.spend(6, bits + width // 2, bits + width // 2)
            budget.hold(2, width)
            low.append(low[-1] * here[0] // here[-1])
            most, high = most + high, up(high * here[-2], here[-1])
        above, below = here[-2], here[-1]
        if above * limit[1] < limit[0] * below:
            above, below = limit
        if here[-2] and below <= above:
            return Law([], one)  # too few bits for a tail
        most += high + (up(high * above, below - above) if here[-2] else 0)
        sides.append(low)
    weights = [(weight << width) // most for weight in sides[1][:0:-1] + sides[0]]
    budget.memory = room
    budget.hold(3 * len(weights), width // 3)
    first = mode + 1 - len(sides[1])
    return Law([(first + i, weight) for i, weight in enumerate(weights) if weight], one)


def named(value: Any) -> str:
    """A text that only the same value has: a name in a dict, whose hash no file can choose."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{key}:{named(value[key])}" for key in sorted(value)) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(map(named, value)) + "]"
    return f"{value:x}" if isinstance(value, int) else str(value)


def flat(law: dict[str, Any], times: int, parts: Parts) -> int:
    """Adds so many draws to the parts of a sum. What is constant in them is returned."""
    if times == 0:
        return 0
    if law["law"] == "sum":
        return sum(flat(one, times, parts) for one in law["of"])
    if law["law"] == "finite" and len(law["p"][0]) == 1:
        return int(times * law["p"][0][0][0])
    key = ADD_UP.get(law["law"], "")
    name, size = named({some: law[some] for some in law if some != key}), law.get(key, 1)
    a, b = (size, 1) if isinstance(size, int) else size
    c, d = parts[name][1] if name in parts else (0, b)
    parts[name] = law, (c + times * a, b) if b == d else (c * b + times * a * d, b * d)
    return 0


def spread(parts: Parts, width: int, budget: Budget) -> Law:
    """The law of the sum of these parts, from below, exact where they are small."""
    whole, one = ONE, 1 << width
    for law, (times, over) in parts.values():
        name = law["law"]
        if name == "finite":
            found = Law(*law["p"])
        elif name == "binomial":
            a, b = law["p"]
            found = Law([(k, weight) for k, weight in ((0, b - a), (1, a)) if weight], b)
        elif name in ADD_UP:
            found, times = window(noise(law | {ADD_UP[name]: (times, over)}, width, budget), width, budget), 1
        elif name in ("mixture", "mod"):
            listed, whole_unit = law["of"] if name == "mixture" else ([(1, law["of"])], 1)
            terms = list[tuple[int, int]]()
            for part, inner in listed:
                some: Parts = {}
                at = flat(inner, 1, some)
                line, unit = spread(some, width, budget)
                unit *= whole_unit
                budget.spend(2 * len(line), width, unit.bit_length())
                terms += (((at + k) % law["by"] if name == "mod" else at + k, (w * part << width) // unit)
                          for k, w in line)
            found = Law(gather(terms), one)
        else:
            found = window(noise(law, width, budget), width, budget)
        whole = convolve(whole, power(found, times, width, budget), width, budget)
    return whole


def constant(law: dict[str, Any]) -> int | None:
    """The one value of the law, None if there are several."""
    parts: Parts = {}
    at = flat(law, 1, parts)
    return None if parts else at


def moved(parts: Parts, i: int, j: int, width: int, budget: Budget) -> Pair:
    """X + i against X + j, X the sum of the parts. Outcomes of equal ratio P/Q may be merged, for max(tP - e^eps tQ, 0)
    = t max(P - e^eps Q, 0).

    With d = i - j > 0, discrete Laplace: P/Q is q^d for k <= j, q^-d for k >= i, q^(d - 2(k - j)) between. Geometric,
    that is negative binomial with r = 1: 0 for k < i and p^-d for k >= i. These are exact.
    """
    if i < j:
        atoms, lost, unit = moved(parts, j, i, width, budget)
        return [(q, p) for p, q in atoms], lost, unit
    d, (law, (times, over)) = i - j, next(iter(parts.values()), (ZERO, (1, 1)))
    alone = len(parts) == 1 and times == over
    if d and alone and law["law"] == "discrete Laplace" and "bound" not in law:
        a, b = law["q"]
        budget.spend(6 * d, d * b.bit_length(), d * b.bit_length())
        budget.hold(2 * d, d * b.bit_length())
        exact = [(b**d, a**d), (a**d, b**d)]
        exact += (((b - a) * b ** (k - 1) * a ** (d - k), (b - a) * b ** (d - k - 1) * a**k) for k in range(1, d))
        return exact, 0, (a + b) * b ** (d - 1)
    if alone and law["law"] == "negative binomial":
        a, b = law["p"]
        budget.spend(6, d * b.bit_length(), d * b.bit_length())
        return [(b**d, a**d), (0, b**d - a**d)], 0, b**d
    line, unit = spread(parts, width, budget)
    return aligned([Law([(k + by, w) for k, w in line], unit) for by in (i, j)], budget)


# ---- trees ----


def tree_of(value: Any, budget: Budget, leaf: Any, known: Collection[str]) -> list[Any]:
    """A TREE in preorder: its cuts as tuples, and its leaves."""
    found, missing, cut = list[Any](), 1, [partial(LABEL, known=known), partial(integer, least=0)]
    need(isinstance(value, list), "a list")
    for i, item in enumerate(value):
        need(missing, "one whole tree, of cuts [LABEL, most] and leaves", f"[{i}]")
        is_cut = isinstance(item, list)
        found.append(tuple(read(cut, item, budget, f"[{i}]")) if is_cut else read(leaf, item, budget, f"[{i}]"))
        missing += 1 if is_cut else -1
    need(missing == 0, "a whole tree")
    return found


WORDS = ("each", "corner")  # leaves that are no block


def boxes_of(total: int, tree: list[Any], class_of: dict[str, int], kinds: int, budget: Budget) -> Iterator[Any]:
    """(low, high, leaf) of what the tree leaves: a box of compositions that is not empty, or one that is a box alone,
    for each of a leaf that says "each"."""
    stack = [((0,) * kinds, (total,) * kinds)]
    for node in tree:
        budget.spend(4 + 2 * kinds)
        budget.hold(4 + kinds // 3)
        low, high = stack.pop()
        if isinstance(node, tuple):
            k, at = class_of[node[0]], node[1]
            stack.append(((*low[:k], max(low[k], at + 1), *low[k + 1 :]), high))
            stack.append((low, (*high[:k], min(high[k], at), *high[k + 1 :])))
        elif sum(low) <= total <= sum(high) and all(map(le, low, high)):
            every = ((one, one) for one in compositions(total, low, high, budget))
            for box in every if node == "each" else [(low, high)]:
                budget.hold(4 + kinds // 3)
                yield *box, node


def compositions(total: int, low: Counts, high: Counts, budget: Budget) -> Iterator[Counts]:
    """All tuples between low and high with this sum, ascending: what lies between bars in a row of what is free."""
    free, kinds = total - sum(low), len(low)
    few = min(free, kinds - 1)
    budget.spend((MANY if few > 31 else min(math.comb(free + kinds - 1, few), MANY)) * (2 + kinds // 4))
    end = free + kinds - 1
    for bars in combinations(range(end if kinds > 1 else 0), kinds - 1):
        counts = tuple(least + b - a - 1 for least, a, b in zip(low, (-1, *bars), (*bars, end), strict=True))
        if all(map(le, counts, high)):
            yield counts


def corner(total: int, low: Counts, high: Counts) -> Counts:
    """How many others every composition of the box has at least."""
    whole = sum(high)
    return tuple(max(least, total - whole + most) for least, most in zip(low, high, strict=True))


# ---- rows ----


class Rows(NamedTuple):
    """A randomizer: the law of every input that users may have, over `unit`, none of columns; "" is null. `others` are
    h - 1 users, none outside the shuffled view. Of the others `bases` are the laws, and `known` what they always send.
    """

    laws: dict[str, Outcomes]
    unit: int
    others: int
    local: bool
    replaced: bool
    bases: list[Outcomes]
    known: dict[str, dict[str, int]]

    @property
    def held(self) -> list[str]:
        """The inputs that the others may have."""
        return [name for name in self.laws if name]

    def changes(self) -> list[tuple[str, str]]:
        """All ordered pairs of inputs, or of an input and null, between which the user who changes may move."""
        return [pair for pair in permutations(self.laws, 2) if self.replaced or "" in pair]


def outcome(sent: Iterable[str], local: bool) -> Outcome:
    """What is seen of these messages: a list of them, or their counts."""
    return tuple(sorted(Counter([tuple(sent)] if local else sent).items()))


def rows_of(seen: dict[str, Any], neighbours: Any, budget: Budget) -> Rows:
    """The laws of users who take part with some probability, and of null: who is absent, or the reference."""
    replaced, local, rows = neighbours == "replace", seen.get("view") == "local", seen["each"].get("rows", [])
    others = seen["honest"] - 1 if seen.get("view", "shuffled") == "shuffled" else 0
    if seen["kind"] != "rows":
        inputs = [*seen["each"]["columns"], *([] if replaced else [""])]
        return Rows(dict.fromkeys(inputs, Outcomes()), 1, others, local, replaced, [], {})
    need(rows, "a row", "claim.runs.seen.each.rows")
    sent = [output for row in rows for output in row["outputs"]]
    (a, b), (parts, whole) = seen.get("take part", (1, 1)), ([], 1)
    if not isinstance(neighbours, str):
        parts, whole = neighbours["deletion"]
    unit, more = common([output["p"] for output in sent], budget), b * whole
    budget.spend(sum(4 + len(output["send"]) for output in sent), unit.bit_length(), more.bit_length())
    budget.hold(sum(8 + 4 * len(output["send"]) for output in sent), more.bit_length())
    laws, nothing = dict[str, Outcomes](), outcome([], local)
    for row in rows:
        law, name = Counter({nothing: (b - a) * unit * whole} if a < b else {}), row["input"]
        where = f"{seen.get('where', 'claim.runs.seen.each')}.rows, {show(name)}"
        for output in row["outputs"]:
            p, q = output["p"]
            law[outcome(output["send"], local)] += p * (unit // q) * a * whole
        need(name not in laws, "inputs that differ", where)
        need(len({tuple(output["send"]) for output in row["outputs"]}) == len(row["outputs"]), "outputs that differ",
             where)
        need(law.total() == unit * more, "weights that sum to exactly 1", where)
        laws[name] = dict(law)
    need(all(name in laws for name, _ in parts), "inputs of the rows", "claim.neighbours.deletion")
    if not replaced:
        gone = Counter({} if parts else {nothing: unit * more})
        for name, part in parts:
            gone.update({what: weight // whole * part for what, weight in laws[name].items()})
        laws[""] = dict(gone)
    return Rows(laws, unit * more, others, local, replaced, [], {})


def classes(rows: Rows) -> tuple[dict[str, int], list[Outcomes]]:
    """Input -> class, in the order in which they are met, and the classes' laws: f_y is a monomial times f_x just if
    they agree, cleared of monomials."""
    number, class_of, kinds = dict[Any, int](), dict[str, int](), list[Outcomes]()
    for name in rows.held:
        law = rows.laws[name]
        cleared = without(law, reduce(and_, (Counter(dict(seen)) for seen in law)))
        class_of[name] = number.setdefault(tuple(sorted(cleared.items())), len(number))
        if class_of[name] == len(kinds):
            kinds.append(cleared)
    return class_of, kinds


def without(law: Outcomes, known: dict[str, int]) -> Outcomes:
    """The law of what is sent besides the messages that are known."""
    return {tuple((m, left) for m, count in seen if (left := count - known.get(m, 0))): law[seen] for seen in law}


def end_of(value: Any, budget: Budget, rows: Rows) -> str:
    """An END: "" is null."""
    return "" if value is None and "" in rows.laws else str(LABEL(value, budget, known=rows.held))


def entries_of(value: Any, budget: Budget, rows: Rows, every: list[Any], tree: Any, most: int = 0) -> list[Any]:
    """ENTRYs, one for each of the pairs; `most` renamings are listed."""
    need(isinstance(value, list), "a list")
    end, renaming = partial(end_of, rows=rows), partial(integer, least=0, most=most - 1)
    link = {"from": end, "to": end, "same as": partial(integer, least=0), "by": renaming}
    form = {"from": end, "to": end, "tree": tree, "up to?": [renaming]}
    found = [read(link if isinstance(item, dict) and "same as" in item else form, item, budget, f"[{i}]")
             for i, item in enumerate(value)]
    pairs = [(entry["from"], entry["to"]) for entry in found]
    need(len(pairs) == len(set(pairs)) and set(pairs) == set(every), "every ordered pair of neighbours, once")
    return found


def permutation(value: Any, budget: Budget, known: Collection[str]) -> dict[str, str]:
    """An object that permutes its keys."""
    some = partial(LABEL, known=known)
    found: dict[str, str] = read({some: some}, value, budget)
    need(set(found) == set(found.values()), "a permutation of its keys")
    return found


def check_renamings(rows: Rows, renamings: list[Any], budget: Budget) -> None:
    """Rejected, unless every listed renaming is one."""
    size = sum(2 + len(seen[0][0] if rows.local and seen else seen) for law in rows.laws.values() for seen in law)
    for i, renaming in enumerate(renamings):
        s, t = renaming["inputs"], renaming["messages"]
        budget.spend(2 * size, rows.unit.bit_length(), 64)
        for name, law in rows.laws.items():
            moved_law: Outcomes = {}
            for seen, weight in law.items():
                sent = [(tuple(t.get(x, x) for x in m) if rows.local else t.get(m, m), k) for m, k in seen]
                moved_law[tuple(sorted(sent))] = weight
            if moved_law != rows.laws[s.get(name, name)]:
                raise Stop("rejected", f"because.renamings[{i}] is not a renaming: see input {show(name)}")


class Job(NamedTuple):
    """A pair of laws to look at: the others of each base law, the inputs from and to of the user who changes ("" is
    null); of blocks with a grid also whose place he has, how many there are, and the grid."""

    counts: Counts
    source: str
    target: str
    place: str = ""
    draws: int = 1
    grid: Any = None


def rows_proof(seen: dict[str, Any], neighbours: Any, given: Any, budget: Budget) -> tuple[Rows, list[Job], list[Job]]:
    """Reads a PROOF of rows, checks renamings, and lists what is to be looked at: jobs, and those of many blocks."""
    rows = rows_of(seen, neighbours, budget)
    messages = {m for row in seen["each"]["rows"] for output in row["outputs"] for m in output["send"]}
    held_label, message = partial(LABEL, known=rows.held), partial(LABEL, known=messages)
    renaming = {"inputs": partial(permutation, known=rows.held), "messages": partial(permutation, known=messages)}
    form = {"renamings?": [renaming], "pairs": None, "known?": {held_label: {message: integer}}}
    proof = read(form, given, budget, "because")
    renamings, known = (proof.get(key, {}) for key in ("renamings", "known"))
    check_renamings(rows, renamings, budget)
    for name, sent in known.items():
        good = all(dict(have).get(m, 0) >= least for m, least in sent.items() for have in rows.laws.get(name, []))
        need(good, "what is always sent", f"because.known.{show(name)}")
    block = {"users": {held_label: integer}, "open": partial(integer, least=0), "grid?": GRID | {"above?": SIZE},
             "place": lambda value, some: "" if value is None else held_label(value, some)}

    def leaf(item: Any, some: Budget) -> Any:
        found = read(WORDS if isinstance(item, str) else block, item, some)
        if not isinstance(item, str):
            need(seen["view"] == "shuffled", "a block in the shuffled view only")
            need(found["place"] in found["users"] if found["place"] else found["open"], "who is in the block", ".place")
        return found

    budget.spend(len(rows.laws) ** 2)
    tree = partial(tree_of, leaf=leaf, known=rows.held)
    reading = partial(entries_of, rows=rows, every=rows.changes(), tree=tree, most=len(renamings))
    entries = read(reading, proof["pairs"], budget, "because.pairs")
    class_of, kinds = classes(rows)
    jobs, blocks = set[Job](), list[Job]()
    for i, one in enumerate(entries):
        pair, where = (one["from"], one["to"]), f"because.pairs[{i}]"
        if "same as" in one:
            need(one["same as"] < i, "an entry before it", where)
            s, base = renamings[one["by"]]["inputs"], entries[one["same as"]]
            moved_pair = tuple(s.get(base[key], base[key]) for key in ("from", "to"))
            need("tree" in base and moved_pair == pair, "a pair that the renaming moves to it", where)
            continue
        back = list[list[int]]()  # of each the classes in the order in which it puts them
        for s in (renamings[k]["inputs"] for k in one.get("up to", [])):
            need(all(s.get(x, x) == x for x in pair), "renamings that leave from and to", f"{where}.up to")
            to = {k: class_of[s.get(x, x)] for x, k in class_of.items()}
            back.append(sorted(to, key=to.__getitem__))
        for low, high, what in boxes_of(rows.others, one["tree"], class_of, len(kinds), budget):
            if what in WORDS:
                least = corner(rows.others, low, high)
                if what != "each" or not any(tuple(map(least.__getitem__, order)) < least for order in back):
                    jobs.add(Job((*least, 0), *pair))
                continue
            draws, users = blocks_in(corner(rows.others, low, high), what, class_of, rows.others + 1)
            if draws < 1:
                raise Stop("rejected", f"{where}: no block in the box from {show(low)} to {show(high)}")
            budget.hold(8 + len(users))
            if draws > 1 and "grid" in what:
                blocks.append(Job(users, *pair, what["place"], draws, what["grid"]))
            else:
                jobs.add(Job(users, *pair))
    open_laws = [without(rows.laws[name], known.get(name, {})) for name in rows.held]
    budget.spend(len(open_laws) * len(open_laws[0]))
    alike = {some: low for some in open_laws[0] if (low := min(law.get(some, 0) for law in open_laws))}
    opened = {((DRAWN, 1), *some): low for some, low in alike.items()} | {(): rows.unit - sum(alike.values())}
    rows = rows._replace(bases=[*kinds, opened], known=known)
    return rows, sorted(jobs), sorted(blocks, key=lambda job: job.counts)


def blocks_in(least: Counts, block: Any, class_of: dict[str, int], users: int) -> tuple[int, Counts]:
    """How many blocks there are for sure among the users, the one who changes in one of them; who is with him there,
    by base law."""
    wanted, there, place = Counter[int](), list(least), block["place"]
    for name, count in block["users"].items():
        wanted[class_of[name]] += count
    draws = [users // (block["open"] + wanted.total())]
    if place:
        there[class_of[place]] += 1
    draws += (there[kind] // count for kind, count in wanted.items())
    if place:
        wanted[class_of[place]] -= 1
    return min(draws), (*(wanted[kind] for kind in range(len(least))), block["open"] - (not place))


def digits(chosen: Sequence[str], outcomes: list[Outcome], users: int, budget: Budget) -> Places:
    """Places by counts of these messages, as digits with room for all users."""
    scales, size, largest = dict[str, int](), 1, dict[str, int]()
    budget.spend(len(outcomes) + sum(map(len, outcomes)))
    for m, count in (item for seen in outcomes for item in seen):
        largest[m] = max(count, largest.get(m, 0))
    for m in chosen:
        budget.spend(1, size.bit_length(), 64)
        budget.hold(1, size.bit_length())
        scales[m], size = size, size * (1 + users * largest[m])
    budget.spend(sum(map(len, outcomes)), size.bit_length(), 64)
    return (lambda seen: sum(count * scales[m] for m, count in seen if m in scales),
            list(scales.values()) if 0 < len(chosen) <= DIGITS else (1,))


def layout(groups: list[list[Outcomes]], users: int, budget: Budget) -> Places:
    """Places that tell sums of one outcome of each draw apart: by counts of a few messages, or
    of all, where many are needed.

    Lemma. Let some vectors span the differences of outcomes of one group (of what one user may send), of all groups
    together, each with a message of its own (its pivot) that those after it do not have. A sum of differences whose
    counts of the pivots are 0 is 0: of its vectors the first is 0 times there, for nobody else has its pivot, so the
    second is, and so on. So sums of outcomes, one of each draw, are told apart by their counts of the pivots.
    """
    if users == 1:
        number = dict[Outcome, int]()
        return lambda seen: number.setdefault(seen, len(number)), (1,)
    basis = list[tuple[str, dict[str, int]]]()
    for group in groups:
        origin = dict(next(iter(group[0])))
        for end in (dict(seen) for law in group for seen in law):
            if len(basis) > DIGITS:
                break
            left = {m: end.get(m, 0) - origin.get(m, 0) for m in {*end, *origin}}
            budget.spend(4 + 2 * len(left) + len(basis))
            for pivot, vector in basis:
                if by := left.get(pivot, 0):
                    budget.spend(2 * len(left) + 2 * len(vector), 64 * len(basis), 64 * len(basis) ** 2)
                    left = {m: new for m in {*left, *vector}
                            if (new := left.get(m, 0) * vector[pivot] - vector.get(m, 0) * by)}
            if any(left.values()):
                part = math.gcd(*left.values())
                pivot = min(m for m, count in left.items() if count)
                basis.append((pivot, {m: count // part for m, count in left.items()}))
    outcomes = [seen for group in groups for law in group for seen in law]
    chosen = [m for m, _ in basis] if len(basis) <= DIGITS else sorted({m for seen in outcomes for m, _ in seen})
    return digits(chosen, outcomes, users, budget)


def rows_road(rows: Rows, jobs: list[Job], budget: Budget, event: Event | None = None) -> Road:
    """By products of what is sent, from below, exact while numbers are short; with an event what it has of either."""
    used = [any(job.counts[k] for job in jobs) for k in range(len(rows.bases))]
    bases = [base for base, use in zip(rows.bases, used, strict=True) if use]
    own, users = dict[Any, Outcomes](rows.laws), 1 + max((sum(job.counts) for job in jobs), default=0)
    if any(job.grid and not job.place for job in jobs):  # who changes counts as drawn; on both sides that is the same
        for name, law in rows.laws.items():
            sure = Counter(rows.known.get(name, {}))
            own[name] = {((DRAWN, 1), *seen): weight for seen, weight in law.items()}
            own["open", name] = {tuple(sorted((Counter(dict(seen)) + sure).items())): weight
                                 for seen, weight in rows.bases[-1].items()}
    groups = [[*own.values()], *([base] for base in bases)]
    (place, scales), inside, above = event or (layout(groups, users, budget), None, None)

    def placed(law: Outcomes) -> Law:
        return Law(gather((place(seen), weight) for seen, weight in law.items()), rows.unit)

    at, others = {name: placed(law) for name, law in own.items()}, [placed(base) for base in bases]
    if above is not None:
        top = max(at[end].line[-1][0] for end in (jobs[0].source, jobs[0].target))
        counts = [n for n, use in zip(jobs[0].counts, used, strict=True) if use]
        if above + 1 == top + sum(n * law.line[-1][0] for n, law in zip(counts, others, strict=True)):
            others = [Law([(law.line[-1][0], 1)], 1) for law in others]

    def road(cases: Iterable[Job], bits: int) -> Iterator[tuple[Job, list[Pair]]]:
        width, grouped = bits + SPARE // 4 + 2 * users.bit_length(), dict[Counts, list[Job]]()
        for job in cases:
            budget.hold(4 + len(bases) // 6)
            grouped.setdefault(tuple(n for n, use in zip(job.counts, used, strict=True) if use), []).append(job)
        for counts, shared in survey(others, list(grouped), width, budget, scales):
            room, views = budget.memory, dict[Any, Law]()
            for job in grouped[counts]:
                sides: list[Any] = [job.source, job.target]
                sides += [job.place or ("open", job.source)] if job.grid else []
                for name in sides:
                    if name not in views:
                        views[name] = convolve(shared, at[name], width, budget, scales)
                kept, seen = budget.memory, [views[name] for name in sides]
                if inside:
                    p, q = (sum(weight for at, weight in law.line if inside(at)) for law in seen)
                    a, b = (law.unit for law in seen)
                    yield job, [([(p * b, q * a)], max(seen[0].missed * b, seen[1].missed * a), a * b)]
                else:
                    yield job, [aligned(seen, budget)]
                budget.memory = kept
            budget.memory = room

    return road


# ---- powers of pairs on a lattice ----


class Curve(NamedTuple):
    """Weights of P and Q over 2^width at places first + i, of a step that was squared `level` times.

    The ratio at place j is g^j, g the step. From above they are at least, and at most, those of a pair that has these
    ratios and bounds the given one, and `beyond` of P is at infinity; from below they are at most, and at least, those
    of a statistic.
    """

    level: int
    first: int
    p: list[int]
    q: list[int]
    beyond: int
    runs: int = 1


class Lattice:
    """Puts pairs on a lattice of ratios, of step a/b > 1, multiplies and evaluates them there: from above or below.

    s (s x // y) is x/y, rounded down for s = 1, and up for s = -1: `signs` has that of P, and of Q.
    """

    def __init__(self, step: Ratio, cells: int, upper: bool, width: int, room: int, budget: Budget):
        self.step, self.cells, self.upper, self.width = step, cells, upper, width
        self.room, self.budget = room, budget  # what each run may move to infinity, over 2^width
        self.signs = (-1, 1) if upper else (1, -1)
        self.lows, self.highs = [1 << SHARP], [1 << SHARP]  # powers of the step, over 2^SHARP
        self.grown = [((step[0] << SHARP) // step[1], up(step[0] << SHARP, step[1]))]  # step^(2^level)

    def place(self, p: int, q: int) -> int:
        """The least j with p/q <= step^(j + 1) for sure, at most `cells` and from -cells on."""
        a, b = self.step
        while len(self.lows) <= self.cells and self.lows[-1] * min(p, q) <= max(p, q) << SHARP:
            self.budget.spend(2, self.lows[-1].bit_length(), a.bit_length())
            self.budget.hold(2, self.lows[-1].bit_length())
            self.lows.append(self.lows[-1] * a // b)
            self.highs.append(up(self.highs[-1] * a, b))
        if p > q:
            return bisect_left(self.lows, up(p << SHARP, q)) - 1
        return -min(bisect_left(self.highs, ((q << SHARP) // p) + 1), self.cells)

    def start(self, pair: Pair) -> Curve:
        """A pair's atoms, each at the places between which its ratio lies, with ratios x = g^j and gx.

        Q is split so that, with these ratios, the total of P stays. From above the two places have P by their ratios,
        and what is missing is at infinity; from below P is split as Q is.
        """
        (atoms, lost, unit), (a, b), (s, t), one = pair, self.step, self.signs, 1 << SHARP
        self.budget.spend(40 * len(atoms), 2 * SHARP, unit.bit_length() + self.width)
        beyond, found = up(lost << self.width, unit) if self.upper else 0, dict[int, list[int]]()
        for p, q in atoms:
            j = self.place(p, q) if p and q else self.cells
            if j >= self.cells and (self.upper or not q):
                beyond += s * ((s * p << self.width) // unit)
            if p == 0 or j >= self.cells:  # from below this is left out
                continue
            low, high = self.lows[abs(j)], self.highs[abs(j)]
            if j < 0:
                low, high = one * one // high, up(one * one, low)
            share = min(max(up(((p << SHARP) - low * q) * b * one, max(low * q * (a - b), 1)), 0), one)
            for at, part, ratio in ((j, one - share, high), (j + 1, share, up(high * a, b))):
                mine, bits = (q * ratio * part, 2 * SHARP) if self.upper else (p * part, SHARP)
                weights = found.setdefault(at, [0, 0])
                weights[0] += s * ((s * mine << self.width) // (unit << bits))
                weights[1] += t * ((t * q * part << self.width) // (unit << SHARP))
        first, last = min(found, default=0), max(found, default=0)
        if last - first > 2 * self.cells + 4:
            raise Stop("undecided", "because: too few cells for one run")
        self.budget.hold(4 * (last - first + 1), self.width)
        p, q = ([found.get(j, (0, 0))[side] for j in range(first, last + 1)] for side in (0, 1))
        return self.within(Curve(0, first, p, q, beyond))

    def within(self, x: Curve) -> Curve:
        """Without small ends, and with at most so many cells."""
        while len((x := self.trimmed(x)).p) > self.cells:
            x = self.doubled(x)
        return x

    def doubled(self, x: Curve) -> Curve:
        """On every other place: odd ones are split, from above P by 1 : g and Q by g : 1, else in halves."""
        (low, high), one, sides = self.grown[x.level], 1 << SHARP, list[list[int]]()
        if high.bit_length() > 64 * SHARP:
            raise Stop("undecided", "because: too few cells")
        if x.level + 1 == len(self.grown):
            self.grown.append((low * low >> SHARP, -(-high * high >> SHARP)))
        low, high = (low, high) if self.upper else (one, one)
        parts = ((one, low), (high, high)), ((low, low), (one, high))
        for s, weights, some in zip(self.signs, (x.p, x.q), parts, strict=True):
            below, above = (s * ((s * part << SHARP) // (one + g)) for part, g in some)
            weights = [0] * (x.first % 2) + weights
            weights += [0] * (len(weights) % 2)
            even = [*weights[::2], 0]
            for i, weight in enumerate(weights[1::2]):
                even[i] += s * (s * weight * below >> SHARP)
                even[i + 1] += s * (s * weight * above >> SHARP)
            sides.append(even)
        return Curve(x.level + 1, x.first // 2, sides[0], sides[1], x.beyond, x.runs)

    def trimmed(self, x: Curve) -> Curve:
        """Without what is small at the ends: from above it is beyond."""
        room, first, last, small = self.room * x.runs, 0, len(x.p), 0
        while last > 1 and small + x.p[last - 1] <= room:
            small, last = small + x.p[last - 1], last - 1
        while first < last - 1 and small + x.p[first] <= 2 * room:
            small, first = small + x.p[first], first + 1
        p, q = x.p[first:last], x.q[first:last]
        return x._replace(first=x.first + first, p=p, q=q, beyond=x.beyond + small * self.upper)

    def joined(self, x: Curve, y: Curve) -> Curve:
        """The product of two pairs."""
        one, sides, room = 1 << self.width, list[list[int]](), self.budget.memory
        while x.level != y.level:
            x, y = (self.doubled(x), y) if x.level < y.level else (x, self.doubled(y))
        for s, a, b in zip(self.signs, (x.p, x.q), (y.p, y.q), strict=True):
            seen = any(a) and any(b)
            whole = product(a, b, self.budget) if seen else [0] * (len(a) + len(b) - 1)
            sides.append([s * (s * weight >> self.width) for weight in whole])
        self.budget.memory = room
        self.budget.hold(4 * len(sides[0]), self.width)
        mine, other, t = min(x.beyond, one), min(y.beyond, one), self.signs[1]
        beyond = mine + other - t * (t * mine * other >> self.width)
        return self.within(Curve(x.level, x.first + y.first, sides[0], sides[1], beyond, x.runs + y.runs))

    def repeated(self, x: Curve, n: int) -> Curve:
        """The product of n pairs, by doubling."""
        found = x
        for bit in f"{n:b}"[1:]:
            found = self.joined(found, found)
            found = self.joined(found, x) if bit == "1" else found
        return found

    def delta(self, x: Curve, eps: Eps) -> int:
        """delta(eps) from above, or from below, over 2^width."""
        (low, high, scale), t = enclose(eps, SHARP, self.budget), self.signs[1]
        rate = low if self.upper else high
        return x.beyond + sum(max(p - t * (t * rate * q // scale), 0) for p, q in zip(x.p, x.q, strict=True))


# ---- many blocks, by values on a grid ----


def bits_of(grid: Any, draws: int, delta: Ratio, budget: Budget) -> int:
    """The bits that a grid needs: a rounding adds at most 2^-bits to each place, at each product."""
    size: int = grid["cells"] ** 2 * draws * grid["step"][0] // grid["step"][1]
    if (bits := ROOM + small(delta) + size.bit_length()) > budget.bits:
        raise Stop("undecided", f"too few bits: {bits} bits are needed, allow more with --max-bits")
    return bits


def grid_bound(shape: list[Any], unit: int, n: int, grid: Any, delta: Ratio, ends: Ends, budget: Budget) -> Ratio:
    """CERTIFICATE.md's upper end of delta(eps), from (P, Q, S) of all outcomes, for n draws from S.

    e^eps is rounded down. Where L is `above` steps or more (or `cells`, where the grid does not say), an outcome counts
    as if S were 0; where it is below -cells it is raised. What the law of the sum misses has its largest value.
    """
    (low, _, scale), (step, part), cells, width = ends, grid["step"], grid["cells"], bits_of(grid, n, delta, budget)
    budget.spend(8 * len(shape), unit.bit_length() + scale.bit_length(), low.bit_length() + step.bit_length() + width)
    alone, left, terms = 0, unit, list[tuple[int, int]]()
    for p, q, least in shape:
        excess, below = scale * p - low * q, scale * least * step
        place, rest = divmod(excess * part, below) if least else (0, 0)
        if not least or place >= grid.get("above", cells):
            alone += max(excess, 0)
            continue
        left -= least
        place, rest = (place, rest) if place >= -cells else (-cells, 0)
        some = ((place, below - rest), (place + 1, rest))
        terms += ((at, (least * weight << width) // (below * unit)) for at, weight in some if weight)
    largest = max((place for place, _ in terms), default=0)  # also of those whose weight is rounded down to 0
    if largest <= 0:
        return alone, scale * unit
    line = gather((at, weight) for at, weight in (*terms, (0, (left << width) // unit)) if weight)
    found = power(Law(line, 1 << width), n, width, budget)
    mean = found.missed * n * largest + sum(place * weight for place, weight in found.line if place > 0)
    whole = n * part << width
    return alone * whole + scale * unit * step * mean, scale * unit * whole


# ---- any private randomizer ----


def check_private(seen: dict[str, Any], given: Any, eps: Eps, delta: Ratio, budget: Budget) -> None:
    """CERTIFICATE.md's bound for all private randomizers: E is rounded up, and down in what delta0 adds."""
    grid, (local, (share, whole)) = read({"grid": GRID}, given, budget, "because")["grid"], seen["each"]["private"]
    users = seen["honest"]
    bits = bits_of(grid, users, delta, budget)
    (low, high, scale), (least, most, part) = (enclose(some, bits, budget) for some in (eps, local))
    (p, q, log), (r, s, power_of) = eps, local
    above, below = share, whole  # all that is left where e^eps >= E
    if p * s < r * q if log == power_of else low * part < most * scale:
        shape, unit = [(most, part, part), (part, most, part)], most + part
        above, below = grid_bound(shape, unit, users, grid, delta, (low, high, scale), budget)
        more = least * scale + 3 * (scale + high) * (users - 1) * part, least * scale
        above, below = above * whole * more[1] + below * share * more[0], below * whole * more[1]
    if not at_most((above, below), delta):
        raise Stop("undecided", "because.grid: the bound for all randomizers, with these hints, is above delta")


# ---- independent columns, and numbers ----


class Factor(NamedTuple):
    """A column of a pair (P, Q): a sum of `shared` laws, each so many times, and of one law of `ends`, P's or Q's.
    Its value is seen whole, or modulo `mod`, or only where it is at least `least` (0: neither)."""

    shared: tuple[tuple[dict[str, Any], int], ...]
    ends: tuple[dict[str, Any], dict[str, Any]]
    mod: int = 0
    least: int = 0


def columns_cases(seen: dict[str, Any], neighbours: Any, given: Any, budget: Budget) -> list[tuple[Any, list[Factor]]]:
    """Reads a PROOF of columns or numbers, and lists the pairs that are to be looked at, each a product of factors."""
    found = list[tuple[Any, list[Factor]]]()
    if seen["kind"] == "up to":
        read({}, given, budget, "because")
        null, plus, most = 0 if neighbours == "replace" else None, seen["each"].get("plus", ZERO), seen["each"]["up to"]
        parts: Parts = {}
        for law, times in (*number_factor(seen, (0, 0)).shared, (plus, 1)):
            flat(law, times, parts)
        falls = any(law["law"] == "negative binomial" and r < s for law, (r, s) in parts.values())
        concave = all(law["law"] not in ("finite", "mixture", "mod") for law, _ in parts.values()) and not falls
        largest = (concave or (falls and len(parts) == 1)) and "shown" not in seen  # CERTIFICATE.md's largest shift
        least = most if largest and (null == 0 or constant(plus) == 0) else int(null == 0)
        for ends in (pair for shift in range(least, most + 1) for pair in ((shift, null), (null, shift))):
            budget.spend(1_000)
            budget.hold(16)
            found.append((ends, [number_factor(seen, ends)]))
        return found
    rows = rows_of(seen, neighbours, budget)
    every = rows.changes() if seen["kind"] == "columns" else [("a", "b")] if rows.replaced else [("a", ""), ("", "a")]
    tree = partial(tree_of, leaf=partial(read, WORDS), known=rows.held)
    reading = partial(entries_of, rows=rows, every=every, tree=tree)
    inputs = {name: i for i, name in enumerate(rows.held)}
    for one in read({"pairs": reading}, given, budget, "because")["pairs"]:
        pair = one["from"], one["to"]
        for low, high, _ in boxes_of(rows.others, one["tree"], inputs, len(inputs), budget):
            budget.hold(16 + len(inputs))
            found.append(((pair, low, high), factors_of(seen, pair, low, high, budget)))
    return found


def factors_of(
    seen: dict[str, Any], pair: tuple[str, str], low: Counts, high: Counts, budget: Budget
) -> list[Factor]:
    """The columns in which two inputs differ, with those of the others who are there for sure."""
    rows, total, factors = seen["each"]["columns"], seen["honest"] - 1, []
    none = [ZERO] * len(next(iter(rows.values())))
    for j, ends in enumerate(zip(*(rows.get(end, none) for end in pair), strict=True)):
        if ends[0] == ends[1]:
            continue
        groups = dict[str, tuple[dict[str, Any], list[int]]]()
        budget.spend(20 * len(rows))
        for k, laws in enumerate(rows.values()):
            groups.setdefault(named(laws[j]), (laws[j], []))[1].append(k)
        shared, fixed = [], True
        for law, members in groups.values():
            least = max(sum(low[k] for k in members), total - sum(high) + sum(high[k] for k in members))
            most = min(sum(high[k] for k in members), total - sum(low) + sum(low[k] for k in members))
            shared.append((law, least))
            fixed = fixed and least == most
        shared += [(seen["added"], 1)] if "added" in seen else []
        least = seen.get("shown", {}).get("from", 0) if fixed else 0  # to see all of a sum is to see more
        factors.append(Factor(tuple(shared), ends, 0, least))
    return factors


def number_factor(seen: dict[str, Any], pair: tuple[int | None, int | None]) -> Factor:
    """Numbers as a column: every user adds his number, and what he brings."""
    plus = seen["each"].get("plus", ZERO)
    own = [ZERO if k is None else {"law": "sum", "of": [{"law": "finite", "p": ([(k, 1)], 1)}, plus]} for k in pair]
    shared = ((seen.get("added", ZERO), 1), (plus, seen["honest"] - 1))
    return Factor(shared, (own[0], own[1]), seen.get("shown", {}).get("mod", 0))


def factor_pair(factor: Factor, width: int, budget: Budget) -> Pair:
    """The pair of laws of a column."""
    shared: Parts = {}
    at = sum(flat(law, count, shared) for law, count in factor.shared)
    own: list[Parts] = [{}, {}]
    by = [at + flat(law, 1, parts) for law, parts in zip(factor.ends, own, strict=True)]
    if own[0] == own[1] and not (factor.mod or factor.least):
        flat(factor.ends[0], 1, shared)
        return moved(shared, by[0], by[1], width, budget)
    base, sides = spread(shared, width, budget), []
    for at, parts in zip(by, own, strict=True):
        line, unit = convolve(base, spread(parts, width, budget), width, budget)
        line = [(place + at, weight) for place, weight in line]
        if factor.mod or factor.least:
            line = gather((place % factor.mod if factor.mod else max(place, factor.least - 1), weight)
                          for place, weight in line)
        sides.append(Law(line, unit))
    return aligned(sides, budget)


def columns_road(budget: Budget) -> Road:
    """By the laws of columns, of which some are kept."""
    def road(cases: Iterable[Any], bits: int) -> Iterator[tuple[Any, list[Pair]]]:
        kept, room = dict[str, Pair](), budget.memory
        for case in cases:
            if len(kept) > 256:
                budget.memory, kept = room, {}
            for factor in case[1]:
                if (name := named(factor)) not in kept:
                    before = budget.memory
                    kept[name] = factor_pair(factor, bits + 2 * SPARE, budget)
                    budget.memory = before
                    budget.hold(3 * len(kept[name][0]), 2 * bits)
            yield case, [kept[named(factor)] for factor in case[1]] or [([(1, 1)], 0, 1)]
        budget.memory = room

    return road


# ---- proofs ----


def cases_of(seen: dict[str, Any], neighbours: Any, given: Any, budget: Budget) -> tuple[Any, Road, list[Job], Road]:
    """What a PROOF leaves to be looked at: pairs and a road to them, many blocks and a road to these."""
    if seen["kind"] == "rows":
        rows, jobs, blocks = rows_proof(seen, neighbours, given, budget)
        return jobs, rows_road(rows, jobs, budget), blocks, rows_road(rows, blocks, budget)
    return columns_cases(seen, neighbours, given, budget), columns_road(budget), [], columns_road(budget)


def check_proof(seen: dict[str, Any], neighbours: Any, given: Any, asked: list[Asked], budget: Budget) -> str:
    """A PROOF of one run: of pairs, and of blocks with a grid by the bound of CERTIFICATE.md's lemma of blocks."""
    if seen["kind"] == "private":
        for eps, delta in asked:
            check_private(seen, given, eps, delta, budget)
        return "by the bound for all private randomizers"
    cases, road, blocks, to_blocks = cases_of(seen, neighbours, given, budget)
    if (failed := failing(road, cases, asked, True, budget)) is not None:
        raise Stop("rejected", f"because: delta(eps) is above delta for {show(failed[:-1])}")
    bits, done = max((bits_of(job.grid, job.draws, d, budget) for job in blocks for _, d in asked), default=1), set()
    for job, [(shape, lost, unit)] in to_blocks(blocks, bits):
        name = sha256(named((sorted(shape), lost, unit, job.draws, job.grid)).encode()).digest()
        if name in done:  # the bound depends on no more
            continue
        done.add(name)
        for eps, delta in asked:
            above, below = grid_bound(shape, unit, job.draws, job.grid, delta, enclose(eps, bits, budget), budget)
            if not at_most((above * unit + lost * below, below * unit), delta):
                raise Stop("undecided", f"because: the bound of {show(job[1:3])}, with these hints, is above delta")
    return f"{len(cases) + len(blocks)} pairs of laws bound all"


# ---- refutations ----


def one_pair(seen: dict[str, Any], neighbours: Any, given: Any, where: str, delta: Ratio, budget: Budget) -> Any:
    """The case that a PAIR names, with an event or without, and a road to it."""
    kind, replaced = seen["kind"], neighbours == "replace"
    found = read({"pair": None} | ({"event?": None} if kind == "rows" else {}), given, budget, where)
    if kind == "up to":
        one = partial(signed, least=0, most=seen["each"]["up to"])
        form: Any = {end: lambda value, some: None if value is None else one(value, some) for end in ("from", "to")}
        source, target = read(form, found["pair"], budget, f"{where}.pair").values()
        need(source != target and replaced == (None not in (source, target)), "neighbours", f"{where}.pair")
        return ((source, target), [number_factor(seen, (source, target))]), columns_road(budget)
    rows = rows_of(seen, neighbours, budget)
    end, shuffled = partial(end_of, rows=rows), seen.get("view", "shuffled") == "shuffled"
    form = {"from": end, "to": end, **({"others": {partial(LABEL, known=rows.held): integer}} if shuffled else {})}
    pair = {"others": {}} | read(form, found["pair"], budget, f"{where}.pair")
    source, target, counts = pair["from"], pair["to"], tuple(pair["others"].get(name, 0) for name in rows.held)
    need((source, target) in rows.changes(), "neighbours", f"{where}.pair.to")
    need(sum(counts) == rows.others, "honest - 1 inputs", f"{where}.pair.others")
    if kind != "rows":
        factors = factors_of(seen, (source, target), counts, counts, budget)
        return ((source, target, counts), factors), columns_road(budget)
    event = event_of(seen, rows, found["event"], delta, f"{where}.event", budget) if "event" in found else None
    job, rows = Job(counts, source, target), rows._replace(bases=[rows.laws[name] for name in rows.held])
    return job, rows_road(rows, [job], budget, event)


def event_of(seen: dict[str, Any], rows: Rows, given: Any, delta: Ratio, where: str, budget: Budget) -> Event:
    """An EVENT."""
    outputs = [output for row in seen["each"]["rows"] for output in row["outputs"]]
    sent = partial(LABEL, known={m for output in outputs for m in output["send"]})
    weighted = isinstance(given, dict) and "weights" in given
    one: Any = [sent] if rows.local else {sent: integer}
    form = {"weights": {sent: signed}, "above": signed} if weighted else {"outcomes": [one]}
    event = read(form, given, budget, where)
    if weighted:
        need(seen["view"] == "shuffled", "outcomes, outside the shuffled view", where)
        budget.spend(sum(2 + len(end) for law in rows.laws.values() for end in law), 3_400, 64)
        weights, above = event["weights"], event["above"]
        places: Places = lambda end: sum(weights.get(m, 0) * count for m, count in end), (1,)
        return places, lambda at: bool(at > above), None if delta[0] else above
    outcomes = dict.fromkeys((outcome(item, True) if rows.local else tuple(sorted(item.items()))
                              for item in event["outcomes"]), 1)
    need(len(outcomes) == len(event["outcomes"]), "outcomes that differ", where)
    every = [seen for law in (*rows.laws.values(), outcomes) for seen in law]
    messages = sorted({m for seen in every for m, _ in seen}, key=str)
    places = digits(messages, every, rows.others + 1, budget)
    chosen = {f"{places[0](one):x}" for one in outcomes}  # texts, whose hashes no file can choose
    return places, lambda at: f"{at:x}" in chosen, None


def check_event(seen: dict[str, Any], neighbours: Any, given: Any, asked: list[Asked], budget: Budget) -> str:
    """A REFUTATION of one run."""
    if seen["kind"] == "private":
        found = read({"rows": None, "pair": None, "event": None}, given, budget, "because")
        each = read(user_of, {"rows": found.pop("rows")}, budget, "because")
        alone, given = seen | {"kind": "rows", "view": "preshuffle", "each": each, "where": "because"}, found
        laws, most = rows_of(alone, "replace", budget), seen["each"]["private"]
        jobs = [Job((), *pair) for pair in laws.changes()]
        if failing(rows_road(laws, jobs, budget), jobs, [most], True, budget) is not None:
            raise Stop("rejected", "because.rows: less private than claimed of all")
        seen = alone | {"view": "shuffled"}
    case, road = one_pair(seen, neighbours, given, "because", asked[0][1], budget)
    by = "an event" if "event" in given else "its best event"
    if failing(road, [case], asked, False, budget) is not None:
        raise Stop("rejected", f"because: delta(eps) of the pair, by {by}, is not above delta")
    return "shown by 1 pair" + " and an event" * ("event" in given)


# ---- compositions ----


def dots(points: list[tuple[Ratio, Ratio]], width: int, budget: Budget) -> Pair:
    """The pair whose curve is the lower convex hull of the points, their mirrors and (0, 1): P rounded up, Q down."""
    at = {Fraction(0): Fraction(1)}
    for t, d in ((Fraction(*t), Fraction(*d)) for t, d in points):
        budget.spend(20, 60 * (t.denominator.bit_length() + d.denominator.bit_length()), width)
        for x, y in ((t, max(d, 1 - t)), (1 / t, 1 - 1 / t + d / t)):
            at[x] = min(y, at.get(x, Fraction(1)))
    hull: list[Any] = []
    for x, y in sorted(at.items()):
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (y1 - y0) * (x - x1) < (y - y1) * (x1 - x0):
                break
            hull.pop()
        hull.append((x, y))
    lines = [(y + s * x, s) for (x, y), (u, v) in pairwise(hull) if (s := (y - v) / (u - x)) > 0]
    lines += [(min(y for _, y in hull), Fraction(0)), (Fraction(0), Fraction(0))]
    return [(up((a - c).numerator << width, (a - c).denominator), ((b - d).numerator << width) // (b - d).denominator)
            for (a, b), (c, d) in pairwise(lines)], 0, 1 << width


def check_composed(claim: dict[str, Any], given: Any, proved: bool, budget: Budget) -> str:
    """COMPOSED: proved for each choice of pairs, one for each part, that the parts' proofs say are enough."""
    hints = {"step": ABOVE_ONE, "cells": partial(integer, least=2, most=2**24)}
    found = read({"runs": [None], "lattices": [hints]}, given, budget, "because")
    need(found["lattices"], "a lattice", "because.lattices")
    need(len(found["runs"]) == len(claim["runs"]), "a part for each of the claim's runs", "because.runs")
    total, delta = claim["total"], claim["delta"]
    _, high, scale = enclose(claim["eps"], SHARP, budget)
    width = GRAIN + small(delta) + 2 * total.bit_length() + (high // scale).bit_length()
    room = (delta[0] << width - ROOM) // (delta[1] * total)
    lattices = [Lattice(one["step"], one["cells"], proved, width, room, budget) for one in found["lattices"]]
    options, lost = list[list[list[Pair]]](), 0
    for i, ((seen, times), part) in enumerate(zip(claim["runs"], found["runs"], strict=True)):
        cases, road = part_of(seen, claim, part, proved, f"because.runs[{i}]", width, budget)
        some = list[list[Pair]]()
        for _, factors in road(cases, width):
            budget.hold(3 * sum(len(atoms) for atoms, _, _ in factors), width)
            some.append(factors)
            lost += 0 if proved else sum(up(times * missing << width, unit) for _, missing, unit in factors)
        options.append(some or [[([(1, 1)], 0, 1)]])  # of one input nothing is told apart
    done = 0
    for chosen in choices(*options):
        lattice = lattices[done % len(lattices)]
        memory, done, whole = budget.memory, done + 1, list[Curve]()
        for factors, (_, times) in zip(chosen, claim["runs"], strict=True):
            for pair in factors:
                one = lattice.repeated(lattice.start(pair), times)
                whole = [lattice.joined(whole[0], one)] if whole else [one]
        value, budget.memory = lattice.delta(whole[0], claim["eps"]), memory
        if at_most((value - up(high * lost, scale), 1 << width), delta) != proved:
            words = "the bound is above delta" if proved else "what is shown is not above delta"
            raise Stop("undecided", f"because.lattices: with these hints {words}")
    return f"{done} composition{'s' * (done != 1)} of {total} runs"


def part_of(
    seen: dict[str, Any], claim: dict[str, Any], part: Any, proved: bool, where: str, width: int, budget: Budget
) -> Any:
    """The pairs of laws of a PART, that bound all neighbours' at every t, or are real, and a road to them."""
    need(seen["kind"] != "private" or (proved and isinstance(part, dict) and "points" in part),
         "points, of private users", where)
    if not proved:
        read({"pair": None}, part, budget, where)
        case, road = one_pair(seen, claim["neighbours"], part, where, claim["delta"], budget)
        return [case], road
    if isinstance(part, dict) and "points" in part:
        more = partial(ratio, good=lambda p, q: p >= q, words="at least 1")
        points = read({"points": [[more, PROBABILITY, None]]}, part, budget, where)["points"]
        need(points, "a point", where)
        for proof, some in groupby(points, key=itemgetter(2)):
            check_proof(seen, claim["neighbours"], proof, [((*t, True), d) for t, d, _ in some], budget)
        pair = dots([(t, d) for t, d, _ in points], width, budget)
        return [None], lambda cases, bits: ((case, [pair]) for case in cases)
    need(claim["data"] == "same", "points, where pairs differ from run to run", where)
    cases, road, blocks, _ = cases_of(seen, claim["neighbours"], part, budget)
    need(not blocks, "no blocks with a grid", where)
    return cases, road


# ---- the command ----


def check_one(tree: Any, budget: Budget) -> Verdict:
    """The verdict on one certificate."""
    form = {"format": ("shufflecert certificate",), "note?": text_of, "claim": claim_of,
            "verdict": ("PROVED", "REFUTED"), "because": None}
    found = read(form, tree, budget)
    claim, proved, because = found["claim"], found["verdict"] == "PROVED", found["because"]
    if claim["total"] > 1:
        by = check_composed(claim, because, proved, budget)
    else:
        job = check_proof if proved else check_event
        by = job(claim["runs"][0][0], claim["neighbours"], because, [(claim["eps"], claim["delta"])], budget)
    return Verdict("accepted", f"{found['verdict']}: {in_words(tree['claim'])}: {by}")


def verdict_of(job: Callable[[Any, Budget], Any], given: Any, budget: Budget, where: str) -> Any:
    """What the job makes of this; a Verdict if it is stopped."""
    try:
        return job(given, budget)
    except Stop as stop:
        place = f"{where}{'.' * stop.where[:1].isalpha()}{stop.where}: expected " * (stop.status == "malformed")
        return Verdict(stop.status, place + stop.reason)
    except (MemoryError, RecursionError):
        return Verdict("undecided", "out of memory")


def check_all(data: bytes, max_bits: int = MAX_BITS, max_work: int = MAX_WORK) -> Iterator[Verdict]:
    """The verdicts on a file's certificates, each with a budget of its own. Who allows more work allows as many times
    the memory."""
    budget = Budget(max_bits, max_work, MAX_MEMORY * max(max_work, MAX_WORK) // MAX_WORK)
    tree = verdict_of(parse, data, budget, "file")
    if isinstance(tree, Verdict):
        yield tree
        return
    for i, one in enumerate(tree if isinstance(tree, list) else [tree]):
        work, room = budget.work, budget.memory
        yield verdict_of(check_one, one, budget, f"[{i}]" if isinstance(tree, list) else "file")
        budget.work, budget.memory = work, room


def check(data: bytes, max_bits: int = MAX_BITS, max_work: int = MAX_WORK) -> Verdict:
    """The verdict on a file: that of its certificates which is worst, and what is accepted of all."""
    found = list(check_all(data, max_bits, max_work))
    worst = max(found, key=lambda one: ORDER.index(one.status))
    return worst if worst.status != "accepted" else Verdict("accepted", " | ".join(one.reason for one in found))


ORDER, STATUS = ("accepted", "undecided", "rejected", "malformed"), (0, 3, 1, 2)  # of exit, of these


def read_file(path: str | Path) -> bytes | Verdict:
    """A file's bytes; one that is too long is not read to its end."""
    try:
        if Path(path).is_fifo() and not str(path).startswith(("/dev/", "/proc/")):  # where the shell puts its own
            return Verdict("malformed", "file: expected one that holds its text, not a named pipe")
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return Verdict("malformed", "file: no such file")
    except (OSError, ValueError) as error:
        return Verdict("malformed", f"file: expected one that can be read ({show(error)})")


def check_file(path: str | Path, max_bits: int = MAX_BITS, max_work: int = MAX_WORK) -> Verdict:
    """The verdict on a file."""
    data = read_file(path)
    return data if isinstance(data, Verdict) else check(data, max_bits, max_work)


def main(arguments: list[str] | None = None) -> int:
    """The command: a line for each certificate, and the status of the worst; 4 for what the machine refuses."""
    parser = argparse.ArgumentParser(prog="kernel.py", description="Re-check shufflecert certificates.")
    parser.add_argument("certificates", nargs="+", metavar="cert.json")
    parser.add_argument("--max-bits", type=int, default=MAX_BITS, help="most bits of e^eps (default %(default)s)")
    parser.add_argument("--max-work", type=int, default=MAX_WORK, help="most steps of work (default %(default)s)")
    options, worst = parser.parse_args(arguments), "accepted"
    try:
        for path in options.certificates:
            data = read_file(path)
            limits = max(options.max_bits, 1), options.max_work
            for status, reason in [data] if isinstance(data, Verdict) else check_all(data, *limits):
                worst = max(worst, status, key=ORDER.index)
                if sys.stdout is None:
                    raise OSError("standard output is closed")
                with suppress(BrokenPipeError):
                    print(f"{ascii(path)[1:-1]}: {status}: {reason}", flush=True)
    except (OSError, MemoryError) as error:  # what the machine refuses is no verdict
        if sys.stderr:
            sys.stderr.write(f"kernel.py: {type(error).__name__}: {show(error)}\n")
        return 4
    return STATUS[ORDER.index(worst)]


if __name__ == "__main__":
    os._exit(main())  # a reader who has gone, or a full disk, would stop what is left to write
