"""Several runs, by the verified checker as plain Python, beside the binary and the kernel."""

import json
import math
import random
from collections import Counter
from fractions import Fraction
from itertools import product

import pytest

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.checked import decide
from tests import verified
from tests.helpers import cases
from tests.judge_of_claims import Open, judge, largest
from tests.kernel_attack import attempts, runs

HERE = verified.ROOT / "tests"
NARROW = Fraction(257, 256), 2048


def both(tree):
    """What the checker with a proof says, and that the kernel says the same."""
    data = json.dumps(tree).encode()
    said, theirs = decide.verdict(data), kernel.check(data)
    assert said[0] == theirs.status or {said[0], theirs.status} == {"rejected", "malformed"}, (said, theirs)
    return said


def table(rows, users, view="shuffled"):
    """What is seen of a table, each row's messages with their probabilities."""
    listed = [
        {"input": x, "outputs": [{"send": list(sent), "p": str(Fraction(p))} for sent, p in row.items()]}
        for x, row in rows.items()
    ]
    return {"users": users, "view": view, "each": {"rows": listed}}


def refuted(runs, pairs, eps, delta, data="same", around="replace", lattice=(Fraction(513, 512), 4096)):
    """A REFUTED certificate of several runs."""
    claim = writing.claim(runs, around, eps, Fraction(delta), data)
    return writing.certificate(claim, "REFUTED", writing.composed([{"pair": one} for one in pairs], [lattice]))


BITS = table({"0": {"a": "3/4", "b": "1/4"}, "1": {"a": "1/4", "b": "3/4"}}, 3)
LEAK = table({"0": {"a": "1"}, "1": {"a": "9/10", "b": "1/10"}, "2": {"a": "1/2", "c": "1/2"}}, 2)
ALONE, LEFT = BITS | {"view": "local", "users": 1}, {"0": 1, "1": 1}


def test_several_runs_around_truths(verified_kernel, tmp_path):
    """Certificates of several runs around what is true of them: none that is false is accepted, nor one that the kernel
    refuses, and the binary says the same."""
    found, rng, files, said = Counter(), random.Random(6), [], []
    while sum(found.values()) < cases(240):
        for words, tree in attempts(rng, (runs,)):
            data = json.dumps(tree).encode()
            files.append(data)
            said.append(decide.verdict(data))
            mine, theirs = said[-1][0], kernel.check(data, max_work=10**6).status
            alike = mine == theirs or {mine, theirs} == {"rejected", "malformed"}
            assert alike or "undecided" in (mine, theirs), tree
            found[mine] += 1
            if mine == "accepted":
                try:
                    assert judge(tree), tree
                    found["true", *(words & {"PROVED", "REFUTED"})] += 1
                except Open:
                    found["open"] += 1
    assert found["accepted"] and found["undecided"] and found["true", "PROVED"] and found["true", "REFUTED"]
    assert found["open"] < found["accepted"] / 10
    for mine, (status, reason) in zip(said, verified.verdicts(tmp_path, files), strict=True):
        assert mine[0] == status and (status != "accepted" or mine[1] == reason), (mine, reason)


@pytest.mark.parametrize("view", ["shuffled", pytest.param("preshuffle", marks=pytest.mark.long), "local"])
def test_what_runs_do_not_keep_is_shown_and_no_more(view):
    """Three runs on one pair: delta a little below what the pair shows, by brute force, and a little above."""
    seen, times = BITS | {"view": view}, 3
    others = [{"0": 2}, LEFT, {"1": 2}] if view == "shuffled" else [None]
    pairs = [writing.neighbours(*ends, some) for ends in (("0", "1"), ("1", "0")) for some in others]
    claim = {"runs": [{"seen": seen, "times": times}], "neighbours": "replace", "eps": "log(3/2)", "data": "same"}
    truth = largest(claim)
    for data in ("same", "any"):
        below = [refuted([(seen, times)], [pair], "log(3/2)", truth * (1 - Fraction(1, 10**4)), data) for pair in pairs]
        above = [refuted([(seen, times)], [pair], "log(3/2)", truth * (1 + Fraction(1, 10**6)), data) for pair in pairs]
        said = [both(tree)[0] for tree in below]
        assert "accepted" in said and (view == "shuffled") == ("undecided" in said)  # some others hide more
        assert all(judge(tree) for tree in below)
        assert all(both(tree)[0] == "undecided" for tree in above)


