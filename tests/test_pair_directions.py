"""Every type of pair turned round: against its laws, written out by other means, in both directions."""

from fractions import Fraction
from itertools import product

import pytest
from flint import fmpz

from shufflecert.protocols.correlated import CorrelatedPair
from shufflecert.protocols.krr import KRR
from shufflecert.protocols.rr import RR
from shufflecert.verify.bound.closed_form import ClosedForm
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.compose.privacy_loss_distribution import Grid, WorstCurve, attained_losses
from shufflecert.verify.enclose.interval import is_whole, refine, reverse
from shufflecert.verify.enclose.noise_laws import Binomial, NegativeBinomial, Poisson, Reflected
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.pairs.connect_the_dots import Exact
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from shufflecert.verify.pairs.windowed import Product, ProductPair, SumPair, WindowPair, coin
from shufflecert.verify.reduce.privacy_blanket import event_of, reach_of
from shufflecert.verify.reduce.reduction import NamedPair, Pairs, Reduction
from tests import oracle

POWERS = [Fraction(1), Fraction(9, 8), Fraction(2), Fraction(7, 2)]
SKEW = Pair([fmpz(w) for w in (5, 2, 1, 0)], [fmpz(w) for w in (1, 3, 1, 3)], fmpz(8))


def bits(n, p):
    """Bin(n, p) as {k: probability}, coin by coin."""
    law = {0: Fraction(1)}
    for _ in range(n):
        law = add(law, {0: 1 - p, 1: p})
    return law


def add(one, two):
    law = {}
    for (a, p), (b, q) in product(one.items(), two.items()):
        law[a + b] = law.get(a + b, Fraction(0)) + p * q
    return law


def moved(law, by):
    return {k + by: p for k, p in law.items()}


def joined(one, two):
    return {(a, b): p * q for (a, p), (b, q) in product(one.items(), two.items())}


THREE, P, Q = (
    bits(3, Fraction(1, 3)),
    dict(enumerate(map(Fraction, (5, 2, 1)))),
    dict(enumerate(map(Fraction, (1, 3, 1, 3)))),
)
P, Q = ({y: w / 8 for y, w in law.items()} for law in (P, Q))
NOISE = Binomial(3, Fraction(1, 3))
SUMS = SumPair((NOISE, coin(Fraction(1, 4))), (NOISE, coin(Fraction(2, 3))), 1)
SUMS_LAWS = moved(add(THREE, bits(1, Fraction(1, 4))), 1), add(THREE, bits(1, Fraction(2, 3)))
CASES = {  # a pair, and its two laws
    "exact": (SKEW, P, Q),
    "exact, by atoms": (Exact(SKEW), P, Q),
    "shift": (ShiftedNoise(NOISE, 2), moved(THREE, 2), THREE),
    "shift down": (ShiftedNoise(NOISE, -1), THREE, moved(THREE, 1)),
    "shift, mirrored": (ShiftedNoise(Reflected(NOISE), 1), moved(THREE, -1), THREE),
    "sums": (SUMS, *SUMS_LAWS),
    "sums, turned": (SUMS.reversed(), *SUMS_LAWS[::-1]),
    "product": (Product(SUMS, Exact(SKEW)), joined(SUMS_LAWS[0], P), joined(SUMS_LAWS[1], Q)),
    "together": (ProductPair(((Exact(SKEW), 2),)), joined(P, P), joined(Q, Q)),
}


@pytest.mark.parametrize("name", CASES)
def test_both_directions_are_those_of_the_laws(name):
    pair, one, two = CASES[name]
    for way, p, q in ((pair, one, two), (reverse(pair), two, one), (reverse(reverse(pair)), one, two)):
        for x in POWERS:
            low, high = way.divergence(Eps.log(x), 256)
            assert low <= oracle.hockey_stick(p, q, x) <= high and high - low < Fraction(1, 2**200)
        alone = sum((w for y, w in p.items() if not q.get(y)), Fraction(0))
        assert alone - Fraction(1, 2**60) <= way.infinity_mass() <= alone
        assert is_whole(way)


@pytest.mark.parametrize(
    "noise",
    [
        NegativeBinomial(Fraction(1, 2), Fraction(1, 3)),
        NegativeBinomial(Fraction(3), Fraction(1, 2)),
        Poisson(Fraction(4)),
    ],
)
@pytest.mark.sampled(3)
def test_correlated_noise_turned_round(noise):
    """Its closed form, against the atoms exchanged; and at eps = 0, where both directions are the distance in law."""
    pair = CorrelatedPair(Fraction(1, 2), noise)
    for way in (pair, pair.reversed()):
        other = WindowPair.reversed(way)
        for x in POWERS:
            one, two = (
                refine(lambda bits, w=w, x=x: w.divergence(Eps.log(x), bits), 12) for w in (way.reversed(), other)
            )
            assert max(one.low, two.low) <= min(one.high, two.high)
    ends = [refine(lambda bits, way=way: way.divergence(Eps.of(0), bits), 12) for way in (pair, pair.reversed())]
    assert max(e.low for e in ends) <= min(e.high for e in ends)
    assert pair.reversed().reversed() == pair


@pytest.mark.parametrize("n", [2, 4])
def test_blankets_turned_round(n):
    """All ordered pairs of inputs are there, so the reverse of each bound is the bound of another pair, exactly."""
    table = {
        "0": {("a",): Fraction(1, 2), ("b",): Fraction(1, 2)},
        "1": {("b",): Fraction(1, 4), ("c",): Fraction(3, 4)},
        "2": {("a",): Fraction(1, 8), ("b",): Fraction(1, 4), ("c",): Fraction(1, 8), ("d",): Fraction(1, 2)},
    }
    for family in ("attained", "dominating"):
        members = getattr(reach_of(Randomizer.of(table), n), family).members
        known = {m.value for m in members}
        assert len(members) > 2 and {m.value.reversed() for m in members} == known


def test_an_event_is_no_whole_pair():
    table = KRR(3, "1/2").randomizer()
    event = event_of(table, "0", "1", {"2": 5})
    assert not is_whole(event) and reverse(event) == event_of(table, "1", "0", {"2": 5})


class OneWay:
    """A pair of somebody's own file, which knows one direction."""

    def divergence(self, eps, bits):
        return Fraction(1, 2), Fraction(1, 2)

    def infinity_mass(self):
        return Fraction(1, 2)


def test_a_pair_that_cannot_be_turned_is_refused():
    """One direction alone says nothing of the other: no law is made of it."""
    reach = Reduction(Pairs([NamedPair(OneWay(), "0", "1")]), "by its own lemma", 2)
    few = ClosedForm(Question.of(RR(flip="1/4"), 2), Effort(), reach)
    curve = WorstCurve(few, few, None)
    with pytest.raises(BadInput, match=r"OneWay: no other direction: expected a method reversed\(\)"):
        attained_losses(curve, Grid.of(curve, "1/8", 1), 40)
