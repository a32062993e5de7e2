"""The samplers of tests/corpus: their enumerated laws against seeded runs, closed forms and the oracle; their verdicts.

Statistical tests are seeded, hence the same every time. With fresh seeds one would fail by chance with probability
below 10^-6: for every sampler and number of runs, the sum of all tails that are compared is at most CHANCE = 10^-9.
"""

import operator
import random
from collections import Counter
from fractions import Fraction
from functools import cache
from itertools import pairwise, permutations
from math import comb

import mpmath
import numpy as np
import pytest
from scipy.stats import binom

from shufflecert.verify import kernel
from shufflecert.verify.audit.sampler import enumerate_sampler
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.decide.worst_case import epsilon
from shufflecert.verify.exact.epsilon import Eps
from tests import oracle
from tests.corpus import SAMPLES, counts, draws, responses
from tests.helpers import cases
from tests.reference import real
from tests.sampler_laws import share

QUICK = 20_000  # seeded runs of each sampler, dealt out to its inputs
PATHS = 20_000  # none of the samplers has more of them, of one input
CHANCE = 1e-9
RIGHT = [sample for sample in SAMPLES if sample.right]
WRONG = [sample for sample in SAMPLES if not sample.right]
POINTS = 2**53


def each(samples):
    return pytest.mark.parametrize("sample", samples, ids=lambda sample: f"{sample.name}-{sample.view}")


def sample_of(function):
    """Its first sample."""
    return next(sample for sample in SAMPLES if sample.function is function)


@cache
def _followed(function, inputs, residual, deployed, each):
    found = enumerate_sampler(function, inputs, deployed=deployed, residual=residual, max_paths=PATHS, each=each)
    assert max(found.residual.values()) <= residual
    return found


def followed(sample, deployed=False):
    """The law; deployed as far as 2^-12, since it takes longer."""
    residual = max(sample.residual, Fraction(1, 2**12)) if deployed else sample.residual
    return _followed(sample.function, sample.inputs, residual, deployed, sample.each)


def label(message):
    if isinstance(message, str):
        return str(message)
    if isinstance(message, tuple):
        return str(tuple(map(int, message)))
    return str(int(message) if isinstance(message, bool | np.bool_) else operator.index(message))


def messages(sent):
    return tuple(map(label, sent)) if isinstance(sent, tuple) else (label(sent),)


# Laws ------------------------------------------------------------------------------------------------------------


def seen(sample, x, runs, seed):
    """How often what was sent, in seeded runs of the function on the library's own source."""
    rng = np.random.default_rng(seed) if sample.numpy else random.Random(seed)
    counted = Counter()
    for sent, count in Counter(sample.function(x, rng) for _ in range(runs)).items():
        counted[messages(sent)] += count
    return counted


def implausible(counted, law, residual, chance):
    """The outputs whose probability is outside the exact (Clopper-Pearson) confidence interval of their count.

    The probability of output m is in [law[m], law[m] + residual]; that of all others together at most the residual.
    Two tails are compared for each, and one is below `tail` with probability at most `tail`: `chance` for all of them.
    """
    runs, tail = counted.total(), chance / (2 * (len(law) + 1))
    listed = [*law, None]
    times = np.array([*(counted[m] for m in law), sum(count for m, count in counted.items() if m not in law)])
    least = np.array([*(float(p) for p in law.values()), 0.0])
    most = np.minimum(least + float(residual), 1.0)
    outside = (binom.sf(times - 1, runs, most) < tail) | (binom.cdf(times, runs, least) < tail)
    return [m for m, out in zip(listed, outside, strict=True) if out]


