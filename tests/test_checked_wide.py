"""The verified checker on what is too wide to be listed place by place: noise, remainders, counts of three messages."""

import json
from bisect import bisect_left
from fractions import Fraction
from itertools import accumulate, product
from math import exp as e_to
from math import lgamma, log

import pytest

from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.bound import search
from shufflecert.verify.checked import decide, hints, program, reader
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.exact.randomizer import Randomizer
from tests import verified
from tests.bench.jobs import certificate

TINY = Fraction(1, 10**15)


def told(seen, times, eps, delta, why, verdict):
    claim = writing.claim([(seen, times)], "replace", eps, delta)
    return json.dumps(writing.certificate(claim, verdict, why)).encode()


def parts(delta, shares, most=10**12):
    """Shares of a delta, as fractions."""
    return [Fraction(delta * share).limit_denominator(most) for share in shares]


def said(data):
    """What both say of it, that is the same."""
    status, theirs = decide.verdict(data)[0], kernel.check(data).status
    assert status == theirs, data
    return status


def laplace_delta(q, j, t):
    """Of X + j against X, by Pr[X >= k]: the ratio is monotone, so one of the events X + j >= u is the worst."""
    above = lambda k: q**k / (1 + q) if k > 0 else 1 - q ** (1 - k) / (1 + q)  # noqa: E731
    return max(above(u - j) - t * above(u) for u in range(-1, j + 2))


WIDE = [({"law": "discrete Laplace", "q": q}, j) for q, j in (("99999/100000", 1), ("999/1000", 20), ("1/2", 3))]
WIDE += [({"law": "negative binomial", "r": "1", "p": p}, j) for p, j in (("9999999/10000000", 1), ("999/1000", 700))]


def shift_delta(added, j, t):
    """Of a geometric law X against X + j: Pr[X < j], which is more than the other direction has."""
    return 1 - Fraction(added["p"]) ** j if "p" in added else max(laplace_delta(Fraction(added["q"]), j, t), 0)


@pytest.mark.parametrize(("added", "j"), WIDE)
@pytest.mark.parametrize("t", ["1", "1000001/1000000", "8"])
def test_wide_noise(added, j, t, verified_kernel, tmp_path):
    """To the last digit, of the largest shift and of each pair, as the binary says it as well."""
    delta, seen = shift_delta(added, j, Fraction(t)), {"users": 1, "each": {"up to": j}, "added": added}
    largest, back = (writing.event(writing.neighbours(*ends, None)) for ends in ((str(j), "0"), ("0", str(j))))
    worse = [largest, back] if "q" in added else [back]
    made = [(told(seen, 1, f"log({t})", delta, {}, "PROVED"), "accepted")]
    made += [(told(seen, 1, f"log({t})", delta, pair, "REFUTED"), "rejected") for pair in (largest, back)]
    if delta:
        made += [(told(seen, 1, f"log({t})", delta * (1 - TINY), {}, "PROVED"), "rejected")]
        made += [(told(seen, 1, f"log({t})", delta * (1 - TINY), pair, "REFUTED"), "accepted") for pair in worse]
    for data, status in made:
        assert said(data) == status
    files = [data for data, _ in made]
    assert verified.verdicts(tmp_path, files) == [decide.verdict(data) for data in files]


@pytest.mark.parametrize("p", ["999999/1000000", "1/3"])
def test_wide_noise_in_several_runs(p):
    """Three runs of a geometric law: nothing but Pr[X < 1] tells the pair apart, in one of the runs."""
    seen = {"users": 1, "each": {"up to": 1}, "added": {"law": "negative binomial", "r": "1", "p": p}}
    delta, step = 1 - Fraction(p) ** 3, [(1 / Fraction(p), 64)]
    pair = writing.event(writing.neighbours("0", "1", None))
    for share, kept in ((Fraction(99, 100), "undecided"), (Fraction(1001, 1000), "accepted")):
        proved = told(seen, 3, "1", delta * share, writing.composed([{}], step), "PROVED")
        refuted = told(seen, 3, "1", delta * share, writing.composed([pair], step), "REFUTED")
        assert (said(proved), said(refuted)) == (kept, "undecided" if kept == "accepted" else "accepted")


