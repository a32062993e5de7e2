"""Local hashing (Wang, Blocki, Li and Jha 2017): a random hash function to 0..g-1, and the hash by randomized response.

The user draws a function H of a universal family and sends H and y, where y = H(x) with probability
e^eps / (e^eps + g - 1) and any other value of 0..g-1 with probability 1 / (e^eps + g - 1) each; local eps = eps.
Binary local hashing has g = 2 (Bassily and Smith 2015), optimal local hashing g = e^eps + 1.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from itertools import product

from shufflecert.protocols.gallery.entry import Entry
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer

SOURCE = "Wang, Blocki, Li and Jha, Locally differentially private protocols for frequency estimation, USENIX Sec. 2017"


def local_hashing(family: Sequence[Sequence[int]], g: int, power: Fraction) -> Randomizer:
    """family[i][x] is where function i sends x; message "021:2" is the function's values, and y. e^eps = `power`."""
    rest = 1 / ((power + g - 1) * len(family))
    return Randomizer.of(
        {
            x: {
                f"{''.join(map(str, function))}:{y}": power * rest if y == function[x] else rest
                for function in family
                for y in range(g)
            }
            for x in range(len(family[0]))
        }
    )


def affine(d: int, g: int) -> list[tuple[int, ...]]:
    """x -> a x + b mod a prime g, on x = 0..d-1, d <= g, for a not 0 (Carter and Wegman)."""
    return [tuple((a * x + b) % g for x in range(d)) for a, b in product(range(1, g), range(g))]


ENTRIES = (
    Entry(
        "optimal_local_hashing",
        "optimal local hashing",
        f"{SOURCE}, Sec. 4",
        {"values": "2", "g": "3", "functions": "6", "e^eps": "2"},
        Eps.log(Fraction(2)),
        "eps",
        partial(local_hashing, affine(2, 3), 3, Fraction(2)),
        "e^eps is taken as 2, so that g = e^eps + 1 is 3; the family is x -> a x + b mod 3, a not 0",
    ),
    Entry(
        "binary_local_hashing",
        "binary local hashing",
        f"{SOURCE}, Sec. 4; Bassily and Smith, Local, private, efficient protocols for succinct histograms, STOC 2015",
        {"values": "3", "g": "2", "functions": "8", "e^eps": "3"},
        Eps.log(Fraction(3)),
        "eps",
        partial(local_hashing, list(product((0, 1), repeat=3)), 2, Fraction(3)),
        "e^eps is taken as 3; the family is all functions from three values to bits",
    ),
)
