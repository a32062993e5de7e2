"""One column of bits: what `rr` shows, and each column of `fragmented_rappor`, for every dataset of the others.

Of N others, m hold a 1 before flipping. The column's number of ones, with the user who changes on 1 (P) or on 0 (Q), is

    P_m = G_m + Ber(1 - flip),   Q_m = G_m + Ber(flip),   G_m = Bin(m, 1 - flip) + Bin(N - m, flip).

Two facts are used throughout.

Reversal: c -> N + 1 - c takes (Q_m, P_m) to (P_(N-m), Q_(N-m)), so one direction for all m is both.
Dropping users: whoever sees (P, Q) with fewer others may add the missing ones himself, which is post-processing; so
the pair of m ones and z zeros is dominated by that of m' <= m ones and z' <= z zeros.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from heapq import heappop, heappush
from itertools import pairwise

from shufflecert.protocols.shared.counts import tail_event
from shufflecert.protocols.shared.tilted_column import column_ends, first_count
from shufflecert.protocols.shared.tilted_screen import screened
from shufflecert.verify.enclose.interval import Interval, refine
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import DIGITS
from shufflecert.verify.pairs.windowed import SumPair
from shufflecert.verify.reduce.reduction import Family, NamedPair, Threshold

MOST_SCREENED = 300_000  # others up to which every m is screened
STEPS = 200  # of branch and bound beyond
CLOSE = Fraction(1, 10**4)  # relative width at which branch and bound stops
BOXES, SOME = 8, 10_000


def column(flip: Fraction, ones: int, zeros: int) -> SumPair:
    """The pair of one column: (P, Q) with so many others on 1 and on 0."""
    others = tuple(law for law in (Binomial(ones, 1 - flip), Binomial(zeros, flip)) if law.n)
    return SumPair((*others, Binomial(1, 1 - flip)), (*others, Binomial(1, flip)))


@dataclass(frozen=True)
class AllColumns(Family):
    """The pairs of all m = 0..others: a family whose worst is found by screening, or between bounds beyond 300000."""

    flip: Fraction
    others: int
    names: tuple[str, str] = ("1", "0")  # of the inputs of P and of Q
    others_off: str | None = None  # of the others' input that is not on 1, where it is not that of Q

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """The largest delta(eps) over all m, the m that attains it, and how many m were looked at: all."""
        known = self._constant(eps)
        if known is not None:
            return known, self.named(0), 1
        if enough and any(self._dominated(eps, enough, most) for most in {min(SOME, self.others), self.others}):
            return Interval(Fraction(0), enough), None, self.others + 1
        some = [self._value(m, self.others - m, eps, 8, enough=enough) for m in {0, self.others // 2, self.others}]
        first = max(some, key=lambda value: value.low)
        if self.others > MOST_SCREENED or not first.low:
            return self._between(eps, enough)
        survivors = screened(self.flip, self.others, eps, first.low, enough)
        if not survivors:
            return Interval(first.low, enough), None, self.others + 1
        values = {m: self.value(m, eps, digits) for m in survivors}
        best = max(values, key=lambda m: values[m].low)
        top = Interval(values[best].low, max(enough, *(value.high for value in values.values())))
        return top, self.named(best), self.others + 1

    def _dominated(self, eps: Eps, enough: Fraction, most: int) -> bool:
        """Whether no delta(eps) is above `enough`, by the pairs that dominate eighths of all m: without a screen.

        They have `most` ones and zeros at most: others are dropped.
        """
        ends = [self.others * i // BOXES for i in range(BOXES + 1)]
        boxes = ((min(low, most), min(self.others - high, most)) for low, high in pairwise(ends))
        return all(self._value(*box, eps, 2, enough=enough).high <= enough for box in boxes)

    def _constant(self, eps: Eps) -> Interval | None:
        """delta where no sum is needed: 1 for flip = 0, which shows the bit; 0 for eps of at least the local eps."""
        if self.flip == 0:
            return Interval(Fraction(1), Fraction(1))
        return Interval(Fraction(0), Fraction(0)) if Eps.log(1 / self.flip - 1) <= eps else None

    def value(self, m: int, eps: Eps, digits: int = DIGITS) -> Interval:
        """The divergence delta(eps) where m of the others are on 1."""
        return self._value(m, self.others - m, eps, digits)

    def _value(self, ones: int, zeros: int, eps: Eps, digits: int, enough: Fraction = Fraction(0)) -> Interval:
        if (known := self._constant(eps)) is not None:
            return known
        return refine(
            partial(column_ends, self.flip, ones, zeros, eps), digits, first_bits=64 + 4 * digits, enough=enough
        )

    def _between(self, eps: Eps, enough: Fraction = Fraction(0)) -> tuple[Interval, NamedPair | None, int]:
        """Branch and bound: all m in [l, h] are dominated by l ones and N - h zeros."""
        seen, boxes = 0, [(Fraction(-1), 0, self.others)]
        near_ends = {m for i in range(self.others.bit_length()) for m in (2**i - 1, self.others + 1 - 2**i)}
        values = {m: self._value(m, self.others - m, eps, 12).low for m in near_ends}
        at = max(values, key=values.__getitem__)
        best = values[at]
        while True:
            bound, low, high = heappop(boxes)
            if low == high or seen > STEPS or (seen and -bound <= max(best + CLOSE * best, enough)):
                break
            middle = (low + high) // 2
            value = self._value(middle, self.others - middle, eps, 12)
            if value.low > best:
                best, at = value.low, middle
            for start, end in ((low, middle), (middle + 1, high)):
                above = self._value(start, self.others - end, eps, 12)
                heappush(boxes, (-above.high, start, end))
                seen += 1
        return Interval(best, -bound), self.named(at), seen

    def named(self, m: int) -> NamedPair:
        """The pair of datasets where m of the others are on 1."""
        (one, zero), pair = self.names, column(self.flip, m, self.others - m)
        held = {one: m, self.others_off or zero: self.others - m}
        return NamedPair(pair, one, zero, {x: count for x, count in held.items() if count}, partial(self._event, m))

    def _event(self, m: int, eps: Eps, bound: Fraction) -> Threshold:
        """The event {so many ones or more}, on which P > e^eps Q."""
        count = None if self._constant(eps) else first_count(self.flip, m, self.others - m, eps)
        one = self.names[0]
        if count is None:
            return tail_event(column(self.flip, m, self.others - m), one)(eps, bound)
        return Threshold({one: 1}, count - 1)

    def never_returns(self) -> Fraction:
        """A lower bound on the largest P(Q = 0): 1 without flips, else 0."""
        return Fraction(int(self.flip == 0))
