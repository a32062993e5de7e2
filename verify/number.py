"""Exact numbers: rationals read from their text, eps, and values A - B e^eps whose signs are decided.

Nothing here is a float. e^eps is transcendental for rational eps != 0 (Lindemann), so with rational A, B and B != 0
the value A - B e^eps is never zero and a fine enough enclosure of e^eps decides its sign.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache, total_ordering
from math import isfinite

from flint import arb, ctx, fmpq, fmpz

from verify.errors import BadInput, Undecided

MAX_TEXT = 2000  # characters, and size of the exponent, of a number: Python converts no text of over 4300 digits
MAX_EPS = 10_000
MAX_BITS = 1 << 20  # precision at which a comparison is given up as undecided
DIGITS = 30  # significant digits of printed enclosures

_NUMBER = re.compile(r"[+-]?(?:\d+/\d+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)", re.ASCII)
_EXPONENT = re.compile(r"[eE][+-]?0*(\d+)$")

A_RATIONAL = "a rational such as 3/4, 0.75 or 1e-6"
A_PROBABILITY = "a rational in [0, 1]"


def rational(value: object, where: str = "number", expected: str = A_RATIONAL) -> Fraction:
    """The exact rational that `value` writes: "3/4", "0.75", "1e-6", an int, a Fraction, a Decimal or an fmpq.

    Raises BadInput, naming `where` and what is `expected`, for anything else; a float is refused since 0.1 is not
    1/10 in binary.
    """
    if isinstance(value, float):
        fix = f'write "{value!r}" or a Fraction' if isfinite(value) else f"expected {expected}"
        raise BadInput(f"{where}: {value!r} is a float, and floats are not exact: {fix}")
    if isinstance(value, bool) or value is None:
        raise BadInput(f"{where}: {value!r} is not a number: expected {expected}")
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if isinstance(value, fmpq | fmpz):
        exact = fmpq(value)
        return Fraction(int(exact.p), int(exact.q))
    written = str(value).strip() if isinstance(value, str | Decimal) else ""
    if len(written) > MAX_TEXT:
        raise BadInput(f"{where}: a number of {len(written)} characters: expected at most {MAX_TEXT}")
    exponent = _EXPONENT.search(written)
    if not _NUMBER.fullmatch(written):
        shown = value if len(repr(value)) < 80 else f"{str(value)[:60]}..."
        raise BadInput(f"{where}: {shown!r} is not an exact number: expected {expected}")
    if exponent and (len(exponent[1]) > 4 or int(exponent[1]) > MAX_TEXT):
        raise BadInput(f"{where}: {shorten(written)}: expected an exponent of at most {MAX_TEXT}")
    try:
        return Fraction(written)
    except ZeroDivisionError:
        raise BadInput(f"{where}: {shorten(written)} has denominator 0") from None


def probability(value: object, where: str = "probability") -> Fraction:
    """`rational`, and in [0, 1]."""
    number = rational(value, where, A_PROBABILITY)
    if not 0 <= number <= 1:
        raise BadInput(f"{where}: {shorten(number)} is not a probability: expected {A_PROBABILITY}")
    return number


def natural(value: object, where: str, least: int = 1, most: int = 10**9) -> int:
    """`rational`, and an integer in [least, most]."""
    expected = f"an integer from {least} to {most}"
    number = rational(value, where, expected)
    if number.denominator != 1 or not least <= number <= most:
        raise BadInput(f"{where}: {shorten(number)}: expected {expected}")
    return int(number)


def text(number: Fraction) -> str:
    """ "p/q" or "p" in full, of any length (Python's own conversion stops at 4300 digits)."""
    return str(fmpq(number.numerator, number.denominator))


def shorten(number: Fraction | str, width: int = 40) -> str:
    """A number's text for people: cut in the middle when it is long."""
    whole = text(number) if isinstance(number, Fraction) else number
    return whole if len(whole) <= width else f"{whole[: width // 2]}...{whole[-width // 4 :]}"


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """The one place that sets flint's process-wide precision; restores it on the way out."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def dyadic(ball_end: arb) -> Fraction:
    """The exact value of a ball of radius 0."""
    mantissa, exponent = ball_end.man_exp()
    m, e = int(mantissa), int(exponent)
    return Fraction(m << e) if e >= 0 else Fraction(m, 1 << -e)


@total_ordering
@dataclass(frozen=True, eq=False, repr=False)
class Eps:
    """A privacy parameter eps >= 0 in nats: rational (`exponent`), or the logarithm of a rational (`power` = e^eps).

    eps = 0 has both. `bounds(bits)` encloses e^eps between rationals, with equality exactly where `power` is known.
    """

    exponent: Fraction | None
    power: Fraction | None

    @classmethod
    def of(cls, value: object, where: str = "eps") -> "Eps":
        """Read eps: "1/2", "0.5", "log(3/2)", an exact number, or an Eps. Raises BadInput outside [0, 10000]."""
        if isinstance(value, Eps):
            return value
        written = value.strip() if isinstance(value, str) else ""
        if written.startswith("log(") and written.endswith(")"):
            return cls.log(rational(written[4:-1], where), where)
        expected = f"a rational from 0 to {MAX_EPS} such as 1/2 or 0.5, or log(3/2)"
        number = rational(value, where, expected)
        if not 0 <= number <= MAX_EPS:
            raise BadInput(f"{where}: {shorten(number)}: expected {expected}")
        return cls(number, Fraction(1) if number == 0 else None)

    @classmethod
    def log(cls, power: Fraction, where: str = "eps") -> "Eps":
        """eps = log(power), for a rational power >= 1."""
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
            ball = arb(fmpq(self.power.numerator, self.power.denominator)).log()
            return decimals(dyadic(ball.lower()), dyadic(ball.upper()), digits)

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
        return rational(fmpq(self.a, self.denominator))

    @property
    def B(self) -> Fraction:
        return rational(fmpq(self.b, self.denominator))

    def minus(self, other: "Delta | Fraction | int") -> "Delta":
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
        """-1, 0 or 1, exactly. Raises Undecided when `max_bits` bits of e^eps do not decide."""
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
        lower, upper = self.enclosure(12)
        return lower if lower == upper else f"[{lower}, {upper}]"

    __repr__ = __str__

    def __format__(self, form: str) -> str:
        return format(str(self), form)


def decimals(low: Fraction, high: Fraction, digits: int = DIGITS) -> tuple[str, str]:
    """Decimal strings lower <= low <= high <= upper of at most `digits` significant digits, rounded outwards."""
    ends = [(fmpz(end.numerator), fmpz(end.denominator)) for end in (low, high)]
    return _decimal(*ends[0], digits, up=False), _decimal(*ends[1], digits, up=True)


def _decimal(p: fmpz, q: fmpz, digits: int, up: bool) -> str:
    """p / q, q > 0, rounded down or up to `digits` significant digits."""
    if p == 0:
        return "0"
    if p < 0:
        return "-" + _decimal(-p, q, digits, not up)
    # 10^exponent <= p / q, guessed from the bit lengths (log10(2) is 0.30103 to five places) and then put right
    exponent = (p.bit_length() - q.bit_length()) * 30103 // 100000
    while p * _ten(-exponent) < q * _ten(exponent):
        exponent -= 1
    while p * _ten(-exponent - 1) >= q * _ten(exponent + 1):
        exponent += 1
    shift = digits - 1 - exponent
    top, bottom = p * _ten(shift), q * _ten(-shift)
    figures = str(-((-top) // bottom) if up else top // bottom)
    exponent += len(figures) - digits  # rounding up may have carried
    figures = figures.rstrip("0")
    if 0 <= exponent < digits:
        whole = figures[: exponent + 1].ljust(exponent + 1, "0")
        return whole + ("." + figures[exponent + 1 :] if len(figures) > exponent + 1 else "")
    if -4 <= exponent < 0:
        return "0." + "0" * (-exponent - 1) + figures
    return figures[0] + ("." + figures[1:] if len(figures) > 1 else "") + f"e{exponent}"


def _ten(power: int) -> fmpz:
    return fmpz(10) ** max(0, power)
