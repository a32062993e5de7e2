"""Re-check shufflecert certificates, without the engine: python3 -I -S verify/kernel_new.py cert.json [more.json ...]

CERTIFICATE_NEW.md defines the format and proves its steps; this file decides whether they hold, and trusts nothing in a
certificate. What a proof may say, and where it is checked:

    "same as", "up to"      two pairs, or compositions, that a renaming makes one        check_renamings, composed_of
    mixtures                an input that no user needs                                  check_mixtures
    "each"                  a pair of neighbouring datasets, as it is                    Rows.pairs
    "corner", "alone"       fewer users, who bound a box of datasets                     boxes_of, Rows.pairs
    a block                 the same, some users left open; with a grid, many blocks     Rows.check_blocks, grid_bound
    columns, numbers        products, and shifts of a law                                columns_pair, moved
    private                 one bound for all private randomizers                        check_private
    points, lattice         many runs: pairs put on a lattice, and multiplied there      dots, composed

To be trusted: Python's integers, decimals, containers and JSON parser, and this file, which imports only the standard
library and holds no float. Products are exact, by sorted lists of packed exponents, or else of laws from below: integer
weights rounded down, so that what they miss of 1 may be anywhere. e^eps is enclosed; bits double until they decide.

Whatever can be slow spends from one budget of work and one of memory before it begins: reading, products, windows,
powers, sorting by ratio. So no certificate takes longer than the budget lasts.
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
from itertools import product as choices
from operator import add, itemgetter, le, mul
from pathlib import Path
from typing import Any, NamedTuple

MAX_BYTES, MAX_DIGITS, MAX_BITS, MAX_DEPTH = 64 * 2**20, 100_000, 65_536, 100
MAX_WORK, MAX_MEMORY = 2 * 10**8, 25 * 10**7  # steps of about 0.1 microseconds; bytes
SPARE = 32  # bits of fixed point beyond those that are asked for
LITTLE, ENOUGH = 4 * 10**5, 6 * 10**7  # work of exact products before windows are tried; where these do not decide
SHARE = 8  # windows that are tried first have one part in so many of the work
EXACT = 2_000  # bits of a unit up to which sums of few laws stay exact
MANY = 10**18  # nothing is counted further
LONG = 2**20  # bits of the shorter factor from which on a product is one of decimal numbers
GRAIN, CUT, SHARP = 88, 52, 128  # bits of a lattice's weights, of what is cut off at its ends, of powers there
ROOM = 40  # bits below delta, of what all runs may move to infinity at each step

Ratio = tuple[int, int]  # numerator, denominator; not in lowest terms
Eps = tuple[int, int, bool]  # eps = p/q, or log(p/q) if the flag is set
Outcome = tuple[tuple[Any, int], ...]  # sorted (message, count) items; in the local view one (tuple of messages, 1)
Law = dict[Outcome, int]  # outcome -> weight, over a `unit`
Line = list[tuple[int, int]]  # (place, weight), places ascending: a law on the integers, or packed exponents
Counts = tuple[int, ...]  # how many of the others have each base law
Case = tuple[Counts, str, str]  # the others, and the inputs from and to of the user who changes; "" is null
Ends = tuple[int, int, int]  # (low, high, scale): a number in [low/scale, high/scale]
Pair = tuple[list[Ratio], int, int]  # (P, Q) of outcomes over `unit`; what these miss of either is at most lost; unit
Road = Callable[[Iterable[Any], int], Iterator[tuple[Any, list[Pair]]]]  # cases, bits -> independent factors of each
Shape = Iterable[tuple[int, int, int]]  # P, Q and S of every outcome
Power = tuple[int, int]  # m, e: the number m 2^e


class Verdict(NamedTuple):
    """What a check finds: accepted, rejected, malformed or undecided, and on one line what or why."""

    status: str
    reason: str


class Stop(Exception):
    """Ends a check with Verdict(status, reason)."""


class Budget:
    """What a check may use: bits of precision, steps of work, bytes of memory. Only memory is ever given back."""

    def __init__(self, bits: int = MAX_BITS, work: int = MAX_WORK, memory: int = MAX_MEMORY):
        self.bits, self.work, self.memory = bits, work, memory
        self.words = f"more than {work} steps", f"more than {memory} bytes"

    def spend(self, steps: int, a: int = 0, b: int = 0) -> None:
        """So many steps, each with a product of numbers of a and b bits: schoolbook, and Karatsuba for large ones."""
        a, b = sorted((a, b))
        large = a // 2_000
        each = 60 * math.isqrt(large**3) * (b // a + 1) if large else a * b // 150_000
        self.work -= steps * (4 + b // 4_000 + each)
        if self.work < 0:
            raise Stop("undecided", f"too much work: {self.words[0]}, allow more with --max-work")

    def hold(self, numbers: int, bits: int = 0) -> None:
        """So many numbers of so many bits are kept, in a list."""
        self.memory -= numbers * (56 + bits // 7)
        if self.memory < 0:
            raise Stop("undecided", f"too much memory: {self.words[1]}, allow more with --max-work")


# ---- reading ----

def need(condition: object, where: str, expected: str) -> None:
    """Malformed, unless the condition holds."""
    if not condition:
        raise Stop("malformed", f"{where}: expected {expected}")


def show(value: object) -> str:
    """The value in ASCII, on one line, shortened."""
    return ascii(str(value)[:80])[1:-1] + "..." * (len(str(value)) > 80)


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
        tree = json.loads(data.decode("utf-8"), object_pairs_hook=unique_keys, **hooks)
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError) as error:
        raise Stop("malformed", f"file: expected JSON in UTF-8, not nested deeply ({error})") from None
    level = [tree]
    for _ in range(MAX_DEPTH):
        level = [item for some in level if isinstance(some, dict | list)
                 for item in (some.values() if isinstance(some, dict) else some)]
    need(not level, "file", f"nesting at most {MAX_DEPTH} deep")
    return tree


def read_as(form: Any, value: Any, where: str) -> Any:
    """The value, of a form: a dict of its keys' forms (with "?": may be left out), a list, words, or a function."""
    if isinstance(form, dict):
        need(isinstance(value, dict), where, "an object")
        known = {key.rstrip("?"): key for key in form}
        for key in value:
            need(key in known, f"{where}.{show(key)}", "no such key")
        for key in form:
            need(key[-1] == "?" or key in value, f"{where}.{key}", "this key")
        return {key: read_as(form[known[key]], value[key], f"{where}.{key}") for key in known if key in value}
    if isinstance(form, list):
        need(isinstance(value, list), where, "a list")
        return [read_as(form[0], item, f"{where}[{i}]") for i, item in enumerate(value)]
    if isinstance(form, tuple):
        need(value in form, where, " or ".join(map(str, form)))
    return value if isinstance(form, tuple) else form(value, where)


def one_of(value: Any, where: str, forms: dict[str, dict[str, Any]]) -> Any:
    """An object that has one of these keys, and the form that goes with it."""
    need(isinstance(value, dict), where, "an object")
    key = next((key for key in forms if key in value), None)
    need(key is not None, where, "one of the keys " + ", ".join(forms))
    return read_as(forms[str(key)], value, where)


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


def integer(value: Any, where: str, least: int = 1, most: int = 10**15) -> int:
    """A JSON number that is an integer in this range."""
    text = str(value[0]) if isinstance(value, tuple) else ""
    need(text.isdigit() and len(text) <= 100, where, f"an integer of at least {least}, in digits")
    need(least <= int(text) <= most, where, f"an integer of at least {least} and at most {most}")
    return int(text)


def signed(value: Any, where: str) -> int:
    """An INTEGER."""
    need(isinstance(value, str) and re.fullmatch(r"-?(0|[1-9][0-9]{0,999})", value), where, "an INTEGER")
    return (-1 if value[0] == "-" else 1) * natural(value.removeprefix("-"))


def ratio(value: Any, where: str, good: Callable[[int, int], bool] = lambda p, q: True, words: str = "") -> Ratio:
    """A RATIONAL p/q that passes the test."""
    match: Any = isinstance(value, str) and re.fullmatch(r"(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?", value)
    need(match, where, "a RATIONAL")
    above, below = match.groups("1")
    need(max(len(above), len(below)) <= MAX_DIGITS, where, f"at most {MAX_DIGITS} digits")
    found = natural(above), natural(below)
    need(good(*found), where, words)
    return found


def exponent(value: Any, where: str) -> Eps:
    """An EPS."""
    log = isinstance(value, str) and value[:4] == "log(" and value[-1] == ")"
    p, q = ratio(value[4:-1] if log else value, where)
    need(p >= q if log else p <= 10_000 * q, where, "a number from 0 to 10000, or log of at least 1")
    return p, q, log


def mapping(value: Any, where: str, key: Callable[[Any, str], Any], item: Callable[[Any, str], Any]) -> Any:
    """An object, with what `key` reads of its keys and `item` of its values; both by places."""
    need(isinstance(value, dict), where, "an object")
    return {key(name, where): item(value[name], f"{where}.{show(name)}") for name in value}


def permutation(value: Any, where: str, known: Collection[str]) -> dict[str, str]:
    """An object that permutes its keys."""
    found: dict[str, str] = mapping(value, where, partial(label, known=known), partial(label, known=known))
    need(set(found) == set(found.values()), where, "a permutation of its keys")
    return found


