"""Integer noise laws of any size: binomial, Poisson, negative binomial, discrete Laplace. Rationals in, balls out.

Each law states Pr[k] / Pr[k - 1], a ratio of integers that is monotone in k. One point's probability comes from the
logarithm of the gamma function as a ball; all sums go outwards from it by the ratio, with positive terms and a
geometric bound on what is left, so cost grows with the standard deviation at worst and never with n.
Balls are flint's `arb` at the precision in force (`verify.number.precision`).
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from math import ceil, floor, isqrt
from typing import Any

from flint import arb, ctx, fmpq

from verify.errors import BadInput
from verify.number import dyadic, natural, precision, probability, rational, shorten

MAX_TERMS = 20_000_000  # of one sum; more is refused
MAX_TRIALS = 10**15


def ball(number: Fraction | int) -> arb:
    """The rational as a ball at the precision in force."""
    return arb(fmpq(number.numerator, number.denominator))


class Noise(ABC):
    """A law on the integers, X. `low` and `high` end its support, None where it does not end.

    Exactly one of these holds for the ratio Pr[k] / Pr[k - 1]: it never increases in k (`log_concave`), or it never
    decreases on a support that starts at 0 and has no end (negative binomial with r < 1).
    """

    low: int | None = 0
    high: int | None = None
    log_concave = True

    @property
    @abstractmethod
    def mean(self) -> Fraction: ...

    @property
    @abstractmethod
    def variance(self) -> Fraction: ...

    @property
    @abstractmethod
    def mode(self) -> int:
        """A value of the largest probability."""

    @abstractmethod
    def ratio(self, k: int) -> tuple[int, int]:
        """Integers (a, b), b > 0: Pr[k] / Pr[k - 1] = a / b, for k - 1 in the support."""

    @abstractmethod
    def limit(self) -> Fraction:
        """The limit of Pr[k] / Pr[k - 1] as k grows without end."""

    @abstractmethod
    def logarithm(self, k: int) -> arb:
        """log Pr[k] for k in the support."""

    @abstractmethod
    def to_json(self) -> dict[str, Any]:
        """The law as a certificate writes it."""

    def holds(self, k: int) -> bool:
        """Whether k is in the support."""
        return (self.low is None or k >= self.low) and (self.high is None or k <= self.high)

    def pmf(self, k: int) -> arb:
        """Pr[X = k]."""
        if not self.holds(k):
            return arb(0)
        if self.low is not None and self.low == self.high:
            return arb(1)
        # the logarithm is a difference of terms of size k log k: as many bits more as that has
        with precision(ctx.prec + 32 + 2 * max(abs(k), self.size).bit_length()):
            exact = self.logarithm(k).exp()
        return +exact

    @property
    def size(self) -> int:
        return int(self.mean) + 1

    def survival(self, k: int) -> arb:
        """Pr[X >= k]: a sum of tail terms, or 1 minus such a sum on the other side."""
        if self.low is not None and k <= self.low:
            return arb(1)
        if self.high is not None and k > self.high:
            return arb(0)
        return self._tail(k) if k > self.mode else 1 - self.reflected()._tail(1 - k)

    def cdf(self, k: int) -> arb:
        """Pr[X <= k]."""
        return self.reflected().survival(-k)

    def reflected(self) -> "Noise":
        """The law of -X."""
        return Reflected(self)

    def _tail(self, k: int) -> arb:
        """Pr[X >= k], k beyond the mode. What follows term j is below (term j) s / (1 - s), s >= all later ratios."""
        term = self.pmf(k)
        total, small = term, arb(2) ** -(ctx.prec + 8)
        for j in range(k + 1, k + MAX_TERMS):
            if self.high is not None and j > self.high:
                return total
            a, b = self.ratio(j)
            term = term * a / b
            total += term
            if j % 8 == 0 and term < total * small:
                most = max(Fraction(*self.ratio(j + 1)), self.limit())
                if most < 1 and (rest := term * ball(most / (1 - most))) < total * small * 16:
                    return total + rest.union(arb(0))
        raise BadInput(f"{self}: a tail of over {MAX_TERMS} terms: expected a smaller variance")

    def window(self, bits: int) -> "tuple[int, list[int], list[int], int]":
        """(first, low, high, outside): low[i] <= 2^bits Pr[first + i] <= high[i], and 2^bits Pr[elsewhere] <= outside.

        Integers by the directed recurrence from the mode outwards, until the rest is below 2^guard units; the guard
        keeps the roundings, one unit each, small beside a term.
        """
        guard = 16 + 2 * max(isqrt(int(self.variance)) + 1, int(1 / (1 - self.limit()))).bit_length()
        with precision(bits + 32):
            peak = self.pmf(self.mode) * (arb(2) ** bits)
            ends = floor(dyadic(peak.lower())), ceil(dyadic(peak.upper()))
        up_low, up_high, above = _walk(self, self.mode, *ends, guard)
        down_low, down_high, below = _walk(self.reflected(), -self.mode, *ends, guard)
        first = self.mode - len(down_low)
        low, high = [*reversed(down_low), ends[0], *up_low], [*reversed(down_high), ends[1], *up_high]
        return first, low, high, above + below


def _walk(noise: Noise, start: int, low: int, high: int, guard: int) -> tuple[list[int], list[int], int]:
    """The bounds beyond `start`, in order, and an upper bound on all that is further out, in the same units."""
    lows: list[int] = []
    highs: list[int] = []
    for k in range(start + 1, start + MAX_TERMS):
        if noise.high is not None and k > noise.high:
            return lows, highs, 0
        a, b = noise.ratio(k)
        low, high = low * a // b, -(-high * a // b)
        if high >> guard == 0:
            most = max(Fraction(*noise.ratio(k + 1)), noise.limit())
            if most < 1 and (rest := -int(-high // (1 - most))) >> guard == 0:
                return lows, highs, rest
        lows.append(low)
        highs.append(high)
    raise BadInput(f"{noise}: a window of over {MAX_TERMS} terms: expected a smaller variance")


@dataclass(frozen=True)
class Reflected(Noise):
    """-X for a law X."""

    law: Noise

    @property
    def low(self) -> int | None:  # type: ignore[override]
        return None if self.law.high is None else -self.law.high

    @property
    def high(self) -> int | None:  # type: ignore[override]
        return None if self.law.low is None else -self.law.low

    @property
    def log_concave(self) -> bool:  # type: ignore[override]
        return self.law.log_concave

    @property
    def mean(self) -> Fraction:
        return -self.law.mean

    @property
    def variance(self) -> Fraction:
        return self.law.variance

    @property
    def mode(self) -> int:
        return -self.law.mode

    @property
    def size(self) -> int:
        return self.law.size

    def ratio(self, k: int) -> tuple[int, int]:
        a, b = self.law.ratio(1 - k)
        return b, a

    def limit(self) -> Fraction:
        if self.law.low is not None:
            return Fraction(0)
        assert isinstance(self.law, DiscreteLaplace)
        return self.law.q

    def logarithm(self, k: int) -> arb:
        return self.law.logarithm(-k)

    def reflected(self) -> Noise:
        return self.law

    def to_json(self) -> dict[str, Any]:
        return {"reflected": self.law.to_json()}


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
        n, p = self.n, ball(self.p)
        ways = arb(n + 1).lgamma() - arb(k + 1).lgamma() - arb(n - k + 1).lgamma()
        return ways + k * p.log() + (n - k) * (1 - p).log()

    def to_json(self) -> dict[str, Any]:
        return {"law": "binomial", "n": self.n, "p": str(self.p)}


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

    def to_json(self) -> dict[str, Any]:
        return {"law": "poisson", "lam": str(self.lam)}


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
        r, p = ball(self.r), ball(self.p)
        return (k + r).lgamma() - arb(k + 1).lgamma() - r.lgamma() + r * (1 - p).log() + k * p.log()

    def to_json(self) -> dict[str, Any]:
        return {"law": "negative_binomial", "r": str(self.r), "p": str(self.p)}


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

    def logarithm(self, k: int) -> arb:
        return (ball((1 - self.q) / (1 + self.q)) * ball(self.q) ** abs(k)).log()

    def reflected(self) -> Noise:
        return self

    def to_json(self) -> dict[str, Any]:
        return {"law": "discrete_laplace", "q": str(self.q)}


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
