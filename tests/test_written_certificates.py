"""What the engine writes about tables and systems: the kernel accepts it, and the judge finds the claim true.

The judge (tests/judge_of_claims.py) enumerates datasets and outcomes by the definitions; truths for tables are those
of the oracle, or of the enumeration of all datasets.
"""

import json
import random
from collections import Counter
from contextlib import suppress
from fractions import Fraction

import pytest

from shufflecert.protocols.r_gap import RGap
from shufflecert.protocols.rr import RR
from shufflecert.verify import kernel
from shufflecert.verify.bound import evidence as module
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.decide.worst_case import delta, epsilon
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import EVERYBODY, Presence, Randomizer
from shufflecert.verify.exact.rational import plain
from shufflecert.verify.reduce import pure
from shufflecert.verify.reduce.privacy_blanket import reach_of
from shufflecert.verify.reduce.reduction import worst_epsilon as epsilon_of
from shufflecert.verify.systems.catalogue import load, system
from shufflecert.verify.systems.population import populated
from tests import asked, oracle
from tests.asked import profile_curve
from tests.helpers import call, cases
from tests.judge_of_claims import Open, judge
from tests.presence_cases import decided, some_presence, some_table
from tests.random_tables import LINES as KINDS
from tests.random_tables import line_table, rank_three
from tests.random_tables import table as random_table
from tests.test_pure_epsilon import WHO
from tests.test_pure_epsilon import table as pure_table

F = Fraction
ONE, TINY = F(1), F(1, 10**50)
CROWDS = (EVERYBODY, *WHO)  # all are there, or some are absent, come and go, or are deleted


def said(found):
    """The kernel's status of a certificate, which the judge's verdict does not contradict where there is one."""
    data = found.certificate_text().encode()
    status = kernel.check(data).status
    with suppress(Open):
        assert judge(json.loads(data)) or status != "accepted"
    return status


def leaves(found):
    """The leaves of a proof's trees."""
    trees = [one["tree"] for one in found.certificate["because"]["pairs"] if "tree" in one]
    return [node for tree in trees for node in tree if not isinstance(node, list)]


# Tables ------------------------------------------------------------------------------------------------------------


def certified(system, n, eps, bound):
    """The engine's verdict on a claim, and what the kernel says of the certificate; without enumeration."""
    found = asked.decided(system, n, eps, bound, 30_000_000)
    if found.certificate is None:
        return found.verdict, ""
    if found.verdict == "PROVED":
        assert "each" not in leaves(found)
    return found.verdict, said(found)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.sampled(4)
def test_small_tables_are_certified_by_covers(kind):
    """Every dataset is enumerated for the truth: just above it a cover that the kernel accepts, just below an event."""
    for seed in range(cases(40, 3)):
        rows, n = line_table(seed, kind, 2 + seed % 2), 3 + seed % 5
        made = populated(Randomizer.of(rows), CROWDS[(seed + KINDS.index(kind)) % len(CROWDS)])
        truth = F(delta(made, n, "1/5").delta.enclosure(15)[1])
        above = max(min(truth * F(101, 100), ONE), F(1, 10**100))  # windows never show that delta is 0
        below = truth * F(99, 100)
        assert certified(made, n, "1/5", str(above)) == ("PROVED", "accepted"), (kind, seed)
        if truth > F(1, 10**6):
            assert certified(made, n, "1/5", str(below)) in (("REFUTED", "accepted"), ("UNDECIDED", "")), (kind, seed)


@pytest.mark.long
def test_a_table_with_gaps_at_ten_thousand_is_certified_for_a_stranger():
    """The kernel accepts, and rejects at an eps that is a tenth less."""
    rows = line_table(3, "gaps", 2)
    found = certify(Randomizer.of(rows), 10_000, "1/18", "1e-6")
    assert found.verdict == "PROVED" and set(leaves(found)) == {"corner"} and said(found) == "accepted"
    made = json.loads(found.certificate_text())
    made["claim"]["eps"] = "1/20"
    assert kernel.check(json.dumps(made).encode()).status == "rejected"
    assert certify(Randomizer.of(rows), 10_000, "1/20", "1e-6").verdict == "REFUTED"


