"""Systems seen together against products of laws in Fractions, over all neighbouring datasets; closed forms; a DP."""

from fractions import Fraction
from itertools import combinations_with_replacement, pairwise, product
from math import comb

import pytest
from mpmath import mp, mpf, workdps

from shufflecert.protocols.blanket_sum import BlanketSum
from shufflecert.protocols.fake_users import FakeUsers
from shufflecert.protocols.fragmented_rappor import FragmentedRAPPOR
from shufflecert.protocols.hist import Hist
from shufflecert.protocols.krr import KRR
from shufflecert.protocols.poisson import PoissonSum
from shufflecert.protocols.r_gap import RGap
from shufflecert.protocols.r_infinity import RInfinity
from shufflecert.protocols.rr import RR
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.compose import assignments
from shufflecert.verify.compose.accountant import compose_parts
from shufflecert.verify.compose.assignments import Looked, Rough, exact_delta, largest_of
from shufflecert.verify.compose.components import known, power, powers
from shufflecert.verify.compose.composition import Run, prepare
from shufflecert.verify.enclose.noise_laws import Binomial, Poisson
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.neighbours import neighbourhood
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.pairs import windowed
from shufflecert.verify.pairs.windowed import SumPair
from shufflecert.verify.reduce.reduction import Pairs
from shufflecert.verify.systems.catalogue import names, system_class
from tests import oracle
from tests.helpers import both_directions
from tests.products import TRUTH, adaptive, ends, height, holds, neighbours, rows_of, same, times

STRANGER = Randomizer.of({"a": {("u", "v"): "1/2", (): "1/2"}, "b": {("u",): "1/3", ("v",): "2/3"}, "c": {("u",): 1}})


# Enumerated -----------------------------------------------------------------------------------------------------------


ENUMERATED = [
    (ZSum("2/5"), 3, 3),
    (RR("1/4"), 3, 3),
    (RR("1/3"), 1, 4),
    (KRR(3, "1/5"), 2, 2),
    (Hist(3, "1/2"), 2, 2),
    (RGap(), 2, 2),
    (RInfinity(), 2, 3),
    (STRANGER, 2, 2),
]


@pytest.mark.parametrize(("system", "n", "k"), ENUMERATED, ids=lambda value: str(value)[:20])
@pytest.mark.parametrize("data", ["same", "fresh"])
def test_few_compositions_are_exact(system, n, k, data):
    pairs = neighbours(rows_of(system), n)
    question = prepare([Run(system, n, k)], data)
    for x in (Fraction(1), Fraction(3, 2), Fraction(4)):
        found = question.delta(Eps.log(x))
        assert isinstance(found.delta, Delta)
        assert ends(found, x)[0] == TRUTH[data](pairs, k, x)
        assert not found.two_sided


@pytest.mark.parametrize(("system", "n", "k"), ENUMERATED[:5], ids=lambda value: str(value)[:20])
def test_an_adversary_that_waits_and_sees_is_worse_and_enclosed(system, n, k):
    pairs = neighbours(rows_of(system), n)
    question = prepare([Run(system, n, 2)], "adaptive")
    for x in (Fraction(1), Fraction(3, 2), Fraction(4)):
        assert holds(question.delta(Eps.log(x)), adaptive(pairs, 2, x), x)
    if isinstance(system, ZSum):
        x = Fraction(3, 2)
        assert adaptive(pairs, 2, x) > ends(prepare([Run(system, n, 2)], "fresh").delta(Eps.log(x)), x)[1]


def test_several_systems_with_runs_of_their_own():
    systems = [(ZSum("1/3"), 2, 2), (RR("1/4"), 2, 1), (KRR(3, "1/2"), 1, 1)]
    lists = [neighbours(rows_of(system), n) for system, n, _ in systems]
    x = Fraction(7, 4)
    runs = [Run(system, n, k, str(k)) for system, n, k in systems]
    alike = max(height(times(a, a, b, c), x) for a, b, c in product(*lists))
    mixed = max(height(times(a, d, b, c), x) for a, d, b, c in product(lists[0], *lists))
    assert ends(prepare(runs).delta(Eps.log(x)), x)[0] == alike
    found = prepare(runs, "fresh").delta(Eps.log(x))
    assert ends(found, x)[0] == mixed
    assert sum(worst.times for worst in found.worst) == 4
    assert holds(prepare(runs, "adaptive").delta(Eps.log(x)), mixed, x)


@pytest.mark.parametrize("bound", ["1/100", "1/20", "1/3", "0"])
def test_the_smallest_eps_is_exact(bound):
    system, n, k = KRR(3, "1/2"), 2, 2
    pairs = neighbours(rows_of(system), n)
    truth = max(
        oracle.pair_epsilon_ratio(*(dict(enumerate(law)) for law in zip(*times(a, b), strict=True)), Fraction(bound))
        for a, b in combinations_with_replacement(pairs, k)
    )
    assert prepare([Run(system, n, k)], "fresh").epsilon(bound).power == truth


