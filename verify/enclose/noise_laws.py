"""Integer noise laws of any size: binomial, Poisson, negative binomial, discrete Laplace, also cut off at a bound, and
discrete Gaussian. Rationals in, balls out.

Each states what `verify.enclose.noise.Noise` asks for, the discrete Gaussian law no more than its window. A new noise
law belongs here.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from math import ceil, floor, isqrt
from typing import Any

from flint import arb

from shufflecert.verify.enclose.incomplete_functions import beta_share, gamma_share
from shufflecert.verify.enclose.noise import LONG, Noise, Reflected, Symmetric
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.rational import (
    MOST_USERS,
    ball,
    dyadic,
    natural,
    precision,
    probability,
    rational,
    shorten,
    text,
)

__all__ = [
    "MAX_TERMS",
    "MAX_TRIALS",
    "Binomial",
    "DiscreteLaplace",
    "NegativeBinomial",
    "Noise",
    "Poisson",
    "Reflected",
]
__all__ += ["ball", "geometric", "open_unit", "positive"]

MAX_TRIALS = MOST_USERS
MAX_TERMS = 20_000_000  # of a sum over a law's points, where one is needed
Chance = tuple[arb, arb]  # p and 1 - p, both as sharp
MAX_BOUND = 10**9
MAX_POINTS = 500_000  # of a window


@dataclass(frozen=True)
class Binomial(Noise):
    """The binomial law Bin(n, p): Pr[k] = C(n, k) p^k (1 - p)^(n - k), for integer n >= 0 and rational p in [0, 1]."""

    n: int
    p: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "n", natural(self.n, "n", least=0, most=MAX_TRIALS))
        object.__setattr__(self, "p", probability(self.p, "p"))

    @cached_property
    def _odds(self) -> tuple[int, int]:
        return self.p.numerator, self.p.denominator - self.p.numerator

    @property
    def low(self) -> int:  # type: ignore[override]
        """The least value: 0, or n for p = 1."""
        return self.n if self.p == 1 else 0

    @property
    def high(self) -> int:  # type: ignore[override]
        """The largest value: n, or 0 for p = 0."""
        return 0 if self.p == 0 else self.n

    @property
    def mean(self) -> Fraction:
        """The mean n p."""
        return self.n * self.p

    @property
    def variance(self) -> Fraction:
        """The variance n p (1 - p)."""
        return self.n * self.p * (1 - self.p)

    @property
    def mode(self) -> int:
        """A most likely value, floor((n + 1) p) or n."""
        return min(self.n, int((self.n + 1) * self.p))

    @property
    def size(self) -> int:
        """The number of possible values, n + 1."""
        return self.n + 1

    def ratio(self, k: int) -> tuple[int, int]:
        """Pr[k] / Pr[k - 1] = (n - k + 1) p / (k (1 - p)), as two integers."""
        a, b = self._odds
        return (self.n - k + 1) * a, k * b

    def limit(self) -> Fraction:
        """The ratio ends at 0."""
        return Fraction(0)

    def logarithm(self, k: int) -> arb:
        """The logarithm of Pr[k], by the logarithm of the gamma function."""
        n, p = self.n, self.p
        ways = arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()
        return ways + k * ball(p).log() + (n - k) * ball(1 - p).log()

    def upper(self, k: int) -> arb:
        """Pr[X >= k], a regularized incomplete beta function."""
        return beta_share(k, self.n - k + 1, self.p)

    def lower(self, k: int) -> arb:
        """Pr[X <= k], a regularized incomplete beta function."""
        return beta_share(self.n - k, k + 1, 1 - self.p)

    def to_json(self) -> dict[str, Any]:
        """The law as a certificate writes it."""
        return {"law": "binomial", "n": self.n, "p": text(self.p)}


@dataclass(frozen=True)
class Poisson(Noise):
    """The Poisson law Poi(lam): Pr[k] = e^-lam lam^k / k!, for rational lam > 0."""

    lam: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "lam", positive(self.lam, "lam"))

    @property
    def mean(self) -> Fraction:
        """The mean lam."""
        return self.lam

    @property
    def variance(self) -> Fraction:
        """The variance lam."""
        return self.lam

    @property
    def mode(self) -> int:
        """A most likely value, floor(lam)."""
        return int(self.lam)

    def ratio(self, k: int) -> tuple[int, int]:
        """Pr[k] / Pr[k - 1] = lam / k, as two integers."""
        return self.lam.numerator, k * self.lam.denominator

    def limit(self) -> Fraction:
        """The ratio lam / k falls to 0."""
        return Fraction(0)

    def logarithm(self, k: int) -> arb:
        """The logarithm of Pr[k], by the logarithm of the gamma function."""
        lam = ball(self.lam)
        return k * lam.log() - lam - arb(k + 1).lgamma()

    def upper(self, k: int) -> arb:
        """Pr[X >= k], a regularized incomplete gamma function."""
        return gamma_share(k, self.lam, above=False)

    def lower(self, k: int) -> arb:
        """Pr[X <= k], a regularized incomplete gamma function."""
        return gamma_share(k + 1, self.lam, above=True)

    def to_json(self) -> dict[str, Any]:
        """The law as a certificate writes it."""
        return {"law": "poisson", "lam": text(self.lam)}


@dataclass(frozen=True)
class NegativeBinomial(Noise):
    """The negative binomial law NB(r, p): Pr[k] = C(k + r - 1, k) (1 - p)^r p^k, for rational r > 0 and p in (0, 1).

    Source: GKMP Section 3.3. Log-concave just if r >= 1. NB(1, p) is the geometric law (1 - p) p^k.
    """

    r: Fraction
    p: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "r", positive(self.r, "r"))
        object.__setattr__(self, "p", open_unit(self.p, "p"))

    @property
    def log_concave(self) -> bool:  # type: ignore[override]
        """Whether the ratio of neighbouring probabilities never increases: just if r >= 1."""
        return self.r >= 1

    @property
    def mean(self) -> Fraction:
        """The mean p r / (1 - p)."""
        return self.p * self.r / (1 - self.p)

    @property
    def variance(self) -> Fraction:
        """The variance p r / (1 - p)^2."""
        return self.p * self.r / (1 - self.p) ** 2

    @property
    def mode(self) -> int:
        """A most likely value, floor((r - 1) p / (1 - p)) or 0."""
        return max(0, int((self.r - 1) * self.p / (1 - self.p)))

    def ratio(self, k: int) -> tuple[int, int]:
        """Pr[k] / Pr[k - 1] = p (k - 1 + r) / k, as two integers."""
        r, p = self.r, self.p
        return p.numerator * ((k - 1) * r.denominator + r.numerator), k * p.denominator * r.denominator

    def limit(self) -> Fraction:
        """The ratio tends to p."""
        return self.p

    def logarithm(self, k: int) -> arb:
        """The logarithm of Pr[k], by the logarithm of the gamma function."""
        r, p = self.r, self.p
        ways = ball(k + r).lgamma() - arb(k + 1).lgamma() - ball(r).lgamma()
        return ways + ball(r) * ball(1 - p).log() + k * ball(p).log()

    def upper(self, k: int) -> arb:
        """Pr[X >= k], a regularized incomplete beta function, or 1 minus Pr[X < k]."""
        if self.log_concave or k > LONG:
            return beta_share(k, self.r, self.p)
        first = term = self.pmf(0)  # the few points below k, since the steps of the integral are many
        for j in range(1, k):
            a, b = self.ratio(j)
            term = term * a / b
            first += term
        return 1 - first

    def lower(self, k: int) -> arb:
        """Pr[X <= k], a regularized incomplete beta function, or 1 minus Pr[X > k]."""
        return beta_share(self.r, k + 1, 1 - self.p) if self.log_concave else 1 - self.upper(k + 1)

    def to_json(self) -> dict[str, Any]:
        """The law as a certificate writes it."""
        return {"law": "negative_binomial", "r": text(self.r), "p": text(self.p)}


def geometric(p: object) -> NegativeBinomial:
    """The geometric law Pr[k] = (1 - p) p^k, k >= 0, which is NB(1, p)."""
    return NegativeBinomial(Fraction(1), open_unit(p, "p"))


@dataclass(frozen=True)
class DiscreteLaplace(Symmetric):
    """The discrete Laplace law Pr[k] = (1 - q) / (1 + q) q^|k|, for rational q in (0, 1); q = e^-s for scale s.

    Source: GKMP footnote 4.
    """

    q: Fraction
    low: int | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", open_unit(self.q, "q"))

    @property
    def variance(self) -> Fraction:
        """The variance 2 q / (1 - q)^2."""
        return 2 * self.q / (1 - self.q) ** 2

    def ratio(self, k: int) -> tuple[int, int]:
        """Pr[k] / Pr[k - 1] = q for k >= 1, 1/q for k <= 0, as two integers."""
        return self.q.as_integer_ratio() if k >= 1 else (self.q.denominator, self.q.numerator)

    def limit(self) -> Fraction:
        """The ratio is q for all k >= 1."""
        return self.q

    def limit_below(self) -> Fraction:
        """The inverse ratio is q for all k <= 0."""
        return self.q

    def _tail(self, k: int) -> arb:
        return self.upper(k)

    def upper(self, k: int) -> arb:
        """Pr[X >= k] = q^k / (1 + q) for k >= 0, and 1 minus Pr[X >= 1 - k] for k < 0."""
        return ball(self.q) ** k / ball(1 + self.q) if k >= 0 else 1 - self.upper(1 - k)

    def logarithm(self, k: int) -> arb:
        """The logarithm of Pr[k]."""
        return (ball((1 - self.q) / (1 + self.q)) * ball(self.q) ** abs(k)).log()

    def to_json(self) -> dict[str, Any]:
        """The law as a certificate writes it."""
        return {"law": "discrete_laplace", "q": text(self.q)}


def positive(value: object, where: str) -> Fraction:
    """The exact rational that `value` writes. Raises BadInput unless it is above 0."""
    number = rational(value, where, "a rational above 0")
    if number <= 0:
        raise BadInput(f"{where}: {shorten(number)}: expected a rational above 0")
    return number


def open_unit(value: object, where: str) -> Fraction:
    """The exact rational that `value` writes. Raises BadInput unless it is strictly between 0 and 1."""
    number = rational(value, where, "a rational strictly between 0 and 1")
    if not 0 < number < 1:
        raise BadInput(f"{where}: {shorten(number)}: expected a rational strictly between 0 and 1")
    return number


# Tails -----------------------------------------------------------------------------------------------------------


def below(n: int, chance: Chance, k: int) -> arb:
    """An upper bound on Pr[Bin(n, p) <= k], by Chernoff: (n p / k)^k (n (1 - p) / (n - k))^(n - k) where k <= n p."""
    if k < 0:
        return arb(0)
    if not (k < n and n * chance[0] >= k):
        return arb(1)
    p, q = (arb(one.upper()) for one in chance)
    some = k * (n * p / k).log() if k else arb(0)
    return (some + (n - k) * (n * q / (n - k)).log()).exp()


def above(n: int, chance: Chance, k: int) -> arb:
    """An upper bound on Pr[Bin(n, p) >= k], by Chernoff."""
    return below(n, chance[::-1], n - k)


@dataclass(frozen=True)
class TruncatedDiscreteLaplace(Symmetric):
    """The discrete Laplace law given |X| <= bound: Pr[k] = q^|k| / Z, Z = (1 + q - 2 q^(bound + 1)) / (1 - q)."""

    q: Fraction
    bound: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", open_unit(self.q, "q"))
        object.__setattr__(self, "bound", natural(self.bound, "bound", least=1, most=MAX_BOUND))

    @property
    def low(self) -> int:  # type: ignore[override]
        """The least value, -bound."""
        return -self.bound

    @property
    def high(self) -> int:  # type: ignore[override]
        """The largest value."""
        return self.bound

    @property
    def variance(self) -> Fraction:
        """A number that is at least the variance: that of the law that is not cut off, and of the uniform law."""
        return min(2 * self.q / (1 - self.q) ** 2, Fraction(self.bound * (self.bound + 1), 3))

    @property
    def size(self) -> int:
        """The number of values."""
        return 2 * self.bound + 1

    def ratio(self, k: int) -> tuple[int, int]:
        """Pr[k] / Pr[k - 1] as two integers: q for k >= 1, 1/q for k <= 0, and 0 beyond the bound."""
        if k > self.bound:
            return 0, 1
        return self.q.as_integer_ratio() if k >= 1 else (self.q.denominator, self.q.numerator)

    def limit(self) -> Fraction:
        """The ratio ends at 0."""
        return Fraction(0)

    def _total(self) -> arb:
        """Z, the sum of q^|k|."""
        q = ball(self.q)
        return (1 + q - 2 * q ** (self.bound + 1)) / (1 - q)

    def logarithm(self, k: int) -> arb:
        """The logarithm of Pr[k]."""
        return abs(k) * ball(self.q).log() - self._total().log()

    def upper(self, k: int) -> arb:
        """Pr[X >= k] = (q^k - q^(bound + 1)) / ((1 - q) Z) for k >= 0, and 1 minus Pr[X >= 1 - k] for k < 0."""
        if k <= 0:
            return 1 - self.upper(1 - k)
        q = ball(self.q)
        return (q**k - q ** (self.bound + 1)) / ((1 - q) * self._total())

    def to_json(self) -> dict[str, Any]:
        """The law with its parameters."""
        return {"law": "truncated_discrete_laplace", "q": text(self.q), "bound": self.bound}


@dataclass(frozen=True)
class DiscreteGaussian:
    """The law Pr[k] = e^(-k^2 / (2 variance)) / Z on all integers, for a rational `variance` > 0.

    Source: Canonne, Kamath & Steinke 2020, Definition 1. Log-concave: Pr[k] / Pr[k - 1] = e^((1 - 2k)/(2 variance)).
    """

    variance: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", positive(self.variance, "variance"))

    def window(self, bits: int) -> tuple[int, list[int], list[int], int]:
        """Integer bounds (first, low, high, outside), as `verify.enclose.noise.Noise.window`; raises TooMuchWork.

        The window is |k| <= R. Beyond it the terms fall at least by the ratio of the first two, which bounds their sum.
        """
        return _window(self.variance, bits)

    def to_json(self) -> dict[str, Any]:
        """The law with its parameter."""
        return {"law": "discrete_gaussian", "variance": text(self.variance)}

    def second_moment(self, bits: int) -> tuple[Fraction, Fraction]:
        """Rational ends around E X^2. Beyond R the terms k^2 w(k) fall at least by the ratio of the first two."""
        first, low, high, _ = self.window(bits)
        ends = [Fraction(sum((first + i) ** 2 * w for i, w in enumerate(side)), 1 << bits) for side in (low, high)]
        R = -first
        with precision(bits):
            weight, fall = _weight(self.variance, R + 1), _weight(self.variance, R + 2) / _weight(self.variance, R + 1)
            fall *= ball(Fraction((R + 2) ** 2, (R + 1) ** 2))
            rest = 2 * (R + 1) ** 2 * weight / (1 - fall)  # over Z >= 1
            return ends[0], ends[1] + Fraction(_units(rest * arb(2) ** bits), 1 << bits)


def _units(number: arb) -> int:
    """The number, rounded up to an integer of at least 1."""
    return 1 if number < 1 else ceil(dyadic(number.upper()))


def _weight(variance: Fraction, k: int) -> arb:
    return (-ball(k * k / (2 * variance))).exp()


@lru_cache(maxsize=8)
def _window(variance: Fraction, bits: int) -> tuple[int, list[int], list[int], int]:
    R = isqrt(ceil(variance * bits * 7 // 5)) + 2  # e^(-R^2 / (2 variance)) < 2^-bits
    if R > MAX_POINTS:
        shown = f"variance: {shorten(variance)}: a window of {2 * R} points"
        raise TooMuchWork(f"{shown}: expected at most {2 * MAX_POINTS}")
    with precision(bits + 64 + 2 * R.bit_length()):
        weights, weight, fall = [arb(1)], arb(1), _weight(variance, 1)
        step = fall * fall
        for _ in range(R):  # w(k + 1) = w(k) e^(-(2k + 1) / (2 variance))
            weight, fall = weight * fall, fall * step
            weights.append(weight)
        rest = 2 * weight * fall / (1 - fall * step)
        inside = 2 * sum(weights, arb(0)) - 1
        scale = arb(2) ** bits / inside.union(inside + rest)
        half = [w * scale for w in weights]
        small = [bool(w < 1) for w in half]  # their digits could fill the memory
        low = [0 if tiny else max(0, floor(dyadic(w.lower()))) for w, tiny in zip(half, small, strict=True)]
        high = [1 if tiny else ceil(dyadic(w.upper())) for w, tiny in zip(half, small, strict=True)]
        return -R, [*low[:0:-1], *low], [*high[:0:-1], *high], _units(rest * scale)
