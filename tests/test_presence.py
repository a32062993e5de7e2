"""Who is there: adjacency, honesty and check-in, against the oracle's definitions."""

import csv
import dataclasses
import json
import math
import random
from fractions import Fraction

import pytest

import shufflecert
from tests import oracle
from tests.helpers import asked, call
from tests.judge import judge
from verify import kernel
from verify.calibrate.least_noise import Promise
from verify.calibrate.tuned_system import Task, tune
from verify.compose.composition import Run, prepare
from verify.decide.certify import certify
from verify.decide.privacy_profile import profile_curve
from verify.decide.trade_off import trade_off
from verify.decide.worst_case import delta, epsilon, profile
from verify.errors import BadInput
from verify.exact.epsilon import Delta, Eps
from verify.exact.randomizer import ADJACENCIES, Presence, Randomizer
from verify.reduce.presence import known_reach
from verify.reduce.privacy_blanket import reach_of
from verify.reduce.reduction import worst_delta
from verify.systems import catalogue
from verify.systems.load import load
from verify.systems.population import populated

SHAPES = [((), ("a",), ("b",)), (("a",), ("b",)), (("a", "a"), ("a",), ("b",), ()), (("a", "b"), ("a",), ("b", "b"))]


def some_weights(rng, size):
    parts = [rng.choice([0, 1, 1, 2, 3]) for _ in range(size)]
    parts[rng.randrange(size)] += 1
    return [Fraction(part, sum(parts)) for part in parts]


def some_table(rng):
    """A random table of 1 to 3 inputs, as the oracle's and as ours."""
    outputs, rows = rng.choice(SHAPES), {}
    for x in "xyz"[: rng.randint(1, 3)]:
        rows[x] = {send: p for send, p in zip(outputs, some_weights(rng, len(outputs)), strict=True) if p}
    return rows, Randomizer.of(rows)


def some_presence(rng, rows, n):
    """Who is there, at random: (ours, the oracle's)."""
    adjacency, take_part = rng.choice(ADJACENCIES), rng.choice([Fraction(1), Fraction(1, 2), Fraction(2, 3)])
    reference = None
    if adjacency == "deletion":
        weights = some_weights(rng, len(rows))
        reference = {x: w for x, w in zip(rows, weights, strict=True) if w}
    honest = rng.randint(1, n)
    ours = Presence.of(adjacency, reference, honest, take_part)
    return ours, {"adjacency": adjacency, "reference": reference, "take_part": take_part}


def compare(seed):
    """One random table and one random crowd: enumeration, eps and the profile agree with the oracle to the digit."""
    rng = random.Random(seed)
    rows, ours = some_table(rng)
    n = rng.randint(1, 3)
    who, theirs = some_presence(rng, rows, n)
    view = rng.choice(["shuffled", "shuffled", "local", "preshuffle"])
    t = rng.choice([Fraction(1), Fraction(3, 2), Fraction(3)])
    users = who.honest if view == "shuffled" else 1
    expected = oracle.attended_delta(rows, users, t, view, **theirs)
    found = delta(populated(ours, who), n, Eps.log(t), view)
    assert isinstance(found.delta, Delta)
    assert found.delta.A - found.delta.B * t == expected, (seed, rows, who)
    assert profile(populated(ours, who), n, view).at(t) == expected
    least = epsilon(populated(ours, who), n, expected, view)
    assert least.eps is not None and least.eps.power <= t
    if view == "shuffled" and users > 1:
        reach = reach_of(populated(ours, who).randomizer() if who.adjacency != "replace" else who.rows(ours), users)
        bounds = worst_delta(reach, Eps.log(t)).value
        assert bounds.low <= expected <= bounds.high, (seed, rows, who)


@pytest.mark.parametrize("block", range(4))
def test_random_crowds(block):
    for seed in range(60 * block, 60 * (block + 1)):
        compare(seed)


@pytest.mark.long
def test_thousands_of_random_crowds():
    for seed in range(1000, 5000):
        compare(seed)


