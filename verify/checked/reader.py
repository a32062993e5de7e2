"""From a certificate file to the records of the verified checker: trusted, like the words that are made of them.

What CERTIFICATE.md calls malformed is malformed here; labels become numbers, places in the lists of a claim's labels.
"""

import json
import re
from typing import NamedTuple

from verify.checked import program as c

MAX_BYTES, MAX_DIGITS = 64 * 2**20, 100_000


class Malformed(Exception):
    pass


class NotCovered(Exception):
    pass


class Names(NamedTuple):
    """The labels behind the numbers of inputs and of messages."""

    inputs: list
    messages: list


class Number(str):
    """A number of JSON's, as text."""


def need(condition, place, expected):
    if not condition:
        raise Malformed(f"{place}: expected {expected}")


def cons(items):
    found = ()
    for x in reversed(list(items)):
        found = (x, found)
    return found


def items(l):
    while l:
        x, l = l
        yield x


# ---- values ----
def unique(pairs):
    need(len(dict(pairs)) == len(pairs), "file", "no key twice in an object")
    return dict(pairs)


def parse(data):
    need(len(data) <= MAX_BYTES, "file", "at most 64 MiB")
    try:
        return json.loads(
            data.decode("utf-8"),
            object_pairs_hook=unique,
            parse_int=Number,
            parse_float=Number,
            parse_constant=lambda name: need(False, "file", "JSON"),
        )
    except (UnicodeDecodeError, json.JSONDecodeError, RecursionError):
        raise Malformed("file: expected JSON") from None


def text(place, value):
    need(isinstance(value, str) and not isinstance(value, Number), place, "a string")
    return value


def listed(place, value):
    need(isinstance(value, list), place, "a list")
    return value


def members(place, value):
    need(isinstance(value, dict), place, "an object")
    return value


def fields(place, keys, value):
    found = members(place, value)
    need(set(found) <= set(keys), place, "no other key than " + ", ".join(keys))
    for key in keys:
        need(key in found, place, f"the key {key}")
    return [found[key] for key in keys]


def natural(place, s):
    need(re.fullmatch(r"[0-9]+", s) and len(s) <= MAX_DIGITS, place, "at most 100000 digits")
    return int(s)


def rational(place, s):
    above, slash, below = s.partition("/")
    need(not any(len(x) > 1 and x[0] == "0" for x in (above, below)), place, "no leading zero")
    den = natural(place, below) if slash else 1
    need(den > 0, place, "a denominator above 0")
    return c.Qmake(natural(place, above), den)


def decimal(place, s):
    need(not re.match(r"0[0-9]|[^e]*e-0[0-9]", s), place, "no leading zero")
    found = re.fullmatch(r"([0-9]+)(?:\.([0-9]+))?(?:e-([0-9]{1,6}))?", s)
    need(found, place, "a DECIMAL")
    part, power = found[2] or "", int(found[3] or 0)
    need(power <= MAX_DIGITS, place, "an exponent of at most 100000")
    return c.Qmake(natural(place, found[1] + part), 10 ** (len(part) + power))


def at_most(a, b):
    return a.qnum * b.qden <= b.qnum * a.qden


def whole(k):
    return c.Qmake(k, 1)


def exponent(place, s):
    if len(s) > 4 and s.startswith("log(") and s.endswith(")"):
        z = rational(place, s[4:-1])
        need(at_most(whole(1), z), place, "log of at least 1")
        return c.Log(z)
    eps = rational(place, s)
    need(at_most(eps, whole(10_000)), place, "a RATIONAL up to 10000")
    return c.Of(eps)


def integer(place, value, most=None):
    need(isinstance(value, Number), place, "an integer")
    k = natural(place, value)
    need(k > 0, place, "an integer of at least 1")
    need(most is None or k <= most, place, f"at most {most}")
    return k


def label(place, value):
    s = text(place, value)
    need(1 <= len(s) <= 1000, place, "a label of 1 to 1000 code points")
    return s


def word(place, words, value):
    s = text(place, value)
    need(s in words, place, " or ".join(words))
    return s


def numbering(labels):
    table = {}
    for x in labels:
        table.setdefault(x, len(table))
    return table


def known(place, table, x):
    need(x in table, place, "a label of the randomizer")
    return table[x]


def distinct(found):
    return len(set(found)) == len(found)


def multiset(place, table, value):
    return [(known(place, table, x), integer(place, k)) for x, k in members(place, value).items()]


