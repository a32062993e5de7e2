"""A randomizer as points of a lattice: what the search over compositions of the other users looks at.

What is seen of a user is a multiset of messages, a point of Z^k. Those coordinates that follow from others are left
out, and where few remain a basis is chosen in which they hardly depend on each other, so that sums of many users'
points fill a small box.

Three reductions leave the worst over all neighbouring datasets as it is.

Classes. Inputs whose rows differ by a shift are one class: among the others they move what is seen by a known amount.

Sufficient outputs. Where a user sends at most one message, messages whose columns are proportional are one message:
from the merged message the original one can be drawn, whatever the input, and the other way round it is forgotten.

Extreme rows. D(P, Q) = sum max(P - t Q, 0) is jointly convex and homogeneous. If a class's law is a mixture of other
classes' laws, each moved by a known amount, then a dataset in which one of the others is in this class is a mixture of
datasets in which this user is in one of the others, moved by known amounts: its divergence is at most the largest of
theirs. So others need not be in it. If a row is a mixture of other rows, not moved, no user who changes need be on it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

from flint import fmpq, fmpq_mat, fmpz_mat

from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.neighbours import changes
from shufflecert.verify.exact.randomizer import Law, Messages, Randomizer
from shufflecert.verify.exact.rational import rational
from shufflecert.verify.exact.views import View, common_of, symmetries, view_of, without
from shufflecert.verify.runs.later import Later

np: Any = Later("numpy")
optimize: Any = Later("scipy.optimize")
Point = tuple[int, ...]
Composition = tuple[int, ...]
Pair = tuple[int, int]
Row = Mapping[Point, int]
FLAT = 3  # coordinates, up to which a basis is chosen
MOST_MIXED = 40_000  # weights of a linear program that looks for a mixture
MANY_OUTPUTS = 5000  # of all rows, beyond which no mixtures are looked for


@dataclass(frozen=True)
class Table:
    """Rows as laws on Z^d: rows[x] is {point: weight}, over `unit`; no coordinate is below 0.

    The first `held` inputs may be held by the others, a last one only by the user who changes (absent, or the
    reference). `classes[x]` is the class of input x, None where the others need not hold it; `bases[k]` is the law of
    class k, and `offsets[x]` what is to be added to its points to give rows[x]. `pairs` are the ordered pairs of
    inputs that the user who changes may need to be on; any other pair's divergence is at most that of one of these.
    Of `swaps`, any two inputs of one can be exchanged by a symmetry that leaves all other inputs where they are.
    """

    inputs: tuple[str, ...]
    rows: tuple[Row, ...]
    unit: int
    classes: tuple[int | None, ...]
    bases: tuple[Row, ...]
    offsets: tuple[Point, ...]
    pairs: tuple[tuple[int, int], ...]
    swaps: tuple[tuple[int, ...], ...] = ()

    @classmethod
    def of(cls, randomizer: Randomizer, reduced: bool = True) -> "Table":
        """The table of a randomizer; without the reductions of outputs and rows unless `reduced`."""
        view = view_of(merged(randomizer) if reduced else randomizer)
        held, known = view.held, sure_of(view)
        vectors = [{_counts(view, sent): weight for sent, weight in row.items()} for row in view.rows]
        cleared = [
            {_counts(view, sent): weight for sent, weight in without(row, known[x]).items()}
            for x, row in enumerate(view.rows[:held])
        ]
        lattice = _Lattice.of([*vectors, *cleared])
        rows = lattice.moved(vectors)
        firsts, classes = list[Row](), list[int | None]()
        for law in cleared:
            if law not in firsts:
                firsts.append(law)
            classes.append(firsts.index(law))
        bases = lattice.moved(firsts)
        pairs, swaps = list(changes(view)), list[tuple[int, ...]]()
        if reduced and sum(map(len, rows)) <= MANY_OUTPUTS:
            spare = mixtures(bases, view.denominator, shifts=True)
            kept = [k for k in range(len(bases)) if k not in spare]
            classes = [None if k in spare else kept.index(k or 0) for k in classes]
            bases = [bases[k] for k in kept]
            spare = mixtures(rows, view.denominator, shifts=False)
            pairs = [(a, b) for a, b in pairs if a not in spare and b not in spare] or pairs
        if reduced:
            moves = [symmetry.inputs for symmetry in symmetries(view)]
            pairs, swaps = _orbits(pairs, moves), _swaps(moves)
        classes += [None] * (len(rows) - held)
        nowhere = (0,) * lattice.rank
        offsets = [nowhere if k is None else _corner(rows[x], bases[k]) for x, k in enumerate(classes)]
        low = tuple(min(0, *(offset[i] for offset in offsets)) for i in range(lattice.rank))
        up = tuple(-least for least in low)
        rows = [{_plus(point, up): weight for point, weight in row.items()} for row in rows]
        offsets = [_plus(offset, up) for offset in offsets]
        pairs = [(a, b) for a, b in pairs if rows[a] != rows[b]]
        given = view.inputs, tuple(rows), view.denominator, tuple(classes), tuple(bases), tuple(offsets), tuple(pairs)
        return cls(*given, tuple(swaps))

    @property
    def rank(self) -> int:
        """The number of coordinates."""
        return len(next(iter(self.rows[0])))

    @property
    def firsts(self) -> tuple[int, ...]:
        """For each class, its first input."""
        return tuple(self.classes.index(k) for k in range(len(self.bases)))

    def exchanged(self, pair: tuple[int, int]) -> list[list[int]]:
        """Classes of the others of which any two can be exchanged without a change of the pair's divergence."""
        found = ([self.classes[x] for x in some if x not in pair] for some in self.swaps)
        return [kept for some in found if len(kept := [k for k in dict.fromkeys(some) if k is not None]) > 1]

    @cached_property
    def common(self) -> Row:
        """What users of all classes send alike: the least weight of each point of their laws, over `unit`."""
        least = {point: min(base.get(point, 0) for base in self.bases) for point in self.bases[0]}
        return {point: weight for point, weight in least.items() if weight}

    @cached_property
    def alike(self) -> Fraction:
        """The probability of what is common."""
        return Fraction(sum(self.common.values()), self.unit)

    @cached_property
    def points(self) -> tuple[Point, ...]:
        """What users may send, in the rows or by the classes' laws, moved to where the rows have them."""
        moved = {_plus(point, by) for by in set(self.offsets) for base in self.bases for point in base}
        return tuple(sorted(moved.union(*self.rows)))

    @cached_property
    def alone(self) -> bool:
        """Whether every user sends one output of some, so that what is seen is how often each was sent."""
        return not any(map(any, self.offsets)) and all(sum(point) <= 1 for point in self.points)

    @property
    def reach(self) -> Point:
        """The largest coordinates of all rows and laws."""
        laws = (*self.rows, *self.bases)
        return tuple(max(point[i] for law in laws for point in law) for i in range(self.rank))

    def keeps(self, eps: Eps) -> bool:
        """Whether one user alone, unshuffled, satisfies (eps, 0): then so does everybody."""
        least, _ = eps.bounds(256)
        return all(p <= least * self.rows[b].get(point, 0) for a, b in self.pairs for point, p in self.rows[a].items())

    def composition(self, others: Mapping[str, int]) -> Point | None:
        """How many of these others are in each class; None where one is in a class that is not needed."""
        counts = [0] * len(self.bases)
        for z, count in others.items():
            k = self.classes[self.inputs.index(z)]
            if k is None:
                return None
            counts[k] += count
        return tuple(counts)

    def others(self, counts: Sequence[int]) -> dict[str, int]:
        """These numbers of others of each class, as {input: count}."""
        return {self.inputs[x]: count for x, count in zip(self.firsts, counts, strict=True) if count}


