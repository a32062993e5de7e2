"""The judge of version 8: blocks of users, from verify/CERTIFICATE.md alone, for few users.

Every composition is walked down its tree, and the view of all blocks together is multiplied out: N - 1 draws from S and
one from P or Q, shuffled, are a multiset of what is seen of a block.
"""

from collections import Counter, defaultdict
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from math import comb

from tests import judge
from tests.judge import Number, demand
from tests.judge_cover import alike

MAX_COMPOSITIONS = 3000
MAX_TERMS = 40_000


@dataclass(frozen=True)
class Blocks:
    """What a certificate of version 8 states: `known` and `covers` are tuples, a tree's leaf is a block."""

    labels: tuple
    laws: dict
    n: int
    eps: tuple
    delta: Fraction
    known: tuple
    covers: tuple

    def answer(self, bits):
        """Whether every block of every box is there and keeps delta; exact, so that `bits` say nothing."""
        del bits
        return all(
            draws >= 1 and judge.sign(*parts_of(self, block, start, end, draws), self.eps, self.delta) <= 0
            for start, end, block, draws in blocks_of(self)
        )


def parse(top):
    """The top level of a version 8 certificate -> what it states."""
    from tests import judge_crowd  # which imports this file's neighbours

    crowd = judge_crowd.claimed(top)
    demand(crowd.view == "shuffled" and crowd.gone is None, "view, adjacency")
    if top["verdict"] == "REFUTED":
        demand("threshold" in top["evidence"], "a threshold")
        return judge_crowd.parse(top)
    laws, inputs, labels = crowd.laws, list(crowd.laws), judge.messages_of(crowd.rows)
    said = judge._fields(judge._fields(top["evidence"], "blocks")["blocks"], "known", "covers")
    demand(isinstance(said["known"], dict) and set(said["known"]) <= set(inputs), "inputs")
    known = {x: judge._multiset(sent, labels) for x, sent in said["known"].items()}
    for x, sent in known.items():
        least = list(map(min, *laws[x], next(iter(laws[x]))))
        demand(all(count <= least[labels.index(label)] for label, count in sent.items()), "what is always sent")
    covers = {}
    for item in judge._list(said["covers"]):
        judge._fields(item, "from", "to", "cover")
        ends = judge._label(item["from"]), judge._label(item["to"])
        demand(ends[0] in inputs and ends[1] in inputs and ends[0] != ends[1] and ends not in covers, "a pair")
        covers[ends] = tree(item["cover"], inputs)
    demand(set(covers) == set(permutations(inputs, 2)), "all pairs")
    frozen = tuple((x, tuple(sent.items())) for x, sent in known.items())
    return Blocks(labels, laws, crowd.honest, crowd.eps, crowd.delta, frozen, tuple(covers.items()))


def tree(nodes, inputs):
    """The list of a cover as a tree: a cut is (input, most, tree, tree), a leaf a block's (users, open, place)."""
    built = []
    for node in judge._list(nodes)[::-1]:
        if isinstance(node, list):
            demand(len(node) == 2 and judge._label(node[0]) in inputs, "a cut")
            demand(isinstance(node[1], Number) and judge._natural(node[1]) <= 10**15 and len(built) >= 2, "a cut")
            first, second = built.pop(), built.pop()
            built.append((node[0], judge._natural(node[1]), first, second))
        else:
            built.append(block(node, inputs))
    demand(len(built) == 1, "one tree")
    return built[0]


def block(node, inputs):
    """A block's (users, open, place)."""
    from tests import judge_scale

    judge._fields(node, "users", "open", "place", "grid")
    grid = judge._fields(node["grid"], "step", "cells", "tilt", "above")
    judge_scale.check_hints({"blanket": {key: grid[key] for key in ("step", "cells", "tilt")}})
    judge_scale.natural(grid["above"], most=2**32)
    demand(isinstance(node["users"], dict) and set(node["users"]) <= set(inputs), "inputs")
    users = {x: judge_scale.natural(count) for x, count in node["users"].items()}
    left, place = judge_scale.natural(node["open"], least=0), node["place"]
    demand(left if place is None else isinstance(place, str) and place in users, "a place")
    return tuple(users.items()), left, place


