"""Uniform draws: dice by rejection, fair coins from unfair ones, permutations, races between uniforms, reservoirs."""

from fractions import Fraction
from itertools import permutations

from tests.corpus.sample import Sample, mostly

BITS = (0, 1)
THREE = (0, 1, 2)


# Dice and pads ---------------------------------------------------------------------------------------------------


def die(x, rng):
    """A die by rejection of 3 bits; below 3 the truth, else a uniform answer."""
    face = rng.getrandbits(3)
    while face >= 6:
        face = rng.getrandbits(3)
    return x if face < 3 else face - 3


def die_by_modulo(x, rng):
    face = rng.getrandbits(3) % 6
    return x if face < 3 else face - 3


def die_of_seven(x, rng):
    while True:
        face = rng.getrandbits(3)
        if face <= 6:
            break
    return x if face > 2 else face


def pad(x, rng):
    """A one-time pad modulo 5."""
    return (x + rng.randrange(5)) % 5


def pad_by_modulo(x, rng):
    return (x + rng.getrandbits(3) % 5) % 5


def pad_around_zero(x, rng):
    """A one-time pad modulo 3 with digits -1, 0, 1."""
    return (x + rng.randint(-1, 1)) % 3


def pad_with_both_ends(x, rng):
    return (x + rng.randint(0, 3)) % 3


def pad_in_steps(x, rng):
    """A one-time pad modulo 6 for even numbers."""
    return (x + rng.randrange(0, 6, 2)) % 6


def pad_clamped(x, rng):
    return min(max(x + rng.randint(-1, 1), 0), 2)


# Coins from coins ------------------------------------------------------------------------------------------------


def von_neumann(x, rng):
    """The truth on a fair coin, else a fair answer that von Neumann's method makes of coins with 1/4."""
    if rng.getrandbits(1):
        return x
    while True:
        one, two = rng.random() < 0.25, rng.random() < 0.25
        if one != two:
            return int(one)


def von_neumann_or(x, rng):
    if rng.getrandbits(1):
        return x
    while True:
        one, two = rng.random() < 0.25, rng.random() < 0.25
        if one or two:
            return int(one)


def binary_third(rng):
    """1 with probability 1/3: fair bits against 0.010101..., as far as they agree."""
    while True:
        if rng.getrandbits(1):
            return 0
        if not rng.getrandbits(1):
            return 1


def lie_of_a_third(x, rng):
    """Lies with probability 1/3."""
    return x ^ binary_third(rng)


def lie_of_two_digits(x, rng):
    if rng.getrandbits(1) == 0 and rng.getrandbits(1) == 0:
        return 1 - x
    return x


def redraw_on_truth(x, rng):
    """A uniform answer; the truth is rejected with probability 1/2, each time."""
    answer = rng.choice(THREE)
    while answer == x and rng.random() < 0.5:
        answer = rng.choice(THREE)
    return answer


def redraw_on_truth_one_coin(x, rng):
    again = rng.random() < 0.5
    answer = rng.choice(THREE)
    while answer == x and again:
        answer = rng.choice(THREE)
    return answer


# Permutations ----------------------------------------------------------------------------------------------------


def fisher_yates(x, rng):
    """The bit, its complement and a blank, in a uniform order."""
    items = [x, 1 - x, 2]
    for i in range(len(items) - 1, 0, -1):
        j = rng.randrange(i + 1)
        items[i], items[j] = items[j], items[i]
    return tuple(items)


def sattolo(x, rng):
    items = [x, 1 - x, 2]
    for i in range(len(items) - 1, 0, -1):
        j = rng.randrange(i)
        items[i], items[j] = items[j], items[i]
    return tuple(items)


def swap_with_any(x, rng):
    items = [x, 1 - x, 2]
    for i in range(len(items)):
        j = rng.randrange(len(items))
        items[i], items[j] = items[j], items[i]
    return tuple(items)


