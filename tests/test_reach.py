"""reduce/reduction.py and what decide/ makes of it: exact laws at small n, closed forms at large n."""

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.protocols.shared.counts import count_reach, histogram_reach
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.answers.answer import scope_tree
from shufflecert.verify.answers.decided import certified_tree
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.decide.worst_case import delta, epsilon
from shufflecert.verify.enclose.interval import Interval, largest, refine
from shufflecert.verify.enclose.noise_laws import Binomial, NegativeBinomial, Poisson
from shufflecert.verify.errors import TooMuchWork, Undecided
from shufflecert.verify.exact.epsilon import MAX_EPS, Eps, delta_value, eps_value
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from shufflecert.verify.reduce.reduction import NamedPair, Pairs, Reduction, worst_delta, worst_epsilon
from shufflecert.verify.systems.declare import System
from tests.helpers import few
from tests.reference import binomial

HALF, SHARP = Fraction(1, 2), Fraction(1, 10**30)


def shifted(law, by, power):
    """sum max(P - power Q, 0) for P = X + by, Q = X; X of the law {k: Pr}."""
    return sum((max(w - power * law.get(k + by, 0), 0) for k, w in law.items()), Fraction(0))


def worst_count(law, sensitivity, power):
    """The largest over all shifts by 1..sensitivity, in both directions."""
    mirrored = {-k: w for k, w in law.items()}
    return max(shifted(one, j, power) for j in range(1, sensitivity + 1) for one in (law, mirrored))


@dataclass(frozen=True)
class Fixed:
    """A pair whose divergence is a line from `at_0` to 0 at eps = 1, enclosed with a given width."""

    at_0: Fraction
    width: Fraction = Fraction(0)
    mass: Fraction = Fraction(0)

    def divergence(self, eps, bits):
        value = max(self.at_0 * (1 - eps.exponent), self.mass)
        return value * (1 - self.width), value * (1 + self.width)

    def infinity_mass(self):
        return self.mass


def named(*pairs):
    return Pairs([NamedPair(pair, str(i), "x") for i, pair in enumerate(pairs)])


# Families ----------------------------------------------------------------------------------------------------------


def test_the_worst_of_some_pairs():
    family = named(Fixed(Fraction(1, 4)), Fixed(HALF), Fixed(Fraction(1, 3), mass=Fraction(1, 9)))
    value, worst, pairs = family.worst(Eps.of(0))
    assert (value, worst.source, pairs) == (Interval(HALF, HALF), "1", 3)
    value, worst, _ = family.worst(Eps.of("9/10"))
    assert (value.low, worst.source) == (Fraction(1, 9), "2")
    assert family.infinity_mass() == Fraction(1, 9)
    with pytest.raises(TypeError, match="no blanket"):
        family.hints(Eps.of(0), HALF)


def test_no_pairs_at_all():
    assert named().worst(Eps.of(1)) == (Interval(Fraction(0), Fraction(0)), None, 0)
    assert named().infinity_mass() == 0 and largest([]) == Interval(Fraction(0), Fraction(0))
    assert worst_epsilon(Reduction(named(), ""), Fraction(0))[:2] == (0, 0)


def test_the_largest_of_overlapping_numbers():
    values = [Interval(Fraction(1), Fraction(4)), Interval(Fraction(2), Fraction(3))]
    assert largest(values) == Interval(Fraction(2), Fraction(4))


def test_attained_and_dominating_pairs_are_the_two_ends():
    reach = Reduction(named(Fixed(Fraction(2, 5))), "", dominating=named(Fixed(HALF), Fixed(Fraction(1, 3))))
    found = worst_delta(reach, Eps.of("1/2"))
    assert (found.value, found.pairs) == (Interval(Fraction(1, 5), Fraction(1, 4)), 3)
    low, high, _ = worst_epsilon(reach, Fraction(1, 10))  # 2/5 (1 - eps) = 1/10 at 3/4, 1/2 (1 - eps) = 1/10 at 4/5
    assert low <= Fraction(3, 4) and Fraction(3, 4) - low < SHARP
    assert high >= Fraction(4, 5) and high - Fraction(4, 5) < SHARP


