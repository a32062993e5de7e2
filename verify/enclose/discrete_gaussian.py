"""The discrete Gaussian law, enclosed on a window: Pr[k] is proportional to e^(-k^2 / (2 variance))."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, isqrt
from typing import Any

from flint import arb

from shufflecert.verify.enclose.noise_laws import positive
from shufflecert.verify.errors import TooMuchWork
from shufflecert.verify.exact.rational import ball, dyadic, precision, shorten, text

MAX_POINTS = 500_000  # of a window


@dataclass(frozen=True)
class DiscreteGaussian:
    """The law Pr[k] = e^(-k^2 / (2 variance)) / Z on all integers, for a rational `variance` > 0.

    Source: Canonne, Kamath & Steinke 2020, Definition 1. Log-concave: Pr[k] / Pr[k - 1] = e^((1 - 2k)/(2 variance)).
    """

    variance: Fraction

    def __post_init__(self) -> None:
        object.__setattr__(self, "variance", positive(self.variance, "variance"))

    def window(self, bits: int) -> tuple[int, list[int], list[int], int]:
        """Integer bounds (first, low, high, outside), as `verify.enclose.noise.Noise.window`; raises TooMuchWork.

        The window is |k| <= R. Beyond it the terms fall at least by the ratio of the first two, which bounds their sum.
        """
        return _window(self.variance, bits)

    def to_json(self) -> dict[str, Any]:
        """The law with its parameter."""
        return {"law": "discrete_gaussian", "variance": text(self.variance)}

    def second_moment(self, bits: int) -> tuple[Fraction, Fraction]:
        """Rational ends around E X^2. Beyond R the terms k^2 w(k) fall at least by the ratio of the first two."""
        first, low, high, _ = self.window(bits)
        ends = [Fraction(sum((first + i) ** 2 * w for i, w in enumerate(side)), 1 << bits) for side in (low, high)]
        R = -first
        with precision(bits):
            weight, fall = _weight(self.variance, R + 1), _weight(self.variance, R + 2) / _weight(self.variance, R + 1)
            fall *= ball(Fraction((R + 2) ** 2, (R + 1) ** 2))
            rest = 2 * (R + 1) ** 2 * weight / (1 - fall)  # over Z >= 1
            return ends[0], ends[1] + Fraction(_units(rest * arb(2) ** bits), 1 << bits)


def _units(number: arb) -> int:
    """The number, rounded up to an integer of at least 1."""
    return 1 if number < 1 else ceil(dyadic(number.upper()))


def _weight(variance: Fraction, k: int) -> arb:
    return (-ball(k * k / (2 * variance))).exp()


@lru_cache(maxsize=8)
def _window(variance: Fraction, bits: int) -> tuple[int, list[int], list[int], int]:
    R = isqrt(ceil(variance * bits * 7 // 5)) + 2  # e^(-R^2 / (2 variance)) < 2^-bits
    if R > MAX_POINTS:
        shown = f"variance: {shorten(variance)}: a window of {2 * R} points"
        raise TooMuchWork(f"{shown}: expected at most {2 * MAX_POINTS}")
    with precision(bits + 64 + 2 * R.bit_length()):
        weights, weight, fall = [arb(1)], arb(1), _weight(variance, 1)
        step = fall * fall
        for _ in range(R):  # w(k + 1) = w(k) e^(-(2k + 1) / (2 variance))
            weight, fall = weight * fall, fall * step
            weights.append(weight)
        rest = 2 * weight * fall / (1 - fall * step)
        inside = 2 * sum(weights, arb(0)) - 1
        scale = arb(2) ** bits / inside.union(inside + rest)
        half = [w * scale for w in weights]
        small = [bool(w < 1) for w in half]  # their digits could fill the memory
        low = [0 if tiny else max(0, floor(dyadic(w.lower()))) for w, tiny in zip(half, small, strict=True)]
        high = [1 if tiny else ceil(dyadic(w.upper())) for w, tiny in zip(half, small, strict=True)]
        return -R, [*low[:0:-1], *low], [*high[:0:-1], *high], _units(rest * scale)
