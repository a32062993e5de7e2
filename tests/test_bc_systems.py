"""The systems of BC, and BBGN's sums: reach by enumeration, the papers' values."""

from collections import Counter
from fractions import Fraction
from itertools import permutations, product
from math import factorial

import pytest
from mpmath import mp, mpf, workdps

from shufflecert.protocols.blanket_sum import BlanketSum
from shufflecert.protocols.hist import Hist
from shufflecert.protocols.pointer_chasing import PointerChasing
from shufflecert.protocols.pointer_jumping import PointerJumping
from shufflecert.protocols.support_identification import SupportIdentification
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.decide import worst_case
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.reduce.reduction import worst_delta
from shufflecert.verify.systems import catalogue
from tests.reference import real

# Privacy -----------------------------------------------------------------------------------------------------------


def test_real_inputs_are_no_worse_than_grid_points():
    """blanket_sum: the divergence of every pair of datasets of n = 2 over multiples of 1/4, k = 2, from the rows."""
    k, gamma, power = 2, Fraction(1, 3), Fraction(3, 2)
    rows = []
    for quarter in range(5):
        j = min(1, quarter // 2)
        row = dict.fromkeys(range(k + 1), gamma / 3)
        row[j] += (1 - gamma) * (1 - (Fraction(quarter, 2) - j))
        row[j + 1] += (1 - gamma) * (Fraction(quarter, 2) - j)
        rows.append(row)

    def law(one, two):
        seen = Counter()
        for (y, v), (z, w) in product(one.items(), two.items()):
            seen[min(y, z), max(y, z)] += v * w
        return seen

    def delta(x, other, rest):
        P, Q = law(rows[x], rows[rest]), law(rows[other], rows[rest])
        return sum(max(P[y] - power * Q[y], 0) for y in P)

    divergences = {at: delta(*at) for at in product(range(5), repeat=3)}
    found = worst_case.delta(BlanketSum(k, gamma), 2, Eps.log(power)).delta
    assert found == max(divergences.values())
    assert max(value for at, value in divergences.items() if any(x % 2 for x in at)) <= found


def test_a_universe_too_large_to_write_out_has_the_same_pair():
    """2 20! permutations, and labels of 81^2 nodes: as hist with two bins; the worst are the system's own values."""
    n, p, eps = 500, Fraction(9, 10), Eps.of("1/2")
    two = worst_delta(Hist(2, p).reach(n), eps).value
    for system, names in (
        (PointerChasing(5, 20, p), ("1:1-2-3-...-20", "2:1-2-3-...-20")),
        (PointerJumping(81, 3, p), ("1:0", "1:1")),
        (SupportIdentification(4, 10**15, p), ("1", "2")),
    ):
        found = worst_case.delta(system, n, eps)
        assert found.delta == two
        assert (found.scope.worst.source, found.scope.worst.target) == names
        with pytest.raises(BadInput, match=r"^d: .* are written out for d <= 12 only$"):
            system.randomizer()


# The papers' parameters --------------------------------------------------------------------------------------------


TARGETS = [(2000, "1", "1e-6"), (100_000, "1/4", "1/100"), (4000, "log(2)", "1e-4")]


@pytest.mark.parametrize(("n", "eps", "delta"), TARGETS)
def test_zsums_paper_value_keeps_its_promise(n, eps, delta):
    p = ZSum.paper(n, Eps.of(eps), Fraction(delta), {})["p"]
    with workdps(60):
        exponent = mp.log(2) if "log" in eps else mpf(Fraction(eps).numerator) / Fraction(eps).denominator
        q = 50 * mp.log(2 / (mpf(Fraction(delta).numerator) / Fraction(delta).denominator)) / (exponent**2 * n)
        above = mpf((1 - p).numerator) / (1 - p).denominator - q
        assert 0 < above < q * mpf(2) ** -63
    assert worst_case.delta(ZSum(p), n, Eps.of(eps)).delta.high <= Fraction(delta)


@pytest.mark.parametrize(("n", "eps", "delta"), [(8000, "1", "1e-6"), (40_000, "1/2", "1/1000"), (2000, "2", "1/100")])
def test_hists_paper_value_keeps_its_promise(n, eps, delta):
    """It is zsum's for eps/2 and delta/2."""
    p = Hist.paper(n, Eps.of(eps), Fraction(delta), {"d": "1000"})["p"]
    assert p == ZSum.paper(n, Eps.of(Fraction(eps) / 2), Fraction(delta) / 2, {})["p"]
    assert worst_case.delta(Hist(1000, p), n, Eps.of(eps)).delta.high <= Fraction(delta)


def test_the_applications_take_hists_noise():
    n, eps, delta = 20_000, Eps.of("1"), Fraction(1, 10**6)
    p = Hist.paper(n, eps, delta, {})["p"]
    for name, given in (
        ("support_identification", {"h": "3", "d": "100"}),
        ("pointer_chasing", {"k": "2", "l": "9"}),
        ("pointer_jumping", {"s": "16", "h": "2"}),
    ):
        assert catalogue.system_class(name).paper(n, eps, delta, given) == {"p": p}
        system = catalogue.make(name, catalogue.prescribe(name, given, n, eps, delta))
        assert worst_case.delta(system, n, eps).delta.high <= delta
        assert system.accuracy(n, None).failure_probability.high <= Fraction(1, 100)


@pytest.mark.parametrize(("n", "eps", "delta", "given"), [(1000, "1", "1/10", {"k": "1"}), (5000, "1/2", "1/1000", {})])
def test_blanket_sums_paper_values_keep_their_promise(n, eps, delta, given):
    found = BlanketSum.paper(n, Eps.of(eps), Fraction(delta), given)
    k = int(found.get("k", 1))
    exponent, odds = Fraction(eps), 2 / Fraction(delta)
    with workdps(60):
        users = 14 * mp.log(real(odds)) / (real(exponent)) ** 2
        assert given or k == max(1, int(mp.floor((n / users) ** (mpf(1) / 3))))
        noise = (k + 1) * max(users, 27 * mpf(exponent.denominator) / exponent.numerator) / (n - 1)
        above = mpf(found["gamma"].numerator) / found["gamma"].denominator - noise
        assert 0 < above < noise * mpf(2) ** -63
    value = worst_case.delta(BlanketSum(k, found["gamma"]), n, Eps.of(eps)).delta
    assert (value.high if isinstance(value, Interval) else value) <= Fraction(delta)


def test_blanket_sums_second_bound_rules_for_a_large_delta():
    """14 ln(2/delta) < 27 eps: gamma = 27 (k + 1) / ((n - 1) eps) exactly where that has 64 bits."""
    found = BlanketSum.paper(1025, Eps.of("1"), Fraction(1), {"k": "1"})
    assert found == {"gamma": Fraction(54, 1024)}


def test_what_is_given_is_kept():
    eps, delta = Eps.of(1), Fraction(1, 10)
    assert ZSum.paper(1, eps, delta, {"p": "1/2"}) == {} == Hist.paper(1, eps, delta, {"p": "1/2"})
    assert set(BlanketSum.paper(1000, eps, delta, {"gamma": "1/3"})) == {"k"}
    assert catalogue.prescribe("zsum", {"p": "1/2"}, 1, eps, delta) == {"p": "1/2"}


# Values and answers ------------------------------------------------------------------------------------------------


def test_pointer_chasing_follows_the_two_permutations():
    """The sequence a_1, b_(a_1), a_(b_(a_1)), ... by the definition, for all permutations of 1..3."""
    p, n = Fraction(1), 9
    for a, b in product(permutations((1, 2, 3)), repeat=2):
        sequence = [a[0]]
        for step in range(1, 6):
            sequence.append((b if step % 2 else a)[sequence[-1] - 1])
        seen = {"1:" + "-".join(map(str, a)): 14, "2:" + "-".join(map(str, b)): 13}
        assert [PointerChasing(k, 3, p).analyze(seen, n) for k in range(1, 7)] == sequence
    one, two, other = "1:1-2-3", "2:1-2-3", "2:3-2-1"
    for seen in ({one: 18}, {one: 12, other: 12, two: 12}, {one: 12, two: 9}, {}):
        assert PointerChasing(1, 3, p).analyze(seen, n) is None


def test_pointer_jumping_follows_the_labels():
    """A ternary tree: the root's label 2 leads to node 2, its label 1 to node 2 * 3 + 1 = 7, whose label is 0."""
    last = [1, 1, 1, 2, 2, 2, 2, 0, 1]
    seen = {"1:2": 8, "2:0-0-1": 8, "3:" + "-".join(map(str, last)): 8}
    system = PointerJumping(3, 3, Fraction(1))
    assert system.analyze(seen, 5) == (2, 1, 0)
    assert system.analyze(seen | {"1:1": 8}, 5) is None
    assert system.analyze(seen | {"1:2": 5}, 5) is None


def test_the_values_are_counted():
    assert [PointerChasing(1, length, Fraction(1)).d for length in (1, 2, 3, 20)] == [2, 4, 12, 2 * factorial(20)]
    assert [PointerJumping(s, h, Fraction(1)).d for s, h in ((2, 1), (2, 3), (16, 2))] == [2, 22, 16 + 16**16]
    assert len(PointerChasing(1, 3, Fraction(1)).randomizer().rows) == 12
    assert len(PointerJumping(2, 2, Fraction(1)).randomizer().rows) == 6
    found = PointerJumping(16, 2, Fraction(1, 2)).accuracy(10, None)
    assert found.bits_per_message == 65 and found.expected_messages.low == 1 + Fraction(16 + 16**16, 2)
