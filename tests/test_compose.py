"""Composition against enumeration in Fractions and sums in mpmath, by both ways: few outcomes, and a lattice."""

import random
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import ceil, comb, floor, prod, sqrt

import numpy as np
import pytest
from flint import fmpz
from mpmath import mp, mpf, workdps

from shufflecert.verify.compose import accountant as module
from shufflecert.verify.compose.accountant import compose
from shufflecert.verify.compose.assignments import Rough
from shufflecert.verify.enclose.noise_laws import Binomial, Poisson
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.pairs.connect_the_dots import Exact
from shufflecert.verify.pairs.windowed import Atoms, Reversed, SumPair, WindowPair
from tests.bench.problems import zsum
from tests.helpers import cases
from tests.reference import real


@dataclass(frozen=True)
class Known(WindowPair):
    """A pair of given exact laws."""

    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]

    def atoms(self, bits):
        laws = [
            ([fmpz(floor(w * 2**bits)) for w in law], [fmpz(ceil(w * 2**bits)) for w in law])
            for law in (self.p, self.q)
        ]
        return Atoms(laws[0], laws[1], (0, 0), bits)


def known(p, q):
    return Known(tuple(map(Fraction, p.split())), tuple(map(Fraction, q.split())))


COIN = known("3/4 1/4", "1/4 3/4")
SKEW = known("1/2 1/3 1/6", "1/5 1/5 3/5")
ENDLESS = known("1/100 49/100 1/2", "0 1/2 1/2")  # P(Q = 0) = 1/100
NEVER = known("0 1/2 1/2", "1/4 1/2 1/4")  # Q(P = 0) = 1/4
SAME = known("1/2 1/2", "1/2 1/2")


def enumerated(pairs, power_of_e):
    """sum of max(P - e^eps Q, 0) over all outcomes of all pairs together, in Fractions."""
    total = Fraction(0)
    for outcome in product(*(range(len(pair.p)) for pair in pairs)):
        p = prod(pair.p[i] for pair, i in zip(pairs, outcome, strict=True))
        q = prod(pair.q[i] for pair, i in zip(pairs, outcome, strict=True))
        total += max(p - power_of_e * q, 0)
    return total


def lattice_only(monkeypatch):
    monkeypatch.setattr(module, "FEW", 0)


def holds(found, truth, width):
    assert found.low <= truth <= found.high
    assert found.high - found.low <= width * found.high
    return True


CASES = [
    ([COIN], 6, "2"),
    ([COIN], 9, "100"),
    ([SKEW], 5, "3/2"),
    ([SKEW], 6, "1"),
    ([SKEW], 6, "10"),
    ([SKEW, COIN], 3, "5/2"),
    ([ENDLESS, COIN], 3, "2"),
    ([ENDLESS], 7, "1"),
    ([NEVER, SKEW], 3, "3"),
    ([SKEW, Reversed(SKEW), COIN], 2, "4/3"),
]


def laws_of(pair):
    return Known(pair.pair.q, pair.pair.p) if isinstance(pair, Reversed) else pair


@pytest.mark.parametrize(("pairs", "times", "power_of_e"), CASES)
def test_few_outcomes_are_summed_up(pairs, times, power_of_e):
    truth = enumerated([laws_of(pair) for pair in pairs] * times, Fraction(power_of_e))
    assert holds(compose(pairs, times, f"log({power_of_e})"), truth, Fraction(1, 10**30))


@pytest.mark.parametrize(("pairs", "times", "power_of_e"), CASES)
def test_the_lattice_agrees_with_enumeration(pairs, times, power_of_e, monkeypatch):
    truth = enumerated([laws_of(pair) for pair in pairs] * times, Fraction(power_of_e))
    lattice_only(monkeypatch)
    assert holds(compose(pairs, times, f"log({power_of_e})", digits=4), truth, Fraction(2, 10**4))


def counts(n, upwards):
    """s + Bin(n, 1/3): the pair, and the two laws in 60 digits."""
    noise = Binomial(n, Fraction(1, 3))
    pair = SumPair((noise,), (noise,), 1)
    with workdps(60):
        law = [mpf(comb(n, k)) * 2 ** (n - k) / mpf(3) ** n for k in range(n + 1)]
    P, Q = [mpf(0), *law], [*law, mpf(0)]
    return (pair, P, Q) if upwards else (Reversed(pair), Q, P)


