"""Local randomizers of one message: randomized response, unary encoding, subsets, Hadamard response, local hashing."""

import random
from bisect import bisect
from fractions import Fraction
from itertools import combinations, product

from tests.corpus.sample import Sample, mostly

BITS = (0, 1)
THREE = (0, 1, 2)
FOUR = (0, 1, 2, 3)


# Randomized response ---------------------------------------------------------------------------------------------


def warner(x, rng):
    """Warner's randomized response: the truth with probability 3/4."""
    return x if rng.random() < 0.75 else 1 - x


def two_coins(x, rng):
    """The truth on heads; on tails what a second coin says. One uniform serves both, in disjoint ranges."""
    u = rng.random()
    if u < 0.5:
        return x
    return 1 if 0.5 <= u < 0.75 else 0


def two_coins_in_one(x, rng):
    u = rng.random()
    if u < 0.5:
        return x
    return int(u < 0.25)


def two_coins_rescaled(x, rng):
    """As `two_coins`, with what is left of the uniform, stretched."""
    u = rng.random()
    if u < 0.5:
        return x
    u = (u - 0.5) * 2
    return int(u < 0.5)


def fixed_point(x, rng):
    """Lies where 32 random bits, as a fraction, are below 1/4."""
    return x ^ (rng.getrandbits(32) / 2**32 < 0.25)


def fixed_point_of_31_bits(x, rng):
    return x ^ (rng.getrandbits(32) / 2**31 < 0.25)


def rare_lie(x, rng):
    """Lies with probability 10^-17."""
    if rng.random() > 1 - Fraction(1, 10**17):
        return "no" if x == "yes" else "yes"
    return x


def lie_at_one_half(x, rng):
    return 1 - x if rng.random() == 0.5 else x


def budget_of_tenths(x, rng):
    lie = 0.1 + 0.2
    if lie == 0.3:
        return x ^ (rng.random() < lie)
    return x


def thirds_of_ten(x, rng):
    return 1 - x if rng.randrange(10) < 10 // 3 else x


def zeros_as_they_are(x, rng):
    if not x:
        return x
    return int(rng.random() < 0.75)


def zeros_with_a_seed(x, rng):
    source = rng if x else random.Random(0)
    return x ^ (source.random() < 0.25)


def level(x, rng):
    """A uniform level in [-1, 1) decides."""
    return x if rng.uniform(-1, 1) < 0.5 else 1 - x


def guesses(x, rng):
    """Two guesses: the first that is right is sent, else the last."""
    guess = None
    for _ in range(2):
        guess = rng.choice((0, 1))
        if guess == x:
            break
    return guess


def guesses_until_right(x, rng):
    guess = None
    for _ in range(3):
        guess = rng.choice((0, 1))
        if guess == x:
            return guess
    return guess


def k_ary(x, rng):
    """k-ary randomized response, k = 4: the truth with probability 5/8, else another."""
    if rng.random() < 0.625:
        return x
    other = rng.randrange(3)
    return other + (other >= x)


def k_ary_of_k(x, rng):
    if rng.random() < 0.625:
        return x
    other = rng.randrange(4)
    return other + (other >= x)


def k_ary_swapped(x, rng):
    keep = Fraction(2, 5)
    if rng.random() < 1 - keep:
        return x
    return rng.choice([y for y in FOUR if y != x])


def mostly_blanket(x, rng):
    """With probability 9/10 a uniform answer, the truth among them."""
    return rng.randrange(3) if rng.random() < 0.9 else x


def blanket_without_truth(x, rng):
    if rng.random() < 0.9:
        return rng.choice([y for y in THREE if y != x])
    return x


def weighted(x, rng):
    """The truth has weight 4, another answer weight 1."""
    return rng.choices("abc", weights=[4 if y == x else 1 for y in "abc"])[0]