def test_no_finite_eps():
    found = prepare([Run(RInfinity(), 1, 2)]).epsilon("1/2")
    assert found.power == 1 and found.interval is None  # one law for both inputs
    told = prepare([Run(RGap(), 1, 2)]).epsilon("1/100")
    assert told.power is None and told.interval is None


def test_one_input_has_no_neighbours():
    alone = Randomizer.of({"x": {"y": 1}})
    found = prepare([Run(alone, 3, 5)]).delta(0)
    assert ends(found, 1) == (0, 0)
    assert found.worst == ()


@pytest.mark.parametrize(("k", "eps"), [(10, 1), (100, 5), (1000, 20)])
def test_local_randomized_response_against_the_binomial_form(k, eps):
    """delta = sum over j of C(k, j) max(p^j q^(k - j) - e^eps q^j p^(k - j), 0), p = 1 - flip, q = flip."""
    with workdps(60):
        p, q, e = mpf(3) / 4, mpf(1) / 4, mp.exp(eps)
        truth = mp.fsum(comb(k, j) * max(p**j * q ** (k - j) - e * q**j * p ** (k - j), 0) for j in range(k + 1))
        exact = Fraction(int(mp.floor(truth * mpf(2) ** 150)), 2**150)
    found = prepare([Run(RR("1/4"), 1, k)]).delta(eps).delta
    low, high = (Fraction(end) for end in found.enclosure())
    assert low - Fraction(1, 2**149) <= exact <= high + Fraction(1, 2**149)
    assert high - low <= high / 10**8


# Reductions -----------------------------------------------------------------------------------------------------------


REDUCED = [
    (ZSum("2/5"), 3),
    (RR("1/4"), 3),
    (KRR(2, "1/3"), 3),
    (KRR(3, "1/5"), 2),
    (KRR(3, "1/2"), 3),
    (BlanketSum(2, "1/2"), 2),
    (Hist(3, "1/2"), 2),
    (FragmentedRAPPOR(3, "1/4"), 2),
    (FakeUsers(2, 1, "1/4"), 2),
]


@pytest.mark.parametrize(("system", "n"), REDUCED, ids=lambda value: str(value)[:30])
@pytest.mark.sampled(8)
def test_reductions_hold_what_all_datasets_have(system, n, reduced_systems):
    pairs = neighbours(rows_of(system), n)
    for data in TRUTH if len(pairs) < 7 else ("same",):
        question = prepare([Run(system, n, 2)], data, points=12)
        for x in (Fraction(1), Fraction(5, 2)):
            assert holds(question.delta(Eps.log(x)), TRUTH[data](pairs, 2, x), x)


@pytest.mark.parametrize("data", ["same", "fresh"])
def test_pairs_that_stand_for_all_leave_nothing_open(data, reduced_systems):
    pairs = neighbours(rows_of(ZSum("2/5")), 3)
    question = prepare([Run(ZSum("2/5"), 3, 3)], data)
    for x in (Fraction(3, 2), Fraction(4)):
        found = question.delta(Eps.log(x))
        low, high = ends(found, x)
        assert not found.two_sided
        assert low <= TRUTH[data](pairs, 3, x) <= high <= low * (1 + Fraction(1, 10**25))


def listed(reach):
    return isinstance(reach.attained, Pairs) and reach.dominating is None


SAMPLES = {
    "zsum": ZSum("2/5"),
    "hist": Hist(3, "1/3"),
    "support_identification": system_class("support_identification")("1", "2", "1/3"),
    "fake_users": FakeUsers(2, 1, 0),
    "fragmented_rappor": FragmentedRAPPOR(3, 0),
}


def test_every_listed_reduction_is_looked_at():
    """A new system whose list stands for all is to be added to the samples (or has no randomizer to enumerate)."""
    unwritten = {"poisson", "poisson_hist", "negative_binomial", "discrete_laplace", "correlated", "correlated_hist"}
    unwritten |= {"binomial_noise", "discrete_gaussian", "truncated_discrete_laplace"}  # of a server, as these
    unwritten |= {"augmented_shuffle", "sample_and_threshold", "any_ldp"}
    twin = {"symmetric_rappor"}  # the reduction of fragmented_rappor
    big = {"pointer_chasing", "pointer_jumping"}  # histograms over many values
    never = {"rr", "krr", "rappor", "blanket_sum", "r_gap", "r_infinity"}  # no list, or no reduction
    never |= {"hadamard_response", "olh", "subset_selection", "unary_encoding", "count_mean_sketch"}
    never |= {"dbitflip", "bloom_rappor", "priv_kv", "pckv_grr"}
    never |= {"laplace", "gaussian", "piecewise", "square_wave", "duchi", "priv_unit"}
    assert set(names()) == {*SAMPLES, *unwritten, *twin, *big, *never}


