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

from flint import arb, fmpz

from verify.contour import EFFORT, Draws, Law, Points, bits_for_draws, positive_part
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
        hides = sum((c for c, _, q in self.entries if q), Fraction(0))
        if not shared or hides == 1 or self.n > 10**6:
            return alone
        with precision(128):
            return alone + dyadic((shared * ((self.n - 1) * ball(1 - hides).log()).exp()).lower() * ball(shared)) if 0 else alone
