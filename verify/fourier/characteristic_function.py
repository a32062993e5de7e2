"""Characteristic functions at evenly spaced points, in fixed point, by products of matrices of integers.

    phi(t) = sum_i w_i e^(i t v_i),      w_i > 0 with sum 1, v_i real.

In a row t = t_r + b h, |b| <= B, the angle t v_i is a sum, so with cosines and sines over (row, i) times w_i, and over
(i, b), four products of matrices give all values of all rows: a small integer multiplication for each point and atom.
The cosines come from cos(x + y) = 2 cos(x) cos(y) - cos(x - y), one multiplication each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from flint import arb, fmpz, fmpz_mat

from shufflecert.verify.exact.rational import ball, dyadic, precision

UNIT = 120  # bits of the weights
FIXED = 160  # bits of powers
CHUNK = 100_000  # values of one product of matrices


@dataclass(frozen=True)
class Points:
    """Evenly spaced multiples of a step, in rows: first + stride k, 0 <= k < rows (2 half + 1).

    A row has 2 half + 1 points, `half` on each side of its middle.
    """

    first: int
    half: int
    rows: int
    stride: int = 1

    @property
    def width(self) -> int:
        """The number of points of a row."""
        return 2 * self.half + 1

    @property
    def end(self) -> int:
        """The multiple of the step at which the row after the last one would begin."""
        return self.first + self.stride * self.rows * self.width

    def middle(self, row: int) -> int:
        """The multiple of the step in the middle of a row."""
        return self.first + self.stride * (self.half + row * self.width)


@dataclass(frozen=True)
class Characteristic:
    """The characteristic function phi of a law with weights w_i and values v_i.

    |2^UNIT w_i - weights[i]| <= 1, in falling order of the weights; the values are balls.
    """

    weights: Sequence[int]
    values: Sequence[arb]

    @classmethod
    def of(cls, weights: Sequence[arb], values: Sequence[arb]) -> "Characteristic":
        """The characteristic function of weights w_i whose balls are narrower than 2^-UNIT."""
        unit = arb(2) ** UNIT
        atoms = sorted(((floor(dyadic((w * unit).mid())), i) for i, w in enumerate(weights)), reverse=True)
        return cls([w for w, _ in atoms], [values[i] for _, i in atoms])

    def atoms(self, error: int) -> int:
        """The number of atoms, the heaviest first, that have all but 2^-(error + 2) of the mass."""
        missing, count = (1 << UNIT) - (1 << UNIT - error - 3), 0
        while missing > 0 and count < len(self.weights):
            missing -= self.weights[count]
            count += 1
        return count

    def rows(self, points: Points, step: Fraction, error: int) -> "tuple[int, Iterator[tuple[list[fmpz], list[fmpz]]]]":
        """The values of phi at some points, row by row: (bits, rows), as lists of real and of imaginary parts.

            |(re + i im) / 2^bits - phi| <= 2^-error

        For error from 4 to 100. The roundings of a product are at most 2 (K x + y), K atoms, for x and y the largest
        errors of the factors' entries, x <= 2^-(fine + 1) and y <= 2^-(coarse + 1) but for parts in a thousand.
        """
        count = self.atoms(error)
        fine, coarse = error + 2 + count.bit_length(), error + 2
        bits = fine + 11 + 2 * max(points.half + 1, points.rows).bit_length()
        tables = [self._tables(i, points, step, bits, fine, coarse) for i in range(count)]
        columns = [fmpz_mat(count, points.half + 1, [v for table in tables for v in table[k]]) for k in (2, 3)]
        return fine + coarse, _rows([table[:2] for table in tables], columns, points)

    def _tables(self, i: int, points: Points, step: Fraction, bits: int, fine: int, coarse: int) -> list[list[int]]:
        with precision(bits + 64 + points.end.bit_length()):
            turn, weight = self.values[i] * ball(step) * points.stride, arb(self.weights[i]) / arb(2) ** UNIT
            start = self.values[i] * ball(step) * points.middle(0)
            rows = _waves(weight, start, turn * points.width, points.rows, bits)
            columns = _waves(arb(1), arb(0), turn, points.half + 1, bits)
        return [_rounded(wave, bits - fine) for wave in rows] + [_rounded(wave, bits - coarse) for wave in columns]


def _rows(
    tables: list[list[list[int]]], columns: list[fmpz_mat], points: Points
) -> Iterator[tuple[list[fmpz], list[fmpz]]]:
    size, chunk = points.half + 1, max(1, CHUNK // (points.half + 1))
    for start in range(0, points.rows, chunk):
        part = min(chunk, points.rows - start)
        cos, sin = (
            fmpz_mat(len(tables), part, [v for table in tables for v in table[k][start : start + part]]).transpose()
            for k in (0, 1)
        )
        cc, ss, sc, cs = cos * columns[0], sin * columns[1], sin * columns[0], cos * columns[1]
        right, left = ((cc - ss).entries(), (sc + cs).entries()), ((cc + ss).entries(), (sc - cs).entries())
        for at in range(0, part * size, size):
            re, im = (
                mirror[at + 1 : at + size][::-1] + side[at : at + size]
                for mirror, side in zip(left, right, strict=True)
            )
            yield re, im


def _waves(amplitude: arb, phase: arb, turn: arb, count: int, bits: int) -> tuple[list[int], list[int]]:
    """Integers within 2 (k + 1)^2 of 2^bits amplitude cos(phase + k turn), and sin, for k < count and amplitude <= 1.

    By v_(k+1) = 2 cos(turn) v_k - v_(k-1). Starting values are off by at most 1.1, a step adds at most 2.1 (its floor,
    and the rounding of the cosine), and an error that enters grows like sin(j turn) / sin(turn), at most j, in j steps.
    """
    unit = arb(2) ** bits
    twice = _integer(2 * turn.cos() * unit)
    (sin0, cos0), (sin1, cos1) = phase.sin_cos(), (phase + turn).sin_cos()
    waves = []
    for start, following in ((cos0, cos1), (sin0, sin1)):
        before, now = _integer(amplitude * start * unit), _integer(amplitude * following * unit)
        wave = [before, now]
        for _ in range(count - 2):
            before, now = now, (twice * now >> bits) - before
            wave.append(now)
        waves.append(wave[:count])
    return waves[0], waves[1]


def _rounded(wave: list[int], bits: int) -> list[int]:
    half = 1 << bits - 1
    return [(v + half) >> bits for v in wave]


def _integer(number: arb) -> int:
    return floor(dyadic(number.mid()))


def power(re: int, im: int, exponent: int) -> tuple[int, int]:
    """The power (re + i im)^exponent in units of 2^-FIXED, for exponent >= 1: within (4 exponent - 2) M^exponent units.

    M >= 1 is at least the modulus of re + i im, which may itself be off by sqrt(2) units. Each component of a product
    is rounded down, so that one of the powers i and j is off by (4i - 2) + (4j - 2) + sqrt(2) units, times M^(i + j),
    and a tiny part more.
    """
    a, b = re, im
    for bit in bin(exponent)[3:]:
        a, b = a * a - b * b >> FIXED, 2 * a * b >> FIXED
        if bit == "1":
            a, b = a * re - b * im >> FIXED, a * im + b * re >> FIXED
    return a, b


def fixed(number: fmpz, bits: int) -> int:
    """A number over 2^bits in units of 2^-FIXED, rounded down."""
    return int(number) << FIXED - bits if bits <= FIXED else int(number) >> bits - FIXED


def bits_of(number: arb) -> int:
    """About how many bits a small number needs: the least integer e >= 0, or one more, with 2^-e <= number.

    A guess: the ball's middle is taken.
    """
    return max(0, ceil(1 / dyadic(number.mid())).bit_length())