@pytest.mark.parametrize("bits", [16, 32, 64])
@pytest.mark.parametrize("wrap", [True, False])
def test_remainders(bits, wrap, verified_kernel, tmp_path):
    """Noise as an unsigned integer, by the probabilities of its 81 values; some servers reduce it wrongly."""
    q, whole, t = Fraction(1, 2), 2**bits, 3
    law = {"law": "mod", "by": whole, "of": {"law": "discrete Laplace", "q": str(q), "bound": 40}}
    added = {"law": "mod", "by": whole - 1, "of": law} if wrap else law
    weights = {k % whole % (whole - 1) if wrap else k % whole: q ** abs(k) for k in range(-40, 41)}
    if wrap:
        weights[0] = 1 + q  # -1 is 2^bits - 1, which is 0 then
    unit, (first, second) = sum(q ** abs(k) for k in range(-40, 41)), ({}, {})
    for k, weight in weights.items():
        first[k], second[(k + 1) % whole] = weight / unit, weight / unit
    places = {*first, *second}
    delta = max(
        sum(max(p.get(k, 0) - t * r.get(k, 0), 0) for k in places) for p, r in ((first, second), (second, first))
    )
    seen = {"users": 1, "each": {"up to": 1}, "added": added, "shown": {"mod": whole}}
    pairs = [writing.event(writing.neighbours(*ends, None)) for ends in (("0", "1"), ("1", "0"))]
    for by, proved in ((TINY, "accepted"), (-TINY, "rejected")):
        made = [told(seen, 1, f"log({t})", delta + by, {}, "PROVED")]
        made += [told(seen, 1, f"log({t})", delta + by, pair, "REFUTED") for pair in pairs]
        assert said(made[0]) == proved
        assert ("accepted" in [said(data) for data in made[1:]]) == (proved == "rejected")
        assert verified.verdicts(tmp_path, made) == [decide.verdict(data) for data in made]


def test_three_messages_in_several_runs(verified_kernel, tmp_path):
    """3-ary randomized response of 600 users, twice: 0 against 1, by the counts of both, all others on 2."""
    n, own, other, t = 600, 0.8, 0.1, e_to(0.1)
    chance = lambda a, b: e_to(  # noqa: E731  # that a and b of the others say 0 and 1
        lgamma(n)
        - lgamma(a + 1)
        - lgamma(b + 1)
        - lgamma(n - a - b)
        + (a + b) * log(other)
        + (n - 1 - a - b) * log(own)
    )
    others = {(a, b): chance(a, b) for a, b in product(range(n), repeat=2) if a + b < n and max(a, b) < 130}
    seen, atoms = ((own, other, other), (other, own, other)), []
    for a, b in product(range(131), repeat=2):
        come = [others.get((a - 1, b), 0.0), others.get((a, b - 1), 0.0), others.get((a, b), 0.0)]
        p, q = (sum(x * y for x, y in zip(law, come, strict=True)) for law in seen)
        if p > 0 and q > 0:
            atoms.append((q / p, p, q))
    atoms.sort()
    sums = [(0.0, 0.0), *accumulate(((p, q) for _, p, q in atoms), lambda x, y: (x[0] + y[0], x[1] + y[1]))]
    delta = 0.0
    for ratio, p, q in atoms:  # the second run's outcomes of which the product of both ratios is below 1/t
        u, v = sums[bisect_left(atoms, (1 / (t * ratio),))]
        delta += p * u - t * q * v
    rows = [
        {"input": str(x), "outputs": [{"send": [str(y)], "p": "4/5" if x == y else "1/10"} for y in range(3)]}
        for x in range(3)
    ]
    pair = writing.event(writing.neighbours("0", "1", {"2": n - 1}))
    why = writing.composed([pair], [(Fraction(1001, 1000), 2**14)])
    seen = writing.rows({"rows": rows}, n)
    made = [told(seen, 2, "1/10", part, why, "REFUTED") for part in parts(delta, (0.99, 1.001))]
    assert [said(data) for data in made] == ["accepted", "undecided"]
    assert [status for status, _ in verified.verdicts(tmp_path, made)] == ["accepted", "undecided"]


