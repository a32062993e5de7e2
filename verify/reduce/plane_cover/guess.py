"""Guesses in floats, by Fourier transforms, of what others of any composition make of delta(eps). Nothing is proved.

Which composition is the worst, and which boxes keep a bound: what is guessed here is tried again in exact arithmetic
(verify/reduce/plane_cover/reach.py), and a wrong guess leaves a wider interval. The others' total is taken modulo a
rectangle: its transform is the product of powers of their rows' transforms.
"""

from collections.abc import Sequence
from typing import Any

from verify.reduce.compositions import Composition
from verify.reduce.plane_cover.plane import Plane, Point
from verify.runs.later import Later

np: Any = Later("numpy")
fft: Any = Later("scipy.fft")
REACH, MOST_CELLS = 7.0, 1 << 21  # standard deviations from the middle; cells of a grid
Grid = tuple[int, int]


def grid(plane: Plane, n: int) -> Grid | None:
    """The rectangle (rows, columns) for n users; None where it is too large."""
    shape = []
    for i in (1, 0):
        spread = max(float(plane.moments(x)[1][i]) for x in range(len(plane.laws)))
        most = max(point[i] for row in plane.rows for point in row)
        shape.append(
            fft.next_fast_len(min(n * most + 1, int(2 * REACH * (n * spread) ** 0.5) + 6 * most + 8), real=True)
        )
    return (shape[0], shape[1]) if shape[0] * shape[1] <= MOST_CELLS else None


class Guess:
    """Guesses for n users of a randomizer in the plane."""

    def __init__(self, plane: Plane, shape: Grid, drawn: bool = True):
        self.shape, self.pairs, self.alike = shape, plane.pairs(), float(plane.alike()) if drawn else 0.0
        self.rows = [self.transform(row, plane.unit) for row in plane.rows]
        with np.errstate(divide="ignore"):
            self.logs = [np.log(self.transform(law, sum(law.values())) + 1e-300) for law in plane.laws]

    def transform(self, law: Any, unit: int) -> Any:
        """The transform of a law, with weights over `unit`."""
        cells = np.zeros(self.shape)
        point: Point
        for point, weight in law.items():
            cells[point[1] % self.shape[0], point[0] % self.shape[1]] += float(weight) / float(unit)
        return fft.rfft2(cells)

    def total(self, counts: Composition) -> Any:
        """The transform of the law of these others' total."""
        return np.exp(sum(c * log for c, log in zip(counts, self.logs, strict=False) if c) + 0 * self.logs[0])

    def views(self, counts: Composition) -> list[Any]:
        """What is seen with these others and a user on each input."""
        total = self.total(counts)
        return [np.maximum(fft.irfft2(row * total, self.shape).ravel(), 0) for row in self.rows]

    def delta(self, views: Sequence[Any], eps: float) -> float:
        """The largest delta(eps) over the pairs of inputs."""
        power = float(np.exp(min(eps, 700.0)))
        return max(float(np.maximum(views[a] - power * views[b], 0).sum()) for a, b in self.pairs)

    def draws(self, users: int, tail: float) -> int:
        """About how many of so many users at least send what is common, but for so small a probability."""
        if self.alike in (0.0, 1.0):
            return int(users * self.alike)
        low, high = 0, int(users * self.alike)  # how many; by Chernoff's bound
        while low < high:
            middle = -(-(low + high) // 2)
            part = (middle - 1) / users
            rate = part * np.log(part / self.alike) if part else 0.0
            rate += (1 - part) * np.log((1 - part) / (1 - self.alike))
            low, high = (middle, high) if users * rate > -np.log(tail) else (low, middle - 1)
        return low

    def epsilon(self, views: Sequence[Any], bound: float, low: float, most: float) -> float:
        """About the smallest eps that keeps the bound, not below `low`; `most` where none is found below."""
        if self.delta(views, low) <= bound:
            return low
        high = max(2 * low, 1e-3)
        while self.delta(views, high) > bound:
            if high >= most:
                return most
            low, high = high, min(2 * high, most)
        for _ in range(40):
            if high - low <= 1e-7 * high:
                break
            middle = (low + high) / 2
            low, high = (middle, high) if self.delta(views, middle) > bound else (low, middle)
        return low
