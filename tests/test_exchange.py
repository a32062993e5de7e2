"""To and from dp-accounting and OpenDP, the real ones: what goes out bounds the truth, what comes in is bounded.

Truths are sums in mpmath over all outcomes, or closed forms, at 60 digits. Doubles are compared as the exact binary
fractions that they are.
"""

import csv
import json
import re
import subprocess
import sys
from bisect import bisect_right
from fractions import Fraction
from functools import cache

import mpmath
import opendp.prelude as dp
import pytest
from dp_accounting.pld import privacy_loss_distribution as theirs
from dp_accounting.pld.common import DifferentialPrivacyParameters
from hypothesis import given
from hypothesis import strategies as st

from protocols.poisson import PoissonSum
from protocols.rr import RR
from protocols.zsum import ZSum
from tests import oracle
from tests.helpers import asked, both_directions, call, few, is_one_line, some
from tests.reference import real
from verify import kernel
from verify.compose import interchange
from verify.compose.interchange import (
    from_dp_accounting,
    from_opendp,
    from_pmfs,
    from_profile,
    to_dp_accounting,
    to_opendp,
)
from verify.compose.privacy_loss_distribution import (
    Grid,
    WorstCurve,
    attained_losses,
    double,
    profile_table,
    worst_losses,
)
from verify.decide.certify import certify
from verify.decide.worst_case import delta
from verify.enclose.interval import Interval
from verify.enclose.noise_laws import Poisson
from verify.errors import BadInput
from verify.exact.epsilon import Eps
from verify.exact.randomizer import Randomizer, randomizer_of
from verify.pairs.windowed import SumPair

dp.enable_features("contrib", "honest-but-curious")

EPS = [0.0, 0.1, 0.123, 0.3, 0.5, 0.7071, 1.0, 1.05]
Z = {"clear": {"a": Fraction(1)}, "noisy": {"a": Fraction(1, 2), "b": Fraction(1, 2)}}  # one direction has P(Q = 0) > 0


@pytest.fixture(autouse=True)
def digits():
    with mpmath.workdps(60):
        yield


def hockey_stick(P, Q, eps):
    """sum max(P - e^eps Q, 0), in mpmath; P and Q are sequences."""
    power = mpmath.exp(real(eps))
    return mpmath.fsum(max(real(p) - power * real(q), 0) for p, q in zip(P, Q, strict=True))


def poisson(lam, terms=400):
    law = [mpmath.exp(-lam) * mpmath.mpf(lam) ** k / mpmath.factorial(k) for k in range(terms)]
    return [0, *law], [*law, 0]


def binomial(n, p):
    law = [mpmath.binomial(n, k) * real(p) ** k * real(1 - p) ** (n - k) for k in range(n + 1)]
    return [0, *law], [*law, 0]


def local(randomizer):
    """(P, Q) of a randomizer with two inputs, aligned, from its rows."""
    P, Q = (dict(law.items()) for law in randomizer.rows.values())
    outcomes = list({**P, **Q})
    return [P.get(o, Fraction(0)) for o in outcomes], [Q.get(o, Fraction(0)) for o in outcomes]


RR_LAWS = ([Fraction(3, 4), Fraction(1, 4)], [Fraction(1, 4), Fraction(3, 4)])
PAIRS = {  # system, n, view, one of the two directions; the other users only shift both laws
    "rr": (RR(flip="1/4"), 1, "local", RR_LAWS),
    "poisson": (PoissonSum(lam=34), 1000, "shuffled", poisson(34)),
    "zsum": (ZSum(p="0.8"), 100, "shuffled", binomial(100, Fraction(1, 5))),
    "z": (Randomizer.of(Z), 1, "local", ([1, 0], [Fraction(1, 2)] * 2)),
}


@cache
def export(name, pessimistic):
    system, n, view, _ = PAIRS[name]
    return to_dp_accounting(system, n, "1e-3", view=view, pessimistic=pessimistic)


@pytest.fixture(params=PAIRS)
def exported(request):
    """(pessimistic, optimistic, directions' laws)."""
    P, Q = PAIRS[request.param][3]
    return export(request.param, True), export(request.param, False), ((P, Q), (Q, P))


# Out: dp-accounting ---------------------------------------------------------------------------------------------------


def test_upper_bounds(exported):
    above, _, directions = exported
    for eps in EPS:
        truth = max(hockey_stick(P, Q, eps) for P, Q in directions)
        found = above.get_delta_for_epsilon(eps)
        # chords between losses 10^-3 apart, and the spare mass
        assert truth <= mpmath.mpf(float(found)) <= truth * (1 + 1e-3) + 2e-15, eps


def test_lists_and_smallest_eps(exported):
    above, _, directions = exported
    truths = [max(hockey_stick(P, Q, eps) for P, Q in directions) for eps in EPS]
    assert all(mpmath.mpf(float(d)) >= truth for d, truth in zip(above.get_delta_for_epsilon(EPS), truths, strict=True))
    for target in (0.6, 1e-2, 1e-5):
        eps = above.get_epsilon_for_delta(target)
        if eps < 60:
            assert max(hockey_stick(P, Q, float(eps)) for P, Q in directions) <= target