def test_directions_and_what_one_side_never_shows():
    """Messages that only one input sends show it for sure, in one direction: P where Q has nothing."""
    eps, runs_ = "10", [(LEAK, 4)]
    shows = writing.neighbours("1", "0", {"0": 1})
    hides = writing.neighbours("0", "1", {"0": 1})
    truth = 1 - Fraction(9, 10) ** 4  # e^10 is more than any other ratio makes up
    assert both(refuted(runs_, [shows], eps, truth * (1 - Fraction(1, 10**6))))[0] == "accepted"
    assert both(refuted(runs_, [shows], eps, truth * (1 + Fraction(1, 10**3))))[0] == "undecided"
    assert both(refuted(runs_, [hides], eps, "1/1000"))[0] == "undecided"


def test_numbers_and_tables_in_one():
    """A number with noise that has no end, and a table: in each direction what the two laws multiplied show."""
    lam, bits = Fraction(2), {"0": (Fraction(3, 4), Fraction(1, 4)), "1": (Fraction(1, 4), Fraction(3, 4))}
    noise = [math.exp(-lam) * float(lam) ** k / math.factorial(k) for k in range(40)]
    kinds = [({"users": 5, "each": {"up to": 2}, "added": {"law": "poisson", "lam": "2"}}, 1), (ALONE, 1)]
    for (i, j), (x, y) in product((("2", "0"), ("0", "2")), (("0", "1"), ("1", "0"))):
        p, q = ([0.0] * int(k) + noise[: 40 - int(k)] for k in (i, j))
        both_laws = [
            (a * float(c), b * float(d))
            for a, b in zip(p, q, strict=True)
            for c, d in zip(bits[x], bits[y], strict=True)
        ]
        shown = sum(max(a - math.e * b, 0.0) for a, b in both_laws)
        pairs = [writing.neighbours(i, j, None), writing.neighbours(x, y, None)]
        for hair, said in ((-1e-3, "accepted"), (1e-6, "undecided")):
            delta = Fraction(shown + hair).limit_denominator(10**9)
            assert both(refuted(kinds, pairs, "1", delta, lattice=NARROW))[0] == said


def test_pairs_that_are_none():
    """What is no pair of neighbours, or is of another form, is malformed; what has no theorem is undecided."""
    good = writing.neighbours("0", "1", LEFT)
    for bad in (
        writing.neighbours("0", "0", LEFT),
        writing.neighbours("0", "1", {"0": 1}),
        writing.neighbours("0", "2", LEFT),
        writing.neighbours("0", None, LEFT),
        {"from": "0", "to": "1"},
    ):
        assert both(refuted([(BITS, 2)], [bad], "0", "1/100"))[0] == "malformed"
    tree = refuted([(BITS, 2)], [good], "0", "1/100")
    assert both(tree)[0] == "accepted"
    tree["because"]["runs"][0]["event"] = {"weights": {"a": "1"}, "above": "0"}
    assert both(tree)[0] == "malformed"
    tree["because"]["runs"] = []
    assert both(tree)[0] == "malformed"
    away = refuted([(BITS, 2)], [writing.neighbours("0", None, LEFT)], "0", "1/100", around="add-remove")
    assert both(away)[0] == "accepted" and judge(away)


def test_how_many_runs_there_are():
    """What more runs show, fewer do not; and nothing is shown where eps is as large as two runs can make it."""
    pair = writing.neighbours("0", "1", None)
    for times, delta in ((1, "1/4"), (2, "1/4"), (3, "1/4"), (3, "0.61"), (5, "0.61")):
        if times > 1:
            claim = {
                "runs": [{"seen": ALONE, "times": times}],
                "neighbours": "replace",
                "eps": "log(5/4)",
                "data": "same",
            }
            said = both(refuted([(ALONE, times)], [pair], "log(5/4)", delta))[0]
            assert (said == "accepted") == (largest(claim) > Fraction(delta))
    assert both(refuted([(ALONE, 2)], [pair], "log(9)", 0))[0] != "accepted"
    assert both(refuted([(ALONE, 2)], [pair], "log(8)", 0))[0] == "accepted"


def test_delta_of_one():
    """At most 1 is shown of anything: a claim with this delta is true, and never broken."""
    tree = json.loads((HERE / "accepted" / "runs-by-boxes.json").read_bytes())[1]
    for delta, eps in (("1", "0"), ("1", "log(2)")):
        tree["claim"] |= {"delta": delta, "eps": eps}
        assert both(tree)[0] == "accepted" and judge(tree)
        assert both(refuted([(ALONE, 2)], [writing.neighbours("0", "1", None)], eps, delta))[0] == "undecided"
    tree["claim"] |= {"delta": "999999/1000000", "eps": "0"}
    said = both(tree)[0]
    assert (said == "accepted") == judge(tree)
    number = json.loads((HERE / "accepted" / "runs-of-a-number.json").read_bytes())
    number["claim"]["delta"] = "1"
    assert both(number)[0] == "accepted"
    number["claim"]["runs"][0]["seen"]["added"]["q"] = "1"  # no law
    assert both(number)[0] == "malformed"


