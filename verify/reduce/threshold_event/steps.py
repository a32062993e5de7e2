"""A threshold event where the others' sum has few values: an integer law, point by point, with no integral.

Where the weights of what one user sends differ by multiples of a step g, the others' sum is base + g K for an integer
K, whose law is found in fixed point. So it is where only one number matters, as where every row has two outputs. There
the characteristic function does not fall, and an integral takes a hundred times as long.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache
from math import gcd, isqrt
from typing import Any

from shufflecert.verify.enclose.interval import Ends
from shufflecert.verify.reduce.multinomial_form import Tails, sum_of

Sums = dict[int, Fraction]  # {sum of weights: probability, or a difference of two}
BITS, LONGEST = 256, 1 << 13  # of the law; its cells, about, to either side of the mean
DEVIATIONS = 19  # beyond which less than 2^-BITS of a normal law lies
KEPT = 16  # laws that are kept: a search for an eps asks for the same ones with other probabilities of the one user

Law = tuple[tuple[int, Fraction], ...]


def by_steps(user: Sums, others: Sequence[tuple[Sums, int]]) -> Ends | None:
    """Ends around the sum of w Pr[v + X > c] over the (v, w) in `user`, X the others' sum, for about the best c.

    None where X has too many values. Both are 0 where no c is seen to give more than 0.
    """
    step, variance = 0, Fraction(0)
    for law, n in others:
        least, mean = min(law), sum(v * w for v, w in law.items())
        step = gcd(step, *(v - least for v in law))
        variance += n * sum(w * (v - mean) ** 2 for v, w in law.items())
    if not step or DEVIATIONS * isqrt(int(variance / step**2)) > LONGEST:
        return None
    base = sum(n * min(law) for law, n in others)
    sum_of_others = _tails(tuple((tuple(((v - min(law)) // step, w) for v, w in law.items()), n) for law, n in others))
    window, at_least = sum_of_others.law, sum_of_others.low
    weighed = [(v, int(w * (1 << BITS))) for v, w in user.items()]

    def guess(c: int) -> int:
        places = [(w, (c - v - base) // step + 1 - window.first) for v, w in weighed]
        return sum(w * int(at_least[min(max(place, 0), len(at_least) - 1)]) for w, place in places)

    def best(v: int) -> int:
        """The best c at which some value of v + X is just no longer above it."""
        first = base + v + step * (window.first - 1)
        return first + step * peak(lambda k: guess(first + step * k), 0, len(window.low) + 1)

    c, low, high = max(map(best, user), key=guess), Fraction(0), Fraction(0)
    for v, w in user.items():
        tail = sum_of_others.more_than((c - v - base) // step)
        low, high = low + w * tail[w < 0], high + w * tail[w > 0]
    return max(low, Fraction(0)), max(high, Fraction(0))


@lru_cache(KEPT)
def _tails(laws: tuple[tuple[Law, int], ...]) -> Tails:
    """The law of a sum of independent draws, so many of each law."""
    return Tails(sum_of(((dict(law), n) for law, n in laws), BITS))


def peak(value: Callable[[int], Any], low: int, high: int) -> int:
    """Where `value` is large: the best of a coarse row of points, then of finer ones around it."""
    at, stride = (low + high) // 2, max(1, (high - low) // 64)
    points = range(low, high + 1, stride)
    while True:
        at = max(points, key=value)
        if stride == 1:
            return at
        before, stride = stride, max(1, stride // 16)
        points = range(max(low, at - before), min(high, at + before) + 1, stride)