def permutation(place, table, value):
    moves = [(known(place, table, x), known(place, table, text(place, y))) for x, y in members(place, value).items()]
    need(sorted(x for x, _ in moves) == sorted(y for _, y in moves), place, "a permutation of its keys")
    return cons(moves)


# ---- the parts ----
def row(place, value):
    given, outputs = fields(place, ["input", "outputs"], value)
    found = []
    for output in listed(place + ".outputs", outputs):
        send, p = fields(place + ".outputs", ["send", "p"], output)
        p = rational(place + ".p", text(place + ".p", p))
        need(p.qnum > 0, place + ".p", "more than zero")
        found.append((tuple(label(place + ".send", m) for m in listed(place + ".send", send)), p))
    need(found and distinct([s for s, _ in found]), place + ".outputs", "outputs, none of them twice")
    return label(place + ".input", given), found


def pair(place, inputs, shuffled, n, value):
    a, b, *rest = fields(place, ["from", "to"] + ["others"] * shuffled, value)
    one, other = (known(place + at, inputs, label(place + at, x)) for at, x in ((".from", a), (".to", b)))
    need(one != other, place + ".to", "another input than from")
    counts = [x for r in rest for x in multiset(place + ".others", inputs, r)]
    need(not shuffled or sum(k for _, k in counts) == n - 1, place + ".others", "n - 1 inputs")
    return lambda: c.Pair(one, other, cons(x for x, k in counts for _ in range(k)))


def both_ends(place, value):
    return [
        decimal(place + "." + x, text(place + "." + x, y))
        for x, y in zip(("lower", "upper"), fields(place, ["lower", "upper"], value), strict=True)
    ]


def read_claim(value, most=10**9):
    keys = ["randomizer", "adjacency", "view", "n", "datasets", "eps", "delta"]
    randomizer, adjacency, view, n, datasets, eps, delta = fields("claim", keys, value)
    (rows,) = fields("claim.randomizer", ["rows"], randomizer)
    place = "claim.randomizer.rows"
    rows = [row(f"{place}[{i}]", r) for i, r in enumerate(listed(place, rows))]
    need(rows and distinct([x for x, _ in rows]), place, "rows whose inputs differ")
    word("claim.adjacency", ["replace"], adjacency)
    word("claim.datasets", ["all"], datasets)
    sees = {"shuffled": c.Shuffled, "preshuffle": c.Preshuffle, "local": c.Local}[
        word("claim.view", ["shuffled", "preshuffle", "local"], view)
    ]()
    users = integer("claim.n", n, most)
    eps = exponent("claim.eps", text("claim.eps", eps))
    delta = rational("claim.delta", text("claim.delta", delta))
    need(at_most(delta, whole(1)), "claim.delta", "at most 1")
    messages = numbering(m for _, outputs in rows for sent, _ in outputs for m in sent)
    table = cons(cons((cons(messages[m] for m in sent), p) for sent, p in outputs) for _, outputs in rows)
    return c.Claim(table, sees, users, eps, delta), numbering(x for x, _ in rows), messages


def proof(inputs, messages, shuffled, n, value):
    given, worst = fields("evidence", ["symmetries", "worst"], value)
    place = "evidence.symmetries"
    symmetries = []
    for s in listed(place, given):
        of_inputs, of_messages = fields(place, ["inputs", "messages"], s)
        symmetries.append(
            c.Symmetry(
                permutation(place + ".inputs", inputs, of_inputs),
                permutation(place + ".messages", messages, of_messages),
            )
        )
    need((worst is None) == (len(inputs) == 1), "evidence.worst", "a pair and its delta, or null for one input")
    if worst is None:
        return lambda: c.Proved(cons(symmetries), None)
    p, delta = fields("evidence.worst", ["pair", "delta"], worst)
    p = pair("evidence.worst.pair", inputs, shuffled, n, p)
    lower, upper = both_ends("evidence.worst.delta", delta)
    return lambda: c.Proved(cons(symmetries), (((p(), lower), upper),))


def refutation(inputs, messages, view, n, value):
    p, event = fields("evidence", ["pair", "event"], value)
    p = pair("evidence.pair", inputs, isinstance(view, c.Shuffled), n, p)
    local, place = isinstance(view, c.Local), "evidence.event"
    if local:
        event = [tuple(known(place, messages, label(place, m)) for m in listed(place, s)) for s in listed(place, event)]
    else:
        event = [tuple(sorted(multiset(place, messages, s))) for s in listed(place, event)]
    need(distinct(event), place, "outcomes that differ")
    return lambda: c.Refuted(p(), cons((c.Tuple if local else c.Counts)(cons(x)) for x in event))


