"""From a certificate to the records of the verified checker: trusted, like the words that are made of them.

verify/CERTIFICATE.md defines the form; what is not of it is malformed. What there is no theorem about is said to be
so, and read no further. Labels become numbers: places in the lists of a claim's inputs and messages.
"""

import json
import re
from fractions import Fraction
from itertools import groupby
from typing import NamedTuple

from shufflecert.verify.checked import program as c
from shufflecert.verify.checked.words import cons, items

MAX_BYTES, MAX_DIGITS, MAX_DEPTH, MANY = 64 * 2**20, 100_000, 100, 10**15
ONE = c.Qmake(1, 1)


class Malformed(Exception):
    """Not of the form that is defined."""


class NotCovered(Exception):
    """There is no theorem about it."""


class Names(NamedTuple):
    """The labels behind the numbers of inputs and of messages."""

    inputs: list
    messages: list


class Number(NamedTuple):
    """A number of JSON's, as text."""

    digits: str


class Absent:
    """In the place of a key that may be left out."""


class Block(NamedTuple):
    """Users by input, how many are left open, whose place the user who changes has (None: of one left open), hints."""

    users: list
    opens: int
    place: int | None
    grid: tuple | None


class Entry(NamedTuple):
    """A pair of inputs and a tree: cuts, "each", "corner", blocks. The number after the last input is nobody's."""

    start: int
    to: int
    tree: list


def need(condition, place, expected):
    if not condition:
        raise Malformed(f"{place}: expected {expected}")


def no_theorem(about):
    raise NotCovered(f"no theorem yet for {about}")


# ---- values ----
def unique(pairs):
    need(len(dict(pairs)) == len(pairs), "file", "no key twice in an object")
    return dict(pairs)


def parse(data):
    """The JSON tree of the bytes."""
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


def shallow(tree):
    level = [tree]
    for _ in range(MAX_DEPTH):
        level = [x for at in level if type(at) in (dict, list) for x in (at.values() if type(at) is dict else at)]
    need(not level, "file", "nesting at most 100 deep")


def text(place, value):
    need(isinstance(value, str), place, "a string")
    return value


def listed(place, value):
    need(type(value) is list, place, "a list")
    return value


def members(place, value):
    need(type(value) is dict, place, "an object")
    return value


def fields(place, keys, value):
    """The values of these keys, and of no other; one with ? may be Absent."""
    found = members(place, value)
    plain = [key.rstrip("?") for key in keys]
    for key in found:
        need(key in plain, place, "no other key than " + ", ".join(plain))
    for key in keys:
        need(key[-1] == "?" or key in found, place, f"the key {key}")
    return [found.get(key, Absent) for key in plain]


def natural(place, s):
    need(re.fullmatch(r"0|[1-9][0-9]*", s) and len(s) <= MAX_DIGITS, place, "digits, at most 100000, no leading zero")
    return int(s)


def rational(place, value, least=0):
    """Of a numerator that is at least `least`."""
    above, slash, below = text(place, value).partition("/")
    q = c.Qmake(natural(place, above), natural(place, below) if slash else 1)
    need(q.qden > 0, place, "a denominator above 0")
    need(q.qnum >= least, place, "more than zero")
    return q


def probability(place, value, least=0):
    q = rational(place, value, least)
    need(q.qnum <= q.qden, place, "at most 1")
    return q


def exponent(place, value):
    s = text(place, value)
    if s[:4] == "log(" and s[-1] == ")":
        z = rational(place, s[4:-1])
        need(z.qden <= z.qnum, place, "log of at least 1")
        return c.Log(z)
    eps = rational(place, s)
    need(eps.qnum <= 10_000 * eps.qden, place, "a RATIONAL up to 10000")
    return c.Of(eps)


def integer(place, value, least=1, most=MANY):
    need(isinstance(value, Number) and value.digits.isdigit() and len(value.digits) <= 100, place, "an integer")
    k = int(value.digits)
    need(least <= k <= most, place, f"an integer from {least} to {most}")
    return k


