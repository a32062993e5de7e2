"""Certificates of thresholded counts (version 5): the kernel against the judge, which adds up users one by one.

Expected values: exact sums over all pairs of neighbours in Fractions (tests/judge_shown.py), and the lemmas of
verify/CERTIFICATE.md tried out with them.
"""

import json
import random
from fractions import Fraction

import pytest

from tests import judge_shown
from tests.helpers import call
from tests.judge import exp_bounds, judge
from tests.oracle import hockey_stick
from tests.reference import binomial
from tests.test_served_certificates import AGREE, judged, status, written
from verify import kernel
from verify.decide.certify import certify
from verify.exact.randomizer import Presence
from verify.systems.catalogue import system
from verify.systems.population import populated

F = Fraction
LONG = f"{2**398 + 1}/{2**399 + 7}"  # a p for which windows of counts are taken, from 17 users on


def tree(p, k, users, eps, delta, verdict, lower, upper, adjacency="add-remove"):
    """A certificate."""
    seen = {"view": "thresholded counts", "p": p, "k": k, "users": users}
    claim = {"mechanism": seen, "adjacency": adjacency, "datasets": "all", "eps": eps, "delta": str(delta)}
    evidence = {"delta": {"lower": lower, "upper": upper}}
    top = {"format": "shufflecert certificate", "version": 5, "claim": claim}
    return {**top, "verdict": verdict, "evidence": evidence}


def largest(p, k, users, t, adjacency):
    """The largest delta at e^eps = t, from the judge's tables, as exact sums."""
    found = F(0)
    for table in judge_shown.pairs(adjacency, F(p), k, users):
        low, high = judge_shown.divergence(table, t, t)
        assert low == high
        found = max(found, low)
    return found


SMALL = [
    ("1/10", 2, 25, "7/5"),
    ("1/3", 3, 12, "1"),
    ("2/3", 2, 9, "5/2"),
    ("1/2", 6, 5, "2"),
    ("1/20", 2, 40, "20/19"),
    ("1/20", 2, 40, "41/39"),
    ("21/200", 20, 30, "3"),
    ("99/100", 3, 10, "30"),
    (LONG, 9, 24, "3/2"),
    (LONG, 17, 24, "9/4"),
    (LONG, 12, 24, "1"),
]


@pytest.mark.parametrize(("p", "k", "users", "t"), SMALL)
def test_hairs_around_the_largest(p, k, users, t):
    """Next to the exact value on both sides, in every number: accepted just where it is true."""
    exact = largest(p, k, users, F(t), "add-remove")
    low, high, hair = written(exact, 60, False), written(exact, 60, True), F(1, 10**60)
    for verdict, delta, want in (
        ("PROVED", exact + hair, "accepted"),
        ("PROVED", max(exact - hair, F(0)), "rejected" if exact else "accepted"),
        ("REFUTED", exact + hair, "rejected"),
        ("REFUTED", max(exact - hair, F(0)), "accepted" if exact else "rejected"),
    ):
        made = tree(p, k, users, f"log({t})", delta, verdict, low, high)
        assert status(made) == want and status(made) in AGREE[judged(made)], (verdict, delta > exact)
    lower, upper = written(exact + hair, 60, True), written(max(exact - hair, F(0)), 60, False)
    assert status(tree(p, k, users, f"log({t})", 1, "PROVED", lower, "1")) == "rejected"
    if exact:
        assert status(tree(p, k, users, f"log({t})", 1, "PROVED", "0", upper)) == "rejected"


def test_later_counts_are_no_worse():
    """The lemma: what is shown of m users is never worse than the whole count of M <= m, at any t, also below 1."""
    rng = random.Random(5)
    for _ in range(60):
        p, k = F(rng.randint(1, 19), 20), rng.randint(2, 6)
        t = F(rng.randint(2, 60), 20)
        laws = [judge_shown.shown(m, p, k) for m in range(15)]
        for M in range(1, 14):
            one, other = binomial(M, p), binomial(M - 1, p)
            whole = hockey_stick(one, other, t), hockey_stick(other, one, t)
            for m in range(M, 15):
                assert hockey_stick(laws[m], laws[m - 1], t) <= whole[0]
                assert hockey_stick(laws[m - 1], laws[m], t) <= whole[1]
        for m in range(1, min(k, 15)):
            assert hockey_stick(laws[m], laws[m - 1], t) == max(1 - t, 0) == hockey_stick(laws[m - 1], laws[m], t)


