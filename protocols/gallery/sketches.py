"""Apple's count mean sketches (Differential Privacy Team, Apple 2017): a hashed value, one row of a sketch at a time.

k public hash functions map values to 0..m-1. A user draws the function j uniformly. Count mean sketch: the vector that
is +1 at h_j(x) and -1 elsewhere, every sign kept with probability e^(eps/2) / (e^(eps/2) + 1), and j. Hadamard count
mean sketch: a coordinate l, uniform in 0..m-1, the sign at (l, h_j(x)) of the Hadamard matrix of order m, kept with
probability e^eps / (e^eps + 1), and l and j. Both claim local eps.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial

from shufflecert.protocols.gallery.entry import Entry, at_odds
from shufflecert.protocols.shared.bits import independent
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer, gathered

SOURCE = "Differential Privacy Team, Apple, Learning with privacy at scale, Apple Machine Learning Journal 1(8), 2017"
HALF_POWER, POWER = Fraction(7389, 1000), Fraction(54598, 1000)  # just below e^2 and e^4


def count_mean_sketch(hashes: Sequence[Sequence[int]], m: int, half_power: Fraction) -> Randomizer:
    """hashes[j][x] is where function j sends value x; messages "j:" and m signs. e^(eps/2) = `half_power`."""
    keep, k = at_odds(half_power), len(hashes)
    return Randomizer.of(
        {
            x: gathered(
                (f"{j}:{''.join('-+'[bit] for bit in signs)}", chance / k)
                for j, place in enumerate(hashes)
                for signs, chance in independent([keep if i == place[x] else 1 - keep for i in range(m)])
            )
            for x in range(len(hashes[0]))
        }
    )


def hadamard_count_mean_sketch(hashes: Sequence[Sequence[int]], m: int, power: Fraction) -> Randomizer:
    """As above, for m a power of 2; messages "j,l:+1" and "j,l:-1". e^eps = `power`."""
    keep, k = at_odds(power), len(hashes)
    return Randomizer.of(
        {
            x: gathered(
                (f"{j},{row}:{'+-'[(hadamard_sign(row, place[x]) + flipped) % 2]}1", chance / (k * m))
                for j, place in enumerate(hashes)
                for row in range(m)
                for flipped, chance in ((0, keep), (1, 1 - keep))
            )
            for x in range(len(hashes[0]))
        }
    )


def hadamard_sign(row: int, column: int) -> int:
    """0 where Sylvester's Hadamard matrix has +1 and 1 where it has -1: (-1)^(row . column), bit by bit."""
    return (row & column).bit_count() % 2


ENTRIES = (
    Entry(
        "count_mean_sketch",
        "Apple's count mean sketch",
        f"{SOURCE}; deployed for emoji with eps = 4, m = 1024, k = 65536",
        {"values": "2", "m": "3", "k": "2", "e^(eps/2)": "7389/1000", "h": "0 1; 2 2"},
        Eps.of(4),
        "eps",
        partial(count_mean_sketch, ((0, 1), (2, 2)), 3, HALF_POWER),
        "e^2 is rounded down to 7.389, so that weights are rational; the values collide under the second hash function",
    ),
    Entry(
        "hadamard_count_mean_sketch",
        "Apple's Hadamard count mean sketch",
        f"{SOURCE}; deployed for web domains in Safari",
        {"values": "2", "m": "4", "k": "2", "e^eps": "54598/1000", "h": "0 1; 3 3"},
        Eps.of(4),
        "eps",
        partial(hadamard_count_mean_sketch, ((0, 1), (3, 3)), 4, POWER),
        "eps as deployed for the other sketch; e^4 is rounded down to 54.598, so that weights are rational; the"
        " values collide under the second hash function",
    ),
)
