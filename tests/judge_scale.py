"""The judge of version 2: mechanisms, blankets and thresholds, from verify/CERTIFICATE.md alone.

A statement of version 2 has `answer(bits)`: whether it is true, or None where e^eps and the like, enclosed to so many
bits, leave that open. Blankets are sums over all histograms, thresholds are laws of sums: exact, for small n.
"""

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import permutations
from math import comb

from tests import judge, judge_cover
from tests.judge import _decimal, _eps, _fields, _natural, _pair_parts, _rational, _rows, demand
from tests.judge_tables import ONE, ZERO, Table, divergence, largest, power

MAX_HISTOGRAMS = 50_000
MAX_USERS = 60
MAX_COLUMN_USERS = 7  # of a mechanism `columns`
MAX_FLIP = 400  # bits of its parameter
MAX_SUMS = 20_000  # products of probabilities in one convolution

FORMS = {
    "count": {"noise", "sensitivity"},
    "histogram": {"noise", "buckets"},
    "correlated": {"q", "noise"},
    "correlated histogram": {"q", "noise", "buckets"},
    "strings": {"flip", "strings"},
    "columns": {"flip", "users", "columns"},
}
LAWS = {"binomial": {"n", "p"}, "poisson": {"lam"}, "negative_binomial": {"r", "p"}, "discrete_laplace": {"q"}}


def at_most(found, value):
    """Whether a number in [low, high] is at most the value; None where that is open."""
    return True if found[1] <= value else False if found[0] > value else None


def every(answers):
    """Whether all hold; None where that is open."""
    answers = list(answers)
    return False if False in answers else None if None in answers else True


@dataclass(frozen=True)
class Mechanism:
    """A mechanism's certificate; `fields` as judge_tables.largest takes them."""

    fields: tuple
    eps: tuple
    delta: Fraction
    proved: bool
    lower: Fraction
    upper: Fraction

    def answer(self, bits):
        found = largest(self.fields, self.eps, bits)
        kept = at_most(found, self.delta)
        above = at_most((-found[1], -found[0]), -self.lower)
        return every([above, at_most(found, self.upper), kept if self.proved or kept is None else not kept])


@dataclass(frozen=True)
class Columns:
    """A certificate of `columns`; `others` are how many of the other users hold the two columns of the named pair."""

    fields: tuple
    others: tuple
    eps: tuple
    delta: Fraction
    proved: bool
    lower: Fraction
    upper: Fraction

    def answer(self, bits):
        found, ends = columns(self.fields), power(self.eps, bits)
        low, high = divergence(found[self.others], *ends)
        least = at_most((-high, -low), -self.lower)
        bound = min(self.delta, self.upper) if self.proved else self.upper
        below = every(at_most(divergence(table, *ends), bound) for table in found.values())
        refuted = at_most((low, high), self.delta)
        return every([least, below, True if self.proved else refuted if refuted is None else not refuted])


@dataclass(frozen=True)
class Blanket:
    """A blanket's certificate, without its hints."""

    rows: tuple
    n: int
    eps: tuple
    delta: Fraction

    def answer(self, bits):
        ends = power(self.eps, bits)
        return every(at_most(divergence(table, *ends), self.delta) for table in blankets(self.rows, self.n))


@dataclass(frozen=True)
class Threshold:
    """A threshold's certificate; `others` and `weights` are tuples of (label, integer)."""

    rows: tuple
    eps: tuple
    delta: Fraction
    start: str
    end: str
    others: tuple
    weights: tuple
    above: int

    def answer(self, bits):
        return judge.sign(*masses(self), self.eps, self.delta) > 0


# The file ----------------------------------------------------------------------------------------------------------