def test_a_replaced_user_is_between_the_two_ends():
    """The other lemma, against all pairs (i, j)."""
    rng = random.Random(6)
    for _ in range(25):
        p, k, n, t = F(rng.randint(1, 9), 10), rng.randint(2, 4), rng.randint(1, 7), F(rng.randint(20, 60), 20)
        laws = [judge_shown.shown(m, p, k) for m in range(n + 1)]
        ones = [(laws[m], laws[m - 1]) for m in range(1, n + 1)]
        exact = largest(p, k, n, t, "replace")
        assert exact >= max(max(hockey_stick(P, Q, t), hockey_stick(Q, P, t)) for P, Q in ones)
        assert exact <= (max(hockey_stick(P, Q, t * (1 - p)) for P, Q in ones) if n >= k else 0)


def random_claims(rng, count):
    """Certificates of random numbers near the truth, or not."""
    for _ in range(count):
        adjacency = rng.choice(("add-remove", "add-remove", "replace"))
        p = f"{(a := rng.randint(1, 9))}/{a + rng.randint(1, 12)}"
        k, users = rng.randint(2, 4), rng.randint(1, 5 if adjacency == "replace" else 16)
        eps = rng.choice(("0", "1/10", "1/2", "1", "2", "log(3/2)", "log(4)"))
        t = F(eps[4:-1]) if eps[0] == "l" else exp_bounds(F(eps), 64)[0] if eps != "0" else F(1)
        near = largest(p, k, users, t, adjacency)
        delta = near * F(rng.choice((0, 50, 90, 97, 100, 101, 103, 120, 200)), 100) + F(rng.randint(0, 1), 10**9)
        lower = written(near * F(rng.choice((0, 90, 99, 100, 101)), 100), 30, False)
        upper = written(near * F(rng.choice((90, 99, 101, 150, 400)), 100), 30, True)
        yield tree(p, k, users, eps, min(delta, F(1)), rng.choice(("PROVED", "REFUTED")), lower, upper, adjacency)


def agrees(made, **allowed):
    """The kernel's status, which is never the opposite of the judge's; undecided only where ends are apart."""
    found, true = status(made, **allowed), judged(made)
    between = made["claim"].get("adjacency") == "replace" or bool(allowed) or true == "undecided"
    assert found in AGREE.get(true, ()) or (found == "undecided" and between), (made, found, true)
    return found


def test_random_claims():
    rng = random.Random(7)
    found = [agrees(made) for made in random_claims(rng, 300)]
    assert min(found.count(word) for word in ("accepted", "rejected", "undecided")) >= 15


def test_few_bits_decide_nothing_wrong():
    rng = random.Random(8)
    made = [*random_claims(rng, 60)]
    for p, k, users, t in SMALL[-3:]:
        exact = largest(p, k, users, F(t), "add-remove")
        ends = written(exact * F(99, 100), 60, False), written(exact * F(101, 100), 60, True)
        made += [tree(p, k, users, f"log({t})", exact * F(x, 100), "PROVED", *ends) for x in (99, 101)]
    found = [agrees(one, max_bits=bits, spare=spare) for one in made for bits, spare in ((3, 0), (8, 1), (20, 8))]
    assert "undecided" in found and "accepted" in found and "rejected" in found


