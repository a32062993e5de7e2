"""Every system of the catalogue, by its reduction and by the oracle. A new system needs its cases in CASES, no more."""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import comb

import pytest
from flint import fmpq

from shufflecert.protocols.shared.run import run
from shufflecert.verify.decide import worst_case
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.hockey_stick import Profile
from shufflecert.verify.exact.neighbours import neighbourhood
from shufflecert.verify.exact.rational import rational
from shufflecert.verify.reduce.reduction import worst_delta, worst_epsilon
from shufflecert.verify.systems import catalogue
from tests import oracle

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)
EPS = ["0", "log(2)", "1/2", "log(9/7)", "3"]
DELTAS = [Fraction(0), Fraction(1, 50), Fraction(3, 10)]


@dataclass(frozen=True)
class Case:
    """Parameters as on the command line, and the same randomizer built by hand.

    The oracle runs through all ordered datasets up to `oracle_n` users; the reduction is compared up to `reduction_n`.
    """

    parameters: dict
    by_hand: dict
    oracle_n: int
    reduction_n: int


def weighted_bits(*weights):
    """r_gap with these probabilities of the sums 0..4 on inputs 0, 1, ..."""
    bits = list(product("01", repeat=4))
    rows = [{y: Fraction(w[y.count("1")]) / comb(4, y.count("1")) for y in bits} for w in weights]
    return {str(x): {y: p for y, p in row.items() if p} for x, row in enumerate(rows)}


def named_bins(p, *values):
    """hist whose bins are these values."""
    names = {str(j): value for j, value in enumerate(values, 1)}
    rows = oracle.hist(len(values), p)
    return {names[x]: {tuple(names[m] for m in send): w for send, w in row.items()} for x, row in rows.items()}


SLOPED = ("1/5", "1/10", "1/10", "1/5", "2/5"), ("1/2", "1/4", "0", "1/8", "1/8")

CASES = {
    "zsum": [
        Case({"p": "1/3"}, oracle.zsum(THIRD), 4, 9),
        Case({"p": "0.9"}, oracle.zsum("9/10"), 3, 9),
        Case({"p": "0"}, oracle.zsum(0), 2, 3),
        Case({"p": "1"}, oracle.zsum(1), 2, 3),
    ],
    "hist": [
        Case({"d": "2", "p": "1/4"}, oracle.hist(2, QUARTER), 3, 5),
        Case({"d": "3", "p": "2/3"}, oracle.hist(3, "2/3"), 2, 3),
        Case({"d": "2", "p": "0"}, oracle.hist(2, 0), 2, 3),
        Case({"d": "2", "p": "1"}, oracle.hist(2, 1), 2, 3),
    ],
    "r_infinity": [
        Case({}, oracle.r_infinity(), 4, 5),
        Case(
            {"w": "3/4"},
            {
                "0": {("0", "1"): 3 * QUARTER, ("1", "0"): QUARTER},
                "1": {("1", "0"): 3 * QUARTER, ("0", "1"): QUARTER},
            },
            3,
            4,
        ),
    ],
    "r_gap": [
        Case({}, oracle.r_gap(), 3, 7),
        Case({"weights0": ",".join(SLOPED[0]), "weights1": ",".join(SLOPED[1])}, weighted_bits(*SLOPED), 2, 6),
    ],
    "rr": [
        Case({"flip": "1/4"}, oracle.rr(QUARTER), 4, 9),
        Case({"flip": "0.45"}, oracle.rr("9/20"), 3, 8),
        Case({"flip": "0"}, oracle.rr(0), 3, 4),
        Case({"flip": "1/2"}, oracle.rr(HALF), 3, 4),
    ],
    "krr": [
        Case({"k": "2", "gamma": "1/2"}, oracle.krr(2, HALF), 4, 7),
        Case({"k": "3", "gamma": "3/10"}, oracle.krr(3, "3/10"), 3, 6),
        Case({"k": "4", "gamma": "2/3"}, oracle.krr(4, "2/3"), 3, 5),
        Case({"k": "5", "gamma": "1/2"}, oracle.krr(5, HALF), 2, 4),
        Case({"k": "3", "gamma": "0"}, oracle.krr(3, 0), 2, 3),
        Case({"k": "3", "gamma": "1"}, oracle.krr(3, 1), 2, 3),
    ],
    "rappor": [
        Case({"d": "2", "flip": "1/4"}, oracle.rappor(2, QUARTER), 3, 0),
        Case({"d": "3", "flip": "1/3"}, oracle.rappor(3, THIRD), 2, 0),
        Case({"d": "2", "flip": "0"}, oracle.rappor(2, 0), 2, 0),
        Case({"d": "2", "flip": "1/2"}, oracle.rappor(2, HALF), 2, 0),
    ],
    "fragmented_rappor": [
        Case({"d": "2", "flip": "1/4"}, oracle.fragmented_rappor(2, QUARTER), 3, 5),
        Case({"d": "3", "flip": "1/3"}, oracle.fragmented_rappor(3, THIRD), 2, 4),
        Case({"d": "4", "flip": "2/5"}, oracle.fragmented_rappor(4, "2/5"), 1, 2),
        Case({"d": "2", "flip": "0"}, oracle.fragmented_rappor(2, 0), 2, 3),
    ],
}
# Pr[bits] for the one-hot string of x = 1, 2 and the zero string ("0"), every bit flipped with probability 1/4
HALVES = {
    (bits, x): Fraction(math.prod(1 if bit != (str(j) == x) else 3 for j, bit in enumerate(map(int, bits), 1)), 16)
    for bits in ("00", "01", "10", "11")
    for x in ("0", "1", "2")
}

