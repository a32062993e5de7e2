"""The least noise that keeps a promise, against brute force on small grids and against mpmath on fine ones."""

from fractions import Fraction
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf, workdps

from shufflecert.verify.calibrate.least_noise import Promise
from shufflecert.verify.calibrate.tuned_system import Task, tune
from shufflecert.verify.decide.certify import certify
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import text
from shufflecert.verify.systems.catalogue import make, orders
from tests import oracle
from tests.calibrate_rows import ROWS, calibrated
from tests.helpers import random_cases
from tests.reference import real

F = Fraction
UNIT = F(1, 2**64)


# Whole grids, by brute force -----------------------------------------------------------------------------------------


@cache
def truth(system, fixed, n, eps):
    """(A, B): the worst delta is A - B e^eps, over all neighbouring datasets and both directions."""
    rows = ROWS[system](**dict(fixed))
    at = Eps.of(eps)
    if at.power is not None:
        return oracle.delta(rows, n, at.power), F(0)
    return oracle.delta_parts(rows, n, at.exponent)


def keeps(system, fixed, n, eps, delta):
    A, B = truth(system, tuple(sorted(fixed.items())), n, eps)
    return delta >= A if B == 0 else oracle.sign_with_exp(A - delta, B, Eps.of(eps).exponent) <= 0


def near(system, fixed, n, eps):
    """The worst delta, or a rational a little above it where it is none."""
    A, B = truth(system, tuple(sorted(fixed.items())), n, eps)
    return A if B == 0 else (A - B * oracle.exp_bounds(Eps.of(eps).exponent, 30)[0]).limit_denominator(10**12)


# system, what is given, what is chosen, the values from the least noise on, number of users, eps
P = [F(32 - i, 32) for i in range(17)]
GRIDS = [
    *(("zsum", {}, "p", P, n, eps) for n in (1, 2, 3, 4) for eps in ("0", "log(11/10)", "log(2)", "1/2")),
    *(("zsum", {}, "p", P[::2], n, eps) for n in (5, 6) for eps in ("log(3/2)", "log(3)")),
    *(("hist", {"d": "2"}, "p", P[::2], n, eps) for n in (1, 2, 3) for eps in ("log(3/2)", "1")),
    ("hist", {"d": "3"}, "p", P[::4], 2, "log(2)"),
    *(("rr", {}, "flip", [F(i, 32) for i in range(17)], n, eps) for n in (1, 2, 4) for eps in ("0", "log(2)")),
    *(("rr", {}, "flip", [F(i, 16) for i in range(9)], n, "1/2") for n in (2, 3)),
    *(("krr", {"k": "3"}, "gamma", [F(i, 16) for i in range(17)], n, "log(2)") for n in (1, 2, 3)),
    *(("krr", {"k": "3"}, "gamma", [F(i, 8) for i in range(9)], n, "1/3") for n in (1, 2)),
    *(("rappor", {"d": "2"}, "flip", [F(i, 32) for i in range(17)], n, "log(2)") for n in (1, 2, 3)),
    ("rappor", {"d": "3"}, "flip", [F(i, 8) for i in range(5)], 2, "1/2"),
    ("fragmented_rappor", {"d": "3"}, "flip", [F(i, 16) for i in range(9)], 2, "log(3/2)"),
    ("fake_users", {"d": "2", "k": "1"}, "flip", [F(i, 16) for i in range(9)], 2, "log(3/2)"),
    ("blanket_sum", {"k": "2"}, "gamma", [F(i, 16) for i in range(17)], 2, "log(2)"),
    ("krr", {"gamma": "1/2"}, "k", [F(k) for k in (5, 4, 3, 2)], 2, "log(2)"),
    ("blanket_sum", {"gamma": "1/2"}, "k", [F(k) for k in (4, 3, 2, 1)], 2, "log(2)"),
    ("fake_users", {"d": "2", "flip": "1/8"}, "k", [F(0), F(1), F(2)], 2, "log(3/2)"),
    ("rappor", {"flip": "1/8"}, "d", [F(4), F(3), F(2)], 2, "log(2)"),
]


