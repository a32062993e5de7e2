"""Numbers known to lie in an interval [low, high] with rational ends, which more bits of precision make narrower.

What is enclosed says how: a function of a working precision in bits, which returns rational ends at it. Of a curve
delta(eps) that is enclosed so, the smallest eps with delta(eps) <= delta is found: guesses converge, enclosures decide.
"""

from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Protocol

from flint import arb

from shufflecert.verify.errors import BadInput, TooMuchWork, Undecided
from shufflecert.verify.exact.epsilon import MAX_EPS, Delta, Eps
from shufflecert.verify.exact.rational import DIGITS, ball, between, decimals, dyadic, precision

FIRST_BITS, LAST_BITS = 128, 1 << 14
NEGLIGIBLE = 400_000  # bits: what is below 2^-NEGLIGIBLE (10^-120411) needs not be told from 0
Ends = tuple[Fraction, Fraction]
STEPS = 250  # a curve that vanishes flatly is bisected
DEEPEST = 1 << 11  # an eps below 2^-DEEPEST is not told from 0
LOOKS = 6  # at a curve that takes long, in a row
FIRST_SHARE, NEAR_0 = Fraction(1, 64), Fraction(1, 10**6)  # how far from the low end it is looked at else
Curve = Callable[[Eps], "Interval"]


@dataclass(frozen=True)
class Interval:
    """A number in [low, high]; exact where they are equal. Prints as outward decimals.

    Both bounds are rational, and printed with twelve digits:

        >>> print(Interval(Fraction(1, 3), Fraction(2, 3)))
        [0.333333333333, 0.666666666667]
    """

    low: Fraction
    high: Fraction

    @classmethod
    def of(cls, value: "Delta | Interval", digits: int = DIGITS) -> "Interval":
        """An interval as it is; around an exact value its outward decimals, which may be much shorter."""
        return value if isinstance(value, Interval) else cls(*map(Fraction, value.enclosure(digits)))

    def enclosure(self, digits: int = DIGITS) -> tuple[str, str]:
        """Outward decimals (lower, upper) of `digits` significant digits."""
        return decimals(self.low, self.high, digits)

    @property
    def relative_width(self) -> Fraction:
        """The width relative to the upper bound, (high - low) / high, and 0 for [0, 0]."""
        return (self.high - self.low) / self.high if self.high else Fraction(0)

    @property
    def capped(self) -> "Interval":
        """The interval of a probability, which is at most 1."""
        return Interval(min(self.low, Fraction(1)), min(self.high, Fraction(1)))

    def meet(self, other: "Interval") -> "Interval":
        """Where a number is that lies in both."""
        return Interval(max(self.low, other.low), min(self.high, other.high))

    def against(self, bound: Fraction) -> int:
        """Compare the number with `bound`: -1 where it is at most `bound`, 1 where it is above.

        Raises Undecided where `bound` is inside the interval.
        """
        if self.high <= bound or self.low > bound:
            return -1 if self.high <= bound else 1
        lower, upper = self.enclosure(12)
        raise Undecided(f"the value lies in [{lower}, {upper}], and the bound as well")

    def __str__(self) -> str:
        return between(*self.enclosure(12))


class EnclosedPair(Protocol):
    """A pair of laws (P, Q) whose divergence can be enclosed at any precision, and that can be turned round.

    delta of P against Q says nothing about delta of Q against P: whoever needs both asks the pair and its reverse.
    Pairs with outcomes that can be listed have `atoms` as well (`verify.pairs.windowed.WindowPair`).
    """

    @property
    def whole(self) -> bool:
        """Whether P and Q have mass 1, and `divergence` encloses their whole sum.

        False for what only bounds a pair of datasets from below (one event, a part of the outcomes): then the upper
        ends of `divergence` bound nothing of that pair.
        """

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around delta(eps) = sum max(P - e^eps Q, 0), closer together for more bits."""

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0), which delta(eps) exceeds for every eps."""

    def reversed(self) -> "EnclosedPair":
        """The same pair in the other direction, (Q, P), exactly."""


