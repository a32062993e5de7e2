"""Certificates of version 7, a claim about many users by what fewer need, and ends of thresholds, where delta is 0.

The kernel against the judge (tests/judge.py: all pairs, in Fractions), and the engine's certificates, whose verdicts
are compared with the enumeration of all datasets.
"""

import json
import random
from collections import Counter
from fractions import Fraction
from itertools import islice

import pytest

from protocols.r_gap import RGap
from tests import certificate_mutants as first
from tests.asked import profile_curve
from tests.certificate_seeds import _counts, claim_of, dump
from tests.certificate_seeds import seeds as version_one
from tests.judge import judge
from tests.test_certificate_mutants import verdicts
from tests.test_pure_epsilon import table
from verify.bound.question import Effort
from verify.decide.certify import certify
from verify.decide.worst_case import delta, epsilon
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer
from verify.kernel import check
from verify.reduce import pure

STATUS = {"true": "accepted", "false": "rejected", "malformed": "malformed"}
HALF = Fraction(1, 2)
TINY = Fraction(1, 10**50)  # of the enumeration's 60 digits


def seeds():
    """The proofs of version 1 in the shuffled view, each as one about as many users or more."""
    trees = [said for said in version_one() if (said["claim"]["view"], said["verdict"]) == ("shuffled", "PROVED")]
    for more, said in enumerate(trees):
        said["version"], users = 7, said["claim"]["n"]
        said["evidence"], said["claim"]["n"] = {"users": users} | said["evidence"], users + more**5
    return trees


def users_changed(rng, said):
    """A user who is looked at more or less; the others follow most of the time."""
    evidence, step = said["evidence"], rng.choice([-1, 1])
    evidence["users"] += step
    others = [x for x, count in evidence["worst"]["pair"]["others"].items() for _ in range(count)]
    if rng.random() < 0.8:
        others = others[1:] if step < 0 else [*others, rng.choice(first._labels(said)[0])]
        evidence["worst"]["pair"]["others"] = _counts(others)


def n_changed(rng, said):
    """Another n, which means nothing as long as it is no less than the users who are looked at."""
    said["claim"]["n"] = rng.choice([10**15, 10**15 + 1, said["evidence"]["users"], said["evidence"]["users"] - 1])


CHANGES = [users_changed, users_changed, n_changed, first.weight_unit, first.eps_value, first.delta_value]
CHANGES += [first.enclosure, first.enclosure, first.pair_changed, first.symmetry_changed, first.reorder, first.twin_row]


def test_seeds_are_true():
    for said in seeds():
        assert verdicts(dump(said).encode()) == ("true", "accepted"), said


def test_mutants_get_the_judges_verdict():
    rng, trees, seen = random.Random(7), seeds(), Counter()
    for _, data in islice(iter(lambda: first.mutant(rng, trees, CHANGES), None), 300):
        verdict, status = verdicts(data)
        assert STATUS.get(verdict, status) == status, data
        seen[verdict] += 1
    assert min(seen[verdict] for verdict in STATUS) >= 30, seen


def end_of(rows, others, start, end, eps, weights, off=0):
    """A threshold of delta = 0: that all users' weighted sums are the largest, or so many below."""
    claim = claim_of(rows, "shuffled", 1 + sum(others.values()), eps, 0)
    most = {x: max(sum(weights.get(m, 0) for m in sent) for sent in row) for x, row in rows.items()}
    above = max(most[start], most[end]) + sum(most[x] * count for x, count in others.items()) - 1 - off
    threshold = {"weights": {m: str(w) for m, w in weights.items()}, "above": str(above)}
    evidence = {"pair": {"from": start, "to": end, "others": others}, "threshold": threshold}
    top = {"format": "shufflecert certificate", "version": 7, "claim": claim, "verdict": "REFUTED"}
    return json.dumps(top | {"evidence": evidence}).encode()


