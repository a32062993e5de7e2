"""The kernel: a corpus of true and of false certificates, brute force around truths, hostile files."""

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import pairwise, product
from pathlib import Path

import pytest

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.bound import lattice, lattice_guess
from shufflecert.verify.compose.accountant import compose_parts
from shufflecert.verify.enclose.noise_laws import Poisson
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.windowed import SumPair
from tests import limits_of_the_form, oracle

TESTS = Path(__file__).parent
F = Fraction
REPLACE = "replace"


def status(tree, **limits):
    return kernel.check(json.dumps(tree).encode(), **limits).status


# The corpus --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted(TESTS.glob("accepted/*.json")), ids=lambda path: path.stem)
def test_what_is_true_is_accepted(path):
    found = list(kernel.check_all(path.read_bytes()))
    assert found and all(verdict.status == "accepted" for verdict in found), found


@pytest.mark.parametrize("folder", ["rejected", "malformed", "undecided"])
def test_what_is_not_shown_is_not_accepted(folder):
    for path in sorted((TESTS / folder).glob("*.json")):
        for verdict in kernel.check_all(
            path.read_bytes(), max_work=10**7 if folder == "undecided" else kernel.MAX_WORK
        ):
            assert verdict.status == folder, (path.name, verdict)


def test_corners_and_blocks_of_many_users_over_three_messages_fit_in_the_budget():
    """Five corners and seven blocks of 684 honest users: 103 million steps, when billions were needed once."""
    assert kernel.check_file(TESTS / "large" / "answers-of-760.json", max_work=15 * 10**7).status == "accepted"


# Brute force around truths ------------------------------------------------------------------------------------------


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


def divergence(p, q, t):
    return sum((max(w - t * q.get(y, 0), 0) for y, w in p.items()), F(0))


def eps_of(t):
    return "0" if t == 1 else f"log({t})"


def one_claim(seen, neighbours, t, delta, verdict, because):
    return writing.certificate(writing.claim([(seen, 1)], neighbours, eps_of(t), delta), verdict, because)


def around(worst):
    """Deltas below, at and above a truth, with whether it is kept."""
    for delta in {worst * F(999, 1000), worst - F(1, 10**9), worst, worst + F(1, 10**9), worst * F(1001, 1000)}:
        if 0 <= delta <= 1:
            yield delta, worst <= delta


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


@pytest.mark.parametrize("case", range(40))
@pytest.mark.sampled(3)
def test_no_false_claim_about_a_table_is_accepted_and_true_ones_are(case):
    rng = random.Random(f"tables {case}")
    rows, n, t = table(rng), rng.randint(1, 4), rng.choice([F(1), F(3, 2), F(2), F(4)])
    neighbours, q = rng.choice(["replace", "replace", "add-remove", "deletion"]), rng.choice([F(1), F(2, 3)])
    inputs = list(rows)
    who = {x: F(1, len(inputs)) for x in inputs}
    seen = writing.rows(written(rows), n, "shuffled", None, str(q))
    ends = [
        (a, b)
        for a, b in product([*inputs, None], repeat=2)
        if a != b and (None not in (a, b) if neighbours == "replace" else None in (a, b))
    ]
    side = {None: oracle.ABSENT if neighbours == "add-remove" else who}
    values = {}
    for a, b in ends:
        for others in product(inputs, repeat=n - 1):
            laws = [oracle.attended_law(rows, (side.get(end, end), *others), "shuffled", q) for end in (a, b)]
            values[a, b, tuple(sorted(others))] = divergence(*laws, t)
    worst = max(values.values())
    said = {"deletion": {x: str(w) for x, w in who.items()}} if neighbours == "deletion" else neighbours
    for delta, kept in around(worst):
        for tree in trees(rng, n, inputs):
            why = writing.cover([writing.entry(a, b, tree) for a, b in ends])
            found = status(one_claim(seen, said, t, delta, "PROVED", why))
            assert kept or found != "accepted"
            assert found == "accepted" or not kept or tree != ["each"]
        (a, b, others), value = rng.choice(list(values.items()))
        pair = writing.neighbours(a, b, {x: others.count(x) for x in inputs})
        found = status(one_claim(seen, said, t, delta, "REFUTED", writing.event(pair)))
        assert (found == "accepted") == (value > delta)