def shuffled_list(x, rng):
    """As `fisher_yates`, by the library."""
    items = ["yes", "no", "blank"] if x else ["no", "yes", "blank"]
    rng.shuffle(items)
    return tuple(items)


def shuffled_rest(x, rng):
    items = [x, 1 - x, 2]
    rest = items[1:]
    rng.shuffle(rest)
    return (*items[:1], *rest) if rng.random() < 0.5 else (*rest, *items[:1])


def sorted_by_uniforms(x, rng):
    """As `fisher_yates`, in the order of uniform numbers."""
    return tuple(sorted((x, 1 - x, 2), key=lambda item: rng.random()))


# Sampling --------------------------------------------------------------------------------------------------------


def two_of_a_bag(x, rng):
    """Two of five items without replacement: the truth, two zeros, two ones."""
    return tuple(rng.sample([x, 0, 0, 1, 1], 2))


def two_of_a_small_bag(x, rng):
    return tuple(rng.sample([x, 0, 1], k=2))


def reservoir(x, rng):
    """A reservoir of one, over the truth, a zero and a one."""
    kept = None
    for i, item in enumerate((x, 0, 1)):
        if rng.randrange(i + 1) == 0:
            kept = item
    return kept


def reservoir_one_more(x, rng):
    kept = x
    for i, item in enumerate((0, 1), start=1):
        if rng.randint(0, i + 1) == 0:
            kept = item
    return kept


# Races -----------------------------------------------------------------------------------------------------------


def less(x, rng):
    """Lies if one uniform is below another, and that below a third: with probability 1/6."""
    u, v, w = rng.random(), rng.random(), rng.random()
    return 1 - x if u < v < w else x


def least(x, rng):
    u, v, w = (rng.random() for _ in range(3))
    return 1 - x if u < v < w else x


def greatest(x, rng):
    """Lies if the greater of two uniforms is below 1/2."""
    return x ^ (max(rng.random(), rng.random()) < 0.5)


def greatest_of_one(x, rng):
    u = rng.random()
    return x ^ (max(u, rng.random()) < 0.5 and u < 0.25)


def median(x, rng):
    """Lies if the median of three uniforms is below 1/4."""
    return x ^ (sorted(rng.random() for _ in range(3))[1] < 0.25)


def tickets(x, rng):
    """Four tickets: the truth has two of them."""
    owners = (x, *THREE)
    drawn = [rng.random() for _ in owners]
    return owners[drawn.index(max(drawn))]


def tickets_one_more(x, rng):
    best = [rng.random() for _ in THREE]
    for _ in range(2):
        best[x] = max(best[x], rng.random())
    return max(THREE, key=best.__getitem__)


# Closed forms ----------------------------------------------------------------------------------------------------

HALF, THIRD, QUARTER, SIXTH = (Fraction(1, k) for k in (2, 3, 4, 6))
UNIFORM_ORDERS = {x: dict.fromkeys(permutations(THREE), SIXTH) for x in BITS}
BAG = {
    x: {(x, x): Fraction(3, 10), (0, 1): Fraction(3, 10), (1, 0): Fraction(3, 10), (1 - x, 1 - x): Fraction(1, 10)}
    for x in BITS
}

