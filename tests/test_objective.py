"""Several parameters at once: limits are kept, and a scan of the test's own finds nothing better."""

from fractions import Fraction
from math import inf

import numpy as np
import pytest
import scipy.optimize
import scipy.signal
import scipy.stats
from mpmath import mp, mpf, workdps

from shufflecert.protocols.correlated_hist import CorrelatedHist
from shufflecert.verify.calibrate.least_noise import Promise, least_noise
from shufflecert.verify.calibrate.objective import FARTHEST, PER_OCTAVE, Goal, Search, _candidate, _power
from shufflecert.verify.calibrate.tuned_system import Task, central_rmse, tune
from shufflecert.verify.enclose.interval import Interval, exactly
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import text
from shufflecert.verify.systems.catalogue import make, orders
from shufflecert.verify.systems.declare import Accuracy, Grid, Order
from tests.reference import real

F = Fraction


# Correlated noise, by scipy's laws ---------------------------------------------------------------------------------


def correlated_delta(q, r, p, eps):
    """H = NB(r, p) + NB(1, q^2) against its shift by 1 at q e^eps, divided by 1 + q (a lemma of
    protocols/correlated.py, held against the two-dimensional law below). Beyond the window lies less than 1e-15."""
    size = int(scipy.stats.nbinom(r, 1 - p).isf(1e-15) + 40 / (1 - q * q)) + 2
    noise, H = scipy.stats.nbinom(r, 1 - p).pmf(np.arange(size)), np.zeros(size + 1)
    fade = q * q
    H[:size] = scipy.signal.lfilter([1 - fade], [1, -fade], noise)
    return np.maximum(H - q * np.exp(eps) * np.concatenate([[0], H[:-1]]), 0).sum() / (1 + q)


def two_dimensional_delta(q, r, p, eps, size):
    """Both directions of (s + Z1 + Z3, Z2 + Z3), s = 1 against 0, from the joint law on a window."""
    one, shared = (scipy.stats.nbinom(*law).pmf(np.arange(size)) for law in ((1, 1 - q), (r, 1 - p)))
    Q = np.zeros((2 * size + 1, 2 * size + 1))
    for c, weight in enumerate(shared):
        Q[c : c + size, c : c + size] += weight * np.multiply.outer(one, one)
    P = np.roll(Q, 1, axis=0)
    return max(np.maximum(a - np.exp(eps) * b, 0).sum() for a, b in ((P, Q), (Q, P)))


@pytest.mark.parametrize(("q", "r", "p", "eps"), [(0.4, 2.5, 0.5, 1.0), (0.6, 0.5, 0.6, 0.7), (0.5, 6.0, 0.4, 0.2)])
def test_the_scan_has_the_right_curve(q, r, p, eps):
    joint = two_dimensional_delta(q, r, p, eps, 110)
    if np.exp(eps) >= 1 / q:
        assert correlated_delta(q, r, p, eps) == pytest.approx(joint, rel=1e-9)
    else:  # the lemma's second direction is not 0 there
        assert correlated_delta(q, r, p, eps) <= joint * (1 + 1e-9)


def least_r(delta_of, target):
    """A root of log delta; None where no r up to a million will do."""
    low, high = 0.0, 4.0
    while delta_of(high) > target:
        low, high = high, 4 * high
        if high > 1e6:
            return None
    height = lambda r: np.log(delta_of(r) / target)  # noqa: E731
    return scipy.optimize.brentq(height, low or 1e-3, high, rtol=1e-7)


CLOSE = 1.005  # the search goes down by steps of 1/16 octave: a scan may find what is better by a little


