"""Privacy profiles against the oracle and closed forms; trade-off bands against all tests of all pairs of datasets."""

from fractions import Fraction
from itertools import pairwise

import mpmath
import pytest
from flint import fmpz
from hypothesis import given
from hypothesis import strategies as st

from shufflecert.protocols.discrete_laplace import DiscreteLaplaceSum
from shufflecert.protocols.krr import KRR
from shufflecert.protocols.poisson import PoissonSum
from shufflecert.protocols.r_infinity import RInfinity
from shufflecert.protocols.rr import RR
from shufflecert.protocols.zsum import ZSum
from shufflecert.verify.bound import closed_form, enumeration
from shufflecert.verify.bound.enumeration import Ranked
from shufflecert.verify.decide.trade_off import CLOSE, Minorant
from shufflecert.verify.decide.worst_case import eps_grid, even_grid, number_grid
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.neighbours import Neighbours
from shufflecert.verify.reduce.reduction import worst_delta
from tests import oracle
from tests.asked import profile_curve, trade_off_of
from tests.helpers import engine, few, randomizers, some
from tests.reference import real

SMALL = {
    "rr": (oracle.rr("1/4"), 4),
    "krr": (oracle.krr(3, "3/10"), 3),
    "zsum": (oracle.zsum("2/3"), 4),
    "r_gap": (oracle.r_gap(), 2),
    "hist": (oracle.hist(2, "1/2"), 2),
}
EPS = eps_grid("0:2:5")


# Grids ---------------------------------------------------------------------------------------------------------------


def test_grids_are_even_exact_and_hold_both_ends():
    assert even_grid("0:4:81", "eps") == [Fraction(i, 20) for i in range(81)]
    assert even_grid("1/3:0.5:4", "eps") == [Fraction(6 + i, 18) for i in range(4)]
    assert [str(eps) for eps in eps_grid("2, log(3),1/2,0.5")] == ["1/2", "log(3)", "2"]  # log 3 = 1.0986...
    assert number_grid("0:1:3", "alpha") == [0, Fraction(1, 2), 1]
    assert number_grid("1/2,1,0", "alpha") == [0, Fraction(1, 2), 1]


BAD = "1:0:3 1:1:3 0:1:1 0:1:0 0:1:-1 0:1:1.5 0:1:10001 0:1 0:1:2:3 :1:2 0::2 0:1: a:1:2 -1:1:3 0:10001:3 0:log(3):3"
BAD += " 1,,2 1,x log(1/2) 0:1e9999:3"


@pytest.mark.parametrize("text", ["", *BAD.split()])
def test_bad_grids(text):
    with pytest.raises(BadInput, match=r"^eps"):
        eps_grid(text)


# Profiles ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.sampled(2)
def test_a_profile_is_the_largest_over_all_datasets(name):
    tree, n = SMALL[name]
    found = profile_curve(engine(tree), n, EPS)
    for eps, value in found.points:
        a, b = oracle.delta_parts(tree, n, eps.exponent)
        # a - b e^eps has one (a, b) where e^eps is irrational
        assert a - b == value.A - value.B if eps.exponent == 0 else (a, b) == (value.A, value.B)
    assert found.scope.n == n and found.scope.view == "shuffled"


@pytest.mark.parametrize("view", ["local", "preshuffle"])
@few
@given(randomizers())
def test_a_profile_of_one_user(view, tree):
    found = profile_curve(engine(tree), 1, [Eps.of(0), Eps.log(Fraction(5, 4)), Eps.log(Fraction(3))], view)
    assert [value for _, value in found.points] == [oracle.delta(tree, 1, Fraction(t), view) for t in (1, "5/4", 3)]


