"""Laws, windows and sums that lost a part, or their way, at the edges of their parameters."""

import json
import random
import re
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from math import e, erfc, prod, sqrt
from pathlib import Path

import mpmath
import pytest
from flint import arb

from shufflecert.protocols.gaussian import Gaussian
from shufflecert.protocols.krr import KRR
from shufflecert.protocols.shared.counts import histogram_reach
from shufflecert.protocols.shared.likelihood_orbits import line
from shufflecert.verify import certificate as writing
from shufflecert.verify import kernel
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.compose import accountant
from shufflecert.verify.compose.accountant import compose
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.decide.worst_case import delta
from shufflecert.verify.enclose.interval import Interval, refine, smallest_eps
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import Binomial, DiscreteLaplace, NegativeBinomial, Poisson, Reflected
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Presence, Randomizer
from shufflecert.verify.exact.rational import precision
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from shufflecert.verify.pairs.windowed import SumPair, coin
from shufflecert.verify.reduce.multinomial_form import power_of
from shufflecert.verify.reduce.reduction import worst_epsilon
from shufflecert.verify.systems import catalogue
from shufflecert.verify.systems.declare import least_share
from shufflecert.verify.systems.population import populated
from tests import oracle
from tests.helpers import asked
from tests.limits_of_the_form import GRID, table
from tests.reference import real

# The shift of -X for a negative binomial X with r < 1 was a traceback: it is a shift of X, the other way.


def test_both_directions():
    law = NegativeBinomial(Fraction(1, 2), Fraction(1, 3))
    for by in (1, -1, 3, -3):
        for eps in (Eps.of(0), Eps.of("1/2"), Eps.of(3)):
            assert ShiftedNoise(Reflected(law), by).divergence(eps, 128) == ShiftedNoise(law, -by).divergence(eps, 128)


# README said that there is no floating point before a verdict, where datasets were passed over by doubles.
#
# That search is gone; the page on trust says what doubles still do, which is to choose where to look.


ROOT = Path(__file__).parents[2]


def test_the_page_says_what_doubles_do():
    assert "no floating point between" not in (ROOT / "README.md").read_text()
    (said,) = [line for line in re.split(r"\n- ", (ROOT / "docs/trust.md").read_text()) if line.startswith("Floating")]
    assert "doubles choose where to look" in said and not re.search(r"rests? on [^.]*(?:doubles|IEEE)", said)
    assert not (ROOT / "protocols/shared/screened_compositions.py").exists()


# A sum of two noises was bounded, at points of its window, without what falls there from outside the terms' own.


@pytest.mark.parametrize("eps", ["1/10", "1/2", "log(2)", "7/10"])
def test_two_noises_are_their_sum(eps):
    """NB(1/2, p) + NB(1/3, p) is NB(5/6, p): one unit more against that was put above the true value."""
    half, third, both = (NegativeBinomial(Fraction(r), Fraction(1, 2)) for r in ("1/2", "1/3", "5/6"))
    low, high = SumPair((half, third), (half, third), 1).divergence(Eps.of(eps), 128)
    true = refine(lambda bits: ShiftedNoise(both, 1).divergence(Eps.of(eps), bits), digits=50)
    assert low <= true.low <= true.high <= high and high - low < Fraction(1, 10**28)


# -(-X) forgot the limits of X's ratios: its tails were cut off without what is left, and below their true value.


def test_the_tails_are_those_of_the_law():
    # r < 1: the ratios rise to p, and no ratio seen so far bounds those to come. Pr[X >= 1] = 1 - (1 - p)^r = 1/2
    law = NegativeBinomial(Fraction(1, 2), Fraction(3, 4))
    twice = Reflected(Reflected(law))
    assert (twice.limit(), Reflected(DiscreteLaplace(Fraction(1, 3))).limit_below()) == (law.p, Fraction(1, 3))
    with precision(64):
        assert (twice.survival(1) * 2 - 1).contains(0)


def test_beyond_the_last_point_the_ratio_is_0():
    assert Reflected(NegativeBinomial(Fraction(1, 2), Fraction(3, 4))).ratio(1) == (0, 1)
    assert Reflected(NegativeBinomial(1, Fraction(3, 4))).ratio(1) == (0, 1)


# A window cut at one end only was taken to be cut at both: that some outcomes never return was not seen.