def signed(place, value):
    s = text(place, value)
    need(re.fullmatch(r"-?(0|[1-9][0-9]{0,999})", s), place, "an INTEGER")
    return int(s)


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


def known(place, table, value):
    x = label(place, value)
    need(x in table, place, "a label of the randomizer")
    return table[x]


def distinct(found):
    return len(set(found)) == len(found)


def multiset(place, table, value):
    return [(known(place, table, x), integer(place, k)) for x, k in members(place, value).items()]


def permutation(place, table, value):
    moves = [(known(place, table, x), known(place, table, y)) for x, y in members(place, value).items()]
    need(sorted(x for x, _ in moves) == sorted(y for _, y in moves), place, "a permutation of its keys")
    return moves


# ---- claims ----
def row(place, value):
    given, outputs = fields(place, ["input", "outputs"], value)
    found = []
    for output in listed(place + ".outputs", outputs):
        send, p = fields(place + ".outputs", ["send", "p"], output)
        sent = tuple(label(place + ".send", m) for m in listed(place + ".send", send))
        found.append((sent, rational(place + ".p", p, 1)))
    need(found and distinct([s for s, _ in found]), place + ".outputs", "outputs, none of them twice")
    return label(place + ".input", given), found


def table_of(place, value):
    """(the program's rows, the numbers of inputs, and of messages)"""
    rows = [row(f"{place}[{i}]", r) for i, r in enumerate(listed(place, value))]
    need(rows and distinct([x for x, _ in rows]), place, "rows whose inputs differ")
    messages = numbering(m for _, outputs in rows for sent, _ in outputs for m in sent)
    table = cons(cons((cons(messages[m] for m in sent), p) for sent, p in outputs) for _, outputs in rows)
    return table, numbering(x for x, _ in rows), messages


LAWS = {
    "binomial": ["n", "p"],
    "poisson": ["lam"],
    "negative binomial": ["r", "p"],
    "discrete Laplace": ["q", "bound?"],
    "discrete Gaussian": ["variance"],
    "finite": ["p"],
    "sum": ["of"],
    "mixture": ["of"],
    "mod": ["by", "of"],
}


def noise(place, law, first, rest):
    """A law with numbers for its parameters."""
    if law == "binomial":
        return c.Noise(c.Binomial(integer(place + ".n", first), probability(place + ".p", rest[0])))
    q = rational(f"{place}.{LAWS[law][0]}", first, 1)
    if law == "poisson":
        return c.Noise(c.Poisson(q))
    if law == "discrete Gaussian":
        return c.Bell(c.Gaussian(q))
    part = q if law == "discrete Laplace" else rational(place + ".p", rest[0], 1)
    need(part.qnum < part.qden, place, "less than 1")
    if law == "negative binomial":
        return c.Noise(c.NegativeBinomial(q, part))
    if rest[0] is not Absent:
        return c.Bell(c.Bounded(q, integer(place + ".bound", rest[0])))
    return c.Noise(c.DiscreteLaplace(q))


def in_all(place, weights):
    need(sum((Fraction(w.qnum, w.qden) for w in weights), Fraction(0)) == 1, place, "weights that sum to exactly 1")


def number_law(place, value):
    """A law of numbers: noise, or one that is made of others."""
    law = word(place + ".law", [*LAWS], members(place, value).get("law"))
    given, *rest = fields(place, ["law", *LAWS[law]], value)[1:]
    if law == "finite":
        found = [(signed(place, k), probability(place, w, 1)) for k, w in members(place + ".p", given).items()]
        in_all(place, [w for _, w in found])
        return c.Finite(cons(found))
    if law == "mod":
        return c.Mod(integer(place + ".by", given, 2, 2**256), number_law(place + ".of", rest[0]))
    if law not in ("sum", "mixture"):
        return noise(place, law, given, rest)
    need(listed(place + ".of", given), place + ".of", "a list of laws")
    if law == "sum":
        return c.Sum(cons(number_law(place + ".of", one) for one in given))
    need(all(len(listed(place + ".of", one)) == 2 for one in given), place + ".of", "pairs of a weight and a law")
    found = [(probability(place + ".of", w, 1), number_law(place + ".of", one)) for w, one in given]
    in_all(place, [w for w, _ in found])
    return c.Mixture(cons(found))


