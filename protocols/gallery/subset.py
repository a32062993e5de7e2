"""A set of likely messages for each value, each of them e^eps times as probable as any other message; local eps = eps.

Projective geometry response: messages and values are points of a projective space over a field of q elements, likely
those orthogonal to the value (Feldman, Nelson, Nguyen and Talwar 2022); best for q = e^eps + 1. The set is the value
alone in randomized response, the sets with the value in subset selection (systems.py).
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import product

from shufflecert.protocols.gallery.entry import Entry
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer


def likely_sets(messages: Sequence[str], likely: Mapping[str, frozenset[str]], power: Fraction) -> Randomizer:
    """Message y with probability power / T for y in likely[x], else 1 / T; T is what makes the row sum to 1."""
    rows = {}
    for x, good in likely.items():
        total = power * len(good) + len(messages) - len(good)
        rows[x] = {y: (power if y in good else 1) / total for y in messages}
    return Randomizer.of(rows)


def projective_geometry_response(k: int, q: int, t: int, power: Fraction) -> Randomizer:
    """The first k points are inputs, all are messages: vectors of length t over the integers mod a prime q whose first
    nonzero coordinate is 1, written "012". e^eps = `power`."""
    points = ["".join(map(str, v)) for v in product(range(q), repeat=t) if next((c for c in v if c), 0) == 1]
    likely = {
        x: frozenset(y for y in points if sum(int(a) * int(b) for a, b in zip(x, y, strict=True)) % q == 0)
        for x in points[:k]
    }
    return likely_sets(points, likely, power)


ENTRIES = (
    Entry(
        "projective_geometry_response",
        "projective geometry response",
        "Feldman, Nelson, Nguyen and Talwar, Private frequency estimation via projective geometry, ICML 2022",
        {"k": "4", "q": "3", "t": "3", "e^eps": "2"},
        Eps.log(Fraction(2)),
        "eps",
        partial(projective_geometry_response, 4, 3, 3, Fraction(2)),
        "e^eps is taken as 2, so that q = e^eps + 1 is 3; 4 of the 13 points are inputs",
    ),
)