def test_ends_get_the_judges_verdict():
    """Beside the end itself also the events next to it, which are decided as any threshold is."""
    rng, seen = random.Random("ends"), Counter()
    for _ in range(200):
        rows = table(rng)
        start, end = rng.sample(list(rows), 2)
        others = {x: count for x in rows if (count := rng.randint(0, 2))}
        weights = {"a": rng.choice([-1, 1, 3]), "b": rng.choice([-2, 0, 1])}
        eps, off = rng.choice(["0", "1/2", "log(2)", "log(3/2)", "3"]), rng.choice([-1, 0, 0, 0, 1])
        data = end_of(rows, others, start, end, eps, weights, off)
        verdict = judge(data)
        assert check(data).status == STATUS[verdict], data
        seen[verdict, off] += 1
    assert seen["true", 0] > 15 and seen["false", 0] > 15, seen


def test_an_end_decides_only_where_delta_is_0():
    rows = {"0": {("a",): 3 * HALF / 2, (): HALF / 2}, "1": {("a",): HALF / 2, (): 3 * HALF / 2}}
    said = json.loads(end_of(rows, {"0": 10**6}, "0", "1", "log(2)", {"a": 1}))
    assert check(json.dumps(said).encode()).status == "accepted"
    said["claim"]["delta"] = "1/1000"
    assert check(json.dumps(said).encode()).status == "rejected"


def decided(rows, n, eps):
    """The engine's verdict on delta = 0, without enumeration of n users; with a certificate that the kernel accepts."""
    found = certify(Randomizer.of(rows), n, eps, 0, effort=Effort(work=1, cover=3000))
    if found.certificate is not None:
        assert check(found.certificate_text().encode()).status == "accepted", found.certificate
        assert found.certificate["verdict"] == found.verdict
    return found


@pytest.mark.parametrize("number", [8, pytest.param(150, marks=pytest.mark.long)])
def test_the_engine_agrees_with_enumeration(number):
    rng, seen = random.Random("fewer users"), Counter()
    for _ in range(number):
        rows, n = table(rng), rng.randint(2, 5)
        truth = epsilon(Randomizer.of(rows), n, 0).eps
        if truth is None:
            found = decided(rows, n, 3)
            assert found.verdict != "PROVED"
        else:
            found = decided(rows, n, truth)
            assert found.verdict != "REFUTED"
            seen[found.verdict] += 1
            low = Fraction(truth.enclosure()[0]) * Fraction(999, 1000)
            found = decided(rows, n, low)
            assert found.verdict != "PROVED" or not low
        seen[found.verdict] += 1
    assert seen["PROVED"] > number / 5 and seen["REFUTED"] > number / 5, seen


@pytest.mark.parametrize("number", [4, pytest.param(300, marks=pytest.mark.long)])
def test_intervals_by_fewer_users_hold_what_enumeration_finds(number, monkeypatch):
    """Of tables that nothing else bounds well: two users stand for up to five."""
    monkeypatch.setattr(pure, "MOST_USERS", 2)
    rng, shown = random.Random("bounds"), Counter()
    for _ in range(number):
        of, n, eps = Randomizer.of(table(rng)), rng.randint(3, 4), Eps.of(rng.choice(["0", "1/10", "log(2)", "1"]))
        truth = Fraction(delta(of, n, eps).delta.enclosure(60)[0])
        found = delta(of, n, eps, effort=Effort(work=1))
        curve = profile_curve(of, n, [eps, Eps.of(2)], work=1)
        for value in (found.delta, curve.points[0][1]):
            assert value.low <= truth * (1 + TINY) and truth <= value.high * (1 + TINY), (of, n, eps)
        shown["delta"] += "upper bound" in found.scope.by
        shown["profile"] += "upper bound" in curve.scope.by
    assert min(shown[kind] for kind in ("delta", "profile")) > 0, shown


def test_eps_by_fewer_users_is_theirs():
    """Claim 20's randomizer at n = 10^9: the 64 users of whom all datasets are enumerated, to the printed digits."""
    found = epsilon(RGap(), 10**9, Fraction(1, 10**30))
    assert "upper bound: what 64 users have" in found.scope.by
    low, high = found.interval
    assert low == 0 and high == Fraction(epsilon(RGap(), 64, Fraction(1, 10**30)).eps.enclosure()[1])


