"""The privacy profile over all neighbouring datasets, at many eps at once, with the scope of the answer.

D(t), t = e^eps >= 1, is the largest delta(eps) = sum_y max(P(y) - t Q(y), 0) over the pairs (P, Q) of neighbours, which
hold both directions. As each pair's does, D falls from D(1) <= 1, is convex, and loses at most t' - t from t to t'.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import fmpz

from verify.bound.cover import STOPPED, TOLERANCE, Tick
from verify.decide.worst_case import WIDE, by_fewer, cases, enumerate_or_reduce, fewer_where, scope_of
from verify.enclose.interval import Interval
from verify.enclose.noise_laws import MAX_TRIALS
from verify.errors import BadInput
from verify.exact.epsilon import Delta, Eps
from verify.exact.hockey_stick import Pair
from verify.exact.neighbours import Neighbourhood, Neighbours, Scope
from verify.exact.randomizer import Randomizer, System
from verify.exact.rational import natural, rational, shorten
from verify.progress import Progress
from verify.reduce.reduction import Found, Reduction, worst_delta

MAX_POINTS = 10_000
KEY_BITS = 64  # of a ratio P/Q by which outcomes are sorted, after the point


@dataclass(frozen=True)
class Curve:
    """A privacy profile at some eps: delta at each of them, exact or enclosed, with the scope of the answer.

    `scope.worst` is given where one pair is the worst wherever delta > 0.
    """

    points: tuple[tuple[Eps, Delta | Interval], ...]
    scope: Scope


def eps_grid(text: str, where: str = "eps") -> list[Eps]:
    """The values of eps that a text names: "0:4:81", the ends of even steps from 0 to 4, or a list "1/2,1,log(3)".

    Rising. Raises BadInput.
    """
    if ":" in text:
        return [Eps.of(number, where) for number in even_grid(text, where)]
    return sorted({Eps.of(item, where) for item in text.split(",")})


def number_grid(text: str, where: str) -> list[Fraction]:
    """The rationals that a text names: a grid "0:1:41" or a list "1/10,1/2"; rising. Raises BadInput."""
    return even_grid(text, where) if ":" in text else sorted({rational(item, where) for item in text.split(",")})


def even_grid(text: str, where: str) -> list[Fraction]:
    """The evenly spaced rationals that LOW:HIGH:COUNT names, both ends included.

    Raises BadInput unless LOW < HIGH, COUNT >= 2.
    """
    parts = text.split(":")
    if len(parts) != 3:
        raise BadInput(f"{where}: {shorten(text)!r}: expected LOW:HIGH:COUNT or a list with commas")
    low, high = (rational(part, f"{where}, {name}") for part, name in zip(parts, ("LOW", "HIGH"), strict=False))
    if low >= high:
        raise BadInput(f"{where}: {shorten(text)!r}: expected LOW:HIGH:COUNT with LOW below HIGH")
    count = natural(parts[2], f"{where}, COUNT", least=2, most=MAX_POINTS)
    return [low + (high - low) * i / (count - 1) for i in range(count)]


def profile_curve(
    system: Randomizer | System,
    n: object,
    eps: Sequence[Eps],
    view: str = "shuffled",
    *,
    max_work: int | None = None,
    tolerance: Fraction = TOLERANCE,
    progress: Progress | None = None,
    tick: Tick | None = None,
    boxes: int | None = None,
) -> Curve:
    """The privacy profile at each eps: the largest delta over all neighbouring datasets of n users, both directions.

    Exact, A - B e^eps, where datasets are enumerated, which happens once; else enclosed as `worst_case.delta` does.
    A randomizer about which nothing is proved is bounded more closely after its blanket, which may take some
    minutes: as far as `boxes` allow, where that is not `max_work`; with Ctrl-C what is reached by then is the answer
    (`Scope.stopped`). Raises as `delta` does.

        >>> rr = system("krr", k=2, gamma="1/2")
        >>> [str(value) for _, value in profile_curve(rr, 1, [Eps.of(0), Eps.of("log(2)")]).points]
        ['0.5', '0.25']
    """
    way = enumerate_or_reduce(system, n, view, max_work, tolerance=tolerance, tick=tick, boxes=boxes)
    asked = _Datasets(way, natural(n, "n", most=MAX_TRIALS), progress)
    found = asked.at(eps)
    return Curve(tuple(zip(eps, found.values, strict=True)), found.scope)


def short_ends(value: Delta | Interval) -> Interval:
    """An interval around a value whose ends are its printed digits, rounded outwards: exact values may be long."""
    lower, upper = value.enclosure()
    return Interval(max(Fraction(lower), Fraction(0)), min(Fraction(upper), Fraction(1)))


# Many eps at once ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Found:
    values: list[Delta | Interval]
    scope: Scope
    never: Fraction  # a lower bound on the largest P(Q = 0)


@dataclass(frozen=True)
class _Datasets:
    way: Neighbourhood | Reduction
    n: int
    progress: Progress | None

    def at(self, eps: Sequence[Eps], enough: Fraction = Fraction(-1)) -> _Found:
        """The largest delta at each eps; none may be given after the first that is at most `enough`."""
        if isinstance(self.way, Neighbourhood):
            return self._enumerated(self.way, eps)
        if self.way.curve is not None:
            return self._closed_in(self.way, eps)
        values: list[Delta | Interval] = []
        scopes = []
        for at in self.progress(eps, len(eps)) if self.progress else eps:
            found = worst_delta(self.way, at)
            if found.stopped:
                raise KeyboardInterrupt
            values.append(found.value)
            scope = scope_of(self.way, self.n, found)
            scopes.append(scope if found.value.high else replace(scope, worst=None))
            if found.value.high <= enough:
                break
        self._by_fewer(self.way, values, scopes, eps)
        return _Found(values, common_scope(scopes), self.way.attained.never_returns())

    def _closed_in(self, reach: Reduction, eps: Sequence[Eps]) -> _Found:
        """As `at`, ever closer; with Ctrl-C as close as it was reached."""
        assert reach.curve is not None
        rising, found, stopped = sorted(set(eps)), list[Found](), False
        try:
            for closer in reach.curve(rising, self.progress):
                found = closer
        except KeyboardInterrupt as stop:
            if type(stop) is not KeyboardInterrupt or not found:
                raise
            stopped = True
        at = dict(zip(rising, found, strict=True))
        told = [replace(at[one], stopped=stopped, note=STOPPED if stopped else "") for one in eps]
        scopes = [scope_of(reach, self.n, one if one.value.high else replace(one, worst=None)) for one in told]
        values: list[Delta | Interval] = [one.value for one in told]
        if not stopped:
            self._by_fewer(reach, values, scopes, eps)
        return _Found(values, common_scope(scopes), reach.attained.never_returns())

    def _by_fewer(
        self, reach: Reduction, values: list[Delta | Interval], scopes: list[Scope], eps: Sequence[Eps]
    ) -> None:
        """Put what fewer users have in the place of upper bounds far above; these are enumerated once for all eps."""
        ends = [(value.low, value.high) for value in values if isinstance(value, Interval)]
        low, high = max(ends, key=lambda both: both[1] > both[0] * WIDE, default=(Fraction(0), Fraction(0)))
        if (few := fewer_where(reach, low, high, False)) is None:
            return
        said = replace(scopes[0], by=scopes[0].by + by_fewer(few))  # the words of all are the first one's
        for i, most in enumerate(replace(self, progress=None)._enumerated(few, eps[: len(values)]).values):
            value, end = values[i], Fraction(most.enclosure()[1])
            if isinstance(value, Interval) and end < value.high:
                values[i], scopes[0] = Interval(value.low, end), said

    def _enumerated(self, way: Neighbourhood, eps: Sequence[Eps]) -> _Found:
        values: list[Delta | Interval] = [Delta(fmpz(0), fmpz(0), fmpz(1), at) for at in eps]
        worst: list[Neighbours | None] = [None] * len(eps)
        pairs, never = 0, Fraction(0)
        for case in cases(way, self.progress):
            pairs += 1
            ranked = Ranked.of(case.pair)
            never = max(never, Fraction(int(ranked.alone), int(case.pair.denominator)))
            for i, at in enumerate(eps):
                value, best = ranked.delta(at), values[i]
                assert isinstance(best, Delta)
                if value.minus(best).sign() > 0:
                    values[i], worst[i] = value, case.neighbours
        return _Found(values, common_scope([way.scope(pairs, pair) for pair in worst]), never)


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

    @classmethod
    def of(cls, pair: Pair) -> "Ranked":
        """The outcomes of a pair with p > q, sorted by falling p/q, with prefix sums of P and Q."""
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


def common_scope(scopes: Sequence[Scope]) -> Scope:
    """One scope for several answers: the most pairs, and the worst pair where it is the same in all that have one."""
    worst = [scope.worst for scope in scopes if scope.worst is not None]
    same = worst[0] if worst and all(pair == worst[0] for pair in worst) else None
    return replace(scopes[0], pairs=max(scope.pairs for scope in scopes), worst=same)
