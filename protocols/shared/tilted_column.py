"""The divergence of one column of bits (columns.py), as sharp at 10^-10000 as at 1/2: its laws, tilted to its event.

With G = Bin(m, 1 - flip) + Bin(z, flip) for m of the others on 1 and z on 0, a = 1 - flip - e^eps flip and b = e^eps (1
- flip) - flip, the divergence is

    delta(eps) = sum over k of max(h(k), 0),   h(k) = a G(k - 1) - b G(k).

Tilting. Let r > 0 be rational, A = flip + (1 - flip) r, B = 1 - flip + flip r, and T = Bin(m, (1 - flip) r / A) +
Bin(z, flip r / B). Then G(k) = A^m B^z r^-k T(k), as generating functions say at once, so that h(k) = A^m B^z r^-k
g(k), g(k) = a r T(k - 1) - b T(k). For r near b / a the event h > 0 begins next to the mode of T, however unlikely it
is in G.

One sign. G is a law of independent bits with chances in (0, 1), hence log-concave with G(0), ..., G(m + z) > 0: h(k) <=
0 implies h(j) <= 0 for all j < k, and h(k) >= 0 implies h(j) >= 0 for j > k. So for every t with h(t - 1) <= 0

    delta(eps) = A^m B^z r^-t (sum over k >= t of r^-(k - t) max(g(k), 0)).
"""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from flint import arb, fmpz

from shufflecert.verify.enclose.interval import NEGLIGIBLE, Ends
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.enclose.window import Window
from shufflecert.verify.exact.ball import ball, dyadic, precision
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.pairs.windowed import sum_window

MANTISSA = 32  # bits of the tilt


@dataclass(frozen=True)
class Tilted:
    """The laws tilted by `tilt` >= 1, and bounds on 2^bits a r and on 2^bits b, of the module's text, for one eps."""

    flip: Fraction
    tilt: Fraction
    more: tuple[int, int]
    less: tuple[int, int]
    bits: int

    @property
    def heads(self) -> tuple[Fraction, Fraction]:
        """A and B."""
        return self.flip + (1 - self.flip) * self.tilt, 1 - self.flip + self.flip * self.tilt

    def noises(self, ones: int, zeros: int) -> tuple[Binomial, Binomial]:
        """The two laws of which T is the sum, for so many others on 1 and on 0."""
        one, zero = self.heads
        return Binomial(ones, (1 - self.flip) * self.tilt / one), Binomial(zeros, self.flip * self.tilt / zero)

    def window(self, ones: int, zeros: int) -> Window:
        """T on a window, with bounds on it that hold at every one of its points."""
        laws = tuple(law for law in self.noises(ones, zeros) if law.n)
        if laws:
            return sum_window(laws, self.bits)
        one = [fmpz(1) << self.bits]
        return Window(0, one, one, 0, self.bits, True, True)

    def weight(self, ones: int, zeros: int, start: int) -> arb:
        """A^ones B^zeros r^-start, at the precision in force."""
        one, zero = self.heads
        return (ones * ball(one).log() + zeros * ball(zero).log() - start * ball(self.tilt).log()).exp()


def tilted(flip: Fraction, eps: Eps, bits: int) -> Tilted | None:
    """The tilt for 0 < flip < 1/2 and this eps; None where so many bits do not show that a > 0."""
    low, high = eps.bounds(bits)
    more = 1 - flip - high * flip, 1 - flip - low * flip
    less = low * (1 - flip) - flip, high * (1 - flip) - flip
    if more[0] <= 0:
        return None
    ratio = max(less[0] / more[0], Fraction(1))
    shift = MANTISSA + ratio.denominator.bit_length() - ratio.numerator.bit_length()
    tilt = max(Fraction(floor(ratio * Fraction(2) ** shift)) / Fraction(2) ** shift, Fraction(1))
    scale = Fraction(1 << bits)
    rises = floor(more[0] * tilt * scale), ceil(more[1] * tilt * scale)
    return Tilted(flip, tilt, rises, (floor(less[0] * scale), ceil(less[1] * scale)), bits)


def column_ends(flip: Fraction, ones: int, zeros: int, eps: Eps, bits: int) -> Ends:
    """Rational ends around delta(eps) for so many others on 1 and on 0, 0 < flip < 1/2."""
    at = tilted(flip, eps, bits)
    if at is None:  # delta(eps) <= a
        return Fraction(0), max(1 - flip - eps.bounds(bits)[0] * flip, Fraction(0))
    window = at.window(ones, zeros)
    start = first_rise(at, window)
    if start is None:
        return Fraction(0), Fraction(1)
    low, high = _sums(at, window, start)
    with precision(bits + 64 + (ones + zeros).bit_length()):
        weight = at.weight(ones, zeros, start) / arb(2) ** bits
        least, most = weight * low, weight * high
        if most < arb(2) ** -NEGLIGIBLE:
            return Fraction(0), Fraction(1, 1 << NEGLIGIBLE)
        return max(dyadic(least.lower()), Fraction(0)), min(dyadic(most.upper()), Fraction(1))


def first_count(flip: Fraction, ones: int, zeros: int, eps: Eps, bits: int = 256) -> int | None:
    """About the first number of ones with P > e^eps Q, none being below it; None where so many bits do not tell."""
    at = tilted(flip, eps, bits)
    return None if at is None else first_rise(at, at.window(ones, zeros))


def first_rise(at: Tilted, window: Window) -> int | None:
    """The largest t near the mode of T for which the window shows h(t - 1) <= 0; None where it shows none."""
    peak = max(range(len(window.low)), key=window.low.__getitem__) if window.low else 0
    k = window.first + peak
    while not (shown := _falls(at, window, k)) and k > window.first:
        k -= 1
    if not shown:
        return window.first if window.begins else None
    while k < window.first + len(window.low) and _falls(at, window, k + 1):
        k += 1
    return k + 1


def _falls(at: Tilted, window: Window, k: int) -> bool:
    """Whether the window shows that h(k) <= 0."""
    before, i = (window.outside, 0)[window.begins], k - window.first
    high = window.high[i - 1] if 0 < i <= len(window.high) else (before if i <= 0 else window.outside)
    return at.more[1] * int(high) <= at.less[0] * (int(window.low[i]) if 0 <= i < len(window.low) else 0)


def _sums(at: Tilted, window: Window, start: int) -> tuple[int, int]:
    """Bounds on 2^bits times the sum over k >= start of r^-(k - start) max(g(k), 0).

    What follows the last k of the sum, j, is at most r^-(j + 1 - start) a r times T's mass from j on.
    """
    bits, end = at.bits, window.first + len(window.low) + 1
    top, bottom = at.tilt.as_integer_ratio()
    last, mass = end, window.outside
    if at.tilt >= 2:  # no more terms than count
        last = min(end, start + 2 + bits // (at.tilt.numerator // at.tilt.denominator).bit_length() * 2)
        mass = window.outside if last == end else 1 << bits
    whole, skip = window.on(window.first - 1, end), start - window.first
    lows, highs = ([int(w) for w in law[skip : skip + last - start + 2]] for law in whole)
    low, high = 0, -(-at.more[1] * mass >> bits)
    for i in range(len(lows) - 1, 0, -1):
        low = low * bottom // top + max((at.more[0] * lows[i - 1] - at.less[1] * highs[i]) >> bits, 0)
        high = -(-high * bottom // top) + max(-((at.less[0] * lows[i] - at.more[1] * highs[i - 1]) >> bits), 0)
    return low, high
