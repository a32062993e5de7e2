"""Certificates around truths that are found by brute force, right and wrong in many ways: none that is false may pass.

`python -m tests.kernel_attack 20000 3` draws so many by the fourth seed, and says of how many the claim is true, false,
or not known with the work that a truth may take (tests/judge_of_claims.py), and what the kernel says (`20000 3
verified`: the checker with a proof): in all, and of each user, neighbours, law, number of runs and of blocks. The same
number and seed draw the same certificates.
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, pairwise, permutations
from typing import NamedTuple

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.checked import decide
from tests.judge_of_claims import RATES, Open, claim_is_of_the_form, has_no_end, judge, largest, powers, value_of

F = Fraction
WORK, STEPS = 3 * 10**6, 10**7  # steps that the kernel, and the checker with a proof, may take
EPS = ["0", "log(3/2)", "log(2)", "log(5)", "1/2", "1", "3/10", "log(1000000)", "1/1000000000"]
HAIRS = [F(0), F(1, 10**12), -F(1, 10**12), F(1, 10**6), -F(1, 10**6), F(1, 50), -F(1, 50), F(1, 4), -F(1, 4)]
NUMBERS = ["0", "1", "1/2", "1/3", "2/3", "3/4", "log(2)", "log(3/2)", "log(1)", "5/4"]
WORDS = ["each", "corner", "replace", "add-remove", "same", "any", "x", "y", "a", "b", "other", None]
GRIDS = [("1/50", 1024), ("1/50", 1024), ("1/2", 2), ("3", 4), ("100", 1), ("1/7", 30)]
LATTICES = [(F(257, 256), 512), (F(1025, 1024), 4096), (F(9, 8), 64), (F(65, 64), 512)]
COARSE = [(F(2), 2), (F(2), 9), (F(3, 2), 6), (F(5, 4), 16), (F(3), 5), (F(10**30), 2), (F(10**9 + 1, 10**9), 50)]


class Drawn(NamedTuple):
    """What is seen of one run, the neighbours, and a proof; how many blocks it makes."""

    seen: dict
    around: object
    proof: dict
    blocks: int = 0


# Laws -----------------------------------------------------------------------------------------------------------


def ending(rng, deep=1):
    """A law with an end, on few numbers."""
    kinds = [
        {"law": "finite", "p": {"0": "1/4", "1": "1/2", "3": "1/4"}},
        {"law": "finite", "p": {"-2": "1/5", "0": "2/5", "1": "2/5"}},
        {"law": "binomial", "n": rng.randint(1, 5), "p": str(F(rng.randint(0, 5), 5))},
        writing.constant(rng.randint(-1, 2)),
    ]
    if deep:
        one, other = ending(rng, 0), ending(rng, 0)
        kinds += [
            {"law": "mixture", "of": [["1", one]]},
            {"law": "mixture", "of": [["1/3", one], ["2/3", other]]},
            {"law": "sum", "of": [one, other]},
            {"law": "mod", "by": rng.randint(2, 4), "of": one},
        ]
    return rng.choice(kinds)


def endless(rng, deep=1):
    """A law of any kind, most without an end."""
    share = str(F(rng.randint(1, 3), 5))
    kinds = [
        {"law": "poisson", "lam": str(F(rng.randint(1, 9), 3))},
        {"law": "negative binomial", "r": str(F(rng.randint(1, 6), 3)), "p": share},
        {"law": "negative binomial", "r": "1", "p": share},
        {"law": "discrete Laplace", "q": share},
        {"law": "discrete Laplace", "q": share, "bound": rng.randint(1, 4)},
        {"law": "discrete Gaussian", "variance": str(F(rng.randint(1, 12), 4))},
    ]
    if deep:
        one, other = endless(rng, 0), rng.choice([endless, ending])(rng, 0)
        kinds += [
            {"law": "mixture", "of": [["1/3", one], ["2/3", other]]},
            {"law": "sum", "of": [one, other]},
            {"law": "mod", "by": rng.randint(2, 7), "of": one},
        ]
    return rng.choice(kinds)


def law(rng, share):
    """A law, one without an end in this share of the draws."""
    return (endless if rng.random() < share else ending)(rng)


# Tables --------------------------------------------------------------------------------------------------------------


def row(rng, outputs):
    while True:
        weights = [rng.randint(0, 4) for _ in outputs]
        if sum(weights):
            return {sent: F(w, sum(weights)) for sent, w in zip(outputs, weights, strict=True) if w}


def table(rng):
    """A random table: single messages, several, or none."""
    some = rng.choice([[("a",), ("b",)], [("a",), ("b",), ("c",)], [(), ("a",), ("a", "a")], [("a",), ("a", "b")]])
    return {x: row(rng, some) for x in "xyz"[: rng.choice([2, 2, 3])]}


def written(rows):
    return {
        "rows": [
            {"input": x, "outputs": [{"send": list(sent), "p": str(p)} for sent, p in law.items()]}
            for x, law in rows.items()
        ]
    }


def trees(rng, n, inputs):
    """Proofs of all kinds that may be tried, right or wrong."""
    grid = {"step": "1/50", "cells": 4096, "tilt": "11/10"}
    users = {x: rng.randint(0, 2) for x in inputs}
    place = rng.choice([None, *[x for x in inputs if users[x]]])
    left = rng.randint(0 if place else 1, 2)
    cut = [rng.choice(inputs), rng.randint(0, n)]
    leaves = ["each", "corner", writing.block(users, left, place, grid)]
    yield ["each"]
    yield [rng.choice(leaves)]
    yield [cut, rng.choice(leaves), rng.choice(leaves)]


# Users, each with proofs that may be right --------------------------------------------------------------------------


def rows(rng):
    """A table in all views, of users who take part, come and go, or are deleted."""
    made, n, view = table(rng), rng.randint(1, 4), rng.choice(["shuffled", "shuffled", "local", "preshuffle"])
    around = rng.choice(["replace", "add-remove", {"deletion": {x: str(F(1, len(made))) for x in made}}])
    honest, take_part = rng.choice([None, rng.randint(1, n)]), rng.choice(["1", "1", "1/2"])
    users = honest or n if view == "shuffled" else 1
    tree = [rng.choice(list(trees(rng, users, list(made)))) for _ in range(2)]
    entries = [writing.entry(a, b, rng.choice(tree)) for a, b in writing.ends(made, around)]
    return Drawn(writing.rows(written(made), n, view, honest, take_part), around, writing.cover(entries))


def grid(rng):
    """Hints, in some draws so coarse that little is shown."""
    step, cells = rng.choice(GRIDS)
    above = {"above": rng.choice([1, 2, 100, 5000])} if rng.random() < 0.2 else {}
    return {"step": step, "cells": cells, "tilt": "11/10"} | above


def blocks(rng):
    """A table, and a leaf of one to five blocks; messages that some rows always send."""
    made, known = table(rng), {}
    inputs, wanted = list(made), rng.randint(1, 5)
    for x in inputs:
        if rng.random() < 0.2:
            made[x] = {("k", *sent): p for sent, p in made[x].items()}
            known[rng.choice([x, x, x, *inputs])] = {"k": rng.choice([1, 1, 1, 2])}
    most = 11 if len(inputs) < 3 else 7
    while True:
        users = {x: rng.choice([0, 0, 1, 1, 2]) for x in inputs}
        place = rng.choice([None, *[x for x in inputs if users[x]]])
        left = rng.randint(0 if place else 1, 2)
        if wanted * (left + sum(users.values())) <= most:
            break
    n = wanted * (left + sum(users.values())) + rng.choice([0, 0, 1])
    leaf = writing.block(users, left, place, grid(rng) if rng.random() < 0.9 else None)
    tree, lost = [leaf], rng.choice([0, 0, 0, 0, 1])
    for x, k in users.items():
        if k:
            tree = [[x, max(wanted * k - 1 - (x == place) - lost, 0)], rng.choice(["each", "corner"]), *tree]
    around = rng.choice(["replace", "replace", "replace", "add-remove", {"deletion": {inputs[-1]: "1"}}])
    entries = [writing.entry(a, b, tree) for a, b in writing.ends(made, around)]
    seen = writing.rows(written(made), n, take_part=rng.choice(["1", "1", "1", "1/2"]))
    return Drawn(seen, around, writing.cover(entries, (), known or None), wanted)


def symmetric(rng):
    """Inputs that renamings make one, or that send something for sure; or that only seem to."""
    names, truth = "0123"[: rng.randint(3, 4)], F(rng.randint(2, 4), 5)
    made = {x: {(y,): truth if x == y else (1 - truth) / (len(names) - 1) for y in names} for x in names}
    if rng.random() < 0.3:
        made[names[-1]] = {("0",): F(1, 2), ("1",): F(1, 2)}
    swaps = [dict(zip(pair, pair[::-1], strict=True)) for pair in pairwise(names)]
    renamings = [{"inputs": swap, "messages": swap} for swap in swaps]
    if rng.random() < 0.2:
        renamings[-1] = {"inputs": renamings[-1]["inputs"], "messages": {}}
    entries = [writing.entry("0", "1", ["each"], [2] if len(names) > 3 and rng.random() < 0.6 else [])]
    for a, b in permutations(names, 2):
        moves = [
            (i, k)
            for i, one in enumerate(entries)
            if "tree" in one
            for k, swap in enumerate(swaps)
            if (swap.get(one["from"], one["from"]), swap.get(one["to"], one["to"])) == (a, b)
        ]
        if (a, b) != ("0", "1"):
            moves = moves or [(0, 0)] * (rng.random() < 0.1)
            entries.append(
                writing.same_as(a, b, *moves[0])
                if moves and rng.random() < 0.7
                else writing.entry(a, b, [rng.choice(["each", "each", "corner"])])
            )
    known = {rng.choice(names): {rng.choice(names): 1}} if rng.random() < 0.1 else None
    seen = writing.rows(written(made), rng.randint(1, 4), rng.choice(["shuffled", "shuffled", "shuffled", "local"]))
    return Drawn(seen, "replace", writing.cover(entries, renamings, known))


def numbers(rng):
    """A number, noise that users bring or that is added, remainders."""
    each = {"up to": rng.randint(1, 3)} | ({"plus": law(rng, 0.3)} if rng.random() < 0.5 else {})
    seen = {"users": rng.randint(1, 3), "each": each} | ({"added": law(rng, 0.6)} if rng.random() < 0.9 else {})
    seen |= {"shown": {"mod": rng.randint(2, 5)}} if rng.random() < 0.3 else {}
    return Drawn(seen, rng.choice(["replace", "add-remove"]), {})


def columns(rng):
    """Inputs by columns."""
    some, inputs = [law(rng, 0.1) for _ in range(3)], "xyz"[: rng.choice([1, 2, 2, 3, 3])]
    width, same = rng.choice([1, 1, 1, 2, 2, 2, 3]), rng.random() < 0.2
    made = {x: [rng.choice(some) for _ in range(width)] + [some[0]] * same for x in inputs}
    seen = {"users": rng.randint(1, 3), "each": {"columns": made}}
    seen |= {"added": law(rng, 0.3)} if rng.random() < 0.4 else {}
    seen |= {"shown": {"from": rng.randint(1, 3)}} if rng.random() < 0.3 else {}
    tree = rng.choice([["each"], ["corner"], [["y", 1], "each", "corner"]])
    return Drawn(seen, "replace", writing.proof_of(seen, "replace", tree))


def one_of(rng):
    """One of so many columns, or of any number; users who come and go."""
    around = rng.choice(["replace", "replace", "add-remove"])
    number = rng.choice([2, 3, "any number"])
    held = rng.choice([law(rng, 0.2), writing.coin("3/4"), writing.constant(1)])
    other = writing.constant(0) if around != "replace" else rng.choice([writing.coin("1/4"), law(rng, 0.1)])
    seen = {"users": rng.randint(1, 4), "each": {"one of": number, "held": held, "other": other}}
    seen |= {"added": law(rng, 0.3)} if rng.random() < 0.3 else {}
    seen |= {"shown": {"from": rng.randint(1, 3)}} if rng.random() < 0.4 else {}
    tree = rng.choice([["each"], ["corner"], [["a", 1], "each", "corner"], [["a", 0], "each", "corner"]])
    return Drawn(seen, around, writing.proof_of(seen, around, tree))


def private(rng):
    """Any private randomizer; its truth is not known, but for small delta, and for what is said of one user."""
    local = [rng.choice(["log(2)", "log(3)", "1"]), rng.choice(["0", "1/20"])]
    seen = {"users": rng.randint(1, 5), "each": {"private": local}}
    return Drawn(seen, "replace", {"grid": grid(rng)})


ALONE = (rows, blocks, symmetric, numbers, columns, one_of, private)


def few(rng, total, replaced=False):
    """Users of one run of so many."""
    while True:
        drawn = rng.choice((rows, rows, symmetric, numbers, columns, one_of, blocks))(rng)
        seen = drawn.seen | {"users": rng.randint(1, 1 + (total < 4))}
        seen.pop("honest", None)
        small = len(json.dumps(seen)) < 700 and not any(name[4:] in RATES for name in names_of(seen))
        if (small or rng.random() < 0.2 / total) and (drawn.around == "replace" or not replaced):
            return drawn._replace(seen=seen)


def points(rng, drawn, bad):
    """A part by points of its curve, of which one is too low where `bad`."""
    ts = sorted(rng.sample([F(1), F(5, 4), F(3, 2), F(2), F(3), F(5)], rng.randint(1, 4)))
    claim = writing.claim([(drawn.seen, 1)], drawn.around, "0", F(0))
    ds = [largest(claim, t) for t in ts]
    ds = [min(d + (F(1, 10**9) if d.denominator > 10**18 else 0), F(1)).limit_denominator(10**20) for d in ds]
    if bad:
        k = rng.randrange(len(ds))
        ds[k] = max(ds[k] - rng.choice([F(1, 50), F(1, 10**6)]), F(0))
    return {"points": [[str(t), str(d), drawn.proof] for t, d in zip(ts, ds, strict=True)]}


def runs(rng):
    """Two to five runs of one to three kinds of users, with a proof; `data` same or any."""
    total, kinds = rng.randint(2, 5), rng.choice([1, 1, 2, 3])
    cuts = sorted(rng.sample(range(1, total), min(kinds, total) - 1))
    times = [b - a for a, b in pairwise([0, *cuts, total])]
    listed, data = [few(rng, total, len(times) > 1) for _ in times], rng.choice(["same", "same", "any"])
    parts = [
        points(rng, one, rng.random() < 0.1) if data == "any" or rng.random() < 0.2 else one.proof for one in listed
    ]
    grids = rng.choice([LATTICES, LATTICES, COARSE])
    proof = writing.composed(parts, [rng.choice(grids) for _ in range(rng.randint(1, 2))])
    return [(one.seen, k) for one, k in zip(listed, times, strict=True)], listed[0].around, proof, data


# Refutations --------------------------------------------------------------------------------------------------------


def event_of(rng, seen):
    """An event of rows, or none."""
    messages = sorted({m for one in seen["each"]["rows"] for output in one["outputs"] for m in output["send"]})
    if rng.random() < 0.4 or not messages:
        return {}
    if seen["view"] != "shuffled":
        sent = [tuple(rng.choices(messages, k=rng.randint(0, 2))) for _ in range(2)]
        if seen["view"] == "local":
            return {"event": {"outcomes": [list(one) for one in {*sent}]}}
        return {"event": {"outcomes": [dict(Counter(one)) for one in {tuple(sorted(one)) for one in sent}]}}
    if rng.random() < 0.5:
        weights = {m: str(rng.randint(-1, 2)) for m in messages}
        return {"event": {"weights": weights, "above": str(rng.randint(-1, 2 * seen["users"]))}}
    listed = {tuple(sorted(rng.choices(messages, k=seen["users"]))) for _ in range(rng.randint(1, 6))}
    return {"event": {"outcomes": [dict(Counter(one)) for one in listed]}}


def pair_of(rng, seen, around):
    """A pair that in most draws is of neighbours."""
    each, others = seen["each"], seen.get("honest", seen["users"]) - 1
    gone = (around != "replace") != (rng.random() < 0.1)
    if "up to" in each:
        names = [*map(str, range(each["up to"] + 1))]
    else:
        names = [r["input"] for r in each["rows"]] if "rows" in each else list(each.get("columns", ("a", "b", "other")))
    ends = [rng.choice(names), None] if gone else rng.sample(names * (1 + (len(names) < 2)), 2)
    rng.shuffle(ends)
    if "up to" in each or seen.get("view", "shuffled") != "shuffled":
        return writing.neighbours(*ends, None)
    return writing.neighbours(*ends, dict(Counter(rng.choices(names, k=others))))


def refutation(rng, seen, around):
    """A pair, of rows in most draws with an event; of any private randomizer also the rows of one."""
    if "private" in seen["each"]:
        ratio = F(rng.choice([2, 3]))
        made = {x: {(y,): (ratio if x == y else 1) / (ratio + 1) for y in "xy"} for x in "xy"}
        table_of = {"users": seen["users"], "view": "shuffled", "each": written(made)}
        event = {}
        while not event:
            event = event_of(rng, table_of)
        return table_of["each"] | {"pair": pair_of(rng, table_of, "replace")} | event
    why = writing.event(pair_of(rng, seen, around))
    return why | (event_of(rng, seen) if "rows" in seen["each"] else {})


# The attack ----------------------------------------------------------------------------------------------------------


def places(tree, path=()):
    """Every place of a tree that holds a text, a number or a list."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree) if isinstance(tree, list) else ()
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


