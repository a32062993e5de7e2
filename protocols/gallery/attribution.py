"""Measuring advertisements: the k-ary response of attribution reporting, the padding of private attribution (IPA).

Attribution reporting (browsers' event-level reports): a source has k possible outputs. With probability
k / (k + e^eps - 1) its output is drawn uniformly from all k, else it is the true one; eps = 14 at most.

IPA pads every count of records, which its helpers see, by a number z of dummies with Pr[z] = A r^|n - z|, z = 0..2n,
r = e^-eps, A = (1 - r) / (1 + r - 2 r^(n+1)). For (eps, delta) and a sensitivity s, n is the smallest with

    A (r^(n-s+1) + ... + r^n) <= delta

(its README, and equation (11) of its source). Every other pair of helpers adds such noise too, and knows it.
"""

from collections.abc import Iterable
from fractions import Fraction
from functools import partial

from shufflecert.protocols.gallery.entry import Entry
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.randomizer import Randomizer

REPORTING = "Attribution Reporting, draft of the WICG, 2024, obtain a randomized source response, deployed in Chrome"
PADDING = (
    "private-attribution/ipa, oprf_padding/README.md and insecure.rs, 2024, after Case et al., arXiv:2110.08177, 2021"
)
E_14 = Fraction("1202604.284")  # below e^14 = 1202604.28416...
E_MINUS_5 = Fraction("0.006737947")  # above e^-5 = 0.0067379469990...


def random_output(outputs: Iterable[str], power: Fraction) -> Randomizer:
    """The randomizer that sends one of k outputs, the true one or a uniform one. e^eps = `power`."""
    listed = list(outputs)
    k = len(listed)
    flip = k / (k + power - 1)
    return Randomizer.of({x: {y: flip / k + (1 - flip) * (x == y) for y in listed} for x in listed})


def padding(shift: int, r: Fraction, n: int) -> Randomizer:
    """A count plus z dummies, of the discrete Laplace law on 0..2n: Pr[z] is proportional to r^|n - z|, r = e^-eps.

    Two rows, the inputs 0 and `shift`: the randomizer of one count that is padded with dummies.
    """
    weight = (1 - r) / (1 + r - 2 * r ** (n + 1))
    return Randomizer.of({x: {x + z: weight * r ** abs(n - z) for z in range(2 * n + 1)} for x in (0, shift)})


def smallest_n(sensitivity: int, r: Fraction, delta: Fraction) -> int:
    """The smallest n for which the padding satisfies delta at this sensitivity, r = e^-eps."""
    n = sensitivity
    while not _tail(sensitivity, r, n) <= delta:
        n += 1
    return n


def _tail(sensitivity: int, r: Fraction, n: int) -> Fraction:
    weight = (1 - r) / (1 + r - 2 * r ** (n + 1))
    return weight * sum((r**k for k in range(n - sensitivity + 1, n + 1)), start=Fraction(0))


def _padded(name: str, sensitivity: int, r: Fraction, eps: Eps, delta: Fraction, note: str) -> Entry:
    n = smallest_n(sensitivity, r, delta)
    return Entry(
        name,
        f"IPA's padding of a count, sensitivity {sensitivity}",
        PADDING,
        {"sensitivity": str(sensitivity), "r": str(r), "n": str(n)},
        eps,
        "eps at delta",
        partial(padding, sensitivity, r, n),
        note,
        claimed_delta=delta,
    )


ENTRIES = (
    Entry(
        "attribution_reporting_event",
        "attribution reporting, event sources with one report of one bit",
        REPORTING,
        {"k": "3", "e^eps": str(E_14)},
        Eps.of(14),
        "eps",
        partial(random_output, ("none", "0", "1"), E_14),
        "e^14 rounded down to 1202604.284",
    ),
    _padded(
        "ipa_padding",
        1,
        Fraction(1, 2),
        Eps.log(Fraction(2)),
        Fraction(1, 100),
        "e^-eps is taken as 1/2; a user changes the count by 1",
    ),
    _padded(
        "ipa_padding_of_ten",
        10,
        E_MINUS_5,
        Eps.of(5),
        Fraction(1, 10**6),
        "the defaults for aggregation: eps = 5, delta = 10^-6, sensitivity 10; e^-5 is rounded up. r does not depend on"
        " the sensitivity: a user who changes the count by 10 shows 10 eps",
    ),
)
