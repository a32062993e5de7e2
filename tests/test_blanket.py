"""Finite randomizers between real datasets and their blanket: against enumeration of all datasets at small n."""

import random
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import comb

import mpmath
import pytest
from hypothesis import given

from shufflecert.protocols.krr import KRR
from shufflecert.protocols.rappor import RAPPOR
from shufflecert.verify import kernel
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.decide.worst_case import delta, worst_case
from shufflecert.verify.enclose.interval import refine
from shufflecert.verify.errors import BadInput, TooMuchWork, Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import neighbourhood
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce import multinomial_form
from shufflecert.verify.reduce.multinomial_form import FINITE_WORK, Category, Form
from shufflecert.verify.reduce.privacy_blanket import Blanket, Blankets, _coarsest, reach_of
from shufflecert.verify.reduce.reduction import worst_delta, worst_epsilon
from tests import oracle
from tests.helpers import engine, few, randomizers
from tests.reference import real

FIVE = {
    "0": {"a": "1/2", "b": "1/8", "c": "1/8", "d": "1/8", "e": "1/8"},
    "1": {"a": "1/4", "b": "1/4", "c": "1/6", "d": "1/6", "e": "1/6"},
    "2": {"a": "1/10", "b": "1/5", "c": "3/10", "d": "1/10", "e": "3/10"},
}
POWER = Fraction(5, 4)


def within(tree, n, power):
    """The exact worst over all datasets lies between what is attained and what dominates."""
    found = worst_delta(reach_of(engine(tree), n), Eps.log(power), 6).value
    exact = oracle.delta(tree, n, power)
    assert found.low <= exact <= found.high
    return found, exact


@few
@given(randomizers(single=True))
def test_one_message_is_between(tree):
    for n in (2, 3):
        within(tree, n, POWER)


@few
@given(randomizers(inputs=(2, 2)))
def test_many_messages_are_between(tree):
    within(tree, 2, POWER)


DISJOINT = {"0": {("a",): Fraction(1)}, "1": {("b",): Fraction(1)}}
ZEROS = {
    "0": {("a",): Fraction(1, 2), ("b",): Fraction(1, 2)},
    "1": {("b",): Fraction(1, 3), ("c",): Fraction(2, 3)},
    "2": {("a",): Fraction(1, 5), ("c",): Fraction(4, 5)},
}


@pytest.mark.parametrize(
    "tree", [DISJOINT, ZEROS, oracle.rappor(2, "1/4"), oracle.krr(3, "1/2")], ids=["disjoint", "zeros", "rappor", "krr"]
)
def test_zeros_and_disjoint_supports_are_between(tree):
    for n, power in ((2, POWER), (4, Fraction(1)), (4, Fraction(3))):
        within(tree, n, power)
    assert within(DISJOINT, 3, POWER)[0].low == 1


@few
@given(randomizers(single=True, inputs=(3, 3)))
def test_all_others_equal_is_exact(tree):
    n = 4
    found = worst_delta(reach_of(engine(tree), n, {"2": n - 1}), Eps.log(POWER)).value
    pairs = [(x, y) for x in tree for y in tree if x != y]
    exact = max(
        oracle.hockey_stick(*(oracle.convolved_law(tree, (user, "2", "2", "2")) for user in pair), POWER)
        for pair in pairs
    )
    assert found.low <= exact <= found.high and found.relative_width * 10**29 <= 1


@few
@given(randomizers(inputs=(3, 3)))
def test_given_others_are_between(tree):
    others = {"0": 1, "2": 2}
    reach = reach_of(engine(tree), 4, others)
    found = worst_delta(reach, Eps.log(POWER), 6)
    exact = max(
        oracle.hockey_stick(*(oracle.convolved_law(tree, (user, "0", "2", "2")) for user in (x, y)), POWER)
        for x in tree
        for y in tree
        if x != y
    )
    assert found.value.low <= exact <= found.value.high
    assert reach.datasets == "others 0=1, 2=2"