def mutants():
    """True certificates of either adjacency, and these with one number or word changed."""
    for adjacency, users in (("add-remove", 14), ("replace", 5)):
        exact = largest("1/4", 3, users, F(3, 2), adjacency)
        some = largest("1/4", 3, users, F(3, 2), "add-remove")
        delta, upper = exact + F(1, 10**7), written(exact, 12, True)
        if adjacency == "replace":
            delta, upper = F(1, 2), "1"
        good = tree("1/4", 3, users, "log(3/2)", delta, "PROVED", written(some, 12, False), upper, adjacency)
        yield good
        for place, values in {
            ("claim", "mechanism", "p"): ["1/5", "26/100", "1/2", "0", "1", "3/2", "0.25", 1],
            ("claim", "mechanism", "k"): [2, 4, 1, 0, "3", 10**16, 10**15],
            ("claim", "mechanism", "users"): [users - 1, users + 1, 2, 1, 0, 10**16],
            ("claim", "mechanism", "view"): ["thresholded", "count"],
            ("claim", "adjacency"): ["replace", "add-remove", "deletion", "add"],
            ("claim", "datasets"): ["some"],
            ("claim", "eps"): ["log(7/5)", "log(8/5)", "0", "10001", "log(1/2)"],
            ("claim", "delta"): [str(exact * F(99, 100)), "0", "1", "3/2"],
            ("verdict",): ["REFUTED", "UNDECIDED"],
            ("version",): [1, 2, 3, 4, 6],
            ("evidence", "delta", "lower"): [written(exact * F(101, 100), 12, True), "1", "-1"],
            ("evidence", "delta", "upper"): [written(exact * F(99, 100), 12, False), "0", "2"],
            ("evidence", "others"): [[0, 0]],
            ("claim", "n"): [users],
        }.items():
            for value in values:
                one = json.loads(json.dumps(good))
                at = one
                for key in place[:-1]:
                    at = at[key]
                at[place[-1]] = value
                yield one
    other = json.loads(json.dumps(good))
    other["claim"]["mechanism"] = {"view": "count", "noise": {"law": "poisson", "lam": "1"}, "sensitivity": 1}
    yield other


def test_one_number_changed():
    """p, k, users, eps, delta, the ends, the words: what the kernel then says is what the judge says."""
    found = [(agrees(made), judged(made)) for made in mutants() if judged(made) != "too big"]
    assert found[0] == ("accepted", "true") and found[-1] == ("malformed", "malformed")
    assert min(sum(word == status for status, _ in found) for word in ("accepted", "rejected", "malformed")) >= 12


# What the command makes --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "verdict"), [(20, "PROVED"), (11, "PROVED"), (10, "REFUTED")])
@pytest.mark.parametrize("adjacency", ["add-remove", "replace"])
def test_nebula(capsys, tmp_path, k, verdict, adjacency):
    file = tmp_path / "nebula.json"
    asks = ["-p", "p=0.105", "-p", f"k={k}", "--n", 10**6, "--eps", 1, "--delta", "1e-8", "--adjacency", adjacency]
    _, out, _ = call(capsys, "certify", "sample_and_threshold", *asks, "-o", file)
    assert out.startswith(f"{verdict}: ")
    said = kernel.check_file(file)
    assert said.status == "accepted" and f"k = {k}, users = 1000000, adjacency = {adjacency}" in said.reason
    made = json.loads(file.read_text())
    for delta, want in (("1e-8", "accepted"), ("1/1000000000000000", None)):
        made["claim"]["delta"] = "1/100000000" if delta == "1e-8" else delta
        assert status(made) == (want or ("rejected" if verdict == "PROVED" else "accepted"))


def test_certificates_of_many_sizes():
    """Next to what the engine finds, both verdicts; of the judge's too where there are few users."""
    for p, k, n, eps in (
        ("1/10", 3, 30, "1/10"),
        ("1/10", 3, 30, "11/100"),
        ("1/2", 40, 10**9, "1"),
        ("1/3", 4, 3, "1"),
    ):
        found = populated(system("sample_and_threshold", p=p, k=k), Presence.of("add-remove"))
        value = certify(found, n, eps, 1).worst.delta
        for delta, verdict in ((value.high, "PROVED"), (value.low * F(999, 1000), "REFUTED")):
            if verdict == "REFUTED" and not delta:
                continue
            made = certify(found, n, eps, delta)
            assert made.verdict == verdict
            assert kernel.check(made.certificate_text().encode()).status == "accepted"
            assert n > 45 or judge(made.certificate_text().encode()) == "true"
