"""Lower ends: neighbouring datasets that exist, and what an event of theirs attains.

Which datasets are the worst is guessed: uphill over compositions of the others, by transforms where they are short,
else by a normal approximation. What they attain is proved: by the whole law from below where it is a window of not too
many cells, else by a threshold event.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from itertools import islice, permutations
from math import inf, isqrt, log

from shufflecert.verify.bound.guess import as_float, log_of
from shufflecert.verify.bound.search import MOST_RANK, TOLD, Search
from shufflecert.verify.bound.table import Composition, Pair
from shufflecert.verify.exact.epsilon import MAX_EPS, Eps
from shufflecert.verify.exact.randomizer import Randomizer
from shufflecert.verify.reduce.event import Event
from shufflecert.verify.reduce.privacy_blanket import Blankets, Member, Rows
from shufflecert.verify.reduce.reduction import NamedPair, Reduction, worst_epsilon

EPS_BITS = 48  # of an eps that is looked for
LARGEST = 64.0  # eps that guesses tell apart
CLIMB_CELLS = 1 << 14  # of a transform, up to which the worst composition is looked for by them
WINDOW_CELLS, WINDOW_BYTES = 1 << 16, 1 << 25  # of a law whose divergence is found by all its cells
RISE = 1e-5  # relative, of delta: what is a step uphill
LEAST = Fraction(1, 1 << (1 << 14))  # a delta that is told from 0, where nothing says how small it is
FEW, NEAR = 3, 0.5  # datasets whose events are looked at: so many, and of those that seem so much as the worst
LOWEST = -4  # power of two of the least eps that stands for larger ones, at which delta is the same
MOST_LOST = 4000  # datasets of which it is found what is lost at every eps
ROUNDS = 4  # of a climb, each at the eps that the last one found


@dataclass(frozen=True)
class Dataset:
    """The others' composition, and the inputs of the user who changes."""

    counts: Composition
    pair: Pair


