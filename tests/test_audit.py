"""audit(): every part of it against the oracle, closed forms or sums by hand."""

import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given

from shufflecert.verify import kernel
from shufflecert.verify.answers.audited import Audit, rounded, table, to_json
from shufflecert.verify.answers.words import text_of
from shufflecert.verify.audit.audit import Promise, Slack, audit, judge, leaks
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from tests import oracle
from tests.helpers import POWERS, engine, few, randomizers
from tests.reference import real

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
EPS = [Eps.log(t) for t in POWERS]
ONE = Eps.of(1)


def response(p):
    return {"0": {("0",): p, ("1",): 1 - p}, "1": {("0",): 1 - p, ("1",): p}}


def audited(tree, ns=(1, 2), **given):
    return audit(engine(tree), ns, EPS, given.pop("delta", Fraction(1, 10)), large=given.pop("large", 3), **given)


def exact(value):
    """A - B t of a delta at e^eps = t."""
    return value.delta.A - value.delta.B * value.eps.power


def power(found):
    """e^eps, None for infinite."""
    return None if found.eps is None else found.eps.power


def ends(value):
    """[lower, upper] of a delta, as the audit gives it."""
    return (Fraction(end) for end in ((value.low, value.high) if isinstance(value, Interval) else value.enclosure()))


@few
@given(randomizers())
def test_against_the_oracle(tree):
    found = audited(tree)
    assert power(found.local) == oracle.pure_epsilon_ratio(tree, 1, "local")
    assert power(found.preshuffle) == oracle.pure_epsilon_ratio(tree, 1, "preshuffle")
    for users in (*found.users, found.large):
        assert power(users.pure) == oracle.pure_epsilon_ratio(tree, users.n, "shuffled")
        for value in users.deltas:
            assert exact(value) == oracle.delta(tree, users.n, value.eps.power)
        at = users.epsilon
        if at.eps is not None:
            assert oracle.delta(tree, users.n, at.eps.power) <= found.delta
            if at.eps.power > 1:
                assert oracle.delta(tree, users.n, (1 + at.eps.power * 999) / 1000) > found.delta
        else:
            assert oracle.delta(tree, users.n, Fraction(10**9)) > found.delta
        for t in (*POWERS, Fraction(7, 5), Fraction(100)):
            assert max(Fraction(0), *(a - b * t for a, b in users.envelope.lines)) == oracle.delta(tree, users.n, t)


def test_four_users():
    tree = response(Fraction(3, 4))
    found = audited(tree, ns=[4])
    for value in found.users[0].deltas:
        assert exact(value) == oracle.delta(tree, 4, value.eps.power)


@few
@given(randomizers())
def test_leaks_are_outputs_of_one_input_alone(tree):
    found = {(leak.x, leak.y): leak for leak in leaks(engine(tree))}
    for x, row in tree.items():
        for y, other in tree.items():
            alone = {send: p for send, p in row.items() if p and not other.get(send)}
            assert bool(alone) is ((x, y) in found)
            if alone:
                leak = found[x, y]
                assert alone[leak.messages] == leak.p == max(alone.values())
                assert leak.hidden == 0


@few
@given(randomizers())
def test_the_blanket_and_the_messages(tree):
    """gamma = sum over multisets y of min over x of Pr[R(x) = y]; E = sum of lengths."""
    found = audited(tree, ns=[1], large=1)
    laws = [oracle.preshuffle_law(tree, x) for x in tree]
    assert found.blanket == sum(min(law.get(y, Fraction(0)) for law in laws) for y in set().union(*laws))
    for x, row in tree.items():
        assert found.expected[x] == sum(len(send) * p for send, p in row.items())


def test_symmetries_leave_the_randomizer_as_it_is():
    found = audited(response(Fraction(3, 4)))
    assert found.symmetric == ({"0": "1", "1": "0"},)
    uneven = {"0": {("a",): Fraction(3, 4), (): QUARTER}, "1": {("a",): HALF, (): HALF}}
    assert audited(uneven).symmetric == ()


@few
@given(randomizers())
def test_the_attack_beats_its_bound(tree):
    """The event's P - e^eps Q, from the oracle's laws, is more than the bound, 99 in 100 of the worst delta."""
    found = audited(tree).attack
    worst = max(oracle.delta(tree, n, t) for n in (1, 2) for t in POWERS)
    if worst == 0:
        assert found is None
        return
    claim, scope = found.claim, found.worst.scope
    low, high = claim.eps.bounds(64)  # around e^eps
    assert claim.delta >= Fraction(98, 100) * oracle.delta(tree, claim.question.n, low)
    others = [x for x, count in (scope.worst.others or {}).items() for _ in range(count)]
    P, Q = (oracle.multiset_law(tree, [x, *others]) for x in (scope.worst.source, scope.worst.target))
    event = [tuple(sorted(m for m, count in outcome.items() for _ in range(count))) for outcome in _event(found)]
    p, q = (sum(law.get(y, Fraction(0)) for y in event) for law in (P, Q))
    assert (p, q) == found.probabilities
    assert p - high * q > claim.delta
    assert kernel.check(found.certificate_text().encode())[0] == "accepted"


