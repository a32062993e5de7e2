"""Five problems with known answers: what the project encloses each in. Jobs return (low, high) as rationals.

Systems are imported where they are used: one that fails is one line of a table.
"""

from fractions import Fraction
from functools import cache
from math import isqrt

from flint import arb

from protocols.parameters import prescribed
from verify.compose import both_directions
from verify.enclosure import largest, refine
from verify.noise import Binomial, Poisson, ball
from verify.number import Eps, dyadic, precision
from verify.reach import worst_delta
from verify.shift import Shift
from verify.window import Reversed, Sums, coin

TARGET = Fraction(1, 10**6)


@cache
def zsum():
    """1 - p = 50 ln(2e6) / 1000, in 64 bits."""
    from protocols.zsum import ZSum

    return ZSum(1 - prescribed(lambda: 50 * arb(2 * 10**6).log() / 1000, True))


@cache
def rr():
    """flip = 1 / (1 + e^4), in 64 bits."""
    from protocols.rr import RR

    return RR(prescribed(lambda: 1 / (1 + arb(4).exp()), True))


@cache
def krr():
    """gamma = 10 / (9 + e^4), in 64 bits."""
    from protocols.krr import KRR

    return KRR(10, prescribed(lambda: 10 / (9 + arb(4).exp()), True))


def worst(system, n, eps):
    from verify.worst import delta

    return delta(system, n, eps)


def ends(value):
    return value.low, value.high


def summed(n=1000):
    return ends(worst_delta(zsum().reach(n), Eps.of(1)).value)


def responses(n=10_000):
    return ends(worst(rr(), n, "1/5").delta)


def responses_pair(n, flip):
    """The neighbours (1, 0, ..., 0) against (0, 0, ..., 0)."""
    return Sums((Binomial(n - 1, flip), coin(1 - flip)), (Binomial(n, flip),))


def responses_one(n=10_000):
    pair = responses_pair(n, rr().flip)
    ways = [refine(lambda bits, way=way: way.divergence(Eps.of("1/5"), bits)) for way in (pair, Reversed(pair))]
    return ends(largest(ways))


def worst_others(n=10_000):
    """Where `responses` is attained: (source, how many others on 1)."""
    found = worst(rr(), n, "1/5").scope.worst
    return found.source, found.others.get("1", 0)


def _poisson_delta(lam, digits):
    eps = Eps.of(1)
    return max(
        (refine(lambda bits, by=by: Shift(Poisson(lam), by).divergence(eps, bits), digits) for by in (1, -1)),
        key=lambda value: value.high,
    )


def least_poisson(target=TARGET):
    """(low, high), 10^-21 apart: delta(1) <= target at lam = high and above it at low.

    delta falls in lam: more noise is less noise, processed. Secant steps on log delta are guesses; the two ends decide.
    """

    def height(lam, digits):
        """log(delta / target)."""
        value = _poisson_delta(lam, digits)
        return (ball(value.low + value.high) / 2 / ball(target)).log()

    with precision(160):
        (one, two), digits = (Fraction(24), Fraction(27)), 8
        at_one, at_two = height(one, digits), height(two, digits)
        for _ in range(20):
            three = two - (two - one) * dyadic((at_two / (at_two - at_one)).mid())
            three = Fraction(round(three * 2**100), 2**100)
            step, digits = abs(three - two) / two, 24
            one, at_one, two, at_two = two, at_two, three, height(three, digits)
            if step * 10**12 < 1:
                break
        three = two - (two - one) * dyadic((at_two / (at_two - at_one)).mid())
    margin = three / 10**21
    low, high = (Fraction(round(end * 2**100), 2**100) for end in (three - margin, three + margin))
    assert _poisson_delta(low, 24).low > target >= _poisson_delta(high, 24).high
    return low, high


def composed(digits, n=1000, times=10, eps=3):
    noise = Binomial(n, zsum().p)
    return ends(both_directions([Sums((noise,), (noise,), 1)], times, eps, digits))


def categories(n=10_000):
    return ends(worst(krr(), n, "1/5").delta)


def scale_zsum(n):
    """The p of BC for eps = 1 and delta = 1e-6 where n allows it, else that of n = 1000."""
    from protocols.zsum import ZSum

    p = zsum().p if n < 1451 else 1 - prescribed(lambda: 50 * arb(2 * 10**6).log() / n, True)
    return ends(worst_delta(ZSum(p).reach(n), Eps.of(1)).value)


def scale_poisson(n):
    """lam = n / 4, eps ten over its root."""
    from protocols.poisson import PoissonSum

    return ends(worst_delta(PoissonSum(Fraction(n, 4)).reach(n), Eps.of(Fraction(10, isqrt(n // 4)))).value)


def scale_rr(n):
    return ends(worst(rr(), n, "1/5").delta)


def scale_hist(n):
    from protocols.hist import Hist

    p = 1 - prescribed(lambda: 50 * arb(2 * 10**6).log() / n, True)
    return ends(worst(Hist(100, p), n, 1).delta)


def scale_fake_users(n):
    from protocols.fake_users import FakeUsers

    return ends(worst(FakeUsers(100, 1, Fraction(1, 2000)), n, "1/5").delta)


def attempt(job, *arguments):
    """The job's answer, or the first line of what it raises."""
    try:
        return globals()[job](*arguments)
    except Exception as error:
        return f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