# Numbers and columns -----------------------------------------------------------------------------------------------

COIN = writing.coin("1/3")
DICE = {"law": "finite", "p": {"-1": "1/6", "0": "1/2", "2": "1/3"}}
NUMBERED = {
    "noise of every user": ({"users": 3, "each": {"up to": 2, "plus": COIN}}, "replace"),
    "noise of every user, and a server's": ({"users": 2, "each": {"up to": 1, "plus": DICE}, "added": COIN}, "replace"),
    "a remainder": ({"users": 2, "each": {"up to": 2}, "added": DICE, "shown": {"mod": 4}}, "replace"),
    "binomial noise, the largest shift": (
        {"users": 2, "each": {"up to": 3}, "added": {"law": "binomial", "n": 6, "p": "2/5"}},
        "replace",
    ),
    "a number of users who come and go": ({"users": 2, "each": {"up to": 2, "plus": DICE}}, "add-remove"),
    "listed columns": (
        {"users": 2, "each": {"columns": {"x": [COIN, DICE], "y": [DICE, COIN], "z": [COIN, COIN]}}},
        "replace",
    ),
    "one of three": (
        {"users": 2, "each": {"one of": 3, "held": writing.coin("3/4"), "other": writing.coin("1/4")}, "added": COIN},
        "replace",
    ),
    "one of any number, from a threshold on": (
        {
            "users": 2,
            "each": {"one of": "any number", "held": writing.coin("3/4"), "other": writing.constant(0)},
            "added": {"law": "binomial", "n": 3, "p": "1/2"},
            "shown": {"from": 2},
        },
        "replace",
    ),
    "one of three, of users who come and go": (
        {"users": 2, "each": {"one of": 3, "held": COIN, "other": writing.constant(0)}, "added": DICE},
        "add-remove",
    ),
}


def around_truth(name):
    """The claim with its truth for a delta, and the parts of its proof."""
    seen, around = NUMBERED[name]
    claim = writing.claim([(seen, 2)], around, "log(3/2)", Fraction(0))
    return claim, largest(claim), writing.proof_of(seen, around)


def ends_in(claim):
    """The pairs of neighbours of the only kind of users, those who differ in the first two columns."""
    seen, around = claim["runs"][0]["seen"], claim["neighbours"]
    each, others = seen["each"], seen["users"] - 1
    if "up to" in each:
        held = [*map(str, range(each["up to"] + 1))]
        found = product(held, held) if around == "replace" else [*product(held, [None]), *product([None], held)]
        return [writing.neighbours(a, b, None) for a, b in found if a != b]
    names = [*each["columns"]] if "columns" in each else ["a", "b", "other"] if around == "replace" else ["a", "other"]
    found = [("a", "b"), ("x", "y"), ("y", "x")] if around == "replace" else [("a", None), (None, "a")]
    crowds = {tuple(sorted(Counter(some).items())) for some in product(names, repeat=others)}
    return [writing.neighbours(a, b, dict(some)) for (a, b), some in product(found, crowds) if {a, b} <= {*names, None}]


@pytest.mark.parametrize("name", NUMBERED)
@pytest.mark.sampled(2)
def test_numbers_and_columns_in_several_runs_around_truths(name, verified_kernel, tmp_path):
    """By brute force: what is true is accepted, what is not is not, and the binary says the same, word for word."""
    claim, truth, proof = around_truth(name)
    files, said = [], []

    def say(claim, verdict, parts):
        tree = writing.certificate(claim, verdict, writing.composed(parts, [(Fraction(257, 256), 1024)]))
        files.append(json.dumps(tree).encode())
        said.append(both(tree))
        assert said[-1][0] != "accepted" or judge(tree), tree
        return said[-1][0]

    for hair, status in ((Fraction(1, 10**3), "accepted"), (-Fraction(1, 10**9), "undecided")):
        assert say(claim | {"delta": str(truth * (1 + hair))}, "PROVED", [proof]) == status
    shown = Counter()
    for pair in ends_in(claim):
        assert say(claim | {"delta": str(truth * (1 + Fraction(1, 10**9)))}, "REFUTED", [{"pair": pair}]) != "accepted"
        shown[say(claim | {"delta": str(truth * (1 - Fraction(1, 10**3)))}, "REFUTED", [{"pair": pair}])] += 1
    assert shown["accepted"]
    for mine, (status, reason) in zip(said, verified.verdicts(tmp_path, files), strict=True):
        assert mine[0] == status and (status != "accepted" or mine[1] == reason), (mine, reason)