def test_boxes_of_a_hundred_thousand_users():
    """28 boxes on a line: more than were begun. One of the real datasets alone has a delta of 9.98e-7."""
    text = certificate("r_gap", {}, 100_000, "11/6250000", "1/1000000")
    assert text.count("corner") > 20
    assert said(text.encode()) == "accepted"
    lower = text.replace('"1/1000000"', '"99/100000000"').encode()
    assert {decide.verdict(lower)[0], kernel.check(lower).status} & {"accepted"} == set()


def test_covers_have_boxes_of_as_many_users_as_are_spelled_out():
    assert search.SPELLED_OUT == hints.MOST_USERS


def test_blocks_of_users_left_open_on_a_line(monkeypatch):
    """31 users open: their law was thought too long to see how far its values lie apart, and their grid too wide. Two
    boxes are shorter: both are accepted."""
    rows = {
        "0": {(): Fraction(1, 13), ("a",): Fraction(8, 13), ("a",) * 4: Fraction(4, 13)},
        "1": {("a",) * k: Fraction(w, 29) for k, w in enumerate((9, 6, 4, 3, 7))},
    }
    boxes = certify(Randomizer.of(rows), 100_000, "1/2", "1/1000").certificate_text().encode()
    monkeypatch.setattr(search, "LINE_CELLS", 0)
    blocks = certify(Randomizer.of(rows), 100_000, "1/2", "1/1000").certificate_text().encode()
    assert b'"open": 32' in blocks and b"open" not in boxes
    assert said(boxes) == said(blocks) == "accepted"


MANY = hints.MOST_USERS + 1
TWO = {"0": {("0",): Fraction(3, 4), ("1",): Fraction(1, 4)}, "1": {("1",): Fraction(3, 4), ("0",): Fraction(1, 4)}}


def binomial(n, p, k):
    """The chance of k in n, to seven digits or so."""
    return e_to(lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1) + k * log(p) + (n - k) * log(1 - p))


def many_told(delta, event, others, around="replace", ends=("0", "1"), eps="0"):
    """A refutation of randomized response at eps = 0 of more users than are spelled out."""
    rows = [{"input": x, "outputs": [{"send": [*y], "p": str(p)} for y, p in r.items()]} for x, r in TWO.items()]
    claim = writing.claim([(writing.rows({"rows": rows}, MANY), 1)], around, eps, Fraction(delta))
    because = {"pair": {"from": ends[0], "to": ends[1], "others": others}} | ({"event": event} if event else {})
    return json.dumps(writing.certificate(claim, "REFUTED", because)).encode()


def test_others_of_one_run_are_counted(verified_kernel, tmp_path):
    """They were spelled out, up to 2,000,000. Of sums S of the others' ones P(S <= x) - Q(S <= x) is half the chance of
    x among them, where one goes from 0 to 1; three quarters of it where nobody becomes one on 1.
    """
    others = {"0": MANY - 1}
    x = (MANY - 1) // 4
    most = binomial(MANY - 1, 1 / 4, x)  # of all numbers of ones: so is the best event's gap its half
    far = x - 500
    few = {"outcomes": [{"1": k, "0": MANY - k} for k in range(far - 9, far + 1)]}
    ten = (binomial(MANY - 1, 1 / 4, far) - binomial(MANY - 1, 1 / 4, far - 10)) / 2
    above = {"weights": {"1": "-1"}, "above": str(-x - 1)}
    nobody = binomial(MANY - 1, 1 / 4, x) * 3 / 4
    become = {"around": "add-remove", "ends": (None, "1")}
    cases = [(above, most / 2, {}), (None, most / 2, {}), (few, ten, {}), (above, nobody, become)]
    wrong = [{"0": MANY - 2}, {"0": MANY}, {"0": MANY - 1, "2": 0}, {"0": MANY, "1": -1}, {"0": 1}]
    made = [many_told(most / 3, above, one) for one in wrong] + [many_told(most / 3, above, others, ends=("0", "0"))]
    for event, delta, options in cases:
        made += [many_told(part, event, others, **options) for part in parts(delta, (0.999, 1.001))]
    mine, theirs = [decide.verdict(data) for data in made], [kernel.check(data).status for data in made]
    assert [status for status, _ in mine] == ["malformed"] * 6 + ["accepted", "rejected"] * 4
    expected = ["malformed"] * 6 + ["accepted", "not"] * 4
    assert [status if i < 6 or status == "accepted" else "not" for i, status in enumerate(theirs)] == expected
    assert verified.verdicts(tmp_path, made) == mine


