"""Balls of the library flint (arb): where their precision is set, and the way from rationals to balls and back.

flint's precision belongs to the whole process; comparisons of balls that are not decided answer False.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, ctx, fmpq

from shufflecert.verify.errors import Undecided

SMALLEST = 1 << 20  # bits below which a number of moderate size is not told from 0
TINY = Fraction(1, 1 << SMALLEST)


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
