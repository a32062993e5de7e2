"""Running protocols: exact sampling, the shuffle, and analyzers whose expectation is the truth."""

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

import pytest
from scipy.stats import binomtest

from shufflecert.protocols.shared.run import Sampler, run
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.randomizer import Law
from shufflecert.verify.systems import catalogue
from tests import oracle
from tests.test_protocols import SLOPED, weighted_bits

HALF, THIRD, QUARTER = Fraction(1, 2), Fraction(1, 3), Fraction(1, 4)


class Fixed(Random):
    """A generator whose every uniform integer is one given number; it notes the range asked for."""

    def __init__(self, number):
        super().__init__(0)
        self.number, self.asked = number, None

    def randrange(self, stop):
        self.asked = stop
        return self.number


def compatible(count, total, p):
    """A count lies in the exact (Clopper-Pearson) confidence interval of level 1 - 10^-6 around its probability."""
    interval = binomtest(count, total).proportion_ci(1 - 1e-6, "exact")
    return interval.low <= p <= interval.high


# Drawing -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("hist", {"d": "3", "p": "1/3"}), ("r_gap", {}), ("krr", {"k": "5", "gamma": "3/10"}), ("r_infinity", {})],
)
def test_every_uniform_integer_together_gives_the_law_exactly(name, parameters):
    for law in catalogue.make(name, parameters).randomizer().rows.values():
        sampler, size = Sampler(law), int(law.denominator)
        tally = Counter(sampler.draw(Fixed(u)) for u in range(size))
        assert {outcome: Fraction(count, size) for outcome, count in tally.items()} == dict(law.items())


def test_the_uniform_integer_is_below_the_denominator_however_large():
    tiny = Fraction(1, 10**40)
    sampler, seen = Sampler(Law.of({"rare": tiny, "usual": 1 - tiny})), {}
    for u in (0, 1, 10**40 - 1):
        generator = Fixed(u)
        seen[u] = sampler.draw(generator)
        assert generator.asked == 10**40
    assert seen == {0: "rare", 1: "usual", 10**40 - 1: "usual"}


def test_the_shuffler_gives_every_order_its_share():
    """r_infinity with two users sends two zeros and two ones: six orders of equal probability."""
    system, generator, total = catalogue.make("r_infinity", {}), Random(21), 6000
    tally = Counter(run(system, [0, 0], generator).messages for _ in range(total))
    assert len(tally) == 6
    assert all(compatible(count, total, 1 / 6) for count in tally.values())


# Running -----------------------------------------------------------------------------------------------------------


def test_a_seed_gives_the_same_run_again():
    system = catalogue.make("krr", {"k": "4", "gamma": "1/2"})
    data = [0, 1, 2, 3] * 10
    assert run(system, data, 5) == run(system, data, Random(5)) == run(system, map(str, data), 5)
    assert run(system, data, 5) != run(system, data, 6)


@pytest.mark.parametrize("p", ["0", "1/2", "99/100", "1"])
def test_zsum_answers_0_on_zeros_always(p):
    """BC Theorem 11 (iii), and its hist: bins that nobody holds are estimated 0."""
    generator = Random(22)
    for n in range(1, 40):
        assert run(catalogue.make("zsum", {"p": p}), [0] * n, generator).output == 0
        assert run(catalogue.make("hist", {"d": "3", "p": p}), [2] * n, generator).output[::2] == (0, 0)


def test_without_noise_the_answers_are_the_truth():
    assert run(catalogue.make("rr", {"flip": "0"}), [1, 0, 1, 1], 0).output == Fraction(3, 4)
    assert run(catalogue.make("krr", {"k": "3", "gamma": "0"}), [2, 0, 2], 0).output == (THIRD, 0, 2 * THIRD)
    for name in ("rappor", "fragmented_rappor"):
        assert run(catalogue.make(name, {"d": "3", "flip": "0"}), [3, 1, 3], 0).output == (THIRD, 0, 2 * THIRD)
    assert run(catalogue.make("r_infinity", {}), [1, 1, 0], 0).output == 3


