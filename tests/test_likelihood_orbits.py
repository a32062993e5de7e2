"""Bounds by orbits of likelihood ratios: orbits against tables, the bound by exchange against enumeration, widths."""

import random
from cmath import exp
from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import prod

import pytest

from shufflecert.protocols.shared.likelihood_orbits import Exchange, Likelihoods, Orbit, exchange_bound
from shufflecert.protocols.shared.two_levels import corners, orbits_of, parts, windows
from shufflecert.verify import kernel
from shufflecert.verify.calibrate.comparison import systems
from shufflecert.verify.decide import worst_case
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.systems import catalogue
from tests.helpers import asked, cases
from tests.oracle import hockey_stick, multiset_law, pairs_of_laws

SMALL = [  # systems whose tables are written out, and whether their reference is a string of bits, else it is uniform
    ("hadamard_response", {"K": "4"}, None),
    ("hadamard_response", {"K": "8"}, None),
    ("olh", {"d": "2", "g": "3"}, None),
    ("olh", {"d": "4"}, None),
    ("subset_selection", {"d": "2"}, None),
    ("subset_selection", {"d": "5", "k": "3"}, None),
    ("subset_selection", {"d": "6"}, None),
    ("unary_encoding", {"d": "2"}, True),
    ("unary_encoding", {"d": "4"}, True),
    ("unary_encoding", {"d": "4", "optimized": "no"}, True),
]


def law_of(orbits, parts):
    """How probable each vector of likelihoods is, by the masses of one of them: {ratios to it: its mass}."""
    law = Counter()
    for one in orbits:
        law[tuple(part / one[2] for part in one[:parts])] += one[2]
    return law


def listed(rows, x, y, z, reference):
    """Every output as an orbit of its own."""
    return [Orbit(rows[x][o], rows[y][o], rows[z][o], reference(o)) for o in rows[x]]


@pytest.mark.parametrize(("name", "given", "bits"), SMALL, ids=lambda part: str(part))
@pytest.mark.sampled(6)
def test_orbits_are_those_of_the_table_for_every_pair_and_every_third_input(name, given, bits):
    system = catalogue.make(name, {"eps0": "log(3)"} | given)
    rows = {x: {sent[0]: Fraction(w) for sent, w in law.items()} for x, law in system.randomizer().rows.items()}
    outputs = list(rows["1"])

    def reference(o):
        if not bits:
            return Fraction(1, len(outputs))
        one = system.chances[1]
        return one ** o.count("1") * (1 - one) ** o.count("0")

    found = system.likelihoods()
    kinds = [law_of(orbits, 4) for orbits in found.kinds.values()]
    for x, y in permutations(rows, 2):
        seen = [law_of(listed(rows, x, y, z, reference), 4) for z in rows]
        assert all(law in kinds for law in seen) and all(law in seen for law in kinds)
        least = [Orbit(rows[x][o], rows[y][o], min(row[o] for row in rows.values()), Fraction(1)) for o in outputs]
        assert law_of(found.least, 3) == law_of(least, 3)


def test_the_sketch_s_orbits_are_those_of_all_functions():
    """Three values, three places: all 27 functions, each with the bits at the places of x, x' and z (others cancel)."""
    system = catalogue.make("count_mean_sketch", {"m": "3", "k": "1", "eps0": "1"})
    keep, m = 1 - system.flip, 3
    rows = {str(x): {} for x in range(3)}
    for places in product(range(m), repeat=3):
        for bits in product((0, 1), repeat=m):
            for x in range(3):
                right = prod(keep if bit == (j == places[x]) else system.flip for j, bit in enumerate(bits))
                rows[str(x)][places, bits] = Fraction(right) / m**3
    kinds = [law_of(orbits, 3) for orbits in system.likelihoods().kinds.values()]
    for x, y in permutations(rows, 2):
        seen = [law_of(listed(rows, x, y, z, lambda o: Fraction(1)), 3) for z in rows]
        assert all(law in kinds for law in seen) and all(law in seen for law in kinds)
    for one in system.likelihoods().least:
        assert one.v == one.mu * (1 - keep) / keep


# The bound by exchange ---------------------------------------------------------------------------------------------


