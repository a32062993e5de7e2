"""Microsoft's telemetry: dBitFlip for histograms, 1BitMean for means (Ding, Kulkarni and Yekhanin 2017).

Both claim local eps. dBitFlip: of k buckets the user draws d without replacement and sends them with a bit each: 1 with
probability e^(eps/2) / (e^(eps/2) + 1) for the user's own bucket, 1 / (e^(eps/2) + 1) for any other. 1BitMean: a number
x of 0..m is one bit, 1 with probability 1 / (e^eps + 1) + (x/m) (e^eps - 1) / (e^eps + 1).
"""

from fractions import Fraction
from functools import partial
from itertools import combinations
from math import comb

from shufflecert.protocols.gallery.entry import Entry, at_odds
from shufflecert.protocols.shared.bits import independent
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.law import gathered
from shufflecert.verify.exact.randomizer import Randomizer

SOURCE = "Ding, Kulkarni and Yekhanin, Collecting telemetry data privately, NIPS 2017, Sec. 2"
DEPLOYED = "deployed by Microsoft in Windows"


def d_bit_flip(k: int, d: int, half_power: Fraction) -> Randomizer:
    """dBitFlip, with one message of all d bits, such as "1:0 3:1". e^(eps/2) = `half_power`."""
    truth = at_odds(half_power)
    return Randomizer.of(
        {
            x: gathered(
                (" ".join(f"{j}:{bit}" for j, bit in zip(drawn, bits, strict=True)), chance / comb(k, d))
                for drawn in combinations(range(1, k + 1), d)
                for bits, chance in independent([truth if j == x else 1 - truth for j in drawn])
            )
            for x in range(1, k + 1)
        }
    )


def one_bit_mean(m: int, power: Fraction) -> Randomizer:
    """1BitMean, with inputs 0..m and one bit as message. e^eps = `power`."""
    low, high = 1 - at_odds(power), at_odds(power)
    ones = {x: low + Fraction(x, m) * (high - low) for x in range(m + 1)}
    return Randomizer.of({x: {1: p, 0: 1 - p} for x, p in ones.items()})


def _flips(name: str, d: int, note: str) -> Entry:
    return Entry(
        name,
        f"Microsoft's dBitFlip, d = {d}",
        f"{SOURCE}; {DEPLOYED}",
        {"k": "3", "d": str(d), "e^(eps/2)": "2"},
        Eps.log(Fraction(4)),
        "eps",
        partial(d_bit_flip, 3, d, Fraction(2)),
        f"e^(eps/2) is taken as 2; {note}",
    )


ENTRIES = (
    _flips("d_bit_flip", 2, "3 buckets"),
    _flips("one_bit_flip", 1, "with a single bit a user's own bucket and another's are never sent together"),
    Entry(
        "one_bit_mean",
        "Microsoft's 1BitMean",
        f"{SOURCE}; {DEPLOYED}; up to scale the one-bit mean of Duchi, Jordan and Wainwright, FOCS 2013",
        {"m": "4", "e^eps": "3"},
        Eps.log(Fraction(3)),
        "eps",
        partial(one_bit_mean, 4, Fraction(3)),
        "e^eps is taken as 3; the inputs are the integers 0..4 of an interval of reals, whose other laws are mixtures",
    ),
)
