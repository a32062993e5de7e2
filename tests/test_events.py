"""Threshold events on the real view, against the laws of the view enumerated by the oracle."""

import random
from fractions import Fraction
from math import comb

import pytest

from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce.event import Event, by_steps, weigh
from shufflecert.verify.reduce.multinomial_form import POWER_BITS, rounded
from shufflecert.verify.reduce.privacy_blanket import Rows
from tests import oracle

POOL = [(), ("a",), ("b",), ("a", "b"), ("a", "a"), ("b", "c"), ("c",), ("a", "b", "c")]


def random_case(seed, single=False):
    """(rows by input, others by input, e^eps): zeros in rows included."""
    draw = random.Random(seed)
    pool = [("a",), ("b",), ("c",)] if single else sorted(draw.sample(POOL, draw.randint(2, 4)))

    def row():
        weights = [0] * len(pool)
        while not any(weights):
            weights = [draw.choice([0, 1, 2, 3, 4, 5]) for _ in pool]
        return {sent: Fraction(w, sum(weights)) for sent, w in zip(pool, weights, strict=True) if w}

    rows = {x: row() for x in "xyz"}
    others = {z: draw.randint(0, 3) for z in "xyz"}
    return rows, others if any(others.values()) else {"z": 2}, draw.choice([Fraction(1), Fraction(11, 10), Fraction(2)])


def laws(rows, others):
    """(P, Q) of the shuffled view, the user on x or y."""
    dataset = tuple(z for z, count in others.items() for _ in range(count))
    return [oracle.convolved_law(rows, (user, *dataset)) for user in "xy"]


def event(rows, others):
    return Event(rows["x"], rows["y"], tuple((rows[z], count) for z, count in others.items() if count))


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.sampled(3)
def test_an_event_is_never_more_than_delta(seed):
    """And what is written down has just the excess that is stated."""
    rows, others, power = random_case(seed, single=seed % 3 == 0)
    P, Q = laws(rows, others)
    delta, tried = oracle.hockey_stick(P, Q, power), event(rows, others)
    found = tried.enclosure(Eps.log(power), 6)
    assert 0 <= found.low <= delta
    guess = weigh(tried.p, tried.q, tried.others, power)
    shown, written = tried.on_lattice(power, guess[0] if guess else {}, 1 << 12)
    seen = [y for y in {*P, *Q} if sum(written.weights.get(m, 0) for m in y) > written.above]
    excess = sum(P.get(y, 0) for y in seen) - power * sum(Q.get(y, 0) for y in seen)
    assert shown <= max(excess, 0) and excess - shown < Fraction(1, 10**20)


def test_most_of_delta_is_found():
    """Over all cases above together: a threshold event shows over 95% of delta, on the line as well as on a lattice."""
    found, there = Fraction(0), Fraction(0)
    for seed in range(40):
        rows, others, power = random_case(seed, single=seed % 3 == 0)
        there += oracle.hockey_stick(*laws(rows, others), power)
        found += event(rows, others).enclosure(Eps.log(power), 6).low
    assert Fraction(95, 100) * there < found <= there


@pytest.mark.parametrize("seed", [3, 7, 18])
@pytest.mark.sampled(3)
def test_the_line_is_never_more_than_delta(seed, monkeypatch):
    """The road of many users, at few: the blurred event still is one, and near the one on a lattice."""
    rows, others, power = random_case(seed, single=seed % 3 == 0)
    delta = oracle.hockey_stick(*laws(rows, others), power)
    exactly = event(rows, others).enclosure(Eps.log(power), 6).low
    monkeypatch.setattr("shufflecert.verify.reduce.event.FEW", 0)
    monkeypatch.setattr("shufflecert.verify.reduce.event.by_steps", lambda *_: None)
    found = event(rows, others).enclosure(Eps.log(power), 6)
    assert exactly > 0 and exactly * Fraction(9, 10) < found.low <= delta


def test_a_message_that_tells_next_to_nothing_has_no_weight():
    """Its direction was e^-10^14, that filled memory: others as this user, who send pairs of a very rarely."""
    sent = [("a", "a"), (), ("b",), ("a", "b", "c"), ("b", "c"), ("b", "b")]
    x, y = (
        {m: Fraction(w, sum(weights)) for m, w in zip(sent, weights, strict=True)}
        for weights in ((1, 2, 1, 4, 95186, 873879), (778168, 376123, 437232, 1, 2, 394840))
    )
    power = Eps.of(Fraction(17348613801151505961587717, 9671406556917033397649408)).bounds(256)[1]
    weights, _ = weigh(x, y, ((x, 2),), power)
    assert weights["a"] == 0 > weights["b"] and weights["c"] > 0
    P, Q = laws({"x": x, "y": y}, {"x": 2})
    assert Event(x, y, ((x, 2),)).enclosure(Eps.log(power), 6).low <= oracle.hockey_stick(P, Q, power)


def test_one_message_and_all_others_equal_loses_nothing():
    """The best event is a threshold: its excess on the line, at n = 400, is delta by the sum over three counts' law."""
    row = {(m,): Fraction(w, 10) for m, w in zip("abc", (5, 3, 2), strict=True)}
    x = {("a",): Fraction(1, 2), ("b",): Fraction(1, 4), ("c",): Fraction(1, 4)}
    y = {("a",): Fraction(1, 4), ("b",): Fraction(1, 4), ("c",): Fraction(1, 2)}
    randomizer = Randomizer.of({"x": x, "y": y, "z": row})
    table = Rows.of(randomizer, 401)
    exact = table.bound(table.shape("x", "y", table.least(["z"]))).enclosure(Eps.of("1/20"), 30)
    found = Event(x, y, ((row, 400),)).enclosure(Eps.of("1/20"), 6)
    assert exact.relative_width < Fraction(1, 10**29)
    assert exact.low * (1 - Fraction(1, 10**4)) < found.low <= exact.high


