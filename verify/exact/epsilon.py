"""The privacy parameter eps, and values A - B e^eps whose signs are decided exactly; and how JSON has them.

e^eps is transcendental for rational eps != 0 (Lindemann), so with rational A, B and B != 0 the value A - B e^eps is
never zero and a fine enough enclosure of e^eps decides its sign.
"""

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, total_ordering
from typing import Any, Protocol, overload

from flint import arb, fmpq, fmpz

from shufflecert.verify.errors import BadInput, Undecided
from shufflecert.verify.exact.rational import (
    DIGITS,
    _decimal,
    ball,
    between,
    decimal_above,
    decimal_below,
    decimals,
    dyadic,
    precision,
    rational,
    shorten,
    text,
)

MAX_EPS = 10_000
_LOGARITHM = re.compile(r"(?:log|ln)\(([^()]*)\)")
_BARE = re.compile(r"(?:log|ln) ?(\d[\d./e-]{0,60})", re.ASCII)
MAX_BITS = 1 << 20  # precision at which a comparison is given up as undecided
Tree = dict[str, Any]
INFINITE = "inf"


@total_ordering
@dataclass(frozen=True, eq=False, repr=False)
class Eps:
    """A privacy parameter eps >= 0 in nats: rational (`exponent`), or the logarithm of a rational (`power` = e^eps).

    eps = 0 has both. `bounds(bits)` encloses e^eps between rationals, with equality exactly where `power` is known.

        >>> Eps.of("1/2") < Eps.of("log(2)") < Eps.of("0.7")
        True
        >>> Eps.of("log(3/2)").enclosure(6)
        ('0.405465', '0.405466')
    """

    exponent: Fraction | None
    power: Fraction | None

    @classmethod
    def of(cls, value: object, where: str = "eps") -> "Eps":
        """Read eps: "1/2", "0.5", "log(3/2)", "ln(3/2)", exact numbers, an Eps. Raises BadInput outside [0, 10000]."""
        if isinstance(value, Eps):
            return value
        written = value.strip() if isinstance(value, str) else ""
        expected = f"a rational from 0 to {MAX_EPS} such as 1/2 or 0.5, or log(3/2)"
        if logarithm := _LOGARITHM.fullmatch(written):
            return cls.log(rational(logarithm[1], where), where)
        if written.startswith(("log", "ln")):
            bare = _BARE.fullmatch(written)
            form = f"write log({bare[1]})" if bare else f"expected {expected}"
            raise BadInput(f"{where}: {shorten(written)!r} is not an exact number: {form}")
        number = rational(value, where, expected)
        if not 0 <= number <= MAX_EPS:
            raise BadInput(f"{where}: {shorten(number)}: expected {expected}")
        return cls(number, Fraction(1) if number == 0 else None)

    @classmethod
    def log(cls, power: Fraction, where: str = "eps") -> "Eps":
        """The privacy parameter eps = log(power), in nats, for a rational power >= 1.

        Raises BadInput for a smaller one.
        """
        if power < 1:
            raise BadInput(f"{where}: log({shorten(power)}) is not a privacy parameter: expected log(q) with q >= 1")
        return cls(Fraction(0) if power == 1 else None, power)

    def bounds(self, bits: int) -> tuple[Fraction, Fraction]:
        """Rationals L <= e^eps <= U of relative width about 2^-bits (L = U where e^eps is rational)."""
        return (self.power, self.power) if self.power is not None else _exp_bounds(self.exponent or Fraction(0), bits)

    def enclosure(self, digits: int = DIGITS) -> tuple[str, str]:
        """eps itself as outward decimals of `digits` significant digits."""
        if self.exponent is not None:
            return decimals(self.exponent, self.exponent, digits)
        assert self.power is not None
        bits = 4 * digits + 64
        with precision(bits + max(0, self.power.denominator.bit_length() - (self.power - 1).numerator.bit_length())):
            value = self.ball()
            return decimals(dyadic(value.lower()), dyadic(value.upper()), digits)

    def ball(self) -> arb:
        """eps itself as a ball at the precision in force."""
        return ball(self.exponent) if self.exponent is not None else ball(self.power or Fraction(1)).log()

    def __str__(self) -> str:
        return text(self.exponent) if self.exponent is not None else f"log({text(self.power or Fraction(0))})"

    __repr__ = __str__

    def __format__(self, form: str) -> str:
        return format(str(self), form)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Eps) and (self.exponent, self.power) == (other.exponent, other.power)

    def __hash__(self) -> int:
        return hash((self.exponent, self.power))

    def __lt__(self, other: "Eps") -> bool:
        if self.exponent is not None and other.exponent is not None:
            return self.exponent < other.exponent
        if self.power is not None and other.power is not None:
            return self.power < other.power
        bits = 64  # one is log of a rational != 1, the other a nonzero rational: never equal
        while bits <= MAX_BITS:
            (low, high), (other_low, other_high) = self.bounds(bits), other.bounds(bits)
            if high < other_low or other_high < low:
                return high < other_low
            bits *= 2
        raise Undecided(f"eps {self} against {other} at {MAX_BITS} bits")


@lru_cache(maxsize=256)
def _exp_bounds(exponent: Fraction, bits: int) -> tuple[Fraction, Fraction]:
    with precision(bits + 16):
        ball = arb(fmpq(exponent.numerator, exponent.denominator)).exp()
        return dyadic(ball.lower()), dyadic(ball.upper())