def test_a_system_with_too_many_datasets_to_enumerate_again_is_certified_by_boxes(monkeypatch):
    """Binary randomized response is exact by a road of its own, which no certificate has."""
    monkeypatch.setattr(module, "MOST_DATASETS", 100)
    above = F(delta(RR(F(1, 3)), 3000, "1/15").delta.enclosure(6)[1]) * F(11, 10)
    found = certify(RR(F(1, 3)), 3000, "1/15", str(above))
    assert found.verdict == "PROVED" and "each" not in leaves(found) and said(found) == "accepted"


def test_what_a_check_has_no_time_for_is_not_begun(capsys, tmp_path, monkeypatch):
    """The upper end of randomized response was checked three times for half a minute before boxes were written."""
    seen, check = [], kernel.check

    def recorded(data):
        seen.append(json.loads(data))
        return check(data)

    monkeypatch.setattr(kernel, "check", recorded)
    monkeypatch.setattr(module, "MOST_EACH", 1000)
    at = tmp_path / "ends.json"
    assert call(capsys, "epsilon", "rr", "-p", "flip=1/4", "--n", 2050, "--delta", "1e-3", "-o", at)[0] == 0
    assert [made["verdict"] for made in json.loads(at.read_text())] == ["PROVED", "REFUTED"]
    assert all("each" not in str(made["because"]) for made in seen) and len(seen) == 2


@pytest.mark.parametrize("rows", [random_table(2, "one of three", 2), rank_three(1, 2)], ids=["three", "four"])
@pytest.mark.sampled(2)
def test_blocks_are_written_where_corners_and_the_blanket_are_not_enough(rows):
    randomizer, n, bound = Randomizer.of(rows), 1500, F(1, 10**5)
    low, high, _ = epsilon_of(reach_of(randomizer, n), bound)
    eps = F(int(10**5 * (low + 9 * high)), 10**6)  # too small for the blanket
    found = certify(randomizer, n, eps, bound)
    assert found.verdict == "PROVED" and said(found) == "accepted"
    assert any(isinstance(leaf, dict) and leaf["users"] for leaf in leaves(found))


def test_an_event_of_outcomes_that_hold_a_message_of_everybody():
    """Each user sends s, and a or b: sums of three users' outcomes are the outcomes that the event lists."""
    sends = {"0": (F(3, 4), F(1, 4)), "1": (F(1, 4), F(3, 4))}
    rows = {x: {("s", "a"): p, ("s", "b"): q} for x, (p, q) in sends.items()}
    expected = oracle.delta(rows, 3, F(1))
    found = certify(Randomizer.of(rows), 3, 0, expected * F(99, 100))
    assert found.verdict == "REFUTED" and "outcomes" in found.certificate["because"]["event"]
    assert said(found) == "accepted"


# Who is there ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("block", range(2))
def test_who_is_there_is_part_of_the_claim(block):
    """What is true is accepted, at the delta of the oracle and just below it, and says who is there."""
    for seed in range(40 * block, 40 * (block + 1)):
        rng = random.Random(10_000 + seed)
        rows, ours = some_table(rng)
        n = rng.randint(1, 3)
        who, theirs = some_presence(rng, rows, n)
        view, t = rng.choice(["shuffled", "local", "preshuffle"]), rng.choice([F(1), F(3)])
        expected = oracle.attended_delta(rows, who.honest if view == "shuffled" else 1, t, view, **theirs)
        for found in decided(rows, ours, who, n, t, view, expected):
            assert said(found) == "accepted", seed
            words = kernel.check(found.certificate_text().encode()).reason
            assert who.honest == n or f'"honest": {who.honest}' in words
            assert who.adjacency in words and (who.take_part == 1 or f'"take part": "{who.take_part}"' in words)