@some
@given(st.data())
def test_sums_by_rank_are_the_sums_of_the_event(data):
    """At ratios that occur, next to them, and closer than KEY_BITS tells apart."""
    base = data.draw(st.sampled_from([1, 7, 2**70, 2**140]))
    size = st.integers(1, 12)
    weight = st.one_of(st.just(0), size, st.builds(lambda k, d: k * base + d, size, st.integers(-1, 1)))
    outcomes = data.draw(st.lists(st.tuples(weight, weight), min_size=1, max_size=8))
    outcomes = [(max(p, 0), max(q, 0)) for p, q in outcomes]
    ratios = [Fraction(p, q) for p, q in outcomes if q and p > q]
    t = data.draw(st.sampled_from([Fraction(1), Fraction(3, 2), Fraction(10**30), *ratios]))
    t = max(Fraction(1), t + data.draw(st.sampled_from([0, Fraction(1, 2**100), -Fraction(1, 2**100)])))
    pair = Pair([fmpz(p) for p, _ in outcomes], [fmpz(q) for _, q in outcomes], fmpz(1000))
    P, Q = ({i: Fraction(o[side], 1000) for i, o in enumerate(outcomes)} for side in (0, 1))
    assert Ranked.of(pair).delta(Eps.log(t)) == oracle.hockey_stick(P, Q, t)
    eps = data.draw(st.sampled_from([Fraction(1, 10), Fraction(1), Fraction(5, 2)]))
    found, (a, b) = Ranked.of(pair).delta(Eps.of(eps)), oracle.hockey_stick_parts(P, Q, eps)
    assert (a, b) == (found.A, found.B)


def test_noise_without_end_against_its_closed_form():
    # P/Q is 1/q on a half-line of P's mass 1/(1+q) and q on the other: delta = max(1 - q t, 0) / (1 + q)
    q = Fraction(1, 3)
    found = profile_curve(
        DiscreteLaplaceSum(q=q), 10**9, [Eps.log(Fraction(t)) for t in ("1", "3/2", "29/10", "3", "4")]
    )
    for eps, value in found.points:
        truth = max(1 - q * eps.power, Fraction(0)) / (1 + q)
        assert value.low <= truth <= value.high and value.high - value.low <= truth / 10**29
    assert found.scope.stands_for == 2 * 10**9 and found.scope.pairs == 2


@pytest.mark.parametrize(("k", "gamma", "n"), [(3, "1/2", 4), (3, "3/10", 4), (4, "1/2", 3)])
@pytest.mark.sampled(3)
def test_a_two_sided_band_holds_the_truth(k, gamma, n):
    """A work limit of 1 refuses enumeration, so that real datasets and the blanket answer."""
    system = KRR(k=k, gamma=gamma)
    found = profile_curve(system, n, [Eps.log(Fraction(t)) for t in (1, "5/4", 2)], work=1)
    assert found.scope.two_sided
    for eps, value in found.points:
        assert value.low <= oracle.delta(oracle.krr(k, gamma), n, eps.power) <= value.high
    assert any(value.low < value.high for _, value in found.points)


def test_a_profile_takes_one_walk_over_the_datasets(monkeypatch):
    walks = []
    monkeypatch.setattr(enumeration, "cases", lambda *args: walks.append(1) or curve_cases(*args))
    found = profile_curve(RR(flip="1/4"), 30, eps_grid("0:1:41"))
    assert len(walks) == 1 and found.scope.pairs == 30 and found.scope.stands_for == 60


curve_cases = enumeration.cases


def test_the_scope_names_the_worst_pair_where_there_is_one():
    worst = profile_curve(RR(flip="1/4"), 2, eps_grid("0,log(3),4")).scope.worst  # 0 from log(3) on
    assert isinstance(worst, Neighbours)
    found = profile_curve(PoissonSum(lam="40"), 100, eps_grid("0,2"))
    assert found.scope.worst is None  # at eps = 0 both directions are alike, at 2 the shift back to 0 is the larger
    assert profile_curve(RInfinity(), 3, EPS).scope.worst is None
    assert all(value == 0 for _, value in profile_curve(RInfinity(), 3, EPS).points)


def test_the_scope_counts_the_most_pairs():
    # at eps = 4 > log 3 nothing is left to compare, at 0 all 40 numbers of others on 1 are looked at
    assert profile_curve(RR(flip="1/4"), 40, eps_grid("0,4"), work=1).scope.pairs == 40


