"""What a search over compositions of others knows: the worst real one, what boxes allow, what it has cost.

Best first: the box that allows most is cut in two, and a real composition near its middle is looked at. What real
compositions attain rises, what the boxes allow falls; both are true at any time, so a search that is stopped early
leaves a wider interval, never a wrong one. What was found for one eps serves the next: windows of powers of rows, and
boxes, which at a larger eps allow no more.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction

from verify.enclose.interval import Interval
from verify.exact.epsilon import Eps
from verify.reduce.composition_cover.words import allowed
from verify.reduce.compositions import Box, Composition, Ends, Line, Powers, Views
from verify.reduce.plane_cover.plane import Plane

TOLERANCE = Fraction(1, 1000)
FIRST_BITS, SPARE_BITS = 96, 64  # of windows; beyond those of a delta that is given
MAX_WORK = 30_000_000  # coefficients that are added or multiplied: about half a minute
Tick = Callable[[Fraction, Fraction | None], object]  # what is known so far: lower and upper end
Heap = list[tuple[Fraction, Box]]
Tree = tuple[str, int] | None  # a cut, or None for a box


@dataclass(frozen=True)
class Covered:
    """An interval [low, high] that holds the worst over all compositions; high None where none is known.

    `worst` and `pair` (indices of inputs) attain about the lower end. `boxes` cover all compositions, and every one of
    them keeps the upper end. `finished`: the ends are within the tolerance, or differ by rounding alone. `stopped`:
    by Ctrl-C; then it is not told which boxes cover.
    """

    low: Fraction
    high: Fraction | None
    worst: Composition | None
    pair: tuple[int, int] | None
    evaluations: int
    boxes: tuple[Box, ...]
    finished: bool
    stopped: bool = False

    def tree(self, line: Line | Plane, n: int) -> list[Tree]:
        """The cuts that lead from all compositions to the boxes, in preorder: [input, most] and, for a box, None.

        Those with at most `most` of the others in the class of the input come first (verify/CERTIFICATE.md, "a cover").
        """
        total, size, kept = n - 1, len(line.bases), set(self.boxes)
        stack, found = [Box.tight([0] * size, [total] * size, total)], list[Tree]()
        while stack:
            box = stack.pop()
            if box in kept:
                found.append(None)
                continue
            x, at, left, right = box.cut(total)
            found.append((line.inputs[line.classes.index(x)], at))
            stack += [right, left]
        return found

    @property
    def value(self) -> Interval:
        """The interval as an enclosure of delta: its upper end is 1 where none is known."""
        return Interval(self.low, Fraction(1) if self.high is None else self.high)


@dataclass
class Memory:
    """What questions about one table and one number of users leave for the next ones."""

    powers: dict[int, Powers] = field(default_factory=dict)  # by precision
    worst: Composition | None = None
    cover: "tuple[Eps, Heap] | None" = None  # boxes that cover all, with what they allow at this eps or a smaller one

    def of(self, line: Line, bits: int) -> Powers:
        """Windows at this precision; those of others are let go."""
        if bits not in self.powers:
            self.powers.clear()
            self.powers[bits] = Powers(line, bits)
        return self.powers[bits]

    def boxes(self, eps: Eps) -> "Heap":
        """A cover that holds at this eps: delta does not rise with eps."""
        if self.cover is None:
            return []
        before, heap = self.cover
        return list(heap) if before == eps or before.bounds(256)[1] <= eps.bounds(256)[0] else []


@dataclass
class Search:
    """Compositions that are looked at, with their cost, and the worst real one."""

    line: Line
    n: int
    bits: int
    max_work: int
    tick: Tick | None = None
    memory: Memory = field(default_factory=Memory)
    work: int = 0
    evaluations: int = 0
    high: Fraction | None = None
    best: tuple[Fraction, Composition | None, tuple[int, int] | None] = (Fraction(0), None, None)
    powers: Powers = field(init=False)

    def __post_init__(self) -> None:
        self.total, self.pairs = self.n - 1, self.line.pairs()
        self.powers = self.memory.of(self.line, self.bits)
        size = len(self.line.bases)
        self.root = Box.tight([0] * size, [self.total] * size, self.total)

    @property
    def low(self) -> Fraction:
        """A lower bound on the largest delta(eps): that of the worst dataset that was evaluated."""
        return self.best[0]

    @property
    def spent(self) -> bool:
        """Whether the work that is allowed has been done."""
        return self.work >= self.max_work

    def views(self, counts: Composition) -> Views:
        """What is seen with these others, its cost added to the work."""
        found = Views.of(self.powers, counts)
        self._count(len(found.sums[0]) * (len(self.pairs) + 8))
        return found

    def _count(self, work: int) -> None:
        self.evaluations += 1
        self.work += work * (1 + self.bits // 256)
        if self.tick is not None:
            self.tick(self.low, self.high)

    def allowed(self, box: Box, eps: Eps, about: Fraction | None = None) -> Fraction:
        """An upper bound on delta(eps) for every composition of the box; what a single one attains is kept too.

        It need not be closer than to a small part of `about`, what is attained unless given.
        """
        if not box.one:
            total = self.powers.others(box.lower)
            found = allowed(self.line, total, self.pairs, eps, self.low if about is None else about)
            if found is not None:
                self._count(len(total.low))
                return min(found, Fraction(1))
        ends = self.views(box.lower).ends(self.pairs, eps)
        if box.one and about is None:
            self.seen(ends, box.lower)
        return ends.high

    def seen(self, found: Ends, counts: Composition) -> None:
        """Keep the lower end of a real composition, if it is the largest."""
        self.attained(found.low, counts, found.pair)

    def first(self) -> list[Composition]:
        """The compositions to evaluate first: all others in one class, for every class, and all classes alike."""
        size = len(self.line.bases)
        alone = [tuple(self.total if i == x else 0 for i in range(size)) for x in range(size)]
        known = [self.memory.worst] if self.memory.worst else []
        return [*dict.fromkeys([*known, *alone, self.root.middle(self.total)])]

    def attained(self, value: Fraction, counts: Composition, pair: tuple[int, int]) -> None:
        """Keep what these others attain, if it is the largest."""
        if self.best[1] is None or value > self.low:
            self.best = value, counts, pair  # in one step: it may be stopped at any
            self.memory.worst = counts

    def sharpen(self) -> None:
        """Compute windows with twice the bits from now on."""
        self.bits *= 2
        self.powers = self.memory.of(self.line, self.bits)

    def result(self, boxes: tuple[Box, ...], finished: bool, stopped: bool = False) -> Covered:
        """What was found so far."""
        low, worst, pair = self.best
        return Covered(low, self.high, worst, pair, self.evaluations, boxes, finished, stopped)

    def stopped_by(self, stop: KeyboardInterrupt) -> Covered:
        """What is known at this moment. Whoever ends the process, or stops before anything is known, gets no answer."""
        if type(stop) is not KeyboardInterrupt or (self.best[1] is None and self.high is None):
            raise stop
        return self.result((), False, stopped=True)
