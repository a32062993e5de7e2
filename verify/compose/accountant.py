"""The accountant: delta(eps) of the product of many independent pairs, between two certain bounds.

Where outcomes are few, up to their order, all are summed (verify/pairs/windowed.py); else it is a power on a lattice
(verify/pairs/lattice.py), of any number of pairs, which can be certified. A lattice whose step no loss is a multiple
of gets to 6 digits: more of them are a sum along a line, which comes closer than a lattice can.

With losses L = log(P/Q) and S their sum under Q, delta(eps) = E max(e^S - e^eps, 0) + P(Q = 0): a sum along a vertical
line (`verify.fourier.hockey_stick_integral`), of any number of pairs. Its even echoes are at most C e^((c-b) r)
M(b)/M(c) each, r = P, 2P, ... or -P, -2P, ..., for every b >= 1 and C = (b-1)^(b-1) / b^b, the largest
(e^s - 1) e^(-bs).

Atoms known to a part in 2^80 are taken as their lower bounds, p and q: the true delta(eps) is at least theirs at eps +
d, and at most (1 + 2^-80)^N theirs at eps - d, d = N 2^-80 for N pairs, and delta changes by at most e^eps Q(S > eps)
<= e^((1-c) eps) E e^(cS) per unit of eps. All other atoms are lost: what P has there is added to the upper bound.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import floor
from operator import mul

from flint import arb, fmpz

from shufflecert.verify.enclose.interval import Interval, refine
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, dyadic, natural, precision
from shufflecert.verify.fourier.hockey_stick_integral import MIN_ERROR, Characteristic, Jitter, Line
from shufflecert.verify.pairs.lattice import enclosed
from shufflecert.verify.pairs.lattice_guess import common_step
from shufflecert.verify.pairs.windowed import AtomsAt, Product, halves

DIGITS = 6  # significant digits asked for
FEW = 20_000  # outcomes of half a composition, up to order, that are summed
LATTICE, FIRST = 6, 3  # digits that a lattice has; that it is asked for where more are wanted
MAX_TIMES = 10**6
EFFORT = 1 << 31  # multiplications of small integers
POINT = 400  # of them that one more point takes beyond those for its atoms
SLACK = Fraction(1, 1 << 80)  # how well, relatively, an atom's probabilities are known; others count as lost
FIRST_BITS, LAST_BITS = 256, 1 << 14
PRECISION = 256
TRIES = 4
MAX_TILT = 1 << 20
FAR = 4  # deviations of S, from which it is tried to bound what is missing to 1
MAIN, ECHO = 20, 24  # beta of the two jitters


def compose(pairs: Sequence[AtomsAt], times: object = 1, eps: object = 0, digits: int = DIGITS) -> Interval:
    """delta(eps) of the product of independent pairs, the whole list taken `times` times: P's product against Q's.

    eps in nats. 30 significant digits where outcomes are few; else `digits`. Raises BadInput for what is no eps and for
    `times` < 1.
    """
    at, count = Eps.of(eps), natural(times, "times", most=MAX_TIMES)
    return compose_parts([(pair, count) for pair in pairs], at, digits)


def compose_parts(
    parts: Iterable[tuple[AtomsAt, int]], eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
) -> Interval:
    """delta(eps) of the product of independent pairs, each taken a number of times of its own, as by `compose`.

    A number is at least 1; a pair that is listed again comes more often. What is shown to be at most `enough` may be
    enclosed widely.
    """
    copies: dict[AtomsAt, int] = {}
    for pair, count in parts:
        copies[pair] = copies.get(pair, 0) + count
    listed = list(copies.items())
    both = halves(listed)
    if all(half.outcomes() <= FEW for half in both):
        return refine(lambda bits: Product(*both).divergence(eps, bits), enough=enough)
    if digits <= LATTICE or common_step(tuple(copies)) is not None:
        return enclosed(listed, eps, digits, enough=enough)
    found = enclosed(listed, eps, FIRST, enough=enough)
    if found.relative_width * 10**digits <= 1 or found.high <= enough:
        return found
    return found.meet(along_line(listed, eps, digits))


@dataclass(frozen=True)
class Factor:
    """One pair of laws, taken so many times: its atoms by logarithms of Q, and privacy losses less their part of eps.

    P(Q = 0) is at least `endless`, and P of everything but the atoms at most `lost`; `mass` is P of both from below,
    less than 1 - `lost` where P is a part of a law.
    """

    logs: list[arb]
    losses: list[arb]
    copies: int
    endless: Fraction
    lost: Fraction
    mass: Fraction

    @classmethod
    def of(cls, pair: AtomsAt, copies: int, part: arb, bits: int) -> "Factor":
        """The factor of a pair that is taken so many times, its atoms at a precision in bits."""
        atoms = pair.atoms(bits)
        logs, losses, endless, lost, mass = [], [], fmpz(0), fmpz(atoms.outside[0]), fmpz(0)
        scale, sharp = arb(2) ** bits, SLACK.denominator
        for p_low, p_high, q_low, q_high in zip(*atoms.p, *atoms.q, strict=True):
            if p_low and q_low and (p_high - p_low) * sharp <= p_low and (q_high - q_low) * sharp <= q_low:
                logs.append((q_low / scale).log())
                losses.append((arb(p_low) / q_low).log() - part)
                mass += p_low
            else:
                lost += p_high
                endless += 0 if q_high else p_low
        parts = (Fraction(int(weight), 1 << bits) for weight in (endless, lost, mass + endless))
        return cls(logs, losses, copies, *parts)

    def weights(self, b: arb) -> list[arb]:
        """The weights of the atoms tilted by b, Q(y) e^(b loss(y))."""
        return [(q + b * loss).exp() for q, loss in zip(self.logs, self.losses, strict=True)]


def _log_moment(factors: Sequence[Factor], b: arb) -> arb:
    """The logarithm of M(b), the mean of e^(bS) under Q."""
    return sum((f.copies * sum(f.weights(b), arb(0)).log() for f in factors), arb(0))


def _cumulants(factors: Sequence[Factor], b: arb) -> tuple[arb, arb]:
    """The mean and the variance of S - eps, tilted by e^(bS)."""
    mean, variance = arb(0), arb(0)
    for f in factors:
        weights = f.weights(b)
        mass = sum(weights, arb(0))
        one = sum(map(mul, weights, f.losses), arb(0)) / mass
        mean += f.copies * one
        variance += f.copies * sum((w * (x - one) ** 2 for w, x in zip(weights, f.losses, strict=True)), arb(0)) / mass
    return mean, variance


def _saddle(factors: Sequence[Factor], mean: Fraction, start: Fraction, least: Fraction) -> tuple[Fraction, Fraction]:
    """(b, the deviation of S tilted by it): about where S - eps has this mean, b >= least. A guess."""
    b = start
    with precision(64):
        for _ in range(40):
            now, variance = (_guess(x) for x in _cumulants(factors, ball(b)))
            deviation = _guess(ball(variance).sqrt())
            before, b = b, _short(max(least, min(b + (mean - now) / variance, 2 * b)))
            if abs(b - before) * deviation < Fraction(1, 50) or b > MAX_TILT:
                break
    return b, deviation


def _tilt(factors: Sequence[Factor]) -> tuple[Fraction, Fraction]:
    """c, not too close to 1, and the deviation of S tilted by it."""
    least = _short(1 + 2 / _guess(_cumulants(factors, arb(1))[1].sqrt()))
    return _saddle(factors, Fraction(0), least, least)


def _echoes(factors: Sequence[Factor], c: Fraction, period: Fraction) -> arb:
    """An upper bound on the sum of D(m period) over m != 0, with b about the saddle points for m = 1 and -1."""
    total, least = arb(0), _log_moment(factors, ball(c))
    for side in (1, -1):
        b, _ = _saddle(factors, side * period, c, Fraction(1))
        height = ball(b - 1) * ball(b - 1).log() - ball(b) * ball(b).log() if b > 1 else arb(0)
        far = ball((b - c) * side * period)
        if not far > 0:
            return arb("inf")
        total += (height + _log_moment(factors, ball(b)) - least - far).exp() / (1 - (-far).exp())
    return total


def _guess(number: arb) -> Fraction:
    return dyadic(number.mid())


def _short(number: Fraction) -> Fraction:
    """Rounded down to some 20 bits."""
    unit = Fraction(2) ** (number.numerator.bit_length() - number.denominator.bit_length() - 20)
    return floor(number / unit) * unit


def along_line(parts: Sequence[tuple[AtomsAt, int]], at: Eps, digits: int, effort: int = EFFORT) -> Interval:
    """delta(eps) of the product of independent pairs, each taken so many times, to so many significant digits.

    Wider where that takes more than `effort` multiplications of small integers.
    """
    with precision(PRECISION):
        return _along_line(parts, at, digits, effort)


def _along_line(parts: Sequence[tuple[AtomsAt, int]], at: Eps, digits: int, effort: int) -> Interval:
    whole = sum(n for _, n in parts)
    eps = ball(at.exponent) if at.exponent is not None else ball(at.power or Fraction(1)).log()
    bits = FIRST_BITS
    while True:
        factors = [Factor.of(pair, n, eps / whole, bits) for pair, n in parts]
        endless, lost = _any((f.endless, f.copies) for f in factors), _any((f.lost, f.copies) for f in factors)
        if (found := _at_an_edge(factors, eps, endless, lost, digits)) is not None:
            return found
        c, deviation = _tilt(factors)
        height = _log_moment(factors, ball(c)).exp() * eps.exp()
        value = _guess(1 / (ball(c * (c - 1) * deviation) * (2 * arb.pi()).sqrt() + 3 * ball(c)))
        if bits >= LAST_BITS or lost - endless < (height * ball(value)).max(endless) / 10**digits / 64:
            break
        bits *= 2
    slack, tilt = ball(SLACK) * whole, ball(c)
    for _ in range(TRIES):  # the guess of the value, which all accuracies depend on, may be much too large
        low, up, hurried = _bounds(factors, c, deviation, value, digits, effort)
        low, up = low if low.is_finite() else arb(0), up if up.is_finite() else 1 / height  # delta is from 0 to 1
        low, up = low - slack, ((slack * tilt).exp() * slack + up) * (1 + ball(SLACK)) ** whole
        if hurried or (up - low) * height * 10**digits < 2 * (up * height).max(endless):
            break
        value = min(value / 4, max(_guess(low), _guess(up) / 32))
    return _enclosure(low * height + endless, up * height + lost)


def _at_an_edge(factors: Sequence[Factor], eps: arb, endless: arb, lost: arb, digits: int) -> Interval | None:
    """delta(eps) where S never exceeds eps, or always has one value, or is hardly ever below eps; None elsewhere.

    delta(eps) >= sum (P - min(P, e^eps Q)) over the atoms, where min(P, e^eps Q) <= P^t (e^eps Q)^(1 - t) for t from 0
    to 1: at most e^((1 - t) eps) M(t) is missing to the atoms' mass, which for whole laws is 1 but for what is lost.
    """
    if not all(f.logs for f in factors):
        return _enclosure(endless, lost)
    slack, whole = ball(SLACK), sum(f.copies for f in factors)
    least, most = (sum((f.copies * end(f.losses) for f in factors), arb(0)) for end in (_lowest, _highest))
    if most < -slack * whole:
        return _enclosure(endless, lost)
    if most - least < arb(2) ** -40:
        mass = _log_moment(factors, arb(0)).exp() * eps.exp()
        ends = [((end.exp() - 1).max(arb(0)) * mass) for end in (least - slack * whole, most + slack * whole)]
        return _enclosure(ends[0] + endless, ends[1] * (1 + slack) ** whole + lost)
    mean, variance = _cumulants(factors, arb(1))
    if not mean > FAR * variance.sqrt():
        return None
    t = Fraction(1)
    for _ in range(3):
        t = min(max(t - _guess(mean / variance), Fraction(0)), Fraction(1))
        mean, variance = _cumulants(factors, ball(t))
    missing = (eps + _log_moment(factors, ball(t))).exp() * (1 + slack) ** whole
    mass = sum((f.copies * ball(f.mass).log() for f in factors), arb(0)).exp()
    return _enclosure(mass - missing, arb(1)) if (missing + lost) * 10**digits < 1 else None


def _lowest(losses: Sequence[arb]) -> arb:
    return min((loss.lower() for loss in losses), key=dyadic)


def _highest(losses: Sequence[arb]) -> arb:
    return max((loss.upper() for loss in losses), key=dyadic)


def _bounds(
    factors: Sequence[Factor], c: Fraction, deviation: Fraction, value: Fraction, digits: int, effort: int
) -> tuple[arb, arb, bool]:
    """Bounds on delta over Chernoff's bound, which is about `value`, by a line that misses about 10^-digits of it.

    True, third, where that is more than `effort` allows.
    """
    aim = value / 10**digits
    period = _short(deviation * _guess((2 * ball(Fraction(40 * 10**digits)).log()).sqrt()))
    for _ in range(100):
        echoes = _echoes(factors, c, period)
        if echoes < ball(aim / 10):
            break
        period = _short(period * Fraction(21, 20))
    step = _short(dyadic((2 * arb.pi() / ball(period)).lower()))
    laws = []
    for f in sorted(factors, key=lambda f: -f.copies):
        weights = f.weights(ball(c))
        mass = sum(weights, arb(0))
        laws.append((Characteristic.of([w / mass for w in weights], f.losses), f.copies))
    narrow = aim * deviation * Fraction(5, 2)  # this variance makes K_up and K_low differ by the aim
    nearer = _echoes(factors, c, period / 2)  # a guess of the odd ones, a few times too large
    odd = min(Fraction(1), _guess(nearer) / value / 4) if nearer.is_finite() else Fraction(1)
    main = _jitter(MAIN, c, narrow / 2)
    work = main.end(ball(c)) / step / 2 * sum(law.atoms(MIN_ERROR) + POINT for law, _ in laws)
    if work > effort:
        main = Jitter(main.a * ball(work / effort), MAIN)
    echo = _jitter(ECHO, c, narrow / 10 / odd)
    line = Line(laws, ball(c), step, main, max(main, echo, key=lambda jitter: _guess(jitter.a)), ball(aim))
    with precision(PRECISION // 2):
        low, up = line.bounds()
    return low - echoes, up, work > effort


def _jitter(beta: int, c: Fraction, variance: Fraction) -> Jitter:
    """The jitter of this variance, and at most 1 / (4 c) wide."""
    width = _guess(ball(variance * Fraction(beta**2, beta - 1)).sqrt())
    return Jitter(ball(_short(min(width, 1 / (4 * c)))), beta)


def _any(events: Iterable[tuple[Fraction, int]]) -> arb:
    """The probability of at least one of independent events, each given with how often."""
    none = arb(0)
    for probability, times in events:
        if probability >= 1:
            return arb(1)
        none += times * (-ball(probability)).log1p()
    return -none.expm1()


def _enclosure(low: arb, high: arb) -> Interval:
    return Interval(max(Fraction(0), dyadic(low.lower())), min(Fraction(1), dyadic(high.upper())))