@pytest.mark.parametrize("case", range(25))
@pytest.mark.sampled(3)
def test_no_false_claim_about_runs_is_accepted(case):
    rng = random.Random(f"runs {case}")
    tables = [{x: row(rng, [("a",), ("b",), ("c",)]) for x in "xy"} for _ in range(rng.randint(1, 2))]
    times, t = [rng.randint(1, 3) for _ in tables], rng.choice([F(1), F(3, 2), F(3)])
    times[0] += sum(times) == 1
    worst, best = F(-1), None
    for ends in product([("x", "y"), ("y", "x")], repeat=len(tables)):
        atoms = [(F(1), F(1))]
        for rows, k, (a, b) in zip(tables, times, ends, strict=True):
            both = [(rows[a].get(y, F(0)), rows[b].get(y, F(0))) for y in {*rows[a], *rows[b]}]
            for _ in range(k):
                atoms = [(p * u, q * v) for p, q in atoms for u, v in both]
        value = sum(max(p - t * q, 0) for p, q in atoms)
        worst, best = max((worst, best), (value, ends))
    runs = [(writing.rows(written(rows), 1), k) for rows, k in zip(tables, times, strict=True)]
    proofs = [writing.cover([writing.entry(a, b, ["each"]) for a, b in (("x", "y"), ("y", "x"))]) for _ in tables]
    pairs = [writing.event(writing.neighbours(a, b, {})) for a, b in best]
    grids = [(F(257, 256), 1024), (F(65, 64), 512), (F(3, 2), 64)]
    for delta, kept in around(worst):
        for verdict, parts in (("PROVED", proofs), ("REFUTED", pairs)):
            why = writing.composed(parts, [rng.choice(grids)])
            found = status(writing.certificate(writing.claim(runs, REPLACE, eps_of(t), delta), verdict, why))
            assert found in ("accepted", "undecided")
            assert found != "accepted" or kept == (verdict == "PROVED")
    for verdict, parts, delta in (
        ("PROVED", proofs, min(worst * F(11, 10) + F(1, 1000), F(1))),
        ("REFUTED", pairs, worst * F(9, 10)),
    ):
        why = writing.composed(parts, [(F(1025, 1024), 1 << 13)])
        claim = writing.claim(runs, REPLACE, eps_of(t), delta)
        assert status(writing.certificate(claim, verdict, why)) == "accepted" or (verdict == "REFUTED" and not worst)


def test_dots_of_a_curve_hold_for_runs_whose_pairs_differ():
    """Two runs of a bit that is flipped: exactly, over all choices of a direction for each."""
    flip, t = F(1, 4), F(2)
    seen = writing.rows(written({"x": {("a",): 1 - flip, ("b",): flip}, "y": {("a",): flip, ("b",): 1 - flip}}), 1)
    proof = writing.cover([writing.entry(a, b, ["each"]) for a, b in (("x", "y"), ("y", "x"))])
    points = [[str(x), str(max(1 - flip - x * flip, F(0))), proof] for x in (F(1), F(3, 2), F(2), F(5, 2), F(3))]
    ratio = (1 - flip) / flip
    atoms = [((1 - flip) ** 2, ratio**2), (2 * flip * (1 - flip), F(1)), (flip**2, ratio**-2)]
    worst = sum(max(p - t * p / r, 0) for p, r in atoms)
    for delta, verdict in ((worst * F(999_999, 10**6), "undecided"), (worst * F(1_000_001, 10**6), "accepted")):
        why = writing.composed([{"points": points}], [(F(3), 64)])
        claim = writing.claim([(seen, 2)], REPLACE, eps_of(t), delta, "any")
        assert status(writing.certificate(claim, "PROVED", why)) == verdict
    for i, (x, _, _) in enumerate(points[:-1]):  # those of one proof are looked at together: each of them counts
        wrong = [*points[:i], [x, str(max(1 - flip - F(x) * flip, F(0)) - F(1, 10**9)), proof], *points[i + 1 :]]
        why = writing.composed([{"points": wrong}], [(F(3), 64)])
        claim = writing.claim([(seen, 2)], REPLACE, "0", F(1), "any")
        assert status(writing.certificate(claim, "PROVED", why)) == "rejected"
    low = [[x, "0", proof] for x, _, _ in points]
    why = writing.composed([{"points": low}], [(F(3), 64)])
    claim = writing.claim([(seen, 2)], REPLACE, "0", F(1), "any")
    assert status(writing.certificate(claim, "PROVED", why)) == "rejected"


