"""Exact confidence bounds on a probability from counts, and how many runs it takes to see a violation.

Clopper and Pearson (Biometrika 26, 1934): of m independent runs an event of probability p holds in K ~ Bin(m, p). Then

    lower(K, m, beta) <= p with probability at least 1 - beta,        upper(K, m, beta) >= p likewise,

where lower is an l with Pr[Bin(m, l) >= K] <= beta and upper a u with Pr[Bin(m, u) <= K] <= beta. Floats guess l and u;
that they satisfy their inequality is proved in ball arithmetic, and a bound that is not proved is moved outwards.

An audit makes STATEMENTS such statements, each with beta = (1 - confidence) / STATEMENTS (`share`), so that by the
union bound all of them hold together with probability at least `confidence`. It answers two questions, a lower bound on
delta at eps and one on eps at delta, from Pr[E] under one input and under another, two statements each.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

from flint import arb

from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, precision, rational, shorten

STATEMENTS = 4
MOST = 10**9  # runs
BITS = 128  # of a tail, besides those that its bound has in front
E_BITS = 192  # of e^eps
POWER = Fraction(9, 10)


@dataclass(frozen=True)
class Detectable:
    """The smallest violations that an audit finds with probability at least `power`; None where it finds none.

    leak: an event of this probability under one input that never happens under the other.
    truth: binary randomized response that tells the truth with this probability, so that its eps is `eps`.
    Larger ones are found at least as often: hits become more, and misses fewer, in the stochastic order.
    """

    power: Fraction
    leak: Fraction | None
    truth: Fraction | None

    @property
    def eps(self) -> Eps | None:
        """The eps of the smallest randomized response that is found, in nats; None where there is none."""
        return None if self.truth in (None, 1) else Eps.log(self.truth / (1 - self.truth))


def read_confidence(value: object, where: str = "confidence") -> Fraction:
    """A confidence: an exact number strictly between 0 and 1. Raises BadInput for anything else."""
    expected = "a number between 0 and 1 such as 0.999"
    number = rational(value, where, expected)
    if not 0 < number < 1:
        raise BadInput(f"{where}: {shorten(number)}: expected {expected}")
    return number


def share(confidence: Fraction) -> Fraction:
    """The error probability beta that each of an audit's statements may have."""
    return (1 - confidence) / STATEMENTS


def lower(k: int, m: int, beta: Fraction) -> Fraction:
    """A lower confidence bound on a probability: a dyadic l with Pr[Bin(m, l) >= k] <= beta, proved; 0 for k = 0.

    As a rule at most 2^-40 below the largest.
    """
    if k == 0:
        return Fraction(0)
    guess = _inverse("betaincinv", k, m - k + 1, beta)
    return _outwards(guess, -1, lambda p: at_least_within(k, m, p, beta))


def upper(k: int, m: int, beta: Fraction) -> Fraction:
    """An upper confidence bound on a probability: a dyadic u with Pr[Bin(m, u) <= k] <= beta, proved; 1 for k = m.

    As a rule at most 2^-40 above the least.
    """
    if k == m:
        return Fraction(1)
    guess = _inverse("betainccinv", k + 1, m - k, beta)
    return _outwards(guess, 1, lambda p: at_least_within(m - k, m, 1 - p, beta))


def at_least_within(k: int, m: int, p: Fraction, beta: Fraction) -> bool:
    """Whether Pr[Bin(m, p) >= k] <= beta is proved; False where it is wrong, or equal and not to be seen so."""
    if k > m or (k > 0 and p <= 0):
        return True
    if k <= 0 or p >= 1:
        return beta >= 1
    size = beta.denominator.bit_length() - beta.numerator.bit_length()
    for bits in (BITS + size, 4 * (BITS + size)):
        with precision(bits):
            tail: arb = ball(p).beta_lower(k, m - k + 1, 1)
            if tail <= ball(beta):
                return True
            if tail > ball(beta):
                return False
    return False


def delta_bound(p_low: Fraction, q_high: Fraction, eps: Eps) -> Fraction:
    """A lower bound on delta(eps): at most p - e^eps q for p >= p_low and q <= q_high; 0 where that is negative."""
    return max(Fraction(0), p_low - eps.bounds(E_BITS)[1] * q_high)


def eps_bound(p_low: Fraction, q_high: Fraction, delta: Fraction) -> Eps:
    """A lower bound on eps(delta), log((p_low - delta) / q_high), if p >= p_low and q <= q_high; 0 where negative."""
    return Eps.log(max(Fraction(1), (p_low - delta) / q_high))


def finds(
    m: int, p: Fraction, q: Fraction, eps: Eps, delta: Fraction, confidence: Fraction, power: Fraction = POWER
) -> bool:
    """Whether m measured runs show delta(eps) > delta with probability at least `power`, by an event of probability p
    under one input and q under another: proved. False where it is not so, or not seen to be.

    There are counts K and L with Pr[Bin(m, p) < K] and Pr[Bin(m, q) > L] at most (1 - power) / 2 that show it, and
    more of the one and less of the other shows it too.
    """
    miss = (1 - power) / 2
    k = min(m, _quantile(miss, m, p) + 1)
    while not at_least_within(m - k + 1, m, 1 - p, miss):
        k -= 1
    most = _quantile(1 - miss, m, q)
    while not at_least_within(most + 1, m, q, miss):
        most += 1
    beta = share(confidence)
    return lower(k, m, beta) - eps.bounds(E_BITS)[1] * upper(most, m, beta) > delta