def test_no_eps_is_enough():
    reach = Reduction(named(Fixed(HALF, mass=Fraction(1, 10))), "")
    low, high, found = worst_epsilon(reach, Fraction(1, 11))
    assert (low, high) == (None, None) and found.value.low == Fraction(1, 10)
    low, high, _ = worst_epsilon(reach, Fraction(1, 10))
    assert Fraction(4, 5) - SHARP < low < Fraction(4, 5) <= high
    two = Reduction(named(Fixed(HALF)), "", dominating=named(Fixed(HALF, mass=Fraction(1, 10))))
    low, high, _ = worst_epsilon(two, Fraction(1, 11))  # what dominates never falls so far: nothing is shown
    assert high is None and Fraction(4, 5) < low < 1
    assert worst_epsilon(Reduction(named(Fixed(HALF)), ""), HALF)[:2] == (0, 0)


def test_work_that_is_too_much_leaves_what_is_known():
    class Costly(Fixed):
        def divergence(self, eps, bits):
            if bits > 300:
                raise TooMuchWork("more than 300 bits")
            return HALF, HALF + HALF**40

    assert named(Costly(HALF)).worst(Eps.of(0))[0] == Interval(HALF, HALF + HALF**40)


# Counts ------------------------------------------------------------------------------------------------------------


@few
@given(
    st.integers(0, 12),
    st.fractions(0, 1, max_denominator=12),
    st.integers(1, 6),
    st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(7), Fraction(1000)]),
)
def test_the_largest_shift_stands_for_all(n, p, sensitivity, power):
    found = worst_delta(count_reach(Binomial(n, p), "", sensitivity), Eps.log(power))
    exact = worst_count(binomial(n, p), sensitivity, power)
    assert found.value.low <= exact <= found.value.high and found.value.relative_width <= SHARP


@pytest.mark.parametrize("r", [Fraction(1, 1000), HALF, Fraction(5, 2)])
def test_the_largest_shift_stands_for_all_that_have_no_end(r):
    noise = NegativeBinomial(r, Fraction(2, 3))
    for eps in (Eps.of(0), Eps.of("1/3"), Eps.of(2)):
        all_shifts = [
            refine(lambda b, j=j, e=eps: ShiftedNoise(noise, j).divergence(e, b)) for j in (1, -1, 2, -2, 5, -5)
        ]
        found = worst_delta(count_reach(noise, "", 5), eps).value
        assert found.low <= largest(all_shifts).high and largest(all_shifts).low <= found.high


def test_random_noise_that_never_hides_the_first_point():
    # Poisson noise is never below 0: Pr[X = 0] = e^-lam = 0.0067379... keeps any eps from helping
    reach = count_reach(Poisson(5), "")
    low, high, found = worst_epsilon(reach, Fraction(67379, 10**7))
    assert (low, high) == (None, None) and found.value.low > Fraction(67379, 10**7)
    low, high, _ = worst_epsilon(reach, Fraction(67380, 10**7))
    assert 0 < low < high < MAX_EPS


# The answers at scale ----------------------------------------------------------------------------------------------


def is_outward(end, exact, up):
    """Whether a decimal of at most 30 digits is on the right side of a number, and next to it."""
    value = Fraction(Decimal(end))
    assert len(Decimal(end).as_tuple().digits) <= 30
    return (value >= exact if up else value <= exact) and abs(value - exact) <= abs(exact) * Fraction(1, 10**29)


def test_delta_answers_hold_the_contract():
    found = delta(ZSum(HALF), 10**9, "1e-4")
    value, scope = delta_value(found.delta), scope_tree(found.scope)
    assert set(value) == {"lower", "upper", "exact"} and value["exact"] is None
    assert is_outward(value["lower"], found.delta.low, up=False)
    assert is_outward(value["upper"], found.delta.high, up=True)
    assert (scope["adjacency"], scope["view"], scope["n"], scope["datasets"]) == ("replace", "shuffled", 10**9, "all")
    assert (scope["pairs"], scope["two_sided"], scope["worst"]["others"]) == (2, False, None)
    assert {scope["worst"]["from"], scope["worst"]["to"]} == {"0", "1"} and scope["by"]