# Columns and numbers ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("case", range(12))
def test_one_of_columns_by_enumeration(case):
    """Users in columns a, b and other ones: bits by the definition, others counted, also shown from a threshold."""
    rng = random.Random(f"columns {case}")
    held, other, n, t = F(rng.randint(1, 4), 5), F(rng.randint(0, 2), 5), rng.randint(1, 4), rng.choice([F(1), F(2)])
    least = rng.choice([0, 2])

    def column(bits):
        law = {0: F(1)}
        for p in bits:
            law = {k: law.get(k, F(0)) * (1 - p) + law.get(k - 1, F(0)) * p for k in range(len(bits) + 1)}
        shown = {}
        for k, w in law.items():
            shown[max(k, least - 1)] = shown.get(max(k, least - 1), F(0)) + w
        return shown

    values = {}
    for i, j in product(range(n), repeat=2):
        if i + j < n:
            rest = n - 1 - i - j
            a, b = ([held] * k + [other] * (n - 1 - k) for k in (i, j))
            p, q = ([column([*a, x]), column([*b, y])] for x, y in ((held, other), (other, held)))
            both = [{(u, v): w * z for u, w in one.items() for v, z in two.items()} for one, two in (p, q)]
            values[i, j, rest] = divergence(*both, t)
    worst = max(values.values())
    each = {"one of": 5, "held": writing.coin(str(held)), "other": writing.coin(str(other))}
    seen = {"users": n, "each": each, **({"shown": {"from": least}} if least else {})}
    for delta, kept in around(worst):
        for leaves in (["each"], ["corner"], [["a", 0], "each", "corner"]):
            why = writing.cover([writing.entry("a", "b", leaves)])
            found = status(one_claim(seen, REPLACE, t, delta, "PROVED", why))
            assert kept or found != "accepted"
            assert found == "accepted" or leaves != ["each"] or not kept
        (i, j, rest), value = rng.choice(list(values.items()))
        pair = writing.neighbours("a", "b", {"a": i, "b": j, "other": rest})
        found = status(one_claim(seen, REPLACE, t, delta, "REFUTED", writing.event(pair)))
        assert (found == "accepted") == (value > delta)


@pytest.mark.parametrize("case", range(8))
def test_columns_with_noise_below_zero_by_enumeration(case):
    """A column of bits and noise with values down to -6: what is seen is the sum as it is, whatever its sign."""
    rng = random.Random(f"below {case}")
    chances = {x: F(rng.randint(1, 6), 7) for x in "xy"}
    chances["y"] = chances["y"] if chances["y"] != chances["x"] else chances["x"] / 2
    noise = row(rng, rng.sample(range(-6, 3), 4))
    n, t = rng.randint(1, 3), rng.choice([F(1), F(3, 2)])

    def column(users):
        law = noise
        for x in users:
            coin = {0: 1 - chances[x], 1: chances[x]}
            law = {k: sum((law.get(k - b, F(0)) * w for b, w in coin.items()), F(0)) for k in range(-6, 3 + n)}
        return law

    held = [["x"] * k + ["y"] * (n - 1 - k) for k in range(n)]
    worst = max(divergence(column([a, *others]), column([b, *others]), t) for others in held for a, b in ("xy", "yx"))
    seen = {
        "users": n,
        "each": {"columns": {x: [writing.coin(str(p))] for x, p in chances.items()}},
        "added": {"law": "finite", "p": {str(k): str(w) for k, w in noise.items()}},
    }
    why = writing.cover([writing.entry(*ends, ["each"]) for ends in ("xy", "yx")])
    for delta, kept in around(worst):
        assert (status(one_claim(seen, REPLACE, t, delta, "PROVED", why)) == "accepted") == kept


