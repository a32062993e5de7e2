"""A set of likely messages for each value, each of them e^eps times as probable as any other message; local eps = eps.

k-ary randomized response: the set is the value alone (Warner 1965; Kairouz, Oh and Viswanath 2014). Subset selection:
messages are subsets of w values, likely those with the value in them (Wang et al. 2016; Ye and Barg 2018); best for
w = k / (e^eps + 1). Hadamard response: messages are columns of a Hadamard matrix, likely those in which the value's row
has +1 (Acharya, Sun and Zhang 2019). Projective geometry response: messages and values are points of a projective
space over a field of q elements, likely those orthogonal to the value (Feldman, Nelson, Nguyen and Talwar 2022); best
for q = e^eps + 1.
"""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations, product

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


def randomized_response(k: int, power: Fraction) -> Randomizer:
    """The k-ary randomized response, with inputs and messages 1..k. e^eps = `power`."""
    values = [str(x) for x in range(1, k + 1)]
    return likely_sets(values, {x: frozenset((x,)) for x in values}, power)


def subset_selection(k: int, w: int, power: Fraction) -> Randomizer:
    """Subset selection with inputs 1..k; a message is w of them, such as "1 4". e^eps = `power`."""
    values = [str(x) for x in range(1, k + 1)]
    sets = {" ".join(chosen): chosen for chosen in combinations(values, w)}
    return likely_sets(list(sets), {x: frozenset(y for y in sets if x in sets[y]) for x in values}, power)


def hadamard_response(k: int, power: Fraction) -> Randomizer:
    """Inputs 1..k are rows of Sylvester's matrix of order K, the least power of 2 above k; messages its K columns."""
    columns = range(1 << k.bit_length())
    likely = {x: [y for y in columns if (x & y).bit_count() % 2 == 0] for x in range(1, k + 1)}
    return likely_sets(
        [str(y) for y in columns], {str(x): frozenset(map(str, good)) for x, good in likely.items()}, power
    )


def projective_geometry_response(k: int, q: int, t: int, power: Fraction) -> Randomizer:
    """The first k points are inputs, all are messages: vectors of length t over the integers mod a prime q whose first
    nonzero coordinate is 1, written "012". e^eps = `power`."""
    points = ["".join(map(str, v)) for v in product(range(q), repeat=t) if next((c for c in v if c), 0) == 1]
    likely = {
        x: frozenset(y for y in points if sum(int(a) * int(b) for a, b in zip(x, y, strict=True)) % q == 0)
        for x in points[:k]
    }
    return likely_sets(points, likely, power)


TWO, THREE, THREE_HALVES = Fraction(2), Fraction(3), Fraction(3, 2)

ENTRIES = (
    Entry(
        "randomized_response",
        "k-ary randomized response (direct encoding)",
        "Kairouz, Oh and Viswanath, Extremal mechanisms for local differential privacy, NIPS 2014; k = 2: Warner 1965",
        {"k": "4", "e^eps": "3"},
        Eps.log(THREE),
        "eps",
        partial(randomized_response, 4, THREE),
        "e^eps is taken as 3",
    ),
    Entry(
        "subset_selection",
        "k-subset mechanism (subset selection)",
        "Ye and Barg, Optimal schemes for discrete distribution estimation under locally differential privacy, IEEE"
        " Trans. Inf. Theory 64(8), 2018; Wang et al., arXiv:1607.08025, 2016",
        {"k": "5", "w": "2", "e^eps": "3/2"},
        Eps.log(THREE_HALVES),
        "eps",
        partial(subset_selection, 5, 2, THREE_HALVES),
        "e^eps is taken as 3/2, so that w = k / (e^eps + 1) is 2",
    ),
    Entry(
        "hadamard_response",
        "Hadamard response",
        "Acharya, Sun and Zhang, Hadamard response: estimating distributions privately, efficiently, and with little"
        " communication, AISTATS 2019",
        {"k": "5", "K": "8", "e^eps": "3"},
        Eps.log(THREE),
        "eps",
        partial(hadamard_response, 5, THREE),
        "the high-privacy scheme; e^eps is taken as 3",
    ),
    Entry(
        "projective_geometry_response",
        "projective geometry response",
        "Feldman, Nelson, Nguyen and Talwar, Private frequency estimation via projective geometry, ICML 2022",
        {"k": "4", "q": "3", "t": "3", "e^eps": "2"},
        Eps.log(TWO),
        "eps",
        partial(projective_geometry_response, 4, 3, 3, TWO),
        "e^eps is taken as 2, so that q = e^eps + 1 is 3; 4 of the 13 points are inputs",
    ),
)