def changed(rng, tree):
    """The tree with one thing in it another one."""
    tree = json.loads(json.dumps(tree))
    path = rng.choice(list(places(tree)))
    at = tree
    for key in path[:-1]:
        at = at[key]
    value = at[path[-1]]
    if isinstance(value, list) and value:
        rng.choice([lambda: value.pop(rng.randrange(len(value))), lambda: value.append(value[0]), value.reverse])()
    elif isinstance(value, int):
        at[path[-1]] = max(value + rng.choice([-1, 1, 2]), 0)
    elif isinstance(value, str):
        at[path[-1]] = rng.choice(NUMBERS if value[:1].isdigit() or value.startswith("log") else WORDS)
    elif isinstance(value, dict) and rng.random() < 0.5 and isinstance(at, dict):
        at.pop(path[-1])
    return tree


def names_of(value) -> Iterator[str]:
    """The laws in a tree."""
    if isinstance(value, dict):
        yield from [f"law {value['law']}"] if "law" in value else []
        value = list(value.values())
    for one in value if isinstance(value, list) else ():
        yield from names_of(one)


def in_two_columns(seen):
    """Whether no two inputs differ in more than two columns: of what is independent, proofs are of no more."""
    made = seen["each"].get("columns", {}).values()
    return all(sum(a != b for a, b in zip(*laws, strict=True)) <= 2 for laws in combinations(made, 2))