# Trade-off -----------------------------------------------------------------------------------------------------------


def lower_hull(points):
    """The lower convex hull, Andrew's walk."""
    hull = []
    for x, y in sorted(points):
        while len(hull) > 1 and (hull[-1][0] - hull[-2][0]) * (y - hull[-2][1]) <= (x - hull[-2][0]) * (
            hull[-1][1] - hull[-2][1]
        ):
            hull.pop()
        hull.append((x, y))
    return hull


def errors_of_all_tests(tree, n, view="shuffled"):
    """The convex hull of (type I, type II) errors of every deterministic likelihood-ratio test of every pair."""
    points = {(Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))}
    for P, Q in oracle.pairs_of_laws(tree, n, view):
        alpha, beta = Fraction(0), Fraction(1)
        for y in sorted({*P, *Q}, key=lambda y: (P.get(y, 0) / Q[y]) if Q.get(y) else 10**9):
            alpha, beta = alpha + P.get(y, 0), beta - Q.get(y, 0)
            points.add((alpha, beta))
    hull = lower_hull(points)

    def truth(alpha):
        for (x, y), (x2, y2) in pairwise(hull):
            if x <= alpha <= x2:
                return y + (y2 - y) * (alpha - x) / (x2 - x) if x < x2 else min(y, y2)
        return Fraction(0)

    return truth


ALPHAS = number_grid("0:1:21", "alpha")


@pytest.mark.parametrize("flip", ["1/4", "1/10", "0", "1/2"])
@pytest.mark.sampled(2)
def test_randomized_response(flip):
    """max(0, 1 - alpha / q, q (1 - alpha)), q = flip / (1 - flip): Kairouz, Oh and Viswanath (2015), Theorem 2.1."""
    q = Fraction(flip) / (1 - Fraction(flip))
    for alpha, value in trade_off_of(RR(flip=flip), 1, ALPHAS, eps_grid("0:4:41"), "local").points:
        truth = max(Fraction(0), 1 - alpha / q if q else Fraction(0), q * (1 - alpha))
        assert value.low <= truth <= value.high and value.high - value.low < Fraction(1, 10**20)


def test_discrete_laplace_is_a_randomized_response():
    q = Fraction(2, 5)
    for alpha, value in trade_off_of(DiscreteLaplaceSum(q=q), 1000, ALPHAS, eps_grid("0:2:11")).points:
        assert value.low <= max(1 - alpha / q, q * (1 - alpha)) <= value.high
        assert value.high - value.low < Fraction(1, 10**20)


@pytest.mark.parametrize("grid", ["0:2:9", "1,3"])
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.sampled(3)
def test_a_trade_off_band_holds_all_tests_of_all_datasets(name, grid):
    tree, n = SMALL[name]
    truth = errors_of_all_tests(tree, n)
    found = trade_off_of(engine(tree), n, ALPHAS, eps_grid(grid))
    for alpha, value in found.points:
        assert 0 <= value.low <= truth(alpha) <= value.high <= 1 - alpha
        assert value.high - value.low <= CLOSE
    assert found.scope.n == n and found.scope.datasets == "all"


@few
@given(randomizers())
def test_a_trade_off_band_of_any_randomizer(tree):
    truth = errors_of_all_tests(tree, 2)
    for alpha, value in trade_off_of(engine(tree), 2, number_grid("0:1:7", "alpha"), eps_grid("0:2:3")).points:
        assert value.low <= truth(alpha) <= value.high