def test_whoever_is_not_honest_tells_nothing():
    """Honest users beside others with any law of messages: no more than the honest alone, and as much without them."""
    rng = random.Random(5)
    for _ in range(40):
        rows, ours = some_table(rng)
        who, theirs = some_presence(rng, rows, 2)
        who = Presence.of(who.adjacency, theirs["reference"], 2, who.take_part)
        t = rng.choice([Fraction(1), Fraction(2)])
        found = delta(populated(ours, who), 5, Eps.log(t)).delta
        worst = found.A - found.B * t
        liar = {("a",): Fraction(1, 3), ("b", "b"): Fraction(1, 3), (): Fraction(1, 3)}
        alone = oracle.attended_delta(rows, 2, t, **theirs)
        for P, Q in oracle.attended_pairs(rows, 2, "shuffled", **theirs):
            seen = [
                oracle._gather((tuple(sorted(y + z)), p * q) for y, p in law.items() for z, q in liar.items())
                for law in (P, Q)
            ]
            assert oracle.hockey_stick(*seen, t) <= oracle.hockey_stick(P, Q, t) <= worst
        assert worst == alone >= oracle.attended_delta(rows, 3, t, **theirs)


def table_of(system, n, **who):
    """The worst delta by the table alone, whatever the system says of itself."""
    return delta(populated(system.randomizer(), Presence.of(**who)), n, "1/2").delta.enclosure()


@pytest.mark.parametrize(
    ("system", "n", "who"),
    [
        ("zsum p=1/3", 5, {"adjacency": "add-remove"}),
        ("zsum p=1/3", 5, {"adjacency": "add-remove", "honest": 1}),
        ("zsum p=1/3", 6, {"adjacency": "add-remove", "honest": 3}),
        ("zsum p=1/3", 6, {"adjacency": "deletion", "reference": "1", "honest": 3}),
        ("hist d=3 p=1/3", 4, {"adjacency": "deletion", "reference": "2", "honest": 3}),
        ("krr k=4 gamma=1/3", 4, {"adjacency": "deletion", "reference": "2"}),
        ("rr flip=1/3", 7, {"honest": 4}),
        ("rappor d=3 flip=1/3", 3, {"adjacency": "deletion", "reference": "3"}),
        ("fragmented_rappor d=3 flip=1/3", 3, {"adjacency": "deletion", "reference": "3"}),
        ("fake_users d=2 k=1 flip=1/3", 3, {"adjacency": "deletion", "reference": "2", "honest": 2}),
    ],
)
def test_what_systems_prove_of_themselves(system, n, who):
    """Where a system's own reduction answers, it encloses the enumeration of its table."""
    name, *parameters = system.split()
    made = load(name, parameters)
    reach = known_reach(populated(made, Presence.of(**who)), n)
    assert reach is not None
    found, (low, high) = worst_delta(reach, Eps.of("1/2")).value, table_of(made, n, **who)
    assert found.low <= Fraction(high)
    assert found.high >= Fraction(low)
    if reach.dominating is None:
        assert found.relative_width < Fraction(1, 10**20)


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("poisson", {"lam": "3", "sensitivity": "2"}), ("negative_binomial", {"r": "2", "p": "1/2"})],
)
def test_noise_that_users_split(name, parameters):
    """n users with a share of the noise each, some of them honest, some of these absent: by window sums of the laws.

    The expected value is a plain sum over the laws' own definitions, cut off where 10^-20 is left.
    """
    made, n, h, t = load(name, [f"{k}={v}" for k, v in parameters.items()]), 10, 7, Fraction(3, 2)

    def law(users):
        part, weights = Fraction(users, n), [1.0]
        if name == "poisson":
            mean = float(3 * part)
            weights = [math.exp(-mean) * mean**k / math.factorial(k) for k in range(100)]
        else:
            shape = float(2 * part)
            weights = [
                math.exp(math.lgamma(k + shape) - math.lgamma(shape) - math.lgamma(k + 1)) * 0.5**shape * 0.5**k
                for k in range(150)
            ]
        return dict(enumerate(weights))

    def worst(pairs):
        return max(
            sum(max(p.get(y, 0) - float(t) * q.get(y, 0), 0) for y in {*p, *q})
            for one in pairs
            for p, q in (one, one[::-1])
        )

    def moved(p, j):
        return {y + j: w for y, w in p.items()}

    top = int(parameters.get("sensitivity", 1))
    coming = worst([(moved(law(h), j), law(h - 1)) for j in range(top + 1)])
    replaced = worst([(moved(law(h), top), law(h))])
    for who, expected in (({"adjacency": "add-remove"}, coming), ({}, replaced)):
        found = delta(populated(made, Presence.of(**who, honest=h)), n, Eps.log(t)).delta
        assert math.isclose(float(found.low), expected, rel_tol=1e-9)
        assert found.relative_width < Fraction(1, 10**20)