class ToDigits(EnclosedPair):
    """A pair whose divergence, or what bounds it, is enclosed anew for every number of digits, which takes long."""

    whole = True

    @abstractmethod
    def enclosure(self, eps: Eps, digits: int, enough: Fraction = Fraction(0)) -> Interval:
        """delta(eps), or the bound on it, to about so many digits; up to `enough` any upper bound will do."""

    @abstractmethod
    def reversed(self) -> "ToDigits":
        """The pair in the other direction, (Q, P)."""

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around delta(eps), about 2^-bits apart."""
        value = self.enclosure(eps, bits * 3 // 10)
        return value.low, value.high


def reverse(pair: EnclosedPair) -> EnclosedPair:
    """The pair in the other direction, (Q, P).

    Raises BadInput for a user's own pair that does not say how it is turned.
    """
    turn: Callable[[], EnclosedPair] | None = getattr(pair, "reversed", None)
    if turn is None:
        raise BadInput(f"{type(pair).__name__}: no other direction: expected a method reversed() that gives (Q, P)")
    return turn()


def is_whole(pair: object) -> bool:
    """Whether P and Q have mass 1, as `pair.whole` says; False for a user's own pair that does not say."""
    return bool(getattr(pair, "whole", False))


def refine(
    ends: Callable[[int], Ends],
    digits: int = DIGITS,
    last_bits: int = LAST_BITS,
    first_bits: int = FIRST_BITS,
    enough: Fraction = Fraction(0),
) -> Interval:
    """Enclose a number more and more narrowly, by raising the bits from `first_bits` on, until that is enough.

    Enough is a relative width of at most 10^-digits, a number that is negligible or at most `enough`, `last_bits`
    spent, or more bits being too much work: then `ends` raises TooMuchWork.
    """
    bits, found, enough = min(first_bits, last_bits), None, max(enough, Fraction(1, 1 << NEGLIGIBLE))
    while True:
        try:
            low, high = ends(bits)
        except TooMuchWork:
            if found is None:
                raise
            return found
        found = Interval(max(low, Fraction(0)), high)
        excess = (high - found.low) * 10**digits / high if high else Fraction(0)
        if excess <= 1 or high <= enough or bits >= last_bits:
            return found
        missing = int(excess).bit_length() + 16 if found.low else bits
        rounded = -(-(bits + max(missing, bits // 4)) // 64) * 64  # few different precisions: windows are kept
        bits = min(2 * bits, rounded, last_bits)


def largest(values: list[Interval]) -> Interval:
    """An interval around the largest of some numbers >= 0 (0 if there are none)."""
    zero = Fraction(0)
    return Interval(max((v.low for v in values), default=zero), max((v.high for v in values), default=zero))


def scaled(number: Interval, factor: Fraction | int) -> Interval:
    """An interval around a number >= 0 times an exact factor >= 0."""
    return Interval(number.low * factor, number.high * factor)


def quotient(one: Interval, other: Interval) -> Interval | None:
    """An interval around a number >= 0 over another; None where the other one may be 0."""
    return Interval(one.low / other.high, one.high / other.low) if other.low else None


def exactly(number: Fraction | int) -> Interval:
    """The interval of width 0 that holds an exact number."""
    return Interval(Fraction(number), Fraction(number))


def root_of(square: Fraction | Interval) -> Interval:
    """An interval around the square root of a number >= 0."""
    value = square if isinstance(square, Interval) else exactly(square)

    def ends(bits: int) -> Ends:
        with precision(bits + 32):
            low, high = ball(value.low).sqrt(), ball(value.high).sqrt()
            return dyadic(low.lower()), dyadic(high.upper())

    return refine(ends) if value.high else value


def enclose(value: Callable[[], arb]) -> Interval:
    """An interval around a number >= 0, from a function that computes it as a ball at the precision in force.

    One below 2^-NEGLIGIBLE is enclosed by 0 and that: its digits would fill the memory.
    """

    def ends(bits: int) -> Ends:
        with precision(bits + 32):
            result = value()
            if result < arb(2) ** -NEGLIGIBLE and not result.is_zero():
                return Fraction(0), Fraction(1, 1 << NEGLIGIBLE)
            return dyadic(result.lower()), dyadic(result.upper())

    return refine(ends)


def chance(value: Callable[[], arb]) -> Interval:
    """An interval around a probability, computed as for `enclose`; its upper bound is at most 1."""
    return enclose(value).capped


def smallest_eps(
    curve: Curve,
    bound: Fraction,
    digits: int = DIGITS,
    within: Fraction | None = None,
    near: tuple[Fraction, Fraction] | None = None,
) -> tuple[Fraction, Fraction | None]:
    """The smallest eps, in nats, with delta(eps) <= `bound`, between two decided ends (low, high).

    curve(low) > bound or low = 0, and curve(high) <= bound; high is None where no eps <= 10000 is enough. Both are
    decided by the enclosures. `curve` is a divergence, so it falls in eps. The ends are 10^-digits apart, relatively,
    unless the enclosures of the curve are too wide to tell. `within` > 0 is an eps that is known to be enough; `near` a
    guess of the answer, and of how fast log delta falls there.
    """
    return Search(curve, bound).smallest(digits, within, near)


def smallest_between(
    attained: Curve, above: Curve, bound: Fraction, low_digits: int, digits: int
) -> tuple[Fraction, Fraction | None]:
    """The smallest eps of a curve, at its low end, and that of one above it, which takes long, at its high end.

    The latter is at first taken to be as many times the former at all eps as it is at the low end.
    """
    below, search = Search(attained, bound), Search(above, bound)
    low = below.smallest(low_digits)[0]
    with precision(4 * digits + 64):
        if search.look(low) < 0:
            return low, low
        times = search.seen[-1][2]
        search.guessed = [(eps, over, log + times) for eps, over, log in below.seen if eps > low]
        search.low, away = low, max(low * FIRST_SHARE, NEAR_0)
        search.lower(digits)
        while search.high == MAX_EPS and search.look(at := min(low + away, Fraction(MAX_EPS))) >= 0:
            if at == MAX_EPS:
                return low, None
            away *= 2
        search.lower(digits)
    return low, search.high


class Search:
    """The state of a search for the smallest eps: what is decided so far.

    curve > bound at `low` unless that is 0, curve <= bound at `high`.
    """

    def __init__(self, curve: Curve, bound: Fraction) -> None:
        self.curve, self.bound = curve, bound
        self.low, self.high = Fraction(0), Fraction(MAX_EPS)  # `high` counts once something is decided to be below
        self.seen: list[tuple[Fraction, arb, arb]] = []  # eps, delta - bound, log(delta / bound)
        self.guessed: list[tuple[Fraction, arb, arb]] = []  # the same, where little is seen

    def smallest(
        self, digits: int, within: Fraction | None = None, near: tuple[Fraction, Fraction] | None = None
    ) -> tuple[Fraction, Fraction | None]:
        """What `smallest_eps` says."""
        with precision(4 * digits + 64):
            if near and self._around(*near, digits):
                self.narrow(digits)
                return self.low, self.high
            if self.look(Fraction(0)) < 0:
                return Fraction(0), Fraction(0)
            if within:
                self.high = within
                self.narrow(digits)
                return self.low, self.high
            eps = Fraction(1)
            while self.look(eps) >= 0:
                if eps == MAX_EPS:
                    return self.low, None
                eps = min(2 * eps, Fraction(MAX_EPS))
            self.narrow(digits)
        return self.low, self.high

    def _around(self, eps: Fraction, fall: Fraction, digits: int) -> bool:
        """Look near a guess, and on from there, until the answer is between two ends; False where it is far off."""
        for i in range(LOOKS):
            side = self.look(eps)
            if self.low and self.high < MAX_EPS:
                return True
            log = dyadic(self.seen[-1][2].mid()) if self.seen and self.seen[-1][0] == eps else Fraction(side)
            away = max(abs(log) / fall * (1 + Fraction(1, 100)), eps / 10**digits) * 4 ** max(i - 1, 0)
            eps = (eps + away if side > 0 or (not side and log > 0) else eps - away).limit_denominator(1 << 64)
            if not self.low < eps < self.high:
                return False
        return False

    def look(self, eps: Fraction) -> int:
        """Evaluate the curve at eps: 1 where it is above the bound, -1 where not, 0 where that is not decided."""
        value = self.curve(Eps.of(eps))
        if middle := (value.low + value.high) / 2:
            logarithm = ball(middle / self.bound).log().mid() if self.bound else arb(0)
            self.seen.append((eps, ball(middle - self.bound), logarithm))
        try:
            side = value.against(self.bound)
        except Undecided:
            return 0
        if side > 0:
            self.low = max(self.low, eps)
        else:
            self.high = min(self.high, eps)
        return side

    def narrow(self, digits: int) -> None:
        """Bring `low` and `high` together: first to a factor of 4, by exponents, then by secants."""
        depth, top = 1, min(self.high, Fraction(1))
        while self.low == 0 and depth <= DEEPEST:
            if self.look(eps := top / (1 << depth)) == 0:
                return self._leave(eps, digits)
            depth *= 2
        while self.low and self.high > 4 * self.low:
            if self.look(eps := _geometric_mean(self.low, self.high)) == 0:
                return self._leave(eps, digits)
        widths = [self.high - self.low]
        while self.low and widths[-1] > self.high / 10**digits and len(widths) < STEPS:
            slow = len(widths) > 3 and 2 * widths[-1] > widths[-4]
            guess = None if slow or not self.bound else self._secant(digits, linear=False)
            if guess is None and not (slow and len(widths) % 2):
                guess = self._secant(digits, linear=True)
            if self.look(eps := (self.low + self.high) / 2 if guess is None else guess) == 0:
                return self._leave(eps, digits)
            widths.append(self.high - self.low)
        return None

    def lower(self, digits: int) -> None:
        """Bring `high` down by secants of log(delta) as long as they gain something; `low` need not come near."""
        little, unit = Fraction(1, 2 * 10**digits), 1 << (4 * digits + 96)
        for _ in range(LOOKS):
            known = self.seen if len(self.seen) > 1 else [*self.seen, *self.guessed]
            points = [(eps, log) for eps, _, log in known if log.is_finite()]
            if len(points) < 2:
                return
            (x, at_x), (y, at_y) = sorted(points, key=lambda point: abs(point[1]))[:2]
            share = at_x / (at_x - at_y)
            root = x + dyadic(share.mid()) * (y - x) if share.is_finite() else self.low
            if not self.low < root < self.high:
                if self.high == MAX_EPS:
                    return
                root = (self.low + self.high) / 2
            eps = Fraction(round(root * (1 + little) * unit), unit)
            if eps > self.high * (1 - little) or not self.look(eps):
                return

    def _secant(self, digits: int, linear: bool) -> Fraction | None:
        """Where the line through the two best points meets 0, and on a little towards the end that is further away."""
        points = [(eps, difference if linear else logarithm) for eps, difference, logarithm in self.seen]
        if len(points) < 2:
            return None
        (x, at_x), (y, at_y) = sorted(points, key=lambda point: abs(point[1]))[:2]
        share = at_x / (at_x - at_y)
        root = x + dyadic(share.mid()) * (y - x) if share.is_finite() else self.low
        if not self.low < root < self.high:
            return None
        # a function that is linear in e^eps bends by a share of about x - y, its logarithm by one of about its height
        bend = abs(x - y) if linear else dyadic(abs(at_y).mid())
        further = max(abs(root - x) * min(Fraction(1, 4), bend), root / (4 * 10**digits))
        eps = root + further if self.high - root > root - self.low else root - further
        eps = eps if self.low < eps < self.high else root
        size = 4 * digits + 64 + max(0, eps.denominator.bit_length() - eps.numerator.bit_length())
        return Fraction(round(eps * (1 << size)), 1 << size)

    def _leave(self, middle: Fraction, digits: int) -> None:
        """Move on from `middle`, which is not decided: try points on either side of it until something is."""
        for sign in (-1, 1):
            away, factor = middle / 10 ** (digits + 1), 8
            while self.low < middle + sign * away < self.high and self.look(middle + sign * away) != -sign:
                away, factor = away * factor, factor * 8


def _geometric_mean(low: Fraction, high: Fraction) -> Fraction:
    """The geometric mean of low > 0 and high, to some digits."""
    product = low * high
    scale = 32 + max(0, product.denominator.bit_length() - product.numerator.bit_length())
    return Fraction(isqrt((product.numerator << 2 * scale) // product.denominator), 1 << scale)