CASES |= {
    "support_identification": [
        Case({"h": "1", "d": "2", "p": "1/4"}, oracle.hist(2, QUARTER), 3, 5),
        Case({"h": "2", "d": "3", "p": "2/3"}, oracle.hist(3, "2/3"), 2, 3),
    ],
    "pointer_chasing": [
        Case({"k": "1", "l": "1", "p": "1/4"}, named_bins(QUARTER, "1:1", "2:1"), 3, 5),
        Case({"k": "2", "l": "2", "p": "2/3"}, named_bins("2/3", "1:1-2", "1:2-1", "2:1-2", "2:2-1"), 1, 2),
    ],
    "pointer_jumping": [
        Case({"s": "2", "h": "1", "p": "1/4"}, named_bins(QUARTER, "1:0", "1:1"), 3, 5),
        Case({"s": "3", "h": "1", "p": "1"}, named_bins(1, "1:0", "1:1", "1:2"), 2, 3),
    ],
    "fake_users": [
        Case(
            {"d": "2", "k": "1", "flip": "1/4"},
            {
                x: {
                    (real, fake): HALVES[real, x] * HALVES[fake, "0"]
                    for real in ("00", "01", "10", "11")
                    for fake in ("00", "01", "10", "11")
                }
                for x in ("1", "2")
            },
            2,
            0,
        ),
    ],
    "symmetric_rappor": [
        Case({"d": "2", "flip": "1/4"}, oracle.fragmented_rappor(2, QUARTER), 3, 5),
        Case({"d": "3", "flip": "1/3"}, oracle.fragmented_rappor(3, THIRD), 2, 4),
    ],
    "blanket_sum": [
        Case({"k": "1", "gamma": "1/2"}, oracle.krr(2, HALF), 4, 7),
        Case({"k": "2", "gamma": "3/10"}, oracle.krr(3, "3/10"), 3, 6),
        Case({"k": "3", "gamma": "2/3"}, oracle.krr(4, "2/3"), 2, 4),
    ],
}


def likely(messages, sets, power):
    """Message y with odds `power` where it is in sets[x], against any that is not."""
    rows = {}
    for x, good in sets.items():
        total = power * len(good) + len(messages) - len(good)
        rows[x] = {(y,): Fraction(power if y in good else 1) / total for y in messages}
    return rows


SIGNS = {"1": "+-+-", "2": "++--", "3": "+--+"}  # Sylvester's matrix of order 4, without its first row
HASHES = [f"{one},{two}" for one in range(3) for two in range(3)]
PAIRS = ["1 2", "1 3", "1 4", "2 3", "2 4", "3 4"]