def test_curators_noise_stays_whole():
    made = load("discrete_laplace", ["q=1/2"])
    values = {delta(populated(made, Presence.of(honest=h)), 9, "1/4").delta.enclosure() for h in (1, 5, 9)}
    assert values == {delta(made, 9, "1/4").delta.enclosure()}


@pytest.mark.parametrize("name", catalogue.names())
def test_systems_without_a_table_know_of_shares(name):
    """A system that is no table answers for some honest users by its own word, or is refused in words."""
    made = catalogue.system_class(name)
    assert "local" in made.VIEWS or made.offers("share_of") or name.startswith("correlated")


@pytest.mark.parametrize(
    ("who", "words"),
    [
        ({"adjacency": "swap"}, "adjacency: swap: expected one of replace, add-remove, deletion"),
        ({"adjacency": "deletion"}, "reference: none: expected the input"),
        ({"reference": "a"}, "reference: given without deletion"),
        ({"adjacency": "deletion", "reference": "z"}, "reference: 'z' is no input"),
        ({"adjacency": "deletion", "reference": {"a": "1/2"}}, "reference: the probabilities sum to 1/2"),
        ({"honest": 4}, "honest: 4: expected at most the n = 3 users"),
        ({"honest": 0}, "honest"),
        ({"take_part": 0}, "take-part: 0: expected a probability above 0"),
        ({"take_part": "5/4"}, "take-part"),
    ],
)
def test_refusals(who, words):
    rows = Randomizer.of({"a": {"a": "1/2", "b": "1/2"}, "b": {"b": 1}})
    with pytest.raises(BadInput, match=words):
        delta(populated(rows, Presence.of(**who)), 3, 1)


def composed(rows, users, t, times, **who):
    """The oracle's delta of so many independent runs on the same data: products of each pair's laws."""
    worst = Fraction(0)
    for P, Q in oracle.attended_pairs(rows, users, "shuffled", **who):
        laws = [{(): Fraction(1)}, {(): Fraction(1)}]
        for _ in range(times):
            laws = [
                {(*y, z): p * q for y, p in law.items() for z, q in one.items()}
                for law, one in zip(laws, (P, Q), strict=True)
            ]
        worst = max(worst, oracle.hockey_stick(*laws, t))
    return worst


def test_compositions():
    rng = random.Random(3)
    for _ in range(12):
        rows, ours = some_table(rng)
        who, theirs = some_presence(rng, rows, 2)
        t = rng.choice([Fraction(1), Fraction(2)])
        found = prepare([Run(populated(ours, who), 2, 2)]).delta(Eps.log(t)).delta
        expected = composed(rows, who.honest, t, 2, **theirs)
        low, high = found.enclosure()
        assert Fraction(low) <= expected <= Fraction(high)
        assert Fraction(high) - Fraction(low) <= Fraction(1, 10**6)


def test_compositions_that_are_refused():
    made = populated(load("zsum", ["p=1/2"]), Presence.of("add-remove"))
    for runs, more in (([Run(made, 9), Run(made, 9)], {}), ([Run(made, 9, 2)], {"data": "fresh"})):
        with pytest.raises(BadInput, match="adjacency: add-remove: in a composition: expected runs of one system"):
            prepare(runs, **more)
    with pytest.raises(BadInput, match="group: 2: with adjacency add-remove: expected one user"):
        prepare([Run(made, 9, 2)], group=2)
    some = populated(load("zsum", ["p=1/2"]), Presence.of(honest=3))
    with pytest.raises(BadInput, match="group: 4: expected at most the 3 honest users"):
        prepare([Run(some, 9, 2)], group=4)


def test_curves_agree_with_single_answers():
    made = populated(load("zsum", ["p=1/3"]), Presence.of("add-remove", None, 5, "1/2"))
    grid = [Eps.of(0), Eps.of("1/2"), Eps.of(1)]
    for at, value in profile_curve(made, 9, grid).points:
        assert value.enclosure() == delta(made, 9, at).delta.enclosure()
    tested = trade_off(made, 9, [Fraction(1, 4)], grid).points[0][1]
    assert tested.low <= 1 - Fraction(1, 4) - Fraction(delta(made, 9, 0).delta.enclosure()[0])


def decided(rows, ours, who, n, t, view, expected):
    """Certificates of a PROVED claim at the oracle's delta and of a REFUTED one below it."""
    made = populated(ours, who)
    kept = certify(made, n, Eps.log(t), expected, view)
    assert kept.verdict == "PROVED"
    broken = certify(made, n, Eps.log(t), expected * Fraction(99, 100), view) if expected else None
    assert broken is None or broken.verdict == "REFUTED"
    return [one for one in (kept, broken) if one is not None]


