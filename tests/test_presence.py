"""Who is there: adjacency, honesty and check-in, against the oracle's definitions."""

import dataclasses
import math
import random
from fractions import Fraction

import pytest

from shufflecert.verify.calibrate.least_noise import Promise
from shufflecert.verify.calibrate.tuned_system import Task, tune
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.decide.worst_case import delta, epsilon, privacy_profile
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.randomizer import Presence, Randomizer
from shufflecert.verify.reduce.privacy_blanket import reach_of
from shufflecert.verify.reduce.reduction import known_reach, worst_delta
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.catalogue import load
from shufflecert.verify.systems.population import populated
from tests import oracle
from tests.asked import profile_curve, trade_off_of
from tests.helpers import cases, laws_made
from tests.presence_cases import SHAPES, some_presence, some_table, some_weights


def compare(seed):
    """One random table and one random crowd: enumeration, eps and the profile agree with the oracle to the digit."""
    rng = random.Random(seed)
    rows, ours = some_table(rng)
    n = rng.randint(1, 3)
    who, theirs = some_presence(rng, rows, n)
    if who.adjacency == "deletion" and seed % 3:  # who is deleted sends by a law of its own
        outputs = rng.choice(SHAPES)
        law = {send: p for send, p in zip(outputs, some_weights(rng, len(outputs)), strict=True) if p}
        who = Presence.of("deletion", Randomizer.of({"null": law}), who.honest, who.take_part)
        theirs |= {"reference": {"null": Fraction(1)}, "law": law}
    view = rng.choice(["shuffled", "shuffled", "local", "preshuffle"])
    t = rng.choice([Fraction(1), Fraction(3, 2), Fraction(3)])
    users = who.honest if view == "shuffled" else 1
    expected = oracle.attended_delta(rows, users, t, view, **theirs)
    found = delta(populated(ours, who), n, Eps.log(t), view)
    assert isinstance(found.delta, Delta)
    assert found.delta.A - found.delta.B * t == expected, (seed, rows, who)
    assert privacy_profile(populated(ours, who), n, view).at(t) == expected
    least = epsilon(populated(ours, who), n, expected, view)
    assert least.eps is not None and least.eps.power <= t
    if view == "shuffled" and users > 1:
        reach = reach_of(populated(ours, who).randomizer() if who.adjacency != "replace" else who.rows(ours), users)
        bounds = worst_delta(reach, Eps.log(t)).value
        assert bounds.low <= expected <= bounds.high, (seed, rows, who)


def test_random_crowds():
    for seed in range(cases(3000, 40)):
        compare(seed)


def test_whoever_is_not_honest_tells_nothing():
    """Honest users beside others with any law of messages: no more than the honest alone, and as much without them."""
    rng = random.Random(5)
    for _ in range(cases(80)):
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
    tested = trade_off_of(made, 9, [Fraction(1, 4)], grid).points[0][1]
    assert tested.low <= 1 - Fraction(1, 4) - Fraction(delta(made, 9, 0).delta.enclosure()[0])


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


def test_a_faint_delta_is_covered_as_far_as_the_work_goes(monkeypatch):
    """What the laws of faint corners take was counted afterwards, and too low: minutes beyond the work allowed."""
    made = laws_made(monkeypatch)
    system = populated(catalogue.system("rr", flip="1/4"), Presence.of("add-remove", take_part="1/2"))
    found = delta(system, 2000, 1).delta
    assert 0 < found.low < found.high < 3 * found.low < Fraction(1, 10**160)
    assert sum(made) < 1 << 28
