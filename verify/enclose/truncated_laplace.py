"""The discrete Laplace law cut off at a bound: what a release of bounded noise draws."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from shufflecert.verify.enclose.noise import Symmetric
from shufflecert.verify.enclose.noise_laws import open_unit
from shufflecert.verify.exact.rational import ball, natural, text

MAX_BOUND = 10**9


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
