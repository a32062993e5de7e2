"""Threshold events on the real view of one pair of neighbouring datasets: lower bounds on delta(eps) at any n.

The others hold given inputs, any composition; a user sends any number of messages. E is the set of views whose
messages' weights sum to more than some number: P(E) - e^eps Q(E) <= delta(eps). The same holds where E is decided with
a probability that depends on the view, so a normal variable may be added (verify/fourier/positive_part.py).

Weights are guesses; any are sound (verify/reduce/threshold_event/weights.py). What the
others cannot hide, as a message that none of them sends, decides alone (verify/reduce/threshold_event/seen.py). Where
the others' sum moves by steps, its law is taken point by point (verify/reduce/threshold_event/steps.py), else it is
blurred, and its tails are integrals.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt

from flint import arb

from shufflecert.verify.enclose.interval import Ends, Interval
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.ball import ceiling_of, least_of, precision
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.law import gathered
from shufflecert.verify.exact.randomizer import Messages
from shufflecert.verify.fourier.draws import Draws, Measure, bits_for_draws
from shufflecert.verify.fourier.positive_part import EFFORT, Integral
from shufflecert.verify.reduce.multinomial_form import POWER_BITS, Tails, rounded, sum_of
from shufflecert.verify.reduce.reduction import Threshold
from shufflecert.verify.reduce.threshold_event.seen import Class, classes
from shufflecert.verify.reduce.threshold_event.steps import Sums, by_steps, peak
from shufflecert.verify.reduce.threshold_event.weights import Row, weigh

DIGITS = 5  # of an event's value
FEW, FAR = 300, 60  # other users up to which the event is one on a lattice; standard deviations of the others' sum
CELLS = (1 << 12, 1 << 14, 1 << 16)  # of the lattice of an event that is written down


@dataclass(frozen=True)
class Event:
    """Neighbouring datasets: one user sends by the row `p` (P) or `q` (Q), the others by `others`: rows and counts."""

    p: Row
    q: Row
    others: tuple[tuple[Row, int], ...]

    def enclosure(self, eps: Eps, digits: int, _: Fraction = Fraction(0)) -> Interval:
        """P(E) - e^eps Q(E) for a good event E: at most delta(eps), and no bound on it from above."""
        above, below = rounded(eps, POWER_BITS)  # P(E) - t Q(E) > 0 falls in t at a rate of at most 1/t
        low, high = (max(end, Fraction(0)) for end in self.value(above, min(digits, DIGITS)))
        return Interval(low, high + (above - below) / below)

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around P(E) - e^eps Q(E), about 2^-bits apart."""
        value = self.enclosure(eps, bits * 3 // 10)
        return value.low, value.high

    whole = False  # one event bounds the datasets' divergence from below only

    def reversed(self) -> "Event":
        """The same datasets in the other direction."""
        return Event(self.q, self.p, self.others)

    def infinity_mass(self) -> Fraction:
        """The probability that in P the user is seen in a class in which Q never is: a lower bound on P(Q = 0)."""
        possible = {self.classes[sent] for sent in self.q}
        return sum((p for sent, p in self.p.items() if self.classes[sent] not in possible), Fraction(0))

    @cached_property
    def classes(self) -> dict[Messages, Class]:
        """What the view reveals for sure of all that the user may send (verify/reduce/threshold_event/seen.py)."""
        return classes((*self.p, *self.q), [row for row, _ in self.others])

    def value(self, t: Fraction, digits: int = DIGITS) -> Ends:
        """Rational ends around P(E) - t Q(E), for an event that is the less blurred the more `digits` there are."""
        sure, p, q = self._told_apart(t)
        left = gathered([*p.items(), *((sent, -t * w) for sent, w in q.items())])
        if (guess := weigh(p, q, self.others, t) if p and q else None) is None:  # all of the rest, or nothing
            return (sure + max(Fraction(0), sum(left.values(), Fraction(0))),) * 2
        weights, tilt = guess
        user, others = sums(left, weights), [(sums(row, weights), n) for row, n in self.others]
        if all(len(law) == 1 for law, _ in others):  # the user's sum is seen
            tails = [sum((d for v, d in user.items() if v >= least), Fraction(0)) for least in user]
            return (sure + max(Fraction(0), *tails),) * 2
        users = sum(n for _, n in others)
        if users <= FEW:
            return (self.on_lattice(t, weights, CELLS[1])[0],) * 2
        if stepped := by_steps(user, others):
            low, high = sure + stepped[0], sure + stepped[1]
            if (high - low) * 10**digits <= high:
                return low, high
        with precision(bits_for_draws(users)):
            laws = [(Measure([(w, Fraction(v)) for v, w in law.items()]), n) for law, n in others]
            _, mean, variance = Draws(laws).cumulants(arb(0))
            above, spread = Draws(laws).cumulants(tilt)[1].mid(), variance.sqrt()
            near = {v: d for v, d in user.items() if abs(v + mean - above) < FAR * spread}
            law = Measure([(d, Fraction(v)) for v, d in near.items() if d])
            above = (above + _shift(_through(laws, above, 3, EFFORT // 10), law, FAR * spread / 4)).mid()
            line = _through(laws, above, digits, EFFORT if digits == DIGITS else EFFORT // 10)
            low, high = line.difference(law)
            for v in user.keys() - near.keys():
                way = -1 if v + mean > above else 1
                some = least_of(arb(1), (line.tail(arb(v), way * 2**i / spread) for i in range(5)))
                sure += user[v] if way < 0 else 0
                low, high = low - ceiling_of(some) * abs(user[v]), high + ceiling_of(some) * abs(user[v])
        return sure + low, sure + high

    def _told_apart(self, t: Fraction) -> tuple[Fraction, Row, Row]:
        """What P(E) - t Q(E) gains from classes of a single output, or without P or Q; and both rows without these."""
        members: dict[Class, list[Messages]] = {}
        for sent, seen in self.classes.items():
            members.setdefault(seen, []).append(sent)
        sure, left = Fraction(0), list[Messages]()
        for outputs in members.values():
            p, q = (sum((row.get(sent, Fraction(0)) for sent in outputs), Fraction(0)) for row in (self.p, self.q))
            if p and q and len(outputs) > 1:
                left += outputs
            else:
                sure += max(Fraction(0), p - t * q)
        p_left, q_left = ({sent: row[sent] for sent in left if sent in row} for row in (self.p, self.q))
        return sure, p_left, q_left

    def alone(self, t: Fraction) -> dict[str, int]:
        """The messages that no other user sends: 1 where they are evidence for P, else -1."""
        known, signs = {m for row, _ in self.others for sent in row for m in sent}, {}
        for m in {m for row in (self.p, self.q) for sent in row for m in sent} - known:
            p, q = (sum((w for sent, w in row.items() if m in sent), Fraction(0)) for row in (self.p, self.q))
            signs[m] = 1 if p > t * q else -1
        return signs

    def threshold(self, eps: Eps, bound: Fraction) -> Threshold:
        """An event with P(E) - e^eps Q(E) > bound. Raises Undecided where the finest lattice shows none."""
        t, _ = rounded(eps, POWER_BITS)
        guess = weigh(self.p, self.q, self.others, t)
        for cells in CELLS:
            shown, event = self.on_lattice(t, guess[0] if guess else {}, cells)
            if shown > bound:
                return event
        raise Undecided(f"delta is attained, but no event on a lattice of {CELLS[-1]} cells shows it")

    def on_lattice(
        self, t: Fraction, weights: Mapping[str, int], cells: int, bits: int = 256
    ) -> tuple[Fraction, Threshold]:
        """(P(E) - t Q(E) from below, E) for an event with integer weights, the others' sum on about so many cells."""
        coarse = self.rounded(weights, cells, bits)
        law = sum_of(((sums(row, coarse), n) for row, n in self.others), bits)
        beyond = len(law.low) + sum((abs(w) for w in coarse.values()), 0) * max(map(len, (*self.p, *self.q))) + 1
        coarse |= {m: sign * beyond for m, sign in self.alone(t).items()}
        p, q, tails = sums(self.p, coarse), sums(self.q, coarse), Tails(law)

        def excess(at: int) -> Fraction:
            most = sum((w * tails.more_than(at - v)[1] for v, w in q.items()), Fraction(0))
            return sum((w * tails.more_than(at - v)[0] for v, w in p.items()), Fraction(0)) - t * most

        at = peak(excess, law.first - 1 + min(*p, *q), law.first + len(law.low) + max(*p, *q))
        return max(excess(at), Fraction(0)), Threshold.in_lowest_terms(coarse, at)

    def rounded(self, weights: Mapping[str, int], cells: int, bits: int) -> dict[str, int]:
        """The weights as multiples of the step, among near ones, that moves the others' sum least.

        The commonest message has weight 0 where all users send the same number of messages.
        """
        rows = [self.p, self.q, *(row for row, _ in self.others)]
        if self.others and len({len(sent) for row in rows for sent in row}) == 1:
            seen: Counter[str] = Counter()
            for row, n in self.others:
                for sent, p in row.items():
                    for m in sent:
                        seen[m] += n * p  # type: ignore[assignment]
            zero = weights.get(max(seen, key=seen.__getitem__), 0)
            weights = {m: w - zero for m, w in weights.items()}
        variance = self._variance({m: Fraction(w) for m, w in weights.items()})
        span = max(max(0, *weights.values()) - min(0, *weights.values()), 1) if weights else 1
        step = max(Fraction(3 * isqrt(int(variance)) * (isqrt(bits) + 1)), Fraction(span)) / cells

        def moved(step: Fraction) -> Fraction:
            return self._variance({m: w - step * round(w / step) for m, w in weights.items()})

        best = min((step * (128 + i) / 128 for i in range(64)), key=moved)
        return {m: round(w / best) for m, w in weights.items()}

    def _variance(self, weights: Mapping[str, Fraction]) -> Fraction:
        """Of the others' sum, to about 2^-80."""
        total = 0
        for row, n in self.others:
            values = [sum((weights.get(m, Fraction(0)) for m in sent), Fraction(0)) for sent in row]
            weighed = [(int(p * 2**80), int(v * 2**40)) for p, v in zip(row.values(), values, strict=True)]
            mean = sum(p * v for p, v in weighed) >> 80
            total += n * sum(p * (v - mean) ** 2 for p, v in weighed)
        return Fraction(total, 1 << 160)


def sums(row: Mapping[Messages, Fraction], weights: Mapping[str, int]) -> Sums:
    """The law of the sum of weights of what is sent; messages that are not weighed have weight 0."""
    return gathered((sum(weights.get(m, 0) for m in sent), p) for sent, p in row.items())


def _through(others: list[tuple[Measure, int]], above: arb, digits: int, effort: int) -> Integral:
    """The line for Pr[the others' sum and the user's > above]."""
    draws = Draws([*others, (Measure.constant(-above), 1)])
    eta = draws.guess(arb(0), 1 / draws.cumulants(arb(0))[2].sqrt(), 1)
    log, _, curvature = draws.cumulants(eta)
    return Integral.through(draws, eta, log - (eta * (curvature + 1 / eta**2).sqrt()).log() - 5, digits, effort)


def _shift(line: Integral, user: Measure, most: arb) -> arb:
    """By how much more the sum should exceed, a guess: where P and t Q are about equal, P less on the left."""
    low, high, density = arb(0), arb(0), line.density(user)
    for i in range(6, -1, -1):
        if density(low) < 0:
            break
        low = -most / 2**i
    for i in range(6, -1, -1):
        if density(high) > 0:
            break
        high = most / 2**i
    for _ in range(12):
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if density(middle) < 0 else (low, middle)
    return low