HALF = Fraction(1, 2)


def test_histograms_with_noise_that_starts_at_zero():
    # (X + 1, Y) against (X, Y + 1): the second coordinate is 0 with Pr[Y = 0] = (1 - p)^3, and never on the right
    reach = histogram_reach(NegativeBinomial(3, HALF), 5, "")
    assert HALF**3 * (1 - Fraction(1, 10**30)) < reach.attained.infinity_mass() <= HALF**3
    assert worst_epsilon(reach, Fraction(1, 10**6))[:2] == (None, None)


def test_a_large_eps_needs_few_bits():
    reach = histogram_reach(Poisson(3), 5, "")
    value = reach.attained.worst(Eps.of(1000))[0]
    assert value.relative_width < Fraction(1, 10**30)
    assert Fraction(497, 10_000) < value.low and value.high < Fraction(498, 10_000)  # e^-3 = 0.04978...


# Laws were taken in the order of doubles, and the rest passed over at the first that was small enough: not all
# were.
#
# Two laws whose largest values differ by less than a double tells are e^10 apart for 10^18 users.


USERS, SPREAD = 10**18, 1e9


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_largest_of_laws_that_no_double_tells_apart(order):
    half, little = Fraction(1, 2), Fraction(1, 10**17)
    laws = [[(half * (1 + k * little), Fraction(1)), (half * (1 + k * little), Fraction(-1))] for k in range(3)]
    with precision(256):
        largest, together = (
            line(laws[2:], USERS, 1e-9, SPREAD, 8),
            line([laws[i] for i in order], USERS, 1e-9, SPREAD, 8),
        )
        least = line(laws[:1], USERS, 1e-9, SPREAD, 8)
        assert together.overlaps(largest)
        assert largest > 10**8 * least


# The search for the smallest eps took "not decided to be above" for "below": eps = 0 was said to be enough.


WIDE = Interval(Fraction(1, 10), Fraction(3, 10))


def test_undecided_at_zero():
    # between 1/10 and 3/10 up to eps = 5, then 0: whether eps < 5 keeps 1/5 is not known
    low, high = smallest_eps(
        lambda eps: WIDE if eps.exponent < 5 else Interval(Fraction(0), Fraction(0)), Fraction(1, 5)
    )
    assert low == 0 and high is not None and 5 <= high <= 8


def test_undecided_everywhere():
    assert smallest_eps(lambda eps: WIDE, Fraction(1, 5)) == (0, None)


def test_undecided_from_some_point_on():
    def curve(eps):
        return Interval(Fraction(1, 2), Fraction(1, 2)) if eps.exponent < Fraction(3, 2) else WIDE

    low, high = smallest_eps(curve, Fraction(1, 5))
    assert low == 1 and high is None


# log(1 - p) was taken of a ball around p: for p = 1 - 10^-300 a logarithm of 0, and a traceback.


def test_all_but_one_of_five_noise_messages_miss():
    q = Fraction(1, 10**300)  # X = 5 up to about 5 q, so X + 1 = 6 is told apart: delta = p^5 for every eps
    exact = (1 - q) ** 5
    low, high = ShiftedNoise(Binomial(5, 1 - q)).divergence(Eps.of(1), 128)
    assert low <= exact <= high and high - low < Fraction(1, 10**36)


def test_a_negative_binomial_with_p_next_to_one():
    q = Fraction(1, 10**300)
    exact = q**2  # X against X + 1 at a large eps: Pr[X = 0] = (1 - p)^r
    found = refine(lambda bits: ShiftedNoise(NegativeBinomial(2, 1 - q), -1).divergence(Eps.of(10), bits))
    assert found.low <= exact <= found.high and found.relative_width < Fraction(1, 10**30)


def test_no_delta_is_shown_above_one(capsys):
    """Noise of variance 1/1000 is 0 but for 10^-200: the upper end was rounded out to 1 + 10^-29."""
    answer = asked(capsys, "delta", "discrete_gaussian", "-p", "variance=1e-3", "--n", 100, "--eps", "1/2")
    assert Fraction(answer["delta"]["lower"]) > 1 - Fraction(1, 10**25) and answer["delta"]["upper"] == "1"


# q = 1 - 10^-50 and eps = 0: nowhere did 160 bits tell P from Q, and the search for a point that does had no end.