class Seen(NamedTuple):
    """What is seen of n users of this kind, so many of them honest."""

    kind: str
    n: int
    honest: int
    part: tuple
    view: object
    each: object
    added: object
    shown: object


def read_seen(place, value):
    """What is seen of all users."""
    keys = ["users", "honest?", "take part?", "view?", "each", "added?", "shown?"]
    users, honest, part, view, each, added, shown = fields(place, keys, value)
    n = integer(place + ".users", users)
    kinds = ["rows", "columns", "one of", "up to", "private"]
    kind = next((kind for kind in kinds if kind in members(place + ".each", each)), None)
    need(kind, place + ".each", "one of the keys " + ", ".join(kinds))
    need((view is not Absent) == (kind == "rows"), place + ".view", "a view of rows, and of nothing else")
    need(part is Absent or kind == "rows", place + ".take part", "rows")
    need(added is Absent or kind not in ("rows", "private"), place + ".added", "columns, one of or up to")
    there = n if honest is Absent else integer(place + ".honest", honest, 1, n)
    share = ONE if part is Absent else probability(place + ".take part", part, 1)
    if shown is not Absent and kind != "up to":
        need(kind in ("columns", "one of"), place + ".shown", "columns, one of or up to")
    if kind != "rows" and there != n:
        no_theorem("honest users who are not all, but of rows")
    return Seen(kind, n, there, share, view, each, added, shown)


def read_claim(value):
    """(what is seen and how often, of each run; data; neighbours, eps, delta)"""
    runs, data, neighbours, eps, delta = fields("claim", ["runs", "data?", "neighbours", "eps", "delta"], value)
    found = []
    for i, run in enumerate(listed("claim.runs", runs)):
        place = f"claim.runs[{i}]"
        seen, times = fields(place, ["seen", "times"], run)
        found.append((read_seen(place + ".seen", seen), integer(place + ".times", times, 1, 10**9)))
    need(found, "claim.runs", "a run")
    several = sum(times for _, times in found) > 1
    need((data is not Absent) == several, "claim.data", "data, just where there are several runs")
    if type(neighbours) is not dict:
        word("claim.neighbours", ["replace", "add-remove"], neighbours)
    bounds, kinds = (exponent("claim.eps", eps), probability("claim.delta", delta)), {seen.kind for seen, _ in found}
    if neighbours != "replace" and kinds != {"rows"}:
        good = neighbours == "add-remove" and kinds <= {"one of", "up to", "rows"}
        need(good, "claim.neighbours", "replace, of columns and of private users")
    if several:
        word("claim.data", ["same", "any"], data)
        need(len(found) == 1 or neighbours == "replace", "claim.neighbours", "replace, of several that are seen")
    return found, data, neighbours, *bounds


def changes_of(inputs, neighbours):
    """How the user who changes does."""
    if neighbours == "replace":
        return c.Replace()
    if neighbours == "add-remove":
        return c.AddRemove()
    (given,) = fields("claim.neighbours", ["deletion"], neighbours)
    place = "claim.neighbours.deletion"
    weights = [(known(place, inputs, x), probability(place, w, 1)) for x, w in members(place, given).items()]
    in_all(place, [w for _, w in weights])
    return c.Deletion(cons(weights))


# ---- rows ----
def tree_of(place, inputs, shuffled, value):
    found, left = [], 1  # how many trees are still to come
    for node in listed(place, value):
        need(left > 0, place, "one whole tree")
        if type(node) is list:
            need(len(node) == 2, place, "a cut [LABEL, most]")
            found.append(c.Split(known(place, inputs, node[0]), integer(place, node[1], 0)))
            left += 1
        elif type(node) is dict:
            need(shuffled, place, "a block in the shuffled view only")
            found.append(block(place, inputs, node))
            left -= 1
        else:
            found.append(word(place, ["each", "corner"], node))
            left -= 1
    need(left == 0, place, "one whole tree")
    return found