def test_bad_others_and_too_much():
    five = Randomizer.of(FIVE)
    for others, text in (
        ({"9": 3}, "no input"),
        ({"0": 2}, "others: 2 users: expected n - 1 = 3"),
        ({"0": -1}, "others: 0"),
    ):
        with pytest.raises(BadInput, match=text):
            reach_of(five, 4, others)
    with pytest.raises(BadInput, match="n: 1"):
        reach_of(five, 1)
    rows = {x: [1 + x * y % 101 for y in range(60)] for x in range(60)}
    large = Randomizer.of({x: {y: Fraction(w, sum(row)) for y, w in enumerate(row)} for x, row in rows.items()})
    with pytest.raises(TooMuchWork, match="ratios"):
        reach_of(large, 10**4)


def test_infinity_mass_is_not_kept_by_any_eps():
    tree = {"0": {"a": "1/2", "b": "1/2"}, "1": {"a": "1/4", "b": "1/4", "c": "1/2"}}
    reach = reach_of(Randomizer.of(tree), 10**4)
    assert reach.attained.infinity_mass() == Fraction(1, 2)
    assert worst_epsilon(reach, Fraction(1, 3))[:2] == (None, None)
    low, high, _ = worst_epsilon(reach, Fraction(51, 100))
    assert low is not None and high is not None and high < Fraction(1, 10)


# krr ---------------------------------------------------------------------------------------------------------------


def third(k, gamma, n):
    """krr with all others on a third value, as a triple of binomial counts, at 40 digits: delta at e^eps = power."""
    with mpmath.workdps(40):
        miss = mpmath.mpf(gamma) / k
        hit = 1 - mpmath.mpf(gamma) + miss
        ratio, power = hit / miss, mpmath.exp(mpmath.mpf(1) / 5)
        weights = [miss, miss, hit, 1 - 2 * miss - hit]
        values = [ratio - power, 1 - power * ratio, (1 - power) / ratio, 1 - power]
        logs = [mpmath.log(w) for w in weights]
        ways = [mpmath.loggamma(i + 1) for i in range(n + 1)]
        total = mpmath.mpf(0)
        most = int(n * miss + 14 * mpmath.sqrt(n * miss) + 20)
        for a in range(min(n + 1, most)):
            for b in range(min(a + 1, n + 1 - a)):  # positive for a >= b only
                left = n - a - b
                share = weights[2] / (weights[2] + weights[3])
                base = a * values[0] + b * values[1]
                mean = left * (share * values[2] + (1 - share) * values[3])
                spread = 40 * abs(values[3] - values[2]) * mpmath.sqrt(left)
                head = ways[n] - ways[a] - ways[b] - ways[left] + a * logs[0] + b * logs[1]
                head += left * mpmath.log(weights[2] + weights[3])
                if base + mean > spread:
                    total += mpmath.exp(head) * (base + mean)
                elif base + mean > -spread:
                    inner = sum(
                        comb(left, c)
                        * share**c
                        * (1 - share) ** (left - c)
                        * max(0, base + c * values[2] + (left - c) * values[3])
                        for c in range(left + 1)
                    )
                    total += mpmath.exp(head) * inner
        return total / n


def test_krr_against_a_sum_at_forty_digits():
    n, k = 120, 10
    found = worst_delta(KRR(k, "3/10").reach(n), Eps.of("1/5"))
    exact = third(k, "0.3", n)
    assert float(found.value.low) == pytest.approx(float(exact), rel=1e-6)
    assert found.value.high > found.value.low and found.worst.others == {"2": n - 1}


@pytest.mark.parametrize(("k", "gamma", "n"), [(3, "1/2", 4), (3, "9/10", 4), (4, "1/2", 4)])
def test_a_third_value_is_not_always_worst(k, gamma, n):
    """Enumeration shows worse others, and the interval holds them all the same."""
    eps = Eps.of(1) if gamma == "1/2" else Eps.of("1/10")
    worst, case = worst_case(neighbourhood(KRR(k, gamma).randomizer(), n), eps)
    equal = KRR(k, gamma)._pair((0, 0, n - 1)).delta(eps)
    assert worst.delta.minus(equal).sign() > 0 and len(case.neighbours.others) == 2
    found = worst_delta(KRR(k, gamma).reach(n), eps, 6).value
    assert worst.delta.minus(found.low).sign() >= 0 >= worst.delta.minus(found.high).sign()