Q = 1 - Fraction(1, 10**50)


@pytest.mark.parametrize("by", [1, -1, 2, 100])
def test_discrete_laplace(by):
    # X + j against X at eps = 0: the most likely j points, Pr[m <= X < m + j] with m = -floor(j / 2)
    exact = sum((1 - Q) / (1 + Q) * Q ** abs(k) for k in range(-(abs(by) // 2), abs(by) - abs(by) // 2))
    pair = ShiftedNoise(DiscreteLaplace(Q), by)
    for bits in (8, 64, 128):
        low, high = pair.divergence(Eps.of(0), bits)
        assert low <= exact <= high
    found = refine(lambda bits: pair.divergence(Eps.of(0), bits))
    assert found.low <= exact <= found.high and found.relative_width < Fraction(1, 10**30)


@pytest.mark.long
def test_a_negative_binomial_the_other_way():
    # X against X + 1 with r = 2, Pr[k] = (k + 1) (1 - p)^2 p^k: P > Q up to the mode; P - Q adds up to its probability
    found = refine(lambda bits: ShiftedNoise(NegativeBinomial(2, Q), -1).divergence(Eps.of(0), bits))
    with_mode = (1 - Q) * Fraction(36787, 100_000)  # e^-1 = 0.367879...
    assert with_mode < found.low and found.high < (1 - Q) * Fraction(36789, 100_000)
    assert found.relative_width < Fraction(1, 10**30)


# A threshold's weights that are large and near one another made a lattice as wide as the largest of them.
#
# Where users send different numbers of messages, 0 is a weight as well: that of who sends nothing. A question about
# users who rarely take part was refused, with advice that nobody could follow.


THIRD, PART = Fraction(1, 3), Fraction(1, 10**9)
ROWS = {
    "x": {("a", "b"): THIRD, ("b", "a"): 1 - THIRD},
    "y": {("a", "b", "b", "a"): THIRD, ("b", "a", "b", "a"): 1 - THIRD},
    "z": {("a", "b"): Fraction(1)},
}


@pytest.mark.parametrize(("n", "t"), [(2, 20), (2, 1), (3, 1), (3, 20)])
@pytest.mark.sampled(2)
def test_users_who_rarely_take_part(n, t):
    some = populated(Randomizer.of(ROWS), Presence.of(take_part=PART))
    found = delta(some, n, Eps.log(Fraction(t)), effort=Effort(work=1))
    true = oracle.attended_delta(ROWS, n, Fraction(t), take_part=PART)
    assert 0 < found.delta.low <= true <= found.delta.high
    assert found.delta.low >= true * Fraction(99, 100)


# The law of a sum of few draws whose values are far apart was made by products of polynomials with a term for each
# integer between: a minute for five users.
#
# A sum for each multiset of values is enough, where these are few. Expected values: all sequences of draws, exactly.


DRAWS = [
    {0: Fraction(1, 3), 20_000: Fraction(1, 2), 20_001: Fraction(1, 6)},
    {-7: Fraction(1, 10**30), 0: 1 - Fraction(1, 10**30)},
    {5: Fraction(1)},
]


@pytest.mark.parametrize("draw", DRAWS)
@pytest.mark.parametrize("n", [1, 2, 5])
@pytest.mark.sampled(2)
def test_a_sum_for_each_multiset(draw, n, monkeypatch):
    monkeypatch.setattr(Window, "plus", None)  # no product of polynomials
    true: dict[int, Fraction] = {}
    for drawn in product(draw.items(), repeat=n):
        at = sum(value for value, _ in drawn)
        true[at] = true.get(at, 0) + prod(p for _, p in drawn)
    law, unit = power_of(draw, n, 200), 1 << 200
    found = {law.first + i: ends for i, ends in enumerate(zip(law.low, law.high, strict=True))}
    assert true.keys() <= found.keys() and not law.outside
    for at, (low, high) in ((at, map(int, ends)) for at, ends in found.items()):
        assert low <= true.get(at, 0) * unit <= high <= low + 1000


# A grid that a blanket's certificate hints at was as long as the sum, not as the sum on the grid, which is wider.
#
# Where the claim lies far above the bound the step is coarse, the sum on its multiples spreads over the ends of the
# cells, and the kernel, which counts what leaves at one end as if it came in at the other, did not find what is
# claimed.


def test_a_claim_far_above_the_bound_has_a_certificate():
    found = certify(KRR("3", "9/10"), 10**5, "1/20", "1/1000")
    assert found.verdict == "PROVED" and found.worst.delta.high < found.claim.delta / 10**6
    assert kernel.check(found.certificate_text().encode()).status == "accepted"


# Of values that each outweigh all draws of the later ones only the first was taken out of the sum.
#
# What was left had values too far apart for a line: normal noise of 3/10, others on 1, had delta(1) from 2.9e-7 to
# 0.84.


@pytest.mark.parametrize(("sigma", "end"), [("3/10", -0.4), ("2/5", -1.2), ("1/10", 0.2)])
@pytest.mark.sampled(2)
def test_a_user_whose_message_nobody_hides_is_seen(sigma, end):
    """The event "some message is below `end`", the user on 0 against 1 and all others on 1, is no larger."""
    n, scale = 10_000, float(Fraction(sigma)) * sqrt(2)
    member = next(one for one in Gaussian(Fraction(sigma)).reach(n).attained.members if "1" in one.named.others)
    shown = erfc(-end / scale) / 2 - e * n * erfc((1 - end) / scale) / 2
    value = member.value.enclosure(Eps.of(1), 4)
    assert 0 < shown <= value.low <= value.high <= value.low * Fraction(101, 100)


# eps a little below log(1/q), the limit of log P/Q, was a search without end: no precision told the two apart.


def log_two(digits):
    """log 2, rounded down to so many digits."""
    with mpmath.workdps(digits + 20):
        return Fraction(int(mpmath.floor(mpmath.log(2) * mpmath.mpf(10) ** digits)), 10**digits)


@pytest.mark.parametrize("digits", [30, 60, 200])
def test_discrete_laplace_limit(digits):
    # delta = Pr[X >= 0] (1 - e^eps / 2) = 2/3 (1 - e^(eps - log 2))
    eps = log_two(digits)
    with mpmath.workdps(2 * digits + 60):
        exact = -mpmath.expm1(real(eps) - mpmath.log(2)) * 2 / 3
    found = refine(lambda bits: ShiftedNoise(DiscreteLaplace(Fraction(1, 2))).divergence(Eps.of(eps), bits))
    assert found.low > 0 and found.relative_width < Fraction(1, 10**30)
    with mpmath.workdps(2 * digits + 60):
        low, high = (real(end) for end in (found.low, found.high))
        assert low <= exact * (1 + mpmath.mpf(10) ** -(digits + 20)) and high >= exact * (1 - mpmath.mpf(10) ** -40)


@pytest.mark.parametrize("digits", [6, 30, 60, 200])
def test_negative_binomial(digits):
    # P/Q = 2 k / (k + 2) > e^eps from k = 10^digits on or so, where nearly nothing is left
    low, high = ShiftedNoise(NegativeBinomial(3, Fraction(1, 2))).divergence(Eps.of(log_two(digits)), 128)
    assert low == 0 and 0 < high < Fraction(1, 2 ** min(10**digits, 300_000))


@pytest.mark.parametrize("bits", [8, 128])
@pytest.mark.parametrize("digits", [30, 200])
def test_negative_binomial_that_is_not_log_concave(digits, bits):
    # r = 1/2: next to the limit on either side, delta is 1 - e^eps Pr[X >= 1] = 1 - 2 (1 - 2^(-1/2)) up to the distance
    law = NegativeBinomial(Fraction(1, 2), Fraction(1, 2))
    for eps in (log_two(digits), log_two(digits) + Fraction(1, 10**digits)):
        low, high = ShiftedNoise(law).divergence(Eps.of(eps), bits)
        assert (low + 1) ** 2 - 2 <= Fraction(4, 10**29) and (high + 1) ** 2 - 2 >= -Fraction(4, 10**29)
        assert high - low < Fraction(1, 2**bits)


# The bound of many blocks: a grid that reaches beyond its cells was divided by 0; weights too small for its bits.


F = Fraction
HALVES = [
    {"input": name, "outputs": [{"send": [own], "p": "1/2"}, {"send": ["b"], "p": "1/2"}]}
    for name, own in (("x", "a"), ("y", "c"))
]


@pytest.mark.parametrize(("delta", "status"), [("1/2", "accepted"), ("499999/1000000", "undecided")])
def test_outcomes_that_no_block_has_count_by_themselves(delta, status):
    """x is told by an a, half of the time, and y by a c; of b the two send as much: delta(1) is 1/2."""
    tree = table(HALVES, [writing.block({}, 1, None, GRID | {"above": 100})])
    tree["claim"]["delta"] = delta
    assert kernel.check(json.dumps(tree).encode()).status == status


@pytest.mark.parametrize("case", range(12))
def test_the_bound_is_not_below_the_definition(case):
    """Of a few draws, all of their sums one by one; some weights are far too small for the bits of the grid."""
    rng = random.Random(f"grids {case}")
    n, step, tiny = rng.randint(2, 3), F(1, rng.randint(2, 9)), 2 ** -rng.randint(100, 400) if case % 2 else 1
    shape = [(F(rng.randint(0, 9)), F(rng.randint(0, 9)), F(rng.randint(0, 9))) for _ in range(3)]
    small = F(tiny)
    shape += [(9 * small, F(0), small), (F(1), F(2), F(0))]
    unit = sum(sum(one) for one in shape) * small.denominator
    draws = [((p - q) / s, s / unit) for p, q, s in shape if s]
    draws.append((F(0), 1 - sum(weight for _, weight in draws)))
    whole = F(0)
    for some in product(draws, repeat=n):
        weight = F(1)
        for _, part in some:
            weight *= part
        whole += weight * max(sum(value for value, _ in some), 0)
    alone = sum(max(p - q, 0) for p, q, s in shape if not s) / unit
    scaled = [tuple(int(weight * small.denominator) for weight in one) for one in shape]
    grid = {"step": (step.numerator, step.denominator), "cells": 1000}
    budget, ratio = kernel.Budget(4096, 10**9, 10**9), (1, 10**6)
    above, below = kernel.grid_bound(scaled, int(unit * small.denominator), n, grid, ratio, (1, 1, 1), budget)
    assert F(above, below) >= alone + whole / n
    assert F(above, below) <= alone + whole / n + step * n


# A local eps whose half is the logarithm of a rational: shares that are multiples of 2^-64 were never decided.


@pytest.mark.parametrize(
    ("power", "parts", "root"), [("9", 2, 3), ("4", 2, 2), ("81/16", 4, Fraction(3, 2)), ("9", 1, 9)]
)
def test_a_rational_root_is_exact(power, parts, root):
    assert least_share(Eps.log(Fraction(power)), 2, parts) == Fraction(2) / (1 + root)


def test_what_has_no_rational_root_is_rounded_up():
    share = least_share(Eps.log(Fraction(8)), 2, 2)
    assert 0 < share - Fraction(2 / (1 + 8**0.5)) < Fraction(1, 10**15) and (2 / share - 1) ** 2 < 8


def test_systems_are_made_of_it():
    assert catalogue.make("unary_encoding", {"d": "3", "eps0": "log(9)", "optimized": "no"}).chances[1] == Fraction(
        1, 4
    )


# Where a sum along a line gave no number, as for thresholded counts composed, the accountant ended in a traceback.


DIGITS = 8  # more than a lattice is asked for
PAIR = SumPair((coin(F(1, 3)),), (coin(F(1, 2)),))


def line_of_numbers():
    return accountant.along_line([(PAIR, 50)], Eps.of(0), DIGITS, 1 << 22)


the_line = cache(line_of_numbers)  # as it is


@pytest.mark.parametrize("nothing", ["inf", "nan"])
@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.sampled(3)
def test_an_end_that_is_no_number_bounds_nothing(monkeypatch, end, nothing):
    """delta(0) of 50 coins, from the same sum with few outcomes: still inside, and the other end as close as before."""
    exact = compose([PAIR], 50, 0)
    closer, bounds = the_line(), accountant._bounds

    def broken(*asked):
        found = list(bounds(*asked))
        found[end] = arb(nothing)
        return tuple(found)

    monkeypatch.setattr(accountant, "_bounds", broken)
    found = line_of_numbers()
    assert 0 <= found.low <= exact.low <= exact.high <= found.high <= 1
    assert found.high < closer.high * F(3, 2) if end == 0 else found.low > closer.low / 2
