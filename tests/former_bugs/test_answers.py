"""Answers that were wrong, wide or silent about what they say."""

from fractions import Fraction
from math import comb

import pytest

from shufflecert.verify.answers.words import known
from shufflecert.verify.audit.audit import closest
from shufflecert.verify.bound.cover import NO_CLOSER, SPENT, STOPPED, Cover
from shufflecert.verify.bound.covered import Covered
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.bound.search import Search, Spent
from shufflecert.verify.calibrate.tuned_system import Task
from shufflecert.verify.commands import given
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.decide.worst_case import delta, epsilon
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.exact.epsilon import Eps, ends_of
from shufflecert.verify.exact.randomizer import Presence, Randomizer
from shufflecert.verify.kernel import check
from shufflecert.verify.reduce.event import Event
from shufflecert.verify.reduce.privacy_blanket import reach_of
from shufflecert.verify.systems.population import populated
from tests import oracle
from tests.asked import bound, profile_curve
from tests.bench.strangers import drawn
from tests.helpers import asked, call, engine
from tests.random_tables import rank_three

# Messages of dishonest users lift a value over the threshold; `--honest` answered as if they could send none.


@pytest.mark.parametrize("adjacency", ["replace", "add-remove"])
def test_a_threshold_wants_all_users_honest(capsys, adjacency):
    """Twenty messages of theirs, and one user's own shows with probability p = 0.105: delta >= 0.105, not 6.5e-15."""
    asks = ["delta", "sample_and_threshold", "-p", "p=0.105", "-p", "k=20", "--n", "1000", "--eps", "1"]
    code, _, err = call(capsys, *asks, "--adjacency", adjacency, "--honest", "900")
    assert code == 2 and "lift any value over the threshold" in err and err.count("\n") == 1
    code, out, _ = call(capsys, *asks, "--adjacency", adjacency, "--honest", "1000")
    assert code == 0 and ("6.4799" if adjacency == "add-remove" else "[6.4962") in out


# An audit left delta's upper end at 1, or at what few users have, for a table of which one number matters.


COPIES = {  # of one message
    "0": {(): Fraction(1, 2), ("a",): Fraction(1, 4), ("a", "a"): Fraction(1, 4)},
    "1": {(): Fraction(1, 4), ("a",): Fraction(1, 4), ("a", "a"): Fraction(1, 2)},
}


def test_delta_is_as_close_as_that_of_the_command():
    rows, n = Randomizer.of(COPIES), 200
    bound = Covered(Question.of(rows, n), Effort(), rows, reach_of(rows, n))
    found = closest(bound, Eps.of("1/10")).delta
    assert found.low <= found.high <= found.low * Fraction(1001, 1000)


# Ctrl-C in the middle of a cover for many eps: the curve had upper bounds of 1, and nothing was said.


GRID = [Eps.of(Fraction(k, 10)) for k in (1, 2)]


def test_it_says_so(monkeypatch):
    def stopped(*_):
        raise KeyboardInterrupt

    rows = Randomizer.of(rank_three(3, 2))
    monkeypatch.setattr(Search, "cover", stopped)
    found = profile_curve(rows, 3000, GRID)
    assert found.scope.stopped and "Ctrl-C" in found.scope.by
    truth = [bound(rows, 3000).within(0).lower(eps)[0] for eps in GRID]
    for (_, value), real in zip(found.points, truth, strict=True):
        assert value.low <= real.high and real.low <= value.high


# Of three users no blocks can be made, and delta of a table of four messages ended with a traceback.


TABLE = Randomizer.of(drawn("one of three or four", 2, 2))
EPS = Eps.of("1/10")


def test_they_are_asked_by_the_blanket_alone():
    exact = delta(TABLE, 3, EPS).delta
    found = delta(TABLE, 3, EPS, effort=Effort(work=1)).delta
    [(_, shown)] = profile_curve(TABLE, 3, [EPS], work=1).points
    for value in (found, shown):
        assert isinstance(value, Interval)
        assert exact.minus(value.low).sign() >= 0 >= exact.minus(value.high).sign()
    low, high = epsilon(TABLE, 3, Fraction(1, 10), effort=Effort(work=1)).interval
    least = epsilon(TABLE, 3, Fraction(1, 10)).eps.enclosure(20)
    assert low <= Fraction(least[1]) and (high is None or Fraction(least[0]) <= high)


# An eps that boxes did not close in on was said to be stopped by Ctrl-C wherever there is no privacy blanket.


