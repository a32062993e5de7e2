"""Linear events of a multinomial: the pair of views of a lemma about n users, for all n.

Let h ~ Mult(n; c_1, c_2, ...) count what n users send, and p_y, q_y be the probabilities that the user who changes sends
y from one input or the other. Wherever the divergence of two views is, or is at most,

    delta(eps) = sum over y with c_y = 0 of max(p_y - e^eps q_y, 0) + (1/n) E max(sum over y with c_y > 0 of l_y h_y, 0),
    l_y = (p_y - e^eps q_y) / c_y,

this module encloses it. It is so in two cases, both by the proof in verify/CERTIFICATE.md, "What a blanket proves":
with c_y the least probability of y over the inputs that others may hold (the blanket, an upper bound), and with all
others on one input, c_y its probability of y, when each user sends one message (exact: nothing is revealed).

As delta(eps) of two laws of total at most 1 falls in t = e^eps at a rate of Q(E) <= P(E) / t <= 1 / t, it is enough to
compute it at a rational t just above e^eps.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import accumulate
from math import gcd, isqrt

from flint import arb

from verify.contour import EFFORT, Draws, Law, Points, bits_for_draws, ceiling_of, floor_of, positive_part
from verify.enclosure import Enclosure, Ends, refine
from verify.noise import Binomial, ball
from verify.number import Eps, dyadic, precision

Entry = tuple[Fraction, Fraction, Fraction]  # (c, p, q) of a message
EXACT_WORK = 400_000  # terms of the finite sum that gives any number of digits; beyond, `CONTOUR_DIGITS`
CONTOUR_DIGITS = 9
FAR = 15  # standard deviations


@dataclass(frozen=True)
class Linear:
    """n, and (c, p, q) of the messages, merged where p/c and q/c agree; the c sum to at most 1, c = 0 comes first."""

    n: int
    entries: tuple[Entry, ...]

    @classmethod
    def of(cls, n: int, weighted: Iterable[tuple[int, int, int]], unit: int) -> "Linear":
        """From integers (c, p, q) over `unit`, one triple for each message; those with p = q = 0 do not matter."""
        merged: Counter[tuple[int, int, int]] = Counter()
        for c, p, q in weighted:
            if p or q:
                common = gcd(c, p, q)
                merged[c // common, p // common, q // common] += common
        scaled = (tuple(Fraction(part * times, unit) for part in entry) for entry, times in sorted(merged.items()))
        return cls(n, tuple(scaled))  # type: ignore[arg-type]

    def alone(self, power: Fraction) -> Fraction:
        """The sum over the messages that only the user who changes can send, at e^eps = power."""
        return sum((max(p - power * q, Fraction(0)) for c, p, q in self.entries if not c), Fraction(0))

    def points(self, power: Fraction) -> list[tuple[Fraction, Fraction]]:
        """The law of l(y) for one draw at e^eps = power: (weight, value), values distinct, 0 where the blanket is not."""
        law: dict[Fraction, Fraction] = {}
        for c, p, q in self.entries:
            if c:
                value = (p - power * q) / c
                law[value] = law.get(value, Fraction(0)) + c
        rest = 1 - sum(law.values(), Fraction(0))
        if rest:
            law[Fraction(0)] = law.get(Fraction(0), Fraction(0)) + rest
        return [(weight, value) for value, weight in law.items()]

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Ends around delta(eps), to about 2^-bits or 10^-9 of its size, whichever is wider."""
        value = self.enclose(eps, bits * 3 // 10)
        return value.low, value.high

    def enclose(self, eps: Eps, digits: int, effort: int = EFFORT) -> Enclosure:
        """delta(eps) to about so many digits where a finite sum is short, else to at most 9."""
        power, slack = rounded_up(eps, 4 * digits + 64)
        alone, points = self.alone(power), self.points(power)
        if digits > CONTOUR_DIGITS and sum_work(points, self.n) <= EXACT_WORK:

            def ends(bits: int) -> Ends:
                power, slack = rounded_up(eps, bits)
                low, high = finite_sum(self.points(power), self.n, bits)
                return self.alone(power) + low / self.n, self.alone(power) + high / self.n + slack

            return refine(ends, digits)
        low, high = spread_positive_part(points, self.n, min(digits, CONTOUR_DIGITS), effort)
        return Enclosure(alone + low / self.n, alone + high / self.n + slack)

    def never_returns(self) -> Fraction:
        """A lower bound on P(Q = 0): on sending y with q_y = 0 while no other user sends what the other input may."""
        alone = sum((p for c, p, q in self.entries if not c and not q), Fraction(0))
        shared = sum((p for c, p, q in self.entries if c and not q), Fraction(0))
        shows = sum((c for c, _, q in self.entries if q), Fraction(0))
        if not shared or shows == 1:
            return alone
        with precision(128):
            hidden = ((self.n - 1) * ball(1 - shows).log()).exp()
            return alone + max(Fraction(0), dyadic((shared.numerator * hidden / shared.denominator).lower()))


def rounded_up(eps: Eps, bits: int) -> tuple[Fraction, Fraction]:
    """(t, slack): t >= e^eps is a number of few bits, and delta(eps) is at most slack above its value at t."""
    low, high = eps.bounds(bits)
    t = Fraction(-(-high.numerator * (1 << bits) // high.denominator), 1 << bits)
    return t, (t - low) / low


def spread_positive_part(points: Points, n: int, digits: int, effort: int = EFFORT) -> Ends:
    """Ends around E max(Y, 0), Y the sum of n draws of a law, for laws of any spread.

    Values v so far below 0 that all others do not outweigh a single one are left out: with R the number of their draws,
    E max(Y, 0) - E[max(Y, 0); R = 0] is in [0, n sum of w E max(Y' + v, 0)], Y' of n - 1 draws. Of values so far above 0,

        E max(Y, 0) = E[max(Y, 0); R = 0] + E[Y; R > 0] + E[max(-Y, 0); R > 0],

    where the second is n E[one draw] minus its part with R = 0, and the last is bounded likewise.
    """
    ordered = sorted(points, key=lambda point: -point[1])
    with precision(bits_for_draws(n)):
        kept = ordered[: len(ordered) - _outweighing([(w, -v) for w, v in reversed(ordered)], n)]
        beyond = _crossing(ordered[len(kept) :], ordered, n)
        large, rest = kept[: (far := _outweighing(kept, n))], kept[far:]
        total, left = (ball(sum((w for w, _ in part), Fraction(0))) for part in (kept, rest))
        weighed, others = (ball(sum((w * v for w, v in part), Fraction(0))) for part in (large, rest))
        whole = ((n - 1) * total.log()).exp()
        some = -((n - 1) * (left / total).log()).expm1() if rest else arb(1)  # Pr[R > 0] of n - 1 draws, over `whole`
        middle = n * whole * (weighed + others * some) if large else arb(0)
        beyond += _crossing([(w, -v) for w, v in large], [(w, -v) for w, v in kept], n)
        low, high = positive_part(rest, n, digits, effort) if rest else (Fraction(0), Fraction(0))
        ends = low + floor_of(middle), high + ceiling_of(middle + beyond)
        if len(rest) == len(points) or beyond * arb(10) ** digits < middle + ball(low):
            return ends
    plain = positive_part(points, n, digits, effort)
    return max(ends[0], plain[0]), min(ends[1], plain[1])


def _outweighing(falling: Points, n: int) -> int:
    """How many of the values, which fall, are each far above 0 and above what n draws of all later ones may sum to."""
    found, mass, mean, square = 0, arb(0), arb(0), arb(0)
    for i in range(len(falling) - 1, 0, -1):
        weight, value = (ball(part) for part in falling[i])
        mass, mean, square = mass + weight, mean + weight * value, square + weight * value * value
        spread = FAR * (n * (square - mean * mean)).abs_upper().sqrt()
        above = ball(falling[i - 1][1])
        if above > spread - n * mean and above > spread:
            found = i
    return found


def _crossing(far: Points, points: Points, n: int) -> arb:
    """A bound on n sum of w E max(Y' + v, 0) over the (w, v) in `far`, v < 0: max(y, 0) <= e^(theta y) / (e theta)."""
    others, best = Draws([(Law(points), n - 1)]), arb(0)
    for i in range(60 if far else 0):
        theta = arb(2) ** (i - 10) / ball(abs(far[0][1]))
        own = sum((ball(w) * (theta * ball(v)).exp() for w, v in far), arb(0))
        bound = (n * own * others.log(theta).exp() / (arb(1).exp() * theta)).upper()
        best = bound if i == 0 or bound < best else best
    return best


# A finite sum -------------------------------------------------------------------------------------------------------


def _terms(n: Fraction | int, p: Fraction) -> int:
    """About how many terms the window of a binomial has."""
    return min(int(n), 30 * isqrt(int(n * p * (1 - p)) + 1)) + 1


def _pairing(points: Points, n: int) -> tuple[int, Points]:
    """(work, the points as A, B, C, D): the cheapest way, D present from 3 points on, C from 4 on."""
    best: tuple[int, Points] | None = None
    for i in range(len(points)):
        for j in range(i):
            pair, rest = [points[i], points[j]], [points[k] for k in range(len(points)) if k not in (i, j)]
            both = pair[0][0] + pair[1][0]
            cells = 2 * _terms(n * both, pair[0][0] / both)
            if len(rest) == 2:
                cells += _terms(n * (1 - both), rest[0][0] / (1 - both))
            work = _terms(n, both) * cells
            if best is None or work < best[0]:
                best = work, [*pair, *rest]
    return best if best is not None else (1, points)


def sum_work(points: Points, n: int) -> int:
    """About how many terms `finite_sum` has; a lot for more than 4 values, where it is not made."""
    return _pairing(points, n)[0] if len(points) <= 4 else EXACT_WORK + 1


def finite_sum(points: Points, n: int, bits: int) -> Ends:
    """Ends around E max(Y, 0), Y the sum of n draws of a law of at most 4 values A, B, C, D; narrower for more bits.

    T = h_A + h_B is binomial, and given T so are h_A and h_C, independently. With x = Y where h_C = 0, and V_C >= V_D,

        E[max(Y, 0) | T, h_A] = E max(x + (V_C - V_D) h_C, 0) = (k - r) E max(h_C - i, 0) + r E max(h_C - i - 1, 0),

    k = V_C - V_D, -x = k i + r, 0 <= r < k, all in units of the values' common denominator. All terms are positive.
    """
    if len(points) == 1:
        return (max(n * points[0][1], Fraction(0)),) * 2
    unit = 1
    for _, value in points:
        unit = unit * value.denominator // gcd(unit, value.denominator)
    _, chosen = _pairing(points, n)
    (a, A), (b, B), *rest = ((w, int(v * unit)) for w, v in chosen)
    (a, A), (b, B) = sorted([(a, A), (b, B)], key=lambda point: point[1], reverse=True)
    rest = sorted(rest, key=lambda point: point[1], reverse=True)
    most = max(abs(A), abs(B), *(abs(v) for _, v in rest), 0)
    bits += 32 + (most // unit + 1).bit_length()
    D = rest[-1][1] if rest else 0
    totals, lost = [0, 0], 0
    first, low_T, high_T, out_T = Binomial(n, a + b).window(bits)
    for T, *weights in zip(range(first, first + len(low_T)), low_T, high_T, strict=False):
        start, *laws_A, out_A = Binomial(T, a / (a + b)).window(bits)
        base, others, out_C = B * T + D * (n - T), None, 0
        if len(rest) == 2:
            others = Excess(Binomial(n - T, rest[0][0] / (rest[0][0] + rest[1][0])), rest[0][1] - D, bits)
            out_C = others.outside
        for end in (0, 1):
            worth = 0
            for x, weight in zip(range(base + start * (A - B), base + (start + len(laws_A[0])) * (A - B), A - B), laws_A[end], strict=True):
                worth += weight * (others.above(x, end) if others else max(x, 0) << bits)
            totals[end] += weights[end] * worth
        lost += weights[1] * (out_A + out_C)
    lost = (lost + (out_T << bits)) * n * most << bits
    scale = unit << 3 * bits
    return Fraction(totals[0], scale), Fraction(totals[1] + lost, scale)


class Excess:
    """E max(x + k X, 0) for X of a binomial law and integers x, k > 0, up to what lies outside X's window."""

    def __init__(self, law: Binomial, k: int, bits: int) -> None:
        self.first, *laws, self.outside = law.window(bits)
        self.k, self.sums = k, []
        for i, weights in enumerate(laws):
            tails = accumulate(reversed(weights))
            excess = list(accumulate(tails, initial=0))[::-1]  # at i: sum over j > first - 1 + i of Pr[X >= j]
            mean = law.mean * (1 << bits)
            self.sums.append((excess, int(mean) + (i if mean.denominator > 1 else 0)))
        self.bits = bits

    def above(self, x: int, end: int) -> int:
        """2^bits times the value; `end` 0 rounds down, 1 up."""
        excess, mean = self.sums[end]
        i, r = divmod(-x, self.k)
        i -= self.first - 1
        if i < 0:
            return (x << self.bits) + self.k * mean
        if i >= len(excess):
            return 0
        return (self.k - r) * excess[i] + (r * excess[i + 1] if i + 1 < len(excess) else 0)
