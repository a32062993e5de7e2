"""What dp-accounting and prv-accountant make of the same pairs, in both directions, with fine settings of theirs.

They are given the pair that is worst, by doubles of the logarithms of its probabilities that are right to the last
digit: finding the pair is not theirs to do. A job returns (low, high) as floats.

dp-accounting: optimistic and pessimistic losses, rounded to multiples of INTERVAL (1e-4 unless told otherwise).
prv-accountant: errors in eps and in delta as below; eps_max is given, as no Renyi divergences are. Its own advice, an
error in delta of a thousandth of delta, is followed as far as doubles allow (1e-13).
"""

import time
import warnings
from fractions import Fraction
from functools import cache

INTERVAL = {1: 1e-6, 10: 1e-4}  # by the number of compositions
EPS_ERROR, EPS_MAX = 1e-3, 4.0


@cache
def pair(name):
    """{outcome: log probability} of P and of Q."""
    from tests.bench import problems

    if name == "zsum":
        return _shifted_binomial(1000, problems.zsum().p)
    if name.startswith("zsum "):
        n, p = name.split()[1:]
        return _shifted_binomial(int(n), Fraction(p))
    if name.startswith("poisson "):
        return _shifted_poisson(Fraction(name.split()[1]))
    if name.startswith("rr "):
        _, source, ones = name.split()
        return _responses(10_000, problems.rr().flip, source, int(ones))
    if name == "krr":
        return _two_columns(10_000, problems.krr())
    raise ValueError(name)


def _logs(noise, low, high):
    """log Pr[k] for k = low..high, in double precision, from 60 bits more."""
    from shufflecert.verify.exact.rational import precision

    with precision(120):
        return {k: float(noise.logarithm(k).mid()) for k in range(low, high + 1)}


def _shifted_binomial(n, p):
    from shufflecert.verify.enclose.noise_laws import Binomial

    noise = Binomial(n, p)
    wide = int(40 * noise.variance**0.5) + 400  # what lies beyond is less than a double next to 1 tells
    law = _logs(noise, max(0, int(noise.mean) - wide), min(n, int(noise.mean) + wide))
    return {k + 1: w for k, w in law.items()}, law


def _shifted_poisson(lam):
    from shufflecert.verify.enclose.noise_laws import Poisson

    law = _logs(Poisson(lam), 0, int(lam + 40 * lam**0.5) + 40)
    return {k + 1: w for k, w in law.items()}, law


def _responses(n, flip, source, ones):
    """The pair of rr with `ones` others on 1; P's user holds `source`."""
    from shufflecert.verify.enclose.noise_laws import Binomial
    from shufflecert.verify.exact.rational import ball, precision
    from shufflecert.verify.pairs.windowed import SumPair, coin

    others = (Binomial(ones, 1 - flip), Binomial(n - 1 - ones, flip))
    truth = {"0": coin(flip), "1": coin(1 - flip)}
    P, Q = truth.pop(source), truth.popitem()[1]
    atoms = SumPair((*others, P), (*others, Q)).atoms(512)
    with precision(120):
        laws = [
            [float((ball(int(w)) / 2**512).log().mid()) if w else None for w in law] for law in (atoms.p[0], atoms.q[0])
        ]
    return tuple({k: w for k, w in enumerate(law) if w is not None} for law in laws)


def _two_columns(n, system):
    """The counts of the two values in question, all others on a third: a little less is seen than in a real view."""
    import numpy as np
    from scipy.special import gammaln, logsumexp

    lie = float(system.gamma / system.k)
    truth = float(1 - system.gamma + system.gamma / system.k)
    mean, wide = (n - 1) * lie, 10 * ((n - 1) * lie) ** 0.5
    low, high = int(max(0, mean - wide)), int(mean + wide)
    a, b = np.meshgrid(np.arange(low, high), np.arange(low, high), indexing="ij")

    def others(a, b):
        rest = n - 1 - a - b
        logs = gammaln(n) - gammaln(a + 1) - gammaln(b + 1) - gammaln(rest + 1)
        return np.where((a >= 0) & (b >= 0), logs + (a + b) * np.log(lie) + rest * np.log1p(-2 * lie), -np.inf)

    with np.errstate(all="ignore"):
        up, across, none = others(a - 1, b), others(a, b - 1), others(a, b)
    weights = np.log([truth, lie, 1 - truth - lie])
    P = logsumexp([up + weights[0], across + weights[1], none + weights[2]], axis=0)
    Q = logsumexp([up + weights[1], across + weights[0], none + weights[2]], axis=0)
    return tuple(dict(enumerate(law.ravel().tolist())) for law in (P, Q))