LARGE = [
    ("rr flip=1/3", 20, "1/2", {"adjacency": "add-remove", "honest": 15, "take_part": "1/3"}),
    ("krr k=3 gamma=1/2", 40, "1/2", {"adjacency": "deletion", "reference": "2", "honest": 30}),
    ("zsum p=1/2", 3000, "1/10", {"adjacency": "add-remove", "honest": 2000}),
    ("zsum p=1/10", 3000, "1/10", {"adjacency": "add-remove", "honest": 2000}),
    ("zsum p=1/10", 3000, "1/10", {"adjacency": "deletion", "reference": "1", "honest": 2000}),
    ("poisson lam=20", 12, "1/2", {"adjacency": "add-remove"}),
    ("negative_binomial r=3 p=4/5", 12, "1/2", {"adjacency": "add-remove", "honest": 8}),
    ("discrete_laplace q=1/2", 12, "1/2", {"adjacency": "add-remove"}),
]
LARGER = [
    ("rr flip=1/4", 300, "1/2", {"adjacency": "add-remove", "honest": 200, "take_part": "1/3"}),
    ("krr k=5 gamma=1/3", 300, "1/2", {"adjacency": "deletion", "reference": "3", "honest": 200}),
    ("krr k=5 gamma=1/3", 300, "1/2", {"adjacency": "deletion", "reference": {"0": "1/2", "1": "1/2"}}),
    ("krr k=3 gamma=1/3", 200, "1/2", {"honest": 150, "take_part": "1/2"}),
    ("hist d=3 p=1/2", 200, "1/2", {"adjacency": "deletion", "reference": "3", "honest": 150, "take_part": "1/2"}),
]


@pytest.mark.parametrize(
    ("name", "n", "eps", "who"), [*LARGE, *(pytest.param(*case, marks=pytest.mark.long) for case in LARGER)]
)
@pytest.mark.sampled(2)
def test_who_is_there_where_nothing_is_enumerated(name, n, eps, who):
    """A claim a little above, and one a little below, what was found."""
    name, *parameters = name.split()
    made = populated(load(name, parameters), Presence.of(**who))
    low, high = (F(end) for end in delta(made, n, eps, effort=Effort(work=1)).delta.enclosure())
    for bound, verdict in ((high * F(102, 100), "PROVED"), (low * F(98, 100), "REFUTED")):
        result = certify(made, n, eps, bound, effort=Effort(work=1))
        assert result.verdict == verdict, result.reason
        assert said(result) == "accepted"


# Thresholds --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "verdict"), [(20, "PROVED"), (11, "PROVED"), (10, "REFUTED")])
@pytest.mark.parametrize("adjacency", ["add-remove", "replace"])
def test_nebula(capsys, tmp_path, k, verdict, adjacency):
    file = tmp_path / "nebula.json"
    asks = ["-p", "p=0.105", "-p", f"k={k}", "--n", 10**6, "--eps", 1, "--delta", "1e-8", "--adjacency", adjacency]
    _, out, _ = call(capsys, "certify", "sample_and_threshold", *asks, "-o", file)
    assert out.startswith(f"{verdict}: ")
    found = kernel.check_file(file)
    assert found.status == "accepted" and f'"shown": {{"from": {k}}}' in found.reason
    made = json.loads(file.read_text())
    made["claim"]["delta"] = "1/1000000000000000"
    assert kernel.check(json.dumps(made).encode()).status == ("rejected" if verdict == "PROVED" else "accepted")


@pytest.mark.parametrize("adjacency", ["add-remove", "replace"])
def test_thresholds_of_many_sizes(adjacency):
    """Next to what the engine finds, both verdicts."""
    for p, k, n, eps in (
        ("1/10", 3, 12, "1/10"),
        ("1/10", 3, 12, "11/100"),
        ("1/2", 40, 10**9, "1"),
        ("1/3", 4, 3, "1"),
    ):
        found = populated(system("sample_and_threshold", p=p, k=k), Presence.of(adjacency))
        value = certify(found, n, eps, 1).worst.delta
        for bound, verdict in ((min(value.high * F(1001, 1000), ONE), "PROVED"), (value.low * F(999, 1000), "REFUTED")):
            if verdict == "REFUTED" and not bound:
                continue
            made = certify(found, n, eps, bound)
            if (adjacency, verdict, made.verdict) == ("replace", "PROVED", "UNDECIDED"):
                continue  # a certificate states less than the engine knows
            assert made.verdict == verdict and said(made) == "accepted", (p, k, n, eps, made.reason)


