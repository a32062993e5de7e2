"""dp_accounting's event trees: against integrals over outcomes on a fine grid, and against dp-accounting's own ends."""

import logging
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from dp_accounting import dp_event as of
from dp_accounting.pld import privacy_loss_distribution as pld

from shufflecert import from_dp_accounting
from tests.helpers import refused

F = Fraction
Gauss, Laplace, Sampled = of.GaussianDpEvent, of.LaplaceDpEvent, of.PoissonSampledDpEvent
Times, Together = of.SelfComposedDpEvent, of.ComposedDpEvent


def densities(event, y):
    """(P, Q) of an event on the outcomes y: a record that is 1 there with probability q, and no record."""
    q = 1.0
    if isinstance(event, Sampled):
        q, event = event.sampling_probability, event.event
    z = event.noise_multiplier
    of_one = (lambda a: np.exp(-(a**2) / (2 * z**2)) / (z * np.sqrt(2 * np.pi))) if isinstance(event, Gauss) else None
    of_one = of_one or (lambda a: np.exp(-abs(a) / z) / (2 * z))
    return (1 - q) * of_one(y) + q * of_one(y - 1), of_one(y)


def integral(events, eps, cells, wide=10.0):
    """delta(eps) of one event or two by the midpoint rule, the larger of both directions."""
    edge, x = wide * max(getattr(e, "event", e).noise_multiplier for e in events) + 1, np.exp(eps)
    step = 2 * edge / cells
    laws = [[law * step for law in densities(e, -edge + step * (np.arange(cells) + 0.5))] for e in events]
    best = 0.0
    for way in (0, 1):
        if len(laws) == 1:
            best = max(best, np.maximum(laws[0][way] - x * laws[0][1 - way], 0).sum())
            continue
        (one, two), p, q = laws, laws[0][way], laws[0][1 - way]
        assert len(one) == len(two) == 2
        rows = (np.maximum(a * two[way] - x * b * two[1 - way], 0) for a, b in zip(p, q, strict=True))
        best = max(best, sum(row.sum() for row in rows))
    return best


def holds(found, about, error):
    """The enclosure holds a number that is known up to a relative error, and is itself within 2/1000."""
    assert found.low * F(1 - error) <= F(about) <= found.high * F(1 + error)
    assert found.high <= found.low * F(1002, 1000)


@pytest.mark.parametrize("eps", ["0", "1/2", "3"])
def test_normal_noise_many_times_is_one(eps):
    """Balle and Wang 2018, Theorem 8, with mu^2 = 1.5^2 + 2 / 2^2, at 60 digits."""
    with mpmath.workdps(60):
        mu, at = mpmath.sqrt(mpmath.mpf("2.75")), mpmath.mpf(F(eps).numerator) / F(eps).denominator
        true = mpmath.ncdf(mu / 2 - at / mu) - mpmath.exp(at) * mpmath.ncdf(-mu / 2 - at / mu)
        found = from_dp_accounting(Together([Gauss(F(2, 3)), Times(Gauss(2.0), 2)])).delta(eps)
        ends = [mpmath.mpf(end.numerator) / end.denominator for end in (found.low, found.high)]
        assert abs(ends[0] - true) < mpmath.mpf(10) ** -50 and abs(ends[1] - true) < mpmath.mpf(10) ** -50


@pytest.mark.parametrize("event", [Gauss(0.75), Laplace(0.75), Sampled(0.125, Gauss(0.75)), Sampled(0.5, Laplace(2.0))])
@pytest.mark.parametrize("eps", ["0", "1/10", "1"])
@pytest.mark.sampled(3)
def test_one_event(event, eps):
    found, about = from_dp_accounting(event).delta(eps), integral([event], float(F(eps)), 2_000_000, 30.0)
    if about < 1e-12:  # Laplace noise keeps some eps purely
        assert found.high < F(1, 10**12)
        return
    holds(found, about, 1e-6)
    assert (found.high - found.low) * 10**25 <= found.high


@pytest.mark.parametrize(
    "events",
    [
        [Laplace(2.0), Gauss(2.0)],
        [Sampled(0.25, Gauss(0.75)), Sampled(0.125, Gauss(1.0))],
        [Sampled(0.5, Laplace(1.0)), Gauss(1.5)],
    ],
)
@pytest.mark.sampled(3)
def test_two_events(events):
    """The rule's own error, of 3000 cells a side, is below 10^-3 of the answer."""
    found = from_dp_accounting(Together(events)).delta("1/2")
    holds(found, integral(events, 0.5, 3000), 1e-3)


@pytest.mark.long
def test_a_thousand_steps_of_sampled_noise_meet_the_ends_of_dp_accounting(caplog):
    """Its optimistic and its pessimistic end, with losses rounded to 10^-4; both enclosures hold one number."""
    caplog.set_level(logging.ERROR)
    ends = []
    for pessimistic in (False, True):
        given = {"sampling_prob": 0.01, "value_discretization_interval": 1e-4}
        law = pld.from_gaussian_mechanism(1.0, pessimistic_estimate=pessimistic, **given)
        ends.append(law.self_compose(1000).get_delta_for_epsilon(1.0))
    found = from_dp_accounting(Times(Sampled(0.01, Gauss(1.0)), 1000)).delta(1)
    assert ends[0] <= float(found.high) and float(found.low) <= ends[1]
    assert found.high <= found.low * F(1002, 1000)


