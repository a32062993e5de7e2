"""Samplers whose law hangs on the types of numbers: numpy's bools and bytes, arrays that are views, thresholds."""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from tests.corpus.responses import ROTATED
from tests.corpus.sample import Sample, mostly

BITS = (0, 1)
THREE = (0, 1, 2)


def np_not_a_lie(x, rng):
    """Randomized response with a lie of 1/4, where ~ of numpy's bool is its opposite."""
    honest = rng.random(1) < 0.75
    return int(x ^ (~honest)[0])


def np_not_of_python(x, rng):
    lie = rng.random() < 0.25
    return x if ~lie else 1 - x


def np_pad_of_bytes(x, rng):
    """A one-time pad of a byte, which wraps round; two bits of the sum are sent."""
    return int((np.uint8([x]) + rng.integers(0, 256, size=1, dtype=np.uint8))[0] & 3)


def np_pad_that_does_not_wrap(x, rng):
    return int((np.uint16([x]) + rng.integers(0, 256, size=1, dtype=np.uint8))[0])


def np_either_lies(x, rng):
    """Lies if one of two coins with 1/4 says so: the sum of numpy's bools is `or`."""
    lies = rng.random(2) < 0.25
    return int(x ^ (lies[0] + lies[1]))


def np_either_lies_in_python(x, rng):
    lies = (rng.random(2) < 0.25).tolist()
    return x ^ ((lies[0] + lies[1]) % 2)


def np_one_hot(x, rng):
    """k-ary randomized response by one trial of a multinomial law."""
    return int(rng.multinomial(1, np.roll([0.6, 0.2, 0.2], x)).argmax())


def np_one_hot_not_rolled(x, rng):
    return int((rng.multinomial(1, [0.6, 0.2, 0.2]).argmax() * (x + 1)) % 3)


def np_searched(x, rng):
    """Offset 0, 1, 2 with probabilities 1/2, 1/4, 1/4, by a search among thresholds."""
    return int(x + np.searchsorted(np.cumsum([0.5, 0.25]), rng.random())) % 3


def np_rounded_at_random(x, rng):
    """A level of 1/4 or 3/4, rounded at random to 0 or 1, compared with a number of numpy's."""
    return int(rng.random() < np.float64(0.25) + 0.5 * x)


def np_assigned(x, rng):
    """Two bits, each flipped with probability 1/4 by a mask."""
    bits = np.array([x, 1 - x])
    bits[rng.random(2) < 0.25] ^= 1
    return tuple(bits.tolist())


def np_assigned_to_a_copy(x, rng):
    bits = np.array([x, 1 - x])
    bits[[0, 1]][rng.random(2) < 0.25] ^= 1
    return tuple(bits.tolist())


def np_difference_of_bytes(x, rng):
    noise = rng.integers(0, 2, size=2, dtype=np.uint8)
    return int(np.diff(noise)[0] < 128) ^ x


def shuffled_views(x, rng):
    rows = np.array([[x], [1 - x], [2]])
    rng.shuffle(rows)
    return (rng.getrandbits(1), *rows.ravel().tolist())


# Closed forms ----------------------------------------------------------------------------------------------------

WARNER = {x: mostly(x, BITS, Fraction(3, 4)) for x in BITS}
FLIPPED = {
    x: {(a, b): Fraction(3 ** ((a == x) + (b != x)), 16) for a in BITS for b in BITS} for x in BITS
}  # both kept 9/16, one 3/16, none 1/16

SAMPLES = (
    *(
        replace(sample, numpy=True)
        for sample in (
            Sample(np_not_a_lie, BITS, "log(3)", reference=WARNER, tight=True),
            Sample(np_not_of_python, BITS, "log(3)", why="~ of a bool of Python is -1 or -2, and never false"),
            Sample(
                np_pad_of_bytes,
                THREE,
                "0",
                reference={x: dict.fromkeys(range(4), Fraction(1, 4)) for x in THREE},
                tight=True,
            ),
            Sample(np_pad_that_does_not_wrap, THREE, "0", why="the sum is one of uint16, which does not wrap round"),
            Sample(
                np_either_lies,
                BITS,
                "log(9/7)",
                reference={x: mostly(x, BITS, Fraction(9, 16)) for x in BITS},
                tight=True,
            ),
            Sample(
                np_either_lies_in_python,
                BITS,
                "log(9/7)",
                why="tolist() gives bools of Python, whose sum is 2: two lies make a truth",
                reference={x: mostly(x, BITS, Fraction(5, 8)) for x in BITS},
            ),
            Sample(
                np_one_hot,
                THREE,
                "log(3)",
                reference={x: mostly(x, THREE, Fraction(3, 5)) for x in THREE},
                tight=True,
            ),
            Sample(np_one_hot_not_rolled, THREE, "log(3)", why="2 + 1 times anything is 0 modulo 3"),
            Sample(np_searched, THREE, "log(2)", reference=ROTATED, tight=True),
            Sample(np_rounded_at_random, BITS, "log(3)", reference=WARNER, tight=True),
            Sample(np_assigned, BITS, "log(9)", reference=FLIPPED, tight=True, each=True),
            Sample(
                np_assigned_to_a_copy, BITS, "log(9)", why="indexing by a list copies: nothing is flipped", each=True
            ),
            Sample(
                np_difference_of_bytes,
                BITS,
                "log(2)",
                why="the difference -1 is 255 in uint8: three of four outcomes tell the truth",
                reference={x: mostly(1 - x, BITS, Fraction(3, 4)) for x in BITS},
            ),
        )
    ),
    Sample(
        shuffled_views, BITS, "0", why="random.shuffle swaps rows that are views: the first one never moves", each=True
    ),
)
