"""Pairs of laws that go to and come from other libraries, and their hockey-stick divergences by mpmath."""

from fractions import Fraction

import mpmath
import opendp.prelude as dp

from tests import reference
from tests.reference import real

dp.enable_features("contrib", "honest-but-curious")


def hockey_stick(P, Q, eps):
    """The divergence of two sequences at e^eps."""
    return reference.hockey_stick(P, Q, mpmath.exp(real(eps)))


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


def stated(law, eps):
    """What a law of losses states, (1) of privacy_loss_distribution.py, with its exact binary fractions."""
    step = mpmath.mpf(law.interval)
    finite = (mpmath.mpf(f) * max(0, 1 - mpmath.exp(eps - i * step)) for i, f in law.masses.items())
    return mpmath.mpf(law.infinite) + mpmath.fsum(finite)


POISSON = ("poisson", "-p", "lam=34", "--n", 1000)
