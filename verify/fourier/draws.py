"""Sums of many independent draws: E max(Y, 0) and Pr[Y > 0], between certain bounds, by a Fourier integral.

Let X = Y + N, Y a sum of independent draws with finitely many values, M(s) = E e^(sY), and N normal with variance
tau^2, independent. For eta > 0, h > 0, s_k = eta + i k h and T = 2 pi / h, Poisson's summation formula says

    h/(2 pi) sum_k E e^(s_k X) / s_k^2 = sum_m e^(-m T eta) E max(X + m T, 0)
    h/(2 pi) sum_k E e^(s_k X) / s_k   = sum_m e^(-m T eta) Pr[X + m T > 0]
    h/(2 pi) sum_k E e^(s_k X)         = sum_m e^(-m T eta) (density of X at -m T),       k and m over all integers,

as max(y, 0), 1[y > 0] and a point mass have the transforms 1/s^2, 1/s and 1, and E e^(sX) = M(s) e^(s^2 tau^2 / 2)
falls fast. On the right m = 0 is wanted; the others, the echoes, are positive and bounded. On the left the normal
factor ends the sum, and where |M| is small terms are bounded by the thousand (`Draws.walk`).

The cost hardly depends on the number of draws, and not on how small the result is: all terms share the factor M(eta).
Balls are flint's `arb` at the precision in force. Where guesses are made (eta, h, tau) any value gives certain bounds.

M is that of independent draws from laws with finitely many values. It is sampled at equal steps along the line. Steps
at which |M| is small are passed over by the thousand: |M| moves slowly, and it is large only where each value's angle
is near a whole turn.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from flint import acb, arb

from shufflecert.verify.enclose.interval import Ends
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.rational import ball, ceiling_of, dyadic, floor_of, precision

Points = Sequence[tuple[Fraction, Fraction]]  # (weight > 0, value)
STEPS = 300  # at most, of a guess that doubles
TURN = 96  # bits of a turn
EFFORT = 150_000  # values whose sine is taken, until the line is cut short and the result is wider
SHARPER = 4  # by so much tau falls from one attempt to the next


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


@dataclass(frozen=True)
class Integral:
    """A sum along the vertical line eta + i k h, ready to be evaluated: the draws, tau, and the samples on it."""

    draws: Draws
    eta: arb
    h: arb
    tau: arb
    walk: Samples
    small: arb

    @classmethod
    def through(
        cls, draws: Draws, eta: arb, log_result: arb, digits: int, effort: int = EFFORT, blurred: bool = False
    ) -> "Integral":
        """Choose h and tau for a result of about e^log_result, to `digits` digits; sample the line through eta.

        If `blurred`, tau is as wide as h allows: few samples, enough where no sum is as near to 0 (see `sharper`).
        """
        tolerance = arb(10).log() * (digits + 2)
        with precision(64):
            wide = 1 / (30 * eta)  # tau may become as wide
            tau = (wide if blurred else arb(10) ** (arb(-digits) / 2) / eta).mid()
            period, most = (tolerance / eta).mid(), log_result - tolerance
            for _ in range(STEPS):
                theta, echo = _least(draws, eta, wide, period)
                if echo - theta.log() < most and echo < most and period.log() - eta * period < most:
                    break
                period = (period * 5 / 4).mid()
            h = (2 * arb.pi() / period).mid()
            small = (tolerance + 20).mid()
        return cls(draws, eta, h, tau, Samples([(0, acb(1))], 0, 0, 0), small).sharper(tau, effort)

    def sharper(self, tau: arb, effort: int = EFFORT) -> "Integral":
        """The same line with another tau, for which further samples are taken until `effort` is spent in all."""
        with precision(64):
            last = 1 + int(dyadic(((2 * self.small).sqrt() / (tau * self.h)).mid()))
        walk = self.draws.walk(self.eta, self.h, last, self.small, effort, self.walk)
        return Integral(self.draws, self.eta, self.h, (tau * last / walk.last).mid(), walk, self.small)

    @property
    def period(self) -> arb:
        """The period T = 2 pi / h of the echoes."""
        return 2 * arb.pi() / self.h

    @cached_property
    def scale(self) -> arb:
        """The factor that all terms share: M(eta) e^(eta^2 tau^2 / 2) h / (2 pi)."""
        return (self.draws.log(self.eta) + (self.eta * self.tau) ** 2 / 2).exp() / self.period

    @cached_property
    def missed(self) -> arb:
        """A ball that holds the sum of all terms not kept, of k < 0 too: every |M(s_k)| is at most M(eta)."""
        end = self.h * self.tau
        ratio = (-self.walk.last * end**2).exp()  # of later terms: k^2 >= last^2 + 2 last (k - last)
        beyond = (-((self.walk.last * end) ** 2) / 2).exp() * ratio / (1 - ratio)
        return 2 * (self.walk.skipped * (-self.small).exp() + beyond) * arb(0, 1)

    def terms(self) -> Iterable[tuple[acb, acb, int]]:
        """The terms that are kept, (s_k, E e^(s_k X) / E e^(eta X), weight); weight 2 for k > 0, with -k."""
        for k, value in self.walk.kept:
            x = self.h * k
            turn = x * self.tau * self.tau
            normal = acb(-x * turn / 2, self.eta * turn).exp()
            yield acb(self.eta, x), value * normal, 1 + (k > 0)

    @property
    def echoes_above(self) -> tuple[arb, arb]:
        """The sums over m >= 1 of r^m and of m r^m for r = e^(-T eta): r / (1 - r) and r / (1 - r)^2."""
        r = (-self.eta * self.period).exp()
        return r / (1 - r), r / (1 - r) ** 2

    @cached_property
    def theta(self) -> arb:
        """A theta > eta for which Chernoff's bound on the echoes from below is about the least."""
        with precision(64):
            return _least(self.draws, self.eta, self.tau, self.period)[0]

    @property
    def echoes_below(self) -> arb:
        """A bound on the sum over m >= 1 of e^(m T eta) Pr[X > m T]: Pr[X > u] <= E e^(theta (X - u)), theta > eta."""
        p = (-(self.theta - self.eta) * self.period).exp()
        return (self.draws.log(self.theta) + (self.theta * self.tau) ** 2 / 2).exp() * p / (1 - p)

    def positive_part(self) -> Ends:
        """Rational ends around E max(Y, 0).

        E max(Y, 0) <= E max(X, 0), as max(., 0) is convex; and E max(Y, 0) >= E[Y; X > 0] = E max(X, 0) - E[N; X > 0],
        by parts tau^2 (density of X at 0). Also E max(Y, 0) is at most the sum of all draws' mean positive parts.
        Echoes: E max(X + m T, 0) <= E max(X, 0) + m T, and for m <= -1 max(y, 0) <= e^(theta y) / (e theta).
        """
        parts, density = arb(0), arb(0)
        for s, term, times in self.terms():
            parts, density = parts + times * (term / (s * s)).real, density + times * term.real
        most = self.scale * (parts + self.missed / self.eta**2)
        above, above_times = self.echoes_above
        echo = most * above + self.period * above_times + self.echoes_below / (arb(1).exp() * self.theta)
        least = most - self.tau**2 * self.scale * (density + self.missed) - echo
        mean = self.draws.log(arb(0)).exp() * sum((n * law.above() for law, n in self.draws.laws), arb(0))
        return floor_of(least) if least > 0 else Fraction(0), ceiling_of(most if most < mean else mean)

    def difference(self, user: Measure) -> Ends:
        """Rational ends around the sum of w Pr[v + X > 0] over (w, v) in `user`, whose weights w may be negative."""
        total, at_eta, at_theta = (_sizes(user, s) for s in (arb(0), self.eta, self.theta))
        parts = self.missed * at_eta / self.eta
        for s, term, times in self.terms():
            parts += times * (_transform(user, s) * term / s).real
        echo = self.echoes_above[0] * total + self.echoes_below * at_theta
        low, high = self.scale * parts - echo, self.scale * parts + echo
        return floor_of(low if low > -total else -total), ceiling_of(high if high < total else total)

    def tail(self, value: arb, s: arb) -> arb:
        """A bound on Pr[value + X > 0], s > 0, or on Pr[value + X < 0], s < 0 (Chernoff)."""
        return (s * value + self.draws.log(s) + (s * self.tau) ** 2 / 2).exp()

    def density(self, user: Measure) -> Callable[[arb], arb]:
        """A function of `by`: a guess, up to a constant factor, at the density of v + X there, weighted by w."""
        parts = [(s, times * _transform(user, s) * term) for s, term, times in self.terms()]
        return lambda by: sum(((part * (-s * by).exp()).real for s, part in parts), arb(0))


