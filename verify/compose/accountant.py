"""The accountant: delta(eps) of the product of many independent pairs, between two certain bounds.

Where outcomes are few, up to their order, all are summed (verify/pairs/windowed.py); else it is a power on a lattice
(verify/pairs/lattice.py), of any number of pairs, which can be certified. A lattice whose step no loss is a multiple
of gets to 6 digits: more of them are a sum along a line (verify/compose/fourier_accountant.py).
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from shufflecert.verify.compose.fourier_accountant import along_line
from shufflecert.verify.enclose.interval import Interval, refine
from shufflecert.verify.exact.epsilon import Eps
from shufflecert.verify.exact.rational import natural
from shufflecert.verify.pairs.lattice import enclosed
from shufflecert.verify.pairs.lattice_guess import common_step
from shufflecert.verify.pairs.windowed import AtomsAt, Product, halves

DIGITS = 6  # significant digits asked for
FEW = 20_000  # outcomes of half a composition, up to order, that are summed
LATTICE, FIRST = 6, 3  # digits that a lattice has; that it is asked for where more are wanted
MAX_TIMES = 10**6


def compose(pairs: Sequence[AtomsAt], times: object = 1, eps: object = 0, digits: int = DIGITS) -> Interval:
    """delta(eps) of the product of independent pairs, the whole list taken `times` times: P's product against Q's.

    eps in nats. 30 significant digits where outcomes are few; else `digits`. Raises BadInput for what is no eps and for
    `times` < 1.
    """
    at, count = Eps.of(eps), natural(times, "times", most=MAX_TIMES)
    return compose_parts([(pair, count) for pair in pairs], at, digits)


def compose_parts(
    parts: Iterable[tuple[AtomsAt, int]], eps: Eps, digits: int = DIGITS, enough: Fraction = Fraction(0)
) -> Interval:
    """delta(eps) of the product of independent pairs, each taken a number of times of its own, as by `compose`.

    A number is at least 1; a pair that is listed again comes more often. What is shown to be at most `enough` may be
    enclosed widely.
    """
    copies: dict[AtomsAt, int] = {}
    for pair, count in parts:
        copies[pair] = copies.get(pair, 0) + count
    listed = list(copies.items())
    both = halves(listed)
    if all(half.outcomes() <= FEW for half in both):
        return refine(lambda bits: Product(*both).divergence(eps, bits), enough=enough)
    if digits <= LATTICE or common_step(tuple(copies)) is not None:
        return enclosed(listed, eps, digits, enough=enough)
    found = enclosed(listed, eps, FIRST, enough=enough)
    if found.relative_width * 10**digits <= 1 or found.high <= enough:
        return found
    return found.meet(along_line(listed, eps, digits))