@pytest.mark.parametrize(("d", "n"), [(3, 40), (2, 50), (4, 150)])
@pytest.mark.sampled(3)
def test_columns_of_bits(d, n):
    """Boxes of datasets show the bound, and the worst dataset that no smaller one holds."""
    made = system("fragmented_rappor", d=d, flip="1/4")
    low, high = (F(end) for end in delta(made, n, "1", effort=Effort(work=1)).delta.enclosure())
    for bound, verdict in ((min(high * F(11, 10), ONE), "PROVED"), (low * F(99, 100), "REFUTED")):
        found = certify(made, n, "1", bound, effort=Effort(work=1))
        assert (found.verdict, said(found)) == (verdict, "accepted"), found.reason


# delta = 0, and fewer users ------------------------------------------------------------------------------------------


def pure_verdict(system, n, eps):
    """The engine's verdict on delta = 0, without enumeration of n users; with a certificate that the kernel accepts."""
    found = asked.decided(system, n, eps, 0, 3000)
    if found.certificate is not None:
        assert said(found) == "accepted" and found.certificate["verdict"] == found.verdict
    return found


@pytest.mark.parametrize("number", [8, pytest.param(150, marks=pytest.mark.long)])
def test_delta_0_agrees_with_enumeration(number):
    rng, seen = random.Random("fewer users"), Counter()
    for i in range(number):
        made, n = populated(Randomizer.of(pure_table(rng)), CROWDS[i % len(CROWDS)]), rng.randint(2, 5)
        truth = epsilon(made, n, 0).eps
        if truth is None:
            found = pure_verdict(made, n, 3)
            assert found.verdict != "PROVED"
        else:
            found = pure_verdict(made, n, truth)
            assert found.verdict != "REFUTED"
            seen[found.verdict] += 1
            low = F(truth.enclosure()[0]) * F(999, 1000)
            found = pure_verdict(made, n, low)
            assert found.verdict != "PROVED" or not low
        seen[found.verdict] += 1
    assert seen["PROVED"] > number / 5 and seen["REFUTED"] > number / 5, seen


@pytest.mark.parametrize("number", [2, pytest.param(300, marks=pytest.mark.long)])
def test_intervals_by_fewer_users_hold_what_enumeration_finds(number, monkeypatch):
    """Of tables that nothing else bounds well: two users stand for up to five."""
    monkeypatch.setattr(pure, "MOST_USERS", 2)
    rng, shown = random.Random("bounds"), Counter()
    for _ in range(number):
        of, n, eps = Randomizer.of(pure_table(rng)), rng.randint(3, 4), Eps.of(rng.choice(["0", "1/10", "log(2)", "1"]))
        truth = F(delta(of, n, eps).delta.enclosure(60)[0])
        found = delta(of, n, eps, effort=Effort(work=1))
        curve = profile_curve(of, n, [eps, Eps.of(2)], work=1)
        for value in (found.delta, curve.points[0][1]):
            assert value.low <= truth * (1 + TINY) and truth <= value.high * (1 + TINY), (of, n, eps)
        shown["delta"] += "upper bound" in found.scope.by
        shown["profile"] += "upper bound" in curve.scope.by
    assert min(shown[kind] for kind in ("delta", "profile")) > 0, shown


@pytest.mark.parametrize("who", [{}, {"adjacency": "add-remove"}, {"take_part": F(1, 3)}])
def test_others_who_are_alike_are_one_class_of_a_proof(who):
    """Inputs that send the same: where each had a cut of its own, check rejected the proof by fewer users."""
    row = {("a",): F(1, 4), ("b",): F(1, 8), (): F(5, 8)}
    rows = {"0": row, "1": row, "2": {("a",): F(1, 8), ("b",): F(1, 2), (): F(3, 8)}}
    truth = oracle.attended_delta(rows, 4, F(2), **who)
    found = certify(populated(Randomizer.of(rows), Presence.of(**who)), 4, "log(2)", truth, effort=Effort(work=1))
    assert (found.verdict, said(found)) == ("PROVED", "accepted")


