"""Laws of GKMP's noises by their definitions, and their hockey-stick divergences, at the precision in force."""

from functools import cache

from mpmath import binomial, exp, fsum, gamma, mpf, workdps

from tests import reference
from tests.reference import real

EPS = ["0", "1/10", "log(3/2)", "1", "5/2", "9"]


def power(eps):
    """e^eps of its text."""
    return real(eps[4:-1]) if eps.startswith("log(") else exp(real(eps))


def encloses(found, value, slack=0, width=30):
    """`found` holds a number within `slack` of `value`, and is narrow: relative width 10^-width."""
    value, slack = mpf(value), mpf(slack) + abs(mpf(value)) * mpf(10) ** -50
    assert real(found.low) - slack <= value <= real(found.high) + slack, (str(found), value)
    assert found.relative_width * 10**width <= 1, str(found)
    return True


def exactly(found, value):
    assert found.low == found.high == value, str(found)
    return True


def poisson(lam):
    return cache(lambda k: exp(-real(lam)) * real(lam) ** k / gamma(mpf(k + 1)) if k >= 0 else mpf(0))


def negative_binomial(r, p):
    @cache
    def law(k):
        if k < 0:
            return mpf(0)
        return gamma(k + real(r)) / gamma(real(r)) / gamma(mpf(k + 1)) * (1 - real(p)) ** real(r) * real(p) ** k

    return law


def discrete_laplace(q):
    return cache(lambda k: (1 - real(q)) / (1 + real(q)) * real(q) ** abs(k))


def coins(n, p):
    return cache(lambda k: binomial(n, k) * real(p) ** k * (1 - real(p)) ** (n - k) if 0 <= k <= n else mpf(0))


def hockey_stick(P, Q, eps):
    """The divergence of two sequences at e^eps."""
    return reference.hockey_stick(P, Q, power(eps))


def shifted(law, by, span):
    """(X + by, X) on a range of integers, by either sign."""
    return [law(k - by) for k in span], [law(k) for k in span]


def worst_shift(law, sensitivity, eps, span):
    """The largest divergence over all shifts by 1..sensitivity, both directions."""
    pairs = [shifted(law, sign * j, span) for j in range(1, sensitivity + 1) for sign in (1, -1)]
    return max(hockey_stick(*pair, eps) for pair in pairs)


@cache
def view(q, r, p, size):
    """Pr[Z1 + Z3 = a, Z2 + Z3 = b] for a, b < size, by its definition."""
    with workdps(60):
        one, three = negative_binomial(1, q), negative_binomial(r, p)
        geo, shared = [one(k) for k in range(size)], [three(k) for k in range(size)]
        return [
            [fsum(shared[c] * geo[a - c] * geo[b - c] for c in range(min(a, b) + 1)) for b in range(size)]
            for a in range(size)
        ]


def correlated_laws(q, r, p, size):
    """The laws of (u, v) for s = 1 and for s = 0, as lists."""
    law = view(q, r, p, size)
    P = [law[u - 1][v] if u else mpf(0) for u in range(size) for v in range(size)]
    return P, [law[u][v] for u in range(size) for v in range(size)]
