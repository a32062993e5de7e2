"""Unary encodings: value x of 1..d is a string of d bits, bit x is 1 with probability p, the others with probability q.

    eps = ln(p (1 - q) / ((1 - p) q))

(Wang, Blocki, Li and Jha 2017). Symmetric: p + q = 1, p/q = e^(eps/2). Optimal: p = 1/2, q = 1 / (e^eps + 1).
"""

from fractions import Fraction
from functools import partial

from shufflecert.protocols.gallery.entry import Entry, at_odds
from shufflecert.protocols.shared.bits import independent, written
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.law import gathered
from shufflecert.verify.exact.randomizer import Randomizer

SOURCE = "Wang, Blocki, Li and Jha, Locally differentially private protocols for frequency estimation, USENIX Sec. 2017"
FORMULA = "ln(p (1 - q) / ((1 - p) q))"


def unary_encoding(d: int, p: Fraction, q: Fraction) -> Randomizer:
    """The randomizer that sends the d noisy bits as one message."""
    return Randomizer.of(
        {
            x: gathered((written(y), w) for y, w in independent([p if j == x else q for j in range(1, d + 1)]))
            for x in range(1, d + 1)
        }
    )


def claimed(p: Fraction, q: Fraction) -> Eps:
    """The local eps that is claimed, ln(p (1 - q) / ((1 - p) q)), in nats."""
    return Eps.log(p * (1 - q) / ((1 - p) * q))


def _entry(kind: str, p: Fraction, q: Fraction, note: str) -> Entry:
    return Entry(
        f"{kind}_unary_encoding",
        f"{kind} unary encoding",
        f"{SOURCE}, Sec. 4",
        {"d": "3", "p": str(p), "q": str(q)},
        claimed(p, q),
        FORMULA,
        partial(unary_encoding, 3, p, q),
        note,
    )


ENTRIES = (
    _entry("symmetric", at_odds(Fraction(2)), 1 - at_odds(Fraction(2)), "e^(eps/2) is taken as 2"),
    _entry("optimal", Fraction(1, 2), 1 - at_odds(Fraction(3)), "e^eps is taken as 3"),
)