def test_eps_by_fewer_users_is_theirs():
    """Claim 20's randomizer at n = 10^9: the 64 users of whom all datasets are enumerated, to the printed digits."""
    found = epsilon(RGap(), 10**9, F(1, 10**30))
    assert "upper bound: what 64 users have" in found.scope.by
    low, high = found.interval
    assert low == 0 and high == F(epsilon(RGap(), 64, F(1, 10**30)).eps.enclosure()[1])


@pytest.mark.parametrize("n", [pytest.param(10**4, marks=pytest.mark.long), 10**9])
def test_claim_20_needs_no_delta_at_its_own_eps(n):
    """BC Claim 20: (log(8/5), 0) from four users on."""
    found = delta(RGap(), n, "log(8/5)").delta
    assert (found.low, found.high) == (0, 0)
    curve = profile_curve(RGap(), n, [Eps.of(F(1, 100)), Eps.of("log(8/5)"), Eps.of(1)])
    assert [value.high == 0 for _, value in curve.points] == [False, True, True]
    assert "upper bound: what 64 users have" in curve.scope.by


@pytest.mark.parametrize(("ratio", "verdict"), [(F(8, 5), "PROVED"), (F(8, 5) - F(1, 10**9), "REFUTED")])
def test_claim_20_at_a_thousand_million_users(ratio, verdict):
    """BC Claim 20: from four users on log(8/5) is enough; the end gives 2/5 against 1/4, log(8/5) at every n."""
    found = certify(RGap(), 10**9, f"log({ratio})", 0)
    assert (found.verdict, said(found)) == (verdict, "accepted")


@pytest.mark.parametrize(("eps", "verdict"), [("log(3)", "PROVED"), ("2", "PROVED"), ("log(2999/1000)", "REFUTED")])
def test_delta_0_of_more_users_than_check_enumerates(eps, verdict, capsys, tmp_path):
    """It was UNDECIDED: check had no time for all datasets. A user alone needs log(3), 3/16 against 1/16; all of 512
    users send three zeros three times as likely with this one on 0, the others on either, as with him on 1."""
    table, written = "examples/three_bits.toml", tmp_path / "certificate.json"
    code, out, _ = call(capsys, "certify", table, "--n", "512", "--eps", eps, "--delta", "0", "-o", written)
    assert out.startswith(f"{verdict}: ") and code == (verdict == "REFUTED")
    data = written.read_bytes()
    assert json.loads(data)["verdict"] == verdict and kernel.check(data).status == "accepted"


def test_both_ends_of_eps_at_delta_0_have_certificates(capsys, tmp_path):
    written = tmp_path / "certificate.json"
    asked = ["epsilon", "examples/three_bits.toml", "--n", "512", "--delta", "0", "-o", written]
    assert call(capsys, *asked)[0] == 0
    made = json.loads(written.read_text())
    assert [one["verdict"] for one in made] == ["PROVED", "REFUTED"]
    assert all(kernel.check(json.dumps(one).encode()).status == "accepted" for one in made)


@pytest.mark.parametrize(
    "n", [10**5, pytest.param(10**6, marks=pytest.mark.long)], ids=["too much work", "too much memory"]
)
def test_the_upper_end_of_a_faint_delta_is_certified_with_fewer_zeros(n, capsys, tmp_path):
    """There was no end: each of six closer claims took as long as the last, and none was accepted."""
    written = tmp_path / "certificate.json"
    asked = ["delta", "rr", "-p", "flip=1/4", "--n", n, "--eps", "1/20", "--json", "-o", written]
    code, out, _ = call(capsys, *asked)
    found, made = json.loads(out)["delta"], json.loads(written.read_text())
    assert code == 0 and [one["verdict"] for one in made] == ["PROVED", "REFUTED"]
    least, most = (F(one["claim"]["delta"]) for one in made[::-1])
    assert least <= F(found["lower"]) <= F(found["upper"]) <= most < F(1, 10**40)
    assert all(kernel.check(json.dumps(one).encode()).status == "accepted" for one in made)