CASES |= {
    "hadamard_response": [
        Case(
            {"K": "4", "eps0": "log(3)"},
            likely("0123", {x: {str(y) for y in range(4) if row[y] == "+"} for x, row in SIGNS.items()}, 3),
            3,
            0,
        ),
    ],
    "olh": [
        Case(
            {"d": "2", "eps0": "log(2)"},
            likely(
                [f"{h}:{y}" for h in HASHES for y in range(3)],
                {x: {f"{h}:{h.split(',')[int(x) - 1]}" for h in HASHES} for x in "12"},
                2,
            ),
            2,
            0,
        ),
        Case(
            {"d": "2", "g": "2", "eps0": "log(9/7)"},
            likely(
                [f"{h}:{y}" for h in ("0,0", "0,1", "1,0", "1,1") for y in "01"],
                {x: {f"{h}:{h.split(',')[int(x) - 1]}" for h in ("0,0", "0,1", "1,0", "1,1")} for x in "12"},
                Fraction(9, 7),
            ),
            3,
            0,
        ),
    ],
    "subset_selection": [
        Case(
            {"d": "4", "k": "2", "eps0": "log(3/2)"},
            likely(PAIRS, {x: {s for s in PAIRS if x in s} for x in "1234"}, Fraction(3, 2)),
            2,
            0,
        ),
        Case({"d": "3", "eps0": "log(2)"}, likely("123", {x: {x} for x in "123"}, 2), 3, 0),
    ],
    "duchi": [
        Case(
            {"eps0": "log(3)"},
            {"-1": {("-1",): 3 * QUARTER, ("1",): QUARTER}, "1": {("-1",): QUARTER, ("1",): 3 * QUARTER}},
            4,
            0,
        ),
    ],
    "dbitflip": [
        Case(
            {"k": "2", "d": "1", "eps0": "log(4)"},
            {
                "1": {("1:1",): HALF * 2 / 3, ("1:0",): HALF / 3, ("2:1",): HALF / 3, ("2:0",): HALF * 2 / 3},
                "2": {("1:1",): HALF / 3, ("1:0",): HALF * 2 / 3, ("2:1",): HALF * 2 / 3, ("2:0",): HALF / 3},
            },
            3,
            0,
        ),
    ],
    "pckv_grr": [
        Case(
            {"d": "1", "eps0": "log(3)"},
            {
                "+": {("1:+",): HALF, ("1:-",): HALF / 3, ("2:+",): HALF / 3, ("2:-",): HALF / 3},
                "-": {("1:+",): HALF / 3, ("1:-",): HALF, ("2:+",): HALF / 3, ("2:-",): HALF / 3},
                "0": {("1:+",): HALF / 3, ("1:-",): HALF / 3, ("2:+",): Fraction(1, 3), ("2:-",): Fraction(1, 3)},
            },
            3,
            0,
        ),
    ],
    "priv_kv": [
        Case(
            {"d": "1", "eps0": "log(9)"},
            {
                "+": {("1:+",): Fraction(9, 16), ("1:-",): Fraction(3, 16), ("1:0",): Fraction(1, 4)},
                "-": {("1:+",): Fraction(3, 16), ("1:-",): Fraction(9, 16), ("1:0",): Fraction(1, 4)},
                "0": {("1:+",): Fraction(1, 8), ("1:-",): Fraction(1, 8), ("1:0",): Fraction(3, 4)},
            },
            3,
            0,
        ),
    ],
    "bloom_rappor": [
        Case(
            {"bits": "3", "hashes": "1", "eps0": "log(4)"},
            {
                str(x): {(f"{y:03b}",): Fraction(2 ** (3 - bin(y ^ 1 << (3 - x)).count("1")), 27) for y in range(8)}
                for x in (1, 2, 3)
            },
            2,
            0,
        ),
    ],
    "unary_encoding": [
        Case(
            {"d": "2", "eps0": "log(3)"},
            {
                "1": {("00",): 3 * HALF / 4, ("01",): HALF / 4, ("10",): 3 * HALF / 4, ("11",): HALF / 4},
                "2": {("00",): 3 * HALF / 4, ("10",): HALF / 4, ("01",): 3 * HALF / 4, ("11",): HALF / 4},
            },
            3,
            0,
        ),
    ],
}
ENDLESS = {  # no randomizer is written out, for its noise has no end (tests/test_gkmp.py): parameters
    "poisson": {"lam": "3"},
    "negative_binomial": {"r": "3", "p": "1/2"},
    "discrete_laplace": {"q": "1/2"},
    "poisson_hist": {"buckets": "3", "lam": "3"},
    "correlated": {"q": "1/2", "r": "3", "p": "1/2"},
    "correlated_hist": {"buckets": "3", "q": "1/2", "r": "3", "p": "1/2"},
    "any_ldp": {"eps0": "1"},  # all randomizers at once (tests/test_any_ldp.py)
    "binomial_noise": {"coins": "5"},  # what is not the users' (tests/test_central.py)
    "truncated_discrete_laplace": {"q": "1/2", "bound": "5"},
    "discrete_gaussian": {"variance": "5"},
    "augmented_shuffle": {"d": "3", "beta": "1/2", "coins": "5"},
    "sample_and_threshold": {"p": "1/2", "k": "3"},
    "piecewise": {"eps0": "1"},
    "laplace": {"eps0": "1"},
    "gaussian": {"sigma": "1"},
    "square_wave": {"eps0": "1"},
    "priv_unit": {"dim": "10", "eps0": "1"},
    "count_mean_sketch": {"m": "4", "k": "4", "eps0": "1"},
}
ALL = [(name, case) for name, cases in CASES.items() for case in cases]
IDS = [" ".join([name, *(f"{k}={v}" for k, v in case.parameters.items())]) for name, case in ALL]
REDUCED = [pytest.param(*pair, id=i) for pair, i in zip(ALL, IDS, strict=True) if pair[1].reduction_n]


