"""One pair of laws (P, Q): hockey-stick divergence, smallest eps for a delta, privacy profile. All exact."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cmp_to_key
from itertools import pairwise
from typing import TypeVar

from flint import fmpq, fmpz

from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import MAX_BITS, Delta, Eps
from shufflecert.verify.exact.randomizer import Law, T
from shufflecert.verify.exact.rational import probability, rational

Number = TypeVar("Number", int, fmpz, fmpq)


@dataclass(frozen=True)
class Pair:
    """A pair of finite laws (P, Q): P(y) = p[i] / denominator and Q(y) = q[i] / denominator for the i-th outcome y.

    The weights are integers; the order of the outcomes is the same in `p` and in `q`.
    """

    p: Sequence[fmpz]
    q: Sequence[fmpz]
    denominator: fmpz

    @classmethod
    def of(cls, P: Law[T], Q: Law[T]) -> "Pair":
        """The pair of two laws; an outcome that one of them lacks has probability 0 there."""
        if P.denominator == Q.denominator:
            laws, denominator = [(list(law), list(law.weights.values())) for law in (P, Q)], P.denominator
        else:
            scales, denominator = (Q.denominator, P.denominator), P.denominator * Q.denominator
            laws = [
                (list(law), [w * scale for w in law.weights.values()])
                for law, scale in zip((P, Q), scales, strict=True)
            ]
        return cls.aligned(laws[0], laws[1], denominator)[0]

    @classmethod
    def aligned(
        cls, P: tuple[list[T], list[fmpz]], Q: tuple[list[T], list[fmpz]], denominator: fmpz
    ) -> tuple["Pair", list[T]]:
        """A pair from (outcomes, weights) of P and of Q over one denominator; also the outcomes in its order."""
        if P[0] == Q[0]:
            return cls(P[1], Q[1], denominator), P[0]
        p, q = (dict(zip(*law, strict=True)) for law in (P, Q))
        outcomes, zero = list(dict.fromkeys([*P[0], *Q[0]])), fmpz(0)
        return cls([p.get(y, zero) for y in outcomes], [q.get(y, zero) for y in outcomes], denominator), outcomes

    @property
    def whole(self) -> bool:
        """Whether both laws have mass 1 (`verify.enclose.interval.EnclosedPair`)."""
        return all(sum(law, fmpz(0)) == self.denominator for law in (self.p, self.q))

    def reversed(self) -> "Pair":
        """The pair in the other direction, (Q, P)."""
        return Pair(self.q, self.p, self.denominator)

    def merged(self) -> "Pair":
        """The pair with outcomes of equal P/Q merged, in no order: no divergence changes, nor that of a product."""
        atoms: dict[tuple[int, int], fmpz] = {}
        for p, q in zip(self.p, self.q, strict=True):
            if p or q:
                common = p.gcd(q)
                ratio = int(p // common), int(q // common)
                atoms[ratio] = atoms.get(ratio, fmpz(0)) + common
        ranked = sorted(atoms.items())
        return Pair([k * p for (p, _), k in ranked], [k * q for (_, q), k in ranked], self.denominator)

    def times(self, other: "Pair") -> "Pair":
        """The product of two independent pairs."""
        p, q = ([a * b for a in one for b in two] for one, two in ((self.p, other.p), (self.q, other.q)))
        return Pair(p, q, self.denominator * other.denominator)

    def divergence(self, eps: Eps, bits: int) -> tuple[Fraction, Fraction]:
        """Rational ends around delta(eps) = A - B e^eps, from bounds on e^eps of relative width about 2^-bits."""
        low, high, scale = self.delta(eps).bounds(bits)
        return Fraction(int(low), int(scale)), Fraction(int(high), int(scale))

    def infinity_mass(self) -> Fraction:
        """P(Q = 0), exactly: the probability of outcomes that only P has, and a lower bound on every delta(eps)."""
        return self.probabilities([i for i, q in enumerate(self.q) if not q])[0]

    def event(self, eps: Eps, max_bits: int = MAX_BITS) -> list[int]:
        """The outcomes (by index) with P(y) > e^eps Q(y), each decided exactly. Raises Undecided past `max_bits`."""
        chosen, pending, bits = [], list(range(len(self.p))), 64
        while pending:
            if bits > max_bits:
                raise Undecided(f"{len(pending)} outcomes with P(y) close to e^{eps} Q(y) at {max_bits} bits")
            (low_p, low_q), (high_p, high_q) = (map(fmpz, end.as_integer_ratio()) for end in eps.bounds(bits))
            undecided = []
            for i in pending:
                p, q = self.p[i], self.q[i]
                if p * high_q > high_p * q:
                    chosen.append(i)
                elif p * low_q > low_p * q:
                    undecided.append(i)
            pending, bits = undecided, bits * 2
        return sorted(chosen)

    def weights(self, event: Sequence[int]) -> tuple[fmpz, fmpz]:
        """(P(E), Q(E)) times the denominator, of an event given by the indices of its outcomes."""
        return sum((self.p[i] for i in event), fmpz(0)), sum((self.q[i] for i in event), fmpz(0))

    def probabilities(self, event: Sequence[int]) -> tuple[Fraction, Fraction]:
        """(P(E), Q(E)) of an event given by the indices of its outcomes."""
        p, q = self.weights(event)
        return rational(fmpq(p, self.denominator)), rational(fmpq(q, self.denominator))

    def delta(self, eps: Eps, max_bits: int = MAX_BITS) -> Delta:
        """delta(eps) = sum_y max(P(y) - e^eps Q(y), 0) = A - B e^eps with A = P(event), B = Q(event), exactly."""
        return Delta(*self.weights(self.event(eps, max_bits)), self.denominator, eps)

    def epsilon_power(self, delta: Fraction, least: fmpq | None = None) -> fmpq | None:
        """The smallest t = e^eps, t >= `least` (1 unless given), with delta(eps) <= delta; None where there is none.

        t -> sum max(P - t Q, 0) is convex, decreasing and piecewise linear, so Newton's iteration from the left reaches
        its crossing with `delta` exactly, in as many steps as it changes its event. At delta = 0: the largest P/Q.
        """
        if not delta:
            return self._largest_ratio(least if least is not None else fmpq(1))
        t, bound = least if least is not None else fmpq(1), fmpq(delta.numerator, delta.denominator)
        while True:
            a, b, above, below = fmpz(0), fmpz(0), t.p, t.q
            for p, q in zip(self.p, self.q, strict=True):
                if p * below > above * q:
                    a, b = a + p, b + q
            if fmpq(a, self.denominator) - t * fmpq(b, self.denominator) <= bound:
                return t
            if b == 0:
                return None
            t = (fmpq(a, self.denominator) - bound) * fmpq(self.denominator, b)

    def _largest_ratio(self, least: fmpq) -> fmpq | None:
        """The largest of `least` and all P/Q; None where only Q is 0."""
        above, below = least.p, least.q
        for p, q in zip(self.p, self.q, strict=True):
            if p * below > above * q:
                above, below = p, q
        return fmpq(above, below) if below else None

    def within(self, power: fmpq, delta: Fraction) -> bool:
        """True only if delta at t = `power` is at most `delta`; False is no verdict.

        A cheap screen: delta decreases in t, so what holds at t rounded down to 128 bits holds at t.
        """
        low = fmpq((power.p << 128) // power.q, fmpz(1) << 128)
        total, above, below = fmpz(0), low.p, low.q
        for p, q in zip(self.p, self.q, strict=True):
            if (excess := p * below - above * q) > 0:
                total += excess
        return bool(total * delta.denominator <= delta.numerator * below * self.denominator)

    def profile(self) -> "Profile":
        """delta as a function of t = e^eps >= 1: outcomes sorted by P/Q, one line per prefix."""

        def by_ratio(i: int, j: int) -> int:
            return _sign(self.p[j] * self.q[i] - self.p[i] * self.q[j])

        ranked = sorted((i for i in range(len(self.p)) if self.p[i]), key=cmp_to_key(by_ratio))
        lines, a, b = [(fmpq(0), fmpq(0))], fmpz(0), fmpz(0)
        for i in ranked:
            if self.p[i] <= self.q[i]:
                break
            a, b = a + self.p[i], b + self.q[i]
            lines.append((fmpq(a, self.denominator), fmpq(b, self.denominator)))
        return Profile.envelope(lines)


@dataclass(frozen=True)
class Profile:
    """A privacy profile, exactly: delta(t) = max over lines of A - B t, for t = e^eps >= 1.

    `lines` holds the (A, B) that matter, `starts[i]` the t from which line i is the largest; starts[0] = 1, A and B
    decrease.
    """

    starts: tuple[Fraction, ...]
    lines: tuple[tuple[Fraction, Fraction], ...]

    @classmethod
    def envelope(cls, lines: Iterable[tuple[fmpq, fmpq]]) -> "Profile":
        """The profile that is the largest of some lines A - B t, for t >= 1."""
        hull = [(-y, -x) for x, y in lower_hull(sorted((-b, -a) for a, b in lines))]  # the steepest first
        starts = [(a0 - a) / (b0 - b) for (a0, b0), (a, b) in pairwise(hull)]
        gone = sum(start <= 1 for start in starts)
        kept = tuple((rational(a), rational(b)) for a, b in hull[gone:])
        return cls((Fraction(1), *map(rational, starts[gone:])), kept)

    def at(self, power: object) -> Fraction:
        """delta at e^eps = power, for a rational power >= 1: exact. Raises BadInput for another power."""
        t = Eps.log(rational(power, "e^eps"), "e^eps").power
        assert t is not None
        return max(a - b * t for a, b in self.lines)

    def delta(self, eps: object) -> Delta:
        """delta(eps) = A - B e^eps, with the (A, B) in force at eps. Raises BadInput for what is no eps."""
        at = Eps.of(eps)
        line = self.lines[bisect_right(self.starts, at, 1, key=Eps.log) - 1]
        a, b = (fmpq(*number.as_integer_ratio()) for number in line)
        return Delta(a.p * b.q, b.p * a.q, a.q * b.q, at)

    def epsilon(self, delta: object) -> Eps | None:
        """The smallest eps with delta(eps) <= delta, exactly log of a rational; None where there is none."""
        bound = probability(delta, "delta")
        if self.lines[-1][0] > bound:
            return None
        return Eps.log(max([Fraction(1), *((a - bound) / b for a, b in self.lines if b > 0)]))

    def maximum(self, other: "Profile") -> "Profile":
        """The pointwise maximum of two profiles."""
        both = (*self.lines, *other.lines)
        return Profile.envelope([(fmpq(*a.as_integer_ratio()), fmpq(*b.as_integer_ratio())) for a, b in both])


def lower_hull(points: Iterable[tuple[Number, Number]]) -> list[tuple[Number, Number]]:
    """The corners of the lower convex hull of points (x, y) with rising x; where several have one x, the first counts.

    As lines A - B t, the points (-B, -A) are corners of it just where the lines are the largest on more than one t.
    """
    hull: list[tuple[Number, Number]] = []
    for x, y in points:
        if hull and x == hull[-1][0]:
            continue
        while len(hull) > 1:
            (x0, y0), (x1, y1) = hull[-2:]
            if (y1 - y0) * (x - x1) < (y - y1) * (x1 - x0):
                break
            hull.pop()
        hull.append((x, y))
    return hull


def _sign(number: fmpz) -> int:
    return int(number > 0) - int(number < 0)