def block(place, inputs, value):
    users, opens, at, grid = fields(place, ["users", "open", "place", "grid?"], value)
    held = multiset(place + ".users", inputs, users)
    left = integer(place + ".open", opens, 0)
    spot = None if at is None else known(place + ".place", inputs, at)
    need(left > 0 if spot is None else spot in dict(held), place + ".place", "who is in the block")
    return Block(held, left, spot, None if grid is Absent else grid_of(place + ".grid", grid, "above?"))


def grid_of(place, value, *more):
    """(step, cells, above or None); the key "above" only where it is given for one more."""
    step, cells, tilt, *rest = fields(place, ["step", "cells", "tilt", *more], value)
    size, high = rational(place + ".step", step, 1), rational(place + ".tilt", tilt)
    need(high.qnum > high.qden, place + ".tilt", "more than 1")
    many = integer(place + ".cells", cells, 1, 2**32)
    above = rest[0] if rest else Absent
    return size, many, None if above is Absent else integer(place + ".above", above, 1, 2**32)


def known_of(crowd, inputs, messages, value):
    """For each input, and for whoever is not there, how many of which messages are sure to be sent."""
    rows = list(items(c.laws_of(crowd)))
    found = [{} for _ in rows]
    for x, sent in members("because.known", value).items():
        i = known("because.known", inputs, x)
        found[i] = dict(multiset("because.known", messages, sent))
        sure = all(list(items(send)).count(m) >= k for send, _ in items(rows[i]) for m, k in found[i].items())
        need(sure, "because.known", "what is always sent")
    return found


def end(place, inputs, crowd, value):
    """The number of an input, or that after the last one."""
    absent = value is None and not isinstance(crowd.changes, c.Replace)
    return len(inputs) if absent else known(place, inputs, value)


def neighbours(crowd, inputs, a, b):
    """Whether somebody may go from a to b."""
    return c.moves_so(crowd.changes, len(inputs), a, b)


def entry(place, inputs, crowd, renamings, before, value):
    """One pair; `before` are those that come before it, and whether a renaming makes them of another."""
    linked = "same as" in members(place, value)
    keys = ["from", "to", "same as", "by"] if linked else ["from", "to", "tree", "up to?"]
    a, b, first, second = fields(place, keys, value)
    start, to = end(place + ".from", inputs, crowd, a), end(place + ".to", inputs, crowd, b)
    if linked:
        i, k = (integer(f"{place}.{x}", y, 0) for x, y in (("same as", first), ("by", second)))
        need(i < len(before) and k < len(renamings), place, "an entry before it, by a renaming")
        base, again = before[i]
        s = dict(renamings[k][0])
        moved = s.get(base.start, base.start), s.get(base.to, base.to)
        need(not again and moved == (start, to), place, "a pair that the renaming moves to it")
        return Entry(start, to, [renamed(s, node) for node in base.tree]), True
    tree = tree_of(place + ".tree", inputs, isinstance(crowd.shown_as, c.Shuffled), first)
    for k in [] if second is Absent else listed(place + ".up to", second):
        i = integer(place + ".up to", k, 0)
        need(i < len(renamings), place + ".up to", "renamings that are listed")
        s = dict(renamings[i][0])
        need(all(s.get(x, x) == x for x in (start, to)), place + ".up to", "renamings that leave from and to")
    return Entry(start, to, tree), False


def renamed(s, node):
    """The same node of a tree, where inputs have other names."""
    if isinstance(node, c.Split):
        return c.Split(s.get(node.x, node.x), node.most)
    if isinstance(node, Block):
        users = [(s.get(x, x), k) for x, k in node.users]
        return node._replace(users=users, place=None if node.place is None else s.get(node.place, node.place))
    return node