@pytest.mark.parametrize("case", range(12))
def test_numbers_with_noise_by_enumeration(case):
    """Finite noise: every shift, taken modulo m or not, users who bring noise, who come and go."""
    rng = random.Random(f"numbers {case}")
    noise = {k: F(rng.randint(1, 3)) for k in range(-1, rng.randint(1, 3))}
    noise = {k: w / sum(noise.values()) for k, w in noise.items()}
    most, n, t, m = rng.randint(1, 3), rng.randint(1, 3), rng.choice([F(1), F(3, 2)]), rng.choice([0, 0, 4])
    brings, comes = rng.random() < 0.5, rng.random() < 0.5
    law = {"law": "finite", "p": {str(k): str(w) for k, w in noise.items()}}

    def summed(draws, shift):
        found = {shift: F(1)}
        for _ in range(draws):
            more = {}
            for a, w in found.items():
                for b, z in noise.items():
                    more[a + b] = more.get(a + b, F(0)) + w * z
            found = more
        seen = {}
        for k, w in found.items():
            seen[k % m if m else k] = seen.get(k % m if m else k, F(0)) + w
        return seen

    full, fewer = (n, n - 1) if brings else (1, 1)
    values = {}
    for i, j in product(range(most + 1), repeat=2):
        if not comes and i != j:
            values[str(i), str(j)] = divergence(summed(full, i), summed(full, j), t)
        if comes:
            values[str(i), None] = divergence(summed(full, i), summed(fewer, 0), t)
            values[None, str(i)] = divergence(summed(fewer, 0), summed(full, i), t)
    worst, around_whom = max(values.values()), "add-remove" if comes else REPLACE
    seen = {"users": n, "each": {"up to": most, **({"plus": law} if brings else {})}}
    seen |= {} if brings else {"added": law}
    seen |= {"shown": {"mod": m}} if m else {}
    for delta, kept in around(worst):
        assert (status(one_claim(seen, around_whom, t, delta, "PROVED", {})) == "accepted") == kept
        (a, b), value = rng.choice(list(values.items()))
        found = status(one_claim(seen, around_whom, t, delta, "REFUTED", {"pair": {"from": a, "to": b}}))
        assert (found == "accepted") == (value > delta)


# Renamings ---------------------------------------------------------------------------------------------------------


def response(k, truth):
    return {str(x): {(str(y),): truth if x == y else (1 - truth) / (k - 1) for y in range(k)} for x in range(k)}


def test_renamings_leave_out_pairs_and_compositions_and_false_ones_are_rejected():
    rows = response(4, F(1, 2))
    swap = [{"inputs": {a: b, b: a}, "messages": {a: b, b: a}} for a, b in pairwise("0123")]
    ends = [(a, b) for a, b in product("0123", repeat=2) if a != b]
    entries, where = [writing.entry("0", "1", ["each"], [2])], {("0", "1"): 0}
    for pair in ends[1:]:
        for k, one in enumerate(swap):
            back = tuple(one["inputs"].get(x, x) for x in pair)
            if back == ("0", "1"):
                entries.append(writing.same_as(*pair, 0, k))
                break
        else:
            entries.append(writing.entry(*pair, ["each"]))
        where[pair] = len(entries) - 1
    seen = writing.rows(written(rows), 4)
    laws = {x: oracle.convolved_law(rows, (x, "0", "1", "2")) for x in "01"}
    worst = max(
        divergence(oracle.convolved_law(rows, ("0", *rest)), oracle.convolved_law(rows, ("1", *rest)), F(2))
        for rest in product("0123", repeat=3)
    )
    assert laws
    for delta, kept in around(worst):
        tree = one_claim(seen, REPLACE, F(2), delta, "PROVED", writing.cover(entries, swap))
        assert (status(tree) == "accepted") == kept
    false = [*swap[:2], {"inputs": {"0": "1", "1": "0"}, "messages": {}}]
    why = writing.cover(entries, false)
    assert status(one_claim(seen, REPLACE, F(2), F(1), "PROVED", why)) == "rejected"


# The lattice --------------------------------------------------------------------------------------------------------


def test_both_ends_of_the_lattice_hold_the_sum_over_all_outcomes():
    """Four runs have few enough outcomes, up to their order, to be summed one by one."""
    noise = Poisson(F(20))
    parts = [(SumPair((noise,), (noise,), 1), 4)]
    for eps in ("1", "3"):
        known = compose_parts(parts, Eps.of(eps))
        assert known.relative_width < F(1, 10**20)
        for cells in (256, 1024, 4096):
            grid, size = lattice_guess.guessed(parts, Eps.of(eps), cells)
            low = lattice.delta(parts, Eps.of(eps), grid, False, size)
            high = lattice.delta(parts, Eps.of(eps), grid, True, low or size)
            assert low <= known.high and known.low <= high
        assert high - low < known.low / 200


