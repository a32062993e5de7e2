"""The view (s + Z1 + Z3, Z2 + Z3) for any three independent integer noises, in two dimensions (GKMP Algorithm 3)."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import chain

from flint import fmpz, fmpz_poly

from protocols.shared.counts import window_size
from verify.enclose.interval import Ends
from verify.enclose.noise_laws import Noise
from verify.enclose.window import Window
from verify.errors import TooMuchWork
from verify.exact.epsilon import Eps
from verify.pairs.windowed import Atoms, WindowPair

MAX_CELLS = 3_000_000  # of one window; at more than LEAST bits ever fewer
LEAST = 128  # bits


@dataclass(frozen=True)
class Triple(WindowPair):
    """s = by against s = 0: P(u, v) = sum over c of Pr[Z3 = c] Pr[Z1 = u - by - c] Pr[Z2 = v - c], Q with by = 0.

    On each diagonal u - v = d the law is a product of two polynomials: Z3 and i -> Pr[Z1 = i] Pr[Z2 = i - d]. The
    divergence is summed diagonal by diagonal. Raises TooMuchWork for more than MAX_CELLS cells.
    """

    one: Noise
    two: Noise
    three: Noise
    by: int

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Ends around sum max(P - e^eps Q, 0)."""
        return _divergence(self, eps, bits)

    def atoms(self, bits: int) -> Atoms:
        """All diagonals' atoms, one after another."""
        parts = list(self.diagonals(bits))
        ends = [
            [list(chain.from_iterable(getattr(part, law)[end] for part in parts)) for end in (0, 1)] for law in "pq"
        ]
        return Atoms((ends[0][0], ends[0][1]), (ends[1][0], ends[1][1]), parts[0].outside, bits)

    def cells(self, bits: int) -> int:
        """About how many cells a window has."""
        one, two, three = (window_size(noise, bits) for noise in (self.one, self.two, self.three))
        return (one + two + self.by) * (three + min(one, two))

    def diagonals(self, bits: int) -> Iterator[Atoms]:
        """The atoms with u - v = d for d = ..., each with the bounds on what is outside the whole window."""
        if (cells := self.cells(bits)) * bits > MAX_CELLS * LEAST:
            raise TooMuchWork(
                f"noise triple: about {cells} cells at {bits} bits: expected at most {MAX_CELLS} at {LEAST}"
            )
        noises = (self.one, self.two, self.three)
        one, two, three = windows = [Window.of(noise, bits) for noise in noises]
        # where the windows start with the laws, nothing comes before a diagonal's first point
        whole = all(window.first == noise.low for window, noise in zip(windows, noises, strict=True))
        outside = sum(window.outside for window in windows)
        first, last = one.first - two.first - len(two.low) + 1, one.first + len(one.low) - 1 - two.first
        recent: dict[int, Window] = {}
        for d in range(first, last + self.by + 1):
            if d <= last:
                recent[d] = _diagonal(one, two, three, d, outside)
            P, Q = recent.pop(d - self.by, None), recent.get(d)
            if P is not None or Q is not None:
                yield _aligned(P, Q, 0 if whole else outside, outside, bits)


@lru_cache(maxsize=64)
def _divergence(pair: Triple, eps: Eps, bits: int) -> Ends:
    least, most, outside = Fraction(0), Fraction(0), 0
    for atoms in pair.diagonals(bits):
        low, _, scale = atoms.below.delta(eps).bounds(bits)
        _, high, scale_above = atoms.above.delta(eps).bounds(bits)
        least += Fraction(int(low), int(scale))
        most += Fraction(int(high), int(scale_above))
        outside = atoms.outside[0]
    return least, most + Fraction(outside, 1 << bits)


def _diagonal(one: Window, two: Window, three: Window, d: int, outside: int) -> Window:
    """The law of Z2 + Z3 on {Z1 - Z2 = d}; each point may have some of what is outside the three windows as well."""
    bits, start = one.bits, max(one.first - d, two.first)  # of Z2
    end = min(one.first + len(one.low) - d, two.first + len(two.low))
    both = []
    for x, y in ((one.low, two.low), (one.high, two.high)):
        x, y = x[start + d - one.first : end + d - one.first], y[start - two.first : end - two.first]
        both.append(fmpz_poly([a * b for a, b in zip(x, y, strict=True)]))
    low = [c >> 2 * bits for c in (both[0] * fmpz_poly(list(three.low))).coeffs()]
    high = [outside - (-c >> 2 * bits) for c in (both[1] * fmpz_poly(list(three.high))).coeffs()]
    low += [fmpz(0)] * (len(high) - len(low))
    return Window(start + three.first, low, high, outside, bits)


def _aligned(P: Window | None, Q: Window | None, before: int, outside: int, bits: int) -> Atoms:
    """Both on the points of either; `before` bounds a law ahead of its first point, `outside` elsewhere."""
    windows = [window for window in (P, Q) if window is not None]
    first = min(window.first for window in windows)
    last = max(window.first + len(window.high) for window in windows)

    def padded(law: Window | None) -> tuple[list[fmpz], list[fmpz]]:
        law = law or Window(first, [], [], outside, bits)
        ahead, behind = law.first - first, last - law.first - len(law.high)
        low = [fmpz(0)] * ahead + list(law.low) + [fmpz(0)] * behind
        return low, [fmpz(before)] * ahead + list(law.high) + [fmpz(outside)] * behind

    return Atoms(padded(P), padded(Q), (outside, outside), bits)