@pytest.mark.parametrize("users", [20_000, MANY])
def test_a_false_gap_is_told_by_the_first_bits(users, monkeypatch):
    """It took three rounds, of ever more bits, and was not told then. Of delta 1/10, and of 10^-30 at eps 1."""
    looked, broken = [], decide.broken
    monkeypatch.setattr(decide, "broken", lambda *told: looked.append(told) or broken(*told))
    middle = users // 2
    few = {"outcomes": [{"1": middle + k, "0": users - middle - k} for k in range(20)]}
    for event, delta, eps in (
        (None, Fraction(1, 10), "0"),
        (few, Fraction(1, 10), "0"),
        (None, Fraction(1, 10**30), "1"),
    ):
        tree = json.loads(many_told(delta, event, {"0": middle, "1": users - 1 - middle}, eps=eps))
        tree["claim"]["runs"][0]["seen"]["users"] = users
        looked.clear()
        assert decide.verdict(json.dumps(tree).encode())[0] == "rejected"
        assert len(looked) == 1


@pytest.mark.parametrize(
    "event", [None, {"weights": {"1": "1"}, "above": "9"}, {"outcomes": [{"1": 9, "0": MANY - 9}]}]
)
def test_a_gap_is_none_where_the_user_alone_shows_none(event, monkeypatch):
    """More than a minute with delta 0 and e^1000: of ever more bits, what a law of the others leaves out is above 0.
    Three times as likely is what is sent from 1 at most.
    """
    monkeypatch.setattr(decide, "broken", None)
    for eps in ("1000", "11/10", "log(3)"):
        assert decide.verdict(many_told(0, event, {"0": MANY - 1}, ends=("1", "0"), eps=eps)) == (
            "rejected",
            decide.NOT_ABOVE,
        )


def test_the_highest_sum_of_many_users():
    """With delta 0: that all send 1 has three times the chance from 1 that it has from 0; 3 is less than e^(11/10)."""
    top = {"weights": {"1": "1"}, "above": str(MANY - 1)}
    told_at = lambda eps, event: many_told(0, event, {"0": MANY - 1}, ends=("1", "0"), eps=eps)  # noqa: E731
    assert said(told_at("1", top)) == "accepted"
    assert decide.verdict(told_at("11/10", top))[0] != "accepted"


@pytest.mark.parametrize(
    "others", [((0, 10), ()), ((0, 8), ()), ((0, 10), ((1, -1), ())), ((2, 9), ()), ((0, 9), ((7, 0), ()))]
)
def test_counts_that_are_no_others_are_refused(others, monkeypatch):
    """By the program itself, whatever is read before: nine others, none below 0, on the inputs that there are."""
    claim = json.loads(many_told(0, None, {"0": MANY - 1}))
    claim["claim"]["runs"][0]["seen"]["users"] = 10
    claim["because"] = {
        "pair": {"from": "0", "to": "1", "others": {"0": 9}},
        "event": {"weights": {"1": "-1"}, "above": "-3"},
    }
    monkeypatch.setattr(program.budget, "steps", iter(range(10**7)))
    ((crowd, p, (threshold,), names),) = reader.read(reader.parse(json.dumps(claim).encode()))
    s = decide.ready(program.claim_of(crowd), names)
    for h in (hints.rounded(crowd.crowd_eps, 10, 64), hints.by_boxes(crowd.crowd_eps, 10, (1, 1), 0, 64, 64)):
        gaps = [
            program.Above(threshold, s.unit_of, h.precise, h.fine, h.cut, h.fast),
            program.BestEvent(s, (h, ())),
            program.BestEvent(s, (hints.exact(crowd.crowd_eps, 64), ())),
        ]
        for gap in gaps:
            assert decide.broken(crowd, s, p, gap)
            assert not decide.broken(crowd, s, p._replace(others_told=others), gap)
            assert not decide.broken(crowd, s, p._replace(to_told=p.from_told), gap)