def shares(value: Any, where: str, key: Callable[[Any, str], Any], budget: Budget) -> tuple[dict[Any, int], int]:
    """Weights that sum to exactly 1, over one unit."""
    found = mapping(value, where, key, WEIGHT)
    whole = common(found.values(), budget)
    parts = {name: p * (whole // q) for name, (p, q) in found.items()}
    need(sum(parts.values()) == whole, where, "weights that sum to exactly 1")
    return parts, whole


def common(ratios: Iterable[Ratio], budget: Budget) -> int:
    """A common denominator."""
    whole = 1
    for below, _ in groupby(sorted(q for _, q in ratios)):
        budget.spend(1 + whole.bit_length() * below.bit_length() // 60_000)
        whole = math.lcm(whole, below)
    return whole


POSITIVE = partial(ratio, good=lambda p, q: p > 0, words="more than 0")
PROBABILITY = partial(ratio, good=lambda p, q: p <= q, words="at most 1")
PART = partial(ratio, good=lambda p, q: 0 < p < q, words="more than 0 and below 1")
WEIGHT = partial(ratio, good=lambda p, q: 0 < p <= q, words="more than 0 and at most 1")
ABOVE_ONE = partial(ratio, good=lambda p, q: p > q, words="above 1")
LARGE = partial(integer, least=2, most=2**256)
ZERO: dict[str, Any] = {"law": "finite", "p": ({0: 1}, 1)}


def law_of(value: Any, where: str, budget: Budget) -> dict[str, Any]:
    """A LAW: of a finite one weights by places over a unit, of a mixture laws with weights over a unit."""
    deeper = partial(law_of, budget=budget)
    forms: dict[str, Any] = {
        "binomial": {"n": integer, "p": PROBABILITY}, "poisson": {"lam": POSITIVE},
        "negative binomial": {"r": POSITIVE, "p": PART}, "discrete Laplace": {"q": PART, "bound?": integer},
        "discrete Gaussian": {"variance": POSITIVE},
        "finite": {"p": lambda item, at: shares(item, at, signed, budget)},
        "sum": {"of": [deeper]}, "mixture": {"of": lambda item, at: item}, "mod": {"by": LARGE, "of": deeper},
    }
    name = value.get("law") if isinstance(value, dict) else None
    need(isinstance(name, str) and name in forms, f"{where}.law", " or ".join(forms))
    found: dict[str, Any] = read_as({"law": tuple(forms)} | forms[str(name)], value, where)
    if name in ("sum", "mixture"):
        need(isinstance(found["of"], list) and found["of"], f"{where}.of", "a list of laws")
    if name == "mixture":
        need(all(isinstance(one, list) and len(one) == 2 for one in found["of"]), f"{where}.of", "weights with laws")
        weights = {str(i): one[0] for i, one in enumerate(found["of"])}
        parts, whole = shares(weights, f"{where}.of", lambda item, at: item, budget)
        laws = [deeper(one[1], f"{where}.of[{i}]") for i, one in enumerate(found["of"])]
        found["of"] = list(zip(parts.values(), laws, strict=True)), whole
    return found


def nowhere_negative(law: dict[str, Any]) -> bool:
    """Whether values below 0 have probability 0."""
    name, of = law["law"], law.get("of", [])
    if name in ("sum", "mixture"):
        return all(map(nowhere_negative, of if name == "sum" else [one for _, one in of[0]]))
    return bool(min(law["p"][0]) >= 0 if name == "finite" else name not in ("discrete Laplace", "discrete Gaussian"))


def seen_of(value: Any, where: str, budget: Budget) -> dict[str, Any]:
    """A SEEN, with `kind`, what its users do."""
    law = partial(law_of, budget=budget)
    table = {"rows": [{"input": label, "outputs": [{"send": [label], "p": POSITIVE}]}]}
    users: dict[str, dict[str, Any]] = {
        "rows": table, "columns": {"columns": lambda item, at: mapping(item, at, label, partial(read_as, [law]))},
        "one of": {"one of": lambda item, at: item if item == "any number" else integer(item, at, 2),
                   "held": law, "other": law},
        "up to": {"up to": partial(integer, most=10**6), "plus?": law},
        "private": {"private": lambda item, at: item},
    }
    shown: dict[str, dict[str, Any]] = {"mod": {"mod": LARGE}, "from": {"from": integer}}
    form = {"users": integer, "honest?": integer, "take part?": WEIGHT, "view?": ("shuffled", "preshuffle", "local"),
            "each": partial(one_of, forms=users), "added?": law, "shown?": partial(one_of, forms=shown)}
    seen: dict[str, Any] = read_as(form, value, where)
    each = seen["each"]
    kind = seen["kind"] = next(key for key in users if key in each)
    tells = seen.get("shown", {})
    need(("view" in seen) == (kind == "rows"), f"{where}.view", "a view of rows, and of nothing else")
    need(kind == "rows" or "take part" not in seen, f"{where}.take part", "rows")
    need("added" not in seen or kind not in ("rows", "private"), f"{where}.added", "columns, one of or up to")
    need("mod" not in tells or kind == "up to", f"{where}.shown", "up to, with mod")
    need("from" not in tells or kind in ("columns", "one of"), f"{where}.shown", "columns or one of, with from")
    seen["honest"] = seen.get("honest", seen["users"])
    need(seen["honest"] <= seen["users"], f"{where}.honest", "at most users")
    if kind == "private":
        need(isinstance(each["private"], list) and len(each["private"]) == 2, f"{where}.each.private", "EPS, RATIONAL")
        each["private"] = (exponent(each["private"][0], f"{where}.each.private"),
                           PROBABILITY(each["private"][1], f"{where}.each.private"))
    if kind in ("columns", "one of"):
        rows = each.get("columns") or {"a": [each["held"], each["other"]], "b": [each["other"], each["held"]],
                                       "other": [each["other"]] * 2}
        if each.get("one of") == 2:
            del rows["other"]
        lengths = {len(laws) for laws in rows.values()}
        need(len(lengths) == 1 and 0 not in lengths, f"{where}.each", "inputs of equally many columns")
        laws = [law for some in rows.values() for law in some] + ([seen["added"]] if "added" in seen else [])
        need("from" not in tells or all(map(nowhere_negative, laws)), f"{where}.shown", "laws of no negative value")
        seen["columns"] = rows
    return seen


class Claim(NamedTuple):
    """What is claimed: runs as (seen, times), neighbours, eps, delta; and that in words."""

    runs: list[tuple[dict[str, Any], int]]
    same: bool
    neighbours: Any
    eps: Eps
    delta: Ratio
    words: str


def claim_of(value: Any, where: str, budget: Budget) -> Claim:
    """A CLAIM."""
    def around(item: Any, at: str) -> Any:
        form = {"deletion": lambda mixture, there: shares(mixture, there, label, budget)}
        return read_as(form if isinstance(item, dict) else ("replace", "add-remove"), item, at)

    form = {"runs": [{"seen": partial(seen_of, budget=budget), "times": partial(integer, most=10**9)}],
            "data?": ("same", "any"), "neighbours": around, "eps": exponent, "delta": PROBABILITY}
    found = read_as(form, value, where)
    runs, neighbours = [(run["seen"], run["times"]) for run in found["runs"]], found["neighbours"]
    kinds = {seen["kind"] for seen, _ in runs}
    need(runs, f"{where}.runs", "a run")
    many = sum(times for _, times in runs) > 1
    need(("data" in found) == many, f"{where}.data", "data, just where there are several runs")
    need(neighbours == "replace" or len(runs) == 1, f"{where}.neighbours", "replace, for runs of several kinds")
    good = neighbours == "replace" or kinds <= ({"rows", "one of", "up to"} if neighbours == "add-remove" else {"rows"})
    need(good, f"{where}.neighbours", "neighbours that such users have")
    if neighbours == "add-remove" and "one of" in kinds:
        need(constant(runs[0][0]["each"]["other"]) == 0, f"{where}.runs[0].seen.each.other", "the constant 0")
        runs[0][0]["columns"] = {"a": [runs[0][0]["each"]["held"]], "other": [ZERO]}
    words = claim_in_words(value, budget)
    return Claim(runs, found.get("data") == "same", neighbours, found["eps"], found["delta"], words)


def quoted(text: Any) -> str:
    """What stands in a claim as JSON; a long number by its ends and a digest, rows by their number and a digest."""
    if isinstance(text, dict):
        return "{" + ", ".join(f"{quoted(key)}: {digest(text[key]) if key == 'rows' else quoted(text[key])}"
                               for key in text) + "}"
    if isinstance(text, list):
        return "[" + ", ".join(map(quoted, text)) + "]"
    if isinstance(text, tuple):
        return str(text[0])
    if isinstance(text, str) and len(text) > 80:
        name = f"{text[:20]}...{text[-20:]} of {len(text)} characters with SHA-256 "
        return json.dumps(name + sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
    return json.dumps(text)


def digest(rows: Any) -> str:
    """Rows by their number and the SHA-256 of their JSON."""
    whole = json.dumps(rows, sort_keys=True, separators=(",", ":"))
    return f"{len(rows)} rows with SHA-256 {sha256(whole.encode()).hexdigest()}"


def claim_in_words(text: Any, budget: Budget) -> str:
    """What is claimed, all of it; what the file says of each run is quoted as JSON."""
    budget.spend(sum(len(row["outputs"]) for run in text["runs"] for row in run["seen"]["each"].get("rows", [])))
    neighbours = text["neighbours"] if isinstance(text["neighbours"], str) else quoted(text["neighbours"])
    words = f"eps = {quoted(text['eps'])}, delta = {quoted(text['delta'])}, neighbours: {neighbours}"
    words += f", data: {text['data']}" if "data" in text else ""
    for run in text["runs"]:
        words += f"; {run['times'][0]} time{'s' * (run['times'] != ('1',))} seen: {quoted(run['seen'])}"
    return words


# ---- e^eps, powers, and one way of deciding ----

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


def power_up(base: int, n: int, width: int, budget: Budget) -> int:
    """base^n, both over 2^width, rounded up."""
    total = 1 << width
    for bit in f"{n:b}":
        budget.spend(2, 2 * total.bit_length(), total.bit_length() + base.bit_length())
        total = -(-total * total * (base if bit == "1" else 1) >> width * (1 + int(bit)))
        if total.bit_length() > 64 * width:
            raise Stop("undecided", "too large a power, of a tilt or of a Gaussian law")
    return total


def doublings(bits: int, budget: Budget) -> Iterator[int]:
    """Ever more bits, until there are no more."""
    while True:
        yield (bits := min(bits, budget.bits))
        if bits == budget.bits:
            raise Stop("undecided", f"too few bits: {bits} bits do not decide, allow more with --max-bits")
        bits *= 2


def settled(found: Ends, bound: Ratio, proved: bool, budget: Budget) -> bool | None:
    """Whether what lies in [least, most]/whole is at most the bound, or not proved: above it; None if undecided."""
    (least, most, whole), (above, below) = found, bound
    budget.spend(2, whole.bit_length(), below.bit_length())
    if least * below <= above * whole < most * below:
        return None
    return (most * below <= above * whole) == proved


def small(bound: Ratio) -> int:
    """About how many bits a bound begins with that are 0."""
    return max(bound[1].bit_length() - max(bound[0], 1).bit_length(), 0) if bound[0] else 0


def failing(road: Road, cases: Iterable[Any], eps: Eps, bound: Ratio, proved: bool, budget: Budget) -> tuple[Any, int]:
    """A case whose delta(eps) is not at most the bound (or not proved: not above), if any, and how many were tried."""
    tried, room = 0, budget.memory
    for bits in doublings(32 + small(bound), budget):
        left, ends = [], enclose(eps, bits, budget)
        for case, factors in road(cases, bits):
            good = settled(divergence(factors, ends, budget), bound, proved, budget)
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


def hockey_stick(a: list[Ratio], b: list[Ratio], scale: int, limit: int, budget: Budget) -> int:
    """The sum of max(scale x u - limit y v, 0) over (x, y) in a, (u, v) in b, exactly; no number is below 0.

    Lemma. With a by x/y ascending and b by u/v descending, the terms above 0 of an (x, y) are those of the first so
    many of b, ever more of them. Proof: scale x u > limit y v just if (x/y)(u/v) > limit/scale. (Where y or v is 0, the
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
        while b and scale * x * b[-1][0] > limit * y * b[-1][1]:
            u, v = b.pop()
            above, below = above + u, below + v
        total += scale * x * above - limit * y * below
    return total


def divergence(factors: list[Pair], ends: Ends, budget: Budget) -> Ends:
    """delta(eps) of the product of one or two pairs.

    Lemma. Let P = P' + p, with p the part that no atom holds, of at most lost, and so Q = Q' + q. Then delta(P, Q) lies
    in [delta(P', Q') - e^eps lost, delta(P', Q') + lost]. Proof: max(P - e^eps Q, 0) changes by at most p upwards and
    by at most e^eps q downwards. For the product the part has at most what either factor has lost, together. An event
    that is the worst at `low` is one of those that bound delta(P', Q') from below.
    """
    (atoms, lost, unit), (low, high, scale) = factors[0], ends
    if len(factors) > 2:
        raise Stop("undecided", "more than two columns differ")
    if len(factors) == 2:
        others, more, whole = factors[1]
        least, most = (hockey_stick(atoms, others, scale, end, budget) for end in (high, low))
        lost, unit = lost * whole + more * unit, unit * whole
    else:
        budget.spend(2 * len(atoms), unit.bit_length(), scale.bit_length())
        event = [(p, q) for p, q in atoms if scale * p > low * q]
        above, below = map(sum, zip((0, 0), *event, strict=True))
        least, most = scale * above - high * below, scale * above - low * below
    return max(least - high * lost, 0), min(most + scale * lost, scale * unit), scale * unit


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


def pack(laws: Iterable[Law], seen: set[Outcome], users: int, budget: Budget) -> list[Line]:
    """The laws as polynomials, without outcomes that cannot be seen of so many users, each of whom sends one of `seen`;
    of one user alone, outcomes are only numbered."""
    if users == 1:
        number = {outcome: i for i, outcome in enumerate(seen)}
        return [sorted((number[outcome], law[outcome]) for outcome in law if outcome in number) for law in laws]
    base = users * max(sum(count for _, count in outcome) for outcome in seen) + 1
    messages, digit = {m for outcome in seen for m, _ in outcome}, base.bit_length()
    budget.spend(len(messages) * (1 + len(messages) * digit // 2_000))
    budget.hold(len(messages), len(messages) * digit)
    place, packed = {m: 1 << i * digit for i, m in enumerate(sorted(messages, key=str))}, []
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


# ---- laws on the integers, from below ----

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


def noise(law: dict[str, Any], width: int, budget: Budget) -> Noise:
    """A law, as CERTIFICATE_NEW.md defines it."""
    name, n, (r, s) = law["law"], law.get("n", 0), law.get("r", (0, 1))
    if name == "discrete Gaussian":
        return gaussian(law["variance"], width, budget)
    a, b = next(law[key] for key in ("q", "lam", "p") if key in law)
    bits = sum(number.bit_length() for number in (a, b, n, r, s))
    if name == "discrete Laplace":
        last = law.get("bound", MANY)
        return Noise(0, lambda k: (a * (k <= last), b) if k > 0 else (b, a * (k > -last)), (a, b), bits)
    if name == "poisson":
        return Noise(a // b, lambda k: (a, k * b), (0, 1), bits)
    if name == "binomial":
        return Noise(min((n + 1) * a // b, n), lambda k: ((n - k + 1) * a, k * (b - a)), (0, 1), bits)
    mode = max(a * (r - s) // (s * (b - a)), 0)
    return Noise(mode, lambda k: (a * (k * s + r - s), b * k * s), (a, b), bits)


def gaussian(variance: Ratio, width: int, budget: Budget) -> Noise:
    """The discrete Gaussian law: Pr[k]/Pr[k - 1] is g^(2k - 1), g = e^(-1/(2 variance))."""
    if 20_000 * variance[0] < variance[1]:
        raise Stop("undecided", "a variance below 1/20000 is not looked at")
    low, high, scale = enclose((variance[1], 2 * variance[0], False), width, budget)
    one, grows, falls = 1 << width, up(high << width, scale), up(scale << width, low)

    def rate(k: int) -> Ends:
        n = abs(2 * k - 1)
        budget.spend(60, width, width)
        ends = one * one // power_up(grows, n, width, budget), power_up(falls, n, width, budget), one
        return ends if k > 0 else ends[::-1]

    return Noise(0, rate, (0, 1), width)


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
        above, below = here[-2], here[-1]
        budget.spend(2, above.bit_length() + below.bit_length(), law.bits)
        if above * law.limit[1] < law.limit[0] * below:
            above, below = law.limit
        if here[-2] and below <= above:
            return Span(law.mode, [0], 1 << width)  # too few bits for a tail
        most += high + (up(high * above, below - above) if here[-2] else 0)
        sides.append(low)
    return Span(k, [(weight << width) // most for weight in sides[1][:0:-1] + sides[0]], one)


def binomial(n: int, p: Ratio, width: int, budget: Budget) -> Span:
    """Bin(n, p): a small one is exact, else a window."""
    a, b = p
    if a == 0 or a == b:
        return Span(n if a else 0, [1], 1)
    if n * n * b.bit_length() > 10**5:
        return window(noise({"law": "binomial", "n": n, "p": p}, width, budget), width, budget)
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


def convolve(a: Span, b: Span, width: int, budget: Budget) -> Span:
    """The law of a sum, rounded down to 2^-width unless both are exact and short. Ends of weight 0 are left out; in a
    plane, where each row has room for a row of the sum, also rows and columns at the ends whose places have less than 1
    on average."""
    room, unit = budget.memory, a.unit * b.unit
    one = 1 << width
    stride = max(a.row, 1) + max(b.row, 1) - 1
    first = a.weights if stride == 1 else a.padded(stride, budget)
    weights = product(first, first if a is b else b.weights if stride == 1 else b.padded(stride, budget), budget)
    if one in (a.unit, b.unit) or unit.bit_length() > EXACT:
        weights, unit = [weight << width for weight in weights], unit
        weights, unit = [weight // unit for weight in weights], one
    if stride == 1:
        kept = thick(weights, 1)
        return Span(a.start + b.start + kept.start, weights[kept], unit)
    budget.spend(len(weights))
    rows = [weights[i : i + stride] for i in range(0, len(weights) - stride + 1, stride)]  # what is beyond is 0
    rows = rows[thick(list(map(sum, rows)), stride)]
    kept = thick(list(map(sum, zip(*rows, strict=True))), len(rows))
    weights, budget.memory = [weight for row in rows for weight in row[kept]], room
    budget.hold(len(weights), width)
    return Span(0, weights, unit, kept.stop - kept.start)


def repeated(one: Span, n: int, width: int, budget: Budget) -> Span:
    """The law of a sum of n >= 1 draws, by repeated squaring."""
    if n == 1:
        return one
    half = repeated(one, n // 2, width, budget)
    whole = convolve(half, half, width, budget)
    return convolve(whole, one, width, budget) if n % 2 else whole


def flat(law: dict[str, Any], times: int, into: dict[str, tuple[dict[str, Any], int]] | None = None) -> Any:
    """A sum of so many draws as a constant, and parts: by name a law and how often it comes, families added up."""
    parts: dict[str, tuple[dict[str, Any], int]] = {} if into is None else into
    if times == 0:
        return 0, parts
    if law["law"] == "sum":
        return sum(flat(one, times, parts)[0] for one in law["of"]), parts
    if law["law"] == "finite" and len(law["p"][0]) == 1:
        return times * next(iter(law["p"][0])), parts
    add_up = {"binomial": "n", "poisson": "lam", "negative binomial": "r"}.get(law["law"])
    name = repr(sorted((key, value) for key, value in law.items() if key != add_up))
    if add_up is None:
        parts[name] = law, times + parts.get(name, (law, 0))[1]
        return 0, parts
    before: Any = parts[name][0][add_up] if name in parts else 0 if add_up == "n" else (0, 1)
    if add_up == "n":
        total: Any = before + times * law["n"]
    else:
        (a, b), (c, d) = before, law[add_up]
        total = (a + times * c, b) if b == d else (a * d + times * c * b, b * d)
    parts[name] = law | {add_up: total}, 1
    return 0, parts


def constant(law: dict[str, Any]) -> int | None:
    """The one value of the law, None if there are several."""
    at, parts = flat(law, 1)
    return None if parts else at


def spread(parts: dict[str, tuple[dict[str, Any], int]], width: int, budget: Budget) -> tuple[Line, int]:
    """The law of the sum of these parts, from below: (places and weights, unit)."""
    whole = Span(0, [1], 1)
    sparse: list[tuple[Line, int]] = []
    for law, times in parts.values():
        if law["law"] == "mod":
            line, unit = spread(flat(law["of"], 1)[1], width, budget)
            at = flat(law["of"], 1)[0]
            budget.spend(8 * len(line))
            budget.spend(times)
            sparse += [(gather(((at + k) % law["by"], w) for k, w in line), unit)] * times
            continue
        whole = convolve(whole, repeated(span_of(law, width, budget), times, width, budget), width, budget)
    line, unit = [(whole.start + i, weight) for i, weight in enumerate(whole.weights) if weight], whole.unit
    for more, its in sparse:
        line, unit = multiply(line or [(0, 0)], more, budget), unit * its
    return line or [(0, 0)], unit


def span_of(law: dict[str, Any], width: int, budget: Budget) -> Span:
    """One law, from below, and exact where it is small; neither a sum nor reduced."""
    if law["law"] == "binomial":
        return binomial(law["n"], law["p"], width, budget)
    if law["law"] not in ("finite", "mixture"):
        return window(noise(law, width, budget), width, budget)
    if law["law"] == "finite":
        weights, unit = law["p"]
        line = sorted(weights.items())
    else:
        terms, (some, whole) = list[tuple[int, int]](), law["of"]
        for part, inner in some:
            at, parts = flat(inner, 1)
            found, its = spread(parts, width, budget)
            budget.spend(2 * len(found), width, part.bit_length() + its.bit_length())
            terms += (((at + k), (w * part << width) // (its * whole)) for k, w in found)
        line, unit = gather(terms), 1 << width
    size = line[-1][0] - line[0][0] + 1
    budget.spend(size)
    budget.hold(size, unit.bit_length())
    dense = [0] * size
    for place, weight in line:
        dense[place - line[0][0]] = weight
    return Span(line[0][0], dense, unit)


def pair_from(p: Line, p_unit: int, q: Line, q_unit: int, budget: Budget) -> Pair:
    """The atoms of two laws from below."""
    bits = p_unit.bit_length() + q_unit.bit_length()
    budget.spend(2 * (len(p) + len(q)), bits, bits)
    if p_unit != q_unit:
        p, q = [(k, w * q_unit) for k, w in p], [(k, w * p_unit) for k, w in q]
        p_unit *= q_unit
    lost = p_unit - min(sum(w for _, w in p), sum(w for _, w in q))
    return aligned((p, q), budget), lost, p_unit


def moved(parts: dict[str, tuple[dict[str, Any], int]], i: int, j: int, width: int, budget: Budget) -> Pair:
    """X + i against X + j, X the sum of the parts. Outcomes of equal ratio P/Q may be merged, for max(tP - e^eps tQ, 0)
    = t max(P - e^eps Q, 0).

    With d = i - j > 0, discrete Laplace: P/Q is q^d for k <= j, q^-d for k >= i, q^(2(k - j) - d) between. Geometric,
    that is negative binomial with r = 1: 0 for k < i and p^-d for k >= i. These are exact.
    """
    if i < j:
        atoms, lost, unit = moved(parts, j, i, width, budget)
        return [(q, p) for p, q in atoms], lost, unit
    d, (law, times) = i - j, next(iter(parts.values()), (ZERO, 1))
    if len(parts) == 1 and times == 1 and law["law"] == "discrete Laplace" and "bound" not in law and d:
        a, b = law["q"]
        budget.spend(6 * d, d * b.bit_length(), d * b.bit_length())
        budget.hold(2 * d, d * b.bit_length())
        exact = [(b**d, a**d), (a**d, b**d)]
        exact += (((b - a) * b ** (k - 1) * a ** (d - k), (b - a) * b ** (d - k - 1) * a**k) for k in range(1, d))
        return exact, 0, (a + b) * b ** (d - 1)
    if len(parts) == 1 and law["law"] == "negative binomial" and law["r"][0] == law["r"][1]:
        a, b = law["p"]
        budget.spend(6, d * b.bit_length(), d * b.bit_length())
        return [(b**d, a**d), (0, b**d - a**d)], 0, b**d
    line, unit = spread(parts, width, budget)
    return pair_from([(k + i, w) for k, w in line], unit, [(k + j, w) for k, w in line], unit, budget)


# ---- trees ----

def tree_of(value: Any, where: str, leaf: Callable[[Any, str], Any], known: Collection[str]) -> list[Any]:
    """A TREE in preorder: its cuts as tuples, and its leaves."""
    found, missing = list[Any](), 1
    need(isinstance(value, list), where, "a list")
    for i, item in enumerate(value):
        place, cut = f"{where}[{i}]", isinstance(item, list)
        need(missing, place, "one whole tree")
        if cut:
            need(len(item) == 2, place, "a cut [LABEL, most]")
            found.append((label(item[0], place, known), integer(item[1], place, 0)))
        else:
            found.append(leaf(item, place))
        missing += 1 if cut else -1
    need(missing == 0, where, "a whole tree")
    return found


def boxes_of(total: int, tree: list[Any], class_of: dict[str, int], kinds: int, budget: Budget) -> Iterator[Any]:
    """Each box of the tree that is not empty, as (low, high), and its leaf."""
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
            yield low, high, node


def corner(total: int, low: Counts, high: Counts) -> Counts:
    """How many others every composition of the box has at least."""
    whole = sum(high)
    return tuple(max(least, total - whole + most) for least, most in zip(low, high, strict=True))


def multisets(size: int, kinds: int) -> int:
    """How many multisets of this size there are, or MANY if more."""
    few = min(size, kinds - 1)  # of 64 or more
    return MANY if few > 31 else min(math.comb(size + kinds - 1, few), MANY)


def compositions(total: int, low: Counts, high: Counts, budget: Budget) -> Iterator[Counts]:
    """All tuples between low and high with this sum, ascending: what lies between bars in a row of what is free."""
    free, kinds = total - sum(low), len(low)
    budget.spend(multisets(free, kinds) * (2 + kinds // 4))
    end = free + kinds - 1
    for bars in combinations(range(end if kinds > 1 else 0), kinds - 1):
        counts = tuple(least + b - a - 1 for least, a, b in zip(low, (-1, *bars), (*bars, end), strict=True))
        if all(map(le, counts, high)):
            yield counts


# ---- rows ----

class Rows(NamedTuple):
    """A randomizer: the law of every input that users may have, over `unit`; "" is null. `others` are h - 1 users, none
    outside the shuffled view."""

    laws: dict[str, Law]
    unit: int
    others: int
    local: bool
    replaced: bool

    @property
    def held(self) -> list[str]:
        """The inputs that the others may have."""
        return [name for name in self.laws if name]

    def changes(self) -> Iterator[tuple[str, str]]:
        """All ordered pairs of inputs, or of an input and null, between which the user who changes may move."""
        ends = permutations(self.laws, 2)
        return ends if self.replaced else (pair for pair in ends if "" in pair)


def outcome(sent: Iterable[str], local: bool) -> Outcome:
    """What is seen of these messages: a list of them, or their counts."""
    return tuple(sorted(Counter([tuple(sent)] if local else sent).items()))


def laws_of(rows: list[Any], local: bool, place: str, budget: Budget) -> tuple[dict[str, Law], int]:
    """Each input's law, and the unit of their weights."""
    need(rows, place, "a row")
    laws, unit = dict[str, Law](), common((output["p"] for row in rows for output in row["outputs"]), budget)
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


def rows_of(seen: dict[str, Any], neighbours: Any, budget: Budget) -> Rows:
    """The laws of users who take part with some probability, and of null: who is absent, or the reference."""
    local = seen["view"] == "local"
    laws, unit = laws_of(seen["each"]["rows"], local, "claim.runs.seen.each.rows", budget)
    (a, b), (parts, whole) = seen.get("take part", (1, 1)), ({}, 1)
    if not isinstance(neighbours, str):
        parts, whole = neighbours["deletion"]
        need(all(name in laws for name in parts), "claim.neighbours.deletion", "inputs of the rows")
    size, more = sum(map(len, laws.values())) + len(laws), b.bit_length() + whole.bit_length()
    budget.spend(4 * size, unit.bit_length(), more)
    budget.hold(4 * size, unit.bit_length() + more)
    nothing = outcome([], local)
    laws = {name: {seen: weight * a * whole for seen, weight in law.items()} for name, law in laws.items()}
    for law in laws.values():
        if a < b:
            law[nothing] = law.get(nothing, 0) + (b - a) * unit * whole
    gone: Law = {} if parts else {nothing: unit * b * whole}
    for name, part in parts.items():
        for what, weight in laws[name].items():
            gone[what] = gone.get(what, 0) + weight // whole * part
    others = seen["honest"] - 1 if seen["view"] == "shuffled" else 0
    if neighbours != "replace":
        laws[""] = gone
    return Rows(laws, unit * b * whole, others, local, neighbours == "replace")


def classes(rows: Rows, budget: Budget) -> tuple[dict[str, int], list[Law]]:
    """Input -> class, in the order in which they are met, and the classes' laws: f_y is a monomial times f_x just if
    they agree, cleared of monomials."""
    number, class_of, kinds = dict[Any, int](), dict[str, int](), list[Law]()
    for name in rows.held:
        law = rows.laws[name]
        size = sum(map(len, law))
        budget.spend((size + len(law)) * (3 + len(law).bit_length()))
        budget.hold(3 * size + 2 * len(law))
        low: dict[str, int] = {}
        for i, seen in enumerate(law):
            low = {m: min(c, low[m] if i else c) for m, c in seen if i == 0 or m in low}
        cleared = sorted((tuple((m, c - low.get(m, 0)) for m, c in seen if c > low.get(m, 0)), w)
                         for seen, w in law.items())
        class_of[name] = number.setdefault(tuple(cleared), len(number))
        if class_of[name] == len(kinds):
            kinds.append(dict(cleared))
    return class_of, kinds


def end_of(value: Any, where: str, rows: Rows) -> str:
    """An END: "" is null."""
    return "" if value is None and "" in rows.laws else str(label(value, where, rows.held))


def entries_of(value: Any, where: str, form: dict[str, Any], every: list[tuple[str, str]]) -> list[Any]:
    """ENTRYs, one for each of the pairs."""
    need(isinstance(value, list), where, "a list")
    link = {key: form[key] for key in ("from", "to")} | {"same as": partial(integer, least=0),
                                                         "by": partial(integer, least=0)}
    found = [read_as(link if isinstance(item, dict) and "same as" in item else form, item, f"{where}[{i}]")
             for i, item in enumerate(value)]
    pairs = [(entry["from"], entry["to"]) for entry in found]
    need(len(pairs) == len(set(pairs)) and set(pairs) == set(every), where, "every ordered pair of neighbours, once")
    return found


def check_mixtures(rows: Rows, mixtures: Any, budget: Budget) -> Rows:
    """The rows without inputs that are mixtures of the rest: rejected where one is not."""
    left = {name: law for name, law in rows.laws.items() if name not in mixtures}
    need(not mixtures or "" not in left or left[""].keys() == {outcome([], rows.local)}, "because.mixtures",
         "replace or add-remove")
    for name, (parts, whole) in mixtures.items():
        need(all(other in left for other in parts), f"because.mixtures.{show(name)}", "inputs that are no mixtures")
        mixed: Law = {}
        for other, part in parts.items():
            budget.spend(2 * len(left[other]), rows.unit.bit_length(), whole.bit_length())
            for seen, weight in left[other].items():
                mixed[seen] = mixed.get(seen, 0) + weight * part
        if mixed != {seen: weight * whole for seen, weight in rows.laws[name].items()}:
            raise Stop("rejected", f"because.mixtures: {show(name)} is not this mixture")
    return rows._replace(laws=left)


def check_renamings(rows: Rows, renamings: list[Any], mixtures: Collection[str], budget: Budget) -> None:
    """Rejected, unless every listed renaming is one."""
    size = sum(2 + len(seen[0][0] if rows.local and seen else seen) for law in rows.laws.values() for seen in law)
    for i, renaming in enumerate(renamings):
        s, t = renaming["inputs"], renaming["messages"]
        need(all((x in mixtures) == (s[x] in mixtures) for x in s), f"because.renamings[{i}]", "mixtures kept apart")
        budget.spend(2 * size, rows.unit.bit_length(), 64)
        for name, law in rows.laws.items():
            moved_law: Law = {}
            for seen, weight in law.items():
                one = ((tuple(t.get(m, m) for m in seen[0][0]), 1),) if rows.local else ()
                moved_law[one or tuple(sorted((t.get(m, m), count) for m, count in seen))] = weight
            if moved_law != rows.laws[s.get(name, name)]:
                raise Stop("rejected", f"because.renamings[{i}] is not a renaming: see input {show(name)}")


def unknown(law: Law, known: dict[str, int]) -> Law:
    """The law of what is sent besides the messages that are known."""
    return {tuple((m, left) for m, count in seen if (left := count - known.get(m, 0))): law[seen] for seen in law}


def grid_of(value: Any, where: str) -> Any:
    """A GRID."""
    size = partial(integer, most=2**32)
    return read_as({"step": POSITIVE, "cells": size, "tilt": ABOVE_ONE, "above?": size}, value, where)


class Proof(NamedTuple):
    """What a proof about rows leaves to be looked at: single pairs as cases, of base laws, and blocks with a grid."""

    rows: Rows
    bases: list[Law]
    cases: list[Case]
    blocks: list[Any]
    known: dict[str, dict[str, int]]


def rows_proof(seen: dict[str, Any], neighbours: Any, given: Any, budget: Budget) -> Proof:
    """Reads a PROOF of rows, checks renamings and mixtures, and lists what is to be looked at."""
    rows = rows_of(seen, neighbours, budget)
    size = sum(2 + len(some) for law in rows.laws.values() for some in law)
    budget.spend(8 * size, rows.unit.bit_length())
    messages = {m for row in seen["each"]["rows"] for output in row["outputs"] for m in output["send"]}
    known_label = partial(label, known=rows.held)
    count = {"inputs": partial(permutation, known=rows.held), "messages": partial(permutation, known=messages)}
    several = partial(mapping, key=partial(label, known=messages), item=integer)
    form = {"renamings?": [count], "pairs": lambda item, _: item,
            "mixtures?": partial(mapping, key=known_label, item=partial(shares, key=known_label, budget=budget)),
            "known?": partial(mapping, key=known_label, item=several)}
    proof = read_as(form, given, "because")
    renamings, mixtures = proof.get("renamings", []), proof.get("mixtures", {})
    check_renamings(rows, renamings, mixtures, budget)
    rows = check_mixtures(rows, mixtures, budget)
    end, block = partial(end_of, rows=rows), {"open": partial(integer, least=0), "grid?": grid_of}
    block |= {"users": partial(mapping, key=partial(label, known=rows.held), item=integer), "place": end_of_place(rows)}

    def leaf(item: Any, where: str) -> Any:
        if isinstance(item, str):
            need(item in ("each", "corner", "alone"), where, "each, corner, alone or a block")
            return item
        need(seen["view"] == "shuffled", where, "a block in the shuffled view only")
        found = read_as(block, item, where)
        inside = found["place"] in found["users"] if found["place"] else found["open"]
        need(inside, f"{where}.place", "who is in the block")
        return found

    entry = {"from": end, "to": end, "tree": partial(tree_of, leaf=leaf, known=rows.held),
             "up to?": [partial(integer, least=0, most=len(renamings) - 1)]}
    budget.spend(len(rows.laws) ** 2)
    entries = entries_of(proof["pairs"], "because.pairs", entry, list(rows.changes()))
    known = proof.get("known", {})
    for name, sent in known.items():
        every = map(dict, rows.laws.get(name, []))
        good = all(all(have.get(m, 0) >= least for m, least in sent.items()) for have in every)
        need(good, f"because.known.{show(name)}", "what is always sent")
    class_of, kinds = classes(rows, budget)
    cases, blocks = set[Case](), list[Any]()
    for i, one in enumerate(entries):
        pair, where = (one["from"], one["to"]), f"because.pairs[{i}]"
        if "same as" in one:
            need(one["same as"] < i and one["by"] < len(renamings), where, "an entry before it, by a renaming")
            s, base = renamings[one["by"]]["inputs"], entries[one["same as"]]
            moved_pair = tuple(s.get(base[key], base[key]) for key in ("from", "to"))
            need("tree" in base and moved_pair == pair, where, "a pair that the renaming moves to it")
            continue
        steps: list[list[int]] = []
        for k in one.get("up to", []):
            s = renamings[k]["inputs"]
            need(all(s.get(x, x) == x for x in pair), f"{where}.up to", "renamings that leave from and to")
            to = {class_of[x]: class_of[s.get(x, x)] for x in rows.held}
            steps.append(sorted(range(len(kinds)), key=to.__getitem__))
        for low, high, what in boxes_of(rows.others, one["tree"], class_of, len(kinds), budget):
            least = corner(rows.others, low, high)
            if what == "each":
                for counts in compositions(rows.others, low, high, budget):
                    budget.hold(4 + len(kinds) // 3)
                    if not any(tuple(map(counts.__getitem__, back)) < counts for back in steps):
                        cases.add(((*counts, 0), *pair))
            elif what in ("corner", "alone"):
                cases.add(((*(least if what == "corner" else (0,) * len(kinds)), 0), *pair))
            elif (draws := blocks_in(least, what, class_of, rows.others + 1)) < 1:
                raise Stop("rejected", f"{where}: no block in the box with the corner {show(least)}")
            elif draws == 1 or "grid" not in what:
                users = [0] * len(kinds)
                for name, number in what["users"].items():
                    users[class_of[name]] += number - (name == what["place"])
                cases.add(((*users, what["open"] - (not what["place"])), *pair))
            else:
                budget.hold(4 + len(rows.laws))
                blocks.append((pair, draws, what))
    bases, opened = [unknown(rows.laws[name], known.get(name, {})) for name in rows.held], Law()
    budget.spend(len(bases) * len(bases[0]))
    alike = {some: lowest for some in bases[0] if (lowest := min(base.get(some, 0) for base in bases))}
    opened = {(("", 1), *some): lowest for some, lowest in alike.items()} | {(): rows.unit - sum(alike.values())}
    return Proof(rows, [*kinds, opened], sorted(cases), blocks, known)


def end_of_place(rows: Rows) -> Callable[[Any, str], str]:
    """The reader of a `place`: an input, or "" for null, a user left open."""
    return lambda value, where: "" if value is None else str(label(value, where, rows.held))


def blocks_in(least: Counts, block: dict[str, Any], class_of: dict[str, int], users: int) -> int:
    """How many blocks there are for sure among the users, the one who changes in one of them."""
    wanted, there, place = Counter[int](), list(least), block["place"]
    for name, count in block["users"].items():
        wanted[class_of[name]] += count
    if place:
        there[class_of[place]] += 1
    size: int = block["open"] + sum(wanted.values())
    return min([users // size, *(there[kind] // wanted[kind] for kind in wanted)])


def whole_unit(unit: int, users: int, budget: Budget) -> int:
    """The unit of the weights of a view of so many users."""
    budget.spend(1, users * unit.bit_length(), users * unit.bit_length())
    budget.hold(1, users * unit.bit_length())
    return int(unit**users)


def exact_road(rows: Rows, bases: list[Law], users: int, budget: Budget) -> Road:
    """By products of polynomials; only e^eps is rounded."""
    seen = {some for law in (*rows.laws.values(), *(bases if users > 1 else ())) for some in law}
    laws = dict(zip(rows.laws, pack(rows.laws.values(), seen, users, budget), strict=True))
    packed = pack(bases, seen, users, budget)

    def road(cases: Iterable[Case], _bits: int) -> Iterator[tuple[Case, list[Pair]]]:
        grouped = ((counts, list(some)) for counts, some in groupby(cases, key=itemgetter(0)))
        for some, shared in products(grouped, packed, budget):
            room = budget.memory
            unit = whole_unit(rows.unit, 1 + sum(some[0][0]), budget)
            views = {name: multiply(shared, laws[name], budget) for name in {name for _, *two in some for name in two}}
            kept = budget.memory
            for case in some:
                yield case, [(aligned((views[case[1]], views[case[2]]), budget), 0, unit)]
                budget.memory = kept
            budget.memory = room

    return road


def line(rows: Rows, bases: list[Law], budget: Budget) -> tuple[dict[str, Any], list[Any]] | None:
    """The inputs' and base laws, if the multisets of outcomes lie on a line, or in a plane: places are pairs (u, v).

    Lemma. Let d and e be differences of outcomes, r and s messages with D = d_r e_s - d_s e_r not 0. Of multiples of d
    and e a difference f is a sum just if D f = (f_r e_s - f_s e_r) d + (d_r f_s - d_s f_r) e: Cramer's rule. So its
    counts of r and s tell f. On a line D = d_r, with e and s that do not occur. A base law may lie on another sheet
    than the inputs' laws: its differences count.
    """
    groups: list[list[Law]] = [list(rows.laws.values()), *([base] for base in bases)]
    size = sum(2 + 2 * len(seen) for group in groups for law in group for seen in law)
    budget.spend(6 * size)
    budget.hold(3 * size)
    steps: list[Any] = []
    for group in groups:
        origin = dict(next(iter(group[0])))
        budget.spend(sum(map(len, group)) * len(origin))
        ends = [dict(seen) for law in group for seen in law]
        steps.append([Counter({m: end.get(m, 0) - origin.get(m, 0) for m in {*end, *origin}}) for end in ends])
    every = [step for some in steps for step in some]
    none: Any = Counter({None: 1}), None
    d = next((step for step in every if any(step.values())), Counter({"": 1}))
    r = min(m for m, count in d.items() if count)
    budget.spend(3 * (size + len(every) * len(d)))
    e, s = next(((e, s) for e in every for s in sorted({*d, *e}) if d[r] * e[s] != d[s] * e[r]), none)
    for f in every:
        budget.spend(3 * (len(d) + len(e) + len(f)))
        x, y = f[r] * e[s] - f[s] * e[r], d[r] * f[s] - d[s] * f[r]
        if any((d[r] * e[s] - d[s] * e[r]) * f[m] != x * d[m] + y * e[m] for m in {*d, *e, *f}):
            return None
    g, h = (math.gcd(*(f[m] for f in every)) or 1 for m in (r, s))
    sheets = []
    for some, group in zip(steps, groups, strict=True):
        u, v = (min(f[m] for f in some) for m in (r, s))
        at = iter([((f[r] - u) // g, (f[s] - v) // h) for f in some])
        laid_out = [[(next(at), weight) for weight in law.values()] for law in group]
        sheets.append(laid_out if s else [gather((place[0], w) for place, w in law) for law in laid_out])
    return dict(zip(rows.laws, sheets[0], strict=True)), [group[0] for group in sheets[1:]]


def one_draw(law: Any, unit: int, width: int, budget: Budget) -> Span:
    """A law on a line or in a plane as a Span."""
    row = 0
    if isinstance(law[0][0], tuple):
        (left, right), (top, end) = ((min(some), max(some)) for some in zip(*(place for place, _ in law), strict=True))
        row = right - left + 1
        size, flat_law = row * (end - top + 1), (((v - top) * row + u - left, weight) for (u, v), weight in law)
        law = [(0, 0), *flat_law, (size - 1, 0)]
    (first, _), (last, _) = law[0], law[-1]
    budget.spend(last - first + 1 + len(law), width, unit.bit_length())
    budget.hold(last - first + 1)
    weights = [0] * (last - first + 1)
    for place, weight in law:
        weights[place - first] += (weight << width) // unit
    return Span(first, weights, 1 << width, row)


def drawn(law: Any, unit: int, n: int, width: int, budget: Budget) -> Span:
    """The law of a sum of n draws: binomial if there are two places on a line."""
    (first, _), (last, weight) = law[0], law[-1]
    if len(law) != 2 or isinstance(first, tuple):
        return repeated(one_draw(law, unit, width, budget), n, width, budget)
    span = window(noise({"law": "binomial", "n": n, "p": (weight, unit)}, width, budget), width, budget)
    size = (last - first) * (len(span.weights) - 1) + 1
    budget.spend(size)
    budget.hold(size)
    weights = [0] * size
    weights[:: last - first] = span.weights
    return Span(n * first + (last - first) * span.start, weights, span.unit)


def survey(laws: list[Any], unit: int, wanted: list[Counts], width: int, budget: Budget) -> Iterator[Any]:
    """For each of the counts the law of a sum of so many draws from each law; a half of them shares what it can."""
    stack = [(wanted, (0,) * len(laws), Span(0, [1 << width], 1 << width), budget.memory)]
    while stack:
        some, have, span, budget.memory = stack.pop()
        budget.spend(len(some) * len(laws) + 1)
        least = tuple(map(min, zip(*some, strict=True)))
        for law, few, more in zip(laws, have, least, strict=True):
            if more > few:
                span = convolve(span, drawn(law, unit, more - few, width, budget), width, budget)
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


def line_road(rows: Rows, lines: dict[str, Any], bases: list[Any], budget: Budget) -> Road:
    """By windows, where the laws lie on a line or in a plane, laid row after row on a line."""
    plane = any(isinstance(law[0][0], tuple) for law in lines.values())

    def road(cases: Iterable[Case], bits: int) -> Iterator[tuple[Case, list[Pair]]]:
        width, grouped = bits + SPARE // 4 + rows.others.bit_length(), dict[Counts, list[Case]]()
        for case in cases:
            budget.hold(4 + len(bases) // 6)
            grouped.setdefault(case[0], []).append(case)
        for counts, span in survey(bases, rows.unit, list(grouped), width, budget):
            laws, room = lines, budget.memory
            if plane:
                stride = max(span.row, 1) + max(u for law in lines.values() for (u, _), _ in law)
                laws = {name: gather((v * stride + u, weight) for (u, v), weight in law) for name, law in lines.items()}
                span = Span(0, span.padded(stride, budget), span.unit)
            kept = budget.memory
            for case in grouped[counts]:
                yield case, [line_pair(span, laws[case[1]], laws[case[2]], rows.unit, budget)]
                budget.memory = kept
            budget.memory = room

    return road


def roads_of(proof: Proof, budget: Budget) -> list[Road]:
    """Exact products where they are little work; else windows, and after them the products where these are bearable."""
    rows, users = proof.rows, 1 + max((sum(case[0]) for case in proof.cases), default=0)
    used = [any(case[0][k] for case in proof.cases) for k in range(len(proof.bases))]
    exact = exact_road(rows, proof.bases if users > 1 else [{} for _ in used], users, budget)
    one: Law = {(): rows.unit}
    bases = [base if use else one for base, use in zip(proof.bases, used, strict=True)]
    lines = line(rows, bases, budget) if users > 1 else None
    if lines is None:
        return [exact]
    places = (place for law in (*lines[0].values(), *lines[1]) for place, _ in law)
    ends = [(place, 0) if isinstance(place, int) else place for place in places]
    reach = [max(some) - min(some) for some in zip(*ends, strict=True)]
    steps = sum(1 if case[0] == before[0] else 1 + sum(map(abs, map(int.__sub__, case[0], before[0])))
                for before, case in pairwise([proof.cases[0], *proof.cases])) + users
    digits, terms = 1 + users * rows.unit.bit_length() ** 2 // 60_000, max(map(len, lines[0].values()))
    cost = steps * math.prod(users * most + 1 for most in reach) * terms * digits
    windows = line_road(rows, lines[0], lines[1], budget)
    return [exact] if cost <= LITTLE else [windows, exact] if cost <= ENOUGH else [windows]


def on_roads(job: Callable[[Road], Any], roads: list[Road], budget: Budget) -> Any:
    """What the job finds on the first road that decides. All but the last have only a share of the work."""
    *first, last = roads
    for road in first:
        work, memory = budget.work, budget.memory
        budget.work = work // SHARE
        try:
            found = job(road)
            budget.work += work - work // SHARE
            return found
        except Stop as stop:
            if stop.args[0] != "undecided":
                raise
        budget.work, budget.memory = work - work // SHARE, memory
    return job(last)


def check_rows(seen: dict[str, Any], neighbours: Any, given: Any, eps: Eps, delta: Ratio, budget: Budget) -> str:
    """A proof about rows."""
    proof = rows_proof(seen, neighbours, given, budget)
    if proof.cases:
        refuse(lambda road: failing(road, proof.cases, eps, delta, True, budget), roads_of(proof, budget), budget)
    check_blocks(proof, eps, delta, budget)
    return f"{len(proof.cases) + len(proof.blocks)} pairs of laws bound all"


def refuse(job: Callable[[Road], tuple[Any, int]], roads: list[Road], budget: Budget) -> None:
    """Rejected, where the job finds a case that fails."""
    case, _ = on_roads(job, roads, budget)
    if case is not None:
        raise Stop("rejected", f"because: delta(eps) is above delta for others by class, from, to = {show(case)}")


# ---- blocks of users, and any private randomizer ----

def check_blocks(proof: Proof, eps: Eps, delta: Ratio, budget: Budget) -> None:
    """The bound of CERTIFICATE_NEW.md's lemma of blocks; the message "", which no user sends, counts who is drawn."""
    rows, known, mark = proof.rows, proof.known, Law({(("", 1),): 1})
    held, opened = rows.held, proof.bases[-1]
    wanted = dict[Counts, list[Any]]()
    for pair, draws, block in proof.blocks:
        place = block["place"]
        counts = (*(block["users"].get(name, 0) - (name == place) for name in held), block["open"] - (not place))
        wanted.setdefault(counts, []).append((1 + sum(counts), place, pair, draws, block["grid"]))
    parts: dict[Any, Law] = {("row", name): law for name, law in rows.laws.items()}
    parts["drawn"] = mark
    parts |= {("known", name): {tuple(sorted(known.get(name, {}).items())): 1} for name in rows.laws}
    parts |= {("base", name): unknown(rows.laws[name], known.get(name, {})) for name in held} | {("base", ""): opened}
    laws: list[Law] = [*rows.laws.values(), opened, mark]
    seen = {some for law in laws for some in law}
    users = 2 + max(map(sum, wanted), default=0)
    lines = dict(zip(parts, pack(parts.values(), seen, users, budget), strict=True)) if wanted else {}
    for some, rest in products(sorted(wanted.items()), [lines.get(("base", name), []) for name in (*held, "")], budget):
        for size, place, pair, draws, grid in some:
            room = budget.memory
            own = rest if place else multiply(rest, lines["drawn"], budget)
            known_too = multiply(rest, lines["known", place or pair[0]], budget)
            sides = (multiply(own, lines["row", end], budget) for end in pair)
            shape = aligned((*sides, multiply(known_too, lines["base", place], budget)), budget)
            unit, bits = whole_unit(rows.unit, size, budget), bits_of(grid, delta, budget)
            above, below = grid_bound(shape, unit, draws, grid, delta, enclose(eps, bits, budget), bits, budget)
            budget.memory = room
            if above * delta[1] > delta[0] * below:
                raise Stop("undecided", f"because: a block's bound, with these hints, is above delta for {show(pair)}")


def bits_of(grid: Any, delta: Ratio, budget: Budget) -> int:
    """The bits that a grid needs: a rounding adds at most 2^-bits to a place, of which there are so many."""
    (step, part), cells = grid["step"], grid["cells"]
    size: int = 16 * cells**2 * step * delta[1] // (part * max(delta[0], 1))
    if (bits := size.bit_length() + SPARE) > budget.bits:
        raise Stop("undecided", f"too few bits: {bits} bits are needed, allow more with --max-bits")
    return bits


def grid_bound(
    shape: Shape, unit: int, n: int, grid: Any, delta: Ratio, ends: Ends, width: int, budget: Budget
) -> Ratio:
    """CERTIFICATE_NEW.md's upper end of delta(eps), from (P, Q, S) of all outcomes, for n draws from S.

    Weights are rounded up, and e^eps down. H is the least for which what lies above it is below 2^-24 n delta, if any.
    Where the grid says above what place, an outcome there counts as if S were 0, and too low a place is raised.
    """
    (low, _, scale), (step, part), (tilt, one), cells = ends, grid["step"], grid["tilt"], grid["cells"]
    most, least_place = (grid["above"], grid["above"] - cells + 1) if "above" in grid else (MANY, -MANY)
    shape = list(shape)
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
    placed = [(place, weight) for place, weight in gather(terms) if weight]
    (start, _), (top, _), fine = placed[0], placed[-1], 2 * (width + SPARE)
    if top <= 0:
        return direct
    if top - start >= cells or up(tilt, tilt - one) >= cells:
        raise Stop("undecided", "grid: too few cells for one step, or for H (1 - 1/tilt) >= 1")
    grows, falls = up(tilt << fine, one), up(one << fine, tilt)
    each = sum(up(weight * power_up(grows if place > 0 else falls, abs(place), fine, budget), 1 << width)
               for place, weight in placed)
    every = power_up(each, n, fine, budget)
    sharp = fine + every.bit_length()

    def above(high: int) -> int:
        return up(step * high * power_up(up(one << sharp, tilt), high, sharp, budget) * every, 1 << sharp)

    share = (n * delta[0] * part << fine) // (delta[1] << 24)
    high = bisect_left(range(cells - 1), True, up(tilt, tilt - one), key=lambda at: above(at) <= share)
    budget.hold(2 * (top - start + 1), width)
    base = [0] * (top - start + 1)
    for place, weight in placed:
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


def check_private(seen: dict[str, Any], given: Any, eps: Eps, delta: Ratio, budget: Budget) -> str:
    """CERTIFICATE_NEW.md's bound for all private randomizers: E is rounded up, and down in what delta0 adds."""
    grid, (local, (share, whole)) = read_as({"grid": grid_of}, given, "because")["grid"], seen["each"]["private"]
    bits, users = bits_of(grid, delta, budget), seen["honest"]
    (low, high, scale), (least, most, part) = (enclose(some, bits, budget) for some in (eps, local))
    (p, q, log), (r, s, power) = eps, local
    above, below = share, whole  # all that is left where e^eps >= E
    if p * s < r * q if log == power else low * part < most * scale:
        shape, unit = ((most, part, part), (part, most, part)), most + part
        above, below = grid_bound(shape, unit, users, grid, delta, (low, high, scale), bits, budget)
        more = least * scale + 3 * (scale + high) * (users - 1) * part, least * scale
        above, below = above * whole * more[1] + below * share * more[0], below * whole * more[1]
    if above * delta[1] > delta[0] * below:
        raise Stop("undecided", "because.grid: the bound for all randomizers, with these hints, is above delta")
    return "by the bound for all private randomizers"


# ---- independent columns, and numbers ----

class Factor(NamedTuple):
    """A column of a pair: how many of the others have each of its laws, the laws of the user who changes, and from
    where on the sum is shown; `counts` None: nobody and nothing else."""

    counts: Counts | None
    laws: tuple[dict[str, Any], ...]
    ends: tuple[dict[str, Any], dict[str, Any]]
    shown: int


def named(inputs: Iterable[str], neighbours: Any, others: int) -> Rows:
    """These inputs, of users whose laws are no rows."""
    gone: dict[str, Law] = {} if neighbours == "replace" else {"": {}}
    return Rows(dict.fromkeys(inputs, Law()) | gone, 1, others, False, neighbours == "replace")


def columns_cases(seen: dict[str, Any], neighbours: Any, given: Any, budget: Budget) -> list[tuple[Any, list[Factor]]]:
    """Reads a PROOF of columns, and lists the pairs that are to be looked at, each a product of factors."""
    rows, total = seen["columns"], seen["honest"] - 1
    inputs = {name: i for i, name in enumerate(rows)}

    def leaf(item: Any, where: str) -> Any:
        need(item in ("each", "corner", "alone"), where, "each, corner or alone")
        return item

    end = partial(end_of, rows=named(rows, neighbours, total))
    entry = {"from": end, "to": end, "tree": partial(tree_of, leaf=leaf, known=rows)}
    every = list(permutations(rows, 2)) if seen["kind"] == "columns" else [("a", "b")]
    every = every if neighbours == "replace" else [("a", ""), ("", "a")]
    entries = entries_of(read_as({"pairs": lambda item, _: item}, given, "because")["pairs"], "because.pairs",
                         entry, every)
    found = list[tuple[Any, list[Factor]]]()
    for one in entries:
        need("tree" in one, "because.pairs", "a tree")
        pair = one["from"], one["to"]
        for low, high, what in boxes_of(total, one["tree"], inputs, len(rows), budget):
            for counts in compositions(total, low, high, budget) if what == "each" else [None]:
                budget.hold(20 + len(rows))
                least, most = (counts, counts) if counts else (low, high)
                factors = factors_of(seen, pair, least, most, what == "alone", budget)
                found.append(((pair, counts or (low, high)), factors))
    return found


def factors_of(
    seen: dict[str, Any], pair: tuple[str, str], low: Counts, high: Counts, alone: bool, budget: Budget
) -> list[Factor]:
    """The columns in which two inputs differ, with those of the others who are there for sure."""
    rows, total, factors = seen["columns"], seen["honest"] - 1, []
    none = [ZERO] * len(next(iter(rows.values())))
    for j, ends in enumerate(zip(*(rows.get(end, none) for end in pair), strict=True)):
        if ends[0] == ends[1]:
            continue
        groups = dict[str, tuple[dict[str, Any], list[int]]]()
        budget.spend(20 * len(rows))
        for k, laws in enumerate(rows.values()):
            groups.setdefault(repr(laws[j]), (laws[j], []))[1].append(k)
        counts, fixed = [], True
        for _, members in groups.values():
            least = max(sum(low[k] for k in members), total - sum(high) + sum(high[k] for k in members))
            most = min(sum(high[k] for k in members), total - sum(low) + sum(low[k] for k in members))
            counts.append(least)
            fixed = fixed and least == most
        shown = seen.get("shown", {}).get("from", 0) if fixed and not alone else 0
        factors.append(Factor(None if alone else tuple(counts), tuple(law for law, _ in groups.values()), ends, shown))
    return factors


def factor_pair(seen: dict[str, Any], factor: Factor, width: int, budget: Budget) -> Pair:
    """The pair of laws of a column."""
    (c, own), (d, other) = (flat(law, 1) for law in factor.ends)
    parts: dict[str, Any] = {}
    if factor.counts is not None:
        for law, count in zip(factor.laws, factor.counts, strict=True):
            at, _ = flat(law, count, parts)
            c, d = c + at, d + at
        at, _ = flat(seen.get("added", ZERO), 1, parts)
        c, d = c + at, d + at
    if own.keys() == other.keys() and own == other and not factor.shown:
        for law, times in own.values():
            flat(law, times, parts)
        return moved(parts, c, d, width, budget)
    base, unit = spread(parts, width, budget)
    sides: list[Any] = []
    for at, some in ((c, own), (d, other)):
        mine, its = spread(some, width, budget)
        line = [(place + at, weight) for place, weight in multiply(base, mine, budget)]
        if factor.shown:
            line = gather((max(place, factor.shown - 1), weight) for place, weight in line)
        sides += [line, unit * its]
    return pair_from(sides[0], sides[1], sides[2], sides[3], budget)


def columns_road(seen: dict[str, Any], budget: Budget) -> Road:
    """By the laws of columns, some of which are kept."""
    def road(cases: Iterable[Any], bits: int) -> Iterator[tuple[Any, list[Pair]]]:
        kept, room, width = dict[str, Pair](), budget.memory, bits + 2 * SPARE
        for case in cases:
            factors = []
            for factor in case[1]:
                name = repr(factor)
                if name not in kept:
                    if len(kept) >= 256:
                        budget.memory = room
                        kept.clear()
                    before = budget.memory
                    kept[name] = factor_pair(seen, factor, width, budget)
                    budget.memory = before
                    budget.hold(3 * len(kept[name][0]), 2 * width)
                factors.append(kept[name])
            yield case, factors or [([], 0, 1)]
        budget.memory = room

    return road


def check_columns(seen: dict[str, Any], neighbours: Any, given: Any, eps: Eps, delta: Ratio, budget: Budget) -> str:
    """A proof about columns."""
    cases = columns_cases(seen, neighbours, given, budget)
    refuse(lambda road: failing(road, cases, eps, delta, True, budget), [columns_road(seen, budget)], budget)
    return f"{len(cases)} products of columns bound all"


def number_cases(seen: dict[str, Any], neighbours: Any) -> Iterable[tuple[int | None, int | None]]:
    """The inputs (from, to) that bound all pairs of neighbours of numbers; None is null."""
    most, plus = seen["each"]["up to"], flat(seen["each"].get("plus", ZERO), 1)[1]
    whole = number_parts(seen, 0)[1]
    concave = [law for law, _ in whole.values() if law["law"] not in ("finite", "mixture", "mod")
               and (law["law"] != "negative binomial" or law["r"][0] >= law["r"][1])]
    few = len(concave) == len(whole) or (len(whole) == 1 and all(law["law"] == "negative binomial"
                                                                 for law, _ in whole.values()))
    shifted = neighbours == "replace" or (not plus and flat(seen["each"].get("plus", ZERO), 1)[0] == 0)
    first = most if few and shifted and "shown" not in seen else 1 if neighbours == "replace" else 0
    null = 0 if neighbours == "replace" else None
    return (pair for j in range(first, most + 1) for pair in ((j, null), (null, j)))


def number_parts(seen: dict[str, Any], fewer: int) -> tuple[int, dict[str, Any]]:
    """What is added to numbers: by the server and by so many users fewer than all."""
    at, parts = flat(seen.get("added", ZERO), 1)
    more, _ = flat(seen["each"].get("plus", ZERO), seen["honest"] - fewer, parts)
    return at + more, parts


def number_road(seen: dict[str, Any], budget: Budget) -> Road:
    """By laws of what is added."""
    modulus = seen.get("shown", {}).get("mod")

    def road(cases: Iterable[Any], bits: int) -> Iterator[tuple[Any, list[Pair]]]:
        width = bits + 2 * SPARE
        for case in cases:
            (i, (c, one)), (j, (d, other)) = ((end or 0, number_parts(seen, end is None)) for end in case)
            room = budget.memory
            if one == other and modulus is None:
                yield case, [moved(one, c + i, d + j, width, budget)]
            else:
                sides: list[Any] = []
                for at, parts in ((c + i, one), (d + j, other)):
                    line, unit = spread(parts, width, budget)
                    budget.spend(8 * len(line))
                    sides += [gather(((at + k) % modulus if modulus else at + k, w) for k, w in line), unit]
                yield case, [pair_from(sides[0], sides[1], sides[2], sides[3], budget)]
            budget.memory = room

    return road


def check_number(seen: dict[str, Any], neighbours: Any, given: Any, eps: Eps, delta: Ratio, budget: Budget) -> str:
    """Numbers need no proof but the lemma of the largest shift."""
    read_as({}, given, "because")
    cases, road = number_cases(seen, neighbours), number_road(seen, budget)
    left = list(islice(cases, MAX_WORK))
    refuse(lambda road: failing(road, left, eps, delta, True, budget), [road], budget)
    return f"{len(left)} shifts bound all"


def check_proof(seen: dict[str, Any], neighbours: Any, given: Any, eps: Eps, delta: Ratio, budget: Budget) -> str:
    """A PROOF of one run."""
    if seen["kind"] == "private":
        return check_private(seen, given, eps, delta, budget)
    jobs = {"rows": check_rows, "up to": check_number}
    return jobs.get(seen["kind"], check_columns)(seen, neighbours, given, eps, delta, budget)


# ---- refutations ----

def pair_of(value: Any, where: str, rows: Rows, others: bool) -> Any:
    """A PAIR of neighbours among these inputs."""
    end = partial(end_of, rows=rows)
    form: dict[str, Any] = {"from": end, "to": end}
    form |= {"others": partial(mapping, key=partial(label, known=rows.held), item=integer)} if others else {}
    found = read_as(form, value, where)
    need(found["from"] != found["to"], f"{where}.to", "another input than from")
    need(rows.replaced or "" in (found["from"], found["to"]), f"{where}.to", "null, at one of the two ends")
    need(not others or sum(found["others"].values()) == rows.others, f"{where}.others", "honest - 1 inputs")
    return {"others": {}} | found


def one_pair(seen: dict[str, Any], neighbours: Any, given: Any, where: str, budget: Budget) -> tuple[Any, list[Road]]:
    """The case that a PAIR names, and roads to it."""
    if seen["kind"] == "up to":
        def number(value: Any, place: str) -> int | None:
            found = None if value is None and neighbours != "replace" else signed(value, place)
            need(found is None or 0 <= found <= seen["each"]["up to"], place, "an input")
            return found

        pair = read_as({"from": number, "to": number}, given, where)
        ends = pair["from"], pair["to"]
        need(ends[0] != ends[1] and (neighbours == "replace") == (None not in ends), where, "neighbours")
        return ends, [number_road(seen, budget)]
    if seen["kind"] in ("columns", "one of"):
        pair = pair_of(given, where, named(seen["columns"], neighbours, seen["honest"] - 1), True)
        counts = tuple(pair["others"].get(name, 0) for name in seen["columns"])
        factors = factors_of(seen, (pair["from"], pair["to"]), counts, counts, False, budget)
        return (pair, factors), [columns_road(seen, budget)]
    rows = rows_of(seen, neighbours, budget)
    pair = pair_of(given, where, rows, seen["view"] == "shuffled")
    held = rows.held
    counts = tuple(pair["others"].get(name, 0) for name in held)
    bases = [rows.laws[name] for name in held]
    case = counts, pair["from"], pair["to"]
    return case, roads_of(Proof(rows, bases, [case], [], {}), budget)


def check_event(seen: dict[str, Any], neighbours: Any, given: Any, eps: Eps, delta: Ratio, budget: Budget) -> str:
    """A REFUTATION of one run."""
    need(isinstance(given, dict), "because", "an object")
    rows_kind = seen["kind"] in ("rows", "private")
    form = {"pair": lambda item, _: item} | ({"event?": lambda item, _: item} if rows_kind else {})
    if seen["kind"] == "private":
        form["rows"] = lambda item, _: item
    found = read_as(form, given, "because")
    if seen["kind"] == "private":
        table = {"rows": found["rows"]}
        read_as({"rows": [{"input": label, "outputs": [{"send": [label], "p": POSITIVE}]}]}, table, "because")
        inner = seen_of({"users": (str(seen["users"]),), "honest": (str(seen["honest"]),), "view": "shuffled",
                         "each": table}, "because", budget)
        local, most = seen["each"]["private"]
        check_local(rows_of(inner, "replace", budget), local, most, budget)
        seen = inner
    if "event" not in found:
        case, roads = one_pair(seen, neighbours, found["pair"], "because.pair", budget)
        failed, _ = on_roads(lambda road: failing(road, [case], eps, delta, False, budget), roads, budget)
        if failed is not None:
            raise Stop("rejected", "because.pair: its delta(eps) is not above delta")
        return "shown by 1 pair"
    rows = rows_of(seen, neighbours, budget)
    pair = pair_of(found["pair"], "because.pair", rows, seen["view"] == "shuffled")
    messages = {m for row in seen["each"]["rows"] for output in row["outputs"] for m in output["send"]}
    sent = partial(label, known=messages)
    one: Any = [sent] if rows.local else partial(mapping, key=sent, item=integer)
    weights = {"weights": partial(mapping, key=sent, item=signed), "above": signed}
    event = one_of(found["event"], "because.event", {"outcomes": {"outcomes": [one]}, "weights": weights})
    if "outcomes" in event:
        outcomes = [outcome(item, rows.local) for item in event["outcomes"]]
        need(len(set(outcomes)) == len(outcomes), "because.event", "outcomes that differ")
        event_at = listed(rows, pair, outcomes, budget)
    else:
        need(seen["view"] == "shuffled", "because.event", "outcomes, outside the shuffled view")
        event_at = threshold(rows, pair, event["weights"], event["above"], delta, budget)
    for bits in doublings(64, budget):
        room = budget.memory
        (p, q, more, unit), (low, high, scale) = event_at(bits), enclose(eps, bits, budget)
        budget.spend(8, unit.bit_length(), scale.bit_length())
        ends = scale * p - high * (q + more), scale * (p + more) - low * q, scale * unit
        budget.memory = room
        good = settled(ends, delta, False, budget)
        if good is False:
            raise Stop("rejected", "because.event: P(event) - e^eps Q(event) is not above delta")
        if good:
            break
    return "shown by 1 pair and an event"


def check_local(rows: Rows, eps: Eps, delta: Ratio, budget: Budget) -> None:
    """Rejected, unless the rows are (eps, delta)-private alone."""
    every = [(p, q) for p in rows.laws.values() for q in rows.laws.values()]
    budget.hold(sum(len(law) for law in rows.laws.values()) * len(rows.laws), 64)
    cases = [[([(w, q.get(y, 0)) for y, w in p.items()], 0, rows.unit)] for p, q in every]
    job = failing(lambda some, _: ((case, case) for case in some), cases, eps, delta, True, budget)
    if job[0] is not None:
        raise Stop("rejected", "because.rows: less private than claimed of all")


def listed(rows: Rows, pair: Any, outcomes: list[Outcome], budget: Budget) -> Callable[[int], Counts]:
    """P(event), Q(event), what either may have more, and their unit: exactly, of outcomes that are listed."""
    seen = {some for law in rows.laws.values() for some in law}
    laws = pack(rows.laws.values(), seen, rows.others + 1, budget)
    [event] = pack([dict.fromkeys(outcomes, 1)], seen, rows.others + 1, budget)
    counts = tuple(pair["others"].get(name, 0) for name in rows.laws)
    shared = next(products([(counts, None)], laws, budget))[1]
    views = (multiply(shared, laws[list(rows.laws).index(pair[end])], budget) for end in ("from", "to"))
    p, q = (sum(one for one, chosen in aligned((view, event), budget) if chosen) for view in views)
    unit = whole_unit(rows.unit, rows.others + 1, budget)
    return lambda _: (p, q, 0, unit)


def threshold(
    rows: Rows, pair: Any, weights: dict[str, int], above: int, delta: Ratio, budget: Budget
) -> Callable[[int], Counts]:
    """The same, of the event that a weighted sum of all messages is above a number."""
    lines: dict[str, Line] = {}
    for name, law in rows.laws.items():
        budget.spend(sum(1 + len(seen) for seen in law), 3_400, 64)
        budget.hold(len(law), 3_400)
        places = (sum(weights.get(message, 0) * count for message, count in seen) for seen in law)
        lines[name] = gather(zip(places, law.values(), strict=True))
    p, q = lines[pair["from"]], lines[pair["to"]]
    others, counts = [lines[name] for name in pair["others"]], tuple(pair["others"].values())
    top = max(p[-1][0], q[-1][0]) + sum(law[-1][0] * count for law, count in zip(others, counts, strict=True))
    if above + 1 == top and not delta[0]:  # P(E) - e^eps Q(E) > 0: what the others add to both is one factor
        others = [[(law[-1][0], rows.unit)] for law in others]

    def event_at(bits: int) -> tuple[int, int, int, int]:
        width = bits + SPARE + 2 * rows.others.bit_length()
        [(_, span)] = survey(others, rows.unit, [counts], width, budget)
        atoms, lost, unit = line_pair(span, p, q, rows.unit, budget)
        event = atoms[max(above + 1 - span.start - min(p[0][0], q[0][0]), 0) :]
        one, other = map(sum, zip((0, 0), *event, strict=True))
        return one, other, lost * (above < top), unit

    return event_at


# ---- compositions ----

def times_of(a: Power, b: Power, rise: bool) -> Power:
    """a b, to SHARP bits, rounded up or down."""
    m = a[0] * b[0]
    s = max(m.bit_length() - SHARP, 0)
    return (-(-m >> s) if rise else m >> s), a[1] + b[1] + s


def power_of(base: Ratio, n: int, rise: bool) -> Power:
    """base^n for an integer n, rounded up or down."""
    a, b = base if n >= 0 else base[::-1]
    s = SHARP + max(b.bit_length() - a.bit_length(), 0)
    one, total = (up(a << s, b) if rise else (a << s) // b, -s), (1, 0)
    for bit in f"{abs(n):b}":
        total = times_of(total, total, rise)
        total = times_of(total, one, rise) if bit == "1" else total
    return total


def fixed(x: Power, width: int, rise: bool) -> int:
    """x 2^width, rounded up or down to an integer."""
    s = x[1] + width
    return x[0] << s if s >= 0 else -(-x[0] >> -s) if rise else x[0] >> -s


class Lattice(NamedTuple):
    """A pair of laws of which step^(2^level j) is the ratio at place j: tilted weights of P from above, `beyond` of it
    at infinity; or, with q, of P and Q as they are at each place, from below and above. Over 2^width they are

        P = p[i] tilt^-(2^level j) 2^-e,   Q = q[i] (tilt step)^-(2^level j) 2^-f,   j = first + i.
    """

    level: int
    first: int
    p: list[int]
    e: int
    beyond: int
    q: list[int] | None = None
    f: int = 0
    runs: int = 1


class Composer:
    """Puts pairs on a lattice, multiplies and evaluates them there: from above, or for a refutation from below."""

    def __init__(self, hints: dict[str, Any], upper: bool, width: int, room: int, budget: Budget):
        self.step, self.tilt, self.cells = hints["step"], hints["tilt"], hints["cells"]
        self.upper, self.width, self.room, self.budget = upper, width, room, budget  # room: for each run, over 2^width
        self.both = self.tilt[0] * self.step[0], self.tilt[1] * self.step[1]  # the tilt of Q
        budget.spend(10, sum(map(int.bit_length, (*self.step, *self.tilt))), SHARP)
        self.lows, self.highs = [1 << SHARP], [1 << SHARP]  # powers of the step, over 2^SHARP

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
        return -bisect_left(self.highs, ((q << SHARP) // p) + 1)

    def start(self, pair: Pair) -> Lattice:
        """A pair's atoms at places. CERTIFICATE_NEW.md: from above an atom is split so that the totals stay, what is
        missing is at infinity; from below it goes to either place by its share between them."""
        (atoms, lost, unit), (a, b), width = pair, self.step, self.width
        one, sharp, size = (1 << SHARP), 2 * SHARP, len(atoms)
        self.budget.spend(60 * size, 2 * SHARP, unit.bit_length() + SHARP)
        beyond = up(lost << width, unit) if self.upper else 0
        found, seen_q = dict[int, int](), dict[int, int]()
        for p, q in atoms:
            if p == 0:
                continue
            j = self.place(p, q) if q else self.cells
            if j >= self.cells and (self.upper or not q):
                beyond += up(p << width, unit) if self.upper else (p << width) // unit
                continue
            if not self.upper:
                j = min(j, self.cells)
            k = min(abs(j), len(self.lows) - 1)
            low, high = self.lows[k], self.highs[k]
            if j < 0:
                low, high = one * one // high, up(one * one, low)
            if self.upper:
                second = max(up(a * ((p << SHARP) - low * q), a - b), 0)
                first = min(max(up(a * high * q - (b * p << SHARP), a - b), 0), p << SHARP)
                for at, weight in ((j, first), (j + 1, second)):
                    if weight:
                        found[at] = found.get(at, 0) + weight
            else:
                share = min(max((((p << SHARP) - low * q) * b << 16) // max(low * q * (a - b), 1), 0), 1 << 16)
                for at, part in ((j, (1 << 16) - share), (j + 1, share)):
                    if part:
                        found[at], seen_q[at] = found.get(at, 0) + p * part, seen_q.get(at, 0) + q * part
        whole = unit << (SHARP if self.upper else 16)
        places = range(min(found, default=0), max(found, default=0) + 1)
        self.budget.spend(len(places), SHARP, unit.bit_length())
        self.budget.hold(2 * len(places), sharp)
        if len(places) > 2 * self.cells + 4:
            raise Stop("undecided", "because.lattices: too few cells for one run")
        sides = []
        for weights, tilt, rise in ((found, self.tilt, self.upper), (seen_q, self.both, True)):
            terms = [times_of((weights.get(j, 0), 0), power_of(tilt, j, rise), rise) for j in places]
            most = max((m.bit_length() + e for m, e in terms if m), default=0) - whole.bit_length()
            shift = GRAIN - most
            shifted = (fixed(x, shift, rise) for x in terms)
            sides.append(([up(x, whole) if rise else x // whole for x in shifted], shift))
        (p_side, e), (q_side, f) = sides
        return self.within(Lattice(0, places[0], p_side, e, beyond, None if self.upper else q_side, f))

    def within(self, x: Lattice) -> Lattice:
        """Without small ends, and with at most so many cells."""
        x = self.trimmed(x)
        while len(x.p) > self.cells:
            x = self.coarser(x)
        return x

    def coarser(self, x: Lattice) -> Lattice:
        """Step and tilt squared: CERTIFICATE_NEW.md's splits of odd places."""
        n, first = 1 << x.level, x.first
        falls = power_of(self.step, n, False)
        if self.upper:  # 1/(g + 1) below, g/(g + 1) = 1/(1 + 1/g) above
            one = 1 << SHARP
            down = up(one << SHARP, one + fixed(falls, SHARP, False)), -SHARP
            rising = up(one << SHARP, one + fixed(power_of(self.step, -n, False), SHARP, False)), -SHARP
        else:
            down = rising = (1, -1)
        self.budget.spend(4 * len(x.p), GRAIN, SHARP)
        sides: list[Any] = []
        for weights, tilt, rise in ((x.p, self.tilt, self.upper), (x.q, self.both, True)):
            if weights is None:
                sides.append(None)
                continue
            below, above = (fixed(times_of(part, power_of(tilt, at, rise), rise), SHARP, rise)
                            for part, at in ((down, -n), (rising, n)))
            weights = [0] * (first % 2) + weights
            weights += [0] * (len(weights) % 2)
            even, odd = [*weights[::2], 0], weights[1::2]
            for i, weight in enumerate(odd):
                low, high = weight * below, weight * above
                even[i] += -(-low >> SHARP) if rise else low >> SHARP
                even[i + 1] += -(-high >> SHARP) if rise else high >> SHARP
            sides.append(even)
        return x._replace(level=x.level + 1, first=(first - first % 2) // 2, p=sides[0], q=sides[1])

    def trimmed(self, x: Lattice) -> Lattice:
        """What is small at the ends is, from above, raised to the first place that stays, or to infinity."""
        p, q, n = x.p, x.q or x.p, 1 << x.level
        least, its = (max(max(side) >> CUT, 1) for side in (p, q))
        big = [i for i, (a, b) in enumerate(zip(p, q, strict=True)) if a >= least or (x.q and b >= its)]
        first, last = (big[0], big[-1] + 1) if big else (0, 1)
        if not self.upper:
            return x._replace(first=x.first + first, p=p[first:last], q=x.q[first:last] if x.q else None)
        rise, last, beyond, more = power_of(self.tilt, n, True), len(p), x.beyond, 0
        weight = power_of(self.tilt, -n * (x.first + last - 1), True)
        while last > first + 1:
            more += fixed(times_of((p[last - 1], 0), weight, True), self.width - x.e, True)
            if more > self.room * x.runs:
                break
            beyond, last, weight = x.beyond + more, last - 1, times_of(weight, rise, True)
        kept, raised, weight = p[first:last], 0, (1, 0)
        for i in range(first - 1, -1, -1):
            weight = times_of(weight, rise, True)
            raised += fixed(times_of((p[i], 0), weight, True), 0, True)
        self.budget.spend(2 * (len(p) - len(kept)) + 2, SHARP, SHARP)
        kept[0] += raised
        return x._replace(first=x.first + first, p=kept, beyond=beyond)

    def joined(self, x: Lattice, y: Lattice) -> Lattice:
        """The product of two pairs."""
        same = x is y
        while x.level < y.level:
            x = self.coarser(x)
        while y.level < x.level:
            y = self.coarser(y)
        sides: list[Any] = []
        room = self.budget.memory
        for a, b, rise in ((x.p, y.p, self.upper), (x.q, y.q, True)):
            if a is None or b is None:
                sides += [None, 0]
                continue
            whole = product(a, a if same else b, self.budget) if any(a) and any(b) else [0]
            s = max(max(whole).bit_length() - GRAIN, 0)
            sides += [[-(-w >> s) if rise else w >> s for w in whole], s]
        self.budget.memory = room
        self.budget.hold(2 * len(sides[0]), GRAIN)
        one, both = 1 << self.width, (min(x.beyond, 1 << self.width), min(y.beyond, 1 << self.width))
        beyond = sum(both) - (both[0] * both[1] // one if self.upper else up(both[0] * both[1], one))
        e, f = x.e + y.e - sides[1], x.f + y.f - sides[3]
        return self.within(Lattice(x.level, x.first + y.first, sides[0], e, beyond, sides[2], f, x.runs + y.runs))

    def repeated(self, x: Lattice, n: int) -> Lattice:
        """The product of n pairs, by doubling."""
        found = x
        for bit in f"{n:b}"[1:]:
            found = self.joined(found, found)
            found = self.joined(found, x) if bit == "1" else found
        return found

    def delta(self, x: Lattice, eps: Eps) -> tuple[int, int]:
        """delta(eps) from above, or from below, over 2^width."""
        low, high, scale = enclose(eps, SHARP, self.budget)
        n, total, width = 1 << x.level, 0, self.width
        self.budget.spend(8 * len(x.p), SHARP, SHARP)
        p_fall, q_fall = power_of(self.tilt, -n, self.upper), power_of(self.both, -n, True)
        g_fall = power_of(self.step, -n, False)
        p_at, q_at = power_of(self.tilt, -n * x.first, self.upper), power_of(self.both, -n * x.first, True)
        g_at = power_of(self.step, -n * x.first, False)
        for i, weight in enumerate(x.p):
            if self.upper:
                near = g_at[1] + g_at[0].bit_length() < SHARP
                rest = (1 << SHARP) - (low * fixed(g_at, SHARP, False) // scale if near else 1 << SHARP)
                if rest > 0 and weight:
                    total += fixed(times_of(times_of((weight, 0), p_at, True), (rest, -SHARP), True), width - x.e, True)
                g_at = times_of(g_at, g_fall, False)
            elif weight and x.q is not None:
                mine = fixed(times_of((weight, 0), p_at, False), width - x.e, False)
                total += max(mine - up(high * fixed(times_of((x.q[i], 0), q_at, True), width - x.f, True), scale), 0)
                q_at = times_of(q_at, q_fall, True)
            else:
                q_at = times_of(q_at, q_fall, True)
            p_at = times_of(p_at, p_fall, self.upper)
        return total + x.beyond, 1 << width


def dots(points: list[tuple[Ratio, Ratio]], width: int, budget: Budget) -> Pair:
    """The pair whose curve is the lower convex hull of the points, their mirrors and (0, 1): P rounded up, Q down."""
    from fractions import Fraction

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
    lines.append((min(y for _, y in hull), Fraction(0)))
    one, atoms = 1 << width, []
    for p, q in ((a - c, b - d) for (a, b), (c, d) in pairwise(lines)):
        atoms.append((up(p.numerator << width, p.denominator), (q.numerator << width) // q.denominator))
    atoms.append((up(lines[-1][0].numerator << width, lines[-1][0].denominator), 0))
    return atoms, 0, one


def check_composed(claim: Claim, given: Any, proved: bool, budget: Budget) -> str:
    """COMPOSED: proved for each choice of pairs, one for each part, that the parts' proofs say are enough."""
    hints = {"step": ABOVE_ONE, "cells": partial(integer, least=2, most=2**24), "tilt": POSITIVE}
    found = read_as({"runs": [lambda item, _: item], "lattices": [hints]}, given, "because")
    need(found["lattices"], "because.lattices", "a lattice")
    need(len(found["runs"]) == len(claim.runs), "because.runs", "a part for each of the claim's runs")
    total = sum(times for _, times in claim.runs)
    width = GRAIN + SPARE + 2 * small(claim.delta) + 2 * total.bit_length()
    room = (claim.delta[0] << width - ROOM) // (claim.delta[1] * total)
    composers = [Composer(lattice, proved, width, room, budget) for lattice in found["lattices"]]
    options, lost = list[list[tuple[list[Pair], int]]](), 0
    for i, ((seen, times), part) in enumerate(zip(claim.runs, found["runs"], strict=True)):
        where, some = f"because.runs[{i}]", list[list[Pair]]()
        if not proved:
            pair = read_as({"pair": lambda item, _: item}, part, where)["pair"]
            need(seen["kind"] != "private", where, "any but private")
            case, roads = one_pair(seen, claim.neighbours, pair, where, budget)
            some = [next(iter(roads[-1]([case], width)))[1]]
            for _, missing, unit in some[0]:
                lost += up(times * missing << width, unit)
        elif isinstance(part, dict) and "points" in part:
            points = read_as({"points": [lambda item, _: item]}, part, where)["points"]
            need(points and all(isinstance(point, list) and len(point) == 3 for point in points), where, "points")
            read = [(ratio(t, where, lambda p, q: p >= q, "t of at least 1"), PROBABILITY(d, where), proof)
                    for t, d, proof in points]
            for t, d, proof in read:
                check_proof(seen, claim.neighbours, proof, (*t, True), d, budget)
            some = [[dots([(t, d) for t, d, _ in read], width, budget)]]
        else:
            need(claim.same, where, "points, where pairs differ from run to run")
            cases, road = cases_of(seen, claim.neighbours, part, budget)
            for _, factors in road(cases, width):
                budget.hold(3 * sum(len(atoms) for atoms, _, _ in factors), width)
                some.append(factors)
        budget.spend(len(some))
        options.append([(factors, times) for factors in some])
    done = 0
    for chosen in choices(*options):
        composer = composers[done % len(composers)]
        room, done = budget.memory, done + 1
        parts = [composer.repeated(composer.start(pair), times) for factors, times in chosen for pair in factors]
        whole = parts[0]
        for part in parts[1:]:
            whole = composer.joined(whole, part)
        value, unit = composer.delta(whole, claim.eps)
        budget.memory = room
        if proved and value * claim.delta[1] > claim.delta[0] * unit:
            raise Stop("undecided", "because.lattices: the bound, with these hints, is above delta")
        if not proved:
            _, high, scale = enclose(claim.eps, SHARP, budget)
            if (value - up(high * lost, scale)) * claim.delta[1] <= claim.delta[0] * unit:
                raise Stop("undecided", "because.lattices: what is shown, with these hints, is not above delta")
    return f"{done} composition{'s' * (done != 1)} of {total} runs"


def cases_of(seen: dict[str, Any], neighbours: Any, given: Any, budget: Budget) -> tuple[Any, Road]:
    """The pairs of laws that bound all neighbours' at every t, and a road to them."""
    need(seen["kind"] != "private", "because.runs", "points")
    if seen["kind"] == "up to":
        read_as({}, given, "because.runs")
        return list(islice(number_cases(seen, neighbours), MAX_WORK)), number_road(seen, budget)
    if seen["kind"] != "rows":
        return columns_cases(seen, neighbours, given, budget), columns_road(seen, budget)
    proof = rows_proof(seen, neighbours, given, budget)
    need(not proof.blocks and "mixtures" not in given, "because.runs", "neither blocks with a grid nor mixtures")
    return proof.cases, roads_of(proof, budget)[-1] if proof.cases else lambda cases, bits: iter(())


# ---- the command ----

def check_one(tree: Any, where: str, budget: Budget) -> Verdict:
    """The verdict on one certificate."""
    form = {"format": ("shufflecert certificate",), "note?": text_of, "claim": partial(claim_of, budget=budget),
            "verdict": ("PROVED", "REFUTED"), "because": lambda item, _: item}
    found = read_as(form, tree, where)
    claim, proved, because = found["claim"], found["verdict"] == "PROVED", found["because"]
    if len(claim.runs) > 1 or claim.runs[0][1] > 1:
        by = check_composed(claim, because, proved, budget)
    else:
        job = check_proof if proved else check_event
        by = job(claim.runs[0][0], claim.neighbours, because, claim.eps, claim.delta, budget)
    return Verdict("accepted", f"{found['verdict']}: {claim.words}: {by}")


def text_of(value: Any, where: str) -> str:
    """A TEXT."""
    need(isinstance(value, str), where, "a string")
    return str(value)


def check_all(data: bytes, max_bits: int = MAX_BITS, max_work: int = MAX_WORK) -> Iterator[Verdict]:
    """The verdicts on a file's certificates, each with a budget of its own. Who allows more work allows as many times
    the memory."""
    memory = MAX_MEMORY * max(max_work, MAX_WORK) // MAX_WORK
    try:
        budget = Budget(max_bits, max_work, memory)
        tree = parse(data, budget)
        need(not isinstance(tree, list) or 0 < len(tree) <= 100_000, "file", "1 to 100000 certificates")
    except Stop as stop:
        yield Verdict(*stop.args)
        return
    for i, one in enumerate(tree if isinstance(tree, list) else [tree]):
        work, room = budget.work, budget.memory
        try:
            yield check_one(one, f"[{i}]" if isinstance(tree, list) else "file", budget)
        except Stop as stop:
            yield Verdict(*stop.args)
        except (MemoryError, RecursionError):
            yield Verdict("undecided", "out of memory")
        budget.work, budget.memory = work, room


def check(data: bytes, max_bits: int = MAX_BITS, max_work: int = MAX_WORK) -> Verdict:
    """The verdict on a file: that of its certificates which is worst, and what is accepted of all."""
    found = list(check_all(data, max_bits, max_work))
    worst = max(found, key=lambda one: ORDER.index(one.status))
    return worst if worst.status != "accepted" else Verdict("accepted", " | ".join(one.reason for one in found))


ORDER, CODES = ("accepted", "undecided", "rejected", "malformed"), {"accepted": 0, "undecided": 3, "rejected": 1,
                                                                    "malformed": 2}


def read_file(path: str | Path) -> bytes:
    """A file's bytes; one that is too long is not read to its end. Raises Stop."""
    if Path(path).is_fifo() and not str(path).startswith(("/dev/", "/proc/")):  # where the shell puts its own
        raise Stop("malformed", "file: expected one that holds its text, not a named pipe")
    try:
        with Path(path).open("rb") as file:
            return file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise Stop("malformed", "file: no such file") from None
    except (OSError, ValueError) as error:
        raise Stop("malformed", f"file: expected one that can be read ({show(error)})") from None


def check_file(path: str | Path, max_bits: int = MAX_BITS, max_work: int = MAX_WORK) -> Verdict:
    """The verdict on a file."""
    try:
        return check(read_file(path), max_bits, max_work)
    except Stop as stop:
        return Verdict(*stop.args)


def main(arguments: list[str] | None = None) -> int:
    """The command: a line for each certificate, and the status of the worst; 4 for what the machine refuses."""
    parser = argparse.ArgumentParser(prog="kernel.py", description="Re-check shufflecert certificates.")
    parser.add_argument("certificates", nargs="+", metavar="cert.json")
    parser.add_argument("--max-bits", type=int, default=MAX_BITS, help="most bits of e^eps (default %(default)s)")
    parser.add_argument("--max-work", type=int, default=MAX_WORK, help="most steps of work (default %(default)s)")
    options, worst = parser.parse_args(arguments), "accepted"
    try:
        for path in options.certificates:
            try:
                found: Iterable[Verdict] = check_all(read_file(path), max(options.max_bits, 1), options.max_work)
            except Stop as stop:
                found = [Verdict(*stop.args)]
            for status, reason in found:
                tell(f"{ascii(path)[1:-1]}: {status}: {reason}")
                worst = max(worst, status, key=ORDER.index)
    except (OSError, MemoryError) as error:  # what the machine refuses is no verdict
        forget()
        if sys.stderr:
            sys.stderr.write(f"kernel.py: {type(error).__name__}: {show(error)}\n")
        return 4
    return CODES[worst]


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