@total_ordering
@dataclass(frozen=True, eq=False, repr=False)
class Delta:
    """The exact value (a - b e^eps) / denominator: a hockey-stick divergence, or a bound on one.

    `a`, `b` and `denominator` > 0 are integers, not reduced: reducing costs more than comparing. Comparisons with
    another Delta of the same eps, or with a rational, are decided exactly; they raise Undecided past MAX_BITS bits of
    e^eps.
    """

    a: fmpz
    b: fmpz
    denominator: fmpz
    eps: Eps

    @property
    def A(self) -> Fraction:
        """A = P(E), the rational part of the value A - B e^eps, for a divergence with event E."""
        return rational(fmpq(self.a, self.denominator))

    @property
    def B(self) -> Fraction:
        """B = Q(E), the rational factor of e^eps in the value A - B e^eps, for a divergence with event E."""
        return rational(fmpq(self.b, self.denominator))

    def minus(self, other: "Delta | Fraction | int") -> "Delta":
        """This value minus another of the same eps, or minus a rational: exact. Raises ValueError for another eps."""
        if isinstance(other, Fraction | int):
            other = Delta(fmpz(other.numerator), fmpz(0), fmpz(other.denominator), self.eps)
        if other.eps != self.eps:
            raise ValueError("two divergences are compared at one eps")
        if self.denominator == other.denominator:
            return Delta(self.a - other.a, self.b - other.b, self.denominator, self.eps)
        mine, theirs = other.denominator, self.denominator
        return Delta(self.a * mine - other.a * theirs, self.b * mine - other.b * theirs, mine * theirs, self.eps)

    def bounds(self, bits: int) -> tuple[fmpz, fmpz, fmpz]:
        """Integers (low, high, scale) with low / scale <= value <= high / scale."""
        low, high = self.eps.bounds(bits)
        scale = fmpz(max(low.denominator, high.denominator))  # powers of two, or equal
        ends = [self.a * scale - self.b * fmpz(end.numerator) * (scale // fmpz(end.denominator)) for end in (low, high)]
        return min(ends), max(ends), scale * self.denominator

    def sign(self, max_bits: int = MAX_BITS) -> int:
        """The sign of the value, -1, 0 or 1, decided exactly.

        Raises Undecided when `max_bits` bits of e^eps do not decide.
        """
        if self.b == 0:
            return int(self.a > 0) - int(self.a < 0)
        bits = 64
        while bits <= max_bits:
            low, high, _ = self.bounds(bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            if low == high:
                return 0
            bits *= 2
        raise Undecided(f"the sign of A - B e^{self.eps} at {max_bits} bits of e^eps")

    def enclosure(self, digits: int = DIGITS) -> tuple[str, str]:
        """Outward decimals (lower, upper) of `digits` significant digits; equal where the value is such a decimal."""
        bits = 128
        while True:
            low, high, scale = self.bounds(bits)
            width_ok = low == high or (low > 0 and (high - low) * fmpz(10) ** (digits + 2) < high)
            if width_ok or bits > MAX_BITS:
                return _decimal(low, scale, digits, up=False), _decimal(high, scale, digits, up=True)
            bits *= 2

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Delta | Fraction | int) and self.minus(other).sign() == 0

    def __lt__(self, other: "Delta | Fraction | int") -> bool:
        return self.minus(other).sign() < 0

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return between(*self.enclosure(12))

    __repr__ = __str__

    def __format__(self, form: str) -> str:
        return format(str(self), form)


class Enclosed(Protocol):
    """A number that is known between two ends: an Interval, an Eps, a Delta."""

    def enclosure(self, digits: int = DIGITS) -> tuple[str, str]:
        """Outward decimals (lower, upper) of `digits` significant digits."""


@overload
def ends(value: Enclosed) -> Tree: ...
@overload
def ends(value: None) -> None: ...
def ends(value: Enclosed | None) -> Tree | None:
    """A number as JSON, between two decimals; None for one that is not known."""
    if value is None:
        return None
    lower, upper = value.enclosure()
    return {"lower": lower, "upper": upper}


def ends_of(low: Fraction, high: Fraction | None) -> Tree:
    """A number between two exact ends as JSON; an upper end of None is infinite."""
    return {"lower": decimal_below(low), "upper": INFINITE if high is None else decimal_above(high)}


def exactly(number: Fraction) -> Tree:
    """An exact number as JSON, between two decimals."""
    return ends_of(number, number)


def delta_value(value: Enclosed) -> Tree:
    """A value of delta as JSON: its ends, and `exact` {A, B} where it is A - B e^eps."""
    exact = {"A": text(value.A), "B": text(value.B)} if isinstance(value, Delta) else None
    return {**ends(value), "exact": exact}


def eps_value(eps: Eps | None, interval: tuple[Fraction, Fraction | None] | None = None) -> Tree:
    """A value of eps as JSON: exact, as the logarithm of a rational where it is one; else between two ends.

    Without either there is no finite one.
    """
    if eps is not None:
        return {**ends(eps), "exact": str(eps) if eps.power is None else f"log({text(eps.power)})"}
    if interval is not None:
        return {**ends_of(*interval), "exact": None}
    return {"lower": INFINITE, "upper": INFINITE, "exact": INFINITE}