def is_enumerated(tree):
    """Whether all datasets of one run are looked at, and exactly: then what is true is shown, and nothing else."""
    claim, why = tree["claim"], tree["because"]
    alone = [run["times"] for run in claim["runs"]] == [1] and in_two_columns(claim["runs"][0]["seen"])
    exact = alone and claim["eps"][:3] in ("0", "log") and not has_no_end(claim)
    if tree["verdict"] == "REFUTED":
        return exact and not {"event", "rows"} & why.keys()
    return exact and "grid" not in why and all(one.get("tree") == ["each"] for one in why.get("pairs", ()))


def attempts(rng, kinds=(*ALONE, runs, runs, runs)):
    """Certificates around the truth of one claim, each with words for what is in it.

    "enumerated" is what `is_enumerated`, with nothing changed.
    """
    kind = rng.choice(kinds)
    try:
        if kind is runs:
            listed, around, proof, data = runs(rng)
            words = {f"{sum(times for _, times in listed)} runs", f"data {data}", "points" * ("points" in str(proof))}
        else:
            seen, around, proof, number = kind(rng)
            listed, data, words = [(seen, 1)], "same", {f"{number} blocks"} if number else set()
        claim = writing.claim(listed, around, rng.choice(EPS), F(0), data)
        worst = F(rng.randint(0, 30), 40) if kind is private else largest(claim, powers(claim)[rng.randint(0, 1)])
    except Open:
        return
    words |= {f"neighbours {around if isinstance(around, str) else 'deletion'}", *names_of(claim)}
    words |= {f"each {next(iter(seen['each']))}" for seen, _ in listed}
    words |= {f"view {seen['view']}" for seen, _ in listed if "view" in seen}
    for hair in rng.sample(HAIRS, 6):
        delta = min(max(worst + hair * rng.choice([1, max(worst, F(1, 1000))]), F(0)), F(1))
        claim, verdict, why = claim | {"delta": str(delta.limit_denominator(10**15))}, "PROVED", proof
        if rng.random() < 0.35:
            shown, verdict = [refutation(rng, seen, around) for seen, _ in listed], "REFUTED"
            why = shown[0]
            if kind is runs:
                why = writing.composed([{"pair": one["pair"]} for one in shown], [(F(257, 256), 512)])
        tree = writing.certificate(claim, verdict, why)
        changes = rng.choice([0, 0, 0, 1, 2])
        sure = "enumerated" if not changes and is_enumerated(tree) else ""
        for _ in range(changes):
            tree = changed(rng, tree)
        yield {*words, verdict, sure} - {""}, tree


