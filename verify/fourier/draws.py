"""Independent draws from laws with finitely many values: the moment generating function of their sum, M(s) = E e^(sY).

It is sampled at equal steps along a vertical line. Steps at which |M| is small are passed over by the thousand: |M|
moves slowly, and it is large only where each value's angle is near a whole turn (`Draws.walk`). Balls are flint's `arb`
at the precision in force.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import acb, arb

from shufflecert.verify.exact.rational import ball, dyadic, precision

Points = Sequence[tuple[Fraction, Fraction]]  # (weight > 0, value)
STEPS = 300  # at most, of a guess that doubles
TURN = 96  # bits of a turn


def bits_for_draws(n: int) -> int:
    """The precision in bits at which n-th powers are good to over 100 bits."""
    return 160 + 2 * n.bit_length()


class Measure:
    """A measure on finitely many values: weights >= 0 that need not sum to 1."""

    def __init__(self, points: Points) -> None:
        self.points = [(ball(weight), ball(value)) for weight, value in points]

    @classmethod
    def constant(cls, value: arb) -> "Measure":
        """The measure of one value, with weight 1."""
        law = cls([])
        law.points = [(arb(1), value)]
        return law

    def above(self) -> arb:
        """The mean of the positive part of one draw, for weights divided by their total."""
        total = sum((weight for weight, _ in self.points), arb(0))
        return sum((weight * value.max(arb(0)) for weight, value in self.points), arb(0)) / total

    def moments(self, s: arb) -> tuple[arb, arb, arb]:
        """The sums of w e^(sv), w v e^(sv) and w v^2 e^(sv)."""
        zeroth, first, second = arb(0), arb(0), arb(0)
        for weight, value in self.points:
            term = weight * (s * value).exp()
            zeroth, first, second = zeroth + term, first + term * value, second + term * value * value
        return zeroth, first, second


@dataclass(frozen=True)
class Draws:
    """The sum Y of independent draws: for each measure in `laws`, the number of draws from it."""

    laws: Sequence[tuple[Measure, int]]

    def cumulants(self, s: arb) -> tuple[arb, arb, arb]:
        """The logarithm of the moment generating function M(s), and its first two derivatives."""
        log, slope, curvature = arb(0), arb(0), arb(0)
        for law, n in self.laws:
            zeroth, first, second = law.moments(s)
            mean = first / zeroth
            log, slope, curvature = (
                log + n * zeroth.log(),
                slope + n * mean,
                curvature + n * (second / zeroth - mean * mean),
            )
        return log, slope, curvature

    def log(self, s: arb) -> arb:
        """The logarithm of the moment generating function M(s), for real s."""
        return sum((n * law.moments(s)[0].log() for law, n in self.laws), arb(0))

    def guess(self, slope: arb, start: arb, pole: int) -> arb:
        """A guess at the s > 0 where the derivative of log M(s) - pole log(s), which rises, is `slope`."""

        def above(s: arb) -> bool:
            return bool(self.cumulants(s)[1] - pole / s > slope)

        with precision(64):
            low = high = start.mid()
            for _ in range(STEPS):
                if not above(low):
                    break
                high, low = low, low / 2
            for _ in range(STEPS if low == high else 0):
                if above(high):
                    break
                low, high = high, high * 2
            for _ in range(60):  # as near as the width of the integrand, or to a part in 32
                middle = (low * high).sqrt().mid()
                low, high = (low, middle) if above(middle) else (middle, high)
                if 32 * (high - low) < low and not (pole and self.cumulants(low)[2] * (high - low) ** 2 > arb(1) / 16):
                    break
            return low.mid()

    def walk(self, eta: arb, h: arb, last: int, small: arb, effort: int, before: "Samples | None" = None) -> "Samples":
        """Sample M(eta + i k h) / M(eta), k = 0, ..., last, until `effort` is spent; but not what is below e^-small.

        Goes on from where `before`, samples with the same eta, h and small, ends.

        For one draw, with the weights p_j e^(eta v_j) scaled to total 1, phi(x) = sum_j p_j e^(i x v_j): |phi(x)| moves
        by at most |x - x'| sum_j p_j |v_j - v|, for any v, as the factor e^(-i x v) leaves it alone. The product of all
        |phi|^n is at most e^-depth, depth = sum of n (1 - |phi|). `Stretch` leaps over most of what is below e^-small.
        """
        tilted, pace, centres, stretches = [], arb(0), arb(0), list["Stretch"]()
        for law, n in self.laws:
            weights = [weight * (eta * value).exp() for weight, value in law.points]
            total, j = sum(weights, arb(0)), 0
            for i, weight in enumerate(weights):
                j = i if weight > weights[j] else j
            centre = law.points[j][1]
            centres += n * centre
            moves = [value - centre for _, value in law.points]
            pace += n * sum((w * abs(v) for w, v in zip(weights, moves, strict=True)), arb(0)) / total
            moving = [(w / total, h * v) for i, (w, v) in enumerate(zip(weights, moves, strict=True)) if i != j]
            tilted.append((weights[j] / total, moving, n))
            stretches += (one for w, v in moving if (one := Stretch.of(weights[j] / total, w, v, small / n, last)))
        known = before or Samples([(0, acb(1))], 0, 0, 0)
        kept, k, skipped, spent = [*known.kept], known.last + 1, known.skipped, known.spent
        pace, turn = (pace * h).upper(), acb(0, centres * h)
        while k <= last and spent < effort:
            if leap := max((stretch.leap(k) for stretch in stretches), default=0):
                leap, spent = min(leap, last - k + 1), spent + 1
                k, skipped = k + leap, skipped + leap
                continue
            depth, factors = arb(0), []
            for real, moving, n in tilted:
                imaginary = arb(0)
                for weight, angle in moving:
                    sine, cosine = (angle * k).sin_cos()
                    real, imaginary = real + weight * cosine, imaginary + weight * sine
                factors.append((acb(real, imaginary), n))
                depth += n * (1 - factors[-1][0].abs_upper())
                spent += 1 + len(moving)
            if depth > small:  # and so for all k up to this one and `step` - 1 more
                room = (depth - small).lower()
                step = last - k + 1 if pace * (last - k) < room else 1 + int(dyadic((room / pace).lower()))
                k, skipped = k + step, skipped + step
                continue
            term = (turn * k).exp()
            for factor, n in factors:
                term = term * factor**n
            kept.append((k, term))
            k += 1
        return Samples(kept, k - 1, skipped, spent)


@dataclass(frozen=True)
class Stretch:
    """The k at which one value's angle, k times its turn, is near whole turns, in units of 2^-TURN of a turn.

    With the weights p of the centre and w of the value and the angle a between them, |p + w e^(ia)| is at most
    p + w - b (1 - cos a), b = p w / (p + w), so 1 - |phi| >= b (1 - cos a): above a bound where a is not `near` 0.
    """

    turn: int
    near: int

    @classmethod
    def of(cls, p: arb, w: arb, angle: arb, bound: arb, last: int) -> "Stretch | None":
        """Where, for k <= last, 1 - |phi| may be at most `bound` for all that this value, at `angle` k, tells."""
        most = 1 - bound * (p + w) / (p * w)
        if not (most > -1 and angle.is_finite()):
            return None
        turns, unit = angle / (2 * arb.pi()), arb(2) ** TURN
        turn, off = int(dyadic((turns * unit).mid().floor())), 1 + int(dyadic((turns * unit).rad().ceil().upper()))
        near = int(dyadic((most.acos() / (2 * arb.pi()) * unit).upper().ceil())) + (1 + last) * off
        turn %= 1 << TURN
        return cls(min(turn, (1 << TURN) - turn), near) if turn else None

    def leap(self, k: int) -> int:
        """By how much k has to grow until the angle may be near whole turns: 0 where it is."""
        after = self.turn * k % (1 << TURN)
        if after <= self.near or (left := (1 << TURN) - self.near - after) <= 0:
            return 0
        return -(-left // self.turn)


@dataclass(frozen=True)
class Samples:
    """Samples (k, M(s_k) / M(eta)) of the integrand, 0 <= k <= last, without `skipped` ones below e^-small.

    `spent` sines were taken for them.
    """

    kept: list[tuple[int, acb]]
    last: int
    skipped: int
    spent: int