@some
@given(st.data())
def test_the_lemma_between_any_points(data):
    """D of two random pairs at random t, loosened at random: the ends hold every test of both pairs and reverses."""
    weights = st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any)
    laws = [
        {y: Fraction(w, sum(ws)) for y, w in enumerate(ws)}
        for ws in data.draw(st.lists(weights, min_size=4, max_size=4))
    ]
    pairs = [(laws[0], laws[1]), (laws[2], laws[3])]
    pairs += [(Q, P) for P, Q in pairs]
    times = {Fraction(1), *(1 + Fraction(x, 8) for x in data.draw(st.lists(st.integers(0, 40), max_size=5)))}
    slack = st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 100), Fraction(1, 5), Fraction(1)])
    known = {}
    for t in sorted(times):
        truth = max(oracle.hockey_stick(P, Q, t) for P, Q in pairs)
        known[t] = Interval(max(truth - data.draw(slack), Fraction(0)), truth + data.draw(slack))
    never = max(sum((p for y, p in P.items() if not Q[y]), Fraction(0)) for P, Q in pairs)
    least = max(never - data.draw(slack), Fraction(0))
    minorant = Minorant.of(known, least)
    points = {(Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))}
    for P, Q in pairs:
        for event in range(8):
            inside = [y for y in range(3) if event >> y & 1]
            points.add((sum(P[y] for y in inside), 1 - sum(Q[y] for y in inside)))
    hull = lower_hull(points)
    for alpha in [Fraction(i, 6) for i in range(7)]:
        truth = min(
            y + ((y2 - y) * (alpha - x) / (x2 - x) if x < x2 else 0)
            for (x, y), (x2, y2) in pairwise([*hull, hull[-1]])
            if x <= alpha <= x2
        )
        value = minorant.trade_off(alpha)
        assert value.low <= truth <= value.high
    for t, m in minorant.vertices:
        assert m <= max(oracle.hockey_stick(P, Q, t) for P, Q in pairs)
        before, after = max(s for s in known if s <= t), [known[s].low for s in known if s >= t]
        assert m >= max([least, known[before].low - (t - before), *after[:1]])  # D falls, at a rate of at most 1


def test_a_trade_off_curve_of_many_users():
    """X + 1 against X and back, X ~ Poi(40) cut where less than 10^-60 is left: hulls of tails' errors in mpmath."""
    found = trade_off_of(PoissonSum(lam="40"), 10**6, number_grid("1/20,1/10,1/2,9/10", "alpha"), eps_grid("0:1:5"))
    with mpmath.workdps(70):
        weights = [mpmath.exp(-40) * mpmath.mpf(40) ** k / mpmath.factorial(k) for k in range(260)]
        below = [mpmath.fsum(weights[:k]) for k in range(260)]  # Pr[X < k]
        one = [(1 - below[k], below[k - 1]) for k in range(1, 260)]  # X >= k is rejected, X + 1 < k accepted
        errors = lower_hull([*((y, x) for x, y in one), *one, (0, 1), (1, 0)])
        for alpha, value in found.points:
            at = real(alpha)
            truth = next(
                y + (y2 - y) * (at - x) / (x2 - x) for (x, y), (x2, y2) in pairwise(errors) if x < x2 and x <= at <= x2
            )
            low, high = (real(end) for end in (value.low, value.high))
            assert low <= truth <= high and high - low <= 1e-5


def test_no_larger_eps_is_looked_at_than_matters(monkeypatch):
    looked = []
    monkeypatch.setattr(closed_form, "worst_delta", lambda way, at: looked.append(at) or worst_delta(way, at))
    found = trade_off_of(PoissonSum(lam="40"), 100, [Fraction(1, 2)], eps_grid("0:40:41"))
    assert max(looked) < Eps.of(3) and found.points[0][1].high - found.points[0][1].low <= CLOSE


def test_what_shows_without_doubt_ends_the_curve_at_its_share():
    # zsum at n = 2, p = 1/2: P(Q = 0) is 1/4, so f(0) = 3/4
    (_, value), *_ = trade_off_of(ZSum(p="1/2"), 2, [Fraction(0)], eps_grid("0:2:5")).points
    assert value.low == value.high == Fraction(3, 4)


@pytest.mark.parametrize("alpha", ["-1/10", "11/10"])
def test_a_type_I_error_is_a_probability(alpha):
    with pytest.raises(BadInput, match="alpha"):
        trade_off_of(RR(flip="1/4"), 2, [Fraction(alpha)], EPS)