def blocks_of(s):
    """(from, to, block, N) of every cover and every box that is not empty."""
    kinds = alike(s.laws)
    if s.n > 40 or comb(s.n - 1 + len(kinds) - 1, s.n - 1) > MAX_COMPOSITIONS:
        raise judge.TooBigError
    found = []
    for (start, end), root in s.covers:
        boxes, leaves = defaultdict(list), {}
        for others in combinations_with_replacement(range(len(kinds)), s.n - 1):
            counts, path, node = tuple(map(others.count, range(len(kinds)))), "", root
            while len(node) == 4:
                kind = next(i for i, kind in enumerate(kinds) if node[0] in kind)
                path += "01"[counts[kind] > node[1]]
                node = node[2 + (counts[kind] > node[1])]
            boxes[path].append(counts)
            leaves[path] = node
        for path, held in boxes.items():
            users, left, place = leaves[path]
            corner, draws = tuple(map(min, *held, held[0])), s.n // (left + sum(count for _, count in users))
            for kind, least in zip(kinds, corner, strict=True):
                if used := sum(count for x, count in users if x in kind):
                    draws = min(draws, (least + (place in kind)) // used)
            found.append((start, end, leaves[path], draws))
    return found


def parts_of(s, block, start, end, draws):
    """(A, B) with A - B e^eps the lemma's bound: exactly delta(eps) of one draw from P or Q among those from S."""
    labels, rows = s.labels, s.laws
    known = {x: dict(sent) for x, sent in s.known}
    none = (0,) * len(labels)

    def moved(x):
        return tuple(known.get(x, {}).get(label, 0) for label in labels)

    bases = {
        x: {tuple(c - m for c, m in zip(y, moved(x), strict=True)): p for y, p in law.items()}
        for x, law in rows.items()
    }
    common = {y: min(base.get(y, Fraction(0)) for base in bases.values()) for y in next(iter(bases.values()))}
    common = {y: p for y, p in common.items() if p}

    def marked(law, drawn):
        return {(*y, drawn): p for y, p in law.items()}  # and how many users are drawn

    users, left, place = block
    opened = {**marked(common, 1), (*none, 0): 1 - sum(common.values())}
    opened = {z: p for z, p in opened.items() if p}
    laws = [marked(bases[x], 0) for x, count in users for _ in range(count - (x == place))]
    laws += [opened] * (left - (place is None))
    if len(laws) > 12:
        raise judge.TooBigError
    rest = {(*none, 0): Fraction(1)}
    for law in laws:
        rest = judge._times(rest, law)
        if len(rest) > MAX_TERMS // 100:
            raise judge.TooBigError
    own = opened if place is None else marked(bases[place], 0)
    S = judge._times(judge._times(rest, own), {(*moved(start if place is None else place), 0): Fraction(1)})
    P, Q = (judge._times(rest, marked(rows[x], int(place is None))) for x in (start, end))
    outcomes = sorted(S.keys() | P.keys() | Q.keys())
    others = shuffled(S, outcomes, draws - 1)
    zero, A, B = Fraction(0), Fraction(0), Fraction(0)
    views = [Counter(), Counter()]
    for view, law in zip(views, (P, Q), strict=True):
        for seen, weight in others.items():
            for z, p in law.items():
                with_it = list(seen)
                with_it[outcomes.index(z)] += 1
                view[tuple(with_it)] += weight * p
    for seen, p in views[0].items():
        q = views[1].get(seen, zero)
        if judge.sign(p, q, s.eps, 0) > 0:
            A, B = A + p, B + q
    return A, B


def shuffled(law, outcomes, draws):
    """The law of the multiset of so many draws, as counts of the outcomes."""
    places = [i for i, z in enumerate(outcomes) if law.get(z)]
    if comb(draws + len(places) - 1, draws) * len(outcomes) > MAX_TERMS:
        raise judge.TooBigError
    found = {(0,) * len(outcomes): Fraction(1)}
    for _ in range(draws):
        new = defaultdict(Fraction)
        for seen, weight in found.items():
            for i in places:
                new[(*seen[:i], seen[i] + 1, *seen[i + 1 :])] += weight * law[outcomes[i]]
        found = new
    return found
