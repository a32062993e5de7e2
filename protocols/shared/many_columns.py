"""Several columns of bits that one user changes at once, for every dataset of the others (columns.py has one).

Of N others any number c may hold a 1 in a column, whatever they hold in the other columns, and each column is seen by
itself. So the k columns are a composition of k runs of `rr` whose inputs are fixed beforehand and may differ from run
to run (verify/compose/composition.py, `fresh`): few are enumerated, else the answer is between real datasets and a
composition of one pair that dominates every column.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise

from shufflecert.protocols.rr import RR
from shufflecert.protocols.shared.columns import column
from shufflecert.protocols.shared.screened_compositions import HALF, screened
from shufflecert.verify.bound.question import Effort
from shufflecert.verify.compose.composition import Composed, Composition, Run, prepare
from shufflecert.verify.compose.fourier_accountant import compose_parts
from shufflecert.verify.enclose.interval import Ends, Interval
from shufflecert.verify.exact.epsilon import Delta, Eps
from shufflecert.verify.exact.rational import DIGITS
from shufflecert.verify.pairs.windowed import Reversed
from shufflecert.verify.reduce.reduction import Family, Found, NamedPair

MAX_WORK = 300_000  # units up to which all compositions are evaluated
SCREENED = 20  # times as many where doubles look at each first: n <= 20 for four columns
Held = tuple[int, ...]  # how many of the others hold a 1 in each column, in rising order
Name = Callable[[Held], NamedPair]


@dataclass(frozen=True)
class Columns:
    """The pair of k columns: a user has ones in all of them (P) or zeros (Q), and of N others c_i have one in the ith.

    Each (P, Q) is its reverse with N - c_i, so that which columns the user sets and which he clears does not matter.
    """

    flip: Fraction
    others: int
    held: Held
    turned: bool = False

    whole = True  # both laws have mass 1

    def divergence(self, eps: Eps, bits: int) -> Ends:
        """Rational ends around delta(eps) to 12 digits, however many `bits`."""
        value = _composed(self, eps)
        return value.low, value.high

    def reversed(self) -> "Columns":
        """The pair in the other direction."""
        return Columns(self.flip, self.others, self.held, not self.turned)

    def never_returns(self) -> Fraction:
        """A lower bound on P(Q = 0): 1 without flips, else 0."""
        return Fraction(int(self.flip == 0))


@lru_cache(maxsize=64)
def _composed(columns: Columns, eps: Eps) -> Interval:
    pairs = (column(columns.flip, c, columns.others - c) for c in columns.held)
    return compose_parts([(Reversed(pair) if columns.turned else pair, 1) for pair in pairs], eps, 12)


@dataclass(frozen=True)
class ManyColumns(Family):
    """The pairs of all numbers of the others on 1 in so many `columns`; `named` has the datasets of one of them."""

    flip: Fraction
    others: int
    columns: int
    named: Name
    between = True

    def worst(
        self, eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
    ) -> tuple[Interval, NamedPair | None, int]:
        """The largest delta(eps), its pair, and how many compositions were evaluated; to 9 digits, 4 between bounds."""
        found = _delta(self.flip, self.others, self.columns, eps)
        return _interval(found), self._named(found), found.compositions

    def epsilon(self, bound: Fraction) -> tuple[Fraction | None, Fraction | None, Found]:
        """The smallest eps with delta(eps) <= bound, as a `Reduction` asks for it."""
        found = _composition(self.flip, self.others, self.columns).epsilon(bound)
        what = Found(Interval(Fraction(0), Fraction(1)), self._named(found), found.compositions)
        if found.power is not None:
            exact = Eps.log(found.power)
            low, high = exact.enclosure(DIGITS)
            what = Found(what.value, what.worst, what.pairs, exact=exact)
            return Fraction(low), Fraction(high), what
        return (*(found.interval or (None, None)), what)

    def _named(self, found: Composed) -> NamedPair | None:
        """The datasets of a composition: (1, 0) with c of the others on 1 in a run, or (0, 1) with c on 0."""
        held = [
            c for run in found.worst for c in [(run.neighbours.others or {}).get(run.neighbours.source, 0)] * run.times
        ]
        return self.named(tuple(sorted(held))) if len(held) == self.columns else None

    def never_returns(self) -> Fraction:
        """A lower bound on the largest P(Q = 0): 1 without flips, else 0."""
        return Fraction(int(self.flip == 0))


@lru_cache(maxsize=4)
def _composition(flip: Fraction, others: int, columns: int) -> Composition:
    short = (others + 2) ** ((columns + 1) // 2) <= HALF
    most = MAX_WORK * SCREENED if short else MAX_WORK
    return prepare([Run(RR(flip), others + 1, columns)], "fresh", effort=Effort(work=most), screen=screened)


@lru_cache(maxsize=16)
def _delta(flip: Fraction, others: int, columns: int, eps: Eps) -> Composed:
    return _composition(flip, others, columns).delta(eps)


def _interval(found: Composed) -> Interval:
    if isinstance(found.delta, Delta):
        return Interval(*map(Fraction, found.delta.enclosure(DIGITS)))
    assert found.delta is not None
    return found.delta


def strings(held: Mapping[int, int], users: int, ones: int) -> dict[str, int]:
    """{string: users} such that `held` = {column: users} have a 1 in each column, and every user has `ones` of them.

    Each column's users follow those of the one before, round and round: nobody comes twice to one column, which has at
    most all users. Raises StopIteration where the numbers do not sum to users x ones.
    """
    columns, ends = list(held), list(accumulate(held.values()))
    counts: dict[str, int] = {}
    for first, after in pairwise(sorted({0, users, *(end % users for end in ends)}) if users else ()):
        places = sorted(
            next(j for j, end in zip(columns, ends, strict=True) if first + i * users < end) for i in range(ones)
        )
        name = "+".join(map(str, places))
        counts[name] = counts.get(name, 0) + after - first
    return counts
