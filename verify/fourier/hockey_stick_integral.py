"""The hockey-stick integral: E max(e^S - e^x, 0) for a sum S of independent terms, between two certain bounds.

With z = c + i t, c > 1 and y = z - 1/2, max(e^s - e^x, 0) is 1/(2 pi) times the integral over t of e^(z(s - x) + x) K,
K = 1 / (y^2 - 1/4). So with M(c) = E e^(c(S - x)) and phi(t) = E e^(z(S - x)) / M(c), the characteristic function of
S - x tilted by c, the mean is e^x M(c) / (2 pi) times the integral of phi K. All here is relative to e^x M(c),
Chernoff's bound: small values cost no more than large ones.

The jitter ends the integral. Let U be in [-a, a] with an even density, k(y) = E e^(yU). Tilted by e^(-u/2) / k(1/2) it
has E e^U = 1, so by Jensen's inequality the mean over s + U, for which K has the factor k(y) / k(1/2), is no smaller.
Divided by e^((s + x)/2), and with r = |s - x|, it is larger by

    E[2 sinh((U - r)/2); U > r] / k(1/2)  <=  j E[U - r; U > r]  <=  j E[U; U > r],      j = 2 sinh(a/2) / (a k(1/2)),

at once for s < x, and for s > x since e^s is the mean of e^(s + U). As a function on both sides of x, the last has the
transform j k'(y) / y (by parts: E U e^(yU) is y times the integral of E[U; U > |r|] e^(yr)). So

    K_up = k(y) / k(1/2) / (y^2 - 1/4)      and      K_low = K_up - j k'(y) / y

bound from both sides. U / a has density beta I_0(beta sqrt(1 - v^2)) / (2 sinh beta): k(y) = g(w) / g(beta) with
g(w) = sinh(w) / w and w^2 = beta^2 + (a y)^2, about e^-beta once a t > beta. The bounds are a^2 / beta c (c - 1) apart,
relatively, and a sum ends at t = beta / a: digits cost the root of ten each.

The echoes. For a step h and P = 2 pi / h, h/(2 pi) sum over n of phi(nh) K(nh) is, by Poisson's summation formula, the
sum over m of D_K(mP), where D(r) is the mean at x + r instead of x, times e^((c-1) r), and D_K_low <= D <= D_K_up.
Steps of 2h give every multiple of P/2. Of these the odd ones are subtracted: they are small, so that alternating signs,
steps of h and a wider jitter bound them well. The even ones, m != 0, only add to the upper bound.

Most points count little: where |phi| is small they are bounded, not summed.

Characteristic functions at evenly spaced points, in fixed point, by products of matrices of integers.

    phi(t) = sum_i w_i e^(i t v_i),      w_i > 0 with sum 1, v_i real.

In a row t = t_r + b h, |b| <= B, the angle t v_i is a sum, so with cosines and sines over (row, i) times w_i, and over
(i, b), four products of matrices give all values of all rows: a small integer multiplication for each point and atom.
The cosines come from cos(x + y) = 2 cos(x) cos(y) - cos(x - y), one multiplication each.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil, floor
from operator import add, mul
from typing import Any

from flint import acb, acb_series, arb, fmpz, fmpz_mat

from shufflecert.verify.exact.rational import ball, dyadic, precision

UNIT = 120  # bits of the weights
FIXED = 160  # bits of powers
CHUNK = 100_000  # values of one product of matrices
TERMS = 10  # of a Taylor series, at most
FIRST = 64  # points at the start, each with its own K
MIN_ERROR = 11
WIDE = 700  # points of half a row, at most
HALF = arb("0.5")


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


@dataclass(frozen=True)
class Jitter:
    """The law of the random shift U = a V that makes the integral short, with its transforms K_up and K_low."""

    a: arb
    beta: int

    @cached_property
    def top(self) -> arb:
        """The constant g(beta) k(1/2): k(y) / k(1/2) is g(w) divided by it."""
        return _g((arb(self.beta) ** 2 + self.a**2 / 4).sqrt())

    @cached_property
    def bump(self) -> arb:
        """The constant factor in j k'(y) / y: this times (g'(w) / w) / top."""
        return 2 * self.a * (self.a / 2).sinh()

    def end(self, c: arb) -> Fraction:
        """The t at which K_up and K_low have become small, and `beyond` with them: about beta / a."""
        return dyadic(((arb(self.beta) ** 2 + 4) / self.a**2 + c**2).sqrt().mid())

    def series(self, y: acb, terms: int) -> tuple[list[acb], list[acb]]:
        """The Taylor coefficients of K_up and K_low in v, at y + i v."""
        at: Any = acb_series([y, acb(0, 1)], terms) if terms > 1 else y
        w = (at * at * self.a**2 + self.beta**2).sqrt()
        grown = w.exp()
        shrunk = 1 / grown
        g = (grown - shrunk) / (2 * w)
        up = g / (at * at - arb("0.25")) / self.top
        low = up - self.bump * ((grown + shrunk) / 2 - g) / (w * w) / self.top
        if terms == 1:
            return [up], [low]
        return [up[m] for m in range(terms)], [low[m] for m in range(terms)]

    def remainder(self, c: arb, radius: arb, ratio: arb, terms: int) -> arb:
        """A bound on what `terms` terms of a series miss at ratio times radius, where |y - 1/2| >= 2 radius (Cauchy's
        bound).

        Transforms of positive functions are largest at Re y, and |y^2 - 1/4| >= radius^2 on the circle.
        """
        w = ((self.a * (c - HALF + radius)) ** 2 + self.beta**2).sqrt()
        most = (_g(w) / radius**2 + self.bump * (w.cosh() - _g(w)) / w**2) / self.top
        return most * ratio**terms / (1 - ratio)

    def beyond(self, c: arb, t: arb) -> tuple[arb, arb]:
        """Bounds on 1/pi times the integrals of |K_up| and |K_low| over all points beyond t, for a t > beta.

        With s = a t and b^2 = beta^2 + a^2 (c - 1/2)^2, |w| >= W = sqrt(s^2 - b^2) and Re w <= a (c - 1/2) s / W; |g|
        is at most cosh(Re w) / |w|, |g'(w) / w| is cosh(Re w) (1 + 1/W) / |w|^2 at most, |y^2 - 1/4| at least t^2.
        """
        s, b = self.a * t, (arb(self.beta) ** 2 + (self.a * (c - HALF)) ** 2).sqrt()
        w = (s**2 - b**2).sqrt()
        most = (self.a * (c - HALF) * s / w).cosh() / (arb.pi() * self.top)
        integral = ((s + b) / (s - b)).log() / (2 * b)  # of 1 / W^2
        up = most * self.a / s * integral
        return up, up + most * self.bump / self.a * (1 + 1 / w) * integral


def _g(w: arb) -> arb:
    return w.sinh() / w


@dataclass
class Sums:
    """Running sums: h/pi times what was added of phi K_up and of phi K_low, and a bound on what was left out."""

    jitter: Jitter
    times: int  # of the step h
    up: arb
    low: arb
    missed: arb
    end: int = 0  # the last point, in steps


@dataclass(frozen=True)
class Line:
    """The plan of a sum: characteristic functions with how often each is taken, c, the step h, and the jitters.

    One jitter, `main`, for the even multiples of the step, a wider one, `echo`, for all. `aim` is how much of delta /
    H may be missed.
    """

    laws: Sequence[tuple[Characteristic, int]]
    c: arb
    step: Fraction
    main: Jitter
    echo: Jitter
    aim: arb

    def bounds(self) -> tuple[arb, arb]:
        """Lower and upper bounds on delta / H; the echoes at even multiples are still to be added to the upper one."""
        main, echo = (Sums(jitter, n, arb(0), arb(0), arb(0)) for jitter, n in ((self.main, 2), (self.echo, 1)))
        level = arb(1)
        for points in self.points():
            both = [main, echo] if points.stride == 1 else [main]
            level = self.add(points, level, both)
            for sums in both:
                sums.end = points.end - sums.times
        for sums in (main, echo):
            up, low = sums.jitter.beyond(self.c, ball(sums.end * self.step))
            sums.up, sums.low = sums.up + sums.missed + up, sums.low - sums.missed - low
        return main.low - echo.up, main.up - echo.low

    def points(self) -> Iterator[Points]:
        """The points to sum over: all of them for the echoes, then even ones.

        Half a row is at most an eighth of a series' radius.
        """
        yield Points(0, 0, FIRST)
        at = FIRST
        for jitter, stride in ((self.echo, 1), (self.main, 2)):
            last = ceil(jitter.end(self.c) / self.step) + 2
            while at < last:
                at += -at % stride
                half = min(at // (16 * stride), WIDE)
                rows = ceil(Fraction(min(last, 16 * at) - at, stride * (2 * half + 1)))
                yield Points(at, half, rows, stride)
                at += stride * rows * (2 * half + 1)

    def add(self, points: Points, level: arb, targets: Sequence[Sums]) -> arb:
        """Add the terms at these points to the sums in `targets`.

        `level` is a guess of the mean |phi| there, and one for the next points is returned.
        """
        (_, copies), whole, h = self.laws[0], sum(n for _, n in self.laws), ball(self.step)
        radius = ((self.c - 1) ** 2 + (points.first * h) ** 2).sqrt() / 2
        reach = points.half * points.stride * h
        share = self.aim * arb.pi() * radius / level
        least = (self.aim * points.first * h / 40).root(copies) if points.first else arb(1)
        error = min(90, max(MIN_ERROR, bits_of(share * least / (64 * whole))))
        exact = arb(2) ** -error
        terms = 1
        while points.half and terms < TERMS and not (reach / radius) ** terms < share / 1000:
            terms += 1
        missed = [sums.jitter.remainder(self.c, radius, reach / radius, terms) for sums in targets]
        rows = [law.rows(points, self.step, error) for law, _ in self.laws]
        bits = [r[0] for r in rows]
        unit, scale = arb(2) ** bits[0], arb(2) ** -FIXED
        grown = (1 + exact) ** whole
        rounded = points.width * 4 * whole * scale * grown  # of powers in fixed point
        total = arb(0)
        for row, values in enumerate(zip(*(r[1] for r in rows), strict=True)):
            t = points.middle(row) * h
            kernels = [sums.jitter.series(acb(self.c - HALF, t), terms) for sums in targets]
            sizes = [_size(kernel, reach) + miss for kernel, miss in zip(kernels, missed, strict=True)]
            limit = (
                0 if not points.first else floor(dyadic(((self.aim / (40 * sizes[0] * t)).root(copies) * unit).mid()))
            )
            found = _moments(values, [n for _, n in self.laws], bits, limit, terms, points, row)
            small, mass = limit / unit, (found.size * scale + rounded) * grown
            total += mass + found.skipped * small**copies
            if limit:
                wrong = mass * whole * exact / small * (1 + exact / small) ** whole
            else:
                wrong = points.width * whole * exact * grown
            wrong += found.skipped * (small + exact) ** copies + rounded
            for sums, kernel, size, miss in zip(targets, kernels, sizes, missed, strict=True):
                weight = sums.times * h / arb.pi() / (1 if points.middle(row) else 2)
                up = low = arb(0)
                for m, (u, v) in enumerate(found.even if sums.times == 2 else found.alternating):
                    value = acb(u, v) * scale * (h * points.stride) ** m
                    up, low = up + (kernel[0][m] * value).real, low + (kernel[1][m] * value).real
                sums.up, sums.low = sums.up + weight * up, sums.low + weight * low
                sums.missed += weight * (wrong * size + mass * miss)
        return 4 * total / (points.rows * points.width)


@dataclass(frozen=True)
class Found:
    """Sums over one row of d^m phi, d a point's distance from the middle: over even and over odd multiples of the
    step.

    In units of 2^-FIXED. `size` is the sum of |phi of the first law|^copies over the same points; `skipped` counts
    those of small |phi|.
    """

    even: list[list[int]]
    odd: list[list[int]]
    size: int
    skipped: int

    @property
    def alternating(self) -> list[list[int]]:
        """The sums with alternating signs: those over even multiples of the step minus those over odd ones."""
        return [[a - c, b - d] for (a, b), (c, d) in zip(self.even, self.odd, strict=True)]


def _moments(
    values: Sequence[tuple[list[fmpz], list[fmpz]]],
    copies: Sequence[int],
    bits: Sequence[int],
    limit: int,
    terms: int,
    points: Points,
    row: int,
) -> Found:
    """The sums of a row over the points where the first law has |phi| > limit: over all of them for limit = 0."""
    re, im = values[0]
    above = limit * limit if limit else -1
    large = [b for b, x in enumerate(map(add, map(mul, re, re), map(mul, im, im))) if x > above]
    even, odd = ([[0, 0] for _ in range(terms)] for _ in range(2))
    size = 0
    for b in large:
        u, v = power(fixed(re[b], bits[0]), fixed(im[b], bits[0]), copies[0])
        size += abs(u) + abs(v)
        for (other_re, other_im), n, one in zip(values[1:], copies[1:], bits[1:], strict=True):
            x, y = power(fixed(other_re[b], one), fixed(other_im[b], one), n)
            u, v = u * x - v * y >> FIXED, u * y + v * x >> FIXED
        d = b - points.half
        for moment in odd if (points.middle(row) + points.stride * d) % 2 else even:
            moment[0] += u
            moment[1] += v
            u, v = u * d, v * d
    return Found(even, odd, size, len(re) - len(large))


def _size(kernel: tuple[list[acb], list[acb]], reach: arb) -> arb:
    """A bound on |K_up| and |K_low| up to the distance `reach` from where they are developed.

    What the series miss there comes on top.
    """
    up, low = (sum((abs(k) * reach**m for m, k in enumerate(part)), arb(0)) for part in kernel)
    return up.max(low)