def some_table(rng, spread):
    """A random table: up to three inputs and outputs, weights that differ by at most a factor of about 1 + 6/spread."""
    inputs, outputs = rng.choice([(2, 2), (2, 3), (3, 2), (3, 3)])
    rows = [[rng.randint(spread, spread + 6) for _ in range(outputs)] for _ in range(inputs)]
    return [[Fraction(w, sum(row)) for w in row] for row in rows]


def exchanged(laws, x, y, others, mu, t):
    """The right-hand side of lemma 1, summed over all sequences w."""
    outputs, total = range(len(mu)), Fraction(0)
    ratios = [[mu[o] / laws[z][o] for o in outputs] for z in others]
    for w in product(outputs, repeat=len(others) + 1):
        weight = mu[w[0]] * prod(laws[z][o] for z, o in zip(others, w[1:], strict=True))
        whole = sum(ratios[i][w[i + 1]] for i in range(len(others)))
        value = sum(
            (laws[x][w[j + 1]] - t * laws[y][w[j + 1]])
            / laws[z][w[j + 1]]
            / (whole - ratios[j][w[j + 1]] + ratios[j][w[0]])
            for j, z in enumerate(others)
        )
        total += weight * max(value, 0)
    return total


@pytest.mark.parametrize("seed", range(6))
def test_lemma_1_holds_exactly_for_random_tables_and_others(seed):
    rng = random.Random(seed)
    for _ in range(8):
        laws = some_table(rng, rng.choice([1, 3, 10]))
        rows = {str(x): {(str(o),): w for o, w in enumerate(law)} for x, law in enumerate(laws)}
        others = [rng.randrange(len(laws)) for _ in range(rng.randint(1, 4))]
        raw = [rng.randint(1, 5) for _ in laws[0]]
        mu, t = [Fraction(w, sum(raw)) for w in raw], rng.choice([Fraction(1), Fraction(21, 20), Fraction(3, 2)])
        P, Q = (multiset_law(rows, [x, *map(str, others)]) for x in "01")
        assert hockey_stick(P, Q, t) <= exchanged(laws, 0, 1, others, mu, t)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.sampled(4)
def test_the_bound_is_no_less_than_the_worst_of_all_datasets(seed):
    """Enumerated for 3 to 5 users of random tables, with likelihood ratios near 1: else there are too few users."""
    rng, compared = random.Random(seed), 0
    while compared < 8:
        laws, n, eps = some_table(rng, rng.choice([20, 60])), rng.randint(3, 5), Eps.of(rng.choice(["0", "1/100"]))
        rows = {str(x): {(str(o),): w for o, w in enumerate(law)} for x, law in enumerate(laws)}
        inputs, outputs = range(len(laws)), range(len(laws[0]))
        mu = [sum(law[o] for law in laws) / len(laws) for o in outputs]
        bounds = [
            exchange_bound(
                [[Orbit(laws[x][o], laws[y][o], laws[z][o], mu[o]) for o in outputs] for z in inputs], n, eps
            )
            for x, y in permutations(inputs, 2)
        ]
        if None in bounds:
            continue
        compared += 1
        low = eps.bounds(128)[1]  # at a larger e^eps the divergence is smaller: what is compared is certain
        worst = max(hockey_stick(P, Q, low) for P, Q in pairs_of_laws(rows, n, "shuffled"))
        assert worst <= max(bounds)


def test_a_bound_of_one_input_is_near_the_truth():
    """Where all others are on one z, which is the reference too, lemma 2 is exact but for one user."""
    p, q, v = (Fraction(1, 2), Fraction(1, 2)), (Fraction(2, 5), Fraction(3, 5)), (Fraction(9, 20), Fraction(11, 20))
    orbits = tuple(Orbit(*part) for part in zip(p, q, v, v, strict=True))
    for eps in ("0", "1/100", "1/50"):
        bound = exchange_bound([orbits], 10_001, Eps.of(eps))
        exact = Likelihoods.of("x", "y", {"z": orbits}).attained("z", 10_000).value.enclosure(Eps.of(eps), 6)
        assert exact.low < bound < exact.high * Fraction(27, 20)


