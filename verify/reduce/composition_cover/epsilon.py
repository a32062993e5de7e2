"""The smallest eps that all compositions of others keep: boxes that keep a little more than what a real one needs."""

from fractions import Fraction
from math import isqrt

from verify.exact.epsilon import MAX_EPS, Eps
from verify.reduce.composition_cover.guess import Guess
from verify.reduce.composition_cover.search import (
    FIRST_BITS,
    MAX_WORK,
    SPARE_BITS,
    TOLERANCE,
    Covered,
    Memory,
    Search,
    Tick,
)
from verify.reduce.compositions import LAST_BITS, Box, Composition, Ends, Line, Views

WIDTHS = (Fraction(1), Fraction(1, 10), Fraction(1, 100))  # to which eps is closed in, before the tolerance
EPS_BITS = 48  # of an eps that is looked for


def smallest_epsilon(
    line: Line,
    n: int,
    bound: Fraction,
    tolerance: Fraction = TOLERANCE,
    max_work: int = MAX_WORK,
    tick: Tick | None = None,
    memory: Memory | None = None,
) -> Covered:
    """The smallest eps with delta(eps) <= bound for all datasets of n users, to a relative `tolerance`; bound > 0.

    high is None where a real dataset has delta(eps) > bound at every eps up to 10000 (then low is 10000), or where
    `max_work` is spent, or Ctrl-C comes, before any eps is shown to be enough.
    """
    digits = bound.denominator.bit_length() - bound.numerator.bit_length()
    start = max(FIRST_BITS, -(-(digits + SPARE_BITS) // 32) * 32)
    search = Search(line, n, start, max_work, tick, Memory() if memory is None else memory)
    if not search.pairs:
        search.high = Fraction(0)
        return search.result((search.root,), True)
    try:
        return _eps_closed_in(search, bound, tolerance)
    except KeyboardInterrupt as stop:
        return search.stopped_by(stop)


def _eps_closed_in(search: Search, bound: Fraction, tolerance: Fraction) -> Covered:
    kept: tuple[Box, ...] = ()
    guess = Guess.of(search.line, search.n, bound)
    for counts in search.first() if guess is None else [guess.worst(search.first())]:
        _raise(search, search.views(counts), counts, bound)
    boxes = [search.root]
    for width in (*(w for w in WIDTHS if w > tolerance), tolerance):
        if search.low >= MAX_EPS:
            break
        if guess is not None:
            most = search.max_work // search.line.length(search.n) + 1  # boxes that will be looked at
            boxes = guess.cover(boxes, _above(search.low, width), most)
        found = _cover(search, boxes, bound, width)
        if found is None:
            return search.result(kept, search.low >= MAX_EPS)
        search.high, kept = found
        boxes = list(kept)
    return search.result(kept, True)


def _cover(
    search: Search, boxes: list[Box], bound: Fraction, width: Fraction
) -> tuple[Fraction, tuple[Box, ...]] | None:
    """(eps, boxes), a cover of all of `boxes` by some that keep (eps, bound), eps about low (1 + width).

    None where the work is spent, or a single composition is not decided, or no eps is enough.
    """
    kept, stack, target = list[Box](), list(boxes), _above(search.low, width)
    while stack:
        box = stack.pop()
        if search.spent:
            return None
        if search.allowed(box, Eps.of(target), bound) <= bound:
            kept.append(box)
            continue
        middle = box.middle(search.total)
        views = search.views(middle)
        if views.ends(search.pairs, Eps.of(target)).low > bound:
            _raise(search, views, middle, bound)
            if search.low >= MAX_EPS:
                return None
            target = max(target, _above(search.low, width))
        if box.one:
            if search.bits >= LAST_BITS:
                return None
            if views.ends(search.pairs, Eps.of(target)).high > bound:
                search.sharpen()
            stack.append(box)
        else:
            _, _, *parts = box.cut(search.total)
            stack += parts
    return target, tuple(kept)


def _above(low: Fraction, width: Fraction) -> Fraction:
    """low (1 + width) at most, or a little above 0, in few bits."""
    target = low * (1 + width * Fraction(15, 16)) or Fraction(1, 1 << EPS_BITS)
    unit = Fraction(2) ** (target.numerator.bit_length() - target.denominator.bit_length() - EPS_BITS)
    return min(-(-target // unit) * unit, Fraction(MAX_EPS))


def _raise(search: Search, views: Views, counts: Composition, bound: Fraction) -> None:
    """Set `low` to an eps that these others exceed, nearly the largest one, if that is higher."""

    def above(eps: Fraction) -> Ends | None:
        found = views.ends(search.pairs, Eps.of(eps))
        return found if found.low > bound else None

    if views.never_returns(search.pairs)[0] > bound:
        search.attained(Fraction(MAX_EPS), counts, views.never_returns(search.pairs)[1])
        return
    low, found = search.low, above(search.low)
    if found is None:
        return
    high = max(2 * low, Fraction(1, 1024))
    while high < MAX_EPS and (higher := above(high)):
        low, high, found = high, min(4 * high, Fraction(MAX_EPS)), higher
    while high - low > low / (1 << 16) and high > Fraction(1, 1 << 40):
        wide = low and high > 2 * low
        middle = Fraction(isqrt(int(low * high * 4**60)), 2**60) if wide else (low + high) / 2
        if higher := above(middle):
            low, found = middle, higher
        else:
            high = middle
    unit = Fraction(2) ** (high.numerator.bit_length() - high.denominator.bit_length() - EPS_BITS)
    search.attained(low // unit * unit, counts, found.pair)
