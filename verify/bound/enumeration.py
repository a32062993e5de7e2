"""The maker of exact Bounds: every pair of neighbouring datasets, up to order, classes and symmetries, one by one."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import fmpq, fmpz

from shufflecert.verify.bound.bound import Certified, Claim, Curve, WorstDelta, WorstEpsilon, common_scope
from shufflecert.verify.bound.evidence import enumerated, listed
from shufflecert.verify.bound.question import Effort, Question
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import MAX_BITS, Delta, Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.neighbours import Case, Neighbourhood, Neighbours
from shufflecert.verify.exact.rational import DIGITS, rational
from shufflecert.verify.pairs.connect_the_dots import Exact
from shufflecert.verify.progress import Progress
from shufflecert.verify.reduce.reduction import NamedPair

KEY_BITS = 64  # of a ratio P/Q by which outcomes are sorted, after the point


@dataclass(frozen=True)
class Enumeration:
    """The worst of a neighbourhood: exact, A - B e^eps of delta and log(p/q) of eps."""

    question: Question
    effort: Effort
    around: Neighbourhood

    reach = covers = None  # beside the datasets there is nothing

    @property
    def by(self) -> str:
        """Why the pairs that are enumerated are enough, in words."""
        return self.around.scope(0, None).by

    def within(self, work: int) -> "Enumeration":
        """Itself: nothing is searched."""
        return self

    @property
    def infinity_mass(self) -> Fraction:
        """The largest P(Q = 0)."""
        return max((Ranked.of(case.pair).infinity_mass for case in cases(self.around)), default=Fraction(0))

    @property
    def stated(self) -> "Enumeration":
        """Itself."""
        return self

    def delta(self, eps: Eps, enough: Fraction = Fraction(0)) -> WorstDelta:
        """The largest delta(eps)."""
        return worst_case(self.around, eps, self.effort.progress)[0]

    def epsilon(self, delta: Fraction) -> WorstEpsilon:
        """The smallest eps with delta(eps) <= delta."""
        power, worst, pairs = least_power(self.around, delta, self.effort.progress)
        return WorstEpsilon(None if power is None else Eps.log(rational(power)), self.around.scope(pairs, worst))

    def decided(self, eps: Eps, delta: Fraction) -> Certified:
        """Whether the largest delta(eps) is at most this delta, exactly."""
        claim, worst, bits = Claim(self.question, eps, delta), None, self.effort.bits
        try:
            worst, case = worst_case(self.around, eps, self.effort.progress, bits)
            assert isinstance(worst.delta, Delta)
            holds = worst.delta.minus(delta).sign(bits) <= 0
        except Undecided as undecided:
            return Certified(claim, "UNDECIDED", worst, reason=str(undecided))
        if holds:
            return Certified(claim, "PROVED", worst, enumerated(self.around, claim))
        assert case is not None
        event, probabilities, because = listed(self.around, case, claim)
        return Certified(claim, "REFUTED", worst, because, event=event, probabilities=probabilities)

    def lower(self, eps: Eps, digits: int = DIGITS) -> tuple[Interval, NamedPair | None]:
        """The largest delta(eps), with its datasets."""
        found, case = worst_case(self.around, eps)
        if case is None:
            return _interval(found.delta), None
        named = case.neighbours
        return _interval(found.delta), NamedPair(Exact(case.pair), named.source, named.target, named.others)

    def upper(self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)) -> Interval:
        """The largest delta(eps)."""
        return _interval(self.delta(eps).delta)

    def curve(self, eps: Sequence[Eps], enough: Fraction = Fraction(-1)) -> Curve:
        """The largest delta at each eps, of one enumeration."""
        values: list[Delta] = [Delta(fmpz(0), fmpz(0), fmpz(1), at) for at in eps]
        worst: list[Neighbours | None] = [None] * len(eps)
        pairs, mass = 0, Fraction(0)
        for case in cases(self.around, self.effort.progress):
            pairs += 1
            ranked = Ranked.of(case.pair)
            mass = max(mass, ranked.infinity_mass)
            for i, at in enumerate(eps):
                value = ranked.delta(at)
                if value.minus(values[i]).sign() > 0:
                    values[i], worst[i] = value, case.neighbours
        scope = common_scope([self.around.scope(pairs, pair) for pair in worst])
        return Curve(tuple(zip(eps, values, strict=True)), scope, mass)


def _interval(value: Delta | Interval) -> Interval:
    low, high = value.enclosure()
    return Interval(Fraction(low), Fraction(high))


def worst_case(
    around: Neighbourhood, eps: Eps, progress: Progress | None = None, max_bits: int = MAX_BITS
) -> tuple[WorstDelta, Case | None]:
    """The largest delta(eps) of a neighbourhood and the case that attains it (None when there is a single input).

    Raises Undecided where `max_bits` bits of e^eps do not decide a comparison.
    """
    best, worst, pairs = Delta(fmpz(0), fmpz(0), fmpz(1), eps), None, 0
    for case in cases(around, progress):
        pairs += 1
        value = case.pair.delta(eps, max_bits)
        if worst is None or value.minus(best).sign(max_bits) > 0:
            best, worst = value, case
    return WorstDelta(best, around.scope(pairs, worst.neighbours if worst else None), eps), worst


def least_power(
    around: Neighbourhood, bound: Fraction, progress: Progress | None = None
) -> tuple[fmpq | None, Neighbours | None, int]:
    """(the smallest e^eps that keeps the bound, None where none does; the case that needs it; how many were seen)."""
    power, worst, pairs = fmpq(1), None, 0
    for case in cases(around, progress):
        pairs += 1
        if worst is None or not case.pair.within(power, bound):
            reached = case.pair.epsilon_power(bound, power)
            if reached is None:
                return None, case.neighbours, pairs
            if worst is None or reached > power:
                power, worst = reached, case.neighbours
    return power, worst, pairs


def cases(around: Neighbourhood, progress: Progress | None = None) -> Iterable[Case]:
    """The representatives of a neighbourhood with their pairs of laws, through a progress bar where one is given."""
    chosen = around.representatives()
    walk = around.cases(chosen)
    return progress(walk, sum(len(pairs) for pairs in chosen.values())) if progress else walk


@dataclass(frozen=True)
class Ranked:
    """A pair's outcomes in falling order of P/Q, with prefix sums: delta at any eps by bisection, exactly.

    Only those with P > Q > 0 are listed. `keys` are -floor(2^KEY_BITS P/Q), rising; `p_sums` and `q_sums` add up what
    comes before, after all with Q = 0, whose P weigh `alone`. Outcomes of one key may be in any order.
    """

    pair: Pair
    keys: Sequence[fmpz]
    p_sums: Sequence[fmpz]
    q_sums: Sequence[fmpz]
    alone: fmpz

    @property
    def infinity_mass(self) -> Fraction:
        """P(Q = 0)."""
        return Fraction(int(self.alone), int(self.pair.denominator))

    @classmethod
    def of(cls, pair: Pair) -> "Ranked":
        """The outcomes of a pair, ranked."""
        alone = sum((p for p, q in zip(pair.p, pair.q, strict=True) if not q), fmpz(0))
        ranked = sorted(
            ((-((p << KEY_BITS) // q), p, q) for p, q in zip(pair.p, pair.q, strict=True) if p > q and q),
            key=lambda outcome: outcome[0],
        )
        p_sums, q_sums = [alone], [fmpz(0)]
        for _, p, q in ranked:
            p_sums.append(p_sums[-1] + p)
            q_sums.append(q_sums[-1] + q)
        inside = Pair([p for _, p, _ in ranked], [q for _, _, q in ranked], pair.denominator)
        return cls(inside, [key for key, _, _ in ranked], p_sums, q_sums, alone)

    def delta(self, eps: Eps) -> Delta:
        """delta(eps), exactly, as by `Pair.delta`.

        Since floor(x) > floor(y) makes x > y, only outcomes with P/Q next to e^eps are left to decide.
        """
        low, high = (fmpz((end.numerator << KEY_BITS) // end.denominator) for end in eps.bounds(2 * KEY_BITS))
        first, last = bisect_left(self.keys, -high), bisect_right(self.keys, -low)
        near = Pair(self.pair.p[first:last], self.pair.q[first:last], self.pair.denominator)
        p, q = near.weights(near.event(eps))
        return Delta(self.p_sums[first] + p, self.q_sums[first] + q, self.pair.denominator, eps)
