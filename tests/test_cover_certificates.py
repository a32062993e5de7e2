"""Certificates of covers: the kernel against the judge, the engine's own at any n, and forgeries by hand.

The judge walks every composition down the tree (tests/judge_cover.py); verdicts by hand come from
verify/CERTIFICATE.md.
"""

import json
import random
from collections import Counter
from fractions import Fraction

import pytest

from tests import cover_mutants, judge_scale
from tests.certificate_mutants import shrink
from tests.certificate_seeds import dump
from tests.judge import judge
from tests.kernel_battery import alone
from tests.random_tables import LINES as KINDS
from tests.random_tables import line_table as table
from tests.test_certificate_mutants import kernel, verdicts
from verify.bound.question import Effort
from verify.decide.certify import certify
from verify.decide.worst_case import delta as worst_delta
from verify.exact.randomizer import Randomizer
from verify.kernel import check

STATUS = {"true": ("accepted", "undecided"), "false": ("rejected", "undecided"), "malformed": ("malformed",)}


def compare(seed, number):
    """The kernel agrees with the judge on mutants, of which enough are true, false and malformed: counts by change."""
    mix, left, changes = Counter(), Counter(), {}
    for done, data in cover_mutants.mutants(seed, number):
        verdict, status = verdicts(data)
        if status not in STATUS.get(verdict, ("accepted", "rejected", "undecided")):
            small = shrink(data, verdicts).decode(errors="replace")
            pytest.fail(f"judge {verdict}, kernel {status} after {done}:\n{small}")
        mix[verdict] += 1
        left["blanket" if b'"blanket"' in data else "cover"] += status == "undecided"
        for name in done:
            changes.setdefault(name, Counter())[verdict] += 1
    assert min(mix[verdict] for verdict in STATUS) >= number / 8, mix
    assert mix["too big"] <= 0.05 * number and left["cover"] <= 0.02 * number, (mix, left)
    return changes


def test_seeds_are_true():
    for said in cover_mutants.seeds():
        data = dump(said).encode()
        assert verdicts(data) == ("true", "accepted"), data


def test_three_hundred_mutants():
    changes = compare(1, 300)
    for name in ("most_moved", "label_changed", "boxes_merged", "sides_exchanged", "node_changed"):
        assert changes[name]["false"] + changes[name]["malformed"], name


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2, 12))
def test_thousands_of_mutants(seed):
    compare(seed, 2000)


def test_a_judge_of_less_is_shown_by_the_mutants(monkeypatch):
    """Planted: one direction only, the last pairs of a corner forgotten."""
    good = judge_scale.judge_cover.corner_parts
    cases = [(data, kernel(data), judge(data)) for _, data in cover_mutants.mutants(5, 150)]

    def one_direction(s):
        return good(s)[::2]

    def the_last_forgotten(s):
        return good(s)[:-2] if len(good(s)) > 2 else good(s)

    for planted in (one_direction, the_last_forgotten):
        monkeypatch.setattr(judge_scale.judge_cover, "corner_parts", planted)
        assert any(judge(data) == "true" and verdict == "false" for data, _, verdict in cases)


# By hand -----------------------------------------------------------------------------------------------------------

HALF, ONE = Fraction(1, 2), Fraction(1)
FEW, SOME = Fraction(1, 4), Fraction(3, 4)
GAP = {"x": {(): SOME, ("a",): FEW}, "y": {(): FEW, ("a",): FEW, ("a", "a", "a"): HALF}}


def of(nodes, delta, rows=GAP, n=5, eps="1/2"):
    claim = cover_mutants.claim_of(rows, "shuffled", n, eps, delta)
    return cover_mutants.certificate(claim, "PROVED", {"cover": nodes}, version=3)


def status(said):
    return check(json.dumps(said).encode()).status


ALL = [["x", 0], None, ["x", 1], None, ["x", 2], None, ["x", 3], None, None]  # every composition of 4 others is a box
NEEDED = cover_mutants.least(of(ALL, 1))


def test_the_least_delta_is_that_of_the_worst_dataset():
    """With every composition its own box the cover is exact: the engine's enumeration, to 12 digits."""
    exact = worst_delta(Randomizer.of(GAP), 5, "1/2").delta
    assert exact.minus(Fraction(NEEDED)).sign() <= 0 < exact.minus(Fraction(NEEDED) * Fraction(999_999, 10**6)).sign()
    assert status(of(ALL, NEEDED)) == "accepted"
    assert status(of(ALL, Fraction(NEEDED) - Fraction(1, 10**11))) == "rejected"


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([None], "rejected"),
        ([["x", 3], ["x", 0], None, ["x", 1], None, ["x", 2], None, None, None], "accepted"),
        ([["y", 0], None, ["y", 1], None, ["y", 2], None, ["y", 3], None, None], "accepted"),
        ([["x", 10**15], *ALL, None], "accepted"),
        ([["x", 0], ["y", 2], None, None, *ALL[2:]], "accepted"),
        ([["x", 0], None, ["x", 0], None, *ALL[2:]], "accepted"),
        (ALL[:-1], "malformed"),
        (ALL[:2] + ALL[3:], "malformed"),
        ([*ALL, None], "malformed"),
        ([], "malformed"),
        ([["x", 0], None], "malformed"),
        ([["z", 0], None, None], "malformed"),
        ([["x", -1], None, None], "malformed"),
        ([["x", 10**15 + 1], None, None], "malformed"),
        ([["x", True], None, None], "malformed"),
        ([["x", "0"], None, None], "malformed"),
        ([["x"], None, None], "malformed"),
        ([["x", 0, 1], None, None], "malformed"),
        ([{"x": 0}, None, None], "malformed"),
        ([0], "malformed"),
        ([False], "malformed"),
        ({"x": 0}, "malformed"),
        (None, "malformed"),
    ],
)
def test_trees_by_hand(nodes, expected):
    said = of(nodes, NEEDED)
    verdict = {"accepted": "true", "rejected": "false", "malformed": "malformed"}[expected]
    assert (status(said), judge(json.dumps(said).encode())) == (expected, verdict)


