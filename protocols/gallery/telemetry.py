"""Microsoft's telemetry: 1BitMean for means (Ding, Kulkarni and Yekhanin 2017). dBitFlip is in systems.py.

A number x of 0..m is one bit, 1 with probability 1 / (e^eps + 1) + (x/m) (e^eps - 1) / (e^eps + 1); local eps = eps.
"""

from fractions import Fraction
from functools import partial

from shufflecert.protocols.gallery.entry import Entry, at_odds
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer

SOURCE = "Ding, Kulkarni and Yekhanin, Collecting telemetry data privately, NIPS 2017, Sec. 2"
DEPLOYED = "deployed by Microsoft in Windows"


def one_bit_mean(m: int, power: Fraction) -> Randomizer:
    """1BitMean, with inputs 0..m and one bit as message. e^eps = `power`."""
    low, high = 1 - at_odds(power), at_odds(power)
    ones = {x: low + Fraction(x, m) * (high - low) for x in range(m + 1)}
    return Randomizer.of({x: {1: p, 0: 1 - p} for x, p in ones.items()})


ENTRIES = (
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