def test_zsum_and_hist_with_noise_that_is_certain():
    """With p = 1 a bin's count is 1 + c_j / n: the answer c - p is the truth."""
    assert run(catalogue.make("zsum", {"p": "1"}), [1, 0, 1], 0).output == 2 * THIRD
    assert run(catalogue.make("hist", {"d": "3", "p": "1"}), [3, 1, 3], 0).output == (THIRD, 0, 2 * THIRD)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], "data: no users: expected at least one input"),
        ("0110", "data: text is not a list of inputs"),
        (["0", "1", "2"], "data, position 3: '2' is not an input: expected one of 0, 1"),
        ([0, 0.0], "data, position 2: 0.0 is not a label"),
        ([True], "data, position 1: True is not a label"),
    ],
)
def test_bad_data_is_refused_in_one_line_with_its_position(data, message):
    with pytest.raises(BadInput) as refused:
        run(catalogue.make("zsum", {"p": "1/2"}), data, 0)
    assert str(refused.value).startswith(message) and "\n" not in str(refused.value)


# Analyzers ---------------------------------------------------------------------------------------------------------


def shares(inputs):
    """The truth for a histogram: the fraction of users on each input."""
    return lambda data: tuple(Fraction(data.count(x), len(data)) for x in inputs)


def ones(data):
    return Fraction(data.count("1"), len(data))


UNBIASED = [
    ("rr", {"flip": "1/3"}, oracle.rr(THIRD), ones, 4),
    ("r_gap", {}, oracle.r_gap(), ones, 3),
    ("r_gap", {"weights0": ",".join(SLOPED[0]), "weights1": ",".join(SLOPED[1])}, weighted_bits(*SLOPED), ones, 2),
    ("krr", {"k": "3", "gamma": "3/10"}, oracle.krr(3, "3/10"), shares("012"), 3),
    ("rappor", {"d": "3", "flip": "1/4"}, oracle.rappor(3, QUARTER), shares("123"), 2),
    ("fragmented_rappor", {"d": "2", "flip": "1/4"}, oracle.fragmented_rappor(2, QUARTER), shares("12"), 3),
]


@pytest.mark.parametrize(("name", "parameters", "by_hand", "truth", "most"), UNBIASED, ids=[c[0] for c in UNBIASED])
def test_analyzers_are_unbiased_exactly(name, parameters, by_hand, truth, most):
    system = catalogue.make(name, parameters)
    for n in range(1, most + 1):
        for data in product(by_hand, repeat=n):
            law = oracle.convolved_law(by_hand, data)
            assert expected(lambda seen, n=n: system.analyze(Counter(seen), n), law) == truth(data), data


def expected(value, law):
    """E[value] under a law; of every coordinate where the values are tuples."""
    values = [(value(outcome), p) for outcome, p in law.items()]
    if isinstance(values[0][0], tuple):
        return tuple(sum(v[j] * p for v, p in values) for j in range(len(values[0][0])))
    return sum(v * p for v, p in values)


@pytest.mark.parametrize(
    ("name", "parameters", "message"),
    [
        ("rr", {"flip": "1/2"}, "flip: 1/2 sends fair coins"),
        ("rappor", {"d": "2", "flip": "1/2"}, "flip: 1/2 sends fair coins"),
        ("fragmented_rappor", {"d": "2", "flip": "1/2"}, "flip: 1/2 sends fair coins"),
        ("krr", {"k": "2", "gamma": "1"}, "gamma: 1 sends uniform messages"),
        # mean 2 on both inputs, by symmetry, and variances 4 (1/6 + 1/6) + 2/12 = 4 (1/12 + 1/12) + 10/12 = 3/2
        ("r_gap", {"weights0": "1/6,1/12,1/2,1/12,1/6", "weights1": "1/12,5/12,0,5/12,1/12"}, "weights0, weights1: "),
    ],
)
def test_analyzers_refuse_what_holds_no_information(name, parameters, message):
    system = catalogue.make(name, parameters)
    with pytest.raises(BadInput) as refused:
        run(system, [system.randomizer().inputs[0]] * 2, 0)
    assert str(refused.value).startswith(message) and "\n" not in str(refused.value)
