"""The pure eps at any n from ends and fewer users, against the enumeration of all datasets and hand calculations."""

import random
from fractions import Fraction

import pytest

from shufflecert.protocols.fragmented_rappor import FragmentedRAPPOR
from shufflecert.protocols.hist import Hist
from shufflecert.protocols.krr import KRR
from shufflecert.protocols.rr import RR
from shufflecert.verify.bound.cover import Cover
from shufflecert.verify.decide.worst_case import epsilon
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import NOBODY, Presence, Randomizer, randomizer_of
from shufflecert.verify.reduce.pure import pure_epsilon
from shufflecert.verify.systems.population import populated
from tests import oracle
from tests.asked import bound
from tests.helpers import asked, call


def table(rng):
    """Random rows of up to two kinds of messages, gaps among them."""
    outputs = [("a",) * i + ("b",) * j for i in range(3) for j in range(rng.choice((1, 2)))]
    rows = {}
    for x in range(rng.choice((2, 2, 3))):
        weights = [0 if rng.random() < 0.15 else rng.randint(1, 5) for _ in outputs]
        weights[0], weights[-1] = (weights[0] or 1), (weights[-1] or 1)
        rows[str(x)] = {sent: Fraction(w, sum(weights)) for sent, w in zip(outputs, weights, strict=True) if w}
    return rows


def test_the_truth_lies_between_at_small_n():
    """The enumeration of datasets knows nothing of either lemma."""
    rng, seen = random.Random("pure eps"), set()
    for _ in range(150):
        randomizer, n = Randomizer.of(table(rng)), rng.randint(2, 5)
        truth = epsilon(randomizer, n, 0).eps
        low, high, found = pure_epsilon(randomizer, n)
        if truth is None:
            assert high is None, randomizer
            seen.add("infinite" if low is None else "infinite, not shown")
            continue
        assert low is not None, randomizer
        shown = [Fraction(end) for end in truth.enclosure(40)]
        assert low <= shown[1] and (high is None or shown[0] <= high), randomizer
        assert found.exact is None or found.exact.power == truth.power
        seen.add("exact" if found.exact else "between")
    assert seen >= {"infinite", "exact", "between"}


WHO = (
    Presence("add-remove"),
    Presence("add-remove", take_part=Fraction(1, 2)),
    Presence("deletion", reference=(("0", Fraction(1)),)),
    Presence("deletion", reference=(("0", Fraction(1, 2)), ("1", Fraction(1, 2)))),
    Presence("replace", take_part=Fraction(1, 2)),
)


def test_the_truth_lies_between_where_users_come_and_go_or_are_deleted():
    """The same against the enumeration of these neighbours; and 10,000 users are answered without an integral."""
    rng, seen = random.Random("pure eps of presence"), set()
    for i in range(100):
        who = WHO[i % len(WHO)]
        system = populated(Randomizer.of(table(rng)), who)
        truth = epsilon(system, 4, 0).eps
        low, high, found = pure_epsilon(randomizer_of(system), 4)
        if truth is None:
            assert high is None
            seen.add((who.adjacency, "infinite" if low is None else "infinite, not shown"))
            assert low is not None or epsilon(system, 10_000, 0).interval is None
            continue
        shown = [Fraction(end) for end in truth.enclosure(40)]
        assert low is not None and low <= shown[1] and (high is None or shown[0] <= high)
        assert found.exact is None or found.exact.power == truth.power
        seen.add((who.adjacency, "exact" if found.exact else "between"))
    assert seen >= {("add-remove", "infinite"), ("deletion", "infinite"), ("deletion", "exact"), ("replace", "exact")}


@pytest.mark.parametrize("who", WHO[:4])
def test_where_nothing_is_needed_neighbours_are_named(who):
    """Two inputs, one of which nobody came from, where users come and go; none that a mixed reference could be."""
    silent = {("a",): Fraction(1)} if who.adjacency == "deletion" else {(): Fraction(1)}
    rows = Randomizer.of({"0": silent, "1": silent, "2": silent})
    found = bound(populated(rows, who), 4, work=1).epsilon(Fraction(0))
    assert found.eps == Eps.of(0) and NOBODY in (found.scope.worst.source, found.scope.worst.target)


def test_the_lower_end_by_hand_and_by_the_oracle():
    """Ends (f_0, f_1) = (1/2, 1/4) and (1/4, 1/4): log 2 at every n; the middle has 1/4 against 1/2, the same."""
    rows = {
        "0": {(): Fraction(1, 2), ("a",): Fraction(1, 4), ("a", "a"): Fraction(1, 4)},
        "1": {(): Fraction(1, 4), ("a",): Fraction(1, 2), ("a", "a"): Fraction(1, 4)},
    }
    low, high, found = pure_epsilon(Randomizer.of(rows), 10**12)
    assert found.exact.power == 2 and low <= high
    assert oracle.delta(rows, 3, Fraction(2)) == 0 < oracle.delta(rows, 3, Fraction(199, 100))


def test_an_end_that_one_input_never_sends_is_infinite_at_every_n():
    rows = {"0": {(): Fraction(1, 2), ("a",): Fraction(1, 2)}, "1": {(): Fraction(1)}}
    low, high, found = pure_epsilon(Randomizer.of(rows), 10**9)
    assert low is None and high is None and found.worst.source == "0"


def test_claim_20_at_a_thousand_million_users(capsys):
    """BC Claim 20: finite once shuffled, by hand log((1/10)/(1/16)) at the ends, and no more by enumeration."""
    answer = asked(capsys, "epsilon", "r_gap", "--n", "1000000000", "--delta", "0")
    assert answer["epsilon"]["exact"] == "log(8/5)"


def test_a_pure_claim_that_fails_by_hardly_anything_is_refuted_at_once(capsys, tmp_path, monkeypatch):
    """All messages alike have odds of 3 to 1 at any n, so delta(1) > 0: a cover closed in on 1e-2313 for a minute."""
    monkeypatch.setattr(Cover, "delta", lambda *_: pytest.fail("a cover was asked"))
    asked_of = ["certify", "examples/three_bits.toml", "--n", "4096", "--eps", "1", "--delta", "0"]
    status, said, _ = call(capsys, *asked_of, "-o", str(tmp_path / "cert.json"))
    assert status == 1 and said.startswith("REFUTED: delta(1) > 0;") and "(check accepts it)" in said


SYSTEMS = [
    (KRR(3, Fraction(1, 4)), 10),  # 1 + k (1 - gamma) / gamma, the local e^eps: all messages equal tell as much
    (RR(Fraction(1, 4)), 3),  # (1 - flip) / flip
    (FragmentedRAPPOR(3, Fraction(1, 4)), 9),  # two columns with all bits alike
    (Hist(3, Fraction(1, 2)), None),  # a bin of n + 1 messages
]


@pytest.mark.parametrize(("system", "power"), SYSTEMS)
def test_systems_of_few_outputs_are_told_by_their_ends(system, power):
    """delta = 0 was an interval after half a minute, its upper end above the local eps."""
    for n in (1000, 10**9):
        found = epsilon(system, n, 0)
        assert found.eps == (None if power is None else Eps.log(power)) and found.scope.n == n
    few = epsilon(system, 2, 0)  # by enumeration
    assert few.eps == found.eps and "enumeration" in few.scope.by