SENDS = {"0": {("a",): Fraction(3, 4), ("b",): Fraction(1, 4)}, "1": {("a",): Fraction(1, 4), ("b",): Fraction(3, 4)}}


def found(monkeypatch, search):
    """Of randomized response, three users, delta 1/100, without a blanket: `search` in the place of a cover's."""
    cover = Cover(engine(SENDS), 3)
    cover.__dict__["blanket"] = None
    monkeypatch.setattr(Cover, "_cover", search)
    return cover.epsilon(Fraction(1, 100))


def interrupted(*_):
    raise KeyboardInterrupt


def spent(*_):
    raise Spent


@pytest.mark.parametrize(
    "search, note", [(lambda *_: None, NO_CLOSER), (spent, SPENT), (interrupted, STOPPED)], ids=["none", "work", "stop"]
)
def test_it_is_said_why_boxes_ended(monkeypatch, search, note):
    low, high, end = found(monkeypatch, search)
    assert end.note == note and end.stopped == (note == STOPPED) and high is None
    assert oracle.delta(SENDS, 3, 1) > Fraction(1, 100) and low is not None and low > 0


# `calibrate binomial_noise -p bits=2` took more coins for more private: "no value satisfies (eps, delta)"; 3 coins
# do.
#
# The law of the noise modulo 4 is counted out here: its numbers 0, 1, 2, 3 each from so many of the 2^coins outcomes.


def delta_of_reduced(coins: int, power: Fraction) -> Fraction:
    """The larger divergence of the noise and its shift by one: two laws on 0..4."""
    law = [Fraction(sum(comb(coins, k) for k in range(r, coins + 1, 4)), 2**coins) for r in range(4)]
    one, other = [*law, Fraction(0)], [Fraction(0), *law]
    return max(
        sum((max(p - power * q, Fraction(0)) for p, q in zip(*pair, strict=True)), Fraction(0))
        for pair in ((one, other), (other, one))
    )


def test_more_coins_are_not_more_private_where_the_noise_is_reduced(capsys):
    assert delta_of_reduced(3, Fraction(7)) < Fraction(3, 20) < delta_of_reduced(5, Fraction(7))
    question = ("calibrate", "binomial_noise", "-p", "bits=2", "--over", "coins", "--n", 5, "--eps", "log(7)")
    answer = asked(capsys, *question, "--delta", "3/20", "--range", "1:50")
    assert answer["value"] == "3" and answer["search"]["lemma"] is None
    kept = {coins for coins in range(1, 51) if delta_of_reduced(coins, Fraction(7)) <= Fraction(3, 20)}
    assert min(kept) == 3


def test_the_lemma_stays_where_the_noise_is_whole(capsys):
    for fixed in ({}, {"modulo": "1000003"}):
        order = Task("binomial_noise", fixed).orders["coins"]
        assert order is not None and order.lemma
    assert (
        "more noise is at least as private"
        in call(capsys, "calibrate", "binomial_noise", "--n", 5, "--eps", "1", "--delta", "1e-3")[1]
    )


# With --adjacency add-remove the number of messages may give the user away: only `delta` and `epsilon` said so.
#
# `certify` asked for a larger --delta, where no delta below 1 would do. Now all commands name --take-part.


KRR = ["krr", "-p", "k=3", "-p", "gamma=1/2", "--n", "12", "--adjacency", "add-remove"]
ASKED = {
    "delta": ["--eps", "1"],
    "epsilon": ["--delta", "1e-6"],
    "certify, no eps": ["--delta", "1e-6"],
    "certify, no eps, honest": ["--delta", "1e-6", "--honest", "10"],
    "certify": ["--delta", "1e-6", "--eps", "1"],
    "profile": ["--eps", "0:1:2"],
    "compose": ["--times", "2", "--eps", "1"],
}


@pytest.mark.parametrize("name", ASKED)
def test_the_reason_and_the_way_out_are_said(name, capsys):
    code, out, err = call(capsys, name.partition(",")[0], *KRR, *ASKED[name])
    said = " ".join((out + err).split())
    assert code == (2 if "," in name else 1 if name == "certify" else 0)
    assert "every participant sends 1 message" in said and "--take-part Q below 1 hides" in said
    assert "larger --delta" not in said


def test_a_calibration_says_it(capsys):
    asked = ["krr", "-p", "k=3", "--over", "gamma", "--n", "20", "--eps", "1", "--delta", "1e-6", "--step", "1/4"]
    code, _, err = call(capsys, "calibrate", *asked, "--adjacency", "add-remove")
    assert code == 2 and "no value satisfies (eps, delta)" in err and "--take-part Q below 1 hides" in err


