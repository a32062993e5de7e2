"""Threshold events on the real view of one pair of neighbouring datasets: lower bounds on delta(eps) at any n.

The others hold given inputs, any composition; a user sends any number of messages. E is the set of views whose
messages' weights sum to more than some number: P(E) - e^eps Q(E) <= delta(eps). The same holds where E is decided with
a probability that depends on the view, so a normal variable may be added (verify/fourier/draws.py).

Told for sure. The others' counts of messages sum to a known vector plus differences of outputs of one row, so often
each. What is seen for sure of the user's own counts is their class modulo the lattice of these differences: how often a
message is sent that nobody else sends, or all others equally often; the number of messages where all others send
equally many; whether it is odd where theirs is always even. Such classes decide alone.

Weights are guesses; any are sound. For many others Pr[counts are M - m] / Pr[counts are M] is about e^(s . m), s the
slope of their rate function at M, so P > e^eps Q where f(s) = log E_x e^(s . m) - log E_y e^(s . m) > eps, with m what
the user sends. The likeliest such M has the least rate on f(s) = eps: there s is a multiple of C^-1 grad f, C the
covariance of the others' messages tilted by s. So s, the normal of the surface on which both likelihoods are equal, is
taken for the weights of messages.

The others' sum. Where the weights of what one user sends differ by multiples of a step g, it is base + g K for an
integer K, whose law is found in fixed point; so it is where only one number matters, as where every row has two
outputs. There the characteristic function does not fall, and an integral takes a hundred times as long. Else the sum is
blurred, and its tails are integrals.

Totals that one of two datasets never has. A lower bound on P(Q = 0), by ends of the numbers of messages (`never`).

Lemma. Let messages have any weights, t the largest sum of them that Q's user can send, and M the largest that all
others can. Q has no total above t + M. P has one where its user sends v > t and the others' sum is above M - (v - t).
The same holds in each class of what every view tells apart, t the largest sum in that class.

Weights that are looked at: of one message 1, or -1; of all messages the same; and where P and Q have the same end of
one, and messages are few, so much for it that a second one counts only there, as in verify/reduce/pure.py.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from math import gcd, isqrt
from typing import Any

from flint import arb, arb_mat, fmpz_mat

from shufflecert.verify.enclose.interval import Ends, Interval, ToDigits
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Messages, gathered
from shufflecert.verify.exact.rational import ball, ceiling_of, dyadic, floor_of, least_of, precision
from shufflecert.verify.fourier.draws import EFFORT, Draws, Integral, Measure, bits_for_draws
from shufflecert.verify.pairs.windowed import Atoms, WindowPair
from shufflecert.verify.reduce.multinomial_form import MAX_CELLS, POWER_BITS, Tails, rounded, sum_of
from shufflecert.verify.reduce.reduction import Threshold

Row = Mapping[Messages, Fraction]  # Pr[a user sends this multiset], its messages sorted
Sums = dict[int, Fraction]  # {sum of weights: probability, or a difference of two}
Law = tuple[tuple[int, Fraction], ...]
Class = tuple[int, ...]
Cloud = list[tuple[arb, dict[int, int]]]  # (weight, {message: count})
DIGITS = 5  # of an event's value
FEW, FAR = 300, 60  # other users up to which the event is one on a lattice; standard deviations of the others' sum
CELLS = (1 << 12, 1 << 14, 1 << 16)  # of the lattice of an event that is written down
MANY = 60  # messages up to which lattices and covariances are solved for; beyond, a simpler guess takes their place
FINE = 1 << 40  # the largest weight on the line
ROUNDS, DOUBLINGS, HALVINGS = 8, 64, 40  # of the search for weights
SMALLEST = arb(2) ** -1000  # of what one more message tells: below, users tell nothing, and digits fill memory
BITS, LONGEST = 256, 1 << 13  # of the law of a sum that moves by steps; its cells, about, to either side of the mean
SPARE, MOST_BITS = 96, 512  # bits below a delta, of a law on a lattice; in all, at most
DEVIATIONS = 19  # beyond which less than 2^-BITS of a normal law lies
KEPT = 16  # laws that are kept: a search for an eps asks for the same ones with other probabilities of the one user
FEW_KEPT = 4  # the same of all bits that are asked for: a composition asks for each again, from above and from below
Weights = tuple[tuple[str, int], ...]
END_BITS = 128  # of the law of a sum next to its end
FEW_MESSAGES = 6  # messages up to which two of them are looked at together
FARTHEST = 64  # from the others' largest sum: what is farther is left out
RARE = 1 << 11  # of the others, so many of whom are not at their end on average: nearly nothing is left of it


@dataclass(frozen=True)
class Event(ToDigits):
    """Neighbouring datasets: one user sends by the row `p` (P) or `q` (Q), the others by `others`: rows and counts."""

    p: Row
    q: Row
    others: tuple[tuple[Row, int], ...]

    def enclosure(self, eps: Eps, digits: int, _: Fraction = Fraction(0)) -> Interval:
        """P(E) - e^eps Q(E) for a good event E: at most delta(eps), and no bound on it from above."""
        above, below = rounded(eps, POWER_BITS)  # P(E) - t Q(E) > 0 falls in t at a rate of at most 1/t
        low, high = (max(end, self._never) for end in self.value(above, min(digits, DIGITS)))
        return Interval(low, high + (above - below) / below)

    whole = False  # one event bounds the datasets' divergence from below only

    def reversed(self) -> "Event":
        """The same datasets in the other direction."""
        return Event(self.q, self.p, self.others)

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0): the user is seen in a class in which Q never is, or totals are beyond Q's end."""
        return self._never

    @cached_property
    def _never(self) -> Fraction:
        if self.p.keys() <= self.q.keys():
            return Fraction(0)
        members: dict[Class, tuple[dict[Messages, Fraction], dict[Messages, Fraction]]] = {}
        for i, row in enumerate((self.p, self.q)):
            for sent, w in row.items():
                members.setdefault(self.classes[sent], ({}, {}))[i][sent] = w
        return never(members.values(), self.others)

    @cached_property
    def classes(self) -> dict[Messages, Class]:
        """What the view reveals for sure of all that the user may send."""
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

    def threshold(self, eps: Eps, bound: Fraction, finer: Sequence[int] = ()) -> Threshold:
        """An event with P(E) - e^eps Q(E) > bound, on lattices of CELLS and `finer` ones.

        Raises Undecided where the finest one shows none.
        """
        mass, weights, end = beyond(self.p, self.q, self.others)
        if mass > bound:
            return Threshold.in_lowest_terms(weights, end)
        t, _ = rounded(eps, POWER_BITS)
        guess = weigh(self.p, self.q, self.others, t)
        size = bound.denominator.bit_length() - bound.numerator.bit_length()
        bits = min(-(-max(size, 0) // 64) * 64 + SPARE, MOST_BITS) if bound else MOST_BITS
        for cells in (*CELLS, *finer):
            shown, event = self.on_lattice(t, guess[0] if guess else {}, cells, bits)
            if shown > bound:
                return event
        raise Undecided(f"delta is attained, but no event on a lattice of {cells} cells shows it")

    def on_lattice(
        self, t: Fraction, weights: Mapping[str, int], cells: int, bits: int = 256
    ) -> tuple[Fraction, Threshold]:
        """(P(E) - t Q(E) from below, E) for an event with integer weights, the others' sum on about so many cells."""
        key = t, tuple(weights.items()), cells, bits
        if key not in self._on_lattices:
            self._on_lattices[key] = self._peak(t, *self.in_line(t, weights, cells, bits))
        return self._on_lattices[key]

    @cached_property
    def _on_lattices(self) -> dict[Any, tuple[Fraction, Threshold]]:
        """What lattices have shown: several claims at one eps are asked for."""
        return {}

    def _peak(self, t: Fraction, coarse: dict[str, int], law: Window) -> tuple[Fraction, Threshold]:
        """(P(E) - t Q(E) from below, E) for the best threshold of the sum of these weights."""
        p, q, tails = sums(self.p, coarse), sums(self.q, coarse), Tails(law)

        def excess(at: int) -> Fraction:
            most = sum((w * tails.more_than(at - v)[1] for v, w in q.items()), Fraction(0))
            return sum((w * tails.more_than(at - v)[0] for v, w in p.items()), Fraction(0)) - t * most

        at = peak(excess, law.first - 1 + min(*p, *q), law.first + len(law.low) + max(*p, *q))
        return max(excess(at), Fraction(0)), Threshold.in_lowest_terms(coarse, at)

    def in_line(self, t: Fraction, weights: Mapping[str, int], cells: int, bits: int) -> tuple[dict[str, int], Window]:
        """(smaller weights, the law of the others' sum of them) on about so many cells.

        Messages that no other user sends are told from all others.
        """
        coarse = self.rounded(weights, cells, bits)
        law = sum_of(((sums(row, coarse), n) for row, n in self.others), bits)
        beyond = len(law.low) + sum((abs(w) for w in coarse.values()), 0) * max(map(len, (*self.p, *self.q))) + 1
        return coarse | {m: sign * beyond for m, sign in self.alone(t).items()}, law

    def shown_in_line(self, eps: Eps) -> "InLine":
        """What the datasets show by the sum of weights that are good at this eps."""
        t, _ = rounded(eps, POWER_BITS)
        guess = weigh(self.p, self.q, self.others, t)
        return InLine(self, tuple(self.in_line(t, guess[0] if guess else {}, CELLS[1], BITS)[0].items()))

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


@dataclass(frozen=True, eq=False)
class InLine(WindowPair):
    """The sums of weights of all messages of two neighbouring datasets: a pair that theirs dominates."""

    event: Event
    weights: tuple[tuple[str, int], ...]

    def atoms(self, bits: int) -> Atoms:
        """One atom for each sum that is likely."""
        event, weights = self.event, dict(self.weights)
        others = _sum_of(tuple((tuple(sums(row, weights).items()), n) for row, n in event.others), bits)
        ends = (Window.of_finite(sums(row, weights), bits) for row in (event.p, event.q))
        return Atoms.of(*(others.plus(one).pointwise() for one in ends))

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0) of the datasets."""
        return self.event.infinity_mass()

    def reversed(self) -> "InLine":
        """The same datasets in the other direction."""
        return InLine(self.event.reversed(), self.weights)


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


# Told for sure --------------------------------------------------------------------------------------------------------


def classes(sent: Iterable[Messages], others: Sequence[Row]) -> dict[Messages, Class]:
    """The class of everything that the user may send: what is in different classes is told apart by every view."""
    outputs, known = dict.fromkeys(sent), {m for row in others for output in row for m in output}
    names = sorted(known.union(*outputs))
    if len(names) > MANY:
        alone = [m for m in names if m not in known]
        return {output: tuple(map(output.count, alone)) for output in outputs}
    basis = _basis([step for row in others for step in _differences(row, names)])
    return {output: _remainder([output.count(m) for m in names], basis) for output in outputs}


def _differences(row: Row, names: Sequence[str]) -> list[list[int]]:
    first, *rest = ([output.count(m) for m in names] for output in row)
    return [[a - b for a, b in zip(one, first, strict=True)] for one in rest]


def _basis(differences: list[list[int]]) -> list[list[int]]:
    """Hermite's normal form of the lattice that all of them span, without rows of zeros."""
    found = fmpz_mat(differences).hnf().tolist() if differences else []
    return [[int(a) for a in row] for row in found if any(row)]


def _remainder(counts: list[int], basis: list[list[int]]) -> Class:
    """The one vector of the class that is reduced by every row, at the place where that begins."""
    for row in basis:
        at = next(i for i, a in enumerate(row) if a)
        times = counts[at] // row[at]
        counts = [a - times * b for a, b in zip(counts, row, strict=True)]
    return tuple(counts)


# Weights --------------------------------------------------------------------------------------------------------------


def weigh(p_row: Row, q_row: Row, others: Sequence[tuple[Row, int]], t: Fraction) -> tuple[dict[str, int], arb] | None:
    """Weights of the others' messages for a good event, and the tilt of their sum where P = t Q; None without one.

    One user sends by `p_row` (P) or `q_row` (Q), the others by rows and how many hold them; t is e^eps.
    """
    names = sorted({m for row, _ in others for sent in row for m in sent})
    place = {m: i for i, m in enumerate(names)}
    p_sizes, q_sizes, *sizes = ({*map(len, row)} for row in (p_row, q_row, *(row for row, _ in others)))
    way = (min(p_sizes) > max(q_sizes)) - (max(p_sizes) < min(q_sizes))
    if names and way and all(len(each) == 1 for each in sizes):  # the number of messages tells P from Q
        return dict.fromkeys(names, way), arb(0)

    def cloud(row: Row, factor: Fraction) -> Cloud:
        known = [(sent, p) for sent, p in row.items() if place.keys() >= set(sent)]
        return [(ball(p * factor), Counter(place[m] for m in sent)) for sent, p in known]

    with precision(80):
        total = sum(n for _, n in others)
        p, q = cloud(p_row, Fraction(1)), cloud(q_row, t)
        crowd = [cloud(row, Fraction(n, total)) for row, n in others]
        tilt, direction = arb(0), [arb(0)] * len(names)
        for _ in range(ROUNDS if p and q else 0):
            slope = [tilt * d for d in direction]
            gradient = [a - b for a, b in zip(_mean(p, slope), _mean(q, slope), strict=True)]
            direction = _solve(crowd, slope, gradient)
            if (found := _root(p, q, direction)) is None:
                return None
            tilt = found
        told = {m: d for m, d in zip(names, direction, strict=True) if abs(d).mid() > SMALLEST}
        if not told:
            return None
        scale = ball(max(dyadic(abs(d).mid()) for d in told.values())) / FINE
        weights = {m: int(dyadic((d / scale).mid())) for m, d in told.items()}
        return dict.fromkeys(names, 0) | weights, (tilt * scale).mid()


def _at(counts: Mapping[int, int], slope: Sequence[arb]) -> arb:
    return sum((slope[i] * count for i, count in counts.items()), arb(0))


def _mean(cloud: Cloud, slope: Sequence[arb]) -> list[arb]:
    """The mean counts, tilted."""
    mean, total = [arb(0)] * len(slope), arb(0)
    for weight, counts in cloud:
        tilted = weight * _at(counts, slope).exp()
        total += tilted
        for i, count in counts.items():
            mean[i] += tilted * count
    return [(m / total).mid() for m in mean]


def _solve(crowd: list[Cloud], slope: Sequence[arb], gradient: list[arb]) -> list[arb]:
    """C^-1 gradient, about; a little is added to the diagonal, for messages that determine each other."""
    size = len(slope)
    table = [[arb(0)] * size for _ in range(size)]
    for cloud in crowd:
        mean, mass = _mean(cloud, slope), sum((weight for weight, _ in cloud), arb(0))
        total = sum((weight * _at(counts, slope).exp() for weight, counts in cloud), arb(0))
        for weight, counts in cloud:
            tilted = weight * _at(counts, slope).exp() * mass / total
            for i, count in counts.items():
                for j, other in counts.items() if size <= MANY else [(i, count)]:
                    table[i][j] += tilted * count * other
        for i in range(size):
            for j in range(size) if size <= MANY else [i]:
                table[i][j] = (table[i][j] - mass * mean[i] * mean[j]).mid()
    little = sum((table[i][i] for i in range(size)), arb(0)) / (size << 30) + arb(2) ** -60
    if size > MANY:
        return [(g / (table[i][i] + little)).mid() for i, g in enumerate(gradient)]
    for i in range(size):
        table[i][i] += little
    return [solved.mid() for solved in arb_mat(table).solve(arb_mat(size, 1, gradient)).entries()]


def _root(p: Cloud, q: Cloud, direction: Sequence[arb]) -> arb | None:
    """The s with E_p e^(s d . m) = E_q e^(s d . m), weights included; None where there is none."""
    laws = [[(weight, _at(counts, direction)) for weight, counts in cloud] for cloud in (p, q)]

    def above(s: arb) -> bool:
        ends = [sum((w * (s * v).exp() for w, v in law), arb(0)) for law in laws]
        return bool(ends[0] > ends[1])

    low, start = arb(0), above(arb(0))
    widest = max((dyadic(x) for law in laws for _, v in law if (x := abs(v).mid()) > SMALLEST), default=Fraction(0))
    high = (-1 if start else 1) / (64 * ball(widest or Fraction(1)))
    for _ in range(DOUBLINGS if widest else 0):
        if above(high) != start:
            break
        low, high = high, (2 * high).mid()
    else:
        return None
    for _ in range(HALVINGS):
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if above(middle) == start else (low, middle)
    return low


# A sum that moves by steps --------------------------------------------------------------------------------------------


def by_steps(user: Sums, others: Sequence[tuple[Sums, int]]) -> Ends | None:
    """Ends around the sum of w Pr[v + X > c] over the (v, w) in `user`, X the others' sum, for about the best c.

    None where X has too many values. Both are 0 where no c is seen to give more than 0.
    """
    step, variance, far = 0, Fraction(0), max(max(law) - min(law) for law, _ in others)
    for law, n in others:
        least, mean = min(law), sum(v * w for v, w in law.items())
        step = gcd(step, *(v - least for v in law))
        variance += n * sum(w * (v - mean) ** 2 for v, w in law.items())
    if not step or far >= step * MAX_CELLS or DEVIATIONS * isqrt(int(variance / step**2)) > LONGEST:
        return None
    base = sum(n * min(law) for law, n in others)
    sum_of_others = _tails(tuple((tuple(((v - min(law)) // step, w) for v, w in law.items()), n) for law, n in others))
    window, at_least = sum_of_others.law, sum_of_others.low
    weighed = [(v, int(w * (1 << BITS))) for v, w in user.items()]

    def guess(c: int) -> int:
        places = [(w, (c - v - base) // step + 1 - window.first) for v, w in weighed]
        return sum(w * int(at_least[min(max(place, 0), len(at_least) - 1)]) for w, place in places)

    def best(v: int) -> int:
        """The best c at which some value of v + X is just no longer above it."""
        first = base + v + step * (window.first - 1)
        return first + step * peak(lambda k: guess(first + step * k), 0, len(window.low) + 1)

    c, low, high = max(map(best, user), key=guess), Fraction(0), Fraction(0)
    for v, w in user.items():
        tail = sum_of_others.more_than((c - v - base) // step)
        low, high = low + w * tail[w < 0], high + w * tail[w > 0]
    return max(low, Fraction(0)), max(high, Fraction(0))


@lru_cache(KEPT)
def _tails(laws: tuple[tuple[Law, int], ...]) -> Tails:
    """The law of a sum of independent draws, so many of each law."""
    return Tails(_sum_of(laws, BITS))


@lru_cache(FEW_KEPT)
def _sum_of(laws: tuple[tuple[Law, int], ...], bits: int) -> Window:
    return sum_of(((dict(law), n) for law, n in laws), bits)


def peak(value: Callable[[int], Any], low: int, high: int) -> int:
    """Where `value` is large: the best of a coarse row of points, then of finer ones around it."""
    at, stride = (low + high) // 2, max(1, (high - low) // 64)
    points = range(low, high + 1, stride)
    while True:
        at = max(points, key=value)
        if stride == 1:
            return at
        before, stride = stride, max(1, stride // 16)
        points = range(max(low, at - before), min(high, at + before) + 1, stride)


def never(members: Iterable[tuple[Row, Row]], others: Sequence[tuple[Row, int]]) -> Fraction:
    """A lower bound on P(Q = 0): `members` are what the user sends, class by class; `others` are rows and counts."""
    told, apart = Fraction(0), list[tuple[Row, Row]]()
    for p, q in members:
        if q:
            apart += [(p, q)] if p else []
        else:
            told += sum(p.values(), Fraction(0))
    return told + _largest(apart, others)[0]


def beyond(p: Row, q: Row, others: Sequence[tuple[Row, int]]) -> tuple[Fraction, dict[str, int], int]:
    """(a probability from below, weights, a sum): of a larger sum of the weights in P, which Q never has."""
    mass, weights = _largest([(p, q)], others)
    ends = [_end(q, weights), *(n * _end(row, weights) for row, n in others)]
    return mass, weights, sum(ends)


def _largest(members: Sequence[tuple[Row, Row]], others: Sequence[tuple[Row, int]]) -> tuple[Fraction, dict[str, int]]:
    """The largest probability of the lemma, from below, and its weights."""
    orders = dict.fromkeys(weights for p, q in members for weights in _orders(p, q, others))
    found = ((_beyond(members, others, dict(weights)), dict(weights)) for weights in orders)
    return max(found, key=lambda one: one[0], default=(Fraction(0), {}))


def _end(row: Iterable[Messages], weights: Mapping[str, int]) -> int:
    return max(_total(sent, weights) for sent in row)


def _total(sent: Messages, weights: Mapping[str, int]) -> int:
    return sum(weights.get(m, 0) for m in sent)


def _orders(p: Row, q: Row, others: Sequence[tuple[Row, int]]) -> Iterator[Weights]:
    """Weights by which P's largest sum is above Q's."""
    first = _ends(p), _ends(q)
    names = sorted({m for m, _ in (*first[0], *first[1])})
    signed = [(m, sign) for m in names for sign in (1, -1)]
    large = 1 + max(len(sent) for row in (p, q, *(row for row, _ in others)) for sent in row)
    for m, sign in signed:
        a, b = (ends.get((m, sign), 0) for ends in first)
        if a > b:
            yield ((m, sign),)
        elif a == b and len(names) <= FEW_MESSAGES:
            one, two = (_ends([sent for sent in row if sign * sent.count(m) == a]) for row in (p, q))
            for second in signed:
                if one.get(second, 0) > two.get(second, 0):
                    yield (m, sign * large), second
    every = sorted({m for row, _ in others for sent in row for m in sent}.union(names))
    for sign in (1, -1):
        if max(sign * len(sent) for sent in p) > max(sign * len(sent) for sent in q):
            yield tuple((m, sign) for m in every)


def _ends(row: Iterable[Messages]) -> dict[tuple[str, int], int]:
    """The largest number of each message, and less the smallest one; what is not there is 0."""
    numbers: dict[str, list[int]] = {}
    outputs = list(row)
    for sent in outputs:
        for m, number in Counter(sent).items():
            numbers.setdefault(m, []).append(number)
    ends = {(m, 1): max(some) for m, some in numbers.items()}
    return ends | {(m, -1): -min(some) for m, some in numbers.items() if len(some) == len(outputs)}


def _beyond(
    members: Sequence[tuple[Row, Row]], others: Sequence[tuple[Row, int]], weights: Mapping[str, int]
) -> Fraction:
    """The lemma's probability for these weights, from below."""
    gains: dict[int, Fraction] = {}
    for p, q in members:
        end = _end(q, weights)
        for sent, w in p.items():
            if (more := min(_total(sent, weights) - end, FARTHEST)) > 0:
                gains[more] = gains.get(more, Fraction(0)) + w
    with precision(END_BITS):
        near = [arb(1)] + [arb(0)] * (max(gains) - 1)  # Pr[the others' sum is so far below its largest]
        for row, n in others:
            end, law = _end(row, weights), [Fraction(0)] * len(near)
            for sent, w in row.items():
                if (less := end - _total(sent, weights)) < len(law):
                    law[less] += w
            if n * (1 - law[0]) > RARE:
                return Fraction(0)
            near = _times(near, _power([ball(w) for w in law], n))
        return sum((w * max(floor_of(sum(near[:more], arb(0))), Fraction(0)) for more, w in gains.items()), Fraction(0))


def _times(one: Sequence[arb], two: Sequence[arb]) -> list[arb]:
    """The product of two power series, as long as the first."""
    return [sum((one[i] * two[k - i] for i in range(k + 1)), arb(0)) for k in range(len(one))]


def _power(series: Sequence[arb], n: int) -> list[arb]:
    """The nth power of a power series whose first coefficient is above 0."""
    found = [series[0] ** n]
    for k in range(1, len(series)):
        terms = ((n * i - k + i) * series[i] * found[k - i] for i in range(1, k + 1) if series[i] != 0)
        found.append(sum(terms, arb(0)) / (k * series[0]))
    return found
