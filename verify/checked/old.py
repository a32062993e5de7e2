"""Certificates of versions 1 to 8, as far as there are theorems: what reads and decides them. It goes with them.

What CERTIFICATE.md calls malformed is malformed here; labels become numbers, places in the lists of a claim's labels.
"""

import json
import re
from hashlib import sha256

from shufflecert.verify.checked import decide
from shufflecert.verify.checked import program as c
from shufflecert.verify.checked.hints import MOST_TABLE, begun, likely, precision, symmetries_work, walk
from shufflecert.verify.checked.reader import Malformed, Names, NotCovered, cons
from shufflecert.verify.checked.words import by, items

MAX_BYTES, MAX_DIGITS = 64 * 2**20, 100_000


class Number(str):
    """A number of JSON's, as text."""


def need(condition, place, expected):
    if not condition:
        raise Malformed(f"{place}: expected {expected}")


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


# ---- words ----
def shown(text):
    """A number's text; of a long one its first and last digits, how many it has, and a digest."""
    if len(text) <= 80:
        return text
    return f"{text[:20]}...{text[-20:]} ({len(text)} characters with SHA-256 {sha256(text.encode()).hexdigest()})"


def as_text(q):
    """A fraction as text."""
    return str(q.qnum) if q.qden == 1 else f"{q.qnum}/{q.qden}"


def exponent_text(e):
    """An eps."""
    return shown(as_text(e.q)) if isinstance(e, c.Of) else shown(f"log({as_text(e.z)})")


def ending(q):
    """An end of an interval: over a power of ten it is a decimal."""
    places = len(str(q.qden)) - 1
    if str(q.qden) != "1" + "0" * places:
        return shown(as_text(q))
    digits = str(q.qnum).rjust(places + 1, "0")
    return shown(digits if places == 0 else f"{digits[:-places]}.{digits[-places:]}")