@pytest.mark.parametrize("bits", [1, 64, 300, 2100])
def test_a_product_of_polynomials_is_the_same_by_decimals_and_by_the_definition(bits):
    rng = random.Random(f"product {bits}")
    for terms, others in ((1, 1), (40, 7), (200, 300)):
        a, b = ([rng.choice([0, 1, 2**bits - 1, rng.getrandbits(bits)]) for _ in range(k)] for k in (terms, others))
        found = [0] * (terms + others - 1)
        for (i, x), (j, y) in product(enumerate(a), enumerate(b)):
            found[i + j] += x * y
        assert kernel.product(a, b, kernel.Budget(64, 10**9, 10**9)) == found
    assert kernel.way_of(200, 300, 2 * bits + 9)[1] == (bits == 300)


# Hostile files ------------------------------------------------------------------------------------------------------


def simple():
    rows = response(2, F(3, 4))
    why = writing.cover([writing.entry(a, b, ["each"]) for a, b in (("0", "1"), ("1", "0"))])
    return one_claim(writing.rows(written(rows), 3), REPLACE, F(2), F(1, 2), "PROVED", why)


def changed(path, value):
    tree = simple()
    at = tree
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = value
    return tree


SEEN = ("claim", "runs", 0, "seen")
DEEP = '"each"'
for _ in range(5000):
    DEEP = f"[{DEEP}]"
MALFORMED = {
    "an unknown key": changed(("version",), 1),
    "a float": changed((*SEEN, "users"), 2.0),
    "text for a number": changed((*SEEN, "users"), "3"),
    "a boolean": changed((*SEEN, "users"), True),
    "no users": changed((*SEEN, "users"), 0),
    "too many honest": changed((*SEEN, "honest"), 4),
    "data of one run": changed(("claim", "data"), "same"),
    "a missing pair": changed(("because", "pairs"), []),
    "an unknown leaf": changed(("because", "pairs", 0, "tree"), ["all"]),
    "half a tree": changed(("because", "pairs", 0, "tree"), [["0", 1], "each"]),
    "two trees": changed(("because", "pairs", 0, "tree"), ["each", "each"]),
    "a digit of another script": changed(("claim", "delta"), "\u0661/2"),
    "a sign": changed(("claim", "delta"), "-1/2"),
    "delta above 1": changed(("claim", "delta"), "3/2"),
    "a logarithm without its end": changed(("claim", "eps"), "log(32"),
    "rows without a view": changed(SEEN, {"users": 3, "each": {"rows": written(response(2, F(3, 4)))["rows"]}}),
    "a view of a number": changed(SEEN, {"users": 3, "view": "shuffled", "each": {"up to": 1}}),
    "a renaming that moves an end": changed(
        ("because",),
        {
            "renamings": [{"inputs": {"0": "1", "1": "0"}, "messages": {"0": "1", "1": "0"}}],
            "pairs": [writing.entry(a, b, ["each"], [0]) for a, b in (("0", "1"), ("1", "0"))],
        },
    ),
    "a renaming of columns": one_claim(
        {"users": 3, "each": {"columns": {"0": [writing.coin("1/4")], "1": [writing.coin("3/4")]}}},
        REPLACE,
        F(2),
        F(1),
        "PROVED",
        writing.cover([writing.entry("0", "1", ["each"]), writing.same_as("1", "0", 0, 0)]),
    ),
    "leading zeros": changed(("claim", "delta"), "00000"),
    "added to rows": changed((*SEEN, "added"), writing.constant(1)),
    "an end that is null": changed(("because", "pairs", 0, "from"), None),
    "two claims in one": [simple(), changed(("claim", "delta"), "2")],
    "nothing": [],
}


@pytest.mark.parametrize("tree", MALFORMED.values(), ids=MALFORMED)
def test_what_is_not_of_the_form_is_malformed(tree):
    assert status(tree) == "malformed"


