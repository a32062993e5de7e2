"""Independent pairs of laws with atoms, of which a pair consists."""

from math import isqrt

from shufflecert.verify.enclose.interval import EnclosedPair
from shufflecert.verify.enclose.noise_laws import Noise
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from shufflecert.verify.pairs.windowed import Product, SumPair, WindowPair

MOST_ATOMS = 50_000  # of a window; beyond, a pair is known by its divergence
BITS = 256  # at which atoms are counted


def independent_parts(pair: EnclosedPair) -> tuple[WindowPair, ...] | None:
    """Independent pairs with atoms, of which this one consists; None where there are none, or too many."""
    if isinstance(pair, Product):
        one, two = independent_parts(pair.one), independent_parts(pair.two)
        return None if one is None or two is None else (*one, *two)
    if isinstance(pair, ShiftedNoise):
        return (SumPair((pair.noise,), (pair.noise,), pair.by),) if _points(pair.noise) <= MOST_ATOMS else None
    if isinstance(pair, SumPair) and sum(_points(noise) for noise in pair.p) > MOST_ATOMS:
        return None
    return (pair,) if isinstance(pair, WindowPair) else None


def _points(noise: Noise) -> int:
    """About how many points a window has."""
    points = 2 * isqrt(int(noise.variance) * BITS * 7 // 5) + 1
    points += sum(int(BITS * 7 / (10 * (1 - s))) for s in (noise.limit(), noise.limit_below()) if s)
    ends = noise.low, noise.high
    return points if ends[0] is None or ends[1] is None else min(points, ends[1] - ends[0] + 1)
