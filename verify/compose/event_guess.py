"""Where the curve of an event is looked at: a guess in floats, any will do."""

from fractions import Fraction
from math import exp, sqrt

DOTS = 2000  # of a curve
FAR = 11  # deviations of normal noise within which dots are set
STEEP = 300  # the largest logarithm of a ratio at a dot


def places(square: Fraction | None, rate: Fraction, q: Fraction, added: bool, dots: int = DOTS) -> list[Fraction]:
    """The x at which dots are set: ratios of the two densities at outcomes a fixed step apart.

    Of normal noise of variance 1 / `square`, else of Laplace noise of scale 1 / `rate`, on a sample of q.
    """
    found, share_of = set[Fraction](), float(q)
    mu = 0.0 if square is None else sqrt(square)
    for i in range(dots + 1):
        share = i / dots
        loss = float(rate) * (2 * share - 1) if square is None else mu * (share * (2 * FAR + mu) - FAR) - mu * mu / 2
        x = 1 - share_of + share_of * exp(min(max(loss, -STEEP), STEEP))
        if x > 0:
            found.add(Fraction(1 / x if added else x))
    return sorted(found)