def test_a_message_that_only_one_input_sends():
    """It is seen with probability 2/5 on x and never on y: no eps takes that away, however large n is."""
    x = {(): Fraction(1, 10), ("a", "b"): Fraction(1, 2), ("d",): Fraction(2, 5)}
    y = {(): Fraction(1, 2), ("a", "b"): Fraction(1, 2)}
    tried = Event(x, y, ((y, 10**5),))
    assert tried.infinity_mass() == Fraction(2, 5)
    assert Fraction(2, 5) <= tried.enclosure(Eps.of(3), 6).low < Fraction(41, 100)


def test_others_who_send_one_thing_hide_nothing():
    """The user's own messages are seen: delta is the local one."""
    x, y = {("a",): Fraction(3, 4), ("b",): Fraction(1, 4)}, {("a",): Fraction(1, 4), ("b",): Fraction(3, 4)}
    found = Event(x, y, (({("a",): Fraction(1)}, 50),)).enclosure(Eps.of(0), 6)
    assert found.low == Fraction(1, 2)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_seen_for_sure(seed):
    """Against the views of all others, enumerated: no view of one class is a view of another; and P(Q = 0) is at least
    the infinity mass, in both directions."""
    rows, others, _ = random_case(seed, single=seed % 4 == 0)
    if seed % 2:  # others who agree in something
        others = dict([max(others.items(), key=lambda item: item[1])])
    P, Q = laws(rows, others)
    tried = event(rows, others)
    assert tried.infinity_mass() <= sum((p for y, p in P.items() if not Q.get(y)), Fraction(0))
    assert tried.reversed().infinity_mass() <= sum((p for y, p in Q.items() if not P.get(y)), Fraction(0))
    views = {}
    for sent, seen in tried.classes.items():
        dataset = tuple(z for z, count in others.items() for _ in range(count))
        views.setdefault(seen, set()).update(oracle.convolved_law({**rows, "u": {sent: Fraction(1)}}, ("u", *dataset)))
    assert sum(map(len, views.values())) == len(set().union(*views.values()))


def test_most_of_what_only_one_side_has_is_found():
    """P(Q = 0) of all cases above together, of which ends are the larger part: they were left out."""
    found, there = Fraction(0), Fraction(0)
    for seed in range(60):
        rows, others, _ = random_case(seed, single=seed % 4 == 0)
        P, Q = laws(rows, others)
        found += event(rows, others).infinity_mass()
        there += sum((p for y, p in P.items() if not Q.get(y)), Fraction(0))
    assert Fraction(95, 100) * there < found <= there


def test_others_who_send_two_copies_or_none_hide_no_single_one():
    """The parity of the sum is the user's: delta is that of the parity, for any number of others."""
    half = Fraction(1, 2)
    x, y, z = {("a",): half, (): half}, {("a", "a"): half, (): half}, {("a", "a"): half, (): half}
    tried = Event(x, y, ((z, 10**6),))
    assert tried.infinity_mass() == half
    assert tried.enclosure(Eps.of(1), 6).low >= half


@pytest.mark.parametrize("w", [2, -3])
def test_others_of_two_outputs_are_taken_point_by_point(w):
    """All others have two outputs: against the largest excess over all thresholds, of a binomial sum in Fractions."""
    n, p, power = 400, Fraction(1, 3), Fraction(11, 10)
    tails = [Fraction(0)] * (n + 2)
    for k in range(n, -1, -1):
        tails[k] = tails[k + 1] + comb(n, k) * p**k * (1 - p) ** (n - k)
    user = {w: Fraction(3, 4), 0: Fraction(1, 4) - power / 2, 5 * w: -power / 2}

    def excess(c):  # of user + 1 + w K > c
        def more(v):  # Pr[w K > c - 1 - v]
            at = [k for k in range(n + 1) if w * k > c - 1 - v]
            if not at:
                return 0
            return tails[at[0]] if w > 0 else 1 - tails[at[-1] + 1]

        return sum(d * more(v) for v, d in user.items())

    exact = max(excess(c) for c in range(min(0, w * (n + 5)), max(0, w * (n + 5)) + 2))
    low, high = by_steps(user, [({1: 1 - p, 1 + w: p}, n)])
    assert low <= exact <= high * (1 + Fraction(1, 10**30)) and high - low < Fraction(1, 10**40)


def test_events_of_very_small_deltas_are_shown():
    """Randomized response, the others on 0, by the binomial law: delta(1) is about 1e-60, and 1e-101."""
    p, q = Fraction(3, 4), Fraction(1, 4)
    for users, size in ((140, 60), (240, 101)):
        tried = Event({("1",): p, ("0",): q}, {("1",): q, ("0",): p}, (({("1",): q, ("0",): p}, users - 1),))
        others = [comb(users - 1, k) * q**k * p ** (users - 1 - k) for k in range(users)] + [Fraction(0)]
        P, Q = ([a * others[k - 1] + (1 - a) * others[k] for k in range(users + 1)] for a in (p, q))
        power = rounded(Eps.of(1), POWER_BITS)[0]
        delta = sum(max(a - power * b, Fraction(0)) for a, b in zip(P, Q, strict=True))
        assert Fraction(1, 10 ** (size + 3)) < delta < Fraction(1, 10 ** (size - 3))
        for bound in (Fraction(0), delta * Fraction(999, 1000)):
            written = tried.threshold(Eps.of(1), bound)
            seen = [k for k in range(users + 1) if k * written.weights.get("1", 0) > written.above]
            assert sum(P[k] - power * Q[k] for k in seen) > bound
