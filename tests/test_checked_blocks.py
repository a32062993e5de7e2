"""Covers of blocks in the verified kernel: what blocks allow by their definition, to a fiftieth, and nothing false."""

import json
import random
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from math import comb

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.bound.evidence import Shown
from shufflecert.verify.checked import decide
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from tests import verified
from tests.helpers import cases
from tests.judge_of_claims import judge, powers, times

GRID = {"step": "1/64", "cells": 1 << 13, "tilt": "33/32", "above": 1 << 11}
STEPS = 10**7  # of delta
DRAWN = "drawn"  # seen beside the messages of each user who is

# What blocks allow, from verify/CERTIFICATE.md: all blocks together multiplied out, in fractions ---------------------


def less(sent, known):
    """The multiset without what is known."""
    return tuple(sorted((Counter(sent) - Counter(known)).elements()))


def least(law):
    """What is in every outcome."""
    first, *others = map(Counter, law)
    for one in others:
        first &= one
    return tuple(first.elements())


def classes(laws):
    """Inputs whose laws differ by a monomial, together."""
    found = defaultdict(list)
    for x, law in laws.items():
        sure = least(law)
        found[frozenset((less(sent, sure), p) for sent, p in law.items())].append(x)
    return list(found.values())


def blocks_of(laws, n, tree):
    """(block, N) of every box of a tree that is not empty: every composition is walked down, by its own way."""
    kinds, boxes, leaves = classes(laws), defaultdict(list), {}

    def down(counts, at, path):
        if isinstance(tree[at], dict):
            leaves[path] = tree[at]
            boxes[path].append(counts)
            return
        x, most = tree[at]
        is_more = counts[next(i for i, kind in enumerate(kinds) if x in kind)] > most
        down(counts, after(tree, at + 1) if is_more else at + 1, (*path, is_more))

    for others in combinations_with_replacement(range(len(kinds)), n - 1):
        down(tuple(map(others.count, range(len(kinds)))), 0, ())
    for path, held in boxes.items():
        block, corner = leaves[path], map(min, zip(*held, strict=True))
        draws = n // (block["open"] + sum(block["users"].values()))
        for kind, few in zip(kinds, corner, strict=True):
            if used := sum(block["users"].get(x, 0) for x in kind):
                draws = min(draws, (few + (block["place"] in kind)) // used)
        yield block, draws


def after(tree, at):
    """Where the subtree ends that begins there."""
    wanted = 1
    while wanted:
        wanted += 1 if isinstance(tree[at], list) else -1
        at += 1
    return at


def views(laws, known, block, draws, ends):
    """The laws of what is seen of all blocks: one draw from P, or Q, among N - 1 draws from S. None: too large."""
    sure = {x: tuple(Counter(known.get(x, {})).elements()) for x in laws}
    apart = {x: {less(sent, sure[x]): p for sent, p in law.items()} for x, law in laws.items()}
    common = {sent: min(law.get(sent, Fraction(0)) for law in apart.values()) for sent in next(iter(apart.values()))}
    left_open = {(): 1 - sum(common.values()), **{tuple(sorted((*sent, DRAWN))): p for sent, p in common.items()}}
    left_open = {sent: p for sent, p in left_open.items() if p}
    users, place, rest = Counter(block["users"]), block["place"], {(): Fraction(1)}
    for law in [apart[x] for x in (users - Counter([place])).elements()]:
        rest = times(rest, law)
    for _ in range(block["open"] - (place is None)):
        rest = times(rest, left_open)
    added = {sure[ends[0] if place is None else place]: Fraction(1)}
    whole = times(times(rest, left_open if place is None else apart[place]), added)
    changing = {((DRAWN,) if place is None else ()): Fraction(1)}
    if comb(draws - 2 + len(whole), draws - 1) * len(rest) > 4000:
        return None
    others, (p, q) = {(): Fraction(1)}, (times(times(rest, changing), laws[x]) for x in ends)
    whole, p, q = ({(" ".join(seen),): w for seen, w in law.items()} for law in (whole, p, q))
    for _ in range(draws - 1):
        others = times(others, whole)
    return times(others, p), times(others, q)


def allowed(laws, n, known, pairs, t):
    """The largest delta of all blocks; None where that is too much work, or where one of them is not there."""
    worst = Fraction(0)
    for one in pairs:
        for block, draws in blocks_of(laws, n, one["tree"]):
            seen = views(laws, known, block, draws, (one["from"], one["to"])) if draws else None
            if seen is None:
                return None
            worst = max(worst, sum(max(w - t * seen[1].get(y, 0), 0) for y, w in seen[0].items()))
    return worst


# Random ones ---------------------------------------------------------------------------------------------------------


def rows_of(rng):
    """Rows of two or three inputs: one message, or counts of two, some of them sent for sure, some rows shifts."""
    outputs = [["a"], ["b"], ["c"]] if rng.random() < 0.5 else [[], ["a"], ["a", "b"], ["a", "a"]]

    def row():
        sent = rng.sample(outputs, rng.choice((2, 3)))
        weights = [rng.randint(1, 5) for _ in sent]
        return [(send, Fraction(w, sum(weights))) for send, w in zip(sent, weights, strict=True)]

    rows, first = {}, row()
    for x in "xyz"[: rng.choice((2, 2, 3))]:
        more, law = ["a"] * rng.choice((0, 0, 1)), first if rng.random() < 0.4 else row()
        rows[x] = {tuple(sorted(send + more)): p for send, p in law}
    return rows


def known_of(rng, laws):
    """Some of what inputs are sure to send."""
    known = {}
    for x, law in laws.items():
        taken = {m: rng.randint(1, count) for m, count in Counter(least(law)).items() if rng.random() < 0.7}
        if taken or rng.random() < 0.2:
            known[x] = taken
    return known


def cover_of(rng, inputs, n, most, depth=2):
    """A tree of cuts, with blocks of at most so many users."""
    if depth and rng.random() < 0.4:
        cut = [rng.choice(inputs), rng.randint(0, n - 1)]
        return [cut, *(node for _ in "ab" for node in cover_of(rng, inputs, n, most, depth - 1))]
    held = [rng.choice([*inputs, None]) for _ in range(rng.randint(1, most))]
    return [writing.block({x: held.count(x) for x in inputs}, held.count(None), rng.choice(held), dict(GRID))]


def planned(rng):
    """(claim with delta 0, proof, what its blocks allow with the least and the most e^eps)"""
    while True:
        laws, n = rows_of(rng), rng.randint(1, 6)
        known, most = known_of(rng, laws), min(n, rng.choice((1, 2, 3, 6)))
        entries = [writing.entry(a, b, cover_of(rng, list(laws), n, most)) for a, b in permutations(laws, 2)]
        outputs = {x: [{"send": list(sent), "p": str(p)} for sent, p in law.items()] for x, law in laws.items()}
        rows = [{"input": x, "outputs": one} for x, one in outputs.items()]
        eps = rng.choice(["0", "1/10", "log(3/2)", "log(2)", "1"])
        claim = writing.claim([(writing.rows({"rows": rows}, n), 1)], "replace", eps, Fraction(0))
        ends = [allowed(laws, n, known, entries, t) for t in powers(claim)]
        if None not in ends:
            return claim, writing.cover(entries, known=known), *ends


def seeds(count):
    """(a certificate with a fiftieth of room, one with a little too little, or None)"""
    rng = random.Random("verified blocks")
    while count:
        claim, because, above, below = planned(rng)
        room, none = -(-above * STEPS * 51 // 50) + 1, below * STEPS // 1 - 1
        deltas = [Fraction(room, STEPS), Fraction(none, STEPS)]
        if deltas[0] < 1:
            count -= 1
            made = [writing.certificate(claim | {"delta": str(delta)}, "PROVED", because) for delta in deltas]
            yield made[0], made[1] if none >= 0 else None


def test_what_blocks_allow_is_accepted_and_no_less():
    """A delta below what blocks allow is shown for true claims alone: where nothing is said to be known of an input,
    the checker takes what its class is known to send."""
    found, refused = [], 0
    for right, wrong in seeds(40):
        data = json.dumps(right).encode()
        found.append(decide.verdict(data)[0])
        assert judge(right), right
        assert found[-1] in ("accepted", "undecided") and kernel.check(data).status == "accepted", right
        if wrong is None:
            continue
        data = json.dumps(wrong).encode()
        said = {decide.verdict(data)[0], kernel.check(data).status}
        assert "accepted" not in said or judge(wrong), wrong
        refused += "accepted" not in said
    assert found.count("accepted") >= 36 and refused > 20


# Of tables -----------------------------------------------------------------------------------------------------------


def table(rng, inputs, sends):
    """Rows with random weights."""
    rows = []
    for x in range(inputs):
        weights = [rng.randint(1, 12) for _ in sends]
        rows.append((str(x), [(s, Fraction(w, sum(weights))) for s, w in zip(sends, weights, strict=True)]))
    return Randomizer.build(rows)


def written(rows, n, eps, delta):
    """The certificate that the search for covers finds."""
    because = Shown(rows, n).trees(Eps.of(eps), delta)
    made = writing.claim([(writing.rows(rows.to_json(), n), 1)], "replace", eps, delta)
    return json.dumps(writing.certificate(made, "PROVED", because)).encode()


CASES = [
    (2, [["a"], ["b"], ["c"]], 200, "1/2", "1/10000"),
    (3, [[], ["a"], ["b"], ["a", "b"]], 500, "1", "1/100000"),
    (2, [["s", "a"], ["s", "b"], ["s", "c"]], 300, "1/2", "1/10000"),
]


def at(data, delta):
    """The certificate with another delta."""
    tree = json.loads(data)
    tree["claim"]["delta"] = str(delta)
    return json.dumps(tree).encode()


def test_covers_of_tables_are_accepted_by_all_three(verified_kernel, tmp_path):
    """Word for word the same; and where the hand-written kernel finds half of a delta too little, so do these."""
    rng, files = random.Random(5), []
    for inputs, sends, n, eps, given in CASES[: cases(3)]:
        delta = Fraction(given)
        data = written(table(rng, inputs, sends), n, eps, delta)
        while kernel.check(at(data, delta / 2)).status == "accepted":
            delta /= 2
        files += [at(data, delta * Fraction(11, 10)), at(data, delta / 4)]
    found = verified.verdicts(tmp_path, files)
    for data, verdict, good in zip(files, found, [True, False] * (len(files) // 2), strict=True):
        mine = decide.verdict(data)
        assert mine == verdict and (mine[0] == "accepted") == good, (data, mine, verdict)


def test_what_is_known_has_to_be_sure():
    rng = random.Random(5)
    tree = json.loads(written(table(rng, *CASES[2][:2]), *CASES[2][2:4], Fraction(CASES[2][4])))
    tree["because"]["known"]["0"] = {"a": 1}
    assert decide.verdict(json.dumps(tree).encode()) == ("malformed", "because.known: expected what is always sent")
    assert len(list(permutations("01"))) == len(tree["because"]["pairs"])


def test_blocks_that_are_too_much_work_are_not_begun(verified_kernel, tmp_path):
    """Of a million users in two blocks with many kinds of messages, and of a grid that is far too wide."""
    grid = {"step": "1", "cells": 2**20, "tilt": "3/2", "above": 9}
    sends = [[str(i)] for i in range(9)]
    rows = table(random.Random(1), 2, sends).to_json()
    files = []
    for users, n in (({"0": 500_000}, 10**6 + 1), ({}, 10**6)):
        leaf = writing.block(users, 0 if users else 1, "0" if users else None, grid)
        because = writing.cover([writing.entry(a, b, [["0", n // 2], leaf, leaf]) for a, b in permutations("01")])
        made = writing.claim([(writing.rows(rows, n), 1)], "replace", "1", Fraction(1, 10**6))
        files.append(json.dumps(writing.certificate(made, "PROVED", because)).encode())
    for data, verdict in zip(files, verified.verdicts(tmp_path, files), strict=True):
        assert decide.verdict(data)[0] == verdict[0] and verdict[0] in ("undecided", "rejected"), verdict
    assert any("too much work" in decide.verdict(data)[1] for data in files)


def test_a_blanket_of_many_inputs_is_one_bound(verified_kernel, tmp_path):
    """24 values by randomized response, one bound for 552 pairs: each for itself, they take ten times these steps."""
    names = [str(x) for x in range(24)]
    chances = {True: "25/48", False: "1/48"}
    rows = [{"input": x, "outputs": [{"send": [y], "p": chances[x == y]} for y in names]} for x in names]
    grid = {"step": "1461435/131072", "cells": 550, "tilt": "719275/524288"}
    block = {"users": {}, "open": 1, "place": None, "grid": grid}
    proof = writing.cover([writing.entry(x, y, [block]) for x in names for y in names if x != y])
    seen, found = {"users": 2000, "view": "shuffled", "each": {"rows": rows}}, []
    for delta in ("1e-4", "1e-12"):
        claim = writing.claim([(seen, 1)], "replace", "3/5", Fraction(delta))
        data = json.dumps(writing.certificate(claim, "PROVED", proof)).encode()
        said = decide.verdict(data, 10**6)[0]
        [(status, _)] = verified.verdicts(tmp_path, [data])
        assert said == status == kernel.check(data).status
        found.append(said)
    assert found == ["accepted", "undecided"]
