"""Re-check shufflecert certificates, without the engine: python3 -I -S verify/kernel.py cert.json [more.json ...]

CERTIFICATE.md defines the format and what a certificate states. Of a PROVED certificate this file verifies that every
listed symmetry is one, that the named pair's delta(eps) is at least `lower`, and that delta(eps) of every pair of
neighbouring datasets, which it finds itself, is at most `upper` and the claimed delta. Of a REFUTED certificate it
verifies that P(event) - e^eps Q(event) > delta for the named pair. Nothing in the file is taken on trust.

To be trusted: Python's integers, containers and JSON parser, and this file, which imports only the standard library and
holds no float. Its arithmetic is not the engine's: a product of polynomials is a naive convolution of dictionaries from
packed exponents (a multiset is one integer, its counts the digits in a base no count reaches) to weights over a common
denominator; e^eps is enclosed by a Taylor sum in fixed point, each step rounded outwards, and bits double until it
decides. Work is estimated before it is begun, in products of small integers (about 0.1 microseconds).
"""

import argparse
import json
import math
import operator
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import lru_cache, partial, reduce
from itertools import combinations, pairwise, permutations
from pathlib import Path
from typing import Any, NamedTuple

MAX_BYTES, MAX_DIGITS, MAX_BITS, MAX_WORK = 64 * 2**20, 100_000, 65_536, 10**9
MANY = 10**18  # nothing is counted further: so much work is refused

Ratio = tuple[int, int]  # numerator, denominator; not in lowest terms
Eps = tuple[int, int, bool]  # eps = p/q, or log(p/q) if the flag is set
Outcome = tuple[tuple[Any, int], ...]  # sorted (message, count) items; in the local view one (tuple of messages, 1)
Law = dict[Outcome, int]  # outcome -> weight, over the certificate's `unit`
Poly = dict[int, int]  # packed exponents -> weight
Counts = tuple[int, ...]  # how many of the others are in each class


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

def integer(value: Any, where: str) -> int:
    text = str(value[0]) if isinstance(value, tuple) else ""
    need(text.isdigit() and text != "0" and len(text) <= MAX_DIGITS, where, "an integer of at least 1, in digits")
    return natural(text)

RATIONAL = r"([0-9]+)()(?:/([0-9]+))?()"  # groups: digits, digits after the point, denominator, exponent
DECIMAL = r"([0-9]+)(?:\.([0-9]+))?()(?:e-0*([0-9]{1,6}))?"

def ratio(value: Any, where: str, form: str = RATIONAL, least: int = 0) -> Ratio:
    match = re.fullmatch(form, value) if isinstance(value, str) else None
    need(match, where, "a RATIONAL" if form == RATIONAL else "a DECIMAL")
    whole, part, below, power = match.groups("") if match else ("", "", "", "")
    need(max(len(whole + part), len(below)) <= MAX_DIGITS, where, f"at most {MAX_DIGITS} digits")
    need(natural(power) <= 100_000 and natural(below or "1"), where, "a denominator above 0, an exponent up to 100000")
    need(natural(whole + part) >= least, where, "more than zero")
    return natural(whole + part), natural(below or "1") * 10 ** (len(part) + natural(power))

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

def outcome(sent: Iterable[str], local: bool) -> Outcome:
    """What is seen of these messages: a list of them, or their counts."""
    return tuple(sorted(Counter([tuple(sent)] if local else sent).items()))

def read(data: bytes, max_work: int) -> Certificate:
    """The certificate that the bytes write."""
    tree = parse(data)
    note = tree.pop("note", "") if isinstance(tree, dict) else ""
    need(isinstance(note, str), "note", "a string")
    top = read_as(FILE | {"evidence": lambda value, _: value}, tree, "file")
    claim, local, n = top["claim"], top["claim"]["view"] == "local", top["claim"]["n"]
    need(top["version"] == 1, "version", "1")
    need(n <= 10**9, "claim.n", "at most 10^9")
    need(claim["delta"][0] <= claim["delta"][1], "claim.delta", "at most 1")
    rows: dict[str, dict[tuple[str, ...], Ratio]] = {}
    for i, row in enumerate(claim["randomizer"]["rows"]):
        at = f"claim.randomizer.rows[{i}]"
        need(row["input"] not in rows, f"{at}.input", "inputs that differ")
        rows[row["input"]] = {tuple(output["send"]): output["p"] for output in row["outputs"]}
        need(len(rows[row["input"]]) == len(row["outputs"]) > 0, f"{at}.outputs", "outputs, none of them twice")
    need(rows, "claim.randomizer.rows", "a row")
    evidence = read_evidence(top, rows, {message for outputs in rows.values() for sent in outputs for message in sent})
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
    shown = (f", {key} = {show(tree['claim'][key])}" for key in ("adjacency", "view", "eps", "delta"))
    words = f"{top['verdict']}: n = {n}{''.join(shown)}"
    others = n - 1 if claim["view"] == "shuffled" else 0
    return Certificate(words, laws, unit, local, others, claim["eps"], claim["delta"], evidence)

