"""Two published bounds: their pairs against their papers' definitions and code, their verdicts against the oracle."""

import json
from fractions import Fraction as F
from itertools import product

import pytest

from shufflecert.proofs import conjectures
from shufflecert.proofs.conjectures.amplification import (
    PART,
    delta_of,
    stronger_clones,
    variation_ratio,
    worst_response,
)
from shufflecert.verify import kernel
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.search.exhaust import look, parameters_of
from tests import oracle
from tests.helpers import asked, call
from tests.reference import binomial

RATIOS = tuple(map(F, ("3/2", "2", "3", "4", "5", "8")))
NAMES = ("variation-ratio-krr", "stronger-clones-krr", "stronger-clones-krr-general")


def powers(E, steps=8):
    return [1 + (E - 1) * F(i, steps) for i in range(steps + 1)]


def as_printed(n, clone, first, second):
    """(P, Q): (A + D1, C - A + D2) and (A + D2, C - A + D1) with C ~ Bin(n-1, clone), A ~ Bin(C, 1/2),
    D1 ~ Bernoulli(first), D2 ~ Bin(1 - D1, second), drawn in this order as both papers print it."""
    P, Q = {}, {}
    for c, p_c in binomial(n - 1, clone).items():
        for a, p_a in binomial(c, F(1, 2)).items():
            for d1, p_1 in ((0, 1 - first), (1, first)):
                for d2, p_2 in binomial(1 - d1, second).items():
                    weight = p_c * p_a * p_1 * p_2
                    for law, seen in ((P, (a + d1, c - a + d2)), (Q, (a + d2, c - a + d1))):
                        law[seen] = law.get(seen, 0) + weight
    return P, Q


def clones_as_printed(n, E, p):
    return as_printed(n, 2 * p, E * p, p / (1 - E * p))


def response(k, E):
    """The definition: the truth with probability E / (E + k - 1), each other value with 1 / (E + k - 1)."""
    return {str(x): {(str(y),): (E if x == y else F(1)) / (E + k - 1) for y in range(k)} for x in range(k)}


# The pairs


@pytest.mark.parametrize("n", [1, 2, 3, 5])
@pytest.mark.parametrize(("p", "beta", "q"), [("3", "2/5", "3"), ("4", "1/3", "6"), ("3/2", "1/8", "5/2")])
def test_variation_ratio_is_what_is_printed(n, p, beta, q):
    p, beta, q = map(F, (p, beta, q))
    alpha = beta / (p - 1)
    P, Q = as_printed(n, 2 * alpha * p / q, p * alpha, alpha / (1 - p * alpha))
    for t in powers(p, 5):
        expected = oracle.hockey_stick(P, Q, t)
        pair = variation_ratio(n, p, beta, q)
        assert delta_of(pair, t) == delta_of(pair.reversed(), t) == expected == oracle.hockey_stick(Q, P, t)


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize(("E", "p"), [("3", "1/5"), ("3", "1/4"), ("3/2", "2/7"), ("8", "1/17")])
def test_stronger_clones_is_what_is_printed(n, E, p):
    E, p = F(E), F(p)
    for t in powers(E, 5):
        assert delta_of(stronger_clones(n, E, p), t) == oracle.hockey_stick(*clones_as_printed(n, E, p), t)


@pytest.mark.parametrize(
    ("n", "p", "beta", "q", "power", "released"),
    [
        (5, "3", "2/5", "3", "3/2", 0.09888),
        (5, "4", "1/2", "4", "2", 0.11342592592592599),
        (20, "3", "2/5", "3", "3/2", 0.011298505571549843),
        (20, "4", "1/3", "6", "5/4", 0.07289247354283446),
        (100, "8", "7/10", "8", "3/2", 0.018452283423653324),
        (100, "2", "1/4", "3", "11/10", 0.0061860565168324645),
    ],
)
@pytest.mark.sampled(2)
def test_variation_ratio_is_what_its_authors_compute(n, p, beta, q, power, released):
    """`Delta(log(power), alpha, r, r, n, p, 1e-16)` in unifiedamplification.py of wangsw/PrivacyAmplification at
    34ca048, in doubles."""
    found = delta_of(variation_ratio(n, F(p), F(beta), F(q)), F(power))
    assert abs(found / F(released) - 1) < F(1, 10**12)