def test_lower_bounds(exported):
    above, below, directions = exported
    for eps in EPS:
        truth = max(hockey_stick(P, Q, eps) for P, Q in directions)
        found = mpmath.mpf(float(below.get_delta_for_epsilon(eps)))
        # losses are up to 2 of 10^-3 lower, so the bound is at least the truth at eps + 2e-3, less a part in 2^31
        later = max(hockey_stick(P, Q, eps + 2e-3) for P, Q in directions)
        assert later * (1 - mpmath.mpf(2) ** -31) - 1e-18 <= found <= truth, eps
    assert not below._symmetric and above._symmetric


def test_lower_bounds_have_a_direction(exported):
    """Each of the two laws is below one direction, and it is not the same one."""
    _, below, directions = exported
    for laws in (directions, directions[::-1]):
        if all(
            mpmath.mpf(float(law.get_delta_for_epsilon(eps))) <= hockey_stick(P, Q, eps)
            for law, (P, Q) in zip((below._pmf_remove, below._pmf_add), laws, strict=True)
            for eps in EPS
        ):
            return
    pytest.fail("no assignment of directions")


def stated(law, eps):
    """What a law of losses states, (1) of privacy_loss_distribution.py, with its exact binary fractions."""
    step = mpmath.mpf(law.interval)
    finite = (mpmath.mpf(f) * max(0, 1 - mpmath.exp(eps - i * step)) for i, f in law.masses.items())
    return mpmath.mpf(law.infinite) + mpmath.fsum(finite)


@pytest.mark.parametrize("name", ["rr", "zsum", "z"])
def test_the_numbers_themselves_are_bounds(name):
    """Without spare mass and without their arithmetic; for negative eps as well, on which compositions rest."""
    system, n, view, (P, Q) = PAIRS[name]
    curve = WorstCurve.of(system, n, view)
    grid = Grid.of(curve, "1e-3")
    above, below = worst_losses(curve, grid, 100, spare=0), attained_losses(curve, grid, 100)
    for eps in [*EPS, *(-e for e in EPS), 3, -3]:
        truth = max(hockey_stick(P, Q, eps), hockey_stick(Q, P, eps))
        assert truth <= stated(above, eps)
        assert max(stated(law, eps) for law in below) <= truth
    assert 1 <= sum(map(Fraction, above.masses.values())) + Fraction(above.infinite) <= 1 + Fraction(1, 2**31)
    for law in below:
        assert sum(map(Fraction, law.masses.values())) + Fraction(law.infinite) <= 1


def test_their_deltas_are_what_the_numbers_state():
    """`get_delta_for_epsilon` of one eps as computed in doubles, near losses too: a bound, and no coincidence."""
    system, n, view, (P, Q) = PAIRS["rr"]
    above = to_dp_accounting(system, n, view=view, spare=0)
    top = mpmath.log(3)
    for back in (1e-16, 1e-12, 1e-9, 1e-6, 1e-5, 1e-4, 3e-4):
        eps = float(top - back)
        assert mpmath.mpf(float(above.get_delta_for_epsilon(eps))) >= hockey_stick(P, Q, eps)
    for i in sorted(above._pmf_remove._loss_probs):
        for eps in (i * 1e-4 * (1 - 1e-15), i * 1e-4, i * 1e-4 * (1 + 1e-15)):
            assert mpmath.mpf(float(above.get_delta_for_epsilon(eps))) >= hockey_stick(P, Q, eps)


class Wide:
    """A curve of which only an upper bound is known: rr's own delta, exactly."""

    @staticmethod
    def above(power):
        return Interval(Fraction(0), max(Fraction(3, 4) - power / 4, Fraction(0)))


def test_wide_enclosures_are_read_at_their_upper_ends():
    above = worst_losses(Wide, Grid.of(Wide, "1e-2", 2), 100)
    epsilons, deltas = profile_table(Wide, Grid.of(Wide, "1e-2", 2), 100)
    for eps in EPS:
        truth = hockey_stick(*RR_LAWS, eps)
        assert truth <= stated(above, eps) and truth <= deltas[bisect_right(epsilons, eps) - 1]


def rr_times(k, eps):
    """delta(eps) of k-fold randomized response with flip 1/4: a sum over the number of lies."""
    ways = [mpmath.binomial(k, i) for i in range(k + 1)]
    P = [w * mpmath.mpf(3) ** (k - i) / mpmath.mpf(4) ** k for i, w in enumerate(ways)]
    return hockey_stick(P, P[::-1], eps)


