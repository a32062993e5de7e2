"""Balls of the library flint (arb): where their precision is set, and the way from rationals to balls and back.

flint's precision belongs to the whole process; comparisons of balls that are not decided answer False.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction

from flint import arb, ctx, fmpq


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
    """The exact rational value of a ball of radius 0."""
    mantissa, exponent = ball_end.man_exp()
    m, e = int(mantissa), int(exponent)
    return Fraction(m << e) if e >= 0 else Fraction(m, 1 << -e)


def ball(number: Fraction | int) -> arb:
    """The smallest ball around a rational at the precision in force."""
    return arb(fmpq(number.numerator, number.denominator))