def test_the_smallest_eps_of_an_event_tree():
    """delta is above the bound at the lower end, and at most the bound at the upper one."""
    tree, bound = from_dp_accounting(Times(Laplace(10.0), 20)), F(1, 10**4)
    low, high = tree.epsilon(bound)
    assert 0 < low < high < low * F(101, 100)
    assert tree.delta(low).high > bound and tree.delta(high).low <= bound
    one = from_dp_accounting(Laplace(2.0))
    low, high = one.epsilon(0)
    assert low <= F(1, 2) <= high and high - low < F(1, 10**6)


def test_the_tables_of_runs_are_dominated():
    """At every e^eps the table has no more than the noise, summed over its outcomes, and hardly less."""
    tree = from_dp_accounting(Sampled(0.25, Gauss(1.0)))
    for added in (False, True):
        (run,) = tree.runs(300, added)
        p, q = (dict(run.system.rows[name].items()) for name in ("P", "Q"))
        for x in (F(1), F(9, 8), F(5, 4)):
            table = sum(max(p.get(one, 0) - x * q.get(one, 0), 0) for one in {*p, *q})
            low, high = tree.noises[0][0].curve(x, added)
            assert 0 < low * F(99, 100) <= table <= high
    refused(lambda: from_dp_accounting(of.NoOpDpEvent()).runs(), "noises")
    refused(lambda: tree.runs(3), "dots")


def test_trees_are_flattened_as_they_mean():
    nested = Sampled(0.5, Sampled(0.25, Gauss(1.0)))
    assert from_dp_accounting(nested) == from_dp_accounting(Sampled(0.125, Gauss(1.0)))
    inside = Sampled(0.5, Times(Gauss(2.0), 4))
    assert from_dp_accounting(inside) == from_dp_accounting(Sampled(0.5, Gauss(1.0)))
    assert from_dp_accounting(Sampled(1.0, Laplace(1.0))) == from_dp_accounting(Laplace(1.0))
    twice = Times(Together([Sampled(0.5, Gauss(1.0)), Laplace(1.0)]), 2)
    assert sorted(n for _, n in from_dp_accounting(twice).noises) == [2, 2]
    shown = str(from_dp_accounting(Sampled(0.5, Laplace(2.0))))
    assert shown == "1 x Laplace noise, multiplier 2, on a Poisson sample of 0.5"


def test_nothing_and_everything():
    for nothing in (of.NoOpDpEvent(), Times(Gauss(1.0), 0), Together([]), Sampled(0.0, Gauss(1.0))):
        assert from_dp_accounting(nothing).delta(0).high == 0
        assert from_dp_accounting(nothing).epsilon(0) == (0, 0)
    for bare in (of.NonPrivateDpEvent(), Gauss(0.0), Together([Gauss(1.0), of.NonPrivateDpEvent()])):
        assert from_dp_accounting(bare).delta(5).low == 1
        assert from_dp_accounting(bare).epsilon("1/2")[1] == float("inf")


def test_what_has_no_enclosure_is_refused():
    for event in (
        of.SampledWithoutReplacementDpEvent(10, 2, Gauss(1.0)),
        of.RandomizedResponseDpEvent(0.5, 2),
        of.UnsupportedDpEvent(),
        of.ZCDpEvent(1.0),
        Together([Gauss(1.0), of.DiscreteLaplaceDpEvent(1.0, 1)]),
    ):
        name = type(event.events[1] if isinstance(event, Together) else event).__name__
        refused(lambda event=event: from_dp_accounting(event), name, "Gaussian")

    class Mine(Gauss):
        """Whatever this means, it is not said to be normal noise."""

    refused(lambda: from_dp_accounting(Mine(1.0)), "Mine")
    refused(lambda: from_dp_accounting(Sampled(0.5, Times(Laplace(1.0), 2))), "one sample")
    refused(lambda: from_dp_accounting(Sampled(0.5, Times(Sampled(0.5, Gauss(1.0)), 2))), "one sample")
    refused(lambda: from_dp_accounting(Gauss(float("nan"))), "noise_multiplier", "finite")
    refused(lambda: from_dp_accounting(Gauss(-1.0)), "noise_multiplier")
    refused(lambda: from_dp_accounting(Laplace(1e-9)), "noise_multiplier")
    refused(lambda: from_dp_accounting(Sampled(1.5, Gauss(1.0))), "sampling_probability")
    refused(lambda: from_dp_accounting(Times(Gauss(1.0), -1)), "count")
    refused(lambda: from_dp_accounting(3), "int", "DpEvent")
    refused(lambda: from_dp_accounting(Gauss(1.0)).delta(-1), "eps")
