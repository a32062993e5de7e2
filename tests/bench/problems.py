"""Five problems with known answers: what the project encloses each in. Jobs return (low, high) as rationals.

Systems are imported where they are used: one that fails is one line of a table.
"""

from fractions import Fraction
from functools import cache
from math import isqrt

from flint import arb

from shufflecert.verify.enclose.interval import largest, refine
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.windowed import Reversed, SumPair, coin
from shufflecert.verify.reduce.reduction import worst_delta
from shufflecert.verify.systems.declare import prescribed
from tests.helpers import both_directions

TARGET = Fraction(1, 10**6)


@cache
def zsum():
    """1 - p = 50 ln(2e6) / 1000, in 64 bits."""
    from shufflecert.protocols.zsum import ZSum

    return ZSum(1 - prescribed(lambda: 50 * arb(2 * 10**6).log() / 1000, True))


@cache
def rr():
    """flip = 1 / (1 + e^4), in 64 bits."""
    from shufflecert.protocols.rr import RR

    return RR(prescribed(lambda: 1 / (1 + arb(4).exp()), True))


@cache
def krr():
    """gamma = 10 / (9 + e^4), in 64 bits."""
    from shufflecert.protocols.krr import KRR

    return KRR(10, prescribed(lambda: 10 / (9 + arb(4).exp()), True))


def worst(system, n, eps):
    from shufflecert.verify.decide.worst_case import delta

    return delta(system, n, eps)


def ends(value):
    return value.low, value.high


def summed(n=1000):
    return ends(worst_delta(zsum().reach(n), Eps.of(1)).value)


def responses(n=10_000):
    return ends(worst(rr(), n, "1/5").delta)


def responses_pair(n, flip):
    """The neighbours (1, 0, ..., 0) against (0, 0, ..., 0)."""
    return SumPair((Binomial(n - 1, flip), coin(1 - flip)), (Binomial(n, flip),))


def responses_one(n=10_000):
    pair = responses_pair(n, rr().flip)
    ways = [refine(lambda bits, way=way: way.divergence(Eps.of("1/5"), bits)) for way in (pair, Reversed(pair))]
    return ends(largest(ways))


def worst_others(n=10_000):
    """Where `responses` is attained: (source, how many others on 1)."""
    found = worst(rr(), n, "1/5").scope.worst
    return found.source, found.others.get("1", 0)


def least(system, name, n, eps, delta):
    """(fails at, keeps), in the order of the parameter: two neighbours on the grid of 64 bits."""
    from shufflecert.verify.calibrate.least_noise import Promise, least_noise
    from shufflecert.verify.systems.catalogue import orders, system_class
    from shufflecert.verify.systems.declare import Grid

    found = least_noise(system_class(system), Grid.of(orders(system)[name], name), Promise.of(n, eps, delta))
    assert found.adjacent
    return tuple(sorted((found.fails_at, found.value)))


def least_poisson(target=TARGET):
    """delta falls in lam: more noise is less noise, processed."""
    return least("poisson", "lam", 10_000, 1, target)


def least_zsum(n, eps, target):
    return least("zsum", "p", n, eps, target)


def few_messages(n=10_000, eps="1", delta="1e-6"):
    """Messages of `correlated` with an RMSE of at most 1.2 that of the central model: q, r and p together."""
    from shufflecert.verify.calibrate.least_noise import Promise
    from shufflecert.verify.calibrate.objective import Goal
    from shufflecert.verify.calibrate.tuned_system import Task, central_rmse, tune

    goal = Goal("messages", most_rmse=central_rmse(Eps.of(eps)).low * Fraction(6, 5))
    return ends(tune(Task("correlated"), Promise.of(n, eps, delta), goal).best.accuracy.expected_messages)


def compared(system, task="sum", n=10_000, buckets=None):
    """The RMSE in users of a row of `compare` at (1, 1e-6), ours and the paper's."""
    from shufflecert.verify.calibrate.comparison import ComparedTask, row

    found = row({"system": system, "question": ComparedTask.of(task, n, "1", "1e-6", buckets).to_json()})
    return tuple(Fraction(found["rmse"][end]) for end in ("lower", "upper")) if found["rmse"] else found["note"]


def composed(digits, n=1000, times=10, eps=3):
    noise = Binomial(n, zsum().p)
    return ends(both_directions(SumPair((noise,), (noise,), 1), times, eps, digits))


def categories(n=10_000):
    return ends(worst(krr(), n, "1/5").delta)


def scale_zsum(n):
    """The p of BC for eps = 1 and delta = 1e-6 where n allows it, else that of n = 1000."""
    from shufflecert.protocols.zsum import ZSum

    p = zsum().p if n < 1451 else 1 - prescribed(lambda: 50 * arb(2 * 10**6).log() / n, True)
    return ends(worst_delta(ZSum(p).reach(n), Eps.of(1)).value)


def scale_poisson(n):
    """lam = n / 4, eps ten over its root."""
    from shufflecert.protocols.poisson import PoissonSum

    return ends(worst_delta(PoissonSum(Fraction(n, 4)).reach(n), Eps.of(Fraction(10, isqrt(n // 4)))).value)


def scale_rr(n):
    return ends(worst(rr(), n, "1/5").delta)


def scale_hist(n):
    from shufflecert.protocols.hist import Hist

    p = 1 - prescribed(lambda: 50 * arb(2 * 10**6).log() / n, True)
    return ends(worst(Hist(100, p), n, 1).delta)


def scale_fake_users(n):
    from shufflecert.protocols.fake_users import FakeUsers

    return ends(worst(FakeUsers(100, 1, Fraction(1, 2000)), n, "1/5").delta)


def attempt(job, *arguments):
    """The job's answer, or the first line of what it raises."""
    try:
        return globals()[job](*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