@pytest.mark.parametrize("status_of", ["ACCEPTED", "MALFORMED"])
def test_each_limit_of_the_form_is_where_it_is_said_to_be(status_of):
    for number, tree in enumerate(getattr(limits_of_the_form, status_of)):
        assert (number, status(tree)) == (number, status_of.lower())


@pytest.mark.parametrize(
    "data",
    [b"", b"{", b"[" * 100_000, b'{"a": 1, "a": 1}', b"\xff", b"NaN", DEEP.encode()],
    ids=["empty", "open", "deep", "twice", "bytes", "nan", "nested"],
)
def test_what_is_no_json_is_malformed(data):
    assert kernel.check(data).status == "malformed"


def huge(**claim):
    noise = {"law": "discrete Laplace", "q": "999999999999/1000000000000"}
    seen = {"users": 1, "each": {"up to": 10**6}, "added": noise} | claim
    return writing.certificate(writing.claim([(seen, 1)], REPLACE, "1", F(1, 10**300)), "PROVED", {})


HOSTILE = {
    "a long window": huge(added={"law": "poisson", "lam": str(10**14)}),
    "many shifts": huge(added={"law": "mod", "by": 2**200, "of": {"law": "poisson", "lam": "1000"}}),
    "many compositions": changed((*SEEN, "users"), 10**14),
    "many users of a tree": changed(("because", "pairs", 0, "tree"), [["0", 10**9], "each", "corner"]),
    "long numbers": changed(("claim", "delta"), "1/1" + "0" * 99_999),
}


@pytest.mark.parametrize("tree", HOSTILE.values(), ids=HOSTILE)
def test_what_takes_long_ends_within_a_budget(tree):
    assert status(tree, max_work=10**7) in ("undecided", "rejected", "accepted")


def test_the_line_states_the_whole_claim_with_labels_quoted():
    tree = simple()
    tree["claim"]["runs"][0]["seen"]["take part"] = "1/2"
    tree["claim"]["neighbours"] = {"deletion": {"0": "1"}}
    rows = tree["claim"]["runs"][0]["seen"]["each"]["rows"]
    rows[1]["input"] = name = '0", eps = 0, delta = 0'
    tree["claim"]["neighbours"] = {"deletion": {name: "1"}}
    ends = [("0", None), (None, "0"), (name, None), (None, name)]
    tree["because"] = writing.cover([writing.entry(a, b, ["each"]) for a, b in ends])
    verdict = kernel.check(json.dumps(tree).encode())
    assert verdict.status == "accepted"
    words = 'PROVED: eps = "log(2)", delta = "1/2", neighbours: {"deletion": {' + json.dumps(name) + ': "1"}}; '
    words += '1 time seen: {"users": 3, "view": "shuffled", "each": {"rows": 2 rows with SHA-256 '
    assert verdict.reason.startswith(words)
    assert '"take part": "1/2"' in verdict.reason


@pytest.mark.parametrize("size", [1, 2, 3])
def test_laws_of_sums_are_exact_or_from_below_whichever_way_they_are_computed(size):
    """Against the definition: all draws of n users, of outcomes with so many digits, one user after the other."""
    budget = kernel.Budget(64, 10**9, 10**9)
    for case in range(20):
        rng = random.Random(f"sums {size} {case}")
        n, most, kinds = rng.randint(2, 7), rng.randint(1, 3), rng.randint(2, 4)
        scales = [(1 + n * most) ** i for i in range(size)]
        places = {sum(rng.randint(0, most) * scale for scale in scales) for _ in range(kinds)}
        line = [(place, rng.randint(1, 9)) for place in sorted(places)]
        law = kernel.Law(line, sum(weight for _, weight in line))
        truth = {0: F(1)}
        for _ in range(n):
            sums = Counter()
            for (place, p), (more, weight) in product(truth.items(), line):
                sums[place + more] += p * F(weight, law.unit)
            truth = sums
        for width in (2, 20, 60):
            found = kernel.power(law, n, width, budget, scales)
            assert [place for place, _ in found.line] == sorted({place for place, _ in found.line})
            assert all(F(weight, found.unit) <= truth[place] for place, weight in found.line)
            if n * law.unit.bit_length() <= kernel.EXACT * width:
                assert found.missed == 0
            elif width > 2:
                assert F(found.missed, found.unit) <= F(8 * n * len(truth), 2**width)