def attack(number, seed=0, by="kernel", kinds=(*ALONE, runs, runs, runs)):
    """What became of so many certificates, by the words for what is in them; "all" for all.

    Raises AssertionError where a false one is accepted, where one that enumerates and is true is not, or the kernel
    reads a claim in another way than the judge. `by` verified: what the checker with a proof accepts.
    """
    rng, found, made = random.Random(f"attack {seed}"), dict[str, Counter](), 0
    while made < number:
        for words, tree in attempts(rng, kinds):
            made += 1
            data, fate, verified = json.dumps(tree).encode(), "no form", by == "verified"
            status, reason = decide.verdict(data, STEPS) if verified else kernel.check(data, max_work=WORK)
            if claim_is_of_the_form(tree):
                known = verified or status != "malformed" or reason.startswith("file.because")
                assert known, (json.dumps(tree), reason)
                try:
                    fate = str(judge(tree)).lower()
                except Open:
                    fate = "open"
            else:
                several = isinstance(tree.get("claim"), dict) and len(tree["claim"].get("runs", ())) > 1
                refused = status == "malformed" or ((several or verified) and status != "accepted")
                assert refused, (json.dumps(tree), reason)
            assert fate != "false" or status != "accepted", json.dumps(tree)
            is_left = status == "malformed" or reason.startswith(("too much", "too few bits"))
            if "enumerated" in words and not is_left:
                shown = fate == "true"
                if tree["verdict"] == "REFUTED":
                    value = value_of(tree["claim"], tree["because"]["pair"])
                    shown = value is not None and value > F(tree["claim"]["delta"])
                assert fate == "open" or (status == "accepted") == shown, (json.dumps(tree), reason)
            for word in ("all", *words):
                found.setdefault(word, Counter())[fate, status == "accepted"] += 1
    return found


def told(count):
    """How many are true, false, open, of no form; and how many of them are accepted."""
    return ", ".join(
        f"{count[fate, True] + count[fate, False]} {fate} ({count[fate, True]} accepted)"
        for fate in ("true", "false", "open", "no form")
    )


if __name__ == "__main__":
    for name, count in sorted(attack(*map(int, sys.argv[1:3]), *sys.argv[3:]).items()):
        print(f"{name}: {told(count)}")