@pytest.mark.parametrize("name", SAMPLES)
def test_listed_pairs_dominate_all_others_at_every_threshold(name, reduced_systems):
    """What composition needs of them: one member is above, for P against Q and for Q against P."""
    system, n = SAMPLES[name], 3 if name == "zsum" else 2
    assert listed(system.reach(n))

    def once(side, x):
        return compose_parts([(part, 1) for part in side.parts], Eps.log(x)).high

    for forth in neighbours(rows_of(system), n):
        back = [(q, p) for p, q in forth]
        ways = [(pair, {max(p / q, Fraction(1)) for p, q in pair if q} | {Fraction(1)}) for pair in (forth, back)]
        assert any(
            all(
                height(pair, x) <= once(way, x)
                for (pair, at), way in zip(ways, (side, side.reversed()), strict=True)
                for x in at
            )
            for side in known(Question.of(system, n), Effort()).sides
        )


def test_a_large_count_is_the_composition_of_its_two_pairs():
    noise = Binomial(1000, Fraction(2, 7))
    truth = both_directions(SumPair((noise,), (noise,), 1), 4, 2, 5)
    found = prepare([Run(ZSum("2/7"), 1000, 4, "zsum")], digits=5).delta(2)
    assert found.delta.low <= truth.high and truth.low <= found.delta.high
    assert found.delta.relative_width <= Fraction(2, 10**5)
    assert (found.compositions, found.stands_for, found.two_sided) == (2, 2000, False)


def test_without_atoms_the_same_number_is_between_dots(monkeypatch):
    """A Poisson count that composes by its atoms, and by dots above and below."""
    run = Run(PoissonSum("300"), 10, 5)
    truth = prepare([run], digits=5).delta("1/4")
    monkeypatch.setattr(windowed, "MOST_ATOMS", 10)
    found = prepare([run], points=32).delta("1/4")
    assert found.two_sided and not truth.two_sided
    assert found.delta.low <= truth.delta.low and truth.delta.high <= found.delta.high
    assert found.delta.relative_width < Fraction(1, 10)


def test_more_dots_are_closer(reduced_systems):
    run = Run(KRR(3, "1/2"), 3, 2)
    few, many = (prepare([run], points=points).delta("1/2").delta for points in (8, 64))
    assert few.low <= many.low <= many.high <= few.high
    assert few.high - few.low > 1.5 * (many.high - many.low)


def test_an_eps_between_bounds(reduced_systems):
    system, n = RR("1/4"), 3
    bound = Fraction(1, 20)
    exact = max(
        oracle.pair_epsilon_ratio(*(dict(enumerate(law)) for law in zip(*times(a, a), strict=True)), bound)
        for a in neighbours(rows_of(system), n)
    )
    low, high = prepare([Run(system, n, 2)], points=16).epsilon(bound).interval
    at = Eps.log(exact)
    assert Eps.of(low) <= at <= Eps.of(high)
    assert 0 < high - low < high / 2


def test_an_eps_of_counts():
    found = prepare([Run(PoissonSum("20"), 100, 4)], digits=4).epsilon("1e-4")
    low, high = found.interval
    assert 0 < high - low < high / 10**3
    noise = Poisson(Fraction(20))
    pair = SumPair((noise,), (noise,), 1)
    assert both_directions(pair, 4, low).low > Fraction(1, 10**4) > both_directions(pair, 4, high).high


# Parts ----------------------------------------------------------------------------------------------------------------


def test_merging_outcomes_changes_no_divergence():
    for case in neighbourhood(KRR(3, "1/2").randomizer(), 3):
        small = case.pair.merged()
        assert len(small.p) <= len(case.pair.p)
        assert sum(small.p) == sum(case.pair.p) and sum(small.q) == sum(case.pair.q)
        for x in (Fraction(1), Fraction(3, 2), Fraction(3)):
            one, two = small.delta(Eps.log(x)), case.pair.delta(Eps.log(x))
            assert one == two


def test_reversed_blankets_are_those_of_the_reversed_pair():
    """All others on one value and one message each: the bound is the divergence, both ways."""
    system, n = KRR(3, "1/2"), 3
    for member in system.reach(n).attained.members:
        bound, others = member.value, member.named.neighbours.others
        back = bound.reversed()
        held = [z for z, count in others.items() for _ in range(count)]
        rows = rows_of(system)
        P, Q = (oracle.convolved_law(rows, [x, *held]) for x in (member.named.source, member.named.target))
        for x in (Fraction(1), Fraction(2)):
            value = back.enclosure(Eps.log(x), 20)
            assert value.low <= oracle.hockey_stick(Q, P, x) <= value.high
            assert value.relative_width < Fraction(1, 10**15)