@pytest.mark.parametrize("n", [pytest.param(10**4, marks=pytest.mark.long), 10**9])
def test_claim_20_needs_no_delta_at_its_own_eps(n):
    """BC Claim 20: (log(8/5), 0) from four users on."""
    found = delta(RGap(), n, "log(8/5)").delta
    assert (found.low, found.high) == (0, 0)
    curve = profile_curve(RGap(), n, [Eps.of(Fraction(1, 100)), Eps.of("log(8/5)"), Eps.of(1)])
    assert [value.high == 0 for _, value in curve.points] == [False, True, True]
    assert "upper bound: what 64 users have" in curve.scope.by


@pytest.mark.parametrize(("eps", "verdict", "version"), [("log(8/5)", "PROVED", 7), ("log(8/5 - 1e-9)", "REFUTED", 2)])
def test_claim_20_at_a_thousand_million_users(eps, verdict, version):
    """BC Claim 20: from four users on log(8/5) is enough; the end gives 2/5 against 1/4, log(8/5) at every n."""
    eps = eps if "e-9" not in eps else f"log({Fraction(8, 5) - Fraction(1, 10**9)})"
    found = certify(RGap(), 10**9, eps, 0)
    assert (found.verdict, found.certificate["version"]) == (verdict, version)
    assert check(found.certificate_text().encode()).status == "accepted"


# By hand: who sends a with probability 3/4 or 1/4, else b. Of one user no ratio is above 3; of two users with the other
# on 0, two a's have 9/16 against 3/16, and so delta(0) is 3/8.
RR = {x: {("a",): p, ("b",): 1 - p} for x, p in (("0", 3 * HALF / 2), ("1", HALF / 2))}
SWAP = {"inputs": {"0": "1", "1": "0"}, "messages": {}}


def of(n=10, eps="0", delta="3/8", users=2, others=None, ends=("0.375", "0.375"), symmetries=(), view="shuffled"):
    pair = {"from": "0", "to": "1", "others": {"0": 1} if others is None else others}
    worst = {"pair": pair, "delta": dict(zip(("lower", "upper"), ends, strict=True))}
    evidence = {"users": users, "symmetries": list(symmetries), "worst": worst}
    top = {"format": "shufflecert certificate", "version": 7, "claim": claim_of(RR, view, n, eps, delta)}
    return top | {"verdict": "PROVED", "evidence": {key: value for key, value in evidence.items() if value is not None}}


@pytest.mark.parametrize(
    ("said", "verdict"),
    [
        (of(), "true"),
        (of(10**15), "true"),
        (of(2), "true"),
        (of(10**15, "log(3)", "0", 1, {}, ("0", "0")), "true"),
        (of(10**15, "log(2)", "6/25", 1, {}, ("0.25", "0.25")), "false"),  # of one user 1/4, of so many far less
        (of(delta="1/3"), "false"),
        (of(ends=("0.376", "0.376")), "false"),
        (of(ends=("0.374", "0.3749")), "false"),
        (of(symmetries=[SWAP]), "false"),  # who exchanges the inputs has to exchange a and b
        (of(symmetries=[SWAP | {"messages": {"a": "b", "b": "a"}}]), "true"),
        (of(1), "malformed"),
        (of(10**15 + 1), "malformed"),
        (of(users=0), "malformed"),
        (of(users=11), "malformed"),
        (of(users=3), "malformed"),
        (of(users="2"), "malformed"),
        (of(users=True), "malformed"),
        (of(users=None), "malformed"),
        (of(view="preshuffle"), "malformed"),
        (of() | {"version": 1}, "malformed"),
        (of() | {"version": 3}, "malformed"),
        (of() | {"verdict": "REFUTED"}, "malformed"),
        (of() | {"evidence": {"cover": [None]}}, "malformed"),
        (of() | {"version": 8}, "malformed"),
    ],
)
def test_proofs_by_hand(said, verdict):
    data = json.dumps(said).encode()
    assert (judge(data), check(data).status) == (verdict, STATUS[verdict])


@pytest.mark.parametrize(("eps", "status"), [("log(29/10)", "accepted"), ("log(3)", "rejected"), ("11/10", "rejected")])
def test_the_end_of_many_by_hand(eps, status):
    """All send a: 3/4 against 1/4, times (3/4)^(n - 1), at n = 10^15."""
    data = end_of(RR, {"0": 10**15 - 1}, "0", "1", eps, {"a": 1})
    assert check(data).status == status
