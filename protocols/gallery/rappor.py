"""RAPPOR: a Bloom filter of noisy bits, memoized, and noisy reports of it (Erlingsson, Pihur and Korolova 2014).

A value sets h bits of a string B. Permanent response: every bit of B' is 1 with probability f/2, 0 with f/2, else that
of B; it is drawn once and kept. A report: every bit of S is 1 with probability q where B' has 1, p where it has 0.
With q* = f(p + q)/2 + (1 - f) q and p* = f(p + q)/2 + (1 - f) p, the paper's Theorems 1 and 2 say

    eps_inf = 2 h ln((1 - f/2) / (f/2))                    of B', and so of any number of reports of one B'
    eps_1   = h ln(q* (1 - p*) / (p* (1 - q*)))            of one report

"Basic": a bit of its own for each value, h = 1. "One-time": B' is sent itself. Bits on which two values agree have the
same law on both sides, so the local eps of a long string is that of a short one; the tables here are short.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil

from shufflecert.protocols.gallery.entry import Claim, Entry
from shufflecert.protocols.shared.bits import Bits, as_strings, independent, written
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer, gathered

SOURCE = "Erlingsson, Pihur and Korolova, RAPPOR: randomized aggregatable privacy-preserving ordinal response, CCS 2014"
HALF, P, Q = Fraction(1, 2), Fraction(1, 2), Fraction(3, 4)
F_HOMEPAGES = Fraction(3, 4)


def one_hot(d: int) -> dict[str, Bits]:
    """Basic RAPPOR's strings: value x of 1..d sets bit x."""
    return {str(x): tuple(int(j == x) for j in range(1, d + 1)) for x in range(1, d + 1)}


BLOOM = {"a": (1, 1, 0, 0), "b": (0, 0, 1, 1)}


def one_time(strings: Mapping[str, Bits], f: Fraction) -> Randomizer:
    """The randomizer that sends the permanent response itself, as one message."""
    return as_strings({x: [1 - f / 2 if bit else f / 2 for bit in bits] for x, bits in strings.items()})


def report(strings: Mapping[str, Bits], f: Fraction, p: Fraction, q: Fraction) -> Randomizer:
    """The randomizer that sends one report of a fresh permanent response: every bit is 1 with probability q* or p*."""
    one, zero = in_report(f, p, q)
    return as_strings({x: [one if bit else zero for bit in bits] for x, bits in strings.items()})


def two_reports(strings: Mapping[str, Bits], f: Fraction, p: Fraction, q: Fraction) -> Randomizer:
    """The randomizer that sends two reports of one permanent response, as two messages."""
    return Randomizer.of(
        {
            x: gathered(
                ((written(first), written(second)), chance * once * again)
                for kept, chance in independent([1 - f / 2 if bit else f / 2 for bit in bits])
                for (first, once), (second, again) in product(
                    list(independent([q if bit else p for bit in kept])), repeat=2
                )
            )
            for x, bits in strings.items()
        }
    )


def in_report(f: Fraction, p: Fraction, q: Fraction) -> tuple[Fraction, Fraction]:
    """(q*, p*): the probability that a reported bit is 1 where B has 1, and where it has 0."""
    return f * (p + q) / 2 + (1 - f) * q, f * (p + q) / 2 + (1 - f) * p


def eps_inf(h: int, f: Fraction) -> Eps:
    """The local eps, in nats, that Theorem 1 claims of the permanent response: 2 h ln((1 - f/2) / (f/2))."""
    return Eps.log(((1 - f / 2) / (f / 2)) ** (2 * h))


def eps_1(h: int, f: Fraction, p: Fraction, q: Fraction) -> Eps:
    """The local eps that the paper's Theorem 2 claims of one report: h ln(q* (1 - p*) / (p* (1 - q*))), in nats."""
    one, zero = in_report(f, p, q)
    return Eps.log((one * (1 - zero) / (zero * (1 - one))) ** h)


def of_client(strings: Mapping[str, Bits], f: Fraction, p: Fraction, q: Fraction) -> Randomizer:
    """A report of google/rappor's client: a bit is noise where 7 bits of an HMAC, as a number, are below 128 f."""
    return report(strings, Fraction(ceil(128 * f), 128), p, q)


EPS_INF, EPS_1 = "2 h ln((1 - f/2) / (f/2))", "h ln(q* (1 - p*) / (p* (1 - q*)))"

ENTRIES = (
    Entry(
        "rappor_one_time",
        "basic one-time RAPPOR",
        f"{SOURCE}, Sec. 3.1, Theorem 1",
        {"bits": "3", "h": "1", "f": "1/2"},
        eps_inf(1, HALF),
        EPS_INF,
        partial(one_time, one_hot(3), HALF),
        "f as in the paper's Figure 1",
    ),
    Entry(
        "rappor_report",
        "basic RAPPOR, one report",
        f"{SOURCE}, Sec. 3.2, Theorem 2",
        {"bits": "3", "h": "1", "f": "1/2", "p": "1/2", "q": "3/4"},
        eps_1(1, HALF, P, Q),
        EPS_1,
        partial(report, one_hot(3), HALF, P, Q),
        "f, p, q as in the paper's Figure 1",
    ),
    Entry(
        "rappor_chrome",
        "RAPPOR with a Bloom filter, one report, as deployed for Chrome's homepages",
        f"{SOURCE}, Sec. 3.2, Theorem 2, and Sec. 5.4; deployed in Chrome",
        {"bits": "4", "h": "2", "f": "3/4", "p": "1/2", "q": "3/4"},
        eps_1(2, F_HOMEPAGES, P, Q),
        EPS_1,
        partial(report, BLOOM, F_HOMEPAGES, P, Q),
        "4 bits in place of 128, and two values whose bits are disjoint; the paper prints eps_1 = 0.5343",
    ),
    Entry(
        "rappor_two_reports",
        "basic RAPPOR, two reports of one memoized response",
        f"{SOURCE}, Sec. 3.1, Theorem 1",
        {"bits": "2", "h": "1", "f": "1/2", "p": "1/2", "q": "3/4", "reports": "2"},
        eps_inf(1, HALF),
        EPS_INF,
        partial(two_reports, one_hot(2), HALF, P, Q),
        "the claim is for any number of reports, here there are two, a message each",
        (Claim(eps_1(1, HALF, P, Q), EPS_1, "Theorem 2 of the same paper, which is about a single report"),),
    ),
    Entry(
        "rappor_google_client",
        "RAPPOR with a Bloom filter, one report, by the arithmetic of google/rappor's client",
        "google/rappor, client/python/rappor.py, 2014",
        {"bits": "4", "h": "2", "f": "3/10", "p": "1/2", "q": "3/4"},
        eps_1(2, Fraction(3, 10), P, Q),
        EPS_1,
        partial(of_client, BLOOM, Fraction(3, 10), P, Q),
        "f = 3/10 becomes 39/128, which is more noise; 4 bits, two values whose bits are disjoint, in one cohort; the"
        " HMAC of a secret key is taken as fair bits",
    ),
)