def test_few_messages_of_correlated_noise_within_a_slack():
    """1 + 2 (q / (1 - q) + r p / (1 - p)) / n messages; the RMSE, sqrt(2 q) / (1 - q), at most 1.2 the central one."""
    n, eps, delta, slack = 1000, 1.0, 1e-6, 1.2
    most = central_rmse(Eps.of("1")).low * F(6, 5)
    found = tune(Task("correlated"), Promise.of(n, "1", "1e-6"), Goal("messages", most_rmse=most))
    q, r, p = (found.best.values[name] for name in "qrp")
    cost = 1 + 2 * (q / (1 - q) + r * p / (1 - p)) / n
    assert found.best.accuracy.expected_messages == exactly(cost)
    central = np.sqrt(2 * np.exp(-eps)) / (1 - np.exp(-eps))
    assert np.sqrt(2 * float(q)) / (1 - float(q)) <= slack * central * (1 + 1e-12)
    assert 2 * q / (1 - q) ** 2 <= most**2
    assert correlated_delta(float(q), float(r), float(p), eps) == pytest.approx(delta, rel=1e-6)
    assert found.best.calibrated.worst.delta.high <= F(1, 10**6)

    best = inf
    for at in np.exp(-eps) + (float(q) - np.exp(-eps)) * np.array([0.5, 0.8, 0.9, 1]):
        assert np.sqrt(2 * at) / (1 - at) <= slack * central * (1 + 1e-9)
        for ratio in 1 - 2.0 ** -np.arange(2, 6.5, 0.5):
            shape = least_r(lambda r, at=at, ratio=ratio: correlated_delta(at, r, ratio, eps), delta)
            if shape is not None:
                best = min(best, 1 + 2 * (at / (1 - at) + shape * ratio / (1 - ratio)) / n)
    assert 1 < best < 1.5 and float(cost) - 1 <= (best - 1) * CLOSE
    # a larger q has fewer messages: the limit is used up
    assert float(2 * q / (1 - q) ** 2 / most**2) > 0.999


@pytest.mark.long
def test_small_errors_of_correlated_noise_within_a_number_of_messages():
    """The error depends on q alone, the messages on all three: p has to make room before q can fall."""
    n, most = 50, F(3, 2)
    found = tune(Task("correlated"), Promise.of(n, "2", "1e-2"), Goal("rmse", most_messages=most))
    q, r, p = (found.best.values[name] for name in "qrp")
    assert 1 + 2 * (q / (1 - q) + r * p / (1 - p)) / n <= most
    assert correlated_delta(float(q), float(r), float(p), 2.0) == pytest.approx(1e-2, rel=1e-6)
    rmse = float(2 * q / (1 - q) ** 2) ** 0.5
    assert float(found.best.accuracy.rmse.high) == pytest.approx(rmse)
    # two steps down of q: parameters are moved one by one, so one step may need another p first
    odds = float(q / (1 - q)) * 2 ** (-2 / PER_OCTAVE)
    below = odds / (1 + odds)
    for at in np.linspace(np.exp(-2.0) * 1.05, below, 3):
        for ratio in 1 - 2.0 ** -np.array([0.5, 1, 2, 4]):
            shape = least_r(lambda r, at=at, ratio=ratio: correlated_delta(at, r, ratio, 2.0), 1e-2)
            cost = inf if shape is None else 1 + 2 * (at / (1 - at) + shape * ratio / (1 - ratio)) / n
            assert cost > most, (at, ratio)


def test_few_messages_of_negative_binomial_noise():
    """1 + r p / (1 - p) / n."""
    n, t = 100, np.exp(1.0)
    found = tune(Task("negative_binomial"), Promise.of(n, "1", "1e-4"), Goal("messages"))
    r, p = (found.best.values[name] for name in "rp")
    cost = 1 + r * p / (1 - p) / n
    assert found.best.accuracy.expected_messages == exactly(cost)

    def delta_of(r, p):
        size = int(scipy.stats.nbinom(r, 1 - p).isf(1e-15)) + 2
        law = np.append(scipy.stats.nbinom(r, 1 - p).pmf(np.arange(size)), 0)
        up = np.concatenate([[0], law[:-1]])
        return max(np.maximum(up - t * law, 0).sum(), np.maximum(law - t * up, 0).sum())

    best = inf
    for ratio in 2.0 ** -np.arange(0.25, 8, 0.5):
        shape = least_r(lambda r, ratio=ratio: delta_of(r, ratio), 1e-4)
        best = min(best, 1 + shape * ratio / (1 - ratio) / n)
    assert float(cost) - 1 <= (best - 1) * CLOSE


def test_an_integer_beside_a_ratio_every_one_is_listed():
    """NB(r, p) with r = 1..9, each with its own least p: the search starts at 1, and its strides pass 9."""
    n, promise = 20, Promise.of(20, "1", "1/100")
    ratio = Grid.of(orders("negative_binomial")["p"], "p", F(1, 2**20))
    grids = {"r": Grid.of(Order(F(1), F(9), whole=True, lemma="a larger value adds noise"), "r"), "p": ratio}

    def made(choice):
        return make("negative_binomial", {name: text(value) for name, value in choice.items()})

    listed = {r: least_noise(lambda p, r=r: made({"r": F(r), "p": p}), ratio, promise).value for r in range(1, 10)}
    cost = {r: 1 + r * p / (1 - p) / n for r, p in listed.items()}
    errors = {r: r * p / (1 - p) ** 2 for r, p in listed.items()}  # squares
    for goal, best in (
        (Goal("messages"), min(cost, key=cost.get)),
        (Goal("rmse"), min(errors, key=errors.get)),
        (Goal("messages", most_messages=sorted(cost.values())[0]), min(cost, key=cost.get)),
    ):
        found = Search(made, grids, promise, goal, lambda system, alpha: system.accuracy(n, alpha)).best()
        assert (found.parameter, found.values) == ("p", {"r": best, "p": listed[best]})