def read_evidence(top: dict[str, Any], inputs: Collection[str], messages: Collection[str]) -> dict[str, Any]:
    view, n, proved = top["claim"]["view"], top["claim"]["n"], top["verdict"] == "PROVED"
    maps = {"inputs": partial(mapping, known=inputs), "messages": partial(mapping, known=messages)}
    pair: dict[str, Any] = dict.fromkeys(("from", "to"), partial(label, known=inputs))
    pair |= {"others": partial(mapping, known=inputs, item=integer)} if view == "shuffled" else {}
    worst = {"pair": pair, "delta": dict.fromkeys(("lower", "upper"), partial(ratio, form=DECIMAL))}
    shown = [partial(label, known=messages)] if view == "local" else partial(mapping, known=messages, item=integer)
    proof = {"symmetries": [maps], "worst": worst if len(inputs) > 1 else (None,)}
    evidence = read_as(proof if proved else {"pair": pair, "event": [shown]}, top["evidence"], "evidence")
    evidence |= evidence.get("worst") or {}
    if "pair" in evidence:
        at = "evidence.worst.pair" if proved else "evidence.pair"
        need(evidence["pair"]["from"] != evidence["pair"]["to"], f"{at}.to", "another input than from")
        others = evidence["pair"].setdefault("others", {})
        need(view != "shuffled" or sum(others.values()) == n - 1, f"{at}.others", "n - 1 inputs")
    event = [outcome(item, view == "local") for item in evidence.get("event", [])]
    need(len(set(event)) == len(event), "evidence.event", "outcomes that differ")
    return {**evidence, "event": None if proved else event}


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
    for bars in combinations(range(cert.others + kinds - 1), kinds - 1):
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


def verify(cert: Certificate, max_bits: int, max_work: int) -> str:
    """What has been verified, in words."""
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
    places = len({message for law in laws.values() for seen in law for message, _ in seen})  # to pack exponents in
    afford(max(work(cert, cert.others + 2), places * places * (20 + cert.others.bit_length()) // 8), max_work)
    total, changes, ways = cert.unit ** (cert.others + 1), math.perm(len(laws), 2), multisets(cert.others, len(laws))
    of_all = f"of {'at least ' * (ways == MANY)}{changes * ways} pairs of neighbouring datasets"
    polys = dict(zip(laws, pack(cert, laws.values()), strict=True))
    common = reduce(multiply, (polys[name] for name, count in pair["others"].items() for _ in range(count)), {0: 1})
    p, q = (multiply(common, polys[pair[end]]) for end in ("from", "to"))
    if cert.evidence["event"] is not None:
        [event] = pack(cert, [dict.fromkeys(cert.evidence["event"], 0)])
        p, q = ({0: sum(law.get(key, 0) for key in event)} for law in (p, q))
        if sign(p, q, total, cert.delta, cert.eps, max_bits) <= 0:
            raise Stop("rejected", "evidence.event: P(event) - e^eps Q(event) is not above claim.delta")
        return f"{cert.claim}: shown by 1 {of_all}"
    lower, upper = cert.evidence["delta"]["lower"], cert.evidence["delta"]["upper"]
    if sign(p, q, total, lower, cert.eps, max_bits) < 0:
        raise Stop("rejected", "evidence.worst.delta.lower: delta(eps) of the pair is below")
    class_of, kinds = classes(cert)
    afford(changes * multisets(cert.others, len(kinds)) * (1 + len(symmetries)) * (50 + len(kinds)), max_work)
    chosen = orbits(cert, class_of, len(kinds))
    cases = sum(map(len, chosen.values()))
    afford(work(cert, min(len(chosen) * cert.others, multisets(cert.others, len(kinds) + 1)) + 2 * cases), max_work)
    tight = upper[0] * cert.delta[1] < cert.delta[0] * upper[1]
    bound, place = (upper, "evidence.worst.delta.upper") if tight else (cert.delta, "claim.delta")
    for counts, common in products(chosen, pack(cert, kinds)):
        views = {name: multiply(common, polys[name]) for name in {name for ends in chosen[counts] for name in ends}}
        for ends in chosen[counts]:
            if sign(views[ends[0]], views[ends[1]], total, bound, cert.eps, max_bits) > 0:
                raise Stop("rejected", f"{place}: exceeded for from, to, others by class = {show((*ends, counts))}")
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