@pytest.mark.parametrize("k", [2, 10, 100])
def test_compositions_of_rr(k):
    above, below = export("rr", True).self_compose(k), export("rr", False).self_compose(k, 0)
    for part in (0.05, 0.6, 0.95, 0.99):
        eps = float(part * k * mpmath.log(3))
        truth = rr_times(k, eps)
        # chords between losses 10^-3 apart for each, the spare masses and dp-accounting's own tail
        assert (
            truth <= mpmath.mpf(float(above.get_delta_for_epsilon(eps))) <= truth * (1 + k * 2e-4) + (k + 1) * 1.1e-15
        )
        if truth > 1e-9:  # where the FFT's error is nothing
            lower = mpmath.mpf(float(below.get_delta_for_epsilon(eps)))
            assert rr_times(k, eps + k * 2e-3) * (1 - 1e-6) <= lower <= truth


def test_compositions_against_compose():
    """Ten Poisson sums, by their FFT and by the Fourier accountant: the user's input is the same in all ten."""
    noise = Poisson(Fraction(34))
    pair = SumPair((noise,), (noise,), 1)
    above, below = export("poisson", True).self_compose(10), export("poisson", False).self_compose(10, 0)
    for eps in ("1/2", "2"):
        exact = both_directions(pair, 10, Eps.of(eps), digits=4)
        low, high = (Fraction(float(law.get_delta_for_epsilon(float(Fraction(eps))))) for law in (below, above))
        assert exact.high <= high <= exact.low * Fraction(115, 100)  # any mix of directions is covered: up to 10 % more
        later = both_directions(pair, 10, Eps.of(Fraction(eps) + Fraction(1, 50)), digits=4)  # ten losses 2e-3 lower
        assert later.low * Fraction(999, 1000) <= low <= exact.low


def test_a_mix_of_directions_is_covered():
    """Twice, a user's input changing in opposite directions, can be worse than twice in one: Z-channels, eps = log 2.

    P = (1, 0), Q = (1/2, 1/2): both forward 0 at eps = log 4, both backward 3/4, mixed 1/2; at every eps mixed counts.
    """
    above = to_dp_accounting(Randomizer.of(Z), 1, view="local", spare=0).self_compose(2, 0)
    P, Q = [1, 0], [Fraction(1, 2)] * 2
    for eps in (0.0, 0.4, 0.8, 1.2):
        mixed = hockey_stick([p * q for p in P for q in Q], [q * p for q in Q for p in P], eps)
        assert mpmath.mpf(float(above.get_delta_for_epsilon(eps))) >= mixed


def test_composes_with_a_law_of_theirs():
    ours, laplace = export("rr", True), theirs.from_laplace_mechanism(1.0, value_discretization_interval=1e-3)
    both = ours.compose(laplace)
    with mpmath.workdps(20):
        for eps in (0.5, 1.0, 1.5):  # revealing the bit: the Laplace profile at eps -+ log 3
            shift = mpmath.log(3)
            truth = 3 * laplace_profile(eps - shift) / 4 + laplace_profile(eps + shift) / 4
            assert truth <= mpmath.mpf(float(both.get_delta_for_epsilon(eps))) <= truth + 1e-3


def laplace_profile(eps):
    """Lap(1) against its shift by 1, for any real eps (negative ones by reversal)."""
    if eps < 0:
        return 1 - mpmath.exp(eps) + mpmath.exp(eps) * laplace_profile(-eps)
    return max(0, 1 - mpmath.exp((eps - 1) / 2))


def test_a_lower_bound_composes_without_their_tail():
    """Beyond 4 log 3 nothing is left of four: dp-accounting's default, a tail of 1e-15, would be more than that."""
    assert export("rr", False).self_compose(4, 0).get_delta_for_epsilon(4.5) == 0 == rr_times(4, 4.5)


def test_eps_max_and_interval():
    above = to_dp_accounting(PoissonSum(lam=34), 5, "1/128", eps_max="1/2", dots=50)
    law = above._pmf_remove
    assert law._discretization == 2**-7 and max(law._loss_probs) * 2**-7 <= 0.5 < (max(law._loss_probs) + 2) * 2**-7
    truth = max(hockey_stick(*laws, 0.5) for laws in (poisson(34), poisson(34)[::-1]))
    assert truth <= mpmath.mpf(float(above.get_delta_for_epsilon(3.0))) <= truth * (1 + 1e-8)  # all beyond is infinite


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"interval": 0.0001}, "is a float"),
        ({"interval": "0"}, "expected a rational in (0, 1]"),
        ({"interval": "2"}, "expected a rational in (0, 1]"),
        ({"interval": "1e-6", "eps_max": 1}, "expected at most 524288"),
        ({"eps_max": "-1"}, "eps_max"),
        ({"dots": 0}, "dots"),
        ({"spare": 2}, "spare"),
        ({"view": "global"}, "view"),
    ],
)
def test_bad_questions(given, message):
    with pytest.raises(BadInput, match=re.escape(message)):
        to_dp_accounting(RR(flip="1/4"), 2, **given)