def test_what_take_part_hides_is_not_named_again(capsys):
    code, out, err = call(capsys, "certify", *KRR[:6], "5", *KRR[7:], "--take-part", "1/2", "--delta", "1/2")
    assert code == 0 and "--take-part Q" not in out + err


# A user who comes or goes where all send equally many messages: delta is 1 and a line tells; it took minutes.


@pytest.mark.parametrize("arguments", [("delta", "--eps", 1), ("epsilon", "--delta", "0.9")])
def test_it_is_told_at_once(capsys, arguments):
    """The event that was looked for at n = 1000 had weights without end, since its messages determine each other."""
    command, *more = arguments
    answer = asked(capsys, command, "r_gap", "--n", 1000, "--adjacency", "add-remove", *more)
    one, none = {"lower": "1", "upper": "1"}, {"lower": "inf", "upper": "inf"}
    assert {**answer[command], **one} == answer[command] if command == "delta" else {**answer[command], **none}


def test_its_event_can_be_written_down(capsys, tmp_path):
    given = ("certify", "r_gap", "--n", 1000, "--adjacency", "add-remove", "--eps", 1, "--delta", "0.99")
    status, out, _ = call(capsys, *given, "-o", tmp_path / "c.json")
    assert status == 1 and "REFUTED" in out
    assert call(capsys, "check", tmp_path / "c.json")[0] == 0


A, B = ("a",), ("b",)
HALVES = {A: Fraction(1, 2), B: Fraction(1, 2)}
EVENTS = {  # P, Q, P(E) - e Q(E) for the event E that the number of messages is P's, or that of any better one
    "one more": ({A + B: Fraction(1)}, HALVES, 1),
    "one fewer": ({(): Fraction(1)}, HALVES, 1),
    "between": ({A: Fraction(1)}, {(): Fraction(1, 2), A + A: Fraction(1, 2)}, 0),
    "the same": (HALVES, HALVES, 0),
}


@pytest.mark.parametrize("p, q, least", EVENTS.values(), ids=EVENTS)
def test_numbers_that_do_and_do_not_tell(p, q, least):
    value = Event(p, q, ((HALVES, 400),)).enclosure(Eps.of(1), 12)
    assert least <= value.low <= 1


# What fewer users need was asked as if all came and all were honest: a promise was PROVED that is broken.
#
# The lemma of fewer users (verify/reduce/pure.py) was applied to the table of users who always take
# part. With check-in this said PROVED of a delta that is smaller than the worst datasets' (the kernel refused the
# certificate's form); with dishonest users it ended with words about n = 1 users.


# Others hide a user far better where all of them come than where three of four stay away.
ROWS = {
    "0": {(): Fraction(1, 4), ("a",): Fraction(1, 4), ("a", "a"): Fraction(9, 28), ("a", "a", "a"): Fraction(5, 28)},
    "1": {(): Fraction(1, 6), ("a", "a"): Fraction(5, 12), ("a", "a", "a"): Fraction(5, 12)},
}


@pytest.mark.parametrize("share", ["1/4", "1/2", "9/10"])
def test_users_who_may_stay_away(share):
    t, n = Fraction(3), 4
    true = oracle.attended_delta(ROWS, n, t, take_part=Fraction(share))
    system = populated(Randomizer.of(ROWS), Presence.of(take_part=share))
    all_come = oracle.delta(ROWS, n, t)
    assert all_come < true
    for claim in (all_come, true * Fraction(99, 100), true, true * Fraction(101, 100)):
        found = certify(system, n, Eps.log(t), claim, effort=Effort(work=1))
        assert found.verdict in ("UNDECIDED", "PROVED" if true <= claim else "REFUTED"), claim
        assert found.certificate is None or check(found.certificate_text().encode()).status == "accepted"


@pytest.mark.parametrize(("honest", "n"), [(2, 3), (2, 9), (3, 10**6)])
def test_users_who_are_not_honest(honest, n):
    t = Fraction(3, 2)
    true = oracle.delta(ROWS, honest, t)
    system = populated(Randomizer.of(ROWS), Presence.of(honest=honest))
    for claim in (0, true * Fraction(99, 100), true, true * Fraction(101, 100)):
        found = certify(system, n, Eps.log(t), claim, effort=Effort(work=1))
        assert found.verdict in ("UNDECIDED", "PROVED" if true <= claim else "REFUTED"), claim
        assert found.certificate is None or check(found.certificate_text().encode()).status == "accepted"