def _least(draws: Draws, eta: arb, tau: arb, period: arb) -> tuple[arb, arb]:
    """(theta > eta, the logarithm of E e^(theta X) e^(-(theta - eta) T)), about the least of this convex function."""

    def bound(step: arb) -> arb:
        theta = eta + step
        return draws.log(theta) + (theta * tau) ** 2 / 2 - step * period

    step = (eta / 16).mid()
    best = bound(step)
    while (value := bound(step * 3 / 2)) < best:
        step, best = (step * 3 / 2).mid(), value
    return (eta + step).mid(), best


def _transform(user: Measure, s: acb) -> acb:
    return sum((weight * (s * value).exp() for weight, value in user.points), acb(0))


def _sizes(user: Measure, s: arb) -> arb:
    return sum((abs(weight) * (s * value).exp() for weight, value in user.points), arb(0))


def _aimed(draws: Draws) -> tuple[arb, arb]:
    """An eta for values of both signs, and the logarithm of about E max(Y, 0): guesses, by the saddle point."""
    eta = draws.guess(arb(0), 1 / draws.cumulants(arb(0))[2].sqrt(), 2)
    log, _, curvature = draws.cumulants(eta)
    return eta, log - (3 * eta**2 * (curvature + 2 / eta**2).sqrt()).log()


