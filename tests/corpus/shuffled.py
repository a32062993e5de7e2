"""Randomizers of the shuffle model: blankets, noise messages, shares, dummies, absent users."""

from fractions import Fraction
from itertools import product

from tests.corpus.sample import Sample, mostly

BITS = (0, 1)
THREE = (0, 1, 2)


# Bits ------------------------------------------------------------------------------------------------------------


def blanket(x, rng):
    """A uniform bit with probability 1/2, else the input."""
    return rng.getrandbits(1) if rng.random() < 0.5 else x


def blanket_of_ones(x, rng):
    return rng.randint(1, 1) if rng.random() < 0.5 else x


def blanket_swapped(x, rng):
    gamma = Fraction(3, 4)
    return x if rng.random() < gamma else rng.choice(BITS)


def noise_ones(x, rng):
    """As many ones as the input says, and one more with probability 1/2."""
    return (1,) * (x + rng.getrandbits(1))


def noise_ones_of_zeros(x, rng):
    if x:
        return (1,)
    return (1,) if rng.getrandbits(1) else ()


def noise_ones_doubled(x, rng):
    return (1,) * x + (1, 1) * rng.getrandbits(1)


def both(x, rng):
    """The bit and its complement: nothing in a bag, everything in order."""
    return (x, 1 - x)


def both_or_one(x, rng):
    return (x, 1 - x) if rng.random() < 0.5 else (x,)


def coins(x, rng):
    return tuple(rng.getrandbits(1) for _ in range(x + 1))


def with_dummy(x, rng):
    """Randomized response with a lie of 1/4, and a uniform dummy."""
    report = x if rng.random() < 0.75 else 1 - x
    return (report, rng.randrange(2))


def with_dummy_of_report(x, rng):
    report = x if rng.random() < 0.75 else 1 - x
    dummy = report if rng.random() < 0.5 else x
    return (report, dummy)


def absent(x, rng):
    """Takes part with probability 1/2, and then lies with 1/4."""
    if rng.random() < 0.5:
        return ()
    return (x ^ (rng.random() < 0.25),)


def absent_zeros(x, rng):
    if not x and rng.random() < 0.5:
        return ()
    return (x ^ (rng.random() < 0.25),)


# Histograms ------------------------------------------------------------------------------------------------------


def histogram(x, rng):
    """The input, and each bucket once more with probability 1/2."""
    sent = [x]
    for bucket in THREE:
        if rng.random() < 0.5:
            sent.append(bucket)
    return tuple(sent)


def histogram_break(x, rng):
    sent = [x]
    for bucket in THREE:
        if bucket == x:
            break
        if rng.random() < 0.5:
            sent.append(bucket)
    return tuple(sent)


def histogram_doubled(x, rng):
    sent = [x]
    for _ in THREE:
        if rng.random() < 0.5:
            sent.append(x)
    return tuple(sent)


def tagged_bits(x, rng):
    """Fragmented RAPPOR: each bit of the unary code is a message with its place, flipped with probability 1/4."""
    return tuple((j, int(j == x) ^ (rng.random() < 0.25)) for j in THREE)


def tagged_bits_one_coin(x, rng):
    flip = rng.random() < 0.25
    return tuple((j, int(j == x) ^ flip) for j in THREE)


# Shares ----------------------------------------------------------------------------------------------------------


def shares(x, rng):
    """Three additive shares modulo 3, of which the last two are seen."""
    first, second = rng.randrange(3), rng.randrange(3)
    return (second, (x - first - second) % 3)


def shares_never_zero(x, rng):
    first, second = rng.randrange(1, 3), rng.randrange(1, 3)
    return (second, (x - first - second) % 3)


def shares_of_one_digit(x, rng):
    share = rng.randrange(3)
    return (share, (x - 2 * share) % 3)


def shares_not_reduced(x, rng):
    first, second = rng.randrange(3), rng.randrange(3)
    return (second, x - first - second)


def pair_of_pads(x, rng):
    """Two digits, each on a pad of its own modulo 3."""
    return tuple((digit + rng.randrange(3)) % 3 for digit in x)


def pair_on_one_pad(x, rng):
    pad = rng.randrange(3)
    return tuple((digit + pad) % 3 for digit in x)