# All systems -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", catalogue.names())
def test_every_system_has_cases(name):
    if name in ENDLESS:
        system = catalogue.make(name, ENDLESS[name])
        for ask in (system.randomizer, lambda: worst_case.delta(system, 4, 1, "local"), lambda: run(system, ["1"], 0)):
            with pytest.raises(BadInput, match=f"^{name}: .*: expected the shuffled view"):
                ask()
        return
    assert CASES.get(name), f"add to CASES in tests/test_protocols.py: '{name}': [Case(parameters, by hand, n, n), ...]"
    if catalogue.system_class(name).offers("reduction"):
        assert all(case.reduction_n for case in CASES[name]), f"{name} has a reduction: give its cases a reduction_n"


@pytest.mark.parametrize("name", catalogue.names())
def test_the_others_of_the_worst_datasets_are_all_but_one_user(name):
    """The law of a message that a system of two columns sends was once named in their place."""
    system = catalogue.make(name, ENDLESS.get(name) or CASES[name][0].parameters)
    worst = worst_case.delta(system, 12, "1/4").scope.worst
    if worst is not None and worst.others is not None:
        assert all(type(count) is int and count > 0 for count in worst.others.values())
        assert sum(worst.others.values()) == 11 or name == "sample_and_threshold"  # whose others may be on any value


@pytest.mark.parametrize(("name", "case"), ALL, ids=IDS)
def test_the_randomizer_is_the_one_built_by_hand(name, case):
    system = catalogue.make(name, case.parameters)
    assert {x: dict(law.items()) for x, law in system.randomizer().rows.items()} == case.by_hand
    known = system.reach(3)
    assert known is None or known.inputs in (None, len(case.by_hand))  # None: of the table's and all between them


@pytest.mark.parametrize(("name", "case"), ALL, ids=IDS)
@pytest.mark.sampled(12)
def test_the_engine_agrees_with_the_oracle_over_all_ordered_datasets(name, case):
    system = catalogue.make(name, case.parameters)
    for view, n in [("local", 1), ("preshuffle", 1), *(("shuffled", n) for n in range(1, case.oracle_n + 1))]:
        pairs = distinct(oracle.pairs_of_laws(case.by_hand, n, view))
        for eps in map(Eps.of, EPS):
            assert worst_case.delta(system, n, eps, view).delta == max(oracle_delta(P, Q, eps) for P, Q in pairs), (
                view,
                n,
            )
        for delta in DELTAS:
            ratios = [oracle.pair_epsilon_ratio(P, Q, delta) for P, Q in pairs]
            expected = None if None in ratios else Eps.log(max(ratios))
            assert worst_case.epsilon(system, n, delta, view).eps == expected, (view, n)


@pytest.mark.parametrize(("name", "case"), REDUCED)
@pytest.mark.sampled(4)
def test_the_engine_agrees_with_the_reduction(name, case):
    system = catalogue.make(name, case.parameters)
    for n in range(1, case.reduction_n + 1):
        pairs = list(system.reduction(n))
        for eps in map(Eps.of, EPS):
            assert worst_case.delta(system, n, eps).delta == max(pair.delta(eps) for pair in pairs), (n, eps)
        for delta in DELTAS:
            powers = [pair.epsilon_power(delta) for pair in pairs]
            expected = None if None in powers else Eps.log(rational(max(powers)))
            assert worst_case.epsilon(system, n, delta).eps == expected, (n, delta)
        everywhere = Profile.envelope([(fmpq(0), fmpq(0))])
        for pair in pairs:
            everywhere = everywhere.maximum(pair.profile())
        assert worst_case.privacy_profile(system, n) == everywhere, n