def parse(top):
    """The top level of a version 2 certificate, with its format, version and note checked -> what it states."""
    claim, verdict = top["claim"], top["verdict"]
    demand(verdict in ("PROVED", "REFUTED"), "verdict")
    if isinstance(claim, dict) and "mechanism" in claim:
        _fields(claim, "mechanism", "adjacency", "datasets", "eps", "delta")
        fields = mechanism(claim["mechanism"])
        seen = dict(fields) if dict(fields)["view"] == "columns" else None
        evidence = _fields(top["evidence"], "delta", *(["others"] if seen else []))
        ends = _fields(evidence["delta"], "lower", "upper")
        ends = _decimal(ends["lower"]), _decimal(ends["upper"])
        if seen:
            held = named(evidence["others"], seen["users"], seen["columns"])
            return Columns(fields, held, *promise(claim), verdict == "PROVED", *ends)
        return Mechanism(fields, *promise(claim), verdict == "PROVED", *ends)
    _fields(claim, "randomizer", "adjacency", "view", "n", "datasets", "eps", "delta")
    rows, n = _rows(_fields(claim["randomizer"], "rows")["rows"]), natural(claim["n"])
    demand(claim["view"] == "shuffled", "view")
    eps, delta = promise(claim)
    if verdict == "PROVED" and judge_cover.is_cover(top):
        nodes = _fields(top["evidence"], "cover")["cover"]
        return judge_cover.Cover(rows, n, eps, delta, judge_cover.read(nodes, [x for x, _ in rows]))
    if verdict == "PROVED":
        check_hints(top["evidence"])
        return Blanket(rows, n, eps, delta)
    return threshold_of(_fields(top["evidence"], "pair", "threshold"), rows, n, eps, delta)


def check_hints(evidence):
    """Read a blanket's hints, which are no part of what is stated."""
    hints = _fields(_fields(evidence, "blanket")["blanket"], "step", "cells", "tilt")
    demand(_rational(hints["step"]) > 0 and _rational(hints["tilt"]) > 1, "step, tilt")
    natural(hints["cells"], most=2**32)


def threshold_of(evidence, rows, n, eps, delta):
    """The threshold that the evidence states of these rows."""
    start, end, others = _pair_parts(evidence["pair"], rows, "shuffled", n)
    threshold = _fields(evidence["threshold"], "weights", "above")
    demand(isinstance(threshold["weights"], dict), "weights")
    demand(set(threshold["weights"]) <= set(judge.messages_of(rows)), "messages")
    weights = tuple((label, integer(weight)) for label, weight in threshold["weights"].items())
    return Threshold(rows, eps, delta, start, end, tuple(others.items()), weights, integer(threshold["above"]))


def promise(claim):
    """(eps, delta) of a claim."""
    demand(claim["adjacency"] == "replace" and claim["datasets"] == "all", "adjacency or datasets")
    eps, delta = _eps(claim["eps"]), _rational(claim["delta"])
    demand(delta <= 1, "delta")
    return eps, delta


def natural(tree, least=1, most=10**15):
    value = _natural(tree)
    demand(least <= value <= most, "an integer of this size")
    return value


def integer(tree):
    demand(isinstance(tree, str), "a string")
    digits = tree.removeprefix("-")
    demand(1 <= len(digits) <= 1000 and set(digits) <= set("0123456789"), "an integer")
    demand(len(digits) == 1 or digits[0] != "0", "leading zeros")
    return int(digits) if digits == tree else -int(digits)


def chosen(tree, key, forms):
    """The object's fields, by the form that its `key` names."""
    demand(isinstance(tree, dict) and isinstance(tree.get(key), str) and tree[key] in forms, key)
    return _fields(tree, key, *forms[tree[key]])


def mechanism(tree):
    """A MECHANISM as judge_tables.largest takes it."""
    found = dict(chosen(tree, "view", FORMS))
    readers = {"noise": noise, "q": _rational, "flip": _rational, "strings": natural}
    readers |= {"sensitivity": lambda x: natural(x, most=10**6), "buckets": lambda x: natural(x, least=2)}
    readers |= {"users": natural, "columns": lambda x: natural(x, least=2)}
    for key in found.keys() & readers.keys():
        found[key] = readers[key](found[key])
    demand("q" not in found or (0 < found["q"] < 1 and found["noise"][0] != "discrete_laplace"), "a correlated view")
    demand("flip" not in found or 0 < found["flip"] <= Fraction(1, 2), "flip")
    return tuple(sorted(found.items()))


def named(tree, users, kinds):
    """(i, j) of a certificate of `columns`."""
    demand(isinstance(tree, list) and len(tree) == 2, "two numbers")
    i, j = (natural(count, least=0) for count in tree)
    demand(i + j == users - 1 if kinds == 2 else i + j <= users - 1, "as many as there are other users")
    return i, j