def merged(randomizer: Randomizer) -> Randomizer:
    """The randomizer with messages of proportional columns as one, where no user sends more than one message."""
    laws = {x: dict(law.weights) for x, law in randomizer.rows.items()}
    if any(len(sent) > 1 for law in laws.values() for sent in law):
        return randomizer
    scales = {x: Fraction(1, int(law.denominator)) for x, law in randomizer.rows.items()}
    groups: dict[object, list[Messages]] = {}
    for sent in dict.fromkeys(sent for law in laws.values() for sent in law):
        column = [int(law.get(sent, 0)) * scales[x] for x, law in laws.items()]
        whole = sum(column, Fraction(0))
        groups.setdefault((bool(sent), tuple(c / whole for c in column)), []).append(sent)
    if all(len(group) == 1 for group in groups.values()):
        return randomizer
    rows = {
        x: Law.of(
            {group[0]: w * scales[x] for group in groups.values() if (w := sum(int(law.get(s, 0)) for s in group))}
        )
        for x, law in laws.items()
    }
    return Randomizer(rows)


def mixtures(laws: Sequence[Row], unit: int, shifts: bool) -> dict[int, dict[tuple[int, Point], Fraction]]:
    """Which laws are mixtures of those that are not: {law: {(other law, its shift): weight}}, each checked exactly."""
    kept, found = list(range(len(laws))), dict[int, dict[tuple[int, Point], Fraction]]()
    rank = len(next(iter(laws[0])))
    for x in reversed(range(len(laws))):
        target, columns = laws[x], list[tuple[int, Point]]()
        for j in kept:
            if j != x:
                columns += [(j, s) for s in (_shifts(laws[j], target) if shifts else [(0,) * rank])]
        columns = [(j, s) for j, s in columns if all(_plus(p, s) in target for p in laws[j])]
        if len(columns) < 2 or len(columns) * len(target) > MOST_MIXED:  # one other law is not the same
            continue
        weights = _mixture([{_plus(p, s): w for p, w in laws[j].items()} for j, s in columns], target, unit)
        if weights is not None:
            found[x] = {columns[i]: weight for i, weight in weights.items()}
            kept.remove(x)
    return found