REACHING = [  # name, parameters, users: what systems say of themselves beside their tables
    *[("zsum", "p=3/7", n) for n in (1, 2, 5, 9)],
    *[("zsum", f"p={p}", 5) for p in ("0", "1/3", "9/10", "1")],
    *[("hist", f"d={d} p={p}", n) for d, n in ((2, 4), (3, 2)) for p in ("0", "2/3", "1")],
    ("hist", "d=3 p=3/7", 9),
    *[("support_identification", f"h=2 d=3 p={p}", 2) for p in ("0", "3/4", "1")],
    *[("pointer_chasing", f"k=2 l=1 p={p}", 3) for p in ("0", "1/2", "1")],
    ("pointer_chasing", "k=3 l=2 p=1/2", 2),
    *[("pointer_jumping", f"s=2 h=1 p={p}", 3) for p in ("0", "1/2", "1")],
    ("pointer_jumping", "s=3 h=1 p=9/10", 2),
    *[("blanket_sum", f"k={k} gamma=1/3", 3) for k in (1, 2, 3)],
    *[("blanket_sum", f"k=2 gamma={gamma}", 2) for gamma in ("0", "1")],
    *[("fragmented_rappor", f"d={d} flip={flip}", n) for d, n in ((2, 4), (3, 3)) for flip in ("0", "1/10", "2/5")],
    *[("fake_users", f"d=2 k={k} flip={flip}", n) for k, flip, n in ((0, "1/4", 3), (0, "1/10", 5), (1, "1/4", 3))],
    *[("fake_users", f"d=2 k={k} flip={flip}", n) for k, flip, n in ((1, "1/50", 3), (2, "1/5", 2), (1, "1/4", 1))],
    *[("fake_users", f"d=3 k={k} flip={flip}", n) for k, flip, n in ((0, "1/4", 4), (0, "9/20", 3), (1, "1/4", 2))],
    *[("fake_users", f"d={d} k={k} flip={flip}", n) for d, k, flip, n in ((3, 1, "1/10", 3), (4, 0, "1/3", 3))],
    ("fake_users", "d=3 k=1 flip=1/7", 1),
    *[("priv_kv", "d=1 eps0=log(9)", n) for n in (2, 3)],
    *[("pckv_grr", f"d={d} l={keys} eps0=log(3)", n) for d, keys, n in ((1, 1, 3), (2, 1, 2), (2, 2, 2))],
]


@pytest.mark.parametrize(("name", "given", "n"), REACHING)
@pytest.mark.sampled(4)
def test_what_a_system_says_of_any_number_of_users_holds_enumeration(name, given, n):
    """Its own pairs below and above the largest delta, and the least eps, of all datasets of its table."""
    system = catalogue.make(name, dict(one.split("=", 1) for one in given.split()))
    reach, around = system.reach(n), neighbourhood(system.randomizer(), n)
    for eps in map(Eps.of, ["log(11/10)", *EPS]):
        exact, found = worst_case.worst_case(around, eps)[0].delta, worst_delta(reach, eps).value
        assert exact.minus(found.low).sign() >= 0 >= exact.minus(found.high).sign()
        assert reach.dominating or found.high - found.low <= Fraction(1, 10**25)
        if reach.certified:  # what a certificate shows of it
            assert found.high <= reach.certified.worst(eps)[0].high
    for delta in DELTAS[1:]:
        least, (low, high, _) = worst_case.epsilon(system.randomizer(), n, delta).eps, worst_epsilon(reach, delta)
        assert low is None or least is None or Eps.of(low) <= least
        assert high is None or (least is not None and least <= Eps.of(high))
        assert reach.dominating or (least is None) == (low is None)


@pytest.mark.parametrize(("name", "case"), REDUCED)
def test_the_laws_of_a_reduction_sum_to_one(name, case):
    for pair in catalogue.make(name, case.parameters).reduction(case.reduction_n):
        assert sum(pair.p) == sum(pair.q) == pair.denominator


def distinct(pairs):
    """Pairs of laws, each once."""
    return list({(frozenset(P.items()), frozenset(Q.items())): (P, Q) for P, Q in pairs}.values())


def oracle_delta(P, Q, eps):
    if eps.power is not None:
        value = oracle.hockey_stick(P, Q, eps.power)
        return Delta(value.numerator, 0, value.denominator, eps)
    a, b = oracle.hockey_stick_parts(P, Q, eps.exponent)
    denominator = a.denominator * b.denominator
    return Delta(int(a * denominator), int(b * denominator), denominator, eps)


def test_reductions_reach_where_the_randomizer_is_not_written_out():
    """The bins, columns and values that nobody holds cancel."""
    small, large = (next(catalogue.make("hist", {"d": d, "p": "1/3"}).reduction(5)) for d in ("2", "1000"))
    assert small == large
    fragmented = [catalogue.make("fragmented_rappor", {"d": d, "flip": "1/3"}) for d in ("3", "99")]
    small, large = (list(system.reduction(4)) for system in fragmented)
    assert small == large and len(large) == 10
    assert len(list(catalogue.make("krr", {"k": "1000", "gamma": "1/2"}).reduction(4))) == 14  # 4 + 3 + 2 x 2 + 3
