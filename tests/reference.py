"""The truth that several test files compare with, from its definition: laws as {outcome: Fraction}, numbers by mpmath.

What needs randomizers and datasets is in `oracle`; what only starts the command or draws examples, in `helpers`.
"""

from fractions import Fraction
from math import comb, factorial

from mpmath import fsum, mpf


def real(number):
    """A rational as a number of mpmath, at the precision in force; one of mpmath as it is."""
    if isinstance(number, mpf):
        return number
    number = Fraction(number)
    return mpf(number.numerator) / number.denominator


def binomial(n, p):
    """The law of Bin(n, p)."""
    p = Fraction(p)
    return {k: comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(n + 1)}


def hockey_stick(P, Q, t):
    """sum max(P - t Q, 0), by mpmath; P and Q are sequences of numbers, t = e^eps."""
    return fsum(max(real(p) - t * real(q), 0) for p, q in zip(P, Q, strict=True))


def counts(n, kinds):
    """Every way in which n draws fall into so many kinds."""
    if kinds == 1:
        yield (n,)
        return
    for first in range(n + 1):
        yield from ((first, *rest) for rest in counts(n - first, kinds - 1))


def positive_part_of_sum(law, n):
    """E max(Y_1 + ... + Y_n, 0) for independent Y of the law [(weight, value)], over all multinomial counts."""
    total = Fraction(0)
    for held in counts(n, len(law)):
        worth = sum(k * value for k, (_, value) in zip(held, law, strict=True))
        if worth > 0:
            chance = Fraction(factorial(n))
            for k, (weight, _) in zip(held, law, strict=True):
                chance *= weight**k / factorial(k)
            total += chance * worth
    return total