def _mixture(laws: Sequence[Row], target: Row, unit: int) -> dict[int, Fraction] | None:
    """Weights >= 0 with sum of weight * law = target, exactly, or None; a linear program in floats tells which laws."""
    points = list(target)
    table = np.array([[law.get(p, 0) / unit for law in laws] for p in points])
    right = np.array([target[p] / unit for p in points])
    scale = right.max()
    guess = optimize.linprog(
        np.zeros(len(laws)), A_eq=table / scale, b_eq=right / scale, bounds=(0, None), method="highs-ds"
    )
    if guess.status != 0:
        return None
    some = [i for i, weight in enumerate(guess.x) if weight > 1e-9]
    matrix = fmpq_mat([[fmpq(laws[i].get(p, 0)) for i in some] + [fmpq(target[p])] for p in points])
    echelon, rank = matrix.rref()
    if rank != len(some) or any(echelon[r, r] != 1 for r in range(rank)):
        return None  # dependent, or no solution
    weights = [rational(echelon[r, len(some)]) for r in range(rank)]
    if any(weight < 0 for weight in weights):
        return None
    mixed = {p: sum((w * laws[i].get(p, 0) for i, w in zip(some, weights, strict=True)), Fraction(0)) for p in points}
    return dict(zip(some, weights, strict=True)) if all(mixed[p] == target[p] for p in points) else None


def _shifts(law: Row, target: Row) -> list[Point]:
    first = next(iter(law))
    return [tuple(b - a for a, b in zip(first, point, strict=True)) for point in target]


def _plus(point: Point, by: Point) -> Point:
    return tuple(a + b for a, b in zip(point, by, strict=True))