SAMPLES = (
    Sample(
        die,
        THREE,
        "log(4)",
        "1e-4",
        reference={x: mostly(x, THREE, Fraction(2, 3)) for x in THREE},
        residual=Fraction(1, 2**16),
    ),
    Sample(die_by_modulo, THREE, "log(4)", why="6 does not divide 8: small faces come twice as often"),
    Sample(die_of_seven, THREE, "log(4)", "1e-15", why="<= where < was meant, and the die has seven faces"),
    Sample(
        pad, tuple(range(4)), "0", reference={x: dict.fromkeys(range(5), Fraction(1, 5)) for x in range(4)}, tight=True
    ),
    Sample(pad_by_modulo, tuple(range(4)), "0", why="5 does not divide 8"),
    Sample(pad_around_zero, THREE, "0", reference={x: dict.fromkeys(THREE, THIRD) for x in THREE}, tight=True),
    Sample(pad_with_both_ends, THREE, "0", why="randint includes both ends"),
    Sample(pad_in_steps, (0, 2, 4), "0", reference={x: dict.fromkeys((0, 2, 4), THIRD) for x in (0, 2, 4)}, tight=True),
    Sample(pad_clamped, THREE, "log(2)", "1/4", why="clamping where modulo was meant: from 0 nothing reaches 2"),
    Sample(
        von_neumann,
        BITS,
        "log(3)",
        "1/16",
        reference={x: mostly(x, BITS, Fraction(3, 4)) for x in BITS},
        residual=Fraction(1, 2**6),
    ),
    Sample(
        von_neumann_or,
        BITS,
        "log(3)",
        "1e-15",
        why="two ones are kept: the answer is 1 with probability 4/7",
        reference={0: {0: Fraction(5, 7), 1: Fraction(2, 7)}, 1: {0: Fraction(3, 14), 1: Fraction(11, 14)}},
    ),
    Sample(lie_of_a_third, BITS, "log(2)", "1e-15", reference={x: mostly(x, BITS, 2 * THIRD) for x in BITS}),
    Sample(lie_of_two_digits, BITS, "log(2)", why="stops after two binary digits of 1/3"),
    Sample(redraw_on_truth, THREE, "log(2)", "1e-15", reference={x: mostly(x, THREE, Fraction(1, 5)) for x in THREE}),
    Sample(redraw_on_truth_one_coin, THREE, "log(2)", "1e-15", why="one coin decides on rejection in all rounds"),
    Sample(fisher_yates, BITS, "0", reference=UNIFORM_ORDERS, tight=True, each=True),
    Sample(sattolo, BITS, "0", "1/10", why="randrange(i) where i + 1 was meant: only cyclic permutations", each=True),
    Sample(swap_with_any, BITS, "0", why="27 equal paths cannot make 6 equal permutations", each=True),
    Sample(
        shuffled_list,
        BITS,
        "0",
        reference={x: dict.fromkeys(permutations(("yes", "no", "blank")), SIXTH) for x in BITS},
        tight=True,
        each=True,
    ),
    Sample(shuffled_rest, BITS, "0", "1/4", why="the first item never moves to the middle", each=True),
    Sample(sorted_by_uniforms, BITS, "0", reference=UNIFORM_ORDERS, tight=True, each=True),
    Sample(two_of_a_bag, BITS, "log(3)", reference=BAG, tight=True, each=True),
    Sample(
        two_of_a_small_bag, BITS, "log(3)", why="the bag has too little beside the truth: two ones tell a 1", each=True
    ),
    Sample(reservoir, BITS, "log(2)", reference={x: mostly(x, BITS, 2 * THIRD) for x in BITS}, tight=True),
    Sample(reservoir_one_more, BITS, "log(2)", why="each later item is kept too rarely: randint includes both ends"),
    Sample(less, BITS, "log(5)", reference={x: mostly(x, BITS, 5 * SIXTH) for x in BITS}, tight=True),
    Sample(
        least,
        BITS,
        "log(2)",
        why="u < v < w is rarer than that u is the least",
        reference={x: mostly(x, BITS, 5 * SIXTH) for x in BITS},
    ),
    Sample(greatest, BITS, "log(3)", reference={x: mostly(x, BITS, 3 * QUARTER) for x in BITS}, tight=True),
    Sample(greatest_of_one, BITS, "log(3)", why="asks the first uniform twice: lies with probability 1/8"),
    Sample(median, BITS, "log(27/5)", reference={x: mostly(x, BITS, Fraction(27, 32)) for x in BITS}, tight=True),
    Sample(tickets, THREE, "log(2)", reference={x: mostly(x, THREE, HALF) for x in THREE}, tight=True),
    Sample(tickets_one_more, THREE, "log(2)", why="the truth has three tickets of five, not two of four"),
)
