"""Which boxes cover all compositions, and which composition is the worst: guessed, and nothing proved.

As in verify/reduce/composition_cover: a box keeps what its corner keeps, real compositions raise what is looked for.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from verify.reduce.compositions import Box, Composition
from verify.reduce.plane_cover.guess import Guess

WIDTHS = (0.3, 0.03, 0.005)  # to which a cover is found before the tolerance
SHARE = 0.9  # of the tolerance, for the boxes: the rest is for rounding
SLACK, LEAST_SLACK = 1e-4, 1e-6  # relative, of delta: what exact arithmetic may find beyond a guess; of one composition
FINEST = 256  # of all others, the part that is moved at least when the worst composition is looked for
MOST_EPS = 20.0  # beyond which floats tell nothing
TAIL = 1e-5  # of delta: of fewer users who send what is common than are counted on
BITS = 48  # of what is guessed


@dataclass
class Hunt:
    """What floats find about n users: `best` is the largest value that a real composition attains, `worst` that one.

    The value is what `kind` says: "delta" at eps = `number`, or "epsilon" at delta = `number`.
    """

    guess: Guess
    size: int  # classes
    total: int  # others
    kind: str
    number: float
    most: int  # compositions to look at
    tick: Callable[[], object]
    enough: float = 0.0  # for a delta: boxes may allow this in any case
    best: float = 0.0
    worst: Composition | None = None
    looks: int = 0
    width: float = 0.0  # that the last cover was found for
    known: dict[Composition, Any] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        guess: Guess,
        size: int,
        total: int,
        kind: str,
        number: Fraction,
        most: int,
        tick: Callable[[], object],
        enough: Fraction,
    ) -> "Hunt":
        """The same, for exact numbers."""
        return cls(guess, size, total, kind, float(number), most, tick, float(enough))

    @property
    def finite(self) -> bool:
        """Whether what was found is in the range of floats."""
        return 0 < self.best < (MOST_EPS if self.kind == "epsilon" else 1.0)

    def views(self, counts: Composition) -> list[Any]:
        """The views of these others; the last ones are kept."""
        if counts not in self.known:
            while len(self.known) > 1:
                del self.known[next(iter(self.known))]
            self.looks += 1
            self.tick()
            self.known[counts] = self.guess.views(counts)
        return self.known[counts]  # type: ignore[no-any-return]

    def corner(self, box: Box) -> Composition:
        """What dominates a box: the users of its lower corner, and of the others so many who send what is common."""
        if not self.guess.alike:
            return box.lower
        delta = self.number if self.kind == "epsilon" else max(self.best, self.enough)
        return (*box.lower, self.guess.draws(self.total - sum(box.lower), TAIL * delta))

    def real(self, counts: Composition) -> bool:
        """Look at a real composition: whether it is the worst so far."""
        kind, number = self.kind, self.number
        views = self.views(counts)
        if kind == "delta":
            value = self.guess.delta(views, number)
        else:
            value = self.guess.epsilon(views, number, self.best, MOST_EPS)
        if self.worst is None or value > self.best:
            self.best, self.worst = value, counts
            return True
        return False

    def keeps(self, counts: Composition, width: float, slack: float) -> bool:
        """Whether these others allow no more than a little above the worst, less some slack."""
        kind, number = self.kind, self.number
        views, high = self.views(counts), self.best * (1 + width)
        if kind == "delta":
            return self.guess.delta(views, number) <= max(high, self.enough) * (1 - slack)
        return self.guess.delta(views, high) <= number * (1 - slack)

    def climb(self) -> None:
        """The worst of real compositions: from all in one class, and from the middle, by ever smaller steps."""
        whole = Box.tight([0] * self.size, [self.total] * self.size, self.total)
        for x in range(self.size):
            self.real(tuple(self.total if k == x else 0 for k in range(self.size)))
        self.real(whole.middle(self.total))
        step = self.total // 4
        while step and step * FINEST >= self.total:
            if not any(self.real(near) for near in self._near(step)):
                step //= 2

    def _near(self, step: int) -> list[Composition]:
        found = []
        assert self.worst is not None
        for x in range(self.size):
            for y in range(self.size):
                moved = list(self.worst)
                some = min(step, moved[x])
                moved[x] -= some
                moved[y] += some
                if x != y and some:
                    found.append(tuple(moved))
        return found

    def attained(self, digits: int) -> Fraction:
        """A number below the value of the worst composition, by one part in 10^digits."""
        return Fraction(self.best * (1 - 10.0**-digits)).limit_denominator(1 << BITS)

    def allowed(self) -> Fraction:
        """The number that the last cover keeps."""
        return Fraction(self.best * (1 + self.width)).limit_denominator(1 << BITS)

    def cover(self, tolerance: Fraction, most_boxes: int) -> list[Box]:
        """Boxes that cover all and keep `best` to this relative tolerance, or the least of WIDTHS in their place.

        None at all where even the first of them takes too many boxes, or too much work; `width` says which it was.
        """
        found, boxes = list[Box](), [Box.tight([0] * self.size, [self.total] * self.size, self.total)]
        least = float(tolerance) * SHARE
        for width in (*(w for w in WIDTHS if w > least), least):
            kept = self._cover(boxes, width, most_boxes)
            if kept is None:
                break
            found, boxes, self.width = kept, kept, width
        return found

    def _cover(self, boxes: list[Box], width: float, most_boxes: int) -> list[Box] | None:
        stack, kept = list(boxes), list[Box]()
        while stack:
            box = stack.pop()
            if self.looks > self.most or len(kept) > most_boxes:
                return None
            if self.keeps(self.corner(box), width, LEAST_SLACK if box.one else SLACK):
                kept.append(box)
            elif not box.one:
                stack += box.cut(self.total)[2:]
            elif self.real(box.lower):
                stack.append(box)
            else:
                return None
        return kept
