"""Re-check shufflecert certificates, without the engine: python3 -I -S verify/kernel_new.py cert.json [more.json ...]

CERTIFICATE_NEW.md defines the format and proves its steps; this file decides whether they hold, and trusts nothing in a
certificate. What a proof or a refutation may say, and where it is checked:

    "same as", "up to"        two pairs, or compositions, that a renaming makes one      check_renamings, rows_proof
    mixtures                  an input that no user needs                                check_mixtures
    "each"                    a pair of neighbouring datasets, as it is                  rows_road, divergence
    "corner", "alone"         fewer users, who bound a box of datasets                   boxes_of, corner
    a block                   the same, some users left open; with a grid, many blocks   rows_road, grid_bound
    columns, numbers          products, and shifts of a law                              factors_of, number_cases
    private                   one bound for all private randomizers                      check_private
    points, a lattice         many runs: pairs put on a lattice, and multiplied there    dots, Composer
    a pair; an event          neighbours, and what tells them apart                      check_event

To be trusted: Python's integers, containers and JSON parser, and this file, which imports only the standard library and
holds no float. Laws are known from below, by integer weights: what these miss of 1 may be anywhere. They are exact
while their unit is short; else they are rounded down, with ever more bits until these decide.

What can be slow spends from one budget of work and one of memory before it begins: products, windows, powers, sorting
by ratio, and what a file has listed or counted out. So no certificate takes longer than the budget lasts.
"""

import argparse
import json
import math
import os
import re
import sys
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cmp_to_key, partial
from hashlib import sha256
from itertools import combinations, groupby, islice, pairwise, permutations
from itertools import product as choices
from operator import itemgetter, le
from pathlib import Path
from typing import Any, NamedTuple

MAX_BYTES, MAX_DIGITS, MAX_BITS, MAX_DEPTH = 64 * 2**20, 100_000, 65_536, 100
MAX_WORK, MAX_MEMORY = 2 * 10**8, 25 * 10**7  # steps of about 0.1 microseconds; bytes
SPARE = 32  # bits of fixed point beyond those that are asked for
EXACT = 4  # times the bits that are asked for: so long is a unit before laws are rounded
MANY = 10**18  # nothing is counted further
GRAIN, SHARP = 72, 128  # bits of a lattice's weights beyond those of delta; of powers of its step
ROOM = 40  # bits below delta, of what all runs may move to infinity at each step
DRAWN = ""  # as a message: that a user who is left open is drawn

Ratio = tuple[int, int]  # numerator, denominator; not in lowest terms
Eps = tuple[int, int, bool]  # eps = p/q, or log(p/q) if the flag is set
Outcome = tuple[tuple[Any, int], ...]  # sorted (message, count) items; in the local view one (tuple of messages, 1)
Outcomes = dict[Outcome, int]  # outcome -> weight, over a unit
Line = list[tuple[int, int]]  # (place, weight), places ascending
Parts = dict[str, tuple[dict[str, Any], int]]  # of a sum: by name a law, and how often it comes
Counts = tuple[int, ...]  # how many of the others have each base law
Ends = tuple[int, int, int]  # (low, high, scale): a number in [low/scale, high/scale]
Pair = tuple[list[Any], int, int]  # (P, Q) of outcomes over `unit`; what these miss of either is at most lost; unit
Road = Callable[[Iterable[Any], int], Iterator[tuple[Any, list[Pair]]]]  # cases, bits -> independent factors of each


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


def anything(value: Any, where: str) -> Any:
    """What is read later."""
    return value


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
ZERO: dict[str, Any] = {"law": "finite", "p": ([(0, 1)], 1)}