@pytest.mark.parametrize("name", NUMBERED)
def test_what_is_changed_in_a_composition_is_not_accepted(name):
    """Of a proof that only just holds: more runs, less eps, a smaller delta, more that a user may change, another
    remainder, another threshold, other noise; accepted is only what is true."""
    claim, truth, proof = around_truth(name)
    close = claim | {"delta": str(truth * (1 + Fraction(1, 10**3)))}
    proof = writing.composed([proof], [(Fraction(257, 256), 1024)])
    (run,) = close["runs"]

    def seen(**changes):
        return close | {"runs": [run | {"seen": run["seen"] | changes}]}

    each = run["seen"]["each"]
    wrong = [close | {"delta": str(truth * Fraction(99, 100))}, close | {"eps": "log(7/5)"}]
    wrong += [close | {"runs": [run | {"times": 3}]}, seen(added={"law": "finite", "p": {"0": "1"}})]
    wrong += [seen(each=each | {"up to": each["up to"] + 1})] if "up to" in each else []
    wrong += [seen(shown={key: k + 1}) for key, k in run["seen"].get("shown", {}).items()]
    refused = 0
    for tree in (writing.certificate(one, "PROVED", proof) for one in wrong):
        said = both(tree)[0]
        assert said != "accepted" or judge(tree), tree
        refused += said != "accepted"
    assert refused > 2
    for bad in (
        proof | {"runs": [{"pairs": []}]},
        proof | {"runs": [{"pair": {}}]},
        proof | {"runs": proof["runs"] * 2},
        proof | {"lattices": []},
    ):
        assert both(writing.certificate(close, "PROVED", bad))[0] == "malformed"


@pytest.mark.parametrize("name", [name for name, (_, around) in NUMBERED.items() if around == "replace"])
def test_points_of_numbers_and_columns(name):
    """Data that differ from run to run: points on the curve as it is are accepted, one a little below it is not."""
    claim, truth, proof = around_truth(name)  # of data that are the same: others show no less
    claim |= {"data": "any"}
    alone = writing.claim([(NUMBERED[name][0], 1)], "replace", "0", Fraction(0))
    at = {t: largest(alone, t) for t in (Fraction(1), Fraction(5, 4), Fraction(2), Fraction(3), Fraction(9))}
    points = [[str(t), str(d), proof] for t, d in at.items()]
    weak = [[t, str(max(Fraction(d) - Fraction(1, 10**6), Fraction(0))), proof] for t, d, _ in points]
    for delta, listed, status in (
        (min(truth * 5 + Fraction(1, 5), Fraction(1)), points, "accepted"),
        (Fraction(1), points, "accepted"),
        (truth * Fraction(9, 10), points, "undecided"),
    ):
        part = writing.composed([{"points": listed}], [(Fraction(257, 256), 1024)])
        assert both(writing.certificate(claim | {"delta": str(delta)}, "PROVED", part))[0] == status
    for delta in (Fraction(9, 10), Fraction(1)):
        part = writing.composed([{"points": weak}], [(Fraction(257, 256), 1024)])
        tree = json.dumps(writing.certificate(claim | {"delta": str(delta)}, "PROVED", part)).encode()
        assert decide.verdict(tree)[0] == "undecided" and kernel.check(tree).status == "rejected"


def test_columns_numbers_and_rows_in_one():
    """Three kinds of users in one composition, proved and refuted, by brute force."""
    wide = {"users": 2, "each": {"one of": 2, "held": writing.coin("3/4"), "other": writing.coin("1/4")}}
    number = {"users": 2, "each": {"up to": 1}, "added": DICE, "shown": {"mod": 4}}
    kinds = [(wide, 1), (number, 1), (ALONE, 1)]
    claim = writing.claim(kinds, "replace", "log(2)", Fraction(0))
    truth, lattice = largest(claim), [(Fraction(257, 256), 1024)]
    rows_proof = writing.enumerated([("0", "1"), ("1", "0")], [])
    parts = [writing.proof_of(kinds[0][0]), {}, rows_proof]
    for hair, status in ((Fraction(1, 10**3), "accepted"), (-Fraction(1, 10**9), "undecided")):
        one = claim | {"delta": str(truth * (1 + hair))}
        assert both(writing.certificate(one, "PROVED", writing.composed(parts, lattice)))[0] == status
    crowds, held = [{"a": 1}, {"b": 1}], [("0", "1"), ("1", "0")]
    shown = Counter()
    for crowd, (i, j), (x, y) in product(crowds, held, (("0", "1"), ("1", "0"))):
        pairs = [writing.neighbours("a", "b", crowd), writing.neighbours(i, j, None), writing.neighbours(x, y, None)]
        shown[both(refuted(kinds, pairs, "log(2)", truth * Fraction(999, 1000)))[0]] += 1
        assert both(refuted(kinds, pairs, "log(2)", truth))[0] != "accepted"
    assert shown["accepted"] and shown["undecided"]
