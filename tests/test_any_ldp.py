"""Any eps0-private randomizer: the bound against random and extreme randomizers, its numbers, and its certificates.

Expected values: exact enumeration by the oracle for n = 2, 3; the bound as a sum over counts, in exact fractions; the
 and numbers that other code gave in floats.
"""

import json
import random
from fractions import Fraction
from math import comb

import pytest

from shufflecert.verify import kernel
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.decide.worst_case import delta, epsilon
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.reduce.reduction import worst_delta
from shufflecert.verify.systems import catalogue
from tests import oracle
from tests.any_certificates import CLAIMS, any_ldp, small
from tests.helpers import asked, call, cases

F = Fraction


def bound(E, a, n, share=0):
    """The theorem's bound, a sum over how many draws have each value, exactly."""
    p, total = 1 / (E + 1), F(0)
    for i in range(n + 1):
        for j in range(n + 1 - i):
            value = max(i * (E - a) + j * (1 - a * E), F(0))
            total += comb(n, i) * comb(n - i, j) * p ** (i + j) * (1 - 2 * p) ** (n - i - j) * value
    return total / n + share * (1 + 3 * (1 + a) * (n - 1) / E) if a < E else share


# The bound ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 3, 7, 20])
@pytest.mark.parametrize(("E", "a"), [(F(3), F(1)), (F(3), F(2)), (F(11, 10), F(21, 20)), (F(50), F(7)), (F(2), F(5))])
def test_the_upper_end_is_the_sum_over_counts(E, a, n):
    found = worst_delta(any_ldp(f"log({E})").reach(n), Eps.log(a)).value
    exact = bound(E, a, n)
    assert found.high >= exact and found.high - exact <= exact / 10**5
    assert found.low <= exact


@pytest.mark.parametrize(("share", "n"), [("1/100", 1), ("1/1000", 4), ("1/20", 2)])
def test_a_local_delta_adds_its_term(share, n):
    for E, a in ((F(3), F(2)), (F(3), F(3)), (F(3), F(4))):
        found = worst_delta(any_ldp(f"log({E})", share).reach(n), Eps.log(a)).value
        assert 0 <= found.high - min(bound(E, a, n, F(share)), F(1)) <= F(1, 10**5)
        assert found.low >= F(share)


def table(rng, E, rows, outputs, coarse):
    """A random eps0-private table: weights with ratios up to E, between any two rows."""
    base = [F(rng.randint(1, 20)) for _ in range(outputs)]
    steps = [0, 8] if coarse else range(9)
    ratio = [[1 + (E - 1) * F(rng.choice(steps), 8) for _ in base] for _ in range(rows)]
    return [[w * r for w, r in zip(base, row, strict=True)] for row in ratio]


def privacy(rows):
    """The largest ratio of two rows of probabilities."""
    return max(p / q for one in rows for other in rows for p, q in zip(one, other, strict=True))


def tables(seed, number):
    """(E, rows of probabilities) whose local e^eps0 is E, exactly."""
    rng = random.Random(seed)
    for _ in range(number):
        most, sizes = F(rng.choice(["11/10", "3/2", "2", "4", "10"])), (rng.choice([2, 3]), rng.choice([2, 3, 4]))
        rows = table(rng, most, *sizes, rng.random() < 0.7)
        rows = [[w / sum(row) for w in row] for row in rows]
        if (E := privacy(rows)) > 1:
            yield E, rows


def test_random_tables_never_exceed_the_bound():
    """Exact worst cases of random tables, by the oracle, n = 2 and 3: none above the bound, and some come close."""
    closest = F(0)
    for i, (E, rows) in enumerate(tables(1, cases(3000, 150))):
        n, a = 2 + i % 2, 1 + (E - 1) * F(i % 5, 6)
        given = {str(x): {(str(y),): p for y, p in enumerate(row)} for x, row in enumerate(rows)}
        worst = max(oracle.hockey_stick(p, q, a) for p, q in oracle.pairs_of_laws(given, n, "shuffled"))
        most = bound(E, a, n)
        assert worst <= most, (E, a, n, rows)
        closest = max(closest, worst / most)
    assert closest > F(1, 2)


# The command -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("eps0", "n", "eps", "low", "high"),
    [
        ("4", 10**4, "1/5", 1.0078e-3, 1.0659e-3),
        ("4", 10**5, "1/10", 7.87e-6, 8.79e-6),
        ("2", 10**4, "1/10", 2.8e-6, 6.0e-6),
    ],
)
@pytest.mark.sampled(3)
def test_numbers_that_floats_gave(capsys, eps0, n, eps, low, high):
    found = asked(capsys, "delta", "any_ldp", "-p", f"eps0={eps0}", "--n", n, "--eps", eps)
    assert float(found["delta"]["lower"]) == pytest.approx(low, rel=3e-3)
    assert float(found["delta"]["upper"]) == pytest.approx(high, rel=4e-3)
    assert found["scope"]["two_sided"] and found["scope"]["datasets"] == "all"