def test_grids_rise():
    for last, points in ((Fraction(1, 1 << 40), 128), (Fraction(64), 3), (Fraction(3, 7), 1 << 14)):
        grid = powers(last, points)
        assert grid[0] == 1 and len(grid) == points + 1
        assert all(a < b for a, b in pairwise(grid))
    with workdps(40):
        assert (
            abs(mpf(power(Fraction(1, 2)).numerator) / power(Fraction(1, 2)).denominator - mp.exp("0.5"))
            < mpf(2) ** -33
        )


def test_what_is_known_of_a_stranger_at_large_n():
    found = known(Question.of(STRANGER, 5000), Effort())
    assert not found.whole
    assert found.above(Fraction(1)) <= 1


@pytest.mark.parametrize(
    "call",
    [
        lambda: prepare([]),
        lambda: prepare([Run(RR("1/4"), 3, 0)]),
        lambda: prepare([Run(RR("1/4"), 0, 1)]),
        lambda: prepare([Run(RR("1/4"), 3, 1)], "old"),
        lambda: prepare([Run(RR("1/4"), 3, 1)], group=4),
        lambda: prepare([Run(RR("1/4"), 3, 1)], group=0),
        lambda: prepare([Run(RR("1/4"), 3, 1)], digits=13),
        lambda: prepare([Run(RR("1/4"), 3, 1)], points=1),
        lambda: prepare([Run(PoissonSum("10"), 10**4, 1)], group=1001),
        lambda: prepare([Run(RR("1/4"), 3, 1)]).delta(-1),
        lambda: prepare([Run(RR("1/4"), 3, 1)]).delta(0.5),
        lambda: prepare([Run(RR("1/4"), 3, 1)]).epsilon(2),
    ],
)
def test_bad_input(call):
    with pytest.raises(BadInput) as error:
        call()
    assert "\n" not in str(error.value)
    assert not isinstance(error.value, TooMuchWork)


def test_what_was_looked_at_before_leaves_out_what_is_smaller(monkeypatch):
    """Of the products of all pairs of six users, by their definition; in any order of eps, with fewer evaluations."""
    counted = []

    def counting(*given):
        counted.append(1)
        return compose_parts(*given)

    monkeypatch.setattr(assignments, "compose_parts", counting)
    rows = {x: {(x,): Fraction(3, 4), (y,): Fraction(1, 4)} for x, y in ("01", "10")}
    question, pairs, looked = prepare([Run(Randomizer.of(rows), 6, 3)]), neighbours(rows, 6), Looked()
    for x in (Fraction(3), Fraction(3, 2), Fraction(2), Fraction(5, 2), Fraction(8, 5), Fraction(2)):
        found, _ = largest_of(question.all, Eps.log(x), 6, looked=looked)
        truth = same(pairs, 3, x)
        assert found.low <= truth <= found.high <= truth * Fraction(10**5 + 1, 10**5)
    taken = []
    for before in (None, looked):
        counted.clear()
        largest_of(question.all, Eps.log(Fraction(201, 100)), 6, looked=before)
        taken.append(len(counted))
    assert taken[0] >= len(question.all) > taken[1]


@pytest.mark.parametrize("x", [Fraction(1), Fraction(3, 2), Fraction(7, 2), Fraction(100)])
def test_many_assignments_are_bounded_roughly_first(x, monkeypatch):
    """None below what it has, and hardly above it; of 8436 only a few were to be looked at closely, which took 20 s."""
    rows = {
        "0": {("a",): Fraction(98, 111), (): Fraction(2, 37), ("b",): Fraction(7, 111)},
        "1": {("a",): Fraction(31, 505), (): Fraction(2, 505), ("b",): Fraction(472, 505)},
        "2": {("a",): Fraction(1, 59), (): Fraction(1, 59), ("b",): Fraction(57, 59)},
    }
    listed, at, closely = prepare([Run(Randomizer.of(rows), 2, 3)], "fresh").all, Eps.log(x), []
    truths = {id(one): Fraction(exact_delta([one], at)[0].enclosure(30)[0]) for one in listed}
    rough = Rough(at)
    assert all(truths[id(one)] <= rough.above(one.parts) <= truths[id(one)] + Fraction(1, 1000) for one in listed)
    monkeypatch.setattr(assignments, "compose_parts", lambda *given: closely.append(1) or compose_parts(*given))
    found, one = largest_of(listed, at, 12)
    hair = 1 + Fraction(1, 10**12)
    assert found.low <= max(truths.values()) * hair <= found.high * hair and truths[id(one)] * hair >= found.high
    assert len(closely) < len(listed) / 2
