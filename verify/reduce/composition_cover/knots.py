"""Guesses in floats for many eps at once: boxes that cover all, close at some of the eps, the knots. Nothing is proved.

`verify.reduce.composition_cover.curve` evaluates the boxes' corners, and the compositions that look worst, exactly.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from verify.reduce.composition_cover.guess import HAIR, LARGEST, Guess
from verify.reduce.compositions import Box, Composition, Line

MOST = 5  # knots
LEAST, FAINT = 1e-9, 2e-12  # delta, beyond its limit, at the last knot; where a curve ends
WIDTHS = (0.3, 0.03, 0.003)  # relative, of delta, to which covers are guessed before the tolerance
SHARE = 0.9  # of the tolerance, for the boxes: the rest is for rounding
ROUNDS, HALVINGS = 4, 12  # of a search for the end of a curve
NEAR, FLAT = 1e-8, 0.125  # an eps at which no curve ends, but one that is flat; where that one ends
FALL = 1e-3  # relative, from one eps to its double


@dataclass
class Knots:
    """Some eps, rising; `best` is about the largest delta at each, and `worst` are compositions that attain these."""

    guess: Guess
    eps: list[float]
    best: list[float]
    worst: list[Composition]
    last: float = 0.0  # eps at which the curve ends

    @classmethod
    def of(cls, line: Line, n: int, starts: Sequence[Composition], eps: Sequence[Fraction] = ()) -> "Knots | None":
        """Knots among these rising eps, or where delta is more than its limit.

        None where floats or memory are too small, or delta at all of the eps.
        """
        guess = Guess.of(line, n, Fraction(1, 2))
        if guess is None:
            return None
        worst = [guess.uphill(starts, eps[0] if eps else Fraction(0))]
        if eps:
            views = guess.views(worst[0])
            large = [float(at) for at in eps if at < LARGEST and guess.largest(views, float(at)) > LEAST]
            if not large:
                return None
            chosen, last = _spread(large, MOST), float(eps[-1])
        else:
            knot = 0.0
            for _ in range(ROUNDS):
                before, knot = knot, _end(guess, worst, LEAST)
                if knot <= before * (1 + HAIR):
                    break
                worst.append(guess.uphill([*starts, *worst], Fraction(knot)))
            chosen, last = [knot * i / (MOST - 1) for i in range(MOST)], _end(guess, worst, FAINT)
            if max(guess.delta(counts, 0.0) for counts in worst) < LEAST:
                return None
            last = max(last, FLAT if last < NEAR else 0.0)
        worst += [guess.uphill([*starts, *worst], Fraction(at)) for at in chosen]
        worst = list(dict.fromkeys(worst))
        views = [guess.views(counts) for counts in worst]
        return cls(guess, chosen, [max(guess.largest(v, at) for v in views) for at in chosen], worst, last)

    def cover(self, tolerance: Fraction, most: int) -> list[Box]:
        """Boxes that cover all, as close as `tolerance` if these are not more than `most`; none where all are."""
        size, total, least = len(self.worst[0]), self.guess.total, float(tolerance) * SHARE
        boxes, found = [Box.tight([0] * size, [total] * size, total)], list[Box]()
        for width in (*(w for w in WIDTHS if w > least), least):
            kept = self._cover(boxes, width, most)
            if kept is None:
                break
            found = boxes = kept
        return found

    def _cover(self, boxes: Sequence[Box], width: float, most: int) -> list[Box] | None:
        stack, kept, order = list(boxes), list[Box](), list(range(len(self.eps)))
        while stack:
            if len(stack) + len(kept) > most:
                return None
            box = stack.pop()
            views = self.guess.views(box.lower)
            over = next((i for i in order if self._over(views, i, width)), None)
            if over is None:
                kept.append(box)
                continue
            order.remove(over)
            order.insert(0, over)
            if box.one:
                self.best = [
                    max(best, self.guess.largest(views, at)) for best, at in zip(self.best, self.eps, strict=True)
                ]
                self.worst.append(box.lower)
                kept.append(box)
            else:
                stack += box.cut(self.guess.total)[2:]
        return kept

    def _over(self, views: object, i: int, width: float) -> bool:
        return self.guess.largest(views, self.eps[i]) > self.best[i] * (1 + width) * (1 - HAIR)


def _end(guess: Guess, worst: Sequence[Composition], small: float) -> float:
    """About the eps from which on these compositions have a delta of no more than `small`, or as small as it gets.

    A curve that hardly falls from one eps to its double stays there, as it is convex; what floats lose rises with eps.
    """
    views = [guess.views(counts) for counts in worst]

    def falls(eps: float) -> bool:
        known = ((guess.largest(one, eps), guess.largest(one, 2 * eps)) for one in views)
        return any(here > small and here - later > FALL * here for here, later in known)

    low, high = LARGEST / 2, LARGEST
    while not falls(low):
        low, high = low / 2, low
        if high < NEAR:
            return 0.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if falls(middle) else (low, middle)
    return high


def _spread(some: Sequence[float], most: int) -> list[float]:
    if len(some) <= most:
        return list(some)
    return [some[i * (len(some) - 1) // (most - 1)] for i in range(most)]