def test_parameters_without_a_pair_are_refused():
    for bad in (lambda: stronger_clones(3, F(3), F(1, 3)), lambda: variation_ratio(3, F(3), F(3, 5), F(3))):
        with pytest.raises(BadInput, match="not a probability"):
            bad()


# Against datasets


@pytest.mark.parametrize(("k", "n"), [(2, 2), (2, 4), (3, 2), (3, 3), (4, 2)])
def test_the_worst_is_that_of_all_datasets(k, n):
    for E in (F(3, 2), F(4)):
        rows = response(k, E)
        for t in powers(E, 4):
            assert worst_response(k, n, E, t)[0] == max(0, oracle.delta(rows, n, t))


@pytest.mark.parametrize("n", [2, 3, 4])
def test_all_others_on_a_third_value_attain_the_bound(n):
    """For k = 3 exactly; for k = 4 its two other values can be told apart, and delta is no less."""
    for k, E in product((3, 4), (F(3, 2), F(4))):
        rows = response(k, E)
        P, Q = (oracle.convolved_law(rows, (x, *["2"] * (n - 1))) for x in "01")
        for t in powers(E, 4):
            bound = delta_of(stronger_clones(n, E, 1 / (E + k - 1)), t)
            attained = oracle.hockey_stick(P, Q, t)
            assert attained == bound if k == 3 else attained >= bound


@pytest.mark.parametrize(("k", "n"), [(3, 2), (3, 3), (3, 5), (4, 3), (5, 2)])
def test_close_to_the_local_eps_delta_is_too_large_by_a_power(k, n):
    """At e^eps just below E the only event is n messages that all say `a`: (1 - e^eps/E) times (E/(E + k - 1))^n with
    the others on a, E/(E + k - 1)^n in the bound's pair. Their ratio is E^(n-1)."""
    for E in (F(3, 2), F(8)):
        t = E - F(1, 10**6)
        bound = delta_of(variation_ratio(n, E, (E - 1) / (E + k - 1), E), t)
        assert bound == (1 - t / E) * E / (E + k - 1) ** n
        delta, case = worst_response(k, n, E, t)
        assert delta == (1 - t / E) * (E / (E + k - 1)) ** n == E ** (n - 1) * bound
        assert set(case.neighbours.others) >= {case.neighbours.source}
        assert case.neighbours.others[case.neighbours.source] == n - 1


def test_two_options_are_bounded_and_not_always_exactly():
    """k = 2: one message says which it is, x + y = 1, and the general proof covers it. Exact for two users; for three,
    E = 3/2, e^eps = 17/16, delta = 19/250 and the bound 81/1000: others who are known to be clones tell more."""
    for n in (2, 3):
        differ = []
        for E in RATIOS:
            rows = response(2, E)
            for t in powers(E):
                delta, bound = oracle.delta(rows, n, t), delta_of(stronger_clones(n, E, 1 / (E + 1)), t)
                assert delta <= bound
                differ += [(E, t, delta, bound)] if delta < bound else []
        assert bool(differ) is (n == 3)
    P, Q = clones_as_printed(3, F(3, 2), F(2, 5))
    assert oracle.hockey_stick(P, Q, F(17, 16)) == F(81, 1000)
    assert (F(3, 2), F(17, 16), F(19, 250), F(81, 1000)) in differ


# The searches


def hunted(name, **given):
    one = conjectures.by_name(name)
    parameters = parameters_of(one, given)
    return one, parameters, one.space(**parameters), look(one, parameters, 0, one.space(**parameters).size)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(4)
def test_the_verdicts_are_those_of_the_oracle(name):
    """k = 3, n = 2 and 3: every case by all ordered datasets, against the pair as printed."""
    expected = []
    for n, E in product((2, 3), RATIOS):
        rows = response(3, E)
        laws = {data: oracle.convolved_law(rows, data) for data in product("012", repeat=n)}
        pairs = [(laws[x], laws[y]) for x, y in oracle.neighbours("012", n)]
        printed = clones_as_printed(n, E, 1 / (E + 1) if name.endswith("general") else 1 / (E + 2))
        for t in powers(E):
            expected.append(max(oracle.hockey_stick(P, Q, t) for P, Q in pairs) <= oracle.hockey_stick(*printed, t))
    _, _, space, found = hunted(name, n=3)
    wrong = [rank for rank, holds in enumerate(expected) if not holds]
    assert space.size == found["cases"] == len(expected) and not found["failures"]
    assert found["hit_count"] == len(wrong) and found["hits"] == wrong[: len(found["hits"])]