# By hand: who sends a with probability 3/4 or 1/4, else b; all users send a, so 3/4 against 1/4, times (3/4)^(n - 1).
END = {x: {("a",): p, ("b",): 1 - p} for x, p in (("0", F(3, 4)), ("1", F(1, 4)))}


@pytest.mark.parametrize(("eps", "status"), [("log(29/10)", "accepted"), ("log(3)", "rejected"), ("11/10", "rejected")])
def test_the_end_of_many_by_hand(eps, status):
    from shufflecert.verify import certificate as writing

    seen = writing.rows(Randomizer.of(END).to_json(), 10**15)
    pair = writing.neighbours("0", "1", {"0": 10**15 - 1})
    claim = writing.claim([(seen, 1)], "replace", eps, F(0))
    made = writing.certificate(claim, "REFUTED", writing.event(pair, {"a": 1}, 10**15 - 1))
    assert kernel.check(json.dumps(made).encode()).status == status


# A certificate that the kernel leaves undecided with its default limits was written: `check` did not accept it.
# Whatever a command writes, `check` accepts with its defaults. Where it does not, nothing is written.


TABLE = """
[[rows]]
input = "0"
outputs = [{send = ["c", "c"], p = "1/50"}, {send = ["c", "b"], p = "49/50"}]
[[rows]]
input = "1"
outputs = [{send = ["b", "c", "c"], p = "1/50"}, {send = ["b", "c", "b"], p = "49/50"}]
[[rows]]
input = "2"
outputs = [{send = ["c", "c"], p = "1/50"}, {send = ["b", "c"], p = "49/50"}]
"""
ASKED = ["--n", "3", "--adjacency", "deletion", "--reference", "0=1/2,1=1/6,2=1/3", "--eps", "1/2"]
DELTA = "333/400"
TOO_MUCH = "too much work: more than 100 steps, allow more with --max-work"


@pytest.mark.parametrize("steps, accepted", [(100, False), (kernel.MAX_WORK, True)], ids=["few steps", "default"])
@pytest.mark.parametrize("more", [["--max-work", "1"], []], ids=["an event", "enumerated"])
def test_what_check_does_not_accept_is_not_written(more, steps, accepted, tmp_path, capsys, monkeypatch):
    """With --max-work 1 an event refutes the claim, else enumeration; the kernel's default is made to be too little."""
    monkeypatch.setattr(kernel.check, "__defaults__", (kernel.MAX_BITS, steps))
    table, written = tmp_path / "table.toml", tmp_path / "certificate.json"
    table.write_text(TABLE)
    code, out, err = call(capsys, "certify", table, *ASKED, "--delta", DELTA, *more, "-o", written)
    assert err == "" and written.exists() == accepted
    if accepted:
        assert code == 1 and kernel.check(written.read_bytes()).status == "accepted"
    else:
        assert code == 3
        assert out.startswith(f"UNDECIDED: REFUTED, but check finds its certificate undecided: {TOO_MUCH}\n")


@pytest.mark.parametrize("delta, verdict, side", [("1/8", "PROVED", "proved"), ("1/4", "REFUTED", "refuted")])
def test_the_nearest_claim_that_is_decided_is_named(delta, verdict, side, tmp_path, capsys, monkeypatch):
    """The kernel's answer is put in its place: it accepts no promise of the delta that is asked for, or a near one."""
    real, bound = kernel.check, Fraction(delta)

    def check(data, *limits):
        near = bound / 2 <= kernel_delta(data) <= bound * Fraction(3, 2)
        return kernel.Verdict("undecided", TOO_MUCH) if near else real(data, *limits)

    monkeypatch.setattr(kernel, "check", check)
    written = tmp_path / "certificate.json"
    asked = ["rr", "-p", "flip=1/4", "--n", "2", "--eps", "0" if verdict == "REFUTED" else "5", "--json"]
    code, out, _ = call(capsys, "certify", *asked, "--delta", str(bound), "-o", written)
    answer = json.loads(out)
    assert code == 3 and not written.exists() and answer["verdict"] == "UNDECIDED" and answer["certificate"] is None
    assert verdict in answer["reason"] and TOO_MUCH in answer["reason"]
    near = Fraction(answer["nearest"][side]["delta"])
    assert near > bound if verdict == "PROVED" else near < bound
    code, *_ = call(capsys, "certify", *asked, "--delta", str(near), "-o", written)
    assert code == (0 if verdict == "PROVED" else 1) and real(written.read_bytes()).status == "accepted"