def faintness(points: Points, n: int) -> int:
    """About - log2 of E max(Y, 0), as for `positive_part`, at least 0; 0 where all values have one sign. A guess."""
    if all(value <= 0 for _, value in points) or all(value >= 0 for _, value in points):
        return 0
    with precision(bits_for_draws(n)):
        bits = -_aimed(Draws([(Measure(points), n)]))[1] / arb(2).log()
        return max(int(dyadic(bits.mid())), 0) if bits.is_finite() else 0


def positive_part(points: Points, n: int, digits: int, effort: int = EFFORT) -> Ends:
    """Ends, about 10^-digits apart, around E max(Y, 0), Y the sum of n draws of a measure of total at most 1."""
    if all(value <= 0 for _, value in points):
        return Fraction(0), Fraction(0)
    with precision(bits_for_draws(n)):
        draws = Draws([(Measure(points), n)])
        if all(value >= 0 for _, value in points):
            mean = draws.log(arb(0)).exp() * draws.cumulants(arb(0))[1]
            return floor_of(mean), ceiling_of(mean)
        eta, size = _aimed(draws)
        try:
            line = Integral.through(draws, eta, size, digits, effort, blurred=True)
            ends, sharpest = line.positive_part(), (arb(10) ** (arb(-digits) / 2) / eta).mid()
            while (
                (ends[1] - ends[0]) * 10 ** (digits + 2) > ends[1] and line.tau > sharpest and line.walk.spent < effort
            ):
                line = line.sharper((line.tau / SHARPER).max(sharpest).mid(), effort)
                ends = line.positive_part()
            return ends
        except Undecided:  # values too far apart for a line at this precision: between the positive parts of the means
            mean = draws.log(arb(0)).exp() * draws.cumulants(arb(0))[1]
            least = floor_of(mean) if mean > 0 else Fraction(0)
            return least, sum((n * w * v for w, v in points if v > 0), Fraction(0))
