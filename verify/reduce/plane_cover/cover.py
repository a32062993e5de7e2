"""The worst over all compositions, in the plane: floats guess the boxes and the worst composition, integers decide.

The lemma is that of verify/reduce/compositions.py, which does not need a line: a box of compositions is dominated by
its lower corner l. More is known of the k users whom l leaves out. Let g(y) be the least weight of y in the rows of all
classes, each moved as its class is, and w the sum of all g(y).

Lemma (what is common). For every composition of the box delta is at most D(l, m) + Pr[N < m], where N ~ Bin(k, w), any
m, and D(l, m) is the delta of l with m more users who send by g/w. Proof. Each of the k users, whatever his input,
sends by g/w with probability w, else by what his row has more. N is how many do the former. Who sees N and the total of
l, of the user who changes and of N draws from g/w can add the rest for a random choice of k - N of the k users, and has
the view: delta is at most the mean of D(l, N). And D(l, N) <= D(l, m) for N >= m: draws can be added.

Guesses (`search`) are made of floats; every corner of the boxes that are left, and the composition
that looks worst, is then evaluated by windows of integers (`windows`), and only what these show is in an answer.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from flint import arb

from verify.exact.ball import ball, dyadic, precision
from verify.exact.epsilon import Eps
from verify.reduce.composition_cover.search import Covered, Tick
from verify.reduce.compositions import Box, Composition
from verify.reduce.plane_cover.guess import Guess, grid
from verify.reduce.plane_cover.plane import Plane
from verify.reduce.plane_cover.search import Hunt
from verify.reduce.plane_cover.windows import Sums, Views

SPARE_BITS, LEAST = 36, Fraction(1, 10**11)  # beyond those of a delta; the least delta that is guessed
BOX_WORK, LOOK_WORK = 200_000, 30_000  # of the work that is allowed, for each box and each look of a guess
ROUNDS = 4  # in which boxes that a guess misjudged are cut


@dataclass
class Search:
    """What is proved so far of n users of a randomizer in the plane."""

    plane: Plane
    n: int
    tolerance: Fraction
    max_work: int
    tick: Tick | None = None
    drawn: bool = True  # whether corners have users who send what is common; a certificate has none
    low: Fraction = Fraction(0)
    high: Fraction | None = None
    worst: tuple[Composition | None, tuple[int, int] | None] = (None, None)
    evaluations: int = 0
    boxes: list[Box] = field(default_factory=list)

    def hunt(self, kind: str, number: Fraction, enough: Fraction = Fraction(0)) -> Hunt | None:
        """Guesses for this question; None where the grid is too large, or two numbers say too little."""
        shape, size = grid(self.plane, self.n), len(self.plane.bases)
        if shape is None or max(number if kind == "epsilon" else LEAST, enough) < LEAST or not self.plane.pairs():
            return None
        looks = self.max_work // LOOK_WORK
        guess = Guess(self.plane, shape, self.drawn)
        return Hunt.of(guess, size, self.n - 1, kind, number, looks, self._tell, enough)

    def sums(self, delta: Fraction) -> Sums:
        """Windows fine enough for a delta of about this size."""
        bits = max(0, delta.denominator.bit_length() - delta.numerator.bit_length()) + SPARE_BITS
        return Sums(self.plane, self.n, -(-bits // 8))

    def attained(self, sums: Sums, counts: Composition, eps: Eps) -> Fraction:
        """What this composition shows that delta(eps) is, at least."""
        low, _, pair = self._ends(sums, [counts], eps)[0]
        self.worst = counts, pair
        return low

    def allowed(self, hunt: Hunt, sums: Sums, boxes: list[Box], eps: Eps, most: Fraction) -> Fraction:
        """What the boxes allow delta(eps) to be, the most; those that allow more than `most` are cut."""
        high, self.boxes = Fraction(0), []
        for _ in range(ROUNDS):
            corners = [hunt.corner(box) for box in boxes]
            ends = dict(zip(corners, self._ends(sums, corners, eps), strict=True))
            known = {
                box: min(ends[corner][1] + self.fewer(sum(box.lower), corner), Fraction(1))
                for box, corner in zip(boxes, corners, strict=True)
            }
            over = [box for box in boxes if known[box] > most and not box.one]
            kept = [box for box in boxes if known[box] <= most or box.one]
            high = max([high, *(known[box] for box in kept)])
            self.boxes += kept
            if not over:
                return high
            boxes = [part for box in over for part in box.cut(self.n - 1)[2:]]
        self.boxes += boxes
        return Fraction(1)

    def fewer(self, users: int, corner: Composition) -> Fraction:
        """An upper bound on Pr[N < m], of the lemma: Chernoff's."""
        draws, left, part = sum(corner) - users, self.n - 1 - users, self.plane.alike()
        if draws == 0 or part == 1:
            return Fraction(0)
        rate = Fraction(draws - 1, left)
        if rate >= part:
            return Fraction(1)
        with precision(128):
            bound = ball((1 - part) / (1 - rate)) ** (left - draws + 1)
            bound *= ball(part / rate) ** (draws - 1) if rate else arb(1)
            return min(dyadic(bound.upper()), Fraction(1))

    def _ends(
        self, sums: Sums, wanted: list[Composition], eps: Eps
    ) -> list[tuple[Fraction, Fraction, tuple[int, int]]]:
        found = {}
        size = len(self.plane.laws)
        full = {(*counts, 0)[:size] if len(counts) < size else counts: counts for counts in wanted}
        for counts, law in sums.each(list(full)):
            found[full[counts]] = Views(self.plane, law).ends(self.plane.pairs(), eps)
            self.evaluations += 1
            self._tell()
        return [found[counts] for counts in wanted]

    def _tell(self) -> None:
        if self.tick is not None:
            self.tick(self.low, self.high)

    def covered(self, finished: bool, stopped: bool = False) -> Covered:
        """What is known."""
        boxes = tuple(self.boxes) if self.high is not None else ()
        return Covered(self.low, self.high, *self.worst, self.evaluations, boxes, finished, stopped)

    def until_stopped(self, closed_in: Callable[[], bool]) -> Covered:
        """What is found by a function that says whether it came to an end; or what was known when Ctrl-C came."""
        try:
            return self.covered(closed_in())
        except KeyboardInterrupt as stop:
            if type(stop) is not KeyboardInterrupt or self.worst[0] is None:
                raise
            return self.covered(False, stopped=True)


