"""The trade-off function of f-DP over all neighbouring datasets, as a certified band.

D(t), t = e^eps >= 1, is the privacy profile (worst_case.py): the largest delta(eps) over all pairs.

Trade-off. A test of P against Q with type I error alpha = Pr_P[rejects] and type II error beta = Pr_Q[accepts] has
t alpha + beta >= 1 - sum_y max(Q(y) - t P(y), 0), with equality for one test, and every pair's reverse is a pair. So
all tests of all pairs have beta >= f(alpha),

    f(alpha) = max over t >= 1 of max(0, 1 - D(t) - t alpha, (1 - D(t) - alpha) / t),

the first from t alpha + beta, the second from alpha + t beta. f is the largest convex function of which that is true:
a line c - t alpha below all errors has c <= 1 - D(t) for t >= 1, c <= t (1 - D(1/t)) for 0 < t < 1, and is nowhere
above 0 for t <= 0, as the test that always rejects has beta = 0. It is the f of f-DP (Dong, Roth and Su, Gaussian
Differential Privacy, Section 2).

Between grid points. Let D(t_i) lie in [l_i, u_i] for 1 = t_0 < ... < t_m. Any of the t_i give lower bounds of f, by
u_i.

Lemma. For t in [t_i, t_(i+1)], with slopes a = max(-1, (l_i - u_(i-1)) / (t_i - t_(i-1))), or -1 for i = 0, and
b = min(0, (u_(i+2) - l_(i+1)) / (t_(i+2) - t_(i+1))), or 0 for i + 2 > m,

    D(t) >= M(t) = max(l_i + a (t - t_i), l_(i+1) - b (t_(i+1) - t)).

Beyond t_m D is at least the first of these and at least the limit D(inf), the largest P(Q = 0). Hence f(alpha) is at
most the largest of the terms above with M in the place of D at the ends t_i and where the two lines cross.

Proof. By convexity t_i divides [t_(i-1), t] so that D(t) >= D(t_i) + s (t - t_i), s the slope of the chord to its left:
(1 + h) D(t_i) - h D(t_(i-1)) for some h >= 0, which is least at l_i and u_(i-1). Also D(t) >= D(t_i) - (t - t_i). The
second line is the same from the right, and D falls. On a piece where M is linear, 1 - M(t) - t alpha is linear and
(1 - M(t) - alpha) / t is a constant plus another over t: both are largest at an end, and fall where M is constant.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from shufflecert.verify.bound.bound import Bound, common_scope
from shufflecert.verify.decide.worst_case import short_ends
from shufflecert.verify.enclose.interval import Interval
from shufflecert.verify.errors import BadInput
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import Scope
from shufflecert.verify.exact.rational import shorten

TIME_BITS = 64  # of a t = e^eps that may be any near one
ROUNDS, CLOSE = 12, Fraction(1, 10**5)  # of points that are added to a trade-off curve; width at which none are needed
NEGLIGIBLE = CLOSE / 10**5  # a delta beyond which a trade-off curve needs no larger eps


@dataclass(frozen=True)
class TradeOff:
    """The trade-off function f(alpha), the least type II error at type I error alpha, enclosed at each alpha.

    `scope` as in `Curve`.
    """

    points: tuple[tuple[Fraction, Interval], ...]
    scope: Scope


def trade_off(bound: Bound, alphas: Sequence[Fraction], eps: Sequence[Eps]) -> TradeOff:
    """The trade-off function at each alpha in [0, 1], enclosed by the lemma of the module.

    D is taken at rational t next to each e^eps, then up to `ROUNDS` times at the t that decide upper ends, and at all
    of them once more where that is closer (`Bound.curve`). Raises BadInput for an alpha outside [0, 1].

        >>> rr = bound_of(Question.of(system("krr", k=2, gamma="1/2")))
        >>> [str(error) for _, error in trade_off(rr, [Fraction(1, 4)], [Eps.of(0), Eps.of("log(3)")]).points]
        ['0.25']
    """
    for alpha in alphas:
        if not 0 <= alpha <= 1:
            raise BadInput(f"alpha: {shorten(alpha)}: expected a rational in [0, 1]")
    quick = bound.within(0)
    times = {Fraction(1), *(max(Fraction(1), at.bounds(TIME_BITS)[0]) for at in eps)}
    known: dict[Fraction, Interval] = {}
    scopes: list[Scope] = []
    for left in range(ROUNDS, -1, -1):
        found = quick.curve([Eps.log(t) for t in sorted(times)], NEGLIGIBLE)
        known |= {t: short_ends(value) for t, (_, value) in zip(sorted(times), found.points, strict=False)}
        scopes.append(found.scope)
        minorant = Minorant.of(known, found.infinity_mass)
        times = {t for alpha in alphas for t in minorant.wanted(alpha)} if left else set()
        if not times:
            break
    errors = [minorant.trade_off(alpha) for alpha in alphas]
    if quick is not bound:
        found = bound.curve([Eps.log(t) for t in sorted(known)])
        values = [short_ends(value) for _, value in found.points]
        minorant = Minorant.of(dict(zip(sorted(known), values, strict=True)), found.infinity_mass)
        errors = [error.meet(minorant.trade_off(alpha)) for alpha, error in zip(alphas, errors, strict=True)]
        scopes = [found.scope]
    return TradeOff(tuple(zip(alphas, errors, strict=True)), common_scope(scopes))


# The trade-off curve -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Minorant:
    """What is known of the privacy profile D: the points (t_i, [l_i, u_i]) of the lemma and the corners of its M.

    `vertices` are the corners (t, M(t)), all that upper bounds of f need.
    """

    times: tuple[Fraction, ...]
    values: tuple[Interval, ...]
    vertices: tuple[tuple[Fraction, Fraction], ...]

    @classmethod
    def of(cls, known: Mapping[Fraction, Interval], mass: Fraction) -> "Minorant":
        """The minorant from D at some t, 1 among them; `mass` is a lower bound on D(inf), the infinity mass."""
        times = sorted(known)
        low, high = ([getattr(known[t], end) for t in times] for end in ("low", "high"))
        low = [max(end, mass) for end in low]
        chords = [(low[i + 1] - high[i]) / (times[i + 1] - times[i]) for i in range(len(times) - 1)]
        falls = [Fraction(-1), *(max(Fraction(-1), chord) for chord in chords)]
        chords = [(high[i + 1] - low[i]) / (times[i + 1] - times[i]) for i in range(len(times) - 1)]
        rises = [*(min(Fraction(0), chord) for chord in chords), Fraction(0)]
        vertices = []
        for i, (s, t) in enumerate(pairwise(times)):
            a, b = falls[i], rises[i + 1]
            ends = (low[i], low[i + 1] - b * (t - s)), (low[i] + a * (t - s), low[i + 1])
            vertices.append((s, max(ends[0])))
            if (ends[0][0] > ends[0][1]) != (ends[1][0] > ends[1][1]) and a != b:
                cross = s + (ends[0][1] - ends[0][0]) / (a - b)
                vertices.append((cross, low[i] + a * (cross - s)))
            vertices.append((t, max(ends[1])))
        vertices.append((times[-1], low[-1]))
        if falls[-1] < 0 and low[-1] > mass:
            vertices.append((times[-1] + (mass - low[-1]) / falls[-1], mass))
        return cls(tuple(times), tuple(known[t] for t in times), tuple(vertices))

    def trade_off(self, alpha: Fraction) -> Interval:
        """The trade-off function at alpha, enclosed."""
        lower = max(_errors(t, value.high, alpha) for t, value in zip(self.times, self.values, strict=True))
        return Interval(lower, max(_errors(t, m, alpha) for t, m in self.vertices))

    def wanted(self, alpha: Fraction) -> Iterator[Fraction]:
        """The t at which D should be evaluated next for f(alpha), if D is not yet known closely there."""
        found = self.trade_off(alpha)
        t, m = max(self.vertices, key=lambda vertex: _errors(vertex[0], vertex[1], alpha))
        width = found.high - found.low
        i = bisect_right(self.times, t)
        if width <= CLOSE or self.times[i - 1] == t:
            return
        if i < len(self.times):
            (s, e), (low, high) = self.times[i - 1 : i + 1], (value.low for value in self.values[i - 1 : i + 1])
            if low + (high - low) * (t - s) / (e - s) - m < width / 8:  # what widens f is how D is known, not where
                return
        near = Fraction(round(min(t, 4 * self.times[-1]) * (1 << TIME_BITS)), 1 << TIME_BITS)
        if near not in self.times:
            yield near


def _errors(t: Fraction, delta: Fraction, alpha: Fraction) -> Fraction:
    """What D(t) = delta says of f(alpha)."""
    return max(Fraction(0), 1 - delta - t * alpha, (1 - delta - alpha) / t)