def tampered(certificate, presence, view):
    """The certificate with another adjacency, other honest users, another check-in, another reference: and whether a
    checker must say no whatever the numbers are."""
    for name in ADJACENCIES:
        if name != presence.adjacency:
            yield {"adjacency": name}
    claim = certificate["claim"]
    yield {"honest": claim["n"] + 1}
    yield {"honest": 0}
    yield {"take part": "0"}
    yield {"take part": "3/2"}
    if presence.adjacency == "deletion":
        yield {"reference": {}}
        yield {"reference": {"nobody": "1"}}
        yield {"reference": {x: "1/7" for x in claim["reference"]}}
    if view == "shuffled":
        yield {"honest": claim["honest"] + 1, "n": claim["n"] + 1}


def check(tree):
    """The kernel's verdict, which the judge's does not contradict."""
    data = json.dumps(tree).encode()
    found, judged = kernel.check(data), judge(data)
    agree = {"accepted": {"true"}, "rejected": {"false"}, "malformed": {"malformed"}, "undecided": {"true", "false"}}
    assert judged in agree[found.status] | {"too big", "undecided"}, (found, judged)
    return found


def crowds(seeds):
    """Certificates of random tables and crowds, as trees, and each with other users, another share or another delta."""
    for seed in seeds:
        rng = random.Random(seed)
        rows, ours = some_table(rng)
        n, view = rng.randint(2, 3), rng.choice(["shuffled", "shuffled", "local", "preshuffle"])
        (who, theirs), t = some_presence(rng, rows, n), rng.choice([Fraction(1), Fraction(3)])
        worst = oracle.attended_delta(rows, who.honest if view == "shuffled" else 1, t, view, **theirs)
        for found in decided(rows, ours, who, n, t, view, worst):
            tree = json.loads(found.certificate_text())
            share, delta = Fraction(tree["claim"]["take part"]), Fraction(tree["claim"]["delta"])
            changes = [{}, *tampered(tree, who, view), {"take part": str(share * 3 / 4)}, {"take part": "1"}]
            changes += [{"delta": str(delta * part)} for part in (Fraction(9, 10), Fraction(99, 100)) if delta]
            yield from (tree | {"claim": tree["claim"] | change} for change in changes)


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
    found = delta(made, n, eps, max_work=1).delta
    low, high = (Fraction(end) for end in found.enclosure())
    for bound, verdict in ((high * Fraction(102, 100), "PROVED"), (low * Fraction(98, 100), "REFUTED")):
        result = certify(made, n, eps, bound, max_work=1)
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


def test_calibration():
    """The least noise on a grid, by the oracle: the last value of the grid that keeps the promise, tried one by one."""
    steps, t = [Fraction(k, 20) for k in range(11)], Fraction(2)
    for who in (
        {"adjacency": "add-remove", "take_part": "1/2"},
        {"adjacency": "deletion", "reference": "0", "honest": 3},
    ):
        presence = Presence.of(**who)
        theirs = {"adjacency": presence.adjacency, "take_part": presence.take_part}
        theirs |= {"reference": dict(presence.reference)} if presence.reference else {}
        users = presence.honest or 4
        deltas = {flip: oracle.attended_delta(oracle.rr(flip), users, t, **theirs) for flip in steps}
        bound = (deltas[steps[4]] + deltas[steps[5]]) / 2
        expected = min(flip for flip, value in deltas.items() if value <= bound)
        task = Task("rr", {}, ("flip",), Fraction(1, 20), None, presence)
        found = tune(task, Promise.of(4, "log(2)", bound))
        assert found.best.calibrated.value == expected
        assert found.best.calibrated.fails_at == expected - Fraction(1, 20)


def test_more_noise_tells_more_of_who_adds_it():
    """Of noise that is split, a user who comes adds a part: no lemma says that more of it is more private."""
    task = Task("poisson", {}, ("lam",), Fraction(1, 2), None, Presence.of("add-remove"))
    with pytest.raises(BadInput, match="lam: more of it is not proved to be more private with --adjacency add-remove"):
        tune(task, Promise.of(300, 1, "1e-3"))
    found = tune(
        dataclasses.replace(task, within=(Fraction(1), Fraction(40))), Promise.of(300, 1, "1e-3")
    ).best.calibrated
    assert found.searched.lemma is None
    coming = [populated(load("poisson", [f"lam={lam}"]), Presence.of("add-remove")) for lam in (9, 400)]
    assert delta(coming[0], 10, 1).delta.high < delta(coming[1], 10, 1).delta.low
    made = populated(load("poisson", [f"lam={found.value}"]), Presence.of("add-remove"))
    assert delta(made, 300, 1).delta.high <= Fraction(1, 1000)