def read_proof(crowd, inputs, messages, value):
    """What rows keep: which of the program's proofs decides it."""
    listed_ones, sure, pairs = fields("because", ["renamings?", "known?", "pairs"], value)
    sent = known_of(crowd, inputs, messages, {} if sure is Absent else sure)
    place, renamings = "because.renamings", []
    for r in [] if listed_ones is Absent else listed(place, listed_ones):
        s, t = fields(place, ["inputs", "messages"], r)
        moves = permutation(place + ".inputs", inputs, s), permutation(place + ".messages", messages, t)
        renamings.append(moves)
    found = []
    for i, given in enumerate(listed("because.pairs", pairs)):
        found.append(entry(f"because.pairs[{i}]", inputs, crowd, renamings, found, given))
    ends = [(one.start, one.to) for one, _ in found]
    replaced, m = isinstance(crowd.changes, c.Replace), len(inputs)
    good = distinct(ends) and all(neighbours(crowd, inputs, a, b) for a, b in ends)
    need(good and len(ends) == (m * (m - 1) if replaced else 2 * m), "because.pairs", "every ordered pair, once")
    symmetries = cons(c.Symmetry(cons(s), cons(t)) for s, t in renamings)
    names, trees = Names([*inputs], [*messages]), [one.tree for one, _ in found]
    if replaced and (not isinstance(crowd.shown_as, c.Shuffled) or all(tree == ["each"] for tree in trees)):
        return "each", (crowd, symmetries, names)
    return "trees", (crowd, symmetries, sent, [one for one, _ in found], names)


def beside(inputs, one, other, others, users):
    """A pair of neighbours and the other users, who are spelled out when it is called for."""
    counts = multiset("because.pair.others", inputs, others)
    need(sum(k for _, k in counts) == users - 1, "because.pair.others", "honest - 1 inputs")
    return lambda: c.Pair(one, other, cons(x for x, k in counts for _ in range(k)))


def read_pair(crowd, inputs, value):
    shuffled, n = isinstance(crowd.shown_as, c.Shuffled), crowd.honest
    place = "because.pair"
    a, b, *rest = fields(place, ["from", "to"] + ["others"] * shuffled, value)
    one, other = end(place + ".from", inputs, crowd, a), end(place + ".to", inputs, crowd, b)
    need(neighbours(crowd, inputs, one, other), place + ".to", "another input than from, or that nobody is there")
    return beside(inputs, one, other, *rest, n) if shuffled else lambda: c.Pair(one, other, ())


def weights_of(messages, value):
    weights, above = fields("because.event", ["weights", "above"], value)
    place = "because.event.weights"
    given = {known(place, messages, m): signed(place, w) for m, w in members(place, weights).items()}
    return c.Threshold(cons(given.get(m, 0) for m in range(len(messages))), signed("because.event.above", above))


def read_refutation(crowd, inputs, messages, value):
    """What rows do not keep: what shows it."""
    given, event = fields("because", ["pair", "event?"], value)
    shuffled, local = isinstance(crowd.shown_as, c.Shuffled), isinstance(crowd.shown_as, c.Local)
    names, p = Names([*inputs], [*messages]), read_pair(crowd, inputs, given)
    place = "because.event"
    if event is Absent:
        return "pair", (crowd, p, names)
    if "outcomes" in members(place, event):
        (listed_ones,) = fields(place, ["outcomes"], event)
        outcomes = listed(place, listed_ones)
        if local:
            found = [tuple(known(place, messages, m) for m in listed(place, s)) for s in outcomes]
        else:
            found = [tuple(sorted(multiset(place, messages, s))) for s in outcomes]
        need(distinct(found), place, "outcomes that differ")
        kind = c.Tuple if local else c.Counts
        return "outcomes", (crowd, p, cons(kind(cons(x)) for x in found), names)
    threshold = weights_of(messages, event)
    need(shuffled, place, "outcomes, outside the shuffled view")
    return "threshold", (crowd, p, threshold, names)


