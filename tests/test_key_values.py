"""PrivKV and PCKV-GRR: orbits and bounds against small tables, eps at deployed size, estimates."""

import json
from fractions import Fraction
from itertools import product
from math import exp, log

import pytest

from shufflecert.verify import kernel
from shufflecert.verify.decide import worst_case
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.systems import catalogue
from tests.helpers import call


def made(d, eps0="log(9)"):
    return catalogue.make("priv_kv", {"d": str(d), "eps0": eps0})


def padded(d, length, eps0="log(3)"):
    return catalogue.make("pckv_grr", {"d": str(d), "l": str(length), "eps0": eps0})


def test_the_hull_holds_every_triple_of_inputs():
    """Of two keys: the orbits of any three inputs are, key by key, half of those of one kind of triple each."""
    system = made(2)
    rows = {x: {sent[0]: Fraction(w) for sent, w in law.items()} for x, law in system.randomizer().rows.items()}
    outputs = [f"{j}:{sent}" for j in (1, 2) for sent in "+-0"]
    mean = {o: sum(rows[kind * 2][o] for kind in "+-0") / 3 for o in outputs}
    hull = [{tuple(one) for one in orbits} for orbits in system.likelihoods().hull]
    for x, y, z in product(rows, repeat=3):
        for j in "12":
            own = [o for o in outputs if o[0] == j]
            merged = dict[tuple[Fraction, ...], tuple[Fraction, ...]]()
            for o in own:
                orbit = tuple(2 * part for part in (rows[x][o], rows[y][o], rows[z][o], mean[o]))
                ratios = tuple(part / orbit[0] for part in orbit)
                merged[ratios] = tuple(map(sum, zip(merged.get(ratios, (0,) * 4), orbit, strict=True)))
            assert {*merged.values()} in hull


def test_the_local_eps_is_less_than_the_paper_s():
    """PCKV, Theorem 2: max(eps2, eps1 + log(2 / (1 + e^-eps2))), here with e^eps1 = e^eps2 = 3."""
    for d in (1, 2):
        assert worst_case.epsilon(made(d), 1, 0, "local").eps == Eps.log(Fraction(9, 2)) == made(d).local_epsilon
    assert worst_case.epsilon(made(100), 10**6, 0).eps == Eps.log(Fraction(9, 2))


def test_estimates_are_unbiased():
    system = made(2)
    for x, law in system.randomizer().rows.items():
        found = [(Fraction(0), Fraction(0))] * 2
        for sent, w in law.items():
            one = system.analyze({sent[0]: 1}, 1)
            found = [(a + Fraction(w) * c, b + Fraction(w) * e) for (a, b), (c, e) in zip(found, one, strict=True)]
        assert found == [(kind != "0", {"+": 1, "-": -1, "0": 0}[kind]) for kind in x]


# PCKV-GRR ------------------------------------------------------------------------------------------------------------


def by_the_algorithm(d, length, power, have):
    """Pad, draw, and randomize keys and signs as in the paper: a, b and p by their formulas."""
    keys, law = d + length, {f"{j}:{v}": Fraction(0) for j in range(1, d + length + 1) for v in "+-"}
    a = (length * (power - 1) + 2) / (length * (power - 1) + 2 * keys)
    p, b = (length * (power - 1) + 1) / (length * (power - 1) + 2), (1 - a) / (keys - 1)
    missing = max(length - len(have), 0)
    pairs = [(j, v, Fraction(1, max(len(have), length))) for j, v in have]
    dummies = [(d + j, v, Fraction(missing, length) / 2 / length) for j in range(1, length + 1) for v in "+-"]
    for key, sign, chance in [*pairs, *dummies]:
        for sent in law:
            j, v = sent.split(":")
            law[sent] += chance * (b / 2 if int(j) != key else a * (p if v == sign else 1 - p))
    return law


@pytest.mark.parametrize(("d", "length"), [(1, 1), (2, 1), (2, 2), (3, 2), (3, 3)])
def test_the_table_is_the_algorithm(d, length):
    rows = padded(d, length).randomizer().rows
    assert len(rows) == 3**d
    for x, law in rows.items():
        have = [(j, v) for j, v in enumerate(x, 1) if v != "0"]
        assert {sent[0]: Fraction(w) for sent, w in law.items()} == by_the_algorithm(d, length, Fraction(3), have)


def test_estimates_of_pckv_are_unbiased_up_to_l_keys():
    system = padded(3, 2)
    for x, law in system.randomizer().rows.items():
        if x.count("0"):
            means = system.analyze({sent[0]: Fraction(w) for sent, w in law.items()}, 1)
            assert means == tuple((kind != "0", {"+": 1, "-": -1, "0": 0}[kind]) for kind in x)


def test_what_refutes_a_pair_of_opposite_values_names_their_own_rows():
    """All three pairs of inputs have all kinds of others: the rows were those of the first pair."""
    found = certify(made(4, "2"), 30, "1/20", Fraction(1, 10**9))
    assert found.verdict == "REFUTED" and found.because is not None
    pair, rows = found.because["pair"], {row["input"] for row in found.because["rows"]}
    assert {"all +", "all -"} == {pair["from"], pair["to"]} <= rows


def test_what_is_left_out_is_certified_about_the_least_local_eps(capsys, tmp_path):
    """The eps of the exchange was taken, of which there is no certificate; and any 1-private randomizer was claimed,
    where the local eps is log(2 (1 - f)^2 / f) = 0.719070..., f = 1 / (e^(1/2) + 1)."""
    written = tmp_path / "certificate.json"
    asked = ["priv_kv", "-p", "eps0=1", "-p", "d=4", "--n", "1000000", "--delta", "1e-6", "-o", written]
    code, out, _ = call(capsys, "certify", *asked)
    assert code == 0 and out.startswith("PROVED: ")
    data = written.read_bytes()
    eps0, delta0 = json.loads(data)["claim"]["runs"][0]["seen"]["each"]["private"]
    f = 1 / (exp(0.5) + 1)
    assert 0 < float(Fraction(eps0)) - log(2 * (1 - f) ** 2 / f) < 1e-6 and delta0 == "0"
    assert kernel.check(data).status == "accepted"