ZSUM = ("zsum", "-p", "p=1/2", "--n", 30)
CROWD = ("--adjacency", "add-remove", "--honest", 20, "--take-part", "2/3")


def test_commands_say_who_is_there(capsys, tmp_path):
    status, out, _ = call(capsys, "delta", *ZSUM, "--eps", 1, *CROWD, "--json")
    scope = json.loads(out)["scope"]
    assert (status, scope["adjacency"], scope["honest"], scope["take_part"]) == (0, "add-remove", 20, "2/3")
    assert (scope["n"], scope["worst"]["from"], scope["worst"]["to"]) == (30, "1", None)
    path = tmp_path / "c.json"
    status, out, _ = call(capsys, "certify", *ZSUM, "--eps", 1, "--delta", "0.1", *CROWD, "-o", path)
    assert status == 0
    assert "one user, counted in n, added or removed; at least 20 honest users" in out
    assert "every user there with probability 2/3" in out
    assert "one user on 1 against nobody" in out
    assert call(capsys, "check", path)[0] == 0
    assert "--adjacency add-remove --honest 20 --take-part 2/3" in json.loads(path.read_text())["note"]
    status, out, _ = call(capsys, "compose", *ZSUM, "--eps", 1, "--times", 2, *CROWD, "--json")
    assert (status, json.loads(out)["scope"]["honest"]) == (0, 20)
    status, out, _ = call(capsys, "profile", *ZSUM, "--eps", "0:1:2", *CROWD)
    assert (status, "at least 20 honest users" in out) == (0, True)


def test_the_number_of_messages_tells(capsys):
    """Everybody sends one message: who is not there is missing in their number, and nothing hides it."""
    status, out, _ = call(capsys, "delta", "rr", "-p", "flip=1/4", "--n", 9, "--eps", 1, "--adjacency", "add-remove")
    assert (status, out.splitlines()[0]) == (0, "delta(1) = 1")
    assert "whoever is there sends 1 message: the number of messages alone tells of a user with delta = 1" in out
    status, out, _ = call(
        capsys,
        *("delta", "rr", "-p", "flip=1/4", "--n", 9, "--eps", 0, "--adjacency", "add-remove"),
        *("--take-part", "1/2", "--json"),
    )
    told = json.loads(out)["number_of_messages"]
    laws = [{k: Fraction(math.comb(n, k), 2**n) for k in range(n + 1)} for n in (9, 8)]
    expected = max(oracle.hockey_stick(*laws, 1), oracle.hockey_stick(*laws[::-1], 1))
    assert told["each"] == 1
    assert Fraction(told["delta"]["lower"]) <= expected <= Fraction(told["delta"]["upper"])


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("delta", *ZSUM, "--eps", 1, "--honest", 31), "honest: 31: expected at most the n = 30 users"),
        (("delta", *ZSUM, "--eps", 1, "--reference", "0"), "reference: given without deletion"),
        (("delta", *ZSUM, "--eps", 1, "--adjacency", "deletion", "--reference", "2"), "reference: '2' is no input"),
        (("delta", *ZSUM, "--eps", 1, "--adjacency", "deletion", "--reference", "0=1,0=0"), "every input once"),
        (
            ("delta", "poisson", "-p", "lam=9", "--n", 9, "--eps", 1, "--take-part", "1/2"),
            "so no randomizer is written out: --take-part needs one",
        ),
        (
            (
                "delta",
                "poisson_hist",
                "-p",
                "lam=9",
                "-p",
                "buckets=3",
                "--n",
                9,
                "--eps",
                1,
                "--adjacency",
                "add-remove",
            ),
            "so no randomizer is written out: --adjacency add-remove needs one",
        ),
        (
            ("delta", "correlated", "-p", "q=1/2", "-p", "r=1", "-p", "p=1/2", "--n", 9, "--eps", 2, "--honest", 8),
            "expected all users to be honest",
        ),
        (
            ("calibrate", "rr", "-p", "flip=1/4", "--over", "n", "--eps", 1, "--delta", "0.1", "--honest", 3),
            "--over n: with",
        ),
        (("compose", *ZSUM, "--eps", 1, "--group", 2, *CROWD), "group: 2: with adjacency add-remove"),
    ],
)
def test_what_cannot_be_combined_is_refused_in_one_line(capsys, arguments, words):
    status, out, err = call(capsys, *arguments)
    assert (status, out) == (2, "")
    assert words in err
    assert err.count("\n") == 1