def test_laws_that_are_none_are_refused():
    whole, half = Fraction(1), Fraction(1, 2)
    for orbits in ([Orbit(whole, whole, half, whole)], [Orbit(half, half, whole, whole), Orbit(half, half, 0, 0)]):
        with pytest.raises(ValueError, match="others on z: masses"):
            Likelihoods.of("x", "y", {"z": orbits})


def test_few_users_have_the_blanket_alone():
    system = catalogue.make("olh", {"d": "5", "eps0": "2"})
    assert exchange_bound(tuple(system.likelihoods().kinds.values()), 5, Eps.of("1/2")) is None
    value = Exchange.of(system.likelihoods(), 5).worst(Eps.of("1/2"))[0]
    assert value.high == Exchange.of(system.likelihoods(), 5).anyway.worst(Eps.of("1/2"), 6)[0].high


# At size -----------------------------------------------------------------------------------------------------------

LARGE = [
    ("hadamard_response", {"K": "65536"}),
    ("olh", {"d": "65536"}),
    ("subset_selection", {"d": "65536"}),
    ("unary_encoding", {"d": "65536"}),
    ("unary_encoding", {"d": "1024", "optimized": "no"}),
    ("count_mean_sketch", {"m": "1024", "k": "65536"}),
]


@pytest.mark.parametrize(("name", "given"), [LARGE[0], LARGE[5]], ids=["hadamard_response", "count_mean_sketch"])
def test_without_a_table_certificates_are_about_any_randomizer_and_shown_by_this_one(capsys, tmp_path, name, given):
    asked_of = [name, *(part for k, v in given.items() for part in ("-p", f"{k}={v}")), "-p", "eps0=1", "--n", 10_000]
    for eps, verdict, status in (("1/10", "PROVED", 0), ("1/50", "REFUTED", 1)):
        file = tmp_path / f"{verdict}.json"
        answer = asked(capsys, "certify", *asked_of, "--eps", eps, "--delta", "1e-6", "-o", file, status=status)
        assert answer["verdict"] == verdict
        assert kernel.check_file(file).status == "accepted"
    left = asked(capsys, "certify", *asked_of, "--eps", "3/100", "--delta", "1e-6", status=3)
    assert "any eps0-private randomizer, of which delta = " in left["reason"]


@pytest.mark.parametrize(("name", "given", "bits"), SMALL[:8], ids=lambda part: str(part))
def test_pure_eps_is_that_of_one_user_whatever_n_is(name, given, bits):
    system = catalogue.make(name, given | {"eps0": "log(3)"})
    assert worst_case.epsilon(system, 10**6, 0).eps == worst_case.epsilon(system, 1, 0, "local").eps == Eps.of("log(3)")


def test_pure_eps_at_size_is_the_local_one_as_rounded():
    system = catalogue.make("count_mean_sketch", {"m": "1024", "k": "65536", "eps0": "4"})
    found = worst_case.epsilon(system, 10**4, 0)
    assert found.eps == Eps.log(((1 - system.flip) / system.flip) ** 2) and found.eps < Eps.of(4)


def test_accuracy_is_that_of_the_estimates(capsys):
    """The mean square error of the analyzer, from every output of every user, for two small tables and all datasets."""
    for name, given, n in (("hadamard_response", {"K": "4"}, 2), ("subset_selection", {"d": "3", "k": "2"}, 2)):
        system = catalogue.make(name, given | {"eps0": "log(3)"})
        rows = {x: {sent[0]: Fraction(w) for sent, w in law.items()} for x, law in system.randomizer().rows.items()}
        worst = Fraction(0)
        for data in product(rows, repeat=n):
            truth, square = Fraction(data.count("1"), n), Fraction(0)
            for sent in product(*(rows[x].items() for x in data)):
                chance = prod(w for _, w in sent)
                square += chance * (system.analyze(Counter(y for y, _ in sent), n)[0] - truth) ** 2
            worst = max(worst, square)
        found = system.accuracy(n, None).rmse
        assert found.low**2 <= worst <= found.high**2


DUCHI, RR = ("duchi", {"eps0": "log(3)"}), ("rr", {"flip": "1/4"})

# Densities of two levels -------------------------------------------------------------------------------------------