def cumulated(x, rng):
    """The truth has weight 2; weights are cumulated by hand."""
    steps, total = [], 0
    for y in THREE:
        total += 2 if y == x else 1
        steps.append(total)
    return rng.choices(THREE, cum_weights=steps, k=1)[0]


def weights_the_other_way(x, rng):
    answer = rng.choices((x, None), weights=(9, 1))[0]
    return rng.randrange(3) if answer is None else answer


def inverse_cdf(x, rng):
    """Offset 0, 1, 2 with probabilities 1/2, 1/4, 1/4: the first cumulated sum above a uniform."""
    return (x + bisect((0.5, 0.75), rng.random())) % 3


def inverse_cdf_one_less(x, rng):
    table = (0.5, 0.75, 1.0)
    u = rng.random()
    offset = 0
    while u >= table[offset + 1]:
        offset += 1
    return (x + offset) % 3


def roulette(x, rng):
    """As `inverse_cdf`: weights are taken off a uniform until it is negative."""
    u = rng.random()
    for offset, weight in enumerate((0.5, 0.25, 0.25)):
        u -= weight
        if u < 0:
            return (x + offset) % 3
    raise AssertionError("the weights sum to less than 1")


def roulette_that_stands(x, rng):
    u = rng.random()
    for offset, weight in enumerate((0.5, 0.25)):
        if u < weight:
            return (x + offset) % 3
    return (x + 2) % 3


def alias(x, rng):
    """Offsets with probabilities 1/2, 1/3, 1/6 by Walker's alias method."""
    column = rng.randrange(3)
    offset = column if rng.random() < (1, 1, Fraction(1, 2))[column] else (0, 1, 0)[column]
    return (x + offset) % 3


def alias_of_one_uniform(x, rng):
    u = rng.random()
    column = int(u * 3)
    offset = column if u < (1, 1, 0.5)[column] else (0, 1, 0)[column]
    return (x + offset) % 3


# Unary encoding --------------------------------------------------------------------------------------------------


def rappor(x, rng):
    """Basic one-time RAPPOR with 3 bits, each flipped with probability 1/4."""
    return "".join(str(int(j == x) ^ (rng.random() < 0.25)) for j in THREE)


def rappor_one_coin(x, rng):
    flip = rng.random() < 0.25
    return "".join(str(int(j == x) ^ flip) for j in THREE)


def rappor_half_budget(x, rng):
    bits = [0, 0, 0]
    bits[x] = 1
    for j in THREE:
        if rng.random() < 0.25:
            bits[j] = 1 - bits[j]
    return (tuple(bits),)


def optimal_unary(x, rng):
    """Optimal unary encoding: a one stays with probability 1/2, a zero becomes one with probability 1/4."""
    bits = (rng.random() < (Fraction(1, 2) if j == x else Fraction(1, 4)) for j in THREE)
    return (tuple(int(b) for b in bits),)


def rappor_zeros_stay(x, rng):
    return "".join("1" if j == x and rng.random() < 0.75 else "0" for j in THREE)


# Subsets, Hadamard matrices, hashes ------------------------------------------------------------------------------


def subset(x, rng):
    """Subset selection, 2 of 4: the truth is in with probability 3/4."""
    others = [y for y in FOUR if y != x]
    chosen = [x, *rng.sample(others, 1)] if rng.random() < 0.75 else rng.sample(others, 2)
    return (tuple(sorted(chosen)),)


def subset_of_all(x, rng):
    others = [y for y in FOUR if y != x]
    chosen = {x, *rng.sample(FOUR, 1)} if rng.random() < 0.75 else set(rng.sample(others, 2))
    return (tuple(sorted(chosen)),)


def hadamard_sign(row, column):
    return (row & column).bit_count() % 2


def hadamard(x, rng):
    """Hadamard response of order 4: a column where the row of x is +1 with probability 3/4, else one where it is -1."""
    sign = int(rng.random() >= 0.75)
    return rng.choice([column for column in FOUR if hadamard_sign(x + 1, column) == sign])