@given(st.integers(0, 2**80), st.integers(1, 2**80), st.integers(0, 900))
@some
def test_doubles_are_rounded_outwards(top, bottom, shift):
    exact = Fraction(top, bottom) / 2**shift
    low, high = Fraction(double(exact, up=False)), Fraction(double(exact, up=True))
    assert low <= exact <= high and high - low <= max(exact / 2**50, Fraction(1, 2**1000))


# Out: OpenDP ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def profile():
    return to_opendp(PoissonSum(lam=34), 1000, "1e-3")


def test_opendp_profile(profile):
    laws = poisson(34)
    for eps in EPS:
        truth = max(hockey_stick(*laws, eps), hockey_stick(*laws[::-1], eps))
        before = max(hockey_stick(*laws, eps - 1e-3), hockey_stick(*laws[::-1], eps - 1e-3))
        assert truth <= mpmath.mpf(profile.delta(eps)) <= before * (1 + 1e-3)  # a table of steps of 10^-3, and chords
    for target in (1e-2, 1e-4, 1e-6):
        eps = profile.epsilon(target)
        assert max(hockey_stick(*laws, eps), hockey_stick(*laws[::-1], eps)) <= target < profile.delta(eps - 0.002)


@pytest.mark.parametrize("eps", [-1.0, float("nan")])
def test_opendp_profile_refuses(profile, eps):
    with pytest.raises(dp.OpenDPException, match="expected a number of at least 0"):
        profile.delta(eps)


def test_opendp_wants_its_features(monkeypatch):
    monkeypatch.setattr("opendp.mod.GLOBAL_FEATURES", set())
    with pytest.raises(BadInput, match="honest-but-curious"):
        to_opendp(RR(flip="1/4"), 1, "1/10", view="local")


@pytest.mark.parametrize(
    ("module", "use"),
    [("opendp.prelude", to_opendp), ("dp_accounting.pld.privacy_loss_distribution", to_dp_accounting)],
)
def test_a_missing_library_is_named(monkeypatch, module, use):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(BadInput, match=r"pip install 'shufflecert\[exchange\]'"):
        use(RR(flip="1/4"), 1, view="local")


# In: two laws ---------------------------------------------------------------------------------------------------------


def test_two_laws_exactly():
    found = delta(from_pmfs({"a": "3/4", "b": "0.25"}, {"b": "3/4", "c": Fraction(1, 4)}), 1, "log(2)", "local")
    assert found.delta == Fraction(3, 4)  # a; b has ratio 1/3
    assert randomizer_of(from_pmfs([1, 0], ["1/2", "1/2"])).inputs == ("P", "Q")


@pytest.mark.parametrize(
    ("p", "q", "options", "message"),
    [
        ([0.5, 0.5], ["1/2", "1/2"], {}, "P: 0: 0.5 is a float"),
        (["1/3"], [1], {}, "P: the probabilities sum to 1/3: expected exactly 1, or missing = pessimistic"),
        (["1/2", "0.5000000000000000000001"], [1], {}, "sum to 1 + 1/10000000000000000000000: expected exactly 1"),
        (["1/2", "2/3"], [1, 0], {"missing": "pessimistic"}, "P: the probabilities sum to 7/6"),
        ([1], [0.1] * 10, {"binary": True}, "Q: the probabilities sum to 1 + 1/18014398509481984"),  # 2^-54
        ([1], [0.1, 0.7, 0.2], {"binary": True}, "Q: the probabilities sum to 1 - 1/36028797018963968"),  # 2^-55
        ([float("nan")], [1], {"binary": True}, "P: 0: nan: expected a finite number"),
        (["3/2"], [1], {}, "P: 0: 3/2 is not a probability"),
        ([1], [1], {"missing": "renormalise"}, "missing: 'renormalise': expected refuse or pessimistic"),
        ({"only Q": "1/2"}, [1], {"missing": "pessimistic"}, "expected other names"),
        ({"a\n": 1}, [1], {}, "label"),
        ([], [1], {}, "P: the probabilities sum to 0"),
    ],
)
def test_bad_laws(p, q, options, message):
    with pytest.raises(BadInput, match=re.escape(message)):
        from_pmfs(p, q, **options)


def test_floats_are_the_binary_fractions_that_they_are():
    made = from_pmfs([0.1, 0.7], [0.5, 0.5], missing="pessimistic", binary=True)
    assert dict(made.rows["P"].items()) == {
        ("0",): Fraction(0.1),
        ("1",): Fraction(0.7),
        ("only P",): 1 - Fraction(0.1) - Fraction(0.7),
    }


parts = st.lists(st.integers(0, 6), min_size=3, max_size=3)


