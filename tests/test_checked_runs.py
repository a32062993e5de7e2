"""Several runs in the verified checker: of any private randomizer, and by pairs of laws of blocks with open users."""

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import comb, prod

import pytest

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.checked import decide, program, words
from tests import verified
from tests.helpers import call, cases

GRID = {"step": "1/256", "cells": 1 << 12, "tilt": "33/32"}
LATTICE = [(Fraction(257, 256), 1 << 12)]
STEPS = 2000  # of delta


def text(tree):
    return json.dumps(tree).encode()


def alike(tree):
    """What both say."""
    mine, theirs = decide.verdict(text(tree))[0], kernel.check(text(tree)).status
    assert mine == theirs, (tree, mine, theirs)
    return mine


def least(made):
    """The least delta, of so many steps, with which the kernel accepts; so does the checker, and with no less."""
    low, high = -1, STEPS
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if kernel.check(text(made(middle))).status == "accepted" else (middle, high)
    found = Fraction(high, STEPS)
    assert alike(made(high)) == "accepted" and alike(made(high * 99 // 100)) == "undecided"
    return found


# Any randomizer ------------------------------------------------------------------------------------------------------


def bound(ratio, share, n, t):
    """(1/n) E max(L_1 + ... + L_n, 0), and what the share adds, as CERTIFICATE.md has it: all of its sums, exactly."""
    if t >= ratio:
        return share
    above, below = ratio - t, 1 - t * ratio
    found = Fraction(0)
    for i in range(n + 1):
        for j in range(n + 1 - i):
            ways = comb(n, i) * comb(n - i, j)
            found += max(i * above + j * below, 0) * Fraction(ways * (ratio - 1) ** (n - i - j), (ratio + 1) ** n)
    return found / n + share * (1 + 3 * (1 + t) * (n - 1) / ratio)


def private(ratio, share, n, times, delta, data="same", less=(), eps="1/2", ts=(1, "4/3", "5/3", 2, "5/2")):
    """A certificate by points that hold, a thousandth above the bound; of those in `less` a hundredth below it."""
    points = []
    for i, t in enumerate(map(Fraction, ts)):
        d = bound(ratio, Fraction(share), n, t)
        d = d * Fraction(99, 100) if i in less else d + Fraction(1, 1000)
        points.append([str(t), str(min(d, Fraction(1)).limit_denominator(10**9)), {"grid": GRID}])
    seen = {"users": n, "each": {"private": [f"log({ratio})", share]}}
    claim = writing.claim([(seen, times)], "replace", eps, Fraction(delta, STEPS), data)
    return writing.certificate(claim, "PROVED", writing.composed([{"points": points}], LATTICE))


def attained(ratio, n, times, z):
    """delta(log z) of randomized response of n users, so many times, all others on 0: a real randomizer's."""
    keep, lie = Fraction(ratio, ratio + 1), Fraction(1, ratio + 1)

    def law(x):
        ones = [comb(n - 1, k) * lie**k * keep ** (n - 1 - k) for k in range(n)]
        one = (lie, keep)[x]
        return [(ones[k] if k < n else 0) * (1 - one) + (ones[k - 1] if k else 0) * one for k in range(n + 1)]

    both = list(zip(law(0), law(1), strict=True))
    return max(
        sum(max(prod(o[a] for o in seen) - z * prod(o[1 - a] for o in seen), 0) for seen in product(both, repeat=times))
        for a in (0, 1)
    )


@pytest.mark.parametrize(
    ("ratio", "share", "n", "times"), [(3, "0", 4, 2), (3, "0", 3, 4), (5, "0", 6, 2), (2, "1/1000", 4, 3)]
)
@pytest.mark.parametrize("data", ["same", "any"])
@pytest.mark.sampled(3)
def test_any_randomizer(ratio, share, n, times, data):
    """What is accepted is true of randomized response, and near to what the kernel accepts; the line says of whom."""
    found = least(lambda delta: private(ratio, share, n, times, delta, data))
    assert attained(ratio, n, times, Fraction(1648722, 10**6)) <= found  # e^(1/2) from above
    status, reason = decide.verdict(text(private(ratio, share, n, times, STEPS, data)))
    assert status == "accepted" and f'"private": ["log({ratio})", "{share}"]' in reason and f"{times} times" in reason
    own = ", each run's its own" * (data == "any")
    word = "all randomizers" if own else "every randomizer"
    assert reason.endswith(f"the claim is true of {word} with finitely many outputs{own}")


def test_of_curves_that_fall_to_nothing_nothing_is_left():
    """Of discrete Laplace noise of q = 1/2 delta(log t) is (2 - t)/3, at most (3 - t)^2/12: nothing from t = 3 on, and
    twice nothing from 9 on. What is rounded on the way adds no mass beyond."""
    seen = {"users": 3, "each": {"up to": 1}, "added": {"law": "discrete Laplace", "q": "1/2"}}
    points = [[str(t), str((3 - t) ** 2 / 12), {}] for t in (1 + Fraction(i, 23) for i in range(47))]
    why = writing.composed([{"points": points}], LATTICE)
    for power, said in (("10", "accepted"), ("8", "undecided")):
        claim = writing.claim([(seen, 2)], "replace", f"log({power})", Fraction(0))
        assert alike(writing.certificate(claim, "PROVED", why)) == said


def test_points_of_any_randomizer_have_to_hold():
    """One point a hundredth below the bound: no delta is accepted, but 1, which asks nothing of the runs."""
    for point in range(0, 5, 2):
        for delta in (STEPS // 2, STEPS - 1):
            assert alike(private(3, "0", 4, 2, delta, less=[point])) != "accepted"
    for changed in ({"step": "1/1000000000"}, {"cells": 2}):
        tree = private(3, "0", 4, 2, STEPS // 2)
        for point in tree["because"]["runs"][0]["points"]:
            point[2]["grid"] = GRID | changed
        assert alike(tree) == "undecided"


@pytest.mark.parametrize(("ratio", "n", "times", "data"), [(3, 3, 3, "any"), (5, 2, 4, "any"), (2, 4, 2, "same")])
@pytest.mark.sampled(2)
def test_false_claims_about_any_randomizer_are_not_accepted(ratio, n, times, data):
    """A thousandth below what randomized response attains, whatever points say; of so many runs, and of one more."""
    real = attained(ratio, n, times, Fraction(1648721, 10**6))  # e^(1/2) from below
    tree = private(ratio, "0", n, times, 0, data)
    tree["claim"]["delta"] = str((real * Fraction(999, 1000)).limit_denominator(10**6))
    (part,), (run,) = tree["because"]["runs"], tree["claim"]["runs"]
    shown = part["points"]
    for points in (shown, [[t, "0", why] for t, _, why in shown], [[t, "1", why] for t, _, why in shown], shown[-1:]):
        part["points"] = points
        for more in (0, 1):
            run["times"] = times + more
            assert alike(tree) in ("undecided", "rejected")


def test_other_runs_beside_any_randomizer():
    """A table, and another private randomizer: points of theirs, each its own proof."""
    from_rows = json.loads((verified.ROOT / "tests" / "accepted" / "runs-by-a-weak-dot.json").read_bytes())
    table, part = from_rows["claim"]["runs"][0]["seen"], from_rows["because"]["runs"][0]

    def made(delta, swapped=False):
        tree, other = private(3, "0", 4, 2, delta), private(2, "1/1000", 3, 1, 0)
        seens = [(run["seen"], run["times"]) for run in tree["claim"]["runs"] + other["claim"]["runs"]]
        parts = tree["because"]["runs"] + other["because"]["runs"]
        claim = writing.claim([*seens, (table, 1)], "replace", "1/2", Fraction(delta, STEPS), "any")
        parts = [*parts, part]
        parts[0], parts[1] = (parts[1], parts[0]) if swapped else parts[:2]
        return writing.certificate(claim, "PROVED", writing.composed(parts, LATTICE))

    assert least(made) < 1
    assert alike(made(STEPS * 9 // 10, swapped=True)) != "accepted"


def broken(tree):
    """The certificate in forms that it must not have, with what is done."""

    def one(change):
        made = json.loads(json.dumps(tree))
        change(made["claim"], made["because"]["runs"][0])
        return made

    yield "no points", one(lambda _, part: part.update(points=[]))
    yield "pairs", one(lambda _, part: (part.pop("points"), part.update(pairs=[])))
    yield "a grid alone", one(lambda _, part: (part.pop("points"), part.update(grid=GRID)))
    yield "another key", one(lambda _, part: part.update(grid=GRID))
    yield "t below 1", one(lambda _, part: part["points"][0].__setitem__(0, "1/2"))
    yield "d above 1", one(lambda _, part: part["points"][0].__setitem__(1, "3/2"))
    yield "no grid", one(lambda _, part: part["points"][0].__setitem__(2, {}))
    yield "a cover", one(lambda _, part: part["points"][0].__setitem__(2, {"pairs": []}))
    yield "a number", one(lambda _, part: part["points"][0].__setitem__(0, 1))
    yield "who comes", one(lambda claim, _: claim.update(neighbours="add-remove"))
    yield "a view", one(lambda claim, _: claim["runs"][0]["seen"].update(view="shuffled"))
    yield "three of two", one(lambda claim, _: claim["runs"][0]["seen"]["each"].update(private=["1", "0", "0"]))
    yield "share above 1", one(lambda claim, _: claim["runs"][0]["seen"]["each"].update(private=["1", "2"]))
    yield "no data", one(lambda claim, _: claim.pop("data"))
    yield "refuted", one(lambda _, part: None) | {"verdict": "REFUTED"}


@pytest.mark.parametrize("data", ["same", "any"])
def test_malformed_certificates_of_any_randomizer(data, verified_kernel, tmp_path):
    files = [text(made) for _, made in broken(private(3, "0", 4, 2, STEPS, data))]
    good = [private(3, "0", 4, 2, delta, data) for delta in (STEPS, STEPS * 9 // 10, 1)]
    files += [text(one) for one in good]
    for data, found in zip(files, verified.verdicts(tmp_path, files), strict=True):
        assert decide.verdict(data) == found or found[0] == "malformed" == decide.verdict(data)[0], data
    assert {alike(tree) for _, tree in broken(good[0])} == {"malformed"}


def test_the_engine_writes_them(capsys, tmp_path):
    """Of any randomizer alone, and beside randomized response."""
    for system, given in (
        ("any_ldp", ("-p", "eps0=log(3)", "--times", "4", "--data", "same")),
        ("any_ldp,rr", ("-p", "any_ldp.eps0=1", "-p", "rr.flip=1/4", "--times", "2,3", "--data", "adaptive")),
    ):
        path = tmp_path / f"{system}.json"
        asked = ("--n", "8", "--eps", "1", "--points", "6", "-o", path)
        assert call(capsys, "compose", system, *given, *asked)[0] == 0
        status, out, _ = call(capsys, "check", path)
        assert status == 0 and "theorem check_runs_sound" in out and "[verify/kernel.py: accepted]" in out


# Blocks with users who are left open ---------------------------------------------------------------------------------

TABLE = {  # three inputs; all send "k" once more
    "x": {("k", "a"): Fraction(1, 2), ("k", "b"): Fraction(1, 4), ("k",): Fraction(1, 4)},
    "y": {("k", "a"): Fraction(1, 4), ("k", "b"): Fraction(1, 2), ("k",): Fraction(1, 4)},
    "z": {("k", "a"): Fraction(1, 3), ("k", "b"): Fraction(1, 3), ("k",): Fraction(1, 3)},
}


def table():
    """It, as a certificate has it."""
    rows = [
        {"input": x, "outputs": [{"send": list(sent), "p": str(p)} for sent, p in row.items()]}
        for x, row in TABLE.items()
    ]
    return {"rows": rows}


def in_blocks(n, times, delta, leaf, known=None, data="same", eps="1/2", cut=None):
    """A certificate by the pairs of laws of one block, of the same users for all pairs; or behind a cut."""
    tree = [leaf] if cut is None else [cut, "corner", leaf]
    cover = writing.cover([writing.entry(a, b, tree) for a, b in permutations(TABLE, 2)], (), known)
    claim = writing.claim([(writing.rows(table(), n), times)], "replace", eps, Fraction(delta, STEPS), data)
    return writing.certificate(claim, "PROVED", writing.composed([cover], LATTICE))


def block(users, left, place=None, grid=None):
    return writing.block(users, left, place, grid)


def with_more(law, one):
    """One more who sends by this law, of counters of messages."""
    found = Counter()
    for have, p in law.items():
        for sent, q in one.items():
            found[tuple(sorted((*have, *sent)))] += p * q
    return found


def of_block(x, users, left):
    """What is seen of a block and one with input x: of the open ones what all send in any case, or that it is more."""
    low = {sent: min(row[sent] for row in TABLE.values()) for sent in TABLE["x"]}
    opened = low | {("drawn",): 1 - sum(low.values())}
    law = Counter({(): Fraction(1)})
    for one in [TABLE[x], *(TABLE[y] for y, k in users.items() for _ in range(k)), *[opened] * left]:
        law = with_more(law, one)
    return law


def composed(laws, times, z):
    """The largest of delta(log z) of these pairs of laws, each so many times, exactly."""
    found = Fraction(0)
    for p, q in laws:
        both = Counter({(Fraction(1), Fraction(1)): 1})
        for _ in range(times):
            more = Counter()
            for (a, b), ways in both.items():
                for seen in p.keys() | q.keys():
                    more[a * p.get(seen, 0), b * q.get(seen, 0)] += ways
            both = more
        found = max(found, sum(ways * max(a - z * b, 0) for (a, b), ways in both.items()))
    return found


E = Fraction(1648721, 10**6), Fraction(1648722, 10**6)  # e^(1/2) is between them
LEAVES = [  # n, times, users who are known, open besides the one who changes, his place
    (3, 2, {}, 2, None),
    (2, 3, {}, 1, None),
    (3, 2, {"z": 1}, 1, None),
    (3, 2, {"z": 1}, 1, "z"),
]


@pytest.mark.parametrize(("n", "times", "users", "left", "place"), LEAVES)
@pytest.mark.parametrize("known", [None, {x: {"k": 1} for x in TABLE}])
def test_blocks_with_open_users(n, times, users, left, place, known):
    """The least delta is that of the pairs of the block's laws, to within a few steps: not below it, and near to it."""
    cut = ["z", 0] if users else None

    def made(delta):
        given = dict(users)
        tree = in_blocks(n, times, delta, block(given, left + (place is None), place), known, cut=cut)
        return tree

    found = least(made)
    fellows = {x: k - (x == place) for x, k in users.items()}
    low = [(of_block(a, fellows, left), of_block(b, fellows, left)) for a, b in permutations(TABLE, 2)]
    real = composed(low, times, E[1])
    assert found >= real
    if cut is None:
        assert found - composed(low, times, E[0]) <= Fraction(3, STEPS)
        assert decide.verdict(text(made(STEPS - 1)))[1].endswith("proofs/coq/CheckRuns.v the claim is true")


def changed_blocks():
    """Certificates that both kernels have to judge alike, with what is in them."""
    good = block({}, 3)
    grid = {"step": "1/64", "cells": 64, "tilt": "33/32"}
    yield "good", in_blocks(3, 2, STEPS - 1, good)
    yield "a grid that nobody needs", in_blocks(3, 2, STEPS - 1, block({}, 3, grid=grid))
    yield "two blocks with a grid", in_blocks(6, 2, STEPS - 1, block({}, 3, grid=grid))
    yield "two blocks, of which one counts", in_blocks(6, 2, STEPS - 1, good)
    yield "the blanket", in_blocks(3, 2, STEPS - 1, block({}, 1, grid=grid))
    yield "the blanket of one user", in_blocks(1, 2, STEPS - 1, block({}, 1, grid=grid))
    yield "one user", in_blocks(1, 2, STEPS - 1, block({}, 1))
    yield "more than there are", in_blocks(3, 2, STEPS - 1, block({}, 4))
    yield "users who are not there for sure", in_blocks(3, 2, STEPS - 1, block({"z": 1}, 1))
    yield "nobody's place", in_blocks(3, 2, STEPS - 1, block({"z": 1}, 0))
    yield "not in the block", in_blocks(3, 2, STEPS - 1, block({"z": 1}, 1, "x"))
    yield "another data", in_blocks(3, 2, STEPS - 1, good, data="any")
    yield "known, and not sent", in_blocks(3, 2, STEPS - 1, good, {"x": {"a": 1}})
    yield "known of one", in_blocks(3, 2, STEPS - 1, good, {"x": {"k": 1}})
    for key, value in (("open", -1), ("open", "3"), ("users", []), ("place", 1), ("size", 3)):
        yield f"{key}: {value}", in_blocks(3, 2, STEPS - 1, good | {key: value})
    tree = in_blocks(3, 2, STEPS - 1, good)
    tree["claim"]["runs"][0]["seen"]["view"] = "local"
    yield "local", tree
    tree = in_blocks(3, 2, STEPS - 1, good)
    tree["because"]["runs"][0]["pairs"].pop()
    yield "a pair left out", tree


def test_blocks_are_read_alike(verified_kernel, tmp_path):
    named = list(changed_blocks())
    found = verified.verdicts(tmp_path, [text(tree) for _, tree in named])
    said = {}
    for (name, tree), verdict in zip(named, found, strict=True):
        assert decide.verdict(text(tree)) == verdict or verdict[0] == decide.verdict(text(tree))[0] == "malformed", name
        said[name] = alike(tree)
    assert Counter(said.values()) == {"accepted": 6, "rejected": 2, "malformed": len(said) - 8}, said


def damaged(rng, k):
    """A block's hints, of which one is another."""
    key = rng.choice(["mates", "opens", "spot", "many_blocks", "moved_by", "half_of", "reach_of"])
    number = rng.choice([-2, -1, 1, 2])
    if key == "mates":
        return k._replace(mates=words.cons(x + rng.randint(-1, 2) for x in words.items(k.mates)))
    if key == "spot":
        return k._replace(spot=rng.choice([None, (0,), (2,), (7,)]))
    return k._replace(**{key: max(getattr(k, key) + number, 0 if key == "opens" else 1)})


def test_no_hint_makes_a_block_of_users_who_are_not_there(monkeypatch):
    """The program itself, on hints that no reader makes: none shows what is false of the block's exact pairs."""
    n, times, _, left, _ = LEAVES[0]
    pairs = [(of_block(a, {}, left), of_block(b, {}, left)) for a, b in permutations(TABLE, 2)]
    real = composed(pairs, times, E[0])
    given, check_runs = [], program.check_runs
    monkeypatch.setattr(program, "check_runs", lambda *all_: given.append(all_) or check_runs(*all_))
    tree = in_blocks(n, times, STEPS - 1, block({}, left + 1))
    assert decide.verdict(text(tree))[0] == "accepted"
    [(claim, plans, near, (part, ()))] = given

    def says(delta, known, change):
        covers = []
        for cover in words.items(part.trees):
            nodes = (
                program.Here(program.Blocked(change(node.x.k)))
                if isinstance(node, program.Here) and isinstance(node.x, program.Blocked)
                else node
                for node in words.items(cover.tree_of)
            )
            covers.append(cover._replace(tree_of=words.cons(nodes)))
        monkeypatch.setattr(program.budget, "steps", iter(range(10**8)))
        q = program.Qmake(delta.numerator, delta.denominator)
        parts = words.cons([part._replace(sh=known, trees=words.cons(covers))])
        return check_runs(claim._replace(runs_delta=q), plans, near, parts)

    high, low = real + Fraction(1, 100), real * Fraction(999, 1000)
    assert says(high, part.sh, lambda k: k) and not says(low, part.sh, lambda k: k)
    rng, still = random.Random(30), 0
    for i in range(cases(60)):
        known = part.sh if i % 3 else words.cons(x + rng.randint(-1, 1) for x in words.items(part.sh))
        seed = rng.random()
        assert not says(low, known, lambda k, seed=seed: damaged(random.Random(seed), k))
        still += says(high, known, lambda k, seed=seed: damaged(random.Random(seed), k))
    assert 0 < still < cases(60)


def test_a_lattice_of_two_cells_ends():
    """What is on both sides of ratio 1 stays on three cells at every step, whose powers grew until memory ended."""
    tree = in_blocks(3, 2, 0, block({}, 3), eps="log(1000000)")
    tree["because"]["lattices"] = [{"step": "2", "cells": 2}]
    found = decide.verdict(text(tree), 10**6)[0]
    assert found == "accepted" and kernel.check(text(tree)).status == "undecided"


def test_others_on_columns_are_counted():
    """They were spelled out, up to 2,000,000; with one fewer who are named it is no pair of the claim."""
    held, other = {"law": "binomial", "n": 1, "p": "1/100"}, {"law": "finite", "p": {"0": "1"}}
    each = {"one of": "any number", "held": held, "other": other}
    seen = {"users": 10**9, "each": each, "shown": {"from": 10}}

    def status(delta, others):
        claim = {"runs": [{"seen": seen, "times": 2}], "data": "same", "neighbours": "replace", "eps": "0"}
        because = {
            "runs": [{"pair": {"from": "a", "to": "b", "others": others}}],
            "lattices": [{"step": "4194933/4194304", "cells": 32768}],
        }
        tree = {"format": "shufflecert certificate", "claim": claim | {"delta": delta}}
        return alike(tree | {"verdict": "REFUTED", "because": because})

    others = {"a": 1068, "b": 899, "other": 10**9 - 1968}
    assert status("1/1000", others) == "accepted"
    assert status("1/10", others) != "accepted"
    assert status("1/1000", others | {"a": 1067}) == "malformed"