def noise(tree):
    """(law, its parameters in alphabetical order)."""
    law, values = chosen(tree, "law", LAWS)["law"], []
    for key in sorted(LAWS[law]):
        value = natural(tree[key]) if key == "n" else _rational(tree[key])
        if law == "binomial":
            demand(key == "n" or value <= 1, "at most 1")
        else:
            demand(value > 0 and (value < 1 or key in ("lam", "r")), "above 0, and a probability below 1")
        values.append(value)
    return law, *values


# Columns -----------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def columns(fields):
    """{(i, j): the table of the two columns' sums}, bit by bit: a user goes from the first column to the second."""
    given = dict(fields)
    flip, n, found = given["flip"], given["users"] - 1, {}
    if n > MAX_COLUMN_USERS or max(flip.numerator, flip.denominator).bit_length() > MAX_FLIP:
        raise judge.TooBigError
    for i in range(n + 1):
        for j in range(n - i + 1):
            if i + j == n or given["columns"] > 2:
                held = [0] * i + [1] * j + [2] * (n - i - j)
                p, q = (column_sums([own, *held], flip) for own in (0, 1))
                found[i, j] = Table.of([(p.get(seen, ZERO), q.get(seen, ZERO)) for seen in {**p, **q}])
    return found


def column_sums(held, flip):
    """The law of the sums of column 0 and column 1 where these users hold these columns."""
    law = {(0, 0): ONE}
    for own in held:
        ones = [1 - flip if own == place else flip for place in (0, 1)]
        new = Counter()
        for (a, b), weight in law.items():
            for x in (0, 1):
                for y in (0, 1):
                    chance = (ones[0] if x else 1 - ones[0]) * (ones[1] if y else 1 - ones[1])
                    new[a + x, b + y] += weight * chance
        law = new
    return law


# Blankets and thresholds -------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def blankets(rows, n):
    """For each ordered pair of inputs, a table whose sum max(P - t Q, 0) is the lemma's bound, t = e^eps."""
    labels = judge.messages_of(rows)
    laws = {x: judge.row_law(outputs, "preshuffle", labels) for x, outputs in rows}
    sent = {y for law in laws.values() for y in law}
    common = {y: min(law.get(y, ZERO) for law in laws.values()) for y in sent}
    found = []
    for start, end in permutations(laws, 2):
        draws = Counter({(ZERO, ZERO): 1 - sum(common.values())})  # the values of L, a - t b as (a, b)
        pairs = []
        for y, c in common.items():
            a, b = laws[start].get(y, ZERO), laws[end].get(y, ZERO)
            if c:
                draws[a / c, b / c] += c
            else:
                pairs.append((a, b))
        pairs += [(p * a / n, p * b / n) for p, a, b in histograms(draws, n)]
        found.append(Table.of(pairs))
    return found


def histograms(draws, n):
    """(its probability, sum of its a, sum of its b) for every histogram of n independent draws of (a, b)."""
    draws = [(a, b, p) for (a, b), p in draws.items() if p]
    if n > MAX_HISTOGRAMS or comb(n + len(draws) - 1, len(draws) - 1) > MAX_HISTOGRAMS:
        raise judge.TooBigError
    found = [(n, ONE, ZERO, ZERO)]  # (draws left, probability, sums)
    for a, b, p in draws[:-1]:
        found = [
            (left - k, weight * comb(left, k) * p**k, x + k * a, y + k * b)
            for left, weight, x, y in found
            for k in range(left + 1)
        ]
    a, b, p = draws[-1]
    return [(weight * p**left, x + left * a, y + left * b) for left, weight, x, y in found]


@lru_cache(maxsize=64)
def masses(s):
    """(P(E), Q(E)) of a threshold."""
    worth, laws = dict(s.weights), {}
    for x, outputs in s.rows:
        laws[x] = Counter()
        for send, p in outputs:
            laws[x][sum(worth.get(label, 0) for label in send)] += p
    if sum(count for _, count in s.others) > MAX_USERS:
        raise judge.TooBigError
    law = Counter({0: ONE})
    for x, count in s.others:
        for _ in range(count):
            law = convolved(law, laws[x])
    ends = (convolved(law, laws[x]) for x in (s.start, s.end))
    return tuple(sum((p for total, p in end.items() if total > s.above), ZERO) for end in ends)


def convolved(law, other):
    """Law of the sum of two independent integers."""
    if len(law) * len(other) > MAX_SUMS:
        raise judge.TooBigError
    sums = Counter()
    for x, p in law.items():
        for y, q in other.items():
            sums[x + y] += p * q
    return sums