@pytest.mark.parametrize(("k", "gamma", "most"), [(3, "1/10", 7), (3, "3/10", 7), (4, "1/10", 5), (4, "3/10", 5)])
def test_a_third_value_is_worst_where_gamma_is_small(k, gamma, most):
    for n in range(2, most):
        around = neighbourhood(KRR(k, gamma).randomizer(), n)
        for eps in (Eps.of(0), Eps.of("1/10"), Eps.of("1/2"), Eps.of(1)):
            equal = KRR(k, gamma)._pair((0, 0, n - 1)).delta(eps)
            assert worst_case(around, eps)[0].delta.minus(equal).sign() == 0


def test_krr_is_the_randomizer_that_it_writes_out():
    """Its own categories against those found from the rows: the same interval; and any k at no cost."""
    for k, gamma in ((3, "1/4"), (7, "2/3")):
        ends = [worst_delta(reach, Eps.of("1/3"), 6).value for reach in
                (KRR(k, gamma).reach(300), reach_of(KRR(k, gamma).randomizer(), 300))]  # fmt: skip
        assert ends[0].low * (1 - Fraction(1, 10**5)) <= ends[1].low <= ends[0].high
        assert abs(ends[0].high - ends[1].high) <= ends[0].high / 10**5
    huge = worst_delta(KRR(10**6, "1/2").reach(10**9), Eps.of("1/2"), 6).value
    assert 0 < huge.low < huge.high and huge.relative_width < Fraction(1, 10**3)


def test_krr_and_rappor_without_noise():
    for system in (KRR(3, 0), RAPPOR(3, 0)):
        assert worst_delta(system.reach(1000), Eps.of(2)).value.low == 1
    assert worst_delta(KRR(3, 1).reach(1000), Eps.of(0)).value.high == 0
    assert worst_delta(RAPPOR(3, "1/2").reach(1000), Eps.of(0)).value.high == 0


@pytest.mark.parametrize(("d", "flip"), [(2, "1/4"), (3, "1/10"), (3, "2/5")])
@pytest.mark.sampled(3)
def test_rappor_is_the_randomizer_that_it_writes_out(d, flip):
    for n, eps in ((3, "0"), (40, "1/2")):
        own, rows = (worst_delta(r, Eps.of(eps), 6).value for r in
                     (RAPPOR(d, flip).reach(n), reach_of(RAPPOR(d, flip).randomizer(), n)))  # fmt: skip
        assert rows.low * (1 - Fraction(1, 10**4)) <= own.low <= own.high <= rows.high * (1 + Fraction(1, 10**4))
    exact = delta(RAPPOR(d, flip).randomizer(), 3, "1/2").delta
    found = worst_delta(RAPPOR(d, flip).reach(3), Eps.of("1/2"), 6).value
    assert exact.minus(found.low).sign() >= 0 >= exact.minus(found.high).sign()


# Directed, at scale, certified ---------------------------------------------------------------------------------------


def test_fewer_digits_are_wider_and_never_wrong():
    family = reach_of(Randomizer.of(FIVE), 10**4).dominating
    ends = [replace(family, digits=digits).worst(Eps.of("1/20"), 30)[0] for digits in (1, 3, 6)]
    for wide, narrow in pairwise(ends):
        assert wide.low <= narrow.low <= narrow.high <= wide.high and narrow.relative_width < wide.relative_width
    for digits, value in zip((1, 3, 6), ends, strict=True):
        assert value.relative_width * 10**digits <= 1


@pytest.mark.parametrize("seed", range(6))
def test_blankets_that_are_not_looked_at_again_are_smaller(seed, monkeypatch):
    """At many eps in any order, by one family: the largest of its members, each asked by itself, and fewer looks."""
    rng = random.Random(seed)
    weights = {x: [rng.randint(1, 9) for _ in range(4)] for x in range(4)}
    rows = {
        str(x): {(m,): Fraction(w, sum(row)) for m, w in zip("abcd", row, strict=True)} for x, row in weights.items()
    }
    family = reach_of(Randomizer.of(rows), rng.choice((5, 300))).dominating
    eps, looks, enclosure = [Eps.of(Fraction(rng.randint(0, 40), 50)) for _ in range(16)], [], Blanket.enclosure
    alone = {at: [member.value.enclosure(at, 6) for member in family.members] for at in eps}
    monkeypatch.setattr(Blanket, "enclosure", lambda self, *args: looks.append(self) or enclosure(self, *args))
    for at in eps:
        found, _, _ = family.worst(at, 6)
        assert max(one.low for one in alone[at]) <= found.high
        assert found.low <= max(one.high for one in alone[at])
        assert found.relative_width * 10**5 <= 1
    assert len({*looks}) == len(family.members) > 1
    assert len(looks) < len(family.members) * len(eps)