@pytest.mark.parametrize(("system", "fixed", "name", "values", "n", "eps"), GRIDS, ids=lambda v: str(v)[:24])
@pytest.mark.sampled(12)
def test_the_least_noise_of_a_whole_grid(system, fixed, name, values, n, eps):
    """Bounds: every delta of the grid, which a value attains, and a little less; expected: the first that keeps it."""
    step = abs(values[1] - values[0])
    within = (min(values), max(values))
    deltas = sorted({near(system, {**fixed, name: text(v)}, n, eps) for v in values})
    for bound in sorted({max(F(0), delta - less) for delta in deltas[::4] for less in (F(0), F(1, 10**9))}):
        kept = [keeps(system, {**fixed, name: text(v)}, n, eps, bound) for v in values]
        promise = Promise.of(n, eps, bound)
        if not any(kept):
            with pytest.raises(BadInput, match=r"\Ano value satisfies \(eps, delta\): .* which fails"):
                calibrated(system, fixed, name, promise, step, within)
            continue
        first = kept.index(True)
        found = calibrated(system, fixed, name, promise, step, within)
        assert found.value == values[first]
        assert found.fails_at == (values[first - 1] if first else None)
        assert found.adjacent and found.searched.complete
        assert found.worst.scope.n == n and found.worst.scope.datasets == "all"


def test_less_noise_may_keep_what_more_noise_fails():
    """zsum, by the oracle: for n = 2, e^eps = 3/2, delta = 0.3985 the values 5/8 and 9/16 keep it and 19/32 between
    them fails; for n = 3, e^eps = 2, delta = 0.23 the value 19/32 keeps it and 1/2, the most noise there is, fails."""
    for n, eps, bound, kept, failed in (
        (2, "log(3/2)", F(3985, 10**4), (F(5, 8), F(9, 16)), F(19, 32)),
        (3, "log(2)", F(23, 100), (F(19, 32),), F(1, 2)),
    ):
        assert all(keeps("zsum", {"p": text(p)}, n, eps, bound) for p in kept)
        assert not keeps("zsum", {"p": text(failed)}, n, eps, bound)
        found = calibrated("zsum", {}, "p", Promise.of(n, eps, bound), F(1, 32))
        assert found.value == kept[0] and found.fails_at == kept[0] + F(1, 32) and found.searched.lemma is None
        less = [p for p in P if p > kept[0]]
        assert not any(keeps("zsum", {"p": text(p)}, n, eps, bound) for p in less)
        assert found.searched.evaluated == len(less) + 1
    # of 2^63 values not all are tried: what is not found is not said to be nowhere
    with pytest.raises(BadInput, match=r"\Ano value is shown to satisfy \(eps, delta\): .*; not all were tried"):
        calibrated("zsum", {}, "p", Promise.of(3, "log(2)", "23/100"))


@pytest.mark.parametrize(
    ("system", "fixed", "eps", "bounds"),
    [
        ("zsum", {"p": "3/4"}, "log(3/2)", ("0.6", "0.4", "0.3", "0.2")),
        ("rr", {"flip": "1/4"}, "1/2", ("0.4", "0.25", "0.2", "0.12")),
        ("krr", {"k": "3", "gamma": "1/2"}, "log(3/2)", ("0.4", "0.3", "0.2")),
    ],
)
def test_the_fewest_users(system, fixed, eps, bounds):
    """Over n, by enumeration of all datasets of 1, 2, ... users; beyond the oracle's reach nothing is compared."""
    reached = 0
    for bound in map(F, bounds):
        kept = next((n for n in range(1, 6) if keeps(system, fixed, n, eps, bound)), None)
        found = tune(Task(system, fixed, ("n",)), Promise.of(1, eps, bound))
        calibrated_at = found.best.calibrated
        assert calibrated_at.adjacent and found.promise.n == calibrated_at.value
        assert calibrated_at.fails_at == (None if calibrated_at.value == 1 else calibrated_at.value - 1)
        assert calibrated_at.value == kept if kept is not None else calibrated_at.value > 5
        reached += kept is not None and kept > 1
    assert reached >= 2


