"""Renyi differential privacy over all neighbouring datasets, and the rho of zero-concentrated privacy, certified.

    D_a(P || Q) = log(sum_y P(y)^a Q(y)^(1-a)) / (a - 1),   a > 1,   and infinite just if P(Q = 0) > 0,

and D(a) is the largest over all pairs of neighbours, both directions (Mironov, Renyi Differential Privacy). rho is the
largest D(a) / a over all a > 1 (Bun and Steinke, Concentrated Differential Privacy, Definition 1.1).

Lemma. D never falls in a, and g(a) = (a - 1) D(a) is convex with g(1) = 0. So with orders a_0 < ... < a_m, rho is at
least each D(a_i) / a_i and at most the largest of

    D(a_0),    for each i the smaller of D(a_(i+1)) / a_i and (sqrt(-c) - sqrt(-c - d))^2,    D(inf) / a_m,

where c + d a is the chord of g from a_i to a_(i+1), and counts only where -c and -c - d are at least 0.

Proof. Each pair's D_a never falls (van Erven and Harremoes, Theorem 3); its g is convex, a logarithm of a sum of
exponentials in a. Largest ones keep both. On [a_i, a_(i+1)] D(a) / a is at most the chord over a (a - 1), which is
u^2 / a - v^2 / (a - 1) for u^2 = -c, v^2 = -c - d, and (x + y)^2 / (s + t) <= x^2 / s + y^2 / t for x = u - v, y = v,
s = 1, t = a - 1. Before a_0, D(a) / a <= D(a_0); beyond a_m, D(a) / a <= D(inf) / a_m.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb

from shufflecert.verify.bound.bound import Bound, common_scope
from shufflecert.verify.bound.enumeration import cases
from shufflecert.verify.enclose.interval import Interval, largest
from shufflecert.verify.enclose.noise_laws import DiscreteLaplace
from shufflecert.verify.errors import BadInput, TooMuchWork
from shufflecert.verify.exact.epsilon import MAX_EPS, Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.neighbours import MAX_WORK, Neighbourhood, Neighbours, Scope
from shufflecert.verify.exact.rational import DIGITS, ball, dyadic, precision, shorten
from shufflecert.verify.pairs.shifted_noise import ShiftedNoise
from shufflecert.verify.progress import Progress
from shufflecert.verify.reduce.reduction import Pairs, Reduction

BITS = 256
MAX_ORDER = 10**6
OWN = (  # orders that rho needs besides those asked for
    *(1 + Fraction(1, 1 << k) for k in range(6, 0, -1)),
    *(Fraction(m << k) for k in range(10) for m in (2, 3)),
)
Logarithms = Callable[[Fraction], arb]  # order -> log sum P^a Q^(1-a)


@dataclass(frozen=True)
class Renyi:
    """The Renyi divergence D(a) at each order a, in nats, and rho: enclosed, None where they are infinite.

    `scope.worst` is the pair with P(Q = 0) > 0, or the worst pair where it is the same at all orders.
    """

    points: tuple[tuple[Fraction, Interval | None], ...]
    rho: Interval | None
    scope: Scope


def renyi_curve(bound: Bound, orders: Sequence[Fraction]) -> Renyi:
    """The Renyi divergence D(a) at each order a > 1, the largest over all neighbouring datasets of n users.

    Both directions, in nats. To about 30 digits where datasets are enumerated, and for discrete Laplace noise;
    infinite where a pair of neighbours has P(Q = 0) > 0. Raises BadInput where neither helps, and TooMuchWork.
    """
    for order in orders:
        if not 1 < order <= MAX_ORDER:
            raise BadInput(f"renyi: order {shorten(order)}: expected a rational above 1 and at most {MAX_ORDER}")
    asked, users, most = sorted({*orders, *OWN}), bound.question.n, bound.effort.work or MAX_WORK
    if bound.around is not None:
        if (units := bound.around.work()[0] * len(asked)) > most:
            raise TooMuchWork(
                f"n = {users}: {len(asked)} orders would take {units} units:"
                f" expected at most {most}; --max-work allows more"
            )
        found = _enumerated(bound.around, asked, bound.effort.progress)
    else:
        found = _reduced(bound, asked)
    if found.values is None:
        return Renyi(tuple((order, None) for order in orders), None, found.scope)
    values = dict(zip(asked, found.values, strict=True))
    return Renyi(tuple((order, values[order]) for order in orders), _rho(values, found.most), found.scope)


@dataclass(frozen=True)
class _Found:
    values: list[Interval] | None  # D(a); None: infinite
    most: Fraction  # an upper bound on D(inf)
    scope: Scope


def _enumerated(way: Neighbourhood, orders: Sequence[Fraction], progress: Progress | None) -> _Found:
    zero = Interval(Fraction(0), Fraction(0))
    values, most, pairs = [zero] * len(orders), Fraction(0), 0
    worst: list[Neighbours | None] = [None] * len(orders)
    with precision(BITS):
        for case in cases(way, progress):
            pairs += 1
            if any(p and not q for p, q in zip(case.pair.p, case.pair.q, strict=True)):
                return _Found(None, most, way.scope(pairs, case.neighbours))
            logarithms, top = _of_pair(case.pair)
            most = max(most, top)
            for i, value in enumerate(_divergences(logarithms, orders)):
                if value.low > values[i].low:
                    worst[i] = case.neighbours
                values[i] = largest([value, values[i]])
    return _Found(values, most, common_scope([way.scope(pairs, pair) for pair in worst]))


def _of_pair(pair: Pair) -> tuple[Logarithms, Fraction]:
    """(log sum P^a Q^(1-a) as a function of a, an upper bound on log P/Q); Q > 0 wherever P > 0."""
    atoms = [(arb(p), (arb(p) / arb(q)).log()) for p, q in zip(pair.p, pair.q, strict=True) if p]
    whole = arb(pair.denominator)

    def logarithm(order: Fraction) -> arb:
        more = ball(order - 1)
        return (sum((p * (more * loss).exp() for p, loss in atoms), arb(0)) / whole).log()

    return logarithm, max((dyadic(loss.upper()) for _, loss in atoms), default=Fraction(0))


def _reduced(bound: Bound, orders: Sequence[Fraction]) -> _Found:
    if bound.infinity_mass > 0:
        return _Found(None, Fraction(0), bound.within(0).delta(Eps.of(MAX_EPS)).scope)
    shifts = _shifts(bound.reach) if bound.reach is not None else []
    noises = {pair.noise for pair in shifts}
    noise = noises.pop() if len(noises) == 1 else None
    if not isinstance(noise, DiscreteLaplace):
        raise BadInput(
            f"renyi: n = {bound.question.n}: nothing is certified for this system without enumeration, and no pair with"
            " P(Q = 0) > 0 is known: expected a smaller n, or a larger --max-work"
        )
    farthest = max(abs(pair.by) for pair in shifts)
    with precision(BITS):
        columns = [_divergences(_of_laplace(noise.q, by), orders) for by in range(1, farthest + 1)]
        most = dyadic((-farthest * ball(noise.q).log()).upper())
    values = [largest(list(row)) for row in zip(*columns, strict=True)]
    return _Found(values, most, bound.delta(Eps.of(0)).scope)


def _shifts(reach: Reduction) -> list[ShiftedNoise]:
    """The pairs of a number with noise that stand for all; none where others do as well."""
    members = [member.pair for member in reach.attained.members] if isinstance(reach.attained, Pairs) else []
    shifts = [pair for pair in members if isinstance(pair, ShiftedNoise)]
    return shifts if len(shifts) == len(members) and reach.dominating is None else []


def _of_laplace(q: Fraction, by: int) -> Logarithms:
    """Of Pr[k] = (1 - q) / (1 + q) q^|k| against its shift by `by`, which is its own reverse, mirrored.

    P^a Q^(1-a) / ((1 - q) / (1 + q)) is q^(-k + by (1-a)) for k <= 0, q^(by (1-a)) q^(k (2a-1)) up to k = by, and
    q^(k - by + by a) from there on: three geometric series.
    """

    def logarithm(order: Fraction) -> arb:
        rate = ball(q).log()
        far, near, step = ((rate * ball(e)).exp() for e in (by * (1 - order), by * order, 2 * order - 1))
        between = far * step * (1 - step ** (by - 1)) / (1 - step)
        return ((far + near + ball(1 - q) * between) / ball(1 + q)).log()

    return logarithm


def _divergences(logarithm: Logarithms, orders: Iterable[Fraction]) -> list[Interval]:
    found = []
    for order in orders:
        value = logarithm(order) / ball(order - 1)
        ends = Interval(max(dyadic(value.lower()), Fraction(0)), max(dyadic(value.upper()), Fraction(0)))
        found.append(Interval(*map(Fraction, ends.enclosure(DIGITS))))
    return found


def _rho(values: dict[Fraction, Interval], most: Fraction) -> Interval:
    """rho from the values D(a_i), by the lemma of the module; `most` is at least D(inf)."""
    orders = sorted(values)
    lower = max(value.low / order for order, value in values.items())
    ends = [values[orders[0]].high, most / orders[-1]]
    for a, b in pairwise(orders):
        known, g, h = values[b].high / a, (a - 1) * values[a].high, (b - 1) * values[b].high
        slope = (h - g) / (b - a)
        at_zero, at_one = slope * a - g, slope * (a - 1) - g  # -c, -c - d
        if at_zero >= 0 and at_one >= 0:
            with precision(BITS):
                known = min(known, dyadic(((ball(at_zero).sqrt() - ball(at_one).sqrt()) ** 2).upper()))
        ends.append(known)
    return Interval(lower, max(lower, *ends))