def _event(found):
    return found.certificate["because"]["event"]["outcomes"]


@pytest.mark.parametrize(
    ("eps", "delta", "verdict"),
    [("log(3)", 0, "PROVED"), ("log(2.99)", 0, "REFUTED"), (1, "0.0704", "REFUTED"), (1, "0.0705", "PROVED")],
)
def test_promises(eps, delta, verdict):
    """Binary randomized response with p = 3/4: delta(eps) = max(0, (3 - e^eps) / 4), 0.07043 at eps = 1."""
    at = 1.0 if eps == 1 else math.log(float(eps[4:-1]))
    assert (float(delta) >= (3 - math.exp(at)) / 4 - 1e-12) is (verdict == "PROVED")
    promise = Promise(1, Eps.of(eps), Fraction(delta), "local")
    found = audited(response(Fraction(3, 4)), promise=promise).verdict
    assert found.verdict == verdict
    assert kernel.check(found.certificate_text().encode())[0] == "accepted"


def test_many_users_lie_between_real_datasets_and_a_dominating_pair():
    """Binary randomized response: all-equal others, whose shuffled view is two binomials added, are a lower bound."""
    n, p = 100, Fraction(3, 4)
    found = audited(response(p), ns=[1], large=n).large
    with mpmath.workdps(40):
        law = [
            mpmath.binomial(n - 1, k) * mpmath.mpf("0.25") ** k * mpmath.mpf("0.75") ** (n - 1 - k) for k in range(n)
        ]
        law = [*law, mpmath.mpf(0)]
        zero = [law[k] * mpmath.mpf("0.75") + (law[k - 1] * mpmath.mpf("0.25") if k else 0) for k in range(n + 1)]
        one = [law[k] * mpmath.mpf("0.25") + (law[k - 1] * mpmath.mpf("0.75") if k else 0) for k in range(n + 1)]
        for value in found.deltas:
            t = real(value.eps.power)
            attained = max(
                sum(max(a - t * b, mpmath.mpf(0)) for a, b in zip(P, Q, strict=True))
                for P, Q in ((zero, one), (one, zero))
            )
            low, high = ends(value.delta)
            assert float(high) >= float(attained) * (1 - 1e-12)
            assert low <= high


def test_one_input():
    with pytest.raises(BadInput, match="input 0: the only one: give at least two"):
        audit(engine({"0": {("a",): Fraction(1)}}))


def test_what_was_refused_is_said_in_its_row():
    answer = to_json(audited(response(Fraction(3, 4))), "a.toml")
    header, rows, _ = table([*answer["shuffled"], {"n": 10**9, "refused": "too much"}], 118)
    assert rows[-1] == ["1000000000", "too much"]
    assert len(rows[0]) == len(header)
    assert table([{"n": 1, "refused": "too much"}], 118) == ([], [], "")
    answer |= {"shuffled": [], "large": {"n": 9, "refused": "too much"}}
    assert "shuffled, n = 9: too much" in text_of(Audit(answer).lines(118))


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        ("0.25", "0.25", "0.25"),
        ("0.123451", "0.123452", "0.1235"),
        ("0.12345", "0.1236", "[0.123, 0.124]"),
        ("0", "0", "0"),
        ("0", "1e-50", "[0, 1e-50]"),
        ("0.3", "0.300001", "[0.3, 0.301]"),
        ("1.110223e-16", "1.110224e-16", "1.111e-16"),
    ],
)
def test_rounded(low, high, shown):
    """One number x stands for ends within one unit of its last digit, at most x."""
    assert rounded({"lower": low, "upper": high}) == shown


@few
@given(randomizers())
def test_words_fit_a_page(tree):
    answer = to_json(audited(tree), "a.toml")
    header, rows, _ = table([*answer["shuffled"], answer["large"]], 118)
    assert len(rows) == 3
    assert all(len(row) == len(header) for row in rows)
    said = text_of(Audit(answer).lines(118)).splitlines()
    first = next(i for i, line in enumerate(said) if line.startswith("  users"))
    assert max(map(len, said[first : first + 4])) <= 120


def test_certify_agrees():
    """`judge` without slack is `certify`."""
    r = engine(response(Fraction(3, 4)))
    assert judge(r, Promise(2, ONE, Fraction(1, 10)), Slack()).verdict == certify(r, 2, ONE, Fraction(1, 10)).verdict
