"""Samplers that draw from a numpy Generator."""

from dataclasses import replace
from fractions import Fraction
from itertools import permutations

import numpy as np

from tests.corpus.counts import BINOMIAL, SHORT, TWO_SIDED
from tests.corpus.draws import BAG
from tests.corpus.responses import RAPPOR, ROTATED
from tests.corpus.sample import Sample, mostly

BITS = (0, 1)
THREE = (0, 1, 2)
FOUR = (0, 1, 2, 3)


def np_response(x, rng):
    """Randomized response with a lie of 1/4."""
    return int(x ^ (rng.random() < 0.25))


def np_pad(x, rng):
    """A one-time pad modulo 3."""
    return (x + rng.integers(3)) % 3


def np_pad_with_endpoint(x, rng):
    return (x + rng.integers(0, 3, endpoint=True)) % 3


def np_k_ary(x, rng):
    """k-ary randomized response by a vector of probabilities."""
    p = np.full(4, 0.125)
    p[x] = 0.625
    return rng.choice(4, p=p)


def np_k_ary_twice(x, rng):
    return x if rng.random() < 0.625 else rng.choice(FOUR)


def np_weights_swapped(x, rng):
    kind = rng.choice(["truth", "noise"], p=[0.75, 0.25])
    return x if kind == "truth" else int(rng.integers(0, 4))


def np_rappor(x, rng):
    """Basic one-time RAPPOR with 3 bits, each flipped with probability 1/4."""
    bits = np.zeros(3, dtype=int)
    bits[x] = 1
    return "".join(str(b) for b in bits ^ (rng.random(3) < 0.25))


def np_rappor_broadcast(x, rng):
    bits = np.zeros(3, dtype=int)
    bits[x] = 1
    return "".join(str(b) for b in bits ^ (rng.random() < 0.25))


def np_where(x, rng):
    """Three bits as their complements, each with probability 1/4."""
    bits = np.arange(3) == x
    return tuple(np.where(rng.random(3) < 0.25, ~bits, bits).astype(int).tolist())


def np_argmax(x, rng):
    """A one-time pad modulo 3: the place of the greatest of three uniforms."""
    return int(x + np.argmax(rng.random(3))) % 3


def np_inverse_cdf(x, rng):
    """Offset 0, 1, 2 with probabilities 1/2, 1/4, 1/4, by thresholds."""
    u = rng.random()
    return int(x + (u >= 0.5) + (u >= 0.75)) % 3


def np_inverse_cdf_redrawn(x, rng):
    return int(x + (rng.random() >= 0.5) + (rng.random() >= 0.75)) % 3


def np_binomial(x, rng):
    """The input plus Bin(8, 1/2)."""
    return x + rng.binomial(8, 0.5)


def np_binomial_scaled(x, rng):
    return x + rng.binomial(8, 0.5 * x)


def np_geometric(x, rng):
    """The input plus a difference of two geometric numbers, ratio 1/2."""
    return int(x + rng.geometric(0.5) - rng.geometric(0.5))


def np_geometric_from_one(x, rng):
    return int(x + min(rng.geometric(0.5), 2)) % 3


def np_permutation(x, rng):
    """The first two of the bit, its complement and a blank in a uniform order."""
    items = np.array([x, 1 - x, 2])
    return tuple(items[rng.permutation(3)[:2]].tolist())


def np_permutation_of_two(x, rng):
    items = np.array([2, x, 1 - x])
    items[:2] = rng.permutation(items[:2])
    return tuple(items.tolist())


def np_shuffled(x, rng):
    """Three items in a uniform order, shuffled in place."""
    items = [x, 1 - x, 2]
    rng.shuffle(items)
    return tuple(items)


def np_shuffled_copy(x, rng):
    items = [2, x, 1 - x]
    rng.shuffle(items[1:])
    return tuple(items)


def np_two_of_a_bag(x, rng):
    """Two of five items without replacement: the truth, two zeros, two ones."""
    return tuple(int(item) for item in rng.choice([x, 0, 0, 1, 1], size=2, replace=False))