def test_epsilon_answers_hold_the_contract():
    found = epsilon(ZSum(HALF), 10**9, "1e-6")
    tree = eps_value(found.eps, found.interval)
    assert tree["exact"] is None and found.eps is None
    assert is_outward(tree["lower"], found.interval[0], up=False)
    assert is_outward(tree["upper"], found.interval[1], up=True)
    low, high = (Fraction(Decimal(tree[end])) for end in ("lower", "upper"))
    reach = ZSum(HALF).reach(10**9)
    assert worst_delta(reach, Eps.of(low)).value.low > Fraction(1, 10**6) >= worst_delta(reach, Eps.of(high)).value.high
    assert (high - low) * 10**28 < high


def test_epsilon_0_and_infinity():
    enough = epsilon(ZSum(HALF), 10**9, "1/1000")  # delta(0) is about 2.5e-5
    assert eps_value(enough.eps, enough.interval) == {"lower": "0", "upper": "0", "exact": "log(1)"}
    sparse = ZSum("1e-9")  # Pr[X = 0] = (1 - 10^-9)^n is nearly 1, and X + 1 is never 0
    never = epsilon(sparse, 10**6, "1/2")
    assert eps_value(never.eps, never.interval) == {"lower": "inf", "upper": "inf", "exact": "inf"}
    left = epsilon(ZSum(HALF), 10**9, 0)  # Pr[X = n] = 2^-(10^9) is left
    assert eps_value(left.eps, left.interval) == {"lower": "inf", "upper": "inf", "exact": "inf"}


@pytest.mark.long
def test_what_is_not_shown_of_epsilon():
    unknown = epsilon(ZSum(HALF), 10**9, Fraction(1, 10**150000))  # what is left is not written beside so small a delta
    tree = eps_value(unknown.eps, unknown.interval)
    assert tree["upper"] == "inf" and tree["exact"] is None and Fraction(tree["lower"]) >= 0


@pytest.mark.parametrize("max_bits", [1, 2, 16, 64, 200])
def test_few_bits_are_undecided_and_never_wrong(max_bits):
    system, n, eps = ZSum(HALF), 10**6, "1/100"
    value = delta(system, n, eps).delta
    inside = certify(system, n, eps, (value.low + value.high) / 2, max_bits=max_bits)
    assert (inside.verdict, inside.certificate) == ("UNDECIDED", None) and "the bound as well" in inside.reason
    assert inside.worst.delta.low <= value.high and value.low <= inside.worst.delta.high
    with pytest.raises(Undecided):
        inside.certificate_text()
    tree = certified_tree(inside, None)
    assert tree["verdict"] == "UNDECIDED" and tree["reason"] and tree["delta"]["exact"] is None
    for bound, verdict in ((value.high * 2, "PROVED"), (value.low / 2, "REFUTED")):
        assert certify(system, n, eps, bound, max_bits=max_bits).verdict in (verdict, "UNDECIDED")


def test_a_claim_between_the_two_ends_is_undecided():
    @dataclass(frozen=True)
    class Between(System):
        """A system of which only an interval is known; nothing is written out."""

        mechanism: ClassVar[bool] = True

        def unwritten(self):
            return "nothing is written out"

        def analyze(self, messages, n):
            """Nothing is estimated."""

        def reach(self, n):
            mechanism = histogram_reach(Binomial(9, HALF), 2, "").mechanism
            ends = named(Fixed(Fraction(2, 5))), named(Fixed(HALF))
            return Reduction(ends[0], "", 2, dominating=ends[1], mechanism=mechanism)

    at = "1/2"  # between 1/5 and 1/4
    verdicts = [certify(Between(), 9, at, bound).verdict for bound in ("1/4", "1/5", "2499/10000")]
    assert verdicts == ["PROVED", "UNDECIDED", "UNDECIDED"]
    below = certify(Between(), 9, at, "1/6")  # it is refuted, but the mechanism is that of the other pairs
    assert (below.verdict, below.certificate) == ("UNDECIDED", None)
    assert "REFUTED by a proof that no form of certificate covers" in below.reason
