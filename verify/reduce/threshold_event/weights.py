"""Weights of messages for a good threshold event: the normal of a surface on which both likelihoods are equal.

Guesses, all of them: any weights give an event that bounds delta(eps) from below. For many others
Pr[counts are M - m] / Pr[counts are M] is about e^(s . m), s the slope of their rate function at M, so P > e^eps Q
where f(s) = log E_x e^(s . m) - log E_y e^(s . m) > eps, with m what the user sends. The likeliest such M has the least
rate on f(s) = eps: there s is a multiple of C^-1 grad f, C the covariance of the others' messages tilted by s, and s,
the surface's normal too, is the weights of messages.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction

from flint import arb, arb_mat

from shufflecert.verify.exact.ball import ball, dyadic, precision
from shufflecert.verify.exact.randomizer import Messages

Row = Mapping[Messages, Fraction]  # Pr[a user sends this multiset], its messages sorted
FINE = 1 << 40  # the largest weight on the line
ROUNDS, DOUBLINGS, HALVINGS = 8, 64, 40  # of the search for weights
SMALLEST = arb(2) ** -1000  # of what one more message tells: below, users tell nothing, and digits fill memory
MANY = 60  # messages up to which C is solved for; beyond, its diagonal is taken

Cloud = list[tuple[arb, dict[int, int]]]  # (weight, {message: count})


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
        most = max((dyadic(abs(d).mid()) for d in direction), default=Fraction(0))
        if not most:
            return None
        scale = ball(most) / FINE
        return {m: int(dyadic((d / scale).mid())) for m, d in zip(names, direction, strict=True)}, (tilt * scale).mid()


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
