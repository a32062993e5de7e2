"""The smallest eps with delta(eps) <= delta, from enclosures of delta(eps): guesses converge, enclosures decide."""

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from verify.enclosure import Enclosure
from verify.errors import Undecided
from verify.noise import ball
from verify.number import DIGITS, MAX_EPS, Eps, dyadic, precision

STEPS = 200
Curve = Callable[[Eps], Enclosure]


def smallest_eps(curve: Curve, bound: Fraction, digits: int = DIGITS) -> tuple[Fraction, Fraction | None]:
    """(low, high): curve(low) > bound or low = 0, and curve(high) <= bound; high is None beyond eps = 10000.

    `curve` is a divergence, so it falls in eps. The ends are 10^-digits apart, relatively, unless the enclosures of the
    curve are too wide to tell. Raises Undecided where no eps is decided to be enough.
    """
    low, high = Fraction(0), Fraction(1)
    if _side(curve(Eps.of(low)), bound) <= 0:
        return low, low
    while _side(curve(Eps.of(high)), bound) > 0:
        if high == MAX_EPS:
            return high, None
        low, high = high, min(2 * high, Fraction(MAX_EPS))
    with precision(4 * digits + 64):
        return _narrow(curve, bound, low, high, digits)


def _side(value: Enclosure, bound: Fraction) -> int:
    """1 above the bound, -1 below, 0 where the enclosure does not tell."""
    try:
        return value.against(bound)
    except Undecided:
        return 0


def _narrow(curve: Curve, bound: Fraction, low: Fraction, high: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    """Secant steps on log delta, each followed by one just beyond the guess, so that both ends close in."""
    seen = {eps: _height(curve(Eps.of(eps)), bound) for eps in (low, high)}
    margin = Fraction(1, 10**digits)
    for step in range(STEPS):
        if high - low <= margin * high:
            break
        guess = _secant(low, seen[low], high, seen[high]) if step % 8 < 6 else None
        middle = guess if guess is not None and low < guess < high else (low + high) / 2
        middle = Fraction(round(middle * 2**256), 2**256)
        value = curve(Eps.of(middle))
        seen[middle] = _height(value, bound)
        side = _side(value, bound)
        if side == 0:
            return _around(curve, bound, low, middle, high, digits)
        slope = (seen[low] - seen[high]) / ball(high - low)
        low, high = (middle, high) if side > 0 else (low, middle)
        beyond = _fraction(abs(seen[middle]) / slope * 2) if slope > 0 else Fraction(0)
        probe = middle + side * (beyond + margin * high / 4)
        if low < probe < high and beyond < (high - low) / 8:
            value = curve(Eps.of(probe))
            seen[probe] = _height(value, bound)
            if (side := _side(value, bound)) == 0:
                return _around(curve, bound, low, probe, high, digits)
            low, high = (probe, high) if side > 0 else (low, probe)
    return low, high


def _around(
    curve: Curve, bound: Fraction, low: Fraction, middle: Fraction, high: Fraction, digits: int
) -> tuple[Fraction, Fraction]:
    """`middle` is not decided: go away from it, on either side, until something is."""
    margin = middle / 10 ** (digits + 1)
    below, above = low, high
    while middle - margin > low:
        if _side(curve(Eps.of(middle - margin)), bound) > 0:
            below = middle - margin
            break
        margin *= 8
    margin = middle / 10 ** (digits + 1)
    while middle + margin < high:
        if _side(curve(Eps.of(middle + margin)), bound) < 0:
            above = middle + margin
            break
        margin *= 8
    return below, above


def _height(value: Enclosure, bound: Fraction) -> arb:
    """log(delta / bound), a guess."""
    middle = (value.low + value.high) / 2
    if bound == 0 or middle == 0:
        return arb(-(10**6) if middle <= bound else 10**6)
    return ball(middle / bound).log().mid()


def _secant(low: Fraction, at_low: arb, high: Fraction, at_high: arb) -> Fraction | None:
    share = at_low / (at_low - at_high)
    return low + _fraction(share) * (high - low) if share.is_finite() else None


def _fraction(number: arb) -> Fraction:
    return dyadic(number.mid())
