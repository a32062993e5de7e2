"""Integer noise laws of any size: binomial, Poisson, negative binomial, discrete Laplace. Rationals in, balls out."""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from flint import arb

from verify.errors import BadInput
from verify.incomplete import ball, beta_share, gamma_share
from verify.number import natural, probability, rational, shorten, text
from verify.tails import LONG, Noise, Reflected

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

MAX_TRIALS = 10**15
MAX_TERMS = 20_000_000  # of a sum over a law's points, where one is needed


@dataclass(frozen=True)
class Binomial(Noise):
    """Bin(n, p): Pr[k] = C(n, k) p^k (1 - p)^(n - k), for integer n >= 0 and rational p in [0, 1]."""

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
        return self.n if self.p == 1 else 0

    @property
    def high(self) -> int:  # type: ignore[override]
        return 0 if self.p == 0 else self.n

    @property
    def mean(self) -> Fraction:
        return self.n * self.p

    @property
    def variance(self) -> Fraction:
        return self.n * self.p * (1 - self.p)

    @property
    def mode(self) -> int:
        return min(self.n, int((self.n + 1) * self.p))

    @property
    def size(self) -> int:
        return self.n + 1

    def ratio(self, k: int) -> tuple[int, int]:
        a, b = self._odds
        return (self.n - k + 1) * a, k * b

    def limit(self) -> Fraction:
        return Fraction(0)

    def logarithm(self, k: int) -> arb:
        n, p = self.n, self.p
        ways = arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()
        return ways + k * ball(p).log() + (n - k) * ball(1 - p).log()

    def upper(self, k: int) -> arb:
        return beta_share(k, self.n - k + 1, self.p)

    def lower(self, k: int) -> arb:
        return beta_share(self.n - k, k + 1, 1 - self.p)

    def to_json(self) -> dict[str, Any]:
        return {"law": "binomial", "n": self.n, "p": text(self.p)}


@dataclass(frozen=True)
class Poisson(Noise):
    """Poi(lam): Pr[k] = e^-lam lam^k / k!, for rational lam > 0."""

    lam: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "lam", positive(self.lam, "lam"))

    @property
    def mean(self) -> Fraction:
        return self.lam

    @property
    def variance(self) -> Fraction:
        return self.lam

    @property
    def mode(self) -> int:
        return int(self.lam)

    def ratio(self, k: int) -> tuple[int, int]:
        return self.lam.numerator, k * self.lam.denominator

    def limit(self) -> Fraction:
        return Fraction(0)

    def logarithm(self, k: int) -> arb:
        lam = ball(self.lam)
        return k * lam.log() - lam - arb(k + 1).lgamma()

    def upper(self, k: int) -> arb:
        return gamma_share(k, self.lam, above=False)

    def lower(self, k: int) -> arb:
        return gamma_share(k + 1, self.lam, above=True)

    def to_json(self) -> dict[str, Any]:
        return {"law": "poisson", "lam": text(self.lam)}


@dataclass(frozen=True)
class NegativeBinomial(Noise):
    """NB(r, p): Pr[k] = C(k + r - 1, k) (1 - p)^r p^k, for rational r > 0 and p in (0, 1) (GKMP Section 3.3).

    Log-concave just if r >= 1. NB(1, p) is the geometric law (1 - p) p^k.
    """

    r: Fraction
    p: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "r", positive(self.r, "r"))
        object.__setattr__(self, "p", open_unit(self.p, "p"))

    @property
    def log_concave(self) -> bool:  # type: ignore[override]
        return self.r >= 1

    @property
    def mean(self) -> Fraction:
        return self.p * self.r / (1 - self.p)

    @property
    def variance(self) -> Fraction:
        return self.p * self.r / (1 - self.p) ** 2

    @property
    def mode(self) -> int:
        return max(0, int((self.r - 1) * self.p / (1 - self.p)))

    def ratio(self, k: int) -> tuple[int, int]:
        r, p = self.r, self.p
        return p.numerator * ((k - 1) * r.denominator + r.numerator), k * p.denominator * r.denominator

    def limit(self) -> Fraction:
        return self.p

    def logarithm(self, k: int) -> arb:
        r, p = self.r, self.p
        ways = ball(k + r).lgamma() - arb(k + 1).lgamma() - ball(r).lgamma()
        return ways + ball(r) * ball(1 - p).log() + k * ball(p).log()

    def upper(self, k: int) -> arb:
        if self.log_concave or k > LONG:
            return beta_share(k, self.r, self.p)
        first = term = self.pmf(0)  # the few points below k, since the steps of the integral are many
        for j in range(1, k):
            a, b = self.ratio(j)
            term = term * a / b
            first += term
        return 1 - first

    def lower(self, k: int) -> arb:
        return beta_share(self.r, k + 1, 1 - self.p) if self.log_concave else 1 - self.upper(k + 1)

    def to_json(self) -> dict[str, Any]:
        return {"law": "negative_binomial", "r": text(self.r), "p": text(self.p)}


def geometric(p: object) -> NegativeBinomial:
    """Pr[k] = (1 - p) p^k, k >= 0: NB(1, p)."""
    return NegativeBinomial(Fraction(1), open_unit(p, "p"))


@dataclass(frozen=True)
class DiscreteLaplace(Noise):
    """Pr[k] = (1 - q) / (1 + q) q^|k|, for rational q in (0, 1); q = e^-s for scale s (GKMP footnote 4)."""

    q: Fraction
    low: int | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "q", open_unit(self.q, "q"))

    @property
    def mean(self) -> Fraction:
        return Fraction(0)

    @property
    def variance(self) -> Fraction:
        return 2 * self.q / (1 - self.q) ** 2

    @property
    def mode(self) -> int:
        return 0

    def ratio(self, k: int) -> tuple[int, int]:
        return self.q.as_integer_ratio() if k >= 1 else (self.q.denominator, self.q.numerator)

    def limit(self) -> Fraction:
        return self.q

    def limit_below(self) -> Fraction:
        return self.q

    def _tail(self, k: int) -> arb:
        return self.upper(k)

    def upper(self, k: int) -> arb:
        """Pr[X >= k] = q^k / (1 + q) for k >= 0, and what that leaves for k < 0."""
        return ball(self.q) ** k / ball(1 + self.q) if k >= 0 else 1 - self.upper(1 - k)

    def lower(self, k: int) -> arb:
        return self.upper(-k)

    def logarithm(self, k: int) -> arb:
        return (ball((1 - self.q) / (1 + self.q)) * ball(self.q) ** abs(k)).log()

    def reflected(self) -> Noise:
        return self

    def to_json(self) -> dict[str, Any]:
        return {"law": "discrete_laplace", "q": text(self.q)}


def positive(value: object, where: str) -> Fraction:
    """`rational`, and above 0."""
    number = rational(value, where, "a rational above 0")
    if number <= 0:
        raise BadInput(f"{where}: {shorten(number)}: expected a rational above 0")
    return number


def open_unit(value: object, where: str) -> Fraction:
    """`rational`, and strictly between 0 and 1."""
    number = rational(value, where, "a rational strictly between 0 and 1")
    if not 0 < number < 1:
        raise BadInput(f"{where}: {shorten(number)}: expected a rational strictly between 0 and 1")
    return number