def direct(P, Q, eps):
    """The two-fold sum in 60 digits; what it is off by is far below 1e-50."""
    with workdps(60):
        e = mp.exp(real(eps))
        pairs = list(zip(P, Q, strict=True))
        total = mp.fsum(max(a * b - e * c * d, 0) for a, c in pairs for b, d in pairs)
        return Fraction(int(mp.floor(total * mpf(2) ** 180)), 2**180)


@pytest.mark.parametrize("eps", [Fraction(0), Fraction(1, 2), Fraction(3, 2), Fraction(5, 2)])
@pytest.mark.parametrize("upwards", [True, False])
@pytest.mark.sampled(3)
def test_two_noisy_counts_against_a_direct_sum(eps, upwards, monkeypatch):
    pair, P, Q = counts(40, upwards)
    truth, off = direct(P, Q, eps), Fraction(1, 10**50)
    exact = compose([pair], 2, eps)
    assert exact.low - off <= truth <= exact.high + off
    assert exact.relative_width <= Fraction(1, 10**25)
    lattice_only(monkeypatch)
    found = compose([pair], 2, eps, digits=6)
    assert found.low - off <= truth <= found.high + off
    assert found.relative_width <= Fraction(2, 10**6)


@pytest.mark.parametrize("digits", [2, 4, 6])
@pytest.mark.sampled(3)
def test_more_digits_are_narrower_and_hold_the_same_number(digits):
    pair = counts(300, True)[0]
    found, finer = compose([pair], 7, 2, digits=digits), compose([pair], 7, 2, digits=digits + 1)
    assert found.relative_width <= Fraction(2, 10**digits)
    assert found.low <= finer.low <= finer.high <= found.high


def test_tiny_values_are_as_sharp_as_large_ones():
    """Four counts are two halves of two: exact. The lattice has them likewise."""
    pair = counts(40, True)[0]
    eps = Fraction(15, 2)
    truth = compose([pair], 4, eps)
    assert truth.high < Fraction(1, 10**18)
    assert truth.relative_width < Fraction(1, 10**25)
    with pytest.MonkeyPatch.context() as patch:
        lattice_only(patch)
        found = compose([pair], 4, eps, digits=5)
    assert found.low <= truth.low <= truth.high <= found.high
    assert found.relative_width <= Fraction(2, 10**5)


def by_rounded_losses(n, p, times, eps, upwards, places=300):
    """(low, high) around delta(eps) of Bin(n, p) + 1 against Bin(n, p), or the other way round, so many times.

    Every loss goes down, or up, to a multiple of 1 / places; what has less than 1e-200 is left out, or counts as
    infinite. In doubles, which add and multiply what is positive only, and so are relatively close.
    """
    k = np.arange(1, n + 1)
    law = np.cumsum(np.log((n - k + 1) / k)) + k * np.log(p / (1 - p)) + n * np.log(1 - p)
    shifted = np.concatenate([[n * np.log(1 - p)], law[:-1]])
    P, Q, outside = (shifted, law, law[-1]) if upwards else (law, shifted, n * np.log(1 - p))
    ends = []
    for rounded in (np.floor, np.ceil):
        at = rounded((P - Q) * places).astype(int)
        some = P > -460
        masses = np.zeros(at[some].max() - at[some].min() + 1)
        np.add.at(masses, at[some] - at[some].min(), np.exp(P[some]))
        power = np.ones(1)
        for _ in range(times):
            power = np.convolve(power, masses)
        losses = (np.arange(len(power)) + times * at[some].min()) / places
        beyond = times * (n * 1e-199 + np.exp(outside)) if rounded is np.ceil else 0
        ends.append(float(power[losses > eps] @ -np.expm1(eps - losses[losses > eps])) + beyond)
    return ends