def test_the_interval_closes_with_n():
    """The blanket loses less, relatively, where delta is about 1e-6 (krr, k = 10, local eps about 4)."""
    widths = []
    for n, eps in ((10**3, "7/5"), (10**5, "3/25"), (10**7, "3/250")):
        value = delta(KRR(10, "10/64"), n, eps).delta
        assert Fraction(1, 10**9) < value.low < Fraction(1, 10**4)
        widths.append(value.relative_width)
    assert widths[0] > widths[1] > widths[2] and widths[1] < Fraction(1, 10**4)


@pytest.mark.parametrize("verdict", ["PROVED", "REFUTED"])
def test_the_kernel_accepts(verdict):
    bound = {"PROVED": "1e-4", "REFUTED": "4e-7"}[verdict]
    result = certify(Randomizer.of(FIVE), 10**4, "1/20", bound)
    assert result.verdict == verdict
    checked = kernel.check(result.certificate_text().encode())
    assert checked.status == "accepted", checked


def test_hints_are_as_coarse_as_the_bound_allows():
    family = KRR(10, "10/64").reach(10**4).dominating
    assert isinstance(family, Blankets)
    loose, tight = (int(family.hints(Eps.of("1/5"), Fraction(bound))["cells"]) for bound in ("8e-4", "7.2e-4"))
    assert 256 < loose < tight < 10_000


@pytest.mark.parametrize("first", [*range(17), None])
def test_the_coarsest_grid_is_found_by_few_looks(first):
    looks = []

    def grid(i):
        looks.append(i)
        return (Fraction(i), []) if first is not None and i >= first else None

    grids = [partial(grid, i) for i in range(17)]
    if first is None:
        with pytest.raises(Undecided):
            _coarsest(grids)
        assert len(looks) == 2  # a margin that no grid has room for is asked of many values
    else:
        assert _coarsest(grids)[0] == first and len(looks) <= 6


@pytest.mark.long
def test_a_refutation_whose_event_is_lost_on_every_lattice_is_undecided():
    """Just below what is attained: the verdict has a proof, and no certificate."""
    system = KRR(10, "10/64")
    reach = system.reach(10**6)
    attained = worst_delta(reach, Eps.of("1/50"), 9).value.low
    result = certify(system, 10**6, "1/50", attained * (1 - Fraction(1, 10**9)))
    assert (result.verdict, result.certificate) == ("UNDECIDED", None) and "no certificate shows" in result.reason


# Accuracy, and what papers prescribe ---------------------------------------------------------------------------------


@pytest.mark.parametrize(("system", "first"), [(KRR(3, "2/5"), 0), (RAPPOR(3, "1/5"), 1)], ids=["krr", "rappor"])
def test_the_error_of_one_fraction_is_enumerated(system, first):
    """Over all numbers of users on the first value, the others on the second: mean square and Pr[|error| > 2/5]."""
    n, alpha = 3, Fraction(2, 5)
    tree = {x: dict(law.items()) for x, law in system.randomizer().rows.items()}
    squares, misses = [], []
    for s in range(n + 1):
        square, miss = Fraction(0), Fraction(0)
        for view, p in oracle.convolved_law(tree, (str(first),) * s + (str(first + 1),) * (n - s)).items():
            estimate = system.analyze({m: view.count(m) for m in view}, n)[0]
            square += p * (estimate - Fraction(s, n)) ** 2
            miss += p * (abs(estimate - Fraction(s, n)) > alpha)
        squares.append(square)
        misses.append(miss)
    found = system.accuracy(n, alpha)
    assert found.rmse.low**2 <= max(squares) <= found.rmse.high**2
    assert found.failure_probability.low <= max(misses) <= found.failure_probability.high
    assert (found.expected_messages.low, found.bits_per_message) == (1, 2 if first == 0 else 3)


