"""dBitFlip and RAPPOR's Bloom filter: orbits against every output of small tables, and eps at deployed size."""

from collections import Counter
from fractions import Fraction
from itertools import permutations

import pytest

from shufflecert.protocols.shared.likelihood_orbits import Exchange, Likelihoods, Orbit
from shufflecert.verify.decide import worst_case
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.systems import catalogue
from tests.test_likelihood_orbits import law_of, listed


def rows_of(system):
    """The table's rows by the one message that is sent."""
    rows = {x: {sent[0]: Fraction(w) for sent, w in law.items()} for x, law in system.randomizer().rows.items()}
    outputs = list(dict.fromkeys(o for row in rows.values() for o in row))
    return {x: {o: row[o] for o in outputs} for x, row in rows.items()}


@pytest.mark.parametrize(
    "given", [{"k": "4", "d": "2"}, {"k": "3", "d": "1"}, {"k": "3", "d": "3"}, {"k": "2", "d": "1"}]
)
def test_orbits_of_dbitflip_are_those_of_every_output(given):
    system = catalogue.make("dbitflip", {"eps0": "log(4)"} | given)
    rows, found = rows_of(system), system.likelihoods()
    kinds = [law_of(orbits, 3) for orbits in found.kinds.values()]
    for x, y in permutations(rows, 2):
        seen = [law_of(listed(rows, x, y, z, lambda o: Fraction(1)), 3) for z in rows]
        assert all(law in kinds for law in seen) and all(law in seen for law in kinds)
        least = Counter()
        for one in found.least:
            least[one.p, one.q] += one.v
        assert sum(least.values()) <= sum(min(row[o] for row in rows.values()) for o in rows["1"])


def test_patterns_of_bloom_filters_are_those_of_every_output():
    """6 bits, 2 hashes: x on bits 1 and 2, x' and z on any; the attained ones among them, and no pattern left out."""
    system = catalogue.make("bloom_rappor", {"bits": "6", "hashes": "2", "eps0": "log(16)"})
    rows, found, seen = rows_of(system), system.likelihoods(), []
    for y in rows:
        for z in rows:
            law = law_of(listed(rows, "1 2", y, z, lambda o: Fraction(1)), 3)
            if law not in seen:
                seen.append(law)
    hull = [law_of(orbits, 3) for orbits in found.hull]
    assert all(law in hull for law in seen) and all(law in seen for law in hull)
    assert all(law_of(orbits, 3) in hull for orbits in found.kinds.values())


@pytest.mark.parametrize(
    ("name", "given", "eps0"),
    [
        ("dbitflip", {"k": "4", "d": "2"}, "log(4)"),
        ("dbitflip", {"k": "3", "d": "1"}, "log(2)"),
        ("bloom_rappor", {"bits": "6", "hashes": "2"}, "log(4)"),
    ],
)
def test_pure_eps_is_that_of_one_message(name, given, eps0):
    system = catalogue.make(name, given | {"eps0": "log(4)"})
    found = worst_case.epsilon(system, 10**6, 0)
    assert found.eps == worst_case.epsilon(system, 1, 0, "local").eps
    assert abs(float(found.eps.power) - float(Eps.of(eps0).power)) < 1e-9


def test_where_there_is_no_blanket_few_users_have_no_bound_but_1():
    whole, half = Fraction(1), Fraction(1, 2)
    one = [Orbit(half, half, half, half), Orbit(half, half, half, half)]
    assert Exchange.of(Likelihoods.of("x", "y", {"z": one}), 2).worst(Eps.of("1/2"))[0].high == whole


def test_estimates_are_unbiased():
    """The mean of the analyzer over every output of one user on 1."""
    for name, given in (("dbitflip", {"k": "4", "d": "2"}), ("bloom_rappor", {"bits": "6", "hashes": "2"})):
        system = catalogue.make(name, given | {"eps0": "log(9)"})
        row = next(iter(rows_of(system).values()))
        means = [sum(w * system.analyze({o: 1}, 1)[j] for o, w in row.items()) for j in range(4)]
        assert means == ([1, 0, 0, 0] if name == "dbitflip" else [1, 1, 0, 0])