@given(parts, parts, parts, parts, st.sampled_from([Fraction(1, 3), Fraction(1), Fraction(3, 2), Fraction(4)]))
@some
def test_every_completion_is_bounded(p, q, more_p, more_q, power):
    """The lemma, at n = 1 and at n = 2 shuffled: random completions on known and new outcomes, by brute force."""
    totals = [sum(p) + sum(more_p), sum(q) + sum(more_q)]
    if not all(totals):
        return
    known = [{str(i): Fraction(w, t) for i, w in enumerate(law)} for law, t in zip((p, q), totals, strict=True)]
    bound = from_pmfs(*known, missing="pessimistic")
    complete = {}
    for name, law, more, total in zip("PQ", known, (more_p, more_q), totals, strict=True):
        extra = {str(i + 2): Fraction(w, total) for i, w in enumerate(more)}  # outcome 2 has some already
        complete[name] = {(o,): law.get(o, 0) + extra.get(o, 0) for o in {**law, **extra}}
    ours = {x: dict(law.items()) for x, law in bound.rows.items()}
    for dataset in (("P",), ("P", "P"), ("P", "Q")):
        neighbour = ("Q", *dataset[1:])
        true, claimed = (
            (oracle.multiset_law(rows, dataset), oracle.multiset_law(rows, neighbour)) for rows in (complete, ours)
        )
        for one, two in ((0, 1), (1, 0)):
            worst = [
                sum(max(w - power * laws[two].get(o, 0), 0) for o, w in laws[one].items()) for laws in (true, claimed)
            ]
            assert worst[0] <= worst[1]
            assert (sum(more_p) + sum(more_q) > 0) or worst[0] == worst[1]


# In: laws of losses and profiles --------------------------------------------------------------------------------------


def masses(law):
    dense = law.to_dense_pmf()
    return {dense._lower_loss + i: Fraction(float(f)) for i, f in enumerate(dense._probs) if f}


def claimed(law, eps):
    step = mpmath.mpf(law._discretization)
    finite = (real(f) * max(0, 1 - mpmath.exp(eps - i * step)) for i, f in masses(law).items())
    return mpmath.mpf(law._infinity_mass) + mpmath.fsum(finite)


LAWS = {
    "randomized response": lambda: theirs.from_randomized_response(0.5, 2),
    "four values": lambda: theirs.from_randomized_response(0.3, 4),  # masses sum to 1 + 1.4e-17
    "discrete Laplace": lambda: theirs.from_discrete_laplace_mechanism(0.5),
    "Laplace": lambda: theirs.from_laplace_mechanism(2.0, value_discretization_interval=1e-2),
    "Gaussian": lambda: theirs.from_gaussian_mechanism(3.0, value_discretization_interval=1e-2),
    "parameters": lambda: theirs.from_privacy_parameters(DifferentialPrivacyParameters(1.0, 1e-6)),
    "five times": lambda: theirs.from_discrete_laplace_mechanism(0.5).self_compose(5),  # sum of e^-loss P above 1
    "asymmetric": lambda: theirs.from_gaussian_mechanism(3.0, sampling_prob=0.1, value_discretization_interval=1e-2),
    "all lost": lambda: made({0: 0.0}, 1.0),
}


def made(masses, infinite):
    return theirs.PrivacyLossDistribution.create_from_rounded_probability(masses, infinite, 0.5)


@pytest.mark.parametrize("name", LAWS)
def test_a_law_of_losses_comes_in_as_a_bound(name):
    pld = LAWS[name]()
    for law, randomizer in zip((pld._pmf_remove, pld._pmf_add), from_dp_accounting(pld), strict=True):
        P, Q = local(randomizer)
        assert sum(P) == sum(Q) == 1
        for (outcome,), q in randomizer.rows["Q"].items():
            if outcome.startswith("loss"):
                loss = int(outcome.split()[1]) * mpmath.mpf(law._discretization)
                assert real(q) <= real(randomizer.rows["P"][(outcome,)]) * mpmath.exp(-loss)
        for eps in (0.0, 0.49, 0.505, 1.0):
            stated, found = claimed(law, eps), hockey_stick(P, Q, eps)
            # as stated but for what the sum of the masses is off (5e-13 for connected dots), and 2^-63 of Q
            assert stated - 1e-18 <= found + 1e-15 and found <= stated + 1e-12
            asked = delta(randomizer, 1, Fraction(eps), "local").delta  # both directions
            assert real(Fraction(asked.enclosure()[1])) >= found - mpmath.mpf(10) ** -50


@given(
    st.dictionaries(st.integers(-4, 4), st.integers(0, 8), min_size=1), st.integers(0, 3), st.sampled_from([-1, 0, 2])
)
@few
def test_what_a_law_dominates_the_pair_dominates(weights, infinite, off):
    """A convex T with T(0) = 1 and T <= m = max(stated, 1 - x) has T(x) <= 1 - (1 - m(y)) x/y for all y >= x: so has
    every true pair's curve, and the imported pair's is no smaller than that at any loss; also where sums are off.
    """
    total = sum(weights.values()) + infinite
    if not total:
        return
    law = {i: w / total for i, w in weights.items()}
    most = max(law, key=law.get)
    law[most] = min(1.0, max(0.0, law[most] + off / 50))
    pld = made(law, infinite / total)
    P, Q = local(from_dp_accounting(pld)[0])
    eps = [mpmath.mpf(i) / 2 for i in range(-5, 6)]
    m = [max(claimed(pld._pmf_remove, e), 1 - mpmath.exp(e)) for e in eps]
    for i, e in enumerate(eps):
        bound = min(1 - (1 - m[j]) * mpmath.exp(e - eps[j]) for j in range(i, len(eps)))
        assert hockey_stick(P, Q, e) >= bound - mpmath.mpf(10) ** -18


