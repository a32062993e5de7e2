"""What groups of users of one class have in common, whichever their class; for sums of one number.

Let f_x be the law of class x, G and T any two laws, m a number of users. Let there be, for every class x, a measure W_x
of a mass of at least w with

    f_x * ... * f_x  (m times)  >=  W_x * T * G      at every point, up to a shift that depends on x alone.

Then m users of class x send, with probability w, the sum of independent draws of W_x, T and G.

Lemma. Let the others have at least l_x users of each class x, and g groups of m users of one class each, whichever,
besides. Then delta(eps) is at most E delta_K, K ~ Bin(g, w), where delta_0 = 1, and delta_k is that of l_x users of
each class x, k - 1 more users who send by T * G, and the user who changes, who sends by f_a * G or f_b * G.

Proof. For each group a coin of probability w decides whether it is *drawn*, and then sends by W_x * T * G, else by what
its law has more; the coins depend on no input. Who sees delta_k's sum can make the rest: how many are drawn is K
whatever the inputs; what the groups that are not drawn send, the draws of W_x, and of one of the drawn groups the draw
of T as well are independent of the user who changes, and so is what users in no group send. That group's draw of G is
added to what the user who changes sends. QED.

delta_k falls with k (fewer users). So for j_1 < ... < j_s and F(j) >= Pr[K < j], with 1 for delta_(j_0),

    E delta_K  <=  delta_(j_s) + sum over b of F(j_b) (delta_(j_(b-1)) - delta_(j_b)).

Of m = 1, G and W_x a draw of nothing, T * G is what all classes have in common, and w its mass. With more users T * G
may have nearly the variance that m users of the class with the least have: the sums are nearly normal. So one leaf
bounds all compositions about as closely as the worst of them, where boxes would be too many.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from math import exp
from typing import Any, NamedTuple

from flint import arb, fmpz_poly

from shufflecert.verify.bound.guess import Guesses, mean, normal, shares, variance
from shufflecert.verify.bound.table import Pair, Point, Row, Table
from shufflecert.verify.exact.rational import ball, ceiling_of, precision
from shufflecert.verify.runs.later import Later

np: Any = Later("numpy")
optimize: Any = Later("scipy.optimize")
sparse: Any = Later("scipy.sparse")
SENT, REST = 11, 40  # bits of the largest weight of G, and of the unit of W
THIN, HAIR = 1e-7, 1e-6  # of the largest weight of m users: points that are left out; of W, for what floats lose
TRIED = ((0.95, 2.7), (0.95, 2.2), (0.85, 2.7), (0.7, 2.2))  # the variance of T * G, of that of m users; G's deviations
MOST_OF, LEAST_OF, LOST = 128, 4, 16  # users of a group; of the users, who may be in no group
SHARES = (1e-3, 2e-2, 0.1, 0.25, 0.45, 0.7)  # probabilities of fewer groups, at which they are told apart
SEEMS = 1.2  # times a limit, by the normal approximation: looked at
BITS = 128  # of probabilities of numbers of groups


class Group(NamedTuple):
    """Groups of `of` users of one class: w, and the table of delta_k: rows f_a * G and f_b * G, the classes' laws, and
    T * G as one more class; with guesses of its sums.
    """

    of: int
    chance: Fraction
    table: Table
    guess: Guesses


class Draws(NamedTuple):
    """A group, which of its rows the user who changes is on, and (j, at least Pr[K < j]), j rising."""

    group: Group
    pair: Pair
    steps: tuple[tuple[int, Fraction], ...]

    def expected(self, deltas: Sequence[Any]) -> Any:
        """At least E delta_K, by delta_j of each step."""
        total, before = 0, 1
        for (_, below), delta in zip(self.steps, deltas, strict=True):
            now = min(before, delta)
            total, before = total + below * (before - now), now
        return total + before


@dataclass
class Groups:
    """Groups of a table of one number: their laws are found by linear programs in floats, and checked in integers."""

    table: Table
    n: int
    found: dict[tuple[Pair, int], Group | None] = field(default_factory=dict)
    sums: dict[int, list[Any]] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table, n: int) -> "Groups | None":
        """None where more than one number matters, or all users are of one class."""
        return cls(table, n) if table.rank == 1 and len(table.bases) > 1 else None

    @cached_property
    def variances(self) -> list[float]:
        """Of the classes' laws."""
        return [variance(base, 0) for base in self.table.bases]

    def hopeful(self, pair: Pair, lower: Sequence[int], left: int, limit: tuple[float, float]) -> bool:
        """Whether it would be enough if users in groups varied as much as those of the class with the least do."""
        eps, most = limit
        known = sum(count * one for count, one in zip(lower, self.variances, strict=True))
        step = float((mean(self.table.rows[pair[0]]) - mean(self.table.rows[pair[1]]))[0])
        return normal(step**2 / max(known + left * min(self.variances), 1e-300), eps) <= SEEMS * exp(most)

    def draws(self, pair: Pair, left: int, classes: int, missed: Fraction) -> Draws | None:
        """The groups that so many users, of so many classes, make for sure; None where there are none."""
        m = min(MOST_OF, left // (LOST * classes)) if classes else 0
        if m < LEAST_OF:
            return None
        m = 1 << m.bit_length() - 1
        group = self.group(pair, m)
        if group is None:
            return None
        return Draws(
            group,
            (0, 1) if pair[0] < pair[1] else (1, 0),
            steps(-(-(left - classes * (m - 1)) // m), group.chance, missed),
        )

    def group(self, pair: Pair, m: int) -> Group | None:
        """Groups of m users that hide best which of two inputs a user has; None where none are found."""
        key = (min(pair), max(pair)), m
        if key not in self.found:
            self.found[key] = self._group(key[0], m)
        return self.found[key]

    def _group(self, pair: Pair, m: int) -> Group | None:
        best: tuple[float, Row, Row, list[Any]] | None = None
        change = Counter(self.table.rows[pair[0]]) + Counter(self.table.rows[pair[1]])
        for part, reach in TRIED:
            send = _normal(part * m * min(self.variances) - variance(change, 0), reach)
            whole = _plus(change, send)
            line = np.array(_line(shares(whole)))
            rests = [_most(law, line) for law in self._sums(m)]
            worth = min(float(rest.sum()) for rest in rests) * variance(whole, 0)
            if best is None or worth > best[0]:
                best = worth, send, whole, rests
        assert best is not None
        _, send, whole, rests = best
        shown = min(self._proved(x, m, whole, rest) for x, rest in enumerate(rests))
        if not shown:
            return None
        table = self._with(pair, send, whole)
        guess = Guesses(table, self.n)
        return None if guess.plain is None else Group(m, shown, table, guess)

    def _sums(self, m: int) -> list[Any]:
        """The laws of m users of each class, in floats, their first weight that of the least sum."""
        if m not in self.sums:
            made = []
            for base in self.table.bases:
                line, total = np.array(_line(shares(base))), np.ones(1)
                for _ in range(m):
                    total = np.convolve(total, line)
                made.append(total)
            self.sums[m] = made
        return self.sums[m]

    def _proved(self, x: int, m: int, whole: Row, rest: Any) -> Fraction:
        """The mass of the W of class x, in integers; 0 where it is too large anywhere."""
        some = [int(w) for w in np.floor(rest * (1 - HAIR) * 2.0**REST)]
        users, group = fmpz_poly(_line(self.table.bases[x])) ** m, fmpz_poly(_line(whole))
        left = users * (sum(whole.values()) << REST) - fmpz_poly(some) * group * self.table.unit**m
        return Fraction(sum(some), 1 << REST) if all(w >= 0 for w in left.coeffs()) else Fraction(0)

    def _with(self, pair: Pair, send: Row, whole: Row) -> Table:
        table, scale = self.table, sum(send.values())
        rows = [_plus(table.rows[x], {p: 2 * w for p, w in send.items()}) for x in pair]
        bases = [{p: 2 * scale * w for p, w in base.items()} for base in table.bases]
        inputs, classes = (*(table.inputs[x] for x in pair), ""), (None, None, len(bases))
        given = inputs, (*rows, whole), 2 * scale * table.unit, classes, (*bases, whole), ((0,),) * 3, ((0, 1), (1, 0))
        return Table(*given)


@lru_cache(maxsize=4096)
def steps(groups: int, chance: Fraction, missed: Fraction) -> tuple[tuple[int, Fraction], ...]:
    """(j, at least the probability that fewer than j of so many groups are drawn), from one of at most `missed` on."""
    if chance == 1:
        return ((groups, Fraction(0)),)
    found, wanted = list[tuple[int, Fraction]](), [missed, *(Fraction(share) for share in SHARES)]
    with precision(BITS):
        w = ball(chance)
        ratio, term, total = w / (1 - w), (1 - w) ** groups, arb(0)
        below = Fraction(0)
        for j in range(groups + 1):  # `below` is Pr[K < j]
            if j and wanted and (after := total + term) > ball(wanted[0]):
                found.append((j, below))
                while wanted and after > ball(wanted[0]):
                    wanted.pop(0)
            total += term
            below = ceiling_of(total)
            term = term * (groups - j) / (j + 1) * ratio
    return tuple(found)


def _plus(one: Row, other: Row) -> Row:
    """The law of a sum."""
    found: dict[tuple[int, ...], int] = {}
    for (p,), v in one.items():
        for (q,), w in other.items():
            found[p + q,] = found.get((p + q,), 0) + v * w
    return found


def _line(law: Mapping[Point, Any]) -> list[Any]:
    """The weights from the least point to the largest."""
    return [law.get((p,), 0) for p in range(min(law)[0], max(law)[0] + 1)]


def _normal(spread: float, reach: float) -> Row:
    """A law in the shape of a normal one of this variance, its ends cut off."""
    if spread <= 0:
        return {(0,): 1}
    far = int(reach * spread**0.5)
    return {(far + i,): int(np.exp(-(i**2) / (2 * spread)) * (1 << SENT)) + 1 for i in range(-far, far + 1)}


def _most(law: Any, line: Any) -> Any:
    """About the largest W with W * line <= law, by a linear program; 0 where there is none."""
    inside = np.flatnonzero(law > THIN * law.max())
    first, count = inside[0], inside[-1] + 1 - inside[0] - len(line) + 1
    found = np.zeros(max(1, len(law) - len(line) + 1))
    if count < 1:
        return found
    some = law[first : inside[-1] + 1]
    if some.min() <= 0:
        return found
    below, shape = [-i for i in range(len(line))], (len(some), count)
    columns = sparse.diags_array([np.full(count, w) for w in line], offsets=below, shape=shape)
    least = sparse.diags_array(1 / some) @ columns
    guess = optimize.linprog(-np.ones(count), A_ub=least, b_ub=np.ones(len(some)), bounds=(0, None), method="highs")
    if guess.x is not None:
        found[first : first + count] = np.maximum(guess.x, 0)
    return found