def noise(place, value):
    law = word(
        place + ".law",
        ["binomial", "poisson", "negative_binomial", "discrete_laplace"],
        members(place, value).get("law"),
    )
    names = {"binomial": ["n", "p"], "poisson": ["lam"], "negative_binomial": ["r", "p"], "discrete_laplace": ["q"]}[
        law
    ]
    values = dict(zip(names, fields(place, ["law", *names], value)[1:], strict=True))

    def at(name, least=1, part=False):
        q = rational(place + "." + name, text(place + "." + name, values[name]))
        need(q.qnum >= least, place + "." + name, "more than zero")
        need(not part or q.qnum < q.qden, place + "." + name, "less than 1")
        return q

    if law == "binomial":
        p = at("p", 0)
        need(at_most(p, whole(1)), place + ".p", "at most 1")
        return c.Binomial(integer(place + ".n", values["n"], 10**15), p)
    if law == "poisson":
        return c.Poisson(at("lam"))
    return (
        c.NegativeBinomial(at("r"), at("p", part=True))
        if law == "negative_binomial"
        else c.DiscreteLaplace(at("q", part=True))
    )


def read_count(claim, verdict, evidence):
    mechanism, adjacency, datasets, eps, delta = fields(
        "claim", ["mechanism", "adjacency", "datasets", "eps", "delta"], claim
    )
    word("claim.adjacency", ["replace"], adjacency)
    word("claim.datasets", ["all"], datasets)
    place = "claim.mechanism"
    histogram = members(place, mechanism).get("view") == "histogram"
    many, most = ("buckets", 10**15) if histogram else ("sensitivity", 10**6)
    _, law, size = fields(place, ["view", "noise", many], mechanism)
    size = integer(f"{place}.{many}", size, most)
    need(not histogram or size > 1, f"{place}.{many}", "at least 2")
    eps = exponent("claim.eps", text("claim.eps", eps))
    delta = rational("claim.delta", text("claim.delta", delta))
    need(at_most(delta, whole(1)), "claim.delta", "at most 1")
    (found,) = fields("evidence", ["delta"], evidence)
    lower, upper = both_ends("evidence.delta", found)
    law = noise(place + ".noise", law)
    if histogram:
        h = c.Histogram(law, size, eps, delta)
        return "count", (c.Count(law, 1, eps, delta), verdict, lower, upper, h)
    return "count", (c.Count(law, size, eps, delta), verdict, lower, upper, None)


def read_grid(evidence):
    place = "evidence.blanket"
    (found,) = fields("evidence", ["blanket"], evidence)
    step, cells, tilt = fields(place, ["step", "cells", "tilt"], found)
    step, tilt = (rational(f"{place}.{x}", text(f"{place}.{x}", y)) for x, y in (("step", step), ("tilt", tilt)))
    need(step.qnum > 0, place + ".step", "more than zero")
    need(not at_most(tilt, whole(1)), place + ".tilt", "more than 1")
    return step, integer(place + ".cells", cells, 2**32)


def read_blanket(claim, evidence):
    claim, inputs, messages = read_claim(claim, 10**15)
    need(isinstance(claim.sees, c.Shuffled), "claim.view", "shuffled")
    return "blanket", (claim, *read_grid(evidence), Names([*inputs], [*messages]))


def signed(place, value):
    s = text(place, value)
    need(re.fullmatch(r"-?(0|[1-9][0-9]{0,999})", s), place, "an INTEGER")
    return int(s)


def read_threshold(claim, evidence, by=None):
    claim, inputs, messages = read_claim(claim, 10**15)
    need(isinstance(claim.sees, c.Shuffled), "claim.view", "shuffled")
    p, threshold = fields("evidence", ["pair", "threshold"], evidence)
    p = pair("evidence.pair", inputs, True, claim.users, p)
    weights, above = fields("evidence.threshold", ["weights", "above"], threshold)
    place = "evidence.threshold.weights"
    given = {known(place, messages, m): signed(place, w) for m, w in members(place, weights).items()}
    t = c.Threshold(cons(given.get(m, 0) for m in range(len(messages))), signed("evidence.threshold.above", above))
    return "threshold", (claim, p, t, Names([*inputs], [*messages]), by)