# Limits that nothing keeps -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("system", "given", "goal", "complaint"),
    [
        (
            "negative_binomial",
            {},
            Goal("rmse", most_messages=F(1)),
            "negative_binomial: no values are shown to satisfy (eps, delta) within the limits: a candidate has 1.0",
        ),
        (
            "negative_binomial",
            {},
            Goal("messages", most_rmse=F(1, 2)),
            "negative_binomial: no values are shown to satisfy (eps, delta) within the limits: they allow p up to 1:",
        ),
        (
            "poisson",
            {},
            Goal("rmse", most_rmse=F(5)),
            "poisson: no value is shown to satisfy (eps, delta) within the limits: lam = 34.068 has a root mean square "
            "error of 5.83678 users, above 5",
        ),
        (
            "pointer_chasing",
            {"k": "1", "l": "2"},
            Goal("rmse", most_rmse=F(5)),
            "pointer_chasing: a limit on the error: the error of this system does not count users: expected no limit",
        ),
    ],
)
def test_limits_that_nothing_keeps_are_refused_with_the_reason(system, given, goal, complaint):
    with pytest.raises(BadInput) as refused:
        tune(Task(system, given), Promise.of(1000, "1", "1e-6"), goal)
    assert str(refused.value).startswith(complaint), refused.value


def test_the_reason_where_no_promise_is_kept_at_all():
    with pytest.raises(BadInput) as refused:
        tune(Task("negative_binomial"), Promise.of(1000, "1", "0"))
    assert str(refused.value).startswith("negative_binomial: no values are shown to satisfy (eps, delta): r: no value")


# Goals -----------------------------------------------------------------------------------------------------------

KNOWN = Accuracy("the sum", Interval(F(2), F(3)), None, exactly(F(5, 2)), 7, "all", F(10))


def test_goals():
    assert Goal("rmse").value(KNOWN) == KNOWN.rmse
    assert Goal("messages").value(KNOWN) == exactly(F(5, 2))
    assert Goal("bits").value(KNOWN) == exactly(F(35, 2))
    assert Goal("rmse").traded(KNOWN) == KNOWN.expected_messages and Goal("bits").traded(KNOWN) == KNOWN.rmse
    for objective in ("failure", "speed"):
        with pytest.raises(
            BadInput, match=f"objective {objective}: unknown here: expected one of rmse, messages, bits"
        ):
            Goal(objective).value(KNOWN)
    # limits count users, and bind at the upper end of an enclosure
    assert Goal(most_rmse=F(30)).excess(KNOWN) is None
    assert Goal(most_rmse=F(29)).excess(KNOWN) == "a root mean square error of 30 users, above 29"
    assert Goal(most_messages=F(5, 2)).excess(KNOWN) is None
    assert Goal(most_messages=F(2)).excess(KNOWN) == "2.5 expected messages, above 2"
    assert not Goal("bits").limited and Goal(most_rmse=F(1)).limited and Goal(most_messages=F(1)).limited


@pytest.mark.parametrize("eps", ["1", "1/2", "log(3/2)", "5", "1/1000"])
@pytest.mark.parametrize("parts", [1, 2, 5])
def test_the_central_error(eps, parts):
    """sqrt(2 q) / (1 - q) with q = e^(-eps/parts), by mpmath."""
    found, at = central_rmse(Eps.of(eps), parts), Eps.of(eps)
    with workdps(60):
        power = real(at.power) if at.power is not None else mp.exp(real(at.exponent))
        q = power ** (mpf(-1) / parts)
        truth = mp.sqrt(2 * q) / (1 - q)
        assert real(found.low) <= truth <= real(found.high)
    assert found.relative_width < F(1, 10**25)


def test_there_is_no_central_error_for_eps_0():
    with pytest.raises(BadInput, match=r"eps: 0: expected eps > 0"):
        central_rmse(Eps.of("0"))