def test_the_face_and_objects():
    """Compositions say who is there of themselves, and refuse runs that differ in it."""
    made = shufflecert.populated(load("zsum", ["p=1/2"]), shufflecert.Presence.of("add-remove", None, 9))
    answer = shufflecert.compose([Run(made, 12, 2)], eps=1)
    assert (answer.tree["scope"]["adjacency"], answer.tree["scope"]["honest"]) == ("add-remove", 9)
    assert shufflecert.delta(made, 12, 1).tree["scope"]["honest"] == 9
    with pytest.raises(BadInput, match="presence: differs from run to run"):
        shufflecert.compose([Run(made, 12), Run(load("zsum", ["p=1/2"]), 12)], eps=1)


# Commands that make files and tables ---------------------------------------------------------------------------------


def test_exports_say_who_is_there(capsys, tmp_path):
    file, asks = tmp_path / "p.csv", ["krr", "-p", "k=3", "-p", "gamma=1/2", "--n", 4]
    who = ["--adjacency", "deletion", "--reference", "1", "--honest", 3, "--take-part", "1/2"]
    told = asked(capsys, "export", *asks, *who, "--to", "csv", "-o", file, "--interval", "1/2", "--eps-max", "1")
    assert told["adjacency"] == "deletion" and told["reference"] == {"1": "1"} and told["take_part"] == "1/2"
    lines = [*csv.DictReader(file.read_text().splitlines())]
    assert [line["eps"] for line in lines] == ["0", "0.5", "1"]
    for line in lines:
        found = asked(capsys, "delta", *asks, *who, "--eps", line["eps"])["delta"]
        assert Fraction(line["lower"]) <= Fraction(found["upper"]) and Fraction(line["upper"]) >= Fraction(
            found["lower"]
        )
        assert Fraction(line["upper"]) - Fraction(line["lower"]) < Fraction(1, 10**9)
    pld = tmp_path / "p.json"
    asked(capsys, "export", *asks, *who, "--to", "opendp", "-o", pld, "--interval", "1/2", "--eps-max", "1")
    points = json.loads(pld.read_text())["profile"]
    exact = asked(capsys, "delta", *asks, *who, "--eps", "1/2")["delta"]["upper"]
    assert all(d >= float(Fraction(exact)) for e, d in zip(points["epsilon"], points["delta"], strict=True) if e <= 0.5)


def test_comparisons_say_who_is_there(capsys):
    asks = ["--n", 200, "--eps", 1, "--delta", "1e-3"]
    who = ["--honest", 100]
    found = asked(capsys, "compare", "sum", *asks, *who, "--systems", "poisson,discrete_laplace")
    rows = {row["system"]: row for row in found["rows"]}
    assert found["honest"] == 100 and found["adjacency"] == "replace"
    same = asked(capsys, "calibrate", "poisson", *asks, *who)
    assert rows["poisson"]["parameters"]["lam"] == same["value"]
    assert Fraction(same["value"]) > Fraction(asked(capsys, "calibrate", "poisson", *asks)["value"])
    found = asked(
        capsys,
        "compare",
        "histogram",
        "--buckets",
        3,
        *asks,
        "--adjacency",
        "add-remove",
        "--systems",
        "discrete_laplace",
    )
    noise = {k: Fraction(found["rows"][0]["parameters"]["q"]) ** abs(k) for k in range(-9, 10)}
    assert max(noise[k] / noise[k + 1] for k in range(8)) <= Fraction(
        27183, 10000
    )  # one bucket moves by 1: e^1 is enough
    assert max(noise[k] / noise[k + 1] for k in range(8)) >= Fraction(27182, 10000)


@pytest.mark.parametrize("command", ["table", "audit x.py", "report x.json", "search x", "accuracy zsum -p p=1/2"])
@pytest.mark.parametrize("option", ["--adjacency", "--reference", "--honest", "--take-part"])
def test_who_is_there_matters_not_everywhere(capsys, command, option):
    status, out, err = call(capsys, *command.split(), option, "1")
    assert status == 2 and not out and err.count("\n") == 1
    assert f"No such option: {option}" in err and ": expected delta, epsilon, certify, profile" in err
