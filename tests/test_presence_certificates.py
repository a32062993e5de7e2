"""Certificates that say who is there: each is accepted, and none that says anything else."""

import json
import random
from fractions import Fraction

import pytest

from tests import oracle
from tests.judge import judge
from tests.presence_cases import decided, some_presence, some_table, tampered
from verify import kernel
from verify.bound.question import Effort
from verify.decide.certify import certify
from verify.decide.worst_case import delta
from verify.exact.randomizer import Presence, Randomizer
from verify.systems.load import load
from verify.systems.population import populated


def check(tree):
    """The kernel's verdict, which the judge's does not contradict."""
    data = json.dumps(tree).encode()
    found, judged = kernel.check(data), judge(data)
    agree = {"accepted": {"true"}, "rejected": {"false"}, "malformed": {"malformed"}, "undecided": {"true", "false"}}
    assert judged in agree[found.status] | {"too big", "undecided"}, (found, judged)
    return found


@pytest.mark.parametrize("block", range(2))
def test_certificates(block):
    """The kernel accepts what is true, and nothing that was changed without the rest."""
    for seed in range(40 * block, 40 * (block + 1)):
        rng = random.Random(10_000 + seed)
        rows, ours = some_table(rng)
        n = rng.randint(1, 3)
        who, theirs = some_presence(rng, rows, n)
        view, t = rng.choice(["shuffled", "local", "preshuffle"]), rng.choice([Fraction(1), Fraction(3)])
        expected = oracle.attended_delta(rows, who.honest if view == "shuffled" else 1, t, view, **theirs)
        for found in decided(rows, ours, who, n, t, view, expected):
            tree = json.loads(found.certificate_text())
            assert tree["version"] == 4
            status, words = check(tree)
            assert (status, judge(json.dumps(tree).encode())) == ("accepted", "true"), (seed, words)
            assert f"honest = {who.honest}" in words
            assert f"adjacency = {who.adjacency}" in words
            for change in tampered(tree, who, view):
                if tree["evidence"].get("worst", 1) is None and change.keys() & {"adjacency", "n"}:
                    continue  # one input and no pairs: true for any number of users
                assert check(tree | {"claim": tree["claim"] | change})[0] == "malformed", (seed, change)
            assert check(tree | {"version": 2})[0] == "malformed"


def test_certificates_state_what_they_say():
    """Changed numbers that are well formed: rejected, by what the oracle says of the changed claim."""
    rows = {"x": {("a",): Fraction(1, 2), (): Fraction(1, 2)}, "y": {("a",): Fraction(1)}}
    ours, t = Randomizer.of(rows), Fraction(9, 8)

    def worst(h, **theirs):
        return oracle.attended_delta(rows, h, t, **theirs)

    for theirs in (
        {"adjacency": "add-remove", "take_part": Fraction(1, 2)},
        {"adjacency": "deletion", "reference": {"x": Fraction(1, 2), "y": Fraction(1, 2)}, "take_part": Fraction(1, 2)},
        {"adjacency": "replace", "take_part": Fraction(1, 2)},
    ):
        at = worst(2, **theirs)
        assert at != worst(2, **theirs | {"take_part": Fraction(3, 4)})
        who = Presence.of(theirs["adjacency"], theirs.get("reference"), 2, theirs["take_part"])
        for found in decided(rows, ours, who, 3, t, "shuffled", at):
            tree = json.loads(found.certificate_text())
            higher = worst(2, **theirs | {"take_part": Fraction(3, 4)}) > at
            changed = check(tree | {"claim": tree["claim"] | {"take part": "3/4"}})
            assert changed.status == ("rejected" if higher == (found.verdict == "PROVED") else changed.status)
            if found.verdict == "PROVED":
                assert changed.status == "rejected"


LARGE = [
    ("rr flip=1/3", 40, "1/2", {"adjacency": "add-remove", "honest": 30, "take_part": "1/3"}),
    ("krr k=3 gamma=1/2", 40, "1/2", {"adjacency": "deletion", "reference": "2", "honest": 30}),
    ("zsum p=1/2", 3000, "1/10", {"adjacency": "add-remove", "honest": 2000}),
    ("zsum p=1/10", 3000, "1/10", {"adjacency": "add-remove", "honest": 2000}),
    ("zsum p=1/10", 3000, "1/10", {"adjacency": "deletion", "reference": "1", "honest": 2000}),
]
LARGER = [
    ("rr flip=1/4", 300, "1/2", {"adjacency": "add-remove", "honest": 200, "take_part": "1/3"}),
    ("krr k=5 gamma=1/3", 300, "1/2", {"adjacency": "deletion", "reference": "3", "honest": 200}),
    ("krr k=5 gamma=1/3", 300, "1/2", {"adjacency": "deletion", "reference": {"0": "1/2", "1": "1/2"}}),
    ("krr k=3 gamma=1/3", 200, "1/2", {"honest": 150, "take_part": "1/2"}),
    ("hist d=3 p=1/2", 200, "1/2", {"adjacency": "deletion", "reference": "3", "honest": 150, "take_part": "1/2"}),
]


@pytest.mark.parametrize(
    ("system", "n", "eps", "who"), [*LARGE, *(pytest.param(*case, marks=pytest.mark.long) for case in LARGER)]
)
def test_certificates_of_reductions(system, n, eps, who):
    """Where nothing is enumerated: a claim a little above, and one a little below, what was found."""
    name, *parameters = system.split()
    made = populated(load(name, parameters), Presence.of(**who))
    found = delta(made, n, eps, effort=Effort(work=1)).delta
    low, high = (Fraction(end) for end in found.enclosure())
    for bound, verdict in ((high * Fraction(102, 100), "PROVED"), (low * Fraction(98, 100), "REFUTED")):
        result = certify(made, n, eps, bound, effort=Effort(work=1))
        assert result.verdict == verdict, result.reason
        tree = json.loads(result.certificate_text())
        assert (tree["version"], check(tree).status) == (4, "accepted"), check(tree)


@pytest.mark.parametrize("who", [{"honest": 4, "take_part": "1/2"}, {"adjacency": "add-remove", "honest": 4}])
def test_certificates_of_covers(who):
    """A cover written for the claim by hand: one box, whose corner is nobody, and boxes of one composition each."""
    rows = {
        "0": {("1",): Fraction(1, 3), (): Fraction(2, 3)},
        "1": {("1",): Fraction(3, 4), ("1", "1"): Fraction(1, 4)},
    }
    presence = Presence.of(**who)
    theirs = {"adjacency": presence.adjacency, "take_part": presence.take_part}
    exact = oracle.attended_delta(rows, 4, Fraction(2), **theirs)
    alone = oracle.attended_delta(rows, 1, Fraction(2), **theirs)
    assert exact < alone
    tree = json.loads(certify(populated(Randomizer.of(rows), presence), 6, "log(2)", exact).certificate_text())
    fine = [["0", 0], None, ["0", 1], None, ["0", 2], None, None]
    for cover, bound, status in (
        ([None], exact, "rejected"),
        ([None], alone, "accepted"),
        (fine, exact, "accepted"),
        (fine, exact * Fraction(999, 1000), "rejected"),
    ):
        claim = tree["claim"] | {"delta": f"{bound.numerator}/{bound.denominator}"}
        assert check(tree | {"claim": claim, "evidence": {"cover": cover}}).status == status
    assert check(tree | {"evidence": {"cover": fine[:-1]}}).status == "malformed"
    assert check(tree | {"claim": tree["claim"] | {"view": "local"}, "evidence": {"cover": fine}}).status == "malformed"