def law_of(value: Any, where: str, budget: Budget) -> dict[str, Any]:
    """A LAW: of a finite one weights by places over a unit, of a mixture laws with weights over a unit."""
    deeper = partial(law_of, budget=budget)
    forms: dict[str, Any] = {
        "binomial": {"n": integer, "p": PROBABILITY}, "poisson": {"lam": POSITIVE},
        "negative binomial": {"r": POSITIVE, "p": PART}, "discrete Laplace": {"q": PART, "bound?": integer},
        "discrete Gaussian": {"variance": POSITIVE},
        "finite": {"p": lambda item, at: at_places(item, at, budget)},
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


def at_places(value: Any, where: str, budget: Budget) -> tuple[Line, int]:
    """Weights by place, as a line over their unit."""
    parts, unit = shares(value, where, anything, budget)
    line = sorted((signed(place, where), weight) for place, weight in parts.items())
    need(all(a < b for (a, _), (b, _) in pairwise(line)), where, "no place twice")
    return line, unit


def nowhere_negative(law: dict[str, Any]) -> bool:
    """Whether values below 0 have probability 0."""
    name, of = law["law"], law.get("of", [])
    if name in ("sum", "mixture"):
        return all(map(nowhere_negative, of if name == "sum" else [one for _, one in of[0]]))
    return bool(law["p"][0][0][0] >= 0 if name == "finite" else name not in ("discrete Laplace", "discrete Gaussian"))


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


def failing(road: Road, cases: Iterable[Any], eps: Eps, bound: Ratio, proved: bool, budget: Budget) -> Any:
    """A case whose delta(eps) is not at most the bound (or not proved: not above it); None if there is none."""
    room = budget.memory
    for bits in doublings(32 + small(bound), budget):
        left, ends = [], enclose(eps, bits, budget)
        for case, factors in road(cases, bits):
            good = settled(divergence(factors, ends, budget), bound, proved, budget)
            if good is False:
                return case
            if good is None:
                budget.spend(10)  # which bounds the memory of this list
                left.append(case)
        budget.memory = room
        if not left:
            break
        cases = left
    return None


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


# ---- laws: weights from below, at places ----

class Law(NamedTuple):
    """Weights over a unit, at places that ascend; what they miss of 1 may be anywhere."""

    line: Line
    unit: int

    @property
    def missed(self) -> int:
        """How much may be anywhere, over the unit."""
        return self.unit - sum(weight for _, weight in self.line)


ONE = Law([(0, 1)], 1)


def gather(terms: Iterable[tuple[int, int]]) -> Line:
    """The weights by place, ascending. By sorting: a file could choose places whose hashes are all the same."""
    ordered = groupby(sorted(terms, key=itemgetter(0)), key=itemgetter(0))
    return [(place, sum(weight for _, weight in some)) for place, some in ordered]


def product(a: list[int], b: list[int], budget: Budget) -> list[int]:
    """Of polynomials with weights of at least 0: that of their values at 256^size, with digits apart."""
    bits = max(a).bit_length() + max(b).bit_length() + min(len(a), len(b)).bit_length()
    size = (bits + 7) // 8
    budget.spend(1, 8 * size * len(a), 8 * size * len(b))
    budget.spend(2 * (len(a) + len(b)))
    budget.hold(2 * (len(a) + len(b)), 8 * size)
    x, y = (int.from_bytes(b"".join([weight.to_bytes(size, "little") for weight in end]), "little") for end in (a, b))
    data = (x * (x if a is b else y)).to_bytes(size * (len(a) + len(b)), "little")
    return [int.from_bytes(data[i : i + size], "little") for i in range(0, size * (len(a) + len(b) - 1), size)]


def convolve(a: Law, b: Law, width: int, budget: Budget, stride: int = 0) -> Law:
    """The law of a sum: exact while the unit is short, then rounded down to 2^-width.

    With a stride a place is u + stride v, 0 <= u < stride also of the sum. Where the box of all (u, v) is small, it is
    laid row after row, with room for a row of the sum, and the product is one of integers; else it is term by term.
    """
    unit, room, one = a.unit * b.unit, budget.memory, 1 << width
    if not (a.line and b.line):
        return Law([], one)
    ends: list[Any] = []
    budget.spend(len(a.line) + len(b.line))
    for law in (a, b):
        rows = [place // stride if stride else 0 for place, _ in law.line]
        columns = [place - row * stride for (place, _), row in zip(law.line, rows, strict=True)]
        ends.append((rows, columns, min(columns), max(columns) - min(columns), rows[0], rows[-1] - rows[0]))
    row = ends[0][3] + ends[1][3] + 1
    cells, terms = row * (ends[0][5] + ends[1][5] + 1), len(a.line) * len(b.line)
    if cells <= 4 * terms + 64:
        dense = []
        for law, (rows, columns, left, span, top, high) in zip((a, b), ends, strict=True):
            weights = [0] * (row * high + span + 1)
            for (_, weight), v, u in zip(law.line, rows, columns, strict=True):
                weights[(v - top) * row + u - left] = weight
            dense.append(weights)
        whole = product(dense[0], dense[0] if a is b else dense[1], budget)
        start = ends[0][2] + ends[1][2] + stride * (ends[0][4] + ends[1][4])
        line = [(start + i % row + stride * (i // row), weight) for i, weight in enumerate(whole) if weight]
    else:
        bits = [max(weight for _, weight in law.line).bit_length() for law in (a, b)]
        keys = max(abs(place) for law in (a, b) for place in (law.line[0][0], law.line[-1][0])).bit_length()
        budget.spend(terms, *bits)
        budget.spend(terms + terms * min(len(a.line), len(b.line)).bit_length() // 4 + terms * keys // 2_000)
        budget.hold(3 * terms, (sum(bits) + keys) // 3)
        line = gather((i + j, u * v) for j, v in b.line for i, u in a.line)
    if one in (a.unit, b.unit) or unit.bit_length() > EXACT * width:
        budget.spend(len(line), unit.bit_length(), width)
        line, unit = [(place, weight) for place, w in line if (weight := (w << width) // unit)], one
    budget.memory = room
    budget.hold(3 * len(line), unit.bit_length() // 3)
    return Law(line, unit)


def power(law: Law, n: int, width: int, budget: Budget, stride: int = 0) -> Law:
    """The law of a sum of n draws, by repeated squaring."""
    if n < 2:
        return law if n else ONE
    half = power(law, n // 2, width, budget, stride)
    whole = convolve(half, half, width, budget, stride)
    return convolve(whole, law, width, budget, stride) if n % 2 else whole


def survey(laws: list[Law], wanted: list[Counts], width: int, budget: Budget, stride: int) -> Iterator[Any]:
    """For each of the counts the law of a sum of so many draws from each law; a half of them shares what it can."""
    stack = [(wanted, (0,) * len(laws), ONE, budget.memory)] if wanted else []
    while stack:
        some, have, law, budget.memory = stack.pop()
        budget.spend(len(some) * len(laws) + 1)
        least = tuple(map(min, zip(*some, strict=True)))
        for draw, few, more in zip(laws, have, least, strict=True):
            if more > few:
                law = convolve(law, power(draw, more - few, width, budget, stride), width, budget, stride)
        if len(some) == 1:
            yield some[0], law
        else:
            halves = some[len(some) // 2 :], some[: len(some) // 2]
            stack += [(part, least, law, budget.memory) for part in halves]


def aligned(laws: Sequence[Law], budget: Budget) -> tuple[list[Any], int, int]:
    """The weights of every place by each of the laws, what one of them misses at most, and their common unit."""
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


def window(law: Noise, width: int, budget: Budget) -> Law:
    """A window of the law, over 2^width: weights relative to the mode's, until the lower is 0 or the law ends.

    Lemma. If w(k + 1) <= r w(k), r < 1, from some k on, the later weights sum to at most w(k) r / (1 - r): a geometric
    series. Here r is the larger of the next rate and the limit: away from the mode rates fall, or rise to the limit.
    A weight's lower end over the upper end of their sum, tails included, is at most its probability.
    """
    one, most, sides, room = 1 << width, -1 << width, list[list[int]](), budget.memory
    for step in (1, -1):
        low, high, k = [one], one, law.mode
        while (here := law.rate(k + 1) if step > 0 else law.rate(k)[::-1])[0] and low[-1]:
            budget.spend(6, law.bits + width // 2, law.bits + width // 2)
            budget.hold(2, width)
            low.append(low[-1] * here[0] // here[-1])
            most, high, k = most + high, up(high * here[-2], here[-1]), k + step
        above, below = here[-2], here[-1]
        if above * law.limit[1] < law.limit[0] * below:
            above, below = law.limit
        if here[-2] and below <= above:
            return Law([], one)  # too few bits for a tail
        most += high + (up(high * above, below - above) if here[-2] else 0)
        sides.append(low)
    weights = [(weight << width) // most for weight in sides[1][:0:-1] + sides[0]]
    budget.memory = room
    budget.hold(3 * len(weights), width // 3)
    return Law([(k + i, weight) for i, weight in enumerate(weights) if weight], one)


def flat(law: dict[str, Any], times: int, parts: Parts) -> int:
    """Adds so many draws to the parts of a sum: by name a law and how often it comes, families added up. What is
    constant in them is returned."""
    if times == 0:
        return 0
    if law["law"] == "sum":
        return sum(flat(one, times, parts) for one in law["of"])
    if law["law"] == "finite" and len(law["p"][0]) == 1:
        return int(times * law["p"][0][0][0])
    add_up = {"binomial": "n", "poisson": "lam", "negative binomial": "r"}.get(law["law"])
    name = repr(sorted((key, value) for key, value in law.items() if key != add_up))
    if add_up is None:
        parts[name] = law, times + parts.get(name, (law, 0))[1]
        return 0
    before: Any = parts[name][0][add_up] if name in parts else 0 if add_up == "n" else (0, 1)
    if add_up == "n":
        total: Any = before + times * law["n"]
    else:
        (a, b), (c, d) = before, law[add_up]
        total = (a + times * c, b) if b == d else (a * d + times * c * b, b * d)
    parts[name] = law | {add_up: total}, 1
    return 0


def spread(parts: Parts, width: int, budget: Budget) -> Law:
    """The law of the sum of these parts, from below, exact where they are small."""
    whole, one = ONE, 1 << width
    for law, times in parts.values():
        name = law["law"]
        if name == "finite":
            found = Law(law["p"][0], law["p"][1])
        elif name == "binomial" and law["p"][0] in (0, law["p"][1]):
            found = Law([(law["n"] if law["p"][0] else 0, 1)], 1)
        elif name == "binomial" and law["n"] ** 2 * law["p"][1].bit_length() <= 10**5:
            n, (a, b) = law["n"], law["p"]
            budget.spend(4 * n, n * b.bit_length(), n * b.bit_length())
            found = Law([(k, math.comb(n, k) * a**k * (b - a) ** (n - k)) for k in range(n + 1)], b**n)
        elif name in ("mixture", "mod"):
            terms = list[tuple[int, int]]()
            for part, inner in law["of"][0] if name == "mixture" else [(1, law["of"])]:
                some: Parts = {}
                at = flat(inner, 1, some)
                line, unit = spread(some, width, budget)
                unit *= law["of"][1] if name == "mixture" else 1
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
    return aligned([Law([(k + by, w) for k, w in line], unit) for by in (i, j)], budget)


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


def one_of_words(value: Any, where: str) -> Any:
    """A leaf that is no block."""
    return read_as(("each", "corner", "alone"), value, where)


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

    laws: dict[str, Outcomes]
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


def laws_of(rows: list[Any], local: bool, place: str, budget: Budget) -> tuple[dict[str, Outcomes], int]:
    """Each input's law, and the unit of their weights."""
    need(rows, place, "a row")
    laws, unit = dict[str, Outcomes](), common((output["p"] for row in rows for output in row["outputs"]), budget)
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
    gone: Outcomes = {} if parts else {nothing: unit * b * whole}
    for name, part in parts.items():
        for what, weight in laws[name].items():
            gone[what] = gone.get(what, 0) + weight // whole * part
    others = seen["honest"] - 1 if seen["view"] == "shuffled" else 0
    if neighbours != "replace":
        laws[""] = gone
    return Rows(laws, unit * b * whole, others, local, neighbours == "replace")


def classes(rows: Rows, budget: Budget) -> tuple[dict[str, int], list[Outcomes]]:
    """Input -> class, in the order in which they are met, and the classes' laws: f_y is a monomial times f_x just if
    they agree, cleared of monomials."""
    number, class_of, kinds = dict[Any, int](), dict[str, int](), list[Outcomes]()
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
        mixed: Outcomes = {}
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
            moved_law: Outcomes = {}
            for seen, weight in law.items():
                one = ((tuple(t.get(m, m) for m in seen[0][0]), 1),) if rows.local else ()
                moved_law[one or tuple(sorted((t.get(m, m), count) for m, count in seen))] = weight
            if moved_law != rows.laws[s.get(name, name)]:
                raise Stop("rejected", f"because.renamings[{i}] is not a renaming: see input {show(name)}")


def with_more(seen: Outcome, more: dict[str, int]) -> Outcome:
    """An outcome and some messages."""
    return tuple(sorted((Counter(dict(seen)) + Counter(more)).items()))


def unknown(law: Outcomes, known: dict[str, int]) -> Outcomes:
    """The law of what is sent besides the messages that are known."""
    return {tuple((m, left) for m, count in seen if (left := count - known.get(m, 0))): law[seen] for seen in law}


def grid_of(value: Any, where: str) -> Any:
    """A GRID."""
    size = partial(integer, most=2**32)
    return read_as({"step": POSITIVE, "cells": size, "tilt": ABOVE_ONE, "above?": size}, value, where)


class Job(NamedTuple):
    """A pair of laws to look at: the others of each base law, the inputs from and to of the user who changes ("" is
    null); of blocks with a grid also whose place he has, how many there are, and the grid."""

    counts: Counts
    source: str
    target: str
    place: str = ""
    draws: int = 1
    grid: Any = None


class Proof(NamedTuple):
    """What is left to be looked at of rows: base laws and jobs; what inputs are known to send."""

    rows: Rows
    bases: list[Outcomes]
    jobs: list[Job]
    known: dict[str, dict[str, int]]


def rows_proof(seen: dict[str, Any], neighbours: Any, given: Any, budget: Budget) -> Proof:
    """Reads a PROOF of rows, checks renamings and mixtures, and lists what is to be looked at."""
    rows = rows_of(seen, neighbours, budget)
    messages = {m for row in seen["each"]["rows"] for output in row["outputs"] for m in output["send"]}
    held_label, several = partial(label, known=rows.held), partial(mapping, key=partial(label, known=messages))
    renaming = {"inputs": partial(permutation, known=rows.held), "messages": partial(permutation, known=messages)}
    form = {"renamings?": [renaming], "pairs": anything, "known?": partial(
                mapping, key=held_label, item=partial(several, item=integer)),
            "mixtures?": partial(mapping, key=held_label, item=partial(shares, key=held_label, budget=budget))}
    proof = read_as(form, given, "because")
    renamings, mixtures, known = (proof.get(key, {}) for key in ("renamings", "mixtures", "known"))
    check_renamings(rows, renamings, mixtures, budget)
    rows = check_mixtures(rows, mixtures, budget)
    held_label = partial(label, known=rows.held)
    block = {"users": partial(mapping, key=held_label, item=integer), "open": partial(integer, least=0),
             "grid?": grid_of, "place": lambda value, at: "" if value is None else held_label(value, at)}

    def leaf(item: Any, where: str) -> Any:
        if isinstance(item, str):
            return one_of_words(item, where)
        need(seen["view"] == "shuffled", where, "a block in the shuffled view only")
        found = read_as(block, item, where)
        inside = found["place"] in found["users"] if found["place"] else found["open"]
        need(inside, f"{where}.place", "who is in the block")
        return found

    end = partial(end_of, rows=rows)
    entry = {"from": end, "to": end, "tree": partial(tree_of, leaf=leaf, known=rows.held),
             "up to?": [partial(integer, least=0, most=len(renamings) - 1)]}
    budget.spend(len(rows.laws) ** 2)
    entries = entries_of(proof["pairs"], "because.pairs", entry, list(rows.changes()))
    for name, sent in known.items():
        good = all(dict(have).get(m, 0) >= least for m, least in sent.items() for have in rows.laws.get(name, []))
        need(good, f"because.known.{show(name)}", "what is always sent")
    class_of, kinds = classes(rows, budget)
    jobs, blocks = set[Job](), list[Job]()
    for i, one in enumerate(entries):
        pair, where = (one["from"], one["to"]), f"because.pairs[{i}]"
        if "same as" in one:
            need(one["same as"] < i and one["by"] < len(renamings), where, "an entry before it, by a renaming")
            s, base = renamings[one["by"]]["inputs"], entries[one["same as"]]
            moved_pair = tuple(s.get(base[key], base[key]) for key in ("from", "to"))
            need("tree" in base and moved_pair == pair, where, "a pair that the renaming moves to it")
            continue
        back = [swapped(renamings[k]["inputs"], pair, class_of, f"{where}.up to") for k in one.get("up to", [])]
        for low, high, what in boxes_of(rows.others, one["tree"], class_of, len(kinds), budget):
            least = corner(rows.others, low, high)
            if what == "each":
                for counts in compositions(rows.others, low, high, budget):
                    budget.hold(4 + len(kinds) // 3)
                    if not any(tuple(map(counts.__getitem__, order)) < counts for order in back):
                        jobs.add(Job((*counts, 0), *pair))
            elif what in ("corner", "alone"):
                jobs.add(Job((*(least if what == "corner" else (0,) * len(kinds)), 0), *pair))
            else:
                draws, place = blocks_in(least, what, class_of, rows.others + 1), what["place"]
                if draws < 1:
                    raise Stop("rejected", f"{where}: no block in the box with the corner {show(least)}")
                users = [0] * len(kinds) + [what["open"] - (not place)]
                for name, number in what["users"].items():
                    users[class_of[name]] += number - (name == place)
                budget.hold(8 + len(users))
                many = draws > 1 and "grid" in what
                (blocks.append if many else jobs.add)(
                    Job(tuple(users), *pair, *((place, draws, what["grid"]) if many else ())))
    open_laws = [unknown(rows.laws[name], known.get(name, {})) for name in rows.held]
    budget.spend(len(open_laws) * len(open_laws[0]))
    alike = {some: low for some in open_laws[0] if (low := min(law.get(some, 0) for law in open_laws))}
    opened = {((DRAWN, 1), *some): low for some, low in alike.items()} | {(): rows.unit - sum(alike.values())}
    return Proof(rows, [*kinds, opened], sorted(jobs) + sorted(blocks, key=lambda job: job.counts), known)


def swapped(s: dict[str, str], pair: tuple[str, str], class_of: dict[str, int], where: str) -> list[int]:
    """The classes in the order in which a renaming that leaves the pair in its place puts them."""
    need(all(s.get(x, x) == x for x in pair), where, "renamings that leave from and to")
    to = {k: class_of[s.get(x, x)] for x, k in class_of.items()}
    return sorted(to, key=to.__getitem__)


def blocks_in(least: Counts, block: dict[str, Any], class_of: dict[str, int], users: int) -> int:
    """How many blocks there are for sure among the users, the one who changes in one of them."""
    wanted, there, place = Counter[int](), list(least), block["place"]
    for name, count in block["users"].items():
        wanted[class_of[name]] += count
    if place:
        there[class_of[place]] += 1
    size: int = block["open"] + sum(wanted.values())
    return min([users // size, *(there[kind] // wanted[kind] for kind in wanted)])


def coordinates(groups: list[list[Outcomes]], budget: Budget) -> list[str]:
    """Messages whose counts tell all others', if two are enough; else all messages.

    Lemma. Let some vectors span the differences of outcomes of one group (of what one user may send), of all groups
    together, each with a message of its own (its pivot) that those after it do not have. A sum of differences whose
    counts of the pivots are 0 is 0: of its vectors the first is 0 times there, for nobody else has its pivot, so the
    second is, and so on. So sums of outcomes, one of each draw, are told apart by their counts of the pivots.
    """
    basis, every = list[tuple[str, dict[str, int]]](), set[str]()
    for group in groups:
        origin = dict(next(iter(group[0])))
        for law in group:
            for seen in law:
                every.update(m for m, _ in seen)
                end = dict(seen)
                left = {m: end.get(m, 0) - origin.get(m, 0) for m in {*end, *origin}}
                budget.spend(4 + 2 * len(left))
                for pivot, vector in basis[:3]:
                    if by := left.get(pivot, 0):
                        left = {m: left.get(m, 0) * vector[pivot] - vector.get(m, 0) * by for m in {*left, *vector}}
                if any(left.values()) and len(basis) < 3:
                    part = math.gcd(*left.values())
                    pivot = min(m for m, count in left.items() if count)
                    basis.append((pivot, {m: count // part for m, count in left.items()}))
    return sorted(every) if len(basis) > 2 else [pivot for pivot, _ in basis]


def laid_out(groups: list[list[Outcomes]], unit: int, users: int, budget: Budget) -> tuple[list[list[Law]], int]:
    """The groups' laws at places that add up, with the stride: pairs (u, v) as u + stride v, or 0."""
    if users == 1:
        number = {outcome: i for i, outcome in enumerate({seen: 0 for law in groups[0] for seen in law})}
        return [[Law(sorted((number[seen], w) for seen, w in law.items()), unit) for law in groups[0]]], 0
    chosen, least, spans = coordinates(groups, budget), [], []
    for m in chosen:
        counts = [[dict(seen).get(m, 0) for law in group for seen in law] for group in groups]
        budget.spend(sum(map(len, counts)))
        least.append(list(map(min, counts)))
        part = math.gcd(*(count - low for some, low in zip(counts, least[-1], strict=True) for count in some)) or 1
        spans.append((part, 1 + users * max(max(some) - min(some) for some in counts) // part))
    found = []
    for k, group in enumerate(groups):
        laws = []
        for law in group:
            line = []
            for seen, weight in law.items():
                budget.spend(1 + len(chosen) * (2 + len(chosen) // 50))
                counted, place = dict(seen), 0
                for m, lows, (part, span) in reversed(list(zip(chosen, least, spans, strict=True))):
                    place = place * span + (counted.get(m, 0) - lows[k]) // part
                line.append((place, weight))
            laws.append(Law(gather(line), unit))
        found.append(laws)
    return found, spans[0][1] if len(spans) > 1 else 0


def rows_road(proof: Proof, budget: Budget) -> Road:
    """By products of what is sent, from below, exact while numbers are short."""
    rows, known, jobs = proof.rows, proof.known, proof.jobs
    used = [any(job.counts[k] for job in jobs) for k in range(len(proof.bases))]
    bases = [base for base, use in zip(proof.bases, used, strict=True) if use]
    users = 1 + max((sum(job.counts) for job in jobs), default=0)
    names: list[Any] = [*rows.laws]
    own = [*rows.laws.values()]
    if any(job.grid and not job.place for job in jobs):
        for name in rows.laws:
            names += [("drawn", name), ("open", name)]
            own.append({((DRAWN, 1), *seen): weight for seen, weight in rows.laws[name].items()})
            sure = known.get(name, {})
            own.append({with_more(seen, sure): weight for seen, weight in proof.bases[-1].items()})
        users += users == 1
    (ends, *others), stride = laid_out([own, *([base] for base in bases)], rows.unit, users, budget)
    at = dict(zip(names, ends, strict=True))

    def road(cases: Iterable[Job], bits: int) -> Iterator[tuple[Job, list[Pair]]]:
        width, grouped = bits + SPARE // 4 + users.bit_length(), dict[Counts, list[Job]]()
        for job in cases:
            budget.hold(4 + len(bases) // 6)
            grouped.setdefault(tuple(n for n, use in zip(job.counts, used, strict=True) if use), []).append(job)
        for counts, shared in survey([law for [law] in others], list(grouped), width, budget, stride):
            room, views = budget.memory, dict[Any, Law]()
            for job in grouped[counts]:
                sides: list[Any] = [job.source, job.target]
                if job.grid:
                    sides = [*sides, job.place] if job.place else [
                        ("drawn", job.source), ("drawn", job.target), ("open", job.source)]
                for name in sides:
                    if name not in views:
                        views[name] = convolve(shared, at[name], width, budget, stride)
                kept = budget.memory
                yield job, [aligned([views[name] for name in sides], budget)]
                budget.memory = kept
            budget.memory = room

    return road


def check_rows(seen: dict[str, Any], neighbours: Any, given: Any, eps: Eps, delta: Ratio, budget: Budget) -> str:
    """A proof about rows: pairs, and blocks with a grid, by the bound of CERTIFICATE_NEW.md's lemma of blocks."""
    proof = rows_proof(seen, neighbours, given, budget)
    if not proof.jobs:
        return "0 pairs of laws bound all"
    road = rows_road(proof, budget)
    refuse(road, [job for job in proof.jobs if not job.grid], eps, delta, budget)
    blocks = [job for job in proof.jobs if job.grid]
    bits, done = max((bits_of(job.grid, delta, budget) for job in blocks), default=1), set[bytes]()
    for job, [(shape, lost, unit)] in road(blocks, bits):
        name = sha256(repr((sorted(shape), lost, unit, job.draws, job.grid)).encode()).digest()
        if name in done:  # the bound depends on no more
            continue
        done.add(name)
        above, below = grid_bound(shape, unit, job.draws, job.grid, delta, enclose(eps, bits, budget), bits, budget)
        if (above * unit + lost * below) * delta[1] > delta[0] * below * unit:
            pair = show((job.source, job.target))
            raise Stop("undecided", f"because: a block's bound, with these hints, is above delta for {pair}")
    return f"{len(proof.jobs)} pairs of laws bound all"


def refuse(road: Road, cases: list[Any], eps: Eps, delta: Ratio, budget: Budget) -> None:
    """Rejected, where a case's delta(eps) is above delta."""
    if cases and (failed := failing(road, cases, eps, delta, True, budget)) is not None:
        raise Stop("rejected", f"because: delta(eps) is above delta for {show(tuple(failed))}")


# ---- grids of losses, and any private randomizer ----

def bits_of(grid: Any, delta: Ratio, budget: Budget) -> int:
    """The bits that a grid needs: a rounding adds at most 2^-bits to a place, of which there are so many."""
    (step, part), cells = grid["step"], grid["cells"]
    size: int = 16 * cells**2 * step * delta[1] // (part * max(delta[0], 1))
    if (bits := size.bit_length() + SPARE) > budget.bits:
        raise Stop("undecided", f"too few bits: {bits} bits are needed, allow more with --max-bits")
    return bits


def grid_bound(
    shape: list[Any], unit: int, n: int, grid: Any, delta: Ratio, ends: Ends, width: int, budget: Budget
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
        shape, unit = [(most, part, part), (part, most, part)], most + part
        above, below = grid_bound(shape, unit, users, grid, delta, (low, high, scale), bits, budget)
        more = least * scale + 3 * (scale + high) * (users - 1) * part, least * scale
        above, below = above * whole * more[1] + below * share * more[0], below * whole * more[1]
    if above * delta[1] > delta[0] * below:
        raise Stop("undecided", "because.grid: the bound for all randomizers, with these hints, is above delta")
    return "by the bound for all private randomizers"


# ---- independent columns, and numbers ----

class Factor(NamedTuple):
    """A column of a pair: the laws that both sides draw and how often, the laws of the user who changes, and what is
    shown of the sum: all of it, the remainder by a number, or what is not below one."""

    shared: tuple[tuple[dict[str, Any], int], ...]
    ends: tuple[dict[str, Any], dict[str, Any]]
    mod: int = 0
    least: int = 0


def columns_cases(seen: dict[str, Any], neighbours: Any, given: Any, budget: Budget) -> list[tuple[Any, list[Factor]]]:
    """Reads a PROOF of columns or numbers, and lists the pairs that are to be looked at, each a product of factors."""
    if seen["kind"] == "up to":
        read_as({}, given, "because")
        pairs = islice(number_cases(seen, neighbours), MAX_WORK // 1_000)
        return [(pair, [number_factor(seen, pair)]) for pair in pairs]
    rows, total = seen["columns"], seen["honest"] - 1
    inputs = {name: i for i, name in enumerate(rows)}
    end = partial(end_of, rows=named(rows, neighbours, total))
    entry = {"from": end, "to": end, "tree": partial(tree_of, leaf=one_of_words, known=rows)}
    every = list(permutations(rows, 2)) if seen["kind"] == "columns" else [("a", "b")]
    every = every if neighbours == "replace" else [("a", ""), ("", "a")]
    proof = read_as({"pairs": anything}, given, "because")
    found = list[tuple[Any, list[Factor]]]()
    for one in entries_of(proof["pairs"], "because.pairs", entry, every):
        need("tree" in one, "because.pairs", "a tree")
        pair = one["from"], one["to"]
        for low, high, what in boxes_of(total, one["tree"], inputs, len(rows), budget):
            for counts in compositions(total, low, high, budget) if what == "each" else [None]:
                budget.hold(20 + len(rows))
                least, most = (counts, counts) if counts else (low, high)
                found.append(((pair, counts or (low, high)),
                              factors_of(seen, pair, least, most, what == "alone", budget)))
    return found


def named(inputs: Iterable[str], neighbours: Any, others: int) -> Rows:
    """These inputs, of users whose laws are no rows."""
    gone: dict[str, Outcomes] = {} if neighbours == "replace" else {"": {}}
    return Rows(dict.fromkeys(inputs, Outcomes()) | gone, 1, others, False, neighbours == "replace")


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
        shared, fixed = [], not alone
        for law, members in groups.values():
            least = max(sum(low[k] for k in members), total - sum(high) + sum(high[k] for k in members))
            most = min(sum(high[k] for k in members), total - sum(low) + sum(low[k] for k in members))
            shared.append((law, least))
            fixed = fixed and least == most
        shared += [(seen["added"], 1)] if "added" in seen else []
        least = seen.get("shown", {}).get("from", 0) if fixed else 0  # to see all of a sum is to see more
        factors.append(Factor(() if alone else tuple(shared), ends, 0, least))
    return factors


def number_cases(seen: dict[str, Any], neighbours: Any) -> Iterable[tuple[int | None, int | None]]:
    """The inputs (from, to) that bound all pairs of neighbours of numbers, by the largest shift; None is null."""
    null = 0 if neighbours == "replace" else None
    parts: Parts = {}
    for law, times in number_factor(seen, (0, 0)).shared:
        flat(law, times, parts)
    plus: Parts = {}
    brings = flat(seen["each"].get("plus", ZERO), 1, plus) != 0 or bool(plus)
    flat(seen["each"].get("plus", ZERO), 1, parts)
    laws = [law for law, _ in parts.values()]
    below = [law["law"] == "negative binomial" and law["r"][0] < law["r"][1] for law in laws]
    concave = all(law["law"] not in ("finite", "mixture", "mod") for law in laws) and not any(below)
    few = (concave or (len(laws) == 1 and any(below))) and "shown" not in seen
    first = seen["each"]["up to"] if few and (null == 0 or not brings) else int(null == 0)
    return (pair for j in range(first, seen["each"]["up to"] + 1) for pair in ((j, null), (null, j)))


def number_factor(seen: dict[str, Any], pair: tuple[int | None, int | None]) -> Factor:
    """Numbers as a column: every user adds his number, and what he brings."""
    plus = seen["each"].get("plus", ZERO)
    ends = [ZERO if end is None else {"law": "sum", "of": [constantly(end), plus]} for end in pair]
    shared = ((seen.get("added", ZERO), 1), (plus, seen["honest"] - 1))
    return Factor(shared, (ends[0], ends[1]), seen.get("shown", {}).get("mod", 0))


def constantly(k: int) -> dict[str, Any]:
    """The law of one number."""
    return {"law": "finite", "p": ([(k, 1)], 1)}


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
        budget.spend(4 * len(line))
        line = [(place + at, weight) for place, weight in line]
        if factor.mod or factor.least:
            line = gather((place % factor.mod if factor.mod else max(place, factor.least - 1), weight)
                          for place, weight in line)
        sides.append(Law(line, unit))
    return aligned(sides, budget)


def columns_road(budget: Budget) -> Road:
    """By the laws of columns, some of which are kept."""
    def road(cases: Iterable[Any], bits: int) -> Iterator[tuple[Any, list[Pair]]]:
        kept, room = dict[str, Pair](), budget.memory
        for case in cases:
            factors = []
            for factor in case[1]:
                name = repr(factor)
                if name not in kept:
                    if len(kept) >= 256:
                        budget.memory = room
                        kept.clear()
                    before = budget.memory
                    kept[name] = factor_pair(factor, bits + 2 * SPARE, budget)
                    budget.memory = before
                    budget.hold(3 * len(kept[name][0]), 2 * bits)
                factors.append(kept[name])
            yield case, factors or [([], 0, 1)]
        budget.memory = room

    return road


def check_proof(seen: dict[str, Any], neighbours: Any, given: Any, eps: Eps, delta: Ratio, budget: Budget) -> str:
    """A PROOF of one run."""
    if seen["kind"] == "private":
        return check_private(seen, given, eps, delta, budget)
    if seen["kind"] == "rows":
        return check_rows(seen, neighbours, given, eps, delta, budget)
    cases = columns_cases(seen, neighbours, given, budget)
    refuse(columns_road(budget), cases, eps, delta, budget)
    return f"{len(cases)} pairs of laws bound all"


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


def one_pair(seen: dict[str, Any], neighbours: Any, given: Any, where: str, budget: Budget) -> tuple[Any, Road]:
    """The case that a PAIR names, and a road to it."""
    if seen["kind"] == "up to":
        def number(value: Any, place: str) -> int | None:
            found = None if value is None and neighbours != "replace" else signed(value, place)
            need(found is None or 0 <= found <= seen["each"]["up to"], place, "an input")
            return found

        pair = read_as({"from": number, "to": number}, given, where)
        ends = pair["from"], pair["to"]
        need(ends[0] != ends[1] and (neighbours == "replace") == (None not in ends), where, "neighbours")
        return (ends, [number_factor(seen, ends)]), columns_road(budget)
    if seen["kind"] in ("columns", "one of"):
        pair = pair_of(given, where, named(seen["columns"], neighbours, seen["honest"] - 1), True)
        counts = tuple(pair["others"].get(name, 0) for name in seen["columns"])
        factors = factors_of(seen, (pair["from"], pair["to"]), counts, counts, False, budget)
        return ((pair["from"], pair["to"], counts), factors), columns_road(budget)
    rows = rows_of(seen, neighbours, budget)
    pair = pair_of(given, where, rows, seen["view"] == "shuffled")
    job = Job(tuple(pair["others"].get(name, 0) for name in rows.held), pair["from"], pair["to"])
    return job, rows_road(Proof(rows, [rows.laws[name] for name in rows.held], [job], {}), budget)


def check_event(seen: dict[str, Any], neighbours: Any, given: Any, eps: Eps, delta: Ratio, budget: Budget) -> str:
    """A REFUTATION of one run."""
    kind = seen["kind"]
    form = {"pair": anything} | ({"event?": anything} if kind in ("rows", "private") else {})
    found = read_as(form | ({"rows": anything} if kind == "private" else {}), given, "because")
    if kind == "private":
        inner = {"users": (str(seen["users"]),), "honest": (str(seen["honest"]),), "view": "shuffled"}
        local, most = seen["each"]["private"]
        seen = seen_of(inner | {"each": {"rows": found["rows"]}}, "because", budget)
        check_local(rows_of(seen, "replace", budget), local, most, budget)
    if "event" not in found:
        case, road = one_pair(seen, neighbours, found["pair"], "because.pair", budget)
        if failing(road, [case], eps, delta, False, budget) is not None:
            raise Stop("rejected", "because.pair: its delta(eps) is not above delta")
        return "shown by 1 pair"
    rows = rows_of(seen, neighbours, budget)
    pair = pair_of(found["pair"], "because.pair", rows, seen["view"] == "shuffled")
    at, others, inside, sure = event_of(seen, rows, pair, found["event"], delta, budget)
    names, counts = list(pair["others"]), tuple(pair["others"].values())

    def on_event(cases: Iterable[Any], bits: int) -> Iterator[tuple[Any, list[Pair]]]:
        width = bits + SPARE + 2 * rows.others.bit_length()
        [(_, shared)] = survey([others[name] for name in names], [counts], width, budget, 0)
        p, q = (convolve(shared, at[pair[end]], width, budget) for end in ("from", "to"))
        masses = [sum(weight for place, weight in law.line if inside(place)) for law in (p, q)]
        lost = 0 if sure else max(p.missed * q.unit, q.missed * p.unit)
        yield (), [([(masses[0] * q.unit, masses[1] * p.unit)], lost, p.unit * q.unit)]

    if failing(on_event, [()], eps, delta, False, budget) is not None:
        raise Stop("rejected", "because.event: P(event) - e^eps Q(event) is not above delta")
    return "shown by 1 pair and an event"


def event_of(seen: dict[str, Any], rows: Rows, pair: Any, given: Any, delta: Ratio, budget: Budget) -> Any:
    """The laws of the user who changes and of the others at places that add up, which places are in the EVENT, and
    whether none can be that is not known."""
    outputs = [output for row in seen["each"]["rows"] for output in row["outputs"]]
    sent = partial(label, known={m for output in outputs for m in output["send"]})
    one: Any = [sent] if rows.local else partial(mapping, key=sent, item=integer)
    event = one_of(given, "because.event", {"outcomes": {"outcomes": [one]}, "weights": {
        "weights": partial(mapping, key=sent, item=signed), "above": signed}})
    if "outcomes" in event:
        outcomes = [outcome(item, rows.local) for item in event["outcomes"]]
        need(len(set(outcomes)) == len(outcomes), "because.event", "outcomes that differ")
        every = [end for some in (outcomes, *rows.laws.values()) for end in some]
        messages = sorted({m for end in every for m, _ in end}, key=str)
        shift = ((rows.others + 1) * max((count for end in every for _, count in end), default=0) + 1).bit_length()
        budget.spend(len(messages) * (1 + len(messages) * shift // 2_000))
        at = {m: 1 << i * shift for i, m in enumerate(messages)}
        chosen = sorted(sum(at[m] * count for m, count in end) for end in outcomes)
        inside: Callable[[int], bool] = lambda place: place in chosen[bisect_left(chosen, place) :][:1]  # noqa: E731
        weights = at
    else:
        need(seen["view"] == "shuffled", "because.event", "outcomes, outside the shuffled view")
        weights, above = event["weights"], event["above"]
        inside = lambda place: place > above  # noqa: E731
    laws = {name: Law(gather((sum(weights.get(m, 0) * c for m, c in end), w) for end, w in law.items()), rows.unit)
            for name, law in rows.laws.items()}
    budget.spend(sum(2 + len(end) for law in rows.laws.values() for end in law), 3_400, 64)
    if "outcomes" in event:
        return laws, laws, inside, False
    top = max(laws[pair[end]].line[-1][0] for end in ("from", "to"))
    top += sum(laws[name].line[-1][0] * count for name, count in pair["others"].items())
    if above + 1 != top or delta[0]:
        return laws, laws, inside, above >= top
    return laws, {name: Law([(laws[name].line[-1][0], 1)], 1) for name in pair["others"]}, inside, False


def check_local(rows: Rows, eps: Eps, delta: Ratio, budget: Budget) -> None:
    """Rejected, unless the rows are (eps, delta)-private alone."""
    every = [(p, q) for p in rows.laws.values() for q in rows.laws.values()]
    budget.hold(sum(len(law) for law in rows.laws.values()) * len(rows.laws), 64)
    cases = [[([(w, q.get(y, 0)) for y, w in p.items()], 0, rows.unit)] for p, q in every]
    if failing(lambda some, _: ((case, case) for case in some), cases, eps, delta, True, budget) is not None:
        raise Stop("rejected", "because.rows: less private than claimed of all")


# ---- compositions ----

class Curve(NamedTuple):
    """A pair of laws of which g^j is the ratio at place j = first + i: weights p[i] of P over 2^width, from above, and
    `beyond` of it at infinity; or, with q, of P from below and of Q from above. g lies in [low, high], over 2^SHARP.
    """

    low: int
    high: int
    first: int
    p: list[int]
    q: list[int] | None
    beyond: int
    runs: int = 1


class Composer:
    """Puts pairs on a lattice, multiplies and evaluates them there: from above, or for a refutation from below."""

    def __init__(self, hints: dict[str, Any], upper: bool, width: int, room: int, budget: Budget):
        self.step, self.cells, self.upper, self.width = hints["step"], hints["cells"], upper, width
        self.room, self.budget = room, budget  # what each run may move to infinity, over 2^width
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

    def start(self, pair: Pair) -> Curve:
        """A pair's atoms at places. CERTIFICATE_NEW.md: from above an atom is split so that the totals stay, what is
        missing is at infinity; from below it goes to either place by its share between them."""
        (atoms, lost, unit), (a, b), one = pair, self.step, 1 << SHARP
        self.budget.spend(40 * len(atoms), 2 * SHARP, unit.bit_length() + self.width)
        beyond = up(lost << self.width, unit) if self.upper else 0
        found: dict[int, list[int]] = {}
        for p, q in atoms:
            j = self.place(p, q) if p and q else self.cells
            if j >= self.cells and (self.upper or not q):
                beyond += up(p << self.width, unit) if self.upper else (p << self.width) // unit
                continue
            if p == 0 or j >= self.cells:  # from below this is left out
                continue
            k = min(abs(j), len(self.lows) - 1)
            low, high = self.lows[k], self.highs[k]
            if j < 0:
                low, high = one * one // high, up(one * one, low)
            if self.upper:
                second = max(up(a * ((p << SHARP) - low * q), a - b), 0)
                first = min(max(up(a * high * q - (b * p << SHARP), a - b), 0), p << SHARP)
                shares = [(j, up(first << self.width, unit << SHARP), 0),
                          (j + 1, up(second << self.width, unit << SHARP), 0)]
            else:
                share = min(max(((p << SHARP) - low * q) * b * one // max(low * q * (a - b), 1), 0), one)
                shares = [(at, (p * part << self.width) // (unit << SHARP), up(q * part << self.width, unit << SHARP))
                          for at, part in ((j, one - share), (j + 1, share))]
            for at, mine, other in shares:
                here = found.setdefault(at, [0, 0])
                here[0], here[1] = here[0] + mine, here[1] + other
        first, last = min(found, default=0), max(found, default=0)
        if last - first > 2 * self.cells + 4:
            raise Stop("undecided", "because.lattices: too few cells for one run")
        self.budget.hold(4 * (last - first + 1), self.width)
        both = [found.get(j, (0, 0)) for j in range(first, last + 1)]
        g = (a << SHARP) // b, up(a << SHARP, b)
        return self.within(Curve(*g, first, [p for p, _ in both], None if self.upper else [q for _, q in both], beyond))

    def within(self, x: Curve) -> Curve:
        """Without small ends, and with at most so many cells."""
        while len((x := self.trimmed(x)).p) > self.cells:
            x = self.squared(x)
        return x

    def squared(self, x: Curve) -> Curve:
        """On every other place: odd ones are split, from above by 1 : g, so that the totals stay, else in halves."""
        if x.high.bit_length() > 64 * SHARP:
            raise Stop("undecided", "because.lattices: too few cells")
        self.budget.spend(4 * len(x.p), self.width, SHARP)
        one, sides = 1 << SHARP, list[list[int]]()
        down, rising = up(one << SHARP, one + x.low), up(x.high << SHARP, one + x.high)
        for weights in (x.p, x.q or []):
            weights = [0] * (x.first % 2) + weights
            weights += [0] * (len(weights) % 2)
            even, odd = [*weights[::2], 0], weights[1::2]
            for i, weight in enumerate(odd):
                low = high = weight >> 1 if not sides else -(-weight >> 1)
                if self.upper:
                    low, high = -(-weight * down >> SHARP), -(-weight * rising >> SHARP)
                even[i], even[i + 1] = even[i] + low, even[i + 1] + high
            sides.append(even)
        g = x.low * x.low >> SHARP, -(-x.high * x.high >> SHARP)
        return Curve(*g, x.first // 2, sides[0], sides[1] if x.q else None, x.beyond, x.runs)

    def trimmed(self, x: Curve) -> Curve:
        """Without what is small at the ends: from above it is at the first place that stays, or at infinity."""
        room, first, last = self.room * x.runs, 0, len(x.p)
        small = raised = 0
        while last > 1 and small + x.p[last - 1] <= room:
            small, last = small + x.p[last - 1], last - 1
        while first < last - 1 and raised + x.p[first] <= room:
            raised, first = raised + x.p[first], first + 1
        kept = x.p[first:last]
        if not self.upper:
            return x._replace(first=x.first + first, p=kept, q=x.q[first:last] if x.q else None)
        kept[0] += raised
        return x._replace(first=x.first + first, p=kept, beyond=x.beyond + small)

    def joined(self, x: Curve, y: Curve) -> Curve:
        """The product of two pairs."""
        one, sides, room = 1 << self.width, list[Any](), self.budget.memory  # squared, it is a new pair
        while x.low != y.low:
            x, y = (self.squared(x), y) if x.low < y.low else (x, self.squared(y))
        for a, b, rise in ((x.p, y.p, self.upper), (x.q, y.q, True)):
            if a is None or b is None:
                sides.append(None)
            elif not (any(a) and any(b)):
                sides.append([0] * (len(a) + len(b) - 1))
            else:
                whole = product(a, a if x is y else b, self.budget)
                sides.append([-(-w >> self.width) if rise else w >> self.width for w in whole])
        self.budget.memory = room
        self.budget.hold(4 * len(sides[0]), self.width)
        mine, other = min(x.beyond, one), min(y.beyond, one)
        beyond = mine + other - (mine * other // one if self.upper else up(mine * other, one))
        return self.within(Curve(x.low, x.high, x.first + y.first, sides[0], sides[1], beyond, x.runs + y.runs))

    def repeated(self, x: Curve, n: int) -> Curve:
        """The product of n pairs, by doubling."""
        found = x
        for bit in f"{n:b}"[1:]:
            found = self.joined(found, found)
            found = self.joined(found, x) if bit == "1" else found
        return found

    def delta(self, x: Curve, eps: Eps) -> int:
        """delta(eps) from above, or from below, over 2^width."""
        low, high, scale = enclose(eps, SHARP, self.budget)
        total, sharp = x.beyond, 2 * SHARP
        self.budget.spend(8 * len(x.p), sharp, sharp)
        if x.q is not None:
            return total + sum(max(p - up(high * q, scale), 0) for p, q in zip(x.p, x.q, strict=True))
        falls = (1 << sharp + SHARP) // x.high
        at = 1 << sharp  # g^-j, over 2^sharp, rounded down
        for j in range(1, x.first + len(x.p)):
            at = at * falls >> sharp
            rest = (1 << sharp) - low * at // scale
            if j >= x.first and rest > 0:
                total += -(-x.p[j - x.first] * rest >> sharp)
        return total


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
    hints = {"step": ABOVE_ONE, "cells": partial(integer, least=2, most=2**24)}
    found = read_as({"runs": [anything], "lattices": [hints]}, given, "because")
    need(found["lattices"], "because.lattices", "a lattice")
    need(len(found["runs"]) == len(claim.runs), "because.runs", "a part for each of the claim's runs")
    total, (above, below) = sum(times for _, times in claim.runs), claim.delta
    _, high, scale = enclose(claim.eps, SHARP, budget)
    width = GRAIN + small(claim.delta) + 2 * total.bit_length() + (high // scale).bit_length()
    room = (above << width - ROOM) // (below * total)
    composers = [Composer(lattice, proved, width, room, budget) for lattice in found["lattices"]]
    options, lost = list[list[list[Pair]]](), 0
    for i, ((seen, times), part) in enumerate(zip(claim.runs, found["runs"], strict=True)):
        cases, road = part_of(seen, claim, part, proved, f"because.runs[{i}]", width, budget)
        some = list[list[Pair]]()
        for _, factors in road(cases, width):
            budget.hold(3 * sum(len(atoms) for atoms, _, _ in factors), width)
            some.append(factors)
            lost += 0 if proved else sum(up(times * missing << width, unit) for _, missing, unit in factors)
        options.append(some)
    done = 0
    for chosen in choices(*options):
        composer = composers[done % len(composers)]
        memory, done, whole = budget.memory, done + 1, list[Curve]()
        for factors, (_, times) in zip(chosen, claim.runs, strict=True):
            for pair in factors:
                one = composer.repeated(composer.start(pair), times)
                whole = [composer.joined(whole[0], one)] if whole else [one]
        value, budget.memory = composer.delta(whole[0], claim.eps), memory
        if proved and value * below > above << width:
            raise Stop("undecided", "because.lattices: the bound, with these hints, is above delta")
        if not proved and (value - up(high * lost, scale)) * below <= above << width:
            raise Stop("undecided", "because.lattices: what is shown, with these hints, is not above delta")
    return f"{done} composition{'s' * (done != 1)} of {total} runs"


def part_of(seen: dict[str, Any], claim: Claim, part: Any, proved: bool, where: str, width: int, budget: Budget) -> Any:
    """The pairs of laws of a PART, that bound all neighbours' at every t, or are real, and a road to them."""
    if not proved:
        need(seen["kind"] != "private", where, "any but private")
        pair = read_as({"pair": anything}, part, where)["pair"]
        case, road = one_pair(seen, claim.neighbours, pair, where, budget)
        return [case], road
    if isinstance(part, dict) and "points" in part:
        points = read_as({"points": [anything]}, part, where)["points"]
        need(points and all(isinstance(point, list) and len(point) == 3 for point in points), where, "points")
        read = [(ratio(t, where, lambda p, q: p >= q, "t of at least 1"), PROBABILITY(d, where), proof)
                for t, d, proof in points]
        for t, d, proof in read:
            check_proof(seen, claim.neighbours, proof, (*t, True), d, budget)
        pair = dots([(t, d) for t, d, _ in read], width, budget)
        return [None], lambda cases, bits: ((case, [pair]) for case in cases)
    need(claim.same and seen["kind"] != "private", where, "points, where pairs differ from run to run, or of private")
    if seen["kind"] != "rows":
        return columns_cases(seen, claim.neighbours, part, budget), columns_road(budget)
    proof = rows_proof(seen, claim.neighbours, part, budget)
    plain = "mixtures" not in part and not any(job.grid for job in proof.jobs)
    need(plain, where, "no mixtures, and no blocks with a grid")
    return proof.jobs, rows_road(proof, budget) if proof.jobs else lambda cases, bits: iter(())


# ---- the command ----

def check_one(tree: Any, where: str, budget: Budget) -> Verdict:
    """The verdict on one certificate."""
    form = {"format": ("shufflecert certificate",), "note?": text_of, "claim": partial(claim_of, budget=budget),
            "verdict": ("PROVED", "REFUTED"), "because": anything}
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