def dp_accounting(name, times, eps):
    from dp_accounting.pld import privacy_loss_distribution as pld

    P, Q = pair(name)
    values = []
    for pessimistic in (False, True):
        losses = pld.from_two_probability_mass_functions(Q, P, pessimistic, INTERVAL[times], symmetric=False)
        losses = losses if times == 1 else losses.self_compose(times)
        values.append(float(losses.get_delta_for_epsilon(eps)))
    return tuple(values)


def prv_accountant(name, times, eps, delta):
    import numpy as np
    from prv_accountant import PRVAccountant
    from prv_accountant.privacy_random_variables import PrivacyRandomVariable

    class Losses(PrivacyRandomVariable):
        """log(P/Q) under P, given that it is finite."""

        def __init__(self, P, Q):
            keys = [k for k in P if k in Q]
            losses = np.array([P[k] - Q[k] for k in keys])
            order = np.argsort(losses)
            mass = np.exp(np.array([P[k] for k in keys])[order])
            self.losses, self.sums = losses[order], np.concatenate([[0.0], np.cumsum(mass) / mass.sum()])
            self.infinite = float(sum(np.exp(P[k]) for k in P if k not in Q))

        def cdf(self, t):
            return self.sums[np.searchsorted(self.losses, t, side="right")]

        @property
        def pm_inf(self):
            return self.infinite

    P, Q = pair(name)
    lows, highs = [], []
    for one, two in ((P, Q), (Q, P)):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            accountant = PRVAccountant(
                [Losses(one, two)], EPS_ERROR, max(delta / 1000, 1e-13), max_self_compositions=[times], eps_max=EPS_MAX
            )
            low, _, high = accountant.compute_delta(eps, [times])
        lows.append(float(low))
        highs.append(float(high))
    return max(lows), max(highs)


def _least(delta_of, target, low=20.0, high=60.0):
    """By halving, to 1e-8 of it, from where on delta is at most the target: by the peer's lower and upper bounds."""
    found = []
    for end in (0, 1):
        fails, keeps = low, high
        while keeps - fails > 1e-8 * keeps:
            middle = (fails + keeps) / 2
            fails, keeps = (middle, keeps) if delta_of(middle)[end] > target else (fails, middle)
        found.append(keeps)
    return tuple(found)


def dp_accounting_least(target):
    return _least(lambda lam: dp_accounting(f"poisson {lam!r}", 1, 1.0), target)


def dp_accounting_least_zsum(n, eps, target, low, high):
    """The same of n (1 - p), the variance but for a factor p: between which values of p."""
    fewest, most = _least(lambda q: dp_accounting(f"zsum {n} {1 - Fraction(q) / n}", 1, eps), target, low, high)
    return 1 - most / n, 1 - fewest / n


def prv_accountant_least(target):
    return _least(lambda lam: prv_accountant(f"poisson {lam!r}", 1, 1.0, target), target)


def attempt(job, *arguments):
    """(the job's answer, seconds), its pair and its imports at hand; or the first line of what it raises."""
    try:
        if "_least" in job:
            dp_accounting("poisson 24.0", 1, 1.0) if job.startswith("dp") else prv_accountant(
                "poisson 24.0", 1, 1.0, 1e-6
            )
        else:
            pair(arguments[0])
            globals()[job]("poisson 24.0", 1, *arguments[2:])
        start = time.perf_counter()
        answer = globals()[job](*arguments)
        return answer, time.perf_counter() - start
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}", None