@pytest.mark.parametrize(
    ("pld", "message"),
    [
        (lambda: theirs.from_randomized_response(0.5, 2, pessimistic_estimate=False), "remove: an optimistic estimate"),
        (lambda: made({0: 1.25, 1: -0.25}, 0.0), "remove[0]"),
        (lambda: made({0: 1.0, 1: -0.25}, 0.0), "remove[1]: -1/4 is not a probability"),
        (lambda: made({0: float("nan")}, 0.0), "remove[0]: nan"),
        (lambda: made({}, 0.5), "P: the probabilities sum to 1/2"),
        (lambda: {"remove": 1}, "expected a PrivacyLossDistribution of dp-accounting"),
    ],
)
def test_bad_laws_of_losses(pld, message):
    with pytest.raises(BadInput, match=re.escape(message)):
        from_dp_accounting(pld())


def gaussian(scale, eps):
    """delta(eps) of N(1, scale^2) against N(0, scale^2) (Balle and Wang 2018, Theorem 8)."""
    a, e = mpmath.mpf(1) / (2 * scale), mpmath.mpf(eps)
    return mpmath.ncdf(a - e * scale) - mpmath.exp(e) * mpmath.ncdf(-a - e * scale)


def test_a_profile_of_opendp_comes_in_as_a_bound():
    noise = dp.m.make_gaussian(dp.atom_domain(T=int), dp.absolute_distance(T=int), scale=4.0)
    theirs_profile = dp.c.make_zCDP_to_approxDP(noise).map(1)
    randomizer = from_opendp(theirs_profile, [Fraction(i, 20) for i in range(41)])
    P, Q = local(randomizer)
    for i in range(81):
        found = max(hockey_stick(P, Q, Fraction(i / 40)), hockey_stick(Q, P, Fraction(i / 40)))
        assert found >= gaussian(4, i / 40)
        if i % 2 == 0:
            assert found <= mpmath.mpf(theirs_profile.delta(i / 40)) * (1 + mpmath.mpf(10) ** -15)


def test_points_of_a_profile():
    made = from_profile([("0", "1/2"), ("log(3)", "1/10"), ("2", 0)])
    for eps, bound in ((0, Fraction(1, 2)), ("log(3)", Fraction(1, 10))):
        assert delta(made, 1, eps, "local").delta == bound
    between = delta(made, 1, "log(2)", "local").delta
    assert between == Fraction(1, 2) + (Fraction(1, 10) - Fraction(1, 2)) / 2  # the chord, in e^eps from 1 to 3
    rational = delta(from_profile([("0", "1/2"), ("1", "1/10"), ("2", 0)]), 1, 1, "local").delta
    assert 0 <= rational.minus(Fraction(1, 10)) <= Fraction(1, 2**63)  # e is no rational: the point next to it counts
    with pytest.raises(BadInput, match=re.escape("points[1]: delta: 0.1 is a float")):
        from_profile([(0, 1), (1, 0.1)])
    with pytest.raises(BadInput, match=re.escape("points[0]: eps: -1: expected a rational from 0")):
        from_profile([(-1, 1)])


@pytest.mark.parametrize(
    ("name", "eps"), [("randomized response", "1"), ("discrete Laplace", "1/4"), ("five times", "1")]
)
def test_the_kernel_accepts_what_came_in(name, eps):
    randomizer, _ = from_dp_accounting(LAWS[name]())
    bound = delta(randomizer, 1, eps, "local").delta.enclosure(6)[1]
    for target, verdict in ((bound, "PROVED"), (Fraction(bound) / 2, "REFUTED")):
        result = certify(randomizer, 1, eps, target, "local")
        assert result.verdict == verdict
        checked = kernel.check(result.certificate_text().encode())
        assert checked.status == "accepted", checked.reason
        assert verdict in checked.reason


# The commands ---------------------------------------------------------------------------------------------------------

POISSON = ("poisson", "-p", "lam=34", "--n", 1000)


def snippets():
    """The indented blocks of the module's docstring: how the two kinds of file are loaded."""
    return [
        re.sub("^    ", "", block, flags=re.M)
        for block in re.findall(r"(?:^    .*\n)+", interchange.__doc__, flags=re.M)
    ]


def loaded(snippet, file):
    names = {}
    exec(snippet.replace("FILE", str(file)), names)
    return names