@each(SAMPLES)
@pytest.mark.sampled(32)
def test_laws_against_seeded_runs(sample):
    found = followed(sample)
    for k, x in enumerate(sample.inputs):
        counted = seen(sample, x, cases(5 * QUICK, QUICK) // len(sample.inputs), 1000 + k)
        name = label(x)
        wrong = implausible(counted, found.laws[name], found.residual[name], CHANCE / len(sample.inputs))
        assert not wrong, (x, [(m, counted[m], found.laws[name].get(m)) for m in wrong])


@pytest.mark.parametrize(
    ("run", "law"),
    [
        (responses.k_ary, responses.k_ary_of_k),
        (responses.alias, responses.alias_of_one_uniform),
        (draws.die_by_modulo, draws.die),
        (draws.von_neumann, draws.von_neumann_or),
        (draws.fisher_yates, draws.swap_with_any),
        (draws.reservoir, draws.reservoir_one_more),
        (counts.binomial, counts.binomial_of_seven),
        (counts.two_sided_twice_zero, counts.two_sided_by_sign),
    ],
    ids=operator.attrgetter("__name__"),
)
def test_runs_of_another_function_are_implausible(run, law):
    """As many runs as in the test above tell a bug's law from what was meant."""
    one, other = sample_of(run), sample_of(law)
    found, x = followed(other), other.inputs[0]
    counted = seen(one, x, QUICK // len(one.inputs), 3)
    assert implausible(counted, found.laws[label(x)], found.residual[label(x)], CHANCE)


@each([sample for sample in SAMPLES if sample.reference])
@pytest.mark.sampled(8)
def test_laws_against_closed_forms(sample):
    found = followed(sample)
    for x in sample.inputs:
        law, left = found.laws[label(x)], found.residual[label(x)]
        truth = {messages(sent): p for sent, p in sample.reference[x].items()}
        assert set(law) <= set(truth)
        assert all(0 <= p - law.get(m, 0) <= left for m, p in truth.items())
        assert sum(law.values()) + left == 1
        assert left or law == truth


def test_laws_with_exponentials_against_mpmath():
    """Enumerated from below, and by no more than the residual too little."""
    with mpmath.workdps(1000):  # the residual may be far below 2^-64
        half, one = mpmath.exp(-mpmath.mpf(1) / 2), mpmath.exp(-1)
        lost = 1 - half  # exponential_even accepts the wrong answer with 1 - exp(-1/2)
        skipped = half - mpmath.mpf(1) / 2  # ... from_two: exp(-1/2) = 1 - 1/2 + 1/2 (acceptance when k begins at 2)
        truths = {
            counts.exponential: lambda x, y: (1 if x == y else half) / (1 + half),
            counts.exponential_even: lambda x, y: (1 if x == y else lost) / (1 + lost),
            counts.exponential_from_two: lambda x, y: (1 if x == y else 2 * skipped) / (1 + 2 * skipped),
            counts.discrete_laplace: lambda x, y: (1 - one) / (1 + one) * one ** abs(y - x),
        }
        for sample in SAMPLES:
            if sample.function not in truths:
                continue
            found = followed(sample)
            for x in sample.inputs:
                for (m,), p in found.laws[label(x)].items():
                    truth = truths[sample.function](x, int(m))
                    missing = truth - real(p)
                    left = found.residual[label(x)]
                    assert -mpmath.mpf("1e-30") <= missing <= left.numerator / mpmath.mpf(left.denominator)


# Verdicts --------------------------------------------------------------------------------------------------------


def test_the_corpus_is_large_enough():
    assert len({sample.function for sample in SAMPLES}) >= 45
    assert len(WRONG) >= 20
    assert len(RIGHT) >= 20
    assert all(sample.function.__doc__ for sample in RIGHT)
    assert all(2 <= len(sample.inputs) <= 4 for sample in SAMPLES)


@each(RIGHT)
@pytest.mark.sampled(4)
def test_right_ones_keep_their_claim(sample):
    """Mass that is not followed is a message that tells the input; the claim has room for it."""
    found = followed(sample)
    result = certify(found.randomizer, sample.n, sample.eps, sample.delta, sample.view)
    assert result.verdict == "PROVED"
    assert kernel.check(result.certificate_text().encode()).status == "accepted"
    if sample.tight:
        assert epsilon(found.randomizer, sample.n, sample.delta, sample.view).eps == Eps.of(sample.eps)


@each(WRONG)
@pytest.mark.sampled(8)
def test_wrong_ones_are_refuted_with_an_event(sample):
    """By more than (1 + e^eps) n residual, which is all that mass that was not followed can change."""
    found = followed(sample)
    _, above = Eps.of(sample.eps).bounds(64)
    margin = (1 + above) * sample.n * max(found.residual.values())
    result = certify(found.randomizer, sample.n, sample.eps, Fraction(sample.delta) + margin, sample.view)
    assert result.verdict == "REFUTED"
    assert result.event
    assert kernel.check(result.certificate_text().encode()).status == "accepted"


@each([sample for sample in SAMPLES if Eps.of(sample.eps).power is not None])
@pytest.mark.sampled(8)
def test_claims_by_the_oracle(sample):
    """The verdicts again, by the dumbest enumeration, where e^eps is rational."""
    found, power, delta = followed(sample), Eps.of(sample.eps).power, Fraction(sample.delta)
    tree = {x: dict(law.items()) for x, law in found.randomizer.rows.items()}
    worst = oracle.delta(tree, sample.n, power, sample.view)
    if sample.right:
        assert worst <= delta
    else:
        assert worst > delta + (1 + power) * sample.n * max(found.residual.values())
    if sample.tight:
        assert worst == delta
        assert delta or oracle.pure_epsilon_ratio(tree, sample.n, sample.view) == power


# Deployed: random() is k 2^-53 with k uniform on 0 .. 2^53 - 1 --------------------------------------------------------


def deployed_law(function):
    return followed(sample_of(function), deployed=True).laws


@each(SAMPLES)
@pytest.mark.sampled(32)
def test_deployed_laws_are_near_the_ideal_ones(sample):
    """A threshold is off by 2^-52 at most, and on average a path asks for far fewer than 2^8 of them."""
    ideal = followed(sample)
    found = followed(sample, deployed=True)
    for x in map(label, sample.inputs):
        law, other = ideal.laws[x], found.laws[x]
        apart = sum(abs(law.get(m, 0) - other.get(m, 0)) for m in {*law, *other})
        assert apart <= ideal.residual[x] + found.residual[x] + Fraction(1, 2**44)


def test_deployed_thresholds():
    p = share(lambda u: u < 0.9)
    assert p != Fraction(9, 10)
    laws = deployed_law(responses.mostly_blanket)
    assert laws["1"] == {("0",): p / 3, ("1",): 1 - p + p / 3, ("2",): p / 3}


def test_deployed_uniform():
    p = share(lambda u: -1 + (1 - -1) * u < 0.5)
    laws = deployed_law(responses.level)
    assert laws["0"] == {("0",): p, ("1",): 1 - p}


def test_deployed_equality():
    """u == 0.5 for one k of 2^53, so that deployed it is no longer certain that the truth is told."""
    laws = deployed_law(responses.lie_at_one_half)
    assert laws["0"] == {("0",): 1 - Fraction(1, POINTS), ("1",): Fraction(1, POINTS)}


def test_deployed_whole_part():
    """The column is int(u * 3) of the float product; of the last one, u >= 0.5, all falls to offset 0."""
    first, second = (share(lambda u, k=k: int(u * 3) < k) for k in (1, 2))
    assert first != Fraction(1, 3)
    laws = deployed_law(responses.alias_of_one_uniform)
    assert laws["0"] == {("0",): first + 1 - second, ("1",): second - first}


def test_deployed_weights():
    """random.choices bisects the cumulated weights for the float u * 10.0."""
    p = share(lambda u: u * 10.0 < 9)
    laws = deployed_law(responses.weights_the_other_way)
    assert laws["2"] == {("0",): (1 - p) / 3, ("1",): (1 - p) / 3, ("2",): p + (1 - p) / 3}


def test_deployed_order():
    """u < v < w: 3 different of 2^53 points, in one of 6 orders."""
    p = Fraction(comb(POINTS, 3), POINTS**3)
    laws = deployed_law(draws.less)
    assert laws["0"] == {("0",): 1 - p, ("1",): p}


def test_deployed_ties():
    """The first of the greatest of 4 is at place j: sum over its point k of k^j (k + 1)^(3 - j), over 2^212."""
    n = POINTS
    sums = n, n * (n - 1) // 2, n * (n - 1) * (2 * n - 1) // 6, (n * (n - 1) // 2) ** 2  # of k^0, ..., k^3
    first = [Fraction(sum(comb(3 - j, i) * sums[i + j] for i in range(4 - j)), n**4) for j in range(4)]
    assert sum(first) == 1
    laws = deployed_law(draws.tickets)
    assert laws["2"] == {("0",): first[1], ("1",): first[2], ("2",): first[0] + first[3]}


def test_deployed_sorting():
    """A stable sort: items p, q in this order have key p <= key q where p came first, else key p < key q."""
    laws = deployed_law(draws.sorted_by_uniforms)
    for x in (0, 1):
        items = (x, 1 - x, 2)
        for places in permutations(range(3)):
            strict = sum(p > q for p, q in pairwise(places))
            law = laws[str(x)][tuple(str(items[p]) for p in places)]
            assert law == Fraction(comb(POINTS + 2 - strict, 3), POINTS**3)


@pytest.mark.parametrize("function", [draws.median, draws.greatest], ids=operator.attrgetter("__name__"))
def test_deployed_order_and_thresholds(function):
    """Ties do not matter to order statistics; and 1/4 and 1/2 are multiples of 2^-53."""
    sample = sample_of(function)
    found = followed(sample, deployed=True)
    for x in sample.inputs:
        assert found.laws[label(x)] == {messages(sent): p for sent, p in sample.reference[x].items()}


def test_pure_on_paper_and_leaking_in_doubles():
    """The greatest double that random() gives, 1 - 2^-53, is below 1 - 10^-17: it never lies."""
    assert share(lambda u: not u > 1 - Fraction(1, 10**17)) == 1
    sample = sample_of(responses.rare_lie)
    found = followed(sample, deployed=True)
    assert found.laws["yes"] == {("yes",): 1}
    result = certify(found.randomizer, 1, sample.eps, Fraction(1, 2), "local")
    assert result.verdict == "REFUTED"
    assert kernel.check(result.certificate_text().encode()).status == "accepted"
