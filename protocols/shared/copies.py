"""Sums of many independent copies of a small integer law, enclosed on a window (`verify.enclose.window`)."""

from collections.abc import Mapping
from fractions import Fraction

from flint import fmpz

from verify.enclose.window import Window


def window_of(law: Mapping[int, Fraction], bits: int) -> Window:
    """The window of a finite law: low[i] <= 2^bits Pr[first + i] <= high[i], nothing outside."""
    first, last = min(law), max(law)
    scaled = [law.get(k, Fraction(0)) * 2**bits for k in range(first, last + 1)]
    low = [fmpz(w.numerator // w.denominator) for w in scaled]
    return Window(first, low, [fmpz(-(-w.numerator // w.denominator)) for w in scaled], 0, bits)


def copies(window: Window, n: int) -> Window:
    """The law of a sum of n >= 1 independent copies, by squaring. Also where the window's masses sum to less than 1."""
    total = window
    for bit in bin(n)[3:]:
        total = total.plus(total)
        if bit == "1":
            total = total.plus(window)
    return total


def outside(window: Window, low: int, high: int) -> tuple[Fraction, Fraction]:
    """Rational ends around Pr[X < low or X > high], for low <= high + 1."""
    start = min(max(0, low - window.first), len(window.low))
    end = max(start, min(len(window.low), high - window.first + 1))
    least, most = (sum(side[:start], fmpz(0)) + sum(side[end:], fmpz(0)) for side in (window.low, window.high))
    scale = 1 << window.bits
    return Fraction(int(least), scale), min(Fraction(1), Fraction(int(most) + window.outside, scale))