@pytest.mark.parametrize("more", [(), ("--optimistic",)])
def test_export_for_dp_accounting(capsys, tmp_path, more):
    file = tmp_path / "pld.json"
    answer = asked(capsys, "export", *POISSON, "--to", "dp-accounting", "--dots", 60, "-o", file, *more)
    pld = loaded(snippets()[0], file)["pld"]
    same = to_dp_accounting(PoissonSum(lam=34), 1000, dots=60, pessimistic=not more)
    assert [pld.get_delta_for_epsilon(eps) for eps in EPS] == [same.get_delta_for_epsilon(eps) for eps in EPS]
    assert (answer["size"], answer["file"]) == (pld._pmf_remove.size, str(file))
    tree = json.loads(file.read_text())
    assert (tree["system"], tree["parameters"]["lam"], tree["n"]) == ("poisson", "34", 1000)
    assert ("lower" if more else "upper") in answer["bounds"]


def test_export_for_opendp(capsys, tmp_path, profile):
    file = tmp_path / "profile.json"
    status, out, err = call(*(capsys, "export", *POISSON, "--to", "opendp", "--interval", "1e-3", "-o", file))
    assert (status, err) == (0, "") and "upper bounds" in out and str(file) in out
    read = loaded(snippets()[1], file)["profile"]
    assert [read.delta(eps) for eps in EPS] == [profile.delta(eps) for eps in EPS]


def test_export_as_csv_and_back(capsys, tmp_path):
    file, table = tmp_path / "profile.csv", tmp_path / "table.toml"
    asked(capsys, "export", *POISSON, "--to", "csv", "--interval", "1/8", "--eps-max", 1, "-o", file)
    with file.open(newline="") as lines:
        rows = list(csv.DictReader(lines))
    assert [row["eps"] for row in rows] == ["0", "0.125", "0.25", "0.375", "0.5", "0.625", "0.75", "0.875", "1"]
    for row in rows:
        truth = max(hockey_stick(*laws, Fraction(row["eps"])) for laws in (poisson(34), poisson(34)[::-1]))
        assert mpmath.mpf(row["lower"]) <= truth <= mpmath.mpf(row["upper"])
        assert Fraction(row["upper"]) <= Fraction(row["lower"]) * (1 + Fraction(1, 10**20))
    asked(capsys, "import", file, "-o", table)
    for row in rows:
        found = asked(capsys, "delta", table, "--view", "local", "--eps", row["eps"])["delta"]
        assert Fraction(row["upper"]) <= Fraction(found["upper"]) <= Fraction(row["upper"]) * (1 + Fraction(1, 10**15))


CSV = "outcome,p,q\na,3/4,0.25\nb,0.25,3/4\n"


def test_import_and_certify(capsys, tmp_path):
    source, certificate = tmp_path / "laws.csv", tmp_path / "c.json"
    source.write_text(CSV)
    for table in (tmp_path / "table.json", tmp_path / "table.toml"):
        answer = asked(capsys, "import", source, "-o", table)
        assert answer["outcomes"] == {"P": 2, "Q": 2} and answer["missing"] == {"P": "0", "Q": "0"}
        assert asked(capsys, "epsilon", table, "--view", "local", "--delta", 0)["epsilon"]["exact"] == "log(3)"
        bound = ("--view", "local", "--eps", "1", "--delta", "1/10")
        asked(capsys, "certify", table, *bound, "-o", certificate)
        done = subprocess.run([sys.executable, "-I", "-S", kernel.__file__, str(certificate)], capture_output=True)
        assert done.returncode == 0 and b"accepted: PROVED" in done.stdout
        certificate.unlink()


def test_import_of_doubles(capsys, tmp_path):
    """numpy writes doubles that do not sum to 1: they are taken bit by bit, and what is missing tells most."""
    source, table = tmp_path / "laws.json", tmp_path / "table.json"
    source.write_text('{"p": [0.1, 0.7, 0.2], "q": {"0": 0.3, "1": 0.3, "2": 0.3}}')
    status, _, err = call(capsys, "import", source, "-o", table)
    assert status == 2 and is_one_line(err) and "0.1 is a float" in err and not table.exists()
    answer = asked(capsys, "import", source, "-o", table, "--binary", "--missing", "pessimistic")
    lacking = {"P": 1 - sum(map(Fraction, (0.1, 0.7, 0.2))), "Q": 1 - 3 * Fraction(0.3)}
    assert {name: Fraction(share) for name, share in answer["missing"].items()} == lacking
    found = asked(capsys, "delta", table, "--view", "local", "--eps", 1)["delta"]["exact"]
    assert (Fraction(found["A"]), Fraction(found["B"])) == (lacking["Q"] + 0, 0) or Fraction(found["A"]) >= lacking["P"]
    text = tmp_path / "laws.csv"
    text.write_text("p,q\n0.1,0.3\n0.7,0.3\n0.2,0.3\n")
    again = asked(capsys, "import", text, "-o", table, "--binary", "--missing", "pessimistic", "--force")
    assert again["missing"] == answer["missing"]
    exact = asked(capsys, "import", text, "-o", table, "--missing", "pessimistic", "--force")
    assert exact["missing"] == {"P": "0", "Q": "1/10"}


