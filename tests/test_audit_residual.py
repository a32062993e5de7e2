"""What `audit` says of samplers whose outputs were not all followed: the truth is enclosed whatever the rest is."""

from fractions import Fraction

import mpmath
import pytest

from shufflecert.verify import kernel
from shufflecert.verify.answers.audited import Audit, to_json
from shufflecert.verify.answers.words import text_of
from shufflecert.verify.audit.audit import SPARE, Promise, Slack, audit, judge, leaks
from shufflecert.verify.audit.sampler import NOT_FOLLOWED
from shufflecert.verify.exact.epsilon import Eps
from tests import oracle
from tests.helpers import POWERS, engine
from tests.reference import real
from tests.sampler_laws import enumerate_several as enumerate_sampler
from tests.sampler_laws import slow_coin
from tests.test_audit import ends, response

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
EPS = [Eps.log(t) for t in POWERS]
ONE = Eps.of(1)


#
# `noisy`: x + G, G two-sided geometric in a stated number of halvings, has no last output. Its truth in closed form:
# Pr[G = k] = (1/3) 2^-|k|, so Pr[x + G = y] changes by a factor of exactly 2: eps = log 2, delta(0) = 1/3, and for
# 0 < eps < log 2: delta = (2 - e^eps)/3.
def noisy(x, rng):
    while True:
        up, down = 0, 0
        while rng.randrange(2):
            up += 1
        while rng.randrange(2):
            down += 1
        return x + up - down


RESIDUALS = [Fraction(1, 10), Fraction(1, 1000), Fraction(1, 2**30)]


def unfollowed(function, residual, ns=(1, 2), **given):
    followed = enumerate_sampler(function, [0, 1], residual=residual, max_paths=500)
    most = max(followed.residual.values())
    assert 0 < most <= residual
    large = 3 if len(ns) > 1 else 1
    return audit(followed.randomizer, ns, EPS, Fraction(1, 100), large=large, residual=most, **given), followed


@pytest.mark.parametrize(("function", "residual"), [(slow_coin, r) for r in RESIDUALS] + [(noisy, HALF)])
def test_the_truth_is_enclosed(function, residual):
    """delta of one user in closed form; of two and three users of the coin by the oracle at the true law."""
    found, _ = unfollowed(function, residual, ns=[1] if function is noisy else [1, 2])
    coin = response(Fraction(2, 3))
    for users in (*found.users, found.large):
        for value in users.deltas:
            t = value.eps.power
            low, high = ends(value.delta)
            if users.n == 1:
                truth = max(Fraction(0), (2 - t) / 3)
            elif function is slow_coin:
                truth = oracle.delta(coin, users.n, t)
            else:
                continue
            assert low <= truth <= high, (users.n, t)
            assert high - low <= 2 * (1 + t) * users.n * residual
    low, high = found.local.interval
    assert high is None
    with mpmath.workdps(60):
        assert real(low) <= mpmath.log(2)


def test_a_small_residual_leaves_a_good_lower_end():
    found, _ = unfollowed(slow_coin, Fraction(1, 2**60))
    assert found.local.interval[0] > Fraction(69, 100)
    assert found.local.interval[0] <= Fraction(693147181, 10**9)
    for users in found.users:
        low, _ = users.pure.interval
        assert Fraction(69, 100) < low <= Fraction(693147181, 10**9)  # what one of several users keeps is the same


def test_the_margin():
    """(1 + e^eps) n r: rounded up, nothing where all was followed."""
    slack = Slack(Fraction(1, 1000))
    for n, eps in ((1, Eps.of(0)), (7, Eps.log(3)), (100, ONE)):
        truth = (1 + mpmath.exp(mpmath.mpf(eps.enclosure()[1]))) * n / 1000
        assert slack.margin(eps, n) >= Fraction(str(truth)) - Fraction(1, 10**12)
        assert slack.margin(eps, n) <= Fraction(str(truth)) + Fraction(1, 10**9)
    assert Slack().margin(ONE, 5) == 0


@pytest.mark.parametrize("t", [Fraction(1), Fraction(3, 2), Fraction(19, 10)])
def test_no_verdict_on_the_wrong_side_of_the_margin(t):
    """Promises around the truth of the coin: below it never PROVED, above it never REFUTED; undecided only near it."""
    truth, residual = (2 - t) / 3, Fraction(1, 1000)
    followed = enumerate_sampler(slow_coin, [0, 1], residual=residual, max_paths=20)
    slack = Slack(max(followed.residual.values()))
    seen = set()
    for step in range(-20, 21):
        bound = truth + step * residual / 8
        if not 0 <= bound < 1:
            continue
        verdict = judge(followed.randomizer, Promise(1, Eps.log(t), bound, "local"), slack).verdict
        assert verdict != ("PROVED" if bound < truth else "REFUTED")
        if abs(bound - truth) > (2 + t) * slack.residual:
            assert verdict == ("REFUTED" if bound < truth else "PROVED")
        seen.add(verdict)
    assert {"PROVED", "REFUTED"} <= seen


