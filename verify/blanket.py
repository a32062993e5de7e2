"""Finite randomizers at any n: real datasets from below, the privacy blanket from above (BBGN Section 5).

With other users on inputs from a set H, c(y) = min over z in H of Pr[R(z) = y], y a user's multiset of messages,

    delta(eps) <= sum over y with c(y) = 0 of max(Pr[R(x) = y] - e^eps Pr[R(x') = y], 0) + E max(l . h, 0) / n,

l(y) = (Pr[R(x) = y] - e^eps Pr[R(x') = y]) / c(y), h the counts of n draws with probabilities c(y), and nothing else
(l = 0) otherwise: the lemma and its proof are in verify/CERTIFICATE.md, "What a blanket proves". For H = {z} and one
message a user it is an equality, since then nothing is revealed. All inputs as H dominate all datasets.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import isqrt
from typing import Any

from flint import fmpq, fmpq_mat, fmpz

from verify.enclosure import Ends, Enclosure
from verify.errors import BadInput, TooMuchWork, Undecided
from verify.linear import Category, Form, Tails, power_of
from verify.number import DIGITS, Eps, text
from verify.randomizer import Messages, Randomizer
from verify.reach import Named, Reach, Threshold
from verify.window import Window

EFFORTS = (1 << 12, 1 << 15, 1 << 17)  # cells of a lattice, coarse ones first
MAX_FORMS = 20_000  # different forms that are compared
Law = Mapping[Messages, Fraction]


@dataclass(frozen=True)
class Bound:
    """A form, and what messages outside its blanket add: (p, q) of each, sum max(p - e^eps q, 0)."""

    form: Form
    outside: tuple[tuple[Fraction, Fraction], ...] = ()

    def divergence(self, eps: Eps, bits: int) -> Ends:
        return self.value(eps, bits, EFFORTS[1])

    def value(self, eps: Eps, bits: int, cells: int) -> Ends:
        low, high = self.form.value(eps, bits, cells)
        least, most = eps.bounds(bits)
        return (
            low + sum((max(p - most * q, Fraction(0)) for p, q in self.outside), Fraction(0)),
            high + sum((max(p - least * q, Fraction(0)) for p, q in self.outside), Fraction(0)),
        )

    def enclosure(self, eps: Eps, digits: int, cells: int) -> Enclosure:
        """Bits double until they are not what makes it wide, or the width is 10^-digits."""
        bits, width = 96, None
        while True:
            low, high = self.value(eps, bits, cells)
            found = Enclosure(max(low, Fraction(0)), min(high, Fraction(1)))
            if found.relative_width * 10**digits <= 1 or bits >= 1 << 11:
                return found
            if found.low and width is not None and found.relative_width * 2 > width:
                return found
            width, bits = found.relative_width, 2 * bits

    def never_returns(self) -> Fraction:
        return sum((p for p, q in self.outside if not q), Fraction(0))


def hints_for(form: Form, eps: Eps, bound: Fraction) -> dict[str, Any]:
    """The coarsest step, halved until its lattice keeps `bound`, and as many cells as tails far below `bound` need."""
    c = form.coefficients(eps.bounds(96)[0])
    mean, unit = form.moments(c)
    size = max(bound.denominator.bit_length() - bound.numerator.bit_length(), 0) + form.n.bit_length() + 40
    reach = isqrt(2 * size) + 2  # e^(-reach^2 / 2) is far below
    half = reach * unit + abs(mean) + max(c) - min(c)
    step = _round(half / 2000)
    for _ in range(10):
        if form.above(eps, 128 + 2 * size, 0, step) <= bound:
            break
        step /= 2
    cells = int(2 * half / step) + 64
    return {"step": text(step), "cells": cells, "tilt": text(1 + _round(reach * step / unit))}


def _round(number: Fraction) -> Fraction:
    """A positive number with a few leading bits only."""
    shift = number.denominator.bit_length() - number.numerator.bit_length() + 12
    return Fraction(int(number * Fraction(2) ** shift)) / Fraction(2) ** shift


@dataclass(frozen=True)
class RealView:
    """The pairs of datasets whose others hold `others`: events {sum of weights of messages > t}, on the real view."""

    rows: Mapping[str, Law]
    others: Mapping[str, int]

    def weights(self, x: str, y: str, eps: Eps) -> dict[str, Fraction]:
        """A weight for each message: least squares of the log-likelihood's linear form, a guess that is exact for
        one message a user: sum of weights = sum over z of share(z) (R(x) - e^eps R(y)) / c."""
        low = eps.bounds(64)[0]
        total = sum(self.others.values())
        mixed: dict[Messages, Fraction] = {}
        for z, count in self.others.items():
            for sent, p in self.rows[z].items():
                mixed[sent] = mixed.get(sent, Fraction(0)) + p * count / total
        if all(len(sent) == 1 for sent in mixed):
            zero = Fraction(0)
            return {s[0]: (self.rows[x].get(s, zero) - low * self.rows[y].get(s, zero)) / w for s, w in mixed.items()}
        messages = sorted({m for sent in mixed for m in sent})  # what others never send is weighed in `below`
        small = min(mixed.values()) / 2**30
        normal = [[Fraction(i == j) * small for j in range(len(messages))] for i in range(len(messages))]
        right = [Fraction(0)] * len(messages)
        for sent, w in mixed.items():
            value = (self.rows[x].get(sent, Fraction(0)) - low * self.rows[y].get(sent, Fraction(0))) / w
            counts = [(i, sent.count(m)) for i, m in enumerate(messages) if m in sent]
            for i, k in counts:
                right[i] += w * k * value
                for j, other in counts:
                    normal[i][j] += w * k * other
        if not messages:
            return {}
        rough = [[_close(v) for v in row] for row in normal]
        solved = fmpq_mat(rough).solve(fmpq_mat([[_close(v)] for v in right]))
        return {m: Fraction(int(solved[i, 0].p), int(solved[i, 0].q)) for i, m in enumerate(messages)}

    def below(self, x: str, y: str, eps: Eps, bits: int, cells: int) -> tuple[Fraction, Threshold]:
        """(P(E) - e^eps Q(E) from below, E) for the best of these events that a lattice of so many cells shows."""
        weights = self.weights(x, y, eps)
        spread, variance = max(weights.values(), default=0) - min(weights.values(), default=0), Fraction(0)
        for z, count in self.others.items():
            sums = [(p, sum((weights[m] for m in sent), Fraction(0))) for sent, p in self.rows[z].items()]
            mean = sum((p * v for p, v in sums), Fraction(0))
            variance += count * sum((p * (v - mean) ** 2 for p, v in sums), Fraction(0))
        unit = Fraction(isqrt(int(variance * 2**80)) + 1, 2**40)
        step = max(3 * unit * (isqrt(bits) + 1), Fraction(spread)) / cells
        ends = {m: round(v / step) for m, v in weights.items()}
        law = Window(0, [fmpz(1) << bits], [fmpz(1) << bits], 0, bits)
        for z, count in self.others.items():
            law = law.plus(power_of(_lattice_law(self.rows[z], ends), count, bits))
        tails, high = Tails(law), eps.bounds(bits)[1]
        beyond = len(law.low) + sum(map(abs, ends.values()))
        for m in {m for user in (x, y) for sent in self.rows[user] for m in sent} - ends.keys():
            tells = [sum((p for sent, p in self.rows[user].items() if m in sent), Fraction(0)) for user in (x, y)]
            ends[m] = beyond if tells[0] > high * tells[1] else -beyond
        p, q = (_lattice_law(self.rows[user], ends) for user in (x, y))

        def excess(t: int) -> Fraction:
            most = sum((w * tails.more_than(t - k)[1] for k, w in q.items()), Fraction(0))
            return sum((w * tails.more_than(t - k)[0] for k, w in p.items()), Fraction(0)) - high * most

        t = _peak(excess, law.first - 1 + min(min(p), min(q)), law.first + len(law.low) + max(max(p), max(q)))
        return max(excess(t), Fraction(0)), Threshold(ends, t)


def _close(number: Fraction) -> fmpq:
    near = number.limit_denominator(1 << 40)
    return fmpq(near.numerator, near.denominator)


def _lattice_law(row: Law, weights: Mapping[str, int]) -> dict[int, Fraction]:
    law: dict[int, Fraction] = {}
    for sent, p in row.items():
        at = sum(weights[m] for m in sent)
        law[at] = law.get(at, Fraction(0)) + p
    return law


def _peak(value: Callable[[int], Fraction], low: int, high: int) -> int:
    """Where `value` is large: the best of a coarse row of points, then of finer ones around it."""
    at, stride = (low + high) // 2, max(1, (high - low) // 64)
    points = range(low, high + 1, stride)
    while True:
        at = max(points, key=value)
        if stride == 1:
            return at
        before, stride = stride, max(1, stride // 16)
        points = range(max(low, at - before), min(high, at + before) + 1, stride)


@dataclass(frozen=True)
class Bounds:
    """A family of bounds, each with the datasets it belongs to: the largest is what counts."""

    members: Sequence[tuple[Bound, Named]]
    digits: int = 10  # where one number is not exact anyway

    def worst(self, eps: Eps, digits: int = DIGITS) -> tuple[Enclosure, Named | None, int]:
        """Coarse lattices first; those that cannot be the largest are left out of finer ones."""
        left, values = list(range(len(self.members))), dict[int, Enclosure]()
        for cells in EFFORTS:
            for i in left:
                values[i] = self.members[i][0].enclosure(eps, min(digits, self.digits), cells)
            floor = max((values[i].low for i in left), default=Fraction(0))
            left = [i for i in left if values[i].high >= floor]
            if all(values[i].relative_width * 10**6 < 1 for i in left):
                break
        if not left:
            return Enclosure(Fraction(0), Fraction(0)), None, 0
        best = max(left, key=lambda i: values[i].low)
        top = Enclosure(values[best].low, max(values[i].high for i in left))
        return top, self.members[best][1], len(self.members)

    def never_returns(self) -> Fraction:
        return max((bound.never_returns() for bound, _ in self.members), default=Fraction(0))

    def hints(self, eps: Eps, bound: Fraction) -> Mapping[str, Any]:
        """Step, cells and tilt with which a lattice keeps `bound`. Raises TooMuchWork where even the finest does not."""
        _, worst, _ = self.worst(eps)
        form = next((b.form for b, named in self.members if named is worst), None)
        if form is None or max(form.coefficients(eps.bounds(96)[0])) <= 0:
            return {"step": "1", "cells": 16, "tilt": "3/2"}
        return hints_for(form, eps, bound)


@dataclass(frozen=True)
class Event:
    """(x, y, others) on the real view: what one of its events shows, with no upper end but 1."""

    view: RealView
    x: str
    y: str

    def enclosure(self, eps: Eps, digits: int, cells: int) -> Enclosure:
        return Enclosure(self.view.below(self.x, self.y, eps, 192, cells)[0], Fraction(1))

    def divergence(self, eps: Eps, bits: int) -> Ends:
        return self.view.below(self.x, self.y, eps, bits, EFFORTS[1])[0], Fraction(1)

    def never_returns(self) -> Fraction:
        q = self.view.rows[self.y]
        seen = {m for z in (*self.view.others, self.y) for sent in self.view.rows[z] for m in sent} if q else set()
        return sum((p for sent, p in self.view.rows[self.x].items() if not set(sent) <= seen), Fraction(0))

    def threshold(self, eps: Eps, bound: Fraction) -> Threshold:
        """An event of more than `bound`. Raises Undecided where the finest lattice shows none."""
        for cells in EFFORTS:
            shown, event = self.view.below(self.x, self.y, eps, 256, cells)
            if shown > bound:
                return event
        raise Undecided(f"delta is attained, but no event on a lattice of {EFFORTS[-1]} cells shows it")


def reach_of(randomizer: Randomizer, n: int, others: Mapping[str, int] | None = None) -> Reach:
    """What real datasets attain and the blanket dominates; `others` {input: count} fixes the other users' inputs.

    Raises BadInput for others that are no n - 1 inputs, and TooMuchWork for too many inputs and messages.
    """
    rows = {x: _multisets(law) for x, law in randomizer.rows.items()}
    held = check_others(rows, n, others)
    compositions = [{z: n - 1} for z in rows] if others is None else [held]
    single = all(len(sent) == 1 for law in rows.values() for sent in law)
    work = len(rows) ** 2 * len(compositions) * sum(map(len, rows.values()))
    if work > 10 * MAX_FORMS * EFFORTS[0]:
        raise TooMuchWork(f"{len(rows)} inputs: about {work} steps to compare them: expected fewer inputs or messages")
    pairs = [(x, y) for x in rows for y in rows if x != y]
    attained: dict[Any, tuple[Any, Named]] = {}
    for composition in compositions:
        view = RealView(rows, composition)
        for x, y in pairs:
            event = Event(view, x, y)
            exact = single and len(composition) == 1
            bound: Any = blanket(rows, x, y, [*composition], n) if exact else event
            key = bound if exact else (x, y, *composition)
            attained.setdefault(key, (bound, Named(bound, x, y, composition, event.threshold)))
    one = single and len(held) == 1 and others is not None
    scope = "all" if others is None else "others: " + ", ".join(f"{count} on {z}" for z, count in held.items())
    by = "all others equal (below); the blanket of BBGN Lemma 5.3 (above; proof in verify/CERTIFICATE.md)"
    if others is not None:
        by = "others fixed (below); their blanket, BBGN Lemma 5.3 (above; proof in verify/CERTIFICATE.md)"
    inside = [*rows] if others is None else [*held]
    dominating = {bound: Named(bound, x, y) for x, y in pairs for bound in [blanket(rows, x, y, inside, n)]}
    return Reach(
        Bounds(tuple(attained.values()), DIGITS if one else 10),
        by,
        len(rows),
        None if one else Bounds(tuple(dominating.items())),
        datasets=scope,
    )


def event_of(randomizer: Randomizer, x: str, y: str, others: Mapping[str, int]) -> Event:
    """The events of a real view with the others on these inputs."""
    return Event(RealView({z: _multisets(law) for z, law in randomizer.rows.items()}, others), x, y)


def check_others(rows: Mapping[str, Law], n: int, others: Mapping[str, int] | None) -> dict[str, int]:
    if n < 2:
        raise BadInput("n: 1: expected at least 2 users, of whom one changes")
    if others is None:
        return {z: n - 1 for z in rows}
    for z in others:
        if z not in rows:
            raise BadInput(f"others: {z!r} is no input: expected inputs of the randomizer")
    if sum(others.values()) != n - 1:
        raise BadInput(f"others: {sum(others.values())} users: expected n - 1 = {n - 1}")
    return {z: count for z, count in others.items() if count}


def blanket(rows: Mapping[str, Law], x: str, y: str, held: Iterable[str], n: int) -> Bound:
    """The lemma's bound for a user on x against y, with the others on inputs of `held`."""
    zero = Fraction(0)
    laws = [rows[z] for z in held]
    sends = dict.fromkeys([*rows[x], *rows[y], *laws[0]])
    common = {sent: min(law.get(sent, zero) for law in laws) for sent in sends}
    p, q = ({sent: rows[user].get(sent, zero) for sent in sends} for user in (x, y))
    inside = [Category(p[sent] / c, q[sent] / c, c) for sent, c in common.items() if c]
    inside.append(Category(zero, zero, 1 - sum(common.values(), zero)))
    outside = sorted((p[sent], q[sent]) for sent, c in common.items() if not c and p[sent])
    return Bound(Form.of(inside, n), tuple(outside))


def _multisets(law: Law) -> dict[Messages, Fraction]:
    seen: dict[Messages, Fraction] = {}
    for sent, p in law.items():
        key = tuple(sorted(sent))
        seen[key] = seen.get(key, Fraction(0)) + p
    return seen