@pytest.mark.parametrize("copies", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_outputs_stand_in_any_order(copies):
    """Down from the longest took up to forty times as long: a line was walked to its end before all was multiplied."""
    chances = {"0": ("1/2", "1/3", "1/6"), "1": ("1/6", "1/3", "1/2")}
    rows = [{"input": x, "outputs": [{"send": ["a"] * k, "p": of[k]} for k in copies]} for x, of in chances.items()]
    pair = writing.event(writing.neighbours("0", "1", {"0": 299_999}))
    data = told(writing.rows({"rows": rows}, 300_000), 1, "0", Fraction(1, 2000), pair, "REFUTED")
    assert decide.verdict(data, 4 * 10**6)[0] == "accepted"


@pytest.mark.parametrize("users", [10_000, 10**9])
def test_best_events_in_a_plane_are_told_by_few_bits(users, verified_kernel, tmp_path):
    """Two rare messages of the others, b and c, with means of 30: too much work before. Who changes sends b or a
    in one dataset, c or a in the other: by Poisson laws.
    """
    rare = Fraction(30, users - 1)
    rows = [{"input": "0", "outputs": [{"send": ["a"], "p": str(1 - 2 * rare)}]}]
    rows[0]["outputs"] += [{"send": [m], "p": str(rare)} for m in "bc"]
    rows += [{"input": x, "outputs": [{"send": [y], "p": "1/2"} for y in "a" + m]} for x, m in (("1", "b"), ("2", "c"))]
    chance = [e_to(k * log(30) - 30 - lgamma(k + 1)) for k in range(120)]
    at = lambda k: chance[k] if k >= 0 else 0.0  # noqa: E731
    delta = sum(max(at(b - 1) * at(c) - at(b) * at(c - 1), 0) for b, c in product(range(120), repeat=2)) / 2
    pair = writing.event(writing.neighbours("1", "2", {"0": users - 1}))
    seen = writing.rows({"rows": rows}, users)
    made = [told(seen, 1, "0", part, pair, "REFUTED") for part in parts(delta, (0.997, 1.003), 10**9)]
    assert [decide.verdict(data)[0] for data in made] == ["accepted", "undecided"]
    assert [kernel.check(data).status for data in made] == ["accepted", "rejected"]
    assert [status for status, _ in verified.verdicts(tmp_path, made)] == ["accepted", "undecided"]


@pytest.mark.parametrize(("eps", "users"), [("log(2624/1000)", 10**7), ("log(21/8)", 10**3)])
def test_no_delta_is_told_by_one_message(eps, users):
    """However many others there are: where all send the message that has the largest ratio, which is 21/8."""
    laws = {"0": {"a": "1/8", "b": "7/8"}, "1": {"a": "2/3", "b": "1/3"}}
    rows = [{"input": x, "outputs": [{"send": [m], "p": p} for m, p in law.items()]} for x, law in laws.items()]
    seen = {"users": users, "view": "shuffled", "each": {"rows": rows}}
    why = {"pair": {"from": "0", "to": "1", "others": {"1": users - 1}}}
    data = told(seen, 1, eps, Fraction(0), why, "REFUTED")
    assert (decide.verdict(data)[0] == "accepted") == (eps != "log(21/8)")
    assert eps != "log(21/8)" or kernel.check(data).status != "accepted"
