"""Exact rationals: read from their text, written as text and as outward decimals; and flint's balls around them.

Nothing here is a float. flint's precision belongs to the whole process; comparisons of balls that are not decided
answer False.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Integral

from flint import arb, ctx, fmpq, fmpz

from shufflecert.verify.errors import BadInput, Undecided

MAX_TEXT = 2000  # characters, and size of the exponent, of a number: Python converts no text of over 4300 digits
DIGITS = 30  # significant digits of printed enclosures
_NUMBER = re.compile(r"[+-]?(?:\d+/\d+|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)", re.ASCII)
_EXPONENT = re.compile(r"[eE][+-]?0*(\d+)$")
_UNDERSCORE = re.compile(r"(?<=\d)_(?=\d)", re.ASCII)  # 50_000, as Python writes it
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2}(?:,\d{3})+", re.ASCII)
_POWER = re.compile(r"(?:(\d+\.?\d*) ?[*x] ?)?(\d{1,9})(?:\^|\*\*)\(?([+-]?\d{1,4})\)?", re.ASCII)
_SUFFIXES = {"k": 10**3, "K": 10**3, "M": 10**6}
A_RATIONAL = "a rational such as 3/4, 0.75 or 1e-6"
MOST_USERS = 10**15  # of a question
A_PROBABILITY = "a rational in [0, 1]"
SMALLEST = 1 << 20  # bits below which a number of moderate size is not told from 0
TINY = Fraction(1, 1 << SMALLEST)


def rational(value: object, where: str = "number", expected: str = A_RATIONAL) -> Fraction:
    """The exact rational that `value` writes: "3/4", "0.75", "1e-6", "50_000", an integer (numpy's
    too), a Fraction, a Decimal or an fmpq.

    Raises BadInput, naming `where` and what is `expected`, for anything else; a float is refused since 0.1 is not
    1/10 in binary.
    """
    return _read(value, where, expected, whole=False)


def _read(value: object, where: str, expected: str, whole: bool) -> Fraction:
    if type(value) is Fraction:  # as most are: tables have thousands
        return value
    if isinstance(value, float):
        fix = f'write "{value!r}" or a Fraction' if isfinite(value) else f"expected {expected}"
        raise BadInput(f"{where}: {value!r} is a float, and floats are not exact: {fix}")
    if isinstance(value, bool) or value is None:
        raise BadInput(f"{where}: {value!r} is not a number: expected {expected}")
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if isinstance(value, Integral):  # numpy's integers
        return Fraction(int(value))
    if isinstance(value, fmpq | fmpz):
        exact = fmpq(value)
        return Fraction(int(exact.p), int(exact.q))
    written = str(value).strip() if isinstance(value, str | Decimal) else ""
    if len(written) > MAX_TEXT:
        raise BadInput(f"{where}: a number of {len(written)} characters: expected at most {MAX_TEXT}")
    written = _UNDERSCORE.sub("", written)
    if whole and _THOUSANDS.fullmatch(written):  # elsewhere 1,500 may be meant as 1.5
        written = written.replace(",", "")
    exponent = _EXPONENT.search(written)
    if not _NUMBER.fullmatch(written):
        shown = value if len(repr(value)) < 80 else f"{str(value)[:60]}..."
        meant = _meant(written, whole)
        if meant is None and written.lower().startswith(("log", "ln")):
            expected += "; eps alone may be a logarithm"
        raise BadInput(
            f"{where}: {shown!r} is not an exact number: {f'write {meant}' if meant else f'expected {expected}'}"
        )
    if exponent and (len(exponent[1]) > 4 or int(exponent[1]) > MAX_TEXT):
        raise BadInput(f"{where}: {shorten(written)}: expected an exponent of at most {MAX_TEXT}")
    try:
        return Fraction(written)
    except ZeroDivisionError:
        raise BadInput(f"{where}: {shorten(written)} has denominator 0") from None


def _meant(written: str, whole: bool) -> str | None:
    """The form that is read of a number in another form, such as 25%, 10^-6, 50k or 0,5; None where none is known."""
    found: Fraction | None = None
    if _NUMBER.fullmatch(close := "".join(written.split())):
        return close if len(close) < 80 else None
    if _NUMBER.fullmatch(start := written[:-1].strip()) and len(start) < 20 and "/0" not in start:
        if written[-1] == "%":
            found = Fraction(start) / 100
        elif written[-1] in _SUFFIXES:
            found = Fraction(start) * _SUFFIXES[written[-1]]
    elif power := _POWER.fullmatch(written):
        factor, base, exponent = power.groups()
        if base == "10":
            return f"{factor or 1}e{int(exponent)}"
        if int(base) and len(base) * abs(int(exponent)) < 60:
            found = Fraction(factor or 1) * Fraction(int(base)) ** int(exponent)
    elif written.count(",") == 1 and _NUMBER.fullmatch(point := written.replace(",", ".")) and not whole:
        return f"{written.replace(',', '')} or {point}" if _THOUSANDS.fullmatch(written) else point
    if found is None or (whole and found.denominator > 1):
        return None
    return decimal_text(found)


def probability(value: object, where: str = "probability") -> Fraction:
    """The exact probability that `value` writes, read as `rational` does. Raises BadInput outside [0, 1]."""
    number = rational(value, where, A_PROBABILITY)
    if not 0 <= number <= 1:
        raise BadInput(f"{where}: {shorten(number)} is not a probability: expected {A_PROBABILITY}")
    return number


def natural(value: object, where: str, least: int = 1, most: int = 10**9) -> int:
    """The integer that `value` writes, read as `rational` does, and 50,000. Raises BadInput outside [least, most]."""
    expected = f"an integer from {least} to {most}"
    number = _read(value, where, expected, whole=True)
    if number.denominator != 1 or not least <= number <= most:
        raise BadInput(f"{where}: {shorten(number)}: expected {expected}")
    return int(number)


def text(number: Fraction) -> str:
    """The fraction as "p/q" or "p" in full, of any length (Python's own conversion stops at 4300 digits)."""
    return str(fmpq(number.numerator, number.denominator))


def fraction(written: str) -> Fraction:
    """The fraction that `text` writes as "p/q" or "p", of any length."""
    p, _, q = written.partition("/")
    return Fraction(int(fmpz(p)), int(fmpz(q or 1)))


def shorten(number: Fraction | str, width: int = 40) -> str:
    """A number's text for people: cut in the middle when it is long."""
    whole = text(number) if isinstance(number, Fraction) else number
    return whole if len(whole) <= width else f"{whole[: width // 2]}...{whole[-width // 4 :]}"


def decimals(low: Fraction, high: Fraction, digits: int = DIGITS) -> tuple[str, str]:
    """Decimal strings lower <= low <= high <= upper of at most `digits` significant digits, rounded outwards."""
    return decimal_below(low, digits), decimal_above(high, digits)


def decimal_below(number: Fraction, digits: int = DIGITS) -> str:
    """The largest decimal of so many significant digits that is at most an exact number, as text."""
    return _decimal(fmpz(number.numerator), fmpz(number.denominator), digits, up=False)


def decimal_above(number: Fraction, digits: int = DIGITS) -> str:
    """The least decimal of so many significant digits that is at least an exact number, as text."""
    return _decimal(fmpz(number.numerator), fmpz(number.denominator), digits, up=True)


def between(lower: str, upper: str) -> str:
    """A number between two decimals for people: [lower, upper], and one number where they are equal."""
    return lower if lower == upper else f"[{lower}, {upper}]"


def decimal_text(number: Fraction, digits: int = DIGITS) -> str:
    """An exact number as a decimal where it is one of at most so many significant digits, else as p/q."""
    low, high = decimals(number, number, digits)
    return low if low == high else text(number)


def _decimal(p: fmpz, q: fmpz, digits: int, up: bool) -> str:
    """p / q, q > 0, rounded down or up to `digits` significant digits."""
    if p == 0:
        return "0"
    if p < 0:
        return "-" + _decimal(-p, q, digits, not up)
    exponent = _exponent(p, q)
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


def magnitude(number: Fraction) -> int:
    """The largest k with 10^k at most a number above 0."""
    return _exponent(fmpz(number.numerator), fmpz(number.denominator))


def _exponent(p: fmpz, q: fmpz) -> int:
    """The largest k with 10^k <= p / q, from bit lengths (log10(2) is 0.30103 to five places) and then put right."""
    exponent = (p.bit_length() - q.bit_length()) * 30103 // 100000
    while p * _ten(-exponent) < q * _ten(exponent):
        exponent -= 1
    while p * _ten(-exponent - 1) >= q * _ten(exponent + 1):
        exponent += 1
    return int(exponent)


def _ten(power: int) -> fmpz:
    return fmpz(10) ** max(0, power)


def plain(number: Fraction | str, digits: int = 12) -> str:
    """An exact number for people: a decimal where it is one of at most so many digits, else its text, cut if long.

    Text that is no rational, such as "log(3)" or "inf", stays as it is.
    """
    try:
        value = number if isinstance(number, Fraction) else rational(number)
    except BadInput:
        return shorten(str(number))
    return shorten(decimal_text(value, digits))


@contextmanager
def precision(bits: int) -> Iterator[None]:
    """Set flint's process-wide precision, in bits, for the body of a `with` statement; restore it on the way out."""
    before = ctx.prec
    ctx.prec = bits
    try:
        yield
    finally:
        ctx.prec = before


def dyadic(ball_end: arb) -> Fraction:
    """The exact rational value of a ball of radius 0. Raises Undecided for what is no finite number."""
    if not ball_end.is_finite():
        raise Undecided(f"a number that the precision in force does not give: {ball_end}")
    mantissa, exponent = ball_end.man_exp()
    m, e = int(mantissa), int(exponent)
    return Fraction(m << e) if e >= 0 else Fraction(m, 1 << -e)


def ball(number: Fraction | int) -> arb:
    """The smallest ball around a rational at the precision in force."""
    return arb(fmpq(number.numerator, number.denominator))


def floor_of(number: arb) -> Fraction:
    """A rational of moderate size below the number. Raises Undecided for what is no finite number."""
    low = number.lower()
    if low.is_finite() and low != 0 and abs(low) <= arb(2) ** -SMALLEST:
        return -TINY if low < 0 else Fraction(0)
    return dyadic(low)


def ceiling_of(number: arb) -> Fraction:
    """A rational of moderate size above the number. Raises Undecided for what is no finite number."""
    return -floor_of(-number)


def least_of(sure: arb, bounds: Iterable[arb]) -> arb:
    """The least of several upper bounds on one number; `sure` is one that is finite, others need not be."""
    best = sure.upper()
    for bound in bounds:
        best = high if (high := bound.upper()) < best else best
    return best