def test_undecided_says_why():
    followed = enumerate_sampler(slow_coin, [0, 1], residual=Fraction(1, 10), max_paths=3)
    slack = Slack(max(followed.residual.values()))
    found = judge(followed.randomizer, Promise(1, Eps.of(0), THIRD, "local"), slack)
    assert found.verdict == "UNDECIDED"
    assert "was not followed, and it decides: expected a smaller --residual" in found.reason
    assert found.certificate is None


def test_a_refuted_sampler_has_a_certificate_of_a_larger_delta():
    """And the answer shows the promise, with the function's own enclosures."""
    residual = Fraction(1, 1000)
    found, followed = unfollowed(slow_coin, residual, promise=Promise(1, Eps.of(0), QUARTER, "local"))
    assert kernel.check(found.verdict.certificate_text().encode())[0] == "accepted"
    assert found.verdict.claim.delta == QUARTER + 2 * found.slack.residual
    told = to_json(found, "coin", followed)["claim"]
    assert told["claim"] == {"eps": "0", "delta": "1/4"}
    assert Fraction(told["refuted_delta"]) == found.verdict.claim.delta
    assert Fraction(told["delta"]["lower"]) <= THIRD <= Fraction(told["delta"]["upper"])
    p, q = told["refutation"]["P"], told["refutation"]["Q"]
    assert Fraction(p["lower"]) <= Fraction(2, 3) <= Fraction(p["upper"])
    assert Fraction(q["lower"]) <= THIRD <= Fraction(q["upper"])


def test_a_proved_sampler_shows_no_lower_end_that_is_not_its_own():
    """In truth delta(log 2) = 0; the randomizer that dominates has its residual there."""
    found, followed = unfollowed(slow_coin, QUARTER, promise=Promise(1, Eps.log(2), HALF, "local"))
    told = to_json(found, "coin", followed)["claim"]
    assert told["verdict"] == "PROVED"
    assert told["delta"]["lower"] == "0"


def sometimes(x, rng):
    """Input 1 has an end that is rare, input 0 has it never; both loop."""
    tries = 0  # counted, so that no two states are equal and the loop is not closed
    while rng.randrange(2):
        tries += 1
    return 5 if x and rng.random() < 0.01 else x and 1


def test_leaks_of_what_was_followed():
    found, followed = unfollowed(sometimes, Fraction(1, 1000))
    for leak in found.leaks:
        assert not any(m.startswith(NOT_FOLLOWED) for m in leak.messages)
        assert leak.p > leak.hidden == followed.residual[leak.y]
        assert followed.laws[leak.y].get(leak.messages, 0) == 0
    assert {(leak.x, leak.y) for leak in found.leaks} == {("0", "1"), ("1", "0")}


def test_rare_outputs_are_no_leak_where_as_much_was_not_followed():
    """b of input 1 may be among the quarter of input 0 that was not followed, c cannot be all of it."""
    tree = {
        "0": {("a",): Fraction(3, 4), (NOT_FOLLOWED + "0",): QUARTER},
        "1": {("a",): HALF, ("b",): Fraction(1, 5), ("c",): Fraction(3, 10)},
    }
    (leak,) = leaks(engine(tree))
    assert (leak.x, leak.y, leak.messages, leak.p, leak.hidden) == ("1", "0", ("c",), Fraction(3, 10), QUARTER)
    del tree["1"]["c",]
    tree["1"]["b",] = HALF
    assert [leak.messages for leak in leaks(engine(tree))] == [("b",)]
    tree["1"]["a",], tree["1"]["b",] = Fraction(4, 5), Fraction(1, 5)
    assert leaks(engine(tree)) == []


def test_blanket_and_messages_of_what_was_followed():
    """The coin's blanket is 2/3 and it sends one message; lower ends, and an upper end of the blanket."""
    found, followed = unfollowed(slow_coin, Fraction(1, 100))
    answer = to_json(found, "coin", followed)
    assert answer["blanket"]["gamma"] is None
    assert Fraction(answer["blanket"]["lower"]) < Fraction(2, 3) <= Fraction(answer["blanket"]["upper"])
    assert all(0 < 1 - Fraction(e) <= Fraction(1, 100) for e in answer["communication"]["expected_messages"].values())
    assert answer["messages"] == 2
    assert "on the paths that were followed" in text_of(Audit(answer).lines(118))


def test_infinite_eps_of_what_was_not_followed():
    """x + a geometric number: 0 shows the input, so in truth no eps keeps a delta below 1/2."""

    def one_sided(x, rng):
        while rng.randrange(2):
            x += 1
        return x

    found, _ = unfollowed(one_sided, Fraction(1, 2**64), ns=[1])
    for users in found.users:
        low, high = users.pure.interval
        assert high is None
        assert low > 20
        assert found.slack.margin(Eps.of(low), users.n) <= SPARE
