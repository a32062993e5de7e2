"""Guesses in floats of what blocks allow, and of how to round their values. Nothing is proved.

A wrong guess leaves a wider interval: what counts is what `blocks.allowed` then finds in integers.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import exp
from typing import Any, NamedTuple

from verify.reduce.block_cover.blocks import Block, Blocks, Cuts
from verify.runs.later import Later

np: Any = Later("numpy")
fft: Any = Later("scipy.fft")
REACH, FINE = 14.0, 10.0  # standard deviations on either side of the mean; steps in one of a single draw's
SHORT = 1 << 15  # steps from 0 to the value that is farthest
COARSE = (1.5, 2.0, 3.0, 5.0, 7.0)  # the same, tried where a kernel is to have little work
BEYOND, LOST = 32, 1e-4  # bits of a delta that are missed beyond the ends of a grid; its share that cuts may cost
WORTH, ROOM, SPARE = 20.0, 1.03, 64  # standard deviations that a missed sum may be worth; of cells, and besides
RARE, FAR = 1 << 70, 1e-4  # 1 / weight of what S hardly ever sends; the share of a delta that cuts may cost


class Grid(NamedTuple):
    """Hints for the kernel (verify/CERTIFICATE.md, "What a blanket proves")."""

    step: Fraction
    cells: int
    tilt: Fraction
    above: int


@dataclass
class Law:
    """A block's law in floats, where the user who changes is on a (p) or b (q), and the others' law s."""

    p: Any
    q: Any
    s: Any

    @classmethod
    def of(cls, blocks: Blocks, block: Block, a: int, b: int) -> "Law":
        """The law of this block."""
        seen = blocks.seen(block, a, b)
        unit = seen.unit
        return cls(*(np.array([w / unit for w in weights]) for weights in seen[:3]))

    @cached_property
    def spread(self) -> float:
        """The variance of p/s - q/s, infinite where s sends less than they do."""
        inside = self.s * RARE >= 1
        if abs(self.p[~inside] - self.q[~inside]).sum() > 1e-12:
            return float("inf")
        return float((((self.p - self.q)[inside] ** 2) / self.s[inside]).sum())

    def cuts(self, eps: float, draws: int, little: float, fine: float = FINE) -> Cuts:
        """How to round the values, so that it costs less than `little` of delta; `fine` as in `delta`."""
        value, weight, _ = self._values(eps, draws, little)
        step = _step(value, weight, fine)
        return Cuts(
            Fraction(step).limit_denominator(1 << 40) or Fraction(1, 1 << 40),
            int(-float(value.min()) / step) + 2,
            int(float(value.max()) / step) + 2,
            RARE,
        )

    def grid(self, eps: float, draws: int, most: float, slack: float) -> Grid:
        """The coarsest grid on which the kernel finds that delta is at most `most`, less a part of it, where it is.

        Beyond either end of the cells lies, by the exponential bound that is best there, a small part of it.
        """
        enough = (fine for fine in COARSE if self.delta(eps, draws, LOST * most, fine) <= most * (1 - slack))
        cuts = self.cuts(eps, draws, LOST * most, next(enough, FINE))
        value, weight, _ = self._values(eps, draws, LOST * most)
        place, step_width = value / float(cuts.step), float(cuts.step)
        little = np.log(max(most * draws, 1e-300)) - BEYOND * np.log(2)
        slopes = np.exp(np.linspace(-2, 4, 49)) / (float(place**2 @ weight) ** 0.5 * draws**0.5 or 1.0)
        ends = []
        for side in (place, -place):
            grown = draws * np.log1p([float(np.expm1(np.minimum(slope * side, 700)) @ weight) for slope in slopes])
            far = (grown - little + np.log(WORTH * step_width / slopes)) / slopes
            best = int(np.argmin(far))
            ends.append((max(float(far[best]), 1 / float(slopes[best]) + 1), float(slopes[best])))
        (above, slope), (below, _) = ends
        tilt = max(Fraction(np.exp(slope)).limit_denominator(1 << 20), 1 + Fraction(1, 1 << 20))
        return Grid(cuts.step, int((above + below) * ROOM + float(place.max())) + SPARE, tilt, cuts.above)

    def _values(self, eps: float, draws: int, little: float) -> tuple[Any, Any, float]:
        """(values, weights, what is outside) with values cut."""
        excess, inside = self.p - exp(eps) * self.q, self.s * RARE >= 1
        outside = float(np.maximum(excess[~inside], 0).sum())
        excess, weight = excess[inside], self.s[inside]
        value = excess / weight
        order = np.argsort(-value)
        above = np.cumsum(np.maximum(excess[order], 0)) <= little
        far = order[above]
        keep = np.ones(len(value), bool)
        keep[far] = False
        outside += float(np.maximum(excess[far], 0).sum())
        rising = np.argsort(value)
        low = np.cumsum(weight[rising]) * draws <= FAR
        if low.any() and not low.all():
            value = np.maximum(value, value[rising][~low][0])
        value, weight = value[keep], weight[keep]
        if not len(value):
            value, weight = np.array([0.0]), np.array([1.0])
        return value, weight, outside

    def delta(self, eps: float, draws: int, little: float, fine: float = FINE) -> float:
        """The bound of the lemma, about, on a grid of so many steps in a single draw's standard deviation."""
        value, weight, outside = self._values(eps, draws, little)
        mean, step = float((value * weight).sum()), _step(value, weight, fine)
        reach = 2 * REACH * fine * step * draws**0.5 + 4 * float(abs(value).max())
        cells = fft.next_fast_len(max(64, int(reach / step)), real=True)
        place = np.floor(value / step).astype(int)
        part = value / step - place
        law = np.bincount(place % cells, weight * (1 - part), cells) + np.bincount(
            (place + 1) % cells, weight * part, cells
        )
        law[0] += max(0.0, 1 - float(weight.sum()))
        total = fft.irfft(fft.rfft(law) ** draws, cells)
        start = round(draws * mean / step) - cells // 2
        places = start + (np.arange(cells) - start) % cells
        return outside + float((np.maximum(places * step, 0) * total).sum()) / draws


def _step(value: Any, weight: Any, fine: float) -> float:
    """A part of the standard deviation, and no less than lets a single draw's values lie on a short line."""
    moment = value * weight  # no product of matrices, which would ask all cores
    spread = max(float((value * moment).sum()) - float(moment.sum()) ** 2, 0.0) ** 0.5
    return float(max(spread / fine, abs(value).max() / SHORT, 1e-12))