def test_epsilon_calibrate_and_compose(capsys, tmp_path):
    found = epsilon(any_ldp("3"), 40, F(1, 10**2)).interval
    assert worst_delta(any_ldp("3").reach(40), Eps.of(found[1])).value.high <= F(1, 10**2)
    assert worst_delta(any_ldp("3").reach(40), Eps.of(found[0])).value.low >= F(1, 10**2) * (1 - F(1, 10**4))
    asks = ["any_ldp", "--eps", "1", "--delta", "1/1000"]
    users = asked(capsys, "calibrate", *asks, "-p", "eps0=log(5)", "--over", "n")
    assert bound_at(F(5), "1", int(users["value"])) <= F(1, 1000)
    assert bound_at(F(5), "1", int(users["value"]) - 2) > F(1, 1000)
    chosen = asked(capsys, "calibrate", *asks, "--n", 20, "--over", "eps0", "--step", "1/100")
    assert delta(any_ldp(chosen["value"]), 20, "1").delta.high <= F(1, 1000)
    once = asked(capsys, "delta", "any_ldp", "-p", "eps0=2", "--n", 12, "--eps", "3/5")["delta"]
    twice = asked(capsys, "compose", "any_ldp", "-p", "eps0=2", "--n", 12, "--times", 2, "--eps", "3/5")["delta"]
    assert F(once["lower"]) < F(twice["lower"]) < F(twice["upper"])


def test_one_run_of_many_users_is_composed_to_within_two_percent(capsys):
    asks = ["any_ldp", "-p", "eps0=2", "--n", 10**4, "--eps", "1/10"]
    once, composed = (asked(capsys, command, *asks)["delta"] for command in ("delta", "compose"))
    assert F(composed["lower"]) <= F(once["lower"]) <= F(once["upper"]) <= F(composed["upper"])
    assert F(once["lower"]) * F(98, 100) < F(composed["lower"])
    assert F(composed["upper"]) < F(once["upper"]) * F(102, 100)


def bound_at(E, eps, n):
    low = Eps.of(eps).bounds(64)[0]
    return bound(E, low, n)


def test_nothing_is_estimated():
    with pytest.raises(BadInput, match="no analyzer"):
        any_ldp("1").analyze({}, 3)


# Certificates ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: "-".join(map(str, claim[:3])))
@pytest.mark.sampled(6)
def test_certificates_are_accepted(claim):
    eps0, share, n, eps, most, verdict = claim
    found = certify(any_ldp(eps0, share), n, eps, most)
    assert found.verdict == verdict, found.reason
    data = found.certificate_text().encode()
    assert kernel.check(data).status == "accepted"


def test_where_the_kernel_says_what_is_wrong():
    refuted = next(t for t in small() if t["verdict"] == "REFUTED")
    refuted["claim"]["runs"][0]["seen"]["each"]["private"][0] = "log(2)"
    found = kernel.check(json.dumps(refuted).encode())
    assert found.status == "rejected" and "less private than claimed" in found.reason
    del refuted["because"]["rows"]
    assert kernel.check(json.dumps(refuted).encode()).reason.startswith("file.because.rows")


def test_reports_of_both_verdicts(capsys, tmp_path):
    for delta_text, status, words in (("1/20", 0, "Every randomizer of this kind satisfies"), ("1/45", 1, "Not every")):
        file, page = tmp_path / f"{status}.json", tmp_path / f"{status}.html"
        asks = ["any_ldp", "-p", "eps0=log(3)", "--n", 12, "--eps", "1/2", "--delta", delta_text]
        asked(capsys, "certify", *asks, "-o", file, status=status)
        call(capsys, "report", str(file), "-o", str(page))
        shown = page.read_text()
        assert words in shown and "no more is known than" in shown and "12 users each hold" in shown


def test_some_honest_users_are_that_many_users(capsys):
    some = asked(capsys, "delta", "any_ldp", "-p", "eps0=2", "--n", 20, "--honest", 9, "--eps", "1/2")
    assert some["delta"] == asked(capsys, "delta", "any_ldp", "-p", "eps0=2", "--n", 9, "--eps", "1/2")["delta"]


def test_no_smaller_eps_has_delta_0():
    """Exactly eps0: "n times 0" of binary randomized response has the ratio e^eps0, and nothing has a larger one."""
    for eps0, n in (("4", 10**6), ("log(3)", 3), ("0", 5)):
        found = epsilon(any_ldp(eps0), n, 0)
        assert found.eps == Eps.of(eps0) and found.interval[0] <= found.interval[1]
    assert epsilon(catalogue.system("krr", k=2, gamma="1/2"), 3, 0).eps == Eps.of("log(3)")
    assert epsilon(catalogue.system("any_ldp", eps0="2", local_delta="1/100"), 4, 0).eps is None


def test_who_comes_goes_or_is_deleted(capsys):
    status, out, err = call(
        capsys, "delta", "any_ldp", "-p", "eps0=2", "--n", 5, "--eps", 1, "--adjacency", "add-remove"
    )
    assert status == 2 and not out and "their number tells: delta = 1" in err and err.count("\n") == 1
    asks = ["delta", "any_ldp", "-p", "eps0=2", "--n", 5, "--eps", 1]
    deleted = asked(capsys, *asks, "--adjacency", "deletion", "--reference", "1")
    assert deleted["delta"] == asked(capsys, *asks)["delta"] and deleted["scope"]["reference"] == {"1": "1"}