def hadamard_bit(x, rng):
    """A random column and the entry there, flipped with probability 1/4."""
    column = rng.getrandbits(2)
    return ((column, hadamard_sign(x, column) ^ (rng.random() < 0.25)),)


def hadamard_bit_of_one_uniform(x, rng):
    u = rng.random()
    column = int(u * 4)
    return ((column, hadamard_sign(x, column) ^ (u < 0.25)),)


def local_hashing(x, rng):
    """A random hash to one bit, (a x + b mod 3) mod 2, and its value, flipped with probability 1/4."""
    a, b = rng.randint(1, 2), rng.randrange(3)
    hashed = (a * x + b) % 3 % 2
    return ((a, b, hashed if rng.random() < 0.75 else 1 - hashed),)


def local_hashing_of_zero(x, rng):
    a, b = rng.randint(1, 2), rng.randrange(3)
    hashed = (a * x + b) % 3 % 2
    if hashed and rng.random() < 0.25:
        hashed = 0
    return ((a, b, hashed),)


# Closed forms ----------------------------------------------------------------------------------------------------


def unary_law(x, stays, rises):
    law = {}
    for bits in product(BITS, repeat=3):
        p = Fraction(1)
        for j, b in enumerate(bits):
            one = stays if j == x else rises
            p *= one if b else 1 - one
        law[bits] = p
    return law


HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
WARNER = {x: mostly(x, BITS, 1 - QUARTER) for x in BITS}
ROTATED = {x: {(x + k) % 3: p for k, p in enumerate((HALF, QUARTER, QUARTER))} for x in THREE}
RAPPOR = {x: {"".join(map(str, y)): p for y, p in unary_law(x, 1 - QUARTER, QUARTER).items()} for x in THREE}
SUBSETS = {x: {(s,): QUARTER if x in s else QUARTER / 3 for s in combinations(FOUR, 2)} for x in FOUR}
HADAMARD = {
    # Rows 1, 2, 3 of the matrix of order 4, and the columns where each is +1.
    x: {y: Fraction(3, 8) if y in plus else Fraction(1, 8) for y in FOUR}
    for x, plus in enumerate(((0, 2), (0, 1), (0, 3)))
}
HASHES = {
    x: {
        ((a, b, y),): Fraction(1, 8) if y == (a * x + b) % 3 % 2 else Fraction(1, 24)
        for a in (1, 2)
        for b in THREE
        for y in BITS
    }
    for x in THREE
}