def read_rows(seen, around, eps, delta, proved, because):
    (rows,) = fields("claim.each", ["rows"], seen.each)
    table, inputs, messages = table_of("claim.rows", rows)
    views = {"shuffled": c.Shuffled, "preshuffle": c.Preshuffle, "local": c.Local}
    sees = views[word("claim.view", [*views], seen.view)]()
    crowd = c.Crowd(table, seen.part, changes_of(inputs, around), sees, seen.n, seen.honest, eps, delta)
    return (read_proof if proved else read_refutation)(crowd, inputs, messages, because)


# ---- numbers, one of, any randomizer ----
def number_claim(seen, around, eps, delta):
    """The claim about a number."""
    most, plus = fields("claim.each", ["up to", "plus?"], seen.each)
    size = integer("claim.up to", most, 1, 10**6)
    laws = [() if law is Absent else (number_law("claim.law", law),) for law in (plus, seen.added)]
    each, once = (law or None for law in laws)
    of = [] if seen.shown is Absent else fields("claim.shown", ["mod"], seen.shown)
    by = tuple(integer("claim.shown", k, 2, 2**256) for k in of) or None
    return c.Number(size, each, once, by, around == "add-remove", seen.n, eps, delta)


def ends_of(claim, value):
    """What he holds who changes, in both datasets: a number, or nothing."""
    size, comes = claim.largest, claim.arrives
    pair = fields("because.pair", ["from", "to"], value)
    ends = [None if comes and x is None else (signed("because.pair", x),) for x in pair]
    good = all(x is None or 0 <= x[0] <= size for x in ends) and ends[0] != ends[1]
    need(good and comes == (None in ends), "because.pair", "neighbours")
    return ends


def shown_from(value):
    """From which number on a sum is shown."""
    return None if value is Absent else (integer("claim.shown", *fields("claim.shown", ["from"], value)),)


class Wide(NamedTuple):
    """A claim about columns: how many, if that is said; the numbers of inputs; which pairs of them have trees."""

    claim: object
    size: tuple | None
    inputs: dict
    every: list


def one_of_claim(seen, around, eps, delta):
    """The claim about columns of which each user holds one."""
    many, held, other = fields("claim.each", ["one of", "held", "other"], seen.each)
    size, comes = None if many == "any number" else integer("claim.one of", many, 2), around == "add-remove"
    inputs = numbering(["a", "other"] if comes else ["a", "b", "other"][: min(size or 3, 3)])
    laws = by_places(held, other, *([] if seen.added is Absent else [seen.added]))
    if comes and number_law("claim.other", other) != c.Finite(((0, c.Qmake(1, 1)), ())):
        no_theorem("users who come or go and bring something to columns that are not theirs")
    draws, added, shown = c.OneOf(*laws[1][:2]), tuple(laws[1][2:]) or None, shown_from(seen.shown)
    claim = c.Columns(laws[0], draws, added, seen.n, shown, comes, eps, delta)
    return Wide(claim, (size,) if size else None, inputs, [(0, 1), (1, 0)] if comes else [(0, 1)])


def by_places(*given):
    """Laws, each once, and the place of each of those given."""
    places = numbering(map(repr, given))
    kept = {places[repr(law)]: law for law in given}
    return cons(number_law("claim.law", kept[i]) for i in range(len(kept))), [places[repr(law)] for law in given]


def column_end(place, inputs, comes, value):
    """The number of an input; who is not there is as one on another column."""
    need(not comes or value is None or value == "a", place, "a or null")
    return 1 if comes and value is None else known(place, inputs, value)


def column_entries(wide, value):
    """The entries of a PROOF of columns."""
    inputs, comes = wide.inputs, wide.claim.arriving
    (pairs,) = fields("because", ["pairs"], value)
    found = []
    for i, given in enumerate(listed("because.pairs", pairs)):
        place = f"because.pairs[{i}]"
        a, b, tree = fields(place, ["from", "to", "tree"], given)
        ends = (column_end(place, inputs, comes, x) for x in (a, b))
        found.append(Entry(*ends, tree_of(place + ".tree", inputs, False, tree)))
    ends = [(one.start, one.to) for one in found]
    need(sorted(ends) == sorted(wide.every), "because.pairs", "every ordered pair, once")
    return found