def digest(names, rows):
    """The SHA-256 of the rows as JSON with sorted keys and no space, in ASCII."""
    table = [
        {"input": x, "outputs": [{"p": as_text(p), "send": [names.messages[m] for m in items(s)]} for s, p in items(r)]}
        for x, r in zip(names.inputs, items(rows), strict=True)
    ]
    return sha256(json.dumps({"rows": table}, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def promise(eps, delta):
    """What is promised."""
    return f"eps = {exponent_text(eps)}, delta = {shown(as_text(delta))}"


def of_claim(names, claim):
    """The claim about a randomizer."""
    view = {c.Shuffled: "shuffled", c.Preshuffle: "preshuffle", c.Local: "local"}[type(claim.sees)]
    words = f"n = {claim.users}, adjacency = replace, view = {view}, {promise(claim.eps, claim.delta)}, "
    many = len(list(items(claim.rows)))
    return f"{words}randomizer of {many} inputs with SHA-256 {digest(names, claim.rows)}"


def noise_text(law):
    """A noise law."""
    if isinstance(law, c.Binomial):
        return f"Bin({law.n}, {shown(as_text(law.p))})"
    if isinstance(law, c.Poisson):
        return f"Poisson({shown(as_text(law.lam))})"
    if isinstance(law, c.NegativeBinomial):
        return f"NB({shown(as_text(law.r))}, {shown(as_text(law.p))})"
    return f"discrete Laplace noise with q = {shown(as_text(law.q))}"


def of_count(count):
    """The claim about a count."""
    words = f"a count + {noise_text(count.law_of)}, sensitivity = {count.sensitivity}, adjacency = replace, "
    return words + promise(count.count_eps, count.count_delta)


def of_histogram(claim):
    """The claim about a histogram."""
    law, buckets, eps, delta = claim
    return f"a histogram of {buckets} buckets, to each + {noise_text(law)}, adjacency = replace, {promise(eps, delta)}"


def of_any(claim):
    """The claim about every randomizer with a local eps."""
    local, users, eps, delta = claim
    words = f"any randomizer with finitely many outputs and local eps = {exponent_text(local)}, n = {users}, "
    return f"{words}adjacency = replace, view = shuffled, {promise(eps, delta)}"


def of_one(names, local, share, claim):
    """That one randomizer, as private as it is said to be, refutes such a claim."""
    words = f"not every randomizer with local eps = {exponent_text(local)}, local delta = {shown(as_text(share))}: "
    return words + of_claim(names, claim)


# ---- verdicts ----
def refuted(claim, evidence, s, hint):
    below, above = decide.turned(claim, c.from_below, hint), decide.turned(claim, c.from_above, hint)
    if isinstance(evidence, c.Refuted):
        return (
            None
            if c.event_holds(below, s, evidence.p, evidence.outcomes, hint)
            else ("evidence.event: P(event) - e^eps Q(event) is not above delta")
        )
    if evidence.worst is None:
        return "a listed symmetry is none"
    (((p, lower), upper),) = evidence.worst
    if not c.symmetries_hold(claim, s, evidence.symmetries):
        return "evidence.symmetries: one is none"
    if not c.lower_holds(below._replace(delta=lower), s, p, hint):
        return "evidence.worst.delta.lower: the pair does not reach it"
    if not c.upper_holds(c.core(above._replace(delta=c.smaller(upper, claim.delta))), s, hint):
        return "claim.delta or evidence.worst.delta.upper: exceeded by a pair"
    return None


def accepted_as(claim, evidence, names):
    """The verdict on evidence that all datasets were enumerated for, or an event."""
    claimed, sound = of_claim(names, claim), by("check_sound", "Kernel.v")
    if isinstance(evidence, c.Refuted):
        words = f"{sound} the claim is false: the listed event of the named pair exceeds delta"
        return "accepted", f"REFUTED: {claimed}: {words}"
    if evidence.worst is None:
        return "accepted", f"PROVED: {claimed}: {sound} there are no neighbours, and so the claim is true"
    (((_, lower), upper),) = evidence.worst
    words = f"the claim is true, the named pair's delta(eps) is at least {ending(lower)}, and that of all pairs at most"
    return "accepted", f"PROVED: {claimed}: {sound} {words} {ending(upper)}"


def decide_enumeration(claim, evidence, names):
    """On version 1."""
    s = decide.ready(claim, names)
    if isinstance(claim.sees, c.Shuffled) and claim.rows[1]:
        decide.few_users(claim)
    evidence = evidence()
    if isinstance(evidence, c.Proved):
        begun(symmetries_work(claim, evidence.symmetries), MOST_TABLE)
    first = max(32, likely(claim, evidence))
    return decide.enumerated(
        claim,
        s,
        first,
        lambda hints: c.check(claim, evidence, s, hints),
        lambda hint: refuted(claim, evidence, s, hint),
        lambda: accepted_as(claim, evidence, names)[1],
    )


def decide_count(count, said, lower, upper, histogram):
    between = c.Qmake(upper.qnum * lower.qden - lower.qnum * upper.qden, upper.qden * lower.qden)

    def size(q):
        return q.qden.bit_length() - q.qnum.bit_length()

    apart = between.qnum > 0
    relative = max(0, size(between) - size(upper)) if apart else 200
    absolute = max(0, size(between) if apart else size(upper) + 200)
    under = c.Qmake(lower.qnum * (2**80 - 1), lower.qden * 2**80)
    proved = isinstance(said, c.PROVED)
    if histogram is None:
        claimed, sound = of_count(count), by("check_count_sound", "CountKernel.v")
        of, check, upper_end, lower_end = count, c.check_count, c.upper_end, c.lower_end
    else:
        claimed, sound = of_histogram(histogram), by("check_histogram_sound", "Histogram.v")
        of, check, upper_end, lower_end = histogram, c.check_histogram, c.histogram_upper, c.histogram_lower
    is_ = "true" if proved else "false"
    words = f"the claim is {is_}, and the largest delta(eps) lies in [{ending(lower)}, {ending(upper)}]"
    accepted = "accepted", f"{'PROVED' if proved else 'REFUTED'}: {claimed}: {sound} {words}"
    law = count.law_of
    if isinstance(law, c.Binomial) and law.p.qnum in (0, law.p.qden):
        if histogram:
            raise NotCovered("a histogram whose noise is a known number")
        hint = c.HintOfCount(precision(count.count_eps, 64), 0, 0, 0)
        return (
            accepted
            if check(of, said, lower, upper, hint)
            else ("rejected", "evidence.delta or claim.delta: delta(eps) is 1")
        )
    for more in (16, 128 + absolute):
        hint = walk(count, absolute + more, relative + more, histogram is not None)
        if hint is None:
            return "undecided", "too much work: the law is too wide to walk along"
        if check(of, said, lower, upper, hint):
            return accepted
        if lower_end(of, hint, upper, True):
            return "rejected", "evidence.delta.upper: delta(eps) is above"
        if upper_end(of, hint, under):
            return "rejected", "evidence.delta.lower: delta(eps) is below"
        if proved and lower_end(of, hint, count.count_delta, True):
            return "rejected", "claim.delta: exceeded"
        if not proved and upper_end(of, hint, count.count_delta):
            return "rejected", "claim.delta: kept"
    return "undecided", "so many bits do not decide"


def verdict(data):
    """The verdict on a certificate of an older version."""
    kind, parts = read(data)
    jobs = {
        "enumeration": decide_enumeration,
        "threshold": lambda claim, p, threshold, names, local: decide.decide_threshold(
            claim, p, threshold, names, local, of_claim, lambda *said: of_one(names, *said)
        ),
        "cover": lambda claim, tree, names: decide.decide_cover(claim, (), tree, names, of_claim),
        "blanket": lambda claim, step, cells, names: decide.decide_blanket(claim, (), step, cells, names, of_claim),
        "any": lambda claim, step, cells: decide.decide_any(claim, step, cells, of_any),
        "count": decide_count,
    }
    return jobs[kind](*parts)