def test_where_no_delta_beside_it_has_a_certificate_that_is_said(tmp_path, capsys, monkeypatch):
    """Of `correlated --paper` the laws take too much memory at any delta: rounder numbers, it said, need less."""
    monkeypatch.setattr(kernel, "check", lambda *_, **__: kernel.Verdict("undecided", TOO_MUCH))
    asked = ["certify", "rr", "-p", "flip=1/4", "--n", "2", "--eps", "5", "--delta", "1/8"]
    code, out, _ = call(capsys, *asked, "-o", tmp_path / "certificate.json")
    assert code == 3 and "no delta beside it has one either (0.126, 0.15, 0.25 were tried)" in out
    assert "without a file the verdict is given" in out
    assert call(capsys, *asked)[1].startswith("PROVED: ")


@pytest.mark.parametrize("given, chosen", [(("--delta", "1/10"), "eps"), (("--eps", "1/2"), "delta")])
def test_what_nobody_asked_for_gives_way_to_a_certificate(given, chosen, tmp_path, capsys, monkeypatch):
    """The kernel is made to refuse the least of three digits: it was UNDECIDED. A thousandth more is tried first, and
    what is written is checked by the real kernel."""
    asked = ["certify", "rr", "-p", "flip=1/4", "--n", "3", *given]
    written, real = tmp_path / "certificate.json", kernel.check
    least = Fraction(json.loads(call(capsys, *asked, "--json")[1])["claim"][chosen])

    def check(data, *limits):
        refused = Fraction(json.loads(data)["claim"][chosen]) == least
        return kernel.Verdict("undecided", TOO_MUCH) if refused else real(data, *limits)

    monkeypatch.setattr(kernel, "check", check)
    code, out, err = call(capsys, *asked, "-o", written)
    said = json.loads(written.read_text())["claim"]
    more = Fraction(said[chosen]) - least * Fraction(1001, 1000)
    assert (code, err) == (0, "") and 0 <= more < least / 100 and said["neighbours"] == "replace"
    assert real(written.read_bytes()).status == "accepted" and out.startswith("PROVED: ")
    assert f"the least of a few that were tried with a certificate; {plain(least)}: PROVED, but check" in out
    looked = []
    monkeypatch.setattr(kernel, "check", lambda data, *_: looked.append(data) or kernel.Verdict("undecided", TOO_MUCH))
    assert call(capsys, *asked, "-o", written, "--force")[0] == 3
    claims = [json.loads(data)["claim"] for data in looked]
    assert len({(one["eps"], one["delta"]) for one in claims}) == len(claims)  # each is asked once


@pytest.mark.parametrize("command", ["certify", "epsilon"])
@pytest.mark.parametrize("part", ["3/2", "11/10"])
def test_a_larger_eps_is_written_where_no_certificate_shows_the_least(command, part, tmp_path, capsys, monkeypatch):
    """The kernel is made to refuse all eps up to some: what is written is within a twentieth of the largest of these,
    and three digits. Of an eps of `epsilon` there was none beyond a tenth more."""
    asked, written, real = ["rr", "-p", "flip=1/4", "--n", "3", "--delta", "1/10"], tmp_path / "a.json", kernel.check
    least = Fraction(json.loads(call(capsys, "certify", *asked, "--json")[1])["claim"]["eps"]) * Fraction(part)

    def check(data, *limits):
        claim = json.loads(data)
        too_much = claim["verdict"] == "PROVED" and Fraction(claim["claim"]["eps"]) <= least
        return kernel.Verdict("undecided", TOO_MUCH) if too_much else real(data, *limits)

    monkeypatch.setattr(kernel, "check", check)
    code, _, err = call(capsys, command, *asked, "-o", written)
    made = json.loads(written.read_text())
    (proved,) = [one for one in (made if isinstance(made, list) else [made]) if one["verdict"] == "PROVED"]
    assert (code, err) == (0, "") and least < Fraction(proved["claim"]["eps"]) <= least * Fraction(107, 100)