def _corner(row: Row, base: Row) -> Point:
    """What is to be added to the points of the base to give those of the row."""
    return tuple(min(p[i] for p in row) - min(p[i] for p in base) for i in range(len(next(iter(row)))))


def _counts(view: View, multiset: Sequence[tuple[int, int]]) -> Point:
    number = dict(multiset)
    return tuple(number.get(i, 0) for i in view.kept) or (0,)


def sure_of(view: View) -> list[dict[int, int]]:
    """For each input that others may hold, the messages that it sends for certain, as {index of message: count}.

    Where the count of a message follows from the counts of others, its certain count is lowered, if it can be, so that
    what is left of it follows from what is left of them by one function for all inputs: classes have more in common.
    """
    lows = [dict(common_of(row)) for row in view.rows[: view.held]]
    for i, (constant, slopes) in view.implied.items():
        least = [constant + sum(slope * low.get(j, 0) for j, slope in slopes.items()) for low in lows]
        left = max(value - low.get(i, 0) for value, low in zip(least, lows, strict=True))
        moved = [value - left for value in least]
        if all(m.denominator == 1 and 0 <= m <= low.get(i, 0) for m, low in zip(moved, lows, strict=True)):
            lows = [{**low, i: int(m)} for m, low in zip(moved, lows, strict=True)]
    return lows


@dataclass(frozen=True)
class _Lattice:
    """Coordinates of the lattice that the differences of some points span; `at` maps each point."""

    at: Mapping[Point, Point]
    rank: int

    @classmethod
    def of(cls, laws: Sequence[Mapping[Point, int]]) -> "_Lattice":
        points = sorted({point for law in laws for point in law})
        size = len(points[0])
        if size > FLAT:
            return cls({point: point for point in points}, size)
        steps = [[a - b for a, b in zip(point, points[0], strict=True)] for point in points]
        basis = [row for row in fmpz_mat(steps).hnf().tolist() if any(row)]
        if not basis:
            return cls(dict.fromkeys(points, (0,)), 1)
        found = {}
        for point, step in zip(points, steps, strict=True):
            left, coordinates = list(map(int, step)), []
            for row in basis:  # upper triangular: each row's first entry decides
                i = next(i for i, entry in enumerate(row) if entry)
                times = left[i] // int(row[i])
                left = [a - times * int(b) for a, b in zip(left, row, strict=True)]
                coordinates.append(times)
            assert not any(left)
            found[point] = tuple(coordinates)
        return cls(_round(found, laws), len(basis))

    def moved(self, laws: Sequence[Mapping[Point, int]]) -> list[Row]:
        """The laws in these coordinates, all moved alike so that no coordinate is below 0."""
        placed = [{self.at[point]: weight for point, weight in law.items()} for law in laws]
        least = tuple(min(point[i] for law in placed for point in law) for i in range(self.rank))
        back = tuple(-low for low in least)
        return [{_plus(point, back): weight for point, weight in sorted(law.items())} for law in placed]


def _round(at: dict[Point, Point], laws: Sequence[Mapping[Point, int]]) -> dict[Point, Point]:
    """Take from each coordinate the whole multiple of another that makes its variance least, while that helps."""
    rank = len(next(iter(at.values())))

    def covariance(i: int, j: int) -> Fraction:
        total = Fraction(0)
        for law in laws:
            whole = sum(law.values())
            means = [Fraction(sum(at[p][k] * w for p, w in law.items()), whole) for k in (i, j)]
            total += Fraction(sum(at[p][i] * at[p][j] * w for p, w in law.items()), whole) - means[0] * means[1]
        return total

    changed = True
    while changed:
        changed = False
        for i, j in _ordered(rank):
            if (variance := covariance(i, i)) and (times := round(covariance(i, j) / variance)):
                before, after = covariance(j, j), covariance(j, j) - 2 * times * covariance(i, j) + times**2 * variance
                if after < before:
                    at = {p: tuple(c - times * q[i] if k == j else c for k, c in enumerate(q)) for p, q in at.items()}
                    changed = True
    return at