def read_cover(claim, evidence):
    claim, inputs, messages = read_claim(claim, 10**15)
    need(isinstance(claim.sees, c.Shuffled), "claim.view", "shuffled")
    place = "evidence.cover"
    (nodes,) = fields("evidence", ["cover"], evidence)
    found, left = [], 1  # how many trees are still to come
    for node in listed(place, nodes):
        need(left > 0, place, "one tree")
        if node is None:
            found.append(c.Whole())
            left -= 1
        else:
            need(isinstance(node, list) and len(node) == 2 and isinstance(node[1], Number), place, "cuts and boxes")
            most = natural(place, node[1])
            need(most <= 10**15, place, "at most 10^15")
            found.append(c.Cut(known(place, inputs, label(place, node[0])), most))
            left += 1
    need(left == 0, place, "one tree")
    return "cover", (claim, cons(found), Names([*inputs], [*messages]))


def read_any(claim, proved, evidence):
    mechanism, adjacency, datasets, eps, delta = fields(
        "claim", ["mechanism", "adjacency", "datasets", "eps", "delta"], claim
    )
    word("claim.adjacency", ["replace"], adjacency)
    word("claim.datasets", ["all"], datasets)
    place = "claim.mechanism"
    _, local, share, users = fields(place, ["view", "local", "local delta", "users"], mechanism)
    local = exponent(place + ".local", text(place + ".local", local))
    share = rational(place + ".local delta", text(place + ".local delta", share))
    need(at_most(share, whole(1)), place + ".local delta", "at most 1")
    many = integer(place + ".users", users, 10**15)
    bound, most = exponent("claim.eps", text("claim.eps", eps)), rational("claim.delta", text("claim.delta", delta))
    need(at_most(most, whole(1)), "claim.delta", "at most 1")
    if proved:
        step, cells = read_grid(evidence)
        if share.qnum:
            raise NotCovered("any randomizer: a local delta above 0 is not covered")
        return "any", (c.AnyClaim(local, many, bound, most), step, cells)
    randomizer, p, threshold = fields("evidence", ["randomizer", "pair", "threshold"], evidence)
    whole_claim = {
        "randomizer": randomizer,
        "adjacency": adjacency,
        "view": "shuffled",
        "n": users,
        "datasets": datasets,
        "eps": eps,
        "delta": delta,
    }
    return read_threshold(whole_claim, {"pair": p, "threshold": threshold}, (local, share))


def read(data):
    """(what kind of certificate it is, the arguments of its decision). Raises Malformed and NotCovered."""
    tree = parse(data)
    first = tree[0] if isinstance(tree, list) and tree else tree
    if isinstance(first, dict) and "because" in first:
        raise NotCovered("the format without versions is not read by the verified checker yet")
    tree = members("file", tree)
    text("note", tree.pop("note", ""))
    form, version, claim, said, evidence = fields("file", ["format", "version", "claim", "verdict", "evidence"], tree)
    word("format", ["shufflecert certificate"], form)
    proved = word("verdict", ["PROVED", "REFUTED"], said) == "PROVED"
    need(isinstance(version, Number), "version", "1, or 2 and evidence of version 2")
    has = evidence if isinstance(evidence, dict) else {}
    mechanism = claim.get("mechanism") if isinstance(claim, dict) else None
    view = mechanism.get("view") if isinstance(mechanism, dict) else None
    number, third = view in ("count", "histogram"), version == "3"
    second = version == "2" or (third and (number or "threshold" in has or "blanket" in has))
    if third and view == "any randomizer":
        return read_any(claim, proved, evidence)
    if third and "cover" in has:
        need(proved, "verdict", "PROVED")
        return read_cover(claim, evidence)
    if not second and version in ("3", "4", "5", "6", "7", "8"):
        raise NotCovered(
            "versions 3 to 8 are not covered by the verified kernel but for covers, blankets, counts, "
            "thresholds, any randomizer"
        )
    if second and "threshold" in has and "claim" not in has:
        need(not proved, "verdict", "REFUTED")
        return read_threshold(claim, evidence)
    if second and "blanket" in has and "claim" not in has:
        need(proved, "verdict", "PROVED")
        return read_blanket(claim, evidence)
    if second and number:
        return read_count(claim, c.PROVED() if proved else c.REFUTED(), evidence)
    if version == "2" and isinstance(evidence, dict) and not ({"symmetries", "event"} & set(has)):
        raise NotCovered(
            "version 2 is not covered by the verified kernel but for counts, histograms, blankets, thresholds"
        )
    need(version == "1", "version", "1, or 2 and evidence of version 2")
    claim, inputs, messages = read_claim(claim)
    given = (
        proof(inputs, messages, isinstance(claim.sees, c.Shuffled), claim.users, evidence)
        if proved
        else refutation(inputs, messages, claim.sees, claim.users, evidence)
    )
    return "enumeration", (claim, given, Names([*inputs], [*messages]))