def column_pair(wide, value):
    """A pair of neighbours."""
    claim, place = wide.claim, "because.pair"
    *ends, others = fields(place, ["from", "to", "others"], value)
    one, other = (column_end(place, wide.inputs, claim.arriving, x) for x in ends)
    need(one != other, place, "neighbours")
    return beside(wide.inputs, one, other, others, claim.column_users)


def columns_claim(seen, _around, eps, delta):
    """The claim about columns that are listed."""
    (columns,), added = fields("claim.each", ["columns"], seen.each), seen.added
    table = [
        (label("claim.columns", x), listed("claim.columns", laws))
        for x, laws in members("claim.columns", columns).items()
    ]
    wide = {len(laws) for _, laws in table}
    need(len(wide) == 1 and 0 not in wide, "claim.columns", "inputs of equally many columns")
    laws, places = by_places(*(law for _, row in table for law in row), *([] if added is Absent else [added]))
    rest = iter(places)
    rows = cons([cons([next(rest) for _ in row]) for _, row in table])
    claim = c.Columns(laws, c.Table(rows), tuple(rest) or None, seen.n, shown_from(seen.shown), False, eps, delta)
    every = [(a, b) for a in range(len(table)) for b in range(len(table)) if a != b]
    return Wide(claim, None, numbering(x for x, _ in table), every)


def numbered(seen, around, eps, delta, proved, because):
    """A claim about a number, or one that is Wide; trees of columns; a pair of neighbours."""
    alone = seen.kind == "up to"
    made = number_claim if alone else one_of_claim if seen.kind == "one of" else columns_claim
    claim = made(seen, around, eps, delta)
    if not proved:
        (given,) = fields("because", ["pair"], because)
        return claim, None, (ends_of if alone else column_pair)(claim, given)
    if alone:
        fields("because", [], because)
    return claim, None if alone else column_entries(claim, because), None


def read_private(n, each, eps, delta, proved, because):
    (given,) = fields("claim.each", ["private"], each)
    need(len(listed("claim.private", given)) == 2, "claim.private", "EPS, RATIONAL")
    local, share = exponent("claim.private", given[0]), probability("claim.private", given[1])
    if proved:
        (grid,) = fields("because", ["grid"], because)
        step, cells, _ = grid_of("because.grid", grid)
        return "any", (c.AnyClaim(local, share, n, eps, delta), step, cells)
    rows, pair, event = fields("because", ["rows", "pair", "event?"], because)
    table, inputs, messages = table_of("because.rows", rows)
    crowd = c.Crowd(table, ONE, c.Replace(), c.Shuffled(), n, n, eps, delta)
    p = read_pair(crowd, inputs, pair)
    if event is Absent or "outcomes" in members("because.event", event):
        no_theorem("any randomizer, refuted by more than a threshold")
    return "one", (local, share, crowd, p, weights_of(messages, event), Names([*inputs], [*messages]))


# ---- several runs ----
class Point(NamedTuple):
    """delta(log t) of one run is at most d: which theorem shows it, and the arguments of its decision."""

    t: object
    d: object
    kind: str
    proof: tuple


class Pairs(NamedTuple):
    """Of one run the pairs of laws that trees of boxes name, as they are; None where it is one of each composition."""

    crowd: object
    symmetries: tuple
    sent: list | None
    entries: list | None
    names: Names


def read_runs(runs, data, around, eps, delta, proved, because):
    parts, lattices = fields("because", ["runs", "lattices"], because)
    grids = [lattice(f"because.lattices[{i}]", one) for i, one in enumerate(listed("because.lattices", lattices))]
    need(grids, "because.lattices", "a lattice")
    need(len(listed("because.runs", parts)) == len(runs), "because.runs", "a part for each of the claim's runs")
    both = zip(runs, parts, strict=True)
    one = read_part if proved else read_broken
    found = [(n, one(f"because.runs[{i}]", seen, data, around, part)) for i, ((seen, n), part) in enumerate(both)]
    return "runs" if proved else "broken runs", (found, data == "same", eps, delta, grids)