@pytest.mark.parametrize(
    ("p", "times", "upwards"),
    [
        (zsum().p, 10, False),  # 1 - p = 50 ln(2e6) / 1000: problem (d) of the benchmarks, 1.397e-38
        (Fraction(9, 10), 10, True),  # 1.179e-17
        (Fraction(9, 10), 10, False),
        (Fraction(9, 10), 3, False),  # 1e-99: its lattice was not steep enough, and told no more than 1e-21
    ],
)
def test_noisy_sums_against_losses_on_a_grid(p, times, upwards):
    noise = Binomial(1000, p)
    pair = SumPair((noise,), (noise,), 1)
    found = compose([pair if upwards else Reversed(pair)], times, 3, digits=3)
    low, high = by_rounded_losses(1000, float(p), times, 3, upwards)
    assert low / 1.001 <= found.high and found.low <= high * 1.001
    assert high < 10 * low and abs(float(found.low) / sqrt(low * high) - 1) < 1 / 10
    assert found.relative_width <= Fraction(1, 100)


def test_a_list_is_the_same_in_any_order_and_repeated(monkeypatch):
    lattice_only(monkeypatch)
    values = [
        compose([COIN, SKEW] * 3, 1, 1, digits=4),
        compose([SKEW, COIN], 3, 1, digits=4),
        compose([SKEW, SKEW, SKEW, COIN, COIN, COIN], 1, 1, digits=4),
    ]
    assert max(v.low for v in values) <= min(v.high for v in values)


def test_beyond_the_largest_loss_only_infinity_mass_is_left(monkeypatch):
    lattice_only(monkeypatch)
    never = compose([ENDLESS, COIN], 2, 10)
    assert holds(never, 1 - Fraction(99, 100) ** 2, Fraction(1, 10**30))
    assert compose([COIN], 3, 4).high == 0


def test_nothing_distinguishes_a_law_from_itself():
    assert compose([SAME], 5, 0).high == 0


def test_infinite_supports_lose_their_far_ends():
    """Poisson noise ten times, against ten times less eps and delta: sequential composition is an upper bound."""
    noise = Poisson(Fraction(300))
    pair = SumPair((noise,), (noise,), 1)
    ten, one = compose([pair], 10, 2, digits=5), compose([pair], 1, Fraction(1, 5))
    assert 0 < ten.low <= ten.high < 10 * one.high
    assert ten.relative_width <= Fraction(2, 10**5)


@pytest.mark.parametrize(("times", "eps"), [(0, 1), (1.5, 1), (2, -1), (2, 0.5)])
def test_bad_input(times, eps):
    with pytest.raises(BadInput) as error:
        compose([COIN], times, eps)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("power_of_e", [Fraction(1), Fraction(5, 4), Fraction(40), Fraction(10**12)])
def test_rough_bounds_are_above_and_close(power_of_e):
    """Of products of up to three pairs, each up to three times, against all outcomes in order; also small ones."""
    rng, told = random.Random(str(power_of_e)), 0
    for _ in range(cases(80)):
        parts, products, unit = [], [(1, 1)], 1
        for _ in range(rng.randint(1, 3)):
            size, times, large = rng.randint(2, 4), rng.randint(1, 3), 10 ** rng.choice((1, 3, 9))
            p, q = ([rng.choice((0, 1, 1, 1)) * rng.randint(1, large) for _ in range(size)] for _ in range(2))
            p, q = [*p, 1], [*q, 1]
            for _ in range(times):
                products = [(a * x, b * y) for a, b in products for x, y in zip(p, q, strict=True)]
                unit *= sum(p) * sum(q)
                products = [(a * sum(q), b * sum(p)) for a, b in products]
            weights = ([fmpz(x * sum(other)) for x in law] for law, other in ((p, q), (q, p)))
            parts.append((Exact(Pair(next(weights), next(weights), fmpz(sum(p) * sum(q)))), times))
        value = sum((max(a - power_of_e * b, Fraction(0)) for a, b in products), Fraction(0)) / unit
        above = Rough(Eps.log(power_of_e)).above(parts)
        told += value > Fraction(1, 10**9)
        assert value <= above <= value * (1 + Fraction(1, 10**6)) + Fraction(1, 10**15)
    assert told