def largest_delta(search: Search, eps: Eps, enough: Fraction) -> Covered:
    """The largest delta(eps) over all datasets, both directions, to the relative tolerance where that is reached."""

    def closed_in() -> bool:
        if not search.plane.pairs() or search.plane.keeps(eps):
            search.high, search.boxes = Fraction(0), [_all(search)]
            return True
        hunt = search.hunt("delta", Fraction(eps.enclosure(17)[0]), enough)
        if hunt is None:
            return False
        hunt.climb()
        least = max(Fraction(hunt.best), enough)
        if least < LEAST:
            return False
        sums = search.sums(least)
        assert hunt.worst is not None
        search.low = search.attained(sums, hunt.worst, eps)
        boxes = hunt.cover(search.tolerance, search.max_work // BOX_WORK)
        if not boxes:
            return False
        if hunt.worst != search.worst[0]:
            search.low = max(search.low, search.attained(sums, hunt.worst, eps))
        most = max(search.low * (1 + search.tolerance), enough)
        search.high = max(search.allowed(hunt, sums, boxes, eps, most), search.low)
        return search.high <= most

    return search.until_stopped(closed_in)


def smallest_epsilon(search: Search, bound: Fraction) -> Covered:
    """The smallest eps with delta(eps) <= bound for all datasets, as `composition_cover.epsilon` has it; bound > 0."""

    def raise_to(sums: Sums, hunt: Hunt) -> None:
        assert hunt.worst is not None
        for less in (5, 4, 3, 2):
            least = hunt.attained(less)
            if least > search.low and search.attained(sums, hunt.worst, Eps.of(least)) > bound:
                search.low = least
                return

    def closed_in() -> bool:
        hunt = search.hunt("epsilon", bound)
        if hunt is None:
            return False
        hunt.climb()
        sums = search.sums(bound)
        if not hunt.finite:
            return False
        raise_to(sums, hunt)
        boxes = hunt.cover(search.tolerance, search.max_work // BOX_WORK)
        if not boxes:
            return False
        raise_to(sums, hunt)
        target = hunt.allowed()
        if search.allowed(hunt, sums, boxes, Eps.of(target), bound) > bound:
            return False
        search.high = target
        return target <= search.low * (1 + search.tolerance)

    return search.until_stopped(closed_in)


def _all(search: Search) -> Box:
    size = len(search.plane.bases)
    return Box.tight([0] * size, [search.n - 1] * size, search.n - 1)
