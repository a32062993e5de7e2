"""exact/hockey_stick.py, one pair of laws at a time, against the oracle's sums."""

from fractions import Fraction

import pytest
from flint import fmpq, fmpz
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.hockey_stick import Pair, Profile
from shufflecert.verify.exact.randomizer import Law
from tests import oracle
from tests.helpers import EXPONENTS, POWERS, some

weights = st.lists(st.integers(0, 6), min_size=5, max_size=5).filter(any)
laws = weights.map(lambda ws: {str(i): Fraction(w, sum(ws)) for i, w in enumerate(ws) if w})
deltas = st.builds(Fraction, st.integers(0, 12), st.just(12))
powers = st.sampled_from(POWERS)


def pair_of(P, Q):
    return Pair.of(Law.of(P), Law.of(Q))


def value(delta):
    """A - B t, for a Delta whose e^eps = t is rational."""
    return delta.A - delta.B * delta.eps.power


@some
@given(laws, laws, powers, st.sampled_from(EXPONENTS[1:]))
def test_delta_is_the_oracles_both_ways_round(P, Q, t, exponent):
    for pair, first, second in [(pair_of(P, Q), P, Q), (pair_of(P, Q).reversed(), Q, P)]:
        assert value(pair.delta(Eps.log(t))) == oracle.hockey_stick(first, second, t)
        found = pair.delta(Eps.of(exponent))
        assert oracle.hockey_stick_parts(first, second, exponent) == (found.A, found.B)


@some
@given(laws, laws, deltas)
def test_the_smallest_eps_is_the_oracles(P, Q, delta):
    expected = oracle.pair_epsilon_ratio(P, Q, delta)
    pair = pair_of(P, Q)
    found = pair.epsilon_power(delta)
    assert (None if found is None else Fraction(int(found.p), int(found.q))) == expected
    assert pair.profile().epsilon(delta) == (expected and Eps.log(expected))
    if expected is not None:
        least = pair.epsilon_power(delta, fmpq(3, 2))  # continued from a value that is known to be needed
        assert Fraction(int(least.p), int(least.q)) == max(expected, Fraction(3, 2))
    for t in POWERS:  # the screen may refuse what holds, never the other way round
        assert not pair.within(fmpq(t.numerator, t.denominator), delta) or oracle.hockey_stick(P, Q, t) <= delta


@some
@given(laws, laws)
def test_the_profile_is_the_divergence_everywhere(P, Q):
    profile = pair_of(P, Q).profile()
    starts, lines = profile.starts, profile.lines
    assert starts[0] == 1 and list(starts) == sorted(set(starts))
    for column in zip(*lines, strict=True):  # A and B both decrease
        assert list(column) == sorted(set(column), reverse=True)
    for t in {*starts, *(s + Fraction(1, 7) for s in starts), *POWERS}:
        assert value(profile.delta(Eps.log(t))) == profile.at(t) == oracle.hockey_stick(P, Q, t)
    for before, after, t in zip(lines, lines[1:], starts[1:], strict=False):  # continuous, and convex since B decreases
        assert before[0] - before[1] * t == after[0] - after[1] * t


@some
@given(laws, laws, laws, laws)
def test_the_maximum_of_two_profiles(P, Q, R, S):
    both = pair_of(P, Q).profile().maximum(pair_of(R, S).profile())
    for t in {*both.starts, *POWERS}:
        assert value(both.delta(Eps.log(t))) == max(oracle.hockey_stick(P, Q, t), oracle.hockey_stick(R, S, t))


def test_an_envelope_keeps_what_is_the_largest_somewhere():
    # 1 - t/2 up to t = 3/2, 1/4 from there; 1/2 - t/4 is 1/4 at t = 1 and below afterwards; 3/4 - t/2 is lower
    lines = [(fmpq(1), fmpq(1, 2)), (fmpq(1, 2), fmpq(1, 4)), (fmpq(1, 4), fmpq(0)), (fmpq(3, 4), fmpq(1, 2))]
    profile = Profile.envelope(lines)
    assert profile.starts == (1, Fraction(3, 2))
    assert profile.lines == ((1, Fraction(1, 2)), (Fraction(1, 4), 0))


def test_laws_over_two_denominators_are_aligned():
    # P = 1/2, 1/2 and Q = 1/3, 2/3 with b missing from neither: delta(0) = 1/6 both ways; c in Q only
    pair = pair_of({"a": Fraction(1, 2), "b": Fraction(1, 2)}, {"a": Fraction(1, 3), "c": Fraction(2, 3)})
    assert value(pair.delta(Eps.of(0))) == Fraction(1, 6) + Fraction(1, 2)
    assert value(pair.reversed().delta(Eps.of(0))) == Fraction(2, 3)
    assert pair.epsilon_power(Fraction(1, 3)) is None  # b alone has 1/2
    assert pair.epsilon_power(Fraction(1, 2)) == fmpq(3, 2)


def test_an_event_is_strict_where_the_ratio_is_e_to_the_eps():
    # ratios 3/2, 2 and 1/0 at e^eps = 3/2, and an outcome that neither law has
    pair = Pair([fmpz(w) for w in (3, 4, 1, 0)], [fmpz(w) for w in (2, 2, 0, 0)], fmpz(8))
    assert pair.event(Eps.of("log(3/2)")) == [1, 2]


def test_an_event_is_decided_however_close():
    # p/q = e rounded to 59 decimals, down and up: out of and in the event of eps = 1
    e59 = 271828182845904523536028747135266249775724709369995957496696
    for p, inside in [(e59, []), (e59 + 1, [0])]:
        pair = Pair([fmpz(p)], [fmpz(10**59)], fmpz(10**60))
        assert pair.event(Eps.of(1)) == inside
        with pytest.raises(Undecided, match=r"^1 outcomes with .* at 64 bits"):
            pair.event(Eps.of(1), max_bits=64)


def test_delta_type_and_denominator():
    found = pair_of({"a": Fraction(1)}, {"b": Fraction(1)}).delta(Eps.of("1/2"))
    assert isinstance(found, Delta) and found == 1 and (found.A, found.B) == (1, 0)


@pytest.mark.parametrize(
    ("ask", "complaint"),
    [
        (lambda profile: profile.at("1/2"), r"e\^eps: log\(1/2\)"),
        (lambda profile: profile.at(1.5), r"e\^eps: 1\.5 is a float"),
        (lambda profile: profile.delta(-1), r"eps: -1"),
        (lambda profile: profile.epsilon("3/2"), r"delta: 3/2 is not a probability"),
    ],
)
def test_bad_questions_to_a_profile(ask, complaint):
    with pytest.raises(BadInput, match=complaint):
        ask(pair_of({"a": Fraction(1)}, {"b": Fraction(1)}).profile())