# Closed forms ----------------------------------------------------------------------------------------------------

HALF = Fraction(1, 2)
WARNER = {x: mostly(x, BITS, Fraction(3, 4)) for x in BITS}
ONES = {x: {(1,) * x: HALF, (1,) * (x + 1): HALF} for x in BITS}
BOTH = {x: {(x, 1 - x): Fraction(1)} for x in BITS}
DUMMY = {x: {(report, dummy): p / 2 for report, p in WARNER[x].items() for dummy in BITS} for x in BITS}
ABSENT = {x: {(): HALF, **{(report,): p / 2 for report, p in WARNER[x].items()}} for x in BITS}
NINE = dict.fromkeys(product(THREE, repeat=2), Fraction(1, 9))
PAIRS = ((0, 0), (0, 1), (2, 1))

SAMPLES = (
    Sample(blanket, BITS, "log(2)", "9/64", 3, "shuffled", reference=WARNER, tight=True),
    Sample(blanket_of_ones, BITS, "log(2)", "9/64", 3, "shuffled", why="the blanket's bit is always 1"),
    Sample(blanket_swapped, BITS, "log(2)", "9/64", 3, "shuffled", why="gamma and 1 - gamma swapped"),
    Sample(noise_ones, BITS, "log(2)", "3/16", 4, "shuffled", reference=ONES, tight=True, each=True),
    Sample(
        noise_ones_of_zeros, BITS, "log(2)", "3/16", 4, "shuffled", why="ones leave early, before the noise", each=True
    ),
    Sample(
        noise_ones_doubled,
        BITS,
        "log(2)",
        "3/16",
        4,
        "shuffled",
        why="noise of two ones: the parity is the sum's",
        each=True,
    ),
    Sample(both, BITS, "0", "0", 3, "shuffled", reference=BOTH, tight=True, each=True),
    Sample(both, BITS, "10", "1/2", reference=BOTH, why="in order, the first message is the input", each=True),
    Sample(both_or_one, BITS, "0", "0", 3, "shuffled", why="sometimes the complement is not sent", each=True),
    Sample(coins, BITS, "1", "1/10", why="the number of messages depends on the input", each=True),
    Sample(with_dummy, BITS, "log(2)", "9/512", 3, "shuffled", reference=DUMMY, tight=True, each=True),
    Sample(
        with_dummy_of_report,
        BITS,
        "log(2)",
        "9/512",
        3,
        "shuffled",
        why="no dummy: the truth or the report again",
        each=True,
    ),
    Sample(absent, BITS, "log(2)", "33/4096", 4, "shuffled", reference=ABSENT, tight=True, each=True),
    Sample(absent_zeros, BITS, "log(2)", "33/4096", 4, "shuffled", why="only zeros stay away", each=True),
    Sample(histogram, THREE, "log(3)", "21/64", 3, "shuffled", tight=True, each=True),
    Sample(
        histogram_break,
        THREE,
        "log(3)",
        "21/64",
        3,
        "shuffled",
        why="break where continue was meant: the noise ends at the input",
        each=True,
    ),
    Sample(
        histogram_doubled,
        THREE,
        "log(3)",
        "21/64",
        3,
        "shuffled",
        why="the noise is the input again, not the bucket",
        each=True,
    ),
    Sample(tagged_bits, THREE, "log(3)", "27/128", 2, "shuffled", tight=True, each=True),
    Sample(tagged_bits_one_coin, THREE, "log(3)", "27/128", 2, "shuffled", why="one coin for all bits", each=True),
    Sample(shares, THREE, "0", reference=dict.fromkeys(THREE, NINE), tight=True, each=True),
    Sample(shares_never_zero, THREE, "0", why="randrange(1, 3): a share is never 0", each=True),
    Sample(
        shares_of_one_digit, THREE, "0", "1/2", why="one digit for two shares: the third tells the input", each=True
    ),
    Sample(shares_not_reduced, THREE, "0", why="the third share is not reduced modulo 3", each=True),
    Sample(pair_of_pads, PAIRS, "0", reference=dict.fromkeys(PAIRS, NINE), tight=True, each=True),
    Sample(pair_on_one_pad, PAIRS, "0", "1/2", why="one pad for two digits: their difference is seen", each=True),
)