@dataclass
class Real:
    """Neighbouring datasets of n users of a table."""

    randomizer: Randomizer
    search: Search
    seen: dict[Dataset, Blankets] = field(default_factory=dict)
    levels: dict[Fraction, Fraction | None] = field(default_factory=dict)  # by tolerance: what stands for larger eps

    @cached_property
    def starts(self) -> list[Composition]:
        """All others in one class, for every class, and all classes alike."""
        total, size = self.search.total, len(self.search.table.bases)
        alone = [tuple(total if i == x else 0 for i in range(size)) for x in range(size)]
        return [*dict.fromkeys([*alone, self.search.root.middle(total)])]

    @cached_property
    def _close(self) -> bool:
        guess = self.search.guess
        return guess is not None and guess.cells <= CLIMB_CELLS

    def guessed(self, counts: Composition, eps: float) -> tuple[float, Pair]:
        """The logarithm of about the largest delta(eps) with these others, and its pair."""
        search = self.search
        if self._close and search.guess is not None:
            return search.guess.largest(counts, eps)
        if search.table.rank > MOST_RANK:  # the spread of the others is what they send alike of single messages
            return max((0.0, pair) for pair in search.table.pairs)
        value, pair = max((search.of_all(pair, counts, eps), pair) for pair in search.table.pairs)
        return (log(value) if value > 0 else -inf), pair

    def climb(self, eps: float, starts: Iterable[Composition] = ()) -> list[Composition]:
        """Compositions that allow about the largest delta(eps), the largest first."""
        known = {counts: self.guessed(counts, eps)[0] for counts in [*starts, *self.starts]}
        best = max(known, key=lambda counts: known[counts])
        step = max(1, self.search.total // 4) if len(self.search.table.bases) > 1 else 0
        while step:
            near = {counts: self.guessed(counts, eps)[0] for counts in moved(best, step)}
            most = max(near, key=lambda counts: near[counts])
            if near[most] > known[best] + RISE:
                known[most], best = near[most], most
            else:
                step //= 2
        return sorted(known, key=lambda counts: -known[counts])

    def delta(self, eps: Eps, enough: Fraction) -> tuple[Fraction, Dataset | None]:
        """A lower bound on the largest delta(eps), by the datasets that seem worst, or what is lost at every eps, where
        it is not faint; 0 where it is tiny."""
        if not self.search.table.pairs:
            return Fraction(0), None
        found = self._attained(eps, enough)
        return self.lost if self.lost[0] > max(found[0], TOLD) else found

    def level(self, eps: Eps, value: Fraction, tolerance: Fraction) -> Eps:
        """An eps, no larger, at which delta hardly seems to be above a value that is lost at every eps; else this."""
        if value <= TOLD or value != self.lost[0]:
            return eps
        if tolerance not in self.levels:
            few = (Fraction(2) ** k for k in range(LOWEST, int(LARGEST).bit_length()))
            most = value * (1 + tolerance / 2)
            self.levels[tolerance] = next(
                (at for at in few if self._attained(Eps.of(at), Fraction(0))[0] <= most), None
            )
        level = self.levels[tolerance]
        return eps if level is None or as_float(eps) <= level else Eps.of(level)

    def _attained(self, eps: Eps, enough: Fraction) -> tuple[Fraction, Dataset | None]:
        at, search = min(as_float(eps), LARGEST), self.search
        order = self.climb(at)
        about = self._size(self.guessed(order[0], at)[0]) if self._close else Fraction(1, 10**6)
        about = max(about, enough)
        if not self._windowed or search.law_bytes(about) > WINDOW_BYTES:
            datasets = self._worst(order, at)
            values = [(self._events(one).worst(eps, 4)[0].low, one) for one in datasets]
            return max(values, key=lambda value: value[0])
        value, pair = search.views(order[0], about).below(search.table.pairs, eps, about * search.closely)
        return value, Dataset(order[0], pair)

    def _size(self, logarithm: float) -> Fraction:
        """About a delta that is known by its logarithm; the smallest one that is told from 0 where it is below."""
        return max(Fraction(2) ** int(max(logarithm, -1e9) / log(2) - 1), LEAST) if logarithm > -inf else LEAST

    def epsilon(self, bound: Fraction, known: Fraction = Fraction(0)) -> tuple[Fraction | None, Dataset | None]:
        """An eps that the datasets that seem worst exceed, nearly the largest one; None where they exceed every eps.

        Of an eps that is `known` to be exceeded by some only larger ones are looked for.
        """
        if not self.search.table.pairs:
            return Fraction(0), None
        if self.lost[0] > bound:
            return None, self.lost[1]
        if not self._windowed:
            return self._by_events(bound, self.climb(self._about(bound)))
        best, low = self.starts[0], float(known)
        for _ in range(ROUNDS):
            order = self.climb(low, [best])
            if order[0] == best and low:
                break
            best = order[0]
            if not self._close:
                break
            assert self.search.guess is not None
            low = max(low, self.search.guess.epsilon(best, log_of(bound), low, LARGEST))
        return self.exceeded(best, bound, known)

    def exceeded(
        self, counts: Composition, bound: Fraction, known: Fraction = Fraction(0)
    ) -> tuple[Fraction | None, Dataset | None]:
        """An eps at which these others' divergence is above the bound, nearly the largest; `known` where none above it
        is."""
        if not self._windowed:
            return self._by_events(bound, [counts])
        views, pairs = self.search.views(counts, bound), self.search.table.pairs
        found = Dataset(counts, pairs[0])

        def above(eps: Fraction) -> bool:
            nonlocal found
            low, pair = views.below(pairs, Eps.of(eps), bound * self.search.closely)
            if low > bound:
                found = Dataset(counts, pair)
            return low > bound

        if not above(known):
            return known, None if known else found
        low, high = known, known * 2 or Fraction(1, 1024)
        while above(high):
            if high >= MAX_EPS:
                return None, found
            low, high = high, min(4 * high, Fraction(MAX_EPS))
        fine = self.search.closely / (1 << 18)
        while high - low > low * fine and high > Fraction(1, 1 << 60):
            wide = low and high > 2 * low
            middle = Fraction(isqrt(int(low * high * 4**80)), 2**80) if wide else (low + high) / 2
            low, high = (middle, high) if above(middle) else (low, middle)
        bits = max(EPS_BITS, 8 + fine.denominator.bit_length())
        unit = Fraction(2) ** (high.numerator.bit_length() - high.denominator.bit_length() - bits)
        low = low // unit * unit
        above(low)
        return low, found

    @cached_property
    def lost(self) -> tuple[Fraction, Dataset | None]:
        """A lower bound on the largest P(Q = 0), with all others in one class, and the datasets."""
        best: tuple[Fraction, Dataset | None] = Fraction(0), None
        table = self.search.table
        most = {(a, b): sum(w for at, w in table.rows[a].items() if at not in table.rows[b]) for a, b in table.pairs}
        alone = ((pair, counts) for pair in sorted(most, key=most.__getitem__)[::-1] for counts in self._alone)
        for pair, counts in islice(alone, MOST_LOST):
            if most[pair] <= best[0] * table.unit:  # what Q's user never sends is not enough
                break
            one = Dataset(counts, pair)
            best = max(best, (self.loses(one), one), key=lambda found: found[0])
        return best

    def loses(self, one: Dataset) -> Fraction:
        """A lower bound on P(Q = 0) of these datasets."""
        return self.event(one).infinity_mass()

    @property
    def _alone(self) -> list[Composition]:
        return self.starts[: len(self.search.table.bases)]

    def _by_events(self, bound: Fraction, order: Sequence[Composition]) -> tuple[Fraction | None, Dataset | None]:
        best: tuple[Fraction, Dataset | None] = Fraction(-1), None
        for one in self._worst(order, self._about(bound)):
            if best[0] > 0 and self._events(one).worst(Eps.of(best[0]), 4)[0].high <= bound:
                continue
            low = worst_epsilon(Reduction(self._events(one), "an event"), bound)[0]
            if low is None:
                return None, one
            best = max(best, (low, one), key=lambda found: found[0])
        return best

    def _worst(self, order: Sequence[Composition], eps: float) -> list[Dataset]:
        """The datasets that seem worst, of the first of these compositions."""
        values = {
            Dataset(counts, pair): self.search.of_all(pair, counts, eps)
            for counts in order[:FEW]
            for pair in self.search.table.pairs
        }
        best = sorted(values, key=lambda one: -values[one])[:FEW]
        return [one for one in best if values[one] >= NEAR * values[best[0]]]

    def _about(self, bound: Fraction) -> float:
        """An eps that the worst datasets may need, by a normal approximation."""
        low, high = 1e-9, LARGEST
        while high > low * 1.01:
            middle = (low * high) ** 0.5
            above = max(self.guessed(counts, middle)[0] for counts in self.starts) > log_of(bound)
            low, high = (middle, high) if above else (low, middle)
        return high

    @cached_property
    def _windowed(self) -> bool:
        """Whether a dataset's law is known by its cells."""
        guess = self.search.guess
        return guess is not None and guess.cells <= WINDOW_CELLS

    @cached_property
    def _rows(self) -> Rows:
        return Rows.of(self.randomizer, self.search.n)

    def _inputs(self, one: Dataset) -> tuple[str, str]:
        names = tuple(self.randomizer.rows)
        return names[one.pair[0]], names[one.pair[1]]

    def _events(self, one: Dataset) -> Blankets:
        if one not in self.seen:
            named = self.named(one)
            self.seen[one] = Blankets([Member(named.pair, named, named.pair)])  # type: ignore[arg-type]
        return self.seen[one]

    def named(self, one: Dataset) -> NamedPair:
        """The datasets as an answer names them, with their threshold events."""
        event, (source, target) = self.event(one), self._inputs(one)
        return NamedPair(event, source, target, self.search.table.others(one.counts), event.threshold)

    def event(self, one: Dataset) -> Event:
        """The datasets by their threshold events."""
        return self._rows.event(*self._inputs(one), self.search.table.others(one.counts))


def moved(counts: Composition, step: int) -> list[Composition]:
    """The compositions that so many users make who change from one class to another."""
    found = []
    for x, y in permutations(range(len(counts)), 2):
        if counts[x]:
            changed, by = list(counts), min(step, counts[x])
            changed[x] -= by
            changed[y] += by
            found.append(tuple(changed))
    return found


def spread_evenly(some: Sequence[int], most: int) -> list[int]:
    """At most so many, evenly, the first and the last among them."""
    if len(some) <= most:
        return list(some)
    return [some[i * (len(some) - 1) // (most - 1)] for i in range(most)]