@pytest.mark.parametrize("k", (3, 2, 4))
@pytest.mark.sampled(3)
def test_the_bound_for_all_randomizers_holds_where_it_is_proved(k):
    _, _, space, found = hunted("stronger-clones-krr-general", k=k, n=4)
    assert (found["cases"], found["hits"], found["failures"]) == (space.size, [], [])


@pytest.mark.parametrize("name", NAMES[:2])
@pytest.mark.sampled(2)
def test_a_hit_is_told_and_the_kernel_accepts_it(name):
    one, parameters, space, found = hunted(name, n=5)
    for case in (*map(space.case, (found["hits"][0], found["hits"][-1])), {"n": "5", "E": "8", PART: "7/8"}):
        hit = one.explain(case, **parameters)
        n, E = int(case["n"]), F(case["E"])
        t = 1 + (E - 1) * F(case[PART])
        worst = hit.numbers["worst"]
        others = [x for x, count in worst["others"].items() for _ in range(count)]
        laws = [oracle.convolved_law(response(3, E), (worst[x], *others)) for x in ("source", "target")]
        assert F(hit.numbers["delta"]) == oracle.hockey_stick(*laws, t) and len(others) == n - 1
        bound = oracle.hockey_stick(*clones_as_printed(n, E, 1 / (E + 2)), t)
        assert F(hit.numbers["bound"]) == bound and F(hit.numbers["times"]) * bound == F(hit.numbers["delta"])
        ((_, certified),) = hit.certificates.items()
        checked = kernel.check(certified.certificate_text().encode())
        assert (certified.verdict, checked.status) == ("REFUTED", "accepted"), checked.reason
        claim = certified.certificate["claim"]
        ((run,), said) = claim["runs"], (claim["delta"], claim["eps"])
        assert (run["seen"]["users"], *said) == (n, hit.numbers["bound"], f"log({hit.numbers['e^eps']})")


@pytest.mark.parametrize("name", NAMES[:2])
@pytest.mark.sampled(2)
def test_the_smallest_hit(name, capsys, tmp_path):
    """By hand: k = 3, two users, E = 3/2, e^eps = 21/16, the other user on 0. Only two messages 0 have a ratio above
    21/16: 9/49 against 6/49, so delta = 9/49 - 21/16 * 6/49 = 9/392. In the pair it is (2, 0), 6/49 against 4/49."""
    status, out, _ = call(capsys, "search", name, "--n", 2, "-o", tmp_path, "--json")
    tree = json.loads(out)
    first = tree["hits"][0]
    assert status == 1 and tree["verdict"] == "refuted"
    assert first["case"] == {"n": "2", "E": "3/2", PART: "5/8"}
    assert (F(first["numbers"]["delta"]), F(first["numbers"]["bound"])) == (F(9, 392), F(3, 196))
    assert "delta = 9/392" in first["words"] and "the others: 1 on 0" in first["words"]
    assert [kernel.check_file(str(file)).status for file in tmp_path.iterdir()] == ["accepted"]


def test_the_space_is_in_order_of_size():
    space = conjectures.by_name("variation-ratio-krr").space(k=3, n=4, ratios="3, 3/2,3", steps=2)
    cases = [space.case(rank) for rank in range(space.size)]
    assert [(int(c["n"]), F(c["E"]), F(c[PART])) for c in cases] == list(
        product((2, 3, 4), (F(3, 2), F(3)), (0, F(1, 2), 1))
    )


def test_too_many_datasets_are_not_guessed():
    with pytest.raises(TooMuchWork):
        worst_response(6, 60, F(2), F(3, 2))


def test_the_library_offers_them(capsys):
    assert set(NAMES) <= {one["name"] for one in asked(capsys, "search", "list")}