def plan(p: Fraction, q: Fraction, eps: Eps, delta: Fraction, confidence: Fraction, power: Fraction = POWER) -> int:
    """The number of runs of each input, both halves counted, that show delta(eps) > delta with probability `power`.

    When the first half settles on an event of probability p under one input and q under another. That they suffice is
    proved (`finds`); that about 1% less would not is as floats see it.

    Raises BadInput where p - e^eps q > delta is not so, TooMuchWork at more than MOST runs.
    """
    read_confidence(power, "power")
    if p - eps.bounds(E_BITS)[1] * q <= delta:
        raise BadInput(
            f"plan: probabilities {shorten(p)} and {shorten(q)} keep ({shorten(str(eps))}, {shorten(delta)}): "
            "expected a violation, p - e^eps q > delta"
        )
    seems = partial(_seems, eps=eps, delta=delta, confidence=confidence, power=power)
    high = 8
    while high <= MOST and not seems(high, p, q):
        high *= 2
    low = high // 2
    while high - low > high // 100 + 1:
        middle = (low + high) // 2
        low, high = (low, middle) if seems(middle, p, q) else (middle, high)
    while high <= MOST and not finds(high, p, q, eps, delta, confidence, power):
        high += high // 100 + 1
    if high > MOST:
        raise TooMuchWork(f"plan: over {MOST} runs: expected a violation that is larger")
    return 2 * high


def randomized_response(eps: Eps) -> tuple[Fraction, Fraction]:
    """(p, q) with p + q = 1 of binary randomized response, p / q = e^eps or less by 2^-192 of itself: for `plan`."""
    power = eps.bounds(E_BITS)[0]
    return power / (1 + power), 1 / (1 + power)


def detectable(m: int, eps: Eps, delta: Fraction, confidence: Fraction, power: Fraction = POWER) -> Detectable:
    """What m measured runs find, if the first half picks the event: see Detectable. That it is found is proved."""
    power_of_e = eps.bounds(E_BITS)[1]
    seems = partial(_seems, eps=eps, delta=delta, confidence=confidence, power=power)
    found = partial(finds, eps=eps, delta=delta, confidence=confidence, power=power)

    def least(start: Fraction, other: Callable[[Fraction], Fraction]) -> Fraction | None:
        """A p in (start, 1] that is found: that floats take for the least one, or further out by parts of 1/200."""
        low, high = start, Fraction(1)
        if start >= 1 or not found(m, high, other(high)):
            return None
        while (high - low) * 200 > high - start and high - low > Fraction(1, 2**40):
            middle = Fraction(round((low + high) * 2**47), 2**48)
            low, high = (low, middle) if seems(m, middle, other(middle)) else (middle, high)
        while not found(m, high, other(high)):
            high = min(Fraction(1), high + (high - start) / 200)
        return high

    leak = least(delta, lambda p: Fraction(0))
    truth = least((delta + power_of_e) / (1 + power_of_e), lambda p: 1 - p)
    return Detectable(power, leak, truth)


def _seems(m: int, p: Fraction, q: Fraction, eps: Eps, delta: Fraction, confidence: Fraction, power: Fraction) -> bool:
    """`finds` in floating point."""
    miss, beta = (1 - power) / 2, share(confidence)
    k, most = _quantile(miss, m, p), _quantile(1 - miss, m, q)
    low = _inverse("betaincinv", k, m - k + 1, beta) if k else 0
    high = _inverse("betainccinv", most + 1, m - most, beta) if most < m else 1
    return bool(Fraction(low) - eps.bounds(E_BITS)[1] * Fraction(high) > delta)


def _inverse(name: str, a: int, b: int, beta: Fraction) -> float:
    """A float near the x where the regularized incomplete beta function, or its complement, is beta."""
    from scipy import special

    return float(getattr(special, name)(a, b, max(float(beta), 1e-300)))


def _quantile(share: Fraction, m: int, p: Fraction) -> int:
    """About the k with Pr[Bin(m, p) <= k] = share, in [0, m]."""
    if not 0 < p < 1:
        return m * int(p)
    from scipy.special import bdtrik

    found = float(bdtrik(float(share), m, float(p)))
    return min(m, int(found)) if found > 0 else 0  # nothing is found below Pr[Bin(m, p) = 0]


def _outwards(guess: float, way: int, proved: Callable[[Fraction], bool]) -> Fraction:
    """The guess, moved down (-1) or up (1) by more and more until it is proved; 0 or 1 in the end."""
    for step in range(44, -1, -4):
        moved = guess * (1 + way * 2.0**-step)
        if 0 < moved < 1 and proved(Fraction(moved)):
            return Fraction(moved)
    return Fraction((1 + way) // 2)