def np_parity(x, rng):
    """The parity of the input and three random bits."""
    return int((x + rng.integers(2, size=3).sum()) % 2)


def np_parity_of_nothing(x, rng):
    return int((x + rng.integers(1, size=3).sum()) % 2)


def np_majority(x, rng):
    """The majority of three reports, each with a lie of 1/4."""
    reports = rng.choice([x, 1 - x], size=3, p=[0.75, 0.25])
    return int(reports.sum() >= 2)


def np_three_reports(x, rng):
    return tuple(int(report) for report in rng.choice([x, 1 - x], size=3, p=[0.75, 0.25]))


# Closed forms ----------------------------------------------------------------------------------------------------

WARNER = {x: mostly(x, BITS, Fraction(3, 4)) for x in BITS}
THIRD = Fraction(1, 3)

SAMPLES = tuple(
    replace(sample, numpy=True)
    for sample in (
        Sample(np_response, BITS, "log(3)", reference=WARNER, tight=True),
        Sample(np_pad, THREE, "0", reference={x: dict.fromkeys(THREE, THIRD) for x in THREE}, tight=True),
        Sample(np_pad_with_endpoint, THREE, "0", why="four values modulo 3: the upper end is included"),
        Sample(
            np_k_ary,
            FOUR,
            "log(5)",
            reference={x: mostly(x, FOUR, Fraction(5, 8)) for x in FOUR},
            tight=True,
        ),
        Sample(np_k_ary_twice, FOUR, "log(5)", why="the truth is counted twice: it is among the other answers"),
        Sample(np_weights_swapped, FOUR, "log(7/3)", why="the weights of truth and noise in the wrong order"),
        Sample(np_rappor, THREE, "log(9)", reference=RAPPOR, tight=True),
        Sample(np_rappor_broadcast, THREE, "log(9)", why="random() without a size: one coin is broadcast to all bits"),
        Sample(np_where, THREE, "log(9)", tight=True, each=True),
        Sample(np_argmax, THREE, "0", reference={x: dict.fromkeys(THREE, THIRD) for x in THREE}, tight=True),
        Sample(np_inverse_cdf, THREE, "log(2)", reference=ROTATED, tight=True),
        Sample(np_inverse_cdf_redrawn, THREE, "log(2)", why="a new uniform for each threshold"),
        Sample(
            np_binomial,
            BITS,
            "log(2)",
            "19/256",
            reference=BINOMIAL,
            tight=True,
        ),
        Sample(np_binomial_scaled, BITS, "log(2)", "19/256", why="the probability is multiplied by the input"),
        Sample(np_geometric, BITS, "log(2)", "1e-4", reference=TWO_SIDED, residual=SHORT),
        Sample(np_geometric_from_one, THREE, "log(2)", "1e-9", why="numpy's geometric numbers begin at 1"),
        Sample(
            np_permutation,
            BITS,
            "0",
            reference={x: dict.fromkeys(permutations(THREE, 2), Fraction(1, 6)) for x in BITS},
            tight=True,
            each=True,
        ),
        Sample(np_permutation_of_two, BITS, "0", "1/10", why="the last item stays where it is", each=True),
        Sample(
            np_shuffled,
            BITS,
            "0",
            reference={x: dict.fromkeys(permutations(THREE), Fraction(1, 6)) for x in BITS},
            tight=True,
            each=True,
        ),
        Sample(np_shuffled_copy, BITS, "0", "1/2", why="a slice of a list is a copy: nothing is shuffled", each=True),
        Sample(np_two_of_a_bag, BITS, "log(3)", reference=BAG, tight=True, each=True),
        Sample(np_parity, BITS, "0", reference={x: dict.fromkeys(BITS, Fraction(1, 2)) for x in BITS}, tight=True),
        Sample(np_parity_of_nothing, BITS, "0", why="integers(1) is always 0"),
        Sample(
            np_majority,
            BITS,
            "log(27/5)",
            reference={x: mostly(x, BITS, Fraction(27, 32)) for x in BITS},
            tight=True,
        ),
        Sample(np_three_reports, BITS, "log(3)", why="three reports, and the budget of one", each=True),
    )
)
