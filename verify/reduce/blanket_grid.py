"""Hints for a blanket certificate: on which grid a checker finds what the blanket keeps (verify/CERTIFICATE.md).

Values are split between the multiples of a step, which adds n sum of w f (1 - f) step^2 to the variance of their sum, f
the places between two multiples; so among steps of about one size some are better than others. All here are guesses:
what a certificate states does not depend on them.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

from flint import arb

from shufflecert.verify.errors import Undecided
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import ball, dyadic, precision, text
from shufflecert.verify.fourier.draws import Draws, Measure, Points
from shufflecert.verify.reduce.multinomial_form import Form, spread_positive_part

SIZES = tuple((2 + i % 2) << (8 + i // 2) for i in range(17))  # cells that are tried: 512, 768, 1024, ..., 2^17
NEAR = 96  # steps of each size that are compared
STEEPEST = Fraction(600)  # logarithm of a tilt
ROOM = 2  # least logarithm of what a tilt takes away at the end of a grid
SPARE = Fraction(1, 1 << 20)  # relative room for what lies outside the cells
DIGITS = 4, 7  # of what a grid shows: first few, which mostly tell whether it is enough


def hints_for(forms: Sequence[tuple[Form, Fraction]], eps: Eps, bound: Fraction) -> dict[str, Any]:
    """Find the coarsest grid with which the kernel can see that a blanket keeps `bound`: its cells, step and tilt.

    The fewest cells that show each form, plus a number (what messages outside the blanket add), to be at most `bound`.
    Raises Undecided where no grid of up to 2^17 cells does.
    """
    t = eps.bounds(96)[0]
    wanted = [(form, bound - alone) for form, alone in forms if max(form.coefficients(t), default=Fraction(0)) > 0]
    if not wanted:
        return {"step": "1", "cells": 16, "tilt": "3/2"}
    with precision(96):
        span, _ = _span([(form.points(t), form.n) for form, _ in wanted], bound)
        step, moved = _coarsest([partial(_grid, wanted, t, dyadic((span / cells).mid())) for cells in SIZES])
        span, slope = _span(moved, bound)  # a coarse grid spreads the sum
        used = int(dyadic((span / ball(step)).mid()) * 33 / 32) + 64
        leaning = min(dyadic((slope * ball(step)).mid()), STEEPEST)
        return {"step": text(step), "cells": used, "tilt": text(_short(dyadic(ball(leaning).exp().mid())))}


Grid = tuple[Fraction, list[tuple[Points, int]]]  # its step, and the forms on it


def _coarsest(grids: Sequence[Callable[[], Grid | None]]) -> Grid:
    """The first grid that is fine enough, finer ones being so as well, if not the first of all by bisection."""
    if (found := grids[0]()) is not None:
        return found
    if (found := grids[-1]()) is None:
        raise Undecided(f"no grid of up to {SIZES[-1]} cells shows that the blanket keeps delta")
    few, many = 0, len(grids) - 1
    while many - few > 1:
        if (finer := grids[middle := (few + many) // 2]()) is None:
            few = middle
        else:
            many, found = middle, finer
    return found


def _grid(wanted: Sequence[tuple[Form, Fraction]], t: Fraction, about: Fraction) -> Grid | None:
    """The grid with a step near this one, if it shows what is wanted of each form."""
    step = _step(wanted[0][0], t, about)
    moved = [(form.split(t, step), form.n, form.n * room * (1 - SPARE)) for form, room in wanted]
    if not all(_is_at_most(points, n, most) for points, n, most in moved):
        return None
    return step, [(points, n) for points, n, _ in moved]


def _is_at_most(points: Points, n: int, most: Fraction) -> bool:
    """Whether the mean positive part of n draws is seen to be at most so much."""
    for digits in DIGITS:
        low, high = spread_positive_part(points, n, digits)
        if high <= most or low > most:
            break
    return high <= most


def _span(laws: Sequence[tuple[Points, int]], bound: Fraction) -> tuple[arb, arb]:
    """How far a grid has to extend in all for the sums of n draws of each law, and the least slope."""
    reaches = [_reach(points, n, n * bound) for points, n in laws]
    below, above = (max((part[i] for part in reaches), key=dyadic) for i in range(2))
    return below + above, min((part[2] for part in reaches), key=dyadic)


def _reach(points: Points, n: int, worth: Fraction) -> tuple[arb, arb, arb]:
    """How far a grid has to extend, as (x, y, s): beyond these the sum c . h adds only a small part of `worth`.

    It is below -x or above y there, and s is the slope of the bound. Above y what there is adds at most y e^(-s y)
    M(s)^n, where s y is at least ROOM; below -x it is moved by at most the whole window.
    """
    draws, little = Draws([(Measure(points), n)]), (ball(worth) / (1 << 28)).log()
    start = 1 / draws.cumulants(arb(0))[2].sqrt()
    above = [((draws.log(s) - little + (10 / s).log() + 3) / s, s) for s in _slopes(start)]
    below = [((draws.log(-s) - little + (10 / s).log() + 3) / s, s) for s in _slopes(start)]
    ends = [(max(dyadic(y.mid()), ROOM / dyadic(s.mid())), dyadic(s.mid())) for y, s in above if y.is_finite()]
    starts = [dyadic(x.mid()) for x, _ in below if x.is_finite()]
    if not ends or not starts:
        raise Undecided("what the blanket's messages tell apart differs by too much for a grid")
    least, best = min(ends)
    return max(arb(0), ball(min(starts))), ball(least).mid(), ball(best)


def _slopes(start: arb) -> list[arb]:
    return [(start * arb(2) ** (arb(i) / 4)).mid() for i in range(-8, 30)]


def _step(form: Form, t: Fraction, step: Fraction) -> Fraction:
    """The step near this one, and not below, with the least added variance."""
    points = [(int(w * 2**60), int(c / step * 2**60)) for w, c in form.points(t)]

    def added(i: int) -> int:
        size, total = NEAR + i, 0
        for w, c in points:
            part = (c * NEAR // size) & ((1 << 60) - 1)
            total += w * (part * ((1 << 60) - part) >> 60)
        return total * size * size

    return _short(step * (NEAR + min(range(NEAR), key=added)) / NEAR)


def _short(number: Fraction) -> Fraction:
    """A positive number, a little rounded up, with few bits."""
    shift = number.denominator.bit_length() - number.numerator.bit_length() + 20
    scale = Fraction(2) ** shift
    return Fraction(int(number * scale) + 1) / scale