# Fine grids, by mpmath ---------------------------------------------------------------------------------------------


def power_of(eps):
    at = Eps.of(eps)
    return real(at.power) if at.power is not None else mp.exp(real(at.exponent))


@pytest.mark.parametrize("eps", ["1", "1/3", "5", "log(2)", "log(3/2)", f"log({2**60}/{2**59 + 1})", "1/1000"])
@pytest.mark.parametrize("sensitivity", [1, 3])
@pytest.mark.sampled(3)
def test_discrete_laplace_of_pure_privacy(eps, sensitivity):
    """e^(-eps/sensitivity), rounded up to a multiple of 2^-64: |X - by| and |X| differ by at most `by`."""
    found = calibrated("discrete_laplace", {"sensitivity": str(sensitivity)}, "q", Promise.of(1, eps, 0))
    with workdps(60):
        scaled = power_of(eps) ** (mpf(-1) / sensitivity) * 2**64
        nearest = mp.nint(scaled)
        expected = int(nearest) if abs(scaled - nearest) < mpf(10) ** -30 else int(mp.ceil(scaled))
    assert found.value == expected * UNIT and found.fails_at == found.value - UNIT and found.adjacent
    assert found.worst.delta.high == 0 < found.fails.delta.low


def test_a_grid_finer_than_the_digits_of_an_answer():
    """Steps of 10^-40 of a parameter next to 1: the answers stay as close as 30 digits tell, and on the grid."""
    found = calibrated("zsum", {}, "p", Promise.of(1000, "1", "1e-6"), F(1, 10**40))
    assert 0 < found.fails_at - found.value < F(1, 10**28)
    assert (found.value * 10**40).denominator == 1 == (found.fails_at * 10**40).denominator
    assert found.worst.delta.high <= F(1, 10**6) < found.fails.delta.low


# What is always so --------------------------------------------------------------------------------------------------


CHOICES = [
    ("poisson", {}, "lam", F(0), F(60)),
    ("discrete_laplace", {}, "q", F(0), F(1)),
    ("zsum", {}, "p", F(1, 2), F(1)),
    ("rr", {}, "flip", F(0), F(1, 2)),
    ("krr", {"k": "3"}, "gamma", F(0), F(1)),
    ("hist", {"d": "2"}, "p", F(1, 2), F(1)),
]


@given(
    st.sampled_from(CHOICES),
    st.fractions(F(1, 10**6), F(1, 3), max_denominator=10**7),
    st.tuples(st.fractions(0, 1, max_denominator=99), st.fractions(0, 1, max_denominator=99)),
    st.sampled_from(("1/10", "1", "log(3)")),
    st.sampled_from(("1e-6", "1e-2", "1/4")),
)
@random_cases(25)
def test_a_value_is_on_the_grid_and_in_the_range(choice, step, places, eps, delta):
    """Whatever the step and the range: and both answers are what they are said to be, decided again from nothing."""
    system, fixed, name, low, high = choice
    within = tuple(low + (high - low) * place for place in sorted(places))
    promise = Promise.of(5, eps, delta)
    try:
        found = calibrated(system, fixed, name, promise, step, within)
    except BadInput as error:
        assert "no multiple" in str(error) or str(error).startswith(("no value satisfies", "no value is shown"))
        return
    answers = [found.value] if found.fails_at is None else [found.value, found.fails_at]
    assert all((value / step).denominator == 1 and within[0] <= value <= within[1] for value in answers)
    beside = found.value + step if orders(system)[name].falling else found.value - step
    is_value = within[0] <= beside <= within[1] and (beside > 0 or system in ("rr", "krr"))
    assert found.adjacent and found.fails_at == (beside if is_value else None)
    verdicts = [certify(make(system, {**fixed, name: text(v)}), 5, eps, delta).verdict for v in answers]
    assert verdicts == ["PROVED", "REFUTED"][: len(answers)]