def test_what_theorem_3_1_prescribes():
    """gamma is max(14 k ln(2/delta) / ((n - 1) eps^2), 27 k / ((n - 1) eps)), rounded up by a part in 2^62 at most."""
    for n, k, eps, target in ((10**6, 10, "1/2", "1e-6"), (10**6, 4, "1/1000", "1")):
        bound = Fraction(target)
        with mpmath.workdps(50):
            e = mpmath.mpf(Fraction(eps).numerator) / Fraction(eps).denominator
            log = mpmath.log(2 * mpmath.mpf(bound.denominator) / bound.numerator)
            exact = max(14 * k * log / ((n - 1) * e**2), 27 * k / ((n - 1) * e))
            if exact >= 1:
                with pytest.raises(BadInput, match="expected more users"):
                    KRR.paper(n, Eps.of(eps), bound, {"k": str(k)})
                continue
            gamma = KRR.paper(n, Eps.of(eps), bound, {"k": str(k)})["gamma"]
            ratio = real(gamma) / exact
            assert 1 <= ratio <= 1 + mpmath.mpf(2) ** -62
        found = worst_delta(KRR(k, gamma).reach(n), Eps.of(eps), 6).value
        assert found.high <= bound


def test_prescriptions_that_there_are_not():
    ask = {"k": "5"}
    for n, eps, target, text in (
        (1, "1/2", "1e-6", "n: 1"),
        (10**6, "2", "1e-6", "eps: 2"),
        (10**6, "1/2", "0", "delta: 0"),
    ):
        with pytest.raises(BadInput, match=text):
            KRR.paper(n, Eps.of(eps), Fraction(target), ask)
    with pytest.raises(BadInput, match="k: missing"):
        KRR.paper(10**6, Eps.of(1), Fraction(1, 10), {})
    with pytest.raises(BadInput, match="flip"):
        RAPPOR.paper(10**6, Eps.of(1), Fraction(1, 10), {"d": "5"})
    assert RAPPOR.paper(10**6, Eps.of(1), Fraction(1, 10), {"d": "5", "flip": "1/5"}) == {}
    assert KRR.paper(10**6, Eps.of(1), Fraction(1, 10), {"k": "5", "gamma": "1/5"}) == {}


def test_a_faint_bound_takes_an_integral_and_no_finite_sum_of_ever_more_bits(monkeypatch):
    """Blankets of three categories were summed with as many bits as delta is below 1: two minutes for 10^-4925."""
    rows = {"0": {"a": "1/17501", "b": "17500/17501"}, "1": {"a": "9/10009", "b": "10000/10009"}}
    table, summed = Randomizer.of({x: {(y,): w for y, w in row.items()} for x, row in rows.items()}), list[int]()
    finite = Form.finite

    def told(self, eps, bits):
        summed.append(self.work(bits) * bits)
        return finite(self, eps, bits)

    monkeypatch.setattr(Form, "finite", told)
    found = worst_delta(reach_of(table, 50_000), Eps.of(1)).value
    assert 0 < found.low <= found.high < Fraction(1, 10**10_000)
    assert sum(summed) < 10**8


@pytest.mark.parametrize("power", [Fraction(5, 4), Fraction(2), Fraction(5, 2)])
@pytest.mark.parametrize("limit", [1, FINITE_WORK])
def test_a_faint_bound_is_the_same_by_an_integral_and_by_a_finite_sum(power, limit, monkeypatch):
    """Whichever is asked first, and where the integral is not close as well."""
    shape = [(Fraction(3), Fraction(1), 8), (Fraction(1), Fraction(2), 8), (Fraction(1, 2), Fraction(7, 2), 40)]
    inside = [Category(a, b, Fraction(1, w)) for a, b, w in shape]
    form = Form.of([*inside, Category(Fraction(0), Fraction(0), Fraction(29, 40))], 900)
    exact = refine(partial(form.finite, Eps.log(power)), 20)
    monkeypatch.setattr(multinomial_form, "FINITE_WORK", limit * form.work(112))
    monkeypatch.setattr(multinomial_form, "LONGER", 0 if limit == 1 else 4)
    found = form.value(Eps.log(power), 12)
    assert found.low <= exact.high and exact.low <= found.high, "the truth is enclosed"
    assert found.relative_width < Fraction(1, 10**8)