def test_forgeries_of_the_engines_own():
    """An altered cut, boxes that become one, sides in the other order, classes exchanged: those that need them fail."""
    rows = table(3, "gaps", 2)
    exact = worst_delta(Randomizer.of(rows), 30, "1/4").delta
    said = of([None], 1, rows, 30, "1/4")
    bound = Fraction(exact.enclosure(12)[1]) * Fraction(1002, 1000)
    from verify.bound.shown import Shown
    from verify.exact.epsilon import Eps

    said["evidence"] = json.loads(json.dumps(Shown(Randomizer.of(rows), 30).trees(Eps.of("1/4"), bound)))
    said["claim"]["delta"] = str(bound)
    assert status(said) == "accepted" and len(said["evidence"]["cover"]) > 5
    rng, seen = random.Random(1), Counter()
    changes = ("most_moved", "boxes_merged", "sides_exchanged", "label_changed", "node_changed")
    for name in changes * 40:
        forged = json.loads(json.dumps(said))
        getattr(cover_mutants, name)(rng, forged)
        seen[name, status(forged)] += 1
    for name in changes:
        assert seen[name, "rejected"] + seen[name, "malformed"] >= 20, seen
        assert not seen[name, "undecided"]


def test_one_input_and_equal_rows():
    assert status(of([None], 0, {"x": GAP["x"]}, 10**15)) == "accepted"
    assert status(of([["x", 3], None, None], 0, {"x": GAP["x"], "y": GAP["x"]}, 9)) == "accepted"


def test_numbers_that_are_too_large_are_refused():
    many = of([["x", 10**6], *[["x", 5]] * 3000, *[None] * 3002], "1/100", n=10**6)
    assert check(json.dumps(many).encode(), max_work=10**5).status == "undecided"


# The engine's own --------------------------------------------------------------------------------------------------


def certified(rows, n, eps, delta):
    """The engine's verdict on a claim, the form of its evidence, and what the kernel says of the certificate."""
    found = certify(Randomizer.of(rows), n, eps, delta, effort=Effort(work=1, cover=30_000_000))
    if found.certificate is None:
        return found.verdict, "", ""
    return found.verdict, next(iter(found.certificate["evidence"])), check(found.certificate_text().encode()).status


@pytest.mark.parametrize("kind", KINDS)
def test_small_tables_are_certified_on_this_road(kind):
    """Every dataset is enumerated for the truth: just above it a cover that the kernel and judge accept, just below an
    event."""
    for seed in range(4):
        rows, n = table(seed, kind, 2 + seed % 2), 3 + seed
        exact = worst_delta(Randomizer.of(rows), n, "1/5").delta
        truth = Fraction(exact.enclosure(15)[1])
        above, below = min(truth * Fraction(101, 100), ONE), truth * Fraction(99, 100)
        verdict, form, said = certified(rows, n, "1/5", str(above))
        assert (verdict, said) == ("PROVED", "accepted") and form in ("cover", "blanket"), (kind, seed)
        if truth > Fraction(1, 10**6):
            verdict, _, said = certified(rows, n, "1/5", str(below))
            assert (verdict, said) in (("REFUTED", "accepted"), ("UNDECIDED", "")), (kind, seed)


def test_a_table_with_gaps_at_ten_thousand_is_certified_for_a_stranger(tmp_path):
    """The kernel alone accepts, and rejects at an eps that is a tenth less."""
    rows = table(3, "gaps", 2)
    found = certify(Randomizer.of(rows), 10_000, "1/18", "1e-6")
    assert found.verdict == "PROVED" and "cover" in found.certificate["evidence"]
    file = tmp_path / "gaps.json"
    file.write_text(found.certificate_text())
    done = alone(str(file))
    assert done.returncode == 0 and "boxes, which hold 20000 pairs" in done.stdout, done.stdout
    said = json.loads(file.read_text())
    said["claim"]["eps"] = "1/20"
    assert status(said) == "rejected"
    assert certify(Randomizer.of(rows), 10_000, "1/20", "1e-6").verdict == "REFUTED"


@pytest.mark.long
@pytest.mark.parametrize("kind", KINDS)
def test_hundreds_of_small_tables_are_certified_on_this_road(kind):
    for seed in range(300):
        rows, n = table(seed, kind, 2 + seed % 2), 2 + seed % 6
        exact = worst_delta(Randomizer.of(rows), n, "1/5").delta
        above = min(Fraction(exact.enclosure(15)[1]) * Fraction(101, 100), ONE)
        above = max(above, Fraction(1, 10**100))  # windows never show that delta is 0
        assert certified(rows, n, "1/5", str(above)) == ("PROVED", "cover", "accepted"), (kind, seed)


def test_a_system_with_too_many_datasets_to_enumerate_again_is_certified_by_boxes(monkeypatch):
    """Binary randomized response is exact by a road of its own, which no certificate has."""
    from protocols.rr import RR
    from verify.decide import certify as module

    monkeypatch.setattr(module, "MOST_DATASETS", 100)
    exact = worst_delta(RR(Fraction(1, 3)), 3000, "1/15").delta
    above = Fraction(exact.enclosure(6)[1]) * Fraction(11, 10)
    found = certify(RR(Fraction(1, 3)), 3000, "1/15", str(above))
    assert found.verdict == "PROVED" and "cover" in found.certificate["evidence"]
    assert check(found.certificate_text().encode()).status == "accepted"
