"""Exact numbers of claims about one case: sums of rationals times powers of e, and eps as r + log(t) / k.

Both are compared exactly. A sum of c_i e^(q_i), with rationals c_i != 0 and distinct rationals q_i, is never 0, nor is
r + log(t) with rationals r != 0 and t > 0 (Lindemann, Weierstrass): so a fine enough enclosure decides every sign.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import total_ordering
from math import lcm
from typing import Any

from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.epsilon import MAX_BITS, Eps
from shufflecert.verify.exact.rational import decimals, shorten, text

MAX_ROOT = 64  # of eps = log(t) / k in a comparison: t is raised to such powers


class Arithmetic:
    """Sums and products from either side, differences, and quotients by rationals, of what adds, has products and
    is negated."""

    __add__: Any
    __mul__: Any
    __neg__: Any

    def __radd__(self, other: Any) -> Any:
        return self.__add__(other)  # whose NotImplemented is handed on

    def __rmul__(self, other: Any) -> Any:
        return self.__mul__(other)

    def __sub__(self, other: Any) -> Any:
        return self.__add__(-other)

    def __rsub__(self, other: Any) -> Any:
        return (-self).__add__(other)

    def __truediv__(self, other: Any) -> Any:
        return self.__mul__(1 / Fraction(other)) if isinstance(other, int | Fraction) else NotImplemented


@total_ordering
@dataclass(frozen=True, eq=False)
class Real(Arithmetic):
    """A sum of c e^q, {q: c} with rationals q >= 0 and c; what has no power of e in it is a Fraction, not one of these.

    Sums, differences and products with others and with rationals are exact, and so are comparisons.
    """

    terms: Mapping[Fraction, Fraction]

    def __add__(self, other: Any) -> "Real | Fraction":
        if (terms := _terms(other)) is None:
            return NotImplemented
        return real({q: self.terms.get(q, 0) + terms.get(q, 0) for q in {**self.terms, **terms}})

    def __mul__(self, other: Any) -> "Real | Fraction":
        if (terms := _terms(other)) is None:
            return NotImplemented
        found: dict[Fraction, Fraction] = {}
        for q, c in self.terms.items():
            for p, d in terms.items():
                found[p + q] = found.get(p + q, Fraction(0)) + c * d
        return real(found)

    def __neg__(self) -> "Real":
        return Real({q: -c for q, c in self.terms.items()})

    def bounds(self, bits: int) -> tuple[Fraction, Fraction]:
        """Rationals low <= value <= high, from bounds on each power of e of relative width about 2^-bits."""
        low = high = Fraction(0)
        for q, c in self.terms.items():
            ends = [c * end for end in Eps.of(q).bounds(bits)]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def sign(self) -> int:
        """-1 or 1: it is never 0. Raises Undecided past MAX_BITS bits."""
        bits = 64
        while bits <= MAX_BITS:
            low, high = self.bounds(bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            bits *= 2
        raise Undecided(f"the sign of a sum of powers of e at {MAX_BITS} bits")

    def __abs__(self) -> "Real":
        return self if self.sign() > 0 else -self

    def __eq__(self, other: object) -> bool:
        if _terms(other) is None:
            return NotImplemented
        return not isinstance(difference := self - other, Real) and difference == 0

    def __lt__(self, other: Any) -> bool:
        if _terms(other) is None:
            return NotImplemented
        difference = self - other
        return difference.sign() < 0 if isinstance(difference, Real) else difference < 0

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        low, high = self.bounds(96)
        return decimals(low, high, 12)[0]


def real(terms: Mapping[Fraction, Any]) -> Real | Fraction:
    """The sum of c e^q for {q: c}: a Fraction where no power of e is left."""
    kept = {q: Fraction(c) for q, c in terms.items() if c}
    return Real(kept) if any(kept) else kept.get(Fraction(0), Fraction(0))


def _terms(value: Any) -> Mapping[Fraction, Fraction] | None:
    if isinstance(value, Real):
        return value.terms
    return {Fraction(0): Fraction(value)} if isinstance(value, int | Fraction) else None


@total_ordering
@dataclass(frozen=True, eq=False)
class Nats(Arithmetic):
    """An amount of eps in nats, shift + log(power) / root, or infinite where `power` is None.

    Sums, differences and positive rational multiples are exact, and so are comparisons, with rationals too. Raises
    BadInput for what is none: a product of two, a difference of two infinite ones.
    """

    shift: Fraction
    power: Fraction | None
    root: int = 1

    @classmethod
    def log(cls, power: Fraction) -> "Nats":
        """log(power), for a rational power > 0."""
        if power <= 0:
            raise BadInput(f"log({shorten(power)}): expected the logarithm of a positive number")
        return cls(Fraction(0), power)

    @classmethod
    def of(cls, value: Any) -> "Nats | None":
        """An amount of eps itself, or a rational one; None for anything else."""
        if isinstance(value, Nats):
            return value
        return cls(Fraction(value), Fraction(1)) if isinstance(value, int | Fraction) else None

    def eps(self) -> Eps:
        """The privacy parameter that this is. Raises BadInput where it is negative, infinite or no plain logarithm."""
        if self.power is not None and not self.shift and self.root == 1:
            return Eps.log(self.power)
        if self.power == 1:
            return Eps.of(self.shift)
        raise BadInput(f"eps: {self}: expected a rational or the logarithm of one")

    def __add__(self, other: Any) -> "Nats":
        if (right := Nats.of(other)) is None:
            return NotImplemented
        if self.power is None or right.power is None:
            return INFINITE
        root = _root(self, right)
        power = self.power ** (root // self.root) * right.power ** (root // right.root)
        return Nats(self.shift + right.shift, power, root)

    def __neg__(self) -> "Nats":
        if self.power is None:
            raise BadInput("eps: infinite, and taken from another: expected a finite one")
        return Nats(-self.shift, 1 / self.power, self.root)

    def __mul__(self, other: Any) -> "Nats":
        if not isinstance(other, int | Fraction):
            return NotImplemented
        times = Fraction(other)
        if times <= 0:
            raise BadInput(f"eps: times {shorten(times)}: expected a positive number")
        if self.power is None:
            return self
        if times.numerator > MAX_ROOT:
            raise BadInput(f"eps: times {shorten(times)}: expected at most {MAX_ROOT}")
        return Nats(self.shift * times, self.power**times.numerator, self.root * times.denominator)

    def compared(self, other: "Nats") -> int:
        """-1, 0 or 1 as this is less than, equal to or more than another. Raises Undecided past MAX_BITS bits."""
        if self.power is None or other.power is None:
            return int(self.power is None) - int(other.power is None)
        root = _root(self, other)
        ratio = self.power ** (root // self.root) / other.power ** (root // other.root)
        ahead = (other.shift - self.shift) * root  # compare log(ratio) with this
        if not ahead or (ratio >= 1) != (ahead > 0):
            return int(ratio > 1) - int(ratio < 1) if not ahead else 1 if ahead < 0 else -1
        sign, ratio, ahead = (1, ratio, ahead) if ahead > 0 else (-1, 1 / ratio, -ahead)
        bits = 64
        while bits <= MAX_BITS:
            low, high = Eps.of(ahead).bounds(bits)
            if ratio < low or ratio > high:
                return sign if ratio > high else -sign
            bits *= 2
        raise Undecided(f"{self} against {other} at {MAX_BITS} bits")

    def __eq__(self, other: object) -> bool:
        return NotImplemented if (right := Nats.of(other)) is None else self.compared(right) == 0

    def __lt__(self, other: Any) -> bool:
        return NotImplemented if (right := Nats.of(other)) is None else self.compared(right) < 0

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        if self.power is None:
            return "infinite"
        logarithm = f"log({text(self.power)})" + (f"/{self.root}" if self.root > 1 else "")
        if self.power == 1:
            return text(self.shift)
        return f"{text(self.shift)} + {logarithm}" if self.shift else logarithm


INFINITE = Nats(Fraction(0), None)


def _root(first: Nats, second: Nats) -> int:
    root = lcm(first.root, second.root)
    if root > MAX_ROOT:
        raise BadInput(f"eps: a root of degree {root}: expected at most {MAX_ROOT}")
    return root