# compose showed a bar without the interval: what is known so far is told, and what is told holds the answer.


THREE = {
    str(x): {(y,): Fraction(3, 5) if i == x else Fraction(1, 5) for i, y in enumerate("abc")} for x in range(3)
}  # truth with 2/5, else one of three


def told(question):
    """What is told while a question about three runs of THREE by four users is answered, and the answer."""
    seen = []
    prepared = prepare([Run(engine(THREE), 4, 3)], "adaptive", points=17, seen=lambda *ends: seen.append(ends))
    return question(prepared), seen


def test_a_delta_is_told_from_both_sides():
    found, seen = told(lambda asked: asked.delta(1))
    assert seen and any(low > 0 and high < 1 for low, high in seen)
    assert all(low <= found.delta.low + found.delta.low / 100 for low, _ in seen)
    assert all(high >= found.delta.low for _, high in seen)


@pytest.mark.parametrize("bound", ["1/20", "1/100"])
def test_an_eps_is_told_from_both_sides(bound):
    found, seen = told(lambda asked: asked.epsilon(bound))
    low, high = found.interval
    assert any(least > 0 for least, _ in seen) and any(most is not None for _, most in seen)
    assert all(least <= low for least, _ in seen) and all(most is None or most >= high for _, most in seen)
    assert oracle.delta(THREE, 4, 1) > 0 and low > 0


def test_ends_are_rounded_outwards():
    shown = given.between("delta", Fraction(2, 3), Fraction(2, 3))
    assert shown == "delta in [0.666666, 0.666667]"


# A verdict that knows delta from one side only printed `delta(0.836) = [0, 9.84e-7] <= 1e-6`, as if 0 were a
# finding.
#
# What is known is written as it is known: at most, at least, equal to, or between.


CASES = (
    (0, "9.84e-7", "<= 9.84e-7"),
    ("9.84e-7", 1, ">= 9.84e-7"),
    (0, 0, "= 0"),
    (1, 1, "= 1"),
    (0, 1, "<= 1"),
    ("1/4", "1/4", "= 0.25"),
    ("1/4", "1/2", "= [0.25, 0.5]"),
)


@pytest.mark.parametrize(("low", "high", "said"), CASES)
def test_a_number_is_written_as_it_is_known(low, high, said):
    assert known(ends_of(Fraction(low), Fraction(high)), most="1") == said


def test_a_number_without_a_largest_value_keeps_its_upper_bound():
    """An eps of [1/4, 1] is no eps of at least 1/4: 1 is nothing special to it."""
    assert known(ends_of(Fraction(1, 4), Fraction(1))) == "= [0.25, 1]"


# `--delta 1` was PROVED without a word: everything keeps (eps, 1), the identity as well.


BARE = ["rr", "-p", "flip=0", "--n", "3"]  # sends the input itself


@pytest.mark.parametrize("asked", [["certify", "--eps", "0"], ["certify"], ["epsilon"], ["compose", "--times", "2"]])
def test_it_is_said_that_it_promises_nothing(asked, capsys):
    command, *more = asked
    code, out, _ = call(capsys, command, *BARE, *more, "--delta", "1")
    assert code == 0 and "delta = 1 guarantees nothing" in out
    _, out, _ = call(capsys, command, *BARE, *more, "--delta", "999/1000")
    assert "guarantees nothing" not in out


@pytest.mark.parametrize("delta, said", [("1", True), ("9/10", False)])
def test_calibrate_says_so(delta, said, capsys):
    code, out, _ = call(capsys, "calibrate", "rr", "--n", "3", "--eps", "1", "--delta", delta)
    assert code == 0 and ("delta = 1 guarantees nothing" in out) == said


@pytest.mark.parametrize("delta, said", [("1", True), ("9/10", False)])
def test_an_audit_says_so(delta, said, tmp_path, capsys):
    file = tmp_path / "bare.toml"
    rows = "".join(f'[[rows]]\ninput = "{x}"\noutputs = [{{send = ["{x}"], p = "1"}}]\n' for x in "01")
    file.write_text(rows)
    code, out, _ = call(capsys, "audit", file, "--delta", delta)
    assert code == 0 and ("delta = 1 guarantees nothing" in out) == said


@pytest.mark.parametrize("asked", [["compare", "sum", "--n", "100"], ["table", "t.csv", "--n", "100"]])
def test_a_comparison_of_what_keeps_it_is_refused(asked, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, err = call(capsys, *asked, "--eps", "1", "--delta", "1")
    assert code == 2 and out == "" and "delta" in err and err.count("\n") == 1