def held_by(rng, share, apart):
    """Parts of the four kinds of outputs that sum to the share of a set: random ones."""
    whole = parts(share, apart)
    while True:
        cuts = [Fraction(rng.randint(0, 50), 50) * mass for mass in whole[:3]]
        if 0 <= share - sum(cuts) <= whole[3]:
            return (*cuts, share - sum(cuts))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.sampled(4)
def test_no_set_of_another_user_is_outside_the_corners(seed):
    """By the moment generating function of a likelihood ratio, off the real line: the lemma of two_levels."""
    rng = random.Random(seed)
    for _ in range(cases(24)):
        share, ratio = Fraction(rng.randint(1, 9), 10), Fraction(rng.randint(11, 90), 10)
        most, s = min(share, 1 - share), complex(rng.uniform(0, 0.3), rng.uniform(0, 2))

        def size(orbits, s=s):
            return abs(sum(float(o.v) * exp(s * float((o.p - o.q) / o.v)) for o in orbits if o.v))

        largest = max(size(corner) for corner in corners(share, most, ratio))
        for _ in range(20):
            apart = most * Fraction(rng.randint(0, 20), 20)
            held = held_by(rng, share, apart)
            found = size(orbits_of(share, ratio, apart, held))
            assert found <= largest * (1 + 1e-9)
            lam = Fraction(rng.randint(0, 10), 10)
            cut = (lam, 2 * apart - lam * (held[0] + held[1]))  # goes through this very point
            assert found <= max(size(corner) for corner in corners(share, most, ratio, cut)) * (1 + 1e-9)


def test_windows_overlap_as_counted_on_a_fine_grid():
    for share, third in (
        (Fraction(3, 8), Fraction(1, 4)),
        (Fraction(3, 4), Fraction(1, 8)),
        (Fraction(1, 8), Fraction(0)),
    ):
        cells, masses = 64, Counter()
        for cell in range(cells):
            y = Fraction(2 * cell + 1, 2 * cells)
            levels = [begin <= y <= begin + share for begin in (Fraction(0), 1 - share, third)]
            masses[tuple(levels)] += Fraction(1, cells)
        low = 1 / (1 + share * 2)
        found = {
            (o.p > low * o.mu, o.q > low * o.mu, o.v > low * o.mu): o.mu for o in windows(share, Fraction(3), third)
        }
        assert {levels: mass for levels, mass in found.items() if mass} == dict(masses)


def test_a_number_as_one_sign_is_randomized_response_of_the_two_ends():
    """Beside `rr`, and where from 20001 users on another bound takes over, beside the last answer of that."""
    for n, at in ((50, "1/4"), (500, "1/10")):
        found = [worst_case.delta(catalogue.make(*system), n, at).delta for system in (DUCHI, RR)]
        assert found[0].enclosure() == found[1].enclosure()
    before, after = (worst_case.delta(catalogue.make(*DUCHI), n, "1/50").delta for n in (20_000, 20_001))
    assert after.low <= before.high and before.low <= after.high < before.high * Fraction(11, 10)


def test_the_piecewise_mechanism_s_variance_is_that_of_its_density():
    """The mean and the variance for x = 1, from the two levels of the density on [-C, C]."""
    system = catalogue.make("piecewise", {"eps0": "log(4)"})
    s = system.root
    c, x = (s + 1) / (s - 1), Fraction(1)
    begin = (c + 1) * x / 2 - (c - 1) / 2
    high = s * (s - 1) / (2 * (s + 1))

    def moment(k):
        def between(a, b):
            return (b ** (k + 1) - a ** (k + 1)) / (k + 1)

        inside = between(begin, begin + c - 1)
        return high * inside + high / s**2 * (between(-c, c) - inside)

    assert moment(0) == 1 and moment(1) == x
    rmse = system.accuracy(100, None).rmse
    assert rmse.low**2 <= (moment(2) - 1) / 400 <= rmse.high**2


def test_compare_mean_lists_what_estimates_a_mean(capsys):
    answer = asked(capsys, "compare", "mean", "--n", 50, "--eps", 1, "--delta", "1e-2", "--systems", "duchi")
    assert answer["task"] == "mean" and [row["system"] for row in answer["rows"]] == ["duchi"]
    assert set(systems("mean", None)) == {"duchi", "piecewise", "laplace", "gaussian"}
