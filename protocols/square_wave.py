"""`square_wave`: the square wave mechanism, a noisy number for estimating distributions (Li et al. 2020).

A user with x in [0, 1] sends y in [-b, 1 + b] of density proportional to E = e^eps0 where |y - x| <= b, else to 1, with

    b = (eps0 e^eps0 - e^eps0 + 1) / (2 e^eps0 (e^eps0 - 1 - eps0)).

Local eps = eps0, whatever b is; b is rounded to 64 bits. The analyzer counts the numbers in bins, and finds the
distribution that explains them best (SIGMOD 2020, Sec. 5).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from flint import arb

from shufflecert.protocols.shared.window_system import WindowSystem
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.rational import ball, rational
from shufflecert.verify.systems.declare import Synonyms, prescribed

BINS = 100  # of the analyzer's counts


@dataclass(frozen=True)
class SquareWave(WindowSystem):
    """The square wave mechanism: a number of [0, 1] becomes one of [-b, 1 + b], likely within b of it."""

    SYNONYMS: ClassVar[Synonyms] = {"SW": {}}
    ENDS = "0", "1", "1/2"

    @property
    def half(self) -> Fraction:
        """b, half the width of the likely interval; 1/2 for eps0 = 0."""
        if self.ratio == 1:
            return Fraction(1, 2)

        def width() -> arb:
            power = ball(self.ratio)
            eps0 = power.log()
            return (eps0 * power - power + 1) / (2 * power * (power - 1 - eps0))

        return prescribed(width, up=False)

    @property
    def share(self) -> Fraction:
        """The share of the range that the interval has: 2b / (1 + 2b)."""
        return 2 * self.half / (1 + 2 * self.half)

    def analyze(self, messages: Mapping[str, int], n: int) -> tuple[int, ...]:
        """How many of the numbers, as text, fall in each of 100 bins of equal width, from -b to 1 + b.

        Raises BadInput for a number outside.
        """
        counts, b = [0] * BINS, self.half
        for y, count in messages.items():
            place = (rational(y) + b) / (1 + 2 * b)
            if not 0 <= place <= 1:
                raise BadInput(f"{y[:40]}: expected a number from -b to 1 + b")
            counts[min(BINS - 1, int(place * BINS))] += count
        return tuple(counts)
