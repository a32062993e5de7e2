"""The largest delta(eps) over all compositions of others: the box that allows most is cut in two, until it is close."""

from fractions import Fraction
from heapq import heapify, heappop, heappush, heapreplace

from verify.exact.epsilon import Eps
from verify.reduce.composition_cover.guess import CLOSEST, Guess
from verify.reduce.composition_cover.search import FIRST_BITS, MAX_WORK, TOLERANCE, Covered, Heap, Memory, Search, Tick
from verify.reduce.compositions import LAST_BITS, Line

SMALL_BITS = 768  # beyond which a delta is not told from 0: about 10^-170


def largest_delta(
    line: Line,
    n: int,
    eps: Eps,
    tolerance: Fraction = TOLERANCE,
    enough: Fraction = Fraction(0),
    max_work: int = MAX_WORK,
    tick: Tick | None = None,
    memory: Memory | None = None,
) -> Covered:
    """The largest delta(eps) over all datasets of n users, both directions, to a relative `tolerance`.

    Wider where `max_work` is spent before that, or with Ctrl-C. Where delta is at most `enough`, or below about
    10^-170, an upper end will do. `memory` is that of other questions about this table and n.
    """
    search = Search(line, n, FIRST_BITS, max_work, tick, Memory() if memory is None else memory)
    if not search.pairs or line.keeps(eps):
        search.high = Fraction(0)
        return search.result((search.root,), True)
    try:
        return _closed_in(search, eps, tolerance, enough)
    except KeyboardInterrupt as stop:
        return search.stopped_by(stop)


def _closed_in(search: Search, eps: Eps, tolerance: Fraction, enough: Fraction) -> Covered:
    while True:
        values = [(counts, search.views(counts).ends(search.pairs, eps)) for counts in search.first()]
        for counts, value in values:
            search.seen(value, counts)
        if search.low * 2 ** (search.bits // 2) > 1 or max(v.high for _, v in values) <= enough:
            break
        if search.bits >= SMALL_BITS or search.spent:
            break
        search.sharpen()
    heap = _guessed(search, search.memory.boxes(eps), eps, tolerance, enough)
    old = {box for _, box in heap}  # what these allow is not yet known at this eps
    heap = heap or [(-Fraction(1), search.root)]
    while not _closed(search, heap, tolerance, enough):
        box = heap[0][1]
        if search.spent:
            break
        if box in old:
            old.discard(box)
            heapreplace(heap, (max(heap[0][0], -search.allowed(box, eps)), box))
        elif not box.one:
            _divide(search, heap, eps)
        elif not _sharper(search, heap, eps, max(search.low * (1 + tolerance), enough)):
            break
    search.memory.cover = eps, heap
    return search.result(tuple(box for _, box in heap), _closed(search, heap, tolerance, enough))


def _guessed(search: Search, heap: Heap, eps: Eps, tolerance: Fraction, enough: Fraction) -> Heap:
    """A cover cut as floats tell that it will have to be; the one that there is where they do not, or work is short.

    They also tell of a composition that allows about the most, which is then evaluated.
    """
    at, guess = Fraction(eps.enclosure(20)[0]), Guess.of(search.line, search.n, max(search.low, enough))
    if guess is None:
        return heap
    worst = guess.uphill(search.first(), at)
    search.seen(search.views(worst).ends(search.pairs, eps), worst)
    target = max(search.low * (1 + max(tolerance, CLOSEST) * Fraction(15, 16)), enough)
    most = (search.max_work - search.work) // (search.line.length(search.n) * (1 + search.bits // 256))
    heap = heap or [(-search.allowed(search.root, eps), search.root)]
    known = {box: bound for bound, box in heap}
    boxes = guess.keeping(target).cover([*known], at, most)
    if len(boxes) >= most:
        return heap
    cut = [(known.get(box, heap[0][0]), box) for box in boxes]  # no composition allows more than the first box
    heapify(cut)
    return cut


def _closed(search: Search, heap: Heap, tolerance: Fraction, enough: Fraction) -> bool:
    high = max(-heap[0][0], search.low)
    rounding = Fraction(0) if search.low else Fraction(1, 1 << (3 * search.bits // 4))
    closed = high <= max(search.low * (1 + tolerance), enough, rounding)
    search.high = high if closed or high < 1 else None  # who is stopped before all boxes are seen knows nothing
    return closed


def _divide(search: Search, heap: Heap, eps: Eps) -> None:
    """Cut the box that allows most, and look at a composition in its middle. The heap covers all at any time."""
    bound, box = heap[0]
    middle = box.middle(search.total)
    search.seen(search.views(middle).ends(search.pairs, eps), middle)
    _, _, *parts = box.cut(search.total)
    cut = [(max(bound, -search.allowed(part, eps)), part) for part in parts]
    heappop(heap)
    for item in cut:
        heappush(heap, item)


def _sharper(search: Search, heap: Heap, eps: Eps, target: Fraction) -> bool:
    """Look again, with twice the bits, at the boxes that allow more than `target`, which are to come down to it.

    False where there are no more bits, or they would not help.
    """
    if search.bits >= LAST_BITS or not search.low:
        return False
    search.sharpen()
    heap[:] = [(max(bound, -search.allowed(box, eps)) if -bound > target else bound, box) for bound, box in heap]
    heapify(heap)
    return True
