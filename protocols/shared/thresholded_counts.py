"""Counts that are shown from a threshold on: one user more or less, and one who moves from a value to another.

Of m users on a value each is sampled with probability p; T(Bin(m, p)) is shown, T(x) = x for x >= k and else nothing.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, partial
from math import ceil, floor, log, log1p, sqrt
from typing import Any

from flint import arb, fmpz

from shufflecert.verify.enclose.interval import Ends, Interval, refine
from shufflecert.verify.enclose.noise import Window
from shufflecert.verify.enclose.noise_laws import Binomial
from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import MAX_EPS, Eps
from shufflecert.verify.exact.hockey_stick import Pair
from shufflecert.verify.exact.randomizer import NOBODY
from shufflecert.verify.exact.rational import DIGITS, precision
from shufflecert.verify.pairs.connect_the_dots import dominating, rounded_up
from shufflecert.verify.pairs.shifted_noise import ends_of, power_ball
from shufflecert.verify.pairs.windowed import Atoms, Product, WindowPair, joint
from shufflecert.verify.reduce.reduction import Family, NamedPair

DOTS = 6  # on a scale, see `_scale`; of rare thresholds above WIDEST fewer
DOT_DIGITS, ROUGH = 9, 3
MOST_LEAVES = 20_000  # of a certificate
DIGITS_MOVED = 6  # of both bounds for a user who moves, which are further apart
LEAST = Fraction(1, 1 << 128)  # of a dot's bound: below it the other bound is as good
WIDEST = 10**4  # variance of a count that is listed


@dataclass(frozen=True)
class Count(WindowPair):
    """The pair of one value's count that is shown: T(Bin(m, p)) with one user (P), T(Bin(m - 1, p)) without (Q).

    P/Q rises in the count: on x it is m (1 - p) / (m - x), which is at least 1 where P can be larger than Q, and at
    most 1 where nothing is shown. So for e^eps >= 1 the event is one tail x >= t, t >= k, of

        delta(eps) = Pr[Bin(m, p) >= t] - e^eps Pr[Bin(m - 1, p) >= t].

    `removed`: the other direction, Q against P, where the event is the other tail, what is not shown or x < t.
    """

    m: int
    p: Fraction
    k: int
    removed: bool = False

    def reversed(self) -> "Count":
        """The pair in the other direction."""
        return Count(self.m, self.p, self.k, not self.removed)

    def atoms(self, bits: int) -> Atoms:
        """One atom for what is not shown, and one for each count that is shown and is in the window."""
        laws = [Window.of(Binomial(users, self.p), bits) for users in (self.m, self.m - 1)]
        first = min(self.k, *(law.first for law in laws))
        last = max(self.k, *(law.first + len(law.low) - 1 for law in laws))
        p, q = (_shown(law, self.k, first, last) for law in laws)
        atoms = Atoms(p, q, (laws[0].outside, laws[1].outside), bits)
        return atoms.reversed() if self.removed else atoms

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0): all m users are sampled."""
        return self.p**self.m if not self.removed and self.m >= self.k and self.m < 2000 else Fraction(0)

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around delta(eps)."""
        with_one, without = Binomial(self.m, self.p), Binomial(self.m - 1, self.p)
        with precision(bits + 32):
            power = power_ball(eps, bits + 32)
            best = arb(0)
            for t in self._tails(eps):
                if self.removed:
                    value = without.cdf(t - 1) - power * with_one.cdf(t - 1)
                else:
                    value = with_one.survival(t) - power * without.survival(t)
                best = best.max(value)
            return ends_of(best)

    def _tails(self, eps: Eps) -> list[int]:
        """The t of which one is best: next to where P/Q crosses e^eps, and k; each makes an event, so all are sound."""
        low, high = eps.bounds(64)
        if self.removed:  # m (1 - p) / (m - x) < e^-eps
            ends = [self.m - self.m * (1 - self.p) * end for end in (low, high)]
        else:
            ends = [self.m - self.m * (1 - self.p) / end for end in (low, high)]
        around = range(floor(min(ends)), ceil(max(ends)) + 2)
        return sorted({min(max(self.k, t), self.m + 1) for t in around})


@dataclass(frozen=True)
class Counts(Family):
    """The pairs of one value's count for m = 1..users, in both directions or in that of one more user (P has it).

    Lemma. Let D_m(x) be the largest P(E) - x Q(E) over events, (P, Q) of `Count`. For x > 1 - p, c = x / (x - 1 + p),
    its largest over m <= users is at m = min(ceil((k - 1) c), users); for smaller x all are 1 - x.
    Proof. P/Q > x for the counts above m / c. For m <= k c these are all that are shown, and what is not shown only
    where everything is, D_m(x) = 1 - x, the least that it can be. Else D_m(x) = S_m - x S_(m-1), S_m = Pr[Bin(m, p) >=
    k], where S_(m+1) - S_m = p Pr[Bin(m, p) = k - 1], so that D_(m+1) - D_m is p Pr[Bin(m - 1, p) = k - 1] times
    m (1 - p) / (m - k + 1) - x, above 0 before (k - 1) c and never after; and (k - 1) c + 1 < k c. For m >= floor(k c)
    the threshold hides nothing that decides: D_m(x) is that of Bin(m, p) against Bin(m - 1, p), which never rises with
    m, since one more user known to hold the value is post-processing.

    The reverse direction has the curve 1 - x + x D_m(1/x) (`verify.pairs.connect_the_dots.mirrored`): the same m, of
    1/x; from x = 1 / (1 - p) on it is 0.

    `by`: for a pair of likelihood ratio at most e^by beside this one, delta(eps - by) stands for delta(eps), and where
    eps < by, delta(0) + 1 - e^(eps - by), since P - t Q = P - Q + (1 - t) Q.
    """

    p: Fraction
    k: int
    users: int
    both: bool
    by: Eps | None = None  # delta(eps - by) stands for delta(eps)

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """The largest delta(eps), the pair that has it, and how many were looked at."""
        at, more = (eps, Fraction(0)) if self.by is None else _less(eps, self.by)
        pairs = self.largest(at, removed=False) + (self.largest(at, removed=True) if self.both else [])
        values = [refine(partial(pair.divergence, at), digits) for pair in pairs]
        best = max(range(len(pairs)), key=lambda i: values[i].low)
        found = pairs[best]
        names = (NOBODY, "1") if found.removed else ("1", NOBODY if self.both else "2")
        named = NamedPair(found, *names, {"1": found.m - 1} if found.m > 1 else {})
        top = Interval(values[best].low + more, max(value.high for value in values) + more)
        return top, named, len(pairs)

    def tree(self, eps: Eps, bound: Fraction) -> list[Any]:
        """A certificate's tree: every number of others on the value up to the worst, what is shown as it is; beyond it
        the threshold hides nothing that decides (the lemma), so that all others on it have one bound, without it.
        """
        at = eps if self.by is None else _less(eps, self.by)[0]
        both = [pair.m for removed in (False, True)[: 1 + self.both] for pair in self.largest(at, removed)]
        last = 2 * max(both, default=1) + 2 * self.k
        if last > MOST_LEAVES:
            raise Undecided(f"more than {MOST_LEAVES} numbers of users are looked at")
        cuts = range(min(last, self.users - 1))
        return [node for i in cuts for node in (["a", i], "corner")] + ["corner"]

    def largest(self, eps: Eps, removed: bool) -> list[Count]:
        """The pairs one of which has the largest delta(eps) in this direction; none where it is 0."""
        bits = 128
        while True:
            low, high = eps.bounds(bits)
            xs = (1 / high, 1 / low) if removed else (low, high)
            rooms = [x - 1 + self.p for x in xs]
            if rooms[1] <= 0:
                return []
            if rooms[0] > 0:
                break
            bits *= 2  # e^eps is next to 1 / (1 - p), and is not that
        first, last = (x / room for x, room in zip(reversed(xs), reversed(rooms), strict=True))
        begins, ends = (min(ceil((self.k - 1) * c), self.users) for c in (first, last))
        return [Count(m, self.p, self.k, removed) for m in range(begins, ends + 1)]

    def infinity_mass(self) -> Fraction:
        """A lower bound on P(Q = 0): exactly k users, all sampled."""
        return self.p**self.k if self.k <= min(self.users, 2000) else Fraction(0)


@dataclass(frozen=True)
class Moved(Counts):
    """Real pairs of a user who moves from a value "1" to "2": with i users on "1" (P), and with j on "2" (Q).

    Their counts are independent: the product of `Count` of i and of the reverse pair of j. Where nothing of "2" is
    shown, the pair of "1" is left. `worst` looks near the worst of each, and at the second kind.
    """

    digits: int = DIGITS_MOVED

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """About the largest delta(eps) of such pairs, the pair that has it, and how many were looked at."""
        alone = super().worst(eps, digits)
        scale = _scale(self.p, self.k)
        moves: dict[tuple[int, int], Interval] = {}
        for back in (scale, scale / 2):
            for back2 in (scale / 2, Fraction(0)):
                i, j = self._near(eps.bounds(64)[0] / _power(back)), self._near(1 / _power(back2))
                j = min(j, self.users + 1 - i)
                if j >= self.k and i * self.p * (1 - self.p) < WIDEST:
                    pair = self.product(i, j)
                    moves[i, j] = refine(partial(pair.divergence, eps), ROUGH)
        if not moves:
            return alone
        i, j = max(moves, key=lambda ends: moves[ends].low)
        pair = self.product(i, j)
        value = refine(partial(pair.divergence, eps), min(digits, 2 * self.digits))
        if value.low <= alone[0].low:
            return alone
        return value, NamedPair(pair, "1", "2", {"1": i - 1, "2": j - 1}), 1 + len(moves)

    def product(self, i: int, j: int) -> Product:
        """The pair of a user who moves from a value that it holds with i - 1 others to one that j - 1 others hold."""
        return Product(Count(i, self.p, self.k), Count(j, self.p, self.k, removed=True))

    def _near(self, x: Fraction) -> int:
        """The m of the largest D_m(x)."""
        room = x - 1 + self.p
        return max(min(ceil((self.k - 1) * x / room), self.users), 1) if room > 0 else self.users


@dataclass(frozen=True)
class Dominating(Counts):
    """The bound for all users who move: a pair above all `Count`, times its reverse.

    Proof. By the lemma of composition (verify/pairs/connect_the_dots.py) the product of (A_i, A_(i-1)) and (A_(j-1),
    A_j), A_m the law of `Count`, is dominated by that of any X above the first for all i and any Y above the second for
    all j, at every x > 0. X is made by connect-the-dots, at x >= 1 of `Counts.largest`, and at 1/x of its reverse; its
    reverse is a Y, since the curve of a reverse pair is 1 - x + x D(1/x). Besides, the likelihood ratio of the second
    pair is at most 1/(1 - p), as in `by`; the smaller of the two bounds holds.
    """

    digits: int = DIGITS_MOVED

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """The bound on delta(eps), no pair, and how many were looked at."""
        ratio = super().worst(eps, digits)[0]
        if ratio.high < LEAST:
            return ratio, None, 1
        low, high = eps.bounds(128)
        pair = _above(self.p, self.k, self.users, _places(self.p, self.k, low))
        product = Interval(*(joint(pair, pair.reversed(), x) for x in (high, low)))
        return min(product, ratio, key=lambda value: value.high), None, len(pair.p)


def _less(eps: Eps, by: Eps) -> tuple[Eps, Fraction]:
    """(eps', slack): eps' just below eps - by and slack 0, or (0, 1 - e^(eps - by)) where that is negative."""
    ratio = eps.bounds(128)[0] / by.bounds(128)[1]
    below = Fraction(floor(ratio * 2**100), 2**100)
    return (Eps.log(below), Fraction(0)) if below >= 1 else (Eps.of(0), 1 - below)


def _shown(law: Window, k: int, first: int, last: int) -> tuple[list[fmpz], list[fmpz]]:
    """Bounds on the probabilities of nothing shown, and of the counts from k to `last`; the window lies between."""
    hidden = max(0, k - law.first)
    low, high = (ends[k - first :] for ends in law.on(first, last))
    return (
        [sum(law.low[:hidden], fmpz(0)), *low],
        [sum(law.high[:hidden], fmpz(0 if law.begins else law.outside)), *high],
    )


def _scale(p: Fraction, k: int) -> Fraction:
    """A guess of the eps on which the curves of `Count` change: log(1 / (1 - p)) / sqrt(k)."""
    return max(Fraction(-log1p(-float(p)) / sqrt(k)), Fraction(1, 1 << 60))


def _step(p: Fraction, k: int) -> Fraction:
    """The eps between two dots where they are next to each other."""
    return _scale(p, k) / (DOTS if k <= WIDEST else DOTS // 3)


def _power(eps: Fraction) -> Fraction:
    """A rational near e^eps."""
    low = Eps.of(abs(eps)).bounds(96)[0]
    return low if eps >= 0 else 1 / low


def _places(p: Fraction, k: int, x: Fraction) -> tuple[int, ...]:
    """Where dots are put, in steps: around 0 and around eps = log(x), and further apart beyond."""
    step = _step(p, k)
    reach = ceil(_scale(p, k) / step * min(round(sqrt(k)), 10))
    middle = int((log(x.numerator) - log(x.denominator)) / step)
    around = {*range(-reach, reach + 1), *range(middle - reach, middle + reach + 1)}
    far = {side * (reach << j) for j in range(12) for side in (1, -1)}
    return tuple(sorted(i for i in around | far if abs(i) * step < MAX_EPS))


@lru_cache(maxsize=8)
def _above(p: Fraction, k: int, users: int, places: tuple[int, ...]) -> Pair:
    """A pair above all `Count` of up to so many users, by dots at these multiples of the step."""
    points = [_dot(p, k, users, i) for i in places]
    return dominating([*points, (1 - p, p)])


@lru_cache(maxsize=1 << 13)
def _dot(p: Fraction, k: int, users: int, i: int) -> tuple[Fraction, Fraction]:
    """(x, a bound on the largest curve at x), x = e^eps or e^-eps for this multiple of the step."""
    x = _power(abs(i) * _step(p, k))
    at = Eps.log(x)
    pairs = Counts(p, k, users, both=False).largest(at, removed=i < 0)
    values = [refine(partial(pair.divergence, at), DOT_DIGITS) for pair in pairs]
    bound = rounded_up(max(LEAST, *(value.high for value in values))) if pairs else Fraction(0)
    return (x, bound) if i >= 0 else (1 / x, 1 - 1 / x + bound / x)