class Numbered(NamedTuple):
    """Of one run a number, or columns and their trees."""

    of: object  # a claim, or one that is Wide
    entries: list | None


class Curve(NamedTuple):
    """Of one run deltas at ratios, which one proof shows."""

    deltas: list
    proof: Numbered


def kept(seen, around, because):
    """What a number, or columns, keep in one of several runs."""
    return Numbered(*numbered(seen, around, c.Log(ONE), ONE, True, because)[:2])


def read_part(place, seen, data, around, part):
    """What is said of one of the runs: points, or the pairs of laws as they are."""
    if "points" in members(place, part):
        (points,) = fields(place, ["points"], part)
        given = [point(f"{place}.points", one) for one in listed(place, points)]
        need(given, place, "a point")
        if seen.kind == "private":
            return [Point(t, d, *read_private(seen.n, seen.each, c.Log(t), d, True, proof)) for t, d, proof in given]
        if seen.kind == "rows":
            return [Point(t, d, *read_rows(seen, around, c.Log(t), d, True, proof)) for t, d, proof in given]
        groups = groupby(given, key=lambda one: one[2])
        return [Curve([one[:2] for one in some], kept(seen, around, proof)) for proof, some in groups]
    need(data == "same" and seen.kind != "private", place, "points, where pairs differ from run to run")
    if seen.kind != "rows":
        return kept(seen, around, part)
    kind, proof = read_rows(seen, around, c.Log(ONE), ONE, True, part)
    return Pairs(*proof) if kind == "trees" else Pairs(*proof[:2], None, None, proof[-1])


class Broken(NamedTuple):
    """Of one run of several a pair of neighbours: what is seen, the pair, and the labels of rows."""

    of: object
    pair: object
    names: Names | None


def read_broken(place, seen, data, around, part):
    """A pair of neighbours of one of the runs."""
    fields(place, ["pair"], part)
    need(seen.kind != "private", place, "no private users")
    if seen.kind == "rows":
        return Broken(*read_rows(seen, around, c.Log(ONE), ONE, False, part)[1])
    claim, _, ends = numbered(seen, around, c.Log(ONE), ONE, False, part)
    return Broken(Numbered(claim, None), ends, None)


def lattice(place, value):
    """(step, cells)"""
    step, cells = fields(place, ["step", "cells"], value)
    size = rational(place + ".step", step)
    need(size.qnum > size.qden, place + ".step", "more than 1")
    return size, integer(place + ".cells", cells, 2, 2**24)


def point(place, value):
    """(t, d, what shows it)"""
    need(len(listed(place, value)) == 3, place, "[t, d, PROOF]")
    t, d = rational(place, value[0]), probability(place, value[1])
    need(t.qnum >= t.qden, place, "t of at least 1")
    return t, d, value[2]


# ---- certificates ----
def read(tree):
    """(which theorem decides a certificate, the arguments of its decision). Raises Malformed and NotCovered."""
    form, note, claim, said, because = fields("file", ["format", "note?", "claim", "verdict", "because"], tree)
    word("format", ["shufflecert certificate"], form)
    text("note", "" if note is Absent else note)
    proved = word("verdict", ["PROVED", "REFUTED"], said) == "PROVED"
    runs, data, around, eps, delta = read_claim(claim)
    if data is not Absent:
        return read_runs(runs, data, around, eps, delta, proved, because)
    [(seen, _)], rest = runs, (eps, delta, proved, because)
    if seen.kind == "rows":
        return read_rows(seen, around, *rest)
    if seen.kind == "private":
        return read_private(seen.n, seen.each, *rest)
    claim, entries, pair = numbered(seen, around, *rest)
    return ("number", (claim, pair)) if seen.kind == "up to" else ("columns", (claim, entries, pair))


def certificates(tree):
    """The trees of a file's certificates."""
    shallow(tree)
    need(type(tree) is not list or 0 < len(tree) <= 100_000, "file", "1 to 100000 certificates")
    return tree if type(tree) is list else [tree]