def kernel_delta(data):
    return Fraction(json.loads(data)["claim"]["delta"])


@pytest.mark.long
@pytest.mark.parametrize(
    "asked, eps",
    [
        (["--n", 10_000, "--delta", "1e-6"], "0.0399"),
        (["--n", 1_000_000, "--delta", "1.5e-6", "--eps", "0.0032"], "0.0032"),
        (["--n", 1_000_000, "--delta", "1e-6"], "0.00324"),
    ],
    ids=str,
)
def test_response_of_many_users_is_certified_by_boxes(asked, eps, tmp_path, capsys):
    """All 10^4 datasets of the others, one by one, are more than check does by default, and of 10^6 so were blocks of a
    few users; the least eps then, 0.0032, has more boxes than check has time for."""
    written = tmp_path / "rr.json"
    code, out, err = call(capsys, "certify", "rr", "-p", "flip=1/4", *asked, "-o", written)
    assert code == 0 and err == "" and out.startswith(f"PROVED: delta({eps}) = [")
    assert kernel.check(written.read_bytes()).status == "accepted"


def _few_steps(monkeypatch, steps):
    """The kernel's default limit is made to be so many steps."""
    monkeypatch.setattr(kernel.check, "__defaults__", (kernel.MAX_BITS, steps))


def test_without_a_file_a_line_says_that_check_would_not_accept(capsys, monkeypatch):
    """It said "add -o cert.json", and with -o the same promise was UNDECIDED."""
    asked = ["certify", "rr", "-p", "flip=1/4", "--n", "3", "--eps", "1", "--delta", "1/3"]
    code, out, _ = call(capsys, *asked)
    assert code == 0 and out.startswith("PROVED") and "add -o cert.json" in out
    _few_steps(monkeypatch, 10)
    code, out, _ = call(capsys, *asked)
    assert code == 0 and out.startswith("PROVED")
    assert "  no certificate written: check finds its certificate undecided: too much work" in out
    assert "too much work" in json.loads(call(capsys, *asked, "--json")[1])["reason"]


def test_a_calibrated_value_whose_certificate_is_not_accepted_is_undecided(tmp_path, capsys, monkeypatch):
    """It ended with status 0 beside a line "certificate (PROVED): none"."""
    written, asked = tmp_path / "a.json", ["calibrate", "rr", "--n", "3", "--eps", "1", "--delta", "1/10"]
    assert call(capsys, *asked, "-o", written)[0] == 0 and written.exists()
    written.unlink()
    real, promise = kernel.check, Fraction(1, 10)

    def check(data, *limits):
        return kernel.Verdict("undecided", TOO_MUCH) if kernel_delta(data) == promise else real(data, *limits)

    monkeypatch.setattr(kernel, "check", check)
    code, out, _ = call(capsys, *asked, "-o", written, "--force")
    assert code == 3 and not written.exists()
    assert out.startswith("UNDECIDED: PROVED at flip = ") and TOO_MUCH in out
    assert "  decided nearby: PROVED: delta(1) <= 0.101\n" in out
    answer = json.loads(call(capsys, *asked, "-o", written, "--force", "--json")[1])
    assert answer["undecided"]["nearest"]["proved"] == {"eps": "1", "delta": "101/1000"}
    assert answer["certificates"][0]["certificate"] is None and TOO_MUCH in answer["undecided"]["reason"]
    assert call(capsys, *asked)[0] == 0  # no certificate was asked for
