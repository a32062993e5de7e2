"""A guess in floats of which boxes cover all compositions at a little more than the eps, or the delta, that is needed.

Nothing here is part of a proof: `verify.reduce.composition_cover.epsilon`, or `delta`, decides of every box, exactly,
whether it is kept, and cuts on where a guess was wrong. What the guess saves are boxes too large, which need not be
looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import permutations
from math import exp, sqrt
from typing import Any

from verify.reduce.compositions import Box, Composition, Line
from verify.runs.later import Later

np: Any = Later("numpy")
fft: Any = Later("scipy.fft")
SMALLEST = 1e-11  # delta that floats tell from 0, to a thousandth
DEVIATIONS = 16  # of a total, that are told apart
MOST_CELLS, MOST_INPUTS = 1 << 18, 8
LARGEST = 8.0  # eps that floats tell apart
STEPS = 60  # of a search for the eps of one composition
HAIR = 1e-4  # of delta, by which a box is to keep the bound
CLOSEST = Fraction(1, 2500)  # of delta, to which floats tell boxes apart


@dataclass(frozen=True)
class Guess:
    """Approximate laws of totals on a circle, by a Fourier transform of so many cells."""

    line: Line
    total: int
    bound: float
    cells: int
    logs: Any  # of the transforms of the bases, one row each
    rows: Any  # the transforms of the rows

    @classmethod
    def of(cls, line: Line, n: int, bound: Fraction) -> "Guess | None":
        """The guess for n users; None where floats or memory are too small, or inputs so many that it takes long."""
        laws = [{place: weight / line.unit for place, weight in row.items()} for row in (*line.bases, *line.rows)]
        means = [round(sum(place * p for place, p in law.items())) for law in laws]
        spread = max(sum((place - m) ** 2 * p for place, p in law.items()) for law, m in zip(laws, means, strict=True))
        cells = fft.next_fast_len(int(DEVIATIONS * sqrt(n * spread)) + 2 * max(map(max, line.rows)) + 64, real=True)
        if not SMALLEST < bound < 1 or cells > MOST_CELLS or len(line.inputs) > MOST_INPUTS:
            return None
        spectra = []
        for k, (law, mean) in enumerate(zip(laws, means, strict=True)):
            cell = np.zeros(cells)
            for place, p in law.items():
                cell[(place - (mean if k < len(line.bases) else 0)) % cells] += p  # what is moved changes nothing
            spectra.append(fft.rfft(cell))
        some = len(line.bases)
        bases = np.array(spectra[:some])
        logs = np.log(np.where(np.abs(bases) > 1e-30, bases, 1e-30))
        return cls(line, n - 1, float(bound), cells, logs, np.array(spectra[some:]))

    def views(self, counts: Composition) -> Any:
        """About what is seen with these others and a user on each input."""
        others = np.exp(sum(count * law for count, law in zip(counts, self.logs, strict=True)))  # no threads, as by @
        return fft.irfft(self.rows * others, self.cells)

    def largest(self, views: Any, eps: float) -> float:
        """The largest delta(eps) over all pairs of inputs, of these views."""
        power = exp(eps)
        return max(float(np.maximum(views - power * law, 0).sum(axis=1).max()) for law in views)

    def delta(self, counts: Composition, eps: float) -> float:
        """About the largest delta(eps) over all pairs of inputs, with these others."""
        return self.largest(self.views(counts), eps)

    def worst(self, starts: Sequence[Composition]) -> Composition:
        """A composition that needs about the largest eps, from some known ones: uphill, ever less far."""
        best, low = starts[0], self.epsilon(starts[0], 0.0)
        for counts in starts[1:]:
            if low < LARGEST and self.delta(counts, low) > self.bound * (1 + HAIR):
                best, low = counts, self.epsilon(counts, low)
        step = max(1, self.total // 4)
        while step and low < LARGEST:
            near = [c for c in _moved(best, step) if self.delta(c, low) > self.bound * (1 + HAIR)]
            if near:
                best = max(near, key=lambda counts: self.delta(counts, low))
                low = self.epsilon(best, low)
            else:
                step //= 2
        return best

    def keeping(self, bound: Fraction) -> "Guess":
        """The same laws, for another bound on delta."""
        return replace(self, bound=float(bound))

    def uphill(self, starts: Sequence[Composition], at: Fraction) -> Composition:
        """A composition that allows about the largest delta(eps), from some known ones: uphill, ever less far."""
        if at >= LARGEST:
            return starts[0]
        eps = float(at)
        best, step = max(starts, key=lambda counts: self.delta(counts, eps)), max(1, self.total // 4)
        most = self.delta(best, eps)
        while step:
            value, counts = max((self.delta(counts, eps), counts) for counts in [best, *_moved(best, step)])
            if value > most * (1 + HAIR):
                best, most = counts, value
            else:
                step //= 2
        return best

    def epsilon(self, counts: Composition, low: float) -> float:
        """About the eps that these others need, if it is above `low`."""
        high = max(2 * low, 1e-9)
        while self.delta(counts, high) > self.bound:
            low, high = high, 2 * high
            if high > LARGEST:
                return high
        for _ in range(STEPS):
            if high - low < 1e-6 * high:
                break
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(counts, middle) > self.bound else (low, middle)
        return high  # so that these counts are not looked for again

    def cover(self, boxes: Sequence[Box], at: Fraction, most: int) -> list[Box]:
        """Boxes that cover what these do and that about keep eps = `at`, but for single compositions, up to so many."""
        kept, stack, eps = list[Box](), list(boxes), float(at)
        while stack and eps < LARGEST and len(kept) + len(stack) < most:
            box = stack.pop()
            if box.one or self.delta(box.lower, eps) <= self.bound * (1 - HAIR):
                kept.append(box)
            else:
                stack += box.cut(self.total)[2:]
        return kept + stack


def _moved(counts: Composition, step: int) -> list[Composition]:
    """The compositions that so many users make who change from one class to another."""
    found = []
    for x, y in permutations(range(len(counts)), 2):
        if counts[x]:
            moved, by = list(counts), min(step, counts[x])
            moved[x] -= by
            moved[y] += by
            found.append(tuple(moved))
    return found