def _orbits(pairs: Sequence[tuple[int, int]], moves: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """The first of these pairs of each orbit under the group that the permutations generate."""
    kept, seen = list[tuple[int, int]](), set[tuple[int, int]]()
    for pair in pairs:
        if pair in seen:
            continue
        kept.append(pair)
        stack = [pair]
        while stack:
            a, b = stack.pop()
            if (a, b) not in seen:
                seen.add((a, b))
                stack += [(move[a], move[b]) for move in moves]
    return kept


def _swaps(moves: Sequence[Sequence[int]]) -> list[tuple[int, ...]]:
    """The inputs that those of these permutations connect which exchange two inputs only."""
    connected = list[set[int]]()
    for move in moves:
        if len(two := {x for x, y in enumerate(move) if x != y}) == 2:
            apart = [some for some in connected if not some & two]
            connected = [*apart, two.union(*(some for some in connected if some & two))]
    return [tuple(sorted(some)) for some in connected]


def _ordered(rank: int) -> Iterator[tuple[int, int]]:
    return ((i, j) for i in range(rank) for j in range(rank) if i != j)


# Compositions of the others ------------------------------------------------------------------------------------------


class Box(NamedTuple):
    """All compositions c of `total` others with lower <= c <= upper, its ends as close as they can be."""

    lower: Composition
    upper: Composition

    @classmethod
    def tight(cls, lower: Sequence[int], upper: Sequence[int], total: int) -> "Box":
        """The box of all compositions of `total` others between two tuples."""
        for _ in range(2):
            least, most = sum(lower), sum(upper)
            lower = [max(lo, total - most + up) for lo, up in zip(lower, upper, strict=True)]
            upper = [min(up, total - least + lo) for lo, up in zip(lower, upper, strict=True)]
        return cls(tuple(lower), tuple(upper))

    @property
    def one(self) -> bool:
        """Whether it holds a single composition."""
        return self.lower == self.upper

    def parts(self, x: int, most: int, total: int) -> "tuple[Box, Box]":
        """The compositions with at most so many others in class x, and those with more."""
        left, right = list(self.upper), list(self.lower)
        left[x], right[x] = most, most + 1
        return Box.tight(self.lower, left, total), Box.tight(right, self.upper, total)

    def falling(self, exchanged: "Sequence[Sequence[int]]", total: int) -> "Box | None":
        """The compositions that do not rise along any of these lists of classes; None where there are none."""
        lower, upper = list(self.lower), list(self.upper)
        for classes in exchanged:
            for x, y in pairwise(classes):
                upper[y] = min(upper[y], upper[x])
            for y, x in pairwise(reversed(classes)):
                lower[x] = max(lower[x], lower[y])
        if sum(lower) > total or sum(upper) < total or any(up < low for low, up in zip(lower, upper, strict=True)):
            return None
        return Box.tight(lower, upper, total)

    def middle(self, total: int) -> Composition:
        """A composition near the box's middle."""
        chosen, left = list(self.lower), total - sum(self.lower)
        rooms = [up - lo for lo, up in zip(self.lower, self.upper, strict=True)]
        whole = sum(rooms) or 1
        for x, room in enumerate(rooms):
            chosen[x] += left * room // whole
        missing = total - sum(chosen)
        for x, up in enumerate(self.upper):
            step = min(missing, up - chosen[x])
            chosen[x] += step
            missing -= step
        return tuple(chosen)


def round_number(low: int, high: int) -> int:
    """A number m, low <= m < high, in the middle half, so that m + 1 has few binary digits: its powers are shared."""
    quarter = max(1, (high - low) // 4)
    unit = 1 << max(0, quarter.bit_length() - 1)
    middle = (low + high) // 2 + 1
    at = (middle + unit // 2) // unit * unit
    return at - 1 if low < at <= high else middle - 1