def test_an_error_that_is_not_known_hides_no_answer():
    """rr for (0, 0): fair coins, of which nothing can be estimated. The value is there; its error is refused."""
    found = tune(Task("rr"), Promise.of(3, "0", "0"))
    assert found.best.values == {"flip": F(1, 2)} and found.best.accuracy is None
    for goal in (Goal(most_rmse=F(10**6)), Goal("failure", alpha=F(1, 2))):
        with pytest.raises(BadInput, match="rr: "):
            tune(Task("rr"), Promise.of(3, "0", "0"), goal)


# Candidates --------------------------------------------------------------------------------------------------------


def test_candidates_are_octaves_of_the_odds():
    """2^(i/16) by mpmath; without an end that many, between ends the odds x / (1 - x) are that many."""
    endless = Grid.of(Order(F(0), None, open_ends=True, lemma="made up"), "x")
    unit = Grid.of(Order(F(0), F(1), open_ends=True, lemma="made up"), "x")
    half = Grid.of(Order(F(1, 2), F(1), falling=True), "x")
    with workdps(60):
        for i in (*range(-FARTHEST, FARTHEST + 1, 37), 0, PER_OCTAVE, -PER_OCTAVE):
            odds = mpf(2) ** (mpf(i) / PER_OCTAVE)
            assert abs(real(_power(i)) / odds - 1) < mpf(2) ** -50
            near = mpf(2) ** -64 + odds * mpf(2) ** -50
            assert abs(real(_candidate(endless, i, None)) - odds) <= near
            for grid, truth in ((unit, odds / (1 + odds)), (half, 1 - odds / (1 + odds) / 2)):
                value = _candidate(grid, i, None)
                assert abs(real(value) - truth) <= mpf(2) ** -49
                assert grid.order.low <= value <= grid.order.high
    assert _candidate(unit, 0, None) == F(1, 2) and _candidate(endless, 0, None) == 1


def test_candidates_that_are_numbers_count_from_the_smallest():
    rising = Grid.of(Order(F(0), F(10), whole=True), "k")
    falling = Grid.of(Order(F(2), F(10), falling=True, whole=True), "d")
    assert [_candidate(rising, i, None) for i in (-5, 0, 1, 2, 64)] == [0, 0, 1, 2, 10]
    assert [_candidate(falling, i, None) for i in (-5, 0, 1, 2, 64)] == [2, 2, 3, 4, 10]
    assert _candidate(rising, 7, 3) == 3


# What is passed over -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("q", "eps"), [("1/2", "1"), ("2/3", "1/2"), ("3/5", "log(2)"), ("3/10", "2"), ("1/2", "2")])
def test_the_floor_is_what_the_two_differences_show(q, eps):
    """delta of two buckets' discrete Laplace noises of ratio q, moved by 1 and -1, is summed over their joint law."""
    floor = CorrelatedHist.floor({"q": F(q)}, Eps.of(eps))
    at, size = float(Eps.of(eps).enclosure()[0]), 120
    noise = float(F(q)) ** np.abs(np.arange(-size, size + 1)) * (1 - float(F(q))) / (1 + float(F(q)))
    law = np.multiply.outer(noise, noise)
    moved = np.roll(np.roll(law, 1, axis=0), -1, axis=1)
    assert float(floor) == pytest.approx(np.maximum(moved - np.exp(at) * law, 0).sum(), rel=1e-9, abs=1e-15)
    for r, p in (("1", "1/2"), ("40", "9/10")):
        made = make("correlated_hist", {"buckets": "2", "q": q, "r": r, "p": p})
        value = Promise.of(9, eps, "1/2").worst(made).delta
        assert floor <= F(value.enclosure()[0])
    assert CorrelatedHist.floor({"r": F(1), "p": F(1, 2)}, Eps.of(eps)) == 0  # q may still become what it needs


FEW_MESSAGES = Task("correlated_hist", {"buckets": "2"}), Promise.of(50, 2, "1/100"), Goal("messages", most_rmse=F(2))


def test_a_candidate_that_cannot_keep_the_promise_is_not_looked_at(monkeypatch):
    looked, sides = set(), Promise.sides
    monkeypatch.setattr(Promise, "sides", lambda self, system: looked.add(system.q) or sides(self, system))
    found = tune(*FEW_MESSAGES).best
    assert found.values["q"] in looked
    assert all(CorrelatedHist.floor({"q": q}, Eps.of(2)) <= F(1, 100) for q in looked)


@pytest.mark.long
def test_passing_over_changes_nothing(monkeypatch):
    found = tune(*FEW_MESSAGES).best
    monkeypatch.setattr(CorrelatedHist, "floor", lambda *_: F(0))
    other = tune(*FEW_MESSAGES).best
    assert (found.values, found.tried) == (other.values, other.tried)