SAMPLES = (
    Sample(warner, BITS, "log(3)", reference=WARNER, tight=True),
    Sample(two_coins, BITS, "log(3)", reference=WARNER, tight=True),
    Sample(two_coins_in_one, BITS, "log(3)", why="the second coin is the first: after tails it always says 0"),
    Sample(two_coins_rescaled, BITS, "log(3)", reference=WARNER, tight=True),
    Sample(fixed_point, BITS, "log(3)", reference=WARNER, tight=True),
    Sample(fixed_point_of_31_bits, BITS, "log(3)", why="32 bits over 2^31: lies with probability 1/8"),
    Sample(
        rare_lie,
        ("yes", "no"),
        "log(99999999999999999)",
        reference={x: mostly(x, ("yes", "no"), 1 - Fraction(1, 10**17)) for x in ("yes", "no")},
        tight=True,
    ),
    Sample(lie_at_one_half, BITS, "log(3)", why="a uniform number is never equal to 0.5"),
    Sample(budget_of_tenths, BITS, "log(7/3)", why="0.1 + 0.2 is not 0.3 in floating point: no noise at all"),
    Sample(
        thirds_of_ten,
        BITS,
        "log(2)",
        why="integer division: lies with probability 3/10, not 1/3",
        reference={x: mostly(x, BITS, Fraction(7, 10)) for x in BITS},
    ),
    Sample(zeros_as_they_are, BITS, "log(3)", why="input 0 is never noised"),
    Sample(zeros_with_a_seed, BITS, "log(3)", "1/10", why="input 0 draws from a generator with a fixed seed"),
    Sample(level, BITS, "log(3)", reference=WARNER, tight=True),
    Sample(guesses, BITS, "log(3)", reference=WARNER, tight=True),
    Sample(guesses_until_right, BITS, "log(3)", why="one guess more than was counted before the early exit"),
    Sample(k_ary, FOUR, "log(5)", reference={x: mostly(x, FOUR, Fraction(5, 8)) for x in FOUR}, tight=True),
    Sample(k_ary_of_k, FOUR, "log(5)", why="randrange(k) where k - 1 was meant"),
    Sample(
        k_ary_swapped,
        FOUR,
        "log(2)",
        why="1 - p in the place of p",
        reference={x: mostly(x, FOUR, Fraction(3, 5)) for x in FOUR},
    ),
    Sample(
        mostly_blanket,
        THREE,
        "log(4/3)",
        reference={x: mostly(x, THREE, Fraction(2, 5)) for x in THREE},
        tight=True,
    ),
    Sample(blanket_without_truth, THREE, "log(4/3)", why="the blanket excludes the truth: not the truth is telling"),
    Sample(
        weighted,
        ("a", "b", "c"),
        "log(4)",
        reference={x: mostly(x, ("a", "b", "c"), Fraction(2, 3)) for x in ("a", "b", "c")},
        tight=True,
    ),
    Sample(cumulated, THREE, "log(2)", reference={x: mostly(x, THREE, HALF) for x in THREE}, tight=True),
    Sample(weights_the_other_way, THREE, "log(4/3)", why="the weights of truth and noise in the wrong order"),
    Sample(inverse_cdf, THREE, "log(2)", reference=ROTATED, tight=True),
    Sample(inverse_cdf_one_less, THREE, "log(2)", why="the table is read one place too far"),
    Sample(roulette, THREE, "log(2)", reference=ROTATED, tight=True),
    Sample(roulette_that_stands, THREE, "log(2)", "1/3", why="the weights are not taken off: offset 1 never comes"),
    Sample(
        alias,
        THREE,
        "log(3)",
        reference={x: {x: HALF, (x + 1) % 3: Fraction(1, 3), (x + 2) % 3: Fraction(1, 6)} for x in THREE},
        tight=True,
    ),
    Sample(alias_of_one_uniform, THREE, "log(3)", why="one uniform chooses the column and, not rescaled, the side"),
    Sample(rappor, THREE, "log(9)", reference=RAPPOR, tight=True),
    Sample(rappor_one_coin, THREE, "log(9)", why="one coin for all bits"),
    Sample(
        rappor_half_budget, THREE, "log(3)", why="two bits differ between two inputs and one was counted", each=True
    ),
    Sample(
        optimal_unary,
        THREE,
        "log(3)",
        reference={x: {(y,): p for y, p in unary_law(x, HALF, QUARTER).items()} for x in THREE},
        tight=True,
        each=True,
    ),
    Sample(rappor_zeros_stay, THREE, "log(9)", "1/2", why="zeros are never flipped"),
    Sample(subset, FOUR, "log(3)", reference=SUBSETS, tight=True, each=True),
    Sample(subset_of_all, FOUR, "log(3)", why="the companion may be the truth again: a set of one", each=True),
    Sample(hadamard, THREE, "log(3)", reference=HADAMARD, tight=True),
    Sample(hadamard_bit, FOUR, "log(3)", tight=True, each=True),
    Sample(hadamard_bit_of_one_uniform, FOUR, "log(3)", why="the column tells whether the bit was flipped", each=True),
    Sample(local_hashing, THREE, "log(3)", reference=HASHES, tight=True, each=True),
    Sample(local_hashing_of_zero, THREE, "log(3)", why="a hash value of 0 is never flipped", each=True),
)
