"""What tests ask of a ball: its ends as exact rationals, what lies in it, how wide it is."""

import mpmath

from shufflecert.verify.exact.rational import dyadic, precision
from tests.reference import real


def ends(value):
    """A ball as exact rationals (its ends are rounded to the precision in force)."""
    with precision(5000):
        return dyadic(value.lower()), dyadic(value.upper())


def contains(value, exact):
    low, high = ends(value)
    return low <= exact <= high


def sharp(value, bits=100):
    """Whether a ball's relative width is at most 2^-bits."""
    low, high = ends(value)
    return low >= 0 and (high - low) * 2**bits <= high


def agrees(value, reference, digits=55):
    """Whether a ball meets an interval of relative width 10^-digits around an mpmath number."""
    low, high = ends(value)
    with mpmath.workdps(120):
        low, high = (real(end) for end in (low, high))
        slack = abs(reference) * mpmath.mpf(10) ** -digits
        return reference - slack <= high and low <= reference + slack