def test_labels_survive(capsys, tmp_path):
    source = tmp_path / "laws.json"
    names = ['say "no"', "back\\slash", "ü", "😀", "a = [1]", "#"]
    source.write_text(json.dumps({"p": dict.fromkeys(names, "1/6"), "q": {"ü": 1}}))
    for table in (tmp_path / "t.toml", tmp_path / "t.json"):
        asked(capsys, "import", source, "-o", table)
        assert asked(capsys, "delta", table, "--view", "local", "--eps", 0)["delta"]["exact"] == {"A": "5/6", "B": "0"}


@pytest.mark.parametrize(
    ("name", "content", "more", "message"),
    [
        ("a.csv", "x,y\n1,2\n", (), "line 1: x,y: expected the header"),
        ("a.csv", "", (), "expected the header"),
        ("a.csv", "p,q\n1\n", (), "line 2: 1 values: expected 2"),
        ("a.csv", "p,q\n1,x\n", (), "Q: '0': 'x' is not an exact number"),
        ("a.csv", "p,q\n1,x\n", ("--binary",), "line 2: q: 'x' is not an exact number"),
        ("a.csv", "outcome,p,q\na,1,0\na,0,1\n", (), "'a' stands in two lines"),
        ("a.csv", "p,q\n1/2,1\n", (), "P: the probabilities sum to 1/2"),
        ("a.csv", "p,q\n1/2,1\n2/3,0\n", ("--missing", "pessimistic"), "P: the probabilities sum to 7/6"),
        ("a.csv", "p,q\n1,1\n", ("--missing", "guess"), "missing: 'guess'"),
        ("a.csv", "eps,delta\n1,2\n", (), "points[0]: delta: 2 is not a probability"),
        ("a.csv", "system,eps,lower,upper\na,0,0,1\nb,0,0,1\n", (), "several systems"),
        ("a.csv", b"\xff\xfe", (), "byte 0: not UTF-8 text"),
        ("a.json", "[1]", (), 'expected {"p": ..., "q": ...}'),
        ("a.json", '{"p": 1, "q": []}', (), "p: expected"),
        ("a.json", '{"p": [1], "p": [1], "q": [1]}', (), "'p' stands twice"),
        ("a.json", '{"p": [NaN], "q": [1]}', ("--binary",), "P: 0: nan"),
        ("a.json", '{"p": [[1]], "q": [1]}', (), "P: 0: [1] is not an exact number"),
        ("a.json", "{", (), "not JSON"),
        ("a.txt", "", (), "unknown kind of file"),
        ("missing/a.csv", None, (), "a.csv: no such file"),
    ],
)
def test_bad_imports(capsys, tmp_path, name, content, more, message):
    source, table = tmp_path / name, tmp_path / "table.toml"
    if content is not None:
        source.write_bytes(content if isinstance(content, bytes) else content.encode())
    status, out, err = call(capsys, "import", source, "-o", table, *more)
    assert (status, out) == (2, "") and is_one_line(err) and message in err and str(source) in err
    assert not table.exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--to", "autodp", "-o", "a.json"), "--to autodp: expected one of dp-accounting, opendp, csv"),
        (("--to", "opendp", "--optimistic", "-o", "a.json"), "--optimistic"),
        (("--to", "csv", "-o", "here.json"), "here.json: exists"),
        (("--to", "csv", "-o", "no/where.csv"), "is not a directory"),
        (("--to", "csv", "--interval", "1e-4", "--eps-max", 2, "-o", "a.csv"), "20001 lines"),
        (("--to", "csv", "--interval", "-1", "-o", "a.csv"), "interval: -1"),
        (("--to", "dp-accounting", "--interval", "1e-7", "-o", "a.json"), "expected at most 524288"),
        (("--to", "dp-accounting", "--spare", "1.5", "-o", "a.json"), "spare"),
    ],
)
def test_bad_exports(capsys, tmp_path, monkeypatch, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.json").write_text("mine")
    status, out, err = call(capsys, "export", *POISSON, *arguments)
    assert (status, out) == (2, "") and is_one_line(err) and message in err
    assert [file.name for file in tmp_path.iterdir()] == ["here.json"] and (
        tmp_path / "here.json"
    ).read_text() == "mine"


def test_import_does_not_write_over_a_file(capsys, tmp_path):
    source, table = tmp_path / "a.csv", tmp_path / "t.json"
    source.write_text(CSV)
    table.write_text("mine")
    status, _, err = call(capsys, "import", source, "-o", table)
    assert status == 2 and "exists" in err and table.read_text() == "mine"
    assert call(capsys, "import", source, "-o", table, "--force")[0] == 0
    status, _, err = call(capsys, "import", source, "-o", tmp_path / "t.yaml")
    assert status == 2 and "expected a .toml or .json file" in err
